//! Paused calls: lists them, and continues one after a decision.

use super::approval::{ApprovalRequest, Decision};
use super::call_id::CallId;
use super::options::CallOptions;
use super::pending_calls::{Decided, Pending};
use super::report::CallReport;
use super::state::Session;
use mitt_base::{Error, ErrorKind, text};

impl Session {
    /// Returns the requests of calls that wait for an approval, in the order of the calls. At most 16 are kept: after that, the
    /// oldest can no longer be resumed.
    pub fn pending(&self) -> Vec<ApprovalRequest> {
        self.inner.pending.list()
    }

    /// Drops a call that waits for an approval, if there is nobody to decide.
    pub fn withdraw(&self, id: &str) {
        drop(self.inner.pending.take(id));
    }

    /// Continues a paused call after a decision. Returns the report of the whole call.
    ///
    /// A script runs again from its beginning. Its calls to the session, clocks and random numbers up to the pause are answered
    /// from the record, so nothing happens twice. If the script does something else than before, it ends with an error that says
    /// so. [`Decision::Pause`] leaves the call waiting.
    ///
    /// An approval can be used once. It is refused if the tool's skill was replaced in the meantime.
    pub async fn resume(&self, id: &str, decision: Decision) -> CallReport {
        self.resume_with(id, decision, CallOptions::default()).await
    }

    /// Like [`Session::resume`], with options for this call, which replace those of the original call.
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
        let Pending { request, tool, arguments, before, agent_view, .. } = pending;
        self.inner.note_decision(&request, &decision);
        let root = self.inner.root_call(options, agent_view);
        let root = root.with_decision(Decided::new(request, decision), before);
        self.inner.run_root_call(&tool, &arguments, root).await
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
