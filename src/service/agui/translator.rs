//! Events of a run as events of AG-UI: a state machine without input or output of its own.
//!
//! Whatever the run does, the sequence is valid for a client that checks it: messages, reasoning, calls, steps and agents
//! are opened once and closed before the run finishes, and nothing follows the end. A client that joins in the middle of a
//! turn gets the rest of it as a message of its own.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::events::{
    Outcome, PROTOCOL_VERSION, PageEvent, StampedEvent, SubagentOutcome, TokenUsage,
};
use super::interrupts;
use super::shared_state::{self, SharedState};
use super::translation::{LinkOf, Made, Translation, call_id, custom, success};
use crate::problem::Problem;
use crate::run::{EventData, Failure, Question, RunEvent, RunFile, RunState, RunStatus, RunUsage};

/// Role of messages of the agent.
const ASSISTANT: &str = "assistant";

/// Translates the events of one run of AG-UI.
pub(super) struct Translator {
    translation: Translation,
    link: LinkOf,
    /// Identifier of Mitt's run.
    run: String,
    model: String,
    state: SharedState,
    /// Turns that are under way, by their agents.
    turns: BTreeMap<Option<u64>, Turn>,
    /// Agents that were started, with whether they are at work.
    agents: BTreeMap<u64, bool>,
    /// Names of the steps that are under way, by their identifiers.
    steps: BTreeMap<String, String>,
    /// Calls without a result, in their order, with their tools.
    calls: Vec<(String, String)>,
    /// The last whole text of the run's own model.
    last_text: String,
    status: Option<RunStatus>,
    usage: RunUsage,
    is_finished: bool,
}

/// A turn of a model.
#[derive(Default)]
struct Turn {
    /// Identifier of its message, once it has one.
    message: Option<String>,
    /// `true` if the message is open.
    is_open: bool,
    /// `true` if text was sent.
    has_text: bool,
    /// Identifier of the reasoning that is open.
    reasoning: Option<String>,
}

impl Translator {
    /// Returns a translator for a run, and the first events. `page_state` is the state that the page sent.
    pub(super) fn new(
        translation: Translation,
        run: &RunState,
        page_state: Value,
        link: LinkOf,
        now_ms: u64,
    ) -> (Translator, Vec<StampedEvent>) {
        let linked = |file: &RunFile| RunFile { url: Some(link(file)), ..file.clone() };
        let files = run.files.iter().map(linked).collect();
        let (state, snapshot) = SharedState::new(run, files, page_state);
        let mut made = Made { events: Vec::new(), timestamp: now_ms };
        made.push(PageEvent::RunStarted {
            thread_id: translation.thread_id.clone(),
            run_id: translation.run_id.clone(),
            protocol_version: PROTOCOL_VERSION,
            parent_run_id: translation.parent_run_id.clone(),
        });
        if let Some(snapshot) = snapshot {
            made.push(PageEvent::StateSnapshot { snapshot });
        }
        for note in &translation.notes {
            made.push(custom("mitt.note", json!({ "text": note }), None));
        }
        let translator = Translator {
            usage: translation.usage_before,
            translation,
            link,
            run: run.id.clone(),
            model: run.model.clone(),
            state,
            turns: BTreeMap::new(),
            agents: BTreeMap::new(),
            steps: BTreeMap::new(),
            calls: Vec::new(),
            last_text: String::new(),
            status: None,
            is_finished: false,
        };
        (translator, made.events)
    }

    /// Returns `true` if the run of AG-UI has ended, and nothing may follow.
    pub(super) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Translates an event.
    pub(super) fn event(&mut self, event: &RunEvent) -> Vec<StampedEvent> {
        let mut made = Made { events: Vec::new(), timestamp: event.time_ms };
        if !self.is_finished {
            self.translate(event, &mut made);
        }
        made.events
    }

