//! Approvals: what somebody is asked before a tool that may destroy something is called, and what the answers are.
//!
//! Knows neither sessions nor scripts. Who is asked, and what becomes of the answer, is in `asking.rs`.

use async_trait::async_trait;

use super::call_id::CallId;
use mitt_wit::value::Json;

/// A call that somebody is asked to approve. An approval is of these arguments for this version of the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// What [`Session::resume`](super::Session::resume) wants if the call is paused; unique in its session.
    pub id: String,
    /// The id, as a number.
    pub(super) number: u64,
    /// The call that asks.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Version of its skill.
    pub version: String,
    /// BLAKE3 of the skill's component and manifest: what the approval binds to.
    pub fingerprint: String,
    /// The arguments, as a JSON object.
    pub arguments: String,
    /// SHA-256 of the arguments.
    pub arguments_sha256: String,
    /// How many calls it is inside of: 0 for a call by a model or a user, 1 for one by its script.
    pub depth: u64,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is made.
    Approve,
    /// It is refused, for this reason. A script cannot catch that.
    Deny(String),
    /// It waits until [`Session::resume`](super::Session::resume). A script ends here, and is run again then.
    Pause,
}

/// Decides about calls of tools that are marked `destructive` in `skill.yaml`.
///
/// Without one, scripts are paused before such a call, and calls by a model or a user are made.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Decide about one call. The time until then is not counted as the call's; after five minutes the call is paused.
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
