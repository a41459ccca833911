//! Clients of one server try to see the data of others.

use mitt_serve::mcp::{Client, Server, ServerOptions};
use rmcp::model::{CallToolRequestParams, ReadResourceRequestParams};
use rmcp::service::{RunningService, serve_client, serve_server};
use rmcp::{RoleClient, object};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};

use crate::support::host;

type Connected = RunningService<RoleClient, ()>;

/// Connects a client with a handshake, over a pipe in memory.
async fn connect(server: &Server, client: Client) -> Connected {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let connection = server.connection(client);
    tokio::spawn(async move {
        if let Ok(service) = serve_server(connection, far).await {
            let _ = service.waiting().await;
        }
    });
    serve_client((), near).await.unwrap()
}

fn server(options: ServerOptions) -> Server {
    Server::new(host(), options).unwrap()
}

fn client(tenant: &str, id: &str) -> Client {
    Client { tenant: Some(tenant.into()), id: Some(id.into()) }
}

async fn add(client: &Connected, name: &str, text: &str) {
    let arguments = object!({ "name": name, "text": text });
    let request = CallToolRequestParams::new("documents__add").with_arguments(arguments);
    assert_eq!(client.call_tool(request).await.unwrap().is_error, Some(false));
}

async fn deliver(client: &Connected, filename: &str) {
    let arguments = object!({ "markdown": "# secret", "filename": filename });
    let request = CallToolRequestParams::new("report__deliver").with_arguments(arguments);
    let answer = client.call_tool(request).await.unwrap();
    assert_eq!(answer.is_error, Some(false), "{answer:?}");
}