    /// Ends the run of AG-UI when no more events come: with the problem, or because the run stopped.
    pub(super) fn end(&mut self, problem: Option<&Problem>, now_ms: u64) -> Vec<StampedEvent> {
        let mut made = Made { events: Vec::new(), timestamp: now_ms };
        if self.is_finished {
            return made.events;
        }
        match (problem, self.status) {
            (Some(problem), _) => self.fail(&problem.code, &problem.detail, &mut made),
            (None, Some(RunStatus::Cancelled)) => self.finish(Outcome::Cancelled, None, &mut made),
            (None, Some(RunStatus::Completed)) => self.finish(success(), None, &mut made),
            (None, _) => {
                let message = "the run stopped before its end; it can be continued";
                self.fail("interrupted", message, &mut made);
            }
        }
        made.events
    }

    fn translate(&mut self, event: &RunEvent, made: &mut Made) {
        let agent = event.agent;
        match &event.data {
            EventData::Status { status } => {
                self.status = Some(*status);
                made.state(self.state.status(status.name()));
            }
            EventData::Instruction { .. } => self.translation.awaits_instruction = false,
            EventData::DocumentStarted { name, .. } => {
                made.push(custom(
                    "mitt.progress",
                    json!({ "text": format!("reading {name}") }),
                    None,
                ));
            }
            EventData::DocumentReady { document } => made.state(self.state.add_document(document)),
            EventData::TurnStarted { .. } => {
                self.close_turn(agent, made);
            }
            EventData::Text { text, .. } => self.text(agent, text, event.number, made),
            EventData::Reasoning { text, .. } => self.reasoning(agent, text, event.number, made),
            EventData::TurnEnded { text, calls, .. } => {
                let has_text = self.turns.get(&agent).is_some_and(|turn| turn.has_text);
                if !has_text {
                    self.text(agent, text, event.number, made);
                }
                if agent.is_none() && !text.is_empty() {
                    self.last_text.clone_from(text);
                }
                let message = self.message_of(agent, event.number);
                self.close_turn(agent, made);
                for call in calls {
                    let id = call_id(agent, &call.id);
                    self.call(agent, (id, &call.name, &call.arguments), &message, made);
                }
            }
            EventData::CallStarted { call, tool, depth, .. } if *depth > 0 => {
                let value =
                    json!({ "call": call, "tool": tool, "depth": depth, "state": "started" });
                self.custom(agent, "mitt.call", value, made);
            }
            EventData::CallEnded { call, tool, depth, duration_ms, failure } if *depth > 0 => {
                let value = json!({
                    "call": call,
                    "tool": tool,
                    "depth": depth,
                    "state": if failure.is_some() { "failed" } else { "done" },
                    "durationMs": duration_ms,
                    "failure": failure,
                });
                self.custom(agent, "mitt.call", value, made);
            }
            EventData::CallStarted { .. } | EventData::CallEnded { .. } => {}
            EventData::CallResult { model_call, content, is_error } => {
                let id = call_id(agent, model_call);
                self.calls.retain(|(call, _)| *call != id);
                if self.translation.provided.contains(&id) {
                    return;
                }
                let subagent_run_id = self.subagent(agent, made);
                made.push(PageEvent::ToolCallResult {
                    message_id: self.id(event.number),
                    tool_call_id: id,
                    content: content.clone(),
                    role: "tool",
                    metadata: is_error.then(|| json!({ "mitt": { "isError": true } })),
                    subagent_run_id,
                });
            }
            EventData::Output { call, stream, text } => {
                let value = json!({ "call": call, "stream": stream, "text": text });
                self.custom(agent, "mitt.output", value, made);
            }
            EventData::File { file, warnings } => {
                let file = RunFile { url: Some((self.link)(file)), ..file.clone() };
                let mut value = shared_state::file(&file);
                value["warnings"] = json!(warnings);
                self.custom(agent, "mitt.file", value, made);
                made.state(self.state.add_file(file));
            }
            EventData::Question { question } => self.question(question, event.number, made),
            EventData::Answered { .. } => {}
            EventData::Plan { number, title, steps } => {
                made.state(self.state.set_plan(*number, title, steps));
            }
            EventData::PlanStep { id, state, .. } => self.step(id, state, made),
            EventData::AgentStarted { id, parent, name, task } => {
                let parent = parent.filter(|parent| self.agents.contains_key(parent));
                if self.agents.contains_key(id) {
                    return;
                }
                self.agents.insert(*id, true);
                made.push(PageEvent::SubagentStarted {
                    subagent_run_id: self.subagent_id(*id),
                    name: name.clone(),
                    description: Some(task.clone()),
                    parent_subagent_run_id: parent.map(|parent| self.subagent_id(parent)),
                });
            }
            EventData::AgentEnded { id, status, failure, .. } => {
                self.close_turn(Some(*id), made);
                if self.agents.get(id) != Some(&true) {
                    return;
                }
                self.agents.insert(*id, false);
                let subagent_run_id = self.subagent_id(*id);
                made.push(match failure {
                    None => PageEvent::SubagentFinished { subagent_run_id, outcome: None },
                    Some(message) => PageEvent::SubagentError {
                        subagent_run_id,
                        message: message.clone(),
                        code: status.clone(),
                    },
                });
            }
            EventData::Usage { usage } => self.usage = *usage,
            EventData::Note { text } => {
                self.custom(agent, "mitt.note", json!({ "text": text }), made)
            }
            EventData::Progress { text } => {
                self.custom(agent, "mitt.progress", json!({ "text": text }), made);
            }
            EventData::Ended { status, text, files, missing, failure, usage, .. } => {
                // An earlier instruction ended while this one was on its way.
                if self.translation.awaits_instruction {
                    return;
                }
                self.usage = *usage;
                self.ended(*status, failure.as_ref(), made, |translator, made| {
                    translator.answer(text.as_deref(), files, event.number, made);
                    translator.result(text.as_deref(), files, missing)
                });
            }
        }
    }

