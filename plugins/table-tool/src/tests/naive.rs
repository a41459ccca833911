//! Compares operations with their definitions, row by row and in quadratic time.

use super::{strings, table};
use crate::aggregate::Function;
use crate::cell::Cell;
use crate::exact::{Sum, round};
use crate::fraction::Fraction;
use crate::number::Number;
use crate::ops::Keep;
use crate::ops::{
    Aggregate, JoinKey, JoinKind, Pivot, SortKey, Unpivot, Window, WindowFunction, deduplicate,
    group, join, pivot, unpivot, window,
};
use mitt_guest::tables::{Cell as HostCell, Chunk, Memory, Source, Values};
use num_bigint::BigInt;
use proptest::prelude::*;
use rust_decimal::Decimal;

/// A key that may be null, and a number in one of the forms of columns.
type Rows = Vec<(Option<u8>, Option<i32>)>;

fn rows() -> impl Strategy<Value = Rows> {
    prop::collection::vec((prop::option::of(0u8..4), prop::option::of(-500i32..500)), 1..40)
}

/// Makes a table whose numbers are hundredths: narrow decimals, wide ones, floats, or cells of a mixed column.
fn source(rows: &Rows, form: u8) -> Memory {
    let texts: Vec<Option<String>> =
        rows.iter().map(|(key, _)| Some(format!("k{}", (*key)?))).collect();
    let keys = || texts.iter().map(|text| text.as_deref());
    let keys =
        if form.is_multiple_of(2) { Chunk::dictionary(keys()) } else { Chunk::texts(keys()) };
    let numbers = || rows.iter().map(|(_, number)| *number);
    let units = || numbers().map(Option::unwrap_or_default);
    let values = match form {
        0 => Values::Decimals { scale: 2, units: units().map(i64::from).collect() },
        1 => Values::WideDecimals { scale: 2, units: units().map(i128::from).collect() },
        2 => Values::Floats(units().map(|units| f64::from(units) / 100.0).collect()),
        _ => Values::Mixed(
            numbers()
                .map(|number| {
                    number.map_or(HostCell::Null, |number| {
                        HostCell::Number(Decimal::new(number.into(), 2).to_string())
                    })
                })
                .collect(),
        ),
    };
    let values = match form {
        3 => Chunk::from(values),
        _ => Chunk::new(values, numbers().map(|number| number.is_some()).collect()),
    };
    Memory::new(vec![("k", keys), ("v", values)])
}

fn cells(table: &Memory) -> Vec<Vec<Cell>> {
    let row =
        |row: Vec<HostCell>| row.into_iter().map(|cell| Cell::try_from(cell).unwrap()).collect();
    table.to_rows().into_iter().map(row).collect()
}

fn number(hundredths: Option<i32>) -> Cell {
    hundredths.map_or(Cell::Null, |number| Cell::Number(Decimal::new(number.into(), 2).into()))
}

fn cell_of(number: Option<Number>) -> Cell {
    number.map_or(Cell::Null, Cell::Number)
}

fn sum_of(numbers: &[i32]) -> Sum {
    let mut sum = Sum::default();
    numbers.iter().for_each(|number| sum.add_square(Decimal::new((*number).into(), 2)));
    sum
}

fn percentile(numbers: &[i32], percent: usize) -> Cell {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let Some(last) = sorted.len().checked_sub(1) else { return Cell::Null };
    let (place, part) = (last * percent / 100, last * percent % 100);
    let (low, high) = (sorted[place], sorted[(place + 1).min(last)]);
    let way = BigInt::from(i64::from(low) * 100 + i64::from(high - low) * part as i64);
    Cell::Number(round(&Fraction::new(way, BigInt::from(10_000)), 6).unwrap())
}

fn aggregated(numbers: &[Option<i32>], function: Function) -> Cell {
    let present: Vec<i32> = numbers.iter().copied().flatten().collect();
    match function {
        Function::Sum => cell_of(sum_of(&present).total(false).unwrap()),
        Function::Mean => cell_of(sum_of(&present).mean(6).unwrap()),
        Function::Stddev => cell_of(sum_of(&present).deviation(6).unwrap()),
        Function::Min => number(present.iter().min().copied()),
        Function::Max => number(present.iter().max().copied()),
        Function::First => number(present.first().copied()),
        Function::Last => number(present.last().copied()),
        Function::Count => Cell::Number(Decimal::from(present.len()).into()),
        Function::Rows => Cell::Number(Decimal::from(numbers.len()).into()),
        Function::CountDistinct => {
            let mut distinct = present;
            distinct.sort_unstable();
            distinct.dedup();
            Cell::Number(Decimal::from(distinct.len()).into())
        }
        Function::Median => percentile(&present, 50),
        Function::Percentile(percent) => percentile(&present, percent.into()),
    }
}

const FUNCTIONS: [Function; 13] = [
    Function::Sum,
    Function::Mean,
    Function::Stddev,
    Function::Min,
    Function::Max,
    Function::First,
    Function::Last,
    Function::Count,
    Function::Rows,
    Function::CountDistinct,
    Function::Median,
    Function::Percentile(10),
    Function::Percentile(90),
];

