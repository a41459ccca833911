//! Cells in the source of a row: where they are and what they say. Nothing is built that is not asked for.

use crate::refs::{self, At};
use crate::value::{ErrorCode, Scalar};
use crate::xml::{Tag, TagKind, XmlToken, first_tag, inner_text, unescape, xml_tokens};
use memchr::{memchr, memmem};

/// A cell in the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellSource<'a> {
    /// Its whole element.
    pub(crate) raw: &'a str,
    /// Offset of the element in the row.
    pub(crate) start: usize,
    pub(crate) column: u32,
    pub(crate) has_address: bool,
}

/// A formula in the source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FormulaSource {
    /// The text without `=`; empty in the followers of a shared formula.
    pub(crate) text: String,
    pub(crate) kind: FormulaKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FormulaKind {
    Normal,
    /// Its group; its text is that of the first cell of the group.
    Shared(u32),
    /// The cells that it fills; `true` if it spills by itself.
    Array(String, bool),
    DataTable,
}

impl<'a> CellSource<'a> {
    pub(crate) fn tag(&self) -> Option<Tag<'a>> {
        first_tag(self.raw)
    }

    pub(crate) fn style(&self) -> u32 {
        self.tag().and_then(|tag| tag.number("s")).unwrap_or(0)
    }

    pub(crate) fn has_formula(&self) -> bool {
        self.raw.contains("<f") || self.raw.contains(":f")
    }

    /// Returns type and source of the value of a cell that has nothing else, as nearly all have; `None` for others.
    pub(crate) fn simple(&self) -> Option<(&'a str, &'a str)> {
        let bytes = self.raw.as_bytes();
        let open = memchr(b'>', bytes)? + 1;
        if !bytes.get(open..)?.starts_with(b"<v>") {
            return None;
        }
        let start = open + 3;
        let end = start + memchr(b'<', bytes.get(start..)?)?;
        if !bytes.get(end..)?.starts_with(b"</v></") {
            return None;
        }
        let tag = &bytes[..open];
        let kind = match tag.windows(4).position(|it| it == b" t=\"") {
            Some(at) => {
                let rest = self.raw.get(at + 4..open)?;
                rest.get(..memchr(b'"', rest.as_bytes())?)?
            }
            // In other quotation marks, or behind other blanks.
            None if tag.windows(2).any(|it| it == b"t=") => return None,
            None => "n",
        };
        Some((kind, self.raw.get(start..end)?))
    }

    pub(crate) fn formula(&self) -> Option<FormulaSource> {
        if !self.has_formula() {
            return None;
        }
        let mut all = xml_tokens(self.raw);
        let tag = loop {
            match all.next()? {
                XmlToken::Tag(tag) if tag.opens("f") => break tag,
                _ => {}
            }
        };
        let mut text = String::new();
        if tag.kind == TagKind::Open {
            for token in all {
                match token {
                    XmlToken::Text(raw) => text.push_str(&unescape(raw)),
                    XmlToken::Other(raw) => {
                        let inner =
                            raw.strip_prefix("<![CDATA[").and_then(|it| it.strip_suffix("]]>"));
                        text.push_str(inner.unwrap_or_default());
                    }
                    XmlToken::Tag(_) => break,
                }
            }
        }
        let area = || tag.text("ref").unwrap_or_default();
        let kind = match tag.attribute("t") {
            Some("shared") => match tag.number("si") {
                Some(group) => FormulaKind::Shared(group),
                None => FormulaKind::Normal,
            },
            Some("array") => {
                let spills = self.tag().is_some_and(|tag| tag.attribute("cm").is_some());
                FormulaKind::Array(area(), spills)
            }
            Some("dataTable") => FormulaKind::DataTable,
            _ => FormulaKind::Normal,
        };
        // Some writers repeat the `=`.
        let text = text.strip_prefix('=').map_or(text.clone(), str::to_owned);
        // XML reads both ends of lines as one.
        Some(FormulaSource { text: text.trim().replace("\r\n", "\n"), kind })
    }

    /// Returns the stored value. `shared` returns the text with a number.
    pub(crate) fn value(&self, shared: &dyn Fn(usize) -> Option<String>) -> Scalar {
        let Some(tag) = self.tag() else { return Scalar::Empty };
        if tag.kind == TagKind::Empty {
            return Scalar::Empty;
        }
        let kind = tag.attribute("t").unwrap_or("n");
        if kind == "inlineStr" {
            let inline = crate::xml::element(self.raw, "is").map(|it| it.1);
            return inline.map_or(Scalar::Empty, |it| Scalar::text(super::strings::plain(it)));
        }
        let Some(raw) = self.value_text() else {
            let is_text = kind == "str" && (self.raw.contains("<v") || self.raw.contains(":v"));
            return if is_text { Scalar::text("") } else { Scalar::Empty };
        };
        match kind {
            "s" => {
                let text = raw.trim().parse().ok().and_then(shared);
                text.map_or(Scalar::Empty, Scalar::text)
            }
            "str" => Scalar::text(super::strings::decoded(&unescape(raw))),
            "b" => Scalar::Bool(matches!(raw.trim(), "1" | "true")),
            "e" => Scalar::Error(ErrorCode::read(raw.trim()).unwrap_or(ErrorCode::Value)),
            "d" => match crate::moment::serial(raw.trim(), false) {
                Some((serial, _)) => Scalar::Number(serial),
                None => Scalar::text(raw),
            },
            _ => match raw.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => Scalar::Number(number),
                _ if raw.trim().is_empty() => Scalar::Empty,
                _ => Scalar::text(inner_text(raw)),
            },
        }
    }

    /// Returns `true` if a formula has no stored value, as other libraries than Excel write it.
    pub(crate) fn lacks_value(&self) -> bool {
        let bytes = self.raw.as_bytes();
        let is_filled = memmem::find(bytes, b"<v>")
            .and_then(|at| bytes.get(at + 3))
            .is_some_and(|it| *it != b'<' && !it.is_ascii_whitespace());
        // The number of a shared text is as good as the text here.
        !is_filled && self.value(&|_| Some(String::new())) == Scalar::Empty
    }

    /// Returns the source of `<v>`.
    pub(crate) fn value_text(&self) -> Option<&'a str> {
        let mut all = xml_tokens(self.raw);
        loop {
            match all.next()? {
                XmlToken::Tag(tag) if tag.opens("v") => {
                    if tag.kind == TagKind::Empty {
                        return None;
                    }
                    let start = all.offset();
                    let end = memchr(b'<', self.raw.as_bytes().get(start..)?)?;
                    return self.raw.get(start..start + end);
                }
                _ => {}
            }
        }
    }
}

