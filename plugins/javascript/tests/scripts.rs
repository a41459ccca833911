//! Scripts with a fake host.

mod fake;

use fake::{Fake, error, request, run, value};
use javascript::Engine;
use javascript::contract::exports::mitt::host::script::{Request, Value};
use javascript::contract::types::Error;

#[test]
fn the_last_expression_is_the_value() {
    for (code, expected) in [
        ("1 + 1", "2"),
        ("const x = 1", "nothing"),
        ("null", "nothing"),
        ("undefined", "nothing"),
        ("", "nothing"),
        ("// only a comment", "nothing"),
        ("[1, 'a', null, true, 0.5, { k: [1, 2] }]", r#"[1,"a",null,true,0.5,{"k":[1,2]}]"#),
        ("await Promise.resolve(3)", "3"),
        ("const f = async () => 4; f()", "4"),
        ("async () => { const a = await 5; return { a } }", r#"{"a":5}"#),
        ("async function main() { return 6 }\nmain()", "6"),
        ("const a = 7\nreturn a", "7"),
        ("if (true) { 'x' } else { 'y' }", "\"x\""),
        ("new Date(0)", "\"1970-01-01T00:00:00.000Z\""),
        ("new Set([1])", "Set(1) { 1 }"),
        ("new Map([['a', 1n]])", "Map(1) { 'a' => 1n }"),
        ("NaN", "NaN"),
        ("Symbol('a')", "Symbol(a)"),
        ("new Uint8Array([1, 2])", "Uint8Array(2) [ 1, 2 ]"),
        ("const a = {}; a.a = a; a", "{ a: [Circular] }"),
        ("class P { x = 3 }\nnew P()", r#"{"x":3}"#),
        ("Object.create(null, { a: { value: 1, enumerable: true } })", r#"{"a":1}"#),
        ("({ toJSON() { return [8] } })", "[8]"),
        ("'\\ud800年'", "\"\u{fffd}年\""),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
}

#[test]
fn numbers_keep_their_digits() {
    for (code, expected) in [
        ("2n ** 100n", "1267650600228229401496703205376"),
        ("2 ** 53", "9007199254740992"),
        ("1e21", "1e21"),
        ("1e-7", "1e-7"),
        ("-0", "0"),
        ("0.1", "0.1"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("100", "100"),
        ("(await tools.a_tool.table()).data.column('n')", "[1,2.5,12345678901234567890]"),
        ("typeof (await tools.a_tool.table()).data.column('n')[2]", "\"bigint\""),
        ("(await tools.a_tool.echo(9007199254740993n)).value", "9007199254740993"),
        (
            "(await tools.a_tool.echo({ value: { $ref: 1, x: 123456789012345678n } })).value.x + 1n",
            "123456789012345679",
        ),
        ("JSON.stringify({ a: 12345678901234567890n })", r#""{\"a\":12345678901234567890}""#),
        ("Number.MAX_SAFE_INTEGER", "9007199254740991"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    let mut engine = Engine::new();
    let inputs =
        r#"{"n": 9007199254740993, "d": 0.1, "m": {"x": -12345678901234567890}, "big": 1e400}"#;
    let asked =
        Request { inputs: Some(inputs.to_owned()), ..request("[n, d, m.x, inputs.n === n, big]") };
    let Ok(Value::Json(done)) = engine.run(Box::new(Fake::default()), &asked) else {
        panic!("no value")
    };
    assert_eq!(done, r#"[9007199254740993,0.1,-12345678901234567890,true,"1e+400"]"#);
}

#[test]
fn tools_are_called_in_the_ways_that_models_write() {
    for code in [
        "(await tools.a_tool.echo({ value: 'x' })).value",
        "(await tools.aTool.echo('x')).value",
        "(await tools['a-tool'].echo('x')).value",
        "(await tools.a_tool__echo({ value: 'x' })).value",
        "(await tools.echo({ value: 'x' })).value",
        "(await codemode.echo({ value: 'x' })).value",
        "(await codemode.a_tool__echo({ value: 'x' })).value",
        "import { echo } from 'a-tool';\n(await echo('x')).value",
        "import { echo as e } from \"a_tool\"\n(await e({ value: 'x' })).value",
        "import * as a from 'a-tool'\n(await a.echo('x')).value",
        "import a from 'a-tool'\n(await a.echo('x')).value",
        "const { echo } = require('a-tool');\n(await echo('x')).value",
        "const { echo } = await import('a-tool');\n(await echo('x')).value",
        "const { echo } = tools.a_tool\n;(await echo('x')).value",
        "(await mitt.call('a_tool__echo', { value: 'x' })).value",
        "(await tools.call('a_tool__echo', { value: 'x' })).value",
        "tools.a_tool.echo('x').then(({ value }) => value)",
        "import mitt from 'mitt'; (await mitt.call('a_tool__echo', { value: 'x' })).value",
    ] {
        let (done, host) = run(code);
        assert_eq!(
            format!("{:?}", done.unwrap()),
            format!("{:?}", Value::Json("\"x\"".to_owned())),
            "{code}"
        );
        assert_eq!(host.0.borrow().calls, [r#"a_tool__echo {"value":"x"}"#], "{code}");
    }
}

#[test]
fn arguments_are_bound_to_parameters() {
    for (code, expected) in [
        ("tools.a_tool.echo('x', 3)", r#"{"value":"x","from":3}"#),
        ("tools.a_tool.echo('x', { from: 3 })", r#"{"value":"x","from":3}"#),
        ("tools.a_tool.echo({ value: 'x', from: undefined })", r#"{"value":"x"}"#),
        ("tools.a_tool.echo({ value: null })", r#"{"value":null}"#),
        ("tools.a_tool.echo({ other: 1 })", r#"{"value":{"other":1}}"#),
        ("tools.a_tool.longName({ rowCount: 2 })", r#"{"row_count":2}"#),
        ("tools.a_tool.long_name(2)", r#"{"row_count":2}"#),
        ("tools.a_tool.echo(new Uint8Array([97, 98, 99]))", r#"{"value":"YWJj"}"#),
        (
            "tools.a_tool.echo(documents['2024.xlsx'].tables[0])",
            r#"{"value":{"$ref":"2024.xlsx#Users"}}"#,
        ),
        ("tools.a_tool.echo([{ a: undefined, b: '年' }])", r#"{"value":[{"b":"年"}]}"#),
        ("tools.a_tool.echo(new Date(0))", r#"{"value":"1970-01-01T00:00:00.000Z"}"#),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    let called = "it is called as echo({ value: string, from?: option<u8> })";
    for (code, expected) in [
        ("await tools.a_tool.echo()", format!("a_tool.echo: missing `value`; {called}")),
        ("await tools.a_tool.echo(1, 2, 3)", format!("a_tool.echo: too many arguments; {called}")),
        (
            "await tools.a_tool.echo('x', { value: 1 })",
            format!("a_tool.echo: `value` is given twice; {called}"),
        ),
        (
            "await tools.a_tool.echo({ value: 1, fron: 2 })",
            format!("a_tool.echo: no parameter `fron`; did you mean `from`?; {called}"),
        ),
        (
            "await tools.a_tool.echo([new Set()])",
            "a_tool__echo: argument /value/0: JSON has no Set; pass [...set]".to_owned(),
        ),
        (
            "await tools.a_tool.echo({ value: () => 1 })",
            "a_tool__echo: argument /value: JSON has no function; call it".to_owned(),
        ),
        (
            "await tools.a_tool.echo(tools.a_tool.fail())",
            "a_tool__echo: argument /value: this is a promise; write `await` before the call"
                .to_owned(),
        ),
        (
            "await tools.a_tool.echo(NaN)",
            "a_tool__echo: argument /value: JSON has no NaN; use null where there is no number"
                .to_owned(),
        ),
        (
            "const a = []; a.push(a); await tools.a_tool.echo(a)",
            format!(
                "a_tool__echo: argument /value{}: nested deeper than 64 levels, or contains itself",
                "/0".repeat(64)
            ),
        ),
    ] {
        assert_eq!(error(code).message, expected, "{code}");
    }
}

#[test]
fn a_failed_tool_can_be_caught() {
    let code = "let e;\ntry {\n  await tools.a_tool.fail();\n} catch (error) { e = error }\n\
                [e.name, e.kind, e.message, e.tool, e instanceof ToolError, e instanceof Error]";
    assert_eq!(value(code), r#"["ToolError","plugin","it fails","a_tool__fail",true,true]"#);
    let left = error("const x = 1;\nif (x) {\n  await tools.a_tool.fail();\n}");
    assert_eq!((left.class.as_str(), left.message.as_str()), ("ToolError", "it fails"));
    assert_eq!(left.line, Some(3));
    assert!(left.traceback.contains("    await tools.a_tool.fail();\n"), "{}", left.traceback);
    assert!(left.traceback.ends_with("^\nToolError: it fails"), "{}", left.traceback);
}

#[test]
fn promises_run_to_their_end() {
    for (code, expected) in [
        (
            "(await Promise.all(['a', 'b'].map((v) => tools.a_tool.echo(v)))).map((r) => r.value)",
            r#"["a","b"]"#,
        ),
        (
            "(await Promise.allSettled([tools.a_tool.fail(), tools.a_tool.echo(1)])).map((r) => r.status)",
            r#"["rejected","fulfilled"]"#,
        ),
        (
            "await Promise.race([new Promise((ok) => setTimeout(ok, 500, 'late')), tools.a_tool.echo(1).then(() => 'now')])",
            "\"now\"",
        ),
        ("await new Promise((ok) => setTimeout(() => ok(1), 1e9))", "1"),
        (
            "const order = [];\nsetTimeout(() => order.push('b'), 20); setTimeout(() => order.push('a'), 10);\n\
             const t = setTimeout(() => order.push('c'), 5); clearTimeout(t);\n\
             let n = 0; const i = setInterval(() => { order.push(n); if (++n === 2) clearInterval(i) }, 100);\n\
             await new Promise((ok) => setTimeout(ok, 1000)); order",
            r#"["a","b",0,1]"#,
        ),
        (
            "const r = []; for await (const x of (async function* () { yield 1; yield 2 })()) r.push(x); r",
            "[1,2]",
        ),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    // Without `await`, the work is done all the same.
    let (done, host) = run(
        "async function main() { console.log((await tools.a_tool.echo('x')).value) }\nvoid main()",
    );
    assert!(matches!(done, Ok(Value::Nothing)));
    assert_eq!(host.0.borrow().stdout, "x\n");
    // And its error is not lost.
    let lost = error("tools.a_tool.fail();\nconst a = 1;");
    assert_eq!(lost.class, "ToolError");
    assert_eq!(
        error("await new Promise(() => {})").message,
        "the script waits for a promise that nothing ever settles"
    );
    assert_eq!(error("setTimeout(() => { throw new TypeError('x') })").class, "TypeError");
    assert_eq!(value("const p = tools.a_tool.fail(); try { await p } catch { 1 }"), "1");
}

#[test]
fn errors_have_their_place() {
    for (code, class, message, line, column) in [
        ("const a = 1;\n  b.c;", "ReferenceError", "b is not defined", 2, 3),
        ("'年'; null.x", "TypeError", "cannot read property 'x' of null", 1, 6),
        ("\n\nthrow new RangeError('far')", "RangeError", "far", 3, 11),
        ("class E extends Error {}\nthrow new E('own')", "E", "own", 2, 11),
        ("let x = ;", "SyntaxError", "unexpected token in expression: ';'", 1, 9),
        ("const a = 1;\n  a.b(/(/)", "SyntaxError", "expecting ')'", 2, 7),
        ("const a = 1;\n'年\0'", "SyntaxError", "unexpected NUL character", 2, 3),
        ("import { a } from 'a_tol'\n", "Error", "no module `a_tol`; did you mean `a_tool`?", 1, 1),
        ("import { echo } from 'a_tool'; x.y", "ReferenceError", "x is not defined", 1, 32),
        (
            "JSON.parse('{')",
            "SyntaxError",
            "Expected property name or '}' in JSON at position 1 (line 1 column 2)",
            1,
            5,
        ),
        ("return y.z", "ReferenceError", "y is not defined", 1, 8),
        ("const z = 1; class A { static x = q } ", "ReferenceError", "q is not defined", 1, 35),
    ] {
        let failed = error(code);
        assert_eq!((failed.class.as_str(), failed.message.as_str()), (class, message), "{code}");
        assert_eq!(
            (failed.line, failed.column),
            (Some(line), Some(column)),
            "{code}\n{}",
            failed.traceback
        );
    }
    let failed =
        error("function f(x) {\n  return x.a.b;\n}\nfunction g() { return f({}) }\n\ng();");
    assert_eq!(
        failed.traceback,
        "Traceback (most recent call last):\n  File \"script.js\", line 6, column 1\n    g();\n    ^\n  \
         File \"script.js\", line 4, column 23, in g\n    function g() { return f({}) }\n                          ^\n  \
         File \"script.js\", line 2, column 10, in f\n    return x.a.b;\n           ^\nTypeError: cannot read property 'b' of undefined"
    );
    assert_eq!(error("throw 'text'").message, "text");
    assert_eq!(error("throw { a: 1 }").message, "{ a: 1 }");
    assert_eq!(error("throw null").message, "null");
    assert_eq!(error("throw new Error('a', { cause: new Error('b') })").message, "a; cause: b");
    let endless = error("function f() { return f() + 1 }\nf()");
    assert_eq!(
        (endless.class.as_str(), endless.message.as_str()),
        ("RangeError", "Maximum call stack size exceeded")
    );
    assert!(endless.traceback.contains("[Previous line repeated "), "{}", endless.traceback);
    let long = error("throw new Error('年'.repeat(20000))");
    assert!(long.traceback.chars().count() <= 8_192 && long.traceback.contains("[…]"));
}

#[test]
fn what_does_not_exist_is_explained() {
    for (code, expected) in [
        (
            "await fetch('https://a.example')",
            "a script has no network; `documents` has the files, `tools` the tools of the session",
        ),
        (
            "require('fs')",
            "no module `fs`; a script has no file system; read documents by `documents[name].text`, files of the workspace by `await mitt.read(name)`",
        ),
        (
            "import fs from 'node:fs'",
            "no module `node:fs`; a script has no file system; read documents by `documents[name].text`, files of the workspace by `await mitt.read(name)`",
        ),
        ("require('exceljs')", "no module `exceljs`; use the skill: tools.excel_tool"),
        ("tools.a_tol", "no tool `a_tol`; did you mean `a_tool`?"),
        ("tools.a_tool.ecko", "a_tool has no function `ecko`; did you mean `echo`?"),
        ("documents['2023.xlsx']", "no document `2023.xlsx`; did you mean `2024.xlsx`?"),
        ("documents['2024.xlsx'].tables[0].column('DAV')", "no column `DAV`; did you mean `DAU`?"),
        ("structuredClone(() => 1)", "structuredClone cannot copy a function"),
        (
            "btoa('年')",
            "btoa takes bytes; character 0 is `年`: encode the text with TextEncoder first",
        ),
        (
            "new TextDecoder('gbk')",
            "expected encoding `utf-8`, got `gbk`; the host has decoded the documents already",
        ),
        ("crypto.getRandomValues(new Uint8Array(70000))", "at most 65536 random bytes, got 70000"),
        ("new URL('nowhere')", "invalid URL: 'nowhere'"),
    ] {
        assert_eq!(error(code).message, expected, "{code}");
    }
    for (code, hint) in [
        (
            "process.env",
            "a script has no process; `inputs` has its inputs, `mitt.arguments` its arguments, `exit()` ends it",
        ),
        ("Buffer.from('a')", "use Uint8Array with TextEncoder, TextDecoder, atob and btoa"),
        ("aTool.echo(1)", "import * as aTool from \"a-tool\""),
    ] {
        let failed = error(code);
        assert_eq!(failed.class, "ReferenceError", "{code}");
        assert!(failed.traceback.ends_with(&format!("\nhint: {hint}")), "{}", failed.traceback);
    }
    assert_eq!(value("typeof process"), "\"undefined\"");
    assert!(!error("const a = ;").traceback.contains("hint"));
}

#[test]
fn modules_can_be_limited() {
    let limited = |code: &str| {
        let asked =
            Request { allowed_modules: Some(vec!["table_tool".to_owned()]), ..request(code) };
        Engine::new().run(Box::new(Fake::default()), &asked)
    };
    for code in [
        "tools.a_tool",
        "tools.a_tool__echo",
        "tools.echo",
        "import { echo } from 'a-tool'",
        "require('a-tool')",
        "await import('a-tool')",
        "await mitt.call('a_tool__echo', { value: 1 })",
    ] {
        let refused = limited(code).unwrap_err();
        assert_eq!(
            refused.message, "the module `a_tool` is not among those that this script may use",
            "{code}"
        );
    }
    assert!(limited("1").is_ok());
}

#[test]
fn output_goes_to_its_stream() {
    let (done, host) = run(
        "console.log('a', 1, { b: [1, 2n] }, null, undefined, '年');\nconsole.error('e');\nconsole.warn('%s is %d', 'x', 2, 'rest');\n\
         console.log(['q', \"it's\"], new Error('no'));\nconsole.table([{ a: 1 }]);\nconsole.group('g'); console.info('i'); console.groupEnd();\n\
         text({ a: 1 }); console.log(documents['2024.xlsx'].tables[0]); console.log()",
    );
    assert!(done.is_ok(), "{done:?}");
    let state = host.0.borrow();
    assert_eq!(
        state.stdout,
        "a 1 { b: [ 1, 2n ] } null undefined 年\n[ 'q', \"it's\" ] Error: no\n| (index) | a |\n| --- | --- |\n| 0 | 1 |\n\
         g\n  i\n{\n  \"a\": 1\n}\nTable(\"Users\", columns: Month, DAU; 3 rows)\n\n"
    );
    assert_eq!(state.stderr, "e\nx is 2 rest\n");
}

#[test]
fn the_host_knows_the_line() {
    let (done, host) = run(
        "let n = 0;\nawait tools.a_tool.echo(1);\nfor (let i = 0; i < 60000; i++) {\n  n += i;\n}\nn",
    );
    assert!(done.is_ok());
    let lines = host.0.borrow().lines.clone();
    assert_eq!(lines[0], 2);
    assert!(lines[1..].iter().any(|line| (3..=5).contains(line)), "{lines:?}");
}

#[test]
fn what_browsers_have() {
    for (code, expected) in [
        ("[...new TextEncoder().encode('a年😀')]", "[97,229,185,180,240,159,152,128]"),
        (
            "new TextDecoder().decode(new Uint8Array([97, 229, 185, 180, 240, 159, 152, 128, 255]))",
            "\"a年😀\u{fffd}\"",
        ),
        (
            "[btoa('abcd'), atob('YWJjZA=='), atob(btoa('\\xff\\x00'))]",
            r#"["YWJjZA==","abcd","ÿ\u0000"]"#,
        ),
        (
            "const a = { d: new Date(0), m: new Map([[1, { x: [1n] }]]) }; a.self = a; const b = structuredClone(a);\n[b !== a, b.self === b, b.m.get(1).x[0], b.d.getTime()]",
            "[true,true,1,0]",
        ),
        (
            "/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())",
            "true",
        ),
        ("crypto.randomUUID() !== crypto.randomUUID()", "true"),
        (
            "const r = Array.from({ length: 300 }, Math.random); r.every((x) => x >= 0 && x < 1) && new Set(r).size > 290",
            "true",
        ),
        (
            "const u = new URL('HTTPS://user@Example.org:443/a/../b c?x=1&y=%E5%B9%B4#z'); [u.href, u.host, u.pathname, u.searchParams.get('y'), u.hash]",
            r##"["https://user@example.org/b%20c?x=1&y=%E5%B9%B4#z","example.org","/b%20c","年","#z"]"##,
        ),
        ("new URL('../c?d=1', 'http://h.example/a/b/x').href", "\"http://h.example/a/c?d=1\""),
        (
            "const u = new URL('http://h.example/'); u.searchParams.set('q', 'a b'); u.href",
            "\"http://h.example/?q=a+b\"",
        ),
        ("new URLSearchParams({ a: '1', b: 'x&y' }).toString()", "\"a=1&b=x%26y\""),
        ("Object.groupBy([1, 2, 3], (n) => n % 2 ? 'odd' : 'even').odd", "[1,3]"),
        ("await store('k', { a: [1] }); (await load('k')).a", "[1]"),
        ("await load('never')", "nothing"),
        (
            "await mitt.write('a.txt', 'é'); [await mitt.read('a.txt'), mitt.files()]",
            r#"["é",["a.txt"]]"#,
        ),
        ("mitt.arguments", r#"["-v","年"]"#),
        ("[...'年报'].length", "2"),
        ("/\\p{Script=Han}+/v.exec('abc年报')[0]", "\"年报\""),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    assert_eq!(
        error("await mitt.write('a.txt', 'x'.repeat(2000))").message,
        "the workspace is full"
    );
}

#[test]
fn later_scripts_see_the_variables_of_earlier_ones() {
    let mut engine = Engine::new();
    let mut done = |code: &str| match engine.run(Box::new(Fake::default()), &request(code)) {
        Ok(Value::Json(text) | Value::Repr(text)) => text,
        Ok(Value::Nothing) => "nothing".to_owned(),
        Err(failed) => failed.traceback,
    };
    assert_eq!(
        done(
            "const a = 1; let b = [2]; class C { d() { return 3 } }\nfunction f() { return a + 4 }"
        ),
        "nothing"
    );
    assert_eq!(done("[a, b, new C().d(), f()]"), "[1,[2],3,5]");
    // A script is sent again after it was corrected.
    assert_eq!(
        done("const a = 10; let b = 20; class C { d() { return 30 } }\n[a + b, new C().d(), f()]"),
        "[30,30,14]"
    );
    assert_eq!(done("const documents = 1; const tools = 2; documents"), "1");
    assert_eq!(done("documents.names"), r#"["2024.xlsx"]"#);
    assert!(matches!(engine.dump(), Err(Error::Unsupported(_))));
    assert!(matches!(engine.load(b"x"), Err(Error::Malformed(_))));
}

#[test]
fn tampering_with_prototypes_hurts_only_the_script() {
    for code in [
        "Array.prototype.map = () => { throw 1 }; Object.prototype.toJSON = () => 'x'; [1]",
        "Object.prototype.value = 5; Object.defineProperty(Object.prototype, 'table', { get() { throw new Error('t') } }); new Date(0)",
        "globalThis.Error = null; Function.prototype.call = null; Reflect.apply = null; null.x",
        "Promise.prototype.then = () => {}; await 1",
        "globalThis.JSON = undefined; globalThis.Math = null; console = null; ({ a: 1 })",
        "String.prototype.toWellFormed = () => { throw 1 }; throw '\\ud800'",
        "Error.prepareStackTrace = () => { throw 1 }; null.x",
        "Object.defineProperty(Error.prototype, 'message', { get() { throw this } }); throw new Error()",
        "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 1 } })",
        "new Proxy({}, { ownKeys() { throw 1 }, getPrototypeOf() { throw 1 } })",
    ] {
        let host = Fake::default();
        // Any outcome is a value.
        let _ = Engine::new().run(Box::new(host), &request(code));
    }
    assert!(value("Object.prototype.toJSON = () => 'x'; 1") == "1");
}
