//! Tests old workbooks, made record by record: as small programs write them and as Excel wrote them.

#[path = "../../reader-kit/tests/support/irregular.rs"]
mod irregular;
mod support;

use mitt_reader_kit::{Cell, ENCRYPTED, Error};
use support::read;
use support::{
    beginning, cell, compound, label, number, number_record, old_sheet, old_workbook, only_table,
    record, text,
};

const FIVE: u16 = 0x0500;
const EIGHT: u16 = 0x0600;
const WORKSHEET: u16 = 0x0010;

/// Returns a number format of Excel 5: its id, a length, bytes.
fn format(id: u16, format: &str) -> Vec<u8> {
    let text = [&[format.len() as u8], format.as_bytes()].concat();
    record(0x041E, &[&id.to_le_bytes()[..], &text].concat())
}

fn cell_format(format: u16) -> Vec<u8> {
    record(0x00E0, &[[0; 2], format.to_le_bytes(), [0; 2]].concat())
}

fn code_page(number: u16) -> Vec<u8> {
    record(0x0042, &number.to_le_bytes())
}

#[test]
fn formats_of_excel_5_tell_dates_from_numbers() {
    let globals = [
        format(164, "[Red][<-25]General"),
        format(165, "Day 0"),
        format(166, "dd/mm/yyyy"),
        format(167, "[h]:mm"),
        cell_format(0),
        cell_format(164),
        cell_format(166),
        cell_format(167),
    ];
    let cells = [
        label(0, 0, b"a"),
        label(0, 1, b"b"),
        label(0, 2, b"c"),
        label(0, 3, b"d"),
        number_record(1, 0, 0, 50.0),
        number_record(1, 1, 1, 50.0),
        number_record(1, 2, 2, 45_657.0),
        number_record(1, 3, 3, 1.5),
    ];
    let sheet = old_sheet(FIVE, WORKSHEET, &cells);
    let stream = old_workbook(FIVE, &globals, &[("S", 0, sheet)]);
    let content = read(&compound(&stream), "xls").unwrap();
    assert_eq!(
        only_table(&content),
        [[number("50"), number("50"), text("2024-12-31"), text("PT36H0M0S")]]
    );
}

#[test]
fn sheets_of_macros_and_dialogs_cost_only_themselves() {
    let data = old_sheet(EIGHT, WORKSHEET, &[number_record(0, 0, 0, 7.0)]);
    let dialog = old_sheet(EIGHT, WORKSHEET, &[record(0x0081, &[0x10, 0])]);
    let macros = old_sheet(EIGHT, 0x0040, &[number_record(0, 0, 0, 8.0)]);
    let chart = old_sheet(EIGHT, 0x0020, &[]);
    let sheets = [
        ("Data", 0, data.clone()),
        ("Ask", 0, dialog),
        ("Macro", 1, macros.clone()),
        ("Odd", 9, macros),
        ("Chart", 2, chart),
        ("Far", 0, Vec::new()),
    ];
    let content = read(&compound(&old_workbook(EIGHT, &[], &sheets)), "xls").unwrap();
    assert!(content.markdown.starts_with("## Data\n\n| 7 |"), "{}", content.markdown);
    assert_eq!(
        content.warnings,
        [
            "sheet `Ask` holds macros or dialogs and was not read",
            "sheet `Macro` holds macros or dialogs and was not read",
            "sheet `Odd` holds macros or dialogs and was not read",
            "sheet `Chart` is a chart and was not read",
            "sheet `Far` is listed in the workbook but is not in it",
        ]
    );
}

#[test]
fn encrypted_workbooks_are_said_to_be_encrypted() {
    // Excel 97 and later write the type of encryption first, with 0 for the oldest. Excel 5 has only that one.
    for (version, data) in
        [(EIGHT, &[0, 0, 0x12, 0x34, 0x56, 0x78][..]), (EIGHT, &[1, 0]), (FIVE, &[1, 2, 3, 4])]
    {
        let sheet = old_sheet(version, WORKSHEET, &[]);
        let stream = old_workbook(version, &[record(0x002F, data)], &[("S", 0, sheet)]);
        assert_eq!(
            read(&compound(&stream), "xls"),
            Err(Error::Unsupported(ENCRYPTED.to_owned())),
            "{version:x} {data:?}"
        );
    }
}

