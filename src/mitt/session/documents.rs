//! The documents of a session: how many, how much memory they keep, and their names, which are unique.
//!
//! `ingest` reads the files; this keeps the documents. A document is charged by the memory that it keeps and not by the size of
//! its file: a workbook of 60 kB may hold a million cells.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::document::Document;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, Resource, Result, SessionLimits};

/// Warnings of one document that are kept, and characters of one of them and of a title: a reader gives what it likes.
const MAX_WARNINGS: usize = 100;
const MAX_WARNING: u64 = 1_000;

pub(super) struct Documents {
    kept: RwLock<Vec<Kept>>,
    names: Mutex<Names>,
    bytes: AtomicU64,
    count: AtomicU64,
    max_bytes: u64,
    max_count: u64,
    budget: Account,
}

struct Kept {
    document: Arc<Document>,
    _charge: Charge,
}

impl Documents {
    pub(super) fn new(limits: &SessionLimits, budget: &Account) -> Documents {
        Documents {
            kept: RwLock::default(),
            names: Mutex::default(),
            bytes: AtomicU64::new(0),
            count: AtomicU64::new(0),
            max_bytes: limits.documents_bytes,
            max_count: limits.documents,
            budget: budget.clone(),
        }
    }

    pub(super) fn list(&self) -> Vec<Arc<Document>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|kept| kept.document.clone()).collect()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// A place for one more, before it is read.
    fn place(&self) -> Result<Reserved<'_>> {
        Reserved::new(&self.count, 1, self.max_count, Resource::DocumentFiles)
    }

    /// Keep a document, which was read and made small. A name that is taken gets a number.
    fn add(&self, mut document: Document, place: Reserved<'_>) -> Result<Arc<Document>> {
        let kept = document.kept_bytes();
        let charge = self.budget.charge(kept).map_err(Error::reached)?;
        let bytes = Reserved::new(&self.bytes, kept, self.max_bytes, Resource::Documents)?;
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        document.name = names.unique(&document.name);
        drop(names);
        let document = Arc::new(document);
        let added = Kept { document: document.clone(), _charge: charge };
        self.kept.write().unwrap_or_else(PoisonError::into_inner).push(added);
        bytes.keep();
        place.keep();
        Ok(document)
    }
}

/// A part of what all documents may have, given back unless it is kept: what cannot be read takes no room.
struct Reserved<'a> {
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
fn shorten(document: &mut Document, limit: u64) {
    if document.characters > limit {
        document.text = mitt_base::text::truncate(&document.text, limit);
        document.warnings.push(format!(
            "only the first {limit} of {} characters of the text are kept",
            document.characters
        ));
        document.characters = document.text.chars().count() as u64;
    }
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
    document.compact();
}

mod ingest {
    use std::path::Path;
    use std::time::Instant;

    use super::super::{Event, Session, check_file_name};
    use super::*;
    use crate::engine::Usage;
    use crate::ingest::{self, Foreign, Looked, Readers};
    use mitt_base::ErrorKind;
    use mitt_render::Cancel;

    /// Files of at most so many bytes are looked at where they come in: that takes some milliseconds.
    const INLINE_BYTES: usize = 64 * 1024;

    impl Session {
        /// Read a file and add it to the documents.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Input`] - the file is missing, unreadable, damaged, encrypted or of an unsupported type.
        /// [`ErrorKind::Limit`] - it is too large, its reader reached a limit, or what was read does not fit the documents
        /// or the memory of the session.
        pub async fn add_document(&self, path: &Path) -> Result<Arc<Document>> {
            let limits = self.host().session_limits();
            let bytes = ingest::read_file(path, limits.document_bytes)?;
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            self.add_document_bytes(&name, bytes).await.map_err(|error| error.at(path.display()))
        }

        /// Read a file that is in memory already and add it to the documents. A name that is taken gets a number.
        ///
        /// # Errors
        ///
        /// As [`Session::add_document`].
        pub async fn add_document_bytes(
            &self,
            name: &str,
            bytes: Vec<u8>,
        ) -> Result<Arc<Document>> {
            let added = self.inner.member.computing(Box::pin(self.add_bytes(name, bytes, false)));
            // Whatever a file does to those who look at it, its sender gets an answer.
            mitt_base::panics::caught("reading the document", added).await?
        }

        /// As [`Session::add_document_bytes`], inside of a call: what runs there has its place, and computes for the session.
        pub(in crate::session) async fn add_document_inside(
            &self,
            name: &str,
            bytes: Vec<u8>,
        ) -> Result<Arc<Document>> {
            self.add_bytes(name, bytes, true).await
        }

