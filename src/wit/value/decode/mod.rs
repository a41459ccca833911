//! Decodes JSON to values of a type. `table.rs` has tables, cells and bytes, `integer.rs` integers, `members.rs` members of
//! objects, `labels.rs` names, and `resource.rs` handles of resources.
//!
//! A method returns `None` if and only if it has recorded a problem, and continues as far as it can, so that one report
//! holds all problems. Types are finite trees of bounded depth, which bounds the recursion.

mod integer;
mod labels;
mod members;
mod resource;
mod table;
mod table_handle;

use super::handles::{GivenHandles, Handles};
use super::json::{Json, duplicate};
use super::path::Path;
use super::problem::{
    NOT_A_STRING, ProblemText, Problems, cut, expected, listed, mismatch, quoted, shown, suggestion,
};
use super::range::{F32_LIMIT, integer_range};
use super::tables::GivenTables;
use super::types::{Case, Field, Function, RecordType, Type, VariantType, same_name};
use mitt_base::error::{Error, Result};
use wasmtime::component::Val;

pub(super) use members::FieldIndex;

/// Memory for values that the JSON does not spell out, in bytes.
///
/// A few bytes of JSON can stand for many values: `{}` for a record of a thousand options, one key for a column of a table,
/// one base64 digit for a value of forty bytes. Values that are spelled out are bounded by the size of the text.
const UNWRITTEN_BYTES: usize = 64 << 20;

/// Decodes the arguments of one call.
pub(super) struct Decoder<'h> {
    pub(super) problems: Problems,
    unwritten: usize,
    exhausted: bool,
    pub(super) handles: GivenHandles<'h>,
    pub(super) tables: GivenTables<'h>,
}

impl<'h> Decoder<'h> {
    pub(super) fn new(handles: Option<&'h dyn Handles>) -> Decoder<'h> {
        let handles = GivenHandles::new(handles);
        let tables = GivenTables::default();
        Decoder { problems: Problems::default(), unwritten: 0, exhausted: false, handles, tables }
    }

    /// Returns a decoder that adds to the `problems` found so far.
    pub(super) fn after(problems: Problems) -> Decoder<'h> {
        Decoder { problems, ..Decoder::new(None) }
    }

    /// Returns what was decoded, or the error that reports the problems.
    pub(super) fn finish<T>(self, decoded: Option<T>) -> Result<T> {
        match (self.problems.into_error(), decoded) {
            (None, Some(decoded)) => Ok(decoded),
            (Some(error), _) => Err(error),
            (None, None) => Err(Error::bug("arguments were refused without a reason")),
        }
    }

    /// Decodes the arguments of `function`.
    pub(super) fn params(
        &mut self,
        function: &Function,
        arguments: Json,
        at: &Path<'_>,
    ) -> Option<Vec<Val>> {
        match arguments {
            Json::Object(entries) => self.members(&function.params, entries, at, "parameter"),
            Json::String(text) if text.trim_start().starts_with('{') => {
                self.fail(at, || format!("expected an object, got a string; {NOT_A_STRING}"))
            }
            got => self.fail(at, || {
                let keys = function.params.iter().map(|param| param.key.as_str());
                format!(
                    "expected an object, got {}{}",
                    shown(&got),
                    listed(keys, "the parameters are")
                )
            }),
        }
    }

    /// Decodes a value of type `ty`.
    pub(super) fn value(&mut self, ty: &Type, json: Json, at: &Path<'_>) -> Option<Val> {
        self.value_reported_as(ty, ty, json, at)
    }

