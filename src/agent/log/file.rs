//! The log of a run as a file: written line by line while it goes on, read by whoever looks at it, resumes it or replays it.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, Read, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::entry::{Entry, FORMAT, LoggedDocument};
use crate::plan::PlanRecord;
use mitt::Document;
use mitt::offer::ToolMode;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result};

/// Largest log, in bytes. What comes after that is not written down, which is told.
pub const MAX_LOG_BYTES: u64 = 64 * MIB;

/// What is kept of it for a plan, without which it could not go on: what its agents do is written down into the rest.
const KEPT_FOR_PLAN: u64 = MAX_LOG_BYTES / 2;

/// The first line of a log: how the run was begun.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunHeader {
    format: String,
    /// When it began, such as `2026-11-23T09:30:00.000Z`.
    pub time: String,
    /// The model, by the name that finds it again, such as `ollama/qwen3`.
    pub model: String,
    /// How the model is told of the tools.
    #[serde(with = "mode")]
    pub tools: ToolMode,
    /// Where its files are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// What it was started with, for whoever goes on with it: options of a program by their names, each with its values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Vec<String>>,
}

impl RunHeader {
    /// A run of this model, begun at this time.
    pub fn new(time: String, model: String, tools: ToolMode) -> RunHeader {
        let options = BTreeMap::new();
        RunHeader { format: FORMAT.to_owned(), time, model, tools, folder: None, options }
    }
}

/// Writes down what happens in a conversation: all that was said and all results, so that it can be looked at, resumed after its
/// process died ([`Agent::resume`](crate::Agent::resume)) and made again ([`replay`](crate::replay)). What was in documents is in
/// it: it is for its owner's eyes alone.
///
/// JSON lines: a [`RunHeader`], then a line for each step, written and flushed before the next step is taken. At most
/// [`MAX_LOG_BYTES`].
pub struct RunLog {
    /// Never locked: it makes the log one that threads may share.
    writer: Mutex<Box<dyn Write + Send>>,
    left: u64,
    /// Bytes at the end into which no step of an agent is written.
    kept: u64,
    /// Whether a step of an agent had no room, so that none is written any more.
    has_left_out: bool,
    /// Why nothing is written any more, once.
    problem: Option<Error>,
    is_broken: bool,
}

impl RunLog {
    /// Begin a log.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it cannot be written.
    pub fn begin(writer: impl Write + Send + 'static, header: &RunHeader) -> Result<RunLog> {
        let mut log = RunLog::go_on(writer, 0);
        log.line(header, str::to_owned);
        log.problem.take().map_or(Ok(log), Err)
    }

    /// Go on with a log that has `length` bytes, the last of which ends a line.
    pub fn go_on(writer: impl Write + Send + 'static, length: u64) -> RunLog {
        let left = MAX_LOG_BYTES.saturating_sub(length);
        RunLog {
            writer: Mutex::new(Box::new(writer)),
            left,
            kept: 0,
            has_left_out: false,
            problem: None,
            is_broken: false,
        }
    }

    /// With room kept for a plan: steps of agents end before the log is full.
    pub(crate) fn for_plan(self) -> RunLog {
        RunLog { kept: KEPT_FOR_PLAN, ..self }
    }

    /// Write down where a document came from, so that a resumed run finds it.
    pub fn document(&mut self, document: &Document, path: Option<PathBuf>) {
        let Document { name, sha256, size, .. } = document;
        let (name, sha256, size) = (name.clone(), sha256.clone(), *size);
        self.line(&Entry::Document(LoggedDocument { name, path, sha256, size }), str::to_owned);
    }

    /// `redacted` takes out of a line what may not be written down.
    pub(crate) fn entry(&mut self, entry: &Entry, redacted: impl Fn(&str) -> String) {
        let is_of_agent = matches!(entry, Entry::Of { .. } | Entry::Delegated(_));
        if !is_of_agent || self.kept == 0 {
            self.line(entry, redacted);
        } else if !self.has_left_out {
            match serde_json::to_string(entry) {
                Ok(line) if self.left.saturating_sub(line.len() as u64) < self.kept => {
                    self.has_left_out = true;
                    self.line(&Entry::LeftOut, str::to_owned);
                    let told = Error::new(ErrorKind::Host, "the log of this run is half full");
                    self.problem.get_or_insert(told.hint(
                        "calls of the plan's steps are not written down any more; the plan is, and can be resumed",
                    ));
                }
                _ => self.line(entry, redacted),
            }
        }
    }

    /// Why nothing is written any more. Told once.
    pub(crate) fn take_problem(&mut self) -> Option<Error> {
        self.problem.take()
    }

