//! Merges the cases of large variants where a schema would be too large for a client even without descriptions.
//!
//! A variant with records costs a schema for each case, although the cases share most of their fields. Merged, each field
//! stands once, all fields are optional, and a line for each case lists its fields. The merged schema accepts whatever the
//! separate cases accept; the host checks every call against the exact schema in any case. Knows no shapes and no dialects.

use super::walk::{self, Place};
use super::{Loss, LossKind};
use serde_json::{Map, Value, json};

/// Fewest cases that are worth a merge.
const MIN_CASES: usize = 4;

/// What stands in front of the line of a case. Lines that begin with it are never shortened: they replace constraints.
pub(super) const CASE: &str = "* `";

/// Merges each variant of `schema` whose cases are objects with `tag` and `val`. Returns what is no longer enforced; `None` if
/// nothing was merged.
pub(super) fn merge(schema: &mut Value) -> Option<Loss> {
    let definitions = schema.get("$defs").cloned().unwrap_or(Value::Null);
    let mut merged = 0;
    visit(schema, &definitions, &mut merged);
    if merged > 0 {
        without_null(schema);
    }
    (merged > 0).then(|| Loss {
        pointer: String::new(),
        kind: LossKind::Constraint,
        text: "which fields each case of a variant has; their descriptions list them".into(),
    })
}

fn visit(schema: &mut Value, definitions: &Value, merged: &mut usize) {
    let Value::Object(keywords) = schema else { return };
    walk::each(keywords, |_, part| visit(part, definitions, merged));
    let Some(Value::Array(branches)) = keywords.get_mut("anyOf") else { return };
    let Some(cases) = branches.iter().map(Case::read).collect::<Option<Vec<Case>>>() else {
        return;
    };
    if cases.len() < MIN_CASES {
        return;
    }
    let variant = one_schema(&cases, definitions);
    let mut lines: Vec<String> = Vec::with_capacity(cases.len() + 1);
    lines.extend(keywords.get("description").and_then(Value::as_str).map(str::to_owned));
    lines.extend(cases.iter().map(|case| case.line(definitions)));
    keywords.shift_remove("anyOf");
    keywords.insert("description".into(), lines.join("\n").into());
    keywords.extend(variant);
    *merged += 1;
}

/// Removes the lists of tags of merged variants, which the lines of their cases repeat.
pub(super) fn without_tags(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    let is_merged = keywords.get("description").and_then(Value::as_str);
    let is_merged = is_merged.is_some_and(|text| text.lines().any(|line| line.starts_with(CASE)));
    walk::each(keywords, |place, part| {
        if is_merged && matches!(place, Place::Property("tag")) {
            part.as_object_mut().map(|tag| tag.shift_remove("enum"));
        }
        without_tags(part);
    });
}

/// Removes null from the alternatives of properties that can be left out.
fn without_null(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    let required = keywords.get("required").cloned().unwrap_or(Value::Null);
    let required =
        |name: &str| required.as_array().is_some_and(|it| it.iter().any(|it| it == name));
    walk::each(keywords, |place, part| {
        if matches!(place, Place::Property(name) if !required(name)) {
            *part = any_of(not_null(part));
        }
        without_null(part);
    });
}

/// A case of a variant.
struct Case {
    tag: String,
    description: String,
    payload: Option<Value>,
}

impl Case {
    /// Returns `None` if `schema` is not an object with a `tag` of one value and at most a `val` beside it.
    fn read(schema: &Value) -> Option<Case> {
        let properties = schema.get("properties")?.as_object()?;
        let [tag] = properties.get("tag")?.get("enum")?.as_array()?.as_slice() else { return None };
        let payload = properties.get("val").cloned();
        if properties.len() != 1 + usize::from(payload.is_some()) {
            return None;
        }
        let text = |it: &Value| Some(it.get("description")?.as_str()?.to_owned());
        let description = text(schema).or_else(|| payload.as_ref().and_then(text));
        let description = description.unwrap_or_default().lines().next().unwrap_or("").to_owned();
        Some(Case { tag: tag.as_str()?.to_owned(), description, payload })
    }

