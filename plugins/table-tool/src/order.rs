//! Order of cells: mixed types in one column, and texts that only look ordered.

use crate::problem::quote;
use crate::table::Cell;
use std::cmp::Ordering;

/// Order of two cells of any type: numbers, texts, booleans, nulls. A descending order turns around the values of a
/// type, not the types.
pub(crate) fn compare(one: &Cell, two: &Cell, descending: bool) -> Ordering {
    match one.compare(two) {
        Some(order) if descending => order.reverse(),
        Some(order) => order,
        None => type_rank(one).cmp(&type_rank(two)),
    }
}

fn type_rank(cell: &Cell) -> u8 {
    match cell {
        Cell::Number(_) => 0,
        Cell::Text(_) => 1,
        Cell::Boolean(_) => 2,
        Cell::Null => 3,
    }
}

/// A warning when texts with numbers in them, such as `2月` and `10月`, are in an order that nobody expects.
pub(crate) fn natural_order_warning<'a>(
    column: &str,
    cells: impl Iterator<Item = &'a Cell>,
) -> Option<String> {
    let mut texts: Vec<&str> = cells
        .filter_map(|cell| if let Cell::Text(text) = cell { Some(&**text) } else { None })
        .collect();
    texts.sort_unstable();
    let pair = texts.windows(2).find(|pair| natural_cmp(pair[0], pair[1]) == Ordering::Greater)?;
    Some(format!(
        "column {} is ordered by code point, which puts {} before {}; numbers or texts of equal length would be ordered by value",
        quote(column),
        quote(pair[0]),
        quote(pair[1])
    ))
}

/// Order of texts where a run of digits counts as a number.
fn natural_cmp(one: &str, two: &str) -> Ordering {
    let (mut one, mut two) = (one, two);
    loop {
        let (digits_one, digits_two) = (leading_digits(one), leading_digits(two));
        if !digits_one.is_empty() && !digits_two.is_empty() {
            let (value_one, value_two) =
                (digits_one.trim_start_matches('0'), digits_two.trim_start_matches('0'));
            let order =
                value_one.len().cmp(&value_two.len()).then_with(|| value_one.cmp(value_two));
            if order != Ordering::Equal {
                return order;
            }
            (one, two) = (&one[digits_one.len()..], &two[digits_two.len()..]);
            continue;
        }
        let (mut chars_one, mut chars_two) = (one.chars(), two.chars());
        match (chars_one.next(), chars_two.next()) {
            (Some(char_one), Some(char_two)) if char_one == char_two => {
                (one, two) = (chars_one.as_str(), chars_two.as_str())
            }
            (char_one, char_two) => return char_one.cmp(&char_two),
        }
    }
}

fn leading_digits(text: &str) -> &str {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    &text[..n_digits]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_misleading_orders_are_warned_of() {
        for (texts, pair) in [
            (&["1月", "2月", "10月"][..], Some("`10月` before `1月`")),
            (&["2月", "9月", "10月", "12月"], Some("`12月` before `2月`")),
            (&["2024-01", "2024-02", "2024-10"], None),
            (&["2023-Q1", "2023-Q4", "2024-Q1"], None),
            (&["v9", "v10"], Some("`v10` before `v9`")),
            (&["a", "b", ""], None),
            (&["001", "1"], None),
            (&["7", "07"], None),
        ] {
            let cells: Vec<Cell> = texts.iter().map(|text| Cell::text(text)).collect();
            let warning = natural_order_warning("月", cells.iter());
            assert_eq!(warning.is_some(), pair.is_some(), "{texts:?}: {warning:?}");
            assert!(pair.is_none_or(|pair| warning.unwrap().contains(pair)), "{texts:?}");
        }
    }
}
