//! `mitt run` and `mitt model` with a model over HTTP: a server of the test that speaks chat completions.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::{command, root, text};

const KEY: &str = "sk-never-to-be-seen-4711";

/// Answers each request with the next turn, in pieces, and records the requests.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

/// How the server's model makes calls.
#[derive(Clone, Copy, PartialEq)]
enum Calls {
    Native,
    /// Refuses tools; answers with an object, or with text and code blocks.
    Object,
    Blocks,
}

impl Server {
    pub(crate) fn start(turns: Vec<Value>) -> Server {
        Server::start_with(Calls::Native, turns)
    }

    fn start_with(calls: Calls, turns: Vec<Value>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let heard = asked.clone();
        std::thread::spawn(move || {
            let mut turns = turns.into_iter();
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let asked = request(&mut stream);
                // A local model is asked how long requests may be.
                if asked.starts_with("GET ") {
                    let _ = stream.write_all(
                        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                    );
                    continue;
                }
                heard.lock().unwrap().push(asked.clone());
                if calls != Calls::Native && asked.contains("\"tools\":") {
                    let _ = stream.write_all(NO_TOOLS.as_bytes());
                    continue;
                }
                let Some(turn) = turns.next() else { return };
                let _ = stream.write_all(answer(&in_words(calls, turn, &asked)).as_bytes());
            }
        });
        Server { url, asked }
    }

    pub(crate) fn model(&self) -> String {
        format!("{}#test-model", self.url)
    }

    /// Returns the body of a request.
    pub(crate) fn body(&self, index: usize) -> Value {
        let asked = self.asked.lock().unwrap();
        serde_json::from_str(asked[index].split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

fn request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65_536];
    loop {
        let count = stream.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().unwrap())
            });
            if bytes.len() >= head.len() + 4 + length.unwrap_or(0) {
                return String::from_utf8(bytes).unwrap();
            }
        }
        assert!(count > 0, "the request ended early");
    }
}

