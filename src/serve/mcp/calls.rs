//! `tools/call` from the request to the answer, with progress, cancellation and approvals.
#![expect(
    deprecated,
    reason = "log messages leave the protocol after 2026-07-28, and clients have them until then"
)]

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, ContentBlock, InputResponses, LoggingLevel, LoggingMessageNotificationParam,
    NumberOrString, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::apps;
use super::audit::EndedCall;
use super::client::ClientSession;
use super::compiling::{self, CompilingNotes, MAX_COMPILING_WAIT};
use super::documents;
use super::elicitation::{self, ClientApprover, ElicitationSupport};
use super::files::FileReporting;
use super::options::Observed;
use super::pictures;
use super::raw_message::Base;
use super::results;
use super::server::Server;
use super::tool_lists::{ADD_DOCUMENT, LIST_DOCUMENTS};
use super::traces;
use mitt::offer::ToolMode;
use mitt::{ApprovalRequest, CallOptions, CallReport, Decision, Event, LogLevel, TableResults};
use mitt_base::digest::sha256;
use mitt_base::visible::{Lines, visible};
use mitt_base::{Error, ErrorKind};

/// Longest progress token, in bytes. Clients use counters, or the 36 characters of a UUID.
const MAX_PROGRESS_TOKEN: usize = 1_024;
/// Notes of a call that may wait to be sent.
const MAX_PENDING_NOTES: usize = 256;
/// After this many notes, at most one is sent per [`THROTTLED_INTERVAL`]: a script may make a thousand calls.
const UNTHROTTLED_NOTES: u64 = 100;
/// Least time between two notes after the first [`UNTHROTTLED_NOTES`] ones.
const THROTTLED_INTERVAL: Duration = Duration::from_millis(100);
/// Time for a client to read a note before it gets no more of them.
const NOTE_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for a client to read the notifications of a call before it gets the answer anyway.
pub(super) const NEWS_TIMEOUT: Duration = Duration::from_secs(5);

/// A message about a call.
enum Note {
    Progress(String),
    Log { tool: String, level: LogLevel, message: String },
}

/// Returns the message to the client for an event of its call.
fn note(event: &Event) -> Option<Note> {
    Some(match event {
        Event::CallStarted { tool, depth: 1.., .. } => Note::Progress(format!("calling {tool}")),
        Event::CallFinished { tool, depth: 1.., failure, .. } => Note::Progress(match failure {
            None => format!("{tool} done"),
            Some((kind, _)) => format!("{tool} failed: {kind}"),
        }),
        Event::AttemptEnded { tool, attempt, .. } => {
            Note::Progress(format!("attempt {} of {tool} ended", attempt.number))
        }
        Event::Compiling { skill, elapsed, usual, .. } => {
            Note::Progress(compiling_note(skill, *elapsed, *usual))
        }
        Event::Compiled { skill, duration, .. } => {
            Note::Progress(format!("{skill} compiled in {} s", duration.as_secs()))
        }
        Event::Rows { name, step, rows, of, .. } => Note::Progress(step.sentence(name, *rows, *of)),
        Event::Fetching { url, .. } => Note::Progress(format!("fetching {url}")),
        Event::DocumentStarted { name, .. } => Note::Progress(format!("reading {name}")),
        Event::Delivered { artifact, .. } => Note::Progress(format!("delivered {}", artifact.name)),
        Event::Log { tool, level, message, .. } => {
            // Clients display the text unchanged.
            let message = visible(message, Lines::Many).into_owned();
            Note::Log { tool: tool.clone(), level: *level, message }
        }
        _ => return None,
    })
}

/// Returns the progress note of a call that waits for `skill` to be compiled.
fn compiling_note(skill: &str, elapsed: Duration, usual: Duration) -> String {
    let (elapsed, usual) = (elapsed.as_secs(), usual.as_secs().max(1));
    match elapsed {
        0 => format!("compiling {skill}, usually {usual} s, once per machine"),
        _ => format!("compiling {skill}, usually {usual} s, once per machine; {elapsed} s so far"),
    }
}

