//! The files of a skill folder: which of them belong to the skill, and which names and sizes an archive may have.
//!
//! Packing and unpacking have the same rules, so that an archive packed on one system unpacks on every other. Follows no
//! links.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Finding;
use crate::skill_md::{folded, folder_name};
use mitt_base::file_name::check_file_name;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_engine::is_native_code;

/// Most files of a skill.
pub(super) const MAX_FILES: usize = 1_024;

/// Most bytes of a file. CPython, compressed, has 5 MB.
pub(super) const MAX_FILE_BYTES: u64 = 64 * MIB;

/// Most bytes of all files together.
pub(super) const MAX_TOTAL_BYTES: u64 = 128 * MIB;

/// Most folders around a file, below the skill's folder.
pub(super) const MAX_FOLDERS: usize = 8;

/// Most bytes of a path below the skill's folder. Windows and the tar header allow little more.
pub(super) const MAX_PATH_BYTES: usize = 150;

/// Most entries that are visited, including files that are left out.
const MAX_SEEN: usize = 16 * MAX_FILES;

/// A file of a skill.
#[derive(Clone, Debug)]
pub(super) struct SkillFile {
    /// Path below the skill's folder, with `/` between its parts.
    pub(super) path: String,
    /// Size in bytes.
    pub(super) size: u64,
    /// Path of the file itself.
    pub(super) source: PathBuf,
}

/// Returns the files of a folder, sorted by path, and findings about all others.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the folder is missing or unreadable.
pub(super) fn files(folder: &Path) -> Result<(Vec<SkillFile>, Vec<Finding>)> {
    let mut walk = Walk { root: folder_name(folder), ..Walk::default() };
    let mut pending = vec![(String::new(), folder.to_owned())];
    while let Some((prefix, folder)) = pending.pop() {
        for (name, path) in entries(&folder)? {
            walk.seen += 1;
            if walk.seen > MAX_SEEN {
                let message = format!("expected at most {MAX_SEEN} entries, got more");
                walk.findings
                    .push(Finding::error("", message).hint("remove what is no part of the skill"));
                pending.clear();
                break;
            }
            let below = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            if walk.entry(&below, &path)? {
                pending.push((below, path));
            }
        }
    }
    walk.finish()
}

/// Returns names and paths in a folder, sorted, because the order of a file system is arbitrary.
fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, format!("cannot read the folder {}", folder.display()))
            .hint("name an existing skill folder that you may read")
            .caused_by(error)
    };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)?.take(MAX_SEEN + 1) {
        let entry = entry.map_err(unreadable)?;
        // A name that is not Unicode becomes one that `check_path` refuses.
        let name = match entry.file_name().into_string() {
            Ok(name) => name,
            Err(name) => format!("{}\u{0}", name.to_string_lossy()),
        };
        entries.push((name, entry.path()));
    }
    entries.sort();
    Ok(entries)
}

#[derive(Default)]
struct Walk {
    /// Name of the skill's folder.
    root: String,
    seen: usize,
    files: Vec<SkillFile>,
    paths: Paths,
    findings: Vec<Finding>,
}

impl Walk {
    /// Records an entry. Returns `true` for a folder to walk into.
    fn entry(&mut self, path: &str, source: &Path) -> Result<bool> {
        let shown = text::one_line(path);
        let metadata = fs::symlink_metadata(source).map_err(|error| {
            Error::new(ErrorKind::Input, format!("cannot look at {}", source.display()))
                .caused_by(error)
        })?;
        let name = path.rsplit('/').next().unwrap_or(path);
        if let Some(what) = litter(name, metadata.is_dir()) {
            let finding = Finding::warning(shown, format!("{what}, which is not packed"));
            self.findings.push(finding.hint("remove it, or keep it outside of the skill's folder"));
            return Ok(false);
        }
        if metadata.is_dir() {
            let folders = path.split('/').count();
            if folders > MAX_FOLDERS {
                let message =
                    format!("expected at most {MAX_FOLDERS} folders in one another, got more");
                self.findings.push(Finding::error(shown, message).hint("nest files less deeply"));
            }
            return Ok(folders <= MAX_FOLDERS);
        }
        if !metadata.is_file() {
            let what = if metadata.is_symlink() { "a link" } else { "a device or the like" };
            let finding = Finding::error(shown, format!("expected a file or folder, got {what}"));
            self.findings.push(finding.hint("put a copy of the file in its place"));
            return Ok(false);
        }
        if let Err(problem) = self.paths.insert(path) {
            self.findings.push(Finding::error(shown, problem));
            return Ok(false);
        }
        if !fits_header(&format!("{}/{path}", self.root)) {
            let finding = Finding::error(shown, "the path is too long for an archive");
            self.findings.push(finding.hint("give its folders and the file shorter names"));
            return Ok(false);
        }
        if metadata.len() > MAX_FILE_BYTES {
            let message =
                format!("expected at most {MAX_FILE_BYTES} bytes, got {}", metadata.len());
            self.findings
                .push(Finding::error(shown, message).hint("make it smaller or leave it out"));
            return Ok(false);
        }
        if has_native_content(source) {
            let finding = Finding::error(shown, "native code, which no skill may bring along");
            self.findings
                .push(finding.hint("remove it; native code is made where the skill is used"));
            return Ok(false);
        }
        self.files.push(SkillFile {
            path: path.to_owned(),
            size: metadata.len(),
            source: source.to_owned(),
        });
        Ok(false)
    }

