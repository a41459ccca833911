//! Responses, the newer wire of OpenAI, also as Open Responses.
//!
//! Knows items and their events. Stores nothing at the service: every request has the whole conversation.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::super::arguments::arguments;
use super::super::ids::{Form, fitting};
use super::super::preset::Output;
use super::super::turns::{Turn, turns};
use super::super::{
    ChatRequest, Image, ModelCall, ModelResponse, Reasoning, StopReason, ToolChoice, ToolSpec,
    Usage,
};
use super::call::{CallDelta, Calls};
use super::{
    End, Out, Progress, Read, Settings, check_thoughts, count, cut_off, data_url, parse,
    service_error,
};
use mitt_base::Result;

pub(super) fn body(settings: &Settings, request: &ChatRequest<'_>) -> String {
    let mut body = Map::new();
    body.insert("model".into(), json!(settings.model));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| function(settings, tool));
        body.insert("tools".into(), tools.collect());
        let choice = match request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!("none")),
            ToolChoice::Required => Some(json!("required")),
            ToolChoice::Tool(name) => Some(json!({"type": "function", "name": name})),
        };
        body.extend(choice.map(|choice| ("tool_choice".to_owned(), choice)));
    }
    let (mut system, turns) = turns(request);
    if let Some(output) = request.output {
        let form = settings.output(request, output);
        let format = match form {
            Output::Schema => Some(json!({
                "type": "json_schema", "name": output.name, "schema": output.schema,
                "strict": settings.traits.strict,
            })),
            Output::Json => Some(json!({"type": "json_object"})),
            Output::Grammar | Output::Words => None,
        };
        if form != Output::Schema {
            super::chat::append(&mut system, &super::output_in_words(&output.schema));
        }
        body.extend(format.map(|format| ("text".to_owned(), json!({"format": format}))));
    }
    if !system.is_empty() {
        body.insert("instructions".into(), json!(system));
    }
    let mut input = Vec::new();
    turns.iter().for_each(|turn| items(turn, &mut input));
    body.insert("input".into(), input.into());
    if let Some(limit) = request.max_tokens {
        body.insert("max_output_tokens".into(), json!(limit));
    }
    body.insert("stream".into(), json!(true));
    // Otherwise the service would keep the conversation for a month.
    body.insert("store".into(), json!(false));
    body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    Value::Object(body).to_string()
}

fn function(settings: &Settings, tool: &ToolSpec) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.description,
        "parameters": tool.parameters,
        // The default of the service is `true`.
        "strict": settings.is_strict(tool),
    })
}

fn items(turn: &Turn<'_>, input: &mut Vec<Value>) {
    match turn {
        Turn::System(text) => {
            input.push(json!({"type": "message", "role": "system", "content": text}));
        }
        Turn::User { text, images } => {
            input.push(json!({"type": "message", "role": "user", "content": parts(text, images)}));
        }
        Turn::Assistant(answer) => assistant(answer, input),
        Turn::Result { call, content, .. } => input
            .push(json!({"type": "function_call_output", "call_id": id(call), "output": content})),
    }
}

/// Returns the id of a call; the service accepts 64 bytes.
fn id(call: &ModelCall) -> Cow<'_, str> {
    fitting(&call.id, Form::Short(64))
}

fn parts(text: &str, images: &[Image]) -> Vec<Value> {
    let image = |image| json!({"type": "input_image", "image_url": data_url(image)});
    let text = (!text.is_empty() || images.is_empty())
        .then(|| json!({"type": "input_text", "text": text}));
    images.iter().map(image).chain(text).collect()
}

fn assistant(answer: &ModelResponse, input: &mut Vec<Value>) {
    let ours = answer.reasoning.iter().filter_map(|thought| thought.state.as_ref());
    let is_item = |state: &&Value| {
        state.get("type").is_some_and(|kind| kind == "reasoning")
            // Without its content the service would look for an item that it did not store.
            && state.get("encrypted_content").is_some_and(Value::is_string)
    };
    input.extend(ours.filter(is_item).cloned());
    if !answer.text.is_empty() {
        let part = json!({"type": "output_text", "text": answer.text, "annotations": []});
        input.push(json!({"type": "message", "role": "assistant", "content": [part]}));
    }
    input.extend(answer.calls.iter().map(|call: &ModelCall| {
        json!({
            "type": "function_call", "call_id": id(call), "name": call.name,
            "arguments": call.arguments,
        })
    }));
}

