//! The arguments of `mitt pdf pictures`.

use std::path::PathBuf;

use crate::args::{Force, Json, Password};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt pdf pictures report.pdf\n  mitt pdf pictures report.pdf --pages 1-3,last --dpi 300 -o pictures\n  mitt pdf pictures scan.pdf --width 1200 --format jpeg\n  mitt pdf pictures deck.pptx --pages 1    typeset by Mitt, in a layout of its own"
)]
pub(crate) struct PdfPictures {
    /// The PDF, or a document of another type, such as a Word file, a workbook or a presentation: Mitt typesets it anew, so that its
    /// pages are not those of the program that made it
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The pages to draw: `1-3,7,10-`, `odd`, `even`, `last` [default: all]
    #[arg(long, value_name = "PAGES")]
    pub(crate) pages: Option<String>,
    /// Pixels per inch, from 10 to 600 [default: 150]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=600))]
    pub(crate) dpi: Option<u32>,
    /// Pixels of the width, from 16 to 8000, instead of --dpi
    #[arg(long, value_name = "PIXELS", conflicts_with = "dpi", value_parser = clap::value_parser!(u32).range(16..=8_000))]
    pub(crate) width: Option<u32>,
    /// Kind of pictures: `png`, or `jpeg`, which is smaller for scans [default: png]
    #[arg(long, value_name = "FORMAT", value_parser = ["png", "jpeg"])]
    pub(crate) format: Option<String>,
    /// Folder for the pictures, `name-1.png`, `name-2.png` … [default: a folder beside the file, with its name]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) json: Json,
}
