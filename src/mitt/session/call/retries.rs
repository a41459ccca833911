//! Attempts of one call. A failed attempt is repeated as the policy of the tool says: after a delay, and within the session's
//! time.
//!
//! Knows when to try again; `dispatch.rs` makes an attempt. Only the record of a failed attempt is kept. When an attempt's error
//! arrives here, its store has been dropped and its host functions have ended.

use std::pin::{Pin, pin};
use std::time::Duration;

use tokio::time::Instant;

use super::super::attempt::Attempt;
use crate::engine::{CallOutput, Usage};
use mitt_base::limits::CallLimits;
use mitt_base::{Error, Resource};
use mitt_skill::{RetryPolicy, capability::Artifact};
use mitt_wit::value::Json;

/// Extra time after an attempt's own deadline before it is cancelled from outside. An attempt that ends itself reports its usage,
/// a cancelled one cannot.
const GRACE: Duration = Duration::from_millis(20);

/// Result of an attempt: its output and the files that it produced.
pub(super) struct AttemptResult {
    pub(super) output: CallOutput<Json>,
    pub(super) artifacts: Vec<Artifact>,
    /// Error of the script, if the call that ran it succeeded nevertheless.
    pub(super) script_error: Option<Error>,
}

impl AttemptResult {
    /// Returns the result of an attempt that never began or was cancelled from outside.
    fn failed(error: Error) -> AttemptResult {
        AttemptResult {
            output: CallOutput::failed(error),
            artifacts: Vec::new(),
            script_error: None,
        }
    }
}

/// All attempts of a call, with the result of the last one. Usage is the total of all attempts, without the delays.
pub(super) struct Attempts {
    pub(super) log: Vec<Attempt>,
    pub(super) last: AttemptResult,
}

/// Deadline for all calls of a session.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct Deadline {
    total: Duration,
    opened: Instant,
}

impl Deadline {
    /// Returns a deadline `total` from now.
    pub(in crate::session) fn after(total: Duration) -> Deadline {
        Deadline { total, opened: Instant::now() }
    }

    /// Runs preparations for the attempts, such as loading a plugin, and fails at the deadline of the session.
    pub(super) async fn bounded<R>(
        deadline: Option<Deadline>,
        before: impl Future<Output = Result<R, Error>>,
    ) -> Result<R, Error> {
        let Some(deadline) = deadline else { return before.await };
        // Pinned instead of moved: a moved future occupies its space twice.
        let before = pin!(before);
        match tokio::time::timeout(deadline.left(), before).await {
            Ok(done) => done,
            Err(_) => Err(deadline.passed()),
        }
    }

    fn left(self) -> Duration {
        self.total.saturating_sub(self.opened.elapsed())
    }

    #[cold]
    fn passed(self) -> Error {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let used = self.opened.elapsed().max(self.total);
        Error::limit(Resource::SessionTime, millis(self.total), millis(used))
    }
}

/// How a call is attempted.
pub(super) struct Plan<'a> {
    pub(super) tool: &'a str,
    /// Most attempts, even if `retry` allows more.
    pub(super) max_attempts: u32,
    pub(super) retry: &'a RetryPolicy,
    /// Limits of each attempt.
    pub(super) limits: CallLimits,
    pub(super) deadline: Option<Deadline>,
}

