//! Reflection on the result of a step: a model says whether it is good, and what must be done better.
//!
//! An unreadable answer is an error: no result passes because the reflection failed.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::parse::unfenced;
use super::shape::object;
use mitt_base::{Error, Result, text};

/// Most characters of the feedback; the rest is cut off.
const MAX_FEEDBACK: u64 = 4_000;

/// Reflection on a result.
///
/// # Example
///
/// ```
/// use mitt_agent::plan::Reflection;
///
/// let reflection = Reflection::parse(r#"{"passed": false, "feedback": "the year is missing"}"#)?;
/// assert_eq!((reflection.passed, reflection.feedback.as_str()), (false, "the year is missing"));
/// assert!(Reflection::parse(r#"{"passed": "false"}"#).is_err(), "never taken for passed");
/// # Ok::<(), mitt::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Reflection {
    /// `true` if the result is good.
    pub passed: bool,
    /// What must be done better; may be empty if it passed.
    pub feedback: String,
}

/// Outcome of a reflection.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ReflectionOutcome {
    /// The result is good.
    Passed,
    /// The result is not good, and the step is tried again.
    Failed,
    /// The step was sent back as often as the limits allow, and its result counts as it is, without another reflection.
    Forced,
    /// The reflection itself failed, and says nothing about the result.
    EvaluatorError,
}

impl ReflectionOutcome {
    /// Returns `passed`, `failed`, `forced` or `evaluator-error`.
    pub fn name(self) -> &'static str {
        match self {
            ReflectionOutcome::Passed => "passed",
            ReflectionOutcome::Failed => "failed",
            ReflectionOutcome::Forced => "forced",
            ReflectionOutcome::EvaluatorError => "evaluator-error",
        }
    }
}

impl Reflection {
    /// Returns the JSON Schema of the model's answer.
    pub fn schema() -> Value {
        object(json!({ "feedback": { "type": "string" }, "passed": { "type": "boolean" } }))
    }

    /// Parses the model's answer: an object with exactly these two members.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - it is anything else.
    pub fn parse(text: &str) -> Result<Reflection> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            passed: bool,
            feedback: String,
        }
        let wire: Wire = serde_json::from_str(unfenced(text)).map_err(|error| {
            let form = r#"{"passed": true or false, "feedback": "…"}"#;
            Error::model(format!("the evaluator has to answer `{form}`: {error}"))
        })?;
        let feedback = text::truncate(wire.feedback.trim(), MAX_FEEDBACK);
        Ok(Reflection { passed: wire.passed, feedback })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_passes() {
        for (answer, passed) in [
            (r#"{"passed": true, "feedback": ""}"#, Some(true)),
            ("```json\n{\"passed\": false, \"feedback\": \"more\"}\n```", Some(false)),
            (r#"{"passed": "true", "feedback": ""}"#, None),
            (r#"{"passed": 1, "feedback": ""}"#, None),
            (r#"{"passed": true}"#, None),
            (r#"{"passed": true, "feedback": "", "score": 9}"#, None),
            ("{}", None),
            ("[]", None),
            ("null", None),
            ("passed", None),
            ("", None),
        ] {
            assert_eq!(Reflection::parse(answer).ok().map(|it| it.passed), passed, "{answer}");
        }
        let long = json!({ "passed": false, "feedback": "数".repeat(9_000) }).to_string();
        assert!(Reflection::parse(&long).unwrap().feedback.chars().count() < 4_100);
    }
}
