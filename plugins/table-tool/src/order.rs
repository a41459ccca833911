//! Orders rows: integer keys, columns of mixed types, and the check for texts in a misleading order.

use crate::cell::Cell;
use crate::column::Column;
use crate::groups::Groups;
use crate::problem::quote;
use mitt_guest::tables::Values;
use std::cmp::Ordering;

/// Most texts of a column that are checked for a misleading order.
const MAX_TEXTS: usize = 100_000;

/// The rank of each row in the order of one column. Equal cells have equal ranks; nulls have the largest.
pub(crate) struct Ranks {
    pub(crate) of_row: Vec<u64>,
    /// The largest possible rank.
    largest: u64,
}

impl Ranks {
    /// Ranks the rows. Also in descending order, nulls come last, numbers before texts, and texts before booleans.
    pub(crate) fn new(column: &Column, descending: bool) -> Ranks {
        let n_rows = column.n_rows();
        if let Some(values) = column.ordered() {
            let wider = |(low, high): (i64, i64), value: &i64| (low.min(*value), high.max(*value));
            let (low, high) = match &column.chunk.validity {
                None => values.iter().fold((i64::MAX, i64::MIN), wider),
                Some(validity) => {
                    let rows = values.iter().enumerate().filter(|(row, _)| validity.get(*row));
                    rows.map(|(_, value)| value).fold((i64::MAX, i64::MIN), wider)
                }
            };
            let range = high.wrapping_sub(low) as u64;
            if low > high {
                return Ranks { of_row: vec![0; n_rows], largest: 0 };
            }
            if range < u64::MAX {
                let rank = |value: &i64| {
                    if descending {
                        high.wrapping_sub(*value) as u64
                    } else {
                        value.wrapping_sub(low) as u64
                    }
                };
                let of_row = match &column.chunk.validity {
                    None => values.iter().map(rank).collect(),
                    Some(validity) => {
                        let ranks = values.iter().map(rank).enumerate();
                        ranks
                            .map(|(row, rank)| if validity.get(row) { rank } else { range + 1 })
                            .collect()
                    }
                };
                return Ranks { of_row, largest: range + 1 };
            }
        }
        // Each distinct cell is compared once.
        let groups = Groups::of(column);
        let ordered = ordered_groups(column, &groups, descending);
        let mut ranks = vec![0; groups.len()];
        for (rank, group) in ordered.into_iter().enumerate() {
            ranks[group as usize] = rank as u64;
        }
        Ranks {
            of_row: groups.of_row.iter().map(|group| ranks[*group as usize]).collect(),
            largest: groups.len() as u64,
        }
    }

    /// Returns the groups as the first key of an order.
    pub(crate) fn of_groups(groups: &Groups) -> Ranks {
        let of_row = groups.of_row.iter().map(|group| u64::from(*group)).collect();
        Ranks { of_row, largest: groups.len() as u64 }
    }
}

/// Returns the groups of equal cells in the order of their cells.
fn ordered_groups(column: &Column, groups: &Groups, descending: bool) -> Vec<u32> {
    let text = |row: usize| match &column.chunk.values {
        Values::Texts(texts) => texts.bytes(row),
        Values::Dictionary { keys, values } => values.bytes(keys[row] as usize),
        _ => &[],
    };
    let is_text = matches!(column.chunk.values, Values::Texts(_) | Values::Dictionary { .. });
    let mut ordered: Vec<u32> = (0..groups.len() as u32).collect();
    if !is_text {
        let cells: Vec<Cell> =
            groups.first_rows.iter().map(|row| column.cell(*row as usize)).collect();
        ordered.sort_unstable_by(|one, two| {
            compare(&cells[*one as usize], &cells[*two as usize], descending)
        });
        return ordered;
    }
    let row = |group: &u32| groups.first_rows[*group as usize] as usize;
    let (present, null): (Vec<u32>, Vec<u32>) =
        ordered.iter().partition(|group| !column.is_null(row(group)));
    let texts: Vec<&[u8]> = present.iter().map(|group| text(row(group))).collect();
    ordered = text_order(&texts).into_iter().map(|place| present[place as usize]).collect();
    if descending {
        ordered.reverse();
    }
    ordered.extend(null);
    ordered
}

