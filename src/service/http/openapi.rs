//! The OpenAPI 3.1 document about all endpoints. It is made from the same values that the router uses.

use std::collections::BTreeSet;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::endpoint::{Body, Content, Endpoint, ProblemForm, Responds, Router, own_form};
use super::schema::Schema;

/// Beginning of references to schemas of the document.
const COMPONENTS: &str = "#/components/schemas/";

/// Returns the schema of a document of OpenAPI, as far as it is needed to find one's way in it.
pub(crate) fn document_schema() -> Schema {
    let object = || json!({ "type": "object", "additionalProperties": true });
    let schema = json!({
        "description": "A document of OpenAPI 3.1.",
        "type": "object",
        "properties": {
            "openapi": { "description": "Version of OpenAPI.", "type": "string" },
            "info": object(),
            "servers": { "type": "array", "items": object() },
            "paths": object(),
            "components": object(),
        },
        "required": ["openapi", "info", "servers", "paths", "components"],
        "additionalProperties": true,
    });
    Schema::named("OpenApiDocument", schema)
}

/// Returns the document as JSON. `base` is the address of the server. `form` returns how problems of a path are written.
pub(crate) fn openapi<S: Clone + 'static>(
    router: &Router<S>,
    base: &str,
    form: impl Fn(&str) -> ProblemForm,
) -> Bytes {
    let make = || {
        let (document, renamed) = document(router.endpoints(), form);
        if !renamed.is_empty() {
            tracing::debug!(?renamed, "schemas of one name differ, and were renamed");
        }
        document.to_string().into()
    };
    let rest = router.document(make).get(1..).unwrap_or_default();
    // Only the address differs between requests.
    let mut text = format!("{{\"servers\":{},", json!([{ "url": base }])).into_bytes();
    text.extend_from_slice(rest);
    text.into()
}

/// Returns the document without its servers, and the names of schemas that had to be renamed.
fn document<S>(
    endpoints: &[Endpoint<S>],
    form: impl Fn(&str) -> ProblemForm,
) -> (Value, Vec<String>) {
    let mut components = Components::default();
    let mut paths = Map::new();
    let mut tags = BTreeSet::new();
    for endpoint in endpoints {
        tags.insert(endpoint.tag);
        let path = endpoint.path.replace("...}", "}");
        let operation = operation(endpoint, form(&endpoint.path), &mut components);
        let methods = paths.entry(path).or_insert_with(|| json!({}));
        if let Some(methods) = methods.as_object_mut() {
            methods.insert(endpoint.method.as_str().to_ascii_lowercase(), operation);
        }
    }
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Mitt",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Runs of agents with documents, execution of scripts, and tools. \
                            Errors follow RFC 9457 where an interface has no form of its own.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "tags": tags.iter().map(|tag| json!({ "name": tag })).collect::<Vec<_>>(),
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": {
            "schemas": components.schemas,
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
        },
    });
    (document, components.renamed)
}

fn operation<S>(
    endpoint: &Endpoint<S>,
    problem: ProblemForm,
    components: &mut Components,
) -> Value {
    let mut operation = json!({
        "operationId": endpoint.operation,
        "summary": endpoint.summary,
        "tags": [endpoint.tag],
        "responses": responses(endpoint, problem, components),
    });
    let Some(fields) = operation.as_object_mut() else { return operation };
    if !endpoint.description.is_empty() {
        fields.insert("description".into(), endpoint.description.clone().into());
    }
    let parameters = parameters(endpoint);
    if !parameters.is_empty() {
        fields.insert("parameters".into(), parameters.into());
    }
    if let Some(body) = request_body(&endpoint.body, components) {
        fields.insert("requestBody".into(), body);
    }
    if endpoint.is_public {
        fields.insert("security".into(), json!([]));
    }
    operation
}

fn parameters<S>(endpoint: &Endpoint<S>) -> Vec<Value> {
    let names = endpoint
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{').and_then(|it| it.strip_suffix('}')));
    let of_path = names.map(|name| match name.strip_suffix("...") {
        Some(name) => json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": "May contain `/`.",
            "schema": { "type": "string" },
        }),
        None => json!({
            "name": name,
            "in": "path",
            "required": true,
            "schema": { "type": "string" },
        }),
    });
    let of_query = endpoint.query.iter().map(|(name, description)| {
        json!({
            "name": name,
            "in": "query",
            "required": false,
            "description": description,
            "schema": { "type": "string" },
        })
    });
    of_path.chain(of_query).collect()
}

