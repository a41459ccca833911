//! Schemas as the protocol wants them: objects at the root, no `$schema`.
//!
//! Revision 2025-11-25 says that a schema without `$schema` is one of 2020-12, which ours are.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use mitt::schema;
use mitt::value::{Function, Type};

/// The member that holds a result which is no object.
pub(super) const RESULT: &str = "result";

/// Schema of the arguments of `function`.
pub(super) fn arguments(function: &Function) -> Arc<JsonObject> {
    Arc::new(object(schema::arguments(function)))
}

/// Schema of what a call of `function` gives, wrapped if it is no object; none if it gives nothing.
pub(super) fn result(function: &Function) -> Option<Arc<JsonObject>> {
    let schema = schema::result(function)?;
    Some(Arc::new(match is_wrapped(function) {
        true => wrapped(schema),
        false => object(schema),
    }))
}

/// Whether the result of `function` stands in a member [`RESULT`], because it is no object or not always one.
pub(super) fn is_wrapped(function: &Function) -> bool {
    match function.success().map(Type::target) {
        None | Some(Type::Record(_) | Type::Table) => false,
        Some(Type::Map(types)) => !matches!(types.0.target(), Type::String),
        Some(_) => true,
    }
}

/// `{"type": "object", "properties": {"result": …}}`. References are to the root, so that definitions move there.
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
        // A schema is an object or, in this place never, a boolean.
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
            (map(Type::String), false),
            (map(Type::U8), true),
        ] {
            let function = function(ty.clone());
            assert_eq!(is_wrapped(&function), expected, "{ty}");
            let schema = result(&function).unwrap();
            assert_eq!(schema["type"], "object", "{ty}");
            assert_eq!(
                schema.contains_key("required") && schema["properties"].get(RESULT).is_some(),
                expected
            );
        }
        assert_eq!(result(&Function::default()), None);
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
        let schema = result(&function(Type::List(Arc::new(pair)))).unwrap();
        assert!(schema["$defs"]["large"].is_object(), "{schema:?}");
        assert!(schema["properties"][RESULT].get("$defs").is_none());
    }
}
