//! Templates of Word and Excel with marks of every kind, and with parts that do not belong together; slides that are inspected.

use std::collections::BTreeSet;
use std::io::{Cursor, Read as _, Write as _};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use mitt::ErrorKind;
use mitt::render::{
    CommonOptions, Docx, DocxOptions, FillOptions, FillValue, Inspect, Pictures, PptxOptions,
    append_xlsx, docx, docx_files, fill_docx, fill_xlsx, inspect_office, markdown, pptx,
    xlsx_files,
};
use zip::write::SimpleFileOptions;

use super::bounded;
use super::shape::Shape;
use super::template_marks as marks;
use super::template_parts::{self as parts_of, Part};

/// Largest result, in bytes. A filling may write 64 MiB of text.
const LARGEST: usize = 128 << 20;

/// Longest list of warnings, in bytes.
const LONGEST_WARNINGS: usize = 1 << 20;

/// Marks in a text whose formats and parts our own writer makes: headings, lists, tables, notes, formulas, charts.
const REPORT: &str = "# Report {{number}}\n\nFor **{{customer.name}}** on {{day|yyyy-mm-dd}}[^1], {{#if total > 1000}}*large*{{#else}}small{{/if}}.\n\n\
    {{#items}}\n\n- {{name}}: {{price * quantity|#,##0.00}}\n  1. {{@number}}\n\n{{/items}}\n\n| name | price |\n|---|--:|\n| {{items.name}} | {{items.price}} |\n\n\
    {{content}}\n\n{{body|markdown}}\n\n{{sales|table}}\n\n{{sales|chart:bar}}\n\n{{annex|document}}\n\n{{logo|picture:6cm}}\n\n$x^2$ and `{{code}}`\n\n[^1]: Note of {{signer}}.\n";

/// A template is filled or refused: twice alike, within bounds, and into a file that can be read like its template.
pub fn template(data: &[u8]) {
    let mut shape = Shape::new(data);
    match shape.below(8) {
        0..=2 => word(&mut shape),
        3..=6 => workbook(&mut shape),
        _ => slides(&mut shape),
    }
}

fn word(shape: &mut Shape<'_>) {
    static OWN: LazyLock<Vec<Part>> = LazyLock::new(|| {
        let written = docx(&markdown(REPORT).unwrap(), &DocxOptions::default());
        unpacked(&written.unwrap().bytes)
    });
    let mut parts = if shape.below(4) == 0 { OWN.clone() } else { parts_of::document(shape) };
    let annex = packed(&parts);
    damage(&mut parts, shape);
    let file = packed(&parts);
    let values = marks::values(shape).into_iter().collect();
    let options = DocxOptions {
        common: CommonOptions { pictures: pictures(), ..CommonOptions::default() },
        documents: vec![("annex.docx".to_owned(), annex.into())],
        ..DocxOptions::default()
    };
    let content = (shape.below(8) == 7).then(|| markdown("# A\n\n{{number}} of *B*.").unwrap());
    let fill = || fill_docx(&file, &values, content.as_ref(), &options);
    let first = fill();
    match (&first, fill()) {
        (Ok(one), Ok(other)) => assert!(one.bytes == other.bytes && one.warnings == other.warnings),
        (Err(one), Err(other)) => assert_eq!(one.render(), other.render()),
        (one, other) => panic!("{one:?}\n{other:?}"),
    }
    if let Err(error) = docx_files(&file, &values, &options) {
        bounded(&error, &[ErrorKind::Input, ErrorKind::Arguments]);
    }
    match first {
        Ok(Docx { bytes, warnings }) => made(&file, &bytes, &warnings),
        Err(error) => bounded(&error, &[ErrorKind::Input, ErrorKind::Arguments]),
    }
}

