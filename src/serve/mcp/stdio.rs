//! One client over standard input and output, with a JSON-RPC message per line.
//!
//! rmcp has such a transport too. This one differs in four points. It keeps the text of arguments, so that no digit is lost.
//! It answers lines that cannot be read, where rmcp ends the service or stays silent. It refuses a request whose id is in
//! use, so that every request gets its own answer. And it writes waiting messages together.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex};

use rmcp::ErrorData;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions as _, GetMeta as _,
    JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{QuitReason, RoleServer, ServerInitializeError, serve_server_with_ct};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::client::ClientSession;
use super::guard::Connection;
use super::methods::REVISIONS;
use super::options::Client;
use super::raw_message::{Arguments, member, wants_answer, weigh};
use super::results;
use super::server::Server;
use mitt::Host;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result, lock};

/// Messages that may wait to be written.
const MAX_WAITING_MESSAGES: usize = 256;
/// Most bytes that are written at once.
const MAX_BATCH_BYTES: usize = 64 * 1024;
/// Bytes at the beginning of an overlong line that are searched for the id of its request.
const SEARCHED_HEAD_BYTES: usize = 64 * 1024;
/// Bytes at the end of an overlong line that are searched too, because the id may stand there.
const SEARCHED_TAIL_BYTES: usize = 512;
/// Longest line that every server accepts, in bytes; more if documents may be larger.
const MIN_LINE_LIMIT_BYTES: u64 = 16 * MIB;

impl Server {
    /// Serves one client over standard input and output, until it closes its side or `stop` is cancelled.
    ///
    /// # Errors
    ///
    /// Those of [`Host::session`], and errors of documents that cannot be read.
    pub async fn serve_stdio(&self, client: Client, stop: CancellationToken) -> Result<()> {
        let (input, output) = rmcp::transport::io::stdio_pipes();
        self.serve_over(client, stop, input, output).await
    }

    /// Does what [`Server::serve_stdio`] does over any pair of streams, such as those of a socket.
    ///
    /// # Errors
    ///
    /// Those of [`Server::serve_stdio`].
    pub async fn serve_over(
        &self,
        client: Client,
        stop: CancellationToken,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<()> {
        // Boxed, because the futures of callers would be too deep for the compiler.
        Box::pin(serve_over(self, client, stop, input, output)).await
    }
}

/// Serves one client over any pair of streams.
async fn serve_over<R, W>(
    server: &Server,
    client: Client,
    stop: CancellationToken,
    input: R,
    output: W,
) -> Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let whose = (server.host().clone(), client.tenant.clone());
    server.yield_to_protocol();
    let connection = server.connection(client);
    let session = connection.open().await?;
    // A document may come as base64 in one line.
    let documents = server.host().session_limits().document_bytes;
    let longest = MIN_LINE_LIMIT_BYTES.max(documents / 3 * 4 + MIB);
    let longest = usize::try_from(longest).unwrap_or(usize::MAX);
    let ends = (connection.gone().clone(), Some(session.clone()));
    let transport = Lines::new(input, output, longest, whose, ends);
    // Problems of the documents are errors of the server, not of the client.
    let documents = async {
        match session.ready().await {
            Ok(()) => std::future::pending().await,
            Err(error) => error,
        }
    };
    tokio::select! {
        biased;
        error = documents => Err(error),
        done = serve_lines(connection, transport, stop) => done,
    }
}

/// Answers the messages that come over `transport`.
async fn serve_lines<R>(
    connection: Connection,
    transport: Lines<R>,
    stop: CancellationToken,
) -> Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
{
    let service = match serve_server_with_ct(connection, transport, stop).await {
        Ok(service) => service,
        // The client closed the connection or cancelled before the handshake.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => {
            return Err(
                Error::new(ErrorKind::Host, "the client could not be served").caused_by(error)
            );
        }
    };
    match service.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(Error::bug(error)),
        Ok(_) => Ok(()),
    }
}

/// The transport.
struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    longest: usize,
    /// The host, and the tenant whose memory is charged for messages.
    whose: (Host, Option<String>),
    /// The last bytes of an overlong line, until its end is found.
    skipped: Option<Vec<u8>>,
    /// `true` after the client's first request: any other message before it would end rmcp's service.
    has_begun: bool,
    /// Cancelled when no more messages can come.
    gone: CancellationToken,
    /// The session that learns when the client is ready; `None` in tests.
    session: Option<Arc<ClientSession>>,
    answers: mpsc::Sender<Vec<u8>>,
    /// Our own message that waits to be sent, kept because `receive` may be dropped while it waits.
    unsent: Option<Vec<u8>>,
    in_flight: Arc<Mutex<HashSet<RequestId>>>,
    writer: Option<JoinHandle<()>>,
}

