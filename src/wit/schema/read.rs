//! Reads foreign JSON Schemas, of tools of MCP servers and of plugins, as types of ours, so that calls are checked,
//! displayed and lowered for decoders like all others.
//!
//! What our types cannot express (`anyOf` of several kinds, patterns that need more than linear time, recursive schemas)
//! becomes a wider type, never a narrower one. There are two exceptions: members that a schema does not name are refused,
//! because a model that writes one has made a mistake; and integers have 64 bits. The called tool decides in the end.

use std::sync::Arc;

use mitt_base::text;
use mitt_base::visible::{Lines, visible};
use serde_json::{Map, Value};

use crate::value::{
    Bounds, Field, Json, NarrowedType, Number, Pattern, RecordType, Refinement, Type,
};

/// Deepest nesting that is read; deeper values may be anything.
const MAX_DEPTH: usize = 12;

/// Most types of one tool; further ones may be anything.
const MAX_TYPES: usize = 500;

/// Most characters of a parameter's description.
const MAX_DOCS: usize = 500;

/// Most parameters of a tool, and members of an object.
const MAX_MEMBERS: usize = 100;

/// Most values of an enumeration that are checked here.
const MAX_VALUES: usize = 100;

/// Returns the parameters of a tool from its `inputSchema`.
///
/// # Errors
///
/// Why it cannot be called: it does not take an object, or has too many parameters.
pub fn params(schema: &Map<String, Value>) -> Result<Vec<Field>, String> {
    if schema.get("type").is_some_and(|kind| kind != "object") {
        return Err("its schema is not that of an object".to_owned());
    }
    let mut reading = Reading { root: schema, left: MAX_TYPES, refs: Vec::new() };
    let Some(properties) = schema.get("properties") else { return Ok(Vec::new()) };
    let properties = properties.as_object().ok_or("its `properties` are no object")?;
    if properties.len() > MAX_MEMBERS {
        let got = properties.len();
        return Err(format!("expected at most {MAX_MEMBERS} parameters, got {got}"));
    }
    Ok(reading.fields(properties, schema, 0))
}

/// Returns the type that a schema describes. Whatever our types cannot express may be anything; `#/$defs/name` is resolved
/// in the schema itself.
pub fn ty(schema: &Value) -> Type {
    let Some(root) = schema.as_object() else { return Type::Json };
    Reading { root, left: MAX_TYPES, refs: Vec::new() }.ty(schema, 0)
}

struct Reading<'s> {
    root: &'s Map<String, Value>,
    /// Types that may still be made.
    left: usize,
    /// The references being followed, to detect a cycle.
    refs: Vec<&'s str>,
}

