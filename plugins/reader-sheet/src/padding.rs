//! Reads number formats that show identifiers: whole numbers with zeros before them, such as `00000` or `000-00-0000`.

/// The fewest zeros of such a format. `0` shows each number as it is.
const MIN_ZEROS: usize = 2;

/// A number format that shows whole numbers with zeros before them in at least one section.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Padding {
    sections: Vec<Section>,
}

#[derive(Clone, Debug, PartialEq)]
struct Section {
    condition: Option<(Comparison, f64)>,
    /// `None` if the section shows anything but zeros and text between them.
    parts: Option<Vec<Part>>,
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

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Digit,
    Literal(char),
}

impl Padding {
    /// Returns what a number format shows, or `None` if no section of it shows identifiers.
    pub(crate) fn of(format: &str) -> Option<Self> {
        let mut sections = Vec::new();
        for text in split(format) {
            sections.push(Section::of(text));
        }
        // The fourth section is for text.
        sections.truncate(3);
        let shows_zeros = sections.iter().any(|section| section.parts.is_some());
        shows_zeros.then_some(Self { sections })
    }

    /// Returns a format with this number of zeros. Each literal is before a digit, which is counted from the right.
    pub(crate) fn of_zeros(zeros: usize, literals: &[(usize, &str)]) -> Option<Self> {
        /// The most zeros of a format. No number has more digits.
        const MAX_ZEROS: usize = 40;
        if !(MIN_ZEROS..=MAX_ZEROS).contains(&zeros) {
            return None;
        }
        let mut parts = Vec::new();
        for left in (0..=zeros).rev() {
            let here = literals.iter().filter(|(position, _)| *position == left);
            parts.extend(here.flat_map(|(_, text)| text.chars()).map(Part::Literal));
            if left > 0 {
                parts.push(Part::Digit);
            }
        }
        is_identifier(&parts)
            .then_some(Self { sections: vec![Section { condition: None, parts: Some(parts) }] })
    }

    /// Returns the text that the workbook shows for a whole number, or `None` if the format shows it as a number.
    pub(crate) fn text(&self, number: i64) -> Option<String> {
        let (section, has_sign) = self.section(number)?;
        let parts = section.parts.as_ref()?;
        let digits = number.unsigned_abs().to_string();
        let n_places = parts.iter().filter(|part| **part == Part::Digit).count();
        let mut digits = std::iter::repeat_n('0', n_places.saturating_sub(digits.len()))
            .chain(digits.chars())
            .peekable();
        let mut surplus = digits.clone().count() - n_places;
        let mut text = String::from(if number < 0 && has_sign { "-" } else { "" });
        for part in parts {
            match part {
                Part::Literal(character) => text.push(*character),
                Part::Digit => {
                    // Digits beyond the zeros come before the first zero.
                    text.extend(digits.by_ref().take(1 + std::mem::take(&mut surplus)));
                }
            }
        }
        Some(text)
    }

    /// Returns the section for a number, and whether the program adds the sign.
    fn section(&self, number: i64) -> Option<(&Section, bool)> {
        let sections = &self.sections;
        if sections.iter().any(|section| section.condition.is_some()) {
            let found = sections.iter().find(|section| section.holds(number as f64))?;
            return Some((found, true));
        }
        match (sections.len(), number) {
            (2.., ..0) => Some((&sections[1], false)),
            (3.., 0) => Some((&sections[2], false)),
            _ => Some((sections.first()?, true)),
        }
    }
}

impl Section {
    fn of(text: &str) -> Self {
        let mut section = Section { condition: None, parts: None };
        section.parts = section.read(text);
        section
    }

    /// Returns the parts of an identifier, or `None` for any other format.
    fn read(&mut self, text: &str) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        let mut is_other = false;
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '0' => parts.push(Part::Digit),
                '\\' | '!' => parts.extend(characters.next().map(Part::Literal)),
                // A gap, or a character that fills the cell.
                '_' | '*' => _ = characters.next(),
                '"' => {
                    let quoted = characters.by_ref().take_while(|next| *next != '"');
                    parts.extend(quoted.map(Part::Literal));
                }
                '[' => {
                    let inside: String =
                        characters.by_ref().take_while(|next| *next != ']').collect();
                    is_other |= !self.takes_bracket(&inside);
                }
                '-' | '/' | '(' | ')' | ' ' | ':' | '+' | '\'' => {
                    parts.push(Part::Literal(character));
                }
                // A condition after it still counts.
                _ => is_other = true,
            }
        }
        (!is_other && is_identifier(&parts)).then_some(parts)
    }

    /// Reads the content of brackets: a condition, a colour, or a language. Returns whether the section may be an
    /// identifier.
    fn takes_bracket(&mut self, inside: &str) -> bool {
        const COMPARISONS: [(&str, Comparison); 6] = [
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<>", Comparison::NotEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
            ("=", Comparison::Equal),
        ];
        for (sign, comparison) in COMPARISONS {
            if let Some(number) = inside.strip_prefix(sign) {
                self.condition = number.trim().parse().ok().map(|number| (comparison, number));
                return self.condition.is_some();
            }
        }
        if let Some(language) = inside.strip_prefix('$') {
            // The currency is before the language.
            return language.starts_with('-');
        }
        // The name of a colour has at least three letters, some of which are not units of time.
        inside.len() >= 3 && !inside.chars().all(|letter| "hmsHMS".contains(letter))
    }

    fn holds(&self, number: f64) -> bool {
        let Some((comparison, other)) = self.condition else { return true };
        match comparison {
            Comparison::Less => number < other,
            Comparison::LessOrEqual => number <= other,
            Comparison::Equal => number == other,
            Comparison::NotEqual => number != other,
            Comparison::GreaterOrEqual => number >= other,
            Comparison::Greater => number > other,
        }
    }
}

