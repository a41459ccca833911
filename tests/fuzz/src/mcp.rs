//! Lines that a client may send to a server: requests of both revisions, notifications, answers nobody asked for, and what is
//! none of these.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Duration;

use mitt::Host;
use mitt_serve::mcp::{Client, Server, ServerOptions};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio_util::sync::CancellationToken;

use super::runtime;
use super::shape::Shape;

/// Longest wait for the answers to all lines. Far beyond what they need on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

const METHODS: [&str; 30] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "tools/call",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "resources/directory/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "skills/list",
    "skills/get",
    "tasks/get",
    "tasks/list",
    "tasks/cancel",
    "tasks/update",
    "tasks/result",
    "elicitation/create",
    "roots/list",
    "sampling/createMessage",
    "no/such",
    "",
    "\u{6570}/\u{636e}",
];

const NOTIFICATIONS: [&str; 6] = [
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed",
    "notifications/elicitation/complete",
    "no/such",
];

/// Every request gets exactly one answer with its id, whatever stands around it, and the server lives on.
pub fn mcp(data: &[u8]) {
    static SERVER: LazyLock<Server> = LazyLock::new(|| {
        let host = Host::builder()
            .no_cache()
            .bundled_skills(false)
            .call_limits(super::component::limits());
        let host = host.component_bytes("echo", super::component::plain()).build().unwrap();
        Server::new(host, ServerOptions::default()).unwrap()
    });
    let mut shape = Shape::new(data);
    let mut script = Script::default();
    if shape.below(8) != 0 {
        script.request(0, &mut shape, Some("initialize"));
        script
            .lines
            .push(line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })));
    }
    for number in 1..=1 + shape.below(40) {
        script.message(number, &mut shape);
    }
    script.lines.push(line(&json!({ "jsonrpc": "2.0", "id": "last", "method": "ping" })));
    script.requests.insert(json!("last").to_string());
    let answers = runtime().block_on(exchange(&SERVER, &script));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for answer in answers.iter().filter(|answer| answer.get("method").is_none()) {
        let is_answer = answer.get("result").is_some() != answer.get("error").is_some();
        assert!(is_answer && answer["jsonrpc"] == "2.0", "{answer}");
        *counts.entry(answer["id"].to_string()).or_default() += 1;
    }
    for id in &script.requests {
        let count = counts.get(id).copied().unwrap_or_default();
        // By the protocol a request that its client has cancelled needs no answer.
        let is_right = count == 1 || (count == 0 && script.cancelled.contains(id));
        assert!(is_right, "{count} answers with the id {id} to {:?}: {answers:?}", script.shown());
    }
}

#[derive(Default)]
struct Script {
    lines: Vec<Vec<u8>>,
    /// The ids of requests that are well formed: each has an answer of its own.
    requests: BTreeSet<String>,
    /// Ids that were named in a cancellation.
    cancelled: BTreeSet<String>,
}

impl Script {
    fn shown(&self) -> Vec<String> {
        self.lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }

    fn message(&mut self, number: usize, shape: &mut Shape<'_>) {
        match shape.below(12) {
            0 => {
                let method = NOTIFICATIONS[shape.below(NOTIFICATIONS.len())];
                let mut params = params(shape, number);
                if method == "notifications/cancelled" {
                    let id = id(shape.below(number + 1), shape.flip());
                    self.cancelled.insert(id.to_string());
                    params.insert("requestId".into(), id);
                }
                self.lines
                    .push(line(&json!({ "jsonrpc": "2.0", "method": method, "params": params })));
            }
            1 => {
                let id = id(shape.below(number + 1), shape.flip());
                let answer = if shape.flip() {
                    json!({ "jsonrpc": "2.0", "id": id, "result": value(shape, 2) })
                } else {
                    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -1, "message": "x" } })
                };
                self.lines.push(line(&answer));
            }
            2 => {
                let mut any = value(shape, 3);
                // It is answered by its id, which must not be another's.
                if let Some(id) = any.get_mut("id") {
                    *id = json!(format!("any {number}"));
                }
                self.lines.push(line(&any));
            }
            3 | 4 => self.damaged(number, shape),
            _ => self.request(number, shape, None),
        }
    }

    /// A request whose id nobody else has.
    fn request(&mut self, number: usize, shape: &mut Shape<'_>, method: Option<&str>) {
        let id = id(number, shape.flip());
        let method = method.unwrap_or(METHODS[shape.below(METHODS.len())]);
        let mut params = params(shape, number);
        if method == "initialize" {
            let revision =
                ["2025-06-18", "2025-11-25", "2024-11-05", "2026-07-28", ""][shape.below(5)];
            params.insert("protocolVersion".into(), json!(revision));
            params.insert("capabilities".into(), json!({}));
            params.insert("clientInfo".into(), json!({ "name": "f", "version": "1" }));
        }
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if shape.below(8) != 0 {
            message["params"] = params.into();
        }
        self.requests.insert(id.to_string());
        self.lines.push(line(&message));
    }

    /// A request with some of its bytes changed: how it is answered is not known, as long as it is one line.
    fn damaged(&mut self, number: usize, shape: &mut Shape<'_>) {
        let mut other = Script::default();
        other.request(number, shape, None);
        let mut request: Value = serde_json::from_slice(&other.lines[0]).unwrap();
        // What is left of this id is never another's.
        request["id"] = json!(format!("damaged {number}"));
        let mut bytes = line(&request);
        for _ in 0..=shape.below(4) {
            let place = (shape.below(256) << 8 | shape.below(256)) % bytes.len();
            match shape.below(4) {
                0 => bytes[place] = b"\"{}[],:0\\ \xff\0"[shape.below(12)],
                1 => drop(bytes.drain(place..)),
                2 => bytes.insert(place, b'['),
                _ => bytes.splice(place..place, b"\"id\":7000000,".iter().copied()).for_each(drop),
            }
            if bytes.is_empty() {
                bytes.push(b'{');
            }
        }
        bytes.retain(|byte| *byte != b'\n');
        bytes.push(b'\n');
        self.lines.push(bytes);
    }
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

