//! Rules for the tables of all readers: unique column names, and numbers only for text that cannot be anything else.
//!
//! The crate `mitt-table` has the same rules for formats that the host reads. Plugins do not depend on the host, so that
//! they run on any other.

use crate::{Cell, single_line};
use std::collections::{HashMap, HashSet};

/// Most cells of all tables of a file. Two million typed cells fit in the memory of a reader, and no model reads more.
pub const MAX_CELLS: usize = 2_000_000;

/// Most bytes of text of a file. One shared string in every cell could otherwise expand a small file without bound.
pub const MAX_TEXT_BYTES: usize = 64 << 20;

/// Most bytes of a number, from `decimal` of the contract.
const MAX_NUMBER_LENGTH: usize = 64;

/// Returns the cell as text: empty for null.
pub fn cell_as_str(cell: &Cell) -> &str {
    match cell {
        Cell::Null => "",
        Cell::Boolean(true) => "true",
        Cell::Boolean(false) => "false",
        Cell::Number(text) | Cell::Text(text) => text,
    }
}

/// Parses a text as a cell: null if it is blank, a number if it cannot be anything else, or text.
pub fn cell_from_text(text: &str) -> Cell {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        Cell::Null
    } else if is_plain_number(trimmed) {
        Cell::Number(trimmed.to_owned())
    } else {
        Cell::Text(trimmed.to_owned())
    }
}

/// Returns `true` if `text` can only be a number: digits with an optional minus sign and fraction.
///
/// `007` is an identifier. `1,234` is ambiguous. `12.5%` and `1e3` need knowledge of the column.
pub fn is_plain_number(text: &str) -> bool {
    if text.len() > MAX_NUMBER_LENGTH {
        return false;
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    all_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(all_digits)
}

/// Makes column names from the cells of a header row. Runs of blanks become single spaces, an empty name becomes `column_3`,
/// and the second `price` becomes `price_2`.
pub fn column_names(headers: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let names: Vec<String> =
        headers.into_iter().map(|header| single_line(header.as_ref())).collect();
    // A name in the header row is reserved, so that `a, a, a_2` does not rename the third column.
    let given: HashSet<String> = names.iter().filter(|name| !name.is_empty()).cloned().collect();
    let mut used = HashSet::with_capacity(names.len());
    // The next number of each name, so that a row of 16 384 equal headers does not take quadratic time.
    let mut next: HashMap<String, usize> = HashMap::new();
    let mut unique = Vec::with_capacity(names.len());
    for (index, name) in names.into_iter().enumerate() {
        let base = if name.is_empty() { format!("column_{}", index + 1) } else { name.clone() };
        let mut candidate = base.clone();
        while used.contains(&candidate) || (candidate != name && given.contains(&candidate)) {
            let number = next.entry(base.clone()).or_insert(2);
            candidate = format!("{base}_{number}");
            *number += 1;
        }
        used.insert(candidate.clone());
        unique.push(candidate);
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_can_be_nothing_else() {
        for text in ["0", "-0.5", "12", "1234.50", "-7"] {
            assert!(is_plain_number(text), "{text}");
        }
        for text in
            ["", "-", "007", "1,234", "12.5%", "1e3", "+1", ".5", "5.", "1.2.3", "500万", "NaN"]
        {
            assert!(!is_plain_number(text), "{text}");
        }
    }

    #[test]
    fn column_names_are_unique_and_not_empty() {
        let check =
            |headers: &[&str], expected: &[&str]| assert_eq!(column_names(headers), expected);
        check(&["a", "", "a"], &["a", "column_2", "a_2"]);
        check(&["a", "a", "a_2"], &["a", "a_3", "a_2"]);
        check(&["", "column_1"], &["column_1_2", "column_1"]);
        check(&[" 销售\n额 "], &["销售 额"]);
    }
}
