//! The MCP server behind a function: that of `mitt serve`, on a port of this machine.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{HOST, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response};
use tokio_util::sync::CancellationToken;

use super::http_event::HttpAnswer;
use super::loopback::{self, SendError};
use super::payload::MAX_PAYLOAD_BYTES;
use mitt::Host;
use mitt::offer::ToolMode;
use mitt::value::Json;
use mitt_base::{Error, ErrorKind, Result};
use mitt_serve::http::{HttpLimits, HttpOptions, HttpServer};
use mitt_serve::mcp::{Client, ResourceLinks, ServerOptions};

/// Time after which a call would become a task: longer than Lambda lets any function run.
const NO_TASK: Duration = Duration::from_secs(60 * 60);

/// The MCP server behind the function. It lives as long as the function; its sessions live as long as a request.
pub(super) struct McpServer {
    server: Arc<HttpServer>,
    address: SocketAddr,
    stop: CancellationToken,
}

impl Drop for McpServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Ends the session of a request, however it ends.
pub(super) struct SessionEnd<'a>(&'a McpServer);

impl Drop for SessionEnd<'_> {
    fn drop(&mut self) {
        // Without a file of tokens, all requests are those of this client.
        let client = Client { tenant: None, id: Some("local".to_owned()) };
        self.0.server.server().forget(&client);
    }
}

impl McpServer {
    /// Starts the server.
    ///
    /// # Errors
    ///
    /// Those of [`HttpServer::bind`].
    pub(super) async fn start(host: Host, tools: ToolMode) -> Result<McpServer> {
        let options = ServerOptions {
            tools,
            // A link to a file of this request leads nowhere in the next one; it is replaced by the file.
            resource_links: ResourceLinks::Always,
            link_life: Duration::ZERO,
            // No later request could ask for the result of a task.
            task_after: NO_TASK,
            ..ServerOptions::default()
        };
        let http = HttpOptions {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            limits: HttpLimits { body_bytes: MAX_PAYLOAD_BYTES as u64, ..HttpLimits::default() },
            ..HttpOptions::default()
        };
        let server = Arc::new(HttpServer::bind(host, options, http).await?);
        let (address, stop) = (server.address(), CancellationToken::new());
        let (serving, stopping) = (server.clone(), stop.clone());
        tokio::spawn(async move { serving.serve(stopping).await });
        Ok(McpServer { server, address, stop })
    }

