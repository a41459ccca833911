//! Standards for PDFs, and files attached to them. Plain data and the rules for combinations; does not write either.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use mitt_base::{Error, ErrorKind, Result, text};

/// Most files in one PDF, and most bytes of all of them.
pub const MAX_ATTACHMENTS: usize = 20;
/// Most bytes of all attached files of one PDF.
pub const MAX_ATTACHED_BYTES: usize = 32 * 1024 * 1024;

/// Most characters of the description of a file.
const MAX_DESCRIPTION: usize = 1_000;

/// A standard for PDF files: PDF/A (ISO 19005) for archives, PDF/UA (ISO 14289) for accessibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum PdfStandard {
    /// PDF/A-1a: as 1b, with tags.
    A1a,
    /// PDF/A-1b: PDF 1.4 whose looks never change.
    A1b,
    /// PDF/A-2a: as 2u, with tags.
    A2a,
    /// PDF/A-2b: PDF 1.7 whose looks never change.
    A2b,
    /// PDF/A-2u: as 2b, with searchable text.
    A2u,
    /// PDF/A-3a: as 2a, with files attached.
    A3a,
    /// PDF/A-3b: as 2b, with files attached.
    A3b,
    /// PDF/A-3u: as 2u, with files attached.
    A3u,
    /// PDF/A-4: PDF 2.0.
    A4,
    /// PDF/A-4f: as 4, with files attached.
    A4f,
    /// PDF/UA-1: screen readers find title, language, headings, lists, tables and descriptions of pictures.
    Ua1,
}

impl PdfStandard {
    /// All standards.
    pub const ALL: [PdfStandard; 11] = [
        PdfStandard::A1a,
        PdfStandard::A1b,
        PdfStandard::A2a,
        PdfStandard::A2b,
        PdfStandard::A2u,
        PdfStandard::A3a,
        PdfStandard::A3b,
        PdfStandard::A3u,
        PdfStandard::A4,
        PdfStandard::A4f,
        PdfStandard::Ua1,
    ];

    /// Returns its name: `a-2a`, `ua-1`.
    pub fn name(self) -> &'static str {
        match self {
            PdfStandard::A1a => "a-1a",
            PdfStandard::A1b => "a-1b",
            PdfStandard::A2a => "a-2a",
            PdfStandard::A2b => "a-2b",
            PdfStandard::A2u => "a-2u",
            PdfStandard::A3a => "a-3a",
            PdfStandard::A3b => "a-3b",
            PdfStandard::A3u => "a-3u",
            PdfStandard::A4 => "a-4",
            PdfStandard::A4f => "a-4f",
            PdfStandard::Ua1 => "ua-1",
        }
    }

    /// Returns `true` if files may be attached to a document of this standard.
    pub fn takes_files(self) -> bool {
        use PdfStandard::{A3a, A3b, A3u, A4f, Ua1};
        matches!(self, A3a | A3b | A3u | A4f | Ua1)
    }
}

impl fmt::Display for PdfStandard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PdfStandard {
    type Err = Error;

    fn from_str(text: &str) -> Result<PdfStandard> {
        let name = text.trim().to_ascii_lowercase();
        let name = name.trim_start_matches("pdf/");
        PdfStandard::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| {
            let names = PdfStandard::ALL.map(|known| format!("`{known}`")).join(", ");
            let shown = text::one_line(text::cut_bytes(text, 40));
            Error::new(ErrorKind::Arguments, format!("there is no standard `{shown}`"))
                .hint(format!("known are {names}"))
        })
    }
}

impl From<PdfStandard> for String {
    fn from(standard: PdfStandard) -> String {
        standard.name().to_owned()
    }
}

impl TryFrom<String> for PdfStandard {
    type Error = String;

    fn try_from(text: String) -> Result<PdfStandard, String> {
        text.parse().map_err(|error: Error| error.to_string())
    }
}

/// A file attached to a PDF.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// File name, without a path.
    pub name: String,
    /// Media type, such as `text/csv`.
    pub media_type: String,
    /// Relation to the document.
    pub relation: Relation,
    /// Description; if it is empty, `relation` describes it.
    pub description: String,
    /// Content. It is not serialized: code that transmits an attachment must transmit the bytes separately.
    #[serde(skip)]
    pub bytes: Arc<[u8]>,
}

/// Relation of an attached file to its document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The document was made from it.
    Source,
    /// Data that its tables or charts show.
    Data,
    /// The same content in another form.
    Alternative,
    /// Additional content.
    #[default]
    Supplement,
}

impl Relation {
    /// Returns its name in PDF, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Source => "source",
            Relation::Data => "data",
            Relation::Alternative => "alternative",
            Relation::Supplement => "supplement",
        }
    }
}