    /// Decodes a value of type `ty`, which problems call `reported`: an alias says more than its type, and an option would have
    /// accepted null too.
    fn value_reported_as(
        &mut self,
        ty: &Type,
        reported: &Type,
        json: Json,
        at: &Path<'_>,
    ) -> Option<Val> {
        match (ty, json) {
            (Type::String, Json::String(text)) => Some(Val::String(text)),
            (Type::Bool, Json::Bool(value)) => Some(Val::Bool(value)),
            (ty, Json::Number(number)) if integer_range(ty).is_some() => {
                self.integer(ty, reported, number, at)
            }
            (Type::U64 | Type::S64, Json::String(text)) => self.integer_text(ty, &text, at),
            (Type::F32, Json::Number(number)) => {
                // Slightly beyond the greatest value, numbers would still be rounded down to it.
                let within = |value: &f64| value.abs() <= F32_LIMIT;
                let value = number.as_str().parse().ok().filter(within);
                value
                    .and_then(|_| number.as_str().parse().ok())
                    .map(Val::Float32)
                    .or_else(|| self.out_of_range(ty, &shown(&Json::Number(number)), at))
            }
            (Type::F64, Json::Number(number)) => {
                let value = number.as_str().parse().ok().filter(|value: &f64| value.is_finite());
                value
                    .map(Val::Float64)
                    .or_else(|| self.out_of_range(ty, &shown(&Json::Number(number)), at))
            }
            (Type::Char, Json::String(text)) => {
                let mut characters = text.chars();
                match (characters.next(), characters.next()) {
                    (Some(character), None) => Some(Val::Char(character)),
                    _ => self.fail(at, || mismatch(reported, &Json::String(text))),
                }
            }
            (Type::Cell, json) => self.cell(json, at),
            (Type::Table, json) => self.table_value(json, reported, at),
            (Type::TableHandle, json) => self.table_handle(json, reported, at),
            (Type::Decimal, json) => self.decimal(json, reported, at).map(Val::String),
            (Type::Json, json) | (Type::Object, json @ Json::Object(_)) => {
                Some(Val::String(json.to_string()))
            }
            (Type::Object, Json::String(text)) => self.object_text(text, reported, at),
            (Type::Bytes, Json::String(text)) => self.bytes(&text, at),
            (Type::List(element), Json::Array(items)) => {
                self.list(element, items, at).map(Val::List)
            }
            (Type::FixedList(element, length), Json::Array(items))
                if u32::try_from(items.len()) == Ok(*length) =>
            {
                self.list(element, items, at).map(Val::FixedLengthList)
            }
            (Type::Tuple(types), Json::Array(items)) if types.len() == items.len() => {
                self.tuple(types, items, at)
            }
            (Type::Tuple(types), Json::Object(entries)) => {
                self.tuple_by_position(reported, types, entries, at)
            }
            (Type::Narrowed(narrowed), json) => {
                let Some(problem) = narrowed.bounds.violation(&narrowed.ty, reported, &json) else {
                    return self.value_reported_as(&narrowed.ty, reported, json, at);
                };
                self.problems.add(at, || problem);
                // The items of a list may have problems too.
                if let Json::Array(_) = json {
                    self.value_reported_as(&narrowed.ty, reported, json, at);
                }
                None
            }
            (Type::Map(types), json) => self.map(reported, &types.0, &types.1, json, at),
            (Type::Record(record), Json::Object(entries)) => self.record(record, entries, at),
            (Type::Alias(alias), json) => self.value_reported_as(&alias.ty, reported, json, at),
            (Type::Option(inner), json) => self.option(reported, inner, json, at),
            (Type::Variant(variant), Json::Object(entries)) => {
                self.variant(reported, variant, entries, at)
            }
            (Type::Enum(definition), Json::String(text)) => self.enumeration(definition, &text, at),
            (Type::Flags(flags), Json::Array(items)) => self.flags(flags, items, at),
            (Type::Flags(flags), Json::Object(entries)) => self.flags_object(flags, entries, at),
            (Type::Result(types), Json::Object(entries)) => {
                self.result(reported, types, entries, at)
            }
            (Type::Own(resource) | Type::Borrow(resource), json) => {
                self.handle(ty, resource, reported, &json, at)
            }
            (Type::Unsupported(_), _) => self
                .fail(at, || format!("`{ty}` has no JSON form, so this function cannot be called")),
            (_, json) => self.fail(at, || mismatch(reported, &json)),
        }
    }

    /// Records a problem.
    #[cold]
    pub(super) fn fail<T, S: Into<ProblemText>>(
        &mut self,
        at: &Path<'_>,
        text: impl FnOnce() -> S,
    ) -> Option<T> {
        self.problems.add(at, text);
        None
    }

    /// Accounts for `bytes` of values that the JSON does not spell out.
    pub(super) fn spend(&mut self, bytes: usize, at: &Path<'_>) -> Option<()> {
        self.unwritten = self.unwritten.saturating_add(bytes);
        if self.unwritten <= UNWRITTEN_BYTES {
            return Some(());
        }
        if !self.exhausted {
            self.exhausted = true;
            self.problems.add(at, || {
                format!(
                    "left-out values and decoded bytes together need over {} MiB",
                    UNWRITTEN_BYTES >> 20
                )
            });
        }
        None
    }

    /// Decodes an object from JSON text, the form for decoders that do not support open objects.
    fn object_text(&mut self, text: String, reported: &Type, at: &Path<'_>) -> Option<Val> {
        match Json::parse(&text, u64::MAX, Json::MAX_DEPTH) {
            Ok(Json::Object(_)) => Some(Val::String(text)),
            Ok(_) => self.fail(at, || mismatch(reported, &Json::String(text))),
            Err(error) => {
                self.fail(at, || mismatch(reported, &Json::String(text)).and(&format!(": {error}")))
            }
        }
    }

