//! Converts canonical values to the forms that a model would write: the inverse of what the host accepts besides them.

use crate::schema::lower::Dialect;
use crate::value::{Field, Type};
use serde_json::{Map, Value, json};

/// Returns canonical arguments in the form that `dialect` asks for.
pub(super) fn lowered(params: &[Field], arguments: &Value, dialect: Dialect) -> Value {
    let Value::Object(entries) = arguments else { panic!("expected an object, got {arguments}") };
    record(params, entries, dialect)
}

fn closed(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::OpenaiStrict | Dialect::AnthropicStrict | Dialect::Gemini)
}

fn record(fields: &[Field], entries: &Map<String, Value>, dialect: Dialect) -> Value {
    let mut written = Map::new();
    for field in fields {
        let key = field.key.as_str();
        match (entries.get(key), dialect) {
            (Some(Value::Null) | None, Dialect::AnthropicStrict) if !field.required() => {}
            (Some(value), _) => drop(written.insert(key.into(), one(&field.ty, value, dialect))),
            (None, Dialect::OpenaiStrict) => drop(written.insert(key.into(), Value::Null)),
            (None, _) => {}
        }
    }
    Value::Object(written)
}

fn payload(tag: &str, ty: Option<&Type>, value: &Value, dialect: Dialect) -> Value {
    let field = ty.map(|ty| Field::new("val", ty.clone(), None));
    let Value::Object(entries) = value else { panic!("expected an object, got {value}") };
    let mut written = record(field.as_slice(), entries, dialect);
    written.as_object_mut().unwrap().shift_insert(0, "tag".into(), tag.into());
    written
}

fn one(ty: &Type, value: &Value, dialect: Dialect) -> Value {
    match (ty, value) {
        (Type::Alias(it), value) => one(&it.ty, value, dialect),
        (Type::Narrowed(it), value) => one(&it.ty, value, dialect),
        (Type::U64 | Type::S64, Value::String(_))
            if matches!(dialect, Dialect::Ollama | Dialect::Portable) =>
        {
            value.clone()
        }
        (Type::U64, Value::String(digits)) => digits.parse::<u64>().unwrap().into(),
        (Type::S64, Value::String(digits)) => digits.parse::<i64>().unwrap().into(),
        (Type::Decimal, Value::Number(number)) if dialect == Dialect::AnthropicStrict => {
            number.to_string().into()
        }
        (Type::Table, Value::Array(rows))
            if closed(dialect) || matches!(dialect, Dialect::Portable | Dialect::Gbnf) =>
        {
            columns_and_rows(rows)
        }
        (Type::List(ty) | Type::FixedList(ty, _), Value::Array(items)) => {
            items.iter().map(|item| one(ty, item, dialect)).collect()
        }
        (Type::Tuple(types), Value::Array(items)) => {
            let items = types.iter().zip(items).map(|(ty, item)| one(ty, item, dialect));
            match dialect {
                Dialect::OpenaiStrict | Dialect::AnthropicStrict | Dialect::Ollama => {
                    Value::Object(items.enumerate().map(|(at, it)| (at.to_string(), it)).collect())
                }
                _ => items.collect(),
            }
        }
        (Type::Map(types), Value::Object(entries)) => {
            let entries = entries.iter().map(|(key, value)| (key, one(&types.1, value, dialect)));
            if closed(dialect) {
                entries.map(|(key, value)| json!({"key": key, "value": value})).collect()
            } else {
                Value::Object(entries.map(|(key, value)| (key.clone(), value)).collect())
            }
        }
        (Type::Map(types), Value::Array(pairs)) => {
            let fields = [
                Field::new("key", types.0.clone(), None),
                Field::new("value", types.1.clone(), None),
            ];
            let pairs =
                pairs.iter().map(|pair| record(&fields, pair.as_object().unwrap(), dialect));
            pairs.collect()
        }
        (Type::Record(it), Value::Object(entries)) => record(&it.fields, entries, dialect),
        (Type::Flags(it), Value::Array(set)) => {
            let set = |name: &str| set.contains(&Value::from(name));
            let names = it.flags.iter().map(|flag| flag.name.as_str());
            if matches!(dialect, Dialect::Gbnf | Dialect::Portable) {
                names.filter(|name| set(name)).collect()
            } else {
                Value::Object(names.map(|name| (name.into(), set(name).into())).collect())
            }
        }
        (Type::Option(_), Value::Null) => Value::Null,
        (Type::Option(inner), value) if inner.admits_null() => {
            payload("some", Some(inner), value, dialect)
        }
        (Type::Option(inner), value) => one(inner, value, dialect),
        (Type::Variant(it), value) => {
            let tag = value["tag"].as_str().unwrap();
            let case = it.cases.iter().find(|case| case.name == tag).unwrap();
            payload(tag, case.ty.as_ref(), value, dialect)
        }
        (Type::Result(types), value) => {
            let tag = value["tag"].as_str().unwrap();
            let ty = if tag == "ok" { &types.0 } else { &types.1 };
            payload(tag, ty.as_ref(), value, dialect)
        }
        (_, value) => value.clone(),
    }
}

/// Returns a table of objects as columns and rows: columns in the order of their first appearance, null for missing cells.
fn columns_and_rows(objects: &[Value]) -> Value {
    let mut columns: Vec<String> = Vec::new();
    for object in objects {
        for key in object.as_object().unwrap().keys() {
            if !columns.contains(key) {
                columns.push(key.clone());
            }
        }
    }
    let row = |object: &Value| columns.iter().map(|it| object[it].clone()).collect::<Value>();
    let rows: Vec<Value> = objects.iter().map(row).collect();
    json!({"columns": columns, "rows": rows})
}
