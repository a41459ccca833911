//! The documents of a session: how many, how much memory they keep, and their names, which are unique.
//!
//! `add_document.rs` has the files read; this keeps the documents. A document is charged by the memory that it keeps and not by the size of
//! its file: a workbook of 60 kB may hold a million cells.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use crate::document::Document;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, Resource, Result, SessionLimits, lock, unpoisoned};

/// Warnings of one document that are kept, and characters of one of them and of a title: a reader gives what it likes.
const MAX_WARNINGS: usize = 100;
const MAX_WARNING: u64 = 1_000;
/// Ends of the names of files that can be templates.
const TEMPLATES: [&str; 4] = ["docx", "dotx", "xlsx", "xltx"];
/// What a file says of itself, at most.
const MAX_METADATA: usize = 100;

pub(super) struct Documents {
    kept: RwLock<Vec<Kept>>,
    names: Mutex<Names>,
    count: AtomicU64,
    max_count: u64,
    /// Whether files that can be templates are kept beside what was read of them.
    keeps_sources: bool,
    /// Of documents and of tables that are kept.
    account: Account,
}

struct Kept {
    document: Arc<Document>,
    source: Option<Source>,
    _charge: Charge,
}

/// The file that a document was read from, which tools fill as a template.
pub(super) struct Source {
    bytes: Arc<[u8]>,
    _charge: Charge,
}

impl Documents {
    /// Largest file that is kept, in bytes: as large as a template may be.
    pub(super) const MAX_SOURCE: u64 = 32 << 20;

    pub(super) fn new(limits: &SessionLimits, budget: &Account, keeps_sources: bool) -> Documents {
        Documents {
            keeps_sources,
            kept: RwLock::default(),
            names: Mutex::default(),
            count: AtomicU64::new(0),
            max_count: limits.documents,
            account: budget.below(Resource::Documents, limits.documents_bytes),
        }
    }

    pub(super) fn list(&self) -> Vec<Arc<Document>> {
        let kept = unpoisoned(self.kept.read());
        kept.iter().map(|kept| kept.document.clone()).collect()
    }

    /// Who is charged for them, and for tables that are kept.
    pub(super) fn account(&self) -> Account {
        self.account.clone()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        unpoisoned(self.kept.read()).len()
    }

    /// A place for one more, before it is read.
    pub(super) fn place(&self) -> Result<Reserved<'_>> {
        Reserved::new(&self.count, 1, self.max_count, Resource::DocumentFiles)
    }

    /// The memory that a document keeps, which was read and made small; its tables hold charges of their own.
    ///
    /// # Errors
    ///
    /// There is not so much.
    pub(super) fn room(&self, document: &Document) -> Result<Charge> {
        self.account.charge(document.kept_bytes()).map_err(Error::reached)
    }

    /// The file that a document is read from, if it can be a template, the session keeps such files and there is room: one more
    /// charge beside that of what is read of it.
    pub(super) fn source(&self, name: &str, bytes: &[u8]) -> Option<Source> {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let can_be_one = extension.is_some_and(|it| TEMPLATES.contains(&it.as_str()))
            && bytes.starts_with(b"PK")
            && bytes.len() as u64 <= Self::MAX_SOURCE;
        if !self.keeps_sources || !can_be_one {
            return None;
        }
        let charge = self.account.charge(bytes.len() as u64).ok()?;
        Some(Source { bytes: bytes.into(), _charge: charge })
    }

    /// The file that the document of this name was read from, if it is kept.
    pub(super) fn source_of(&self, name: &str) -> Option<Arc<[u8]>> {
        let kept = unpoisoned(self.kept.read());
        let found = kept.iter().find(|kept| kept.document.name == name)?;
        found.source.as_ref().map(|source| source.bytes.clone())
    }

    /// Names of documents whose files are kept, at most fifty.
    pub(super) fn sources(&self) -> Vec<String> {
        let kept = unpoisoned(self.kept.read());
        let named = kept.iter().filter(|kept| kept.source.is_some());
        named.take(50).map(|kept| kept.document.name.clone()).collect()
    }

    /// Keep a document in its room. A name that is taken gets a number.
    pub(super) fn add(
        &self,
        mut document: Document,
        source: Option<Source>,
        place: Reserved<'_>,
        charge: Charge,
    ) -> Arc<Document> {
        let mut names = lock(&self.names);
        document.name = names.unique(&document.name);
        drop(names);
        let document = Arc::new(document);
        let added = Kept { document: document.clone(), source, _charge: charge };
        unpoisoned(self.kept.write()).push(added);
        place.keep();
        document
    }
}

/// A part of what all documents may have, given back unless it is kept: what cannot be read takes no room.
pub(super) struct Reserved<'a> {
    taken: &'a AtomicU64,
    size: u64,
}

