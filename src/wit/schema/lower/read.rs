//! Reads the exact schema into shapes.
//!
//! Keywords beside `anyOf`, `$ref` or a list of types narrow it. They are moved into the branches that they apply to,
//! because decoders read either the keywords or the branches, not both. A constraint that no shape can hold becomes a
//! sentence, so that nothing is lost silently.

use super::narrow::{self, Keywords};
use super::pointer::{step, unstep};
use super::shape::{
    Document, Flags, Integer, List, Map as MapShape, Meaning, Node, Notes, Property, Range, Shape,
    Text,
};
use super::union::any_of;
use crate::schema::OBJECT_AS_TEXT;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Deepest schema that is read; deeper places accept any value. Types of interfaces are far less deep.
const MAX_DEPTH: usize = 120;

/// Most nodes that are read; the rest accepts any value. Definitions are copied only where a reference is narrowed.
const MAX_NODES: usize = 50_000;

/// Reads schemas into one set of definitions.
#[derive(Default)]
pub(super) struct Reader<'a> {
    definitions: Vec<(String, Node)>,
    /// The index of each definition in `definitions`; `None` while it is being read, to detect recursion.
    index: HashMap<String, Option<usize>>,
    /// The definitions of the current schema.
    sources: Option<&'a Keywords>,
    /// Prefix of the names of definitions, which keeps those of two schemas apart.
    prefix: String,
    /// Prefix of every pointer.
    base: String,
    nodes: usize,
}

impl<'a> Reader<'a> {
    /// Reads `schema`. The names of its definitions get `prefix` in front, and pointers get `base`.
    pub(super) fn read(&mut self, schema: &'a Value, prefix: &str, base: &str) -> Node {
        self.prefix = prefix.to_owned();
        self.base = base.to_owned();
        self.sources = schema.get("$defs").and_then(Value::as_object);
        self.node(schema, base, 0)
    }

    pub(super) fn finish(self, root: Node) -> Document {
        Document::new(root, self.definitions)
    }

    /// Returns the definition `name` of the schema, which is read on first use.
    fn definition(&mut self, name: &str, depth: usize) -> Option<&Node> {
        let full = format!("{}{name}", self.prefix);
        if !self.index.contains_key(&full) {
            let source = self.sources?.get(name)?;
            self.index.insert(full.clone(), None);
            let node = self.node(source, &format!("/$defs/{}", step(&full)), depth + 1);
            self.index.insert(full.clone(), Some(self.definitions.len()));
            self.definitions.push((full.clone(), node));
        }
        let index = (*self.index.get(&full)?)?;
        self.definitions.get(index).map(|(_, node)| node)
    }

