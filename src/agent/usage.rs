//! Usage of a run and its sub-agents. It is counted as it happens, so that no budget is spent twice, and usage of abandoned work
//! is not lost.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::model::{Cost, Usage};
use mitt_base::lock;

/// Budget for a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// Turns of models.
    pub turns: u64,
    /// Tokens of requests and answers together.
    pub tokens: u64,
    /// Cost of the models' services; `None` for no limit.
    pub cost: Option<Cost>,
    /// Calls that models may request.
    pub calls: u64,
    /// Wall clock of the work.
    pub time: Duration,
}

impl Default for Budget {
    /// Returns 30 turns, 500 000 tokens, 200 calls, 10 minutes, and no limit of the cost.
    fn default() -> Budget {
        Budget {
            turns: 30,
            tokens: 500_000,
            cost: None,
            calls: 200,
            time: Duration::from_secs(10 * 60),
        }
    }
}

impl Budget {
    /// Returns the share of each of `count` concurrent workers; an equal share stays for the caller. Time is not divided, since
    /// all run at once: each gets three quarters of it.
    #[must_use]
    pub fn part(self, count: usize) -> Budget {
        let parts = count as u64 + 1;
        Budget {
            turns: self.turns / parts,
            tokens: self.tokens / parts,
            cost: self.cost.map(|cost| cost.part(parts)),
            calls: self.calls / parts,
            time: self.time * 3 / 4,
        }
    }

    /// Returns whether nothing could be done with it.
    pub(crate) fn is_used_up(&self) -> bool {
        self.turns == 0 || self.tokens == 0 || self.time.is_zero()
    }
}

/// Usage so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UsageTotals {
    pub(crate) turns: u64,
    pub(crate) calls: u64,
    pub(crate) usage: Usage,
    cost: Cost,
    /// `true` if a model without a known price was used.
    is_unpriced: bool,
}

impl UsageTotals {
    pub(crate) fn tokens(&self) -> u64 {
        self.usage.input.saturating_add(self.usage.output)
    }

    /// Returns the cost of usage with known prices.
    pub(crate) fn known_cost(&self) -> Cost {
        self.cost
    }

    /// Returns the cost; `None` if a price is unknown.
    pub(crate) fn cost(&self) -> Option<Cost> {
        (!self.is_unpriced).then_some(self.cost)
    }
}

/// Counts usage for itself and for all meters above it.
#[derive(Debug, Default)]
pub(crate) struct UsageCounter {
    totals: Mutex<UsageTotals>,
    parent: Option<Arc<UsageCounter>>,
}

impl UsageCounter {
    pub(crate) fn below(parent: Option<Arc<UsageCounter>>) -> UsageCounter {
        UsageCounter { totals: Mutex::default(), parent }
    }

    pub(crate) fn totals(&self) -> UsageTotals {
        *lock(&self.totals)
    }

    pub(crate) fn add_turn(&self) {
        self.each(&|totals| totals.turns += 1);
    }

    pub(crate) fn add_calls(&self, count: u64) {
        self.each(&|totals| totals.calls = totals.calls.saturating_add(count));
    }

    /// Adds the tokens of a request, and their cost if known.
    pub(crate) fn add_usage(&self, usage: &Usage, cost: Option<Cost>) {
        self.each(&|totals| {
            totals.usage = sum(&totals.usage, usage);
            match cost {
                Some(cost) => totals.cost += cost,
                None => totals.is_unpriced = true,
            }
        });
    }

    fn each(&self, change: &dyn Fn(&mut UsageTotals)) {
        change(&mut lock(&self.totals));
        if let Some(parent) = &self.parent {
            parent.each(change);
        }
    }
}

fn sum(a: &Usage, b: &Usage) -> Usage {
    Usage {
        input: a.input.saturating_add(b.input),
        cached: a.cached.saturating_add(b.cached),
        cache_written: a.cache_written.saturating_add(b.cache_written),
        output: a.output.saturating_add(b.output),
        reasoning: a.reasoning.saturating_add(b.reasoning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_leave_one_for_whoever_waits() {
        let budget = Budget {
            turns: 20,
            tokens: 100,
            cost: Some("1".parse().unwrap()),
            calls: 8,
            time: Duration::from_secs(100),
        };
        let part = budget.part(3);
        assert_eq!((part.turns, part.tokens, part.calls), (5, 25, 2));
        assert_eq!(part.cost.unwrap().to_string(), "$0.25");
        assert_eq!(part.time, Duration::from_secs(75));
        assert!(!part.is_used_up() && Budget { turns: 1, ..budget }.part(1).is_used_up());
    }

    #[test]
    fn what_is_used_below_is_used_above() {
        let top = Arc::new(UsageCounter::default());
        let below = UsageCounter::below(Some(top.clone()));
        let usage = Usage { input: 5, output: 2, ..Usage::default() };
        top.add_usage(&usage, Some("1".parse().unwrap()));
        below.add_usage(&usage, Some("2".parse().unwrap()));
        below.add_turn();
        assert_eq!((top.totals().tokens(), below.totals().tokens()), (14, 7));
        assert_eq!(
            (top.totals().turns, top.totals().cost().unwrap().to_string()),
            (1, "$3.00".into())
        );
        below.add_usage(&usage, None);
        assert!(top.totals().cost().is_none() && below.totals().cost().is_none());
    }
}
