//! Names of tables in schemas: which there are, where somebody knows it.

use serde_json::{Map, Value, json};

/// Most names that are listed; with more of them a schema says nothing of names.
const MOST: usize = 200;

/// Says in `schema` which names of tables can be given, wherever a table can be given by its name: a decoder that follows the schema
/// writes no other. Without a name, tables can only be spelled out. With more than 200 names the schema stays as it is.
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

/// Whether it is a text of which nothing is said but words.
fn is_name(branch: &Value) -> bool {
    let says = |it: &Map<String, Value>| {
        it.keys().all(|key| ["type", "description"].contains(&key.as_str()))
    };
    branch["type"] == "string" && branch.as_object().is_some_and(says)
}
