//! `mitt plan show`: shows the plan of a logged run, and its state.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::conversation_log::LAST;
use crate::args::{PlanCommand, PlanShow};
use crate::output::Output;
use crate::plan_tree;
use crate::runs::Runs;
use mitt_agent::plan::{Attempt, PlanRecord, Step, StepRecord, StepState};
use mitt_agent::{LoggedRun, PlanCall};
use mitt_base::{Error, ErrorKind, Result, text};

pub(crate) fn plan(command: &PlanCommand, output: &Output) -> Result<ExitCode> {
    let PlanCommand::Show(PlanShow { run: name, plan, .. }) = command;
    let (name, run) = Runs::of_user()?.read((name != LAST).then_some(name.as_str()))?;
    let record = run.plan().map_err(|error| error.at(format!("run {name}")))?;
    let Some(record) = record else {
        let error = Error::new(ErrorKind::Input, format!("run {name} has no plan"));
        return Err(error.hint("`mitt run --plan` follows an instruction by one"));
    };
    match (*plan, output.is_json()) {
        (true, _) => output.value(&json!(record.plan))?,
        (_, true) => output.value(&to_json(&name, &record, &run))?,
        _ => print_steps(&name, &record, &run, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print_steps(name: &str, record: &PlanRecord, run: &LoggedRun, output: &Output) -> Result<()> {
    let calls = run.plan_calls();
    let state = match (record.number, record.is_accepted, record.is_done()) {
        (0, ..) => "is not made yet",
        (_, false, _) => "waits for a decision",
        (_, true, false) => "is unfinished",
        (_, true, true) => "is done",
    };
    let title = text::single_line(&record.plan.title);
    output.line(&format!("run {name}: plan {} {state}: {title}", record.number))?;
    for (step, record) in record.each() {
        output.line(&plan_tree::line(step, record))?;
        if let Some(counted) = counted(calls.iter().filter(|call| call.step == step.id)) {
            output.line(&format!("        {counted}"))?;
        }
        if let Some(result) = record.result() {
            let result = text::shortened(&text::single_line(result), 200);
            output.line(&format!("        {result}"))?;
        }
    }
    for (plan, why) in &record.rejected {
        output.line(&format!("rejected: {}: {why}", text::single_line(&plan.title)))?;
    }
    if run.has_left_out_calls() {
        output.line("calls of steps are missing: the log had no room for more of them")?;
    }
    Ok(())
}

/// Counts the calls and failures of each tool; `None` if there was no call.
fn counted<'a>(calls: impl Iterator<Item = &'a PlanCall>) -> Option<String> {
    let mut tools: Vec<(&str, u64, u64)> = Vec::new();
    for call in calls {
        let failed = u64::from(call.is_error);
        match tools.iter_mut().find(|(tool, ..)| *tool == call.tool) {
            Some((_, n, n_failed)) => (*n, *n_failed) = (*n + 1, *n_failed + failed),
            None => tools.push((&call.tool, 1, failed)),
        }
    }
    let tools = tools.into_iter().map(|(tool, n, n_failed)| {
        let tool = text::one_line(text::cut_bytes(tool, 80));
        match n_failed {
            0 => format!("{tool} ×{n}"),
            _ => format!("{tool} ×{n} ({n_failed} failed)"),
        }
    });
    let tools: Vec<String> = tools.collect();
    (!tools.is_empty()).then(|| format!("calls: {}", tools.join(", ")))
}

/// Returns a plan with the states and results of its steps.
pub(super) fn to_json(name: &str, record: &PlanRecord, run: &LoggedRun) -> Value {
    let mut steps = steps_json(record);
    for call in run.plan_calls() {
        let mut of_step = steps.iter_mut().filter(|step| step["id"] == *call.step);
        let at = usize::try_from(call.attempt).unwrap_or_default().checked_sub(1);
        let attempt = of_step.next().and_then(|step| step["attempts"].get_mut(at?));
        let Some(Value::Object(attempt)) = attempt else { continue };
        let calls = attempt.entry("calls").or_insert_with(|| json!([]));
        if let Value::Array(calls) = calls {
            calls.push(json!({
                "tool": call.tool, "arguments": call.arguments, "failed": call.is_error, "result": call.result,
                "delivered": call.delivered,
            }));
        }
    }
    let rejected = record.rejected.iter().map(|(plan, why)| json!({ "plan": plan, "text": why }));
    json!({
        "run": name, "number": record.number, "accepted": record.is_accepted, "done": record.is_done(),
        "plan": record.plan, "steps": steps, "rejected": rejected.collect::<Vec<_>>(),
        "calls_left_out": run.has_left_out_calls(),
    })
}

/// Returns each step with its state, result and attempts.
pub(super) fn steps_json(record: &PlanRecord) -> Vec<Value> {
    let attempt = |attempt: &Attempt| {
        let (result, error) = match &attempt.result {
            Some(Ok(result)) => (Some(result), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        let reflection = attempt.reflection.as_ref();
        let reflection = reflection
            .map(|(outcome, feedback)| json!({ "outcome": outcome.name(), "feedback": feedback }));
        json!({ "result": result, "error": error, "delivered": attempt.delivered, "repairs": attempt.repairs, "reflection": reflection })
    };
    let step = |(step, record): (&Step, &StepRecord)| {
        let how = match record.state {
            StepState::Done(how) => Some(how.name()),
            _ => None,
        };
        json!({
            "id": step.id, "title": step.title, "state": record.state.name(), "acceptance": how,
            "reason": record.reason, "result": record.result(),
            "attempts": record.attempts.iter().map(attempt).collect::<Vec<_>>(),
        })
    };
    record.each().map(step).collect()
}
