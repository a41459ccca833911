//! Judges values by a JSON Schema that a caller wrote.
//!
//! The keywords of draft 2020-12 are applied that say something about one value: see [`Validator::new`]. Others are refused
//! and not passed over, because a rule that nobody applies is a promise that nobody keeps. Values are judged exactly: numbers
//! by their digits. Both the schema and the work are bounded, because neither the caller nor the model is trusted.

mod check;
mod format;
mod node;
mod read;
#[cfg(all(test, feature = "read"))]
mod tests;

use serde_json::Value;

use crate::value::Json;
use check::{Check, MAX_STEPS};
use node::Node;

pub use node::{SchemaProblem, Violation};

/// Most bytes of a schema, written as compact JSON.
const MAX_BYTES: usize = 64 * 1024;

/// A JSON Schema that judges values.
///
/// ```
/// use mitt_wit::schema::Validator;
/// use mitt_wit::value::Json;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"total": {"type": "number"}}});
/// let validator = Validator::new(&schema).unwrap();
/// let value = Json::parse(r#"{"total": "12"}"#, 1_000, 10).unwrap();
/// let [violation] = &validator.check(&value)[..] else { panic!() };
/// assert_eq!(violation.pointer, "/total");
/// assert_eq!(violation.message, "expected number, got string");
/// assert_eq!(violation.rule, "/properties/total/type");
/// ```
#[derive(Debug)]
pub struct Validator {
    nodes: Vec<Node>,
}

impl Validator {
    /// Deepest value that is judged.
    pub const MAX_VALUE_DEPTH: u64 = 64;

    /// Reads a schema of at most 64 KiB and 32 levels.
    ///
    /// Applied are `type`, `enum`, `const`; `properties`, `patternProperties`, `additionalProperties`, `propertyNames`,
    /// `required`, `minProperties`, `maxProperties`; `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`;
    /// `minLength`, `maxLength`, `pattern` without look-around, and `format` if it is `date`, `time`, `date-time`, `email`,
    /// `uuid`, `ipv4` or `ipv6`; `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`; `anyOf`,
    /// `oneOf`, `allOf`, `not`; `$ref` to a place in the same schema, also a recursive one. Descriptions and other notes
    /// may be there.
    ///
    /// # Errors
    ///
    /// All problems with their places.
    pub fn new(schema: &Value) -> Result<Validator, Vec<SchemaProblem>> {
        let bytes = schema.to_string().len();
        if bytes > MAX_BYTES {
            let message = format!("expected at most {MAX_BYTES} bytes, got {bytes}");
            return Err(vec![SchemaProblem { pointer: String::new(), message }]);
        }
        Ok(Validator { nodes: read::read(schema)? })
    }

    /// Returns the places where a value breaks the schema, at most 20. The list is empty for a valid value.
    pub fn check(&self, value: &Json) -> Vec<Violation> {
        let mut check = Check { nodes: &self.nodes, left: MAX_STEPS, is_cut: false };
        let found = check.run(value);
        if check.is_cut {
            let message = format!(
                "expected a value that is checked in {MAX_STEPS} steps, got a deeper or longer one"
            );
            return vec![Violation { pointer: String::new(), message, rule: String::new() }];
        }
        found
    }
}
