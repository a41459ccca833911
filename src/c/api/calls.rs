//! Calls of tools and scripts.

use mitt::CallReport;
use std::sync::Arc;

use crate::bytes::mitt_bytes;
use crate::code::mitt_code;
use crate::entry::entry;
use crate::handles::{mitt_cancel, mitt_session};
use crate::objects::{self, SessionObject};
use crate::operations;
use crate::problem::Problem;
use crate::raw::{Given, Out};

/// Calls a tool, such as `table_tool__sort`, and waits for its end.
///
/// `arguments` is a JSON object, which is checked against the interface of the tool before anything runs; the error names
/// all mistakes at once. `options` is a JSON object or empty: `timeout_ms`, which can only lower the limit of the tool;
/// `created_ms`, the time that delivered files state; `tables`, how tables in the result are shown: `whole` (default),
/// `model` (as models see them), or `{"cells": 400, "first_rows": 10}`, by reference if they are larger.
///
/// `result`, if it is not null, gets the report of the call, **also if the call failed**: `{"result", "ok", "error",
/// "call", "tool", "name", "attempts", "usage", "printed", "artifacts", "approval"}`. Numbers of `result` have all their
/// digits. `usage` is `{"fuel", "peak_memory_bytes", "duration_us"}`. There is no report if a parameter is wrong or the
/// call was cancelled.
///
/// Returns the code of the error of the call: `MITT_UNKNOWN_TOOL`, `MITT_ARGUMENTS`, `MITT_DENIED`, `MITT_BLOCKED`,
/// `MITT_LIMIT`, `MITT_TRAP`, `MITT_PLUGIN`, `MITT_PAUSED`, `MITT_BUSY`, `MITT_CANCELLED` or another one.
///
/// # Safety
///
/// `tool`, `arguments` and `options` are null, or as many bytes as their lengths say can be read. `result` and `error`
/// are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_call(
    session: mitt_session,
    tool: *const u8,
    tool_len: usize,
    arguments: *const u8,
    arguments_len: usize,
    options: *const u8,
    options_len: usize,
    cancel: mitt_cancel,
    result: *mut mitt_bytes,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let (tool, arguments, options) = unsafe {
        (
            Given::new("tool", tool, tool_len),
            Given::new("arguments", arguments, arguments_len),
            Given::new("options", options, options_len),
        )
    };
    // SAFETY: the caller promises it.
    let mut result = unsafe { Out::new("result", result, mitt_bytes::EMPTY) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        let (session, tool) = (objects::session(session)?, tool.required()?);
        let (arguments, options) = (arguments.text()?, options.text()?);
        let work = operations::call(&session.session, tool, arguments, options)?;
        give(&session, cancel, work, &mut result)
    })
}

/// Runs a script and waits for its end. `language` is a language, such as `python`, or the name of an engine, such as
/// `python-lite`.
///
/// `options` is a JSON object or empty: those of `mitt_session_call`, `inputs` (an object whose keys become variables of
/// the script) and `arguments` (an array of texts, `sys.argv[1:]`).
///
/// `result`, if it is not null, gets the report of the call, as for `mitt_session_call`; the `result` in it has `stdout`,
/// `stderr` and the value of the script. If the script itself fails, the function returns the code of its error, and
/// there is a report.
///
/// Returns `MITT_LOAD` if nothing runs scripts of the language, otherwise as `mitt_session_call`.
///
/// # Safety
///
/// `language`, `source` and `options` are null, or as many bytes as their lengths say can be read. `result` and `error`
/// are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_script(
    session: mitt_session,
    language: *const u8,
    language_len: usize,
    source: *const u8,
    source_len: usize,
    options: *const u8,
    options_len: usize,
    cancel: mitt_cancel,
    result: *mut mitt_bytes,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let (language, source, options) = unsafe {
        (
            Given::new("language", language, language_len),
            Given::new("source", source, source_len),
            Given::new("options", options, options_len),
        )
    };
    // SAFETY: the caller promises it.
    let mut result = unsafe { Out::new("result", result, mitt_bytes::EMPTY) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        let session = objects::session(session)?;
        let (language, source) = (language.required()?, source.text()?);
        let work = operations::script(&session.session, language, source, options.text()?)?;
        give(&session, cancel, work, &mut result)
    })
}

/// Continues a call that waits for a decision, and waits for its end. `id` is the one of `approval` in the report of the
/// call, or of `pending` in the state of the session.
///
/// `decision` is a JSON object: `{"decision": "approve"}` or `{"decision": "deny", "reason": "..."}`, with the options of
/// `mitt_session_call`. An approval is of one tool, one version and one hash of arguments, and counts once.
///
/// `result` and the returned code are those of `mitt_session_call`.
///
/// # Safety
///
/// `id` and `decision` are null, or as many bytes as their lengths say can be read. `result` and `error` are null or can
/// be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_resume(
    session: mitt_session,
    id: *const u8,
    id_len: usize,
    decision: *const u8,
    decision_len: usize,
    cancel: mitt_cancel,
    result: *mut mitt_bytes,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let (id, decision) =
        unsafe { (Given::new("id", id, id_len), Given::new("decision", decision, decision_len)) };
    // SAFETY: the caller promises it.
    let mut result = unsafe { Out::new("result", result, mitt_bytes::EMPTY) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        let (session, id) = (objects::session(session)?, id.required()?);
        let work = operations::resume(&session.session, id, decision.text()?)?;
        give(&session, cancel, work, &mut result)
    })
}

/// Returns the tools of a session: `{"tools": [{"name", "skill", "title", "description", "parameters", "result",
/// "read_only", "idempotent", "destructive"}], "problems": [...]}`. `parameters` and `result` are JSON Schemas.
/// `problems` are the errors of skills that cannot be loaded.
///
/// Loads all skills, which compiles those that are not in the cache. Returns `MITT_CANCELLED` and the codes for wrong
/// parameters.
///
/// # Safety
///
/// `result` and `error` are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_tools(
    session: mitt_session,
    cancel: mitt_cancel,
    result: *mut mitt_bytes,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let mut result = unsafe { Out::new("result", result, mitt_bytes::EMPTY) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        result.check()?;
        let session = objects::session(session)?;
        let cancel = objects::cancel_or_none(cancel)?;
        let tools = session.host.run(cancel, operations::tools(&session.session))?;
        result.set(mitt_bytes::keep(tools)?);
        Ok(())
    })
}

/// Makes a call, and gives its report to the caller.
fn give(
    session: &Arc<SessionObject>,
    cancel: mitt_cancel,
    work: impl Future<Output = mitt::Result<CallReport>> + Send + 'static,
    result: &mut Out<'_, mitt_bytes>,
) -> Result<(), Problem> {
    let cancel = objects::cancel_or_none(cancel)?;
    let report = session.host.run(cancel, work)?;
    if !result.is_null() {
        result.set(mitt_bytes::keep(operations::call_text(&report))?);
    }
    match report.failed() {
        Some(error) => Err(error.clone().into()),
        None => Ok(()),
    }
}
