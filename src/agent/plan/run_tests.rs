//! Plans with scripted models and workers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use futures_util::stream;
use serde_json::{Value, json};

use super::*;
use crate::model::{ChatEvent, ChatModel, ChatRequest, ChatStream, Message, ModelCall};
use crate::plan::{AcceptPlans, PlanLimits, PlannerBuilder, StepRecord, StepRunner};
use crate::{Agent, ToolMode};
use mitt::SessionOptions;

#[path = "demand_tests.rs"]
mod demand;
#[path = "failed_tests.rs"]
mod failed;
#[path = "gate_tests.rs"]
mod gate;

/// Returns a model's answer, given the user's first message and the number of earlier answers to it.
type Answers = dyn Fn(&str, usize) -> Result<Vec<ChatEvent>> + Send + Sync;

/// Model that answers by its request, and records the requests.
struct Roles {
    answers: Box<Answers>,
    asked: Mutex<Vec<Vec<Message>>>,
}

#[async_trait]
impl ChatModel for Roles {
    fn name(&self) -> &str {
        "roles"
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        self.asked.lock().unwrap().push(request.messages.to_vec());
        let first = request.messages.iter().find_map(|message| match message {
            Message::User { text, .. } => Some(text.clone()),
            _ => None,
        });
        let is_answer = |it: &&Message| matches!(it, Message::Assistant(_));
        let n_answers = request.messages.iter().filter(is_answer).count();
        let usage = Usage { input: 90, output: 10, ..Usage::default() };
        let mut events = (self.answers)(&first.unwrap_or_default(), n_answers)?;
        events.push(ChatEvent::Usage(usage));
        Ok(Box::pin(stream::iter(events.into_iter().map(Ok))))
    }
}

fn says(text: impl Into<String>) -> Result<Vec<ChatEvent>> {
    Ok(vec![ChatEvent::Text(text.into())])
}

fn calls(name: &str, arguments: &Value) -> Result<Vec<ChatEvent>> {
    let (id, name) = ("c1".to_owned(), name.to_owned());
    Ok(vec![ChatEvent::Call(ModelCall { id, name, arguments: arguments.to_string() })])
}

/// Returns the title in a message of a step or a reflection.
fn title_in(message: &str) -> &str {
    message.split("## Title\n\n").nth(1).and_then(|it| it.lines().next()).unwrap_or_default()
}

/// Model with one plan, which passes every result and reports `The report.`.
fn planning(plan: Value) -> Arc<Roles> {
    answering(move |asked, _| match asked {
        asked if asked.starts_with("# Plan") => says(plan.to_string()),
        asked if asked.starts_with("# Review") => says(r#"{"passed": true, "feedback": ""}"#),
        asked if asked.starts_with("# Report") => says("The report."),
        asked => says(format!("result of {}", title_in(asked))),
    })
}

fn answering(
    answers: impl Fn(&str, usize) -> Result<Vec<ChatEvent>> + Send + Sync + 'static,
) -> Arc<Roles> {
    Arc::new(Roles { answers: Box::new(answers), asked: Mutex::default() })
}

impl Roles {
    /// Returns the users' first messages with this beginning.
    fn asked(&self, begin: &str) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let first = |messages: &Vec<Message>| {
            messages.iter().find_map(|message| match message {
                Message::User { text, .. } => Some(text.clone()),
                _ => None,
            })
        };
        asked.iter().filter_map(first).filter(|text| text.starts_with(begin)).collect()
    }
}

/// What a step does in a test.
type Does = dyn Fn(&StepTask) -> Act + Send + Sync;

enum Act {
    Gives(String),
    Fails(Error),
    Panics,
    Hangs,
}

/// Runs steps as a test defines, each in `seconds` of the test's clock, and records what happened.
struct Workers {
    does: Box<Does>,
    seconds: u64,
    attempts: Mutex<Vec<(String, u64, String)>>,
    at_once: AtomicU64,
    most_at_once: AtomicU64,
}

