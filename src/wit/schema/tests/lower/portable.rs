//! Checks the portable form against what clients of MCP and the converters of their frameworks support.

use super::*;
use crate::schema::result;
use crate::value::EXACT_INTEGER;
use serde_json::json;

/// Returns everything that some client would refuse, warn about, or ignore.
fn problems(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(schema, "", &mut found);
    found
}

fn walk(schema: &Value, at: &str, found: &mut Vec<String>) {
    const KNOWN: [&str; 15] = [
        "type",
        "title",
        "description",
        "enum",
        "items",
        "properties",
        "required",
        "additionalProperties",
        "anyOf",
        "$ref",
        "$defs",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
    ];
    let Value::Object(keywords) = schema else {
        found.push(format!("{at}: a boolean as a schema"));
        return;
    };
    for (keyword, value) in keywords {
        if !KNOWN.contains(&keyword.as_str()) && !["pattern", "format"].contains(&keyword.as_str())
        {
            found.push(format!("{at}: {keyword}"));
        }
        if value.as_f64().is_some_and(|it| it.abs() > EXACT_INTEGER as f64) {
            found.push(format!("{at}: {keyword} {value} is no number for JavaScript"));
        }
    }
    if keywords.get("type").is_some_and(|it| !it.is_string()) {
        found.push(format!("{at}: a list of types"));
    }
    if !["type", "anyOf", "$ref", "enum"].iter().any(|it| keywords.contains_key(*it)) {
        found.push(format!("{at}: any value"));
    }
    if keywords.contains_key("$ref") && keywords.len() > 1 {
        found.push(format!("{at}: beside a reference"));
    }
    for keyword in ["properties", "$defs"] {
        for (name, part) in keywords.get(keyword).and_then(Value::as_object).into_iter().flatten() {
            walk(part, &format!("{at}/{name}"), found);
        }
    }
    for (index, part) in
        keywords.get("anyOf").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        if part.get("anyOf").is_some() {
            found.push(format!("{at}/{index}: a union in a union"));
        }
        walk(part, &format!("{at}/{index}"), found);
    }
    // Only items of any value cannot be described.
    if let Some(items) = keywords.get("items").filter(|it| **it != json!({})) {
        walk(items, &format!("{at}[]"), found);
    }
    if let Some(values) = keywords.get("additionalProperties").filter(|it| !it.is_boolean()) {
        walk(values, &format!("{at}{{}}"), found);
    }
}

#[test]
fn arguments_and_results_are_written_in_common_words() {
    let mut random = Random(0x5eed_0007);
    for _ in 0..1_000 {
        let (function, _) = random_call(&mut random);
        let given = result(&function).unwrap();
        for lowered in [lower(&arguments(&function), Dialect::Portable), lower_result(&given)] {
            let found = problems(schema_of(&lowered));
            assert!(found.is_empty(), "{found:?}\n{given:#}");
        }
    }
}

/// Clients validate results, and get them in their canonical form.
#[test]
fn what_a_call_gives_fits_the_portable_schema_of_its_result() {
    let mut random = Random(0x5eed_0008);
    for _ in 0..1_500 {
        let (function, json) = random_call(&mut random);
        let exact = result(&function).unwrap();
        let lowered = lower_result(&exact);
        let schema = schema_of(&lowered);
        let value = Value::from(json.clone());
        let validator = jsonschema::draft202012::new(schema).unwrap();
        if let Err(error) = validator.validate(&value) {
            panic!("{error}\n{value}\n{schema:#}\n{exact:#}");
        }
    }
}

#[test]
fn bundled_tools_fit_into_what_codex_shows_whole() {
    for (name, _, exact) in bundled() {
        let lowered = lower(&exact, Dialect::Portable);
        let schema = schema_of(&lowered);
        assert_eq!(problems(schema), [""; 0], "{name}");
        assert!(schema.to_string().len() <= 4_900, "{name}: {} bytes", schema.to_string().len());
        for (property, schema) in schema["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}: {property} says nothing");
        }
    }
}

