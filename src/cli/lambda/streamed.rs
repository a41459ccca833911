//! Answers over HTTP that are sent while they are made, as function URLs with the invoke mode `RESPONSE_STREAM` take them.
//!
//! Format: "Configuring a Lambda function to stream responses" and "Building a custom runtime" in the guide of Lambda.

use std::convert::Infallible;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::stream::poll_fn;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, timeout_at};

use super::failure::Failure;
use super::http_event::{HttpAnswer, prelude};
use super::mcp_server::{McpServer, SessionEnd};
use super::payload::MAX_STREAMED_BYTES;
use super::runtime_api::{ERROR_BODY, ERROR_TYPE, Handover, RuntimeApi};
use super::{GRACE, out_of_time};
use mitt_base::{Error, ErrorKind, Resource, Result};

/// Bytes of a piece of a whole body.
const PIECE: usize = 256 * 1024;

/// Most bytes of an error in the trailer of an answer. In base64 it has a third more, and clients take trailers of 16 KiB.
const MAX_ERROR_BYTES: usize = 11 * 1024;

/// The frames of a body.
type Frames = Sender<Result<Frame<Bytes>, Infallible>>;

/// A response to a request over HTTP.
pub(super) enum HttpResponse<'f> {
    Whole(HttpAnswer),
    Live(LiveEvents<'f>),
}

/// The events of the server of MCP, which come while a tool works.
pub(super) struct LiveEvents<'f> {
    status: StatusCode,
    headers: HeaderMap,
    body: Incoming,
    server: &'f McpServer,
    /// Headers and body of the request, with which the files of the session are read.
    request: (HeaderMap, Bytes),
    /// Ends the session behind the last event.
    _session: SessionEnd<'f>,
}

impl<'f> LiveEvents<'f> {
    /// Returns the events of a response of the server.
    pub(super) fn new(
        response: Response<Incoming>,
        (server, session): (&'f McpServer, SessionEnd<'f>),
        request: (HeaderMap, Bytes),
    ) -> LiveEvents<'f> {
        let (parts, body) = response.into_parts();
        let (status, headers) = (parts.status, parts.headers);
        LiveEvents { status, headers, body, server, request, _session: session }
    }

    /// Sends the events one by one. Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] - the deadline or the bound on the size was reached. [`ErrorKind::Host`] - the server broke off.
    async fn send(mut self, to: &Frames, deadline: Instant) -> Result<usize> {
        let begun = Instant::now();
        let (mut waiting, mut sent) = (Vec::new(), 0);
        // Bytes of `waiting` in which no event ends.
        let mut searched = 0;
        loop {
            let frame = timeout_at(deadline + GRACE, self.body.frame()).await;
            let frame = frame.map_err(|_| out_of_time(begun, deadline).at("invocation"))?;
            let Some(frame) = frame else { break };
            let frame = frame.map_err(|error| {
                Error::new(ErrorKind::Host, "the server of MCP broke off").caused_by(error)
            })?;
            let Ok(data) = frame.into_data() else { continue };
            waiting.extend_from_slice(&data);
            check_size(sent + waiting.len())?;
            while let Some(end) = end_of_event(&waiting, searched) {
                let event: Vec<u8> = waiting.drain(..end + 2).collect();
                searched = 0;
                let event = String::from_utf8_lossy(&event[..end]);
                let (headers, request) = &self.request;
                let left = MAX_STREAMED_BYTES - sent;
                let with_files = self.server.event_with_files(headers, request, &event, left);
                let with_files = timeout_at(deadline + GRACE, with_files).await;
                let mut event =
                    with_files.map_err(|_| out_of_time(begun, deadline).at("invocation"))?;
                event.push_str("\n\n");
                sent += event.len();
                check_size(sent)?;
                if !push(to, event.into(), deadline).await? {
                    return Ok(sent);
                }
            }
            searched = waiting.len().saturating_sub(1);
        }
        if !waiting.is_empty() {
            sent += waiting.len();
            push(to, waiting.into(), deadline).await?;
        }
        Ok(sent)
    }
}

/// Sends a piece of a body. Returns `false` if nobody takes it, because the connection ended.
///
/// # Errors
///
/// [`ErrorKind::Limit`] - the platform took nothing until the deadline.
async fn push(to: &Frames, piece: Bytes, deadline: Instant) -> Result<bool> {
    let begun = Instant::now();
    let sent = timeout_at(deadline + GRACE, to.send(Ok(Frame::data(piece)))).await;
    let sent = sent.map_err(|_| out_of_time(begun, deadline).at("answer"))?;
    Ok(sent.is_ok())
}

/// Returns where the empty line behind the first event begins, if it does not begin before `from`.
fn end_of_event(bytes: &[u8], from: usize) -> Option<usize> {
    let at = bytes.get(from..)?.windows(2).position(|pair| pair == b"\n\n")?;
    Some(from + at)
}

