//! The program itself: `mitt serve`, `mitt token`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};

use super::client::Client;
use super::fixture;
use crate::support::{cache, mitt, text};

struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(more: &[&str]) -> Program {
    let child = Command::new(env!("CARGO_BIN_EXE_mitt"))
        .args(["serve", "--listen", "127.0.0.1:0", "--no-bundled-skills", "--trust-skills"])
        .arg("--skills")
        .arg(fixture::folder())
        .arg("--cache-dir")
        .arg(cache())
        .args(more)
        .env("MITT_CONFIG", "")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    Program(child)
}

#[tokio::test(flavor = "multi_thread")]
async fn it_tells_where_it_listens_logs_json_and_ends_on_a_signal() {
    let mut program = serve(&[]);
    let mut lines = BufReader::new(program.0.stderr.take().unwrap()).lines();
    let mut address = None;
    for line in lines.by_ref() {
        let entry: Value = serde_json::from_str(&line.unwrap()).expect("one JSON object per line");
        if let Some(found) = entry["fields"]["address"].as_str() {
            address = Some(found.parse().unwrap());
            break;
        }
    }
    let mut client = Client::connect(address.unwrap(), None).await;
    assert_eq!(client.get("/healthz").await.status, 200);
    let rest = std::thread::spawn(move || lines.map(Result::unwrap).collect::<Vec<_>>());
    let id = program.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(program.0.wait().unwrap().success());
    let rest = rest.join().unwrap();
    assert!(rest.iter().all(|line| line.starts_with('{')), "{rest:#?}");
}

/// Returns the options of the program in a manifest, without those in comments.
fn options_of(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines
        .flat_map(|line| line.split([' ', '"', ',', '[', ']']))
        .filter(|word| word.starts_with("--") && !word.starts_with("---"))
        .map(str::to_owned)
        .collect()
}

/// The options of each manifest in `examples/deploy` start a server that becomes ready and ends on a signal.
#[tokio::test(flavor = "multi_thread")]
async fn manifests_of_deployment_start_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens.yaml");
    let made = mitt(folder.path(), &["token", "alice"]);
    let line = text(&made.stderr).lines().find(|line| line.starts_with("- {")).unwrap().to_owned();
    std::fs::write(&tokens, format!("schema: 1\ntokens:\n{line}\n")).unwrap();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/deploy");
    let manifests: Vec<_> = std::fs::read_dir(root).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(manifests.len(), 4, "{manifests:?}");
    for manifest in manifests {
        let options = options_of(&std::fs::read_to_string(&manifest).unwrap());
        assert!(options.len() >= 7, "{}: {options:?}", manifest.display());
        let state = folder.path().join(manifest.file_stem().unwrap());
        let here = |option: &String| match option.split_once('=') {
            Some(("--listen", _)) => "--listen=127.0.0.1:0".to_owned(),
            Some(("--tokens", _)) => format!("--tokens={}", tokens.display()),
            Some(("--state", _)) => format!("--state={}", state.display()),
            _ => option.clone(),
        };
        let child = Command::new(env!("CARGO_BIN_EXE_mitt"))
            .arg("serve")
            .args(options.iter().map(here))
            .arg("--cache-dir")
            .arg(cache())
            .env("MITT_CONFIG", "")
            .env("OPENAI_API_KEY", "none")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut program = Program(child);
        let mut lines =
            BufReader::new(program.0.stderr.take().unwrap()).lines().map(Result::unwrap);
        let mut log = Vec::new();
        let address = lines.by_ref().find_map(|line| {
            let entry: Option<Value> = serde_json::from_str(&line).ok();
            log.push(line);
            entry?["fields"]["address"].as_str().map(|found| found.parse().unwrap())
        });
        let address = address.unwrap_or_else(|| panic!("{}: {log:#?}", manifest.display()));
        let mut client = Client::connect(address, None).await;
        while client.get("/readyz").await.status != 200 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        drop(client);
        let rest = std::thread::spawn(move || lines.for_each(drop));
        let id = program.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(program.0.wait().unwrap().success(), "{}", manifest.display());
        rest.join().unwrap();
    }
}

/// Clients that leave without waiting for an answer do not alarm the operator.
#[tokio::test(flavor = "multi_thread")]
async fn clients_that_leave_are_no_errors_in_the_log() {
    let mut program = serve(&[]);
    let mut lines = BufReader::new(program.0.stderr.take().unwrap()).lines();
    let address = lines.by_ref().find_map(|line| {
        let entry: Value = serde_json::from_str(&line.unwrap()).unwrap();
        entry["fields"]["address"].as_str().map(|found| found.parse().unwrap())
    });
    let address = address.unwrap();
    let sleep = json!({ "name": "conformance__sleep", "arguments": { "ms": 20_000 } });
    for is_old in [true, false] {
        let mut client = Client::connect(address, None).await;
        if is_old {
            client.initialize().await;
        }
        let mut other = client.again().await;
        let params = sleep.clone();
        let call = tokio::spawn(async move {
            if is_old {
                drop(other.request("tools/call", params).await)
            } else {
                drop(other.modern("tools/call", params).await)
            }
        });
        let mut running = Client::connect(address, None).await;
        while !running.get("/metrics").await.text.contains("\nmitt_running_calls 1\n") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        if is_old {
            let ended = client.send(Method::DELETE, "/mcp", &[], "").await;
            assert_eq!(ended.status(), 204);
        }
        call.abort();
        while !running.get("/metrics").await.text.contains("\nmitt_running_calls 0\n") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    let rest = std::thread::spawn(move || lines.map(Result::unwrap).collect::<Vec<_>>());
    let id = program.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(program.0.wait().unwrap().success());
    let rest = rest.join().unwrap();
    assert!(!rest.iter().any(|line| line.contains("\"ERROR\"")), "{rest:#?}");
}

#[test]
fn tokens_are_made_for_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = mitt(folder.path(), &["token", "alice"]);
    assert!(output.status.success());
    let token = text(&output.stdout);
    let token = token.trim();
    assert!(token.starts_with("mitt_") && token.len() > 40, "{token}");
    let line = text(&output.stderr);
    assert!(line.contains("tenant: \"alice\", blake3: ") && !line.contains(token), "{line}");
}

#[test]
fn an_open_server_without_tokens_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let output = mitt(folder.path(), &["serve", "--listen", "0.0.0.0:0", "--no-bundled-skills"]);
    assert_eq!(output.status.code(), Some(5));
    assert!(text(&output.stderr).contains("--tokens"), "{}", text(&output.stderr));
}
