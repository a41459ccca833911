//! Answers in the form that the caller demands: checked by the host, and mended by the model.

use std::sync::Arc;

use crate::answer_form::{AnswerForm, Formed, MAX_MENDED, mending, never_formed};
use crate::conversation::Conversation;
use crate::log::LogEntry;
use crate::turn::CUT_OFF;
use mitt_base::Result;

impl Conversation<'_> {
    /// Takes the form of an instruction that is continued from the log, unless the caller has set a demand, and logs the form if
    /// the log has another one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the form in the log cannot be applied.
    pub(crate) fn begin_form(&mut self, is_new: bool) -> Result<()> {
        if !is_new
            && !self.held.is_set
            && let Some(output) = self.history.form()
        {
            let form = AnswerForm::of(output.clone()).map_err(|error| error.at("the log"))?;
            self.held.demand.form = Some(Arc::new(form));
        }
        let form = self.held.demand.form.as_ref().map(|form| form.output());
        if form != self.history.form() {
            let form = form.cloned();
            self.record_entry(LogEntry::Demanded { form });
        }
        Ok(())
    }

    /// Returns what an answer is for the form that the caller demands.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - it does not follow the form, and the model was asked often enough, or
    /// `can_react` is `false`. The source is an [`AnswerMismatch`](crate::AnswerMismatch).
    pub(crate) fn formed(&mut self, said: &str, can_react: bool) -> Result<Formed> {
        let Some(form) = &self.held.demand.form else { return Ok(Formed::Free) };
        let mut problems = match form.value(said) {
            Ok((text, value)) => return Ok(Formed::Value(text.to_owned(), value)),
            Err(problems) => problems,
        };
        if said.ends_with(CUT_OFF) {
            problems = vec!["the answer was cut off at its limit of tokens".to_owned()];
        }
        if self.held.mended < MAX_MENDED && can_react {
            self.held.mended += 1;
            self.held.is_mending = true;
            return Ok(Formed::Again(mending(&problems)));
        }
        Err(never_formed(said, problems, self.held.mended))
    }
}
