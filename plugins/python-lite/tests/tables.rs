//! Tables of a fake host.

mod fake;

use fake::{Fake, error, number, request, run, value};
use mitt_guest::tables::Source;
use python_lite::Engine;
use python_lite::contract::exports::mitt::host::script::Value;

#[test]
fn tables_of_documents() {
    for (code, expected) in [
        ("documents.names", r#"["2024.xlsx"]"#),
        ("len(documents), '2024.xlsx' in documents, list(documents)[0]", r#"[1,true,"2024.xlsx"]"#),
        ("documents['2024.xlsx'].text", "\"年报abc\""),
        ("[d.media_type for d in documents.values()]", r#"["application/x"]"#),
        (
            "t = documents['2024.xlsx'].tables[0]\nt.columns, t['DAU'], len(t), t.name",
            r#"[["Month","DAU"],[10,12.5,11],3,"Users"]"#,
        ),
        (
            "documents['2024.xlsx'].tables['Users'][:1]",
            r#"{"columns":["Month","DAU"],"rows":[["Jan",10]]}"#,
        ),
        ("[row['Month'] for row in documents['2024.xlsx'].tables[0]]", r#"["Jan","Feb","Mar"]"#),
        (
            "max(documents['2024.xlsx'].tables[0], key=lambda row: row.DAU)",
            r#"{"Month":"Feb","DAU":12.5}"#,
        ),
        ("documents['2024.xlsx'].tables[0][1].Month", "\"Feb\""),
        (
            "documents['2024.xlsx'].tables[0].markdown()",
            r#""| Month | DAU |\n| --- | --- |\n| Jan | 10 |\n| Feb | 12.5 |\n| Mar | 11 |""#,
        ),
        (
            "repr(documents['2024.xlsx'].tables[0])",
            r#""Table('Users', columns=['Month', 'DAU'], 3 rows)""#,
        ),
        (
            "Table.from_records([{'a': 1}, {'b': 2}])",
            r#"{"columns":["a","b"],"rows":[[1,null],[null,2]]}"#,
        ),
        ("documents", "documents('2024.xlsx')"),
        ("Table(['a'], [[1]]) == Table(['a'], [[1]]), 'a' in Table(['a'])", "[true,true]"),
        ("str(Table(['a'], [[i] for i in range(22)])).endswith('(2 more rows)')", "true"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    assert_eq!(
        error("documents['2023.xlsx']").traceback.lines().last().unwrap(),
        "KeyError: \"no document '2023.xlsx'; there are: '2024.xlsx'\""
    );
    assert!(error("Table(['a'], [[1, 2]])").message.contains("row 0: expected 1 cells, got 2"));
}

#[test]
fn documents_are_a_mapping() {
    for (code, expected) in [
        ("[name for name in documents]", r#"["2024.xlsx"]"#),
        (
            "list(documents.keys()), [d.name for d in documents.values()]",
            r#"[["2024.xlsx"],["2024.xlsx"]]"#,
        ),
        (
            "[(name, d.media_type) for name, d in documents.items()]",
            r#"[["2024.xlsx","application/x"]]"#,
        ),
        (
            "documents.get('a'), documents.get('a', 1), documents.get('2024.xlsx').name",
            r#"[null,1,"2024.xlsx"]"#,
        ),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    let old = error("for d in documents:\n    d.text");
    assert!(
        old.traceback
            .contains("hint: `for name in documents` gives names; iterate over documents.values()"),
        "{old:?}"
    );
    assert!(
        error("documents[0]")
            .message
            .contains("documents are found by name: documents['2024.xlsx']")
    );
}

const BIG: &str = "t = documents['2024.xlsx'].tables[1]\n";

#[test]
fn tables_stay_in_the_host_until_they_are_read() {
    for (code, expected) in [
        ("len(t), t.columns, t._source", r#"[10000,["n","sum","date","wide"],"2024.xlsx#2"]"#),
        (
            "t['n'][:4], t.column('sum')[-2:], t['date'][1]",
            r#"[[null,1,2,null],[4999,4999.5],"1970-01-02"]"#,
        ),
        ("sum(row['sum'] for row in t), sum(1 for row in t)", "[24997500.0,10000]"),
        // The whole numbers below 10,000 that are no multiples of 3.
        ("sum(row[0] or 0 for row in t.rows)", "33326667"),
        (
            "t.rows[1][2], t[9999], t[-1]['n']",
            r#"["1970-01-02",{"n":null,"sum":4999.5,"date":"1997-05-18","wide":1e19},null]"#,
        ),
        (
            "p = t[4000:4003]\nlen(p), p['n'], p.to_dicts()[0]['date']",
            r#"[3,[4000,4001,null],"1980-12-14"]"#,
        ),
        (
            "p = t[['sum', 'n']]\np.columns, len(p), p[1]",
            r#"[["sum","n"],10000,{"sum":0.5,"n":1}]"#,
        ),
        ("t == t, len(t[:5000:2]), len(t[20000:])", "[true,2500,0]"),
        ("repr(t)", r#""Table(columns=['n', 'sum', 'date', 'wide'], 10000 rows)""#),
        (
            "t[:2]",
            r#"{"columns":["n","sum","date","wide"],"rows":[[null,0,"1970-01-01",10000000000000000000],[1,0.5,"1970-01-02",10000000000000000000.0000000001]]}"#,
        ),
        ("Table.from_rows([['a', 'b'], [1, 2]])", r#"{"columns":["a","b"],"rows":[[1,2]]}"#),
        (
            "Table.from_rows([{'a': 1}]), Table.from_dicts([{'a': 1}]) == Table(['a'], [[1]])",
            r#"[{"columns":["a"],"rows":[[1]]},true]"#,
        ),
    ] {
        assert_eq!(value(&format!("{BIG}{code}")), expected, "{code}");
    }
    assert!(
        error(&format!("{BIG}t['x']"))
            .message
            .contains("no column 'x'; there are: 'n', 'sum', 'date', 'wide'")
    );
    assert!(error(&format!("{BIG}t[['x']]")).message.contains("no column 'x'"));
    let (_, host) = run(&format!("{BIG}len(t), t['sum']"));
    assert!(
        host.0.borrow().slices.iter().all(|(column, _, length)| (*column, *length) == (1, 4_096))
    );
    let (first, host) = run(&format!("{BIG}for row in t:\n    break\nrow['sum']"));
    assert!(first.is_ok());
    assert!(
        host.0.borrow().slices.iter().all(|(_, start, _)| *start == 0),
        "{:?}",
        host.0.borrow().slices
    );
}

#[test]
fn tables_are_passed_by_reference() {
    let passed = |code: &str| {
        let (done, host) = run(&format!("import a_tool\n{BIG}{code}"));
        done.unwrap_or_else(|error| panic!("{code}\n{}", error.traceback));
        let call = host.0.borrow().calls.last().unwrap().clone();
        call.strip_prefix("a_tool__echo {\"value\":").unwrap().strip_suffix('}').unwrap().to_owned()
    };
    for (code, expected) in [
        ("a_tool.echo(t)", r#"{"$ref":"2024.xlsx#2"}"#),
        ("a_tool.echo({'deep': [t]})", r#"{"deep":[{"$ref":"2024.xlsx#2"}]}"#),
        // Rows that were only read are passed as the table; changed rows are not.
        ("sum(len(row) for row in t.rows)\na_tool.echo(t)", r#"{"$ref":"2024.xlsx#2"}"#),
        ("t.rows[5000][0] = -1\na_tool.echo(t)", r#"{"$ref":"t:1"}"#),
        ("t.columns[0] = 'm'\na_tool.echo(t)", r#"{"$ref":"t:1"}"#),
        ("a_tool.echo(t[10:5000])", r#"{"$ref":"t:1"}"#),
        ("a_tool.echo(t[['n']])", r#"{"$ref":"t:1"}"#),
        ("a_tool.echo(a_tool.made(5).outcome.data)", r#"{"$ref":"t:1"}"#),
        ("d = a_tool.made(5000).outcome.data\na_tool.echo(d)", r#"{"$ref":"t:1"}"#),
        ("a_tool.echo(Table(['a'], [[1]]))", r#"{"columns":["a"],"rows":[[1]]}"#),
        ("a_tool.echo(Table(['a'], [[i] for i in range(10001)]))", r#"{"$ref":"t:1"}"#),
    ] {
        assert_eq!(passed(code), expected, "{code}");
    }
    let (_, host) = run(&format!(
        "import a_tool\n{BIG}t.columns[0] = 'm'\nt.rows[4999][0] = 7\na_tool.echo(t)"
    ));
    let kept = host.0.borrow().kept[0].clone();
    assert_eq!(kept.columns()[0].name, "m");
    assert_eq!(kept.slice(0, 4_998, 2).unwrap().cell(1), number("7"));
}

#[test]
fn results_stay_readable_in_long_loops() {
    let code = "import a_tool\nall = [a_tool.made(1000).outcome.data for _ in range(250)]\n\
                a_tool.echo(all[0])\na_tool.echo(all[0])\n[len(all[0]), all[3]['n'][1], len(all)]";
    let (done, host) = run(code);
    assert_eq!(
        format!("{:?}", done.unwrap()),
        format!("{:?}", Value::Json("[1000,1,250]".to_owned()))
    );
    // An old reference is renewed once.
    let calls = host.0.borrow().calls.clone();
    assert_eq!(
        calls[250..],
        [
            r#"a_tool__echo {"value":{"$ref":"t:251"}}"#,
            r#"a_tool__echo {"value":{"$ref":"t:251"}}"#
        ]
    );
}

#[test]
fn a_large_table_as_result_is_shown_by_its_first_rows() {
    let shown = value(&format!("{BIG}t"));
    assert!(shown.starts_with(r#"{"columns":["n","sum","date","wide"],"row_count":10000,"first_rows":[[null,0,"1970-01-01","#), "{shown}");
    assert!(
        shown.ends_with(r#"],"$ref":"2024.xlsx#2"}"#) && shown.matches("1970-01").count() == 10,
        "{shown}"
    );
    let own = value("Table(['a'], [[i] for i in range(1001)])");
    assert!(own.ends_with(r#","$ref":"t:1"}"#) && own.contains(r#""row_count":1001"#), "{own}");
    assert!(!value("Table(['a'], [[i] for i in range(1000)])").contains("$ref"));
}

#[test]
fn what_was_read_of_a_table_survives_a_dump() {
    let host = Fake::default();
    let mut engine = Engine::new();
    let go = |engine: &mut Engine, host: &Fake, code: &str| {
        engine.run(Box::new(host.clone()), &request(code))
    };
    let code = format!(
        "import a_tool\n{BIG}small = a_tool.made(5).outcome.data\nlarge = a_tool.made(5000).outcome.data\npart = t[:4000]"
    );
    go(&mut engine, &host, &code).unwrap();
    let mut other = Engine::new();
    other.load(&engine.dump().unwrap()).unwrap();
    // A session with other results.
    let host = Fake::default();
    let done = go(&mut other, &host, "[small['n'], len(t), t['n'][1]]").unwrap();
    assert_eq!(
        format!("{done:?}"),
        format!("{:?}", Value::Json("[[null,1,2,null,4],10000,1]".to_owned()))
    );
    assert!(go(&mut other, &host, "large.rows").unwrap_err().message.contains("make it again"));
    // A part is cut out of its document again.
    let done = go(&mut other, &host, "[len(part), part['n'][1]]").unwrap();
    assert_eq!(format!("{done:?}"), format!("{:?}", Value::Json("[4000,1]".to_owned())));
    let lost = "part = large[10:20]\npart['n']";
    assert!(go(&mut other, &host, lost).unwrap_err().message.contains("make it again"));
    go(&mut other, &host, "import a_tool\na_tool.echo(small)").unwrap();
    assert!(host.0.borrow().calls[0].contains(r#""rows":[[null,0,"1970-01-01""#));
}
