//! `mitt fonts remove`

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::user_fonts;
use crate::args::FontsRemove;
use crate::output::{Output, note};
use mitt_base::rows::counted;
use mitt_base::{Error, ErrorKind, Result, text};

/// Remove fonts from the user's folder. Only those that `mitt fonts add` has put there: they have a licence beside them.
pub(super) fn remove(command: &FontsRemove, output: &Output) -> Result<ExitCode> {
    let folder = user_fonts::folder().ok_or_else(no_folder)?;
    let names = if command.all { removable(&folder) } else { command.names.clone() };
    for name in &names {
        check(&folder, name)?;
    }
    for name in &names {
        for file in [name.clone(), user_fonts::licence_of(name)] {
            let path = folder.join(file);
            std::fs::remove_file(&path).map_err(|error| {
                let message = format!("cannot remove {}", path.display());
                Error::new(ErrorKind::Host, message).caused_by(error)
            })?;
        }
    }
    if output.is_json() {
        output.value(&json!({ "removed": names, "folder": folder.display().to_string() }))?;
        return Ok(ExitCode::SUCCESS);
    }
    names.iter().try_for_each(|name| output.line(&text::one_line(name)))?;
    if !output.is_quiet() {
        note(&format!("removed {}", counted(names.len() as u64, "font")));
    }
    Ok(ExitCode::SUCCESS)
}

#[cold]
pub(super) fn no_folder() -> Error {
    Error::new(ErrorKind::Input, "this system has no folder for the user's data")
        .hint("name a folder for fonts in the variable MITT_FONTS_DIR")
}

/// The fonts that were added.
fn removable(folder: &Path) -> Vec<String> {
    let names = user_fonts::files(Some(folder)).into_iter();
    let names = names.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    names.filter(|name| folder.join(user_fonts::licence_of(name)).is_file()).collect()
}

/// Returns `true` if a font may be removed.
fn check(folder: &Path, name: &str) -> Result<()> {
    if removable(folder).iter().any(|known| known == name) {
        return Ok(());
    }
    let what = if folder.join(name).is_file() && !name.contains(['/', '\\']) {
        "was not put there by `mitt fonts add`: no licence stands beside it"
    } else {
        "is not in the folder of fonts"
    };
    let message = format!("{}: it {what}", text::one_line(name));
    Err(Error::new(ErrorKind::Input, message).hint(format!("look into {}", folder.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_added_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.ttf", "a.ttf.LICENSE.txt", "own.ttf"] {
            std::fs::write(folder.path().join(name), b"x").unwrap();
        }
        assert_eq!(removable(folder.path()), ["a.ttf"]);
        check(folder.path(), "a.ttf").unwrap();
        for (name, expected) in [
            ("own.ttf", "was not put there"),
            ("b.ttf", "is not in the folder"),
            ("../a.ttf", "is not in the folder"),
        ] {
            let error = check(folder.path(), name).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
