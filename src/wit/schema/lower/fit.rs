//! Shortens descriptions where a schema would be too large for a client, which would then drop all of them.
//!
//! Constraints stay: only words are removed, first those that are repeated elsewhere. Knows no shapes and no dialects.

use super::{Loss, LossKind};
use serde_json::Value;

/// Largest schema, in bytes of compact JSON. Codex removes all descriptions from a schema of more than 5 000 bytes, and
/// modifies the schema slightly before it measures.
pub(super) const MAX_BYTES: usize = 4_900;

/// Ways to shorten a description, mildest first.
const STEPS: [fn(&str) -> String; 4] =
    [without_types, shorter_labels, without_labels, first_sentence];

/// Shortens the descriptions of `schema`, one after the other, until it fits or nothing is left to shorten. Returns what was
/// shortened; `None` if nothing was.
pub(super) fn fit(schema: &mut Value) -> Option<Loss> {
    let before = size(schema);
    let mut steps = STEPS.iter();
    while size(schema) > MAX_BYTES {
        let Some(step) = steps.next() else { break };
        let mut excess = size(schema).saturating_sub(MAX_BYTES);
        descriptions(schema, &mut |text| {
            if excess > 0 {
                let shorter = step(text);
                // Characters that JSON escapes make the real saving larger.
                excess = excess.saturating_sub(text.len().saturating_sub(shorter.len()));
                *text = shorter;
            }
        });
    }
    let after = size(schema);
    (after < before).then(|| Loss {
        pointer: String::new(),
        kind: LossKind::Words,
        text: format!("descriptions were shortened, from {before} bytes of schema to {after}"),
    })
}

fn size(schema: &Value) -> usize {
    schema.to_string().len()
}

/// Visits every description, and removes those that become empty.
fn descriptions(schema: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    let Value::Object(keywords) = schema else { return };
    if let Some(Value::String(text)) = keywords.get_mut("description") {
        visit(text);
        if text.is_empty() {
            keywords.shift_remove("description");
        }
    }
    for keyword in ["properties", "$defs"] {
        if let Some(Value::Object(parts)) = keywords.get_mut(keyword) {
            parts.values_mut().for_each(|part| descriptions(part, visit));
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(part) = keywords.get_mut(keyword) {
            descriptions(part, visit);
        }
    }
    if let Some(Value::Array(parts)) = keywords.get_mut("anyOf") {
        parts.iter_mut().for_each(|part| descriptions(part, visit));
    }
}

fn is_label(paragraph: &str) -> bool {
    paragraph.starts_with("- `")
}

/// Returns `true` for a line with a constraint that the schema does not enforce; it is kept to the end.
fn is_constraint(line: &str) -> bool {
    line.starts_with('(')
}

fn paragraphs(text: &str, keep: impl Fn(usize, &str) -> Option<String>) -> String {
    let kept = text.split("\n\n").enumerate().filter_map(|(index, it)| keep(index, it));
    kept.collect::<Vec<_>>().join("\n\n")
}

/// Removes the general description of the type: the place has a description of its own.
fn without_types(text: &str) -> String {
    paragraphs(text, |index, paragraph| {
        if index == 0 || is_label(paragraph) {
            return Some(paragraph.to_owned());
        }
        let lines: Vec<&str> = paragraph.lines().filter(|line| is_constraint(line)).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    })
}

/// Keeps the first sentence of each name's description.
fn shorter_labels(text: &str) -> String {
    paragraphs(text, |_, paragraph| {
        if !is_label(paragraph) {
            return Some(paragraph.to_owned());
        }
        let mut shorter: Vec<&str> = Vec::new();
        for line in paragraph.lines() {
            if is_label(line) {
                shorter.push(sentence(line));
            } else if is_constraint(line) {
                shorter.push(line);
            }
        }
        Some(shorter.join("\n"))
    })
}

/// Removes the descriptions of names: the schema lists the names.
fn without_labels(text: &str) -> String {
    paragraphs(text, |_, paragraph| {
        let kept: Vec<&str> = if is_label(paragraph) {
            paragraph.lines().filter(|line| is_constraint(line)).collect()
        } else {
            vec![paragraph]
        };
        (!kept.is_empty()).then(|| kept.join("\n"))
    })
}

/// Keeps one sentence, and the constraints that are not enforced.
fn first_sentence(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let first = lines.next().map(sentence).unwrap_or_default();
    let rest = lines.filter(|line| is_constraint(line));
    std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n")
}

fn sentence(line: &str) -> &str {
    let ends = [". ", "; ", ": "].iter().filter_map(|end| line.find(end).map(|at| (at, *end)));
    // The colon of a label stands before its description.
    match ends.filter(|(_, end)| *end != ": " || !is_label(line)).min() {
        Some((at, _)) => &line[..at],
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words(count: usize) -> String {
        "word ".repeat(count)
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let mut schema =
            json!({"type": "object", "properties": {"a": {"description": "A.\n\nB."}}});
        let before = schema.clone();
        assert_eq!(fit(&mut schema), None);
        assert_eq!(schema, before);
    }

    #[test]
    fn the_mildest_way_first() {
        let of = |general: usize, label: usize, first: usize| {
            let text = format!(
                "What. {}\n\nIn general {}\n\n- `a`: First. {}\n- `b`: Second.\n(at most 5)",
                words(first),
                words(general),
                words(label)
            );
            let mut schema = json!({
                "type": "object",
                "properties": {"x": {"description": text, "type": "string"}},
                "required": ["x"],
            });
            let loss = fit(&mut schema).unwrap();
            assert_eq!(loss.kind, LossKind::Words);
            assert!(size(&schema) <= MAX_BYTES);
            assert_eq!(schema["required"], json!(["x"]));
            schema["properties"]["x"]["description"].as_str().unwrap().to_owned()
        };
        assert!(of(1_000, 5, 5).contains("- `a`: First. word"));
        assert_eq!(of(0, 1_000, 0), "What. \n\n- `a`: First\n- `b`: Second.\n(at most 5)");
        assert_eq!(of(0, 0, 1_000), "What\n(at most 5)");
    }

    #[test]
    fn what_cannot_be_shorter_stays_usable() {
        let names: Vec<String> = (0..2_000).map(|n| n.to_string()).collect();
        let mut schema = json!({"type": "string", "enum": names, "description": "Short"});
        assert_eq!(fit(&mut schema), None);
        assert_eq!(schema["enum"].as_array().unwrap().len(), 2_000);
    }
}
