//! Calls of one turn: those that only read are made concurrently, the others in order.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};

use crate::conversation::Conversation;
use crate::log::{LogEntry, LoggedResult};
use crate::model::ModelCall;
use crate::offer::{ACTIVATE, skill_of};
use crate::run_usage::RunUsage;
use crate::team::{DELEGATE, TRANSFER};
use mitt::value::Json;
use mitt::{CallOptions, CallReport, ErrorKind, EventSink, Session, TableResults};
use mitt_base::{Error, Result};

/// Most calls that are made concurrently; the session has limits of its own.
const AT_ONCE: usize = 8;

/// Kind of a call, which determines its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallKind {
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
pub(crate) struct TurnOutcome {
    has_valid_call: bool,
    invalid: Option<String>,
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
        run_usage: &mut RunUsage,
    ) -> Result<()> {
        let limits = self.agent.limits();
        run_usage.check_usage(self.agent)?;
        run_usage.begin_calls(calls.len(), limits)?;
        let call_kinds = self.call_kinds(calls).await;
        let mut outcome = TurnOutcome::default();
        let mut at = 0;
        while let (Some(call), Some(kind)) = (calls.get(at), call_kinds.get(at)) {
            let is_several = matches!(kind, CallKind::Reads | CallKind::Delegates);
            let n_alike =
                call_kinds[at..].iter().take_while(|it| is_several && *it == kind).count();
            let now = &calls[at..at + n_alike.max(1)];
            at += now.len();
            match kind {
                CallKind::Activates => self.activate(call, &mut outcome).await,
                // The process ended during this call.
                _ if self.history.is_begun(call) => {
                    self.record_entry(LogEntry::Result(LoggedResult::none(call, true)));
                }
                CallKind::Delegates => self.delegate(now, run_usage, &mut outcome).await,
                CallKind::Transfers => {
                    self.transfer(call, &calls[at..], &mut outcome).await;
                    break;
                }
                CallKind::Destroys => {
                    self.record_entry(LogEntry::Making { call_id: call.id.clone() });
                    self.make(now, run_usage, &mut outcome).await;
                }
                CallKind::Reads | CallKind::Other => self.make(now, run_usage, &mut outcome).await,
            }
            // The model must not see the blocked result, and no other call is made.
            if let Some(error) = outcome.blocked {
                return Err(error);
            }
            for why in std::mem::take(&mut outcome.failed_scripts) {
                run_usage.script_failed(&why, limits)?;
            }
        }
        if !self.agent.model().can_react() {
            return Ok(());
        }
        let failed = if outcome.has_success { Vec::new() } else { outcome.failed };
        // Repeating the same failing calls counts as a wrong turn.
        let repeated = run_usage.repeats(failed).then(|| "the same calls failed again".to_owned());
        let invalid = outcome.invalid.filter(|_| !outcome.has_valid_call).or(repeated);
        run_usage.end_calls(invalid, limits)
    }

    async fn call_kinds(&self, calls: &[ModelCall]) -> Vec<CallKind> {
        let tools = self.session.registry().tools().await;
        let has_catalogue = self.offer.has_catalogue();
        let registry = self.session.registry();
        let (team, depth) = (self.agent.team(), self.context.depth);
        let team = team.filter(|team| team.delegates_at(depth));
        let kind = |call: &ModelCall| {
            if call.name == ACTIVATE && has_catalogue {
                let name = skill_of(&call.arguments).unwrap_or_default();
                let forks = team.is_some_and(|team| team.forks(&name, &registry));
                return if forks { CallKind::Delegates } else { CallKind::Activates };
            }
            match call.name.as_str() {
                DELEGATE if team.is_some() => return CallKind::Delegates,
                TRANSFER if team.is_some() && depth == 0 => return CallKind::Transfers,
                _ => {}
            }
            match tools.iter().find(|tool| tool.name.as_str() == call.name) {
                Some(tool) if tool.policy().read_only || !tool.can_change() => CallKind::Reads,
                Some(tool) if tool.policy().destructive => CallKind::Destroys,
                _ => CallKind::Other,
            }
        };
        calls.iter().map(kind).collect()
    }

    /// Makes these calls concurrently.
    async fn make(
        &mut self,
        calls: &[ModelCall],
        run_usage: &mut RunUsage,
        outcome: &mut TurnOutcome,
    ) {
        let session = self.session.clone();
        let limit = self.result_characters().await;
        let sink = self.context.sink.clone();
        let calls_made = calls.iter().map(|call| make_one(&session, call, sink.clone()));
        // Collected, because a closure in the stream would make the future of a run not `Send`.
        let mut made = stream::iter(calls_made.collect::<Vec<_>>()).buffered(AT_ONCE);
        for call in calls {
            let Some((mut report, conditions)) = made.next().await else { return };
            if let Some(error) =
                report.result.as_ref().err().filter(|it| *it.kind() == ErrorKind::Blocked)
            {
                outcome.blocked = Some(error.clone());
                run_usage.add_call(report);
                continue;
            }
            outcome.add_report(&report);
            report.leave_out_measures();
            let result = LoggedResult {
                call_id: call.id.clone(),
                content: report.for_model(limit).to_string(),
                is_error: report.failure().is_some(),
                delivered: report.artifacts.iter().map(Into::into).collect(),
                created_ms: u64::try_from(conditions.created.as_millis()).unwrap_or(u64::MAX),
                number: report.call.number,
                first_table: conditions.first_table,
                next_table: session.next_table(),
            };
            self.record_entry(LogEntry::Result(result));
            run_usage.add_call(report);
        }
    }

    /// Returns how many characters of a result the model is shown: fewer if its context is small.
    async fn result_characters(&self) -> u64 {
        let most = self.session.host().session_limits().result_characters;
        let context = self.agent.model().context_tokens().await;
        context.map_or(most, |tokens| most.min(tokens / 2))
    }

    async fn activate(&mut self, call: &ModelCall, outcome: &mut TurnOutcome) {
        let limit = self.result_characters().await;
        let registry = self.session.registry();
        let activated = self.offer.activate(&registry, &call.arguments, limit).await;
        match activated.is_error {
            true => outcome.invalid = Some(activated.text.clone()),
            false => outcome.has_valid_call = true,
        }
        let result = LoggedResult {
            content: activated.text,
            is_error: activated.is_error,
            next_table: self.session.next_table(),
            ..LoggedResult::none(call, false)
        };
        self.record_entry(LogEntry::Result(result));
    }
}

