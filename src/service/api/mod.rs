//! Our own interface: `/v1/runs`, `/v1/uploads`, `/v1/links`, scripts in containers, and the OpenAPI document about all interfaces.

mod archive;
mod events;
mod file_name;
mod files;
mod form;
mod outcome;
mod runs;
mod scripts;
mod tus;
mod uploads;
mod viewer;

use hyper::Method;

use viewer::Viewer;

use crate::http::{HttpResponse, Request, Responds, bytes, document_schema, empty, openapi};
use crate::problem::Problem;
use crate::run::RunState;
use crate::service::{Endpoint, Service};
use crate::store::Document;

/// Returns the endpoints of the interface.
pub(crate) fn endpoints(_: &Service) -> Vec<Endpoint> {
    all()
}

/// Frees what belongs to documents of a store whose life has ended. Call it with what
/// [`Store::sweep`](crate::store::Store::sweep) returned; documents of other interfaces are ignored.
///
/// # Errors
///
/// The store failed.
pub(crate) async fn swept(
    service: &Service,
    tenant: &str,
    table: &str,
    document: &Document,
) -> Result<(), Problem> {
    service.files().swept(tenant, table, document).await?;
    uploads::swept(service, tenant, table, document).await
}

/// Returns the response about a run that another interface created: the run as clients of this one see it.
pub(crate) fn created(service: &Service, request: &Request, state: RunState) -> HttpResponse {
    runs::created(&Viewer::of(service, request), state)
}

fn all() -> Vec<Endpoint> {
    let mut endpoints = runs::endpoints();
    endpoints.extend(events::endpoints());
    endpoints.extend(files::endpoints());
    endpoints.extend(scripts::endpoints());
    endpoints.extend(tus::endpoints());
    endpoints.push(document());
    endpoints
}

/// Returns the endpoint of the OpenAPI document.
fn document() -> Endpoint {
    let handler = |service: Service, request: Request| async move {
        let Some(router) = service.router() else { return Ok(empty(503)) };
        let document = openapi(router, &request.base(), |path| service.problem_form(path));
        Ok(bytes(200, "application/json", document))
    };
    let summary = "Returns this document.";
    Endpoint::new("service", Method::GET, "/openapi.json", "get_openapi", summary, handler)
        .responds(Responds::Json(200, document_schema()))
        .public()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::checked;

    #[test]
    fn the_document_about_this_interface_is_whole() {
        let document = checked(&all());
        let create = &document["paths"]["/v1/runs"]["post"];
        let body = &create["requestBody"]["content"];
        assert!(body["application/json"].is_object() && body["multipart/form-data"].is_object());
        for status in ["200", "201"] {
            assert!(create["responses"][status]["content"]["text/event-stream"].is_object());
        }
        let schemas = &document["components"]["schemas"];
        let run = schemas["RunState"]["properties"].as_object().unwrap();
        for internal in ["request", "inbox_done"] {
            assert!(!run.contains_key(internal), "`{internal}` is not for clients");
        }
        assert!(run.contains_key("files"));
    }

    #[test]
    fn only_links_and_the_document_need_no_token() {
        let public: Vec<String> =
            all().into_iter().filter(|it| it.is_public).map(|it| it.path).collect();
        assert_eq!(public, ["/v1/links/{token}/{name...}", "/openapi.json"]);
    }
}
