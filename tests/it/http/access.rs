//! `Host`, `Origin`, and pages in browsers.

use hyper::Method;
use mitt::{ErrorKind, Remedy};
use mitt_serve::http::{HttpOptions, HttpServer};
use mitt_serve::mcp::ServerOptions;
use serde_json::json;

use super::client::{host, initialize, options, read, start};

#[tokio::test(flavor = "multi_thread")]
async fn a_page_from_elsewhere_gets_nothing() {
    let server = start(options()).await;
    let mut client = server.client().await;
    for path in ["/mcp", "/healthz", "/readyz", "/metrics"] {
        for (name, value) in
            [("host", "evil.example"), ("origin", "http://evil.example"), ("origin", "null")]
        {
            let reply =
                client.send(Method::POST, path, &[(name, value)], initialize().to_string()).await;
            let reply = read(reply).await;
            assert_eq!(reply.status, 403, "{path} {name} {value}: {reply:?}");
            assert!(!reply.headers.contains_key("mcp-session-id"));
            assert!(!reply.headers.contains_key("access-control-allow-origin"));
        }
    }
    let origin = format!("http://{}", server.address);
    let reply =
        client.send(Method::POST, "/mcp", &[("origin", &origin)], initialize().to_string()).await;
    assert_eq!(reply.status(), 200);
    // Pages were not allowed to read responses.
    assert!(!reply.headers().contains_key("access-control-allow-origin"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_listed_origins_may_use_the_server() {
    let page = "https://app.example.org";
    let server = start(HttpOptions { origins: vec![page.into()], ..options() }).await;
    let mut client = server.client().await;
    // Pages may send headers that the server does not know; Open WebUI and `openai` do.
    let names = "authorization,content-type,x-session-id";
    let asked = [
        ("origin", page),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", names),
    ];
    let reply = client.send(Method::OPTIONS, "/mcp", &asked, "").await;
    let reply = read(reply).await;
    assert_eq!(reply.status, 204);
    assert_eq!(reply.headers["access-control-allow-origin"], page);
    assert_eq!(reply.headers["access-control-allow-headers"], names);
    let reply =
        client.send(Method::POST, "/mcp", &[("origin", page)], initialize().to_string()).await;
    assert_eq!(reply.headers()["access-control-allow-origin"], page);
    assert!(
        reply.headers()["access-control-expose-headers"]
            .to_str()
            .unwrap()
            .contains("mcp-session-id")
    );
    let other =
        [("origin", "https://other.example.org"), ("access-control-request-method", "POST")];
    assert_eq!(client.again().await.send(Method::OPTIONS, "/mcp", &other, "").await.status(), 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn others_need_tokens() {
    let open = HttpOptions { listen: "0.0.0.0:0".parse().unwrap(), ..HttpOptions::default() };
    let error = HttpServer::bind(host(), ServerOptions::default(), open).await.err().unwrap();
    assert_eq!(*error.kind(), ErrorKind::Denied);
    assert!(error.remedies().eq([&Remedy::TokenFile]), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_port_is_told() {
    let server = start(options()).await;
    let same = HttpOptions { listen: server.address, ..HttpOptions::default() };
    let error = HttpServer::bind(host(), ServerOptions::default(), same).await.err().unwrap();
    assert_eq!(*error.kind(), ErrorKind::Host);
    assert!(error.remedies().eq([&Remedy::ListenElsewhere]), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_protocol_say_nothing_of_the_machine() {
    let server = start(options()).await;
    let mut client = server.client().await;
    client.initialize().await;
    let answer =
        client.request("resources/read", json!({ "uri": "mitt://documents/../etc/passwd" })).await;
    assert!(answer["error"]["code"].is_i64(), "{answer}");
    assert!(!answer.to_string().contains(crate::support::root().to_str().unwrap()), "{answer}");
}
