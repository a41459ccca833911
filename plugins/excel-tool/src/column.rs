//! Names of columns in A1 notation.

/// Returns `A` for 0, `Z` for 25, `AA` for 26.
pub(crate) fn letters(index: usize) -> String {
    // Bijective base 26: there is no digit zero, so every step down starts one lower.
    let mut rest = index + 1;
    let mut letters = Vec::new();
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

/// Returns the index of a column from its letters in either case; `None` for more than three letters.
pub(crate) fn index(letters: &str) -> Option<usize> {
    if letters.is_empty()
        || letters.len() > 3
        || !letters.bytes().all(|byte| byte.is_ascii_alphabetic())
    {
        return None;
    }
    let value = letters
        .bytes()
        .fold(0, |sum, byte| sum * 26 + usize::from(byte.to_ascii_uppercase() - b'A') + 1);
    Some(value - 1)
}

/// The place of a table's data in its sheet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Origin {
    /// The row of the header and the first column, from 0.
    pub(crate) header: usize,
    pub(crate) column: usize,
}

impl Origin {
    /// Returns the Excel row, counted from 1, of a row of the data. The data begins below the header.
    pub(crate) fn excel_row(self, row: usize) -> usize {
        self.header + row + 2
    }

    /// Returns the letters of a column of the data.
    pub(crate) fn letters(self, index: usize) -> String {
        letters(self.column + index)
    }
}

/// Parses `H1` to column and row, from 0. `None` if Excel has no such cell.
pub(crate) fn cell(text: &str) -> Option<(usize, usize)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_alphabetic())?;
    let (column, row) = text.split_at(end);
    let row: usize = row.parse().ok().filter(|_| !row.starts_with('+'))?;
    let column = index(column).filter(|column| *column < 16_384)?;
    (1..=1_048_576).contains(&row).then(|| (column, row - 1))
}

#[cfg(test)]
mod tests {
    use super::{index, letters};

    #[test]
    fn letters_and_back() {
        let known = [
            (0, "A"),
            (25, "Z"),
            (26, "AA"),
            (51, "AZ"),
            (52, "BA"),
            (701, "ZZ"),
            (702, "AAA"),
            (16383, "XFD"),
        ];
        for (number, name) in known {
            assert_eq!(letters(number), name);
        }
        for number in 0..18_278 {
            assert_eq!(index(&letters(number)), Some(number));
        }
        assert_eq!(
            (index("xfd"), index(""), index("AAAA"), index("A1")),
            (Some(16383), None, None, None)
        );
    }
}
