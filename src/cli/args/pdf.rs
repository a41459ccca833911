//! The arguments of `mitt pdf`.

mod layout;
mod pictures;
mod refused;
pub(crate) mod sign;

use std::path::PathBuf;

use clap::{ArgGroup, Subcommand};

pub(crate) use self::layout::{Margins, PdfCrop, PdfNUp};
pub(crate) use self::pictures::PdfPictures;
use self::refused::Refused;
use super::{Force, Json, Password, size};

#[derive(Debug, Subcommand)]
pub(crate) enum PdfCommand {
    /// Print what a PDF has: pages, form fields, bookmarks, attachments, metadata, signatures, protection
    Info(PdfInfo),
    /// Join PDF files
    Merge(PdfMerge),
    /// Split a PDF into several files
    Split(PdfSplit),
    /// Keep, order and turn pages
    Pages(PdfPages),
    /// Cut off the margins of pages, or keep one place of them
    Crop(PdfCrop),
    /// Put 2 or 4 pages on each sheet
    NUp(PdfNUp),
    /// Put a text on pages: page numbers, a header, a watermark
    Stamp(PdfStamp),
    /// Protect a PDF with passwords
    Encrypt(PdfEncrypt),
    /// Remove the passwords of a PDF
    Decrypt(PdfRewrite),
    /// Make a PDF smaller
    Compress(PdfRewrite),
    /// Write a damaged PDF anew
    Repair(PdfRewrite),
    /// Attach files to a PDF
    Attach(PdfAttach),
    /// Write the files that are attached to a PDF
    Extract(PdfExtract),
    /// Sign a PDF with a key
    Sign(sign::PdfSign),
    /// Verify the signatures of a PDF: signed bytes, key, chain of certificates, what was added afterwards
    Verify(PdfVerify),
    /// Draw pages as pictures
    Pictures(PdfPictures),
    /// Not done; names the program that writes files for fast web view
    #[command(hide = true)]
    Linearize(Refused),
    /// Not done; says why, and what writes PDF/A
    #[command(hide = true, alias = "pdf-a")]
    Pdfa(Refused),
}

impl PdfCommand {
    pub(super) fn wants_json(&self) -> bool {
        match self {
            PdfCommand::Info(command) => command.json.json,
            PdfCommand::Merge(command) => command.target.json.json,
            PdfCommand::Split(command) => command.json.json,
            PdfCommand::Pages(command) => command.target.json.json,
            PdfCommand::Crop(command) => command.target.json.json,
            PdfCommand::NUp(command) => command.target.json.json,
            PdfCommand::Stamp(command) => command.target.json.json,
            PdfCommand::Encrypt(command) => command.target.json.json,
            PdfCommand::Decrypt(command)
            | PdfCommand::Compress(command)
            | PdfCommand::Repair(command) => command.target.json.json,
            PdfCommand::Attach(command) => command.target.json.json,
            PdfCommand::Extract(command) => command.json.json,
            PdfCommand::Sign(command) => command.target.json.json,
            PdfCommand::Verify(command) => command.json.json,
            PdfCommand::Pictures(command) => command.json.json,
            PdfCommand::Linearize(_) | PdfCommand::Pdfa(_) => false,
        }
    }
}

/// The file that a command writes.
#[derive(Debug, clap::Args)]
pub(crate) struct PdfTarget {
    /// The PDF to write. The source stays as it is
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mitt pdf info form.pdf\n  mitt pdf info form.pdf --json")]
pub(crate) struct PdfInfo {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit code 1 if a signature does not hold or there is none. It is not checked if certificates were revoked.\n\nExamples:\n  mitt pdf verify contract.pdf\n  mitt pdf verify contract.pdf --trust company-ca.pem --date 2026-11-28"
)]
pub(crate) struct PdfVerify {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A file of certificates (PEM) that you trust. With it, a signature holds only if its chain leads to one of them. May be
    /// given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) trust: Vec<PathBuf>,
    /// The day on which certificates must be valid, such as `2026-11-28` [default: the time that the signature claims]
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mitt pdf merge letter.pdf annex.pdf -o all.pdf")]
pub(crate) struct PdfMerge {
    /// The PDF files, in order
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) target: PdfTarget,
}

