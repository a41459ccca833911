//! Scripts that an embedder surrounds: their arguments, their files, and who makes them.

use super::*;
use crate::memory_log::MemoryLog;
use crate::{AroundScripts, MakeScript, ScriptDone};
use futures_util::future::BoxFuture;
use mitt::Artifact;

const MADE: &str = "excel_tool__create_excel";

/// Gives each call another file name, and keeps a file beside it.
#[derive(Default)]
struct Surrounded {
    asked: Mutex<Vec<String>>,
}

impl AroundScripts for Surrounded {
    fn takes(&self, _: &Session, tool: &str) -> bool {
        tool == MADE
    }

    fn run<'a>(
        &'a self,
        _: &'a Session,
        arguments: &'a str,
        make: MakeScript<'a>,
    ) -> BoxFuture<'a, ScriptDone> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(arguments.to_owned());
            let mut report = make(arguments.replace("a.xlsx", "b.xlsx")).await;
            let (name, media_type) = ("kept.csv".to_owned(), "text/csv".to_owned());
            report.artifacts.push(Artifact { name, media_type, ..Artifact::default() });
            ScriptDone { report, notes: vec!["one more line".to_owned()] }
        })
    }
}

#[tokio::test]
async fn calls_of_scripts_are_made_by_their_surroundings() {
    let (stage, written) = (Stage::new([excel(), says("Done.")]), MemoryLog::default());
    let surrounded = Arc::new(Surrounded::default());
    let agent = stage.agent().tools(ToolMode::All).around_scripts(surrounded.clone()).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    let report = conversation.say("Make it, and a CSV file").await.unwrap();
    assert_eq!(report.delivered, ["b.xlsx", "kept.csv"]);
    assert!(report.missing.is_empty(), "{:?}", report.missing);
    assert!(surrounded.asked.lock().unwrap()[0].contains("a.xlsx"));
    let asked = stage.asked(1);
    let result = asked.iter().find(|it| it.starts_with("tool: ")).unwrap();
    assert!(result.contains("b.xlsx") && result.contains("kept.csv"), "{result}");
    assert!(result.ends_with("\none more line"), "{result}");
    // The log has what the model wrote.
    assert!(written.text().contains("a.xlsx"), "{}", written.text());
}

#[tokio::test]
async fn other_calls_are_made_as_they_are() {
    let sort = json!({ "data": [{ "a": 1 }], "keys": [{ "column": "a" }] });
    let stage = Stage::new([calls(&[("table_tool__sort", sort)]), says("Sorted.")]);
    let surrounded = Arc::new(Surrounded::default());
    let agent = stage.agent().tools(ToolMode::All).around_scripts(surrounded.clone()).build();
    agent.run(&stage.session, "Sort it").await.unwrap();
    assert!(surrounded.asked.lock().unwrap().is_empty());
    assert!(!stage.asked(1).iter().any(|it| it.contains("one more line")));
}