/// Returns the ranks of texts in ascending order. Texts of a column often share a prefix: the eight bytes after it are
/// compared first.
fn text_order(texts: &[&[u8]]) -> Vec<u32> {
    let Some(first) = texts.first() else { return Vec::new() };
    let n_common = texts.iter().fold(first.len(), |n_common, text| {
        first[..n_common].iter().zip(*text).take_while(|(one, two)| one == two).count()
    });
    let key = |text: &[u8]| {
        let mut bytes = [0; 8];
        let rest = &text[n_common..];
        let n_bytes = rest.len().min(8);
        bytes[..n_bytes].copy_from_slice(&rest[..n_bytes]);
        u64::from_be_bytes(bytes)
    };
    let mut keyed: Vec<(u64, u32)> = texts.iter().map(|text| key(text)).zip(0..).collect();
    keyed.sort_unstable_by(|(one, i), (two, j)| {
        one.cmp(two).then_with(|| texts[*i as usize].cmp(texts[*j as usize]))
    });
    keyed.into_iter().map(|(_, place)| place).collect()
}

/// Returns the first `limit` rows in the order of the keys, the most important key first. Rows with equal keys keep their
/// order.
pub(crate) fn sorted(keys: &[Ranks], n_rows: usize, limit: usize) -> Vec<u32> {
    let widths: Vec<u32> = keys.iter().map(|key| u64::BITS - key.largest.leading_zeros()).collect();
    if widths.iter().sum::<u32>() <= u64::BITS {
        let shifted = |bits: u64, width: u32| bits.checked_shl(width).unwrap_or(0);
        let rows = match keys {
            [key] => first_sorted(numbered(key.of_row.iter().copied()), limit, Ord::cmp),
            [one, two] => {
                let pairs = one.of_row.iter().zip(&two.of_row);
                let packed = pairs.map(|(one, two)| shifted(*one, widths[1]) | two);
                first_sorted(numbered(packed), limit, Ord::cmp)
            }
            _ => {
                let parts = |row: usize| {
                    keys.iter().zip(&widths).map(move |(key, width)| (key.of_row[row], *width))
                };
                let packed = (0..n_rows).map(|row| {
                    parts(row).fold(0, |packed, (rank, width)| shifted(packed, width) | rank)
                });
                first_sorted(numbered(packed), limit, Ord::cmp)
            }
        };
        return rows.into_iter().map(|(_, row)| row).collect();
    }
    first_sorted(0..n_rows as u32, limit, |one, two| {
        let orders =
            keys.iter().map(|key| key.of_row[*one as usize].cmp(&key.of_row[*two as usize]));
        orders.fold(Ordering::Equal, Ordering::then).then(one.cmp(two))
    })
}

/// Pairs each key with its number.
fn numbered(
    packed: impl ExactSizeIterator<Item = u64>,
) -> impl ExactSizeIterator<Item = (u64, u32)> {
    packed.enumerate().map(|(row, packed)| (packed, row as u32))
}

/// Returns the first `limit` rows in order. No two are equal.
fn first_sorted<R: Copy>(
    rows: impl ExactSizeIterator<Item = R>,
    limit: usize,
    order: impl Fn(&R, &R) -> Ordering,
) -> Vec<R> {
    if limit == 0 {
        return Vec::new();
    }
    if limit >= rows.len() / 4 {
        let mut rows: Vec<R> = rows.collect();
        if limit < rows.len() {
            rows.select_nth_unstable_by(limit - 1, &order);
            rows.truncate(limit);
        }
        rows.sort_unstable_by(order);
        return rows;
    }
    // Most rows come after the best ones so far, and are dropped at once.
    let room = 2 * limit.max(64);
    let mut best: Vec<R> = Vec::with_capacity(room);
    let mut last: Option<R> = None;
    for row in rows {
        if last.is_some_and(|last| order(&last, &row).is_lt()) {
            continue;
        }
        best.push(row);
        if best.len() == room {
            last = Some(*best.select_nth_unstable_by(limit - 1, &order).1);
            best.truncate(limit);
        }
    }
    best.sort_unstable_by(order);
    best.truncate(limit);
    best
}