impl Plan<'_> {
    /// Makes attempts until one succeeds, fails permanently, or is the last. Each attempt receives `work`; `on_attempt` is called
    /// as each one ends.
    pub(super) async fn carry_out<W: Clone, F: Future<Output = AttemptResult>>(
        &self,
        work: W,
        mut attempt: impl FnMut(CallLimits, W) -> F,
        mut random: impl FnMut() -> u64,
        mut on_attempt: impl FnMut(&Attempt),
    ) -> Attempts {
        let mut attempts = AttemptLog::default();
        for _ in 1..self.max_attempts {
            let result = match self.attempt_once(|limits| attempt(limits, work.clone())).await {
                Ok(result) => result,
                Err(error) => return attempts.finish(self.tool, AttemptResult::failed(error)),
            };
            let ended =
                attempts.add(&result, |number| self.delay_after(number, &result, &mut random));
            on_attempt(ended);
            match ended.delay {
                // A delay of zero skips the timer, which would wait for at least one tick.
                Some(delay) if delay.is_zero() => {}
                Some(delay) => tokio::time::sleep(delay).await,
                None => return attempts.finish(self.tool, result),
            }
        }
        // `work` may be large, so the last attempt takes it without a copy.
        match self.attempt_once(|limits| attempt(limits, work)).await {
            Ok(result) => {
                on_attempt(attempts.add(&result, |_| None));
                attempts.finish(self.tool, result)
            }
            Err(error) => attempts.finish(self.tool, AttemptResult::failed(error)),
        }
    }

    /// Makes one attempt. Returns an error if the session's time is over before it begins.
    async fn attempt_once<F: Future<Output = AttemptResult>>(
        &self,
        attempt: impl FnOnce(CallLimits) -> F,
    ) -> Result<AttemptResult, Error> {
        let limits = self.limits_now()?;
        let mut result = self.in_time(pin!(attempt(limits))).await;
        if let Some(error) = self.session_is_over(&result.output) {
            result.output.result = Err(error);
        }
        Ok(result)
    }

    /// Runs an attempt and cancels it a little after the session's deadline. An attempt enforces its own deadline, but not while
    /// it waits to begin, such as for its turn among calls with handles.
    async fn in_time(
        &self,
        attempt: Pin<&mut impl Future<Output = AttemptResult>>,
    ) -> AttemptResult {
        let Some(deadline) = self.deadline else { return attempt.await };
        match tokio::time::timeout(deadline.left().saturating_add(GRACE), attempt).await {
            Ok(result) => result,
            Err(_) => AttemptResult::failed(deadline.passed()),
        }
    }

    /// Returns the limits for an attempt that begins now.
    fn limits_now(&self) -> Result<CallLimits, Error> {
        let Some(deadline) = self.deadline else { return Ok(self.limits.clone()) };
        let left = deadline.left();
        if left.is_zero() {
            return Err(deadline.passed());
        }
        Ok(CallLimits { time: self.limits.time.min(left), ..self.limits.clone() })
    }

    /// Returns the error of the session's deadline if the attempt timed out because of it.
    fn session_is_over(&self, output: &CallOutput<Json>) -> Option<Error> {
        let error = output.result.as_ref().err()?;
        let is_time = error.limit_reached().is_some_and(|limit| limit.what == Resource::Time);
        self.deadline.filter(|deadline| is_time && deadline.left().is_zero()).map(Deadline::passed)
    }

    /// Returns the delay before the next attempt; `None` if there is no next attempt.
    fn delay_after(
        &self,
        number: u32,
        result: &AttemptResult,
        random: impl FnOnce() -> u64,
    ) -> Option<Duration> {
        let error = result.output.result.as_ref().err()?;
        if !error.is_retryable() {
            return None;
        }
        let delay = self.retry.delay(number, random);
        // No delay is started that would end after the session.
        self.deadline.is_none_or(|deadline| delay < deadline.left()).then_some(delay)
    }
}

/// Attempts made so far.
#[derive(Default)]
struct AttemptLog {
    log: Vec<Attempt>,
    total: Usage,
}

impl AttemptLog {
    /// Adds an attempt; `delay` returns the delay after the attempt of a given number.
    fn add(
        &mut self,
        result: &AttemptResult,
        delay: impl FnOnce(u32) -> Option<Duration>,
    ) -> &Attempt {
        let (usage, total) = (&result.output.usage, &mut self.total);
        total.fuel = total.fuel.saturating_add(usage.fuel);
        total.peak_memory_bytes = total.peak_memory_bytes.max(usage.peak_memory_bytes);
        total.duration = total.duration.saturating_add(usage.duration);
        let number = u32::try_from(self.log.len()).unwrap_or(u32::MAX).saturating_add(1);
        let failure = result.output.result.as_ref().err();
        self.log.push(Attempt {
            number,
            failure: failure.map(|error| (error.kind().name(), error.to_string())),
            usage: usage.clone(),
            delay: delay(number),
            without_values: failure
                .map_or_else(String::new, |error| error.without_values().to_owned()),
        });
        &self.log[self.log.len() - 1]
    }

    /// Returns all attempts, after the last one.
    fn finish(self, tool: &str, mut last: AttemptResult) -> Attempts {
        let AttemptLog { log, total } = self;
        last.output.usage = total;
        if log.len() > 1 {
            let place = format!("Tool '{tool}' failed after {} attempts", log.len());
            last.output.result = last.output.result.map_err(|error| error.at(place));
        }
        Attempts { log, last }
    }
}

#[cfg(test)]
#[path = "retries_tests.rs"]
mod tests;
