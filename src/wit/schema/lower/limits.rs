//! Limits of providers on a whole strict schema.
//!
//! Measures a lowered schema; one that exceeds a limit can still be used without strict mode. A definition counts each time
//! it is used, as if it were written there.

use serde_json::{Map, Value};
use std::collections::HashMap;

/// OpenAI: <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>.
mod openai {
    pub(super) const PROPERTIES: u64 = 5_000;
    pub(super) const DEPTH: u64 = 10;
    /// Characters of all names of properties and definitions, and of all values of `enum` and `const`.
    pub(super) const NAMES: u64 = 120_000;
    pub(super) const ENUM_VALUES: u64 = 1_000;
    /// Characters of one list of more than [`LONG_ENUM`] values.
    pub(super) const LONG_ENUM_CHARACTERS: u64 = 15_000;
    pub(super) const LONG_ENUM: usize = 250;
}

/// Anthropic, over all strict tools of a request:
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#schema-complexity-limits>.
pub(super) mod anthropic {
    pub(in super::super) const TOOLS: u64 = 20;
    pub(in super::super) const OPTIONAL: u64 = 24;
    pub(in super::super) const UNIONS: u64 = 16;
}

/// The measured properties of a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Measure {
    pub(super) properties: u64,
    /// Depth of nested objects.
    pub(super) depth: u64,
    pub(super) names: u64,
    pub(super) enum_values: u64,
    pub(super) longest_enum: u64,
    /// Properties that are not required.
    pub(super) optional: u64,
    /// Places with `anyOf` or several types.
    pub(super) unions: u64,
    /// Places that accept any value, or an object with any keys.
    pub(super) open: u64,
}

impl Measure {
    pub(super) fn of(schema: &Value) -> Measure {
        let definitions = schema.get("$defs").and_then(Value::as_object);
        let mut measurer = Measurer { definitions, known: HashMap::new() };
        let mut measure = measurer.schema(schema);
        let names = definitions.into_iter().flatten().map(|(name, _)| characters(name));
        measure.names = measure.names.saturating_add(names.sum());
        measure
    }

    fn add(&mut self, part: Measure) {
        for (own, more) in [
            (&mut self.properties, part.properties),
            (&mut self.names, part.names),
            (&mut self.enum_values, part.enum_values),
            (&mut self.optional, part.optional),
            (&mut self.unions, part.unions),
            (&mut self.open, part.open),
        ] {
            *own = own.saturating_add(more);
        }
        self.depth = self.depth.max(part.depth);
        self.longest_enum = self.longest_enum.max(part.longest_enum);
    }

    /// Returns what OpenAI refuses in strict mode.
    pub(super) fn over_openai(&self) -> Vec<String> {
        let limits = [
            (self.properties, openai::PROPERTIES, "properties"),
            (self.depth, openai::DEPTH, "levels of objects"),
            (self.names, openai::NAMES, "characters of names and values"),
            (self.enum_values, openai::ENUM_VALUES, "values of enums"),
            (self.longest_enum, openai::LONG_ENUM_CHARACTERS, "characters of one enum"),
            (self.open, 0, "places that take any value"),
        ];
        over("OpenAI", &limits)
    }

    /// Returns what Anthropic refuses in a strict tool, even if it is the only one.
    pub(super) fn over_anthropic(&self) -> Vec<String> {
        let limits = [
            (self.optional, anthropic::OPTIONAL, "optional properties"),
            (self.unions, anthropic::UNIONS, "places with several types"),
            (self.open, 0, "places that take any value"),
        ];
        over("Anthropic", &limits)
    }
}

fn over(provider: &str, limits: &[(u64, u64, &str)]) -> Vec<String> {
    let over = limits.iter().filter(|(used, limit, _)| used > limit);
    over.map(|(used, limit, what)| {
        format!("not strict: the schema has {used} {what}, {provider} allows {limit}")
    })
    .collect()
}

struct Measurer<'a> {
    definitions: Option<&'a Map<String, Value>>,
    known: HashMap<&'a str, Measure>,
}

impl<'a> Measurer<'a> {
    fn schema(&mut self, schema: &'a Value) -> Measure {
        let mut measure = Measure::default();
        let Value::Object(keywords) = schema else {
            measure.open = u64::from(*schema == true);
            return measure;
        };
        if let Some(Value::String(target)) = keywords.get("$ref") {
            return self.definition(target);
        }
        let described = ["type", "anyOf", "enum", "const"];
        measure.open = u64::from(!described.iter().any(|keyword| keywords.contains_key(*keyword)));
        let types = keywords.get("type").and_then(Value::as_array).map_or(0, Vec::len);
        measure.unions = u64::from(types > 1 || keywords.contains_key("anyOf"));
        for list in ["anyOf", "prefixItems"] {
            for part in keywords.get(list).and_then(Value::as_array).into_iter().flatten() {
                measure.add(self.schema(part));
            }
        }
        if let Some(items) = keywords.get("items") {
            measure.add(self.schema(items));
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            let length = values.iter().map(value_characters).sum();
            measure.enum_values += values.len() as u64;
            measure.names += length;
            measure.longest_enum =
                measure.longest_enum.max(if values.len() > openai::LONG_ENUM { length } else { 0 });
        }
        measure.names += keywords.get("const").map_or(0, value_characters);
        let is_object = keywords.get("type").is_some_and(|it| it == "object");
        if is_object && keywords.get("additionalProperties") != Some(&Value::Bool(false)) {
            measure.open += 1;
        }
        if let Some(Value::Object(properties)) = keywords.get("properties") {
            let required = keywords.get("required").and_then(Value::as_array).map_or(0, Vec::len);
            measure.optional += properties.len().saturating_sub(required) as u64;
            measure.properties = measure.properties.saturating_add(properties.len() as u64);
            for (name, property) in properties {
                measure.names = measure.names.saturating_add(characters(name));
                measure.add(self.schema(property));
            }
        }
        measure.depth = measure.depth.saturating_add(u64::from(is_object));
        measure
    }

    fn definition(&mut self, target: &'a str) -> Measure {
        let name = target.strip_prefix("#/$defs/").unwrap_or(target);
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        // Definitions are not recursive; a recursive one would count once.
        self.known.insert(name, Measure::default());
        let definition = self.definitions.and_then(|it| it.get(&super::pointer::unstep(name)));
        let measure = definition.map(|it| self.schema(it)).unwrap_or_default();
        self.known.insert(name, measure);
        measure
    }
}

fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}

fn value_characters(value: &Value) -> u64 {
    value.as_str().map_or_else(|| characters(&value.to_string()), characters)
}
