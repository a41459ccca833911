//! Keys of services: found, sent, and never shown.
//!
//! Knows files and variables. Does not know what a key is for.

use std::fmt;
use std::io::Read as _;

use super::super::preset::KeySource;
use mitt_base::{Error, Result};

/// Most bytes of a file with a key.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Replaces a key in texts.
const HIDDEN: &str = "***";

/// Fewest bytes of a key that is hidden. Shorter ones are placeholders for servers that need none, and occur in any message.
const MIN_HIDDEN: usize = 4;

/// A key. `Debug` and `Display` show `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Creates a key, without white space around it.
    pub fn new(key: impl AsRef<str>) -> Secret {
        Secret(key.as_ref().trim().to_owned())
    }

    /// Returns `text` with `***` in place of the key. Keys with less than four bytes stay.
    pub fn redact(&self, text: &str) -> String {
        if self.0.len() < MIN_HIDDEN {
            return text.to_owned();
        }
        text.replace(&self.0, HIDDEN)
    }

    /// Returns the key itself, only for sending it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// Returns the key of a service and where it was found, in words for people. `None` if there is none and none is needed.
pub(super) fn find(
    source: &KeySource,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<(Secret, String)>> {
    if let Some(path) = &source.file {
        let unreadable = |error: std::io::Error| {
            Error::model(format!("cannot read the key file {}", path.display())).caused_by(error)
        };
        let file = std::fs::File::open(path).map_err(unreadable)?;
        let mut text = String::new();
        file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
        if text.len() as u64 > MAX_FILE_BYTES {
            let message =
                format!("the key file {} is larger than {MAX_FILE_BYTES} bytes", path.display());
            return Err(Error::model(message));
        }
        let key = Secret::new(text);
        if key.0.is_empty() {
            return Err(Error::model(format!("the key file {} is empty", path.display())));
        }
        return Ok(Some((key, format!("the file {}", path.display()))));
    }
    for name in &source.variables {
        if let Some(key) = variable(name).filter(|key| !key.trim().is_empty()) {
            return Ok(Some((Secret::new(key), format!("the environment variable `{name}`"))));
        }
    }
    if source.is_required {
        return Err(Error::model("the service wants a key, and there is none").hint(wanted(source)));
    }
    Ok(None)
}

/// Returns advice on how to set a key.
pub(super) fn wanted(source: &KeySource) -> String {
    let names = source.variables.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    format!("set the environment variable {}, or name a file with the key", names.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(names: &[&str], is_required: bool) -> KeySource {
        let variables = names.iter().map(|name| (*name).to_owned()).collect();
        KeySource { file: None, variables, is_required }
    }

    #[test]
    fn keys_are_not_shown() {
        let key = Secret::new(" sk-12345678\n");
        assert_eq!(format!("{key} {key:?} {:?}", Some(&key)), "*** *** Some(***)");
        assert_eq!(key.redact("a sk-12345678, sk-12345678"), "a ***, ***");
        assert_eq!(Secret::new("abc").redact("abc"), "abc");
        assert_eq!(Secret::new("abcd").redact("abcde"), "***e");
        assert_eq!(Secret::new("").redact("ex"), "ex");
    }

    #[test]
    fn the_first_variable_that_is_set_counts() {
        let variable = |name: &str| match name {
            "A" => Some("  ".to_owned()),
            "B" => Some("key-b\n".to_owned()),
            _ => None,
        };
        let found = find(&source(&["A", "B", "C"], true), &variable).unwrap();
        assert_eq!(found, Some((Secret::new("key-b"), "the environment variable `B`".to_owned())));
        assert_eq!(find(&source(&["A"], false), &variable).unwrap(), None);
        insta::assert_snapshot!(find(&source(&["A", "C"], true), &variable).unwrap_err().render(), @r#"
        the service wants a key, and there is none
        hint: set the environment variable `A` or `C`, or name a file with the key
        "#);
    }

    #[test]
    fn a_file_goes_before_variables_and_is_bounded() {
        let folder = std::env::temp_dir().join(format!("mitt-key-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("key");
        let source = KeySource { file: Some(path.clone()), ..source(&["A"], true) };
        let read = || find(&source, &|_| Some("other".to_owned()));
        assert!(read().unwrap_err().to_string().starts_with("cannot read the key file "));
        std::fs::write(&path, " key-f \n").unwrap();
        assert_eq!(read().unwrap().unwrap().0, Secret::new("key-f"));
        std::fs::write(&path, " \n").unwrap();
        assert!(read().unwrap_err().to_string().ends_with("is empty"));
        std::fs::write(&path, "x".repeat(65_536)).unwrap();
        assert!(read().is_ok());
        std::fs::write(&path, "x".repeat(65_537)).unwrap();
        assert!(read().unwrap_err().to_string().ends_with("is larger than 65536 bytes"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
