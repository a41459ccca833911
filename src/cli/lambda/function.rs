//! What all invocations share: the skills and the limits. Nothing that an invocation makes stays here.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::log::log;
#[cfg(feature = "serve")]
use super::mcp_server::McpServer;
use crate::args::{Global, Lambda};
use crate::commands;
use mitt::{Host, MemoryLimits, ProblemSink, Session, SessionOptions};
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result};

/// The variable with the memory of the function, in MiB.
const MEMORY: &str = "AWS_LAMBDA_FUNCTION_MEMORY_SIZE";

/// Memory that is left to the process itself, its native code and its fonts: a quarter, within these bounds.
const MIN_OWN_BYTES: u64 = 64 * MIB;
const MAX_OWN_BYTES: u64 = 300 * MIB;

/// Least memory of all work, in bytes, however small the function is. Lambda gives at least 128 MiB.
const MIN_WORK_BYTES: u64 = 32 * MIB;

/// The function.
pub(super) struct Function {
    host: Host,
    global: Global,
    out: Option<PathBuf>,
    /// Started by the first request of MCP.
    #[cfg(feature = "serve")]
    mcp: tokio::sync::OnceCell<McpServer>,
    #[cfg(feature = "serve")]
    tools: mitt::offer::ToolMode,
}

/// One piece of work: an invocation, or a message of one.
#[derive(Debug)]
pub(super) struct Task<'a> {
    /// Ids of the invocation and of the message, which name its folder.
    pub(super) ids: Vec<&'a str>,
    /// When its work must have ended.
    pub(super) deadline: Instant,
}

impl Task<'_> {
    /// Returns the time that is left.
    pub(super) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

impl Function {
    /// Makes the host. Skills are loaded by the first invocation that needs them.
    ///
    /// # Errors
    ///
    /// Those of [`HostBuilder::build`](mitt::HostBuilder::build); [`ErrorKind::Input`] - the memory of the function is no
    /// number.
    pub(super) fn start(global: &Global, command: &Lambda) -> Result<Function> {
        let memory = match (global.host_memory, std::env::var(MEMORY)) {
            (None, Ok(text)) => Some(memory(&text)?),
            _ => None,
        };
        let unkept: ProblemSink = Arc::new(|error| {
            let details = json!({ "error": error.render() });
            log("WARN", None, "native code is not kept: each start compiles it anew", details);
        });
        let host = commands::host_of_function(global, memory, unkept)?;
        let registry = host.registry();
        for (place, problem) in registry.problems() {
            let details = json!({ "place": place, "error": problem });
            log("WARN", None, "a skill cannot be read", details);
        }
        for state in registry.states() {
            if let Some(blocked) = &state.blocked {
                let details = json!({ "skill": state.name, "error": blocked.to_string() });
                log("WARN", None, "a skill cannot be used", details);
            }
        }
        Ok(Function {
            host,
            global: global.clone(),
            out: command.out.clone(),
            #[cfg(feature = "serve")]
            mcp: tokio::sync::OnceCell::new(),
            #[cfg(feature = "serve")]
            tools: command.tools,
        })
    }

    /// Returns the server of MCP, and starts it for the first request.
    ///
    /// # Errors
    ///
    /// Those of [`McpServer::start`].
    #[cfg(feature = "serve")]
    pub(super) async fn mcp_server(&self) -> Result<&McpServer> {
        self.mcp.get_or_try_init(|| McpServer::start(self.host.clone(), self.tools)).await
    }

    /// Opens the session of a task, which ends with it. If `opens_later`, a task without files leaves no folder.
    ///
    /// # Errors
    ///
    /// Those of [`Host::session`].
    pub(super) fn session(&self, task: &Task<'_>, opens_later: bool) -> Result<Session> {
        self.host.session(SessionOptions {
            folder: self.folder(task),
            opens_folder_later: opens_later,
            time: Some(task.left()),
            keeps_sources: true,
            ..SessionOptions::default()
        })
    }

    /// Returns the folder for the files of a task; `None` if they go into the answer.
    pub(super) fn folder(&self, task: &Task<'_>) -> Option<PathBuf> {
        let out = self.out.as_ref()?;
        Some(task.ids.iter().fold(out.clone(), |folder, id| folder.join(id)))
    }

    /// Returns `true` if files are written to a folder.
    pub(super) fn has_folder(&self) -> bool {
        self.out.is_some()
    }

    /// Returns the options of the function, with the time that the task has at most.
    pub(super) fn global_for(&self, task: &Task<'_>) -> Global {
        let (mut global, left) = (self.global.clone(), task.left());
        global.max_time = Some(global.max_time.map_or(left, |time| time.min(left)));
        global
    }
}

/// Returns the memory limits of a function with so many MiB. One invocation runs at a time, so it may have all of it.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is no number.
fn memory(text: &str) -> Result<MemoryLimits> {
    let Some(bytes) = text.trim().parse::<u64>().ok().and_then(|it| it.checked_mul(MIB)) else {
        let message = format!("{MEMORY}: expected a number of MiB, got `{text}`");
        return Err(
            Error::new(ErrorKind::Input, message).hint("or set the memory with `--host-memory`")
        );
    };
    let own = (bytes / 4).clamp(MIN_OWN_BYTES, MAX_OWN_BYTES);
    let work = bytes.saturating_sub(own).max(MIN_WORK_BYTES);
    Ok(MemoryLimits { per_call: work, per_session: work, per_tenant: work, host: work })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_the_function_bounds_its_work() {
        for (text, expected) in
            [("128", 64), ("256", 192), ("1024", 768), ("10240", 9940), ("1", 32)]
        {
            let limits = memory(text).unwrap();
            assert_eq!(limits.per_call, expected * MIB, "{text}");
            assert_eq!(limits.host, limits.per_call);
        }
        for wrong in ["", "128MB", "-1", "99999999999999999999"] {
            assert!(memory(wrong).unwrap_err().to_string().contains(MEMORY), "{wrong}");
        }
    }
}
