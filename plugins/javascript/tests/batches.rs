//! Calls that wait together are made by one batch: their order, their failures, and what makes them earlier.

mod fake;

use fake::{Fake, error, request, run, value};
use javascript::Engine;
use javascript::contract::exports::mitt::host::script::{Uncaught, Value};

/// Returns the sizes of the batches that a script makes, and all its calls.
fn made(code: &str) -> (Vec<usize>, Vec<String>) {
    let (done, host) = run(code);
    if let Err(failed) = done {
        panic!("{code}\n{}", failed.traceback);
    }
    let state = host.0.borrow();
    (state.batches.clone(), state.calls.clone())
}

/// Runs a script with a host that makes some calls of each batch.
fn made_in_parts(code: &str, made_at_once: usize) -> (Result<Value, Uncaught>, Fake) {
    let host = Fake::default();
    host.0.borrow_mut().made_at_once = made_at_once;
    (Engine::new().run(Box::new(host.clone()), &request(code)), host)
}

fn echo(value: u32) -> String {
    format!("a_tool__echo {{\"value\":{value}}}")
}

/// Prefix of scripts: `echo` and `fail`.
const TOOLS: &str = "const { echo, fail } = tools.a_tool;\n";

#[test]
fn calls_that_wait_together_are_one_batch() {
    for (code, batches) in [
        ("await Promise.all([1, 2, 3].map((value) => echo({ value })))", &[3][..]),
        ("await Promise.all([echo(1), 5, new Promise((ok) => setTimeout(ok, 5)), echo(2)])", &[2]),
        ("const a = echo(1), b = echo(2); (await a).value + (await b).value", &[2]),
        // Each step of both chains.
        (
            "const f = async (n) => { await echo(n); await echo(n + 2) };\nawait Promise.all([f(1), f(2)])",
            &[2, 2],
        ),
        (
            "const f = async () => { await echo(1) }, g = async () => { await null; await echo(2) };\nawait Promise.all([f(), g()])",
            &[2],
        ),
        ("await Promise.allSettled([echo(1), fail(), echo(2)])", &[3]),
        ("await Promise.race([echo(1), echo(2)])", &[2]),
        ("await Promise.any([fail(), echo(2)])", &[2]),
        ("for await (const one of [echo(1), echo(2)]) one.value", &[2]),
        ("[echo(1), echo(2)]", &[2]),
        ("await Promise.all([mitt.call('a_tool__echo', { value: 1 }), echo(2)])", &[2]),
        (
            "setTimeout(() => { echo(1); echo(2) }); await new Promise((ok) => setTimeout(ok, 5))",
            &[2],
        ),
        // One call is made as ever.
        ("await Promise.all([echo(1)])", &[]),
        ("await echo(1); await echo(2)", &[]),
        ("for (const n of [1, 2, 3]) await echo(n)", &[]),
        ("echo(1)", &[]),
    ] {
        let (made, calls) = made(&format!("{TOOLS}{code}"));
        assert_eq!(made, batches, "{code}");
        assert!(!calls.is_empty(), "{code}");
    }
}

#[test]
fn results_and_what_follows_are_in_the_order_of_the_calls() {
    let all =
        "(await Promise.all([3, 1, 2].map((value) => echo({ value })))).map((one) => one.value)";
    assert_eq!(value(&format!("{TOOLS}{all}")), "[3,1,2]");
    let order = "const seen = [];\nconst one = async (n) => { await echo(n); seen.push(n) };\n\
        await Promise.all([one(3), one(1), echo(2).then(() => seen.push(2))]); seen";
    assert_eq!(value(&format!("{TOOLS}{order}")), "[3,1,2]");
    let (_, calls) = made(&format!("{TOOLS}await Promise.all([echo(3), echo(1), echo(2)])"));
    assert_eq!(calls, [echo(3), echo(1), echo(2)]);
    // The first result is the first call's, whichever the host made first.
    assert_eq!(value(&format!("{TOOLS}(await Promise.race([echo(3), echo(1)])).value")), "3");
}

