//! One function per kind of type. Definitions that are large and used twice go to `$defs`.

use super::digits;
use crate::value::{
    Bounds, Case, EXACT_INTEGER, F32_LIMIT, Field, Function, Json, Label, Number, Type,
    integer_range,
};
use serde_json::Value;
use std::collections::HashMap;

/// A definition that is used more than once is written once if it has at least this many parts.
const LARGE: usize = 24;

/// Longest decimal, as `mitt:host/types` says.
const DECIMAL_LENGTH: usize = mitt_base::limits::MAX_NUMBER_LENGTH;

/// Returns the schema of the arguments of `function`: an object with one property per parameter, in order.
///
/// It accepts exactly what a call accepts, apart from the two lists in [`crate::value`].
pub fn arguments(function: &Function) -> Value {
    let types: Vec<&Type> = function.params.iter().map(|param| &param.ty).collect();
    let mut generator = Generator::new(Direction::Arguments, &types);
    let root = generator.object_of(&function.params);
    generator.finish(root).into()
}

/// Returns the schema of a successful result of `function`; `None` if it returns nothing.
pub fn result(function: &Function) -> Option<Value> {
    let ty = function.success()?;
    let mut generator = Generator::new(Direction::Result, &[ty]);
    let root = generator.schema(ty);
    Some(generator.finish(root).into())
}

/// The direction, because arguments accept more forms than results have.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    /// Accepts both forms of a table; finite numbers.
    Arguments,
    /// Tables in columns and rows; `"NaN"` and infinities.
    Result,
}

/// Base64 with padding and no spare bits, as RFC 4648 writes it.
pub(super) const BASE64: &str =
    "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";

/// Describes a table that is accepted in both forms.
pub(super) const TABLE: &str =
    "A table: an array of objects, or column names and rows with one cell per column.";

/// Describes an object that is given as text.
pub(super) const OBJECT_AS_TEXT: &str = "The object as JSON text.";

/// Describes the name of a table.
const NAMED_BY: &str =
    "Or its name: a result (`t:3`), a document's table (`a.csv`, `b.xlsx#Sheet2`).";

/// Describes a result that may be long.
const NAMED: &str =
    "A table. Of a long one the first rows and `$ref`, which names it in other calls.";

type Entries = Vec<(String, Json)>;

struct Generator {
    direction: Direction,
    /// Names in `$defs` of shared definitions, by their address.
    shared: HashMap<usize, String>,
    defs: Entries,
}

impl Generator {
    fn new(direction: Direction, roots: &[&Type]) -> Generator {
        let mut uses = Uses::default();
        for root in roots {
            uses.visit(root);
        }
        let mut shared: HashMap<usize, String> = HashMap::new();
        for (address, name) in uses.order {
            let (count, parts) = uses.found.get(&address).copied().unwrap_or_default();
            if count > 1 && parts >= LARGE {
                // Two interfaces may define types with the same name.
                let mut unique = name.clone();
                let mut number = 2;
                while shared.values().any(|taken| *taken == unique) {
                    unique = format!("{name}-{number}");
                    number += 1;
                }
                shared.insert(address, unique);
            }
        }
        Generator { direction, shared, defs: Vec::new() }
    }

    fn finish(self, root: Json) -> Json {
        match root {
            Json::Object(mut entries) if !self.defs.is_empty() => {
                entries.push(("$defs".into(), Json::Object(self.defs)));
                Json::Object(entries)
            }
            root => root,
        }
    }

    fn schema(&mut self, ty: &Type) -> Json {
        let Some(name) = ty.address().and_then(|address| self.shared.get(&address)).cloned() else {
            return self.inline(ty);
        };
        if !self.defs.iter().any(|(known, _)| *known == name) {
            // Types are not recursive, so the definition does not contain itself.
            let definition = self.inline(ty);
            self.defs.push((name.clone(), definition));
        }
        Json::object([("$ref", Json::from(format!("#/$defs/{name}")))])
    }

