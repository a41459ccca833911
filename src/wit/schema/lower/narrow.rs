//! Applies keywords that narrow a shape, such as the bounds of `skill.yaml`.
//!
//! As in JSON Schema, each applies only to values of its type: `maxLength` narrows the strings of a union and nothing else.
//! Applying the same keywords twice changes nothing.

use super::shape::{Flags, Integer, List, Node, Range, Shape, Text};
use super::union::any_of;
use super::words;
use crate::schema::BASE64;
use serde_json::{Map, Number, Value};

/// The keywords of a schema that is an object.
pub(super) type Keywords = Map<String, Value>;

/// Keywords that other code reads, or that do not constrain values.
const READ: [&str; 38] = [
    "$comment",
    "$defs",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "anyOf",
    "const",
    "contentEncoding",
    "contentMediaType",
    "default",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "oneOf",
    "pattern",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
    "definitions",
];

const NARROWING: [&str; 14] = [
    "const",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

/// Returns `true` if any of `keywords` narrows a value.
pub(super) fn narrows(keywords: &Keywords) -> bool {
    keywords.keys().any(|it| NARROWING.contains(&it.as_str()))
}

/// Returns sentences about keywords that no shape can hold.
pub(super) fn unread(keywords: &Keywords) -> Vec<String> {
    let unknown = keywords.iter().filter(|(keyword, value)| match keyword.as_str() {
        // `not` of everything is a shape, and `not` of anything else a sentence. In `allOf`, keywords that narrow are
        // applied, and the rest becomes a sentence.
        "allOf" => !value.as_array().is_some_and(|all| all.iter().all(only_narrows)),
        "not" => !(**value == true || value.as_object().is_some_and(Map::is_empty)),
        keyword => !READ.contains(&keyword),
    });
    unknown.map(|(keyword, value)| words::keyword(keyword, value)).collect()
}

/// Returns `true` if `schema` has only keywords that narrow.
fn only_narrows(schema: &Value) -> bool {
    let keywords = schema.as_object();
    keywords.is_some_and(|it| it.keys().all(|keyword| NARROWING.contains(&keyword.as_str())))
}

/// Narrows `node` by those of `keywords` that can narrow.
pub(super) fn narrow(node: &mut Node, keywords: &Keywords) {
    if !narrows(keywords) {
        return;
    }
    match &mut node.shape {
        Shape::AnyOf(branches) => {
            let mut branches = std::mem::take(branches);
            for branch in &mut branches {
                narrow(branch, keywords);
            }
            let merged = any_of(&node.at, branches);
            node.shape = merged.shape;
            node.unread.extend(merged.unread);
            if node.notes.description.is_none() {
                node.notes.description = merged.notes.description;
            }
            return;
        }
        Shape::Integer(integer) => narrow_integer(integer, keywords),
        Shape::Number(range) => narrow_range(range, keywords),
        Shape::String(text) => narrow_text(text, keywords),
        Shape::List(list) => narrow_list(list, keywords),
        Shape::Flags(flags) => narrow_flags(flags, keywords),
        Shape::Tuple(_) => {
            if keywords.get("uniqueItems") == Some(&Value::Bool(true)) {
                say(node, words::NO_ITEM_TWICE.to_owned());
            }
        }
        Shape::Ref(_) => {
            // The definition was too large to copy.
            for (keyword, value) in keywords.iter().filter(|it| NARROWING.contains(&it.0.as_str()))
            {
                say(node, words::keyword(keyword, value));
            }
            return;
        }
        Shape::Any | Shape::Never | Shape::Null | Shape::Boolean => {}
        Shape::Literals(values) => {
            let mut kept = std::mem::take(values);
            kept.retain(|value| fits(value, keywords));
            let untried = untried(&kept, keywords);
            node.shape = if kept.is_empty() { Shape::Never } else { Shape::Literals(kept) };
            untried.into_iter().for_each(|sentence| say(node, sentence));
        }
        Shape::Object(_) | Shape::Map(_) => {}
    }
    for values in choices(keywords) {
        choose(node, &values);
    }
}

fn say(node: &mut Node, sentence: String) {
    if !node.unread.contains(&sentence) {
        node.unread.push(sentence);
    }
}

fn number<'a>(keywords: &'a Keywords, keyword: &str) -> Option<&'a Number> {
    match keywords.get(keyword) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    }
}

fn count(keywords: &Keywords, keyword: &str) -> Option<u64> {
    let number = number(keywords, keyword)?;
    // `2.0` is an integer in JSON Schema; negative limits are invalid.
    number.as_u64().or_else(|| number.as_f64().filter(|it| *it >= 0.0).map(|it| it as u64))
}

/// Returns the largest integer that is at most `number`, and `true` if it equals `number`.
fn floor(number: &Number) -> (i128, bool) {
    if let Some(value) = number.as_i64() {
        return (value.into(), true);
    }
    if let Some(value) = number.as_u64() {
        return (value.into(), true);
    }
    let value = number.as_f64().unwrap_or(0.0);
    (value.floor() as i128, value.fract() == 0.0)
}

