//! The calls of one turn: those that only read are made at the same time, the others in order.

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

/// Calls that are made at the same time, at most; the session has limits of its own.
const AT_ONCE: usize = 8;

/// What a call does, as far as its order matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It brings the tools of a skill.
    Activates,
    /// It gives a task to an agent.
    Delegates,
    /// It hands the conversation over.
    Transfers,
    Reads,
    /// It must not be made twice.
    Destroys,
    Other,
}

/// Whether the calls of a turn were wrong.
#[derive(Default)]
pub(crate) struct Right {
    is_any_right: bool,
    wrong: Option<String>,
    /// Calls that were made and failed: which, with what, and why.
    failed: Vec<(String, String, String)>,
    has_success: bool,
    /// Why scripts failed, of those that nobody counted yet.
    failed_scripts: Vec<String>,
    /// What a rule about content has ended.
    blocked: Option<Error>,
}

impl Conversation<'_> {
    /// Make calls, and enter what comes of each.
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
                // The process ended while it was made.
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
            // No model reads of it, and no other call is made.
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
        // Who makes the same failing calls again has learnt nothing.
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

    /// Make these at the same time.
    async fn make(&mut self, calls: &[ModelCall], spent: &mut Spent, right: &mut Right) {
        let session = self.session.clone();
        let limit = self.result_characters().await;
        let sink = self.seat.sink.clone();
        let calls_made = calls.iter().map(|call| one(&session, call, sink.clone()));
        // Collected, as a closure in the stream would keep the future of a run on its thread.
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

    /// Characters of a result that the model is shown: fewer where its context is small.
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
    /// A call was wrong.
    pub(crate) fn wrong(&mut self, why: String) {
        self.wrong = Some(why);
    }

    /// A call was right, and what it was for was done.
    pub(crate) fn succeeded(&mut self) {
        (self.is_any_right, self.has_success) = (true, true);
    }

    /// A call was right, and what it was for was not done.
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

/// Under which conditions a call was made, so that it can be made again under the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MadeAt {
    /// What its files say of when they were made.
    pub(crate) created: Duration,
    /// The number of its first table.
    pub(crate) first_table: u64,
}

impl MadeAt {
    fn now(session: &Session) -> MadeAt {
        // As exact as a log is.
        let now = session.host().environment().now().as_millis();
        let created = Duration::from_millis(u64::try_from(now).unwrap_or(u64::MAX));
        MadeAt { created, first_table: session.next_table() }
    }

    /// Make a call under these conditions.
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
    // Of calls at the same time, each has the tables that its result names.
    let first_table = named(&report).unwrap_or(made_at.first_table);
    (report, MadeAt { first_table, ..made_at })
}

/// The lowest number of a table that the result names.
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
