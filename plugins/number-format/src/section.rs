//! Parses one section of a number format, such as `[Red]#,##0.00` or `yyyy-mm-dd`.

use crate::color::{INDEXED, Rgb};
use crate::locale::Language;
use crate::numerals::Numerals;

/// A section of a number format.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    pub tokens: Vec<Token>,
    pub kind: Kind,
    pub condition: Option<Condition>,
    pub color: Option<Rgb>,
    /// The language that the section names.
    pub language: Option<Language>,
    pub numerals: Option<Numerals>,
}

/// The kind of value that a section shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Numbers, or only text without any placeholder.
    Number,
    Scientific,
    Fraction,
    /// A date or a time of day.
    Date,
    /// Elapsed hours, minutes or seconds.
    Elapsed,
    /// The text of the cell.
    Text,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Literal(String),
    /// A place for a digit: `0`, `#` or `?`.
    Digit(char),
    Point,
    /// A comma, which groups digits or divides by a thousand.
    Comma,
    Percent,
    /// `E+` or `E-`; `true` for `E+`, which shows both signs.
    Exponent(bool),
    Slash,
    /// The text of the cell, or a number in the format `General`.
    General,
    Date(Part),
    /// A decimal fraction of a second, with this number of digits.
    Fraction(usize),
}

/// A part of a date or of a time. The numbers are widths: 2 for `dd`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    Year(usize),
    BuddhistYear(usize),
    /// The name of the era, such as `令和`, in Japan and Taiwan: `ggg`.
    Era(usize),
    /// The year of the era in Japan and Taiwan, and the year with all its digits elsewhere: `e`.
    EraYear(usize),
    Month(usize),
    Day(usize),
    /// A weekday as East Asian languages write it: `aaa`.
    Weekday(usize),
    Hour(usize),
    Minute(usize),
    Second(usize),
    ElapsedHours(usize),
    ElapsedMinutes(usize),
    ElapsedSeconds(usize),
    HalfDay(HalfDay),
}

/// How a section shows the half of the day. Its hours count to twelve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HalfDay {
    /// `AM`
    Long,
    /// `A`
    Short,
    /// `a`
    ShortLower,
    /// `上午`
    Chinese,
}

/// A condition such as `>=100`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    comparison: Comparison,
    operand: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl Condition {
    fn of(text: &str) -> Option<Self> {
        const SIGNS: [(&str, Comparison); 6] = [
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<>", Comparison::NotEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
            ("=", Comparison::Equal),
        ];
        SIGNS.into_iter().find_map(|(sign, comparison)| {
            let operand = text.strip_prefix(sign)?.trim().parse().ok()?;
            Some(Self { comparison, operand })
        })
    }

    pub fn holds(self, value: f64) -> bool {
        match self.comparison {
            Comparison::Less => value < self.operand,
            Comparison::LessOrEqual => value <= self.operand,
            Comparison::Equal => value == self.operand,
            Comparison::NotEqual => value != self.operand,
            Comparison::GreaterOrEqual => value >= self.operand,
            Comparison::Greater => value > self.operand,
        }
    }

    /// Returns `true` if only negative numbers meet the condition.
    pub fn is_negative(self) -> bool {
        match self.comparison {
            Comparison::Less => self.operand <= 0.0,
            Comparison::LessOrEqual | Comparison::Equal => self.operand < 0.0,
            _ => false,
        }
    }
}

/// Splits a format at its semicolons.
pub fn split(format: &str) -> Vec<&str> {
    let mut sections = Vec::new();
    let mut start = 0;
    let mut characters = format.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            ';' => {
                sections.push(&format[start..at]);
                start = at + 1;
            }
            '\\' | '_' | '*' | '!' => _ = characters.next(),
            '"' => _ = characters.find(|(_, next)| *next == '"'),
            '[' => _ = characters.find(|(_, next)| *next == ']'),
            _ => {}
        }
    }
    sections.push(&format[start..]);
    sections
}

impl Section {
    pub fn of(text: &str) -> Self {
        let mut parser = Parser::new(text);
        while parser.step() {}
        parser.finish()
    }