impl<'s> Reading<'s> {
    fn fields(
        &mut self,
        properties: &'s Map<String, Value>,
        of: &'s Map<String, Value>,
        depth: usize,
    ) -> Vec<Field> {
        let required = of.get("required").and_then(Value::as_array);
        let is_required = |key: &str| {
            required.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(key)))
        };
        let mut fields: Vec<Field> = Vec::new();
        for (position, (key, schema)) in properties.iter().enumerate() {
            let ty = self.ty(schema, depth + 1);
            let name = wit_name(key, position, &fields);
            let mut field = Field::new(name, Type::Json, docs(schema));
            field.key.clone_from(key);
            let (ty, refinement) = presence(ty, is_required(key));
            field.ty = ty;
            field.refinement = refinement.map(Arc::new);
            fields.push(field);
        }
        fields
    }

    fn ty(&mut self, schema: &'s Value, depth: usize) -> Type {
        let Some(schema) = schema.as_object() else { return Type::Json };
        if depth > MAX_DEPTH || self.left == 0 {
            return Type::Json;
        }
        self.left -= 1;
        if let Some(reference) = schema.get("$ref") {
            return self.referred(reference, depth);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(cases) = schema.get(keyword) {
                return self.one_of(cases, depth);
            }
        }
        if let Some(Value::Array(parts)) = schema.get("allOf") {
            return match parts.as_slice() {
                [part] if !schema.contains_key("properties") => self.ty(part, depth + 1),
                _ => Type::Json,
            };
        }
        self.kind(schema, depth)
    }

    fn kind(&mut self, schema: &'s Map<String, Value>, depth: usize) -> Type {
        let (kind, is_nullable) = match schema.get("type") {
            Some(Value::String(kind)) => (kind.as_str(), false),
            Some(Value::Array(kinds)) => {
                let others: Vec<_> =
                    kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
                match others.as_slice() {
                    [kind] => (*kind, kinds.len() > 1),
                    _ => return Type::Json,
                }
            }
            _ if schema.contains_key("properties") => ("object", false),
            _ if schema.get("enum").and_then(texts).is_some() => ("string", false),
            _ => return Type::Json,
        };
        let ty = match kind {
            "string" => string(schema),
            "integer" => integer(schema),
            "number" => Type::F64,
            "boolean" => Type::Bool,
            "array" => self.array(schema, depth),
            "object" => self.object(schema, depth),
            _ => Type::Json,
        };
        if is_nullable { optional(ty) } else { ty }
    }

    fn array(&mut self, schema: &'s Map<String, Value>, depth: usize) -> Type {
        let items = match schema.get("items") {
            Some(items) if !schema.contains_key("prefixItems") => self.ty(items, depth + 1),
            _ => Type::Json,
        };
        let count = |keyword| schema.get(keyword).and_then(Value::as_u64);
        let bounds = Bounds {
            min_items: count("minItems"),
            max_items: count("maxItems"),
            ..Bounds::default()
        };
        narrowed(Type::List(Arc::new(items)), bounds)
    }

    fn object(&mut self, schema: &'s Map<String, Value>, depth: usize) -> Type {
        let properties = schema.get("properties").and_then(Value::as_object);
        match (properties, schema.get("additionalProperties")) {
            (Some(properties), None | Some(Value::Bool(_)))
                if (1..=MAX_MEMBERS).contains(&properties.len()) =>
            {
                let fields = self.fields(properties, schema, depth);
                Type::Record(Arc::new(RecordType { name: "object".into(), docs: None, fields }))
            }
            (None, Some(values @ Value::Object(_))) => {
                let values = self.ty(values, depth + 1);
                Type::Map(Arc::new((Type::String, values)))
            }
            _ => Type::Object,
        }
    }

    fn one_of(&mut self, cases: &'s Value, depth: usize) -> Type {
        let cases = cases.as_array().map_or(&[][..], Vec::as_slice);
        let is_null = |case: &&Value| case.get("type").is_some_and(|kind| kind == "null");
        let others: Vec<&Value> = cases.iter().filter(|case| !is_null(case)).collect();
        match others.as_slice() {
            [case] if cases.len() > 1 => optional(self.ty(case, depth + 1)),
            [case] => self.ty(case, depth + 1),
            _ => Type::Json,
        }
    }

    /// Returns what `#/$defs/name` stands for. A recursive reference may be anything.
    fn referred(&mut self, reference: &'s Value, depth: usize) -> Type {
        let Some(path) = reference.as_str() else { return Type::Json };
        if self.refs.contains(&path) {
            return Type::Json;
        }
        let definition = ["$defs", "definitions"].into_iter().find_map(|table| {
            let name = path.strip_prefix("#/")?.strip_prefix(table)?.strip_prefix('/')?;
            self.root.get(table)?.get(name)
        });
        let Some(definition) = definition else { return Type::Json };
        self.refs.push(path);
        let ty = self.ty(definition, depth + 1);
        self.refs.pop();
        ty
    }
}

