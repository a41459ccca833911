//! The model: a server of streamed chat completions in this process, which answers by keywords and notes when it sent what.
//!
//! | in the last message of the user | answer                                                                   |
//! |---------------------------------|--------------------------------------------------------------------------|
//! | `[say TEXT]`                    | the text at once                                                         |
//! | `[pieces N MS]`                 | N pieces such as `@17;`, one each MS milliseconds, once the gate is open |

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The model.
pub(crate) struct Model {
    pub(crate) address: SocketAddr,
    /// When each piece was sent, by its number.
    sent: Mutex<Vec<Instant>>,
    is_open: watch::Sender<bool>,
}

impl Model {
    /// Starts it, with an open gate. It serves until this process ends.
    pub(crate) async fn start() -> Arc<Model> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let is_open = watch::channel(true).0;
        let model = Arc::new(Model { address, sent: Mutex::default(), is_open });
        let serving = model.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let model = serving.clone();
                tokio::spawn(async move {
                    stream.set_nodelay(true).unwrap();
                    // A client that goes away is none of the model's business.
                    let _ = model.answer_all(stream).await;
                });
            }
        });
        model
    }

    /// Lets no model begin to send pieces.
    pub(crate) fn close_gate(&self) {
        self.is_open.send_replace(false);
    }

    pub(crate) fn open_gate(&self) {
        self.is_open.send_replace(true);
    }

    /// Returns how long ago the pieces in a text were sent.
    pub(crate) fn delays(&self, text: &str) -> Vec<Duration> {
        let now = Instant::now();
        let sent = self.sent.lock().unwrap();
        let numbers = text.split('@').skip(1).filter_map(|rest| rest.split_once(';'));
        let sent = numbers.map(|(number, _)| sent[number.parse::<usize>().unwrap()]);
        sent.map(|sent| now.duration_since(sent)).collect()
    }

    async fn answer_all(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        loop {
            let (mut head, mut length) = (String::new(), 0);
            while !head.ends_with("\r\n\r\n") {
                let begin = head.len();
                if stream.read_line(&mut head).await? == 0 {
                    return Ok(());
                }
                if let Some(value) =
                    head[begin..].to_ascii_lowercase().strip_prefix("content-length:")
                {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await?;
            match serde_json::from_slice::<Value>(&body) {
                Ok(request) if request["stream"] == true => {
                    self.answer(stream.get_mut(), &said(&request)).await?;
                }
                Ok(request) => answer_whole(stream.get_mut(), &said(&request)).await?,
                // It is asked how many tokens it takes.
                Err(_) => {
                    let none = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
                    stream.get_mut().write_all(none).await?;
                }
            }
        }
    }

    async fn answer(&self, stream: &mut TcpStream, said: &str) -> std::io::Result<()> {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        if let Some(text) = keyword(said, "[say ") {
            let all = format!("{head}{}{}", text_chunk(text), end());
            return stream.write_all(all.as_bytes()).await;
        }
        let pieces = keyword(said, "[pieces ").unwrap_or_else(|| panic!("no keyword: {said}"));
        let (count, pause) = pieces.split_once(' ').unwrap();
        let (count, pause) =
            (count.parse().unwrap(), Duration::from_millis(pause.parse().unwrap()));
        stream.write_all(head.as_bytes()).await?;
        // The sender lives as long as this.
        let _ = self.is_open.subscribe().wait_for(|is_open| *is_open).await;
        let mut clock = tokio::time::interval(pause);
        for _ in 0..count {
            clock.tick().await;
            let number = {
                let mut sent = self.sent.lock().unwrap();
                sent.push(Instant::now());
                sent.len() - 1
            };
            stream.write_all(text_chunk(&format!("@{number};")).as_bytes()).await?;
        }
        stream.write_all(end().as_bytes()).await
    }
}

/// Returns the text of the last message of the user.
fn said(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap();
    let last = messages.iter().rev().find(|message| message["role"] == "user");
    match last.map(|message| &message["content"]) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect()
        }
        _ => String::new(),
    }
}

fn keyword<'a>(said: &'a str, begin: &str) -> Option<&'a str> {
    said.split_once(begin)?.1.split_once(']').map(|(text, _)| text)
}

fn text_chunk(text: &str) -> String {
    data(&json!([{ "index": 0, "delta": { "role": "assistant", "content": text } }]), &Value::Null)
}

fn end() -> String {
    let finish = data(&json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }]), &Value::Null);
    let usage = data(&json!([]), &usage());
    format!("{finish}{usage}{}0\r\n\r\n", chunk("data: [DONE]\n\n"))
}

fn usage() -> Value {
    json!({ "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110 })
}

fn data(choices: &Value, usage: &Value) -> String {
    let data = json!({
        "id": "answer", "object": "chat.completion.chunk", "created": 0, "model": "mock", "choices": choices, "usage": usage,
    });
    chunk(&format!("data: {data}\n\n"))
}

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

/// Answers `[say TEXT]` as one JSON object, as a client wants that does not stream.
async fn answer_whole(stream: &mut TcpStream, said: &str) -> std::io::Result<()> {
    let text = keyword(said, "[say ").unwrap_or_else(|| panic!("no keyword: {said}"));
    let message = json!({ "role": "assistant", "content": text });
    let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
    let answer = json!({
        "id": "answer", "object": "chat.completion", "created": 0, "model": "mock", "choices": [choice], "usage": usage(),
    });
    let (answer, kind) = (answer.to_string(), "content-type: application/json");
    let head = format!("HTTP/1.1 200 OK\r\n{kind}\r\ncontent-length: {}\r\n\r\n", answer.len());
    stream.write_all(format!("{head}{answer}").as_bytes()).await
}
