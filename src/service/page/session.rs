//! `/v1/session`: who uses the page, and what the server offers.
//!
//! `POST` and `DELETE` log a browser in and out. The HTTP server answers them, because no code behind it sees tokens.

use hyper::Method;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::{Answered, Request, Responds, json, schema_of};
use crate::service::{Endpoint, Login, Service};

/// Most documents of a run.
const MOST_DOCUMENTS: u64 = 100;

/// The client of a request, and what the server offers it.
#[derive(JsonSchema, Serialize)]
struct Session {
    /// Name of the tenant.
    tenant: String,
    /// How people log in.
    login: Login,
    /// `true` if the client may add and remove models.
    may_manage: bool,
    /// Version of the server.
    version: &'static str,
    /// The models that the client may name, the default one first.
    models: Vec<SessionModel>,
    /// Upper bounds.
    limits: SessionLimits,
    /// `true` if runs can have addresses of pages and files as documents.
    fetch: bool,
}

/// A model that the client may name.
#[derive(JsonSchema, Serialize)]
struct SessionModel {
    /// Name.
    name: String,
    /// Who provides it.
    provider: String,
    /// `true` for the model of runs that name none.
    is_default: bool,
}

/// Upper bounds.
#[derive(JsonSchema, Serialize)]
struct SessionLimits {
    /// Largest uploaded file in bytes.
    upload_bytes: u64,
    /// Largest document of a run in bytes.
    document_bytes: u64,
    /// Most documents of a run.
    documents: u64,
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Returns who the client is and what the server offers.";
    let get = Endpoint::new("page", Method::GET, "/v1/session", "get_session", summary, get)
        .responds(Responds::Json(200, schema_of::<Session>()));
    vec![get]
}

async fn get(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let models = service.runs().models(&service.policy(&tenant)).into_iter().enumerate();
    let model = |(index, model): (usize, crate::run::ModelInfo)| SessionModel {
        name: model.name,
        provider: model.provider,
        is_default: index == 0,
    };
    let session = Session {
        models: models.map(model).collect(),
        login: service.login(),
        may_manage: service.may_manage(),
        version: env!("CARGO_PKG_VERSION"),
        limits: SessionLimits {
            upload_bytes: service.upload_bytes(),
            document_bytes: service.host().session_limits().document_bytes,
            documents: MOST_DOCUMENTS,
        },
        fetch: service.host().fetcher().is_some(),
        tenant,
    };
    Ok(json(200, &session))
}
