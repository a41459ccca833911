//! JSON and other bytes with some of them changed.

use serde_json::{Map, Value, json};

use super::shape::Shape;

/// What may stand in place of a value, as text: not all of it is JSON.
const TEXTS: [&str; 12] = [
    "null",
    "1e999",
    "-0",
    "18446744073709551616",
    "1e-999999999999",
    "0.1e+",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "NaN",
    "[",
    "{\"a\":1,\"a\":2}",
    "\u{feff}1",
];

/// Returns JSON with one to four of its values changed, removed, doubled, or replaced by text that may be no JSON.
pub(super) fn damaged_json(body: &[u8], shape: &mut Shape<'_>) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        let mut body = body.to_vec();
        damaged_bytes(&mut body, shape);
        return body;
    };
    for _ in 0..=shape.below(3) {
        change(&mut value, shape);
    }
    let text = value.to_string();
    if shape.below(8) == 7 {
        let places: Vec<usize> = text.match_indices(':').map(|(at, _)| at + 1).collect();
        if let Some(at) = places.get(shape.below(places.len().max(1))) {
            let end = text[*at..].find([',', '}']).map_or(text.len(), |end| at + end);
            return format!("{}{}{}", &text[..*at], TEXTS[shape.below(12)], &text[end..])
                .into_bytes();
        }
    }
    text.into_bytes()
}

/// Changes a value somewhere within another.
pub(super) fn change(value: &mut Value, shape: &mut Shape<'_>) {
    match value {
        Value::Object(entries) if !entries.is_empty() && shape.below(4) != 0 => {
            let at = shape.below(entries.len());
            let key = entries.keys().nth(at).cloned().unwrap_or_default();
            match shape.below(10) {
                0 => drop(entries.remove(&key)),
                1 => {
                    let name = ["no_such", "", "\u{0}", "type", "__proto__"][shape.below(5)];
                    entries.insert(name.to_owned(), any(shape, 2));
                }
                2 | 3 => {
                    entries.insert(key, any(shape, 3));
                }
                _ => entries.get_mut(&key).into_iter().for_each(|it| change(it, shape)),
            }
        }
        Value::Array(items) if !items.is_empty() && shape.below(4) != 0 => {
            let at = shape.below(items.len());
            match shape.below(6) {
                0 => drop(items.remove(at)),
                1 => {
                    let item = items[at].clone();
                    items.extend(vec![item; 1 << shape.below(9)]);
                }
                _ => change(&mut items[at], shape),
            }
        }
        Value::String(text) if shape.flip() => {
            let mut bytes = std::mem::take(text).into_bytes();
            damaged_bytes(&mut bytes, shape);
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        other => *other = any(shape, 3),
    }
}

/// Returns any value.
pub(super) fn any(shape: &mut Shape<'_>, depth: usize) -> Value {
    const NUMBERS: [f64; 7] =
        [0.0, -1.0, 0.5, 1e300, 9_007_199_254_740_993.0, -0.0, 4_294_967_296.0];
    match shape.below(if depth == 0 { 7 } else { 10 }) {
        0 => Value::Null,
        1 => json!(shape.flip()),
        2 => json!(NUMBERS[shape.below(NUMBERS.len())]),
        3 => json!([u64::MAX, 0, 1, 65_536][shape.below(4)]),
        4 => {
            json!(["", "a", "\u{0}", "数据", "../x", "data:;base64,!", "\u{202e}"][shape.below(7)])
        }
        5 => json!("x".repeat(1 << shape.below(16))),
        6 => {
            // Deep, but not too deep for the parser.
            (0..shape.below(120)).fold(json!(1), |inner, at| match at % 2 {
                0 => json!([inner]),
                _ => json!({ "a": inner }),
            })
        }
        7 => (0..shape.below(4)).map(|_| any(shape, depth - 1)).collect(),
        8 => Value::Array(vec![json!("a"); 1 << shape.below(10)]),
        _ => {
            let keys = ["a", "type", "name", "text", "id", "url", "file"];
            let entry =
                |shape: &mut Shape<'_>| (keys[shape.below(7)].to_owned(), any(shape, depth - 1));
            Value::Object((0..shape.below(4)).map(|_| entry(shape)).collect::<Map<_, _>>())
        }
    }
}

/// Changes a few bytes, or cuts, doubles or removes a range.
pub(super) fn damaged_bytes(bytes: &mut Vec<u8>, shape: &mut Shape<'_>) {
    let length = bytes.len();
    let at = (shape.below(256) << 8 | shape.below(256)) % length.max(1);
    let end = (at + shape.below(32)).min(length);
    match shape.below(7) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let part = bytes[at..end].repeat(1 + shape.below(3));
            bytes.splice(at..at, part);
        }
        3 => bytes.iter_mut().skip(at).take(1).for_each(|it| *it = shape.below(256) as u8),
        4 => {
            let piece =
                ["\r\n", "\"", "--", "\u{0}", "{", "]", "\\", "数", ";", "="][shape.below(10)];
            bytes.splice(at..at, piece.bytes());
        }
        5 => {
            let deep =
                ["[", "{\"a\":", "\r\n--XX\r\n"][shape.below(3)].repeat(1 << shape.below(14));
            bytes.splice(at..at, deep.bytes());
        }
        _ => {
            let number = ["0", "-1", "99999999999999999999", "1e9", ""][shape.below(5)];
            let Some(start) = bytes.iter().skip(at).position(u8::is_ascii_digit) else { return };
            bytes.splice(at + start..at + start + 1, number.bytes());
        }
    }
}
