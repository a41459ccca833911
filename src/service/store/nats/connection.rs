//! Requests to the servers: what is published with an expected sequence, what is read; and which failures pass.

use std::sync::Arc;
use std::time::Duration;

use async_nats::client::Request;
use async_nats::header::HeaderValue;
use async_nats::{Client, ConnectErrorKind, Event, HeaderMap, RequestErrorKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::StreamExt as _;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use super::super::tries::Tries;
use super::super::{StoreError, new_id};
use super::address::Address;
use mitt_base::{Error, ErrorKind};

/// Longest wait after another process changed the same entry first.
const CONTENDED_WAIT: Duration = Duration::from_millis(20);

/// Time in which a server answers.
const ANSWER: Duration = Duration::from_secs(5);

/// Most messages of one atomic batch.
pub(super) const MAX_BATCH: usize = 1000;

/// Headers of JetStream.
const EXPECTED: &str = "Nats-Expected-Last-Subject-Sequence";
const BATCH_ID: &str = "Nats-Batch-Id";
const BATCH_SEQUENCE: &str = "Nats-Batch-Sequence";
const BATCH_COMMIT: &str = "Nats-Batch-Commit";
const TTL: &str = "Nats-TTL";
const SEQUENCE: &str = "Nats-Sequence";

/// A part of the error of a server that answers without TLS.
const NO_TLS: &str = "corrupt message";

/// Codes of errors of JetStream.
const WRONG_LAST_SEQUENCE: [u64; 2] = [10_071, 10_164];
const NO_MESSAGE: u64 = 10_037;
const STREAM_NOT_FOUND: u64 = 10_059;

/// Why something was not done.
#[derive(Debug)]
pub(super) enum Failure {
    /// The store says so.
    Store(StoreError),
    /// Another process changed the same entry first.
    Contended,
    /// A server, or the way to it, failed.
    Server(Trouble),
}

/// What a server, or the way to it, says.
#[derive(Debug)]
pub(super) struct Trouble {
    text: String,
    /// `true` if the same request may succeed when it is sent again soon.
    passes: bool,
    /// Code of the error of JetStream; 0 for none.
    code: u64,
}

impl Trouble {
    /// Returns a failure of the way to the servers, which may pass.
    pub(super) fn passing(text: impl ToString) -> Trouble {
        Trouble { text: text.to_string(), passes: true, code: 0 }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Store(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Store(StoreError::Failed(error))
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Failure {
        Failure::Server(trouble)
    }
}

/// Result of one try.
pub(super) type Tried<T> = Result<T, Failure>;

/// A message that is to be stored.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) subject: String,
    /// Names and values of headers.
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) payload: Bytes,
    /// Sequence of the last message of this subject; 0 if there is none.
    pub(super) expected: u64,
    /// Time after which the server deletes the message.
    pub(super) life: Option<Duration>,
}

/// A message that is stored.
#[derive(Debug)]
pub(super) struct StoredMessage {
    pub(super) sequence: u64,
    pub(super) headers: Vec<(String, String)>,
    pub(super) payload: Bytes,
}

impl StoredMessage {
    /// Returns the value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A connection to the servers, and the names of the streams.
#[derive(Clone)]
pub(super) struct Connection {
    client: Client,
    address: Arc<Address>,
    /// Beginning of the names of streams, and of all subjects.
    pub(super) name: Arc<str>,
    /// Changes when the connection is lost.
    events: watch::Receiver<u64>,
}

/// The two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Entries: the last message of each subject.
    Entries,
    /// Records of streams of runs, and pieces of files.
    Data,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    ///
    /// The servers cannot be reached, or refuse.
    pub(super) async fn open(address: Address, name: &str) -> Tried<Connection> {
        let (sender, events) = watch::channel(0);
        let options = address.options()?.event_callback(move |event| {
            if matches!(event, Event::Disconnected) {
                sender.send_modify(|count| *count += 1);
            }
            async {}
        });
        let client = options.connect(address.servers()?).await.map_err(|error| {
            use ConnectErrorKind::{Authentication, AuthorizationViolation, ServerParse, Tls};
            let (kind, text) = (error.kind(), error.to_string());
            let never = [Authentication, AuthorizationViolation, ServerParse, Tls];
            // A certificate that is refused stays refused, and so does TLS; their errors are those of a connection.
            let is_refused = text.contains("certificate") || text.contains(NO_TLS);
            let passes = !never.contains(&kind) && !is_refused;
            Trouble { text, passes, code: 0 }
        })?;
        Ok(Connection { client, address: Arc::new(address), name: name.into(), events })
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// Returns what changes when the connection is lost.
    pub(super) fn events(&self) -> watch::Receiver<u64> {
        let mut events = self.events.clone();
        events.mark_unchanged();
        events
    }

    /// Returns the name of a stream.
    pub(super) fn stream(&self, place: Place) -> String {
        match place {
            Place::Entries => format!("{}_entries", self.name),
            Place::Data => format!("{}_data", self.name),
        }
    }

    async fn request(
        &self,
        subject: String,
        request: Request,
    ) -> Result<async_nats::Message, Trouble> {
        let mut events = self.events();
        let answer = self.client.send_request(subject, request.timeout(Some(ANSWER)));
        tokio::select! {
            answer = answer => answer.map_err(|error| Trouble {
                passes: !matches!(
                    error.kind(),
                    RequestErrorKind::InvalidSubject | RequestErrorKind::MaxPayloadExceeded
                ),
                text: match error.kind() {
                    RequestErrorKind::NoResponders => "JetStream does not answer".to_owned(),
                    _ => error.to_string(),
                },
                code: 0,
            }),
            // No answer will come on the new connection.
            _ = events.changed() => Err(Trouble::passing("the connection was lost")),
        }
    }

    /// Sends a request to the interface of JetStream, and returns the answer.
    pub(super) async fn api(&self, subject: &str, body: &Value) -> Result<Value, Trouble> {
        let payload = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let request = Request::new().payload(payload);
        let answer = self.request(format!("$JS.API.{subject}"), request).await?;
        answer_of(&answer.payload)
    }

    /// Stores a message.
    ///
    /// # Errors
    ///
    /// [`Failure::Contended`] - the last message of its subject is not the expected one.
    pub(super) async fn publish(&self, message: Message) -> Tried<u64> {
        let (subject, headers, payload) = parts(message);
        let request = Request::new().headers(headers).payload(payload);
        stored(&self.request(subject, request).await?.payload)
    }

    /// Stores all messages or none. A subject is in them once.
    ///
    /// # Errors
    ///
    /// [`Failure::Contended`] - the last message of a subject is not the expected one.
    pub(super) async fn publish_all(&self, messages: Vec<Message>) -> Tried<u64> {
        if messages.len() > MAX_BATCH {
            return Err(Error::bug("a batch is too long").into());
        }
        let (batch, count) = (new_id("")?, messages.len());
        for (number, message) in (1..).zip(messages) {
            if count == 1 {
                return self.publish(message).await;
            }
            let (subject, mut headers, payload) = parts(message);
            headers.insert(BATCH_ID, batch.as_str());
            headers.insert(BATCH_SEQUENCE, number.to_string());
            if number == count {
                headers.insert(BATCH_COMMIT, "1");
                let request = Request::new().headers(headers).payload(payload);
                return stored(&self.request(subject, request).await?.payload);
            }
            let sent = self.client.publish_with_headers(subject, headers, payload).await;
            sent.map_err(Trouble::passing)?;
        }
        Err(Error::bug("a batch is empty").into())
    }

    /// Returns the message that the request `what` names; `None` if there is none.
    pub(super) async fn get(&self, place: Place, what: &Value) -> Tried<Option<StoredMessage>> {
        #[derive(Deserialize)]
        struct Got<'a> {
            #[serde(borrow)]
            message: Option<GotMessage<'a>>,
        }
        #[derive(Deserialize)]
        struct GotMessage<'a> {
            seq: u64,
            #[serde(default)]
            hdrs: &'a str,
            #[serde(default)]
            data: &'a str,
        }
        let subject = format!("$JS.API.STREAM.MSG.GET.{}", self.stream(place));
        let request = Request::new().payload(what.to_string().into());
        let answer = self.request(subject, request).await?;
        // Without a copy of the payload: base64 has nothing that JSON escapes.
        match serde_json::from_slice(&answer.payload) {
            Ok(Got { message: Some(GotMessage { seq, hdrs, data }) }) => {
                let decoded = |text| STANDARD.decode(text).map_err(Error::bug);
                let (headers, payload) = (headers_of(&decoded(hdrs)?), decoded(data)?.into());
                Ok(Some(StoredMessage { sequence: seq, headers, payload }))
            }
            _ => match answer_of(&answer.payload) {
                Err(trouble) if trouble.code == NO_MESSAGE => Ok(None),
                Err(trouble) => Err(trouble.into()),
                Ok(_) => Err(Error::bug("an answer of the server has no message").into()),
            },
        }
    }

    /// Returns the last message of a subject.
    pub(super) async fn last(&self, place: Place, subject: &str) -> Tried<Option<StoredMessage>> {
        self.get(place, &json!({ "last_by_subj": subject })).await
    }

    /// Returns the first message of a subject whose sequence is at least `sequence`.
    pub(super) async fn next(
        &self,
        place: Place,
        subject: &str,
        sequence: u64,
    ) -> Tried<Option<StoredMessage>> {
        self.get(place, &json!({ "seq": sequence, "next_by_subj": subject })).await
    }

    /// Returns messages of a subject from a sequence on, at most `most` and some `most_bytes`, from any server. One that is
    /// late returns fewer.
    pub(super) async fn batch(
        &self,
        place: Place,
        (subject, sequence): (&str, u64),
        (most, most_bytes): (usize, u64),
    ) -> Tried<Vec<StoredMessage>> {
        let inbox = self.client.new_inbox();
        let mut events = self.events();
        let mut answers = self.client.subscribe(inbox.clone()).await.map_err(Trouble::passing)?;
        let direct = format!("$JS.API.DIRECT.GET.{}", self.stream(place));
        let what = json!({
            "seq": sequence, "next_by_subj": subject, "batch": most, "max_bytes": most_bytes,
        });
        let sent = self.client.publish_with_reply(direct, inbox, what.to_string().into()).await;
        sent.map_err(Trouble::passing)?;
        let mut messages = Vec::new();
        loop {
            let answer = tokio::select! {
                answer = timeout(ANSWER, answers.next()) => answer,
                _ = events.changed() => return Err(Trouble::passing("the connection was lost").into()),
            };
            let Ok(Some(answer)) = answer else {
                return Err(Trouble::passing("a server does not answer").into());
            };
            if answer.status.is_some() {
                return Ok(messages);
            }
            let headers = answer.headers.unwrap_or_default();
            let sequence = headers.get(SEQUENCE).and_then(|text| text.as_str().parse().ok());
            let Some(sequence) = sequence else { return Ok(messages) };
            let headers = headers.iter().flat_map(|(name, values)| {
                values.iter().map(|value| (name.to_string(), value.as_str().to_owned()))
            });
            let headers = headers.collect();
            messages.push(StoredMessage { sequence, headers, payload: answer.payload });
        }
    }

    /// Returns the last message of a subject that never has another one, from any server that has it.
    pub(super) async fn unchanging(&self, place: Place, subject: &str) -> Tried<Option<Bytes>> {
        let direct = format!("$JS.API.DIRECT.GET.{}.{subject}", self.stream(place));
        match self.request(direct, Request::new().payload(Bytes::new())).await {
            Ok(answer) if answer.status.is_none() => Ok(Some(answer.payload)),
            // That server may be late.
            _ => Ok(self.last(place, subject).await?.map(|message| message.payload)),
        }
    }

    /// Deletes all messages of a subject, which may have wildcards.
    pub(super) async fn purge(&self, place: Place, subject: &str) -> Result<(), Trouble> {
        let purge = format!("STREAM.PURGE.{}", self.stream(place));
        self.api(&purge, &json!({ "filter": subject })).await.map(drop)
    }

    /// Returns configuration and state of a stream; `None` if it is not there.
    pub(super) async fn info(&self, place: Place) -> Result<Option<Value>, Trouble> {
        let info = format!("STREAM.INFO.{}", self.stream(place));
        match self.api(&info, &Value::Null).await {
            Ok(info) => Ok(Some(info)),
            Err(trouble) if trouble.code == STREAM_NOT_FOUND => Ok(None),
            Err(trouble) => Err(trouble),
        }
    }
}

