//! The skill sql-tool, as a component: over documents, over results, and what it refuses.

use std::fs;

use mitt::{CallOptions, Session, TableResults};
use serde_json::{Value, json};

use crate::support::{root, session};

/// Returns the result, or the text of the error.
async fn ask(session: &Session, arguments: Value) -> Result<Value, String> {
    let options = CallOptions::new().tables(TableResults::MODEL);
    let report = session.call_with("sql_tool__query", &arguments.to_string(), options).await;
    let result = report.result.map_err(|error| error.to_string())?;
    Ok(serde_json::from_str(&result.to_string()).unwrap())
}

async fn rows(session: &Session, sql: &str) -> Value {
    ask(session, json!({ "sql": sql })).await.unwrap()["data"]["rows"].take()
}

async fn refused(session: &Session, sql: &str) -> String {
    ask(session, json!({ "sql": sql })).await.unwrap_err()
}

async fn with_orders() -> Session {
    let session = session();
    let orders = "编号,日期,地区,金额\n1,2024-01-31,华东,0.10\n2,2024-02-01,华东,0.20\n3,2024-02-29,华南,12.50\n";
    session.add_document_bytes("订单.csv", orders.into()).await.unwrap();
    let targets = "地区,目标\n华东,1\n华南,10\n";
    session.add_document_bytes("2024 targets.csv", targets.into()).await.unwrap();
    session
}

#[tokio::test]
async fn documents_are_tables_with_exact_decimals() {
    let session = with_orders().await;
    let sql = "SELECT o.地区, sum(金额) AS 合计, sum(金额) - 目标 AS 差 FROM 订单 o \
        JOIN t_2024_targets t ON t.地区 = o.地区 GROUP BY 1 ORDER BY 1";
    assert_eq!(rows(&session, sql).await, json!([["华东", 0.3, -0.7], ["华南", 12.5, 2.5]]));
    let sql = "SELECT strftime('%Y-%m', 日期), count(*) FROM 订单 GROUP BY 1 ORDER BY 1";
    assert_eq!(rows(&session, sql).await, json!([["2024-01", 1], ["2024-02", 2]]));
    let sql = "SELECT name, \"rows\" FROM tables WHERE length(name) > 2 OR name > 'z' ORDER BY 1";
    assert_eq!(rows(&session, sql).await, json!([["t_2024_targets", 2], ["订单", 3]]));
}

#[tokio::test]
async fn a_result_is_a_table_for_the_next_call() {
    let session = with_orders().await;
    let first = ask(&session, json!({ "sql": "SELECT 地区, 金额 FROM 订单 WHERE 金额 < 1" })).await;
    let reference = first.unwrap()["data"]["$ref"].take();
    assert_eq!(reference, "t:1");
    assert_eq!(rows(&session, "SELECT sum(金额) FROM t1").await, json!([[0.3]]));
    let arguments = json!({
        "sql": "SELECT count(*) FROM small JOIN given USING (地区)",
        "tables": [
            { "name": "small", "data": { "$ref": "t:1" } },
            { "name": "given", "data": [{ "地区": "华东" }] },
        ],
    });
    assert_eq!(ask(&session, arguments).await.unwrap()["data"]["rows"], json!([[2]]));
    let sheet = json!({ "data": { "$ref": "t:1" }, "filename": "small.xlsx" }).to_string();
    let report = session.call("excel_tool__create_excel", &sheet).await;
    report.result.unwrap();
    assert_eq!(report.artifacts.len(), 1);
}

