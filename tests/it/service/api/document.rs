//! The OpenAPI document, and that it says what the server does.

use std::collections::{BTreeMap, BTreeSet};

use hyper::Method;
use serde_json::{Value, json};

use crate::service::support::{Call, Server};

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "$ref" => {
                        found.insert(text.clone());
                    }
                    value => references(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|it| references(it, found)),
        _ => {}
    }
}

/// Returns method, path and operation of everything in a document.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let of = |path: &String, methods: &Value| {
        let methods = methods.as_object().unwrap().clone();
        methods.into_iter().map(|(method, it)| (method, path.clone(), it)).collect::<Vec<_>>()
    };
    paths.iter().flat_map(|(path, methods)| of(path, methods)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_is_whole() {
    let server = Server::for_tenants().await;
    // It needs no token.
    let reply = server.get("/openapi.json").await;
    assert_eq!((reply.status, reply.headers["content-type"].as_str()), (200, "application/json"));
    let document = reply.json();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["servers"], json!([{ "url": format!("http://{}", server.address) }]));
    let mut ids = BTreeMap::new();
    for (method, path, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap().to_owned();
        let other = ids.insert(id.clone(), path.clone());
        assert_eq!(other, None, "{method} {path}: the operation `{id}` is there twice");
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let declared: BTreeSet<&str> = parameters
            .filter(|it| it["in"] == "path" && it["required"] == true)
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        let named: BTreeSet<&str> =
            path.split('/').filter_map(|it| it.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(declared, named, "{method} {path}");
    }
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    for reference in &found {
        let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference}"));
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    // A point is only in the name of a schema that differs from another one of its name.
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let twice: Vec<&String> = schemas.keys().filter(|it| it.contains('.')).collect();
    assert_eq!(twice, Vec::<&String>::new(), "schemas of one name differ");
    for (name, schema) in schemas {
        let valid = jsonschema::meta::validate(schema);
        assert!(valid.is_ok(), "{name}: {:?}", valid.err().map(|it| it.to_string()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_of_the_document_is_served() {
    let server = Server::start().await;
    let document = server.get("/openapi.json").await.json();
    let operations = operations(&document);
    assert!(operations.len() >= 22, "{}", operations.len());
    for (method, path, _) in operations {
        let filled: Vec<&str> =
            path.split('/').map(|it| if it.starts_with('{') { "none" } else { it }).collect();
        let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
        let reply = server.send(Call::new(method.clone(), &filled.join("/"))).await;
        assert_ne!(reply.status, 405, "{method} {path}: {reply:?}");
        // An id that nothing has is missing; a path that nothing serves would be described otherwise.
        assert!(!reply.text().contains("nothing is served at"), "{method} {path}: {reply:?}");
        assert!(reply.status < 500 || reply.status == 501, "{method} {path}: {reply:?}");
    }
}
