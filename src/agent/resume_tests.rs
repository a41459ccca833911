//! Runs that are logged, resumed and replayed.

use super::*;
use crate::full_disk::FullDisk;
use crate::log::RunHeader;
use crate::memory_log::MemoryLog;
use crate::replay;

const SALES: &str = "month,dau\n2024,12\n2025,15\n";

fn grouped() -> (&'static str, Value) {
    ("table_tool__describe", json!({ "data": { "$ref": "sales.csv" } }))
}

fn workbook(of: &str, name: &str) -> (&'static str, Value) {
    ("excel_tool__create_excel", json!({ "data": { "$ref": of }, "filename": name }))
}

/// Returns a stage with a document, and the log of what it did there.
async fn logged(turns: impl IntoIterator<Item = Vec<ChatEvent>>, says: &str) -> (Stage, MemoryLog) {
    let (stage, written) = (Stage::at(Some(1_700_000_000), turns), MemoryLog::default());
    stage.document("sales.csv", SALES).await;
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    conversation.log_document(&stage.session.documents()[0], Some("in/sales.csv".into()));
    conversation.say(says).await.unwrap();
    (stage, written)
}

fn two_turns() -> [Vec<ChatEvent>; 3] {
    [
        calls(&[grouped()]),
        calls(&[workbook("sales.csv", "a.xlsx"), workbook("sales.csv", "b.xlsx")]),
        says("Done."),
    ]
}

#[tokio::test]
async fn a_run_that_died_goes_on_where_it_was() {
    let (stage, written) = logged(two_turns(), "Give me an Excel file").await;
    let whole = written.read();
    assert!(whole.is_finished());
    assert_eq!(whole.instructions().collect::<Vec<_>>(), ["Give me an Excel file"]);
    let document = whole.documents().next().unwrap();
    assert_eq!((document.name.as_str(), document.size), ("sales.csv", SALES.len() as u64));
    let asked = stage.asked(2);
    let n_lines = written.text().lines().count();
    // Wherever the process died, the model receives the same in the end, and no finished call is made again.
    let first = written.text().lines().position(|line| line.starts_with("{\"user\"")).unwrap();
    for n in first + 1..n_lines {
        let run = written.lines(n);
        assert!(!run.is_finished(), "after {n} lines");
        let n_answers =
            written.text().lines().take(n).filter(|it| it.contains("\"answer\"")).count();
        let n_made =
            written.text().lines().take(n).filter(|it| it.starts_with("{\"result\"")).count();
        let turns = two_turns().into_iter().skip(n_answers);
        let stage = Stage::at(Some(1_700_000_000), turns);
        stage.document("sales.csv", SALES).await;
        let agent = stage.agent().tools(ToolMode::All).build();
        let mut conversation = agent.resume(&stage.session, &run).await;
        let later = MemoryLog::default();
        conversation.log_to(later.log());
        assert!(conversation.is_unfinished());
        let report = conversation.go_on().await.unwrap().unwrap();
        assert_eq!(report.calls.len(), 3 - n_made, "after {n} lines");
        assert_eq!((report.text.as_str(), report.missing.len()), ("Done.", 0), "after {n} lines");
        assert!(!conversation.is_unfinished());
        assert!(conversation.go_on().await.unwrap().is_none());
        if n_answers < 2 && n_made == 0 {
            assert_eq!(stage.asked(2 - n_answers), asked, "after {n} lines");
        }
    }
}

