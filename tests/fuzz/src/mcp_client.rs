//! What a server of MCP may send to our client, over HTTP and over the standard output of a program: answers of the wrong form, with
//! ids nobody asked for, with requests and notifications between them, in the wrong media type, broken off.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mitt::{ErrorKind, Host, SessionOptions};
use mitt_sources::{Approved, Listing, MAX_TOOLS, Server, Servers, Sources};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::damaged_json::{any, change, damaged_bytes};
use super::shape::Shape;
use super::{bounded, panics, runtime};

/// Longest time for all requests of one input, which have a second each.
const PATIENCE: Duration = Duration::from_secs(60);

/// Most characters of the descriptions and schemas of a listing. An answer has less than this here.
const MOST_LISTED: usize = 4 << 20;

/// A listing and the result of a call are read or refused by an error that names the server.
pub fn mcp_client(data: &[u8]) {
    let mut shape = Shape::new(data);
    let before = panics();
    runtime().block_on(async {
        // A program costs more time than a connection.
        let transport = match shape.below(8) {
            7 if cfg!(unix) => Transport::program(),
            _ => Transport::http().await,
        };
        let whole = Answers::default();
        transport.sends(whole.clone());
        let listing = Listing::of(&transport.server).await;
        let listing = listing.unwrap_or_else(|error| panic!("{}", error.render()));
        assert_eq!(listing.tools.len(), 1, "{listing:?}");
        let mut approved = Approved::default();
        approved.approve(&transport.server, &listing);
        let work = async {
            transport.sends(Answers::damaged(&mut shape, &["initialize", "tools/list"]));
            match Listing::of(&transport.server).await {
                Ok(listing) => check(&listing),
                Err(error) => refused(&error),
            }
            let methods = ["tools/call", "tools/call", "tools/list"];
            transport.sends(Answers::damaged(&mut shape, &methods));
            called(&transport, &approved).await;
        };
        let late = "a server that answers or ends";
        tokio::time::timeout(PATIENCE, work).await.expect(late);
        transport.end();
    });
    assert_eq!(panics(), before, "a task panicked");
}

fn check(listing: &Listing) {
    assert!(listing.tools.len() <= MAX_TOOLS && listing.problems.len() <= MAX_TOOLS + 1);
    assert!(listing.server.chars().count() <= 130, "{}", listing.server);
    for tool in &listing.tools {
        let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
        assert!(tool.tool.starts_with("mcp_fuzz__") && tool.tool.len() <= 64, "{}", tool.tool);
        assert!(tool.tool.chars().all(is_plain), "{}", tool.tool);
    }
    let all =
        serde_json::to_string(&listing.tools.iter().map(|it| &it.input_schema).collect::<Vec<_>>());
    let described: usize = listing.tools.iter().map(|it| it.description.len()).sum();
    assert!(all.unwrap().len() + described <= MOST_LISTED);
}

fn refused(error: &mitt::Error) {
    bounded(error, &[ErrorKind::Host, ErrorKind::Plugin, ErrorKind::Denied]);
    assert!(error.render().contains("`fuzz`"), "{}", error.render());
}

