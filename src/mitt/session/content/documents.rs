//! Documents of a session: their number, their memory, and their unique names.
//!
//! `add_document.rs` reads files; this file keeps the documents. A document is charged by the memory that it occupies, not by the
//! size of its file: a workbook of 60 kB may hold a million cells.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use crate::ingest::{is_package_or_pdf, text_type};
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, Resource, Result, SessionLimits, lock, unpoisoned};
use mitt_types::{Document, DocumentInternal as _};

/// Most warnings that are kept of one document, and most characters of a warning or a title: a plugin may return any number.
const MAX_WARNINGS: usize = 100;
const MAX_WARNING: u64 = 1_000;
/// Extensions of files that tools can edit, or fill as templates.
const SOURCES: [&str; 8] = ["docx", "dotx", "xlsx", "xltx", "pptx", "potx", "pdf", "eml"];
/// Most metadata entries of a document.
const MAX_METADATA: usize = 100;

pub(in crate::session) struct Documents {
    kept: RwLock<Vec<Kept>>,
    names: Mutex<Names>,
    count: AtomicU64,
    max_count: u64,
    /// `true` if files that tools can edit or fill are kept in addition to their documents.
    keeps_sources: bool,
    /// Account for the documents and tables that are kept.
    account: Account,
}

struct Kept {
    document: Arc<Document>,
    source: Option<Source>,
    _charge: Charge,
}

/// Source file of a document, which tools can edit, or fill as a template.
pub(in crate::session) struct Source {
    bytes: Arc<[u8]>,
    _charge: Charge,
}

impl Documents {
    /// Largest source file that is kept, in bytes: the limit for templates and for files that are edited.
    pub(in crate::session) const MAX_SOURCE: u64 = 32 << 20;

    pub(in crate::session) fn new(
        limits: &SessionLimits,
        budget: &Account,
        keeps_sources: bool,
    ) -> Documents {
        Documents {
            keeps_sources,
            kept: RwLock::default(),
            names: Mutex::default(),
            count: AtomicU64::new(0),
            max_count: limits.documents,
            account: budget.below(Resource::Documents, limits.documents_bytes),
        }
    }

    pub(in crate::session) fn list(&self) -> Vec<Arc<Document>> {
        let kept = unpoisoned(self.kept.read());
        kept.iter().map(|kept| kept.document.clone()).collect()
    }

    /// Returns the account for documents and kept tables.
    pub(in crate::session) fn account(&self) -> Account {
        self.account.clone()
    }

    /// Returns the number of documents.
    pub(in crate::session) fn count(&self) -> usize {
        unpoisoned(self.kept.read()).len()
    }

    /// Reserves a place for one more document, before it is read.
    pub(in crate::session) fn place(&self) -> Result<Reserved<'_>> {
        Reserved::new(&self.count, 1, self.max_count, Resource::DocumentFiles)
    }

    /// Charges for the memory of a compacted document; its tables hold charges of their own.
    ///
    /// # Errors
    ///
    /// The charge exceeds the memory for documents.
    pub(in crate::session) fn room(&self, document: &Document) -> Result<Charge> {
        self.account.charge(document.kept_bytes()).map_err(Error::reached)
    }

    /// Returns the source file of a document with a charge of its own, if tools can edit or fill it, the session keeps such
    /// files and there is memory for it.
    pub(in crate::session) fn source(&self, name: &str, bytes: &[u8]) -> Option<Source> {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let extension = extension.unwrap_or_default();
        // The beginning of a text or a mail says nothing.
        let is_text = extension == "eml" || text_type(name).is_some();
        let can_be_one = (is_text || SOURCES.contains(&&*extension) && is_package_or_pdf(bytes))
            && bytes.len() as u64 <= Self::MAX_SOURCE;
        if !self.keeps_sources || !can_be_one {
            return None;
        }
        let charge = self.account.charge(bytes.len() as u64).ok()?;
        Some(Source { bytes: bytes.into(), _charge: charge })
    }

    /// Returns the source file of the document of this name, if it is kept.
    pub(in crate::session) fn source_of(&self, name: &str) -> Option<Arc<[u8]>> {
        let kept = unpoisoned(self.kept.read());
        let found = kept.iter().find(|kept| kept.document.name == name)?;
        found.source.as_ref().map(|source| source.bytes.clone())
    }

    /// Returns `true` if a kept source file has this content.
    pub(super) fn has_source(&self, content: &[u8]) -> bool {
        let kept = unpoisoned(self.kept.read());
        kept.iter().filter_map(|kept| kept.source.as_ref()).any(|it| *it.bytes == *content)
    }

    /// Returns the names of documents whose source files are kept, at most fifty.
    pub(in crate::session) fn sources(&self) -> Vec<String> {
        let kept = unpoisoned(self.kept.read());
        let named = kept.iter().filter(|kept| kept.source.is_some());
        named.take(50).map(|kept| kept.document.name.clone()).collect()
    }

    /// Keeps a document, with its place and its charge. If the name is taken, the document gets a number.
    pub(in crate::session) fn add(
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

/// Reserved share of a limit of all documents. Dropped, it is released, unless the document is kept.
pub(in crate::session) struct Reserved<'a> {
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

/// Names in use.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// Next number to try for a name, so that adding many files of one name takes linear time.
    next: HashMap<String, u64>,
}

impl Names {
    /// Returns a free name and marks it as taken: `report.xlsx`, `report (2).xlsx`, `report (3).xlsx` …
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

/// Cuts text and metadata that exceed what a model receives, with a warning, and releases unused memory. Tables stay whole, since
/// plugins compute with them.
pub(in crate::session) fn shorten(document: &mut Document, limit: u64) {
    if document.characters > limit {
        document.text = mitt_base::text::truncate(&document.text, limit);
        document.warnings.push(format!(
            "only the first {limit} of {} characters of the text are kept",
            document.characters
        ));
        document.characters = document.text.chars().count() as u64;
    }
    // Places behind the end of the cut text are dropped; the warning about the length covers them.
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

/// Removes surplus warnings and cuts long ones.
pub(in crate::session) fn bound_warnings(document: &mut Document) {
    let left_out = document.warnings.len().saturating_sub(MAX_WARNINGS);
    if left_out > 0 {
        // The last warnings are Mitt's own, so the first ones go.
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
        // Linear search would compare ten thousand million times here.
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
                .map(|n| mitt_types::Place { offset: n, label: "p".repeat(5_000) })
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