fn string(schema: &Map<String, Value>) -> Type {
    if let Some(values) = schema.get("enum").and_then(texts) {
        let one_of = values.into_iter().map(Json::from).collect();
        return narrowed(Type::String, Bounds { one_of, ..Bounds::default() });
    }
    if let Some(Value::String(value)) = schema.get("const") {
        let one_of = vec![Json::from(value.as_str())];
        return narrowed(Type::String, Bounds { one_of, ..Bounds::default() });
    }
    let count = |keyword| schema.get(keyword).and_then(Value::as_u64);
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let bounds = Bounds {
        min_length: count("minLength"),
        max_length: count("maxLength"),
        pattern: pattern.and_then(|pattern| Pattern::new(pattern).ok()),
        ..Bounds::default()
    };
    narrowed(Type::String, bounds)
}

fn integer(schema: &Map<String, Value>) -> Type {
    // Ignore a bound that does not fit in `i64`.
    let bound = |keyword| {
        let value = schema.get(keyword).and_then(Value::as_i64);
        value.and_then(|value| Number::parse(value.to_string()))
    };
    let bounds =
        Bounds { minimum: bound("minimum"), maximum: bound("maximum"), ..Bounds::default() };
    narrowed(Type::S64, bounds)
}

/// Returns the values of an enumeration that has only texts and is short enough to be checked.
fn texts(values: &Value) -> Option<Vec<&str>> {
    let values = values.as_array().filter(|values| (1..=MAX_VALUES).contains(&values.len()))?;
    values.iter().map(Value::as_str).collect()
}

fn narrowed(ty: Type, bounds: Bounds) -> Type {
    if bounds == Bounds::default() {
        ty
    } else {
        Type::Narrowed(Arc::new(NarrowedType { ty, bounds }))
    }
}

/// Makes a type nullable, unless it already is.
fn optional(ty: Type) -> Type {
    if ty.admits_null() { ty } else { Type::Option(Arc::new(ty)) }
}

/// Returns the type of a member, and the refinement for its presence.
fn presence(ty: Type, is_required: bool) -> (Type, Option<Refinement>) {
    match (is_required, ty.admits_null()) {
        (true, _) if ty.is_option() => {
            // It is required and may be null: an option could be left out, an `any` cannot.
            (Type::Json, None)
        }
        (true, _) => (ty, None),
        (false, false) => (Type::Option(Arc::new(ty)), None),
        (false, true) if ty.is_option() => (ty, None),
        (false, true) => {
            let default = Refinement { default: Some(Json::Null), ..Refinement::default() };
            (ty, Some(default))
        }
    }
}

/// Returns a name in kebab case that no other member has. Only we use it: JSON has the server's key.
fn wit_name(key: &str, position: usize, before: &[Field]) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in key.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty()) {
        words.push(word.to_ascii_lowercase());
    }
    let name = words.join("-");
    let is_plain = name.starts_with(|first: char| first.is_ascii_lowercase());
    // It must not be the key of another member either, because members are found by keys too.
    let is_taken = before.iter().any(|field| field.name == name || field.key == name);
    if is_plain && !is_taken { name } else { format!("member-{position}") }
}

