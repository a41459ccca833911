//! XTP schemas: `schema.yaml` next to an Extism plug-in, which defines input and output of its functions. They are converted to
//! contracts, with JSON Schemas in place of XTP's own types.
//!
//! Supports `v1-draft` as described in <https://docs.xtp.dylibso.com/docs/concepts/xtp-schema>, and `v0`, which only lists the
//! functions. Hints for code generation in a certain language are ignored.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::contract::{Contract, Form};
use mitt_base::{Error, ErrorKind, Result};

/// Deepest nesting of types.
const MAX_DEPTH: usize = 64;

#[derive(Deserialize)]
struct Wire {
    version: String,
    exports: Exports,
    #[serde(default)]
    components: Components,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Exports {
    Named(BTreeMap<String, Export>),
    /// Format of `v0`.
    Names(Vec<String>),
}

#[derive(Default, Deserialize)]
struct Components {
    #[serde(default)]
    schemas: Map<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    description: Option<String>,
    input: Option<Map<String, Value>>,
    output: Option<Map<String, Value>>,
}

/// Returns the contracts of a schema, by function name.
///
/// # Errors
///
/// [`ErrorKind::Load`] - it is not an XTP schema.
pub(super) fn contracts(yaml: &str, place: &str) -> Result<BTreeMap<String, Contract>> {
    let wrong = |problem: String| Error::new(ErrorKind::Load, format!("{place}: {problem}"));
    super::plain::check_yaml(yaml).map_err(wrong)?;
    let wire: Wire = serde_saphyr::from_str(yaml).map_err(|error| {
        super::manifest::yaml_error(&error, place)
            .hint("expected an XTP schema of version `v1-draft`")
    })?;
    if !["v0", "v1-draft"].contains(&wire.version.as_str()) {
        let got = mitt_base::text::cut_bytes(&wire.version, 64);
        return Err(wrong(format!("version: expected `v1-draft` or `v0`, got `{got}`")));
    }
    let named = match wire.exports {
        Exports::Named(named) => named,
        Exports::Names(names) => names.into_iter().map(|name| (name, Export::default())).collect(),
    };
    let types = &wire.components.schemas;
    named
        .into_iter()
        .map(|(name, export)| {
            let at = |problem| wrong(format!("exports: {name}: {problem}"));
            contract(export, types).map(|contract| (name.clone(), contract)).map_err(at)
        })
        .collect()
}

fn contract(export: Export, types: &Map<String, Value>) -> Result<Contract, String> {
    let (input, input_schema) = side(export.input, types).map_err(|it| format!("input: {it}"))?;
    let (output, output_schema) =
        side(export.output, types).map_err(|it| format!("output: {it}"))?;
    Ok(Contract { description: export.description, input, output, input_schema, output_schema })
}

/// Converts the input or output of a function.
fn side(
    given: Option<Map<String, Value>>,
    types: &Map<String, Value>,
) -> Result<(Form, Option<Value>), String> {
    let Some(given) = given else { return Ok((Form::Text, None)) };
    let content = given.get("contentType").and_then(Value::as_str).unwrap_or("application/json");
    let form = match content.split(';').next().unwrap_or_default().trim() {
        "application/json" => Form::Json,
        "text/plain" => Form::Text,
        "application/x-binary" => Form::Bytes,
        other => {
            let other = mitt_base::text::cut_bytes(other, 64);
            return Err(format!(
                "contentType: expected `application/json`, `text/plain; charset=utf-8` or `application/x-binary`, got `{other}`"
            ));
        }
    };
    if form != Form::Json {
        return Ok((form, None));
    }
    let mut schema = schema(&Value::Object(given), 0)?;
    let mut definitions = Map::new();
    for (name, ty) in types {
        definitions
            .insert(name.clone(), self::schema(ty, 0).map_err(|it| format!("{name}: {it}"))?);
    }
    // A reference is resolved in place, because the members of an object are needed.
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.trim_start_matches("#/$defs/").to_owned();
        schema = definitions.get(&name).cloned().ok_or(format!("there is no type `{name}`"))?;
    }
    if let Some(schema) = schema.as_object_mut().filter(|_| !definitions.is_empty()) {
        schema.insert("$defs".into(), Value::Object(definitions));
    }
    Ok((form, Some(schema)))
}

/// Converts an XTP type to JSON Schema.
fn schema(ty: &Value, depth: usize) -> Result<Value, String> {
    let ty = ty.as_object().ok_or("expected a type")?;
    if depth > MAX_DEPTH {
        return Err(format!("types more than {MAX_DEPTH} deep"));
    }
    let mut schema = Map::new();
    if let Some(description) = ty.get("description").filter(|it| it.is_string()) {
        schema.insert("description".into(), description.clone());
    }
    if let Some(reference) = ty.get("$ref") {
        let name = reference.as_str().and_then(|it| it.strip_prefix("#/components/schemas/"));
        let name = name.ok_or("$ref: expected `#/components/schemas/` and a name")?;
        schema.insert("$ref".into(), format!("#/$defs/{name}").into());
        return Ok(nullable(ty, schema));
    }
    let kind = match ty.get("type").and_then(Value::as_str) {
        Some(kind) => kind,
        None if ty.contains_key("properties") => "object",
        None if ty.contains_key("enum") => "string",
        None => return Err("type: expected".into()),
    };
    match kind {
        "string" | "boolean" | "number" => {}
        "integer" => {
            // As wide as the plug-in's own type.
            if ty.get("format").and_then(Value::as_str).is_none_or(|format| format == "int32") {
                schema.insert("minimum".into(), i32::MIN.into());
                schema.insert("maximum".into(), i32::MAX.into());
            }
        }
        "array" => {
            let items = ty.get("items").ok_or("items: expected of an array")?;
            schema.insert("items".into(), self::schema(items, depth + 1)?);
        }
        "object" | "map" => object(ty, &mut schema, depth)?,
        // Base64 in JSON.
        "buffer" => {
            schema.insert("contentEncoding".into(), "base64".into());
        }
        other => {
            return Err(format!("type: there is no `{}`", mitt_base::text::cut_bytes(other, 64)));
        }
    }
    let kind = match kind {
        "buffer" => "string",
        "map" => "object",
        kind => kind,
    };
    schema.insert("type".into(), kind.into());
    if let Some(values) = ty.get("enum") {
        schema.insert("enum".into(), values.clone());
    }
    Ok(nullable(ty, schema))
}

