//! Cost of an instruction so far, and its limits.

use std::sync::Arc;

use crate::agent::Agent;
use crate::model::Usage;
use crate::options::AgentLimits;
use crate::report::{Delegated, RunReport};
use crate::requested_formats;
use crate::usage::{UsageCounter, UsageTotals};
use mitt::CallReport;
use mitt_base::{Error, Resource, Result};

/// Cost of one instruction so far.
#[derive(Default)]
pub(crate) struct RunUsage {
    pub(crate) turns: u64,
    calls: Vec<CallReport>,
    delegated: Vec<Delegated>,
    /// Usage, including that of sub-agents.
    counter: Arc<UsageCounter>,
    wrong_turns: u64,
    failed_scripts: u64,
    citation_repairs: u64,
    /// Calls of the previous turn, if all of them failed: tool, arguments and error.
    failed: Vec<(String, String, String)>,
}

impl RunUsage {
    /// Returns a new count whose usage is counted by `counter`.
    pub(crate) fn counted_by(counter: Arc<UsageCounter>) -> RunUsage {
        RunUsage { counter, ..RunUsage::default() }
    }

    pub(crate) fn counter(&self) -> Arc<UsageCounter> {
        self.counter.clone()
    }

    pub(crate) fn totals(&self) -> UsageTotals {
        self.counter.totals()
    }

    /// Begins one more turn.
    pub(crate) fn begin_turn(&mut self, most: u64) -> Result<()> {
        if self.totals().turns >= most {
            let error = Error::limit(Resource::ModelTurns, most, most.saturating_add(1));
            return Err(error.hint("split the task, or raise the limit in the host"));
        }
        self.turns += 1;
        self.counter.add_turn();
        Ok(())
    }

    pub(crate) fn add_usage(&mut self, usage: &Usage, agent: &Agent) {
        self.counter.add_usage(usage, agent.cost(&[*usage]));
    }

    /// Adds the result of a delegated task, whose usage is counted already.
    pub(crate) fn add_delegated(&mut self, delegated: Delegated) {
        self.delegated.push(delegated);
    }

    /// Checks that more requests may be made. An answer that exceeds the limit is still used.
    pub(crate) fn check_usage(&self, agent: &Agent) -> Result<()> {
        let AgentLimits { tokens, cost, .. } = agent.limits();
        let used = self.totals().tokens();
        if used > *tokens {
            let error = Error::limit(Resource::ModelTokens, *tokens, used);
            return Err(error.hint("split the task, or raise the limit; what was delivered stays"));
        }
        let Some(most) = *cost else { return Ok(()) };
        // Checked before the first request, too.
        let has_price = agent.cost(&[Usage::default()]).is_some();
        let Some(cost) = self.totals().cost().filter(|_| has_price) else {
            let name = agent.model().name();
            let error = Error::model(format!(
                "no price of {name} is known, so that its cost cannot be limited"
            ));
            return Err(error.hint("give its prices, or limit its tokens instead"));
        };
        if cost <= most {
            return Ok(());
        }
        let error = Error::limit(Resource::ModelCost, most.millionths(), cost.millionths());
        Err(error.hint(
            "split the task, raise the limit, or take a cheaper model; what was delivered stays",
        ))
    }

    /// Begins this many more calls.
    pub(crate) fn begin_calls(&mut self, count: usize, limits: &AgentLimits) -> Result<()> {
        let calls = self.totals().calls.saturating_add(count as u64);
        if calls > limits.calls {
            let error = Error::limit(Resource::ModelCalls, limits.calls, calls);
            return Err(error.hint("split the task, or raise the limit; what was delivered stays"));
        }
        self.counter.add_calls(count as u64);
        Ok(())
    }

    pub(crate) fn add_call(&mut self, report: CallReport) {
        self.calls.push(report);
    }

    /// Counts a failed script, with its error.
    pub(crate) fn script_failed(&mut self, why: &str, limits: &AgentLimits) -> Result<()> {
        self.failed_scripts += 1;
        if limits.script_repairs.is_none_or(|most| self.failed_scripts <= most) {
            return Ok(());
        }
        let message = format!("the script failed {} times", self.failed_scripts);
        Err(Error::model(message).detail(why).hint("take another model, or make the step smaller"))
    }

    /// Takes one of the requests to mend citations. Returns `false` if none is left.
    pub(crate) fn take_citation_repair(&mut self, limits: &AgentLimits) -> bool {
        let is_left = self.citation_repairs < limits.citation_repairs;
        self.citation_repairs += u64::from(is_left);
        is_left
    }

    /// Returns whether the calls of a turn, all of which failed, are the same as in the previous turn.
    pub(crate) fn repeats(&mut self, failed: Vec<(String, String, String)>) -> bool {
        let is_same = !failed.is_empty() && self.failed == failed;
        self.failed = failed;
        is_same
    }

    /// Ends the calls of a turn; `wrong` is the last error if no call was valid.
    pub(crate) fn end_calls(&mut self, wrong: Option<String>, limits: &AgentLimits) -> Result<()> {
        let Some(wrong) = wrong else {
            self.wrong_turns = 0;
            return Ok(());
        };
        self.wrong_turns += 1;
        if self.wrong_turns <= limits.wrong_turns {
            return Ok(());
        }
        let message = format!("the model's calls were wrong {} times in a row", self.wrong_turns);
        Err(Error::model(message)
            .detail(&wrong)
            .hint("take another model, or say more exactly what to do"))
    }

    /// Returns the report.
    pub(crate) fn report(
        &mut self,
        mut text: String,
        delivered: Vec<String>,
        missing: Vec<String>,
    ) -> RunReport {
        if !missing.is_empty() {
            let said = requested_formats::not_delivered(&text, &missing);
            text.push_str(&format!("\n\n{said}"));
        }
        RunReport {
            text,
            output: None,
            turns: self.turns,
            calls: std::mem::take(&mut self.calls),
            delegated: std::mem::take(&mut self.delegated),
            cost: self.totals().cost(),
            usage: self.totals().usage,
            delivered,
            missing,
            citations: Arc::default(),
            pending: Vec::new(),
        }
    }
}
