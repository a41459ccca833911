//! Events about objects of S3: notifications of a bucket, and those of EventBridge.
//!
//! Knows no rule. Keys are decoded here: notifications have them as in addresses, EventBridge as they are.

use percent_encoding::percent_decode_str;

use super::fields::wrong;
use mitt::value::Json;
use mitt_base::{Result, text};

/// Source of notifications of a bucket.
pub(super) const SOURCE: &str = "aws:s3";

/// Source of events of EventBridge.
const BRIDGE: &str = "aws.s3";

/// Type of an event of EventBridge about an object that was created.
const BRIDGE_CREATED: &str = "Object Created";

/// Beginning of the names of notifications about objects that were created.
const CREATED: &str = "ObjectCreated:";

/// Most objects of an event. S3 sends one.
const MAX_OBJECTS: usize = 1_000;

/// What an event says of objects.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ObjectEvent {
    pub(super) created: Vec<CreatedObject>,
    /// What happened besides, such as `ObjectRemoved:Delete`. Nothing is done about it.
    pub(super) others: Vec<String>,
}

/// An object that was created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CreatedObject {
    pub(super) bucket: String,
    pub(super) key: String,
    /// Size in bytes; `None` if the event does not say.
    pub(super) size: Option<u64>,
}

impl ObjectEvent {
    /// Reads an event, if it is one about objects.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - a part of it is missing or wrong; the place is named.
    pub(super) fn read(event: &Json) -> Result<Option<ObjectEvent>> {
        let text = |key: &str| event.get(key).and_then(Json::as_str);
        if text("source") == Some(BRIDGE)
            && let Some(kind) = text("detail-type")
        {
            return of_bridge(event, kind).map(Some);
        }
        // S3 sends it to see whether notifications arrive.
        if text("Event") == Some("s3:TestEvent") && text("Service") == Some("Amazon S3") {
            let others = vec!["s3:TestEvent".to_owned()];
            return Ok(Some(ObjectEvent { others, ..ObjectEvent::default() }));
        }
        let Some(Json::Array(records)) = event.get("Records") else { return Ok(None) };
        let is_own =
            |record: &Json| record.get("eventSource").and_then(Json::as_str) == Some(SOURCE);
        if !records.first().is_some_and(is_own) {
            return Ok(None);
        }
        if records.len() > MAX_OBJECTS {
            let message = format!("expected at most {MAX_OBJECTS} records, got {}", records.len());
            return Err(wrong("Records", &message));
        }
        let mut read = ObjectEvent::default();
        for (index, record) in records.iter().enumerate() {
            let place = format!("Records[{index}]");
            if !is_own(record) {
                let message = format!("expected `{SOURCE}` as in the first record");
                return Err(wrong(&format!("{place}.eventSource"), &message));
            }
            let name = required(record, &place, &["eventName"])?;
            if name.starts_with(CREATED) {
                read.created.push(notified(record, &place)?);
            } else {
                read.others.push(shown(name));
            }
        }
        Ok(Some(read))
    }
}

fn of_bridge(event: &Json, kind: &str) -> Result<ObjectEvent> {
    if kind != BRIDGE_CREATED {
        return Ok(ObjectEvent { others: vec![shown(kind)], ..ObjectEvent::default() });
    }
    let bucket = required(event, "", &["detail", "bucket", "name"])?.to_owned();
    let key = required(event, "", &["detail", "object", "key"])?.to_owned();
    let size = size(event, &["detail", "object", "size"]);
    let created = vec![CreatedObject { bucket, key, size }];
    Ok(ObjectEvent { created, others: Vec::new() })
}

/// Reads the object of a notification.
fn notified(record: &Json, place: &str) -> Result<CreatedObject> {
    let bucket = required(record, place, &["s3", "bucket", "name"])?.to_owned();
    let encoded = required(record, place, &["s3", "object", "key"])?;
    // As in forms: a plus is a blank.
    let encoded = encoded.replace('+', " ");
    let Ok(key) = percent_decode_str(&encoded).decode_utf8() else {
        return Err(wrong(&format!("{place}.s3.object.key"), "expected UTF-8, percent-encoded"));
    };
    let size = size(record, &["s3", "object", "size"]);
    Ok(CreatedObject { bucket, key: key.into_owned(), size })
}