impl Workers {
    fn new(does: impl Fn(&StepTask) -> Act + Send + Sync + 'static) -> Arc<Workers> {
        Arc::new(Workers {
            does: Box::new(does),
            seconds: 1,
            attempts: Mutex::default(),
            at_once: AtomicU64::new(0),
            most_at_once: AtomicU64::new(0),
        })
    }

    /// Returns the ids of the steps, in the order in which they began.
    fn begun(&self) -> Vec<String> {
        self.attempts.lock().unwrap().iter().map(|(id, _, _)| id.clone()).collect()
    }
}

impl StepRunner for Workers {
    fn attempt(&self, task: StepTask) -> BoxFuture<'_, Result<StepResult>> {
        Box::pin(async move {
            let message = format!("{}{}", task.message.task, task.message.context);
            self.attempts.lock().unwrap().push((task.step.id.clone(), task.number, message));
            let at_once = self.at_once.fetch_add(1, Ordering::Relaxed) + 1;
            self.most_at_once.fetch_max(at_once, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_secs(self.seconds)).await;
            self.at_once.fetch_sub(1, Ordering::Relaxed);
            match (self.does)(&task) {
                Act::Gives(text) => Ok(StepResult::text(text)),
                Act::Fails(error) => Err(error),
                Act::Panics => panic!("a worker that panics"),
                Act::Hangs => std::future::pending().await,
            }
        })
    }
}

fn gives() -> Arc<Workers> {
    Workers::new(|task| Act::Gives(format!("result of {}", task.step.id)))
}

fn step(id: &str, kind: &str, needs: &[&str]) -> Value {
    json!({ "id": id, "title": format!("Step {id}"), "description": "Do it.", "kind": kind, "needs": needs })
}

fn plan(steps: &[Value]) -> Value {
    json!({ "title": "The Plan", "thought": "So.", "has_enough_context": false, "steps": steps })
}

fn session() -> Session {
    crate::memory_log::host().build().unwrap().session(SessionOptions::default()).unwrap()
}

fn builder(model: &Arc<Roles>, workers: &Arc<Workers>) -> PlannerBuilder {
    let agent = Agent::builder(model.clone()).tools(ToolMode::All).build();
    Planner::builder(agent).steps(workers.clone())
}

fn states(record: &PlanRecord) -> Vec<String> {
    let state = |record: &StepRecord| match record.state {
        StepState::Done(how) => how.name().to_owned(),
        state => state.name().to_owned(),
    };
    record.each().map(|(step, record)| format!("{} {}", step.id, state(record))).collect()
}

#[tokio::test(start_paused = true)]
async fn fifty_steps_and_four_workers_lose_nothing_and_wait_for_nobody_else() {
    let steps: Vec<Value> = (0..50).map(|n| step(&format!("s{n}"), "research", &[])).collect();
    let (model, workers) = (planning(plan(&steps)), gives());
    let planner = builder(&model, &workers).limits(|limits| limits.steps = 50).build();
    let before = Instant::now();
    let report = planner.run(&session(), "Find out").await.unwrap();
    assert_eq!(workers.most_at_once.load(Ordering::Relaxed), 4);
    assert_eq!(before.elapsed().as_secs(), 13, "50 seconds of work for four");
    let expected: Vec<String> = (0..50).map(|n| format!("s{n}")).collect();
    assert_eq!(workers.begun(), expected, "in the order of the plan");
    let asked = model.asked("# Report").remove(0);
    let results: Vec<usize> =
        (0..50).map(|n| asked.find(&format!("\nresult of s{n}\n")).unwrap()).collect();
    assert!(results.is_sorted(), "in the order of the plan");
    assert!(report.missing.is_empty() && report.ended_by.is_none(), "{report:?}");
    assert_eq!((report.text.as_str(), report.turns), ("The report.", 52));
}

