//! Reads a schema, and reports everything in it that cannot be applied.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::node::{Count, Format, Kinds, Node, NodeId, SchemaProblem, below, canonical};
use crate::value::{Json, Number, Pattern};
use mitt_base::text;

/// Deepest nesting of subschemas.
const MAX_DEPTH: usize = 32;

/// Most problems that are reported.
const MAX_PROBLEMS: usize = 20;

/// Most bytes of a value of the schema in a message.
const SHOWN_BYTES: usize = 200;

/// Most digits of `multipleOf`.
const MAX_UNIT_DIGITS: usize = 18;

/// Keywords that say nothing about which values are accepted.
const NOTES: [&str; 18] = [
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "default",
    "definitions",
    "deprecated",
    "description",
    "discriminator",
    "example",
    "examples",
    "markdownDescription",
    "readOnly",
    "title",
    "type",
    "writeOnly",
];

/// Reads a schema whose bytes are bounded.
pub(super) fn read(schema: &Value) -> Result<Vec<Node>, Vec<SchemaProblem>> {
    let mut reading = Reading {
        root: schema,
        nodes: Vec::new(),
        known: HashMap::new(),
        referred: Vec::new(),
        problems: Vec::new(),
    };
    reading.node(schema, "", 0);
    for group in ["$defs", "definitions"] {
        for (name, value) in schema.get(group).and_then(Value::as_object).into_iter().flatten() {
            reading.node(value, &below(&below("", group), name), 1);
        }
    }
    while let Some((id, schema)) = reading.referred.pop() {
        reading.fill(id, schema, 0);
    }
    if reading.problems.is_empty() {
        reading.refuse_circles();
    }
    if reading.problems.is_empty() { Ok(reading.nodes) } else { Err(reading.problems) }
}

struct Reading<'s> {
    root: &'s Value,
    nodes: Vec<Node>,
    /// Subschemas by their pointers, so that each is read once and references may be circular.
    known: HashMap<String, NodeId>,
    /// Subschemas that are referred to and not read yet. They are read after the others, so that a long chain is not deep.
    referred: Vec<(NodeId, &'s Value)>,
    problems: Vec<SchemaProblem>,
}

