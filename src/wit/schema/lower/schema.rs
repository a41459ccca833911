//! Writes shapes as a JSON Schema in the dialect of a decoder.
//!
//! What the dialect cannot express is put into the description of its place and listed as a loss. Reads [`Rules`]; knows no
//! provider.

use super::parts::{NULL_FOR_DEFAULT, anything, flat, is_decimal, kind, nullable, one, typed};
use super::pattern;
use super::rules::{Bounds, Items, Pattern, Rules};
use super::shape::{
    Document, Flags, Integer, List, Map as MapShape, Meaning, Node, Property, Range, Shape, Text,
};
use super::words;
use super::{Loss, LossKind};
use serde_json::{Map, Number, Value, json};

type Keywords = Map<String, Value>;

use crate::schema::{BASE64, OBJECT_AS_TEXT, TABLE};

/// The pattern of a 64-bit integer as text.
const DIGITS: &str = "^-?(0|[1-9][0-9]{0,19})$";

/// Largest repetition in a simple pattern. Anthropic refuses "complex {n,m} quantifiers with large ranges", without a
/// number.
const SIMPLE_COUNT: u32 = 100;

/// Describes a table that is written in columns and rows.
const TABLE_IN_COLUMNS: &str = "(a table, here as column names, and rows with one cell per column)";

/// Returns `document` in the dialect of `rules`, and its losses. If `quiet`, descriptions do not mention them.
pub(super) fn write(document: &Document, rules: &Rules, quiet: bool) -> (Value, Vec<Loss>) {
    let mut writer = Writer { document, rules, losses: Vec::new(), quiet };
    let root = writer.node(&document.root);
    let mut schema = root.into_schema();
    if !document.definitions.is_empty() {
        let definitions = document.definitions.iter();
        let definitions: Keywords = definitions
            .map(|(name, node)| (name.clone(), writer.node(node).into_schema()))
            .collect();
        if let Value::Object(keywords) = &mut schema {
            keywords.insert("$defs".into(), Value::Object(definitions));
        }
    }
    (schema, writer.losses)
}

struct Writer<'a> {
    document: &'a Document,
    rules: &'a Rules,
    losses: Vec<Loss>,
    /// Losses are listed, but not mentioned in descriptions.
    quiet: bool,
}

/// A schema, and the sentences of its description.
struct SchemaDraft {
    keywords: Keywords,
    title: Option<String>,
    /// Paragraphs of the description.
    said: Vec<String>,
    /// `true` for a reference that allows nothing beside it.
    alone: bool,
}

impl SchemaDraft {
    /// Returns the schema with its description first. The sentences of a lone reference have been moved elsewhere.
    fn into_schema(self) -> Value {
        let mut keywords = Keywords::new();
        if !self.alone {
            keywords.extend(self.title.map(|title| ("title".to_owned(), title.into())));
            if !self.said.is_empty() {
                keywords.insert("description".into(), self.said.join("\n").into());
            }
        }
        keywords.extend(self.keywords);
        Value::Object(keywords)
    }

    /// Takes the sentences of a reference that has no room for them.
    fn take_unsaid(&mut self) -> Option<String> {
        (self.alone && !self.said.is_empty()).then(|| std::mem::take(&mut self.said).join(" "))
    }
}

