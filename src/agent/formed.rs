//! Answers in the form that the caller demands: checked by the host, and mended by the model.

use crate::answer_form::Formed;
use crate::conversation::Conversation;
use crate::turn::CUT_OFF;
use mitt_base::{Error, Result};

/// Most times that a model is asked to mend an answer.
const MAX_MENDED: u64 = 2;

impl Conversation<'_> {
    /// Returns what an answer is for the form that the caller demands.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - it does not follow the form, and the model was asked often enough, or
    /// `can_react` is `false`.
    pub(crate) fn formed(&mut self, said: &str, can_react: bool) -> Result<Formed> {
        let Some(form) = &self.held.demand.form else { return Ok(Formed::Free) };
        let mut problems = match form.read(said) {
            Ok(text) => return Ok(Formed::Text(text.to_owned())),
            Err(problems) => problems,
        };
        if said.ends_with(CUT_OFF) {
            problems = vec!["the answer was cut off at its limit of tokens".to_owned()];
        }
        if self.held.mended < MAX_MENDED && can_react {
            self.held.mended += 1;
            self.held.is_mending = true;
            let lines: Vec<_> = problems.iter().map(|problem| format!("- {problem}")).collect();
            return Ok(Formed::Again(format!(
                "(From the host, not from the user.) The answer does not have the form that the caller demands:\n{}\nGive the whole \
                 answer anew: one JSON value that follows the JSON Schema, and nothing else.",
                lines.join("\n")
            )));
        }
        let times = self.held.mended + 1;
        let mut error = Error::model(format!(
            "the answer does not have the demanded form, for which the model was asked {times} times"
        ));
        for problem in problems {
            error = error.detail(problem);
        }
        Err(error.hint("make the schema simpler, say in the instruction what belongs into it, or take another model"))
    }
}