#[test]
fn packages_behind_a_password_are_said_to_be_encrypted() {
    let mut file = cfb::CompoundFile::create(std::io::Cursor::new(Vec::new())).unwrap();
    file.create_stream("/EncryptedPackage").unwrap();
    let bytes = file.into_inner().into_inner();
    for extension in ["xls", "xlsx", "xlsb"] {
        assert_eq!(
            read(&bytes, extension),
            Err(Error::Unsupported(ENCRYPTED.to_owned())),
            "{extension}"
        );
    }
}

/// SheetJS writes such files.
#[test]
fn workbooks_in_irregular_compound_files() {
    let rows: Vec<_> = (1..900).map(|row| number_record(row, 0, 0, f64::from(row) / 8.0)).collect();
    let records = [vec![label(0, 0, b"value")], rows].concat();
    for records in [&records[..3], &records] {
        let sheet = old_sheet(FIVE, WORKSHEET, records);
        let regular = compound(&old_workbook(FIVE, &[], &[("S", 0, sheet)]));
        let expected = read(&regular, "xls").unwrap();
        assert_eq!(only_table(&expected).len(), records.len() - 1);
        for (what, bytes) in irregular::irregular(&regular) {
            assert_eq!(read(&bytes, "xls").as_ref(), Ok(&expected), "{what}");
        }
    }
    let mut file = cfb::CompoundFile::create(std::io::Cursor::new(Vec::new())).unwrap();
    file.create_stream("/EncryptedPackage").unwrap();
    for (what, bytes) in irregular::irregular(&file.into_inner().into_inner()) {
        for extension in ["xls", "xlsx", "xlsb"] {
            let encrypted = Err(Error::Unsupported(ENCRYPTED.to_owned()));
            assert_eq!(read(&bytes, extension), encrypted, "{what}");
        }
    }
}

/// Workbooks of SheetJS 0.18.5, from `XLSX.write` with the types `biff5` and `biff8`.
#[test]
fn workbooks_of_sheetjs() {
    for name in ["sheetjs5.xls", "sheetjs8.xls"] {
        let path = format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"));
        let content = read(&std::fs::read(path).unwrap(), "xls").unwrap();
        assert_eq!(
            only_table(&content),
            [
                [text("row0"), number("0")],
                [text("row1"), number("1.5")],
                [text("row2"), number("3")]
            ],
            "{name}"
        );
        assert!(content.warnings.is_empty(), "{name}: {:?}", content.warnings);
    }
}

#[test]
fn streams_without_a_compound_file() {
    // A sheet without a version and without globals, as a widespread code snippet writes it.
    let snippet = old_sheet(
        0,
        WORKSHEET,
        &[
            label(0, 0, b"name"),
            label(0, 1, b"n"),
            label(1, 0, b"caf\xc3\xa9"),
            number_record(1, 1, 0, 2.5),
        ],
    );
    let content = read(&snippet, "xls").unwrap();
    assert_eq!(only_table(&content), [[text("café"), number("2.5")]]);
    assert_eq!(content.warnings, ["the workbook does not say its encoding; it was read as UTF-8"]);

    let whole = old_workbook(
        EIGHT,
        &[],
        &[("S", 0, old_sheet(EIGHT, WORKSHEET, &[number_record(0, 0, 0, 1.0)]))],
    );
    assert_eq!(read(&whole, "xls").unwrap().markdown, "## S\n\n| 1 |\n| --- |\n");
}

#[test]
fn excel_2_names_formats_in_its_cells() {
    let old_cell = |row: u16, column: u16, format: u8| {
        [&row.to_le_bytes()[..], &column.to_le_bytes(), &[0, format, 0]].concat()
    };
    let formula = [old_cell(2, 0, 0), 7.5f64.to_le_bytes().to_vec(), vec![0, 0]].concat();
    let stream = [
        record(0x0009, &[2, 0, 0x10, 0]),
        code_page(437),
        record(0x001E, b"\x07General"),
        record(0x001E, b"\x08dd/mm/yy"),
        record(0x0004, &[old_cell(0, 0, 0), b"\x05Gr\x94\xe1e".to_vec()].concat()),
        record(0x0003, &[old_cell(1, 0, 1), 45_657f64.to_le_bytes().to_vec()].concat()),
        record(0x0006, &formula),
        record(0x0002, &[old_cell(3, 0, 0), vec![42, 0]].concat()),
        record(0x0005, &[old_cell(4, 0, 0), vec![7, 1]].concat()),
        record(0x0005, &[old_cell(5, 0, 0), vec![1, 0]].concat()),
        record(0x000A, &[]),
    ];
    let content = read(&stream.concat(), "xls").unwrap();
    assert_eq!(content.tables[0].data.columns, ["Größe"]);
    let cells: Vec<&Cell> = only_table(&content).iter().flatten().collect();
    let error = text("#DIV/0!");
    assert_eq!(
        cells,
        [&text("2024-12-31"), &number("7.5"), &number("42"), &error, &Cell::Boolean(true)]
    );
    assert_eq!(content.warnings, ["sheet `Sheet1`: cells with an error such as `#DIV/0!`: 1"]);
}

