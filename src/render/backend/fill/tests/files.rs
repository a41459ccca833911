//! Whole files: hostile, damaged, long, and foreign ones.
#![expect(clippy::print_stdout, reason = "says what was found, and why a test is skipped")]

use std::path::{Path, PathBuf};

use super::*;

#[test]
fn hostile_and_foreign_files_are_refused_by_name() {
    let none = FillValues::new();
    let refused = |bytes: &[u8]| {
        let error = fill(bytes, &none).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Input, "{}", error.render());
        error.render()
    };
    let rels = "<Relationships><Relationship Id=\"r\" Type=\"x/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>";
    for (bytes, message) in [
        (b"".to_vec(), "no package"),
        (b"PK\x03\x04".to_vec(), "no package"),
        (INVOICE[..5_000].to_vec(), "no package"),
        (
            [
                &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1][..],
                b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0",
            ]
            .concat(),
            "encrypted",
        ),
        ([&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1][..], b"W\0o\0"].concat(), "Excel 97"),
        (pack(&[("../evil", "x")]), "out of the package"),
        (pack(&[("_rels/.rels", rels), ("xl/workbook.xml", "<workbook/>")]), "no sheets"),
        (
            pack(&[
                ("_rels/.rels", rels),
                ("xl/workbook.xml", "<!DOCTYPE x [<!ENTITY a \"b\">]><workbook/>"),
            ]),
            "entities",
        ),
        (
            pack(&[
                ("_rels/.rels", rels),
                ("xl/workbook.xml", "<document/>"),
                ("word/document.xml", ""),
            ]),
            "a Word document",
        ),
        (
            pack(&[
                ("_rels/.rels", rels),
                ("xl/workbook.xml", "<document/>"),
                ("ppt/presentation.xml", ""),
            ]),
            "a presentation",
        ),
        (
            pack(&[("_rels/.rels", rels), ("xl/workbook.xml", "<document/>"), ("content.xml", "")]),
            "a file of OpenDocument",
        ),
        (pack(&[("_rels/.rels", rels), ("xl/workbook.xml", "<document/>")]), "got something else"),
        (
            pack(&[("_rels/.rels", &rels.replace("xml\"/>", "bin\"/>")), ("xl/workbook.bin", "")]),
            ".xlsb",
        ),
        (
            pack(&[
                ("_xmlsignatures/a", ""),
                ("_rels/.rels", rels),
                ("xl/workbook.xml", "<workbook/>"),
            ]),
            "signed",
        ),
        (pack(&[("a", ""), ("A", "")]), "two of its parts"),
    ] {
        let found = refused(&bytes);
        assert!(found.contains(message), "{message}: {found}");
    }
    // A gigabyte of zeros compresses to a megabyte.
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("a.xml", SimpleFileOptions::default()).unwrap();
    (0..20).for_each(|_| zip.write_all(&[0; 1 << 20]).unwrap());
    let bomb = zip.finish().unwrap().into_inner();
    assert!(refused(&bomb).contains("far more than it says"), "{}", refused(&bomb));
    assert!(refused(&vec![0; package::MAX_FILE_BYTES + 1]).contains("at most"));
}

#[test]
fn what_cannot_go_along_is_refused_by_name() {
    let list = values(&[("l", FillValue::List(vec![number("1"), number("2")]))]);
    let array = "<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>{{l}}</t></is></c><c r=\"B1\"><f t=\"array\" ref=\"B1:B2\">A1:A2</f></c></row>";
    let error = fill(&book(array, ""), &list).unwrap_err().render();
    assert!(error.contains("an array formula over several rows"), "{error}");
    let what_if = "<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>{{l}}</t></is></c></row><row r=\"5\"><c r=\"B5\"><f t=\"dataTable\" ref=\"B5:B6\" r1=\"A1\"/></c></row>";
    assert!(fill(&book(what_if, ""), &list).unwrap_err().render().contains("what-if"));
    let head = values(&[("Orders!A1", text("x"))]);
    assert!(
        fill(ORDERS, &head)
            .unwrap_err()
            .render()
            .contains("the names of columns of the table `Orders`")
    );
}

#[test]
fn rows_have_an_end() {
    let rows = FillValue::List(vec![number("1"); 1_048_570]);
    let template = book(
        &cells(&[&["a"], &["{{l}}"], &["b"], &["c"], &["d"], &["e"], &["f"], &["g"], &["h"]]),
        "",
    );
    let error = fill(&template, &values(&[("l", rows)])).unwrap_err().render();
    assert!(error.contains("expected at most 1048576 rows"), "{error}");
}

#[test]
fn ten_thousand_rows_are_filled() {
    let filled = fill(INVOICE, &invoice(10_000)).unwrap();
    assert_eq!(formulas(&filled.bytes, "发票")["E10006"], "SUM(E6:E10005)");
}

