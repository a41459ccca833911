//! Messages, the wire of Anthropic.
//!
//! Marks cached prefixes. Uses no beta of the service.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::arguments;
use super::super::ids::{Form, fitting};
use super::super::preset::Output;
use super::super::turns::{Turn, turns};
use super::super::{
    ChatRequest, Image, ModelCall, ModelResponse, Reasoning, StopReason, ToolChoice, ToolSpec,
    Usage,
};
use super::call::{CallDelta, Calls, as_object};
use super::{
    End, Out, Progress, Read, Settings, base64, check_thoughts, count, cut_off, object, parse, raw,
    service_error,
};
use mitt_base::Result;

/// Most tokens of an answer if the request names none: the wire requires a limit.
const MAX_TOKENS: u64 = 8_192;

/// An object under construction, with fields that are JSON text.
type Block = Vec<(&'static str, Box<RawValue>)>;

pub(super) fn body(settings: &Settings, request: &ChatRequest<'_>) -> String {
    let mut fields = vec![
        ("model", raw(&settings.model)),
        ("max_tokens", raw(request.max_tokens.unwrap_or(MAX_TOKENS))),
    ];
    if !request.tools.is_empty() {
        let mut tools: Vec<_> = request.tools.iter().map(|spec| tool(settings, spec)).collect();
        mark(tools.last_mut());
        fields.push(("tools", raw(tools.into_iter().map(object).collect::<Vec<_>>())));
        let choice = match request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!({"type": "none"})),
            ToolChoice::Required => Some(json!({"type": "any"})),
            ToolChoice::Tool(name) => Some(json!({"type": "tool", "name": name})),
        };
        fields.extend(choice.map(|choice| ("tool_choice", raw(choice))));
    }
    let (mut system, turns) = turns(request);
    for turn in &turns {
        // The wire has one field for all instructions.
        if let Turn::System(text) = turn {
            super::chat::append(&mut system, text);
        }
    }
    if let Some(output) = request.output {
        if settings.output(request, output) == Output::Schema {
            let format = json!({"format": {"type": "json_schema", "schema": output.schema}});
            fields.push(("output_config", raw(format)));
        } else {
            super::chat::append(&mut system, &super::output_in_words(&output.schema));
        }
    }
    if !system.is_empty() {
        let mut block = vec![("type", raw("text")), ("text", raw(system))];
        mark(Some(&mut block));
        fields.push(("system", raw([object(block)])));
    }
    fields.push(("messages", raw(conversation(&turns))));
    fields.push(("stream", raw(true)));
    object(fields).get().to_owned()
}

/// Marks the end of a prefix for the service's cache, so that it is not processed again with the next turn.
fn mark(block: Option<&mut Block>) {
    if let Some(block) = block {
        block.push(("cache_control", raw(json!({"type": "ephemeral"}))));
    }
}

fn tool(settings: &Settings, tool: &ToolSpec) -> Block {
    let mut fields = vec![
        ("name", raw(&tool.name)),
        ("description", raw(&tool.description)),
        ("input_schema", raw(&tool.parameters)),
    ];
    if settings.is_strict(tool) {
        fields.push(("strict", raw(true)));
    }
    fields
}

