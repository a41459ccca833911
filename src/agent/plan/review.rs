//! Who is shown a plan before its steps are done.
//!
//! Knows plans. How a person is asked is the business of whoever implements [`PlanReview`].

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tokio::sync::Notify;

use super::shape::Plan;
use mitt_base::{Result, lock};

/// Decides whether the steps of a plan are done.
///
/// Nothing is lost while it waits: the plan is in the log of its run, and a run that ends meanwhile goes on with the question.
#[async_trait]
pub trait PlanReview: Send + Sync {
    /// Look at a plan; `number` says which of the run it is, from 1.
    ///
    /// # Errors
    ///
    /// Nobody can be asked: the run ends with that error, and can be resumed.
    async fn review(&self, plan: &Plan, number: u64) -> Result<PlanDecision>;
}

/// What is decided about a plan.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlanDecision {
    /// Its steps are done.
    Accept,
    /// The model makes another one, with this in mind.
    Reject(String),
    /// This one is carried out instead. It is checked as the model's own is.
    Change(Plan),
    /// Not now: the run ends with [`ErrorKind::Paused`](mitt_base::ErrorKind::Paused), and asks again when it is resumed.
    Later,
}

/// Accepts every plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct AcceptPlans;

#[async_trait]
impl PlanReview for AcceptPlans {
    async fn review(&self, _: &Plan, _: u64) -> Result<PlanDecision> {
        Ok(PlanDecision::Accept)
    }
}

/// Decides what was decided before, once; after that each plan waits.
#[derive(Debug)]
pub struct DecidedPlan(Mutex<Option<PlanDecision>>);

impl DecidedPlan {
    /// The decision about the next plan; without one the plan waits for [`PlanDecision::Later`].
    pub fn new(decision: Option<PlanDecision>) -> DecidedPlan {
        DecidedPlan(Mutex::new(decision))
    }
}

#[async_trait]
impl PlanReview for DecidedPlan {
    async fn review(&self, _: &Plan, _: u64) -> Result<PlanDecision> {
        Ok(lock(&self.0).take().unwrap_or(PlanDecision::Later))
    }
}

/// Lets whoever listens to the events of a run decide: on [`Event::PlanAsked`](mitt::Event::PlanAsked) it answers with
/// [`PlanDesk::decide`]. A cheap handle.
#[derive(Clone, Debug, Default)]
pub struct PlanDesk(Arc<Desk>);

#[derive(Debug, Default)]
struct Desk {
    /// The last decision that nobody came for, with the number of its plan.
    decided: Mutex<Option<(u64, PlanDecision)>>,
    came: Notify,
}

impl PlanDesk {
    /// Decide about the plan of this number. It takes the place of a decision that nobody came for yet.
    pub fn decide(&self, number: u64, decision: PlanDecision) {
        *lock(&self.0.decided) = Some((number, decision));
        self.0.came.notify_one();
    }
}

#[async_trait]
impl PlanReview for PlanDesk {
    async fn review(&self, _: &Plan, number: u64) -> Result<PlanDecision> {
        loop {
            let decided = lock(&self.0.decided).take_if(|(of, _)| *of == number);
            match decided {
                Some((_, decision)) => return Ok(decision),
                None => self.0.came.notified().await,
            }
        }
    }
}
