//! Column names, and the rule for numbers in text formats.

use std::collections::{HashMap, HashSet};

use mitt_base::limits::MAX_NUMBER_LENGTH;
use mitt_base::text::single_line;

/// Returns `true` if `text` is a number and cannot be anything else: digits, with an optional sign and fraction.
///
/// `007` is an identifier, `1,234` is one number or two, `12.5%` needs knowledge of the column, and `1e3` is decided with
/// the whole column.
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

/// Makes column names from the cells of a header row. Blanks inside become single spaces, an empty name becomes `column_3`,
/// and the second `price` becomes `price_2`.
pub fn column_names(headers: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let names: Vec<String> =
        headers.into_iter().map(|header| single_line(header.as_ref())).collect();
    // Given names keep their place, so that `a, a, a_2` does not rename the third column.
    let given: HashSet<String> = names.iter().filter(|name| !name.is_empty()).cloned().collect();
    let mut used = HashSet::with_capacity(names.len());
    // The next number for each name: 16 384 equal headers must not take quadratic time.
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
    fn names_are_unique_and_given_ones_stay() {
        for (headers, names) in [
            (vec!["a", "b"], vec!["a", "b"]),
            (vec![" unit\n price ", ""], vec!["unit price", "column_2"]),
            (vec!["a", "a", "a", "a"], vec!["a", "a_2", "a_3", "a_4"]),
            // The second `a` leaves `a_2` to the column that was given it.
            (vec!["a", "a", "a_2"], vec!["a", "a_3", "a_2"]),
            (vec!["", "column_1", "column_1"], vec!["column_1_2", "column_1", "column_1_3"]),
        ] {
            assert_eq!(column_names(&headers), names, "{headers:?}");
        }
    }

    #[test]
    fn a_number_is_as_long_as_a_cell_holds() {
        let longest = "1".repeat(MAX_NUMBER_LENGTH);
        assert!(is_plain_number(&longest));
        assert!(!is_plain_number(&format!("{longest}1")));
        for (text, is_number) in [
            ("0", true),
            ("-0.50", true),
            ("10", true),
            ("007", false),
            ("-", false),
            ("1.", false),
            (".5", false),
            ("1e3", false),
            ("1,234", false),
            ("", false),
        ] {
            assert_eq!(is_plain_number(text), is_number, "{text}");
        }
    }
}
