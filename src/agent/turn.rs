//! One turn of the model: its request, and its answer piece by piece.

use std::time::Instant;

use futures_util::StreamExt as _;
use serde_json::json;

use crate::compact::{Length, compact, compact_hard, is_worth_a_summary, tokens};
use crate::conversation::Conversation;
use crate::log::LogEntry;
use crate::model::{
    ChatEvent, ChatRequest, Message, ModelResponse, StopReason, ToolChoice, ToolSpec, Usage,
};
use crate::prompt::TEXTS;
use crate::run_event::RunEvent;
use crate::run_usage::RunUsage;
use crate::tags;
use crate::window::{Window, is_about_length};
use mitt::guard::{Blocked, Passed};
use mitt::offer::ToolMode;
use mitt_base::tokens::TextSize;
use mitt_base::{Error, Remedy, Result};

/// Most tokens of a summary.
const SUMMARY_TOKENS: u64 = 4_000;

/// Most bytes of the reasoning of one answer. It is kept, and sent back to the service with each later request.
const MAX_THOUGHT_BYTES: usize = 4 * 1024 * 1024;

pub(crate) const CUT_OFF: &str = "\n[cut off: the answer reached its limit of tokens]";

const SUMMARISE: &str = "(From the host, not from the user.) The conversation is too long to be kept whole. Write down, for yourself, what you need \
to go on: what was found and decided, exact numbers, names of documents, tables, references and files, what is delivered and what is left to do. \
Make no calls.";

