//! The tools of a request: functions of the caller, and the code interpreter. What else OpenAI offers is refused, with what
//! to use instead.

use serde_json::{Value, json};

use super::error::Problems;
use crate::run::{FunctionTool, RequiredCall};

/// Most functions of a request.
const MOST_FUNCTIONS: usize = 128;
/// Longest name of a function in characters.
const MOST_NAME: usize = 64;
/// Most names of functions in a problem.
const SHOWN_NAMES: usize = 20;
/// The tool that runs scripts.
pub(super) const SCRIPTS: &str = "python__run";
/// Label of Mitt's tools, which clients see as tools of an MCP server.
pub(super) const LABEL: &str = "mitt";
/// Most files that a new container begins with.
const MOST_CONTAINER_FILES: usize = 50;

/// What a model may use.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tools {
    /// Functions of the caller.
    pub(super) functions: Vec<FunctionTool>,
    /// `true` if the model has none of Mitt's tools.
    pub(super) no_tools: bool,
    /// The container of the code interpreter, if the client wants it.
    pub(super) container: Option<Container>,
    /// The tools as the response repeats them.
    pub(super) echo: Vec<Value>,
    /// The choice as the response repeats it.
    pub(super) choice: Value,
    /// The call that the choice requires.
    pub(super) call: Option<RequiredCall>,
}

/// The container of the code interpreter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Container {
    /// A new one with these uploaded files, or the one of the previous response.
    Auto { file_ids: Vec<String> },
    /// This one.
    Id(String),
}

/// Where a function stands in a tool: OpenAI has two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `/v1/responses`: beside the type.
    Flat,
    /// `/v1/chat/completions`: in `function`.
    Nested,
}

/// Reads `tools` and `tool_choice`.
pub(super) fn read(
    tools: &[Value],
    choice: Option<&Value>,
    form: Form,
    problems: &mut Problems,
) -> Tools {
    let mut read = Tools { choice: json!("auto"), ..Tools::default() };
    for (index, tool) in tools.iter().enumerate() {
        let place = format!("/tools/{index}");
        match tool["type"].as_str() {
            Some("function") => read_function(tool, form, &place, &mut read, problems),
            Some("code_interpreter") if form == Form::Flat => {
                let container = read_container(&tool["container"], &place, problems);
                if read.container.is_some() {
                    problems.add(&place, "expected one `code_interpreter`, got several");
                }
                read.container = container;
                read.echo.push(tool.clone());
            }
            Some(kind) => problems.add(format!("{place}/type"), refusal(kind)),
            None => problems
                .add(format!("{place}/type"), "expected the type of a tool, such as `function`"),
        }
    }
    if read.functions.len() > MOST_FUNCTIONS {
        let got = read.functions.len();
        problems.add("/tools", format!("expected at most {MOST_FUNCTIONS} functions, got {got}"));
    }
    if let Some(choice) = choice.filter(|it| !it.is_null()) {
        choose(choice, form, &mut read, problems);
    }
    read
}

fn read_function(tool: &Value, form: Form, place: &str, read: &mut Tools, problems: &mut Problems) {
    let (function, place) = match form {
        Form::Flat => (tool, place.to_owned()),
        Form::Nested => (&tool["function"], format!("{place}/function")),
    };
    let name = function["name"].as_str().unwrap_or_default();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    if name.is_empty() || name.len() > MOST_NAME || !name.chars().all(is_plain) {
        let detail = format!("expected 1 to {MOST_NAME} of the characters A-Z a-z 0-9 _ -");
        problems.add(format!("{place}/name"), detail);
    } else if read.functions.iter().any(|it| it.name == name) {
        problems.add(format!("{place}/name"), format!("there are two functions `{name}`"));
    }
    let parameters = match &function["parameters"] {
        Value::Null => json!({"type": "object", "properties": {}}),
        parameters if parameters.is_object() => parameters.clone(),
        _ => {
            problems.add(format!("{place}/parameters"), "expected a JSON Schema of an object");
            Value::Null
        }
    };
    let description = function["description"].as_str().unwrap_or_default().to_owned();
    read.echo.push(json!({
        "type": "function",
        "name": name,
        "description": function["description"],
        "parameters": function["parameters"],
        "strict": function["strict"],
    }));
    read.functions.push(FunctionTool { name: name.to_owned(), description, parameters });
}

