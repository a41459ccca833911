//! The length of a text for a model: its characters, and an estimate of its tokens.
//!
//! Every model has its own vocabulary, and none of them is here: this is an estimate, and is called one wherever it is
//! shown. Its numbers are fitted to four vocabularies over 750 000 characters (`o200k_base`, `cl100k_base`, DeepSeek V4, the
//! first Qwen) by least squares of the relative errors. They are rounded up where the vocabularies differ most, for Chinese
//! and for digits:
//!
//! | what | tokens |
//! |---|---|
//! | a word of Latin letters | 1.15, and 0.4 for each letter after the tenth |
//! | a capital after a small letter, as in `getName` and base64 | 0.5 |
//! | a digit | 0.9 (some vocabularies have tokens of three digits, others one for each) |
//! | a Chinese, Japanese or Korean character, full-width punctuation | 1 |
//! | a letter of another script, an accented letter | 0.5 |
//! | a picture such as 🙂 | 2; another sign outside of ASCII 1 |
//! | ASCII punctuation | 0.45 |
//! | the end of a line | 0.75 |
//! | a blank after a blank | 0.05; the first one nothing |

use std::ops::{Add, AddAssign, Sub};

// In thousandths of a token.
const WORD: u64 = 1_150;
/// Letters of a word that the price of the word includes; identifiers and base64 are longer.
const LETTERS: u32 = 10;
const LETTER: u64 = 400;
const CAPITAL: u64 = 500;
const DIGIT: u64 = 900;
const WIDE: u64 = 1_000;
const FOREIGN: u64 = 500;
const SIGN: u64 = 1_000;
const PICTURE: u64 = 2_000;
const PUNCTUATION: u64 = 450;
const LINE: u64 = 750;
const BLANK: u64 = 50;

/// Length of a text for a model. Lengths of consecutive lines add up to the length of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextSize {
    /// Unicode scalar values.
    pub characters: u64,
    /// Thousandths of an estimated token.
    thousandths: u64,
}

impl TextSize {
    /// Measures a text.
    pub fn of(text: &str) -> TextSize {
        let mut measure = Measure::default();
        measure.push_text(text);
        measure.size()
    }

    /// Returns an upper bound for a text of `bytes` bytes: each character has at least one byte, and none has more tokens
    /// per byte than the first letter of a word.
    pub fn most_of(bytes: usize) -> TextSize {
        let bytes = bytes as u64;
        TextSize { characters: bytes, thousandths: bytes.saturating_mul(WORD) }
    }

    /// Returns the estimated number of tokens, rounded up.
    pub fn tokens(&self) -> u64 {
        self.thousandths.div_ceil(1_000)
    }

    /// Returns the estimated number of tokens in thousandths.
    pub fn thousandths(&self) -> u64 {
        self.thousandths
    }
}

impl Add for TextSize {
    type Output = TextSize;

    fn add(self, other: TextSize) -> TextSize {
        TextSize {
            characters: self.characters.saturating_add(other.characters),
            thousandths: self.thousandths.saturating_add(other.thousandths),
        }
    }
}

impl AddAssign for TextSize {
    fn add_assign(&mut self, other: TextSize) {
        *self = *self + other;
    }
}

impl Sub for TextSize {
    type Output = TextSize;

    fn sub(self, part: TextSize) -> TextSize {
        TextSize {
            characters: self.characters.saturating_sub(part.characters),
            thousandths: self.thousandths.saturating_sub(part.thousandths),
        }
    }
}

impl std::iter::Sum for TextSize {
    fn sum<I: Iterator<Item = TextSize>>(sizes: I) -> TextSize {
        sizes.fold(TextSize::default(), Add::add)
    }
}

/// Returns the estimated number of tokens of a text.
pub fn estimated(text: &str) -> u64 {
    TextSize::of(text).tokens()
}

/// Measures a text character by character.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure {
    size: TextSize,
    /// Letters of the current word so far.
    letters: u32,
    is_small: bool,
    is_blank: bool,
}

impl Measure {
    /// Returns the length so far.
    pub fn size(&self) -> TextSize {
        self.size
    }

    /// Returns a measure that continues here but starts at zero, for the rest of a line.
    #[must_use]
    pub fn behind(self) -> Measure {
        Measure { size: TextSize::default(), ..self }
    }

    /// Adds a text.
    pub fn push_text(&mut self, text: &str) {
        text.chars().for_each(|character| self.push(character));
    }

