//! Documents come in: a file is looked at, read by a plugin where it is no text, and kept.
//!
//! Knows places for calls and long work, and who is charged. What is in a file is for `ingest` to find out.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::documents::shorten;
use super::event::{Event, RowStep};
use super::guarded::Check;
use super::services::CallServices;
use super::state::Session;
use super::telling::Telling;
use crate::document::Document;
use crate::engine::Usage;
use crate::ingest::{self, Foreign, Looked, Readers, Room, Told};
use mitt_base::file_name::check_file_name;
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, Resource, Result};
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
        let name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.add_document_bytes(&name, bytes).await.map_err(|error| match error.kind() {
            // The path may hold what was found.
            ErrorKind::Blocked => error,
            _ => error.at(path.display()),
        })
    }

    /// Read a file that is in memory already and add it to the documents. A name that is taken gets a number.
    ///
    /// # Errors
    ///
    /// As [`Session::add_document`].
    pub async fn add_document_bytes(&self, name: &str, bytes: Vec<u8>) -> Result<Arc<Document>> {
        let added = self.inner.member.computing(Box::pin(self.add_bytes(name, bytes, None)));
        // Whatever a file does to those who look at it, its sender gets an answer.
        mitt_base::panics::caught("reading the document", added).await?
    }

    /// As [`Session::add_document_bytes`], inside of the call of `services`: what runs there has its place, and computes for the
    /// session.
    pub(super) async fn add_document_inside(
        &self,
        name: &str,
        bytes: Vec<u8>,
        services: &CallServices,
    ) -> Result<Arc<Document>> {
        self.add_bytes(name, bytes, Some(services)).await
    }

    async fn add_bytes(
        &self,
        name: &str,
        bytes: Vec<u8>,
        inside: Option<&CallServices>,
    ) -> Result<Arc<Document>> {
        let limits = self.host().session_limits();
        let size = bytes.len() as u64;
        if size > limits.document_bytes {
            return Err(Error::limit(Resource::Document, limits.document_bytes, size));
        }
        check_file_name(name).map_err(|problem| Error::new(ErrorKind::Input, problem))?;
        let name = &*self.inner.guarded_name(name)?;
        let documents = &self.inner.documents;
        let reserved = documents.place()?;
        // Of the file itself, while it waits and is read.
        let memory = self.inner.budget.call();
        let file = memory.charge(size).map_err(Error::reached)?;
        // Reading is work as a call is.
        let mut place = match inside {
            Some(_) => None,
            None => Some(self.host().admission().enter(&self.inner.tenant).await?),
        };
        let call = inside.map(CallServices::call);
        let tell = |event: &Event| match inside {
            Some(services) => services.tell(event),
            None => self.emit(event),
        };
        tell(&Event::DocumentStarted { call, name: name.to_owned(), size });
        let start = Instant::now();
        let noted = |error: &Error| {
            self.inner.journal.document_failed(name, error, self.host().environment().now());
        };
        let telling = Telling::new(call, tell);
        let told = |skill: &str, compiling| telling.compiling(skill, compiling);
        let read = self.read(name, bytes, file, (&memory, &told, self.rows(name, inside))).await;
        let (document, usage) = read.inspect_err(noted)?;
        let document = self.guarded(document).await.inspect_err(noted)?;
        telling.ended();
        if let (Some(place), Some(usage)) = (&mut place, &usage) {
            place.took(usage.duration);
        }
        let document = documents.add(document, reserved).inspect_err(noted)?;
        self.inner.journal.document(&document, self.host().environment().now());
        tell(&Event::DocumentReady {
            call,
            document: document.clone(),
            usage,
            duration: start.elapsed(),
        });
        Ok(document)
    }

    /// Tells of the rows of a document as they are read.
    fn rows(&self, name: &str, inside: Option<&CallServices>) -> Rows {
        let name = name.to_owned();
        if let Some(services) = inside {
            return services.rows(RowStep::Reading, name, None);
        }
        // Work that goes on when nobody waits for it does not keep the session.
        let session = Arc::downgrade(&self.inner);
        Rows::new(move |rows| {
            let (name, step) = (name.clone(), RowStep::Reading);
            if let Some(session) = session.upgrade() {
                session.emit(&Event::Rows { call: None, name, step, rows, of: None });
            }
        })
    }

    /// Read a file and make the document small. `file` is the charge of its bytes, `memory` who is charged for the rest; `told`
    /// hears of it if the reader has to be compiled.
    async fn read(
        &self,
        name: &str,
        bytes: Vec<u8>,
        file: Charge,
        (memory, told, rows): (&Account, Told<'_>, Rows),
    ) -> Result<(Document, Option<Usage>)> {
        let limit = self.host().session_limits().document_characters;
        let is_small = bytes.len() <= INLINE_BYTES;
        let name = name.to_owned();
        let room = Room {
            memory: memory.clone(),
            tables: self.inner.documents.account(),
            characters: limit,
            rows,
        };
        let looked = room.clone();
        // What is charged goes with the work, which goes on when nobody waits for it any more.
        let look = move || {
            Ok(match ingest::look(&name, bytes, &looked)? {
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
        let registry = self.registry();
        if ingest::is_bare_page(&registry, &foreign).await? {
            let source = move || {
                let (mut document, charge) = ingest::page_source(foreign, &room)?;
                shorten(&mut document, limit);
                drop((charge, file));
                Ok(document)
            };
            return Ok((self.elsewhere(source).await?, None));
        }
        let readers = Readers {
            registry: &registry,
            environment: host.environment(),
            limits: &|limits| host.limits_of(limits),
            memory,
            tables: &room.tables,
            told,
            rows: &room.rows,
        };
        let (mut document, usage) = ingest::read(&readers, foreign).await?;
        drop(file);
        let shorten = move || {
            ingest::show_only_table(&mut document, limit);
            shorten(&mut document, limit);
            Ok(document)
        };
        Ok((self.elsewhere(shorten).await?, Some(usage)))
    }

    /// The document with what is redacted left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something in it.
    pub(super) async fn guarded(&self, mut document: Document) -> Result<Document> {
        let Some(mut check) = Check::new(&self.inner.guard()) else { return Ok(document) };
        let account = self.inner.documents.account();
        let place = format!("document `{}`", document.name);
        let is_small = document.kept_bytes() <= INLINE_BYTES as u64 && document.tables.is_empty();
        let checked = move || {
            check.document(&mut document, &account)?;
            document.compact();
            Ok((document, check))
        };
        let checked = if is_small { checked() } else { self.elsewhere(checked).await };
        let (document, check) = checked.map_err(|error| error.at(&place))?;
        check.note(&self.inner, &place);
        Ok(document)
    }

    /// Do what would keep a thread of the executor, in turn with the other tenants, once it has a place.
    pub(super) async fn elsewhere<R: Send + 'static>(
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Host, SessionOptions};
    use mitt_base::BlockingLimits;

    /// The one place for long work is taken by somebody else, so what is done without it is done at once.
    #[tokio::test]
    async fn large_files_wait_for_a_place_among_the_blocking_work() {
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