    /// Returns the line that describes this case: `` * `move` {from, to?}: Move cells. ``
    fn line(&self, definitions: &Value) -> String {
        let mut line = format!("{CASE}{}`", self.tag);
        if let Some(payload) = &self.payload {
            line.push(' ');
            line.push_str(&signature(payload, definitions));
        }
        if !self.description.is_empty() {
            line.push_str(": ");
            line.push_str(&self.description);
        }
        line
    }
}

/// Returns the schema of any case: the tags, and a value of any of their types.
fn one_schema(cases: &[Case], definitions: &Value) -> Map<String, Value> {
    let mut fields: Vec<(String, Vec<Value>)> = Vec::new();
    let mut others: Vec<Value> = Vec::new();
    for payload in cases.iter().filter_map(|case| case.payload.as_ref()) {
        let Some(properties) = record(payload, definitions) else {
            add(&mut others, plain(payload));
            continue;
        };
        for (name, part) in properties {
            let index = fields.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                fields.push((name.clone(), Vec::new()));
                fields.len() - 1
            });
            for part in not_null(part) {
                add(&mut fields[index].1, plain(&part));
            }
        }
    }
    let fields: Map<String, Value> =
        fields.into_iter().map(|(name, parts)| (name, any_of(parts))).collect();
    let mut payloads = Vec::new();
    if !fields.is_empty() {
        payloads
            .push(json!({"type": "object", "properties": fields, "additionalProperties": false}));
    }
    payloads.append(&mut others);
    let tags: Vec<&str> = cases.iter().map(|case| case.tag.as_str()).collect();
    let mut properties = Map::new();
    properties.insert("tag".into(), json!({"type": "string", "enum": tags}));
    let mut required = vec!["tag"];
    if !payloads.is_empty() {
        properties.insert("val".into(), any_of(payloads));
        if cases.iter().all(|case| case.payload.is_some()) {
            required.push("val");
        }
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    schema.insert("required".into(), json!(required));
    schema.insert("additionalProperties".into(), false.into());
    schema
}

/// Adds `part` unless it is there. Of parts that differ only in their description, the first one stays, with the other
/// descriptions behind its own.
fn add(parts: &mut Vec<Value>, mut part: Value) {
    let description = part.as_object_mut().and_then(|it| it.shift_remove("description"));
    let bare = |it: &Value| {
        let mut bare = it.clone();
        bare.as_object_mut().map(|it| it.shift_remove("description"));
        bare
    };
    let Some(known) = parts.iter_mut().find(|known| bare(known) == part) else {
        if let (Some(text), Some(keywords)) = (description, part.as_object_mut()) {
            keywords.shift_insert(0, "description".into(), text);
        }
        parts.push(part);
        return;
    };
    let (Some(Value::String(more)), Some(keywords)) = (description, known.as_object_mut()) else {
        return;
    };
    match keywords.get_mut("description") {
        Some(Value::String(text)) if text.lines().any(|line| line == more) => {}
        Some(Value::String(text)) => *text = format!("{text}\n{more}"),
        _ => {
            keywords.shift_insert(0, "description".into(), more.into());
        }
    }
}

fn any_of(mut parts: Vec<Value>) -> Value {
    if parts.len() == 1 { parts.remove(0) } else { json!({"anyOf": parts}) }
}

/// Returns `schema` without the bounds that the type of a 32-bit integer implies.
fn plain(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(keywords) = schema.as_object_mut()
        && keywords.get("minimum") == Some(&json!(0))
        && keywords.get("maximum") == Some(&json!(u32::MAX))
    {
        keywords.shift_remove("minimum");
        keywords.shift_remove("maximum");
    }
    schema
}

/// Returns the alternatives of `schema` without null: a merged field can be left out.
fn not_null(schema: &Value) -> Vec<Value> {
    let Some(branches) = schema.get("anyOf").and_then(Value::as_array) else {
        return vec![schema.clone()];
    };
    if !branches.iter().any(is_null) {
        return vec![schema.clone()];
    }
    let mut left: Vec<Value> = branches.iter().filter(|it| !is_null(it)).cloned().collect();
    if let (Some(text), Some(first)) =
        (schema.get("description"), left.first_mut().and_then(Value::as_object_mut))
        && !first.contains_key("$ref")
    {
        first.shift_insert(0, "description".into(), text.clone());
    }
    left
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|it| it == "null")
}

