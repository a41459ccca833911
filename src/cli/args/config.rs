//! `mitt config`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every setting that is in force and where it comes from, and where files of settings are looked for
    Show(ConfigShow),
    /// Print the JSON Schema of `mitt.toml`, for editors
    #[command(after_help = "Examples:\n  mitt config schema > mitt.schema.json")]
    Schema,
}

impl ConfigCommand {
    pub(super) fn wants_json(&self) -> bool {
        match self {
            ConfigCommand::Show(command) => command.json.json,
            ConfigCommand::Schema => false,
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt config show\n  mitt config show --max-time 5s\n  MITT_CONFIG= mitt config show --json"
)]
pub(crate) struct ConfigShow {
    #[command(flatten)]
    pub(crate) json: super::Json,
}
