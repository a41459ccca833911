//! Conversations that begin with messages that the client keeps itself.

use super::*;
use crate::memory_log::MemoryLog;
use crate::{EarlierMessage, LoggedStep, Speaker};

fn user(text: &str) -> EarlierMessage {
    EarlierMessage::User { text: text.into() }
}

fn called(ids: &[&str]) -> EarlierMessage {
    let call = |id: &&str| ModelCall {
        id: (*id).into(),
        name: "get_weather".into(),
        arguments: "{}".into(),
    };
    EarlierMessage::Assistant { text: String::new(), calls: ids.iter().map(call).collect() }
}

fn result(id: &str) -> EarlierMessage {
    EarlierMessage::Result { call_id: id.into(), output: format!("of {id}"), is_error: false }
}

#[tokio::test]
async fn a_conversation_knows_what_was_said_before_it_began() {
    let (stage, written) = (Stage::new([says("Bern.")]), MemoryLog::default());
    let agent = stage.agent().build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    let history = [
        (Speaker::User, "Capital of France? Create an Excel file".to_owned()),
        (Speaker::Assistant, "Paris.".to_owned()),
        (Speaker::User, " ".to_owned()),
        (Speaker::Assistant, String::new()),
    ];
    conversation.seed(history).unwrap();
    let run = written.read();
    assert!(run.is_finished() && run.instructions().next().is_none());
    assert!(!conversation.is_unfinished() && conversation.go_on().await.unwrap().is_none());
    let report = conversation.say("And of Switzerland?").await.unwrap();
    assert_eq!((report.text.as_str(), report.missing.len()), ("Bern.", 0));
    let said = [
        "user: Capital of France? Create an Excel file",
        "model: Paris.",
        "user: And of Switzerland?",
    ];
    assert_eq!(stage.asked(0), said);
    let error = conversation.seed([(Speaker::User, "Too late".to_owned())]).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (&ErrorKind::Input, "expected a conversation without messages, got one that has begun")
    );
    // Another process knows them from the log.
    let resumed = agent.resume(&stage.session, &written.read()).await;
    assert_eq!(resumed.messages(), conversation.messages());
    assert_eq!(written.read().instructions().collect::<Vec<_>>(), ["And of Switzerland?"]);
    let line = written.text().lines().find(|line| line.contains("Paris.")).unwrap().to_owned();
    let earlier = EarlierMessage::from((Speaker::Assistant, "Paris.".to_owned()));
    assert_eq!(LoggedStep::parse(line.as_bytes()).unwrap(), LoggedStep::Earlier(earlier));
}

#[tokio::test]
async fn a_conversation_goes_on_after_results_of_a_client() {
    let (stage, written) = (Stage::new([says("Rain."), says("Yes.")]), MemoryLog::default());
    let agent = stage.agent().without_tools(true).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    let history = [user("Create an Excel file"), called(&["a", "b"]), result("b"), result("a")];
    conversation.seed(history).unwrap();
    assert!(conversation.is_unfinished() && !written.read().is_finished());
    let report = conversation.go_on().await.unwrap().unwrap();
    assert_eq!((report.text.as_str(), report.missing.len()), ("Rain.", 0));
    let asked = ["user: Create an Excel file", "model: ", "tool: of a", "tool: of b"];
    assert_eq!(stage.asked(0), asked, "in the order of the calls");
    assert!(written.read().is_finished() && !conversation.is_unfinished());
    conversation.say("Sure?").await.unwrap();
}

#[tokio::test]
async fn wrong_histories_are_refused_and_nothing_is_added() {
    let stage = Stage::new([]);
    let agent = stage.agent().build();
    let mut conversation = agent.conversation(&stage.session).await;
    let without = "expected a result of the call `b` directly after its turn, got none";
    for (history, expected) in [
        (vec![called(&["a", "b"]), result("a")], without),
        (vec![called(&["b"]), user("And?"), result("b")], without),
        (vec![called(&["b"]), called(&["c"])], without),
        (
            vec![user("Hi"), result("x")],
            "message 1: expected the result of a call of the turn before it, got one of `x`",
        ),
        (
            vec![called(&["a"]), result("a"), result("a")],
            "message 2: expected the result of a call of the turn before it, got one of `a`",
        ),
        (
            vec![called(&["a"]), result("a"), called(&["a"]), result("a")],
            "message 2: expected an id of its own for each call, got `a` again",
        ),
        (
            vec![user("x"); 10_001],
            "expected at most 10000 earlier messages of 16777216 bytes, got more at message 10000",
        ),
        (
            vec![user("x"), user(&"x".repeat(16 * 1024 * 1024))],
            "expected at most 10000 earlier messages of 16777216 bytes, got more at message 1",
        ),
    ] {
        let error = conversation.seed(history).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (&ErrorKind::Input, expected));
        assert_eq!(conversation.messages().len(), 1);
    }
}
