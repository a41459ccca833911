//! Budgets, numbers and levels are enforced, whatever models request.

use super::*;

#[tokio::test]
async fn a_child_that_loops_ends_and_the_parent_goes_on() {
    let main = script([calls(&[task("looper", "Loop")]), says("It did not work.")]);
    let looper = script([calls(&[("document_tool__list_documents", json!({}))])]);
    let stage = Stage::new(main).agent("looper", "maxTurns: 5\n", looper);
    let report = stage.run("Try").await.unwrap();
    assert_eq!(report.text, "It did not work.");
    let output = result(&stage.results("main", 1)[0]);
    assert_eq!(output["status"], "failed");
    assert!(output["why"].as_str().unwrap().contains("turns"), "{output}");
    assert_eq!(stage.requests("looper"), 5);
    // Its turns count for the run.
    assert_eq!((report.turns, report.delegated[0].cost.turns), (2, 5));
    assert!(stage.tree()[1].starts_with("1: failed "), "{:?}", stage.tree());
}

#[tokio::test]
async fn a_child_never_outspends_its_parent() {
    let main = script([calls(&[task("spender", "Spend")]), says("Stopped.")]);
    let spender = script([{
        let mut turn = calls(&[("document_tool__list_documents", json!({}))]);
        turn.push(used(1_000));
        turn
    }]);
    let stage = Stage::new(main).agent("spender", "", spender);
    let agent = stage.main().limits(|limits| limits.tokens = 10_000).build();
    let report = agent.run(&stage.session, "Try").await.unwrap();
    // Half of what is left, and the request that exceeded it.
    assert_eq!(stage.requests("spender"), 6);
    assert_eq!(report.usage.input, 6_000);
    assert!(result(&stage.results("main", 1)[0])["why"].as_str().unwrap().contains("tokens"));
    // Its usage counts for the run: twice that is too much.
    let agent = stage.main().limits(|limits| limits.tokens = 10_000).build();
    let mut conversation = agent.conversation(&stage.session).await;
    assert!(conversation.say("Try").await.is_ok());
}

#[tokio::test]
async fn costs_are_counted_by_the_price_of_each_model() {
    let main = script([
        {
            let mut turn = calls(&[task("dear", "Spend")]);
            turn.push(used(1_000));
            turn
        },
        vec![used(1_000), ChatEvent::Text("Done.".into())],
    ]);
    let dear = script([{
        let mut turn = calls(&[("document_tool__list_documents", json!({}))]);
        turn.push(used(100_000));
        turn
    }]);
    let stage = Stage::new(main).agent("dear", "", dear);
    let agent = stage
        .main()
        .prices(priced(&[("main", "1"), ("dear", "10")]))
        .limits(|limits| limits.cost = Some("5".parse::<Cost>().unwrap()))
        .build();
    let report = agent.run(&stage.session, "Try").await.unwrap();
    // A dollar for each of its requests; it may use half of five.
    assert_eq!(stage.requests("dear"), 3);
    assert_eq!(report.cost.unwrap().to_string(), "$3.002");
    // A model without a price cannot be limited.
    let agent = stage
        .main()
        .prices(priced(&[("main", "1")]))
        .limits(|limits| limits.cost = Some("5".parse::<Cost>().unwrap()))
        .build();
    agent.run(&stage.session, "Try").await.unwrap();
    let output = stage.results("main", 3);
    assert!(output[0].contains("no price of dear is known"), "{output:?}");
}

fn priced(models: &[(&str, &str)]) -> Prices {
    let price = |(name, price): &(&str, &str)| {
        ((*name).to_owned(), json!({ "input": price, "output": price }))
    };
    let models: serde_json::Map<String, Value> = models.iter().map(price).collect();
    let prices = json!({ "date": "2026-11", "source": "a test", "models": models });
    Prices::from_json(&prices.to_string()).unwrap()
}

#[tokio::test]
async fn levels_are_bounded() {
    let deeper = || -> Says {
        Box::new(|_, turn| match turn {
            0 => Some(calls(&[task("digger", "Deeper")])),
            _ => Some(says("Back.")),
        })
    };
    for (depth, levels) in [(1, 1), (2, 2), (9, 2)] {
        let mut stage = Stage::new(deeper()).agent("digger", "", deeper());
        stage.change = Some(match depth {
            1 => |_| (),
            2 => |limits| limits.depth = 2,
            _ => |limits| limits.depth = 9,
        });
        let report = stage.run("Dig").await.unwrap();
        assert_eq!(report.text, "Back.");
        assert_eq!(stage.tree().iter().filter(|it| it.contains(" in ")).count(), levels, "{depth}");
        // The last one does not have the tool and gets an error.
        let last = stage.requests("digger") - 1;
        let tools: Vec<_> = (0..=last).map(|at| stage.tools("digger", at)).collect();
        assert!(tools.iter().any(|tools| !tools.contains(&DELEGATE.to_owned())), "{depth}");
        let output: Vec<_> = (0..=last).flat_map(|at| stage.results("digger", at)).collect();
        assert!(
            output.iter().any(|it| it.contains("Unknown tool: delegate")),
            "{depth}: {output:?}"
        );
    }
}

