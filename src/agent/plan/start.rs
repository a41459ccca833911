//! Start of a plan's run: anew, or from a log.

use super::planner::Planner;
use super::run::{PlanReport, PlanRun};
use crate::answer_form::AnswerForm;
use crate::log::LoggedRun;
use mitt::Session;
use mitt_base::{Error, ErrorKind, Result};

impl Planner {
    /// Follows an instruction by a plan.
    ///
    /// # Errors
    ///
    /// Those of [`PlanRun::run`].
    pub async fn run(&self, session: &Session, instruction: &str) -> Result<PlanReport> {
        self.begin(session, instruction).run().await
    }

    /// Returns a run for the instruction; [`PlanRun::run`] makes and carries out the plan.
    pub fn begin<'a>(&'a self, session: &'a Session, instruction: &str) -> PlanRun<'a> {
        PlanRun::new(self, session, instruction)
    }

    /// Resumes a logged plan: decisions stay, and no step with a result runs again. An interrupted attempt or reflection begins
    /// anew; the model of the attempt reads which calls may have taken effect. The limits start anew. The session must have the
    /// documents of the run.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the run has no plan, was completed, or its log is damaged or demands a form that cannot be applied.
    pub fn resume<'a>(&'a self, session: &'a Session, run: &LoggedRun) -> Result<PlanRun<'a>> {
        let instruction = run.instructions().next_back();
        let Some(instruction) = instruction.filter(|_| !run.is_finished()) else {
            return Err(Error::new(ErrorKind::Input, "the run was followed to its end"));
        };
        // A run that died before its plan was made makes it now.
        let record = run.plan()?.unwrap_or_default();
        let form = run.form().cloned().map(AnswerForm::of).transpose()?;
        PlanRun::new(self, session, instruction).resumed(record, run.unknown_plan_calls(), form)
    }
}
