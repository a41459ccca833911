//! Calls of one turn: those that only read are made concurrently, the others in order.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};

use crate::conversation::Conversation;
use crate::log::{Entry, LoggedResult};
use crate::model::ModelCall;
use crate::offer::{ACTIVATE, skill_of};
use crate::spent::Spent;
use crate::team::{DELEGATE, TRANSFER};
use mitt::value::Json;
use mitt::{CallOptions, CallReport, ErrorKind, EventSink, Session, TableResults};
use mitt_base::{Error, Result};

/// Most calls that are made concurrently; the session has limits of its own.
const AT_ONCE: usize = 8;

/// Kind of a call, which determines its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It activates a skill.
    Activates,
    /// It delegates a task to an agent.
    Delegates,
    /// It transfers the conversation.
    Transfers,
    Reads,
    /// It is destructive and must not be made twice.
    Destroys,
    Other,
}

/// Outcome of a turn's calls: whether they were valid, and which failed.
#[derive(Default)]
pub(crate) struct Right {
    is_any_right: bool,
    wrong: Option<String>,
    /// Failed calls: tool, arguments and error.
    failed: Vec<(String, String, String)>,
    has_success: bool,
    /// Errors of scripts that have not been counted yet.
    failed_scripts: Vec<String>,
    /// Error of a rule about content that ends the run.
    blocked: Option<Error>,
}

impl Conversation<'_> {
    /// Makes calls, and records the result of each.
    pub(crate) async fn make_calls(
        &mut self,
        calls: &[ModelCall],
        spent: &mut Spent,
    ) -> Result<()> {
        let limits = self.agent.limits();
        spent.check_usage(self.agent)?;
        spent.begin_calls(calls.len(), limits)?;
        let kinds = self.kinds(calls).await;
        let mut right = Right::default();
        let mut at = 0;
        while let (Some(call), Some(kind)) = (calls.get(at), kinds.get(at)) {
            let is_several = matches!(kind, Kind::Reads | Kind::Delegates);
            let n_alike = kinds[at..].iter().take_while(|it| is_several && *it == kind).count();
            let now = &calls[at..at + n_alike.max(1)];
            at += now.len();
            match kind {
                Kind::Activates => self.activate(call, &mut right).await,
                // The process ended during this call.
                _ if self.history.is_begun(call) => {
                    self.enter(Entry::Result(LoggedResult::none(call, true)));
                }
                Kind::Delegates => self.delegate(now, spent, &mut right).await,
                Kind::Transfers => {
                    self.transfer(call, &calls[at..], &mut right).await;
                    break;
                }
                Kind::Destroys => {
                    self.enter(Entry::Making { call_id: call.id.clone() });
                    self.make(now, spent, &mut right).await;
                }
                Kind::Reads | Kind::Other => self.make(now, spent, &mut right).await,
            }
            // The model must not see the blocked result, and no other call is made.
            if let Some(error) = right.blocked {
                return Err(error);
            }
            for why in std::mem::take(&mut right.failed_scripts) {
                spent.script_failed(&why, limits)?;
            }
        }
        if !self.agent.model().can_react() {
            return Ok(());
        }
        let failed = if right.has_success { Vec::new() } else { right.failed };
        // Repeating the same failing calls counts as a wrong turn.
        let repeated = spent.repeats(failed).then(|| "the same calls failed again".to_owned());
        let wrong = right.wrong.filter(|_| !right.is_any_right).or(repeated);
        spent.end_calls(wrong, limits)
    }

    async fn kinds(&self, calls: &[ModelCall]) -> Vec<Kind> {
        let tools = self.session.registry().tools().await;
        let has_catalogue = self.offer.has_catalogue();
        let registry = self.session.registry();
        let (team, depth) = (self.agent.team(), self.seat.depth);
        let team = team.filter(|team| team.delegates_at(depth));
        let kind = |call: &ModelCall| {
            if call.name == ACTIVATE && has_catalogue {
                let name = skill_of(&call.arguments).unwrap_or_default();
                let forks = team.is_some_and(|team| team.forks(&name, &registry));
                return if forks { Kind::Delegates } else { Kind::Activates };
            }
            match call.name.as_str() {
                DELEGATE if team.is_some() => return Kind::Delegates,
                TRANSFER if team.is_some() && depth == 0 => return Kind::Transfers,
                _ => {}
            }
            match tools.iter().find(|tool| tool.name.as_str() == call.name) {
                Some(tool) if tool.policy().read_only || !tool.can_change() => Kind::Reads,
                Some(tool) if tool.policy().destructive => Kind::Destroys,
                _ => Kind::Other,
            }
        };
        calls.iter().map(kind).collect()
    }

    /// Makes these calls concurrently.
    async fn make(&mut self, calls: &[ModelCall], spent: &mut Spent, right: &mut Right) {
        let session = self.session.clone();
        let limit = self.result_characters().await;
        let sink = self.seat.sink.clone();
        let calls_made = calls.iter().map(|call| one(&session, call, sink.clone()));
        // Collected, because a closure in the stream would make the future of a run not `Send`.
        let mut made = stream::iter(calls_made.collect::<Vec<_>>()).buffered(AT_ONCE);
        for call in calls {
            let Some((mut report, made_at)) = made.next().await else { return };
            if let Some(error) =
                report.result.as_ref().err().filter(|it| *it.kind() == ErrorKind::Blocked)
            {
                right.blocked = Some(error.clone());
                spent.add_call(report);
                continue;
            }
            right.add(&report);
            report.leave_out_measures();
            let result = LoggedResult {
                call_id: call.id.clone(),
                content: report.for_model(limit).to_string(),
                is_error: report.failure().is_some(),
                delivered: report.artifacts.iter().map(Into::into).collect(),
                created_ms: u64::try_from(made_at.created.as_millis()).unwrap_or(u64::MAX),
                number: report.call.number,
                first_table: made_at.first_table,
                next_table: session.next_table(),
            };
            self.enter(Entry::Result(result));
            spent.add_call(report);
        }
    }

    /// Returns how many characters of a result the model is shown: fewer if its context is small.
    async fn result_characters(&self) -> u64 {
        let most = self.session.host().session_limits().result_characters;
        let context = self.agent.model().context_tokens().await;
        context.map_or(most, |tokens| most.min(tokens / 2))
    }

    async fn activate(&mut self, call: &ModelCall, right: &mut Right) {
        let limit = self.result_characters().await;
        let registry = self.session.registry();
        let activated = self.offer.activate(&registry, &call.arguments, limit).await;
        match activated.is_error {
            true => right.wrong = Some(activated.text.clone()),
            false => right.is_any_right = true,
        }
        let result = LoggedResult {
            content: activated.text,
            is_error: activated.is_error,
            next_table: self.session.next_table(),
            ..LoggedResult::none(call, false)
        };
        self.enter(Entry::Result(result));
    }
}

