//! Tables in scripts: read in parts, passed by reference, and exact.

use mitt::{CacheDir, Decision, Host, Session, SessionOptions};
use serde_json::{Value, json};

use crate::support::{TestSkill, cache, engines, outcome, script, session};

/// Rows of the document.
const ROWS: u64 = 20_000;

/// Adds `sales.csv`: dates, names, and amounts of 20 digits.
async fn with_sales(session: &Session) {
    let mut text = String::from("日期,name,n,金额\n");
    for n in 0..ROWS {
        let day = n % 28 + 1;
        text.push_str(&format!(
            "2024-02-{day:02},name {},{n},123456789012345678.{:02}\n",
            n % 50,
            n % 100
        ));
    }
    session.add_document_bytes("sales.csv", text.into_bytes()).await.unwrap();
}

const SALES: &str = "t = documents['sales.csv'].tables[0]\n";

#[tokio::test]
async fn documents_are_a_mapping() {
    for engine in engines() {
        let session = session();
        session.add_document_bytes("a.csv", "a\n1\n".into()).await.unwrap();
        session.add_document_bytes("b.csv", "b\n2\n".into()).await.unwrap();
        let code = "[list(documents), [d.name for d in documents.values()],\n \
            [[n, d.tables[0].columns] for n, d in documents.items()], documents.get('c'), 'a.csv' in documents]";
        let done = outcome(&session, &engine, code).await;
        let expected = json!([
            ["a.csv", "b.csv"],
            ["a.csv", "b.csv"],
            [["a.csv", ["a"]], ["b.csv", ["b"]]],
            null,
            true
        ]);
        assert_eq!(done["result"], expected, "{engine}: {done}");
        for old in ["for d in documents:\n    d.text", "documents[0].text"] {
            let done = outcome(&session, &engine, old).await;
            let told = done["error_message"].as_str().unwrap();
            assert!(told.contains("documents.values()"), "{engine}: {told}");
        }
    }
}

#[tokio::test]
async fn changed_rows_stay_changed() {
    let change = "for row in t:\n    row['twice'] = row['n'] * 2\n";
    for engine in engines() {
        for (code, expected) in [
            ("[t.columns[-1], t['twice'][-1], len(t)]", json!(["twice", 39_998, ROWS])),
            ("[sum(row['twice'] for row in t), t[5]['twice']]", json!([399_980_000, 10])),
            ("[t[7:9]['twice'], t[['twice']].rows[3], t.rows[4][-1]]", json!([[14, 16], [6], 8])),
            ("[t.to_dicts()[9]['twice'], t.records()[1]['twice']]", json!([18, 2])),
            ("import json\njson.loads(json.dumps(list(t)))[6]['twice']", json!(12)),
            ("for row in t[:3]:\n    row['n'] = -1\nt['n'][:4]", json!([-1, -1, -1, 3])),
            ("t[0].pop('n')\n[t['n'][:2], len(t.columns)]", json!([[null, 1], 5])),
            (
                "import table_tool\ntable_tool.sort(t, keys=[{'column': 'twice', 'order': 'descending'}]).data[0]['twice']",
                json!(39_998),
            ),
        ] {
            let session = session();
            with_sales(&session).await;
            let done = outcome(&session, &engine, &format!("{SALES}{change}{code}")).await;
            assert_eq!(done["result"], expected, "{engine}: {code}: {done}");
        }
    }
}

#[tokio::test]
async fn a_new_column_of_some_rows_is_none_in_others() {
    for engine in engines() {
        let session = session();
        session.add_document_bytes("a.csv", "a\n1\n2\n".into()).await.unwrap();
        let code = "t = documents['a.csv'].tables[0]\nt[1]['b'] = 'x'\nt";
        let done = outcome(&session, &engine, code).await;
        let expected = json!({ "columns": ["a", "b"], "rows": [[1, null], [2, "x"]] });
        assert_eq!(done["result"], expected, "{engine}: {done}");
    }
}

#[tokio::test]
async fn a_script_in_a_fence_runs() {
    for engine in engines() {
        let session = session();
        let done = outcome(&session, &engine, "```python\nx = 2\nx * 21\n```\n").await;
        assert_eq!(done["result"], json!(42), "{engine}: {done}");
        let done = outcome(&session, &engine, "```python\n1\n```\nIt is 1.").await;
        let message = done["error_message"].as_str().unwrap();
        assert!(message.contains("unexpected text behind the fence"), "{engine}: {message}");
        assert!(message.contains("line 4"), "{engine}: {message}");
    }
}

