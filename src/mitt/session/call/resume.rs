//! Paused calls: continues one after a decision.

use std::sync::Arc;

use super::super::approval::{Decided, Pending};
use super::super::approval_request::Decision;
use super::super::call_id::CallId;
use super::super::options::CallOptions;
use super::super::report::CallReport;
use super::caller::RootCall;
use super::inner::Inner;
use mitt_base::{Error, ErrorKind, text};

impl Inner {
    /// Continues the paused call `id` after a decision, as [`Session::resume`](crate::Session::resume) describes.
    pub(in crate::session) async fn resume(
        self: &Arc<Inner>,
        id: &str,
        decision: Decision,
        options: CallOptions,
    ) -> CallReport {
        let Some(pending) = self.approvals.take(id) else {
            let id = text::one_line(text::cut_bytes(id, 64));
            let error =
                Error::new(ErrorKind::Arguments, format!("no call waits under the id `{id}`"))
                    .hint("each pause can be resumed once; of many, only the latest 16 are kept");
            return CallReport::new(CallId::NONE, "resume", "", Err(error));
        };
        if decision == Decision::Pause {
            let mut report = paused_report(&pending);
            if let Err(error) = self.approvals.add(pending) {
                (report.result, report.approval) = (Err(error), None);
            }
            return report;
        }
        let Pending { request, tool, arguments, before, agent_view, .. } = pending;
        self.approvals.note_decision(&request, &decision);
        let root = RootCall::new(&self.context, options, agent_view);
        let root = root.with_decision(Decided::new(request, decision), before);
        self.run_root_call(&tool, &arguments, root).await
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
