//! Ingestion of documents: a file is identified, read by a plugin unless it is a text, and kept.
//!
//! Knows places for calls and blocking work, and memory charges. `ingest` finds out what is in a file.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::compile_progress::CompileProgress;
use super::super::event::Event;
use super::document_options::DocumentOptions;
use super::documents::{Reserved, Source, bound_warnings, shorten};
use super::picture_store::ChargedPicture;
use super::requester::Requester;
use super::skipped_files::SkippedFiles;
use super::state::Content;
use crate::engine::Usage;
use crate::host::INLINE_BYTES;
use crate::ingest::{
    self, IdentifiedFile, IngestAccounts, OnCompiling, Origin, Parts, PartsBudget, ReadFile,
    Readers, UnparsedFile, is_over_budget,
};
use mitt_base::file_name::check_file_name;
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, Resource, Result, text};
use mitt_render::Cancel;
use mitt_types::{Document, DocumentInternal as _, fetch::FetchedFrom};

/// Deepest level of files inside of other files, such as attachments of mails in archives.
const LEVELS: usize = 3;

/// Most characters in the name of a file inside of another one.
const PART_NAME: usize = 200;

impl Content {
    /// Reads the file at `path` and adds it to the documents for `requester`.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document`](crate::Session::add_document).
    pub(in crate::session) async fn add_file(
        &self,
        path: &Path,
        options: &DocumentOptions,
        requester: &dyn Requester,
    ) -> Result<Arc<Document>> {
        let limits = self.context.host().session_limits();
        let bytes = ingest::read_file(path, limits.document_bytes)?;
        let name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let added = self.add_document(&name, bytes, options, requester);
        added.await.map_err(|error| match error.kind() {
            // The path may contain the text that was blocked.
            ErrorKind::Blocked => error,
            _ => error.at(path.display()),
        })
    }

    /// Adds a file that is in memory already to the documents for `requester`.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document`](crate::Session::add_document).
    pub(in crate::session) async fn add_document(
        &self,
        name: &str,
        bytes: Vec<u8>,
        options: &DocumentOptions,
        requester: &dyn Requester,
    ) -> Result<Arc<Document>> {
        check_name(name, options.is_path)?;
        self.add_scheduled(name, bytes, (options, None), requester).await
    }

    /// Does what [`Content::add_bytes`] does, in the session's turn among the guests.
    pub(super) async fn add_scheduled(
        &self,
        name: &str,
        bytes: Vec<u8>,
        given: (&DocumentOptions, Option<&FetchedFrom>),
        requester: &dyn Requester,
    ) -> Result<Arc<Document>> {
        let added = self.add_bytes(name, bytes, given, requester);
        let added = self.context.scheduler().run(Box::pin(added));
        // A panic while reading becomes an error: the caller always gets an answer.
        mitt_base::panics::caught("reading the document", added).await?
    }

    /// Does what [`Content::add_document`] does, for a call, which already has a place and computes for the session.
    pub(in crate::session) async fn add_document_inside(
        &self,
        name: &str,
        bytes: Vec<u8>,
        call: &dyn Requester,
    ) -> Result<Arc<Document>> {
        check_name(name, false)?;
        self.add_bytes(name, bytes, (&DocumentOptions::default(), None), call).await
    }

    /// Reads a file and adds it to the documents. `origin` says where it was fetched. The caller has checked the name.
    pub(super) async fn add_bytes(
        &self,
        name: &str,
        bytes: Vec<u8>,
        (options, origin): (&DocumentOptions, Option<&FetchedFrom>),
        requester: &dyn Requester,
    ) -> Result<Arc<Document>> {
        let name = &*self.guard.name(name)?;
        let host = self.context.host();
        // Reading is work, so it needs a place as a call does.
        let mut permit = match requester.call() {
            Some(_) => None,
            None => {
                let session = self.context.scheduler().session();
                Some(host.admission().acquire_for(self.context.tenant(), session).await?)
            }
        };
        let parts = host.session_limits().parts.clone();
        let budget = Arc::new(PartsBudget::new(parts, bytes.len() as u64));
        let ingestion = Ingestion { content: self, requester, options, origin, budget };
        let read = ingestion.read(name, bytes, 0).await?;
        if let (Some(permit), Some(usage)) = (&mut permit, &read.usage) {
            permit.set_run_time(usage.duration);
        }
        Ok(ingestion.keep(read))
    }