/// Refuses invalid combinations before anything takes long.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - two standards for archives, or an invalid name, type, number or size of attached files.
#[cfg_attr(not(feature = "pdf"), allow(dead_code, reason = "what writes no PDF keeps no standard"))]
pub(crate) fn check(standards: &[PdfStandard], attachments: &[Attachment]) -> Result<()> {
    let wrong = |message: String| Error::new(ErrorKind::Arguments, message);
    let archives: Vec<_> = standards.iter().filter(|it| **it != PdfStandard::Ua1).collect();
    if let [first, .., last] = archives[..]
        && archives.iter().any(|it| *it != first)
    {
        let message = format!("a PDF keeps one standard for archives, got `{first}` and `{last}`");
        return Err(wrong(message).hint("`ua-1` goes with one of them"));
    }
    if let Some(archive) = archives.first() {
        let (is_old, is_new) =
            (archive.name().starts_with("a-1"), archive.name().starts_with("a-4"));
        if standards.contains(&PdfStandard::Ua1) && (is_old || is_new) {
            let message = format!("`ua-1` is of PDF 1.7, which `{archive}` does not allow");
            return Err(wrong(message).hint("`ua-1` goes with `a-2a` and `a-3a`"));
        }
        if !archive.takes_files() && !attachments.is_empty() {
            let message = format!("`{archive}` does not allow attached files");
            return Err(wrong(message).hint("take `a-3a`, `a-3u`, `a-3b` or `a-4f`"));
        }
        if **archive == PdfStandard::A4f && attachments.is_empty() {
            let message = "`a-4f` expects an attached file, got none".to_owned();
            return Err(wrong(message).hint("attach one, or take `a-4`"));
        }
    }
    if attachments.len() > MAX_ATTACHMENTS {
        let got = attachments.len();
        return Err(wrong(format!("expected at most {MAX_ATTACHMENTS} attached files, got {got}")));
    }
    let all: usize = attachments.iter().map(|file| file.bytes.len()).sum();
    if all > MAX_ATTACHED_BYTES {
        let message = format!(
            "expected attached files of at most {MAX_ATTACHED_BYTES} bytes together, got {all}"
        );
        return Err(wrong(message));
    }
    for (index, file) in attachments.iter().enumerate() {
        mitt_base::file_name::check_file_name(&file.name)
            .map_err(|what| wrong(what).at("attached file"))?;
        let shown = text::one_line(text::cut_bytes(&file.name, 80));
        let is_same = |other: &Attachment| other.name.to_lowercase() == file.name.to_lowercase();
        if attachments.iter().take(index).any(is_same) {
            let message = format!("two attached files are called `{shown}`");
            return Err(wrong(message).hint("give them different names"));
        }
        if !is_media_type(&file.media_type) {
            let got = text::one_line(text::cut_bytes(&file.media_type, 60));
            let message =
                format!("attached file `{shown}`: expected a type such as `text/csv`, got `{got}`");
            return Err(wrong(message));
        }
        if file.description.chars().count() > MAX_DESCRIPTION {
            let message = format!(
                "attached file `{shown}`: expected a description of at most {MAX_DESCRIPTION} characters"
            );
            return Err(wrong(message));
        }
    }
    Ok(())
}

/// Returns `true` for `type/subtype` with the letters that RFC 6838 allows.
fn is_media_type(text: &str) -> bool {
    let is_name = |name: &str| {
        (1..=100).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
    };
    text.split_once('/').is_some_and(|(kind, subtype)| is_name(kind) && is_name(subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> Attachment {
        Attachment {
            name: name.into(),
            media_type: "text/csv".into(),
            relation: Relation::Data,
            description: String::new(),
            bytes: Arc::from(&b"a,b"[..]),
        }
    }

    #[test]
    fn names_of_standards_are_read_as_people_write_them() {
        for standard in PdfStandard::ALL {
            assert_eq!(standard.name().parse::<PdfStandard>().unwrap(), standard);
        }
        assert_eq!("PDF/UA-1".parse::<PdfStandard>().unwrap(), PdfStandard::Ua1);
        let error = "a-5".parse::<PdfStandard>().unwrap_err();
        assert_eq!(error.to_string(), "there is no standard `a-5`");
        assert!(error.hints()[0].contains("`a-3a`"));
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        use PdfStandard::{A1b, A2a, A3a, A4, A4f, Ua1};
        let said = |standards: &[PdfStandard], files: &[Attachment]| {
            check(standards, files).map_err(|error| error.to_string())
        };
        for fine in [&[][..], &[A2a], &[A2a, Ua1], &[Ua1, A3a], &[A3a, A3a]] {
            assert_eq!(said(fine, &[]), Ok(()));
        }
        for fine in [&[][..], &[A3a], &[Ua1], &[A4f]] {
            assert_eq!(said(fine, &[file("a.csv"), file("b.csv")]), Ok(()));
        }
        let many: Vec<_> = (0..21).map(|n| file(&format!("{n}"))).collect();
        let large = Attachment { bytes: vec![0; MAX_ATTACHED_BYTES + 1].into(), ..file("a") };
        let typed = Attachment { media_type: "csv".into(), ..file("a") };
        let described = Attachment { description: "x".repeat(1_001), ..file("a") };
        for (standards, files, what) in [
            (
                &[A2a, A3a][..],
                &[][..],
                "a PDF keeps one standard for archives, got `a-2a` and `a-3a`",
            ),
            (&[Ua1, A1b], &[], "`ua-1` is of PDF 1.7, which `a-1b` does not allow"),
            (&[Ua1, A4], &[], "`ua-1` is of PDF 1.7, which `a-4` does not allow"),
            (&[A2a], &[file("a")], "`a-2a` does not allow attached files"),
            (&[A4f], &[], "`a-4f` expects an attached file, got none"),
            (&[], &many, "expected at most 20 attached files, got 21"),
            (
                &[],
                &[large],
                "expected attached files of at most 33554432 bytes together, got 33554433",
            ),
            (&[], &[file("a"), file("A")], "two attached files are called `A`"),
            (&[], &[typed], "attached file `a`: expected a type such as `text/csv`, got `csv`"),
            (
                &[],
                &[described],
                "attached file `a`: expected a description of at most 1000 characters",
            ),
        ] {
            assert_eq!(said(standards, files), Err(what.to_owned()));
        }
        assert!(said(&[], &[file("../a")]).unwrap_err().contains("is a path"));
    }
}
