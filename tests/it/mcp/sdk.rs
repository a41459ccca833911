//! The official SDK as the client, which refuses invalid messages.

use rmcp::model::{CallToolRequestParams, ReadResourceRequestParams};
use rmcp::object;
use rmcp::service::serve_client;
use rmcp::transport::TokioChildProcess;

use crate::support::command;

#[tokio::test(flavor = "multi_thread")]
async fn the_sdk_lists_calls_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["mcp", "--out", "files", "--tools", "all"];
    let program = tokio::process::Command::from(command(folder.path(), &args));
    let client = serve_client((), TokioChildProcess::new(program).unwrap()).await.unwrap();
    let info = client.peer_info().unwrap();
    assert_eq!(info.server_info.as_ref().unwrap().name, "mitt");
    let tools = client.list_all_tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "report__deliver"));
    let arguments = object!({ "markdown": "# A", "filename": "a.md" });
    let request = CallToolRequestParams::new("report__deliver").with_arguments(arguments);
    let answer = client.call_tool(request).await.unwrap();
    assert_eq!(answer.is_error, Some(false), "{answer:?}");
    let read = client
        .read_resource(ReadResourceRequestParams::new("mitt://artifacts/a.md"))
        .await
        .unwrap();
    assert!(format!("{read:?}").contains("# A"));
    let prompts = client.list_all_prompts().await.unwrap();
    assert!(prompts.iter().any(|prompt| prompt.name == "report"), "{prompts:?}");
    assert!(prompts.iter().all(|prompt| prompt.name != "reader-sheet"), "{prompts:?}");
    assert!(!client.list_all_skills().await.unwrap().is_empty());
    client.cancel().await.unwrap();
    // The folder keeps delivered files and the journal.
    assert!(folder.path().join("files/a.md").is_file());
}
