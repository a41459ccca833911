//! Removes members that were left out, which the author of a schema expects to be absent and not null.

use crate::value::{Field, Json, Type};

/// Returns `arguments` without the members that were left out.
pub fn without_absent(fields: &[Field], arguments: Json) -> Json {
    let Json::Object(entries) = arguments else { return arguments };
    let kept = entries.into_iter().filter_map(|(key, value)| {
        let field = fields.iter().find(|field| field.key == key)?;
        (field.required() || !matches!(value, Json::Null))
            .then(|| (key, without_absent_in(&field.ty, value)))
    });
    Json::Object(kept.collect())
}

/// Does what [`without_absent`] does for a value of this type.
pub fn without_absent_in(ty: &Type, value: Json) -> Json {
    match (ty.target(), value) {
        (Type::Record(record), value) => without_absent(&record.fields, value),
        (Type::Option(inner), value) => without_absent_in(inner, value),
        (Type::List(element), Json::Array(items)) => {
            Json::Array(items.into_iter().map(|item| without_absent_in(element, item)).collect())
        }
        (Type::Map(types), Json::Object(entries)) => {
            let entries =
                entries.into_iter().map(|(key, value)| (key, without_absent_in(&types.1, value)));
            Json::Object(entries.collect())
        }
        (_, value) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_not_sent() {
        let schema = serde_json::json!({
            "properties": {
                "a": {"type": "string"},
                "any": {},
                "need": {"type": ["string", "null"]},
                "list": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}},
            },
            "required": ["need"],
        });
        let fields = super::super::params(schema.as_object().unwrap()).unwrap();
        for (given, sent) in [
            (r#"{"a":null,"any":null,"need":null,"list":null}"#, r#"{"need":null}"#),
            (
                r#"{"a":"","any":{"k":null},"need":"n","list":[{"x":1,"y":null}]}"#,
                r#"{"a":"","any":{"k":null},"need":"n","list":[{"x":1}]}"#,
            ),
        ] {
            let given = Json::parse(given, 1_000, 10).unwrap();
            assert_eq!(without_absent(&fields, given).to_string(), sent);
        }
    }
}
