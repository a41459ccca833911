//! What an instruction has cost so far, and where that ends.

use crate::agent::Agent;
use crate::conversation::RunReport;
use crate::model::Usage;
use crate::options::AgentLimits;
use mitt::CallReport;
use mitt_base::{Error, Resource, Result};

/// What one instruction has cost so far.
#[derive(Default)]
pub(crate) struct Spent {
    pub(crate) turns: u64,
    calls: Vec<CallReport>,
    n_calls: u64,
    usage: Usage,
    /// The same of each request: long ones can have other prices.
    requests: Vec<Usage>,
    wrong_turns: u64,
    failed_scripts: u64,
    /// The calls of the turn before, if all of them failed: which, with what, and why.
    failed: Vec<(String, String, String)>,
}

impl Spent {
    /// One more turn.
    pub(crate) fn begin_turn(&mut self, most: u64) -> Result<()> {
        if self.turns == most {
            let error = Error::limit(Resource::ModelTurns, most, most.saturating_add(1));
            return Err(error.hint("split the task, or raise the limit in the host"));
        }
        self.turns += 1;
        Ok(())
    }

    pub(crate) fn add_usage(&mut self, usage: &Usage) {
        self.usage = add(&self.usage, usage);
        self.requests.push(*usage);
    }

    /// Whether more may be asked. The last turn's words are not thrown away for having cost too much.
    pub(crate) fn check_usage(&self, agent: &Agent) -> Result<()> {
        let AgentLimits { tokens, cost, .. } = agent.limits();
        let used = self.usage.input.saturating_add(self.usage.output);
        if used > *tokens {
            let error = Error::limit(Resource::ModelTokens, *tokens, used);
            return Err(error.hint("split the task, or raise the limit; what was delivered stays"));
        }
        let Some(most) = *cost else { return Ok(()) };
        // Before the first request too.
        let has_price = agent.cost(&[Usage::default()]).is_some();
        let Some(cost) = agent.cost(&self.requests).filter(|_| has_price) else {
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

    /// So many calls more.
    pub(crate) fn begin_calls(&mut self, count: usize, limits: &AgentLimits) -> Result<()> {
        let calls = self.n_calls.saturating_add(count as u64);
        if calls > limits.calls {
            let error = Error::limit(Resource::ModelCalls, limits.calls, calls);
            return Err(error.hint("split the task, or raise the limit; what was delivered stays"));
        }
        self.n_calls = calls;
        Ok(())
    }

    pub(crate) fn add_call(&mut self, report: CallReport) {
        self.calls.push(report);
    }

    /// A script failed, with this.
    pub(crate) fn script_failed(&mut self, why: &str, limits: &AgentLimits) -> Result<()> {
        self.failed_scripts += 1;
        if limits.script_repairs.is_none_or(|most| self.failed_scripts <= most) {
            return Ok(());
        }
        let message = format!("the script failed {} times", self.failed_scripts);
        Err(Error::model(message).detail(why).hint("take another model, or make the step smaller"))
    }

    /// Whether the calls of a turn, all of which failed, are those of the turn before.
    pub(crate) fn repeats(&mut self, failed: Vec<(String, String, String)>) -> bool {
        let is_same = !failed.is_empty() && self.failed == failed;
        self.failed = failed;
        is_same
    }

    /// The calls of a turn were made; `wrong` says what was wrong with the last of them, if none was right.
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

    /// What came of it.
    pub(crate) fn report(
        self,
        mut text: String,
        agent: &Agent,
        delivered: Vec<String>,
        missing: Vec<String>,
    ) -> RunReport {
        if !missing.is_empty() {
            text.push_str(&format!("\n\nNot delivered: {}.", missing.join(" and ")));
        }
        RunReport {
            text,
            turns: self.turns,
            calls: self.calls,
            cost: agent.cost(&self.requests),
            usage: self.usage,
            delivered,
            missing,
        }
    }
}

fn add(a: &Usage, b: &Usage) -> Usage {
    Usage {
        input: a.input.saturating_add(b.input),
        cached: a.cached.saturating_add(b.cached),
        cache_written: a.cache_written.saturating_add(b.cache_written),
        output: a.output.saturating_add(b.output),
        reasoning: a.reasoning.saturating_add(b.reasoning),
    }
}
