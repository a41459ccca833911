//! Schemas of bodies: made from types, shown in the OpenAPI document, and used to report all problems of a body at once.

use std::sync::{Arc, OnceLock};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use schemars::JsonSchema;
use serde_json::Value;

use crate::problem::{BodyProblem, Problem};

/// Most problems of one body that are reported.
const MOST_PROBLEMS: usize = 20;
/// Longest description of a problem, in bytes.
const MOST_DETAIL_BYTES: usize = 500;

/// A schema with its name in the OpenAPI document. A cheap handle.
#[derive(Clone)]
pub(crate) struct Schema {
    pub(crate) name: String,
    /// JSON Schema 2020-12 with its definitions in `$defs`.
    pub(crate) schema: Arc<Value>,
    /// Compiled by the first check.
    validator: Arc<OnceLock<Result<Validator, String>>>,
}

/// Returns the schema of a type.
pub(crate) fn schema_of<T: JsonSchema>() -> Schema {
    let mut schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>().to_value();
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("$schema");
        // A definition in another schema has none, and is the same otherwise.
        schema.remove("title");
    }
    Schema::named(&T::schema_name(), schema)
}

impl Schema {
    /// Returns a schema that was not made from a type.
    pub(crate) fn named(name: &str, schema: Value) -> Schema {
        Schema { name: name.to_owned(), schema: Arc::new(schema), validator: Arc::default() }
    }

    /// Checks a value, and reports all of its problems.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Problem> {
        let compile =
            || jsonschema::draft202012::new(&self.schema).map_err(|error| error.to_string());
        let validator = self.validator.get_or_init(compile).as_ref().map_err(|error| {
            Problem::internal(&mitt_base::Error::bug(std::io::Error::other(error.clone())))
        })?;
        let mut errors = Vec::new();
        for error in validator.iter_errors(value) {
            report(&error, &mut errors);
            if errors.len() >= MOST_PROBLEMS {
                errors.truncate(MOST_PROBLEMS);
                break;
            }
        }
        refusal(errors)
    }
}

/// Returns one problem with all of these errors of a body; `Ok` if there are none.
pub(crate) fn refusal(errors: Vec<BodyProblem>) -> Result<(), Problem> {
    let detail = match errors.as_slice() {
        [] => return Ok(()),
        [one] if one.pointer.is_empty() => one.detail.clone(),
        [one] => format!("{}: {}", one.pointer, one.detail),
        several => format!("the body has {} problems", several.len()),
    };
    let mut problem = Problem::new(422, "invalid_body", detail);
    problem.errors = errors;
    Err(problem)
}

/// Adds the problems behind an error. If a value matches no subschema of `anyOf` or `oneOf`, the function adds the problems of
/// the subschema that matches best.
fn report(error: &ValidationError<'_>, problems: &mut Vec<BodyProblem>) {
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } =
        error.kind()
        && let Some(nearest) = nearest_form(error, context)
    {
        for error in nearest {
            report(error, problems);
        }
        return;
    }
    let pointer = error.instance_path().to_string();
    let mut add = |detail: &str| {
        let detail =
            mitt_base::text::one_line(mitt_base::text::cut_bytes(detail, MOST_DETAIL_BYTES));
        problems.push(BodyProblem { pointer: pointer.clone(), detail });
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            for name in unexpected {
                add(&format!("unknown field `{name}`"));
            }
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            add(&format!("the field `{name}` is missing"));
        }
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(one) => one.to_string(),
                TypeKind::Multiple(several) => {
                    several.iter().map(|it| it.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            add(&format!("expected {expected}, got {}", type_of(error.instance())));
        }
        ValidationErrorKind::Enum { options } => {
            add(&format!("expected one of {options}, got {}", shown(error.instance())));
        }
        ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
            add(&format!("{} has none of the allowed forms", type_of(error.instance())));
        }
        // A long value would hide what is wrong with it.
        _ => add(&error.masked_with("the value").to_string()),
    }
}