#[tokio::test]
async fn a_name_of_a_lost_table_never_means_another() {
    let (_, written) = logged([calls(&[grouped()]), says("Done.")], "Look").await;
    let read = ("document_tool__read_table", json!({ "name": "sales.csv" }));
    let stage = Stage::new([calls(&[workbook("t:1", "a.xlsx"), read]), says("No.")]);
    stage.document("sales.csv", SALES).await;
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.resume(&stage.session, &written.read()).await;
    conversation.say("Go on").await.unwrap();
    let asked = stage.asked(1);
    assert!(asked[asked.len() - 2].contains("repeat the call that returned it"), "{asked:?}");
    assert!(asked.last().unwrap().contains(r#""$ref":"t:2""#), "{asked:?}");
}

#[tokio::test]
async fn what_was_stopped_is_settled_before_the_user_goes_on() {
    let (_, written) = logged(two_turns(), "Give me an Excel file").await;
    let line = |kind: &str| written.text().lines().position(|line| line.starts_with(kind)).unwrap();
    // The second answer, and the first of its two calls.
    let run = written.lines(line("{\"result\"") + 3);
    let stage = Stage::new([says("Fine.")]);
    stage.document("sales.csv", SALES).await;
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.resume(&stage.session, &run).await;
    conversation.say("Never mind").await.unwrap();
    let asked = stage.asked(0);
    assert!(asked[asked.len() - 3].contains("a.xlsx"), "{asked:?}");
    assert_eq!(
        asked[asked.len() - 2],
        "tool: cancelled: the work was stopped before this call was made."
    );
    assert_eq!(asked[asked.len() - 1], "user: Never mind");
}

#[tokio::test]
async fn a_call_that_must_not_be_made_twice_is_not_when_nobody_knows_whether_it_was() {
    let (_, written) = logged(two_turns(), "Give me an Excel file").await;
    let text = written.text();
    let second = text.lines().position(|line| line.contains("a.xlsx")).unwrap();
    let lines: Vec<_> = text.split_inclusive('\n').take(second + 1).collect();
    let died = format!("{}{{\"making\":{{\"call_id\":\"c0\"}}}}\n", lines.concat());
    let run = LoggedRun::read(died.as_bytes()).unwrap();
    let stage = Stage::new([says("Done.")]);
    stage.document("sales.csv", SALES).await;
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.resume(&stage.session, &run).await;
    let report = conversation.go_on().await.unwrap().unwrap();
    assert_eq!(report.delivered, ["b.xlsx"], "the other one is made");
    let asked = stage.asked(0);
    assert!(asked[asked.len() - 2].contains("it may have taken effect or not"), "{asked:?}");
}

#[tokio::test]
async fn a_run_is_made_again_and_compared() {
    let (_, written) = logged(two_turns(), "Give me an Excel file").await;
    let again = async |sales: &str| {
        let stage = Stage::new([]);
        stage.document("sales.csv", sales).await;
        replay(&stage.session, &written.read()).await
    };
    let same = again(SALES).await;
    assert_eq!((same.calls, same.skipped, same.differences.len()), (3, 0, 0), "{same:?}");
    let other = again(&SALES.replace("15", "16")).await;
    let how: Vec<_> =
        other.differences.iter().map(|it| format!("{} {}: {}", it.turn, it.of, it.how)).collect();
    assert_eq!(how[0], "0 sales.csv: its content is not what it was");
    assert!(how[1].starts_with("1 table_tool__describe: from character "), "{how:?}");
    assert!(how.iter().any(|how| how.ends_with("a.xlsx has another content")), "{how:?}");
}

#[tokio::test]
async fn what_may_not_be_written_down_is_in_no_log() {
    let (_, written) = logged([says("It is the key.")], "Look").await;
    assert!(written.text().contains("It is ***."), "{}", written.text());
    assert!(!written.text().contains("the key"), "{}", written.text());
}

#[tokio::test]
async fn a_damaged_log_is_told_by_its_line_and_a_torn_end_is_not_there() {
    let (_, written) = logged([says("Done.")], "Look").await;
    let text = written.text();
    let torn = LoggedRun::read(&text.as_bytes()[..text.len() - 5]).unwrap();
    assert!(!torn.is_finished());
    assert_eq!(torn.length() as usize, text.trim_end().rfind('\n').unwrap() + 1);
    let wrong = |text: &str| LoggedRun::read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(wrong(""), "line 1: expected the log of a run, got no complete line");
    assert_eq!(wrong("{}\n"), r#"line 1: expected the log of a run with `"format":"mitt-run@1"`"#);
    let newer = text.replace("mitt-run@1", "mitt-run@2");
    assert_eq!(wrong(&newer), "line 1: expected format `mitt-run@1`, got `mitt-run@2`");
    let damaged = text.replacen("{\"user\"", "{\"yser\"", 1);
    assert!(wrong(&damaged).starts_with("line 4: unknown variant `yser`"), "{}", wrong(&damaged));
}

#[tokio::test]
async fn a_log_that_cannot_be_written_is_told_once_and_the_run_goes_on() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let model =
        Arc::new(Scripted { turns: Mutex::new([says("Done.")].into()), ..Scripted::default() });
    let host = crate::memory_log::host().build().unwrap();
    let options = SessionOptions {
        events: Some(Arc::new(move |event| {
            if let Some(RunEvent::ModelNote { text, .. }) = RunEvent::from_event(event) {
                sink.lock().unwrap().push(text.clone());
            }
        })),
        ..SessionOptions::default()
    };
    let session = host.session(options).unwrap();
    let agent = Agent::builder(model).build();
    let mut conversation = agent.conversation(&session).await;
    let header = RunHeader::new(String::new(), "m".into(), ToolMode::Script);
    conversation.log_to(RunLog::begin(FullDisk(0), &header).unwrap());
    assert_eq!(conversation.say("Hi").await.unwrap().text, "Done.");
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(heard[0].starts_with("the log of this run cannot be written"), "{heard:?}");
    assert!(RunLog::begin(FullDisk(1), &header).is_err(), "one that cannot begin is an error");
}

/// Returns the length of the first system message of a conversation without documents, in characters.
async fn system_characters() -> usize {
    let stage = Stage::new([says("Done.")]);
    stage.run("Question").await.unwrap();
    let asked = stage.model.asked.lock().unwrap();
    let Message::System(text) = &asked[0].messages[0] else { panic!("no system message first") };
    text.chars().count()
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_summed_up() {
    let long = "x".repeat(3_000);
    let turns = (0..6).flat_map(|_| [says(&long)]).chain([says("We found 42."), says("Done.")]);
    let stage = Stage::new(turns);
    // Five long answers fit behind the system message, and six do not. The message grows with the bundled skills.
    let most = system_characters().await + 17_000;
    let agent = stage.agent().limits(|limits| limits.context_characters = most).build();
    let mut conversation = agent.conversation(&stage.session).await;
    for n in 0..6 {
        conversation.say(&format!("Question {n}")).await.unwrap();
    }
    conversation.say("And now?").await.unwrap();
    let asked = stage.asked(7);
    assert!(stage.asked(6).last().unwrap().contains("Write down, for yourself"));
    let users: Vec<_> = asked.iter().filter(|it| it.starts_with("user: ")).collect();
    assert_eq!(users.len(), 8, "what the user said stays: {users:?}");
    assert_eq!(asked.iter().filter(|it| it.starts_with("model: ")).count(), 1, "{asked:?}");
    let summary = asked.iter().position(|it| it.contains("We found 42.")).unwrap();
    assert_eq!(summary, 6, "before the last answer: {asked:?}");
    assert_eq!(
        conversation.messages().last().map(
            |it| matches!(it, Message::Assistant(ModelResponse { text, .. }) if text == "Done.")
        ),
        Some(true)
    );
}