impl TurnOutcome {
    /// Records that a call was invalid.
    pub(crate) fn add_invalid(&mut self, why: String) {
        self.invalid = Some(why);
    }

    /// Records that a call was valid and succeeded.
    pub(crate) fn add_success(&mut self) {
        (self.has_valid_call, self.has_success) = (true, true);
    }

    /// Records that a call was valid and failed.
    pub(crate) fn add_failure(&mut self, tool: &str, arguments: &str, why: &str) {
        self.has_valid_call = true;
        self.failed.push((tool.to_owned(), arguments.to_owned(), why.to_owned()));
    }

    fn add_report(&mut self, report: &CallReport) {
        match &report.result {
            Err(error) if matches!(error.kind(), ErrorKind::Arguments | ErrorKind::UnknownTool) => {
                self.invalid = Some(error.render());
            }
            _ => self.has_valid_call = true,
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
pub(crate) struct CallConditions {
    /// Creation time that its files state.
    pub(crate) created: Duration,
    /// Number of its first table.
    pub(crate) first_table: u64,
}

impl CallConditions {
    fn now(session: &Session) -> CallConditions {
        // As exact as a log is.
        let now = session.host().environment().now().as_millis();
        let created = Duration::from_millis(u64::try_from(now).unwrap_or(u64::MAX));
        CallConditions { created, first_table: session.next_table() }
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

async fn make_one(
    session: &Session,
    call: &ModelCall,
    sink: Option<EventSink>,
) -> (CallReport, CallConditions) {
    let conditions = CallConditions::now(session);
    let report = conditions.make(session, call, sink).await;
    // Concurrent calls: each has the tables that its result names.
    let first_table = lowest_table(&report).unwrap_or(conditions.first_table);
    (report, CallConditions { first_table, ..conditions })
}

/// Returns the lowest number of a table that the result names.
fn lowest_table(report: &CallReport) -> Option<u64> {
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
