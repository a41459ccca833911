//! Citations of the answer: checked by the host, and mended by the model if the limits allow it.

use std::sync::Arc;

use mitt::{CitationOutcome, Citations};
use serde_json::json;

use crate::conversation::Conversation;
use crate::report::RunReport;
use crate::run_event::RunEvent;

/// Most problems that a model is asked to mend at once.
const MAX_PROBLEMS: usize = 20;

impl Conversation<'_> {
    /// Checks the citations of an answer, and reports them. Answers of agents that were given a task are not for people.
    pub(crate) async fn add_citations(&self, report: &mut RunReport) {
        let Some(citations) = self.citations_of(&report.text).await else { return };
        let count = |outcome: CitationOutcome| citations.count(outcome);
        let wrong = citations.list.iter().filter(|it| it.outcome.is_wrong()).count();
        let confirmed = count(CitationOutcome::Confirmed);
        let details =
            json!({ "citations": citations.list.len(), "confirmed": confirmed, "wrong": wrong });
        self.session.note("citations", details);
        report.citations = Arc::new(citations);
        self.emit(RunEvent::Citations { citations: report.citations.clone() });
    }

    /// Returns what to say to the model about citations that do not hold; `None` if all hold.
    pub(crate) async fn citation_repair(&self, answer: &str) -> Option<String> {
        let problems = self.citations_of(answer).await?.problems();
        if problems.is_empty() {
            return None;
        }
        let lines: Vec<_> =
            problems.iter().take(MAX_PROBLEMS).map(|problem| format!("- {problem}")).collect();
        Some(format!(
            "(From the host, not from the user.) Citations of your answer do not hold:\n{}\nLook the places up again and give the whole answer \
             anew, with figures and places that hold. Leave out what you cannot find.",
            lines.join("\n")
        ))
    }

    /// Returns the citations of an answer; `None` if it has none or they cannot be checked.
    async fn citations_of(&self, answer: &str) -> Option<Citations> {
        if self.context.depth > 0 {
            return None;
        }
        match self.session.check_citations(answer).await {
            Ok(citations) => Some(citations).filter(|it| !it.list.is_empty()),
            Err(error) => {
                self.note(0, format!("the citations of the answer were not checked: {error}"));
                None
            }
        }
    }
}
