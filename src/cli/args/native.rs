//! The arguments of the commands that compile: `mitt compile`, `mitt warm`.

use std::path::PathBuf;

use clap_complete::engine::ArgValueCompleter;

use super::{Force, Json};
use crate::complete;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt compile -o native\n  mitt compile --new-key key\n  mitt compile table-tool -o native --sign-key key"
)]
pub(crate) struct Compile {
    /// Names of the skills; all of them when none is given
    #[arg(value_name = "SKILL", add = ArgValueCompleter::new(complete::skills))]
    pub(crate) names: Vec<String>,
    /// Folder to write the compiled skills to, one subfolder each
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "new_key")]
    pub(crate) output: Option<PathBuf>,
    /// The processor to compile for: `native` for this one and those with the same instructions, or what all of your
    /// machines have: x86-64, x86-64-v2, x86-64-v3, x86-64-v4 or aarch64
    #[arg(long, value_name = "PROCESSOR", default_value_t)]
    pub(crate) target: mitt::Target,
    #[command(flatten)]
    pub(crate) force: Force,
    /// Sign with the private key in this file, for hosts that name its public key with `--precompiled-key`. Without it the
    /// native code is sealed for hosts of this user that use the same cache folder
    #[arg(long, value_name = "FILE", conflicts_with = "new_key")]
    pub(crate) sign_key: Option<PathBuf>,
    /// Make a key instead: the private one in this new file, the public one beside it as `<file>.pub`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["names", "output"])]
    pub(crate) new_key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Warm {
    /// Names of the skills; all that are used when none is given
    #[arg(value_name = "SKILL")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}
