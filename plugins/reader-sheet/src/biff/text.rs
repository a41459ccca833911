//! Decodes text in old workbooks: in a code page before Excel 97, in Unicode since.

use crate::bytes::{u16_at, u32_at, utf16};
use crate::value::in_scripts;
use crate::xlsb::script;
use encoding_rs::{Encoding, MACINTOSH, UTF_16LE, WINDOWS_1252};
use mitt_reader_kit::scripts::Script;
use oem_cp::code_table_type::TableType;

/// Decoder of a code page.
#[derive(Clone, Copy)]
pub(super) enum CodePage {
    Known(&'static Encoding),
    /// A DOS code page that `encoding_rs` does not have.
    Dos(&'static TableType),
    /// Latin-1: each byte is the code point.
    Latin,
}

impl CodePage {
    /// Returns the code page with a number; `None` for an unknown number.
    pub(super) fn of(number: u16) -> Option<Self> {
        Some(match number {
            1200 => Self::Latin,
            // ASCII, and the Windows and Macintosh code pages of the first versions.
            367 | 0x8001 => Self::Known(WINDOWS_1252),
            0x8000 => Self::Known(MACINTOSH),
            _ => match codepage::to_encoding(number) {
                Some(encoding) if encoding == UTF_16LE => Self::Latin,
                Some(encoding) => Self::Known(encoding),
                None => Self::Dos(oem_cp::code_table::DECODING_TABLE_CP_MAP.get(&number)?),
            },
        })
    }

    pub(super) fn decode(self, bytes: &[u8]) -> String {
        match self {
            Self::Known(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
            Self::Dos(table) => table.decode_string_lossy(bytes),
            Self::Latin => bytes.iter().map(|byte| char::from(*byte)).collect(),
        }
    }
}

/// Characters of a record and its continuations. Each continuation sets the width of its characters anew.
pub(super) struct Segments<'a> {
    current: &'a [u8],
    rest: std::slice::Iter<'a, &'a [u8]>,
}

impl<'a> Segments<'a> {
    pub(super) fn new(first: &'a [u8], rest: &'a [&'a [u8]]) -> Self {
        Self { current: first, rest: rest.iter() }
    }

    pub(super) fn is_empty(&mut self) -> bool {
        while self.current.is_empty() {
            let Some(next) = self.rest.next() else { return true };
            self.current = next;
        }
        false
    }

    fn skip(&mut self, mut length: usize) -> Option<()> {
        while length > 0 {
            if self.is_empty() {
                return None;
            }
            let step = length.min(self.current.len());
            self.current = &self.current[step..];
            length -= step;
        }
        Some(())
    }

    /// Returns text of `count` characters, after the flags with their width.
    pub(super) fn characters(&mut self, count: usize, flags: u8) -> Option<String> {
        let mut text = String::new();
        let mut is_wide = flags & 1 != 0;
        let mut left = count;
        // The end of a record may split a surrogate pair.
        let mut wide = Vec::new();
        while left > 0 {
            if self.current.is_empty() {
                if self.is_empty() {
                    return None;
                }
                is_wide = self.current[0] & 1 != 0;
                self.current = &self.current[1..];
            }
            let width = if is_wide { 2 } else { 1 };
            let available = left.min(self.current.len() / width);
            if available == 0 {
                return None;
            }
            let (bytes, rest) = self.current.split_at(available * width);
            if is_wide {
                wide.extend_from_slice(bytes);
            } else {
                wide.extend(bytes.iter().flat_map(|byte| [*byte, 0]));
            }
            self.current = rest;
            left -= available;
        }
        text.push_str(&utf16(&wide));
        Some(text)
    }

    /// Returns a shared string. Of its formatting, only superscripts and subscripts are read.
    pub(super) fn shared_string(&mut self, scripts: &Fonts) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let (count, flags) = (u16_at(self.current, 0)?, *self.current.get(2)?);
        self.current = &self.current[3..];
        let mut behind = 0_usize;
        let mut n_runs = 0;
        if flags & 8 != 0 {
            n_runs = usize::from(u16_at(self.current, 0)?);
            self.current = &self.current[2..];
        }
        if flags & 4 != 0 {
            behind = behind.saturating_add(u32_at(self.current, 0)? as usize);
            self.current = &self.current[4..];
        }
        let text = self.characters(count.into(), flags)?;
        if !scripts.has_any() {
            self.skip(behind.saturating_add(4 * n_runs))?;
            return Some(text);
        }
        let mut runs = Vec::new();
        for _ in 0..n_runs {
            runs.push(self.bytes()?);
        }
        self.skip(behind)?;
        Some(scripts.write(&text, &runs))
    }

    /// Returns the next four bytes, which may be in two records.
    fn bytes(&mut self) -> Option<[u8; 4]> {
        let mut bytes = [0; 4];
        for byte in &mut bytes {
            if self.is_empty() {
                return None;
            }
            *byte = self.current[0];
            self.current = &self.current[1..];
        }
        Some(bytes)
    }
}

/// Fonts of a workbook that are superscripts or subscripts.
#[derive(Default)]
pub(super) struct Fonts(Vec<Option<Script>>);

impl Fonts {
    /// Adds the record of a font.
    pub(super) fn push(&mut self, data: &[u8]) {
        self.0.push(u16_at(data, 8).and_then(script));
    }

    fn has_any(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    fn get(&self, index: u16) -> Option<Script> {
        // No workbook has a font with the number 4.
        let index = usize::from(index);
        self.0.get(if index > 4 { index - 1 } else { index }).copied().flatten()
    }

    /// Returns the text with superscripts and subscripts marked. Each run has the index of a character and of a font,
    /// two bytes each.
    fn write(&self, text: &str, runs: &[[u8; 4]]) -> String {
        let run = |run: &[u8; 4]| {
            let [at, font] = [[run[0], run[1]], [run[2], run[3]]].map(u16::from_le_bytes);
            (at.into(), self.get(font))
        };
        in_scripts(text, runs.iter().map(run))
    }

    /// Returns the text of a cell whose runs follow the text.
    pub(super) fn write_cell(&self, text: String, runs: &[u8], is_wide: bool) -> String {
        if !self.has_any() {
            return text;
        }
        let runs: Vec<[u8; 4]> = if is_wide {
            let runs = runs.get(2..).unwrap_or_default().chunks_exact(4);
            runs.map(|run| [run[0], run[1], run[2], run[3]]).collect()
        } else {
            let runs = runs.get(1..).unwrap_or_default().chunks_exact(2);
            runs.map(|run| [run[0], 0, run[1], 0]).collect()
        };
        self.write(&text, &runs)
    }
}

/// Returns Unicode text: a length of two bytes, flags, characters.
pub(super) fn unicode(data: &[u8]) -> Option<String> {
    let count = u16_at(data, 0)?;
    // Programs omit the flags if there are no characters.
    if count == 0 {
        return Some(String::new());
    }
    Segments::new(data.get(3..)?, &[]).characters(count.into(), data[2])
}

/// Returns text in a code page: `count` bytes, or as many as there are.
pub(super) fn bytes(data: &[u8], count: usize, code_page: CodePage) -> String {
    code_page.decode(&data[..count.min(data.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_pages_of_all_kinds() {
        for (number, bytes, expected) in [
            (1252, &b"caf\xe9"[..], "café"),
            (936, b"\xd6\xd0\xce\xc4", "中文"),
            (932, b"\x93\xfa\x96\x7b", "日本"),
            (437, b"\x82\xe1", "éß"),
            (850, b"\x9b", "ø"),
            (866, b"\x8f", "П"),
            (10000, b"\x8e", "é"),
            (0x8000, b"\x8e", "é"),
            (0x8001, b"\xe9", "é"),
            (1200, b"\xe9", "é"),
        ] {
            assert_eq!(CodePage::of(number).unwrap().decode(bytes), expected, "{number}");
        }
        assert!(CodePage::of(4711).is_none());
    }

    #[test]
    fn strings_go_on_in_the_next_record() {
        let plain = Fonts::default();
        let rest: [&[u8]; 2] = [b"\x01c\0d\0", b"\0e"];
        let mut segments = Segments::new(b"\x05\0\0ab", &rest);
        assert_eq!(segments.shared_string(&plain).unwrap(), "abcde");
        assert!(segments.is_empty());
        let mut rich = Segments::new(b"\x01\0\x0c\x01\0\x02\0\0\0x....", &[b"..\x01\0\0y"]);
        assert_eq!(rich.shared_string(&plain).unwrap(), "x");
        assert_eq!(rich.shared_string(&plain).unwrap(), "y");
        assert_eq!(Segments::new(b"\x05\0\0ab", &[]).shared_string(&plain), None);
    }

    #[test]
    fn runs_of_raised_fonts_are_seen_across_records() {
        let font = |escapement: u8| [&[0; 8][..], &[escapement, 0, 0]].concat();
        let mut fonts = Fonts::default();
        for escapement in [0, 0, 0, 0, 1, 2] {
            fonts.push(&font(escapement));
        }
        // The text is `1062`. The font 5, which is the fifth, begins at 2, and the font 6 begins at 3.
        let first = b"\x04\0\x08\x02\x001062\x02\0\x05";
        let rest: [&[u8]; 1] = [b"\0\x03\0\x06\0"];
        let text = Segments::new(first, &rest).shared_string(&fonts).unwrap();
        assert_eq!(text, "10⁶₂");
        let cut = Segments::new(first, &[]).shared_string(&fonts);
        assert_eq!(cut, None);
        assert_eq!(fonts.write_cell("106".into(), b"\x01\x02\x05", false), "10⁶");
        assert_eq!(fonts.write_cell("106".into(), b"\x01\0\x02\0\x05\0", true), "10⁶");
        assert_eq!(fonts.write_cell("106".into(), b"", true), "106");
    }
}