#[test]
fn excel_4_has_several_sheets_in_one_stream() {
    let part = |part: u8| record(0x0409, &[0, 4, part, 0, 0, 0]);
    let header =
        |name: &str| record(0x008F, &[&[0, 0, 0, 0, name.len() as u8], name.as_bytes()].concat());
    let stream = [
        record(0x0409, &[0, 4, 0, 1, 0, 0]),
        header("One"),
        part(0x10),
        record(0x0443, &[0, 0]),
        number_record(0, 0, 0, 1.0),
        record(0x000A, &[]),
        header("Two"),
        part(0x10),
        number_record(0, 0, 0, 2.0),
        record(0x000A, &[]),
        record(0x000A, &[]),
    ];
    let content = read(&stream.concat(), "xls").unwrap();
    assert_eq!(content.markdown, "## One\n\n| 1 |\n| --- |\n\n## Two\n\n| 2 |\n| --- |\n");
}

#[test]
fn unusual_code_pages() {
    let read_with = |globals: &[Vec<u8>], bytes: &[u8]| {
        let sheet = old_sheet(FIVE, WORKSHEET, &[label(0, 0, bytes)]);
        let content = read(&old_workbook(FIVE, globals, &[("S", 0, sheet)]), "xls").unwrap();
        (content.tables[0].data.columns[0].clone(), content.warnings)
    };
    assert_eq!(read_with(&[code_page(0x8000)], b"caf\x8e"), ("café".into(), vec![]));
    assert_eq!(read_with(&[code_page(850)], b"caf\x82"), ("café".into(), vec![]));
    assert_eq!(read_with(&[code_page(936)], b"\xd6\xd0\xce\xc4"), ("中文".into(), vec![]));
    assert_eq!(
        read_with(&[code_page(4711)], b"abc"),
        (
            "abc".into(),
            vec![
                "the code page 4711 of the workbook is unknown: text beyond ASCII may be wrong"
                    .into()
            ]
        )
    );
    let chinese = encoding_rs::GBK.encode("销售额和利润统计表").0;
    assert_eq!(
        read_with(&[], &chinese),
        (
            "销售额和利润统计表".into(),
            vec!["the workbook does not say its encoding; it was read as GBK".into()]
        )
    );
    // Since Excel 97 all text is Unicode, so an unknown code page does not matter.
    let unicode = [cell(0, 0, 0), b"\x02\0\x01\x2d\x4e\x87\x65".to_vec()].concat();
    let sheet = old_sheet(EIGHT, WORKSHEET, &[record(0x0204, &unicode)]);
    let content =
        read(&old_workbook(EIGHT, &[code_page(0xD7CC)], &[("S", 0, sheet)]), "xls").unwrap();
    assert_eq!((content.tables[0].data.columns[0].as_str(), content.warnings.len()), ("中文", 0));
}

/// `=1+1` in the cell below a title, with the value of an empty text.
fn without_value() -> Vec<u8> {
    let formula = [&[7, 0][..], &[0x1E, 1, 0, 0x1E, 1, 0, 0x03]].concat();
    let value = vec![3, 0, 0, 0, 0, 0, 0xFF, 0xFF];
    record(0x0006, &[cell(1, 0, 0), value, vec![0, 0, 0, 0, 0, 0], formula].concat())
}

