//! What a session does in a folder where an earlier one was killed.
//!
//! A file that had its name already, and no line in the journal yet, becomes the session's own again: otherwise it would be
//! taken for somebody else's and could never be replaced. Temporary files of the dead are removed. Knows nothing of calls.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::journal::Journal;
use crate::capability::Artifact;
use crate::digest::sha256;
use crate::file_name::check_file_name;
use crate::output_folder::OutputFolder;
use crate::{plain_file, scratch};

/// Entry of the journal for a file that was found: of an earlier session, whole, and not recorded by it.
pub(super) const KIND: &str = "recovered";

/// What is noted beside a file before it gets its name.
pub(super) fn announcement(artifact: &Artifact) -> Value {
    json!({
        "name": artifact.name, "media_type": artifact.media_type, "size": artifact.size, "sha256": artifact.sha256,
    })
}

/// Clean up behind sessions that were killed in `folder`. Gives the names of all files in it that Mitt made.
pub(super) fn recover(
    folder: Option<&OutputFolder>,
    journal: &Journal,
    now: Duration,
) -> Vec<String> {
    let mut own = journal.earlier_artifacts();
    let Some(folder) = folder else { return own };
    let folder = folder.path();
    scratch::settle(folder, |announced, _| {
        if let Some(name) = is_there(folder, &announced) {
            own.push(name.to_owned());
            journal.note_well(KIND, announced, now);
        }
    });
    own
}

/// The name of the file that was announced, if it is there and is exactly that file: it may have been killed before, and
/// somebody else may have used the name since.
fn is_there<'a>(folder: &Path, announced: &'a Value) -> Option<&'a str> {
    let name = announced["name"].as_str().filter(|name| check_file_name(name).is_ok())?;
    let (size, digest) = (announced["size"].as_u64()?, announced["sha256"].as_str()?);
    let path = folder.join(name);
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() || metadata.len() != size {
        return None;
    }
    let content = plain_file::read(&path, size).ok()?;
    (sha256(&content) == digest).then_some(name)
}

/// End the last line of a journal whose writer was killed in the middle of it, so that the next entry has a line of its own.
/// Where another process is writing at this moment, there is an empty line at most.
pub(super) fn end_last_line(mut journal: &File) -> io::Result<()> {
    let length = journal.seek(SeekFrom::End(0))?;
    if length == 0 {
        return Ok(());
    }
    journal.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    // It may have been cut off meanwhile.
    if journal.read(&mut last)? == 1 && last != *b"\n" {
        journal.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::journal::JournalOptions;
    use super::*;
    use crate::Resource;
    use crate::memory::Account;

    /// A folder as a process leaves it that is killed after it renamed `a.md` and before it wrote to its journal.
    fn killed_between(content: &str, announced: &Value) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.md"), content).unwrap();
        fs::write(folder.path().join(".mitt-0123456789abcdef.lock"), format!("{announced}\n"))
            .unwrap();
        fs::write(folder.path().join(".mitt-0123456789abcdef-01234567"), "half").unwrap();
        folder
    }

    fn opened(folder: &OutputFolder) -> Journal {
        let options = JournalOptions { file_bytes: 1_000_000, full_texts: false, key: [7; 32] };
        let budget = Account::root(Resource::SessionMemory, u64::MAX);
        let journal = Journal::open(Some(folder), options, &budget).unwrap();
        journal.opened("t", Duration::ZERO);
        journal
    }

    fn recovered(folder: &Path) -> (Vec<String>, usize) {
        let folder = OutputFolder::existing(folder).unwrap();
        let journal = opened(&folder);
        let own = recover(Some(&folder), &journal, Duration::ZERO);
        let entries = journal.entries();
        let found = entries.iter().filter(|entry| entry["kind"] == KIND).count();
        (own, found)
    }

    fn announced(name: &str, content: &str) -> Value {
        announcement(&Artifact {
            name: name.into(),
            media_type: "text/markdown".into(),
            size: content.len() as u64,
            sha256: sha256(content.as_bytes()),
        })
    }

    #[test]
    fn a_file_without_a_line_in_the_journal_is_ours_again() {
        let folder = killed_between("text", &announced("a.md", "text"));
        assert_eq!(recovered(folder.path()), (vec!["a.md".into()], 1));
        // Later sessions know it from the journal.
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
        const FIRST: &str = "{\"time\":\"\",\"kind\":\"session\",\"mitt\":\"0\"}\n";
        const FILE: &str = "{\"kind\":\"artifact\",\"name\":\"a.md\"}\n";
        for (lines, files, torn) in [
            (0, 0, String::new()),
            (1, 0, "{\"time\":\"2026-11-2".into()),
            (1, 0, FIRST.into()),
            (2, 1, format!("{FIRST}{FILE}")),
            (3, 1, format!("{FIRST}{FILE}{{\"kind\":\"art")),
            (3, 1, format!("{FIRST}{FILE}{{\"name\":\"\u{6708}")),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("journal.jsonl");
            // The last character is torn too.
            let cut = usize::from(!torn.is_empty() && !torn.ends_with('\n'));
            fs::write(&path, &torn.as_bytes()[..torn.len() - cut]).unwrap();
            let journal = opened(&OutputFolder::existing(folder.path()).unwrap());
            assert_eq!(journal.earlier_artifacts().len(), files);
            let written = fs::read(&path).unwrap();
            assert!(written.ends_with(b"}\n"));
            let text = String::from_utf8_lossy(&written).into_owned();
            assert_eq!(text.lines().count(), lines + 1, "{text}");
            let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
            assert_eq!(last["kind"], "session");
        }
    }
}
