//! Recovery of a folder in which an earlier session was killed.
//!
//! A file that has its final name but no journal entry is added to the journal: otherwise it would count as the user's and could
//! never be replaced. Temporary files of killed processes are removed. Knows nothing of calls.

use std::time::Duration;

use super::entries::Journal;
use super::file_records::{FileRecord, FileRecords, RECOVERED};
use mitt_base::file_name::check_file_name;
use mitt_base::limits::MIB;
use mitt_base::output_folder::OutputFolder;
use mitt_base::scratch;

/// Most bytes of announced files that are read when a folder is opened: twice what one session may deliver. Announcements may be
/// forged; a file that was not checked is merely not replaced.
const MAX_CHECKED_BYTES: u64 = 512 * MIB;

/// Recovers `folder` after sessions that were killed in it. Returns the records of all its files that Mitt wrote, none larger
/// than `max_bytes`.
pub(in crate::session) fn recover(
    folder: Option<&OutputFolder>,
    journal: &Journal,
    max_bytes: u64,
    now: Duration,
) -> FileRecords {
    let mut own = journal.earlier_artifacts();
    let Some(folder) = folder else { return own };
    let mut left = MAX_CHECKED_BYTES;
    scratch::recover(folder.path(), |announced, _| {
        let found = FileRecord::read(&announced).filter(|(name, recorded)| {
            // The announcement may be old, and somebody else may have used the name since.
            check_file_name(name).is_ok()
                && take(&mut left, recorded.size)
                && recorded.is_in(folder, name, max_bytes)
        });
        if let Some((name, recorded)) = found {
            own.insert(name, recorded);
            journal.note_well(RECOVERED, announced, now);
        }
    });
    own
}