    /// Returns `true` if the section shows dates or times.
    pub fn is_date(&self) -> bool {
        matches!(self.kind, Kind::Date | Kind::Elapsed)
    }
}

struct Parser<'a> {
    rest: &'a str,
    section: Section,
    has_date: bool,
    has_elapsed: bool,
    has_text: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let section = Section {
            tokens: Vec::new(),
            kind: Kind::Number,
            condition: None,
            color: None,
            language: None,
            numerals: None,
        };
        Self { rest: text, section, has_date: false, has_elapsed: false, has_text: false }
    }

    /// Takes a word from the rest, ignoring the case of ASCII letters.
    fn take(&mut self, word: &str) -> bool {
        let is_next =
            self.rest.get(..word.len()).is_some_and(|next| next.eq_ignore_ascii_case(word));
        if is_next {
            self.rest = &self.rest[word.len()..];
        }
        is_next
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next()?;
        self.rest = characters.as_str();
        Some(next)
    }

    /// Takes a character as often as it repeats. Returns how often.
    fn repeated(&mut self, letter: char) -> usize {
        let is_same = |next: &char| next.eq_ignore_ascii_case(&letter);
        let count = self.rest.chars().take_while(is_same).count();
        // Only ASCII letters repeat.
        self.rest = &self.rest[count..];
        count + 1
    }

    fn until(&mut self, end: char) -> &'a str {
        let (inside, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        inside
    }

    fn literal(&mut self, text: &str) {
        match self.section.tokens.last_mut() {
            Some(Token::Literal(before)) => before.push_str(text),
            _ => self.section.tokens.push(Token::Literal(text.to_owned())),
        }
    }

    fn push(&mut self, token: Token) {
        self.section.tokens.push(token);
    }

    fn date(&mut self, part: Part) {
        self.has_date = true;
        self.push(Token::Date(part));
    }

    /// Takes the next token. Returns `false` at the end.
    fn step(&mut self) -> bool {
        // The second name is that of Excel in Chinese, which texts in formulas have.
        if self.take("General") || self.take("G/通用格式") {
            self.push(Token::General);
            return true;
        }
        for (word, half) in
            [("AM/PM", HalfDay::Long), ("A/P", HalfDay::Short), ("上午/下午", HalfDay::Chinese)]
        {
            let is_lower = self.rest.starts_with('a');
            if self.take(word) {
                let half =
                    if half == HalfDay::Short && is_lower { HalfDay::ShortLower } else { half };
                self.date(Part::HalfDay(half));
                return true;
            }
        }
        let Some(next) = self.next() else { return false };
        match next {
            '"' => {
                let text = self.until('"');
                self.literal(text);
            }
            '\\' | '!' => {
                if let Some(escaped) = self.next() {
                    self.literal(escaped.encode_utf8(&mut [0; 4]));
                }
            }
            // A gap as wide as the next character.
            '_' => {
                _ = self.next();
                self.literal(" ");
            }
            // The next character fills the cell.
            '*' => _ = self.next(),
            '[' => {
                let inside = self.until(']');
                self.mark(inside);
            }
            '0' | '#' | '?' => self.push(Token::Digit(next)),
            '.' if self.has_date && self.rest.starts_with('0') => {
                let count = self.repeated('0') - 1;
                self.push(Token::Fraction(count));
            }
            '.' => self.push(Token::Point),
            ',' => self.push(Token::Comma),
            '%' => self.push(Token::Percent),
            '/' => self.push(Token::Slash),
            '@' => {
                self.has_text = true;
                self.push(Token::General);
            }
            'E' | 'e' if self.rest.starts_with(['+', '-']) && !self.has_date => {
                let shows_plus = self.next() == Some('+');
                self.push(Token::Exponent(shows_plus));
            }
            letter if letter.is_ascii_alphabetic() => self.letter(letter),
            other => self.literal(other.encode_utf8(&mut [0; 4])),
        }
        true
    }

    fn letter(&mut self, letter: char) {
        let count = self.repeated(letter);
        let part = match letter.to_ascii_lowercase() {
            'y' => Part::Year(count),
            'e' => Part::EraYear(count),
            'g' => Part::Era(count),
            'b' => Part::BuddhistYear(count),
            'm' => Part::Month(count),
            'd' => Part::Day(count),
            'h' => Part::Hour(count),
            's' => Part::Second(count),
            'a' if count >= 3 => Part::Weekday(count),
            _ => {
                let text: String = std::iter::repeat_n(letter, count).collect();
                return self.literal(&text);
            }
        };
        self.date(part);
    }

    /// Takes what is in brackets.
    fn mark(&mut self, inside: &str) {
        if let Some(currency) = inside.strip_prefix('$') {
            let (symbol, locale) = currency.split_once('-').unwrap_or((currency, ""));
            self.section.language = self.section.language.or(Language::of(locale));
            return self.literal(symbol);
        }
        if let Some(numerals) = Numerals::of(inside) {
            self.section.numerals = Some(numerals);
        } else if let Some(condition) = Condition::of(inside) {
            self.section.condition = Some(condition);
        } else if let Some(part) = elapsed(inside) {
            self.has_elapsed = true;
            self.date(part);
        } else if let Some(color) = color(inside) {
            self.section.color = Some(color);
        }
    }

    fn finish(self) -> Section {
        let Self { mut section, mut has_date, has_elapsed, has_text, .. } = self;
        if has_date && shows_digits(&section.tokens) {
            // `0 g` is a number with a unit. Excel would have quoted the letter.
            section.tokens.iter_mut().for_each(spell_out);
            has_date = false;
        }
        let has = |wanted: fn(&Token) -> bool| section.tokens.iter().any(wanted);
        section.kind = match () {
            () if has_elapsed => Kind::Elapsed,
            () if has_date => Kind::Date,
            () if has(|token| matches!(token, Token::Exponent(_))) => Kind::Scientific,
            () if has(|token| *token == Token::Slash)
                && has(|token| matches!(token, Token::Digit(_))) =>
            {
                Kind::Fraction
            }
            () if has_text => Kind::Text,
            () => Kind::Number,
        };
        if section.is_date() {
            name_minutes(&mut section.tokens, has_elapsed);
        }
        section
    }
}