/// Returns whether these are the parts of an identifier, and not an amount with its unit.
fn is_identifier(parts: &[Part]) -> bool {
    let n_zeros = parts.iter().filter(|part| **part == Part::Digit).count();
    let last = parts.iter().rposition(|part| *part == Part::Digit).unwrap_or_default();
    let is_unit = |part: &Part| match part {
        Part::Digit => false,
        Part::Literal(character) => character.is_alphabetic() || "%‰°".contains(*character),
    };
    let is_currency = |part: &Part| match part {
        Part::Digit => false,
        Part::Literal(character) => "$€£¥￥₩₹₽¢".contains(*character),
    };
    n_zeros >= MIN_ZEROS && !parts[last..].iter().any(is_unit) && !parts.iter().any(is_currency)
}

/// Returns the sections of a format.
fn split(format: &str) -> Vec<&str> {
    let mut sections = Vec::new();
    let mut start = 0;
    let mut characters = format.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' | '_' | '*' | '!' => _ = characters.next(),
            '"' => _ = characters.by_ref().find(|(_, next)| *next == '"'),
            '[' => _ = characters.by_ref().find(|(_, next)| *next == ']'),
            ';' => {
                sections.push(&format[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    sections.push(&format[start..]);
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str, number: i64) -> Option<String> {
        Padding::of(format)?.text(number)
    }

    #[test]
    fn identifiers_are_as_the_workbook_shows_them() {
        for (format, number, expected) in [
            ("00000", 2494, "02494"),
            ("00000", 0, "00000"),
            ("00000", 123_456, "123456"),
            ("00000", -7, "-00007"),
            ("000-00-0000", 78_051_120, "078-05-1120"),
            ("000\\-00\\-0000", 1_078_051_120, "1078-05-1120"),
            ("000\"-\"00\"-\"0000", 1, "000-00-0001"),
            ("\"SKU-\"00000", 42, "SKU-00042"),
            ("[Red]0000", 7, "0007"),
            ("[$-409]0000", 7, "0007"),
            ("00 00", 123, "01 23"),
            ("00\\:00", 930, "09:30"),
            ("000_-", 5, "005"),
            ("000;00", -5, "05"),
            ("[<=99999]00000;00000-0000", 501, "00501"),
            ("[<=99999]00000;00000\\-0000", 24_940_001, "02494-0001"),
            ("000;@", 5, "005"),
        ] {
            assert_eq!(shown(format, number).as_deref(), Some(expected), "{format} {number}");
        }
    }

    #[test]
    fn amounts_stay_numbers() {
        for format in [
            "General",
            "0",
            "0.00",
            "00.00",
            "0,000",
            "#,##0",
            "00%",
            "00E+00",
            "# ??/??",
            "$000",
            "\"€\"000",
            "[$EUR] 000",
            "[$€-407]000",
            "000\" kg\"",
            "00°",
            "000,",
            "[h]00",
            "###-####",
            "yyyy00",
            "@",
            "",
            "\"unclosed 000",
            "[<5",
        ] {
            assert_eq!(Padding::of(format), None, "{format}");
        }
        assert_eq!(shown("0;000", 5), None);
        assert_eq!(shown("000;0", -5), None);
        assert_eq!(shown("[>10]000;0.0", 5), None);
    }

    #[test]
    fn zeros_with_literals_inside() {
        let text = |zeros, literals: &[(usize, &str)], number| {
            Padding::of_zeros(zeros, literals).and_then(|padding| padding.text(number))
        };
        assert_eq!(text(5, &[], 2494).unwrap(), "02494");
        assert_eq!(text(9, &[(4, "-"), (6, "-")], 78_051_120).unwrap(), "078-05-1120");
        assert_eq!(text(3, &[(3, "No. ")], 7).unwrap(), "No. 007");
        assert_eq!(text(3, &[(0, " kg")], 7), None);
        assert_eq!(text(1, &[], 7), None);
        assert_eq!(text(usize::MAX, &[], 7), None);
    }
}
