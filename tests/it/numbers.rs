//! A number that a double can hold leaves every exit unchanged: JSON, workbooks, SQL, scripts of each engine.

use std::io::Cursor;

use calamine::{Data, Reader as _};
use mitt::{CallOptions, Session, TableResults};
use serde_json::{Value, json};

use crate::support::{engines, outcome, session};

/// Returns fractions with all numbers of digits. Whole numbers of more than 15 digits count as identifiers, which workbooks
/// keep as text.
fn numbers() -> Vec<f64> {
    let mut numbers = vec![
        1.0 / 3.0,
        100.0 / 7.0,
        0.1 + 0.2,
        -2.0 / 3.0,
        0.07 * 100.0,
        1e15 / 3.0,
        999_999_999_999_999.0,
        0.5,
        0.1,
        1234.56,
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..400 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let fraction = (state >> 11) as f64 / (1_u64 << 53) as f64;
        numbers.push((fraction - 0.5) * 10_f64.powi(round % 19 - 3));
    }
    numbers
}

/// Returns the numbers as rows of a call, each with its index.
fn given() -> Vec<Value> {
    let row = |(at, number)| json!({ "x": number, "at": at });
    numbers().into_iter().enumerate().map(row).collect()
}

/// Opens a session with `numbers.csv`, which has the numbers in the column `x`.
async fn with_numbers() -> Session {
    let session = session();
    let rows = numbers().into_iter().map(|number| format!("{number}\n"));
    let text = format!("x\n{}", rows.collect::<String>());
    session.add_document_bytes("numbers.csv", text.into_bytes()).await.unwrap();
    session
}

/// Asserts that `values` are the numbers, each as a JSON number.
fn check(exit: &str, values: impl IntoIterator<Item = Value>) {
    let values: Vec<Value> = values.into_iter().collect();
    assert_eq!(values.len(), numbers().len(), "{exit}");
    for (value, number) in values.into_iter().zip(numbers()) {
        assert_eq!(value.as_f64(), Some(number), "{exit}: {value} in place of {number}");
    }
}

/// Asserts that the first column of the workbook's only sheet has the numbers, each in a numeric cell.
fn check_workbook(exit: &str, session: &Session, name: &str) {
    let content = session.artifact_content(name).unwrap();
    let mut book = calamine::Xlsx::new(Cursor::new(content)).unwrap();
    let sheet = book.worksheet_range_at(0).unwrap().unwrap();
    let cells = sheet.rows().skip(1).map(|row| match &row[0] {
        Data::Float(number) => json!(number),
        Data::Int(number) => json!(number),
        other => json!(format!("{other:?}")),
    });
    check(exit, cells);
}

async fn call(session: &Session, tool: &str, arguments: Value) -> Value {
    let options = CallOptions::new().tables(TableResults::Whole);
    let report = session.call_with(tool, &arguments.to_string(), options).await;
    serde_json::from_str(&report.result.unwrap().to_string()).unwrap()
}

/// Returns the first cell of each row of a table.
fn cells(table: &Value) -> Vec<Value> {
    let rows = table["rows"].as_array().unwrap_or_else(|| panic!("no rows: {table}"));
    rows.iter().map(|row| row[0].clone()).collect()
}

#[tokio::test]
async fn doubles_leave_calls_and_queries_as_they_came() {
    let session = with_numbers().await;
    let table = call(&session, "document_tool__read_table", json!({ "name": "numbers.csv" })).await;
    check("document", cells(&table));
    let given = given();
    let arguments = json!({ "data": given, "keys": [{ "column": "at" }] });
    let sorted = call(&session, "table_tool__sort", arguments).await;
    check("call", cells(&sorted["data"]));
    for arguments in [
        json!({ "sql": "SELECT x FROM numbers" }),
        json!({ "sql": "SELECT x FROM given", "tables": [{ "name": "given", "data": given }] }),
    ] {
        let answer = call(&session, "sql_tool__query", arguments).await;
        check("query", cells(&answer["data"]));
    }
}

#[tokio::test]
async fn doubles_are_numbers_in_workbooks() {
    let session = with_numbers().await;
    let arguments = json!({ "data": given(), "filename": "given.xlsx" });
    call(&session, "excel_tool__create_excel", arguments).await;
    check_workbook("workbook of a call", &session, "given.xlsx");
    let options = CallOptions::new().tables(TableResults::MODEL);
    let arguments = json!({ "sql": "SELECT x FROM numbers" }).to_string();
    let report = session.call_with("sql_tool__query", &arguments, options).await;
    let answer: Value = serde_json::from_str(&report.result.unwrap().to_string()).unwrap();
    let arguments = json!({ "data": { "$ref": answer["data"]["$ref"] }, "filename": "query.xlsx" });
    call(&session, "excel_tool__create_excel", arguments).await;
    check_workbook("workbook of a query", &session, "query.xlsx");
}

#[tokio::test]
async fn doubles_leave_scripts_as_they_came() {
    for engine in engines() {
        let session = with_numbers().await;
        let code = "t = documents['numbers.csv'].tables[0]\n[float(x) for x in t.column('x')]";
        let done = outcome(&session, &engine, code).await;
        check(&format!("{engine}, column"), done["result"].as_array().cloned().unwrap_or_default());
        let code = "import excel_tool\nt = documents['numbers.csv'].tables[0]\n\
            excel_tool.create_excel(data=t, filename='whole.xlsx')\n\
            excel_tool.create_excel(data=[{'x': float(row['x'])} for row in t], filename='rows.xlsx')\n'done'";
        let done = outcome(&session, &engine, code).await;
        assert_eq!(done["result"], "done", "{engine}: {done}");
        for name in ["whole.xlsx", "rows.xlsx"] {
            check_workbook(&format!("{engine}, {name}"), &session, name);
        }
    }
}
