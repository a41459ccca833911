//! What a schema accepts, in the few shapes of WIT types.
//!
//! [`read`](super::read) makes shapes from the exact schema; the lowerings write them in the dialect of a decoder. A shape
//! never accepts less than its schema. Knows no decoder.

use serde_json::{Number, Value};
use std::collections::HashMap;

/// Schemas with the definitions that they refer to.
pub(super) struct Document {
    pub(super) root: Node,
    /// By name, in the order of the schema. Definitions are not recursive.
    pub(super) definitions: Vec<(String, Node)>,
    index: HashMap<String, usize>,
}

/// One place of a schema.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// JSON pointer into the exact schema.
    pub(super) at: String,
    pub(super) notes: Notes,
    pub(super) shape: Shape,
    /// Constraints that no shape can hold, as sentences.
    pub(super) unread: Vec<String>,
}

/// Annotations for people and models.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) default: Option<Value>,
    pub(super) examples: Option<Value>,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Any,
    Never,
    Null,
    Boolean,
    Integer(Integer),
    Number(Range),
    String(Text),
    /// At least one scalar.
    Literals(Vec<Value>),
    List(List),
    Tuple(Vec<Node>),
    Flags(Flags),
    Object(Vec<Property>),
    /// An object with any keys.
    Map(Box<Map>),
    /// At least two branches.
    AnyOf(Vec<Node>),
    /// A reference to one of [`Document::definitions`].
    Ref(String),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Integer {
    pub(super) minimum: Option<i128>,
    pub(super) maximum: Option<i128>,
    pub(super) multiple_of: Option<Number>,
    /// 64 bits wide: the exact schema also accepts a string of digits.
    pub(super) wide: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Range {
    pub(super) minimum: Option<Number>,
    pub(super) exclusive_minimum: Option<Number>,
    pub(super) maximum: Option<Number>,
    pub(super) exclusive_maximum: Option<Number>,
    pub(super) multiple_of: Option<Number>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    /// In characters.
    pub(super) min: u64,
    pub(super) max: Option<u64>,
    /// Patterns that must all match somewhere in the text.
    pub(super) patterns: Vec<String>,
    pub(super) format: Option<String>,
    pub(super) base64: bool,
    pub(super) meaning: Meaning,
}

/// What a text stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Meaning {
    /// Itself.
    #[default]
    Words,
    /// An object, as JSON text. The object itself is accepted as well.
    Object,
    /// An existing table, by its name.
    TableName,
}

#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) items: Box<Node>,
    pub(super) min: u64,
    pub(super) max: Option<u64>,
    pub(super) unique: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Flags {
    pub(super) names: Vec<String>,
    pub(super) min: u64,
    pub(super) max: Option<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) node: Node,
    pub(super) required: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Map {
    pub(super) names: Text,
    pub(super) values: Node,
}

impl Notes {
    pub(super) fn is_empty(&self) -> bool {
        self.title.is_none()
            && self.description.is_none()
            && self.default.is_none()
            && self.examples.is_none()
    }
}

impl Node {
    pub(super) fn new(at: impl Into<String>, shape: Shape) -> Node {
        Node { at: at.into(), notes: Notes::default(), shape, unread: Vec::new() }
    }

    /// Returns `true` for a union of scalars, as a cell is.
    fn is_scalar(&self) -> bool {
        match &self.shape {
            Shape::Null
            | Shape::Boolean
            | Shape::Integer(_)
            | Shape::Number(_)
            | Shape::String(_)
            | Shape::Literals(_) => true,
            Shape::AnyOf(branches) => branches.iter().all(Node::is_scalar),
            _ => false,
        }
    }

    /// Returns `true` for a table as an array of objects.
    pub(super) fn is_rows_of_objects(&self) -> bool {
        matches!(&self.shape, Shape::List(list)
            if matches!(&list.items.shape, Shape::Map(map) if map.values.is_scalar()))
    }

    /// Returns `true` for a table in columns and rows.
    pub(super) fn is_columns_and_rows(&self) -> bool {
        matches!(&self.shape, Shape::Object(fields)
            if fields.len() == 2 && fields[0].name == "columns" && fields[1].name == "rows")
    }
}

impl Document {
    pub(super) fn new(root: Node, definitions: Vec<(String, Node)>) -> Document {
        let index = definitions.iter().enumerate().map(|(at, (name, _))| (name.clone(), at));
        Document { root, index: index.collect(), definitions }
    }

    /// Returns the target of a reference.
    pub(super) fn definition(&self, name: &str) -> Option<&Node> {
        self.index.get(name).and_then(|at| self.definitions.get(*at)).map(|(_, node)| node)
    }

    /// Returns `true` if null is among the values of `node`.
    pub(super) fn admits_null(&self, node: &Node) -> bool {
        match &node.shape {
            Shape::Any | Shape::Null => true,
            Shape::Literals(values) => values.contains(&Value::Null),
            Shape::AnyOf(branches) => branches.iter().any(|branch| self.admits_null(branch)),
            Shape::Ref(name) => self.definition(name).is_some_and(|node| self.admits_null(node)),
            _ => false,
        }
    }
}