/// Ollama's error for a model without tools.
const NO_TOOLS: &str = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\
                        {\"error\":\"registry.ollama.ai/library/test-model does not support tools\"}";

/// Returns a turn of a model without tool calls, in the form that the request asks for.
fn in_words(calls: Calls, turn: Value, request: &str) -> Value {
    let none = Vec::new();
    let made = turn["calls"].as_array().unwrap_or(&none);
    let made: Vec<_> = made
        .iter()
        .map(|call| json!({ "name": call["name"], "arguments": call["arguments"] }))
        .collect();
    let said = turn["text"].as_str().unwrap_or_default();
    match calls {
        Calls::Native => turn,
        Calls::Object => json!({ "text": json!({ "say": said, "calls": made }).to_string() }),
        Calls::Blocks => {
            let (_, rest) = request.split_once("```call-").expect("the word of the fences");
            let (mark, _) = rest.split_once("\\n").unwrap();
            let blocks = made.iter().map(|call| format!("\n\n```call-{mark}\n{call}\n```"));
            json!({ "text": format!("{said}{}", blocks.collect::<String>()) })
        }
    }
}

/// Returns a turn of a recording as a stream of chat completions: text in single characters, arguments in two halves.
fn answer(turn: &Value) -> String {
    let mut out = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        .to_owned();
    let mut send = |delta: Value, finish: Value| {
        let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
        out.push_str(&format!("data: {chunk}\n\n"));
    };
    for character in turn["text"].as_str().unwrap_or_default().chars() {
        send(json!({ "content": character.to_string() }), Value::Null);
    }
    let none = Vec::new();
    let calls = turn["calls"].as_array().unwrap_or(&none);
    for (index, call) in calls.iter().enumerate() {
        let arguments = match &call["arguments"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let half =
            arguments.char_indices().nth(arguments.chars().count() / 2).map_or(0, |(at, _)| at);
        let (first, second) = arguments.split_at(half);
        let function = json!({ "name": call["name"], "arguments": first });
        send(
            json!({ "tool_calls": [{ "index": index, "id": call["id"], "type": "function", "function": function }] }),
            Value::Null,
        );
        send(
            json!({ "tool_calls": [{ "index": index, "function": { "arguments": second } }] }),
            Value::Null,
        );
    }
    send(json!({}), json!(if calls.is_empty() { "stop" } else { "tool_calls" }));
    let usage =
        json!({ "choices": [], "usage": { "prompt_tokens": 1000, "completion_tokens": 50 } });
    out + &format!("data: {usage}\n\ndata: [DONE]\n\n")
}

/// Returns the turns of the example's recording.
pub(crate) fn recorded() -> Vec<Value> {
    let recording = fs::read_to_string(root().join("examples/yoy/model.jsonl")).unwrap();
    recording.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = command(folder, args);
    // The user who runs the tests may have configured a model.
    command.env_remove("OPENAI_API_KEY").env("MITT_MODEL_KEY", KEY);
    let output = command.output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Returns all files below a folder as one text.
fn everything(folder: &Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.push_str(&everything(&path))
        } else {
            all.push_str(&String::from_utf8_lossy(&fs::read(path).unwrap()))
        }
    }
    all
}

/// Returns the estimated tokens of the messages and tools in the first request.
fn first_tokens(server: &Server) -> u64 {
    let first = server.body(0);
    mitt_base::tokens::TextSize::of(&format!("{}{}", first["messages"], first["tools"])).tokens()
}

/// The sizes in the documentation are those of the requests.
#[test]
fn the_documentation_names_the_sizes_of_first_requests() {
    let pages = ["docs/models.md", "docs/models.zh-CN.md"]
        .map(|page| fs::read_to_string(root().join(page)).unwrap());
    let documents = ["2024年经营报告.xlsx", "2025年经营报告.docx"]
        .map(|name| root().join("examples/yoy").join(name).to_str().unwrap().to_owned());
    let [old, new] = &documents;
    for mode in ["script", "catalogue", "all"] {
        let server = Server::start(recorded());
        let folder = tempfile::tempdir().unwrap();
        let model = server.model();
        // The recorded calls suit the mode `script` alone. The first request comes in any case.
        run(
            folder.path(),
            &["run", "--model", &model, "--tools", mode, "--doc", old, "--doc", new, WISH],
        );
        let tokens = first_tokens(&server);
        for page in &pages {
            let row = page.lines().find(|line| line.starts_with(&format!("| `{mode}`"))).unwrap();
            let cell = row.split(" | ").nth(1).unwrap();
            let digits: String = cell
                .chars()
                .take_while(|it| it.is_ascii_digit() || *it == ' ')
                .filter(char::is_ascii_digit)
                .collect();
            let said: f64 = digits.parse().unwrap_or_else(|_| panic!("{row}"));
            assert!((said / tokens as f64 - 1.0).abs() < 0.05, "{mode}: {tokens} tokens: {row}");
        }
    }
}

pub(crate) const WISH: &str = "这是 2024 年和 2025 年的经营报告。请对比 DAU 和营业收入的同比增长，给我一份 Excel，并把总结导出为 PDF。";

#[test]
fn a_model_behind_http_gets_both_files_from_the_two_reports_and_is_recorded() {
    let server = Server::start(recorded());
    let folder = tempfile::tempdir().unwrap();
    let old = root().join("examples/yoy/2024年经营报告.xlsx");
    let new = root().join("examples/yoy/2025年经营报告.docx");
    let model = server.model();
    let (old, new) = (old.to_str().unwrap(), new.to_str().unwrap());
    let (code, stdout, stderr) = run(
        folder.path(),
        &[
            "run",
            "--clock",
            "1700000000",
            "--model",
            &model,
            "--doc",
            old,
            "--doc",
            new,
            "--record",
            "model.jsonl",
            WISH,
        ],
    );
    assert_eq!(code, 0, "{stderr}");
    let files = ["2024-2025年经营对比.xlsx", "2024-2025年经营总结.pdf"];
    for file in files {
        assert!(folder.path().join("out").join(file).is_file(), "{file}: {stderr}");
        assert!(stdout.contains(file), "{stdout}");
    }
    let last = recorded().pop().unwrap();
    assert!(
        stdout.starts_with(last["text"].as_str().unwrap().trim()),
        "the answer comes first: {stdout}"
    );

    // The first request is short, and the key is only where it belongs.
    let first = server.body(0);
    assert_eq!(first["tools"].as_array().unwrap().len(), 1, "{first}");
    assert!(first.to_string().len() < 12_000, "{}", first.to_string().len());
    // A server of 4 096 tokens has room for the answer.
    let tokens = first_tokens(&server);
    assert!((1_200..2_400).contains(&tokens), "{tokens}");
    assert!(server.asked.lock().unwrap()[0].contains(&format!("Bearer {KEY}")));
    for place in [&stdout, &stderr, &everything(folder.path())] {
        assert!(!place.contains(KEY));
    }

    // The recording gives the same without the server.
    let task = format!("schema: 1\ninstruction: {WISH}\nmodel: {{ replay: model.jsonl }}\n");
    fs::write(folder.path().join("task.yaml"), task).unwrap();
    let (code, _, stderr) = run(
        folder.path(),
        &["run", ".", "--clock", "1700000000", "--doc", old, "--doc", new, "-o", "again"],
    );
    assert_eq!(code, 0, "{stderr}");
    for file in files {
        let read = |out: &str| fs::read(folder.path().join(out).join(file)).unwrap();
        assert!(read("out") == read("again"), "{file}");
    }
}

#[test]
fn a_model_without_tools_gets_both_files_too() {
    let old = root().join("examples/yoy/2024年经营报告.xlsx");
    let new = root().join("examples/yoy/2025年经营报告.docx");
    let (old, new) = (old.to_str().unwrap(), new.to_str().unwrap());
    for (calls, prefix, n_refused) in
        [(Calls::Object, "", 1), (Calls::Blocks, "blocks+", 0), (Calls::Object, "spelled+", 0)]
    {
        let server = Server::start_with(calls, recorded());
        let folder = tempfile::tempdir().unwrap();
        let model = format!("{prefix}{}", server.model());
        let args =
            ["run", "--model", &model, "--doc", old, "--doc", new, "--record", "model.jsonl", WISH];
        let (code, stdout, stderr) = run(folder.path(), &args);
        assert_eq!(code, 0, "{stderr}");
        for file in ["2024-2025年经营对比.xlsx", "2024-2025年经营总结.pdf"] {
            assert!(folder.path().join("out").join(file).is_file(), "{file}: {stderr}");
        }
        let last = recorded().pop().unwrap();
        assert!(stdout.starts_with(last["text"].as_str().unwrap().trim()), "{stdout}");
        assert!(!stdout.contains("```") && !stderr.contains("\"calls\""), "{stdout} {stderr}");
        let n_asked = server.asked.lock().unwrap().len();
        assert_eq!(n_asked, recorded().len() + n_refused);
        // Results are passed as data, and no message has the role of a tool.
        let asked = server.body(n_asked - 1);
        assert!(asked["messages"].to_string().contains("````result python__run"), "{asked}");
        assert!(!asked["messages"].to_string().contains("tool_call"), "{asked}");
        // The recording has the calls themselves.
        let recording = fs::read_to_string(folder.path().join("model.jsonl")).unwrap();
        let made = recording.lines().filter(|line| line.contains("\"calls\":[{\"id\":")).count();
        assert_eq!(made, recorded().iter().filter(|turn| turn["calls"].is_array()).count());
        assert!(!recording.contains("call-"), "{recording}");
    }
}

#[test]
fn what_was_asked_for_and_not_delivered_is_told() {
    let server =
        Server::start(vec![json!({ "text": "Done." }), json!({ "text": "I have no data." })]);
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, stderr) =
        run(folder.path(), &["run", "-m", &server.model(), "Give me an Excel sheet of nothing"]);
    assert_eq!(code, 13);
    assert_eq!(stdout, "I have no data.\n\nNot delivered: an Excel file.\n");
    assert!(stderr.contains("warning: an Excel file was asked for and not delivered"), "{stderr}");
    assert!(server.body(1).to_string().contains("From the host, not from the user"));
}

