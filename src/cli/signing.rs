//! Keys for signatures: those that the settings name, and that of a command.

use std::fs::File;
use std::io;
use std::path::Path;

use zeroize::Zeroizing;

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
/// [`ErrorKind::Input`] - a file cannot be read, is no key that can be used, or others may change it. Two keys have the same
/// variable for their passwords.
pub(super) fn keys(global: &Global) -> Result<SigningKeys> {
    let named: Vec<_> =
        global.signing_keys.iter().filter_map(|text| tenant_and_path(text)).collect();
    check_variables(named.iter().map(|(name, _)| *name))?;
    let mut keys = Vec::new();
    for (name, file) in named {
        let variable = variable(name);
        let password = std::env::var(&variable).ok().filter(|it| !it.is_empty());
        let password = password.map(Zeroizing::new);
        let password = password.as_ref().map(|it| it.as_str());
        let key = load(name, Path::new(file), password, &[]).map_err(|error| match password {
            Some(_) => error.hint(format!("its password is that of the variable {variable}")),
            None => {
                error.hint(format!("the variable {variable} has the password of an encrypted key"))
            }
        })?;
        keys.push(key);
    }
    SigningKeys::new(keys)
}

/// Refuses keys whose passwords would be in the same variable: a password would open the key of somebody else.
fn check_variables<'n>(names: impl Iterator<Item = &'n str>) -> Result<()> {
    let mut seen: Vec<(String, &str)> = Vec::new();
    for name in names {
        let variable = variable(name);
        // The library reports names that are there twice.
        let other = seen.iter().find(|(of, other)| *of == variable && *other != name);
        if let Some((_, other)) = other {
            let message = format!(
                "the passwords of the keys `{other}` and `{name}` would both be in the variable {variable}"
            );
            return Err(Error::new(ErrorKind::Input, message).hint("give one of them another name"));
        }
        seen.push((variable, name));
    }
    Ok(())
}

/// Returns the name of the variable with the password of a key.
fn variable(name: &str) -> String {
    let word = |letter: char| {
        if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' }
    };
    name.chars().map(word).fold(PASSWORD_OF.to_owned(), |mut out, letter| {
        out.push(letter);
        out
    })
}

/// Reads a key, which nobody else may change. If it has no password, nobody else may read it.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a file cannot be read, or its permissions are too wide. Those of the library.
pub(super) fn load(
    name: &str,
    path: &Path,
    password: Option<&str>,
    more: &[&Path],
) -> Result<SigningKey> {
    let unusable = |path: &Path, error| {
        Error::new(ErrorKind::Input, "the file cannot be used").at(path.display()).caused_by(error)
    };
    let only_owner = |error| {
        unusable(path, error)
            .hint(format!("only its owner may use it: `chmod 600 {}`", path.display()))
    };
    let file = plain_file::open_plain(path).map_err(|error| unusable(path, error))?;
    plain_file::check_own(&file).map_err(only_owner)?;
    let is_private = plain_file::check_private(&file);
    let content = Zeroizing::new(read(file).map_err(|error| unusable(path, error))?);
    let more = more
        .iter()
        .map(|path| plain_file::read(path, MAX_BYTES).map_err(|error| unusable(path, error)))
        .collect::<Result<Vec<_>>>()?;
    let more: Vec<&[u8]> = more.iter().map(Vec::as_slice).collect();
    // Without a password, the permissions are all that protects it.
    let without = parsed(name, &content, None, &more);
    let key = match (without, password) {
        (Ok(key), _) => is_private.map_err(only_owner).map(|()| key),
        (Err(_), Some(password)) => parsed(name, &content, Some(password), &more),
        (Err(error), None) => Err(error),
    };
    key.map_err(|error| error.at(path.display()))
}

/// Returns the content of a file. The buffer is as large as the file from the beginning: what grows leaves copies of the key
/// behind.
fn read(file: File) -> io::Result<Vec<u8>> {
    let size = usize::try_from(file.metadata()?.len().min(MAX_BYTES)).unwrap_or(0);
    let mut content = Vec::with_capacity(size + 1);
    io::Read::read_to_end(&mut io::Read::take(file, MAX_BYTES), &mut content)?;
    Ok(content)
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

    #[test]
    fn no_two_keys_have_the_same_variable() {
        assert!(check_variables(["office", "office-2", "lab"].into_iter()).is_ok());
        for names in [["office-2", "office_2"], ["Lab", "lab"]] {
            let error = check_variables(names.into_iter()).unwrap_err().render();
            assert!(error.contains("MITT_SIGNING_PASSWORD_"), "{error}");
            assert!(error.contains(&format!("`{}` and `{}`", names[0], names[1])), "{error}");
        }
    }
}