#[tokio::test(start_paused = true)]
async fn six_results_of_four_workers_are_all_reported_in_the_order_of_the_plan() {
    let steps: Vec<Value> = (0..6).map(|n| step(&format!("s{n}"), "research", &[])).collect();
    let model = planning(plan(&steps));
    let workers = Workers::new(|task| Act::Gives(task.step.id[1..].to_owned()));
    builder(&model, &workers).build().run(&session(), "Find out").await.unwrap();
    let asked = model.asked("# Report").remove(0);
    let results: Vec<&str> = asked.split("```\n").skip(1).step_by(2).map(str::trim).collect();
    assert_eq!(results, ["0", "1", "2", "3", "4", "5"]);
}

#[tokio::test(start_paused = true)]
async fn a_step_begins_when_what_it_needs_is_there_whatever_its_kind() {
    // Processing comes before research, and only `sum` has needs.
    let steps = [
        step("sum", "processing", &["a", "b"]),
        step("draw", "processing", &[]),
        step("a", "research", &[]),
        step("b", "research", &["a"]),
        step("c", "research", &[]),
    ];
    let (model, workers) = (planning(plan(&steps)), gives());
    let planner = builder(&model, &workers).limits(|limits| limits.workers = 2).build();
    let report = planner.run(&session(), "Find out").await.unwrap();
    assert_eq!(workers.begun(), ["draw", "a", "c", "b", "sum"]);
    let prompt = workers.attempts.lock().unwrap().pop().unwrap().2;
    assert!(prompt.contains("### a: Step a\n\n```\nresult of a\n```"), "{prompt}");
    assert!(prompt.contains("### b: Step b") && !prompt.contains("Step c"), "{prompt}");
    let passed = ["sum passed", "draw passed", "a passed", "b passed", "c passed"];
    assert_eq!(states(&report.record), passed);
}

#[tokio::test(start_paused = true)]
async fn a_plan_without_a_result_gets_no_report_that_a_model_makes_up() {
    let steps = [step("a", "research", &[]), step("b", "processing", &["a"])];
    let (model, workers) =
        (planning(plan(&steps)), Workers::new(|_| Act::Fails(Error::input("no data"))));
    let session = session();
    let planner = builder(&model, &workers).build();
    let report = planner.run(&session, "Find out, and give me a PDF").await.unwrap();
    assert!(model.asked("# Report").is_empty(), "a model was asked for a report");
    assert!(report.delivered.is_empty() && session.artifacts().is_empty(), "{report:?}");
    assert_eq!(report.missing, ["a PDF file", "step `a`", "step `b`"]);
    assert!(report.text.contains("Step a"), "{}", report.text);
}

