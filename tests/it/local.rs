//! `mitt chat --local` with servers of the test on this machine, and its advice if there is none.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::{command, text};

/// A server that lists `models` in the way of OpenAI, or of Ollama, and answers every request with "Hello."
struct Local {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Local {
    fn start(models: &'static [&'static str]) -> Local {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let heard = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let heard = heard.clone();
                std::thread::spawn(move || answer(stream, models, &heard));
            }
        });
        Local { address, asked }
    }

    /// The models that requests named.
    fn models(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let body = |it: &String| serde_json::from_str::<Value>(it.split_once("\r\n\r\n")?.1).ok();
        let posts = asked.iter().filter(|it| it.starts_with("POST ")).filter_map(body);
        posts.filter_map(|body| Some(body["model"].as_str()?.to_owned())).collect()
    }
}

fn answer(mut stream: TcpStream, models: &[&str], heard: &Mutex<Vec<String>>) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65_536];
    let request = loop {
        let count = stream.read(&mut buffer).unwrap_or_default();
        bytes.extend_from_slice(&buffer[..count]);
        let request = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = request.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
            });
            if body.len() >= length.unwrap_or(0) {
                break request;
            }
        }
        if count == 0 {
            return;
        }
    };
    heard.lock().unwrap().push(request.clone());
    let path = request.split(' ').nth(1).unwrap_or_default();
    let listed: Vec<_> = models.iter().map(|id| json!({ "id": id, "name": id })).collect();
    let (status, kind, body) = match path {
        "/v1/models" => ("200 OK", "application/json", json!({ "data": listed }).to_string()),
        "/api/tags" => ("200 OK", "application/json", json!({ "models": listed }).to_string()),
        "/props" => {
            let settings = json!({ "default_generation_settings": { "n_ctx": 4_096 } });
            ("200 OK", "application/json", settings.to_string())
        }
        "/v1/chat/completions" => {
            let piece = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
            let usage = json!({ "choices": [], "usage": { "prompt_tokens": 1_000, "completion_tokens": 24 } });
            let events =
                [piece(json!({ "content": "Hel" })), piece(json!({ "content": "lo." })), usage];
            let events: String = events.iter().map(|it| format!("data: {it}\n\n")).collect();
            ("200 OK", "text/event-stream", events + "data: [DONE]\n\n")
        }
        _ => ("404 Not Found", "text/plain", String::new()),
    };
    let _ = stream.write_all(
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
            .as_bytes(),
    );
}

/// Returns an address without a server.
fn nobody() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// `mitt chat` with these servers, and what is typed.
fn chat(
    folder: &Path,
    args: &[&str],
    servers: &[(&str, &str)],
    typed: &str,
) -> (i32, String, String) {
    let mut command = command(folder, &[&["chat"], args].concat());
    for variable in ["LMSTUDIO_BASE_URL", "LLAMACPP_BASE_URL", "VLLM_BASE_URL"] {
        command.env(variable, format!("http://{}/v1", nobody()));
    }
    command.env("OLLAMA_HOST", nobody());
    for (variable, value) in servers {
        command.env(variable, value);
    }
    command.env_remove("MITT_MODEL").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_server_on_this_machine_is_found_and_tried_and_talked_to() {
    let folder = tempfile::tempdir().unwrap();
    let server = Local::start(&["smol", "nomic-embed-text"]);
    let address = format!("http://{}/v1", server.address);
    let servers = [("LLAMACPP_BASE_URL", address.as_str())];
    let (code, stdout, stderr) = chat(folder.path(), &["--local"], &servers, "Hi\n/model\n/quit\n");
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.ends_with("Hello.\n"), "{stdout}");
    for part in [
        "llamacpp at http://127.0.0.1",
        "1 model",
        "trying llamacpp/smol",
        "answers piece by piece     yes",
        "calls tools                no",
        "llamacpp/smol does not call tools well",
        // The meter of the context: what the server counted, of what it takes.
        "the conversation has 1 024 of 4 096 (25 %)",
        "llamacpp/smol, with a context of 4 096 tokens",
    ] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    assert!(server.models().iter().all(|name| name == "smol"), "{:?}", server.models());
}

#[test]
fn of_several_models_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let server = Local::start(&["qwen3:latest", "gemma3"]);
    let servers = [("OLLAMA_HOST", server.address.as_str())];
    let (code, _, stderr) = chat(folder.path(), &["--local"], &servers, "");
    assert_eq!(code, 9, "{stderr}");
    assert!(
        stderr.contains("ollama at http://127.0.0.1") && stderr.contains("2 models"),
        "{stderr}"
    );
    assert!(stderr.contains("--model ollama/qwen3"), "{stderr}");
    assert!(server.models().is_empty(), "nobody chose one");
}

#[test]
fn without_a_server_it_is_told_how_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, stderr) = chat(folder.path(), &["--local"], &[], "");
    assert_eq!(code, 9, "{stderr}");
    for part in ["Ollama", "LM Studio", "llama-server", "ollama pull"] {
        assert!(stderr.contains(part), "{stderr}");
    }
    // Another machine is not asked.
    let far = [("OLLAMA_HOST", "192.0.2.1:11434")];
    let (code, _, stderr) = chat(folder.path(), &["--local"], &far, "");
    assert!(
        code == 9 && stderr.contains("no server of models answers on this machine"),
        "{stderr}"
    );
}

#[test]
fn a_conversation_goes_on_with_another_model() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (Local::start(&["one"]), Local::start(&["other"]));
    let named = |server: &Local, name: &str| format!("http://{}/v1#{name}", server.address);
    let (first, second) = (named(&one, "one"), named(&other, "other"));
    let typed = format!("Hi\n/model nothing/x\n/model {second}\nWhat did I say?\n/usage\n/quit\n");
    let (code, stdout, stderr) = chat(folder.path(), &["--model", &first], &[], &typed);
    assert_eq!((code, stdout.as_str()), (0, "Hello.\nHello.\n"), "{stderr}");
    assert!(stderr.contains("unknown service `nothing`"), "{stderr}");
    assert!(stderr.contains(&format!("the model is still {first}")), "{stderr}");
    assert!(stderr.contains(&format!("{second}, with a context of 4 096 tokens")), "{stderr}");
    assert_eq!((one.models(), other.models()), (vec!["one".to_owned()], vec!["other".to_owned()]));
    let asked = other.asked.lock().unwrap().join("\n");
    assert!(asked.contains("Hi") && asked.contains("Hello."), "it knows what was said: {asked}");
}
