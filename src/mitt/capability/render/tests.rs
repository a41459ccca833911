use super::*;
use mitt_render::{
    CellNote, Chart, ColumnMapping, Data, DefinedName, Formula, InputRule, Link, Picture,
    Protection, Rule, SheetColumn, SheetRow, Sparklines,
};

#[test]
fn a_name_gets_the_extension_of_its_format_or_is_refused() {
    let book = Deliverable::Workbook(Box::default(), Vec::new());
    let named = |name: &str| book.file_name(name).map(|(name, format)| (name, format.extension));
    for (given, expected) in [
        ("report.xlsx", "report.xlsx"),
        ("Report.XLSX", "Report.XLSX"),
        ("report", "report.xlsx"),
        ("report v1.2", "report v1.2.xlsx"),
    ] {
        assert_eq!(named(given), Ok((expected.to_owned(), "xlsx")));
    }
    let problem = named("report.pdf").unwrap_err();
    assert_eq!(problem, "file name `report.pdf`: expected the extension `.xlsx`, got `.pdf`");
    assert!(named("report.docx").is_err() && named("../report").is_err());
    assert_eq!(book.format_name("report.pdf"), "xlsx");

    let text = Deliverable::Text(String::new());
    assert_eq!(text.file_name("a.CSV").unwrap().1.media_type, "text/csv");
    assert_eq!(
        text.file_name("a.pdf").unwrap_err(),
        "file name `a.pdf`: expected an extension `.md`, `.txt`, `.csv`, `.json`"
    );
    assert!(text.file_name("a").is_err());
    assert_eq!(text.format_name("a.HTML"), "html");
}

