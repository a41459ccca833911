//! Files below the folders of the server (`--folder`). Each is a document by its name: it is read when a call first names
//! it, so that clients whose sessions last for one call need not hand it over again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::uri::{self, Target};
use mitt::{DocumentOptions, Session};
use mitt_base::{Error, ErrorKind, Result, lock, plain_file, text};

/// Most files that are listed.
const MAX_FILES: usize = 1_000;
/// Most entries of folders that are visited for one list.
const MAX_ENTRIES: usize = 20_000;
/// Deepest folders that are visited.
const MAX_DEPTH: usize = 8;
/// Most files that one call reads because it names them.
const MAX_NAMED: usize = 32;
/// Longest name of a file, as a path below its folder, in bytes.
const MAX_NAME_BYTES: usize = 512;
/// Most names in the arguments of a call that are looked up.
const MAX_CANDIDATES: usize = 1_000;
/// Longest text in arguments that is searched for names, in bytes; longer texts are content.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Most names in an error.
const MAX_SHOWN: usize = 20;

/// Length and modification time of a file.
type FileState = Option<(u64, SystemTime)>;

/// The files that a session has read because a call named them, with their state at that time.
pub(super) type ReadFiles = Mutex<BTreeMap<String, FileState>>;

/// The folders of a server.
#[derive(Clone, Debug, Default)]
pub(super) struct Folders {
    roots: Vec<PathBuf>,
    /// The folder of delivered files, which are not documents.
    out: Option<PathBuf>,
}

/// A file that can be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FolderFile {
    /// Its path below the folder, with `/`.
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// The files of all folders, by name.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<FolderFile>,
    /// `true` if there are more than are listed.
    pub(super) has_more: bool,
}

