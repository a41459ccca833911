//! The workbook part: sheets, names, shared texts and number formats.

use std::collections::HashMap;

use super::package::{Package, damaged};
use crate::shared::xml_tokens::{TagKind, XmlToken, unescape, xml_tokens};
use mitt_base::error::InputProblem;
use mitt_base::{Error, Result};

/// A sheet.
#[derive(Clone, Debug)]
pub(super) struct SheetPart {
    pub(super) name: String,
    pub(super) part: String,
}

/// A defined name.
#[derive(Clone, Debug)]
pub(super) struct Defined {
    pub(super) name: String,
    pub(super) formula: String,
}

pub(super) struct Book {
    pub(super) part: String,
    pub(super) xml: String,
    /// Sheets in the order of their tabs, including those that are no worksheets.
    pub(super) sheets: Vec<SheetPart>,
    pub(super) names: Vec<Defined>,
    /// `true` if dates count from 1904.
    pub(super) from_1904: bool,
    /// `true` if it contains a program.
    pub(super) has_macros: bool,
    pub(super) external_links: usize,
    by_name: HashMap<String, usize>,
}

impl Book {
    pub(super) fn read(package: &mut Package<'_>) -> Result<Book> {
        let root = package.relationships("")?;
        let part = root.iter().find(|it| it.kind == "officeDocument" && !it.external);
        let Some(part) = part.map(|it| it.target.clone()) else {
            return Err(not_a_workbook(package));
        };
        if part.to_lowercase().ends_with(".bin") {
            return Err(Error::input("the template is a binary workbook (`.xlsb`)")
                .with_problem(InputProblem::UnsupportedType)
                .hint("open it in Excel and save it as `.xlsx`"));
        }
        let xml = package.text(&part)?.filter(|xml| is_workbook(xml));
        let Some(xml) = xml else { return Err(not_a_workbook(package)) };
        if package.names().any(|name| name.starts_with("_xmlsignatures/")) {
            return Err(Error::input("the template is signed, and no signature outlives a change")
                .with_problem(InputProblem::UnsupportedType)
                .hint("take the signature away in Excel (File, Info) and give that file"));
        }
        if package.names().any(|name| name.starts_with("xl/revisions/")) {
            return Err(Error::input("the template keeps a log of changes by many users")
                .with_problem(InputProblem::UnsupportedType)
                .hint("end the sharing in Excel (Review, Unshare Workbook) and give that file"));
        }
        let relationships = package.relationships(&part)?;
        let target = |id: &str| {
            relationships.iter().find(|it| it.id == id && !it.external).map(|it| it.target.clone())
        };
        let mut book = Book {
            sheets: Vec::new(),
            names: Vec::new(),
            from_1904: false,
            has_macros: package.names().any(|name| name.to_lowercase().ends_with("vbaproject.bin")),
            external_links: relationships.iter().filter(|it| it.kind == "externalLink").count(),
            by_name: HashMap::new(),
            part,
            xml: String::new(),
        };
        let mut open: Option<Defined> = None;
        for token in xml_tokens(&xml) {
            match token {
                XmlToken::Tag(tag) if tag.opens("sheet") => {
                    let name = tag.text("name").unwrap_or_default();
                    // Macro sheets of the first version have no part of their own.
                    let part = tag.text("id").and_then(|id| target(&id)).unwrap_or_default();
                    book.by_name.insert(name.to_lowercase(), book.sheets.len());
                    book.sheets.push(SheetPart { name, part });
                }
                XmlToken::Tag(tag) if tag.opens("workbookPr") => {
                    book.from_1904 =
                        tag.attribute("date1904").is_some_and(|it| matches!(it, "1" | "true"));
                }
                XmlToken::Tag(tag) if tag.opens("definedName") && tag.kind == TagKind::Open => {
                    open = Some(Defined {
                        name: tag.text("name").unwrap_or_default(),
                        formula: String::new(),
                    });
                }
                XmlToken::Tag(tag) if tag.closes("definedName") => book.names.extend(open.take()),
                XmlToken::Text(text) => {
                    if let Some(open) = &mut open {
                        open.formula.push_str(&unescape(text));
                    }
                }
                _ => {}
            }
        }
        if book.sheets.is_empty() {
            return Err(damaged("it has no sheets"));
        }
        book.xml = xml;
        Ok(book)
    }

    /// Returns the index of a sheet by its name.
    pub(super) fn sheet(&self, name: &str) -> Option<usize> {
        self.by_name.get(&name.to_lowercase()).copied()
    }
}

fn is_workbook(xml: &str) -> bool {
    let root = xml_tokens(xml).find_map(|token| match token {
        XmlToken::Tag(tag) => Some(tag.name),
        _ => None,
    });
    root == Some("workbook")
}

