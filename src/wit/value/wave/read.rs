//! Converts nodes to JSON, guided by types: the JSON with the same meaning, for the one check that every call passes.
//!
//! A value that JSON can express is passed on even if it has the wrong type: the check refuses it, in its own words. Only
//! what JSON cannot express is reported here, such as a label instead of a number.

use super::super::decode::{Decoder, FieldIndex};
use super::super::json::{Json, duplicate};
use super::super::number::{Number, is_integer, is_number, parse_integer};
use super::super::path::Path;
use super::super::problem::{Problems, cut};
use super::super::range::EXACT_INTEGER;
use super::super::types::{EnumType, Field, Function, Type, same_name};
use super::parse::{Arguments, Case, Entries, Node, NodeKind, is_keyword};
use super::words::{MAX_SHOWN_CHARACTERS, SourcePosition, flattens, hint, shown};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use mitt_base::error::{Error, Result};

/// The purpose of the JSON.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Purpose {
    /// For the check: as it was written.
    Arguments,
    /// For readers of results: in the form of results, with `"NaN"`, strings for large integers, and no field left out.
    Result,
}

pub(super) struct Reader<'t> {
    text: &'t str,
    purpose: Purpose,
    problems: Problems,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, purpose: Purpose) -> Reader<'t> {
        Reader { text, purpose, problems: Problems::default() }
    }

    /// Converts the arguments of `function`. If some of them have no JSON form, the others are checked too, so that one
    /// report holds all problems; except those with handles, which only a session can check.
    pub(super) fn arguments(
        mut self,
        function: &Function,
        arguments: Arguments<'t>,
    ) -> Result<Json> {
        let at = Path::root("arguments");
        let params = &function.params;
        let json = match arguments {
            Arguments::Named(entries) => self.record(params, entries, &at),
            Arguments::Positional(items) => self.positional(params, items, &at),
        };
        if self.problems.is_empty() {
            return Ok(json);
        }
        if self.problems.is_full() {
            return self.problems.into_error().map_or(Ok(json), Err);
        }
        let (known, unknown): (Vec<Field>, Vec<Field>) =
            function.params.iter().cloned().partition(|param| !param.ty.holds_handle());
        let json = match json {
            Json::Object(mut members) => {
                members.retain(|(key, _)| unknown.iter().all(|param| param.key != *key));
                Json::Object(members)
            }
            other => other,
        };
        let function = Function { params: known, ..Function::default() };
        let mut decoder = Decoder::after(self.problems);
        let args = decoder.params(&function, json, &at);
        match decoder.finish(args) {
            Err(error) => Err(error),
            Ok(_) => Err(Error::bug("a problem of a WAVE call was lost")),
        }
    }

    /// Converts a value of type `ty`.
    pub(super) fn whole(mut self, ty: &Type, node: Node<'t>) -> Result<Json> {
        let json = self.value(ty, node, &Path::root("value"));
        self.problems.into_error().map_or(Ok(json), Err)
    }

    fn positional(&mut self, params: &[Field], items: Vec<Node<'t>>, at: &Path<'_>) -> Json {
        if let Some(extra) = items.get(params.len()) {
            let (wanted, got) = (params.len(), items.len());
            let position = self.position(extra.start);
            let noun = if wanted == 1 { "argument" } else { "arguments" };
            self.problems
                .add(at, || format!("expected at most {wanted} {noun}, got {got}, at {position}"));
        }
        let entries = params.iter().zip(items).map(|(param, item)| {
            (param.key.clone(), self.value(&param.ty, item, &at.key(&param.key)))
        });
        Json::Object(entries.collect())
    }

    fn value(&mut self, ty: &Type, node: Node<'t>, at: &Path<'_>) -> Json {
        self.value_reported_as(ty, ty, node, at)
    }

    /// Converts a value of type `ty`, which problems call `reported`.
    fn value_reported_as(
        &mut self,
        ty: &Type,
        reported: &Type,
        node: Node<'t>,
        at: &Path<'_>,
    ) -> Json {
        let Node { start, kind } = node;
        match (ty, kind) {
            (Type::Alias(alias), kind) => {
                self.value_reported_as(&alias.ty, reported, Node { start, kind }, at)
            }
            (Type::Narrowed(narrowed), kind) => {
                self.value_reported_as(&narrowed.ty, reported, Node { start, kind }, at)
            }
            (Type::Option(inner), kind) => self.option(inner, reported, Node { start, kind }, at),
            (Type::Cell, kind) => self.cell(reported, Node { start, kind }, at),
            (Type::Table | Type::TableHandle, kind) => {
                self.table(reported, Node { start, kind }, at)
            }
            (Type::Map(types), kind) => {
                self.map(&types.0, &types.1, reported, Node { start, kind }, at)
            }
            (Type::List(element) | Type::FixedList(element, _), NodeKind::List(items)) => {
                self.list(element, items, at)
            }
            (Type::Tuple(types), NodeKind::Tuple(items) | NodeKind::List(items)) => {
                let mut types = types.iter();
                let items = items.into_iter().enumerate().map(|(index, item)| match types.next() {
                    Some(ty) => self.value(ty, item, &at.index(index)),
                    None => Json::Null,
                });
                Json::Array(items.collect())
            }
            (Type::Record(record), NodeKind::Record(entries)) => {
                self.record(&record.fields, entries, at)
            }
            (Type::Record(record), NodeKind::Flags(flags)) if flags.is_empty() => {
                self.record(&record.fields, Vec::new(), at)
            }
            (Type::Variant(variant), NodeKind::Case(case)) => {
                let known = variant.cases.iter().find(|known| same_name(&known.name, case.name));
                self.tagged(case, known.and_then(|known| known.ty.as_ref()), at)
            }
            (Type::Result(types), NodeKind::Case(case)) if case.keyword && case.name == "ok" => {
                self.tagged(case, types.0.as_ref(), at)
            }
            (Type::Result(types), NodeKind::Case(case)) if case.keyword && case.name == "err" => {
                self.tagged(case, types.1.as_ref(), at)
            }
            (Type::Result(types), kind) => match &types.0 {
                // A bare value stands for `ok` if that is unambiguous.
                Some(ok) if flattens(ok) => {
                    let value = self.value(ok, Node { start, kind }, &at.key("val"));
                    Json::object([("tag", Json::from("ok")), ("val", value)])
                }
                _ => self.refuse(reported, &Node { start, kind }, at),
            },
            (Type::Bytes, NodeKind::List(items)) => self.bytes(&items, at),
            (ty, kind) => self.scalar(ty, reported, Node { start, kind }, at),
        }
    }

    /// Converts a value whose JSON has no parts.
    fn scalar(&mut self, ty: &Type, reported: &Type, node: Node<'t>, at: &Path<'_>) -> Json {
        let Node { start, kind } = node;
        match (ty, kind) {
            (Type::Enum(_), NodeKind::Case(Case { name, payload: None, .. })) => name.into(),
            (Type::Enum(it), NodeKind::Bool(value)) if has_case(it, &value.to_string()) => {
                value.to_string().into()
            }
            (Type::Enum(it), NodeKind::Number(name)) if has_case(it, name) => name.into(),
            (Type::Flags(_), NodeKind::Flags(names)) => {
                Json::Array(names.into_iter().map(Json::from).collect())
            }
            (Type::Char, NodeKind::Char(character)) => Json::String(character.into()),
            (Type::Json, NodeKind::String(text)) => {
                match Json::parse(text.as_bytes(), u64::MAX, Json::MAX_DEPTH) {
                    Ok(json) => json,
                    Err(_) => Json::String(text.into_owned()),
                }
            }
            (Type::Object, NodeKind::String(text)) => Json::String(text.into_owned()),
            (Type::Decimal, NodeKind::String(text)) => {
                Number::parse(&*text).map_or_else(|| text.into_owned().into(), Json::Number)
            }
            (Type::F32 | Type::F64, NodeKind::Number(name))
                if is_keyword(name.trim_start_matches('-')) && self.purpose == Purpose::Result =>
            {
                match name {
                    "nan" => "NaN".into(),
                    "inf" => "Infinity".into(),
                    _ => "-Infinity".into(),
                }
            }
            (Type::U64 | Type::S64, NodeKind::Number(text))
                if self.purpose == Purpose::Result && is_large(text) =>
            {
                text.into()
            }
            (Type::Variant(_), kind) => self.refuse(reported, &Node { start, kind }, at),
            (_, kind) => self.natural(reported, Node { start, kind }, at),
        }
    }

    /// Converts a value without regard to its type; the check then reports what is wrong with it. Parts of lists and records
    /// are left out, because no type that accepts a list or a record gets here.
    fn natural(&mut self, reported: &Type, node: Node<'t>, at: &Path<'_>) -> Json {
        match node.kind {
            NodeKind::Bool(value) => value.into(),
            NodeKind::String(text) => text.into_owned().into(),
            NodeKind::Number(text) if let Some(number) = Number::parse(text) => {
                Json::Number(number)
            }
            NodeKind::List(items) => Json::Array(items.iter().map(|_| Json::Null).collect()),
            NodeKind::Record(entries) => {
                Json::object(entries.into_iter().map(|(name, _)| (name, Json::Null)))
            }
            _ => self.refuse(reported, &node, at),
        }
    }

    fn option(&mut self, inner: &Type, reported: &Type, node: Node<'t>, at: &Path<'_>) -> Json {
        let some = |value| Json::object([("tag", Json::from("some")), ("val", value)]);
        let tagged = inner.admits_null();
        match node.kind {
            NodeKind::Case(Case { name: "none", keyword: true, .. }) => Json::Null,
            NodeKind::Case(Case { name: "some", keyword: true, payload: Some(payload) }) => {
                if tagged {
                    some(self.value(inner, *payload, &at.key("val")))
                } else {
                    self.value_reported_as(inner, reported, *payload, at)
                }
            }
            kind if flattens(inner) => {
                let node = Node { start: node.start, kind };
                if tagged {
                    some(self.value(inner, node, &at.key("val")))
                } else {
                    self.value_reported_as(inner, reported, node, at)
                }
            }
            kind => self.refuse(reported, &Node { start: node.start, kind }, at),
        }
    }

    fn list(&mut self, element: &Type, items: Vec<Node<'t>>, at: &Path<'_>) -> Json {
        let items = items.into_iter().enumerate();
        Json::Array(
            items.map(|(index, item)| self.value(element, item, &at.index(index))).collect(),
        )
    }

    fn record(&mut self, fields: &[Field], entries: Entries<'t>, at: &Path<'_>) -> Json {
        let mut members: Vec<(usize, (String, Json))> = Vec::with_capacity(entries.len());
        let (mut next, mut index) = (0, FieldIndex::default());
        for (name, node) in entries {
            // Members usually come in the order of the fields, so the search rarely goes on.
            let index = index.find(fields, name, next);
            match index.map(|index| (index, &fields[index])) {
                Some((index, field)) => {
                    next = index + 1;
                    let value = self.value(&field.ty, node, &at.key(&field.key));
                    members.push((index, (field.key.clone(), value)));
                }
                None => members.push((fields.len(), (name.to_owned(), Json::Null))),
            }
        }
        if self.purpose == Purpose::Result {
            let mut given = vec![false; fields.len() + 1];
            members.iter().for_each(|(index, _)| given[*index] = true);
            for (index, field) in fields.iter().enumerate() {
                if !given[index] && !field.required() {
                    members.push((index, (field.key.clone(), Json::Null)));
                }
            }
            members.sort_by_key(|(index, _)| *index);
        }
        let members: Vec<_> = members.into_iter().map(|(_, member)| member).collect();
        self.once(&members, at);
        Json::Object(members)
    }

    /// Reports duplicate keys; a kebab-case and a snake-case name may be the same.
    fn once(&mut self, members: &[(String, Json)], at: &Path<'_>) {
        if let Some(twice) = duplicate(members.iter().map(|(key, _)| key.as_str())) {
            let at = at.given(twice);
            self.problems.add(&at, || "the key appears twice".to_owned());
            self.problems.known(&at);
        }
    }

    fn tagged(&mut self, case: Case<'t>, ty: Option<&Type>, at: &Path<'_>) -> Json {
        let mut members = vec![("tag", Json::from(case.name))];
        match (ty, case.payload) {
            (Some(ty), Some(payload)) => {
                members.push(("val", self.value(ty, *payload, &at.key("val"))));
            }
            // The check says that there should be no payload.
            (None, Some(_)) => members.push(("val", Json::Null)),
            (_, None) => {}
        }
        Json::object(members)
    }

    fn map(
        &mut self,
        key: &Type,
        value: &Type,
        reported: &Type,
        node: Node<'t>,
        at: &Path<'_>,
    ) -> Json {
        let by_name = matches!(key.target(), Type::String);
        let mut named = Vec::new();
        let mut pairs = Vec::new();
        match node.kind {
            NodeKind::Flags(flags) if flags.is_empty() => {}
            // Labels stand for keys if keys can be labels.
            NodeKind::Record(entries) if by_name || matches!(key.target(), Type::Enum(_)) => {
                for (name, node) in entries {
                    let value = self.value(value, node, &at.given(name));
                    if by_name {
                        named.push((name.to_owned(), value));
                    } else {
                        pairs.push(Json::object([("key", Json::from(name)), ("value", value)]));
                    }
                }
            }
            NodeKind::List(items) => {
                for (index, item) in items.into_iter().enumerate() {
                    let at_pair = at.index(index);
                    let (key_node, value_node) = match pair(item) {
                        Ok(pair) => pair,
                        Err(item) => {
                            let position = self.position(item.start);
                            self.problems.add(&at_pair, || {
                                format!(
                                    "expected a tuple of key and value, got {}, at {position}",
                                    shown(&item.kind)
                                )
                            });
                            continue;
                        }
                    };
                    if by_name {
                        let NodeKind::String(name) = key_node.kind else {
                            self.refuse(key, &key_node, &at_pair.index(0));
                            continue;
                        };
                        let value = self.value(value, value_node, &at.given(&name));
                        named.push((name.into_owned(), value));
                    } else {
                        let key = self.value(key, key_node, &at_pair.key("key"));
                        let value = self.value(value, value_node, &at_pair.key("value"));
                        pairs.push(Json::object([("key", key), ("value", value)]));
                    }
                }
            }
            kind => return self.natural(reported, Node { start: node.start, kind }, at),
        }
        if by_name {
            self.once(&named, at);
            Json::Object(named)
        } else {
            Json::Array(pairs)
        }
    }

    /// Converts numbers to base64.
    fn bytes(&mut self, items: &[Node<'t>], at: &Path<'_>) -> Json {
        let mut bytes = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item.kind {
                NodeKind::Number(text) if let Ok(byte) = text.parse::<u8>() => bytes.push(byte),
                _ => {
                    let position = self.position(item.start);
                    let range = match item.kind {
                        NodeKind::Number(_) => "; the range is 0 to 255",
                        _ => "",
                    };
                    self.problems.add(&at.index(index), || {
                        format!("expected u8, got {}, at {position}{range}", shown(&item.kind))
                    });
                }
            }
        }
        if bytes.len() < items.len() {
            self.problems.known(at);
        }
        BASE64_STANDARD.encode(bytes).into()
    }

    /// Converts a cell as a variant, or a bare scalar.
    fn cell(&mut self, reported: &Type, node: Node<'t>, at: &Path<'_>) -> Json {
        let NodeKind::Case(Case { name, payload, .. }) = node.kind else {
            return self.natural(reported, node, at);
        };
        let payload = payload.map(|node| node.kind);
        match (name, payload) {
            ("null", None) => Json::Null,
            ("boolean", Some(NodeKind::Bool(value))) => value.into(),
            ("text", Some(NodeKind::String(text))) => text.into_owned().into(),
            ("number", Some(NodeKind::String(text))) if is_number(&text) => {
                Number::parse(text).map(Json::Number).unwrap_or_default()
            }
            ("number", Some(NodeKind::Number(text))) if is_number(text) => {
                Number::parse(text).map(Json::Number).unwrap_or_default()
            }
            (name, payload) => {
                let payload = payload.map(|kind| Box::new(Node { start: node.start, kind }));
                let kind = NodeKind::Case(Case { name, keyword: name == "none", payload });
                self.refuse(reported, &Node { start: node.start, kind }, at)
            }
        }
    }

    /// Converts a table: `{columns: […], rows: [[…]]}`, or a list of records.
    fn table(&mut self, reported: &Type, node: Node<'t>, at: &Path<'_>) -> Json {
        match node.kind {
            NodeKind::List(items) => {
                let items = items.into_iter().enumerate().map(|(index, item)| {
                    let at = at.index(index);
                    match item.kind {
                        NodeKind::Record(entries) => {
                            Json::object(entries.into_iter().map(|(name, node)| {
                                (name, self.cell(&Type::Cell, node, &at.given(name)))
                            }))
                        }
                        NodeKind::Flags(flags) if flags.is_empty() => Json::Object(Vec::new()),
                        kind => self.natural(reported, Node { start: item.start, kind }, &at),
                    }
                });
                Json::Array(items.collect())
            }
            NodeKind::Record(entries) => {
                let members = entries.into_iter().map(|(name, node)| {
                    let at = at.given(name);
                    let value = match name {
                        "columns" => self.nested(&Type::String, 1, node, &at),
                        "rows" => self.nested(&Type::Cell, 2, node, &at),
                        _ => Json::Null,
                    };
                    (name, value)
                });
                Json::object(members)
            }
            kind => self.natural(reported, Node { start: node.start, kind }, at),
        }
    }

    /// Converts `levels` of nested lists of values of type `ty`.
    fn nested(&mut self, ty: &Type, levels: u8, node: Node<'t>, at: &Path<'_>) -> Json {
        match node.kind {
            NodeKind::List(items) if levels > 0 => {
                let items = items.into_iter().enumerate();
                Json::Array(
                    items
                        .map(|(index, item)| self.nested(ty, levels - 1, item, &at.index(index)))
                        .collect(),
                )
            }
            kind if levels == 0 => self.value(ty, Node { start: node.start, kind }, at),
            kind => self.natural(&Type::Table, Node { start: node.start, kind }, at),
        }
    }

    /// Records that `node` has no JSON form for its type. The returned JSON is a placeholder, so that the rest can be
    /// checked.
    #[cold]
    fn refuse(&mut self, reported: &Type, node: &Node<'t>, at: &Path<'_>) -> Json {
        let position = self.position(node.start);
        self.problems.add(at, || {
            let mut text = format!(
                "expected {}, got {}, at {position}",
                cut(&reported.to_string(), MAX_SHOWN_CHARACTERS),
                shown(&node.kind)
            );
            if let Some(hint) = hint(reported.target(), &node.kind) {
                text.push_str("; ");
                text.push_str(&hint);
            }
            text
        });
        self.problems.known(at);
        Json::Null
    }

    /// `line 1, column 20`
    fn position(&self, offset: usize) -> SourcePosition<'t> {
        SourcePosition { text: self.text, offset }
    }
}

fn has_case(it: &EnumType, name: &str) -> bool {
    it.cases.iter().any(|case| case.name == name)
}

fn is_large(text: &str) -> bool {
    is_integer(text) && parse_integer(text).is_some_and(|it| it.abs() > EXACT_INTEGER)
}

/// Returns key and value of a map, from a tuple or a record.
fn pair<'t>(item: Node<'t>) -> Result<(Node<'t>, Node<'t>), Node<'t>> {
    let Node { start, kind } = item;
    match kind {
        NodeKind::Tuple(items) => <[Node<'t>; 2]>::try_from(items)
            .map(|[key, value]| (key, value))
            .map_err(|items| Node { start, kind: NodeKind::Tuple(items) }),
        NodeKind::Record(entries) => match <[(&str, Node<'t>); 2]>::try_from(entries) {
            Ok([("key", key), ("value", value)] | [("value", value), ("key", key)]) => {
                Ok((key, value))
            }
            Ok(entries) => Err(Node { start, kind: NodeKind::Record(entries.into()) }),
            Err(entries) => Err(Node { start, kind: NodeKind::Record(entries) }),
        },
        kind => Err(Node { start, kind }),
    }
}
