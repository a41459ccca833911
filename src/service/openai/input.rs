//! What a client sends as input: messages, files, results of its functions and answers to questions, translated into what a
//! run takes.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::error::Problems;
use super::ids::ResponseId;
use crate::run::DocumentSource;

/// Most items of an input.
const MOST_ITEMS: usize = 2_000;
/// Most documents of an input, as a run takes them.
const MOST_DOCUMENTS: usize = 100;
/// Longest instruction in bytes, as a run takes it.
const MOST_INSTRUCTION: usize = 1_000_000;

/// The input of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Input {
    /// Text of the user's last messages.
    pub(super) instruction: String,
    /// Documents of all messages.
    pub(super) documents: Vec<DocumentSource>,
    /// Messages before the last ones of the user, as role and text.
    pub(super) history: Vec<(String, String)>,
    /// Messages of the system and of the developer.
    pub(super) system: Vec<String>,
    /// Results of functions that no later message of the assistant has seen.
    pub(super) outputs: Vec<Output>,
    /// Answers to questions.
    pub(super) approvals: Vec<Approval>,
    /// The latest response of each run that items refer to.
    pub(super) references: Vec<ResponseId>,
    /// The items as `input_items` returns them, without identifiers and without contents of files.
    pub(super) items: Vec<Value>,
}

/// Result of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) call_id: String,
    pub(super) name: Option<String>,
    pub(super) output: String,
}

/// Answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Approval {
    pub(super) request: String,
    pub(super) approve: bool,
    pub(super) reason: Option<String>,
}

impl Input {
    /// Returns results of functions as text, for a run that did not call them.
    pub(super) fn outputs_as_text(&self) -> String {
        let mut text = String::new();
        for output in &self.outputs {
            let name = output.name.as_deref().unwrap_or("a function");
            let _ = writeln!(text, "Result of {name}:\n{}\n", output.output);
        }
        text.trim_end().to_owned()
    }
}

/// Reads items one after the other.
#[derive(Default)]
pub(super) struct Reader {
    input: Input,
    pending: Vec<String>,
    calls: Vec<(String, String)>,
}

