//! Evaluates the tree of an XPath expression.

use super::tree::{Axis, Operator, Start, Step, Test, Tree};
use roxmltree::{Document, Node, NodeType};

/// Most nodes that one expression visits, and most bytes of its texts.
const MAX_VISITS: u64 = if cfg!(test) { 200_000 } else { 5_000_000 };

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Halt {
    /// It is not XPath, or its types do not fit.
    Wrong,
    Unsupported(String),
    Limit,
}

type Done<T> = Result<T, Halt>;

/// A node or an attribute.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item<'a, 'i> {
    Node(Node<'a, 'i>),
    /// An element and the number of its attribute.
    Attribute(Node<'a, 'i>, usize),
}

impl<'a, 'i> Item<'a, 'i> {
    /// Returns the place in the order of the document.
    fn place(&self) -> (usize, usize) {
        match self {
            Self::Node(node) => (node.id().get_usize(), 0),
            Self::Attribute(node, at) => (node.id().get_usize(), at + 1),
        }
    }

    fn node(&self) -> Option<Node<'a, 'i>> {
        match self {
            Self::Node(node) => Some(*node),
            Self::Attribute(..) => None,
        }
    }

    fn parent(&self) -> Option<Node<'a, 'i>> {
        match self {
            Self::Node(node) => node.parent(),
            Self::Attribute(node, _) => Some(*node),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Node(node) if node.is_root() || node.is_element() => node
                .descendants()
                .filter(|it| it.is_text() && !is_blank(it))
                .filter_map(|it| it.text())
                .collect(),
            Self::Node(node) => match node.pi() {
                Some(instruction) => instruction.value.unwrap_or_default().to_owned(),
                None => node.text().unwrap_or_default().to_owned(),
            },
            Self::Attribute(node, at) => {
                node.attributes().nth(*at).map_or_else(String::new, |it| it.value().to_owned())
            }
        }
    }

    fn names(&self) -> (String, String) {
        match self {
            Self::Node(node) if node.is_element() => {
                let name = node.tag_name();
                (name.name().to_owned(), name.namespace().unwrap_or_default().to_owned())
            }
            Self::Node(node) => {
                (node.pi().map_or_else(String::new, |it| it.target.to_owned()), String::new())
            }
            Self::Attribute(node, at) => node.attributes().nth(*at).map_or_else(
                || (String::new(), String::new()),
                |it| (it.name().to_owned(), it.namespace().unwrap_or_default().to_owned()),
            ),
        }
    }
}

/// Returns `true` for a text between elements that has nothing but blanks, which Excel's parser drops.
fn is_blank(node: &Node<'_, '_>) -> bool {
    node.is_text() && node.text().is_some_and(|it| it.trim().is_empty())
}

#[derive(Clone, Debug)]
enum Value<'a, 'i> {
    Nodes(Vec<Item<'a, 'i>>),
    Number(f64),
    Text(String),
    Bool(bool),
}

impl Value<'_, '_> {
    fn text(&self) -> String {
        match self {
            Self::Nodes(nodes) => nodes.first().map_or_else(String::new, Item::text),
            Self::Number(number) if number.is_nan() => "NaN".to_owned(),
            Self::Number(number) if number.is_infinite() => {
                if *number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
            }
            Self::Number(number) => (number + 0.0).to_string(),
            Self::Text(text) => text.clone(),
            Self::Bool(value) => value.to_string(),
        }
    }

    fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Bool(value) => f64::from(u8::from(*value)),
            other => read_number(&other.text()),
        }
    }

    fn truth(&self) -> bool {
        match self {
            Self::Nodes(nodes) => !nodes.is_empty(),
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Text(text) => !text.is_empty(),
            Self::Bool(value) => *value,
        }
    }
}

