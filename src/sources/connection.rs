//! A server that is started on first use, shared by all calls, and restarted after it broke off.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mitt_base::{Error, ErrorKind, Remedy, Resource, Result, text};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientConfig, ErrorData,
    Implementation, JsonObject, PaginatedRequestParams, Tool,
};
use rmcp::service::{NotificationContext, RunningService, ServiceError, serve_client};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Mutex;

use super::answers::BoundedAnswers;
use super::config::Server;
use super::last_words::LastWords;
use super::listing::{Listing, MAX_TOOLS, OfferedTool};
use super::transport::{Pipe, pipe};

/// Most bytes of all pages of a list of tools, as JSON.
const MAX_LIST_BYTES: usize = 16 * 1024 * 1024;

/// Most pages of a list of tools that are requested.
const MAX_PAGES: usize = 32;

/// Failed starts in a row after which the server is not started for [`RESTART_PAUSE`].
const MAX_FAILURES: u32 = 3;

/// Time for which a server that keeps failing is not started.
const RESTART_PAUSE: Duration = Duration::from_secs(30);

/// What we are to a server: a name and a version, without any capability that it could use.
#[derive(Clone)]
struct Client {
    /// `true` if its tools may have changed since they were listed.
    is_stale: Arc<AtomicBool>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.client_info = Implementation::new("mitt", env!("CARGO_PKG_VERSION"));
        config
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.is_stale.store(true, Ordering::Release);
    }
}

/// A running server.
struct RunningServer {
    service: RunningService<RoleClient, Client>,
    words: LastWords,
    is_stale: Arc<AtomicBool>,
    /// What it offers; requested again when it says that it changed. Locked while it is requested.
    listing: Mutex<Arc<Listing>>,
}

/// Failed starts.
#[derive(Default)]
struct Failures {
    in_a_row: u32,
    last: Option<Instant>,
}

#[derive(Default)]
struct State {
    running: Option<Arc<RunningServer>>,
    failures: Failures,
}

impl Listing {
    /// Starts the server or connects to it, requests its tools, and ends it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - its description cannot be used, for example because a variable is
    /// not set. [`ErrorKind::Host`] - it cannot be started or reached, or does not speak MCP.
    pub async fn of(server: &Server) -> Result<Listing> {
        let connection = Connection::new(server.clone());
        let listing = connection.listing().await;
        connection.close().await;
        listing
    }
}

/// The one connection to a server.
pub(crate) struct Connection {
    server: Server,
    state: Mutex<State>,
}

impl Connection {
    pub(crate) fn new(server: Server) -> Connection {
        Connection { server, state: Mutex::default() }
    }

    /// Returns what the server offers now.
    pub(crate) async fn listing(&self) -> Result<Listing> {
        let running = self.running().await?;
        let listing = running.listed(&self.server).await?;
        Ok(Listing::clone(&listing))
    }

    /// Calls a tool that was approved in this form.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - the tool has changed since; [`ErrorKind::Host`] - the server cannot be started or reached;
    /// [`ErrorKind::Plugin`] - it answered with a protocol error.
    pub(crate) async fn call(
        &self,
        tool: &str,
        sha256: &str,
        arguments: JsonObject,
    ) -> Result<CallToolResult> {
        let running = self.running().await?;
        let listing = running.listed(&self.server).await?;
        self.check(listing.named(tool), tool, sha256)?;
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = Some(arguments);
        let answer = tokio::time::timeout(self.server.call, running.service.call_tool_once(params));
        let answer = answer.await.map_err(|_| {
            let most = u64::try_from(self.server.call.as_millis()).unwrap_or(u64::MAX);
            Error::limit(Resource::Time, most, most)
                .hint("raise `timeout` of the server in the file that names it")
        })?;
        match answer {
            Ok(CallToolResponse::Complete(result)) => Ok(result),
            Ok(_) => {
                let message = self.says("it asks for something that Mitt does not offer");
                Err(Error::tool(message))
            }
            Err(error) => Err(self.failed(&running, error).await),
        }
    }

    /// Ends the server. The next call starts it again.
    pub(crate) async fn close(&self) {
        let running = self.state.lock().await.running.take();
        // A call may still be waiting; then the server ends with the last call.
        if let Some(running) = running.and_then(Arc::into_inner) {
            let _ = running.service.cancel().await;
        }
    }

    fn says(&self, what: &str) -> String {
        format!("the MCP server `{}`: {what}", self.server.name)
    }

    /// Refuses a tool that differs from the approved one.
    fn check(&self, offered: Option<&OfferedTool>, tool: &str, sha256: &str) -> Result<()> {
        let again = Remedy::ApproveSourceAgain { name: self.server.name.clone() };
        match offered {
            Some(offered) if offered.sha256 == sha256 => Ok(()),
            Some(_) => {
                let message =
                    self.says(&format!("its tool `{tool}` has changed since it was approved"));
                Err(Error::new(ErrorKind::Denied, message).remedy(again))
            }
            None => {
                let message = self.says(&format!("it has no tool `{tool}` any more"));
                Err(Error::new(ErrorKind::Denied, message).remedy(again))
            }
        }
    }

