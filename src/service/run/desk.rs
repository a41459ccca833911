//! Questions of a run to people: may a call be made, and shall a plan be carried out?
//!
//! A question waits in the record of the run, which leaves its place to other runs meanwhile. After some time, or if too many
//! runs wait like this, the run is parked: its session ends, and an answer begins a new
//! one, in which the call is made. A call that a script makes needs the same arguments as before, or it is asked about again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::oneshot;

use super::control::{Control, Stop};
use super::event::EventData;
use super::events::plan_event;
use super::keeper::Keeper;
use super::place::Place;
use super::state::{Answer, Question, RunStatus};
use super::writer::Outbox;
use crate::store::new_id;
use mitt::{ApprovalRequest, Approver, Decision};
use mitt_agent::plan::{MAX_STEPS, Plan, PlanDecision, PlanReview};
use mitt_base::{Error, ErrorKind, Result, lock};

/// What happens before calls that are marked as destructive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Approvals {
    /// A question is asked.
    #[default]
    Ask,
    /// They are made.
    Allow,
    /// They are refused.
    Refuse,
}

impl Approvals {
    /// Names in requests.
    pub(super) const NAMES: [&'static str; 3] = ["ask", "allow", "refuse"];

    /// Returns the value of this name.
    pub(super) fn from_name(name: &str) -> Option<Approvals> {
        match name {
            "ask" => Some(Approvals::Ask),
            "allow" => Some(Approvals::Allow),
            "refuse" => Some(Approvals::Refuse),
            _ => None,
        }
    }
}

/// Most bytes of the arguments of a call that is shown. They are in the record of the run.
const MAX_ARGUMENT_BYTES: usize = 256 * 1024;

/// Decisions about questions.
pub(super) const ACCEPT: &str = "accept";
pub(super) const REJECT: &str = "reject";
pub(super) const CHANGE: &str = "change";

/// Asks the questions of a run.
pub(super) struct Desk {
    pub(super) keeper: Arc<Keeper>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) control: Arc<Control>,
    pub(super) approvals: Approvals,
    /// `true` if plans are shown before they are carried out.
    pub(super) reviews_plans: bool,
    /// Time after which a run with a question is parked.
    pub(super) park: Duration,
    pub(super) state: Mutex<DeskState>,
    /// Left to other runs while a question waits.
    pub(super) place: Arc<Place>,
    /// Held while a question waits: a run has one question at a time.
    pub(super) asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
pub(super) struct DeskState {
    /// The question that waits, and who waits for its answer.
    waiting: Option<(String, oneshot::Sender<Answer>)>,
    /// Answers to questions of an earlier session.
    decided: Vec<(Question, Answer)>,
}

impl Desk {
    /// Hands in an answer, and returns whether its question waits.
    pub(super) fn answer(&self, answer: Answer) -> bool {
        let waiting = lock(&self.state).waiting.take_if(|(id, _)| *id == answer.question);
        waiting.is_some_and(|(_, sender)| sender.send(answer).is_ok())
    }

    /// Keeps the answer to a question of an earlier session, until it is asked again.
    pub(super) fn keep(&self, question: Question, answer: Answer) {
        lock(&self.state).decided.push((question, answer));
    }

    /// Forgets answers that were not used.
    pub(super) fn forget(&self) {
        lock(&self.state).decided.clear();
    }

    /// Returns the kept answer to a question that is the same but for its identifier.
    fn kept(&self, is_same: impl Fn(&Question) -> bool) -> Option<Answer> {
        let mut state = lock(&self.state);
        let at = state.decided.iter().position(|(question, _)| is_same(question))?;
        Some(state.decided.remove(at).1)
    }

