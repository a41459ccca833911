//! Turns the events of a run into the events and the output of a response. The same events give the same numbers and
//! identifiers, so a client that reconnects misses nothing and sees nothing twice.

use serde_json::{Map, Value, json};

use super::follow::{FileLink, Translate};
use super::format;
use super::ids::call_id;
use super::parts::{place_of_files, sentence, summary_part, text_part, usage};
use super::record::{Begin, ResponseRecord};
use super::tools::{LABEL, SCRIPTS};
use crate::problem::Problem;
use crate::run::{
    EventData, Failure, FunctionCall, OUTPUT_MISMATCH, Question, RunEvent, RunState, RunStatus,
    RunUsage,
};

/// Largest output of a tool in a response, in bytes. The model received the whole.
const MOST_OUTPUT_BYTES: usize = 64 * 1024;

/// Makes a response.
pub(super) struct Translator {
    record: ResponseRecord,
    echo: Map<String, Value>,
    sequence: u64,
    events: Vec<Value>,
    output: Vec<Value>,
    open: Option<Open>,
    calls: Vec<OpenCall>,
    files: Vec<FileLink>,
    usage: RunUsage,
    /// Text of the current turn so far, and of the last message.
    turn_text: String,
    last_text: String,
    has_begun: bool,
    status: &'static str,
    error: Option<Failure>,
    /// What the model said, if it never gave an answer in the form.
    failed_generation: Option<String>,
    completed_ms: Option<u64>,
    is_done: bool,
    /// `true` if the answer has a form, so that its text is JSON and nothing else.
    has_form: bool,
}

/// The item to which text is being added.
struct Open {
    kind: OpenKind,
    index: usize,
    text: String,
    annotations: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenKind {
    Message,
    Reasoning,
}

/// A call of one of Mitt's tools that has no result yet.
struct OpenCall {
    id: String,
    index: usize,
    is_script: bool,
}

impl Translator {
    pub(super) fn new(record: ResponseRecord, echo: Map<String, Value>) -> Translator {
        let usage = record.usage;
        let has_begun = record.begin == Begin::Created;
        let status = if record.background { "queued" } else { "in_progress" };
        let has_form = format::is_demanded(&echo);
        Translator {
            record,
            echo,
            sequence: 0,
            events: Vec::new(),
            output: Vec::new(),
            open: None,
            calls: Vec::new(),
            files: Vec::new(),
            usage,
            turn_text: String::new(),
            last_text: String::new(),
            has_begun,
            status,
            error: None,
            failed_generation: None,
            completed_ms: None,
            is_done: false,
            has_form,
        }
    }

    /// Returns the response as it is now.
    pub(super) fn response(&self) -> Value {
        let record = &self.record;
        let mut response = self.echo.clone();
        let incomplete =
            (self.status == "incomplete").then(|| json!({"reason": "max_output_tokens"}));
        let error = self.error.as_ref().map(|it| {
            // Strict clients know no other codes.
            let code = match it.code.as_str() {
                "busy" | "budget_exhausted" => "rate_limit_exceeded",
                _ => "server_error",
            };
            // Vercel's client reads no error without a type.
            let mut error = json!({"code": code, "message": sentence(it), "type": code});
            if let Some(said) = &self.failed_generation {
                error["failed_generation"] = json!(said);
            }
            error
        });
        let own = json!({
            "id": record.id().to_string(),
            "object": "response",
            "created_at": record.created_ms / 1_000,
            "completed_at": self.completed_ms.filter(|_| self.status == "completed").map(|it| it / 1_000),
            "status": self.status,
            "model": record.model,
            "previous_response_id": record.previous,
            "output": self.output,
            "error": error,
            "incomplete_details": incomplete,
            "usage": self.is_done.then(|| usage(&self.usage, &record.usage)),
        });
        if let Value::Object(own) = own {
            response.extend(own);
        }
        Value::Object(response)
    }

