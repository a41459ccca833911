//! What is asked: one conversation on every wire.

use serde_json::{Value, json};

use super::super::super::ids::{Form, Ids, fitting};
use super::super::super::preset::{Output, Traits};
use super::super::super::{
    ChatRequest, Image, ModelSpec, OutputFormat, Reasoning, ToolChoice, ToolSpec,
};
use super::super::{Settings, body};
use super::*;

fn settings(name: &str) -> Settings {
    let spec = ModelSpec::parse_with(name, &|_| None).unwrap();
    Settings {
        wire: spec.wire,
        model: spec.model,
        traits: spec.traits,
        is_loose: false,
        context_tokens: None,
    }
}

fn tool(name: &str, is_strict: bool) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("Does {name}"),
        parameters: json!({"type": "object", "properties": {}}),
        is_strict,
    }
}

fn call(id: &str, arguments: &str) -> ModelCall {
    ModelCall { id: id.into(), name: "f".into(), arguments: arguments.into() }
}

fn result(id: &str, content: &str, is_error: bool) -> Message {
    Message::Tool { call_id: id.into(), content: content.into(), is_error }
}

fn conversation() -> Vec<Message> {
    let image = Image { media_type: "image/png".into(), data: vec![1, 2, 3].into() };
    let states = [
        json!({"type": "thinking", "thinking": "Hm", "signature": "s"}),
        json!({"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "e"}),
        json!({"reasoning_details": [{"type": "reasoning.text", "text": "Hm"}]}),
        json!({"extra_content": {"a.1": {"google": {"thought_signature": "s"}}}}),
    ];
    let thought = |state| Reasoning { text: "Hm".into(), state: Some(state) };
    vec![
        Message::System("Be brief.".into()),
        Message::System("Be kind.".into()),
        Message::User { text: "What is this?".into(), images: vec![image] },
        Message::Assistant(ModelResponse {
            text: String::new(),
            reasoning: states.map(thought).into(),
            calls: vec![call("a.1", r#"{"n": 1.50, "n": 2}"#), call("b", "{broken")],
        }),
        // In another order, one twice and one for no call.
        result("b", "no", true),
        result("a.1", "one", false),
        result("a.1", "one again", false),
        result("zzz", "lost", false),
        Message::user("Go on"),
        Message::System("Hurry.".into()),
        Message::Assistant(ModelResponse {
            text: "I look.".into(),
            calls: vec![call("c", "{}")],
            ..ModelResponse::default()
        }),
    ]
}

/// The body of the whole conversation; it must be JSON that says the same.
fn asked(name: &str) -> String {
    let (messages, tools) = (conversation(), [tool("f", false), tool("g", true)]);
    let output = OutputFormat { name: "answer".into(), schema: json!({"type": "object"}) };
    let mut request = ChatRequest::new(&messages, &tools);
    request.output = Some(&output);
    request.max_tokens = Some(100);
    let text = body(&settings(name), &request);
    let _: Value = serde_json::from_str(&text).unwrap();
    // One line for each field of the body and each message.
    text.replace(",{\"role\"", ",\n  {\"role\"")
        .replace(",\"messages\"", ",\n\"messages\"")
        .replace(",{\"type\"", ",\n  {\"type\"")
}

#[test]
fn chat() {
    insta::assert_snapshot!(asked("chat+openai/gpt"), @r#"
    {"model":"gpt","tools":[{"type":"function","function":{"name":"f","description":"Does f","parameters":{"type":"object","properties":{}}}},
      {"type":"function","function":{"name":"g","description":"Does g","parameters":{"type":"object","properties":{}},"strict":true}}],"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"},"strict":true}},
    "messages":[{"role":"system","content":"Be brief.\n\nBe kind."},
      {"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AQID"}},
      {"type":"text","text":"What is this?"}]},
      {"role":"assistant","content":null,"tool_calls":[{"id":"a.1","type":"function","function":{"name":"f","arguments":"{\"n\": 1.50, \"n\": 2}"},"extra_content":{"google":{"thought_signature":"s"}}},{"id":"b","type":"function","function":{"name":"f","arguments":"{broken"}}]},
      {"role":"tool","tool_call_id":"a.1","content":"one"},
      {"role":"tool","tool_call_id":"b","content":"no"},
      {"role":"user","content":"Go on"},
      {"role":"system","content":"Hurry."},
      {"role":"assistant","content":"I look.","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"c","content":"no result: the call was not made"}],"max_completion_tokens":100,"stream":true,"stream_options":{"include_usage":true}}
    "#);
}

#[test]
fn ids_of_other_services_become_such_as_the_service_takes() {
    let ids = ["abcDEF123", "call_0fypS1hVX", "a.b", "a_b", &"x".repeat(41), &"x".repeat(65), "世"];
    let messages: Vec<_> = ids
        .iter()
        .flat_map(|id| {
            let answer = ModelResponse { calls: vec![call(id, "{}")], ..ModelResponse::default() };
            [Message::Assistant(answer), result(id, "yes", false)]
        })
        .collect();
    // Which of them stay as they are, and what all have to be like.
    let word =
        |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    type Fits<'a> = &'a dyn Fn(&str) -> bool;
    let nine: Fits<'_> = &|id| id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let wires: [(&str, &str, &str, Fits<'_>, usize); 4] = [
        ("mistral/m", "/tool_calls/0/id", "tool_call_id", nine, 1),
        ("openai/m", "/call_id", "call_id", &|id| id.len() <= 64, 6),
        ("chat+openai/m", "/tool_calls/0/id", "tool_call_id", &|id| id.len() <= 40, 5),
        ("anthropic/m", "/content/0/id", "tool_use_id", &|id| id.len() <= 64 && word(id), 4),
    ];
    for (name, call, result, fits, n_kept) in wires {
        let text = body(&settings(name), &ChatRequest::new(&messages, &[]));
        let value: Value = serde_json::from_str(&text).unwrap();
        let turns = value.get("messages").or(value.get("input")).unwrap().as_array().unwrap();
        let mut seen = Vec::new();
        for pair in turns.chunks(2) {
            let id = pair[0].pointer(call).unwrap().as_str().unwrap();
            assert!(
                pair[1].to_string().contains(&format!("{result:?}:{id:?}")),
                "{name}: {pair:?}"
            );
            assert!(fits(id), "{name}: {id}");
            assert!(!seen.contains(&id), "{name}: {id} twice");
            seen.push(id);
        }
        let kept = seen.iter().zip(ids).filter(|(id, before)| **id == *before).count();
        assert_eq!((seen.len(), kept), (ids.len(), n_kept), "{name}");
    }
    // Those of our own are taken everywhere.
    let mut own = Ids::of(&[]);
    let own = [own.give(None), own.give(Some("")), own.give(None)];
    assert_eq!(own, ["call00001", "call00002", "call00003"]);
    assert!(own.iter().all(|id| nine(id)));
}

