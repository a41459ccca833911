//! Texts and documents of messages.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

use super::input::{InputContext, InputMessage, RunAgentInput};
use crate::problem::Problem;
use crate::run::{DocumentSource, FunctionTool, RunOptions};

/// Most characters of an instruction.
const MOST_CHARACTERS: usize = 1_000_000;
/// Most documents of one request.
const MOST_DOCUMENTS: usize = 100;
/// Most tools of a page.
const MOST_TOOLS: usize = 128;

/// An instruction with its documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Instruction {
    /// Its text.
    pub(super) text: String,
    /// Its documents.
    pub(super) documents: Vec<DocumentSource>,
    /// What could not be used, one sentence each.
    pub(super) left_out: Vec<String>,
}

/// Settings in the member `mitt` of `forwardedProps`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MittProps {
    /// Name of the model.
    pub(super) model: Option<String>,
    /// How the run is done.
    pub(super) options: RunOptions,
    /// Documents beside those of the messages.
    pub(super) documents: Vec<DocumentSource>,
}

/// A part of a message.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Part {
    r#type: String,
    id: Option<String>,
    text: Option<String>,
    source: Option<Source>,
    metadata: Value,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Source {
    r#type: String,
    value: String,
    mime_type: Option<String>,
}

/// Returns the settings for Mitt.
///
/// # Errors
///
/// They have another form.
pub(super) fn props(input: &RunAgentInput) -> Result<MittProps, Problem> {
    match input.forwarded_props.get("mitt") {
        None | Some(Value::Null) => Ok(MittProps::default()),
        Some(props) => serde_json::from_value(props.clone()).map_err(|error| {
            let detail = format!("/forwardedProps/mitt: {error}");
            let hint = "it has `model`, `options` and `documents`, as in `POST /v1/runs`";
            Problem::new(422, "invalid_body", detail).hint(hint)
        }),
    }
}

/// Returns the tools of the page as functions.
///
/// # Errors
///
/// There are too many, or two have one name.
pub(super) fn functions(input: &RunAgentInput) -> Result<Vec<FunctionTool>, Problem> {
    let tools = input.tools();
    if tools.len() > MOST_TOOLS {
        let detail = format!("/tools: expected at most {MOST_TOOLS} tools, got {}", tools.len());
        return Err(Problem::new(422, "invalid_body", detail));
    }
    for (index, tool) in tools.iter().enumerate() {
        if tools.iter().take(index).any(|other| other.name == tool.name) {
            let detail = format!("/tools/{index}/name: `{}` is there twice", tool.name);
            return Err(Problem::new(422, "invalid_body", detail));
        }
    }
    let function = |tool: &super::input::InputTool| FunctionTool {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: match &tool.parameters {
            Value::Null => serde_json::json!({ "type": "object", "properties": {} }),
            parameters => parameters.clone(),
        },
    };
    Ok(tools.iter().map(function).collect())
}

/// Returns messages of the user as one instruction.
///
/// # Errors
///
/// It is too long, or has too many documents.
pub(super) fn instruction<'a>(
    messages: impl Iterator<Item = &'a InputMessage>,
) -> Result<Instruction, Problem> {
    let mut instruction = Instruction::default();
    for message in messages {
        let mut text = String::new();
        for part in parts(&message.content) {
            instruction.add(&mut text, part);
        }
        append(&mut instruction.text, &text);
    }
    if instruction.text.is_empty() && !instruction.documents.is_empty() {
        "Here are documents.".clone_into(&mut instruction.text);
    }
    if instruction.text.chars().count() > MOST_CHARACTERS {
        let detail = format!("expected an instruction of at most {MOST_CHARACTERS} characters");
        return Err(Problem::new(413, "too_large", detail).hint("send long texts as documents"));
    }
    if instruction.documents.len() > MOST_DOCUMENTS {
        let detail = format!("expected at most {MOST_DOCUMENTS} documents");
        return Err(Problem::new(413, "too_large", detail));
    }
    Ok(instruction)
}

