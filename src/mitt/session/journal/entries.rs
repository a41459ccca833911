//! Journal of a session: an append-only record in JSON lines, with limits in memory and in its file.
//!
//! The journal can be stored and shared without revealing the documents: arguments are recorded as a hash that only this session
//! can compute, and errors without the values that they quote. If entries come too fast, further ones are only counted, and the
//! work continues. A file is not rotated: otherwise a flood could displace its first entries and the records of the files in the
//! folder that are Mitt's own.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::sync::Mutex;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::super::attempt::Attempt;
use super::super::call_id::CallId;
use super::super::report::CallReport;
use super::file_records::FileRecords;
use super::folder;
use mitt_base::limits::MIB;
use mitt_base::memory::{Account, Charge};
use mitt_base::output_folder::OutputFolder;
use mitt_base::text::{cut_bytes, one_line};
use mitt_base::time::timestamp;
use mitt_base::visible::write_inert_json;
use mitt_base::{Error, Result, lock};
use mitt_skill::capability::{Artifact, LogLevel};
use mitt_types::Document;

/// Most bytes of entries that are kept in memory, since sessions of a server last long. Older entries are only in the file.
const MAX_KEPT_BYTES: usize = 4 * MIB as usize;

/// Longest entry, in bytes. Of a longer entry, only time and kind are written.
const MAX_ENTRY_BYTES: usize = 64 * 1024;

/// Most bytes of the entry buffer that are kept for the next entry.
const MAX_SPARE_BYTES: usize = 4 * 1024;

/// Longest name of a tool, in bytes: callers may name tools that do not exist, of any length.
const MAX_TOOL_BYTES: usize = 128;

/// Longest name of a tenant, in bytes. It must fit the first entry, since a journal with a truncated first entry is not
/// recognised.
const MAX_TENANT_BYTES: usize = 1024;

/// Settings of a journal.
#[derive(Clone, Debug)]
pub(in crate::session) struct JournalOptions {
    /// Most bytes of the file, including entries of earlier sessions.
    pub(in crate::session) file_bytes: u64,
    /// `true` if messages are recorded in full, with the values that they quote.
    pub(in crate::session) full_texts: bool,
    /// Key for hashes of arguments. Without a key, short arguments could be guessed.
    pub(in crate::session) key: [u8; 32],
}

pub(in crate::session) struct Journal {
    state: Mutex<State>,
    options: JournalOptions,
}

struct State {
    kept: Kept,
    /// Buffer for the next entry, kept because there may be thousands in a second.
    line: Vec<u8>,
    file: Option<JournalFile>,
    /// Files that earlier sessions delivered into the folder, according to the file.
    earlier_artifacts: FileRecords,
    /// The first entry, which identifies a file as a journal.
    first: Vec<u8>,
}

/// The latest entries, each a line of JSON with its newline, charged to the session.
struct Kept {
    lines: VecDeque<u8>,
    charge: Charge,
}

/// File of the journal, with a limit on its size.
struct JournalFile {
    file: File,
    bytes: u64,
    limit: u64,
    /// `true` if the file has an entry that says that it is full.
    is_full: bool,
    /// `true` if the last write failed. It may have left a partial line, which the next entry ends first.
    is_torn: bool,
    left_out: u64,
    /// Time of the last entry.
    time: Duration,
}

/// Share of the file that an entry may use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// Entries that a caller can cause by the thousand: calls, attempts, messages. They leave an eighth of the file to the
    /// others.
    Common,
    /// Entries that must not be displaced: files, decisions, documents, the beginning.
    Rare,
}

/// Entry as it is written.
#[derive(Serialize)]
struct JournalEntry<'a, D> {
    time: String,
    kind: &'a str,
    #[serde(flatten)]
    details: D,
}

/// Entry of a call, serialised without an intermediate tree.
#[derive(Serialize)]
struct CallEntry<'a> {
    time: String,
    kind: &'a str,
    call: u64,
    parent: Option<u64>,
    tool: String,
    depth: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<u64>,
    arguments_hash: String,
    outcome: &'a str,
    message: Option<&'a str>,
    attempts: usize,
    fuel: u64,
    peak_memory_bytes: u64,
    duration_us: u64,
    artifacts: Vec<&'a str>,
}