impl Reserved<'_> {
    fn new(taken: &AtomicU64, size: u64, most: u64, what: Resource) -> Result<Reserved<'_>> {
        let fits = |taken: u64| taken.checked_add(size).filter(|after| *after <= most);
        match taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(_) => Ok(Reserved { taken, size }),
            Err(before) => Err(Error::limit(what, most, before.saturating_add(size))),
        }
    }

    fn keep(mut self) {
        self.size = 0;
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.size, Ordering::Relaxed);
    }
}

/// The names that are taken.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// Where the numbering of a name goes on: a thousand files of one name must not cost a square.
    next: HashMap<String, u64>,
}

impl Names {
    /// `report.xlsx`, `report (2).xlsx`, `report (3).xlsx` …; it is taken from now on.
    fn unique(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let (stem, extension) = match name.rfind('.') {
            Some(dot) if dot > 0 => name.split_at(dot),
            _ => (name, ""),
        };
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let candidate = format!("{stem} ({next}){extension}");
            *next += 1;
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// Cut what is longer than a model is given, and say so; let go of what nobody needs. The tables stay whole: plugins compute
/// with them.
pub(super) fn shorten(document: &mut Document, limit: u64) {
    if document.characters > limit {
        document.text = mitt_base::text::truncate(&document.text, limit);
        document.warnings.push(format!(
            "only the first {limit} of {} characters of the text are kept",
            document.characters
        ));
        document.characters = document.text.chars().count() as u64;
    }
    // What no place of the text is for is told by its length.
    document.places.retain(|place| place.offset < document.characters.max(1));
    document.metadata.truncate(MAX_METADATA);
    let values = document.metadata.iter_mut().flat_map(|(name, value)| [name, value]);
    let labels = document.places.iter_mut().map(|place| &mut place.label);
    for text in values.chain(labels).filter(|text| text.len() as u64 > MAX_WARNING) {
        *text = mitt_base::text::truncate(text, MAX_WARNING);
    }
    bound_warnings(document);
    document.compact();
}

/// Leave out the warnings that are too many, and the ends of those that are too long.
pub(super) fn bound_warnings(document: &mut Document) {
    let left_out = document.warnings.len().saturating_sub(MAX_WARNINGS);
    if left_out > 0 {
        // Ours are the last.
        document.warnings.drain(..left_out);
        document.warnings.push(format!("and {left_out} more warnings before these"));
    }
    let texts = document.warnings.iter_mut().chain(&mut document.title);
    for text in texts.filter(|text| text.len() as u64 > MAX_WARNING) {
        *text = mitt_base::text::truncate(text, MAX_WARNING);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_where_the_numbering_stopped() {
        let mut names = Names::default();
        for (name, unique) in [
            ("a.csv", "a.csv"),
            ("a.csv", "a (2).csv"),
            ("a (3).csv", "a (3).csv"),
            ("a.csv", "a (4).csv"),
            ("a (3).csv", "a (3) (2).csv"),
            (".env", ".env"),
            (".env", ".env (2)"),
            ("x", "x"),
            ("x", "x (2)"),
        ] {
            assert_eq!(names.unique(name), unique);
        }
        // A square of these would be ten thousand million comparisons.
        for _ in 0..100_000 {
            names.unique("report.xlsx");
        }
        assert_eq!(names.unique("report.xlsx"), "report (100001).xlsx");
    }

    #[test]
    fn warnings_and_titles_are_bounded() {
        let mut document = Document {
            title: Some("年".repeat(5_000)),
            text: "x".repeat(50),
            characters: 50,
            metadata: vec![("author".into(), "x".repeat(5_000)); 1_000],
            places: (0..100)
                .map(|n| crate::document::Place { offset: n, label: "p".repeat(5_000) })
                .collect(),
            warnings: (0..10_000).map(|number| format!("{number}{}", "w".repeat(2_000))).collect(),
            size: 50,
            ..Document::empty("a", "")
        };
        shorten(&mut document, 20);
        assert_eq!(document.warnings.len(), MAX_WARNINGS + 1);
        assert_eq!(document.metadata.len(), MAX_METADATA);
        assert!(document.metadata.iter().all(|(_, value)| value.len() < 1_100));
        assert_eq!(
            document.places.len() as u64,
            document.characters,
            "those of the text that is kept"
        );
        assert!(document.places.iter().all(|it| it.label.len() < 1_100));
        assert!(document.warnings.iter().all(|it| it.len() < 1_100));
        assert!(document.warnings[MAX_WARNINGS - 1].starts_with("only the first 20 of 50"));
        assert!(document.title.as_ref().unwrap().chars().count() < 1_100);
        assert!(document.kept_bytes() < 300_000, "{}", document.kept_bytes());
    }
}
