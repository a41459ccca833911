//! Names of the caller's tools as names of Python functions. The client's models know the rules.

use serde_json::Value;

use super::wire::Tool;
use crate::code::{CallerTool, CallerTools};
use crate::problem::Problem;

/// Most tools of a script.
const MOST_TOOLS: usize = 200;

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Returns the functions of a script for the tools of its caller.
///
/// # Errors
///
/// 422 `invalid_tools` - there are none or too many, two have the same function, or a name has no function.
pub(super) fn functions(tools: Vec<Tool>, seed: u64) -> Result<CallerTools, Problem> {
    let wrong = |detail: String| Problem::new(422, "invalid_tools", detail);
    if tools.is_empty() || tools.len() > MOST_TOOLS {
        return Err(wrong(format!("tools: expected 1 to {MOST_TOOLS} tools, got {}", tools.len())));
    }
    let mut functions: Vec<CallerTool> = Vec::new();
    for tool in tools {
        let function = function(&tool.name);
        let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(&tool.name, 80));
        if function.is_empty() {
            return Err(wrong(format!(
                "tools: `{shown}` has no letters for the name of a function"
            )));
        }
        if let Some(other) = functions.iter().find(|it| it.function == function) {
            let (name, other) = (&shown, &other.name);
            return Err(wrong(format!(
                "tools: `{name}` and `{other}` are both the function `{function}`"
            )));
        }
        let (parameters, required) = parameters(tool.parameters.as_ref());
        functions.push(CallerTool {
            name: tool.name,
            function,
            parameters,
            required,
            description: tool.description.unwrap_or_default(),
        });
    }
    Ok(CallerTools { tools: functions, seed })
}

/// Returns names of parameters, required ones first, and those that are required.
fn parameters(schema: Option<&Value>) -> (Option<Vec<String>>, Vec<String>) {
    let Some(properties) = schema.and_then(|it| it.get("properties")).and_then(Value::as_object)
    else {
        return (None, Vec::new());
    };
    let listed = schema.and_then(|it| it.get("required")).and_then(Value::as_array);
    let listed = listed.into_iter().flatten().filter_map(Value::as_str);
    let required: Vec<String> =
        listed.filter(|it| properties.contains_key(*it)).map(str::to_owned).collect();
    let optional = properties.keys().filter(|it| !required.contains(it)).cloned();
    let is_open =
        schema.and_then(|it| it.get("additionalProperties")).is_some_and(|it| *it != false);
    let all = required.iter().cloned().chain(optional).collect();
    (if is_open { None } else { Some(all) }, required)
}

fn function(name: &str) -> String {
    let mut function: String = name
        .chars()
        .map(|it| if it == '-' || it.is_whitespace() { '_' } else { it })
        .filter(|it| it.is_ascii_alphanumeric() || *it == '_')
        .collect();
    if function.starts_with(|it: char| it.is_ascii_digit()) {
        function.insert(0, '_');
    }
    if KEYWORDS.contains(&function.as_str()) {
        function.push_str("_tool");
    }
    function
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str) -> Tool {
        Tool { name: name.to_owned(), description: None, parameters: None }
    }

    #[test]
    fn names_become_functions_as_the_client_expects() {
        for (name, expected) in [
            ("get-weather", "get_weather"),
            ("my tool", "my_tool"),
            ("2fast", "_2fast"),
            ("import", "import_tool"),
            ("a.b/c", "abc"),
        ] {
            assert_eq!(function(name), expected);
        }
    }

    #[test]
    fn tools_are_bounded_and_unambiguous() {
        let code = |tools: Vec<Tool>| functions(tools, 1).unwrap_err().code.clone();
        assert_eq!(code(vec![]), "invalid_tools");
        assert_eq!(
            code((0..=MOST_TOOLS).map(|it| tool(&format!("t{it}"))).collect()),
            "invalid_tools"
        );
        assert_eq!(code(vec![tool("a-b"), tool("a_b")]), "invalid_tools");
        assert_eq!(code(vec![tool("天气")]), "invalid_tools");
    }

    #[test]
    fn required_parameters_come_first() {
        let schema = json!({ "properties": { "a": {}, "b": {} }, "required": ["b"] });
        let (all, required) = parameters(Some(&schema));
        assert_eq!(
            (all.unwrap(), required),
            (vec!["b".to_owned(), "a".to_owned()], vec!["b".to_owned()])
        );
        assert_eq!(parameters(None).0, None);
        let open = json!({ "properties": { "a": {} }, "additionalProperties": true });
        assert_eq!(parameters(Some(&open)).0, None);
    }
}
