//! What formulas ask of cells besides their values: formats, widths of columns, and the phonetic readings of Japanese texts.

use super::cell::CellSource;
use super::strings::{decoded, plain};
use super::styles::CellLook;
use super::workbook::Book;
use crate::refs::At;
use crate::width::narrow;
use crate::xml::{
    TagKind, XmlToken, children, element, elements, find_tag, first_tag, unescape, xml_tokens,
};

/// Pixels of a digit in the usual fonts, Calibri 11 and Arial 10, and of the space that a stored width has more than its digits.
const DIGIT: f64 = 7.0;
const PADDING: f64 = 5.0;

/// Digits in a column without a width of its own.
const DEFAULT_WIDTH: f64 = 8.0;

impl Book {
    /// Returns text and reading of a cell; `None` if it has a formula or no text.
    pub(crate) fn reading(&self, sheet: usize, at: At) -> Option<(String, String)> {
        let cell = self.sheets.get(sheet)?.text.as_ref()?.cell(at)?;
        if cell.has_formula() {
            return None;
        }
        let item = self.text_source(&cell)?;
        let text = plain(item);
        let reading = read(item, &text);
        Some((text, reading))
    }

    /// Returns the format of a cell; `None` if it is not stored.
    pub(crate) fn look(&self, sheet: usize, at: At) -> Option<CellLook> {
        let cell = self.sheets.get(sheet)?.text.as_ref()?.cell(at)?;
        Some(self.styles.cell_look(cell.style()))
    }

    /// Returns the width of a column in digits as Excel shows it, rounded, and `true` if it is the default of the sheet. That of
    /// a hidden column is 0.
    pub(crate) fn column_width(&self, sheet: usize, column: u32) -> (f64, bool) {
        let head = self.sheets.get(sheet).and_then(|it| it.text.as_ref()).map_or("", |it| &it.head);
        let number = |raw: Option<&str>| raw.and_then(|it| it.trim().parse::<f64>().ok());
        let columns = element(head, "cols").map(|it| children(it.1)).unwrap_or_default();
        let own = columns.into_iter().filter_map(first_tag).find(|tag| {
            let (min, max) = (tag.number("min").unwrap_or(0), tag.number("max").unwrap_or(0));
            (min..=max).contains(&column)
        });
        let is = |name: &str| {
            own.and_then(|it| it.attribute(name)).is_some_and(|it| matches!(it, "1" | "true"))
        };
        let format = find_tag(head, "sheetFormatPr").map(|it| it.1);
        let own_width = number(own.and_then(|it| it.attribute("width")));
        let default = number(format.and_then(|it| it.attribute("defaultColWidth")));
        let digits = match own_width.or(default) {
            _ if is("hidden") => 0.0,
            Some(width) => digits(width),
            None => {
                number(format.and_then(|it| it.attribute("baseColWidth"))).unwrap_or(DEFAULT_WIDTH)
            }
        };
        (digits.clamp(0.0, 255.0).round(), !is("customWidth"))
    }

    /// Returns the source of a shared or an inline text.
    fn text_source<'a>(&'a self, cell: &CellSource<'a>) -> Option<&'a str> {
        match cell.tag()?.attribute("t")? {
            "s" => self.shared_item(cell.value_text()?.trim().parse().ok()?),
            "inlineStr" => elements(cell.raw, "is").first().map(|it| it.1),
            _ => None,
        }
    }
}

/// Returns the digits of a stored width.
fn digits(width: f64) -> f64 {
    let pixels = width * DIGIT;
    if pixels < DIGIT + PADDING { pixels / (DIGIT + PADDING) } else { (pixels - PADDING) / DIGIT }
}

/// How readings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    AsWritten,
    Katakana,
    NarrowKatakana,
    Hiragana,
}

impl Script {
    fn of(item: &str) -> Self {
        let Some((_, tag)) = find_tag(item, "phoneticPr") else { return Self::AsWritten };
        match tag.attribute("type") {
            Some("Hiragana") => Self::Hiragana,
            Some("halfwidthKatakana") => Self::NarrowKatakana,
            Some("noConversion") => Self::AsWritten,
            _ => Self::Katakana,
        }
    }

    fn written(self, reading: &str) -> String {
        let moved =
            |c: char, by: i32| char::from_u32(u32::from(c).wrapping_add_signed(by)).unwrap_or(c);
        let katakana = || {
            let letters = reading.chars();
            letters.map(|it| if ('ぁ'..='ゖ').contains(&it) { moved(it, 0x60) } else { it })
        };
        match self {
            Self::AsWritten => reading.to_owned(),
            Self::Katakana => katakana().collect(),
            Self::NarrowKatakana => narrow(&katakana().collect::<String>()),
            Self::Hiragana => {
                let letters = reading.chars();
                letters
                    .map(|it| if ('ァ'..='ヶ').contains(&it) { moved(it, -0x60) } else { it })
                    .collect()
            }
        }
    }
}

/// Returns a text with the readings in the place of the characters that have some.
fn read(item: &str, text: &str) -> String {
    let script = Script::of(item);
    let units: Vec<u16> = text.encode_utf16().collect();
    let (mut out, mut copied) = (String::new(), 0);
    for (_, run) in elements(item, "rPh") {
        let Some((_, tag)) = find_tag(run, "rPh") else { continue };
        let (Some(start), Some(end)) = (tag.number("sb"), tag.number("eb")) else { continue };
        let (start, end) = (start as usize, end as usize);
        // Runs stand in the order of the text; others cannot be meant.
        if start < copied || end < start || end > units.len() {
            continue;
        }
        out += &String::from_utf16_lossy(&units[copied..start]);
        out += &script.written(&decoded(&run_text(run)));
        copied = end;
    }
    out + &String::from_utf16_lossy(&units[copied..])
}

fn run_text(run: &str) -> String {
    let (mut text, mut is_inside) = (String::new(), false);
    for token in xml_tokens(run) {
        match token {
            XmlToken::Tag(tag) if tag.name == "t" => is_inside = tag.kind == TagKind::Open,
            XmlToken::Text(raw) if is_inside => text.push_str(&unescape(raw)),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_stand_in_the_place_of_their_characters() {
        let item = |properties: &str| {
            format!(
                "<t>東京の駅</t><rPh sb=\"0\" eb=\"2\"><t>トウキョウ</t></rPh><rPh sb=\"3\" eb=\"4\"><t>えき</t></rPh>{properties}"
            )
        };
        for (properties, expected) in [
            ("", "トウキョウのえき"),
            ("<phoneticPr fontId=\"1\"/>", "トウキョウのエキ"),
            ("<phoneticPr fontId=\"1\" type=\"Hiragana\"/>", "とうきょうのえき"),
            ("<phoneticPr fontId=\"1\" type=\"halfwidthKatakana\"/>", "ﾄｳｷｮｳのｴｷ"),
            ("<phoneticPr fontId=\"1\" type=\"noConversion\"/>", "トウキョウのえき"),
        ] {
            assert_eq!(read(&item(properties), "東京の駅"), expected);
        }
        let wrong = "<t>駅</t><rPh sb=\"0\" eb=\"9\"><t>エキ</t></rPh>";
        assert_eq!(read(wrong, "駅"), "駅");
    }
}
