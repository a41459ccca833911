//! Commands that Mitt does not have, and that users of other programs look for. They are not listed. Each names a program that does
//! it.

use std::ffi::OsString;

/// Arguments of a command that does nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct Refused {
    /// What another program would take
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub(crate) arguments: Vec<OsString>,
}