impl Journal {
    /// Opens a journal in `folder`, after its existing entries; in memory without a folder.
    pub(in crate::session) fn open(
        folder: Option<&OutputFolder>,
        options: JournalOptions,
        budget: &Account,
    ) -> Result<Journal> {
        let kept = Kept { lines: VecDeque::new(), charge: budget.nothing() };
        let (line, first) = (Vec::new(), Vec::new());
        let state = State { kept, line, file: None, earlier_artifacts: FileRecords::new(), first };
        let journal = Journal { state: Mutex::new(state), options };
        if let Some(folder) = folder {
            journal.write_to(folder)?;
        }
        Ok(journal)
    }

    /// Writes to a file in `folder` from now on, after its existing entries, beginning with the entries so far.
    ///
    /// # Errors
    ///
    /// Those of [`folder::journal`].
    pub(in crate::session) fn write_to(&self, folder: &OutputFolder) -> Result<()> {
        let (file, earlier_artifacts) = folder::journal(folder)?;
        let mut file = JournalFile::new(file, self.options.file_bytes);
        let mut state = lock(&self.state);
        let State { kept, first, .. } = &mut *state;
        if !first.is_empty() {
            file.write(first, Weight::Rare, Duration::ZERO);
        }
        let lines = kept.lines.make_contiguous().split_inclusive(|byte| *byte == b'\n');
        for line in lines.filter(|line| *line != &**first) {
            file.write(line, Weight::Common, Duration::ZERO);
        }
        (state.file, state.earlier_artifacts) = (Some(file), earlier_artifacts);
        Ok(())
    }

    /// Returns the files that earlier sessions delivered into the folder, according to the file.
    pub(in crate::session) fn earlier_artifacts(&self) -> FileRecords {
        lock(&self.state).earlier_artifacts.clone()
    }

