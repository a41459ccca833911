//! What formulas ask of cells besides their values: formats, and the phonetic readings of Japanese texts.

use super::cell::CellSource;
use super::strings::{decoded, plain};
use super::styles::CellLook;
use super::workbook::Book;
use crate::refs::At;
use crate::width::narrow;
use crate::xml::{TagKind, XmlToken, elements, find_tag, unescape, xml_tokens};

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

    /// Returns the source of a shared or an inline text.
    fn text_source<'a>(&'a self, cell: &CellSource<'a>) -> Option<&'a str> {
        match cell.tag()?.attribute("t")? {
            "s" => self.shared_item(cell.value_text()?.trim().parse().ok()?),
            "inlineStr" => elements(cell.raw, "is").first().map(|it| it.1),
            _ => None,
        }
    }
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
