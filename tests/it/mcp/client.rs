//! A client that shows every line, because ready-made clients hide mistakes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::command;

/// Longest wait for anything: the first answer may need plugins to be compiled.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running `mitt mcp`.
pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    last: u64,
    /// Messages that arrived while another one was awaited.
    kept: Vec<Value>,
    // The working folder of the process.
    _folder: tempfile::TempDir,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Arguments without the bundled skills: the small components of these tests are ready at once.
pub(super) fn small(skills: &Path) -> Vec<String> {
    let skills = skills.display().to_string();
    ["--no-bundled-skills", "--trust-skills", "--task-after", "2s", "--skills", &skills]
        .map(str::to_owned)
        .into()
}

impl Client {
    /// Starts the program and sends nothing.
    pub(super) fn start(args: &[String]) -> Client {
        Client::start_at_home(args, Path::new("/nowhere"))
    }

    /// Starts the program with `home` as the user's home folder, and sends nothing.
    pub(super) fn start_at_home(args: &[String], home: &Path) -> Client {
        let folder = tempfile::tempdir().unwrap();
        let mut args: Vec<&str> =
            std::iter::once("mcp").chain(args.iter().map(String::as_str)).collect();
        // Most tests are about single tools.
        if !args.contains(&"--tools") {
            args.extend(["--tools", "all"]);
        }
        let mut child = command(folder.path(), &args)
            .env("HOME", home)
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("standard output is for JSON: {error}: {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Client { child, input, lines, last: 0, kept: Vec::new(), _folder: folder }
    }

    /// Starts the program and performs the handshake of a 2025-11-25 client with these capabilities.
    pub(super) fn initialized_with(args: &[String], capabilities: Value) -> Client {
        let mut client = Client::start(args);
        let answer = client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25", "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    pub(super) fn initialized(args: &[String]) -> Client {
        Client::initialized_with(args, json!({}))
    }

    /// Sends raw bytes.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    /// Sends a request without waiting. Returns its id.
    pub(super) fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and waits for its answer.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(&json!(id))
    }

    /// Sends a request of 2026-07-28, from a client with these capabilities.
    pub(super) fn modern_with(
        &mut self,
        method: &str,
        mut params: Value,
        capabilities: Value,
    ) -> Value {
        with_meta(&mut params, capabilities);
        self.request(method, params)
    }

    pub(super) fn modern(&mut self, method: &str, params: Value) -> Value {
        self.modern_with(method, params, json!({}))
    }

    /// Does what [`Client::begin`] does in the form of 2026-07-28.
    pub(super) fn begin_modern(&mut self, method: &str, mut params: Value) -> u64 {
        with_meta(&mut params, json!({}));
        self.begin(method, params)
    }

    /// Calls a tool and waits.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Waits for the answer to the request with this id.
    #[track_caller]
    pub(super) fn answer(&mut self, id: &Value) -> Value {
        self.wait(&format!("the answer {id}"), |message| {
            message.get("method").is_none() && message.get("id") == Some(id)
        })
    }

    /// Returns everything that comes before the answer to the request with this id, in order.
    #[track_caller]
    pub(super) fn until_answer(&mut self, id: &Value) -> Vec<Value> {
        let mut before = std::mem::take(&mut self.kept);
        loop {
            let message = self.lines.recv_timeout(PATIENCE).unwrap();
            if message.get("method").is_none() && message.get("id") == Some(id) {
                return before;
            }
            before.push(message);
        }
    }

    /// Waits for a notification or a request of the server.
    #[track_caller]
    pub(super) fn told(&mut self, method: &str) -> Value {
        self.wait(method, |message| message["method"] == method)
    }

    #[track_caller]
    pub(super) fn wait(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.kept.iter().position(&is_it) {
            return self.kept.remove(index);
        }
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(message) if is_it(&message) => return message,
                Ok(message) => self.kept.push(message),
                Err(error) => {
                    let _ = self.child.kill();
                    let mut errors = String::new();
                    if let Some(mut stderr) = self.child.stderr.take() {
                        let _ = stderr.read_to_string(&mut errors);
                    }
                    panic!("{what}: {error}; there were {:?}\n{errors}", self.kept);
                }
            }
        }
    }

    /// Returns everything that comes within `time`, and everything that came before.
    pub(super) fn all_within(&mut self, time: Duration) -> Vec<Value> {
        let mut all = std::mem::take(&mut self.kept);
        let end = std::time::Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(std::time::Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(message) => all.push(message),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return all,
            }
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes its standard input and waits. Returns its exit code, its last messages, and its standard error.
    pub(super) fn end(mut self) -> (Option<i32>, Vec<Value>, String) {
        self.input = None;
        self.ended()
    }

    /// Waits until it ends by itself.
    pub(super) fn ended(mut self) -> (Option<i32>, Vec<Value>, String) {
        let mut errors = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut errors).unwrap();
        let code = self.child.wait().unwrap().code();
        (code, self.all_within(PATIENCE), errors)
    }
}

fn with_meta(params: &mut Value, capabilities: Value) {
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
}

/// Returns the text of a result.
#[track_caller]
pub(super) fn text_of(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}
