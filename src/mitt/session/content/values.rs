//! Results that later calls can refer to instead of repeating them: `{"$ref": "call-3"}`, `{"$ref": "call-3#/total"}`.
//!
//! Only long results are kept and named to the model; a short one is just as quickly repeated. A reference must be a whole
//! argument: deeper text may be copied from a document, and documents must not be able to refer to results. Tables have
//! references of their own, in `results.rs`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;

use mitt_base::limits::MIB;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, ErrorKind, Resource, Result, SessionLimits, lock, text};
use mitt_wit::value::Json;

/// Shortest result that is kept, in bytes of its JSON.
const LONG: usize = 1_000;
/// Most results that are kept, and most bytes of all of them.
const KEPT: usize = 32;
const KEPT_BYTES: u64 = 8 * MIB;
/// Most bytes of a name that an error shows, and most members and names that it lists.
const SHOWN: usize = 64;
const LISTED: usize = 12;

/// Kept results by the numbers of their calls.
#[derive(Default)]
pub(in crate::session) struct Values(Mutex<BTreeMap<u64, (String, Charge)>>);

impl Values {
    /// Keeps the result of a call if it is long and `account` has memory for it. Returns its name then.
    pub(in crate::session) fn keep(
        &self,
        call: u64,
        result: &Json,
        account: &Account,
    ) -> Option<String> {
        if table_name(result).is_some() {
            return None;
        }
        let written = result.to_string();
        let bytes = written.len() as u64;
        if written.len() < LONG || bytes > KEPT_BYTES {
            return None;
        }
        let charge = account.charge(bytes).ok()?;
        let mut kept = lock(&self.0);
        kept.insert(call, (written, charge));
        let held = |kept: &BTreeMap<u64, (String, Charge)>| {
            kept.values().map(|(_, charge)| charge.bytes()).sum::<u64>()
        };
        while kept.len() > KEPT || held(&kept) > KEPT_BYTES {
            kept.pop_first();
        }
        Some(name(call))
    }

    /// Returns `arguments` with references replaced by the results that they name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - there is no such result, or no such part of it. [`ErrorKind::Limit`] - the results are too long
    /// together.
    pub(in crate::session) fn put_in<'a>(
        &self,
        arguments: &'a str,
        limits: &SessionLimits,
    ) -> Result<Cow<'a, str>> {
        let is_long = arguments.len() as u64 > limits.arguments_bytes;
        if is_long || !arguments.contains("\"call-") {
            return Ok(arguments.into());
        }
        // Invalid JSON is reported when the call itself parses it.
        let parsed = Json::parse(arguments, limits.arguments_bytes, limits.arguments_depth);
        let Ok(Json::Object(mut members)) = parsed else { return Ok(arguments.into()) };
        let (mut problems, mut bytes, mut count) = (Vec::new(), arguments.len() as u64, 0);
        for (key, argument) in &mut members {
            let Some((call, pointer)) = named(argument) else { continue };
            count += 1;
            match self.value(call, pointer) {
                Ok((value, size)) => {
                    // Checked before the next one is inserted, since there may be many references.
                    bytes = bytes.saturating_add(size);
                    if bytes > limits.arguments_bytes {
                        return Err(Error::limit(
                            Resource::Arguments,
                            limits.arguments_bytes,
                            bytes,
                        )
                        .hint("name a part of the result: {\"$ref\": \"call-3#/part\"}"));
                    }
                    *argument = value;
                }
                Err(why) => {
                    problems
                        .push(format!("/{}: {why}", text::one_line(text::cut_bytes(key, SHOWN))));
                }
            }
        }
        if problems.is_empty() {
            return Ok(match count {
                0 => arguments.into(),
                _ => Json::Object(members).to_string().into(),
            });
        }
        let error =
            Error::new(ErrorKind::Arguments, "an argument names a result that is not there");
        Err(problems.into_iter().fold(error, Error::detail))
    }

    /// Returns a kept result or a part of it, and the length of its JSON.
    fn value(&self, call: u64, pointer: &str) -> Result<(Json, u64), String> {
        let kept = lock(&self.0);
        let Some((written, charge)) = kept.get(&call) else {
            let names: Vec<String> = kept.keys().rev().take(LISTED).map(|it| name(*it)).collect();
            return Err(match &names[..] {
                [] => format!("no result `{}` is kept; write the value out", name(call)),
                names => {
                    format!("no result `{}` is kept; there are {}", name(call), names.join(", "))
                }
            });
        };
        let whole = Json::parse(written, charge.bytes(), Json::MAX_DEPTH)
            .map_err(|_| "the result cannot be named".to_owned())?;
        drop(kept);
        let part = part(whole, pointer)?;
        let part = match table_name(&part) {
            Some(table) => Json::object([("$ref", Json::from(table))]),
            None => part,
        };
        let size = part.to_string().len() as u64;
        Ok((part, size))
    }
}

fn name(call: u64) -> String {
    format!("call-{call}")
}

/// Returns the reference of the table, if the result is one.
fn table_name(result: &Json) -> Option<&str> {
    result.get("$ref").and_then(Json::as_str).filter(|name| name.starts_with("t:"))
}

/// Parses an argument such as `{"$ref": "call-3#/total"}` to `3` and `/total`.
fn named(argument: &Json) -> Option<(u64, &str)> {
    let Json::Object(members) = argument else { return None };
    let [(key, Json::String(name))] = &members[..] else { return None };
    let (call, pointer) = name.split_once('#').unwrap_or((name, ""));
    let digits = call.strip_prefix("call-").filter(|_| key == "$ref")?;
    Some((digits.bytes().all(|it| it.is_ascii_digit()).then(|| digits.parse().ok())??, pointer))
}

