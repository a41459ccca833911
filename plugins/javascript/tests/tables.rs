//! Tables of documents and results.

mod fake;

use fake::{error, run, value};
use javascript::contract::exports::mitt::host::script::Value;

#[test]
fn documents_are_objects() {
    for (code, expected) in [
        ("documents['2024.xlsx'].text", "\"年报abc\""),
        ("documents.names", r#"["2024.xlsx"]"#),
        ("Object.keys(documents)", r#"["2024.xlsx"]"#),
        ("[...documents].map((d) => d.name)", r#"["2024.xlsx"]"#),
        ("'2024.xlsx' in documents", "true"),
        ("documents[0].mediaType", "\"application/x\""),
        ("documents['2024.xlsx'].tables.length", "2"),
        ("documents['2024.xlsx'].tables.Users.name", "\"Users\""),
        ("documents['2024.xlsx'].tables.map((t) => t.length)", "[3,10000]"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    assert_eq!(
        error("documents.x = 1; 'use strict'; (() => { 'use strict'; documents.x = 1 })()").message,
        "documents are read only"
    );
}

#[test]
fn tables_are_read_as_they_are_used() {
    for (code, expected) in [
        ("t", r#"{"columns":["Month","DAU"],"rows":[["Jan",10],["Feb",12.5],["Mar",11]]}"#),
        ("t.length", "3"),
        ("t.columns", r#"["Month","DAU"]"#),
        ("t.column('DAU')", "[10,12.5,11]"),
        ("t.DAU", "[10,12.5,11]"),
        ("t['Month'][2]", "\"Mar\""),
        ("t[1]", r#"{"Month":"Feb","DAU":12.5}"#),
        ("t.at(-1).DAU", "11"),
        ("t.toObjects()[0]", r#"{"Month":"Jan","DAU":10}"#),
        ("t.rows[1]", r#"["Feb",12.5]"#),
        (
            "const seen = []; for (const row of t) seen.push(row.Month); seen",
            r#"["Jan","Feb","Mar"]"#,
        ),
        ("const [first, ...rest] = t; [first.Month, rest.length]", r#"["Jan",2]"#),
        ("t.map((row) => row.DAU * 2)", "[20,25,22]"),
        ("t.filter((row) => row.DAU > 10).length", "2"),
        ("t.reduce((sum, row) => sum + row.DAU, 0)", "33.5"),
        ("t.slice(1).column('Month')", r#"["Feb","Mar"]"#),
        ("t.select('DAU').columns", r#"["DAU"]"#),
        (
            "t.rename({ DAU: 'Users' })",
            r#"{"columns":["Month","Users"],"rows":[["Jan",10],["Feb",12.5],["Mar",11]]}"#,
        ),
        (
            "Table.fromObjects([{ a: 1 }, { b: 2 }])",
            r#"{"columns":["a","b"],"rows":[[1,null],[null,2]]}"#,
        ),
        ("Table.fromRows([['a'], [1]]).a", "[1]"),
        ("t.markdown().split('\\n')[2]", "\"| Jan | 10 |\""),
        ("t.nothing", "nothing"),
        ("const c = structuredClone(t); c.length", "3"),
    ] {
        assert_eq!(
            value(&format!("const t = documents['2024.xlsx'].tables[0];\n{code}")),
            expected,
            "{code}"
        );
    }
    for (code, expected) in [
        ("new Table(['a'], [[1, 2]])", "row 0 has 2 cells, and there are 1 columns"),
        ("Table.fromRows([])", "without columns, the first row has their names, and there is none"),
    ] {
        assert_eq!(error(code).message, expected, "{code}");
    }
}

#[test]
fn tables_are_passed_on_by_reference() {
    let (done, host) = run(
        "const large = documents['2024.xlsx'].tables[1];\nawait tools.a_tool.echo(large);\nawait tools.a_tool.echo({ value: [large.slice(5, 7)] });\n\
         const made = await tools.a_tool.made(3000);\nconst data = made.outcome.data;\nawait tools.a_tool.echo(data);\n\
         await tools.a_tool.echo(Table.fromObjects([{ a: 1n }]));\n\
         await tools.a_tool.echo(Table.fromRows(Array.from({ length: 20000 }, (_, i) => [i]), ['i']));\ndata.length",
    );
    assert!(matches!(&done, Ok(Value::Json(text)) if text == "3000"), "{done:?}");
    let state = host.0.borrow();
    assert_eq!(
        state.calls,
        [
            r#"a_tool__echo {"value":{"$ref":"2024.xlsx#2"}}"#,
            r#"a_tool__echo {"value":[{"$ref":"t:1"}]}"#,
            r#"a_tool__made {"rows":3000}"#,
            r#"a_tool__echo {"value":{"$ref":"t:2"}}"#,
            r#"a_tool__echo {"value":{"columns":["a"],"rows":[[1]]}}"#,
            r#"a_tool__echo {"value":{"$ref":"t:3"}}"#,
        ]
    );
    assert!(state.slices.is_empty(), "{:?}", state.slices);
}

#[test]
fn large_tables_are_read_in_parts_and_shown_in_part() {
    let (done, host) = run(
        "let n = 0;\nfor (const row of documents['2024.xlsx'].tables[1]) { n++; if (n === 5) break }\nn",
    );
    assert!(done.is_ok());
    assert!(host.0.borrow().slices.iter().all(|&(_, start, length)| start == 0 && length == 4_096));
    let shown = value("documents['2024.xlsx'].tables[1]");
    assert!(shown.starts_with(r#"{"columns":["n","sum","date","wide"],"row_count":10000,"first_rows":[[null,0,"1970-01-01",10000000000000000000],[1,0.5,"1970-01-02",10000000000000000000.0000000001],"#), "{shown}");
    assert!(shown.ends_with(r#""$ref":"2024.xlsx#2"}"#), "{shown}");
    assert_eq!(value("documents['2024.xlsx'].tables[1].at(-1).sum"), "4999.5");
    assert_eq!(value("documents['2024.xlsx'].tables[1].column('n').length"), "10000");
    assert_eq!(value("documents['2024.xlsx'].tables[1].at(1).date"), "\"1970-01-02\"");
}
