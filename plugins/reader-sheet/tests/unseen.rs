//! Tests that cells which show nothing are read, with a warning.

mod support;

use mitt_reader_kit::Content;
use support::{archive, binary_record, read, relationships, root, wide, workbook};

const STYLES: &str = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\";;;\"/><numFmt numFmtId=\"165\" formatCode=\"0.0;;\"/></numFmts>\
    <fonts><font/><font><color rgb=\"FFFFFFFF\"/></font><font><color theme=\"0\"/></font><font><color indexed=\"9\"/></font></fonts>\
    <fills><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill>\
    <fill><patternFill patternType=\"solid\"><fgColor rgb=\"FF000080\"/></patternFill></fill>\
    <fill><patternFill patternType=\"solid\"><fgColor rgb=\"FF000000\"/></patternFill></fill>\
    <fill><gradientFill><stop><color rgb=\"FFFFFFFF\"/></stop></gradientFill></fill></fills>\
    <cellXfs><xf/><xf fontId=\"1\"/><xf fontId=\"2\"/><xf fontId=\"3\"/><xf numFmtId=\"164\"/><xf fillId=\"3\"/>\
    <xf fontId=\"1\" fillId=\"2\"/><xf fontId=\"1\" fillId=\"1\"/><xf fontId=\"1\" fillId=\"4\"/><xf numFmtId=\"165\"/></cellXfs></styleSheet>";

/// Returns a workbook with one sheet, whose cells have these formats.
fn sheet(formats: &[usize], cell: fn(usize) -> String, behind: &str) -> Content {
    let rows: String = formats
        .iter()
        .enumerate()
        .map(|(row, format)| {
            format!("<row r=\"{}\"><c s=\"{format}\" {}</row>", row + 1, cell(row))
        })
        .collect();
    let parts = [
        ("_rels/.rels", root("xl/workbook.xml")),
        ("xl/workbook.xml", workbook(&[("S", "rId1")])),
        (
            "xl/_rels/workbook.xml.rels",
            relationships(&[
                ("rId1", "worksheet", "worksheets/sheet1.xml"),
                ("rId2", "styles", "styles.xml"),
            ]),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet><sheetData>{rows}</sheetData>{behind}</worksheet>"),
        ),
        ("xl/styles.xml", STYLES.to_owned()),
    ];
    read(&archive(&parts), "xlsx").unwrap()
}

fn text(row: usize) -> String {
    format!("t=\"inlineStr\"><is><t>PLANT {row}</t></is></c>")
}

fn number(row: usize) -> String {
    format!("><v>{}</v></c>", row + 5)
}

const TOLD: &str = "sheet `S`: cells that show nothing in the workbook, as their text has the colour of the cell or their format is empty, \
    are read like the others";

#[test]
fn cells_that_show_nothing_are_read_and_told() {
    for cell in [text, number] {
        // White on nothing, in three notations; an empty format; black on black.
        let content = sheet(&[1, 2, 3, 4, 5, 0], cell, "");
        assert_eq!(content.warnings, [format!("{TOLD}: A1, A2, A3, A4, A5")]);
        let read = if content.markdown.contains("PLANT") { "PLANT 3" } else { "| 8 |" };
        assert!(content.markdown.contains(read), "{}", content.markdown);
    }
    let painted = "<conditionalFormatting sqref=\"A1\"><cfRule/></conditionalFormatting>";
    let content = sheet(&[0, 1], text, painted);
    assert_eq!(
        content.warnings,
        [format!("{TOLD}, unless a conditional format or the style of a table paints them: A2")]
    );
}

#[test]
fn cells_that_show_something_are_not_told() {
    for cell in [text, number] {
        // White on navy, on a pattern, on a gradient; numbers above 0 are shown.
        let content = sheet(&[0, 6, 7, 8, 9], cell, "");
        assert!(content.warnings.is_empty(), "{:?}", content.warnings);
    }
    // Empty cells.
    let content = sheet(&[1, 4], |_| "/>".to_owned(), "");
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
}

