//! Creates the run of a first response, with its documents and its container.

use serde_json::json;

use super::documents;
use super::models::chosen;
use super::request::Asked;
use super::tools::Container;
use crate::problem::Problem;
use crate::run::{CreateRun, RunState, Runs};
use crate::service::Service;
use crate::store::IdempotencyKey;

/// A run that was begun.
pub(super) struct Begun {
    pub(super) state: RunState,
    /// The container of its scripts.
    pub(super) container: Option<String>,
    /// `false` if the same request created it before.
    pub(super) is_new: bool,
}

/// Creates a run. With an idempotency key, the same request creates one run and one container.
///
/// # Errors
///
/// Those of [`Runs::create`]; a document or the container is missing.
pub(super) async fn run(
    service: &Service,
    tenant: &str,
    asked: &Asked,
    model_key: Option<String>,
    idempotency: Option<&str>,
) -> Result<Begun, Problem> {
    let run = asked.run(chosen(service, tenant, asked.body.model.as_deref())?);
    let once = match idempotency {
        // Not the run that is created: its documents and its container have other identifiers in each attempt.
        Some(key) => Some(Runs::once(key, &json!([run, asked.tools.echo]))?),
        None => None,
    };
    let known = match &once {
        Some(once) => service.runs().created(tenant, once).await?,
        None => None,
    };
    let (state, is_new) = match known {
        Some(state) => (state, false),
        None => new_run(service, tenant, (asked, run), (model_key, once)).await?,
    };
    let mut container = None;
    if asked.tools.container.is_some() {
        let request = service.runs().get(tenant, &state.id).await?.request;
        container = request.and_then(|it| it.container);
    }
    Ok(Begun { state, container, is_new })
}

async fn new_run(
    service: &Service,
    tenant: &str,
    (asked, mut run): (&Asked, CreateRun),
    (model_key, once): (Option<String>, Option<IdempotencyKey>),
) -> Result<(RunState, bool), Problem> {
    run.documents = documents::resolve(service, tenant, run.documents).await?;
    if let Some(wanted) = &asked.tools.container {
        let (known, others) = ((None, None), run.documents.len());
        let of_container = documents::of_container(service, tenant, wanted, known, others);
        let (id, files) = of_container.await?;
        run.container = Some(id);
        run.documents.extend(files);
    }
    let (documents, container) = (run.documents.clone(), run.container.clone());
    let (runs, policy) = (service.runs(), service.policy(tenant));
    let created = runs.create_once(tenant, &policy, run, model_key, once).await;
    documents::discard(service, tenant, &documents).await;
    if !matches!(created, Ok((_, true)))
        && let Some(container) = container
        && matches!(asked.tools.container, Some(Container::Auto { .. }))
    {
        // Nobody knows it. Otherwise it is gone after its life.
        let _ = service.sandboxes().delete(tenant, &container).await;
    }
    created
}