    fn inline(&mut self, ty: &Type) -> Json {
        if let Some((lowest, highest)) = integer_range(ty) {
            return integer(lowest, highest);
        }
        let schema = match ty {
            Type::Bool => typed("boolean"),
            Type::F32 => self.float(Some(F32_LIMIT)),
            Type::F64 => self.float(None),
            Type::Char => string([("minLength", 1_u32.into()), ("maxLength", 1_u32.into())]),
            Type::String => typed("string"),
            Type::Bytes => {
                string([("contentEncoding", "base64".into()), ("pattern", BASE64.into())])
            }
            Type::Cell => cell(),
            Type::Decimal => decimal(),
            Type::Json => Json::Object(Vec::new()),
            Type::Object => open_object(self.direction),
            Type::Table => self.table(false),
            Type::TableHandle => self.table(true),
            Type::List(element) => self.list(element, None),
            Type::FixedList(element, length) => self.list(element, Some(*length)),
            Type::Map(types) => self.map(&types.0, &types.1),
            Type::Tuple(types) => self.tuple(types),
            Type::Record(record) => self.object_of(&record.fields),
            Type::Variant(variant) => self.variant(&variant.cases),
            Type::Enum(it) => with(typed("string"), "enum", names(&it.cases)),
            Type::Flags(it) => self.flags(&it.flags),
            Type::Option(inner) => self.option(inner),
            Type::Result(types) => {
                let ok = self.tagged("ok", None, types.0.as_ref());
                let err = self.tagged("err", None, types.1.as_ref());
                any_of([ok, err])
            }
            Type::Alias(alias) => self.schema(&alias.ty),
            Type::Narrowed(narrowed) => self.narrowed(&narrowed.ty, &narrowed.bounds),
            Type::Own(resource) => handle(&resource.name, self.direction == Direction::Arguments),
            Type::Borrow(resource) => handle(&resource.name, false),
            // Nothing is accepted; a skill with such a type is refused before its schema is used.
            _ => Json::object([("not", Json::Object(Vec::new()))]),
        };
        let docs = ty.definition().and_then(|(_, docs)| docs).map(str::to_owned);
        described(schema, join(docs, labels_docs(ty)))
    }

    fn object_of(&mut self, fields: &[Field]) -> Json {
        let properties = fields.iter().map(|field| (field.key.clone(), self.field(field)));
        let properties: Entries = properties.collect();
        let required: Vec<Json> = fields
            .iter()
            .filter(|field| field.required())
            .map(|field| field.key.as_str().into())
            .collect();
        object(properties, required)
    }

    /// Returns the schema of a field; its documentation stands before that of its type.
    fn field(&mut self, field: &Field) -> Json {
        let schema = match (field.ty.target(), &field.refinement) {
            (Type::Option(inner), Some(refinement)) if refinement.required => self.some(inner),
            _ => self.schema(&field.ty),
        };
        let mut schema = described(schema, field.docs.clone());
        if let Some(refinement) = &field.refinement {
            if let (Some(title), Json::Object(entries)) = (&refinement.title, &mut schema) {
                entries.insert(0, ("title".into(), title.as_str().into()));
            }
            if let Some(default) = &refinement.default {
                schema = with(schema, "default", default.clone());
            }
            if !refinement.examples.is_empty() {
                schema = with(schema, "examples", Json::Array(refinement.examples.clone()));
            }
        }
        schema
    }

