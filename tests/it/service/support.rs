//! A service on a free port with a scripted model, and a client that sends exactly what a test wants.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use mitt::{Error, Host, Result};
use mitt_agent::model::{ChatEvent, ChatModel, ChatRequest, ChatStream, Message, ModelCall};
use mitt_serve::http::HttpServer;
use mitt_serve::mcp::ServerOptions;
use mitt_service::run::{Example, ManagedModels, ModelInfo, Models, Policy, RunDefaults};
use mitt_service::store::FolderStore;
use mitt_service::{Service, ServiceOptions};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::http::client::options;
use crate::http::tokens::{Tokens, token};
use crate::support::host;

/// Longest wait for something that should happen at once. The machine may be busy.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// Does what the instruction says: `[python] CODE` runs a script, `deliver` delivers two files, `fail` fails, `slowly` waits for
/// a permit, `[function look]` calls the caller's function `look`, `[wipe]` the tool `ledger__wipe`, `[json] TEXT` answers TEXT in
/// the end where a form is demanded.
struct Scripted {
    permits: Arc<Semaphore>,
}

#[async_trait]
impl ChatModel for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        let said = request.messages.iter().rev().find_map(|message| match message {
            Message::User { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let said = said.unwrap_or_default();
        if said.contains("slowly") {
            self.permits.acquire().await.unwrap().forget();
        }
        if said.contains("fail") {
            return Err(Error::model("the model cannot be reached"));
        }
        let json = request.messages.iter().rev().find_map(|message| match message {
            Message::User { text, .. } => Some(text.split_once("[json]")?.1.trim().to_owned()),
            _ => None,
        });
        let has_result = matches!(request.messages.last(), Some(Message::Tool { .. }));
        let code = said.split_once("[python]").map(|(_, code)| code.trim());
        let events = if let Some(code) = code.filter(|_| !has_result) {
            vec![Ok(ChatEvent::Call(ModelCall {
                id: "call-1".into(),
                name: "python__run".into(),
                arguments: json!({ "code": code }).to_string(),
            }))]
        } else if said.contains("deliver") && !has_result {
            let deliver = |number: u32, filename: &str| {
                let words = if said.contains("better") { "Better." } else { "Fine." };
                let arguments = json!({ "markdown": format!("# Report {number}\n\n{words}"), "filename": filename });
                ChatEvent::Call(ModelCall {
                    id: format!("call-{number}"),
                    name: "report__deliver".into(),
                    arguments: arguments.to_string(),
                })
            };
            vec![Ok(deliver(1, "summary.md")), Ok(deliver(2, "月报.html"))]
        } else if said.contains("[function look]") && !has_result {
            vec![Ok(without_arguments("look"))]
        } else if said.contains("[wipe]") && !has_result {
            vec![Ok(without_arguments("ledger__wipe"))]
        } else if let Some(json) = json.filter(|_| request.output.is_some()) {
            vec![Ok(ChatEvent::Text(json))]
        } else {
            vec![Ok(ChatEvent::Text("All is ".into())), Ok(ChatEvent::Text("done.".into()))]
        };
        Ok(Box::pin(stream::iter(events)))
    }
}

fn without_arguments(name: &str) -> ChatEvent {
    let (id, name, arguments) = ("call-1".into(), name.into(), "{}".into());
    ChatEvent::Call(ModelCall { id, name, arguments })
}

/// Returns an example whose model is the scripted one.
pub(crate) fn example(name: &str) -> Example {
    Example {
        name: name.into(),
        title: "Example".into(),
        instruction: "Go.".into(),
        documents: vec![("a.csv".into(), b"a\n1\n".to_vec())],
        model: Arc::new(Scripted { permits: Arc::new(Semaphore::new(0)) }),
    }
}

struct ScriptedModels {
    permits: Arc<Semaphore>,
    managed: Option<Arc<dyn ManagedModels>>,
}

impl Models for ScriptedModels {
    fn list(&self) -> Vec<ModelInfo> {
        vec![ModelInfo { name: "scripted".into(), provider: "test".into() }]
    }

    fn open(&self, name: &str, _: Option<&str>) -> Result<Arc<dyn ChatModel>> {
        match name {
            "scripted" => Ok(Arc::new(Scripted { permits: self.permits.clone() })),
            _ => Err(Error::model("there is no such model")),
        }
    }

    fn managed(&self) -> Option<&dyn ManagedModels> {
        self.managed.as_deref()
    }
}

/// How a server is started.
pub(crate) struct Setup {
    /// `true` if clients need tokens: those of the tenants `alice` and `bob`.
    pub(crate) tokens: bool,
    /// Further sections of the file of tokens.
    pub(crate) more_of_tokens: &'static str,
    pub(crate) link_life: Duration,
    pub(crate) upload_bytes: u64,
    pub(crate) policy: Policy,
    pub(crate) defaults: RunDefaults,
    /// Default: the host of all tests.
    pub(crate) host: Host,
    /// What adds and removes models. Default: `None`.
    pub(crate) managed: Option<Arc<dyn ManagedModels>>,
    pub(crate) examples: Vec<Example>,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            tokens: false,
            more_of_tokens: "",
            link_life: Duration::from_secs(3600),
            upload_bytes: 16 << 20,
            policy: Policy::default(),
            defaults: RunDefaults::default(),
            host: host(),
            managed: None,
            examples: Vec::new(),
        }
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) service: Service,
    /// Tokens of `alice` and `bob`; empty without tokens.
    pub(crate) alice: String,
    pub(crate) bob: String,
    permits: Arc<Semaphore>,
    /// Seconds by which the clock of the store is ahead.
    ahead: Arc<AtomicU64>,
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
    http: Arc<HttpServer>,
    /// The file of tokens, and its line for `bob`.
    tokens: Option<(Tokens, String)>,
    folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

