//! `/v1/settings`: words that must not pass in runs of a tenant, and the models that people add.

use hyper::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::{Answered, Body, Request, Responds, Schema, empty, json, schema_of};
use crate::problem::Problem;
use crate::run::{
    FoundServers, ManagedModels, ModelCheck, ModelEntry, Models, NewModel, Policy, WordRules,
    check_model, dollars, public_text,
};
use crate::service::{Endpoint, Service};
use mitt::SessionOptions;
use mitt_base::Error;

const TAG: &str = "settings";

/// Settings of a tenant.
#[derive(JsonSchema, Serialize)]
struct Settings {
    /// `true` if the client may add and remove models.
    may_manage: bool,
    /// Words that must not pass in the tenant's runs.
    words: WordRules,
    /// Number of the operator's rules, which hold too.
    operator_rules: u64,
    /// Models, the default one first.
    models: Vec<ModelEntry>,
    /// What the tenant may use.
    limits: DayLimits,
}

/// What a tenant may use in a day (UTC).
#[derive(JsonSchema, Serialize)]
struct DayLimits {
    /// Tokens; `null` for no limit.
    tokens_per_day: Option<u64>,
    /// Dollars, such as `5.00`; `null` for no limit.
    dollars_per_day: Option<String>,
}

/// What is changed of a model.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChangeModel {
    /// `true` if it becomes the model of runs that name none.
    is_default: bool,
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Returns the settings.";
    let get = Endpoint::new(TAG, Method::GET, "/v1/settings", "get_settings", summary, get)
        .responds(Responds::Json(200, schema_of::<Settings>()));
    let mut endpoints = vec![get, words_endpoint(), add_endpoint(), change_endpoint()];
    endpoints.extend([remove_endpoint(), check_endpoint(), find_endpoint()]);
    endpoints
}

fn words_endpoint() -> Endpoint {
    let schema = schema_of::<WordRules>();
    let (body, responds) = (Body::Json(schema.clone()), Responds::Json(200, schema.clone()));
    let handler = move |service, request| set_words(service, request, schema.clone());
    let (path, summary) = ("/v1/settings/words", "Sets words that must not pass in runs.");
    Endpoint::new(TAG, Method::PUT, path, "set_words", summary, handler)
        .describe(
            "Each run of the tenant obeys them, beside the rules of the operator and of the run itself: at most 500 rules of 64 kB \
             together, each one line of a rules file. No rules: nothing but those is looked for.",
        )
        .reads(body)
        .responds(responds)
}

fn add_endpoint() -> Endpoint {
    let schema = schema_of::<NewModel>();
    let body = Body::Json(schema.clone());
    let handler = move |service, request| add(service, request, schema.clone());
    let (path, summary) = ("/v1/settings/models", "Adds a model.");
    Endpoint::new(TAG, Method::POST, path, "add_model", summary, handler)
        .describe("The key stays on the server: no response, event or log has it.")
        .reads(body)
        .responds(Responds::Json(201, schema_of::<ModelEntry>()))
}

fn change_endpoint() -> Endpoint {
    let schema = schema_of::<ChangeModel>();
    let body = Body::Json(schema.clone());
    let handler = move |service, request| change(service, request, schema.clone());
    let summary = "Makes a model the default, or no longer the default.";
    Endpoint::new(TAG, Method::PATCH, MODEL, "change_model", summary, handler)
        .reads(body)
        .responds(Responds::Json(200, schema_of::<ModelEntry>()))
}

fn remove_endpoint() -> Endpoint {
    let summary = "Removes a model that was added, with its key.";
    Endpoint::new(TAG, Method::DELETE, MODEL, "remove_model", summary, remove)
}

fn check_endpoint() -> Endpoint {
    let path = format!("{MODEL}/check");
    let summary = "Sends a model one short request.";
    Endpoint::new(TAG, Method::POST, &path, "check_model", summary, check)
        .responds(Responds::Json(200, schema_of::<ModelCheck>()))
}

fn find_endpoint() -> Endpoint {
    let (path, summary) = ("/v1/settings/models/found", "Looks for model servers.");
    Endpoint::new(TAG, Method::GET, path, "find_models", summary, find)
        .describe(
            "Sends requests to well-known ports of the service's own machine, and nowhere else.",
        )
        .responds(Responds::Json(200, schema_of::<FoundServers>()))
}

