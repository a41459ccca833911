//! A small server: it reads a request, then does what the script of the connection says.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Step on a connection, which is closed after the last one.
#[derive(Clone)]
pub(crate) enum Step {
    Send(String),
    Wait(Duration),
    /// Sends this until the client closes the connection.
    Flood(String),
    /// Waits until the client closes the connection.
    Hold,
}

pub(crate) struct Server {
    /// Address of the server, without a path.
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
    /// Number of connections that the client closed, and number of flooded bytes.
    pub(crate) closed: watch::Receiver<(usize, usize)>,
}

impl Server {
    /// Starts a server with one script for each connection, in order; the last one applies to all later ones.
    pub(crate) async fn start(scripts: Vec<Vec<Step>>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (closing, closed) = watch::channel((0, 0));
        let (known, closing) = (requests.clone(), Arc::new(closing));
        tokio::spawn(async move {
            let mut n = 0;
            while let Ok((mut stream, _)) = listener.accept().await {
                let is_question = async {
                    let mut first = [0; 4];
                    // TLS begins with other bytes, and some connections send nothing.
                    let peeked = stream.peek(&mut first);
                    let peeked = tokio::time::timeout(Duration::from_secs(1), peeked).await;
                    matches!(peeked, Ok(Ok(4))) && &first == b"GET "
                };
                // A local model is asked how long requests may be.
                if is_question.await {
                    let _ = stream.write_all(head("404 Not Found", "").as_bytes()).await;
                    continue;
                }
                let script = scripts.get(n).or(scripts.last()).cloned().unwrap_or_default();
                n += 1;
                tokio::spawn(play(stream, script, known.clone(), closing.clone()));
            }
        });
        Server { url, requests, closed }
    }

    /// Returns the requests so far: heads and bodies.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn play(
    mut stream: TcpStream,
    script: Vec<Step>,
    requests: Arc<Mutex<Vec<String>>>,
    closing: Arc<watch::Sender<(usize, usize)>>,
) {
    if let Some(request) = read(&mut stream).await {
        requests.lock().unwrap().push(request);
    }
    for step in script {
        match step {
            Step::Send(text) => {
                if stream.write_all(text.as_bytes()).await.is_err() {
                    return;
                }
            }
            Step::Wait(time) => tokio::time::sleep(time).await,
            Step::Flood(text) => {
                while stream.write_all(text.as_bytes()).await.is_ok() {
                    closing.send_modify(|(_, n_bytes)| *n_bytes += text.len());
                }
                closing.send_modify(|(n, _)| *n += 1);
            }
            Step::Hold => {
                let mut rest = [0; 64];
                while stream.read(&mut rest).await.is_ok_and(|n| n > 0) {}
                closing.send_modify(|(n, _)| *n += 1);
            }
        }
    }
}

/// Reads a request with its body, whose length the head declares. `None` if the connection sends nothing, or TLS.
async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length =
                head.split_once("content-length: ")?.1.lines().next()?.trim().parse().ok()?;
            if body.len() >= length {
                return Some(text);
            }
        }
        if bytes.first().is_some_and(|byte| !byte.is_ascii_uppercase()) {
            return None;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

/// Returns the head of an answer that ends with its connection.
pub(crate) fn head(status: &str, headers: &str) -> String {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n")
}

/// Returns a whole answer.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Vec<Step> {
    vec![Step::Send(head(status, headers) + body)]
}

/// Returns the head of a stream of events.
pub(crate) fn events() -> String {
    head("200 OK", "Content-Type: text/event-stream\r\n")
}

/// Returns an event of chat completions with some text.
pub(crate) fn text(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}

/// End of chat completions.
pub(crate) const DONE: &str =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// Returns a good answer.
pub(crate) fn good() -> Vec<Step> {
    vec![Step::Send(events() + &text("Hello") + DONE)]
}