fn narrow_integer(integer: &mut Integer, keywords: &Keywords) {
    let at_least = |integer: &mut Integer, limit: i128| {
        integer.minimum = Some(integer.minimum.map_or(limit, |it| it.max(limit)));
    };
    let at_most = |integer: &mut Integer, limit: i128| {
        integer.maximum = Some(integer.maximum.map_or(limit, |it| it.min(limit)));
    };
    if let Some((limit, exact)) = number(keywords, "minimum").map(floor) {
        at_least(integer, if exact { limit } else { limit.saturating_add(1) });
    }
    if let Some((limit, _)) = number(keywords, "exclusiveMinimum").map(floor) {
        at_least(integer, limit.saturating_add(1));
    }
    if let Some((limit, _)) = number(keywords, "maximum").map(floor) {
        at_most(integer, limit);
    }
    if let Some((limit, exact)) = number(keywords, "exclusiveMaximum").map(floor) {
        at_most(integer, if exact { limit.saturating_sub(1) } else { limit });
    }
    if let Some(step) = number(keywords, "multipleOf") {
        integer.multiple_of = Some(step.clone());
    }
}

fn narrow_range(range: &mut Range, keywords: &Keywords) {
    let larger = |old: &mut Option<Number>, new: Option<&Number>| {
        if let Some(new) = new
            && old.as_ref().is_none_or(|old| old.as_f64() < new.as_f64())
        {
            *old = Some(new.clone());
        }
    };
    let smaller = |old: &mut Option<Number>, new: Option<&Number>| {
        if let Some(new) = new
            && old.as_ref().is_none_or(|old| old.as_f64() > new.as_f64())
        {
            *old = Some(new.clone());
        }
    };
    larger(&mut range.minimum, number(keywords, "minimum"));
    larger(&mut range.exclusive_minimum, number(keywords, "exclusiveMinimum"));
    smaller(&mut range.maximum, number(keywords, "maximum"));
    smaller(&mut range.exclusive_maximum, number(keywords, "exclusiveMaximum"));
    if let Some(step) = number(keywords, "multipleOf") {
        range.multiple_of = Some(step.clone());
    }
}

fn narrow_text(text: &mut Text, keywords: &Keywords) {
    if let Some(min) = count(keywords, "minLength") {
        text.min = text.min.max(min);
    }
    if let Some(max) = count(keywords, "maxLength") {
        text.max = Some(text.max.map_or(max, |it| it.min(max)));
    }
    // `base64` already implies this pattern.
    let is_known = |pattern: &String| text.base64 && pattern == BASE64;
    if let Some(Value::String(pattern)) = keywords.get("pattern")
        && !text.patterns.contains(pattern)
        && !is_known(pattern)
    {
        text.patterns.push(pattern.clone());
    }
    if let Some(Value::String(format)) = keywords.get("format") {
        text.format = Some(format.clone());
    }
}

fn narrow_list(list: &mut List, keywords: &Keywords) {
    if let Some(min) = count(keywords, "minItems") {
        list.min = list.min.max(min);
    }
    if let Some(max) = count(keywords, "maxItems") {
        list.max = Some(list.max.map_or(max, |it| it.min(max)));
    }
    list.unique |= keywords.get("uniqueItems") == Some(&Value::Bool(true));
}

fn narrow_flags(flags: &mut Flags, keywords: &Keywords) {
    if let Some(min) = count(keywords, "minItems") {
        flags.min = flags.min.max(min);
    }
    if let Some(max) = count(keywords, "maxItems") {
        flags.max = Some(flags.max.map_or(max, |it| it.min(max)));
    }
}

/// Returns sentences about those of `keywords` that are not evaluated on literals.
fn untried(literals: &[Value], keywords: &Keywords) -> Vec<String> {
    let mut text = Text::default();
    narrow_text(&mut text, keywords);
    let mut said = Vec::new();
    if literals.iter().any(Value::is_string) {
        said.extend(words::text(&Text { min: 0, max: None, ..text }));
    }
    if literals.iter().any(Value::is_number) {
        let multiple_of = number(keywords, "multipleOf").cloned();
        said.extend(words::range(&Range { multiple_of, ..Range::default() }));
    }
    said
}

/// Returns the values of `enum` and of `const`.
fn choices(keywords: &Keywords) -> Vec<Vec<Value>> {
    let list = keywords.get("enum").and_then(Value::as_array).cloned();
    let one = keywords.get("const").map(|value| vec![value.clone()]);
    list.into_iter().chain(one).collect()
}