#[tokio::test]
async fn cells_cost_little() {
    for engine in engines() {
        let session = session();
        with_sales(&session).await;
        let code = format!(
            "{SALES}s = 0\nfor row in t:\n    s += row['n']\n[s, len(t), t[5:7]['n'], t[['n', 'name']][3]['name']]"
        );
        let done = outcome(&session, &engine, &code).await;
        assert_eq!(
            done["result"],
            json!([ROWS * (ROWS - 1) / 2, ROWS, [5, 6], "name 3"]),
            "{engine}: {done}"
        );
        // Mostly for the amounts, whose digits no machine number can hold.
        let per_cell = done["fuel_used"].as_u64().unwrap() / (ROWS * 4);
        assert!(per_cell < 30_000, "{engine}: fuel for a cell: {per_cell}");
        let done = outcome(
            &session,
            &engine,
            &format!("{SALES}s = 0\nfor n in t.column('n'):\n    s += n\ns"),
        )
        .await;
        assert_eq!(done["result"], json!(ROWS * (ROWS - 1) / 2), "{engine}: {done}");
        let per_cell = done["fuel_used"].as_u64().unwrap() / ROWS;
        assert!(per_cell < 5_000, "{engine}: fuel for a cell: {per_cell}");
    }
}

#[tokio::test]
async fn what_is_passed_on_keeps_types_and_digits() {
    for engine in engines() {
        let session = session();
        with_sales(&session).await;
        let code = format!(
            "import table_tool\n{SALES}\
             sorted_ = table_tool.sort(t[10:], keys=[{{'column': 'n', 'order': 'descending'}}]).data\n\
             [len(sorted_), sorted_[0]['n'], sorted_[0]['日期']]"
        );
        let done = outcome(&session, &engine, &code).await;
        assert_eq!(done["result"], json!([ROWS - 10, ROWS - 1, "2024-02-08"]), "{engine}: {done}");
        // The digits of the document, although a float has fewer. The small engine only has floats for them.
        if engine == "python-lite" {
            continue;
        }
        let code = json!({ "code": format!("{SALES}t[7:8][['金额']]"), "language": engine });
        let report = session.call("python__run", &code.to_string()).await;
        let told = report.result.unwrap().to_string();
        assert!(told.contains("123456789012345678.07"), "{engine}: {told}");
    }
}

#[tokio::test]
async fn a_large_result_can_be_named_by_the_next_call() {
    for engine in engines() {
        let session = session();
        with_sales(&session).await;
        let done = outcome(&session, &engine, &format!("{SALES}t[['n']][5:]")).await;
        let result = &done["result"];
        assert_eq!(
            (&result["row_count"], &result["first_rows"][0]),
            (&json!(ROWS - 5), &json!([5])),
            "{engine}: {done}"
        );
        assert_eq!(result["first_rows"].as_array().unwrap().len(), 10);
        let arguments = json!({ "data": { "$ref": result["$ref"] }, "keys": [{ "column": "n", "order": "descending" }] });
        let report = session.call("table_tool__sort", &arguments.to_string()).await;
        assert!(report.result.is_ok(), "{engine}: {:?}", report.result);
    }
}

/// References are part of the arguments, which are compared between the first and the second run.
#[tokio::test]
async fn a_second_run_names_its_tables_as_the_first_one_did() {
    let nothing = r#"(component
        (core module $m (func (export "run")))
        (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run"))))"#;
    let skill = TestSkill::new(
        "wiper",
        nothing,
        "tools: [{name: run, title: Wipe all, destructive: true}]",
    );
    let host = Host::builder().cache(CacheDir::new(cache())).skills(skill.path()).build().unwrap();
    for engine in engines() {
        let session = host.session(SessionOptions::default()).unwrap();
        with_sales(&session).await;
        let code = format!(
            "import table_tool, wiper\n{SALES}\
             first = table_tool.sort(t[10:], keys=[{{'column': 'n', 'order': 'descending'}}]).data\n\
             second = table_tool.sort(first[['n']], keys=[{{'column': 'n'}}]).data\n\
             wiper.run()\n\
             third = table_tool.sort(second, keys=[{{'column': 'n', 'order': 'descending'}}]).data\n\
             [len(first), second[0]['n'], third[0]['n']]"
        );
        let paused = script(&session, &engine, &code).await;
        let id = paused.approval.unwrap().id;
        let resumed = session.resume(&id, Decision::Approve).await;
        let told = Value::from(resumed.result.unwrap());
        assert_eq!(told["result"], json!([ROWS - 10, 10, ROWS - 1]), "{engine}: {told}");
    }
}
