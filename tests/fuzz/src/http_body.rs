//! Requests to all interfaces of the service with damaged bodies and headers: JSON, forms, uploads in pieces, ranges.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mitt::{CallLimits, Host, Result};
use mitt_agent::model::{ChatEvent, ChatModel, ChatRequest, ChatStream};
use mitt_serve::http::{HttpOptions, HttpServer};
use mitt_serve::mcp::ServerOptions;
use mitt_service::run::{ModelInfo, Models, Policy, RunDefaults};
use mitt_service::store::FolderStore;
use mitt_service::{Login, Role, Service, ServiceOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::damaged_json::{damaged_bytes, damaged_json};
use super::requests::{self, FIRST, SEEDS, Seed};
use super::shape::Shape;
use super::{LONGEST_REPORT, panics, runtime};

/// Longest wait for a response. Far beyond what it needs on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Checks that the service answers every request, never with an internal error, and that a refusal states its reason in the format of
/// its interface.
pub fn http_body(data: &[u8]) {
    let mut shape = Shape::new(data);
    let before = panics();
    runtime().block_on(async {
        let served = Served::start().await;
        let mut known = Known::default();
        let mut refused = Vec::new();
        for path in FIRST {
            let seed = SEEDS.iter().find(|seed| seed.path == path).unwrap();
            let request = request(seed, &known, &mut Shape::new(&[]));
            let reply = served.answered(seed, &request).await;
            known.learn(seed, &reply);
            if !(200..300).contains(&reply.status) {
                refused.push(format!("{path}: {}", reply.shown()));
            }
        }
        assert!(refused.is_empty(), "requests that are not damaged are refused: {refused:#?}");
        for _ in 0..=shape.below(8) {
            let seed = &SEEDS[shape.below(SEEDS.len())];
            let request = request(seed, &known, &mut shape);
            let reply = served.answered(seed, &request).await;
            known.learn(seed, &reply);
        }
        served.stop.cancel();
    });
    assert_eq!(panics(), before, "a task panicked");
}

/// What earlier responses named, for later requests.
#[derive(Default)]
struct Known {
    names: Vec<(&'static str, String)>,
}

impl Known {
    fn learn(&mut self, seed: &Seed, reply: &Reply) {
        if !(200..300).contains(&reply.status) || seed.gives.is_empty() {
            return;
        }
        let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        if let Some(file) = body["files"][0]["fileId"].as_str() {
            self.names.push(("object", file.to_owned()));
        }
        let named = ["id", "session_id"].iter().find_map(|key| body[*key].as_str());
        let located = reply.header("location").and_then(|it| it.rsplit('/').next());
        if let Some(name) = named.or(located) {
            self.names.push((seed.gives, name.to_owned()));
        }
    }

    /// Returns a text with the names that are known in place of `{run}`, `{file}` and the like.
    fn filled(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (what, name) in self.names.iter().rev() {
            text = text.replace(&format!("{{{what}}}"), name);
        }
        for what in ["run", "file", "upload", "response", "container", "session", "object"] {
            text = text.replace(&format!("{{{what}}}"), "none");
        }
        text
    }
}

/// Returns the bytes of a request: that of the seed, mostly damaged at one place.
fn request(seed: &Seed, known: &Known, shape: &mut Shape<'_>) -> Vec<u8> {
    let mut path = known.filled(seed.path);
    let mut headers: Vec<(String, String)> = seed
        .headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), known.filled(value)))
        .collect();
    let mut body = known.filled(seed.body).into_bytes();
    for _ in 0..shape.below(3) {
        match shape.below(8) {
            0 => damaged_bytes(&mut body, shape),
            1 if !headers.is_empty() => {
                let at = shape.below(headers.len());
                headers[at].1 = requests::header_value(shape, &headers[at].1);
            }
            2 => headers.push(requests::header(shape)),
            3 => path = requests::path(shape, &path),
            _ if body.starts_with(b"{") => body = damaged_json(&body, shape),
            _ => damaged_bytes(&mut body, shape),
        }
    }
    let mut head =
        format!("{} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", seed.method);
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    match shape.below(8) {
        // In one chunk that is not announced.
        7 if !body.is_empty() => {
            head += "Transfer-Encoding: chunked\r\n\r\n";
            let mut bytes = format!("{head}{:x}\r\n", body.len()).into_bytes();
            bytes.extend(body);
            bytes.extend(b"\r\n0\r\n\r\n");
            bytes
        }
        _ => {
            head += &format!("Content-Length: {}\r\n\r\n", body.len());
            [head.into_bytes(), body].concat()
        }
    }
}

struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    /// Reads a response that ends with its connection.
    fn parse(bytes: &[u8]) -> Result<Reply, String> {
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n").ok_or("no head")?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).ok_or("no status")?;
        let mut body = bytes[end + 4..].to_vec();
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            body = joined(&body).ok_or("chunks that are broken off")?;
        }
        Ok(Reply { status, head, body })
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    fn shown(&self) -> String {
        format!("{}\n{}", self.head, String::from_utf8_lossy(&self.body))
    }

    fn check(&self, seed: &Seed, request: &str) {
        let shown = || format!("{}\n\nto {request}", self.shown());
        assert!(self.status < 500 || self.status == 501, "{}", shown());
        if self.status < 400 {
            return;
        }
        assert!(self.body.len() <= LONGEST_REPORT, "{} bytes\n{request}", self.body.len());
        // The server itself refuses what is no request at all, without a body.
        let is_bare = self.body.is_empty() && (self.status == 400 || seed.method == "HEAD");
        if is_bare {
            return;
        }
        let Ok(body) = serde_json::from_slice::<Value>(&self.body) else {
            // What stands before all interfaces answers in plain text.
            let is_text =
                self.header("content-type").is_some_and(|it| it.starts_with("text/plain"));
            assert!(is_text && !self.body.is_empty(), "{}", shown());
            return;
        };
        if self.header("content-type") == Some("application/problem+json") {
            assert_eq!(body["status"], json!(self.status), "{}", shown());
            let has = |key: &str| body[key].as_str().is_some_and(|it| !it.is_empty());
            assert!(["type", "title", "code", "detail"].into_iter().all(has), "{}", shown());
        } else {
            let said = [&body["error"]["message"], &body["message"], &body["error"]];
            assert!(
                said.iter().any(|it| it.as_str().is_some_and(|it| !it.is_empty())),
                "{}",
                shown()
            );
        }
    }
}

/// Joins the chunks of a body.
fn joined(mut chunks: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = chunks.windows(2).position(|it| it == b"\r\n")?;
        let size =
            usize::from_str_radix(std::str::from_utf8(&chunks[..end]).ok()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.extend(chunks.get(end + 2..end + 2 + size)?);
        chunks = chunks.get(end + 2 + size + 2..)?;
    }
}

/// A service with an empty store.
struct Served {
    address: std::net::SocketAddr,
    stop: CancellationToken,
    _folder: tempfile::TempDir,
}

impl Served {
    async fn start() -> Served {
        let folder = tempfile::tempdir().unwrap();
        let limits = CallLimits::default();
        let host = Host::builder().no_cache().bundled_skills(false).call_limits(limits);
        let host = host.build().unwrap();
        let clock = {
            let host = host.clone();
            Arc::new(move || host.environment().now())
        };
        let started = Service::start(ServiceOptions {
            store: Arc::new(FolderStore::open(folder.path(), clock).unwrap()),
            host: host.clone(),
            models: Arc::new(Short),
            teams: None,
            defaults: RunDefaults::default(),
            examples: Vec::new(),
            policies: Arc::new(|_| Policy::default()),
            login: Login::None,
            workers: 2,
            role: Role::Both,
            tries_after_loss: 0,
            link_life: Duration::from_secs(60),
            upload_bytes: 1 << 20,
        });
        let service = started.await.unwrap_or_else(|problem| panic!("{problem:?}"));
        let options = HttpOptions { listen: ([127, 0, 0, 1], 0).into(), ..HttpOptions::default() };
        let server = HttpServer::bind(host, ServerOptions::default(), options).await.unwrap();
        server.add_routes(Arc::new(service));
        let (address, stop) = (server.address(), CancellationToken::new());
        let stopped = stop.clone();
        tokio::spawn(async move { server.serve(stopped).await });
        Served { address, stop, _folder: folder }
    }

    /// Sends a request, and checks its response.
    async fn answered(&self, seed: &Seed, request: &[u8]) -> Reply {
        let shown = String::from_utf8_lossy(request);
        let reply = tokio::time::timeout(PATIENCE, self.exchange(request)).await;
        let reply = reply.unwrap_or_else(|_| panic!("no response in time to {shown}"));
        let reply = reply.unwrap_or_else(|error| panic!("{error}: {shown}"));
        reply.check(seed, &shown);
        reply
    }

    async fn exchange(&self, request: &[u8]) -> Result<Reply, String> {
        let failed = |error: std::io::Error| error.to_string();
        let mut stream = TcpStream::connect(self.address).await.map_err(failed)?;
        // A server that refuses a body may close the connection before it is there.
        let _ = stream.write_all(request).await;
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes).await;
        Reply::parse(&bytes).map_err(|error| format!("{error}: {read:?}"))
    }
}

/// A model that says the same to everything.
struct Short;

#[async_trait]
impl ChatModel for Short {
    fn name(&self) -> &str {
        "short"
    }

    async fn chat<'a>(&'a self, _: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        let said = [Ok(ChatEvent::Text("All is done.".to_owned()))];
        Ok(Box::pin(futures_util::stream::iter(said)))
    }
}

impl Models for Short {
    fn list(&self) -> Vec<ModelInfo> {
        vec![ModelInfo { name: "short".to_owned(), provider: "test".to_owned() }]
    }

    fn open(&self, _: &str, _: Option<&str>) -> Result<Arc<dyn ChatModel>> {
        Ok(Arc::new(Short))
    }
}
