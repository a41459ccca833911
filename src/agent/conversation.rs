//! The loop: ask the model, make the calls that it wants, give back their results; until it wants no more calls.

use std::collections::HashSet;
use std::time::Instant;

use futures_util::StreamExt as _;
use serde_json::json;

use crate::agent::Agent;
use crate::calls::{Made, make};
use crate::compact::compact;
use crate::model::{Answer, ChatEvent, ChatRequest, Message, StopReason, ToolSpec, Usage};
use crate::offer::Offer;
use crate::prompt;
use crate::wanted::{Format, wanted};
use mitt::{CallReport, Event, Session};
use mitt_base::{Error, Resource, Result};

/// What came of an instruction.
#[derive(Debug)]
#[non_exhaustive]
pub struct RunReport {
    /// The model's last words. What they leave out is added: files that were asked for and not delivered, and that an
    /// answer was cut off.
    pub text: String,
    /// Number of turns it took.
    pub turns: u64,
    /// Every call that the model made, in order.
    pub calls: Vec<CallReport>,
    /// Tokens of all turns, where the service tells them.
    pub usage: Usage,
    /// Kinds of files that the instruction asks for and that were not delivered, such as `a PDF file`.
    pub missing: Vec<String>,
}

/// A conversation of a user and a model over a session. What was said before is known to the model in what comes after.
pub struct Conversation<'a> {
    agent: &'a Agent,
    session: &'a Session,
    offer: Offer,
    messages: Vec<Message>,
    /// Names of the documents that the model was told of.
    told: HashSet<String>,
}

/// What one instruction has cost so far.
#[derive(Default)]
struct Spent {
    turns: u64,
    calls: Vec<CallReport>,
    usage: Usage,
    wrong_turns: u64,
}

