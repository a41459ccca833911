//! Tests of tables under construction: types, chunks, memory.

use super::*;
use crate::{ColumnType, Texts, Validity, Values};
use mitt_base::Resource;

fn account() -> Account {
    Account::root(Resource::Documents, u64::MAX)
}

fn builder(names: &[&str], account: &Account) -> TableBuilder {
    TableBuilder::new(names.iter().map(|name| (*name).to_owned()).collect(), account)
}

/// Returns the cells of the first column as text; nulls are empty.
fn shown(table: &Table) -> Vec<String> {
    table.cells(0, usize::MAX).map(|row| row[0].as_str().to_owned()).collect()
}

/// Returns a table with one column of untyped texts and typed numbers.
fn column(cells: &[CellRef<'_>]) -> Table {
    let mut builder = builder(&["a"], &account());
    builder.find_types();
    cells.iter().for_each(|cell| builder.push_row([*cell]).unwrap());
    builder.finish().unwrap()
}

fn texts(all: &[&str]) -> Texts {
    let mut texts = Texts::default();
    assert!(all.iter().all(|text| texts.push(text)));
    texts
}

fn dictionary(keys: &[u32], all: &[&str]) -> Values {
    Values::Dictionary(keys.to_vec(), Arc::new(texts(all)))
}

/// Returns a chunk whose last value is null.
fn chunk(values: Values) -> Chunk {
    let mut validity = Validity::all(true, values.len() - 1);
    validity.push(false);
    Chunk { values, validity }
}

#[test]
fn chunks_of_all_types_join_without_changing_a_value() {
    let hour = 3_600_000_000;
    let big = 10_i128.pow(20);
    let wide = || Values::WideDecimals(1, vec![big + 5, 0]);
    let rows: Vec<(Values, Values, ColumnType, [&str; 2])> = vec![
        (
            Values::Integers(vec![1, 0]),
            Values::Integers(vec![2, 0]),
            ColumnType::Integer,
            ["1", "2"],
        ),
        // The numbers of two scales are not those of one.
        (
            Values::Decimals(1, vec![15, 0]),
            Values::Decimals(2, vec![125, 0]),
            ColumnType::Decimal,
            ["1.5", "1.25"],
        ),
        (
            Values::Decimals(2, vec![125, 0]),
            Values::Decimals(1, vec![15, 0]),
            ColumnType::Decimal,
            ["1.25", "1.5"],
        ),
        (
            Values::Decimals(1, vec![15, 0]),
            Values::Decimals(1, vec![25, 0]),
            ColumnType::Decimal,
            ["1.5", "2.5"],
        ),
        (
            wide(),
            Values::WideDecimals(2, vec![big + 25, 0]),
            ColumnType::Decimal,
            ["10000000000000000000.5", "1000000000000000000.25"],
        ),
        (wide(), wide(), ColumnType::Decimal, ["10000000000000000000.5", "10000000000000000000.5"]),
        (
            wide(),
            Values::Decimals(2, vec![25, 0]),
            ColumnType::Decimal,
            ["10000000000000000000.5", "0.25"],
        ),
        (
            Values::Decimals(2, vec![25, 0]),
            wide(),
            ColumnType::Decimal,
            ["0.25", "10000000000000000000.5"],
        ),
        (
            wide(),
            Values::Integers(vec![7, 0]),
            ColumnType::Decimal,
            ["10000000000000000000.5", "7"],
        ),
        // A decimal without a fraction is an integer.
        (
            Values::Integers(vec![1, 0]),
            Values::Decimals(1, vec![20, 0]),
            ColumnType::Integer,
            ["1", "2"],
        ),
        (
            Values::Integers(vec![1, 0]),
            Values::Decimals(1, vec![25, 0]),
            ColumnType::Decimal,
            ["1", "2.5"],
        ),
        (
            Values::Integers(vec![1, 0]),
            Values::Decimals(3, vec![2_500, 0]),
            ColumnType::Decimal,
            ["1", "2.5"],
        ),
        (
            Values::Integers(vec![1, 0]),
            Values::Decimals(0, vec![20, 0]),
            ColumnType::Integer,
            ["1", "20"],
        ),
        (
            Values::Integers(vec![1, 0]),
            Values::WideDecimals(2, vec![700, 0]),
            ColumnType::Integer,
            ["1", "7"],
        ),
        (
            Values::Decimals(1, vec![15, 0]),
            Values::Integers(vec![2, 0]),
            ColumnType::Decimal,
            ["1.5", "2"],
        ),
        (
            Values::Floats(vec![1.5, 0.0]),
            Values::Floats(vec![0.25, 0.0]),
            ColumnType::Float,
            ["1.5", "0.25"],
        ),
        (
            Values::Integers(vec![1, 0]),
            Values::Floats(vec![0.5, 0.0]),
            ColumnType::Mixed,
            ["1", "0.5"],
        ),
        (
            Values::Integers(vec![1, 0]),
            Values::Floats(vec![f64::NAN, 0.0]),
            ColumnType::Mixed,
            ["1", ""],
        ),
        (
            Values::Floats(vec![0.5, 0.0]),
            Values::Integers(vec![1, 0]),
            ColumnType::Mixed,
            ["0.5", "1"],
        ),
        (
            Values::Dates(vec![0, 0]),
            Values::Dates(vec![1, 0]),
            ColumnType::Date,
            ["1970-01-01", "1970-01-02"],
        ),
        (
            Values::Times(vec![hour, 0]),
            Values::Times(vec![0, 0]),
            ColumnType::Time,
            ["01:00:00", "00:00:00"],
        ),
        (
            Values::DateTimes(vec![hour, 0]),
            Values::DateTimes(vec![0, 0]),
            ColumnType::DateTime,
            ["1970-01-01T01:00:00", "1970-01-01T00:00:00"],
        ),
        (
            Values::Dates(vec![0, 0]),
            Values::Times(vec![hour, 0]),
            ColumnType::Text,
            ["1970-01-01", "01:00:00"],
        ),
        (
            Values::Times(vec![hour, 0]),
            Values::Dates(vec![0, 0]),
            ColumnType::Text,
            ["01:00:00", "1970-01-01"],
        ),
        (
            Values::Dates(vec![0, 0]),
            Values::DateTimes(vec![hour, 0]),
            ColumnType::Text,
            ["1970-01-01", "1970-01-01T01:00:00"],
        ),
        (
            Values::Texts(texts(&["x", ""])),
            Values::Dates(vec![0, 0]),
            ColumnType::Text,
            ["x", "1970-01-01"],
        ),
        (
            Values::Texts(texts(&["x", ""])),
            Values::Texts(texts(&["y", ""])),
            ColumnType::Text,
            ["x", "y"],
        ),
        (
            Values::Texts(texts(&["x", ""])),
            dictionary(&[1, 2], &["z", "y"]),
            ColumnType::Text,
            ["x", "y"],
        ),
        (
            dictionary(&[1, 9], &["z", "y"]),
            Values::Texts(texts(&["x", ""])),
            ColumnType::Text,
            ["y", "x"],
        ),
        (
            dictionary(&[1, 0], &["z", "y"]),
            dictionary(&[0, 9], &["w", "y"]),
            ColumnType::Text,
            ["y", "w"],
        ),
        (
            Values::Booleans(vec![1], 2),
            Values::Booleans(vec![1], 2),
            ColumnType::Boolean,
            ["true", "true"],
        ),
        (
            Values::Booleans(vec![1], 2),
            Values::Dates(vec![0, 0]),
            ColumnType::Mixed,
            ["true", "1970-01-01"],
        ),
        (
            Values::Integers(vec![1, 0]),
            Values::Texts(texts(&["x", ""])),
            ColumnType::Mixed,
            ["1", "x"],
        ),
        (
            Values::Mixed(vec![Cell::Number("1".into()), Cell::Null]),
            Values::Mixed(vec![Cell::Text("1970-01-01".into()), Cell::Null]),
            ColumnType::Mixed,
            ["1", "1970-01-01"],
        ),
    ];
    for (first, second, ty, [one, other]) in rows {
        let name = format!("{first:?} {second:?}");
        nulls_before_a_chunk_keep_its_type(first.clone(), one);
        let mut builder = builder(&["a"], &account());
        builder.append(vec![chunk(first)]).unwrap();
        builder
            .append(vec![Chunk { values: Values::Empty(2), validity: Validity::all(false, 2) }])
            .unwrap();
        builder.append(vec![chunk(second.clone())]).unwrap();
        builder.append(vec![chunk(second)]).unwrap();
        let table = builder.finish().unwrap();
        assert_eq!(shown(&table), [one, "", "", "", other, "", other, ""], "{name}");
        let column = table.column(0).unwrap();
        assert_eq!(column.column_type(), ty, "{name}");
        let nulls = if other.is_empty() { 7 } else { 5 };
        // A float that JSON cannot write became a null cell.
        assert_eq!(column.nulls(), nulls, "{name}");
    }
}

fn nulls_before_a_chunk_keep_its_type(values: Values, one: &str) {
    // The type of mixed cells is found anew.
    let ty = match values.column_type() {
        ColumnType::Mixed => ColumnType::Integer,
        ty => ty,
    };
    let mut builder = builder(&["a"], &account());
    let nulls = Chunk { values: Values::Empty(2), validity: Validity::all(false, 2) };
    builder.append(vec![nulls]).unwrap();
    builder.append(vec![chunk(values)]).unwrap();
    let table = builder.finish().unwrap();
    assert_eq!(shown(&table), ["", "", one, ""]);
    let column = table.column(0).unwrap();
    assert_eq!((column.column_type(), column.nulls()), (ty, 3));
}

#[test]
fn what_a_table_holds_can_be_appended_to_another() {
    let tiny = "0.00000000000000000001";
    let digits = |count| "9".repeat(count);
    for (cells, scale, is_wide) in [
        (vec!["1", "1.5"], 1, false),
        (vec!["1.5", "1"], 1, false),
        (vec![tiny], 20, true),
        (vec!["0", tiny], 20, true),
        (vec!["0.000000000000000001"], 18, false),
        (vec!["0", "0.000000000000000001"], 18, false),
        (vec!["0.5", "999999999999999999"], 1, true),
        (vec!["99999999999999999", "0.5"], 1, false),
        // One digit more than 18, with those behind the point.
        (vec!["100000000000000000", "0.5"], 1, true),
        (vec!["0.5", "100000000000000000"], 1, true),
        (vec!["100000000000000000.1"], 1, true),
        (vec![&digits(37), "0.5"], 1, true),
    ] {
        let table = column(&cells.iter().map(|it| CellRef::Number(it)).collect::<Vec<_>>());
        assert_eq!(shown(&table), cells);
        let column = table.column(0).unwrap();
        assert_eq!(column.scale(), scale, "{cells:?}");
        assert_eq!(matches!(column.values().0, Values::WideDecimals(..)), is_wide, "{cells:?}");
        assert!(is_wide || matches!(column.values().0, Values::Decimals(..)), "{cells:?}");
        let mut copy = builder(&["a"], &account());
        copy.append_table(&table).unwrap();
        assert_eq!(copy.finish().unwrap(), table);
    }
    // With 39 digits it is no decimal.
    let large = format!("1{}", "0".repeat(37));
    let table = column(&[CellRef::Number(&large), CellRef::Number("0.5")]);
    assert_eq!(table.column(0).unwrap().column_type(), ColumnType::Mixed);
    assert_eq!(table.column(0).unwrap().scale(), 0);
    assert_eq!(shown(&table), [&large, "0.5"]);
}

#[test]
fn several_dates_and_times_keep_their_type() {
    for (cells, ty) in [
        (["2024-01-31", "2024-02-29"], ColumnType::Date),
        (["08:30:00", "23:59:59.5"], ColumnType::Time),
        (["2024-01-31T08:30:00", "2024-02-29T00:00:00"], ColumnType::DateTime),
        (["2024-01-31", "08:30:00"], ColumnType::Text),
        (["08:30:00", "2024-01-31T08:30:00"], ColumnType::Text),
    ] {
        let table = column(&[CellRef::Text(cells[0]), CellRef::Null, CellRef::Text(cells[1])]);
        assert_eq!(table.column(0).unwrap().column_type(), ty, "{cells:?}");
        assert_eq!(shown(&table), [cells[0], "", cells[1]]);
    }
}

#[test]
fn columns_are_added_with_nulls_for_the_rows_so_far() {
    let mut builder = builder(&["a"], &account());
    builder.find_types();
    builder.push_row([CellRef::Number("1")]).unwrap();
    builder.push_row([CellRef::Number("2")]).unwrap();
    builder.grow(3);
    builder.grow(2);
    assert_eq!(
        (builder.rows(), builder.names()),
        (2, &["a".into(), String::new(), String::new()][..])
    );
    builder.rename(vec!["x".into(), "y".into(), "z".into()]);
    // The types of texts are found in new columns too.
    builder.push_row([CellRef::Number("3"), CellRef::Text("2024-01-31")]).unwrap();
    let table = builder.finish().unwrap();
    assert_eq!(table.names().collect::<Vec<_>>(), ["x", "y", "z"]);
    let rows = ["| 1 |  |  |\n", "| 2 |  |  |\n", "| 3 | 2024-01-31 |  |\n"];
    assert_eq!([0, 1, 2].map(|row| table.markdown_row(row)), rows);
    assert_eq!(table.column(1).unwrap().column_type(), ColumnType::Date);
    assert_eq!(table.columns().map(|(_, column)| column.nulls()).collect::<Vec<_>>(), [0, 2, 3]);
}

#[test]
fn a_table_has_at_most_as_many_rows_as_row_numbers() {
    let mut builder = builder(&["a"], &account());
    let nulls =
        |count| vec![Chunk { values: Values::Empty(count), validity: Validity::all(true, count) }];
    builder.append(nulls(MAX_ROWS)).unwrap();
    assert_eq!(builder.rows(), MAX_ROWS);
    assert_eq!(builder.push_row([CellRef::Null]), Err(Problem::Rows));
    assert_eq!(builder.append(nulls(1)), Err(Problem::Rows));
    assert_eq!(builder.finish().unwrap().rows(), MAX_ROWS);
}

#[test]
fn names_and_columns_are_charged() {
    let account = account();
    let names: Vec<String> = (0..100).map(|at| format!("column {at:03}")).collect();
    let mut builder = TableBuilder::new(names, &account);
    assert_eq!(account.usage().used, 0);
    builder.charge_names().unwrap();
    assert_eq!(account.usage().used, (100 * (10 + size_of::<ColumnBuilder>())) as u64);
}

#[test]
fn mixed_cells_and_the_index_of_texts_are_charged() {
    let long = "x".repeat(33);
    let mut column = ColumnBuilder::default();
    for cell in [CellRef::Null, CellRef::Boolean(true), CellRef::Text(&long), CellRef::Text(&long)]
    {
        column.push(cell).unwrap();
    }
    let Values::Mixed(cells) = column.parts().0 else { panic!("{:?}", column.parts()) };
    let (cells, bits) = (cells.capacity() * size_of::<Cell>(), column.parts().1.kept_bytes());
    assert!(bits > 0);
    // Each text takes 64 bytes with its counters.
    assert_eq!(column.kept_bytes(), cells + bits + 2 * 64);

    let mut column = ColumnBuilder::default();
    column.push(CellRef::Null).unwrap();
    let different: Vec<String> = (0..100).map(|at| at.to_string()).collect();
    different.iter().for_each(|text| column.push(CellRef::Text(text)).unwrap());
    let (values, validity) = column.parts();
    let data = values.kept_bytes() + validity.kept_bytes();
    // The key and a byte of the hash for each.
    assert!(column.kept_bytes() >= data + 100 * 5, "{} {data}", column.kept_bytes());
}

#[test]
fn texts_are_kept_once_if_every_second_one_repeats() {
    let of = |distinct: usize| {
        let texts: Vec<String> = (0..9_000).map(|at| (at * distinct / 12).to_string()).collect();
        column(&texts.iter().map(|text| CellRef::Text(text)).collect::<Vec<_>>())
    };
    let few = of(5);
    assert!(matches!(few.column(0).unwrap().values().0, Values::Dictionary(..)));
    let many = of(8);
    assert!(matches!(many.column(0).unwrap().values().0, Values::Texts(_)));
    assert_eq!(shown(&many)[8_999], "5999");
}

#[test]
fn a_range_of_a_column_ends_with_it() {
    let cells: Vec<String> = (0..10).map(|at| at.to_string()).collect();
    let table = column(&cells.iter().map(|it| CellRef::Number(it)).collect::<Vec<_>>());
    let column = table.column(0).unwrap();
    for (start, length, count) in [(0, 4, 4), (3, 7, 7), (3, 8, 7), (3, usize::MAX, 7), (11, 1, 0)]
    {
        assert_eq!(column.range(start, length).len(), count, "{start} {length}");
        assert_eq!(column.slice(start, length).values.len(), count, "{start} {length}");
    }
    assert_eq!(column.range(2, 3), column.range(2, 3));
    assert_ne!(column.range(2, 3), column.range(3, 3));
    assert_ne!(column.range(2, 3), column.range(2, 4));
}
