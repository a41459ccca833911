//! Python files in a skill's folder `scripts`, for scripts that import the skill.
//!
//! They are read with the skill, all or none, because they are part of a version like its manifest. Their content is not
//! examined; the engine compiles them when they are imported.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use mitt_base::limits::{KIB, MIB};
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// Name of the folder.
pub(super) const FOLDER: &str = "scripts";
/// Most files of a skill.
pub const MAX_HELPERS: usize = 64;
/// Largest file, in bytes.
pub const MAX_HELPER_BYTES: u64 = 256 * KIB;
/// Most bytes of all files together.
pub const MAX_HELPERS_BYTES: u64 = MIB;
/// Deepest folder below `scripts`.
const MAX_DEPTH: usize = 4;
/// Most entries that are read, including ignored ones.
const MAX_ENTRIES: usize = 1_024;

/// Helpers of a skill. A cheap handle.
#[derive(Clone, Debug)]
pub struct Helpers {
    files: Arc<[(String, String)]>,
    hash: blake3::Hash,
    ignored: Arc<[String]>,
}

impl Default for Helpers {
    fn default() -> Helpers {
        Helpers::new(Vec::new(), Vec::new())
    }
}

impl Helpers {
    fn new(mut files: Vec<(String, String)>, mut ignored: Vec<String>) -> Helpers {
        files.sort();
        ignored.sort();
        let mut hasher = blake3::Hasher::new();
        for (name, source) in &files {
            for text in [name, source] {
                hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
            }
        }
        Helpers { files: files.into(), hash: hasher.finalize(), ignored: ignored.into() }
    }

    /// Reads the folder `scripts` of the skill in `folder`; empty if there is no such folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - a file cannot be read, is not UTF-8 or is too large, or there are too many. The message names the
    /// file. Files whose names cannot be module names are ignored.
    pub(super) fn read(folder: &Path) -> Result<Helpers> {
        let root = folder.join(FOLDER);
        let mut reader = Reader::default();
        // A link would lead to files that were not checked when the skill was installed.
        match root.symlink_metadata() {
            Ok(data) if data.is_dir() => reader.folder(&root, "", 0)?,
            Ok(data) if data.is_symlink() => {
                return Err(refused(&root, "expected a folder, got a link"));
            }
            _ => {}
        }
        Ok(Helpers::new(reader.files, reader.ignored))
    }

    /// Returns helpers that the binary contains: paths below `scripts`, and texts.
    pub(super) fn bundled(files: &[(&str, &str)]) -> Helpers {
        let named = files.iter().filter_map(|(path, source)| {
            let name = path.strip_suffix(".py")?.replace('/', ".");
            let name = name
                .strip_suffix("__init__")
                .map(|it| it.trim_end_matches('.').to_owned())
                .unwrap_or(name);
            Some((name, (*source).to_owned()))
        });
        Helpers::new(named.collect(), Vec::new())
    }

    /// Returns names of modules, below that of the skill, and source texts, sorted by name.
    pub fn files(&self) -> &Arc<[(String, String)]> {
        &self.files
    }

    /// Returns the BLAKE3 hash of names and texts.
    pub(crate) fn hash(&self) -> blake3::Hash {
        self.hash
    }

    /// Returns ignored files in the folder, by their paths in it.
    pub(crate) fn ignored(&self) -> &[String] {
        &self.ignored
    }
}

#[derive(Default)]
struct Reader {
    files: Vec<(String, String)>,
    ignored: Vec<String>,
    bytes: u64,
    entries: usize,
}

