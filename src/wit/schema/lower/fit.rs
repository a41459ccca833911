//! Shortens descriptions where a schema would be too large for a client, which would then drop all of them.
//!
//! Constraints stay: only words are removed, first those that are repeated elsewhere. Where that is not enough, the cases of
//! large variants are merged. Knows no shapes and no dialects.

use super::walk::{self, Place};
use super::{Loss, LossKind, merge};
use serde_json::Value;

/// Largest schema, in bytes of compact JSON. Codex removes all descriptions from a schema of more than 5 000 bytes, and
/// modifies the schema slightly before it measures.
pub(super) const MAX_BYTES: usize = 4_900;

/// Ways to shorten a description, mildest first.
const STEPS: [fn(&str) -> String; 6] = [
    without_types,
    shorter_labels,
    without_labels,
    first_sentence,
    without_plain_words,
    only_constraints,
];

/// Bytes of JSON around a description, which are saved if nothing is left of it.
const KEYWORD_BYTES: usize = r#""description":"","#.len();

/// Makes `schema` small enough, if it can be: shortens descriptions, or merges the cases of variants and shortens what is
/// still too long. Returns what was lost.
pub(super) fn fit(schema: &mut Value) -> Vec<Loss> {
    let mut whole = schema.clone();
    let words = shorten(schema);
    if size(schema) > MAX_BYTES
        && let Some(cases) = merge::merge(&mut whole)
    {
        *schema = whole;
        let words = shorten(schema);
        if size(schema) > MAX_BYTES {
            merge::without_tags(schema);
        }
        return std::iter::once(cases).chain(words).collect();
    }
    words.into_iter().collect()
}

/// Shortens the descriptions of `schema`, one after the other, until it fits or nothing is left to shorten. Returns what was
/// shortened; `None` if nothing was.
fn shorten(schema: &mut Value) -> Option<Loss> {
    let before = size(schema);
    if before > MAX_BYTES {
        without_echoes(schema);
    }
    let mut steps = STEPS.iter();
    while size(schema) > MAX_BYTES {
        let Some(step) = steps.next() else { break };
        let mut excess = size(schema).saturating_sub(MAX_BYTES);
        descriptions(schema, &mut |text| {
            if excess > 0 {
                let shorter = step(text);
                // Characters that JSON escapes make the real saving larger.
                excess = excess.saturating_sub(text.len().saturating_sub(shorter.len()));
                if shorter.is_empty() && !text.is_empty() {
                    excess = excess.saturating_sub(KEYWORD_BYTES);
                }
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
    walk::each(keywords, |_, part| descriptions(part, visit));
}

fn is_label(paragraph: &str) -> bool {
    paragraph.starts_with("- `")
}

/// Returns `true` for a line with a constraint that the schema does not enforce, or with a merged case; it is kept to the end.
fn is_constraint(line: &str) -> bool {
    line.starts_with('(') || line.starts_with(merge::CASE)
}

fn paragraphs(text: &str, keep: impl Fn(usize, &str) -> Option<String>) -> String {
    let kept = text.split("\n\n").enumerate().filter_map(|(index, it)| keep(index, it));
    kept.collect::<Vec<_>>().join("\n\n")
}

/// Removes a description that only repeats the name of its property: `range` needs no `Range.`
fn without_echoes(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    walk::each(keywords, |place, part| {
        if let Place::Property(name) | Place::Definition(name) = place {
            let letters = |text: &str| -> String {
                let letters = text.chars().filter(|it| it.is_alphanumeric());
                letters.flat_map(char::to_lowercase).collect()
            };
            if let Some(keywords) = part.as_object_mut()
                && let Some(text) = keywords.get("description").and_then(Value::as_str)
                && letters(text) == letters(name)
            {
                keywords.shift_remove("description");
            }
        }
        without_echoes(part);
    });
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

/// Removes up to four words without code: they say little that the name does not.
fn without_plain_words(text: &str) -> String {
    paragraphs(text, |_, paragraph| {
        let plain = |line: &str| !line.contains('`') && line.split_whitespace().count() <= 4;
        let kept = paragraph.lines().filter(|line| is_constraint(line) || !plain(line));
        let kept: Vec<&str> = kept.collect();
        (!kept.is_empty()).then(|| kept.join("\n"))
    })
}

fn only_constraints(text: &str) -> String {
    text.lines().filter(|line| is_constraint(line)).collect::<Vec<_>>().join("\n")
}

/// Returns the first sentence or clause of `line`. A mark inside of code ends nothing.
fn sentence(line: &str) -> &str {
    let outside = |at: usize| line[..at].matches('`').count().is_multiple_of(2);
    let ends = [". ", "; ", ": "].iter().filter_map(|end| {
        line.match_indices(end).map(|(at, _)| (at, *end)).find(|(at, _)| outside(*at))
    });
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
        assert_eq!(fit(&mut schema), []);
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
            let [loss] = fit(&mut schema).try_into().unwrap();
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
    fn a_mark_in_code_ends_no_sentence() {
        assert_eq!(sentence("such as `{\"a\": 1}`; all of them"), "such as `{\"a\": 1}`");
        assert_eq!(sentence("- `a`: First. Second."), "- `a`: First");
    }

    #[test]
    fn a_description_that_repeats_its_name_goes_first() {
        let text = words(1_000);
        let mut schema = json!({"type": "object", "properties": {
            "refers_to": {"description": "Refers to.", "type": "string"},
            "x": {"description": format!("Kept.\n\n{text}"), "type": "string"},
        }});
        fit(&mut schema);
        assert_eq!(schema["properties"]["refers_to"], json!({"type": "string"}));
        assert_eq!(schema["properties"]["x"]["description"], "Kept.");
    }

    #[test]
    fn cases_are_merged_where_words_alone_do_not_fit() {
        let case = |number: usize| {
            json!({
                "description": "A case of the variant.",
                "type": "object",
                "properties": {
                    "tag": {"type": "string", "enum": [format!("case-number-{number}")]},
                    "val": {
                        "type": "object",
                        "properties": {"at": {"description": "The place.", "type": "string"}},
                        "required": ["at"],
                        "additionalProperties": false,
                    },
                },
                "required": ["tag", "val"],
                "additionalProperties": false,
            })
        };
        let schema = |count: usize| json!({"anyOf": (0..count).map(case).collect::<Vec<_>>()});
        let mut small = schema(10);
        assert_eq!(fit(&mut small), []);
        assert_eq!(small, schema(10));
        let mut large = schema(40);
        let losses = fit(&mut large);
        assert_eq!(losses[0].kind, LossKind::Constraint);
        assert!(size(&large) <= MAX_BYTES, "{}", size(&large));
        // No step removes the lines that say which fields a case has.
        let described = large["description"].as_str().unwrap();
        assert!(described.contains("* `case-number-39` {at}"), "{described}");
    }

    #[test]
    fn what_cannot_be_shorter_stays_usable() {
        let names: Vec<String> = (0..2_000).map(|n| n.to_string()).collect();
        let mut schema = json!({"type": "string", "enum": names, "description": "(a name)"});
        assert_eq!(fit(&mut schema), []);
        assert_eq!(schema["enum"].as_array().unwrap().len(), 2_000);
    }

    #[test]
    fn a_few_words_without_code_are_left_out() {
        let text =
            "Only four words here.\n\nThere are five words here.\n\nSee `code`.\n(at most 5)";
        let kept = "There are five words here.\n\nSee `code`.\n(at most 5)";
        assert_eq!(without_plain_words(text), kept);
    }
}
