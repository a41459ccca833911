//! Paused calls: which of them wait, and going on with one when somebody has decided.

use super::approval::{ApprovalRequest, Decision};
use super::call_id::CallId;
use super::options::CallOptions;
use super::pending::{Decided, Pending};
use super::report::CallReport;
use super::state::Session;
use mitt_base::{Error, ErrorKind, text};

impl Session {
    /// The calls that wait for an approval, in the order in which they were made. At most 16 are kept: of more, the oldest
    /// cannot be resumed any more.
    pub fn pending(&self) -> Vec<ApprovalRequest> {
        self.inner.pending.list()
    }

    /// Forget a call that waits for an approval which nobody can be asked for.
    pub fn withdraw(&self, id: &str) {
        drop(self.inner.pending.take(id));
    }

    /// Go on with a paused call: the report is that of the whole call.
    ///
    /// A script is run again from its beginning. What it asked of its session before the pause is answered as it was then,
    /// and nothing of it is done a second time; so are clocks and random numbers. A script that asks for something else than
    /// before ends with an error that says so. [`Decision::Pause`] leaves the call waiting.
    ///
    /// An approval is used up by this. It is refused where the tool's skill was replaced in the meantime.
    pub async fn resume(&self, id: &str, decision: Decision) -> CallReport {
        self.resume_with(id, decision, CallOptions::default()).await
    }

    /// As [`Session::resume`], with somebody who hears of the steps of this call alone, or decides about it. What was said when
    /// the call was made first is forgotten.
    pub async fn resume_with(
        &self,
        id: &str,
        decision: Decision,
        options: CallOptions,
    ) -> CallReport {
        let Some(pending) = self.inner.pending.take(id) else {
            let id = text::one_line(text::cut_bytes(id, 64));
            let error =
                Error::new(ErrorKind::Arguments, format!("no call waits under the id `{id}`"))
                    .hint("each pause can be resumed once; of many, only the latest 16 are kept");
            return CallReport::new(CallId::NONE, "resume", "", Err(error));
        };
        if decision == Decision::Pause {
            let mut report = paused_report(&pending);
            if let Err(error) = self.inner.pending.add(pending, &self.inner.budget.account) {
                (report.result, report.approval) = (Err(error), None);
            }
            return report;
        }
        let Pending { request, tool, arguments, before, narrowed, .. } = pending;
        self.inner.note_decision(&request, &decision);
        let outermost = self.inner.outermost(options, narrowed);
        let outermost = outermost.again(Decided::new(request, decision), before);
        self.inner.call_outermost(&tool, &arguments, outermost).await
    }
}

fn paused_report(pending: &Pending) -> CallReport {
    let request = &pending.request;
    let message = format!("`{}` still waits for approval {}", request.tool, request.id);
    let error = Error::new(ErrorKind::Paused, message);
    let mut report = CallReport::new(pending.call, &pending.tool, &pending.arguments, Err(error));
    report.approval = Some(request.clone());
    report
}