#[tokio::test]
async fn what_is_rounded_or_lost_is_told() {
    let session = with_orders().await;
    let outcome =
        ask(&session, json!({ "sql": "SELECT 1 / 3.0 AS third, 5 / 2 AS half" })).await.unwrap();
    let warnings = outcome["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|it| it.as_str().unwrap().contains("`third`")), "{outcome}");
    assert!(warnings.iter().any(|it| it.as_str().unwrap().contains("whole")), "{outcome}");
    assert_eq!(outcome["data"]["rows"], json!([[0.333333333333333, 2]]));
}

#[tokio::test]
async fn errors_name_the_place_and_near_names() {
    let session = with_orders().await;
    let told = refused(&session, "SELECT 地区,\n  sum(金额额) FROM 订单").await;
    assert!(told.contains("line 2, column 7") && told.contains("did you mean `金额`"), "{told}");
    let told = refused(&session, "SELECT * FROM 定单").await;
    assert!(told.contains("there are: 订单, t_2024_targets"), "{told}");
}

#[tokio::test]
async fn nothing_outside_of_the_call_is_changed() {
    let session = with_orders().await;
    for (sql, word) in [
        ("DELETE FROM 订单", "cannot be changed"),
        ("DROP TABLE 订单", ""),
        ("ATTACH '/etc/passwd' AS x", "there are none here"),
        ("SELECT load_extension('x')", "load_extension"),
        ("SELECT readfile('/etc/passwd')", "readfile"),
        ("VACUUM INTO 'x.db'", "none here"),
        ("PRAGMA temp_store_directory = '/'", "not allowed"),
        ("SELECT date('now')", "clock"),
    ] {
        let told = refused(&session, sql).await;
        assert!(told.contains(word), "{sql}: {told}");
    }
    rows(&session, "CREATE TEMP TABLE kept AS SELECT * FROM 订单; DELETE FROM kept; SELECT 1")
        .await;
    assert!(refused(&session, "SELECT * FROM kept").await.contains("no such table"));
    assert_eq!(rows(&session, "SELECT count(*) FROM 订单").await, json!([[3]]));
}

/// Each ends with an error that names the limit, and the session continues.
#[tokio::test]
async fn queries_that_never_end_or_grow_end() {
    let session = with_orders().await;
    for sql in [
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        "WITH RECURSIVE n(t) AS (VALUES ('x') UNION ALL SELECT t || t FROM n) SELECT max(length(t)) FROM n",
        "SELECT randomblob(1000000000)",
        "SELECT replace(hex(zeroblob(100000000)), '0', 'xxxxxxxx')",
    ] {
        let told = refused(&session, sql).await;
        let named = ["fuel", "memory", "too big", "time", "blob"];
        assert!(named.iter().any(|word| told.contains(word)), "{sql}: {told}");
    }
    assert_eq!(rows(&session, "SELECT 1").await, json!([[1]]));
}

#[tokio::test]
async fn a_hundred_thousand_rows_are_joined_and_grouped() {
    let session = session();
    let mut sales = String::from("id,shop,amount\n");
    for id in 0..100_000 {
        sales.push_str(&format!("{id},{},{}.{:02}\n", id % 300, id % 977, id % 100));
    }
    let shops: String = (0..300).map(|id| format!("{id},region {}\n", id % 4)).collect();
    session.add_document_bytes("sales.csv", sales.into_bytes()).await.unwrap();
    let shops = format!("id,region\n{shops}").into_bytes();
    session.add_document_bytes("shops.csv", shops).await.unwrap();
    let sql = "SELECT region, sum(amount), count(*) FROM sales JOIN shops ON shops.id = shop GROUP BY 1 ORDER BY 1";
    let mut units = [0_u64; 4];
    for id in 0..100_000_u64 {
        units[(id % 300 % 4) as usize] += id % 977 * 100 + id % 100;
    }
    let found = rows(&session, sql).await;
    for (region, units) in units.iter().enumerate() {
        let sum = format!("{}.{:02}", units / 100, units % 100);
        let sum = sum.trim_end_matches('0').trim_end_matches('.');
        assert_eq!(found[region][1].to_string(), sum);
        assert_eq!(found[region][2], 25_000);
    }
}

/// The text for the model offers only queries that work.
#[tokio::test]
async fn examples_of_the_instructions_run() {
    let session = session();
    let text = fs::read_to_string(root().join("skills/sql-tool/SKILL.md")).unwrap();
    let sales = "region,day,amount\nEast,2024-01-05,10.5\nWest,2024-02-06,20\n";
    session.add_document_bytes("sales.csv", sales.into()).await.unwrap();
    session.add_document_bytes("订单.csv", "地区,金额\n华东,1.5\n".into()).await.unwrap();
    for _ in 0..3 {
        ask(&session, json!({ "sql": "SELECT region, amount FROM sales" })).await.unwrap();
    }
    let examples: Vec<_> =
        text.split("```json\n").skip(1).map(|it| it.split("```").next().unwrap()).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let arguments = serde_json::from_str(example).unwrap();
        ask(&session, arguments).await.unwrap_or_else(|error| panic!("{example}: {error}"));
    }
}