/// The kinds of lines.
enum Line {
    Whole,
    TooLong,
    End,
}

impl<R: AsyncRead + Send + Unpin + 'static> Lines<R> {
    fn new<W>(
        input: R,
        output: W,
        longest: usize,
        whose: (Host, Option<String>),
        (gone, session): (CancellationToken, Option<Arc<ClientSession>>),
    ) -> Lines<R>
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (answers, waiting) = mpsc::channel(MAX_WAITING_MESSAGES);
        Lines {
            input: BufReader::with_capacity(MAX_BATCH_BYTES, input),
            line: Vec::new(),
            longest,
            whose,
            skipped: None,
            has_begun: false,
            gone,
            session,
            answers,
            unsent: None,
            in_flight: Arc::default(),
            writer: Some(tokio::spawn(write(output, waiting))),
        }
    }

    /// Reads until a line is complete. If it is dropped in the middle, the next call continues there.
    async fn read_line(&mut self) -> io::Result<Line> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                return Ok(Line::End);
            }
            let end = memchr::memchr(b'\n', available);
            let taken = end.map_or(available.len(), |end| end + 1);
            let is_too_long = self.skipped.is_some() || self.line.len() + taken > self.longest;
            if is_too_long {
                let room = SEARCHED_HEAD_BYTES.saturating_sub(self.line.len()).min(taken);
                self.line.extend_from_slice(&available[..room]);
                self.line.truncate(SEARCHED_HEAD_BYTES);
                let tail = self.skipped.get_or_insert_default();
                tail.extend_from_slice(
                    &available[taken.saturating_sub(SEARCHED_TAIL_BYTES)..taken],
                );
                tail.drain(..tail.len().saturating_sub(SEARCHED_TAIL_BYTES));
            } else {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            if end.is_some() {
                return Ok(if is_too_long { Line::TooLong } else { Line::Whole });
            }
        }
    }

    /// Answers without asking the service.
    fn answer(&mut self, error: ErrorData, id: Option<RequestId>) {
        self.unsent = written(&ServerJsonRpcMessage::error(error, id));
    }

    /// Returns the message of the line, if it is for the service.
    fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        let line = self.line.trim_ascii();
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        let weighed = match weigh(&self.whose.0, self.whose.1.as_deref(), line) {
            Ok(weighed) => weighed,
            Err(error) => {
                // JSON-RPC has no answer to a message that is not a request.
                if wants_answer(line) {
                    let id = request_id(line);
                    self.answer(results::refused(&error), id);
                }
                return None;
            }
        };
        let parsed = serde_json::from_slice::<ClientJsonRpcMessage>(line);
        let mut message = match parsed {
            Ok(message) => message,
            Err(error) => {
                let (error, id) = unreadable(line, &error);
                self.answer(error, id);
                return None;
            }
        };
        match &mut message {
            JsonRpcMessage::Request(request) => {
                let is_new = self.in_flight().insert(request.id.clone());
                if !is_new {
                    let problem = format!("the request id {} is in use", request.id);
                    let id = request.id.clone();
                    self.answer(ErrorData::invalid_request(problem, None), Some(id));
                    return None;
                }
                self.has_begun |= begins(&request.request);
                request.request.extensions_mut().insert(weighed);
                if matches!(request.request, ClientRequest::CallToolRequest(_))
                    && let Some(arguments) = arguments(line)
                {
                    request.request.extensions_mut().insert(Arguments(arguments.into()));
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // It gets no answer, so its id is free again.
                    self.in_flight().remove(id);
                }
                if !self.has_begun {
                    return None;
                }
                // Noted here already, because the service may begin with the next call before it.
                if let ClientNotification::InitializedNotification(_) = &notification.notification
                    && let Some(session) = &self.session
                {
                    session.listens(true);
                }
            }
            _ if !self.has_begun => return None,
            _ => {}
        }
        Some(message)
    }

    fn in_flight(&self) -> std::sync::MutexGuard<'_, HashSet<RequestId>> {
        lock(&self.in_flight)
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.in_flight().remove(id);
        }
        let answers = self.answers.clone();
        async move {
            let bytes = written(&message)
                .ok_or_else(|| io::Error::other("a message that cannot be written"))?;
            answers.send(bytes).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.unsent.is_some() {
                let place = self.answers.reserve().await.ok()?;
                if let Some(bytes) = self.unsent.take() {
                    place.send(bytes);
                }
            }
            let line = match self.read_line().await {
                Ok(line) => line,
                Err(error) => {
                    tracing::error!(%error, "standard input cannot be read");
                    return None;
                }
            };
            let message = match line {
                Line::Whole => self.message(),
                Line::TooLong => {
                    let problem = format!("expected a message of at most {} bytes", self.longest);
                    let tail = self.skipped.take().unwrap_or_default();
                    let id = request_id(&self.line).or_else(|| last_id(&tail));
                    self.answer(ErrorData::invalid_request(problem, None), id);
                    None
                }
                // Bytes without a line end are not a message.
                Line::End => {
                    self.gone.cancel();
                    return None;
                }
            };
            self.line.clear();
            // Do not keep the memory of a large message.
            self.line.shrink_to(4 * MAX_BATCH_BYTES);
            if message.is_some() {
                return message;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // The writer ends when no sender is left, after it has written everything.
        self.answers = mpsc::channel(1).0;
        if let Some(writer) = self.writer.take() {
            let _ = tokio::time::timeout(std::time::Duration::from_secs(2), writer).await;
        }
        Ok(())
    }
}

