//! The proof: the new file is read again, by other code than that which redacted it.
//!
//! Knows no tree and no parts: it unpacks every file of the archive, takes the tags out with a scanner of its own, and
//! searches what is left, the values of attributes, comments and names.

use super::attributes::{Attributes, is_part_name, local};
use super::files::{self, FileKind};
use super::matcher::Matcher;
use crate::error::{Error, Result};
use crate::story::shorten;
use crate::xml::{Tree, unescape};
use crate::zip::Zip;

/// Searches a whole file.
///
/// # Errors
/// [`Error::Unsupported`] - a hit is left, with its place.
pub(super) fn verify(bytes: &[u8], matcher: &Matcher, attributes: &Attributes) -> Result<()> {
    let zip = Zip::open(bytes.to_vec()).map_err(Error::Malformed)?;
    for name in zip.names() {
        if !is_part_name(name) && matcher.is_in(name) {
            return left(name, "its name");
        }
        let content = zip.read(name).map_err(Error::Malformed)?.unwrap_or_default();
        match files::kind(name) {
            FileKind::Font => {}
            FileKind::Picture if files::is_in_picture(&content, matcher) => {
                return left(name, "its data");
            }
            FileKind::Picture => {}
            FileKind::Xml => {
                let text = String::from_utf8(content)
                    .map_err(|_| Error::Malformed(format!("the part `{name}` is not UTF-8")))?;
                let found = texts(&text);
                if let Some(it) = found.blocks.iter().find(|it| matcher.is_in(it)) {
                    return left(name, &format!("the text \"{}\"", shorten(it, 60)));
                }
                if let Some(it) = found.codes.iter().find(|it| matcher.is_in_address(it)) {
                    return left(name, &format!("the instruction \"{}\"", shorten(it, 60)));
                }
                let joined = found.blocks.join("\n");
                if matcher.has_phrases() && !matcher.phrase_hits(&joined).is_empty() {
                    return left(name, "a text that goes on in the next paragraph");
                }
                // Values are those that the tree reads; which of them are free is the same question in both passes.
                let tree = Tree::parse(text).map_err(Error::Malformed)?;
                let root = tree.root().unwrap_or(crate::xml::DOCUMENT);
                for it in std::iter::once(root).chain(tree.descendants(root)) {
                    let values = tree.attrs(it).filter(|(attribute, value)| {
                        attributes.is_free(&tree, it, attribute, value)
                            && matcher.is_in_address(value)
                    });
                    if let Some((attribute, value)) = values.into_iter().next() {
                        let place = format!("{}=\"{}\"", local(attribute), shorten(&value, 60));
                        return left(name, &place);
                    }
                }
            }
            FileKind::Other => match files::search(&content, matcher) {
                Ok(None) => {}
                Ok(Some(place)) => return left(name, &place),
                Err(why) => return Err(Error::Unsupported(format!("`{name}`: {why}"))),
            },
        }
    }
    Ok(())
}

fn left<T>(part: &str, place: &str) -> Result<T> {
    Err(Error::Unsupported(format!(
        "a hit is left in `{part}`, in {place}; nothing was delivered; delete it in Word, or give fewer words"
    )))
}

/// Texts of a part without their tags.
#[derive(Debug, Default)]
struct Texts {
    /// Those of paragraphs, of other elements, and comments.
    blocks: Vec<String>,
    /// Instructions of fields.
    codes: Vec<String>,
}

/// An open element of the scanner.
struct Open {
    name: String,
    /// `true` if its text is one of its own.
    is_block: bool,
    text: String,
    /// The text without deletions.
    accepted: String,
    /// The text without insertions.
    original: String,
    code: String,
    is_kept: bool,
}

/// Scans a part token by token.
fn texts(xml: &str) -> Texts {
    let mut out = Texts::default();
    let mut open: Vec<Open> = Vec::new();
    let (mut deleted, mut inserted) = (0_usize, 0_usize);
    let mut rest = xml;
    while !rest.is_empty() {
        let Some(body) = rest.strip_prefix('<') else {
            let end = rest.find('<').unwrap_or(rest.len());
            add(&mut open, &unescape(&rest[..end]), deleted > 0, inserted > 0);
            rest = &rest[end..];
            continue;
        };
        if let Some(data) = body.strip_prefix("![CDATA[") {
            let end = data.find("]]>").unwrap_or(data.len());
            add(&mut open, &data[..end], deleted > 0, inserted > 0);
            rest = data.get(end + 3..).unwrap_or_default();
            continue;
        }
        if body.starts_with("!--") || body.starts_with('?') {
            let mark = if body.starts_with('?') { "?>" } else { "-->" };
            let end = body.find(mark).unwrap_or(body.len());
            out.blocks.push(unescape(&body[..end]).into_owned());
            rest = body.get(end + mark.len()..).unwrap_or_default();
            continue;
        }
        let end = tag_length(body);
        let tag = &body[..end];
        rest = body.get(end + 1..).unwrap_or_default();
        let full = tag
            .trim_start_matches('/')
            .split([' ', '\t', '\r', '\n', '/'])
            .next()
            .unwrap_or_default();
        let name = full.rsplit(':').next().unwrap_or_default();
        let is_end = tag.starts_with('/');
        let is_empty = tag.ends_with('/');
        let step = |count: &mut usize| {
            if is_end {
                *count = count.saturating_sub(1);
            } else if !is_empty {
                *count += 1;
            }
        };
        match name {
            "del" | "moveFrom" => step(&mut deleted),
            "ins" | "moveTo" => step(&mut inserted),
            _ => {}
        }
        if is_end {
            close(&mut open, &mut out);
        } else if !is_empty {
            let is_run = matches!(
                name,
                "r" | "t"
                    | "delText"
                    | "instrText"
                    | "delInstrText"
                    | "ins"
                    | "del"
                    | "moveFrom"
                    | "moveTo"
                    | "hyperlink"
                    | "smartTag"
                    | "sdt"
                    | "sdtContent"
                    | "fldSimple"
                    | "fld"
                    | "ruby"
                    | "rubyBase"
                    | "customXml"
                    | "dir"
                    | "bdo"
                    | "AlternateContent"
                    | "Choice"
                    | "Fallback"
                    | "oMath"
                    | "oMathPara"
            );
            open.push(Open {
                name: name.to_owned(),
                is_block: !is_run,
                text: String::new(),
                accepted: String::new(),
                original: String::new(),
                code: String::new(),
                // Only texts of Word lose white space at their ends.
                is_kept: tag.contains("\"preserve\"")
                    || tag.contains("'preserve'")
                    || full.starts_with("a:")
                    || full.starts_with("m:"),
            });
        } else {
            let sign = match name {
                "tab" | "ptab" => "\t",
                "br" | "cr" => "\n",
                "noBreakHyphen" => "-",
                _ => "",
            };
            let is_run = open.last().is_some_and(|it| it.name == "r" || it.name == "p");
            if is_run && !sign.is_empty() {
                add(&mut open, sign, deleted > 0, inserted > 0);
            }
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut out);
    }
    out
}

