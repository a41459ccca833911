//! Log of a run as a file: written line by line during the run, and read to show, resume or replay it.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, Read, Write};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::entry::{FORMAT, LogEntry, LoggedDocument};
use crate::earlier::EarlierMessage;
use crate::model::OutputFormat;
use crate::plan_record::PlanRecord;
use mitt::Document;
use mitt::offer::ToolMode;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result};

/// Largest log, in bytes. Later entries are dropped, which is reported.
pub const MAX_LOG_BYTES: u64 = 64 * MIB;

/// Space that is reserved for the plan itself, so that it can continue: entries of its agents only use the rest.
const KEPT_FOR_PLAN: u64 = MAX_LOG_BYTES / 2;

/// First line of a log: how the run began.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunHeader {
    format: String,
    /// Start time, such as `2026-11-23T09:30:00.000Z`.
    pub time: String,
    /// Model, by a name that can be resolved again, such as `ollama/qwen3`.
    pub model: String,
    /// How tools are described to the model.
    #[serde(with = "mode")]
    pub tools: ToolMode,
    /// Folder for its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Options that it was started with, by name and values, for the program that resumes it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Vec<String>>,
}

impl RunHeader {
    /// Returns the header of a run with this model, begun at this time.
    pub fn new(time: String, model: String, tools: ToolMode) -> RunHeader {
        let options = BTreeMap::new();
        RunHeader { format: FORMAT.to_owned(), time, model, tools, folder: None, options }
    }
}

/// Waits until the files that were delivered so far are stored.
pub(crate) type FilesStored = Arc<dyn Fn() -> StoredFuture + Send + Sync>;

type StoredFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Log of a conversation: all words and all results, so that it can be shown, resumed after its process died
/// ([`Agent::resume`](crate::Agent::resume)) and replayed ([`replay`](crate::replay)). It contains text of documents, so only its
/// owner should read it.
///
/// The format is JSON lines: a [`RunHeader`], then a line for each step, written and flushed before the next step. At most
/// [`MAX_LOG_BYTES`].
///
/// Each line is given to the writer by exactly one call of [`Write::write_all`], with one `\n`, at its end, followed by one call
/// of [`Write::flush`]. So a program can observe a run by its own writer, line by line in the order of the log:
/// [`LoggedStep::parse`](crate::LoggedStep::parse) reads a line.
pub struct RunLog {
    /// Never locked; it makes the log `Sync`.
    writer: Mutex<Box<dyn Write + Send>>,
    left: u64,
    /// Bytes at the end in which no step of an agent is written.
    kept: u64,
    /// `true` if a step of an agent had no space, so that no more are written.
    has_left_out: bool,
    /// Reason why nothing more is written, until it was reported.
    problem: Option<Error>,
    is_broken: bool,
    /// What results with delivered files wait for.
    files_stored: Option<FilesStored>,
}

impl RunLog {
    /// Begins a log.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it cannot be written to.
    pub fn begin(writer: impl Write + Send + 'static, header: &RunHeader) -> Result<RunLog> {
        let mut log = RunLog::go_on(writer, 0);
        log.line(header, str::to_owned);
        log.problem.take().map_or(Ok(log), Err)
    }

    /// Continues a log of `length` bytes, which end with a complete line.
    pub fn go_on(writer: impl Write + Send + 'static, length: u64) -> RunLog {
        let left = MAX_LOG_BYTES.saturating_sub(length);
        RunLog {
            writer: Mutex::new(Box::new(writer)),
            left,
            kept: 0,
            has_left_out: false,
            problem: None,
            is_broken: false,
            files_stored: None,
        }
    }

    /// Makes each result with delivered files wait for `stored` before it is written, for a program that stores the files of a
    /// session itself. If the process is killed, the files that the log names are stored then. Default: nothing is waited for.
    #[must_use]
    pub fn after_files<F>(mut self, stored: impl Fn() -> F + Send + Sync + 'static) -> RunLog
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.files_stored = Some(Arc::new(move || -> StoredFuture { Box::pin(stored()) }));
        self
    }

    /// Returns what results with delivered files wait for.
    pub(crate) fn files_stored(&self) -> Option<FilesStored> {
        self.files_stored.clone()
    }

    /// Reserves space for a plan, so that steps of agents cannot fill the log.
    pub(crate) fn for_plan(self) -> RunLog {
        RunLog { kept: KEPT_FOR_PLAN, ..self }
    }

    /// Records the origin of a document, so that a resumed run finds it.
    pub fn document(&mut self, document: &Document, path: Option<PathBuf>) {
        let Document { name, sha256, size, .. } = document;
        let (name, sha256, size) = (name.clone(), sha256.clone(), *size);
        self.line(&LogEntry::Document(LoggedDocument { name, path, sha256, size }), str::to_owned);
    }