impl Reader {
    fn folder(&mut self, folder: &Path, inside: &str, depth: usize) -> Result<()> {
        let unreadable = |error: std::io::Error| {
            Error::new(ErrorKind::Load, format!("cannot read {}", folder.display()))
                .caused_by(error)
        };
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(refused(folder, &format!("expected at most {MAX_ENTRIES} entries")));
            }
            let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
            let name = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() {
                if name == "__pycache__" || name.starts_with('.') {
                    continue;
                }
                if depth >= MAX_DEPTH {
                    return Err(refused(
                        &path,
                        &format!("expected at most {MAX_DEPTH} folders in one another"),
                    ));
                }
                if !is_identifier(&name) {
                    self.ignore(inside, &name);
                    continue;
                }
                self.folder(&path, &join(inside, &name), depth + 1)?;
                continue;
            }
            match name.strip_suffix(".py") {
                Some(module) if kind.is_file() && is_identifier(module) => {
                    self.file(&path, inside, module)?;
                }
                Some(_) if !kind.is_file() => return Err(refused(&path, "expected a plain file")),
                // No script can import it: it may be a program for other hosts.
                _ => self.ignore(inside, &name),
            }
        }
        Ok(())
    }

    fn ignore(&mut self, inside: &str, name: &str) {
        let folders = inside.split('.').filter(|it| !it.is_empty());
        let folders: String = folders.map(|folder| format!("{folder}/")).collect();
        self.ignored.push(format!("{folders}{name}"));
    }

    fn file(&mut self, path: &Path, inside: &str, module: &str) -> Result<()> {
        if self.files.len() >= MAX_HELPERS {
            return Err(refused(path, &format!("expected at most {MAX_HELPERS} files, got more")));
        }
        let content = plain_file::read(path, MAX_HELPER_BYTES).map_err(|error| {
            Error::new(ErrorKind::Load, format!("cannot read {}", path.display())).caused_by(error)
        })?;
        if content.len() as u64 > MAX_HELPER_BYTES {
            return Err(refused(
                path,
                &format!("expected at most {MAX_HELPER_BYTES} bytes, got more"),
            ));
        }
        self.bytes += content.len() as u64;
        if self.bytes > MAX_HELPERS_BYTES {
            let most = format!(
                "expected at most {MAX_HELPERS_BYTES} bytes of all files together, got more"
            );
            return Err(refused(path, &most));
        }
        let source = String::from_utf8(content)
            .map_err(|error| refused(path, "expected UTF-8").caused_by(error))?;
        let name = match module {
            "__init__" => inside.to_owned(),
            module => join(inside, module),
        };
        self.files.push((name, source));
        Ok(())
    }
}

#[cold]
fn refused(path: &Path, problem: &str) -> Error {
    Error::new(ErrorKind::Load, format!("{}: {problem}", path.display()))
}

fn join(inside: &str, name: &str) -> String {
    if inside.is_empty() { name.to_owned() } else { format!("{inside}.{name}") }
}

fn is_identifier(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = folder.path().join(FOLDER).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        folder
    }

    #[test]
    fn names_follow_the_folders() {
        let folder = skill(&[
            ("__init__.py", b"a"),
            ("rows.py", b"b"),
            ("dates/iso.py", b"c"),
            ("dates/__init__.py", b"d"),
            ("notes/read.me", b""),
            ("not-a-module.py", b"\xff"),
            ("2d/x.py", b""),
            ("__pycache__/rows.pyc", b""),
        ]);
        let helpers = Helpers::read(folder.path()).unwrap();
        let files: Vec<_> = helpers.files().iter().map(|(name, text)| (&**name, &**text)).collect();
        assert_eq!(files, [("", "a"), ("dates", "d"), ("dates.iso", "c"), ("rows", "b")]);
        assert_eq!(helpers.ignored(), ["2d", "not-a-module.py", "notes/read.me"]);
        let texts = [
            ("__init__.py", "a"),
            ("rows.py", "b"),
            ("dates/iso.py", "c"),
            ("dates/__init__.py", "d"),
        ];
        assert_eq!(Helpers::bundled(&texts).hash(), helpers.hash());
        assert_ne!(Helpers::default().hash(), helpers.hash());
    }

    #[test]
    fn all_helpers_are_there_or_none_and_the_broken_one_is_named() {
        let many: Vec<String> =
            (0..=MAX_HELPERS).map(|number| format!("m{number:03}.py")).collect();
        let many: Vec<(&str, &[u8])> = many.iter().map(|name| (&**name, &b""[..])).collect();
        let large = vec![b'#'; usize::try_from(MAX_HELPER_BYTES).unwrap() + 1];
        let full = vec![b'#'; usize::try_from(MAX_HELPER_BYTES).unwrap()];
        let sum: Vec<(&str, &[u8])> =
            ["a.py", "b.py", "c.py", "d.py", "e.py"].map(|name| (name, &full[..])).into();
        for (files, problem) in [
            (vec![("a.py", &b"ok"[..]), ("b.py", b"\xff")], "b.py: expected UTF-8"),
            (vec![("x/y/z/u/v/w.py", b"")], "at most 4 folders"),
            (vec![("l.py", &large)], "l.py: expected at most 262144 bytes"),
            (sum, "of all files together"),
            (many, "at most 64 files"),
        ] {
            let error = Helpers::read(skill(&files).path()).unwrap_err();
            assert!(error.to_string().contains(problem), "{error}");
        }
    }
}