/// For each field of a deliverable that a plugin can set: a long text in it is charged for.
#[test]
fn every_part_of_a_deliverable_is_counted() {
    const LONG: usize = 1_000_000;
    let long = || "x".repeat(LONG);
    let of = |block| Sheet { blocks: vec![block], ..Sheet::default() };
    let rows = |rows| of(SheetBlock { rows, ..SheetBlock::default() });
    let cells = |cells| rows(vec![SheetRow { cells, ..SheetRow::default() }]);
    let columns = |columns| of(SheetBlock { columns, ..SheetBlock::default() });
    let charts = |charts| of(SheetBlock { charts, ..SheetBlock::default() });
    let rules = |rule| of(SheetBlock { rules: vec![rule], ..SheetBlock::default() });
    let inputs = |input| of(SheetBlock { inputs: vec![input], ..SheetBlock::default() });
    let notes = |note| of(SheetBlock { notes: vec![note], ..SheetBlock::default() });
    let formula =
        |expression, value| cells(vec![SheetCell::Formula(Formula { expression, value })]);
    let link = |url, text| cells(vec![SheetCell::Link(Link { url, text })]);
    let none = String::new;
    let shown = Data { columns: vec![ColumnMapping::default(); LONG / 8], ..Data::default() };
    for sheet in [
        Sheet { name: long(), ..Sheet::default() },
        Sheet { blocks: vec![SheetBlock::default(); LONG / 100], ..Sheet::default() },
        of(SheetBlock { title: Some(long()), ..SheetBlock::default() }),
        of(SheetBlock { data: Some(shown), ..SheetBlock::default() }),
        columns(vec![SheetColumn { header: long(), ..SheetColumn::default() }]),
        columns(vec![SheetColumn { number_format: Some(long()), ..SheetColumn::default() }]),
        columns(vec![SheetColumn::default(); LONG / 32]),
        charts(vec![Chart { title: Some(long()), ..Chart::default() }]),
        charts(vec![Chart { value_columns: vec![0; LONG / 4], ..Chart::default() }]),
        charts(vec![Chart::default(); LONG / 32]),
        charts(vec![Chart { line_columns: vec![0; LONG / 4], ..Chart::default() }]),
        charts(vec![Chart { category_title: Some(long()), ..Chart::default() }]),
        charts(vec![Chart { value_title: Some(long()), ..Chart::default() }]),
        charts(vec![Chart { second_title: Some(long()), ..Chart::default() }]),
        of(SheetBlock { table_name: Some(long()), ..SheetBlock::default() }),
        of(SheetBlock {
            sparklines: vec![Sparklines::default(); LONG / 12],
            ..SheetBlock::default()
        }),
        notes(CellNote { text: long(), ..CellNote::default() }),
        rules(Rule { columns: vec![0; LONG / 4], ..Rule::default() }),
        rules(Rule { value: Some(long()), ..Rule::default() }),
        rules(Rule { upper: Some(long()), ..Rule::default() }),
        inputs(InputRule { columns: vec![0; LONG / 4], ..InputRule::default() }),
        inputs(InputRule { choices: vec![long()], ..InputRule::default() }),
        inputs(InputRule { choices: vec![none(); LONG / 24], ..InputRule::default() }),
        inputs(InputRule { minimum: Some(long()), ..InputRule::default() }),
        inputs(InputRule { maximum: Some(long()), ..InputRule::default() }),
        inputs(InputRule { formula: Some(long()), ..InputRule::default() }),
        inputs(InputRule { prompt: Some(long()), ..InputRule::default() }),
        inputs(InputRule { message: Some(long()), ..InputRule::default() }),
        of(SheetBlock {
            pictures: vec![Picture { bytes: vec![0; LONG].into(), ..Picture::default() }],
            ..SheetBlock::default()
        }),
        Sheet { protection: Some(Protection { password: Some(long()) }), ..Sheet::default() },
        cells(vec![SheetCell::Text(long())]),
        cells(vec![SheetCell::Number(long())]),
        cells(vec![SheetCell::Date(long())]),
        cells(vec![SheetCell::Empty; LONG / 16]),
        formula(long(), none()),
        formula(none(), long()),
        link(long(), none()),
        link(none(), long()),
        rows(vec![SheetRow::default(); LONG / 16]),
    ] {
        let book = Workbook { sheets: vec![sheet], ..Workbook::default() };
        let what = Deliverable::Workbook(Box::new(book), Vec::new());
        assert!(what.bytes() >= LONG as u64, "{} of {LONG}", what.bytes());
    }
    let titled = Workbook { title: Some(long()), ..Workbook::default() };
    assert!(Deliverable::Workbook(Box::new(titled), Vec::new()).bytes() >= LONG as u64);
    for (name, formula) in [(long(), none()), (none(), long())] {
        let names = vec![DefinedName { name, formula }];
        let named = Workbook { names, ..Workbook::default() };
        assert!(Deliverable::Workbook(Box::new(named), Vec::new()).bytes() >= LONG as u64);
    }
    for (title, language) in [(Some(long()), None), (None, Some(long()))] {
        let options = Box::new(PdfOptions { title, language, ..PdfOptions::default() });
        let what = Deliverable::Pdf { markdown: String::new(), options };
        assert!(what.bytes() >= LONG as u64);
    }
}

#[test]
fn every_part_of_a_filling_is_counted() {
    use mitt_render::{FillTable, FillValue, FillValues};

    const LONG: usize = 1_000_000;
    let long = || "x".repeat(LONG);
    let row = || vec![FillValue::Text(long())];
    let table = || FillValue::Table(FillTable { columns: vec!["a".into()], rows: vec![row()] });
    let mut values = FillValues::new();
    values.set("a", FillValue::Text(long()));
    let mut lists = FillValues::new();
    lists.set("a", table());
    let none = || FillValue::Empty;
    for (template, change) in [
        (long(), Change::Fill(FillValues::new())),
        (String::new(), Change::Fill(values)),
        (String::new(), Change::Fill(lists)),
        (String::new(), Change::Append { sheet: Some(long()), rows: none() }),
        (String::new(), Change::Append { sheet: None, rows: table() }),
    ] {
        let what = Deliverable::Filling(Box::new(Filling { template, change, source: None }));
        assert!(what.bytes() >= LONG as u64, "{} of {LONG}", what.bytes());
        assert_eq!(what.format_name("a"), "xlsx");
    }
}
