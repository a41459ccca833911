//! The public methods of a session. Each one hands its work to the part of the session that owns what it needs.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use mitt_guard::{Guard, Hit};
use mitt_table::Table;

use super::agent_view::AgentView;
use super::approval_request::{ApprovalRequest, Decision};
use super::call::{Inner, RootCall};
use super::call_id::CallId;
use super::content::{DocumentOptions, Requester};
use super::event::{Event, RowStep};
use super::options::CallOptions;
use super::report::CallReport;
use crate::host::Host;
#[cfg(doc)]
use mitt_base::ErrorKind;
use mitt_base::Result;
use mitt_base::memory::MemoryUsage;
use mitt_base::rows::Rows;
use mitt_skill::{Registry, RegistryInternal as _, ToolFilter, ToolName, capability::Artifact};
use mitt_types::{Document, EmbeddedFiles, WorkbookView};
use mitt_wit::value::Json;
use mitt_wit::value::wave;
#[cfg(doc)]
use mitt_wit::value::wave::WaveCall;

/// Handle of a session. It is cheap to clone; clones refer to the same session.
#[derive(Clone)]
pub struct Session {
    pub(super) inner: Arc<Inner>,
    /// View of an agent; `None` for the session itself.
    agent_view: Option<Arc<AgentView>>,
}

impl Session {
    /// Returns the host of the session.
    pub fn host(&self) -> &Host {
        self.inner.context.host()
    }

    /// Returns the tenant that owns the session.
    pub fn tenant(&self) -> &str {
        self.inner.context.tenant()
    }

    /// Returns the skills that the session sees now: those of the host, with the overlays of its tenant. The returned snapshot
    /// does not change.
    pub fn registry(&self) -> Registry {
        self.inner.registry_for(self.agent_view.as_deref())
    }

    /// Returns the host memory that the session and its running calls hold now, and the most that they ever held.
    pub fn memory(&self) -> MemoryUsage {
        self.inner.context.account().usage()
    }

    /// Returns whether the session has no documents after the first `given` ones, and holds nothing that a caller could return
    /// for.
    pub fn is_blank(&self, given: usize) -> bool {
        let inner = &self.inner;
        inner.content.document_count() <= given
            && inner.delivery.list().is_empty()
            && inner.content.workspace(|workspace| workspace.list().is_empty())
            && inner.scripts.kept().is_empty()
            && self.handles().is_empty()
            && self.pending().is_empty()
    }
}

// Agents.
impl Session {
    /// Returns the same session for an agent with fewer tools. Its registry holds only the tools that pass `filter`, and
    /// those of the session that this is called on; that applies to the agent's own calls, to calls that its tools make, and to
    /// the tool modules of its scripts. For a read-only agent, scripts cannot write to the workspace and no tool delivers files.
    ///
    /// The agent shares documents, tables, results, workspace, files, journal, memory and limits with this session, but not the
    /// variables that scripts keep with `state: session`. Its events arrive as [`Event::InAgent`] with its number, and journal
    /// entries of its calls have the number, too.
    #[must_use]
    pub fn for_agent(&self, filter: ToolFilter) -> Session {
        let agent = self.inner.agents.fetch_add(1, Ordering::Relaxed) + 1;
        let agent_view = AgentView::new(self.agent_view.as_deref(), filter, agent);
        Session { inner: self.inner.clone(), agent_view: Some(Arc::new(agent_view)) }
    }

    /// Returns the number of the agent that this handle belongs to; `None` for the session itself.
    pub fn agent(&self) -> Option<u64> {
        self.agent_view.as_ref().map(|view| view.agent)
    }

    /// Returns whether this handle is for an agent that may only read.
    pub fn reads_only(&self) -> bool {
        self.agent_view.as_ref().is_some_and(|view| view.reads_only())
    }
}

// Journal and events.
impl Session {
    /// Returns the journal so far: a JSON object for each entry, in order.
    pub fn journal(&self) -> Vec<serde_json::Value> {
        self.inner.context.journal().entries()
    }

    /// Adds a journal entry for a step of the session's owner, such as a model's turn.
    pub fn note(&self, kind: &str, mut details: serde_json::Value) {
        if let (Some(agent), Some(details)) = (self.agent(), details.as_object_mut()) {
            details.insert("agent".to_owned(), agent.into());
        }
        let context = &self.inner.context;
        context.journal().note(kind, details, context.now());
    }