fn object(
    ty: &Map<String, Value>,
    schema: &mut Map<String, Value>,
    depth: usize,
) -> Result<(), String> {
    if let Some(values) = ty.get("additionalProperties").filter(|it| it.is_object()) {
        schema.insert("additionalProperties".into(), self::schema(values, depth + 1)?);
    }
    let Some(properties) = ty.get("properties") else { return Ok(()) };
    let properties = properties.as_object().ok_or("properties: expected an object")?;
    let mut members = Map::new();
    let mut required: Vec<Value> = Vec::new();
    for (name, member) in properties {
        let member_schema =
            self::schema(member, depth + 1).map_err(|problem| format!("{name}: {problem}"))?;
        members.insert(name.clone(), member_schema);
        let is_nullable = member.get("nullable").and_then(Value::as_bool).unwrap_or(false);
        let is_listed = match ty.get("required").and_then(Value::as_array) {
            Some(listed) => listed.iter().any(|it| it == name),
            // Schemas from before there was such a list.
            None => !is_nullable,
        };
        if is_listed && !is_nullable {
            required.push(name.as_str().into());
        }
    }
    schema.insert("properties".into(), Value::Object(members));
    schema.insert("required".into(), Value::Array(required));
    Ok(())
}

fn nullable(ty: &Map<String, Value>, schema: Map<String, Value>) -> Value {
    match ty.get("nullable").and_then(Value::as_bool) {
        Some(true) => json!({ "anyOf": [schema, { "type": "null" }] }),
        _ => Value::Object(schema),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"
version: v1-draft
exports:
  greet:
    description: Greets.
    input: { type: string, contentType: text/plain; charset=utf-8 }
    output: { $ref: "#/components/schemas/Greeting", contentType: application/json }
  draw: { input: { type: buffer, contentType: application/x-binary } }
  nothing: {}
components:
  schemas:
    Greeting:
      required: [text, mood]
      properties:
        text: { type: string, description: What is said. }
        mood: { $ref: "#/components/schemas/Mood" }
        size: { type: integer, format: int64 }
        small: { type: integer }
        more: { type: object, additionalProperties: { type: number } }
        raw: { type: buffer, nullable: true }
        next: { $ref: "#/components/schemas/Greeting", nullable: true }
    Mood: { type: string, enum: [glad, sad] }
"##;

    #[test]
    fn schemas_become_contracts() {
        let contracts = contracts(SCHEMA, "schema.yaml").unwrap();
        let greet = &contracts["greet"];
        assert_eq!((greet.input, greet.output), (Form::Text, Form::Json));
        assert_eq!(greet.description.as_deref(), Some("Greets."));
        let output = greet.output_schema.as_ref().unwrap();
        assert_eq!(output["required"], json!(["text", "mood"]));
        assert_eq!(output["properties"]["mood"], json!({ "$ref": "#/$defs/Mood" }));
        assert_eq!(output["properties"]["size"], json!({ "type": "integer" }));
        assert_eq!(output["properties"]["small"]["maximum"], i32::MAX);
        assert_eq!(output["properties"]["more"]["additionalProperties"]["type"], "number");
        assert_eq!(output["properties"]["raw"]["anyOf"][0]["contentEncoding"], "base64");
        assert_eq!(output["$defs"]["Mood"]["enum"], json!(["glad", "sad"]));
        assert_eq!(contracts["draw"].input, Form::Bytes);
        assert_eq!(contracts["nothing"], Contract::default());
        let names = self::contracts("version: v0\nexports: [a, b]\n", "schema.yaml").unwrap();
        assert_eq!(names.keys().collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (from, to, problem) in [
            ("v1-draft", "v9", "version: expected `v1-draft` or `v0`, got `v9`"),
            ("text/plain;", "text/html;", "exports: greet: input: contentType:"),
            (
                "type: string, desc",
                "type: strin, desc",
                "greet: output: Greeting: text: type: there is no `strin`",
            ),
            (
                "schemas/Greeting\", contentType",
                "schemas/Greting\", contentType",
                "there is no type `Greting`",
            ),
            (
                "#/components/schemas/Mood",
                "#/other/Mood",
                "$ref: expected `#/components/schemas/` and a name",
            ),
            ("exports:", "exprots:", "exports"),
        ] {
            let error = contracts(&SCHEMA.replacen(from, to, 1), "schema.yaml").unwrap_err();
            assert!(error.render().contains(problem), "{problem}: {}", error.render());
        }
        let deep =
            format!("{}type: string{}", "{ type: array, items: {".repeat(70), "}}".repeat(70));
        let deep = format!(
            "version: v1-draft\nexports: {{ f: {{ input: {{ type: array, items: {{ {deep} }} }} }} }}\n"
        );
        assert!(contracts(&deep, "schema.yaml").is_err());
    }
}