    fn ended(
        &mut self,
        status: RunStatus,
        failure: Option<&Failure>,
        made: &mut Made,
        result: impl FnOnce(&mut Translator, &mut Made) -> Value,
    ) {
        match (status, failure) {
            (RunStatus::Cancelled, _) => self.finish(Outcome::Cancelled, None, made),
            (_, Some(failure)) => {
                let message = match &failure.hint {
                    Some(hint) => format!("{}\nhint: {hint}", failure.message),
                    None => failure.message.clone(),
                };
                self.fail(&failure.code, &message, made);
            }
            (RunStatus::Failed | RunStatus::Interrupted, None) => {
                self.fail(status.name(), "the instruction was not followed to its end", made);
            }
            _ => {
                let result = result(self, made);
                self.finish(success(), Some(result), made);
            }
        }
    }

    /// Sends the answer if no message has it, and links to the files.
    fn answer(&mut self, text: Option<&str>, files: &[String], number: u64, made: &mut Made) {
        let text = text.unwrap_or_default();
        if !self.last_text.contains(text.trim()) {
            self.text(None, text, number, made);
            self.close_turn(None, made);
        }
        let link = |name: &String| {
            let url = self.state.file(name)?.url.clone()?;
            let name = name.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
            Some(format!("- [{name}]({url})"))
        };
        let links: Vec<String> = files.iter().filter_map(link).collect();
        if !links.is_empty() {
            self.turns.insert(
                None,
                Turn { message: Some(format!("{}-files", self.id(number))), ..Turn::default() },
            );
            self.text(None, &links.join("\n"), number, made);
            self.close_turn(None, made);
        }
    }

    fn result(&self, text: Option<&str>, files: &[String], missing: &[String]) -> Value {
        let files: Vec<Value> =
            files.iter().filter_map(|name| self.state.file(name)).map(shared_state::file).collect();
        json!({ "text": text.unwrap_or_default(), "files": files, "missing": missing })
    }

    fn text(&mut self, agent: Option<u64>, text: &str, number: u64, made: &mut Made) {
        if text.is_empty() {
            return;
        }
        self.close_reasoning(agent, made);
        let subagent_run_id = self.subagent(agent, made);
        let message_id = self.message_of(agent, number);
        let turn = self.turns.entry(agent).or_default();
        turn.has_text = true;
        if !std::mem::replace(&mut turn.is_open, true) {
            made.push(PageEvent::TextMessageStart {
                message_id: message_id.clone(),
                role: ASSISTANT,
                subagent_run_id: subagent_run_id.clone(),
            });
        }
        made.push(PageEvent::TextMessageContent {
            message_id,
            delta: text.to_owned(),
            subagent_run_id,
        });
    }