/// A requested call.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) server: Server,
    pub(super) client: Arc<ClientSession>,
    pub(super) tool: String,
    /// `true` if it was named in the arguments of `call_tool`.
    pub(super) is_indirect: bool,
    /// The arguments, as JSON.
    pub(super) arguments: Arc<str>,
    pub(super) audience: Audience,
    pub(super) elicitation: ElicitationSupport,
    pub(super) parent: traces::Parent,
    /// Set if this call was made before and had to wait for an approval.
    pub(super) retried: Option<RetriedCall>,
}

/// What a client returns when it repeats a call.
#[derive(Clone)]
pub(super) struct RetriedCall {
    pub(super) state: String,
    pub(super) responses: Option<InputResponses>,
}

/// The receiver of a call's messages, and what it supports.
#[derive(Clone)]
pub(super) struct Audience {
    pub(super) peer: Peer<RoleServer>,
    pub(super) token: Option<ProgressToken>,
    /// `true` once the request is answered, after which no progress may follow.
    pub(super) is_answered: Arc<AtomicBool>,
    /// The least important messages of plugins that are sent.
    pub(super) level: Option<LoggingLevel>,
    /// `true` if the client shows the viewer of MCP Apps.
    pub(super) has_apps: bool,
    /// `true` if it accepts links to resources in results.
    pub(super) has_links: bool,
    /// `true` if results include pictures.
    pub(super) has_images: bool,
    /// `true` if it reads the content of a result that also has data.
    pub(super) reads_content: bool,
    /// The address at which browsers reach the server, if they do.
    pub(super) base: Option<Base>,
}

impl Call {
    /// Makes the call. `cancelled` or the end of the session ends it, and its guest with it.
    pub(super) async fn make(
        self,
        cancelled: &CancellationToken,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.server.is_closing() {
            return Ok(results::failed(&closing(), self.characters()).into());
        }
        if self.tool == ADD_DOCUMENT
            && let Some(base) = self.base()
            && let Some(answer) = documents::upload(&self.arguments, |name| {
                self.server.links().upload_url(&base.0, &self.client, name)
            })
        {
            self.observe("ok", Instant::now(), None);
            return Ok(answer.into());
        }
        let decided = match &self.retried {
            None => None,
            Some(retried) => {
                let id = elicitation::waiting_call_id(
                    self.server.codec(),
                    &retried.state,
                    &self.binding(),
                )?;
                match elicitation::user_decision(retried.responses.as_ref()) {
                    Some(decision) => Some((id, decision)),
                    None => return Ok(self.repeat_question(&id)),
                }
            }
        };
        let _counted = self.server.calls().token();
        let begun = Instant::now();
        let span = traces::call(&self.tool, self.client.session.tenant(), &self.parent);
        let mut notes = Vec::new();
        let (waits, waited) = compiling::watch();
        // A call that a user has approved is made, however long it takes.
        let is_impatient = self.audience.token.is_none() && decided.is_none();
        let mut waits_for = None;
        let report = {
            let called = async {
                if self.tool != ADD_DOCUMENT && self.tool != LIST_DOCUMENTS {
                    tokio::select! {
                        read = self.read_files() => notes = read,
                        component = self.client.compiling_watch().after(begun + MAX_COMPILING_WAIT), if is_impatient => {
                            waits.set(component);
                            // The code outside of this future gives the answer.
                            std::future::pending::<()>().await;
                        }
                    }
                }
                self.called(decided, waits).await
            };
            let call = pin!(called.instrument(span.clone()));
            tokio::select! {
                biased;
                () = cancelled.cancelled() => None,
                () = self.client.ended().cancelled() => None,
                report = call => Some(report),
                component = waited.after(begun + MAX_COMPILING_WAIT), if is_impatient => {
                    waits_for = Some(component.error());
                    None
                }
            }
        };
        let outcome = match report.as_ref().map(CallReport::failure) {
            None if waits_for.is_some() => "busy",
            None => "cancelled",
            Some(Some((kind, _))) => kind,
            Some(None) => "ok",
        };
        traces::ended(&span, outcome, report.as_ref());
        self.observe(outcome, begun, report.as_ref());
        match report {
            Some(report) if report.approval.is_some() => Ok(self.paused(report)),
            Some(report) => self.answered(report, notes).await,
            None => match waits_for {
                Some(error) => Ok(results::failed(&error, self.characters()).into()),
                None => Err(results::cancelled()),
            },
        }
    }

