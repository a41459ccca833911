//! Parses RTF to groups, control words and decoded text.
//!
//! The crates on crates.io know neither code pages of fonts nor `\bin`, and lose Chinese text. Interprets only control words
//! about encodings; the readers interpret the others.

mod pages;

use encoding_rs::{Encoding, WINDOWS_1252};
use std::collections::HashMap;

/// Most nested groups with their own settings. Deeper ones share those of the group around them.
const MAX_GROUPS: usize = 2_000;
/// Most fonts of a file.
const MAX_FONTS: usize = 10_000;
/// Most bytes of a control word.
const MAX_WORD: usize = 32;

/// An event in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// `\word12`: its name and number.
    Word(&'a str, Option<i32>),
    /// `\*`, `\~` and the like.
    Symbol(char),
    /// Decoded text.
    Text(String),
    /// Binary data, and its length in bytes.
    Binary(usize),
}

/// The settings of a group.
#[derive(Clone, Copy)]
struct Setting {
    /// The number of fallback characters after a Unicode character, for older programs.
    fallback: usize,
    /// `None` before a font is selected.
    font: Option<i32>,
    is_font_table: bool,
}

/// An iterator over the events of a file.
pub struct Reader<'a> {
    rest: &'a [u8],
    page: &'static Encoding,
    default_font: i32,
    fonts: HashMap<i32, u8>,
    setting: Setting,
    groups: Vec<Setting>,
    /// The number of open groups without their own settings.
    deeper: usize,
    /// The number of fallback characters still to be skipped.
    skip: usize,
    text: String,
    /// Text that is not decoded yet.
    bytes: Vec<u8>,
    /// The first half of a surrogate pair.
    half: Option<u16>,
    next: Option<Event<'a>>,
}

impl<'a> Reader<'a> {
    /// Reads these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            page: WINDOWS_1252,
            default_font: 0,
            fonts: HashMap::new(),
            setting: Setting { fallback: 1, font: None, is_font_table: false },
            groups: Vec::new(),
            deeper: 0,
            skip: 0,
            text: String::new(),
            bytes: Vec::new(),
            half: None,
            next: None,
        }
    }

    /// Returns the encoding of text whose font declares none.
    pub fn page(&self) -> &'static Encoding {
        self.page
    }

    fn byte(&mut self, byte: u8) {
        if self.skip > 0 {
            self.skip -= 1;
        } else {
            self.bytes.push(byte);
        }
    }

    fn decode(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        if self.half.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
        let font = self.setting.font.unwrap_or(self.default_font);
        let charset = self.fonts.get(&font).copied();
        let bytes = std::mem::take(&mut self.bytes);
        if charset == Some(pages::SYMBOL) {
            self.text.extend(bytes.into_iter().map(pages::symbol));
            return;
        }
        let page = charset.and_then(pages::of_charset).unwrap_or(self.page);
        self.text.push_str(&page.decode_without_bom_handling(&bytes).0);
    }

    /// Adds a unit of UTF-16.
    fn unit(&mut self, number: i32) {
        self.decode();
        let unit = number as u16;
        match (self.half.take(), unit) {
            (Some(first), 0xDC00..=0xDFFF) => {
                let decoded = char::decode_utf16([first, unit]).next();
                self.text.extend(decoded.and_then(Result::ok));
            }
            (_, 0xD800..=0xDBFF) => self.half = Some(unit),
            // Symbol fonts use a private range of Unicode.
            (_, 0xF000..=0xF0FF) => self.text.push(pages::symbol(unit as u8)),
            (_, 0xDC00..=0xDFFF) => self.text.push(char::REPLACEMENT_CHARACTER),
            _ => self.text.extend(char::from_u32(unit.into())),
        }
        self.skip = self.setting.fallback;
    }

    /// Applies a control word about encodings.
    fn set(&mut self, word: &str, number: Option<i32>) {
        match (word, number) {
            ("ansicpg", Some(number)) => {
                if let Some(page) = pages::of_number(number) {
                    self.page = page;
                }
            }
            ("mac", _) => self.page = encoding_rs::MACINTOSH,
            ("deff", Some(number)) => self.default_font = number,
            ("uc", number) => self.setting.fallback = number.unwrap_or(1).clamp(0, 64) as usize,
            ("f", Some(number)) => self.setting.font = Some(number),
            ("plain", _) => self.setting.font = None,
            ("fonttbl", _) => self.setting.is_font_table = true,
            ("fcharset", Some(number)) if self.setting.is_font_table => {
                if let (Some(font), Ok(charset)) = (self.setting.font, u8::try_from(number))
                    && self.fonts.len() < MAX_FONTS
                {
                    self.fonts.insert(font, charset);
                }
            }
            _ => {}
        }
    }

    fn open(&mut self) {
        if self.groups.len() < MAX_GROUPS {
            self.groups.push(self.setting);
        } else {
            self.deeper += 1;
        }
    }

    fn close(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if let Some(setting) = self.groups.pop() {
            self.setting = setting;
        }
    }

    /// Parses the text after a backslash. `None` if it is text.
    fn control(&mut self) -> Option<Event<'a>> {
        let first = *self.rest.first()?;
        if !first.is_ascii_alphabetic() {
            self.rest = self.rest.get(1..).unwrap_or_default();
            return self.symbol(first);
        }
        let end =
            self.rest.iter().take(MAX_WORD).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, rest) = self.rest.split_at(end);
        let word = std::str::from_utf8(word).unwrap_or_default();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits =
            rest.iter().skip(sign).take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = rest.split_at(if digits > 0 { sign + digits } else { 0 });
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
        self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
        if word == "bin" {
            let length = usize::try_from(number.unwrap_or(0)).unwrap_or(0).min(self.rest.len());
            self.rest = self.rest.get(length..).unwrap_or_default();
            self.skip = self.skip.saturating_sub(1);
            return Some(Event::Binary(length));
        }
        if let ("u", Some(number)) = (word, number) {
            self.skip = 0;
            self.unit(number);
            return None;
        }
        // A control word counts as a fallback character.
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        Some(Event::Word(word, number))
    }

    fn symbol(&mut self, symbol: u8) -> Option<Event<'a>> {
        match symbol {
            b'\'' => {
                let digit = |at: usize| self.rest.get(at).and_then(|it| (*it as char).to_digit(16));
                let byte = digit(0).zip(digit(1)).map(|(high, low)| (high * 16 + low) as u8);
                if let Some(byte) = byte {
                    self.rest = self.rest.get(2..).unwrap_or_default();
                    self.byte(byte);
                }
                None
            }
            b'\\' | b'{' | b'}' => {
                self.byte(symbol);
                None
            }
            _ if self.skip > 0 => {
                self.skip -= 1;
                None
            }
            b'\r' | b'\n' => Some(Event::Word("par", None)),
            b'\t' => Some(Event::Word("tab", None)),
            _ => Some(Event::Symbol(symbol as char)),
        }
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(event) = self.next.take() {
            return Some(self.given(event));
        }
        while let Some((first, rest)) = self.rest.split_first() {
            self.rest = rest;
            let event = match first {
                b'{' => {
                    self.skip = 0;
                    Some(Event::Open)
                }
                b'}' => {
                    self.skip = 0;
                    Some(Event::Close)
                }
                b'\\' => self.control(),
                b'\r' | b'\n' | 0 => None,
                byte => {
                    self.byte(*byte);
                    None
                }
            };
            let Some(event) = event else { continue };
            // The text so far belongs to the old settings.
            self.decode();
            if self.text.is_empty() {
                return Some(self.given(event));
            }
            self.next = Some(event);
            return Some(Event::Text(std::mem::take(&mut self.text)));
        }
        self.decode();
        (!self.text.is_empty()).then(|| Event::Text(std::mem::take(&mut self.text)))
    }
}