fn request_body(body: &Body, components: &mut Components) -> Option<Value> {
    let content = match body {
        Body::None => return None,
        Body::Json(schema) => json!({ "application/json": components.media(schema) }),
        Body::Form(form) => json!({ "multipart/form-data": components.media(form) }),
        Body::JsonOrForm(schema, form) => json!({
            "application/json": components.media(schema),
            "multipart/form-data": components.media(form),
        }),
        Body::Bytes => json!({ "application/octet-stream": file("application/octet-stream") }),
    };
    Some(json!({ "required": true, "content": content }))
}

fn responses<S>(
    endpoint: &Endpoint<S>,
    problem: ProblemForm,
    components: &mut Components,
) -> Value {
    let (status, content) = match &endpoint.responds {
        Responds::Empty(status) => (*status, Map::new()),
        Responds::Json(status, schema) => (*status, json_content(components.media(schema))),
        Responds::Events(schema) => (200, event_content(components.media(schema))),
        Responds::JsonOrEvents(status, schema, events) => {
            let mut content = json_content(components.media(schema));
            content.extend(event_content(components.media(events)));
            (*status, content)
        }
        Responds::File(media_types) => {
            (200, media_types.iter().map(|it| ((*it).to_owned(), file(it))).collect())
        }
    };
    let mut by_status = vec![(status, content.clone())];
    by_status.extend(endpoint.also.iter().map(|also| (*also, content.clone())));
    for (status, further) in &endpoint.further {
        let further = match further {
            Content::None => Map::new(),
            Content::Json(schema) => json_content(components.media(schema)),
            Content::File(media_type) => {
                [((*media_type).to_owned(), file(media_type))].into_iter().collect()
            }
            Content::Problem => problem_content(own_form(), components),
        };
        match by_status.iter_mut().find(|(other, _)| other == status) {
            Some((_, content)) => content.extend(further),
            None => by_status.push((*status, further)),
        }
    }
    let mut responses: Map<String, Value> = by_status
        .into_iter()
        .map(|(status, content)| (status.to_string(), response(meaning(status, &content), content)))
        .collect();
    let words = "What is wrong.";
    responses.insert("default".to_owned(), response(words, problem_content(problem, components)));
    responses.into()
}

fn response(description: &str, content: Map<String, Value>) -> Value {
    let mut response = json!({ "description": description });
    if !content.is_empty() {
        response["content"] = content.into();
    }
    response
}

/// Returns what a status means, in one line.
fn meaning(status: u16, content: &Map<String, Value>) -> &'static str {
    match status {
        206 => "The part of the file that `Range` names.",
        304 => "The client has the content already.",
        416 => "`Range` names no part of the file.",
        400.. => "What is wrong.",
        _ if content.contains_key(EVENTS) => {
            "Success. The data of each server-sent event is JSON of the schema."
        }
        _ => "Success.",
    }
}

fn problem_content(form: ProblemForm, components: &mut Components) -> Map<String, Value> {
    [(form.media_type.to_owned(), components.media(&(form.schema)()))].into_iter().collect()
}

fn json_content(media: Value) -> Map<String, Value> {
    [("application/json".to_owned(), media)].into_iter().collect()
}

/// Media type of a stream of server-sent events.
const EVENTS: &str = "text/event-stream";

fn event_content(media: Value) -> Map<String, Value> {
    [(EVENTS.to_owned(), media)].into_iter().collect()
}

/// Returns the content of a file of a media type.
fn file(media_type: &str) -> Value {
    if media_type.starts_with("text/") {
        json!({ "schema": { "type": "string" } })
    } else {
        json!({ "schema": { "type": "string", "format": "binary" } })
    }
}

/// The schemas of the document.
#[derive(Default)]
struct Components {
    schemas: Map<String, Value>,
    /// Schemas whose name another one has.
    renamed: Vec<String>,
}

/// A schema on its way into the document.
struct Part {
    /// Reference to it in its own schema: `#`, or `#/$defs/<name>`.
    from: String,
    name: String,
    content: Value,
}