/// Returns `true` if a section has places for digits, and no part of a date but eras and their years.
fn shows_digits(tokens: &[Token]) -> bool {
    let is_era =
        |part: &Part| matches!(part, Part::Era(_) | Part::EraYear(_) | Part::BuddhistYear(_));
    tokens.iter().any(|it| matches!(it, Token::Digit(_)))
        && tokens.iter().all(|it| if let Token::Date(part) = it { is_era(part) } else { true })
}

/// Replaces an era or its year by the letters of the format.
fn spell_out(token: &mut Token) {
    let (letter, count) = match token {
        Token::Date(Part::Era(count)) => ("g", *count),
        Token::Date(Part::EraYear(count)) => ("e", *count),
        Token::Date(Part::BuddhistYear(count)) => ("b", *count),
        _ => return,
    };
    *token = Token::Literal(letter.repeat(count));
}

/// Makes minutes of the months that follow hours or precede seconds, and of those beside an elapsed time.
fn name_minutes(tokens: &mut [Token], has_elapsed: bool) {
    let parts: Vec<(usize, Part)> = tokens
        .iter()
        .enumerate()
        .filter_map(|(index, token)| match token {
            Token::Date(part) if !matches!(part, Part::HalfDay(_)) => Some((index, *part)),
            _ => None,
        })
        .collect();
    for (at, (index, part)) in parts.iter().enumerate() {
        let Part::Month(width @ 1..=2) = *part else { continue };
        let before = at.checked_sub(1).and_then(|at| parts.get(at)).map(|(_, part)| *part);
        let after = parts.get(at + 1).map(|(_, part)| *part);
        let is_minute = has_elapsed
            || matches!(before, Some(Part::Hour(_) | Part::ElapsedHours(_)))
            || matches!(after, Some(Part::Second(_) | Part::ElapsedSeconds(_)));
        if is_minute {
            tokens[*index] = Token::Date(Part::Minute(width));
        }
    }
}

