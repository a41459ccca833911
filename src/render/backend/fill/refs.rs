//! Addresses of cells: `B2`, `$B$2:C$7`. Knows nothing of sheets.

/// The last row and column of a sheet.
pub(super) const MAX_ROW: u32 = 1_048_576;
pub(super) const MAX_COLUMN: u32 = 16_384;

/// A cell by row and column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At {
    pub(super) row: u32,
    pub(super) column: u32,
}

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) first: At,
    pub(super) last: At,
}

impl Area {
    pub(super) fn rows(&self) -> u32 {
        self.last.row - self.first.row + 1
    }

    pub(super) fn columns(&self) -> u32 {
        self.last.column - self.first.column + 1
    }

    /// Returns it with rows and columns in each other's place.
    pub(super) fn transposed(self) -> Area {
        let turned = |at: At| At { row: at.column, column: at.row };
        Area { first: turned(self.first), last: turned(self.last) }
    }

    pub(super) fn is_cell(&self) -> bool {
        self.first == self.last
    }

    pub(super) fn contains(&self, at: At) -> bool {
        (self.first.row..=self.last.row).contains(&at.row)
            && (self.first.column..=self.last.column).contains(&at.column)
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", column_name(self.column), self.row)
    }
}

impl std::fmt::Display for Area {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_cell() { self.first.fmt(f) } else { write!(f, "{}:{}", self.first, self.last) }
    }
}

/// Returns the name of a column, from 1: `A`, `Z`, `AA` …
pub(super) fn column_name(mut column: u32) -> String {
    let mut letters = Vec::new();
    while column > 0 {
        column -= 1;
        letters.push(b'A' + (column % 26) as u8);
        column /= 26;
    }
    letters.iter().rev().map(|byte| *byte as char).collect()
}

/// Parses the name of a column to a number from 1.
pub(super) fn column(letters: &str) -> Option<u32> {
    if !(1..=3).contains(&letters.len()) {
        return None;
    }
    let mut number = 0;
    for byte in letters.bytes() {
        let letter = byte.to_ascii_uppercase();
        if !letter.is_ascii_uppercase() {
            return None;
        }
        number = number * 26 + u32::from(letter - b'A') + 1;
    }
    Some(number).filter(|number| *number <= MAX_COLUMN)
}

/// Parses the number of a row, from 1.
pub(super) fn row(digits: &str) -> Option<u32> {
    let plain = (1..=7).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = if plain { digits.parse().ok()? } else { 0 };
    Some(number).filter(|number| (1..=MAX_ROW).contains(number))
}

/// Parses `B2`, `$B$2`.
pub(super) fn cell(text: &str) -> Option<At> {
    let text = text.strip_prefix('$').unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_alphabetic())?;
    let (letters, digits) = text.split_at(end);
    let digits = digits.strip_prefix('$').unwrap_or(digits);
    Some(At { row: row(digits)?, column: column(letters)? })
}

/// Parses `B2:C7`, or a cell as an area.
pub(super) fn area(text: &str) -> Option<Area> {
    let (first, last) = match text.split_once(':') {
        Some((first, last)) => (cell(first)?, cell(last)?),
        None => (cell(text)?, cell(text)?),
    };
    Some(Area {
        first: At { row: first.row.min(last.row), column: first.column.min(last.column) },
        last: At { row: first.row.max(last.row), column: first.column.max(last.column) },
    })
}

/// Splits the name of a sheet from the text behind its `!`: `'a b'!A1`.
pub(super) fn qualified(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('\'') {
        let mut name = String::new();
        let mut rest = quoted;
        loop {
            let end = rest.find('\'')?;
            name.push_str(&rest[..end]);
            rest = &rest[end + 1..];
            match rest.strip_prefix('\'') {
                Some(more) => {
                    name.push('\'');
                    rest = more;
                }
                None => return Some((name, rest.strip_prefix('!')?)),
            }
        }
    }
    let (name, rest) = text.rsplit_once('!')?;
    (!name.is_empty()).then(|| (name.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (text, shown) in [
            ("B2", "B2"),
            ("$xfd$1048576", "XFD1048576"),
            ("C7:A1", "A1:C7"),
            ("AA10:$AB$12", "AA10:AB12"),
            ("A1:A1", "A1"),
        ] {
            assert_eq!(area(text).unwrap().to_string(), shown);
        }
        for text in ["", "A0", "XFE1", "A1048577", "A", "1", "A1:", "ABCD1", "A01x", "中1"] {
            assert_eq!(area(text), None, "{text}");
        }
        assert_eq!(qualified("'it''s a!b'!A1"), Some(("it's a!b".into(), "A1")));
        assert_eq!(qualified("表!B2"), Some(("表".into(), "B2")));
        assert_eq!(qualified("'open!A1"), None);
    }
}