impl Instruction {
    fn add(&mut self, text: &mut String, part: Part) {
        let name = part.name(self.documents.len() + 1);
        let source = match part {
            Part { r#type, text: Some(more), .. } if r#type == "text" => {
                append(text, &more);
                return;
            }
            Part { r#type, source: Some(source), .. }
                if r#type == "document" || r#type == "image" =>
            {
                source
            }
            part => {
                self.left_out.push(format!("a part of type `{}` was left out", part.r#type));
                return;
            }
        };
        let document = match source.r#type.as_str() {
            "data" => DocumentSource::Content { name, content: source.value },
            "url" => DocumentSource::Url { url: source.value, name: Some(name) },
            "file" => DocumentSource::File { file: source.value, name: None },
            other => {
                self.left_out
                    .push(format!("a document with a source of type `{other}` was left out"));
                return;
            }
        };
        self.documents.push(document);
    }
}

impl Part {
    /// Returns the name of the document: the one that the page gave, or one with the right extension.
    fn name(&self, number: usize) -> String {
        let given = ["filename", "fileName", "name", "title"];
        let given = given.iter().find_map(|key| self.metadata.get(key)?.as_str());
        if let Some(name) = given.or(self.id.as_deref()).filter(|name| name.contains('.')) {
            return name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
        }
        let of_url = self.source.as_ref().filter(|it| it.r#type == "url").and_then(|source| {
            let path = source.value.split(['?', '#']).next()?;
            path.rsplit('/')
                .next()
                .filter(|name| name.contains('.') && path.matches('/').count() > 2)
        });
        if let Some(name) = of_url {
            return name.to_owned();
        }
        let media_type = self.source.as_ref().and_then(|source| source.mime_type.as_deref());
        format!("document-{number}.{}", extension(media_type.unwrap_or_default()))
    }
}

fn extension(media_type: &str) -> &'static str {
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    match media_type.to_ascii_lowercase().as_str() {
        "application/pdf" => "pdf",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => "pptx",
        "application/json" => "json",
        "text/csv" => "csv",
        "text/html" => "html",
        "text/markdown" => "md",
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        _ => "txt",
    }
}

