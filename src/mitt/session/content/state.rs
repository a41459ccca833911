//! What a session holds, and who may ask for it.
//!
//! Knows each store by its methods. The other files of this folder add what reads into the stores.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use mitt_table::Table;

use super::super::context::SessionContext;
use super::super::guard::SessionGuard;
use super::documents::Documents;
use super::picture_store::PictureStore;
use super::results::Results;
use super::values::Values;
use super::workspace::Workspace;
use mitt_base::memory::Account;
use mitt_base::{Error, Result, lock};
use mitt_types::{Document, DocumentInternal as _};
use mitt_wit::value::Json;

/// Content of a session.
pub(in crate::session) struct Content {
    pub(super) context: Arc<SessionContext>,
    pub(super) guard: SessionGuard,
    pub(super) documents: Documents,
    pub(super) pictures: PictureStore,
    pub(super) results: Results,
    values: Values,
    workspace: Mutex<Workspace>,
}

impl Content {
    /// Largest source file of a document that is kept, in bytes: the limit for templates and for files that are edited.
    pub(in crate::session) const MAX_SOURCE: u64 = Documents::MAX_SOURCE;

    /// Returns the content of a new session. `keeps_sources` is `true` if files that tools can edit or fill are kept in
    /// addition to their documents.
    pub(in crate::session) fn new(
        context: Arc<SessionContext>,
        guard: SessionGuard,
        keeps_sources: bool,
    ) -> Content {
        let (limits, account) = (context.host().session_limits(), context.account());
        let documents = Documents::new(limits, account, keeps_sources);
        let (most_bytes, most_files) = (limits.workspace_bytes, limits.workspace_files);
        Content {
            pictures: PictureStore::new(documents.account()),
            documents,
            results: Results::default(),
            values: Values::default(),
            workspace: Mutex::new(Workspace::new(most_bytes, most_files, account.clone())),
            context,
            guard,
        }
    }

    /// Returns the documents, in the order in which they were added.
    pub(in crate::session) fn documents(&self) -> Vec<Arc<Document>> {
        self.documents.list()
    }

    /// Returns the number of documents.
    pub(in crate::session) fn document_count(&self) -> usize {
        self.documents.count()
    }

    /// Returns the account for documents and kept tables.
    pub(in crate::session) fn account(&self) -> Account {
        self.documents.account()
    }

    /// Returns the source file of the document of this name, if it is kept.
    pub(in crate::session) fn source_of(&self, name: &str) -> Option<Arc<[u8]>> {
        self.documents.source_of(name)
    }

    /// Adds the file of a document that another session has read, for a tool that reads the file itself. The document has no text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - tools get no files of this type, or it is too large. Those of limits.
    pub(in crate::session) fn add_source(&self, name: &str, bytes: &[u8]) -> Result<Arc<Document>> {
        let place = self.documents.place()?;
        let document = Document::empty(name, "");
        let charge = self.documents.room(&document)?;
        let Some(source) = self.documents.source(name, bytes) else {
            return Err(Error::input(format!("the file `{name}` is not kept for tools")));
        };
        Ok(self.documents.add(document, Some(source), place, charge))
    }

    /// Returns the names of documents whose source files are kept, at most fifty.
    pub(in crate::session) fn sources(&self) -> Vec<String> {
        self.documents.sources()
    }

    /// Returns the picture that was added under this name.
    pub(in crate::session) fn picture(&self, name: &str) -> Option<Arc<[u8]>> {
        self.pictures.get(name)
    }

    /// Returns `true` if a kept source file or a picture has this content.
    pub(super) fn has_file(&self, content: &[u8]) -> bool {
        self.documents.has_source(content) || self.pictures.has(content)
    }

    /// Gives `f` the workspace, while nobody else uses it.
    pub(in crate::session) fn workspace<R>(&self, f: impl FnOnce(&mut Workspace) -> R) -> R {
        f(&mut lock(&self.workspace))
    }

    /// Returns `arguments` with references replaced by the results that they name.
    ///
    /// # Errors
    ///
    /// Those of [`Values::put_in`].
    pub(in crate::session) fn put_in<'a>(&self, arguments: &'a str) -> Result<Cow<'a, str>> {
        self.values.put_in(arguments, self.context.host().session_limits())
    }

    /// Keeps the result of a call if it is long and there is memory for it. Returns its name then.
    pub(in crate::session) fn keep_result(&self, call: u64, result: &Json) -> Option<String> {
        self.values.keep(call, result, self.context.account())
    }

    /// Keeps a table that `tool` returned. Returns its reference.
    pub(in crate::session) fn keep_table(&self, tool: &str, table: Table) -> String {
        self.results.keep(tool, table)
    }

    /// Drops a kept table.
    pub(in crate::session) fn forget_table(&self, reference: &str) {
        self.results.forget(reference);
    }

    /// Returns the number that the next kept table gets.
    pub(in crate::session) fn next_table(&self) -> u64 {
        self.results.next()
    }

    /// Makes `next` the number of the next kept table.
    pub(in crate::session) fn number_tables_from(&self, next: u64) {
        self.results.number_from(next);
    }
}
