//! Instructions to a model of the caller.

use std::ffi::c_void;
use std::sync::Arc;

use crate::bytes::mitt_bytes;
use crate::callback::{Callback, mitt_callback, mitt_free_callback};
use crate::code::mitt_code;
use crate::entry::entry;
use crate::handles::{mitt_cancel, mitt_session};
use crate::raw::{Given, Out};
use crate::{objects, operations};

/// Lets a model of the caller follow an instruction with the documents and tools of a session, and waits for its end.
///
/// `model` is called once for each turn. Its request is the body of a chat completion of OpenAI's interface, and its
/// answer is either the body of the response or only the message, so that a program can send the one and return the other
/// as they are: `{"content": "...", "tool_calls": [{"id": "1", "function": {"name": "...", "arguments": "{...}"}}]}`.
/// Each call has an `id` of its own. `free`, if it is not null, is called once when the model is not needed any more, at
/// the latest soon after the function has returned.
///
/// `options` is a JSON object or empty: `model`, the name in requests (default `callback`); `tools`, how tools are shown:
/// `script` (default), `catalogue` or `all`; `instructions`, which precede everything else; `earlier`, the messages
/// before, as `[{"role": "user", "content": "..."}]`; `output_schema`, a JSON Schema that the answer must follow; `limits`,
/// an object with `turns`, `calls`, `tokens`, `time_ms`, `wrong_turns`, `script_repairs`, `context_characters` and
/// `context_tokens`.
///
/// `result`, if it is not null, gets `{"calls": [...], "output", "text", "turns", "delivered", "missing", "usage"}`. `calls`
/// are reports as from `mitt_session_call`, `output` is the value of the answer if the options have `output_schema`, and
/// otherwise null; `delivered` are the names of files for `mitt_session_artifact`, `missing` the kinds of files that were
/// asked for and are not there.
///
/// Returns `MITT_MODEL` if the model failed, or never gave an answer that follows `output_schema` (`answer` of the error
/// is what it said instead), `MITT_LIMIT` (files that were delivered before stay), `MITT_CANCELLED`, and the codes for
/// wrong parameters. A call that fails is no error here: the model sees it.
///
/// # Safety
///
/// `instruction` and `options` are null, or as many bytes as their lengths say can be read. `model` may be called from
/// any thread with `user_data` until `free` was called. `result` and `error` are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_agent_run(
    session: mitt_session,
    instruction: *const u8,
    instruction_len: usize,
    options: *const u8,
    options_len: usize,
    model: mitt_callback,
    user_data: *mut c_void,
    free: mitt_free_callback,
    cancel: mitt_cancel,
    result: *mut mitt_bytes,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let (instruction, options) = unsafe {
        (
            Given::new("instruction", instruction, instruction_len),
            Given::new("options", options, options_len),
        )
    };
    // SAFETY: the caller promises it.
    let model = unsafe { Callback::new("model", model, user_data, free) };
    // SAFETY: the caller promises it.
    let mut result = unsafe { Out::new("result", result, mitt_bytes::EMPTY) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        let (model, session) = (model?, objects::session(session)?);
        let cancel = objects::cancel_or_none(cancel)?;
        let (text, options) = (instruction.required()?, options.text()?);
        let following = operations::run(&session.session, text, options, Arc::new(model))?;
        let report = session.host.run(cancel, following)?;
        if !result.is_null() {
            result.set(mitt_bytes::keep(report)?);
        }
        Ok(())
    })
}
