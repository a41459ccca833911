//! The attempts of one call. A failed attempt is made again as the policy of the tool says: after a delay, and within the time of
//! the session.
//!
//! Knows when to try again. Of a failed attempt it keeps only the record. What an attempt does is in `call.rs`. When the error of
//! an attempt arrives here, the attempt is over: its store is dropped and its host functions have ended.

use std::pin::{Pin, pin};
use std::time::Duration;

use tokio::time::Instant;

use crate::capability::Artifact;
use crate::engine::{CallOutput, Usage};
use crate::skill::RetryPolicy;
use mitt_base::limits::CallLimits;
use mitt_base::{Error, Resource};
use mitt_wit::value::Json;

/// How much later than its own deadline an attempt is ended from outside. From inside, what it used is known.
const GRACE: Duration = Duration::from_millis(20);

/// One attempt of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// Kind and message of its failure; none when it succeeded.
    pub failure: Option<(&'static str, String)>,
    /// What it used.
    pub usage: Usage,
    /// How long is waited before the next one; none when it is the last.
    pub delay: Option<Duration>,
    /// The message of its failure, as the journal keeps it.
    pub(super) without_values: String,
}

/// What an attempt left: its output, and the files that are there because of it.
pub(super) struct Tried {
    pub(super) output: CallOutput<Json>,
    pub(super) artifacts: Vec<Artifact>,
    /// Why the script did not succeed, where the call that ran it did.
    pub(super) script_error: Option<Error>,
}

impl Tried {
    /// One that never began, or was ended from outside.
    fn failed(error: Error) -> Tried {
        Tried { output: CallOutput::failed(error), artifacts: Vec::new(), script_error: None }
    }
}

/// The attempts of a call, and what its last one left. The usage is that of all of them, the delays not counted.
pub(super) struct Attempts {
    pub(super) log: Vec<Attempt>,
    pub(super) last: Tried,
}

/// Until when a session may run calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    total: Duration,
    opened: Instant,
}

impl Deadline {
    /// `total` from now on.
    pub(super) fn after(total: Duration) -> Deadline {
        Deadline { total, opened: Instant::now() }
    }

    /// What comes before the attempts, such as loading a plugin, if it ends before the session does.
    pub(super) async fn bounded<R>(
        deadline: Option<Deadline>,
        before: impl Future<Output = Result<R, Error>>,
    ) -> Result<R, Error> {
        let Some(deadline) = deadline else { return before.await };
        // It is not polled by value: a future that is moved is there twice.
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
    /// Most attempts, whatever `retry` says.
    pub(super) max_attempts: u32,
    pub(super) retry: &'a RetryPolicy,
    /// Limits of each attempt.
    pub(super) limits: CallLimits,
    pub(super) deadline: Option<Deadline>,
}

impl Plan<'_> {
    /// Make attempts until one succeeds, fails for good, or was the last. Each is given `work`; `noted` is told of each as it
    /// ends.
    pub(super) async fn carry_out<W: Clone, F: Future<Output = Tried>>(
        &self,
        work: W,
        mut attempt: impl FnMut(CallLimits, W) -> F,
        mut random: impl FnMut() -> u64,
        mut noted: impl FnMut(&Attempt),
    ) -> Attempts {
        let mut made = Made::default();
        for _ in 1..self.max_attempts {
            let tried = match self.one(|limits| attempt(limits, work.clone())).await {
                Ok(tried) => tried,
                Err(error) => return made.ended(self.tool, Tried::failed(error)),
            };
            let ended = made.add(&tried, |number| self.delay_after(number, &tried, &mut random));
            noted(ended);
            match ended.delay {
                // Nothing is waited for where there is no delay, not even a tick of the timer.
                Some(delay) if delay.is_zero() => {}
                Some(delay) => tokio::time::sleep(delay).await,
                None => return made.ended(self.tool, tried),
            }
        }
        // Work may be large: the last attempt gets it and no copy.
        match self.one(|limits| attempt(limits, work)).await {
            Ok(tried) => {
                noted(made.add(&tried, |_| None));
                made.ended(self.tool, tried)
            }
            Err(error) => made.ended(self.tool, Tried::failed(error)),
        }
    }

    /// Make one attempt. The error is that the time was over before.
    async fn one<F: Future<Output = Tried>>(
        &self,
        attempt: impl FnOnce(CallLimits) -> F,
    ) -> Result<Tried, Error> {
        let limits = self.limits_now()?;
        let mut tried = self.in_time(pin!(attempt(limits))).await;
        if let Some(error) = self.session_is_over(&tried.output) {
            tried.output.result = Err(error);
        }
        Ok(tried)
    }

    /// An attempt ends itself in time, but for what it waits for before it begins, such as its turn among the calls with
    /// handles. That ends here, a little after the session.
    async fn in_time(&self, attempt: Pin<&mut impl Future<Output = Tried>>) -> Tried {
        let Some(deadline) = self.deadline else { return attempt.await };
        match tokio::time::timeout(deadline.left().saturating_add(GRACE), attempt).await {
            Ok(tried) => tried,
            Err(_) => Tried::failed(deadline.passed()),
        }
    }

    /// The limits of an attempt that begins now.
    fn limits_now(&self) -> Result<CallLimits, Error> {
        let Some(deadline) = self.deadline else { return Ok(self.limits.clone()) };
        let left = deadline.left();
        if left.is_zero() {
            return Err(deadline.passed());
        }
        Ok(CallLimits { time: self.limits.time.min(left), ..self.limits.clone() })
    }

    /// The error of an attempt that ran out of time because the session did.
    fn session_is_over(&self, output: &CallOutput<Json>) -> Option<Error> {
        let error = output.result.as_ref().err()?;
        let is_time = error.limit_reached().is_some_and(|limit| limit.what == Resource::Time);
        self.deadline.filter(|deadline| is_time && deadline.left().is_zero()).map(Deadline::passed)
    }

    /// How long to wait before the next attempt, if there is to be one.
    fn delay_after(
        &self,
        number: u32,
        tried: &Tried,
        random: impl FnOnce() -> u64,
    ) -> Option<Duration> {
        let error = tried.output.result.as_ref().err()?;
        if !error.may_pass() {
            return None;
        }
        let delay = self.retry.delay(number, random);
        // An attempt that could not begin in time is not waited for.
        self.deadline.is_none_or(|deadline| delay < deadline.left()).then_some(delay)
    }
}

/// The attempts that were made so far.
#[derive(Default)]
struct Made {
    log: Vec<Attempt>,
    total: Usage,
}

impl Made {
    /// Add one; `delay` says how long to wait after the attempt of a number.
    fn add(&mut self, tried: &Tried, delay: impl FnOnce(u32) -> Option<Duration>) -> &Attempt {
        let (usage, total) = (&tried.output.usage, &mut self.total);
        total.fuel = total.fuel.saturating_add(usage.fuel);
        total.peak_memory_bytes = total.peak_memory_bytes.max(usage.peak_memory_bytes);
        total.duration = total.duration.saturating_add(usage.duration);
        let number = u32::try_from(self.log.len()).unwrap_or(u32::MAX).saturating_add(1);
        let failure = tried.output.result.as_ref().err();
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

    /// All of them, after the last.
    fn ended(self, tool: &str, mut last: Tried) -> Attempts {
        let Made { log, total } = self;
        last.output.usage = total;
        if log.len() > 1 {
            let place = format!("Tool '{tool}' failed after {} attempts", log.len());
            last.output.result = last.output.result.map_err(|error| error.at(place));
        }
        Attempts { log, last }
    }
}

#[cfg(test)]
#[path = "attempts_tests.rs"]
mod tests;
