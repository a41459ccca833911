//! Approvals: the client asks its user before it calls a tool that may destroy something.
//!
//! Up to 2025-11-25 the server asks in the middle of the call (`elicitation/create`). In 2026-07-28 the call ends with the
//! question and is repeated with the answer; the state of the waiting call travels sealed. A client that cannot ask anybody
//! is trusted to check `destructiveHint` before its model calls a tool; a script that calls such a tool is refused.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, InputResponses, RequestStateCodec,
    SealOptions,
};
use rmcp::service::{Peer, RoleServer};
use serde_json::Value;

use mitt::{ApprovalRequest, Approver, Decision};
use mitt_base::{Error, ErrorKind, Result, text};

/// The id of the question.
const APPROVAL: &str = "approval";
/// The field of its form.
const APPROVE: &str = "approve";
/// Time for the user to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// How long a sealed state is valid.
pub(super) const STATE_TTL: Duration = Duration::from_secs(10 * 60);
/// How a call can ask the user.
#[derive(Clone)]
pub(super) enum ElicitationSupport {
    /// Ask the client while the call waits.
    DuringCall(Peer<RoleServer>),
    /// Ask the client between two requests.
    BetweenRequests,
    Unsupported,
}

impl ElicitationSupport {
    /// Returns how a client with these capabilities can ask. `peer` is set if it can be asked in the middle of a call.
    pub(super) fn of(
        capabilities: Option<&ClientCapabilities>,
        peer: Option<&Peer<RoleServer>>,
    ) -> ElicitationSupport {
        let elicitation = capabilities.and_then(|it| it.elicitation.as_ref());
        // A client that lists neither supports forms.
        let has_forms = elicitation.is_some_and(|it| it.form.is_some() || it.url.is_none());
        match (has_forms, peer) {
            (false, _) => ElicitationSupport::Unsupported,
            (true, Some(peer)) => ElicitationSupport::DuringCall(peer.clone()),
            (true, None) => ElicitationSupport::BetweenRequests,
        }
    }
}

/// Asks the user in the way that the call allows.
pub(super) struct ClientApprover {
    elicitation: ElicitationSupport,
}

impl ClientApprover {
    pub(super) fn new(elicitation: ElicitationSupport) -> ClientApprover {
        ClientApprover { elicitation }
    }
}

#[async_trait]
impl Approver for ClientApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        match &self.elicitation {
            ElicitationSupport::DuringCall(peer) => ask_during_call(peer, request).await,
            ElicitationSupport::Unsupported if request.depth == 0 => Decision::Approve,
            ElicitationSupport::BetweenRequests | ElicitationSupport::Unsupported => {
                Decision::Pause
            }
        }
    }
}

async fn ask_during_call(peer: &Peer<RoleServer>, request: &ApprovalRequest) -> Decision {
    let question = match question(request) {
        Ok(question) => question,
        Err(problem) => return Decision::Deny(problem),
    };
    match peer.create_elicitation_with_timeout(question, Some(ANSWER_TIMEOUT)).await {
        Ok(answer) => decision(&answer),
        Err(error) => {
            tracing::warn!(tool = request.tool, %error, "the client could not be asked");
            Decision::Deny("the client could not be asked".to_owned())
        }
    }
}

fn decision(answer: &ElicitResult) -> Decision {
    let approves = answer.content.as_ref().and_then(|it| it.get(APPROVE)).and_then(Value::as_bool);
    match (&answer.action, approves) {
        (ElicitationAction::Accept, Some(true)) => Decision::Approve,
        (ElicitationAction::Cancel, _) => Decision::Deny("the user closed the question".to_owned()),
        _ => Decision::Deny("the user declined".to_owned()),
    }
}

/// Returns the question, or why it cannot be asked.
fn question(request: &ApprovalRequest) -> std::result::Result<ElicitRequestParams, String> {
    let title = request.title.as_ref().map(|title| format!(" ({})", text::one_line(title)));
    let title = title.unwrap_or_default();
    let arguments = request.preview()?.join("\n");
    let approve = ElicitationSchema::builder()
        .required_bool_with(APPROVE, |it| {
            it.title("Approve").description("Whether the call is made")
        })
        .build_unchecked();
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!(
            "`{}`{title} may replace or remove something. Call it with these arguments?\n{arguments}",
            request.tool
        ),
        requested_schema: approve,
    })
}

/// Returns the answer that makes the client ask its user first. `binding` is what the user's answer must match.
///
/// # Errors
///
/// [`ErrorKind::Denied`] - there is more than a user could review.
pub(super) fn ask(
    codec: &RequestStateCodec,
    request: &ApprovalRequest,
    binding: &[u8],
) -> Result<InputRequiredResult> {
    let question = question(request).map_err(|problem| {
        let message = format!("`{}` was not approved: {problem}", request.tool);
        Error::new(ErrorKind::Denied, message).hint("make several calls with fewer arguments")
    })?;
    let options = SealOptions::new().associated_data(binding).ttl(STATE_TTL);
    let state = codec.seal_with(request.id.as_bytes(), &options);
    let question = InputRequest::Elicitation(ElicitRequest::new(question));
    let questions = BTreeMap::from([(APPROVAL.to_owned(), question)]);
    Ok(InputRequiredResult::new(Some(questions), Some(state)))
}

/// Returns the id of the waiting call from the state that the client returned.
///
/// # Errors
///
/// The state is not ours, or belongs to another session, call or time.
pub(super) fn waiting_call_id(
    codec: &RequestStateCodec,
    state: &str,
    binding: &[u8],
) -> std::result::Result<String, ErrorData> {
    let refused = |problem: String| {
        ErrorData::invalid_params(
            format!("`requestState`: {problem}; make the call anew without it"),
            None,
        )
    };
    let id = codec.open_with(state, binding).map_err(|error| refused(error.to_string()))?;
    String::from_utf8(id).map_err(|error| refused(error.to_string()))
}

/// Returns the user's decision; `None` if the client did not ask.
pub(super) fn user_decision(responses: Option<&InputResponses>) -> Option<Decision> {
    let answer = responses?.get(APPROVAL)?;
    serde_json::from_value::<ElicitResult>(answer.clone()).ok().as_ref().map(decision)
}
