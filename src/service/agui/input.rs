//! The body of a request: `RunAgentInput` of AG-UI 1.0.
//!
//! Fields that the protocol does not know are ignored, as it demands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest identifier of a thread or a run, in bytes.
pub(super) const MOST_ID_BYTES: usize = 256;

/// A request to run an agent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunAgentInput {
    /// The conversation.
    #[schemars(length(min = 1, max = 256))]
    pub(crate) thread_id: String,
    /// This run. A second request with the same identifier returns the same events.
    #[schemars(length(min = 1, max = 256))]
    pub(crate) run_id: String,
    /// The run that this one came from; returned unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent_run_id: Option<String>,
    /// State of the page. Mitt adds the member `mitt` to an object.
    #[serde(default)]
    pub(crate) state: Value,
    /// The whole conversation.
    pub(crate) messages: Vec<InputMessage>,
    /// Tools of the page, which the model may call.
    #[serde(default)]
    pub(crate) tools: Option<Vec<InputTool>>,
    /// What the page wants the model to know.
    #[serde(default)]
    pub(crate) context: Option<Vec<InputContext>>,
    /// Further settings; the member `mitt` has those of Mitt: `model`, `options` and `documents`, as in `POST /v1/runs`.
    #[serde(default)]
    pub(crate) forwarded_props: Value,
    /// Answers to the interrupts of the last run.
    #[serde(default)]
    pub(crate) resume: Option<Vec<ResumeEntry>>,
}

/// A message of the conversation.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputMessage {
    /// Identifier.
    pub(crate) id: String,
    /// `developer`, `system`, `assistant`, `user`, `tool`, `activity` or `reasoning`.
    pub(crate) role: String,
    /// A text, a list of parts, or an object of an activity.
    #[serde(default)]
    pub(crate) content: Value,
    /// The call that a message of a tool answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<String>,
    /// Why the tool failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// A tool of the page.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub(crate) struct InputTool {
    /// Name: 1 to 64 letters, digits, `_` and `-`.
    #[schemars(length(min = 1, max = 64), regex(pattern = "^[A-Za-z0-9_-]+$"))]
    pub(crate) name: String,
    /// What it does.
    pub(crate) description: String,
    /// JSON Schema of its arguments.
    #[serde(default)]
    pub(crate) parameters: Value,
}

/// Something that the page wants the model to know.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub(crate) struct InputContext {
    /// What it is.
    pub(crate) description: String,
    /// Its value.
    pub(crate) value: String,
}

/// An answer to an interrupt.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResumeEntry {
    /// The interrupt.
    pub(crate) interrupt_id: String,
    /// `resolved` or `cancelled`.
    pub(crate) status: ResumeStatus,
    /// The answer.
    #[serde(default)]
    pub(crate) payload: Value,
}

/// The answer to an interrupt, or that there is none.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResumeStatus {
    /// The payload has the answer.
    Resolved,
    /// Nobody answers.
    #[default]
    Cancelled,
}

impl RunAgentInput {
    /// Returns the tools of the page.
    pub(super) fn tools(&self) -> &[InputTool] {
        self.tools.as_deref().unwrap_or_default()
    }

    /// Returns the answers to interrupts.
    pub(super) fn resume(&self) -> &[ResumeEntry] {
        self.resume.as_deref().unwrap_or_default()
    }

    /// Returns the place of the first message that is new for the thread, whose last message of the user was `seen`.
    ///
    /// A page may shorten or change its history. Then the messages after the last one of the agent are new.
    pub(super) fn first_new(&self, seen: Option<&str>) -> usize {
        let seen = seen.and_then(|id| self.messages.iter().rposition(|message| message.id == id));
        let answer = |message: &InputMessage| matches!(message.role.as_str(), "assistant" | "tool");
        let place = seen.or_else(|| self.messages.iter().rposition(answer));
        place.map_or(0, |place| place + 1)
    }