/// Returns the cells of a row in their order. `row` is the whole element of the row.
pub(crate) fn cells(row: &str) -> CellSources<'_> {
    let start = row.find('>').map_or(row.len(), |at| at + 1);
    CellSources { row, at: start, column: 0 }
}

pub(crate) struct CellSources<'a> {
    row: &'a str,
    at: usize,
    column: u32,
}

impl<'a> Iterator for CellSources<'a> {
    type Item = CellSource<'a>;

    fn next(&mut self) -> Option<CellSource<'a>> {
        let bytes = self.row.as_bytes();
        loop {
            let start = self.at + memchr(b'<', bytes.get(self.at..)?)?;
            let end = start + memchr(b'>', bytes.get(start..)?)? + 1;
            let tag = self.row.get(start..end)?;
            let name_end =
                tag[1..].find(|it: char| it.is_ascii_whitespace() || matches!(it, '>' | '/'));
            let name = &tag[1..1 + name_end.unwrap_or(0)];
            let (prefix, local) = name.rsplit_once(':').unwrap_or(("", name));
            if local != "c" {
                self.at = end;
                continue;
            }
            let whole = if tag.ends_with("/>") {
                end
            } else {
                let close = match prefix {
                    "" => memchr::memchr_iter(b'<', &bytes[end..])
                        .find(|at| bytes[end + at..].starts_with(b"</c>"))
                        .map(|at| at + 4),
                    prefix => {
                        let close = format!("</{prefix}:c>");
                        memmem::find(&bytes[end..], close.as_bytes()).map(|at| at + close.len())
                    }
                };
                end + close?
            };
            self.at = whole;
            let address = address(tag).and_then(refs::cell);
            self.column = address.map_or(self.column + 1, |it: At| it.column);
            return Some(CellSource {
                raw: self.row.get(start..whole)?,
                start,
                column: self.column,
                has_address: address.is_some(),
            });
        }
    }
}

/// Returns the attribute `r` of a tag, which nearly always comes first.
pub(crate) fn address(tag: &str) -> Option<&str> {
    let at = tag.find(" r=")?;
    let rest = tag.get(at + 3..)?;
    let mark = rest.chars().next()?;
    let inner = rest.get(1..)?;
    inner.find(mark).and_then(|end| inner.get(..end))
}

/// Returns the tag at the beginning of a row.
pub(crate) fn head_tag(row: &str) -> &str {
    row.find('>').map_or(row, |at| &row[..=at])
}

/// Returns the column of the last cell; `None` if that is not plain to see.
pub(crate) fn last_column(row: &str) -> Option<u32> {
    // The last cell begins at the last `<c `.
    let at = memmem::rfind(row.as_bytes(), b"<c ")?;
    Some(refs::cell(address(row.get(at..)?.split('>').next()?)?)?.column)
}
