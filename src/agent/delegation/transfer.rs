//! Transfer of the conversation: another agent talks to the user from then on, with its own instructions, tools and rights.

use serde_json::{Value, json};

use crate::calls::TurnOutcome;
use crate::conversation::{Acting, Conversation, Home};
use crate::log::{LogEntry, LoggedAgent, LoggedResult};
use crate::model::ModelCall;
use crate::offer::Offer;
use crate::run_event::{AgentCost, AgentStatus, AgentStep, RunEvent};
use crate::team::MAIN;
use mitt_base::{Error, ErrorKind, Result, text};

impl Conversation<'_> {
    /// Transfers the conversation as the model requests. Calls after this one are not made, because they would run with the
    /// rights of another agent. Functions of the caller, whose calls wait until the others are made, are not called either.
    pub(crate) async fn transfer(&mut self, call: &ModelCall, outcome: &mut TurnOutcome) {
        let (content, is_error) = match self.hand_over(&call.arguments).await {
            Ok(name) => {
                outcome.add_success();
                (format!("The conversation was handed over to {name}."), false)
            }
            Err(error) => {
                match error.kind() {
                    ErrorKind::Arguments => outcome.add_invalid(error.render()),
                    _ => outcome.add_failure(&call.name, &call.arguments, &error.to_string()),
                }
                (error.render(), true)
            }
        };
        let next_table = self.session.next_table();
        let result =
            LoggedResult { content, is_error, next_table, ..LoggedResult::none(call, false) };
        self.record_entry(LogEntry::Result(result));
        for call in self.history.unanswered() {
            let content =
                "not made: the conversation was handed over before it in the same turn".to_owned();
            let result = LoggedResult {
                content,
                is_error: true,
                next_table,
                ..LoggedResult::none(&call, false)
            };
            self.record_entry(LogEntry::Result(result));
        }
    }

    async fn hand_over(&mut self, arguments: &str) -> Result<String> {
        let wrong = |message: String| Error::new(ErrorKind::Arguments, message);
        let parsed: Option<Value> = serde_json::from_str(arguments).ok();
        let name = parsed.as_ref().and_then(|it| it.get("agent")).and_then(Value::as_str);
        let name = name.ok_or_else(|| wrong("agent: expected a name".to_owned()))?.to_owned();
        let shown = text::one_line(text::cut_bytes(&name, 128)).to_string();
        if self.acting.as_ref().map_or(MAIN, |acting| &acting.name) == name {
            return Err(wrong(format!("agent: `{shown}` has the conversation already")));
        }
        if name != MAIN && self.home.agent.head(&name).is_none() {
            return Err(wrong(format!("agent: there is no `{shown}`")));
        }
        if !self.team_run().begin_transfer() {
            let message = "the conversation was handed over too often for one instruction";
            return Err(Error::new(ErrorKind::Denied, message)
                .hint("answer the user, or give a task with `delegate`"));
        }
        let to = self.take_over(&name).await;
        self.record_entry(LogEntry::Transferred { to });
        let text = self.system().await;
        self.record_entry(LogEntry::System { text });
        Ok(shown)
    }

    /// Makes the agent of this name active, or the session's own model. If the agent no longer exists, the session's own model
    /// takes over. Returns the entry for the log.
    pub(crate) async fn take_over(&mut self, name: &str) -> Option<LoggedAgent> {
        let Home { agent: home, session } = self.home.clone();
        if let Some(acting) = self.acting.take() {
            let ended = RunEvent::AgentEnded {
                id: acting.id,
                parent: None,
                agent: acting.name.clone(),
                status: AgentStatus::HandedOver,
                failure: None,
                cost: AgentCost::default(),
            };
            session.note(
                "agent",
                json!({ "id": acting.id, "name": acting.name, "step": "handed-over" }),
            );
            self.emit_in(&session, ended);
        }
        let file = home.team().and_then(|team| team.file(name));
        let (Some(file), Some(head)) = (file, home.head(name)) else {
            (self.agent, self.session) = (home, session);
            self.offer = Offer::of(&self.session, self.agent, self.context.depth);
            return None;
        };
        let agent_session = session.for_agent(file.tool_filter());
        let id = agent_session.agent().unwrap_or_default();
        self.acting = Some(Acting { id, name: name.to_owned() });
        (self.agent, self.session) = (head, agent_session);
        self.offer = Offer::of(&self.session, self.agent, self.context.depth);
        session.note("agent", json!({ "id": id, "name": name, "step": "transferred" }));
        let started = RunEvent::AgentStarted {
            id,
            parent: None,
            agent: name.to_owned(),
            step: AgentStep::Transferred,
            task: String::new(),
        };
        self.emit_in(&session, started);
        Some(LoggedAgent::new(id, None, name, &file.tool_filter()))
    }
}
