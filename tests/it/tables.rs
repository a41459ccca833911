//! Tables of a session by reference: of documents, of results, and what a model gets of large ones.

use mitt::{CacheDir, CallOptions, Host, Session, SessionOptions, TableResults};
use mitt_base::{ErrorKind, Resource, SessionLimits};
use serde_json::{Value, json};

use crate::support::{cache, session};

/// Returns `rows` rows of a number and a text.
fn csv(rows: usize) -> Vec<u8> {
    let lines: String = (0..rows).map(|n| format!("{n},name {}\n", n % 7)).collect();
    format!("n,name\n{lines}").into_bytes()
}

async fn call(session: &Session, tool: &str, arguments: Value, tables: TableResults) -> Value {
    let options = CallOptions::new().tables(tables);
    let report = session.call_with(tool, &arguments.to_string(), options).await;
    serde_json::from_str(&report.result.unwrap().to_string()).unwrap()
}

fn sorted(reference: &str) -> Value {
    json!({ "data": { "$ref": reference }, "keys": [{ "column": "n", "order": "descending" }] })
}

#[tokio::test]
async fn a_table_is_named_instead_of_written_out() {
    let session = session();
    session.add_document_bytes("a.csv", csv(3)).await.unwrap();
    let two = "## One\n\n| n |\n|---|\n| 1 |\n\n## Two\n\n| n |\n|---|\n| 2 |\n| 3 |\n";
    session.add_document_bytes("b.md", two.into()).await.unwrap();
    for (name, rows) in [("a.csv", 3), ("b.md#One", 1), ("b.md#2", 2), ("a.csv#1", 3)] {
        for data in [json!({ "$ref": name }), json!([{ "$ref": name }]), json!(name)] {
            let arguments = json!({ "data": data, "keys": [{ "column": "n" }] });
            let result = call(&session, "table_tool__sort", arguments, TableResults::Whole).await;
            assert_eq!(result["data"]["rows"].as_array().unwrap().len(), rows, "{name}");
            assert!(result["data"].get("$ref").is_none(), "{result}");
        }
    }
    for (name, told) in [
        ("b.md", "which has several tables; the tables are `a.csv`, `b.md#One`, `b.md#Two`"),
        ("c.csv", "the tables are `a.csv`, `b.md#One`, `b.md#Two`"),
        ("t:1", "the tables are"),
    ] {
        let report = session.call("table_tool__sort", &sorted(name).to_string()).await;
        let error = report.result.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Arguments, "{name}");
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[tokio::test]
async fn a_large_result_is_named_and_shown_by_its_beginning() {
    let session = session();
    session.add_document_bytes("a.csv", csv(5_000)).await.unwrap();
    let large = call(&session, "table_tool__sort", sorted("a.csv"), TableResults::MODEL).await;
    assert_eq!(
        (&large["data"]["row_count"], &large["data"]["$ref"], large["data"].get("rows")),
        (&json!(5_000), &json!("t:1"), None)
    );
    assert_eq!(large["data"]["first_rows"].as_array().unwrap().len(), 10);
    assert_eq!(large["data"]["first_rows"][0], json!([4_999, "name 1"]));
    let groups = json!({ "data": { "$ref": "t:1" }, "by": ["name"],
        "aggregates": [{ "column": "n", "function": "sum" }] });
    let small = call(&session, "table_tool__group", groups, TableResults::MODEL).await;
    assert_eq!(
        (small["data"]["rows"].as_array().unwrap().len(), &small["data"]["$ref"]),
        (7, &json!("t:2"))
    );
    let whole = call(&session, "table_tool__sort", sorted("t:1"), TableResults::Whole).await;
    assert_eq!(whole["data"]["rows"].as_array().unwrap().len(), 5_000);
}

#[tokio::test]
async fn the_oldest_results_are_let_go_and_that_is_told() {
    let session = session();
    session.add_document_bytes("a.csv", csv(2)).await.unwrap();
    for _ in 0..101 {
        call(&session, "table_tool__sort", sorted("a.csv"), TableResults::MODEL).await;
    }
    let report = session.call("table_tool__sort", &sorted("t:1").to_string()).await;
    let error = report.result.unwrap_err().to_string();
    assert!(error.contains("which was dropped; repeat the call that returned it"), "{error}");
    let kept = call(&session, "table_tool__sort", sorted("t:2"), TableResults::Whole).await;
    assert_eq!(kept["data"]["rows"].as_array().unwrap().len(), 2);
}

/// Kept results are charged like documents, and given back with the session.
#[tokio::test]
async fn results_take_memory_of_the_documents() {
    let limits = SessionLimits { documents_bytes: 1_000_000, ..SessionLimits::default() };
    let host =
        Host::builder().cache(CacheDir::new(cache())).session_limits(limits).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    session.add_document_bytes("a.csv", csv(10_000)).await.unwrap();
    let mut reached = None;
    for _ in 0..50 {
        let options = CallOptions::new().tables(TableResults::MODEL);
        let arguments = sorted("a.csv").to_string();
        if let Err(error) = session.call_with("table_tool__sort", &arguments, options).await.result
        {
            reached = Some(error.to_string());
            break;
        }
    }
    let told = reached.unwrap();
    assert!(told.contains(Resource::Documents.name()), "{told}");
    let used = session.memory().used;
    assert!((500_000..1_500_000).contains(&used), "{used}");
    drop(session);
    assert_eq!(host.memory().used, 0);
}
