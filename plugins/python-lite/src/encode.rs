//! Converts values of monty to JSON text.

use crate::context::Context;
use crate::functions::describe;
use crate::tables::{
    FIRST_ROWS, HostTable, INLINE_CELLS, PART_ROWS, SHOWN_CELLS, chunks, has_rows,
};
use mitt_guest::tables::{Cell, Chunk};
use monty_types::unstable::{MontyGraph, MontyNode, NodeId};
use monty_types::{MontyDate, MontyDateTime, MontyTime};
use std::fmt::Write;
use std::rc::Rc;

/// Most levels of nested arguments that the host accepts.
const MAX_DEPTH: usize = 64;

/// Most characters of a value in an error.
const SHOWN_CHARACTERS: usize = 60;

/// A value without a JSON form.
#[derive(Debug)]
pub(crate) struct Unencodable {
    /// The JSON pointer of the value; empty for the outermost one.
    pub(crate) pointer: String,
    /// The reason.
    pub(crate) reason: String,
}

/// The values that have a JSON form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Only JSON values: the result of a script. All other values are shown by `repr`.
    Plain,
    /// Also bytes as Base64: the arguments of a tool.
    Argument,
}

/// Writes a value.
pub(crate) fn write(
    graph: &MontyGraph,
    id: NodeId,
    form: Form,
    out: &mut String,
) -> Result<(), Unencodable> {
    let mut writer = Writer { graph, form, out, path: Vec::new() };
    writer.value(id).map_err(|reason| Unencodable {
        pointer: writer
            .path
            .iter()
            .map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1")))
            .collect(),
        reason,
    })
}

/// Writes a text as a JSON string.
pub(crate) fn quote(text: &str, out: &mut String) {
    if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&serde_json::Value::from(text).to_string());
    }
}

struct Writer<'a> {
    graph: &'a MontyGraph,
    form: Form,
    out: &'a mut String,
    /// The path of the current value. After an error it is that of the failing value.
    path: Vec<String>,
}

