//! The top of scripts: `return`, declarations, imports and exports, and forms of whole scripts.

mod fake;

use fake::{Fake, error, request, run, value};
use javascript::Engine;
use javascript::contract::exports::mitt::host::script::{Request, Value};

/// An interpreter that runs scripts one after another.
struct Session(Engine);

impl Session {
    fn new() -> Self {
        Self(Engine::new())
    }

    /// Returns the value, or class and message of the error.
    fn run(&mut self, code: &str) -> String {
        self.ask(&request(code))
    }

    fn with_inputs(&mut self, code: &str, inputs: &str) -> String {
        self.ask(&Request { inputs: Some(inputs.to_owned()), ..request(code) })
    }

    fn ask(&mut self, asked: &Request) -> String {
        match self.0.run(Box::new(Fake::default()), asked) {
            Ok(Value::Json(text) | Value::Repr(text)) => text,
            Ok(Value::Nothing) => "nothing".to_owned(),
            Err(failed) => format!("{}: {}", failed.class, failed.message),
        }
    }
}

/// Asserts class and place of an error, and a part of its message.
fn fails(code: &str, class: &str, part: &str, line: u32, column: u32) {
    let failed = error(code);
    assert_eq!(failed.class, class, "{code}\n{}", failed.traceback);
    assert!(failed.message.contains(part), "{code}\n{}", failed.traceback);
    let place = (failed.line, failed.column);
    assert_eq!(place, (Some(line), Some(column)), "{code}\n{}", failed.traceback);
}