    /// Sends an event to the listeners of the session.
    pub fn emit(&self, event: &Event) {
        self.inner.context.emit(&self.tagged(event));
    }

    /// Returns the event as listeners receive it: wrapped with the number of the agent, if this handle belongs to one.
    pub fn tagged<'e>(&self, event: &'e Event) -> Cow<'e, Event> {
        match &self.agent_view {
            Some(view) => Cow::Owned(view.tagged(event)),
            None => Cow::Borrowed(event),
        }
    }

    /// Returns the current guard of this session: the rules of the host and of the tenant. Apply it to content that is shown
    /// without passing through a call or a document, such as a model's answer.
    pub fn guard(&self) -> Guard {
        self.inner.guard.rules()
    }

    /// Records in the journal what the guard found in `place`: rules and counts, without the text.
    pub fn note_found(&self, place: &str, hits: &[Hit]) {
        self.inner.guard.note_found(hits, place);
    }
}

// Documents, tables and pictures.
impl Session {
    /// Returns the documents, in the order in which they were added.
    pub fn documents(&self) -> Vec<Arc<Document>> {
        self.inner.content.documents()
    }

    /// Reads a file and adds it to the documents.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the file is missing, unreadable, damaged, encrypted or of an unsupported type.
    /// [`ErrorKind::Limit`] - it is too large, its reader reached a limit, or what was read does not fit the documents
    /// or the memory of the session.
    pub async fn add_document(&self, path: &Path) -> Result<Arc<Document>> {
        self.add_document_with(path, &DocumentOptions::default()).await
    }

    /// Like [`Session::add_document`], with options.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document`].
    pub async fn add_document_with(
        &self,
        path: &Path,
        options: &DocumentOptions,
    ) -> Result<Arc<Document>> {
        self.inner.content.add_file(path, options, self).await
    }

    /// Adds a file that is in memory already to the documents. If the name is taken, the document gets a number.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document`].
    pub async fn add_document_bytes(&self, name: &str, bytes: Vec<u8>) -> Result<Arc<Document>> {
        self.add_document_bytes_with(name, bytes, &DocumentOptions::default()).await
    }

    /// Like [`Session::add_document_bytes`], with options.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document`].
    pub async fn add_document_bytes_with(
        &self,
        name: &str,
        bytes: Vec<u8>,
        options: &DocumentOptions,
    ) -> Result<Arc<Document>> {
        self.inner.content.add_document(name, bytes, options, self).await
    }

