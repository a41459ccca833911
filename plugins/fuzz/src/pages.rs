//! Damaged PDF files for the tool that edits them.

use crate::bounded;
use crate::damage::{Choices, damaged};
use pdf_tool::{
    Edit, NoTypesetter, Pdf, Position, Redaction, SaveOptions, SplitBy, Text, compress, edit,
    find_text, merge, redact, repair, signatures, split, verify_signatures,
};

/// A document whose objects are not compressed, so that each of them can be damaged: forms, bookmarks, labels, annotations,
/// attachments, a form on a page, a picture, two increments. The offsets in its table are wrong, so that it is repaired.
const PLAIN: &str = include_str!("../seeds/plain.pdf.txt");

static SEEDS: [&[u8]; 9] = [
    PLAIN.as_bytes(),
    PLAIN.as_bytes(),
    include_bytes!("../seeds/signed.pdf"),
    include_bytes!("../../reader-pdf/tests/files/lab-columns.pdf"),
    include_bytes!("../../reader-pdf/tests/files/letters.pdf"),
    include_bytes!("../../reader-pdf/tests/files/owner-only.pdf"),
    include_bytes!("../../reader-pdf/tests/files/scan.pdf"),
    include_bytes!("../../reader-pdf/tests/files/weasy-styles.pdf"),
    include_bytes!("../../reader-images/tests/fixtures/mixed.pdf"),
];

const WORDS: [&str; 24] = [
    "<<",
    ">>",
    "[",
    "]",
    "1 0 R",
    "5 0 R",
    "9 0 R",
    "(",
    ")",
    "<",
    "endobj",
    "stream\n",
    "endstream",
    "/Length 9",
    "/Prev 9",
    "/Kids [2 0 R]",
    "/Parent 5 0 R",
    "/Filter /FlateDecode",
    "/Type /ObjStm",
    "/N 9",
    "BT",
    "Tj",
    "/F1 Do",
    "xref",
];

/// A damaged file is changed or refused. What is written can be read again and has the same pages.
pub fn pdf(data: &[u8]) {
    let mut choices = Choices(data);
    let seed = SEEDS[choices.below(SEEDS.len())];
    let task = choices.below(10);
    let bytes = damaged(seed, &mut choices, &WORDS);
    let opened = || match Pdf::open(bytes.clone(), None) {
        Ok(pdf) => Some(pdf),
        Err(error) => {
            bounded(&error);
            None
        }
    };
    let Some(mut pdf) = opened() else { return };
    let count = pdf.page_count();
    let written = match task {
        0 => pdf.save(&SaveOptions::default()).map(|it| (it, Some(count))),
        1 => find_text(pdf, "a.pdf", "the", None, 20).map(|_| (Vec::new(), None)),
        2 => redact(pdf, &redaction()).map(|it| (it.0, Some(count))),
        3 => compress(&mut pdf, Some(72)).map(|it| (it.0, None)),
        4 => repair(&mut pdf).map(|it| (it.0, Some(count))),
        5 => split(pdf, &SplitBy::Every(1)).map(|parts| {
            parts.into_iter().for_each(|it| assert_read(it.bytes, Some(it.pages.len())));
            (Vec::new(), None)
        }),
        6 => {
            let Some(other) = opened() else { return };
            let both = merge(vec![("a".to_owned(), pdf), ("b".to_owned(), other)]);
            both.and_then(|(mut both, _)| {
                Ok((both.save(&SaveOptions::default())?, Some(2 * count)))
            })
        }
        7 => {
            let found = signatures(&pdf);
            drop(pdf);
            verify_signatures(&bytes, found, &[], None).map(|_| (Vec::new(), None))
        }
        8 => {
            drop((pdf.fields(), pdf.outline(), pdf.attachments(), pdf.signatures()));
            return;
        }
        _ => {
            let edits = edits(&pdf, &mut choices);
            let files = |_: &str| Ok(b"a file".to_vec());
            edit(&mut pdf, &edits, true, &files, &NoTypesetter)
                .and_then(|_| Ok((pdf.save(&SaveOptions::default())?, None)))
        }
    };
    match written {
        Ok((bytes, _)) if bytes.is_empty() => {}
        Ok((bytes, count)) => assert_read(bytes, count),
        Err(error) => bounded(&error),
    }
}

fn assert_read(bytes: Vec<u8>, count: Option<usize>) {
    let again = match Pdf::open(bytes, None) {
        Ok(again) => again,
        Err(error) => panic!("what was written cannot be read: {error}"),
    };
    if let Some(count) = count {
        assert_eq!(again.page_count(), count, "the pages changed");
    }
}

fn redaction() -> Redaction {
    Redaction {
        words: vec!["the".to_owned()],
        patterns: vec!["[0-9]{4}".to_owned()],
        areas: vec![(1, [50.0, 50.0, 300.0, 300.0])],
        accepts_unread: true,
        breaks_signatures: true,
        ..Redaction::default()
    }
}

/// Returns edits of all kinds that damaged objects can reach.
fn edits(pdf: &Pdf, choices: &mut Choices<'_>) -> Vec<Edit> {
    let field = pdf.fields().into_iter().nth(choices.below(4)).map(|it| it.name);
    let all = || "all".to_owned();
    match choices.below(7) {
        0 => {
            vec![Edit::FillField { field: field.unwrap_or_default(), value: "Ada\nYes".to_owned() }]
        }
        1 => vec![Edit::Flatten { fields: Vec::new() }],
        2 => vec![
            Edit::SelectPages { pages: "1".to_owned() },
            Edit::InsertBlank { after: 1, count: 1 },
        ],
        3 => vec![
            Edit::RotatePages { pages: all(), angle: 90 },
            Edit::CropPages { pages: all(), rect: vec![10.0, 10.0, 90.0, 90.0] },
        ],
        4 => vec![Edit::Sheets { count: 2, paper: "A4".to_owned() }],
        5 => vec![
            Edit::SetMetadata { name: "title".to_owned(), value: "A title".to_owned() },
            Edit::SetOutline(pdf.outline()),
            Edit::AttachFile { name: "b.txt".to_owned(), description: String::new() },
        ],
        _ => vec![Edit::AddText(Text {
            text: "Page {page}".to_owned(),
            pages: all(),
            position: Position::Bottom,
            size: 10.0,
            color: "000000".to_owned(),
            angle: 0.0,
            opacity: 0.5,
            margin: 10.0,
            start: None,
            is_behind: choices.flip(),
        })],
    }
}
