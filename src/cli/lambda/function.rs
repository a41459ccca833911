//! What all invocations share: the skills and the limits. Nothing that an invocation makes stays here.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::log::log;
#[cfg(feature = "serve")]
use super::mcp_server::McpServer;
use super::payload::Reader;
#[cfg(feature = "lambda-s3")]
use super::rules::Rules;
use super::storage::Storage;
use crate::agent_args::AgentArgs;
use crate::args::{Global, Lambda};
use crate::commands;
use crate::settings::Settings;
use mitt::{Host, MemoryLimits, ProblemSink, Session, SessionOptions};
use mitt_agent::model::ChatModel;
#[cfg(feature = "lambda-s3")]
use mitt_base::formulas::Formulas;
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
    /// How a model works, and which one.
    agent_args: AgentArgs,
    /// Opened by the first event that needs it.
    model: OnceLock<Arc<dyn ChatModel>>,
    storage: Arc<Storage>,
    #[cfg(feature = "lambda-s3")]
    rules: Rules,
    /// Started by the first request of MCP.
    #[cfg(feature = "serve")]
    mcp: tokio::sync::OnceCell<McpServer>,
}

/// One piece of work: an invocation, or a message of one.
#[derive(Debug)]
pub(super) struct Task<'a> {
    /// Ids of the invocation and of the message, which name its folder.
    pub(super) ids: Vec<&'a str>,
    /// When its work must have ended.
    pub(super) deadline: Instant,
    /// Who reads its answer.
    pub(super) reader: Reader,
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
    /// Those of [`HostBuilder::build`](mitt::HostBuilder::build), [`Storage::start`] and `Rules::read`; [`ErrorKind::Input`] - the
    /// memory of the function is no number, or a recording is asked for.
    pub(super) fn start(global: &Global, command: &Lambda) -> Result<Function> {
        Function::with(global, command, Storage::start(command)?)
    }

    /// Does what [`Function::start`] does, with these objects of S3.
    ///
    /// # Errors
    ///
    /// Those of [`Function::start`].
    pub(super) fn with(global: &Global, command: &Lambda, storage: Storage) -> Result<Function> {
        if command.agent_args.record.is_some() {
            let error = Error::input("--record: a function writes no recording");
            return Err(error.hint("leave it out, and record with `mitt run --record`"));
        }
        let storage = Arc::new(storage);
        let memory = match (global.host_memory, std::env::var(MEMORY)) {
            (None, Ok(text)) => Some(memory(&text)?),
            _ => None,
        };
        let unkept: ProblemSink = Arc::new(|error| {
            let details = json!({ "error": error.render() });
            log("WARN", None, "native code is not kept: each start compiles it anew", details);
        });
        #[cfg(feature = "lambda-s3")]
        let rules = Rules::of(&command.s3)?;
        #[cfg(feature = "lambda-s3")]
        let has_whole_texts = rules.need_whole_texts();
        #[cfg(not(feature = "lambda-s3"))]
        let has_whole_texts = false;
        let fetcher = |other| storage.fetcher(other);
        let host = commands::host_of_function(global, (memory, has_whole_texts), unkept, fetcher)?;
        #[cfg(feature = "lambda-s3")]
        for warning in &rules.warnings {
            log("WARN", None, "a rule may be wrong", json!({ "warning": warning }));
        }
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
            agent_args: command.agent_args.clone(),
            model: OnceLock::new(),
            storage,
            #[cfg(feature = "lambda-s3")]
            rules,
            #[cfg(feature = "serve")]
            mcp: tokio::sync::OnceCell::new(),
        })
    }

    /// Returns the objects of S3 that the function reads and writes.
    pub(super) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// Returns what is made of objects that were created.
    #[cfg(feature = "lambda-s3")]
    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the size of a document, in bytes, above which it is refused.
    #[cfg(feature = "lambda-s3")]
    pub(super) fn max_document_bytes(&self) -> u64 {
        self.host.session_limits().document_bytes
    }

    /// Returns how texts of CSV files are treated that a spreadsheet would calculate.
    #[cfg(feature = "lambda-s3")]
    pub(super) fn formulas(&self) -> Formulas {
        commands::csv_formulas(&self.global)
    }

    /// Returns how a model works.
    pub(super) fn agent_args(&self) -> &AgentArgs {
        &self.agent_args
    }

    /// Returns the settings.
    pub(super) fn settings(&self) -> &Settings {
        &self.global.settings
    }

    /// Returns the model of the operator, and opens it for the first event.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`] - none is named, there is no such service, or its key is missing.
    pub(super) fn model(&self) -> Result<Arc<dyn ChatModel>> {
        if let Some(model) = self.model.get() {
            return Ok(model.clone());
        }
        let (model_args, settings) = (&self.agent_args.model_args, &self.global.settings);
        let Some(name) = model_args.name(settings) else {
            return Err(Error::model("this function has no model").hint(
                "name one with `mitt lambda --model` or in MITT_MODEL, and set the key of its service, such as OPENAI_API_KEY",
            ));
        };
        let model = model_args.open(&name, settings)?;
        Ok(self.model.get_or_init(|| model).clone())
    }

    /// Returns the server of MCP, and starts it for the first request.
    ///
    /// # Errors
    ///
    /// Those of [`McpServer::start`].
    #[cfg(feature = "serve")]
    pub(super) async fn mcp_server(&self) -> Result<&McpServer> {
        let tools = self.agent_args.tools(&self.global.settings);
        self.mcp.get_or_try_init(|| McpServer::start(self.host.clone(), tools)).await
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