impl<'s> Reading<'s> {
    fn wrong(&mut self, pointer: &str, message: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            let (pointer, message) = (pointer.to_owned(), message.into());
            self.problems.push(SchemaProblem { pointer, message });
        }
    }

    /// Returns the number of the subschema at a pointer, and `true` if it is new.
    fn numbered(&mut self, pointer: &str) -> (NodeId, bool) {
        if let Some(known) = self.known.get(pointer) {
            return (*known, false);
        }
        let id = self.nodes.len();
        self.known.insert(pointer.to_owned(), id);
        self.nodes.push(Node { pointer: pointer.to_owned(), ..Node::default() });
        (id, true)
    }

    fn node(&mut self, schema: &'s Value, pointer: &str, depth: usize) -> NodeId {
        let (id, is_new) = self.numbered(pointer);
        if is_new {
            self.fill(id, schema, depth);
        }
        id
    }

    fn fill(&mut self, id: NodeId, schema: &'s Value, depth: usize) {
        let pointer = self.nodes[id].pointer.clone();
        if depth > MAX_DEPTH {
            let message = format!("expected at most {MAX_DEPTH} levels of schemas, got more");
            self.wrong(&pointer, message);
            return;
        }
        match schema {
            Value::Bool(accepts) => self.nodes[id].is_never = !accepts,
            Value::Object(keywords) => {
                let mut node = Node { pointer, ..Node::default() };
                self.kinds(keywords, &mut node);
                for (keyword, value) in keywords {
                    self.keyword((keyword, value), &mut node, depth);
                }
                self.nodes[id] = node;
            }
            _ => self.wrong(&pointer, format!("expected a schema, got {}", shown(schema))),
        }
    }

    fn kinds(&mut self, keywords: &Map<String, Value>, node: &mut Node) {
        let Some(kind) = keywords.get("type") else { return };
        let names = match kind {
            Value::Array(names) if !names.is_empty() => names.as_slice(),
            name => std::slice::from_ref(name),
        };
        let mut kinds = Kinds::default();
        if !names.iter().all(|name| name.as_str().is_some_and(|name| kinds.add(name))) {
            let message =
                format!("expected the name of a type or a list of some, got {}", shown(kind));
            self.wrong(&below(&node.pointer, "type"), message);
        }
        node.kinds = Some(kinds);
    }

    fn keyword(&mut self, (keyword, value): (&str, &'s Value), node: &mut Node, depth: usize) {
        let pointer = below(&node.pointer, keyword);
        let at = (pointer.as_str(), value);
        match keyword {
            "enum" => node.values = self.values(at),
            "const" => node.constant = Some(forms(value)),
            "properties" => node.properties = self.members(at, depth).into_iter().collect(),
            "patternProperties" => {
                for (source, id) in self.members(at, depth) {
                    let pattern = self.pattern(&below(&pointer, &source), &source);
                    node.patterns.extend(pattern.map(|pattern| (pattern, id)));
                }
            }
            "additionalProperties" => node.additional = Some(self.node(value, &pointer, depth + 1)),
            "propertyNames" => node.names = Some(self.node(value, &pointer, depth + 1)),
            "required" => node.required = self.texts(at),
            "minProperties" => node.n_properties.least = self.count(at),
            "maxProperties" => node.n_properties.most = self.count(at),
            "items" if value.is_array() => {
                self.wrong(&pointer, "expected a schema, got a list; use `prefixItems`");
            }
            "items" => node.items = Some(self.node(value, &pointer, depth + 1)),
            "prefixItems" => node.prefix = self.list(at, depth),
            "minItems" => node.n_items.least = self.count(at),
            "maxItems" => node.n_items.most = self.count(at),
            "uniqueItems" => match value.as_bool() {
                Some(is_unique) => node.is_unique = is_unique,
                None => self.wrong(&pointer, format!("expected a boolean, got {}", shown(value))),
            },
            "minLength" => node.n_characters.least = self.count(at),
            "maxLength" => node.n_characters.most = self.count(at),
            "pattern" => node.pattern = self.text(at).and_then(|it| self.pattern(&pointer, it)),
            "format" => {
                let name = self.text(at);
                let format =
                    name.and_then(|name| Some((Format::from_name(name)?, name.to_owned())));
                node.format = format;
            }
            "minimum" => node.minimum = self.number(at),
            "maximum" => node.maximum = self.number(at),
            "exclusiveMinimum" => node.above = self.number(at),
            "exclusiveMaximum" => node.below = self.number(at),
            "multipleOf" => node.multiple_of = self.unit(at),
            "anyOf" => node.any_of = self.list(at, depth),
            "oneOf" => node.one_of = self.list(at, depth),
            "allOf" => node.all_of = self.list(at, depth),
            "not" => node.not = Some(self.node(value, &pointer, depth + 1)),
            "$ref" => node.reference = self.reference(at),
            keyword if NOTES.contains(&keyword) || keyword.starts_with("x-") => {}
            keyword => {
                let shown = text::one_line(text::cut_bytes(keyword, 64)).to_string();
                self.wrong(
                    &pointer,
                    format!("the keyword `{shown}` is not supported; leave it out"),
                );
            }
        }
    }

    fn members(
        &mut self,
        (pointer, value): (&str, &'s Value),
        depth: usize,
    ) -> Vec<(String, NodeId)> {
        let Some(members) = value.as_object() else {
            self.wrong(pointer, format!("expected an object of schemas, got {}", shown(value)));
            return Vec::new();
        };
        let mut read = Vec::with_capacity(members.len());
        for (name, schema) in members {
            read.push((name.clone(), self.node(schema, &below(pointer, name), depth + 1)));
        }
        read
    }

    fn list(&mut self, (pointer, value): (&str, &'s Value), depth: usize) -> Vec<NodeId> {
        let Some(items) = value.as_array().filter(|items| !items.is_empty()) else {
            self.wrong(pointer, format!("expected a list of schemas, got {}", shown(value)));
            return Vec::new();
        };
        let mut read = Vec::with_capacity(items.len());
        for (index, schema) in items.iter().enumerate() {
            read.push(self.node(schema, &format!("{pointer}/{index}"), depth + 1));
        }
        read
    }

    fn reference(&mut self, (pointer, value): (&str, &'s Value)) -> Option<NodeId> {
        let name = self.text((pointer, value))?;
        let target = name.strip_prefix('#').map(unescaped);
        let found = target.as_deref().and_then(|target| {
            let is_place = target.is_empty() || target.starts_with('/');
            self.root.pointer(target).filter(|_| is_place).map(|schema| (schema, target))
        });
        let Some((schema, target)) = found else {
            let shown = shown(value);
            self.wrong(
                pointer,
                format!("expected a place in this schema, such as `#/$defs/name`, got {shown}"),
            );
            return None;
        };
        let (id, is_new) = self.numbered(target);
        if is_new {
            self.referred.push((id, schema));
        }
        Some(id)
    }

    /// Refuses subschemas that are applied to the same value again and again.
    fn refuse_circles(&mut self) {
        // 0: not seen, 1: on the way, 2: done.
        let mut states = vec![0_u8; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut way: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
            let mut next = Some(start).filter(|_| states[start] == 0);
            loop {
                if let Some(id) = next.take() {
                    states[id] = 1;
                    way.push((id, self.nodes[id].in_place().collect()));
                }
                let Some((id, rest)) = way.last_mut() else { break };
                match rest.pop() {
                    None => {
                        states[*id] = 2;
                        way.pop();
                    }
                    Some(below) if states[below] == 1 => {
                        let pointer = self.nodes[*id].pointer.clone();
                        self.wrong(&pointer, "the reference leads back to itself; put it below a property or an item");
                        return;
                    }
                    Some(below) => next = Some(below).filter(|_| states[below] == 0),
                }
            }
        }
    }

    fn values(&mut self, (pointer, value): (&str, &Value)) -> Option<(Vec<String>, String)> {
        let Some(values) = value.as_array().filter(|values| !values.is_empty()) else {
            self.wrong(pointer, format!("expected a list of values, got {}", shown(value)));
            return None;
        };
        Some((values.iter().map(|value| forms(value).0).collect(), shown(value)))
    }

    fn texts(&mut self, (pointer, value): (&str, &Value)) -> Vec<String> {
        let texts =
            value.as_array().map(|it| it.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        match texts.flatten() {
            Some(texts) => texts.into_iter().map(str::to_owned).collect(),
            None => {
                self.wrong(pointer, format!("expected a list of names, got {}", shown(value)));
                Vec::new()
            }
        }
    }

    fn text<'v>(&mut self, (pointer, value): (&str, &'v Value)) -> Option<&'v str> {
        if value.as_str().is_none() {
            self.wrong(pointer, format!("expected a string, got {}", shown(value)));
        }
        value.as_str()
    }

    fn pattern(&mut self, pointer: &str, source: &str) -> Option<Pattern> {
        let pattern = Pattern::new(source);
        if let Err(problem) = &pattern {
            self.wrong(pointer, problem.clone());
        }
        pattern.ok()
    }

    fn count(&mut self, (pointer, value): (&str, &Value)) -> Option<u64> {
        // `2.0` is a whole number, too.
        let count = Number::parse(value.to_string()).and_then(|it| it.to_integer());
        let count = count.and_then(|it| u64::try_from(it).ok()).filter(|_| value.is_number());
        if count.is_none() {
            self.wrong(pointer, format!("expected a whole number, got {}", shown(value)));
        }
        count
    }

    fn number(&mut self, (pointer, value): (&str, &Value)) -> Option<Number> {
        let number = Number::parse(value.to_string()).filter(|_| value.is_number());
        if number.is_none() {
            self.wrong(pointer, format!("expected a number, got {}", shown(value)));
        }
        number
    }

    fn unit(&mut self, at: (&str, &Value)) -> Option<Number> {
        let unit = self.number(at)?;
        let is_unit = unit.parts().is_some_and(|(is_negative, digits, _)| {
            !is_negative && (1..=MAX_UNIT_DIGITS).contains(&digits.len())
        });
        if !is_unit {
            let message = format!(
                "expected a number above 0 of at most {MAX_UNIT_DIGITS} digits, got {unit}"
            );
            self.wrong(at.0, message);
        }
        Some(unit).filter(|_| is_unit)
    }
}

/// Returns a value in the form of [`canonical`], and as it is shown.
fn forms(value: &Value) -> (String, String) {
    (canonical(&Json::from(value.clone())), shown(value))
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.len() {
        ..=SHOWN_BYTES => text,
        _ => format!("{}…", text::cut_bytes(&text, SHOWN_BYTES)),
    }
}

/// Returns a fragment of an address without its escapes: `%24` is `$`.
fn unescaped(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let (mut text, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let hex = fragment.get(at + 1..at + 3).filter(|_| *byte == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(escaped) => {
                text.push(escaped);
                at += 3;
            }
            None => {
                text.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

impl Count {
    /// Returns whether a number is within the bounds.
    pub(super) fn has(self, count: usize) -> bool {
        let count = count as u64;
        self.least.is_none_or(|least| least <= count) && self.most.is_none_or(|most| count <= most)
    }
}
