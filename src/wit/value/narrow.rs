//! Reads narrower bounds from an `inputSchema` of `skill.yaml`.
//!
//! The schema is a subset of JSON Schema 2020-12. It is applied on top of the component's interface, so what it leaves out
//! stays unchanged. A bound that is wider than the type is refused.

use super::bounds::{Bounds, Pattern, Refinement};
use super::decode::Decoder;
use super::json::Json;
use super::number::Number;
use super::path::Path;
use super::range::{EXACT_INTEGER, integer_range};
use super::types::{AliasType, Field, Function, NarrowedType, RecordType, Type, same_name};
use mitt_base::error::{Error, ErrorKind, Result};
use mitt_base::text::nearest;
use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// Keywords in the schema of a parameter or field that do not constrain its values.
const OF_A_FIELD: [&str; 4] = ["default", "description", "examples", "title"];

impl Function {
    /// Returns this function with the narrower bounds, defaults, titles, descriptions and examples that `schema` sets for
    /// its parameters.
    ///
    /// `schema` is an object of JSON Schema 2020-12 with these keywords: `properties`, `required` and `additionalProperties:
    /// false` for the parameters as a whole and for records; `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`
    /// and `multipleOf` for numbers; `minLength`, `maxLength` and `pattern` for strings; `items`, `minItems`, `maxItems` and
    /// `uniqueItems` for lists; `additionalProperties` for maps; `enum` and `const` for scalars; `type` anywhere, if it only
    /// repeats the type; `default`, `title`, `description` and `examples` for a parameter or field. The bounds of an option
    /// apply to its value: null stays accepted, unless `required` names the option.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - a keyword is unknown, does not fit its type, or would accept more than the type does; or
    /// nothing would be accepted. The message names the place in the schema.
    pub fn narrowed(&self, schema: &Value) -> Result<Function> {
        let at = SchemaPath { path: "inputSchema".into() };
        let keywords = at.object(schema)?;
        let params = fields(&self.params, keywords, &at, "parameter")?;
        Ok(Function { params, ..self.clone() })
    }
}

/// A path in the schema: `inputSchema.properties.title.maxLength`.
struct SchemaPath {
    path: String,
}

impl SchemaPath {
    fn key(&self, key: &str) -> SchemaPath {
        SchemaPath { path: format!("{}.{}", self.path, mitt_base::text::cut_bytes(key, 64)) }
    }

    fn wrong<T>(&self, problem: impl std::fmt::Display) -> Result<T> {
        Err(Error::new(ErrorKind::Load, format!("{}: {problem}", self.path)))
    }

    fn object<'v>(&self, value: &'v Value) -> Result<&'v Map<String, Value>> {
        match value {
            Value::Object(keywords) => Ok(keywords),
            other => self.wrong(format_args!("expected an object, got `{}`", short(other))),
        }
    }

    fn count(&self, value: &Value) -> Result<u64> {
        match value.as_u64() {
            Some(count) => Ok(count),
            None => self.wrong(format_args!("expected a whole number, got `{}`", short(value))),
        }
    }

    fn text<'v>(&self, value: &'v Value) -> Result<&'v str> {
        match value {
            Value::String(text) => Ok(text),
            other => self.wrong(format_args!("expected a string, got `{}`", short(other))),
        }
    }

    fn number(&self, value: &Value) -> Result<Number> {
        let number = value.as_number().and_then(|number| Number::parse(number.to_string()));
        match number {
            Some(number) => Ok(number),
            None => self.wrong(format_args!("expected a number, got `{}`", short(value))),
        }
    }

    fn list<'v>(&self, value: &'v Value) -> Result<&'v [Value]> {
        match value {
            Value::Array(items) if !items.is_empty() => Ok(items),
            other => self.wrong(format_args!("expected a list, got `{}`", short(other))),
        }
    }

    /// Returns `value` as JSON that type `ty` accepts.
    fn value_of(&self, ty: &Type, value: &Value) -> Result<Json> {
        let json = Json::from(value.clone());
        let mut decoder = Decoder::new(None);
        let val = decoder.value(ty, json.clone(), &Path::root("the value"));
        match decoder.finish(val) {
            Ok(_) => Ok(json),
            Err(error) => self.wrong(error.render().replace('\n', "; ")),
        }
    }

    /// Refuses keywords that are not among `known`.
    fn check_keywords(
        &self,
        keywords: &Map<String, Value>,
        known: &[&str],
        ty: &str,
    ) -> Result<()> {
        let Some(unknown) = keywords.keys().find(|key| !known.contains(&key.as_str())) else {
            return Ok(());
        };
        match nearest(unknown, known.iter().copied()).first() {
            Some(near) => self
                .key(unknown)
                .wrong(format_args!("not a keyword for {ty} here; did you mean `{near}`?")),
            None => self.key(unknown).wrong(format_args!(
                "not a keyword for {ty} here; there are `{}`",
                known.join("`, `")
            )),
        }
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    let cut = mitt_base::text::cut_bytes(&text, 60);
    if cut.len() < text.len() { format!("{cut}…") } else { text }
}

