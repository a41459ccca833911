//! The journal: an append-only record of a session, JSON lines.
//!
//! Arguments are recorded by their hash: a journal can be kept and shown without what was in the documents.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::{Attempt, CallReport, recovery};
use crate::capability::{Artifact, LogLevel};
use crate::document::Document;
use crate::limits::MIB;
use crate::time::timestamp;
use crate::{Error, ErrorKind, Result};

/// Name of the journal's file in the session's folder.
pub(super) const FILE_NAME: &str = "journal.jsonl";

/// Most of an earlier journal that is read to learn which files are Mitt's own.
const MAX_EARLIER_BYTES: u64 = 64 * MIB;

/// Entries that are kept in memory, in bytes: a server's sessions last long. Of more, the oldest are in the file only.
const MAX_KEPT_BYTES: usize = 16 * 1024 * 1024;

/// What is kept of the memory that the last entry was written to, in bytes.
const MAX_SPARE_BYTES: usize = 4 * 1024;

pub(super) struct Journal {
    state: Mutex<State>,
    earlier_artifacts: Vec<String>,
}

struct State {
    /// Lines of JSON, each with its end.
    lines: VecDeque<u8>,
    /// Where an entry is written first: there may be thousands in a second.
    line: Vec<u8>,
    file: Option<File>,
}

/// An entry, as it is written.
#[derive(Serialize)]
struct Entry<'a, D> {
    time: String,
    kind: &'a str,
    #[serde(flatten)]
    details: D,
}

/// The entry of a call, of which no tree is made first.
#[derive(Serialize)]
struct CallEntry<'a> {
    time: String,
    kind: &'a str,
    tool: &'a str,
    depth: u64,
    arguments_sha256: &'a str,
    outcome: &'a str,
    message: Option<&'a str>,
    attempts: usize,
    fuel: u64,
    peak_memory_bytes: u64,
    duration_us: u64,
    artifacts: Vec<&'a str>,
}

impl Journal {
    /// A journal in `folder`, behind what is there already; in memory without a folder.
    pub(super) fn open(folder: Option<&Path>) -> Result<Journal> {
        let mut earlier_artifacts = Vec::new();
        let mut file = None;
        if let Some(folder) = folder {
            let failed = |error: std::io::Error| {
                Error::new(
                    ErrorKind::Host,
                    format!("cannot write to the folder {}", folder.display()),
                )
                .hint("name a folder that you may write to, on a disk with free space")
                .caused_by(error)
            };
            std::fs::create_dir_all(folder).map_err(failed)?;
            let path = folder.join(FILE_NAME);
            earlier_artifacts = read_artifacts(&path);
            let options = OpenOptions::new().create(true).append(true).read(true).open(&path);
            let opened = options.map_err(failed)?;
            recovery::end_last_line(&opened).map_err(failed)?;
            file = Some(opened);
        }
        let state = State { lines: VecDeque::new(), line: Vec::new(), file };
        Ok(Journal { state: Mutex::new(state), earlier_artifacts })
    }

    /// Files that earlier sessions delivered into the same folder.
    pub(super) fn earlier_artifacts(&self) -> Vec<String> {
        self.earlier_artifacts.clone()
    }

