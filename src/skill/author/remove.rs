//! Removes an installed skill.

use std::fs;
use std::path::{Path, PathBuf};

use super::install::tidy;
use mitt_base::file_name::check_file_name;
use mitt_base::scratch::Scratch;
use mitt_base::{Error, ErrorKind, Result, text};

/// Returns the folder of the skill `name` in the folder of skills `from`.
///
/// # Errors
///
/// [`ErrorKind::Input`] - there is no such skill, or the entry of this name is a link or no skill; the hints list the
/// skills.
pub fn installed(from: &Path, name: &str) -> Result<PathBuf> {
    let folder = from.join(name);
    let is_plain =
        check_file_name(name).is_ok() && folder.symlink_metadata().is_ok_and(|data| data.is_dir());
    if is_plain && is_skill(&folder) {
        return Ok(folder);
    }
    let shown = text::one_line(text::cut_bytes(name, 100));
    let message = format!("no skill `{shown}` is installed in {}", from.display());
    let names = names(from);
    Err(Error::new(ErrorKind::Input, message).hint(
        match text::nearest(name, names.iter().map(String::as_str)).first() {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None if names.is_empty() => "none is".to_owned(),
            None => format!("there are `{}`", names.join("`, `")),
        },
    ))
}

/// Removes the skill `name` from the folder of skills `from`. It is renamed first, so that no host sees a part of it.
///
/// # Errors
///
/// Those of [`installed`]; [`ErrorKind::Host`] - the folder cannot be changed, and the skill is unchanged.
pub fn remove(from: &Path, name: &str) -> Result<()> {
    let folder = installed(from, name)?;
    let failed = |error: std::io::Error| {
        Error::new(ErrorKind::Host, format!("cannot remove {}", folder.display())).caused_by(error)
    };
    tidy(from);
    let scratch = Scratch::new(from).map_err(failed)?;
    let work = scratch.subfolder().map_err(failed)?;
    fs::rename(&folder, work.path().join("removed")).map_err(failed)
}

fn is_skill(folder: &Path) -> bool {
    ["skill.yaml", "skill.yml", "SKILL.md"].iter().any(|name| folder.join(name).is_file())
}

/// Returns the names of the skills in a folder of skills, sorted. Empty if the folder does not exist.
pub fn names(from: &Path) -> Vec<String> {
    let entries = fs::read_dir(from).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| is_skill(&entry.path()));
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| check_file_name(name).is_ok());
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_skill_in_the_folder_itself_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let from = place.path().join("skills");
        for path in ["skills/one/scripts", "skills/none", "outside"] {
            fs::create_dir_all(place.path().join(path)).unwrap();
        }
        fs::write(from.join("one/SKILL.md"), "").unwrap();
        fs::write(place.path().join("outside/SKILL.md"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(place.path().join("outside"), from.join("linked")).unwrap();
        for wrong in ["none", "linked", "two", "../outside", "..", "", "/"] {
            assert_eq!(*remove(&from, wrong).unwrap_err().kind(), ErrorKind::Input, "{wrong}");
        }
        assert!(remove(&from, "ona").unwrap_err().render().contains("did you mean `one`?"));
        assert!(place.path().join("outside/SKILL.md").is_file());
        remove(&from, "one").unwrap();
        assert!(!from.join("one").exists());
        // Nothing is left beside it.
        assert!(fs::read_dir(&from).unwrap().flatten().all(|it| it.file_name() != "one"));
        assert!(
            !fs::read_dir(&from)
                .unwrap()
                .flatten()
                .any(|it| it.file_name().to_string_lossy().starts_with('.'))
        );
        assert!(remove(&from, "one").is_err());
    }
}
