//! Tests of whole views, over packages made part by part.

use super::*;
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Returns a workbook with these sheets and other parts.
fn workbook(sheets: &[(&str, &str)], more: &[(&str, &str)]) -> Vec<u8> {
    let options = SimpleFileOptions::default();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = |name: &str, content: &str| {
        writer.start_file(name, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    };
    let (mut list, mut targets) = (String::new(), String::new());
    for (index, (name, xml)) in sheets.iter().enumerate() {
        list.push_str(&format!("<sheet name=\"{name}\" r:id=\"rId{index}\"/>"));
        targets.push_str(&format!(
            "<Relationship Id=\"rId{index}\" Type=\"x/worksheet\" Target=\"worksheets/sheet{index}.xml\"/>"
        ));
        put(&format!("xl/worksheets/sheet{index}.xml"), xml);
    }
    put(
        "_rels/.rels",
        "<Relationships><Relationship Id=\"a\" Type=\"x/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
    );
    put("xl/workbook.xml", &format!("<workbook><sheets>{list}</sheets></workbook>"));
    put("xl/_rels/workbook.xml.rels", &format!("<Relationships>{targets}</Relationships>"));
    for (name, content) in more {
        put(name, content);
    }
    writer.finish().unwrap().into_inner()
}

fn rows(content: &Content<columns::Sheet>, part: &str) -> String {
    let part = content.parts.iter().find(|found| found.name == part).unwrap();
    String::from_utf8(part.bytes.clone()).unwrap()
}

const STYLES: &str = "<styleSheet><fonts><font/><font><b/></font></fonts><fills><fill/><fill><patternFill patternType=\"solid\">\
    <fgColor theme=\"4\"/></patternFill></fill></fills><cellXfs><xf/><xf fontId=\"1\" fillId=\"1\"/><xf numFmtId=\"10\"/></cellXfs></styleSheet>";

#[test]
fn a_view_has_cells_styles_layout_and_charts() {
    let sheet = "<worksheet><sheetViews><sheetView><pane ySplit=\"1\" state=\"frozen\"/></sheetView></sheetViews>\
        <cols><col min=\"2\" max=\"2\" width=\"20\"/></cols><sheetData>\
        <row r=\"1\"><c r=\"A1\" t=\"s\" s=\"1\"><v>0</v></c><c r=\"C1\" s=\"1\"/></row>\
        <row r=\"2\" hidden=\"1\"><c r=\"A2\" t=\"s\"><v>1</v></c><c r=\"B2\" s=\"2\"><f t=\"shared\" si=\"0\" ref=\"B2:B3\">C2/2</f><v>0.125</v></c></row>\
        <row r=\"3\"><c r=\"B3\" s=\"2\"><f t=\"shared\" si=\"0\"/><v>0.5</v></c><c r=\"C3\" t=\"b\"><v>1</v></c></row>\
        <row r=\"5\"><c r=\"A5\"><f>SUM(B2:B3)</f></c></row></sheetData>\
        <mergeCells><mergeCell ref=\"A1:C1\"/></mergeCells></worksheet>";
    let relationship = |id: &str, kind: &str, target: &str| {
        format!(
            "<Relationships><Relationship Id=\"{id}\" Type=\"x/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    let bytes = workbook(
        &[("S", sheet)],
        &[
            ("xl/styles.xml", STYLES),
            (
                "xl/sharedStrings.xml",
                "<sst><si><t>Share</t></si><si><t xml:space=\"preserve\">  in</t></si></sst>",
            ),
            (
                "xl/worksheets/_rels/sheet0.xml.rels",
                &relationship("r1", "drawing", "../drawings/drawing1.xml"),
            ),
            (
                "xl/drawings/_rels/drawing1.xml.rels",
                &relationship("r1", "chart", "../charts/chart1.xml"),
            ),
            (
                "xl/drawings/drawing1.xml",
                "<wsDr><oneCellAnchor><from><col>4</col><row>6</row></from><chart id=\"r1\"/></oneCellAnchor></wsDr>",
            ),
            (
                "xl/charts/chart1.xml",
                "<chartSpace><chart><plotArea><lineChart><ser><tx><strRef><f>S!$A$1</f></strRef></tx>\
             <cat><strRef><f>S!$A$2:$A$3</f></strRef></cat><val><numRef><f>'s'!$B$2:$B$3</f></numRef></val></ser></lineChart></plotArea></chart></chartSpace>",
            ),
        ],
    );
    let content = read(&bytes, "xlsx").unwrap();
    assert_eq!(
        content.markdown,
        "{\"sheets\":[{\"name\":\"S\",\"rows\":5,\"columns\":3,\"hidden\":false,\"frozen_rows\":1,\"frozen_columns\":0,\
         \"default_width\":64,\"widths\":[null,140],\"merges\":[[0,0,0,2]],\"hidden_rows\":[[1,1]],\
         \"charts\":[{\"kind\":\"line\",\"title\":null,\"row\":6,\"column\":4,\"categories\":[\"  in\",\"\"],\
         \"series\":[{\"name\":\"Share\",\"values\":[0.125,0.5]}]}]}],\
         \"styles\":{\"1\":{\"bold\":true,\"color\":\"#000000\",\"fill\":\"#4472c4\"}}}"
    );
    assert_eq!(content.parts.len(), 1);
    assert_eq!(
        rows(&content, "0/0"),
        "[[{\"d\":\"Share\",\"k\":\"t\",\"s\":1},null,{\"s\":1}],\
         [\"  in\",{\"d\":\"12.50%\",\"v\":0.125,\"k\":\"n\",\"f\":\"=C2/2\"}],\
         [null,{\"d\":\"50.00%\",\"v\":0.5,\"k\":\"n\",\"f\":\"=C3/2\"},{\"d\":\"TRUE\",\"v\":true,\"k\":\"b\"}],[],\
         [{\"d\":\"=SUM(B2:B3)\",\"k\":\"t\",\"f\":\"=SUM(B2:B3)\"}]]"
    );
    assert_eq!(content.warnings.len(), 1);
    assert!(content.warnings[0].starts_with("sheet `S`: formulas that were never calculated"));
    assert!(content.tables.is_empty() && content.places.is_empty() && content.metadata.is_empty());
}

#[test]
fn other_types_are_not_supported() {
    for kind in ["xls", "xlsb", "ods", "", "xlsx.view"] {
        let error = read(b"", kind).unwrap_err();
        assert!(matches!(error, Error::Unsupported(_)), "{kind}: {error:?}");
    }
    assert!(matches!(read(b"no package", "xlsx"), Err(Error::Malformed(_))));
}

#[test]
fn a_damaged_sheet_shows_its_first_rows() {
    let cut = "<worksheet><sheetData><row><c><v>1</v></c></row><row><c><v>2</v>";
    let content = read(&workbook(&[("Cut", cut), ("None", "<worksheet/>")], &[]), "xlsm").unwrap();
    assert_eq!(rows(&content, "0/0"), "[[{\"d\":\"1\",\"v\":1,\"k\":\"n\"}]]");
    assert!(content.markdown.contains("\"name\":\"None\",\"rows\":0,\"columns\":0"));
    assert_eq!(
        content.warnings,
        [
            "sheet `Cut` is damaged: it is cut off inside `c`",
            "sheet `None` is damaged: it has no cells"
        ]
    );
    let error = read(&workbook(&[("None", "<worksheet/>")], &[]), "xlsx").unwrap_err();
    assert_eq!(error, Error::Malformed("sheet `None` is damaged: it has no cells".into()));
}

#[test]
fn cells_beyond_the_sheet_and_too_many_sheets_are_left_out() {
    let sheet = "<worksheet><sheetData><row r=\"1048577\"><c><v>1</v></c></row><row r=\"2\"><c r=\"XFE2\"><v>1</v></c>\
        <c r=\"B2\" t=\"x\"><v>1</v></c><c r=\"A2\"><v>7</v></c></row></sheetData></worksheet>";
    let sheets = vec![("S", sheet); MAX_SHEETS + 1];
    let content = read(&workbook(&sheets, &[]), "xlsx").unwrap();
    assert_eq!(content.parts.len(), MAX_SHEETS);
    assert_eq!(rows(&content, "999/0"), "[[],[{\"d\":\"7\",\"v\":7,\"k\":\"n\"}]]");
    assert_eq!(content.warnings.len(), 1 + 2 * MAX_SHEETS);
    assert_eq!(
        content.warnings[..3],
        [
            "only the first 1000 of 1001 sheets are shown",
            "sheet `S`: damaged cells, whose values are missing: 1",
            "sheet `S`: cells beyond the last row or column of a worksheet, which are left out: 2",
        ]
    );
}

#[test]
fn text_that_many_cells_share_fills_the_view_at_most_once() {
    let mut sheet = "<worksheet><sheetData>".to_owned();
    for row in 1..=3_000 {
        sheet.push_str(&format!("<row r=\"{row}\"><c t=\"s\"><v>0</v></c></row>"));
    }
    sheet.push_str("</sheetData><mergeCells><mergeCell ref=\"A1:B2\"/></mergeCells></worksheet>");
    let strings = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(100_000));
    let small = "<worksheet><sheetData><row><c t=\"s\"><v>0</v></c></row></sheetData></worksheet>";
    let sheets = [("Big", sheet.as_str()), ("Next", small)];
    let content = read(&workbook(&sheets, &[("xl/sharedStrings.xml", &strings)]), "xlsx").unwrap();
    let bytes: usize = content.parts.iter().map(|part| part.bytes.len()).sum();
    assert!(bytes <= MAX_PART_BYTES && bytes > MAX_PART_BYTES - 200_000, "{bytes}");
    assert!(
        content.warnings[0].starts_with("sheet `Big`: rows 2048 to 3000 are left out"),
        "{:?}",
        content.warnings
    );
    assert!(content.markdown.contains("\"rows\":2047,\"columns\":1"));
    assert!(content.markdown.contains("\"merges\":[[0,0,1,1]]"));
}

#[test]
fn formulas_that_cells_share_are_written_as_far_as_there_is_room() {
    let formula = "A1+".repeat(2_000);
    let mut sheet = format!(
        "<worksheet><sheetData><row><c><f t=\"shared\" si=\"0\" ref=\"A1\">{formula}1</f><v>1</v></c>"
    );
    sheet.push_str(&"<c><f t=\"shared\" si=\"0\"/><v>1</v></c>".repeat(12_000));
    sheet.push_str("</row></sheetData></worksheet>");
    let content = read(&workbook(&[("S", &sheet)], &[]), "xlsx").unwrap();
    assert!(content.markdown.contains("\"rows\":1,\"columns\":12001"));
    assert_eq!(content.warnings.len(), 1);
    assert!(
        content.warnings[0]
            .starts_with("sheet `S`: formulas that are left out, because there are too many: ")
    );
    let rows = rows(&content, "0/0");
    assert!(rows.contains("\"f\":\"=B1+B1+"));
    assert!(rows.ends_with("{\"d\":\"1\",\"v\":1,\"k\":\"n\"}]]"));
}