impl Folders {
    /// Makes folders from `roots`, without what lies below `out`.
    pub(super) fn new(roots: &[PathBuf], out: Option<&Path>) -> Folders {
        Folders { roots: roots.to_vec(), out: out.map(Path::to_owned) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Returns the folders as part of a sentence.
    pub(super) fn shown(&self) -> String {
        let shown: Vec<_> = self.roots.iter().map(|it| format!("`{}`", it.display())).collect();
        shown.join(" or ")
    }

    /// Opens the file at `path`, which is relative to a folder or absolute, and returns it with its name.
    ///
    /// Links are followed to find the file, but not to open it: it lies below the folder even if one of its folders is
    /// replaced by a link in between.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - there is no such file below a folder.
    pub(super) fn open(&self, path: &str) -> Result<(String, File)> {
        let (root, relative) = self.find(path).ok_or_else(|| self.refused(path))?;
        let file = plain_file::open_beneath(&root, &relative).map_err(|_| self.refused(path))?;
        let name = relative.file_name().map(|it| it.to_string_lossy().into_owned());
        Ok((name.unwrap_or_default(), file))
    }

    /// Returns the folder of a file, and its path there.
    fn find(&self, path: &str) -> Option<(PathBuf, PathBuf)> {
        let roots: Vec<PathBuf> =
            self.roots.iter().filter_map(|it| it.canonicalize().ok()).collect();
        let files = roots.iter().filter_map(|root| root.join(path).canonicalize().ok());
        let inside = |file: PathBuf| {
            roots.iter().find_map(|root| {
                let relative = file.strip_prefix(root).ok()?;
                plain_file::open_beneath(root, relative).ok()?;
                Some((root.clone(), relative.to_owned()))
            })
        };
        let mut found = files.into_iter().filter_map(inside);
        found.next()
    }

    /// Returns the refusal of a path. It is the same whether or not such a file exists outside of the folders, so that it
    /// reveals nothing.
    #[cold]
    fn refused(&self, path: &str) -> Error {
        let shown = text::one_line(text::cut_bytes(path, 256));
        let message = format!("/path: no file `{shown}` below {}", self.shown());
        let error = Error::new(ErrorKind::Denied, message);
        let listing = self.list();
        let wanted = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let names = listing.files.iter().map(|file| file.name.as_str());
        let error = match text::nearest(wanted, names).first() {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None if listing.files.is_empty() => error.hint("the folder holds no files"),
            None => error.hint(format!("there are {}", listing.words())),
        };
        error.hint("name a file inside, or send its content as `base64` or `text`")
    }

    /// Lists all files below the folders: no hidden ones, no links, and none in the folder for delivered files.
    pub(super) fn list(&self) -> Listing {
        let out = self.out.as_deref().and_then(|it| it.canonicalize().ok());
        let mut walk = Walk { out, entries: 0, listing: Listing::default() };
        for root in self.roots.iter().filter_map(|it| it.canonicalize().ok()) {
            walk.folder(&root, "", MAX_DEPTH);
        }
        walk.listing.files.sort();
        walk.listing.files.dedup_by(|a, b| a.name == b.name);
        walk.listing
    }

    /// Reads the files that the `arguments` of a call name, unless they are documents already and unchanged. `read` holds
    /// the files read so far. Returns notes for the user: warnings about the files, new versions, and why a file cannot be
    /// read.
    pub(super) async fn read_named(
        &self,
        session: &Session,
        read: &ReadFiles,
        arguments: &str,
        most_bytes: u64,
    ) -> Vec<String> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut candidates = candidates(arguments);
        let artifacts = session.artifacts();
        candidates.retain(|name| artifacts.iter().all(|it| it.name != *name));
        let (named, mut notes) = self.named(&candidates);
        for (name, path) in named {
            let state = self.state(&path);
            let is_document = session.documents().iter().any(|it| it.name == name);
            // A document that the client handed over under this name is not a file of the folder.
            if is_document && lock(read).get(&name).is_none_or(|before| *before == state) {
                continue;
            }
            match self.read(session, (&name, &path), most_bytes).await {
                Ok((document, warnings)) => {
                    notes.extend(warnings.iter().map(|it| format!("document `{document}`: {it}")));
                    if document != name {
                        notes.push(format!(
                            "`{name}` has changed since it was read: its new version is the document `{document}`"
                        ));
                    }
                    lock(read).insert(name, state);
                }
                Err(error) => notes.push(format!("`{name}` cannot be read: {}", error.render())),
            }
        }
        notes
    }

    /// Returns a hint for a model that named a file which does not exist.
    pub(super) fn hint(&self) -> Option<String> {
        let listing = self.list();
        let words = listing.words();
        (!listing.files.is_empty()).then(|| {
            format!("files of the folder are read when a call has their names as they stand here: {words}")
        })
    }

    /// Returns the state that distinguishes versions of a file.
    fn state(&self, path: &str) -> FileState {
        let (root, relative) = self.find(path)?;
        let data = fs::metadata(root.join(relative)).ok()?;
        Some((data.len(), data.modified().ok()?))
    }

    /// Reads the file that the URI of a resource names as a document, if it is a file and not a document yet.
    ///
    /// # Errors
    ///
    /// Those of [`Folders::read`].
    pub(super) async fn read_resource(
        &self,
        session: &Session,
        uri: &str,
        most_bytes: u64,
    ) -> Result<()> {
        let Ok((Target::Document(name), _)) = uri::parse(uri) else { return Ok(()) };
        let is_known = || session.documents().iter().any(|it| it.name == name);
        if self.is_empty() || is_known() || !self.has(&name) {
            return Ok(());
        }
        self.read(session, (&name, &name), most_bytes).await.map(drop)
    }

    /// Reads the file at `path` below a folder as the document `name`. Returns its real name, with a number if `name` was
    /// taken, and the warnings of its reader.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document`](mitt::Session::add_document).
    async fn read(
        &self,
        session: &Session,
        (name, path): (&str, &str),
        most_bytes: u64,
    ) -> Result<(String, Vec<String>)> {
        let (_, file) = self.open(path)?;
        let content = plain_file::content(file, most_bytes).map_err(|error| {
            Error::new(ErrorKind::Input, "the file is unreadable").caused_by(error)
        })?;
        let mut options = DocumentOptions::default();
        options.is_path = true;
        let document = session.add_document_bytes_with(name, content, &options).await?;
        Ok((document.name.clone(), document.warnings.clone()))
    }

    /// Returns `true` if a file can be read as the document `name`.
    fn has(&self, name: &str) -> bool {
        let candidates = BTreeSet::from([name.to_owned()]);
        !is_hidden(name) && self.named(&candidates).0.iter().any(|(_, path)| path == name)
    }

    /// Returns those of `candidates` that are files, with their paths below a folder, and notes about names that several
    /// files share. A file in a subfolder can be named without its folder if no other file has this name.
    fn named(&self, candidates: &BTreeSet<String>) -> (Vec<(String, String)>, Vec<String>) {
        let out = self.out.as_deref().and_then(|it| it.canonicalize().ok());
        let is_out = |file: &Path| out.as_deref().is_some_and(|out| file.starts_with(out));
        let mut listing = None;
        let (mut named, mut notes) = (Vec::new(), Vec::new());
        for name in candidates {
            // A name without an extension may be a table in a query.
            let is_table = !name.contains('.');
            if let Some((root, relative)) = self.find(name).filter(|_| !is_table) {
                if !Path::new(name).is_absolute() && !is_out(&root.join(&relative)) {
                    named.push((name.clone(), name.clone()));
                }
            } else if !name.contains(['/', '\\']) {
                let listing: &Listing = listing.get_or_insert_with(|| self.list());
                let last = |file: &FolderFile| {
                    file.name.rsplit_once('/').map_or(&*file.name, |(_, last)| last).to_owned()
                };
                let is_alike = |file: &&FolderFile| {
                    if is_table { is_sql_name(&last(file), name) } else { last(file) == *name }
                };
                let alike: Vec<_> = listing.files.iter().filter(is_alike).collect();
                // A file that is not in a subfolder comes first.
                let file = alike.iter().find(|file| !file.name.contains('/'));
                match (file, &alike[..]) {
                    (Some(file), _) | (None, [file]) => {
                        named.push((last(file), file.name.clone()));
                    }
                    (None, []) => {}
                    (None, several) => {
                        let paths =
                            several.iter().take(MAX_SHOWN).map(|it| format!("`{}`", it.name));
                        let paths: Vec<_> = paths.collect();
                        notes.push(format!(
                            "several files are called `{name}`, name one by its path: {}",
                            paths.join(", ")
                        ));
                    }
                }
            }
            if named.len() == MAX_NAMED {
                break;
            }
        }
        (named, notes)
    }
}

impl Listing {
    /// Returns the first names, as part of a sentence.
    pub(super) fn words(&self) -> String {
        let mut names: Vec<_> =
            self.files.iter().take(MAX_SHOWN).map(|file| format!("`{}`", file.name)).collect();
        if self.has_more || self.files.len() > MAX_SHOWN {
            names.push("others".to_owned());
        }
        names.join(", ")
    }
}

/// Walks through folders, within bounds.
struct Walk {
    out: Option<PathBuf>,
    entries: usize,
    listing: Listing,
}

impl Walk {
    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) {
        let left = MAX_ENTRIES - self.entries;
        let Ok(read) = fs::read_dir(folder) else { return };
        let mut entries: Vec<_> = read.take(left).filter_map(std::result::Result::ok).collect();
        self.entries += entries.len();
        self.listing.has_more |= self.entries == MAX_ENTRIES;
        entries.sort_by_key(fs::DirEntry::file_name);
        let mut folders = Vec::new();
        for entry in entries {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let path = format!("{prefix}{name}");
            if name.starts_with('.') || path.len() > MAX_NAME_BYTES {
                continue;
            }
            if kind.is_dir() {
                folders.push((entry.path(), format!("{path}/")));
            } else if kind.is_file() {
                if self.listing.files.len() == MAX_FILES {
                    self.listing.has_more = true;
                    return;
                }
                let bytes = entry.metadata().map_or(0, |it| it.len());
                self.listing.files.push(FolderFile { name: path, bytes });
            }
        }
        for (folder, prefix) in folders {
            if depth == 0 {
                self.listing.has_more = true;
            } else if self.out.as_deref() != Some(&*folder) {
                self.folder(&folder, &prefix, depth - 1);
            }
        }
    }
}

