//! Calls without `await`, names of other programs, and what errors of calls name.

mod fake;

use fake::{error, run, value};
use javascript::contract::exports::mitt::host::script::Value;

#[test]
fn a_forgotten_await_is_named() {
    for (code, lost, line) in [
        ("const r = tools.a_tool.echo('x');\nr.value", "which has no `value`", 2),
        ("const { value } = tools.a_tool.echo('x')", "which has no `value`", 1),
        ("const r = codemode.a_tool__echo('x');\nr.data[0]", "which has no `data`", 2),
        ("import { echo } from 'a-tool';\necho('x').map((x) => x)", "which has no `map`", 2),
        ("tools.a_tool.echo('x').length", "which has no `length`", 1),
        ("for (const x of tools.a_tool.echo('x')) x", "which is not iterable", 1),
        ("[...tools.a_tool.echo('x')]", "which is not iterable", 1),
        ("console.log(JSON.stringify(tools.a_tool.echo('x')))", "which has no JSON form", 1),
        ("JSON.stringify({ r: tools.a_tool.echo('x') })", "which has no JSON form", 1),
    ] {
        let failed = error(code);
        assert_eq!(failed.class, "TypeError", "{code}");
        assert_eq!(
            failed.message,
            format!("a_tool.echo returns a promise, {lost}: write `await` before the call"),
            "{code}"
        );
        assert_eq!(failed.line, Some(line), "{code}");
    }
    for (code, name) in [
        ("load('x').a", "load"),
        ("mitt.read('x').split(',')", "mitt.read"),
        ("mitt.call('a_tool__echo', { value: 1 }).value", "mitt.call"),
    ] {
        assert!(error(code).message.starts_with(&format!("{name} returns a promise, ")), "{code}");
    }
}

