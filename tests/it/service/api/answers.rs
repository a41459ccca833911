//! What the service answers has the form that the OpenAPI document names: each operation is called, and each answer is compared.

mod flows;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hyper::Method;
use jsonschema::Validator;
use mitt::skill::{HostCall, HostFunction, HostTool, ToolPolicy};
use mitt::value::{Json, Type};
use mitt::{CacheDir, Host, Result};
use mitt_service::Problem;
use mitt_service::run::{FoundServer, FoundServers, ManagedModels, ModelEntry, NewModel};
use serde_json::{Value, json};

use crate::service::support::{Call, Reply, Server, Setup, example};
use crate::support::cache;

/// A server whose answers are compared with its document.
struct Watched {
    server: Server,
    document: Value,
    /// Compiled schemas by their references.
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
    /// Operations with an answer of success.
    succeeded: Mutex<BTreeSet<String>>,
}

impl Watched {
    async fn start() -> Watched {
        let setup = Setup {
            host: Host::builder().cache(CacheDir::new(cache())).tool(Wipe).build().unwrap(),
            managed: Some(Arc::new(AddedModels::default())),
            examples: vec![example("yoy")],
            ..Setup::default()
        };
        let server = Server::with(setup).await;
        let document = server.get("/openapi.json").await.json();
        Watched { server, document, validators: Mutex::default(), succeeded: Mutex::default() }
    }

    async fn get(&self, path: &str) -> Reply {
        self.send(Call::get(path)).await
    }

    async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(Call::post(path, body)).await
    }

    /// Sends a request, and compares its response with the document.
    async fn send(&self, call: Call) -> Reply {
        let (method, path) = (call.method().as_str().to_ascii_lowercase(), call.path().to_owned());
        let reply = self.server.send(call).await;
        let place = format!("{method} {path}: {reply:?}");
        let operation = self.operation(&method, path.split('?').next().unwrap_or_default());
        let operation = operation.unwrap_or_else(|| panic!("the document lacks {place}"));
        let responses = &operation["responses"];
        let response = match responses.get(reply.status.to_string()) {
            Some(response) => response,
            None if reply.status >= 400 => &responses["default"],
            None => panic!("the document lacks this status: {place}"),
        };
        self.compare(response, &reply, &place);
        if reply.status < 400 {
            let name = operation["operationId"].as_str().unwrap().to_owned();
            self.succeeded.lock().unwrap().insert(name);
        }
        reply
    }

    /// Sends a request, which succeeds.
    async fn done(&self, call: Call) -> Reply {
        let place = format!("{} {}", call.method(), call.path());
        let reply = self.send(call).await;
        assert!(reply.status < 400, "{place}: {reply:?}");
        reply
    }

    /// Returns the operation of a path. Fixed parts come before parameters.
    fn operation(&self, method: &str, path: &str) -> Option<&Value> {
        let parts: Vec<&str> = path.split('/').collect();
        let fits = |template: &str| {
            let template: Vec<&str> = template.split('/').collect();
            template.len() == parts.len()
                && template.iter().zip(&parts).all(|(it, part)| it.starts_with('{') || it == part)
        };
        let paths = self.document["paths"].as_object()?.iter();
        let found = paths.filter(|(template, it)| fits(template) && it.get(method).is_some());
        let nearest = found.min_by_key(|(template, _)| template.matches('{').count());
        nearest.map(|(_, methods)| &methods[method])
    }

    /// Checks a response against the content that the document names for it.
    fn compare(&self, response: &Value, reply: &Reply, place: &str) {
        let Some(content) = response["content"].as_object() else {
            assert!(reply.body.is_empty(), "expected no body: {place}");
            return;
        };
        let media_type = reply.headers.get("content-type").unwrap_or_else(|| panic!("{place}"));
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        let media = content.get(media_type).or_else(|| content.get("*/*"));
        let media = media.unwrap_or_else(|| panic!("the document lacks `{media_type}`: {place}"));
        match media_type {
            _ if place.starts_with("head ") => assert!(reply.body.is_empty(), "{place}"),
            "text/event-stream" => {
                let text = reply.text();
                let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
                let data: Vec<&str> = data.filter(|it| *it != "[DONE]").collect();
                assert!(!data.is_empty(), "{place}");
                for data in data {
                    self.validate(media, &serde_json::from_str(data).expect(data), place);
                }
            }
            "application/json" | "application/problem+json" if !content.contains_key("*/*") => {
                self.validate(media, &reply.json(), place);
            }
            // A file has no schema.
            _ => {}
        }
    }

    fn validate(&self, media: &Value, value: &Value, place: &str) {
        let reference = media["schema"]["$ref"].as_str().unwrap_or_else(|| panic!("{place}"));
        let validator = {
            let mut validators = self.validators.lock().unwrap();
            let compile = || {
                let components = &self.document["components"];
                let schema = json!({ "$ref": reference, "components": components });
                Arc::new(jsonschema::draft202012::new(&schema).expect(reference))
            };
            validators.entry(reference.to_owned()).or_insert_with(compile).clone()
        };
        let wrong: Vec<String> = validator
            .iter_errors(value)
            .map(|it| format!("{}: {it}", it.instance_path()))
            .collect();
        assert_eq!(wrong, Vec::<String>::new(), "{reference}: {place}");
    }

    /// Returns method, path and name of all operations.
    fn operations(&self) -> Vec<(Method, String, String)> {
        let paths = self.document["paths"].as_object().unwrap().iter();
        let operations = paths.flat_map(|(path, methods)| {
            methods.as_object().unwrap().iter().map(move |(method, operation)| {
                let method = method.to_ascii_uppercase();
                let name = operation["operationId"].as_str().unwrap().to_owned();
                (Method::from_bytes(method.as_bytes()).unwrap(), path.clone(), name)
            })
        });
        operations.collect()
    }
}

