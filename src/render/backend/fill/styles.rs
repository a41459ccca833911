//! Formats of cells: which of them show dates, and formats that are added.

use std::collections::HashMap;

use super::book::Book;
use super::package::Package;
use crate::shared::xml_tokens::{TagKind, XmlToken, escape, set_attribute, xml_tokens};
use mitt_base::Result;

/// Formats of cells: which of them show dates, and additional ones for dates.
#[derive(Default)]
pub(super) struct Styles {
    part: Option<String>,
    xml: String,
    /// For each format of a cell its tag with its content, and `true` if it shows dates.
    formats: Vec<(String, bool)>,
    added: HashMap<(u32, NumberFormat), u32>,
    /// Codes of new number formats, and their numbers.
    codes: Vec<(u32, String)>,
    /// The largest number of a number format.
    last_code: u32,
}

/// What a cell shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum NumberFormat {
    Date { with_time: bool },
    Code(u32),
}

/// Returns `true` for built-in formats of dates in all languages.
fn is_built_in_date(number: u32) -> bool {
    matches!(number, 14..=22 | 27..=36 | 45..=47 | 50..=58)
}

impl Styles {
    pub(super) fn read(package: &mut Package<'_>, book: &Book) -> Result<Styles> {
        let all = package.relationships(&book.part)?;
        let part = all.into_iter().find(|it| it.kind == "styles").map(|it| it.target);
        let xml = match &part {
            Some(part) => package.text(part)?.unwrap_or_default(),
            None => String::new(),
        };
        let mut styles = Styles { part, last_code: 163, ..Styles::default() };
        let (mut dates, mut in_formats, mut start) = (HashMap::new(), false, None);
        let mut all = xml_tokens(&xml);
        loop {
            let before = all.offset();
            let Some(token) = all.next() else { break };
            let XmlToken::Tag(tag) = token else { continue };
            if tag.opens("numFmt") {
                let code = tag.text("formatCode").unwrap_or_default();
                let number = tag.number("numFmtId").unwrap_or(0);
                styles.last_code = styles.last_code.max(number.min(u32::MAX / 2));
                dates.insert(number, is_date(&code));
            } else if tag.name == "cellXfs" {
                in_formats = tag.kind == TagKind::Open;
            } else if in_formats && tag.opens("xf") {
                let number = tag.number("numFmtId").unwrap_or(0);
                let date = dates.get(&number).copied().unwrap_or_else(|| is_built_in_date(number));
                match tag.kind {
                    TagKind::Empty => styles.formats.push((tag.raw.to_owned(), date)),
                    _ => start = Some((before, date)),
                }
            } else if in_formats
                && tag.closes("xf")
                && let Some((start, date)) = start.take()
            {
                styles.formats.push((xml[start..all.offset()].to_owned(), date));
            }
        }
        styles.xml = xml;
        Ok(styles)
    }

    pub(super) fn shows_dates(&self, style: u32) -> bool {
        self.formats.get(style as usize).is_some_and(|it| it.1)
    }

    /// Returns the format that shows a date and is otherwise like `style`.
    pub(super) fn for_date(&mut self, style: u32, with_time: bool) -> u32 {
        if self.shows_dates(style) {
            return style;
        }
        let number = if with_time { 22 } else { 14 };
        self.add(style, NumberFormat::Date { with_time }, number, true)
    }

    /// Returns the format that shows a number format and is otherwise like `style`.
    pub(super) fn with_code(&mut self, style: u32, code: &str) -> u32 {
        let number = match self.codes.iter().find(|it| it.1 == code) {
            Some((number, _)) => *number,
            None => {
                self.last_code += 1;
                self.codes.push((self.last_code, code.to_owned()));
                self.last_code
            }
        };
        self.add(style, NumberFormat::Code(number), number, is_date(code))
    }

    fn add(&mut self, style: u32, format: NumberFormat, number: u32, shows_dates: bool) -> u32 {
        let key = (style, format);
        if let Some(added) = self.added.get(&key) {
            return *added;
        }
        let Some((like, _)) = self.formats.get(style as usize).cloned() else { return style };
        let end = like.find('>').map_or(like.len(), |at| at + 1);
        let (tag, rest) = like.split_at(end);
        let tag = set_attribute(tag, "numFmtId", &number.to_string());
        let tag = set_attribute(&tag, "applyNumberFormat", "1");
        let added = self.formats.len() as u32;
        self.formats.push((tag + rest, shows_dates));
        self.added.insert(key, added);
        added
    }

