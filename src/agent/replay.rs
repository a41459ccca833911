//! Replay of a logged run: makes the same calls with the same arguments, and reports differences in the results.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use crate::calls::CallConditions;
use crate::log::{Delivered, LogEntry, LoggedResult, LoggedRun};
use crate::model::ModelCall;
use crate::offer::ACTIVATE;
use mitt::{CallOptions, CallReport, Session};
use mitt_base::text;

/// Most characters that are shown around a difference between two texts.
const SHOWN: usize = 80;

/// Result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replayed {
    /// Number of calls that were made again.
    pub calls: u64,
    /// Number of logged calls that were not made: they activated a skill, or were never finished.
    pub skipped: u64,
    /// Number of logged calls that were not made because their tool may destroy something, or signs. Their results are not
    /// compared.
    pub destructive: u64,
    /// Differences from the log.
    pub differences: Vec<Difference>,
    /// `true` if an instruction led to a plan. Calls of its steps were made again; its report was not written again.
    pub has_plan: bool,
    /// `true` if calls of steps are missing because the log had no space for them.
    pub has_left_out: bool,
}

/// Difference between a replay and its log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Number of the model's turn, from 1; 0 for documents, which exist before it begins.
    pub turn: u64,
    /// Name of the tool or the document.
    pub of: String,
    /// The difference, one sentence.
    pub how: String,
}

/// Makes the calls of a logged run again, in the order in which they were begun, in a session with the same documents, and
/// compares the results. No model is asked. Calls of tools that are marked `destructive` are not made.
///
/// Files state the creation time of the original run. Other results that depend on the clock or on random numbers differ.
pub async fn replay(session: &Session, run: &LoggedRun) -> Replayed {
    let mut replayed = Replayed::default();
    compare_documents(session, run, &mut replayed.differences);
    // The model of the run, and each agent that worked for it, with its restrictions.
    let mut actors = BTreeMap::from([(None, Actor::new(session.clone()))]);
    // Concurrent calls are logged in the order in which they ended.
    let mut due = Vec::new();
    for entry in run.entries() {
        let (agent, entry) = match entry {
            LogEntry::FromAgent { agent, entry } => (Some(*agent), &**entry),
            entry => (None, entry),
        };
        match entry {
            LogEntry::Delegated(logged) => {
                let parent = actors.get(&logged.parent).map_or(session, |parent| &parent.session);
                let actor = Actor::new(parent.for_agent(logged.tool_filter()));
                actors.insert(Some(logged.agent), actor);
                continue;
            }
            LogEntry::Transferred { to } => {
                make(&mut due, &mut replayed).await;
                let to = to.as_ref().map(|to| session.for_agent(to.tool_filter()));
                if let Some(actor) = actors.get_mut(&None) {
                    actor.session = to.unwrap_or_else(|| session.clone());
                }
                continue;
            }
            _ => {}
        }
        let Some(Actor { session, turn, calls }) = actors.get_mut(&agent) else { continue };
        match entry {
            LogEntry::Answer { answer, .. } => {
                *turn += 1;
                replayed.skipped += calls.len() as u64;
                *calls = answer.calls.iter().map(|call| (call.id.as_str(), call)).collect();
            }
            LogEntry::Result(result) => {
                let Some(call) = calls.remove(result.call_id.as_str()) else { continue };
                if call.name == ACTIVATE || result.created_ms == 0 {
                    replayed.skipped += 1;
                    continue;
                }
                // Nobody approves it now, and perhaps nobody did then.
                if is_destructive(session, &call.name).await {
                    replayed.destructive += 1;
                    continue;
                }
                due.push(DueCall { session: session.clone(), turn: *turn, call, result });
            }
            LogEntry::Plan(_) => replayed.has_plan = true,
            LogEntry::LeftOut => replayed.has_left_out = true,
            // Messages to an agent are no boundary.
            LogEntry::User { .. } if agent.is_none() => make(&mut due, &mut replayed).await,
            LogEntry::Resumed { next_table } => {
                make(&mut due, &mut replayed).await;
                session.number_tables_from(*next_table);
            }
            _ => {}
        }
    }
    make(&mut due, &mut replayed).await;
    replayed.skipped += actors.values().map(|actor| actor.calls.len() as u64).sum::<u64>();
    replayed
}

