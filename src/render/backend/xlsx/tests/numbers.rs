//! Numbers keep their type and value, however they are given.

use super::*;
use calamine::Data as Read;

/// Returns results of divisions, sums and random bits.
fn doubles() -> Vec<f64> {
    let mut found = vec![1.0 / 3.0, 100.0 / 7.0, 0.1 + 0.2, -2.0 / 3.0, 1e30 / 7.0, 5e-7 / 3.0];
    let mut bits = 0x2545_F491_4F6C_DD1D_u64;
    for index in 1..400_u32 {
        found.extend([f64::from(index) / 7.0, f64::from(index) * 0.1, f64::from(index).sqrt()]);
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // In the range of decimals with 38 digits.
        let value = f64::from_bits(bits >> 12 | 0x3FF0_0000_0000_0000) - 1.0;
        found.push(value * 10_f64.powi(i32::from((bits >> 8) as u8 % 30) - 12));
    }
    found.retain(|value| {
        let is_identifier = value.fract() == 0.0 && (1e15..1e21).contains(&value.abs());
        !is_identifier
    });
    found
}

fn table_of(cells: &[Cell]) -> Table {
    let account = Account::root(Resource::Documents, u64::MAX);
    let mut table = TableBuilder::new(vec!["x".to_owned()], &account);
    cells.iter().for_each(|cell| table.push_row([cell.borrow()]).unwrap());
    table.finish().unwrap()
}

fn column_of(bytes: Vec<u8>) -> Vec<Read> {
    cells(bytes).rows().skip(1).map(|row| row[0].clone()).collect()
}

fn same(found: &[Read], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(*found, Read::Float(*expected), "{what}: {expected:?}");
    }
}

#[test]
fn what_a_double_holds_is_a_number_in_every_way_into_a_cell() {
    let values = doubles();
    let lexeme = |value: &f64| Cell::Number(format!("{value}").into());
    let row = |value: &f64| SheetRow {
        cells: vec![SheetCell::Number(format!("{value:?}"))],
        style: RowStyle::Normal,
    };
    let block = Block {
        columns: vec![column("x")],
        rows: values.iter().map(row).collect(),
        ..Block::default()
    };
    same(&column_of(written(of(vec![block]))), &values, "cells");

    // Columns of one type, and one column with all of them.
    let chunks: Vec<&[f64]> = values.chunks(50).chain([&values[..]]).collect();
    let mut kinds = std::collections::BTreeSet::new();
    for chunk in chunks {
        let table = table_of(&chunk.iter().map(lexeme).collect::<Vec<_>>());
        kinds.insert(table.columns().next().unwrap().1.column_type().name());
        same(&column_of(written(of(vec![shows(table, &[CellConversion::AsIs])]))), chunk, "table");
    }
    assert!(kinds.contains("decimal"), "{kinds:?}");

    let validity = Validity::all(true, values.len());
    let floats = table(vec![("x", Values::Floats(values.clone()), validity)]);
    same(&column_of(written(of(vec![shows(floats, &[CellConversion::AsIs])]))), &values, "floats");
}

#[test]
fn what_no_double_holds_is_text_and_told() {
    let number = |text: &str| Cell::Number(text.into());
    let given =
        ["123456789012345678", "0.12345678901234567890", "1e400", "0.5", "1234567890123456"];
    let table = table_of(&given.map(number));
    let mut sheet = of(vec![shows(table, &[CellConversion::AsIs])]);
    sheet.blocks[0].rows = vec![SheetRow {
        cells: vec![SheetCell::Number("9007199254740993".into())],
        style: RowStyle::Total,
    }];
    let made = xlsx(&book(vec![sheet]), &XlsxOptions::default()).unwrap();
    let text = |text: &str| Read::String(text.into());
    assert_eq!(
        column_of(made.bytes),
        [
            text("123456789012345678"),
            text("0.1234567890123456789"),
            text("1e400"),
            Read::Float(0.5),
            text("1234567890123456"),
            text("9007199254740993"),
        ]
    );
    assert_eq!(made.warnings.len(), 1, "{:?}", made.warnings);
    assert!(
        made.warnings[0]
            .starts_with("sheet `数据`, column `x`: 5 numbers are text, the first in row 2"),
        "{:?}",
        made.warnings
    );
    // A column that must be shown as text.
    let table = table_of(&[number("123456789012345678")]);
    let sheet = of(vec![shows(table, &[CellConversion::Text])]);
    let made = xlsx(&book(vec![sheet]), &XlsxOptions::default()).unwrap();
    assert_eq!(made.warnings, Vec::<String>::new());
}

#[test]
fn results_of_formulas_that_are_no_numbers_are_text() {
    for (value, expected) in [
        ("0.3333333333333333", "<f>A1</f><v>0.3333333333333333</v>"),
        ("inf", "t=\"str\"><f>A1</f><v>inf</v>"),
        ("nan", "t=\"str\"><f>A1</f><v>nan</v>"),
        ("1e400", "t=\"str\"><f>A1</f><v>1e400</v>"),
    ] {
        let formula = Formula { expression: "=A1".into(), value: value.into() };
        let bytes = written(sheet(vec![SheetCell::Formula(formula)]));
        let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
        assert!(sheet.contains(expected), "{sheet}");
    }
}

#[test]
fn charts_draw_fractions_and_areas_hide_nothing() {
    let row = |value: f64| SheetRow {
        cells: vec![
            SheetCell::Text("x".into()),
            SheetCell::Number(format!("{value}")),
            SheetCell::Number(format!("{}", value * 2.0)),
        ],
        style: RowStyle::Normal,
    };
    let chart = |columns: &[u32], stacking| Chart {
        kind: ChartKind::Area,
        value_columns: columns.to_vec(),
        row_count: 3,
        stacking,
        ..Chart::default()
    };
    let with = |chart| {
        let block = Block {
            columns: ["a", "b", "c"].map(column).to_vec(),
            rows: [1.0 / 3.0, 100.0 / 7.0, 0.1 + 0.2].map(row).to_vec(),
            charts: vec![chart],
            ..Block::default()
        };
        part(&written(of(vec![block])), "xl/charts/chart1.xml")
    };
    let apart = with(chart(&[1, 2], Stacking::None));
    assert_eq!(apart.matches("<a:alpha val=\"45000\"/>").count(), 2, "{apart}");
    assert!(apart.contains("<c:v>14.285714285714286</c:v>"), "{apart}");
    for alone in [with(chart(&[1], Stacking::None)), with(chart(&[1, 2], Stacking::Stacked))] {
        assert!(!alone.contains("a:alpha"), "{alone}");
    }
}