/// A destructive tool.
struct Wipe;

#[async_trait]
impl HostTool for Wipe {
    fn function(&self) -> HostFunction {
        let policy = ToolPolicy { destructive: true, ..ToolPolicy::default() };
        let function = HostFunction::new("ledger", "wipe", "Wipes the ledger.").unwrap();
        function.result(Type::String).policy(policy)
    }

    async fn run(&self, _: &dyn HostCall, _: Json) -> Result<Json> {
        Ok(Json::from("wiped"))
    }
}

/// The scripted model, and models that were added.
#[derive(Default)]
struct AddedModels(Mutex<Vec<ModelEntry>>);

impl AddedModels {
    fn changed(
        &self,
        name: &str,
        change: impl FnOnce(&mut Vec<ModelEntry>, usize) -> ModelEntry,
    ) -> std::result::Result<ModelEntry, Problem> {
        let mut models = self.0.lock().unwrap();
        match models.iter().position(|it| it.name == name) {
            Some(at) => Ok(change(&mut models, at)),
            None => Err(Problem::new(404, "not_found", "there is no such model")),
        }
    }
}

#[async_trait]
impl ManagedModels for AddedModels {
    fn list(&self) -> Vec<ModelEntry> {
        self.0.lock().unwrap().clone()
    }

    async fn add(&self, model: NewModel) -> std::result::Result<ModelEntry, Problem> {
        let entry = ModelEntry {
            name: model.name,
            model: Some(model.model),
            provider: "ollama".into(),
            is_default: model.is_default,
            managed: true,
            has_key: model.key.is_some(),
            problem: None,
        };
        self.0.lock().unwrap().push(entry.clone());
        Ok(entry)
    }

    async fn remove(&self, name: &str) -> std::result::Result<(), Problem> {
        self.changed(name, |models, at| models.remove(at)).map(|_| ())
    }

    async fn set_default(
        &self,
        name: &str,
        is_default: bool,
    ) -> std::result::Result<ModelEntry, Problem> {
        self.changed(name, |models, at| {
            models[at].is_default = is_default;
            models[at].clone()
        })
    }

    async fn find(&self) -> FoundServers {
        let server = FoundServer {
            provider: "ollama".into(),
            address: "http://127.0.0.1:11434".into(),
            models: vec!["qwen3".into()],
        };
        FoundServers { found: vec![server], checked: vec!["ollama".into()] }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_has_the_form_that_the_document_names() {
    let watched = Watched::start().await;
    let run = flows::runs(&watched).await;
    flows::files_of_a_run(&watched, &run).await;
    flows::previews(&watched, &run).await;
    flows::questions(&watched).await;
    flows::instructions_that_wait(&watched).await;
    flows::uploads(&watched).await;
    flows::page(&watched).await;
    flows::settings(&watched).await;
    flows::tools(&watched).await;
    flows::openai_files(&watched).await;
    flows::openai_models(&watched).await;
    flows::openai_responses(&watched).await;
    flows::openai_containers(&watched).await;
    for prefix in ["/librechat", ""] {
        flows::librechat(&watched, prefix).await;
    }
    let operations = watched.operations();
    let succeeded = watched.succeeded.lock().unwrap().clone();
    let missing: Vec<&String> =
        operations.iter().map(|it| &it.2).filter(|it| !succeeded.contains(*it)).collect();
    assert_eq!(missing, Vec::<&String>::new(), "operations without an answer of success");
    // Nothing has this identifier, and no body is right: most answers are problems.
    for (method, path, _) in &operations {
        let parts = path.split('/').map(|it| if it.starts_with('{') { "none" } else { it });
        let path = parts.collect::<Vec<_>>().join("/");
        watched.send(Call::new(method.clone(), &path)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_has_the_form_of_its_interface() {
    let server = Server::for_tenants().await;
    let document = server.get("/openapi.json").await.json();
    let (validators, succeeded) = (Mutex::default(), Mutex::default());
    let watched = Watched { server, document, validators, succeeded };
    for path in ["/v1/runs", "/v1/models", "/v1/tools", "/librechat/files/none"] {
        assert_eq!(watched.get(path).await.status, 401, "{path}");
    }
}
