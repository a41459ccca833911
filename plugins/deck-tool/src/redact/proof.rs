//! Reads the result again, by itself: all entries unpacked, tags taken away, entities decoded, files in files opened.
//!
//! Shares with the pass that blackens what is searched and what belongs to the format, and not how text is found.

use crate::escape::unescape;
use crate::redact::decode;
use crate::redact::part::decoded;
use crate::redact::policy::{self, Role};
use crate::redact::terms::Terms;
use mitt_package::Zip;

/// Deepest level of files in files.
pub(crate) const MAX_DEPTH: usize = 3;
/// Names of folders and files that programs of Office give; a digit may follow.
const NAMES: &[&str] = &[
    "ppt",
    "xl",
    "word",
    "docprops",
    "_rels",
    "customxml",
    "slides",
    "slide",
    "slidelayouts",
    "slidelayout",
    "slidemasters",
    "slidemaster",
    "notesslides",
    "notesslide",
    "notesmasters",
    "notesmaster",
    "handoutmasters",
    "handoutmaster",
    "theme",
    "themes",
    "themeoverride",
    "presentation",
    "presprops",
    "viewprops",
    "tablestyles",
    "media",
    "image",
    "audio",
    "video",
    "charts",
    "chart",
    "chartex",
    "style",
    "colors",
    "drawings",
    "drawing",
    "vmldrawing",
    "diagrams",
    "data",
    "layout",
    "quickstyle",
    "embeddings",
    "microsoft_excel_sheet",
    "microsoft_excel_worksheet",
    "microsoft_office_excel_worksheet",
    "microsoft_word_document",
    "oleobject",
    "package",
    "comments",
    "comment",
    "commentauthors",
    "authors",
    "moderncomment",
    "tags",
    "tag",
    "item",
    "itemprops",
    "app",
    "core",
    "custom",
    "thumbnail",
    "fonts",
    "font",
    "printersettings",
    "activex",
    "ctrlprops",
    "workbook",
    "worksheets",
    "sheet",
    "sharedstrings",
    "styles",
    "tables",
    "table",
    "calcchain",
    "document",
    "settings",
    "websettings",
    "fonttable",
    "numbering",
    "footnotes",
    "endnotes",
    "header",
    "footer",
    "redacted",
    "part",
    "[content_types]",
];

/// Returns `true` if the name of a part has a hit that is not a name which programs give.
pub(crate) fn has_named_hit(name: &str, terms: &Terms) -> bool {
    if !terms.hit(name) {
        return false;
    }
    let is_usual = |segment: &str| {
        let stem = segment.split('.').next().unwrap_or(segment).to_ascii_lowercase();
        let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.is_empty() || NAMES.contains(&stem)
    };
    // Across segments too, except in names that are usual from end to end.
    !name.split('/').all(is_usual)
}

/// Searches a package. Returns the place of the first hit.
pub(crate) fn leftover(bytes: &[u8], terms: &Terms) -> Result<Option<String>, String> {
    let zip = Zip::open(bytes.to_vec())?;
    // No reader shows what stands between entries, in additional fields and in comments.
    if hidden(bytes).unwrap_or_default().iter().any(|it| decode::hit(it, terms)) {
        return Ok(Some("bytes of the archive that belong to no part".to_owned()));
    }
    package(&zip, terms, 0)
}