fn workbook(shape: &mut Shape<'_>) {
    static SEEDS: LazyLock<[Vec<Part>; 3]> = LazyLock::new(|| {
        [
            unpacked(include_bytes!("../../it/fill/invoice.xlsx")),
            unpacked(include_bytes!("../../it/fill/orders.xlsx")),
            unpacked(include_bytes!("../../it/fill/report.xlsx")),
        ]
    });
    let mut parts = match shape.below(4) {
        3 => SEEDS[shape.below(SEEDS.len())].clone(),
        _ => parts_of::workbook(shape),
    };
    damage(&mut parts, shape);
    let file = packed(&parts);
    let mut values = marks::values(shape);
    // Places are named as well as marks.
    for _ in 0..shape.below(3) {
        let value = marks::value(shape, 3);
        values.push((parts_of::place(shape), value));
    }
    let values = values.into_iter().collect();
    let options = FillOptions { pictures: pictures(), as_xlsx: shape.flip(), ..Default::default() };
    let kinds = [ErrorKind::Input, ErrorKind::Arguments];
    let rows = FillValue::List((0..shape.below(4)).map(|_| marks::value(shape, 2)).collect());
    let sheet = ["Sheet1", "发票", "T", ""].get(shape.below(8)).copied();
    for append in [false, true] {
        let work = || {
            if append {
                append_xlsx(&file, sheet, &rows, &options)
            } else {
                fill_xlsx(&file, &values, &options)
            }
        };
        let first = work();
        match (&first, work()) {
            (Ok(one), Ok(other)) => assert!(*one == other),
            (Err(one), Err(other)) => assert_eq!(one.render(), other.render()),
            (one, other) => panic!("{one:?}\n{other:?}"),
        }
        match first {
            Ok(filled) => made(&file, &filled.bytes, &filled.warnings),
            Err(error) => bounded(&error, &kinds),
        }
    }
    if let Err(error) = xlsx_files(&file, &values) {
        bounded(&error, &kinds);
    }
}

/// Slides have no marks. What is left out of a damaged file leaves the same file twice.
fn slides(shape: &mut Shape<'_>) {
    static OWN: LazyLock<Vec<Part>> = LazyLock::new(|| {
        let deck = pptx(&markdown(REPORT).unwrap(), &PptxOptions::default());
        unpacked(&deck.unwrap().bytes)
    });
    let mut parts = OWN.clone();
    damage(&mut parts, shape);
    let file = packed(&parts);
    let look = || inspect_office(&file, &mut Words(&["ACME", "large"]), None);
    let first = look();
    match (&first, look()) {
        (Ok(one), Ok(other)) => assert!(*one == other),
        (Err(one), Err(other)) => assert_eq!(one.render(), other.render()),
        (one, other) => panic!("{one:?}\n{other:?}"),
    }
    match first {
        Ok(Some(bytes)) => made(&file, &bytes, &[]),
        Ok(None) => {}
        Err(error) => bounded(&error, &[ErrorKind::Input]),
    }
}

/// Checks a file that was made of `template`.
fn made(template: &[u8], bytes: &[u8], warnings: &[String]) {
    assert!(bytes.len() <= LARGEST, "{} bytes", bytes.len());
    let length: usize = warnings.iter().map(String::len).sum();
    assert!(length <= LONGEST_WARNINGS, "warnings of {length} bytes");
    let names: Vec<String> = unpacked(bytes).into_iter().map(|(name, _)| name).collect();
    let different: BTreeSet<&String> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
    // The guard must be able to look at whatever is delivered. It could refuse a word in the name of a sheet.
    if inspect_office(template, &mut Words(&[]), None).is_ok()
        && let Err(error) = inspect_office(bytes, &mut Words(&[]), None)
    {
        panic!("{}", error.render());
    }
}

/// Leaves these words out.
struct Words(&'static [&'static str]);

impl Inspect for Words {
    fn mark(&self) -> &str {
        "[left out]"
    }

    fn text(&mut self, text: &str) -> mitt::Result<Vec<Range<usize>>> {
        let word = self.0.iter().find(|word| text.contains(**word));
        let found = word.into_iter().flat_map(|word| text.match_indices(*word));
        Ok(found.map(|(at, it)| at..at + it.len()).collect())
    }
}