/// Returns the fields of a record, or the parameters, narrowed by `keywords`.
fn fields(
    fields: &[Field],
    keywords: &Map<String, Value>,
    at: &SchemaPath,
    noun: &str,
) -> Result<Vec<Field>> {
    let known = ["type", "properties", "required", "additionalProperties"];
    at.check_keywords(keywords, &known, &format!("an object of {noun}s"))?;
    if let Some(kind) = keywords.get("type")
        && kind != "object"
    {
        return at.key("type").wrong(format_args!("expected `object`, got `{}`", short(kind)));
    }
    if let Some(more) = keywords.get("additionalProperties")
        && *more != Value::Bool(false)
    {
        return at.key("additionalProperties").wrong(
            "expected `false`: the interface has no further ones, and a schema cannot widen it",
        );
    }
    let mut narrowed = fields.to_vec();
    if let Some(properties) = keywords.get("properties") {
        let at = at.key("properties");
        for (name, schema) in at.object(properties)? {
            let index = find(fields, name, &at, noun)?;
            narrowed[index] = field(&fields[index], schema, &at.key(name))?;
        }
    }
    if let Some(required) = keywords.get("required") {
        let at = at.key("required");
        for name in at.list(required)? {
            let field = &mut narrowed[find(fields, at.text(name)?, &at, noun)?];
            if field.default().is_some() {
                return at
                    .wrong(format_args!("`{}` has a default, so it is not required", field.key));
            }
            if !field.required() {
                let refinement = field.refinement.as_deref().cloned().unwrap_or_default();
                field.refinement = Some(Arc::new(Refinement { required: true, ..refinement }));
            }
        }
    }
    Ok(narrowed)
}

fn find(fields: &[Field], name: &str, at: &SchemaPath, noun: &str) -> Result<usize> {
    if let Some(index) = fields.iter().position(|field| field.key == name || field.name == name) {
        return Ok(index);
    }
    let names: Vec<&str> = fields.iter().map(|field| field.key.as_str()).collect();
    if names.is_empty() {
        return at.wrong(format_args!("no {noun} `{name}`; there are none"));
    }
    match nearest(name, names.iter().copied()).first() {
        Some(near) => at.wrong(format_args!("no {noun} `{name}`; did you mean `{near}`?")),
        None => at.wrong(format_args!("no {noun} `{name}`; there are `{}`", names.join("`, `"))),
    }
}

fn field(field: &Field, schema: &Value, at: &SchemaPath) -> Result<Field> {
    let mut rest = at.object(schema)?.clone();
    let mut taken = OF_A_FIELD.map(|keyword| rest.shift_remove(keyword));
    let ty = narrowed(&field.ty, &rest, at)?;
    // What is not repeated stays unchanged.
    let mut refinement = field.refinement.as_deref().cloned().unwrap_or_default();
    if let Some(default) = &refinement.default
        && is_refused(&ty, default)
        && taken[0].is_none()
    {
        return at.wrong("the default is outside of these bounds; give another one");
    }
    let [default, description, examples, title] = &mut taken;
    if let Some(default) = default {
        let at = at.key("default");
        if default.is_null() {
            return at.wrong("expected a value, got `null`; leave out the default of an option");
        }
        refinement.default = Some(at.value_of(&ty, default)?);
    }
    if let Some(examples) = examples {
        let at = at.key("examples");
        refinement.examples.clear();
        for example in at.list(examples)? {
            refinement.examples.push(at.value_of(&ty, example)?);
        }
    }
    if let Some(title) = title {
        refinement.title = Some(at.key("title").text(title)?.to_owned());
    }
    let docs = match description {
        Some(description) => Some(at.key("description").text(description)?.to_owned()),
        None => field.docs.clone(),
    };
    let refinement = (refinement != Refinement::default()).then(|| Arc::new(refinement));
    Ok(Field { name: field.name.clone(), key: field.key.clone(), ty, docs, refinement })
}