    /// Asks a question and waits for the answer. Never returns if the run is stopped meanwhile: its future is dropped.
    async fn ask(&self, question: Question) -> Answer {
        let id = question.id().to_owned();
        let (sender, answer) = oneshot::channel();
        lock(&self.state).waiting = Some((id.clone(), sender));
        let asked = question.clone();
        let changed = self.keeper.change(|entry| {
            entry.state.status = RunStatus::Waiting;
            entry.state.question = Some(asked);
        });
        if changed.await.is_err() {
            return std::future::pending().await;
        }
        self.outbox.push(None, EventData::Status { status: RunStatus::Waiting });
        self.outbox.push(None, EventData::Question { question });
        let seat = self.place.leave();
        // A run that cannot leave its place ends its session at once.
        let park = if seat.is_some() { self.park } else { Duration::ZERO };
        let Ok(Ok(answer)) = tokio::time::timeout(park, answer).await else {
            self.control.stop(Stop::Parked);
            return std::future::pending().await;
        };
        let changed = self.keeper.change(|entry| {
            entry.state.status = RunStatus::Running;
            entry.state.question = None;
        });
        if changed.await.is_err() {
            return std::future::pending().await;
        }
        self.outbox.push(None, answered(&answer));
        self.outbox.push(None, EventData::Status { status: RunStatus::Running });
        // After the answer is kept, so that clients see that it arrived.
        self.place.come_back().await;
        drop(seat);
        answer
    }
}

/// Returns the event of an answer.
pub(super) fn answered(answer: &Answer) -> EventData {
    EventData::Answered {
        question: answer.question.clone(),
        decision: answer.decision.clone(),
        text: answer.text.clone(),
    }
}

#[async_trait]
impl Approver for Desk {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        if self.control.is_silent() {
            // Another worker may make the call. The future is dropped.
            return std::future::pending().await;
        }
        match self.approvals {
            Approvals::Allow => return Decision::Approve,
            Approvals::Refuse => {
                return Decision::Deny("this run makes no call that may destroy something".into());
            }
            Approvals::Ask => {}
        }
        let bytes = request.arguments.len();
        if bytes > MAX_ARGUMENT_BYTES {
            return Decision::Deny(format!(
                "a call with more than {MAX_ARGUMENT_BYTES} bytes of arguments cannot be shown to a person, got {bytes}"
            ));
        }
        let arguments: Value = serde_json::from_str(&request.arguments)
            .unwrap_or_else(|_| Value::String(request.arguments.clone()));
        let kept = self.kept(|question| {
            matches!(question, Question::Approval { tool, arguments: of, .. }
                if *tool == request.tool && *of == arguments)
        });
        let answer = match kept {
            Some(answer) => answer,
            None => {
                let _one = self.asking.lock().await;
                let Ok(id) = new_id("question_") else { return Decision::Pause };
                let (tool, title) = (request.tool.clone(), request.title.clone());
                self.ask(Question::Approval { id, tool, title, arguments }).await
            }
        };
        if answer.decision == ACCEPT {
            Decision::Approve
        } else {
            Decision::Deny(answer.text.unwrap_or_else(|| "the user refused it".into()))
        }
    }
}

/// Reviews plans at a desk.
pub(super) struct Review(pub(super) Arc<Desk>);

#[async_trait]
impl PlanReview for Review {
    async fn review(&self, plan: &Plan, number: u64) -> Result<PlanDecision> {
        let desk = &self.0;
        desk.outbox.push(None, plan_event(number, plan));
        if !desk.reviews_plans {
            return Ok(PlanDecision::Accept);
        }
        let kept = desk.kept(|question| {
            matches!(question, Question::Plan { number: of, plan: shown, .. }
                if *of == number && shown == plan)
        });
        let answer = match kept {
            Some(answer) => answer,
            None => {
                let _one = desk.asking.lock().await;
                let id = new_id("question_")?;
                desk.ask(Question::Plan { id, number, plan: plan.clone() }).await
            }
        };
        match answer.decision.as_str() {
            ACCEPT => Ok(PlanDecision::Accept),
            CHANGE => {
                let plan = answer.plan.ok_or_else(|| {
                    Error::new(
                        ErrorKind::Input,
                        "expected a plan in place of the one that was shown",
                    )
                })?;
                let plan = plan_of(&plan)?;
                desk.outbox.push(None, plan_event(number + 1, &plan));
                Ok(PlanDecision::Change(plan))
            }
            _ => Ok(PlanDecision::Reject(answer.text.unwrap_or_default())),
        }
    }
}

/// Reads a plan that a client sends.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is no plan; the details are its problems.
pub(super) fn plan_of(plan: &Value) -> Result<Plan> {
    Plan::parse(&plan.to_string(), MAX_STEPS, &[]).map_err(|error| {
        let wrong = Error::new(ErrorKind::Input, error.message().to_owned());
        error.details().iter().fold(wrong, |wrong, detail| wrong.detail(detail.as_str()))
    })
}