/// Keeps only those values of `node` that are in `values`.
fn choose(node: &mut Node, values: &[Value]) {
    let kept: Vec<Value> = match &node.shape {
        Shape::Never => return,
        Shape::Null if values.contains(&Value::Null) => return,
        Shape::Null => Vec::new(),
        Shape::Boolean => values.iter().filter(|it| it.is_boolean()).cloned().collect(),
        Shape::Integer(integer) => {
            values.iter().filter_map(|it| integer_literal(integer, it)).collect()
        }
        Shape::Number(range) => values.iter().filter(|it| in_range(range, it)).cloned().collect(),
        Shape::String(text) => values
            .iter()
            .filter(|it| it.as_str().is_some_and(|it| fits_text(text, it)))
            .cloned()
            .collect(),
        Shape::Literals(own) => own.iter().filter(|it| values.contains(it)).cloned().collect(),
        Shape::Any if values.iter().all(is_scalar) => values.to_vec(),
        _ => {
            let sentence = words::one_of(values);
            return say(node, sentence);
        }
    };
    let untried = match &node.shape {
        Shape::String(text) => words::text(&Text { min: 0, max: None, ..text.clone() }),
        Shape::Integer(Integer { multiple_of, .. }) | Shape::Number(Range { multiple_of, .. }) => {
            words::range(&Range { multiple_of: multiple_of.clone(), ..Range::default() })
        }
        _ => Vec::new(),
    };
    untried.into_iter().for_each(|sentence| say(node, sentence));
    node.shape = match &kept[..] {
        [] => Shape::Never,
        [Value::Bool(one), rest @ ..] if rest.contains(&Value::Bool(!one)) => Shape::Boolean,
        _ => Shape::Literals(kept),
    };
}

/// Returns `value` as an integer within the bounds. If the integer may be written as a string, a string of digits counts
/// too.
fn integer_literal(integer: &Integer, value: &Value) -> Option<Value> {
    let value = match value {
        Value::Number(_) => value.clone(),
        Value::String(digits) if integer.wide => {
            let number: Option<Value> = digits.parse::<u64>().ok().map(Value::from);
            number.or_else(|| digits.parse::<i64>().ok().map(Value::from))?
        }
        _ => return None,
    };
    let (whole, exact) = floor(value.as_number()?);
    let fits = exact
        && integer.minimum.is_none_or(|it| it <= whole)
        && integer.maximum.is_none_or(|it| it >= whole);
    fits.then_some(value)
}

fn in_range(range: &Range, value: &Value) -> bool {
    let Some(value) = value.as_f64() else { return false };
    let limit = |it: &Option<Number>| it.as_ref().and_then(Number::as_f64);
    limit(&range.minimum).is_none_or(|it| it <= value)
        && limit(&range.exclusive_minimum).is_none_or(|it| it < value)
        && limit(&range.maximum).is_none_or(|it| it >= value)
        && limit(&range.exclusive_maximum).is_none_or(|it| it > value)
}

fn fits_text(text: &Text, value: &str) -> bool {
    let length = value.chars().count() as u64;
    text.min <= length && text.max.is_none_or(|it| it >= length)
}

/// Returns `true` if a literal fits the bounds among `keywords`.
fn fits(value: &Value, keywords: &Keywords) -> bool {
    match value {
        Value::String(value) => {
            let mut text = Text::default();
            narrow_text(&mut text, keywords);
            fits_text(&text, value)
        }
        Value::Number(_) => {
            let mut range = Range::default();
            narrow_range(&mut range, keywords);
            in_range(&range, value)
        }
        _ => true,
    }
}

pub(super) fn is_scalar(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn keywords(schema: Value) -> Keywords {
        schema.as_object().unwrap().clone()
    }

    #[test]
    fn what_no_shape_holds_is_said() {
        for (schema, count) in [
            (json!({"minimum": 1, "type": "integer"}), 0),
            (json!({"allOf": [{"minimum": 1}, {"maximum": 9}]}), 0),
            (json!({"allOf": [{"minimum": 1}, {"if": {}}]}), 1),
            (json!({"allOf": true}), 1),
            (json!({"not": {}}), 0),
            (json!({"not": true}), 0),
            (json!({"not": {"const": 1}}), 1),
            (json!({"if": {}, "then": {}}), 2),
        ] {
            assert_eq!(unread(&keywords(schema.clone())).len(), count, "{schema}");
        }
    }

    #[test]
    fn a_literal_is_within_all_bounds_of_its_type() {
        let bounds = [
            json!({"minimum": 1, "maximum": 3}),
            json!({"exclusiveMinimum": 1, "exclusiveMaximum": 3}),
            json!({"minLength": 1, "maxLength": 3}),
        ];
        for (value, expected) in [
            (json!(0), [false, false, true]),
            (json!(1), [true, false, true]),
            (json!(2), [true, true, true]),
            (json!(3), [true, false, true]),
            (json!(4), [false, false, true]),
            (json!(""), [true, true, false]),
            (json!("ä"), [true, true, true]),
            (json!("äöü"), [true, true, true]),
            (json!("four"), [true, true, false]),
            (json!(true), [true, true, true]),
        ] {
            let found = bounds.clone().map(|it| fits(&value, &keywords(it)));
            assert_eq!(found, expected, "{value}");
        }
    }

    #[test]
    fn arrays_and_objects_are_no_scalars() {
        for (value, expected) in [
            (json!(null), true),
            (json!(1), true),
            (json!("a"), true),
            (json!([]), false),
            (json!({}), false),
        ] {
            assert_eq!(is_scalar(&value), expected, "{value}");
        }
    }
}
