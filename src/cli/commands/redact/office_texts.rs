//! The texts of Word files, workbooks and presentations, for rules: what people read, and what only programs do.

use std::io::{Cursor, Read as _};
use std::ops::Range;

use super::office_attributes::Attributes;
use mitt::guard::joined_literals;
use mitt::render::{Inspect, inspect_office};
use mitt_base::{Error, ErrorKind, Result};
use regex::Regex;
use zip::ZipArchive;

/// Most unpacked bytes of a file with the files in it; the same as that of `inspect_office`.
const MAX_UNPACKED: u64 = 512 << 20;

/// Files in files, such as the workbook of a chart.
const MAX_LEVELS: usize = 4;

/// Texts that were deleted while changes were tracked, and what fields say. They are divided into runs.
const RUNS: &str = r"<(?:\w+:)?(delText|instrText|delInstrText)\b[^>]*>([^<]*)<";

/// Extensions of parts with XML; `.vml` has old drawings, notes and their buttons.
const PARTS: [&str; 3] = [".xml", ".rels", ".vml"];

/// Extensions of Office files that may be in another one.
const OFFICE: [&str; 3] = [".docx", ".xlsx", ".pptx"];

/// The texts of an Office file and of those in it.
#[derive(Debug, Default)]
pub(super) struct OfficeTexts {
    pub(super) texts: Vec<String>,
    pub(super) joined: Vec<JoinedRuns>,
}

/// The deleted text or the fields of a paragraph. The runs are among the other texts too.
#[derive(Debug)]
pub(super) struct JoinedRuns {
    pub(super) text: String,
    pub(super) runs: Vec<String>,
}

/// Returns the texts of an Office file.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it cannot be unpacked, or is too large. [`ErrorKind::Host`] - this build cannot look into Office files.
pub(super) fn office_texts(file: &[u8]) -> Result<OfficeTexts> {
    if !cfg!(any(feature = "docx", feature = "fill")) {
        return Err(Error::new(ErrorKind::Host, "this build cannot look into Office files")
            .hint("build it with the feature `docx`"));
    }
    let mut found = OfficeTexts::default();
    let mut unpacked = MAX_UNPACKED;
    add_file(file, MAX_LEVELS, &mut unpacked, &mut found)?;
    Ok(found)
}

fn add_file(file: &[u8], levels: usize, left: &mut u64, found: &mut OfficeTexts) -> Result<()> {
    let mut shown = ShownTexts(std::mem::take(&mut found.texts));
    let inspected = inspect_office(file, &mut shown, None);
    found.texts = shown.0;
    inspected?;
    let failed =
        |what: &dyn std::fmt::Display| Error::input(format!("it cannot be unpacked: {what}"));
    let mut archive = ZipArchive::new(Cursor::new(file)).map_err(|error| failed(&error))?;
    let patterns = (Attributes::new()?, pattern(RUNS)?);
    for number in 0..archive.len() {
        let entry = archive.by_index(number).map_err(|error| failed(&error))?;
        let name = entry.name().map_err(|error| failed(&error))?.to_ascii_lowercase();
        let is_file = OFFICE.iter().any(|ending| name.ends_with(ending));
        if !is_file && !PARTS.iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        let mut content = Vec::new();
        entry
            .take(left.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(|error| failed(&error))?;
        *left = left.checked_sub(content.len() as u64).ok_or_else(|| {
            failed(&format_args!("its parts have more than {} MiB", MAX_UNPACKED >> 20))
        })?;
        if is_file {
            if levels == 0 {
                return Err(failed(&format_args!(
                    "files are more than {MAX_LEVELS} levels deep in it"
                )));
            }
            add_file(&content, levels - 1, left, found)?;
        } else {
            add_part(&name, &String::from_utf8_lossy(&content), &patterns, found);
        }
    }
    Ok(())
}

/// Adds attributes and comments, deleted texts and fields of a part.
fn add_part(
    name: &str,
    xml: &str,
    (attributes, runs): &(Attributes, Regex),
    found: &mut OfficeTexts,
) {
    attributes.add(name, xml, &mut found.texts);
    for paragraph in xml.split("</w:p>") {
        let (mut deleted, mut fields) = (Vec::new(), Vec::new());
        for run in runs.captures_iter(paragraph).filter(|run| !run[2].is_empty()) {
            let list = if &run[1] == "delText" { &mut deleted } else { &mut fields };
            list.push(run[2].to_owned());
        }
        for runs in [deleted, fields].into_iter().filter(|runs| !runs.is_empty()) {
            found.joined.push(JoinedRuns { text: runs.concat(), runs });
        }
    }
}

fn pattern(text: &str) -> Result<Regex> {
    Regex::new(text).map_err(|error| Error::new(ErrorKind::Host, error.to_string()))
}

/// Keeps every text, and leaves none out.
struct ShownTexts(Vec<String>);

impl Inspect for ShownTexts {
    fn mark(&self) -> &str {
        "█"
    }

    fn text(&mut self, text: &str) -> Result<Vec<Range<usize>>> {
        self.0.push(text.to_owned());
        Ok(Vec::new())
    }

    fn formula(&mut self, formula: &str) -> Result<bool> {
        self.0.extend([formula.to_owned(), joined_literals(formula)]);
        Ok(false)
    }
}

#[cfg(all(test, any(feature = "docx", feature = "fill")))]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in parts {
            out.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            out.write_all(content).unwrap();
        }
        out.finish().unwrap().into_inner()
    }

    #[test]
    fn texts_of_all_parts_and_of_files_in_the_file_are_there() {
        let document = br#"<w:document><w:p><w:r><w:t>Call 138</w:t></w:r><w:r><w:t>0013 8000</w:t></w:r></w:p>
            <w:p><w:del w:author="Li Wei"><w:r><w:delText>old num</w:delText></w:r><w:r><w:delText>ber</w:delText></w:r></w:del></w:p></w:document>"#;
        let sheet = br#"<worksheet><sheetData><row><c r="A1" t="str"><f>"a"&amp;"b"</f><v>ab</v></c><c r="A2"><v>13900139000</v></c></row></sheetData></worksheet>"#;
        let inner = archive(&[("xl/worksheets/sheet1.xml", sheet)]);
        let core = b"<cp:coreProperties><dc:creator>Anna Muster</dc:creator></cp:coreProperties>";
        let file = archive(&[
            ("word/document.xml", document),
            ("docProps/core.xml", core),
            ("word/embeddings/chart.xlsx", &inner),
        ]);
        let OfficeTexts { texts, joined } = office_texts(&file).unwrap();
        for text in ["Call 1380013 8000", "Li Wei", "old num", "Anna Muster", "13900139000", "ab"] {
            assert!(texts.iter().any(|it| it == text), "{text}: {texts:?}");
        }
        let [joined] = &joined[..] else { panic!("expected the deleted text only") };
        assert_eq!(
            (joined.text.as_str(), &joined.runs[..]),
            ("old number", &["old num", "ber"].map(str::to_owned)[..])
        );
        assert!(office_texts(b"no archive").is_err());
    }

    #[test]
    fn files_deep_in_a_file_are_refused() {
        let mut file = archive(&[("a.xml", b"<a>x</a>")]);
        for _ in 0..=MAX_LEVELS {
            file = archive(&[("b.docx", &file)]);
        }
        let error = office_texts(&file).unwrap_err().render();
        assert!(error.contains("levels deep"), "{error}");
    }
}