        async fn add_bytes(
            &self,
            name: &str,
            bytes: Vec<u8>,
            is_inside: bool,
        ) -> Result<Arc<Document>> {
            let limits = self.host().session_limits();
            let size = bytes.len() as u64;
            if size > limits.document_bytes {
                return Err(Error::limit(Resource::Document, limits.document_bytes, size));
            }
            check_file_name(name).map_err(|problem| Error::new(ErrorKind::Input, problem))?;
            let documents = &self.inner.documents;
            let reserved = documents.place()?;
            // Of the file itself, while it waits and is read.
            let memory = self.inner.budget.call();
            let file = memory.charge(size).map_err(Error::reached)?;
            // Reading is work as a call is.
            let _place = match is_inside {
                true => None,
                false => Some(self.host().admission().enter(&self.inner.tenant).await?),
            };
            self.emit(&Event::DocumentStarted { name: name.to_owned(), size });
            let start = Instant::now();
            let noted = |error: &Error| {
                self.inner.journal.document_failed(name, error, self.host().environment().now());
            };
            let read = self.read(name, bytes, file, &memory).await;
            let (document, usage) = read.inspect_err(noted)?;
            let document = documents.add(document, reserved).inspect_err(noted)?;
            self.inner.journal.document(&document, self.host().environment().now());
            self.emit(&Event::DocumentReady {
                document: document.clone(),
                usage,
                duration: start.elapsed(),
            });
            Ok(document)
        }

        /// Read a file and make the document small. `file` is the charge of its bytes, `memory` who is charged for the rest.
        async fn read(
            &self,
            name: &str,
            bytes: Vec<u8>,
            file: Charge,
            memory: &Account,
        ) -> Result<(Document, Option<Usage>)> {
            let limit = self.host().session_limits().document_characters;
            let is_small = bytes.len() <= INLINE_BYTES;
            let (name, account) = (name.to_owned(), memory.clone());
            // What is charged goes with the work, which goes on when nobody waits for it any more.
            let look = move || {
                Ok(match ingest::look(&name, bytes, &account)? {
                    Looked::Text(mut document, charge) => {
                        shorten(&mut document, limit);
                        drop((charge, file));
                        Read::Text(document)
                    }
                    Looked::Foreign(foreign) => Read::Foreign(foreign, file),
                })
            };
            let read = if is_small { look()? } else { self.elsewhere(look).await? };
            let (foreign, file) = match read {
                Read::Text(document) => return Ok((document, None)),
                Read::Foreign(foreign, file) => (foreign, file),
            };
            let host = self.host();
            let readers = Readers {
                registry: &self.registry(),
                environment: host.environment(),
                limits: &|limits| host.limits_of(limits),
                memory,
            };
            let (mut document, usage) = ingest::read(&readers, foreign).await?;
            drop(file);
            let shorten = move || {
                shorten(&mut document, limit);
                Ok(document)
            };
            Ok((self.elsewhere(shorten).await?, Some(usage)))
        }

        /// Do what would keep a thread of the executor, in turn with the other tenants, once it has a place.
        async fn elsewhere<R: Send + 'static>(
            &self,
            work: impl FnOnce() -> Result<R> + Send + 'static,
        ) -> Result<R> {
            let blocking = self.host().blocking();
            let place = blocking.enter(&self.inner.tenant).await?;
            let work = move |cancel: Cancel| {
                cancel.check()?;
                work()
            };
            blocking.here("reading the document", place, work).await
        }
    }

    /// A file that was looked at and, if it is a text, read.
    enum Read {
        Text(Document),
        Foreign(Foreign, Charge),
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
            name: "a".into(),
            media_type: String::new(),
            title: Some("年".repeat(5_000)),
            text: "x".repeat(50),
            characters: 50,
            tables: Arc::default(),
            warnings: (0..10_000).map(|number| format!("{number}{}", "w".repeat(2_000))).collect(),
            sha256: String::new(),
            size: 50,
        };
        shorten(&mut document, 20);
        assert_eq!(document.warnings.len(), MAX_WARNINGS + 1);
        assert!(document.warnings.iter().all(|it| it.len() < 1_100));
        assert!(document.warnings[MAX_WARNINGS - 1].starts_with("only the first 20 of 50"));
        assert!(document.title.as_ref().unwrap().chars().count() < 1_100);
        assert!(document.kept_bytes() < 120_000, "{}", document.kept_bytes());
    }

    /// The one place for long work is taken by somebody else, so what is done without it is done at once.
    #[tokio::test]
    async fn large_files_wait_for_a_place_among_the_blocking_work() {
        use std::time::Duration;

        use crate::{Host, SessionOptions};
        use mitt_base::{BlockingLimits, ErrorKind};

        let wait = Duration::from_millis(50);
        let limits = BlockingLimits { places: 1, per_tenant: 1, wait, ..BlockingLimits::default() };
        let host = Host::builder().bundled_skills(false).blocking(limits).build().unwrap();
        let session = host.session(SessionOptions::default()).unwrap();
        let files =
            [("a.csv", "a,b\n1,2\n"), ("a.md", "# One\n\ntwo\n"), ("a.txt", "some words\n")];
        let large = |line: &str| line.repeat(200_000 / line.len()).into_bytes();
        let before = host.memory().used;
        let place = host.blocking().enter("somebody else").await.unwrap();
        for (name, line) in files {
            let error = session.add_document_bytes(name, large(line)).await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{name}: {error}");
            assert!(error.to_string().contains("files to read or render"), "{error}");
        }
        // A file that is none, too: its digest is what takes long.
        let error = session.add_document_bytes("a.bin", vec![0; 200_000]).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{error}");
        assert_eq!(host.memory().used, before);
        assert!(session.add_document_bytes("a.csv", b"a,b\n1,2\n".to_vec()).await.is_ok());
        drop(place);
        for (name, line) in files {
            let document = session.add_document_bytes(name, large(line)).await.unwrap();
            assert!(document.characters > 90_000, "{name}");
        }
    }
}
