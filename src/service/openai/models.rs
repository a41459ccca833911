//! `/v1/models`.

use hyper::Method;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::{Answered, Request, Responds, json, schema_of};
use crate::problem::Problem;
use crate::run::ModelInfo;
use crate::service::{Endpoint, Service};

/// A model that the client may name.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "OpenAiModel")]
pub(super) struct Model {
    /// Name.
    id: String,
    /// Always `model`.
    object: &'static str,
    /// Always 0: the service does not know when a model was made.
    created: u64,
    /// Who provides it.
    owned_by: String,
}

/// The models that the client may name, the default one first.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiModelList")]
struct ModelList {
    /// Always `list`.
    object: &'static str,
    /// The models.
    data: Vec<Model>,
}

impl From<ModelInfo> for Model {
    fn from(model: ModelInfo) -> Model {
        Model { id: model.name, object: "model", created: 0, owned_by: model.provider }
    }
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "openai",
            Method::GET,
            "/v1/models",
            "openai_list_models",
            "Lists the models that the client may name",
            list,
        )
        .responds(Responds::Json(200, schema_of::<ModelList>())),
        Endpoint::new(
            "openai",
            Method::GET,
            "/v1/models/{model...}",
            "openai_get_model",
            "Returns a model",
            get,
        )
        .responds(Responds::Json(200, schema_of::<Model>())),
    ]
}

async fn list(service: Service, request: Request) -> Answered {
    let models = service.runs().models(&service.policy(&request.tenant()));
    let data = models.into_iter().map(Model::from).collect();
    Ok(json(200, &ModelList { object: "list", data }))
}

async fn get(service: Service, request: Request) -> Answered {
    let name = request.parameter("model");
    let models = service.runs().models(&service.policy(&request.tenant()));
    match models.into_iter().find(|it| it.name == name) {
        Some(model) => Ok(json(200, &Model::from(model))),
        None => Err(missing(name)),
    }
}

/// Returns the name of the model that a request names: the default one if it names none.
pub(super) fn chosen(
    service: &Service,
    tenant: &str,
    name: Option<&str>,
) -> Result<String, Problem> {
    let models = service.runs().models(&service.policy(tenant));
    let found = match name {
        Some(name) => models.into_iter().find(|it| it.name == name),
        None => models.into_iter().next(),
    };
    found.map(|it| it.name).ok_or_else(|| missing(name.unwrap_or_default()))
}

fn missing(name: &str) -> Problem {
    let problem = Problem::not_found("model", name);
    let mut problem = problem;
    problem.code = "model_not_found".to_owned();
    problem.hint("`GET /v1/models` lists the models that you may use")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_openais_form() {
        let info = ModelInfo { name: "qwen3:8b".into(), provider: "ollama".into() };
        assert_eq!(
            serde_json::to_value(Model::from(info)).unwrap(),
            serde_json::json!({"id": "qwen3:8b", "object": "model", "created": 0, "owned_by": "ollama"})
        );
    }
}
