//! Streams of server-sent events.

use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use futures_util::{StreamExt as _, stream};
use http_body_util::StreamBody;
use http_body_util::combinators::BoxBody;
use hyper::Response;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};

use super::response::SyncStream;
use mitt_serve::http::HttpResponse;

/// Interval of comments that keep proxies from closing a quiet stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A server-sent event.
#[derive(Clone, Debug, Default)]
pub(crate) struct SseEvent {
    /// Its number, which a client sends as `Last-Event-ID` when it reconnects.
    pub(crate) id: Option<u64>,
    /// Its type; `None` for `message`.
    pub(crate) event: Option<String>,
    /// Its data, one line of JSON or other text.
    pub(crate) data: String,
}

impl SseEvent {
    /// Returns an event of data alone.
    pub(crate) fn data(data: impl Into<String>) -> SseEvent {
        SseEvent { data: data.into(), ..SseEvent::default() }
    }

    fn bytes(&self) -> Bytes {
        let mut text = String::with_capacity(self.data.len() + 64);
        if let Some(event) = &self.event {
            text.push_str("event: ");
            text.push_str(event);
            text.push('\n');
        }
        if let Some(id) = self.id {
            text.push_str(&format!("id: {id}\n"));
        }
        // Every kind of line break ends a field, so that each line is a field of its own.
        for line in self.data.replace("\r\n", "\n").split(['\n', '\r']) {
            text.push_str("data: ");
            text.push_str(line);
            text.push('\n');
        }
        text.push('\n');
        text.into()
    }
}

/// Returns a response whose body are these events. Nothing is buffered: an event is made when the client reads it, and a
/// client that reads too slowly loses its connection.
pub(crate) fn event_stream<S>(events: S) -> HttpResponse
where
    S: Stream<Item = SseEvent> + Send + 'static,
{
    let events = Box::pin(events);
    let frames = stream::unfold(Some(events), |events| async {
        let mut events = events?;
        match tokio::time::timeout(KEEP_ALIVE, events.next()).await {
            Ok(Some(event)) => Some((event.bytes(), Some(events))),
            Ok(None) => None,
            Err(_) => Some((Bytes::from_static(b": waiting\n\n"), Some(events))),
        }
    });
    let body = StreamBody::new(SyncStream::new(frames));
    let mut answer = Response::new(BoxBody::new(body));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would buffer the stream otherwise.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    answer
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    async fn frame(answer: &mut HttpResponse) -> Option<String> {
        let frame = answer.body_mut().frame().await?.unwrap();
        Some(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap())
    }

    #[test]
    fn an_event_has_its_number_its_type_and_one_field_for_each_line() {
        let event = SseEvent { id: Some(3), event: Some("text".into()), data: "{}".into() };
        assert_eq!(event.bytes(), "event: text\nid: 3\ndata: {}\n\n");
        let event = SseEvent::data("a\nid: 9\rb\r\n\nc");
        assert_eq!(event.bytes(), "data: a\ndata: id: 9\ndata: b\ndata: \ndata: c\n\n");
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_stream_is_kept_open_by_comments() {
        let events = stream::iter([SseEvent::data("1")]).chain(stream::once(async {
            tokio::time::sleep(KEEP_ALIVE * 2 + Duration::from_secs(1)).await;
            SseEvent::data("2")
        }));
        let mut answer = event_stream(events);
        assert_eq!(answer.headers()[CONTENT_TYPE], "text/event-stream");
        assert_eq!(answer.headers()[CACHE_CONTROL], "no-store");
        let mut frames = Vec::new();
        while let Some(text) = frame(&mut answer).await {
            frames.push(text);
        }
        assert_eq!(frames, ["data: 1\n\n", ": waiting\n\n", ": waiting\n\n", "data: 2\n\n"]);
    }
}