async fn seen(client: &Connected) -> String {
    let mut seen = Vec::new();
    for resource in client.list_all_resources().await.unwrap() {
        if !resource.uri.starts_with("skill://") {
            seen.push(resource.uri);
        }
    }
    let listed = client
        .call_tool(CallToolRequestParams::new("document_tool__list_documents"))
        .await
        .unwrap();
    seen.push(listed.content[0].as_text().unwrap().text.clone());
    seen.join(" ")
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_never_see_each_others_documents_and_files() {
    let server = server(ServerOptions::default());
    // Two clients with one token and tenant, and one of another tenant.
    let one = connect(&server, client("a", "token-a")).await;
    let two = connect(&server, client("a", "token-a")).await;
    let other = connect(&server, client("b", "token-b")).await;
    add(&one, "secret.txt", "secret").await;
    deliver(&one, "secret.md").await;
    for stranger in [&two, &other] {
        assert_eq!(seen(stranger).await, "[]");
        for uri in ["mitt://documents/secret.txt", "mitt://artifacts/secret.md"] {
            let read = stranger.read_resource(ReadResourceRequestParams::new(uri)).await;
            assert!(read.unwrap_err().to_string().contains("resource not found"));
        }
        let arguments = object!({ "name": "secret.txt" });
        let request =
            CallToolRequestParams::new("document_tool__read_document").with_arguments(arguments);
        assert_eq!(stranger.call_tool(request).await.unwrap().is_error, Some(true));
    }
    // Another client may use the same name.
    add(&two, "secret.txt", "other").await;
    let text = two
        .read_resource(ReadResourceRequestParams::new("mitt://documents/secret.txt"))
        .await
        .unwrap();
    assert!(format!("{text:?}").contains("other"));
    assert!(seen(&one).await.contains("mitt://artifacts/secret.md"));
    assert_eq!(server.counts().sessions, 3);
    // A session ends with its connection.
    one.cancel().await.unwrap();
    for _ in 0..200 {
        if server.counts().sessions == 2 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(server.counts().sessions, 2);
    let again = connect(&server, client("a", "token-a")).await;
    assert_eq!(seen(&again).await, "[]");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_bounded() {
    let server = server(ServerOptions { max_sessions: 2, ..ServerOptions::default() });
    let _one = connect(&server, Client::default()).await;
    let two = connect(&server, Client::default()).await;
    let (near, far) = tokio::io::duplex(1024);
    let connection = server.connection(Client::default());
    tokio::spawn(async move {
        let _ = serve_server(connection, far).await;
    });
    let error = serve_client((), near).await.unwrap_err().to_string();
    assert!(error.contains("all 2 sessions are in use"), "{error}");
    two.cancel().await.unwrap();
    for _ in 0..200 {
        if server.counts().sessions == 1 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    connect(&server, Client::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_refuses_calls_and_ends_those_that_run() {
    let server = server(ServerOptions::default());
    let client = connect(&server, Client::default()).await;
    add(&client, "a.txt", "x").await;
    server.close(std::time::Duration::from_millis(100)).await;
    assert!(server.is_closing());
    let answer = client
        .call_tool(CallToolRequestParams::new("document_tool__list_documents"))
        .await
        .unwrap();
    assert_eq!(answer.is_error, Some(true));
    assert!(answer.content[0].as_text().unwrap().text.contains("about to end"));
    let arguments = object!({ "name": "b.txt", "text": "x" });
    let request = CallToolRequestParams::new("documents__add").with_arguments(arguments);
    assert_eq!(client.call_tool(request).await.unwrap().is_error, Some(true));
}

/// Sends a line to a connection that serves one request, as HTTP does in 2026-07-28, and returns the answer.
async fn modern(server: &Server, client: Client, method: &str, mut params: Value) -> Value {
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let (near, far) = tokio::io::duplex(64 * 1024);
    let connection = server.connection(client);
    let served = tokio::spawn(async move {
        serve_server(connection, far).await.unwrap().waiting().await.unwrap();
    });
    let (input, mut output) = tokio::io::split(near);
    output.write_all(format!("{request}\n").as_bytes()).await.unwrap();
    let mut lines = tokio::io::BufReader::new(input).lines();
    let answer = loop {
        let line = lines.next_line().await.unwrap().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == 1 {
            break message;
        }
    };
    drop((lines, output));
    served.await.unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_share_the_session_of_their_client_and_of_nobody_else() {
    let server = server(ServerOptions::default());
    let add = |client: Client, name: &str, session: Option<&str>| {
        let mut params = json!({
            "name": "documents__add", "arguments": { "name": name, "text": "x" }, "_meta": {},
        });
        if let Some(session) = session {
            params["_meta"]["mitt/session"] = json!(session);
        }
        let server = server.clone();
        async move {
            let answer = modern(&server, client, "tools/call", params).await;
            assert_eq!(answer["result"]["isError"], false, "{answer}");
        }
    };
    let seen = |client: Client, session: Option<&str>| {
        let mut params = json!({ "_meta": {} });
        if let Some(session) = session {
            params["_meta"]["mitt/session"] = json!(session);
        }
        let server = server.clone();
        async move {
            let answer = modern(&server, client, "resources/list", params).await;
            let list = answer["result"]["resources"].as_array().unwrap().clone();
            let uris = list.iter().map(|it| it["uri"].as_str().unwrap().to_owned());
            uris.filter(|uri| uri.starts_with("mitt://")).collect::<Vec<_>>()
        }
    };
    let (a, b) = (client("t", "a"), client("t", "b"));
    add(a.clone(), "a.txt", None).await;
    assert_eq!(seen(a.clone(), None).await, ["mitt://documents/a.txt"]);
    assert!(seen(b.clone(), None).await.is_empty(), "another token of the same tenant");
    assert!(seen(client("other", "a"), None).await.is_empty(), "the same id of another tenant");
    // A client may have several sessions.
    add(a.clone(), "second.txt", Some("second")).await;
    assert_eq!(seen(a.clone(), Some("second")).await, ["mitt://documents/second.txt"]);
    assert_eq!(seen(a.clone(), None).await, ["mitt://documents/a.txt"]);
    assert!(seen(b, Some("second")).await.is_empty());
    let wrong = json!({ "_meta": { "mitt/session": "" } });
    assert_eq!(modern(&server, a.clone(), "resources/list", wrong).await["error"]["code"], -32602);
    // A connection with a handshake is separate from them.
    let connected = connect(&server, a.clone()).await;
    assert_eq!(self::seen(&connected).await, "[]");
    // After revocation, none of its sessions is left.
    let before = server.counts().sessions;
    server.forget(&a);
    assert_eq!(server.counts().sessions, before - 2);
    assert!(seen(a, None).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_sessions_make_room_for_their_own_client_alone() {
    let server = server(ServerOptions { max_sessions: 2, ..ServerOptions::default() });
    let call = async |id: &str, session: &str| {
        let params = json!({
            "name": "document_tool__list_documents", "arguments": {}, "_meta": { "mitt/session": session },
        });
        let answer = modern(&server, client("t", id), "tools/call", params).await;
        (answer["result"].is_object(), server.counts().sessions)
    };
    assert_eq!(call("a", "one").await, (true, 1));
    assert_eq!(call("b", "one").await, (true, 2));
    // There is no place for another client, even if some clients are idle.
    assert_eq!(call("c", "one").await, (false, 2));
    assert_eq!(call("a", "one").await, (true, 2));
    // The client's own session makes room.
    assert_eq!(call("a", "two").await, (true, 2));
    assert_eq!(call("b", "one").await, (true, 2));
    // A request that only looks needs no place.
    let list = modern(&server, client("t", "c"), "tools/list", json!({ "_meta": {} })).await;
    assert!(list["result"]["tools"].is_array(), "{list}");
    assert_eq!(server.counts().sessions, 2);
}