/// Sentences about one node, by kind.
#[derive(Default)]
struct Remarks {
    lost: Vec<String>,
    shaped: Vec<String>,
    /// Not lost, only put into words.
    noted: Vec<String>,
    /// Lost without a sentence, because nobody writes such a value.
    unsaid: Vec<(String, LossKind)>,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node) -> SchemaDraft {
        self.node_but(node, false)
    }

    /// Writes `node`, without null among its values if `omit_null`.
    fn node_but(&mut self, node: &Node, omit_null: bool) -> SchemaDraft {
        let mut remarks = Remarks { lost: node.unread.clone(), ..Remarks::default() };
        let mut said: Vec<String> = node.notes.description.iter().cloned().collect();
        let mut keywords = match &node.shape {
            Shape::Any if self.rules.plain => anything(self.quiet),
            Shape::Any => Keywords::new(),
            Shape::Never => {
                remarks.lost.push("nothing is accepted here".into());
                typed("null")
            }
            Shape::Null => typed("null"),
            Shape::Boolean => typed("boolean"),
            Shape::Integer(integer) => self.integer(integer, &mut remarks),
            Shape::Number(range) => self.number(range, &mut remarks),
            Shape::String(text) if text.meaning == Meaning::Object && self.rules.open_objects => {
                said.retain(|text| text != OBJECT_AS_TEXT);
                let mut keywords = typed("object");
                keywords.insert("additionalProperties".into(), true.into());
                keywords
            }
            Shape::String(text) => self.text(text, &mut remarks),
            Shape::Literals(values) => self.literals(values, &mut remarks),
            Shape::List(list) => self.list(list, &mut remarks, &mut said),
            Shape::Tuple(items) if self.rules.plain => self.items(items, &mut remarks, &mut said),
            Shape::Tuple(items) => self.tuple(items, &mut remarks, &mut said),
            Shape::Flags(flags) if self.rules.plain => self.names(flags, &mut remarks),
            Shape::Flags(flags) => self.flags(flags, &mut remarks),
            Shape::Object(fields) => self.object(fields, &mut said),
            Shape::Map(map) => self.map(map, &mut remarks, &mut said),
            Shape::AnyOf(branches) => self.any_of(branches, omit_null, &mut remarks, &mut said),
            Shape::Ref(name) => one("$ref", format!("#/$defs/{}", super::pointer::step(name))),
        };
        self.annotate(node, &mut keywords, &mut remarks);
        said.extend(remarks.noted);
        for (sentences, kind) in
            [(remarks.shaped, LossKind::Shape), (remarks.lost, LossKind::Constraint)]
        {
            if !sentences.is_empty() && !self.quiet {
                said.push(format!("({})", sentences.join("; ")));
            }
            self.losses.extend(sentences.into_iter().map(|text| Loss {
                pointer: node.at.clone(),
                kind,
                text,
            }));
        }
        self.losses.extend(remarks.unsaid.into_iter().map(|(text, kind)| Loss {
            pointer: node.at.clone(),
            kind,
            text,
        }));
        let alone = self.is_alone(&keywords);
        SchemaDraft { keywords, title: node.notes.title.clone(), said, alone }
    }

    fn is_alone(&self, keywords: &Keywords) -> bool {
        self.rules.lone_reference && keywords.contains_key("$ref")
    }

    /// Adds defaults and examples: as keywords if they are supported, otherwise in words.
    fn annotate(&self, node: &Node, keywords: &mut Keywords, remarks: &mut Remarks) {
        let alone = self.is_alone(keywords);
        for (keyword, value) in
            [("default", &node.notes.default), ("examples", &node.notes.examples)]
        {
            let Some(value) = value else { continue };
            if self.rules.annotations && !alone {
                keywords.insert(keyword.into(), value.clone());
            } else {
                remarks.noted.push(match (keyword, value) {
                    ("examples", Value::Array(values)) => {
                        let values: Vec<String> = values.iter().map(words::shown).collect();
                        format!("For example: {}", values.join(", "))
                    }
                    _ => format!("Default: {}", words::shown(value)),
                });
            }
        }
    }

    /// Writes `node` as the part `name` of another node, whose description takes the sentences of a lone reference. A part
    /// without a name is an item or an alternative.
    fn part(&mut self, node: &Node, name: &str, said: &mut Vec<String>) -> Value {
        self.part_but(node, name, said, false)
    }

    fn part_but(
        &mut self,
        node: &Node,
        name: &str,
        said: &mut Vec<String>,
        omit_null: bool,
    ) -> Value {
        let mut written = self.node_but(node, omit_null);
        said.extend(written.take_unsaid().map(|text| match name {
            "" => text,
            name => format!("- `{name}`: {text}"),
        }));
        written.into_schema()
    }

    fn integer(&self, integer: &Integer, remarks: &mut Remarks) -> Keywords {
        let mut keywords = typed("integer");
        let mut lost = integer.clone();
        let fits = |limit: i128| limit.abs() <= self.rules.largest_bound;
        if self.rules.bounds != Bounds::None {
            for (keyword, limit) in [("minimum", &mut lost.minimum), ("maximum", &mut lost.maximum)]
            {
                if let Some(fitting) = limit.filter(|limit| fits(*limit))
                    && let Ok(fitting) = i64::try_from(fitting)
                {
                    keywords.insert(keyword.into(), fitting.into());
                    *limit = None;
                }
            }
        }
        self.multiple_of(&mut lost.multiple_of, &mut keywords);
        if self.rules.plain && integer.wide {
            let of_type =
                |limit: &i128| [i64::MIN.into(), i64::MAX.into(), u64::MAX.into()].contains(limit);
            let ends = Integer {
                minimum: lost.minimum.take_if(|it| of_type(it)),
                maximum: lost.maximum.take_if(|it| of_type(it)),
                ..Integer::default()
            };
            let ends = words::integer(&ends).into_iter();
            remarks.unsaid.extend(ends.map(|text| (text, LossKind::Constraint)));
        }
        remarks.lost.extend(words::integer(&lost));
        if integer.wide && self.rules.wide_as_string {
            let mut digits = typed("string");
            digits.insert("pattern".into(), DIGITS.into());
            return one("anyOf", vec![Value::Object(keywords), Value::Object(digits)]);
        }
        keywords
    }

    fn number(&self, range: &Range, remarks: &mut Remarks) -> Keywords {
        let mut keywords = typed("number");
        let mut lost = range.clone();
        let inclusive = matches!(self.rules.bounds, Bounds::Inclusive | Bounds::All);
        let exclusive = self.rules.bounds == Bounds::All;
        let largest = self.rules.largest_bound as f64;
        for (keyword, limit, known) in [
            ("minimum", &mut lost.minimum, inclusive),
            ("exclusiveMinimum", &mut lost.exclusive_minimum, exclusive),
            ("maximum", &mut lost.maximum, inclusive),
            ("exclusiveMaximum", &mut lost.exclusive_maximum, exclusive),
        ] {
            let fits =
                limit.as_ref().and_then(Number::as_f64).is_some_and(|it| it.abs() <= largest);
            if known
                && fits
                && let Some(limit) = limit.take()
            {
                keywords.insert(keyword.into(), limit.into());
            }
        }
        // The nearest bound that can be expressed; the exact one stays in words.
        if inclusive && !exclusive {
            for (keyword, limit) in
                [("minimum", &lost.exclusive_minimum), ("maximum", &lost.exclusive_maximum)]
            {
                if let Some(limit) = limit
                    && limit.as_f64().is_some_and(|it| it.abs() <= largest)
                {
                    keywords.entry(keyword).or_insert_with(|| limit.clone().into());
                }
            }
        }
        self.multiple_of(&mut lost.multiple_of, &mut keywords);
        remarks.lost.extend(words::range(&lost));
        keywords
    }

    fn multiple_of(&self, step: &mut Option<Number>, keywords: &mut Keywords) {
        if self.rules.multiple_of
            && let Some(step) = step.take()
        {
            keywords.insert("multipleOf".into(), step.into());
        }
    }

    fn text(&self, text: &Text, remarks: &mut Remarks) -> Keywords {
        let mut keywords = typed("string");
        let mut lost = text.clone();
        if let Some(pattern) = self.pattern(&mut lost) {
            keywords.insert("pattern".into(), pattern.into());
        } else if let Some(format) = &text.format
            && self.rules.formats.contains(&format.as_str())
        {
            keywords.insert("format".into(), format.clone().into());
            lost.format = None;
        }
        let free = self.rules.length_beside_pattern || keywords.len() == 1;
        if let Some(longest) = self.rules.length.filter(|_| free) {
            if text.min > 0 && text.min <= longest {
                keywords.insert("minLength".into(), text.min.into());
                lost.min = 0;
            }
            if let Some(max) = text.max.filter(|max| *max <= longest) {
                keywords.insert("maxLength".into(), max.into());
                lost.max = None;
            }
        }
        remarks.lost.extend(words::text(&lost));
        keywords
    }

    /// Returns the pattern that is kept, and removes it from `lost`. A dialect has room for one, and allows no format beside
    /// it.
    fn pattern(&self, lost: &mut Text) -> Option<String> {
        if self.rules.pattern == Pattern::None {
            return None;
        }
        let known = |pattern: &String| match (pattern::parse(pattern), self.rules.pattern) {
            (None, _) | (_, Pattern::None) => false,
            (Some(parsed), Pattern::Whole) => parsed.is_whole(),
            (Some(parsed), Pattern::Plain) => parsed.is_whole() && !parsed.body.needs_escapes(),
            (Some(parsed), Pattern::Simple) => {
                parsed.largest_count <= SIMPLE_COUNT && !pattern.contains("(?")
            }
            (Some(_), Pattern::All) => true,
        };
        if let Some(at) = lost.patterns.iter().position(known) {
            let pattern = lost.patterns.remove(at);
            pattern::imply(&pattern, lost);
            return Some(pattern);
        }
        std::mem::take(&mut lost.base64).then(|| BASE64.to_owned())
    }

    fn literals(&self, values: &[Value], remarks: &mut Remarks) -> Keywords {
        type IsKind = fn(&Value) -> bool;
        let kinds: [(&str, IsKind); 5] = [
            ("null", Value::is_null),
            ("boolean", Value::is_boolean),
            ("integer", |it| it.is_i64() || it.is_u64()),
            ("number", Value::is_f64),
            ("string", Value::is_string),
        ];
        let mut branches: Vec<Value> = Vec::new();
        for (kind, is_kind) in kinds {
            let values: Vec<Value> = values.iter().filter(|it| is_kind(it)).cloned().collect();
            if values.is_empty() {
                continue;
            }
            let mut keywords = typed(kind);
            if kind == "boolean" && !self.rules.any_literal {
                remarks.lost.push(words::one_of(&values));
            } else if kind != "null" {
                match &values[..] {
                    [value] if self.rules.constant => {
                        keywords.insert("const".into(), value.clone())
                    }
                    _ => keywords.insert("enum".into(), Value::Array(values)),
                };
            }
            branches.push(Value::Object(keywords));
        }
        match branches.len() {
            1 => match branches.remove(0) {
                Value::Object(keywords) => keywords,
                _ => Keywords::new(),
            },
            _ => one("anyOf", Value::Array(branches)),
        }
    }

    fn list(&mut self, list: &List, remarks: &mut Remarks, said: &mut Vec<String>) -> Keywords {
        let mut keywords = typed("array");
        keywords.insert("items".into(), self.part(&list.items, "", said));
        let mut lost = list.clone();
        self.limits(&mut keywords, &mut lost.min, &mut lost.max);
        remarks.lost.extend(words::list(&lost));
        keywords
    }

    /// Writes `minItems` and `maxItems` as far as they are supported.
    fn limits(&self, keywords: &mut Keywords, min: &mut u64, max: &mut Option<u64>) {
        match self.rules.items {
            Items::ZeroOrOne => {
                if *min > 0 {
                    keywords.insert("minItems".into(), 1.into());
                }
                if *min == 1 && max.is_none() {
                    *min = 0;
                }
            }
            Items::UpTo(longest) => {
                if *min > 0 && *min <= longest {
                    keywords.insert("minItems".into(), (*min).into());
                    *min = 0;
                }
                if let Some(most) = max.filter(|max| *max <= longest) {
                    keywords.insert("maxItems".into(), most.into());
                    *max = None;
                }
            }
        }
    }

    fn tuple(&mut self, items: &[Node], remarks: &mut Remarks, said: &mut Vec<String>) -> Keywords {
        let schemas = items.iter().enumerate();
        let schemas: Vec<Value> =
            schemas.map(|(index, item)| self.part(item, &index.to_string(), said)).collect();
        if !self.rules.tuple_as_object {
            let count = schemas.len();
            let mut keywords = typed("array");
            keywords.insert("prefixItems".into(), Value::Array(schemas));
            // Gemini does not support a boolean `items`; the maximum length has the same effect.
            if !self.rules.ordering {
                keywords.insert("items".into(), false.into());
            }
            keywords.insert("minItems".into(), count.into());
            keywords.insert("maxItems".into(), count.into());
            return keywords;
        }
        remarks.shaped.push(match items.len() {
            0 => "an empty tuple, written as an empty object".into(),
            1 => "a tuple, written as an object with the key \"0\"".into(),
            count => {
                format!("a tuple, written as an object with the keys \"0\" to \"{}\"", count - 1)
            }
        });
        let properties = schemas.into_iter().enumerate();
        self.closed(properties.map(|(index, schema)| (index.to_string(), schema)).collect(), None)
    }

    /// Writes a tuple as an array whose `items` accept each of its parts.
    fn items(&mut self, items: &[Node], remarks: &mut Remarks, said: &mut Vec<String>) -> Keywords {
        let schemas = items.iter().enumerate();
        let schemas: Vec<Value> =
            schemas.map(|(index, item)| self.part(item, &index.to_string(), said)).collect();
        let count = schemas.len();
        let mut kinds: Vec<Value> = Vec::new();
        for schema in &schemas {
            if !kinds.contains(schema) {
                kinds.push(schema.clone());
            }
        }
        if kinds.len() > 1 {
            let order: Vec<&str> = schemas.iter().map(kind).collect();
            remarks.lost.push(format!("the items in this order: {}", order.join(", ")));
        }
        let items = match kinds.len() {
            0 => json!({"type": "null"}),
            1 => kinds.remove(0),
            _ => Value::Object(one("anyOf", flat(kinds))),
        };
        let mut keywords = typed("array");
        keywords.insert("items".into(), items);
        keywords.insert("minItems".into(), count.into());
        keywords.insert("maxItems".into(), count.into());
        keywords
    }

    /// Writes flags as an array of the names that are set.
    fn names(&self, flags: &Flags, remarks: &mut Remarks) -> Keywords {
        let mut keywords = typed("array");
        keywords.insert("items".into(), json!({"type": "string", "enum": flags.names}));
        let (mut min, mut max) = (flags.min, flags.max);
        self.limits(&mut keywords, &mut min, &mut max);
        remarks.lost.push(words::NO_ITEM_TWICE.to_owned());
        keywords
    }

    fn flags(&self, flags: &Flags, remarks: &mut Remarks) -> Keywords {
        remarks.shaped.push("flags, written as an object that says true or false for each".into());
        remarks.lost.extend(words::flags(flags));
        let properties = flags.names.iter().map(|name| (name.clone(), json!({"type": "boolean"})));
        self.closed(properties.collect(), None)
    }

    /// Returns an object of exactly `properties`, all of them required unless `required` lists fewer.
    fn closed(&self, properties: Keywords, required: Option<Vec<String>>) -> Keywords {
        let names: Vec<String> = properties.keys().cloned().collect();
        let mut keywords = typed("object");
        keywords.insert("properties".into(), Value::Object(properties));
        keywords.insert("required".into(), required.unwrap_or_else(|| names.clone()).into());
        keywords.insert("additionalProperties".into(), false.into());
        if self.rules.ordering {
            keywords.insert("propertyOrdering".into(), names.into());
        }
        keywords
    }

    fn object(&mut self, fields: &[Property], said: &mut Vec<String>) -> Keywords {
        let mut properties = Keywords::new();
        let mut required = Vec::new();
        for field in fields {
            let omit_null = !field.required && self.rules.omit_null;
            let mut schema = self.part_but(&field.node, &field.name, said, omit_null);
            if !field.required && self.rules.all_required && !self.document.admits_null(&field.node)
            {
                schema = nullable(schema);
                self.losses.push(Loss {
                    pointer: field.node.at.clone(),
                    kind: LossKind::Shape,
                    text: NULL_FOR_DEFAULT.into(),
                });
            }
            properties.insert(field.name.clone(), schema);
            if field.required || self.rules.all_required {
                required.push(field.name.clone());
            }
        }
        self.closed(properties, Some(required))
    }

    fn map(&mut self, map: &MapShape, remarks: &mut Remarks, said: &mut Vec<String>) -> Keywords {
        let mut key = Remarks::default();
        let names = self.text(&map.names, &mut key);
        let values = self.part(&map.values, "value", said);
        if self.rules.closed_objects {
            remarks
                .shaped
                .push("a map, written as an array of {\"key\", \"value\"}, no key twice".into());
            remarks.lost.extend(key.lost.into_iter().map(|text| format!("each key {text}")));
            let properties = [("key".into(), Value::Object(names)), ("value".into(), values)];
            let mut keywords = typed("array");
            let items = self.closed(properties.into_iter().collect(), None);
            keywords.insert("items".into(), Value::Object(items));
            return keywords;
        }
        remarks
            .lost
            .extend(words::text(&map.names).into_iter().map(|text| format!("each key {text}")));
        let mut keywords = typed("object");
        let values = match map.values.shape {
            Shape::Any if self.rules.plain => true.into(),
            _ => values,
        };
        keywords.insert("additionalProperties".into(), values);
        keywords
    }

    fn any_of(
        &mut self,
        branches: &[Node],
        omit_null: bool,
        remarks: &mut Remarks,
        said: &mut Vec<String>,
    ) -> Keywords {
        let table = self.rules.tables_in_columns
            && branches.iter().any(Node::is_rows_of_objects)
            && branches.iter().any(Node::is_columns_and_rows);
        // A client that validates must accept both forms. Results have only one.
        let has_both_forms = table && self.rules.plain && !self.quiet;
        if table && !has_both_forms {
            let shaped = "here only as columns and rows".to_owned();
            let both = said.iter_mut().find(|text| self.rules.plain && text.ends_with(TABLE));
            match both {
                // Keep one sentence and drop the other, which describes both forms.
                Some(text) => {
                    text.truncate(text.len() - TABLE.len());
                    text.push_str(TABLE_IN_COLUMNS);
                    remarks.unsaid.push((shaped, LossKind::Shape));
                }
                None => remarks.shaped.push(shaped),
            }
        }
        let decimal = self.rules.decimal_as_string && is_decimal(branches);
        if decimal {
            remarks.shaped.push("the number, written as a string".into());
        }
        let kept: Vec<&Node> = branches
            .iter()
            .filter(|it| !(table && it.is_rows_of_objects()))
            .filter(|it| !(decimal && matches!(it.shape, Shape::Number(_))))
            .filter(|it| !(omit_null && matches!(it.shape, Shape::Null)))
            .collect();
        if let [only] = kept[..]
            && !has_both_forms
        {
            let mut written = self.node(only);
            said.append(&mut written.said);
            return written.keywords;
        }
        let mut schemas = Vec::new();
        for branch in kept {
            schemas.push(self.part(branch, "", said));
            if has_both_forms && branch.is_columns_and_rows() {
                // OpenAI's strict mode refuses an object that explicitly allows any keys.
                schemas.push(json!({"type": "array", "items": {"type": "object"}}));
            }
        }
        if self.rules.plain {
            schemas = flat(schemas);
        }
        one("anyOf", Value::Array(schemas))
    }
}