/// Calls the tool that was approved.
async fn called(transport: &Transport, approved: &Approved) {
    let sources = Sources::new(&transport.servers, approved);
    assert_eq!(sources.problems(), [""; 0]);
    let mut host = Host::builder().no_cache().bundled_skills(false);
    for tool in sources.tools() {
        host = host.tool(tool);
    }
    let session = host.build().unwrap().session(SessionOptions::default()).unwrap();
    for _ in 0..2 {
        let report = session.call("mcp_fuzz__find", r#"{"words":"a"}"#).await;
        if let Err(error) = report.result {
            bounded(&error, &[ErrorKind::Host, ErrorKind::Plugin, ErrorKind::Denied]);
            // The tool says itself why it failed.
            let is_named = error.render().contains("fuzz") || *error.kind() == ErrorKind::Plugin;
            assert!(is_named || error.limit_reached().is_some(), "{}", error.render());
        }
    }
}

/// What is sent for each request of the client.
#[derive(Clone, Default)]
struct Answers {
    /// Changes of the answers to a method, in the order of its requests, until there are none left.
    changes: Vec<(&'static str, Vec<u8>)>,
}

impl Answers {
    /// Returns damaged answers to some requests of these methods.
    fn damaged(shape: &mut Shape<'_>, methods: &[&'static str]) -> Answers {
        let mut changes = Vec::new();
        for method in methods {
            for _ in 0..shape.below(3) {
                let steering = (0..8 + shape.below(120)).map(|_| shape.below(256) as u8);
                changes.push((*method, steering.collect()));
            }
        }
        Answers { changes }
    }

    /// Returns the answer to a request. `None` for a notification.
    fn to(&mut self, request: &[u8]) -> Option<Answer> {
        let request: Value = serde_json::from_slice(request).unwrap();
        let method = request["method"].as_str().unwrap_or_default();
        let id = request.get("id")?;
        let result = match method {
            "initialize" => json!({
                "protocolVersion": request["params"]["protocolVersion"], "capabilities": { "tools": {} },
                "serverInfo": { "name": "fuzz", "version": "1" },
            }),
            "tools/list" => json!({ "tools": [{
                "name": "find", "description": "Finds notes.", "annotations": { "readOnlyHint": true },
                "inputSchema": { "type": "object", "properties": { "words": { "type": "string" } } },
            }] }),
            "tools/call" => json!({
                "content": [
                    { "type": "text", "text": "two notes" },
                    { "type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo=" },
                    { "type": "resource", "resource": { "uri": "a:b", "mimeType": "text/csv", "blob": "YQox" } },
                    { "type": "resource_link", "uri": "a:c", "name": "c" },
                ],
                "structuredContent": { "count": 2 }, "isError": false,
            }),
            _ => {
                let error = json!({ "code": -32601, "message": "no such method" });
                let text = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
                return Some(Answer::whole(text));
            }
        };
        let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        let at = self.changes.iter().position(|(it, _)| *it == method);
        let Some((_, steering)) = at.map(|at| self.changes.remove(at)) else {
            return Some(Answer::whole(message.to_string()));
        };
        Some(Answer::damaged(message, &mut Shape::new(&steering)))
    }
}

/// What is sent for one request.
struct Answer {
    /// Lines or events.
    messages: Vec<Vec<u8>>,
    status: &'static str,
    media_type: &'static str,
    /// `true` if they are sent as events.
    is_stream: bool,
    /// `true` if the connection or the program ends then.
    ends: bool,
}

impl Answer {
    fn whole(text: String) -> Answer {
        Answer {
            messages: vec![text.into_bytes()],
            status: "200 OK",
            media_type: "application/json",
            is_stream: false,
            ends: false,
        }
    }

    /// Returns an answer with some of its values changed, in company, and in another form.
    fn damaged(mut message: Value, shape: &mut Shape<'_>) -> Answer {
        const TYPES: [&str; 6] = [
            "application/json",
            "text/event-stream",
            "text/html",
            "",
            "application/json; charset=x",
            "\u{6570}",
        ];
        const STATUSES: [&str; 8] = [
            "202 Accepted",
            "204 No Content",
            "400 Bad Request",
            "401 Unauthorized",
            "404 Not Found",
            "429 Too Many Requests",
            "500 Internal Server Error",
            "301 Moved",
        ];
        let error = json!({ "code": -32000, "message": "not now" });
        let refusal = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
        let mut needs_refusal = shape.flip();
        for _ in 0..shape.below(4) {
            match shape.below(12) {
                0 if message.is_object() => (message["id"], needs_refusal) = (any(shape, 1), true),
                1 => {
                    message =
                        json!({ "jsonrpc": "2.0", "id": message["id"], "error": any(shape, 2) })
                }
                2 => (message, needs_refusal) = (any(shape, 3), true),
                3 if message["result"].is_object() => many(&mut message, shape),
                _ => change(message.get_mut("result").unwrap_or(&mut Value::Null), shape),
            }
        }
        let mut text = message.to_string().into_bytes();
        let mut answer = Answer::whole(String::new());
        if shape.below(6) == 5 {
            damaged_bytes(&mut text, shape);
            needs_refusal = true;
        }
        answer.messages = vec![text];
        for _ in 0..shape.below(4) {
            let other = company(shape).to_string().into_bytes();
            answer.messages.insert(shape.below(answer.messages.len() + 1), other);
        }
        // Whatever came before it, the request has an answer now, and nobody waits.
        if needs_refusal && shape.below(64) != 63 {
            answer.messages.push(refusal.to_string().into_bytes());
        }
        answer.is_stream = answer.messages.len() > 1 || shape.flip();
        answer.media_type = if answer.is_stream { "text/event-stream" } else { "application/json" };
        if shape.below(8) == 7 {
            answer.media_type = TYPES[shape.below(TYPES.len())];
        }
        if shape.below(8) == 7 {
            answer.status = STATUSES[shape.below(STATUSES.len())];
        }
        answer.ends = shape.below(4) == 3;
        answer
    }
}

/// Gives a list of the result very many items.
fn many(message: &mut Value, shape: &mut Shape<'_>) {
    let count = 1 << shape.below(14);
    for list in ["tools", "content"] {
        if let Some(items) = message["result"][list].as_array_mut()
            && let Some(first) = items.first().cloned()
        {
            items.extend(vec![first; count]);
        }
    }
    message["result"]["nextCursor"] = json!("x");
}

/// A message that nobody asked for.
fn company(shape: &mut Shape<'_>) -> Value {
    const METHODS: [&str; 10] = [
        "ping",
        "elicitation/create",
        "sampling/createMessage",
        "roots/list",
        "notifications/message",
        "notifications/progress",
        "notifications/tools/list_changed",
        "notifications/cancelled",
        "notifications/elicitation/complete",
        "no/such",
    ];
    let method = METHODS[shape.below(METHODS.len())];
    match shape.below(4) {
        0 => json!({ "jsonrpc": "2.0", "id": any(shape, 0), "result": any(shape, 2) }),
        1 => json!({ "jsonrpc": "2.0", "method": method, "params": any(shape, 3) }),
        2 => json!({ "jsonrpc": "2.0", "id": shape.below(9), "method": method, "params": {
            "message": "Say it.", "mode": "form", "requestedSchema": any(shape, 2), "requestId": 1, "progressToken": any(shape, 0),
            "progress": 1e300, "level": "error", "data": any(shape, 2), "url": "http://127.0.0.1:9", "elicitationId": "e",
        } }),
        _ => any(shape, 2),
    }
}

/// A server that sends what it is told to.
struct Transport {
    servers: Servers,
    server: Server,
    answers: Arc<Mutex<Answers>>,
    task: Option<tokio::task::JoinHandle<()>>,
    /// Where the answers of a program are.
    folder: Option<tempfile::TempDir>,
}

impl Transport {
    fn new(entry: Value) -> Transport {
        let mut entry = entry;
        for (key, value) in
            [("enabled", json!(true)), ("startupTimeout", json!(1)), ("timeout", json!(1))]
        {
            entry[key] = value;
        }
        let text = json!({ "mcpServers": { "fuzz": entry } }).to_string();
        let servers = Servers::parse(&text, "mcp.json").unwrap();
        let server = servers.named("fuzz").unwrap().clone();
        Transport { servers, server, answers: Arc::default(), task: None, folder: None }
    }

    async fn http() -> Transport {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let mut transport = Transport::new(json!({ "url": url }));
        let answers = transport.answers.clone();
        transport.task = Some(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(connection(stream, answers.clone()));
            }
        }));
        transport
    }

    /// A shell that answers the first line with the file `1`, the second with the file `2`, and so on.
    fn program() -> Transport {
        const SCRIPT: &str =
            "n=0; while read -r line; do n=$((n+1)); cat \"$n\" 2>/dev/null || exit 0; done";
        let folder = tempfile::tempdir().unwrap();
        let entry = json!({ "command": "sh", "args": ["-c", SCRIPT], "cwd": folder.path() });
        Transport { folder: Some(folder), ..Transport::new(entry) }
    }

    /// Decides what is sent from now on.
    fn sends(&self, answers: Answers) {
        if let Some(folder) = &self.folder {
            lines(folder.path(), answers.clone());
        }
        *self.answers.lock().unwrap_or_else(PoisonError::into_inner) = answers;
    }

    fn end(&self) {
        self.task.iter().for_each(|task| task.abort());
    }
}

