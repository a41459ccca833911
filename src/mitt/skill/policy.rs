//! The policy of a tool: its timeout, and when a failed attempt is made again.
//!
//! Knows the arithmetic of delays. Waits for nothing and draws no random number: `session` does. How a policy is written in
//! `skill.yaml` is known to `manifest/tool.rs`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use mitt_base::limits::CallLimits;

/// How one tool is called. The default is that of a tool of which `skill.yaml` says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPolicy {
    /// Most wall clock of one attempt, 1 ms to 1 h. Can only lower the skill's `limits.time`. Default none: the skill's
    /// limit, which is 30 s by default.
    pub timeout: Option<Duration>,
    /// When a failed attempt is made again.
    pub retry: RetryPolicy,
    /// Whether a second call with the same arguments changes nothing more. Default `false`.
    pub idempotent: bool,
    /// Whether a call changes nothing at all. Default `false`.
    pub read_only: bool,
    /// Whether a call may replace or remove what was there. Default `false`.
    pub destructive: bool,
    /// Name for people, 1 to 128 characters in one line. Default none.
    pub title: Option<String>,
}

impl ToolPolicy {
    /// Whether a failed attempt may be made again at all: the tool is `idempotent` or `readOnly`.
    pub fn is_repeatable(&self) -> bool {
        self.idempotent || self.read_only
    }

    /// Most attempts of one call: those of `retry`, but never a second one of a tool that may not be repeated.
    pub fn max_attempts(&self) -> u32 {
        if self.is_repeatable() { self.retry.max_attempts } else { 1 }
    }

    /// The limits of one attempt, given those of the skill.
    #[must_use]
    pub fn attempt_limits(&self, skill: &CallLimits) -> CallLimits {
        let time = self.timeout.map_or(skill.time, |timeout| timeout.min(skill.time));
        CallLimits { time, ..skill.clone() }
    }

    /// What is written in `skill.yaml` and has no effect: one sentence each, without the tool's name. `limits` are those
    /// of the skill.
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

/// When a failed attempt is made again, and after how long.
///
/// Only a tool that is `idempotent` or `readOnly` is ever attempted twice, and only after what may pass: a crash, an attempt
/// that took too long, or an error of the plugin whose case is named `again`, `busy`, `interrupted`, `rate-limited`,
/// `temporary`, `timed-out`, `timeout`, `try-again`, `unavailable` or `would-block`. An error that is only a text says
/// nothing of the kind, and other limits, wrong arguments and refusals do not pass.
///
/// Nothing of a failed attempt is delivered. What it wrote to the session's workspace stays, file by file: the next attempt
/// may go on from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Most attempts of one call, the first included: 1 to 10. Default 1, which is no retry.
    pub max_attempts: u32,
    /// How delays grow. Default fixed.
    pub backoff: Backoff,
    /// Delay before the second attempt, 0 s to `max_delay`. Default 1 s.
    pub initial_delay: Duration,
    /// Longest delay, at most 5 min. Default 30 s.
    pub max_delay: Duration,
    /// Which part of a delay is waited. Default all of it.
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

/// How the delays between attempts grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Backoff {
    /// Not at all.
    #[default]
    Fixed,
    /// Each is twice as long as the one before.
    Exponential,
}

/// Which part of a delay is waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Jitter {
    /// All of it.
    #[default]
    None,
    /// A random part, from nothing to all of it, so that many callers do not return at once.
    Full,
}

impl RetryPolicy {
    /// Most attempts of one call that a skill may ask for.
    pub const MAX_ATTEMPTS: u32 = 10;
    /// Longest delay that a skill may ask for.
    pub const MAX_DELAY: Duration = Duration::from_secs(5 * 60);

    /// The delay after attempt number `attempt`, which is counted from 1: the initial delay, or with exponential backoff
    /// the initial delay times 2^(attempt - 1), at most the longest delay. `random` gives 64 random bits, and is asked
    /// only where there is jitter.
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

/// The part of `delay` that `random` of 2^64 is.
fn part(delay: Duration, random: u64) -> Duration {
    // Delays are a few minutes at most, which is less than 2^40 ns.
    let nanos = (delay.as_nanos() * u128::from(random)) >> 64;
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
