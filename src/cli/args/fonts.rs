//! The arguments of `mitt fonts`.

use std::path::PathBuf;

use clap::Subcommand;

use super::Json;

#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  mitt fonts\n  mitt fonts --font-folder /usr/share/fonts\n  mitt fonts add /usr/share/fonts\n  mitt fonts add noto-sans-thai.zip\n  mitt fonts remove NotoSansThai-Regular.ttf"
)]
pub(crate) struct Fonts {
    #[command(subcommand)]
    pub(crate) command: Option<FontsCommand>,
    #[command(flatten)]
    json: Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FontsCommand {
    /// Copy fonts for the writing systems that are missing into your folder of fonts, where PDF finds them from then on
    Add(FontsAdd),
    /// Remove fonts from your folder of fonts, and the licences beside them
    Remove(FontsRemove),
}

impl Fonts {
    pub(super) fn wants_json(&self) -> bool {
        match &self.command {
            None => self.json.json,
            Some(FontsCommand::Add(command)) => command.json.json,
            Some(FontsCommand::Remove(command)) => command.json.json,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct FontsAdd {
    /// A folder, an archive (`.zip`, `.tar.gz`, `.tgz`) or a font file
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct FontsRemove {
    /// Names of the files, as `mitt fonts` prints them
    #[arg(required_unless_present = "all", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Remove all fonts that `mitt fonts add` has put there
    #[arg(long, conflicts_with = "names")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}
