//! How a run of a plan begins: anew, or where a log ends.

use super::planner::Planner;
use super::run::{PlanReport, PlanRun};
use crate::log::LoggedRun;
use mitt::Session;
use mitt_base::{Error, ErrorKind, Result};

impl Planner {
    /// Follow an instruction by a plan.
    ///
    /// # Errors
    ///
    /// As [`PlanRun::go`].
    pub async fn run(&self, session: &Session, instruction: &str) -> Result<PlanReport> {
        self.begin(session, instruction).go().await
    }

    /// A plan for the instruction, which [`PlanRun::go`] makes and carries out.
    pub fn begin<'a>(&'a self, session: &'a Session, instruction: &str) -> PlanRun<'a> {
        PlanRun::new(self, session, instruction)
    }

    /// Go on with a plan that was logged: what was decided stays so, and no step is done again that has a result. An attempt that was
    /// under way begins anew, and so does a look at a result. The limits count anew. The session has to have the documents of the run.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the run has no plan, was followed to its end, or its log is damaged.
    pub fn resume<'a>(&'a self, session: &'a Session, run: &LoggedRun) -> Result<PlanRun<'a>> {
        let instruction = run.instructions().next_back();
        let Some(instruction) = instruction.filter(|_| !run.is_finished()) else {
            return Err(Error::new(ErrorKind::Input, "the run was followed to its end"));
        };
        // A run that died before its plan was made makes it now.
        let record = run.plan()?.unwrap_or_default();
        PlanRun::new(self, session, instruction).resumed(record)
    }
}
