//! Sentences that tell a model what its decoder does not enforce.
//!
//! Each is a fragment that fits after "must be" or after a dash, without a final period.

use super::shape::{Flags, Integer, List, Range, Text};
use serde_json::{Number, Value};

/// Longest value that a sentence quotes, in characters.
const MAX_VALUE: usize = 200;

pub(super) const NO_ITEM_TWICE: &str = "no item twice";
pub(super) const BASE64: &str = "base64 with padding";

/// Returns `value` as compact JSON, cut if it is long.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Describes a keyword that no shape can hold.
pub(super) fn keyword(keyword: &str, value: &Value) -> String {
    format!("what the JSON Schema keyword `{keyword}` says: {}", shown(value))
}

pub(super) fn one_of(values: &[Value]) -> String {
    format!("one of {}", shown(&Value::Array(values.to_vec())))
}

/// Describes the bounds of an integer that are set.
pub(super) fn integer(integer: &Integer) -> Vec<String> {
    let mut said = Vec::new();
    match (integer.minimum, integer.maximum) {
        (Some(low), Some(high)) => said.push(format!("an integer from {low} to {high}")),
        (Some(low), None) => said.push(format!("at least {low}")),
        (None, Some(high)) => said.push(format!("at most {high}")),
        (None, None) => {}
    }
    said.extend(integer.multiple_of.as_ref().map(multiple));
    said
}

/// Describes the bounds of a number that are set.
pub(super) fn range(range: &Range) -> Vec<String> {
    let mut said = Vec::new();
    let limit = |limit: &Option<Number>| limit.as_ref().and_then(Number::as_f64);
    let mut range = range.clone();
    if limit(&range.maximum) == Some(f32::MAX.into())
        && limit(&range.minimum) == Some(f32::MIN.into())
    {
        (range.minimum, range.maximum) = (None, None);
        said.push("a number that 32 bits can hold".to_owned());
    }
    let mut say = |words: &str, limit: &Option<Number>| {
        said.extend(limit.as_ref().map(|limit| format!("{words} {limit}")));
    };
    say("at least", &range.minimum);
    say("greater than", &range.exclusive_minimum);
    say("at most", &range.maximum);
    say("less than", &range.exclusive_maximum);
    said.extend(range.multiple_of.as_ref().map(multiple));
    said
}

fn multiple(step: &Number) -> String {
    format!("a multiple of {step}")
}

/// Describes the constraints of a text that are set.
pub(super) fn text(text: &Text) -> Vec<String> {
    let mut said: Vec<String> = length(text.min, text.max, "character").into_iter().collect();
    said.extend(
        text.patterns.iter().map(|it| format!("text that matches the regular expression {it}")),
    );
    said.extend(text.format.iter().map(|it| format!("in the format {it}")));
    if text.base64 {
        said.push(BASE64.to_owned());
    }
    said
}

pub(super) fn list(list: &List) -> Vec<String> {
    let mut said: Vec<String> = length(list.min, list.max, "item").into_iter().collect();
    if list.unique {
        said.push(NO_ITEM_TWICE.to_owned());
    }
    said
}

pub(super) fn flags(flags: &Flags) -> Option<String> {
    let max = flags.max.filter(|it| *it < flags.names.len() as u64);
    length(flags.min, max, "flag").map(|it| format!("{it} set"))
}

/// Returns "at most 64 characters" or "exactly 1 item"; `None` if every length is allowed.
pub(super) fn length(min: u64, max: Option<u64>, noun: &str) -> Option<String> {
    let counted = |count: u64| {
        let ending = if count == 1 { "" } else { "s" };
        format!("{count} {noun}{ending}")
    };
    match (min, max) {
        (0, None) => None,
        (0, Some(max)) => Some(format!("at most {}", counted(max))),
        (min, None) => Some(format!("at least {}", counted(min))),
        (min, Some(max)) if min == max => Some(format!("exactly {}", counted(min))),
        (min, Some(max)) => Some(format!("{min} to {}", counted(max))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_allows_everything_is_not_said() {
        let said = |min, max| flags(&Flags { names: vec!["a".into(), "b".into()], min, max });
        assert_eq!(said(0, Some(1)).as_deref(), Some("at most 1 flag set"));
        assert_eq!(said(1, Some(2)).as_deref(), Some("at least 1 flag set"));
        assert_eq!(said(0, Some(2)), None);
        assert_eq!(said(0, None), None);
    }
}
