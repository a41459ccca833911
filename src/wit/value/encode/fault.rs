//! Why a value has no JSON form, and who is at fault.

use super::super::path::Path;
use mitt_base::error::{Error, ErrorKind};

/// Why a value has no JSON form.
#[derive(Debug)]
pub(super) enum Fault {
    /// The value does not have its type.
    Misfit(String),
    /// The plugin broke a promise of the type.
    Plugin(String),
}

impl Fault {
    #[cold]
    pub(super) fn misfit(ty: impl ToString) -> Fault {
        Fault::Misfit(ty.to_string())
    }

    pub(super) fn into_error(self, function: &str) -> Error {
        match self {
            Fault::Misfit(ty) => {
                Error::bug(format!("a value returned by `{function}` does not fit its type `{ty}`"))
            }
            Fault::Plugin(text) => Error::new(
                ErrorKind::Plugin,
                format!("`{function}` returned an invalid value: {text}"),
            ),
        }
    }
}

/// Returns the error for a promise that the plugin broke at `at`.
#[cold]
pub(super) fn plugin<T>(at: &Path<'_>, text: impl FnOnce() -> String) -> Result<T, Fault> {
    Err(Fault::Plugin(format!("{at}: {}", text())))
}