impl<'a> Reader<'a> {
    /// Applies an event before it is returned.
    fn given(&mut self, event: Event<'a>) -> Event<'a> {
        match &event {
            Event::Open => self.open(),
            Event::Close => self.close(),
            Event::Word(word, number) => self.set(word, *number),
            _ => {}
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rtf: &[u8]) -> String {
        Reader::new(rtf)
            .filter_map(|event| match event {
                Event::Text(text) => Some(text),
                Event::Word("par", _) => Some("\n".into()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn text_is_decoded_by_page_font_and_unicode() {
        for (rtf, expected) in [
            (r"{\rtf1\ansi\ansicpg936 \'c4\'ea\'b1\'a8 a}", "年报 a"),
            (r"{\rtf1\ansi\ansicpg950 \'a6~\'b3\'f8}", "年報"),
            (r"{\rtf1\ansicpg1252{\fonttbl{\f1\fcharset128 x;}}\f1 \'94\'4e\f0\'e9}", "x;年é"),
            (r"{\u24180?\u-30515?x}", "年裍x"),
            (r"{\uc2\u24180\'c4\'ea!}", "年!"),
            (r"{\uc0\u24180 !}{\u8364 ?}", "年!€"),
            (r"{\u-10179?\u-8704?}", "😀"),
            (r"a\{b\}\\c\par d", "a{b}\\c\nd"),
            ("a\\bin5 {{{{{b", "ab"),
            (r"{\f3{\fonttbl{\f3\fcharset2 S;}}\f3\'b7}", "S;•"),
        ] {
            assert_eq!(text(rtf.as_bytes()), expected, "{rtf}");
        }
    }

    #[test]
    fn hostile_files_end() {
        let deep =
            [b"{".repeat(100_000), b"x".to_vec(), b"}".repeat(200_000), b"y".to_vec()].concat();
        assert_eq!(text(&deep), "xy");
        for rtf in [
            &b"\\"[..],
            b"\\'",
            b"\\'4",
            b"\\u",
            b"\\bin99999999999 x",
            b"\\u99999999999 x",
            b"\\-",
            b"\\bin-4 x",
        ] {
            text(rtf);
        }
    }
}
