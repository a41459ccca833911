//! Answers of a model: the body of a chat completion, or only its message.

use mitt::{Error, Result};
use mitt_agent::model::{ChatEvent, ModelCall, StopReason, Usage};
use serde_json::Value;

/// Most calls of one answer.
const MAX_CALLS: usize = 1_000;

/// Returns the events of an answer.
///
/// # Errors
///
/// [`ErrorKind::Model`](mitt::ErrorKind::Model) - it is not JSON of one of the two forms; the error names the place.
pub(crate) fn events(answer: &[u8]) -> Result<Vec<ChatEvent>> {
    let body: Value = serde_json::from_slice(answer).map_err(|error| {
        wrong("answer", "expected JSON", "other text").detail(error.to_string())
    })?;
    let (message, place, reason) = match body.get("choices") {
        Some(choices) => {
            let Some(choice) = choices.get(0) else {
                return Err(wrong("answer.choices", "expected a choice", "none"));
            };
            let reason = choice.get("finish_reason").and_then(Value::as_str);
            (&choice["message"], "answer.choices[0].message", reason)
        }
        None => (&body, "answer", body.get("finish_reason").and_then(Value::as_str)),
    };
    if !message.is_object() {
        return Err(wrong(place, "expected an object", "another value"));
    }
    let mut events = Vec::new();
    if let Some(text) = message.get("reasoning_content").and_then(Value::as_str) {
        events.push(ChatEvent::Reasoning(text.to_owned()));
    }
    let text = content(&message["content"])
        .ok_or_else(|| wrong(&format!("{place}.content"), "expected a text", "another value"))?;
    if !text.is_empty() {
        events.push(ChatEvent::Text(text));
    }
    match message.get("tool_calls") {
        None | Some(Value::Null) => {}
        Some(Value::Array(calls)) if calls.len() <= MAX_CALLS => {
            for (index, call) in calls.iter().enumerate() {
                events.push(ChatEvent::Call(model_call(place, index, call)?));
            }
        }
        Some(Value::Array(calls)) => {
            let (place, got) = (format!("{place}.tool_calls"), calls.len().to_string());
            return Err(wrong(&place, &format!("expected at most {MAX_CALLS} calls"), &got));
        }
        Some(_) => {
            return Err(wrong(
                &format!("{place}.tool_calls"),
                "expected an array",
                "another value",
            ));
        }
    }
    if events.is_empty() && reason.is_none() {
        return Err(wrong(place, "expected `content` or `tool_calls`", "neither"));
    }
    events.extend(usage(&body["usage"]).map(ChatEvent::Usage));
    match reason {
        Some("length") => events.push(ChatEvent::Stopped(StopReason::Length)),
        Some("content_filter") => {
            events.push(ChatEvent::Stopped(StopReason::Refused("content_filter".to_owned())));
        }
        _ => {}
    }
    Ok(events)
}

/// Returns the text of a message: a string, null, or a list of parts.
fn content(content: &Value) -> Option<String> {
    match content {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            parts.iter().map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => None,
    }
}

fn model_call(place: &str, index: usize, call: &Value) -> Result<ModelCall> {
    let place = format!("{place}.tool_calls[{index}]");
    let function = call.get("function").unwrap_or(call);
    let name = function.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| wrong(&format!("{place}.name"), "expected a text", "none"))?;
    let arguments = match function.get("arguments") {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let id = call.get("id").and_then(Value::as_str).map(str::to_owned);
    let id = id.filter(|id| !id.is_empty());
    let id = id.ok_or_else(|| {
        wrong(
            &format!("{place}.id"),
            "expected a text that no other call of the conversation has",
            "none",
        )
    })?;
    Ok(ModelCall { id, name: name.to_owned(), arguments })
}

fn usage(usage: &Value) -> Option<Usage> {
    let number = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let input = number("/prompt_tokens")?;
    Some(Usage {
        input,
        cached: number("/prompt_tokens_details/cached_tokens").unwrap_or_default(),
        output: number("/completion_tokens").unwrap_or_default(),
        reasoning: number("/completion_tokens_details/reasoning_tokens").unwrap_or_default(),
        ..Usage::default()
    })
}

fn wrong(place: &str, expected: &str, got: &str) -> Error {
    Error::model(format!("{expected}, got {got}")).at(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, name: &str, arguments: &str) -> ChatEvent {
        let (id, name) = (id.to_owned(), name.to_owned());
        ChatEvent::Call(ModelCall { id, name, arguments: arguments.to_owned() })
    }

    #[test]
    fn an_answer_is_a_completion_or_its_message() {
        let completion = br#"{"choices": [{"finish_reason": "length", "message": {"content": "a", "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "x__y", "arguments": "{\"n\": 1}"}}]}}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}}}"#;
        let usage = Usage { input: 5, cached: 3, output: 2, ..Usage::default() };
        assert_eq!(
            events(completion).unwrap(),
            [
                ChatEvent::Text("a".into()),
                call("1", "x__y", r#"{"n": 1}"#),
                ChatEvent::Usage(usage),
                ChatEvent::Stopped(StopReason::Length),
            ]
        );
        let message = br#"{"tool_calls": [{"id": "1", "name": "x__y", "arguments": {"n": 1}}]}"#;
        assert_eq!(events(message).unwrap(), [call("1", "x__y", r#"{"n":1}"#)]);
        let parts =
            br#"{"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}"#;
        assert_eq!(events(parts).unwrap(), [ChatEvent::Text("ab".into())]);
    }

    #[test]
    fn a_wrong_answer_is_named_by_its_place() {
        for (answer, expected) in [
            ("no", "answer: expected JSON, got other text"),
            ("[]", "answer: expected an object, got another value"),
            ("{}", "answer: expected `content` or `tool_calls`, got neither"),
            (r#"{"choices": []}"#, "answer.choices: expected a choice, got none"),
            (
                r#"{"choices": [{}]}"#,
                "answer.choices[0].message: expected an object, got another value",
            ),
            (r#"{"content": 1}"#, "answer.content: expected a text, got another value"),
            (r#"{"tool_calls": {}}"#, "answer.tool_calls: expected an array, got another value"),
            (
                r#"{"tool_calls": [{"id": "1"}]}"#,
                "answer.tool_calls[0].name: expected a text, got none",
            ),
            (
                r#"{"tool_calls": [{"name": "a"}]}"#,
                "answer.tool_calls[0].id: expected a text that no other call of the conversation has, got none",
            ),
        ] {
            let error = events(answer.as_bytes()).unwrap_err();
            assert_eq!(error.message(), expected);
            assert_eq!(error.kind(), &mitt::ErrorKind::Model);
        }
        let calls = vec![serde_json::json!({ "id": "1", "name": "a" }); MAX_CALLS + 1];
        let many = serde_json::json!({ "tool_calls": calls }).to_string();
        let error = events(many.as_bytes()).unwrap_err();
        assert!(error.message().ends_with("expected at most 1000 calls, got 1001"));
    }
}