    fn emit(&mut self, kind: &str, mut event: Value) {
        event["type"] = json!(kind);
        event["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        self.events.push(event);
    }

    fn emit_response(&mut self, kind: &str) {
        let response = self.response();
        self.emit(kind, json!({"response": response}));
    }

    /// Adds an item to the output, and returns its index.
    fn add(&mut self, item: Value) -> usize {
        let index = self.output.len();
        self.emit("response.output_item.added", json!({"output_index": index, "item": item}));
        self.output.push(item);
        index
    }

    fn done(&mut self, index: usize) {
        let item = self.output[index].clone();
        self.emit("response.output_item.done", json!({"output_index": index, "item": item}));
    }

    /// Emits an event of an item.
    fn emit_item(&mut self, index: usize, kind: &str, mut event: Value) {
        event["item_id"] = self.output[index]["id"].clone();
        event["output_index"] = json!(index);
        self.emit(kind, event);
    }

    fn item_id(&self, prefix: &str) -> String {
        self.record.id().item(prefix, self.output.len())
    }

    /// Adds text to the open item of this kind, which it opens if another one is open.
    fn write(&mut self, kind: OpenKind, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.open.as_ref().is_none_or(|it| it.kind != kind) {
            self.close();
            self.begin(kind);
        }
        let Some(open) = &mut self.open else { return };
        open.text.push_str(text);
        let index = open.index;
        match kind {
            OpenKind::Message => {
                let event = json!({"content_index": 0, "delta": text, "logprobs": []});
                self.emit_item(index, "response.output_text.delta", event);
            }
            OpenKind::Reasoning => {
                let event = json!({"summary_index": 0, "delta": text});
                self.emit_item(index, "response.reasoning_summary_text.delta", event);
            }
        }
    }

    fn begin(&mut self, kind: OpenKind) {
        let index = match kind {
            OpenKind::Message => {
                let id = self.item_id("msg");
                let index = self.add(json!({
                    "type": "message", "id": id, "status": "in_progress", "role": "assistant", "content": [],
                }));
                let event = json!({"content_index": 0, "part": text_part("", &[])});
                self.emit_item(index, "response.content_part.added", event);
                index
            }
            OpenKind::Reasoning => {
                let id = self.item_id("rs");
                let index = self.add(json!({"type": "reasoning", "id": id, "summary": []}));
                let event = json!({"summary_index": 0, "part": summary_part("")});
                self.emit_item(index, "response.reasoning_summary_part.added", event);
                index
            }
        };
        self.open = Some(Open { kind, index, text: String::new(), annotations: Vec::new() });
    }

    /// Ends the open item.
    fn close(&mut self) {
        let Some(Open { kind, index, text, annotations }) = self.open.take() else { return };
        match kind {
            OpenKind::Message => {
                let event = json!({"content_index": 0, "text": text, "logprobs": []});
                self.emit_item(index, "response.output_text.done", event);
                let part = text_part(&text, &annotations);
                let event = json!({"content_index": 0, "part": part});
                self.emit_item(index, "response.content_part.done", event);
                self.output[index]["content"] = json!([part]);
                self.output[index]["status"] = json!("completed");
                self.last_text = text;
            }
            OpenKind::Reasoning => {
                let event = json!({"summary_index": 0, "text": text});
                self.emit_item(index, "response.reasoning_summary_text.done", event);
                let part = summary_part(&text);
                let event = json!({"summary_index": 0, "part": part});
                self.emit_item(index, "response.reasoning_summary_part.done", event);
                self.output[index]["summary"] = json!([part]);
            }
        }
        self.done(index);
    }

    /// Shows a call of one of Mitt's tools.
    fn begin_call(&mut self, call: &FunctionCall) {
        let container = self.record.container.clone();
        let (index, is_script) = match container.filter(|_| call.name == SCRIPTS) {
            Some(container) => (self.begin_script(call, &container), true),
            None => (self.begin_tool(call), false),
        };
        self.calls.push(OpenCall { id: call.id.clone(), index, is_script });
    }

    fn begin_script(&mut self, call: &FunctionCall, container: &str) -> usize {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let code = arguments["code"].as_str().unwrap_or_default().to_owned();
        let id = self.item_id("ci");
        let index = self.add(json!({
            "type": "code_interpreter_call", "id": id, "status": "in_progress", "code": "",
            "container_id": container, "outputs": null,
        }));
        self.emit_item(index, "response.code_interpreter_call.in_progress", json!({}));
        self.emit_item(index, "response.code_interpreter_call_code.delta", json!({"delta": code}));
        self.emit_item(index, "response.code_interpreter_call_code.done", json!({"code": code}));
        self.emit_item(index, "response.code_interpreter_call.interpreting", json!({}));
        self.output[index]["code"] = json!(code);
        self.output[index]["status"] = json!("interpreting");
        index
    }

    fn begin_tool(&mut self, call: &FunctionCall) -> usize {
        let id = self.item_id("mcp");
        let index = self.add(json!({
            "type": "mcp_call", "id": id, "server_label": LABEL, "name": call.name, "arguments": "",
            "status": "in_progress", "output": null, "error": null,
        }));
        self.emit_item(index, "response.mcp_call.in_progress", json!({}));
        let arguments = &call.arguments;
        self.emit_item(index, "response.mcp_call_arguments.delta", json!({"delta": arguments}));
        self.emit_item(index, "response.mcp_call_arguments.done", json!({"arguments": arguments}));
        self.output[index]["arguments"] = json!(arguments);
        index
    }

    /// Ends a call. Without a result it was not carried out to its end.
    fn end_call(&mut self, call: &OpenCall, result: Option<(&str, bool)>) {
        let index = call.index;
        let text = result.map(|(text, _)| mitt_base::text::cut_bytes(text, MOST_OUTPUT_BYTES));
        let status = match result {
            Some((_, false)) => "completed",
            Some((_, true)) => "failed",
            None => "incomplete",
        };
        self.output[index]["status"] = json!(status);
        if call.is_script {
            self.output[index]["outputs"] =
                text.map_or(json!([]), |it| json!([{"type": "logs", "logs": it}]));
            // OpenAI has no event for a failed script.
            self.emit_item(index, "response.code_interpreter_call.completed", json!({}));
        } else {
            match (text, status) {
                (Some(text), "completed") => self.output[index]["output"] = json!(text),
                (text, _) => {
                    let text = text.unwrap_or("the call was not carried out to its end");
                    let content = json!([{"type": "text", "text": text}]);
                    self.output[index]["error"] =
                        json!({"type": "mcp_tool_execution_error", "content": content});
                }
            }
            let kind = if status == "completed" { "completed" } else { "failed" };
            self.emit_item(index, &format!("response.mcp_call.{kind}"), json!({}));
        }
        self.done(index);
    }

    /// Shows a call of a function of the caller, which the caller carries out.
    fn function_call(&mut self, call: &FunctionCall) {
        let id = self.item_id("fc");
        let call_id = call_id(&self.record.run, &call.id);
        let mut item = json!({
            "type": "function_call", "id": id, "call_id": call_id, "name": call.name,
            "arguments": "", "status": "in_progress",
        });
        let index = self.add(item.clone());
        let arguments = &call.arguments;
        let delta = json!({"delta": arguments});
        self.emit_item(index, "response.function_call_arguments.delta", delta);
        let done = json!({"arguments": arguments, "name": call.name});
        self.emit_item(index, "response.function_call_arguments.done", done);
        item["arguments"] = json!(arguments);
        item["status"] = json!("completed");
        self.output[index] = item;
        self.done(index);
    }

    fn question(&mut self, question: &Question, time_ms: u64) {
        match question {
            Question::Functions { calls, .. } => {
                self.close();
                for call in calls {
                    // A call that the model requested beside them has no result yet, and needs none here.
                    self.calls.retain(|it| it.id != call.id);
                    self.function_call(call);
                }
            }
            Question::Approval { tool, arguments, .. } => {
                self.close();
                let id = self.item_id("mcpr");
                let index = self.add(json!({
                    "type": "mcp_approval_request", "id": id, "server_label": LABEL, "name": tool,
                    "arguments": arguments.to_string(),
                }));
                self.done(index);
            }
            // No request of this interface asks for the review of a plan.
            Question::Plan { .. } => return,
        }
        self.finish("completed", None, time_ms);
    }

    /// Completes the text of a turn that came in parts, or came as a whole.
    fn complete_turn(&mut self, text: &str) {
        let turn = std::mem::take(&mut self.turn_text);
        if let Some(rest) = text.strip_prefix(turn.as_str()) {
            self.write(OpenKind::Message, rest);
        }
    }

    /// Adds the answer, unless the last message has it already.
    fn answer(&mut self, text: &str) {
        let last = match &self.open {
            Some(open) if open.kind == OpenKind::Message => open.text.as_str(),
            _ => self.last_text.as_str(),
        };
        if text.trim().is_empty() || last.trim_end().ends_with(text.trim()) {
            return;
        }
        self.close();
        self.write(OpenKind::Message, text);
    }

    /// Adds links to the delivered files, with annotations at their places. An answer with a form has annotations alone.
    fn links(&mut self) {
        if self.has_form {
            for file in std::mem::take(&mut self.files) {
                let end = self.open.as_ref().map_or(0, |it| it.text.chars().count());
                self.annotate(file.annotations(end, end));
            }
            return;
        }
        for file in std::mem::take(&mut self.files) {
            let so_far = self.open.as_ref().filter(|it| it.kind == OpenKind::Message);
            let before = match so_far {
                Some(open) if open.text.ends_with(')') && !open.annotations.is_empty() => "\n",
                Some(_) => "\n\n",
                None => "",
            };
            let link = file.markdown();
            self.write(OpenKind::Message, &format!("{before}{link}"));
            let Some(open) = &self.open else { return };
            let end = open.text.chars().count();
            let start = end - link.chars().count();
            self.annotate(file.annotations(start, end));
        }
    }

    /// Adds annotations to the open message, if there is one.
    fn annotate(&mut self, annotations: Vec<Value>) {
        let Some(open) = self.open.as_mut().filter(|it| it.kind == OpenKind::Message) else {
            return;
        };
        let (first, index) = (open.annotations.len(), open.index);
        open.annotations.extend(annotations.iter().cloned());
        for (number, annotation) in annotations.into_iter().enumerate() {
            let event = json!({
                "content_index": 0, "annotation_index": first + number, "annotation": annotation,
            });
            self.emit_item(index, "response.output_text.annotation.added", event);
        }
    }

    /// Returns `true` if the text is none in the demanded form. It is part of the error then: clients read every message as JSON.
    fn is_mismatch(&mut self, failure: Option<&Failure>, text: Option<&String>) -> bool {
        let is_mismatch = failure.is_some_and(|it| it.code == OUTPUT_MISMATCH);
        if is_mismatch {
            self.failed_generation = text.cloned();
        }
        is_mismatch
    }

    fn finish(&mut self, status: &'static str, failure: Option<Failure>, time_ms: u64) {
        self.links();
        self.close();
        for call in std::mem::take(&mut self.calls) {
            self.end_call(&call, None);
        }
        self.status = status;
        self.error = failure;
        self.completed_ms = Some(time_ms);
        self.is_done = true;
        self.emit_response(match status {
            "completed" => "response.completed",
            "failed" => "response.failed",
            // There is no event for a cancelled response.
            _ => "response.incomplete",
        });
    }

    fn finish_as(&mut self, status: RunStatus, failure: Option<&Failure>, time_ms: u64) {
        let status = match (status, failure) {
            (RunStatus::Completed, None) => "completed",
            (RunStatus::Cancelled, _) => "cancelled",
            (_, Some(failure)) if failure.code == "limit" => "incomplete",
            _ => "failed",
        };
        let failure = match (status, failure) {
            ("failed", None) => Some(Failure {
                code: "interrupted".to_owned(),
                message: "the service stopped while it worked on this".to_owned(),
                hint: Some("continue with `previous_response_id`".to_owned()),
            }),
            (_, failure) => failure.cloned(),
        };
        let failure = failure.map(|mut it| {
            if it.code == OUTPUT_MISMATCH && !self.files.is_empty() {
                let files = place_of_files(&self.record.run);
                it.hint = Some(it.hint.map_or(files.clone(), |hint| format!("{hint}; {files}")));
            }
            it
        });
        self.finish(status, failure, time_ms);
    }
}

impl Translate for Translator {
    fn start(&mut self) {
        self.emit_response("response.created");
        if self.record.background {
            self.emit_response("response.queued");
        }
        self.status = "in_progress";
        self.emit_response("response.in_progress");
    }