    fn list(&mut self, element: &Type, items: Vec<Json>, at: &Path<'_>) -> Option<Vec<Val>> {
        let wanted = items.len();
        let mut vals = Vec::with_capacity(wanted);
        for (index, item) in items.into_iter().enumerate() {
            vals.extend(self.value(element, item, &at.index(index)));
        }
        (vals.len() == wanted).then_some(vals)
    }

    fn tuple(&mut self, types: &[Type], items: Vec<Json>, at: &Path<'_>) -> Option<Val> {
        let mut vals = Vec::with_capacity(types.len());
        for (index, (ty, item)) in types.iter().zip(items).enumerate() {
            vals.extend(self.value(ty, item, &at.index(index)));
        }
        (vals.len() == types.len()).then_some(Val::Tuple(vals))
    }

    /// Decodes `{"0": …, "1": …}`, the form for decoders that do not support tuples.
    fn tuple_by_position(
        &mut self,
        reported: &Type,
        types: &[Type],
        mut entries: Vec<(String, Json)>,
        at: &Path<'_>,
    ) -> Option<Val> {
        let position =
            |key: &str| key.parse::<usize>().ok().filter(|index| index.to_string() == key);
        entries.sort_by_cached_key(|(key, _)| position(key));
        let complete = entries.len() == types.len()
            && entries.iter().enumerate().all(|(index, (key, _))| position(key) == Some(index));
        if !complete {
            return self.fail(at, || mismatch(reported, &Json::Object(entries)));
        }
        self.tuple(types, entries.into_iter().map(|(_, json)| json).collect(), at)
    }

    fn map(
        &mut self,
        ty: &Type,
        key: &Type,
        value: &Type,
        json: Json,
        at: &Path<'_>,
    ) -> Option<Val> {
        match json {
            Json::Object(entries) if matches!(key.target(), Type::String) => {
                let wanted = entries.len();
                let mut pairs = Vec::with_capacity(wanted);
                for (name, item) in entries {
                    if let Some(val) = self.value(value, item, &at.given(&name)) {
                        pairs.push((Val::String(name), val));
                    }
                }
                (pairs.len() == wanted).then_some(Val::Map(pairs))
            }
            // With string keys, this is the form for decoders that do not support maps.
            Json::Array(items) => {
                let fields = [
                    Field::new("key", key.clone(), None),
                    Field::new("value", value.clone(), None),
                ];
                let (wanted, mut seen, mut pairs) = (items.len(), Vec::new(), Vec::new());
                for (index, item) in items.into_iter().enumerate() {
                    let at = at.index(index);
                    let Json::Object(entries) = item else {
                        self.problems.add(&at, || {
                            format!("expected {{\"key\", \"value\"}}, got {}", shown(&item))
                        });
                        continue;
                    };
                    let vals = self.members(&fields, entries, &at, "member");
                    if let Some(Ok([key, value])) = vals.map(<[Val; 2]>::try_from) {
                        seen.push(key_text(&key));
                        pairs.push((key, value));
                    }
                }
                if let Some(twice) = duplicate(seen.iter().map(String::as_str)) {
                    return self.fail(at, || format!("the key {twice} appears twice"));
                }
                (pairs.len() == wanted).then_some(Val::Map(pairs))
            }
            json => self.fail(at, || mismatch(ty, &json)),
        }
    }

    fn record(
        &mut self,
        record: &RecordType,
        entries: Vec<(String, Json)>,
        at: &Path<'_>,
    ) -> Option<Val> {
        let vals = self.members(&record.fields, entries, at, "field")?;
        Some(Val::Record(record.fields.iter().map(|field| field.name.clone()).zip(vals).collect()))
    }

    fn option(&mut self, ty: &Type, inner: &Type, json: Json, at: &Path<'_>) -> Option<Val> {
        match json {
            Json::Null => Some(Val::Option(None)),
            Json::Object(entries) if inner.admits_null() => {
                let (_, val) = self.tagged(ty, entries, std::iter::once("some"), at)?;
                let val = self.payload(inner, val, at)?;
                Some(Val::Option(Some(Box::new(val))))
            }
            json if inner.admits_null() => self.fail(at, || mismatch(ty, &json)),
            json => self
                .value_reported_as(inner, ty, json, at)
                .map(|val| Val::Option(Some(Box::new(val)))),
        }
    }