    /// Returns the messages of the user from this place on.
    pub(super) fn of_user(&self, from: usize) -> impl Iterator<Item = &InputMessage> {
        self.messages.iter().skip(from).filter(|message| message.role == "user")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::http::schema_of;
    use serde_json::json;

    /// Returns a message of this role.
    pub(in crate::agui) fn message(id: &str, role: &str, text: &str) -> InputMessage {
        InputMessage {
            id: id.to_owned(),
            role: role.to_owned(),
            content: text.into(),
            ..InputMessage::default()
        }
    }

    fn input(messages: Vec<InputMessage>) -> RunAgentInput {
        RunAgentInput { messages, ..RunAgentInput::default() }
    }

    #[test]
    fn what_a_client_sends_is_accepted() {
        let body = json!({
            "threadId": "t", "runId": "r", "protocolVersion": "1.0", "state": { "a": 1 },
            "messages": [
                { "id": "1", "role": "user", "content": [{ "type": "text", "text": "a" }], "name": "x" },
                { "id": "2", "role": "assistant", "toolCalls": [{ "id": "c", "type": "function",
                  "function": { "name": "f", "arguments": "{}" } }] },
                { "id": "3", "role": "tool", "toolCallId": "c", "content": "b", "error": "e" },
                { "id": "4", "role": "activity", "activityType": "PLAN", "content": { "a": 1 } },
            ],
            "tools": [{ "name": "f", "description": "d", "parameters": { "type": "object" } }],
            "context": [{ "description": "d", "value": "v" }],
            "forwardedProps": {},
            "resume": [{ "interruptId": "i", "status": "resolved", "payload": { "approved": true } }],
        });
        schema_of::<RunAgentInput>().check(&body).unwrap();
        let input: RunAgentInput = serde_json::from_value(body).unwrap();
        assert_eq!(input.messages[2].tool_call_id.as_deref(), Some("c"));
        assert_eq!(input.resume()[0].status, ResumeStatus::Resolved);
        let least =
            json!({ "threadId": "t", "runId": "r", "messages": [], "tools": null, "resume": null });
        schema_of::<RunAgentInput>().check(&least).unwrap();
        assert!(serde_json::from_value::<RunAgentInput>(least).unwrap().tools().is_empty());
    }

    #[test]
    fn all_problems_of_a_body_are_reported() {
        let body = json!({
            "threadId": "", "runId": "r",
            "messages": [{ "role": "user" }],
            "tools": [{ "name": "a b", "description": "d" }],
            "resume": [{ "interruptId": "i", "status": "maybe" }],
        });
        let problem = schema_of::<RunAgentInput>().check(&body).unwrap_err();
        assert_eq!(problem.status, 422);
        let places: Vec<&str> = problem.errors.iter().map(|it| it.pointer.as_str()).collect();
        for place in ["/threadId", "/messages/0", "/tools/0/name", "/resume/0/status"] {
            assert!(places.contains(&place), "{place} is not in {places:?}");
        }
    }

    #[test]
    fn new_messages_come_after_the_last_one_that_was_seen() {
        let talk = || {
            vec![
                message("1", "user", "a"),
                message("2", "assistant", "b"),
                message("3", "user", "c"),
                message("4", "user", "d"),
            ]
        };
        let ids = |input: &RunAgentInput, seen: Option<&str>| -> Vec<String> {
            input.of_user(input.first_new(seen)).map(|it| it.id.clone()).collect()
        };
        assert_eq!(ids(&input(talk()), Some("1")), ["3", "4"]);
        assert_eq!(ids(&input(talk()), Some("3")), ["4"]);
        assert_eq!(ids(&input(talk()), Some("4")), [""; 0]);
        assert_eq!(ids(&input(talk()), Some("gone")), ["3", "4"]);
        assert_eq!(ids(&input(talk()), None), ["3", "4"]);
        assert_eq!(ids(&input(talk()[..1].to_vec()), None), ["1"]);
        assert_eq!(ids(&input(Vec::new()), None), [""; 0]);
    }
}