    fn finish(mut self) -> Result<(Vec<SkillFile>, Vec<Finding>)> {
        if self.files.len() > MAX_FILES {
            let message = format!("expected at most {MAX_FILES} files, got {}", self.files.len());
            self.findings
                .push(Finding::error("", message).hint("remove what is no part of the skill"));
        }
        let total: u64 = self.files.iter().map(|file| file.size).sum();
        if total > MAX_TOTAL_BYTES {
            let message =
                format!("expected files of at most {MAX_TOTAL_BYTES} bytes in all, got {total}");
            self.findings
                .push(Finding::error("", message).hint("make them smaller or leave some out"));
        }
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((self.files, self.findings))
    }
}

/// Returns `true` if a file is named like native code or its record, whatever its case.
pub(super) fn is_native_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".cwasm", ".cwasm.json"].iter().any(|ending| name.ends_with(ending))
}

/// Returns `true` if a file begins as native code does. `false` if it is unreadable, which is reported when it is read.
fn has_native_content(path: &Path) -> bool {
    use std::io::Read as _;

    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(8).read_to_end(&mut start));
    read.is_ok() && is_native_code(&start)
}

/// Describes a file that a tool or the system left in the folder; `None` for any other.
fn litter(name: &str, is_folder: bool) -> Option<&'static str> {
    const FOLDERS: [&str; 4] = ["__pycache__", "__MACOSX", "node_modules", "target"];
    const FILES: [&str; 2] = ["Thumbs.db", "desktop.ini"];
    const ENDINGS: [&str; 8] = ["~", ".swp", ".bak", ".orig", ".rej", ".tmp", ".pyc", ".part"];
    if name.starts_with('.') {
        return Some("a hidden file or folder");
    }
    if is_folder {
        return FOLDERS.contains(&name).then_some("a folder that some tool made");
    }
    if is_native_name(name) {
        return Some("native code, which is compiled where it is used");
    }
    let stray = FILES.contains(&name) || ENDINGS.iter().any(|ending| name.ends_with(ending));
    stray.then_some("a file that some tool left behind")
}

/// Paths that can coexist on every file system.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// Folded form of each file and folder, with its spelling and `true` for a file.
    known: HashMap<String, (String, bool)>,
}

