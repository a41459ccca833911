//! Arguments of the commands that serve shells and packagers: completions and manual pages.

#[cfg(feature = "man")]
use std::path::PathBuf;

use clap_complete::Shell;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt completions bash > ~/.local/share/bash-completion/completions/mitt\n  mitt completions fish > ~/.config/fish/completions/mitt.fish"
)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}

#[cfg(feature = "man")]
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mitt man -o ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The folder to write to, such as `man1`
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}
