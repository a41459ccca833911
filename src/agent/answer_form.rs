//! The form of a final answer that a caller demands: JSON that follows a schema.
//!
//! Knows no conversations and no plans: [`crate::formed`] and [`crate::plan`] hold their models to it.

use std::error::Error as StdError;
use std::fmt;

use serde_json::Value;

use crate::model::OutputFormat;
use mitt::schema::{SchemaProblem, Validator};
use mitt::value::Json;
use mitt_base::{Error, ErrorKind, Result, text};

/// Most bytes of an answer.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Most bytes of an answer without its form that are kept, and most characters of it that an error shows.
const MAX_KEPT_BYTES: usize = 256 * 1024;
const SHOWN_CHARACTERS: usize = 200;

/// Most times that a model is asked to mend an answer.
pub(crate) const MAX_MENDED: u64 = 2;

/// Form of a final answer: [`Demand::form`](crate::Demand::form).
#[derive(Debug)]
pub struct AnswerForm {
    output: OutputFormat,
    validator: Validator,
}

/// What an answer is for its form.
pub(crate) enum Formed {
    /// No form is demanded.
    Free,
    /// It follows the form. The text is the JSON alone.
    Value(String, Json),
    /// The model is asked again with these words.
    Again(String),
}

impl AnswerForm {
    /// Creates the form of JSON that follows a schema. The name is for services that want one: up to 64 letters, digits, `_` and
    /// `-`.
    ///
    /// # Errors
    ///
    /// All that cannot be applied, with its place in the schema: see [`Validator::new`].
    pub fn new(name: impl Into<String>, schema: Value) -> Result<AnswerForm, Vec<SchemaProblem>> {
        let validator = Validator::new(&schema)?;
        Ok(AnswerForm { output: OutputFormat { name: name.into(), schema }, validator })
    }

    /// Returns the form of any JSON object.
    pub fn any_object() -> AnswerForm {
        let output = OutputFormat::any_object();
        // It is a schema.
        let validator = Validator::new(&output.schema).unwrap_or_else(|_| unreachable!());
        AnswerForm { output, validator }
    }

    /// Creates the form that a log has.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the schema cannot be applied. It was applied when it was logged, perhaps by another version.
    pub fn of(output: OutputFormat) -> Result<AnswerForm> {
        AnswerForm::new(output.name, output.schema).map_err(|problems| {
            let wrong = Error::new(ErrorKind::Input, "the JSON Schema of the answer is wrong");
            problems.into_iter().fold(wrong, |wrong, problem| {
                let place =
                    if problem.pointer.is_empty() { "the schema" } else { &problem.pointer };
                wrong.detail(format!("{place}: {}", problem.message))
            })
        })
    }

    /// Returns the form as a model gets it.
    pub(crate) fn output(&self) -> &OutputFormat {
        &self.output
    }

    /// Returns the JSON of an answer, without the fence that models often put around it.
    ///
    /// # Errors
    ///
    /// Why it does not follow the form: places in the answer, and in the schema.
    pub fn read<'t>(&self, answer: &'t str) -> Result<&'t str, Vec<String>> {
        self.value(answer).map(|(text, _)| text)
    }

    /// Does what [`AnswerForm::read`] does, and returns the value too.
    pub(crate) fn value<'t>(&self, answer: &'t str) -> Result<(&'t str, Json), Vec<String>> {
        let text = without_fence(answer.trim());
        let value = Json::parse(text, MAX_BYTES, Validator::MAX_VALUE_DEPTH)
            .map_err(|error| vec![format!("expected JSON: {error}")])?;
        let violations = self.validator.check(&value);
        if violations.is_empty() {
            return Ok((text, value));
        }
        let shown = violations.into_iter().map(|it| {
            let place = if it.pointer.is_empty() { "the answer" } else { &it.pointer };
            if it.rule.is_empty() {
                format!("{place}: {}", it.message)
            } else {
                format!("{place}: {} (rule `{}` of the schema)", it.message, it.rule)
            }
        });
        Err(shown.collect())
    }
}

