//! Calls of one turn: those that only read are made concurrently, the others in order.
//!
//! Before a call has its first effect that a second call would repeat, the log says so. If the work stops during such a call,
//! the call is not made again: the model and the user read that it is unknown whether it took effect.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, stream};

use crate::conversation::Conversation;
use crate::log::{FilesStored, LogEntry, LoggedResult};
use crate::model::ModelCall;
use crate::offer::{ACTIVATE, skill_of};
use crate::run_usage::RunUsage;
use crate::scripts::{AroundScripts, MakeScript, ScriptDone};
use crate::team::{DELEGATE, TRANSFER};
use mitt::value::Json;
use mitt::{CallOptions, CallReport, ErrorKind, Session, TableResults};
use mitt_base::{Error, Result, lock, text};

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
    Other,
    /// The agent has no tools.
    Unknown,
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
                    self.note_unknown(call, run_usage.turns);
                    self.record_entry(LogEntry::Result(LoggedResult::none(call, true)));
                }
                CallKind::Delegates => self.delegate(now, run_usage, &mut outcome).await,
                CallKind::Transfers => {
                    self.transfer(call, &mut outcome).await;
                    break;
                }
                CallKind::Reads | CallKind::Other => self.make(now, run_usage, &mut outcome).await,
                CallKind::Unknown => self.refuse(call, &mut outcome),
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
        if !self.agent.has_tools() {
            return vec![CallKind::Unknown; calls.len()];
        }
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
        let stored = self.context.files_stored();
        let scripts = self.agent.scripts();
        let calls_made = calls.iter().map(|call| {
            let mut options = CallOptions::new();
            options.events = self.context.sink.clone();
            options.before_effect = Some(self.before_effect(call));
            let scripts = scripts.filter(|it| it.takes(&session, &call.name)).cloned();
            make_one(&session, call, options, (stored.clone(), scripts))
        });
        // Collected, because a closure in the stream would make the future of a run not `Send`.
        let mut made = stream::iter(calls_made.collect::<Vec<_>>()).buffered(AT_ONCE);
        for call in calls {
            let Some(Made { mut report, conditions, notes }) = made.next().await else { return };
            if let Some(error) =
                report.result.as_ref().err().filter(|it| *it.kind() == ErrorKind::Blocked)
            {
                outcome.blocked = Some(error.clone());
                run_usage.add_call(report);
                continue;
            }
            outcome.add_report(&report);
            report.leave_out_measures();
            let mut content = report.for_model(limit).to_string();
            for note in notes {
                content.push('\n');
                content.push_str(&note);
            }
            let result = LoggedResult {
                call_id: call.id.clone(),
                content,
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

    /// Returns what is called before the first effect of a call that a second call would repeat: it writes that to the log.
    fn before_effect(&self, call: &ModelCall) -> Arc<dyn Fn() + Send + Sync> {
        let (call_id, begun) = (call.id.clone(), self.history.begun());
        let agent = self.session.agent().filter(|_| self.context.depth > 0);
        let (log, model) = (self.context.log.clone(), self.agent.shared_model());
        Arc::new(move || {
            begun.add(call_id.clone());
            let Some(log) = &log else { return };
            let making = LogEntry::Making { call_id: call_id.clone() };
            let entry = match agent {
                None => making,
                Some(agent) => LogEntry::FromAgent { agent, entry: Box::new(making) },
            };
            // The next step reports a problem with the log.
            lock(log).entry(&entry, |line| model.redacted(line));
        })
    }

    /// Tells the user that it is unknown whether a call took effect. The model reads it as the result of the call.
    pub(crate) fn note_unknown(&self, call: &ModelCall, turn: u64) {
        let name = text::one_line(text::cut_bytes(&call.name, 100));
        let text = format!(
            "it is unknown whether the call of {name} took effect: the work was stopped while it was made; it is not made again"
        );
        self.note(turn, text);
    }

    /// Returns how many characters of a result the model is shown: fewer if its context is small.
    async fn result_characters(&self) -> u64 {
        let most = self.session.host().session_limits().result_characters;
        let context = self.agent.model().context_tokens().await;
        context.map_or(most, |tokens| most.min(tokens / 2))
    }

    /// Refuses a call of an agent that has no tools.
    fn refuse(&mut self, call: &ModelCall, outcome: &mut TurnOutcome) {
        let name = text::one_line(text::cut_bytes(&call.name, 100)).to_string();
        let error = Error::new(ErrorKind::UnknownTool, format!("there is no function `{name}`"));
        let functions = self.agent.functions().iter().map(|function| function.name.as_str());
        let functions: Vec<_> = functions.collect();
        let error = error.hint(if functions.is_empty() {
            "there are no functions; answer in words".to_owned()
        } else {
            format!("there are {}", functions.join(", "))
        });
        outcome.add_invalid(error.render());
        let result = LoggedResult {
            content: error.render(),
            next_table: self.session.next_table(),
            ..LoggedResult::none(call, false)
        };
        self.record_entry(LogEntry::Result(result));
    }

    async fn activate(&mut self, call: &ModelCall, outcome: &mut TurnOutcome) {
        let limit = self.result_characters().await;
        let registry = self.session.registry();
        let activated = self.offer.activate(&registry, &call.arguments, limit).await;
        if activated.is_error {
            outcome.invalid = Some(activated.text.clone())
        } else {
            outcome.has_valid_call = true
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
        options: CallOptions,
    ) -> CallReport {
        let options = options.tables(TableResults::MODEL).created(self.created);
        session.call_with(&call.name, &call.arguments, options).await
    }
}

/// A call that was made.
struct Made {
    report: CallReport,
    conditions: CallConditions,
    /// Texts that the model reads below the result.
    notes: Vec<String>,
}

async fn make_one(
    session: &Session,
    call: &ModelCall,
    options: CallOptions,
    (stored, scripts): (Option<FilesStored>, Option<Arc<dyn AroundScripts>>),
) -> Made {
    let conditions = CallConditions::now(session);
    let ScriptDone { report, notes } = match &scripts {
        None => {
            let report = conditions.make(session, call, options).await;
            ScriptDone { report, notes: Vec::new() }
        }
        Some(scripts) => {
            let make: MakeScript<'_> = Box::new(move |arguments: String| {
                let made: BoxFuture<'_, CallReport> = Box::pin(async move {
                    let (id, name) = (call.id.clone(), call.name.clone());
                    let call = ModelCall { id, name, arguments };
                    conditions.make(session, &call, options).await
                });
                made
            });
            scripts.run(session, &call.arguments, make).await
        }
    };
    // Awaited here and not where the result is logged, so that the other calls of the turn go on.
    if let Some(stored) = stored.filter(|_| !report.artifacts.is_empty()) {
        stored().await;
    }
    // Concurrent calls: each has the tables that its result names.
    let first_table = lowest_table(&report).unwrap_or(conditions.first_table);
    Made { report, conditions: CallConditions { first_table, ..conditions }, notes }
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