    fn variant(
        &mut self,
        ty: &Type,
        variant: &VariantType,
        entries: Vec<(String, Json)>,
        at: &Path<'_>,
    ) -> Option<Val> {
        let names = variant.cases.iter().map(|case| case.name.as_str());
        if let [(key, _)] = &entries[..]
            && key != "tag"
            && let Some(case) = variant.cases.iter().find(|case| same_name(&case.name, key))
        {
            return self.fail(at, || {
                let val = if case.ty.is_some() { ", \"val\": …" } else { "" };
                let got = Json::Object(entries.clone());
                format!(
                    "expected {}, got {}; write {{\"tag\": {}{val}}}",
                    expected(ty),
                    shown(&got),
                    quoted(&case.name)
                )
            });
        }
        let (tag, val) = self.tagged(ty, entries, names, at)?;
        let Some(Case { name, ty, .. }) = variant.cases.get(tag) else {
            return self.fail(at, || "no such case".to_owned());
        };
        let payload = self.optional_payload(name, ty.as_ref(), val, at)?;
        Some(Val::Variant(name.clone(), payload))
    }

    fn result(
        &mut self,
        ty: &Type,
        types: &(Option<Type>, Option<Type>),
        entries: Vec<(String, Json)>,
        at: &Path<'_>,
    ) -> Option<Val> {
        let (tag, val) = self.tagged(ty, entries, ["ok", "err"].into_iter(), at)?;
        if tag == 0 {
            let payload = self.optional_payload("ok", types.0.as_ref(), val, at)?;
            Some(Val::Result(Ok(payload)))
        } else {
            let payload = self.optional_payload("err", types.1.as_ref(), val, at)?;
            Some(Val::Result(Err(payload)))
        }
    }

    /// Returns which of `tags` an object `{"tag", "val"}` has, and its `val`.
    fn tagged<'a>(
        &mut self,
        ty: &Type,
        entries: Vec<(String, Json)>,
        tags: impl Iterator<Item = &'a str> + Clone,
        at: &Path<'_>,
    ) -> Option<(usize, Option<Json>)> {
        let (mut tag, mut val, mut sound) = (None, None, true);
        for (key, json) in entries {
            match (&*key, json) {
                ("tag", Json::String(text)) => tag = Some(text),
                ("tag", got) => {
                    sound = false;
                    self.problems
                        .add(&at.key("tag"), || format!("expected a string, got {}", shown(&got)));
                }
                ("val", json) => val = Some(json),
                _ => {
                    sound = false;
                    self.problems.add(&at.given(&key), || {
                        ProblemText::of_type(format!("unknown member of {}", expected(ty)))
                    });
                }
            }
        }
        if !sound {
            return None;
        }
        let Some(tag) = tag else {
            return self
                .fail(at, || format!("expected {}, got an object without \"tag\"", expected(ty)));
        };
        let found = tags.clone().position(|name| same_name(name, &tag));
        if found.is_none() {
            self.problems.add(&at.key("tag"), || {
                let near = suggestion(&tag, tags, "the tags are");
                format!(
                    "expected a tag of {}, got string {}{near}",
                    cut(&ty.to_string(), 60),
                    quoted(&tag)
                )
            });
        }
        Some((found?, val))
    }

    fn optional_payload(
        &mut self,
        case: &str,
        ty: Option<&Type>,
        val: Option<Json>,
        at: &Path<'_>,
    ) -> Option<Option<Box<Val>>> {
        match (ty, val) {
            (None, None) => Some(None),
            (None, Some(_)) => {
                self.fail(&at.key("val"), || format!("`{case}` has no value; leave out \"val\""))
            }
            (Some(ty), val) => self.payload(ty, val, at).map(|val| Some(Box::new(val))),
        }
    }

    fn payload(&mut self, ty: &Type, val: Option<Json>, at: &Path<'_>) -> Option<Val> {
        let at = at.key("val");
        match val {
            Some(json) => self.value(ty, json, &at),
            None if ty.is_option() => Some(Val::Option(None)),
            None => self
                .fail(&at, || ProblemText::of_type(format!("missing, expected {}", expected(ty)))),
        }
    }
}

/// Returns the key of a map as text.
fn key_text(key: &Val) -> String {
    match key {
        Val::Bool(key) => key.to_string(),
        Val::U8(key) => key.to_string(),
        Val::U16(key) => key.to_string(),
        Val::U32(key) => key.to_string(),
        Val::U64(key) => key.to_string(),
        Val::S8(key) => key.to_string(),
        Val::S16(key) => key.to_string(),
        Val::S32(key) => key.to_string(),
        Val::S64(key) => key.to_string(),
        Val::Char(key) => quoted(key.encode_utf8(&mut [0; 4])),
        Val::String(key) => quoted(key),
        other => format!("{other:?}"),
    }
}