fn read_container(container: &Value, place: &str, problems: &mut Problems) -> Option<Container> {
    let place = format!("{place}/container");
    match container {
        Value::String(id) => Some(Container::Id(id.clone())),
        Value::Object(auto) if auto.get("type").and_then(Value::as_str) == Some("auto") => {
            let ids = auto.get("file_ids").and_then(Value::as_array);
            let file_ids: Vec<String> =
                ids.into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect();
            if file_ids.len() > MOST_CONTAINER_FILES {
                let detail = format!("expected at most {MOST_CONTAINER_FILES} files");
                problems.add(format!("{place}/file_ids"), detail);
            }
            // Scripts have no network, so `disabled` is what they get anyway.
            if auto.get("network_policy").is_some_and(|it| it["type"] == "allowlist") {
                let detail =
                    "scripts have no network; send addresses as `input_file` with `file_url`";
                problems.add(format!("{place}/network_policy"), detail);
            }
            Some(Container::Auto { file_ids })
        }
        _ => {
            problems.add(place, "expected the identifier of a container, or {\"type\": \"auto\"}");
            None
        }
    }
}

fn choose(choice: &Value, form: Form, read: &mut Tools, problems: &mut Problems) {
    let kind = choice.as_str().or_else(|| choice["type"].as_str()).unwrap_or_default();
    match (kind, choice.is_object()) {
        ("auto", false) => return,
        ("none", false) => {
            read.functions.clear();
            read.no_tools = true;
        }
        ("required", false) => read.call = Some(RequiredCall::OneOf(listed(read))),
        ("function", true) => choose_function(choice, form, read, problems),
        ("allowed_tools", true) => allow(choice, read, problems),
        ("code_interpreter", true) if read.container.is_some() => {
            read.call = Some(RequiredCall::Tool(SCRIPTS.to_owned()));
        }
        ("code_interpreter", true) => {
            problems.add("/tool_choice/type", "`code_interpreter` is not among the tools");
        }
        ("mcp", true) if choice["server_label"] == LABEL => match choice["name"].as_str() {
            Some(name) if !name.is_empty() => {
                read.call = Some(RequiredCall::Tool(name.to_owned()));
            }
            _ => problems.add("/tool_choice/name", "expected the name of a tool, such as `python__run`"),
        },
        ("mcp", true) => {
            problems.add("/tool_choice/server_label", format!("expected `{LABEL}`, whose tools the model has"));
        }
        _ => problems.add(
            "/tool_choice",
            "expected `auto`, `none`, `required`, a function, `code_interpreter`, a tool of `mcp` or `allowed_tools`",
        ),
    }
    read.choice = choice.clone();
}

/// Returns the names of the tools that the client listed.
fn listed(read: &Tools) -> Vec<String> {
    let scripts = read.container.as_ref().map(|_| SCRIPTS.to_owned());
    read.functions.iter().map(|it| it.name.clone()).chain(scripts).collect()
}

fn choose_function(choice: &Value, form: Form, read: &mut Tools, problems: &mut Problems) {
    let (place, name) = match form {
        Form::Flat => ("/tool_choice/name", &choice["name"]),
        Form::Nested => ("/tool_choice/function/name", &choice["function"]["name"]),
    };
    let Some(name) = name.as_str() else {
        problems.add(place, "expected the name of a function");
        return;
    };
    if read.functions.iter().any(|it| it.name == name) {
        read.call = Some(RequiredCall::Tool(name.to_owned()))
    } else {
        problems.add(place, no_function(name, read))
    }
}

/// Returns the problem that no function has a name, with the names of all functions.
fn no_function(name: &str, read: &Tools) -> String {
    let names: Vec<&str> = read.functions.iter().map(|it| it.name.as_str()).collect();
    let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(name, MOST_NAME));
    let nearest = mitt_base::text::nearest(name, names.iter().copied());
    let near = nearest.first().map_or(String::new(), |it| format!("did you mean `{it}`? "));
    let there_are = match names.len() {
        0 => "`tools` has no function".to_owned(),
        count => {
            let first: Vec<_> =
                names.iter().take(SHOWN_NAMES).map(|it| format!("`{it}`")).collect();
            let more = if count > SHOWN_NAMES { ", …" } else { "" };
            format!("`tools` has {}{more}", first.join(", "))
        }
    };
    format!("there is no function `{shown}`; {near}{there_are}")
}