#[test]
fn chat_with_reasoning_given_back() {
    insta::assert_snapshot!(asked("deepseek/deepseek-chat"), @r#"
    {"model":"deepseek-chat","tools":[{"type":"function","function":{"name":"f","description":"Does f","parameters":{"type":"object","properties":{}}}},
      {"type":"function","function":{"name":"g","description":"Does g","parameters":{"type":"object","properties":{}}}}],
    "messages":[{"role":"system","content":"Be brief.\n\nBe kind.\n\nAnswer with one JSON value and nothing else. It follows this JSON Schema: {\"type\":\"object\"}"},
      {"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AQID"}},
      {"type":"text","text":"What is this?"}]},
      {"role":"assistant","content":null,"tool_calls":[{"id":"a.1","type":"function","function":{"name":"f","arguments":"{\"n\": 1.50, \"n\": 2}"},"extra_content":{"google":{"thought_signature":"s"}}},{"id":"b","type":"function","function":{"name":"f","arguments":"{broken"}}],"reasoning_content":"Hm\nHm\nHm\nHm"},
      {"role":"tool","tool_call_id":"a.1","content":"one"},
      {"role":"tool","tool_call_id":"b","content":"no"},
      {"role":"user","content":"Go on"},
      {"role":"system","content":"Hurry."},
      {"role":"assistant","content":"I look.","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"c","content":"no result: the call was not made"}],"max_tokens":100,"stream":true,"stream_options":{"include_usage":true}}
    "#);
    let details = asked("openrouter/x");
    assert!(
        details.contains(r#""reasoning_details":[{"type":"reasoning.text","text":"Hm"}]"#),
        "{details}"
    );
}

#[test]
fn responses() {
    insta::assert_snapshot!(asked("openai/gpt"), @r#"
    {"model":"gpt","tools":[{"type":"function","name":"f","description":"Does f","parameters":{"type":"object","properties":{}},"strict":false},
      {"type":"function","name":"g","description":"Does g","parameters":{"type":"object","properties":{}},"strict":true}],"text":{"format":{"type":"json_schema","name":"answer","schema":{"type":"object"},"strict":true}},"instructions":"Be brief.\n\nBe kind.","input":[{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AQID"},
      {"type":"input_text","text":"What is this?"}]},
      {"type":"reasoning","id":"r","summary":[],"encrypted_content":"e"},
      {"type":"function_call","call_id":"a.1","name":"f","arguments":"{\"n\": 1.50, \"n\": 2}"},
      {"type":"function_call","call_id":"b","name":"f","arguments":"{broken"},
      {"type":"function_call_output","call_id":"a.1","output":"one"},
      {"type":"function_call_output","call_id":"b","output":"no"},
      {"type":"message","role":"user","content":[{"type":"input_text","text":"Go on"}]},
      {"type":"message","role":"system","content":"Hurry."},
      {"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look.","annotations":[]}]},
      {"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
      {"type":"function_call_output","call_id":"c","output":"no result: the call was not made"}],"max_output_tokens":100,"stream":true,"store":false,"include":["reasoning.encrypted_content"]}
    "#);
}

#[test]
fn messages() {
    let id = fitting("a.1", Form::Word);
    let text = asked("anthropic/claude").replace(&*id, "ID");
    assert_eq!(text.matches("cache_control").count(), 3, "at most four are allowed");
    insta::assert_snapshot!(text, @r#"
    {"model":"claude","max_tokens":100,"tools":[{"name":"f","description":"Does f","input_schema":{"type":"object","properties":{}}},{"name":"g","description":"Does g","input_schema":{"type":"object","properties":{}},"strict":true,"cache_control":{"type":"ephemeral"}}],"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},"system":[{"type":"text","text":"Be brief.\n\nBe kind.\n\nHurry.","cache_control":{"type":"ephemeral"}}],
    "messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQID"}},
      {"type":"text","text":"What is this?"}]},
      {"role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"s"},
      {"type":"tool_use","id":"ID","name":"f","input":{"n": 1.50, "n": 2}},
      {"type":"tool_use","id":"b","name":"f","input":{"invalid_arguments":"{broken"}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"ID","content":"one"},
      {"type":"tool_result","tool_use_id":"b","content":"no","is_error":true},
      {"type":"text","text":"Go on"}]},
      {"role":"assistant","content":[{"type":"text","text":"I look."},
      {"type":"tool_use","id":"c","name":"f","input":{}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"no result: the call was not made","is_error":true,"cache_control":{"type":"ephemeral"}}]}],"stream":true}
    "#);
}