fn parts(message: Message) -> (String, HeaderMap, Bytes) {
    let mut headers = HeaderMap::new();
    headers.insert(EXPECTED, message.expected.to_string());
    if let Some(life) = message.life {
        headers.insert(TTL, format!("{}s", life.as_secs().max(1)));
    }
    for (name, value) in message.headers {
        headers.insert(name, HeaderValue::from(value));
    }
    (message.subject, headers, message.payload)
}

/// Returns an answer of JetStream, or the error in it.
fn answer_of(payload: &[u8]) -> Result<Value, Trouble> {
    let answer: Value = serde_json::from_slice(payload).map_err(Trouble::passing)?;
    let Some(error) = answer.get("error") else { return Ok(answer) };
    let text = error["description"].as_str().unwrap_or("an error without a text").to_owned();
    let code = error["err_code"].as_u64().unwrap_or_default();
    // Batches are given up while a cluster elects a leader, or when too many are under way.
    let is_batch = text.contains("batch") && !text.contains("disabled") && !text.contains("large");
    let passes = is_batch || error["code"].as_u64().is_some_and(|code| code >= 500 || code == 429);
    Err(Trouble { text, passes, code })
}

/// Returns the sequence of what was stored.
fn stored(payload: &[u8]) -> Tried<u64> {
    match answer_of(payload) {
        Ok(answer) => {
            let sequence = answer["seq"].as_u64();
            Ok(sequence.ok_or_else(|| Trouble::passing("the answer has no sequence"))?)
        }
        Err(trouble) if WRONG_LAST_SEQUENCE.contains(&trouble.code) => Err(Failure::Contended),
        Err(trouble) => Err(trouble.into()),
    }
}

