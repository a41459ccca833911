//! A client's connection, which reads no more of HTTP than this server writes, so that it costs little.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// Bytes of an upload that are written at once.
const PIECE: usize = 256 * 1024;

/// A connection that is kept open from request to request.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    /// Line of each request's header with the token; empty without one.
    authorization: String,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        // Small, as there are hundreds of them.
        let stream = BufReader::with_capacity(4 * 1024, stream);
        Connection { stream, address, authorization: String::new() }
    }

    /// Sends the token, if there is one, with each request.
    pub(crate) fn with_token(mut self, token: Option<&str>) -> Connection {
        self.authorization =
            token.map_or_else(String::new, |token| format!("authorization: Bearer {token}\r\n"));
        self
    }

    /// Sends JSON, and returns the JSON of a response that is a success.
    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let head = "content-type: application/json\r\n";
        let (status, _, answer) = self.upload("POST", path, head, (&body, 0, "")).await;
        let text = String::from_utf8_lossy(&answer);
        assert!((200..300).contains(&status), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Asks for a stream of events, whose lines [`Connection::line`] returns.
    pub(crate) async fn follow(&mut self, method: &str, path: &str, body: Option<&Value>) {
        let body = body.map(Value::to_string).unwrap_or_default();
        let head = "accept: text/event-stream\r\ncontent-type: application/json\r\n";
        self.send(method, path, head, body.len() as u64).await;
        self.stream.get_mut().write_all(body.as_bytes()).await.unwrap();
        let head = self.head().await;
        assert!(
            status(&head) < 300 && field(&head, "transfer-encoding").is_some(),
            "{path}: {head}"
        );
    }

    /// Returns the next line of a stream of events, empty ones and sizes of chunks too; `None` at its end. The server writes
    /// an event as one chunk.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).await.unwrap();
        (read > 0 && line != "0\r\n").then(|| line.trim_end().to_owned())
    }

    /// Sends a body of a text, so many zeros, and another text. Returns status, header and body of the response.
    pub(crate) async fn upload(
        &mut self,
        method: &str,
        path: &str,
        head: &str,
        (before, zeros, after): (&str, u64, &str),
    ) -> (u16, String, Vec<u8>) {
        let length = before.len() as u64 + zeros + after.len() as u64;
        self.send(method, path, head, length).await;
        let stream = self.stream.get_mut();
        stream.write_all(before.as_bytes()).await.unwrap();
        let (piece, mut left) = (vec![0; PIECE], zeros);
        while left > 0 {
            let now = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            stream.write_all(&piece[..now]).await.unwrap();
            left -= now as u64;
        }
        stream.write_all(after.as_bytes()).await.unwrap();
        let head = self.head().await;
        let body = self.body(&head).await;
        (status(&head), head, body)
    }

    async fn send(&mut self, method: &str, path: &str, head: &str, length: u64) {
        let (address, authorization) = (self.address, &self.authorization);
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\n{authorization}{head}content-length: {length}\r\n\r\n"
        );
        self.stream.get_mut().write_all(request.as_bytes()).await.unwrap();
    }

    async fn head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).await.unwrap() > 0, "closed: {head}");
        }
        head
    }

    async fn body(&mut self, head: &str) -> Vec<u8> {
        let mut body = Vec::new();
        if let Some(length) = field(head, "content-length") {
            body.resize(length.parse().unwrap(), 0);
            self.stream.read_exact(&mut body).await.unwrap();
        } else if field(head, "transfer-encoding").is_some() {
            loop {
                let mut size = String::new();
                self.stream.read_line(&mut size).await.unwrap();
                let size = usize::from_str_radix(size.trim(), 16).unwrap();
                let mut chunk = vec![0; size + 2];
                self.stream.read_exact(&mut chunk).await.unwrap();
                if size == 0 {
                    break;
                }
                body.extend(&chunk[..size]);
            }
        }
        body
    }
}

fn status(head: &str) -> u16 {
    head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
}

/// Returns the value of a field of a header.
pub(crate) fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}