/// Writes the messages that are sent, as many at once as are waiting.
async fn write<W: AsyncWrite + Unpin>(mut output: W, mut waiting: mpsc::Receiver<Vec<u8>>) {
    while let Some(mut bytes) = waiting.recv().await {
        while bytes.len() < MAX_BATCH_BYTES
            && let Ok(more) = waiting.try_recv()
        {
            bytes.extend_from_slice(&more);
        }
        let done = async {
            output.write_all(&bytes).await?;
            output.flush().await
        };
        if let Err(error) = done.await {
            tracing::debug!(%error, "standard output is closed");
            return;
        }
    }
}

/// Returns `true` if rmcp serves the client from this request on. Before it, anything but a request ends rmcp's service.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let version = meta.protocol_version();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && version.is_some_and(|version| REVISIONS.contains(&version))
        }
    }
}

fn written(message: &ServerJsonRpcMessage) -> Option<Vec<u8>> {
    let mut bytes = serde_json::to_vec(message)
        .inspect_err(|error| tracing::error!(%error, "a message cannot be written"))
        .ok()?;
    bytes.push(b'\n');
    Some(bytes)
}

/// Returns the error for a line that is not a message, and the id of its request if it can be found.
fn unreadable(line: &[u8], error: &serde_json::Error) -> (ErrorData, Option<RequestId>) {
    use serde_json::error::Category;

    match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => {
            (ErrorData::parse_error(format!("no JSON: {error}"), None), request_id(line))
        }
        Category::Data if line.first() == Some(&b'[') => {
            (ErrorData::invalid_request("batches are no part of the protocol", None), None)
        }
        Category::Data => {
            (ErrorData::invalid_request("no message of JSON-RPC 2.0", None), request_id(line))
        }
    }
}

/// Returns the text of `params.arguments`.
fn arguments(line: &[u8]) -> Option<&str> {
    let params = member(line, "params")?;
    std::str::from_utf8(member(params, "arguments")?).ok()
}

/// Returns the id of a request that may be damaged or cut off after it. `None` for a response, which cannot be answered.
fn request_id(line: &[u8]) -> Option<RequestId> {
    member(line, "method")?;
    serde_json::from_slice(member(line, "id")?).ok()
}

