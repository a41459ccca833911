//! What the places of a template are filled with. Plain data.

use std::collections::BTreeMap;

use mitt_table::Table;

/// Values by the name of their place.
pub type Values = BTreeMap<String, Value>;

/// A value.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Value {
    /// None: its place stays empty.
    #[default]
    Null,
    /// Whether something holds; a part of the template can depend on it.
    Boolean(bool),
    /// A number, shown as it is written.
    Number(String),
    /// Text; a line end begins a new line.
    Text(String),
    /// Several, for a part that is repeated.
    List(Vec<Value>),
    /// Rows, for a part that is repeated; each has the names of the columns.
    Table(Table),
    /// Values by name: `customer.name`.
    Object(Values),
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Value {
        use serde_json::Value as Json;

        match value {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Boolean(value),
            Json::Number(number) => Value::Number(number.to_string()),
            Json::String(text) => Value::Text(text),
            Json::Array(items) => Value::List(items.into_iter().map(Value::from).collect()),
            Json::Object(entries) => {
                Value::Object(entries.into_iter().map(|(name, it)| (name, it.into())).collect())
            }
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}
