//! `/v1/examples`: runs with bundled documents and a recorded model, which need no model and no network.

use hyper::Method;

use crate::api;
use crate::http::{Answered, Request, Responds, schema_of};
use crate::run::RunState;
use crate::service::{Endpoint, Service};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let (path, summary) = ("/v1/examples/{example}", "Creates a run of a recorded example.");
    let create = Endpoint::new("runs", Method::POST, path, "create_example", summary, create)
        .describe(
            "The example `yoy` compares two annual reports. Its documents are read, its scripts run and its files are made as in any \
             run; only the words of the model were recorded. So it follows no further instruction.",
        )
        .responds(Responds::Json(201, schema_of::<RunState>()));
    vec![create]
}

async fn create(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let policy = service.policy(&tenant);
    let name = request.parameter("example");
    let state = service.runs().create_example(&tenant, &policy, name).await?;
    Ok(api::created(&service, &request, state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_of_the_examples_is_whole() {
        crate::http::checked(&endpoints());
    }
}
