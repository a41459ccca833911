//! Transfer of the conversation, and back.

use super::*;

fn to(agent: &str) -> (&'static str, Value) {
    (TRANSFER, json!({ "agent": agent }))
}

#[tokio::test]
async fn another_agent_takes_the_conversation_over_and_gives_it_back() {
    let main: Says = Box::new(|messages, _| {
        let last = messages.last();
        Some(match last {
            Some(Message::User { text, .. }) if text.contains("reader") => calls(&[to("reader")]),
            _ => says("I am main."),
        })
    });
    let reader: Says = Box::new(|messages, _| {
        let last = messages.last();
        Some(match last {
            Some(Message::User { text, .. }) if text.contains("back") => {
                // A call after the transfer would run with the rights of another agent.
                calls(&[to("main"), excel("stolen.xlsx")])
            }
            Some(Message::Tool { content, .. }) if content.contains("handed over") => {
                says("I am the reader.")
            }
            _ => calls(&[excel("a.xlsx")]),
        })
    });
    let stage = Stage::new(main).agent("reader", "read-only: true\n", reader);
    let agent = stage.main().build();
    let mut conversation = agent.conversation(&stage.session).await;
    assert_eq!(conversation.say("Give me the reader").await.unwrap().text, "I am the reader.");
    let asked = stage.asked("reader", 0);
    assert!(asked[0].starts_with("system: You are the reader."), "{}", asked[0]);
    assert!(asked[1].contains("Give me the reader"), "it sees what was said");
    assert!(!stage.tools("reader", 0).contains(&"excel_tool__create_excel".to_owned()));
    assert!(stage.tools("reader", 0).contains(&TRANSFER.to_owned()));
    assert_eq!(conversation.say("And now back").await.unwrap().text, "I am main.");
    let last = stage.requests("main") - 1;
    let output = stage.results("main", last);
    assert!(output.last().unwrap().starts_with("not made: the conversation was handed over"));
    assert!(stage.session.artifacts().is_empty());
    assert!(!stage.asked("main", last)[0].contains("You are the reader"));
    assert_eq!(stage.tree(), ["1 in None: reader Transferred", "1: handed-over "]);
}

#[tokio::test]
async fn circles_end() {
    let there: Says = Box::new(|messages, _| {
        Some(match messages.last() {
            Some(Message::Tool { content, .. }) if content.contains("too often") => says("Enough."),
            _ => calls(&[to("other")]),
        })
    });
    let back: Says = Box::new(|messages, _| {
        Some(match messages.last() {
            Some(Message::Tool { content, .. }) if content.contains("too often") => says("Enough."),
            _ => calls(&[to("main")]),
        })
    });
    let stage = Stage::new(there).agent("other", "", back);
    let report = stage.run("Go").await.unwrap();
    assert_eq!(report.text, "Enough.");
    let started = stage.tree().iter().filter(|it| it.contains("Transferred")).count();
    assert_eq!(started, 2, "four times: twice there, twice back: {:?}", stage.tree());
}

#[tokio::test]
async fn wrong_names_are_told_and_a_team_may_do_without() {
    let main: Says = Box::new(|_, turn| match turn {
        0 => Some(calls(&[to("nobody")])),
        1 => Some(calls(&[to("main")])),
        2 => Some(calls(&[(TRANSFER, json!({}))])),
        _ => Some(says("Done.")),
    });
    let stage = Stage::new(main).agent("other", "", script([says("Other.")]));
    stage.run("Go").await.unwrap();
    let output = stage.results("main", 3);
    assert!(output[0].contains("there is no `nobody`"), "{output:?}");
    assert!(output[1].contains("`main` has the conversation already"), "{output:?}");
    assert!(output[2].contains("expected a name"), "{output:?}");
    let stage = Stage::new(script([says("Done.")]))
        .agent("other", "", script([says("Other.")]))
        .limits(|limits| limits.transfers = 0);
    stage.run("Go").await.unwrap();
    let tools = stage.tools("main", 0);
    assert!(tools.contains(&DELEGATE.to_owned()) && !tools.contains(&TRANSFER.to_owned()));
}
