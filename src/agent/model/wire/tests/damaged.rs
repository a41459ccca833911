//! Damaged streams: events left out, doubled, in another order, with other values, and cut. The same damage gives the same answer however
//! the connection cuts it, and an answer never names two calls alike.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::*;

/// Streams that have everything that a wire can say.
const CHAT: [&str; 9] = [
    r#"{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
    r#"{"choices":[{"delta":{"reasoning_content":"Hm… ","content":null}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"Grüße"}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":{"n":9007199254740993.10}}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
    r#"{"choices":[{"delta":{"refusal":"No."},"finish_reason":"tool_calls"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":8}}}"#,
    r#"{"error":{"message":"overloaded","code":503}}"#,
];
const RESPONSES: [&str; 9] = [
    r#"{"type":"response.created","response":{"status":"in_progress","output":[]}}"#,
    r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}"#,
    r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"Look "}"#,
    r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look"}],"encrypted_content":"gAAA"}}"#,
    r#"{"type":"response.output_text.delta","output_index":1,"delta":"Schön"}"#,
    r#"{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":""}}"#,
    r#"{"type":"response.function_call_arguments.delta","output_index":2,"item_id":"fc_1","delta":"{\"n\": 1.50}"}"#,
    r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{\"n\": 1.50}"}}"#,
    r#"{"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":20,"output_tokens":9}}}"#,
];
const MESSAGES: [&str; 11] = [
    r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":10,"cache_read_input_tokens":1000,"output_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me see…"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQ="}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"I look."}}"#,
    r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}"#,
    r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"n\": 1.50}"}}"#,
    r#"{"type":"content_block_stop","index":3}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":50}}"#,
    r#"{"type":"message_stop"}"#,
];
const OLLAMA: [&str; 4] = [
    r#"{"message":{"role":"assistant","content":"","thinking":"Hm… "},"done":false}"#,
    r#"{"message":{"role":"assistant","content":"世"},"done":false}"#,
    r#"{"message":{"content":"","tool_calls":[{"function":{"index":0,"name":"f","arguments":{"n":1.50}}},{"id":"b","function":{"name":"g"}}]},"done":false}"#,
    r#"{"message":{"content":""},"done_reason":"stop","done":true,"prompt_eval_count":26,"eval_count":9}"#,
];

/// What may stand in place of a value.
const VALUES: [&str; 14] = [
    "null",
    "true",
    "-1",
    "1e999",
    "18446744073709551616",
    "\"\"",
    "\"a\"",
    "\"\\ud800\"",
    "[]",
    "{}",
    "[[],{}]",
    "{\"text\":\"b\"}",
    "\"{\\\"a\\\":\"",
    "\"stop\"",
];

/// What may stand before the first event.
const HEADS: [&str; 9] = [
    "",
    "",
    "",
    "",
    "\u{feff}",
    "\u{feff}\u{feff}",
    ": ping\n\n",
    "\r\n\n",
    "id: 1\nretry: x\nevent\n",
];

/// Rounds for each wire, and for how long more if `MITT_FUZZ_SECONDS` says so.
const ROUNDS: u32 = 400;

#[test]
fn damaged_streams_are_read_alike_however_they_are_cut() {
    for (wire, events) in [
        (Wire::Chat, &CHAT[..]),
        (Wire::Responses, &RESPONSES),
        (Wire::Messages, &MESSAGES),
        (Wire::Ollama, &OLLAMA),
    ] {
        let mut random = fastrand::Rng::with_seed(0x5eed);
        let seconds = std::env::var("MITT_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
        let until = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
        let mut round = 0;
        while round < ROUNDS || Instant::now() < until {
            check(wire, &damaged(wire, events, &mut random), &mut random);
            round += 1;
        }
    }
}

/// A stream of `events` with some of them changed.
fn damaged(wire: Wire, events: &[&str], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut events: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
    for _ in 0..random.usize(1..5) {
        let (at, other) = (random.usize(..events.len()), random.usize(..events.len()));
        match random.u8(..5) {
            0 if events.len() > 1 => drop(events.remove(at)),
            1 => events.swap(at, other),
            2 => events.insert(other, events[at].clone()),
            _ => events[at] = with_other_value(&events[at], random),
        }
    }
    let end = |event: String| match wire {
        Wire::Ollama => format!("{event}\n"),
        _ => format!("data: {event}\n\n"),
    };
    let head = HEADS[random.usize(..HEADS.len())].to_owned();
    let mut stream =
        events.into_iter().map(end).fold(head, |head, event| head + &event).into_bytes();
    if random.u8(..4) == 0 {
        let at = random.usize(..stream.len());
        if random.bool() { stream.truncate(at) } else { stream[at] = random.u8(..) }
    }
    stream
}

/// An event with one of its values replaced.
fn with_other_value(event: &str, random: &mut fastrand::Rng) -> String {
    let starts: Vec<usize> = event.match_indices(':').map(|(at, _)| at + 1).collect();
    let Some(start) = starts.get(random.usize(..starts.len().max(1))) else {
        return event.to_owned();
    };
    let mut values =
        serde_json::Deserializer::from_str(&event[*start..]).into_iter::<serde_json::Value>();
    let Some(Ok(_)) = values.next() else { return event.to_owned() };
    let end = start + values.byte_offset();
    format!("{}{}{}", &event[..*start], VALUES[random.usize(..VALUES.len())], &event[end..])
}

fn check(wire: Wire, stream: &[u8], random: &mut fastrand::Rng) {
    let shown = String::from_utf8_lossy(stream);
    let limit = 1 << 20;
    let whole = decoded(wire, vec![stream.to_vec()], limit);
    let mut ids = HashSet::new();
    for event in &whole.0 {
        if let ChatEvent::Call(call) = event {
            assert!(
                !call.id.is_empty() && ids.insert(&call.id),
                "{wire:?}: {} twice in {shown}",
                call.id
            );
        }
    }
    let mut pieces = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        let (piece, others) = rest.split_at(random.usize(1..=rest.len().min(40)));
        pieces.push(piece.to_vec());
        rest = others;
    }
    assert_eq!(decoded(wire, pieces, limit), whole, "{wire:?}: {shown}");
}