#[test]
fn a_limit_of_cost_needs_a_price_and_holds() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(Vec::new());
    let args = ["run", "-m", &server.model(), "--max-cost", "0.01", "Go on"];
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(
        (code, stderr.contains("so that its cost cannot be limited")),
        (9, true),
        "{stderr}"
    );
    // 1 000 input and 50 output tokens per turn.
    let list =
        json!({ "calls": [{ "id": "a", "name": "python__run", "arguments": { "code": "1" } }] });
    let server = Server::start(vec![list, json!({ "text": "Done." })]);
    for (most, expected) in [("0.000100", 6), ("1", 0)] {
        let mut command = command(
            folder.path(),
            &["run", "-m", "deepseek/deepseek-flash", "--max-cost", most, "Go on", "--json"],
        );
        command.env("DEEPSEEK_BASE_URL", &server.url).env("DEEPSEEK_API_KEY", KEY);
        let output = command.output().unwrap();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(expected), "{stdout}{stderr}");
        assert_eq!(stdout.contains("cost_dollars"), expected == 0, "{stdout}");
    }
}

#[test]
fn without_a_model_the_ways_to_one_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, stderr) = run(folder.path(), &["run", "What grew most?"]);
    assert_eq!(code, 9, "{stderr}");
    for way in ["--model", "OPENAI_API_KEY", "mitt run examples/yoy"] {
        assert!(stderr.contains(way), "{way}: {stderr}");
    }
    let (code, _, stderr) = run(folder.path(), &["run", "no/such/task.yaml"]);
    assert_eq!((code, stderr.contains("cannot read the task")), (3, true), "{stderr}");
    let (code, _, stderr) = run(folder.path(), &["run", "-m", "olama/qwen3", "What grew most?"]);
    assert_eq!((code, stderr.contains("did you mean `ollama`?")), (9, true), "{stderr}");
}

