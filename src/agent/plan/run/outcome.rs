//! End of a plan: its report, and the files that are made from it.

use std::collections::BTreeSet;

use super::super::limits::too_long;
use super::super::report::Reporting;
use super::super::task::{locale, reason};
use super::{PlanReport, PlanRun};
use crate::answer_form::AnswerForm;
use crate::files::{Files, deliver};
use crate::log::LogEntry;
use crate::model::ModelResponse;
use crate::requested_formats;
use mitt_base::{Error, ErrorKind, Result, lock};

impl PlanRun<'_> {
    /// Ends the plan: with the value that the caller demands, or with a report.
    pub(super) async fn report(&mut self) -> Result<PlanReport> {
        match self.form.clone() {
            Some(form) => self.formed(&form).await,
            None => self.written().await,
        }
    }

    /// Answers from the results in the form that the caller demands.
    async fn formed(&mut self, form: &AnswerForm) -> Result<PlanReport> {
        if let Some(error) = &self.ended_by {
            // A value made of some of the results would look like one made of all.
            return Err(error.clone());
        }
        if self.is_fruitless() {
            let error = Error::model("no step of the plan has a result to answer from");
            return Err(self.record.without_result().fold(error, |error, (step, record)| {
                let reason = reason(record, locale(&self.instruction));
                error.detail(format!("step `{}`: {reason}", step.id))
            }));
        }
        let model = self.budget.budgeted(self.planner.model_of_reports());
        let time = self.planner.limits().step_time;
        let reporting = self.reporting();
        let answer = tokio::time::timeout(time, reporting.formed(model.as_ref(), form)).await;
        let (text, value) = answer.unwrap_or_else(|_| Err(too_long(time)))?;
        let files = self.files_of_steps();
        Ok(PlanReport { output: Some(value), ..self.ended(text, files) })
    }

    /// Writes the report about the results, and delivers it as the requested files.
    async fn written(&mut self) -> Result<PlanReport> {
        let model = self.budget.budgeted(self.planner.model_of_reports());
        let time = self.planner.limits().step_time;
        let reporting = self.reporting();
        // A model without any result to report makes one up.
        let is_fruitless = self.is_fruitless();
        let written = match &self.ended_by {
            Some(error) => Err(error.clone()),
            None if is_fruitless => Ok(reporting.plain()),
            None => tokio::time::timeout(time, reporting.written(model.as_ref()))
                .await
                .unwrap_or_else(|_| Err(too_long(time))),
        };
        let (text, unwritten) = match written {
            Ok(text) => (text, None),
            Err(error) if *error.kind() == ErrorKind::Blocked => return Err(error),
            Err(error) => (reporting.plain(), Some(error)),
        };
        let text = reporting.completed(&text);
        if let Some(error) = unwritten {
            self.note(format!("the report is the results as they are: no model wrote it: {error}"));
            self.ended_by.get_or_insert(error);
        }
        let files = if is_fruitless {
            self.note("no step has a result: no report is written and no file is made".to_owned());
            self.files_of_steps()
        } else {
            self.deliver(&text).await
        };
        Ok(self.ended(text, files))
    }

    fn reporting(&self) -> Reporting<'_> {
        let limits = self.planner.agent().limits();
        Reporting {
            session: self.session,
            instruction: &self.instruction,
            record: &self.record,
            characters: limits.context_characters as u64 / 2,
            documents: limits.documents.unwrap_or_default(),
        }
    }

    /// Returns `true` if no step has a result, though there are steps that should have one.
    fn is_fruitless(&self) -> bool {
        !self.record.plan.has_enough_context
            && !self.record.plan.steps.is_empty()
            && self.record.without_result().count() == self.record.steps.len()
    }

    /// Returns the files that the steps delivered, and the requested kinds that are not among them.
    fn files_of_steps(&self) -> Files {
        let delivered = self.delivered();
        let missing = requested_formats::missing(&self.instruction, &delivered);
        Files { delivered: delivered.into_iter().collect(), missing, ..Files::default() }
    }

    /// Logs the last words, and returns the report with them.
    fn ended(&mut self, text: String, files: Files) -> PlanReport {
        let without_result = self.record.without_result();
        let steps = without_result.filter(|_| !self.record.plan.has_enough_context);
        let steps = steps.map(|(step, _)| format!("step `{}`", step.id));
        let missing: Vec<String> = files.missing.into_iter().chain(steps).collect();
        let answer = ModelResponse { text: text.clone(), ..ModelResponse::default() };
        self.write(&LogEntry::Answer { answer, usage: self.budget.usage() });
        PlanReport {
            text,
            output: None,
            record: self.record.clone(),
            turns: self.budget.turns(),
            usage: self.budget.usage(),
            cost: self.budget.cost(),
            delivered: files.delivered,
            missing,
            ended_by: self.ended_by.clone(),
        }
    }

    /// Returns the names of the files that the steps delivered.
    pub fn delivered(&self) -> BTreeSet<String> {
        let attempts = self.record.steps.iter().flat_map(|step| &step.attempts);
        attempts.flat_map(|it| it.delivered.clone()).collect()
    }

    /// Delivers the report as the requested files.
    async fn deliver(&mut self, report: &str) -> Files {
        let delivered = self.delivered();
        let title = &self.record.plan.title;
        let files = deliver(self.session, &self.instruction, title, report, delivered).await;
        // The end of the plan is logged next, after which nothing is delivered again.
        let stored = self.log.as_ref().and_then(|log| lock(log).files_stored());
        if let Some(stored) = stored {
            stored().await;
        }
        for problem in &files.problems {
            self.note(problem.clone());
        }
        files
    }
}