#[derive(Debug, clap::Args)]
#[command(
    group(ArgGroup::new("by").required(true).args(["pages", "every", "bookmarks", "size"])),
    after_help = "Examples:\n  mitt pdf split book.pdf --pages 1-3,4-\n  mitt pdf split book.pdf --every 10 -o parts\n  mitt pdf split book.pdf --bookmarks\n  mitt pdf split book.pdf --size 10MiB"
)]
pub(crate) struct PdfSplit {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A file for each range between commas, such as `1-3,4-`
    #[arg(long, value_name = "RANGES", value_delimiter = ',')]
    pub(crate) pages: Vec<String>,
    /// A file for so many pages each
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) every: Option<u32>,
    /// A file for each bookmark of this level [level: 1]
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) bookmarks: Option<u32>,
    /// Files of at most this size each, such as `10MiB`
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) size: Option<u64>,
    /// Folder for the files, `name-1.pdf`, `name-2.pdf` … [default: a folder beside the PDF, with its name]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt pdf extract invoice.pdf -o files\n  mitt pdf extract invoice.pdf --name factur-x.xml"
)]
pub(crate) struct PdfExtract {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Only the attached file of this name, as `mitt pdf info` prints it. May be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Vec<String>,
    /// Folder for the files [default: a folder beside the PDF, with its name]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(
    group(ArgGroup::new("change").required(true).multiple(true).args(["select", "rotate"])),
    after_help = "Examples:\n  mitt pdf pages scan.pdf --select 3,1,5- -o ordered.pdf\n  mitt pdf pages scan.pdf --rotate 2:90 --rotate 5-:180 -o turned.pdf"
)]
pub(crate) struct PdfPages {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The pages to keep, in this order: `3,1,5-`, `odd`, `even`, `last`
    #[arg(long, value_name = "PAGES")]
    pub(crate) select: Option<String>,
    /// Pages of FILE to turn with the clock, and the angle: `2:90`, `5-:-90`. May be given several times
    #[arg(long, value_name = "PAGES:ANGLE", value_parser = page_angle)]
    pub(crate) rotate: Vec<PageAngle>,
    #[command(flatten)]
    pub(crate) signed: Signed,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) target: PdfTarget,
}

/// Pages, and the angle by which they are turned.
#[derive(Clone, Debug)]
pub(crate) struct PageAngle {
    pub(crate) pages: String,
    pub(crate) angle: i32,
}

