//! Plans begin, and steps write, only if the routing gates allow it.

use super::*;
use crate::route::{Guardrail, Router};

#[tokio::test(start_paused = true)]
async fn steps_that_write_pass_the_guardrail_and_questions_about_abilities_make_no_plan() {
    const NO: &str = r#"{"needs_data_operation": false, "reason": "small"}"#;
    const YES: &str = r#"{"needs_data_operation": true, "reason": "data"}"#;
    let kept = ["a passed", "b passed", "c passed"];
    let left = ["a passed", "b skipped", "c skipped"];
    for (words, says_no_or_yes, is_asked, expected) in [
        // A clear job passes without asking the small model.
        ("帮我分析销售数据.xlsx", NO, false, Ok(kept)),
        // The jobs of the examples, whose recordings contain no answer of a small model.
        (
            "请对比两年的日活跃用户（DAU）和营业收入的同比增长，给我一份 Excel，并把总结导出为 PDF。",
            NO,
            false,
            Ok(kept),
        ),
        (
            "Find out which packs keep the rules. Write a report with charts as PDF.",
            NO,
            false,
            Ok(kept),
        ),
        ("python excel", YES, true, Ok(kept)),
        ("python excel", NO, true, Ok(left)),
        ("python excel", "no JSON", true, Ok(left)),
        ("你能做什么", YES, false, Err("not started: the user asked a question about abilities")),
        ("你好", YES, false, Err("not started: the user's words are small talk")),
    ] {
        let steps = [("a", "research"), ("b", "processing"), ("c", "research")];
        let needs = |id| if id == "c" { vec!["b"] } else { Vec::new() };
        let steps = steps.map(|(id, kind)| step(id, kind, &needs(id)));
        let (model, workers) = (planning(plan(&steps)), gives());
        let small = answering(move |_, _| says(says_no_or_yes));
        let agent = Agent::builder(model.clone())
            .routing(Router::new().guardrail(Guardrail::new(small.clone())))
            .build();
        let planner = Planner::builder(agent).steps(workers).build();
        let report = planner.run(&session(), words).await;
        assert_eq!(small.asked.lock().unwrap().len(), usize::from(is_asked), "{words}");
        match (report, expected) {
            (Ok(report), Ok(expected)) => {
                assert_eq!(states(&report.record), expected, "{words} {says_no_or_yes}");
                let prompt = model.asked("# Report").remove(0);
                let has_refusal = prompt.contains("not started: the guardrail says");
                assert_eq!(has_refusal, expected == left, "{prompt}");
                // A plan, three reviews or one, a report, and the small model.
                let n_asked = report.turns + u64::from(is_asked);
                assert_eq!(report.usage.input, 90 * n_asked, "{words}");
            }
            (report, expected) => {
                let refused = report.unwrap_err().to_string();
                assert_eq!(Err(refused.as_str()), expected, "{words}");
                assert!(model.asked("# Plan").is_empty(), "{words}");
            }
        }
    }
}
