//! Finds the settings files: the user's own and the project's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use mitt_base::{Error, ErrorKind, Result};

/// Name of a project's file.
pub(super) const FILE_NAME: &str = "mitt.toml";

/// The variable that names another file instead of the user's own; if it is empty, there is none.
pub(super) const VARIABLE: &str = "MITT_CONFIG";

/// The owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The user, who may set everything.
    User,
    /// The project, whose file may come from another person.
    Project,
}

/// The result of looking for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchState {
    Read,
    /// The file does not exist.
    Missing,
    /// It belongs to another user than the working folder does.
    Foreign,
}

/// A place where a file was looked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchedFile {
    pub(crate) file: PathBuf,
    pub(crate) whose: Whose,
    pub(crate) state: SearchState,
}

impl SearchedFile {
    /// Returns `true` if there is a file that counts.
    pub(crate) fn is_read(&self) -> bool {
        self.state == SearchState::Read
    }
}

/// The properties of the process and its user that determine where files are.
pub(super) struct Places {
    /// The working folder.
    pub(super) working: Option<PathBuf>,
    pub(super) home: Option<PathBuf>,
    /// The user's folder for settings.
    pub(super) config: Option<PathBuf>,
    /// The value of [`VARIABLE`].
    pub(super) named: Option<OsString>,
}

impl Places {
    pub(super) fn of_process() -> Places {
        Places {
            working: std::env::current_dir().ok(),
            // Without links, like the working folder.
            home: dirs::home_dir().map(|home| home.canonicalize().unwrap_or(home)),
            config: dirs::config_dir(),
            named: std::env::var_os(VARIABLE),
        }
    }

    /// Returns the user's file. Its state says if it exists.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the variable names a file that does not exist.
    pub(super) fn of_user(&self) -> Result<Option<SearchedFile>> {
        let (file, is_named) = match (&self.named, &self.config) {
            (Some(named), _) if named.is_empty() => return Ok(None),
            (Some(named), _) => (PathBuf::from(named), true),
            (None, Some(config)) => (config.join("mitt").join("config.toml"), false),
            (None, None) => return Ok(None),
        };
        let state = if is_there(&file) { SearchState::Read } else { SearchState::Missing };
        if is_named && state == SearchState::Missing {
            let message = format!("{VARIABLE}: no settings {}", file.display());
            return Err(Error::new(ErrorKind::Input, message).hint(
                "name an existing file, or set the variable to nothing so that none is read",
            ));
        }
        Ok(Some(SearchedFile { file, whose: Whose::User, state }))
    }

    /// Returns the project's file: in the working folder or the nearest folder above. The search ends at the root of a
    /// repository, and below the home folder: files further up do not belong to a project and may be anybody's, as in
    /// `/tmp`. If neither is above, only the working folder counts.
    pub(super) fn of_project(&self) -> Option<SearchedFile> {
        let working = self.working.as_deref()?;
        let repository = working.ancestors().position(|folder| folder.join(".git").exists());
        let home = working.ancestors().position(|folder| Some(folder) == self.home.as_deref());
        let folders = [repository.map(|top| top + 1), home].into_iter().flatten().min();
        let folders = working.ancestors().take(folders.unwrap_or(1).max(1));
        let found = folders.map(|folder| folder.join(FILE_NAME)).find(|file| is_there(file));
        let state = match &found {
            Some(file) if is_foreign(file, working) => SearchState::Foreign,
            Some(_) => SearchState::Read,
            None => SearchState::Missing,
        };
        let file = found.unwrap_or_else(|| working.join(FILE_NAME));
        Some(SearchedFile { file, whose: Whose::Project, state })
    }
}

/// Returns `true` also for a dangling link, so that it is reported.
fn is_there(file: &Path) -> bool {
    file.symlink_metadata().is_ok()
}

/// Returns `true` if a file belongs neither to the owner of the working folder nor to the administrator: everybody can put a
/// file into a folder such as `/tmp`.
#[cfg(unix)]
fn is_foreign(file: &Path, working: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let Ok(mine) = working.metadata().map(|metadata| metadata.uid()) else { return true };
    // The owner of a link counts too, because they can redirect it. A dangling link is reported when it is read.
    let owners = [file.symlink_metadata(), file.metadata()].into_iter().flatten();
    owners.map(|metadata| metadata.uid()).any(|owner| owner != mine && owner != 0)
}

