//! Sections of a format, and their pieces.

/// A piece of a section.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Literal(String),
    Sign(char),
    /// `[hh]`: hours, minutes or seconds of all days together, with the number of letters.
    Elapsed(char, usize),
    /// `General`.
    General,
}

impl Piece {
    /// Returns `true` for a place of a digit.
    pub(super) fn is_digit(&self) -> bool {
        matches!(self, Self::Sign('0' | '#' | '?'))
    }
}

pub(super) fn sections(code: &str) -> Vec<&str> {
    let (mut found, mut start, mut in_text, mut escaped) = (Vec::new(), 0, false, false);
    for (at, c) in code.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if !in_text => escaped = true,
            '"' => in_text = !in_text,
            ';' if !in_text => {
                found.push(&code[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&code[start..]);
    found
}

pub(super) fn pieces(section: &str) -> Vec<Piece> {
    // The second name is that of Excel in Chinese, which texts in formulas have.
    const GENERAL: [&str; 2] = ["general", "g/通用格式"];
    let mut found = Vec::new();
    let mut chars = section.chars();
    loop {
        let rest = chars.as_str();
        let begins =
            |name: &&str| rest.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name));
        if let Some(name) = GENERAL.into_iter().find(begins) {
            found.push(Piece::General);
            chars = rest[name.len()..].chars();
            continue;
        }
        let Some(c) = chars.next() else { return found };
        match c {
            '"' => found.push(Piece::Literal(chars.by_ref().take_while(|it| *it != '"').collect())),
            '\\' => found.extend(chars.next().map(|it| Piece::Literal(it.to_string()))),
            '_' => {
                chars.next();
                found.push(Piece::Literal(" ".to_owned()));
            }
            '*' => drop(chars.next()),
            '[' => {
                let inner: String = chars.by_ref().take_while(|it| *it != ']').collect();
                if let Some(currency) = inner.strip_prefix('$') {
                    found.push(Piece::Literal(
                        currency.split('-').next().unwrap_or_default().to_owned(),
                    ));
                } else if let Some(unit) = inner.chars().next().map(|it| it.to_ascii_lowercase())
                    && matches!(unit, 'h' | 'm' | 's')
                    && inner.chars().all(|it| it.to_ascii_lowercase() == unit)
                {
                    found.push(Piece::Elapsed(unit, inner.len()));
                }
            }
            c => found.push(Piece::Sign(c)),
        }
    }
}
