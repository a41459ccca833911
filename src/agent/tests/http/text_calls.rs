//! Models that cannot call tools: asked once with tools, then in words, or never with tools.

use mitt_agent::model::ToolSpec;
use serde_json::{Value, json};

use super::server::{Server, Step, answer, events};
use super::*;

const REFUSAL: &str = r#"{"error":"registry.ollama.ai/library/m does not support tools"}"#;

fn tool() -> ToolSpec {
    ToolSpec {
        name: "f".into(),
        description: String::new(),
        parameters: json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}),
        is_strict: false,
    }
}

/// Returns an answer of chat completions with this text, character by character.
fn says(text: &str) -> Vec<Step> {
    let chunk = |delta: Value, finish: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    let pieces = text.chars().map(|c| chunk(json!({"content": c.to_string()}), Value::Null));
    let all = pieces.chain([chunk(json!({}), json!("stop"))]);
    vec![Step::Send(events() + &all.map(|chunk| format!("data: {chunk}\n\n")).collect::<String>())]
}

/// Returns the body of a request.
fn body(server: &Server, index: usize) -> Value {
    serde_json::from_str(server.requests()[index].split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn calls(events: &[ChatEvent]) -> Vec<String> {
    let call = |event: &ChatEvent| match event {
        ChatEvent::Call(call) => Some(format!("{} {}", call.name, call.arguments)),
        _ => None,
    };
    events.iter().filter_map(call).collect()
}

const OBJECT: &str = r#"{"say": "I look.", "calls": [{"name": "f", "arguments": {"n": 1.0}}]}"#;

#[test]
fn a_service_that_refuses_tools_is_asked_in_words() {
    run(async {
        for (status, refusal) in [
            ("400 Bad Request", REFUSAL),
            (
                "500 Internal Server Error",
                r#"{"error":{"code":500,"message":"tools param requires --jinja flag"}}"#,
            ),
            (
                "404 Not Found",
                r#"{"error":{"message":"No endpoints found that support tool use."}}"#,
            ),
        ] {
            let json = "Content-Type: application/json\r\n";
            let server = Server::start(vec![answer(status, json, refusal), says(OBJECT)]).await;
            let model = client(&format!("{}#m", server.url)).build().unwrap();
            let (messages, tools) = ([Message::user("Hi")], [tool()]);
            let request = ChatRequest::new(&messages, &tools);
            let (events, error) = ask_with(&model, request).await;
            assert!(error.is_none(), "{error:?}");
            let ChatEvent::Note(note) = &events[0] else { panic!("{events:?}") };
            assert!(note.ends_with("; the model spells out its calls from now on"), "{note}");
            assert_eq!(calls(&events), [r#"f {"n": 1.0}"#]);
            assert!(!format!("{events:?}").contains("calls\\\""), "{events:?}");
            // The refusal is remembered.
            let (events, _) = ask_with(&model, request).await;
            assert_eq!(calls(&events).len(), 1);
            let asked = [0, 1, 2].map(|index| body(&server, index));
            let with = asked
                .each_ref()
                .map(|body| (body.get("tools").is_some(), body.get("response_format").is_some()));
            assert_eq!(with, [(true, false), (false, true), (false, true)]);
            assert!(asked[1]["messages"][0]["content"].as_str().unwrap().contains("## f"));
        }
    });
}

#[test]
fn who_cannot_be_held_to_a_form_writes_blocks() {
    run(async {
        // Neither tools nor schemas.
        let refusals = [
            answer("400 X", "", "this model does not support tools"),
            answer("400 X", "", "response_format is not known"),
        ];
        let server = Server::start([&refusals[..], &[says("7")]].concat()).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let (messages, tools) = ([Message::user("Hi")], [tool()]);
        let (events, error) = ask_with(&model, ChatRequest::new(&messages, &tools)).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(events.len(), 3, "two notes and a text: {events:?}");
        let last = body(&server, 2);
        assert!(last.get("tools").is_none() && last.get("response_format").is_none(), "{last}");
        let prompt = last["messages"][0]["content"].as_str().unwrap();
        let mark = prompt.split_once("```call-").unwrap().1.split_once('\n').unwrap().0;
        assert_eq!(mark.len(), 5, "{mark}");
        // A block with the mark of another client is text.
        let text = format!("A\n```call-{mark}\n{{\"name\":\"f\",\"arguments\":{{}}}}\n```");
        let server = Server::start(vec![says(&text)]).await;
        let other = client(&format!("blocks+{}#m", server.url)).build().unwrap();
        let (events, _) = ask_with(&other, ChatRequest::new(&messages, &tools)).await;
        assert!(calls(&events).is_empty(), "{events:?}");
    });
}

#[test]
fn who_is_known_to_have_no_tools_is_never_asked_with_any() {
    run(async {
        let (messages, tools) = ([Message::user("Hi")], [tool()]);
        for (prefix, has_form) in [("spelled", true), ("blocks", false)] {
            let server = Server::start(vec![says("7")]).await;
            let model = client(&format!("{prefix}+{}#m", server.url)).build().unwrap();
            let (events, error) = ask_with(&model, ChatRequest::new(&messages, &tools)).await;
            assert_eq!((events, error.is_none()), (vec![ChatEvent::Text("7".into())], true));
            let asked = body(&server, 0);
            assert!(asked.get("tools").is_none(), "{asked}");
            assert_eq!(asked.get("response_format").is_some(), has_form, "{asked}");
            // Without tools nothing changes.
            ask(&model).await;
            assert_eq!(body(&server, 1)["messages"], json!([{"role": "user", "content": "Hi"}]));
        }
        // A grammar, if the service accepts one.
        let server = Server::start(vec![says("7")]).await;
        let mut spec =
            ModelSpec::parse_with(&format!("spelled+{}#m", server.url), &|_| None).unwrap();
        spec.traits.output = mitt_agent::model::preset::Output::Grammar;
        let model = HttpModel::builder(spec).build().unwrap();
        ask_with(&model, ChatRequest::new(&messages, &tools)).await;
        let asked = body(&server, 0);
        let grammar = asked["grammar"].as_str().expect("a grammar");
        assert!(grammar.starts_with("root ::= ") && grammar.contains(r#"\"say\""#), "{grammar}");
        assert!(asked.get("response_format").is_none());
    });
}

#[test]
fn refusals_of_other_things_are_not_taken_for_one_of_tools() {
    run(async {
        let (messages, tools) = ([Message::user("Hi")], [tool()]);
        for said in ["the context is too long", "images are not supported"] {
            let server = Server::start(vec![answer("400 X", "", said), says("7")]).await;
            let model = client(&format!("{}#m", server.url)).build().unwrap();
            let (_, error) = ask_with(&model, ChatRequest::new(&messages, &tools)).await;
            assert!(error.is_some() && server.requests().len() == 1, "{said}");
        }
        // Without tools in the request, the refusal is an error.
        let server = Server::start(vec![answer("400 X", "", REFUSAL), says("7")]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        assert!(ask(&model).await.1.is_some() && server.requests().len() == 1);
    });
}