#[test]
fn promises_of_calls_are_promises() {
    for (code, expected) in [
        (
            "p instanceof Promise && p.constructor === Promise && typeof p.then === 'function'",
            "true",
        ),
        (
            "[typeof p, Object.prototype.toString.call(p), String(p), Object.keys(p)]",
            r#"["object","[object Promise]","[object Promise]",[]]"#,
        ),
        ("(await Promise.all([p, p, 1])).length", "3"),
        ("(await Promise.race([p])).value", "\"x\""),
        (
            "(await Promise.any([p])).value + (await Promise.allSettled([p]))[0].status",
            "\"xfulfilled\"",
        ),
        ("(await p.then((r) => r.value).finally(() => 1))", "\"x\""),
        ("await tools.a_tool.fail().catch((e) => e.kind)", "\"plugin\""),
        ("Promise.resolve(p) === p", "true"),
        ("p", r#"{"value":"x"}"#),
        ("const f = async () => p; (await f()).value", "\"x\""),
        (
            "'then' in p && p.$$typeof === undefined && p.nodeType === undefined && p.hasOwnProperty('x') === false",
            "true",
        ),
        ("p.note = 1; p.note", "1"),
        ("for await (const r of [p]) r.value", "\"x\""),
    ] {
        let code = format!("const p = tools.a_tool.echo('x');\n{code}");
        assert_eq!(value(&code), expected, "{code}");
    }
    let (done, host) = run("console.log(tools.a_tool.echo('x'), [tools.a_tool.echo('x')])");
    assert!(done.is_ok());
    assert_eq!(host.0.borrow().stdout, "Promise [ Promise ]\n");
}

#[test]
fn exit_ends_a_script() {
    for code in [
        "text('a'); exit(); text('b')",
        "text('a'); exit(0); text('b')",
        "try { text('a'); exit() } catch { text('caught') } finally { text('finally') }",
        "text('a'); await tools.a_tool.echo(1); exit(); text('b')",
        "const f = async () => { await null; text('a'); exit() };\nawait f().catch(() => text('caught')); text('b')",
        "const f = async () => { await null; text('a'); exit() };\nf(); await tools.a_tool.echo(1); await new Promise(() => {})",
        "setTimeout(() => { text('a'); exit() }); await new Promise((ok) => setTimeout(ok, 10)); text('b')",
        "import { exit } from 'mitt'; if (true) { text('a'); exit() } text('b')",
        "[1].forEach(() => { text('a'); mitt.exit() }); text('b')",
        "text('a'); exit(); return 5",
    ] {
        let (done, host) = run(code);
        assert!(matches!(done, Ok(Value::Nothing)), "{code}: {done:?}");
        assert_eq!(
            (host.0.borrow().stdout.as_str(), host.0.borrow().stderr.as_str()),
            ("a\n", ""),
            "{code}"
        );
    }
    assert_eq!(error("exit(2)").message, "the script ended by exit(2)");
    // The next script of the interpreter runs as usual, and goes on with nothing of the last one.
    let mut engine = javascript::Engine::new();
    let host = fake::Fake::default();
    let mut done = |code| engine.run(Box::new(host.clone()), &fake::request(code));
    for code in [
        "const f = async () => { await null; await null; text('late') };\nf(); f(); exit()",
        "setTimeout(() => text('late')); const f = async () => { await null; text('late') };\nf(); exit()",
    ] {
        assert!(matches!(done(code), Ok(Value::Nothing)), "{code}");
    }
    assert!(
        done(
            "setTimeout(() => { Promise.resolve().then(() => text('late')); throw new Error('x') })"
        )
        .is_err()
    );
    assert!(matches!(done("globalThis.a = 1; exit()"), Ok(Value::Nothing)));
    assert!(matches!(done("await null; a + 1"), Ok(Value::Json(text)) if text == "2"));
    assert_eq!(host.0.borrow().stdout, "");
}

#[test]
fn names_of_other_programs_work_or_say_what_does() {
    for (code, expected) in [
        ("ALL_TOOLS.map((tool) => tool.name)[0]", "\"a_tool__echo\""),
        (
            "ALL_TOOLS.find((tool) => /echo/.test(tool.name)).description",
            "\"Does echo.\\nAnd more.\"",
        ),
        ("const ALL_TOOLS = 5; ALL_TOOLS", "5"),
        ("import { ALL_TOOLS } from 'mitt'; ALL_TOOLS.length", "5"),
        ("import { tools } from 'mitt'; (await tools.a_tool.echo('x')).value", "\"x\""),
        (
            "import { documents, inputs, load, Table } from 'mitt'; [documents.length, inputs, typeof load, typeof Table]",
            r#"[1,{},"function","function"]"#,
        ),
        ("import * as m from 'mitt'; typeof m.tools.a_tool.echo", "\"function\""),
        ("import mitt from 'mitt'; typeof mitt.call", "\"function\""),
        ("const { tools } = require('mitt'); typeof tools.a_tool", "\"object\""),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    for (code, words) in [
        ("notify('x')", "hint: use text(value) or console.log(value)"),
        ("image(5)", "hint: a script shows text only"),
        ("await yield_control()", "hint: leave it out"),
        (
            "import { callTool } from 'mitt'",
            "mitt has no member `callTool`; there are: arguments, call, ",
        ),
        ("mitt.reed('x')", "mitt has no member `reed`; did you mean `read`?"),
    ] {
        let traceback = error(code).traceback;
        assert!(traceback.contains(words), "{code}: {traceback}");
    }
}

#[test]
fn an_error_names_what_is_called_and_what_is_iterated() {
    for (code, message, line, column) in [
        ("const a = {}; a.totals()", "a.totals is not a function", 1, 16),
        ("const a = {};\na.b(1, [2].map((x) => x))", "a.b is not a function", 2, 3),
        ("const a = {};\na.b?.c; a.b(\n  [1].map((x) => x),\n)", "a.b is not a function", 2, 11),
        ("const a = [];\na.filterr((x) => x)[0]", "a.filterr is not a function", 2, 3),
        ("const f = 5; f()", "f is not a function", 1, 14),
        ("function g(cb) { return cb(1) }\ng()", "cb is not a function", 1, 25),
        ("import { growth } from 'a-tool/rows'; growth(1)", "growth is not a function", 1, 39),
        (
            "const r: any = {};\nr.data.rows?.x; r.map((x: number): number => x)",
            "cannot read property 'rows' of undefined",
            2,
            1,
        ),
        ("const r: any = {};\nr.map((x: number): number => x)", "r.map is not a function", 2, 3),
        ("const f = () => 5;\nf()()", "not a function", 2, 1),
        ("[1].map(undefined)", "not a function: an argument of `map`", 1, 4),
        ("[2, 1].sort({})", "not a function: an argument of `sort`", 1, 7),
        ("new Set(5)", "value is not iterable: an argument of `Set`", 1, 5),
        ("const o = {};\nfor (const x of o) x", "o is not iterable", 2, 17),
        ("const o = { a: 1 };\nfor (const [k, v] of o.a) k", "o.a is not iterable", 2, 22),
        ("const o = { a: 1 };\nconst [p, q] = o.a;", "o.a is not iterable", 2, 7),
        ("const o = {};\nMath.max(...o.a)", "o.a is undefined, which is not iterable", 2, 13),
    ] {
        let failed = error(code);
        assert_eq!(failed.message, message, "{code}");
        assert_eq!(
            (failed.line, failed.column),
            (Some(line), Some(column)),
            "{code}\n{}",
            failed.traceback
        );
    }
}

#[test]
fn long_lists_are_printed_in_few_lines() {
    let (done, host) = run(
        "console.log(Array.from({ length: 120 }, (_, i) => i));\nconsole.log({ a: Array.from({ length: 30 }, (_, i) => i + 0.5) });\n\
         console.log([1, 2, 3, 4, 5, 6, 7], new Float64Array(30));\nconsole.log(Array.from({ length: 8 }, (_, i) => ({ name: 'a longer name ' + i })))",
    );
    assert!(done.is_ok());
    let stdout = host.0.borrow().stdout.clone();
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(
        lines[1],
        "  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,"
    );
    assert_eq!(lines[6], "  97, 98, 99, ... 20 more items", "{stdout}");
    assert!(stdout.contains("{\n  a: [\n    0.5, 1.5, 2.5, "), "{stdout}");
    assert!(
        stdout.contains("]\n}\n[ 1, 2, 3, 4, 5, 6, 7 ] Float64Array(30) [\n  0, 0, 0, "),
        "{stdout}"
    );
    // Longer items stand in a line each.
    assert!(
        stdout.ends_with("  { name: 'a longer name 6' },\n  { name: 'a longer name 7' }\n]\n"),
        "{stdout}"
    );
    assert!(lines.iter().all(|line| line.len() <= 78), "{stdout}");
}