    /// Fetches a document and adds it to the documents. Its first metadata entry is `url`, its address. If the server declares
    /// another media type than the content has, the document gets a warning.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) with the outcome `fetch-refused` - the host, its address or the protocol
    /// is not allowed, or there is no fetcher ([`HostBuilder::fetch`](crate::HostBuilder::fetch), [`DocumentOptions::fetch`]).
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) with the outcome `fetch-failed` - the document could not be fetched.
    /// Otherwise the same as [`Session::add_document`].
    pub async fn add_document_url(
        &self,
        url: &str,
        options: &DocumentOptions,
    ) -> Result<Arc<Document>> {
        self.inner.content.add_url(url, options, self).await
    }

    /// Adds a table to the documents, under a name such as `sales`, by which calls refer to it: `{"$ref": "sales"}`. If the name
    /// is taken, the document gets a number. The table is copied and charged to the session, as a file that was read is.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the name is not a valid file name. [`ErrorKind::Limit`] - there are too many documents, or the
    /// table exceeds the memory for documents.
    pub async fn add_table(&self, name: &str, table: &Table) -> Result<Arc<Document>> {
        self.inner.content.add_table(name, table, self).await
    }

    /// Does what [`Session::add_table`] does for Arrow record batches of one schema. [`mitt_table::arrow`] lists how each type
    /// is converted. What the table does not keep, such as the time zone of a column, is a warning of the document.
    ///
    /// ```
    /// # #[cfg(all(feature = "bundled", feature = "compile"))]
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
    ///
    /// let amounts: ArrayRef = std::sync::Arc::new(Int64Array::from(vec![3, 4]));
    /// let batch = RecordBatch::try_from_iter([("amount", amounts)]).unwrap();
    /// let session = mitt::Host::builder().build()?.session(mitt::SessionOptions::default())?;
    /// session.add_arrow("sales", vec![batch]).await?;
    /// let query = r#"{"sql": "SELECT sum(amount) AS total FROM sales"}"#;
    /// let named = mitt::TableResults::Named { cells: 0, first_rows: 0 };
    /// let options = mitt::CallOptions::default().tables(named);
    /// session.call_with("sql_tool__query", query, options).await.result?;
    /// assert_eq!(session.table("t:1")?.to_arrow()?.num_rows(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_table`]. Also [`ErrorKind::Input`] - a column has a type or value that a table cannot hold, or a
    /// column name is empty or occurs twice; the error names the column.
    #[cfg(feature = "arrow")]
    pub async fn add_arrow(
        &self,
        name: &str,
        batches: Vec<arrow_array::RecordBatch>,
    ) -> Result<Arc<Document>> {
        self.inner.content.add_arrow(name, batches, self).await
    }

    /// Reads how a workbook (xlsx, xlsm) looks, for a person who looks at it. It does not become a document. The session is
    /// charged for the view until it is dropped. Returns `None` for a file of another type, and if no skill reads looks.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document_bytes`].
    pub async fn workbook_view(&self, name: &str, bytes: &[u8]) -> Result<Option<WorkbookView>> {
        self.inner.content.workbook_view(name, bytes, self).await
    }

    /// Reads the files inside of a file, as they are: attachments of a PDF file or a mail, members of an archive. They do not become
    /// documents. `password` opens an encrypted PDF file or archive. The session is charged for their bytes until the result is dropped.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document_bytes`]. Also [`ErrorKind::Blocked`] - the session has rules about content, which do not look at
    /// such bytes.
    pub async fn embedded_files(
        &self,
        name: &str,
        bytes: &[u8],
        password: Option<&str>,
    ) -> Result<EmbeddedFiles> {
        self.inner.content.embedded_files(name, bytes, password, self).await
    }

    /// Returns the table that `reference` names: a document, one of its tables, or a result, as in a call (`sales.csv`,
    /// `book.xlsx#Sheet2`, `t:3`). Nothing is copied; the table is charged to the session until it is dropped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no such table; the error lists the tables that exist.
    pub fn table(&self, reference: &str) -> Result<Table> {
        self.inner.content.table(reference)
    }

    /// The names of all tables that calls can name, those of documents first: `a.csv`, `b.xlsx#Sheet2`, `t:3`.
    pub fn table_names(&self) -> Vec<String> {
        let entries = self.inner.content.table_entries();
        entries.into_iter().map(|entry| entry.reference).collect()
    }

    /// Returns the number that the next result table gets, from 1: `3` of `t:3`.
    pub fn next_table(&self) -> u64 {
        self.inner.content.next_table()
    }

    /// Makes `next` the number of the next result table, so that references of an earlier session stay unambiguous, or so that
    /// repeated work produces the same references.
    pub fn number_tables_from(&self, next: u64) {
        self.inner.content.number_tables_from(next);
    }

    /// Adds a picture that documents of this session can show by its name: PNG, JPEG, GIF or WebP. It replaces a picture of the
    /// same name, and is charged to the documents of the session while the session is open.
    ///
    /// A picture that is added as a document is kept as well, next to the text that was recognised in it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the file is not such a picture, or the name is not valid. [`ErrorKind::Limit`] - it has more than
    /// 20 MiB, there are 200 pictures already, or they have more than 64 MiB together; or there is no memory for it.
    pub fn add_picture(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.inner.content.add_picture(name, bytes)
    }
}

// Delivered files.
impl Session {
    /// Returns the delivered files, in the order of their first delivery.
    pub fn artifacts(&self) -> Vec<Artifact> {
        self.inner.delivery.list()
    }

    /// Returns the content of an artifact.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - there is no artifact of this name.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - its file was removed or cannot be read.
    pub fn artifact_content(&self, name: &str) -> Result<Vec<u8>> {
        self.inner.delivery.artifact_bytes(name)
    }

