//! The calls that agents made for the steps of a plan, out of its log.
//!
//! Knows entries. What became of the steps themselves is in the [`PlanRecord`](crate::plan::PlanRecord).

use std::collections::HashMap;

use super::entry::{Entry, LoggedAttempt, LoggedResult};
use super::file::LoggedRun;
use crate::model::ModelCall;

/// A call that an agent made for a step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanCall {
    /// Id of the step.
    pub step: String,
    /// Which attempt of the step it was made in, from 1.
    pub attempt: u64,
    /// The tool.
    pub tool: String,
    /// The arguments, as the model wrote them: JSON, unless it was wrong.
    pub arguments: String,
    /// What the model was told of the result; none if the call was not finished.
    pub result: Option<String>,
    /// Whether it failed.
    pub is_error: bool,
    /// Names of the files that it delivered.
    pub delivered: Vec<String>,
}

impl LoggedRun {
    /// The calls that agents made for the steps of the plan by which the last instruction is followed, in the order in which their
    /// models wanted them. An attempt that was broken off, and begun anew when the run was resumed, has the calls of the new one.
    pub fn plan_calls(&self) -> Vec<PlanCall> {
        let mut found = Found::default();
        for entry in self.of_last_instruction() {
            match entry {
                Entry::Delegated(logged) => {
                    found.agents.insert(logged.agent, None);
                    if let Some(attempt) = &logged.of_plan {
                        found.calls.retain(|it| !it.is_of(attempt));
                        found.agents.insert(logged.agent, Some(attempt));
                    }
                }
                Entry::Of { agent, entry } => match &**entry {
                    Entry::Answer { answer, .. } => {
                        answer.calls.iter().for_each(|call| found.wanted(*agent, call));
                    }
                    Entry::Result(result) => found.given(*agent, result),
                    _ => {}
                },
                _ => {}
            }
        }
        found.calls.into_iter().map(|it| it.call).collect()
    }

    /// Whether calls of the plan's steps are missing in the log, as there was no room for more of them.
    pub fn has_left_out_calls(&self) -> bool {
        self.of_last_instruction().contains(&Entry::LeftOut)
    }
}

/// What was found so far.
#[derive(Default)]
struct Found<'r> {
    /// What agents do of the plan, by their numbers.
    agents: HashMap<u64, Option<&'r LoggedAttempt>>,
    calls: Vec<Made>,
}

struct Made {
    agent: u64,
    id: String,
    call: PlanCall,
}

impl Made {
    fn is_of(&self, attempt: &LoggedAttempt) -> bool {
        self.call.step == attempt.step && self.call.attempt == attempt.attempt
    }
}

impl Found<'_> {
    fn wanted(&mut self, agent: u64, call: &ModelCall) {
        let Some(Some(LoggedAttempt { step, attempt })) = self.agents.get(&agent) else { return };
        let ModelCall { id, name, arguments } = call.clone();
        let call = PlanCall {
            step: step.clone(),
            attempt: *attempt,
            tool: name,
            arguments,
            result: None,
            is_error: false,
            delivered: Vec::new(),
        };
        self.calls.push(Made { agent, id, call });
    }

    fn given(&mut self, agent: u64, result: &LoggedResult) {
        // Models may use an id again.
        let mut calls = self.calls.iter_mut().rev();
        let of = calls.find(|it| it.agent == agent && it.id == result.call_id);
        if let Some(Made { call, .. }) = of {
            call.result = Some(result.content.clone());
            call.is_error = result.is_error;
            call.delivered = result.delivered.iter().map(|file| file.name.clone()).collect();
        }
    }
}
