//! HTTP client of MCP servers. It bounds and weighs each message before it is parsed into a tree of values, as `message_weight.rs`
//! does for the lines of a program. Everything else is left to the client of `rmcp`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt as _, unfold};
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use reqwest::{Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::transport::common::http_header::HEADER_SESSION_ID;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse, SseStream};

use super::last_words::LastWords;
use super::message_weight::{MAX_MESSAGE_BYTES, check_weight};

/// Largest body of a failed request that is read, in bytes.
const MAX_ERROR_BYTES: usize = 64 * 1024;
/// Media types of the two forms of an answer.
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

type HttpError = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Client that weighs the messages of one server.
#[derive(Clone)]
pub(crate) struct WeighingClient {
    client: reqwest::Client,
    words: LastWords,
}

impl WeighingClient {
    /// Returns a client that notes in `words` why it refused a message.
    pub(crate) fn new(client: reqwest::Client, words: LastWords) -> WeighingClient {
        WeighingClient { client, words }
    }

    /// Replaces an event that is too heavy by an error for the request that it answers, or by an event without data.
    fn checked_events(&self, events: Events) -> Events {
        let words = self.words.clone();
        let events = events.map(move |event| {
            let mut event = event?;
            if let Some(Err((answer, why))) =
                event.data.as_ref().map(|it| check_weight(it.as_bytes()))
            {
                words.add(&why);
                event.data = answer;
            }
            Ok(event)
        });
        events.boxed()
    }

    /// Returns the message of a body in JSON. `None` if the message is too heavy and answers no request.
    fn message(&self, body: &[u8]) -> Result<Option<ServerJsonRpcMessage>, serde_json::Error> {
        match check_weight(body) {
            Ok(()) => serde_json::from_slice(body).map(Some),
            Err((answer, why)) => {
                self.words.add(&why);
                answer.map(|answer| serde_json::from_str(&answer)).transpose()
            }
        }
    }

    async fn posted(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Response, HttpError> {
        let mut request = self.client.post(uri).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let mut headers: Vec<_> = headers.into_iter().collect();
        headers.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
        for (name, value) in headers {
            if ["accept", "mcp-session-id", "last-event-id"].contains(&name.as_str()) {
                return Err(HttpError::ReservedHeaderConflict(name.to_string()));
            }
            request = request.header(name, value);
        }
        if let Some(session) = session {
            request = request.header(HEADER_SESSION_ID, session);
        }
        let body = serde_json::to_vec(message)?;
        let request = request.header(CONTENT_TYPE, JSON).body(body);
        request.send().await.map_err(HttpError::Client)
    }

    /// Returns what a request that failed means to the layers above: an error of the protocol, or one of HTTP.
    async fn failed(
        &self,
        message: &ClientJsonRpcMessage,
        has_session: bool,
        response: Response,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let status = response.status();
        let is_refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if let Some(wanted) = response.headers().get(WWW_AUTHENTICATE).filter(|_| is_refused) {
            let wanted = String::from_utf8_lossy(wanted.as_bytes()).into_owned();
            return Err(HttpError::AuthRequired(AuthRequiredError::new(wanted)));
        }
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(HttpError::SessionExpired);
        }
        let is_json = media_type(&response).is_some_and(|it| it.starts_with(JSON));
        let later = response.headers().get(RETRY_AFTER).and_then(|it| it.to_str().ok());
        let later = HttpStatusError::new(status.as_u16(), later.map(str::to_owned));
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() && !is_json {
            return Err(later.into());
        }
        let body = body(response, MAX_ERROR_BYTES).await.unwrap_or_default();
        let error = match self.message(&body) {
            Ok(Some(JsonRpcMessage::Error(error))) => Some(error),
            _ => None,
        };
        // A server of an older revision refuses `server/discover`. The layer above then tries that revision, if the refusal has the
        // identity of the request.
        if let ClientJsonRpcMessage::Request(request) = message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
            && status.is_client_error()
            && !is_refused
            && !has_session
        {
            let error = error.map(|error| error.error).unwrap_or_else(|| {
                let body = String::from_utf8_lossy(&body);
                let text = format!("server/discover rejected with HTTP {status}: {body}");
                ErrorData::invalid_request(text, None)
            });
            let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
            return Ok(StreamableHttpPostResponse::Json(answer, None));
        }
        if let Some(error) = error.filter(|_| is_json && !is_refused) {
            return Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), None));
        }
        if status.is_server_error() {
            return Err(later.into());
        }
        let body = String::from_utf8_lossy(&body);
        Err(HttpError::UnexpectedServerResponse(Cow::Owned(format!("HTTP {status}: {body}"))))
    }
}