/// Returns messages of alternating roles: results of calls and the user's next text are one message, in this order.
fn conversation(turns: &[Turn<'_>]) -> Vec<Box<RawValue>> {
    let mut messages: Vec<(&'static str, Vec<Block>)> = Vec::new();
    for turn in turns {
        let (role, blocks) = match turn {
            Turn::System(_) => continue,
            Turn::User { text, images } => ("user", user(text, images)),
            Turn::Assistant(answer) => ("assistant", assistant(answer)),
            Turn::Result { call, content, is_error } => {
                let mut block = vec![
                    ("type", raw("tool_result")),
                    ("tool_use_id", raw(fitting(&call.id, Form::Word))),
                    ("content", raw(content)),
                ];
                if *is_error {
                    block.push(("is_error", raw(true)));
                }
                ("user", vec![block])
            }
        };
        match messages.last_mut() {
            Some((last, known)) if *last == role => known.extend(blocks),
            // The service refuses empty messages.
            _ if blocks.is_empty() => {}
            _ => messages.push((role, blocks)),
        }
    }
    let last = messages.iter_mut().rev().find(|(role, _)| *role == "user");
    mark(last.and_then(|(_, blocks)| blocks.last_mut()));
    let message = |(role, blocks): (&str, Vec<Block>)| {
        let content: Vec<_> = blocks.into_iter().map(object).collect();
        object([("role", raw(role)), ("content", raw(content))])
    };
    messages.into_iter().map(message).collect()
}

fn user(text: &str, images: &[Image]) -> Vec<Block> {
    let image = |image: &Image| {
        let source =
            json!({"type": "base64", "media_type": image.media_type, "data": base64(image)});
        vec![("type", raw("image")), ("source", raw(source))]
    };
    images.iter().map(image).chain(words(text)).collect()
}

/// Returns a text block; `None` for an empty text, which the service refuses.
fn words(text: &str) -> Option<Block> {
    (!text.trim().is_empty()).then(|| vec![("type", raw("text")), ("text", raw(text))])
}

fn assistant(answer: &ModelResponse) -> Vec<Block> {
    // The service refuses reasoning without its signature, and reasoning of other services.
    let thought = |thought: &Reasoning| {
        let state = thought.state.as_ref()?.as_object()?;
        let is_ours = match state.get("type")?.as_str()? {
            "thinking" => state.contains_key("signature"),
            "redacted_thinking" => state.contains_key("data"),
            _ => false,
        };
        let known = ["type", "thinking", "signature", "data"];
        let fields = known.iter().filter_map(|key| Some((*key, raw(state.get(*key)?))));
        is_ours.then(|| fields.collect())
    };
    let call = |call: &ModelCall| {
        vec![
            ("type", raw("tool_use")),
            ("id", raw(fitting(&call.id, Form::Word))),
            ("name", raw(&call.name)),
            ("input", as_object(&call.arguments)),
        ]
    };
    let thoughts = answer.reasoning.iter().filter_map(thought);
    thoughts.chain(words(&answer.text)).chain(answer.calls.iter().map(call)).collect()
}

#[derive(Deserialize)]
struct Event<'a> {
    r#type: Option<String>,
    message: Option<Value>,
    index: Option<u64>,
    #[serde(borrow)]
    content_block: Option<Content<'a>>,
    delta: Option<Delta>,
    usage: Option<Value>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Content<'a> {
    r#type: Option<String>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    data: Option<String>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Delta {
    text: Option<String>,
    partial_json: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Whole<'a> {
    #[serde(borrow)]
    content: Option<Vec<Content<'a>>>,
    stop_reason: Option<String>,
    usage: Option<Value>,
    error: Option<Value>,
}

/// Reads a stream, or an answer in one piece.
#[derive(Default)]
pub(super) struct Reader {
    calls: Calls,
    /// Blocks of reasoning by their index, as the service needs them back.
    thoughts: BTreeMap<u64, Value>,
    usage: Option<Usage>,
    stop: Option<String>,
    is_done: bool,
}

impl Read for Reader {
    fn event(&mut self, name: &str, data: &str, out: &mut Out) -> Result<()> {
        let event: Event<'_> = parse(data)?;
        // The data has the name as well, and some servers leave out one or the other.
        match event.r#type.as_deref().unwrap_or(name) {
            "message_start" => {
                self.count(event.message.as_ref().and_then(|message| message.get("usage")));
            }
            "content_block_start" => {
                if let Some(content) = event.content_block {
                    self.begin(event.index.unwrap_or(0), content, out)?;
                }
            }
            "content_block_delta" => {
                if let Some(delta) = event.delta {
                    self.delta(event.index.unwrap_or(0), delta, out)?;
                }
            }
            "message_delta" => {
                self.stop = event.delta.and_then(|delta| delta.stop_reason).or(self.stop.take());
                self.count(event.usage.as_ref());
            }
            "message_stop" => self.is_done = true,
            "error" => return Err(service_error(&event.error.unwrap_or_default())),
            // `ping`, `content_block_stop`, and types that the wire may get later.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &str, out: &mut Out) -> Result<()> {
        let whole: Whole<'_> = parse(body)?;
        if let Some(error) = whole.error.filter(|error| !error.is_null()) {
            return Err(service_error(&error));
        }
        for (index, content) in whole.content.into_iter().flatten().enumerate() {
            self.begin(index as u64, content, out)?;
        }
        (self.stop, self.is_done) = (whole.stop_reason, true);
        self.count(whole.usage.as_ref());
        Ok(())
    }

    fn progress(&self) -> Progress {
        match &self.stop {
            _ if self.is_done => Progress::Over,
            Some(_) => Progress::Complete,
            None => Progress::Open,
        }
    }

    fn finish(&mut self, out: &mut Out) -> Result<()> {
        if self.stop.is_none() {
            if !self.is_done {
                return Err(cut_off("without a reason to stop"));
            }
            if self.calls.is_half() {
                return Err(cut_off("within a call"));
            }
        }
        let thoughts = std::mem::take(&mut self.thoughts).into_values().map(|state| {
            let text = state.get("thinking").and_then(Value::as_str).unwrap_or_default();
            Reasoning { text: text.to_owned(), state: Some(state) }
        });
        let stopped = match self.stop.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => Some(StopReason::Length),
            Some("refusal") => Some(StopReason::Refused(String::new())),
            _ => None,
        };
        let calls = match stopped {
            None => self.calls.take(),
            Some(_) => self.calls.take_whole(),
        };
        out.end(End { thoughts: thoughts.collect(), calls, usage: self.usage, stopped });
        Ok(())
    }
}