fn is_refused(ty: &Type, default: &Json) -> bool {
    let mut decoder = Decoder::new(None);
    decoder.value(ty, default.clone(), &Path::root("default")).is_none()
}

/// Returns `ty` within the bounds of `keywords`.
fn narrowed(ty: &Type, keywords: &Map<String, Value>, at: &SchemaPath) -> Result<Type> {
    if keywords.is_empty() {
        return Ok(ty.clone());
    }
    if let Some(kind) = keywords.get("type") {
        check_kind(ty, kind, &at.key("type"))?;
    }
    Ok(match ty {
        Type::Alias(alias) => Type::Alias(Arc::new(AliasType {
            name: alias.name.clone(),
            docs: alias.docs.clone(),
            ty: narrowed(&alias.ty, keywords, at)?,
        })),
        Type::Option(inner) if inner.admits_null() => {
            return at.wrong(format_args!("bounds of `{ty}` are not supported"));
        }
        Type::Option(inner) => {
            let mut keywords = keywords.clone();
            keywords.shift_remove("type");
            Type::Option(Arc::new(narrowed(inner, &keywords, at)?))
        }
        Type::Narrowed(before) => match narrowed(&before.ty, keywords, at)? {
            Type::Narrowed(after) => {
                let ty = within(after.ty.clone(), before.bounds.clone());
                within(ty, after.bounds.clone())
            }
            ty => within(ty, before.bounds.clone()),
        },
        Type::Record(record) => Type::Record(Arc::new(RecordType {
            name: record.name.clone(),
            docs: record.docs.clone(),
            fields: fields(&record.fields, keywords, at, "field")?,
        })),
        Type::Map(types) if matches!(types.0.target(), Type::String) => {
            at.check_keywords(keywords, &["type", "additionalProperties"], "a map")?;
            let Some(values) = keywords.get("additionalProperties") else { return Ok(ty.clone()) };
            let at = at.key("additionalProperties");
            let value = narrowed(&types.1, at.object(values)?, &at)?;
            Type::Map(Arc::new((types.0.clone(), value)))
        }
        Type::List(element) => {
            let element = items(element, keywords, at)?;
            bounded(Type::List(Arc::new(element)), keywords, at)?
        }
        Type::FixedList(element, length) => {
            let element = items(element, keywords, at)?;
            bounded(Type::FixedList(Arc::new(element), *length), keywords, at)?
        }
        other => bounded(other.clone(), keywords, at)?,
    })
}

fn within(ty: Type, bounds: Bounds) -> Type {
    Type::Narrowed(Arc::new(NarrowedType { ty, bounds }))
}

fn items(element: &Type, keywords: &Map<String, Value>, at: &SchemaPath) -> Result<Type> {
    let Some(schema) = keywords.get("items") else { return Ok(element.clone()) };
    let at = at.key("items");
    narrowed(element, at.object(schema)?, &at)
}

/// Returns the JSON types of a type's values, as `type` of JSON Schema names them.
fn kinds(ty: &Type) -> &'static [&'static str] {
    match ty.target() {
        Type::Bool => &["boolean"],
        Type::U64 | Type::S64 => &["integer", "string"],
        Type::U8 | Type::U16 | Type::U32 | Type::S8 | Type::S16 | Type::S32 => &["integer"],
        Type::F32 | Type::F64 => &["number"],
        Type::Decimal => &["number", "string"],
        Type::Cell => &["null", "boolean", "number", "string"],
        Type::Table => &["array", "object"],
        Type::TableHandle => &["array", "object", "string"],
        Type::Object => &["object", "string"],
        Type::Json => &["null", "boolean", "number", "string", "array", "object"],
        Type::List(_) | Type::FixedList(..) | Type::Tuple(_) | Type::Flags(_) => &["array"],
        Type::Map(types) if !matches!(types.0.target(), Type::String) => &["array"],
        Type::Record(_) | Type::Map(_) | Type::Variant(_) | Type::Result(_) => &["object"],
        _ => &["string"],
    }
}

/// Checks that `type` only repeats the JSON types of a type, which makes a schema readable by itself.
fn check_kind(ty: &Type, kind: &Value, at: &SchemaPath) -> Result<()> {
    let (inner, optional) = match ty.target() {
        Type::Option(inner) => (inner.target(), true),
        other => (other, false),
    };
    let known = kinds(inner);
    let names: Vec<&str> = match kind {
        Value::Array(names) => names.iter().map(|name| name.as_str().unwrap_or_default()).collect(),
        name => vec![name.as_str().unwrap_or_default()],
    };
    if !names.iter().all(|name| known.contains(name) || optional && *name == "null") {
        return at.wrong(format_args!(
            "expected `{}` for `{ty}`, got `{}`; a schema cannot widen the interface",
            known.join("` or `"),
            short(kind)
        ));
    }
    Ok(())
}