    /// Writes the added formats.
    pub(super) fn finish(self, package: &mut Package<'_>) {
        let (Some(part), false) = (&self.part, self.added.is_empty()) else { return };
        let first = self.formats.len() - self.added.len();
        let new: String = self.formats[first..].iter().map(|it| it.0.as_str()).collect();
        let mut out = String::with_capacity(self.xml.len() + new.len());
        let has_codes = xml_tokens(&self.xml)
            .any(|it| matches!(it, XmlToken::Tag(tag) if tag.opens("numFmts") && tag.kind == TagKind::Open));
        let codes = |prefix: &str| -> String {
            let code = |(number, code): &(u32, String)| {
                format!("<{prefix}numFmt numFmtId=\"{number}\" formatCode=\"{}\"/>", quoted(code))
            };
            self.codes.iter().map(code).collect()
        };
        for token in xml_tokens(&self.xml) {
            match token {
                XmlToken::Tag(tag) if tag.opens("numFmts") && !self.codes.is_empty() => {
                    if tag.kind == TagKind::Empty {
                        continue;
                    }
                    let count = tag.number("count").unwrap_or(0) as usize + self.codes.len();
                    out.push_str(&set_attribute(tag.raw, "count", &count.to_string()));
                    out.push_str(&codes(tag.prefix()));
                }
                XmlToken::Tag(tag)
                    if tag.opens("styleSheet") && !has_codes && !self.codes.is_empty() =>
                {
                    let (prefix, count) = (tag.prefix(), self.codes.len());
                    out.push_str(tag.raw);
                    out.push_str(&format!("<{prefix}numFmts count=\"{count}\">"));
                    out.push_str(&codes(prefix));
                    out.push_str(&format!("</{prefix}numFmts>"));
                }
                XmlToken::Tag(tag) if tag.opens("cellXfs") => {
                    out.push_str(&set_attribute(tag.raw, "count", &self.formats.len().to_string()));
                }
                XmlToken::Tag(tag) if tag.closes("cellXfs") => {
                    out.push_str(&new);
                    out.push_str(tag.raw);
                }
                XmlToken::Tag(tag) => out.push_str(tag.raw),
                XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
            }
        }
        package.set(part, out);
    }
}

/// Returns a text for an attribute.
fn quoted(text: &str) -> String {
    escape(text).replace('"', "&quot;")
}

/// Returns `true` if a format code has a letter for dates or times outside of texts, colours and escapes. Letters of eras and
/// their years (`ge`) count in a format without places for digits, as for the readers of workbooks (`plugins/number-format`).
pub(super) fn is_date(code: &str) -> bool {
    let (mut has_digits, mut has_era) = (false, false);
    let mut chars = code.split(';').next().unwrap_or_default().chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => drop(chars.by_ref().find(|c| *c == '"')),
            '\\' | '_' | '*' => drop(chars.next()),
            '[' => {
                let inner: String = chars.by_ref().take_while(|c| *c != ']').collect();
                if inner.chars().all(|c| matches!(c, 'h' | 'm' | 's' | 'H' | 'M' | 'S'))
                    && !inner.is_empty()
                {
                    return true;
                }
            }
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => return true,
            // A weekday in East Asian languages.
            'a' | 'A'
                if chars.as_str().get(..2).is_some_and(|it| it.eq_ignore_ascii_case("aa")) =>
            {
                return true;
            }
            'G' | 'g' if chars.as_str().starts_with("eneral") => drop(chars.by_ref().nth(5)),
            'b' | 'B' | 'e' | 'E' | 'g' | 'G' => has_era = true,
            '0' | '#' | '?' => has_digits = true,
            _ => {}
        }
    }
    has_era && !has_digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_dates_and_of_numbers_are_kept_apart() {
        for (code, expected) in [
            ("yyyy\"年\"m\"月\"", true),
            ("[$-804]yyyy/m/d", true),
            ("[h]:mm", true),
            ("General", false),
            ("#,##0.00 \"days\"", false),
            ("[Red]0.0%;[Blue]d", false),
            ("_d0\\d", false),
            ("0.00E+00", false),
            ("[$-804]aaaa;@", true),
            ("aaa", true),
            ("ggge", true),
            ("0 g", false),
            // The letters of the word `general` do not stand for parts of a date.
            ("general", false),
            ("Gd", true),
            ("[]0", false),
        ] {
            assert_eq!(is_date(code), expected, "{code}");
        }
    }
}
