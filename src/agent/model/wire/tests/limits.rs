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

/// Each event is small, and what is kept of all of them is not.
#[test]
fn values_that_are_kept_over_events_have_a_limit_together() {
    let lists = "[],".repeat(40_000);
    let call = |n: usize| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":{n},"id":"c{n}","function":{{"name":"f","arguments":"{{}}"}},"extra_content":{{"x":[{lists}0]}}}}]}}}}]}}"#
        )
    };
    let items = |n: usize| {
        format!(
            r#"{{"type":"response.output_item.done","output_index":{n},"item":{{"type":"reasoning","encrypted_content":"x","y":[{lists}0]}}}}"#
        )
    };
    let event: [(Wire, &dyn Fn(usize) -> String); 2] =
        [(Wire::Chat, &call), (Wire::Responses, &items)];
    for (wire, event) in event {
        let pieces = (0..200).map(|n| format!("data: {}\n\n", event(n)).into_bytes()).collect();
        let (_, error) = decoded(wire, pieces, 1 << 20);
        let error = error.unwrap();
        assert!(error.contains("an answer of too many values"), "{wire:?}: {error}");
    }
    // Thoughts, each of a block of its own.
    let thought = |n: usize| {
        format!(
            r#"data: {{"type":"content_block_start","index":{n},"content_block":{{"type":"thinking","thinking":"a"}}}}"#
        ) + "\n\n"
    };
    let pieces = (0..2_000).map(|n| thought(n).into_bytes()).collect();
    let (_, error) = decoded(Wire::Messages, pieces, 1 << 20);
    assert_eq!(error.as_deref(), Some("an answer has at most 1000 thoughts"));
}

/// A server may keep a connection open by empty lines; the answer comes all the same, and others have a turn between them.
#[tokio::test]
async fn empty_lines_are_skipped_and_let_others_have_a_turn() {
    let done = sse(&[r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#]);
    let text = format!(": begin\n\n{}{done}", "\n".repeat(100_000));
    let bytes = stream::iter([Ok(text.into_bytes())]);
    let answer = decode::answer(Wire::Chat, Reader::new(Wire::Chat, &[]), bytes, 1_000);
    let mut answer = std::pin::pin!(answer.collect::<Vec<_>>());
    assert!(answer.as_mut().now_or_never().is_none(), "nobody else had a turn");
    assert_eq!(answer.await.len(), 1);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let (_, error) = decoded(Wire::Chat, vec![b"data: \xff\n\n".to_vec()], 1_000);
    assert_eq!(error.as_deref(), Some("the service sent bytes that are not UTF-8"));
}

#[test]
fn a_byte_order_mark_before_a_stream_is_left_out() {
    let chat = sse(&[r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#]);
    for (wire, stream) in [
        (Wire::Chat, chat),
        (
            Wire::Chat,
            r#"data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#.into(),
        ),
        (Wire::Ollama, "{\"message\":{\"content\":\"a\"},\"done\":true}".into()),
    ] {
        assert_eq!(read(wire, &format!("\u{feff}{stream}")), "text \"a\"", "{wire:?}");
    }
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

#[test]
fn an_answer_of_very_many_calls_is_refused_by_name() {
    let call = |index: usize| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":{index},"id":"c{index}","function":{{"name":"f","arguments":"{{}}"}}}}]}}}}]}}"#
        )
    };
    for (count, expected) in [(1_000, None), (1_001, Some("the answer makes more than 1000 calls"))]
    {
        let mut text: String = (0..count).map(|index| sse(&[&call(index)])).collect();
        text += &sse(&[r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#]);
        let (_, error) = decoded(Wire::Chat, vec![text.into_bytes()], 1 << 20);
        let error = error.as_deref().and_then(|error| error.lines().next().map(str::to_owned));
        assert_eq!(error.as_deref(), expected);
    }
}

#[test]
fn arguments_in_many_pieces_are_read_in_linear_time() {
    // Each piece names the call again and ends as an object does: parsed anew with each of them they would take minutes.
    let piece = r#"{"choices":[{"delta":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{},"}}]}}]}"#;
    let first = piece.replace("{},", "{\\\"a\\\":[{},");
    let last = piece.replace("{},", "{}]}");
    let mut text = sse(&[&first]) + &sse(&[piece]).repeat(60_000) + &sse(&[&last]);
    text += &sse(&[r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#]);
    let start = std::time::Instant::now();
    let (events, error) = decoded(Wire::Chat, vec![text.into_bytes()], 1 << 20);
    assert_eq!((events.len(), error), (2, None));
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn an_event_of_very_many_values_is_refused_before_it_is_a_tree() {
    let values = "[0],".repeat(1 << 20);
    let event = format!(r#"{{"choices":[{{"delta":{{"content":[{values}0]}}}}]}}"#);
    for wire in [Wire::Chat, Wire::Responses, Wire::Messages] {
        let (_, error) = decoded(wire, vec![sse(&[&event]).into_bytes()], 16 << 20);
        assert!(error.unwrap().starts_with("the service sent an answer of too many values"));
    }
}