impl Components {
    fn media(&mut self, schema: &Schema) -> Value {
        json!({ "schema": { "$ref": format!("{COMPONENTS}{}", self.add(schema)) } })
    }

    /// Adds a schema with its definitions, and returns its name in the document.
    fn add(&mut self, schema: &Schema) -> String {
        let mut root = (*schema.schema).clone();
        let definitions = root.as_object_mut().and_then(|it| it.remove("$defs"));
        let mut parts =
            vec![Part { from: "#".to_owned(), name: component(&schema.name), content: root }];
        if let Some(Value::Object(definitions)) = definitions {
            parts.extend(definitions.into_iter().map(|(name, content)| Part {
                from: format!("#/$defs/{name}"),
                name: component(&name),
                content,
            }));
        }
        // A renamed schema changes the ones that refer to it, so that they may have to be renamed too.
        let adapted = loop {
            let adapted: Vec<Value> = parts.iter().map(|part| adapted(part, &parts)).collect();
            let Some(at) = (0..parts.len()).find(|at| self.differs(*at, &parts, &adapted)) else {
                break adapted;
            };
            let name = self.free_name(&component(&schema.name), &parts, at);
            self.renamed.push(name.clone());
            if let Some(part) = parts.get_mut(at) {
                part.name = name;
            }
        };
        let root = parts.first().map(|it| it.name.clone()).unwrap_or_default();
        for (part, content) in parts.into_iter().zip(adapted) {
            self.schemas.insert(part.name, content);
        }
        root
    }

    /// Returns `true` if a schema of the document, or an earlier part, has the same name and another content.
    fn differs(&self, at: usize, parts: &[Part], adapted: &[Value]) -> bool {
        let (Some(part), Some(content)) = (parts.get(at), adapted.get(at)) else { return false };
        let earlier = parts.iter().zip(adapted).take(at).find(|(it, _)| it.name == part.name);
        self.schemas.get(&part.name).is_some_and(|it| it != content)
            || earlier.is_some_and(|(_, it)| it != content)
    }

    /// Returns a name that no schema has. A point is only in names that were made here.
    fn free_name(&self, root: &str, parts: &[Part], at: usize) -> String {
        let own = parts.get(at).map_or("", |part| part.name.as_str());
        let own = own.split('.').next_back().unwrap_or(own);
        let names = (1_u32..).map(|number| format!("{root}.{number}.{own}"));
        let is_free = |name: &String| {
            !self.schemas.contains_key(name) && parts.iter().all(|part| part.name != *name)
        };
        names.into_iter().find(is_free).unwrap_or_default()
    }
}

/// Returns a name that a component may have.
fn component(name: &str) -> String {
    let plain =
        |it: char| if it.is_ascii_alphanumeric() || it == '_' || it == '-' { it } else { '_' };
    name.chars().map(plain).collect()
}

/// Returns the content of a part with references to components.
fn adapted(part: &Part, parts: &[Part]) -> Value {
    let mut content = part.content.clone();
    adapt(&mut content, &|reference: &str| {
        // A reference may lead into a definition.
        let found = parts.iter().filter(|it| {
            let rest = reference.strip_prefix(it.from.as_str());
            rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
        });
        let found = found.max_by_key(|it| it.from.len())?;
        Some(format!("{COMPONENTS}{}{}", found.name, &reference[found.from.len()..]))
    });
    content
}

