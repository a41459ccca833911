//! Settings for a single tool in `skill.yaml`, as written and as checked.
//!
//! Knows the keys of an entry of `tools`. `policy.rs` defines the effect of a policy.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use super::super::contract::{Contract, Form};
use super::super::policy::{Backoff, Jitter, RetryPolicy, ToolPolicy};
use super::quantity::parse_duration;

/// Longest timeout of a tool. A shorter time limit of the skill takes precedence.
const MAX_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// Longest description of a function, in characters.
const MAX_DESCRIPTION_CHARACTERS: usize = 4_096;
/// Longest title of a tool, in characters.
const MAX_TITLE_CHARACTERS: usize = 128;

/// Settings for a tool beyond its interface.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "WireTool")]
pub struct ToolManifest {
    /// Name of the function, in kebab case; for an Extism plug-in, as it is exported.
    pub name: String,
    /// Narrower bounds, defaults, titles and examples of its parameters; see [`Function::narrowed`].
    ///
    /// [`Function::narrowed`]: mitt_wit::value::Function::narrowed
    pub input_schema: Option<serde_json::Value>,
    /// Description that replaces the documentation of a component's function.
    pub description: Option<String>,
    /// `true` if the entry has `input`, `output` or `outputSchema`, which only functions of Extism plug-ins may have.
    pub has_forms: bool,
    /// Contract of a function of an Extism plug-in, which then includes [`ToolManifest::input_schema`].
    pub contract: Option<Contract>,
    /// Policy for calls.
    pub policy: ToolPolicy,
}

/// Entry of `tools` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WireTool {
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
    brief: bool,
    #[serde(default)]
    retry: WireRetry,
    input_schema: Option<serde_json::Value>,
    description: Option<String>,
    input: Option<Form>,
    output: Option<Form>,
    output_schema: Option<serde_json::Value>,
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
            return Err(at("destructive: expected `false` of a tool that is `readOnly`".into()));
        }
        if let Some(title) = &wire.title {
            let characters = title.chars().count();
            if title.trim().is_empty()
                || characters > MAX_TITLE_CHARACTERS
                || title.contains(char::is_control)
            {
                return Err(at(format!(
                    "title: expected one line of 1 to {MAX_TITLE_CHARACTERS} characters, got {characters} characters"
                )));
            }
        }
        let contract = contract(&wire).map_err(at)?;
        let has_forms =
            wire.input.is_some() || wire.output.is_some() || wire.output_schema.is_some();
        let policy = ToolPolicy {
            timeout: wire.timeout,
            retry,
            idempotent: wire.idempotent,
            read_only: wire.read_only,
            destructive: wire.destructive,
            title: wire.title,
            brief: wire.brief,
        };
        Ok(ToolManifest {
            name: wire.name,
            input_schema: wire.input_schema,
            description: wire.description,
            has_forms,
            contract,
            policy,
        })
    }
}

/// Returns the contract of a function, if the entry has one.
fn contract(wire: &WireTool) -> Result<Option<Contract>, String> {
    let WireTool { description, input, output, input_schema, output_schema, .. } = wire;
    if description.is_none() && input.is_none() && output.is_none() && output_schema.is_none() {
        return Ok(None);
    }
    if let Some(description) = description {
        let characters = description.chars().count();
        if description.trim().is_empty() || characters > MAX_DESCRIPTION_CHARACTERS {
            return Err(format!(
                "description: expected 1 to {MAX_DESCRIPTION_CHARACTERS} characters, got {characters}"
            ));
        }
    }
    // A schema implies JSON, unless the entry says otherwise.
    let form = |said: Option<Form>, schema: &Option<serde_json::Value>| match schema {
        Some(_) => said.unwrap_or(Form::Json),
        None => said.unwrap_or_default(),
    };
    Ok(Some(Contract {
        description: description.clone(),
        input: form(*input, input_schema),
        output: form(*output, output_schema),
        input_schema: input_schema.clone(),
        output_schema: output_schema.clone(),
    }))
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
                // An entry that lowers only the longest delay lowers the first one, too.
                Some(max_delay) if self.initial_delay.is_none() => {
                    return Ok(RetryPolicy { initial_delay: max_delay, ..retry });
                }
                _ => format!(
                    "retry.initialDelay: expected at most `maxDelay`, which is {:?}, got {:?}",
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
            "retry.maxAttempts: expected 1 to {}, got `{got}`",
            RetryPolicy::MAX_ATTEMPTS
        ))
    })
}

/// Parses a duration within `range`. A number without a unit is not a duration, even as a text.
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
            "{key}: expected a duration from {:?} to {:?}, got `{got}`",
            range.start(),
            range.end()
        ))),
        None => Err(de::Error::custom(format!(
            "{key}: expected a duration such as `500ms`, `15s` or `1m30s`, got `{got}`"
        ))),
    }
}

/// Single value, kept as it is for the error message.
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