    /// Returns the server, and starts it if it does not run. One call starts it, and the others wait.
    async fn running(&self) -> Result<Arc<RunningServer>> {
        let mut state = self.state.lock().await;
        if let Some(running) = &state.running {
            if !running.service.is_closed() && !running.service.is_transport_closed() {
                return Ok(running.clone());
            }
            state.running = None;
        }
        let Failures { in_a_row, last } = state.failures;
        if in_a_row >= MAX_FAILURES && last.is_some_and(|last| last.elapsed() < RESTART_PAUSE) {
            let message = self.says(&format!("it could not be started {in_a_row} times in a row"));
            let hint = format!(
                "it is tried again {} seconds after the last time",
                RESTART_PAUSE.as_secs()
            );
            return Err(Error::new(ErrorKind::Host, message).hint(hint).retryable(true));
        }
        match self.started().await {
            Ok(running) => {
                let running = Arc::new(running);
                state.failures = Failures::default();
                state.running = Some(running.clone());
                Ok(running)
            }
            Err(error) => {
                state.failures.in_a_row = in_a_row.saturating_add(1);
                state.failures.last = Some(Instant::now());
                Err(error)
            }
        }
    }

    async fn started(&self) -> Result<RunningServer> {
        let (pipe, words) = pipe(&self.server)?;
        let is_stale = Arc::new(AtomicBool::new(true));
        let client = Client { is_stale: is_stale.clone() };
        let serve = async {
            match pipe {
                Pipe::Child(child) => {
                    serve_client(client, BoundedAnswers::new(*child, words.clone())).await
                }
                Pipe::Http(http) => {
                    serve_client(client, BoundedAnswers::new(*http, words.clone())).await
                }
            }
        };
        let served = tokio::time::timeout(self.server.start, serve).await;
        let service = match served {
            Ok(Ok(service)) => service,
            Ok(Err(error)) => {
                let error = text::shortened(&text::one_line(&error.to_string()), 500);
                let message = self.says(&format!("it does not answer as a server of MCP: {error}"));
                let error = Error::new(ErrorKind::Host, message).retryable(true);
                return Err(with_last(error, &words).await);
            }
            Err(_) => {
                let seconds = self.server.start.as_secs();
                let message = self.says(&format!("it was not ready after {seconds} s"));
                let error = Error::new(ErrorKind::Host, message)
                    .hint("raise `startupTimeout` of the server in the file that names it");
                return Err(with_last(error, &words).await);
            }
        };
        let listing = Mutex::default();
        Ok(RunningServer { service, words, is_stale, listing })
    }

    /// Translates the error of a request. If the connection is lost, the next call starts the server again.
    async fn failed(&self, running: &RunningServer, error: ServiceError) -> Error {
        let said = text::shortened(&text::one_line(&error.to_string()), 500);
        if let ServiceError::McpError(_) = error {
            return Error::tool(self.says(&said));
        }
        let error = Error::new(ErrorKind::Host, self.says(&said)).retryable(true);
        let mut state = self.state.lock().await;
        if state.running.as_ref().is_some_and(|it| std::ptr::eq(&**it, running)) {
            state.running = None;
        }
        drop(state);
        with_last(error, &running.words).await
    }
}

/// Adds the last lines that the program wrote to the error.
async fn with_last(error: Error, words: &LastWords) -> Error {
    match words.summary().await {
        Some(said) => error.detail(format!("it said last: {said}")),
        None => error,
    }
}

/// A list of tools that is on its way. Without [`Requested::arrived`], the next call requests it again.
struct Requested<'a> {
    is_stale: &'a AtomicBool,
}

impl Requested<'_> {
    fn arrived(self) {
        std::mem::forget(self);
    }
}

impl Drop for Requested<'_> {
    fn drop(&mut self) {
        self.is_stale.store(true, Ordering::Release);
    }
}

impl RunningServer {
    /// Returns what the server offers, requested again if it may have changed. One call requests it, and the others wait.
    async fn listed(&self, server: &Server) -> Result<Arc<Listing>> {
        let mut listing = self.listing.lock().await;
        // The server may say that the list has changed again while it is on its way.
        if !self.is_stale.swap(false, Ordering::AcqRel) {
            return Ok(listing.clone());
        }
        let requested = Requested { is_stale: &self.is_stale };
        let listed = tokio::time::timeout(server.start, self.tools()).await;
        let tools = match listed {
            Ok(Ok(tools)) => tools,
            other => {
                let why = match other {
                    Ok(Err(error)) => text::shortened(&text::one_line(&error.to_string()), 500),
                    _ => format!("no answer within {} s", server.start.as_secs()),
                };
                let name = &server.name;
                let message = format!("the MCP server `{name}`: its tools cannot be listed: {why}");
                return Err(Error::new(ErrorKind::Host, message).retryable(true));
            }
        };
        let info = self.service.peer_info();
        let info = info.as_ref().and_then(|info| info.server_info.as_ref());
        let name = info.map(|it| format!("{} {}", it.name, it.version)).unwrap_or_default();
        let name = text::shortened(&text::one_line(&name), 120);
        *listing = Arc::new(Listing::new(server, name, tools));
        requested.arrived();
        Ok(listing.clone())
    }

    async fn tools(&self) -> Result<Vec<Tool>, ServiceError> {
        let (mut tools, mut cursor, mut bytes) = (Vec::new(), None, 0);
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let page = self.service.list_tools(Some(params)).await?;
            // Each page has a limit, but there may be many.
            let size = |tool| serde_json::to_string(tool).map_or(0, |text| text.len());
            bytes += page.tools.iter().map(size).sum::<usize>();
            if bytes > MAX_LIST_BYTES {
                let message = format!("the list of tools has more than {MAX_LIST_BYTES} bytes");
                return Err(ServiceError::McpError(ErrorData::internal_error(message, None)));
            }
            tools.extend(page.tools);
            cursor = page.next_cursor;
            // One more than the limit is enough to report that there are more.
            if cursor.is_none() || tools.len() > MAX_TOOLS {
                break;
            }
        }
        Ok(tools)
    }
}
