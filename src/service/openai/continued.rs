//! Which run a request continues, and what it hands in to it.

use serde_json::Value;

use super::error::at;
use super::ids::{ResponseId, call_id, run_of_call};
use super::input::{Approval, Input, Output};
use super::record::{self, Begin, ResponseRecord};
use crate::problem::Problem;
use crate::run::{
    Answer, AnswerDemand, ForkPoint, Message, Policy, Question, RunState, ToolOutput,
};
use crate::service::Service;

/// A run that is continued.
pub(super) struct Continued {
    pub(super) state: RunState,
    /// Number of the new response.
    pub(super) number: u64,
    /// The response before it, if the client named one.
    pub(super) previous: Option<ResponseRecord>,
    /// `true` if the run has seen the earlier messages of the input.
    pub(super) knows_history: bool,
    /// Where the run is forked; `None` if it goes on itself.
    pub(super) fork: Option<ForkPoint>,
}

/// What a run gets before it goes on.
#[derive(Debug, PartialEq)]
pub(super) enum HandedIn {
    /// Nothing: it waits for nothing.
    Nothing,
    /// Results of all functions that it called.
    Outputs(Vec<ToolOutput>),
    /// The answer to its question.
    Answer(Answer),
}

impl HandedIn {
    /// Returns how the response begins.
    pub(super) fn begin(&self) -> Begin {
        match self {
            HandedIn::Nothing => Begin::Said,
            HandedIn::Outputs(_) | HandedIn::Answer(_) => Begin::Provided,
        }
    }
}

/// Finds the run that a request continues; `None` for a new one.
pub(super) async fn find(
    service: &Service,
    tenant: &str,
    named: Option<&str>,
    input: &Input,
) -> Result<Option<Continued>, Problem> {
    if let Some(id) = named {
        return named_run(service, tenant, id, false).await.map(Some);
    }
    match input.references.as_slice() {
        [] => {}
        [one] => return named_run(service, tenant, &one.to_string(), true).await.map(Some),
        _ => {
            let detail = "the items belong to several conversations; expected those of one";
            return Err(at("/input", "unsupported_value", detail));
        }
    }
    let Some(state) = waiting_run(service, tenant, &input.outputs).await? else { return Ok(None) };
    let last = record::of_run(service, tenant, &state.id).await?.iter().map(|it| it.number).max();
    let number = last.unwrap_or(0) + 1;
    Ok(Some(Continued { state, number, previous: None, knows_history: true, fork: None }))
}

/// Returns the run that waits for these results, which clients without state send back.
pub(super) async fn waiting_run(
    service: &Service,
    tenant: &str,
    outputs: &[Output],
) -> Result<Option<RunState>, Problem> {
    let Some(run) = outputs.last().and_then(|it| run_of_call(&it.call_id)) else { return Ok(None) };
    let state = match service.runs().get(tenant, &run).await {
        Ok(state) => state,
        Err(problem) if problem.status == 404 => return Ok(None),
        Err(problem) => return Err(problem),
    };
    let waits = matches!(&state.question, Some(Question::Functions { calls, .. })
    if calls.iter().all(|call| {
        let id = call_id(&state.id, &call.id);
        outputs.iter().any(|it| it.call_id == id)
    }));
    Ok(waits.then_some(state))
}

async fn named_run(
    service: &Service,
    tenant: &str,
    id: &str,
    knows_history: bool,
) -> Result<Continued, Problem> {
    let missing = |problem: Problem| {
        if problem.status != 404 {
            return problem;
        }
        let id = mitt_base::text::one_line(mitt_base::text::cut_bytes(id, 100)).to_string();
        let detail = format!("there is no response `{id}`");
        at("/previous_response_id", "previous_response_not_found", detail)
    };
    let previous = record::find(service, tenant, id).await.map_err(missing)?;
    let id = previous.id();
    let mut state = service.runs().get(tenant, &id.run).await.map_err(missing)?;
    let fork = record::fork_after(service, tenant, &id).await?;
    let number = match &fork {
        // What the run waits for now is not asked in the new one.
        Some(_) => {
            state.question = None;
            1
        }
        None => next(&id),
    };
    Ok(Continued { state, number, previous: Some(previous), knows_history, fork })
}

fn next(id: &ResponseId) -> u64 {
    id.number + 1
}

