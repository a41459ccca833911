//! Which kind of event it is: a direct one, messages of SQS, objects of S3, or a request over HTTP.

use super::direct::DirectEvent;
use super::fields::{Fields, wrong};
#[cfg(feature = "serve")]
use super::http_event::HttpEvent;
#[cfg(feature = "lambda-s3")]
use super::object_event::ObjectEvent;
use super::payload::MAX_PAYLOAD_BYTES;
use super::queue::Message;
use mitt::value::Json;
use mitt_base::Result;

/// An event of the function.
pub(super) enum Event {
    /// What a caller wants to be done.
    Direct(DirectEvent),
    /// Messages of SQS.
    Queue(Vec<Message>),
    /// Objects of S3.
    #[cfg(feature = "lambda-s3")]
    Objects(ObjectEvent),
    /// A request over HTTP.
    #[cfg(feature = "serve")]
    Http(Box<HttpEvent>),
}

impl Event {
    /// Reads an event.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - it is not JSON, or of no kind that is handled here.
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it is nested too deeply.
    pub(super) fn read(text: &[u8]) -> Result<Event> {
        let event = Json::parse(text, MAX_PAYLOAD_BYTES as u64, Json::MAX_DEPTH)
            .map_err(|error| error.at("event"))?;
        #[cfg(feature = "lambda-s3")]
        if let Some(event) = ObjectEvent::read(&event)? {
            return Ok(Event::Objects(event));
        }
        if let Some(Json::Array(records)) = event.get("Records") {
            return queue(records);
        }
        if event.get("requestContext").is_some() {
            return http(&event);
        }
        DirectEvent::read(Fields::of("", event)?).map(Event::Direct)
    }
}

#[cfg(feature = "serve")]
fn http(event: &Json) -> Result<Event> {
    Ok(Event::Http(Box::new(HttpEvent::read(event)?)))
}

#[cfg(not(feature = "serve"))]
fn http(_: &Json) -> Result<Event> {
    let message = "this build answers no requests over HTTP: it lacks the feature `serve`";
    let hint = "add `serve` to the features of the build, such as `--features lambda,serve,xlsx`";
    Err(wrong("requestContext", message).hint(hint))
}

/// Reads the records of a service.
fn queue(records: &[Json]) -> Result<Event> {
    let source = |record: &Json| {
        // S3 and SNS begin the key with different letters.
        let source = record.get("eventSource").or_else(|| record.get("EventSource"));
        source.and_then(Json::as_str).map(str::to_owned)
    };
    for (index, record) in records.iter().enumerate() {
        let place = format!("Records[{index}].eventSource");
        match source(record).as_deref() {
            Some("aws:sqs") => {}
            Some(other) => {
                let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(other, 80));
                let message = format!("expected `aws:sqs`, got `{shown}`");
                let error = wrong(&place, &message)
                    .hint("send events of other services to an SQS queue, or as direct events");
                #[cfg(not(feature = "lambda-s3"))]
                let error = error.hint("events of S3 need a build with the feature `lambda-s3`");
                return Err(error);
            }
            None => return Err(wrong(&place, "missing, expected `aws:sqs`")),
        }
    }
    let messages = records.iter().enumerate();
    messages
        .map(|(index, record)| Message::read(index, record))
        .collect::<Result<_>>()
        .map(Event::Queue)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        match Event::read(text.as_bytes()) {
            Err(error) => error.render(),
            Ok(_) => panic!("{text}"),
        }
    }

    #[test]
    fn what_is_no_event_is_named_with_its_place() {
        for (text, expected) in [
            ("{", "event: "),
            ("[]", "event: expected an object, got array"),
            ("{}", "event: expected one of `call`, `script`, `render`, `run`"),
            (r#"{"call": {}, "script": {}}"#, "event: expected one of"),
            (r#"{"cal": {}}"#, "did you mean `call`?"),
            (r#"{"call": 1}"#, "call: expected an object, got number"),
            (r#"{"call": {"tool": 1}}"#, "call.tool: expected a string, got number"),
            (r#"{"call": {"arguments": {}}}"#, "call.tool: missing"),
            (r#"{"call": {"tool": "t", "arguments": []}}"#, "call.arguments: expected an object"),
            (r#"{"call": {"tool": "t"}, "documents": [{}]}"#, "documents[0].name: missing"),
            (
                r#"{"call": {"tool": "t"}, "documents": [{"name": "a"}]}"#,
                "documents[0]: expected one of `text`, `base64` and `url`",
            ),
            (
                r#"{"call": {"tool": "t"}, "documents": [{"name": "a", "base64": "?"}]}"#,
                "documents[0].base64: not base64",
            ),
            (r#"{"script": {"code": "1", "inputs": 1}}"#, "script.inputs: expected an object"),
            (r#"{"render": {"text": "a", "name": "a.txt"}}"#, "render.name: expected a name that"),
            (r#"{"render": {"text": "a", "name": "../a.pdf"}}"#, "render.name: "),
            (
                r#"{"render": {"text": "a", "name": "a.pdf", "theme": "/etc/t.toml"}}"#,
                "render.theme: expected one of",
            ),
            (r#"{"render": {"text": "a", "name": "a.pdf", "paper": "a3"}}"#, "render.paper: "),
            (
                r#"{"call": {"tool": "t"}, "documents": [{"url": "s3://b/a", "text": "a"}]}"#,
                "documents[0]: expected one of `text`, `base64` and `url`",
            ),
            (r#"{"run": {}}"#, "run.instruction: missing"),
            (r#"{"run": {"instruction": " "}}"#, "run.instruction: expected words"),
            (
                r#"{"run": {"instruction": "a", "output_schema": []}}"#,
                "run.output_schema: expected an",
            ),
            (
                r#"{"run": {"instruction": "a", "output_schema": {"if": {}}}}"#,
                "run.output_schema: the JSON Schema cannot be applied",
            ),
            (
                r#"{"Records": [{"eventSource": "aws:dynamodb"}]}"#,
                "Records[0].eventSource: expected",
            ),
            (r#"{"Records": [{"EventSource": "aws:sns"}]}"#, "got `aws:sns`"),
            (r#"{"Records": [{}]}"#, "Records[0].eventSource: missing"),
            (
                r#"{"Records": [{"eventSource": "aws:sqs", "body": "{}"}]}"#,
                "Records[0].messageId: missing",
            ),
            (r#"{"a": 1, "a": 2}"#, "appears twice"),
        ] {
            let error = refused(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(refused(&"[".repeat(300)).starts_with("event: "));
    }

    #[cfg(not(feature = "lambda-s3"))]
    #[test]
    fn a_build_without_s3_names_the_feature_that_it_lacks() {
        let error = refused(r#"{"Records": [{"eventSource": "aws:s3"}]}"#);
        assert!(error.contains("`lambda-s3`"), "{error}");
    }

    #[cfg(not(feature = "serve"))]
    #[test]
    fn a_build_without_http_names_the_feature_that_it_lacks() {
        let error = refused(r#"{"version": "2.0", "requestContext": {}}"#);
        assert!(error.contains("lacks the feature `serve`"), "{error}");
        assert!(error.contains("--features lambda,serve"), "{error}");
    }

    #[test]
    fn an_event_is_read_with_the_digits_of_its_numbers() {
        let text = r#"{"call": {"tool": "t", "arguments": {"n": 12345678901234567890.10}}}"#;
        let Ok(Event::Direct(event)) = Event::read(text.as_bytes()) else { panic!() };
        assert!(format!("{event:?}").contains("12345678901234567890.10"), "{event:?}");
    }
}