fn check_size(got: usize) -> Result<()> {
    if got > MAX_STREAMED_BYTES {
        let (most, got) = (MAX_STREAMED_BYTES as u64, got as u64);
        return Err(Error::limit(Resource::Transfer, most, got).at("answer"));
    }
    Ok(())
}

/// Returns `true` if a response is a stream of events.
pub(super) fn is_event_stream(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    media_type.is_some_and(|it| it.starts_with("text/event-stream"))
}

/// What was sent, and why the rest was not.
pub(super) struct Sent {
    pub(super) bytes: usize,
    pub(super) failure: Option<Failure>,
}

/// Hands over a response while it is made.
///
/// # Errors
///
/// Those of [`RuntimeApi::respond`].
pub(super) async fn hand_over(
    api: &RuntimeApi,
    id: &str,
    response: HttpResponse<'_>,
    deadline: Instant,
) -> Result<(Handover, Sent)> {
    // One piece waits while another one is sent, so a slow platform holds up the work and fills no memory.
    let (sender, receiver) = channel(1);
    let time = deadline.saturating_duration_since(Instant::now()) + super::ROOM;
    let handed_over = api.respond_streamed(id, StreamBody::new(frames(receiver)), time);
    let (handed_over, sent) = tokio::join!(handed_over, send(sender, response, deadline));
    Ok((handed_over?, sent))
}

fn frames(
    mut receiver: Receiver<Result<Frame<Bytes>, Infallible>>,
) -> impl futures_util::Stream<Item = Result<Frame<Bytes>, Infallible>> + Send + 'static {
    poll_fn(move |context| receiver.poll_recv(context))
}

async fn send(to: Frames, response: HttpResponse<'_>, deadline: Instant) -> Sent {
    let (status, headers) = match &response {
        HttpResponse::Whole(answer) => (answer.status, &answer.headers),
        HttpResponse::Live(events) => (events.status, &events.headers),
    };
    let head = prelude(status, headers);
    let sent = match push(&to, head, deadline).await {
        Ok(false) => Ok(0),
        Ok(true) => match response {
            HttpResponse::Whole(answer) => send_whole(&to, answer.body, deadline).await,
            HttpResponse::Live(events) => events.send(&to, deadline).await,
        },
        Err(error) => Err(error),
    };
    match sent {
        Ok(bytes) => Sent { bytes, failure: None },
        Err(error) => {
            let failure = Failure::from(error);
            // If the platform takes nothing, the connection ends without trailers.
            let trailers = to.send(Ok(Frame::trailers(trailers(&failure))));
            let _ = timeout_at(deadline + super::ROOM, trailers).await;
            Sent { bytes: 0, failure: Some(failure) }
        }
    }
}

async fn send_whole(to: &Frames, mut body: Bytes, deadline: Instant) -> Result<usize> {
    let size = body.len();
    while !body.is_empty() {
        let piece = body.split_to(body.len().min(PIECE));
        if !push(to, piece, deadline).await? {
            break;
        }
    }
    Ok(size)
}

/// Returns the trailers of an answer that failed after it began.
fn trailers(failure: &Failure) -> HeaderMap {
    let mut json = failure.to_json();
    if json.to_string().len() > MAX_ERROR_BYTES {
        json = serde_json::json!({ "errorType": failure.error_type() });
    }
    let values =
        [(ERROR_TYPE, failure.error_type()), (ERROR_BODY, STANDARD.encode(json.to_string()))];
    let header = |(name, value): (&'static str, String)| {
        Some((HeaderName::from_static(name), HeaderValue::try_from(value).ok()?))
    };
    values.into_iter().filter_map(header).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_in_a_stream_is_a_trailer_of_bounded_size() {
        for (detail, has_message) in
            [("short".to_owned(), true), ("x".repeat(MAX_ERROR_BYTES), false)]
        {
            let failure = Failure::from(Error::new(ErrorKind::Host, detail));
            let trailers = trailers(&failure);
            assert_eq!(trailers[ERROR_TYPE], "Mitt.host");
            let json = STANDARD.decode(trailers[ERROR_BODY].as_bytes()).unwrap();
            let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
            assert_eq!(json.get("errorMessage").is_some(), has_message, "{json}");
            assert_eq!(json["errorType"], "Mitt.host");
        }
    }

    #[test]
    fn events_end_with_an_empty_line() {
        assert_eq!(end_of_event(b"data: a\n\nb", 0), Some(7));
        assert_eq!(end_of_event(b"data: a\n\nb", 7), Some(7));
        assert_eq!(end_of_event(b"data: a\nb", 0), None);
        assert_eq!(end_of_event(b"", 5), None);
    }

    #[test]
    fn a_stream_is_bounded() {
        assert!(check_size(MAX_STREAMED_BYTES).is_ok());
        assert!(check_size(MAX_STREAMED_BYTES + 1).unwrap_err().render().contains("20971520"));
    }
}
