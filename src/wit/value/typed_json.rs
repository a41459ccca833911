//! [`Json`] from and to Rust types, by serde.

use serde::de::DeserializeOwned;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::json::Json;
use mitt_base::error::{Error, ErrorKind, Result};

impl Json {
    /// Makes the JSON of a value, such as arguments from a struct.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - the value has no JSON: a map whose keys are no strings, or an error of its own `Serialize`.
    pub fn from_serialize(value: &impl Serialize) -> Result<Json> {
        serde_json::to_value(value).map(Json::from).map_err(|error| {
            Error::new(ErrorKind::Arguments, "the value has no JSON").caused_by(error)
        })
    }

    /// Reads this JSON as a value of a Rust type, such as the result of a call as a struct. A number of more digits than the type
    /// holds is rounded, as by `serde_json::from_str`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it does not fit the type; the message says where, and what was expected.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.to_string())
            .map_err(|error| Error::input(format!("the JSON does not fit the type: {error}")))
    }
}

/// Writes a number as a string if neither a 64-bit integer nor an `f64` can hold all of its digits.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Number(number) => {
                let text = number.as_str();
                if let Ok(value) = text.parse() {
                    serializer.serialize_i64(value)
                } else if let Ok(value) = text.parse() {
                    serializer.serialize_u64(value)
                } else if let Some(value) = number.as_exact_f64() {
                    serializer.serialize_f64(value)
                } else {
                    serializer.serialize_str(text)
                }
            }
            Json::String(text) => serializer.serialize_str(text),
            Json::Array(items) => serializer.collect_seq(items),
            Json::Object(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}