fn package(zip: &Zip, terms: &Terms, depth: usize) -> Result<Option<String>, String> {
    for name in zip.names() {
        if has_named_hit(name, terms) {
            return Ok(Some(format!("the name of `{name}`")));
        }
        let bytes = zip.read(name)?.unwrap_or_default();
        if let Some(place) = entry(name, bytes, terms, depth)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

fn entry(
    name: &str,
    bytes: Vec<u8>,
    terms: &Terms,
    depth: usize,
) -> Result<Option<String>, String> {
    if bytes.starts_with(b"PK\x03\x04") && depth < MAX_DEPTH {
        let Ok(nested) = Zip::open(bytes) else {
            return Ok(Some(format!("`{name}`, which cannot be opened")));
        };
        let found = package(&nested, terms, depth + 1)?;
        return Ok(found.map(|it| format!("{it} in `{name}`")));
    }
    let found = match decode::xml(&bytes) {
        Some(text) => Reader::new(name, terms).run(&text),
        None => decode::hit(&bytes, terms).then(|| "bytes".to_owned()),
    };
    Ok(found.map(|it| format!("{it} in `{name}`")))
}

/// Returns the bytes of an archive that are not the content or the name of an entry; `None` if its directory cannot be read.
fn hidden(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let number = |at: usize, length: usize| {
        let bytes = bytes.get(at..at + length)?;
        Some(bytes.iter().rev().fold(0_usize, |it, byte| it << 8 | usize::from(*byte)))
    };
    let mut ends = (0..=bytes.len().checked_sub(22)?).rev().take(1 << 17);
    let end = ends.find(|&at| bytes[at..].starts_with(b"PK\x05\x06"))?;
    let start = number(end + 16, 4)?;
    let mut out = Vec::new();
    let mut entries = Vec::new();
    let mut at = start;
    while bytes.get(at..)?.starts_with(b"PK\x01\x02") {
        let (name, extra, comment) =
            (number(at + 28, 2)?, number(at + 30, 2)?, number(at + 32, 2)?);
        let behind = at + 46 + name;
        out.push(bytes.get(behind..behind + extra + comment)?);
        let local = number(at + 42, 4)?;
        let data = local + 30 + number(local + 26, 2)? + number(local + 28, 2)?;
        out.push(bytes.get(local + 30 + number(local + 26, 2)?..data)?);
        entries.push((local, data + number(at + 20, 4)?));
        at = behind + extra + comment;
    }
    out.push(&bytes[at..]);
    entries.sort_unstable();
    let mut copied = 0;
    for (local, end) in entries {
        out.push(bytes.get(copied..local).unwrap_or_default());
        copied = end;
    }
    out.push(bytes.get(copied..start).unwrap_or_default());
    Some(out)
}

struct Frame {
    local: String,
    /// Value of the attribute `t`.
    kind: String,
    /// Its text, from here to its end, is read as one.
    collects: bool,
}

struct Reader<'a> {
    part: &'a str,
    terms: &'a Terms,
    frames: Vec<Frame>,
    /// Level of the element whose text is collected.
    from: Option<usize>,
    text: String,
    found: Option<String>,
}

impl<'a> Reader<'a> {
    fn new(part: &'a str, terms: &'a Terms) -> Self {
        Self { part, terms, frames: Vec::new(), from: None, text: String::new(), found: None }
    }

    fn run(mut self, xml: &str) -> Option<String> {
        let mut rest = xml;
        while !rest.is_empty() && self.found.is_none() {
            let (token, behind) = token(rest);
            rest = behind;
            match token {
                Token::Text(text) => self.characters(&unescape(text)),
                Token::Data(text) => self.characters(text),
                Token::Note(text) => {
                    if !text.starts_with("<?xml ") && self.terms.hit(text) {
                        self.found = Some("a comment".to_owned());
                    }
                }
                Token::Tag(tag) => self.tag(tag),
            }
        }
        self.found
    }

    fn tag(&mut self, tag: &str) {
        let inner = tag.trim_start_matches('<').trim_end_matches('>');
        let is_end = inner.starts_with('/');
        let is_empty = inner.ends_with('/');
        let inner = inner.trim_matches('/');
        let name = inner.split(char::is_whitespace).next().unwrap_or_default();
        let local = name.rsplit(':').next().unwrap_or_default().to_owned();
        if policy::breaks(&local) && self.from.is_some() {
            self.text.push('\n');
        }
        if is_end {
            self.end();
            return;
        }
        let mut kind = String::new();
        for (name, value) in attributes(&inner[name.len()..]) {
            let value = unescape(value);
            if name == "t" {
                kind = value.clone().into_owned();
            }
            self.attribute(&local, name, &value);
        }
        let collects = policy::is_block(&local);
        if collects && self.from.is_none() {
            self.from = Some(self.frames.len());
        }
        self.frames.push(Frame { local, kind, collects });
        if is_empty {
            self.end();
        }
    }

    fn attribute(&mut self, element: &str, name: &str, value: &str) {
        if name.starts_with("xmlns") || self.part.eq_ignore_ascii_case("[Content_Types].xml") {
            return;
        }
        let local = name.rsplit(':').next().unwrap_or(name);
        let is_leak = match (self.part.ends_with(".rels"), local) {
            // Names of parts are checked as such.
            (true, "Target") => {
                let is_address = value.contains(':') || value.contains("%");
                is_address && (self.terms.hit(value) || self.terms.hit(&decoded(value)))
            }
            (true, _) => false,
            (false, _) => {
                self.terms.hit(value)
                    && !matches!(
                        policy::attribute(self.part, element, local, value),
                        Role::Number | Role::Keyword
                    )
            }
        };
        if is_leak {
            self.found = Some(format!("the attribute `{local}` of `{element}`"));
        }
    }

    fn characters(&mut self, text: &str) {
        if self.frames.is_empty() {
            return;
        }
        if self.from.is_none() {
            if text.trim().is_empty() {
                return;
            }
            // An element with text of its own: all text in it is read as one.
            self.from = Some(self.frames.len() - 1);
            if let Some(frame) = self.frames.last_mut() {
                frame.collects = true;
            }
        }
        self.text.push_str(text);
    }

    fn end(&mut self) {
        let level = self.frames.len().saturating_sub(1);
        if self.from == Some(level) {
            self.check(level);
            self.from = None;
            self.text.clear();
        }
        self.frames.pop();
    }

    fn check(&mut self, level: usize) {
        if !self.terms.hit(&self.text) {
            return;
        }
        let local = |up: usize| level.checked_sub(up).map_or("", |it| &*self.frames[it].local);
        let kind = level.checked_sub(1).map_or("", |it| &*self.frames[it].kind);
        let role = policy::text(self.part, local(0), [local(1), local(2)], kind, &self.text);
        if !matches!(role, Role::Number | Role::Keyword) {
            self.found = Some(format!("the text of `{}`", local(0)));
        }
    }
}

enum Token<'a> {
    Text(&'a str),
    Data(&'a str),
    /// A comment or an instruction.
    Note(&'a str),
    Tag(&'a str),
}

/// Returns the first token of XML, and the rest.
fn token(xml: &str) -> (Token<'_>, &str) {
    let until = |end: &str| xml.find(end).map_or(xml.len(), |it| it + end.len());
    if !xml.starts_with('<') {
        let (text, rest) = xml.split_at(xml.find('<').unwrap_or(xml.len()));
        return (Token::Text(text), rest);
    }
    if xml.starts_with("<![CDATA[") {
        let (data, rest) = xml.split_at(until("]]>"));
        return (Token::Data(data[9..].trim_end_matches("]]>")), rest);
    }
    if xml.starts_with("<!--") {
        let (note, rest) = xml.split_at(until("-->"));
        return (Token::Note(note), rest);
    }
    if xml.starts_with("<?") || xml.starts_with("<!") {
        let (note, rest) = xml.split_at(until(">"));
        return (Token::Note(note), rest);
    }
    let mut quote = None;
    let end = xml.char_indices().find(|&(_, c)| match (quote, c) {
        (Some(open), _) => {
            if open == c {
                quote = None;
            }
            false
        }
        (None, '"' | '\'') => {
            quote = Some(c);
            false
        }
        (None, c) => c == '>',
    });
    let (tag, rest) = xml.split_at(end.map_or(xml.len(), |(at, _)| at + 1));
    (Token::Tag(tag), rest)
}

/// Returns names and values of the attributes of a tag.
fn attributes(mut rest: &str) -> Vec<(&str, &str)> {
    let mut out = Vec::new();
    while let Some((name, behind)) = rest.split_once('=') {
        let behind = behind.trim_start();
        let Some(quote) = behind.chars().next().filter(|it| matches!(it, '"' | '\'')) else {
            break;
        };
        let value = &behind[1..];
        let end = value.find(quote).unwrap_or(value.len());
        out.push((name.trim(), &value[..end]));
        rest = value.get(end + 1..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Reader, Terms, has_named_hit};

    fn found(part: &str, xml: &str) -> Option<String> {
        let words = ["Falcon", "body", "12.5"].map(str::to_owned);
        Reader::new(part, &Terms::new(&words, &[]).unwrap()).run(xml)
    }

    #[test]
    fn text_is_read_across_runs_and_not_across_paragraphs() {
        let slide = "ppt/slides/slide1.xml";
        let split = "<s><a:p><a:r><a:t>Fal</a:t></a:r><a:r><a:rPr b='>'/><a:t>c&#111;n</a:t></a:r></a:p></s>";
        assert_eq!(found(slide, split).as_deref(), Some("the text of `p`"));
        assert_eq!(found(slide, "<s><a:p><a:t>Fal</a:t></a:p><a:p><a:t>con</a:t></a:p></s>"), None);
        assert_eq!(
            found(slide, "<s><x>Fal<![CDATA[con]]></x></s>").as_deref(),
            Some("the text of `x`")
        );
        assert_eq!(found(slide, "<s><!-- falcon --></s>").as_deref(), Some("a comment"));
    }

    #[test]
    fn attributes_are_read_and_words_of_the_format_are_not() {
        let slide = "ppt/slides/slide1.xml";
        assert!(found(slide, "<s><cNvPr descr=\"my FALCON\"/></s>").is_some());
        assert!(found(slide, "<s><ph type=\"body\"/></s>").is_none());
        assert!(found("customXml/item1.xml", "<s type=\"body\"/>").is_some());
        assert!(found("ppt/charts/chart1.xml", "<c><c:pt><c:v>12.5</c:v></c:pt></c>").is_some());
        assert!(
            found("ppt/slides/_rels/slide1.xml.rels", "<R><R Target=\"http://f%41lcon.com\"/></R>")
                .is_some()
        );
    }

    #[test]
    fn usual_names_of_parts_are_no_hits() {
        let terms = Terms::new(&["slide".to_owned(), "falcon".to_owned()], &[]).unwrap();
        assert!(!has_named_hit("ppt/slides/_rels/slide12.xml.rels", &terms));
        assert!(has_named_hit("ppt/media/falcon2.png", &terms));
    }
}