#[derive(Deserialize)]
struct Event<'a> {
    r#type: Option<String>,
    output_index: Option<u64>,
    delta: Option<Value>,
    /// Complete arguments of a call.
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<Response<'a>>,
    error: Option<Value>,
    code: Option<Value>,
    message: Option<Value>,
}

#[derive(Default, Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    output: Option<Vec<&'a RawValue>>,
    status: Option<String>,
    incomplete_details: Option<Value>,
    usage: Option<Value>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Item<'a> {
    r#type: Option<String>,
    call_id: Option<String>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    content: Option<Value>,
    summary: Option<Value>,
}

/// Reads a stream, or an answer in one piece.
#[derive(Default)]
pub(super) struct Reader {
    calls: Calls,
    thoughts: BTreeMap<u64, Reasoning>,
    /// What was reported of each item. An item that comes twice, or only at the end, is reported once.
    reported: BTreeMap<u64, Reported>,
    refusal: String,
    usage: Option<Usage>,
    status: Option<String>,
    why: String,
}

#[derive(Default)]
struct Reported {
    words: bool,
    thought: bool,
    refusal: bool,
    is_done: bool,
}

impl Read for Reader {
    fn event(&mut self, name: &str, data: &str, out: &mut Out) -> Result<()> {
        if data.trim() == "[DONE]" {
            return Ok(());
        }
        let event: Event<'_> = parse(data)?;
        let index = event.output_index.unwrap_or(0);
        let delta = event.delta.as_ref().and_then(Value::as_str).unwrap_or_default();
        match event.r#type.as_deref().unwrap_or(name) {
            "response.output_text.delta" => {
                self.reported.entry(index).or_default().words = true;
                out.text(delta);
            }
            "response.refusal.delta" => {
                self.reported.entry(index).or_default().refusal = true;
                self.refusal.push_str(delta);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                check_thoughts(self.thoughts.len())?;
                self.reported.entry(index).or_default().thought = true;
                self.thoughts.entry(index).or_default().text.push_str(delta);
                out.reasoning(delta);
            }
            "response.output_item.added" => {
                if let Some(item) = event.item {
                    self.added(index, parse(item.get())?, out)?;
                }
            }
            "response.function_call_arguments.delta" => {
                let arguments = delta.to_owned();
                self.calls.add(
                    CallDelta { index: Some(index), arguments, ..CallDelta::default() },
                    out,
                )?;
            }
            "response.function_call_arguments.done" => {
                self.calls.set_arguments(index, arguments(event.arguments));
            }
            "response.output_item.done" => {
                if let Some(item) = event.item {
                    self.done(index, item, out)?;
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.done" => {
                self.response(event.response.unwrap_or_default(), out)?;
            }
            "error" => {
                let flat = json!({"code": event.code, "message": event.message});
                let error = event.error.filter(|error| !error.is_null());
                return Err(service_error(&error.unwrap_or(flat)));
            }
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &str, out: &mut Out) -> Result<()> {
        self.response(parse(body)?, out)
    }

    fn progress(&self) -> Progress {
        if self.status.is_some() { Progress::Over } else { Progress::Open }
    }

    fn finish(&mut self, out: &mut Out) -> Result<()> {
        let Some(status) = &self.status else {
            return Err(cut_off("before the answer was complete"));
        };
        let is_incomplete = status == "incomplete";
        let refusal = std::mem::take(&mut self.refusal);
        let stopped = match self.why.as_str() {
            "content_filter" => Some(StopReason::Refused(refusal)),
            _ if !refusal.is_empty() => Some(StopReason::Refused(refusal)),
            _ => is_incomplete.then_some(StopReason::Length),
        };
        let calls = if is_incomplete { self.calls.take_whole() } else { self.calls.take() };
        let thoughts = std::mem::take(&mut self.thoughts).into_values();
        let is_something =
            |thought: &Reasoning| !thought.text.is_empty() || thought.state.is_some();
        let thoughts = thoughts.filter(is_something).collect();
        out.end(End { thoughts, calls, usage: self.usage, stopped });
        Ok(())
    }
}

impl Reader {
    fn added(&mut self, index: u64, item: Item<'_>, out: &mut Out) -> Result<()> {
        if item.r#type.as_deref() == Some("function_call") {
            let piece = CallDelta {
                index: Some(index),
                id: item.call_id.as_deref().or(item.id.as_deref()),
                name: item.name.as_deref(),
                arguments: arguments(item.arguments),
                extra: None,
            };
            self.calls.add(piece, out)?;
        }
        Ok(())
    }

