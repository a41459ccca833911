//! Review of a plan before its steps run.
//!
//! Knows plans. The implementation of [`PlanReview`] asks a person.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tokio::sync::Notify;

use crate::plan_record::Plan;
use mitt_base::{Result, lock};

/// Decides whether the steps of a plan run.
///
/// Nothing is lost while it waits: the plan is in the log of its run, and a run that ends meanwhile repeats the question when it
/// is resumed.
#[async_trait]
pub trait PlanReview: Send + Sync {
    /// Reviews a plan; `number` is its number in the run, from 1.
    ///
    /// # Errors
    ///
    /// Nobody can be asked. The run ends with this error, and can be resumed.
    async fn review(&self, plan: &Plan, number: u64) -> Result<PlanDecision>;
}

/// Decision about a plan.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlanDecision {
    /// Its steps run.
    Accept,
    /// The model makes another plan, and considers this reason.
    Reject(String),
    /// This plan is carried out instead. It is checked like one of the model.
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

/// Returns an earlier decision once; after that each plan waits.
#[derive(Debug)]
pub struct DecidedPlan(Mutex<Option<PlanDecision>>);

impl DecidedPlan {
    /// Returns a reviewer with a decision for the next plan; without one its answer is [`PlanDecision::Later`].
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

/// Lets a listener to the events of a run decide: it calls [`PlanDesk::decide`] upon
/// [`RunEvent::PlanAsked`](crate::RunEvent::PlanAsked). A cheap handle.
#[derive(Clone, Debug, Default)]
pub struct PlanDesk(Arc<Desk>);

#[derive(Debug, Default)]
struct Desk {
    /// Last decision that was not used yet, with the number of its plan.
    decided: Mutex<Option<(u64, PlanDecision)>>,
    came: Notify,
}

impl PlanDesk {
    /// Decides about the plan of this number, and replaces an unused decision.
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