#[cfg(not(unix))]
fn is_foreign(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the project's file as seen from `working`, below a folder with the files `there`.
    fn project(there: &[&str], home: &str, working: &str) -> Option<String> {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join(working)).unwrap();
        std::fs::create_dir_all(root.join(home)).unwrap();
        for file in there {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "").unwrap();
        }
        let working = root.join(working);
        let (home, working) = (Some(root.join(home)), Some(working));
        let searched = Places { working, home, config: None, named: None }.of_project().unwrap();
        let file = searched.file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        (searched.state == SearchState::Read).then_some(file)
    }

    #[test]
    fn the_nearest_file_of_the_repository_or_below_home_counts() {
        for (there, working, expected) in [
            (&["h/p/mitt.toml"][..], "h/p", Some("h/p/mitt.toml")),
            (&["h/p/mitt.toml"], "h/p/a/b", Some("h/p/mitt.toml")),
            (&["h/p/mitt.toml", "h/p/a/mitt.toml"], "h/p/a/b", Some("h/p/a/mitt.toml")),
            // Not above the root of a repository, and not in the home folder or above it.
            (&["h/p/mitt.toml", "h/p/a/.git"], "h/p/a/b", None),
            (&["h/mitt.toml"], "h/p", None),
            (&["mitt.toml"], "h/p", None),
            (&["mitt.toml", ".git"], "h/p", None),
            (&["h/mitt.toml"], "h", Some("h/mitt.toml")),
            // Elsewhere only inside a repository.
            (&["o/mitt.toml"], "o/p", None),
            (&["o/mitt.toml"], "o", Some("o/mitt.toml")),
            (&["o/mitt.toml", "o/.git"], "o/p/q", Some("o/mitt.toml")),
        ] {
            assert_eq!(project(there, "h", working).as_deref(), expected, "{there:?} {working}");
        }
    }

    #[test]
    fn the_users_file_is_in_his_folder_or_where_the_variable_says() {
        let folder = tempfile::tempdir().unwrap();
        let of_user = |named: Option<&str>| {
            let config = Some(folder.path().to_owned());
            let named = named.map(OsString::from);
            Places { working: None, home: None, config, named }.of_user()
        };
        let own = folder.path().join("mitt/config.toml");
        let searched = of_user(None).unwrap().unwrap();
        assert_eq!((searched.file, searched.state), (own.clone(), SearchState::Missing));
        std::fs::create_dir(folder.path().join("mitt")).unwrap();
        std::fs::write(&own, "").unwrap();
        assert_eq!(of_user(None).unwrap().unwrap().state, SearchState::Read);
        assert_eq!(of_user(Some("")).unwrap(), None);
        let missing = of_user(Some("/no/such.toml")).unwrap_err().render();
        assert!(missing.contains("MITT_CONFIG: no settings /no/such.toml"), "{missing}");
        assert_eq!(of_user(Some(own.to_str().unwrap())).unwrap().unwrap().state, SearchState::Read);
    }

    /// Only the administrator can give a file to another user.
    #[cfg(unix)]
    #[test]
    fn a_file_that_somebody_else_put_there_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let working = folder.path().join("mine");
        std::fs::create_dir(&working).unwrap();
        let file = working.join(FILE_NAME);
        std::fs::write(&file, "").unwrap();
        let searched = || {
            let working = Some(working.clone());
            Places { working, home: None, config: None, named: None }.of_project().unwrap().state
        };
        assert_eq!(searched(), SearchState::Read);
        if std::os::unix::fs::chown(&file, Some(12_345), None).is_ok() {
            assert_eq!(searched(), SearchState::Foreign);
            std::os::unix::fs::chown(&working, Some(12_345), None).unwrap();
            assert_eq!(searched(), SearchState::Read, "all of it is theirs, as in a container");
            // A link of another user to a file of the owner.
            std::fs::rename(&file, working.join("other")).unwrap();
            std::os::unix::fs::symlink("other", &file).unwrap();
            std::os::unix::fs::lchown(&file, Some(54_321), None).unwrap();
            assert_eq!(searched(), SearchState::Foreign);
        }
    }
}
