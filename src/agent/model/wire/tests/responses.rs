//! Streams of Responses.

use super::*;

fn responses(events: &[&str]) -> String {
    read(Wire::Responses, &sse(events))
}

const DONE: &str = r#"{"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":5},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4}}}}"#;

#[test]
fn reasoning_text_and_calls_are_told_apart() {
    insta::assert_snapshot!(responses(&[
        r#"{"type":"response.created","response":{"status":"in_progress","output":[]}}"#,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}"#,
        r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"Look "}"#,
        r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"it up"}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","status":"completed","summary":[{"type":"summary_text","text":"Look it up"}],"encrypted_content":"gAAA"}}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"m","content":[]}}"#,
        r#"{"type":"response.output_text.delta","output_index":1,"delta":"Schön"}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"m","content":[{"type":"output_text","text":"Schön"}]}}"#,
        r#"{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":""}}"#,
        r#"{"type":"response.output_item.added","output_index":3,"item":{"type":"function_call","id":"fc_2","call_id":"c2","name":"g","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":3,"item_id":"fc_2","delta":"{}"}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":2,"item_id":"fc_1","delta":"{\"n\": 1.50,"}"#,
        r#"{"type":"response.function_call_arguments.done","output_index":2,"item_id":"fc_1","arguments":"{\"n\": 1.50,\"n\":2}"}"#,
        r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{\"n\": 1.50,\"n\":2}"}}"#,
        DONE,
    ]), @r#"
    reasoning "Look it up"
    text "Schön"
    started c1 f
    started c2 g
    thought "Look it up" {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look it up"}],"encrypted_content":"gAAA"}
    call c1 f {"n": 1.50,"n":2}
    call c2 g {}
    usage 20 (5 cached, 0 written) -> 9 (4 reasoning)
    "#);
}

#[test]
fn items_may_come_only_at_the_end() {
    insta::assert_snapshot!(responses(&[
        r#"{"type":"response.completed","response":{"output":[{"type":"reasoning","id":"r","summary":[{"text":"Hm"}]},{"type":"message","content":[{"type":"output_text","text":"Yes"}]},{"type":"function_call","call_id":null,"name":"f","arguments":{"n": 1.50}}]}}"#,
    ]), @r#"
    reasoning "Hm"
    text "Yes"
    started call00002 f
    thought "Hm" {"type":"reasoning","id":"r","summary":[{"text":"Hm"}]}
    call call00002 f {"n": 1.50}
    "#);
    insta::assert_snapshot!(whole(Wire::Responses, r#"{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Yes"}]}],"usage":{"input_tokens":1,"output_tokens":2}}"#), @r#"
    text "Yes"
    usage 1 (0 cached, 0 written) -> 2 (0 reasoning)
    "#);
}

#[test]
fn reasons_to_stop() {
    insta::assert_snapshot!(responses(&[
        r#"{"type":"response.refusal.delta","output_index":0,"delta":"No."}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"No."}]}}"#,
        DONE,
    ]), @r#"
    usage 20 (5 cached, 0 written) -> 9 (4 reasoning)
    stopped Refused("No.")
    "#);
    insta::assert_snapshot!(responses(&[
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"Some"}"#,
        r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}}"#,
    ]), @r#"
    text "Some"
    stopped Length
    "#);
    insta::assert_snapshot!(responses(&[
        r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}"#,
    ]), @r#"stopped Refused("")"#);
}

#[test]
fn errors_and_cuts_come_after_the_text() {
    let text = r#"{"type":"response.output_text.delta","output_index":0,"delta":"Half"}"#;
    insta::assert_snapshot!(responses(&[text, r#"{"type":"error","code":"server_error","message":"Oh"}"#]), @r#"
    text "Half"
    error the service reported an error: Oh
    kind: server_error
    "#);
    insta::assert_snapshot!(responses(&[text, r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Slow down"}}}"#]), @r#"
    text "Half"
    error the service reported an error: Slow down
    kind: rate_limit_exceeded
    "#);
    insta::assert_snapshot!(responses(&[text, r#"{"type":"response.failed","response":{"status":"failed"}}"#]), @r#"
    text "Half"
    error the service reported an error: the answer is failed
    "#);
    insta::assert_snapshot!(responses(&[text]), @r#"
    text "Half"
    error the answer was cut off: the stream ended before the answer was complete
    "#);
}
