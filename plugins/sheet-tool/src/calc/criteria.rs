//! Criteria of `SUMIF`, `COUNTIFS` and their kind: `>=5`, `<>x`, `a*`.

use super::coerce;
use crate::value::{ErrorCode, Scalar};
use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Debug)]
pub(crate) struct Criterion {
    sign: Sign,
    value: Scalar,
    pattern: Option<Vec<Piece>>,
    /// `true` for `=` and `<>` without anything behind them.
    is_bare: bool,
}

impl Criterion {
    pub(crate) fn new(value: &Scalar) -> Self {
        let Scalar::Text(text) = value else {
            let value = if *value == Scalar::Empty { Scalar::Number(0.0) } else { value.clone() };
            return Self { sign: Sign::Equal, value, pattern: None, is_bare: false };
        };
        const SIGNS: [(&str, Sign); 6] = [
            ("<=", Sign::LessOrEqual),
            (">=", Sign::GreaterOrEqual),
            ("<>", Sign::NotEqual),
            ("=", Sign::Equal),
            ("<", Sign::Less),
            (">", Sign::Greater),
        ];
        let found =
            SIGNS.iter().find_map(|(text_of, sign)| Some((*sign, text.strip_prefix(text_of)?)));
        let (sign, rest) = found.unwrap_or((Sign::Equal, text));
        let value = match coerce::parse(rest) {
            Some(number) => Scalar::Number(number),
            None if rest.eq_ignore_ascii_case("true") => Scalar::Bool(true),
            None if rest.eq_ignore_ascii_case("false") => Scalar::Bool(false),
            None => match ErrorCode::read(rest) {
                Some(code) => Scalar::Error(code),
                None => Scalar::text(rest),
            },
        };
        let pattern = match (&value, sign) {
            (Scalar::Text(_), Sign::Equal | Sign::NotEqual) => pattern(rest),
            _ => None,
        };
        Self { sign, value, pattern, is_bare: found.is_some() && rest.is_empty() }
    }

    /// Returns `true` if empty cells match, which may lie beyond the used part of a sheet.
    pub(crate) fn matches_empty(&self) -> bool {
        self.matches(&Scalar::Empty)
    }

    pub(crate) fn matches(&self, cell: &Scalar) -> bool {
        let is_equal = self.sign == Sign::Equal;
        match self.sign {
            Sign::Equal | Sign::NotEqual => {
                if self.is_bare {
                    return (*cell == Scalar::Empty) == is_equal;
                }
                self.is_same(cell) == is_equal
            }
            _ => self.ordered(cell),
        }
    }

    fn is_same(&self, cell: &Scalar) -> bool {
        match (&self.value, cell) {
            (Scalar::Number(a), Scalar::Number(b)) => {
                a == b || (a - b).abs() < a.abs().max(b.abs()) * 1e-15
            }
            (Scalar::Number(number), Scalar::Text(text)) => coerce::parse(text) == Some(*number),
            (Scalar::Text(wanted), Scalar::Empty) => wanted.is_empty(),
            (Scalar::Text(wanted), Scalar::Text(text)) => match &self.pattern {
                Some(pattern) => matches(pattern, text),
                None => coerce::compare_text(wanted, text) == Ordering::Equal,
            },
            (Scalar::Bool(a), Scalar::Bool(b)) => a == b,
            (Scalar::Error(a), Scalar::Error(b)) => a == b,
            _ => false,
        }
    }

    fn ordered(&self, cell: &Scalar) -> bool {
        let order = match (cell, &self.value) {
            (Scalar::Number(_), Scalar::Number(_))
            | (Scalar::Text(_), Scalar::Text(_))
            | (Scalar::Bool(_), Scalar::Bool(_)) => coerce::compare(cell, &self.value),
            _ => return false,
        };
        matches!(
            (self.sign, order),
            (Sign::Less | Sign::LessOrEqual, Ok(Ordering::Less))
                | (Sign::Greater | Sign::GreaterOrEqual, Ok(Ordering::Greater))
                | (Sign::LessOrEqual | Sign::GreaterOrEqual, Ok(Ordering::Equal))
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Any,
    One,
    Is(char),
}

/// Returns the pattern of a text with the wildcards `*` and `?` and the escape `~`; `None` for a text without these characters.
pub(crate) fn pattern(text: &str) -> Option<Vec<Piece>> {
    if !text.contains(['*', '?', '~']) {
        return None;
    }
    let mut pieces = Vec::new();
    let mut chars = text.chars().flat_map(char::to_lowercase).peekable();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '*' => Piece::Any,
            '?' => Piece::One,
            '~' => match chars.next_if(|it| matches!(it, '*' | '?' | '~')) {
                Some(c) => Piece::Is(c),
                None => Piece::Is('~'),
            },
            c => Piece::Is(c),
        });
    }
    Some(pieces)
}

/// Returns `true` if a pattern is the whole text, without regard to case.
pub(crate) fn matches(pattern: &[Piece], text: &str) -> bool {
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let (mut at, mut of, mut star) = (0, 0, None);
    while at < text.len() {
        match pattern.get(of) {
            Some(Piece::Any) => {
                star = Some((of, at));
                of += 1;
            }
            Some(Piece::One) => (at, of) = (at + 1, of + 1),
            Some(Piece::Is(c)) if *c == text[at] => (at, of) = (at + 1, of + 1),
            _ => match star {
                Some((star_of, star_at)) => {
                    star = Some((star_of, star_at + 1));
                    (at, of) = (star_at + 1, star_of + 1);
                }
                None => return false,
            },
        }
    }
    pattern[of..].iter().all(|it| *it == Piece::Any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_match_as_in_excel() {
        let holds =
            |criterion: &str, cell: Scalar| Criterion::new(&Scalar::text(criterion)).matches(&cell);
        assert!(holds(">=5", Scalar::Number(5.0)) && !holds(">5", Scalar::text("9")));
        assert!(holds("5", Scalar::text("5")) && holds("a*c", Scalar::text("ABBC")));
        assert!(
            holds("<>x", Scalar::Empty)
                && holds("<>", Scalar::Number(1.0))
                && !holds("<>", Scalar::Empty)
        );
        assert!(holds("=", Scalar::Empty) && !holds("=", Scalar::text("")));
        assert!(holds("a~*", Scalar::text("a*")) && !holds("a~*", Scalar::text("ab")));
        assert!(holds("", Scalar::Empty) && holds("", Scalar::text("")));
    }
}
