//! Writes shapes as a grammar of llama.cpp (GBNF).
//!
//! The grammar is written from the exact schema, not from a lowered one, because the converter of llama.cpp skips what it
//! does not know. It describes compact JSON with bounded white space and keys in the order of the schema. Optional members
//! form a chain, not `x? x? x?` in one expression. Repetitions stay below the limit of the parser (2 000 in
//! `llama-grammar.cpp`), and only single characters and rules are repeated, because that limit counts the rules inside a
//! group. Rules are never left-recursive: each begins with a character, or with a rule that was written before it. See
//! <https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md>.

mod range;
mod table;
mod text;

use super::pattern;
use super::shape::{
    Document, Flags, Integer, List, Map, Meaning, Node, Property, Range, Shape, Text,
};
use super::words;
use super::{Loss, LossKind};
use serde_json::Value;
use std::collections::HashMap;
use text::{literal, times};

/// Most repetitions of a character; longer texts are unbounded in a grammar.
pub(super) const MAX_CHARACTERS: u64 = 1_024;

/// Most repetitions of anything else.
pub(super) const MAX_ITEMS: u64 = 64;

/// White space: none, a space, or a line break with indentation.
const SPACE: &str = r#"(" " | "\n" [ \t]{0,20})?"#;

/// A character of a string, plain or escaped. Surrogates occur only in pairs.
const CHARACTER: &str = concat!(
    r#"[^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" ([0-9a-cefA-CEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2} | "#,
    r#"[dD] [89abAB] [0-9a-fA-F]{2} "\\u" [dD] [c-fC-F] [0-9a-fA-F]{2}))"#,
);

/// A decimal has at most 64 digits, and every other number has a form that is no longer.
const UNSIGNED: &str = r#"("0" | [1-9] [0-9]{0,63}) ("." [0-9]{1,63})? ([eE] [-+]? [0-9]{1,63})?"#;

/// Formats that a grammar can hold, as RFC 3339 and RFC 9562 write them.
const FORMATS: [(&str, &str); 4] = [
    ("date", "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"),
    (
        "time",
        r"^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]{1,9})?([zZ]|[+\-]([01][0-9]|2[0-3]):[0-5][0-9])$",
    ),
    (
        "date-time",
        concat!(
            r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[tT]",
            r"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]{1,9})?([zZ]|[+\-]([01][0-9]|2[0-3]):[0-5][0-9])$",
        ),
    ),
    ("uuid", "^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$"),
];

/// Returns `document` as a grammar, and what was lost.
pub(super) fn write(document: &Document) -> (String, Vec<Loss>) {
    let mut writer = Writer {
        document,
        grammar: Grammar::default(),
        losses: Vec::new(),
        definitions: HashMap::new(),
    };
    let root = writer.node(&document.root);
    let pointer = document.root.at.clone();
    writer.losses.push(Loss {
        pointer,
        kind: LossKind::Shape,
        text: "keys in the order in which they are listed".into(),
    });
    (writer.grammar.finish(&root), writer.losses)
}

/// Rules by name. Equal bodies are written once.
#[derive(Default)]
struct Grammar {
    rules: Vec<(String, String)>,
    names: HashMap<String, String>,
    counts: HashMap<String, usize>,
}

impl Grammar {
    /// Returns the name of the rule with this body; a new rule is named `stem` and a number.
    fn rule(&mut self, stem: &str, body: String) -> String {
        if let Some(name) = self.names.get(&body) {
            return name.clone();
        }
        let count = self.counts.entry(stem.to_owned()).or_default();
        *count += 1;
        let name = format!("{stem}{count}");
        self.add(name, body)
    }

    /// Returns the rule `name`, which always has this body.
    fn fixed(&mut self, name: &str, body: &str) -> String {
        match self.names.get(body) {
            Some(name) => name.clone(),
            None => self.add(name.to_owned(), body.to_owned()),
        }
    }

    fn add(&mut self, name: String, body: String) -> String {
        self.names.insert(body.clone(), name.clone());
        self.rules.push((name.clone(), body));
        name
    }

    fn finish(self, root: &str) -> String {
        let mut text = format!("root ::= {root}\n");
        for (name, body) in &self.rules {
            text.push_str(&format!("{name} ::= {body}\n"));
        }
        text
    }
}