#[test]
fn binary_workbooks_are_told_too() {
    let font = |colour: [u8; 8]| binary_record(0x002B, &[vec![0; 12], colour.to_vec()].concat());
    let fill = |pattern: u32, colour: [u8; 8]| {
        binary_record(0x002D, &[&pattern.to_le_bytes()[..], &colour, &[0; 8]].concat())
    };
    let format = |number: u16, font: u16, fill: u16| {
        let numbers = [0, number, font, fill].map(u16::to_le_bytes);
        binary_record(0x002F, &numbers.concat())
    };
    let [automatic, white, navy] =
        [[0; 8], [5, 0, 0, 0, 255, 255, 255, 255], [5, 0, 0, 0, 0, 0, 128, 255]];
    let look = [
        binary_record(0x002C, &[vec![164, 0], wide(";;;")].concat()),
        font(automatic),
        font(white),
        fill(0, automatic),
        fill(1, navy),
        binary_record(0x0269, &[]),
        format(0, 0, 0),
        format(0, 1, 0),
        format(164, 0, 0),
        format(0, 1, 1),
        binary_record(0x026A, &[]),
    ];
    let row = |number: u32| binary_record(0x0000, &number.to_le_bytes());
    let cell = |format: u32| {
        binary_record(
            0x0006,
            &[&0u32.to_le_bytes()[..], &format.to_le_bytes(), &wide("PLANT")].concat(),
        )
    };
    let cells = [row(0), cell(0), row(1), cell(1), row(2), cell(2), row(3), cell(3)];
    let entry = binary_record(0x009C, &[vec![0; 8], wide("a"), wide("S")].concat());
    let parts = [
        ("_rels/.rels", root("book.bin").into_bytes()),
        ("book.bin", entry),
        (
            "_rels/book.bin.rels",
            relationships(&[("a", "worksheet", "/data.bin"), ("f", "styles", "look.bin")])
                .into_bytes(),
        ),
        ("look.bin", look.concat()),
        ("data.bin", cells.concat()),
    ];
    let content = read(&archive(&parts), "xlsb").unwrap();
    assert_eq!(content.warnings, [format!("{TOLD}: A2, A3")]);
    assert_eq!(content.markdown.matches("PLANT").count(), 4, "{}", content.markdown);
}

#[test]
fn open_document_sheets_are_told_too() {
    let style = |name: &str, parent: &str, more: &str| {
        format!(
            "<style:style style:name=\"{name}\" style:family=\"table-cell\" style:parent-style-name=\"{parent}\" {more}</style:style>"
        )
    };
    let styles = [
        style("white", "", "><style:text-properties fo:color=\"#ffffff\"/>"),
        style("heir", "white", ">"),
        style("dark", "white", "><style:table-cell-properties fo:background-color=\"#000080\"/>"),
        style("auto", "white", "><style:text-properties style:use-window-font-color=\"true\"/>"),
        "<number:number-style style:name=\"N1P0\"><number:text/></number:number-style>\
         <number:text-style style:name=\"N1\"><number:text/><style:map style:apply-style-name=\"N1P0\"/></number:text-style>\
         <number:number-style style:name=\"N2\"><number:number number:min-integer-digits=\"1\"/></number:number-style>"
            .to_owned(),
        style("empty", "", "style:data-style-name=\"N1\">"),
        style("plain", "", "style:data-style-name=\"N2\">"),
    ];
    let rows: String = ["", "white", "heir", "empty", "dark", "auto", "plain"]
        .iter()
        .map(|style| format!("<table:table-row><table:table-cell table:style-name=\"{style}\" office:value-type=\"string\"><text:p>PLANT</text:p></table:table-cell></table:table-row>"))
        .collect();
    let content = format!(
        "<office:document-content><office:automatic-styles>{}</office:automatic-styles><office:body><office:spreadsheet><table:table table:name=\"S\">{rows}</table:table></office:spreadsheet></office:body></office:document-content>",
        styles.concat()
    );
    let content = read(&archive(&[("content.xml", content)]), "ods").unwrap();
    assert_eq!(content.warnings, [format!("{TOLD}: A2, A3, A4")]);
    assert_eq!(content.markdown.matches("PLANT").count(), 7, "{}", content.markdown);
}