/// Returns the errors of the form that is nearest to the value: it has the fewest errors at the value itself, and then the
/// fewest in all. `None` if two are equally near.
fn nearest_form<'a>(
    error: &ValidationError<'_>,
    forms: &'a [Vec<ValidationError<'static>>],
) -> Option<&'a [ValidationError<'static>]> {
    let at = error.instance_path().as_str();
    let distance = |form: &[ValidationError<'static>]| {
        let count = |error: &ValidationError<'static>| match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => unexpected.len(),
            // A form of another type is the farthest: `null` is not nearer to an object than the object's own form.
            ValidationErrorKind::Type { .. } if error.instance_path().as_str() == at => {
                usize::MAX / 2
            }
            _ => 1,
        };
        let own = form
            .iter()
            .filter(|it| it.instance_path().as_str() == at)
            .map(count)
            .fold(0, usize::saturating_add);
        let all = form.iter().map(count).fold(0, usize::saturating_add);
        (own, all)
    };
    let mut forms: Vec<(usize, usize, &[ValidationError<'static>])> = forms
        .iter()
        .map(|form| {
            let (own, all) = distance(form);
            (own, all, form.as_slice())
        })
        .collect();
    forms.sort_by_key(|(own, all, _)| (*own, *all));
    match forms.as_slice() {
        [(own, all, _), (next_own, next_all, _), ..] if (own, all) == (next_own, next_all) => None,
        [(_, _, nearest), ..] => Some(nearest),
        [] => None,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.len() {
        ..=100 => text,
        _ => type_of(value).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::run::{CreateRun, Message};

    fn problems(schema: &Schema, value: &Value) -> Vec<(String, String)> {
        match schema.check(value) {
            Ok(()) => Vec::new(),
            Err(problem) => {
                assert_eq!((problem.status, problem.code.as_str()), (422, "invalid_body"));
                problem.errors.clone().into_iter().map(|it| (it.pointer, it.detail)).collect()
            }
        }
    }

    #[test]
    fn all_problems_of_a_body_are_reported_with_their_places() {
        let body = json!({
            "documents": [{ "file": 3 }, { "url": "https://a.example", "nme": "a" }],
            "titel": "Report",
            "options": { "plan": { "steps": 0 }, "tags": "yes", "words": { "a": 1, "b": 2 } },
            "metadata": { "a": 1 },
        });
        let mut found = problems(&schema_of::<CreateRun>(), &body);
        found.sort();
        let expected = [
            ("", "the field `instruction` is missing"),
            ("", "unknown field `titel`"),
            ("/documents/0/file", "expected string, got number"),
            ("/documents/1", "unknown field `nme`"),
            ("/metadata/a", "expected string, got number"),
            ("/options/plan/steps", "the value is less than the minimum of 1"),
            ("/options/tags", "expected boolean, got string"),
            ("/options/words", "unknown field `a`"),
            ("/options/words", "unknown field `b`"),
        ];
        let found: Vec<_> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn one_problem_is_the_detail_of_the_whole() {
        let schema = schema_of::<Message>();
        let problem = schema.check(&json!({ "instruction": 1 })).unwrap_err();
        assert_eq!(problem.detail, "/instruction: expected string, got number");
        let problem = schema.check(&json!([])).unwrap_err();
        assert_eq!(problem.detail, "expected object, got array");
        assert_eq!(schema.check(&json!({ "instruction": "go" })), Ok(()));
    }

    #[test]
    fn values_are_not_repeated_at_length() {
        let long = "x".repeat(2_000_000);
        let found = problems(&schema_of::<Message>(), &json!({ "instruction": long }));
        assert_eq!(found.len(), 1);
        assert!(found[0].1.len() <= MOST_DETAIL_BYTES, "{}", found[0].1.len());
        let named = json!({ "instruction": "go", long.as_str(): 1 });
        let found = problems(&schema_of::<Message>(), &named);
        assert!(found[0].1.len() <= MOST_DETAIL_BYTES, "{}", found[0].1.len());
    }

    #[test]
    fn the_number_of_problems_is_bounded() {
        let documents: Vec<Value> = (0..90).map(|_| json!({ "file": 1 })).collect();
        let body = json!({ "instruction": "go", "documents": documents });
        assert_eq!(problems(&schema_of::<Message>(), &body).len(), MOST_PROBLEMS);
    }

    #[test]
    fn forms_that_are_equally_far_are_named_together() {
        #[derive(Deserialize, JsonSchema)]
        #[serde(untagged)]
        #[expect(dead_code, reason = "only its schema is used")]
        enum Either {
            Number(u32),
            Flag(bool),
        }
        let found = problems(&schema_of::<Either>(), &json!("x"));
        assert_eq!(found, [(String::new(), "string has none of the allowed forms".to_owned())]);
    }

    #[test]
    fn a_schema_is_compiled_once() {
        let schema = schema_of::<Message>();
        let other = schema.clone();
        schema.check(&json!({ "instruction": "go" })).unwrap();
        assert!(other.validator.get().is_some(), "clones share the compiled schema");
    }
}
