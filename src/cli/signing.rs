//! Keys for signatures: those that the settings name, and that of a command.

use std::path::Path;

use crate::args::Global;
use crate::settings::tenant_and_path;
use mitt::{SigningKey, SigningKeys};
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// Most bytes of a key file that are read. The library takes no more than 1 MiB.
const MAX_BYTES: u64 = (1 << 20) + 1;

/// Beginning of the variable with the password of a key, before its name in capital letters.
const PASSWORD_OF: &str = "MITT_SIGNING_PASSWORD_";

/// Returns the keys of the settings.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a file cannot be read, or is no key that can be used.
pub(super) fn keys(global: &Global) -> Result<SigningKeys> {
    let mut keys = Vec::new();
    for (name, file) in global.signing_keys.iter().filter_map(|text| tenant_and_path(text)) {
        let variable = variable(name);
        let password = std::env::var(&variable).ok();
        let file = Path::new(file);
        let key = load(name, file, password.as_deref(), &[]).map_err(|error| {
            error.hint(format!("the variable {variable} has the password of an encrypted key"))
        })?;
        keys.push(key);
    }
    SigningKeys::new(keys)
}

/// Returns the name of the variable with the password of a key.
fn variable(name: &str) -> String {
    let word = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_uppercase(),
        false => '_',
    };
    name.chars().map(word).fold(PASSWORD_OF.to_owned(), |mut out, letter| {
        out.push(letter);
        out
    })
}

/// Reads a key.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a file cannot be read. Those of the library.
pub(super) fn load(
    name: &str,
    file: &Path,
    password: Option<&str>,
    more: &[&Path],
) -> Result<SigningKey> {
    let read = |path: &Path| {
        plain_file::read(path, MAX_BYTES).map_err(|error| {
            Error::new(ErrorKind::Input, "the file cannot be read")
                .at(path.display())
                .caused_by(error)
        })
    };
    let content = read(file)?;
    let more = more.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let more: Vec<&[u8]> = more.iter().map(Vec::as_slice).collect();
    parsed(name, &content, password, &more).map_err(|error| error.at(file.display()))
}

#[cfg(feature = "signing")]
fn parsed(name: &str, file: &[u8], password: Option<&str>, more: &[&[u8]]) -> Result<SigningKey> {
    SigningKey::load(name, file, password, more)
}

#[cfg(not(feature = "signing"))]
fn parsed(_: &str, _: &[u8], _: Option<&str>, _: &[&[u8]]) -> Result<SigningKey> {
    Err(Error::new(ErrorKind::Disabled("signing"), "this build of mitt signs nothing")
        .hint("use a build with the feature `signing`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_of_a_password_is_named_after_its_key() {
        assert_eq!(variable("office-2"), "MITT_SIGNING_PASSWORD_OFFICE_2");
    }
}
