//! Logs of agents: a resumed run does not delegate a task again, and a replay makes the agents' calls again.

use super::*;
use crate::memory_log::MemoryLog;
use crate::replay;

const SALES: &str = "month,dau\n2024,12\n2025,15\n";

fn main_says() -> [Vec<ChatEvent>; 2] {
    [calls(&[task("writer", "Write"), task("reader", "Read")]), says("All done.")]
}

fn stage(main: Says) -> Stage {
    let read = || calls(&[("document_tool__read_table", json!({ "name": "sales.csv" }))]);
    let writer = script([read(), calls(&[excel("a.xlsx")]), says("Written.")]);
    let both =
        calls(&[("document_tool__read_table", json!({ "name": "sales.csv" })), excel("b.xlsx")]);
    let reader = script([both, says("Read.")]);
    let front = "read-only: true\n";
    Stage::new(main).agent("writer", "", writer).agent("reader", front, reader)
}

async fn logged() -> (Stage, MemoryLog) {
    let (stage, written) = (stage(script(main_says())), MemoryLog::default());
    stage.document("sales.csv", SALES).await;
    let agent = stage.main().build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    conversation.log_document(&stage.session.documents()[0], None);
    conversation.say("Do both").await.unwrap();
    (stage, written)
}

#[tokio::test]
async fn a_replay_makes_the_calls_of_agents_again_with_what_they_had() {
    let (_, written) = logged().await;
    let again = stage(script([says("-")]));
    again.document("sales.csv", SALES).await;
    let replayed = replay(&again.session, &written.read()).await;
    assert_eq!((replayed.calls, replayed.skipped), (4, 2));
    // The time in the workbook is that of the first run; what the reader was refused is refused again.
    assert_eq!(replayed.differences, []);
    assert_eq!(again.session.artifacts().len(), 1);
}

#[tokio::test]
async fn what_has_a_result_is_not_given_again() {
    let (first, written) = logged().await;
    let lines = written.text().lines().count();
    assert_eq!(first.requests("writer"), 3);
    let results: Vec<usize> = (0..lines)
        .filter(|at| written.text().lines().nth(*at).unwrap().starts_with("{\"result\""))
        .collect();
    assert_eq!(results.len(), 2);
    // Both have results; the model only has to say its last words.
    let stage_ = stage(script(main_says()));
    stage_.document("sales.csv", SALES).await;
    let agent = stage_.main().build();
    let mut conversation = agent.resume(&stage_.session, &written.lines(results[1] + 1)).await;
    let report = conversation.go_on().await.unwrap().unwrap();
    assert_eq!((report.text.as_str(), stage_.requests("writer")), ("All done.", 0));
    // The process died during their work: what may have changed something is not repeated, read-only work is.
    let stage_ = stage(script(main_says()));
    stage_.document("sales.csv", SALES).await;
    let agent = stage_.main().build();
    let mut conversation = agent.resume(&stage_.session, &written.lines(results[0])).await;
    conversation.go_on().await.unwrap().unwrap();
    assert_eq!((stage_.requests("writer"), stage_.requests("reader")), (0, 2));
    let output = stage_.results("main", 0);
    assert!(output[0].contains("may have taken effect or not"), "{output:?}");
    assert!(output[1].contains("\"summary\":\"Read.\""), "{output:?}");
}

#[tokio::test]
async fn whoever_had_the_conversation_has_it_again() {
    let main = || script([calls(&[(TRANSFER, json!({ "agent": "reader" }))])]);
    let reader = || -> Says { Box::new(|_, _| Some(says("I read."))) };
    let (written, front) = (MemoryLog::default(), "read-only: true\n");
    let stage = Stage::new(main()).agent("reader", front, reader());
    let agent = stage.main().build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    conversation.say("Hand over").await.unwrap();
    let stage = Stage::new(main()).agent("reader", front, reader());
    let agent = stage.main().build();
    let mut conversation = agent.resume(&stage.session, &written.read()).await;
    assert_eq!(conversation.say("Who are you?").await.unwrap().text, "I read.");
    assert_eq!(stage.requests("main"), 0);
    assert!(!stage.tools("reader", 0).contains(&"excel_tool__create_excel".to_owned()));
}