/// Gemini CLI and others validate the arguments of a model by the schema, and models imitate the descriptions.
#[test]
fn examples_in_descriptions_fit_their_schemas() {
    let mut count = 0;
    for (name, _, exact) in bundled() {
        for dialect in [Dialect::Portable, Dialect::Ollama] {
            let lowered = lower(&exact, dialect);
            for (property, schema) in schema_of(&lowered)["properties"].as_object().unwrap() {
                let text = schema["description"].as_str().unwrap_or_default();
                for example in text.split('`').skip(1).step_by(2) {
                    let Ok(value) = serde_json::from_str::<Value>(example) else { continue };
                    if !value.is_array() && !value.is_object() {
                        continue;
                    }
                    // For a list, a single item may be the example.
                    let is_item = value.is_object() && schema["type"] == "array";
                    let schema = if is_item { &schema["items"] } else { schema };
                    let validator = jsonschema::draft202012::new(schema).unwrap();
                    if let Err(error) = validator.validate(&value) {
                        panic!("{name}, {property}, {dialect:?}: {example}: {error}\n{schema:#}");
                    }
                    count += 1;
                }
            }
        }
    }
    assert!(count > 5, "only {count} examples");
}

#[test]
fn what_a_result_does_not_promise_is_not_said() {
    let exact = narrowed::of(json!({"type": "string", "minLength": 2, "description": "That."}));
    let said = |lowered: Lowered| {
        assert_eq!(lowered.losses.len(), 1, "{:?}", lowered.losses);
        schema_of(&lowered)["properties"]["x"]["description"].clone()
    };
    assert_eq!(said(lower(&exact, Dialect::Portable)), "That.\n(at least 2 characters)");
    assert_eq!(said(lower_result(&exact)), "That.");
}

#[test]
fn each_kind_of_type() {
    let of = |x: Value| {
        let lowered = lower(&narrowed::of(x), Dialect::Portable);
        schema_of(&lowered)["properties"]["x"].to_string()
    };
    let cases = [
        json!({"type": ["null", "boolean", "number", "string"]}),
        json!({}),
        json!({"type": "object", "additionalProperties": true}),
        json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
        json!({"anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 18_446_744_073_709_551_615_u64},
            {"type": "string", "pattern": "^(0|[1-9][0-9]{0,19})$"},
        ]}),
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}, {"type": "string"}], "items": false, "minItems": 3}),
        json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "uniqueItems": true}),
        json!({"type": "string", "const": "a", "default": "a"}),
        json!({"anyOf": [
            {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "number"}}},
            {"type": "object", "properties": {
                "columns": {"type": "array", "items": {"type": "string"}},
                "rows": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
            }, "required": ["columns", "rows"], "additionalProperties": false},
        ]}),
    ];
    insta::assert_snapshot!(cases.map(of).join("\n"), @r#"
    {"anyOf":[{"type":"null"},{"type":"boolean"},{"type":"number"},{"type":"string"}]}
    {"anyOf":[{"type":"null"},{"type":"boolean"},{"type":"number"},{"type":"string"},{"type":"array","items":{}},{"type":"object","additionalProperties":true}]}
    {"type":"object","additionalProperties":true}
    {"type":"object","additionalProperties":{"type":"boolean"}}
    {"anyOf":[{"type":"integer","minimum":0},{"type":"string","pattern":"^-?(0|[1-9][0-9]{0,19})$"}]}
    {"description":"(the items in this order: string, boolean, string)","type":"array","items":{"anyOf":[{"type":"string"},{"type":"boolean"}]},"minItems":3,"maxItems":3}
    {"description":"(no item twice)","type":"array","items":{"type":"string","enum":["a","b"]}}
    {"description":"Default: \"a\"","type":"string","enum":["a"]}
    {"anyOf":[{"type":"object","properties":{"columns":{"type":"array","items":{"type":"string"}},"rows":{"type":"array","items":{"type":"array","items":{"type":"number"}}}},"required":["columns","rows"],"additionalProperties":false},{"type":"array","items":{"type":"object"}}]}
    "#);
}
