//! Word documents, workbooks and presentations with damaged parts. The archive around them is written anew, because damage
//! to compressed bytes seldom reaches what is in them.

use crate::bounded;
use crate::damage::{Choices, damaged};
use mitt_package::Zip;

static DOCUMENTS: [&[u8]; 4] = [
    include_bytes!("../../../examples/budget/contract.docx"),
    include_bytes!("../../../examples/research/低温测试报告.docx"),
    include_bytes!("../../../tests/it/chinese/libreoffice.docx"),
    include_bytes!("../../../tests/it/chinese/python-docx.docx"),
];
static WORKBOOKS: [&[u8]; 6] = [
    include_bytes!("../../../examples/budget/budget.xlsx"),
    include_bytes!("../../../tests/it/fill/invoice.xlsx"),
    include_bytes!("../../../tests/it/fill/orders.xlsx"),
    include_bytes!("../../../tests/it/fill/report.xlsx"),
    include_bytes!("../../../tests/it/chinese/libreoffice.xlsx"),
    include_bytes!("../../../tests/it/chinese/openpyxl.xlsx"),
];
static PRESENTATIONS: [&[u8]; 2] = [
    include_bytes!("../../../tests/it/chinese/libreoffice.pptx"),
    include_bytes!("../../../tests/it/chinese/python-pptx.pptx"),
];

const XML: [&str; 12] = [
    "<w:p>",
    "</w:p>",
    "<w:r><w:t>x</w:t></w:r>",
    "<w:tbl><w:tr><w:tc>",
    "</w:tc></w:tr></w:tbl>",
    "<w:ins w:id=\"1\">",
    "<w:fldChar w:fldCharType=\"begin\"/>",
    "&#x10FFFF;",
    "&amp;",
    "<![CDATA[",
    "-->",
    "xml:space=\"preserve\"",
];
const SHEET: [&str; 14] = [
    "<c r=\"XFD1048576\"><v>1</v></c>",
    "<c r=\"A1\" t=\"s\"><v>99</v></c>",
    "<f t=\"shared\" si=\"0\" ref=\"A1:B2\">A1</f>",
    "<f>SUM(A:A)</f>",
    "<f t=\"array\" ref=\"A1:XFD1048576\">ROW(1:9)</f>",
    "<row r=\"0\">",
    "</row>",
    "$A$1",
    "A1:XFD1048576",
    "#REF!",
    "INDIRECT(\"A\"&amp;1)",
    "<mergeCell ref=\"A1:C3\"/>",
    "Sheet1!",
    "t=\"str\"",
];
const DECK: [&str; 10] = [
    "<p:sp>",
    "</p:sp>",
    "<a:p><a:r><a:t>x</a:t></a:r></a:p>",
    "<a:tr h=\"1\">",
    "<a:gridCol w=\"1\"/>",
    "r:id=\"rId1\"",
    "cx=\"-1\"",
    "<p:grpSp>",
    "</p:grpSp>",
    "<c:pt idx=\"4294967295\"><c:v>1</c:v></c:pt>",
];

/// Returns a file with one or two damaged parts; seldom a damaged archive.
fn package(seeds: &[&[u8]], choices: &mut Choices<'_>, words: &[&str]) -> Option<Vec<u8>> {
    let seed = seeds[choices.below(seeds.len())];
    if choices.below(16) == 0 {
        return Some(damaged(seed, choices, &[]));
    }
    let archive = Zip::open(seed.to_vec()).ok()?;
    let names: Vec<String> = archive
        .names()
        .filter(|it| it.ends_with(".xml") || it.ends_with(".rels"))
        .map(str::to_owned)
        .collect();
    let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
    for _ in 0..=choices.below(2) {
        let name = names.get(choices.below(names.len()))?.clone();
        if parts.iter().any(|it| it.0 == name) {
            continue;
        }
        let part = archive.read(&name).ok()??;
        parts.push((name, damaged(&part, choices, words)));
    }
    archive.rewrite(&parts, &[]).ok()
}

fn words() -> Vec<String> {
    vec!["the".to_owned(), "数".to_owned(), "1".to_owned()]
}

