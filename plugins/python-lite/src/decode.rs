//! Converts JSON text and tables of the host to values of monty.

use crate::context::{CLASSES, Context};
use jiter::{Jiter, Peek};
use monty_types::MontyUuid;
use monty_types::unstable::{ClassTypeNode, MontyGraph, MontyNode, NodeId};

/// Most levels of nested JSON, as in the host.
const MAX_DEPTH: u32 = 128;

/// The identity of instances that the host makes. Monty looks for an object with this identity and finds none.
const NEW_INSTANCE: MontyUuid = MontyUuid::from_u128(0);

/// A builder of values in one arena.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) graph: MontyGraph,
    table_class: Option<NodeId>,
    /// `true` if references of tables are opened.
    opens: bool,
}

impl Builder {
    /// Makes a builder for results of tools, which opens references of tables.
    pub(crate) fn of_result() -> Self {
        Self { opens: true, ..Self::default() }
    }

    pub(crate) fn string(&mut self, text: &str) -> NodeId {
        self.graph.push(MontyNode::String(text.to_owned()))
    }

    pub(crate) fn list(&mut self, items: Vec<NodeId>) -> NodeId {
        self.graph.push(MontyNode::List(items))
    }

    pub(crate) fn dict(&mut self, fields: Vec<(&str, NodeId)>) -> NodeId {
        let pairs = fields.into_iter().map(|(name, value)| (self.string(name), value)).collect();
        self.graph.push(MontyNode::Dict(pairs))
    }

    /// Makes an instance of the prelude's `Table`, without rows if they were not read yet. Without a prelude it is a dict.
    pub(crate) fn table(
        &mut self,
        columns: NodeId,
        rows: Option<NodeId>,
        name: &str,
        source: &str,
    ) -> NodeId {
        let (name, source) = (self.string(name), self.string(source));
        let mut fields = vec![("_columns", columns), ("name", name), ("_source", source)];
        fields.extend(rows.map(|rows| ("_rows", rows)));
        let attrs = fields.into_iter().map(|(name, value)| (self.string(name), value)).collect();
        let Some(id) = CLASSES.get().table else {
            return self.graph.push(MontyNode::Dict(attrs));
        };
        let class_type = *self.table_class.get_or_insert_with(|| {
            let class = ClassTypeNode {
                name: "Table".to_owned(),
                id,
                host_defined: false,
                is_dataclass: false,
                attrs: Vec::new(),
            };
            self.graph.push(MontyNode::ClassType(Box::new(class)))
        });
        self.graph.push(MontyNode::ClassInstance { class_type, instance_id: NEW_INSTANCE, attrs })
    }

    /// Parses a JSON text.
    ///
    /// # Errors
    /// The text of the syntax error.
    pub(crate) fn json(&mut self, text: &str) -> Result<NodeId, String> {
        let mut parser = Jiter::new(text.as_bytes());
        let peek = parser.peek().map_err(|error| error.to_string())?;
        let root = self.value(&mut parser, peek, 0)?;
        parser.finish().map_err(|error| error.to_string())?;
        Ok(root)
    }

    /// Parses the members of a JSON object, which is never read as a table.
    ///
    /// # Errors
    /// The text of the syntax error.
    pub(crate) fn object(&mut self, text: &str) -> Result<Vec<(String, NodeId)>, String> {
        let mut parser = Jiter::new(text.as_bytes());
        let peek = parser.peek().map_err(|error| error.to_string())?;
        if peek != Peek::Object {
            return Err("expected a JSON object".to_owned());
        }
        let members = self.members(&mut parser, 0)?;
        parser.finish().map_err(|error| error.to_string())?;
        Ok(members)
    }