/// Returns the id of a request at the end of `tail`.
fn last_id(tail: &[u8]) -> Option<RequestId> {
    let tail = tail.trim_ascii_end().strip_suffix(b"}")?;
    let from = memchr::memmem::rfind(tail, b"\"id\"")?;
    let value = tail[from + 4..].trim_ascii_start().strip_prefix(b":")?;
    serde_json::from_slice(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, duplex};

    fn whose() -> (Host, Option<String>) {
        (Host::builder().no_cache().bundled_skills(false).build().unwrap(), None)
    }

    /// Returns the answers to lines of at most 200 bytes, and the messages that are passed on.
    async fn exchanged(lines: &[&[u8]]) -> (String, Vec<String>) {
        exchanged_with(whose(), 200, lines).await
    }

    async fn exchanged_with(
        whose: (Host, Option<String>),
        longest: usize,
        lines: &[&[u8]],
    ) -> (String, Vec<String>) {
        let (mut near, far) = duplex(1024 * 1024);
        let (output, mut answers) = duplex(1024 * 1024);
        for line in lines {
            near.write_all(line).await.unwrap();
        }
        drop(near);
        let gone = CancellationToken::new();
        let mut transport = Lines::new(far, output, longest, whose, (gone.clone(), None));
        transport.has_begun = true;
        let mut handed = Vec::new();
        while let Some(message) = transport.receive().await {
            handed.push(serde_json::to_string(&message).unwrap());
        }
        assert!(gone.is_cancelled());
        transport.close().await.unwrap();
        let mut answered = String::new();
        answers.read_to_string(&mut answered).await.unwrap();
        (answered, handed)
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_answered_by_its_id_wherever_it_stands() {
        let long = "x".repeat(100_000);
        let first = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{"x":"{long}"}}}}"#);
        let last = format!(
            r#"{{"method":"a","params":{{"id":1,"x":"{long}"}},"jsonrpc":"2.0","id":"last"}}"#
        );
        let none = format!(r#"{{"jsonrpc":"2.0","method":"a","params":{{"id":1,"x":"{long}"}}}}"#);
        let (answered, handed) = exchanged(&[
            first.as_bytes(),
            b"\n",
            last.as_bytes(),
            b"\n",
            none.as_bytes(),
            b"\n",
            br#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#,
            b"\n",
            // A notification, which gets no answer.
            long.as_bytes(),
        ])
        .await;
        let answered: Vec<serde_json::Value> =
            answered.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let ids: Vec<_> = answered.iter().map(|it| it.get("id").cloned()).collect();
        assert_eq!(ids, [Some(7.into()), Some("last".into()), None]);
        assert!(answered.iter().all(|it| it["error"]["code"] == -32600), "{answered:?}");
        assert_eq!(handed.len(), 1, "{handed:?}");
    }

    #[tokio::test]
    async fn without_memory_cancels_are_heard_and_nothing_but_requests_is_answered() {
        let memory =
            mitt_base::MemoryLimits { per_tenant: 1, ..mitt_base::MemoryLimits::default() };
        let host = Host::builder().no_cache().bundled_skills(false).memory(memory).build().unwrap();
        let cancel =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        let reply = r#"{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{}}}"#;
        let large = cancel.replace(":1}", &format!(r#":1,"reason":"{}"}}"#, "x".repeat(100_000)));
        let request = r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#;
        let lines = [cancel, "\n", reply, "\n", &large, "\n", request, "\n"].map(str::as_bytes);
        let (answered, handed) = exchanged_with((host, None), 1_000_000, &lines).await;
        assert_eq!(handed.len(), 2, "{handed:?}");
        assert!(handed[0].contains("cancelled") && handed[1].contains("accept"), "{handed:?}");
        assert_eq!(answered.lines().count(), 1, "{answered}");
        let answered: serde_json::Value = serde_json::from_str(&answered).unwrap();
        assert_eq!(answered["id"], 8, "{answered}");
    }

    #[tokio::test]
    async fn the_text_of_arguments_is_kept() {
        let (mut near, far) = duplex(1024);
        let (output, _answers) = duplex(1024);
        near.write_all(
            b"{\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\": {\"x\" : 1.10} }}\n",
        )
        .await
        .unwrap();
        let mut transport = Lines::new(far, output, 200, whose(), (CancellationToken::new(), None));
        let Some(JsonRpcMessage::Request(request)) = transport.receive().await else {
            panic!("expected a request")
        };
        let kept = request.request.extensions().get::<Arguments>().unwrap();
        assert_eq!(&*kept.0, r#"{"x" : 1.10}"#);
    }

    #[test]
    fn ids_at_the_end() {
        let id = |text: &[u8]| last_id(text).map(|id| id.to_string());
        assert_eq!(id(b"xxx\",\"id\": 12 } "), Some("12".into()));
        assert_eq!(id(b"xxx\",\"id\":\"a\\\"b\"}"), Some("a\"b".into()));
        for none in [&b"\"id\":1,\"x\":2}"[..], b"\"id\":1", b"}", b"", b"\"id\":{}}"] {
            assert_eq!(id(none), None, "{}", String::from_utf8_lossy(none));
        }
    }
}