fn pictures() -> Pictures {
    /// A picture of one pixel.
    const PIXEL: [u8; 67] = [
        0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0,
        0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55, 0, 0, 0, 10, b'I', b'D', b'A',
        b'T', 0x78, 0x9C, 0x63, 0x60, 0, 0, 0, 2, 0, 1, 0x48, 0xAF, 0xA4, 0x71, 0, 0, 0, 0, b'I',
        b'E', b'N', b'D', 0xAE, 0x42, 0x60, 0x82,
    ];
    let mut pictures = Pictures::default();
    pictures.insert("logo.png", Arc::from(PIXEL.as_slice()));
    pictures.insert("broken.png", Arc::from(&PIXEL[..30]));
    pictures
}

/// Changes parts: not at all for one of four files, and otherwise at up to five places.
fn damage(parts: &mut Vec<Part>, shape: &mut Shape<'_>) {
    if !shape.flip() {
        return;
    }
    for _ in 0..=shape.below(5) {
        let at = shape.below(parts.len());
        match shape.below(12) {
            11 if parts.len() > 1 => drop(parts.remove(at)),
            1 => parts[at].1 = parts[shape.below(parts.len())].1.clone(),
            2 => {
                let name = ["../x", "xl\\workbook.xml", "XL/WORKBOOK.XML", "word/media/image1.png"];
                parts[at].0 = name[shape.below(4)].to_owned();
            }
            _ => {
                // Most of a template is in its largest parts.
                let at = if shape.flip() { largest(parts) } else { at };
                let other = parts[shape.below(parts.len())].1.clone();
                change(&mut parts[at].1, &other, shape);
            }
        }
    }
}

fn largest(parts: &[Part]) -> usize {
    (0..parts.len()).max_by_key(|at| parts[*at].1.len()).unwrap_or_default()
}

/// Changes a few bytes, a number, a range or a whole element of a part.
fn change(part: &mut Vec<u8>, other: &[u8], shape: &mut Shape<'_>) {
    const NUMBERS: [&str; 9] =
        ["0", "-1", "1", "65536", "1048577", "4294967295", "99999999999999999999", "", "1e9"];
    let length = part.len();
    let at = (shape.below(256) << 8 | shape.below(256)) * 13 % length.max(1);
    let end = (at + shape.below(64)).min(length);
    match shape.below(8) {
        0 => drop(part.drain(at..end)),
        1 => part.iter_mut().skip(at).take(1).for_each(|it| *it = b"<>&/\"'19A{}"[shape.below(11)]),
        2 => {
            let start = (at * 7) % other.len().max(1);
            let copy = other[start..other.len().min(start + shape.below(256))].to_vec();
            part.splice(at..at, copy);
        }
        3 | 4 => {
            let Some(start) = part.iter().skip(at).position(u8::is_ascii_digit) else { return };
            let start = at + start;
            let digits = part[start..].iter().take_while(|it| it.is_ascii_digit()).count();
            part.splice(start..start + digits, NUMBERS[shape.below(9)].bytes());
        }
        5 => {
            let text = marks::text(shape);
            part.splice(at..at, text.into_bytes());
        }
        6 => {
            // From one tag to a later one, twice or not at all.
            let opens = |from: usize| part.iter().skip(from).position(|it| *it == b'<');
            let Some(first) = opens(at).map(|it| at + it) else { return };
            let far = first + 1 + shape.below(256) * 4;
            let Some(last) = opens(far).map(|it| far + it) else { return };
            let range = part[first..last].to_vec();
            part.splice(
                first..if shape.flip() { first } else { last },
                range.repeat(shape.below(3)),
            );
        }
        _ => part.truncate(if shape.below(4) == 0 { at } else { length }),
    }
}

fn packed(parts: &[Part]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        // A name that is there twice is refused by the writer.
        if zip.start_file(name.as_str(), SimpleFileOptions::default()).is_ok() {
            zip.write_all(content).unwrap();
        }
    }
    zip.finish().unwrap().into_inner()
}

fn unpacked(file: &[u8]) -> Vec<Part> {
    let mut zip = zip::ZipArchive::new(Cursor::new(file)).unwrap();
    let entries = 0..zip.len();
    let part = |at| {
        let mut entry = zip.by_index(at).unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        (entry.name().unwrap().into_owned(), content)
    };
    entries.map(part).collect()
}
