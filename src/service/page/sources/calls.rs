//! Looks for a value in the calls of a run: in the arguments that the model wrote, and in the results that it received.

use std::collections::BTreeMap;
use std::time::Instant;

use futures_util::StreamExt as _;

use super::found::{Found, MOST_MATCHES, MOST_OF_ONE, SourceKind, SourceMatch, excerpt};
use super::wanted::Wanted;
use crate::problem::Problem;
use crate::run::{EventData, EventStream};

/// Most events that are read.
const MOST_EVENTS: u64 = 20_000;

/// Most bytes of arguments and results that are searched.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// Adds the places in the calls of these events that hold a value. Ends at the deadline.
///
/// # Errors
///
/// The store failed.
pub(super) async fn search(
    mut events: EventStream,
    wanted: &Wanted,
    deadline: Instant,
    found: &mut Found,
) -> Result<(), Problem> {
    // Names of tools by the identifiers of their calls.
    let mut tools: BTreeMap<String, String> = BTreeMap::new();
    let (mut n_events, mut n_bytes) = (0, 0);
    while let Some(event) = events.next().await {
        let event = event?;
        n_events += 1;
        let is_over = n_events > MOST_EVENTS || n_bytes > MAX_BYTES || Instant::now() >= deadline;
        if is_over || found.is_full(MOST_MATCHES) {
            found.has_more = true;
            break;
        }
        match &event.data {
            EventData::TurnEnded { calls, .. } => {
                for call in calls {
                    n_bytes += call.arguments.len();
                    let of = (call.id.as_str(), call.name.as_str(), "arguments");
                    found.append(in_text(&call.arguments, of, wanted));
                    tools.insert(call.id.clone(), call.name.clone());
                }
            }
            EventData::CallResult { model_call, content, .. } => {
                n_bytes += content.len();
                let name = tools.get(model_call).map_or("", String::as_str);
                found.append(in_text(content, (model_call, name, "result"), wanted));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the places in a text of a call: its identifier, the name of its tool, and what the text is.
fn in_text(text: &str, (call, tool, label): (&str, &str, &str), wanted: &Wanted) -> Found {
    let mut found = Found::default();
    wanted.in_text(text, |likeness, range| {
        if found.wants(likeness, MOST_OF_ONE) {
            found.add(SourceMatch {
                label: label.to_owned(),
                excerpt: excerpt(text, &range),
                call: Some(call.to_owned()),
                ..SourceMatch::new(SourceKind::Call, tool, likeness)
            });
        }
        !found.is_full(MOST_OF_ONE)
    });
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use futures_util::stream;

    use super::*;
    use crate::run::{FunctionCall, RunEvent};

    fn events(data: Vec<EventData>) -> EventStream {
        let events = data
            .into_iter()
            .zip(1..)
            .map(|(data, number)| Ok(Arc::new(RunEvent { number, time_ms: 0, agent: None, data })));
        Box::pin(stream::iter(events.collect::<Vec<_>>()))
    }

    fn turn(id: &str, arguments: &str) -> EventData {
        let call = FunctionCall {
            id: id.to_owned(),
            name: "python__run".to_owned(),
            arguments: arguments.to_owned(),
        };
        EventData::TurnEnded { turn: 1, text: String::new(), calls: vec![call] }
    }

    fn result(id: &str, content: &str) -> EventData {
        let (model_call, content) = (id.to_owned(), content.to_owned());
        EventData::CallResult { model_call, content, is_error: false }
    }

    async fn found(data: Vec<EventData>, value: &str, time: Duration) -> (Vec<SourceMatch>, bool) {
        let mut found = Found::default();
        let deadline = Instant::now() + time;
        search(events(data), &Wanted::of(value), deadline, &mut found).await.unwrap();
        found.into_best()
    }

    #[tokio::test]
    async fn arguments_and_results_are_searched_with_their_calls() {
        let data = vec![
            turn("a", r#"{"code":"rate = 0.1\nprint(12.5)"}"#),
            result("a", "growth: 0.125\nall: 12.46"),
            result("b", "nothing"),
        ];
        let (matches, has_more) = found(data, "12.5%", Duration::from_secs(60)).await;
        let places: Vec<_> = matches
            .iter()
            .map(|it| (it.label.as_str(), it.call.as_deref(), it.is_exact, it.name.as_str()))
            .collect();
        let of = |label, is_exact| (label, Some("a"), is_exact, "python__run");
        let expected = [of("arguments", true), of("result", true), of("result", false)];
        assert_eq!((places.as_slice(), has_more), (expected.as_slice(), false));
        assert_eq!(matches[1].excerpt, "growth: 0.125 all: 12.46");
    }

    #[tokio::test]
    async fn many_places_and_a_lack_of_time_end_the_search() {
        let many = || (0..9).map(|n| result(&n.to_string(), &"7 ".repeat(100))).collect::<Vec<_>>();
        let (matches, has_more) = found(many(), "7", Duration::from_secs(60)).await;
        assert_eq!((matches.len(), has_more), (MOST_MATCHES, true));
        let of_first = matches.iter().filter(|it| it.call.as_deref() == Some("0"));
        assert_eq!(of_first.count(), MOST_OF_ONE);
        let (matches, has_more) = found(many(), "7", Duration::ZERO).await;
        assert_eq!((matches.len(), has_more), (0, true));
    }
}
