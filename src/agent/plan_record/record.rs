//! Progress of a plan. It follows from the logged entries alone, so a plan that was read from a log continues like one that never
//! stopped.
//!
//! Only entries change it. Asks no model and waits for nobody.

use serde::{Deserialize, Serialize};

use super::reflection::ReflectionOutcome;
use super::shape::{Plan, Step};
use super::step_state::{Acceptance, StepState};
use mitt::Session;
use mitt_base::{Error, ErrorKind, Result};

/// Event of a plan, as logged.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PlanEntry {
    /// A model made a plan.
    Made { plan: Plan },
    /// The reviewer has decided about the plan.
    Decided(Decided),
    /// An attempt of a step begins.
    Begun { step: String },
    /// An attempt produced a result.
    Given {
        step: String,
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        delivered: Vec<String>,
        /// How many of its scripts failed before one succeeded.
        #[serde(default, skip_serializing_if = "is_none")]
        repairs: u64,
        /// Reason why the result counts without a reflection, if it does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        counts: Option<Acceptance>,
    },
    /// An attempt failed, with kind and message.
    Missed { step: String, kind: String, message: String, is_tried_again: bool },
    /// A result was reflected on.
    Reflected { step: String, outcome: ReflectionOutcome, feedback: String },
    /// A step will not run.
    Skipped { step: String, reason: String },
    /// A process begins to work on the plan: interrupted work begins anew.
    Started,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Decision about a plan.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Decided {
    Accepted,
    Rejected { text: String },
    Changed { plan: Plan },
}

/// What happens to a step if one that it depends on has no result.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum FailedNeed {
    /// It is skipped, and so are the steps that depend on it.
    #[default]
    Skip,
    /// It runs, with a note of what failed.
    Run,
}

/// Plan with its progress.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PlanRecord {
    /// Number of the plan in its run, from 1; 0 if there is none yet.
    pub number: u64,
    /// The plan, as it was last made or changed.
    pub plan: Plan,
    /// `true` if its steps may run.
    pub is_accepted: bool,
    /// Rejected plans, each with the reason.
    pub rejected: Vec<(Plan, String)>,
    /// Its steps, in the plan's order.
    pub steps: Vec<StepRecord>,
    /// Numbers of the next call and the next table of a logged run; 0 otherwise.
    pub(crate) next: (u64, u64),
}

/// Step with its progress.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepRecord {
    /// State of the step.
    pub state: StepState,
    /// Attempts, in order. The last one counts.
    pub attempts: Vec<Attempt>,
    /// Reason why it failed or was skipped.
    pub reason: String,
}

/// Attempt of a step.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Attempt {
    /// Result or error; `None` while it runs.
    pub result: Option<std::result::Result<String, String>>,
    /// Names of the delivered files.
    pub delivered: Vec<String>,
    /// How many of its scripts failed before one succeeded.
    pub repairs: u64,
    /// The reflection: its outcome, and what must be done better.
    pub reflection: Option<(ReflectionOutcome, String)>,
}

impl StepRecord {
    /// Returns the text that counts as the step's result, if it is done.
    pub fn result(&self) -> Option<&str> {
        let last = self.attempts.last()?.result.as_ref()?;
        matches!(self.state, StepState::Done(_)).then_some(last.as_ref().ok()?)
    }

    /// Returns the details of its state: why its result counts, and how often its script was repaired; or why it has none.
    pub fn detail(&self) -> String {
        let how = match self.state {
            StepState::Done(how) => how.name(),
            StepState::Running | StepState::Reflecting => "",
            _ => return self.reason.clone(),
        };
        let repairs = match self.attempts.last().map_or(0, |attempt| attempt.repairs) {
            0 => return how.to_owned(),
            1 => "script repaired once".to_owned(),
            n => format!("script repaired {n} times"),
        };
        if how.is_empty() { repairs } else { format!("{how}, {repairs}") }
    }

    /// Returns how often a reflection has sent it back.
    pub(crate) fn n_sent_back(&self) -> u64 {
        let failed = ReflectionOutcome::Failed;
        let outcomes = self.attempts.iter().filter_map(|attempt| attempt.reflection.as_ref());
        outcomes.filter(|(outcome, _)| *outcome == failed).count() as u64
    }

    /// Returns how many attempts failed.
    pub(crate) fn n_missed(&self) -> u64 {
        self.attempts.iter().filter(|it| matches!(it.result, Some(Err(_)))).count() as u64
    }

    fn transition(&mut self, next: StepState) -> Result<()> {
        self.state = self.state.to(next)?;
        Ok(())
    }
}

impl PlanRecord {
    /// Returns each step with its progress, in the plan's order.
    pub fn each(&self) -> impl Iterator<Item = (&Step, &StepRecord)> {
        self.plan.steps.iter().zip(&self.steps)
    }

    /// Returns each step without a result.
    pub(crate) fn without_result(&self) -> impl Iterator<Item = (&Step, &StepRecord)> {
        self.each().filter(|(_, record)| record.result().is_none())
    }