impl Server {
    pub(crate) async fn start() -> Server {
        Server::with(Setup::default()).await
    }

    /// Starts a server whose clients need the token of `alice` or `bob`.
    pub(crate) async fn for_tenants() -> Server {
        Server::with(Setup { tokens: true, ..Setup::default() }).await
    }

    pub(crate) async fn with(setup: Setup) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let ahead = Arc::new(AtomicU64::new(0));
        let clock = {
            let ahead = ahead.clone();
            Arc::new(move || {
                host().environment().now() + Duration::from_secs(ahead.load(Ordering::Relaxed))
            })
        };
        let store = Arc::new(FolderStore::open(folder.path(), clock).unwrap());
        let permits = Arc::new(Semaphore::new(0));
        let policy = setup.policy;
        let service = Service::start(ServiceOptions {
            store,
            host: setup.host.clone(),
            models: Arc::new(ScriptedModels { permits: permits.clone(), managed: setup.managed }),
            teams: None,
            defaults: setup.defaults,
            examples: setup.examples,
            policies: Arc::new(move |_| policy.clone()),
            login: mitt_service::Login::None,
            workers: 4,
            role: mitt_service::Role::Both,
            tries_after_loss: 0,
            link_life: setup.link_life,
            upload_bytes: setup.upload_bytes,
        })
        .await
        .unwrap_or_else(|problem| panic!("{problem:?}"));
        let (mut http, mut tokens) = (options(), None);
        let (mut alice, mut bob) = (String::new(), String::new());
        if setup.tokens {
            let ((of_alice, first), (of_bob, second)) = (token("alice"), token("bob"));
            let more = setup.more_of_tokens.to_owned();
            let file = Tokens::new(&[first, second.clone(), more]);
            http = file.options();
            (alice, bob, tokens) = (of_alice, of_bob, Some((file, second)));
        }
        let server =
            Arc::new(HttpServer::bind(setup.host, ServerOptions::default(), http).await.unwrap());
        server.add_routes(Arc::new(service.clone()));
        let (address, stop) = (server.address(), CancellationToken::new());
        let task = {
            let (stop, server) = (stop.clone(), server.clone());
            tokio::spawn(async move { server.serve(stop).await })
        };
        Server {
            address,
            service,
            alice,
            bob,
            permits,
            ahead,
            stop,
            task: Some(task),
            http: server,
            tokens,
            folder,
        }
    }

    /// Lets one turn of a model that works slowly go on.
    pub(crate) fn release_turn(&self) {
        self.permits.add_permits(1);
    }

    /// Sets the clock of the store forward, and lets the service delete what has expired since.
    pub(crate) async fn let_expire(&self, after: Duration) {
        self.ahead.fetch_add(after.as_secs(), Ordering::Relaxed);
        self.service.sweep().await;
    }

    /// Takes the token of `alice` away.
    pub(crate) fn revoke_alice(&self) {
        let (file, of_bob) = self.tokens.as_ref().unwrap();
        file.write(std::slice::from_ref(of_bob));
        self.http.reload_tokens().unwrap();
    }

    /// Returns the log of a run of the local tenant.
    pub(crate) fn log_of(&self, id: &str) -> String {
        let log = self.folder.path().join("runs/t-local").join(id).join("log.jsonl");
        std::fs::read_to_string(log).unwrap()
    }

    /// Stops the server like a signal; returns when it has ended.
    pub(crate) async fn shut_down(&mut self) {
        self.stop.cancel();
        self.task.take().unwrap().await.unwrap();
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(Call::get(path)).await
    }

    pub(crate) async fn post_json(&self, path: &str, body: &Value) -> Reply {
        self.send(Call::post(path, body)).await
    }

    /// Sends a request, and reads its response to the end.
    pub(crate) async fn send(&self, call: Call) -> Reply {
        Reply::read(self.open(call).await).await
    }

    /// Sends a request on a connection of its own, and returns the response when its header is there.
    pub(crate) async fn open(&self, call: Call) -> Response<Incoming> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let mut request = Request::builder()
            .method(call.method)
            .uri(&call.path)
            .header("host", self.address.to_string());
        for (name, value) in call.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(call.body)).unwrap();
        tokio::time::timeout(SOON, sender.send_request(request)).await.unwrap().unwrap()
    }

    /// Creates a run, waits for its end, and returns it.
    pub(crate) async fn finished_run(&self, instruction: &str, token: &str) -> Value {
        let call = Call::post("/v1/runs?wait=true", &run(instruction)).token(token);
        let reply = self.send(call).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        reply.json()
    }
}

