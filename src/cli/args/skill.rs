//! The arguments of `mitt skill`.

use std::path::PathBuf;

use clap::Subcommand;
use clap_complete::engine::ArgValueCompleter;

use super::{Force, Json};
use crate::complete;

#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    /// List the skills, usable or not
    List(Json),
    /// Print what a skill is, its grants and its tools
    Show(SkillShow),
    /// Approve the code of a skill, as it is now, with the grants of its manifest
    Trust(SkillTrust),
    /// Print the JSON Schema of `skill.yaml`, for editors
    Schema,
    /// Write a new skill and the crate of its plugin
    New(SkillNew),
    /// Check skill folders before they are published
    ///
    /// Prints every problem of every folder. Exit code 1 if there are errors, 0 if there are none or only warnings.
    Check(SkillCheck),
    /// Pack a skill folder as one file
    Pack(SkillPack),
    /// Install a packed skill
    Install(SkillInstall),
    /// Remove an installed skill, and take its approval back
    Remove(SkillRemove),
}

impl SkillCommand {
    pub(super) fn wants_json(&self) -> bool {
        match self {
            SkillCommand::List(json) => json.json,
            SkillCommand::Show(command) => command.json.json,
            SkillCommand::Trust(command) => command.json.json,
            // Its output is always JSON.
            SkillCommand::Schema => false,
            SkillCommand::New(command) => command.json.json,
            SkillCommand::Check(command) => command.json.json,
            SkillCommand::Pack(command) => command.json.json,
            SkillCommand::Install(command) => command.json.json,
            SkillCommand::Remove(command) => command.json.json,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct SkillShow {
    /// Name of the skill
    #[arg(add = ArgValueCompleter::new(complete::skills))]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt skill trust my-skill\n  mitt skill trust my-skill --revoke"
)]
pub(crate) struct SkillTrust {
    /// Name of the skill
    #[arg(add = ArgValueCompleter::new(complete::skills))]
    pub(crate) name: String,
    /// Take the approval back
    #[arg(long, conflicts_with = "replace")]
    pub(crate) revoke: bool,
    /// Let this version replace the bundled or approved skill of the same name
    #[arg(long)]
    pub(crate) replace: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt skill new word-count\n  mitt skill new word-count --python\n  mitt skill new word-count --extism rust"
)]
pub(crate) struct SkillNew {
    /// Name of the skill: lower-case words joined by `-`
    pub(crate) name: String,
    /// Folder in which `skills/<NAME>` and `plugins/<NAME>` are made; nothing is overwritten
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) to: PathBuf,
    /// Write the component in Python instead of Rust; componentize-py builds it
    #[arg(long, conflicts_with = "extism")]
    pub(crate) python: bool,
    /// Write an Extism plug-in in this language instead of a component in Rust
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) extism: Option<ExtismLanguage>,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Languages in which a new Extism plug-in can be written.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum ExtismLanguage {
    Rust,
    #[value(name = "assemblyscript")]
    AssemblyScript,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mitt skill check skills/word-count")]
pub(crate) struct SkillCheck {
    /// The folders
    #[arg(value_name = "FOLDER", required = true)]
    pub(crate) folders: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt skill pack skills/word-count -o word-count.skill.tar.zst"
)]
pub(crate) struct SkillPack {
    /// The folder
    pub(crate) folder: PathBuf,
    /// The file to write [default: `<name>-<version>.skill.tar.zst` in the current folder]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt skill install word-count.skill.tar.zst --digest sha256:…"
)]
pub(crate) struct SkillInstall {
    /// The file that `mitt skill pack` made
    pub(crate) file: PathBuf,
    /// Folder of skills [default: MITT_SKILLS_DIR, else `mitt/skills` in the user's data folder]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) to: Option<PathBuf>,
    /// Digest that the file must have, as `mitt skill pack` printed it
    #[arg(long, value_name = "sha256:HEX")]
    pub(crate) digest: Option<String>,
    /// Replace an installed skill of the same name
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mitt skill remove word-count")]
pub(crate) struct SkillRemove {
    /// Name of the skill
    #[arg(add = ArgValueCompleter::new(complete::installed))]
    pub(crate) name: String,
    /// Folder of skills [default: MITT_SKILLS_DIR, else `mitt/skills` in the user's data folder]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) from: Option<PathBuf>,
    /// Do not ask; needed without a terminal
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}
