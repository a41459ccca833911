//! The report of a call: how it ended, what it used and what it left.

use std::sync::Arc;

use super::approval::ApprovalRequest;
use super::attempts::Attempt;
use super::call_id::CallId;
use crate::capability::Artifact;
use crate::engine::Usage;
use mitt_base::digest::sha256;
use mitt_base::{Error, Result};
use mitt_wit::value::{Function, Json};

/// How a call ended.
#[derive(Clone, Debug)]
pub struct CallReport {
    /// Which call of its session it was.
    pub call: CallId,
    /// The tool, as it was named.
    pub tool: String,
    /// The function that was called, of the version that ran: skills may have been replaced since. None if the call was refused
    /// before the first attempt.
    pub function: Option<Arc<Function>>,
    /// How many calls it was inside of; 0 for a call by a model or a user.
    pub depth: u64,
    /// The agent that made it, where it was one of the session's: see [`Session::narrowed`](super::Session::narrowed).
    pub agent: Option<u64>,
    /// SHA-256 of the arguments as they were given, with the results that they name in the places of the names.
    pub arguments_sha256: String,
    /// The result, or why there is none.
    pub result: Result<Json>,
    /// Its attempts in order. None when it was refused before the first.
    pub attempts: Vec<Attempt>,
    /// What names the result in the arguments of later calls, if it was kept: `call-3`. Long results are, of calls whose
    /// tables are shown by reference ([`CallOptions::tables`](super::CallOptions::tables)).
    pub name: Option<String>,
    /// What it used, all attempts together. Delays between them are not counted.
    pub usage: Usage,
    /// What the plugin printed, in the last attempt.
    pub printed: String,
    /// The files that it delivered, calls within it included. An attempt that failed has delivered nothing itself.
    pub artifacts: Vec<Artifact>,
    /// Set when the call itself succeeded but the script that it ran did not: the exception, or the limit, refusal or crash
    /// that ended it. The result tells it too.
    pub script_error: Option<Error>,
    /// What the call waits for, if it was paused: [`Session::resume`](super::Session::resume) goes on with it.
    pub approval: Option<ApprovalRequest>,
}

impl CallReport {
    /// Kind and message of what went wrong, in the call or in the script that it ran.
    pub fn failure(&self) -> Option<(&'static str, String)> {
        self.failed().map(|error| (error.kind().name(), error.to_string()))
    }

    /// What went wrong, in the call or in the script that it ran.
    pub fn failed(&self) -> Option<&Error> {
        self.result.as_ref().err().or(self.script_error.as_ref())
    }

    /// Of a call that left nothing but its result.
    #[doc(hidden)]
    pub fn new(call: CallId, tool: &str, arguments: &str, result: Result<Json>) -> CallReport {
        CallReport {
            call,
            tool: tool.to_owned(),
            function: None,
            depth: 0,
            agent: None,
            arguments_sha256: sha256(arguments.as_bytes()),
            result,
            attempts: Vec::new(),
            name: None,
            usage: Usage::default(),
            printed: String::new(),
            artifacts: Vec::new(),
            script_error: None,
            approval: None,
        }
    }
}