fn member<'j>(json: &'j Json, path: &[&str]) -> Option<&'j Json> {
    path.iter().try_fold(json, |json, key| json.get(key))
}

/// Returns the text at a path that must be there.
fn required<'j>(json: &'j Json, place: &str, path: &[&str]) -> Result<&'j str> {
    let found = member(json, path).and_then(Json::as_str).filter(|text| !text.is_empty());
    found.ok_or_else(|| {
        let path = path.join(".");
        let place = if place.is_empty() { path } else { format!("{place}.{path}") };
        wrong(&place, "missing, expected a string")
    })
}

fn size(json: &Json, path: &[&str]) -> Option<u64> {
    match member(json, path)? {
        Json::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

fn shown(name: &str) -> String {
    text::one_line(text::cut_bytes(name, 80))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(event: Value) -> Result<Option<ObjectEvent>> {
        ObjectEvent::read(&event.into())
    }

    fn record(name: &str, key: &str) -> Value {
        json!({
            "eventVersion": "2.1", "eventSource": "aws:s3", "eventName": name, "awsRegion": "eu-central-1",
            "s3": { "bucket": { "name": "in-box" }, "object": { "key": key, "size": 12, "eTag": "0" } },
        })
    }

    fn object(key: &str) -> CreatedObject {
        CreatedObject { bucket: "in-box".to_owned(), key: key.to_owned(), size: Some(12) }
    }

    #[test]
    fn keys_of_notifications_are_decoded() {
        let event = json!({ "Records": [
            record("ObjectCreated:Put", "a/%E6%9C%88+%E6%8A%A5%2B%281%29.xlsx"),
            record("ObjectCreated:CompleteMultipartUpload", "b.csv"),
            record("ObjectRemoved:Delete", "c.csv"),
        ] });
        let event = read(event).unwrap().unwrap();
        assert_eq!(event.created, [object("a/月 报+(1).xlsx"), object("b.csv")]);
        assert_eq!(event.others, ["ObjectRemoved:Delete"]);
    }

    #[test]
    fn keys_of_event_bridge_are_as_they_are() {
        let event = |kind: &str| {
            json!({
                "version": "0", "source": "aws.s3", "detail-type": kind,
                "detail": { "bucket": { "name": "in-box" }, "object": { "key": "a+b%20c.md", "size": 12 } },
            })
        };
        let created = read(event("Object Created")).unwrap().unwrap();
        assert_eq!(created.created, [object("a+b%20c.md")]);
        let other = read(event("Object Deleted")).unwrap().unwrap();
        assert_eq!(
            (other.created.len(), &other.others[..]),
            (0, &["Object Deleted".to_owned()][..])
        );
    }

    #[test]
    fn other_events_are_left_to_others_and_wrong_ones_are_named() {
        for event in [
            json!({ "call": {} }),
            json!({ "Records": [] }),
            json!({ "Records": [{ "eventSource": "aws:sqs" }] }),
            json!({ "source": "aws.ec2", "detail-type": "x" }),
        ] {
            assert_eq!(read(event).unwrap(), None);
        }
        let test = read(json!({ "Service": "Amazon S3", "Event": "s3:TestEvent" })).unwrap();
        assert_eq!(test.unwrap().others, ["s3:TestEvent"]);
        let mut nameless = record("ObjectCreated:Put", "a");
        nameless["s3"]["bucket"] = json!({});
        for (event, expected) in [
            (
                json!({ "Records": [record("ObjectCreated:Put", "")] }),
                "Records[0].s3.object.key: missing",
            ),
            (
                json!({ "Records": [record("ObjectCreated:Put", "%ff")] }),
                "Records[0].s3.object.key: expected UTF-8",
            ),
            (json!({ "Records": [nameless] }), "Records[0].s3.bucket.name: missing"),
            (
                json!({ "Records": [record("ObjectCreated:Put", "a"), { "eventSource": "aws:sqs" }] }),
                "Records[1].eventSource: expected `aws:s3`",
            ),
            (
                json!({ "source": "aws.s3", "detail-type": "Object Created" }),
                "detail.bucket.name: missing",
            ),
        ] {
            let error = read(event).unwrap_err().render();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