fn elapsed(inside: &str) -> Option<Part> {
    let first = inside.chars().next()?.to_ascii_lowercase();
    if !inside.chars().all(|letter| letter.eq_ignore_ascii_case(&first)) {
        return None;
    }
    match first {
        'h' => Some(Part::ElapsedHours(inside.len())),
        'm' => Some(Part::ElapsedMinutes(inside.len())),
        's' => Some(Part::ElapsedSeconds(inside.len())),
        _ => None,
    }
}

fn color(inside: &str) -> Option<Rgb> {
    const NAMES: [(&str, Rgb); 8] = [
        ("black", [0, 0, 0]),
        ("blue", [0, 0, 255]),
        ("cyan", [0, 255, 255]),
        ("green", [0, 255, 0]),
        ("magenta", [255, 0, 255]),
        ("red", [255, 0, 0]),
        ("white", [255, 255, 255]),
        ("yellow", [255, 255, 0]),
    ];
    let name = inside.to_ascii_lowercase();
    if let Some((_, color)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*color);
    }
    let number: usize = name.strip_prefix("color")?.trim().parse().ok()?;
    // The palette begins with eight colours that are there twice.
    INDEXED.get(number.checked_add(7)?).copied().filter(|_| (1..=56).contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_end_at_semicolons_outside_of_text() {
        assert_eq!(split("0;\"a;b\";[x;y]0;\\;_;@"), ["0", "\"a;b\"", "[x;y]0", "\\;_;@"]);
        assert_eq!(split(""), [""]);
    }

    #[test]
    fn kinds_of_sections() {
        for (text, kind) in [
            ("#,##0.00", Kind::Number),
            ("General", Kind::Number),
            ("\"days\"", Kind::Number),
            ("0.00E+00", Kind::Scientific),
            ("# ?/?", Kind::Fraction),
            ("m/d/yyyy", Kind::Date),
            ("[$-409]h:mm AM/PM", Kind::Date),
            ("[h]:mm", Kind::Elapsed),
            ("@", Kind::Text),
            ("[Red][<=-5]0\"d\"", Kind::Number),
            ("aaa", Kind::Date),
            ("[$-411]ge", Kind::Date),
            ("0 g", Kind::Number),
        ] {
            assert_eq!(Section::of(text).kind, kind, "{text}");
        }
    }

    #[test]
    fn months_beside_times_are_minutes() {
        let parts = |text| {
            let tokens = Section::of(text).tokens.into_iter();
            let part = |token| if let Token::Date(part) = token { Some(part) } else { None };
            tokens.filter_map(part).collect::<Vec<_>>()
        };
        assert_eq!(parts("mm:ss"), [Part::Minute(2), Part::Second(2)]);
        assert_eq!(parts("h:m AM/PM")[1], Part::Minute(1));
        assert_eq!(
            parts("yyyy-mm-dd hh:mm"),
            [Part::Year(4), Part::Month(2), Part::Day(2), Part::Hour(2), Part::Minute(2)]
        );
        assert_eq!(parts("[h]:mm"), [Part::ElapsedHours(1), Part::Minute(2)]);
        assert_eq!(parts("h mmm"), [Part::Hour(1), Part::Month(3)]);
    }

    #[test]
    fn marks_are_read() {
        let section = Section::of("[Red][>=100][DBNum2][$¥-804]0");
        assert_eq!(section.color, Some([255, 0, 0]));
        assert!(section.condition.unwrap().holds(100.0));
        assert_eq!(section.numerals, Some(Numerals::Formal));
        assert_eq!(section.language, Some(Language::Chinese));
        assert_eq!(section.tokens[0], Token::Literal("¥".into()));
        assert_eq!(Section::of("[Color10]0").color, Some([0, 128, 0]));
        assert_eq!(Section::of("[Color57]0").color, None);
        assert!(Condition::of("<-25").unwrap().is_negative());
        assert!(!Condition::of("<=9999999").unwrap().is_negative());
    }
}
