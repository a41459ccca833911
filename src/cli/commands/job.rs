//! An instruction with its model, which is carried out directly or by a plan, and the exit code of its end.

use std::process::ExitCode;
use std::sync::Arc;

use crate::args::Run;
use crate::runs::OpenRun;
use crate::task::Task;
use mitt_agent::model::{ChatModel, Cost};
use mitt_agent::{Demand, ToolMode};
use mitt_base::{Error, ErrorKind, Result};

/// The instruction and its model.
pub(super) struct Job {
    /// `None` for a resumed run.
    pub(super) instruction: Option<String>,
    pub(super) task: Option<Task>,
    pub(super) model: Arc<dyn ChatModel>,
    /// The name of the model, if it can be opened again by name; for a recorded plan, the name of its recording.
    pub(super) name: Option<String>,
    pub(super) tools: ToolMode,
    /// What the command line demands of the answer.
    pub(super) demand: Option<Demand>,
    pub(super) resumed: Option<OpenRun>,
}

impl Job {
    /// Returns `true` if the answer has a form: one that is demanded now, or that a resumed run has.
    pub(super) fn has_form(&self) -> bool {
        let logged = self.resumed.as_ref().and_then(|open| open.run.form());
        self.demand.is_some() || logged.is_some()
    }

    /// Returns `true` if a plan carries it out.
    pub(super) fn has_plan(&self, command: &Run) -> Result<bool> {
        let of_task = self.task.as_ref().is_some_and(|task| task.plan);
        let of_run = match &self.resumed {
            Some(open) => open.run.plan()?.is_some(),
            None => false,
        };
        let has_plan = command.planning.plan || of_task || of_run;
        match command.planning.only_of_plans() {
            Some(option) if !has_plan => {
                let message = format!("`{option}` says something of plans, and there is none");
                Err(Error::new(ErrorKind::Input, message).hint("add `--plan`, or leave it out"))
            }
            _ => Ok(has_plan),
        }
    }
}

/// The exit code of a run that ended without all requested results.
const INCOMPLETE: u8 = 13;

/// Returns the exit code of a run that ended, and whose results lack those of `missing`.
pub(super) fn ended(missing: &[String]) -> ExitCode {
    if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(INCOMPLETE) }
}

/// Returns a cost as a number of dollars.
pub(super) fn dollars(cost: Cost) -> String {
    cost.to_string().trim_start_matches('$').to_owned()
}