/// What is done with a signed file.
#[derive(Debug, clap::Args)]
pub(crate) struct Signed {
    /// Change a signed PDF; its signatures are removed
    #[arg(long)]
    pub(crate) break_signatures: bool,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt pdf stamp a.pdf --text '{page} / {pages}' -o numbered.pdf\n  mitt pdf stamp a.pdf --text Draft --position center --size 60 --angle 45 --opacity 0.2 -o draft.pdf"
)]
pub(crate) struct PdfStamp {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The text; `{page}`, `{pages}` and `{label}` are filled in
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: String,
    /// The pages that get it [default: all]
    #[arg(long, value_name = "PAGES")]
    pub(crate) pages: Option<String>,
    /// Its place on the page [default: bottom]
    #[arg(long, value_name = "PLACE", value_parser = ["top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"])]
    pub(crate) position: Option<String>,
    /// Its size in points [default: 10]
    #[arg(long, value_name = "POINTS", value_parser = number)]
    pub(crate) size: Option<f64>,
    /// Its colour, such as `FF0000` [default: black]
    #[arg(long, value_name = "COLOR")]
    pub(crate) color: Option<String>,
    /// Its angle in degrees, against the clock [default: 0]
    #[arg(long, value_name = "DEGREES", value_parser = number, allow_negative_numbers = true)]
    pub(crate) angle: Option<f64>,
    /// From 0, invisible, to 1 [default: 1]
    #[arg(long, value_name = "SHARE", value_parser = number)]
    pub(crate) opacity: Option<f64>,
    /// Points between the text and the edge of the page [default: 28]
    #[arg(long, value_name = "POINTS", value_parser = number)]
    pub(crate) margin: Option<f64>,
    /// The number of the first page for `{page}`
    #[arg(long, value_name = "N")]
    pub(crate) start: Option<u32>,
    /// Put the text behind the content of the page
    #[arg(long)]
    pub(crate) behind: bool,
    #[command(flatten)]
    pub(crate) signed: Signed,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) target: PdfTarget,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt pdf encrypt a.pdf --password-file secret.txt -o locked.pdf\n  mitt pdf encrypt a.pdf --password-file user.txt --owner-password-file owner.txt --deny copy,modify -o locked.pdf"
)]
pub(crate) struct PdfEncrypt {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A file whose first line is the password that opens the new file; without it, a person at the terminal is asked
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// A file whose first line is another password, which allows everything
    #[arg(long, value_name = "FILE")]
    pub(crate) owner_password_file: Option<PathBuf>,
    /// What those may not do who open it with the first password, separated by commas
    #[arg(long, value_name = "ACTIONS", value_delimiter = ',', requires = "owner_password_file", value_parser = ["print", "modify", "copy", "annotate", "fill", "assemble"])]
    pub(crate) deny: Vec<String>,
    #[command(flatten)]
    pub(crate) target: PdfTarget,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt pdf decrypt locked.pdf --password-file secret.txt -o open.pdf\n  mitt pdf compress large.pdf -o small.pdf\n  mitt pdf repair damaged.pdf -o whole.pdf"
)]
pub(crate) struct PdfRewrite {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) target: PdfTarget,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt pdf attach invoice.pdf --file invoice.xlsx -o invoice-with-data.pdf"
)]
pub(crate) struct PdfAttach {
    /// The PDF
    #[arg(value_name = "PDF")]
    pub(crate) file: PathBuf,
    /// A file to attach: a Word file, a workbook, a presentation, a PDF or a picture. May be given several times
    #[arg(long = "file", value_name = "FILE", required = true)]
    pub(crate) attached: Vec<PathBuf>,
    /// What the attached files are
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    #[command(flatten)]
    pub(crate) signed: Signed,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) target: PdfTarget,
}

/// Parses pages and a multiple of 90 degrees.
fn page_angle(text: &str) -> Result<PageAngle, String> {
    let parsed = text.rsplit_once(':').and_then(|(pages, angle)| {
        let angle =
            angle.trim().parse::<i32>().ok().filter(|it| it % 90 == 0 && it.abs() <= 360)?;
        Some(PageAngle { pages: pages.trim().to_owned(), angle })
    });
    parsed
        .filter(|it| !it.pages.is_empty())
        .ok_or_else(|| "expected pages and a multiple of 90 such as `2:90` or `5-:-90`".to_owned())
}

/// Parses a number that is finite.
pub(super) fn number(text: &str) -> Result<f64, String> {
    let parsed = text.trim().parse::<f64>().ok().filter(|it| it.is_finite());
    parsed.ok_or_else(|| "expected a number such as `12.5`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_multiples_of_ninety() {
        let parsed = page_angle("1-3,5:-90").unwrap();
        assert_eq!((parsed.pages.as_str(), parsed.angle), ("1-3,5", -90));
        for wrong in ["2", "2:45", ":90", "2:x", "2:7200"] {
            assert!(page_angle(wrong).is_err(), "{wrong}");
        }
        assert!(number("nan").is_err() && number("inf").is_err());
    }
}
