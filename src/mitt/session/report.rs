//! Report of a call: its result, its costs and its files.

use std::sync::Arc;

use super::approval_request::ApprovalRequest;
use super::attempt::Attempt;
use super::call_id::CallId;
use crate::engine::Usage;
use mitt_base::digest::sha256;
use mitt_base::{Error, Result};
use mitt_skill::capability::Artifact;
use mitt_wit::value::{Function, Json};

/// Report of a call.
#[derive(Clone, Debug)]
pub struct CallReport {
    /// Id of the call.
    pub call: CallId,
    /// Name of the tool, as the caller wrote it.
    pub tool: String,
    /// Function that was called, in the version that ran: skills may have been replaced since. `None` if the call was refused
    /// before its first attempt.
    pub function: Option<Arc<Function>>,
    /// Number of enclosing calls; 0 for a call by a model or a user.
    pub depth: u64,
    /// Agent that made the call, if one of the session's did: see [`Session::for_agent`](super::Session::for_agent).
    pub agent: Option<u64>,
    /// SHA-256 of the arguments, after results that they name have been inserted.
    pub arguments_sha256: String,
    /// The result or the error.
    pub result: Result<Json>,
    /// Attempts in order. Empty if the call was refused before the first.
    pub attempts: Vec<Attempt>,
    /// Name of the result for arguments of later calls, such as `call-3`, if it was kept. Long results are kept if the call shows
    /// tables by reference ([`CallOptions::tables`](super::CallOptions::tables)).
    pub name: Option<String>,
    /// Resources used by all attempts together, without the delays between them.
    pub usage: Usage,
    /// Text that the plugin printed in the last attempt.
    pub printed: String,
    /// Delivered files, including those of inner calls. A failed attempt delivers no files of its own.
    pub artifacts: Vec<Artifact>,
    /// Error of the script that the call ran, if the call itself succeeded: the exception, or the limit, refusal or crash that
    /// ended the script. The result contains it, too.
    pub script_error: Option<Error>,
    /// Request that the call waits for, if it was paused: see [`Session::resume`](super::Session::resume).
    pub approval: Option<ApprovalRequest>,
}

impl CallReport {
    /// Returns kind and message of the error of the call, or of the script that it ran.
    pub fn failure(&self) -> Option<(&'static str, String)> {
        self.failed().map(|error| (error.kind().name(), error.to_string()))
    }

    /// Returns the error of the call, or of the script that it ran.
    pub fn failed(&self) -> Option<&Error> {
        self.result.as_ref().err().or(self.script_error.as_ref())
    }

    /// Returns the report of a call that produced nothing but a result.
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