/// The last answer of a model that never gave the demanded form: source of the error of its instruction.
///
/// ```
/// # fn shown(error: &mitt::Error) -> Option<&str> {
/// use mitt_agent::AnswerMismatch;
///
/// // What the model said instead, for a person who looks at it.
/// AnswerMismatch::of(error).map(AnswerMismatch::text)
/// # }
/// # assert_eq!(shown(&mitt::Error::model("it cannot be reached")), None);
/// ```
#[derive(Clone, Debug)]
pub struct AnswerMismatch {
    text: String,
}

impl AnswerMismatch {
    fn new(answer: &str) -> AnswerMismatch {
        AnswerMismatch { text: text::cut_bytes(answer, MAX_KEPT_BYTES).to_owned() }
    }

    /// Returns the mismatch that an error is about; `None` for another error.
    pub fn of(error: &Error) -> Option<&AnswerMismatch> {
        error.source()?.downcast_ref()
    }

    /// Returns the answer, of which a long one is cut.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for AnswerMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = text::shortened(&text::single_line(&self.text), SHOWN_CHARACTERS);
        write!(f, "the last answer is: {shown}")
    }
}

impl StdError for AnswerMismatch {}

/// Returns the message to a model whose answer does not follow the form.
pub(crate) fn mending(problems: &[String]) -> String {
    let lines: Vec<_> = problems.iter().map(|problem| format!("- {problem}")).collect();
    format!(
        "(From the host, not from the user.) The answer does not have the form that the caller demands:\n{}\nGive the whole \
         answer anew: one JSON value that follows the JSON Schema, and nothing else.",
        lines.join("\n")
    )
}

/// Returns the error of a model that was asked to mend its answer `mended` times, and said this in the end.
pub(crate) fn never_formed(said: &str, problems: Vec<String>, mended: u64) -> Error {
    let times = match mended {
        0 => "once".to_owned(),
        mended => format!("{} times", mended + 1),
    };
    let error = Error::model(format!(
        "the answer does not have the demanded form, for which the model was asked {times}"
    ));
    let error = problems.into_iter().fold(error, |error, problem| error.detail(problem));
    let error = error.caused_by(AnswerMismatch::new(said));
    error.hint("make the schema simpler, say in the instruction what belongs into it, or take another model")
}

/// Returns the content of a text that is one fenced block of code.
fn without_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|it| it.strip_suffix("```"));
    let Some((language, content)) = inner.and_then(|it| it.split_once('\n')) else { return text };
    match language.trim() {
        "" | "json" | "JSON" => content.trim(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_read_with_and_without_a_fence() {
        let schema =
            json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
        let form = AnswerForm::new("x", schema).unwrap();
        for text in
            ["{\"a\": 1}", " {\"a\": 1}\n", "```json\n{\"a\": 1}\n```", "```\n{\"a\": 1}```\n"]
        {
            assert_eq!(form.read(text).unwrap(), "{\"a\": 1}", "{text}");
        }
        for (text, expected) in [
            (
                "{\"a\": \"1\"}",
                "/a: expected integer, got string (rule `/properties/a/type` of the schema)",
            ),
            ("{}", "the answer: the member `a` is missing (rule `/required` of the schema)"),
            ("Here: {\"a\": 1}", "expected JSON: "),
            ("{\"a\": 1} and more", "expected JSON: "),
            ("```python\n{\"a\": 1}\n```", "expected JSON: "),
            ("{\"a\": 1, \"a\": 2}", "expected JSON: "),
            ("", "expected JSON: "),
        ] {
            let found = form.read(text).unwrap_err();
            assert!(found[0].starts_with(expected), "{text}: {found:?}");
        }
        let deep = format!("{}1{}", "[".repeat(65), "]".repeat(65));
        assert!(AnswerForm::new("x", json!({})).unwrap().read(&deep).is_err());
        assert!(AnswerForm::new("x", json!({})).unwrap().read(&deep[1..130]).is_ok());
    }

    #[test]
    fn what_is_kept_of_a_long_answer_is_bounded() {
        let mismatch = AnswerMismatch::new(&"年".repeat(100_000));
        assert_eq!(mismatch.text().len(), MAX_KEPT_BYTES / 3 * 3);
        assert!(mismatch.to_string().chars().count() < 300, "{mismatch}");
    }

    #[test]
    fn any_object_is_an_object() {
        let form = AnswerForm::any_object();
        assert!(form.output().is_any_object());
        assert!(form.read("{\"a\": [1]}").is_ok() && form.read("[1]").is_err());
    }
}