proptest! {
    #[test]
    fn groups_hold_what_their_rows_hold(rows in rows(), form in 0u8..4) {
        let aggregates = FUNCTIONS.map(|function| Aggregate { column: Some("v".into()), function, name: None });
        let found = group(&source(&rows, form), &strings("k"), &aggregates, None).unwrap().table;
        let mut keys: Vec<Option<u8>> = Vec::new();
        for (key, _) in &rows {
            if !keys.contains(key) {
                keys.push(*key);
            }
        }
        let wanted: Vec<Vec<Cell>> = keys.iter().map(|key| {
            let members: Vec<Option<i32>> = rows.iter().filter(|(other, _)| other == key).map(|(_, number)| *number).collect();
            let name = key.map_or(Cell::Null, |key| Cell::text(&format!("k{key}")));
            std::iter::once(name).chain(FUNCTIONS.map(|function| aggregated(&members, function))).collect()
        }).collect();
        prop_assert_eq!(cells(&found), wanted);
    }

    #[test]
    fn a_grid_holds_what_groups_hold(rows in rows(), form in 0u8..4) {
        let data = source(&rows, form);
        let keyed: Vec<i64> = (0..rows.len() as i64).map(|row| row % 3).collect();
        let data = data.beside(&Memory::new(vec![("c", Chunk::from(Values::Integers(keyed)))])).unwrap();
        for function in FUNCTIONS {
            let wide = Pivot { rows: &strings("k"), column: "c", values: "v", function, decimals: None };
            let wide = pivot(&data, &wide).unwrap().table;
            let long = Unpivot { keep: &strings("k"), columns: None, name: "c", value: "v" };
            let long = unpivot(&wide, &long).unwrap().table;
            let wanted = [Aggregate { column: Some("v".into()), function, name: None }];
            let groups = group(&data, &strings("k c"), &wanted, None).unwrap().table;
            // A cell of the grid without rows is null, and not a group.
            let groups: Vec<Vec<String>> = cells(&groups).iter().map(|row| row.iter().map(Cell::plain).collect()).collect();
            for row in cells(&long) {
                let row: Vec<String> = row.iter().map(Cell::plain).collect();
                let known = groups.iter().any(|group| group[..2] == row[..2]);
                prop_assert!(groups.contains(&row) || (!known && row[2] == "null"), "{:?}", row);
            }
        }
    }

    #[test]
    fn joins_pair_equal_keys(left in rows(), right in rows(), forms in (0u8..4, 0u8..4)) {
        let data = (source(&left, forms.0), source(&right, forms.1));
        let on = [JoinKey { left: "v".into(), right: "v".into() }];
        let mut wanted = Vec::new();
        let text = |key: Option<u8>| key.map_or(Cell::Null, |key| Cell::text(&format!("k{key}")));
        for (left_key, left_number) in &left {
            let before = wanted.len();
            for (right_key, right_number) in &right {
                if left_number.is_some() && left_number == right_number {
                    wanted.push(vec![text(*left_key), number(*left_number), text(*right_key)]);
                }
            }
            if wanted.len() == before {
                wanted.push(vec![text(*left_key), number(*left_number), Cell::Null]);
            }
        }
        for (right_key, right_number) in &right {
            if right_number.is_none() || !left.iter().any(|(_, number)| number == right_number) {
                wanted.push(vec![Cell::Null, number(*right_number), text(*right_key)]);
            }
        }
        let found = join(&data.0, &data.1, &on, JoinKind::Full, "_right").unwrap().table;
        prop_assert_eq!(cells(&found), wanted);
    }

    #[test]
    fn windows_hold_their_rows(rows in rows(), form in 0u8..4, width in prop::option::of(1u32..5)) {
        for function in [WindowFunction::Sum, WindowFunction::Mean, WindowFunction::Min, WindowFunction::Max, WindowFunction::Count] {
            let order_by = [SortKey { column: "v".into(), descending: true }];
            let (by, name) = (strings("k"), Some("w".to_owned()));
            let wanted = Window { column: "v", function, rows: width, order_by: &order_by, group_by: &by, name, decimals: None };
            let found = cells(&window(&source(&rows, form), wanted).unwrap().table);
            for (row, (key, value)) in rows.iter().enumerate() {
                let mut members: Vec<usize> = (0..rows.len()).filter(|other| rows[*other].0 == *key).collect();
                members.sort_by_key(|other| (rows[*other].1.is_none(), rows[*other].1.map(|value| -value)));
                let place = members.iter().position(|other| *other == row).unwrap() + 1;
                let from = width.map_or(0, |width| place.saturating_sub(width as usize));
                let in_window: Vec<Option<i32>> = members[from..place].iter().map(|other| rows[*other].1).collect();
                let is_whole = width.is_none_or(|width| place >= width as usize);
                let function = match function {
                    WindowFunction::Sum => Function::Sum,
                    WindowFunction::Mean => Function::Mean,
                    WindowFunction::Min => Function::Min,
                    WindowFunction::Max => Function::Max,
                    _ => Function::Count,
                };
                let wanted = if is_whole { aggregated(&in_window, function) } else { Cell::Null };
                prop_assert_eq!(&found[row][2], &wanted, "{:?} of row {} with {:?}", function, row, value);
            }
        }
    }

    #[test]
    fn one_of_equal_rows_stays(rows in rows(), form in 0u8..4) {
        let found = deduplicate(&source(&rows, form), None, Keep::Last).unwrap().table;
        let stays = |row: &usize| !rows[row + 1..].contains(&rows[*row]);
        let wanted: Vec<Cell> = (0..rows.len()).filter(stays).map(|row| number(rows[row].1)).collect();
        let found: Vec<Cell> = cells(&found).into_iter().map(|mut row| row.remove(1)).collect();
        prop_assert_eq!(found, wanted);
    }
}

#[test]
fn nothing_is_grouped_out_of_nothing() {
    let none = table("k | v");
    let found = group(&none, &strings("k"), &[], None).unwrap().table;
    assert_eq!((found.columns().len(), found.rows()), (1, 0));
}
