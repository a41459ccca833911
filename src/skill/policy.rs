//! Policy of a tool: its timeout, and when a failed attempt is repeated.
//!
//! Knows the arithmetic of delays. Does not wait and draws no random numbers; `session` does. `manifest/tool.rs` reads policies
//! from `skill.yaml`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use mitt_base::limits::CallLimits;

/// Policy for calls of one tool. The default applies to a tool without settings in `skill.yaml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPolicy {
    /// Most wall clock of one attempt, 1 ms to 1 h. It can only lower the skill's `limits.time`. Default: none, so the skill's
    /// limit applies, which is 30 s by default.
    pub timeout: Option<Duration>,
    /// When a failed attempt is repeated.
    pub retry: RetryPolicy,
    /// `true` if a second call with the same arguments has no further effect. Default: `false`.
    pub idempotent: bool,
    /// `true` if a call changes nothing at all. Default: `false`.
    pub read_only: bool,
    /// `true` if a call may replace or remove existing data. Default: `false`.
    pub destructive: bool,
    /// Title for people, 1 to 128 characters on one line. Default: none.
    pub title: Option<String>,
    /// `true` if lists of the functions that scripts can call only name it; `help` in a script describes it. A list is sent with
    /// each request, so functions that are seldom needed are not described there. Default: `false`.
    pub brief: bool,
}

impl ToolPolicy {
    /// Returns whether a failed attempt may be repeated at all: the tool is `idempotent` or `readOnly`.
    pub fn is_repeatable(&self) -> bool {
        self.idempotent || self.read_only
    }

    /// Returns the most attempts of one call: those of `retry`, or 1 if the tool may not be repeated.
    pub fn max_attempts(&self) -> u32 {
        if self.is_repeatable() { self.retry.max_attempts } else { 1 }
    }

    /// Returns the limits of one attempt, given those of the skill.
    #[must_use]
    pub fn attempt_limits(&self, skill: &CallLimits) -> CallLimits {
        let time = self.timeout.map_or(skill.time, |timeout| timeout.min(skill.time));
        CallLimits { time, ..skill.clone() }
    }

    /// Returns settings in `skill.yaml` that have no effect: one sentence each, without the tool's name. `limits` are those of
    /// the skill.
    pub fn warnings(&self, limits: &CallLimits) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.retry.max_attempts > 1 && !self.is_repeatable() {
            warnings.push(format!(
                "retry: maxAttempts of {} has no effect: the tool is neither `idempotent` nor `readOnly`, and so is \
                 attempted once",
                self.retry.max_attempts
            ));
        }
        if let Some(timeout) = self.timeout.filter(|timeout| *timeout > limits.time) {
            warnings.push(format!(
                "timeout: {timeout:?} has no effect: the skill's `limits.time` of {:?} is lower",
                limits.time
            ));
        }
        warnings
    }
}

/// When a failed attempt is repeated, and after which delay.
///
/// Only a tool that is `idempotent` or `readOnly` is attempted again, and only after a temporary failure: a crash, an attempt
/// that took too long, or an error of the plugin whose case is named `again`, `busy`, `interrupted`, `rate-limited`, `temporary`,
/// `timed-out`, `timeout`, `try-again`, `unavailable` or `would-block`. Errors that are only a text, other limits, invalid
/// arguments and refusals are permanent.
///
/// A failed attempt delivers no files. What it wrote to the session's workspace stays, file by file, and the next attempt may use
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Most attempts of one call, including the first: 1 to 10. Default: 1, so no retry.
    pub max_attempts: u32,
    /// Growth of the delays. Default: fixed.
    pub backoff: Backoff,
    /// Delay before the second attempt, 0 s to `max_delay`. Default: 1 s.
    pub initial_delay: Duration,
    /// Longest delay, at most 5 min. Default: 30 s.
    pub max_delay: Duration,
    /// Randomisation of the delays. Default: none.
    pub jitter: Jitter,
}

impl Default for RetryPolicy {
    fn default() -> RetryPolicy {
        RetryPolicy {
            max_attempts: 1,
            backoff: Backoff::Fixed,
            initial_delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(30),
            jitter: Jitter::None,
        }
    }
}

/// Growth of the delays between attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Backoff {
    /// All delays are equal.
    #[default]
    Fixed,
    /// Each delay is twice as long as the previous one.
    Exponential,
}

/// Randomisation of delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Jitter {
    /// The full delay is used.
    #[default]
    None,
    /// A random part of the delay is used, from none to all of it, so that many callers do not return at once.
    Full,
}

impl RetryPolicy {
    /// Most attempts of one call that a skill may set.
    pub const MAX_ATTEMPTS: u32 = 10;
    /// Longest delay that a skill may set.
    pub const MAX_DELAY: Duration = Duration::from_secs(5 * 60);

    /// Returns the delay after attempt number `attempt`, counted from 1: the initial delay, with exponential backoff times
    /// 2^(attempt - 1), at most the longest delay. `random` returns 64 random bits, and is called only if there is jitter.
    pub fn delay(&self, attempt: u32, random: impl FnOnce() -> u64) -> Duration {
        let factor = match self.backoff {
            Backoff::Fixed => 1,
            Backoff::Exponential => {
                2_u32.checked_pow(attempt.saturating_sub(1)).unwrap_or(u32::MAX)
            }
        };
        let delay = self.initial_delay.saturating_mul(factor).min(self.max_delay);
        match self.jitter {
            Jitter::None => delay,
            Jitter::Full => part(delay, random()),
        }
    }
}

/// Returns the fraction `random` / 2^64 of `delay`.
fn part(delay: Duration, random: u64) -> Duration {
    // Delays are at most a few minutes, which is less than 2^40 ns.
    let nanos = (delay.as_nanos() * u128::from(random)) >> 64;
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