    fn event(&mut self, event: &RunEvent, file: Option<FileLink>) {
        if self.is_done {
            return;
        }
        self.has_begun = self.has_begun || self.record.begin.begins_with(event);
        if !self.has_begun {
            return;
        }
        // Other agents work out of sight; what they deliver and ask is seen.
        let is_own = event.agent.is_none();
        match &event.data {
            EventData::TurnStarted { .. } if is_own => {
                self.close();
                self.turn_text.clear();
            }
            // What the model says before the answer has no form, and the answer is checked first.
            EventData::Text { .. } if self.has_form => {}
            EventData::Text { text, .. } if is_own => {
                self.turn_text.push_str(text);
                self.write(OpenKind::Message, text);
            }
            EventData::Reasoning { text, .. } if is_own => self.write(OpenKind::Reasoning, text),
            EventData::TurnEnded { text, calls, .. } if is_own => {
                if !self.has_form {
                    self.complete_turn(text);
                }
                let functions = &self.echo["tools"];
                let is_function = |name: &str| {
                    functions
                        .as_array()
                        .into_iter()
                        .flatten()
                        .any(|it| it["type"] == "function" && it["name"] == name)
                };
                let ours: Vec<&FunctionCall> =
                    calls.iter().filter(|it| !is_function(&it.name)).collect();
                if !ours.is_empty() {
                    self.close();
                }
                for call in ours {
                    self.begin_call(call);
                }
            }
            EventData::CallResult { model_call, content, is_error } if is_own => {
                if let Some(at) = self.calls.iter().position(|it| it.id == *model_call) {
                    let call = self.calls.remove(at);
                    self.end_call(&call, Some((content, *is_error)));
                }
            }
            EventData::File { .. } => {
                if let Some(file) = file {
                    // A later file of the same name replaces it.
                    self.files.retain(|it| it.name != file.name);
                    self.files.push(file);
                }
            }
            EventData::Question { question } => self.question(question, event.time_ms),
            EventData::Usage { usage } => self.usage = *usage,
            EventData::Ended { status, text, failure, usage, .. } => {
                self.usage = *usage;
                if !self.is_mismatch(failure.as_ref(), text.as_ref()) {
                    self.answer(text.as_deref().unwrap_or_default());
                }
                self.finish_as(*status, failure.as_ref(), event.time_ms);
            }
            _ => {}
        }
    }

    fn end(&mut self, state: &RunState) {
        if self.is_done {
            return;
        }
        self.usage = state.usage;
        match &state.question {
            Some(question) => self.question(question, state.updated_ms),
            None => {
                self.is_mismatch(state.failure.as_ref(), state.text.as_ref());
                self.finish_as(state.status, state.failure.as_ref(), state.updated_ms);
            }
        }
    }

    fn fail(&mut self, problem: &Problem) {
        if self.is_done {
            return;
        }
        self.is_done = true;
        self.status = "failed";
        self.emit("error", json!({"code": problem.code, "message": problem.detail, "param": null}));
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn take(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }
}

#[cfg(test)]
mod tests;
