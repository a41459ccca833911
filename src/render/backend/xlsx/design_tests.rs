//! Appearance of a sheet beyond its values, in the parts of the file.

use super::*;
use crate::model::workbook::{
    CellNote, Chart, ChartKind, DefinedName, InputKind, InputRule, Orientation, PageSetup, Picture,
    Protection, RowStyle, Rule, RuleKind, RuleLook, Sheet, SheetAppearance, SheetCell, SheetColumn,
    SheetRow, SparklineKind, Sparklines, Stacking, Style,
};

/// Returns the text of one part of the package.
fn part(bytes: &[u8], name: &str) -> String {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut zip.by_name(name).unwrap(), &mut text).unwrap();
    text
}

fn column(header: &str, format: Option<&str>) -> SheetColumn {
    SheetColumn {
        header: header.into(),
        width: 12.0,
        number_format: format.map(str::to_owned),
        ..SheetColumn::default()
    }
}

fn number(value: f64) -> SheetCell {
    SheetCell::Number(value.to_string())
}

/// Returns months with plan, result, share and place.
fn months(count: u32) -> Block {
    let columns = [
        ("月份", None),
        ("计划（万元）", Some("#,##0.0")),
        ("实际（万元）", Some("#,##0.0")),
        ("完成率", Some("0.0%")),
        ("状态", None),
        ("趋势", None),
    ];
    let row = |index: u32| {
        let plan = 900.0 + 25.5 * f64::from(index);
        let made = plan * (0.85 + 0.05 * f64::from(index % 7));
        let state = if index.is_multiple_of(3) { "延期" } else { "完成" };
        SheetRow {
            cells: vec![
                SheetCell::Text(format!("{}月", index + 1)),
                number((plan * 10.0).round() / 10.0),
                number((made * 10.0).round() / 10.0),
                number((made / plan * 1e6).round() / 1e6),
                SheetCell::Text(state.into()),
                SheetCell::Empty,
            ],
            ..SheetRow::default()
        }
    };
    Block {
        columns: columns.map(|(header, format)| column(header, format)).into(),
        rows: (0..count).map(row).collect(),
        ..Block::default()
    }
}

fn sheet(name: &str, block: Block) -> Sheet {
    Sheet { name: name.into(), blocks: vec![block], freeze_header: true, ..Sheet::default() }
}

fn rule(column: u32, kind: RuleKind, value: Option<&str>, look: RuleLook) -> Rule {
    Rule { columns: vec![column], kind, value: value.map(str::to_owned), upper: None, look }
}

fn written(book: &Workbook) -> Vec<u8> {
    xlsx(book, &XlsxOptions::default()).unwrap().bytes
}

fn of(sheets: Vec<Sheet>) -> Workbook {
    Workbook { title: Some("经营报告 R&D".into()), sheets, ..Workbook::default() }
}

fn message(sheets: Vec<Sheet>) -> String {
    xlsx(&of(sheets), &XlsxOptions::default()).unwrap_err().to_string()
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
}

