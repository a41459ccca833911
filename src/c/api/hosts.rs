//! Hosts, their tools, and sessions.

use std::ffi::c_void;
use std::sync::Arc;

use mitt::EventSink;

use crate::bytes::mitt_bytes;
use crate::callback::{
    Callback, EventCallback, mitt_callback, mitt_event_callback, mitt_free_callback,
};
use crate::code::mitt_code;
use crate::entry::entry;
use crate::handles::{mitt_host, mitt_session};
use crate::objects::{self, Object, SessionObject};
use crate::operations;
use crate::raw::{Given, Out};

/// Makes a host with threads of its own. Make one for each process, and again in a child after `fork`: a host of the
/// parent returns `MITT_FORKED` there.
///
/// `options` is a JSON object or empty. All keys are optional:
///
/// - `bundled`: the skills of the library are there. Default true.
/// - `skills`: folders of further skills. `components`: files of WebAssembly components, which become skills.
/// - `replace_skills`: names of bundled skills that others may replace. `trust`: a file of approvals.
/// - `cache`: the folder for compiled skills, or false for none. Default: `MITT_CACHE_DIR`, or `mitt` in the cache folder
///   of the user.
/// - `threads`: threads that run calls, 1 to 256. Default: as many as there are processors.
/// - `script_engine`: the engine for scripts of its language, such as `python-lite`.
/// - `worker`: the path of the program `mitt` of the same version, which compiles and typesets in processes that can be
///   killed. `worker_required`: such work fails if the program cannot be started; by default it is done in this process.
/// - `full_journals`: journals keep messages with the values of callers. Default false.
/// - `rules`: `[{"name": "words.txt", "text": "..."}]`, rules about content for all sessions: one word per line, or YAML
///   if the name ends in `.yaml`. `tenant_rules`: `[{"tenant": "acme", "rules": [...]}]`.
/// - `limits`: objects `call`, `session`, `concurrency`, `memory` and `blocking`, whose keys are the fields of the
///   structures of the library's documentation, with `_ms` behind those that are times: `{"call": {"time_ms": 5000},
///   "memory": {"host": 1073741824}}`.
///
/// Returns `MITT_ARGUMENTS`, `MITT_INVALID_JSON`, `MITT_INPUT` or `MITT_LOAD` if the options are wrong, and `MITT_HOST`
/// if threads cannot be started.
///
/// # Safety
///
/// `options` is null, or `options_len` bytes from it on can be read. `result` and `error` are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_host_new(
    options: *const u8,
    options_len: usize,
    result: *mut mitt_host,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let options = unsafe { Given::new("options", options, options_len) };
    // SAFETY: the caller promises it.
    let mut result = unsafe { Out::new("result", result, 0) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        result.check()?;
        let host = operations::new_host(options.text()?)?;
        result.set(objects::add(Object::Host(Arc::new(host)))?);
        Ok(())
    })
}

/// Adds a function of the caller as a tool, for sessions that are opened after that. Calls of it are checked, limited,
/// reported and recorded like those of skills, and scripts and plugins can make them.
///
/// `definition` is a JSON object: `name`, such as `shop__price`, two words or groups of words joined by `__`;
/// `description`, for models; `parameters`, the JSON Schema of an object; and, if they differ from the defaults, `title`,
/// `read_only`, `idempotent`, `destructive` (false) and `timeout_ms` (30000). The callback gets the arguments as a JSON
/// object and answers with JSON.
///
/// `free`, if it is not null, is called once when the host and all its sessions have ended, or at once if the tool is
/// refused.
///
/// Returns `MITT_ARGUMENTS` or `MITT_INVALID_JSON` if the definition is wrong, `MITT_LOAD` if there is a tool of this
/// name or the name is not one of a tool, `MITT_INVALID_HANDLE`, and `MITT_NULL_POINTER` if there is no callback.
///
/// # Safety
///
/// `definition` is null, or `definition_len` bytes from it on can be read. `callback` may be called from any thread with
/// `user_data` until `free` was called. `error` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_host_add_tool(
    host: mitt_host,
    definition: *const u8,
    definition_len: usize,
    callback: mitt_callback,
    user_data: *mut c_void,
    free: mitt_free_callback,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let definition = unsafe { Given::new("definition", definition, definition_len) };
    // SAFETY: the caller promises it.
    let callback = unsafe { Callback::new("callback", callback, user_data, free) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        let (host, callback) = (objects::host(host)?, callback?);
        host.check()?;
        let tool = operations::new_tool(definition.text()?, Arc::new(callback))?;
        host.change(|host| host.with_tool(tool))?;
        Ok(())
    })
}

/// Opens a session: the unit of isolation. It keeps its host alive. Several threads may use it at once.
///
/// `options` is a JSON object or empty. All keys are optional:
///
/// - `tenant`: who owns the session; tenants have their own limits and rules. Default `local`.
/// - `folder`: where files and the journal go; without it they stay in memory. `opens_folder_later`: it is made with the
///   first file.
/// - `time_ms`: wall clock for all calls of the session.
/// - `keeps_sources`: Office files are kept, so that tools can edit them or fill them as templates. Default false.
/// - `rules`: rules about content for this session, as for a host. No set weakens another one.
/// - `destructive`: what is done about calls of tools that are marked so: `pause`, `approve` or `deny`. Default: scripts
///   pause, other calls are made.
/// - `assignment`: the key that assigns the session to variants of skills.
///
/// `events`, if it is not null, receives every step as a JSON object whose `event` is `call_started`, `call_finished`,
/// `attempt_ended`, `output` (of a script), `log` (of a plugin), `delivered`, `document_started`, `document_ready`,
/// `rows`, `compiling`, `compiled`, `turn`, `model_text` or another name. `free`, if it is not null, is called once when
/// the session has ended, or at once if it is refused or `events` is null.
///
/// Returns `MITT_ARGUMENTS`, `MITT_INVALID_JSON` or `MITT_INPUT` if the options are wrong, `MITT_HOST` if the folder
/// cannot be made, `MITT_INVALID_HANDLE`, and `MITT_FORKED`.
///
/// # Safety
///
/// `options` is null, or `options_len` bytes from it on can be read. `events` may be called from any thread with
/// `user_data` until `free` was called. `result` and `error` are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_new(
    host: mitt_host,
    options: *const u8,
    options_len: usize,
    events: mitt_event_callback,
    user_data: *mut c_void,
    free: mitt_free_callback,
    result: *mut mitt_session,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let options = unsafe { Given::new("options", options, options_len) };
    // SAFETY: the caller promises it.
    let events = unsafe { EventCallback::new(events, user_data, free) };
    // SAFETY: the caller promises it.
    let mut result = unsafe { Out::new("result", result, 0) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        result.check()?;
        let host = objects::host(host)?;
        host.check()?;
        let events = events.map(|events| {
            let report = move |event: &mitt::Event| events.report(&operations::event_text(event));
            Arc::new(report) as EventSink
        });
        let options = operations::session_options(options.text()?, events)?;
        let session = host.host().session(options)?;
        let session = Arc::new(SessionObject { session, host });
        result.set(objects::add(Object::Session(session))?);
        Ok(())
    })
}
