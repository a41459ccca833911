//! Schemas in the form of the protocol: objects at the root, no `$schema`, in a subset that clients can read.
//!
//! Revision 2025-11-25 says that a schema without `$schema` is in JSON Schema 2020-12, as ours are. Clients validate
//! results, so the schemas of results match what [`results`](super::results) returns in every form.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::files;
use super::options::Schemas;
use mitt::schema;
use mitt::schema::lower::{Dialect, Form, Lowered, lower, lower_result};
use mitt::value::{Function, Type};

/// The member for a result that is not an object.
pub(super) const RESULT: &str = "result";

/// Returns the schema of the arguments of `function`.
pub(super) fn arguments(function: &Function, how: Schemas) -> Arc<JsonObject> {
    let exact = schema::arguments(function);
    Arc::new(object(match how {
        Schemas::Portable => written(lower(&exact, Dialect::Portable), exact),
        Schemas::Strict => written(lower(&exact, Dialect::OpenaiStrict), exact),
        Schemas::Exact => exact,
    }))
}

/// Adds `nullable` to optional parameters. smolagents treats every other parameter as required, whatever `required` says.
/// Ajv refuses the keyword beside a union, so it is only for clients of the Python SDK.
pub(super) fn with_nullable(schema: &JsonObject) -> JsonObject {
    let mut schema = schema.clone();
    let required: Vec<String> = match schema.get("required") {
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties {
            if let (false, Some(property)) = (required.contains(name), property.as_object_mut()) {
                property.insert("nullable".to_owned(), true.into());
            }
        }
    }
    schema
}

/// Returns the schema of the result of `function`, wrapped if the result is not an object; `None` if there is no result. If
/// the function `delivers` files, the result lists them.
pub(super) fn result(function: &Function, how: Schemas, delivers: bool) -> Option<Arc<JsonObject>> {
    let exact = schema::result(function)?;
    let schema = match how {
        Schemas::Portable | Schemas::Strict => written(lower_result(&exact), exact),
        Schemas::Exact => exact,
    };
    let mut schema = if is_wrapped(function) { wrapped(schema) } else { object(schema) };
    if delivers && let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(files::member(function).to_owned(), files::schema());
    }
    Some(Arc::new(schema))
}

/// Returns `lowered` as a schema.
fn written(lowered: Lowered, exact: Value) -> Value {
    match lowered.form {
        Form::Schema(schema) => schema,
        // None of the dialects used here is a grammar.
        Form::Grammar(_) => exact,
    }
}

/// Returns `true` if the result of `function` stands in a member [`RESULT`], because it is not always an object, or an
/// object without room for a member of ours: a map can have any key.
pub(super) fn is_wrapped(function: &Function) -> bool {
    !matches!(
        function.success().map(Type::target),
        None | Some(Type::Record(_) | Type::Table | Type::TableHandle)
    )
}