/// Returns the body of a request for a run, whose model sees all tools.
pub(crate) fn run(instruction: &str) -> Value {
    json!({ "instruction": instruction, "options": { "tools": "all", "no_routing": true } })
}

/// A request.
pub(crate) struct Call {
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Bytes,
}

impl Call {
    pub(crate) fn new(method: Method, path: &str) -> Call {
        Call { method, path: path.to_owned(), headers: Vec::new(), body: Bytes::new() }
    }

    pub(crate) fn get(path: &str) -> Call {
        Call::new(Method::GET, path)
    }

    pub(crate) fn post(path: &str, body: &Value) -> Call {
        Call::new(Method::POST, path)
            .header("content-type", "application/json")
            .body(body.to_string())
    }

    /// Returns a form of text fields, and files as `(field, name, content)`.
    pub(crate) fn form(path: &str, fields: &[(&str, &str)], files: &[(&str, &str, &str)]) -> Call {
        let mut body = String::new();
        for (name, value) in fields {
            body += &format!(
                "--XX\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            );
        }
        for (field, name, content) in files {
            body += &format!(
                "--XX\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\
                 Content-Type: text/csv\r\n\r\n{content}\r\n"
            );
        }
        body += "--XX--\r\n";
        Call::new(Method::POST, path)
            .header("content-type", "multipart/form-data; boundary=XX")
            .body(body)
    }

    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Call {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a token; an empty one is left out.
    pub(crate) fn token(self, token: &str) -> Call {
        if token.is_empty() {
            self
        } else {
            self.header("authorization", &format!("Bearer {token}"))
        }
    }

    pub(crate) fn body(mut self, body: impl Into<Bytes>) -> Call {
        self.body = body.into();
        self
    }
}

/// A whole response.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Bytes,
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let body = String::from_utf8_lossy(&self.body);
        write!(f, "{} {:?} {body}", self.status, self.headers)
    }
}

impl Reply {
    pub(crate) async fn read(response: Response<Incoming>) -> Reply {
        let status = response.status().as_u16();
        let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), text(value.as_bytes())))
            .collect();
        let body = tokio::time::timeout(SOON, response.into_body().collect()).await.unwrap();
        Reply { status, headers, body: body.unwrap().to_bytes() }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// Checks that it is a problem of this status and code, and returns it.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.headers["content-type"], "application/problem+json", "{self:?}");
        let problem = self.json();
        assert_eq!((&problem["status"], &problem["code"]), (&json!(status), &json!(code)));
        problem
    }

    /// Returns the events of a stream.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<Event> {
        assert_eq!(self.headers["content-type"], "text/event-stream", "{self:?}");
        Event::all(&self.text())
    }
}

/// A server-sent event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) data: Value,
}

impl Event {
    /// Reads the whole events of a text.
    pub(crate) fn all(text: &str) -> Vec<Event> {
        let whole = text.rsplit_once("\n\n").map_or("", |(whole, _)| whole);
        let events = whole.split("\n\n").filter(|it| !it.is_empty() && !it.starts_with(':'));
        events
            .map(|text| {
                let field = |name: &str| {
                    text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default()
                };
                Event {
                    id: field("id: ").parse().unwrap_or_else(|_| panic!("{text}")),
                    name: field("event: ").to_owned(),
                    data: serde_json::from_str(field("data: "))
                        .unwrap_or_else(|_| panic!("{text}")),
                }
            })
            .collect()
    }
}
