//! Streams of chat completions, with the quirks of the servers that speak it.

use super::*;

fn chat(data: &[&str]) -> String {
    read(Wire::Chat, &sse(data))
}

#[test]
fn text_comes_in_pieces_and_usage_in_a_chunk_of_its_own() {
    let stream = ": ping\n\ndata: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n".to_owned()
        + &sse(&[
            r#"{"choices":[{"index":0,"delta":{"content":"Grüße, "},"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"世界 🎉"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":3}}}"#,
            "[DONE]",
        ]);
    insta::assert_snapshot!(read(Wire::Chat, &stream), @r#"
    text "Grüße, 世界 🎉"
    usage 12 (8 cached, 0 written) -> 7 (3 reasoning)
    "#);
}

#[test]
fn a_call_keeps_the_text_of_its_arguments() {
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c_1","type":"function","function":{"name":"add","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\": 1.000000000000000000001, "}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"n\":  2e400}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ]), @r#"
    started c_1 add
    call c_1 add {"n": 1.000000000000000000001, "n":  2e400}
    "#);
}

#[test]
fn arguments_may_be_an_object_and_type_and_id_missing() {
    // llama.cpp and its relatives, with digits that a double cannot hold and a key twice.
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":null,"function":{"name":"add","arguments":{"n": 9007199254740993.10, "n": 2}}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"name":"now","arguments":null}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    ]), @r#"
    started call00002 add
    started call00003 now
    call call00002 add {"n": 9007199254740993.10, "n": 2}
    call call00003 now {}
    "#);
}

#[test]
fn two_calls_may_be_interleaved() {
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\":"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"2}"}},{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ]), @r#"
    started a f
    started b g
    call a f {"x":1}
    call b g {"y":2}
    "#);
}

#[test]
fn calls_may_share_an_index_or_an_id_or_have_none() {
    // One index for all, each whole.
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}},{"index":0,"id":"b","function":{"name":"f","arguments":"{\"x\":2}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    ]), @r#"
    started a f
    started b f
    call a f {"x":1}
    call b f {"x":2}
    "#);
    // The same id for all, as if every call were the first, and that of a turn before.
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call00001","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"call00001","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"call00001","function":{"name":"f","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    ]), @r#"
    started call00002 f
    started call00003 f
    started call00004 f
    call call00002 f {}
    call call00003 f {}
    call call00004 f {}
    "#);
    // Neither index nor id; the pieces follow each other.
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":":1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"g"}},{"function":{"name":"g"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    ]), @r#"
    started call00002 f
    started call00003 g
    started call00004 g
    call call00002 f {"x":1}
    call call00003 g {}
    call call00004 g {}
    "#);
}

#[test]
fn id_and_name_may_be_repeated_with_every_piece() {
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":""}}]},"finish_reason":"tool_calls"}]}"#,
    ]), @r#"
    started a f
    call a f {"x":1}
    "#);
}

#[test]
fn reasoning_is_shown_and_kept() {
    // DeepSeek, with its own name for cached tokens.
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"role":"assistant","content":null,"reasoning_content":"Let me "}}]}"#,
        r#"{"choices":[{"delta":{"content":null,"reasoning_content":"think."}}]}"#,
        r#"{"choices":[{"delta":{"content":"42","reasoning_content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":4}}"#,
        "[DONE]",
    ]), @r#"
    reasoning "Let me think."
    text "42"
    thought "Let me think." -
    usage 10 (4 cached, 0 written) -> 5 (0 reasoning)
    "#);
    // vLLM's newer name, usage never, no end but the reason to finish.
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"reasoning":"Hm."}}]}"#,
        r#"{"choices":[{"delta":{"content":"42"},"finish_reason":"stop","stop_reason":null}]}"#,
    ]), @r#"
    reasoning "Hm."
    text "42"
    thought "Hm." -
    "#);
    // OpenRouter: what the service wants back, in pieces.
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"reasoning":"A","reasoning_details":[{"type":"reasoning.text","text":"A","index":0,"signature":null}]}}]}"#,
        r#"{"choices":[{"delta":{"reasoning":"B","reasoning_details":[{"type":"reasoning.text","text":"B","index":0,"signature":"s"}]}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"e","index":1}]},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ]), @r#"
    reasoning "AB"
    thought "AB" {"reasoning_details":[{"type":"reasoning.text","text":"AB","index":0,"signature":"s"},{"type":"reasoning.encrypted","data":"e","index":1}]}
    "#);
    // Gemini: a signature that belongs to a call.
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"g","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ]), @r#"
    started g f
    thought "" {"extra_content":{"g":{"google":{"thought_signature":"s"}}}}
    call g f {}
    "#);
}