    fn reasoning(&mut self, agent: Option<u64>, text: &str, number: u64, made: &mut Made) {
        if text.is_empty() {
            return;
        }
        let subagent_run_id = self.subagent(agent, made);
        let id = format!("{}-reasoning", self.id(number));
        let turn = self.turns.entry(agent).or_default();
        let message_id = match &turn.reasoning {
            Some(id) => id.clone(),
            None => {
                turn.reasoning = Some(id.clone());
                made.push(PageEvent::ReasoningStart {
                    message_id: id.clone(),
                    subagent_run_id: subagent_run_id.clone(),
                });
                made.push(PageEvent::ReasoningMessageStart {
                    message_id: id.clone(),
                    role: "reasoning",
                    subagent_run_id: subagent_run_id.clone(),
                });
                id
            }
        };
        made.push(PageEvent::ReasoningMessageContent {
            message_id,
            delta: text.to_owned(),
            subagent_run_id,
        });
    }

    fn close_reasoning(&mut self, agent: Option<u64>, made: &mut Made) {
        let turn = self.turns.get_mut(&agent);
        let Some(message_id) = turn.and_then(|turn| turn.reasoning.take()) else { return };
        let subagent_run_id = agent.map(|agent| self.subagent_id(agent));
        made.push(PageEvent::ReasoningMessageEnd {
            message_id: message_id.clone(),
            subagent_run_id: subagent_run_id.clone(),
        });
        made.push(PageEvent::ReasoningEnd { message_id, subagent_run_id });
    }

    /// Closes what a turn has open. The next text begins a new message.
    fn close_turn(&mut self, agent: Option<u64>, made: &mut Made) {
        self.close_reasoning(agent, made);
        let Some(turn) = self.turns.remove(&agent) else { return };
        if let (Some(message_id), true) = (turn.message, turn.is_open) {
            let subagent_run_id = agent.map(|agent| self.subagent_id(agent));
            made.push(PageEvent::TextMessageEnd { message_id, subagent_run_id });
        }
    }

    /// Returns the message of the agent's turn, which may be new.
    fn message_of(&mut self, agent: Option<u64>, number: u64) -> String {
        let id = self.id(number);
        self.turns.entry(agent).or_default().message.get_or_insert(id).clone()
    }

    fn call(
        &mut self,
        agent: Option<u64>,
        (id, name, arguments): (String, &str, &str),
        message: &str,
        made: &mut Made,
    ) {
        let subagent_run_id = self.subagent(agent, made);
        made.push(PageEvent::ToolCallStart {
            tool_call_id: id.clone(),
            tool_call_name: name.to_owned(),
            parent_message_id: message.to_owned(),
            subagent_run_id: subagent_run_id.clone(),
        });
        made.push(PageEvent::ToolCallArgs {
            tool_call_id: id.clone(),
            delta: if arguments.is_empty() { "{}".to_owned() } else { arguments.to_owned() },
            subagent_run_id: subagent_run_id.clone(),
        });
        made.push(PageEvent::ToolCallEnd { tool_call_id: id.clone(), subagent_run_id });
        self.calls.push((id, name.to_owned()));
    }

    fn question(&mut self, question: &Question, number: u64, made: &mut Made) {
        if let Question::Functions { calls, .. } = question {
            let message = format!("{}-calls", self.id(number));
            for call in calls {
                if !self.calls.iter().any(|(id, _)| *id == call.id) {
                    let call = (call.id.clone(), call.name.as_str(), call.arguments.as_str());
                    self.call(None, call, &message, made);
                }
            }
            let pending_tool_call_ids = calls.iter().map(|call| call.id.clone()).collect();
            self.finish(Outcome::Success { pending_tool_call_ids }, None, made);
            return;
        }
        // A script may have made the call, so the call of the model need not have the same tool.
        let tool = match question {
            Question::Approval { tool, .. } => Some(tool),
            _ => None,
        };
        let of_tool = self.calls.iter().rev().find(|(_, name)| Some(name) == tool);
        let call = match (tool, of_tool, self.calls.as_slice()) {
            (None, ..) => None,
            (_, Some((id, _)), _) | (_, None, [(id, _)]) => Some(id.clone()),
            _ => None,
        };
        if let Some(interrupt) = interrupts::of_question(question, call) {
            self.finish(Outcome::Interrupt { interrupts: vec![interrupt] }, None, made);
        }
    }