    /// Returns `true` if the list of tools has no schemas of results.
    fn is_listed_short(&self) -> bool {
        let mode = self.server.options().tools;
        mode != ToolMode::All && mode.within(&self.client.session.registry()) != ToolMode::All
    }

    /// Returns the pictures for the answer.
    async fn pictures(&self, report: &CallReport) -> Vec<ContentBlock> {
        let names = if self.audience.has_images {
            pictures::of(&report.artifacts)
        } else {
            return Vec::new();
        };
        if names.is_empty() {
            return Vec::new();
        }
        let session = self.client.session.clone();
        // If memory is short, the answer has a link and no picture.
        let charge = self.server.host().charge(session.tenant(), pictures::WORKING_BYTES);
        let Ok(charge) = charge else { return Vec::new() };
        let read = move |name: &str| session.artifact_content(name);
        // A panic in a decoder loses the pictures, not the answer.
        let shown = tokio::task::spawn_blocking(move || {
            let _charge = charge;
            pictures::shown(&names, read)
        });
        shown.await.unwrap_or_default()
    }

    /// Returns the address for browsers, if links are enabled.
    fn base(&self) -> Option<&Base> {
        self.audience.base.as_ref().filter(|_| !self.server.options().link_life.is_zero())
    }

    /// Reads the files of the server's folders that the arguments name. Returns notes for the user.
    async fn read_files(&self) -> Vec<String> {
        let most = self.server.host().session_limits().document_bytes;
        let folders = self.server.folders();
        // Most servers have no folders, and the future is large.
        if folders.is_empty() {
            Vec::new()
        } else {
            let (session, read) = (&self.client.session, &self.client.read_files);
            Box::pin(folders.read_named(session, read, &self.arguments, most)).await
        }
    }

    /// Returns the response for a call that has ended. `notes` concern the files that the server read for the call.
    async fn answered(
        &self,
        mut report: CallReport,
        mut notes: Vec<String>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Err(error) = &report.result
            && self.is_indirect
            && *error.kind() == ErrorKind::UnknownTool
        {
            // The tool that the protocol knows exists; the model must fix the arguments.
            return Ok(results::failed(error, self.characters()).into());
        }
        if let Some(error) = report.failed()
            && ["no document", "no such table"].iter().any(|it| error.to_string().contains(it))
        {
            notes.extend(self.server.folders().hint());
        }
        let link = documents::link(&report, &self.client.session);
        if link.is_some() || !report.artifacts.is_empty() {
            self.client.flush_news(NEWS_TIMEOUT).await;
        }
        let pictures = self.pictures(&report).await;
        let url = |name: &str| {
            let base = self.base()?;
            Some(self.server.links().url(&base.0, &self.client, name))
        };
        // The list of all tools has schemas of results, in which every member is required.
        if self.is_listed_short() {
            report.leave_out_measures();
        }
        let view = if self.audience.has_apps {
            let session = &self.client.session;
            apps::view(self.server.previews(), session, &report.artifacts, &url).await
        } else {
            None
        };
        let folder = self.client.session.folder();
        let reporting = FileReporting { folder, url: &url, has_links: self.audience.has_links };
        let mut answer = results::answer(report, self.characters(), &reporting)?;
        if !pictures.is_empty() && !self.audience.reads_content {
            // If there is data, the client passes on nothing else, and the pictures would be lost.
            answer.structured_content = None;
        }
        if let Some((name, view)) = view {
            answer.meta.get_or_insert_default().insert(name, view);
        }
        if self.audience.has_apps {
            apps::add_table(&mut answer);
        }
        answer.content.extend(pictures);
        answer.content.extend(link.filter(|_| reporting.has_links));
        if !notes.is_empty() {
            answer.content.push(ContentBlock::text(notes.join("\n")));
        }
        Ok(answer.into())
    }