/// Returns `true` if the tool may destroy something.
async fn is_destructive(session: &Session, tool: &str) -> bool {
    session.registry().tool(tool).await.is_ok_and(|tool| tool.policy().destructive)
}

/// Model or agent of a run.
struct Actor<'r> {
    session: Session,
    turn: u64,
    /// Calls of its last turn that have no result yet.
    calls: BTreeMap<&'r str, &'r ModelCall>,
}

impl Actor<'_> {
    fn new(session: Session) -> Self {
        Actor { session, turn: 0, calls: BTreeMap::new() }
    }
}

/// Call to make again.
struct DueCall<'r> {
    session: Session,
    turn: u64,
    call: &'r ModelCall,
    result: &'r LoggedResult,
}

/// Makes these calls, in the order of their numbers, and compares the results.
async fn make(due: &mut Vec<DueCall<'_>>, replayed: &mut Replayed) {
    // Calls from logs without numbers keep their order.
    due.sort_by_key(|due| due.result.number);
    for DueCall { session, turn, call, result } in due.drain(..) {
        replayed.calls += 1;
        let mut report = again(&session, call, result).await;
        report.leave_out_measures();
        let limit = session.host().session_limits().result_characters;
        let content = report.for_model(limit).to_string();
        let of = text::one_line(text::cut_bytes(&call.name, SHOWN));
        let mut differs = |how| {
            replayed.differences.push(Difference { turn, of: of.clone(), how });
        };
        let how = if call.name.ends_with("__run") {
            parted(&timeless(&result.content), &timeless(&content))
        } else {
            parted(&result.content, &content)
        };
        how.into_iter().for_each(&mut differs);
        files(&result.delivered, &report).into_iter().for_each(&mut differs);
    }
}

async fn again(session: &Session, call: &ModelCall, result: &LoggedResult) -> CallReport {
    session.number_calls_from(result.number);
    session.number_tables_from(result.first_table);
    let created = Duration::from_millis(result.created_ms);
    let conditions = CallConditions { created, first_table: result.first_table };
    let report = conditions.make(session, call, CallOptions::new()).await;
    session.number_tables_from(result.next_table.max(session.next_table()));
    report
}

fn compare_documents(session: &Session, run: &LoggedRun, differences: &mut Vec<Difference>) {
    let documents = session.documents();
    for logged in run.documents() {
        let here = documents.iter().find(|document| document.name == logged.name);
        let how = match here {
            Some(document) if document.sha256 == logged.sha256 => continue,
            Some(_) => "its content is not what it was".to_owned(),
            None => "it is not there".to_owned(),
        };
        differences.push(Difference { turn: 0, of: logged.name.clone(), how });
    }
}

/// Returns how the files of a call differ from those that it delivered originally.
fn files(then: &[Delivered], report: &CallReport) -> Vec<String> {
    let now: Vec<Delivered> = report.artifacts.iter().map(Into::into).collect();
    let find = |files: &[Delivered], name: &str| {
        files.iter().rev().find(|file| file.name == name).map(|file| file.sha256.clone())
    };
    let mut names: Vec<&str> = then.iter().chain(&now).map(|file| file.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let how = |name: &str| match (find(then, name), find(&now, name)) {
        (Some(a), Some(b)) if a == b => None,
        (Some(_), Some(_)) => Some(format!("{name} has another content")),
        (Some(_), None) => Some(format!("{name} was not delivered")),
        (None, _) => Some(format!("{name} was not delivered then")),
    };
    names.into_iter().filter_map(how).collect()
}

/// Returns the result of a script without the durations of it and its calls.
fn timeless(content: &str) -> Cow<'_, str> {
    static TOOK: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#""(?:duration|execution_time)_ms":[0-9.e-]+,"#).ok());
    TOOK.as_ref().map_or(Cow::Borrowed(content), |took| took.replace_all(content, ""))
}

/// Returns where two texts differ, if they do.
fn parted(then: &str, now: &str) -> Option<String> {
    if then == now {
        return None;
    }
    let common = then.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| {
        let start = common.saturating_sub(SHOWN / 4);
        let shown: String = text.chars().skip(start).take(SHOWN).collect();
        text::one_line(&shown)
    };
    let (then, now) = (around(then), around(now));
    Some(format!("from character {} on it was `{then}` and is `{now}`", common + 1))
}