    /// Returns the document without its redacted parts.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something in it.
    pub(super) async fn guarded(&self, mut document: Document) -> Result<Document> {
        let Some(mut check) = self.guard.check() else { return Ok(document) };
        let account = self.documents.account();
        let place = format!("document `{}`", document.name);
        let is_small = document.kept_bytes() <= INLINE_BYTES && document.tables.is_empty();
        let checked = move || {
            check.document(&mut document, &account)?;
            document.compact();
            Ok((document, check))
        };
        let checked = if is_small { checked() } else { self.elsewhere(checked).await };
        let (document, check) = checked.map_err(|error| error.at(&place))?;
        self.guard.note(&check, &place);
        Ok(document)
    }

    /// Runs blocking work outside the executor's threads, as soon as the tenant gets a place.
    pub(in crate::session) async fn elsewhere<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let blocking = self.context.host().blocking();
        let permit = blocking.acquire(self.context.tenant()).await?;
        let work = move |cancel: Cancel| {
            cancel.check()?;
            work()
        };
        blocking.here("reading the document", permit, work).await
    }
}

/// Checks the name of a file, or each name of a path.
pub(super) fn check_name(name: &str, is_path: bool) -> Result<()> {
    let check =
        |name| check_file_name(name).map_err(|problem| Error::new(ErrorKind::Input, problem));
    if is_path { name.split('/').try_for_each(check) } else { check(name) }
}

/// Name of the problem of a file that has neither text nor tables.
const EMPTY: &str = "empty";

/// Ingestion of one file, with the files inside of it.
struct Ingestion<'a> {
    content: &'a Content,
    requester: &'a dyn Requester,
    options: &'a DocumentOptions,
    origin: Option<&'a FetchedFrom>,
    /// Budget shared by all files that are read for this one.
    budget: Arc<PartsBudget>,
}

/// A file that was read and is not kept yet.
struct ReadDocument<'a> {
    /// Name when the file was read. If it was taken and changes, the names of the parts change with it.
    name: String,
    document: Document,
    source: Option<Source>,
    reserved: Reserved<'a>,
    room: Charge,
    /// The file itself, if it is a picture that documents may show.
    picture: Option<ChargedPicture>,
    usage: Option<Usage>,
    duration: Duration,
    /// Files that were inside of this file.
    parts: Vec<ReadDocument<'a>>,
}

type ReadFuture<'s, 'a> = Pin<Box<dyn Future<Output = Result<ReadDocument<'a>>> + Send + 's>>;