    /// Returns what ends the session of a request when it is dropped.
    pub(super) fn session(&self) -> SessionEnd<'_> {
        SessionEnd(self)
    }

    /// Sends a request to the server, and returns its response as soon as that begins.
    pub(super) async fn open(
        &self,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = path.parse().map_err(Error::bug)?;
        *request.headers_mut() = headers;
        // The platform decided who comes here; names of hosts decide nothing behind it.
        request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
        loopback::send(self.address, request).await.map_err(unanswered)
    }

    /// Returns a response with its whole body, which has at most `most` bytes.
    pub(super) async fn whole(response: Response<Incoming>, most: usize) -> Result<HttpAnswer> {
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, most).collect().await.map_err(unanswered)?;
        Ok(HttpAnswer { status: parts.status, headers: parts.headers, body: body.to_bytes() })
    }

    /// Does what [`McpServer::with_files`] does for an event of a stream: the lines of one event, without the empty line behind them.
    pub(super) async fn event_with_files(
        &self,
        headers: &HeaderMap,
        request: &[u8],
        event: &str,
        most: usize,
    ) -> String {
        let mut out = String::with_capacity(event.len());
        for line in event.lines() {
            if !out.is_empty() {
                out.push('\n');
            }
            match line.strip_prefix("data:") {
                Some(data) if data.contains("resource_link") => {
                    let data = Bytes::copy_from_slice(data.trim().as_bytes());
                    let data = self.with_files(headers, request, data, most).await;
                    out.push_str("data: ");
                    out.push_str(&String::from_utf8_lossy(&data));
                }
                _ => out.push_str(line),
            }
        }
        out
    }

    /// Puts the files to which the answer of a call links into it, as long as it has at most `most` bytes with them.
    pub(super) async fn with_files(
        &self,
        headers: &HeaderMap,
        request: &[u8],
        answer: Bytes,
        most: usize,
    ) -> Bytes {
        let parse = |text: &[u8]| Json::parse(text, most as u64, Json::MAX_DEPTH).ok();
        let (Some(request), Some(mut changed)) = (parse(request), parse(&answer)) else {
            return answer;
        };
        let Some(content) = content_of(&mut changed) else { return answer };
        let meta = request.get("params").and_then(|it| it.get("_meta"));
        let mut size = answer.len();
        let mut is_changed = false;
        for block in content {
            let Some(uri) = link_of(block).map(str::to_owned) else { continue };
            is_changed = true;
            let read = self.read(headers, meta, &uri, most).await;
            // What holds this answer escapes each quote once more.
            let file = read.filter(|(_, bytes)| size + bytes + bytes / 8 <= most);
            *block = match file {
                Some((file, bytes)) => {
                    size += bytes + bytes / 8;
                    Json::object([("type", Json::from("resource")), ("resource", file)])
                }
                None => {
                    let name = uri.rsplit('/').next().unwrap_or(&uri);
                    let text = format!("`{name}` does not fit into the answer of a function");
                    Json::object([("type", Json::from("text")), ("text", text.into())])
                }
            };
        }
        if is_changed { changed.to_string().into() } else { answer }
    }

    /// Reads a resource of the session. Returns it with its size as JSON; `None` if it cannot be read.
    async fn read(
        &self,
        headers: &HeaderMap,
        meta: Option<&Json>,
        uri: &str,
        most: usize,
    ) -> Option<(Json, usize)> {
        const METHOD: &str = "resources/read";
        let mut headers = headers.clone();
        headers.insert("mcp-method", HeaderValue::from_static(METHOD));
        headers.insert("mcp-name", HeaderValue::from_str(uri).ok()?);
        let mut params = vec![("uri".to_owned(), Json::from(uri))];
        params.extend(meta.map(|meta| ("_meta".to_owned(), meta.clone())));
        let request = Json::object([
            ("jsonrpc", Json::from("2.0")),
            ("id", Json::from("file")),
            ("method", Json::from(METHOD)),
            ("params", Json::Object(params)),
        ]);
        let response = self.open("/mcp", headers, request.to_string().into()).await.ok()?;
        let answer = McpServer::whole(response, most).await.ok()?;
        let answer = Json::parse(&answer.body, most as u64, Json::MAX_DEPTH).ok()?;
        let Some(Json::Array(contents)) = answer.get("result").and_then(|it| it.get("contents"))
        else {
            return None;
        };
        let file = contents.first()?.clone();
        let size = file.to_string().len();
        Some((file, size))
    }
}

fn unanswered(error: SendError) -> Error {
    Error::new(ErrorKind::Host, "the server of MCP did not answer").caused_by(error)
}

/// Returns the blocks of content of a result.
fn content_of(answer: &mut Json) -> Option<&mut Vec<Json>> {
    let result = member_mut(answer, "result")?;
    match member_mut(result, "content")? {
        Json::Array(blocks) => Some(blocks),
        _ => None,
    }
}

fn member_mut<'j>(json: &'j mut Json, key: &str) -> Option<&'j mut Json> {
    match json {
        Json::Object(members) => {
            members.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
        }
        _ => None,
    }
}

/// Returns the address of a link to a resource.
fn link_of(block: &Json) -> Option<&str> {
    let is_link = block.get("type").and_then(Json::as_str) == Some("resource_link");
    block.get("uri").and_then(Json::as_str).filter(|_| is_link)
}
