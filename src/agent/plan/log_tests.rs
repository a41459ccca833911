//! Plans that are logged, resumed, reviewed and observed.

use super::*;
use crate::log::LoggedRun;
use crate::memory_log::MemoryLog;
use crate::plan::{DecidedPlan, PlanDesk, PlanReview};

/// Returns the lines of a log.
fn lines_of(written: &MemoryLog) -> Vec<String> {
    written.text().split_inclusive('\n').map(str::to_owned).collect()
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_died_anywhere_goes_on_and_does_nothing_twice() {
    let steps = [
        step("a", "research", &[]),
        step("b", "research", &["a"]),
        step("c", "research", &["a"]),
        step("d", "processing", &["b", "c"]),
    ];
    let model = || planning(plan(&steps));
    let written = MemoryLog::default();
    let planner = builder(&model(), &gives()).build();
    let session = session();
    let mut run = planner.begin(&session, "Find out");
    run.log_to(written.log());
    let whole = run.run().await.unwrap();
    let lines = lines_of(&written);
    let first = lines.iter().position(|line| line.starts_with("{\"user\"")).unwrap() + 1;
    for n in first..lines.len() {
        let logged = written.lines(n);
        assert!(!logged.is_finished(), "after {n} lines");
        let given = |line: &&String| line.contains("{\"given\"");
        let done: Vec<&String> = lines[..n].iter().filter(given).collect();
        let (model, workers, later) = (model(), gives(), MemoryLog::default());
        let planner = builder(&model, &workers).build();
        let mut run = planner.resume(&session, &logged).unwrap();
        run.log_to(later.log());
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let seen = heard.clone();
        run.events(Arc::new(move |event| match RunEvent::from_event(event) {
            Some(RunEvent::Plan { .. }) => seen.lock().unwrap().push("plan".to_owned()),
            Some(RunEvent::PlanStep { id, state: "done", .. }) => {
                seen.lock().unwrap().push(id.clone());
            }
            _ => {}
        }));
        let report = run.run().await.unwrap();
        let mut heard = heard.lock().unwrap().clone();
        assert_eq!(heard.remove(0), "plan", "whoever listens now knows the plan, after {n} lines");
        heard.sort();
        assert_eq!(heard, ["a", "b", "c", "d"], "after {n} lines");
        assert_eq!(report.text, whole.text, "after {n} lines");
        assert_eq!(states(&report.record), states(&whole.record), "after {n} lines");
        assert_eq!(workers.begun().len(), 4 - done.len(), "after {n} lines");
        let is_made = lines[..n].iter().any(|line| line.contains("{\"made\""));
        assert_eq!(model.asked("# Plan").len(), usize::from(!is_made), "after {n} lines");
        // Together, both logs are that of a complete run.
        let both = [&lines[..n], &lines_of(&later)[1..]].concat().concat();
        let both = LoggedRun::read(both.as_bytes()).unwrap();
        assert!(both.is_finished());
        assert_eq!(states(&both.plan().unwrap().unwrap()), states(&whole.record));
    }
    assert!(planner.resume(&session, &written.lines(lines.len())).is_err(), "it has ended");
}

#[tokio::test(start_paused = true)]
async fn a_step_that_begins_anew_reads_which_calls_may_have_taken_effect() {
    let model = || planning(plan(&[step("a", "processing", &[])]));
    let (written, session) = (MemoryLog::default(), session());
    let planner = builder(&model(), &gives()).build();
    let mut run = planner.begin(&session, "Find out");
    run.log_to(written.log());
    run.run().await.unwrap();
    let lines = lines_of(&written);
    let begun = lines.iter().position(|line| line.contains("{\"begun\"")).unwrap() + 1;
    let by = |entry: Value| format!("{}\n", json!({ "of": { "agent": 1, "entry": entry } }));
    let call = json!({ "id": "c1", "name": "notes__add", "arguments": "{}" });
    let agent = json!({ "agent": 1, "name": "x", "of_plan": { "step": "a", "attempt": 1 } });
    let died = [
        format!("{}\n", json!({ "delegated": agent })),
        by(json!({ "answer": { "answer": { "calls": [call] }, "usage": {} } })),
        by(json!({ "making": { "call_id": "c1" } })),
    ];
    let result = by(json!({ "result": {
        "call_id": "c1", "content": "added", "is_error": false, "created_ms": 1,
        "first_table": 1, "next_table": 1,
    } }));
    for (more, is_unknown) in [(String::new(), true), (result, false)] {
        let text = format!("{}{}{more}", lines[..begun].concat(), died.concat());
        let logged = LoggedRun::read(text.as_bytes()).unwrap();
        let workers = gives();
        let planner = builder(&model(), &workers).build();
        let mut run = planner.resume(&session, &logged).unwrap();
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let seen = heard.clone();
        run.events(Arc::new(move |event| {
            if let Some(RunEvent::ModelNote { text, .. }) = RunEvent::from_event(event) {
                seen.lock().unwrap().push(text.clone());
            }
        }));
        run.run().await.unwrap();
        let (_, _, message) = workers.attempts.lock().unwrap()[0].clone();
        assert_eq!(message.contains("- `notes__add`: the work was stopped"), is_unknown);
        let is_told =
            |text: &String| text.starts_with("it is unknown whether the call of notes__add");
        assert_eq!(heard.lock().unwrap().iter().any(is_told), is_unknown);
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_that_says_what_cannot_be_is_refused() {
    let written = MemoryLog::default();
    let planner = builder(&planning(plan(&[step("a", "research", &[])])), &gives()).build();
    let session = session();
    let mut run = planner.begin(&session, "Find out");
    run.log_to(written.log());
    run.run().await.unwrap();
    let lines = lines_of(&written);
    let begun = lines.iter().find(|line| line.contains("{\"begun\"")).unwrap();
    for more in [begun.clone(), begun.replace("\"a\"", "\"z\"")] {
        let text = format!("{}{more}", lines.concat());
        let logged = LoggedRun::read(text.as_bytes()).unwrap();
        let error = logged.plan().unwrap_err();
        assert_eq!(error.to_string(), "the log of the plan is damaged");
        assert_eq!(error.kind(), &ErrorKind::Input);
    }
}

/// Returns its decisions one after the other.
struct Decides(Mutex<Vec<PlanDecision>>);

#[async_trait]
impl PlanReview for Decides {
    async fn review(&self, _: &Plan, _: u64) -> Result<PlanDecision> {
        Ok(self.0.lock().unwrap().remove(0))
    }
}

#[tokio::test(start_paused = true)]
async fn a_plan_is_rejected_with_words_changed_and_rejected_so_often_and_no_more() {
    let model = planning(plan(&[step("a", "research", &[])]));
    let other = Plan::parse(&plan(&[step("x", "research", &[])]).to_string(), 9, &[]).unwrap();
    let decides = |decisions: Vec<PlanDecision>| Arc::new(Decides(Mutex::new(decisions)));
    let reject = || PlanDecision::Reject("look at 2024 too".into());
    let review = decides(vec![reject(), reject(), PlanDecision::Change(other.clone())]);
    let workers = gives();
    let report =
        builder(&model, &workers).review(review).build().run(&session(), "Go").await.unwrap();
    assert_eq!((report.record.number, workers.begun()), (4, vec!["x".to_owned()]));
    let said = match model.asked.lock().unwrap()[2].last() {
        Some(Message::User { text, .. }) => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(said, "The plan was rejected: look at 2024 too\n\nMake another one.");

    let review = decides((0..9).map(|_| reject()).collect());
    let error =
        builder(&model, &gives()).review(review).build().run(&session(), "Go").await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (&ErrorKind::Denied, "4 plans were rejected".into())
    );

    let mut circle = other;
    circle.steps[0].needs = vec!["x".into()];
    let review = decides(vec![PlanDecision::Change(circle)]);
    let error =
        builder(&model, &gives()).review(review).build().run(&session(), "Go").await.unwrap_err();
    assert!(
        error.render().contains("steps[0].needs[0]: expected the id of another"),
        "{}",
        error.render()
    );
}

#[tokio::test(start_paused = true)]
async fn a_plan_waits_in_its_log_until_somebody_decides() {
    let session = session();
    let model = planning(plan(&[step("a", "research", &[])]));
    let written = MemoryLog::default();
    let waits = builder(&model, &gives()).review(Arc::new(DecidedPlan::new(None))).build();
    let mut run = waits.begin(&session, "Go");
    run.log_to(written.log());
    let error = run.run().await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Paused);
    drop(run);
    let logged = written.lines(lines_of(&written).len());
    assert!(!logged.plan().unwrap().unwrap().is_accepted);
    let decided = DecidedPlan::new(Some(PlanDecision::Accept));
    let planner = builder(&model, &gives()).review(Arc::new(decided)).build();
    let mut run = planner.resume(&session, &logged).unwrap();
    let report = run.run().await.unwrap();
    assert_eq!(states(&report.record), ["a passed"]);
    assert_eq!(model.asked("# Plan").len(), 1, "the plan is the one that was shown");
}

#[tokio::test(start_paused = true)]
async fn listeners_hear_every_state_and_decide() {
    let steps = [step("a", "research", &[]), step("b", "research", &["a"])];
    let (model, workers, desk) = (planning(plan(&steps)), gives(), PlanDesk::default());
    let planner = builder(&model, &workers).review(Arc::new(desk.clone())).build();
    let session = session();
    let mut run = planner.begin(&session, "Go");
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let seen = heard.clone();
    run.events(Arc::new(move |event| {
        let text = match RunEvent::from_event(event) {
            Some(RunEvent::Plan { number, steps, .. }) => {
                format!("plan {number} of {}", steps.len())
            }
            Some(RunEvent::PlanAsked { number }) => {
                desk.decide(*number, PlanDecision::Accept);
                format!("asked {number}")
            }
            Some(RunEvent::PlanDecided { number, decision, .. }) => format!("{decision} {number}"),
            Some(RunEvent::PlanStep { id, state, attempt, detail }) => {
                format!("{id} {state} {attempt} {detail}")
            }
            Some(RunEvent::PlanReflection { id, outcome, .. }) => format!("{id}: {outcome}"),
            _ => return,
        };
        seen.lock().unwrap().push(text);
    }));
    run.run().await.unwrap();
    let heard = heard.lock().unwrap();
    let expected = [
        "plan 1 of 2",
        "asked 1",
        "accepted 1",
        "a running 1 ",
        "a reflecting 1 ",
        "a: passed",
        "a done 1 passed",
        "b running 1 ",
        "b reflecting 1 ",
        "b: passed",
        "b done 1 passed",
    ];
    assert_eq!(*heard, expected);
}