/// Returns a sheet with every feature.
pub(super) fn everything() -> Workbook {
    let mut block = months(12);
    block.rows.push(SheetRow {
        cells: vec![
            SheetCell::Text("合计".into()),
            SheetCell::Formula(crate::model::workbook::Formula {
                expression: "SUBTOTAL(109,B2:B13)".into(),
                value: "12483".into(),
            }),
            SheetCell::Empty,
            SheetCell::Empty,
            SheetCell::Empty,
            SheetCell::Empty,
        ],
        style: RowStyle::Total,
    });
    block.rules = vec![
        rule(1, RuleKind::Bars, None, RuleLook::Blue),
        rule(2, RuleKind::Less, Some("=$B2"), RuleLook::Red),
        rule(3, RuleKind::Arrows, None, RuleLook::Green),
        rule(4, RuleKind::Contains, Some("延期"), RuleLook::Yellow),
    ];
    block.inputs = vec![InputRule {
        columns: vec![4],
        choices: vec!["完成".into(), "延期".into()],
        message: Some("请从列表中选择".into()),
        prompt: Some("完成或延期".into()),
        ..InputRule::default()
    }];
    block.sparklines =
        vec![Sparklines { column: 5, first: 1, last: 2, kind: SparklineKind::Column }];
    block.notes = vec![CellNote { column: 2, row: None, text: "未经审计".into() }];
    block.columns[4].unlocked = true;
    block.columns[1].level = 1;
    block.table_name = Some("经营".into());
    block.charts = vec![
        Chart {
            title: Some("计划与实际".into()),
            value_columns: vec![1, 2],
            line_columns: vec![3],
            second_axis: true,
            row_count: 12,
            value_title: Some("万元".into()),
            second_title: Some("完成率".into()),
            ..Chart::default()
        },
        Chart {
            kind: ChartKind::Bar,
            stacking: Stacking::Percent,
            value_columns: vec![1, 2],
            row_count: 12,
            ..Chart::default()
        },
        Chart {
            kind: ChartKind::Pie,
            title: Some("一季度".into()),
            value_columns: vec![2],
            row_count: 3,
            ..Chart::default()
        },
        Chart {
            kind: ChartKind::Line,
            title: Some("完成率".into()),
            value_columns: vec![3],
            row_count: 12,
            ..Chart::default()
        },
    ];
    let mut first = sheet("经营", block);
    first.auto_filter = true;
    first.protection = Some(Protection { password: Some("secret".into()) });
    let mut book = of(vec![first]);
    book.names = vec![DefinedName { name: "税率".into(), formula: "=0.13".into() }];
    book
}