    fn done(&mut self, index: u64, text: &RawValue, out: &mut Out) -> Result<()> {
        let item: Item<'_> = parse(text.get())?;
        let reported = self.reported.entry(index).or_default();
        if std::mem::replace(&mut reported.is_done, true) {
            return Ok(());
        }
        match item.r#type.as_deref().unwrap_or("message") {
            "message" => {
                for part in item.content.iter().filter_map(Value::as_array).flatten() {
                    if let (Some(text), false) = (string(part, "text"), reported.words) {
                        out.text(text);
                    }
                    if let (Some(text), false) = (string(part, "refusal"), reported.refusal) {
                        self.refusal.push_str(text);
                    }
                }
                if let (Some(Value::String(text)), false) = (&item.content, reported.words) {
                    out.text(text);
                }
            }
            "reasoning" => {
                check_thoughts(self.thoughts.len())?;
                let thought = self.thoughts.entry(index).or_default();
                if !reported.thought {
                    let parts = [&item.summary, &item.content];
                    let parts = parts.into_iter().flatten().filter_map(Value::as_array).flatten();
                    let texts: Vec<_> = parts.filter_map(|part| string(part, "text")).collect();
                    thought.text = texts.join("\n");
                    out.reasoning(&thought.text);
                }
                thought.state = serde_json::from_str(text.get()).ok().map(without_status);
            }
            "function_call" => {
                let whole = arguments(item.arguments);
                if self.calls.arguments(index).is_none() {
                    self.added(index, item, out)?;
                } else if !whole.is_empty() {
                    self.calls.set_arguments(index, whole);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads the end of a response: items that were not reported, usage, and the status.
    fn response(&mut self, response: Response<'_>, out: &mut Out) -> Result<()> {
        if let Some(error) = response.error.filter(|error| !error.is_null()) {
            return Err(service_error(&error));
        }
        for (index, item) in response.output.into_iter().flatten().enumerate() {
            self.done(index as u64, item, out)?;
        }
        let status = response.status.unwrap_or_else(|| "completed".to_owned());
        if matches!(status.as_str(), "failed" | "cancelled") {
            return Err(service_error(&json!({"message": format!("the answer is {status}")})));
        }
        self.status = Some(status);
        let why = response.incomplete_details.as_ref();
        self.why = why.and_then(|why| string(why, "reason")).unwrap_or_default().to_owned();
        self.usage = response.usage.as_ref().and_then(usage);
        Ok(())
    }
}

fn string<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// Returns a reasoning item without its status, which only the service may set.
fn without_status(mut item: Value) -> Value {
    if let Some(item) = item.as_object_mut() {
        item.shift_remove("status");
    }
    item
}

fn usage(value: &Value) -> Option<Usage> {
    value.as_object()?;
    Some(Usage {
        input: count(value.get("input_tokens")),
        cached: count(value.pointer("/input_tokens_details/cached_tokens")),
        cache_written: 0,
        output: count(value.get("output_tokens")),
        reasoning: count(value.pointer("/output_tokens_details/reasoning_tokens")),
    })
}
