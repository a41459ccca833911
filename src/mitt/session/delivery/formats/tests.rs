use super::*;
use mitt_render::{
    CellNote, Chart, ColumnMapping, CommonOptions, Data, DefinedName, Formula, InputRule, Link,
    PdfOptions, Picture, Protection, Rule, Sheet, SheetBlock, SheetCell, SheetColumn, SheetRow,
    Sparklines, Workbook,
};
use mitt_skill::capability::{Change, Filling};

fn workbook(book: Workbook) -> Box<dyn Deliver> {
    format_of(Deliverable::Workbook(Box::new(book), Vec::new()))
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
        let what = workbook(book);
        assert!(what.bytes() >= LONG as u64, "{} of {LONG}", what.bytes());
    }
    let titled = Workbook { title: Some(long()), ..Workbook::default() };
    assert!(workbook(titled).bytes() >= LONG as u64);
    for (name, formula) in [(long(), none()), (none(), long())] {
        let names = vec![DefinedName { name, formula }];
        let named = Workbook { names, ..Workbook::default() };
        assert!(workbook(named).bytes() >= LONG as u64);
    }
    for (title, language) in [(Some(long()), None), (None, Some(long()))] {
        let options = Box::new(PdfOptions {
            common: CommonOptions { title, language, ..CommonOptions::default() },
            ..PdfOptions::default()
        });
        let what = format_of(Deliverable::Pdf { markdown: String::new(), options });
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
        assert_eq!(what.format_name("a"), "xlsx");
        let what = format_of(what);
        assert!(what.bytes() >= LONG as u64, "{} of {LONG}", what.bytes());
    }
}
