//! The model: a server of streamed chat completions that answers by plan.
//!
//! The name of the model is the plan. `t20-n10` makes 20 turns of ten calls each and ends with a text; the text of each of its
//! turns is the time at which it was sent, in nanoseconds. The example's plans say what its recording says. A token is a byte of
//! the request here, so that who adds up tokens adds up bytes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::{Value, json};

/// The tool that a plan calls.
const TOOL: &str = "empty__run";

/// The example, as it is recorded.
pub(crate) const EXAMPLE: &str = "example";

/// The same by a model that first has to ask for the tools.
pub(crate) const EXAMPLE_CATALOGUE: &str = "example-catalogue";

/// So many turns of so many calls, and then a text.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) turns: usize,
    pub(crate) calls: usize,
}

impl Plan {
    pub(crate) fn model(self) -> String {
        format!("t{}-n{}", self.turns, self.calls)
    }

    pub(crate) fn from_model(model: &str) -> Option<Plan> {
        let (turns, calls) = model.strip_prefix('t')?.split_once("-n")?;
        Some(Plan { turns: turns.parse().ok()?, calls: calls.parse().ok()? })
    }
}

/// Nanoseconds since 1970.
pub(crate) fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()
}

pub(crate) fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap());
    for stream in listener.incoming() {
        std::thread::spawn(move || {
            let stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            // A client that goes away is none of the model's business.
            let _ = answer_all(&stream);
        });
    }
}

#[derive(Deserialize)]
struct Request {
    model: String,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
}

/// What the model says in one turn.
#[derive(Deserialize)]
struct Turn {
    /// None: the time.
    text: Option<String>,
    #[serde(default)]
    calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    id: String,
    name: String,
    arguments: Value,
}

fn answer_all(mut stream: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let request: Request = serde_json::from_slice(&body).unwrap();
        answer(&mut stream, &request, length)?;
    }
}

fn answer(stream: &mut &TcpStream, request: &Request, n_bytes: usize) -> std::io::Result<()> {
    let turn = next(request);
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let text = turn.text.unwrap_or_else(|| now().to_string());
    let delta = json!({"role": "assistant", "content": text});
    let first = event(&request.model, &json!([{"index": 0, "delta": delta}]), None);
    stream.write_all(format!("{head}{first}").as_bytes())?;

    let mut rest = String::new();
    let mut add = |delta: Value, finish: Option<&str>| {
        let choices = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        rest.push_str(&event(&request.model, &choices, None));
    };
    for (index, call) in turn.calls.iter().enumerate() {
        let function = json!({"name": call.name, "arguments": ""});
        let begun =
            json!({"index": index, "id": call.id, "type": "function", "function": function});
        add(json!({"tool_calls": [begun]}), None);
        let function = json!({"arguments": call.arguments.to_string()});
        add(json!({"tool_calls": [{"index": index, "function": function}]}), None);
    }
    add(json!({}), Some(if turn.calls.is_empty() { "stop" } else { "tool_calls" }));
    let usage = json!({"prompt_tokens": n_bytes, "completion_tokens": 0, "total_tokens": n_bytes});
    rest.push_str(&event(&request.model, &json!([]), Some(usage)));
    rest.push_str(&chunk("data: [DONE]\n\n"));
    rest.push_str("0\r\n\r\n");
    stream.write_all(rest.as_bytes())
}

fn event(model: &str, choices: &Value, usage: Option<Value>) -> String {
    let data = json!({
        "id": "answer", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": choices, "usage": usage,
    });
    chunk(&format!("data: {data}\n\n"))
}

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

/// What comes next follows from how many calls have results.
fn next(request: &Request) -> Turn {
    let n_results = request.messages.iter().filter(|message| message.role == "tool").count();
    let Some(plan) = Plan::from_model(&request.model) else {
        return recorded(&request.model, n_results);
    };
    let turn = n_results / plan.calls;
    assert_eq!(n_results % plan.calls, 0, "every call has a result");
    let call = |index| Call {
        id: format!("call-{turn}-{index}"),
        name: TOOL.to_owned(),
        arguments: json!({}),
    };
    let n_calls = if turn < plan.turns { plan.calls } else { 0 };
    Turn { text: None, calls: (0..n_calls).map(call).collect() }
}

fn recorded(model: &str, n_results: usize) -> Turn {
    let recording = super::example().join("model.jsonl");
    let recording = std::fs::read_to_string(recording).unwrap();
    // The first line says what the file is.
    let turns = recording.lines().skip(1).map(|line| serde_json::from_str(line).unwrap());
    let activate = |(index, skill): (usize, &str)| Call {
        id: format!("skill-{index}"),
        name: "open_skill".to_owned(),
        arguments: json!({ "skill": skill }),
    };
    let skills = ["document-tool", "python"].into_iter().enumerate();
    let first = Turn { text: Some(String::new()), calls: skills.map(activate).collect() };
    let first = (model == EXAMPLE_CATALOGUE).then_some(first);
    let mut done = 0;
    for turn in first.into_iter().chain(turns) {
        if done == n_results {
            return turn;
        }
        done += turn.calls.len();
    }
    panic!("{n_results} results, and the recording is over")
}
