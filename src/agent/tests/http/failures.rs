//! Errors for people when services do not answer.

use mitt_agent::model::{Image, OutputFormat, ToolSpec};
use serde_json::json;

use super::server::{Server, answer, good};
use super::*;

async fn failed(status: &str, headers: &str, body: &str) -> String {
    let server = Server::start(vec![answer(status, headers, body)]).await;
    let model = client(&format!("{}#m", server.url)).build().unwrap();
    formatted(&server.url, &ask(&model).await)
}

#[test]
fn refusals_say_what_to_do() {
    run(async {
        let json = "Content-Type: application/json\r\n";
        insta::assert_snapshot!(failed("401 X", json, r#"{"error":{"message":"Invalid key"}}"#).await, @r#"
        URL#m: the service refused the key (401): Invalid key
        hint: the key was given by the program passes: false
        "#);
        insta::assert_snapshot!(failed("403 X", "", "").await, @r#"
        URL#m: the service refused the key (403)
        hint: the key was given by the program passes: false
        "#);
        insta::assert_snapshot!(failed("404 X", json, r#"{"error":"model 'm' not found"}"#).await, @r#"
        URL#m: no model `m` at URL/chat/completions (404): model 'm' not found
        hint: check the name of the model; check the address, too passes: false
        "#);
        insta::assert_snapshot!(failed("404 X", "", "404 page not found").await, @r#"
        URL#m: nothing is at URL/chat/completions (404): 404 page not found
        hint: check the address: that of most servers ends in `/v1`, and `anthropic+` or `ollama+` in front names another wire passes: false
        "#);
        insta::assert_snapshot!(failed("200 OK", "Content-Encoding: gzip\r\n", "\u{1f}").await, @r#"
        URL#m: the service packed its answer (`gzip`), which was not asked for
        hint: turn off compression of answers in the server, or in the proxy before it passes: false
        "#);
        insta::assert_snapshot!(failed("400 X", json, r#"{"error":{"message":"too\nlong"}}"#).await, @r#"URL#m: the service refused the request (400): too\nlong passes: false"#);
        insta::assert_snapshot!(failed("422 X", json, r#"{"detail":[{"msg":"x"}]}"#).await, @r#"URL#m: the service refused the request (422): [{"msg":"x"}] passes: false"#);
    });
}

#[test]
fn a_key_that_is_missing_or_from_a_file_is_named() {
    run(async {
        let server = Server::start(vec![answer("401 X", "", "who?")]).await;
        let spec = ModelSpec::parse_with(&format!("{}#m", server.url), &|_| None).unwrap();
        let model = HttpModel::builder(spec.clone()).build().unwrap();
        insta::assert_snapshot!(formatted(&server.url, &ask(&model).await), @r#"
        URL#m: the service wants a key (401): who?
        hint: set the environment variable `MITT_MODEL_KEY`, or name a file with the key passes: false
        "#);
        let path = std::env::temp_dir().join(format!("mitt-http-key-{}", std::process::id()));
        std::fs::write(&path, KEY).unwrap();
        let model = HttpModel::builder(spec.key_file(&path)).build().unwrap();
        let (_, error) = ask(&model).await;
        std::fs::remove_file(&path).unwrap();
        let hint = format!("the key is from the file {}", path.display());
        assert_eq!(error.expect("it was refused").hints(), [hint]);
        assert!(server.requests()[1].contains(KEY));
    });
}

#[test]
fn a_page_of_a_proxy_is_no_answer() {
    run(async {
        let html = "Content-Type: text/html; charset=utf-8\r\n";
        let page = "<html>\n<title>Log in</title></html>";
        insta::assert_snapshot!(failed("200 OK", html, page).await, @r#"
        URL#m: URL/chat/completions answers with `text/html; charset=utf-8` and not as a model
        <html>\n<title>Log in</title></html>
        hint: a proxy or a login page may be in between; check the address passes: false
        "#);
    });
}

#[test]
fn a_server_that_does_not_run_is_to_be_started() {
    run(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let model = client(&format!("{url}#m")).build().unwrap();
        let (_, error) = ask(&model).await;
        let error = error.expect("nobody is there");
        assert_eq!(error.message(), format!("{url}#m: no connection to {url}"));
        assert_eq!(error.hints(), ["start the server, or check the port"]);
        assert_eq!(error.details(), ["tried 4 times"]);
        assert!(error.render().contains("cause: ") && error.is_retryable(), "{error:?}");
    });
}

#[test]
fn redirects_are_told_and_not_followed() {
    run(async {
        let other = Server::start(vec![good()]).await;
        for status in ["301 X", "302 X", "303 X", "307 X", "308 X"] {
            let headers = format!("Location: {}/v1\r\n", other.url);
            let server = Server::start(vec![answer(status, &headers, "")]).await;
            let model = client(&format!("{}#m", server.url)).build().unwrap();
            let (_, error) = ask(&model).await;
            let error = error.expect("it was redirected").to_string();
            assert!(
                error.contains(&format!("the service redirects to {}/v1", other.url)),
                "{error}"
            );
        }
        assert_eq!(other.requests().len(), 0);
    });
}

#[test]
fn a_service_that_refuses_strict_schemas_is_asked_without() {
    run(async {
        let said =
            r#"{"error":{"message":"Invalid schema for function 'f': 'oneOf' is not permitted"}}"#;
        let refusal = answer("400 X", "Content-Type: application/json\r\n", said);
        let server = Server::start(vec![refusal.clone(), good(), good(), refusal]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let messages = [Message::user("Hi")];
        let output = OutputFormat { name: "o".into(), schema: json!({"type": "object"}) };
        let mut request = ChatRequest::new(&messages, &[]);
        request.output = Some(&output);
        insta::assert_snapshot!(formatted(&server.url, &ask_with(&model, request).await), @r#"
        Note("the service refused the request (400): Invalid schema for function 'f': 'oneOf' is not permitted; asking without strict schemas from now on")
        Text("Hello")
        "#);
        // The refusal is remembered, and a second one is an error.
        assert_eq!(ask_with(&model, request).await.0.len(), 1);
        assert!(ask_with(&model, request).await.1.is_some());
        let sent =
            server.requests().iter().map(|text| text.contains("json_schema")).collect::<Vec<_>>();
        assert_eq!(sent, [true, false, false, false]);
    });
}

#[test]
fn without_anything_strict_a_refusal_is_final() {
    run(async {
        let server = Server::start(vec![answer("400 X", "", "schema"), good()]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        assert!(ask(&model).await.1.is_some());
        assert_eq!(server.requests().len(), 1);
        // Strict tools are used if the service supports them.
        let tool = ToolSpec {
            name: "f".into(),
            description: String::new(),
            parameters: json!({}),
            is_strict: true,
        };
        let refusal = answer("400 X", "", "tools[0].function.parameters: no");
        let server = Server::start(vec![refusal, good()]).await;
        let mut spec = ModelSpec::parse_with(&format!("{}#m", server.url), &|_| None).unwrap();
        spec.traits.strict = true;
        let model = HttpModel::builder(spec).build().unwrap();
        let (messages, tools) = ([Message::user("Hi")], [tool]);
        assert!(ask_with(&model, ChatRequest::new(&messages, &tools)).await.1.is_none());
        let sent = server.requests().iter().map(|text| text.contains("strict")).collect::<Vec<_>>();
        assert_eq!(sent, [true, false]);
    });
}

#[test]
fn what_a_model_cannot_do_is_not_asked() {
    run(async {
        let server = Server::start(vec![good()]).await;
        let mut spec = ModelSpec::parse_with(&format!("{}#m", server.url), &|_| None).unwrap();
        spec.traits.images = false;
        let model = HttpModel::builder(spec).build().unwrap();
        assert!(!model.takes_images());
        let image = Image { media_type: "image/png".into(), data: vec![1].into() };
        let messages = [Message::User { text: String::new(), images: vec![image] }];
        let (_, error) = ask_with(&model, ChatRequest::new(&messages, &[])).await;
        assert!(error.unwrap().to_string().ends_with("the model takes no pictures"));
        assert_eq!(server.requests().len(), 0);
    });
}