/// Returns what a run gets, which must be all that it waits for.
pub(super) fn hand_in(state: &RunState, input: &Input) -> Result<HandedIn, Problem> {
    match &state.question {
        Some(Question::Functions { calls, .. }) => {
            let mut outputs = Vec::new();
            for call in calls {
                let id = call_id(&state.id, &call.id);
                match input.outputs.iter().find(|it| it.call_id == id) {
                    Some(output) => outputs
                        .push(ToolOutput { call: call.id.clone(), output: output.output.clone() }),
                    None => {
                        let detail = format!("there is no output for the function call `{id}`");
                        return Err(at("/input", "missing_function_call_output", detail)
                            .hint("send a `function_call_output` for each call of the response"));
                    }
                }
            }
            Ok(HandedIn::Outputs(outputs))
        }
        Some(question) => match input.approvals.as_slice() {
            [Approval { approve, reason, .. }] => Ok(HandedIn::Answer(Answer {
                question: question.id().to_owned(),
                decision: if *approve { "accept" } else { "reject" }.to_owned(),
                text: reason.clone(),
                plan: None,
            })),
            _ => {
                let detail = "the run waits for the answer to its question";
                Err(at("/input", "missing_approval", detail)
                    .hint("send one `mcp_approval_response`"))
            }
        },
        None if !input.outputs.is_empty() => {
            let id = &input.outputs[0].call_id;
            let id = mitt_base::text::one_line(mitt_base::text::cut_bytes(id, 100)).to_string();
            let detail = format!("the run does not wait for the function call `{id}`");
            Err(at("/input", "unknown_function_call", detail))
        }
        None if !input.approvals.is_empty() => {
            let detail = "the run does not wait for an answer";
            Err(at("/input", "unknown_approval", detail))
        }
        None => Ok(HandedIn::Nothing),
    }
}

/// Hands in what a run waits for, and the further instruction. What the client demands holds for the answer to the results, or
/// else to the instruction.
pub(super) async fn go_on(
    service: &Service,
    (tenant, policy): (&str, &Policy),
    run: &str,
    (handed_in, message, demand): (HandedIn, Option<Message>, AnswerDemand),
    key: Option<String>,
) -> Result<(), Problem> {
    let mut message = message;
    match handed_in {
        HandedIn::Nothing => {
            if let Some(message) = &mut message {
                message.demand = demand;
            }
        }
        HandedIn::Outputs(outputs) => {
            service.runs().provide_for(tenant, run, (outputs, demand), key.clone()).await?;
        }
        HandedIn::Answer(answer) => {
            service.runs().answer(tenant, run, answer).await?;
        }
    }
    if let Some(message) = message {
        service.runs().say(tenant, policy, run, message, key).await?;
    }
    Ok(())
}

/// Refuses what a run that is continued cannot change.
pub(super) fn check_unchanged(
    first: &serde_json::Map<String, Value>,
    now: &serde_json::Map<String, Value>,
) -> Result<(), Problem> {
    let functions = |echo: &serde_json::Map<String, Value>| -> Vec<Value> {
        let tools = echo.get("tools").and_then(Value::as_array);
        tools.into_iter().flatten().filter(|it| it["type"] == "function").cloned().collect()
    };
    let choice = |echo: &serde_json::Map<String, Value>| lasting_choice(echo.get("tool_choice"));
    if functions(first) != functions(now) || choice(first) != choice(now) {
        let detail = "a run keeps the functions that it began with, and those that its choice left";
        return Err(at("/tools", "tools_changed", detail)
            .hint("send the same ones or none, or begin a new response"));
    }
    Ok(())
}

/// Returns the part of a choice that holds for the whole run: which tools there are. A call is required for one response.
pub(super) fn lasting_choice(choice: Option<&Value>) -> Value {
    match choice {
        Some(Value::String(choice)) if choice == "none" => Value::String(choice.clone()),
        Some(choice) if choice["type"] == "allowed_tools" => {
            let allowed = choice.get("allowed_tools").unwrap_or(choice);
            serde_json::json!({"type": "allowed_tools", "mode": "auto", "tools": allowed["tools"]})
        }
        _ => Value::String("auto".to_owned()),
    }
}

/// Refuses a demand on the answer to a question: the instruction that asked it goes on as it began. `first` is what the response
/// before repeats of its request.
pub(super) fn check_demand(
    handed_in: &HandedIn,
    demand: &AnswerDemand,
    (first, now): (Option<&serde_json::Map<String, Value>>, &serde_json::Map<String, Value>),
) -> Result<(), Problem> {
    if !matches!(handed_in, HandedIn::Answer(_)) {
        return Ok(());
    }
    let refused = |place: &str, expected: &str| {
        let detail = format!("the instruction that asked goes on as it began; expected {expected}");
        Err(at(place, "unsupported_value", detail).hint("demand it with the next message"))
    };
    if demand.call.is_some() {
        return refused("/tool_choice", "`auto`");
    }
    let format =
        |echo: &serde_json::Map<String, Value>| echo.get("text").map(|it| it["format"].clone());
    if demand.output.is_some() && first.and_then(format) != format(now) {
        return refused("/text/format", "the format that it has, or none");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
