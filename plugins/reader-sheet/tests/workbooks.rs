//! Tests workbooks with known content, written by an independent library.

mod support;

use mitt_reader_kit::TableSource as _;
use mitt_reader_kit::tables::{ColumnType, Memory, Source as _};
use mitt_reader_kit::{Cell, Content, Error};
use rust_xlsxwriter::{
    Chart, ChartType, ExcelDateTime, Format, Formula, Note, Shape, Workbook, Worksheet, XlsxError,
};
use support::read;

fn book(fill: impl FnOnce(&mut Workbook) -> Result<(), XlsxError>) -> Content {
    let mut workbook = Workbook::new();
    fill(&mut workbook).unwrap();
    read(&workbook.save_to_buffer().unwrap(), "xlsx").unwrap()
}

fn sheet(name: &str, fill: impl FnOnce(&mut Worksheet) -> Result<(), XlsxError>) -> Content {
    book(|workbook| fill(workbook.add_worksheet().set_name(name)?))
}

fn number(text: &str) -> Cell {
    Cell::Number(text.to_owned())
}

fn text(value: &str) -> Cell {
    Cell::Text(value.to_owned())
}

#[test]
fn values_keep_their_type() {
    let content = sheet("Data", |sheet| {
        sheet.write_row(0, 0, ["n", "d", "t", "b", "p", "f"])?;
        sheet.write(1, 0, 1234.5)?;
        sheet.write_with_format(
            1,
            1,
            ExcelDateTime::from_ymd(2024, 12, 31)?,
            &Format::new().set_num_format("yyyy-mm-dd"),
        )?;
        sheet.write(1, 2, "a|b\nc")?;
        sheet.write(1, 3, true)?;
        sheet.write_with_format(1, 4, 0.125, &Format::new().set_num_format("0.0%"))?;
        sheet.write(1, 5, Formula::new("=1/3").set_result("0.3333333333333333"))?;
        sheet.write(2, 0, 0.1)?;
        let moment = ExcelDateTime::from_ymd(2024, 12, 31)?.and_hms(8, 30, 0)?;
        sheet.write_with_format(2, 1, moment, &Format::new().set_num_format("yyyy-mm-dd hh:mm"))?;
        sheet.write(2, 2, "007")?;
        Ok(())
    });
    let table = &content.tables[0];
    assert_eq!(table.name, "Data");
    assert_eq!(table.data.columns, ["n", "d", "t", "b", "p", "f"]);
    assert_eq!(
        table.data.rows[0],
        [
            number("1234.5"),
            // The other value of the column has a time, so this one is at midnight.
            text("2024-12-31T00:00:00"),
            text("a|b\nc"),
            Cell::Boolean(true),
            number("0.125"),
            number("0.3333333333333333")
        ]
    );
    assert_eq!(table.data.rows[1][..3], [number("0.1"), text("2024-12-31T08:30:00"), text("007")]);
    assert_eq!(table.data.rows[1][3], Cell::Null);
    assert!(content.warnings.is_empty());
    assert_eq!(
        content.markdown,
        "## Data\n\n| n | d | t | b | p | f |\n| --- | --- | --- | --- | --- | --- |\n\
         | 1234.5 | 2024-12-31 | a\\|b c | true | 0.125 | 0.3333333333333333 |\n\
         | 0.1 | 2024-12-31T08:30:00 | 007 |  |  |  |\n"
    );
}

#[test]
fn a_title_names_the_table_of_a_nameless_sheet() {
    let fill = |sheet: &mut Worksheet| -> Result<(), XlsxError> {
        sheet.merge_range(0, 0, 0, 2, "2024年销售", &Format::new())?;
        sheet.write_row(2, 0, ["地区", "一月", "二月"])?;
        sheet.write(3, 0, "东")?;
        sheet.write_row(3, 1, [1, 2])?;
        Ok(())
    };
    let generic = sheet("Sheet1", fill);
    assert_eq!(generic.tables[0].name, "2024年销售");
    assert_eq!(generic.tables[0].data.columns, ["地区", "一月", "二月"]);
    assert_eq!(generic.tables[0].data.rows, [vec![text("东"), number("1"), number("2")]]);
    assert!(
        generic.markdown.starts_with("## Sheet1\n\n2024年销售\n\n| 地区 |"),
        "{}",
        generic.markdown
    );
    assert_eq!(sheet("销售", fill).tables[0].name, "销售");
}

