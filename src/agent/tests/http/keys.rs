//! The key is sent to the service and appears nowhere else: no error, note, debug output or recording contains it, even if the
//! service repeats it.

use std::sync::Arc;

use mitt_agent::model::{RecordModel, SpelledModel, Spelling};

use super::server::{DONE, Server, Step, answer, events, good, text};
use super::*;

#[test]
fn nothing_shows_the_key() {
    run(async {
        let json = "Content-Type: application/json\r\n";
        let echo =
            format!(r#"{{"error":{{"message":"bad key {KEY}!","type":"{KEY}","code":"{KEY}"}}}}"#);
        // With an escape that only a JSON parser resolves.
        let escaped = echo.replace("sk-", "\\u0073k-");
        let event = |data: &str| vec![Step::Send(format!("{}data: {data}\n\n", events()))];
        let mut scripts = vec![
            answer("400 X", json, &escaped),
            answer("302 X", &format!("Location: https://x.example.org/{KEY}\r\n"), KEY),
            answer("200 OK", "Content-Type: text/html\r\n", &format!("<html>{KEY}")),
            answer("200 OK", json, &format!("[\"{KEY}\"")),
            event(&echo),
            event(&escaped),
            event(KEY),
            event(&format!("{{\"choices\":\"{KEY}\"}}")),
            vec![Step::Send(events() + "event: error\ndata: " + KEY + "\n\n")],
        ];
        for status in [401, 403, 404, 409, 429, 500, 529] {
            scripts.push(answer(&format!("{status} X"), json, &echo));
            scripts.push(answer(
                &format!("{status} X"),
                "",
                &format!("{} {KEY}", "x".repeat(65_520)),
            ));
        }
        for script in scripts {
            // Once for the error, and once for the notes about failed tries.
            let server = Server::start(vec![script.clone()]).await;
            let model = client(&format!("{}#m", server.url)).build().unwrap();
            let (said, error) = ask(&model).await;
            let error = error.expect("it failed");
            let shown = format!("{said:?} {error} {error:?} {} {model:?}", error.render());
            // Nor half of it, where the text is cut.
            assert!(!shown.contains("sk-test-0") && !shown.contains("0123456789abc"), "{shown}");
            assert!(server.requests()[0].contains(KEY), "the key is sent");
            let server = Server::start(vec![script, good()]).await;
            let model = client(&format!("{}#m", server.url)).build().unwrap();
            let shown = format!("{:?}", ask(&model).await);
            assert!(!shown.contains("0123456789abc"), "{shown}");
        }
        let builder = client("openai/m");
        assert!(!format!("{builder:?} {:?}", builder.clone().build().unwrap()).contains(KEY));
    });
}

#[test]
fn names_that_hold_the_key_are_shown_without_it() {
    run(async {
        // In the name of its file, in a hint.
        let server = Server::start(vec![answer("401 X", "", "")]).await;
        let spec = ModelSpec::parse_with(&format!("{}#m", server.url), &|_| None).unwrap();
        let path = std::env::temp_dir().join(format!("mitt-{KEY}-{}", std::process::id()));
        std::fs::write(&path, KEY).unwrap();
        let model = HttpModel::builder(spec.key_file(&path)).build().unwrap();
        let (_, error) = ask(&model).await;
        std::fs::remove_file(&path).unwrap();
        let shown = error.expect("it is refused").render();
        assert!(shown.contains("the key is from the file ") && !shown.contains(KEY), "{shown}");
        // In the address, in a note and in an error.
        let server = Server::start(vec![vec![], good()]).await;
        let model = client(&format!("{}/{KEY}#m", server.url)).build().unwrap();
        let (events, error) = ask(&model).await;
        assert!(error.is_none() && events.len() == 2, "{events:?}");
        assert!(format!("{events:?}").contains("/*** did not answer"), "{events:?}");
        assert!(!format!("{events:?}").contains(KEY), "{events:?}");
    });
}

#[test]
fn a_recording_does_not_have_the_key() {
    run(async {
        let echo = format!("data: {{\"error\":{{\"message\":\"{KEY}\"}}}}\n\n");
        let failed = vec![Step::Send(events() + &echo)];
        let server = Server::start(vec![answer("500 X", "", KEY), good(), failed]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let path = std::env::temp_dir().join(format!("mitt-http-record-{}", std::process::id()));
        let recorder = RecordModel::to_file(Arc::new(model), &path).unwrap();
        assert_eq!(ask(&recorder).await.0.len(), 2, "a note and a text");
        assert!(ask(&recorder).await.1.is_some());
        let recording = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(recording.lines().count(), 2, "{recording}");
        assert!(recording.contains("Hello") && !recording.contains(KEY), "{recording}");
    });
}

#[test]
fn a_recording_does_not_have_the_key_that_a_model_says() {
    run(async {
        // In a text, cut into pieces, and in a call.
        let half = KEY.len() / 2;
        let call = format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"id":"{KEY}","function":{{"name":"{KEY}","arguments":"{{\"k\":\"{KEY}\"}}"}}}}]}}}}]}}"#
        );
        let said = text(&KEY[..half]) + &text(&KEY[half..]) + &format!("data: {call}\n\n") + DONE;
        let server = Server::start(vec![vec![Step::Send(events() + &said)]]).await;
        let model = Arc::new(client(&format!("{}#m", server.url)).build().unwrap());
        let path = std::env::temp_dir().join(format!("mitt-http-echo-{}", std::process::id()));
        for spelled in [false, true] {
            let model: Arc<dyn ChatModel> = if spelled {
                Arc::new(SpelledModel::new(model.clone(), Spelling::Blocks))
            } else {
                model.clone()
            };
            let recorder = RecordModel::to_file(model, &path).unwrap();
            assert!(ask(&recorder).await.1.is_none());
            assert_eq!(recorder.redacted(&format!("a {KEY}")), "a ***");
            let recording = std::fs::read_to_string(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            assert!(!recording.contains(KEY), "{recording}");
            assert!(
                recording.ends_with(
                    r#"{"text":"***","calls":[{"id":"***","name":"***","arguments":"{\"k\":\"***\"}"}]}
"#
                ),
                "{recording}"
            );
        }
    });
}

#[test]
fn a_key_that_no_header_can_hold_is_not_shown() {
    run(async {
        let server = Server::start(vec![vec![Step::Send(events() + DONE)]]).await;
        let model = client(&format!("{}#m", server.url)).key(Secret::new(format!("{KEY}\n{KEY}")));
        let (_, error) = ask(&model.build().unwrap()).await;
        let error = error.expect("it is no key");
        assert!(error.to_string().ends_with("the key has characters that no header can hold"));
        assert!(!error.render().contains(KEY));
        assert_eq!(server.requests().len(), 0);
    });
}
