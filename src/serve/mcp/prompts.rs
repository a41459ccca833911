//! Skills as prompts, which clients show as slash commands.
//!
//! `user-invocable: false` in the front matter makes a skill no prompt. `arguments` there lists the arguments: names, or
//! maps with `name`, `description`, `required` and `enum`; the default is one argument, `request`. In the instructions,
//! `$ARGUMENTS` stands for all of them, and `$0` (the first), `$ARGUMENTS[0]` and `$name` for one.

use rmcp::ErrorData;
use rmcp::model::{
    ContentBlock, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

use super::skills::OfferedSkill;
use mitt::offer::{ToolMode, called};
use mitt::skill::{GivenArguments, Registry, Tool, fill_arguments};
use mitt_base::text;

/// Name of the only argument of a skill that lists none.
const REQUEST: &str = "request";
/// Most arguments of a prompt.
const MAX_ARGUMENTS: usize = 16;

/// A prompt and its text.
pub(super) struct OfferedPrompt {
    pub(super) prompt: Prompt,
    pub(super) arguments: Vec<Argument>,
    body: String,
    /// How to call the tools of the skill; empty if it has none.
    tools: String,
}

/// An argument of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) name: String,
    description: Option<String>,
    required: bool,
    /// The allowed values; empty if every value is.
    pub(super) values: Vec<String>,
}

impl OfferedPrompt {
    /// Makes the prompt of a skill. `None` if people do not call the skill, such as one that reads files for the host.
    pub(super) fn new(
        registry: &Registry,
        skill: &OfferedSkill,
        tools: &[Tool],
        mode: ToolMode,
    ) -> Option<OfferedPrompt> {
        let manifest = skill.skill.manifest();
        let is_offered =
            skill.front.get("user-invocable").is_none_or(|it| *it != Value::Bool(false));
        if manifest.reader().is_some() || !is_offered {
            return None;
        }
        let arguments = arguments(&skill.front);
        let described = arguments.iter().map(|argument| {
            let mut described =
                PromptArgument::new(&argument.name).with_required(argument.required);
            if let Some(description) = &argument.description {
                described = described.with_description(description);
            }
            described
        });
        let described = described.collect();
        let description = &skill.entry.frontmatter.description;
        let prompt = Prompt::new(skill.name(), Some(description), Some(described))
            .with_title(skill.name().replace('-', " "));
        let is_own =
            |tool: &&Tool| tool.skill().is_some_and(|skill| skill.manifest().name == manifest.name);
        let tools = tools.iter().filter(is_own);
        let tools: Vec<&str> = tools.map(|tool| tool.name.as_str()).collect();
        let tools = called(registry, &tools, mode);
        Some(OfferedPrompt { prompt, arguments, body: skill.body.clone(), tools })
    }

    /// Returns the instructions.
    pub(super) fn body(&self) -> &str {
        &self.body
    }

    /// Returns the message to the model for these arguments.
    ///
    /// # Errors
    ///
    /// All problems of the arguments.
    pub(super) fn said(&self, given: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
        let values = self.values(given)?;
        let names: Vec<&str> = self.arguments.iter().map(|it| it.name.as_str()).collect();
        let given = values.iter().filter(|value| !value.is_empty());
        let all = given.cloned().collect::<Vec<_>>().join(" ");
        let given = GivenArguments { names: &names, values: &values, all: &all };
        let filled = fill_arguments(&self.body, given)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let mut text = filled.text;
        if !self.tools.is_empty() {
            text.push_str(&format!("\n\n{}", self.tools));
        }
        // Arguments that the instructions do not use are appended.
        let rest: Vec<String> = self
            .arguments
            .iter()
            .zip(&values)
            .enumerate()
            .filter(|(index, (_, value))| {
                !value.is_empty() && !filled.has_all && !filled.placed.contains(index)
            })
            .map(|(_, (argument, value))| {
                if argument.name == REQUEST {
                    value.clone()
                } else {
                    format!("{}: {value}", argument.name)
                }
            })
            .collect();
        if !rest.is_empty() {
            text.push_str("\n\n---\n\n");
            text.push_str(&rest.join("\n"));
        }
        let message = PromptMessage::new(Role::User, ContentBlock::text(text));
        let result = GetPromptResult::new(vec![message]);
        Ok(match &self.prompt.description {
            Some(description) => result.with_description(description.clone()),
            None => result,
        })
    }

