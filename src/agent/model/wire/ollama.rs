//! Ollama's own wire: `/api/chat`, JSON lines.
//!
//! Uses no other end points of Ollama, and pulls no models.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::arguments;
use super::super::preset::Output;
use super::super::turns::{Turn, turns};
use super::super::{
    ChatRequest, Image, ModelCall, ModelResponse, Reasoning, StopReason, ToolChoice, ToolSpec,
    Usage,
};
use super::call::{CallDelta, Calls, Function, as_object};
use super::{
    End, Out, Progress, Read, Settings, base64, cut_off, object, parse, raw, service_error,
};
use mitt_base::Result;

pub(super) fn body(settings: &Settings, request: &ChatRequest<'_>) -> String {
    let mut fields = vec![("model", raw(&settings.model))];
    // The wire has no tool choice, so tools that must not be called are left out. `Required` has no equivalent.
    let is_offered = |tool: &&ToolSpec| match request.tool_choice {
        ToolChoice::None => false,
        ToolChoice::Tool(name) => tool.name == *name,
        ToolChoice::Auto | ToolChoice::Required => true,
    };
    let tools: Vec<_> = request.tools.iter().filter(is_offered).map(function).collect();
    if !tools.is_empty() {
        fields.push(("tools", raw(tools)));
    }
    let (mut system, turns) = turns(request);
    let mut format = None;
    if let Some(output) = request.output {
        match settings.output(request, output) {
            Output::Schema | Output::Json => format = Some(raw(&output.schema)),
            _ => super::chat::append(&mut system, &super::output_in_words(&output.schema)),
        }
    }
    let mut messages = Vec::new();
    if !system.is_empty() {
        messages.push(raw(json!({"role": "system", "content": system})));
    }
    messages.extend(turns.iter().map(message));
    fields.push(("messages", raw(messages)));
    fields.extend(format.map(|format| ("format", format)));
    let mut options = serde_json::Map::new();
    // Without it the server uses its default and cuts off the beginning of longer requests.
    options.extend(settings.context_tokens.map(|it| ("num_ctx".to_owned(), it.into())));
    options.extend(request.max_tokens.map(|it| ("num_predict".to_owned(), it.into())));
    if !options.is_empty() {
        fields.push(("options", raw(options)));
    }
    fields.push(("stream", raw(true)));
    object(fields).get().to_owned()
}

fn function(tool: &ToolSpec) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
    }})
}

fn message(turn: &Turn<'_>) -> Box<RawValue> {
    match turn {
        Turn::System(text) => raw(json!({"role": "system", "content": text})),
        Turn::User { text, images: [] } => raw(json!({"role": "user", "content": text})),
        Turn::User { text, images } => {
            let images: Vec<_> = images.iter().map(|image: &Image| base64(image)).collect();
            raw(json!({"role": "user", "content": text, "images": images}))
        }
        Turn::Assistant(answer) => assistant(answer),
        Turn::Result { call, content, .. } => raw(json!({
            "role": "tool", "tool_name": call.name, "tool_call_id": call.id, "content": content,
        })),
    }
}

fn assistant(answer: &ModelResponse) -> Box<RawValue> {
    let mut fields = vec![("role", raw("assistant")), ("content", raw(&answer.text))];
    let thoughts: String = answer.reasoning.iter().map(|thought| thought.text.as_str()).collect();
    if !thoughts.is_empty() {
        fields.push(("thinking", raw(thoughts)));
    }
    if !answer.calls.is_empty() {
        let call = |call: &ModelCall| {
            let function =
                object([("name", raw(&call.name)), ("arguments", as_object(&call.arguments))]);
            object([("id", raw(&call.id)), ("function", function)])
        };
        fields.push(("tool_calls", raw(answer.calls.iter().map(call).collect::<Vec<_>>())));
    }
    object(fields)
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
    done: Option<bool>,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Message<'a> {
    content: Option<String>,
    thinking: Option<String>,
    #[serde(borrow)]
    tool_calls: Option<Vec<ToolCall<'a>>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    id: Option<String>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
}

/// Reads JSON lines. An answer in one piece is one line.
#[derive(Default)]
pub(super) struct Reader {
    calls: Calls,
    n_calls: u64,
    thought: String,
    usage: Option<Usage>,
    done: Option<String>,
}

impl Read for Reader {
    fn event(&mut self, _: &str, data: &str, out: &mut Out) -> Result<()> {
        let line: Line<'_> = parse(data)?;
        if let Some(message) = line.message {
            if let Some(text) = &message.thinking {
                self.thought.push_str(text);
                out.reasoning(text);
            }
            out.text(message.content.as_deref().unwrap_or_default());
            for call in message.tool_calls.into_iter().flatten() {
                let function = call.function;
                // Calls arrive complete: each gets an index of its own, whatever the server counts.
                self.n_calls += 1;
                let piece = CallDelta {
                    index: Some(self.n_calls),
                    id: call.id.as_deref(),
                    name: function.as_ref().and_then(|function| function.name.as_deref()),
                    arguments: arguments(function.as_ref().and_then(|f| f.arguments)),
                    extra: None,
                };
                self.calls.add(piece, out)?;
            }
        }
        if let Some(error) = line.error.filter(|error| !error.is_null()) {
            return Err(service_error(&error));
        }
        if line.done == Some(true) {
            self.done = Some(line.done_reason.unwrap_or_default());
            self.usage = line.eval_count.or(line.prompt_eval_count).map(|_| Usage {
                // The server leaves it out if everything was cached.
                input: line.prompt_eval_count.unwrap_or(0),
                output: line.eval_count.unwrap_or(0),
                ..Usage::default()
            });
        }
        Ok(())
    }

    fn whole(&mut self, body: &str, out: &mut Out) -> Result<()> {
        self.event("", body, out)
    }

    fn progress(&self) -> Progress {
        if self.done.is_some() { Progress::Over } else { Progress::Open }
    }

    fn finish(&mut self, out: &mut Out) -> Result<()> {
        let Some(done) = &self.done else { return Err(cut_off("before it was done")) };
        let text = std::mem::take(&mut self.thought);
        let thought = (!text.is_empty()).then_some(Reasoning { text, state: None });
        out.end(End {
            thoughts: thought.into_iter().collect(),
            calls: self.calls.take(),
            usage: self.usage,
            stopped: (done == "length").then_some(StopReason::Length),
        });
        Ok(())
    }
}