#[test]
fn marks_are_conditional_formats() {
    let mut block = months(12);
    let all = [
        (
            RuleKind::Less,
            Some("0.9"),
            r#"type="cellIs" dxfId="0" priority="1" operator="lessThan"><formula>0.9</formula>"#,
        ),
        (
            RuleKind::GreaterOrEqual,
            Some("2024-12-31"),
            r#"operator="greaterThanOrEqual"><formula>45657</formula>"#,
        ),
        (RuleKind::Equal, Some("完成"), r#"operator="equal"><formula>"完成"</formula>"#),
        (RuleKind::NotEqual, Some("=$B2"), r#"operator="notEqual"><formula>$B2</formula>"#),
        (RuleKind::Top, Some("3"), r#"type="top10""#),
        (RuleKind::BottomPercent, Some("10"), r#"percent="1" bottom="1" rank="10""#),
        (RuleKind::AboveAverage, None, r#"type="aboveAverage""#),
        (RuleKind::Duplicate, None, r#"type="duplicateValues""#),
        (RuleKind::Unique, None, r#"type="uniqueValues""#),
        (RuleKind::Contains, Some("延期"), r#"type="containsText""#),
        (RuleKind::Blank, None, r#"type="containsBlanks""#),
        (
            RuleKind::Formula,
            Some("=AND($B2>0,$C2>0)"),
            r#"<formula>AND($B2&gt;0,$C2&gt;0)</formula>"#,
        ),
        (RuleKind::Bars, None, "<dataBar>"),
        (RuleKind::TwoColors, None, "<colorScale>"),
        (RuleKind::ThreeColors, None, r#"<color rgb="FFFFEB84"/>"#),
        (RuleKind::Arrows, None, r#"iconSet="3Arrows""#),
        (RuleKind::Ratings, None, r#"iconSet="5Rating""#),
        (RuleKind::Signs, None, r#"iconSet="3Symbols2""#),
    ];
    block.rules =
        all.iter().map(|(kind, value, _)| rule(3, *kind, *value, RuleLook::Red)).collect();
    block.rules.push(Rule {
        columns: vec![1, 3],
        kind: RuleKind::Between,
        value: Some("1".into()),
        upper: Some("2".into()),
        look: RuleLook::Bold,
    });
    let text = part(&written(&of(vec![sheet("甲", block)])), "xl/worksheets/sheet1.xml");
    // The rows of data, in columns that need not be adjacent.
    contains(&text, &[r#"<conditionalFormatting sqref="D2:D13">"#, r#"sqref="B2:B13 D2:D13""#]);
    contains(&text, &all.map(|(.., part)| part));
}

#[test]
fn what_may_be_typed_is_checked_by_excel() {
    let mut block = months(3);
    let input =
        |column: u32, kind| InputRule { columns: vec![column], kind, ..InputRule::default() };
    block.inputs = vec![
        InputRule {
            choices: vec!["完成".into(), "延期".into()],
            message: Some("请选择".into()),
            prompt: Some("状态".into()),
            ..input(4, InputKind::Choices)
        },
        InputRule {
            minimum: Some("1".into()),
            maximum: Some("9".into()),
            ..input(1, InputKind::Whole)
        },
        InputRule { minimum: Some("2024-01-01".into()), warns: true, ..input(2, InputKind::Date) },
        InputRule { formula: Some("=LEN($A2)<9".into()), ..input(0, InputKind::Custom) },
        input(3, InputKind::Decimal),
    ];
    let text = part(&written(&of(vec![sheet("甲", block.clone())])), "xl/worksheets/sheet1.xml");
    contains(
        &text,
        &[
            // This includes rows that are still to be filled in.
            r#"sqref="E2:E1004""#,
            r#"<formula1>"完成,延期"</formula1>"#,
            r#"errorTitle="状态" error="请选择""#,
            r#"type="whole""#,
            "<formula1>1</formula1><formula2>9</formula2>",
            r#"type="date" errorStyle="warning" operator="greaterThanOrEqual""#,
            "<formula1>45292</formula1>",
            "<formula1>LEN($A2)&lt;9</formula1>",
        ],
    );
    // Totals below the data are not for input.
    let cells = vec![SheetCell::Empty; 6];
    block.rows.push(SheetRow { cells, style: RowStyle::Total });
    let text = part(&written(&of(vec![sheet("甲", block)])), "xl/worksheets/sheet1.xml");
    contains(&text, &[r#"sqref="E2:E4""#]);
}

#[test]
fn tables_names_notes_small_charts_and_protection_are_excels_own() {
    let book = everything();
    let bytes = written(&book);
    let text = part(&bytes, "xl/worksheets/sheet1.xml");
    contains(
        &text,
        &[
            "<sheetProtection password=",
            "<tablePart r:id=",
            "<legacyDrawing r:id=",
            r#"<x14:sparklineGroup type="column""#,
            "<xm:f>经营!B2:C2</xm:f><xm:sqref>F2</xm:sqref>",
            r#"outlineLevel="1""#,
            r#"<pageSetup paperSize="9" fitToHeight="0" orientation="portrait""#,
            "<pageMargins left=\"0.5\"",
            "&amp;C&amp;\"Microsoft YaHei,Regular\"&amp;9 经营报告 R&amp;&amp;D",
            "&amp;P / &amp;N",
        ],
    );
    // The table has its own filter; totals are not part of it.
    assert!(!text.contains("<autoFilter"), "{text}");
    let table = part(&bytes, "xl/tables/table1.xml");
    contains(
        &table,
        &[r#"ref="A1:F13""#, r#"<autoFilter ref="A1:F13"/>"#, r#"displayName="经营""#],
    );
    contains(&part(&bytes, "xl/comments1.xml"), &["未经审计", r#"ref="C1""#]);
    contains(&part(&bytes, "xl/styles.xml"), &[r#"<protection locked="0"/>"#]);
    let names = part(&bytes, "xl/workbook.xml");
    contains(
        &names,
        &[
            r#"<definedName name="税率">0.13</definedName>"#,
            // The data with the first chart, and the others on pages of their own.
            r#"<definedName name="_xlnm.Print_Area" localSheetId="0">经营!$A$1:"#,
            ",经营!$A$",
        ],
    );
    assert_eq!(bytes, written(&book));
}

#[test]
fn axes_have_the_formats_of_their_columns() {
    let bytes = written(&everything());
    let combined = part(&bytes, "xl/charts/chart1.xml");
    contains(
        &combined,
        &[
            r##"<c:numFmt formatCode="#,##0" sourceLinked="0"/>"##,
            r#"<c:numFmt formatCode="0%" sourceLinked="0"/>"#,
            "<c:barChart>",
            "<c:lineChart>",
            "万元",
            "<a:srgbClr val=\"1F4E79\"/>",
        ],
    );
    contains(&part(&bytes, "xl/charts/chart2.xml"), &[r#"<c:grouping val="percentStacked"/>"#]);
    contains(
        &part(&bytes, "xl/charts/chart3.xml"),
        &[r#"<c:showPercent val="1"/>"#, r#"<c:showCatName val="1"/>"#],
    );
    let drawing = part(&bytes, "xl/drawings/drawing1.xml");
    contains(
        &drawing,
        &[
            r#"editAs="oneCell""#,
            r#"descr="计划与实际: 计划（万元）, 实际（万元）, 完成率 / 月份""#,
        ],
    );
}

#[test]
fn styles_differ_as_far_as_they_say() {
    for (style, accent, expected, missing) in [
        (Style::Report, None, "<fgColor rgb=\"FF1F4E79\"/>", "showGridLines"),
        (Style::Report, Some(0xFF_E6_00), "<fgColor rgb=\"FFFFE600\"/>", "FF1F4E79"),
        (Style::Plain, None, "<b/>", "<fgColor"),
        (Style::Financial, None, "<top style=\"medium\">", "<fgColor"),
        (Style::Dark, None, "<fgColor rgb=\"FF262626\"/>", "FF1F4E79"),
    ] {
        let look = SheetAppearance { style, accent };
        let book = of(vec![Sheet { look, ..sheet("甲", months(3)) }]);
        let bytes = written(&book);
        let styles = part(&bytes, "xl/styles.xml");
        let text = part(&bytes, "xl/worksheets/sheet1.xml");
        contains(&styles, &[expected]);
        assert!(
            !(styles.contains(missing) || missing == "showGridLines" && text.contains(missing)),
            "{style:?}"
        );
        assert_eq!(
            text.contains("showGridLines=\"0\""),
            matches!(style, Style::Financial | Style::Dark)
        );
        assert_eq!(text.contains("MOD(ROW(),2)=0"), style == Style::Dark);
        // Text on light fills is dark.
        assert_eq!(
            styles.contains("<color rgb=\"FFFFFFFF\"/>"),
            matches!((style, accent), (Style::Report | Style::Dark, None)),
            "{styles}"
        );
    }
}

#[test]
fn headers_of_several_lines_have_room_for_them() {
    let mut block = months(2);
    block.columns[1].header = "上半年计划收入\n（不含税，万元）".into();
    let text = part(&written(&of(vec![sheet("甲", block)])), "xl/worksheets/sheet1.xml");
    // The first of two lines is wider than its column.
    contains(&text, &[r#"<row r="1" ht="69" customHeight="1">"#, r#"<row r="2">"#]);
}

#[test]
fn pages_are_as_the_caller_says() {
    let page =
        PageSetup { orientation: Some(Orientation::Landscape), paper: Some(crate::Paper::Letter) };
    let book = of(vec![Sheet { page, ..sheet("it's", months(100)) }]);
    let bytes = written(&book);
    let text = part(&bytes, "xl/worksheets/sheet1.xml");
    contains(
        &text,
        &[
            r#"paperSize="1""#,
            r#"orientation="landscape""#,
            r#"fitToHeight="0""#,
            "fitToPage=\"1\"",
        ],
    );
    contains(
        &part(&bytes, "xl/workbook.xml"),
        &["'it''s'!$1:$1</definedName>", "'it''s'!$A$1:$F$101</definedName>"],
    );
}

/// A picture of one pixel.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1F, 0x15, 0xC4, 0x89, 0, 0, 0, 0x0D, b'I', b'D', b'A', b'T',
    0x78, 0x9C, 0x63, 0xF8, 0xCF, 0xC0, 0xF0, 0x1F, 0, 5, 0, 1, 0xFF, 0x89, 0x99, 0x3D, 0x1D, 0, 0,
    0, 0, b'I', b'E', b'N', b'D', 0xAE, 0x42, 0x60, 0x82,
];

#[test]
fn pictures_are_drawn_and_their_bytes_kept() {
    let mut block = months(3);
    let picture =
        Picture { bytes: PNG.into(), description: Some("标志 & 名".into()), width: Some(64) };
    block.pictures = vec![picture.clone(), Picture { description: None, ..picture }];
    let bytes = written(&of(vec![sheet("甲", block.clone())]));
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
    let mut kept = Vec::new();
    std::io::Read::read_to_end(&mut zip.by_name("xl/media/image1.png").unwrap(), &mut kept)
        .unwrap();
    assert_eq!(kept, PNG);
    contains(&part(&bytes, "xl/drawings/drawing1.xml"), &["descr=\"标志 &amp; 名\""]);
    block.pictures[0].bytes = b"GIF89a".as_slice().into();
    block.pictures[1].width = Some(9_999);
    assert_eq!(
        message(vec![sheet("甲", block)]),
        "sheet `甲`, picture 1: expected a PNG or JPEG file\n\
         sheet `甲`, picture 2: expected a width of 16 to 2000"
    );
}

#[test]
fn every_limit_of_a_design_is_checked_with_its_place() {
    let long = "长".repeat(256);
    let mut block = months(2);
    let input = |columns: Vec<u32>, kind| InputRule { columns, kind, ..InputRule::default() };
    block.rules = vec![
        rule(9, RuleKind::Blank, None, RuleLook::Red),
        rule(1, RuleKind::Less, None, RuleLook::Red),
        rule(1, RuleKind::Top, Some("0"), RuleLook::Red),
        rule(1, RuleKind::Formula, Some("=WEBSERVICE(\"x\")"), RuleLook::Red),
        rule(1, RuleKind::Contains, Some(&long), RuleLook::Red),
    ];
    block.inputs = vec![
        input(vec![4], InputKind::Choices),
        InputRule { choices: vec![long.clone()], ..input(vec![3], InputKind::Choices) },
        InputRule { choices: vec!["a,b".into()], ..input(vec![2], InputKind::Choices) },
        InputRule { minimum: Some("x".into()), ..input(vec![1], InputKind::Whole) },
        InputRule { message: Some(long.clone()), ..input(vec![1], InputKind::Date) },
        input(vec![0], InputKind::Custom),
    ];
    block.sparklines = vec![Sparklines { column: 2, first: 1, last: 3, ..Sparklines::default() }];
    block.notes = vec![
        CellNote { column: 0, row: Some(2), text: "x".into() },
        CellNote { column: 0, row: None, text: "长".repeat(2_001) },
    ];
    block.columns[0].level = 8;
    block.columns[5].header = "月份".into();
    block.table_name = Some("A1".into());
    insta::assert_snapshot!(message(vec![sheet("甲", block)]), @r"
    sheet `甲`, table `A1`: expected a name of letters, digits, `_` and `.` that begins with a letter and is no cell such as `A1`
    sheet `甲`, mark: expected a column index below 6, got 9
    sheet `甲`, mark of column `计划（万元）`: expected a value to compare with, got nothing
    sheet `甲`, mark of column `计划（万元）`: expected a whole number from 1 to 1000, got `0`
    sheet `甲`, mark of column `计划（万元）`: expected functions that only calculate, got `WEBSERVICE`; write its value instead of a formula
    sheet `甲`, mark of column `计划（万元）`: expected a text of at most 255 characters
    sheet `甲`, input of column `状态`: expected choices of 1 to 255 characters with the commas between them, got 0; hint: put them into cells, and give their range
    sheet `甲`, input of column `完成率`: expected choices of 1 to 255 characters with the commas between them, got 256; hint: put them into cells, and give their range
    sheet `甲`, input of column `实际（万元）`: expected choices that are not empty and have no comma
    sheet `甲`, input of column `计划（万元）`: expected a number, got `x`
    sheet `甲`, input of column `计划（万元）`: expected a message of at most 255 characters, got 256
    sheet `甲`, input of column `月份`: expected a formula, got nothing
    sheet `甲`, small charts: expected two or more columns beside each other, other than that of the charts
    sheet `甲`, note: expected a row below 2, got 2
    sheet `甲`, note: expected a text of 1 to 2000 characters, got 2001
    sheet `甲`, column `月份`: expected a level of 0 to 7, got 8
    sheet `甲`, column `月份`: expected a header that no other column has, as the rows are a table of Excel's
    sheet `甲`, column `计划（万元）`: expected one check of input, got another
    ");
    let names = vec![
        DefinedName { name: "ok".into(), formula: "=NOW()".into() },
        DefinedName { name: "OK".into(), formula: "='C:\\[x.xlsx]a'!A1".into() },
        DefinedName { name: "1a".into(), formula: "=1".into() },
    ];
    let book = Workbook { names, ..of(vec![sheet("甲", months(1))]) };
    insta::assert_snapshot!(xlsx(&book, &XlsxOptions::default()).unwrap_err().to_string(), @r"
    name `OK`: expected a name that nothing else has
    name `OK`: expected a formula over cells of this workbook, and it has no sheet `C`
    name `1a`: expected a name of letters, digits, `_` and `.` that begins with a letter and is no cell such as `A1`
    ");
}

#[test]
fn what_a_workbook_may_have_of_each_is_bounded() {
    let of_block = |change: &dyn Fn(&mut Block)| {
        let mut block = months(2);
        change(&mut block);
        message(vec![sheet("甲", block)])
    };
    for (expected, change) in [
        (
            "expected at most 500 marks of cells, got 501",
            &(|block: &mut Block| {
                block.rules = vec![rule(1, RuleKind::Blank, None, RuleLook::Red); 501];
            }) as &dyn Fn(&mut Block),
        ),
        ("expected at most 20000 small charts in cells, got 20002", &|block: &mut Block| {
            block.sparklines =
                vec![Sparklines { column: 5, first: 1, last: 2, ..Sparklines::default() }; 10_001];
        }),
        ("expected at most 5000 notes, got 5001", &|block: &mut Block| {
            block.notes = vec![CellNote { column: 0, row: None, text: "x".into() }; 5_001];
        }),
        ("expected at most 100 pictures, got 101", &|block: &mut Block| {
            block.pictures = vec![Picture { bytes: PNG.into(), ..Picture::default() }; 101];
        }),
        ("expected at most 20971520 bytes of pictures, got 20971521", &|block: &mut Block| {
            block.pictures =
                vec![Picture { bytes: vec![0; (20 << 20) + 1].into(), ..Picture::default() }];
        }),
    ] {
        let message = of_block(change);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn names_that_are_defined_may_stand_in_formulas() {
    let mut block = months(1);
    block.rows[0].cells[1] = SheetCell::Formula(crate::model::workbook::Formula {
        expression: "=C2*税率".into(),
        value: "1".into(),
    });
    let names = vec![DefinedName { name: "税率".into(), formula: "=0.13".into() }];
    let book = Workbook { names, ..of(vec![sheet("甲", block.clone())]) };
    contains(&part(&written(&book), "xl/worksheets/sheet1.xml"), &["<f>C2*税率</f>"]);
    assert!(message(vec![sheet("甲", block)]).contains("it has no name `税率`"));
}

#[test]
fn a_large_table_of_excels_is_not_kept_in_memory() {
    let peak = |rows: u32| {
        let memory = mitt_base::memory::Account::root(mitt_base::Resource::Memory, u64::MAX);
        let mut block = months(1);
        block.table_name = Some("t".into());
        let cells = block.rows[0].cells.clone();
        block.rows = vec![SheetRow { cells, ..SheetRow::default() }; rows as usize];
        let options = XlsxOptions { memory: Some(memory.clone()), ..XlsxOptions::default() };
        let file = xlsx(&of(vec![sheet("甲", block)]), &options).unwrap();
        contains(
            &part(&file.bytes, "xl/tables/table1.xml"),
            &[&format!("ref=\"A1:F{}\"", rows + 1)],
        );
        memory.usage().peak
    };
    assert!(peak(50_000) < 2 * peak(5_000) + 1_000_000);
}