fn read_number(text: &str) -> f64 {
    let text = text.trim();
    let is_plain = text.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'-' | b'.'));
    if is_plain { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// The node of an expression, and its place among others.
#[derive(Clone, Copy)]
struct Context<'a, 'i> {
    item: Item<'a, 'i>,
    position: usize,
    size: usize,
}

#[derive(Debug, Default)]
pub(super) struct Engine {
    pub(super) visited: u64,
}

impl Engine {
    /// Returns the nodes of an expression in the order of the document.
    pub(super) fn select<'a, 'i>(
        &mut self,
        document: &'a Document<'i>,
        tree: &Tree,
    ) -> Done<Vec<Item<'a, 'i>>> {
        let item = Item::Node(document.root());
        match self.value(tree, Context { item, position: 1, size: 1 })? {
            Value::Nodes(nodes) => {
                for node in &nodes {
                    self.visit(node.text().len())?;
                }
                Ok(nodes)
            }
            _ => Err(Halt::Unsupported("an expression that selects no nodes".to_owned())),
        }
    }

    fn visit(&mut self, count: usize) -> Done<()> {
        self.visited = self.visited.saturating_add(count as u64);
        if self.visited > MAX_VISITS { Err(Halt::Limit) } else { Ok(()) }
    }

    fn value<'a, 'i>(&mut self, tree: &Tree, context: Context<'a, 'i>) -> Done<Value<'a, 'i>> {
        self.visit(1)?;
        Ok(match tree {
            Tree::Number(number) => Value::Number(*number),
            Tree::Text(text) => Value::Text(text.clone()),
            Tree::Negative(inner) => Value::Number(-self.value(inner, context)?.number()),
            Tree::Binary(operator, left, right) => {
                return self.binary(*operator, left, right, context);
            }
            Tree::Path(start, steps) => Value::Nodes(self.path(start, steps, context)?),
            Tree::Call(name, arguments) => return self.call(name, arguments, context),
        })
    }

    fn binary<'a, 'i>(
        &mut self,
        operator: Operator,
        left: &Tree,
        right: &Tree,
        context: Context<'a, 'i>,
    ) -> Done<Value<'a, 'i>> {
        let left = self.value(left, context)?;
        match (operator, left.truth()) {
            (Operator::Or, true) => return Ok(Value::Bool(true)),
            (Operator::And, false) => return Ok(Value::Bool(false)),
            _ => {}
        }
        let right = self.value(right, context)?;
        Ok(match operator {
            Operator::Or | Operator::And => Value::Bool(right.truth()),
            Operator::Union => {
                let (Value::Nodes(mut all), Value::Nodes(more)) = (left, right) else {
                    return Err(Halt::Wrong);
                };
                all.extend(more);
                Value::Nodes(ordered(all))
            }
            Operator::Add => Value::Number(left.number() + right.number()),
            Operator::Subtract => Value::Number(left.number() - right.number()),
            Operator::Multiply => Value::Number(left.number() * right.number()),
            Operator::Divide => Value::Number(left.number() / right.number()),
            Operator::Remainder => Value::Number(left.number() % right.number()),
            _ => Value::Bool(self.compared(operator, &left, &right)?),
        })
    }

    /// Returns the values of one side of a comparison.
    fn sides<'a, 'i>(
        &mut self,
        value: &Value<'a, 'i>,
        other: &Value<'_, '_>,
    ) -> Done<Vec<Value<'a, 'i>>> {
        let Value::Nodes(nodes) = value else { return Ok(vec![value.clone()]) };
        if matches!(other, Value::Bool(_)) {
            return Ok(vec![Value::Bool(value.truth())]);
        }
        let mut texts = Vec::with_capacity(nodes.len());
        for node in nodes {
            let text = node.text();
            self.visit(text.len())?;
            texts.push(Value::Text(text));
        }
        Ok(texts)
    }

    /// Compares; for nodes it is enough that one of them fits.
    fn compared(
        &mut self,
        operator: Operator,
        left: &Value<'_, '_>,
        right: &Value<'_, '_>,
    ) -> Done<bool> {
        let (left, right) = (self.sides(left, right)?, self.sides(right, left)?);
        for a in &left {
            for b in &right {
                self.visit(1 + a.text().len() + b.text().len())?;
                let is = match operator {
                    Operator::Equal | Operator::NotEqual => {
                        let same = match (a, b) {
                            (Value::Bool(_), _) | (_, Value::Bool(_)) => a.truth() == b.truth(),
                            (Value::Number(_), _) | (_, Value::Number(_)) => {
                                a.number() == b.number()
                            }
                            _ => a.text() == b.text(),
                        };
                        same == (operator == Operator::Equal)
                    }
                    Operator::Less => a.number() < b.number(),
                    Operator::LessOrEqual => a.number() <= b.number(),
                    Operator::Greater => a.number() > b.number(),
                    _ => a.number() >= b.number(),
                };
                if is {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn path<'a, 'i>(
        &mut self,
        start: &Start,
        steps: &[Step],
        context: Context<'a, 'i>,
    ) -> Done<Vec<Item<'a, 'i>>> {
        let mut items = match start {
            Start::Context => vec![context.item],
            Start::Root => {
                let (Item::Node(node) | Item::Attribute(node, _)) = context.item;
                vec![Item::Node(node.document().root())]
            }
            Start::Nodes(tree, predicates) => match self.value(tree, context)? {
                Value::Nodes(nodes) => self.filtered(nodes, predicates)?,
                _ => return Err(Halt::Wrong),
            },
        };
        for step in steps {
            let mut next = Vec::new();
            for item in items {
                let mut found = Vec::new();
                self.along(item, step, &mut found)?;
                found = self.filtered(found, &step.predicates)?;
                next.extend(found);
            }
            items = ordered(next);
        }
        Ok(items)
    }

    /// Collects the nodes of a step in the order of its axis.
    fn along<'a, 'i>(
        &mut self,
        item: Item<'a, 'i>,
        step: &Step,
        found: &mut Vec<Item<'a, 'i>>,
    ) -> Done<()> {
        let node = item.node();
        let mut add = |engine: &mut Self, it: Item<'a, 'i>| {
            engine.visit(1)?;
            if fits(&it, step) {
                found.push(it);
            }
            Ok(())
        };
        match step.axis {
            Axis::Itself => add(self, item)?,
            Axis::Parent => {
                if let Some(parent) = item.parent() {
                    add(self, Item::Node(parent))?;
                }
            }
            Axis::Ancestor | Axis::AncestorOrSelf => {
                if step.axis == Axis::AncestorOrSelf {
                    add(self, item)?;
                }
                let mut next = item.parent();
                while let Some(node) = next {
                    add(self, Item::Node(node))?;
                    next = node.parent();
                }
            }
            Axis::Attribute => {
                for at in 0..node.map_or(0, |it| it.attributes().len()) {
                    add(self, Item::Attribute(node.ok_or(Halt::Wrong)?, at))?;
                }
            }
            Axis::Child => {
                for child in node.iter().flat_map(|it| it.children()) {
                    add(self, Item::Node(child))?;
                }
            }
            Axis::Descendant | Axis::DescendantOrSelf => {
                let skips = usize::from(step.axis == Axis::Descendant);
                match node {
                    Some(node) => {
                        for below in node.descendants().skip(skips) {
                            add(self, Item::Node(below))?;
                        }
                    }
                    None if skips == 0 => add(self, item)?,
                    None => {}
                }
            }
            Axis::FollowingSibling => {
                for sibling in node.iter().flat_map(|it| it.next_siblings().skip(1)) {
                    add(self, Item::Node(sibling))?;
                }
            }
            Axis::PrecedingSibling => {
                for sibling in node.iter().flat_map(|it| it.prev_siblings().skip(1)) {
                    add(self, Item::Node(sibling))?;
                }
            }
            Axis::Following | Axis::Preceding => {
                let Some(node) = node.or_else(|| item.parent()) else { return Ok(()) };
                for it in self.apart(node, step.axis == Axis::Following)? {
                    add(self, Item::Node(it))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the nodes behind a node, or before it from the nearest on; neither those in it nor those around it.
    fn apart<'a, 'i>(&mut self, node: Node<'a, 'i>, is_behind: bool) -> Done<Vec<Node<'a, 'i>>> {
        let mut own: Vec<usize> = if is_behind {
            node.descendants().map(|it| it.id().get_usize()).collect()
        } else {
            node.ancestors().map(|it| it.id().get_usize()).collect()
        };
        own.sort_unstable();
        let at = node.id().get_usize();
        let is_apart = |it: &Node<'_, '_>| {
            let place = it.id().get_usize();
            (place > at) == is_behind && place != at && own.binary_search(&place).is_err()
        };
        let mut found: Vec<Node<'a, 'i>> = node.document().descendants().filter(is_apart).collect();
        self.visit(node.document().descendants().count() + own.len())?;
        if !is_behind {
            found.reverse();
        }
        Ok(found)
    }

    /// Returns the nodes for which all predicates hold; a number is a position.
    fn filtered<'a, 'i>(
        &mut self,
        mut items: Vec<Item<'a, 'i>>,
        predicates: &[Tree],
    ) -> Done<Vec<Item<'a, 'i>>> {
        for predicate in predicates {
            let size = items.len();
            let mut kept = Vec::new();
            for (at, item) in items.into_iter().enumerate() {
                let position = at + 1;
                let holds = match self.value(predicate, Context { item, position, size })? {
                    Value::Number(number) => number == position as f64,
                    value => value.truth(),
                };
                if holds {
                    kept.push(item);
                }
            }
            items = kept;
        }
        Ok(items)
    }

    fn call<'a, 'i>(
        &mut self,
        name: &str,
        arguments: &[Tree],
        context: Context<'a, 'i>,
    ) -> Done<Value<'a, 'i>> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.value(argument, context)?;
            let read = match &value {
                Value::Nodes(nodes) if name == "sum" => {
                    nodes.iter().map(|it| it.text().len()).sum()
                }
                value => value.text().len(),
            };
            self.visit(read)?;
            values.push(value);
        }
        if values.is_empty() {
            self.visit(context.item.text().len())?;
        }
        let text = |at: usize| {
            values.get(at).map_or_else(|| context.item.text(), |it: &Value<'_, '_>| it.text())
        };
        let number = |at: usize| values.get(at).map_or(f64::NAN, Value::number);
        let nodes = || match values.first() {
            None => Ok(vec![context.item]),
            Some(Value::Nodes(nodes)) => Ok(nodes.clone()),
            Some(_) => Err(Halt::Wrong),
        };
        let result = match name {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "boolean" => Value::Bool(values[0].truth()),
            "not" => Value::Bool(!values[0].truth()),
            "last" => Value::Number(context.size as f64),
            "position" => Value::Number(context.position as f64),
            "count" => Value::Number(nodes()?.len() as f64),
            "sum" => Value::Number(nodes()?.iter().map(|it| read_number(&it.text())).sum()),
            "number" => Value::Number(match values.first() {
                Some(value) => value.number(),
                None => read_number(&context.item.text()),
            }),
            "floor" => Value::Number(number(0).floor()),
            "ceiling" => Value::Number(number(0).ceil()),
            "round" => Value::Number((number(0) + 0.5).floor()),
            "string" => Value::Text(text(0)),
            "string-length" => Value::Number(text(0).chars().count() as f64),
            "name" | "local-name" => {
                let names = nodes()?.first().map(Item::names).unwrap_or_default();
                if name == "name" && !names.1.is_empty() {
                    return Err(Halt::Unsupported("`name()` in a namespace".to_owned()));
                }
                Value::Text(names.0)
            }
            "namespace-uri" => Value::Text(nodes()?.first().map(Item::names).unwrap_or_default().1),
            "concat" => Value::Text(values.iter().map(Value::text).collect()),
            "contains" => Value::Bool(text(0).contains(&text(1))),
            "starts-with" => Value::Bool(text(0).starts_with(&text(1))),
            _ => {
                self.visit(text(0).len().saturating_mul(text(1).len()))?;
                let numbers = [number(1), values.get(2).map_or(f64::INFINITY, Value::number)];
                Value::Text(cut(name, &text(0), [&text(1), &text(2)], numbers))
            }
        };
        self.visit(result.text().len())?;
        Ok(result)
    }
}

/// Returns a part of a text, or the text in another form: by other texts or by first character and length.
fn cut(name: &str, text: &str, [first, second]: [&str; 2], [start, length]: [f64; 2]) -> String {
    match name {
        "normalize-space" => text.split_whitespace().collect::<Vec<_>>().join(" "),
        "substring-before" => text.split_once(first).map_or("", |it| it.0).to_owned(),
        "substring-after" => text.split_once(first).map_or("", |it| it.1).to_owned(),
        "substring" => {
            let start = (start + 0.5).floor();
            let end = start + (length + 0.5).floor();
            let is_in = |at: usize| (at as f64 + 1.0) >= start && (at as f64 + 1.0) < end;
            text.chars().enumerate().filter(|it| is_in(it.0)).map(|it| it.1).collect()
        }
        _ => {
            let (from, to): (Vec<char>, Vec<char>) =
                (first.chars().collect(), second.chars().collect());
            let changed = |c: char| match from.iter().position(|it| *it == c) {
                Some(at) => to.get(at).copied(),
                None => Some(c),
            };
            text.chars().filter_map(changed).collect()
        }
    }
}

fn fits(item: &Item<'_, '_>, step: &Step) -> bool {
    match &step.test {
        Test::AnyNode => item.node().is_none_or(|it| !is_blank(&it)),
        Test::Text => item.node().is_some_and(|it| it.is_text() && !is_blank(&it)),
        Test::Comment => item.node().is_some_and(|it| it.node_type() == NodeType::Comment),
        Test::Instruction(target) => item
            .node()
            .and_then(|it| it.pi())
            .is_some_and(|it| target.as_deref().is_none_or(|target| target == it.target)),
        Test::AnyName => item.node().is_none_or(|it| it.is_element()),
        Test::Name(name) => {
            let is_named = item.node().is_none_or(|it| it.is_element());
            is_named && item.names() == (name.clone(), String::new())
        }
    }
}

/// Returns nodes in the order of the document, each once.
fn ordered<'a, 'i>(mut items: Vec<Item<'a, 'i>>) -> Vec<Item<'a, 'i>> {
    items.sort_by_key(Item::place);
    items.dedup_by_key(|it| it.place());
    items
}
