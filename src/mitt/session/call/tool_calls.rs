//! Calls that an attempt makes: one, or several of a batch.
//!
//! Calls of a batch that wait for something outside of the sandbox run at the same time. Sandboxed tools of one root call share
//! its thread and its memory, so running them at the same time would gain nothing and multiply the memory: they run one after
//! another. So does everything that may change something, or wait for an approval.

use std::pin::Pin;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesOrdered;

use super::super::call_id::CallId;
use super::super::content::KEPT_TABLES;
use super::super::report::CallReport;
use super::services::CallServices;
use crate::script::CalledTool;
use mitt_base::limits::MIB;
use mitt_base::memory::Charge;
use mitt_base::{Error, ErrorKind, Result};
#[cfg(feature = "extism")]
use mitt_skill::capability::Capability;
use mitt_skill::{
    Runs, Tool, ToolInternal as _,
    capability::{CallResult, ToolCall, ToolFailure, ToolInfo, Tools},
};

/// Most calls of a batch that run at the same time. An agent makes as many calls of one turn at the same time.
const AT_ONCE: usize = 8;

/// Tables after which a batch ends, so that the guest opens them: half of those that a session keeps.
const MAX_TABLES: u64 = KEPT_TABLES / 2;

/// Bytes of results after which a batch ends, so that guest and host do not hold the texts of all results at once.
const MAX_RESULT_BYTES: u64 = 4 * MIB;

/// Call that runs. Boxed because it is large, and without its type so that types of futures stay short.
type RunningCall<'a> = Pin<Box<dyn Future<Output = CallReport> + Send + 'a>>;

/// Receives the results of a batch, and holds a charge for them.
struct BatchResults<'a> {
    on_result: &'a mut (dyn FnMut(CallResult) + Send),
    charge: Charge,
    /// Bytes of the results so far.
    bytes: u64,
}

impl BatchResults<'_> {
    /// Passes on the result of the next call.
    ///
    /// # Errors
    ///
    /// There is no memory for it.
    fn add(&mut self, result: CallResult) -> Result<()> {
        let text = match &result {
            Ok(text)
            | Err(
                ToolFailure::UnknownTool(text)
                | ToolFailure::Arguments(text)
                | ToolFailure::Plugin(text)
                | ToolFailure::Trap(text),
            ) => text,
        };
        self.charge.grow(text.len() as u64).map_err(Error::reached)?;
        self.bytes += text.len() as u64;
        (self.on_result)(result);
        Ok(())
    }
}

impl CallServices {
    /// Returns the id of a call that begins now. If the tool must not be called twice, neither must this one.
    fn next_call(&self, tool: Option<&Tool>) -> CallId {
        if tool.is_some_and(|tool| !tool.policy().is_repeatable()) {
            self.spend();
        }
        self.session().calls.next(self.inside().parent)
    }

    /// Records a call that has ended, and returns its result.
    ///
    /// # Errors
    ///
    /// The error of the call, unless the guest may handle it; there is no memory for the record.
    fn ended_call(&self, report: CallReport) -> Result<CallResult> {
        self.calls().note(called(&report), &report.artifacts)?;
        let error = match report.result {
            Ok(result) => return Ok(Ok(result.to_string())),
            Err(error) => error,
        };
        let text = error.render();
        match error.kind() {
            ErrorKind::UnknownTool => Ok(Err(ToolFailure::UnknownTool(text))),
            ErrorKind::Arguments => Ok(Err(ToolFailure::Arguments(text))),
            ErrorKind::Plugin => Ok(Err(ToolFailure::Plugin(text))),
            ErrorKind::Trap => Ok(Err(ToolFailure::Trap(text))),
            ErrorKind::Paused => Err(error),
            // Limits, refusals and faults are not for a guest to catch: they end it, too. They are no reason to repeat the outer
            // call, since the inner one was attempted as often as its own policy says.
            _ => Err(error.at(format!("tool `{}`", report.tool)).retryable(false)),
        }
    }

