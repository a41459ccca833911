//! Reads the texts of cells: shared strings and inline strings.

use super::scan::{Damage, Scanner, Tag, Token, cut_off};
use crate::intake::{MAX_CELLS, too_many_cells_error, too_much_text_error};
use crate::item::Item;
use mitt_reader_kit::Error;
use mitt_reader_kit::scripts::{Script, Scripted};
use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

/// The shared strings of a workbook.
#[derive(Default)]
pub(crate) struct Strings {
    pub(crate) items: Vec<Item>,
    /// Number of bytes that count against the limit of the workbook.
    pub(super) bytes: usize,
    /// Why strings at the end are missing.
    pub(super) damage: Option<Damage>,
}

impl Strings {
    /// Reads the strings of their part. There may be no more of them than cells, because an empty one takes memory too.
    ///
    /// `item` makes the item of a text.
    pub(super) fn read(
        part: impl Read,
        max_bytes: usize,
        item: impl Fn(&str) -> Item,
    ) -> Result<Self, Error> {
        let mut strings = Self::default();
        let mut scanner = Scanner::new(part);
        let mut text = Vec::new();
        loop {
            match scanner.next() {
                Ok(Some(Token::Start(tag))) if tag.name == b"si" => {
                    text.clear();
                    if !tag.is_empty
                        && let Err(damage) = read_text(&mut scanner, b"si", &mut text)
                    {
                        strings.damage = Some(damage);
                        return Ok(strings);
                    }
                    let item = item(&unescape_units(&String::from_utf8_lossy(&text)));
                    if let Item::Text(text) = &item {
                        strings.bytes += text.len();
                    }
                    strings.items.push(item);
                    if strings.bytes > max_bytes {
                        return Err(too_much_text_error());
                    }
                    if strings.items.len() > MAX_CELLS {
                        return Err(too_many_cells_error());
                    }
                }
                Ok(Some(Token::End(b"sst"))) => return Ok(strings),
                Ok(Some(Token::Start(tag))) if tag.name == b"sst" && tag.is_empty => {
                    return Ok(strings);
                }
                Ok(Some(_)) => {}
                Ok(None) => {
                    strings.damage = Some(cut_off(b"sst"));
                    return Ok(strings);
                }
                Err(damage) => {
                    strings.damage = Some(damage);
                    return Ok(strings);
                }
            }
        }
    }
}

/// Reads the text of an element that has just begun: one run, or several with their own formats.
pub(super) fn read_text(
    scanner: &mut Scanner<impl Read>,
    name: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), Damage> {
    // Ruby text is not part of the text.
    let mut is_hint = false;
    let begin = out.len();
    let mut script = None;
    // Superscripts and subscripts, as ranges of bytes in `out`.
    let mut raised: Vec<(Range<usize>, Script)> = Vec::new();
    loop {
        match scanner.next()?.ok_or_else(|| cut_off(name))? {
            Token::Start(tag) if tag.name == b"r" => script = None,
            Token::Start(tag) if tag.name == b"vertAlign" => {
                script = match tag.attribute(b"val") {
                    Some(b"superscript") => Some(Script::Above),
                    Some(b"subscript") => Some(Script::Below),
                    _ => None,
                };
            }
            Token::Start(tag) if tag.name == b"rPh" => is_hint = !tag.is_empty,
            Token::End(b"rPh") => is_hint = false,
            Token::Start(tag) if tag.name == b"t" && !is_hint && !tag.is_empty => {
                let keeps_space = keeps_space(&tag);
                let from = out.len();
                scanner.text(b"t", out)?;
                if !keeps_space {
                    trim(out, from);
                }
                if let Some(script) = script.filter(|_| out.len() > from) {
                    raised.push((from..out.len(), script));
                }
            }
            Token::End(b"r") => script = None,
            Token::End(end) if end == name => {
                if !raised.is_empty() {
                    write_raised(out, begin, &raised);
                }
                return Ok(());
            }
            _ => {}
        }
    }
}

