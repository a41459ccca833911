//! JSON lines of Ollama.

use super::*;

fn ollama(lines: &[&str]) -> String {
    read(Wire::Ollama, &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

#[test]
fn lines_hold_text_thoughts_and_whole_calls() {
    insta::assert_snapshot!(ollama(&[
        r#"{"model":"qwen3","message":{"role":"assistant","content":"","thinking":"Hm… "},"done":false}"#,
        r#"{"message":{"role":"assistant","content":"","thinking":"yes"},"done":false}"#,
        r#"{"message":{"role":"assistant","content":"世"},"done":false}"#,
        "",
        r#"{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"index":0,"name":"f","arguments":{"n": 1.50, "n": 12345678901234567890123}}},{"function":{"index":0,"name":"f","arguments":{}}}]},"done":false}"#,
        r#"{"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_x","function":{"name":"g"}}]},"done":false}"#,
        r#"{"message":{"role":"assistant","content":""},"done_reason":"stop","done":true,"prompt_eval_count":26,"eval_count":9}"#,
    ]), @r#"
    reasoning "Hm… yes"
    text "世"
    started call00002 f
    started call00003 f
    started call_x g
    thought "Hm… yes" -
    call call00002 f {"n": 1.50, "n": 12345678901234567890123}
    call call00003 f {}
    call call_x g {}
    usage 26 (0 cached, 0 written) -> 9 (0 reasoning)
    "#);
}

#[test]
fn limits_errors_and_cuts() {
    let text = r#"{"message":{"content":"Half"},"done":false}"#;
    insta::assert_snapshot!(ollama(&[text, r#"{"done":true,"done_reason":"length","eval_count":1}"#]), @r#"
    text "Half"
    usage 0 (0 cached, 0 written) -> 1 (0 reasoning)
    stopped Length
    "#);
    insta::assert_snapshot!(ollama(&[text, r#"{"error":"an error was encountered while running the model"}"#]), @r#"
    text "Half"
    error the service reported an error: an error was encountered while running the model
    "#);
    insta::assert_snapshot!(ollama(&[text]), @r#"
    text "Half"
    error the answer was cut off: the stream ended before it was done
    "#);
    insta::assert_snapshot!(read(Wire::Ollama, &format!("{text}\n{{\"done\":tr")), @r#"
    text "Half"
    error the answer was cut off: the stream ended before it was done
    "#);
    assert_eq!(read(Wire::Ollama, r#"{"message":{"content":"a"},"done":true}"#), "text \"a\"");
    assert_eq!(whole(Wire::Ollama, r#"{"message":{"content":"a"},"done":true}"#), "text \"a\"");
}
