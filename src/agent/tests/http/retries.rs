//! What is retried, when, and what is reported about it.

use mitt::Environment;

use super::server::{DONE, Server, Step, answer, good, text};
use super::*;

fn notes(events: &[ChatEvent]) -> Vec<&ChatEvent> {
    events.iter().filter(|event| matches!(event, ChatEvent::Note(_))).collect()
}

#[test]
fn three_forms_of_retry_after_are_waited_for() {
    run(async {
        // The clock is two seconds before the date.
        let clock = Some(Duration::from_millis(784_111_776_800));
        for (header, at_least) in [
            ("retry-after-ms: 150", 150),
            ("Retry-After: 0.15", 150),
            ("Retry-After: 1", 1_000),
            ("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT", 200),
        ] {
            let busy = answer("429 Too Many Requests", &format!("{header}\r\n"), "slow down");
            let server = Server::start(vec![busy, good()]).await;
            let environment = Environment { clock, ..Environment::default() };
            let model = client(&format!("{}#m", server.url)).environment(environment);
            let start = std::time::Instant::now();
            let (events, error) = ask(&model.build().unwrap()).await;
            assert!(error.is_none(), "{header}: {error:?}");
            assert!(start.elapsed() >= ms(at_least), "{header}: {:?}", start.elapsed());
            assert_eq!(notes(&events).len(), 1);
            assert!(
                matches!(&events[0], ChatEvent::Note(note) if note.starts_with("the service has too much to do (429): slow down; try 2 of 4 after ")),
                "{events:?}"
            );
            assert_eq!(events[1..], [ChatEvent::Text("Hello".into())]);
            assert_eq!(server.requests().len(), 2);
        }
    });
}