/// Returns the length of a tag without its last sign.
fn tag_length(body: &str) -> usize {
    let mut quote = None;
    for (at, it) in body.char_indices() {
        match (quote, it) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(it),
            (Some(open), _) if open == it => quote = None,
            _ => {}
        }
    }
    body.len()
}

/// Adds characters to the innermost element with a text of its own.
fn add(open: &mut [Open], text: &str, is_deleted: bool, is_inserted: bool) {
    let Some(last) = open.last() else { return };
    let is_code = matches!(last.name.as_str(), "instrText" | "delInstrText");
    let is_text = matches!(last.name.as_str(), "t" | "delText");
    let text =
        if is_text && !last.is_kept { text.trim_matches([' ', '\t', '\r', '\n']) } else { text };
    let Some(block) = open.iter_mut().rev().find(|it| it.is_block) else { return };
    if is_code {
        block.code.push_str(text);
        return;
    }
    block.text.push_str(text);
    if !is_deleted {
        block.accepted.push_str(text);
    }
    if !is_inserted {
        block.original.push_str(text);
    }
}

/// Closes an element, and keeps its texts.
fn close(open: &mut Vec<Open>, out: &mut Texts) {
    let Some(last) = open.pop() else { return };
    for other in [&last.accepted, &last.original] {
        if *other != last.text && !other.trim().is_empty() {
            out.blocks.push(other.clone());
        }
    }
    if !last.text.trim().is_empty() {
        out.blocks.push(last.text);
    }
    if !last.code.trim().is_empty() {
        out.codes.push(last.code);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(name: &str, content: &str) -> String {
        let parts = [(name.to_owned(), content.as_bytes().to_vec())];
        let bytes = Zip::empty().rewrite(&parts, &[]).unwrap();
        let words = ["Secret".to_owned(), "John Smith".to_owned()];
        let matcher = Matcher::new(&words, &[]).unwrap();
        match verify(&bytes, &matcher, &Attributes::default()) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_is_left_is_found_without_the_parts() {
        let w = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";
        for (inner, place) in [
            ("<w:p><w:r><w:t>a Secret</w:t></w:r></w:p>", "the text \"a Secret\""),
            (
                "<w:p><w:r><w:t>Sec </w:t></w:r><w:b/><w:r><w:t>&#114;et</w:t></w:r></w:p>",
                "the text",
            ),
            (
                "<w:p><w:r><w:t>Sec</w:t></w:r><w:ins><w:r><w:t>x</w:t></w:r></w:ins><w:r><w:t>ret</w:t></w:r></w:p>",
                "the text",
            ),
            (
                "<w:p><w:r><w:t>Sec</w:t></w:r><w:del><w:r><w:delText>x</w:delText></w:r></w:del><w:r><w:t>ret</w:t></w:r></w:p>",
                "the text",
            ),
            (
                "<w:p><w:r><w:instrText>REF Sec</w:instrText></w:r><w:r><w:instrText>ret</w:instrText></w:r></w:p>",
                "the instruction",
            ),
            (
                "<w:p><w:r><w:t>John</w:t></w:r></w:p><w:p><w:r><w:t>Smith</w:t></w:r></w:p>",
                "in the next paragraph",
            ),
            ("<w:p><!-- Secret --></w:p>", "the text"),
            ("<w:p><w:bookmarkStart w:name=\"Secret\"/></w:p>", "name=\"Secret\""),
            ("<w:p><w:r><w:t><![CDATA[Secret]]></w:t></w:r></w:p>", "the text"),
        ] {
            let found =
                problem("word/document.xml", &format!("<w:document {w}>{inner}</w:document>"));
            assert!(
                found.contains("`word/document.xml`") && found.contains(place),
                "{inner} {found}"
            );
        }
        assert!(problem("word/secret.xml", "<a/>").contains("its name"));
        assert!(problem("word/a.bin", "xx secret xx").contains("its bytes"));
        assert!(problem("word/a.png", "xx secret xx").contains("its data"));
        let fine = "<w:p><w:r><w:t>Sec</w:t></w:r></w:p><w:p><w:r><w:t>ret</w:t></w:r></w:p>";
        assert_eq!(
            problem("word/document.xml", &format!("<w:document {w}>{fine}</w:document>")),
            ""
        );
    }
}
