//! Events and journal entries of a plan.

use serde_json::{Value, json};

use crate::plan_record::{Decided, Plan, PlanEntry, PlanRecord, ReflectionOutcome, StepState};
use crate::run_event::{PlannedStep, RunEvent};

/// Returns the step that an entry is about.
pub(super) fn step_of(entry: &PlanEntry) -> Option<&str> {
    match entry {
        PlanEntry::Begun { step }
        | PlanEntry::Given { step, .. }
        | PlanEntry::Missed { step, .. }
        | PlanEntry::Reflected { step, .. }
        | PlanEntry::Skipped { step, .. } => Some(step),
        PlanEntry::Made { .. } | PlanEntry::Decided(_) | PlanEntry::Started => None,
    }
}

/// Returns the events of an entry.
pub(super) fn events(entry: &PlanEntry, record: &PlanRecord) -> Vec<RunEvent> {
    let number = record.number;
    match entry {
        PlanEntry::Made { plan } => vec![made(number, plan)],
        PlanEntry::Decided(Decided::Accepted) => {
            vec![RunEvent::PlanDecided { number, decision: "accepted", text: String::new() }]
        }
        PlanEntry::Decided(Decided::Rejected { text }) => {
            vec![RunEvent::PlanDecided { number, decision: "rejected", text: text.clone() }]
        }
        PlanEntry::Decided(Decided::Changed { plan }) => {
            // The number of the plan that was reviewed is the previous one.
            let number = number.saturating_sub(1);
            let decided =
                RunEvent::PlanDecided { number, decision: "changed", text: String::new() };
            vec![decided, made(record.number, plan)]
        }
        PlanEntry::Reflected { step, outcome, feedback } => {
            let mut events = reflected(record, step, *outcome, feedback);
            events.extend(state(record, step));
            events
        }
        PlanEntry::Given { step, .. } => {
            let mut events = Vec::new();
            let last = record.step(step).and_then(|(_, record)| record.attempts.last());
            if let Some((outcome, feedback)) = last.and_then(|last| last.reflection.as_ref()) {
                events = reflected(record, step, *outcome, feedback);
            }
            events.extend(state(record, step));
            events
        }
        PlanEntry::Begun { step }
        | PlanEntry::Missed { step, .. }
        | PlanEntry::Skipped { step, .. } => state(record, step).into_iter().collect(),
        PlanEntry::Started => Vec::new(),
    }
}

/// Returns events for a new listener: the plan, and each step that has begun or ended.
pub(super) fn so_far(record: &PlanRecord) -> Vec<RunEvent> {
    // There is no plan yet, or it was rejected.
    if record.number == record.rejected.len() as u64 {
        return Vec::new();
    }
    let begun = record.each().filter(|(_, step)| step.state != StepState::Waiting);
    let states = begun.filter_map(|(step, _)| state(record, &step.id));
    std::iter::once(made(record.number, &record.plan)).chain(states).collect()
}

fn made(number: u64, plan: &Plan) -> RunEvent {
    let steps = plan.steps.iter().map(|step| {
        PlannedStep::new(step.id.clone(), step.title.clone(), step.kind.name(), step.needs.clone())
    });
    RunEvent::Plan { number, title: plan.title.clone(), steps: steps.collect() }
}

fn reflected(
    record: &PlanRecord,
    id: &str,
    outcome: ReflectionOutcome,
    feedback: &str,
) -> Vec<RunEvent> {
    let attempt = record.step(id).map_or(0, |(_, record)| record.attempts.len() as u64);
    let (id, feedback) = (id.to_owned(), feedback.to_owned());
    vec![RunEvent::PlanReflection { id, attempt, outcome: outcome.name(), feedback }]
}

fn state(record: &PlanRecord, id: &str) -> Option<RunEvent> {
    let (_, step) = record.step(id)?;
    let (attempt, detail) = (step.attempts.len() as u64, step.detail());
    Some(RunEvent::PlanStep { id: id.to_owned(), state: step.state.name(), attempt, detail })
}

/// Returns the journal entry, which contains no words of a model or a document.
pub(super) fn note(entry: &PlanEntry, record: &PlanRecord) -> Option<(&'static str, Value)> {
    match entry {
        PlanEntry::Made { plan } | PlanEntry::Decided(Decided::Changed { plan }) => {
            Some(("plan", json!({ "number": record.number, "steps": plan.steps.len() })))
        }
        _ => {
            let id = step_of(entry)?;
            let (_, step) = record.step(id)?;
            let how = match step.state {
                StepState::Done(how) => Some(how.name()),
                _ => None,
            };
            let details = json!({
                "step": id, "state": step.state.name(), "how": how, "attempt": step.attempts.len(),
            });
            Some(("plan-step", details))
        }
    }
}