/// Marks superscripts and subscripts of `out` from `begin` on.
fn write_raised(out: &mut Vec<u8>, begin: usize, raised: &[(Range<usize>, Script)]) {
    let mut text = Scripted::default();
    let mut at = begin;
    for (range, script) in raised {
        text.push(&String::from_utf8_lossy(&out[at..range.start]), None);
        text.push(&String::from_utf8_lossy(&out[range.clone()]), Some(*script));
        at = range.end;
    }
    text.push(&String::from_utf8_lossy(&out[at..]), None);
    out.truncate(begin);
    out.extend(text.finish().into_bytes());
}

fn keeps_space(tag: &Tag<'_>) -> bool {
    tag.attribute(b"xml:space") == Some(b"preserve")
}

/// Removes white space at both ends of the text after `from`.
fn trim(out: &mut Vec<u8>, from: usize) {
    let added = &out[from..];
    let leading = added.len() - added.trim_ascii_start().len();
    let kept = added.trim_ascii_end().len();
    out.truncate(from + kept);
    out.drain(from..(from + leading).min(from + kept));
}

/// Decodes `_x000D_`, which Excel writes for a UTF-16 unit that XML cannot hold, and `_x005F_` for a `_` that would
/// look like the start of such an escape (ECMA-376 part 1, 22.9.2.19).
pub(crate) fn unescape_units(text: &str) -> Cow<'_, str> {
    const LENGTH: usize = "_x000D_".len();
    if !text.contains("_x") {
        return Cow::Borrowed(text);
    }
    let unit = |text: &str| {
        let digits = text.get(..LENGTH)?.strip_prefix("_x")?.strip_suffix('_')?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let mut units = Vec::new();
        while let Some(unit) = unit(rest) {
            units.push(unit);
            rest = &rest[LENGTH..];
        }
        if units.is_empty() {
            out.push_str("_x");
            rest = &rest[2..];
        }
        let characters = char::decode_utf16(units);
        out.extend(characters.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::text_item;

    #[test]
    fn units_that_xml_cannot_hold() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a_x000D_b", "a\rb"),
            ("_x005F_x000D_", "_x000D_"),
            ("_xD83D__xDCF7_!", "\u{1F4F7}!"),
            ("_xD83D_ _x00e9_", "\u{fffd} é"),
            ("_x12_ _xZZZZ_ max_x", "_x12_ _xZZZZ_ max_x"),
            ("_x+123_", "_x+123_"),
            ("_x年年年年_", "_x年年年年_"),
        ] {
            assert_eq!(unescape_units(text), expected);
        }
    }

    #[test]
    fn pieces_without_space_and_without_hints() {
        let xml = "<sst><si><r><t xml:space=\"preserve\">a </t></r><r><t> b\n</t></r><rPh><t>no</t></rPh></si>\
                   <si/><si><t/></si><si><t>   </t></si><x:si><x:t>c</x:t></x:si></sst>";
        let strings = Strings::read(xml.as_bytes(), 100, text_item).unwrap();
        let texts: Vec<_> = strings.items.iter().map(|item| item.text().into_owned()).collect();
        assert_eq!(texts, ["a b", "", "", "", "c"]);
        assert_eq!((strings.bytes, strings.damage), (4, None));
        assert!(Strings::read(xml.as_bytes(), 3, text_item).is_err());
        let cut = Strings::read(&xml.as_bytes()[..xml.len() - 20], 100, text_item).unwrap();
        assert_eq!((cut.items.len(), cut.damage.is_some()), (4, true));
    }

    #[test]
    fn raised_and_lowered_runs_are_told_from_the_line() {
        let run = |text: &str, align: &str| {
            format!("<r><rPr><sz val=\"11\"/><vertAlign val=\"{align}\"/></rPr><t>{text}</t></r>")
        };
        let xml = format!(
            "<sst><si><r><t xml:space=\"preserve\">10</t></r>{}<r><t xml:space=\"preserve\"> t</t></r></si>\
             <si><r><t>CO</t></r>{}</si><si>{}{}</si><si><r><t>H</t></r>{}<r><t>O</t></r></si></sst>",
            run("6", "superscript"),
            run("2", "subscript"),
            run("4", "baseline"),
            run("5", "superscript"),
            run("2", "subscript"),
        );
        let strings = Strings::read(xml.as_bytes(), 100, text_item).unwrap();
        let texts: Vec<_> = strings.items.iter().map(|item| item.text().into_owned()).collect();
        assert_eq!(texts, ["10⁶ t", "CO₂", "4⁵", "H₂O"]);
    }
}
