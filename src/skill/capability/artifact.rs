//! A delivered file, and what is known of its contents.
//!
//! Does not know where files go.

use mitt_base::text;
use mitt_render::SheetRows;

/// Most sheets of a workbook that are listed; the others are counted.
const MAX_SHEETS: usize = 20;

/// Most warnings that are listed; the others are counted. The event and the journal contain all of them.
const MAX_WARNINGS: usize = 6;

/// Most characters of a warning, and of the name of a sheet.
const MAX_TEXT: u64 = 240;

/// File that the host wrote and registered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Artifact {
    /// File name without any folder.
    pub name: String,
    /// Media type.
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 of the content, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// What is known of its contents.
    pub contents: Contents,
}

/// Contents of a file, as far as its writer knows them: a Word file has no pages before Word lays it out, and the existing sheets
/// of a filled template are not counted. Default: nothing is known, nothing was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// Number of pages, for a PDF.
    pub pages: Option<u64>,
    /// Sheets of a new workbook from left to right: at most 20, each with the number of rows below its header.
    pub sheets: Vec<SheetRows>,
    /// Number of sheets beyond those.
    pub more_sheets: u64,
    /// Changes and omissions while the file was made, one line each: at most 6 of at most 240 characters.
    pub warnings: Vec<String>,
    /// Number of warnings beyond those.
    pub more_warnings: u64,
}

impl Contents {
    /// Returns the warnings, and a line with the number of further ones.
    pub fn warning_lines(&self) -> impl Iterator<Item = String> {
        let more = (self.more_warnings > 0).then(|| format!("and {} more", self.more_warnings));
        self.warnings.iter().cloned().chain(more)
    }

    /// Returns a summary in one line, such as `3 pages; warning: …`; `None` if there is nothing to report.
    pub fn line(&self) -> Option<String> {
        let plural = |count: u64, what: &str| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        };
        let sheet = |sheet: &SheetRows| format!("{} ({})", sheet.name, plural(sheet.rows, "row"));
        let mut sheets: Vec<String> = self.sheets.iter().map(sheet).collect();
        sheets.extend((self.more_sheets > 0).then(|| format!("and {} more", self.more_sheets)));
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.pages.map(|pages| plural(pages, "page")));
        parts.extend((!sheets.is_empty()).then(|| format!("sheets: {}", sheets.join(", "))));
        parts.extend(self.warning_lines().map(|warning| format!("warning: {warning}")));
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// Methods of [`Contents`] for Mitt's own crates.
pub trait ContentsInternal: Sized {
    /// Returns the contents with long lists cut, and the number of items that were cut.
    fn new(pages: Option<u64>, sheets: Vec<SheetRows>, warnings: &[String]) -> Self;

    /// Returns the texts in it, for the guard.
    fn texts(&mut self) -> impl Iterator<Item = &mut String>;

    /// Returns the heap memory that it takes, in bytes.
    fn bytes(&self) -> u64;
}

impl ContentsInternal for Contents {
    fn new(pages: Option<u64>, mut sheets: Vec<SheetRows>, warnings: &[String]) -> Contents {
        let more_sheets = sheets.len().saturating_sub(MAX_SHEETS) as u64;
        sheets.truncate(MAX_SHEETS);
        sheets.iter_mut().for_each(|sheet| sheet.name = line(&sheet.name));
        sheets.shrink_to_fit();
        Contents {
            pages,
            sheets,
            more_sheets,
            warnings: warnings.iter().take(MAX_WARNINGS).map(|it| line(it)).collect(),
            more_warnings: warnings.len().saturating_sub(MAX_WARNINGS) as u64,
        }
    }

    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let names = self.sheets.iter_mut().map(|sheet| &mut sheet.name);
        names.chain(&mut self.warnings)
    }

    fn bytes(&self) -> u64 {
        let sheet = |sheet: &SheetRows| size_of::<SheetRows>() + sheet.name.capacity();
        let warning = |warning: &String| size_of::<String>() + warning.capacity();
        let sheets = self.sheets.iter().map(sheet).sum::<usize>();
        (sheets + self.warnings.iter().map(warning).sum::<usize>()) as u64
    }
}

/// Returns the beginning of a text as one line.
fn line(text: &str) -> String {
    let (kept, is_cut) = text::cut_chars(text, MAX_TEXT);
    let mut line = text::one_line(kept);
    if is_cut {
        line.push('…');
    }
    line.shrink_to_fit();
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheets(count: u64) -> Vec<SheetRows> {
        (1..=count).map(|rows| SheetRows { name: format!("表{rows}"), rows }).collect()
    }

    #[test]
    fn what_a_file_holds_is_one_short_line() {
        let warnings = |count: usize| vec!["a\nb".to_owned(); count];
        for (pages, n_sheets, n_warnings, expected) in [
            (None, 0, 0, None),
            (Some(1), 0, 0, Some("1 page")),
            (Some(12), 0, 1, Some("12 pages; warning: a\\nb")),
            (None, 2, 0, Some("sheets: 表1 (1 row), 表2 (2 rows)")),
            (
                None,
                1,
                7,
                Some(
                    "sheets: 表1 (1 row); warning: a\\nb; warning: a\\nb; warning: a\\nb; warning: a\\nb; warning: a\\nb; warning: a\\nb; warning: and 1 more",
                ),
            ),
        ] {
            let contents = Contents::new(pages, sheets(n_sheets), &warnings(n_warnings));
            assert_eq!(contents.line().as_deref(), expected);
        }
    }

    #[test]
    fn what_is_kept_of_a_file_has_an_end() {
        let long = "长".repeat(100_000);
        let warnings = vec![long; 1_000];
        let contents = Contents::new(None, sheets(255), &warnings);
        assert_eq!((contents.sheets.len(), contents.more_sheets), (20, 235));
        assert_eq!((contents.warnings.len(), contents.more_warnings), (6, 994));
        assert!(contents.warnings[0].ends_with("长…"));
        assert!(contents.bytes() < 8_192, "{}", contents.bytes());
        let line = contents.line().unwrap();
        assert!(line.contains("表20 (20 rows), and 235 more") && line.ends_with("and 994 more"));
        assert!(line.chars().count() < 2_200, "{}", line.chars().count());
    }
}
