//! A call of a tool: in a session of its own, or in that of a sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::files;
use super::outcome::{self, APPROVE, DeliveredFile};
use crate::code::SandboxCall;
use crate::http::{Answered, Request};
use crate::problem::Problem;
use crate::service::Service;
use mitt::{ApprovalRequest, Approver, CallOptions, CallReport, Decision, SessionOptions};

/// Header that names the sandbox of a call.
const SESSION: &str = "x-mitt-session";

/// Approves calls that may destroy something, or pauses before them.
struct ByHeader {
    is_approved: bool,
}

#[async_trait]
impl Approver for ByHeader {
    async fn decide(&self, _request: &ApprovalRequest) -> Decision {
        if self.is_approved { Decision::Approve } else { Decision::Pause }
    }
}

/// A call that has ended.
struct Ended {
    report: CallReport,
    files: Vec<DeliveredFile>,
}

/// Answers `POST /v1/tools/{tool}`.
pub(super) async fn call(service: Service, request: Request) -> Answered {
    let (tenant, base) = (request.tenant(), request.base());
    let tool = request.parameter("tool").to_owned();
    let sandbox = request.header(SESSION).map(str::to_owned).or_else(|| request.query("session"));
    let is_approved = request.header(APPROVE).is_some_and(is_yes);
    let options = CallOptions::new().approver(Arc::new(ByHeader { is_approved }));
    service.room(&tenant).await?.check(1)?;
    // Its memory is charged until the call has ended.
    let body = request.whole().await?;
    let arguments = arguments(body.bytes())?;
    let Ended { report, files } = match &sandbox {
        None => alone(&service, (&tenant, &base), (&tool, arguments), options).await?,
        Some(sandbox) => {
            let called =
                service.sandboxes().call(&tenant, sandbox, &tool, &arguments, options).await?;
            in_sandbox(&service, (&tenant, &base), called)
        }
    };
    if let Some(mut problem) = outcome::problem(&report) {
        if sandbox.is_none() && problem.hint.is_none() && misses_document(&problem.detail) {
            problem.hint = Some(NO_DOCUMENTS.to_owned());
        }
        return Err(problem);
    }
    let value = report.result.unwrap_or_default();
    let body = outcome::body(report.function.as_deref(), value, files);
    let charge = service.host().charge(&tenant, body.len() as u64)?;
    Ok(outcome::response(body, charge))
}

/// Makes a call in a new session, which ends with it.
async fn alone(
    service: &Service,
    (tenant, base): (&str, &str),
    (tool, arguments): (&str, String),
    options: CallOptions,
) -> Result<Ended, Problem> {
    let session = service.host().session(SessionOptions {
        tenant: Some(tenant.to_owned()),
        keeps_sources: true,
        ..SessionOptions::default()
    })?;
    let arguments = files::with_documents(service, &session, arguments).await?;
    let report = Box::pin(session.call_with(tool, &arguments, options)).await;
    let files = match &report.result {
        Ok(_) => files::delivered(service, &session, base, &report.artifacts).await?,
        Err(_) => Vec::new(),
    };
    Ok(Ended { report, files })
}

fn in_sandbox(service: &Service, (tenant, base): (&str, &str), called: SandboxCall) -> Ended {
    let SandboxCall { report, files } = called;
    let delivered = |file: crate::code::SandboxFile| {
        let named = (file.name.as_str(), file.media_type.as_str(), file.sha256.as_str());
        let link = service.links().make(tenant, named, service.now());
        let artifact = report.artifacts.iter().find(|it| it.name == file.name);
        DeliveredFile {
            url: format!("{base}{link}"),
            size: file.size,
            id: None,
            warnings: artifact.map(files::warnings).unwrap_or_default(),
            name: file.name,
            media_type: file.media_type,
        }
    };
    let files = files.into_iter().map(delivered).collect();
    Ended { report, files }
}

/// Returns the text of the arguments as the client sent it; without a body, there are none.
fn arguments(body: &[u8]) -> Result<String, Problem> {
    match std::str::from_utf8(body) {
        Ok(text) if text.trim().is_empty() => Ok("{}".to_owned()),
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(Problem::bad("invalid_body", "expected JSON in UTF-8")),
    }
}

fn is_yes(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "true" | "1" | "yes")
}

/// What to do if a tool misses a document in a session of its own.
const NO_DOCUMENTS: &str =
    "name an uploaded file by its id, `file-…`, or a sandbox in the header `X-Mitt-Session`";

fn misses_document(detail: &str) -> bool {
    ["no document", "no such table"].iter().any(|it| detail.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt::Host;
    use mitt::skill::{HostCall, HostFunction, HostTool, ToolPolicy};
    use mitt::value::{Field, Json, Type};

    #[test]
    fn arguments_stay_as_they_were_sent() {
        let text = r#"{"a": 0.12345678901234567890, "a": 1}"#;
        assert_eq!(arguments(text.as_bytes()).unwrap(), text);
        assert_eq!(arguments(b" \n").unwrap(), "{}");
        assert_eq!(arguments(&[0xff]).unwrap_err().status, 400);
    }

    #[test]
    fn only_a_clear_yes_approves() {
        assert!(is_yes("true") && is_yes(" TRUE ") && is_yes("1"));
        for text in ["", "false", "0", "no", "null", "approve"] {
            assert!(!is_yes(text), "{text}");
        }
    }

    /// A tool that may destroy something.
    struct Removes;

    #[async_trait]
    impl HostTool for Removes {
        fn function(&self) -> HostFunction {
            HostFunction::new("files", "remove", "Removes a file.")
                .unwrap()
                .param(Field::new("name", Type::String, None))
                .result(Type::String)
                .policy(ToolPolicy { destructive: true, ..ToolPolicy::default() })
        }

        async fn run(&self, _call: &dyn HostCall, _arguments: Json) -> mitt::Result<Json> {
            Ok("removed".into())
        }
    }

    #[tokio::test]
    async fn a_destructive_call_waits_for_its_header() {
        let host = Host::builder().no_cache().bundled_skills(false).tool(Removes).build().unwrap();
        let session = host.session(SessionOptions::default()).unwrap();
        let call = async |is_approved| {
            let options = CallOptions::new().approver(Arc::new(ByHeader { is_approved }));
            session.call_with("files__remove", r#"{"name":"a.csv"}"#, options).await
        };
        let problem = outcome::problem(&call(false).await).unwrap();
        assert_eq!((problem.status, problem.code.as_str()), (409, "approval_required"));
        assert_eq!(problem.errors[0].pointer, "/name");
        assert_eq!(problem.errors[0].detail, "\"a.csv\"");
        assert!(problem.hint.as_ref().unwrap().contains("X-Mitt-Approve: true"));
        let report = call(true).await;
        assert_eq!(outcome::problem(&report), None);
        assert_eq!(report.result.unwrap().to_string(), "\"removed\"");
    }
}
