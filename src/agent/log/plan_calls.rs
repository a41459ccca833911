//! Calls that agents made for the steps of a plan, from its log.
//!
//! Knows entries. The [`PlanRecord`](crate::plan::PlanRecord) has the results of the steps themselves.

use std::collections::HashMap;

use super::entry::{LogEntry, LoggedAttempt, LoggedResult};
use super::file::LoggedRun;
use crate::model::ModelCall;

/// Call that an agent made for a step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanCall {
    /// Id of the step.
    pub step: String,
    /// Number of the attempt, from 1.
    pub attempt: u64,
    /// Name of the tool.
    pub tool: String,
    /// Arguments as the model wrote them: JSON, unless they are invalid.
    pub arguments: String,
    /// Result as the model saw it; `None` if the call was not finished.
    pub result: Option<String>,
    /// `true` if the call failed.
    pub is_error: bool,
    /// Names of the delivered files.
    pub delivered: Vec<String>,
}

/// Call of which it is unknown whether it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownCall {
    /// Id of the step that it was made for.
    pub(crate) step: String,
    /// Name of the tool.
    pub(crate) tool: String,
}

impl LoggedRun {
    /// Returns the calls that agents made for the steps of the last instruction's plan, in the order in which the models
    /// requested them. For an attempt that was interrupted and repeated after a resume, they are the calls of the new one.
    pub fn plan_calls(&self) -> Vec<PlanCall> {
        let mut collector = CallCollector::default();
        for entry in self.of_last_instruction() {
            match entry {
                LogEntry::Delegated(logged) => {
                    collector.agents.insert(logged.agent, None);
                    if let Some(attempt) = &logged.of_plan {
                        collector.calls.retain(|it| !it.is_of(attempt));
                        collector.agents.insert(logged.agent, Some(attempt));
                    }
                }
                LogEntry::FromAgent { agent, entry } => match &**entry {
                    LogEntry::Answer { answer, .. } => {
                        answer.calls.iter().for_each(|call| collector.add_call(*agent, call));
                    }
                    LogEntry::Result(result) => collector.add_result(*agent, result),
                    _ => {}
                },
                _ => {}
            }
        }
        collector.calls.into_iter().map(|it| it.call).collect()
    }

    /// Returns the calls of the last instruction's plan that must not be repeated and of which it is unknown whether they were
    /// made, in the order in which they began.
    pub(crate) fn unknown_plan_calls(&self) -> Vec<UnknownCall> {
        // Agents are numbered anew after a resume: a number stands for the agent that got it last.
        let (mut steps, mut tools) = (HashMap::new(), HashMap::new());
        let mut begun: Vec<(Option<(u64, &str)>, UnknownCall)> = Vec::new();
        for entry in self.of_last_instruction() {
            match entry {
                LogEntry::Delegated(logged) => {
                    steps.insert(logged.agent, logged.of_plan.as_ref().map(|it| it.step.as_str()));
                    for (of, _) in &mut begun {
                        *of = of.filter(|(agent, _)| *agent != logged.agent);
                    }
                }
                LogEntry::FromAgent { agent, entry } => match &**entry {
                    LogEntry::Answer { answer, .. } => {
                        for call in &answer.calls {
                            tools.insert((*agent, call.id.as_str()), call.name.as_str());
                        }
                    }
                    LogEntry::Making { call_id } => {
                        let of = (*agent, call_id.as_str());
                        let step = steps.get(agent).copied().flatten();
                        if let (Some(step), Some(tool)) = (step, tools.get(&of)) {
                            let (step, tool) = (step.to_owned(), (*tool).to_owned());
                            begun.push((Some(of), UnknownCall { step, tool }));
                        }
                    }
                    LogEntry::Result(result) => {
                        let of = Some((*agent, result.call_id.as_str()));
                        begun.retain(|(it, _)| *it != of);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        begun.into_iter().map(|(_, call)| call).collect()
    }

    /// Returns whether calls of the plan's steps are missing because the log had no space for them.
    pub fn has_left_out_calls(&self) -> bool {
        self.of_last_instruction().contains(&LogEntry::LeftOut)
    }
}

/// Collects the calls from the entries.
#[derive(Default)]
struct CallCollector<'r> {
    /// Attempts that agents work on, by the number of the agent.
    agents: HashMap<u64, Option<&'r LoggedAttempt>>,
    calls: Vec<AgentCall>,
}

struct AgentCall {
    agent: u64,
    id: String,
    call: PlanCall,
}

impl AgentCall {
    fn is_of(&self, attempt: &LoggedAttempt) -> bool {
        self.call.step == attempt.step && self.call.attempt == attempt.attempt
    }
}

impl CallCollector<'_> {
    fn add_call(&mut self, agent: u64, call: &ModelCall) {
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
        self.calls.push(AgentCall { agent, id, call });
    }

    fn add_result(&mut self, agent: u64, result: &LoggedResult) {
        // Models may reuse an id.
        let mut calls = self.calls.iter_mut().rev();
        let of = calls.find(|it| it.agent == agent && it.id == result.call_id);
        if let Some(AgentCall { call, .. }) = of {
            call.result = Some(result.content.clone());
            call.is_error = result.is_error;
            call.delivered = result.delivered.iter().map(|file| file.name.clone()).collect();
        }
    }
}
