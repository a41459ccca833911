//! Streams of Messages.

use super::*;

/// Events with their names.
fn named(events: &[&str]) -> String {
    let name = |data: &&str| {
        let value: serde_json::Value = serde_json::from_str(data).unwrap();
        format!("event: {}\ndata: {data}\n\n", value["type"].as_str().unwrap())
    };
    events.iter().map(name).collect()
}

fn messages(events: &[&str]) -> String {
    let with_names = read(Wire::Messages, &named(events));
    assert_eq!(read(Wire::Messages, &sse(events)), with_names, "the names are not needed");
    with_names
}

const START: &str = r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":10,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":1}}}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

#[test]
fn thinking_text_and_calls_are_told_apart() {
    insta::assert_snapshot!(messages(&[
        START,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"see…"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQ="}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"xyz"}}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"I look."}}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"n\": 1.50"}}"#,
        r#"{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_2","name":"g","input":{}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":", \"n\": 2}"}}"#,
        r#"{"type":"content_block_stop","index":4}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":50}}"#,
        STOP,
    ]), @r#"
    reasoning "Let me see…"
    text "I look."
    started toolu_1 f
    started toolu_2 g
    thought "Let me see…" {"type":"thinking","thinking":"Let me see…","signature":"EqQ="}
    thought "" {"type":"redacted_thinking","data":"xyz"}
    call toolu_1 f {"n": 1.50, "n": 2}
    call toolu_2 g {}
    usage 1110 (1000 cached, 100 written) -> 50 (0 reasoning)
    "#);
}

#[test]
fn reasons_to_stop() {
    insta::assert_snapshot!(messages(&[
        START,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":50}}"#,
        STOP,
    ]), @r#"
    started t f
    usage 1110 (1000 cached, 100 written) -> 50 (0 reasoning)
    stopped Length
    "#);
    insta::assert_snapshot!(messages(&[
        r#"{"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"input_tokens":7,"output_tokens":0}}"#,
        STOP,
    ]), @r#"
    usage 7 (0 cached, 0 written) -> 0 (0 reasoning)
    stopped Refused("")
    "#);
}

#[test]
fn errors_and_cuts_come_after_the_text() {
    let text =
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half"}}"#;
    insta::assert_snapshot!(messages(&[START, text, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#]), @r#"
    text "Half"
    error the service reported an error: Overloaded
    kind: overloaded_error
    "#);
    insta::assert_snapshot!(messages(&[START, text]), @r#"
    text "Half"
    error the answer was cut off: the stream ended without a reason to stop
    "#);
    insta::assert_snapshot!(messages(&[
        START,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n"}}"#,
        STOP,
    ]), @r#"
    started t f
    error the answer was cut off: the stream ended within a call
    "#);
}

#[test]
fn an_answer_may_come_in_one_piece() {
    insta::assert_snapshot!(whole(Wire::Messages, r#"{"type":"message","content":[{"type":"thinking","thinking":"Hm","signature":"s"},{"type":"text","text":"Yes"},{"type":"tool_use","id":"t","name":"f","input":{"n": 1.50, "n": 2}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}"#), @r#"
    reasoning "Hm"
    text "Yes"
    started t f
    thought "Hm" {"type":"thinking","thinking":"Hm","signature":"s"}
    call t f {"n": 1.50, "n": 2}
    usage 3 (0 cached, 0 written) -> 4 (0 reasoning)
    "#);
    insta::assert_snapshot!(whole(Wire::Messages, r#"{"type":"error","error":{"type":"api_error","message":"no"}}"#), @r#"
    error the service reported an error: no
    kind: api_error
    "#);
}
