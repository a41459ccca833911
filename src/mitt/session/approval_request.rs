//! Requests for approval of calls that may destroy something, and the decisions about them.
//!
//! Knows neither sessions nor scripts. `approval/gate.rs` sends the requests and applies the decisions.

use async_trait::async_trait;

use super::call_id::CallId;
use mitt_wit::value::Json;

/// A file of the session that the arguments of a call name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovedFile {
    /// Name of the document or the delivered file.
    pub name: String,
    /// SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}

/// Request to approve a call. An approval is valid only for these arguments, these files and this version of the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// Id for [`Session::resume`](super::Session::resume) if the call is paused; unique in its session.
    pub id: String,
    /// The id as a number.
    pub(super) number: u64,
    /// The call that needs approval.
    pub call: CallId,
    /// Name of the tool.
    pub tool: String,
    /// Title of the tool for people.
    pub title: Option<String>,
    /// Version of the tool's skill.
    pub version: String,
    /// BLAKE3 hash of the skill's component and manifest, to which the approval is bound.
    pub fingerprint: String,
    /// The arguments, as a JSON object.
    pub arguments: String,
    /// SHA-256 of the arguments.
    pub arguments_sha256: String,
    /// Files of the session that are strings of the arguments, sorted by name, at most 100. If one has another content when the
    /// call would be made, the call is refused.
    pub files: Vec<ApprovedFile>,
    /// Number of enclosing calls: 0 for a call by a model or a user, 1 for a call by its script.
    pub depth: u64,
}

/// Decision about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The call is made.
    Approve,
    /// The call is refused, for this reason. A script cannot catch the error.
    Deny(String),
    /// The call waits for [`Session::resume`](super::Session::resume). A script ends here and runs again from the start then.
    Pause,
}

/// Decides about calls of tools that are marked `destructive` in `skill.yaml`.
///
/// Without an approver, scripts are paused before such a call, while calls by a model or a user are made at once.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Decides about one call. The time until the decision does not count towards the call's deadline; after five minutes the
    /// call is paused.
    async fn decide(&self, request: &ApprovalRequest) -> Decision;
}

impl ApprovalRequest {
    pub(super) fn to_json(&self) -> Json {
        let mut entries: Vec<(&str, Json)> =
            vec![("id", self.id.as_str().into()), ("tool", self.tool.as_str().into())];
        entries.extend(self.title.as_deref().map(|title| ("title", title.into())));
        entries.extend([
            ("version", self.version.as_str().into()),
            ("arguments", self.arguments.as_str().into()),
            ("arguments_sha256", self.arguments_sha256.as_str().into()),
        ]);
        Json::object(entries)
    }

    pub(super) fn is_of_same_call(&self, other: &ApprovalRequest) -> bool {
        self.tool == other.tool && self.arguments_sha256 == other.arguments_sha256
    }
}
