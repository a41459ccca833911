//! Functions of the caller: tools that the model may call, and that the program around Mitt carries out.
//!
//! Knows no conversations: [`crate::pending`] waits for their results.

use serde_json::Value;

use crate::model::{ModelCall, ToolSpec};
use mitt_base::{Error, ErrorKind, Result, text};

/// Most functions of an agent. Services accept about as many tools in a request.
pub const MAX_FUNCTIONS: usize = 128;

/// Most bytes of the description and the parameters of a function. They are sent with each request.
pub const MAX_FUNCTION_BYTES: usize = 64 * 1024;

/// Most bytes of a name. Services accept no longer ones.
const MAX_NAME_BYTES: usize = 64;

/// Function that the model may call, and that the caller carries out:
/// [`AgentBuilder::functions`](crate::AgentBuilder::functions).
#[derive(Clone, Debug, PartialEq)]
pub struct CallerFunction {
    /// Name for the model: 1 to 64 letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, for the model. May be empty.
    pub description: String,
    /// JSON Schema of its arguments, an object. The model gets it unchanged, and nothing checks its arguments against it.
    pub parameters: Value,
}

impl CallerFunction {
    /// Creates a function.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
    ) -> CallerFunction {
        CallerFunction { name: name.into(), description: description.into(), parameters }
    }
}

/// Returns the functions as they are described to a model.
///
/// # Errors
///
/// [`ErrorKind::Input`] - there are too many, or one has a wrong name, the name of another one, wrong parameters or is too long.
pub(crate) fn specs(functions: Vec<CallerFunction>) -> Result<Vec<ToolSpec>> {
    let wrong = |message: String| Error::new(ErrorKind::Input, message);
    if functions.len() > MAX_FUNCTIONS {
        let count = functions.len();
        return Err(wrong(format!("functions: expected at most {MAX_FUNCTIONS}, got {count}")));
    }
    let mut specs: Vec<ToolSpec> = Vec::with_capacity(functions.len());
    for (index, function) in functions.into_iter().enumerate() {
        let CallerFunction { name, description, parameters } = function;
        let shown = text::one_line(text::cut_bytes(&name, MAX_NAME_BYTES)).to_string();
        if !is_name(&name) {
            return Err(wrong(format!(
                "functions[{index}].name: expected 1 to {MAX_NAME_BYTES} letters, digits, `_` and `-`, got `{shown}`"
            )));
        }
        if specs.iter().any(|spec| spec.name == name) {
            return Err(wrong(format!(
                "functions[{index}].name: expected a name of its own, got `{shown}` again"
            )));
        }
        if !parameters.is_object() {
            return Err(wrong(format!(
                "functions[{index}].parameters: expected a JSON object, got {}",
                kind_of(&parameters)
            )));
        }
        let bytes = description.len() + parameters.to_string().len();
        if bytes > MAX_FUNCTION_BYTES {
            return Err(wrong(format!(
                "functions[{index}]: expected at most {MAX_FUNCTION_BYTES} bytes of description and parameters, got {bytes}"
            )));
        }
        specs.push(ToolSpec { name, description, parameters, is_strict: false });
    }
    Ok(specs)
}

/// Calls that have no result yet.
pub(crate) struct UnansweredCalls {
    /// Calls that Mitt makes.
    pub(crate) own: Vec<ModelCall>,
    /// Calls of the caller's functions.
    pub(crate) pending: Vec<ModelCall>,
}

impl UnansweredCalls {
    /// Divides calls by who makes them.
    pub(crate) fn of(calls: Vec<ModelCall>, functions: &[ToolSpec]) -> UnansweredCalls {
        let is_pending =
            |call: &ModelCall| functions.iter().any(|function| function.name == call.name);
        let (pending, own) = calls.into_iter().partition(is_pending);
        UnansweredCalls { own, pending }
    }
}

fn is_name(name: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_sign)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn function(name: &str) -> CallerFunction {
        CallerFunction::new(name, "Does it.", json!({ "type": "object" }))
    }

    #[test]
    fn the_model_gets_the_schema_unchanged() {
        let parameters =
            json!({ "type": "object", "properties": { "z": {}, "a": { "$ref": "#/x" } }, "x": 1 });
        let longest = "a-B_9".repeat(13)[..64].to_owned();
        let given = vec![CallerFunction::new(&longest, "", parameters.clone()), function("b")];
        let made = specs(given).unwrap();
        let spec =
            ToolSpec { name: longest, description: String::new(), parameters, is_strict: false };
        assert_eq!((&made[0], made.len()), (&spec, 2));
    }

    #[test]
    fn wrong_functions_are_refused_with_their_place() {
        let refused = |functions: Vec<CallerFunction>| {
            let error = specs(functions).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::Input);
            error.to_string()
        };
        let expected = "expected 1 to 64 letters, digits, `_` and `-`, got";
        for name in ["", "a b", "größe", "a.b", &"x".repeat(65)] {
            let shown = text::cut_bytes(name, 64);
            let error = refused(vec![function("fine"), function(name)]);
            assert_eq!(error, format!("functions[1].name: {expected} `{shown}`"));
        }
        assert_eq!(
            refused(vec![function("a"), function("b"), function("a")]),
            "functions[2].name: expected a name of its own, got `a` again"
        );
        let mut other = function("a");
        other.parameters = json!([]);
        assert_eq!(
            refused(vec![other]),
            "functions[0].parameters: expected a JSON object, got an array"
        );
        let many = |count: usize| (0..count).map(|n| function(&format!("f{n}"))).collect();
        assert_eq!(refused(many(129)), "functions: expected at most 128, got 129");
        assert_eq!(specs(many(128)).unwrap().len(), 128);
        let schema = json!({}).to_string().len();
        let long = |bytes: usize| CallerFunction::new("a", "x".repeat(bytes - schema), json!({}));
        assert!(specs(vec![long(MAX_FUNCTION_BYTES)]).is_ok());
        assert_eq!(
            refused(vec![long(MAX_FUNCTION_BYTES + 1)]),
            "functions[0]: expected at most 65536 bytes of description and parameters, got 65537"
        );
    }
}
