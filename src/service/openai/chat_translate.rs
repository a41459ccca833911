//! Turns the events of a run into chunks of a chat completion, and the whole completion.

use serde_json::{Value, json};

use super::error::{JSON_VALIDATE_FAILED, body};
use super::follow::{FileLink, Translate};
use super::ids::call_id;
use super::parts::{place_of_files, sentence};
use super::record::Begin;
use crate::problem::Problem;
use crate::run::{
    EventData, Failure, FunctionCall, OUTPUT_MISMATCH, Question, RunEvent, RunState, RunStatus,
    RunUsage,
};

/// What a completion is made for.
#[derive(Clone, Debug, Default)]
pub(super) struct ChatHead {
    pub(super) id: String,
    pub(super) run: String,
    pub(super) model: String,
    pub(super) created_ms: u64,
    pub(super) begin: Begin,
    /// What the models had used before.
    pub(super) usage: RunUsage,
    /// `true` if the last chunk has what was used.
    pub(super) includes_usage: bool,
    /// `true` if the answer has a form, so that its text is JSON and nothing else.
    pub(super) has_form: bool,
}

/// Makes a chat completion.
pub(super) struct ChatTranslator {
    head: ChatHead,
    chunks: Vec<Value>,
    text: String,
    reasoning: String,
    calls: Vec<Value>,
    files: Vec<FileLink>,
    usage: RunUsage,
    turn_text: String,
    /// `true` if the next text belongs to another turn than the last one.
    is_new_turn: bool,
    has_begun: bool,
    finish: Option<&'static str>,
    problem: Option<Problem>,
}

impl ChatTranslator {
    pub(super) fn new(head: ChatHead) -> ChatTranslator {
        ChatTranslator {
            has_begun: head.begin == Begin::Created,
            usage: head.usage,
            head,
            chunks: Vec::new(),
            text: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            files: Vec::new(),
            turn_text: String::new(),
            is_new_turn: false,
            finish: None,
            problem: None,
        }
    }

    /// Returns the whole completion, or why there is none.
    pub(super) fn completion(&self) -> Result<Value, Problem> {
        if let Some(problem) = &self.problem {
            return Err(problem.clone());
        }
        let content = (!self.text.is_empty()).then_some(&self.text);
        let mut message = json!({"role": "assistant", "content": content, "refusal": null});
        if !self.calls.is_empty() {
            message["tool_calls"] = self.calls.iter().map(without_index).collect();
        }
        let annotations = self.annotations();
        if !annotations.is_empty() {
            message["annotations"] = json!(annotations);
        }
        if !self.reasoning.is_empty() {
            message["reasoning_content"] = json!(self.reasoning);
        }
        Ok(json!({
            "id": self.head.id, "object": "chat.completion", "created": self.head.created_ms / 1_000,
            "model": self.head.model, "service_tier": "default", "system_fingerprint": null,
            "choices": [{
                "index": 0, "message": message, "finish_reason": self.finish.unwrap_or("stop"), "logprobs": null,
            }],
            "usage": self.used(),
        }))
    }

    /// Returns `true` if the run is still needed: it delivered files, or waits for functions.
    pub(super) fn needs_run(&self) -> bool {
        !self.calls.is_empty() || !self.files.is_empty()
    }

