//! A server with the interface of S3, as far as a function uses it. It checks no signature. Beside objects it answers as a model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use mitt_base::lock;
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What the model says.
pub(super) const SAID: &str = "The total is 3.";

#[derive(Default)]
pub(super) struct State {
    /// Objects by `/bucket/key`.
    pub(super) objects: BTreeMap<String, Vec<u8>>,
    /// Parts of uploads that are neither complete nor given up.
    pub(super) uploads: BTreeMap<String, BTreeMap<u16, Vec<u8>>>,
    /// Media types of objects.
    pub(super) media_types: BTreeMap<String, String>,
    /// Whole responses for all requests of an object.
    pub(super) refusals: BTreeMap<String, String>,
    /// Objects whose second part never gets a response.
    pub(super) hanging: BTreeSet<String>,
    /// Objects whose writing never gets a response.
    pub(super) silent: BTreeSet<String>,
    /// Methods and paths of requests.
    pub(super) requests: Vec<String>,
}

pub(super) struct Server {
    pub(super) port: u16,
    pub(super) state: Arc<Mutex<State>>,
}

/// Returns a refusal as S3 has it.
pub(super) fn refusal(status: &str, headers: &str, code: &str) -> String {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code></Error>");
    response(status, headers, &body)
}

fn response(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}

impl Server {
    pub(super) async fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::<Mutex<State>>::default();
        let served = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, served.clone()));
            }
        });
        Server { port, state }
    }

    /// Puts an object there.
    pub(super) fn put(&self, path: &str, content: impl Into<Vec<u8>>) {
        lock(&self.state).objects.insert(path.to_owned(), content.into());
    }

    /// Returns the content of an object as text.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let content = lock(&self.state).objects.get(path).cloned()?;
        Some(String::from_utf8(content).unwrap())
    }

    /// Returns the paths of all objects.
    pub(super) fn paths(&self) -> Vec<String> {
        lock(&self.state).objects.keys().cloned().collect()
    }

    /// Returns what a link leads to.
    pub(super) async fn follow(&self, link: &str) -> Vec<u8> {
        let (_, rest) = link.split_once("://").unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        assert_eq!(host, format!("127.0.0.1:{}", self.port));
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut whole = Vec::new();
        stream.read_to_end(&mut whole).await.unwrap();
        let at = whole.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        whole.split_off(at + 4)
    }
}

async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).await.unwrap_or(0) == 0 {
            return;
        }
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    let length = header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let line: Vec<&str> = head.split(' ').collect();
    let (path, query) = line[1].split_once('?').unwrap_or((line[1], ""));
    let path = percent_decode_str(path).decode_utf8().unwrap().into_owned();
    let hangs = {
        let mut state = lock(&state);
        state.requests.push(format!("{} {path}", line[0]));
        query.contains("partNumber=2&") && state.hanging.contains(&path)
            || line[0] == "PUT" && state.silent.contains(&path)
    };
    if hangs {
        std::future::pending::<()>().await;
    }
    let answer = {
        let mut state = lock(&state);
        match state.refusals.get(&path) {
            Some(refusal) => refusal.clone().into_bytes(),
            None => {
                let headers = (header("range"), header("content-type"));
                state.answer((line[0], &path, query), headers, body)
            }
        }
    };
    let _ = stream.write_all(&answer).await;
    let _ = stream.shutdown().await;
}

impl State {
    fn answer(
        &mut self,
        (method, path, query): (&str, &str, &str),
        (range, media_type): (Option<String>, Option<String>),
        body: Vec<u8>,
    ) -> Vec<u8> {
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
        };
        let text = match (method, value("uploadId")) {
            ("POST", None) if path.ends_with("/chat/completions") => {
                let message = serde_json::json!({ "role": "assistant", "content": SAID });
                let answer = serde_json::json!({
                    "id": "1", "object": "chat.completion", "model": "mock",
                    "choices": [{ "index": 0, "finish_reason": "stop", "message": message }],
                    "usage": { "prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16 },
                });
                response("200 OK", "Content-Type: application/json\r\n", &answer.to_string())
            }
            ("PUT", Some(id)) => {
                let number = value("partNumber").unwrap().parse().unwrap();
                self.uploads.get_mut(&id).unwrap().insert(number, body);
                response("200 OK", &format!("ETag: \"part-{number}\"\r\n"), "")
            }
            ("POST", Some(id)) => {
                let parts = self.uploads.remove(&id).unwrap();
                let whole = parts.into_values().flatten().collect();
                self.objects.insert(path.to_owned(), whole);
                response("200 OK", "", "<CompleteMultipartUploadResult/>")
            }
            ("DELETE", Some(id)) => {
                self.uploads.remove(&id);
                response("204 No Content", "", "")
            }
            ("POST", None) => {
                let id = format!("id-{}", self.uploads.len());
                self.media_types.extend(media_type.map(|it| (path.to_owned(), it)));
                let name = "InitiateMultipartUploadResult";
                let body = format!(
                    "<{name} xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><UploadId>{id}</UploadId></{name}>"
                );
                self.uploads.insert(id, BTreeMap::new());
                response("200 OK", "", &body)
            }
            ("PUT", None) => {
                self.media_types.extend(media_type.map(|it| (path.to_owned(), it)));
                self.objects.insert(path.to_owned(), body);
                response("200 OK", "ETag: \"whole\"\r\n", "")
            }
            _ => return self.read(path, range.as_deref()),
        };
        text.into_bytes()
    }

    fn read(&self, path: &str, range: Option<&str>) -> Vec<u8> {
        let Some(object) = self.objects.get(path) else {
            return refusal("404 Not Found", "", "NoSuchKey").into_bytes();
        };
        let size = object.len();
        let Some(range) = range else {
            return [response_head("200 OK", size, "").as_bytes(), object].concat();
        };
        let (first, last) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
        let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
        if first >= size {
            let headers = format!("Content-Range: bytes */{size}\r\n");
            return refusal("416 Range Not Satisfiable", &headers, "InvalidRange").into_bytes();
        }
        let end = (last + 1).min(size);
        let headers =
            format!("ETag: \"{size}\"\r\nContent-Range: bytes {first}-{}/{size}\r\n", end - 1);
        let head = response_head("206 Partial Content", end - first, &headers);
        [head.as_bytes(), &object[first..end]].concat()
    }
}

fn response_head(status: &str, length: usize, headers: &str) -> String {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n")
}
