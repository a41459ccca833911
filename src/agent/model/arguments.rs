//! Arguments of calls as the text that a model wrote: every digit, and keys that come twice.
//!
//! Knows no wire and no tool.

use serde_json::value::RawValue;

/// Services send nothing as the arguments of a tool that takes none.
pub(super) fn or_empty(arguments: String) -> String {
    if arguments.trim().is_empty() { "{}".to_owned() } else { arguments }
}

pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Arguments as text: of a string what it says, of anything else its JSON as it was written.
pub(super) fn arguments(value: Option<&RawValue>) -> String {
    let Some(value) = value else { return String::new() };
    match value.get() {
        "null" => String::new(),
        text if text.starts_with('"') => serde_json::from_str(text).unwrap_or_default(),
        text => text.to_owned(),
    }
}