    /// Returns the folder of the artifacts; `None` if they are in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.inner.delivery.folder()
    }

    /// Delivers the text files of the workspace (`.md`, `.txt`, `.csv`, `.json`) as artifacts of the same names. Returns the
    /// result for each file of the workspace.
    ///
    /// Call it when the work is done. The files also stay in the workspace.
    ///
    /// # Errors
    ///
    /// For each file: [`ErrorKind::Input`] - the file has another extension. [`ErrorKind::Plugin`] - a tool has delivered a file
    /// of this name, or the folder has one that may not be replaced. [`ErrorKind::Host`] - the file cannot be written.
    pub fn deliver_workspace(&self) -> Vec<(String, Result<Artifact>)> {
        self.inner.delivery.deliver_workspace()
    }
}

// Calls.
impl Session {
    /// Calls a tool with arguments as a JSON object.
    ///
    /// Returns a report whether or not the call succeeds; nothing is instantiated unless the arguments are valid. The call waits
    /// for a place if the host's [`ConcurrencyLimits`](mitt_base::ConcurrencyLimits) require it, and fails with
    /// [`ErrorKind::Busy`] if it gets none. It is attempted as often as the tool's [`ToolPolicy`](crate::skill::ToolPolicy) says.
    /// To cancel it, drop the future: that drops its store, its undelivered files and its place, and the journal records the
    /// cancellation.
    pub async fn call(&self, tool: &str, arguments: &str) -> CallReport {
        self.call_with(tool, arguments, CallOptions::default()).await
    }

    /// Like [`Session::call`], with options for this call.
    ///
    /// # Errors
    ///
    /// None; the report holds the error of a failed call.
    pub async fn call_with(&self, tool: &str, arguments: &str, options: CallOptions) -> CallReport {
        let root = RootCall::new(&self.inner.context, options, self.agent_view.clone());
        self.inner.run_root_call(tool, arguments, root).await
    }

    /// Makes `next` the number of the next call, unless a higher one was used, so that results of earlier sessions keep their
    /// names.
    pub fn number_calls_from(&self, next: u64) {
        self.inner.calls.number_from(next);
    }

    /// Calls a tool with a call in WAVE, such as `table-tool/sort([{a: 1}], [{column: "a", order: descending}])`;
    /// [`WaveCall::parse`] describes the syntax.
    ///
    /// The journal records it like [`Session::call`], with the hash of the arguments as JSON, or of the text if it cannot be
    /// parsed. The limits for JSON apply to the text and to the JSON.
    pub async fn call_wave(&self, text: &str) -> CallReport {
        self.call_wave_with(text, CallOptions::default()).await
    }

    /// Like [`Session::call_wave`], with options for this call.
    pub async fn call_wave_with(&self, text: &str, options: CallOptions) -> CallReport {
        self.inner.call_wave(text, options, self.agent_view.clone()).await
    }

    /// Formats a result of `tool` in WAVE, on one line: `()` if the tool returns nothing, `ok` if it returns nothing but may
    /// fail.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownTool`](mitt_base::ErrorKind::UnknownTool) - there is no such tool.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - `result` is not a result of this tool.
    pub async fn result_in_wave(&self, tool: &str, result: &Json) -> Result<String> {
        let tool = self.registry().tool(tool).await?;
        wave::result_text(&tool.function, result)
    }

    /// Returns the live handles of resources, in the order in which they were created, such as `h:reader:1`.
    pub fn handles(&self) -> Vec<String> {
        self.inner.calls.handles()
    }

    /// Drops a handle. The resource's destructor runs under the limits of a call; an instance ends with its last handle.
    ///
    /// Handles that are neither dropped nor consumed by a call live until the session ends. Their destructors do not run then.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Arguments`] - no such handle is live.
    /// - [`ErrorKind::Trap`], [`ErrorKind::Limit`] - the destructor crashed or reached a limit. All handles of its skill are gone
    ///   then.
    pub async fn drop_handle(&self, handle: &str) -> Result<()> {
        self.inner.drop_handle(handle, self.agent_view.clone()).await
    }
}

// Paused calls.
impl Session {
    /// Returns the requests of calls that wait for an approval, in the order of the calls. At most 16 are kept: after that, the
    /// oldest can no longer be resumed.
    pub fn pending(&self) -> Vec<ApprovalRequest> {
        self.inner.approvals.list()
    }

    /// Drops a call that waits for an approval, if there is nobody to decide.
    pub fn withdraw(&self, id: &str) {
        drop(self.inner.approvals.take(id));
    }

