//! Lines about requests in the audit log, for those who look later at who did what.
//!
//! Knows identifiers and codes. Knows no contents, no names of files, no tokens and no keys.

use hyper::Method;

use super::request::{MODEL_KEY, Request};
use crate::problem::Problem;
use mitt_serve::AUDIT_TARGET;
use mitt_serve::http::HttpResponse;

/// Path parameters that are no identifiers: a name may be personal, and a token opens a file.
const PRIVATE: [&str; 2] = ["name", "token"];

/// Most bytes of an identifier in a line.
const MAX_ID_BYTES: usize = 100;

/// A request of which the log says how it was answered.
pub(super) struct Audited {
    tenant: String,
    operation: String,
    /// Identifiers of the path, such as `run=run_…`.
    object: String,
    has_model_key: bool,
    /// `true` if the request changes something or gets a file. Of others, only refusals are reported.
    is_reported: bool,
}

impl Audited {
    /// Notes what a request is about, before its handler takes it. `gets_file` says that the endpoint returns a file.
    pub(super) fn of(
        request: &Request,
        operation: &str,
        gets_file: bool,
        is_public: bool,
    ) -> Audited {
        let method = request.method();
        let is_change = !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
        let ids = request.parameters().iter().filter(|(name, _)| !PRIVATE.contains(&name.as_str()));
        let ids = ids.map(|(name, value)| {
            let value = mitt_base::text::one_line(mitt_base::text::cut_bytes(value, MAX_ID_BYTES));
            format!("{name}={value}")
        });
        Audited {
            // The tenant of a signed link is known to its handler, which writes a line itself.
            tenant: if is_public { String::new() } else { request.tenant() },
            operation: operation.to_owned(),
            object: ids.collect::<Vec<_>>().join(" "),
            has_model_key: request.headers().contains_key(MODEL_KEY),
            is_reported: is_change || (gets_file && *method == Method::GET && !is_public),
        }
    }

    /// Writes the line about a request that was answered.
    pub(super) fn report(self, answered: &Result<HttpResponse, Problem>) {
        let (status, code) = match answered {
            Ok(answer) => (answer.status().as_u16(), ""),
            Err(problem) => (problem.status, problem.code.as_str()),
        };
        let is_refused = matches!(status, 401..=403 | 429);
        if !self.is_reported && !is_refused {
            return;
        }
        let Audited { tenant, operation, object, has_model_key, .. } = self;
        let message = if is_refused { "a request was refused" } else { "a request was answered" };
        tracing::info!(
            target: AUDIT_TARGET, tenant, operation, object, status, code, own_model_key = has_model_key, "{message}"
        );
    }
}
