//! Reads JSON values as slices of the text.

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Type of a value, from its first letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonType {
    Null,
    Boolean,
    Number,
    Text,
    Array,
    Object,
}

pub(super) fn kind(raw: &RawValue) -> JsonType {
    match raw.get().bytes().next() {
        Some(b'{') => JsonType::Object,
        Some(b'[') => JsonType::Array,
        Some(b'"') => JsonType::Text,
        Some(b't' | b'f') => JsonType::Boolean,
        Some(b'n') | None => JsonType::Null,
        Some(_) => JsonType::Number,
    }
}

pub(super) fn elements(raw: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

/// Returns the fields of an object, in order, with duplicates.
pub(super) fn fields(raw: &RawValue) -> Vec<(Cow<'_, str>, &RawValue)> {
    struct Fields;
    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut fields = Vec::new();
            while let Some((Name(name), value)) = map.next_entry()? {
                fields.push((name, value));
            }
            Ok(fields)
        }
    }
    serde_json::Deserializer::from_str(raw.get()).deserialize_map(Fields).unwrap_or_default()
}

/// A field name, borrowed if it has no escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
