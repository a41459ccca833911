//! Functions of the caller belong to the agent that has them, and to no other one.

use super::*;
use crate::CallerFunction;

#[tokio::test]
async fn agents_do_not_get_functions_of_the_caller() {
    let main: Says = Box::new(|messages, turn| {
        let last = messages.last();
        Some(match (turn, last) {
            (0, _) => calls(&[task("helper", "Look"), ("get_weather", json!({}))]),
            (1, _) => {
                calls(&[("get_weather", json!({})), (TRANSFER, json!({ "agent": "helper" }))])
            }
            _ => says("I am main."),
        })
    });
    let helper: Says = Box::new(|messages, _| {
        let has = |message: &Message| matches!(message, Message::User { text, .. } if text.contains("try"));
        Some(match messages.last() {
            Some(last) if has(last) => calls(&[("get_weather", json!({}))]),
            _ => says("I am the helper."),
        })
    });
    let stage = Stage::new(main).agent("helper", "", helper);
    let function = CallerFunction::new("get_weather", "", json!({ "type": "object" }));
    let agent = stage.main().functions(vec![function]).unwrap().build();
    let mut conversation = agent.conversation(&stage.session).await;
    let report = conversation.say("Go").await.unwrap();
    // The task was done first.
    assert_eq!((report.pending.len(), report.delegated.len()), (1, 1));
    let name = "get_weather".to_owned();
    assert!(stage.tools("main", 0).contains(&name) && !stage.tools("helper", 0).contains(&name));
    conversation.provide("c1", "sunny", false).unwrap();
    // The calls before a transfer in the same turn are not made either.
    let report = conversation.go_on().await.unwrap().unwrap();
    assert_eq!((report.text.as_str(), report.pending.len()), ("I am the helper.", 0));
    let last = stage.requests("helper") - 1;
    assert!(!stage.tools("helper", last).contains(&name));
    let results = stage.results("helper", last);
    let [.., function, transfer] = &results[..] else { panic!("{results:?}") };
    assert!(function.starts_with("not made: ") && transfer.contains("handed over to helper"));
    // A name alone does not make a function.
    let report = conversation.say("Now try it").await.unwrap();
    assert_eq!((report.text.as_str(), report.pending.len()), ("I am the helper.", 0));
    let last = stage.requests("helper") - 1;
    assert!(stage.results("helper", last).last().unwrap().contains("get_weather"));
}
