//! JSON strings in GBNF: literals, character classes, regular expressions.
//!
//! The grammar describes the text of a JSON document, in which an escaped character takes two or six characters.

use super::Grammar;
use crate::schema::lower::pattern::{Class, Regex};

/// Returns `text` as a GBNF literal.
pub(super) fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            character if u32::from(character) < 0x20 => {
                literal.push_str(&format!("\\x{:02X}", u32::from(character)));
            }
            character => literal.push(character),
        }
    }
    literal.push('"');
    literal
}

/// Returns a GBNF class of the characters in `ranges`.
fn class(ranges: &[(u32, u32)]) -> String {
    if let [(low, high)] = ranges
        && low == high
        && let Some(one) = char::from_u32(*low)
    {
        return literal(one.encode_utf8(&mut [0; 4]));
    }
    let mut class = String::from("[");
    for (low, high) in ranges {
        push_character(&mut class, *low);
        if high > low {
            if *high > low + 1 {
                class.push('-');
            }
            push_character(&mut class, *high);
        }
    }
    class.push(']');
    class
}

fn push_character(class: &mut String, character: u32) {
    match char::from_u32(character) {
        Some(it) if it.is_ascii_alphanumeric() || "!#$%&'()*+,./:;<=>?@_`{|}~ ".contains(it) => {
            class.push(it);
        }
        // Escapes `-`, `^`, brackets and others with a meaning in a class.
        _ if character < 0x80 => class.push_str(&format!("\\x{character:02X}")),
        _ if character < 0x1_0000 => class.push_str(&format!("\\u{character:04X}")),
        _ => class.push_str(&format!("\\U{character:08X}")),
    }
}

/// Returns an expression for one of `characters` in a JSON string.
fn character(characters: &Class) -> String {
    const ESCAPED: [(u32, char); 7] = [
        (0x22, '"'),
        (0x5C, '\\'),
        (0x08, 'b'),
        (0x0C, 'f'),
        (0x0A, 'n'),
        (0x0D, 'r'),
        (0x09, 't'),
    ];
    let mut plain: Vec<(u32, u32)> = Vec::new();
    for (low, high) in &characters.0 {
        // All characters except control characters, `"` and `\`.
        for (from, to) in [(0x20, 0x21), (0x23, 0x5B), (0x5D, 0x10_FFFF)] {
            let (from, to) = (from.max(*low), to.min(*high));
            if from <= to {
                plain.push((from, to));
            }
        }
    }
    let mut choices = Vec::new();
    if !plain.is_empty() {
        choices.push(class(&plain));
    }
    for (code, escape) in ESCAPED {
        if characters.contains(code) {
            choices.push(literal(&format!("\\{escape}")));
        }
    }
    let controls: Vec<u32> = (0..0x20)
        .filter(|it| characters.contains(*it) && !ESCAPED.iter().any(|(code, _)| code == it))
        .collect();
    if controls.len() == 27 {
        choices.push(r#"("\\u00" [01] [0-9a-fA-F])"#.into());
    } else {
        choices.extend(controls.into_iter().map(|it| literal(&format!("\\u{it:04x}"))));
    }
    match &choices[..] {
        [one] => one.clone(),
        _ => format!("({})", choices.join(" | ")),
    }
}

/// Returns an expression for `regex`. `None` if it has too many repetitions for llama.cpp, or matches nothing.
pub(super) fn expression(grammar: &mut Grammar, regex: &Regex) -> Option<String> {
    match regex {
        Regex::Class(characters) if characters.0.is_empty() => None,
        Regex::Class(characters) => Some(character(characters)),
        Regex::Sequence(parts) => {
            let parts: Option<Vec<String>> =
                parts.iter().map(|part| expression(grammar, part)).collect();
            Some(grouped_sequence(parts?))
        }
        Regex::Choice(branches) => {
            let branches: Option<Vec<String>> =
                branches.iter().map(|branch| expression(grammar, branch)).collect();
            Some(format!("({})", branches?.join(" | ")))
        }
        Regex::Repeat { inner, min, max } => {
            let is_class = matches!(**inner, Regex::Class(_));
            let limit = if is_class { super::MAX_CHARACTERS } else { super::MAX_ITEMS };
            if u64::from(max.unwrap_or(*min)) > limit {
                return None;
            }
            let inner = expression(grammar, inner)?;
            // llama.cpp counts the rules inside a repeated group; a separate rule counts once.
            let inner = match max {
                _ if is_class => inner,
                Some(1) => format!("({inner})"),
                _ => grammar.rule("p", inner),
            };
            Some(format!("{inner}{}", times(u64::from(*min), max.map(u64::from))))
        }
    }
}

/// Returns a sequence in a form that can be repeated or stand in another sequence.
fn grouped_sequence(parts: Vec<String>) -> String {
    match parts.len() {
        0 => "\"\"".into(),
        1 => parts.into_iter().next().unwrap_or_default(),
        _ => format!("({})", parts.join(" ")),
    }
}

/// Returns the suffix for a number of repetitions.
pub(super) fn times(min: u64, max: Option<u64>) -> String {
    match (min, max) {
        (0, None) => "*".into(),
        (1, None) => "+".into(),
        (0, Some(1)) => "?".into(),
        (min, None) => format!("{{{min},}}"),
        (min, Some(max)) if min == max => format!("{{{min}}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    }
}