impl<'a> Ingestion<'a> {
    /// Reads a file at nesting depth `level`, and the files inside of it. If an inner file cannot be read, the outer one gets a
    /// warning.
    fn read<'s>(&'s self, name: &'s str, bytes: Vec<u8>, level: usize) -> ReadFuture<'s, 'a> {
        // Boxed because it is recursive, and without its type so that the future types of all callers stay short.
        Box::pin(self.read_one(name, bytes, level))
    }

    async fn read_one(&self, name: &str, bytes: Vec<u8>, level: usize) -> Result<ReadDocument<'a>> {
        let content = self.content;
        let size = bytes.len() as u64;
        let most = self.content.context.host().session_limits().document_bytes;
        if size > most {
            return Err(Error::limit(Resource::Document, most, size));
        }
        let reserved = content.documents.place()?;
        // Charge for the file itself while it waits and is read.
        let memory = content.context.budget().call();
        let file = memory.charge(size).map_err(Error::reached)?;
        let call = self.requester.call();
        self.requester.emit(&Event::DocumentStarted { call, name: name.to_owned(), size });
        let start = Instant::now();
        let mut source = content.documents.source(name, &bytes);
        let progress = CompileProgress::new(call, |event: &Event| self.requester.emit(event));
        let on_compiling = |skill: &str, compiling| progress.compiling(skill, compiling);
        let picture = content.pictures.charge(&bytes);
        let read = self
            .identify_and_read(
                name,
                bytes,
                file,
                (&memory, &on_compiling, self.requester.rows_read(name.to_owned())),
                source.is_some(),
            )
            .await;
        let (mut document, parts, usage) = read.inspect_err(|error| self.note(name, error))?;
        if let Some(origin) = self.origin.filter(|_| level == 0) {
            document.metadata.insert(0, ("url".to_owned(), origin.url.clone()));
            document.warnings.extend(origin.disagrees(&document.media_type));
        }
        let before = document.warnings.len();
        let guarded = content.guarded(document).await;
        let mut document = guarded.inspect_err(|error| self.note(name, error))?;
        // The source file still contains the text that was redacted, so it is not kept.
        source = source.filter(|_| document.warnings.len() == before);
        progress.ended();
        let duration = start.elapsed();
        let parts = self.read_parts(name, &mut document, parts, level).await?;
        let picture = picture.unwrap_or_else(|error| {
            document.warnings.push(format!("documents cannot show it as a picture: {error}"));
            None
        });
        bound_warnings(&mut document);
        // Reserved before anything is kept, so that either everything is kept or nothing.
        let room = content.documents.room(&document).inspect_err(|error| self.note(name, error))?;
        let name = name.to_owned();
        Ok(ReadDocument { name, document, source, reserved, room, picture, usage, duration, parts })
    }

    /// Reads the files inside of a file, as far as the budget allows. Each file that was not read becomes a warning of
    /// `document`.
    async fn read_parts(
        &self,
        name: &str,
        document: &mut Document,
        Parts { files, charge }: Parts,
        level: usize,
    ) -> Result<Vec<ReadDocument<'a>>> {
        // Charge for the bytes of all inner files, until the last one is read.
        let _charge = charge;
        let mut read = Vec::new();
        if level == LEVELS && !files.is_empty() {
            let count = files.len();
            document.warnings.push(format!(
                "the files in it ({count}) were not read: it lies {LEVELS} levels deep inside of others"
            ));
            return Ok(read);
        }
        let before = self.budget.left_out();
        let mut skipped = SkippedFiles::default();
        for (part, bytes) in files {
            let part = self.content.guard.name(&part_name(&part))?;
            let part = format!("{name}/{part}");
            if let Err(error) = self.budget.take(bytes.len() as u64) {
                skipped.add(&part, error);
                continue;
            }
            match self.read(&part, bytes, level + 1).await {
                Ok(part) => read.push(part),
                // Content that is blocked in an inner file blocks the outer file, too.
                Err(error) if *error.kind() == ErrorKind::Blocked => return Err(error),
                Err(error) if is_over_budget(&error) => skipped.add(&part, error),
                Err(error) => document.warnings.push(format!("{part} was not read: {error}")),
            }
        }
        let deeper = self.budget.left_out() - before;
        self.budget.leave_out(skipped.count);
        document.warnings.extend(skipped.warning());
        if level == 0 && deeper > 0 {
            document.warnings.push(format!(
                "{deeper} files inside of files in it were not read either: the warnings of those name them"
            ));
        }
        Ok(read)
    }

    /// Keeps a file that was read, and the files inside of it.
    fn keep(&self, read: ReadDocument<'a>) -> Arc<Document> {
        let ReadDocument { name: original, document, source, reserved, room, picture, .. } = read;
        let (usage, duration, parts) = (read.usage, read.duration, read.parts);
        let content = self.content;
        let document = content.documents.add(document, source, reserved, room);
        if let Some(picture) = picture {
            // With too many pictures it is not kept; a document that shows it gets an error.
            let _ = content.pictures.keep(&document.name, picture);
        }
        content.context.journal().document(&document, content.context.now());
        let call = self.requester.call();
        self.requester.emit(&Event::DocumentReady {
            call,
            document: document.clone(),
            usage,
            duration,
        });
        for mut part in parts {
            // The outer document may have a new name; its parts follow.
            if let Some(inside) = part.name.strip_prefix(&*original) {
                part.document.name = format!("{}{inside}", document.name);
            }
            self.keep(part);
        }
        document
    }

    fn note(&self, name: &str, error: &Error) {
        let context = &self.content.context;
        context.journal().document_failed(name, error, context.now());
    }

    /// Reads a file and shrinks the document to its final size. `file` is the charge for its bytes, `memory` the account for the
    /// rest; `on_compiling` is called if the reader must be compiled first.
    async fn identify_and_read(
        &self,
        name: &str,
        bytes: Vec<u8>,
        file: Charge,
        (memory, on_compiling, rows): (&Account, OnCompiling<'_>, Rows),
        has_source: bool,
    ) -> Result<(Document, Parts, Option<Usage>)> {
        let limits = self.content.context.host().session_limits();
        let (limit, of_table) = (limits.document_characters, limits.table_characters);
        let accounts = IngestAccounts {
            memory: memory.clone(),
            tables: self.content.documents.account(),
            characters: of_table,
            rows,
        };
        let host = self.content.context.host();
        let registry = self.requester.registry();
        let readers = Readers {
            registry: &registry,
            environment: host.environment(),
            limits: &|limits| host.limits_of(limits),
            memory,
            tables: &accounts.tables,
            on_compiling,
            rows: &accounts.rows,
            ocr: host.ocr(),
            budget: &self.budget,
        };
        let password = self.options.password.as_deref();
        let mut read = self.identify(name, bytes, None, (file, &accounts)).await?;
        let mut is_unlocked = false;
        if let ChargedFile::Unparsed(unparsed, file) = read {
            is_unlocked = ingest::is_locked(&unparsed);
            read = if is_unlocked {
                let (bytes, charge, origin) = ingest::unlock(&readers, unparsed, password).await?;
                drop(file);
                self.identify(name, bytes, Some(origin), (charge, &accounts)).await?
            } else {
                ChargedFile::Unparsed(unparsed, file)
            };
        }
        let (unparsed, file) = match read {
            ChargedFile::Text(document) => return Ok((document, Parts::default(), None)),
            ChargedFile::Unparsed(unparsed, file) => (unparsed, file),
        };
        // Rules cannot check what was not read.
        let has_rules = self.content.guard.check().is_some();
        let is_left_unread = self.options.without_text && has_source && !has_rules;
        if is_left_unread && !is_unlocked && !ingest::may_be_encrypted(&unparsed) {
            return Ok((ingest::blank(&unparsed), Parts::default(), None));
        }
        if ingest::is_bare_text(&registry, &unparsed).await? {
            let is_small = ingest::size(&unparsed) <= INLINE_BYTES;
            let source_accounts = accounts.clone();
            let source = move || {
                let (mut document, charge) = ingest::bare_text(unparsed, &source_accounts)?;
                shorten(&mut document, limit);
                drop((charge, file));
                Ok(document)
            };
            let document =
                if is_small { source()? } else { self.content.elsewhere(source).await? };
            return Ok((document, Parts::default(), None));
        }
        let blank = ingest::blank(&unparsed);
        let keeps_unread = self.options.keeps_unread && !has_rules;
        let is_kept = |problem: Option<&str>| match problem {
            // Tools can edit a file without any text, such as a template of slides.
            Some(EMPTY) => true,
            Some("corrupt" | "needs-ocr") => keeps_unread,
            _ => false,
        };
        let read = match ingest::read(&readers, unparsed, password).await {
            Err(error) if has_source && is_kept(error.input_problem()) => {
                let mut document = blank;
                document.warnings.push(error.message().to_owned());
                return Ok((document, Parts::default(), None));
            }
            read => read?,
        };
        let ReadFile { mut document, parts, usage } = read;
        drop(file);
        let shorten = move || {
            ingest::show_only_table(&mut document, of_table);
            shorten(&mut document, limit);
            Ok(document)
        };
        Ok((self.content.elsewhere(shorten).await?, parts, Some(usage)))
    }
}