    /// Writes an entry. `redacted` removes secrets from a line.
    pub(crate) fn entry(&mut self, entry: &LogEntry, redacted: impl Fn(&str) -> String) {
        let is_of_agent = matches!(entry, LogEntry::FromAgent { .. } | LogEntry::Delegated(_));
        if !is_of_agent || self.kept == 0 {
            self.line(entry, redacted);
        } else if !self.has_left_out {
            match serde_json::to_string(entry) {
                Ok(line) if self.left.saturating_sub(line.len() as u64) < self.kept => {
                    self.has_left_out = true;
                    self.line(&LogEntry::LeftOut, str::to_owned);
                    let problem = Error::new(ErrorKind::Host, "the log of this run is half full");
                    self.problem.get_or_insert(problem.hint(
                        "calls of the plan's steps are not written down any more; the plan is, and can be resumed",
                    ));
                }
                _ => self.line(entry, redacted),
            }
        }
    }

    /// Returns the reason why nothing more is written, once.
    pub(crate) fn take_problem(&mut self) -> Option<Error> {
        self.problem.take()
    }

    fn line(&mut self, value: &impl Serialize, redacted: impl Fn(&str) -> String) {
        if self.is_broken {
            return;
        }
        if let Err(error) = self.write(value, redacted) {
            self.is_broken = true;
            let problem = Error::new(ErrorKind::Host, "the log of this run cannot be written");
            self.problem = Some(
                problem
                    .hint("the run goes on, but cannot be resumed or replayed from here on")
                    .caused_by(error),
            );
        }
    }

    fn write(
        &mut self,
        value: &impl Serialize,
        redacted: impl Fn(&str) -> String,
    ) -> io::Result<()> {
        let mut line = redacted(&serde_json::to_string(value)?);
        // JSON has no line ends outside of texts, but `redacted` may be the code of another crate.
        if line.contains('\n') {
            line = line.replace('\n', " ");
        }
        line.push('\n');
        let Some(left) = self.left.checked_sub(line.len() as u64) else {
            return Err(io::Error::other(format!("it may have at most {MAX_LOG_BYTES} bytes")));
        };
        self.left = left;
        // Written at once, so that a process that dies leaves at most one partial line.
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner);
        writer.write_all(line.as_bytes())?;
        writer.flush()
    }
}

/// Log that was read.
#[derive(Clone, Debug)]
pub struct LoggedRun {
    header: RunHeader,
    entries: Vec<LogEntry>,
    length: u64,
}

