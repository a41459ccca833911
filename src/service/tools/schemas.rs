//! Schemas of a tool's arguments and of its response, as they stand in an OpenAPI document.
//!
//! They are those that clients of MCP see, with two differences: no definition is shared, because Open WebUI resolves
//! references only in a few places; and a response is always an object, because it may list files. Types are not recursive,
//! so every definition can take the place of its references.

use serde_json::{Map, Value, json};

use mitt::schema;
use mitt::schema::lower::{Dialect, Form, Lowered, lower, lower_result};
use mitt::value::{Function, Type};

/// Member of a response for a result that is not an object.
pub(super) const RESULT: &str = "result";
/// Member of a response that lists the delivered files.
const FILES: &str = "files";
/// Its name if the result has a member `files` of its own.
const OTHER_FILES: &str = "mitt_files";

/// Returns the schema of the arguments of `function`.
pub(super) fn arguments(function: &Function) -> Value {
    let exact = schema::arguments(function);
    inlined(written(lower(&exact, Dialect::Portable), exact))
}

/// Returns the schema of the response: the members of the result, or the result as `result`; and `files` if the function
/// `delivers` some.
pub(super) fn response(function: &Function, delivers: bool) -> Value {
    let mut schema = match schema::result(function) {
        None => json!({ "type": "object", "properties": {} }),
        Some(exact) => {
            let result = inlined(written(lower_result(&exact), exact));
            if is_wrapped(function) {
                json!({
                    "type": "object",
                    "properties": { RESULT: result },
                    "required": [RESULT],
                })
            } else {
                result
            }
        }
    };
    if delivers && let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(files_member(function).to_owned(), files());
    }
    schema
}

/// Returns `true` if the result of `function` stands in a member [`RESULT`], because it is not always an object, or an
/// object without room for a member of ours: a map can have any key.
pub(super) fn is_wrapped(function: &Function) -> bool {
    !matches!(
        function.success().map(Type::target),
        None | Some(Type::Record(_) | Type::Table | Type::TableHandle)
    )
}

/// Returns the member that lists the files in responses of `function`.
pub(super) fn files_member(function: &Function) -> &'static str {
    match function.success().map(Type::target) {
        Some(Type::Record(record)) if record.fields.iter().any(|it| it.key == FILES) => OTHER_FILES,
        _ => FILES,
    }
}

/// Returns `schema` with each reference to a definition at its root replaced by the definition. Arrays say what they hold,
/// even if it is anything, because generators of clients refuse others.
pub(super) fn inlined(mut schema: Value) -> Value {
    let definitions = schema.as_object_mut().and_then(|schema| schema.shift_remove("$defs"));
    let definitions = match definitions {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    inline(&mut schema, &definitions, 0);
    schema
}

/// Most definitions within definitions. Types are not recursive; this ends a mistake of ours.
const MOST_DEFINITIONS: usize = 64;

fn inline(schema: &mut Value, definitions: &Map<String, Value>, depth: usize) {
    match schema {
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str);
            let name = target.and_then(|target| target.strip_prefix("#/$defs/"));
            let name = name.map(|name| name.replace("~1", "/").replace("~0", "~"));
            if let Some(definition) = name.and_then(|name| definitions.get(&name))
                && depth < MOST_DEFINITIONS
            {
                let mut definition = definition.clone();
                inline(&mut definition, definitions, depth + 1);
                members.shift_remove("$ref");
                if let Value::Object(definition) = definition {
                    for (key, value) in definition {
                        // What stands beside a reference is about this place, such as its description.
                        members.entry(key).or_insert(value);
                    }
                }
            }
            let is_array = members.get("type").and_then(Value::as_str) == Some("array");
            if is_array && !members.contains_key("items") && !members.contains_key("prefixItems") {
                members.insert("items".to_owned(), json!({}));
            }
            for (key, member) in members.iter_mut() {
                if !matches!(key.as_str(), "const" | "default" | "enum" | "example" | "examples") {
                    inline(member, definitions, depth);
                }
            }
        }
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| inline(element, definitions, depth));
        }
        _ => {}
    }
}