impl StreamableHttpClient for WeighingClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let session = session_id.as_deref();
        let response = self.posted(&uri, &message, session, auth_header, custom_headers).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !status.is_success() {
            return self.failed(&message, session.is_some(), response).await;
        }
        let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
        if !is_request && response.content_length() == Some(0) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = response.headers().get(HEADER_SESSION_ID);
        let session = session.and_then(|it| it.to_str().ok()).map(str::to_owned);
        let media = media_type(&response);
        match media.as_deref() {
            Some(media) if media.starts_with(EVENTS) => {
                let events = self.checked_events(events(response, MAX_MESSAGE_BYTES));
                Ok(StreamableHttpPostResponse::Sse(events, session))
            }
            Some(media) if media.starts_with(JSON) => {
                let body = body(response, MAX_MESSAGE_BYTES).await?;
                match self.message(&body) {
                    Ok(Some(message)) => Ok(StreamableHttpPostResponse::Json(message, session)),
                    // No caller waits for an answer to a notification.
                    _ if !is_request => Ok(StreamableHttpPostResponse::Accepted),
                    Ok(None) => Err(HttpError::UnexpectedServerResponse(Cow::Borrowed(
                        "the answer has too many values",
                    ))),
                    Err(error) => {
                        let start = String::from_utf8_lossy(&body[..body.len().min(256)]);
                        let text = format!("no JSON-RPC message: {error}: {start}");
                        Err(HttpError::UnexpectedServerResponse(Cow::Owned(text)))
                    }
                }
            }
            _ => Err(HttpError::UnexpectedContentType(media)),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), HttpError> {
        self.client.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, HttpError> {
        let events = self.client.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            MAX_MESSAGE_BYTES,
        );
        Ok(self.checked_events(events.await?))
    }
}

