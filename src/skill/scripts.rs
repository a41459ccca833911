//! Python, JavaScript and TypeScript files in a skill's folder `scripts`, for scripts that import the skill.
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
/// Endings of the files that scripts in JavaScript can import.
const JAVASCRIPT: [&str; 4] = ["js", "mjs", "ts", "mts"];
/// Why a file in the folder is ignored.
pub(super) const IGNORED: &str = "ignored: scripts can import Python files (`.py`) and files of at most 256 KiB in JavaScript or TypeScript \
     (`.js`, `.mjs`, `.ts`, `.mts`)";
/// Most entries that are read, including ignored ones.
const MAX_ENTRIES: usize = 1_024;

/// Helpers of a skill. A cheap handle.
#[derive(Clone, Debug)]
pub struct Helpers {
    files: Arc<[(String, String)]>,
    javascript: Arc<[(String, String)]>,
    hash: blake3::Hash,
    ignored: Arc<[String]>,
}

impl Default for Helpers {
    fn default() -> Helpers {
        Helpers::new(Vec::new(), Vec::new(), Vec::new())
    }
}

impl Helpers {
    fn new(
        mut files: Vec<(String, String)>,
        mut javascript: Vec<(String, String)>,
        mut ignored: Vec<String>,
    ) -> Helpers {
        files.sort();
        javascript.sort();
        ignored.sort();
        let mut hasher = blake3::Hasher::new();
        // Names of modules in Python have no slash and no extension, so no two sets of files have the same hash.
        for (name, source) in &files {
            for text in [name, source] {
                hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
            }
        }
        for (name, source) in &javascript {
            for text in [&format!("./{name}"), source] {
                hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
            }
        }
        let hash = hasher.finalize();
        let (files, javascript) = (files.into(), javascript.into());
        Helpers { files, javascript, hash, ignored: ignored.into() }
    }

    /// Reads the folder `scripts` of the skill in `folder`; empty if there is no such folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - a file cannot be read, is not UTF-8 or is too large, or there are too many. The message names the
    /// file. Files whose names cannot be module names are ignored, and JavaScript files beyond the limits: they may be programs for
    /// other hosts.
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
        Ok(Helpers::new(reader.files, reader.javascript, reader.ignored))
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
        Helpers::new(named.collect(), Vec::new(), Vec::new())
    }

    /// Returns `true` if there are none, in no language.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.javascript.is_empty()
    }

    /// Returns paths of JavaScript and TypeScript files below `scripts`, such as `dates/iso.ts`, and source texts, sorted by path.
    pub fn javascript(&self) -> &Arc<[(String, String)]> {
        &self.javascript
    }

    /// Returns names of modules in Python, below that of the skill, and source texts, sorted by name.
    pub fn files(&self) -> &Arc<[(String, String)]> {
        &self.files
    }

    /// Returns ignored files in the folder, by their paths in it.
    pub(crate) fn ignored(&self) -> &[String] {
        &self.ignored
    }
}

/// Methods of [`Helpers`] for Mitt's own crates.
pub trait HelpersInternal {
    /// Returns the BLAKE3 hash of names and texts.
    fn hash(&self) -> blake3::Hash;
}

impl HelpersInternal for Helpers {
    fn hash(&self) -> blake3::Hash {
        self.hash
    }
}

#[derive(Default)]
struct Reader {
    files: Vec<(String, String)>,
    javascript: Vec<(String, String)>,
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
                if ["__pycache__", "node_modules"].contains(&name.as_str()) || name.starts_with('.')
                {
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
                None if kind.is_file() && is_javascript(&name) => {
                    self.javascript(&path, inside, &name)?
                }
                Some(_) if !kind.is_file() => return Err(refused(&path, "expected a plain file")),
                // No script can import it: it may be a program for other hosts.
                _ => self.ignore(inside, &name),
            }
        }
        Ok(())
    }

    fn ignore(&mut self, inside: &str, name: &str) {
        self.ignored.push(path_of(inside, name));
    }

    /// Adds a JavaScript file, or ignores it if it is beyond the limits.
    fn javascript(&mut self, path: &Path, inside: &str, name: &str) -> Result<()> {
        let content = plain_file::read(path, MAX_HELPER_BYTES).map_err(|error| {
            Error::new(ErrorKind::Load, format!("cannot read {}", path.display())).caused_by(error)
        })?;
        let bytes = content.len() as u64;
        let has_room = self.files.len() + self.javascript.len() < MAX_HELPERS
            && bytes <= MAX_HELPER_BYTES
            && self.bytes + bytes <= MAX_HELPERS_BYTES;
        match String::from_utf8(content) {
            Ok(source) if has_room => {
                self.bytes += bytes;
                self.javascript.push((path_of(inside, name), source));
            }
            _ => self.ignore(inside, name),
        }
        Ok(())
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

/// Returns the path below `scripts` of a file in a folder, whose name is that of a module in Python.
fn path_of(inside: &str, name: &str) -> String {
    let folders = inside.split('.').filter(|it| !it.is_empty());
    let folders: String = folders.map(|folder| format!("{folder}/")).collect();
    format!("{folders}{name}")
}

/// Returns `true` for the name of a file that scripts in JavaScript can import. Files with declarations only are no modules.
fn is_javascript(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    JAVASCRIPT.contains(&extension)
        && !stem.is_empty()
        && !stem.starts_with('.')
        && !stem.ends_with(".d")
        && stem.bytes().all(is_plain)
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
    fn files_in_javascript_keep_their_paths_and_those_beyond_the_limits_are_ignored() {
        let large = vec![b' '; usize::try_from(MAX_HELPER_BYTES).unwrap() + 1];
        let folder = skill(&[
            ("index.js", b"a"),
            ("rows.ts", b"b"),
            ("dates/iso-8601.mjs", b"c"),
            ("rows.d.ts", b"declare"),
            ("large.js", &large),
            ("latin.js", b"\xff"),
            ("node_modules/x/index.js", b"x"),
        ]);
        let helpers = Helpers::read(folder.path()).unwrap();
        let names: Vec<_> = helpers.javascript().iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["dates/iso-8601.mjs", "index.js", "rows.ts"]);
        assert_eq!(helpers.ignored(), ["large.js", "latin.js", "rows.d.ts"]);
        assert!(helpers.files().is_empty() && !helpers.is_empty());
        assert_ne!(helpers.hash(), Helpers::default().hash());
        let many: Vec<String> =
            (0..=MAX_HELPERS).map(|number| format!("m{number:03}.js")).collect();
        let many: Vec<(&str, &[u8])> = many.iter().map(|name| (&**name, &b""[..])).collect();
        let helpers = Helpers::read(skill(&many).path()).unwrap();
        assert_eq!((helpers.javascript().len(), helpers.ignored().len()), (MAX_HELPERS, 1));
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