#[test]
fn content_may_be_a_list_of_parts() {
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]}}]}"#,
        r#"{"choices":[{"delta":{"content":[{"type":"text","text":"Yes"},"."]},"finish_reason":"stop"}]}"#,
    ]), @r#"
    reasoning "Hm."
    text "Yes."
    thought "Hm." -
    "#);
}

#[test]
fn refusals_and_limits_are_reasons_to_stop() {
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"refusal":"I can"}}]}"#,
        r#"{"choices":[{"delta":{"refusal":"not."},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ]), @r#"stopped Refused("I cannot.")"#);
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"content":"Some"},"finish_reason":"content_filter"}]}"#,
    ]), @r#"
    text "Some"
    stopped Refused("")
    "#);
    // A call that reached the limit is none.
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
        "[DONE]",
    ]), @r#"
    started a f
    stopped Length
    "#);
}

#[test]
fn errors_within_a_stream_come_after_the_text() {
    insta::assert_snapshot!(chat(&[
        r#"{"choices":[{"delta":{"content":"Half"}}]}"#,
        r#"{"error":{"message":"overloaded\nnow","type":"overloaded_error","code":529}}"#,
        r#"{"choices":[{"delta":{"content":"never"}}]}"#,
    ]), @r#"
    text "Half"
    error the service reported an error: overloaded\nnow
    kind: overloaded_error, 529
    "#);
    insta::assert_snapshot!(chat(&[r#"{"object":"error","message":"too long","code":400}"#]), @"error the service reported an error: too long");
    insta::assert_snapshot!(chat(&[r#"{"error":"no such thing"}"#]), @"error the service reported an error: no such thing");
    let named = "event: error\ndata: {\"error\":{\"message\":\"gone\"}}\n\n";
    insta::assert_snapshot!(read(Wire::Chat, named), @"error the service reported an error: gone");
    insta::assert_snapshot!(chat(&["<html>"]), @r#"
    error the service sent what is not JSON of its wire
    <html>
      cause: expected value at line 1 column 1
    hint: check the address, and whether the service speaks this wire
    "#);
}

#[test]
fn a_stream_without_its_end_was_cut_off() {
    let stream = sse(&[
        r#"{"choices":[{"delta":{"content":"Half"}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}]}}]}"#,
    ]);
    insta::assert_snapshot!(read(Wire::Chat, &stream), @r#"
    text "Half"
    started a f
    error the answer was cut off: the stream ended without a reason to finish
    "#);
    insta::assert_snapshot!(read(Wire::Chat, &format!("{stream}data: [DONE]\n\n")), @r#"
    text "Half"
    started a f
    error the answer was cut off: the stream ended within a call
    "#);
    insta::assert_snapshot!(read(Wire::Chat, &format!("{stream}data: {{\"choices\":[{{\"del")), @r#"
    text "Half"
    started a f
    error the answer was cut off: the stream ended without a reason to finish
    "#);
    insta::assert_snapshot!(read(Wire::Chat, ""), @"error the answer was cut off: the stream ended without a reason to finish");
}

#[test]
fn the_last_event_needs_no_empty_line() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}";
    assert_eq!(read(Wire::Chat, stream), "text \"a\"");
    assert_eq!(read(Wire::Chat, &format!("{stream}\n")), "text \"a\"");
    assert_eq!(read(Wire::Chat, &format!("{stream}\n\ndata: [DONE]")), "text \"a\"");
}

#[test]
fn an_answer_may_come_in_one_piece() {
    insta::assert_snapshot!(whole(Wire::Chat, r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hm","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{ }"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#), @r#"
    text "Hm"
    started a f
    call a f { }
    usage 3 (0 cached, 0 written) -> 2 (0 reasoning)
    "#);
    insta::assert_snapshot!(whole(Wire::Chat, r#"{"error":{"message":"no"}}"#), @"error the service reported an error: no");
}