fn media_type(response: &Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Reads a body of at most `most` bytes.
async fn body(mut response: Response, most: usize) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(HttpError::Client)? {
        if chunk.len() > most - body.len() {
            return Err(HttpError::ResponseBodyTooLarge { max_size: most });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Reads events of at most `most` bytes each. A larger one ends the stream with an error.
fn events(response: Response, most: usize) -> Events {
    let state = Some((response, EventSize::default()));
    let chunks = unfold(state, move |state| async move {
        let (mut response, mut size) = state?;
        match response.chunk().await {
            Ok(Some(chunk)) => {
                if size.add(&chunk) <= most {
                    Some((Ok::<Bytes, io::Error>(chunk), Some((response, size))))
                } else {
                    let text = format!("an event of more than {most} bytes");
                    Some((Err(io::Error::new(io::ErrorKind::FileTooLarge, text)), None))
                }
            }
            Ok(None) => None,
            Err(error) => Some((Err(io::Error::other(error)), None)),
        }
    });
    SseStream::from_bytes_stream(chunks).boxed()
}

/// Counts the bytes that a parser of events keeps. A blank line ends an event, and a comment is not kept.
#[derive(Default)]
struct EventSize {
    kept: usize,
    line: usize,
    is_comment: bool,
}

impl EventSize {
    /// Returns the most that was kept at any time within the chunk.
    fn add(&mut self, chunk: &[u8]) -> usize {
        let mut most = 0;
        for byte in chunk {
            match byte {
                b'\r' => {}
                b'\n' if self.line == 0 => self.kept = 0,
                b'\n' => {
                    self.kept += if self.is_comment { 0 } else { self.line + 1 };
                    self.line = 0;
                }
                _ => {
                    if self.line == 0 {
                        self.is_comment = *byte == b':';
                    }
                    self.line += 1;
                }
            }
            most = most.max(self.kept + self.line);
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Serves one request with this head and body.
    async fn answered(head: &str, body: String) -> (Arc<str>, tokio::task::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri: Arc<str> = format!("http://{}/mcp", listener.local_addr().unwrap()).into();
        let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len());
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"}") {
                assert!(stream.read_buf(&mut request).await.unwrap() > 0);
            }
            // A client that refuses the answer may close the connection.
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(body.as_bytes()).await;
        });
        (uri, server)
    }

    async fn post(
        head: &str,
        body: String,
    ) -> (Result<StreamableHttpPostResponse, HttpError>, WeighingClient) {
        post_message(head, body, r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#).await
    }

    async fn post_message(
        head: &str,
        body: String,
        message: &str,
    ) -> (Result<StreamableHttpPostResponse, HttpError>, WeighingClient) {
        let (uri, server) = answered(head, body).await;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(mitt_net::tls_config(false, &[]).unwrap())
            .build()
            .unwrap();
        let client = WeighingClient::new(client, LastWords::default());
        let message = serde_json::from_str(message).unwrap();
        let answer = client.post_message(uri, message, None, None, HashMap::new()).await;
        drop(server);
        (answer, client)
    }

    fn heavy() -> String {
        format!(r#"{{"jsonrpc":"2.0","id":7,"result":[{}0]}}"#, "[0],".repeat(3 << 20))
    }

    #[tokio::test]
    async fn a_body_with_too_many_values_is_answered_in_its_place() {
        let (answer, client) = post("200 OK\r\nContent-Type: application/json", heavy()).await;
        let StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), _) = answer.unwrap()
        else {
            panic!("no error");
        };
        assert!(error.error.message.contains("too many values"), "{error:?}");
        assert!(client.words.summary().await.unwrap().contains("too many values"));
    }

    #[tokio::test]
    async fn an_event_with_too_many_values_is_answered_in_its_place() {
        let events = format!("data: {}\n\ndata: {{\"id\":8}}\n\n", heavy());
        let (answer, _) = post("200 OK\r\nContent-Type: text/event-stream", events).await;
        let StreamableHttpPostResponse::Sse(events, _) = answer.unwrap() else { panic!() };
        let events: Vec<_> = events.collect().await;
        let data: Vec<_> = events.into_iter().map(|event| event.unwrap().data.unwrap()).collect();
        assert!(data[0].contains("\"id\":7") && data[0].contains("too many values"), "{}", data[0]);
        assert_eq!(data[1], "{\"id\":8}");
    }

    #[tokio::test]
    async fn bodies_and_events_that_are_too_long_are_refused() {
        let long = "x".repeat(MAX_MESSAGE_BYTES);
        let json = format!("\"{long}\"");
        let (answer, _) = post("200 OK\r\nContent-Type: application/json", json).await;
        assert!(matches!(answer, Err(HttpError::ResponseBodyTooLarge { .. })), "{answer:?}");
        let events = format!("data: 1\n\ndata: {long}\n\n");
        let (answer, _) = post("200 OK\r\nContent-Type: text/event-stream", events).await;
        let StreamableHttpPostResponse::Sse(events, _) = answer.unwrap() else { panic!() };
        let events: Vec<_> = events.collect().await;
        let last = events.last().unwrap().as_ref().unwrap_err().to_string();
        assert!(last.contains("more than 16777216 bytes"), "{last}");
    }

    #[tokio::test]
    async fn a_failed_request_is_an_error_of_its_kind() {
        let json = "Content-Type: application/json";
        let said = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"not now"}}"#;
        for (head, body, wanted) in [
            (format!("500 No\r\n{json}"), said, "not now"),
            (format!("400 No\r\n{json}"), said, "not now"),
            ("500 No\r\nContent-Type: text/html".into(), "<p>", "HTTP 500"),
            ("429 No\r\nRetry-After: 5".into(), said, "HTTP 429"),
            ("400 No".into(), "what?", "HTTP 400 Bad Request: what?"),
            (format!("403 No\r\n{json}"), said, "HTTP 403"),
            ("401 No\r\nWWW-Authenticate: Bearer".into(), "", "Auth required"),
            ("200 OK\r\nContent-Type: text/html".into(), "<p>", "text/html"),
            (format!("200 OK\r\n{json}"), "<p>", "no JSON-RPC message"),
        ] {
            let (answer, _) = post(&head, body.to_owned()).await;
            let text = match answer {
                Ok(answer) => format!("{answer:?}"),
                Err(error) => error.to_string(),
            };
            assert!(text.contains(wanted), "{head}: {text}");
        }
    }

    #[tokio::test]
    async fn a_server_that_does_not_know_discovery_is_an_older_one() {
        let discover = r#"{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{}}"#;
        for (head, body) in [
            ("404 No\r\nContent-Type: text/plain", "no such method"),
            (
                "400 No\r\nContent-Type: application/json",
                "{\"jsonrpc\":\"2.0\",\"id\":\"server-error\",\"error\":{\"code\":-32600,\"message\":\"no such method\"}}",
            ),
        ] {
            let (answer, _) = post_message(head, body.to_owned(), discover).await;
            let StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), None) =
                answer.unwrap()
            else {
                panic!("no error");
            };
            assert_eq!(serde_json::to_string(&error.id).unwrap(), "3");
            assert!(error.error.message.contains("no such method"), "{error:?}");
        }
    }

    #[test]
    fn a_blank_line_ends_an_event_and_comments_are_not_kept() {
        let mut size = EventSize::default();
        assert_eq!(size.add(b"data: 12\r\n"), 9);
        assert_eq!(size.add(b"data"), 13);
        assert_eq!(size.add(b": 3\n\n"), 17);
        assert_eq!(size.kept, 0);
        for _ in 0..3 {
            assert_eq!(size.add(b": ping\n"), 6);
        }
    }
}