    fn value(&mut self, parser: &mut Jiter<'_>, peek: Peek, depth: u32) -> Result<NodeId, String> {
        if depth > MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        let failed = |error: jiter::JiterError| error.to_string();
        let node = match peek {
            Peek::Null => {
                parser.known_null().map_err(failed)?;
                MontyNode::None
            }
            Peek::True | Peek::False => MontyNode::Bool(parser.known_bool(peek).map_err(failed)?),
            Peek::String => MontyNode::String(parser.known_str().map_err(failed)?.to_owned()),
            Peek::Array => {
                let mut items = Vec::new();
                let mut next = parser.known_array().map_err(failed)?;
                while let Some(peek) = next {
                    items.push(self.value(parser, peek, depth + 1)?);
                    next = parser.array_step().map_err(failed)?;
                }
                MontyNode::List(items)
            }
            Peek::Object => {
                let members = self.members(parser, depth)?;
                if let Some((columns, rows)) = self.as_table(&members) {
                    return Ok(self.table(columns, Some(rows), "", ""));
                }
                if let Some(table) = self.referred(&members) {
                    return Ok(table);
                }
                MontyNode::Dict(
                    members
                        .into_iter()
                        .map(|(name, id)| (self.graph.push(MontyNode::String(name)), id))
                        .collect(),
                )
            }
            _ => {
                let text = parser.known_number_bytes(peek).map_err(failed)?;
                number(std::str::from_utf8(text).map_err(|error| error.to_string())?)
            }
        };
        Ok(self.graph.push(node))
    }

    fn members(
        &mut self,
        parser: &mut Jiter<'_>,
        depth: u32,
    ) -> Result<Vec<(String, NodeId)>, String> {
        let mut members = Vec::new();
        let mut key = parser.known_object().map_err(|error| error.to_string())?.map(str::to_owned);
        while let Some(name) = key {
            let peek = parser.peek().map_err(|error| error.to_string())?;
            let value = self.value(parser, peek, depth + 1)?;
            members.push((name, value));
            key = parser.next_key().map_err(|error| error.to_string())?.map(str::to_owned);
        }
        Ok(members)
    }

    /// Returns the table of the host if these members are a reference: columns, number of rows and `$ref`. It is opened at
    /// once, because the session drops old results.
    fn referred(&mut self, members: &[(String, NodeId)]) -> Option<NodeId> {
        let member = |wanted: &str| {
            let found = members.iter().find(|(name, _)| name == wanted);
            found.map(|&(_, id)| self.graph.node(id))
        };
        let (Some(MontyNode::List(_)), Some(MontyNode::Int(_)), Some(MontyNode::String(reference))) =
            (member("columns"), member("row_count"), member("$ref"))
        else {
            return None;
        };
        let reference = reference.clone();
        let (table, source) = Context::current().filter(|_| self.opens)?.adopt(&reference)?;
        self.host_table(&table, &source, "").ok()
    }

    /// Returns the two members of a table, `columns` and `rows`, if all rows have as many cells as there are columns.
    fn as_table(&self, members: &[(String, NodeId)]) -> Option<(NodeId, NodeId)> {
        let [first, second] = members else { return None };
        let (columns, rows) = match (first.0.as_str(), second.0.as_str()) {
            ("columns", "rows") => (first.1, second.1),
            ("rows", "columns") => (second.1, first.1),
            _ => return None,
        };
        let items = |id: NodeId| match self.graph.node(id) {
            MontyNode::List(items) => Some(items),
            _ => None,
        };
        let width = items(columns)?.len();
        let fits = items(rows)?.iter().all(|&row| items(row).is_some_and(|row| row.len() == width));
        fits.then_some((columns, rows))
    }
}

/// Converts a JSON number to int or float, or to Decimal if a float would be infinite.
pub(crate) fn number(text: &str) -> MontyNode {
    if let Ok(value) = text.parse::<i64>() {
        return MontyNode::Int(value);
    }
    if text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(value) = text.parse()
    {
        return MontyNode::BigInt(value);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => MontyNode::Float(value),
        _ => MontyNode::Decimal(text.to_owned()),
    }
}
