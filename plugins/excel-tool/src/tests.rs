//! Requests to the host for complete calls.

use crate::bindings::exports::mitt::excel_tool::tools::{
    ChartOptions, ColumnKind, ColumnOptions, SheetOptions, Total, TotalFunction,
};
use crate::bindings::mitt::host::render::{
    ChartKind, Formula, Orientation, Protection, RowStyle, SheetCell, SheetStyle, ShownAs, Stacking,
};
use crate::sheet::{Block, Input, Sheet, Wanted};
use crate::workbook::{Workbook, several, single};
use mitt_guest::tables::{Bits, Cell, Chunk, Error, Memory, Source as _, Values};

mod numbers;
mod shown;

fn number(lexeme: &str) -> Cell {
    Cell::Number(lexeme.to_owned())
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn table(columns: &[&str], rows: Vec<Vec<Cell>>) -> Memory {
    let names: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    Memory::from_rows(&names, &rows).expect("a table")
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
        design: None,
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

fn wanted(data: &Memory) -> Wanted<'_, Memory> {
    Wanted {
        data,
        title: None,
        at: None,
        columns: None,
        totals: None,
        total_label: None,
        charts: None,
        design: None,
    }
}

fn input<'a>(data: &'a Memory, options: &'a SheetOptions) -> Input<'a, Memory> {
    Input {
        name: options.sheet_name.as_deref().unwrap_or("Sheet1"),
        tables: vec![Wanted {
            columns: options.columns.as_deref(),
            totals: options.totals.as_deref(),
            total_label: options.total_label.as_deref(),
            charts: options.charts.as_deref(),
            design: options.design.as_deref(),
            ..wanted(data)
        }],
        freeze_header: options.freeze_header,
        auto_filter: options.auto_filter,
    }
}

fn book(data: &Memory, options: &SheetOptions) -> Workbook<Memory> {
    single(&input(data, options), None).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn made(data: Memory, options: SheetOptions) -> Block<Memory> {
    let sheet = book(&data, &options).sheets.remove(0);
    sheet.blocks.into_iter().next().expect("one table")
}

fn refused(result: Result<Workbook<Memory>, Error>) -> String {
    match result.expect_err("problems") {
        Error::InvalidArgument(text) => text,
        other => panic!("{other:?}"),
    }
}

fn problems(data: Memory, options: SheetOptions) -> String {
    refused(single(&input(&data, &options), None))
}

/// Returns a row of the data as the host writes it, each cell with the way it is shown.
fn cells(block: &Block<Memory>, row: usize) -> Vec<(Cell, &'static str)> {
    let cells = &block.table.to_rows()[row];
    let cell = |column: &crate::bindings::mitt::host::render::TableColumn| {
        let how = match column.shown {
            ShownAs::Value => "value",
            ShownAs::Text => "text",
            ShownAs::Date => "date",
            ShownAs::Formula(_) => "formula",
            ShownAs::Link => "link",
            ShownAs::Blank => "blank",
        };
        (cells[column.column as usize].clone(), how)
    };
    block.shown.iter().map(cell).collect()
}

/// Returns expression and value of the formula in a row of the data.
fn calculated(block: &Block<Memory>, row: usize, column: usize) -> (String, Cell) {
    let cells = &block.table.to_rows()[row];
    let ShownAs::Formula(Some(values)) = block.shown[column].shown else { panic!("no formula") };
    let Cell::Text(template) = &cells[block.shown[column].column as usize] else {
        panic!("no text")
    };
    let header = block.row as usize + usize::from(block.title.is_some());
    (template.replace("{row}", &(header + row + 2).to_string()), cells[values as usize].clone())
}

fn formula(expression: &str, value: &str) -> SheetCell {
    SheetCell::Formula(Formula { expression: expression.to_owned(), value: value.to_owned() })
}

fn shown(text: &str) -> SheetCell {
    SheetCell::Text(text.to_owned())
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
    let book = book(&data, &no_options());
    assert_eq!((book.filename.as_str(), &book.title), ("report.xlsx", &None));
    let Sheet { name, blocks, freeze_header, auto_filter, .. } = &book.sheets[0];
    assert_eq!((name.as_str(), *freeze_header, *auto_filter), ("Sheet1", true, true));
    let columns: Vec<_> = blocks[0]
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
    let last = [number("2024"), number("0.25"), Cell::Null, Cell::Null, text("2024-02-29")];
    assert_eq!(cells(&blocks[0], 1), last.map(|cell| (cell, "value")));
    // The host writes a column of dates as dates.
    let day = blocks[0].table.slice(blocks[0].shown[4].column, 0, 2).unwrap();
    assert_eq!(day.values, Values::Dates(vec![19_753, 19_782]));
}

#[test]
fn typed_columns_show_what_they_are() {
    let bits: Bits = [true, false].into_iter().collect();
    let hour = 3_600_000_000;
    let data = Memory::new(vec![
        ("day", Chunk::new(Values::Dates(vec![0, 1]), bits.clone())),
        ("early", Chunk::from(Values::Dates(vec![-25_568, 0]))),
        ("moment", Chunk::from(Values::DateTimes(vec![hour, 2 * hour]))),
        ("time", Chunk::from(Values::Times(vec![hour, 2 * hour]))),
        ("float", Chunk::from(Values::Floats(vec![0.5, f64::NAN]))),
        (
            "amount",
            Chunk::new(Values::Decimals { scale: 2, units: vec![-123_456, 0] }, bits.clone()),
        ),
        ("wide", Chunk::from(Values::WideDecimals { scale: 1, units: vec![5, 10_i128.pow(20)] })),
        (
            "word",
            Chunk::from(Values::Dictionary {
                keys: vec![1, 1],
                values: ["a long text that nothing uses", "b"].into_iter().collect(),
            }),
        ),
        ("flag", Chunk::new(Values::Booleans(bits.clone()), bits)),
        ("none", Chunk::from(Values::Empty(2))),
    ]);
    let totals = [
        ("day", TotalFunction::Max),
        ("time", TotalFunction::Min),
        ("float", TotalFunction::Sum),
        ("amount", TotalFunction::Sum),
        ("flag", TotalFunction::Count),
    ];
    let options = SheetOptions {
        totals: Some(totals.map(|(name, function)| total(name, function)).to_vec()),
        ..no_options()
    };
    let block = made(data, options);
    let looks: Vec<_> =
        block.columns.iter().map(|c| (c.number_format.as_deref(), c.width)).collect();
    assert_eq!(
        looks,
        [
            (Some("yyyy-mm-dd"), 12.0),
            (None, 12.0),
            (Some("yyyy-mm-dd hh:mm:ss"), 21.0),
            (Some("hh:mm:ss"), 10.0),
            (Some("#,##0.0"), 8.0),
            (Some("#,##0.00"), 11.0),
            (Some("#,##0.0"), 30.0),
            (None, 8.0),
            (None, 8.0),
            (None, 8.0),
        ]
    );
    let shown: Vec<_> = cells(&block, 0).into_iter().map(|(_, how)| how).collect();
    assert_eq!(shown[..3], ["value", "text", "value"]);
    let total = |index: usize| match &block.rows[0].cells[index] {
        SheetCell::Formula(Formula { value, .. }) => value.clone(),
        other => format!("{other:?}"),
    };
    assert_eq!([total(0), total(4), total(5), total(8)], ["25569", "0.5", "-1234.56", "1"]);
    assert_eq!(total(3), "0.0416666666666666666666666667");
}

#[test]
fn text_is_never_a_formula() {
    let dangerous = ["=1+1", "+1", "-1", "@SUM(A1)", "=HYPERLINK(\"http://x\")", "\t=1"];
    let rows = dangerous.map(|cell| vec![text(cell)]).to_vec();
    for (kind, how) in [(ColumnKind::Auto, "value"), (ColumnKind::Text, "text")] {
        let options = SheetOptions { columns: Some(vec![column("a", kind)]), ..no_options() };
        let block = made(table(&["a"], rows.clone()), options);
        for (row, cell) in dangerous.into_iter().enumerate() {
            assert_eq!(cells(&block, row), [(text(cell), how)]);
        }
    }
}

#[test]
fn kinds_of_columns() {
    let rows = vec![
        vec![
            number("42"),
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
    let block = made(table(&["t", "n", "d", "l"], rows), options);
    let first = [
        (number("42"), "text"),
        (number("1234.5"), "value"),
        (text("2024-12-31T08:30:00"), "value"),
    ];
    assert_eq!(cells(&block, 0)[..3], first);
    assert_eq!(
        cells(&block, 1)[..3],
        [(Cell::Boolean(false), "text"), (number("2"), "value"), (Cell::Null, "value")]
    );
    assert_eq!(cells(&block, 0)[3], (text("[a](https://a.example/)"), "link"));
    assert_eq!(block.columns[2].number_format.as_deref(), Some("yyyy-mm-dd hh:mm:ss"));
    // The width is that of the address, not of the notation with its text.
    assert_eq!(block.columns[3].width, 20.0);
}

#[test]
fn a_column_of_dates_and_words_stays_text() {
    let block =
        made(table(&["d"], vec![vec![text("2024-12-31")], vec![text("soon")]]), no_options());
    assert_eq!(cells(&block, 0), [(text("2024-12-31"), "value")]);
    assert_eq!(block.columns[0].number_format, None);
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
    let block = made(data.clone(), SheetOptions { columns: amount(), ..no_options() });
    assert_eq!(calculated(&block, 0, 3), ("=B2*C2".to_owned(), number("0.3")));
    assert_eq!(calculated(&block, 1, 3), ("=B3*C3".to_owned(), number("39.98")));
    assert_eq!(calculated(&block, 2, 3), ("=IF(A4=\"c\",1,2)".to_owned(), Cell::Null));
    assert_eq!(block.columns[3].number_format, None);

    let totals = || Some(vec![total("Amount", TotalFunction::Sum)]);
    let block =
        made(data.clone(), SheetOptions { columns: amount(), totals: totals(), ..no_options() });
    assert_eq!(block.rows[0].cells[3], formula("=SUBTOTAL(109,D2:D4)", ""));

    let known = data.range(0, 2);
    let block = made(known, SheetOptions { columns: amount(), totals: totals(), ..no_options() });
    assert_eq!(block.rows[0].cells[3], formula("=SUBTOTAL(109,D2:D3)", "40.28"));
    assert_eq!(block.columns[3].number_format.as_deref(), Some("#,##0.00"));
}

#[test]
fn several_tables_in_one_sheet() {
    let first = table(&["n"], vec![vec![number("1")], vec![number("2")]]);
    let second = table(&["x", "y"], vec![vec![number("5"), text("={x}*2")]]);
    let columns = [column("y", ColumnKind::Formula)];
    let totals = [total("n", TotalFunction::Sum)];
    let more = [total("x", TotalFunction::Sum), total("y", TotalFunction::Max)];
    let chart = [ChartOptions {
        kind: ChartKind::Bar,
        title: None,
        category: "x".to_owned(),
        values: vec!["y".to_owned()],
        stacking: None,
        lines: None,
        axes: None,
    }];
    let of = |at| Input {
        name: "甲",
        tables: vec![
            Wanted { totals: Some(&totals), title: Some("First"), ..wanted(&first) },
            Wanted {
                title: Some("Second"),
                at,
                columns: Some(&columns),
                totals: Some(&more),
                charts: Some(&chart),
                ..wanted(&second)
            },
            wanted(&first),
        ],
        freeze_header: None,
        auto_filter: None,
    };
    let places = |at| {
        let book = several(&[of(at)], None, None).unwrap();
        let blocks = &book.sheets[0].blocks;
        let places: Vec<_> = blocks.iter().map(|block| (block.row, block.column)).collect();
        let block = &blocks[1];
        let total = |index: usize| match &block.rows[0].cells[index] {
            SheetCell::Formula(formula) => formula.expression.clone(),
            other => panic!("{other:?}"),
        };
        (places, calculated(block, 0, 1), total(1), block.title.clone(), block.charts.len())
    };
    let title = Some("Second".to_owned());
    assert_eq!(
        places(None),
        (
            vec![(0, 0), (6, 0), (11, 0)],
            ("=A9*2".to_owned(), number("10")),
            "=SUBTOTAL(104,B9:B9)".to_owned(),
            title.clone(),
            1
        )
    );
    assert_eq!(
        places(Some("D1")),
        (
            vec![(0, 0), (0, 3), (5, 3)],
            ("=D3*2".to_owned(), number("10")),
            "=SUBTOTAL(104,E3:E3)".to_owned(),
            title,
            1
        )
    );
    assert_eq!(
        refused(several(&[of(Some("1D"))], None, None)),
        "sheets[0].more[0].at: expected a cell such as `H1`, got `1D`"
    );
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
    let last = &sheet.rows[0];
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
    assert_eq!(sheet.rows[0].cells[1..], counts);

    let options =
        SheetOptions { totals: Some(vec![total("数", TotalFunction::Sum)]), ..no_options() };
    let sheet = made(table(&["数", "率", "名"], rows), options);
    assert_eq!(sheet.rows[0].cells[1..], [shown("合计"), SheetCell::Empty]);
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
    assert_eq!(sheet.rows[0].cells[29], formula("=SUBTOTAL(109,AD2:AD2)", "7"));
}

#[test]
fn several_sheets() {
    let data = table(&["a"], vec![vec![number("1")]]);
    let named =
        |name| Input { name, tables: vec![wanted(&data)], freeze_header: None, auto_filter: None };
    let book = several(&[named("甲"), named("Two")], Some("年报"), Some("T".to_owned())).unwrap();
    assert_eq!((book.filename.as_str(), book.title.as_deref()), ("年报.xlsx", Some("T")));
    assert_eq!(
        book.sheets.iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(),
        ["甲", "Two"]
    );
    assert_eq!(
        refused(several(&[named("Data")], Some("../x.pdf"), None)),
        "filename: expected a file name without any folder, got `../x.pdf`"
    );
    assert_eq!(refused(several(&[], None, None)), "sheets: expected at least one sheet, got none");
}

#[test]
fn all_problems_at_once() {
    let rows = vec![
        vec![text("n/a"), text("x")],
        vec![number("1"), Cell::Null],
        vec![Cell::Boolean(true), text("y")],
    ];
    let chart = ChartOptions {
        kind: ChartKind::Pie,
        title: None,
        category: "name".to_owned(),
        values: vec!["Name".to_owned(), "Amounts".to_owned()],
        stacking: None,
        lines: None,
        axes: None,
    };
    let options = SheetOptions {
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
        design: Some(vec!["{Amuont} < 0".to_owned(), "style fancy".to_owned()]),
        ..no_options()
    };
    let expected = [
        "options.design[0]: expected a column of the data (`Amount`, `Name`), got `Amuont`, did you mean `Amount`",
        "options.design[1]: expected `report`, `plain`, `financial` or `dark`, got `fancy`",
        "options.columns[1].column: expected a column of the data (`Amount`, `Name`), got `amount`, did you mean `Amount`",
        "data.rows[0].Amount: expected a number, got text `n/a`",
        "data.rows[2].Amount: expected a number, got boolean `true`",
        "options.totals[0].function: column `Name` holds no numbers, which `sum` needs; hint: give numbers as numbers, or kind `number`",
        "options.totals[2].column: column `Amount` has a total already",
        "options.charts[0].category: expected a column of the data (`Amount`, `Name`), got `name`, did you mean `Name`",
        "options.charts[0].values[0]: expected a column of numbers, got `Name`, which holds none; hint: kind `number`",
        "options.charts[0].values[1]: expected a column of the data (`Amount`, `Name`), got `Amounts`, did you mean `Amount`",
        "options.charts[0].values: expected exactly one column of values in a pie, got 2",
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
            "column `n` holds a number in row 0 whose digits a cell of Excel does not hold, so that it is text there; hint: round it, or \
             leave the total out",
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
fn a_table_has_a_column() {
    assert_eq!(
        problems(table(&[], Vec::new()), no_options()),
        "data: expected at least one column, got none"
    );
}
