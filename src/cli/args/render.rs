//! The arguments of `mitt render`.

use std::path::PathBuf;

use super::{Force, Json};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt render report.md -o report.pdf\n  mitt render report.md -o report.docx --template letterhead.docx\n  mitt render report.md -o talk.pptx --template company.pptx\n  mitt render report.md -o tables.xlsx\n  mitt render - -o report.html --contents --paper letter < report.md"
)]
pub(crate) struct Render {
    /// The Markdown file, or `-` for standard input
    pub(crate) file: PathBuf,
    /// The file to write; its name ends in `.pdf`, `.docx`, `.html`, `.pptx` or `.xlsx`, which decides the format. A workbook has the tables
    /// of the text, each on a sheet that is named by the heading above it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) force: Force,
    /// Title in the file's properties and in the running header [default: that of the front matter, or the first heading]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Language as a BCP 47 tag such as `zh-CN` or `en` [default: that of the front matter, or found from the text]
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Option<String>,
    /// Paper, of a web page or workbook when it is printed: `a4` or `letter` [default: that of the front matter, or a4]
    #[arg(long, value_parser = ["a4", "letter"])]
    pub(crate) paper: Option<String>,
    /// Put a table of contents before the text; that of a Word file has page numbers after its field was updated
    #[arg(long, visible_alias = "toc")]
    pub(crate) contents: bool,
    /// The typesetter of a PDF: `typst`, or `compact`, which small builds have [default: typst if this build has it]
    #[arg(long, value_name = "NAME", value_parser = ["compact", "typst"])]
    pub(crate) pdf_backend: Option<String>,
    /// How it looks: `plain`, `report` (cover, contents), `letter`, `slides` (16:9), or a file of your own (TOML)
    #[arg(long, value_name = "NAME|FILE", default_value = "plain", hide_default_value = true)]
    pub(crate) theme: String,
    /// Standards that the PDF conforms to, separated by commas: one of `a-1a`, `a-1b`, `a-2a`, `a-2b`, `a-2u`, `a-3a`,
    /// `a-3b`, `a-3u`, `a-4`, `a-4f` for archives, `ua-1` for readers who do not see it. The text itself is attached if `a-3…` or
    /// `a-4f` allow it
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) pdf_standard: Vec<mitt::render::PdfStandard>,
    /// A file to attach to the PDF. May be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<PathBuf>,
    /// Show pictures by their descriptions. Without it, pictures that the text names are read if they are files beside it or
    /// below its folder; nothing is fetched
    #[arg(long)]
    pub(crate) no_images: bool,
    /// A picture of the first page of a PDF, which is written too; its name ends in `.png`. It is 1000 pixels wide, and at most 1 MiB
    /// long
    #[arg(long, value_name = "FILE")]
    pub(crate) preview: Option<PathBuf>,
    /// A Word file (`.docx`, `.dotx`) whose styles, header, footer and paper the Word file gets; the text replaces
    /// `{{content}}` in it, or all of its text. For slides, a presentation (`.pptx`, `.potx`) whose layouts and theme they get; its
    /// own slides are removed
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Keep the slides of the template in front of the new ones
    #[arg(long)]
    pub(crate) keep_slides: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}