struct Writer<'a> {
    document: &'a Document,
    grammar: Grammar,
    losses: Vec<Loss>,
    /// Expressions of the definitions that are already written.
    definitions: HashMap<String, String>,
}

impl Writer<'_> {
    /// Returns an expression for `node` that can stand in a sequence: a literal or the name of a rule.
    fn node(&mut self, node: &Node) -> String {
        self.lose(node, LossKind::Constraint, node.unread.clone());
        match &node.shape {
            Shape::Any => self.any(),
            Shape::Never => {
                self.lose(node, LossKind::Constraint, ["nothing is accepted here".into()]);
                literal("null")
            }
            Shape::Null => literal("null"),
            Shape::Boolean => self.grammar.fixed("bool", r#""true" | "false""#),
            Shape::Integer(integer) => self.integer(integer, node),
            Shape::Number(range) => self.number(range, node),
            Shape::String(text) => self.text(text, node),
            Shape::Literals(values) => self.literals(values),
            Shape::List(list) => self.list(list, node),
            Shape::Tuple(items) => {
                let items = items.iter().map(|item| (self.node(item), true)).collect();
                self.sequence('[', items, ']')
            }
            Shape::Flags(flags) => self.flags(flags, node),
            Shape::Object(fields) if node.is_columns_and_rows() => {
                self.columns_and_rows(fields).unwrap_or_else(|| self.object(fields))
            }
            Shape::Object(fields) => self.object(fields),
            Shape::Map(map) => self.map(map, node),
            Shape::AnyOf(branches) => {
                // Objects as rows are not offered, because a grammar cannot prevent duplicate keys, which are refused.
                let is_table = branches.iter().any(Node::is_columns_and_rows);
                let is_kept = |it: &&Node| !(is_table && it.is_rows_of_objects());
                let kept: Vec<&Node> = branches.iter().filter(is_kept).collect();
                if kept.len() < branches.len() {
                    self.lose(node, LossKind::Shape, ["here only as columns and rows".into()]);
                }
                match &kept[..] {
                    [only] => self.node(only),
                    several => {
                        let written: Vec<String> = several.iter().map(|it| self.node(it)).collect();
                        self.grammar.rule("u", written.join(" | "))
                    }
                }
            }
            Shape::Ref(name) => self.definition(name),
        }
    }

    fn lose(&mut self, node: &Node, kind: LossKind, said: impl IntoIterator<Item = String>) {
        let losses = said.into_iter().map(|text| Loss { pointer: node.at.clone(), kind, text });
        self.losses.extend(losses);
    }

    fn definition(&mut self, name: &str) -> String {
        if let Some(written) = self.definitions.get(name) {
            return written.clone();
        }
        // Definitions are not recursive, so this ends.
        let document = self.document;
        let written = match document.definition(name) {
            Some(node) => self.node(node),
            None => self.any(),
        };
        self.definitions.insert(name.to_owned(), written.clone());
        written
    }

    fn space(&mut self) -> String {
        self.grammar.fixed("w", SPACE)
    }

    fn character(&mut self) -> String {
        self.grammar.fixed("c", CHARACTER)
    }

    fn any(&mut self) -> String {
        let (space, string) = (self.space(), self.string(0, None));
        let number = self.grammar.fixed("num", &format!("\"-\"? {UNSIGNED}"));
        // The only recursive rule; it is not left-recursive, because a bracket comes first.
        let body = format!(
            "any-object | \"[\" {space} (any (\",\" {space} any)* {space})? \"]\" | \
             {string} | {number} | \"true\" | \"false\" | \"null\""
        );
        self.grammar.fixed("any-member", &format!("{string} \":\" {space} any"));
        let object =
            format!("\"{{\" {space} (any-member (\",\" {space} any-member)* {space})? \"}}\"");
        self.grammar.fixed("any-object", &object);
        self.grammar.fixed("any", &body)
    }

    /// Returns a rule for an object with any members.
    fn open_object(&mut self) -> String {
        self.any();
        "any-object".to_owned()
    }

    fn integer(&mut self, integer: &Integer, node: &Node) -> String {
        let mut lost = integer.clone();
        let body = match (integer.minimum, integer.maximum) {
            (Some(low), Some(high))
                if low <= high && -range::LARGEST <= low && high <= range::LARGEST =>
            {
                (lost.minimum, lost.maximum) = (None, None);
                range::alternatives(low, high).join(" | ")
            }
            (Some(0..), _) => r#""0" | [1-9] [0-9]{0,63}"#.into(),
            _ => r#""-"? ("0" | [1-9] [0-9]{0,63})"#.into(),
        };
        if lost.minimum == Some(0) && lost.maximum.is_none() {
            lost.minimum = None;
        }
        self.lose(node, LossKind::Constraint, words::integer(&lost));
        self.grammar.rule("i", body)
    }

    fn number(&mut self, range: &Range, node: &Node) -> String {
        let zero = |limit: &Option<serde_json::Number>| {
            limit.as_ref().and_then(serde_json::Number::as_f64).is_some_and(|it| it >= 0.0)
        };
        let mut lost = range.clone();
        let positive = zero(&range.minimum) || zero(&range.exclusive_minimum);
        if range.minimum.as_ref().and_then(serde_json::Number::as_f64) == Some(0.0) {
            lost.minimum = None;
        }
        self.lose(node, LossKind::Constraint, words::range(&lost));
        if positive {
            self.grammar.fixed("unum", UNSIGNED)
        } else {
            self.grammar.fixed("num", &format!("\"-\"? {UNSIGNED}"))
        }
    }

    /// Returns a rule for a string of any characters.
    fn string(&mut self, min: u64, max: Option<u64>) -> String {
        let character = self.character();
        let body = format!("\"\\\"\" {character}{} \"\\\"\"", times(min, max));
        self.grammar.rule("s", body)
    }

    fn text(&mut self, text: &Text, node: &Node) -> String {
        match text.meaning {
            Meaning::Object => {
                self.lose(node, LossKind::Shape, ["the object itself, not its text".into()]);
                return self.open_object();
            }
            Meaning::TableName => {
                self.lose(node, LossKind::Shape, [table::NAMED.into()]);
                return self.table_name();
            }
            Meaning::Words => {}
        }
        let mut lost = text.clone();
        let (written, said) = self.text_lossy(text, &mut lost);
        self.lose(node, LossKind::Constraint, said);
        written
    }

    fn text_lossy(&mut self, text: &Text, lost: &mut Text) -> (String, Vec<String>) {
        let pattern = self.pattern(lost);
        let written = match pattern {
            Some(expression) => self.grammar.rule("s", format!("\"\\\"\" {expression} \"\\\"\"")),
            None => {
                let min = text.min.min(MAX_CHARACTERS);
                let max = text.max.filter(|max| *max <= MAX_CHARACTERS && *max >= min);
                if min == text.min {
                    lost.min = 0;
                }
                if max == text.max {
                    lost.max = None;
                }
                self.string(min, max)
            }
        };
        (written, words::text(lost))
    }

    /// Returns the first pattern or format that a grammar can express, and removes it from `lost`.
    fn pattern(&mut self, lost: &mut Text) -> Option<String> {
        for at in 0..lost.patterns.len() {
            let pattern = lost.patterns[at].clone();
            if let Some(expression) = self.regex(&pattern) {
                lost.patterns.remove(at);
                pattern::imply(&pattern, lost);
                return Some(expression);
            }
        }
        if lost.base64 {
            let expression = self.regex(crate::schema::BASE64)?;
            lost.base64 = false;
            return Some(expression);
        }
        let format = lost.format.as_deref()?;
        let (_, pattern) = FORMATS.iter().find(|(name, _)| *name == format)?;
        let expression = self.regex(pattern)?;
        lost.format = None;
        Some(expression)
    }

    fn regex(&mut self, pattern: &str) -> Option<String> {
        let parsed = pattern::parse(pattern).filter(pattern::Parsed::is_whole)?;
        text::expression(&mut self.grammar, &parsed.body)
    }

    fn literals(&mut self, values: &[Value]) -> String {
        let mut texts: Vec<String> =
            values.iter().map(|value| literal(&value.to_string())).collect();
        if texts.len() == 1 {
            return texts.remove(0);
        }
        self.grammar.rule("e", texts.join(" | "))
    }

    fn list(&mut self, list: &List, node: &Node) -> String {
        let mut lost = list.clone();
        let item = self.node(&list.items);
        let min = list.min.min(MAX_ITEMS);
        let max = list.max.filter(|max| *max <= MAX_ITEMS && *max >= min);
        if min == list.min {
            lost.min = 0;
        }
        if max == list.max {
            lost.max = None;
        }
        self.lose(node, LossKind::Constraint, words::list(&lost));
        self.repeated('[', &item, min, max, ']')
    }

    /// Returns `min` to `max` repetitions of `item`, with commas, in brackets.
    fn repeated(
        &mut self,
        open: char,
        item: &str,
        min: u64,
        max: Option<u64>,
        close: char,
    ) -> String {
        let space = self.space();
        if max == Some(0) {
            return self.grammar.rule("a", format!("\"{open}\" {space} \"{close}\""));
        }
        let more = max.map(|max| max - 1);
        let rest = if more == Some(0) {
            String::new()
        } else {
            let next = self.grammar.rule("n", format!("\",\" {space} {item}"));
            format!(" {next}{}", times(min.saturating_sub(1), more))
        };
        let some = format!("{item}{rest} {space}");
        let body = if min == 0 { format!("({some})?") } else { some };
        self.grammar.rule("a", format!("\"{open}\" {space} {body} \"{close}\""))
    }

    fn flags(&mut self, flags: &Flags, node: &Node) -> String {
        self.lose(node, LossKind::Shape, ["flags in the order in which they are listed".into()]);
        self.lose(node, LossKind::Constraint, words::flags(flags));
        let names = flags.names.iter();
        let names = names.map(|name| (literal(&Value::from(name.as_str()).to_string()), false));
        self.sequence('[', names.collect(), ']')
    }

    fn object(&mut self, fields: &[Property]) -> String {
        let space = self.space();
        let members = fields
            .iter()
            .map(|field| {
                let key = literal(&format!("{}:", Value::from(field.name.as_str())));
                (format!("{key} {space} {}", self.node(&field.node)), field.required)
            })
            .collect();
        self.sequence('{', members, '}')
    }

    /// Returns members in order, where those that are not required may be missing.
    fn sequence(&mut self, open: char, members: Vec<(String, bool)>, close: char) -> String {
        let stem = if open == '{' { "o" } else { "a" };
        let space = self.space();
        let body = match members.iter().position(|(_, required)| *required) {
            Some(first) => {
                let members =
                    members.into_iter().enumerate().map(|(at, (member, required))| {
                        match (at.cmp(&first), required) {
                            (std::cmp::Ordering::Less, _) => format!("({member} \",\" {space})?"),
                            (std::cmp::Ordering::Equal, _) => member,
                            (_, true) => format!("\",\" {space} {member}"),
                            (_, false) => format!("(\",\" {space} {member})?"),
                        }
                    });
                format!("{} {space}", members.collect::<Vec<_>>().join(" "))
            }
            None if members.is_empty() => String::new(),
            None => {
                // Whichever member comes first, the following ones each have a comma in front.
                let mut choices = Vec::with_capacity(members.len());
                let mut rest: Option<String> = None;
                for (at, (member, _)) in members.into_iter().enumerate().rev() {
                    let rest_text = rest.iter().map(|rest| format!(" {rest}")).collect::<String>();
                    choices.push(format!("{member}{rest_text}"));
                    if at > 0 {
                        let body = format!("(\",\" {space} {member})?{rest_text}");
                        rest = Some(self.grammar.rule("t", body));
                    }
                }
                choices.reverse();
                let some = match &choices[..] {
                    [one] => one.clone(),
                    _ => self.grammar.rule("m", choices.join(" | ")),
                };
                format!("({some} {space})?")
            }
        };
        let body = if body.is_empty() { space } else { format!("{space} {body}") };
        self.grammar.rule(stem, format!("\"{open}\" {body} \"{close}\""))
    }

    fn map(&mut self, map: &Map, node: &Node) -> String {
        let mut lost = map.names.clone();
        let (key, said) = self.text_lossy(&map.names, &mut lost);
        let said = said.into_iter().map(|text| format!("each key {text}"));
        self.lose(node, LossKind::Constraint, said);
        let (space, value) = (self.space(), self.node(&map.values));
        let member = self.grammar.rule("k", format!("{key} \":\" {space} {value}"));
        self.repeated('{', &member, 0, None, '}')
    }
}