/// Templates with a few changed bytes give a result or an error, and always the same.
#[test]
fn damaged_templates_get_an_answer() {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let given = invoice(3);
    for (template, rounds) in [(INVOICE, 150), (ORDERS, 150)] {
        let whole: Vec<(String, Vec<u8>)> = parts(template).into_iter().collect();
        for _ in 0..rounds {
            let mut changed = whole.clone();
            for _ in 0..=random(4) {
                let at = random(changed.len());
                let content = &mut changed[at].1;
                let (from, length) = (random(content.len()), random(30));
                match random(3) {
                    0 => drop(content.drain(from..(from + length).min(content.len()))),
                    1 => content[from..]
                        .iter_mut()
                        .take(1)
                        .for_each(|byte| *byte = b"<>&/\"'19A"[random(9)]),
                    _ => {
                        let copy = content[from..(from + length).min(content.len())].to_vec();
                        let to = random(content.len());
                        content.splice(to..to, copy);
                    }
                }
            }
            let texts: Vec<_> = changed
                .iter()
                .map(|(name, it)| (name.as_str(), String::from_utf8_lossy(it)))
                .collect();
            let packed = pack(&texts.iter().map(|(name, it)| (*name, &**it)).collect::<Vec<_>>());
            let first = fill(&packed, &given).map_err(|error| error.render());
            assert_eq!(first, fill(&packed, &given).map_err(|error| error.render()));
            let row = FillValue::List(vec![FillValue::List(vec![number("1")]); 2]);
            let _ = append_xlsx(&packed, None, &row, &FillOptions::default());
        }
    }
}

/// Real workbooks: filled without values they are unchanged; with a value or rows, all parts stay except those that must
/// change.
#[test]
fn real_workbooks_lose_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    if !folder.is_dir() {
        return println!("skipped: no folder `shared/corpora` beside the project");
    }
    let mut files = Vec::new();
    for sub in ["poi/spreadsheet", "calamine"] {
        find(&folder.join(sub), &mut files);
    }
    let (mut read, mut refused) = (0, Vec::new());
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let same = match fill(&bytes, &FillValues::new()) {
            Ok(same) => same,
            Err(error) => {
                assert_eq!(
                    *error.kind(),
                    ErrorKind::Input,
                    "{}: {}",
                    path.display(),
                    error.render()
                );
                refused.push(format!("{}: {error}", path.file_name().unwrap().to_string_lossy()));
                continue;
            }
        };
        read += 1;
        let before = parts(&bytes);
        assert!(before == parts(&same.bytes), "{}", path.display());
        let sheet = Xlsx::new(Cursor::new(bytes.clone()))
            .ok()
            .and_then(|it: Xlsx<_>| it.sheet_names().first().cloned());
        let Some(sheet) = sheet else { continue };
        let name = format!("'{}'!XFD1", sheet.replace('\'', "''"));
        match fill(&bytes, &values(&[(&name, number("1"))])) {
            Ok(one) => check(&path, &before, &parts(&one.bytes)),
            Err(error) => println!("{}: {}", path.display(), error.render()),
        }
        let row = FillValue::List(vec![FillValue::List(vec![number("1")]); 3]);
        match append_xlsx(&bytes, Some(&sheet), &row, &FillOptions::default()) {
            Ok(more) => check(&path, &before, &parts(&more.bytes)),
            Err(error) => assert_eq!(
                *error.kind(),
                ErrorKind::Arguments,
                "{}: {}",
                path.display(),
                error.render()
            ),
        }
    }
    println!("{read} read, {} refused:\n{}", refused.len(), refused.join("\n"));
    assert!(read >= 340, "{read}");
}

/// Checks that no part is missing except the calculation order, and that parts other than XML are unchanged.
fn check(path: &Path, before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) {
    for (name, content) in before {
        let Some(now) = after.get(name) else {
            assert!(name.ends_with("calcChain.xml"), "{}: {name}", path.display());
            continue;
        };
        let may_change =
            name.ends_with(".xml") || name.ends_with(".rels") || name.ends_with(".vml");
        assert!(may_change || content == now, "{}: {name}", path.display());
        if let Ok(text) = std::str::from_utf8(now) {
            let tags =
                |text: &str| xml_tokens(text).filter(|it| matches!(it, XmlToken::Tag(_))).count();
            let (old, new) = (tags(std::str::from_utf8(content).unwrap()), tags(text));
            let is_sheet = name.contains("worksheets/")
                || name.contains("/chart")
                || name.ends_with(".rels")
                || name.contains("Content_Types");
            assert!(is_sheet || new >= old, "{}: {name}: {old} tags, now {new}", path.display());
        }
    }
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        let extension = entry.extension().and_then(|it| it.to_str()).unwrap_or_default();
        match () {
            () if entry.is_dir() => find(&entry, found),
            () if matches!(extension, "xlsx" | "xlsm") => found.push(entry),
            () => {}
        }
    }
}