impl Conversation<'_> {
    /// Runs one turn of the model within the limits.
    pub(crate) async fn turn(&mut self, run_usage: &mut RunUsage) -> Result<()> {
        self.check_functions().await?;
        let limits = self.agent.limits();
        let turns = limits.turns.unwrap_or(self.session.host().session_limits().model_turns);
        run_usage.check_usage(self.agent)?;
        run_usage.begin_turn(turns)?;
        let small_talk = if self.has_demand() { None } else { self.small_talk() };
        let (answer, usage) = match small_talk {
            Some(messages) => self.ask(ChatRequest::new(&messages, &[]), run_usage.turns).await?,
            None => {
                let specs = self.offer.specs(&self.session.registry()).await;
                self.check_choice(&specs)?;
                let window = self.window(&specs).await;
                self.shorten(&specs, window, run_usage).await?;
                self.ask_shortened(&specs, window, run_usage.turns).await?
            }
        };
        run_usage.add_usage(&usage, self.agent);
        let answer = self.with_tag_as_call(answer, run_usage.turns);
        let answer = self.with_checked_arguments(answer)?;
        let is_empty = answer.calls.is_empty() && answer.text.trim().is_empty();
        let has_delivered = self.history.open().is_some_and(|open| !open.delivered.is_empty());
        if is_empty && !has_delivered && self.agent.model().can_react() {
            let error = Error::model("the model gave an empty answer");
            return Err(error.hint("ask again, or take another model"));
        }
        self.note_calls(&answer);
        self.record_entry(LogEntry::Answer { answer, usage });
        Ok(())
    }

    /// Turns a tag at the end of the answer into the call that it stands for, unless the model may only have repeated what
    /// it read.
    fn with_tag_as_call(&self, answer: ModelResponse, turn: u64) -> ModelResponse {
        if !self.agent.has_tags() {
            return answer;
        }
        // The number of messages makes the call's id unique in the conversation.
        let Some(called) = tags::as_call(&answer, self.history.messages().len()) else {
            return answer;
        };
        let is_read = |message: &Message| match message {
            Message::Tool { content, .. } => tags::is_in(content),
            Message::User { text, .. } => {
                text.split_once(TEXTS).is_some_and(|(_, texts)| tags::is_in(texts))
            }
            _ => false,
        };
        if self.history.messages().iter().any(is_read) {
            let text = "the tag at the end of the answer was left alone: a result or a document that the model read has one too";
            self.note(turn, text.to_owned());
            return answer;
        }
        called
    }

    /// Shortens the conversation if it is too long: first the results of old calls, then a summary of what was done.
    async fn shorten(
        &mut self,
        specs: &[ToolSpec],
        window: Option<Window>,
        run_usage: &mut RunUsage,
    ) -> Result<()> {
        let limits = self.agent.limits();
        let tokens =
            window.map_or(limits.context_tokens, |it| it.room().min(limits.context_tokens));
        let limit = Length { characters: limits.context_characters, tokens };
        let mut shortened = compact(self.history.messages_mut(), limit);
        if window.is_some() {
            shortened += compact_hard(self.history.messages_mut(), limit);
        }
        if shortened > 0 {
            let text = format!("results of old calls were shortened to save space: {shortened}");
            self.note(run_usage.turns, text);
        }
        if !self.agent.model().can_react() || !is_worth_a_summary(self.history.messages(), limit) {
            return Ok(());
        }
        let mut messages = self.history.messages().to_vec();
        messages.push(Message::user(SUMMARISE));
        let mut request = ChatRequest::new(&messages, specs);
        // The tools stay in the request, because the service caches what comes first in it.
        request.tool_choice = &ToolChoice::None;
        let most = window.map_or(SUMMARY_TOKENS, |it| it.context / 4);
        request.max_tokens = Some(SUMMARY_TOKENS.min(most));
        let (ModelResponse { text, .. }, usage) = self.receive(request, None, &mut false).await?;
        run_usage.add_usage(&usage, self.agent);
        if text.trim().is_empty() {
            let error =
                Error::model("the conversation is too long, and the model gave no summary of it");
            return Err(error.hint("begin a new conversation, or raise the limit of its length"));
        }
        self.note(run_usage.turns, "what was done before was summed up to save space".to_owned());
        self.record_entry(LogEntry::Summary { text });
        Ok(())
    }

    /// Asks for an answer. A request that is longer than the model's context is shortened once more.
    async fn ask_shortened(
        &mut self,
        specs: &[ToolSpec],
        window: Option<Window>,
        turn: u64,
    ) -> Result<(ModelResponse, Usage)> {
        let names = self.session.table_names();
        let length = tokens(self.history.messages());
        if let Some(window) = window.filter(|it| it.is_exceeded(length)) {
            return Err(self.too_long(window.exceeded(length)));
        }
        let (choice, form) = (self.choice(), self.held.demand.form.clone());
        // Where a call is required, the text has no form.
        let is_free = matches!(choice, ToolChoice::Auto | ToolChoice::None);
        let output = form.as_ref().filter(|_| is_free).map(|form| form.output());
        let mut request = ChatRequest::new(self.history.messages(), specs);
        (request.table_names, request.tool_choice) = (Some(&names[..]), &choice);
        request.output = output;
        let answered = match self.ask(request, turn).await {
            Err(error) if is_about_length(&error) => {
                // The estimate was wrong, or the length of the context is unknown.
                let limit = Length { characters: usize::MAX, tokens: length / 2 };
                if compact_hard(self.history.messages_mut(), limit) == 0 {
                    return Err(self.too_long(error));
                }
                let text = "the request was longer than the model's context: results of calls were shortened, and it is asked again";
                self.note(turn, text.to_owned());
                let mut request = ChatRequest::new(self.history.messages(), specs);
                (request.table_names, request.tool_choice) = (Some(&names[..]), &choice);
                request.output = output;
                self.ask(request, turn).await.map_err(|error| {
                    if is_about_length(&error) { self.too_long(error) } else { error }
                })?
            }
            answered => answered?,
        };
        if let Some(window) = window {
            let (_, Usage { input, .. }) = &answered;
            if let Some(note) = window.cut(length, *input) {
                self.note(turn, note);
            }
        }
        Ok(answered)
    }

    /// Returns the limit of the model's server, if the server states one.
    async fn window(&self, specs: &[ToolSpec]) -> Option<Window> {
        let context = self.agent.model().context_tokens().await?;
        let size = |spec: &ToolSpec| {
            TextSize::of(&spec.name)
                + TextSize::of(&spec.description)
                + TextSize::of(&spec.parameters.to_string())
        };
        let form = self.held.demand.form.iter();
        let form = form.map(|it| TextSize::of(&it.output().schema.to_string()));
        let tools = specs.iter().map(size).chain(form).sum::<TextSize>().tokens();
        Some(Window { context, tools })
    }

    /// Adds advice to `error` for a request that is too long.
    fn too_long(&self, error: Error) -> Error {
        let error = match self.agent.mode() {
            ToolMode::Script => error,
            _ => error.remedy(Remedy::FewerTools),
        };
        error.hint("start the server with a longer context, such as `llama-server --ctx-size 16384`, or ask for less at once")
    }

    async fn ask(&self, request: ChatRequest<'_>, turn: u64) -> Result<(ModelResponse, Usage)> {
        let start = Instant::now();
        let mut has_begun = false;
        let (answer, usage) = match self.receive(request, Some(turn), &mut has_begun).await {
            // The client already repeated requests that failed before an answer began. No call is made before an answer is
            // complete, so a repetition does nothing twice.
            Err(error) if has_begun && error.is_retryable() => {
                self.note(turn, format!("the answer broke off and is asked for again: {error}"));
                self.receive(request, Some(turn), &mut has_begun).await?
            }
            received => received?,
        };
        let model = self.agent.model();
        let calls: Vec<_> = answer.calls.iter().map(|call| &call.name).collect();
        let details = json!({
            "number": turn, "model": model.name(), "calls": calls,
            "input_tokens": usage.input, "output_tokens": usage.output,
        });
        self.session.note("turn", details);
        self.emit(RunEvent::Turn {
            number: turn,
            model: model.name().to_owned(),
            text: answer.text.clone(),
            n_calls: answer.calls.len(),
            duration: start.elapsed(),
        });
        Ok((answer, usage))
    }

    /// Returns the answer to a request. Reports events of `turn` while it arrives; without a turn, as for a request of the
    /// host itself, none.
    async fn receive(
        &self,
        request: ChatRequest<'_>,
        turn: Option<u64>,
        has_begun: &mut bool,
    ) -> Result<(ModelResponse, Usage)> {
        let (mut answer, mut usage) = (ModelResponse::default(), Usage::default());
        let emit = |event: &dyn Fn(u64) -> RunEvent| {
            if let Some(turn) = turn {
                self.emit(event(turn));
            }
        };
        let guard = self.session.guard();
        let (mut text_guard, mut reasoning_guard) = (guard.stream(), guard.stream());
        // No text that holds a blocked word is passed on, and the request is not repeated.
        let checked = |place: &str, passed: Result<Passed, Box<Blocked>>| -> Result<String> {
            let passed = passed.map_err(|it| Error::from(*it).at("the model's answer"))?;
            self.session.note_found(place, &passed.hits);
            Ok(passed.text)
        };
        let add_text = |answer: &mut ModelResponse, text: String| {
            answer.text.push_str(&text);
            if !text.is_empty() {
                emit(&|turn| RunEvent::ModelText { turn, text: text.clone() });
            }
        };
        let add_reasoning = |text: String| {
            if !text.is_empty() {
                emit(&|turn| RunEvent::ModelReasoning { turn, text: text.clone() });
            }
        };
        let (mut is_cut_off, mut thought_bytes) = (false, 0);
        let mut stream = self.agent.model().chat(request).await?;
        while let Some(event) = stream.next().await {
            let event = event?;
            *has_begun |= !matches!(event, ChatEvent::Note(_));
            match event {
                ChatEvent::Text(text) => {
                    add_text(&mut answer, checked("answer", text_guard.push(&text))?)
                }
                ChatEvent::Reasoning(text) => {
                    add_reasoning(checked("reasoning", reasoning_guard.push(&text))?)
                }
                ChatEvent::CallStarted { id, name } => {
                    emit(&|turn| RunEvent::ModelCall { turn, id: id.clone(), tool: name.clone() })
                }
                ChatEvent::Call(call) => answer.calls.push(call),
                ChatEvent::Thought(thought) => {
                    let bytes = thought.state.as_ref().map_or(0, |state| state.to_string().len());
                    thought_bytes += bytes.max(thought.text.len());
                    if thought_bytes > MAX_THOUGHT_BYTES {
                        let message = format!(
                            "the reasoning of an answer has at most {MAX_THOUGHT_BYTES} bytes, got {thought_bytes}"
                        );
                        return Err(Error::model(message).hint("take another model"));
                    }
                    answer.reasoning.push(thought);
                }
                ChatEvent::Usage(of_turn) => {
                    usage = of_turn;
                    let Usage { input, cached, output, .. } = usage;
                    emit(&|turn| RunEvent::ModelUsage { turn, input, cached, output });
                }
                ChatEvent::Note(text) => self.note(turn.unwrap_or_default(), text),
                ChatEvent::Stopped(StopReason::Refused(why)) => {
                    let error = Error::model("the model refused to answer");
                    return Err(if why.is_empty() { error } else { error.detail(&why) });
                }
                ChatEvent::Stopped(StopReason::Length) => is_cut_off = true,
            }
        }
        add_reasoning(checked("reasoning", reasoning_guard.finish())?);
        add_text(&mut answer, checked("answer", text_guard.finish())?);
        if is_cut_off {
            answer.text.push_str(CUT_OFF);
            emit(&|turn| RunEvent::ModelText { turn, text: CUT_OFF.to_owned() });
        }
        Ok((answer, usage))
    }
}