/// Returns the schema that a reference leads to, and any other schema itself.
fn resolved<'a>(schema: &'a Value, definitions: &'a Value) -> &'a Value {
    let name =
        schema.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix("#/$defs/"));
    name.and_then(|name| definitions.get(super::pointer::unstep(name))).unwrap_or(schema)
}

/// Returns the properties of a closed object; `None` for all other schemas.
fn record<'a>(schema: &'a Value, definitions: &'a Value) -> Option<&'a Map<String, Value>> {
    let schema = resolved(schema, definitions);
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    schema.get("properties").filter(|_| closed)?.as_object()
}

/// Describes the form of a value: `{at, text, after?}`, `string`, `[{at, value}]`.
fn signature(schema: &Value, definitions: &Value) -> String {
    if let Some(properties) = record(schema, definitions) {
        let required = resolved(schema, definitions).get("required").and_then(Value::as_array);
        let fields = properties.keys().map(|name| {
            let needed = required.is_some_and(|it| it.iter().any(|it| it == name.as_str()));
            if needed { name.clone() } else { format!("{name}?") }
        });
        return format!("{{{}}}", fields.collect::<Vec<_>>().join(", "));
    }
    if let Some(items) = schema.get("items") {
        return format!("[{}]", signature(items, definitions));
    }
    if let Some(branches) = schema.get("anyOf").and_then(Value::as_array) {
        let forms = branches.iter().map(|it| signature(it, definitions));
        return forms.collect::<Vec<_>>().join(" or ");
    }
    schema.get("type").and_then(Value::as_str).unwrap_or("value").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(tag: &str, description: &str, payload: Value) -> Value {
        json!({
            "description": description,
            "type": "object",
            "properties": {"tag": {"type": "string", "enum": [tag]}, "val": payload},
            "required": ["tag", "val"],
            "additionalProperties": false,
        })
    }

    fn object(properties: Value, required: &[&str]) -> Value {
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    #[test]
    fn fields_of_all_cases_stand_once() {
        let string = |text: &str| json!({"description": text, "type": "string"});
        let row = json!({"type": "integer", "minimum": 0, "maximum": u32::MAX});
        let optional =
            json!({"description": "Why.", "anyOf": [{"type": "null"}, {"type": "string"}]});
        let mut schema = json!({
            "type": "array",
            "items": {"description": "An edit.", "anyOf": [
                case("set", "Set a text.", object(json!({"at": string("Place."), "why": optional}), &["at"])),
                case("add", "Add rows.", object(json!({"at": row}), &["at"])),
                case("move", "Move.", object(json!({"at": string("From.")}), &["at"])),
                case("drop", "Drop.", json!({"type": "string"})),
                case("all", "Cells.", json!({"type": "array", "items": {"$ref": "#/$defs/cell"}})),
            ]},
            "$defs": {"cell": object(json!({"a": {"type": "string"}, "b": {"type": "string"}}), &["a"])},
        });
        let loss = merge(&mut schema).unwrap();
        assert_eq!(loss.kind, LossKind::Constraint);
        let items = &schema["items"];
        assert_eq!(
            items["description"],
            "An edit.\n* `set` {at, why?}: Set a text.\n* `add` {at}: Add rows.\n* `move` {at}: Move.\n\
             * `drop` string: Drop.\n* `all` [{a, b?}]: Cells."
        );
        assert_eq!(
            items["properties"]["tag"]["enum"],
            json!(["set", "add", "move", "drop", "all"])
        );
        let forms = items["properties"]["val"]["anyOf"].as_array().unwrap();
        assert_eq!(forms.len(), 3);
        assert_eq!(
            forms[0]["properties"],
            json!({
                "at": {"anyOf": [{"description": "Place.\nFrom.", "type": "string"}, {"type": "integer"}]},
                "why": {"description": "Why.", "type": "string"},
            })
        );
        assert_eq!(items["required"], json!(["tag", "val"]));
    }

    #[test]
    fn other_unions_stay_as_they_are() {
        let mut schema = json!({"anyOf": [
            {"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"type": "null"},
        ]});
        let before = schema.clone();
        assert_eq!(merge(&mut schema), None);
        assert_eq!(schema, before);
    }
}