/// Reads headers as NATS writes them.
fn headers_of(bytes: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.split("\r\n").filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect()
}

/// Returns the error of a store for one of the servers.
#[cold]
pub(super) fn failed(address: &Address, trouble: &Trouble) -> StoreError {
    let message = format!("the NATS server at {address} failed");
    let text = &trouble.text;
    let hint = match text.to_lowercase() {
        text if text.contains("authorization") || text.contains("permission") => {
            "check user, password and permissions"
        }
        text if text.contains(NO_TLS) => "with `nats://`, the server need not have TLS",
        _ if trouble.code != 0 => "see the log of the server",
        _ => {
            "see that the server runs with JetStream and can be reached; a certificate that is not the system's needs `tls_ca`"
        }
    };
    let error = Error::new(ErrorKind::Host, message).caused_by(text.clone()).hint(hint);
    StoreError::Failed(error.retryable(true))
}

/// Waits before another try of a change.
///
/// # Errors
///
/// The failure does not pass, or has not passed in time.
pub(super) async fn again(
    tries: &mut Tries,
    address: &Address,
    failure: Failure,
) -> Result<(), StoreError> {
    let trouble = match failure {
        Failure::Store(error) => return Err(error),
        Failure::Server(trouble) => trouble,
        Failure::Contended => {
            let text = "others change the same entry all the time".to_owned();
            if !tries.may_go_on() {
                return Err(failed(address, &Trouble { text, passes: true, code: 1 }));
            }
            tries.wait_at_most(CONTENDED_WAIT).await;
            return Ok(());
        }
    };
    if !trouble.passes || !tries.may_go_on() {
        return Err(failed(address, &trouble));
    }
    tracing::debug!(servers = %address, error = trouble.text, "another try");
    tries.wait().await;
    Ok(())
}