#[cold]
fn not_a_workbook(package: &Package<'_>) -> Error {
    let other = match () {
        () if package.has("word/document.xml") => "a Word document",
        () if package.has("ppt/presentation.xml") => "a presentation",
        () if package.has("content.xml") => "a file of OpenDocument",
        () => "something else",
    };
    Error::input(format!(
        "expected a workbook of Excel (`.xlsx`, `.xlsm`) as a template, got {other}"
    ))
    .with_problem(InputProblem::UnsupportedType)
    .hint("open it in Excel or LibreOffice and save it as `.xlsx`")
}

/// Shared texts of cells, as source between their tags.
pub(super) struct Texts<'a> {
    pub(super) items: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    pub(super) fn read(xml: &'a str) -> Texts<'a> {
        let mut items = Vec::new();
        let mut all = xml_tokens(xml);
        let mut start = None;
        loop {
            let before = all.offset();
            let Some(token) = all.next() else { return Texts { items } };
            let XmlToken::Tag(tag) = token else { continue };
            if tag.opens("si") {
                match tag.kind {
                    TagKind::Empty => items.push(""),
                    _ => start = Some(all.offset()),
                }
            } else if tag.closes("si")
                && let Some(start) = start.take()
            {
                items.push(&xml[start..before]);
            }
        }
    }
}

/// Returns a shared or an inline text without phonetic readings, and `true` if it has several formats.
pub(super) fn plain(item: &str) -> (String, bool) {
    let (mut text, mut in_text, mut reading, mut rich) = (String::new(), false, 0_u32, false);
    for token in xml_tokens(item) {
        match token {
            XmlToken::Tag(tag) if tag.name == "t" => in_text = tag.kind == TagKind::Open,
            XmlToken::Tag(tag) if tag.name == "rPh" => match tag.kind {
                TagKind::Open => reading += 1,
                TagKind::Close => reading = reading.saturating_sub(1),
                TagKind::Empty => {}
            },
            XmlToken::Tag(tag) if tag.opens("r") => rich = true,
            XmlToken::Text(raw) if in_text && reading == 0 => text.push_str(&unescape(raw)),
            XmlToken::Other(raw) if in_text && reading == 0 => {
                let inner = raw.strip_prefix("<![CDATA[").and_then(|it| it.strip_suffix("]]>"));
                text.push_str(inner.unwrap_or_default());
            }
            _ => {}
        }
    }
    (decoded(&text), rich)
}

/// Decodes escapes such as `_x000D_`.
pub(super) fn decoded(text: &str) -> String {
    if !text.contains("_x") {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let code = rest.get(2..6).filter(|_| rest.as_bytes().get(6) == Some(&b'_'));
        let digits = code.filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|it| char::from_u32(u32::from_str_radix(it, 16).ok()?)) {
            Some(c) => {
                out.push(c);
                rest = &rest[7..];
            }
            None => {
                out.push_str("_x");
                rest = &rest[2..];
            }
        }
    }
    out + rest
}

/// Encodes text so that no part of it is read as such an escape.
pub(super) fn encoded(text: &str) -> String {
    if !text.contains("_x") && !text.contains("_X") {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        let is_code = c == '_'
            && matches!(bytes.get(at + 1), Some(b'x' | b'X'))
            && bytes.get(at + 2..at + 6).is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit))
            && bytes.get(at + 6) == Some(&b'_');
        out.push_str(if is_code { "_x005F" } else { "" });
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_whole_and_codes_in_them_are_kept_apart() {
        let xml = "<sst><si><t>a&amp;b</t></si><si/><si><r><rPr/><t>{{x</t></r><r><t>}}_x000A_</t></r><rPh><t>no</t></rPh></si></sst>";
        let texts = Texts::read(xml);
        let all: Vec<_> = texts.items.iter().map(|it| plain(it)).collect();
        assert_eq!(all, [("a&b".into(), false), (String::new(), false), ("{{x}}\n".into(), true)]);
        for text in ["_x0041_", "a_x_x00FF_b", "_X0041_", "_x004", "__x0041__"] {
            assert_eq!(decoded(&encoded(text)).to_lowercase(), text.to_lowercase());
        }
        assert_eq!(encoded("_x0041_"), "_x005F_x0041_");
        // What is no code stays as it is.
        for text in ["_x004_", "_x00G1_", "_x0041", "x0041_", "_y0041_", "a_b_X_"] {
            assert_eq!((encoded(text), decoded(text)), (text.to_owned(), text.to_owned()));
        }
        let sections = "<t><![CDATA[a<b]]></t><rPh sb=\"0\" eb=\"1\"><t><![CDATA[no]]></t></rPh><x><![CDATA[no]]></x>";
        assert_eq!(plain(sections), ("a<b".into(), false));
    }
}