    fn narrowed(&mut self, ty: &Type, bounds: &Bounds) -> Json {
        if let Type::Narrowed(before) = ty {
            let schema = self.narrowed(&before.ty, &before.bounds);
            let also = self.narrowed(ty.target(), bounds);
            return with_all_of(schema, also);
        }
        let bound = |bound: &Option<Number>| bound.clone().map(Json::Number);
        let value = |number: &Option<Number>| number.as_ref().and_then(Number::to_integer);
        let mut schema = match (ty, integer_range(ty)) {
            (_, Some((lowest, highest))) => integer(
                value(&bounds.minimum).unwrap_or(lowest),
                value(&bounds.maximum).unwrap_or(highest),
            ),
            (Type::Decimal, _) if bounds.plain_number => typed("number"),
            _ => self.inline(ty),
        };
        if integer_range(ty).is_none() {
            schema = with_some(schema, "minimum", bound(&bounds.minimum));
            schema = with_some(schema, "maximum", bound(&bounds.maximum));
        }
        let keywords = [
            ("exclusiveMinimum", bound(&bounds.exclusive_minimum)),
            ("exclusiveMaximum", bound(&bounds.exclusive_maximum)),
            ("multipleOf", bounds.multiple_of.map(Json::from)),
            ("minLength", bounds.min_length.map(Json::from)),
            ("maxLength", bounds.max_length.map(Json::from)),
            ("minItems", bounds.min_items.map(Json::from)),
            ("maxItems", bounds.max_items.map(Json::from)),
            ("uniqueItems", bounds.unique_items.then_some(Json::Bool(true))),
            ("enum", (!bounds.one_of.is_empty()).then(|| Json::Array(bounds.one_of.clone()))),
        ];
        for (keyword, value) in keywords {
            schema = with_some(schema, keyword, value);
        }
        match &bounds.pattern {
            // The schema of bytes already has a pattern.
            Some(pattern) if matches!(ty, Type::Bytes) => {
                with_all_of(schema, Json::object([("pattern", Json::from(pattern.as_str()))]))
            }
            Some(pattern) => with(schema, "pattern", pattern.as_str().into()),
            None => schema,
        }
    }

    fn float(&self, greatest: Option<f64>) -> Json {
        let mut number = typed("number");
        if let Some(greatest) = greatest {
            number = with_some(number, "minimum", Number::from_f64(-greatest).map(Json::Number));
            number = with_some(number, "maximum", Number::from_f64(greatest).map(Json::Number));
        }
        match self.direction {
            Direction::Arguments => number,
            Direction::Result => {
                let names = ["NaN", "Infinity", "-Infinity"].into_iter().map(Json::from).collect();
                any_of([number, Json::object([("enum", Json::Array(names))])])
            }
        }
    }

    fn list(&mut self, element: &Type, length: Option<u32>) -> Json {
        let mut entries = vec![("type", "array".into()), ("items", self.schema(element))];
        if let Some(length) = length {
            entries.extend([("minItems", length.into()), ("maxItems", length.into())]);
        }
        Json::object(entries)
    }

    fn tuple(&mut self, types: &[Type]) -> Json {
        let items: Vec<Json> = types.iter().map(|ty| self.schema(ty)).collect();
        let length = items.len();
        Json::object([
            ("type", "array".into()),
            ("prefixItems", Json::Array(items)),
            ("items", false.into()),
            ("minItems", length.into()),
        ])
    }

    fn map(&mut self, key: &Type, value: &Type) -> Json {
        if matches!(key.target(), Type::String) {
            return Json::object([
                ("type", "object".into()),
                ("additionalProperties", self.schema(value)),
            ]);
        }
        let fields =
            [Field::new("key", key.clone(), None), Field::new("value", value.clone(), None)];
        Json::object([("type", "array".into()), ("items", self.object_of(&fields))])
    }

    fn flags(&self, flags: &[Label]) -> Json {
        let item = with(typed("string"), "enum", names(flags));
        Json::object([("type", "array".into()), ("items", item), ("uniqueItems", true.into())])
    }

    fn option(&mut self, inner: &Type) -> Json {
        let some = self.some(inner);
        any_of([typed("null"), some])
    }

    fn some(&mut self, inner: &Type) -> Json {
        if inner.admits_null() {
            self.tagged("some", None, Some(inner))
        } else {
            self.schema(inner)
        }
    }

    fn variant(&mut self, cases: &[Case]) -> Json {
        let cases: Vec<Json> = cases
            .iter()
            .map(|case| self.tagged(&case.name, case.docs.as_deref(), case.ty.as_ref()))
            .collect();
        Json::object([("anyOf", Json::Array(cases))])
    }

