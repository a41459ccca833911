//! Questions: approvals, plans, and functions of the caller.

use super::*;

/// Returns the events of a run and its state when it has a question.
async fn asked(runs: &Runs, id: &str) -> (String, RunState) {
    let state = until(runs, id, RunStatus::Waiting).await;
    (state.question.as_ref().unwrap().id().to_owned(), state)
}

fn answer(question: &str, decision: &str, text: Option<&str>) -> Answer {
    Answer {
        question: question.to_owned(),
        decision: decision.to_owned(),
        text: text.map(str::to_owned),
        plan: None,
    }
}

fn with_approvals(approvals: &str) -> CreateRun {
    let mut request = request("Wipe the ledger");
    request.options.approvals = Some(approvals.to_owned());
    request
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destructive_call_waits_for_its_approval() {
    let stage = Stage::new(vec![wipe("c1"), says("Wiped.")]);
    let runs = stage.start();
    let id = create(&runs, with_approvals("ask")).await.id;
    let (question, state) = asked(&runs, &id).await;
    let Some(Question::Approval { tool, title, .. }) = state.question else { panic!() };
    assert_eq!((tool.as_str(), title.as_deref()), ("ledger__wipe", Some("Wipe the ledger")));
    assert_eq!(stage.wiped(), 0);
    let wrong = runs.answer("acme", &id, answer("question_x", "accept", None)).await.unwrap_err();
    assert_eq!((wrong.status, wrong.code.as_str()), (409, "no_such_question"));
    let wrong = runs.answer("acme", &id, answer(&question, "change", None)).await.unwrap_err();
    assert_eq!((wrong.status, wrong.errors[0].pointer.as_str()), (422, "/decision"));
    let state = runs.answer("acme", &id, answer(&question, "accept", None)).await.unwrap();
    assert_eq!(state.question, None);
    let events = follow(&runs, &id, 0).await;
    let names = types(&events);
    let at = |name: &str| names.iter().position(|it| it == name).unwrap();
    assert!(at("question") < at("answered") && at("answered") < at("call_result"), "{names:?}");
    assert_eq!((stage.wiped(), get(&runs, &id).await.text.as_deref()), (1, Some("Wiped.")));
    let late = runs.answer("acme", &id, answer(&question, "accept", None)).await.unwrap_err();
    assert_eq!(late.code, "no_such_question");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_call_is_not_made_and_the_model_reads_why() {
    let stage = Stage::new(vec![wipe("c1"), says("Not wiped.")]);
    let runs = stage.start();
    let id = create(&runs, with_approvals("ask")).await.id;
    let (question, _) = asked(&runs, &id).await;
    runs.answer("acme", &id, answer(&question, "reject", Some("not today"))).await.unwrap();
    follow(&runs, &id, 0).await;
    assert_eq!(stage.wiped(), 0);
    assert!(stage.model.asked(1)[2].contains("not today"), "{:?}", stage.model.asked(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn approvals_can_be_given_or_refused_for_the_whole_run() {
    for (approvals, expected) in [("allow", 1), ("refuse", 0)] {
        let stage = Stage::new(vec![wipe("c1"), says("Done.")]);
        let runs = stage.start();
        let id = create(&runs, with_approvals(approvals)).await.id;
        let events = follow(&runs, &id, 0).await;
        assert!(!types(&events).contains(&"question".to_owned()), "{approvals}");
        assert_eq!(stage.wiped(), expected, "{approvals}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_waits_long_holds_no_session_and_is_answered_later() {
    let mut stage = Stage::new(vec![wipe("c1"), says("Wiped.")]);
    stage.park = Duration::from_millis(100);
    let runs = stage.start();
    let id = create(&runs, with_approvals("ask")).await.id;
    let (question, _) = asked(&runs, &id).await;
    until_true(|| runs.is_idle()).await;
    let state = get(&runs, &id).await;
    assert_eq!(state.status, RunStatus::Waiting);
    // Another process goes on.
    drop(runs);
    let runs = stage.start();
    runs.answer("acme", &id, answer(&question, "accept", None)).await.unwrap();
    until(&runs, &id, RunStatus::Completed).await;
    let events = follow(&runs, &id, 0).await;
    assert_no_gaps(&events, 1);
    let questions = types(&events).iter().filter(|it| *it == "question").count();
    assert_eq!((stage.wiped(), questions), (1, 1), "the same call needs no second approval");
    assert!(stage.model.asked(1)[2].contains("wiped"), "{:?}", stage.model.asked(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_waits_for_an_answer_leaves_its_place() {
    let mut stage = Stage::new(vec![wipe("c1"), says("Another."), says("Wiped.")]);
    stage.options.workers = 1;
    let runs = stage.start();
    let first = create(&runs, with_approvals("ask")).await.id;
    let (question, _) = asked(&runs, &first).await;
    let second = create(&runs, request("Go")).await.id;
    let state = until(&runs, &second, RunStatus::Completed).await;
    assert_eq!(state.text.as_deref(), Some("Another."));
    // The only place is free again, and no new run is there to take it.
    runs.answer("acme", &first, answer(&question, "accept", None)).await.unwrap();
    let state = until(&runs, &first, RunStatus::Completed).await;
    assert_eq!((state.text.as_deref(), stage.wiped()), (Some("Wiped."), 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answered_run_waits_for_a_place_and_can_be_cancelled_meanwhile() {
    for is_cancelled in [false, true] {
        let gate = Arc::new(Semaphore::new(0));
        let turns = vec![wipe("c1"), says("Another.").after(&gate), says("Wiped.")];
        let mut stage = Stage::new(turns);
        stage.options.workers = 1;
        let runs = stage.start();
        let first = create(&runs, with_approvals("ask")).await.id;
        let (question, _) = asked(&runs, &first).await;
        let second = create(&runs, request("Go")).await.id;
        until_true(|| stage.model.n_asked() == 2).await;
        runs.answer("acme", &first, answer(&question, "accept", None)).await.unwrap();
        until(&runs, &first, RunStatus::Running).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(stage.wiped(), 0, "the place is taken");
        if is_cancelled {
            runs.cancel("acme", &first).await.unwrap();
            until(&runs, &first, RunStatus::Cancelled).await;
        }
        gate.add_permits(1);
        until(&runs, &second, RunStatus::Completed).await;
        if !is_cancelled {
            until(&runs, &first, RunStatus::Completed).await;
        }
        assert_eq!(stage.wiped(), u64::from(!is_cancelled));
        // The place is free in either case.
        stage.model.turns.lock().unwrap().clear();
        stage.model.turns.lock().unwrap().push_back(says("Last."));
        let last = create(&runs, request("Go")).await.id;
        until(&runs, &last, RunStatus::Completed).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_process_ends_while_an_answered_run_waits_for_a_place() {
    let gate = Arc::new(Semaphore::new(0));
    let mut stage = Stage::new(vec![wipe("c1"), says("Another.").after(&gate), says("Wiped.")]);
    stage.options.workers = 1;
    let runs = stage.start();
    let first = create(&runs, with_approvals("ask")).await.id;
    let (question, _) = asked(&runs, &first).await;
    create(&runs, request("Go")).await;
    until_true(|| stage.model.n_asked() == 2).await;
    runs.answer("acme", &first, answer(&question, "accept", None)).await.unwrap();
    until(&runs, &first, RunStatus::Running).await;
    runs.close(Duration::from_millis(10)).await;
    assert!(runs.is_idle());
    assert_eq!((get(&runs, &first).await.status, stage.wiped()), (RunStatus::Interrupted, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_sessions_wait_for_answers_than_there_are_places() {
    let turns = vec![wipe("c1"), wipe("c2"), wipe("c3"), says("1"), says("2"), says("3")];
    let mut stage = Stage::new(turns);
    stage.options.workers = 1;
    let runs = stage.start();
    let mut questions = Vec::new();
    for _ in 0..3 {
        let id = create(&runs, with_approvals("ask")).await.id;
        let (question, _) = asked(&runs, &id).await;
        questions.push((id, question));
    }
    // The others are on disk only, long before the usual time.
    until_true(|| runs.working() == 1).await;
    for (id, question) in questions.iter().rev() {
        assert_eq!(get(&runs, id).await.status, RunStatus::Waiting);
        runs.answer("acme", id, answer(question, "accept", None)).await.unwrap();
        until(&runs, id, RunStatus::Completed).await;
    }
    assert_eq!(stage.wiped(), 3);
}

/// A model with plans, of which each has its number as title.
fn planning() -> Arc<Scripted> {
    let plans = AtomicU64::new(0);
    let answers = move |asked: &str, _: usize| -> Vec<ChatEvent> {
        let text = match asked {
            asked if asked.starts_with("# Plan") => {
                let number = plans.fetch_add(1, Ordering::SeqCst) + 1;
                json!({
                    "title": format!("Plan {number}"), "thought": "", "has_enough_context": false,
                    "steps": [{ "id": "s1", "title": "Look", "description": "Look closely", "kind": "research" }],
                })
                .to_string()
            }
            asked if asked.starts_with("# Review") => {
                r#"{"passed": true, "feedback": ""}"#.to_owned()
            }
            asked if asked.starts_with("# Report") => "The report.".to_owned(),
            _ => "A result.".to_owned(),
        };
        vec![ChatEvent::Text(text), usage(90, 10)]
    };
    Arc::new(Scripted {
        name: "test/planning".to_owned(),
        turns: Mutex::default(),
        by_request: Some(Box::new(answers)),
        asked: Mutex::default(),
        choices: Mutex::default(),
        key: Mutex::default(),
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_is_rejected_changed_and_carried_out() {
    let stage = Stage::with(planning(), |host| host);
    let runs = stage.start();
    let mut request = request("Compare both years");
    request.options.plan = Some(PlanOptions { review: true, ..PlanOptions::default() });
    let id = create(&runs, request).await.id;
    let (first, state) = asked(&runs, &id).await;
    let Some(Question::Plan { number: 1, plan, .. }) = state.question else { panic!() };
    assert_eq!(plan.title, "Plan 1");
    let rejected = answer(&first, "reject", Some("look at 2024 too"));
    runs.answer("acme", &id, rejected).await.unwrap();
    let second = loop {
        let (id, _) = asked(&runs, &id).await;
        if id != first {
            break id;
        }
    };
    let wrong = Answer { plan: Some(json!({ "steps": 1 })), ..answer(&second, "change", None) };
    let problem = runs.answer("acme", &id, wrong).await.unwrap_err();
    assert!(problem.errors.iter().all(|it| it.pointer == "/plan"), "{problem:?}");
    let mut changed = serde_json::to_value(&plan).unwrap();
    changed["title"] = "My plan".into();
    let changed = Answer { plan: Some(changed), ..answer(&second, "change", None) };
    runs.answer("acme", &id, changed).await.unwrap();
    let events = follow(&runs, &id, 0).await;
    let titles = events.iter().filter_map(|event| match &event.data {
        EventData::Plan { number, title, steps } => {
            assert_eq!(steps[0]["description"], "Look closely");
            Some((*number, title.clone()))
        }
        _ => None,
    });
    let titles: Vec<_> = titles.collect();
    assert_eq!(
        titles,
        [(1, "Plan 1".to_owned()), (2, "Plan 2".to_owned()), (3, "My plan".to_owned())]
    );
    let state = get(&runs, &id).await;
    assert_eq!((state.status, state.text.as_deref()), (RunStatus::Completed, Some("The report.")));
    assert!(state.usage.turns >= 4, "plans, the step, its review and the report count");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_waits_long_is_decided_by_another_process() {
    let mut stage = Stage::with(planning(), |host| host);
    stage.park = Duration::from_millis(100);
    let runs = stage.start();
    let mut request = request("Compare both years");
    request.options.plan = Some(PlanOptions { review: true, ..PlanOptions::default() });
    let id = create(&runs, request).await.id;
    let (question, _) = asked(&runs, &id).await;
    until_true(|| runs.is_idle()).await;
    drop(runs);
    let runs = stage.start();
    runs.answer("acme", &id, answer(&question, "accept", None)).await.unwrap();
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!(state.text.as_deref(), Some("The report."));
    let plans = stage
        .model
        .asked
        .lock()
        .unwrap()
        .iter()
        .filter(|messages| {
            messages.iter().any(
                |it| matches!(it, ModelMessage::User { text, .. } if text.starts_with("# Plan")),
            )
        })
        .count();
    assert_eq!(plans, 1, "the plan was not made again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_of_the_caller_are_answered_after_a_restart() {
    let both = Turn {
        events: vec![
            ChatEvent::Call(ModelCall {
                id: "f1".into(),
                name: "weather".into(),
                arguments: "{}".into(),
            }),
            ChatEvent::Call(ModelCall {
                id: "f2".into(),
                name: "weather".into(),
                arguments: "{}".into(),
            }),
        ],
        gate: None,
    };
    let stage = Stage::new(vec![both, says("Rain.")]);
    let runs = stage.start();
    let weather = FunctionTool {
        name: "weather".into(),
        description: "The weather.".into(),
        parameters: json!({ "type": "object" }),
    };
    let id = create(&runs, CreateRun { functions: vec![weather], ..request("Weather?") }).await.id;
    let events = follow(&runs, &id, 0).await;
    let Some(EventData::Question { question: Question::Functions { calls, .. } }) =
        events.last().map(|event| event.data.clone())
    else {
        panic!("{:?}", types(&events))
    };
    assert_eq!(calls.len(), 2);
    assert_eq!(get(&runs, &id).await.status, RunStatus::Waiting, "as its last event says");
    let said = runs.say("acme", &Policy::default(), &id, message("x"), None).await.unwrap_err();
    assert_eq!(said.code, "waits_for_functions");
    runs.close(Duration::from_secs(5)).await;
    drop(runs);

    let runs = stage.start();
    let output = |call: &str, output: &str| ToolOutput { call: call.into(), output: output.into() };
    let wrong = vec![output("f1", "wet"), output("f9", "dry"), output("f1", "dry")];
    let problem = runs.provide("acme", &id, wrong, None).await.unwrap_err();
    let places: Vec<_> = problem.errors.iter().map(|it| it.pointer.as_str()).collect();
    assert_eq!(places, ["/outputs/1/call", "/outputs/2/call"]);
    let state = runs.provide("acme", &id, vec![output("f2", "dry")], None).await.unwrap();
    assert_eq!(state.status, RunStatus::Waiting, "one is missing");
    runs.provide("acme", &id, vec![output("f1", "wet")], None).await.unwrap();
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!(state.text.as_deref(), Some("Rain."));
    let asked = stage.model.asked(1);
    let mut results: Vec<_> = asked.iter().filter(|it| it.starts_with("tool:")).collect();
    results.sort();
    assert_eq!(results, ["tool: dry", "tool: wet"]);
    let late = runs.provide("acme", &id, vec![output("f1", "x")], None).await.unwrap_err();
    assert_eq!(late.code, "no_call_waits");
}
