//! `mitt limits`: prints every limit with its default.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

use super::output::Output;
use mitt::skill::{MAX_HELPER_BYTES, MAX_HELPERS, MAX_HELPERS_BYTES, RetryPolicy};
use mitt_base::limits::{
    BlockingLimits, CallLimits, ConcurrencyLimits, MemoryLimits, SCRIPT_OUTPUT_CHARACTERS,
    SCRIPT_WHOLE_OUTPUT_BYTES, SessionLimits,
};
use mitt_base::{Resource, Result};

/// Prints all limits.
pub(super) fn print(output: &Output) -> Result<ExitCode> {
    let groups = [
        ("call", call(&CallLimits::default())),
        ("script", [call(&CallLimits::script()), script()].concat()),
        ("reader", call(&CallLimits::reader())),
        ("session", session(&SessionLimits::default())),
        ("retry", retry(&RetryPolicy::default())),
        ("host", host(&ConcurrencyLimits::default())),
        ("memory", memory(&MemoryLimits::default())),
        ("rendering and compiling", blocking(&BlockingLimits::default())),
        ("packed skill", mitt::skill::author::limits().to_vec()),
        ("component", component()),
    ];
    if output.is_json() {
        let mut all = serde_json::Map::new();
        for (group, limits) in groups {
            let entries = limits
                .into_iter()
                .map(|(name, value, unit)| json!({ "name": name, "limit": value, "unit": unit }));
            all.insert(group.into(), Value::Array(entries.collect()));
        }
        output.value(&Value::Object(all))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (group, limits) in groups {
        output.line(&format!("{group}:"))?;
        for (name, value, unit) in limits {
            output.line(&format!("  {name:<28}{value:>16} {unit}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

type LimitRow = (&'static str, u64, &'static str);

/// Bounds on a component, which are checked before it is compiled.
fn component() -> Vec<LimitRow> {
    std::iter::once(("component", mitt::internal::MAX_COMPONENT_BYTES, "bytes"))
        .chain(crate::commands::bounds())
        .collect()
}

fn of(what: Resource, value: u64) -> LimitRow {
    (what.name(), value, what.unit())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Limits of scripts, besides those of a call.
fn script() -> Vec<LimitRow> {
    vec![
        ("stdout", SCRIPT_OUTPUT_CHARACTERS, "characters"),
        ("stderr", SCRIPT_OUTPUT_CHARACTERS, "characters"),
        ("whole-output", SCRIPT_WHOLE_OUTPUT_BYTES, "bytes"),
        ("helpers", MAX_HELPERS as u64, "files"),
        ("helper", MAX_HELPER_BYTES, "bytes"),
        ("helpers-together", MAX_HELPERS_BYTES, "bytes"),
    ]
}

fn retry(policy: &RetryPolicy) -> Vec<LimitRow> {
    vec![
        ("attempts", policy.max_attempts.into(), "attempts"),
        ("attempts-at-most", RetryPolicy::MAX_ATTEMPTS.into(), "attempts"),
        ("initial-delay", millis(policy.initial_delay), "ms"),
        ("max-delay", millis(policy.max_delay), "ms"),
        ("max-delay-at-most", millis(RetryPolicy::MAX_DELAY), "ms"),
    ]
}

fn host(limits: &ConcurrencyLimits) -> Vec<LimitRow> {
    let ConcurrencyLimits { total, per_tenant, queue, wait } = limits;
    vec![
        ("calls-at-once", *total, "calls"),
        ("calls-at-once-per-tenant", *per_tenant, "calls"),
        ("waiting-calls-per-tenant", *queue, "calls"),
        ("waiting-time", millis(*wait), "ms"),
    ]
}

fn memory(limits: &MemoryLimits) -> Vec<LimitRow> {
    let MemoryLimits { per_call, per_session, per_tenant, host } = limits;
    vec![
        of(Resource::CallMemory, *per_call),
        of(Resource::SessionMemory, *per_session),
        of(Resource::TenantMemory, *per_tenant),
        of(Resource::HostMemory, *host),
        of(Resource::Message, mitt::value::MAX_MESSAGE_MEMORY),
    ]
}

fn blocking(limits: &BlockingLimits) -> Vec<LimitRow> {
    let BlockingLimits {
        places,
        per_tenant,
        queue,
        wait,
        render_time,
        render_memory_bytes,
        compile_time,
        compile_memory_bytes,
        load_wait,
    } = limits;
    vec![
        ("jobs-at-once", *places, "jobs"),
        ("jobs-at-once-per-tenant", *per_tenant, "jobs"),
        ("waiting-jobs-per-tenant", *queue, "jobs"),
        ("waiting-time-for-a-place", millis(*wait), "ms"),
        ("rendering-time", millis(*render_time), "ms"),
        ("rendering-memory", *render_memory_bytes, "bytes"),
        ("compiling-time", millis(*compile_time), "ms"),
        ("compiling-memory", *compile_memory_bytes, "bytes"),
        ("waiting-time-for-a-component", millis(*load_wait), "ms"),
    ]
}

fn call(limits: &CallLimits) -> Vec<LimitRow> {
    let CallLimits {
        time,
        fuel,
        memory_bytes,
        table_elements,
        instances,
        handles,
        output_bytes,
        transfer_bytes,
    } = limits;
    vec![
        of(Resource::Time, millis(*time)),
        of(Resource::Fuel, *fuel),
        of(Resource::Memory, *memory_bytes),
        of(Resource::TableElements, *table_elements),
        of(Resource::Instances, *instances),
        of(Resource::Memories, *instances),
        of(Resource::Tables, *instances),
        of(Resource::Handles, *handles),
        of(Resource::Output, *output_bytes),
        of(Resource::Transfer, *transfer_bytes),
    ]
}

fn session(limits: &SessionLimits) -> Vec<LimitRow> {
    let SessionLimits {
        arguments_bytes,
        arguments_depth,
        nested_arguments_bytes,
        tool_calls,
        call_depth,
        handles,
        artifact_bytes,
        artifacts_bytes,
        artifact_files,
        workspace_bytes,
        workspace_files,
        document_bytes,
        documents_bytes,
        document_characters,
        table_characters,
        result_characters,
        model_turns,
        documents,
        parts,
        journal_bytes,
    } = limits;
    vec![
        of(Resource::Arguments, *arguments_bytes),
        ("arguments-by-plugins", *nested_arguments_bytes, "bytes"),
        of(Resource::ArgumentsDepth, *arguments_depth),
        of(Resource::ToolCalls, *tool_calls),
        of(Resource::CallDepth, *call_depth),
        of(Resource::Handles, *handles),
        of(Resource::Artifact, *artifact_bytes),
        of(Resource::Artifacts, *artifacts_bytes),
        of(Resource::ArtifactFiles, *artifact_files),
        of(Resource::Workspace, *workspace_bytes),
        of(Resource::WorkspaceFiles, *workspace_files),
        of(Resource::Document, *document_bytes),
        of(Resource::Documents, *documents_bytes),
        of(Resource::DocumentFiles, *documents),
        of(Resource::PartsTime, millis(parts.time)),
        of(Resource::PartsFuel, parts.fuel),
        of(Resource::PartsSize, parts.bytes),
        of(Resource::PartsFiles, parts.files),
        ("document-text", *document_characters, "characters"),
        ("table-text", *table_characters, "characters"),
        ("result-text", *result_characters, "characters"),
        of(Resource::ModelTurns, *model_turns),
        ("journal-file", *journal_bytes, "bytes"),
    ]
}
