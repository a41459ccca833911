//! The rules of the providers, written a second time from their documentation: which keywords are allowed where, and the
//! limits of a strict schema. Knows nothing of the lowering.

use crate::schema::lower::Dialect;
use serde_json::{Map, Value};

/// Returns everything in `schema` that the provider of `dialect` would refuse, limits aside.
pub(super) fn check(schema: &Value, dialect: Dialect) -> Vec<String> {
    let mut checker = Checker { dialect, root: schema, problems: Vec::new() };
    if schema["type"] != "object" {
        checker.problem("", "the root is no object");
    }
    checker.schema(schema, "");
    checker.problems
}

struct Checker<'a> {
    dialect: Dialect,
    root: &'a Value,
    problems: Vec<String>,
}

impl Checker<'_> {
    fn problem(&mut self, at: &str, text: &str) {
        self.problems.push(format!("{at}: {text}"));
    }

    /// Returns the keywords allowed beside `type`; empty for an unknown type.
    fn allowed(&self, kind: &str) -> &'static [&'static str] {
        match (self.dialect, kind) {
            (Dialect::OpenaiStrict, "object") => {
                &["properties", "required", "additionalProperties", "$defs"]
            }
            (Dialect::OpenaiStrict, "array") => &["items", "minItems", "maxItems"],
            (Dialect::OpenaiStrict, "string") => &["enum", "const", "pattern", "format"],
            (Dialect::OpenaiStrict, "integer" | "number") => &[
                "enum",
                "const",
                "multipleOf",
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
            ],
            (Dialect::OpenaiStrict | Dialect::AnthropicStrict, "boolean") => &["enum", "const"],
            (Dialect::AnthropicStrict, "object") => {
                &["properties", "required", "additionalProperties", "$defs"]
            }
            (Dialect::AnthropicStrict, "array") => &["items", "minItems"],
            (Dialect::AnthropicStrict, "string") => &["enum", "const", "pattern", "format"],
            (Dialect::AnthropicStrict, "integer" | "number") => &["enum", "const"],
            (Dialect::Gemini, "object") => {
                &["properties", "required", "additionalProperties", "propertyOrdering", "$defs"]
            }
            (Dialect::Gemini, "array") => &["items", "prefixItems", "minItems", "maxItems"],
            (Dialect::Gemini, "string") => &["enum", "format"],
            (Dialect::Gemini, "integer" | "number") => &["enum", "format", "minimum", "maximum"],
            _ => &[],
        }
    }

    fn schema(&mut self, schema: &Value, at: &str) {
        let Value::Object(keywords) = schema else { return self.problem(at, "no object") };
        if let Some(target) = keywords.get("$ref") {
            let name = target.as_str().and_then(|it| it.strip_prefix("#/$defs/"));
            if name.is_none_or(|name| self.root["$defs"].get(name).is_none()) {
                self.problem(at, "a reference to nothing");
            }
            if keywords.len() > 1 {
                self.problem(at, "keywords beside $ref");
            }
            return;
        }
        if let Some(branches) = keywords.get("anyOf") {
            let alone = ["anyOf", "title", "description"];
            if let Some(other) = keywords.keys().find(|it| !alone.contains(&it.as_str())) {
                self.problem(at, &format!("{other} beside anyOf"));
            }
            return self.branches(branches.as_array().unwrap(), &format!("{at}/anyOf"));
        }
        let Some(kind) = keywords.get("type").and_then(Value::as_str) else {
            return self.problem(at, "no type");
        };
        if !["object", "array", "string", "integer", "number", "boolean", "null"].contains(&kind) {
            self.problem(at, "an unknown type");
        }
        let allowed = self.allowed(kind);
        for (keyword, value) in keywords {
            let known = allowed.contains(&keyword.as_str())
                || ["type", "title", "description"].contains(&keyword.as_str());
            if !known {
                self.problem(at, &format!("{keyword} is not allowed in type {kind}"));
            }
            self.value(keyword, value, at);
        }
        match kind {
            "object" => self.object(keywords, at),
            "array" => self.array(keywords, at),
            _ => {}
        }
        if let Some(Value::Object(definitions)) = keywords.get("$defs") {
            for (name, definition) in definitions {
                self.schema(definition, &format!("{at}/$defs/{name}"));
            }
        }
    }

    fn branches(&mut self, branches: &[Value], at: &str) {
        if branches.len() < 2 {
            self.problem(at, "fewer than two alternatives");
        }
        let mut firsts: Vec<(String, Value)> = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            self.schema(branch, &format!("{at}/{index}"));
            // The rule is "Objects provided via 'anyOf' must not share identical first keys", unless the key tells them
            // apart.
            if let Some((name, first)) =
                branch["properties"].as_object().and_then(|it| it.iter().next())
            {
                let tag = [&first["const"], &first["enum"]].into_iter().find(|it| !it.is_null());
                let entry = (name.clone(), tag.cloned().unwrap_or_default());
                if firsts.contains(&entry) {
                    self.problem(at, &format!("two objects begin with {name}"));
                }
                firsts.push(entry);
            }
        }
    }

    fn object(&mut self, keywords: &Map<String, Value>, at: &str) {
        if keywords.get("additionalProperties") != Some(&Value::Bool(false)) {
            self.problem(at, "additionalProperties is not false");
        }
        let Some(Value::Object(properties)) = keywords.get("properties") else {
            return self.problem(at, "no properties");
        };
        let names: Vec<&str> = properties.keys().map(String::as_str).collect();
        let list = |keyword: &str| -> Vec<&str> {
            let list = keywords.get(keyword).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).collect()
        };
        let required = list("required");
        if self.dialect == Dialect::OpenaiStrict && required != names {
            self.problem(at, "not every property is required");
        }
        if required.iter().any(|name| !names.contains(name)) {
            self.problem(at, "something is required that is no property");
        }
        if self.dialect == Dialect::Gemini && list("propertyOrdering") != names {
            self.problem(at, "propertyOrdering is not the order of the properties");
        }
        for (name, property) in properties {
            self.schema(property, &format!("{at}/properties/{name}"));
        }
    }

    fn array(&mut self, keywords: &Map<String, Value>, at: &str) {
        if let Some(items) = keywords.get("items") {
            self.schema(items, &format!("{at}/items"));
        }
        let prefix = keywords.get("prefixItems").and_then(Value::as_array);
        for (index, item) in prefix.into_iter().flatten().enumerate() {
            self.schema(item, &format!("{at}/prefixItems/{index}"));
        }
        if !keywords.contains_key("items") && prefix.is_none() {
            self.problem(at, "no items");
        }
    }

    fn value(&mut self, keyword: &str, value: &Value, at: &str) {
        let formats: &[&str] = match self.dialect {
            Dialect::OpenaiStrict => &[
                "date-time",
                "time",
                "date",
                "duration",
                "email",
                "hostname",
                "ipv4",
                "ipv6",
                "uuid",
            ],
            Dialect::AnthropicStrict => &[
                "date-time",
                "time",
                "date",
                "duration",
                "email",
                "hostname",
                "uri",
                "ipv4",
                "ipv6",
                "uuid",
            ],
            _ => &["date-time", "date", "time"],
        };
        let sound = match keyword {
            "format" => value.as_str().is_some_and(|it| formats.contains(&it)),
            "minItems" if self.dialect == Dialect::AnthropicStrict => {
                matches!(value.as_u64(), Some(0 | 1))
            }
            "enum" => value.as_array().is_some_and(|values| {
                !values.is_empty() && values.iter().all(|it| !it.is_array() && !it.is_object())
            }),
            "pattern" => {
                ["(?", r"\b", r"\B", r"\1"].iter().all(|it| !value.as_str().unwrap().contains(it))
            }
            _ => true,
        };
        if !sound {
            self.problem(at, &format!("{keyword}: {value} is not allowed"));
        }
    }
}