#[test]
fn formulas_of_programs_that_do_not_calculate() {
    let sheet = |more: Vec<u8>| {
        old_sheet(EIGHT, WORKSHEET, &[number_record(0, 0, 0, 9.0), without_value(), more])
    };
    let read_with = |globals: &[Vec<u8>], more: Vec<u8>| {
        let content =
            read(&compound(&old_workbook(EIGHT, globals, &[("S", 0, sheet(more))])), "xls");
        content.unwrap()
    };
    let content = read_with(&[], Vec::new());
    assert_eq!(only_table(&content), [[text("=1+1")]]);
    assert!(content.warnings[0].contains("never calculated stand as text, without a value: A2;"));
    // With a program that calculates, or any formula with a value, it is a formula with an empty text.
    let calculated = read_with(&[record(0x01C1, &[0; 8])], Vec::new());
    assert_eq!((calculated.tables[0].data.rows.len(), calculated.warnings.len()), (0, 0));
    let other = [cell(2, 0, 0), 5f64.to_le_bytes().to_vec(), vec![0; 6]].concat();
    let content = read_with(&[], record(0x0006, &other));
    assert_eq!(content.tables[0].data.rows, [[Cell::Null], [number("5")]]);
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
}

#[test]
fn comments_and_text_boxes_are_found_by_their_objects() {
    let object = |kind: u8, id: u8| record(0x005D, &[0x15, 0, 0x12, 0, kind, 0, id, 0]);
    let shown = |text: &str| {
        let mut data = vec![0; 10];
        data.extend((text.len() as u16).to_le_bytes());
        data.extend([0; 6]);
        let characters = [&[0][..], text.as_bytes()].concat();
        [record(0x01B6, &data), record(0x003C, &characters), record(0x003C, &[0; 8])].concat()
    };
    let note = [&[3, 0, 1, 0, 0, 0, 5, 0, 3, 0, 0][..], b"Ann"].concat();
    let records = [
        number_record(0, 0, 0, 1.0),
        object(0x19, 5),
        shown("Ann:\nlook here"),
        object(0x06, 6),
        shown("a box"),
        object(0x08, 7),
        beginning(EIGHT, 0x0020),
        number_record(9, 9, 0, 9.0),
        record(0x000A, &[]),
        record(0x001C, &note),
    ];
    let stream = old_workbook(EIGHT, &[], &[("S", 0, old_sheet(EIGHT, WORKSHEET, &records))]);
    let content = read(&compound(&stream), "xls").unwrap();
    assert_eq!(
        content.markdown,
        "## S\n\n| 1 |\n| --- |\n\nComments:\n\n- B4 (Ann): look here\n\nText boxes:\n\n- a box\n"
    );
    assert_eq!(content.warnings, ["sheet `S`: not read: 1 chart, 1 picture"]);
}

#[test]
fn what_is_damaged_is_counted_and_a_cut_is_said() {
    let sheet =
        old_sheet(EIGHT, WORKSHEET, &[number_record(0, 0, 0, 1.0), record(0x0203, &[1, 0, 0])]);
    let stream = old_workbook(EIGHT, &[], &[("S", 0, sheet)]);
    let content = read(&stream[..stream.len() - 2], "xls").unwrap();
    assert_eq!(content.markdown, "## S\n\n| 1 |\n| --- |\n");
    assert_eq!(
        content.warnings,
        [
            "sheet `S`: the file is cut off inside it",
            "sheet `S`: damaged records, whose cells are missing: 1"
        ]
    );
}

/// Changes every byte in turn. The reader must return a result, because a panic is a trap.
#[test]
fn changed_bytes_do_no_harm() {
    let globals =
        [format(164, "dd/mm/yyyy"), cell_format(164), code_page(1252), record(0x0085, &[0; 5])];
    let strings =
        [&[2, 0, 0, 0, 2, 0, 0, 0][..], b"\x03\0\x08\x01\0abc....\x02\0\x01a\0b\0"].concat();
    let records = [
        number_record(0, 0, 0, 1.0),
        record(0x00FD, &[cell(1, 0, 0), vec![1, 0, 0, 0]].concat()),
        record(0x00BD, &[vec![2, 0, 0, 0], vec![0, 0, 2, 0, 0, 0], vec![0, 0]].concat()),
        without_value(),
        record(0x00E5, &[1, 0, 0, 0, 1, 0, 0, 0, 1, 0]),
    ];
    for version in [FIVE, EIGHT] {
        let sheet = old_sheet(version, WORKSHEET, &records);
        let globals = [&globals[..], &[record(0x00FC, &strings)]].concat();
        let stream = old_workbook(version, &globals, &[("S", 0, sheet)]);
        for at in 0..stream.len() {
            _ = read(&stream[..at], "xls");
            for value in [0, 1, 0x7F, 0xFF, stream[at] ^ 0x10] {
                let mut changed = stream.clone();
                changed[at] = value;
                _ = read(&changed, "xls");
            }
        }
    }
}
