//! With nothing compiled yet, a client has its tools in the first turn, and a call that waits says so.

use std::time::Duration;

use serde_json::json;

use super::client::{Client, small, text_of};
use crate::warm::{Held, number};

fn args(skills: &std::path::Path, held: &Held) -> Vec<String> {
    let mut args = small(skills);
    args.extend(["--cache-dir".into(), held.cache().display().to_string()]);
    args
}

#[test]
fn tools_are_listed_before_anything_is_compiled_and_a_call_that_waits_tells_of_it() {
    let skill = number();
    let folder = skill.path().display().to_string();
    let mut held = Held::new(&["--no-bundled-skills", "--skills", &folder]);
    let mut client = Client::initialized(&args(skill.path(), &held));
    let listed = client.request("tools/list", json!({}));
    assert!(listed.to_string().contains("number__run"), "{listed}");
    let wrong = client.call("number__run", json!({ "nunber": 1 }));
    assert!(text_of(&wrong).contains("did you mean `number`?"), "{wrong}");
    let call = client.begin(
        "tools/call",
        json!({
            "name": "number__run", "arguments": { "number": 6 },
            "_meta": { "progressToken": "t" },
        }),
    );
    let mut last = 0.0;
    for so_far in ["once per machine", "s so far"] {
        let note = client.told("notifications/progress");
        let (progress, message) = (&note["params"]["progress"], &note["params"]["message"]);
        assert!(progress.as_f64().unwrap() > last, "{note}");
        last = progress.as_f64().unwrap();
        let message = message.as_str().unwrap();
        assert!(message.starts_with("compiling number, usually "), "{message}");
        assert!(message.ends_with(so_far), "{message}");
    }
    // Other requests are answered meanwhile.
    assert!(client.request("ping", json!({})).get("result").is_some());
    held.let_go();
    let answer = client.answer(&json!(call));
    assert_eq!(answer["result"]["structuredContent"]["result"], 6, "{answer}");
    let (code, _, errors) = client.end();
    assert_eq!(code, Some(0), "{errors}");
}

/// Whatever is being compiled ahead, the process ends with its client.
#[test]
fn compiling_ahead_ends_with_the_server() {
    let skill = number();
    let folder = skill.path().display().to_string();
    let held = Held::new(&["--no-bundled-skills", "--skills", &folder]);
    let client = Client::initialized(&args(skill.path(), &held));
    let (code, _, errors) = client.end();
    assert_eq!(code, Some(0), "{errors}");
    // Nothing was compiled secretly.
    std::thread::sleep(Duration::from_millis(100));
    let is_code = |path: &std::path::Path| path.extension().is_some_and(|it| it == "cwasm");
    let files = std::fs::read_dir(held.cache()).unwrap();
    assert!(!files.into_iter().any(|entry| is_code(&entry.unwrap().path())));
}

#[test]
fn what_is_used_is_compiled_ahead_and_only_that() {
    let off = crate::support::TestSkill::new("off", "(component)", "enabled: false");
    let skill = number();
    let cache = tempfile::tempdir().unwrap();
    let mut all = small(skill.path());
    all.extend(["--skills".into(), off.path().display().to_string()]);
    all.extend(["--cache-dir".into(), cache.path().join("cache").display().to_string()]);
    let code = || {
        let files = std::fs::read_dir(cache.path().join("cache")).into_iter().flatten().flatten();
        files.filter(|it| it.path().extension().is_some_and(|it| it == "cwasm")).count()
    };
    let mut without = all.clone();
    without.extend(["--no-warm".into(), "--no-watch".into()]);
    let mut client = Client::initialized(&without);
    client.request("tools/list", json!({}));
    assert_eq!(code(), 0, "nobody needs it");
    assert_eq!(client.end().0, Some(0));
    let client = Client::initialized(&all);
    let since = std::time::Instant::now();
    while code() == 0 {
        assert!(since.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(10));
    }
    // Watching loads skills that are used, and ignores the others.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(client.end().0, Some(0));
    assert_eq!(code(), 1);
}

/// The reader of a document that every session has is compiled in the background too.
#[test]
fn a_client_is_answered_while_the_reader_of_its_documents_is_compiled() {
    let mut held = Held::new(&["reader-sheet"]);
    let document = crate::support::root().join("examples/yoy/2024年经营报告.xlsx");
    let cache = held.cache().display().to_string();
    let document = document.display().to_string();
    let args = ["--cache-dir", &cache, "--no-warm", "--doc", &document].map(str::to_owned);
    let mut client = Client::initialized(&args);
    let listed = client.request("tools/list", json!({}));
    assert!(listed.to_string().contains("document_tool__list_documents"), "{listed}");
    // A client that gets progress waits as long as necessary.
    let call = client.begin(
        "tools/call",
        json!({
            "name": "document_tool__list_documents", "arguments": {}, "_meta": { "progressToken": 1 },
        }),
    );
    assert!(client.request("ping", json!({})).get("result").is_some());
    held.let_go();
    let answer = client.answer(&json!(call));
    assert!(answer.to_string().contains("2024年经营报告.xlsx"), "{answer}");
}