#[test]
fn merged_cells_are_filled() {
    let content = sheet("S", |sheet| {
        let format = Format::new();
        sheet.merge_range(0, 0, 1, 0, "Region", &format)?;
        sheet.merge_range(0, 1, 0, 2, "Q1", &format)?;
        sheet.write_row(1, 1, ["sales", "cost"])?;
        sheet.merge_range(2, 0, 3, 0, "East", &format)?;
        sheet.write_row(2, 1, [1, 2])?;
        sheet.write_row(3, 1, [3, 4])?;
        Ok(())
    });
    let table = &content.tables[0].data;
    assert_eq!(table.columns, ["Region", "Q1 sales", "Q1 cost"]);
    assert_eq!(table.rows[1], [text("East"), number("3"), number("4")]);
    assert_eq!(
        content.warnings,
        ["sheet `S`: text in vertically merged cells was repeated in every row"]
    );
}

#[test]
fn a_workbook_says_who_made_it() {
    let content = book(|workbook| {
        let properties = rust_xlsxwriter::DocProperties::new()
            .set_title("年度报告")
            .set_author("王芳 & 李雷")
            .set_subject("收入")
            .set_keywords("a, b")
            .set_company("Acme\nLtd")
            .set_creation_datetime(&ExcelDateTime::parse_from_str("2024-03-05T09:30:00").unwrap());
        workbook.set_properties(&properties);
        workbook.add_worksheet().write(0, 0, "x")?;
        Ok(())
    });
    assert_eq!(content.title.as_deref(), Some("年度报告"));
    let metadata: Vec<_> =
        content.metadata.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(
        metadata,
        [
            "author: 王芳 & 李雷",
            "subject: 收入",
            "keywords: a, b",
            "company: Acme Ltd",
            "created: 2024-03-05T09:30:00Z",
            "modified: 2024-03-05T09:30:00Z"
        ]
    );
}

#[test]
fn hidden_and_empty_sheets_and_the_title() {
    let content = book(|workbook| {
        workbook.set_properties(&rust_xlsxwriter::DocProperties::new().set_title("Budget"));
        workbook.add_worksheet().set_name("Open")?.write(4, 2, "x")?;
        workbook.add_worksheet().set_name("Secret")?.set_hidden(true).write(0, 0, "y")?;
        workbook.add_worksheet().set_name("Nothing")?;
        Ok(())
    });
    assert_eq!(content.title.as_deref(), Some("Budget"));
    let names: Vec<_> = content.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["Open", "Secret"]);
    assert_eq!(content.tables[0].data.columns, ["x"]);
    assert_eq!(content.warnings, ["sheet `Secret` is hidden in the workbook"]);
    assert!(content.markdown.ends_with("\n## Nothing\n"), "{}", content.markdown);
}

#[test]
fn a_cell_in_the_last_corner_costs_nothing() {
    let content = sheet("S", |sheet| {
        sheet.write(0, 0, "a")?;
        sheet.write(1_048_575, 16_383, 1)?;
        Ok(())
    });
    assert_eq!(content.tables[0].data.columns, ["a", "column_2"]);
    assert_eq!(content.tables[0].data.rows, [vec![Cell::Null, number("1")]]);
    assert_eq!(content.warnings.len(), 1);
}

#[test]
fn what_cannot_be_read_is_said() {
    let check = |bytes: &[u8], extension: &str| read(bytes, extension).unwrap_err();
    assert!(matches!(check(b"PK nothing", "xlsx"), Error::Malformed(_)));
    assert!(matches!(check(b"", "xls"), Error::Malformed(_)));
    assert!(matches!(check(b"text", "ods"), Error::Malformed(_)));
    assert_eq!(check(b"", "docx"), Error::Unsupported("not a workbook: `docx`".into()));
    let mut workbook = Workbook::new();
    workbook.add_worksheet().write(0, 0, "x").unwrap();
    let bytes = workbook.save_to_buffer().unwrap();
    assert!(matches!(check(&bytes[..bytes.len() / 2], "xlsx"), Error::Malformed(_)));
}

#[test]
fn a_zero_that_was_never_calculated_is_doubted() {
    // This library stores 0 for every formula without a result, and asks Excel to calculate.
    let content = sheet("S", |sheet| {
        sheet.write_row(0, 0, ["a", "b"])?;
        sheet.write(1, 0, Formula::new("=1+1"))?;
        sheet.write(1, 1, Formula::new("=1+2").set_result("3"))?;
        Ok(())
    });
    assert_eq!(content.tables[0].data.rows, [[number("0"), number("3")]]);
    assert_eq!(
        content.warnings,
        [
            "sheet `S`: formulas hold 0 and the workbook asks to be calculated when it is opened, so that their values may be \
          missing: A2"
        ]
    );
}

