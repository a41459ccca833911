//! Streams that are too large, no text, or never end.

use super::*;

#[test]
fn an_event_has_a_limit_and_many_small_ones_have_none() {
    let large = format!("data: {{\"choices\":[],\"x\":\"{}\"}}\n\n", "x".repeat(2_000));
    for pieces in [
        vec![large.clone().into_bytes()],
        large.bytes().map(|byte| vec![byte]).collect(),
        // An event of many lines, and a line that never ends.
        vec![b"data: 1234567890\n".repeat(100)],
        vec![b"data: ".to_vec(), vec![b'x'; 990], vec![b'x'; 990]],
    ] {
        let (_, error) = decoded(Wire::Chat, pieces, 1_000);
        assert_eq!(error.as_deref(), Some("one event of the answer is larger than 1000 bytes"));
    }
    let (_, error) = decoded(Wire::Ollama, vec![large.into_bytes()], 1_000);
    assert_eq!(error.as_deref(), Some("one event of the answer is larger than 1000 bytes"));
    let small = sse(&[r#"{"choices":[{"delta":{"content":"x"}}]}"#]).repeat(1_000);
    let small = small + &sse(&[r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#]);
    let (events, error) = decoded(Wire::Chat, vec![small.into_bytes()], 1_000);
    assert_eq!((events.len(), error), (1_000, None));
    let lines = "{\"message\":{\"content\":\"x\"}}\n".repeat(1_000) + "{\"done\":true}\n";
    let (events, error) = decoded(Wire::Ollama, vec![lines.into_bytes()], 1_000);
    assert_eq!((events.len(), error), (1_000, None));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let (_, error) = decoded(Wire::Chat, vec![b"data: \xff\n\n".to_vec()], 1_000);
    assert_eq!(error.as_deref(), Some("the service sent bytes that are not UTF-8"));
}

#[test]
fn what_is_complete_does_not_wait_for_the_connection_to_end() {
    let done =
        sse(&[r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#, "[DONE]"]);
    let open = stream::iter([Ok(done.into_bytes())]).chain(stream::pending());
    let answer = decode::answer(Wire::Chat, Reader::new(Wire::Chat, &[]), open, 1_000);
    let events = answer.collect::<Vec<_>>().now_or_never().expect("it ended");
    assert_eq!(events.len(), 1);
}

#[test]
fn what_is_complete_survives_a_broken_connection() {
    let broken = || Err(mitt_base::Error::model("broken"));
    for (finish, expected) in [("\"stop\"", true), ("null", false)] {
        let text =
            format!(r#"{{"choices":[{{"delta":{{"content":"a"}},"finish_reason":{finish}}}]}}"#);
        let bytes = stream::iter([Ok(sse(&[&text]).into_bytes()), broken()]);
        let answer = decode::answer(Wire::Chat, Reader::new(Wire::Chat, &[]), bytes, 1_000);
        let events = answer.collect::<Vec<_>>().now_or_never().unwrap();
        assert_eq!(events.iter().all(Result::is_ok), expected);
    }
}

#[test]
fn a_large_event_in_small_pieces_is_read_in_linear_time() {
    // Four megabytes in pieces of 16 bytes: scanned anew with every piece they would take hours.
    let large = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}},\"finish_reason\":\"stop\"}}]}}\n\n",
        "x".repeat(4 << 20)
    );
    let pieces = large.as_bytes().chunks(16).map(<[u8]>::to_vec).collect();
    let (events, error) = decoded(Wire::Chat, pieces, 8 << 20);
    assert_eq!((events.len(), error), (1, None));
}
