//! The arguments of `mitt redact`.

use std::path::PathBuf;

use clap::ArgGroup;
use clap::builder::NonEmptyStringValueParser;

use super::pdf::{Signed, number};
use super::{Force, Json, Password};

#[derive(Debug, clap::Args)]
#[command(
    group(ArgGroup::new("what").required(true).multiple(true).args(["word", "pattern", "words_file", "rule", "pages", "area"])),
    after_help = "Examples:\n  mitt redact contract.pdf --word 'Li Wei' --word 张伟\n  mitt redact staff.xlsx --pattern '\\d{3}-\\d{4}' -o staff-public.xlsx\n  mitt redact letter.docx --words-file names.txt\n  mitt redact customers.csv --rule phone,id-card\n  mitt redact report.pdf --rule all --words words.txt\n  mitt redact offer.eml --word 'Li Wei' --accept-unread\n  mitt redact scan.pdf --area '1:60,700,200,24' --pages 3"
)]
pub(crate) struct Redact {
    /// The file: a PDF, a Word file (`.docx`), a workbook (`.xlsx`), a presentation (`.pptx`), a mail (`.eml`) or a text (`.txt`,
    /// `.md`, `.csv`, `.tsv`). It stays as it is
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A word or phrase to remove, in any case, also inside longer words. May be given several times
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) word: Vec<String>,
    /// A regular expression; what it matches is removed. May be given several times
    #[arg(long, value_name = "REGEX", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) pattern: Vec<String>,
    /// A file with words and phrases, one a line; empty lines and those that begin with `#` are left out. `-` for standard
    /// input
    #[arg(long, value_name = "FILE")]
    pub(crate) words_file: Option<PathBuf>,
    /// A rule of the guard; what it finds is removed: `phone`, `id-card`, `bank-card`, `email`, `iban`, `us-ssn`; with a file of
    /// `--words` also the id of one of its rules, the name of the file, or `all`. May be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub(crate) rule: Vec<String>,
    /// Pages of a PDF whose whole content is removed, such as `2,5-`
    #[arg(long, value_name = "PAGES")]
    pub(crate) pages: Option<String>,
    /// A place of a PDF whose content is removed, in points from the left lower corner of the page. May be given several times
    #[arg(long, value_name = "PAGES:LEFT,BOTTOM,WIDTH,HEIGHT", value_parser = page_area)]
    pub(crate) area: Vec<PageArea>,
    /// The file to write, of the same type [default: beside the file, `name.redacted.pdf` for `name.pdf`]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Keep what cannot be searched: attachments and pictures of a mail, text in fonts of a PDF that cannot be read. Warnings name
    /// it. Without this, a mail loses such parts, and such a PDF is refused
    #[arg(long)]
    pub(crate) accept_unread: bool,
    #[command(flatten)]
    pub(crate) signed: Signed,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// A place on pages.
#[derive(Clone, Debug)]
pub(crate) struct PageArea {
    pub(crate) pages: String,
    /// Left, bottom, right, top.
    pub(crate) rect: [f64; 4],
}

/// Parses pages, the left lower corner of a place, and its size.
fn page_area(text: &str) -> Result<PageArea, String> {
    let wrong =
        || "expected pages, left, bottom, width and height such as `1:60,700,200,24`".to_owned();
    let (pages, numbers) = text.rsplit_once(':').ok_or_else(wrong)?;
    let numbers: Vec<f64> =
        numbers.split(',').map(number).collect::<Result<_, _>>().map_err(|_| wrong())?;
    let [left, bottom, width, height] = numbers[..] else { return Err(wrong()) };
    let pages = pages.trim();
    if pages.is_empty() || width <= 0.0 || height <= 0.0 {
        return Err(wrong());
    }
    Ok(PageArea { pages: pages.to_owned(), rect: [left, bottom, left + width, bottom + height] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_have_a_corner_and_a_size() {
        let area = page_area("1,3-: 60, 700,200,24.5").unwrap();
        assert_eq!((area.pages.as_str(), area.rect), ("1,3-", [60.0, 700.0, 260.0, 724.5]));
        for wrong in ["1", "1:1,2,3", "1:1,2,0,4", "1:1,2,3,-4", ":1,2,3,4", "1:a,2,3,4"] {
            assert!(page_area(wrong).is_err(), "{wrong}");
        }
    }
}