/// Writes the answers of a program. The ids of a client count from 0.
fn lines(folder: &std::path::Path, mut answers: Answers) {
    for entry in std::fs::read_dir(folder).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let methods =
        ["initialize", "notifications/initialized", "tools/list", "tools/call", "tools/call"];
    let mut id = 0;
    for (number, method) in (1..).zip(methods) {
        let mut request = json!({ "jsonrpc": "2.0", "method": method, "params": { "protocolVersion": "2025-11-25" } });
        if !method.starts_with("notifications/") {
            request["id"] = json!(id);
            id += 1;
        }
        let answer = answers.to(request.to_string().as_bytes());
        let messages = answer.iter().flat_map(|it| &it.messages);
        let text: Vec<u8> = messages.flat_map(|it| [it.as_slice(), b"\n"].concat()).collect();
        std::fs::write(folder.join(number.to_string()), text).unwrap();
        if answer.is_some_and(|it| it.ends) {
            return;
        }
    }
}

/// Answers the requests of one connection.
async fn connection(mut stream: TcpStream, answers: Arc<Mutex<Answers>>) {
    let mut bytes = Vec::new();
    while let Some((method, body)) = request(&mut stream, &mut bytes).await {
        let answer = match method.as_str() {
            "POST" => answers.lock().unwrap_or_else(PoisonError::into_inner).to(&body),
            // There are no streams and no sessions beside those of requests.
            _ => Some(Answer {
                status: "405 No",
                messages: Vec::new(),
                ..Answer::whole(String::new())
            }),
        };
        let ends = answer.as_ref().is_some_and(|it| it.ends);
        let reply = match answer {
            None => b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_vec(),
            Some(answer) => {
                let event = |it: &Vec<u8>| [b"data: ", it.as_slice(), b"\n\n"].concat();
                let body: Vec<u8> = if answer.is_stream {
                    answer.messages.iter().flat_map(event).collect()
                } else {
                    answer.messages.concat()
                };
                let (status, media, length) = (answer.status, answer.media_type, body.len());
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\r\n"
                );
                [head.into_bytes(), body].concat()
            }
        };
        if stream.write_all(&reply).await.is_err() || ends {
            return;
        }
    }
}

/// Reads the next request. `None` at the end.
async fn request(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    loop {
        if let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|it| it.strip_prefix("content-length:"));
            let length: usize = length.map_or(0, |it| it.trim().parse().unwrap());
            if bytes.len() >= end + 4 + length {
                let body = bytes[end + 4..end + 4 + length].to_vec();
                bytes.drain(..end + 4 + length);
                let method = head.split(' ').next().unwrap_or_default().to_ascii_uppercase();
                return Some((method, body));
            }
        }
        if stream.read_buf(bytes).await.ok()? == 0 {
            return None;
        }
    }
}
