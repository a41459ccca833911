//! One call, from its JSON to its entry in the journal: it is admitted, prepared, attempted and recorded.

use std::pin::Pin;
use std::sync::Arc;

use super::super::approval::Pending;
use super::super::approval_request::ApprovalRequest;
use super::super::call_id::CallId;
use super::super::content::TableResults;
use super::super::event::Event;
use super::super::report::CallReport;
use super::caller::{Caller, RootCall};
use super::inner::Inner;
use super::retries::Attempts;
use mitt_base::{Error, ErrorKind, Result, panics};

/// Guard for a running call. If it is dropped before [`Unfinished::finish`], because the caller dropped the future, it records
/// the cancellation in the journal.
struct Unfinished<'a> {
    session: &'a Inner,
    call: CallId,
    tool: &'a str,
    arguments: &'a str,
    depth: u64,
    agent: Option<u64>,
}

impl Unfinished<'_> {
    /// Disarms the guard: the call has ended, and its maker records the result.
    fn finish(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        // A panic is recorded where it is caught.
        if std::thread::panicking() {
            return;
        }
        let Unfinished { session, call, tool, arguments, depth, agent } = *self;
        let error = Error::new(ErrorKind::Cancelled, "the call was cancelled");
        let report =
            CallReport { depth, agent, ..CallReport::new(call, tool, arguments, Err(error)) };
        session.context.journal().call(&report, session.context.now());
    }
}

impl Inner {
    /// Makes a call that is not inside of another one. Always returns a report, even after a panic; the guests compute for this
    /// session.
    pub(in crate::session) async fn run_root_call(
        self: &Arc<Inner>,
        tool: &str,
        arguments: &str,
        mut root: RootCall,
    ) -> CallReport {
        let is_model = root.options.tables != TableResults::Whole;
        let named = is_model.then(|| self.content.put_in(arguments));
        let named = named.transpose().unwrap_or_else(|error| {
            root.refusal = Some(error);
            None
        });
        let arguments = named.as_deref().unwrap_or(arguments);
        let (id, caller) = (self.calls.next(None), Caller::new(root));
        let agent = caller.agent();
        // Boxed because it is large and passes through several layers; without its type so that the future types of all callers
        // stay short.
        let call: Pin<Box<dyn Future<Output = CallReport> + Send + '_>> =
            Box::pin(self.call(id, tool, arguments, &caller));
        let error = match panics::caught("the call", self.context.scheduler().run(call)).await {
            Ok(report) => return report,
            Err(error) => error,
        };
        let report = CallReport { agent, ..CallReport::new(id, tool, arguments, Err(error)) };
        let note = || self.context.journal().call(&report, self.context.now());
        // The journal itself may have panicked.
        let _ = panics::caught_now("the journal", note);
        report
    }

    /// Makes the call with this id.
    pub(super) async fn call(
        self: &Arc<Inner>,
        id: CallId,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> CallReport {
        let (call, depth, context) = (id, caller.depth, &*self.context);
        caller.emit(context, &Event::CallStarted { call, tool: tool.to_owned(), depth });
        let agent = caller.agent();
        let unfinished = Unfinished { session: self, call, tool, arguments, depth, agent };
        let permit = match depth {
            0 => {
                let session = context.scheduler().session();
                context.host().admission().acquire_for(context.tenant(), session).await.map(Some)
            }
            // An inner call needs no place of its own: it and the root call could wait for each other forever.
            _ => Ok(None),
        };
        let (mut permit, prepared) = match permit {
            Ok(permit) => (permit, self.prepare_call(id, tool, arguments, caller).await),
            Err(error) => (None, Err(error)),
        };
        let mut report = match prepared {
            Ok((_memory, known, prepared_call)) => {
                let Attempts { log, last } = self.attempts(id, &known, prepared_call, caller).await;
                CallReport {
                    function: Some(known.function.clone()),
                    attempts: log,
                    usage: last.output.usage,
                    printed: last.output.printed,
                    artifacts: last.artifacts,
                    script_error: last.script_error,
                    ..CallReport::new(id, tool, arguments, last.output.result)
                }
            }
            Err(error) => CallReport::new(id, tool, arguments, Err(error)),
        };
        (report.depth, report.agent) = (depth, agent);
        if depth == 0 {
            self.guard.report(&mut report, || {
                if let Some(request) = caller.root.paused() {
                    caller.root.set_paused(None);
                    self.approvals.take(&request.id);
                }
            });
        }
        report.name = self.keep_result(caller, &report);
        if let Some(permit) = &mut permit {
            permit.set_run_time(report.usage.duration);
        }
        unfinished.finish();
        if depth == 0 {
            match self.keep_pending(id, tool, arguments, caller) {
                Ok(approval) => report.approval = approval,
                Err(error) => report.result = Err(error),
            }
        }
        context.journal().call(&report, context.now());
        let finished = Event::CallFinished {
            call,
            tool: report.tool.clone(),
            depth,
            usage: report.usage.clone(),
            failure: report.failure(),
        };
        caller.emit(context, &finished);
        report
    }

    /// Keeps the result of a model's call and returns the name by which later calls can refer to it.
    fn keep_result(&self, caller: &Caller, report: &CallReport) -> Option<String> {
        let is_model = caller.depth == 0 && caller.tables != TableResults::Whole;
        let result = report.result.as_ref().ok().filter(|_| is_model)?;
        self.content.keep_result(report.call.number, result)
    }

    /// Keeps a paused call until somebody decides about it, and returns its request. A script has been kept already.
    ///
    /// # Errors
    ///
    /// There is no memory to keep it, so the call fails.
    fn keep_pending(
        &self,
        id: CallId,
        tool: &str,
        arguments: &str,
        caller: &Caller,
    ) -> Result<Option<ApprovalRequest>> {
        let Some(request) = caller.root.paused() else { return Ok(None) };
        if request.depth == 0 {
            let pending = Pending {
                call: id,
                request: request.clone(),
                tool: tool.to_owned(),
                arguments: arguments.to_owned(),
                before: None,
                agent_view: caller.root.agent_view.clone(),
            };
            self.approvals.add(pending)?;
        }
        Ok(Some(request))
    }
}