    fn node(&mut self, schema: &'a Value, at: &str, depth: usize) -> Node {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            let mut node = Node::new(at, Shape::Any);
            node.unread.push("what the tool accepts here".into());
            return node;
        }
        let Value::Object(keywords) = schema else {
            let shape = if *schema == false { Shape::Never } else { Shape::Any };
            return Node::new(at, shape);
        };
        let mut node = self.plain(keywords, at, depth);
        if let Shape::Ref(_) = node.shape
            && narrow::narrows(keywords)
        {
            node = self.copied(node);
        }
        narrow::narrow(&mut node, keywords);
        let further = keywords.get("allOf").and_then(Value::as_array).into_iter().flatten();
        for keywords in further.filter_map(Value::as_object) {
            narrow::narrow(&mut node, keywords);
            node.unread.extend(narrow::unread(keywords));
        }
        node.unread.extend(narrow::unread(keywords));
        node.notes = notes(keywords, &node.notes);
        node
    }

    /// Returns a copy of the definition instead of the reference `node`, unless that would make too many nodes.
    fn copied(&mut self, node: Node) -> Node {
        let Shape::Ref(name) = &node.shape else { return node };
        let index = self.index.get(name).copied().flatten();
        let Some((_, definition)) = index.and_then(|index| self.definitions.get(index)) else {
            return node;
        };
        let size = size(definition);
        if self.nodes + size > MAX_NODES {
            return node;
        }
        self.nodes += size;
        Node { at: node.at, ..definition.clone() }
    }

    /// Returns the shape of `keywords` before any of them narrows it.
    fn plain(&mut self, keywords: &'a Keywords, at: &str, depth: usize) -> Node {
        if let Some(Value::String(target)) = keywords.get("$ref") {
            let name = target.strip_prefix("#/$defs/").map(unstep).unwrap_or_default();
            let shape = match self.definition(&name, depth) {
                Some(_) => Shape::Ref(format!("{}{name}", self.prefix)),
                None => Shape::Any,
            };
            return Node::new(at, shape);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = keywords.get(keyword) {
                let branches = branches.iter().enumerate();
                let branches = branches.map(|(index, it)| {
                    self.node(it, &format!("{at}/{keyword}/{index}"), depth + 1)
                });
                return any_of(at, branches.collect());
            }
        }
        let shape = match keywords.get("type") {
            Some(Value::String(name)) => self.typed(name, keywords, at, depth),
            Some(Value::Array(names)) => {
                let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                let branches = names
                    .into_iter()
                    .map(|name| Node::new(at, self.typed(name, keywords, at, depth)));
                return any_of(at, branches.collect());
            }
            _ if keywords.get("not").is_some_and(accepts_all) => Shape::Never,
            _ => Shape::Any,
        };
        Node::new(at, shape)
    }

    fn typed(&mut self, name: &str, keywords: &'a Keywords, at: &str, depth: usize) -> Shape {
        match name {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "integer" => Shape::Integer(Integer::default()),
            "number" => Shape::Number(Range::default()),
            "string" => Shape::String(Text {
                base64: keywords.get("contentEncoding").is_some_and(|it| it == "base64"),
                meaning: meaning(keywords),
                ..Text::default()
            }),
            "array" => self.array(keywords, at, depth),
            "object" => self.object(keywords, at, depth),
            _ => Shape::Any,
        }
    }

    fn array(&mut self, keywords: &'a Keywords, at: &str, depth: usize) -> Shape {
        if let Some(Value::Array(items)) = keywords.get("prefixItems") {
            let items = items.iter().enumerate();
            let items = items
                .map(|(index, it)| self.node(it, &format!("{at}/prefixItems/{index}"), depth + 1));
            return Shape::Tuple(items.collect());
        }
        let items = format!("{at}/items");
        let items = match keywords.get("items") {
            Some(schema) => self.node(schema, &items, depth + 1),
            None => Node::new(items, Shape::Any),
        };
        if keywords.get("uniqueItems") == Some(&Value::Bool(true))
            && let Shape::Literals(names) = &items.shape
            && items.notes.is_empty()
            && let Some(names) = names.iter().map(|name| name.as_str().map(str::to_owned)).collect()
        {
            return Shape::Flags(Flags { names, min: 0, max: None });
        }
        Shape::List(List { items: Box::new(items), min: 0, max: None, unique: false })
    }

    fn object(&mut self, keywords: &'a Keywords, at: &str, depth: usize) -> Shape {
        let open = keywords.get("additionalProperties").filter(|it| **it != Value::Bool(false));
        let properties = keywords.get("properties").and_then(Value::as_object);
        if let (Some(values), None) = (open, properties) {
            let values = self.node(values, &format!("{at}/additionalProperties"), depth + 1);
            let mut names = Node::new("", Shape::String(Text::default()));
            if let Some(Value::Object(keywords)) = keywords.get("propertyNames") {
                narrow::narrow(&mut names, keywords);
            }
            let names = match names.shape {
                Shape::String(names) => names,
                _ => Text::default(),
            };
            return Shape::Map(Box::new(MapShape { names, values }));
        }
        let required = keywords.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|it| it.iter().any(|it| it == name));
        let properties = properties.into_iter().flatten();
        let properties = properties.map(|(name, schema)| Property {
            name: name.clone(),
            node: self.node(schema, &format!("{at}/properties/{}", step(name)), depth + 1),
            required: is_required(name),
        });
        Shape::Object(properties.collect())
    }
}

/// Returns what a text stands for. A schema that was lowered before says so in its description only.
fn meaning(keywords: &Keywords) -> Meaning {
    let is_json = keywords.get("contentMediaType").is_some_and(|it| it == "application/json")
        || keywords.get("description").is_some_and(|it| it == OBJECT_AS_TEXT);
    if is_json { Meaning::Object } else { Meaning::Words }
}

fn notes(keywords: &Keywords, inherited: &Notes) -> Notes {
    let text = |keyword| keywords.get(keyword).and_then(Value::as_str).map(str::to_owned);
    Notes {
        title: text("title").or_else(|| inherited.title.clone()),
        description: text("description").or_else(|| inherited.description.clone()),
        default: keywords.get("default").or(inherited.default.as_ref()).cloned(),
        examples: keywords.get("examples").or(inherited.examples.as_ref()).cloned(),
    }
}

/// Returns the number of nodes in `node`, including itself.
fn size(node: &Node) -> usize {
    1 + match &node.shape {
        Shape::List(list) => size(&list.items),
        Shape::Map(map) => size(&map.values),
        Shape::Tuple(nodes) | Shape::AnyOf(nodes) => nodes.iter().map(size).sum(),
        Shape::Object(fields) => fields.iter().map(|field| size(&field.node)).sum(),
        _ => 0,
    }
}

fn accepts_all(schema: &Value) -> bool {
    *schema == true || schema.as_object().is_some_and(Map::is_empty)
}
