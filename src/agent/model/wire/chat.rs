//! Chat completions, the wire of OpenAI that most servers speak.
//!
//! Knows the quirks of those servers on the wire, but not which server it talks to.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::arguments::arguments;
use super::super::ids::{Form as IdForm, fitting};
use super::super::preset::Output;
use super::super::turns::{Turn, turns};
use super::super::{
    ChatRequest, Image, ModelResponse, Reasoning, StopReason, ToolChoice, ToolSpec, Usage,
};
use super::call::{CallDelta, Calls, Function};
use super::{End, Out, Progress, Read, Settings, count, cut_off, data_url, parse, service_error};
use mitt::schema::lower::{Dialect, Form, lower};
use mitt_base::Result;

pub(super) fn body(settings: &Settings, request: &ChatRequest<'_>) -> String {
    let mut body = Map::new();
    body.insert("model".into(), json!(settings.model));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| function(settings, tool));
        body.insert("tools".into(), tools.collect());
        let choice = match request.tool_choice {
            // This is the default, and a few services refuse the field.
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!("none")),
            ToolChoice::Required => Some(json!("required")),
            ToolChoice::Tool(name) => Some(json!({"type": "function", "function": {"name": name}})),
        };
        body.extend(choice.map(|choice| ("tool_choice".to_owned(), choice)));
    }
    let (mut system, turns) = turns(request);
    if let Some(output) = request.output {
        let form = settings.output(request, output);
        let format = match form {
            Output::Schema => {
                let mut schema = json!({"name": output.name, "schema": output.schema});
                if settings.traits.strict {
                    schema["strict"] = json!(true);
                }
                Some(json!({"type": "json_schema", "json_schema": schema}))
            }
            Output::Grammar => {
                match lower(&output.schema, Dialect::Gbnf).form {
                    Form::Grammar(grammar) => body.insert("grammar".into(), grammar.into()),
                    Form::Schema(_) => None,
                };
                None
            }
            Output::Json => Some(json!({"type": "json_object"})),
            Output::Words => None,
        };
        if matches!(form, Output::Json | Output::Words) {
            append(&mut system, &super::output_in_words(&output.schema));
        }
        body.extend(format.map(|format| ("response_format".to_owned(), format)));
    }
    let mut messages = Vec::new();
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system}));
    }
    messages.extend(turns.iter().map(|turn| message(settings, turn)));
    body.insert("messages".into(), messages.into());
    if let Some(limit) = request.max_tokens {
        body.insert(settings.traits.max_tokens.clone(), json!(limit));
    }
    body.insert("stream".into(), json!(true));
    if let Some(option) = &settings.traits.usage_option {
        body.insert(option.clone(), json!({"include_usage": true}));
    }
    Value::Object(body).to_string()
}

/// Appends to a system prompt, as a paragraph of its own.
pub(super) fn append(system: &mut String, more: &str) {
    if !system.is_empty() {
        system.push_str("\n\n");
    }
    system.push_str(more);
}

fn function(settings: &Settings, tool: &ToolSpec) -> Value {
    let mut function = json!({
        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
    });
    if settings.is_strict(tool) {
        function["strict"] = json!(true);
    }
    json!({"type": "function", "function": function})
}

fn message(settings: &Settings, turn: &Turn<'_>) -> Value {
    match turn {
        Turn::System(text) => json!({"role": "system", "content": text}),
        Turn::User { text, images: [] } => json!({"role": "user", "content": text}),
        Turn::User { text, images } => json!({"role": "user", "content": parts(text, images)}),
        Turn::Assistant(answer) => assistant(settings, answer),
        // The wire has no field for `is_error`; the content says it.
        Turn::Result { call, content, .. } => {
            json!({"role": "tool", "tool_call_id": id(settings, &call.id), "content": content})
        }
    }
}

/// Returns the id of a call in a form that the service accepts. OpenAI accepts 40 bytes.
fn id<'a>(settings: &Settings, id: &'a str) -> Cow<'a, str> {
    fitting(id, if settings.traits.short_ids { IdForm::Nine } else { IdForm::Short(40) })
}

fn parts(text: &str, images: &[Image]) -> Vec<Value> {
    let image = |image| json!({"type": "image_url", "image_url": {"url": data_url(image)}});
    let text = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    images.iter().map(image).chain(text).collect()
}