#[test]
fn ollama() {
    insta::assert_snapshot!(asked("ollama/qwen3"), @r#"
    {"model":"qwen3","tools":[{"type":"function","function":{"name":"f","description":"Does f","parameters":{"type":"object","properties":{}}}},
      {"type":"function","function":{"name":"g","description":"Does g","parameters":{"type":"object","properties":{}}}}],
    "messages":[{"role":"system","content":"Be brief.\n\nBe kind.\n\nAnswer with one JSON value and nothing else. It follows this JSON Schema: {\"type\":\"object\"}"},
      {"role":"user","content":"What is this?","images":["AQID"]},
      {"role":"assistant","content":"","thinking":"HmHmHmHm","tool_calls":[{"id":"a.1","function":{"name":"f","arguments":{"n": 1.50, "n": 2}}},{"id":"b","function":{"name":"f","arguments":{"invalid_arguments":"{broken"}}}]},
      {"role":"tool","tool_name":"f","tool_call_id":"a.1","content":"one"},
      {"role":"tool","tool_name":"f","tool_call_id":"b","content":"no"},
      {"role":"user","content":"Go on"},
      {"role":"system","content":"Hurry."},
      {"role":"assistant","content":"I look.","tool_calls":[{"id":"c","function":{"name":"f","arguments":{}}}]},
      {"role":"tool","tool_name":"f","tool_call_id":"c","content":"no result: the call was not made"}],"options":{"num_predict":100},"stream":true}
    "#);
}

#[test]
fn choices_of_tools() {
    let (messages, tools) = ([Message::user("Hi")], [tool("f", false), tool("g", false)]);
    let mut lines = Vec::new();
    for name in ["vllm/m", "openai/m", "anthropic/m", "ollama/m"] {
        for choice in
            [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, ToolChoice::Tool("g".into())]
        {
            let mut request = ChatRequest::new(&messages, &tools);
            request.tool_choice = &choice;
            let body: Value = serde_json::from_str(&body(&settings(name), &request)).unwrap();
            let tools = body["tools"].as_array().map_or(0, Vec::len);
            lines.push(format!("{name} {choice:?}: {} of {tools}", body["tool_choice"]));
        }
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    vllm/m Auto: null of 2
    vllm/m None: "none" of 2
    vllm/m Required: "required" of 2
    vllm/m Tool("g"): {"type":"function","function":{"name":"g"}} of 2
    openai/m Auto: null of 2
    openai/m None: "none" of 2
    openai/m Required: "required" of 2
    openai/m Tool("g"): {"type":"function","name":"g"} of 2
    anthropic/m Auto: null of 2
    anthropic/m None: {"type":"none"} of 2
    anthropic/m Required: {"type":"any"} of 2
    anthropic/m Tool("g"): {"type":"tool","name":"g"} of 2
    ollama/m Auto: null of 2
    ollama/m None: null of 0
    ollama/m Required: null of 2
    ollama/m Tool("g"): null of 1
    "#);
}

#[test]
fn a_conversation_without_anything_special() {
    let messages = [Message::user("Hi")];
    let request = ChatRequest::new(&messages, &[]);
    let bodies = ["vllm/m", "mistral/m", "openai/m", "anthropic/m", "ollama/m"];
    let bodies = bodies.map(|name| body(&settings(name), &request));
    insta::assert_snapshot!(bodies.join("\n"), @r#"
    {"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}
    {"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true}
    {"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}],"stream":true,"store":false,"include":["reasoning.encrypted_content"]}
    {"model":"m","max_tokens":8192,"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}],"stream":true}
    {"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true}
    "#);
}

#[test]
fn a_service_that_refused_strict_schemas_is_asked_in_words() {
    let (messages, tools) = ([Message::user("Hi")], [tool("f", true)]);
    let output = OutputFormat { name: "answer".into(), schema: json!({"type": "object"}) };
    let mut request = ChatRequest::new(&messages, &tools);
    request.output = Some(&output);
    // No call may take the place of the text.
    request.tool_choice = &ToolChoice::None;
    for name in ["chat+openai/m", "openai/m", "anthropic/m", "ollama/m"] {
        let strict = settings(name);
        let loose = Settings { is_loose: true, ..strict.clone() };
        let (strict, loose) = (body(&strict, &request), body(&loose, &request));
        assert_eq!(loose.matches("\"strict\":true").count(), 0, "{loose}");
        assert!(!loose.contains("format\":"), "{loose}");
        assert!(loose.contains("JSON Schema: {"), "{loose}");
        assert!(strict.contains("format\":") && !strict.contains("JSON Schema: {"), "{strict}");
    }
    let traits = Traits { output: Output::Json, ..Traits::default() };
    let json = body(&Settings { traits, ..settings("vllm/m") }, &request);
    assert!(json.contains(r#""response_format":{"type":"json_object"}"#), "{json}");
}

/// What a body says about the form: the field of the wire, or words.
fn form_in(name: &str, request: &ChatRequest<'_>) -> String {
    let text = body(&settings(name), request);
    let body: Value = serde_json::from_str(&text).unwrap();
    let fields =
        ["/response_format", "/text/format", "/output_config/format", "/format", "/grammar"];
    let found = fields.iter().find_map(|it| body.pointer(it));
    let in_words = text.contains("Answer with one JSON value");
    format!("{name}: {}{}", found.unwrap_or(&Value::Null), if in_words { " in words" } else { "" })
}

#[test]
fn a_form_beside_tools_is_enforced_only_where_calls_stay_possible() {
    let (messages, tools) = ([Message::user("Hi")], [tool("f", false)]);
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let output = OutputFormat { name: "answer".into(), schema };
    let mut lines = Vec::new();
    for (tools, choice) in
        [(&tools[..], ToolChoice::Auto), (&tools, ToolChoice::None), (&[], ToolChoice::Auto)]
    {
        let mut request = ChatRequest::new(&messages, tools);
        (request.output, request.tool_choice) = (Some(&output), &choice);
        lines.push(format!("{} tools, {choice:?}", tools.len()));
        let names =
            ["vllm/m", "deepseek/m", "chat+openai/m", "openai/m", "anthropic/m", "ollama/m"];
        lines.extend(names.map(|name| form_in(name, &request)));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    1 tools, Auto
    vllm/m: null in words
    deepseek/m: null in words
    chat+openai/m: {"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}}
    openai/m: {"type":"json_schema","name":"answer","schema":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}
    anthropic/m: {"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":"string"}}}}
    ollama/m: null in words
    1 tools, None
    vllm/m: {"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{"a":{"type":"string"}}}}}
    deepseek/m: {"type":"json_object"} in words
    chat+openai/m: {"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}}
    openai/m: {"type":"json_schema","name":"answer","schema":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}
    anthropic/m: {"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":"string"}}}}
    ollama/m: {"type":"object","properties":{"a":{"type":"string"}}}
    0 tools, Auto
    vllm/m: {"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{"a":{"type":"string"}}}}}
    deepseek/m: {"type":"json_object"} in words
    chat+openai/m: {"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}}
    openai/m: {"type":"json_schema","name":"answer","schema":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}
    anthropic/m: {"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":"string"}}}}
    ollama/m: {"type":"object","properties":{"a":{"type":"string"}}}
    "#);
    // Any object, which a strict schema cannot say.
    let object = OutputFormat::any_object();
    let mut request = ChatRequest::new(&messages, &[]);
    request.output = Some(&object);
    let lines =
        ["vllm/m", "openai/m", "anthropic/m", "ollama/m"].map(|name| form_in(name, &request));
    insta::assert_snapshot!(lines.join("\n"), @r#"
    vllm/m: {"type":"json_object"} in words
    openai/m: {"type":"json_object"} in words
    anthropic/m: null in words
    ollama/m: {"type":"object","additionalProperties":true}
    "#);
}
