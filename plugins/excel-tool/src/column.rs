//! Names of columns in A1 notation.

/// `A` for 0, `Z` for 25, `AA` for 26.
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

/// The index of a column from its letters in either case; none for more than three letters.
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

/// Rows of the data begin below the header, and Excel counts from 1.
pub(crate) fn excel_row(row: usize) -> usize {
    row + 2
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
