//! The log of a function: one object of JSON for each line on standard error, as Lambda's own log has it.
//!
//! It quotes no document and no argument. Libraries write through `tracing` in builds with servers; this log needs neither.

use serde_json::{Value, json};

use crate::output::write_note;
use mitt_base::visible;

/// Writes an entry. `details` is an object whose members are added; they name no content.
pub(super) fn log(level: &'static str, request: Option<&str>, message: &str, details: Value) {
    let mut entry = json!({ "level": level, "message": message });
    if let Some(request) = request {
        entry["requestId"] = json!(request);
    }
    if let Value::Object(details) = details {
        for (key, value) in details {
            entry[key] = value;
        }
    }
    // A log that cannot be written could not be reported either.
    let _ = write_note(&format!("{}\n", visible::json(&entry.to_string())));
}