fn assistant(settings: &Settings, answer: &ModelResponse) -> Value {
    let mut message = json!({"role": "assistant", "content": answer.text});
    if !answer.calls.is_empty() {
        if answer.text.is_empty() {
            message["content"] = Value::Null;
        }
        let call = |call: &super::super::ModelCall| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            let id = id(settings, &call.id);
            let mut value = json!({"id": id, "type": "function", "function": function});
            if let Some(extra) = extra(answer, &call.id) {
                value[EXTRA] = extra.clone();
            }
            value
        };
        message["tool_calls"] = answer.calls.iter().map(call).collect();
    }
    let Some(field) = &settings.traits.reasoning_field else { return message };
    // A list is state of the service; a text is reasoning of the model.
    let details = answer.reasoning.iter().filter_map(|thought| {
        let state = thought.state.as_ref()?;
        state.get(DETAILS)?.as_array()
    });
    let details: Vec<_> = details.flatten().cloned().collect();
    if field == DETAILS {
        if !details.is_empty() {
            message[DETAILS] = details.into();
        }
        return message;
    }
    let thoughts = answer.reasoning.iter().map(|thought| thought.text.as_str());
    let thoughts = thoughts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    if !thoughts.is_empty() {
        message[field] = json!(thoughts);
    }
    message
}

/// Returns the data that the service needs back with a call.
fn extra<'a>(answer: &'a ModelResponse, id: &str) -> Option<&'a Value> {
    answer.reasoning.iter().find_map(|thought| thought.state.as_ref()?.get(EXTRA)?.get(id))
}

/// Key of Gemini's signatures for reasoning. Without them it refuses the next turn.
const EXTRA: &str = "extra_content";

/// Key of reasoning of any service behind a router, including signatures.
const DETAILS: &str = "reasoning_details";

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    usage: Option<Value>,
    error: Option<Value>,
    object: Option<Value>,
    message: Option<Value>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    index: Option<u64>,
    /// In a stream.
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    /// In an answer in one piece.
    #[serde(borrow)]
    message: Option<Delta<'a>>,
    finish_reason: Option<Value>,
    /// Moonshot sends it here.
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    content: Option<Value>,
    reasoning_content: Option<Value>,
    reasoning: Option<Value>,
    reasoning_details: Option<Value>,
    refusal: Option<Value>,
    #[serde(borrow)]
    tool_calls: Option<Vec<ToolCall<'a>>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    index: Option<u64>,
    id: Option<Value>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
    extra_content: Option<Value>,
}

/// Reads a stream, or an answer in one piece.
#[derive(Default)]
pub(super) struct Reader {
    calls: Calls,
    thought: String,
    details: Vec<Value>,
    refusal: String,
    usage: Option<Usage>,
    finish: Option<String>,
    is_done: bool,
}

impl Read for Reader {
    fn event(&mut self, name: &str, data: &str, out: &mut Out) -> Result<()> {
        let data = data.trim();
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        if name == "error" {
            let value = serde_json::from_str(data).unwrap_or_else(|_| json!(data));
            return Err(service_error(value.get("error").unwrap_or(&value)));
        }
        self.chunk(parse(data)?, out)
    }

    fn whole(&mut self, body: &str, out: &mut Out) -> Result<()> {
        self.chunk(parse(body)?, out)?;
        // A complete body ended on purpose, whatever its finish reason.
        self.is_done = true;
        Ok(())
    }

    fn progress(&self) -> Progress {
        match &self.finish {
            _ if self.is_done => Progress::Over,
            Some(_) => Progress::Complete,
            None => Progress::Open,
        }
    }

    fn finish(&mut self, out: &mut Out) -> Result<()> {
        if self.finish.is_none() {
            if !self.is_done {
                return Err(cut_off("without a reason to finish"));
            }
            if self.calls.is_half() {
                return Err(cut_off("within a call"));
            }
        }
        let mut end = End { usage: self.usage, ..End::default() };
        end.thoughts.extend(self.thought());
        let finish = self.finish.as_deref();
        end.stopped = match finish {
            Some("length") => Some(StopReason::Length),
            Some("content_filter") => Some(StopReason::Refused(std::mem::take(&mut self.refusal))),
            _ if !self.refusal.is_empty() => {
                Some(StopReason::Refused(std::mem::take(&mut self.refusal)))
            }
            _ => None,
        };
        end.calls = match finish {
            Some("length" | "content_filter") => self.calls.take_whole(),
            _ => self.calls.take(),
        };
        out.end(end);
        Ok(())
    }
}

