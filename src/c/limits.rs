//! Limits in options: the names of the library's fields, with `_ms` behind those that are times.

use mitt::{
    BlockingLimits, CallLimits, ConcurrencyLimits, MemoryLimits, PartsLimits, Result, SessionLimits,
};

use crate::fields::Fields;

/// Returns the limits that every call is lowered to.
pub(crate) fn call(mut given: Fields) -> Result<CallLimits> {
    // What is not named is not lowered: skills may have higher limits than the defaults, such as readers.
    let mut limits = CallLimits {
        time: std::time::Duration::MAX,
        fuel: u64::MAX,
        memory_bytes: u64::MAX,
        table_elements: u64::MAX,
        instances: u64::MAX,
        handles: u64::MAX,
        output_bytes: u64::MAX,
        transfer_bytes: u64::MAX,
    };
    given.set_millis("time_ms", &mut limits.time)?;
    given.set("fuel", &mut limits.fuel)?;
    given.set("memory_bytes", &mut limits.memory_bytes)?;
    given.set("table_elements", &mut limits.table_elements)?;
    given.set("instances", &mut limits.instances)?;
    given.set("handles", &mut limits.handles)?;
    given.set("output_bytes", &mut limits.output_bytes)?;
    given.set("transfer_bytes", &mut limits.transfer_bytes)?;
    given.finish()?;
    Ok(limits)
}

/// Returns the limits of every session.
pub(crate) fn session(mut given: Fields) -> Result<SessionLimits> {
    let mut limits = SessionLimits::default();
    given.set("arguments_bytes", &mut limits.arguments_bytes)?;
    given.set("arguments_depth", &mut limits.arguments_depth)?;
    given.set("nested_arguments_bytes", &mut limits.nested_arguments_bytes)?;
    given.set("tool_calls", &mut limits.tool_calls)?;
    given.set("call_depth", &mut limits.call_depth)?;
    given.set("handles", &mut limits.handles)?;
    given.set("artifact_bytes", &mut limits.artifact_bytes)?;
    given.set("artifacts_bytes", &mut limits.artifacts_bytes)?;
    given.set("artifact_files", &mut limits.artifact_files)?;
    given.set("workspace_bytes", &mut limits.workspace_bytes)?;
    given.set("workspace_files", &mut limits.workspace_files)?;
    given.set("document_bytes", &mut limits.document_bytes)?;
    given.set("documents_bytes", &mut limits.documents_bytes)?;
    given.set("documents", &mut limits.documents)?;
    given.set("document_characters", &mut limits.document_characters)?;
    given.set("table_characters", &mut limits.table_characters)?;
    given.set("result_characters", &mut limits.result_characters)?;
    given.set("model_turns", &mut limits.model_turns)?;
    given.set("journal_bytes", &mut limits.journal_bytes)?;
    limits.parts = parts(given.object("parts")?)?;
    given.finish()?;
    Ok(limits)
}

fn parts(mut given: Fields) -> Result<PartsLimits> {
    let mut limits = PartsLimits::default();
    given.set_millis("time_ms", &mut limits.time)?;
    given.set("fuel", &mut limits.fuel)?;
    given.set("bytes", &mut limits.bytes)?;
    given.set("files", &mut limits.files)?;
    given.finish()?;
    Ok(limits)
}

/// Returns the limits of calls that run and wait at once.
pub(crate) fn concurrency(mut given: Fields) -> Result<ConcurrencyLimits> {
    let mut limits = ConcurrencyLimits::default();
    given.set("total", &mut limits.total)?;
    given.set("per_tenant", &mut limits.per_tenant)?;
    given.set("queue", &mut limits.queue)?;
    given.set_millis("wait_ms", &mut limits.wait)?;
    given.finish()?;
    Ok(limits)
}

/// Returns the limits of memory. `host` alone keeps the proportions of the defaults.
pub(crate) fn memory(mut given: Fields) -> Result<MemoryLimits> {
    let mut limits =
        given.number("host")?.map_or_else(MemoryLimits::default, MemoryLimits::of_host);
    given.set("per_call", &mut limits.per_call)?;
    given.set("per_session", &mut limits.per_session)?;
    given.set("per_tenant", &mut limits.per_tenant)?;
    given.finish()?;
    Ok(limits)
}

/// Returns the limits of rendering and compiling.
pub(crate) fn blocking(mut given: Fields) -> Result<BlockingLimits> {
    let mut limits = BlockingLimits::default();
    given.set("places", &mut limits.places)?;
    given.set("per_tenant", &mut limits.per_tenant)?;
    given.set("queue", &mut limits.queue)?;
    given.set_millis("wait_ms", &mut limits.wait)?;
    given.set_millis("render_time_ms", &mut limits.render_time)?;
    given.set("render_memory_bytes", &mut limits.render_memory_bytes)?;
    given.set_millis("compile_time_ms", &mut limits.compile_time)?;
    given.set("compile_memory_bytes", &mut limits.compile_memory_bytes)?;
    given.set_millis("load_wait_ms", &mut limits.load_wait)?;
    given.finish()?;
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::tests::fields;

    #[test]
    fn limits_that_are_not_named_stay() {
        let limits = session(fields(r#"{"documents": 3, "parts": {"time_ms": 5}}"#).unwrap());
        let limits = limits.unwrap();
        let defaults = SessionLimits::default();
        assert_eq!((limits.documents, limits.tool_calls), (3, defaults.tool_calls));
        assert_eq!(limits.parts.time.as_millis(), 5);
        let limits = call(fields(r#"{"fuel": 9}"#).unwrap()).unwrap();
        let reader = CallLimits::reader().lowered_by(&limits);
        assert_eq!(reader, CallLimits { fuel: 9, ..CallLimits::reader() });
        let limits = memory(fields(r#"{"host": 1600, "per_call": 7}"#).unwrap()).unwrap();
        assert_eq!((limits.host, limits.per_tenant, limits.per_call), (1600, 800, 7));
        assert_eq!(concurrency(fields(r#"{"total": 2}"#).unwrap()).unwrap().total, 2);
        assert_eq!(blocking(fields(r#"{"places": 2}"#).unwrap()).unwrap().places, 2);
        let error = session(fields(r#"{"document": 3}"#).unwrap()).unwrap_err();
        assert!(error.message().contains("did you mean `documents`"), "{error}");
    }
}
