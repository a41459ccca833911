//! Tests workbooks in binary parts, made record by record.

mod support;

use mitt_reader_kit::Cell;
use support::read;
use support::{archive, binary_record, number, only_table, relationships, root, text, wide};

fn entry(name: &str, id: &str) -> Vec<u8> {
    binary_record(0x009C, &[vec![0; 8], wide(id), wide(name)].concat())
}

fn row(number: u32) -> Vec<u8> {
    binary_record(0x0000, &number.to_le_bytes())
}

fn cell(id: u16, column: u32, format: u32, value: &[u8]) -> Vec<u8> {
    binary_record(id, &[&column.to_le_bytes()[..], &format.to_le_bytes(), value].concat())
}

/// Returns a workbook with a sheet with values of all types, a macro sheet, and a missing sheet.
fn parts() -> Vec<(&'static str, Vec<u8>)> {
    let list = [entry("Data", "a"), entry("Macro", "m"), entry("Gone", "x")].concat();
    let links = relationships(&[
        ("a", "worksheet", "/sheets/data.bin"),
        ("m", "xlMacrosheet", "/sheets/macro.bin"),
        ("s", "sharedStrings", "words.bin"),
        ("f", "styles", "look.bin"),
    ]);
    let cells = [
        row(0),
        cell(0x0007, 0, 0, &[0; 4]),
        cell(0x0006, 1, 0, &wide("b")),
        cell(0x003E, 2, 0, &[vec![0], wide("rich")].concat()),
        row(1),
        // Results of formulas. The formula follows the value.
        cell(0x000B, 0, 0, &[0x07, 0, 0]),
        cell(0x0009, 1, 1, &[&45_657f64.to_le_bytes()[..], &[0, 0]].concat()),
        cell(0x0002, 2, 0, &[0x02 | 50 << 2, 0, 0, 0]),
        row(2),
        cell(0x000B, 0, 0, &[0x2A]),
        cell(0x000A, 1, 0, &[1]),
        cell(0x0003, 2, 0, &[0x17]),
    ];
    let look = [
        binary_record(0x002C, &[vec![164, 0], wide("yyyy-mm-dd")].concat()),
        binary_record(0x0269, &[]),
        binary_record(0x002F, &[0, 0, 0, 0]),
        binary_record(0x002F, &[0, 0, 164, 0]),
        binary_record(0x026A, &[]),
    ];
    vec![
        ("_rels/.rels", root("book.bin").into_bytes()),
        ("book.bin", list),
        ("_rels/book.bin.rels", links.into_bytes()),
        ("words.bin", binary_record(0x0013, &[vec![0], wide("a")].concat())),
        ("look.bin", look.concat()),
        ("sheets/data.bin", cells.concat()),
        ("sheets/macro.bin", Vec::new()),
        (
            "sheets/_rels/data.bin.rels",
            relationships(&[("c", "comments", "notes.bin")]).into_bytes(),
        ),
        (
            "sheets/notes.bin",
            [
                binary_record(0x0278, &wide("Ann")),
                binary_record(0x027B, &[0u32, 2, 2, 1, 1].map(u32::to_le_bytes).concat()),
                binary_record(0x027D, &[vec![0], wide("look")].concat()),
            ]
            .concat(),
        ),
    ]
}

#[test]
fn errors_are_values_and_columns_of_them_stay() {
    let content = read(&archive(&parts()), "xlsb").unwrap();
    assert_eq!(content.tables[0].data.columns, ["a", "b", "rich"]);
    assert_eq!(
        only_table(&content),
        [
            [text("#DIV/0!"), text("2024-12-31"), number("50")],
            [text("#N/A"), Cell::Boolean(true), text("#REF!")]
        ]
    );
    assert!(
        content.markdown.ends_with("\n\nComments:\n\n- B3 (Ann): look\n"),
        "{}",
        content.markdown
    );
    assert_eq!(
        content.warnings,
        [
            "sheet `Data`: cells with an error such as `#DIV/0!`: 3",
            "sheet `Macro` holds macros or dialogs and was not read",
            "sheet `Gone` is listed in the workbook but is not in it",
        ]
    );
}

/// Changes every byte in turn. The reader must return a result, because a panic is a trap.
#[test]
fn changed_bytes_do_no_harm() {
    let parts = parts();
    for (index, (_, part)) in parts.iter().enumerate() {
        for at in 0..part.len() {
            let mut changed = parts.clone();
            changed[index].1[at] = [0, 0x7F, 0xFF][at % 3];
            _ = read(&archive(&changed), "xlsb");
            changed[index].1.truncate(at);
            _ = read(&archive(&changed), "xlsb");
        }
    }
}

#[test]
fn short_cells_and_what_is_hidden() {
    let links = relationships(&[("a", "worksheet", "/sheets/data.bin")]);
    let hidden_row = [&2u32.to_le_bytes()[..], &[0; 7], &[0x10, 0]].concat();
    let hidden_column = [&[1u32, 1, 2560, 0].map(u32::to_le_bytes).concat()[..], &[3, 0]].concat();
    let short = |id, value: &[u8]| binary_record(id, &[&[0; 4], value].concat());
    let cells = [
        binary_record(0x003C, &hidden_column),
        row(0),
        cell(0x0006, 0, 0, &wide("a")),
        short(0x0011, &wide("b")),
        row(1),
        cell(0x0001, 0, 0, &[]),
        short(0x000D, &[0x02 | 50 << 2, 0, 0, 0]),
        binary_record(0x0000, &hidden_row),
        cell(0x0005, 0, 0, &900f64.to_le_bytes()),
        short(0x000F, &[1]),
    ];
    let parts = [
        ("_rels/.rels", root("book.bin").into_bytes()),
        ("book.bin", entry("Data", "a")),
        ("_rels/book.bin.rels", links.into_bytes()),
        ("sheets/data.bin", cells.concat()),
    ];
    let content = read(&archive(&parts), "xlsb").unwrap();
    assert_eq!(content.tables[0].data.columns, ["a", "b"]);
    assert_eq!(
        only_table(&content),
        [[Cell::Null, number("50")], [number("900"), Cell::Boolean(true)]]
    );
    assert_eq!(
        content.warnings,
        [
            "sheet `Data`: 1 row (3) is hidden in the workbook and read like the others: sums over the sheet count what nobody \
             sees there",
            "sheet `Data`: 1 column (B) is hidden in the workbook and read like the others",
        ]
    );
}
