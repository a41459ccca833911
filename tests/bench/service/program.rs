//! The program as a server, with a folder of its own.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use super::model::Model;
use super::process::{Memory, memory};

/// Limits that the parts do not reach.
const MANY: &str = "--max-connections 4096 --max-sessions 4096 --max-sessions-per-tenant 4096 \
     --max-sessions-per-client 4096 --max-requests-per-client 4096 --max-runs 100 --max-upload 2GiB";

/// A server that runs.
pub(crate) struct Program {
    pub(crate) address: SocketAddr,
    id: u32,
    process: Child,
    state: tempfile::TempDir,
}

impl Program {
    /// Starts a server whose only model is this one.
    pub(crate) async fn start(model: &Model) -> Program {
        let state = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut process = Command::new(program())
            .args(["serve", "--listen", "127.0.0.1:0", "--no-watch", "--cache-dir"])
            .arg(cache())
            .args(["--model", &format!("mock=http://{}/v1#mock", model.address), "--state"])
            .arg(state.path())
            .args(MANY.split_whitespace())
            .env("OPENAI_API_KEY", "mock")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut output = String::new();
        let address = loop {
            let Some(line) = lines.next_line().await.unwrap() else { panic!("{output}") };
            let address =
                line.contains("listening").then(|| line.split_once("127.0.0.1:")).flatten();
            if let Some((_, rest)) = address {
                let port = rest.split(|it: char| !it.is_ascii_digit()).next().unwrap();
                break format!("127.0.0.1:{port}").parse().unwrap();
            }
            output.push_str(&line);
            output.push('\n');
        };
        // A full pipe would stop the server.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let id = process.id().unwrap();
        Program { address, id, process, state }
    }

    /// Returns the memory of the server: what it has, and the most that it had since [`Program::reset_peak`].
    pub(crate) fn memory(&self) -> Memory {
        memory(self.id).unwrap_or_default()
    }

    /// Forgets the most memory that the server had: `proc_pid_clear_refs(5)`.
    pub(crate) fn reset_peak(&self) {
        // Where there is none, the peak is that since the start.
        let _ = std::fs::write(format!("/proc/{}/clear_refs", self.id), "5");
    }

    /// Returns the bytes of all files in the folder of the server.
    pub(crate) fn disk(&self) -> u64 {
        size(self.state.path())
    }

    /// Ends the server.
    pub(crate) async fn end(mut self) {
        let _ = self.process.kill().await;
    }
}

/// Compiles ahead what servers need.
pub(crate) fn warm() {
    let mut command = std::process::Command::new(program());
    command.args(["warm", "--quiet", "--cache-dir"]).arg(cache()).stdout(Stdio::null());
    let status = command.status().unwrap();
    assert!(status.success(), "{status}");
}

fn program() -> OsString {
    std::env::var_os("MITT_PROGRAM").unwrap_or(env!("CARGO_BIN_EXE_mitt").into())
}

fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("../mitt-cache")
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