impl Reader {
    fn begin(&mut self, index: u64, content: Content<'_>, out: &mut Out) -> Result<()> {
        check_thoughts(self.thoughts.len())?;
        match content.r#type.as_deref().unwrap_or("text") {
            "text" => out.text(content.text.as_deref().unwrap_or_default()),
            "tool_use" => {
                // In a stream this is an empty object, and the arguments follow as text.
                let whole = arguments(content.input);
                let piece = CallDelta {
                    index: Some(index),
                    id: content.id.as_deref(),
                    name: content.name.as_deref(),
                    arguments: if is_empty_object(&whole) { String::new() } else { whole },
                    extra: None,
                };
                self.calls.add(piece, out)?;
            }
            kind @ "thinking" => {
                let thinking = content.thinking.unwrap_or_default();
                out.reasoning(&thinking);
                let mut state = json!({"type": kind, "thinking": thinking});
                if let Some(signature) = content.signature {
                    state["signature"] = json!(signature);
                }
                self.thoughts.insert(index, state);
            }
            kind @ "redacted_thinking" => {
                let data = content.data.unwrap_or_default();
                self.thoughts.insert(index, json!({"type": kind, "data": data}));
            }
            // Blocks of the service's own tools, which were not requested.
            _ => {}
        }
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: Delta, out: &mut Out) -> Result<()> {
        check_thoughts(self.thoughts.len())?;
        out.text(delta.text.as_deref().unwrap_or_default());
        if let Some(arguments) = delta.partial_json {
            self.calls
                .add(CallDelta { index: Some(index), arguments, ..CallDelta::default() }, out)?;
        }
        let mut add = |key: &str, more: &str| {
            let empty = || json!({"type": "thinking", "thinking": ""});
            let state = self.thoughts.entry(index).or_insert_with(empty);
            // Appended in place: a copy for each piece would take quadratic time.
            match &mut state[key] {
                Value::String(known) => known.push_str(more),
                other => *other = json!(more),
            }
        };
        if let Some(text) = &delta.thinking {
            add("thinking", text);
            out.reasoning(text);
        }
        if let Some(text) = &delta.signature {
            add("signature", text);
        }
        Ok(())
    }

    /// Reads counts, which come at the beginning and at the end. The later ones are final.
    fn count(&mut self, value: Option<&Value>) {
        let Some(value) = value.filter(|value| value.is_object()) else { return };
        let before = self.usage.unwrap_or_default();
        let or = |key: &str, before: u64| value.get(key).map_or(before, |n| count(Some(n)));
        let cached = or("cache_read_input_tokens", before.cached);
        let cache_written = or("cache_creation_input_tokens", before.cache_written);
        let fresh = before.input.saturating_sub(before.cached + before.cache_written);
        // The service counts new and cached tokens separately.
        let input = or("input_tokens", fresh) + cached + cache_written;
        let output = or("output_tokens", before.output);
        self.usage = Some(Usage { input, cached, cache_written, output, reasoning: 0 });
    }
}

fn is_empty_object(text: &str) -> bool {
    text.chars().filter(|c| !c.is_whitespace()).eq("{}".chars())
}
