//! Puts the names of the tables that exist into schemas.

use serde_json::{Map, Value, json};

/// Most names that are listed.
const MOST: usize = 200;

/// Lists `names` in `schema` wherever it accepts the name of a table, so that a decoder that follows the schema writes no other name.
/// Without names, tables can only be written in full. With more than 200 names the schema does not change.
pub fn name_tables(schema: &mut Value, names: &[String]) {
    if names.len() > MOST {
        return;
    }
    match schema {
        Value::Object(keywords) => {
            if let Some(Value::Array(branches)) = keywords.get_mut("anyOf")
                && branches.iter().any(is_columns_and_rows)
            {
                match names {
                    [] => branches.retain(|branch| !is_name(branch)),
                    names => {
                        for branch in branches.iter_mut().filter(|branch| is_name(branch)) {
                            branch["enum"] = json!(names);
                        }
                    }
                }
            }
            keywords.values_mut().for_each(|value| name_tables(value, names));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| name_tables(value, names)),
        _ => {}
    }
}

fn is_columns_and_rows(branch: &Value) -> bool {
    let properties = branch.get("properties").and_then(Value::as_object);
    properties.is_some_and(|it| it.keys().map(String::as_str).eq(["columns", "rows"]))
}

/// Returns `true` for a string without any constraint.
fn is_name(branch: &Value) -> bool {
    let says = |it: &Map<String, Value>| {
        it.keys().all(|key| ["type", "description"].contains(&key.as_str()))
    };
    branch["type"] == "string" && branch.as_object().is_some_and(says)
}
