//! Options of hosts and sessions.

use mitt::{
    Approver, CacheDir, Decision, Host, HostBuilder, Result, SessionOptions, WorkerOptions,
};
use std::sync::Arc;

use crate::fields::Fields;
use crate::{limits, rules};

/// Most threads of a host that run calls.
const MAX_THREADS: u64 = 256;

/// Options of a host.
pub(crate) struct HostOptions {
    pub(crate) builder: HostBuilder,
    /// Threads that run calls; `None` for as many as there are processors.
    pub(crate) threads: Option<usize>,
}

/// Reads the options of a host.
pub(crate) fn host(mut given: Fields) -> Result<HostOptions> {
    let mut builder = Host::builder().bundled_skills(given.flag_or("bundled", true)?);
    for folder in given.texts("skills")? {
        builder = builder.skills(folder);
    }
    for file in given.texts("components")? {
        builder = builder.component(file);
    }
    for name in given.texts("replace_skills")? {
        builder = builder.replace_skill(name);
    }
    if let Some(file) = given.text("trust")? {
        builder = builder.trust(file);
    }
    if let Some(engine) = given.text("script_engine")? {
        builder = builder.script_engine(engine);
    }
    match given.value("cache") {
        None => {}
        Some(serde_json::Value::Bool(false)) => builder = builder.no_cache(),
        Some(serde_json::Value::String(folder)) => builder = builder.cache(CacheDir::new(folder)),
        Some(_) => return Err(given.wrong("cache", "expected a folder or false")),
    }
    let required = given.flag("worker_required")?;
    match given.text("worker")? {
        Some(program) => {
            let program = Some(program.into());
            builder =
                builder.worker(WorkerOptions { program, required, ..WorkerOptions::default() });
        }
        None if required => {
            return Err(given.wrong("worker_required", "expected a program in `worker`, got none"));
        }
        None => {}
    }
    builder = builder.full_journals(given.flag("full_journals")?);
    for set in rules::sets(&mut given, "rules")? {
        builder = builder.guard(set);
    }
    for (place, item) in given.items("tenant_rules")? {
        let mut of_tenant = Fields::of_item(place, item)?;
        let tenant = of_tenant.required("tenant")?;
        for set in rules::sets(&mut of_tenant, "rules")? {
            builder = builder.tenant_guard(tenant.clone(), set);
        }
        of_tenant.finish()?;
    }
    let threads = match given.number("threads")? {
        Some(threads @ 1..=MAX_THREADS) => usize::try_from(threads).ok(),
        Some(threads) => {
            let message = format!("expected 1 to {MAX_THREADS} threads, got {threads}");
            return Err(given.wrong("threads", &message));
        }
        None => None,
    };
    let mut all = given.object("limits")?;
    builder = builder
        .call_limits(limits::call(all.object("call")?)?)
        .session_limits(limits::session(all.object("session")?)?)
        .concurrency(limits::concurrency(all.object("concurrency")?)?)
        .memory(limits::memory(all.object("memory")?)?)
        .blocking(limits::blocking(all.object("blocking")?)?);
    all.finish()?;
    given.finish()?;
    Ok(HostOptions { builder, threads })
}

/// Reads the options of a session.
pub(crate) fn session(mut given: Fields) -> Result<SessionOptions> {
    let mut options = SessionOptions {
        tenant: given.text("tenant")?,
        assignment: given.text("assignment")?,
        folder: given.text("folder")?.map(Into::into),
        opens_folder_later: given.flag("opens_folder_later")?,
        time: given.millis("time_ms")?,
        keeps_sources: given.flag("keeps_sources")?,
        rules: rules::sets(&mut given, "rules")?,
        ..SessionOptions::default()
    };
    options.approver = match given.text("destructive")?.as_deref() {
        None => None,
        Some("pause") => Some(Arc::new(Always(Decision::Pause))),
        Some("approve") => Some(Arc::new(Always(Decision::Approve))),
        Some("deny") => {
            let reason = "the host allows no destructive tools".to_owned();
            Some(Arc::new(Always(Decision::Deny(reason))))
        }
        Some(other) => {
            let message = format!("expected `pause`, `approve` or `deny`, got `{other}`");
            return Err(given.wrong("destructive", &message));
        }
    };
    given.finish()?;
    Ok(options)
}

/// The same decision about every call.
struct Always(Decision);

#[async_trait::async_trait]
impl Approver for Always {
    async fn decide(&self, _: &mitt::ApprovalRequest) -> Decision {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::tests::fields;

    fn host_error(json: &'static str) -> String {
        host(fields(json).unwrap()).err().unwrap().message().to_owned()
    }

    #[test]
    fn options_of_a_host_are_checked() {
        assert_eq!(host(fields(r#"{"threads": 256}"#).unwrap()).unwrap().threads, Some(256));
        let expected = "options.threads: expected 1 to 256 threads, got ";
        assert_eq!(host_error(r#"{"threads": 0}"#), format!("{expected}0"));
        assert_eq!(host_error(r#"{"threads": 257}"#), format!("{expected}257"));
        assert_eq!(host_error(r#"{"cache": 1}"#), "options.cache: expected a folder or false");
        let worker = host_error(r#"{"worker_required": true}"#);
        assert_eq!(worker, "options.worker_required: expected a program in `worker`, got none");
        let unknown = host_error(r#"{"limits": {"calls": {}}}"#);
        assert_eq!(unknown, "options.limits: unknown key `calls`; did you mean `call`?");
        let rules = host_error(r#"{"rules": [{"name": "a.txt", "text": "!"}]}"#);
        assert!(rules.starts_with("options.rules[0]: "), "{rules}");
        let rules = host_error(r#"{"tenant_rules": [{"rules": []}]}"#);
        assert_eq!(rules, "options.tenant_rules[0].tenant: missing, expected a string");
    }

    #[test]
    fn options_of_a_session_are_checked() {
        let options = session(fields(r#"{"tenant": "a", "time_ms": 9}"#).unwrap()).unwrap();
        assert_eq!(options.tenant.as_deref(), Some("a"));
        assert!(options.approver.is_none());
        let error = session(fields(r#"{"destructive": "ask"}"#).unwrap()).err().unwrap();
        assert_eq!(error.place(), Some("options.destructive"));
        assert!(session(fields(r#"{"destructive": "deny"}"#).unwrap()).unwrap().approver.is_some());
    }
}