    /// Asks the client for the approval that a call waits for, if it can be asked.
    fn paused(&self, report: CallReport) -> CallToolResponse {
        match (&self.elicitation, report.approval) {
            (ElicitationSupport::BetweenRequests, Some(request)) => self.ask(&request),
            (_, request) => {
                let tool = request.map_or_else(|| self.tool.clone(), |request| request.tool);
                let message = format!("`{tool}` needs an approval, and the client can ask nobody");
                let error = Error::new(ErrorKind::Paused, message).hint(format!(
                    "call `{tool}` by itself, not in a script, so that the client can ask its user; or use a client with elicitation"
                ));
                results::failed(&error, self.characters()).into()
            }
        }
    }

    fn ask(&self, request: &ApprovalRequest) -> CallToolResponse {
        match elicitation::ask(self.server.codec(), request, &self.binding()) {
            Ok(question) => question.into(),
            Err(error) => {
                // Nobody will decide about this call any more, so it must not take the place of one that can be decided.
                self.client.session.withdraw(&request.id);
                results::failed(&error, self.characters()).into()
            }
        }
    }

    /// Handles a client that repeats the call without an answer.
    fn repeat_question(&self, id: &str) -> CallToolResponse {
        let mut pending = self.client.session.pending().into_iter();
        match pending.find(|request| request.id == id) {
            Some(request) => self.ask(&request),
            None => {
                let error = Error::new(ErrorKind::Paused, "the call does not wait any more")
                    .hint("make it anew, without `requestState`");
                results::failed(&error, self.characters()).into()
            }
        }
    }

    /// Returns what an answer must match: the session, the tool and the arguments.
    fn binding(&self) -> Vec<u8> {
        let arguments = sha256(self.arguments.as_bytes());
        [self.client.secret(), self.tool.as_bytes(), b"|", arguments.as_bytes()].concat()
    }

    /// Reports to the audit log and to the observer that this call has ended.
    pub(super) fn observe(
        &self,
        outcome: &'static str,
        begun: Instant,
        report: Option<&CallReport>,
    ) {
        let (duration, tenant) = (begun.elapsed(), self.client.session.tenant());
        let (fuel, peak_memory_bytes) =
            report.map_or((0, 0), |report| (report.usage.fuel, report.usage.peak_memory_bytes));
        tracing::debug!(tool = self.tool, tenant, outcome, ?duration, fuel, "call ended");
        let (tool, session) = (self.tool.as_str(), self.client.audit_id());
        let argument_bytes = self.arguments.len();
        EndedCall { tenant, session, tool, argument_bytes, outcome, duration, report }.log();
        if let Some(observer) = &self.server.options().observer {
            observer(&Observed { tool, tenant, outcome, duration, fuel, peak_memory_bytes });
        }
    }

    pub(super) fn characters(&self) -> u64 {
        self.server.host().session_limits().result_characters
    }

    /// Makes the call, and sends its messages to its audience.
    async fn called(
        &self,
        decided: Option<(String, Decision)>,
        waits: CompilingNotes,
    ) -> CallReport {
        let (sender, mut notes) = if self.audience.is_silent() {
            (None, None)
        } else {
            let (sender, notes) = mpsc::channel(MAX_PENDING_NOTES);
            (Some(sender), Some(notes))
        };
        let approver = Arc::new(ClientApprover::new(self.elicitation.clone()));
        let options = CallOptions::new().tables(TableResults::MODEL).approver(approver).events(
            move |event| {
                if let Event::CallFinished { tool, depth: 1.., failure, .. } = event {
                    traces::inside(tool, failure.as_ref().map(|(kind, _)| *kind));
                }
                waits.note(event);
                if let (Some(sender), Some(note)) = (&sender, note(event)) {
                    // A client that reads too slowly misses some notes.
                    let _ = sender.try_send(note);
                }
            },
        );
        let session = &self.client.session;
        let mut call = pin!(async {
            match decided {
                None => session.call_with(&self.tool, &self.arguments, options).await,
                // Rare, and as large as the call itself.
                Some((id, decision)) => Box::pin(session.resume_with(&id, decision, options)).await,
            }
        });
        let Some(notes) = &mut notes else { return call.await };
        let mut notifier =
            Notifier { audience: &self.audience, count: 0, last: None, has_stopped: false };
        let report = loop {
            tokio::select! {
                biased;
                report = &mut call => break report,
                Some(note) = notes.recv() => Box::pin(notifier.notify(note)).await,
            }
        };
        while let Ok(note) = notes.try_recv() {
            Box::pin(notifier.notify(note)).await;
        }
        report
    }
}