    /// Returns the values in order; empty for those that are missing.
    fn values(&self, given: Option<&JsonObject>) -> Result<Vec<String>, ErrorData> {
        let mut problems = Vec::new();
        let names = || self.arguments.iter().map(|argument| argument.name.as_str());
        for key in given.into_iter().flat_map(JsonObject::keys) {
            if !names().any(|name| name == key) {
                problems.push(match text::nearest(key, names()).first() {
                    Some(nearest) => format!("unknown argument `{key}`; did you mean `{nearest}`?"),
                    None => format!("unknown argument `{key}`"),
                });
            }
        }
        let mut values = Vec::new();
        for argument in &self.arguments {
            let name = &argument.name;
            let value = match given.and_then(|given| given.get(name)) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(value)) => value.clone(),
                Some(other) => {
                    problems.push(format!("`{name}`: expected a text, got {other}"));
                    String::new()
                }
            };
            if argument.required && value.is_empty() {
                problems.push(format!("`{name}` is missing"));
            } else if !value.is_empty()
                && !argument.values.is_empty()
                && !argument.values.contains(&value)
            {
                problems.push(format!("`{name}`: expected one of {}", argument.values.join(", ")));
            }
            values.push(value);
        }
        if problems.is_empty() {
            Ok(values)
        } else {
            Err(ErrorData::invalid_params(problems.join("; "), None))
        }
    }
}

fn arguments(front: &JsonObject) -> Vec<Argument> {
    let hint = front.get("argument-hint").and_then(Value::as_str).map(str::to_owned);
    let named: Vec<Argument> = match front.get("arguments") {
        Some(Value::Array(items)) => {
            items.iter().filter_map(argument).take(MAX_ARGUMENTS).collect()
        }
        // Claude Code's form: names separated by blanks.
        Some(Value::String(names)) => names
            .split_whitespace()
            .filter_map(|name| argument(&Value::from(name)))
            .take(MAX_ARGUMENTS)
            .collect(),
        _ => Vec::new(),
    };
    if !named.is_empty() {
        return named;
    }
    let description = hint.unwrap_or_else(|| "What is to be done".to_owned());
    vec![Argument {
        name: REQUEST.to_owned(),
        description: Some(description),
        required: false,
        values: Vec::new(),
    }]
}

fn argument(item: &Value) -> Option<Argument> {
    let (name, map) = match item {
        Value::String(name) => (name.as_str(), None),
        Value::Object(map) => (map.get("name")?.as_str()?, Some(map)),
        _ => return None,
    };
    let is_name = !name.is_empty()
        && name.len() <= 64
        && name.chars().all(|it| it.is_ascii_alphanumeric() || "_-".contains(it));
    if !is_name {
        return None;
    }
    let said = |key: &str| map.and_then(|map| map.get(key));
    let values = match said("enum") {
        Some(Value::Array(values)) => {
            values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    Some(Argument {
        name: name.to_owned(),
        description: said("description").and_then(Value::as_str).map(str::to_owned),
        required: said("required").and_then(Value::as_bool).unwrap_or(false),
        values,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn front(yaml: &str) -> JsonObject {
        serde_saphyr::from_str(yaml).unwrap()
    }

    fn offered(yaml: &str, body: &str) -> OfferedPrompt {
        let arguments = arguments(&front(yaml));
        OfferedPrompt {
            prompt: Prompt::new("p", None::<String>, None),
            arguments,
            body: body.into(),
            tools: String::new(),
        }
    }

    fn said(prompt: &OfferedPrompt, given: &str) -> Result<String, String> {
        let given: JsonObject = serde_json::from_str(given).unwrap();
        let said = prompt.said(Some(&given)).map_err(|error| error.message.into_owned())?;
        Ok(said.messages[0].content.as_text().unwrap().text.clone())
    }

    #[test]
    fn a_request_stands_below_the_instructions() {
        let prompt = offered("name: p", "Do it.");
        assert_eq!(
            said(&prompt, r#"{"request": "for 2025"}"#).unwrap(),
            "Do it.\n\n---\n\nfor 2025"
        );
        assert_eq!(said(&prompt, "{}").unwrap(), "Do it.");
        assert_eq!(
            said(&prompt, r#"{"requst": "x", "request": 1}"#).unwrap_err(),
            "unknown argument `requst`; did you mean `request`?; `request`: expected a text, got 1"
        );
    }

    #[test]
    fn arguments_are_put_in_their_places_once() {
        let yaml = "arguments: [{name: year, required: true}, {name: kind, enum: [pdf, xlsx]}]";
        let prompt = offered(yaml, "A $kind of $year ($0, $1, $ARGUMENTS), costs $5 and $other.");
        assert_eq!(
            said(&prompt, r#"{"year": "$kind", "kind": "pdf"}"#).unwrap(),
            "A pdf of $kind ($kind, pdf, $kind pdf), costs $5 and $other."
        );
        assert_eq!(
            said(&prompt, r#"{"kind": "doc"}"#).unwrap_err(),
            "`year` is missing; `kind`: expected one of pdf, xlsx"
        );
        let names = offered("arguments: year month", "x").arguments;
        assert_eq!(names.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["year", "month"]);
    }

    #[test]
    fn what_is_not_mentioned_is_said_by_its_name() {
        let prompt = offered("arguments: [year, kind]", "Of $year.");
        assert_eq!(
            said(&prompt, r#"{"year": "2025", "kind": "pdf"}"#).unwrap(),
            "Of 2025.\n\n---\n\nkind: pdf"
        );
    }
}
