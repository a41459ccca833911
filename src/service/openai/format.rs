//! The form of the answer: `text.format` of responses, `response_format` of chat completions.

use serde_json::{Map, Value, json};

use super::error::Problems;
use super::tools::Form;
use crate::run::OutputForm;
use mitt_agent::AnswerForm;

/// Longest name of a schema in characters.
const MOST_NAME: usize = 64;

/// Reads the form of the answer; `None` for free text.
pub(super) fn read(
    format: &Value,
    (form, place): (Form, &str),
    problems: &mut Problems,
) -> Option<OutputForm> {
    let kind = match &format["type"] {
        Value::Null if format.is_null() => return None,
        kind => kind.as_str().unwrap_or_default(),
    };
    match kind {
        "text" => None,
        "json_object" => Some(OutputForm { name: "answer".to_owned(), schema: None }),
        "json_schema" => match form {
            Form::Flat => schema(format, place, problems),
            Form::Nested => {
                schema(&format["json_schema"], &format!("{place}/json_schema"), problems)
            }
        },
        _ => {
            let detail = "expected the type `text`, `json_object` or `json_schema`";
            problems.add(format!("{place}/type"), detail);
            None
        }
    }
}

fn schema(format: &Value, place: &str, problems: &mut Problems) -> Option<OutputForm> {
    let name = format["name"].as_str().unwrap_or_default();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    if name.is_empty() || name.len() > MOST_NAME || !name.chars().all(is_plain) {
        let detail = format!("expected 1 to {MOST_NAME} of the characters A-Z a-z 0-9 _ -");
        problems.add(format!("{place}/name"), detail);
    }
    let place = format!("{place}/schema");
    let Value::Object(schema) = &format["schema"] else {
        problems.add(place, "expected a JSON Schema");
        return None;
    };
    if let Err(wrong) = AnswerForm::new(name, Value::Object(schema.clone())) {
        for problem in wrong {
            problems.add(format!("{place}{}", problem.pointer), problem.message);
        }
    }
    let mut schema = schema.clone();
    if let Some(description) = format["description"].as_str()
        && !description.is_empty()
    {
        schema.entry("description").or_insert_with(|| json!(description));
    }
    Some(OutputForm { name: name.to_owned(), schema: Some(Value::Object(schema)) })
}

/// Returns whether a response that repeats this of its request has an answer in a form.
pub(super) fn is_demanded(echo: &Map<String, Value>) -> bool {
    let format = echo.get("text").map(|text| &text["format"]["type"]);
    format.is_some_and(|kind| kind == "json_schema" || kind == "json_object")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    fn flat(format: Value) -> Result<Option<OutputForm>, Problem> {
        let mut problems = Problems::default();
        let form = read(&format, (Form::Flat, "/text/format"), &mut problems);
        problems.result().map(|()| form)
    }

    #[test]
    fn forms_of_both_interfaces() {
        for free in [Value::Null, json!({"type": "text"})] {
            assert_eq!(flat(free).unwrap(), None);
        }
        let schema = json!({"type": "object"});
        let form =
            |schema: Option<Value>, name: &str| Some(OutputForm { name: name.to_owned(), schema });
        assert_eq!(flat(json!({"type": "json_object"})).unwrap(), form(None, "answer"));
        let given = json!({"type": "json_schema", "name": "sum", "schema": schema, "strict": true});
        assert_eq!(flat(given).unwrap(), form(Some(schema.clone()), "sum"));
        let given =
            json!({"type": "json_schema", "name": "sum", "schema": schema, "description": "d"});
        let described = json!({"type": "object", "description": "d"});
        assert_eq!(flat(given).unwrap(), form(Some(described), "sum"));
        let mut problems = Problems::default();
        let nested =
            json!({"type": "json_schema", "json_schema": {"name": "sum", "schema": schema}});
        let read = read(&nested, (Form::Nested, "/response_format"), &mut problems);
        problems.result().unwrap();
        assert_eq!(read, form(Some(schema), "sum"));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let given = |name: &str, schema: Value| json!({"type": "json_schema", "name": name, "schema": schema});
        for (format, place) in [
            (json!({}), "/text/format/type"),
            (json!({"type": "grammar"}), "/text/format/type"),
            (given("", json!({})), "/text/format/name"),
            (given("a b", json!({})), "/text/format/name"),
            (given(&"a".repeat(65), json!({})), "/text/format/name"),
            (given("a", Value::Null), "/text/format/schema"),
            (
                given("a", json!({"properties": {"x": {"if": {}}}})),
                "/text/format/schema/properties/x/if",
            ),
            (given("a", json!({"description": "x".repeat(70_000)})), "/text/format/schema"),
        ] {
            assert_eq!(flat(format.clone()).unwrap_err().errors[0].pointer, place, "{format}");
        }
        let mut problems = Problems::default();
        let nested =
            json!({"type": "json_schema", "json_schema": {"name": "a", "schema": {"not": 1}}});
        read(&nested, (Form::Nested, "/response_format"), &mut problems);
        let problem = problems.result().unwrap_err();
        assert_eq!(problem.errors[0].pointer, "/response_format/json_schema/schema/not");
    }
}