impl Ingestion<'_> {
    /// Identifies a file, and reads it if it is a text. `file` is the charge for its bytes.
    async fn identify(
        &self,
        name: &str,
        bytes: Vec<u8>,
        origin: Option<Origin>,
        (file, accounts): (Charge, &IngestAccounts),
    ) -> Result<ChargedFile> {
        let limit = self.content.context.host().session_limits().document_characters;
        let is_small = bytes.len() as u64 <= INLINE_BYTES;
        let (name, accounts, budget) = (name.to_owned(), accounts.clone(), self.budget.clone());
        // The charges move into the work, which may outlive its caller.
        let identify = move || {
            let start = Instant::now();
            let identified = ingest::identify(&name, bytes, origin, &accounts);
            budget.spend(start.elapsed());
            Ok(match identified? {
                IdentifiedFile::Text(mut document, charge) => {
                    shorten(&mut document, limit);
                    drop((charge, file));
                    ChargedFile::Text(document)
                }
                IdentifiedFile::Unparsed(unparsed) => ChargedFile::Unparsed(unparsed, file),
            })
        };
        if is_small { identify() } else { self.content.elsewhere(identify).await }
    }
}

/// Returns the name of an inner file without backslashes, `.`, `..`, empty parts and line breaks.
pub(super) fn part_name(name: &str) -> String {
    let name = name.replace('\\', "/");
    let parts = name.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
    let name = parts.map(text::one_line).collect::<Vec<_>>().join("/");
    if name.is_empty() { "unnamed".to_owned() } else { text::shortened(&name, PART_NAME) }
}