    pub(in crate::session) fn entries(&self) -> Vec<Value> {
        let mut state = lock(&self.state);
        let lines = state.kept.lines.make_contiguous().split(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    pub(in crate::session) fn note(&self, kind: &str, details: Value, now: Duration) {
        self.write(
            &JournalEntry { time: timestamp(now), kind, details },
            kind,
            Weight::Common,
            now,
        );
    }

    /// Adds an entry that a flood of common entries cannot displace.
    pub(in crate::session) fn note_well(&self, kind: &str, details: Value, now: Duration) {
        self.write(&JournalEntry { time: timestamp(now), kind, details }, kind, Weight::Rare, now);
    }

    fn write(&self, entry: &impl Serialize, kind: &str, weight: Weight, now: Duration) {
        let mut state = lock(&self.state);
        let State { kept, line, file, first, .. } = &mut *state;
        line.clear();
        // Names of documents come from strangers, so the line must be harmless in a terminal or an editor.
        if write_inert_json(line, entry).is_err() {
            line.clear();
            return;
        }
        if line.len() > MAX_ENTRY_BYTES {
            let details = json!({ "left_out_bytes": line.len() });
            let kind = cut_bytes(kind, MAX_TOOL_BYTES);
            line.clear();
            let short = JournalEntry { time: timestamp(now), kind, details };
            if serde_json::to_writer(&mut *line, &short).is_err() {
                return;
            }
        }
        line.push(b'\n');
        if first.is_empty() {
            first.clone_from(line);
        }
        if let Some(file) = file {
            file.write(line, weight, now);
        }
        kept.add(line);
        line.clear();
        line.shrink_to(MAX_SPARE_BYTES);
    }

    /// Returns a keyed hash of arguments, so that they cannot be found by guessing.
    pub(in crate::session) fn hash(&self, arguments_sha256: &str) -> String {
        blake3::keyed_hash(&self.options.key, arguments_sha256.as_bytes()).to_hex().to_string()
    }

    /// Returns the message in full or without values, as the options say.
    fn loggable<'t>(&self, full: &'t str, without_values: &'t str) -> &'t str {
        if self.options.full_texts { full } else { without_values }
    }

    pub(in crate::session) fn opened(&self, tenant: &str, now: Duration) {
        let details = json!({ "tenant": cut_bytes(tenant, MAX_TENANT_BYTES), "mitt": env!("CARGO_PKG_VERSION") });
        self.note_well("session", details, now);
    }

    pub(in crate::session) fn document(&self, document: &Document, now: Duration) {
        // Warnings may quote the file.
        let warnings = if self.options.full_texts {
            json!(document.warnings)
        } else {
            json!(document.warnings.len())
        };
        let details = json!({
            "name": document.name, "media_type": document.media_type, "size": document.size,
            "sha256": document.sha256, "characters": document.characters, "tables": document.tables.len(),
            "warnings": warnings,
        });
        self.note_well("document", details, now);
    }

    pub(in crate::session) fn document_failed(&self, name: &str, error: &Error, now: Duration) {
        let message = self.loggable(&error.to_string(), error.without_values()).to_owned();
        let details =
            json!({ "name": name, "error": { "kind": error.kind().name(), "message": message } });
        self.note("document", details, now);
    }

    pub(in crate::session) fn call(&self, report: &CallReport, now: Duration) {
        let failure = report.failed();
        let full = failure.map(ToString::to_string).unwrap_or_default();
        let entry = CallEntry {
            time: timestamp(now),
            kind: "call",
            call: report.call.number,
            parent: report.call.parent,
            tool: one_line(cut_bytes(&report.tool, MAX_TOOL_BYTES)),
            depth: report.depth,
            agent: report.agent,
            arguments_hash: self.hash(&report.arguments_sha256),
            outcome: failure.map_or("ok", |error| error.kind().name()),
            message: failure.map(|error| self.loggable(&full, error.without_values())),
            attempts: report.attempts.len(),
            fuel: report.usage.fuel,
            peak_memory_bytes: report.usage.peak_memory_bytes,
            duration_us: u64::try_from(report.usage.duration.as_micros()).unwrap_or(u64::MAX),
            artifacts: report.artifacts.iter().map(|artifact| artifact.name.as_str()).collect(),
        };
        self.write(&entry, "call", Weight::Common, now);
    }

    /// Records an attempt of a call that may have several, as it ends.
    pub(in crate::session) fn attempt(
        &self,
        (call, tool, depth): (CallId, &str, u64),
        attempt: &Attempt,
        now: Duration,
    ) {
        let failure = attempt.failure.as_ref();
        let message = failure.map(|(_, full)| self.loggable(full, &attempt.without_values));
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let details = json!({
            "call": call.number, "parent": call.parent, "tool": tool, "depth": depth, "number": attempt.number,
            "outcome": failure.map_or("ok", |(kind, _)| *kind), "message": message,
            "fuel": attempt.usage.fuel, "duration_us": micros(attempt.usage.duration),
            "delay_us": attempt.delay.map(micros),
        });
        self.note("attempt", details, now);
    }

    pub(in crate::session) fn artifact(
        &self,
        call: CallId,
        artifact: &Artifact,
        warnings: &[String],
        now: Duration,
    ) {
        let warnings =
            if self.options.full_texts { json!(warnings) } else { json!(warnings.len()) };
        let details = json!({
            "name": artifact.name, "media_type": artifact.media_type, "size": artifact.size,
            "sha256": artifact.sha256, "warnings": warnings, "call": call.number, "parent": call.parent,
        });
        self.note_well("artifact", details, now);
    }

    pub(in crate::session) fn log(
        &self,
        (call, tool): (CallId, &str),
        level: LogLevel,
        message: &str,
        now: Duration,
    ) {
        let details = json!({
            "call": call.number, "parent": call.parent, "tool": tool, "level": level.name(), "message": message,
        });
        self.note("log", details, now);
    }
}

impl Kept {
    /// Keeps a line. The oldest lines are dropped if there is no memory for it.
    fn add(&mut self, line: &[u8]) {
        self.drop_oldest_over(MAX_KEPT_BYTES.saturating_sub(line.len()));
        let needed = self.lines.len() + line.len();
        if needed > self.lines.capacity() {
            let wanted =
                needed.max(2 * self.lines.capacity()).clamp(MAX_SPARE_BYTES, MAX_KEPT_BYTES);
            if self.charge.resize(wanted as u64).is_ok() {
                self.lines.reserve_exact(wanted - self.lines.len());
            } else {
                self.drop_oldest_over(self.lines.capacity().saturating_sub(line.len()));
            }
        }
        if self.lines.len() + line.len() <= self.lines.capacity() {
            self.lines.extend(line);
        }
    }

    fn drop_oldest_over(&mut self, most: usize) {
        while self.lines.len() > most {
            let oldest = self.lines.iter().position(|byte| *byte == b'\n');
            self.lines.drain(..=oldest.unwrap_or(self.lines.len() - 1));
        }
    }
}

impl JournalFile {
    fn new(file: File, limit: u64) -> JournalFile {
        // If the size is unknown, nothing is written.
        let bytes = file.metadata().map_or(u64::MAX, |metadata| metadata.len());
        let (is_full, is_torn, left_out) = (false, false, 0);
        JournalFile { file, bytes, limit, is_full, is_torn, left_out, time: Duration::ZERO }
    }

    fn write(&mut self, line: &[u8], weight: Weight, now: Duration) {
        self.time = now;
        let limit = match weight {
            Weight::Common => self.limit / 8 * 7,
            Weight::Rare => self.limit,
        };
        // The first entry is always written, because it identifies the file as a journal for the next session.
        if self.bytes > 0 && self.bytes.saturating_add(line.len() as u64) > limit {
            self.left_out += 1;
            if !std::mem::replace(&mut self.is_full, true) {
                self.say(json!({ "full": limit, "unit": "bytes", "left_out": "further entries" }));
            }
            return;
        }
        self.bytes += line.len() as u64;
        self.append(line);
    }

    /// Appends a line with one write, so that two processes in one folder never mix their lines. A failed write does not fail the
    /// work: the entries stay in memory.
    fn append(&mut self, line: &[u8]) {
        let ended = if self.is_torn { self.file.write_all(b"\n") } else { Ok(()) };
        self.is_torn = ended.and_then(|()| self.file.write_all(line)).is_err();
    }

    /// Writes a line about the journal itself, of which there are at most two.
    fn say(&mut self, details: Value) {
        let entry = JournalEntry { time: timestamp(self.time), kind: "journal", details };
        if let Ok(mut line) = serde_json::to_vec(&entry) {
            line.push(b'\n');
            self.append(&line);
        }
    }
}

impl Drop for JournalFile {
    fn drop(&mut self) {
        if self.left_out > 0 {
            self.say(json!({ "left_out": self.left_out, "unit": "entries" }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use mitt_base::Resource;

    fn journal(folder: Option<&Path>, file_bytes: u64, memory: u64) -> (Journal, Account) {
        let budget = Account::root(Resource::SessionMemory, memory);
        let options = JournalOptions { file_bytes, full_texts: false, key: [7; 32] };
        let folder = folder.map(|folder| OutputFolder::existing(folder).unwrap());
        (Journal::open(folder.as_ref(), options, &budget).unwrap(), budget)
    }

    fn numbers(journal: &Journal) -> Vec<u64> {
        journal.entries().iter().filter_map(|entry| entry["number"].as_u64()).collect()
    }

    #[test]
    fn of_too_many_entries_the_oldest_are_forgotten() {
        let (journal, budget) = journal(None, 0, u64::MAX);
        let text = "x".repeat(MAX_KEPT_BYTES / 100);
        for number in 0..250 {
            journal.note("log", json!({ "number": number, "text": text }), Duration::ZERO);
        }
        let numbers = numbers(&journal);
        assert_eq!(numbers, (250 - numbers.len() as u64..250).collect::<Vec<_>>());
        assert!((95..100).contains(&numbers.len()), "{}", numbers.len());
        let state = journal.state.lock().unwrap();
        assert!(state.kept.lines.capacity() <= MAX_KEPT_BYTES);
        assert!(state.line.capacity() <= MAX_SPARE_BYTES);
        assert!(state.kept.lines.capacity() as u64 <= budget.usage().used);
    }

    #[test]
    fn where_there_is_no_memory_fewer_entries_are_kept() {
        let (journal, budget) = journal(None, 0, 10_000);
        for number in 0..1_000 {
            journal.note(
                "log",
                json!({ "number": number, "text": "x".repeat(50) }),
                Duration::ZERO,
            );
        }
        assert_eq!(numbers(&journal).last(), Some(&999));
        assert!((20..100).contains(&numbers(&journal).len()), "{}", numbers(&journal).len());
        drop(journal);
        assert_eq!(budget.usage().used, 0);
    }

    #[test]
    fn an_entry_that_is_too_long_is_told_by_its_length() {
        let (journal, _) = journal(None, 0, u64::MAX);
        journal.note("log", json!({ "text": "x".repeat(MAX_ENTRY_BYTES) }), Duration::ZERO);
        let entries = journal.entries();
        assert_eq!((entries.len(), &entries[0]["kind"]), (1, &json!("log")));
        assert!(entries[0]["left_out_bytes"].as_u64() > Some(MAX_ENTRY_BYTES as u64));
        assert!(entries[0].get("text").is_none());
    }

    #[test]
    fn a_full_file_says_so_and_leaves_room_for_what_is_rare() {
        let folder = tempfile::tempdir().unwrap();
        let lines = || -> Vec<Value> {
            let text = std::fs::read_to_string(folder.path().join(folder::JOURNAL)).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let (first, _) = journal(Some(folder.path()), 8_000, u64::MAX);
        first.opened("t", Duration::ZERO);
        for number in 0..500 {
            first.note("log", json!({ "number": number }), Duration::ZERO);
        }
        first.note_well(
            "artifact",
            json!({ "name": "a.md", "size": 1, "sha256": "0" }),
            Duration::ZERO,
        );
        let written = lines();
        assert_eq!(written[written.len() - 1]["name"], "a.md");
        assert_eq!(written[written.len() - 2]["full"], 7_000);
        assert_eq!(written.iter().filter(|line| line["kind"] == "journal").count(), 1);
        assert_eq!(numbers(&first).len(), 500, "in memory they are kept");
        drop(first);
        let last = lines().pop().unwrap();
        assert_eq!(last["left_out"].as_u64().unwrap() + written.len() as u64 - 3, 500);
        // The next session has no more room than the first one had.
        let (second, _) = journal(Some(folder.path()), 8_000, u64::MAX);
        let before = std::fs::metadata(folder.path().join(folder::JOURNAL)).unwrap().len();
        for number in 0..500 {
            second.note("log", json!({ "number": number }), Duration::ZERO);
        }
        drop(second);
        let after = std::fs::metadata(folder.path().join(folder::JOURNAL)).unwrap().len();
        assert!(after - before < 300, "{before} {after}");
        let (again, _) = journal(Some(folder.path()), 8_000, u64::MAX);
        assert!(again.earlier_artifacts().keys().eq(["a.md"]));
    }

    #[test]
    fn the_first_entry_is_always_written_and_known_again() {
        for (file_bytes, tenant) in [
            (0, "t".into()),
            (7, "t".into()),
            (60, "t".into()),
            (1_000_000, "\u{6708}".repeat(50_000)),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for _ in 0..3 {
                let (journal, _) = journal(Some(folder.path()), file_bytes, u64::MAX);
                journal.opened(&tenant, Duration::ZERO);
                journal.note_well("artifact", json!({ "name": "a.md" }), Duration::ZERO);
            }
            let text = std::fs::read_to_string(folder.path().join(folder::JOURNAL)).unwrap();
            let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
            assert_eq!(first["kind"], "session", "{file_bytes}");
        }
    }

    #[test]
    fn equal_arguments_have_equal_hashes_in_one_session_only() {
        let (one, _) = journal(None, 0, u64::MAX);
        assert_eq!(one.hash("a"), one.hash("a"));
        assert_ne!(one.hash("a"), one.hash("b"));
        let options = JournalOptions { file_bytes: 0, full_texts: false, key: [8; 32] };
        let budget = Account::root(Resource::SessionMemory, u64::MAX);
        assert_ne!(one.hash("a"), Journal::open(None, options, &budget).unwrap().hash("a"));
    }
}