impl Right {
    /// Records that a call was invalid.
    pub(crate) fn wrong(&mut self, why: String) {
        self.wrong = Some(why);
    }

    /// Records that a call was valid and succeeded.
    pub(crate) fn succeeded(&mut self) {
        (self.is_any_right, self.has_success) = (true, true);
    }

    /// Records that a call was valid and failed.
    pub(crate) fn failed(&mut self, tool: &str, arguments: &str, why: &str) {
        self.is_any_right = true;
        self.failed.push((tool.to_owned(), arguments.to_owned(), why.to_owned()));
    }

    fn add(&mut self, report: &CallReport) {
        match &report.result {
            Err(error) if matches!(error.kind(), ErrorKind::Arguments | ErrorKind::UnknownTool) => {
                self.wrong = Some(error.render());
            }
            _ => self.is_any_right = true,
        }
        match report.failure() {
            Some((_, why)) => {
                if report.tool.ends_with("__run") {
                    self.failed_scripts.push(why.clone());
                }
                let (tool, arguments) = (report.tool.clone(), report.arguments_sha256.clone());
                self.failed.push((tool, arguments, why));
            }
            None => self.has_success = true,
        }
    }
}

/// Conditions of a call, so that it can be repeated under the same ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MadeAt {
    /// Creation time that its files state.
    pub(crate) created: Duration,
    /// Number of its first table.
    pub(crate) first_table: u64,
}

impl MadeAt {
    fn now(session: &Session) -> MadeAt {
        // As exact as a log is.
        let now = session.host().environment().now().as_millis();
        let created = Duration::from_millis(u64::try_from(now).unwrap_or(u64::MAX));
        MadeAt { created, first_table: session.next_table() }
    }

    /// Makes a call under these conditions.
    pub(crate) async fn make(
        self,
        session: &Session,
        call: &ModelCall,
        sink: Option<EventSink>,
    ) -> CallReport {
        let mut options = CallOptions::new().tables(TableResults::MODEL).created(self.created);
        options.events = sink;
        session.call_with(&call.name, &call.arguments, options).await
    }
}

async fn one(session: &Session, call: &ModelCall, sink: Option<EventSink>) -> (CallReport, MadeAt) {
    let made_at = MadeAt::now(session);
    let report = made_at.make(session, call, sink).await;
    // Concurrent calls: each has the tables that its result names.
    let first_table = named(&report).unwrap_or(made_at.first_table);
    (report, MadeAt { first_table, ..made_at })
}

/// Returns the lowest number of a table that the result names.
fn named(report: &CallReport) -> Option<u64> {
    fn lowest(value: &Json) -> Option<u64> {
        match value {
            Json::Array(items) => items.iter().filter_map(lowest).min(),
            Json::Object(entries) => {
                let number = |(key, value): &(_, Json)| match value {
                    Json::String(text) if key == "$ref" => text.strip_prefix("t:")?.parse().ok(),
                    value => lowest(value),
                };
                entries.iter().filter_map(number).min()
            }
            _ => None,
        }
    }
    lowest(report.result.as_ref().ok()?)
}