#[test]
fn a_return_ends_the_script() {
    for (code, expected) in [
        ("return 1; 2", "1"),
        ("return", "nothing"),
        ("5; return", "nothing"),
        ("if (true) { return 1 }", "1"),
        ("if (false) { return 1 } else if (true) return 2; 3", "2"),
        ("{ { return { a: 1 } } }", r#"{"a":1}"#),
        (
            "for (const n of [1, 4, 9]) { if (n % 2 === 0) { return `found ${n}` } }\n'none'",
            "\"found 4\"",
        ),
        ("for await (const n of [Promise.resolve(3)]) return n", "3"),
        ("for (const k in { a: 1 }) { return k }", "\"a\""),
        ("let n = 0; while (true) { n++; if (n === 5) return n; }", "5"),
        ("let n = 0; do { return ++n } while (true)", "1"),
        ("outer: for (;;) { for (;;) { break outer } }\nreturn 'x'", "\"x\""),
        ("switch (2) { case 1: return 'a'; case 2: { return 'b' } }", "\"b\""),
        (
            "try { await tools.a_tool.fail(); return 'passed' } catch { return 'caught' }",
            "\"caught\"",
        ),
        ("try { return 'a' } finally { console.log('b') }", "\"a\""),
        ("try { return 'a' } finally { return 'b' }", "\"b\""),
        ("for (const n of [1]) { try { return n } finally { continue } }\n'end'", "\"end\""),
        ("return await tools.a_tool.echo('x')", r#"{"value":"x"}"#),
        ("return tools.a_tool.echo('x')", r#"{"value":"x"}"#),
        ("return async () => 7", "7"),
        ("return\n8", "nothing"),
        ("with ({ a: 9 }) { return a }", "9"),
        ("'use strict'; if (1) { return this === undefined || this === globalThis }", "true"),
        // With types.
        ("const a: number[] = [1];\nif (a.length) { return a[0] as number }", "1"),
        (
            "import { type Row } from 'a-tool';\ntry { return <any>2 } catch (e: unknown) { return null }",
            "2",
        ),
        (
            "interface A { b: string }\nswitch (1 as number) { case 1: return { b: 'c' } satisfies A }",
            r#"{"b":"c"}"#,
        ),
        // With imports and exports.
        ("import { echo } from 'a-tool';\nif (true) { return (await echo('x')).value }", "\"x\""),
        ("export const a = 2;\nreturn a;", "2"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    // What follows does not run.
    let (done, host) = run("if (true) { console.log('a'); return 1 }\nconsole.log('b')");
    assert!(done.is_ok());
    assert_eq!(host.0.borrow().stdout, "a\n");
}

#[test]
fn the_last_expression_is_the_value_beside_a_return() {
    for (code, expected) in [
        ("const n = 6;\nif (n < 3) return 'few';\n'many';", "\"many\""),
        ("const n = 6;\nif (n < 3) { return 'few' }\n({ n })", r#"{"n":6}"#),
        ("try { if (false) { return 1 } } catch {}\nawait Promise.resolve(2)", "2"),
        ("for (const n of []) { return n }\nconst f = () => { return 3 }\nf()", "3"),
        ("if (false) return 1;\nasync () => 4", "4"),
        ("if (false) return 1;\nfunction f() { return 5 }", "nothing"),
        ("const n: number = 6;\nif (n < 3) return 'few';\nn as any", "6"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
}

#[test]
fn a_return_elsewhere_is_what_it_was() {
    for (code, expected) in [
        (
            "const f = () => { return 1 }; class A { m() { return 2 } get p() { return 3 } }\n[f(), new A().m(), new A().p]",
            "[1,2,3]",
        ),
        ("[1, 2].map((n) => { if (n > 1) { return 'b' } return 'a' })", r#"["a","b"]"#),
        (
            "const o = { return: 1, async *g() { return 2 } }; [o.return, 'return 1', `return ${o.return}`, /return/.source]",
            r#"[1,"return 1","return 1","return"]"#,
        ),
        ("// return 1\n/* return 2 */ 3", "3"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    for code in
        ["eval('return 1')", "new Function('}; return 1; {')", "class A { static { return 1 } }"]
    {
        assert_eq!(error(code).class, "SyntaxError", "{code}");
    }
    fails(
        "const o = {};\nif (o.x) { return 1; }\nreturn o.x.y;",
        "TypeError",
        "'y' of undefined",
        3,
        8,
    );
    fails("try {\n  return a.b;\n} finally { }", "ReferenceError", "a is not defined", 2, 10);
}

#[test]
fn constants_are_constant() {
    fails("const total = 0;\ntotal += 5;\ntotal;", "TypeError", "'total' is read-only", 2, 1);
    fails(
        "const total: number = 0;\nfor (let i = 0; i < 2; i++) total++;",
        "TypeError",
        "read-only",
        2,
        29,
    );
    fails("const f = () => { a = 2 };\nconst a = 1;\nf()", "TypeError", "read-only", 1, 19);
    fails(
        "const total = rate * 2; const rate = 0.5; total",
        "ReferenceError",
        "rate is not initialized",
        1,
        15,
    );
    fails("f();\nlet late = 1;\nfunction f() { return late }", "ReferenceError", "late", 3, 23);
}

#[test]
fn declarations_have_their_meaning() {
    for (code, expected) in [
        ("let a = 1; a += 1; var b = a; b += 1; [a, b]", "[2,3]"),
        ("typeof f; class A {} function f() {}", "\"function\""),
        ("let a; const { b, c: [d] } = { b: 1, c: [2] }; [a ?? null, b, d]", "[null,1,2]"),
        ("const f = () => later; const later = 3; f()", "3"),
        ("class A { static n = 1 } class B extends A {} [A.name, B.n]", r#"["A",1]"#),
        (
            "{ let a = 1 } for (let i = 0; i < 1; i++) {} [typeof a, typeof i]",
            r#"["undefined","undefined"]"#,
        ),
        ("const Map = 3, name = 4; let Promise = 5; await null; [Map, name, Promise]", "[3,4,5]"),
        (
            "const documents = ['x'], help = 'h'; let codemode = 'c'; var mitt = 1; [documents, help, codemode, mitt]",
            r#"[["x"],"h","c",1]"#,
        ),
        // Declared again: the names of one script that was put together of several.
        ("let total = 1; let total = 2; total", "2"),
        ("const x = 1;\nconst x = x + 1;\nx", "2"),
        ("const x = 1; let x; x ?? 'none'", "\"none\""),
        ("var x = 1; const x = 2; x", "2"),
        ("const x = 1; var x = 2; x", "2"),
        ("let i = 1; for (var i = 0; i < 3; i++) {} i", "3"),
        ("const f = () => 2; function f() { return 1 } f()", "2"),
        ("function f() { return 1 } const f = () => 2; f()", "2"),
        ("class A { v = 1 } class A { v = 2 } new A().v", "2"),
        ("const { a } = { a: 1 }; const { a, b } = { a: 2, b: 3 }; [a, b]", "[2,3]"),
        (
            "import { echo } from 'a-tool'; import { echo } from 'a_tool'; typeof echo",
            "\"function\"",
        ),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    for code in [
        "function f() { let a = 1; let a = 2 }",
        "{ const a = 1; const a = 2 }",
        "(a, a) => 1",
        "const undefined = 1",
        "let let_ = 1, let = 2",
    ] {
        assert_eq!(error(code).class, "SyntaxError", "{code}");
    }
}

#[test]
fn later_scripts_may_declare_names_again() {
    let mut session = Session::new();
    let declared =
        "const a = 1; let b = [2]; var c = 3; class D { v = 4 }\nfunction e() { return a + 4 }";
    let all = "[a, b, c, new D().v, e()]";
    assert_eq!(session.run(declared), "nothing");
    assert_eq!(session.run(all), "[1,[2],3,4,5]");
    assert_eq!(session.run(&format!("{declared}\n{all}")), "[1,[2],3,4,5]");
    // In each other way; functions see the new variables.
    assert_eq!(
        session.run("let a = 10; var b = 20; const c = 30; function D() { this.v = 40 }"),
        "nothing"
    );
    assert_eq!(session.run("a += 1; e() === a + 4 && [a, b, c, new D().v]"), "[11,20,30,40]");
    assert_eq!(session.run("c = 1"), "TypeError: 'c' is read-only");
    assert_eq!(session.run("const e = 50; var a = 60; let D = 70; [a, e, D]"), "[60,50,70]");
    assert_eq!(session.run("function a() { return 80 } [a(), e]"), "[80,50]");
    assert_eq!(
        session.run("class a {} var e; let c; [typeof a, e, typeof c, b]"),
        r#"["function",50,"undefined",20]"#
    );
    // A script that the interpreter refuses has changed nothing; one that fails has declared its names.
    assert!(session.run("const b = 1; const = 2").starts_with("SyntaxError"));
    assert_eq!(session.run("b"), "20");
    assert_eq!(
        session.run("const x = missing; const y = 1"),
        "ReferenceError: missing is not defined"
    );
    assert!(session.run("x").starts_with("ReferenceError: x is not initialized"));
    assert_eq!(session.run("const x = 1; const y = x + 1; y"), "2");
    // Variables of a script that returned are kept.
    assert_eq!(session.run("const kept = 5; if (kept) { return kept } let never = 1"), "5");
    assert_eq!(session.run("kept + 1"), "6");
    assert!(session.run("never").starts_with("ReferenceError"));
    assert_eq!(session.run("import { echo as b } from 'a-tool'; typeof b"), "\"function\"");
    assert_eq!(session.run("const b = 1; b"), "1");
    for n in 0..300 {
        assert_eq!(session.run(&format!("const v{} = {n}, w = {n}; w", n % 20)), n.to_string());
    }
    assert_eq!(session.run("[v0, v19, w]"), "[280,299,299]");
}

#[test]
fn names_of_the_environment_are_new_in_each_script() {
    let mut session = Session::new();
    let code = "const documents = 1, tools = 2, inputs = 3, console = 4, year = 5, text = 6; [documents, year, text]";
    assert_eq!(session.run(code), "[1,5,6]");
    // Inputs hide variables of earlier scripts, other names of the environment do not.
    assert_eq!(
        session.with_inputs("[documents.names.length, year, inputs.year, text]", r#"{"year": 7}"#),
        "[1,7,7,6]"
    );
    assert_eq!(session.with_inputs("const year = inputs.year + 1; year", r#"{"year": 8}"#), "9");
    assert_eq!(
        session.run("[year, typeof tools, typeof console.log]"),
        r#"[9,"object","function"]"#
    );
}

#[test]
fn functions_that_are_the_whole_script_are_called() {
    for (code, expected) in [
        ("async () => 1", "1"),
        ("async (input) => typeof input", "\"object\""),
        ("async ({ year }) => year ?? 'none'", "\"none\""),
        ("async function () {\n  return 8;\n}", "8"),
        ("// Gives 8.\nasync function (inputs) { return inputs.a ?? 8 };\n", "8"),
        ("function () { return tools.a_tool.echo('x') }", r#"{"value":"x"}"#),
        ("const x = 9\nasync function () { return x }", "9"),
        (
            "async function (a: number): Promise<{ b: string }> { return { b: 'c' } as any }",
            r#"{"b":"c"}"#,
        ),
        ("export default async function () { return 10 }", "10"),
        ("export default function ({ a = 11 }) { return a }\n[1]", "[1]"),
        ("export default function ({ a = 11 }) { return a }", "11"),
        ("export default async function run() { return 12; }", "12"),
        (
            "export default async function run(a, b) { return [typeof a, typeof b]; }",
            r#"["object","undefined"]"#,
        ),
        (
            "export default async function run(): Promise<number> { return helper() }\nfunction helper() { return 13 }",
            "13",
        ),
        (
            "import { echo } from 'a-tool';\nexport default async (input) => (await echo('x')).value",
            "\"x\"",
        ),
        ("async function main() { return 14 }\nexport default main;", "14"),
        ("const main = () => 15; export default main", "15"),
        ("export default class A {}", "nothing"),
        ("export default { a: 1 }", r#"{"a":1}"#),
        // Not called: declared, named, or with parameters that nothing passes.
        ("async function main() { return 1 }", "nothing"),
        ("const main = async () => 1; main", "[Function: main]"),
        ("(async function run() { return 9; })", "[Function: run]"),
        ("(a, b) => a + b", "[Function]"),
        ("(class {})", "[class]"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    // Once, although the script calls it, too.
    let (done, host) =
        run("export default async function main() { console.log('once') }\nawait main();");
    assert!(done.is_ok(), "{done:?}");
    assert_eq!(host.0.borrow().stdout, "once\n");
    let mut session = Session::new();
    for code in [
        "async ({ year }) => year + 1",
        "export default async function run(input) { return input.year + 1 }",
    ] {
        assert_eq!(session.with_inputs(code, r#"{"year": 2024}"#), "2025", "{code}");
    }
    // The function of an earlier script is a variable.
    assert_eq!(session.run("run"), "[Function: run]");
    fails("async function () {\n  return missing;\n}", "ReferenceError", "missing", 2, 10);
    fails(
        "export default async function run() {\n  return missing; }",
        "ReferenceError",
        "missing",
        2,
        10,
    );
}

#[test]
fn an_object_at_the_end_needs_no_parentheses() {
    for (code, expected) in [
        ("const v = [1, 2];\n{ total: v[0] + v[1], mean: 1.5 }", r#"{"total":3,"mean":1.5}"#),
        (
            "const rows = [{ a: 1 }, { a: 2 }]\n{\n  rows: rows.length,\n  first: rows[0],\n};\n",
            r#"{"rows":2,"first":{"a":1}}"#,
        ),
        ("const base = { a: 1 };\n{ ...base, b: 2 }", r#"{"a":1,"b":2}"#),
        ("{ 'a': 1, [`b`]: 2 }", r#"{"a":1,"b":2}"#),
        ("String(1)\n{ a: await 1, b() { return 2 }, c: {} }", r#"{"a":1,"c":{}}"#),
        ("const n: number = 1;\n{ n, m: n as number }", r#"{"n":1,"m":1}"#),
        (
            "import { echo } from 'a-tool';\nif (false) { return 1 }\n{ a: (await echo('x')).value, b: `}` }",
            r#"{"a":"x","b":"}"}"#,
        ),
        ("const total = 3, mean = 1.5;\n{ total, mean }", r#"{"total":3,"mean":1.5}"#),
        ("const a: number = 1, b = 2; if (!a) { return 0 }\n{\n  a,\n  b\n};", r#"{"a":1,"b":2}"#),
        ("const a = 1, b = 2; export { a, b }", "nothing"),
        ("let a = 1, b = 2; if (a) { a, b }", "2"),
        ("let a = 1, b = 2; if (a)\n{ a, b }", "2"),
        ("let a = 1, b = 2; function f()\n{ a, b }", "nothing"),
        ("let a = 1, b = 2; function f(): void\n{ a, b }\n", "nothing"),
        ("const f = (a, b) => { a, b }; f(1, 2) ?? 'none'", "\"none\""),
        // A block by the language.
        ("const total = 3;\n{ total }", "3"),
        ("{ a: 1 }", "1"),
        ("let n = 1;\n{\n  n += 2;\n  n;\n}", "3"),
        ("{}", "nothing"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    fails("const a = 1;\n{ a: 1, b: missing }", "ReferenceError", "missing", 2, 12);
    fails("{ a: 1, b: missing };  ", "ReferenceError", "missing", 1, 12);
    fails("const a = 1;\n{ a, missing }", "ReferenceError", "missing", 2, 1);
    fails("const = 1;\n{ a, b }", "SyntaxError", "", 1, 7);
    // The error is that of the script as it was written.
    fails("const = 1;\n{ a: 1, b: 2 }", "SyntaxError", "", 1, 7);
    fails("return\n{ a: 1, b: 2 }", "SyntaxError", "", 2, 10);
    fails("enum A { B }\n{ a: 1, b: A.B as number }", "SyntaxError", "`enum A` has values", 1, 1);
    fails("if (true)\n{ a: 1, b: 2 }", "SyntaxError", "", 2, 10);
}

#[test]
fn imports_run_first() {
    for (code, expected) in [
        ("const kind = typeof echo;\nimport { echo } from 'a-tool';\nkind", "\"function\""),
        ("const { value } = await echo('x');\nvalue\nimport { echo } from 'a-tool'", "\"x\""),
        (
            "f();\nimport * as a from 'a-tool'\nfunction f() { return a.echo }\ntypeof f()",
            "\"function\"",
        ),
        (
            "if (typeof echo !== 'function') { return 'late' }\nimport { echo } from 'a-tool';\n'early'",
            "\"early\"",
        ),
        (
            "const kind: string = typeof echo;\nimport { echo, type Row } from 'a-tool';\nkind as string",
            "\"function\"",
        ),
        (
            "'use strict';\nimport { echo } from 'a-tool';\n(() => { try { undeclared = 1 } catch { return 'strict' } })()",
            "\"strict\"",
        ),
        (
            "'use strict'\nconst kind = typeof echo\nimport { echo } from 'a-tool'\n;(() => { try { undeclared = 1 } catch { return kind } })()",
            "\"function\"",
        ),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    fails("const a = 1;\n  import { b } from 'a_tol';", "Error", "no module `a_tol`", 2, 3);
    fails("const a = missing;\nimport { echo } from 'a-tool';", "ReferenceError", "missing", 1, 11);
    fails("import { echo } from 'a-tool';\necho = 1", "TypeError", "read-only", 2, 1);
}

#[test]
fn errors_in_other_lines_of_an_expression_have_their_line() {
    fails("const a = 1\n[1, 2].forEach((n) => n)", "TypeError", "'forEach' of undefined", 2, 1);
    fails("const rows = { a: 1 };\nrows\n  .b\n  .c\n  .d", "TypeError", "'c' of undefined", 4, 3);
    fails("const a: number = 1\n[0].b.c", "TypeError", "'b' of undefined", 2, 1);
}

#[test]
fn a_fence_around_a_script_is_left_out() {
    for (code, expected) in [
        ("```js\nconst total = 1 + 2;\ntotal;\n```", "3"),
        (
            "\n```typescript\r\nconst a: number = 1;\r\nif (a) { return `\\`\\`\\``; }\r\n```\r\n",
            "\"```\"",
        ),
        ("```\nasync () => 4\n```\n\n", "4"),
        ("```javascript\n{ a: 1, b: 2 }", r#"{"a":1,"b":2}"#),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    fails("```js\nconst a = 1;\n  missing;\n```", "ReferenceError", "missing", 3, 3);
    fails(
        "```js\n1\n```\nThe result is 1.",
        "SyntaxError",
        "unexpected text behind the fence",
        4,
        1,
    );
    let hint = error("```js\n1\n```\nThe result is 1.").traceback;
    assert!(hint.ends_with("hint: send the script alone, without words around it"), "{hint}");
    assert_eq!(error("Here is the script:\n\n```js\n1\n```").class, "SyntaxError");
}