impl<'a> Conversation<'a> {
    pub(crate) async fn new(agent: &'a Agent, session: &'a Session) -> Conversation<'a> {
        let offer = Offer::new(session, agent.model(), agent.mode()).await;
        let system = prompt::system(session, &offer).await;
        let told = session.documents().iter().map(|document| document.name.clone()).collect();
        Conversation { agent, session, offer, messages: vec![Message::System(system)], told }
    }

    /// What was said so far, the host's instructions first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Let the model follow an instruction.
    ///
    /// Dropping the future stops the model and its calls; the conversation can go on after that, and after an error.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the model failed, refused, or wrote wrong arguments again and again.
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - a limit of [`AgentLimits`](crate::AgentLimits) was reached. Files that were
    /// delivered before stay. A failed call is not an error here: the model is told, and may do better.
    pub async fn say(&mut self, instruction: &str) -> Result<RunReport> {
        let time = self.agent.limits().time;
        match tokio::time::timeout(time, self.follow(instruction)).await {
            Ok(done) => done,
            Err(_) => {
                let limit = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                let error = Error::limit(Resource::ModelTime, limit, limit.saturating_add(1));
                Err(error.hint("split the task, or allow more time; what was delivered stays"))
            }
        }
    }

    async fn follow(&mut self, instruction: &str) -> Result<RunReport> {
        let before = self.delivered();
        let wanted = wanted(instruction);
        let text = self.with_new_documents(instruction);
        self.messages.push(Message::User { text, images: Vec::new() });
        let mut spent = Spent::default();
        let mut is_reminded = !self.agent.model().can_react();
        loop {
            let answer = self.turn(&mut spent).await?;
            if !answer.calls.is_empty() {
                self.make_calls(answer, &mut spent).await?;
                continue;
            }
            let missing = self.missing(&wanted, &before);
            let said = answer.text.clone();
            if said.trim().is_empty()
                && self.delivered() == before
                && self.agent.model().can_react()
            {
                let error = Error::model("the model gave an empty answer");
                return Err(error.hint("ask again, or take another model"));
            }
            self.messages.push(Message::Assistant(answer));
            if missing.is_empty() || is_reminded {
                return Ok(report(said, spent, missing));
            }
            is_reminded = true;
            let reminder = format!(
                "(From the host, not from the user.) {} was asked for and has not been delivered. Deliver it now with a tool, or say plainly why you cannot.",
                listed(&missing)
            );
            self.messages.push(Message::user(reminder));
        }
    }

    /// One turn of the model, within the limits.
    async fn turn(&mut self, spent: &mut Spent) -> Result<Answer> {
        let limits = self.agent.limits();
        let turns = limits.turns.unwrap_or(self.session.host().session_limits().model_turns);
        if spent.turns == turns {
            let error = Error::limit(Resource::ModelTurns, turns, turns + 1);
            return Err(error.hint("split the task, or raise the limit in the host"));
        }
        spent.turns += 1;
        let shortened = compact(&mut self.messages, limits.context_characters);
        if shortened > 0 {
            self.note(
                spent.turns,
                format!("results of old calls were shortened to save space: {shortened}"),
            );
        }
        let specs = self.offer.specs(&self.session.registry()).await;
        let answer = self.ask(&specs, spent).await?;
        let used = spent.usage.input.saturating_add(spent.usage.output);
        // The last turn's words are not thrown away for having cost too much.
        if used > limits.tokens && !answer.calls.is_empty() {
            let error = Error::limit(Resource::ModelTokens, limits.tokens, used);
            return Err(error.hint("split the task, or raise the limit; what was delivered stays"));
        }
        Ok(answer)
    }

    async fn make_calls(&mut self, answer: Answer, spent: &mut Spent) -> Result<()> {
        let limits = self.agent.limits();
        let calls = (spent.calls.len() + answer.calls.len()) as u64;
        if calls > limits.calls {
            let error = Error::limit(Resource::ModelCalls, limits.calls, calls);
            return Err(error.hint("split the task, or raise the limit; what was delivered stays"));
        }
        let Made { messages, reports, wrong } =
            make(self.session, &mut self.offer, &answer.calls).await;
        // Together: a call without its result would be refused by most services when the conversation goes on.
        self.messages.push(Message::Assistant(answer));
        self.messages.extend(messages);
        spent.calls.extend(reports);
        let Some(wrong) = wrong.filter(|_| self.agent.model().can_react()) else {
            spent.wrong_turns = 0;
            return Ok(());
        };
        spent.wrong_turns += 1;
        if spent.wrong_turns > limits.wrong_turns {
            let message =
                format!("the model's calls were wrong {} times in a row", spent.wrong_turns);
            return Err(Error::model(message)
                .detail(&wrong)
                .hint("take another model, or say more exactly what to do"));
        }
        Ok(())
    }

    async fn ask(&self, tools: &[ToolSpec], spent: &mut Spent) -> Result<Answer> {
        let (model, session, turn) = (self.agent.model(), self.session, spent.turns);
        let start = Instant::now();
        let mut stream = model.chat(ChatRequest::new(&self.messages, tools)).await?;
        let mut answer = Answer::default();
        let mut usage = Usage::default();
        while let Some(event) = stream.next().await {
            match event? {
                ChatEvent::Text(text) => {
                    answer.text.push_str(&text);
                    session.emit(&Event::ModelText { turn, text });
                }
                ChatEvent::Reasoning(text) => session.emit(&Event::ModelReasoning { turn, text }),
                ChatEvent::CallStarted { id, name } => {
                    session.emit(&Event::ModelCall { turn, id, tool: name });
                }
                ChatEvent::Call(call) => answer.calls.push(call),
                ChatEvent::Thought(thought) => answer.reasoning.push(thought),
                ChatEvent::Usage(of_turn) => {
                    usage = of_turn;
                    let Usage { input, cached, output, .. } = usage;
                    session.emit(&Event::ModelUsage { turn, input, cached, output });
                }
                ChatEvent::Note(text) => self.note(turn, text),
                ChatEvent::Stopped(StopReason::Refused(why)) => {
                    let error = Error::model("the model refused to answer");
                    return Err(if why.is_empty() { error } else { error.detail(&why) });
                }
                ChatEvent::Stopped(StopReason::Length) => {
                    answer.text.push_str("\n[cut off: the answer reached its limit of tokens]");
                }
            }
        }
        spent.usage = add(spent.usage, usage);
        let calls: Vec<_> = answer.calls.iter().map(|call| &call.name).collect();
        let details = json!({
            "number": turn, "model": model.name(), "calls": calls,
            "input_tokens": usage.input, "output_tokens": usage.output,
        });
        session.note("turn", details);
        session.emit(&Event::Turn {
            number: turn,
            model: model.name().to_owned(),
            text: answer.text.clone(),
            n_calls: answer.calls.len(),
            duration: start.elapsed(),
        });
        Ok(answer)
    }

    fn note(&self, turn: u64, text: String) {
        self.session.note("model-note", json!({ "turn": turn, "text": text }));
        self.session.emit(&Event::ModelNote { turn, text });
    }

    /// The user's words, and the documents that came since the model was told of any.
    fn with_new_documents(&mut self, instruction: &str) -> String {
        let documents = self.session.documents();
        let new: Vec<_> = documents.iter().filter(|it| !self.told.contains(&it.name)).collect();
        if new.is_empty() {
            return instruction.to_owned();
        }
        let list = prompt::documents_list(new.iter().map(|document| document.as_ref()));
        self.told.extend(new.iter().map(|document| document.name.clone()));
        format!("{instruction}\n\nNew documents:\n{list}")
    }

    /// What was delivered, by name and content: a file may be delivered again.
    fn delivered(&self) -> HashSet<(String, String)> {
        let artifacts = self.session.artifacts().into_iter();
        artifacts.map(|artifact| (artifact.name, artifact.sha256)).collect()
    }

    fn missing(&self, wanted: &[Format], before: &HashSet<(String, String)>) -> Vec<&'static str> {
        let delivered = self.delivered();
        let is_there =
            |format: &Format| delivered.difference(before).any(|(name, _)| format.is_of(name));
        wanted.iter().filter(|format| !is_there(format)).map(|format| format.name).collect()
    }
}

fn report(mut text: String, spent: Spent, missing: Vec<&'static str>) -> RunReport {
    if !missing.is_empty() {
        text.push_str(&format!("\n\nNot delivered: {}.", listed(&missing)));
    }
    RunReport {
        text,
        turns: spent.turns,
        calls: spent.calls,
        usage: spent.usage,
        missing: missing.into_iter().map(str::to_owned).collect(),
    }
}

fn listed(names: &[&str]) -> String {
    names.join(" and ")
}

fn add(a: Usage, b: Usage) -> Usage {
    Usage {
        input: a.input.saturating_add(b.input),
        cached: a.cached.saturating_add(b.cached),
        cache_written: a.cache_written.saturating_add(b.cache_written),
        output: a.output.saturating_add(b.output),
        reasoning: a.reasoning.saturating_add(b.reasoning),
    }
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