    fn tagged(&mut self, tag: &str, docs: Option<&str>, ty: Option<&Type>) -> Json {
        let tag = Json::object([("type", Json::from("string")), ("const", tag.into())]);
        let mut properties: Entries = vec![("tag".into(), tag)];
        let mut required = vec!["tag".into()];
        if let Some(ty) = ty {
            properties.push(("val".into(), self.schema(ty)));
            if !ty.is_option() {
                required.push("val".into());
            }
        }
        described(object(properties, required), docs.map(str::to_owned))
    }

    /// Returns the schema of a table; a table that stays in the host may be named instead.
    fn table(&self, stays: bool) -> Json {
        let name = string([("minLength", 1_u32.into())]);
        let columns = Json::object([
            ("type", "array".into()),
            ("items", name.clone()),
            ("uniqueItems", true.into()),
        ]);
        let rows = Json::object([("type", "array".into()), ("items", array_of(cell()))]);
        let required = vec!["columns".into(), "rows".into()];
        let columns_and_rows =
            object(vec![("columns".into(), columns), ("rows".into(), rows)], required);
        if self.direction == Direction::Result && stays {
            return described(named_table(name), Some(NAMED.into()));
        }
        if self.direction == Direction::Result {
            return described(
                columns_and_rows,
                Some("A table: column names, and rows with one cell per column.".into()),
            );
        }
        let row = Json::object([
            ("type", "object".into()),
            ("propertyNames", Json::object([("minLength", Json::from(1_u32))])),
            ("additionalProperties", cell()),
        ]);
        let schema = if stays {
            // A string and not an object with `$ref`: tools that follow references in schemas fail on a property of that
            // name.
            let name = described(typed("string"), Some(NAMED_BY.to_owned()));
            any_of([array_of(row), columns_and_rows, name])
        } else {
            any_of([array_of(row), columns_and_rows])
        };
        described(schema, Some(TABLE.to_owned()))
    }
}

fn typed(name: &str) -> Json {
    Json::object([("type", Json::from(name))])
}

fn string<const N: usize>(keywords: [(&str, Json); N]) -> Json {
    Json::object([("type", "string".into())].into_iter().chain(keywords))
}

/// Returns the schema of an integer. Beyond the integers that every JSON implementation holds exactly, it is also a string
/// of digits.
fn integer(lowest: i128, highest: i128) -> Json {
    // Never null: a number of digits is a JSON number.
    let number = |value: i128| Number::parse(value.to_string()).map_or(Json::Null, Json::Number);
    let schema = Json::object([
        ("type", "integer".into()),
        ("minimum", number(lowest)),
        ("maximum", number(highest)),
    ]);
    if lowest >= -EXACT_INTEGER && highest <= EXACT_INTEGER {
        return schema;
    }
    any_of([schema, string([("pattern", digits::pattern(lowest, highest).into())])])
}

/// Returns the schema of an object with any members, or its text.
fn open_object(direction: Direction) -> Json {
    let object = with(typed("object"), "additionalProperties", true.into());
    if direction == Direction::Result {
        return object;
    }
    let text = string([
        ("contentMediaType", "application/json".into()),
        ("description", OBJECT_AS_TEXT.into()),
    ]);
    any_of([object, text])
}

fn cell() -> Json {
    let types = ["null", "boolean", "number", "string"].into_iter().map(Json::from).collect();
    Json::object([("type", Json::Array(types))])
}

fn decimal() -> Json {
    let pattern = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$";
    any_of([
        typed("number"),
        string([("pattern", pattern.into()), ("maxLength", DECIMAL_LENGTH.into())]),
    ])
}

fn handle(resource: &str, consumed: bool) -> Json {
    let schema = string([("pattern", format!("^h:{resource}:[1-9][0-9]*$").into())]);
    let end = if consumed { "; the call consumes it" } else { "" };
    described(schema, Some(format!("A handle of a `{resource}`, as a call returned it{end}")))
}

fn array_of(items: Json) -> Json {
    Json::object([("type", "array".into()), ("items", items)])
}

