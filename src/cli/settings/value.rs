//! The value of a setting, and its origin.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

use mitt_base::limits::{KIB, MIB};

/// The value of a setting; of a list, one of its items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Path(PathBuf),
    Number(u64),
    /// In bytes.
    Size(u64),
    Time(Duration),
    Switch(bool),
}

impl Value {
    /// Returns `true` if it is lower than another value of the same form.
    pub(super) fn is_below(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Number(this), Value::Number(other))
            | (Value::Size(this), Value::Size(other)) => this < other,
            (Value::Time(this), Value::Time(other)) => this < other,
            _ => false,
        }
    }

    /// Returns the value as JSON, which is valid in a file too.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Text(text) => json!(text),
            Value::Path(path) => json!(path.to_string_lossy()),
            Value::Number(number) => json!(number),
            Value::Size(bytes) => json!(size(*bytes)),
            Value::Time(time) => json!(duration(*time)),
            Value::Switch(on) => json!(on),
        }
    }
}

impl fmt::Display for Value {
    /// Writes the value as in a file: JSON strings are TOML strings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_json().fmt(f)
    }
}

/// Returns a size in the largest unit without a remainder.
fn size(bytes: u64) -> String {
    let units = [(1024 * MIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")];
    let unit = units.into_iter().find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit));
    unit.map_or(bytes.to_string(), |(unit, name)| format!("{}{name}", bytes / unit))
}

fn duration(time: Duration) -> String {
    let millis = time.as_millis();
    let units = [(3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let unit = units.into_iter().find(|(unit, _)| millis > 0 && millis.is_multiple_of(*unit));
    unit.map_or(format!("{millis}ms"), |(unit, name)| format!("{}{name}", millis / unit))
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Built in.
    Default,
    /// The user's own file.
    User { file: PathBuf, line: usize },
    /// The project's file.
    Project { file: PathBuf, line: usize },
    /// A variable of the environment.
    Environment(&'static str),
    /// An option of this command line, without its dashes.
    Option(&'static str),
}

impl Origin {
    /// Returns the line of the file, if it comes from one.
    pub(super) fn line(&self) -> Option<usize> {
        match self {
            Origin::User { line, .. } | Origin::Project { line, .. } => Some(*line),
            Origin::Default | Origin::Environment(_) | Origin::Option(_) => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::User { file, line } | Origin::Project { file, line } => {
                write!(f, "{}:{line}", file.display())
            }
            Origin::Environment(variable) => write!(f, "environment {variable}"),
            Origin::Option(name) => write!(f, "flag --{name}"),
        }
    }
}

/// A value with its origin.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SettingValue {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_files_have_them() {
        for (value, expected) in [
            (Value::Size(4 << 30), r#""4GiB""#),
            (Value::Size(1536), r#""1536""#),
            (Value::Size(64 << 20), r#""64MiB""#),
            (Value::Time(Duration::from_secs(1800)), r#""30m""#),
            (Value::Time(Duration::from_millis(1500)), r#""1500ms""#),
            (Value::Text("a\"b".to_owned()), r#""a\"b""#),
            (Value::Switch(true), "true"),
        ] {
            assert_eq!(value.to_string(), expected);
        }
    }
}
