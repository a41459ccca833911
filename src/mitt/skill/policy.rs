//! The policy of a tool: its timeout, and when a failed attempt is made again.
//!
//! Knows the keys of `tools` in `skill.yaml` and the arithmetic of delays. Waits for nothing and draws no random number:
//! `session` does.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use super::{ToolManifest, parse_duration};
use mitt_base::limits::CallLimits;

/// Longest timeout of a tool. A skill's own limit of time is shorter, and holds.
const MAX_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// Longest title of a tool, in characters.
const MAX_TITLE_CHARACTERS: usize = 128;

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

/// An entry of `tools` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct WireTool {
    name: String,
    title: Option<String>,
    #[serde(default, deserialize_with = "timeout")]
    timeout: Option<Duration>,
    #[serde(default)]
    idempotent: bool,
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    destructive: bool,
    #[serde(default)]
    retry: WireRetry,
    input_schema: Option<serde_json::Value>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WireRetry {
    #[serde(default, deserialize_with = "max_attempts")]
    max_attempts: Option<u32>,
    #[serde(default)]
    backoff: Backoff,
    #[serde(default, deserialize_with = "initial_delay")]
    initial_delay: Option<Duration>,
    #[serde(default, deserialize_with = "max_delay")]
    max_delay: Option<Duration>,
    #[serde(default)]
    jitter: Jitter,
}

impl TryFrom<WireTool> for ToolManifest {
    type Error = String;

    fn try_from(wire: WireTool) -> Result<ToolManifest, String> {
        let at = |problem: String| format!("tools: {}: {problem}", wire.name);
        let retry = wire.retry.check().map_err(at)?;
        if wire.read_only && wire.destructive {
            return Err(at("destructive: `false` expected of a tool that is `readOnly`".into()));
        }
        if let Some(title) = &wire.title {
            let characters = title.chars().count();
            if title.trim().is_empty()
                || characters > MAX_TITLE_CHARACTERS
                || title.contains(char::is_control)
            {
                return Err(at(format!(
                    "title: one line of 1 to {MAX_TITLE_CHARACTERS} characters expected, got {characters} characters"
                )));
            }
        }
        let policy = ToolPolicy {
            timeout: wire.timeout,
            retry,
            idempotent: wire.idempotent,
            read_only: wire.read_only,
            destructive: wire.destructive,
            title: wire.title,
        };
        Ok(ToolManifest { name: wire.name, input_schema: wire.input_schema, policy })
    }
}

impl WireRetry {
    fn check(&self) -> Result<RetryPolicy, String> {
        let default = RetryPolicy::default();
        let retry = RetryPolicy {
            max_attempts: self.max_attempts.unwrap_or(default.max_attempts),
            backoff: self.backoff,
            initial_delay: self.initial_delay.unwrap_or(default.initial_delay),
            max_delay: self.max_delay.unwrap_or(default.max_delay),
            jitter: self.jitter,
        };
        if retry.initial_delay > retry.max_delay {
            return Err(match self.max_delay {
                // Who lowers only the longest delay means the first one too.
                Some(max_delay) if self.initial_delay.is_none() => {
                    return Ok(RetryPolicy { initial_delay: max_delay, ..retry });
                }
                _ => format!(
                    "retry.initialDelay: at most `maxDelay`, which is {:?}, expected, got {:?}",
                    retry.max_delay, retry.initial_delay
                ),
            });
        }
        Ok(retry)
    }
}

fn timeout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    duration(deserializer, "timeout", Duration::from_millis(1)..=MAX_TIMEOUT)
}

fn initial_delay<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    duration(deserializer, "retry.initialDelay", Duration::ZERO..=RetryPolicy::MAX_DELAY)
}

fn max_delay<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    duration(deserializer, "retry.maxDelay", Duration::ZERO..=RetryPolicy::MAX_DELAY)
}

fn max_attempts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let got = deserializer.deserialize_any(ScalarVisitor("a number of attempts"))?;
    match got {
        Scalar::Integer(number) => u32::try_from(number).ok(),
        _ => None,
    }
    .filter(|number| (1..=RetryPolicy::MAX_ATTEMPTS).contains(number))
    .map(Some)
    .ok_or_else(|| {
        de::Error::custom(format!(
            "retry.maxAttempts: 1 to {} expected, got `{got}`",
            RetryPolicy::MAX_ATTEMPTS
        ))
    })
}

/// A duration within `range`. A number without a unit is not a duration, however it is written.
fn duration<'de, D: Deserializer<'de>>(
    deserializer: D,
    key: &str,
    range: RangeInclusive<Duration>,
) -> Result<Option<Duration>, D::Error> {
    let got = deserializer.deserialize_any(ScalarVisitor("a duration"))?;
    let duration = match &got {
        Scalar::Text(text) => parse_duration(text),
        _ => None,
    };
    match duration {
        Some(duration) if range.contains(&duration) => Ok(Some(duration)),
        Some(_) => Err(de::Error::custom(format!(
            "{key}: a duration from {:?} to {:?} expected, got `{got}`",
            range.start(),
            range.end()
        ))),
        None => Err(de::Error::custom(format!(
            "{key}: a duration such as `500ms`, `15s` or `1m30s` expected, got `{got}`"
        ))),
    }
}

/// A single value, kept as it is until it can be said what is wrong with it.
enum Scalar {
    Text(String),
    Integer(i128),
    Other(String),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Text(text) | Scalar::Other(text) => {
                f.write_str(mitt_base::text::cut_bytes(text, 64))
            }
            Scalar::Integer(number) => number.fmt(f),
        }
    }
}

struct ScalarVisitor(&'static str);

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar::Other(number.to_string()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar::Other(value.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Other("null".into()))
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