#[test]
fn a_task_names_a_service_and_no_address() {
    let folder = tempfile::tempdir().unwrap();
    let task = |model: &str| {
        format!("schema: 1\ninstruction: What grew most?\nmodel: {{ name: '{model}' }}\n")
    };
    fs::write(folder.path().join("task.yaml"), task("http://127.0.0.1:9/v1#m")).unwrap();
    let (code, _, stderr) = run(folder.path(), &["run", "."]);
    assert_eq!((code, stderr.contains("got an address")), (3, true), "{stderr}");
    // The user may name any address.
    let server = Server::start(vec![json!({ "text": "Revenue." })]);
    let (code, _, stderr) = run(folder.path(), &["run", ".", "-m", &server.model()]);
    assert_eq!(code, 0, "{stderr}");
    // A known service at the address in its variable.
    let server = Server::start(vec![json!({ "text": "Revenue." })]);
    fs::write(folder.path().join("task.yaml"), task("vllm/m")).unwrap();
    let mut command = command(folder.path(), &["run", "."]);
    let output = command.env("VLLM_BASE_URL", &server.url).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn services_are_listed_and_a_model_is_tested() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, _) = run(folder.path(), &["model", "list"]);
    assert!(
        code == 0 && stdout.contains("ollama") && stdout.contains("set OPENAI_API_KEY"),
        "{stdout}"
    );
    let (_, stdout, _) = run(folder.path(), &["model", "list", "--json"]);
    let list: Value = serde_json::from_str(&stdout).unwrap();
    assert!(
        list.as_array().unwrap().iter().all(|one| one["url"].as_str().unwrap().starts_with("http"))
    );

    let good = vec![
        json!({ "text": "one\ntwo" }),
        json!({ "calls": [{ "id": "c", "name": "add", "arguments": { "a": 2125, "b": 3417 } }] }),
        json!({ "text": r#"{"city": "Lyon", "rivers": 2}"# }),
    ];
    let server = Server::start(good);
    let (code, stdout, stderr) = run(folder.path(), &["model", "test", &server.model()]);
    assert_eq!(code, 0, "{stdout} {stderr}");
    assert_eq!(stdout.lines().filter(|line| line.contains(" yes ")).count(), 4, "{stdout}");

    let bad =
        vec![json!({ "text": "x" }), json!({ "text": "5542" }), json!({ "text": "Lyon has two." })];
    let server = Server::start(bad);
    let (code, stdout, _) = run(folder.path(), &["model", "test", &server.model(), "--json"]);
    assert_eq!(code, 9);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let oks: Vec<_> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["ok"].as_bool().unwrap())
        .collect();
    assert_eq!(oks, [true, false, false, false], "{stdout}");
}