/// Numbers and texts are different ids.
fn id(number: usize, is_text: bool) -> Value {
    if is_text { json!(format!("n{number}")) } else { json!(number) }
}

fn params(shape: &mut Shape<'_>, number: usize) -> Map<String, Value> {
    const NAMES: [&str; 5] = ["echo__run", "echo__spin", "documents__add", "no__such", ""];
    const URIS: [&str; 6] = [
        "mitt://documents/a.md",
        "skill://echo/SKILL.md",
        "skill://",
        "file:///etc/passwd",
        "mitt://artifacts/..",
        "\u{202e}",
    ];
    let mut params = Map::new();
    for _ in 0..shape.below(5) {
        let (key, value) = match shape.below(9) {
            0 | 1 => ("name", json!(NAMES[shape.below(NAMES.len())])),
            2 => ("arguments", value(shape, 2)),
            3 => ("uri", json!(URIS[shape.below(URIS.len())])),
            4 => ("cursor", value(shape, 1)),
            5 => ("taskId", json!(format!("{number}"))),
            6 => ("ref", json!({ "type": "ref/prompt", "name": "x" })),
            7 => ("level", json!(["debug", "error", "x"][shape.below(3)])),
            _ => ("argument", json!({ "name": "a", "value": "" })),
        };
        params.insert(key.into(), value);
    }
    if shape.flip() {
        let revision = ["2026-07-28", "2025-11-25", "x"][shape.below(3)];
        params.insert(
            "_meta".into(),
            json!({
                "io.modelcontextprotocol/protocolVersion": revision,
                "io.modelcontextprotocol/clientInfo": { "name": "f", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": value(shape, 2),
                "mitt/session": (shape.flip()).then(|| format!("s{}", shape.below(4))),
                "progressToken": value(shape, 1),
            }),
        );
    }
    params
}

fn value(shape: &mut Shape<'_>, depth: usize) -> Value {
    match shape.below(if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(shape.flip()),
        2 => json!(shape.below(256)),
        3 => json!(-1.5e300),
        4 => json!(["", "a", "\u{0}", "\u{6570}"][shape.below(4)]),
        5 => json!("x".repeat(1 << shape.below(12))),
        6 => (0..shape.below(4)).map(|_| value(shape, depth - 1)).collect(),
        _ => {
            let keys = ["a", "name", "jsonrpc", "id", "method", "tasks"];
            let pairs = (0..shape.below(4))
                .map(|_| (keys[shape.below(keys.len())].to_owned(), value(shape, depth - 1)));
            Value::Object(pairs.collect())
        }
    }
}

/// Send all lines, close, and give what the server sent. It must end by itself.
async fn exchange(server: &Server, script: &Script) -> Vec<Value> {
    let (client, ours) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(ours);
    let server = server.clone();
    let serving = tokio::spawn(async move {
        server.serve_over(Client::default(), CancellationToken::new(), input, output).await
    });
    let (answers, mut requests) = tokio::io::split(client);
    let lines = script.lines.concat();
    let mut missing = &script.requests - &script.cancelled;
    let reading = tokio::spawn(async move {
        let mut lines = BufReader::new(answers).lines();
        let mut answers = Vec::new();
        while !missing.is_empty()
            && let Ok(Some(line)) = lines.next_line().await
        {
            let answer: Value = serde_json::from_str(&line).expect("every line is JSON");
            if answer.get("method").is_none() {
                missing.remove(&answer["id"].to_string());
            }
            answers.push(answer);
        }
        (answers, lines)
    });
    let _ = requests.write_all(&lines).await;
    let late = "the server answers in time";
    let (mut answers, mut rest) = tokio::time::timeout(PATIENCE, reading)
        .await
        .unwrap_or_else(|_| panic!("not all are answered: {:?}", script.shown()))
        .unwrap();
    // What comes twice comes before the end.
    requests.shutdown().await.unwrap();
    let ending = async {
        while let Ok(Some(line)) = rest.next_line().await {
            answers.push(serde_json::from_str(&line).expect("every line is JSON"));
        }
    };
    tokio::time::timeout(PATIENCE, ending).await.expect(late);
    tokio::time::timeout(PATIENCE, serving).await.expect(late).unwrap().unwrap();
    answers
}
