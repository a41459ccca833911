//! Values as a number format shows them. Colours, widths and fill characters are left out.

mod digits;
mod fraction;
mod general;
mod number;
mod pieces;
#[cfg(test)]
mod tests;

use crate::value::Scalar;
use general::general;
use mitt_number_format::{Kind, MAX_BYTES, Section, write_date};
use pieces::{Piece, pieces, sections};

/// Returns a value as it is shown in a cell.
pub(crate) fn formatted(value: &Scalar, code: &str, from_1904: bool) -> String {
    if code.len() > MAX_BYTES {
        return value.shown();
    }
    let sections = sections(code);
    match value {
        Scalar::Number(number) => shown_number(*number, &sections, from_1904),
        Scalar::Text(_) | Scalar::Bool(_) => {
            let text = value.shown();
            match sections.get(3).or_else(|| sections.iter().find(|it| has_text(it))) {
                Some(section) => literals(section, &text),
                None => text,
            }
        }
        other => other.shown(),
    }
}

fn shown_number(number: f64, sections: &[&str], from_1904: bool) -> String {
    let Some((section, number)) = chosen(sections, number) else {
        // No section is for this number, as in Excel.
        return "########".to_owned();
    };
    let plain = section.trim();
    if plain.eq_ignore_ascii_case("general") || plain.is_empty() && sections.len() == 1 {
        return general(number);
    }
    let mut all = pieces(section);
    let section = Section::of(section);
    let is_blank = |it: &Piece| matches!(it, Piece::Literal(text) if text.is_empty());
    if section.numerals.is_some() && all.iter().all(is_blank) {
        all.push(Piece::General);
    }
    let has_general = all.contains(&Piece::General);
    if has_general || all.contains(&Piece::Sign('@')) {
        let shown = general(number.abs());
        let shown = section.numerals.map_or(shown.clone(), |it| it.number(&shown));
        let sign = if number < 0.0 { "-" } else { "" };
        let texts = all.into_iter().map(|it| match it {
            Piece::Literal(text) => text,
            Piece::General | Piece::Sign('@') => shown.clone(),
            Piece::Sign(c) => c.to_string(),
            Piece::Elapsed(..) => String::new(),
        });
        return format!("{sign}{}", texts.collect::<String>());
    }
    if section.is_date() {
        return shown_date(number, &section, from_1904);
    }
    let shown = number::shown(number, &all);
    section.numerals.map_or(shown.clone(), |it| it.each(&shown))
}

fn shown_date(serial: f64, section: &Section, from_1904: bool) -> String {
    let is_negative = serial < 0.0 && section.kind == Kind::Elapsed;
    let mut shown = if is_negative { "-".to_owned() } else { String::new() };
    if write_date(section, if is_negative { -serial } else { serial }, from_1904, &mut shown) {
        shown
    } else {
        "#######".to_owned()
    }
}

fn has_text(section: &str) -> bool {
    pieces(section).contains(&Piece::Sign('@'))
}

/// Returns the section for a number, and the number without its sign if the section shows it; `None` if no section is for it.
fn chosen<'a>(sections: &[&'a str], number: f64) -> Option<(&'a str, f64)> {
    let first = sections.first().copied().unwrap_or("General");
    let numeric = &sections[..sections.len().min(3)];
    let conditions: Vec<Option<Condition>> = numeric.iter().map(|it| condition(it)).collect();
    if conditions.iter().all(Option::is_none) {
        return Some(match (sections.len(), number) {
            (0 | 1, number) => (first, number),
            (_, number) if number < 0.0 => (sections[1], -number),
            (length, 0.0) if length > 2 => (sections[2], number),
            (_, number) => (first, number),
        });
    }
    for (at, section) in numeric.iter().enumerate() {
        let is_last = at + 1 == numeric.len() && at > 0;
        let holds = match (&conditions[at], at) {
            (Some(condition), _) => condition.holds(number),
            _ if is_last => true,
            (None, 0) => number > 0.0,
            (None, _) => number < 0.0,
        };
        if holds {
            // A section for negative numbers alone has a sign of its own.
            let is_negative = match (&conditions[at], at) {
                (_, 0) => false,
                (Some(condition), _) => condition.is_below_zero(),
                (None, 1) => conditions[0].as_ref().is_none_or(Condition::is_above_zero),
                (None, _) => false,
            };
            return Some((section, if is_negative { number.abs() } else { number }));
        }
    }
    (numeric.len() == 1).then_some(("General", number))
}

/// A condition of a section: `[<10]`.
struct Condition {
    sign: &'static str,
    limit: f64,
}

impl Condition {
    fn holds(&self, number: f64) -> bool {
        match self.sign {
            "<" => number < self.limit,
            "<=" => number <= self.limit,
            ">" => number > self.limit,
            ">=" => number >= self.limit,
            "=" => number == self.limit,
            _ => number != self.limit,
        }
    }

    fn is_below_zero(&self) -> bool {
        self.sign == "<" && self.limit <= 0.0 || self.sign == "<=" && self.limit < 0.0
    }

    fn is_above_zero(&self) -> bool {
        self.sign.starts_with('>') && self.limit == 0.0
    }
}

/// Returns the condition among the brackets at the beginning of a section.
fn condition(section: &str) -> Option<Condition> {
    let mut rest = section.trim_start();
    while let Some(inner) = rest.strip_prefix('[') {
        let (inner, behind) = inner.split_once(']')?;
        let known = ["<=", ">=", "<>", "<", ">", "="];
        if let Some(sign) = known.into_iter().find(|it| inner.starts_with(it)) {
            let limit = inner[sign.len()..].trim().parse().ok()?;
            return Some(Condition { sign, limit });
        }
        rest = behind.trim_start();
    }
    None
}

fn literals(section: &str, text: &str) -> String {
    pieces(section)
        .into_iter()
        .map(|it| match it {
            Piece::Literal(literal) => literal,
            Piece::Sign('@') | Piece::General => text.to_owned(),
            Piece::Sign(c) => c.to_string(),
            Piece::Elapsed(..) => String::new(),
        })
        .collect()
}
