//! The arguments of `mitt demo`.

use std::path::PathBuf;

use super::Json;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mitt demo\n  mitt demo /tmp/mitt-demo")]
pub(crate) struct Demo {
    /// Where to write the reports and, in its folder `out`, the results
    #[arg(value_name = "FOLDER", default_value = "mitt-demo")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) json: Json,
}