#[tokio::test]
async fn the_number_of_tasks_is_bounded() {
    let main: Says = Box::new(|_, turn| match turn {
        0..=3 => Some(calls(&[task("helper", "Help"), task("helper", "Help")])),
        _ => Some(says("Enough.")),
    });
    let stage = Stage::new(main)
        .agent("helper", "read-only: true\n", script([says("Helped.")]))
        .limits(|limits| limits.delegations = 5);
    stage.run("Help").await.unwrap();
    let output = stage.results("main", 4);
    assert_eq!(output.iter().filter(|it| it.contains("\"done\"")).count(), 5, "{output:?}");
    assert!(
        output[5].starts_with("refused: 5 tasks were given, which is the limit"),
        "{}",
        output[5]
    );
}

#[tokio::test]
async fn only_so_many_work_at_once_and_whoever_waits_gives_its_place_away() {
    // Two at the first level, each of which delegates to two at the second, with room for one.
    let main = script([calls(&[task("middle", "1"), task("middle", "2")]), says("Done.")]);
    let middle = script([calls(&[task("leaf", "1"), task("leaf", "2")]), says("Middle.")]);
    let running = Arc::new(AtomicUsize::new(0));
    let leaf: Says = Box::new(move |_, turn| match turn {
        0 => {
            assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0, "two at once");
            Some(calls(&[("document_tool__list_documents", json!({}))]))
        }
        _ => {
            running.fetch_sub(1, Ordering::SeqCst);
            Some(says("Leaf."))
        }
    });
    let stage = Stage::new(main)
        .agent("middle", "read-only: true\n", middle)
        .agent("leaf", "read-only: true\n", leaf)
        .limits(|limits| (limits.depth, limits.at_once) = (2, 1));
    let done = tokio::time::timeout(Duration::from_secs(60), stage.run("Go")).await;
    assert_eq!(done.expect("nobody waits for ever").unwrap().text, "Done.");
    assert_eq!(stage.tree().iter().filter(|it| it.contains(": done")).count(), 6);
}

#[tokio::test]
async fn three_failures_in_a_row_end_the_line() {
    let main: Says = Box::new(|_, turn| match turn {
        0..=3 => Some(calls(&[task("broken", &format!("Try {turn}"))])),
        _ => Some(says("I did it myself.")),
    });
    let broken = script([vec![ChatEvent::Note("broken".into())]]);
    let stage = Stage::new(main).agent("broken", "read-only: true\n", broken);
    let report = stage.run("Try").await.unwrap();
    assert_eq!(report.text, "I did it myself.");
    let output = stage.results("main", 4);
    for output in &output[..3] {
        let output = result(output);
        assert_eq!((&output["status"], &output["why"]), (&json!("failed"), &json!("broken")));
    }
    assert!(output[3].starts_with("refused: 3 tasks in a row failed"), "{}", output[3]);
    assert_eq!(report.delegated.len(), 3);
}

#[tokio::test]
async fn wrong_calls_are_told_and_do_not_count_as_failures() {
    let main: Says = Box::new(|_, turn| match turn {
        0 => Some(calls(&[
            task("readr", "Look"),
            (DELEGATE, json!({ "agent": "reader", "task": " ", "inputs": [] })),
            (DELEGATE, json!({ "agent": "reader", "task": "x", "budget": 1 })),
            (DELEGATE, json!([])),
            (DELEGATE, json!({ "agent": "reader", "task": "x".repeat(100_001), "inputs": [] })),
        ])),
        1 => Some(calls(&[task("reader", "Look")])),
        _ => Some(says("Done.")),
    });
    let stage = Stage::new(main).agent("reader", "", script([says("Seen.")]));
    stage.run("Look").await.unwrap();
    let output = stage.results("main", 2);
    for (output, expected) in output.iter().zip([
        "agent: there is no `readr`\nhint: did you mean `reader`?",
        "task: expected a text, got nothing",
        "unknown field `budget`",
        "hint: give `agent`, `task` and `inputs`",
        "task: expected at most 100000 bytes, got 100001",
        "\"done\"",
    ]) {
        assert!(output.contains(expected), "{output}");
    }
    assert_eq!(output.len(), 6);
}

#[tokio::test]
async fn whoever_waits_no_more_stops_all_that_work() {
    let main = script([calls(&[task("thinker", "1"), task("thinker", "2")])]);
    let thinker: Says = Box::new(|_, _| None);
    let stage = Stage::new(main).agent("thinker", "read-only: true\n", thinker);
    let mut run = Box::pin(stage.run("Think"));
    while stage.tree().len() < 2 {
        let soon = tokio::time::timeout(Duration::from_millis(20), &mut run);
        assert!(soon.await.is_err(), "nobody thinks");
    }
    drop(run);
    let tree = stage.tree();
    assert_eq!(tree.iter().filter(|it| it.ends_with("cancelled ")).count(), 2, "{tree:?}");
}

#[tokio::test(start_paused = true)]
async fn a_child_that_thinks_too_long_fails_and_leaves_time() {
    let main = script([calls(&[task("thinker", "Think")]), says("Without it.")]);
    let thinker: Says = Box::new(|_, _| None);
    let stage = Stage::new(main).agent("thinker", "read-only: true\n", thinker);
    let report = stage.run("Think").await.unwrap();
    assert_eq!(report.text, "Without it.");
    let why = result(&stage.results("main", 1)[0])["why"].as_str().unwrap().to_owned();
    assert!(why.contains("allow more time"), "{why}");
}