    /// Returns whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.is_accepted && self.steps.iter().all(|step| step.state.is_final())
    }

    /// Returns the step of this id with its progress.
    pub fn step(&self, id: &str) -> Option<(&Step, &StepRecord)> {
        self.each().find(|(step, _)| step.id == id)
    }

    /// Returns the first step that can begin, because its needs have results.
    pub(crate) fn ready(&self, failed_need: FailedNeed) -> Option<&Step> {
        let is_there = |need: &String| match self.step(need).map(|(_, record)| record.state) {
            Some(StepState::Done(_)) => true,
            Some(state) => failed_need == FailedNeed::Run && state.is_final(),
            None => false,
        };
        let mut waiting = self.each().filter(|(_, record)| record.state == StepState::Waiting);
        waiting.find(|(step, _)| step.needs.iter().all(is_there)).map(|(step, _)| step)
    }

    /// Returns a step that waits for one that will never have a result, and the reason.
    pub(crate) fn hopeless(&self) -> Option<(&Step, String)> {
        self.each().filter(|(_, record)| record.state == StepState::Waiting).find_map(
            |(step, _)| {
                let lost = step.needs.iter().find_map(|need| {
                    let (needed, record) = self.step(need)?;
                    let why = match record.state {
                        StepState::Failed => "failed",
                        StepState::Skipped => "was skipped",
                        _ => return None,
                    };
                    Some(format!("it needs `{}` ({}), which {why}", needed.id, needed.title))
                });
                Some((step, lost?))
            },
        )
    }

    /// Numbers calls and tables of the session after all that results of the run have named.
    pub(crate) fn number_on(&self, session: &Session) {
        let (call, table) = self.next;
        session.number_calls_from(call);
        session.number_tables_from(table.max(session.next_table()));
    }

    /// Applies an event.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - it is not possible in this state.
    pub(crate) fn apply(&mut self, entry: &PlanEntry) -> Result<()> {
        match entry {
            PlanEntry::Made { plan } => self.begin(plan),
            PlanEntry::Decided(Decided::Accepted) => self.is_accepted = true,
            PlanEntry::Decided(Decided::Rejected { text }) => {
                self.rejected.push((std::mem::take(&mut self.plan), text.clone()));
                self.steps.clear();
            }
            PlanEntry::Decided(Decided::Changed { plan }) => {
                self.begin(plan);
                self.is_accepted = true;
            }
            PlanEntry::Begun { step } => {
                let step = self.find(step)?;
                step.transition(StepState::Running)?;
                step.attempts.push(Attempt::default());
            }
            PlanEntry::Given { step, text, delivered, repairs, counts } => {
                let step = self.find(step)?;
                step.transition(counts.map_or(StepState::Reflecting, StepState::Done))?;
                if let Some(attempt) = step.attempts.last_mut() {
                    attempt.result = Some(Ok(text.clone()));
                    attempt.delivered.clone_from(delivered);
                    attempt.repairs = *repairs;
                    if *counts == Some(Acceptance::Forced) {
                        attempt.reflection = Some((ReflectionOutcome::Forced, String::new()));
                    }
                }
            }
            PlanEntry::Missed { step, kind, message, is_tried_again } => {
                let step = self.find(step)?;
                step.transition(if *is_tried_again {
                    StepState::Waiting
                } else {
                    StepState::Failed
                })?;
                step.reason = format!("{kind}: {message}");
                if let Some(attempt) = step.attempts.last_mut() {
                    attempt.result = Some(Err(step.reason.clone()));
                }
            }
            PlanEntry::Reflected { step, outcome, feedback } => {
                let step = self.find(step)?;
                step.transition(match outcome {
                    ReflectionOutcome::Failed => StepState::Waiting,
                    ReflectionOutcome::Passed => StepState::Done(Acceptance::Passed),
                    ReflectionOutcome::Forced => StepState::Done(Acceptance::Forced),
                    ReflectionOutcome::EvaluatorError => {
                        StepState::Done(Acceptance::EvaluatorError)
                    }
                })?;
                if let Some(attempt) = step.attempts.last_mut() {
                    attempt.reflection = Some((*outcome, feedback.clone()));
                }
            }
            PlanEntry::Skipped { step, reason } => {
                let step = self.find(step)?;
                step.transition(StepState::Skipped)?;
                step.reason.clone_from(reason);
            }
            PlanEntry::Started => self.start()?,
        }
        Ok(())
    }

    fn begin(&mut self, plan: &Plan) {
        self.number += 1;
        self.plan = plan.clone();
        self.is_accepted = false;
        self.steps = vec![StepRecord::default(); plan.steps.len()];
    }

    /// Attempts without a known end do not count.
    fn start(&mut self) -> Result<()> {
        for step in &mut self.steps {
            if step.state == StepState::Running {
                step.transition(StepState::Waiting)?;
                step.attempts.pop();
            }
        }
        Ok(())
    }

    fn find(&mut self, id: &str) -> Result<&mut StepRecord> {
        let at = self.plan.steps.iter().position(|step| step.id == id);
        at.and_then(|at| self.steps.get_mut(at))
            .ok_or_else(|| Error::new(ErrorKind::Host, format!("the plan has no step `{id}`")))
    }
}