impl Reader {
    /// Reads `input` of `/v1/responses`.
    pub(super) fn responses(input: &Value, problems: &mut Problems) -> Input {
        let mut reader = Reader::default();
        match input {
            Value::Null => {}
            Value::String(text) => {
                let item = json!({"type": "message", "role": "user", "content": text});
                reader.item(&item, "/input", problems);
            }
            Value::Array(items) if items.len() > MOST_ITEMS => {
                let detail = format!("expected at most {MOST_ITEMS} items, got {}", items.len());
                problems.add("/input", detail);
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    reader.item(item, &format!("/input/{index}"), problems);
                }
            }
            _ => problems.add("/input", "expected a string or a list of items"),
        }
        reader.finish("/input", problems)
    }

    /// Reads `messages` of `/v1/chat/completions`.
    pub(super) fn chat(messages: &[Value], problems: &mut Problems) -> Input {
        let mut reader = Reader::default();
        if messages.len() > MOST_ITEMS {
            let detail = format!("expected at most {MOST_ITEMS} messages, got {}", messages.len());
            problems.add("/messages", detail);
            return Input::default();
        }
        for (index, message) in messages.iter().enumerate() {
            reader.message(message, &format!("/messages/{index}"), problems);
        }
        reader.finish("/messages", problems)
    }

    fn finish(mut self, place: &str, problems: &mut Problems) -> Input {
        self.input.instruction = self.pending.join("\n\n");
        if self.input.instruction.len() > MOST_INSTRUCTION {
            let detail = format!(
                "the last messages of the user have more than {MOST_INSTRUCTION} bytes; send long texts as files"
            );
            problems.add(place, detail);
        }
        if self.input.documents.len() > MOST_DOCUMENTS {
            problems.add(place, format!("expected at most {MOST_DOCUMENTS} files"));
        }
        self.input
    }

    fn item(&mut self, item: &Value, place: &str, problems: &mut Problems) {
        let kind = match item["type"].as_str() {
            Some(kind) => kind,
            None if item.get("role").is_some() => "message",
            None if item.get("id").is_some() => "item_reference",
            None => "",
        };
        match kind {
            "message" => self.message(item, place, problems),
            "function_call" => {
                let (Some(id), Some(name)) = (item["call_id"].as_str(), item["name"].as_str()) else {
                    return problems.add(place, "expected `call_id` and `name`");
                };
                let arguments = item["arguments"].as_str().unwrap_or_default();
                self.called(id, name, arguments);
            }
            "function_call_output" => {
                let Some(id) = item["call_id"].as_str() else {
                    return problems.add(format!("{place}/call_id"), "expected a string");
                };
                let output = self.text_of(&item["output"], &format!("{place}/output"), problems);
                self.result(id, output);
            }
            "item_reference" => match item["id"].as_str().and_then(ResponseId::of_item) {
                Some(id) => {
                    self.flush();
                    self.refer(id);
                }
                None => problems.add(format!("{place}/id"), "there is no such item"),
            },
            "mcp_approval_response" => match item["approval_request_id"].as_str() {
                Some(request) => {
                    self.input.approvals.push(Approval {
                        request: request.to_owned(),
                        approve: item["approve"] == true,
                        reason: item["reason"].as_str().map(str::to_owned),
                    });
                    self.input.items.push(item.clone());
                }
                None => problems.add(format!("{place}/approval_request_id"), "expected a string"),
            },
            // What the service sent itself. The run knows it, and a new run does without.
            "reasoning" | "code_interpreter_call" | "mcp_call" | "mcp_list_tools"
            | "mcp_approval_request" => self.flush(),
            "" => problems.add(place, "expected an item with a type"),
            other => problems.add(
                format!("{place}/type"),
                format!(
                    "items of type `{}` do not exist here; expected `message`, `function_call`, `function_call_output`, \
                     `item_reference` or `reasoning`",
                    mitt_base::text::cut_bytes(other, 50)
                ),
            ),
        }
    }

    fn message(&mut self, item: &Value, place: &str, problems: &mut Problems) {
        match item["role"].as_str() {
            Some("user") => {
                let text = self.content(&item["content"], place, problems);
                if !text.is_empty() {
                    self.pending.push(text);
                }
            }
            Some(role @ ("system" | "developer")) => {
                let text = self.text_of(&item["content"], &format!("{place}/content"), problems);
                let content = json!([{"type": "input_text", "text": text}]);
                self.input.items.push(json!({"type": "message", "role": role, "content": content}));
                self.input.system.push(text);
            }
            Some("assistant") => {
                self.flush();
                let text = self.text_of(&item["content"], &format!("{place}/content"), problems);
                if !text.is_empty() {
                    let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
                    self.input
                        .items
                        .push(json!({"type": "message", "role": "assistant", "content": content}));
                    self.input.history.push(("assistant".to_owned(), text));
                }
                for call in item["tool_calls"].as_array().into_iter().flatten() {
                    let function = &call["function"];
                    let (Some(id), Some(name)) = (call["id"].as_str(), function["name"].as_str())
                    else {
                        problems.add(format!("{place}/tool_calls"), "expected calls of functions");
                        continue;
                    };
                    self.called(id, name, function["arguments"].as_str().unwrap_or_default());
                }
            }
            Some("tool") => match item["tool_call_id"].as_str() {
                Some(id) => {
                    let text =
                        self.text_of(&item["content"], &format!("{place}/content"), problems);
                    self.result(id, text);
                }
                None => problems.add(format!("{place}/tool_call_id"), "expected a string"),
            },
            _ => problems.add(
                format!("{place}/role"),
                "expected `user`, `assistant`, `system`, `developer` or, in chat, `tool`",
            ),
        }
    }

    /// Reads the content of a message of the user.
    fn content(&mut self, content: &Value, place: &str, problems: &mut Problems) -> String {
        let place = format!("{place}/content");
        let (mut texts, mut shown) = (Vec::new(), Vec::new());
        match content {
            Value::String(text) => {
                shown.push(json!({"type": "input_text", "text": text}));
                texts.push(text.clone());
            }
            Value::Array(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    let place = format!("{place}/{index}");
                    match part["type"].as_str() {
                        Some("input_text" | "text" | "output_text") => {
                            match part["text"].as_str() {
                                Some(text) => {
                                    shown.push(json!({"type": "input_text", "text": text}));
                                    texts.push(text.to_owned());
                                }
                                None => problems.add(format!("{place}/text"), "expected a string"),
                            }
                        }
                        Some("input_file") => shown.extend(self.file(part, &place, problems)),
                        Some("file") => {
                            shown.extend(self.file(
                                &part["file"],
                                &format!("{place}/file"),
                                problems,
                            ));
                        }
                        Some("input_image") => {
                            let url = &part["image_url"];
                            shown.extend(self.image(url, &part["file_id"], &place, problems));
                        }
                        Some("image_url") => {
                            let url = &part["image_url"]["url"];
                            shown.extend(self.image(url, &Value::Null, &place, problems));
                        }
                        Some("input_audio") => problems.add(
                            format!("{place}/type"),
                            "a run does not hear; write the recording down and send its text",
                        ),
                        _ => problems.add(
                            format!("{place}/type"),
                            "expected a part with text, a file or an image",
                        ),
                    }
                }
            }
            _ => problems.add(place, "expected a string or a list of parts"),
        }
        self.input.items.push(json!({"type": "message", "role": "user", "content": shown}));
        texts.join("\n\n")
    }

    fn file(&mut self, part: &Value, place: &str, problems: &mut Problems) -> Option<Value> {
        let name = part["filename"].as_str().filter(|it| !it.is_empty()).map(str::to_owned);
        let source = if let Some(file) = part["file_id"].as_str() {
            DocumentSource::File { file: file.to_owned(), name: name.clone() }
        } else if let Some(data) = part["file_data"].as_str() {
            let number = self.input.documents.len() + 1;
            inline(data, name.clone(), "document", number, &format!("{place}/file_data"), problems)?
        } else if let Some(url) = part["file_url"].as_str() {
            web(url, name.clone(), &format!("{place}/file_url"), problems)?
        } else {
            problems.add(place, "expected `file_id`, `file_data` or `file_url`");
            return None;
        };
        let mut shown = json!({"type": "input_file"});
        for (key, value) in [
            ("filename", name.as_deref()),
            ("file_id", part["file_id"].as_str()),
            ("file_url", part["file_url"].as_str()),
        ] {
            if let Some(value) = value {
                shown[key] = json!(value);
            }
        }
        self.input.documents.push(source);
        Some(shown)
    }

    /// Reads an image. It becomes a document, whose text is read where the service recognises text.
    fn image(
        &mut self,
        url: &Value,
        file: &Value,
        place: &str,
        problems: &mut Problems,
    ) -> Option<Value> {
        let place = format!("{place}/image_url");
        let source = match (url.as_str(), file.as_str()) {
            (_, Some(file)) => DocumentSource::File { file: file.to_owned(), name: None },
            (Some(data), None) if data.starts_with("data:") => {
                let number = self.input.documents.len() + 1;
                inline(data, None, "image", number, &place, problems)?
            }
            (Some(url), None) => web(url, None, &place, problems)?,
            (None, None) => {
                problems.add(place, "expected an address, a data URL or `file_id`");
                return None;
            }
        };
        self.input.documents.push(source);
        let mut shown = json!({"type": "input_image", "detail": "auto"});
        if let Some(file) = file.as_str() {
            shown["file_id"] = json!(file);
        } else if let Some(url) = url.as_str().filter(|it| !it.starts_with("data:")) {
            shown["image_url"] = json!(url);
        }
        Some(shown)
    }

    /// Reads content that can only be text.
    fn text_of(&self, content: &Value, place: &str, problems: &mut Problems) -> String {
        match content {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let mut texts = Vec::new();
                for (index, part) in parts.iter().enumerate() {
                    match part["text"].as_str().or_else(|| part["refusal"].as_str()) {
                        Some(text) => texts.push(text),
                        None => {
                            problems.add(format!("{place}/{index}"), "expected a part with text")
                        }
                    }
                }
                texts.join("\n")
            }
            _ => {
                problems.add(place, "expected a string or a list of parts");
                String::new()
            }
        }
    }

    /// Moves what the user said into the history, because the assistant has answered it.
    fn flush(&mut self) {
        if !self.input.outputs.is_empty() {
            let text = self.input.outputs_as_text();
            self.input.outputs.clear();
            self.input.history.push(("user".to_owned(), text));
        }
        if !self.pending.is_empty() {
            let text = std::mem::take(&mut self.pending).join("\n\n");
            self.input.history.push(("user".to_owned(), text));
        }
    }

    fn called(&mut self, id: &str, name: &str, arguments: &str) {
        self.flush();
        self.calls.push((id.to_owned(), name.to_owned()));
        let text = format!("I called {name} with {arguments}.");
        self.input.history.push(("assistant".to_owned(), text));
        self.input.items.push(json!({
            "type": "function_call", "call_id": id, "name": name, "arguments": arguments,
        }));
    }

    fn result(&mut self, id: &str, output: String) {
        let name = self.calls.iter().rev().find(|(call, _)| call == id).map(|it| it.1.clone());
        self.input.items.push(json!({
            "type": "function_call_output", "call_id": id, "output": output,
        }));
        self.input.outputs.push(Output { call_id: id.to_owned(), name, output });
    }

    fn refer(&mut self, id: ResponseId) {
        match self.input.references.iter_mut().find(|it| it.run == id.run) {
            Some(known) => known.number = known.number.max(id.number),
            None => self.input.references.push(id),
        }
    }
}