/// Returns the depth of nested objects, with references followed.
pub(super) fn depth(schema: &Value, root: &Value) -> usize {
    let below = match schema {
        Value::Object(keywords) => match keywords.get("$ref").and_then(Value::as_str) {
            Some(target) => depth(&root["$defs"][target.trim_start_matches("#/$defs/")], root),
            None => {
                let parts =
                    keywords.iter().filter(|it| it.0 != "$defs").map(|it| depth(it.1, root));
                parts.max().unwrap_or(0)
            }
        },
        Value::Array(items) => items.iter().map(|item| depth(item, root)).max().unwrap_or(0),
        _ => 0,
    };
    below + usize::from(schema.get("type").is_some_and(|it| it == "object"))
}

/// Counts optional properties and places with several types; references count each time they are used.
pub(super) fn optional_and_unions(schema: &Value, root: &Value) -> (usize, usize) {
    match schema {
        Value::Object(keywords) => {
            if let Some(target) = keywords.get("$ref").and_then(Value::as_str) {
                let target = target.trim_start_matches("#/$defs/");
                return optional_and_unions(&root["$defs"][target], root);
            }
            let count = |keyword: &str| match keywords.get(keyword) {
                Some(Value::Object(it)) => it.len(),
                Some(Value::Array(it)) => it.len(),
                _ => 0,
            };
            let is_object = keywords.get("type").is_some_and(|it| it == "object");
            let own = if is_object { count("properties") - count("required") } else { 0 };
            let union = usize::from(keywords.get("anyOf").is_some_and(Value::is_array));
            keywords
                .iter()
                .filter(|it| it.0 != "$defs")
                .map(|it| optional_and_unions(it.1, root))
                .fold((own, union), |sum, part| (sum.0 + part.0, sum.1 + part.1))
        }
        Value::Array(items) => items
            .iter()
            .map(|item| optional_and_unions(item, root))
            .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1)),
        _ => (0, 0),
    }
}
