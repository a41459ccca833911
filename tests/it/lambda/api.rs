//! A Runtime API that hands out events and collects answers, and the function that asks it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};

use crate::support::{command, text};

/// Longest wait for an answer. Skills may have to be compiled first.
const PATIENCE: Duration = Duration::from_secs(120);

/// Time of an invocation that is not about time.
pub(super) const MINUTE: Duration = Duration::from_secs(60);

/// What the function handed over.
#[derive(Debug)]
pub(super) struct Answered {
    /// The path below the version.
    pub(super) path: String,
    pub(super) error_type: Option<String>,
    /// The body as JSON. If it was streamed, what precedes the body of the response.
    pub(super) body: Value,
    /// The frames of the body of a streamed response; `None` if the answer was not streamed.
    pub(super) frames: Option<Vec<Bytes>>,
    /// The error in the trailers of a streamed response: its type, and the JSON.
    pub(super) broken: Option<(String, Value)>,
}

/// An event that waits.
struct Waiting {
    id: String,
    body: Bytes,
    time: Duration,
}

/// What the API answers, besides events.
#[derive(Clone, Copy)]
pub(super) struct Statuses {
    pub(super) next: u16,
    pub(super) response: u16,
}

/// A Runtime API.
pub(super) struct Api {
    address: SocketAddr,
    state: Arc<State>,
    answered: mpsc::UnboundedReceiver<Answered>,
}

struct State {
    waiting: Mutex<VecDeque<Waiting>>,
    added: Notify,
    answers: mpsc::UnboundedSender<Answered>,
    statuses: Statuses,
}

impl Api {
    pub(super) async fn start() -> Api {
        Api::with(Statuses { next: 200, response: 202 }).await
    }

