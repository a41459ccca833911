//! Calls as a model wrote them, read leniently.
//!
//! Knows tools only by their names, and corrects nothing that is ambiguous.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::super::arguments::{arguments, or_empty};

/// Stands for a missing name. There is no tool of this name, and the model gets an error that says so.
const UNNAMED: &str = "unnamed";

/// Most levels of lists of calls, and of objects around a call.
const LEVELS: usize = 16;

/// Keys for the name and the arguments of a call that models use. The first one is what the instructions say.
const NAMES: [&str; 3] = ["name", "tool", "function"];
const ARGUMENTS: [&str; 4] = ["arguments", "args", "parameters", "input"];

/// A call as it was written. `name` is empty if it is missing.
#[derive(Debug, Default, PartialEq)]
pub(super) struct WrittenCall {
    pub(super) name: String,
    pub(super) arguments: String,
}

impl WrittenCall {
    /// Fills in a missing name, given the tools.
    pub(super) fn of(mut self, tools: &[String]) -> WrittenCall {
        if self.name.is_empty() {
            // With only one tool, a call without a name means that one.
            self.name = match tools {
                [tool] => tool.clone(),
                _ => UNNAMED.to_owned(),
            };
        }
        self
    }
}

/// Returns the calls in a text that is nothing but objects, or lists of them, one behind the other. `None` if it is not
/// JSON.
pub(super) fn calls(text: &str) -> Option<Vec<WrittenCall>> {
    let repaired;
    let text = if is_values(text) {
        text
    } else {
        repaired = with_escapes(text);
        &repaired
    };
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        collect(value.ok()?, &mut found, LEVELS)?;
    }
    (!found.is_empty()).then_some(found)
}

/// Returns `true` if a text is JSON values and nothing else.
pub(super) fn is_values(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    values.all(|value| value.is_ok())
}

/// Returns text that cannot be read as a call. Its check says what is wrong with it.
pub(super) fn broken(text: &str) -> WrittenCall {
    let name = NAMES.iter().find_map(|key| {
        let (_, rest) = text.split_once(&format!("\"{key}\""))?;
        let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        let (name, _) = rest.split_once('"')?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
    });
    WrittenCall { name: name.unwrap_or_default(), arguments: text.trim().to_owned() }
}

/// Adds the calls in a value. `None` if it has more than `levels` levels.
fn collect(value: &RawValue, found: &mut Vec<WrittenCall>, levels: usize) -> Option<()> {
    if value.get().starts_with('[') {
        let levels = levels.checked_sub(1)?;
        let values: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
        return values.into_iter().try_for_each(|value| collect(value, found, levels));
    }
    found.push(call(value, levels)?);
    Some(())
}

/// Returns the call in an object.
fn call(value: &RawValue, levels: usize) -> Option<WrittenCall> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(value.get()).ok()?;
    let member = |keys: &[&str]| keys.iter().find_map(|key| members.get(*key).copied());
    let named = member(&NAMES);
    if let Some(inner) = named.filter(|value| value.get().starts_with('{')) {
        // The form of chat completions: `{"function": {"name": …, "arguments": …}}`.
        return call(inner, levels.checked_sub(1)?);
    }
    let name = named.and_then(|name| serde_json::from_str(name.get()).ok()).unwrap_or_default();
    let given = match member(&ARGUMENTS) {
        Some(value) => arguments(Some(value)),
        // Without a name, the object is the arguments.
        None if named.is_none() => value.get().to_owned(),
        None => String::new(),
    };
    Some(WrittenCall { name, arguments: or_empty(given) })
}

/// Escapes line breaks and tabs within strings, which most models forget in JSON.
fn with_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let (mut is_string, mut is_escape) = (false, false);
    for c in text.chars() {
        match c {
            '\n' if is_string => out.push_str("\\n"),
            '\r' if is_string => out.push_str("\\r"),
            '\t' if is_string => out.push_str("\\t"),
            _ => out.push(c),
        }
        (is_string, is_escape) = match c {
            '"' if !is_escape => (!is_string, false),
            '\\' if is_string => (true, !is_escape),
            _ => (is_string, false),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recursion was unlimited once: a hundred thousand levels aborted the process.
    #[test]
    fn calls_in_very_many_lists_and_objects_are_none() {
        let deep = |open: &str, close: &str, levels: usize| {
            calls(&(open.repeat(levels) + r#"{"name":"f"}"# + &close.repeat(levels)))
        };
        assert_eq!(deep("[", "]", 10).map(|it| it.len()), Some(1));
        assert_eq!(deep("{\"function\":", "}", 10).map(|it| it.len()), Some(1));
        assert_eq!(deep("[", "]", 200_000), None);
        assert_eq!(deep("{\"function\":", "}", 20_000), None);
    }
}