impl Writer<'_> {
    fn value(&mut self, id: NodeId) -> Result<(), String> {
        if self.path.len() > MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels, or contains itself"));
        }
        let graph = self.graph;
        match graph.node(id) {
            MontyNode::None => self.out.push_str("null"),
            MontyNode::Bool(value) => self.display(value),
            MontyNode::Int(value) => self.out.push_str(itoa::Buffer::new().format(*value)),
            MontyNode::BigInt(value) => self.display(value),
            MontyNode::Float(value) if value.is_finite() => self.display(format_args!("{value:?}")),
            MontyNode::Float(value) => {
                let name = if value.is_nan() { "nan" } else { "inf" };
                return Err(format!("JSON has no {name}; use None where there is no number"));
            }
            MontyNode::Decimal(text) => {
                if text.contains(|c: char| c.is_ascii_alphabetic() && c != 'E') {
                    return Err(format!("JSON has no {text}; use None where there is no number"));
                }
                self.out.push_str(&text.replace("E+", "e").replace('E', "e"));
            }
            MontyNode::String(text) => quote(text, self.out),
            MontyNode::Date(value) => self.display(format_args!("\"{}\"", date(value))),
            MontyNode::DateTime(value) => self.display(format_args!("\"{}\"", datetime(value))),
            MontyNode::Time(value) => self.display(format_args!("\"{}\"", time(value))),
            MontyNode::List(items) | MontyNode::Tuple(items) => self.items(items)?,
            MontyNode::Dict(pairs) => {
                let members =
                    pairs.iter().map(|&(key, value)| (self.key(key), value)).collect::<Vec<_>>();
                self.members(members)?;
            }
            // A named tuple is a record. In a table its names are the columns.
            MontyNode::NamedTuple { field_names, values, .. } => {
                self.members(
                    field_names
                        .iter()
                        .map(|name| Ok(name.clone()))
                        .zip(values.iter().copied())
                        .collect(),
                )?;
            }
            MontyNode::ClassInstance { class_type, attrs, .. } => {
                self.instance(*class_type, attrs, id)?
            }
            MontyNode::Bytes(bytes) if self.form == Form::Argument => {
                self.out.push('"');
                base64(bytes, self.out);
                self.out.push('"');
            }
            MontyNode::Cycle(_) => return Err("contains itself".to_owned()),
            MontyNode::Set(_) | MontyNode::FrozenSet(_) => {
                return Err(format!("a {} has no order; pass sorted(…)", self.type_name(id)));
            }
            MontyNode::TimeDelta(_) => {
                return Err("JSON has no timedelta; pass str(…) or ….total_seconds()".to_owned());
            }
            MontyNode::Repr(text)
                if text.ends_with("iterator object>") || text.starts_with("dict_") =>
            {
                return Err(format!("JSON has no {}; pass list(…)", shortened(text)));
            }
            MontyNode::Repr(text) => return Err(format!("JSON has no {}", shortened(text))),
            _ => return Err(format!("JSON has no {}", self.type_name(id))),
        }
        Ok(())
    }

    fn instance(
        &mut self,
        class: NodeId,
        attrs: &[(NodeId, NodeId)],
        id: NodeId,
    ) -> Result<(), String> {
        let graph = self.graph;
        let MontyNode::ClassType(class) = graph.node(class) else {
            return Err(format!("JSON has no {}", self.type_name(id)));
        };
        let fields: Vec<(&str, NodeId)> = attrs
            .iter()
            .filter_map(|&(name, value)| match graph.node(name) {
                MontyNode::String(name) => Some((name.as_str(), value)),
                _ => None,
            })
            .collect();
        let field =
            |wanted: &str| fields.iter().find(|(name, _)| *name == wanted).map(|&(_, value)| value);
        match (class.name.as_str(), field("columns"), field("rows"), field("_tables")) {
            ("Table", Some(columns), rows, _) => self.table(columns, rows, field("_source")),
            ("Tables", _, _, Some(tables)) => self.value(tables),
            ("Document", ..) => {
                Err("a Document is no value; pass its .text or one of its .tables".to_owned())
            }
            _ if class.is_dataclass => self.members(
                fields.into_iter().map(|(name, value)| (Ok(name.to_owned()), value)).collect(),
            ),
            (name, ..) => Err(format!("JSON has no {name}")),
        }
    }

    /// Writes a table by reference, unless it is small and the script made or changed it.
    fn table(
        &mut self,
        columns: NodeId,
        rows: Option<NodeId>,
        source: Option<NodeId>,
    ) -> Result<(), String> {
        let graph = self.graph;
        let source = source.and_then(|id| match graph.node(id) {
            MontyNode::String(source) if !source.is_empty() => Some(source),
            _ => None,
        });
        let list = |id: NodeId| match graph.node(id) {
            MontyNode::List(items) => Some(items.as_slice()),
            _ => None,
        };
        let rows_as_list = rows.and_then(list);
        let most = match self.form {
            Form::Argument => INLINE_CELLS,
            Form::Plain => SHOWN_CELLS,
        };
        if let (Some(context), Some(names)) = (Context::current(), list(columns)) {
            let names = names.iter().map(|&id| self.key(id)).collect::<Result<Vec<_>, _>>()?;
            let in_host = source.map(|source| context.table(source)).transpose();
            let in_host = match (in_host, rows) {
                (Ok(table), _) => table,
                // The rows that were read are still there.
                (Err(_), Some(_)) => None,
                (Err(problem), None) => return Err(problem),
            };
            if let (Some(table), Some(source)) = (&in_host, source) {
                let is_same = match (rows, rows_as_list) {
                    (None, _) => true,
                    (Some(_), Some(rows)) => {
                        has_rows(graph, rows, &**table).map_err(|error| describe(&error))?
                    }
                    (Some(_), None) => false,
                };
                if is_same {
                    return self.host_table(&context, table, source, &names);
                }
            }
            if let Some(rows) = rows_as_list
                && rows.len().saturating_mul(names.len()) > most
                && let Some(table) = built(&context, graph, &names, rows)?
            {
                let source = context.cut_out(Rc::clone(&table));
                return self.host_table(&context, &table, &source, &names);
            }
        }
        let rows = rows.ok_or_else(|| "a table whose rows were not read".to_owned())?;
        self.members(vec![(Ok("columns".to_owned()), columns), (Ok("rows".to_owned()), rows)])
    }

    fn host_table(
        &mut self,
        context: &Context,
        table: &Rc<dyn HostTable>,
        source: &str,
        names: &[String],
    ) -> Result<(), String> {
        let own = table.columns();
        let (mut table, mut source) = (Rc::clone(table), source.to_owned());
        if own != names {
            // The script uses other names for the columns.
            if own.len() != names.len() {
                return Err(format!("a table of {} columns has {} names", own.len(), names.len()));
            }
            let columns: Vec<_> = (0_u32..).zip(names.iter().cloned()).collect();
            table = table.select(&columns).map_err(|error| describe(&error))?;
            source = context.cut_out(Rc::clone(&table));
        }
        if self.form == Form::Argument {
            let reference = context.reference(&source, &table);
            self.out.push_str("{\"$ref\":");
            quote(&reference, self.out);
            self.out.push('}');
            return Ok(());
        }
        self.out.push_str("{\"columns\":[");
        for (index, name) in names.iter().enumerate() {
            self.out.push_str(if index > 0 { "," } else { "" });
            quote(name, self.out);
        }
        let is_small = table.rows().saturating_mul(names.len() as u64) <= SHOWN_CELLS as u64;
        if is_small {
            self.out.push_str("],\"rows\":");
            self.exact_rows(&*table, table.rows())?;
        } else {
            self.display(format_args!("],\"row_count\":{},\"first_rows\":", table.rows()));
            self.exact_rows(&*table, FIRST_ROWS)?;
            self.out.push_str(",\"$ref\":");
            let reference = context.reference(&source, &table);
            quote(&reference, self.out);
        }
        self.out.push('}');
        Ok(())
    }

    /// Writes the first rows, with the digits of the table.
    fn exact_rows(&mut self, table: &dyn HostTable, length: u64) -> Result<(), String> {
        let chunk = |column| table.slice(column, 0, length).map_err(|error| describe(&error));
        let width = u32::try_from(table.columns().len()).unwrap_or(u32::MAX);
        let chunks = (0..width).map(chunk).collect::<Result<Vec<Chunk>, _>>()?;
        self.out.push('[');
        for row in 0..chunks.first().map_or(0, Chunk::len) {
            self.out.push_str(if row > 0 { ",[" } else { "[" });
            for (column, chunk) in chunks.iter().enumerate() {
                self.out.push_str(if column > 0 { "," } else { "" });
                match chunk.cell(row) {
                    Cell::Null => self.out.push_str("null"),
                    Cell::Boolean(value) => self.display(value),
                    Cell::Number(text) => self.out.push_str(&text),
                    Cell::Text(text) => quote(&text, self.out),
                }
            }
            self.out.push(']');
        }
        self.out.push(']');
        Ok(())
    }

    fn items(&mut self, items: &[NodeId]) -> Result<(), String> {
        self.out.push('[');
        for (index, &item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.path.push(index.to_string());
            self.value(item)?;
            self.path.pop();
        }
        self.out.push(']');
        Ok(())
    }

    fn members(&mut self, members: Vec<(Result<String, String>, NodeId)>) -> Result<(), String> {
        self.out.push('{');
        for (index, (name, value)) in members.into_iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            let name = name?;
            quote(&name, self.out);
            self.out.push(':');
            self.path.push(name);
            self.value(value)?;
            self.path.pop();
        }
        self.out.push('}');
        Ok(())
    }

    fn key(&self, id: NodeId) -> Result<String, String> {
        match self.graph.node(id) {
            MontyNode::String(text) | MontyNode::Decimal(text) => Ok(text.clone()),
            MontyNode::Int(value) => Ok(value.to_string()),
            MontyNode::BigInt(value) => Ok(value.to_string()),
            MontyNode::Date(value) => Ok(date(value)),
            MontyNode::DateTime(value) => Ok(datetime(value)),
            MontyNode::Time(value) => Ok(time(value)),
            _ => Err(format!("expected a string as key, got {}", self.type_name(id))),
        }
    }

    fn display(&mut self, value: impl std::fmt::Display) {
        write!(self.out, "{value}").expect("writing to a string does not fail");
    }

    fn type_name(&self, id: NodeId) -> String {
        self.graph.value(id).type_name().to_owned()
    }
}