    fn used(&self) -> Value {
        let (now, before) = (&self.usage, &self.head.usage);
        let prompt = now.input_tokens.saturating_sub(before.input_tokens);
        let completion = now.output_tokens.saturating_sub(before.output_tokens);
        json!({
            "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": now.cached_tokens.saturating_sub(before.cached_tokens)},
            "completion_tokens_details": {"reasoning_tokens": 0},
        })
    }

    fn chunk(&mut self, choices: Value) {
        let mut chunk = json!({
            "id": self.head.id, "object": "chat.completion.chunk", "created": self.head.created_ms / 1_000,
            "model": self.head.model, "service_tier": "default", "system_fingerprint": null,
            "choices": choices,
        });
        if self.head.includes_usage {
            chunk["usage"] = Value::Null;
        }
        self.chunks.push(chunk);
    }

    fn delta(&mut self, delta: Value, finish: Option<&str>) {
        self.chunk(
            json!([{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": null}]),
        );
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let is_new = std::mem::take(&mut self.is_new_turn) && !self.text.is_empty();
        let text = if is_new { format!("\n\n{text}") } else { text.to_owned() };
        self.text.push_str(&text);
        self.delta(json!({"content": text}), None);
    }

    fn function_calls(&mut self, calls: &[FunctionCall]) {
        for call in calls {
            let call = json!({
                "index": self.calls.len(), "id": call_id(&self.head.run, &call.id), "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            });
            self.delta(json!({"tool_calls": [call]}), None);
            self.calls.push(call);
        }
        self.finish("tool_calls");
    }

    /// Returns the links to the files of an answer that has a form. In other answers they are in the text.
    fn annotations(&self) -> Vec<Value> {
        let end = self.text.chars().count();
        let files = self.files.iter().filter(|_| self.head.has_form);
        let link = |file: &FileLink| {
            json!({"type": "url_citation", "url_citation": {
                "url": file.url, "title": file.name, "start_index": end, "end_index": end,
            }})
        };
        files.map(link).collect()
    }

    fn finish(&mut self, reason: &'static str) {
        let annotations = self.annotations();
        if !annotations.is_empty() {
            self.delta(json!({"annotations": annotations}), None);
        }
        let in_text = if self.head.has_form { Vec::new() } else { self.files.clone() };
        for (index, file) in in_text.iter().enumerate() {
            self.is_new_turn = false;
            let before = match index {
                0 if self.text.is_empty() => "",
                0 => "\n\n",
                _ => "\n",
            };
            self.write(&format!("{before}{}", file.markdown()));
        }
        self.finish = Some(reason);
        self.delta(json!({}), Some(reason));
        if self.head.includes_usage {
            self.chunk(json!([]));
            let used = self.used();
            if let Some(last) = self.chunks.last_mut() {
                last["usage"] = used;
            }
        }
    }

    /// Refuses because the answer never had the form, with what the model said.
    fn mismatch(&mut self, failure: &Failure, said: Option<&str>) {
        // A status that clients do not repeat: the run has asked the model again itself.
        let mut problem = Problem::bad(JSON_VALIDATE_FAILED, sentence(failure));
        problem.answer = said.map(str::to_owned);
        self.refuse(if self.files.is_empty() {
            problem
        } else {
            problem.hint(place_of_files(&self.head.run))
        });
    }

    fn finish_as(&mut self, status: RunStatus, failure: Option<&Failure>) {
        match (status, failure) {
            (RunStatus::Completed, None) => self.finish("stop"),
            // What there is of the answer is worth something.
            (_, Some(failure)) if failure.code == "limit" && !self.text.is_empty() => {
                self.finish("length");
            }
            (RunStatus::Cancelled, _) => {
                self.refuse(Problem::conflict("cancelled", "the run was cancelled"));
            }
            (_, Some(failure)) => {
                let status = match failure.code.as_str() {
                    "busy" => 503,
                    "budget_exhausted" => 402,
                    "limit" | "document" | "input" => 400,
                    _ => 500,
                };
                self.refuse(Problem::new(status, &failure.code, sentence(failure)));
            }
            (_, None) => {
                let problem =
                    Problem::new(503, "interrupted", "the service stopped while it worked");
                self.refuse(problem.hint("send the request again"));
            }
        }
    }

    fn refuse(&mut self, problem: Problem) {
        if let Ok(error) = serde_json::to_value(body(&problem)) {
            self.chunks.push(error);
        }
        self.finish = Some("error");
        self.problem = Some(problem);
    }

    fn question(&mut self, question: &Question) {
        match question {
            Question::Functions { calls, .. } => self.function_calls(calls),
            // Runs of this interface refuse what must be approved, and make no plan for review.
            Question::Approval { .. } | Question::Plan { .. } => {}
        }
    }
}

impl Translate for ChatTranslator {
    fn start(&mut self) {
        self.delta(json!({"role": "assistant", "content": ""}), None);
    }

    fn event(&mut self, event: &RunEvent, file: Option<FileLink>) {
        if self.is_done() {
            return;
        }
        self.has_begun = self.has_begun || self.head.begin.begins_with(event);
        if !self.has_begun {
            return;
        }
        let is_own = event.agent.is_none();
        match &event.data {
            EventData::TurnStarted { .. } if is_own => {
                self.is_new_turn = true;
                self.turn_text.clear();
            }
            // What the model says before the answer has no form, and the answer is checked first.
            EventData::Text { text, .. } if is_own && !self.head.has_form => {
                self.turn_text.push_str(text);
                self.write(text);
            }
            EventData::Reasoning { text, .. } if is_own => {
                self.reasoning.push_str(text);
                self.delta(json!({"reasoning_content": text}), None);
            }
            EventData::TurnEnded { text, .. } if is_own && !self.head.has_form => {
                let turn = std::mem::take(&mut self.turn_text);
                if let Some(rest) = text.strip_prefix(turn.as_str()) {
                    self.write(rest);
                }
            }
            EventData::File { .. } => {
                if let Some(file) = file {
                    self.files.retain(|it| it.name != file.name);
                    self.files.push(file);
                }
            }
            EventData::Question { question } => self.question(question),
            EventData::Usage { usage } => self.usage = *usage,
            EventData::Ended { status, text, failure, usage, .. } => {
                self.usage = *usage;
                if let Some(failure) = failure.as_ref().filter(|it| it.code == OUTPUT_MISMATCH) {
                    return self.mismatch(failure, text.as_deref());
                }
                let text = text.as_deref().unwrap_or_default().trim();
                if !text.is_empty() && !self.text.trim_end().ends_with(text) {
                    self.is_new_turn = true;
                    self.write(text);
                }
                self.finish_as(*status, failure.as_ref());
            }
            _ => {}
        }
    }

    fn end(&mut self, state: &RunState) {
        if self.is_done() {
            return;
        }
        self.usage = state.usage;
        match (&state.question, &state.failure) {
            (Some(question), _) => self.question(question),
            (None, Some(failure)) if failure.code == OUTPUT_MISMATCH => {
                self.mismatch(failure, state.text.as_deref());
            }
            (None, failure) => self.finish_as(state.status, failure.as_ref()),
        }
        if !self.is_done() {
            let problem = Problem::conflict("waiting", "the run waits for an answer");
            self.refuse(problem.hint("answer it over `/v1/runs`"));
        }
    }

    fn fail(&mut self, problem: &Problem) {
        if !self.is_done() {
            self.refuse(problem.clone());
        }
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn is_done(&self) -> bool {
        self.finish.is_some()
    }

    fn take(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.chunks)
    }
}

/// Returns a call as a whole message has it.
fn without_index(call: &Value) -> Value {
    let mut call = call.clone();
    if let Some(call) = call.as_object_mut() {
        call.remove("index");
    }
    call
}

#[cfg(test)]
mod tests;