/// A damaged Word document is read, changed, compared and redacted, or refused. What is written can be read again.
pub fn docx(data: &[u8]) {
    use docx_tool::{Document, Edit, EditOptions, MarkdownOptions, ReadOptions, View};
    let mut choices = Choices(data);
    let task = choices.below(6);
    let Some(bytes) = package(&DOCUMENTS, &mut choices, &XML) else { return };
    let mut document = match Document::open(bytes.clone()) {
        Ok(document) => document,
        Err(error) => return bounded(&error),
    };
    let view = [View::Accepted, View::Original, View::Marks][choices.below(3)];
    let options = EditOptions::new(choices.flip(), None, None).unwrap_or_else(|it| panic!("{it}"));
    let written = match task {
        0 => {
            assert!(!document.is_lossless() || document.save().is_ok_and(|it| it == bytes));
            let options =
                ReadOptions { view, is_outline: false, find: None, from: 0, limit: 1_000 };
            docx_tool::read(&mut document, &options).map(|_| None)
        }
        1 => {
            let options = MarkdownOptions { view, from: 0, limit: 1_000 };
            docx_tool::read_markdown(&mut document, &options).map(|_| None)
        }
        2 => docx_tool::convert(bytes, view, true).map(|_| None),
        3 => docx_tool::redact(bytes, &words(), &[]).map(|it| Some(it.bytes)),
        4 => {
            let seed = DOCUMENTS[choices.below(DOCUMENTS.len())].to_vec();
            docx_tool::compare(seed, bytes, &options).map(|it| Some(it.redline))
        }
        _ => {
            let at = format!("p{}", choices.below(8));
            let edits = [
                Edit::InsertText {
                    at: at.clone(),
                    text: "new".to_owned(),
                    after: None,
                    before: None,
                },
                Edit::DeleteParagraph { at },
            ];
            let edits = &edits[choices.below(2)..];
            docx_tool::edit(bytes, edits, &options, &|_| Err("no file".to_owned()))
                .map(|it| Some(it.bytes))
        }
    };
    match written {
        Ok(None) => {}
        Ok(Some(bytes)) => drop(Document::open(bytes).unwrap_or_else(|it| panic!("{it}"))),
        Err(error) => bounded(&error),
    }
}

/// A damaged workbook is read, calculated, changed, compared and redacted, or refused. What is written can be read again.
pub fn sheet(data: &[u8]) {
    use sheet_tool::{Edit, EditOptions, Input, SetCell, Trace, World};
    let mut choices = Choices(data);
    let task = choices.below(7);
    let Some(bytes) = package(&WORKBOOKS, &mut choices, &SHEET) else { return };
    let world = World { clock: Some(1.7e9), seed: Some(1) };
    let name = match sheet_tool::overview(bytes.clone(), None) {
        Ok(overview) => overview.sheets.first().map(|it| it.name.clone()).unwrap_or_default(),
        Err(error) => return bounded(&error),
    };
    let quoted = name.replace('\'', "''");
    let cell = format!("'{quoted}'!B2");
    let written = match task {
        0 => sheet_tool::read_cells(bytes, &format!("'{quoted}'!"), 1_000, world).map(|_| None),
        1 => sheet_tool::compare(bytes).map(|_| None),
        2 => sheet_tool::trace(bytes, &cell, Trace::Inputs, world).map(|_| None),
        3 => {
            let seed = WORKBOOKS[choices.below(WORKBOOKS.len())].to_vec();
            sheet_tool::differences(seed, bytes, None, 100).map(|_| None)
        }
        4 => sheet_tool::redact(bytes, &words(), &[], "a.xlsx").map(|it| Some(it.bytes)),
        _ => {
            let set = vec![SetCell { at: cell, value: Input::Number("7".to_owned()) }];
            let edits = [
                Edit::SetCells(set),
                Edit::Insert { place: format!("'{quoted}'!2:3") },
                Edit::Delete { place: format!("'{quoted}'!B:C") },
            ];
            let edit = &edits[choices.below(3)..][..1];
            let options = EditOptions { now: None, world };
            sheet_tool::apply(bytes, &[], edit, &options).map(|it| Some(it.bytes))
        }
    };
    match written {
        Ok(None) => {}
        Ok(Some(bytes)) => {
            drop(sheet_tool::overview(bytes, None).unwrap_or_else(|it| panic!("{it}")))
        }
        Err(error) => bounded(&error),
    }
}

/// A damaged presentation is read, changed and redacted, or refused. What is written can be read again.
pub fn deck(data: &[u8]) {
    use deck_tool::{Deck, Edit, Finding, ReadOptions};
    let mut choices = Choices(data);
    let task = choices.below(4);
    let Some(bytes) = package(&PRESENTATIONS, &mut choices, &DECK) else { return };
    let deck = match Deck::open(bytes.clone()) {
        Ok(deck) => deck,
        Err(error) => return bounded(&error),
    };
    let info = deck_tool::read(&deck, &ReadOptions { from: 1, limit: 100, has_layouts: true });
    drop(deck);
    let info = match info {
        Ok(info) => info,
        Err(error) => return bounded(&error),
    };
    let files = |_: &str| Err(deck_tool::Error::Invalid("no file".to_owned()));
    let slide = info.slides.first().map(|it| it.anchor.clone()).unwrap_or_default();
    let written = match task {
        0 => deck_tool::redact(bytes, &words(), &[]).map(|it| it.bytes),
        1 => {
            let edit = Edit::SetNotes { slide, expected: None, text: "a note".to_owned() };
            deck_tool::edit(bytes, &[edit], &files).map(|it| it.bytes)
        }
        _ => {
            let edit = Edit::ReplaceText {
                find: "2".to_owned(),
                replacement: "two".to_owned(),
                finding: Finding::default(),
            };
            deck_tool::edit(bytes, &[edit], &files).map(|it| it.bytes)
        }
    };
    match written {
        Ok(bytes) => drop(Deck::open(bytes).unwrap_or_else(|it| panic!("{it}"))),
        Err(error) => bounded(&error),
    }
}