/// Returns the documentation of a parameter: its description, then its default.
fn docs(schema: &Value) -> Option<String> {
    let description = ["description", "title"].iter().find_map(|it| schema.get(*it)?.as_str());
    let words = description.unwrap_or_default().split_whitespace();
    let words = words.collect::<Vec<_>>().join(" ");
    let mut docs = text::shortened(&visible(&words, Lines::One), MAX_DOCS);
    if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
        let default = text::shortened(&text::one_line(&default.to_string()), 80);
        let space = if docs.is_empty() { "" } else { " " };
        docs.push_str(&format!("{space}Default: {default}"));
    }
    (!docs.is_empty()).then_some(docs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Function, UntypedCall};
    use serde_json::json;

    fn function(schema: Value) -> Function {
        let params = params(schema.as_object().unwrap()).unwrap();
        Function { name: "f".into(), params, ..Function::default() }
    }

    /// Returns the types in WIT notation, by key.
    fn types(schema: Value) -> Vec<String> {
        let function = function(schema);
        function.params.iter().map(|it| format!("{}: {}", it.key, it.ty)).collect()
    }

    #[test]
    fn schemas_become_types() {
        for (property, optional, required) in [
            (json!({"type": "string"}), "option<string>", "string"),
            (json!({"type": "integer", "minimum": 1}), "option<s64>", "s64"),
            (json!({"type": "number"}), "option<f64>", "f64"),
            (json!({"type": "boolean"}), "option<bool>", "bool"),
            (
                json!({"type": "array", "items": {"type": "string"}}),
                "option<list<string>>",
                "list<string>",
            ),
            (json!({"type": ["string", "null"]}), "option<string>", "json"),
            (json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), "option<s64>", "json"),
            (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), "json", "json"),
            (json!({"type": "object"}), "option<json-object>", "json-object"),
            (
                json!({"type": "object", "additionalProperties": {"type": "integer"}}),
                "option<map<string, s64>>",
                "map<string, s64>",
            ),
            (json!({"$ref": "#/$defs/name"}), "option<string>", "string"),
            (json!({"$ref": "#/$defs/none"}), "json", "json"),
            (json!({}), "json", "json"),
            (json!(true), "json", "json"),
        ] {
            let defs = json!({"name": {"type": "string"}});
            let schema = json!({"type": "object", "properties": {"p": property}, "$defs": defs});
            assert_eq!(types(schema.clone()), [format!("p: {optional}")], "{schema}");
            let mut all = schema;
            all["required"] = json!(["p"]);
            assert_eq!(types(all.clone()), [format!("p: {required}")], "{all}");
        }
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let tree = json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}});
        let schema = json!({"properties": {"t": {"$ref": "#/$defs/tree"}}, "required": ["t"], "$defs": {"tree": tree}});
        assert_eq!(types(schema), ["t: object"]);
        let mut deep = json!({"type": "string"});
        for _ in 0..100 {
            deep = json!({"type": "array", "items": deep});
        }
        let ty = &types(json!({"properties": {"d": deep}, "required": ["d"]}))[0];
        assert!(ty.contains("list<json>"), "{ty}");
        let wide: Map<String, Value> =
            (0..90).map(|n| (format!("k{n}"), json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}, "d": {"type": "string"}, "e": {"type": "string"}, "f": {"type": "string"}}}))).collect();
        let wide = types(json!({"properties": wide}));
        assert_eq!(wide[89], "k89: json");
    }

    #[test]
    fn calls_are_checked_by_it() {
        let function = function(json!({
            "type": "object",
            "properties": {
                "userId": {"type": "string", "minLength": 2},
                "state": {"enum": ["open", "closed"]},
                "page": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
                "any": {},
                "中文": {"type": "string"},
            },
            "required": ["userId"],
        }));
        let call = |text: &str| {
            let arguments = Json::parse(text, 1_000, 10).unwrap();
            UntypedCall { name: "f", arguments }.check(&function)
        };
        for text in [
            r#"{"userId":"ab"}"#,
            r#"{"userId":"ab","state":"open","page":3,"any":[1,{"a":null}],"中文":"是"}"#,
            r#"{"userId":"ab","state":null,"any":null}"#,
        ] {
            assert!(call(text).is_ok(), "{text}: {}", call(text).unwrap_err().render());
        }
        for (text, part) in [
            ("{}", "userId"),
            (r#"{"userId":"a"}"#, "userId"),
            (r#"{"userId":"ab","state":"shut"}"#, "state"),
            (r#"{"userId":"ab","page":0}"#, "page"),
            (r#"{"userId":"ab","page":"1x"}"#, "page"),
            (r#"{"userId":"ab","pgae":1}"#, "did you mean"),
        ] {
            let error = call(text).unwrap_err().render();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert_eq!(function.params[2].docs.as_deref(), Some("Default: 1"));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for (schema, part) in [
            (json!({"type": "string"}), "not that of an object"),
            (json!({"type": "object", "properties": []}), "no object"),
        ] {
            let error = params(schema.as_object().unwrap()).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        let many: Map<String, Value> = (0..101).map(|n| (format!("k{n}"), json!({}))).collect();
        let error = params(json!({ "properties": many }).as_object().unwrap()).unwrap_err();
        assert_eq!(error, "expected at most 100 parameters, got 101");
        assert!(params(&Map::new()).unwrap().is_empty());
    }

    #[test]
    fn bounds_of_a_server_are_checked() {
        let function = function(json!({"properties": {
            "ids": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3},
            "n": {"type": "integer", "minimum": 1, "maximum": 9},
            "s": {"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^[a-z]+$"},
            "c": {"type": "string", "const": "x"},
        }}));
        for (text, is_accepted) in [
            (r#"{"ids":[1,2]}"#, true),
            (r#"{"ids":[1,2,3]}"#, true),
            (r#"{"ids":[1]}"#, false),
            (r#"{"ids":[1,2,3,4]}"#, false),
            (r#"{"n":1}"#, true),
            (r#"{"n":9}"#, true),
            (r#"{"n":0}"#, false),
            (r#"{"n":10}"#, false),
            (r#"{"s":"ab"}"#, true),
            (r#"{"s":"abc"}"#, true),
            (r#"{"s":"a"}"#, false),
            (r#"{"s":"abcd"}"#, false),
            (r#"{"s":"aB"}"#, false),
            (r#"{"c":"x"}"#, true),
            (r#"{"c":"y"}"#, false),
        ] {
            let arguments = Json::parse(text, 1_000, 10).unwrap();
            let checked = UntypedCall { name: "f", arguments }.check(&function);
            assert_eq!(checked.is_ok(), is_accepted, "{text}");
        }
    }

    #[test]
    fn one_alternative_is_the_type_itself() {
        for (property, required) in [
            (json!({"anyOf": [{"type": "integer"}]}), "s64"),
            (json!({"oneOf": [{"type": "integer"}]}), "s64"),
            (json!({"oneOf": [{"type": "integer"}, {"type": "null"}, {"type": "null"}]}), "json"),
            (json!({"allOf": [{"type": "integer"}]}), "s64"),
            (json!({"allOf": [{"type": "integer"}], "properties": {"a": {}}}), "json"),
            (json!({"allOf": [{"type": "integer"}, {"minimum": 1}]}), "json"),
        ] {
            let schema = json!({"properties": {"p": property}, "required": ["p"]});
            assert_eq!(types(schema.clone()), [format!("p: {required}")], "{schema}");
        }
        // A member that may be null and may be left out needs no default.
        let nullable = function(json!({"properties": {"p": {"type": ["string", "null"]}}}));
        assert!(nullable.params[0].default().is_none());
        let any = function(json!({"properties": {"p": {}}}));
        assert_eq!(any.params[0].default(), Some(&Json::Null));
    }

    #[test]
    fn each_member_has_a_name_of_its_own() {
        let text = json!({"type": "string"});
        let function = function(
            json!({"properties": {"user_id": text, "user-id": text, "1st": text, "Größe": text}}),
        );
        let name = |key: &str| {
            let at = function.params.iter().position(|it| it.key == key).unwrap();
            (function.params[at].name.as_str(), at)
        };
        // The first one has the name, the second one would be found by the key of the other.
        let names = [name("user_id").0, name("user-id").0];
        assert!(names.contains(&"user-id"), "{names:?}");
        assert_ne!(names[0], names[1]);
        let (numbered, at) = name("1st");
        assert_eq!(numbered, format!("member-{at}"));
        assert_eq!(name("Größe").0, "gr-e");
    }
}