    pub(super) async fn with(statuses: Statuses) -> Api {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (answers, answered) = mpsc::unbounded_channel();
        let (waiting, added) = (Mutex::default(), Notify::new());
        let state = Arc::new(State { waiting, added, answers, statuses });
        let of_server = state.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let state = of_server.clone();
                tokio::spawn(async move {
                    let service = service_fn(move |request| {
                        let state = state.clone();
                        async move { Ok::<_, Infallible>(state.answer(request).await) }
                    });
                    let server = hyper::server::conn::http1::Builder::new();
                    let _ = server.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Api { address, state, answered }
    }

    /// Hands out an event that has a minute.
    pub(super) fn give(&self, id: &str, event: &Value) {
        self.give_with(id, event.to_string(), MINUTE);
    }

    pub(super) fn give_with(&self, id: &str, body: impl Into<Bytes>, time: Duration) {
        let waiting = Waiting { id: id.to_owned(), body: body.into(), time };
        self.state.waiting.lock().unwrap().push_back(waiting);
        self.state.added.notify_one();
    }

    pub(super) async fn next(&mut self) -> Answered {
        tokio::time::timeout(PATIENCE, self.answered.recv()).await.expect("an answer").unwrap()
    }

    /// Returns the body of the answer to a request that succeeded.
    pub(super) async fn answer_to(&mut self, id: &str) -> Value {
        let answered = self.next().await;
        assert_eq!(answered.path, format!("runtime/invocation/{id}/response"), "{answered:?}");
        answered.body
    }

    /// Returns class and message of the error of a request that failed.
    pub(super) async fn error_of(&mut self, id: &str) -> (String, String) {
        let answered = self.next().await;
        assert_eq!(answered.path, format!("runtime/invocation/{id}/error"), "{answered:?}");
        let message = answered.body["errorMessage"].as_str().unwrap().to_owned();
        assert_eq!(answered.body["errorType"].as_str(), answered.error_type.as_deref());
        (answered.error_type.unwrap(), message)
    }

    /// Starts the function.
    pub(super) fn function(&self, folder: &Path, more: &[&str]) -> Function {
        let mut command = command(folder, &[&["lambda"], more].concat());
        command
            .env("AWS_LAMBDA_RUNTIME_API", format!("{}/.rt", self.address))
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "1024")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Function(Some(command.spawn().unwrap()))
    }
}

impl State {
    async fn answer(&self, request: Request<Incoming>) -> Response<BoxBody<Bytes, Infallible>> {
        let path = request.uri().path().strip_prefix("/.rt/2018-06-01/").unwrap().to_owned();
        let respond = |status: u16| Response::builder().status(status);
        let body = |bytes: Bytes| Full::new(bytes).boxed();
        if request.method() == Method::GET {
            assert_eq!(path, "runtime/invocation/next");
            if self.statuses.next != 200 {
                let text = r#"{"errorType": "InternalServerError"}"#;
                return respond(self.statuses.next).body(body(text.into())).unwrap();
            }
            let event = loop {
                let event = self.waiting.lock().unwrap().pop_front();
                match event {
                    Some(event) => break event,
                    None => self.added.notified().await,
                }
            };
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            return respond(200)
                .header("Lambda-Runtime-Aws-Request-Id", event.id)
                .header("Lambda-Runtime-Deadline-Ms", (now + event.time).as_millis().to_string())
                .header(
                    "Lambda-Runtime-Invoked-Function-Arn",
                    "arn:aws:lambda:us-east-1:0:function:f",
                )
                .body(body(event.body))
                .unwrap();
        }
        let error_type = request.headers().get("lambda-runtime-function-error-type");
        let error_type = error_type.map(|it| it.to_str().unwrap().to_owned());
        let status = if path.ends_with("/response") { self.statuses.response } else { 202 };
        let is_late = path.contains("/late/");
        let mode = request.headers().get("lambda-runtime-function-response-mode");
        let answered = if mode.is_some_and(|it| it == "streaming") {
            streamed(path, request).await
        } else {
            let bytes = request.into_body().collect().await.unwrap().to_bytes();
            assert!(bytes.len() <= 6_291_556, "the platform would refuse it");
            let body = serde_json::from_slice(&bytes).unwrap();
            Answered { path, error_type, body, frames: None, broken: None }
        };
        let _ = self.answers.send(answered);
        if is_late {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        respond(status).body(body(r#"{"status": "seen"}"#.into())).unwrap()
    }
}

/// Reads a streamed answer.
async fn streamed(path: String, request: Request<Incoming>) -> Answered {
    let media_type = request.headers()["content-type"].clone();
    assert_eq!(media_type, "application/vnd.awslambda.http-integration-response");
    let (mut frames, mut broken) = (Vec::new(), None);
    let mut body = request.into_body();
    while let Some(frame) = body.frame().await {
        let trailers = match frame.unwrap().into_data() {
            Ok(data) => {
                frames.push(data);
                continue;
            }
            Err(frame) => frame.into_trailers().unwrap(),
        };
        let value = |name: &str| trailers[name].to_str().unwrap().to_owned();
        let json = STANDARD.decode(value("lambda-runtime-function-error-body")).unwrap();
        let error_type = value("lambda-runtime-function-error-type");
        broken = Some((error_type, serde_json::from_slice(&json).unwrap()));
    }
    let head = frames.remove(0);
    let (json, end) = head.split_at(head.len() - 8);
    assert_eq!(end, [0; 8]);
    let body = serde_json::from_slice(json).unwrap();
    Answered { path, error_type: None, body, frames: Some(frames), broken }
}

/// The program. It is killed on drop.
pub(super) struct Function(Option<Child>);

impl Drop for Function {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Function {
    /// Sends a signal.
    #[cfg(unix)]
    pub(super) fn signal(&self, name: &str) {
        let id = self.0.as_ref().unwrap().id().to_string();
        assert!(std::process::Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Waits for the end of the process that a signal kills. Its worker may still compile, and holds the log open until then.
    #[cfg(unix)]
    pub(super) async fn killed(mut self) -> Option<i32> {
        let mut child = self.0.take().unwrap();
        let status = tokio::task::spawn_blocking(move || child.wait().unwrap());
        tokio::time::timeout(PATIENCE, status).await.expect("an end").unwrap().code()
    }

    /// Waits for its end. Returns the exit code and the entries of its log.
    pub(super) async fn ended(mut self) -> (Option<i32>, String) {
        let child = self.0.take().unwrap();
        let output = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap());
        let output = tokio::time::timeout(PATIENCE, output).await.expect("an end").unwrap();
        assert!(output.stdout.is_empty(), "{output:?}");
        (output.status.code(), text(&output.stderr))
    }
}
