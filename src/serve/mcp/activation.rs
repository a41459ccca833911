//! Calls of the two tools of a catalogue: one lists the tools of a skill, the other calls a tool that a client has not
//! listed.
//!
//! Clients that list tools again after a notification see those of an activated skill like all others. Many never do: for
//! them the answer describes the parameters, and `call_tool` leads to the same call, with the same checks, approvals,
//! progress and answer.

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::calls::{Call, NEWS_TIMEOUT};
use super::results;
use super::server::Server;
use super::tool_lists::CALL_TOOL;
use mitt::offer::{self, ACTIVATE, ToolMode};
use mitt_base::{Error, ErrorKind, Result, text};

/// How a request to call a tool is handled.
pub(super) enum Dispatch {
    /// This call is made.
    Call(Box<Call>),
    /// The answer is already there.
    Answered(Box<CallToolResponse>),
}

/// Returns how long a list of tools may be cached, in milliseconds: not at all if the next call can change it.
pub(super) fn fresh_ms(server: &Server, otherwise: u64) -> u64 {
    match server.options().tools {
        ToolMode::Catalogue => 0,
        _ => otherwise,
    }
}

/// Returns the call that is meant, which `call_tool` names in its arguments, or the answer of `open_skill`.
pub(super) async fn dispatch(mut call: Call) -> Dispatch {
    if call.server.options().tools != ToolMode::Catalogue {
        return Dispatch::Call(Box::new(call));
    }
    if call.tool == CALL_TOOL {
        match inner(&call.arguments) {
            Ok((tool, arguments)) => {
                (call.tool, call.arguments, call.is_indirect) = (tool, arguments, true);
            }
            Err(error) => return Dispatch::Answered(Box::new(failed(&call, &error))),
        }
    }
    if call.tool != ACTIVATE {
        return Dispatch::Call(Box::new(call));
    }
    let begun = Instant::now();
    let activated = activated(&call).await;
    call.observe(
        activated.as_ref().map_or_else(|error| error.kind().name(), |_| "ok"),
        begun,
        None,
    );
    Dispatch::Answered(Box::new(match activated {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]).into(),
        Err(error) => failed(&call, &error),
    }))
}

fn failed(call: &Call, error: &Error) -> CallToolResponse {
    results::failed(error, call.characters()).into()
}

/// The arguments of `call_tool`, with those of the inner call as sent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inner<'a> {
    name: String,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// Returns the tool that `call_tool` names, and the text of its arguments. These may be a string that holds an object,
/// because models whose decoders do not support open objects write that. The tool checks their content.
fn inner(arguments: &str) -> Result<(String, Arc<str>)> {
    let wrong = |problem: serde_json::Error| {
        Error::new(ErrorKind::Arguments, format!("`{CALL_TOOL}`: {problem}")).hint(
            "give the tool's `name`, and its arguments as the object `arguments`: \
             {\"name\": \"table_tool__sort\", \"arguments\": {\"data\": …}}",
        )
    };
    let Inner { name, arguments } = serde_json::from_str(arguments).map_err(wrong)?;
    let text = match arguments.map(RawValue::get) {
        None => "{}".into(),
        Some(text) if text.starts_with('"') => {
            serde_json::from_str::<String>(text).map_err(wrong)?.into()
        }
        Some(text) => text.into(),
    };
    Ok((name, text))
}

/// The arguments of `open_skill`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Activate {
    skill: String,
}

/// Activates a skill, and describes its tools. The client is notified of the new list before it gets the answer.
async fn activated(call: &Call) -> Result<String> {
    let client = &call.client;
    let registry = client.session.registry();
    let Activate { skill } = serde_json::from_str(&call.arguments).map_err(|problem| {
        Error::new(ErrorKind::Arguments, format!("`{ACTIVATE}`: {problem}"))
            .hint("give the name of a skill: {\"skill\": \"table-tool\"}")
    })?;
    let skill = offer::activated(&registry, &skill)?;
    let name = &skill.manifest().name;
    if client.activate(name) {
        client.flush_news(NEWS_TIMEOUT).await;
    }
    let tools = registry.tools().await;
    let brought = offer::brought(&registry, std::slice::from_ref(name), &tools);
    let room = call.characters();
    let mut description = if brought.is_empty() {
        format!("`{name}` has no tools of its own.\n")
    } else {
        format!(
            "Tools that can be called now; with `{CALL_TOOL}` (name, arguments), where the list of tools does not show them:\n\n{}",
            // The cut-off part of instructions can be read elsewhere, that of parameters cannot.
            offer::signatures(&brought, usize::try_from(room / 4 * 3).unwrap_or(usize::MAX))
        )
    };
    let catalogue = client.catalogue(call.server.catalogues()).await;
    let offered = catalogue.skills.iter().find(|it| it.skill.manifest().name == *name);
    let instructions = offered.map_or(skill.instructions(), |it| &it.body).trim();
    if !instructions.is_empty() {
        let left = room.saturating_sub(description.chars().count() as u64);
        description.push('\n');
        description.push_str(&text::truncate(instructions, left));
    }
    Ok(description)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &str) -> std::result::Result<String, String> {
        let joined = |(name, text): (String, Arc<str>)| format!("{name} {text}");
        inner(arguments).map(joined).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_stay_as_they_were_sent() {
        for (sent, expected) in [
            (r#"{"name":"a__b","arguments":{"x": 1.50, "x": 2}}"#, r#"a__b {"x": 1.50, "x": 2}"#),
            (r#"{"arguments":"{\"x\":1}","name":"a__b"}"#, r#"a__b {"x":1}"#),
            (r#"{"name":"a__b"}"#, "a__b {}"),
            (r#"{"name":"a__b","arguments":null}"#, "a__b {}"),
            // The tool itself reports that this is not an object.
            (r#"{"name":"a__b","arguments":[1]}"#, "a__b [1]"),
        ] {
            assert_eq!(read(sent).unwrap(), expected, "{sent}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (sent, problem) in [
            ("{}", "missing field `name`"),
            (r#"{"name":1}"#, "invalid type: integer `1`, expected a string"),
            (r#"{"name":"a","data":[]}"#, "unknown field `data`, expected `name` or `arguments`"),
            (r#"{"name":"a","name":"b"}"#, "duplicate field `name`"),
            (r#"{"name":"a","arguments":{},"arguments":{}}"#, "duplicate field `arguments`"),
        ] {
            let error = read(sent).unwrap_err();
            assert!(error.contains(problem), "{sent}: {error}");
        }
    }
}
