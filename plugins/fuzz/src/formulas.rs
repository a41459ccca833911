//! Formulas of pieces that fit together more often than arbitrary text does.

use crate::bounded;
use crate::damage::Choices;
use sheet_tool::{Edit, EditOptions, Input, SetCell, World};

static WORKBOOK: &[u8] = include_bytes!("../../../tests/it/fill/orders.xlsx");

const PIECES: [&str; 64] = [
    "(",
    ")",
    ",",
    ";",
    "{",
    "}",
    "+",
    "-",
    "*",
    "/",
    "^",
    "&",
    "=",
    "<>",
    "<=",
    "%",
    ":",
    " ",
    "!",
    "#",
    "@",
    "\"",
    "'",
    "A1",
    "$B$2",
    "A1:C3",
    "A:A",
    "1:1",
    "XFD1048576",
    "R1C1",
    "1",
    "0",
    "-1",
    "1e308",
    "1e-400",
    "0.1",
    "99999999999999999999",
    "\"text\"",
    "\"\"",
    "TRUE",
    "#REF!",
    "#N/A",
    "Sheet1!A1",
    "'a b'!A1",
    "[1]x!A1",
    "SUM(",
    "IF(",
    "INDEX(",
    "OFFSET(A1,",
    "INDIRECT(",
    "LET(x,",
    "LAMBDA(x,",
    "REPT(",
    "SEQUENCE(",
    "TEXT(",
    "MAP(A1:A3,",
    "REDUCE(0,A1:A3,",
    "REGEXEXTRACT(",
    "DATE(",
    "VLOOKUP(",
    "MMULT(",
    "RANDARRAY(",
    "TEXTSPLIT(",
    "中",
];

/// A formula is calculated or refused, and what is written can be read again.
pub fn formula(data: &[u8]) {
    let mut choices = Choices(data);
    let mut text = "=".to_owned();
    if choices.below(4) == 0 {
        text.push_str(&String::from_utf8_lossy(choices.rest()));
    }
    while !choices.is_over() && text.len() < 8_000 {
        text.push_str(PIECES[choices.below(PIECES.len())]);
    }
    // Most arbitrary pieces lack brackets at the end.
    let open = text.matches(['(']).count().saturating_sub(text.matches([')']).count());
    text.push_str(&")".repeat(open.min(8_000)));
    let world = World { clock: Some(1.7e9), seed: Some(1) };
    let name = match sheet_tool::overview(WORKBOOK.to_vec(), None) {
        Ok(overview) => overview.sheets[0].name.replace('\'', "''"),
        Err(error) => panic!("{error}"),
    };
    let set = vec![SetCell { at: format!("'{name}'!J1"), value: Input::Text(text) }];
    let options = EditOptions { now: None, world };
    match sheet_tool::apply(WORKBOOK.to_vec(), &[], &[Edit::SetCells(set)], &options) {
        Ok(edited) => {
            let read = sheet_tool::read_cells(edited.bytes, &format!("'{name}'!J1"), 10, world);
            if let Err(error) = read {
                panic!("what was written cannot be read: {error}");
            }
        }
        Err(error) => bounded(&error),
    }
}