    pub(super) fn entries(&self) -> Vec<Value> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = state.lines.make_contiguous().split(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    pub(super) fn note(&self, kind: &str, details: Value, now: Duration) {
        self.write(&Entry { time: timestamp(now), kind, details });
    }

    fn write(&self, entry: &impl Serialize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { lines, line, file } = &mut *state;
        if serde_json::to_writer(&mut *line, entry).is_err() {
            line.clear();
            return;
        }
        line.push(b'\n');
        if let Some(file) = file {
            // One write per line, so that two processes in one folder never mix theirs. A journal that cannot be
            // written must not take the work with it: the entries stay in memory for whoever asks.
            let _ = file.write_all(line);
        }
        lines.extend(line.iter());
        line.clear();
        line.shrink_to(MAX_SPARE_BYTES);
        while lines.len() > MAX_KEPT_BYTES {
            let oldest = lines.iter().position(|byte| *byte == b'\n').unwrap_or(lines.len() - 1);
            lines.drain(..=oldest);
        }
    }

    pub(super) fn opened(&self, tenant: &str, now: Duration) {
        self.note("session", json!({ "tenant": tenant, "mitt": env!("CARGO_PKG_VERSION") }), now);
    }

    #[cfg_attr(not(feature = "ingest"), allow(dead_code, reason = "only ingest reads documents"))]
    pub(super) fn document(&self, document: &Document, now: Duration) {
        let details = json!({
            "name": document.name, "media_type": document.media_type, "size": document.size,
            "sha256": document.sha256, "characters": document.characters, "tables": document.tables.len(),
            "warnings": document.warnings,
        });
        self.note("document", details, now);
    }

    #[cfg_attr(not(feature = "ingest"), allow(dead_code, reason = "only ingest reads documents"))]
    pub(super) fn document_failed(&self, name: &str, error: &Error, now: Duration) {
        let details = json!({ "name": name, "error": { "kind": error.kind().name(), "message": error.to_string() } });
        self.note("document", details, now);
    }

    pub(super) fn call(&self, report: &CallReport, now: Duration) {
        let failure = report.failure();
        self.write(&CallEntry {
            time: timestamp(now),
            kind: "call",
            tool: &report.tool,
            depth: report.depth,
            arguments_sha256: &report.arguments_sha256,
            outcome: failure.as_ref().map_or("ok", |(kind, _)| *kind),
            message: failure.as_ref().map(|(_, message)| message.as_str()),
            attempts: report.attempts.len(),
            fuel: report.usage.fuel,
            peak_memory_bytes: report.usage.peak_memory_bytes,
            duration_us: u64::try_from(report.usage.duration.as_micros()).unwrap_or(u64::MAX),
            artifacts: report.artifacts.iter().map(|artifact| artifact.name.as_str()).collect(),
        });
    }

    /// An attempt of a call that may have several, as it ends.
    pub(super) fn attempt(&self, tool: &str, depth: u64, attempt: &Attempt, now: Duration) {
        let failure = attempt.failure.as_ref();
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let details = json!({
            "tool": tool, "depth": depth, "number": attempt.number,
            "outcome": failure.map_or("ok", |(kind, _)| *kind), "message": failure.map(|(_, message)| message),
            "fuel": attempt.usage.fuel, "duration_us": micros(attempt.usage.duration),
            "delay_us": attempt.delay.map(micros),
        });
        self.note("attempt", details, now);
    }

    pub(super) fn artifact(&self, artifact: &Artifact, warnings: &[String], now: Duration) {
        let details = json!({
            "name": artifact.name, "media_type": artifact.media_type, "size": artifact.size,
            "sha256": artifact.sha256, "warnings": warnings,
        });
        self.note("artifact", details, now);
    }

    pub(super) fn log(&self, tool: &str, level: LogLevel, message: &str, now: Duration) {
        self.note("log", json!({ "tool": tool, "level": level.name(), "message": message }), now);
    }
}

fn read_artifacts(path: &Path) -> Vec<String> {
    let Ok(file) = File::open(path) else { return Vec::new() };
    let name = |line: Vec<u8>| -> Option<String> {
        let entry: Value = serde_json::from_slice(&line).ok()?;
        let is_file = entry["kind"] == "artifact" || entry["kind"] == recovery::KIND;
        is_file.then(|| entry["name"].as_str().map(str::to_owned))?
    };
    // A line may be torn in the middle of a character; what cannot be read at all, such as a folder, is no journal.
    let lines = BufReader::new(file.take(MAX_EARLIER_BYTES)).split(b'\n');
    lines.map_while(std::io::Result::ok).filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_entries_the_oldest_are_forgotten() {
        let journal = Journal::open(None).unwrap();
        let text = "x".repeat(MAX_KEPT_BYTES / 100);
        for number in 0..250 {
            journal.note("log", json!({ "number": number, "text": text }), Duration::ZERO);
        }
        let numbers: Vec<_> =
            journal.entries().iter().map(|entry| entry["number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (250 - numbers.len() as u64..250).collect::<Vec<_>>());
        assert!((95..100).contains(&numbers.len()), "{}", numbers.len());
        let state = journal.state.lock().unwrap();
        assert!(state.lines.len() <= MAX_KEPT_BYTES && state.line.capacity() <= MAX_SPARE_BYTES);
    }
}
