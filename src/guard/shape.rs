//! Reads a file of rules that has mistakes: as much as can be read, and all mistakes.
//!
//! Reads YAML as lists and maps, and stops nowhere. A file without mistakes is read faster by `yaml.rs`.

use std::fmt;

use mitt_base::text;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::de::{Deserialize, Deserializer, IntoDeserializer as _, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

use crate::mistakes::{Mistake, Mistakes};
use crate::personal::Data;
use crate::wire::{Wire, WirePersonal, WireRule};

const ACTIONS: [&str; 3] = ["flag", "redact", "block"];
const SEVERITIES: [&str; 3] = ["low", "medium", "high"];

/// A value of any form.
enum Node {
    Null,
    /// A text; a number or a truth value as it is written.
    Text(String),
    List(Vec<Spanned<Node>>),
    Map(Vec<(Spanned<String>, Spanned<Node>)>),
}

/// Returns what can be read of `yaml`, and adds its mistakes. `None` if it is no YAML.
pub(crate) fn read(
    yaml: &str,
    options: serde_saphyr::Options,
    mistakes: &mut Mistakes<'_>,
) -> Option<Wire> {
    let node: Spanned<Node> = serde_saphyr::from_str_with_options(yaml, options).ok()?;
    let mut shape = Shape { mistakes };
    let mut wire = Wire::default();
    for (key, node) in shape.map(node, &Wire::KEYS) {
        match key.as_str() {
            "action" => wire.action = shape.one_of(&node, &ACTIONS),
            "severity" => wire.severity = shape.one_of(&node, &SEVERITIES),
            "doubtful" => {
                wire.doubtful =
                    shape.one_of(&node, &["flag", "same", "ignore"]).unwrap_or_default();
            }
            "rules" => {
                let rules = shape.list(node).into_iter();
                wire.rules = rules.map(|rule| shape.rule(rule)).collect();
            }
            "allow" => wire.allow = shape.texts(node),
            _ => wire.personal_data = Some(shape.personal(node)),
        }
    }
    Some(wire)
}

struct Shape<'m, 'p> {
    mistakes: &'m mut Mistakes<'p>,
}

impl Shape<'_, '_> {
    fn wrong(&mut self, at: Location, what: impl Into<String>) {
        self.mistakes.add(Mistake::at(at.line(), what).column(at.column()));
    }

    /// Returns the members of a map whose keys are among `known`.
    fn map(&mut self, node: Spanned<Node>, known: &[&str]) -> Vec<(String, Spanned<Node>)> {
        let Node::Map(members) = node.value else {
            self.wrong(
                node.referenced,
                format!("expected keys and values: `{}`", known.join("`, `")),
            );
            return Vec::new();
        };
        let mut kept = Vec::new();
        for (key, value) in members {
            if known.contains(&key.value.as_str()) {
                kept.push((key.value, value));
                continue;
            }
            let hint = match text::nearest(&key.value, known.iter().copied()).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys here are `{}`", known.join("`, `")),
            };
            let shown = text::one_line(text::cut_bytes(&key.value, 64));
            let (line, column) = (key.referenced.line(), key.referenced.column());
            let mistake = Mistake::at(line, format!("unknown key `{shown}`")).column(column);
            self.mistakes.add(mistake.hint(hint));
        }
        kept
    }

    fn list(&mut self, node: Spanned<Node>) -> Vec<Spanned<Node>> {
        match node.value {
            Node::List(items) => items,
            // A key without a value, such as a list that is not written yet.
            Node::Null => Vec::new(),
            Node::Text(_) | Node::Map(_) => {
                self.wrong(node.referenced, "expected a list");
                Vec::new()
            }
        }
    }

    fn text(&mut self, node: Spanned<Node>) -> Option<Spanned<String>> {
        let Node::Text(value) = node.value else {
            self.wrong(node.referenced, "expected a text");
            return None;
        };
        Some(Spanned { value, referenced: node.referenced, defined: node.defined })
    }

    fn texts(&mut self, node: Spanned<Node>) -> Vec<Spanned<String>> {
        self.list(node).into_iter().filter_map(|item| self.text(item)).collect()
    }

    fn one_of<T: for<'de> Deserialize<'de>>(
        &mut self,
        node: &Spanned<Node>,
        names: &[&str],
    ) -> Option<T> {
        let given = if let Node::Text(given) = &node.value { given } else { "" };
        let from: StrDeserializer<'_, ValueError> = given.into_deserializer();
        let read = T::deserialize(from).ok();
        if read.is_none() {
            let shown = text::one_line(text::cut_bytes(given, 64));
            let what = format!("expected one of `{}`, got `{shown}`", names.join("`, `"));
            self.wrong(node.referenced, what);
        }
        read
    }

    fn rule(&mut self, node: Spanned<Node>) -> Spanned<WireRule> {
        let (referenced, defined) = (node.referenced, node.defined);
        let given = if let Node::Map(members) = &node.value { Some(members.len()) } else { None };
        let members = self.map(node, &WireRule::KEYS);
        // An unknown key may be a misspelling of the one that is missing.
        let is_broken = given != Some(members.len());
        let mut rule = WireRule { is_broken, ..WireRule::default() };
        for (key, node) in members {
            match key.as_str() {
                "word" => rule.word = self.text(node),
                "words" => rule.words = self.texts(node),
                "pattern" => rule.pattern = self.text(node),
                "kind" => rule.kind = self.one_of(&node, &["word", "substring"]),
                "action" => rule.action = self.one_of(&node, &ACTIONS),
                "severity" => rule.severity = self.one_of(&node, &SEVERITIES),
                _ => rule.id = self.text(node).map(|id| id.value),
            }
            // The key that says what to search for is there, valid or not.
            rule.is_broken |= matches!(key.as_str(), "word" | "words" | "pattern");
        }
        Spanned { value: rule, referenced, defined }
    }

    fn personal(&mut self, node: Spanned<Node>) -> WirePersonal {
        let mut personal = WirePersonal::default();
        for (key, node) in self.map(node, &WirePersonal::KEYS) {
            match key.as_str() {
                "phone-countries" => personal.phone_countries = self.texts(node),
                key => {
                    let action = self.one_of(&node, &ACTIONS);
                    if let Some(data) = Data::of(key) {
                        *personal.action_mut(data) = action;
                    }
                }
            }
        }
        personal
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Node;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Node, E> {
                Ok(Node::Null)
            }

            fn visit_none<E>(self) -> Result<Node, E> {
                Ok(Node::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
                Ok(Node::Text(value.to_string()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
                Ok(Node::Text(value.to_string()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
                Ok(Node::Text(value.to_string()))
            }

            fn visit_i128<E>(self, value: i128) -> Result<Node, E> {
                Ok(Node::Text(value.to_string()))
            }

            fn visit_u128<E>(self, value: u128) -> Result<Node, E> {
                Ok(Node::Text(value.to_string()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
                Ok(Node::Text(value.to_string()))
            }

            fn visit_str<E>(self, value: &str) -> Result<Node, E> {
                Ok(Node::Text(value.to_owned()))
            }

            fn visit_string<E>(self, value: String) -> Result<Node, E> {
                Ok(Node::Text(value))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Node::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
                let mut map = Vec::new();
                while let Some(member) = members.next_entry()? {
                    map.push(member);
                }
                Ok(Node::Map(map))
            }
        }

        deserializer.deserialize_any(Any)
    }
}
