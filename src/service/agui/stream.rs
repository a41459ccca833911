//! The response: events of a run, translated while the client reads them.

use std::collections::VecDeque;

use futures_core::Stream;
use futures_util::{StreamExt as _, stream};

use super::events::StampedEvent;
use super::translator::Translator;
use crate::http::SseEvent;
use crate::run::EventStream;

struct Streaming {
    translator: Translator,
    events: EventStream,
    /// Events that are not sent yet: those of one event of the run.
    waiting: VecDeque<StampedEvent>,
    now_ms: Box<dyn Fn() -> u64 + Send>,
}

/// Returns the events for the client: `first`, then those that the translator makes of `events`, until the run of AG-UI
/// ends.
pub(super) fn translated(
    translator: Translator,
    first: Vec<StampedEvent>,
    events: EventStream,
    now_ms: impl Fn() -> u64 + Send + 'static,
) -> impl Stream<Item = SseEvent> + Send {
    let streaming =
        Streaming { translator, events, waiting: first.into(), now_ms: Box::new(now_ms) };
    stream::unfold(streaming, |mut streaming| async move {
        loop {
            if let Some(event) = streaming.waiting.pop_front() {
                // Only strings are keys, so that this cannot fail.
                let data = serde_json::to_string(&event).unwrap_or_default();
                return Some((SseEvent::data(data), streaming));
            }
            if streaming.translator.is_finished() {
                return None;
            }
            let made = match streaming.events.next().await {
                Some(Ok(event)) => streaming.translator.event(&event),
                Some(Err(problem)) => {
                    streaming.translator.end(Some(&problem), (streaming.now_ms)())
                }
                None => streaming.translator.end(None, (streaming.now_ms)()),
            };
            streaming.waiting.extend(made);
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::translator::tests::{event, translator};
    use super::*;
    use crate::problem::Problem;
    use crate::run::RunEvent;
    use serde_json::{Value, json};

    async fn sent(events: Vec<Result<RunEvent, Problem>>) -> Vec<Value> {
        let events = stream::iter(events.into_iter().map(|event| event.map(Arc::new)));
        let (translator, first) = translator();
        let sent = translated(translator, first, Box::pin(events), || 5);
        let sent: Vec<SseEvent> = sent.collect().await;
        sent.iter().map(|event| serde_json::from_str(&event.data).unwrap()).collect()
    }

    fn ended() -> Value {
        json!({ "type": "ended", "status": "completed", "text": "a", "files": [], "usage": {} })
    }

    fn types(events: &[Value]) -> Vec<&str> {
        events.iter().map(|event| event["type"].as_str().unwrap()).collect()
    }

    #[tokio::test]
    async fn the_stream_ends_with_the_run() {
        let sent = sent(vec![
            Ok(event(1, json!({ "type": "text", "turn": 1, "text": "a" }))),
            Ok(event(2, json!({ "type": "turn_ended", "turn": 1, "text": "a", "calls": [] }))),
            Ok(event(3, ended())),
            Ok(event(4, json!({ "type": "text", "turn": 2, "text": "b" }))),
        ])
        .await;
        let expected = [
            "RUN_STARTED",
            "STATE_SNAPSHOT",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "RUN_FINISHED",
        ];
        assert_eq!(types(&sent), expected);
        assert_eq!(sent[0]["threadId"], "thread");
        assert_eq!(sent[0]["protocolVersion"], "1.0");
    }

    #[tokio::test]
    async fn a_stream_that_breaks_is_an_error() {
        let broken = sent(vec![Err(Problem::new(404, "not_found", "there is no run"))]).await;
        assert_eq!(types(&broken), ["RUN_STARTED", "STATE_SNAPSHOT", "RUN_ERROR"]);
        assert_eq!((&broken[2]["code"], &broken[2]["timestamp"]), (&json!("not_found"), &json!(5)));
        assert_eq!(sent(Vec::new()).await[2]["code"], "interrupted");
    }
}