/// Changes the references of a schema. `true` becomes `{}`, because many readers of OpenAPI expect an object.
fn adapt(schema: &mut Value, reference: &dyn Fn(&str) -> Option<String>) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({ "not": {} }),
        Value::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("$ref", Value::String(text)) => {
                        if let Some(new) = reference(text) {
                            *text = new;
                        }
                    }
                    (
                        "properties" | "patternProperties" | "dependentSchemas" | "$defs",
                        Value::Object(inner),
                    ) => inner.values_mut().for_each(|it| adapt(it, reference)),
                    ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(inner)) => {
                        inner.iter_mut().for_each(|it| adapt(it, reference));
                    }
                    (
                        "items" | "contains" | "not" | "if" | "then" | "else" | "propertyNames",
                        inner,
                    ) => adapt(inner, reference),
                    (
                        "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems",
                        inner @ Value::Object(_),
                    ) => adapt(inner, reference),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use hyper::Method;

    use super::*;

    /// Checks what every document must have, and returns it.
    pub(crate) fn checked<S>(endpoints: &[Endpoint<S>]) -> Value {
        let (document, renamed) = document(endpoints, |_| own_form());
        assert_eq!(renamed, Vec::<String>::new(), "schemas of one name differ");
        let mut operations = BTreeMap::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let id = operation["operationId"].as_str().unwrap();
                let other = operations.insert(id.to_owned(), path.clone());
                assert_eq!(other, None, "{method} {path}: the operation `{id}` is there twice");
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let declared: BTreeSet<&str> = parameters
                    .filter(|it| it["in"] == "path")
                    .map(|it| it["name"].as_str().unwrap())
                    .collect();
                let named: BTreeSet<&str> = path
                    .split('/')
                    .filter_map(|it| it.strip_prefix('{')?.strip_suffix('}'))
                    .collect();
                assert_eq!(declared, named, "{method} {path}");
                assert!(!operation["summary"].as_str().unwrap().is_empty(), "{method} {path}");
            }
        }
        assert_eq!(operations.len(), endpoints.len(), "each endpoint is one operation");
        references(&document, &mut |reference| {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
        });
        document
    }

    fn references(value: &Value, each: &mut dyn FnMut(&str)) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match value {
                        Value::String(text) if key == "$ref" => each(text),
                        value => references(value, each),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|it| references(it, each)),
            _ => {}
        }
    }

    fn endpoint(method: Method, path: &str, operation: &str) -> Endpoint<()> {
        let handler = |_, _| async { Ok(crate::http::empty(204)) };
        Endpoint::new("test", method, path, operation, "Does nothing.", handler)
    }

    /// Returns a form of problems that is not our own.
    fn other_form() -> ProblemForm {
        let schema = || Schema::named("Other", json!({ "type": "string" }));
        ProblemForm { media_type: "text/csv", schema, ..own_form() }
    }

    #[test]
    fn every_body_of_a_response_has_its_media_type() {
        let schema = |name: &str| Schema::named(name, json!({ "type": "object" }));
        let endpoints = [
            endpoint(Method::POST, "/runs", "create")
                .responds(Responds::JsonOrEvents(201, schema("Run"), schema("Event")))
                .also(&[200])
                .further(200, Content::File("application/zip"))
                .further(204, Content::None),
            endpoint(Method::GET, "/page", "page").downloads(&["text/html", "image/png"]),
            endpoint(Method::PUT, "/batch", "batch").further(400, Content::Json(schema("Batch"))),
        ];
        let (document, _) = document(&endpoints, |_| other_form());
        let types = |path: &str, method: &str, status: &str| -> Vec<String> {
            let response = &document["paths"][path][method]["responses"][status];
            assert!(response["description"].is_string(), "{method} {path} {status}: {response}");
            let content = response["content"].as_object();
            let mut types: Vec<String> =
                content.into_iter().flat_map(|it| it.keys().cloned()).collect();
            types.sort();
            types
        };
        let (json, events) = ("application/json", "text/event-stream");
        assert_eq!(types("/runs", "post", "201"), [json, events]);
        assert_eq!(types("/runs", "post", "200"), [json, "application/zip", events]);
        assert_eq!(types("/runs", "post", "204"), Vec::<String>::new());
        assert_eq!(types("/runs", "post", "default"), ["text/csv"]);
        for status in ["200", "206"] {
            assert_eq!(types("/page", "get", status), ["image/png", "text/html"]);
        }
        assert_eq!(types("/page", "get", "304"), Vec::<String>::new());
        assert_eq!(types("/page", "get", "416"), ["application/problem+json"]);
        assert_eq!(types("/batch", "put", "204"), Vec::<String>::new());
        let batch = &document["paths"]["/batch"]["put"]["responses"]["400"];
        let schema = &batch["content"][json]["schema"]["$ref"];
        assert_eq!(schema, "#/components/schemas/Batch");
    }

    #[test]
    fn an_endpoint_is_an_operation() {
        let schema = Schema::named(
            "Tree",
            json!({
                "type": "object",
                "properties": { "children": { "items": { "$ref": "#" } }, "leaf": { "$ref": "#/$defs/Leaf" }, "any": true },
                "$defs": { "Leaf": { "type": "string", "default": { "$ref": "#" } } },
            }),
        );
        let endpoints = [
            endpoint(Method::POST, "/v1/trees/{tree}/{name...}", "grow")
                .reads(Body::Json(schema.clone()))
                .query(&[("wait", "Waits.")])
                .responds(Responds::Json(201, schema)),
            endpoint(Method::GET, "/v1/links/{token}", "follow").public(),
        ];
        let document = {
            let (document, renamed) = document(&endpoints, |path| {
                if path.contains("trees") { own_form() } else { other_form() }
            });
            assert!(renamed.is_empty());
            document
        };
        let grow = &document["paths"]["/v1/trees/{tree}/{name}"]["post"];
        let names: Vec<&str> = grow["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|it| it["name"].as_str())
            .collect();
        assert_eq!(names, ["tree", "name", "wait"]);
        let body = &grow["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        assert_eq!(body, "#/components/schemas/Tree");
        assert_eq!(
            grow["responses"]["201"]["content"]["application/json"]["schema"]["$ref"],
            *body
        );
        let error = &grow["responses"]["default"]["content"]["application/problem+json"];
        assert_eq!(error["schema"]["$ref"], "#/components/schemas/Problem");
        let follow = &document["paths"]["/v1/links/{token}"]["get"];
        assert_eq!((&follow["security"], &grow["security"]), (&json!([]), &Value::Null));
        let error = &follow["responses"]["default"]["content"]["text/csv"];
        assert_eq!(error["schema"]["$ref"], "#/components/schemas/Other");
        let tree = &document["components"]["schemas"]["Tree"];
        assert_eq!(tree["properties"]["children"]["items"]["$ref"], "#/components/schemas/Tree");
        assert_eq!(tree["properties"]["leaf"]["$ref"], "#/components/schemas/Leaf");
        assert_eq!((&tree["properties"]["any"], &tree["$defs"]), (&json!({}), &Value::Null));
        // A default is a value, not a schema.
        let leaf = &document["components"]["schemas"]["Leaf"];
        assert_eq!(leaf["default"], json!({ "$ref": "#" }));
    }

    #[test]
    fn schemas_of_one_name_that_differ_are_kept_apart() {
        let with = |name: &str, kind: &str| {
            let schema = json!({
                "$ref": "#/$defs/Row",
                "$defs": { "Row": { "items": { "$ref": "#/$defs/Cell" } }, "Cell": { "type": kind } },
            });
            Schema::named(name, schema)
        };
        let endpoints = [
            endpoint(Method::POST, "/a", "a").reads(Body::Json(with("A", "string"))),
            endpoint(Method::POST, "/b", "b").reads(Body::Json(with("B", "number"))),
            endpoint(Method::POST, "/c", "c").reads(Body::Json(with("C", "string"))),
        ];
        let (document, renamed) = document(&endpoints, |_| own_form());
        assert_eq!(renamed, ["B.1.Cell", "B.1.Row"]);
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["A"]["$ref"], "#/components/schemas/Row");
        assert_eq!(schemas["B"]["$ref"], "#/components/schemas/B.1.Row");
        assert_eq!(schemas["C"]["$ref"], "#/components/schemas/Row");
        assert_eq!(schemas["B.1.Row"]["items"]["$ref"], "#/components/schemas/B.1.Cell");
        assert_eq!(schemas["B.1.Cell"]["type"], "number");
        assert_eq!(schemas["Cell"]["type"], "string");
    }

    #[test]
    fn the_address_of_the_server_is_that_of_the_request() {
        let router = Router::new(vec![endpoint(Method::GET, "/a", "a")]);
        for base in ["http://127.0.0.1:6488", "https://mitt.example.org"] {
            let text = openapi(&router, base, |_| own_form());
            let document: Value = serde_json::from_slice(&text).unwrap();
            assert_eq!(document["servers"], json!([{ "url": base }]));
            assert_eq!(document["paths"]["/a"]["get"]["operationId"], "a");
        }
    }
}