/// Returns the schema of the list of files.
fn files() -> Value {
    json!({
        "description": "Files that were delivered.",
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "media_type": { "type": "string" },
                "size": { "description": "Bytes.", "type": "integer" },
                "url": { "description": "Link for a browser; expires.", "type": "string" },
                "file": { "description": "Id for arguments of later calls.", "type": "string" },
                "warnings": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["name", "media_type", "size", "url"],
        },
    })
}

fn written(lowered: Lowered, exact: Value) -> Value {
    match lowered.form {
        Form::Schema(schema) => schema,
        // The portable dialect is not a grammar.
        Form::Grammar(_) => exact,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use mitt::value::{Field, RecordType};

    fn function(result: Option<Type>) -> Function {
        Function { result, ..Function::default() }
    }

    fn record(keys: &[&str]) -> Type {
        let fields = keys.iter().map(|key| Field::new(*key, Type::U64, None)).collect();
        Type::Record(Arc::new(RecordType { name: "r".into(), docs: None, fields }))
    }

    #[test]
    fn every_response_is_an_object_with_room_for_files() {
        let list = Type::List(Arc::new(Type::U8));
        let map = Type::Map(Arc::new((Type::String, Type::Bool)));
        for (ty, expected) in [
            (None, vec!["files"]),
            (Some(record(&["size"])), vec!["size", "files"]),
            (Some(record(&["files"])), vec!["files", "mitt_files"]),
            (Some(Type::Table), vec!["columns", "rows", "files"]),
            (Some(Type::String), vec!["result", "files"]),
            (Some(list), vec!["result", "files"]),
            (Some(map), vec!["result", "files"]),
        ] {
            let schema = response(&function(ty.clone()), true);
            assert_eq!(schema["type"], "object", "{ty:?}");
            let properties = schema["properties"].as_object().unwrap();
            assert_eq!(properties.keys().collect::<Vec<_>>(), expected, "{ty:?}");
            let without = response(&function(ty), false);
            assert_eq!(without["properties"].as_object().unwrap().len(), expected.len() - 1);
        }
    }

    #[test]
    fn definitions_take_the_place_of_their_references() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": { "$ref": "#/$defs/pair", "description": "First." },
                "b": { "type": "array", "items": { "anyOf": [{ "$ref": "#/$defs/pair" }] } },
                "c": { "const": { "$ref": "#/$defs/pair" } },
            },
            "$defs": {
                "pair": { "type": "array", "items": { "$ref": "#/$defs/a~1b" }, "description": "Two." },
                "a/b": { "type": "integer" },
            },
        });
        let pair = |words: &str| json!({ "description": words, "type": "array", "items": { "type": "integer" } });
        assert_eq!(
            inlined(schema),
            json!({
                "type": "object",
                "properties": {
                    "a": pair("First."),
                    "b": { "type": "array", "items": { "anyOf": [pair("Two.")] } },
                    "c": { "const": { "$ref": "#/$defs/pair" } },
                },
            })
        );
    }

    #[test]
    fn arrays_say_what_they_hold() {
        let array = || json!({ "type": "array" });
        let tuple = json!({ "type": "array", "prefixItems": [{ "type": "string" }] });
        let properties = json!({ "type": array(), "a": { "anyOf": [array(), tuple] } });
        let any = json!({ "type": "array", "items": {} });
        assert_eq!(
            inlined(json!({ "type": "object", "properties": properties })),
            json!({
                "type": "object",
                "properties": { "type": any, "a": { "anyOf": [any, tuple] } },
            })
        );
    }

    #[test]
    fn arguments_of_large_types_have_no_references() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"];
        let fields =
            names.map(|name| Field::new(name, Type::Tuple([Type::U8].into()), None)).into();
        let large = Type::Record(Arc::new(RecordType { name: "large".into(), docs: None, fields }));
        let params = ["one", "two"].map(|name| Field::new(name, large.clone(), None)).into();
        let schema = arguments(&Function { params, ..Function::default() });
        assert!(!schema.to_string().contains("$ref"), "{schema}");
        assert_eq!(schema["properties"]["one"], schema["properties"]["two"]);
        assert_eq!(schema["properties"]["one"]["type"], "object");
    }
}