/// Returns a type that is bounded as a whole.
fn bounded(ty: Type, keywords: &Map<String, Value>, at: &SchemaPath) -> Result<Type> {
    const ONE_OF: [&str; 3] = ["type", "enum", "const"];
    const NUMBER: [&str; 4] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    let own: &[&str] = match ty {
        Type::F32 | Type::F64 | Type::Decimal => &NUMBER,
        _ if integer_range(&ty).is_some() => {
            &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
        }
        Type::String | Type::Bytes => &["minLength", "maxLength", "pattern"],
        Type::Char => &["pattern"],
        Type::List(_) => &["items", "minItems", "maxItems", "uniqueItems"],
        Type::FixedList(..) => &["items", "uniqueItems"],
        Type::Bool | Type::Enum(_) | Type::Cell | Type::Json | Type::Object => &[],
        _ => {
            let known: &[&str] = &["type"];
            at.check_keywords(keywords, known, &format!("`{ty}`"))?;
            return Ok(ty);
        }
    };
    let mut known = own.to_vec();
    if !matches!(ty, Type::List(_) | Type::FixedList(..)) {
        known.extend(ONE_OF);
    } else {
        known.push("type");
    }
    at.check_keywords(keywords, &known, &format!("`{ty}`"))?;
    let mut bounds = Bounds::default();
    for (keyword, value) in keywords {
        one_bound(&mut bounds, &ty, keyword, value, &at.key(keyword))?;
    }
    if let Some(range) = integer_range(&ty) {
        integer_bounds(&mut bounds, &ty, range, at)?;
    } else {
        number_bounds(&mut bounds, &ty, at)?;
    }
    not_empty(&bounds, at)?;
    if bounds == Bounds::default() {
        return Ok(ty);
    }
    Ok(within(ty, bounds))
}

fn one_bound(
    bounds: &mut Bounds,
    ty: &Type,
    keyword: &str,
    value: &Value,
    at: &SchemaPath,
) -> Result<()> {
    match keyword {
        "minimum" => bounds.minimum = Some(at.number(value)?),
        "maximum" => bounds.maximum = Some(at.number(value)?),
        "exclusiveMinimum" => bounds.exclusive_minimum = Some(at.number(value)?),
        "exclusiveMaximum" => bounds.exclusive_maximum = Some(at.number(value)?),
        "multipleOf" => match at.count(value)? {
            0 => return at.wrong("expected a whole number above 0, got `0`"),
            unit => bounds.multiple_of = Some(unit),
        },
        "minLength" => bounds.min_length = Some(at.count(value)?),
        "maxLength" => bounds.max_length = Some(at.count(value)?),
        "minItems" => bounds.min_items = Some(at.count(value)?),
        "maxItems" => bounds.max_items = Some(at.count(value)?),
        "uniqueItems" => match value {
            Value::Bool(unique) => bounds.unique_items = *unique,
            other => {
                return at.wrong(format_args!("expected true or false, got `{}`", short(other)));
            }
        },
        "pattern" => match Pattern::new(at.text(value)?) {
            Ok(pattern) => bounds.pattern = Some(pattern),
            Err(problem) => return at.wrong(problem),
        },
        "enum" | "const" => {
            if !bounds.one_of.is_empty() {
                return at.wrong("expected either `enum` or `const`, got both");
            }
            let values =
                if keyword == "enum" { at.list(value)? } else { std::slice::from_ref(value) };
            for value in values {
                let json = at.value_of(ty, value)?;
                // Use the spelling of the name that the schema shows.
                let label = match (ty, &json) {
                    (Type::Enum(it), Json::String(text)) => {
                        it.cases.iter().find(|case| same_name(&case.name, text))
                    }
                    _ => None,
                };
                bounds.one_of.push(label.map_or(json, |label| label.name.as_str().into()));
                // 64-bit integers have two forms, and results use the one that fits their size.
                if matches!(ty, Type::U64 | Type::S64) {
                    bounds.one_of.extend(other_form(bounds.one_of.last()));
                }
            }
        }
        // `type` and `items` were checked before.
        _ => {}
    }
    Ok(())
}