/// Returns the error of a call during the shutdown.
#[cold]
fn closing() -> Error {
    let retry_after = Duration::from_secs(5);
    Error::new(ErrorKind::Busy { retry_after }, "the server is about to end")
        .hint("connect anew, and make the call again")
}

impl Audience {
    fn is_silent(&self) -> bool {
        self.token.is_none() && self.level.is_none()
    }
}

/// Sends notes to the client, in order and at a limited rate.
struct Notifier<'a> {
    audience: &'a Audience,
    count: u64,
    last: Option<Instant>,
    has_stopped: bool,
}

impl Notifier<'_> {
    async fn notify(&mut self, note: Note) {
        if self.has_stopped {
            return;
        }
        let sent = tokio::time::timeout(NOTE_TIMEOUT, self.send(note)).await;
        self.has_stopped = sent.is_err();
    }

    async fn send(&mut self, note: Note) {
        let message = match note {
            Note::Progress(message) => message,
            Note::Log { tool, level, message } => {
                let level = importance(level);
                if self.audience.level.is_some_and(|least| rank(level) >= rank(least)) {
                    self.log(tool, level, &message).await;
                }
                message
            }
        };
        let Some(token) = &self.audience.token else { return };
        if self.audience.is_answered.load(Ordering::Relaxed) {
            return;
        }
        let now = Instant::now();
        let is_due = self.last.is_none_or(|last| now.duration_since(last) >= THROTTLED_INTERVAL);
        if self.count >= UNTHROTTLED_NOTES && !is_due {
            return;
        }
        self.count += 1;
        self.last = Some(now);
        #[expect(clippy::cast_precision_loss, reason = "a count of notes is far below 2^53")]
        let progress =
            ProgressNotificationParam::new(token.clone(), self.count as f64).with_message(message);
        // If the client is gone, the call is ended elsewhere.
        let _ = self.audience.peer.notify_progress(progress).await;
    }

    async fn log(&self, tool: String, level: LoggingLevel, message: &str) {
        let message =
            LoggingMessageNotificationParam::new(level, Value::from(message)).with_logger(tool);
        let _ = self.audience.peer.notify_logging_message(message).await;
    }
}

fn importance(level: LogLevel) -> LoggingLevel {
    match level {
        LogLevel::Debug => LoggingLevel::Debug,
        LogLevel::Info => LoggingLevel::Info,
        LogLevel::Warn => LoggingLevel::Warning,
        LogLevel::Error => LoggingLevel::Error,
    }
}

/// Returns the importance of a level; more important levels have higher numbers.
fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

/// Returns the progress token of a request. It is repeated in every note, so a long one would be sent a hundred times.
pub(super) fn progress_token(
    context: &RequestContext<RoleServer>,
) -> Result<Option<ProgressToken>, ErrorData> {
    let token = context.meta.get_progress_token();
    let is_long = |token: &ProgressToken| match &token.0 {
        NumberOrString::String(text) => text.len() > MAX_PROGRESS_TOKEN,
        NumberOrString::Number(_) => false,
    };
    if token.as_ref().is_some_and(is_long) {
        let message = format!("`_meta.progressToken`: expected at most {MAX_PROGRESS_TOKEN} bytes");
        return Err(ErrorData::invalid_params(message, None));
    }
    Ok(token)
}