impl LoggedRun {
    /// Reads a log. A partial last line, left by a process that died, is ignored.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - it is not the log of a run, or damaged; the message names the line.
    pub fn read(from: impl Read) -> Result<LoggedRun> {
        let wrong = |line: u64, problem: String| {
            let message = format!("line {line}: {problem}");
            Error::new(ErrorKind::Input, message)
        };
        // Reads one byte more, to recognise a log that is too long.
        let mut from = io::BufReader::new(from.take(MAX_LOG_BYTES + 1));
        let (mut header, mut entries, mut length) = (None, Vec::new(), 0);
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            from.read_until(b'\n', &mut bytes)
                .map_err(|error| wrong(number, "it cannot be read".to_owned()).caused_by(error))?;
            if length + bytes.len() as u64 > MAX_LOG_BYTES {
                return Err(wrong(number, format!("expected at most {MAX_LOG_BYTES} bytes")));
            }
            if bytes.pop() != Some(b'\n') {
                break;
            }
            length += bytes.len() as u64 + 1;
            if header.is_none() {
                header = Some(read_header(&bytes).map_err(|problem| wrong(number, problem))?);
                continue;
            }
            let entry = serde_json::from_slice(&bytes);
            entries.push(entry.map_err(|error| wrong(number, error.to_string()))?);
        }
        let Some(header) = header else {
            return Err(wrong(1, "expected the log of a run, got no complete line".to_owned()));
        };
        Ok(LoggedRun { header, entries, length })
    }

    /// Returns how the run began.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// Returns the length of its complete lines in bytes, at which a continued log is appended.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the documents, in the order in which they were added.
    pub fn documents(&self) -> impl Iterator<Item = &LoggedDocument> {
        self.entries.iter().filter_map(|entry| match entry {
            LogEntry::Document(document) => Some(document),
            _ => None,
        })
    }

    /// Returns the user's instructions, in order, without what was said while the model followed one.
    pub fn instructions(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.entries.iter().filter_map(|entry| match entry {
            LogEntry::User { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns the form that is demanded of the answer to the last instruction; `None` for free text.
    pub fn form(&self) -> Option<&OutputFormat> {
        let (mut next, mut of_last, mut is_open) = (None, None, false);
        for entry in &self.entries {
            match entry {
                LogEntry::Demanded { form } => {
                    next = form.as_ref();
                    if is_open {
                        of_last = next;
                    }
                }
                LogEntry::User { .. } => (of_last, is_open) = (next, true),
                LogEntry::Ended { failure: None } => (next, is_open) = (None, false),
                _ => {}
            }
        }
        of_last
    }

    /// Returns the decisions about the instructions, in order: the number of the instruction, from 1, and its trace, such as
    /// `confident_direct+meta`. Empty for runs without routing.
    pub fn traces(&self) -> Vec<(usize, String)> {
        let mut traces: Vec<(usize, String)> = Vec::new();
        let mut number = 0;
        for entry in &self.entries {
            match entry {
                LogEntry::User { .. } => number += 1,
                LogEntry::Routed { trace } => {
                    // A later entry includes earlier ones.
                    traces.retain(|(of, _)| *of != number);
                    traces.push((number, trace.to_string()));
                }
                _ => {}
            }
        }
        traces
    }

    /// Returns whether the last instruction was completed.
    pub fn is_finished(&self) -> bool {
        let end = self.entries.iter().rev().find_map(|entry| match entry {
            LogEntry::Ended { failure } => Some(failure.is_none()),
            LogEntry::User { .. }
            | LogEntry::Steered { .. }
            | LogEntry::Answer { .. }
            | LogEntry::Plan(_)
            // The model has not answered it.
            | LogEntry::Earlier(EarlierMessage::Result { .. }) => Some(false),
            LogEntry::Earlier(_) => Some(true),
            _ => None,
        });
        end.unwrap_or(true)
    }

    /// Returns the plan of the last instruction with its progress; `None` if it has no plan.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the log is inconsistent.
    pub fn plan(&self) -> Result<Option<PlanRecord>> {
        let mut record = None;
        for entry in self.of_last_instruction() {
            if let LogEntry::Plan(entry) = entry {
                record.get_or_insert_with(PlanRecord::default).apply(entry).map_err(|error| {
                    Error::new(ErrorKind::Input, "the log of the plan is damaged").caused_by(error)
                })?;
            }
        }
        if let Some(record) = &mut record {
            record.next = self.next();
        }
        Ok(record)
    }

    /// Returns the numbers of the next call and the next table, after all that results of the run may name.
    fn next(&self) -> (u64, u64) {
        let steps = self.entries.iter().map(|entry| match entry {
            LogEntry::FromAgent { entry, .. } => entry,
            entry => entry,
        });
        steps.fold((1, 1), |(call, table), entry| match entry {
            LogEntry::Result(it) => {
                (call.max(it.number.saturating_add(1)), table.max(it.next_table))
            }
            LogEntry::Resumed { next_table } => (call, table.max(*next_table)),
            _ => (call, table),
        })
    }

    /// Returns the entries since the user's last instruction.
    pub(super) fn of_last_instruction(&self) -> &[LogEntry] {
        let begins = |entry: &LogEntry| matches!(entry, LogEntry::User { .. });
        let last = self.entries.iter().rposition(begins).unwrap_or_default();
        self.entries.get(last..).unwrap_or_default()
    }

    pub(crate) fn entries(&self) -> &[LogEntry] {
        &self.entries
    }
}

pub(super) fn read_header(line: &[u8]) -> std::result::Result<RunHeader, String> {
    let header: Option<RunHeader> = serde_json::from_slice(line).ok();
    match header {
        Some(header) if header.format == FORMAT => Ok(header),
        Some(RunHeader { format, .. }) => {
            Err(format!("expected format `{FORMAT}`, got `{format}`"))
        }
        None => Err(format!("expected the log of a run with `\"format\":\"{FORMAT}\"`")),
    }
}

mod mode {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use mitt::offer::ToolMode;

    pub(super) fn serialize<S: Serializer>(mode: &ToolMode, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(mode.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ToolMode, D::Error> {
        let name = String::deserialize(from)?;
        ToolMode::from_name(&name).ok_or_else(|| D::Error::custom(format!("no mode `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_log::MemoryLog;

    #[test]
    fn steps_of_agents_leave_room_for_the_plan() {
        let written = MemoryLog::default();
        let mut log = RunLog { left: 4_000, kept: 2_000, ..written.log().for_plan() };
        let said = |text: &str| LogEntry::Host { text: text.repeat(600) };
        let (mut problems, mut of_agent) = (Vec::new(), 0);
        for _ in 0..5 {
            let entry = LogEntry::FromAgent { agent: 1, entry: Box::new(said("a")) };
            log.entry(&entry, str::to_owned);
            problems.extend(log.take_problem());
        }
        for _ in 0..3 {
            log.entry(&said("p"), str::to_owned);
            problems.extend(log.take_problem());
        }
        let read = written.read();
        let mut kinds = Vec::new();
        for entry in read.entries() {
            match entry {
                LogEntry::FromAgent { .. } => of_agent += 1,
                LogEntry::LeftOut => kinds.push("left out"),
                LogEntry::Host { .. } => kinds.push("plan"),
                _ => {}
            }
        }
        assert_eq!((of_agent, kinds), (3, vec!["left out", "plan", "plan", "plan"]));
        assert!(read.has_left_out_calls());
        let problems: Vec<String> = problems.iter().map(Error::to_string).collect();
        assert_eq!(problems, ["the log of this run is half full"], "told once, and not broken");
    }
}