fn parts(content: &Value) -> Vec<Part> {
    match content {
        Value::String(text) => {
            vec![Part { r#type: "text".to_owned(), text: Some(text.clone()), ..Part::default() }]
        }
        Value::Array(parts) => {
            let part = |part: &Value| serde_json::from_value(part.clone()).unwrap_or_default();
            parts.iter().map(part).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the texts of a message, and marks of its other parts.
pub(super) fn text(message: &InputMessage) -> String {
    let mut text = String::new();
    for part in parts(&message.content) {
        match part {
            Part { r#type, text: Some(more), .. } if r#type == "text" => append(&mut text, &more),
            part => append(&mut text, &format!("[{}]", part.r#type)),
        }
    }
    text
}

/// Returns what a tool of the page returned, as text for the model.
pub(super) fn tool_output(message: &InputMessage) -> String {
    let text = text(message);
    match &message.error {
        Some(error) if text.is_empty() || text == *error => format!("error: {error}"),
        Some(error) => format!("error: {error}\n{text}"),
        None => text,
    }
}

/// Returns the earlier part of a conversation as roles and texts.
pub(super) fn history(messages: &[InputMessage]) -> Vec<(String, String)> {
    let spoken = messages.iter().filter(|it| matches!(it.role.as_str(), "user" | "assistant"));
    spoken.map(|it| (it.role.clone(), text(it))).filter(|(_, text)| !text.is_empty()).collect()
}

/// Returns the instructions of the page: its messages as developer or system, and its context. `None` if there are none.
pub(super) fn instructions(input: &RunAgentInput) -> Option<String> {
    let mut text = String::new();
    for message in &input.messages {
        if matches!(message.role.as_str(), "developer" | "system") {
            append(&mut text, &self::text(message));
        }
    }
    append(&mut text, &context(input));
    (!text.is_empty()).then_some(text)
}

/// Returns the context of the page as text for the model; empty if there is none.
pub(super) fn context(input: &RunAgentInput) -> String {
    let mut text = String::new();
    for InputContext { description, value } in input.context.iter().flatten() {
        if text.is_empty() {
            text.push_str("Context from the application:");
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "\n- {description}: {value}");
    }
    text
}

/// Appends a paragraph.
pub(super) fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

#[cfg(test)]
mod tests {
    use super::super::input::InputTool;
    use super::super::input::tests::message;
    use super::*;
    use serde_json::json;

    fn user(content: Value) -> InputMessage {
        InputMessage { content, ..message("1", "user", "") }
    }

    fn of(content: Value) -> Instruction {
        instruction([&user(content)].into_iter()).unwrap()
    }

    #[test]
    fn messages_become_one_instruction() {
        let messages = [message("1", "user", "a"), user(json!([{ "type": "text", "text": "b" }]))];
        assert_eq!(instruction(messages.iter()).unwrap().text, "a\n\nb");
        assert_eq!(instruction([].into_iter()).unwrap(), Instruction::default());
    }

    #[test]
    fn parts_become_documents_with_names() {
        let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        let made = of(json!([
            { "type": "text", "text": "Read these." },
            { "type": "document", "source": { "type": "data", "value": "AAAA", "mimeType": xlsx } },
            { "type": "document", "source": { "type": "data", "value": "AAAA", "mimeType": "text/csv; charset=utf-8" },
              "metadata": { "filename": "../a/月报.csv" } },
            { "type": "image", "source": { "type": "url", "value": "https://example.org/b/c.png?d=1" } },
            { "type": "document", "source": { "type": "url", "value": "https://example.org" } },
            { "type": "document", "source": { "type": "file", "value": "file-1" } },
            { "type": "audio", "source": { "type": "data", "value": "AAAA", "mimeType": "audio/wav" } },
            { "type": "document", "source": { "type": "other", "value": "" } },
            { "type": "new" },
        ]));
        assert_eq!(made.text, "Read these.");
        let content =
            |name: &str| DocumentSource::Content { name: name.into(), content: "AAAA".into() };
        let url = |url: &str, name: &str| DocumentSource::Url {
            url: url.into(),
            name: Some(name.into()),
        };
        assert_eq!(
            made.documents,
            [
                content("document-1.xlsx"),
                content("月报.csv"),
                url("https://example.org/b/c.png?d=1", "c.png"),
                url("https://example.org", "document-4.txt"),
                DocumentSource::File { file: "file-1".into(), name: None },
            ]
        );
        assert_eq!(made.left_out.len(), 3, "{:?}", made.left_out);
        assert!(made.left_out[0].contains("`audio`"));
    }

    #[test]
    fn a_message_of_documents_alone_is_an_instruction() {
        let source = json!({ "type": "file", "value": "file-1" });
        assert!(!of(json!([{ "type": "document", "source": source }])).text.is_empty());
    }

    #[test]
    fn long_instructions_and_many_documents_are_refused() {
        let long = message("1", "user", &"x".repeat(MOST_CHARACTERS + 1));
        assert_eq!(instruction([&long].into_iter()).unwrap_err().status, 413);
        let source = json!({ "type": "document", "source": { "type": "file", "value": "file-1" } });
        let many = user(Value::Array(vec![source; MOST_DOCUMENTS + 1]));
        assert_eq!(instruction([&many].into_iter()).unwrap_err().status, 413);
    }

    #[test]
    fn outputs_of_tools_say_what_failed() {
        let output = |text: &str, error: Option<&str>| {
            let error = error.map(str::to_owned);
            tool_output(&InputMessage { error, ..message("1", "tool", text) })
        };
        assert_eq!(output("a", None), "a");
        assert_eq!(output("a", Some("b")), "error: b\na");
        assert_eq!(output("", Some("b")), "error: b");
        let parts = InputMessage {
            content: json!([{ "type": "text", "text": "a" }, { "type": "image" }]),
            ..message("1", "tool", "")
        };
        assert_eq!(tool_output(&parts), "a\n\n[image]");
    }

    #[test]
    fn the_page_instructs_the_model() {
        let context = InputContext { description: "Page".into(), value: "home".into() };
        let input = RunAgentInput {
            messages: vec![
                message("1", "system", "Be brief."),
                message("2", "user", "a"),
                message("3", "developer", "Use tables."),
                message("4", "assistant", ""),
                message("5", "assistant", "b"),
            ],
            context: Some(vec![context]),
            ..RunAgentInput::default()
        };
        let expected = "Be brief.\n\nUse tables.\n\nContext from the application:\n- Page: home";
        assert_eq!(instructions(&input).as_deref(), Some(expected));
        let spoken = |role: &str, text: &str| (role.to_owned(), text.to_owned());
        assert_eq!(history(&input.messages), [spoken("user", "a"), spoken("assistant", "b")]);
        assert_eq!(instructions(&RunAgentInput::default()), None);
    }

    #[test]
    fn settings_are_those_of_a_run() {
        let with =
            |props: Value| RunAgentInput { forwarded_props: props, ..RunAgentInput::default() };
        let set = json!({ "mitt": { "model": "small", "options": { "tags": true } }, "other": 1 });
        let set = props(&with(set)).unwrap();
        assert_eq!((set.model.as_deref(), set.options.tags), (Some("small"), true));
        assert_eq!(props(&with(json!({ "mitt": null }))).unwrap(), MittProps::default());
        assert_eq!(props(&with(Value::Null)).unwrap(), MittProps::default());
        assert_eq!(props(&with(json!({ "mitt": { "modle": "a" } }))).unwrap_err().status, 422);
    }

    #[test]
    fn tools_of_one_name_and_too_many_are_refused() {
        let tool = |name: &str| InputTool { name: name.into(), ..InputTool::default() };
        let with = |tools| RunAgentInput { tools: Some(tools), ..RunAgentInput::default() };
        let made = functions(&with(vec![tool("a"), tool("b")])).unwrap();
        assert_eq!(made[0].parameters, json!({ "type": "object", "properties": {} }));
        assert!(
            functions(&with(vec![tool("a"), tool("a")]))
                .unwrap_err()
                .detail
                .contains("/tools/1/name")
        );
        let many = (0..=MOST_TOOLS).map(|number| tool(&format!("t{number}"))).collect();
        assert_eq!(functions(&with(many)).unwrap_err().status, 422);
    }
}
