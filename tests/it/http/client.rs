//! A server on a free port, and a client that sends exactly what a test wants.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use mitt::{CacheDir, Host, HostBuilder};
use mitt_serve::http::{HttpOptions, HttpServer};
use mitt_serve::mcp::ServerOptions;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::fixture;
use crate::support::cache;

pub(crate) const OLD: &str = "2025-11-25";
pub(crate) const NEW: &str = "2026-07-28";

/// Longest wait for something that should happen at once.
pub(crate) const SOON: Duration = Duration::from_secs(10);

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) server: Arc<HttpServer>,
    pub(crate) stop: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

impl Running {
    /// Stops it like a signal; returns when it has ended.
    pub(crate) async fn shut_down(&mut self) {
        self.stop.cancel();
        self.task.take().unwrap().await.unwrap();
    }

    pub(crate) async fn client(&self) -> Client {
        Client::connect(self.address, None).await
    }

    pub(crate) async fn client_with(&self, token: &str) -> Client {
        Client::connect(self.address, Some(token)).await
    }
}

pub(crate) fn builder() -> HostBuilder {
    Host::builder().bundled_skills(false).skills(fixture::folder()).cache(CacheDir::new(cache()))
}

pub(crate) fn host() -> Host {
    builder().build().unwrap()
}

/// Returns options for a free port.
pub(crate) fn options() -> HttpOptions {
    HttpOptions { listen: "127.0.0.1:0".parse().unwrap(), ..HttpOptions::default() }
}

pub(crate) async fn start(options: HttpOptions) -> Running {
    start_with(ServerOptions::default(), options).await
}

pub(crate) async fn start_with(server: ServerOptions, options: HttpOptions) -> Running {
    start_host(host(), server, options).await
}

pub(crate) async fn start_host(host: Host, server: ServerOptions, options: HttpOptions) -> Running {
    let server = Arc::new(HttpServer::bind(host, server, options).await.unwrap());
    let (address, stop) = (server.address(), CancellationToken::new());
    let task = {
        let (server, stop) = (server.clone(), stop.clone());
        tokio::spawn(async move { server.serve(stop).await })
    };
    Running { address, server, stop, task: Some(task) }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) text: String,
}

impl Reply {
    /// Returns the answer, from JSON or from the last message of a stream.
    pub(crate) fn json(&self) -> Value {
        if !self.headers["content-type"].starts_with("text/event-stream") {
            return serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{self:?}"));
        }
        self.messages().pop().unwrap_or_else(|| panic!("{self:?}"))
    }

    pub(crate) fn messages(&self) -> Vec<Value> {
        let data = self.text.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
    }
}

/// One connection.
pub(crate) struct Client {
    sender: SendRequest<Full<Bytes>>,
    connection: JoinHandle<()>,
    pub(crate) address: SocketAddr,
    pub(crate) headers: BTreeMap<String, String>,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr, token: Option<&str>) -> Client {
        let stream = TcpStream::connect(address).await.unwrap();
        let (sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        let connection = tokio::spawn(async move {
            let _ = connection.await;
        });
        let mut headers = BTreeMap::from([
            ("host".to_owned(), address.to_string()),
            ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
            ("content-type".to_owned(), "application/json".to_owned()),
        ]);
        if let Some(token) = token {
            headers.insert("authorization".into(), format!("Bearer {token}"));
        }
        Client { sender, connection, address, headers }
    }

    /// Returns the same client on another connection.
    pub(crate) async fn again(&self) -> Client {
        let mut other = Client::connect(self.address, None).await;
        other.headers = self.headers.clone();
        other
    }

    pub(crate) async fn send(
        &mut self,
        method: Method,
        path: &str,
        more: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Response<Incoming> {
        let mut request = Request::builder().method(method).uri(path);
        let mut headers = self.headers.clone();
        for (name, value) in more {
            headers.insert((*name).to_owned(), (*value).to_owned());
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        self.sender.ready().await.unwrap();
        let request = request.body(Full::new(body.into())).unwrap();
        self.sender.send_request(request).await.unwrap()
    }

    pub(crate) async fn get(&mut self, path: &str) -> Reply {
        let reply = self.send(Method::GET, path, &[], "").await;
        read(reply).await
    }

    pub(crate) async fn post(&mut self, message: &Value) -> Reply {
        let reply = self.send(Method::POST, "/mcp", &[], message.to_string()).await;
        read(reply).await
    }

    /// Opens a session of 2025-11-25 for later requests.
    pub(crate) async fn initialize(&mut self) -> Value {
        let reply = self.post(&initialize()).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        self.headers.insert("mcp-session-id".into(), reply.headers["mcp-session-id"].clone());
        self.headers.insert("mcp-protocol-version".into(), OLD.into());
        let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let accepted = self.post(&done).await;
        assert_eq!(accepted.status, 202, "{accepted:?}");
        reply.json()["result"].clone()
    }

    pub(crate) fn session(&self) -> String {
        self.headers["mcp-session-id"].clone()
    }

    /// Sends a request in the session; returns the whole answer.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.post(&request(method, params)).await.json()
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Sends a request of 2026-07-28.
    pub(crate) async fn modern(&mut self, method: &str, params: Value) -> Reply {
        let (headers, message) = modern(method, params);
        let headers: Vec<_> = headers.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let reply = self.send(Method::POST, "/mcp", &headers, message.to_string()).await;
        read(reply).await
    }

    pub(crate) async fn modern_call(&mut self, tool: &str, arguments: Value) -> Value {
        self.modern("tools/call", json!({ "name": tool, "arguments": arguments })).await.json()
    }
}

pub(crate) fn initialize() -> Value {
    request(
        "initialize",
        json!({
            "protocolVersion": OLD,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        }),
    )
}

pub(crate) fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// Returns the header fields and the message of a request of 2026-07-28.
pub(crate) fn modern(method: &str, mut params: Value) -> (Vec<(&'static str, String)>, Value) {
    let mut headers =
        vec![("mcp-protocol-version", NEW.to_owned()), ("mcp-method", method.to_owned())];
    if let Some(name) = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str) {
        headers.push(("mcp-name", name.to_owned()));
    }
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = json!(NEW);
    meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    (headers, request(method, params))
}

/// Reads a response to its end.
pub(crate) async fn read(response: Response<Incoming>) -> Reply {
    let status = response.status().as_u16();
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
        .collect();
    let body = tokio::time::timeout(SOON * 3, response.into_body().collect()).await.unwrap();
    let text = String::from_utf8_lossy(&body.unwrap().to_bytes()).into_owned();
    Reply { status, headers, text }
}

/// Returns the text of a call's result.
pub(crate) fn said(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}
