//! Calls that refer to earlier results instead of repeating them.

use super::*;
use crate::memory_log::MemoryLog;
use crate::replay;

fn long_text() -> String {
    (1..=200).map(|n| format!("Line {n}: 收入增长。\n\n")).collect()
}

fn read() -> (&'static str, Value) {
    ("document_tool__read_document", json!({ "name": "notes.md" }))
}

fn deliver(of: &Value) -> (&'static str, Value) {
    ("report__deliver", json!({ "markdown": of, "filename": "a.md" }))
}

async fn asked(
    turns: impl IntoIterator<Item = Vec<ChatEvent>>,
    last: usize,
) -> (Stage, Vec<String>) {
    // Ends in any case.
    let stage = Stage::new(turns.into_iter().chain([says("No."), says("No.")]));
    stage.document("notes.md", &long_text()).await;
    let agent = stage.agent().tools(ToolMode::All).build();
    agent.run(&stage.session, "Keep it").await.unwrap();
    let asked = stage.asked(last);
    (stage, asked)
}

#[tokio::test]
async fn a_long_result_is_passed_on_by_its_name() {
    let text = json!({ "$ref": "call-1#/text" });
    let (stage, asked) =
        asked([calls(&[read()]), calls(&[deliver(&text)]), says("Done.")], 2).await;
    let hint = "As an argument: {\"$ref\":\"call-1\"}, or a part: {\"$ref\":\"call-1#/…\"}";
    assert!(asked.iter().any(|it| it.ends_with(hint)), "{asked:?}");
    assert_eq!(stage.session.artifacts().len(), 1, "{asked:?}");
    // The journal and an approver see the resolved arguments.
    let call = stage.session.journal().into_iter().find(|it| it["tool"] == "report__deliver");
    assert!(!call.unwrap().to_string().contains("$ref"));
}

#[tokio::test]
async fn a_name_that_means_nothing_is_told_with_those_that_do() {
    let wrong = ["call-7", "call-1#/body", "call-1#text"].map(|name| json!({ "$ref": name }));
    let turns = [calls(&[read()]), calls(&wrong.each_ref().map(|it| deliver(it))), says("Sorry.")];
    let (stage, asked) = asked(turns, 2).await;
    assert!(stage.session.artifacts().is_empty());
    let all = asked.join("\n");
    for problem in [
        "/markdown: no result `call-7` is kept; there are call-1",
        "/markdown: the result has no `body`; it has ",
        "/markdown: a part is named by a JSON pointer",
    ] {
        assert!(all.contains(problem), "{problem}: {asked:?}");
    }
}

#[tokio::test]
async fn what_a_document_says_names_no_result() {
    // Text that looks like a reference stays text, even inside of an argument.
    let text = json!("{\"$ref\": \"call-1\"}");
    let rows = json!([{ "a": "{\"$ref\": \"call-1\"}" }]);
    let book = ("excel_tool__create_excel", json!({ "data": rows, "filename": "a.xlsx" }));
    let (stage, asked) =
        asked([calls(&[read()]), calls(&[deliver(&text), book]), says("Done.")], 2).await;
    assert_eq!(stage.session.artifacts().len(), 2, "{asked:?}");
    let nested = json!({ "data": [{ "a": { "$ref": "call-1" } }], "filename": "b.xlsx" });
    let report = stage.session.call("excel_tool__create_excel", &nested.to_string()).await;
    assert_eq!(report.result.unwrap_err().kind().name(), "arguments");
}

#[tokio::test]
async fn a_replay_and_a_resumed_run_name_the_same_or_nothing() {
    let text = json!({ "$ref": "call-1#/text" });
    let stage =
        Stage::new([calls(&[read()]), calls(&[deliver(&text)]), says("Done."), says("No.")]);
    stage.document("notes.md", &long_text()).await;
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.conversation(&stage.session).await;
    let written = MemoryLog::default();
    conversation.log_to(written.log());
    conversation.log_document(&stage.session.documents()[0], None);
    conversation.say("Keep it").await.unwrap();
    let run = written.read();

    let again = Stage::new([]);
    again.document("notes.md", &long_text()).await;
    let replayed = replay(&again.session, &run).await;
    assert_eq!((replayed.calls, replayed.differences), (2, Vec::new()));

    let later = Stage::new([calls(&[read(), deliver(&text)]), says("No."), says("No.")]);
    later.document("notes.md", &long_text()).await;
    let agent = later.agent().tools(ToolMode::All).build();
    let mut conversation = agent.resume(&later.session, &run).await;
    conversation.say("Again").await.unwrap();
    let asked = later.asked(1).join("\n");
    assert!(asked.contains("no result `call-1` is kept; there are call-3"), "{asked}");
}