/// Does work again while the servers cannot be reached, or another process changes the same entry. The work itself finds out
/// whether an earlier try has done it.
macro_rules! tried {
    ($connection:expr, $work:expr) => {{
        let mut tries = $crate::store::tries::Tries::new();
        loop {
            match $work.await {
                Ok(done) => break Ok(done),
                Err(failure) => {
                    if let Err(error) = $crate::store::nats::connection::again(
                        &mut tries,
                        $connection.address(),
                        failure,
                    )
                    .await
                    {
                        break Err(error);
                    }
                }
            }
        }
    }};
}

pub(super) use tried;

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn only_errors_of_the_servers_that_pass_are_tried_again() {
        let answer = |code: u64, number: u64, text: &str| {
            json!({ "error": { "code": code, "err_code": number, "description": text } })
                .to_string()
        };
        let conflict = stored(answer(400, 10_071, "wrong last sequence: 3").as_bytes());
        assert!(matches!(conflict, Err(Failure::Contended)));
        for (code, text, passes) in [
            (503, "JetStream system temporarily unavailable", true),
            (400, "atomic publish batch is incomplete", true),
            (400, "atomic publish is disabled", false),
            (400, "maximum bytes exceeded", false),
        ] {
            let trouble = answer_of(answer(code, 1, text).as_bytes()).unwrap_err();
            assert_eq!(trouble.passes, passes, "{text}");
        }
        assert_eq!(stored(br#"{"stream":"s","seq":7}"#).unwrap(), 7);
        let headers = headers_of(b"NATS/1.0\r\nA: one: two\r\nB:x\r\n\r\n");
        assert_eq!(headers, [("A".into(), "one: two".into()), ("B".into(), "x".into())]);
    }
}
