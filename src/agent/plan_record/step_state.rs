//! States of a step, and the transitions between them.
//!
//! Knows nothing of what a step does.

use serde::{Deserialize, Serialize};

use mitt_base::{Error, Result};

/// State of a step. [`StepState::to`] is the only way to change it.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StepState {
    /// It has not begun, or will be tried again.
    #[default]
    Waiting,
    /// An attempt is running.
    Running,
    /// The result is being reflected on.
    Reflecting,
    /// It has a result, which counts for this reason.
    Done(Acceptance),
    /// It has no result, and is not tried again.
    Failed,
    /// It never began: a step that it needs has no result, or the plan ended before.
    Skipped,
}

/// Reason why the result of a step counts.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Acceptance {
    /// The reflection found it good.
    Passed,
    /// The reflection found it wanting each time, and no attempt is left.
    Forced,
    /// The reflection itself failed, so its quality is unknown.
    EvaluatorError,
    /// This plan has no reflections.
    Unchecked,
}

impl StepState {
    /// Returns the next state, after checking the transition.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - `next` cannot follow.
    pub fn to(self, next: StepState) -> Result<StepState> {
        use StepState::{Done, Failed, Reflecting, Running, Skipped, Waiting};
        let is_legal = match (self, next) {
            (Waiting, Running | Skipped)
            // Tried again after a temporary failure, or in another process.
            | (Running, Waiting | Reflecting | Failed)
            // Sent back, or reflected on again in another process.
            | (Reflecting, Waiting) => true,
            (Running, Done(how)) => matches!(how, Acceptance::Unchecked | Acceptance::Forced),
            (Reflecting, Done(how)) => {
                matches!(how, Acceptance::Passed | Acceptance::EvaluatorError)
            }
            (Waiting | Running | Reflecting | Done(_) | Failed | Skipped, _) => false,
        };
        if is_legal {
            Ok(next)
        } else {
            Err(Error::bug(format!("a step that is {} cannot become {}", self.name(), next.name())))
        }
    }

    /// Returns `waiting`, `running`, `reflecting`, `done`, `failed` or `skipped`.
    pub fn name(self) -> &'static str {
        match self {
            StepState::Waiting => "waiting",
            StepState::Running => "running",
            StepState::Reflecting => "reflecting",
            StepState::Done(_) => "done",
            StepState::Failed => "failed",
            StepState::Skipped => "skipped",
        }
    }

    /// Returns whether it is a final state.
    pub fn is_final(self) -> bool {
        matches!(self, StepState::Done(_) | StepState::Failed | StepState::Skipped)
    }
}

impl Acceptance {
    /// Returns `passed`, `forced`, `evaluator-error` or `unchecked`.
    pub fn name(self) -> &'static str {
        match self {
            Acceptance::Passed => "passed",
            Acceptance::Forced => "forced",
            Acceptance::EvaluatorError => "evaluator-error",
            Acceptance::Unchecked => "unchecked",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_these_states_follow_each_other() {
        use Acceptance::{EvaluatorError, Forced, Passed, Unchecked};
        use StepState::{Done, Failed, Reflecting, Running, Skipped, Waiting};
        let all = [
            Waiting,
            Running,
            Reflecting,
            Done(Passed),
            Done(Forced),
            Done(EvaluatorError),
            Done(Unchecked),
            Failed,
            Skipped,
        ];
        let legal = [
            (Waiting, Running),
            (Waiting, Skipped),
            (Running, Waiting),
            (Running, Reflecting),
            (Running, Done(Forced)),
            (Running, Done(Unchecked)),
            (Running, Failed),
            (Reflecting, Waiting),
            (Reflecting, Done(Passed)),
            (Reflecting, Done(EvaluatorError)),
        ];
        for from in all {
            for to in all {
                let is_legal = legal.contains(&(from, to));
                assert_eq!(from.to(to).is_ok(), is_legal, "{from:?} to {to:?}");
            }
            assert_eq!(from.is_final(), all.iter().all(|to| from.to(*to).is_err()), "{from:?}");
        }
    }
}