/// Subtracts `bytes` from what is left. Returns whether it was enough.
fn take(left: &mut u64, bytes: u64) -> bool {
    let rest = left.checked_sub(bytes);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;

    use serde_json::{Value, json};

    use super::super::entries::JournalOptions;
    use super::super::file_records::announcement;
    use super::*;
    use mitt_base::Resource;
    use mitt_base::digest::sha256;
    use mitt_base::memory::Account;
    use mitt_skill::capability::Artifact;

    /// Makes a folder as left by a process that was killed after it renamed `a.md` and before it wrote to its journal.
    fn killed_between(content: &str, announced: &Value) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.md"), content).unwrap();
        fs::write(folder.path().join(".mitt-0123456789abcdef.lock"), format!("{announced}\n"))
            .unwrap();
        fs::write(folder.path().join(".mitt-0123456789abcdef-01234567"), "half").unwrap();
        folder
    }

    fn open(folder: &OutputFolder) -> mitt_base::Result<Journal> {
        let options = JournalOptions { file_bytes: 1_000_000, full_texts: false, key: [7; 32] };
        let budget = Account::root(Resource::SessionMemory, u64::MAX);
        Journal::open(Some(folder), options, &budget)
    }

    const MAX_BYTES: u64 = 1_000;

    fn recovered(folder: &Path) -> (Vec<String>, usize) {
        let folder = OutputFolder::create(folder).unwrap();
        let journal = open(&folder).unwrap();
        journal.opened("t", Duration::ZERO);
        let own = recover(Some(&folder), &journal, MAX_BYTES, Duration::ZERO);
        let entries = journal.entries();
        let found = entries.iter().filter(|entry| entry["kind"] == RECOVERED).count();
        (own.into_keys().collect(), found)
    }

    fn announced(name: &str, content: &str) -> Value {
        announcement(&Artifact {
            name: name.into(),
            media_type: "text/markdown".into(),
            size: content.len() as u64,
            sha256: sha256(content.as_bytes()),
            ..Artifact::default()
        })
    }

    #[test]
    fn a_file_without_a_line_in_the_journal_is_ours_again() {
        let folder = killed_between("text", &announced("a.md", "text"));
        assert_eq!(recovered(folder.path()), (vec!["a.md".into()], 1));
        // Later sessions find it in the journal.
        assert_eq!(recovered(folder.path()), (vec!["a.md".into()], 0));
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 2, "the journal and the file");
    }

    #[test]
    fn a_file_that_is_not_the_announced_one_is_somebody_elses() {
        for announced in [
            announced("a.md", "other"),
            announced("a.md", "texu"),
            announced("b.md", "text"),
            announced("../a.md", "text"),
            json!({ "name": "a.md", "size": 4 }),
            json!(["a.md"]),
        ] {
            let folder = killed_between("text", &announced);
            assert_eq!(recovered(folder.path()), (vec![], 0), "{announced}");
            assert_eq!(fs::read_to_string(folder.path().join("a.md")).unwrap(), "text");
        }
    }

    /// Sparse files: reading them whole would take time and memory, but they take no disk space.
    #[test]
    fn of_strangers_announcements_only_so_much_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let huge = File::create(folder.path().join("a.md")).unwrap();
        huge.set_len(1 << 40).unwrap();
        for number in 0..10 {
            let line = json!({ "name": "a.md", "size": 1_u64 << 40, "sha256": "0" });
            let name = format!(".mitt-{number:016}.lock");
            fs::write(folder.path().join(name), format!("{line}\n").repeat(64)).unwrap();
        }
        assert_eq!(recovered(folder.path()), (vec![], 0));
        let mut left = 100;
        let taken = [60, 60, 40, 1, 0, u64::MAX].map(|bytes| take(&mut left, bytes));
        assert_eq!(taken, [true, false, true, false, true, false]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_no_file_of_ours() {
        let folder = killed_between("", &announced("b.md", "text"));
        fs::write(folder.path().join("a.md"), "text").unwrap();
        std::os::unix::fs::symlink("a.md", folder.path().join("b.md")).unwrap();
        assert_eq!(recovered(folder.path()), (vec![], 0));
    }

    #[test]
    fn a_torn_line_is_ended_and_skipped() {
        let first = "{\"time\":\"t\",\"kind\":\"session\",\"mitt\":\"0\"}\n{\"kind\":\"artifact\",\"name\":\"a.md\",\"size\":1,\"sha256\":\"0\"}\n";
        for (torn, lines) in [("", 2), ("{\"kind\":\"art", 3), ("{\"name\":\"\u{6708}", 3)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("journal.jsonl");
            // The last character is cut, too.
            let torn = &torn.as_bytes()[..torn.len().saturating_sub(1)];
            fs::write(&path, [first.as_bytes(), torn].concat()).unwrap();
            let output = OutputFolder::create(folder.path()).unwrap();
            let journal = open(&output).unwrap();
            assert!(journal.earlier_artifacts().keys().eq(["a.md"]));
            journal.note("session", json!({}), Duration::ZERO);
            let written = fs::read(&path).unwrap();
            assert!(written.ends_with(b"}\n"));
            let text = String::from_utf8_lossy(&written).into_owned();
            assert_eq!(text.lines().count(), lines + 1, "{text}");
            let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
            assert_eq!(last["kind"], "session");
        }
    }

    #[test]
    fn a_first_line_that_is_torn_is_begun_anew_and_what_is_no_journal_refused() {
        for (content, is_ours) in [
            ("", true),
            ("{", true),
            ("{\"t", true),
            ("{\"time\":\"", true),
            ("{\"time\":\"2026", true),
            ("{\"x", false),
            ("{\n", false),
            ("{\"time\":\"2026\n", false),
            ("export PATH", false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("journal.jsonl");
            fs::write(&path, content).unwrap();
            let output = OutputFolder::create(folder.path()).unwrap();
            let opened = open(&output);
            assert_eq!(opened.is_ok(), is_ours, "{content}");
            let expected = if is_ours { "" } else { content };
            assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        }
    }
}
