//! `mitt plan show`: the plan of a run that is kept, and how far it has come.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::logged::LAST;
use crate::args::{PlanCommand, PlanShow};
use crate::output::Output;
use crate::plan_tree;
use crate::runs::Runs;
use mitt_agent::plan::{Attempt, PlanRecord, Step, StepRecord, StepState};
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
        (_, true) => output.value(&to_json(&name, &record))?,
        _ => tell(&name, &record, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(name: &str, record: &PlanRecord, output: &Output) -> Result<()> {
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
        if let Some(result) = record.result() {
            let result = text::shortened(&text::single_line(result), 200);
            output.line(&format!("        {result}"))?;
        }
    }
    for (plan, why) in &record.rejected {
        output.line(&format!("rejected: {}: {why}", text::single_line(&plan.title)))?;
    }
    Ok(())
}

/// A plan with the states and results of its steps.
pub(super) fn to_json(name: &str, record: &PlanRecord) -> Value {
    let rejected = record.rejected.iter().map(|(plan, why)| json!({ "plan": plan, "text": why }));
    json!({
        "run": name, "number": record.number, "accepted": record.is_accepted, "done": record.is_done(),
        "plan": record.plan, "steps": steps_json(record), "rejected": rejected.collect::<Vec<_>>(),
    })
}

/// Each step with its state, result and attempts.
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