/// Returns everything in the strings of `arguments` that may be the name of a file: a whole string, and what stands between
/// quotation marks in one, as in a script or a query. The part from `#` on in a reference to a table is dropped.
fn candidates(arguments: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut json = serde_json::Deserializer::from_str(arguments);
    // The call reports invalid arguments.
    let _ = Strings(&mut found).deserialize(&mut json);
    found
}

/// Visits the strings of a JSON text without making a tree, which large tables would make expensive.
struct Strings<'a>(&'a mut BTreeSet<String>);

impl<'de> DeserializeSeed<'de> for Strings<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> std::result::Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strings<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<(), E> {
        if text.len() <= MAX_TEXT_BYTES {
            add_candidates(text, self.0);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> std::result::Result<(), A::Error> {
        while values.next_element_seed(Strings(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> std::result::Result<(), A::Error> {
        while members.next_key::<IgnoredAny>()?.is_some() {
            members.next_value_seed(Strings(&mut *self.0))?;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> std::result::Result<(), E> {
        Ok(())
    }
}

/// Returns `true` if `table` in a query means the file: `sales 2024.csv` is the table `sales_2024`, and the sheets of
/// `book.xlsx` begin with `book_`.
fn is_sql_name(file: &str, table: &str) -> bool {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let named: String =
        stem.chars().map(|it| if it.is_alphanumeric() { it } else { '_' }).collect();
    let (named, table) = (named.to_lowercase(), table.to_lowercase());
    table.strip_prefix(&*named).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

fn add_candidates(text: &str, found: &mut BTreeSet<String>) {
    // Tables of a query, whose names have no extension.
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        if found.len() < MAX_CANDIDATES
            && ["from", "join"].iter().any(|it| word.eq_ignore_ascii_case(it))
            && let Some(table) = words.next()
        {
            let is_part = |it: char| it.is_alphanumeric() || it == '_';
            let table = table.trim_matches(|it| !is_part(it));
            let is_query = table.eq_ignore_ascii_case("select");
            if !table.is_empty()
                && !is_query
                && table.len() <= MAX_NAME_BYTES
                && table.chars().all(is_part)
            {
                found.insert(table.to_owned());
            }
        }
    }
    let mut add = |candidate: &str| {
        let name = candidate.split_once('#').map_or(candidate, |(name, _)| name);
        // Names of files have an extension.
        let has_extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty()
                && (1..=10).contains(&extension.len())
                && extension.chars().all(char::is_alphanumeric)
        });
        if has_extension
            && found.len() < MAX_CANDIDATES
            && name.len() <= MAX_NAME_BYTES
            && !name.contains(['\n', '"', '`', '*'])
            && !is_hidden(name)
        {
            found.insert(name.to_owned());
        }
    };
    add(text);
    for line in text.lines() {
        for quote in ['"', '\'', '`'] {
            // Between each pair of neighbouring marks, because it is unknown which of them open.
            let marks: Vec<usize> = line.match_indices(quote).map(|(at, _)| at).collect();
            for pair in marks.windows(2) {
                add(&line[pair[0] + 1..pair[1]]);
            }
        }
    }
}

/// Returns `true` if a part of the path begins with a dot.
fn is_hidden(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| part.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another process keeps replacing a folder by a link and restoring it.
    #[cfg(unix)]
    #[test]
    fn a_folder_that_becomes_a_link_leads_nowhere() {
        use std::sync::atomic::{AtomicBool, Ordering};

        let outside = tempfile::tempdir().unwrap();
        let inside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("a.txt"), "secret").unwrap();
        fs::create_dir(inside.path().join("real")).unwrap();
        fs::write(inside.path().join("real/a.txt"), "public").unwrap();
        std::os::unix::fs::symlink(outside.path(), inside.path().join("trap")).unwrap();
        let folders = Folders::new(&[inside.path().to_owned()], None);
        let done = AtomicBool::new(false);
        let at = |name: &str| inside.path().join(name);
        let (mut read, mut refused) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    for name in ["real", "trap"] {
                        fs::rename(at(name), at("sub")).unwrap();
                        std::thread::yield_now();
                        fs::rename(at("sub"), at(name)).unwrap();
                    }
                }
            });
            let begun = std::time::Instant::now();
            while begun.elapsed() < std::time::Duration::from_millis(1_500) {
                match folders.open("sub/a.txt") {
                    Ok((_, file)) => {
                        assert_eq!(plain_file::content(file, 100).unwrap(), b"public");
                        read += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
    }

    #[test]
    fn names_stand_in_strings_scripts_and_queries() {
        let names = |arguments: serde_json::Value| {
            candidates(&arguments.to_string()).into_iter().collect::<Vec<_>>()
        };
        let script = "from mitt import document_tool\nfor n in ['2024/报告 A.xlsx', \"b.csv\"]:\n    print(n, 'x')\n";
        assert_eq!(
            names(serde_json::json!({ "code": script })),
            ["2024/报告 A.xlsx", "b.csv", "mitt"]
        );
        let query = "select * from \"sales.csv#Sheet 1\" join `t.csv`";
        assert_eq!(names(serde_json::json!({ "sql": query })), ["sales.csv", "t.csv"]);
        let query = "SELECT * FROM sales_2024, x JOIN (select 1 from book_A)";
        assert_eq!(names(serde_json::json!({ "sql": query })), ["book_A", "sales_2024"]);
        assert!(is_sql_name("Sales 2024.csv", "sales_2024") && is_sql_name("book.xlsx", "book_A"));
        assert!(!is_sql_name("book.xlsx", "bookA") && !is_sql_name("a.csv", "b"));
        assert_eq!(
            names(serde_json::json!({ "data": "c.csv", "n": [1, ["d.pdf"]] })),
            ["c.csv", "d.pdf"]
        );
        assert!(
            names(serde_json::json!({ "a": "../.ssh/id.txt", "b": "no name", "c": "3.5 %" }))
                .is_empty()
        );
    }

    #[test]
    fn lists_are_bounded_and_leave_out_what_is_no_input() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for folder in ["a/b", "out", ".git"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["x.csv", "a/y.pdf", "a/b/z.txt", "out/made.xlsx", ".git/config", ".env"] {
            fs::write(at(file), "1").unwrap();
        }
        let folders = Folders::new(&[root.path().to_owned()], Some(&at("out")));
        let listing = folders.list();
        let names: Vec<_> = listing.files.iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["a/b/z.txt", "a/y.pdf", "x.csv"]);
        assert!(!listing.has_more);
        let named = |names: &[&str]| {
            let (named, _) = folders.named(&names.iter().map(|it| (*it).to_owned()).collect());
            named.into_iter().map(|(name, path)| format!("{name} at {path}")).collect::<Vec<_>>()
        };
        let wanted = ["x.csv", "y.pdf", "a/b/z.txt", "out/made.xlsx", "made.xlsx", "no.csv"];
        assert_eq!(
            named(&wanted),
            ["a/b/z.txt at a/b/z.txt", "x.csv at x.csv", "y.pdf at a/y.pdf"]
        );
        fs::write(at("a/x2.csv"), "").unwrap();
        fs::write(at("a/b/x2.csv"), "").unwrap();
        assert!(named(&["x2.csv"]).is_empty());
        let error = folders.open("xx.csv").unwrap_err().render();
        assert!(error.contains("did you mean `x.csv`?"), "{error}");
        for at in 0..MAX_FILES {
            fs::write(root.path().join(format!("{at}.txt")), "").unwrap();
        }
        let listing = folders.list();
        assert!(listing.has_more && listing.files.len() == MAX_FILES);
    }
}
