//! The arguments of `mitt edit`.

use std::path::PathBuf;

use super::{Force, Json};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt edit contract.docx --edits edits.json\n  mitt edit contract.docx --edits edits.json --author 'Ana Lima' -o contract-redline.docx\n  mitt edit budget.xlsx --edits november.json -o budget-11.xlsx\n  generate-edits | mitt edit deck.pptx --edits -\n  mitt edit deck.pptx --edits edits.json --with logo.png"
)]
pub(crate) struct Edit {
    /// The file to change: a Word file (`.docx`), a workbook (`.xlsx`), a presentation (`.pptx`) or a PDF. It stays as it is
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The edits, as a JSON array; `-` for standard input. `mitt tools --tool docx_tool__edit_document` prints their form, for
    /// workbooks `sheet_tool__edit_workbook`, for presentations `deck_tool__edit_deck`, for PDF files `pdf_tool__edit_pdf`
    #[arg(long, value_name = "FILE")]
    pub(crate) edits: PathBuf,
    /// The file to write, of the same type [default: beside the file, `name.v2.docx` for `name.docx`, `name.v3.docx` for
    /// `name.v2.docx`]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// A further file that the edits name, such as a picture or a document to compare with. May be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Vec<PathBuf>,
    /// Who made the changes, for tracked changes and comments
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) json: Json,
}
