//! The arguments of `mitt completions`.

use clap_complete::Shell;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt completions bash > ~/.local/share/bash-completion/completions/mitt\n  mitt completions fish > ~/.config/fish/completions/mitt.fish"
)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}
