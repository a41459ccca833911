//! What the service serves: the endpoints of all interfaces, behind the HTTP server.

use std::time::Duration;

use futures_util::future::BoxFuture;
use hyper::{Method, StatusCode};
use mitt_serve::AUDIT_TARGET;
use mitt_serve::http::{Route, RoutedRequest, Routes};

use crate::http::{HttpResponse, ProblemForm, Request, of_method, own_form};
use crate::metrics::Now;
use crate::problem::Problem;
use crate::run::RunStatus;
use crate::service::{Role, Service, ServiceOptions};
use crate::{agui, api, librechat, openai, page, tools};

/// Interval at which what has expired is deleted.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

impl Service {
    /// Starts the workers of a service with all interfaces.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub async fn start(options: ServiceOptions) -> Result<Service, Problem> {
        let service = Service::without_interfaces(options).await?;
        let mut endpoints = api::endpoints(&service);
        endpoints.extend(openai::endpoints(&service));
        endpoints.extend(librechat::endpoints(&service));
        endpoints.extend(tools::endpoints(&service).await);
        endpoints.extend(agui::endpoints(&service));
        endpoints.extend(page::endpoints(&service));
        service.serve(endpoints, problem_form);
        let weak = service.weak();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(SWEEP_INTERVAL).await;
                let Some(service) = weak() else { return };
                service.sweep().await;
            }
        });
        Ok(service)
    }

    /// Deletes a run for good, with what the interfaces know of it.
    ///
    /// # Errors
    ///
    /// 404 - the tenant has no such run; what was left of it is deleted all the same.
    pub(crate) async fn delete_run(&self, tenant: &str, run: &str) -> Result<(), Problem> {
        let deleted = self.runs().delete(tenant, run).await;
        if deleted.as_ref().is_err_and(|problem| problem.status != 404) {
            return deleted;
        }
        openai::clear(self, tenant, run).await?;
        agui::clear(&**self.store(), tenant, run).await?;
        deleted
    }

    /// Deletes what has expired: uploads, files and sandboxes. Forgets files that nobody looks at any more. The service does so
    /// every minute.
    pub async fn sweep(&self) {
        self.previews().sweep();
        let swept = match self.store().sweep().await {
            Ok(swept) => swept,
            Err(error) => {
                tracing::warn!(?error, "what has expired cannot be deleted");
                return;
            }
        };
        for (tenant, table, document) in swept {
            tracing::info!(target: AUDIT_TARGET, tenant, table, "something expired and was deleted");
            let of_api = api::swept(self, &tenant, &table, &document).await;
            let of_code = self.sandboxes().swept(&tenant, &table, &document).await;
            // The other documents are not handed over again.
            if let Err(problem) = of_api.and(of_code) {
                let detail = &problem.detail;
                tracing::warn!(table, detail, "an expired document keeps its files");
            }
        }
    }
}

/// Returns how problems of a path are written: each interface has its own form.
fn problem_form(path: &str) -> ProblemForm {
    openai::problem_form(path).or_else(|| librechat::problem_form(path)).unwrap_or_else(own_form)
}

impl Routes for Service {
    fn route(&self, method: &Method, path: &str) -> Option<Route> {
        if self.role() == Role::Worker {
            return None;
        }
        let found = self.router()?.of_path(path);
        let Some((first, _)) = found.first() else {
            // Paths of the service that do not exist are problems in its own form.
            let is_ours = path.starts_with("/v1/");
            return is_ours.then_some(Route {
                name: "unknown",
                is_public: false,
                prefers_key: false,
                takes_signed_tokens: false,
                is_stream: false,
            });
        };
        Some(Route {
            name: first.tag,
            is_public: first.is_public,
            // LibreChat's server sends a JWT of its own as `Authorization`, whatever a proxy adds.
            prefers_key: librechat::is_ours(path),
            takes_signed_tokens: librechat::is_ours(path),
            is_stream: of_method(&found, method).is_some_and(|(endpoint, _)| endpoint.is_stream),
        })
    }

    fn answer(&self, request: RoutedRequest) -> BoxFuture<'_, HttpResponse> {
        Box::pin(async move {
            match self.router() {
                Some(router) => {
                    let render = self.problem_form(request.uri.path()).render;
                    if let Some(problem) = openai::absent(&request.method, request.uri.path()) {
                        return render(&problem);
                    }
                    router.answer(self, render, Request::new(request)).await
                }
                None => crate::http::empty(503),
            }
        })
    }

    fn refused(&self, path: &str, status: StatusCode, message: &str) -> HttpResponse {
        let code = match status.as_u16() {
            401 => "unauthorized",
            403 => "forbidden",
            429 => "too_many_requests",
            _ => "unavailable",
        };
        (self.problem_form(path).render)(&Problem::new(status.as_u16(), code, message))
    }

    fn metrics(&self) -> BoxFuture<'_, String> {
        Box::pin(async move {
            let mut now = Now { working: self.runs().working(), ..Now::default() };
            match self.totals().await {
                Ok(totals) => {
                    let of =
                        |status: RunStatus| totals.runs.get(status.name()).copied().unwrap_or(0);
                    now.queued = of(RunStatus::Queued);
                    now.waiting = of(RunStatus::Waiting);
                    now.kept = totals.runs.values().sum();
                    now.bytes = totals.bytes;
                    now.longest_wait = totals.longest_wait;
                }
                Err(error) => tracing::warn!(?error, "what is stored cannot be counted"),
            }
            self.counters().text(now)
        })
    }

    fn close(&self, grace: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.runs().close(grace).await;
        })
    }
}
