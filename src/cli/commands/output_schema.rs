//! The schema that the answer of `mitt run` must follow, from its option.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::read_text;
use mitt_agent::{AnswerForm, Demand};
use mitt_base::{Error, ErrorKind, Result};

/// Name of the form for the model's service.
const NAME: &str = "output";

/// Reads the value of `--output-schema`: a file, `@FILE`, `-` or `@-` for standard input, or the schema itself.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it cannot be read, is no JSON object, or has keywords that are not applied; all places are named.
pub(crate) fn read(given: &str) -> Result<Demand> {
    const OPTION: &str = "--output-schema";
    let (place, text) = match given.strip_prefix('@') {
        None if given.trim_start().starts_with('{') => (OPTION, given.to_owned()),
        path => {
            let path = path.unwrap_or(given);
            let read = read_text(Path::new(path)).map_err(|error| {
                error.hint("or give the schema itself, such as `'{\"type\": \"object\"}'`")
            });
            (if path == "-" { "standard input" } else { path }, read?)
        }
    };
    let wrong = |problem: String| Error::new(ErrorKind::Input, format!("{place}: {problem}"));
    let schema: Value = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("expected a JSON Schema, got no JSON: {error}")))?;
    if !schema.is_object() {
        return Err(wrong("expected a JSON Schema, which is an object".to_owned()));
    }
    let form = AnswerForm::new(NAME, schema).map_err(|problems| {
        let several = wrong("the JSON Schema cannot be applied".to_owned());
        let several = problems.into_iter().fold(several, |error, problem| {
            let at = if problem.pointer.is_empty() { "the schema" } else { &problem.pointer };
            error.detail(format!("{at}: {}", problem.message))
        });
        several.hint("docs/service.md lists the keywords that are applied")
    })?;
    let mut demand = Demand::default();
    demand.form = Some(Arc::new(form));
    Ok(demand)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_given_as_a_file_or_as_itself() {
        let file = std::env::temp_dir().join(format!("mitt-schema-{}.json", std::process::id()));
        std::fs::write(&file, r#"{"type": "object", "properties": {"a": {"if": {}}}}"#).unwrap();
        let path = file.to_str().unwrap();
        for given in [path.to_owned(), format!("@{path}")] {
            let error = read(&given).unwrap_err();
            assert_eq!(error.message(), format!("{path}: the JSON Schema cannot be applied"));
            assert!(error.details()[0].starts_with("/properties/a/if: "), "{:?}", error.details());
        }
        std::fs::remove_file(file).unwrap();
        assert!(read(r#" {"type": "object"}"#).unwrap().form.is_some());
        for (given, expected) in [
            ("{", "--output-schema: expected a JSON Schema, got no JSON: "),
            ("no-such-schema.json", "cannot read no-such-schema.json"),
        ] {
            let error = read(given).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::Input);
            assert!(error.message().starts_with(expected), "{error}");
        }
    }
}