/// Returns `{"type": "object", "properties": {"result": …}}`. References start at the root, so definitions move there.
fn wrapped(mut schema: Value) -> JsonObject {
    let definitions = schema.as_object_mut().and_then(|schema| schema.shift_remove("$defs"));
    let mut outer = object(json!({
        "type": "object",
        "properties": { RESULT: schema },
        "required": [RESULT],
        "additionalProperties": false,
    }));
    if let Some(definitions) = definitions {
        outer.insert("$defs".into(), definitions);
    }
    outer
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(schema) => schema,
        // A schema is an object or a boolean, and here never a boolean.
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt::value::{Field, RecordType};

    fn function(result: Type) -> Function {
        Function { result: Some(result), ..Function::default() }
    }

    #[test]
    fn what_may_be_left_out_is_nullable_on_request() {
        let schema = object(json!({
            "type": "object",
            "properties": { "a": { "type": "string" }, "b": { "anyOf": [{ "type": "string" }, { "type": "null" }] } },
            "required": ["a"],
        }));
        let nullable = with_nullable(&schema);
        assert_eq!(nullable["properties"]["a"], json!({ "type": "string" }));
        assert_eq!(nullable["properties"]["b"]["nullable"], true);
    }

    #[test]
    fn what_is_no_object_is_wrapped() {
        let record = Type::Record(Arc::new(RecordType {
            name: "r".into(),
            docs: None,
            fields: vec![Field::new("a", Type::U8, None)],
        }));
        let map = |key| Type::Map(Arc::new((key, Type::Bool)));
        let either = Type::Result(Arc::new((Some(record.clone()), Some(Type::String))));
        for (ty, expected) in [
            (Type::String, true),
            (Type::Cell, true),
            (Type::Table, false),
            (record.clone(), false),
            (either, false),
            (Type::Option(Arc::new(record.clone())), true),
            (Type::List(Arc::new(record)), true),
            (map(Type::String), true),
            (map(Type::U8), true),
        ] {
            let function = function(ty.clone());
            assert_eq!(is_wrapped(&function), expected, "{ty}");
            let schema = result(&function, Schemas::Exact, false).unwrap();
            assert_eq!(schema["type"], "object", "{ty}");
            assert_eq!(
                schema.contains_key("required") && schema["properties"].get(RESULT).is_some(),
                expected
            );
        }
        assert_eq!(result(&Function::default(), Schemas::Portable, true), None);
    }

    #[test]
    fn definitions_stay_at_the_root() {
        let field = |name: &str, ty: &Type| Field::new(name, ty.clone(), None);
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"];
        let large = Type::Record(Arc::new(RecordType {
            name: "large".into(),
            docs: None,
            fields: names.map(|name| Field::new(name, Type::Tuple([Type::U8].into()), None)).into(),
        }));
        let pair = Type::Record(Arc::new(RecordType {
            name: "pair".into(),
            docs: None,
            fields: vec![field("one", &large), field("two", &large)],
        }));
        let function = function(Type::List(Arc::new(pair)));
        let schema = result(&function, Schemas::Exact, false).unwrap();
        assert!(schema["$defs"]["large"].is_object(), "{schema:?}");
        assert!(schema["properties"][RESULT].get("$defs").is_none());
    }

    #[test]
    fn files_have_a_place_in_what_can_deliver_them() {
        let record = |key: &str| {
            let fields = vec![Field::new(key, Type::U64, None)];
            Type::Record(Arc::new(RecordType { name: "r".into(), docs: None, fields }))
        };
        let properties = |ty: Type, how: Schemas, delivers: bool| -> Vec<String> {
            let schema = result(&function(ty), how, delivers).unwrap();
            schema["properties"].as_object().unwrap().keys().cloned().collect()
        };
        for how in [Schemas::Portable, Schemas::Strict, Schemas::Exact] {
            assert_eq!(properties(record("size"), how, true), ["size", "files"]);
            assert_eq!(properties(record("size"), how, false), ["size"]);
            assert_eq!(properties(record("files"), how, true), ["files", "mitt_files"]);
            assert_eq!(properties(Type::Table, how, true), ["columns", "rows", "files"]);
            assert_eq!(properties(Type::String, how, true), ["result", "files"]);
        }
    }

    #[test]
    fn strict_is_of_arguments_alone() {
        let optional = Field::new("a", Type::Option(Arc::new(Type::U64)), None);
        let function = Function { params: vec![optional], ..function(Type::U64) };
        let required = |how: Schemas| arguments(&function, how)["required"].clone();
        assert_eq!(required(Schemas::Portable), json!([]));
        assert_eq!(required(Schemas::Exact), json!([]));
        assert_eq!(required(Schemas::Strict), json!(["a"]));
        let text = |how: Schemas| json!(result(&function, how, false)).to_string();
        assert_eq!(text(Schemas::Strict), text(Schemas::Portable));
        assert!(!text(Schemas::Portable).contains("18446744073709551615"));
        assert!(text(Schemas::Exact).contains("18446744073709551615"));
    }
}
