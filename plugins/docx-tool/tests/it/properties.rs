//! Random batches: accepting a tracked batch gives what the same batch does without tracking, and rejecting it gives the
//! document before.

use super::*;
use docx_tool::{Format, Where, compare};

const SOURCE: &str = "<w:p><w:pPr><w:pStyle w:val=\"H1\"/></w:pPr><w:r><w:t>Head line</w:t></w:r></w:p>\
    <w:p><w:r><w:t xml:space=\"preserve\">The first </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>par</w:t></w:r><w:proofErr w:type=\"x\"/><w:r><w:t>agraph has words, and</w:t><w:tab/><w:t>a tab.</w:t></w:r></w:p>\
    <w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr><w:r><w:t xml:space=\"preserve\">See </w:t></w:r><w:hyperlink w:anchor=\"b\"><w:r><w:t>the link</w:t></w:r></w:hyperlink><w:r><w:t xml:space=\"preserve\"> now</w:t></w:r></w:p>\
    <w:tbl><w:tblGrid><w:gridCol w:w=\"10\"/><w:gridCol w:w=\"10\"/></w:tblGrid><w:tr><w:tc><w:p><w:r><w:t>cell one</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>cell two</w:t></w:r></w:p><w:p><w:r><w:t>and more</w:t></w:r></w:p></w:tc></w:tr>\
    <w:tr><w:tc><w:p/></w:tc><w:tc><w:p><w:r><w:t>cell four</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
    <w:p><w:bookmarkStart w:id=\"1\" w:name=\"b\"/><w:r><w:t>Between a table</w:t></w:r></w:p><w:p><w:bookmarkEnd w:id=\"1\"/><w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>control text</w:t></w:r></w:sdtContent></w:sdt></w:p>\
    <w:p><w:r><w:t>第一条 甲方应当支付</w:t></w:r><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>12</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>\
    <w:p><w:r><w:t>The last paragraph.</w:t></w:r></w:p><w:sectPr/>";

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    /// Returns a range of characters of a text.
    fn part(&mut self, text: &str) -> String {
        let all: Vec<char> = text.chars().collect();
        let from = self.below(all.len());
        let to = from + 1 + self.below(all.len() - from);
        all[from..to.min(all.len())].iter().collect()
    }
}

fn random_edit(random: &mut Random, found: &Structure) -> Edit {
    let place = &found.paragraphs[random.below(found.paragraphs.len())];
    let at = place.anchor.clone();
    let side = if random.below(2) == 0 { Where::Before } else { Where::After };
    let new = ["", "x", "new words", "two\tparts", " spaced "][random.below(5)].to_owned();
    let table = found.tables[0].anchor.clone();
    match random.below(15) {
        0..4 if !place.text.is_empty() => Edit::ReplaceText {
            at,
            find: random.part(&place.text),
            replacement: new,
            occurrence: Some(1),
        },
        4 => Edit::InsertText { at, text: "inserted".to_owned(), after: None, before: None },
        5 => Edit::InsertParagraph { at, side, text: "new paragraph".to_owned(), style: None },
        6 => Edit::InsertParagraph {
            at,
            side,
            text: "a\nb".to_owned(),
            style: Some("Quote".to_owned()),
        },
        7 => Edit::DeleteParagraph { at },
        8 => Edit::SetCell {
            table,
            row: 1 + random.below(2) as u32,
            column: 1 + random.below(2) as u32,
            text: "n\nm".to_owned(),
        },
        9 => Edit::InsertRow {
            table,
            row: 1 + random.below(2) as u32,
            side,
            cells: vec!["r".to_owned()],
        },
        10 => Edit::FormatText {
            at,
            find: String::new(),
            format: Format { bold: Some(true), ..Format::default() },
        },
        11 => Edit::DeleteRow { table, row: 1 + random.below(2) as u32 },
        12 => Edit::InsertColumn {
            table,
            column: 1 + random.below(2) as u32,
            side,
            cells: vec!["c".to_owned()],
        },
        13 => Edit::DeleteColumn { table, column: 1 + random.below(2) as u32 },
        _ => {
            let to = found.paragraphs[random.below(found.paragraphs.len())].anchor.clone();
            Edit::MoveParagraph { at, side, to }
        }
    }
}

/// Returns a new footnote or field at a random place.
fn random_addition(random: &mut Random, found: &Structure) -> Edit {
    let place = &found.paragraphs[random.below(found.paragraphs.len())];
    let at = place.anchor.clone();
    let find = (!place.text.is_empty()).then(|| random.part(&place.text));
    match random.below(3) {
        0 => Edit::AddFootnote { at, find, text: "note".to_owned() },
        1 => Edit::InsertField { at, field: "DATE".to_owned(), after: find, before: None },
        _ => {
            let to = found.paragraphs[random.below(found.paragraphs.len())].anchor.clone();
            Edit::InsertField { at, field: format!("REF {to}"), after: find, before: None }
        }
    }
}

#[test]
fn accepted_batches_are_plain_batches_and_rejected_ones_are_nothing() {
    let bytes = docx(SOURCE);
    let found = structure(&bytes, View::Accepted);
    let before = texts(&bytes, View::Accepted);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut done = 0;
    for round in 0..4_000 {
        let mut edits: Vec<Edit> =
            (0..1 + random.below(4)).map(|_| random_edit(&mut random, &found)).collect();
        if random.below(3) == 0 {
            let at = random.below(edits.len() + 1);
            edits.insert(at, random_addition(&mut random, &found));
        }
        let (Ok(marked), Ok(changed)) = (tracked(&bytes, &edits), plain(&bytes, &edits)) else {
            continue;
        };
        done += 1;
        assert_eq!(
            texts(&rejected(&marked.bytes), View::Accepted),
            before,
            "{round} {edits:?}\n{}",
            body(&marked.bytes)
        );
        let own = texts(&accepted(&marked.bytes), View::Accepted);
        assert_eq!(
            own,
            texts(&changed.bytes, View::Accepted),
            "{round} {edits:?}\n{}",
            body(&marked.bytes)
        );
        // Nothing of the marks is left.
        assert!(Document::open(accepted(&marked.bytes)).unwrap().changes().is_empty());
    }
    assert!(done > 1_000, "{done}");
}

#[test]
fn redlines_of_random_changes_have_both_sides() {
    let old = docx(SOURCE);
    let found = structure(&old, View::Accepted);
    let mut random = Random(42);
    for round in 0..1_500 {
        let edits: Vec<Edit> =
            (0..1 + random.below(6)).map(|_| random_edit(&mut random, &found)).collect();
        let Ok(new) = plain(&old, &edits) else { continue };
        let found = compare(old.clone(), new.bytes.clone(), &options(true)).unwrap();
        let redline = found.redline;
        // Where the page ends with a deleted table, its last end stays.
        if found.warnings.iter().any(|it| it.contains("empty paragraph")) {
            continue;
        }
        assert_eq!(
            texts(&accepted(&redline), View::Accepted),
            texts(&new.bytes, View::Accepted),
            "{round} {edits:?}\n{}",
            body(&redline)
        );
        assert_eq!(
            texts(&rejected(&redline), View::Accepted),
            texts(&old, View::Accepted),
            "{round} {edits:?}\n{}",
            body(&redline)
        );
    }
}
