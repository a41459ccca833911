//! Messages of SQS. The body of each is a direct event or one of S3; those that failed are named, and SQS delivers them again.

use bytes::Bytes;
use serde_json::json;
use tokio::time::Instant;

use super::direct::DirectEvent;
use super::failure::Failure;
use super::fields::{Fields, wrong};
use super::function::{Function, Task};
use super::log::log;
#[cfg(feature = "lambda-s3")]
use super::object_event::ObjectEvent;
#[cfg(feature = "lambda-s3")]
use super::object_work;
use super::payload::{MAX_PAYLOAD_BYTES, Reader};
use super::runtime_api::is_id;
use super::within;
use mitt::value::Json;
use mitt_base::Result;

/// A message.
#[derive(Debug)]
pub(super) struct Message {
    id: String,
    body: String,
    /// `true` if its queue keeps the order of messages.
    is_ordered: bool,
}

impl Message {
    /// Reads the record with this index.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - it has no id or no body. Without its id a message cannot be
    /// named as failed, so the whole batch is refused.
    pub(super) fn read(index: usize, record: &Json) -> Result<Message> {
        let text = |key: &str| {
            let place = format!("Records[{index}].{key}");
            match record.get(key) {
                Some(Json::String(text)) => Ok(text.clone()),
                Some(other) => {
                    Err(wrong(&place, &format!("expected a string, got {}", other.kind())))
                }
                None => Err(wrong(&place, "missing, expected a string")),
            }
        };
        let (id, body) = (text("messageId")?, text("body")?);
        if !is_id(&id) {
            let place = format!("Records[{index}].messageId");
            return Err(wrong(&place, "expected letters, digits, `-` and `_`"));
        }
        let queue = record.get("eventSourceARN").and_then(Json::as_str);
        Ok(Message { id, body, is_ordered: queue.is_some_and(|arn| arn.ends_with(".fifo")) })
    }
}

/// Handles messages one after the other, and returns the answer that names those that failed. What did not begin before the
/// deadline failed too. After a failure in a queue that keeps the order, the rest of the batch waits for the next delivery.
pub(super) async fn answer(
    function: &Function,
    request: &str,
    deadline: Instant,
    messages: Vec<Message>,
) -> Bytes {
    let mut failed: Vec<String> = Vec::new();
    let mut is_stopped = false;
    for message in messages {
        if is_stopped || deadline <= Instant::now() {
            let details = json!({ "messageId": message.id });
            log("WARN", Some(request), "a message was not begun; it is delivered again", details);
            failed.push(message.id);
            continue;
        }
        if let Err(failure) = handle(function, request, deadline, &message).await {
            let details = json!({
                "messageId": message.id, "errorType": failure.error_type(), "error": failure.error.render(),
            });
            log("ERROR", Some(request), "a message failed", details);
            is_stopped = message.is_ordered;
            failed.push(message.id);
        }
    }
    let failed = failed.into_iter().map(|id| json!({ "itemIdentifier": id }));
    let answer = json!({ "batchItemFailures": failed.collect::<Vec<_>>() });
    answer.to_string().into_bytes().into()
}

async fn handle(
    function: &Function,
    request: &str,
    deadline: Instant,
    message: &Message,
) -> Result<(), Failure> {
    let body = Json::parse(&message.body, MAX_PAYLOAD_BYTES as u64, Json::MAX_DEPTH);
    let body = body.map_err(|error| error.at("body"))?;
    #[cfg(feature = "lambda-s3")]
    if let Some(event) = ObjectEvent::read(&body)? {
        return object_work::handle(function, &[request, &message.id], deadline, event)
            .await
            .map(drop);
    }
    let event = DirectEvent::read(Fields::of("", body)?)?;
    let kind = event.kind();
    let task = Task { ids: vec![request, &message.id], deadline, reader: Reader::Nobody };
    let answer = within(deadline, event.run(function, &task)).await?;
    let mut details = answer.summary();
    details["messageId"] = json!(message.id);
    details["kind"] = json!(kind);
    log("INFO", Some(request), "a message is done", details);
    let has_place = function.has_folder() || function.storage().has_results();
    if !answer.file_names().is_empty() && !has_place {
        let details = json!({ "messageId": message.id, "names": answer.file_names() });
        // SQS takes no answer.
        log(
            "WARN",
            Some(request),
            "files of a message are dropped; `--out` or `--results` names a place for them",
            details,
        );
    }
    Ok(())
}