#[test]
fn a_service_that_wants_a_long_wait_is_not_waited_for() {
    run(async {
        let busy = answer("429 Too Many Requests", "Retry-After: 3600\r\n", "");
        let server = Server::start(vec![busy]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        insta::assert_snapshot!(formatted(&server.url, &ask(&model).await), @r#"
        URL#m: the service has too much to do (429)
        hint: the service asks to wait for 3600 s passes: true
        "#);
        assert_eq!(server.requests().len(), 1);
    });
}

#[test]
fn retryable_failures_are_tried_four_times() {
    run(async {
        for status in [408, 429, 500, 502, 503, 504, 529] {
            let server = Server::start(vec![answer(&format!("{status} X"), "", "")]).await;
            let model = client(&format!("{}#m", server.url)).build().unwrap();
            let (_, error) = ask(&model).await;
            let error = error.expect("it failed");
            assert!(error.is_retryable(), "{status}");
            assert_eq!(error.details(), ["tried 4 times"], "{status}");
            assert_eq!(server.requests().len(), 4, "{status}");
        }
        for status in [400, 401, 402, 403, 404, 409, 413, 422, 501] {
            let server =
                Server::start(vec![answer(&format!("{status} X"), "", "no"), good()]).await;
            let model = client(&format!("{}#m", server.url)).build().unwrap();
            let (_, error) = ask(&model).await;
            assert!(!error.expect("it failed").is_retryable(), "{status}");
            assert_eq!(server.requests().len(), 1, "{status}");
        }
    });
}

#[test]
fn every_try_is_told_of() {
    run(async {
        let failures = [("500 X", "a"), ("503 X", "b"), ("529 X", "c")];
        let mut scripts: Vec<_> = failures.map(|(status, said)| answer(status, "", said)).into();
        scripts.push(good());
        let server = Server::start(scripts).await;
        let model = client(&format!("{}#m", server.url)).backoff(Duration::ZERO).build().unwrap();
        insta::assert_snapshot!(formatted(&server.url, &ask(&model).await), @r#"
        Note("the service failed (500): a; try 2 of 4 after 0 s")
        Note("the service failed (503): b; try 3 of 4 after 0 s")
        Note("the service is overloaded (529): c; try 4 of 4 after 0 s")
        Text("Hello")
        "#);
    });
}

#[test]
fn a_further_try_is_told_of_before_it_waits() {
    run(async {
        let busy = answer("503 X", "Retry-After: 30\r\n", "");
        let server = Server::start(vec![busy]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let messages = [Message::user("Hi")];
        let start = std::time::Instant::now();
        let mut stream = model.chat(ChatRequest::new(&messages, &[])).await.unwrap();
        let first = stream.next().await.unwrap().unwrap();
        assert!(
            matches!(&first, ChatEvent::Note(note) if note.ends_with("after 30 s")),
            "{first:?}"
        );
        assert!(start.elapsed() < ms(10_000));
        assert_eq!(server.requests().len(), 1);
    });
}

#[test]
fn a_server_that_loads_its_model_is_waited_for() {
    run(async {
        let said = r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#;
        let loading = answer("503 X", "Content-Type: application/json\r\n", said);
        let mut scripts = vec![loading.clone(); 7];
        scripts.push(good());
        let server = Server::start(scripts).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        insta::assert_snapshot!(formatted(&server.url, &ask(&model).await), @r#"
        Note("the service failed (503): Loading model; waiting until it is loaded")
        Text("Hello")
        "#);
        assert_eq!(server.requests().len(), 8);
        // As long as the first byte may take.
        let server = Server::start(vec![loading]).await;
        let model = client(&format!("{}#m", server.url)).first_byte_timeout(ms(100));
        let start = std::time::Instant::now();
        insta::assert_snapshot!(formatted(&server.url, &ask(&model.build().unwrap()).await), @r#"
        Note("the service failed (503): Loading model; waiting until it is loaded")
        URL#m: the service failed (503): Loading model
        waited for 0.1 s passes: true
        "#);
        assert!(start.elapsed() >= ms(100) && start.elapsed() < ms(10_000));
    });
}

#[test]
fn a_connection_that_breaks_before_the_first_byte_is_tried_again() {
    run(async {
        // Before the head, and after it.
        let server = Server::start(vec![vec![], vec![Step::Send(events_of(50))], good()]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let (events, error) = ask(&model).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!((notes(&events).len(), events.len()), (2, 3), "{events:?}");
    });
}

/// Role chunks, starts of messages and pings are not visible output.
#[test]
fn an_answer_that_breaks_off_before_its_first_text_is_tried_again() {
    run(async {
        let chat = r#"data: {"choices":[{"delta":{"role":"assistant","content":""}}]}"#;
        let responses =
            r#"data: {"type":"response.created","response":{"status":"in_progress","output":[]}}"#;
        let messages = r#"data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":10,"output_tokens":1}}}"#;
        let ollama = r#"{"message":{"role":"assistant","content":""},"done":false}"#;
        for (name, begin) in [
            ("URL#m", ""),
            ("URL#m", ": ping\n\n"),
            ("URL#m", chat),
            ("responses+URL#m", responses),
            ("anthropic+URL#m", messages),
            ("ollama+URL#m", ollama),
        ] {
            for head in [server::events(), events_of(5_000)] {
                let cut = vec![Step::Send(head + begin + "\n\n")];
                let server = Server::start(vec![cut]).await;
                let name = name.replace("URL", &server.url);
                let model = client(&name).backoff(Duration::ZERO).build().unwrap();
                let (events, error) = ask(&model).await;
                let error = error.unwrap_or_else(|| panic!("{name}: {begin}"));
                assert_eq!(error.details(), ["tried 4 times"], "{name}: {begin}: {error}");
                assert_eq!((notes(&events).len(), server.requests().len()), (3, 4), "{name}");
            }
        }
        let cut = vec![Step::Send(server::events() + chat + "\n\n")];
        let server = Server::start(vec![cut, good()]).await;
        let model = client(&format!("{}#m", server.url)).backoff(Duration::ZERO).build().unwrap();
        insta::assert_snapshot!(formatted(&server.url, &ask(&model).await), @r#"
        Note("the answer was cut off: the stream ended without a reason to finish; try 2 of 4 after 0 s")
        Text("Hello")
        "#);
    });
}

/// Returns the head of an answer that is shorter than it declares.
fn events_of(length: usize) -> String {
    server::head(
        "200 OK",
        &format!("Content-Type: text/event-stream\r\nContent-Length: {length}\r\n"),
    )
}

#[test]
fn a_connection_that_breaks_later_is_not_tried_again() {
    run(async {
        let cut = vec![Step::Send(events_of(5_000) + &text("Half"))];
        let server = Server::start(vec![cut, good()]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let (events, error) = ask(&model).await;
        assert_eq!(events, [ChatEvent::Text("Half".into())]);
        let error = error.expect("it was cut off");
        assert!(
            error.to_string().ends_with("the answer was cut off: the connection broke"),
            "{error}"
        );
        assert!(error.is_retryable());
        assert_eq!(server.requests().len(), 1);
        // A clean end without an end marker counts as cut off.
        let server = Server::start(vec![vec![Step::Send(server::events() + &text("Half"))]]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let (events, error) = ask(&model).await;
        assert_eq!(events, [ChatEvent::Text("Half".into())]);
        assert!(error.expect("it was cut off").to_string().contains("cut off"));
        // A complete answer is valid, however the connection ends.
        let done = vec![Step::Send(events_of(5_000) + &text("All") + DONE)];
        let server = Server::start(vec![done]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        assert!(ask(&model).await.1.is_none());
    });
}

#[test]
fn waits_end_with_the_time_of_the_answer() {
    run(async {
        let busy = answer("503 X", "Retry-After: 30\r\n", "");
        let server = Server::start(vec![busy]).await;
        let model = client(&format!("{}#m", server.url)).total_timeout(ms(300)).build().unwrap();
        insta::assert_snapshot!(formatted(&server.url, &ask(&model).await), @r#"
        URL#m: the answer took longer than 0.3 s
        the service failed (503) passes: true
        "#);
    });
}