    fn line(&mut self, value: &impl Serialize, redacted: impl Fn(&str) -> String) {
        if self.is_broken {
            return;
        }
        if let Err(error) = self.write(value, redacted) {
            self.is_broken = true;
            let told = Error::new(ErrorKind::Host, "the log of this run cannot be written");
            self.problem = Some(
                told.hint("the run goes on, but cannot be resumed or replayed from here on")
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
        line.push('\n');
        let Some(left) = self.left.checked_sub(line.len() as u64) else {
            return Err(io::Error::other(format!("it may have at most {MAX_LOG_BYTES} bytes")));
        };
        self.left = left;
        // In one piece, so that a process that dies leaves at most one torn line.
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner);
        writer.write_all(line.as_bytes())?;
        writer.flush()
    }
}

/// A log that was read.
#[derive(Clone, Debug)]
pub struct LoggedRun {
    header: RunHeader,
    entries: Vec<Entry>,
    length: u64,
}

impl LoggedRun {
    /// Read a log. A last line that is torn, as the process died while it wrote it, does not count.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - it is no log of a run, or damaged; with the line.
    pub fn read(from: impl Read) -> Result<LoggedRun> {
        let wrong = |line: u64, problem: String| {
            let message = format!("line {line}: {problem}");
            Error::new(ErrorKind::Input, message)
        };
        // A byte more, so that what is too long is told so.
        let mut from = io::BufReader::new(from.take(MAX_LOG_BYTES + 1));
        let (mut header, mut entries, mut length) = (None, Vec::new(), 0);
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            from.read_until(b'\n', &mut bytes)
                .map_err(|error| wrong(number, "it cannot be read".to_owned()).caused_by(error))?;
            if length + bytes.len() as u64 > MAX_LOG_BYTES {
                return Err(wrong(number, format!("at most {MAX_LOG_BYTES} bytes expected")));
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
            return Err(wrong(1, "the log of a run expected, got no complete line".to_owned()));
        };
        Ok(LoggedRun { header, entries, length })
    }

    /// How it was begun.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// Its complete lines, in bytes: where a log that goes on continues.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The documents, in the order in which they were given.
    pub fn documents(&self) -> impl Iterator<Item = &LoggedDocument> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Document(document) => Some(document),
            _ => None,
        })
    }

    /// What the user said, in order.
    pub fn instructions(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::User { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }

    /// What was decided about what the user said, in order: the number of the instruction, from 1, and its trace, such as
    /// `confident_direct+meta`. None of runs without routing.
    pub fn traces(&self) -> Vec<(usize, String)> {
        let mut traces: Vec<(usize, String)> = Vec::new();
        let mut number = 0;
        for entry in &self.entries {
            match entry {
                Entry::User { .. } => number += 1,
                Entry::Routed { trace } => {
                    // The later one has what was added.
                    traces.retain(|(of, _)| *of != number);
                    traces.push((number, trace.to_string()));
                }
                _ => {}
            }
        }
        traces
    }

    /// Whether the last instruction was followed to its end.
    pub fn is_finished(&self) -> bool {
        let end = self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Ended { failure } => Some(failure.is_none()),
            Entry::User { .. } | Entry::Answer { .. } | Entry::Plan(_) => Some(false),
            _ => None,
        });
        end.unwrap_or(true)
    }

    /// The plan by which the last instruction is followed, and how far it has come; none if it is followed without one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the log says what cannot have happened.
    pub fn plan(&self) -> Result<Option<PlanRecord>> {
        let mut record = None;
        for entry in self.of_last_instruction() {
            if let Entry::Plan(entry) = entry {
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

    /// The numbers of the next call and of the next table, behind all that results of the run may name.
    fn next(&self) -> (u64, u64) {
        let steps = self.entries.iter().map(|entry| match entry {
            Entry::Of { entry, .. } => entry,
            entry => entry,
        });
        steps.fold((1, 1), |(call, table), entry| match entry {
            Entry::Result(it) => (call.max(it.number.saturating_add(1)), table.max(it.next_table)),
            Entry::Resumed { next_table } => (call, table.max(*next_table)),
            _ => (call, table),
        })
    }

    /// What happened since the user said something last.
    pub(super) fn of_last_instruction(&self) -> &[Entry] {
        let begins = |entry: &Entry| matches!(entry, Entry::User { .. });
        let last = self.entries.iter().rposition(begins).unwrap_or_default();
        self.entries.get(last..).unwrap_or_default()
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

fn read_header(line: &[u8]) -> std::result::Result<RunHeader, String> {
    let header: Option<RunHeader> = serde_json::from_slice(line).ok();
    match header {
        Some(header) if header.format == FORMAT => Ok(header),
        Some(RunHeader { format, .. }) => {
            Err(format!("format `{FORMAT}` expected, got `{format}`"))
        }
        None => Err(format!("the log of a run with `\"format\":\"{FORMAT}\"` expected")),
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
    use crate::written::Written;

    #[test]
    fn steps_of_agents_leave_room_for_the_plan() {
        let written = Written::default();
        let mut log = RunLog { left: 4_000, kept: 2_000, ..written.log().for_plan() };
        let said = |text: &str| Entry::Host { text: text.repeat(600) };
        let (mut problems, mut of_agent) = (Vec::new(), 0);
        for _ in 0..5 {
            let entry = Entry::Of { agent: 1, entry: Box::new(said("a")) };
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
                Entry::Of { .. } => of_agent += 1,
                Entry::LeftOut => kinds.push("left out"),
                Entry::Host { .. } => kinds.push("plan"),
                _ => {}
            }
        }
        assert_eq!((of_agent, kinds), (3, vec!["left out", "plan", "plan", "plan"]));
        assert!(read.has_left_out_calls());
        let problems: Vec<String> = problems.iter().map(Error::to_string).collect();
        assert_eq!(problems, ["the log of this run is half full"], "told once, and not broken");
    }
}
