//! Values for templates: those of JSON, with numbers as they were written, and dates.
//!
//! Knows neither workbooks nor text documents, which decide how a value is written.

use serde::{Deserialize, Serialize};

/// Most levels of a name such as `customer.address.city`, and of lists within lists.
pub(crate) const MAX_DEPTH: usize = 32;

/// A value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FillValue {
    /// Empty on purpose: the place becomes empty. A name without a value is a mistake instead.
    #[default]
    Empty,
    /// True or false.
    Bool(bool),
    /// A number in decimal notation as JSON has it, such as `-12.50` or `1e3`; every digit is kept.
    Number(String),
    /// Text. It is never a formula.
    Text(String),
    /// A date or a date with time in ISO 8601: `2026-01-31`, `2026-01-31T08:30:00`.
    Date(String),
    /// A sequence: records for repeated rows, or lists for the rows of a range.
    List(Vec<FillValue>),
    /// Named values, in the order in which they were given. The first of equal names counts.
    Record(Vec<(String, FillValue)>),
    /// Rows under named columns.
    Table(FillTable),
}

/// Rows under named columns. Missing cells at the end of a row are empty; cells beyond the columns are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillTable {
    /// Names of the columns from left to right.
    pub columns: Vec<String>,
    /// The rows from top to bottom.
    pub rows: Vec<Vec<FillValue>>,
}

/// All values for a template: a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FillValues {
    entries: Vec<(String, FillValue)>,
}

impl FillValues {
    /// Creates an empty record.
    pub fn new() -> FillValues {
        FillValues::default()
    }

    /// Sets the value of `name`, and replaces an earlier one.
    pub fn set(&mut self, name: impl Into<String>, value: FillValue) {
        let name = name.into();
        match self.entries.iter_mut().find(|(it, _)| *it == name) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((name, value)),
        }
    }

    /// Returns names and values, in the order in which they were given.
    pub fn entries(&self) -> &[(String, FillValue)] {
        &self.entries
    }

    /// Returns the value of a name, which may lead into records: `customer.city`. A name that exists as a whole, including
    /// its dots, takes precedence.
    pub fn get(&self, name: &str) -> Option<&FillValue> {
        field(&self.entries, name, 0)
    }

    /// Returns the memory that it occupies, approximately.
    pub fn kept_bytes(&self) -> u64 {
        self.entries.iter().map(|(name, value)| name.len() as u64 + value.kept_bytes()).sum()
    }
}

impl FromIterator<(String, FillValue)> for FillValues {
    fn from_iter<I: IntoIterator<Item = (String, FillValue)>>(entries: I) -> FillValues {
        FillValues { entries: entries.into_iter().collect() }
    }
}

impl FillValue {
    /// Returns the name of its kind for error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            FillValue::Empty => "nothing",
            FillValue::Bool(_) => "a boolean",
            FillValue::Number(_) => "a number",
            FillValue::Text(_) => "a text",
            FillValue::Date(_) => "a date",
            FillValue::List(_) => "a list",
            FillValue::Record(_) => "a record",
            FillValue::Table(_) => "a table",
        }
    }

    /// Returns `true` for a single value: no list, record or table.
    pub fn is_single(&self) -> bool {
        !matches!(self, FillValue::List(_) | FillValue::Record(_) | FillValue::Table(_))
    }

    /// Returns a single value as text, for use within a sentence; `None` for all others.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            FillValue::Empty => Some(""),
            FillValue::Bool(true) => Some("true"),
            FillValue::Bool(false) => Some("false"),
            FillValue::Number(text) | FillValue::Text(text) | FillValue::Date(text) => Some(text),
            FillValue::List(_) | FillValue::Record(_) | FillValue::Table(_) => None,
        }
    }

    /// Returns the value of a name within it, which may lead into records.
    pub fn get(&self, name: &str) -> Option<&FillValue> {
        match self {
            FillValue::Record(entries) => field(entries, name, 0),
            _ => None,
        }
    }

    /// Returns the number of rows of a list or a table; `None` for all others.
    pub fn row_count(&self) -> Option<usize> {
        match self {
            FillValue::List(items) => Some(items.len()),
            FillValue::Table(table) => Some(table.rows.len()),
            _ => None,
        }
    }

    /// Returns the memory that it occupies, approximately.
    pub fn kept_bytes(&self) -> u64 {
        const OWN: u64 = size_of::<FillValue>() as u64;
        OWN + match self {
            FillValue::Empty | FillValue::Bool(_) => 0,
            FillValue::Number(text) | FillValue::Text(text) | FillValue::Date(text) => {
                text.len() as u64
            }
            FillValue::List(items) => items.iter().map(FillValue::kept_bytes).sum(),
            FillValue::Record(entries) => entries
                .iter()
                .map(|(name, value)| 24 + name.len() as u64 + value.kept_bytes())
                .sum(),
            FillValue::Table(table) => {
                let columns: u64 = table.columns.iter().map(|it| 24 + it.len() as u64).sum();
                let rows = table.rows.iter().flatten().map(FillValue::kept_bytes);
                columns + rows.sum::<u64>()
            }
        }
    }
}

fn field<'a>(
    entries: &'a [(String, FillValue)],
    name: &str,
    depth: usize,
) -> Option<&'a FillValue> {
    let whole = entries.iter().find(|(it, _)| it == name);
    if let Some((_, value)) = whole {
        return Some(value);
    }
    if depth >= MAX_DEPTH {
        return None;
    }
    // The longest name that exists takes precedence: `a.b` before `a`.
    name.rmatch_indices('.').find_map(|(dot, _)| {
        let (first, rest) = (name.get(..dot)?, name.get(dot + 1..)?);
        let (_, value) = entries.iter().find(|(it, _)| it == first)?;
        match value {
            FillValue::Record(entries) => field(entries, rest, depth + 1),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> FillValue {
        FillValue::Text(text.into())
    }

    #[test]
    fn names_lead_into_records() {
        let city =
            FillValue::Record(vec![("城市".into(), text("上海")), ("a.b".into(), text("dots"))]);
        let mut values: FillValues =
            [("customer".into(), city), ("customer.x".into(), text("whole"))].into_iter().collect();
        assert_eq!(values.get("customer.城市"), Some(&text("上海")));
        assert_eq!(values.get("customer.a.b"), Some(&text("dots")));
        assert_eq!(values.get("customer.x"), Some(&text("whole")));
        for missing in ["", ".", "customer.", "customer.城市.x", "Customer", "customer..城市"] {
            assert_eq!(values.get(missing), None, "{missing}");
        }
        values.set("customer", FillValue::Empty);
        assert_eq!(values.entries().len(), 2);
        assert_eq!(values.get("customer"), Some(&FillValue::Empty));
        assert_eq!(values.get(&"customer.".repeat(10_000)), None);
    }

    #[test]
    fn values_travel_with_every_digit() {
        let table = FillTable {
            columns: vec!["n".into()],
            rows: vec![vec![FillValue::Number("1234567890123456789.10".into())]],
        };
        let values: FillValues = [
            ("t".to_owned(), FillValue::Table(table)),
            ("l".to_owned(), FillValue::List(vec![FillValue::Bool(true), FillValue::Empty])),
            ("d".to_owned(), FillValue::Date("2026-01-31".into())),
        ]
        .into_iter()
        .collect();
        let json = serde_json::to_string(&values).unwrap();
        assert_eq!(serde_json::from_str::<FillValues>(&json).unwrap(), values);
        assert!(values.kept_bytes() > 100);
    }
}