fn web(
    url: &str,
    name: Option<String>,
    place: &str,
    problems: &mut Problems,
) -> Option<DocumentSource> {
    if url.starts_with("http://") || url.starts_with("https://") {
        return Some(DocumentSource::Url { url: url.to_owned(), name });
    }
    problems.add(place, "expected an address that begins with `http://` or `https://`");
    None
}

/// Reads a data URL, or base64 alone.
fn inline(
    data: &str,
    name: Option<String>,
    stem: &str,
    number: usize,
    place: &str,
    problems: &mut Problems,
) -> Option<DocumentSource> {
    let (media_type, content) = match data.strip_prefix("data:") {
        Some(rest) => match rest.split_once(";base64,") {
            Some((media_type, content)) => (media_type, content),
            None => {
                problems
                    .add(place, "expected a data URL in base64: `data:application/pdf;base64,…`");
                return None;
            }
        },
        None => ("", data),
    };
    if STANDARD.decode(content).is_err() {
        problems.add(place, "expected base64");
        return None;
    }
    let name = name.unwrap_or_else(|| format!("{stem}-{number}.{}", extension(media_type)));
    Some(DocumentSource::Content { name, content: content.to_owned() })
}

/// Returns the extension for a file without a name. Files are recognised by their content, so a wrong one does no harm.
fn extension(media_type: &str) -> &'static str {
    match media_type.split(';').next().unwrap_or_default().trim() {
        "application/pdf" => "pdf",
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "text/csv" => "csv",
        "text/markdown" => "md",
        "text/html" => "html",
        "application/json" => "json",
        "text/plain" => "txt",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => "pptx",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests;