/// Compares cells of any type: numbers, texts, booleans, nulls. A descending order reverses the values of a type, not the
/// types.
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
        // Columns with dates or times have no other types.
        Cell::Date(_) | Cell::Time(_) | Cell::DateTime(_) => 3,
        Cell::Null => 4,
    }
}

/// Returns a warning if texts with numbers, such as `2月` and `10月`, are in an unexpected order.
pub(crate) fn natural_order_warning(column: &Column) -> Option<String> {
    let texts: Vec<&str> = match (&column.chunk.values, column.mixed()) {
        (_, Some(cells)) => {
            let texts = cells.iter().filter_map(|cell| match cell {
                Cell::Text(text) => Some(&**text),
                _ => None,
            });
            texts.take(MAX_TEXTS).collect()
        }
        (Values::Dictionary { values, .. }, _) => values.iter().take(MAX_TEXTS).collect(),
        (Values::Texts(texts), _) => {
            let rows = (0..column.n_rows()).filter(|row| !column.is_null(*row));
            rows.take(MAX_TEXTS).map(|row| texts.get(row)).collect()
        }
        _ => return None,
    };
    let bytes: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
    let order = text_order(&bytes);
    let text = |place: u32| texts[place as usize];
    let misled = |pair: &&[u32]| natural_cmp(text(pair[0]), text(pair[1])) == Ordering::Greater;
    let pair = order.windows(2).find(misled).map(|pair| [text(pair[0]), text(pair[1])])?;
    Some(format!(
        "column {} is ordered by code point, which puts {} before {}; numbers or texts of equal length would be ordered by value",
        quote(&column.name),
        quote(pair[0]),
        quote(pair[1])
    ))
}

/// Compares texts. A run of digits counts as a number.
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
    use mitt_guest::tables::Chunk;
    use proptest::prelude::*;

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
            let texts = || texts.iter().map(|text| Some(*text));
            let column = |chunk| Column::new("data", "月".into(), chunk).unwrap();
            let warning = natural_order_warning(&column(Chunk::texts(texts())));
            assert_eq!(natural_order_warning(&column(Chunk::dictionary(texts()))), warning);
            assert_eq!(warning.is_some(), pair.is_some(), "{pair:?}: {warning:?}");
            assert!(pair.is_none_or(|pair| warning.unwrap().contains(pair)), "{pair:?}");
        }
    }

    proptest! {
        #[test]
        fn rows_are_in_the_order_of_their_cells(
            far in prop::collection::vec(prop::option::of(any::<i64>()), 1..50),
            texts in prop::collection::vec(prop::option::of("[a-c中]{0,2}"), 50),
            descending: (bool, bool),
            limit in 0usize..60,
            n_more in 0usize..6,
        ) {
            // Few rows of a long table are found in another way.
            let (far, texts) = (vec![far; 1 << n_more].concat(), vec![texts; 1 << n_more].concat());
            let n_rows = far.len();
            let texts = texts[..n_rows].iter().map(|text| text.as_deref());
            let columns = [Chunk::dictionary(texts.clone()), Chunk::integers(far.iter().map(|far| far.map(|far| far % 5)))];
            let wide = [Chunk::texts(texts), Chunk::integers(far.clone())];
            for chunks in [columns, wide] {
                let columns = chunks.map(|chunk| Column::new("data", "c".into(), chunk).unwrap());
                let keys = [(&columns[0], descending.0), (&columns[1], descending.1)];
                let mut naive: Vec<u32> = (0..n_rows as u32).collect();
                naive.sort_by(|one, two| {
                    let orders = keys.map(|(column, descending)| {
                        compare(&column.cell(*one as usize), &column.cell(*two as usize), descending)
                    });
                    orders[0].then(orders[1])
                });
                naive.truncate(limit);
                let ranks = keys.map(|(column, descending)| Ranks::new(column, descending));
                prop_assert_eq!(sorted(&ranks, n_rows, limit), naive);
            }
        }
    }
}
