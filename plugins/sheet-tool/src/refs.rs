//! Addresses of cells: `B2`, `$B$2:C$7`. Knows nothing of sheets.

/// The last row and column of a sheet.
pub(crate) const MAX_ROW: u32 = 1_048_576;
pub(crate) const MAX_COLUMN: u32 = 16_384;

/// A cell by row and column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct At {
    pub(crate) row: u32,
    pub(crate) column: u32,
}

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) first: At,
    pub(crate) last: At,
}

impl Area {
    pub(crate) fn rows(&self) -> u32 {
        self.last.row - self.first.row + 1
    }

    pub(crate) fn columns(&self) -> u32 {
        self.last.column - self.first.column + 1
    }

    pub(crate) fn is_cell(&self) -> bool {
        self.first == self.last
    }

    pub(crate) fn contains(&self, at: At) -> bool {
        (self.first.row..=self.last.row).contains(&at.row)
            && (self.first.column..=self.last.column).contains(&at.column)
    }
}

impl Area {
    pub(crate) const SHEET: Area =
        Area { first: At { row: 1, column: 1 }, last: At { row: MAX_ROW, column: MAX_COLUMN } };

    pub(crate) fn cell(row: u32, column: u32) -> Area {
        Area { first: At { row, column }, last: At { row, column } }
    }

    pub(crate) fn new(top: u32, left: u32, bottom: u32, right: u32) -> Area {
        Area { first: At { row: top, column: left }, last: At { row: bottom, column: right } }
    }

    /// Returns the cells that both have.
    pub(crate) fn meet(&self, other: &Area) -> Option<Area> {
        let area = Area::new(
            self.first.row.max(other.first.row),
            self.first.column.max(other.first.column),
            self.last.row.min(other.last.row),
            self.last.column.min(other.last.column),
        );
        (area.first.row <= area.last.row && area.first.column <= area.last.column).then_some(area)
    }

    /// Returns the smallest area that contains both.
    pub(crate) fn join(&self, other: &Area) -> Area {
        Area::new(
            self.first.row.min(other.first.row),
            self.first.column.min(other.first.column),
            self.last.row.max(other.last.row),
            self.last.column.max(other.last.column),
        )
    }

    pub(crate) fn size(&self) -> u64 {
        u64::from(self.rows()) * u64::from(self.columns())
    }
}

/// Returns the name of a sheet as it stands in front of `!` in a formula, in quotation marks if it needs them.
pub(crate) fn quoted_sheet(name: &str) -> String {
    let plain = name.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '.'))
        && !name.starts_with(|it: char| it.is_ascii_digit() || it == '.')
        && cell(name).is_none()
        && !is_r1c1(name)
        && !["TRUE", "FALSE"].iter().any(|it| name.eq_ignore_ascii_case(it));
    if plain { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) }
}

fn is_r1c1(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let rest =
        upper.strip_prefix('R').map(|it| it.trim_start_matches(|it: char| it.is_ascii_digit()));
    match rest {
        Some("") => true,
        rest => rest
            .unwrap_or(&upper)
            .strip_prefix('C')
            .is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit())),
    }
}

/// Parses an area that may be whole columns or rows: `B2:C7`, `C:D`, `5:7`, `$A$1`.
pub(crate) fn wide_area(text: &str) -> Option<(Area, Axis)> {
    if let Some(area) = area(text) {
        return Some((area, Axis::Cells));
    }
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let strip = |it: &str| it.strip_prefix('$').unwrap_or(it).to_owned();
    let (first, last) = (strip(first), strip(last));
    if let (Some(first), Some(last)) = (column(&first), column(&last)) {
        return Some((Area::new(1, first.min(last), MAX_ROW, first.max(last)), Axis::Columns));
    }
    let (first, last) = (row(&first)?, row(&last)?);
    Some((Area::new(first.min(last), 1, first.max(last), MAX_COLUMN), Axis::Rows))
}

/// Notation of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    Cells,
    Columns,
    Rows,
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
pub(crate) fn column_name(mut column: u32) -> String {
    let mut letters = Vec::new();
    while column > 0 {
        column -= 1;
        letters.push(b'A' + (column % 26) as u8);
        column /= 26;
    }
    letters.iter().rev().map(|byte| *byte as char).collect()
}

/// Parses the name of a column to a number from 1.
pub(crate) fn column(letters: &str) -> Option<u32> {
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
pub(crate) fn row(digits: &str) -> Option<u32> {
    let plain = (1..=7).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = if plain { digits.parse().ok()? } else { 0 };
    Some(number).filter(|number| (1..=MAX_ROW).contains(number))
}

/// Parses `B2`, `$B$2`.
pub(crate) fn cell(text: &str) -> Option<At> {
    let text = text.strip_prefix('$').unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_alphabetic())?;
    let (letters, digits) = text.split_at(end);
    let digits = digits.strip_prefix('$').unwrap_or(digits);
    Some(At { row: row(digits)?, column: column(letters)? })
}

/// Parses `B2:C7`, or a cell as an area.
pub(crate) fn area(text: &str) -> Option<Area> {
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
pub(crate) fn qualified(text: &str) -> Option<(String, &str)> {
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