#[test]
fn comments_text_boxes_and_titles_of_charts_are_read() {
    let content = book(|workbook| {
        let sheet = workbook.add_worksheet().set_name("S")?;
        sheet.write(0, 0, "a")?.write(1, 0, 1)?;
        sheet.insert_note(1, 0, &Note::new("odd value").set_author("Ann"))?;
        sheet.insert_shape(3, 3, &Shape::textbox().set_text("Read <me>\nfirst"))?;
        let mut chart = Chart::new(ChartType::Column);
        chart.add_series().set_values("S!$A$2");
        chart.title().set_name("Sales & costs");
        sheet.insert_chart(0, 3, &chart)?;
        let mut untitled = Chart::new(ChartType::Line);
        untitled.add_series().set_values("S!$A$2");
        untitled.title().set_hidden();
        sheet.insert_chart(9, 3, &untitled)?;
        let mut own = Chart::new(ChartType::Line);
        own.add_series().set_values("S!$A$2");
        own.title().set_name("Whole page");
        workbook.add_chartsheet().set_name("Page")?.insert_chart(0, 0, &own)?;
        Ok(())
    });
    assert_eq!(
        content.markdown,
        "## S\n\n| a |\n| --- |\n| 1 |\n\nComments:\n\n- A2 (Ann): odd value\n\nText boxes:\n\n- Read <me> first\n\n\
         Charts, by their titles:\n\n- Sales & costs\n"
    );
    assert_eq!(
        content.warnings,
        [
            "sheet `S`: not read: 2 charts",
            "sheet `Page` is the chart `Whole page` and was not read"
        ]
    );
}

#[test]
fn columns_have_types() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Types").unwrap();
    let names = ["日期", "time", "whole", "exact", "label", "flag", "mixed", "none", "both"];
    sheet.write_row(0, 0, names).unwrap();
    let as_date = Format::new().set_num_format("yyyy-mm-dd");
    let as_time = Format::new().set_num_format("hh:mm:ss");
    for row in 1..=40_000u32 {
        let value = f64::from(row);
        sheet.write_with_format(row, 0, 45_000.0 + f64::from(row % 365), &as_date).unwrap();
        sheet.write_with_format(row, 1, 0.25, &as_time).unwrap();
        sheet.write(row, 2, value).unwrap();
        sheet.write(row, 3, value / 100.0).unwrap();
        sheet.write(row, 4, ["东", "西", "North"][row as usize % 3]).unwrap();
        sheet.write(row, 5, row % 2 == 0).unwrap();
        if row > 39_999 { sheet.write(row, 6, "n/a") } else { sheet.write(row, 6, value) }.unwrap();
        if row == 1 {
            sheet.write(row, 8, "unknown").unwrap();
        } else {
            sheet.write_with_format(row, 8, 45_657.0, &as_date).unwrap();
        }
    }
    let mut content = reader_sheet::read(&workbook.save_to_buffer().unwrap(), "xlsx").unwrap();
    assert_eq!(content.warnings.len(), 1, "{:?}", content.warnings);
    assert!(content.warnings[0].ends_with(" of 40000 rows; the table has all of them"));
    assert!((400_000..401_000).contains(&content.markdown.len()), "{}", content.markdown.len());
    let table: Memory = content.tables.remove(0).data.build(&mut Vec::new()).unwrap();
    let columns: Vec<_> = table
        .columns()
        .iter()
        .map(|column| (column.name.clone(), column.type_, column.scale))
        .collect();
    let types = [
        (ColumnType::Date, 0),
        (ColumnType::Time, 0),
        (ColumnType::Integer, 0),
        (ColumnType::Decimal, 2),
        (ColumnType::Text, 0),
        (ColumnType::Boolean, 0),
        (ColumnType::Mixed, 0),
        (ColumnType::Empty, 0),
        (ColumnType::Text, 0),
    ];
    let expected: Vec<_> = names
        .iter()
        .zip(types)
        .map(|(name, (type_, scale))| ((*name).to_owned(), type_, scale))
        .collect();
    assert_eq!(columns, expected);
    let rows = table.to_rows();
    assert_eq!(rows.len(), 40_000);
    assert_eq!(
        rows[39_999],
        [
            text("2023-10-16"),
            text("06:00:00"),
            number("40000"),
            number("400"),
            text("西"),
            Cell::Boolean(true),
            text("n/a"),
            Cell::Null,
            text("2024-12-31")
        ]
    );
}