/// Returns the part of `value` that a JSON pointer (RFC 6901) names.
fn part(mut value: Json, pointer: &str) -> Result<Json, String> {
    let mut walked = String::new();
    for step in pointer.split('/').skip(1) {
        let key = step.replace("~1", "/").replace("~0", "~");
        let (found, has) = match value {
            Json::Object(members) => {
                let keys: Vec<String> = members.iter().map(|(key, _)| key.clone()).collect();
                let found = members.into_iter().find(|(it, _)| *it == key).map(|(_, value)| value);
                (found, listed(&keys))
            }
            Json::Array(items) => {
                let has = format!("{} items, from 0", items.len());
                let at = key.parse::<usize>().ok();
                (at.and_then(|at| items.into_iter().nth(at)), has)
            }
            other => (None, format!("no parts: it is a {}", other.kind())),
        };
        let Some(found) = found else {
            let key = text::one_line(text::cut_bytes(&key, SHOWN));
            let place = if walked.is_empty() { "the result" } else { &walked };
            return Err(format!("{place} has no `{key}`; it has {has}"));
        };
        walked.push('/');
        walked.push_str(&text::one_line(text::cut_bytes(step, SHOWN)));
        value = found;
    }
    if pointer.is_empty() || pointer.starts_with('/') {
        Ok(value)
    } else {
        Err("a part is named by a JSON pointer, such as `#/items/0`".to_owned())
    }
}

fn listed(keys: &[String]) -> String {
    if keys.is_empty() {
        return "no members".to_owned();
    }
    let mut names: Vec<String> =
        keys.iter().take(LISTED).map(|key| text::one_line(text::cut_bytes(key, SHOWN))).collect();
    if keys.len() > LISTED {
        names.push("…".to_owned());
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text, 10_000, 20).unwrap()
    }

    #[test]
    fn only_a_whole_argument_is_a_name() {
        assert_eq!(named(&json(r#"{"$ref": "call-3"}"#)), Some((3, "")));
        assert_eq!(named(&json(r#"{"$ref": "call-12#/a/0"}"#)), Some((12, "/a/0")));
        for other in [
            r#"{"$ref": "t:3"}"#,
            r#"{"$ref": "call-"}"#,
            r#"{"$ref": "call-+3"}"#,
            r#"{"$ref": "call-3", "a": 1}"#,
            r#"{"ref": "call-3"}"#,
            r#""call-3""#,
            r#"[{"$ref": "call-3"}]"#,
        ] {
            assert_eq!(named(&json(other)), None, "{other}");
        }
    }

    #[test]
    fn only_the_last_long_results_are_kept_and_memory_is_given_back() {
        let account = Account::root(Resource::SessionMemory, 64 * MIB);
        let values = Values::default();
        assert_eq!(values.keep(1, &json(r#""short""#), &account), None);
        let table = format!(r#"{{"$ref": "t:1", "columns": ["{}"]}}"#, "x".repeat(LONG));
        assert_eq!(values.keep(1, &json(&table), &account), None, "a table has a name");
        let large = Json::from("x".repeat(5 << 20));
        assert_eq!(values.keep(1, &large, &account).as_deref(), Some("call-1"));
        values.keep(2, &large, &account);
        assert_eq!(lock(&values.0).keys().collect::<Vec<_>>(), [&2], "8 MiB together");
        let long = Json::from("x".repeat(LONG));
        (3..100).for_each(|call| assert!(values.keep(call, &long, &account).is_some()));
        assert_eq!(lock(&values.0).len(), KEPT);
        assert!(account.usage().used < 100_000, "{:?}", account.usage());
        let poor = Account::root(Resource::SessionMemory, 100);
        assert_eq!(values.keep(100, &long, &poor), None);
    }

    #[test]
    fn many_names_do_not_multiply_a_result() {
        let account = Account::root(Resource::SessionMemory, 64 * MIB);
        let values = Values::default();
        values.keep(1, &Json::from("x".repeat(1 << 20)), &account);
        let named: Vec<_> = (0..9).map(|n| format!(r#""a{n}": {{"$ref": "call-1"}}"#)).collect();
        let limits = SessionLimits { arguments_bytes: 4 << 20, ..SessionLimits::default() };
        let put_in = |n: usize| {
            values.put_in(&format!("{{{}}}", named[..n].join(",")), &limits).map(|it| it.len())
        };
        assert!(put_in(3).unwrap() > 3 << 20);
        let error = put_in(9).unwrap_err();
        assert_eq!(error.kind().name(), "limit");
        assert!(error.render().contains("name a part"), "{}", error.render());
    }

    #[test]
    fn a_pointer_finds_its_part_or_says_what_is_there() {
        let value = || json(r#"{"a/b": [1, {"~": 0.10}], "c": {}, "d": "text"}"#);
        let found = |pointer| part(value(), pointer);
        assert_eq!(found("").unwrap(), value());
        assert_eq!(found("/a~1b/1/~0").unwrap().to_string(), "0.10");
        insta::assert_snapshot!(found("/x").unwrap_err(), @"the result has no `x`; it has a/b, c, d");
        insta::assert_snapshot!(found("/a~1b/2").unwrap_err(), @"/a~1b has no `2`; it has 2 items, from 0");
        insta::assert_snapshot!(found("/c/x").unwrap_err(), @"/c has no `x`; it has no members");
        insta::assert_snapshot!(found("/d/0").unwrap_err(), @"/d has no `0`; it has no parts: it is a string");
        insta::assert_snapshot!(found("a").unwrap_err(), @"a part is named by a JSON pointer, such as `#/items/0`");
    }
}