fn any_of<const N: usize>(schemas: [Json; N]) -> Json {
    Json::object([("anyOf", Json::Array(schemas.into()))])
}

fn object(properties: Entries, required: Vec<Json>) -> Json {
    Json::object([
        ("type", "object".into()),
        ("properties", Json::Object(properties)),
        ("required", Json::Array(required)),
        ("additionalProperties", false.into()),
    ])
}

/// Returns the schema of a table in a result: with all rows, or with the first ones and their number.
fn named_table(name: Json) -> Json {
    let array = |items: Json| Json::object([("type", "array".into()), ("items", items)]);
    let rows = array(array_of(cell()));
    let count = integer(0, i128::from(u32::MAX));
    Json::object([
        ("type", "object".into()),
        (
            "properties",
            Json::object([
                ("columns", array(name)),
                ("rows", rows.clone()),
                ("first_rows", rows),
                ("row_count", count),
                ("$ref", typed("string")),
            ]),
        ),
        ("required", Json::Array(vec!["columns".into()])),
    ])
}

fn names(labels: &[Label]) -> Json {
    Json::Array(labels.iter().map(|label| label.name.as_str().into()).collect())
}

/// Returns a schema that requires both `schema` and `also`.
fn with_all_of(schema: Json, also: Json) -> Json {
    let Json::Object(mut entries) = schema else { return schema };
    match entries.iter_mut().find(|(keyword, _)| keyword == "allOf") {
        Some((_, Json::Array(all))) => all.push(also),
        _ => entries.push(("allOf".into(), Json::Array(vec![also]))),
    }
    Json::Object(entries)
}

fn with_some(schema: Json, keyword: &str, value: Option<Json>) -> Json {
    match value {
        Some(value) => with(schema, keyword, value),
        None => schema,
    }
}

fn with(schema: Json, keyword: &str, value: Json) -> Json {
    match schema {
        Json::Object(mut entries) => {
            entries.push((keyword.to_owned(), value));
            Json::Object(entries)
        }
        other => other,
    }
}

/// Puts `docs` in front of the description of `schema`.
fn described(schema: Json, docs: Option<String>) -> Json {
    let Some(docs) = docs else { return schema };
    let Json::Object(mut entries) = schema else { return schema };
    match entries.iter_mut().find(|(keyword, _)| keyword == "description") {
        Some((_, Json::String(own))) if *own != docs => *own = format!("{docs}\n\n{own}"),
        Some(_) => {}
        None => entries.insert(0, ("description".into(), docs.into())),
    }
    Json::Object(entries)
}

fn join(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) if first != second => Some(format!("{first}\n\n{second}")),
        (first, second) => first.or(second),
    }
}

/// Returns the documentation of the names of an enum or of flags, for which JSON Schema has no keyword.
fn labels_docs(ty: &Type) -> Option<String> {
    let labels = match ty {
        Type::Enum(it) => &it.cases,
        Type::Flags(it) => &it.flags,
        _ => return None,
    };
    let lines = labels
        .iter()
        .filter_map(|label| Some(format!("- `{}`: {}", label.name, label.docs.as_deref()?)));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The number of uses and the size of each definition.
#[derive(Default)]
struct Uses {
    found: HashMap<usize, (usize, usize)>,
    order: Vec<(usize, String)>,
}

impl Uses {
    /// Counts the parts of `ty`. A definition is entered only once, so a use inside of it counts once too.
    fn visit(&mut self, ty: &Type) -> usize {
        let address = ty.address();
        if let Some((count, parts)) = address.and_then(|address| self.found.get_mut(&address)) {
            *count += 1;
            return *parts;
        }
        let mut parts = match ty {
            Type::Enum(it) => it.cases.len(),
            Type::Flags(it) => it.flags.len(),
            Type::Table | Type::TableHandle => 6,
            _ => 1,
        };
        ty.for_each_part(&mut |part| parts += self.visit(part));
        if let (Some(address), Some((name, _))) = (address, ty.definition()) {
            self.found.insert(address, (1, parts));
            self.order.push((address, name.to_owned()));
        }
        parts
    }
}
