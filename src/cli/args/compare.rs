//! The arguments of `mitt compare`.

use std::path::PathBuf;

use super::{Force, Json, Password};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt compare old/contract.docx new/contract.docx\n  mitt compare contract.docx contract.v2.docx -o redline.docx --author 'Ana Lima'\n  mitt compare 2024.xlsx 2025.xlsx --key 'Order no'\n  mitt compare draft.docx signed.pdf --json"
)]
pub(crate) struct Compare {
    /// The old file. Two Word files are compared as such, two workbooks by cells, all others by their text
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The new file, of the same type or of another one
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// The Word file to write: the new document with the differences as tracked changes. Only for two Word files
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The column that names the rows of workbooks: its header or letter [default: one with unique values]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) key: Option<String>,
    /// The author of the tracked changes
    #[arg(long, value_name = "NAME", requires = "output")]
    pub(crate) author: Option<String>,
    /// Most differences to list; all are counted. Word files list at most 300
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) limit: u32,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) json: Json,
}