    /// Makes the calls of a batch, and passes on their results in order. Leaves out the last calls if the results are long, or name
    /// many tables.
    ///
    /// # Errors
    ///
    /// Those of [`CallServices::ended_call`], of the first call that has one; calls that run beside it are cancelled. Too many
    /// calls were made, or there is no memory for the results.
    async fn make_calls(&self, calls: &[ToolCall], results: &mut BatchResults<'_>) -> Result<()> {
        let mut running: FuturesOrdered<RunningCall<'_>> = FuturesOrdered::new();
        let mut begun = Ok(());
        let first_table = self.session().content.next_table();
        for (at, ToolCall { name, arguments }) in calls.iter().enumerate() {
            let tool = self.registry().tool(name).await.ok();
            let is_beside = tool.as_ref().is_some_and(waits_outside);
            let most = if is_beside { AT_ONCE - 1 } else { 0 };
            while running.len() > most
                && let Some(report) = running.next().await
            {
                results.add(self.ended_call(report)?)?;
            }
            let n_tables = self.session().content.next_table().saturating_sub(first_table);
            let is_full = n_tables >= MAX_TABLES || results.bytes >= MAX_RESULT_BYTES;
            if at > 0 && is_full {
                break;
            }
            // The results of the calls before this one come first.
            begun = self.calls().begin();
            if begun.is_err() {
                break;
            }
            let call = self.next_call(tool.as_ref());
            let call = Box::pin(self.session().call(call, name, arguments, self.inside()));
            if is_beside {
                running.push_back(call)
            } else {
                results.add(self.ended_call(call.await)?)?
            }
        }
        while let Some(report) = running.next().await {
            results.add(self.ended_call(report)?)?;
        }
        begun
    }
}

impl Tools for CallServices {
    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolInfo>>> {
        Box::pin(async move {
            let tools = self.registry().tools().await;
            // A script that calls itself would only run into the depth limit.
            let tools = tools.iter().filter(|tool| tool.name.as_str() != self.tool());
            Ok(tools.filter(|tool| !tool.is_for_models_only()).map(tool_info).collect())
        })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a str,
    ) -> BoxFuture<'a, Result<CallResult>> {
        Box::pin(async move {
            self.calls().begin()?;
            let tool = self.registry().tool(name).await.ok();
            let call = self.next_call(tool.as_ref());
            let report = Box::pin(self.session().call(call, name, arguments, self.inside())).await;
            self.ended_call(report)
        })
    }

    fn call_tools<'a>(
        &'a self,
        calls: Vec<ToolCall>,
        on_result: &'a mut (dyn FnMut(CallResult) + Send),
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let charge = self.memory().nothing();
            let mut results = BatchResults { on_result, charge, bytes: 0 };
            let made = self.make_calls(&calls, &mut results).await;
            self.hold_batch(results.charge);
            made
        })
    }
}

/// Returns `true` if a call of the tool only reads, waits for something outside of the sandbox, and ends the same way whichever
/// calls run beside it.
fn waits_outside(tool: &Tool) -> bool {
    let policy = tool.policy();
    // A destructive tool may wait for an approval.
    policy.read_only
        && !policy.destructive
        && match tool.runs() {
            Runs::Host(_) => true,
            // Only functions of Extism plug-ins make requests. They return no tables, which are named in the order in which they
            // come. A resident instance serves one call after another.
            #[cfg(feature = "extism")]
            Runs::Plugin(skill) => {
                tool.contract().is_some()
                    && !tool.uses_handles()
                    && skill.manifest().grants.contains(&Capability::Fetch)
            }
            #[cfg(not(feature = "extism"))]
            Runs::Plugin(_) => false,
            Runs::Script(_) => false,
        }
}

fn tool_info(tool: &Tool) -> ToolInfo {
    ToolInfo {
        name: tool.name.to_string(),
        skill: tool.name.skill().to_owned(),
        function: tool.name.function().to_owned(),
        description: tool.function.docs.clone(),
        parameters: tool.parameters(),
    }
}

fn called(report: &CallReport) -> CalledTool {
    CalledTool {
        // Callers may name tools that do not exist, of any length.
        tool: mitt_base::text::one_line(mitt_base::text::cut_bytes(&report.tool, 128)),
        kind: report.failure().map(|(kind, _)| kind.to_owned()),
        duration: report.usage.duration,
        fuel: report.usage.fuel,
    }
}