impl Paths {
    /// Adds a file, or returns the reason why its path is refused.
    pub(super) fn insert(&mut self, path: &str) -> Result<(), String> {
        check_path(path)?;
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            let part = &path[..end];
            let is_file = end == path.len();
            match self.known.get(&folded(part)) {
                None => {
                    self.known.insert(folded(part), (part.to_owned(), is_file));
                }
                Some((other, true)) if other == part && is_file => {
                    return Err(format!("`{}` is there twice", text::one_line(part)));
                }
                Some((other, other_is_file)) if other != part || *other_is_file || is_file => {
                    let (part, other) = (text::one_line(part), text::one_line(other));
                    return Err(format!(
                        "`{part}` and `{other}` are the same to some file systems; rename one of them"
                    ));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// Refuses a path that leaves its folder, that some system cannot store, or that is too long.
pub(super) fn check_path(path: &str) -> Result<(), String> {
    if path.len() > MAX_PATH_BYTES {
        let shown = text::one_line(text::cut_bytes(path, 80));
        return Err(format!("expected a path of at most {MAX_PATH_BYTES} bytes, got `{shown}…`"));
    }
    if path.split('/').count() > MAX_FOLDERS + 1 {
        return Err(format!(
            "expected at most {MAX_FOLDERS} folders in one another, got `{}`",
            text::one_line(path)
        ));
    }
    for part in path.split('/') {
        check_file_name(part)
            .map_err(|problem| format!("path `{}`: {problem}", text::one_line(path)))?;
    }
    Ok(())
}

/// Returns `true` if a tar header has room for a path: 155 bytes and 100, divided at a slash.
fn fits_header(path: &str) -> bool {
    let part = |(at, _): (usize, &str)| at <= 155 && path.len() - at - 1 <= 100;
    path.len() <= 100 || path.match_indices('/').any(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_or_trick_are_refused() {
        for path in ["SKILL.md", "references/a.md", "a/b/c/d/e/f/g/h/i.txt", "年/报.md"] {
            assert_eq!(check_path(path), Ok(()), "{path}");
        }
        let long = "a".repeat(151);
        for path in [
            "",
            "/etc/passwd",
            "../x",
            "a/../x",
            "a/..",
            "a//b",
            "a/",
            "./a",
            "C:/x",
            "C:x",
            "a\\b",
            "..\\x",
            "a/CON",
            "nul.txt",
            ".hidden",
            "a/.git/x",
            "a./b",
            "a /b",
            "a\0b",
            "a/b/c/d/e/f/g/h/i/j",
            &long,
        ] {
            assert!(check_path(path).is_err(), "{path}");
        }
    }

    #[test]
    fn colliding_paths_are_refused() {
        for (one, two) in [
            ("a", "a"),
            ("a/b", "a/b"),
            ("README.md", "readme.md"),
            ("A/x", "a/y"),
            ("a", "a/b"),
            ("a/b", "a"),
            ("É.md", "é.md"),
            ("caf\u{e9}", "cafe\u{301}"),
        ] {
            let mut paths = Paths::default();
            assert_eq!(paths.insert(one), Ok(()));
            assert!(paths.insert(two).is_err(), "{one} {two}");
        }
        let mut paths = Paths::default();
        for path in ["a/b", "a/c", "b", "aa/b"] {
            assert_eq!(paths.insert(path), Ok(()), "{path}");
        }
    }

    #[test]
    fn litter_is_left_out_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in [
            "SKILL.md",
            "b/z.md",
            "a.txt",
            ".DS_Store",
            "x.md~",
            "x.cwasm",
            "__pycache__/a.pyc",
            ".git/config",
        ] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "x").unwrap();
        }
        let (found, findings) = files(root).unwrap();
        let paths: Vec<_> = found.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["SKILL.md", "a.txt", "b/z.md"]);
        let mut named: Vec<_> = findings.iter().map(|finding| finding.file.as_str()).collect();
        named.sort_unstable();
        assert_eq!(named, [".DS_Store", ".git", "__pycache__", "x.cwasm", "x.md~"]);
        assert!(findings.iter().all(|finding| !finding.is_error()));
    }

    #[test]
    fn native_code_under_any_name_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("scripts")).unwrap();
        for (path, content) in [
            ("readme.txt", &b"\x7fELF\x02\x01"[..]),
            ("scripts/a.py", b"\x7fELF"),
            ("b.wasm", b"\xcf\xfa\xed\xfe"),
            ("c", b"MZ\x90\0"),
        ] {
            fs::write(root.join(path), content).unwrap();
        }
        fs::write(root.join("fine.md"), "ELF, MZ").unwrap();
        let (found, findings) = files(root).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(findings.iter().filter(|finding| finding.is_error()).count(), 4, "{findings:?}");
        // They are left out by name, whatever the case.
        for name in ["x.CWASM", "x.cwasm.JSON"] {
            assert!(litter(name, false).is_some(), "{name}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_and_strange_names_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::os::unix::fs::symlink("/etc/passwd", root.join("link")).unwrap();
        std::os::unix::fs::symlink("/etc", root.join("folder")).unwrap();
        fs::write(root.join("a:b"), "x").unwrap();
        fs::write(root.join("Ab"), "x").unwrap();
        fs::write(root.join("aB"), "x").unwrap();
        let (found, findings) = files(root).unwrap();
        assert_eq!(found.len(), 1);
        let texts: Vec<_> = findings.iter().map(Finding::to_string).collect();
        assert_eq!(findings.iter().filter(|finding| finding.is_error()).count(), 4, "{texts:?}");
    }

    #[test]
    fn sizes_and_numbers_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for index in 0..=MAX_FILES {
            fs::write(root.join(format!("f{index}")), "").unwrap();
        }
        let large = fs::File::create(root.join("large")).unwrap();
        large.set_len(MAX_FILE_BYTES + 1).unwrap();
        fs::create_dir_all(root.join("a/b/c/d/e/f/g/h/i")).unwrap();
        let (_, findings) = files(root).unwrap();
        let texts: Vec<_> = findings.iter().map(Finding::to_string).collect();
        for wanted in [
            "1024 files, got 1025",
            "large: expected at most 67108864 bytes",
            "8 folders in one another",
        ] {
            assert!(texts.iter().any(|text| text.contains(wanted)), "{wanted}: {texts:?}");
        }
    }
}
