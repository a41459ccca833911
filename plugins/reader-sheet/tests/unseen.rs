//! Tests that cells which show nothing are read, with a warning.

mod support;

use mitt_reader_kit::Content;
use support::{
    archive, binary_record, compound, number_record, old_sheet, old_workbook, read, record,
    relationships, root, wide, workbook,
};

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

/// A workbook of openpyxl that LibreOffice converted (`make.py`).
#[test]
fn old_workbooks_are_told_too() {
    let path = format!("{}/tests/files/unseen.xls", env!("CARGO_MANIFEST_DIR"));
    let content = read(&std::fs::read(path).unwrap(), "xls").unwrap();
    let filtered = TOLD.replace("`S`", "`Filtered`");
    assert_eq!(
        content.warnings,
        [
            "sheet `S`: 1 column (B) is hidden in the workbook and read like the others",
            &format!("{TOLD}: A1, B1, A2, A3, A4, A5, A9"),
            "sheet `Filtered`: a filter over A1:B5 is active; 2 rows (3-4) are hidden in the workbook and read like the \
             others: sums over the sheet count what nobody sees there",
            &format!(
                "{filtered}, unless a conditional format or the style of a table paints them: B2"
            ),
            "sheet `Hidden` is hidden in the workbook",
            "sheet `VeryHidden` is hidden in the workbook",
        ]
    );
    assert_eq!(content.markdown.matches("PLANT").count(), 3, "{}", content.markdown);
}

/// Colours of a cell format of an old workbook: of its font, its pattern, and the colour of that.
struct OldFormat {
    number: u16,
    font: u16,
    pattern: u8,
    fill: u16,
}

/// Returns the fonts and cell formats of an old workbook, in the form of Excel 97 or before.
fn old_looks(is_new: bool, formats: &[OldFormat]) -> Vec<Vec<u8>> {
    let font = |colour: u16| {
        let numbers = [200, 0, colour, 400, 0, 0, 0, 0].map(u16::to_le_bytes).concat();
        record(0x0031, &numbers)
    };
    let text: &[u8] = if is_new { &[3, 0, 0] } else { &[3] };
    let empty = record(0x041E, &[&[164, 0], text, b";;;"].concat());
    // The first colour that a workbook can define is white in this one.
    let palette = record(0x0092, &[&[1, 0][..], &[255, 255, 255, 0]].concat());
    let mut found = vec![palette, font(0x7FFF), font(9), font(8), font(18), font(9), empty];
    for format in formats {
        let head = [format.font, format.number, 1].map(u16::to_le_bytes).concat();
        let fill = format.fill | 0x41 << 7;
        let body = if is_new {
            let pattern = u32::from(format.pattern) << 26;
            [&[0; 8][..], &pattern.to_le_bytes(), &fill.to_le_bytes()].concat()
        } else {
            let fill = u32::from(fill) | u32::from(format.pattern) << 16;
            [&[0; 2][..], &fill.to_le_bytes(), &[0; 4]].concat()
        };
        found.push(record(0x00E0, &[head, body].concat()));
    }
    found
}

/// Reads an old workbook with a cell in each of these formats.
fn old(is_new: bool, formats: &[OldFormat], more: &[Vec<u8>]) -> Vec<String> {
    let version = if is_new { 0x0600 } else { 0x0500 };
    let globals = [old_looks(is_new, formats), more.to_vec()].concat();
    let cells: Vec<Vec<u8>> = (0..formats.len() as u16)
        .map(|row| number_record(row, 0, row, f64::from(row) + 5.0))
        .collect();
    let sheet = old_sheet(version, 0x0010, &cells);
    read(&compound(&old_workbook(version, &globals, &[("S", 0, sheet)])), "xls").unwrap().warnings
}

#[test]
fn colours_of_old_workbooks_are_followed() {
    let format = |number, font, pattern, fill| OldFormat { number, font, pattern, fill };
    for is_new in [false, true] {
        // Automatic; white on nothing, on navy, on a pattern; white as defined; navy on navy; an empty format; the font with
        // the number 5 is the fifth; black on black.
        let formats = [
            format(0, 0, 0, 0x40),
            format(0, 1, 0, 0x40),
            format(0, 1, 1, 18),
            format(0, 1, 2, 18),
            format(0, 2, 0, 0x40),
            format(0, 3, 1, 18),
            format(164, 0, 0, 0x40),
            format(0, 5, 0, 0x40),
            format(0, 0, 1, 0x40),
        ];
        let expected = format!("{TOLD}: A2, A5, A6, A7, A8, A9");
        assert_eq!(old(is_new, &formats, &[]), [expected], "{is_new}");
    }
}

#[test]
fn newer_colours_of_old_workbooks_replace_those_of_the_palette() {
    // Formats of white on navy, and black on nothing.
    let format = |font, pattern| OldFormat { number: 0, font, pattern, fill: 18 };
    let extension = |index: u16, kind: u16, colour: [u8; 8]| {
        let head = [0x087D, 0, 0, 0, 0, 0, 0, index, 0, 1].map(u16::to_le_bytes).concat();
        let part = [kind.to_le_bytes(), 20u16.to_le_bytes()].concat();
        record(0x087D, &[head, part, colour.to_vec(), vec![0; 8]].concat())
    };
    let white = [2, 0, 0, 0, 255, 255, 255, 255];
    let [light, dark] = [[3, 0, 0, 0, 0, 0, 0, 0], [3, 0, 0, 0, 1, 0, 0, 0]];
    for (formats, more, expected) in [
        ([format(1, 1), format(0, 0)], vec![extension(0, 4, white)], Some("A1")),
        ([format(1, 1), format(0, 0)], vec![extension(1, 13, light)], Some("A2")),
        ([format(1, 0), format(0, 0)], vec![extension(0, 13, dark)], None),
        // A tint, another colour of the theme, and a gradient are not followed.
        ([format(1, 0), format(0, 0)], vec![extension(0, 13, [3, 0, 1, 0, 0, 0, 0, 0])], None),
        ([format(1, 0), format(0, 0)], vec![extension(0, 13, [3, 0, 0, 0, 4, 0, 0, 0])], None),
        ([format(3, 1), format(0, 0)], vec![extension(0, 6, white)], None),
        // Damaged ones.
        ([format(3, 1), format(0, 0)], vec![record(0x087D, &[0; 9])], Some("A1")),
        ([format(3, 1), format(0, 0)], vec![extension(9, 4, white)], Some("A1")),
    ] {
        let expected = expected.map(|cells| format!("{TOLD}: {cells}"));
        assert_eq!(old(true, &formats, &more), Vec::from_iter(expected));
    }
}
