//! What the host is asked to write, for whole calls.

use crate::bindings::exports::mitt::excel_tool::tools::{
    ChartOptions, ColumnKind, ColumnOptions, SheetInput, SheetOptions, Total, TotalFunction,
};
use crate::bindings::mitt::host::render::{ChartKind, Formula, RowStyle, Sheet, SheetCell};
use crate::bindings::mitt::host::types::{Cell, Table};
use crate::workbook::{several, single};

fn number(lexeme: &str) -> Cell {
    Cell::Number(lexeme.to_owned())
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn table(columns: &[&str], rows: Vec<Vec<Cell>>) -> Table {
    Table { columns: columns.iter().map(|name| (*name).to_owned()).collect(), rows }
}

fn no_options() -> SheetOptions {
    SheetOptions {
        sheet_name: None,
        columns: None,
        totals: None,
        total_label: None,
        charts: None,
        freeze_header: None,
        auto_filter: None,
    }
}

fn column(name: &str, kind: ColumnKind) -> ColumnOptions {
    ColumnOptions {
        column: name.to_owned(),
        kind: Some(kind),
        number_format: None,
        width: None,
        alignment: None,
    }
}

fn total(column: &str, function: TotalFunction) -> Total {
    Total { column: column.to_owned(), function }
}

fn made(data: Table, options: SheetOptions) -> Sheet {
    let (book, _) =
        single(data, None, Some(options)).unwrap_or_else(|problems| panic!("{problems}"));
    book.sheets.into_iter().next().expect("one sheet")
}

fn problems(data: Table, options: SheetOptions) -> String {
    single(data, None, Some(options)).expect_err("problems")
}

fn formula(expression: &str, value: &str) -> SheetCell {
    SheetCell::Formula(Formula { expression: expression.to_owned(), value: value.to_owned() })
}

fn shown(text: &str) -> SheetCell {
    SheetCell::Text(text.to_owned())
}

fn sheet_input(name: &str, data: Table) -> SheetInput {
    SheetInput {
        name: name.to_owned(),
        data,
        columns: None,
        totals: None,
        total_label: None,
        charts: None,
        freeze_header: None,
        auto_filter: None,
    }
}

#[test]
fn a_plain_table() {
    let rows = vec![
        vec![
            number("2023"),
            number("1234567.5"),
            text("甲公司有限责任"),
            Cell::Boolean(true),
            text("2024-01-31"),
        ],
        vec![number("2024"), number("0.25"), Cell::Null, Cell::Null, text("2024-02-29")],
    ];
    let data = table(&["年份", "Revenue", "客户", "Paid", "Day"], rows);
    let (book, filename) = single(data, None, None).unwrap();
    assert_eq!((filename.as_str(), book.title), ("report.xlsx", None));
    let sheet = &book.sheets[0];
    assert_eq!(
        (sheet.name.as_str(), sheet.freeze_header, sheet.auto_filter),
        ("Sheet1", true, true)
    );
    let columns: Vec<_> = sheet
        .columns
        .iter()
        .map(|c| (c.header.as_str(), c.width, c.number_format.as_deref()))
        .collect();
    assert_eq!(
        columns,
        [
            ("年份", 8.0, Some("0")),
            ("Revenue", 14.0, Some("#,##0.00")),
            ("客户", 16.0, None),
            ("Paid", 8.0, None),
            ("Day", 12.0, Some("yyyy-mm-dd")),
        ]
    );
    let last = [
        SheetCell::Number("2024".to_owned()),
        SheetCell::Number("0.25".to_owned()),
        SheetCell::Empty,
        SheetCell::Empty,
        SheetCell::Date("2024-02-29".to_owned()),
    ];
    assert_eq!(sheet.rows[1].cells, last);
}

#[test]
fn text_is_never_a_formula() {
    let dangerous = ["=1+1", "+1", "-1", "@SUM(A1)", "=HYPERLINK(\"http://x\")", "\t=1"];
    let rows = dangerous.map(|cell| vec![text(cell)]).to_vec();
    for kind in [ColumnKind::Auto, ColumnKind::Text] {
        let options = SheetOptions { columns: Some(vec![column("a", kind)]), ..no_options() };
        let sheet = made(table(&["a"], rows.clone()), options);
        for (row, cell) in sheet.rows.iter().zip(dangerous) {
            assert_eq!(row.cells, [shown(cell)]);
        }
    }
}

#[test]
fn kinds_of_columns() {
    let rows = vec![
        vec![
            number("0042"),
            text("1,234.50"),
            text("2024-12-31 08:30"),
            text("[a](https://a.example/)"),
        ],
        vec![Cell::Boolean(false), number("2"), Cell::Null, text("https://b.example/")],
    ];
    let kinds = [
        ("t", ColumnKind::Text),
        ("n", ColumnKind::Number),
        ("d", ColumnKind::Date),
        ("l", ColumnKind::Link),
    ];
    let options = SheetOptions {
        columns: Some(kinds.map(|(name, kind)| column(name, kind)).to_vec()),
        ..no_options()
    };
    let sheet = made(table(&["t", "n", "d", "l"], rows), options);
    assert_eq!(sheet.rows[0].cells[0], shown("0042"));
    assert_eq!(sheet.rows[1].cells[0], shown("FALSE"));
    assert_eq!(sheet.rows[0].cells[1], SheetCell::Number("1234.50".to_owned()));
    assert_eq!(sheet.rows[0].cells[2], SheetCell::Date("2024-12-31T08:30:00".to_owned()));
    assert_eq!(sheet.columns[2].number_format.as_deref(), Some("yyyy-mm-dd hh:mm:ss"));
    let links: Vec<_> = sheet
        .rows
        .iter()
        .map(|row| match &row.cells[3] {
            SheetCell::Link(link) => (link.url.as_str(), link.text.as_str()),
            other => panic!("expected a link, got {other:?}"),
        })
        .collect();
    assert_eq!(links, [("https://a.example/", "a"), ("https://b.example/", "https://b.example/")]);
}

#[test]
fn a_column_of_dates_and_words_stays_text() {
    let sheet =
        made(table(&["d"], vec![vec![text("2024-12-31")], vec![text("soon")]]), no_options());
    assert_eq!(sheet.rows[0].cells[0], shown("2024-12-31"));
    assert_eq!(sheet.columns[0].number_format, None);
}

#[test]
fn formulas_have_values() {
    let rows = vec![
        vec![text("a"), number("0.1"), number("3"), text("={Price}*{Qty}")],
        vec![text("b"), number("19.99"), number("2"), text("=B{row}*C{row}")],
        vec![text("c"), Cell::Null, Cell::Null, text("=IF(A4=\"c\",1,2)")],
    ];
    let data = table(&["Item", "Price", "Qty", "Amount"], rows);
    let amount = || Some(vec![column("Amount", ColumnKind::Formula)]);
    let sheet = made(data.clone(), SheetOptions { columns: amount(), ..no_options() });
    assert_eq!(sheet.rows[0].cells[3], formula("=B2*C2", "0.3"));
    assert_eq!(sheet.rows[1].cells[3], formula("=B3*C3", "39.98"));
    assert_eq!(sheet.rows[2].cells[3], formula("=IF(A4=\"c\",1,2)", ""));
    assert_eq!(sheet.columns[3].number_format, None);

    let totals = || Some(vec![total("Amount", TotalFunction::Sum)]);
    let sheet =
        made(data.clone(), SheetOptions { columns: amount(), totals: totals(), ..no_options() });
    assert_eq!(sheet.rows[3].cells[3], formula("=SUBTOTAL(109,D2:D4)", ""));

    let mut known = data;
    known.rows.pop();
    let sheet = made(known, SheetOptions { columns: amount(), totals: totals(), ..no_options() });
    assert_eq!(sheet.rows[2].cells[3], formula("=SUBTOTAL(109,D2:D3)", "40.28"));
    assert_eq!(sheet.columns[3].number_format.as_deref(), Some("#,##0.00"));
}

#[test]
fn totals_are_exact_and_live() {
    let rows = (0..10)
        .map(|_| vec![text("x"), number("0.1"), number("3"), text("2024-12-31"), Cell::Null])
        .collect();
    let totals = vec![
        total("Sum", TotalFunction::Sum),
        total("Mean", TotalFunction::Average),
        total("Day", TotalFunction::Max),
        total("None", TotalFunction::Min),
    ];
    let options = SheetOptions { totals: Some(totals), ..no_options() };
    let sheet = made(table(&["Item", "Sum", "Mean", "Day", "None"], rows), options);
    let last = &sheet.rows[10];
    assert_eq!(last.style, RowStyle::Total);
    assert_eq!(
        last.cells,
        [
            shown("Total"),
            formula("=SUBTOTAL(109,B2:B11)", "1"),
            formula("=SUBTOTAL(101,C2:C11)", "3"),
            formula("=SUBTOTAL(104,D2:D11)", "45657"),
            SheetCell::Empty,
        ]
    );
}

#[test]
fn totals_fit_their_columns() {
    let rows = vec![
        vec![number("1"), number("0.5"), text("a")],
        vec![number("2"), number("0.7"), Cell::Null],
    ];
    let percent =
        ColumnOptions { number_format: Some("0.0%".to_owned()), ..column("率", ColumnKind::Auto) };
    let totals = [
        ("数", TotalFunction::Average),
        ("率", TotalFunction::Count),
        ("名", TotalFunction::Count),
    ];
    let options = SheetOptions {
        columns: Some(vec![percent]),
        totals: Some(totals.map(|(name, function)| total(name, function)).to_vec()),
        total_label: Some("小计".to_owned()),
        ..no_options()
    };
    let sheet = made(table(&["数", "率", "名"], rows.clone()), options);
    assert_eq!(sheet.columns[0].number_format.as_deref(), Some("#,##0.0"));
    let counts =
        [formula("=TEXT(SUBTOTAL(103,B2:B3),\"0\")", "2"), formula("=SUBTOTAL(103,C2:C3)", "1")];
    assert_eq!(sheet.rows[2].cells[1..], counts);

    let options =
        SheetOptions { totals: Some(vec![total("数", TotalFunction::Sum)]), ..no_options() };
    let sheet = made(table(&["数", "率", "名"], rows), options);
    assert_eq!(sheet.rows[2].cells[1..], [shown("合计"), SheetCell::Empty]);
}

#[test]
fn totals_without_rows_do_not_add_themselves() {
    let totals = vec![total("n", TotalFunction::Sum), total("m", TotalFunction::Average)];
    let sheet =
        made(table(&["n", "m"], Vec::new()), SheetOptions { totals: Some(totals), ..no_options() });
    assert_eq!(sheet.rows[0].cells, [SheetCell::Number("0".to_owned()), SheetCell::Empty]);
}

#[test]
fn more_than_26_columns() {
    let names: Vec<_> = (1..=30).map(|n| format!("c{n}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let options =
        SheetOptions { totals: Some(vec![total("c30", TotalFunction::Sum)]), ..no_options() };
    let sheet = made(table(&names, vec![vec![number("7"); 30]]), options);
    assert_eq!(sheet.rows[1].cells[29], formula("=SUBTOTAL(109,AD2:AD2)", "7"));
}

#[test]
fn charts_find_their_columns() {
    let chart = ChartOptions {
        kind: ChartKind::Line,
        title: Some(String::new()),
        category: "Year".to_owned(),
        values: vec!["B".to_owned(), "A".to_owned()],
    };
    let options = SheetOptions {
        charts: Some(vec![chart]),
        totals: Some(vec![total("A", TotalFunction::Sum)]),
        ..no_options()
    };
    let rows = vec![
        vec![number("2023"), number("1"), number("2")],
        vec![number("2024"), number("3"), number("4")],
    ];
    let sheet = made(table(&["Year", "A", "B"], rows), options);
    let chart = &sheet.charts[0];
    assert_eq!((chart.category_column, &chart.value_columns[..]), (0, &[2, 1][..]));
    // The totals row is not drawn.
    assert_eq!((chart.first_row, chart.row_count, chart.title.as_deref()), (0, 2, None));
}

#[test]
fn several_sheets() {
    let data = || table(&["a"], vec![vec![number("1")]]);
    let inputs = [sheet_input("甲", data()), sheet_input("Two", data())];
    let (book, filename) = several(&inputs, Some("年报".to_owned()), Some("T".to_owned())).unwrap();
    assert_eq!((filename.as_str(), book.title.as_deref()), ("年报.xlsx", Some("T")));
    assert_eq!(
        book.sheets.iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(),
        ["甲", "Two"]
    );

    let inputs =
        [sheet_input("Data", data()), sheet_input("DATA", data()), sheet_input("a/b", data())];
    assert_eq!(
        several(&inputs, Some("../x.pdf".to_owned()), None).unwrap_err(),
        "filename: expected a file name without any folder, got `../x.pdf`\n\
         sheets[1].name: expected names that differ in more than case, got `DATA` again after sheets[0]\n\
         sheets[2].name: expected a name without `[ ] : * ? / \\`, got `a/b`"
    );
    assert_eq!(
        several(&[], None, None).unwrap_err(),
        "sheets: expected at least one sheet, got none"
    );
}

#[test]
fn all_problems_at_once() {
    let rows =
        vec![vec![text("n/a"), text("x")], vec![number("1")], vec![Cell::Boolean(true), text("y")]];
    let chart = ChartOptions {
        kind: ChartKind::Pie,
        title: None,
        category: "name".to_owned(),
        values: vec!["Name".to_owned(), "Amounts".to_owned()],
    };
    let options = SheetOptions {
        sheet_name: Some("x".repeat(32)),
        columns: Some(vec![
            column("Amount", ColumnKind::Number),
            column("amount", ColumnKind::Text),
        ]),
        totals: Some(vec![
            total("Name", TotalFunction::Sum),
            total("Amount", TotalFunction::Sum),
            total("Amount", TotalFunction::Min),
        ]),
        charts: Some(vec![chart]),
        ..no_options()
    };
    let expected = [
        "options.sheet_name: expected 1 to 31 characters, got `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` with 32",
        "data.rows[1]: expected 2 cells, one per column, got 1",
        "options.columns[1].column: expected a column of the data (`Amount`, `Name`), got `amount`, did you mean `Amount`",
        "data.rows[0].Amount: expected a number, got text `n/a`",
        "data.rows[2].Amount: expected a number, got boolean `true`",
        "options.totals[0].function: column `Name` holds no numbers, which `sum` needs; hint: give numbers as numbers, or kind `number`",
        "options.totals[2].column: column `Amount` has a total already",
        "options.charts[0].category: expected a column of the data (`Amount`, `Name`), got `name`, did you mean `Name`",
        "options.charts[0].values[0]: expected a column of numbers, got `Name`, which holds none; hint: kind `number`",
        "options.charts[0].values[1]: expected a column of the data (`Amount`, `Name`), got `Amounts`, did you mean `Amount`",
    ];
    assert_eq!(problems(table(&["Amount", "Name"], rows), options), expected.join("\n"));
}

#[test]
fn many_problems_are_counted() {
    let rows = (0..100).map(|_| vec![text(&"长".repeat(60))]).collect();
    let options =
        SheetOptions { columns: Some(vec![column("n", ColumnKind::Number)]), ..no_options() };
    let found = problems(table(&["n"], rows), options);
    assert_eq!(found.lines().count(), 21);
    assert!(found.ends_with("\nand 80 more problems"), "{found}");
    assert!(found.starts_with(&format!(
        "data.rows[0].n: expected a number, got text `{}…`\n",
        "长".repeat(40)
    )));
}

#[test]
fn totals_that_excel_would_get_wrong_are_refused() {
    for (cell, function, expected) in [
        (
            number("12345678901234567"),
            TotalFunction::Sum,
            "column `n` holds a number of more than 15 significant digits in row 0, which Excel cannot calculate with; \
             hint: round it",
        ),
        (
            text("2024-12-31"),
            TotalFunction::Average,
            "column `n` holds dates, which cannot be added; expected `min`, `max` or `count`, got `average`",
        ),
    ] {
        let options = SheetOptions { totals: Some(vec![total("n", function)]), ..no_options() };
        let found = problems(table(&["n"], vec![vec![cell]]), options);
        assert_eq!(found, format!("options.totals[0].function: {expected}"));
    }
}

#[test]
fn broken_tables_are_named() {
    assert_eq!(
        problems(table(&[], Vec::new()), no_options()),
        "data: expected at least one column, got none"
    );
    assert_eq!(
        problems(table(&["a", "", "a"], Vec::new()), no_options()),
        "data.columns[1]: expected a column name, got an empty one\n\
         data.columns[2]: expected unique column names, got `a` again after columns[0]"
    );
}