impl Reader {
    fn chunk(&mut self, chunk: Chunk<'_>, out: &mut Out) -> Result<()> {
        // Usage often has a chunk of its own, and sometimes is in all chunks; the last one counts.
        self.usage = chunk.usage.as_ref().and_then(usage).or(self.usage);
        for choice in chunk.choices.into_iter().flatten() {
            // Only one answer was requested.
            if choice.index.unwrap_or(0) == 0 {
                self.choice(choice, out)?;
            }
        }
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(service_error(&error));
        }
        if chunk.object.as_ref().is_some_and(|object| object == "error") {
            return Err(service_error(&json!({"message": chunk.message})));
        }
        Ok(())
    }

    fn choice(&mut self, choice: Choice<'_>, out: &mut Out) -> Result<()> {
        self.usage = choice.usage.as_ref().and_then(usage).or(self.usage);
        for delta in [choice.delta, choice.message].into_iter().flatten() {
            let thought = [&delta.reasoning_content, &delta.reasoning];
            // Some servers send the same text under both names.
            if let Some(text) = thought.into_iter().flatten().find_map(Value::as_str) {
                self.think(text, out);
            }
            if let Some(Value::Array(details)) = delta.reasoning_details {
                details.into_iter().for_each(|detail| merge(&mut self.details, detail));
            }
            self.content(delta.content.as_ref(), out);
            if let Some(Value::String(text)) = delta.refusal {
                self.refusal.push_str(&text);
            }
            for call in delta.tool_calls.into_iter().flatten() {
                let function = call.function;
                let id = call
                    .id
                    .as_ref()
                    .map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
                self.calls.add(
                    CallDelta {
                        index: call.index,
                        id: id.as_deref().filter(|id| *id != "null"),
                        name: function.as_ref().and_then(|function| function.name.as_deref()),
                        arguments: arguments(function.as_ref().and_then(|f| f.arguments)),
                        extra: call.extra_content.filter(|extra| !extra.is_null()),
                    },
                    out,
                )?;
            }
        }
        if let Some(Value::String(reason)) = choice.finish_reason
            && !reason.is_empty()
        {
            self.finish = Some(reason);
        }
        Ok(())
    }

    /// Returns the complete reasoning, with the data that the service needs back.
    fn thought(&mut self) -> Option<Reasoning> {
        let mut state = Map::new();
        if !self.details.is_empty() {
            state.insert(DETAILS.into(), std::mem::take(&mut self.details).into());
        }
        let extras = self.calls.extras();
        if !extras.is_empty() {
            state.insert(EXTRA.into(), extras.into());
        }
        let state = (!state.is_empty()).then_some(Value::Object(state));
        let text = std::mem::take(&mut self.thought);
        (!text.is_empty() || state.is_some()).then_some(Reasoning { text, state })
    }

    fn think(&mut self, text: &str, out: &mut Out) {
        self.thought.push_str(text);
        out.reasoning(text);
    }

    /// Reads text, or a list of parts, some of which are reasoning.
    fn content(&mut self, content: Option<&Value>, out: &mut Out) {
        match content {
            Some(Value::String(text)) => out.text(text),
            Some(Value::Array(parts)) => {
                for part in parts {
                    if let Some(thinking) = part.get("thinking") {
                        words(thinking).iter().for_each(|text| self.think(text, out));
                    } else if let Some(Value::String(text)) = part.get("refusal") {
                        self.refusal.push_str(text);
                    } else {
                        words(part).iter().for_each(|text| out.text(text));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the texts of a part, or of a list of parts.
fn words(part: &Value) -> Vec<&str> {
    match part {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts.iter().flat_map(words).collect(),
        Value::Object(part) => part.get("text").and_then(Value::as_str).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Merges a piece of reasoning into the one at the same position: texts are appended, all other fields are replaced.
fn merge(details: &mut Vec<Value>, piece: Value) {
    let is_same = |detail: &&mut Value| {
        detail.get("index") == piece.get("index") && detail.get("type") == piece.get("type")
    };
    let known = details.last_mut().filter(is_same);
    let (Some(Value::Object(known)), Value::Object(more)) = (known, &piece) else {
        details.push(piece);
        return;
    };
    for (key, value) in more {
        match (known.get_mut(key), value) {
            (Some(Value::String(text)), Value::String(more))
                if matches!(key.as_str(), "text" | "summary" | "data") =>
            {
                text.push_str(more);
            }
            (Some(_), Value::Null) => {}
            _ => {
                known.insert(key.clone(), value.clone());
            }
        }
    }
}

fn usage(value: &Value) -> Option<Usage> {
    value.as_object()?;
    let cached = [
        value.pointer("/prompt_tokens_details/cached_tokens"),
        // DeepSeek and Moonshot.
        value.get("prompt_cache_hit_tokens"),
        value.get("cached_tokens"),
    ];
    Some(Usage {
        input: count(value.get("prompt_tokens")),
        cached: cached.into_iter().map(count).max().unwrap_or(0),
        cache_written: count(value.pointer("/prompt_tokens_details/cache_write_tokens")),
        output: count(value.get("completion_tokens")),
        reasoning: count(value.pointer("/completion_tokens_details/reasoning_tokens")),
    })
}
