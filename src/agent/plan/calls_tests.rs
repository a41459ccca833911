//! Calls of steps are logged, replayed and reported.

use super::*;
use crate::log::{LoggedRun, PlanCall};
use crate::memory_log::MemoryLog;
use crate::replay;

/// Two concurrent reading steps, and one that fails once and then computes.
fn reading_and_adding() -> Arc<Roles> {
    let steps = [
        step("a", "research", &[]),
        step("b", "research", &[]),
        step("sum", "processing", &["a", "b"]),
    ];
    let plan = plan(&steps);
    let script = |code: &str| calls("python__run", &json!({ "code": code }));
    answering(move |asked, n| match asked {
        asked if asked.starts_with("# Plan") => says(plan.to_string()),
        asked if asked.starts_with("# Review") => says(r#"{"passed": true, "feedback": ""}"#),
        asked if asked.starts_with("# Report") => says("The report."),
        asked => match (title_in(asked), n) {
            // The one that begins first ends last.
            ("Step a", 0) => script("print(sum(range(3_000_000)))"),
            ("Step b", 0) => script("print('b')"),
            ("Step sum", 0) => script("print('half done'); 1 / 0"),
            ("Step sum", 1) => script("open('sum.txt', 'w').write('42'); print(41 + 1)"),
            (title, _) => says(format!("{title} is done.")),
        },
    })
}

fn planner(model: &Arc<Roles>) -> Planner {
    Planner::builder(Agent::builder(model.clone()).build()).build()
}

async fn logged() -> MemoryLog {
    let written = MemoryLog::default();
    let (planner, session) = (planner(&reading_and_adding()), session());
    let mut run = planner.begin(&session, "Find out");
    run.log_to(written.log());
    let report = run.run().await.unwrap();
    assert_eq!(states(&report.record), ["a passed", "b passed", "sum passed"]);
    written
}

/// Returns step, attempt, whether the call failed, and whether it has a result.
fn summary(call: &PlanCall) -> (&str, u64, bool, bool) {
    (&call.step, call.attempt, call.is_error, call.result.is_some())
}

#[tokio::test]
async fn calls_of_steps_are_in_the_log_and_made_again() {
    let written = logged().await;
    let run = written.read();
    let mut calls = run.plan_calls();
    calls.sort_by(|a, b| (&a.step, a.is_error).cmp(&(&b.step, b.is_error)));
    let shown: Vec<_> = calls.iter().map(summary).collect();
    let expected = [
        ("a", 1, false, true),
        ("b", 1, false, true),
        ("sum", 1, false, true),
        ("sum", 1, true, true),
    ];
    assert_eq!(shown, expected);
    assert!(calls.iter().all(|call| call.tool == "python__run"), "{calls:?}");
    assert!(calls[2].arguments.contains("41 + 1"), "{calls:?}");
    assert!(calls[2].result.as_ref().unwrap().contains("42"), "{calls:?}");
    assert!(calls[3].result.as_ref().unwrap().contains("ZeroDivisionError"), "{calls:?}");
    assert!(!run.has_left_out_calls());

    let again = replay(&session(), &run).await;
    assert_eq!((again.calls, again.skipped, again.differences.len()), (4, 0, 0), "{again:?}");
    assert!(again.has_plan && !again.has_left_out);
    // Research is read-only in a replay, too, because the log has the agent's restrictions.
    let other = written.text().replace("print('b')", "open('b.txt', 'w').write('b')");
    let other = replay(&session(), &LoggedRun::read(other.as_bytes()).unwrap()).await;
    assert_eq!((other.calls, other.differences.len()), (4, 1), "{other:?}");
    let difference = &other.differences[0];
    assert_eq!((difference.turn, difference.of.as_str()), (1, "python__run"), "{other:?}");
}

#[tokio::test]
async fn an_attempt_that_is_begun_anew_has_its_own_calls_and_numbers_go_on() {
    let written = logged().await;
    let text = written.text();
    // The process died during the second script of the last step.
    let n_of_agents = |line: &str| line.contains("41 + 1");
    let died = text.lines().position(n_of_agents).unwrap() + 1;
    let run = written.lines(died);
    let before: Vec<_> = run.plan_calls();
    let unfinished: Vec<_> = before.iter().filter(|call| call.result.is_none()).collect();
    assert_eq!((before.len(), unfinished.len()), (4, 1), "{before:?}");

    let later = MemoryLog::default();
    let (planner, session) = (planner(&reading_and_adding()), session());
    let mut resumed = planner.resume(&session, &run).unwrap();
    resumed.log_to(later.log());
    let report = resumed.run().await.unwrap();
    assert_eq!(states(&report.record), ["a passed", "b passed", "sum passed"]);
    // Together, both logs are that of one run.
    let lines: Vec<&str> = text.split_inclusive('\n').take(died).collect();
    let later = later.text();
    let later: Vec<&str> = later.split_inclusive('\n').skip(1).collect();
    assert!(later[0].starts_with("{\"resumed\""), "{later:?}");
    let both = LoggedRun::read([lines, later].concat().concat().as_bytes()).unwrap();
    let calls = both.plan_calls();
    let of_sum = calls.iter().filter(|call| call.step == "sum").map(summary);
    assert_eq!(of_sum.collect::<Vec<_>>(), [("sum", 1, true, true), ("sum", 1, false, true)]);
    let numbers: Vec<u64> = both
        .entries()
        .iter()
        .filter_map(|entry| match entry {
            LogEntry::FromAgent { entry, .. } => match &**entry {
                LogEntry::Result(result) => Some(result.number),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let mut each = numbers.clone();
    each.sort_unstable();
    each.dedup();
    assert_eq!(each.len(), numbers.len(), "no number means two calls: {numbers:?}");
    let again = replay(&super::session(), &both).await;
    assert_eq!((again.calls, again.skipped), (5, 1), "{again:?}");
    assert_eq!(again.differences, [], "{again:?}");
}
