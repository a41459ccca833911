//! `/v1/runs/{run}/events`: the events of a run as a stream, or in pages.

use futures_util::{StreamExt as _, stream};
use hyper::Method;
use schemars::JsonSchema;
use serde::Serialize;

use super::viewer::Viewer;
use crate::http::{
    Answered, Content, HttpResponse, Request, Responds, SseEvent, empty, event_stream, json,
    schema_of,
};
use crate::problem::Problem;
use crate::run::{EventStream, RunEvent};
use crate::service::{Endpoint, Service};

/// Events of a page, if the client names no number.
const DEFAULT_LIMIT: u64 = 100;
/// Most events of a page.
const MOST_LIMIT: u64 = 1_000;
/// Size in bytes after which a page ends.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// A page of events.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "RunEventPage")]
struct EventPage {
    /// The events, oldest first. The next page is after the number of the last one.
    events: Vec<RunEvent>,
    /// Number of the last event of the run.
    last: u64,
}

/// Data of an event of a stream: an event of the run, or why the stream ends before the run, with the name `problem`.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "RunStreamEvent")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum StreamedEvent {
    /// An event of the run.
    Event(Box<RunEvent>),
    /// Why the stream ends.
    Problem(Problem),
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Follows the events of a run.";
    let path = "/v1/runs/{run}/events";
    let follow = Endpoint::new("runs", Method::GET, path, "list_run_events", summary, follow)
        .describe(
            "A stream of server-sent events, which ends when the run does nothing more without a request. A client that \
             reconnects sends `Last-Event-ID` and misses nothing. With `Accept: application/json` or `follow=false`, the \
             events so far are one JSON object.",
        )
        .query(&[
            ("after", "Number of an event: only later ones are returned. Default: 0."),
            ("follow", "`false`: the events so far as JSON."),
            ("limit", "Most events as JSON, up to 1000. Default: 100."),
        ])
        .responds(Responds::JsonOrEvents(
            200,
            schema_of::<EventPage>(),
            schema_of::<StreamedEvent>(),
        ))
        .further(204, Content::None)
        .stream();
    vec![follow]
}

/// Returns a response that sends these events.
pub(super) fn live(viewer: Viewer, events: EventStream) -> HttpResponse {
    event_stream(stream::unfold(Some(events), move |events| {
        let viewer = viewer.clone();
        async move {
            let mut events = events?;
            match events.next().await? {
                Ok(event) => Some((viewer.sse(&event), Some(events))),
                Err(problem) => {
                    let data = serde_json::to_string(&problem).unwrap_or_default();
                    let event = Some("problem".to_owned());
                    Some((SseEvent { id: None, event, data }, None))
                }
            }
        }
    }))
}

async fn follow(service: Service, request: Request) -> Answered {
    let viewer = Viewer::of(&service, &request);
    let id = request.parameter("run").to_owned();
    let reconnects = request.headers().contains_key("last-event-id");
    let after = after(&request)?;
    let wants_json = request.accepts("application/json") && !request.accepts("text/event-stream");
    let follows = request.query("follow").is_none_or(|it| !matches!(it.as_str(), "false" | "0"));
    let runs = service.runs();
    // The state is read first: if it is at rest, the number behind it is the last one.
    let state = runs.get(&viewer.tenant, &id).await?;
    let last = runs.last_event(&viewer.tenant, &id).await?;
    if after > last {
        let detail = format!("expected the number of an event, at most {last}, got {after}");
        return Err(Problem::bad("invalid_query", detail));
    }
    if wants_json || !follows {
        let limit = match request.query_number("limit")?.unwrap_or(DEFAULT_LIMIT) {
            limit @ 1..=MOST_LIMIT => limit,
            other => {
                let detail = format!("`limit`: expected 1 to {MOST_LIMIT}, got {other}");
                return Err(Problem::bad("invalid_query", detail));
            }
        };
        let events = runs.events(&viewer.tenant, &id, after, false).await?;
        return Ok(json(200, &page(&viewer, events, limit, last).await?));
    }
    // A browser connects again when a stream ends. This status is how it learns that nothing more comes.
    if reconnects && after == last && !state.status.is_active() {
        return Ok(empty(204));
    }
    let events = runs.events(&viewer.tenant, &id, after, true).await?;
    Ok(live(viewer, events))
}

/// Returns the number of the last event that the client saw; the header is newer than the address.
fn after(request: &Request) -> Result<u64, Problem> {
    match request.headers().get("last-event-id") {
        None => Ok(request.query_number("after")?.unwrap_or_default()),
        Some(text) => text.to_str().ok().and_then(|it| it.trim().parse().ok()).ok_or_else(|| {
            Problem::bad("invalid_header", "`Last-Event-ID`: expected the number of an event")
        }),
    }
}

async fn page(
    viewer: &Viewer,
    mut events: EventStream,
    limit: u64,
    last: u64,
) -> Result<EventPage, Problem> {
    let mut page = EventPage { events: Vec::new(), last };
    let mut size = 0;
    while let Some(event) = events.next().await {
        let event = event?;
        let shown = viewer.event(&event);
        size += serde_json::to_vec(&shown).map_or(0, |it| it.len());
        page.events.push(shown);
        page.last = page.last.max(event.number);
        if page.events.len() as u64 >= limit || size >= PAGE_BYTES {
            break;
        }
    }
    Ok(page)
}
