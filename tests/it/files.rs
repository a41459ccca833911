//! Files on disk: complete files or none, and only files of our own are replaced.

use std::fs;
use std::path::Path;

use mitt::{Session, SessionOptions};
use serde_json::json;

use crate::support::{command, host, text};

fn session(folder: &Path) -> Session {
    host()
        .session(SessionOptions { folder: Some(folder.to_owned()), ..SessionOptions::default() })
        .unwrap()
}

async fn deliver(session: &Session, name: &str, content: &str) -> mitt::Result<mitt::value::Json> {
    let arguments = json!({ "markdown": content, "filename": name });
    session.call("report__deliver", &arguments.to_string()).await.result
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn artifacts_are_replaced_by_later_sessions_but_other_files_never() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.md"), "by hand").unwrap();
    let first = session(folder.path());
    deliver(&first, "report.md", "one").await.unwrap();
    deliver(&first, "report.md", "two").await.unwrap();
    assert_eq!(first.artifacts().len(), 1);
    let refusal = deliver(&first, "mine.md", "by a model").await.unwrap_err();
    assert!(refusal.to_string().contains("was not made by mitt"), "{refusal}");
    drop(first);
    deliver(&session(folder.path()), "report.md", "three").await.unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("report.md")).unwrap(), "three");
    assert_eq!(fs::read_to_string(folder.path().join("mine.md")).unwrap(), "by hand");
    assert_eq!(names(folder.path()), ["journal.jsonl", "mine.md", "report.md"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let target = tempfile::NamedTempFile::new().unwrap();
    std::os::unix::fs::symlink(target.path(), folder.path().join("report.md")).unwrap();
    deliver(&session(folder.path()), "report.md", "x").await.unwrap_err();
    assert_eq!(fs::read(target.path()).unwrap(), b"");
}

#[tokio::test]
async fn the_journal_is_not_an_artifact() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = json!({ "markdown": "{}", "filename": "journal.jsonl" });
    let session = session(folder.path());
    session.call("report__deliver", &arguments.to_string()).await.result.unwrap_err();
    let journal = fs::read_to_string(folder.path().join("journal.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> =
        journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, session.journal());
    assert_eq!(lines[1]["kind"], "call");
    assert_eq!(lines[1]["outcome"], "plugin");
    assert_eq!(lines[1]["arguments_hash"].as_str().unwrap().len(), 64);
}

/// The system refuses to write more than 8 KiB to a file, as a full disk would at some point.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_half_written_file_and_keeps_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let large: String = (0..2_000).map(|n| format!("line {n} of a long report\n")).collect();
    let arguments = json!({ "markdown": large, "filename": "large.txt" }).to_string();
    fs::write(folder.path().join("arguments.json"), arguments).unwrap();
    let small = command(
        folder.path(),
        &[
            "call",
            "report__deliver",
            "--json",
            r##"{"markdown": "# small", "filename": "small.md"}"##,
        ],
    );
    assert!({ small }.output().unwrap().status.success());

    // Without the signal handler the process would be killed; a full disk only gives an error.
    let script =
        "trap '' XFSZ; ulimit -f 16; exec \"$0\" call report__deliver --json @arguments.json";
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(folder.path()).args(["-c", script, env!("CARGO_BIN_EXE_mitt")]);
    shell.env("MITT_CACHE_DIR", crate::support::cache()).env("MITT_CONFIG", "");
    let output = shell.output().unwrap();
    assert_eq!(output.status.code(), Some(70), "{}", text(&output.stderr));
    let stderr = text(&output.stderr);
    assert!(stderr.contains("large.txt") && stderr.contains("free some disk space"), "{stderr}");
    assert_eq!(names(&folder.path().join("out")), ["journal.jsonl", "small.md"]);
}