#[test]
fn a_failure_is_that_of_its_call() {
    let settled = "(await Promise.allSettled([echo(1), fail(), echo(2)]))\n\
        .map((one) => one.value?.value ?? [one.reason.kind, one.reason.tool, one.reason.message])";
    assert_eq!(
        value(&format!("{TOOLS}{settled}")),
        r#"[1,["plugin","a_tool__fail","it fails"],2]"#
    );
    let own = "const a = echo(1), b = fail().catch((error) => error.message), c = echo(2);\n\
        [(await a).value, await b, (await c).value]";
    assert_eq!(value(&format!("{TOOLS}{own}")), r#"[1,"it fails",2]"#);
    // All calls are made, and the error has the line of the call that failed.
    let code = format!(
        "{TOOLS}const all = [\n  echo(1),\n  fail(),\n  echo(2),\n];\nawait Promise.all(all)"
    );
    let (done, host) = run(&code);
    let failed = done.unwrap_err();
    assert_eq!(
        (failed.class.as_str(), failed.line),
        ("ToolError", Some(4)),
        "{}",
        failed.traceback
    );
    assert!(failed.traceback.contains("    fail(),\n"), "{}", failed.traceback);
    assert_eq!((host.0.borrow().calls.len(), host.0.borrow().batches[0]), (3, 3));
    // A failure that a function made has the frames of that function.
    let failed = error(&format!(
        "{TOOLS}async function f(n) {{\n  if (n) return fail();\n  return echo(n);\n}}\nawait Promise.all([f(0), f(1)])"
    ));
    assert_eq!(failed.line, Some(3), "{}", failed.traceback);
    assert!(failed.traceback.contains("line 3") && failed.traceback.contains(", in f"));
    // Nothing handles it.
    let failed = error(&format!("{TOOLS}echo(1);\nfail();\nawait echo(2); 5"));
    assert_eq!((failed.message.as_str(), failed.line), ("it fails", Some(3)));
    // What is no argument is refused at once, and the other calls are made.
    let (done, host) =
        run(&format!("{TOOLS}await Promise.all([echo(1), echo(new Map()), echo(2)])"));
    assert_eq!(done.unwrap_err().class, "TypeError");
    assert_eq!(host.0.borrow().calls, [echo(1), echo(2)]);
}

#[test]
fn a_call_has_the_arguments_of_its_time() {
    let code = "const value = [1], a = echo({ value }); value.push(2); const b = echo({ value }); value.length = 0;\n\
        (await Promise.all([a, b])).map((one) => one.value)";
    assert_eq!(value(&format!("{TOOLS}{code}")), "[[1],[1,2]]");
    // An argument that makes calls while it is read.
    let code = "const value = { toJSON() { echo(7); return 1 } }; await Promise.all([echo({ value }), echo(2)])";
    assert_eq!(made(&format!("{TOOLS}{code}")), (vec![3], vec![echo(7), echo(1), echo(2)]));
}

#[test]
fn a_call_is_made_even_if_nothing_waits_for_it() {
    for code in [
        "echo(1); echo(2); exit()",
        "echo(1); echo(2); 5",
        "setTimeout(() => { echo(1); echo(2); exit() }); await new Promise(() => {})",
        "const f = async () => { echo(1); await null; echo(2); exit() };\nf(); await new Promise((ok) => setTimeout(ok, 5))",
        "({ toJSON() { echo(1); echo(2); return 5 } })",
        "const f = async () => { await echo(1); echo(2) };\nf(); return 5",
    ] {
        let code = format!("{TOOLS}{code}");
        let (done, host) = run(&code);
        assert!(done.is_ok(), "{code}");
        assert_eq!(host.0.borrow().calls, [echo(1), echo(2)], "{code}");
    }
    for code in [
        "echo(1); echo(2); throw new Error('x')",
        "const f = async () => { await echo(1); await echo(2) };\nf(); throw new Error('x')",
        "setTimeout(() => { echo(1); echo(2); throw new Error('x') })",
        "echo(1); echo(2); null.a",
        "echo(1); echo(2); await new Promise(() => {})",
    ] {
        let code = format!("{TOOLS}{code}");
        let (done, host) = run(&code);
        assert!(done.is_err(), "{code}");
        assert_eq!(host.0.borrow().calls, [echo(1), echo(2)], "{code}");
    }
    // The next script of the interpreter has none of them.
    let (mut engine, host) = (Engine::new(), Fake::default());
    for _ in 0..2 {
        let code = "tools.a_tool.echo(1); tools.a_tool.echo(2); exit()";
        assert!(engine.run(Box::new(host.clone()), &request(code)).is_ok());
    }
    assert_eq!(host.0.borrow().batches, [2, 2]);
}

#[test]
fn files_documents_and_calls_are_in_the_order_of_the_script() {
    for (code, order) in [
        ("echo(1); await mitt.write('a', 'b'); echo(2)", &["1", "write a", "2"][..]),
        ("echo(1); mitt.read('a').catch(() => 5); echo(2)", &["1", "read a", "2"]),
        ("echo(1); mitt.remove('a').catch(() => 5); echo(2)", &["1", "remove a", "2"]),
        ("echo(1); mitt.files(); echo(2)", &["1", "files", "2"]),
        ("echo(1); store('a', 1); echo(2)", &["1", "write store-a.json", "2"]),
        ("echo(1); load('a'); echo(2)", &["1", "files", "2"]),
        ("echo(1); documents.length; echo(2)", &["1", "documents", "2"]),
        ("await Promise.all([echo(1), mitt.write('a', 'b'), echo(2)])", &["1", "write a", "2"]),
    ] {
        let code = format!("{TOOLS}{code}");
        let (done, host) = run(&code);
        assert!(done.is_ok(), "{code}");
        let order: Vec<String> = order
            .iter()
            .map(|step| step.parse().map_or_else(|_| (*step).to_owned(), echo))
            .collect();
        assert_eq!(host.0.borrow().order, order, "{code}");
        assert!(host.0.borrow().batches.is_empty(), "{code}");
    }
    // A promise that is kept is the result of its call.
    let code = format!("{TOOLS}await store('a', echo(1)); await load('a')");
    assert_eq!(value(&code), r#"{"value":1}"#);
}

#[test]
fn a_batch_has_a_thousand_calls_and_four_mebibytes_at_most() {
    let code = "const all = Array.from({ length: 2500 }, (_, n) => echo(n));\n\
        (await Promise.all(all)).reduce((sum, one) => sum + one.value, 0)";
    let (done, host) = run(&format!("{TOOLS}{code}"));
    assert!(matches!(done, Ok(Value::Json(sum)) if sum == "3123750"));
    assert_eq!(host.0.borrow().batches, [1_000, 1_000, 500]);
    assert!((0..2_500).map(echo).eq(host.0.borrow().calls.iter().cloned()));
    // And four mebibytes of arguments. A call with more is made alone.
    let code = "const all = [1, 1, 1, 1, 5, 1, 1].map((n) => echo('x'.repeat(n << 20)));\n\
        (await Promise.all(all)).map((one) => one.value.length >> 20)";
    let (done, host) = run(&format!("{TOOLS}{code}"));
    assert!(matches!(done, Ok(Value::Json(text)) if text == "[1,1,1,1,5,1,1]"));
    assert_eq!((host.0.borrow().batches.clone(), host.0.borrow().calls.len()), (vec![3, 2], 7));
}

#[test]
fn calls_that_the_host_leaves_are_made_by_the_next_batch() {
    let code = format!(
        "{TOOLS}const all = [1, 2, 3, 4, 5].map((n) => n === 4 ? fail() : echo(n));\n\
         (await Promise.allSettled(all)).map((one) => one.value?.value ?? one.reason.message)"
    );
    let (done, host) = made_in_parts(&code, 2);
    assert!(matches!(done, Ok(Value::Json(text)) if text == r#"[1,2,3,"it fails",5]"#));
    // The last one is alone.
    assert_eq!((host.0.borrow().batches.clone(), host.0.borrow().calls.len()), (vec![5, 3], 5));
    // Tables are opened before the others are made. The host keeps a hundred.
    let code = "const all = Array.from({ length: 150 }, (_, n) => tools.a_tool.made(3000 + n));\n\
        (await Promise.all(all)).map((one) => one.outcome.data.length).join() === all.map((_, n) => 3000 + n).join()";
    let (done, host) = made_in_parts(code, 40);
    assert!(matches!(done, Ok(Value::Json(text)) if text == "true"));
    assert_eq!(host.0.borrow().batches, [150, 110, 70, 30]);
    // A table that is gone fails its promise only, with the line of the call.
    let code = "const all = [];\nfor (let n = 0; n < 150; n++) {\n  all.push(tools.a_tool.made(3000));\n}\n";
    let settled =
        "(await Promise.allSettled(all)).filter((one) => one.status === 'fulfilled').length";
    assert_eq!(value(&format!("{code}{settled}")), "100");
    let failed = error(&format!("{code}await Promise.all(all)"));
    assert_eq!(
        (failed.message.as_str(), failed.line),
        ("no table `t:1`, which was let go", Some(3))
    );
}

#[test]
fn a_call_with_a_result_follows_those_before_it() {
    // References of results are valid for a hundred results, so that a call with one begins a batch.
    let code = "const { outcome } = await tools.a_tool.made(3000);\n\
        const all = Array.from({ length: 120 }, (_, n) => n % 2 ? tools.a_tool.echo(outcome.data) : tools.a_tool.made(3001));\n\
        (await Promise.all(all)).every((one) => one.value === undefined || one.value.$ref.startsWith('t:'))";
    let (done, host) = run(code);
    assert!(matches!(done, Ok(Value::Json(text)) if text == "true"));
    let state = host.0.borrow();
    assert!(state.batches.iter().all(|size| *size == 2), "{:?}", state.batches);
    // Each reference was among the latest hundred when its call was made.
    let mut results = 0;
    for call in &state.calls {
        match call.split_once("\"t:").and_then(|(_, rest)| rest.split_once('"')) {
            Some((number, _)) => assert!(results - number.parse::<i32>().unwrap() < 100, "{call}"),
            None => results += 1,
        }
    }
    // The table of a document is one for all time.
    let code = "const table = documents['2024.xlsx'].tables[0];\nawait Promise.all([1, 2].map(() => tools.a_tool.echo(table)))";
    assert_eq!(made(code).0, [2]);
}

#[test]
fn the_host_learns_the_line_of_the_first_call_and_the_output_before_it() {
    let code = format!(
        "{TOOLS}console.log('before');\nconst all = [\n  echo(1),\n  echo(2),\n];\nawait Promise.all(all)"
    );
    let (done, host) = run(&code);
    assert!(done.is_ok());
    assert_eq!(host.0.borrow().lines, [4]);
    let code = format!("{TOOLS}await echo(1);\nawait echo(2);\n[echo(3), echo(4)]");
    let (done, host) = run(&code);
    assert!(done.is_ok());
    assert_eq!(host.0.borrow().lines, [2, 3, 4]);
}