/// Builds a large table of the script in the host. `None` if a cell has a form in JSON only.
fn built(
    context: &Context,
    graph: &MontyGraph,
    names: &[String],
    rows: &[NodeId],
) -> Result<Option<Rc<dyn HostTable>>, String> {
    let parts = rows.chunks(PART_ROWS as usize).map(|rows| chunks(graph, names.len(), rows));
    let Some(parts) = parts.collect::<Option<Vec<_>>>() else { return Ok(None) };
    context.host.build(names, parts).map(Some).map_err(|error| describe(&error))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn date(value: &MontyDate) -> String {
    format!("{:04}-{:02}-{:02}", value.year, value.month, value.day)
}

fn datetime(value: &MontyDateTime) -> String {
    let mut text = format!("{:04}-{:02}-{:02}T", value.year, value.month, value.day);
    clock(
        &mut text,
        [value.hour, value.minute, value.second],
        value.microsecond,
        value.offset_seconds,
    );
    text
}

fn time(value: &MontyTime) -> String {
    let mut text = String::new();
    clock(
        &mut text,
        [value.hour, value.minute, value.second],
        value.microsecond,
        value.offset_seconds,
    );
    text
}

/// Writes a time of day like `isoformat()`.
fn clock(out: &mut String, [hour, minute, second]: [u8; 3], microsecond: u32, offset: Option<i32>) {
    let mut add = |text: String| out.push_str(&text);
    add(format!("{hour:02}:{minute:02}:{second:02}"));
    if microsecond > 0 {
        add(format!(".{microsecond:06}"));
    }
    if let Some(offset) = offset {
        let (sign, offset) = if offset < 0 { ('-', -offset) } else { ('+', offset) };
        add(format!("{sign}{:02}:{:02}", offset / 3_600, offset / 60 % 60));
        if offset % 60 > 0 {
            add(format!(":{:02}", offset % 60));
        }
    }
}

/// Writes Base64 with the standard alphabet and padding.
fn base64(bytes: &[u8], out: &mut String) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, &byte| group << 8 | u32::from(byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let index = (group >> (18 - 6 * place)) & 63;
            out.push(if place <= chunk.len() { char::from(ALPHABET[index as usize]) } else { '=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, base64, write};
    use monty_types::{MontyDateTime, MontyObject, unstable};

    fn encoded(value: &MontyObject) -> String {
        let (graph, root) = unstable::graph_parts(value);
        let mut out = String::new();
        match write(graph, root, Form::Argument, &mut out) {
            Ok(()) => out,
            Err(error) => format!("{}: {}", error.pointer, error.reason),
        }
    }

    #[test]
    fn values() {
        let noon = MontyDateTime {
            year: 2024,
            month: 2,
            day: 3,
            hour: 12,
            minute: 0,
            second: 5,
            microsecond: 70,
            offset_seconds: Some(-5_400),
            timezone_name: None,
        };
        for (value, expected) in [
            (MontyObject::float(0.1), "0.1"),
            (MontyObject::float(1e300), "1e300"),
            (MontyObject::float(f64::NAN), ": JSON has no nan; use None where there is no number"),
            (MontyObject::decimal("1.20E+5"), "1.20e5"),
            (
                MontyObject::decimal("-Infinity"),
                ": JSON has no -Infinity; use None where there is no number",
            ),
            (MontyObject::string("a\"\n\u{1}年"), r#""a\"\n\u0001年""#),
            (MontyObject::datetime(noon), r#""2024-02-03T12:00:05.000070-01:30""#),
            (
                MontyObject::dict([(
                    MontyObject::int(1),
                    MontyObject::tuple([MontyObject::none()]),
                )]),
                r#"{"1":[null]}"#,
            ),
            (
                MontyObject::dict([(
                    MontyObject::string("a/b"),
                    MontyObject::list([MontyObject::set([])]),
                )]),
                "/a~1b/0: a set has no order; pass sorted(…)",
            ),
            (MontyObject::bytes(b"abcd".to_vec()), "\"YWJjZA==\""),
        ] {
            assert_eq!(encoded(&value), expected);
        }
    }

    #[test]
    fn base64_has_padding() {
        for (bytes, expected) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj")] {
            let mut out = String::new();
            base64(bytes.as_bytes(), &mut out);
            assert_eq!(out, expected);
        }
    }
}
