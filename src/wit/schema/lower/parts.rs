//! Building blocks of schemas.

use super::shape::{Node, Shape};
use super::words;
use serde_json::{Map, Value, json};

type Keywords = Map<String, Value>;

/// Describes null for a property that may be left out.
pub(super) const NULL_FOR_DEFAULT: &str = "null for the default";

/// Returns `true` if `branches` are a number and its form as text, besides null.
pub(super) fn is_decimal(branches: &[Node]) -> bool {
    let (mut number, mut text) = (false, false);
    for branch in branches {
        match &branch.shape {
            Shape::Null => {}
            Shape::Number(range) if words::range(range).is_empty() => number = true,
            // Its pattern allows digits around a point.
            Shape::String(it) => {
                let pattern = it.patterns.first().map_or("", String::as_str);
                text = pattern.contains("[0-9]") && pattern.contains(r"\.");
            }
            _ => return false,
        }
    }
    number && text
}

/// Returns a schema that also accepts null. Its annotations move out of the union.
pub(super) fn nullable(schema: Value) -> Value {
    let Value::Object(mut keywords) = schema else { return schema };
    let mut outer = Keywords::new();
    outer.extend(keywords.shift_remove("title").map(|it| ("title".to_owned(), it)));
    let description = match keywords.shift_remove("description") {
        Some(Value::String(own)) => format!("{own}\n({NULL_FOR_DEFAULT})"),
        _ => format!("({NULL_FOR_DEFAULT})"),
    };
    outer.insert("description".into(), description.into());
    let mut branches = match keywords.shift_remove("anyOf") {
        Some(Value::Array(branches)) => branches,
        _ => vec![Value::Object(keywords)],
    };
    branches.push(json!({"type": "null"}));
    outer.insert("anyOf".into(), Value::Array(branches));
    Value::Object(outer)
}

/// Flattens unions in the branches of a union: a number that may be text is a union, and readers such as smolagents do not
/// support nested ones. The annotations of the inner union move to its first branch.
pub(super) fn flat(branches: Vec<Value>) -> Vec<Value> {
    let mut flat = Vec::with_capacity(branches.len());
    for mut branch in branches {
        let Some(Value::Array(mut inner)) = branch.get_mut("anyOf").map(Value::take) else {
            flat.push(branch);
            continue;
        };
        if let (Some(text), Some(Value::Object(first))) =
            (branch.get("description"), inner.first_mut())
        {
            first.entry("description").or_insert_with(|| text.clone());
        }
        flat.append(&mut inner);
    }
    flat
}

/// Returns a schema for any value, as a union of all types. Providers of models refuse arguments with arrays whose items are
/// not described, and readers of results warn about them.
pub(super) fn anything(is_result: bool) -> Keywords {
    let scalars = ["null", "boolean", "number", "string"].into_iter();
    let mut branches: Vec<Value> = scalars.map(|name| Value::Object(typed(name))).collect();
    branches.push(if is_result {
        json!({"type": "array"})
    } else {
        json!({"type": "array", "items": {}})
    });
    branches.push(json!({"type": "object", "additionalProperties": true}));
    one("anyOf", branches)
}

/// Returns the type of a schema in one word.
pub(super) fn kind(schema: &Value) -> &str {
    match (schema.get("type"), schema.get("$ref")) {
        (Some(Value::String(name)), _) => name,
        (_, Some(Value::String(target))) => target.rsplit('/').next().unwrap_or(target),
        _ => "one of several",
    }
}

pub(super) fn typed(name: &str) -> Keywords {
    one("type", name)
}

pub(super) fn one(keyword: &str, value: impl Into<Value>) -> Keywords {
    [(keyword.to_owned(), value.into())].into_iter().collect()
}