/// Path of a model.
const MODEL: &str = "/v1/settings/models/{name}";

async fn get(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let policy = service.policy(&tenant);
    let settings = Settings {
        may_manage: service.may_manage(),
        words: service.runs().words(&tenant).await?,
        operator_rules: operator_rules(&service, &tenant)?,
        models: models(&service, &policy).await?,
        limits: DayLimits {
            tokens_per_day: policy.tokens_per_day,
            dollars_per_day: policy.cost_per_day.map(|cost| dollars(cost.picodollars())),
        },
    };
    Ok(json(200, &settings))
}

/// Returns the number of rules that the operator set for the sessions of a tenant.
fn operator_rules(service: &Service, tenant: &str) -> Result<u64, Problem> {
    let options = SessionOptions { tenant: Some(tenant.to_owned()), ..SessionOptions::default() };
    Ok(service.host().session(options)?.guard().rules() as u64)
}

/// Returns the models that a tenant sees, the default one first.
async fn models(service: &Service, policy: &Policy) -> Result<Vec<ModelEntry>, Problem> {
    if !service.may_manage() {
        let models = service.runs().models(policy).into_iter().enumerate();
        let entry = |(index, model): (usize, crate::run::ModelInfo)| ModelEntry {
            name: model.name,
            model: None,
            provider: model.provider,
            is_default: index == 0,
            managed: false,
            has_key: false,
            problem: None,
        };
        return Ok(models.map(entry).collect());
    }
    let models = service.models().clone();
    let listed = tokio::task::spawn_blocking(move || {
        let entries = models.managed().map(|managed| managed.list()).unwrap_or_default();
        entries.into_iter().map(|entry| shown(&*models, entry)).collect::<Vec<_>>()
    });
    Ok(listed.await.map_err(Error::bug)?)
}

/// Returns a model without what clients must not read.
fn shown(models: &dyn Models, entry: ModelEntry) -> ModelEntry {
    let problem = entry.problem.map(|text| {
        let public = public_text(models, &text);
        public.unwrap_or(text)
    });
    ModelEntry { problem, ..entry }
}

async fn set_words(service: Service, request: Request, schema: Schema) -> Answered {
    let tenant = request.tenant();
    let words: WordRules = request.json(&schema).await?.value;
    service.runs().set_words(&tenant, &words).await?;
    Ok(json(200, &service.runs().words(&tenant).await?))
}

async fn add(service: Service, request: Request, schema: Schema) -> Answered {
    let managed = managed(&service)?;
    let new: NewModel = request.json(&schema).await?.value;
    let added = managed.add(new).await?;
    Ok(json(201, &shown(&**service.models(), added)))
}

async fn change(service: Service, request: Request, schema: Schema) -> Answered {
    let managed = managed(&service)?;
    let name = request.parameter("name").to_owned();
    let ChangeModel { is_default } = request.json(&schema).await?.value;
    let changed = managed.set_default(&name, is_default).await?;
    Ok(json(200, &shown(&**service.models(), changed)))
}

async fn remove(service: Service, request: Request) -> Answered {
    managed(&service)?.remove(request.parameter("name")).await?;
    Ok(empty(204))
}

async fn check(service: Service, request: Request) -> Answered {
    managed(&service)?;
    let name = request.parameter("name");
    let models = service.models();
    if !models.list().iter().any(|model| model.name == name) {
        return Err(Problem::not_found("model", name));
    }
    Ok(json(200, &check_model(&**models, name).await))
}

async fn find(service: Service, _: Request) -> Answered {
    Ok(json(200, &managed(&service)?.find().await))
}

/// Returns what adds and removes models.
///
/// # Errors
///
/// 403 `not_manageable` - only the operator chooses them.
fn managed(service: &Service) -> Result<&dyn ManagedModels, Problem> {
    service.models().managed().ok_or_else(|| {
        let detail = "the operator of this service chooses its models";
        Problem::new(403, "not_manageable", detail).hint("ask the operator to add or change them")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_of_the_settings_is_whole() {
        let document = crate::http::checked(&endpoints());
        let words = &document["paths"]["/v1/settings/words"]["put"];
        let schema = &words["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(schema["$ref"], "#/components/schemas/WordRules");
        let entry = document["components"]["schemas"]["ModelEntry"]["properties"].as_object();
        assert!(!entry.unwrap().contains_key("key"), "no response has a key");
    }
}