#[tokio::test(start_paused = true)]
async fn plans_without_work_end_with_what_is_there() {
    let enough = json!({ "title": "T", "thought": "", "has_enough_context": true, "steps": [step("a", "research", &[])] });
    for plan in [plan(&[]), enough] {
        let (model, workers) = (planning(plan), gives());
        let report = builder(&model, &workers).build().run(&session(), "Hello").await.unwrap();
        assert_eq!((report.text.contains("The report."), report.turns), (true, 2));
        assert!(workers.begun().is_empty() && report.missing.is_empty(), "{report:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_is_not_sound_is_corrected_so_often_and_no_more() {
    let wrong = [
        "no JSON".to_owned(),
        plan(&[step("a", "research", &["b"]), step("b", "research", &["a"])]).to_string(),
        plan(&[step("a", "cooking", &["a"]), step("a", "research", &["z"])]).to_string(),
    ];
    let right = plan(&[step("a", "research", &[])]).to_string();
    for n_wrong in 0..4 {
        let (wrong, right) = (wrong.clone(), right.clone());
        let model = answering(move |asked, n| match asked {
            asked if asked.starts_with("# Plan") && n < n_wrong => says(&wrong[n]),
            asked if asked.starts_with("# Plan") => says(&right),
            asked if asked.starts_with("# Review") => says(r#"{"passed":true,"feedback":""}"#),
            _ => says("Fine."),
        });
        let done = builder(&model, &gives()).build().run(&session(), "Go").await;
        match n_wrong {
            0..3 => assert_eq!(states(&done.unwrap().record), ["a passed"]),
            _ => {
                let error = done.unwrap_err();
                assert_eq!(
                    error.render(),
                    "the model made no sound plan, corrected 2 times
steps[0].kind: expected `research` or `processing`, got \"cooking\"
steps[1].id: `a` is that of steps[0]
steps[0].needs[0]: expected the id of another step, got \"a\"
steps[1].needs[0]: expected the id of another step, got \"z\"
hint: take another model, or say more exactly what to do"
                );
                let Message::User { text, .. } =
                    model.asked.lock().unwrap()[2].last().unwrap().clone()
                else {
                    panic!("the model is told")
                };
                assert!(text.contains("none may need itself by way of others"), "{text}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_is_not_good_is_tried_again_and_then_counts_as_it_is() {
    for (attempts, n_made, state) in
        [(0, 1, "a unchecked"), (1, 2, "a forced"), (2, 3, "a forced"), (3, 4, "a forced")]
    {
        let plan = plan(&[step("a", "research", &[])]);
        let model = answering(move |asked, _| match asked {
            asked if asked.starts_with("# Plan") => says(plan.to_string()),
            asked if asked.starts_with("# Review") => {
                says(r#"{"passed": false, "feedback": "the year is missing"}"#)
            }
            _ => says("The report on Step a."),
        });
        let workers = gives();
        let planner = builder(&model, &workers).limits(|limits| limits.attempts = attempts).build();
        let report = planner.run(&session(), "Go").await.unwrap();
        assert_eq!(states(&report.record), [state]);
        assert_eq!(workers.begun().len(), n_made);
        assert_eq!(model.asked("# Review").len() as u64, attempts, "the last is not looked at");
        let asked = model.asked("# Report").remove(0);
        assert_eq!(asked.contains("Doubtful: it was sent back"), attempts > 0, "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_passes_nothing() {
    for answer in ["yes", r#"{"passed": "true", "feedback": ""}"#, "error"] {
        let plan = plan(&[step("a", "research", &[])]);
        let model = answering(move |asked, _| match asked {
            asked if asked.starts_with("# Plan") => says(plan.to_string()),
            asked if asked.starts_with("# Review") && answer == "error" => {
                Err(Error::model("the evaluator is away").retryable(true))
            }
            asked if asked.starts_with("# Review") => says(answer),
            _ => says("The report."),
        });
        let report = builder(&model, &gives()).build().run(&session(), "Go").await.unwrap();
        assert_eq!(states(&report.record), ["a evaluator-error"], "{answer}");
        let asked = model.asked("# Report").remove(0);
        assert!(asked.contains("Doubtful: it could not be checked"), "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_costs_the_steps_that_need_it_and_the_report_names_them() {
    let steps = [
        step("a", "research", &[]),
        step("b", "research", &["a"]),
        step("c", "research", &["b"]),
        step("d", "research", &[]),
    ];
    let fails = || {
        Workers::new(|task| match task.step.id.as_str() {
            "a" => Act::Fails(Error::input("there is nothing to read")),
            id => Act::Gives(format!("result of {id}")),
        })
    };
    let (model, workers) = (planning(plan(&steps)), fails());
    let report = builder(&model, &workers).build().run(&session(), "Go").await.unwrap();
    assert_eq!(states(&report.record), ["a failed", "b skipped", "c skipped", "d passed"]);
    assert_eq!(report.missing, ["step `a`", "step `b`", "step `c`"]);
    assert_eq!(
        report.text,
        "The report.

## Steps without a Result

- Step a: it failed: input: there is nothing to read
- Step b: it was skipped: it needs `a` (Step a), which failed
- Step c: it was skipped: it needs `b` (Step b), which was skipped
"
    );
    // Alternatively, they run with what there is.
    let (model, workers) = (planning(plan(&steps)), fails());
    let planner = builder(&model, &workers).limits(|it| it.failed_need = FailedNeed::Run).build();
    let report = planner.run(&session(), "Go").await.unwrap();
    assert_eq!(states(&report.record), ["a failed", "b passed", "c passed", "d passed"]);
    let prompt =
        workers.attempts.lock().unwrap().iter().find(|(id, ..)| id == "b").unwrap().2.clone();
    assert!(prompt.contains("No result: it failed: input: there is nothing to read"), "{prompt}");
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_panics_hangs_or_fails_for_a_while_costs_its_own_step() {
    let steps = ["panics", "hangs", "passes", "fails", "works"];
    let steps: Vec<Value> = steps.iter().map(|id| step(id, "processing", &[])).collect();
    let model = planning(plan(&steps));
    let workers = Workers::new(|task| match (task.step.id.as_str(), task.number) {
        ("panics", _) => Act::Panics,
        ("hangs", _) => Act::Hangs,
        ("passes", 1 | 2) | ("fails", _) => Act::Fails(Error::model("busy").retryable(true)),
        (id, _) => Act::Gives(id.to_owned()),
    });
    let report = builder(&model, &workers).build().run(&session(), "Go").await.unwrap();
    let expected =
        ["panics failed", "hangs failed", "passes passed", "fails failed", "works passed"];
    assert_eq!(states(&report.record), expected);
    let reasons: Vec<&str> = report.record.steps.iter().map(|it| it.reason.as_str()).collect();
    assert!(reasons[0].contains("ended by an internal error"), "{reasons:?}");
    assert!(reasons[1].contains("limit of 600000 ms reached"), "{reasons:?}");
    let n_tried = workers.begun().iter().filter(|id| *id == "fails").count();
    assert_eq!(n_tried, 3, "twice again");
    assert!(report.text.contains("- Step hangs: it failed"), "{}", report.text);
}

/// Sets a limit.
type Set<'s> = &'s dyn Fn(&mut crate::AgentLimits, &mut PlanLimits);

#[tokio::test(start_paused = true)]
async fn a_budget_ends_a_plan_with_what_is_there() {
    let steps: Vec<Value> = (0..10).map(|n| step(&format!("s{n}"), "research", &[])).collect();
    // Each request has 100 tokens: the plan, and reflections.
    let cases: [(&str, Set<'_>); 3] = [
        ("tokens", &|of, _| of.tokens = 350),
        ("turns", &|_, plan| plan.turns = 4),
        ("ms", &|of, _| of.time = Duration::from_millis(1_500)),
    ];
    for (unit, set) in cases {
        let (model, workers) = (planning(plan(&steps)), gives());
        let (mut of_agent, mut of_plan) = (crate::AgentLimits::default(), PlanLimits::default());
        set(&mut of_agent, &mut of_plan);
        of_plan.workers = 2;
        let agent = Agent::builder(model.clone()).limits(|limits| *limits = of_agent).build();
        let planner = Planner::builder(agent).steps(workers.clone());
        let planner = planner.limits(|limits| *limits = of_plan).build();
        let report = planner.run(&session(), "Go").await.unwrap();
        let error = report.ended_by.unwrap();
        assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{unit}: {error}");
        assert!(error.to_string().contains(unit), "{unit}: {error}");
        assert!(
            report.text.starts_with("# The Plan\n\n## Step s0\n\nresult of s0"),
            "{}",
            report.text
        );
        assert!(report.text.contains("- Step s9: it was skipped: "), "{}", report.text);
        assert!(report.missing.contains(&"step `s9`".to_owned()), "{:?}", report.missing);
        assert!(model.asked("# Report").is_empty(), "no model is asked any more");
        assert!(report.record.is_done(), "{:?}", states(&report.record));
    }
}

#[tokio::test]
async fn what_is_blocked_ends_the_plan() {
    let model = planning(plan(&[step("a", "research", &[]), step("b", "research", &["a"])]));
    let blocked = || Error::new(ErrorKind::Blocked, "a rule found something");
    let workers = Workers::new(move |_| Act::Fails(blocked()));
    let error = builder(&model, &workers).build().run(&session(), "Go").await.unwrap_err();
    assert_eq!((error.kind(), workers.begun().len()), (&ErrorKind::Blocked, 1));
}

#[tokio::test]
async fn research_and_scripts_are_done_by_agents_and_a_script_is_repaired_three_times() {
    let steps = [step("read", "research", &[]), step("sum", "processing", &["read"])];
    for (n_wrong, state) in [(3, "sum passed"), (4, "sum failed")] {
        let plan = plan(&steps);
        let model = answering(move |asked, n| match asked {
            asked if asked.starts_with("# Plan") => says(plan.to_string()),
            asked if asked.starts_with("# Review") => says(r#"{"passed":true,"feedback":""}"#),
            asked if asked.starts_with("# Report") => says("The report."),
            asked if title_in(asked) == "Step read" => says("It says 41."),
            _ if n < n_wrong => {
                calls("python__run", &json!({ "code": format!("print({n}) or 1 / 0") }))
            }
            _ if n == n_wrong => calls("python__run", &json!({ "code": "print(41 + 1)" })),
            _ => says("It is 42."),
        });
        let session = session();
        let agent = Agent::builder(model.clone()).build();
        let report = Planner::builder(agent).build().run(&session, "Go").await.unwrap();
        assert_eq!(states(&report.record), ["read passed", state]);
        let prompt = model.asked("# Task\n\n## Title\n\nStep sum").remove(0);
        assert!(prompt.contains("### read: Step read\n\n```\nIt says 41.\n```"), "{prompt}");
        let sum = &report.record.steps[1];
        match n_wrong {
            3 => {
                let printed = "It is 42.\n\nThe script printed:\n\n```\n42\n```\n";
                assert_eq!(sum.result(), Some(printed.trim()));
                let asked = model.asked.lock().unwrap();
                let results = asked.iter().flatten().filter_map(|message| match message {
                    Message::Tool { content, .. } => Some(content.as_str()),
                    _ => None,
                });
                let results: Vec<&str> = results.collect();
                assert!(results.iter().any(|it| it.contains("42")), "{results:?}");
                assert!(results.iter().all(|it| !it.contains("41 + 1")), "no echo: {results:?}");
            }
            _ => assert!(sum.reason.contains("the script failed 4 times"), "{}", sum.reason),
        }
    }
}

#[tokio::test]
async fn research_has_no_tool_that_changes_anything() {
    let excel = ("excel_tool__create_excel", json!({ "data": [{ "a": 1 }], "filename": "a.xlsx" }));
    let plan = plan(&[step("read", "research", &[])]);
    let model = answering(move |asked, n| match asked {
        asked if asked.starts_with("# Plan") => says(plan.to_string()),
        asked if asked.starts_with("# Review") => says(r#"{"passed":true,"feedback":""}"#),
        asked if asked.starts_with("# Report") => says("The report."),
        _ if n == 0 => calls(excel.0, &excel.1),
        _ if n == 1 => calls("python__run", &json!({ "code": "open('a.txt', 'w').write('x')" })),
        _ => says("I could not."),
    });
    let session = session();
    let agent = Agent::builder(model.clone()).tools(ToolMode::All).build();
    let report = Planner::builder(agent).build().run(&session, "Go").await.unwrap();
    assert_eq!(report.record.steps[0].result(), Some("I could not."));
    assert!(session.artifacts().is_empty() && report.delivered.is_empty(), "{report:?}");
    let asked = model.asked.lock().unwrap();
    let results = asked.iter().flatten().filter_map(|message| match message {
        Message::Tool { is_error, content, .. } => Some((*is_error, content.as_str())),
        _ => None,
    });
    let results: Vec<_> = results.collect();
    assert!(results.iter().all(|(is_error, _)| *is_error), "{results:?}");
    assert!(results[0].1.contains("excel_tool__create_excel"), "{results:?}");
}

#[tokio::test]
async fn the_report_is_delivered_as_asked_with_sources_and_failures() {
    let steps = [step("a", "research", &[]), step("b", "research", &[])];
    let (model, workers) = (
        planning(plan(&steps)),
        Workers::new(|task| match task.step.id.as_str() {
            "a" => Act::Gives("42, says [it](https://example.org/a).".into()),
            _ => Act::Fails(Error::input("not there")),
        }),
    );
    let session = session();
    let planner = builder(&model, &workers).build();
    let report = planner.run(&session, "Give me a report as Markdown and as PDF").await.unwrap();
    assert_eq!(
        report.text,
        "The report.

## Steps without a Result

- Step b: it failed: input: not there


## Sources

- <https://example.org/a>
"
    );
    assert!(report.delivered.contains(&"The-Plan.md".to_owned()), "{report:?}");
    let content = session.artifact_content("The-Plan.md").unwrap();
    assert_eq!(String::from_utf8(content).unwrap().trim(), report.text.trim());
    let asked = model.asked.lock().unwrap();
    let Some(Message::System(prompt)) = asked.last().and_then(|it| it.first()) else { panic!() };
    assert!(prompt.contains("a fenced block `chart`"), "a file can have charts: {prompt}");
    // A build without a typesetter reports the missing PDF.
    let has_pdf = report.delivered.contains(&"The-Plan.pdf".to_owned());
    assert_eq!(report.missing.contains(&"a PDF file".to_owned()), !has_pdf, "{report:?}");
}

#[tokio::test]
async fn documents_that_results_name_are_sources_of_a_report_that_names_none() {
    let steps = [step("a", "research", &[])];
    for (report, sources) in [
        ("Rain.", "Rain.\n\n## Sources\n\n- may\\_1.md\n"),
        ("Rain (may_1.md).", "Rain (may_1.md)."),
    ] {
        let made = plan(&steps).to_string();
        let model = answering(move |asked, _| match asked {
            asked if asked.starts_with("# Plan") => says(made.clone()),
            asked if asked.starts_with("# Review") => says(r#"{"passed": true, "feedback": ""}"#),
            _ => says(report),
        });
        let workers = Workers::new(|_| Act::Gives("Rain, says may_1.md, page 2.".into()));
        let session = session();
        for name in ["may_1.md", "june.md"] {
            session.add_document_bytes(name, b"Rain.".to_vec()).await.unwrap();
        }
        let done = builder(&model, &workers).build().run(&session, "Sum it up").await.unwrap();
        assert_eq!(done.text, sources);
        let asked = model.asked.lock().unwrap();
        let Some(Message::System(prompt)) = asked.last().and_then(|it| it.first()) else {
            panic!()
        };
        assert!(!prompt.contains("`chart`"), "a terminal shows none: {prompt}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_plan_ends_with_its_workers_when_it_is_dropped() {
    let model = planning(plan(&[step("a", "research", &[])]));
    let workers = Workers::new(|_| Act::Hangs);
    let planner = builder(&model, &workers).review(Arc::new(AcceptPlans)).build();
    let session = session();
    let run = planner.run(&session, "Go");
    assert!(tokio::time::timeout(Duration::from_secs(60), run).await.is_err());
    tokio::task::yield_now().await;
    assert_eq!(Arc::strong_count(&workers), 2, "the planner's and the test's");
}

#[path = "calls_tests.rs"]
mod calls;
#[path = "log_tests.rs"]
mod logged;
#[path = "message_tests.rs"]
mod messages;
