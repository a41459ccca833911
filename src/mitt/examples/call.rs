//! Calls a tool of a bundled skill with a Rust struct, and reads the result into another one.
//!
//! Run it with `cargo run -p mitt --example call`. The first run compiles the skill, which takes seconds in a debug build; its native
//! code is kept in the user's cache folder.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;

use mitt::value::Json;
use mitt::{Host, HostBuilder, SessionOptions};

/// Arguments of `document_tool__read_table`.
#[derive(serde::Serialize)]
struct ReadTable<'a> {
    name: &'a str,
}

/// Its result.
#[derive(Debug, serde::Deserialize)]
struct Read {
    columns: Vec<String>,
    rows: Vec<Vec<serde_json::Value>>,
}

/// Runs the example.
///
/// # Errors
///
/// The example does not behave as described.
#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn Error>> {
    run(Host::builder()).await
}

pub(crate) async fn run(builder: HostBuilder) -> Result<(), Box<dyn Error>> {
    // One host for each process, one session for each conversation.
    let session = builder.build()?.session(SessionOptions::default())?;
    session.add_document_bytes("sales.csv", "月份,收入\n1月,12.5\n2月,14\n".into()).await?;

    let arguments = Json::from_serialize(&ReadTable { name: "sales.csv" })?;
    let report = session.call("document_tool__read_table", &arguments.to_string()).await;
    let read: Read = report.result?.deserialize()?;
    println!("{:?}: {} rows; {} units of fuel", read.columns, read.rows.len(), report.usage.fuel);
    assert_eq!(read.columns, ["月份", "收入"]);
    assert_eq!(read.rows[1][1], 14);

    // A call that does not fit the interface of the skill is refused before anything runs. The error is meant for the model.
    let error = session.call("document_tool__read_table", r#"{"nam": "sales.csv"}"#).await.result;
    let error = error.err().ok_or("the call was not refused")?;
    println!("{error:#}");
    assert!(
        error.hints().iter().chain(error.details()).any(|it| it.contains("`name`"))
            || error.to_string().contains("`name`")
    );
    Ok(())
}