/// Leaves only the functions that the model may call.
fn allow(choice: &Value, read: &mut Tools, problems: &mut Problems) {
    // The two interfaces nest it differently.
    let allowed = choice.get("allowed_tools").unwrap_or(choice);
    let is_required = allowed["mode"] == "required";
    if !is_required && allowed["mode"] != "auto" {
        problems.add("/tool_choice/mode", "expected `auto` or `required`");
        return;
    }
    let names: Vec<&str> = allowed["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it["name"].as_str().or_else(|| it["function"]["name"].as_str()))
        .collect();
    if let Some(unknown) =
        names.iter().find(|name| read.functions.iter().all(|it| it.name != **name))
    {
        problems.add("/tool_choice/tools", no_function(unknown, read));
    }
    read.functions.retain(|it| names.contains(&it.name.as_str()));
    if is_required && read.functions.is_empty() {
        problems.add("/tool_choice/tools", "expected a function that can be called");
    } else if is_required {
        let names = read.functions.iter().map(|it| it.name.clone()).collect();
        read.call = Some(RequiredCall::OneOf(names));
    }
}

/// Returns why a tool of OpenAI is refused, and what to use instead.
fn refusal(kind: &str) -> String {
    let instead = match kind {
        "file_search" => {
            "send the files as `input_file`; the run reads and searches its documents itself"
        }
        kind if kind.starts_with("web_search") => {
            "send addresses as `input_file` with `file_url`, or offer a function that searches"
        }
        "mcp" => {
            "the operator adds tools as skills; offer others as functions, and call the server yourself"
        }
        "image_generation" => "the run draws charts and writes documents with its own tools",
        "local_shell" | "shell" => "use `code_interpreter`, or offer a function that runs commands",
        "custom" => "offer a `function` with one string parameter",
        "apply_patch" => "offer a function that applies patches",
        "namespace" | "tool_search" | "programmatic_tool_calling" => {
            "send the functions in `tools`; the run calls them from scripts where that helps"
        }
        kind if kind.starts_with("computer") => {
            "offer functions for what shall be clicked and typed"
        }
        "code_interpreter" => "use `/v1/responses`; in chat, scripts run without it",
        _ => "expected `function` or `code_interpreter`",
    };
    format!("the tool `{}` does not exist here; {instead}", mitt_base::text::cut_bytes(kind, 50))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    fn flat(tools: Value, choice: Value) -> Result<Tools, Problem> {
        let mut problems = Problems::default();
        let read = read(tools.as_array().unwrap(), Some(&choice), Form::Flat, &mut problems);
        problems.result().map(|()| read)
    }

    fn weather() -> Value {
        json!({"type": "function", "name": "weather", "parameters": {"type": "object"}})
    }

    #[test]
    fn functions_of_both_interfaces() {
        let read_flat = flat(json!([weather()]), Value::Null).unwrap();
        assert_eq!(read_flat.functions[0].name, "weather");
        assert_eq!(read_flat.echo[0]["strict"], Value::Null);
        let nested =
            json!([{"type": "function", "function": {"name": "weather", "description": "d"}}]);
        let mut problems = Problems::default();
        let read = read(nested.as_array().unwrap(), None, Form::Nested, &mut problems);
        problems.result().unwrap();
        assert_eq!(read.functions[0].description, "d");
        assert_eq!(read.functions[0].parameters["type"], "object");
    }

    #[test]
    fn containers() {
        let container = |container: Value| {
            flat(json!([{"type": "code_interpreter", "container": container}]), Value::Null)
        };
        assert_eq!(
            container(json!("cntr_a")).unwrap().container,
            Some(Container::Id("cntr_a".into()))
        );
        let auto = json!({"type": "auto", "file_ids": ["file-a"], "memory_limit": "1g"});
        let file_ids = vec!["file-a".to_owned()];
        assert_eq!(container(auto).unwrap().container, Some(Container::Auto { file_ids }));
        let problem = container(json!({"type": "auto", "network_policy": {"type": "allowlist"}}));
        assert!(problem.unwrap_err().detail.contains("no network"));
        assert!(container(Value::Null).is_err());
        let many: Vec<String> = (0..51).map(|it| it.to_string()).collect();
        assert!(container(json!({"type": "auto", "file_ids": many})).is_err());
    }

    #[test]
    fn choices() {
        assert_eq!(flat(json!([weather()]), json!("auto")).unwrap().functions.len(), 1);
        let none = flat(json!([weather()]), json!("none")).unwrap();
        assert!(none.no_tools && none.functions.is_empty() && none.echo.len() == 1);
        let allowed =
            |names: Value| json!({"type": "allowed_tools", "mode": "auto", "tools": names});
        let other = json!({"type": "function", "name": "other"});
        let tools = json!([weather(), other]);
        let read = flat(tools.clone(), allowed(json!([{"type": "function", "name": "other"}])));
        assert_eq!(read.unwrap().functions[0].name, "other");
        for (refused, place) in [
            (json!("any"), "/tool_choice"),
            (json!({"type": "function"}), "/tool_choice/name"),
            (json!({"type": "code_interpreter"}), "/tool_choice/type"),
            (
                json!({"type": "allowed_tools", "mode": "required", "tools": []}),
                "/tool_choice/tools",
            ),
            (json!({"type": "allowed_tools", "mode": "some", "tools": []}), "/tool_choice/mode"),
            (allowed(json!([{"type": "function", "name": "missing"}])), "/tool_choice/tools"),
            (json!({"type": "mcp", "server_label": "other"}), "/tool_choice/server_label"),
            (json!({"type": "mcp", "server_label": "mitt"}), "/tool_choice/name"),
        ] {
            let problem = flat(tools.clone(), refused.clone()).unwrap_err();
            assert_eq!(problem.errors[0].pointer, place, "{refused}");
        }
    }

    #[test]
    fn required_calls() {
        let interpreter = json!({"type": "code_interpreter", "container": {"type": "auto"}});
        let tools = json!([weather(), {"type": "function", "name": "other"}, interpreter]);
        let one_of = |names: &[&str]| {
            Some(RequiredCall::OneOf(names.iter().map(|it| (*it).to_owned()).collect()))
        };
        let tool = |name: &str| Some(RequiredCall::Tool(name.to_owned()));
        let only = json!([{"type": "function", "name": "other"}]);
        for (choice, expected) in [
            (Value::Null, None),
            (json!("auto"), None),
            (json!("none"), None),
            (json!("required"), one_of(&["weather", "other", "python__run"])),
            (json!({"type": "function", "name": "other"}), tool("other")),
            (json!({"type": "code_interpreter"}), tool("python__run")),
            (json!({"type": "mcp", "server_label": "mitt", "name": "x__y"}), tool("x__y")),
            (
                json!({"type": "allowed_tools", "mode": "required", "tools": only}),
                one_of(&["other"]),
            ),
        ] {
            let read = flat(tools.clone(), choice.clone()).unwrap();
            let echo = if choice.is_null() { json!("auto") } else { choice };
            assert_eq!((read.call, read.choice), (expected, echo));
        }
        assert_eq!(flat(json!([]), json!("required")).unwrap().call, one_of(&[]));
        // The other interface nests the name.
        let mut problems = Problems::default();
        let tools = [json!({"type": "function", "function": {"name": "weather"}})];
        let choice = json!({"type": "function", "function": {"name": "weather"}});
        let nested = read(&tools, Some(&choice), Form::Nested, &mut problems);
        assert_eq!(nested.call, tool("weather"));
        let choice = json!({"type": "function", "name": "weather"});
        read(&tools, Some(&choice), Form::Nested, &mut problems);
        let problem = problems.result().unwrap_err();
        assert_eq!(problem.errors[0].pointer, "/tool_choice/function/name");
    }

    #[test]
    fn a_function_that_is_not_offered_is_named_with_those_that_are() {
        let choice = json!({"type": "function", "name": "wether"});
        let refused = |tools: Value| flat(tools, choice.clone()).unwrap_err().errors[0].clone();
        let problem = refused(json!([weather(), {"type": "function", "name": "save"}]));
        assert_eq!(problem.pointer, "/tool_choice/name");
        assert_eq!(
            problem.detail,
            "there is no function `wether`; did you mean `weather`? `tools` has `weather`, `save`"
        );
        let problem = refused(json!([]));
        assert_eq!(problem.detail, "there is no function `wether`; `tools` has no function");
        let many = (0..21).map(|it| json!({"type": "function", "name": format!("f{it}")}));
        let detail = refused(many.collect()).detail;
        assert!(detail.ends_with("`f19`, …") && !detail.contains("f20"), "{detail}");
    }

    #[test]
    fn what_is_refused_names_what_to_use_instead() {
        for (kind, instead) in [
            ("file_search", "input_file"),
            ("web_search", "file_url"),
            ("web_search_preview", "file_url"),
            ("mcp", "skills"),
            ("image_generation", "charts"),
            ("local_shell", "code_interpreter"),
            ("custom", "function"),
            ("computer_use_preview", "functions"),
            ("unheard_of", "expected"),
        ] {
            let problem = flat(json!([{"type": kind}]), Value::Null).unwrap_err();
            assert_eq!(problem.errors[0].pointer, "/tools/0/type");
            assert!(problem.detail.contains(instead), "{}", problem.detail);
        }
    }

    #[test]
    fn names_and_numbers_have_bounds() {
        for name in ["", "a b", &*"a".repeat(65)] {
            let tools = json!([{"type": "function", "name": name}]);
            assert!(flat(tools, Value::Null).is_err(), "{name}");
        }
        assert!(flat(json!([weather(), weather()]), Value::Null).is_err());
        let many = |count: usize| {
            (0..count)
                .map(|it| json!({"type": "function", "name": format!("f{it}")}))
                .collect::<Value>()
        };
        assert_eq!(flat(many(128), Value::Null).unwrap().functions.len(), 128);
        assert!(flat(many(129), Value::Null).is_err());
    }
}
