//! Agents start only if the routing gates allow it.

use super::*;
use crate::route::{Guardrail, Router};

const NO: &str = r#"{"needs_data_operation": false, "reason": "small"}"#;
const YES: &str = r#"{"needs_data_operation": true, "reason": "data"}"#;

/// Delegates a task to a worker after these words. Returns whether it worked, and the result that the model saw.
async fn asked(words: &str, front: &str, guardrail: &str) -> (bool, String) {
    let main = script([calls(&[task("worker", "Work")]), says("So.")]);
    let mut stage = Stage::new(main).agent("worker", front, script([says("Worked.")]));
    stage.model("gate", script([says(guardrail)]));
    let gate: Arc<dyn ChatModel> = stage.models["gate"].clone();
    let router = Router::new().guardrail(Guardrail::new(gate));
    let agent = stage.main().routing(router).build();
    agent.run(&stage.session, words).await.unwrap();
    (stage.requests("worker") > 0, stage.results("main", 1)[0].clone())
}

#[tokio::test]
async fn an_agent_that_writes_passes_the_guardrail_where_the_words_are_not_clear() {
    let (reads, writes) = ("read-only: true\n", "");
    for (words, front, guardrail, works, expected) in [
        // A clear job passes without asking the small model.
        ("帮我分析销售数据.xlsx", writes, NO, true, "Worked."),
        ("python excel", writes, YES, true, "Worked."),
        ("python excel", writes, NO, false, "not started: the guardrail says `refused`"),
        ("python excel", writes, "no JSON", false, "the guardrail says `parse_error`"),
        // A read-only agent does no harm.
        ("python excel", reads, NO, true, "Worked."),
        ("你能做什么", reads, YES, false, "the user asked a question about abilities"),
    ] {
        let (worked, said) = asked(words, front, guardrail).await;
        assert_eq!(worked, works, "{words} {front} {guardrail}");
        assert!(said.contains(expected), "{words} {front} {guardrail}: {said}");
    }
}
