//! A schema as it is applied: each subschema once, with its keywords.

use std::collections::HashMap;

use crate::value::{Json, Number, Pattern};

/// Something in a schema that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    /// JSON pointer into the schema; empty for the whole schema.
    pub pointer: String,
    /// What is wrong, and the way out.
    pub message: String,
}

/// A place at which a value does not follow its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer into the value; empty for the whole value.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
    /// JSON pointer to the keyword of the schema that says so.
    pub rule: String,
}

/// Number of a subschema.
pub(super) type NodeId = usize;

/// Kinds of values, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u8);

/// Names of kinds, in the order of their bits. An integer is a number, too.
const KINDS: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

impl Kinds {
    /// Adds the kind of this name. Returns `false` if there is none.
    pub(super) fn add(&mut self, name: &str) -> bool {
        let bit = KINDS.iter().position(|it| *it == name);
        self.0 |= bit.map_or(0, |bit| 1 << bit);
        bit.is_some()
    }

    /// Returns whether the value is of one of the kinds.
    pub(super) fn has(self, value: &Json) -> bool {
        let bits = match value {
            Json::Null => 0b1,
            Json::Bool(_) => 0b10,
            Json::Number(number) if number.is_whole() => 0b1100,
            Json::Number(_) => 0b1000,
            Json::String(_) => 0b1_0000,
            Json::Array(_) => 0b10_0000,
            Json::Object(_) => 0b100_0000,
        };
        self.0 & bits != 0
    }

    /// Returns the names of the kinds: `string or null`.
    pub(super) fn names(self) -> String {
        let names = KINDS.iter().enumerate().filter(|(bit, _)| self.0 & (1 << bit) != 0);
        names.map(|(_, name)| *name).collect::<Vec<_>>().join(" or ")
    }
}

/// The least and the most of something; `None` for no bound.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    pub(super) least: Option<u64>,
    pub(super) most: Option<u64>,
}

/// A format of a text that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Date,
    DateTime,
    Email,
    Ipv4,
    Ipv6,
    Time,
    Uuid,
}

/// A subschema.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// JSON pointer into the schema.
    pub(super) pointer: String,
    /// `true` for the schema `false`, which accepts nothing.
    pub(super) is_never: bool,
    pub(super) kinds: Option<Kinds>,
    /// Values of `enum`: in a form that is the same for equal values, and as they are shown.
    pub(super) values: Option<(Vec<String>, String)>,
    /// The value of `const`, in both forms.
    pub(super) constant: Option<(String, String)>,
    pub(super) properties: HashMap<String, NodeId>,
    pub(super) patterns: Vec<(Pattern, NodeId)>,
    pub(super) additional: Option<NodeId>,
    pub(super) names: Option<NodeId>,
    pub(super) required: Vec<String>,
    pub(super) n_properties: Count,
    pub(super) prefix: Vec<NodeId>,
    pub(super) items: Option<NodeId>,
    pub(super) n_items: Count,
    pub(super) is_unique: bool,
    pub(super) n_characters: Count,
    pub(super) pattern: Option<Pattern>,
    pub(super) format: Option<(Format, String)>,
    pub(super) minimum: Option<Number>,
    pub(super) maximum: Option<Number>,
    pub(super) above: Option<Number>,
    pub(super) below: Option<Number>,
    pub(super) multiple_of: Option<Number>,
    pub(super) any_of: Vec<NodeId>,
    pub(super) one_of: Vec<NodeId>,
    pub(super) all_of: Vec<NodeId>,
    pub(super) not: Option<NodeId>,
    pub(super) reference: Option<NodeId>,
}

impl Node {
    /// Returns the subschemas that are applied to the same value.
    pub(super) fn in_place(&self) -> impl Iterator<Item = NodeId> {
        let lists = self.any_of.iter().chain(&self.one_of).chain(&self.all_of);
        lists.copied().chain(self.not).chain(self.reference)
    }
}

/// Returns a text that is the same for two values exactly if they are equal in JSON Schema: the order of members does not
/// count, and `1.0` is `1`.
pub(super) fn canonical(value: &Json) -> String {
    match value {
        Json::Number(number) => number.canonical(),
        Json::Array(items) => {
            let items: Vec<_> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Json::Object(members) => {
            let member = |(key, value): &(String, Json)| {
                format!("{}:{}", Json::String(key.clone()), canonical(value))
            };
            let mut members: Vec<_> = members.iter().map(member).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}

/// Returns the steps that [`canonical`] takes: one for each value, and one for each 64 bytes of texts.
pub(super) fn weight(value: &Json) -> usize {
    1 + match value {
        Json::String(text) => text.len() / 64,
        Json::Array(items) => items.iter().map(weight).sum(),
        Json::Object(members) => {
            members.iter().map(|(name, value)| name.len() / 64 + weight(value)).sum()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => 0,
    }
}

/// Returns a JSON pointer one step further.
pub(super) fn below(pointer: &str, step: &str) -> String {
    format!("{pointer}/{}", step.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_weighs_its_parts_and_its_texts() {
        let long = "x".repeat(640);
        for (json, steps) in [
            ("null".to_owned(), 1),
            (format!("\"{long}\""), 11),
            (format!("[1,\"{long}\",[]]"), 14),
            (format!("{{\"{long}\":1,\"a\":\"{long}\"}}"), 1 + 10 + 1 + 11),
        ] {
            assert_eq!(weight(&Json::parse(&json, 10_000, 10).unwrap()), steps, "{json}");
        }
    }
}