/// Identified file, with the charge for its bytes. A text has been read.
enum ChargedFile {
    Text(Document),
    Unparsed(UnparsedFile, Charge),
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Host, SessionOptions};
    use mitt_base::BlockingLimits;

    /// Another caller holds the only place for blocking work, so a large file is refused after the wait.
    #[tokio::test]
    async fn large_files_wait_for_a_place_among_the_blocking_work() {
        let wait = Duration::from_millis(50);
        let limits = BlockingLimits { places: 1, per_tenant: 1, wait, ..BlockingLimits::default() };
        let host =
            Host::builder().no_cache().bundled_skills(false).blocking(limits).build().unwrap();
        let session = host.session(SessionOptions::default()).unwrap();
        let files =
            [("a.csv", "a,b\n1,2\n"), ("a.md", "# One\n\ntwo\n"), ("a.txt", "some words\n")];
        let large = |line: &str| line.repeat(200_000 / line.len()).into_bytes();
        let before = host.memory().used;
        let permit = host.blocking().acquire("somebody else").await.unwrap();
        for (name, line) in files {
            let error = session.add_document_bytes(name, large(line)).await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{name}: {error}");
            assert!(error.to_string().contains("files to read or render"), "{error}");
        }
        // Unsupported files wait as well, because their digest takes long.
        let error = session.add_document_bytes("a.bin", vec![0; 200_000]).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{error}");
        assert_eq!(host.memory().used, before);
        assert!(session.add_document_bytes("a.csv", b"a,b\n1,2\n".to_vec()).await.is_ok());
        drop(permit);
        for (name, line) in files {
            let document = session.add_document_bytes(name, large(line)).await.unwrap();
            assert!(document.characters > 90_000, "{name}");
        }
    }

    /// Tables, Markdown and old encodings give the same document in the sandbox and in the host.
    #[cfg(all(feature = "bundled", feature = "compile"))]
    #[tokio::test]
    async fn texts_are_the_same_with_and_without_their_reader() {
        let files: [(&str, &[u8]); 4] = [
            ("a.csv", "报告\n\nA;Menge;Preis\nS;1.250;0,05\nM;\"open;2\n".as_bytes()),
            ("a.md", "# 年报\n\n| a | b |\n|---|---|\n| 1 | x |\n".as_bytes()),
            ("a.txt", b"Gr\xf6\xdfe und L\xe4nge der Stra\xdfe"),
            ("b.csv", b"a,b\n1,2\n"),
        ];
        let mut shown = Vec::new();
        for bundled in [true, false] {
            let host = Host::builder().no_cache().bundled_skills(bundled).build().unwrap();
            let session = host.session(SessionOptions::default()).unwrap();
            let mut all = Vec::new();
            for (name, bytes) in files {
                let document = session.add_document_bytes(name, bytes.to_vec()).await.unwrap();
                let rows: Vec<_> = document
                    .tables
                    .iter()
                    .map(|it| it.data.cells(0, 10).collect::<Vec<_>>())
                    .collect();
                all.push((document.text.clone(), document.warnings.clone(), rows));
            }
            shown.push(all);
        }
        assert_eq!(shown[0], shown[1]);
        assert!(shown[0][0].0.starts_with("报告\n\n| A | Menge | Preis |"), "{:?}", shown[0][0]);
    }

    /// A small archive with very wide rows is refused by name, and nothing of it is kept.
    #[cfg(all(feature = "bundled", feature = "compile"))]
    #[tokio::test]
    async fn texts_that_cost_much_are_refused_by_name() {
        let wide = "a,".repeat(4 << 20);
        let titles = format!("t{}\n", ",".repeat(60_000)).repeat(100);
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        for (name, text) in [("wide.csv", &wide), ("titles.csv", &titles)] {
            zip.start_file(name, options).unwrap();
            std::io::Write::write_all(&mut zip, text.as_bytes()).unwrap();
        }
        let zip = zip.finish().unwrap().into_inner();
        assert!(zip.len() < 60_000, "{}", zip.len());
        for bundled in [true, false] {
            let host = Host::builder().no_cache().bundled_skills(bundled).build().unwrap();
            let session = host.session(SessionOptions::default()).unwrap();
            let before = host.memory().used;
            let error = session
                .add_document_bytes("wide.csv", wide.clone().into_bytes())
                .await
                .unwrap_err();
            assert!(error.to_string().contains("line 1 has more than 16384 values"), "{error}");
            assert_eq!(host.memory().used, before);
            if bundled {
                let document = session.add_document_bytes("a.zip", zip.clone()).await.unwrap();
                let warnings = document.warnings.join("; ");
                assert!(warnings.contains("16384 values"), "{warnings}");
            }
        }
    }
}
