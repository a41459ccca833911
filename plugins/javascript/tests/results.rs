//! What values become JSON, and what they lose.

mod fake;

use fake::{run, value};
use javascript::contract::exports::mitt::host::script::Value;

const DOCUMENT: &str = r#"{"name":"2024.xlsx","mediaType":"application/x","title":null,"warnings":[],"text":"年报abc","tables":[{"name":"Users","columns":["Month","DAU"],"rows":[["Jan",10],["Feb",12.5],["Mar",11]]},{"name":"","columns":["n","sum","date","wide"],"row_count":10000,"first_rows":[[null,0,"1970-01-01",10000000000000000000],[1,0.5,"1970-01-02",10000000000000000000],[2,1,"1970-01-03",10000000000000000000]]}]}"#;

#[test]
fn undefined_and_functions_are_left_out_as_by_json() {
    for (code, expected) in [
        ("({ a: undefined })", "{}"),
        ("({ a: 1, b: undefined, c: [undefined, 2] })", r#"{"a":1,"c":[null,2]}"#),
        ("[1, , 3]", "[1,null,3]"),
        ("[x => x]", "[null]"),
        ("[Symbol('s'), class A {}]", "[null,null]"),
        ("({ n: 1, next() { return 2 }, [Symbol('s')]: 3 })", r#"{"n":1}"#),
        (
            "[1, 2, 3].map((n) => ({ n, d: new Map([[1, 2]]).get(n) }))",
            r#"[{"n":1,"d":2},{"n":2},{"n":3}]"#,
        ),
        ("class P { x; y = 1; f = () => 1 }\nnew P()", r#"{"y":1}"#),
        ("({ a: tools.a_tool.echo, b: 1 })", r#"{"b":1}"#),
        // The value itself is shown.
        ("() => 1; (x, y) => x", "[Function]"),
        ("tools.a_tool.echo", "[Function: echo]"),
        ("tools.a_tool", "module(a_tool: echo, fail, long_name, made, table)"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
}

#[test]
fn objects_without_members_are_data_in_other_values() {
    for (code, expected) in [
        ("[new Map([['b', 1], ['a', { x: undefined }]])]", r#"[{"b":1,"a":{}}]"#),
        ("({ m: new Map([[2024, 1], [2023, 2]]) })", r#"{"m":{"2024":1,"2023":2}}"#),
        ("[new Map([[{ k: 1 }, 1], ['a', 2]])]", r#"[[[{"k":1},1],["a",2]]]"#),
        ("[new Map(), new Set()]", "[{},[]]"),
        ("({ s: new Set([3, 'a', new Set([1])]) })", r#"{"s":[3,"a",[1]]}"#),
        (
            "const m = new Map([['a', 1]]); [m.keys(), m.entries(), [5].values()]",
            r#"[["a"],[["a",1]],[5]]"#,
        ),
        ("[new Date(0), new Date(NaN)]", r#"["1970-01-01T00:00:00.000Z",null]"#),
        ("[/a+/g]", r#"["/a+/g"]"#),
        (
            "[new Uint8Array([1, 2]), new Float64Array([0.5]), new Uint8Array([3]).buffer]",
            "[[1,2],[0.5],[3]]",
        ),
        ("[new RangeError('far')]", r#"[{"name":"RangeError","message":"far"}]"#),
        (
            "(await Promise.allSettled([tools.a_tool.fail(), tools.a_tool.echo(1)]))",
            r#"[{"status":"rejected","reason":{"name":"ToolError","kind":"plugin","message":"it fails","tool":"a_tool__fail"}},{"status":"fulfilled","value":{"value":1}}]"#,
        ),
        ("[tools.a_tool]", r#"["module(a_tool: echo, fail, long_name, made, table)"]"#),
        // Promises have ended by then.
        ("[1, 2].map(async (n) => n * 2)", "[2,4]"),
        ("({ a: tools.a_tool.echo('x') })", r#"{"a":{"value":"x"}}"#),
        (
            "const Map = 3, Set = 4; ({ Map, Set, d: new Date(0) })",
            r#"{"Map":3,"Set":4,"d":"1970-01-01T00:00:00.000Z"}"#,
        ),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
}

#[test]
fn a_text_is_cut_only_with_a_warning() {
    // Small values are shown as they are.
    let (done, host) = run("[0.5, NaN]");
    assert!(matches!(done, Ok(Value::Repr(text)) if text == "[ 0.5, NaN ]"));
    assert_eq!(host.0.borrow().stderr, "");
    // Data is worth more than a text with 100 of 300 items.
    let (done, host) =
        run("Array.from({ length: 300 }, (_, i) => ({ i, r: i > 0 ? 1 : 1 / i - 1 / i }))");
    let Ok(Value::Json(text)) = done else { panic!("{done:?}") };
    assert!(
        text.starts_with(r#"[{"i":0,"r":null},{"i":1,"r":1}"#)
            && text.ends_with(r#"{"i":299,"r":1}]"#),
        "{text}"
    );
    assert_eq!(
        host.0.borrow().stderr,
        "warning: the result has null for each NaN and Infinity; the first problem is /0/r: JSON has no NaN; use null where \
         there is no number\n"
    );
    for (code, first) in [
        ("new Map(Array.from({ length: 300 }, (_, i) => [i, i]))", r#"{"0":0,"1":1,"#),
        ("new Set(Array.from({ length: 300 }, (_, i) => i))", "[0,1,2,"),
        ("new Uint8Array(300)", "[0,0,0,"),
    ] {
        let (done, host) = run(code);
        assert!(matches!(&done, Ok(Value::Json(text)) if text.starts_with(first)), "{done:?}");
        assert_eq!(host.0.borrow().stderr, "", "{code}");
    }
    let (done, host) = run("const a = Array.from({ length: 300 }, (_, i) => i); a.push(a); a");
    assert!(matches!(done, Ok(Value::Repr(text)) if text.contains("... 201 more items")));
    let stderr = host.0.borrow().stderr.clone();
    assert!(
        stderr.starts_with(
            "warning: the result is a text with parts left out; the first problem is /300/300/"
        ),
        "{stderr}"
    );
    assert!(stderr.ends_with("nested deeper than 64 levels, or contains itself\n"), "{stderr}");
}

#[test]
fn documents_and_tables_are_in_results_and_in_json() {
    assert_eq!(value("documents['2024.xlsx']"), DOCUMENT);
    assert_eq!(value("[documents['2024.xlsx']]"), format!("[{DOCUMENT}]"));
    assert_eq!(value("JSON.parse(JSON.stringify(documents))['2024.xlsx'].text"), "\"年报abc\"");
    let rows = r#"[{"Month":"Jan","DAU":10},{"Month":"Feb","DAU":12.5},{"Month":"Mar","DAU":11}]"#;
    for (code, expected) in [
        ("JSON.parse(JSON.stringify(t))", rows.to_owned()),
        (
            "JSON.parse(JSON.stringify({ data: t, warnings: [] }))",
            format!(r#"{{"data":{rows},"warnings":[]}}"#),
        ),
        (
            "JSON.stringify((await tools.a_tool.table()))",
            r#""{\"data\":[{\"n\":1},{\"n\":2.5},{\"n\":12345678901234567890}],\"warnings\":[]}""#
                .to_owned(),
        ),
        ("JSON.parse(JSON.stringify(t.slice(1, 2)))", r#"[{"Month":"Feb","DAU":12.5}]"#.to_owned()),
        (
            "[Object.keys(t), Object.entries(t)[1], Object.values(t).length]",
            r#"[["0","1","2"],["1",{"Month":"Feb","DAU":12.5}],3]"#.to_owned(),
        ),
        ("({ ...t })[2].DAU", "11".to_owned()),
        ("Object.assign([], t).length", "3".to_owned()),
        ("const seen = []; for (const at in t) seen.push(at); seen", r#"["0","1","2"]"#.to_owned()),
        ("Object.keys(documents['2024.xlsx'].tables[1]).length", "10000".to_owned()),
    ] {
        let code = format!("const t = documents['2024.xlsx'].tables[0];\n{code}");
        assert_eq!(value(&code), expected, "{code}");
    }
    let (done, host) =
        run("text(documents['2024.xlsx'].tables[0].slice(0, 1)); text(new Map([[1, 2]]))");
    assert!(done.is_ok());
    assert_eq!(
        host.0.borrow().stdout,
        "[\n  {\n    \"Month\": \"Jan\",\n    \"DAU\": 10\n  }\n]\nMap(1) { 1 => 2 }\n"
    );
}

#[test]
fn what_is_stored_is_loaded_again() {
    for (code, expected) in [
        (
            "await store('t', t); const u = await load('t'); [u instanceof Table, u.name, u.length, u.columns, u[1], u]",
            r#"[true,"Users",3,["Month","DAU"],{"Month":"Feb","DAU":12.5},{"columns":["Month","DAU"],"rows":[["Jan",10],["Feb",12.5],["Mar",11]]}]"#,
        ),
        (
            "await store('t', { all: [t.slice(1)], n: 1 }); (await load('t')).all[0].DAU",
            "[12.5,11]",
        ),
        ("t[0].DAU = 1; await store('t', t); (await load('t')).DAU", "[1,12.5,11]"),
        (
            "await store('n', [9007199254740993n, 0.1, NaN, undefined]); await load('n')",
            "[9007199254740993,0.1,null,null]",
        ),
        (
            "await store('m', { m: new Map([['a', new Set([1])]]), f() {} }); await load('m')",
            r#"{"m":{"a":[1]}}"#,
        ),
        ("await store('o', { $table: 1 }); await load('o')", r#"{"$table":1}"#),
        ("await store('u', undefined); await load('u')", "nothing"),
    ] {
        let code = format!("const t = documents['2024.xlsx'].tables[0];\n{code}");
        assert_eq!(value(&code), expected, "{code}");
    }
    for (code, words) in [
        ("const a = []; a.push(a); await store('a', a)", "contains itself"),
        ("await store('a', { b: tools.a_tool.echo(new Promise(() => {})) })", "store: "),
        ("await store('a', () => 1)", "JSON has no function"),
    ] {
        let error = fake::error(code);
        assert!(error.message.contains(words), "{code}: {}", error.message);
    }
}