    /// Continues a paused call after a decision. Returns the report of the whole call.
    ///
    /// A script runs again from its beginning. Its calls to the session, clocks and random numbers up to the pause are answered
    /// from the record, so nothing happens twice. If the script does something else than before, it ends with an error that says
    /// so. [`Decision::Pause`] leaves the call waiting.
    ///
    /// An approval can be used once. It is refused if the tool's skill was replaced in the meantime.
    pub async fn resume(&self, id: &str, decision: Decision) -> CallReport {
        self.resume_with(id, decision, CallOptions::default()).await
    }

    /// Like [`Session::resume`], with options for this call, which replace those of the original call.
    pub async fn resume_with(
        &self,
        id: &str,
        decision: Decision,
        options: CallOptions,
    ) -> CallReport {
        self.inner.resume(id, decision, options).await
    }
}

// Scripts.
impl Session {
    /// Runs a script, as the tool `<language>__run` does. `language` is a language, or the name of an engine such as
    /// `python-lite`. `inputs` is a JSON object whose keys become variables of the script.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - no skill runs scripts of this language. An error of the script itself is in
    /// the report.
    pub async fn run_script(
        &self,
        language: &str,
        code: &str,
        inputs: Option<&serde_json::Map<String, serde_json::Value>>,
    ) -> Result<CallReport> {
        self.run_script_with(language, code, inputs, CallOptions::default()).await
    }

    /// Like [`Session::run_script`], with options for this call.
    ///
    /// # Errors
    ///
    /// Those of [`Session::run_script`].
    pub async fn run_script_with(
        &self,
        language: &str,
        code: &str,
        inputs: Option<&serde_json::Map<String, serde_json::Value>>,
        options: CallOptions,
    ) -> Result<CallReport> {
        let tool = self.script_tool(language)?;
        let mut arguments = serde_json::json!({ "code": code, "language": language });
        if let Some(inputs) = inputs {
            arguments["inputs"] = serde_json::Value::Object(inputs.clone());
        }
        Ok(self.call_with(tool.as_str(), &arguments.to_string(), options).await)
    }

    /// Returns the tool that runs scripts of `language`, or of the engine of this name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - no skill runs scripts of this language.
    pub fn script_tool(&self, language: &str) -> Result<ToolName> {
        self.registry().script_tool(language)
    }

    /// Returns the variables that scripts with `state: session` left in `engine`, sealed for [`Session::load_script_state`].
    /// `None` if there are none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Plugin`] - the engine cannot serialise its variables, or one of them.
    /// [`ErrorKind::Host`] - there is no private cache folder, whose secret seals them.
    /// [`ErrorKind::Limit`], [`ErrorKind::Trap`] - the engine reached a limit or crashed; the variables are gone then.
    /// [`ErrorKind::Load`] - there is no such engine.
    pub async fn dump_script_state(&self, engine: &str) -> Result<Option<Vec<u8>>> {
        let skill = self.registry().script(engine)?;
        self.inner.scripts.dump_state(&skill).await
    }

    /// Restores variables from [`Session::dump_script_state`] for scripts with `state: session`. Existing variables are replaced.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - the bytes were not sealed by this user's Mitt, or were sealed for another version of the engine.
    /// Otherwise the same as [`Session::dump_script_state`].
    pub async fn load_script_state(&self, engine: &str, sealed: &[u8]) -> Result<()> {
        let skill = self.registry().script(engine)?;
        self.inner.scripts.load_state(&skill, sealed, |event: &Event| self.emit(event)).await
    }
}

impl Session {
    /// Returns the handle of a session that has just been opened.
    pub(super) fn new(inner: Arc<Inner>) -> Session {
        Session { inner, agent_view: None }
    }
}

impl Requester for Session {
    fn call(&self) -> Option<CallId> {
        None
    }

    fn emit(&self, event: &Event) {
        Session::emit(self, event);
    }

    fn registry(&self) -> Registry {
        Session::registry(self)
    }

    fn rows_read(&self, name: String) -> Rows {
        // Work may outlive its caller, so it must not keep the session alive.
        let context = Arc::downgrade(&self.inner.context);
        Rows::new(move |rows| {
            let (name, step) = (name.clone(), RowStep::Reading);
            if let Some(context) = context.upgrade() {
                context.emit(&Event::Rows { call: None, name, step, rows, of: None });
            }
        })
    }
}
