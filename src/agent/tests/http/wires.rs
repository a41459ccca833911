//! Every wire over a connection: paths and headers of requests, and answers in one piece.

use super::server::{DONE, Server, Step, answer, good, head, text};
use super::*;

/// Returns the first line of a request, and its headers for keys and versions.
fn asked(server: &Server) -> String {
    let request = server.requests().pop().unwrap();
    let (head, _) = request.split_once("\r\n\r\n").unwrap();
    let mut lines = head.lines();
    let first = lines.next().unwrap().to_owned();
    let names = ["authorization", "x-api-key", "anthropic-version"];
    let mut headers: Vec<_> =
        lines.filter(|line| names.iter().any(|name| line.starts_with(name))).collect();
    headers.sort_unstable();
    format!("{first}\n{}", headers.join("\n"))
}

#[test]
fn requests_go_where_the_wire_says() {
    run(async {
        let json = "Content-Type: application/json\r\n";
        let mut requests = Vec::new();
        for (name, body) in [
            (
                "chat+URL/v1/#m",
                r#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#,
            ),
            (
                "responses+URL/v1#m",
                r#"{"status":"completed","output":[{"type":"message","content":[{"text":"a"}]}]}"#,
            ),
            (
                "anthropic+URL#m",
                r#"{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}"#,
            ),
            (
                "anthropic+URL/v1#m",
                r#"{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}"#,
            ),
            ("ollama+URL#m", r#"{"message":{"content":"a"},"done":true}"#),
        ] {
            let server = Server::start(vec![answer("200 OK", json, body)]).await;
            let model = client(&name.replace("URL", &server.url)).build().unwrap();
            let (events, error) = ask(&model).await;
            assert_eq!(
                (events, error.map(|error| error.render())),
                (vec![ChatEvent::Text("a".into())], None),
                "{name}"
            );
            requests.push(format!("{name}: {}", asked(&server)));
        }
        insta::assert_snapshot!(requests.join("\n").replace(KEY, "KEY"), @r#"
        chat+URL/v1/#m: POST /v1/chat/completions HTTP/1.1
        authorization: Bearer KEY
        responses+URL/v1#m: POST /v1/responses HTTP/1.1
        authorization: Bearer KEY
        anthropic+URL#m: POST /v1/messages HTTP/1.1
        anthropic-version: 2023-06-01
        x-api-key: KEY
        anthropic+URL/v1#m: POST /v1/messages HTTP/1.1
        anthropic-version: 2023-06-01
        x-api-key: KEY
        ollama+URL#m: POST /api/chat HTTP/1.1
        authorization: Bearer KEY
        "#);
    });
}

#[test]
fn streams_are_read_whatever_their_type_says() {
    run(async {
        for kind in ["", "Content-Type: text/plain\r\n", "Content-Type: application/json\r\n"] {
            let server =
                Server::start(vec![vec![Step::Send(head("200 OK", kind) + &text("Hello") + DONE)]])
                    .await;
            let model = client(&format!("{}#m", server.url)).build().unwrap();
            let (events, error) = ask(&model).await;
            assert_eq!(events, [ChatEvent::Text("Hello".into())], "{kind}");
            assert!(error.is_none());
        }
        let line = "{\"message\":{\"content\":\"a\"},\"done\":false}\n";
        let lines = head("200 OK", "Content-Type: application/x-ndjson\r\n")
            + line
            + line
            + "{\"done\":true}\n";
        let server = Server::start(vec![vec![Step::Send(lines)]]).await;
        let model = client(&format!("ollama+{}#m", server.url)).build().unwrap();
        assert_eq!(ask(&model).await.0.len(), 2);
    });
}

#[test]
fn a_session_is_driven_by_a_model_behind_http() {
    run(async {
        let call = r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"nothing__here","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#;
        let call = vec![Step::Send(server::events() + call + "\n\n")];
        let server = Server::start(vec![call, good()]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let host = mitt::Host::builder().no_cache().build().unwrap();
        let session = host.session(mitt::SessionOptions::default()).unwrap();
        let agent = mitt_agent::Agent::builder(std::sync::Arc::new(model)).build();
        let report = agent.run(&session, "Do it").await.unwrap();
        assert_eq!((report.text.as_str(), report.turns, report.calls.len()), ("Hello", 2, 1));
        assert!(server.requests()[1].contains(r#""tool_call_id":"c""#));
    });
}