    fn step(&mut self, id: &str, state: &str, made: &mut Made) {
        match state {
            "running" if !self.steps.contains_key(id) => {
                let step_name = self.state.step_name(id);
                self.steps.insert(id.to_owned(), step_name.clone());
                made.push(PageEvent::StepStarted { step_name });
            }
            "running" | "reflecting" => {}
            _ => {
                if let Some(step_name) = self.steps.remove(id) {
                    made.push(PageEvent::StepFinished { step_name });
                }
            }
        }
        made.state(self.state.set_step(id, state));
    }

    fn custom(&mut self, agent: Option<u64>, name: &'static str, value: Value, made: &mut Made) {
        let subagent_run_id = self.subagent(agent, made);
        made.push(custom(name, value, subagent_run_id));
    }

    /// Closes everything, and finishes the run of AG-UI.
    fn finish(&mut self, outcome: Outcome, result: Option<Value>, made: &mut Made) {
        self.close_all(made);
        let interrupt_ids: Option<Vec<String>> = match &outcome {
            Outcome::Interrupt { interrupts } => {
                Some(interrupts.iter().map(|interrupt| interrupt.id.clone()).collect())
            }
            _ => None,
        };
        for (agent, is_at_work) in std::mem::take(&mut self.agents) {
            if is_at_work {
                let outcome = interrupt_ids.clone();
                let outcome =
                    outcome.map(|interrupt_ids| SubagentOutcome::Suspended { interrupt_ids });
                let subagent_run_id = self.subagent_id(agent);
                made.push(PageEvent::SubagentFinished { subagent_run_id, outcome });
            }
        }
        made.push(PageEvent::RunFinished {
            thread_id: self.translation.thread_id.clone(),
            run_id: self.translation.run_id.clone(),
            result,
            outcome,
            usage: self.usage(),
        });
        self.is_finished = true;
    }

    fn fail(&mut self, code: &str, message: &str, made: &mut Made) {
        self.close_all(made);
        made.push(PageEvent::RunError {
            message: message.to_owned(),
            code: code.to_owned(),
            usage: self.usage(),
        });
        self.is_finished = true;
    }

    /// Closes messages and steps.
    fn close_all(&mut self, made: &mut Made) {
        let agents: Vec<Option<u64>> = self.turns.keys().copied().collect();
        for agent in agents {
            self.close_turn(agent, made);
        }
        for (_, step_name) in std::mem::take(&mut self.steps) {
            made.push(PageEvent::StepFinished { step_name });
        }
    }

    /// Returns what the models used since the run of AG-UI began.
    fn usage(&self) -> Vec<TokenUsage> {
        let before = &self.translation.usage_before;
        let input_tokens = self.usage.input_tokens.saturating_sub(before.input_tokens);
        let output_tokens = self.usage.output_tokens.saturating_sub(before.output_tokens);
        let total_tokens = input_tokens.saturating_add(output_tokens);
        if total_tokens == 0 {
            return Vec::new();
        }
        vec![TokenUsage {
            model: self.model.clone(),
            input_tokens,
            output_tokens,
            total_tokens,
            cached_input_tokens: self.usage.cached_tokens.saturating_sub(before.cached_tokens),
        }]
    }

    /// Returns the identifier of what an event of the run begins, which no other event has.
    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.run)
    }

    fn subagent_id(&self, agent: u64) -> String {
        format!("{}-agent-{agent}", self.run)
    }

    /// Returns the tag of an agent's events. An agent that began before this run of AG-UI is started here.
    fn subagent(&mut self, agent: Option<u64>, made: &mut Made) -> Option<String> {
        let agent = agent?;
        let subagent_run_id = self.subagent_id(agent);
        if let std::collections::btree_map::Entry::Vacant(entry) = self.agents.entry(agent) {
            entry.insert(true);
            made.push(PageEvent::SubagentStarted {
                subagent_run_id: subagent_run_id.clone(),
                name: format!("agent-{agent}"),
                description: None,
                parent_subagent_run_id: None,
            });
        }
        Some(subagent_run_id)
    }
}

#[cfg(test)]
#[path = "translator_tests.rs"]
pub(super) mod tests;