    /// Adds one character.
    pub fn push(&mut self, character: char) {
        let Measure { letters, is_small: was_small, is_blank: was_blank, .. } = *self;
        (self.letters, self.is_small, self.is_blank) = (0, character.is_ascii_lowercase(), false);
        self.size.characters += 1;
        self.size.thousandths += match character {
            'a'..='z' | 'A'..='Z' => {
                self.letters = letters.saturating_add(1);
                match letters {
                    0 => WORD,
                    _ if was_small && character.is_ascii_uppercase() => CAPITAL,
                    letters if letters < LETTERS => 0,
                    _ => LETTER,
                }
            }
            '0'..='9' => DIGIT,
            '\n' => LINE,
            ' ' | '\t' | '\r' => {
                self.is_blank = true;
                if was_blank { BLANK } else { 0 }
            }
            '\0'..='\u{7f}' => PUNCTUATION,
            // An accented letter does not end its word.
            '\u{80}'..='\u{24f}' => {
                self.letters = letters;
                FOREIGN
            }
            '\u{250}'..='\u{1fff}' => FOREIGN,
            '\u{3000}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff00}'..='\u{ffef}'
            | '\u{20000}'..='\u{3ffff}' => WIDE,
            '\u{2000}'..='\u{ffff}' => SIGN,
            _ => PICTURE,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens that four vocabularies make of texts: `o200k_base`, `cl100k_base`, DeepSeek V4, Qwen. The estimate lies
    /// between half of the least and one and a half times the most of them.
    const COUNTED: [(&str, &str, [u64; 4]); 13] = [
        (
            "English",
            "Total revenue grew by twelve percent compared to the previous year, driven mainly by subscriptions in Europe and Asia.",
            [21, 21, 21, 21],
        ),
        (
            "Chinese",
            "本公司二〇二五年度营业收入较上年同期增长，主要原因是海外订阅业务和云服务收入持续扩大。",
            [29, 49, 24, 24],
        ),
        (
            "traditional Chinese",
            "本公司營業收入較去年同期成長，主要係因海外訂閱業務與雲端服務收入持續擴大所致。",
            [33, 56, 23, 25],
        ),
        (
            "mixed",
            "2025 年 DAU 同比增长 12.5%，ARPU 为 3.20 USD，参见 Appendix B。",
            [27, 31, 27, 34],
        ),
        (
            "JSON",
            "{\"name\": \"sales.xlsx\", \"rows\": [[1, 2.5, \"North\"], [2, 3.75, \"South\"]], \"ok\": true, \"next\": null}",
            [43, 43, 44, 44],
        ),
        (
            "table",
            "| Month | Revenue | Cost |\n| --- | ---: | ---: |\n| 2025-01 | 120345.10 | 98000.00 |\n| 2025-02 | 130777.95 | 99120.45 |\n",
            [54, 54, 54, 78],
        ),
        (
            "code",
            "fn main() {\n    let total: u64 = rows.iter().map(|row| row.amount).sum();\n    println!(\"{total}\");\n}\n",
            [29, 29, 31, 30],
        ),
        (
            "Japanese",
            "売上高は前年同期比で十二パーセント増加しました。主な要因は海外事業の拡大です。",
            [31, 39, 30, 31],
        ),
        (
            "Korean",
            "매출은 전년 대비 증가했으며 주요 원인은 해외 구독 사업의 확대입니다.",
            [20, 40, 25, 27],
        ),
        (
            "Russian",
            "Выручка выросла на двенадцать процентов по сравнению с прошлым годом.",
            [19, 33, 21, 25],
        ),
        (
            "German",
            "Der Umsatz stieg gegenüber dem Vorjahr um zwölf Prozent, vor allem durch Abonnements.",
            [19, 25, 22, 24],
        ),
        (
            "base64",
            "TWl0dCByZWFkcyBkb2N1bWVudHMgaW4gYSBzYW5kYm94IGFuZCBnaXZlcyB0aGVtIHRvIG1vZGVscw==",
            [55, 58, 55, 59],
        ),
        ("pictures", "🙂🎉🚀👍🏽❤️", [9, 17, 11, 7]),
    ];

    #[test]
    fn the_estimate_is_near_what_vocabularies_count() {
        for (what, text, counted) in COUNTED {
            let (least, most) = (counted.iter().min().unwrap(), counted.iter().max().unwrap());
            let estimated = estimated(text);
            assert!(
                estimated * 2 >= *least && estimated * 2 <= most * 3,
                "{what}: {estimated}, {counted:?}"
            );
        }
    }

    #[test]
    fn no_text_has_more_tokens_than_its_bytes_may_have() {
        let all = (0..=0x3_FFFF_u32).filter_map(char::from_u32);
        for text in all.map(String::from).chain(COUNTED.iter().map(|(_, text, _)| (*text).into())) {
            let (size, most) = (TextSize::of(&text), TextSize::most_of(text.len()));
            assert!(
                size.characters <= most.characters && size.thousandths <= most.thousandths,
                "{text:?}"
            );
        }
    }

    #[test]
    fn sizes_of_lines_add_up() {
        let text =
            "# 年报 2025\n\nRevenue grew by 12.5 % to 1,234,567.\n| a  | b |\n🙂 café привет\n";
        let lines: TextSize = text.split_inclusive('\n').map(TextSize::of).sum();
        assert_eq!(lines, TextSize::of(text));
        assert_eq!(lines.characters, text.chars().count() as u64);
        assert_eq!((estimated(""), estimated("a"), estimated("年"), estimated("  ")), (0, 2, 1, 1));
    }

    #[test]
    fn what_is_no_word_costs_more() {
        let base64 = "QmFzZTY0".repeat(100);
        assert!(estimated(&base64) > 200, "{}", estimated(&base64));
        assert!(estimated(&"word ".repeat(160)) < 200);
    }
}