/// Returns digits as a number, and a number as digits.
fn other_form(value: Option<&Json>) -> Option<Json> {
    match value? {
        Json::Number(number) => number.to_integer().map(|value| Json::from(value.to_string())),
        Json::String(digits) => Number::parse(digits.as_str()).map(Json::Number),
        _ => None,
    }
}

/// Reads inclusive bounds of an integer, within the range of its type.
fn integer_bounds(
    bounds: &mut Bounds,
    ty: &Type,
    (lowest, highest): (i128, i128),
    at: &SchemaPath,
) -> Result<()> {
    let whole = |keyword: &str, bound: &Option<Number>| match bound {
        None => Ok(None),
        Some(number) => match number.to_integer() {
            Some(value) => Ok(Some(value)),
            None => at
                .key(keyword)
                .wrong(format_args!("expected a whole number for `{ty}`, got `{number}`")),
        },
    };
    let mut range = (lowest, highest);
    let sides = [
        ("minimum", whole("minimum", &bounds.minimum)?, true),
        ("maximum", whole("maximum", &bounds.maximum)?, false),
        (
            "exclusiveMinimum",
            whole("exclusiveMinimum", &bounds.exclusive_minimum)?.map(|it| it.saturating_add(1)),
            true,
        ),
        (
            "exclusiveMaximum",
            whole("exclusiveMaximum", &bounds.exclusive_maximum)?.map(|it| it.saturating_sub(1)),
            false,
        ),
    ];
    for (keyword, value, is_minimum) in sides {
        let Some(value) = value else { continue };
        if value < lowest || value > highest {
            return at.key(keyword).wrong(format_args!(
                "expected a bound from {lowest} to {highest} for `{ty}`, got one that leaves its range"
            ));
        }
        if is_minimum {
            range.0 = range.0.max(value);
        } else {
            range.1 = range.1.min(value);
        }
    }
    (bounds.exclusive_minimum, bounds.exclusive_maximum) = (None, None);
    let bound = |value: i128, natural: i128| {
        (value != natural).then(|| Number::parse(value.to_string())).flatten()
    };
    (bounds.minimum, bounds.maximum) = (bound(range.0, lowest), bound(range.1, highest));
    if matches!(ty, Type::U64 | Type::S64) {
        bounds.plain_number =
            range.0 >= -EXACT_INTEGER && range.1 <= EXACT_INTEGER && bounds.one_of.is_empty();
        if bounds.multiple_of.is_some() && !bounds.plain_number {
            return at.key("multipleOf").wrong(format_args!(
                "expected bounds within {EXACT_INTEGER} beside it, as larger numbers are given as strings"
            ));
        }
    }
    Ok(())
}

fn number_bounds(bounds: &mut Bounds, ty: &Type, at: &SchemaPath) -> Result<()> {
    let all = [
        ("minimum", &bounds.minimum),
        ("maximum", &bounds.maximum),
        ("exclusiveMinimum", &bounds.exclusive_minimum),
        ("exclusiveMaximum", &bounds.exclusive_maximum),
    ];
    for (keyword, bound) in all {
        // A bound must itself be a value of the type.
        if let Some(bound) = bound
            && !matches!(ty, Type::Decimal)
        {
            let value: Value = Json::Number(bound.clone()).into();
            at.key(keyword).value_of(ty, &value)?;
        }
    }
    // A schema cannot compare the digits of a string.
    bounds.plain_number =
        matches!(ty, Type::Decimal) && all.iter().any(|(_, bound)| bound.is_some());
    Ok(())
}

/// Refuses bounds that accept nothing, which are a mistake.
fn not_empty(bounds: &Bounds, at: &SchemaPath) -> Result<()> {
    let above = |low: &Option<Number>, high: &Option<Number>, wrong: &[Ordering]| match (low, high)
    {
        (Some(low), Some(high)) => low.compare(high).is_some_and(|order| wrong.contains(&order)),
        _ => false,
    };
    let crossed = [Ordering::Greater];
    let touching = [Ordering::Greater, Ordering::Equal];
    let more = |low: Option<u64>, high: Option<u64>| low > high && high.is_some();
    let empty = above(&bounds.minimum, &bounds.maximum, &crossed)
        || above(&bounds.exclusive_minimum, &bounds.maximum, &touching)
        || above(&bounds.minimum, &bounds.exclusive_maximum, &touching)
        || above(&bounds.exclusive_minimum, &bounds.exclusive_maximum, &touching)
        || more(bounds.min_length, bounds.max_length)
        || more(bounds.min_items, bounds.max_items);
    if empty {
        return at.wrong("expected bounds that some value keeps to, got ones that cross");
    }
    Ok(())
}
