//! The value of an answer in the form that the client demanded.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use mitt::schema::Validator;
use mitt::value::Json;

/// Most bytes of an answer with a form.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// JSON as the model wrote it: no digit of a number is lost.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct RunOutput(Box<RawValue>);

impl RunOutput {
    /// Returns the value of an answer; `None` if the answer is no JSON, such as one that was cut.
    pub(crate) fn of(answer: &str) -> Option<RunOutput> {
        let value = Json::parse(answer, MAX_BYTES, Validator::MAX_VALUE_DEPTH).ok()?;
        // Compact, because an event has one line.
        RawValue::from_string(value.to_string()).ok().map(RunOutput)
    }

    /// Returns the compact JSON text.
    pub fn text(&self) -> &str {
        self.0.get()
    }
}

impl<'de> Deserialize<'de> for RunOutput {
    /// Reads any value. An event is read by way of a tree of values, which rounds numbers of more than 64 bits.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RunOutput, D::Error> {
        let value = Value::deserialize(from)?;
        RawValue::from_string(value.to_string()).map(RunOutput).map_err(D::Error::custom)
    }
}

impl PartialEq for RunOutput {
    fn eq(&self, other: &RunOutput) -> bool {
        self.text() == other.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_keeps_its_digits_and_has_one_line() {
        let output = RunOutput::of("{\n  \"a\": 12345678901234567890.10,\n  \"b\": \"x\\ny\"\n}");
        let json = serde_json::to_string(&output).unwrap();
        assert_eq!(json, r#"{"a":12345678901234567890.10,"b":"x\ny"}"#);
        assert_eq!(RunOutput::of("[1"), None);
    }
}
