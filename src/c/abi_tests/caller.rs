//! A caller: the functions with their pointers, as safe ones for the tests.

use std::ffi::c_void;

use serde_json::Value;

use crate::*;

/// Bytes of a result, copied and freed.
pub(super) fn taken(mut bytes: mitt_bytes) -> Vec<u8> {
    if bytes.data.is_null() {
        return Vec::new();
    }
    // SAFETY: the buffer was given out and is not freed yet.
    let copy = unsafe { std::slice::from_raw_parts(bytes.data, bytes.len) }.to_vec();
    // SAFETY: the structure is a local variable.
    assert_eq!(unsafe { mitt_bytes_free(&raw mut bytes) }, mitt_code::MITT_OK);
    copy
}

/// What a function returned.
#[derive(Debug)]
pub(super) struct Returned {
    pub(super) code: mitt_code,
    pub(super) result: Value,
    pub(super) error: Value,
}

impl Returned {
    /// Returns the result of a function that must succeed.
    #[track_caller]
    pub(super) fn ok(self) -> Value {
        assert_eq!(self.code, mitt_code::MITT_OK, "{}", self.error);
        assert_eq!(self.error, Value::Null);
        self.result
    }

    /// Returns the error of a function that must fail with this code.
    #[track_caller]
    pub(super) fn fails(self, code: mitt_code) -> Value {
        assert_eq!(self.code, code, "{} {}", self.result, self.error);
        assert_eq!(self.error["code"], code as i32);
        self.error
    }
}

/// Calls a function with places for its result and its error.
pub(super) fn called(
    function: impl FnOnce(*mut mitt_bytes, *mut mitt_bytes) -> mitt_code,
) -> Returned {
    let (mut result, mut error) = (mitt_bytes::EMPTY, mitt_bytes::EMPTY);
    let code = function(&raw mut result, &raw mut error);
    let json = |bytes| match &taken(bytes)[..] {
        [] => Value::Null,
        text => serde_json::from_slice(text).unwrap(),
    };
    Returned { code, result: json(result), error: json(error) }
}

/// A handle that is freed at its end.
pub(super) struct Owned(pub(super) mitt_handle);

impl Drop for Owned {
    fn drop(&mut self) {
        assert_eq!(mitt_handle_free(self.0), mitt_code::MITT_OK);
    }
}

/// Makes a host without skills and cache, with more options.
#[track_caller]
pub(super) fn host(more: &str) -> Owned {
    let options = format!(r#"{{"bundled": false, "cache": false, "threads": 2{more}}}"#);
    let mut host = 0;
    let made = called(|_, error| {
        // SAFETY: all pointers are to local variables.
        unsafe { mitt_host_new(options.as_ptr(), options.len(), &raw mut host, error) }
    });
    made.ok();
    Owned(host)
}

/// Opens a session without events.
pub(super) fn try_session(host: &Owned, options: &str) -> (mitt_session, Returned) {
    session_with(host, options, None, std::ptr::null_mut())
}

/// Opens a session whose events are added to `events`, which must live longer.
pub(super) fn session_with(
    host: &Owned,
    options: &str,
    function: mitt_event_callback,
    data: *mut c_void,
) -> (mitt_session, Returned) {
    let mut session = 0;
    let opened = called(|_, error| {
        let (text, len) = (options.as_ptr(), options.len());
        let place = &raw mut session;
        // SAFETY: all pointers are to local variables, and the tests give functions for their data.
        unsafe { mitt_session_new(host.0, text, len, function, data, None, place, error) }
    });
    (session, opened)
}

/// Opens a session, which must succeed.
#[track_caller]
pub(super) fn session(host: &Owned, options: &str) -> Owned {
    let (session, opened) = try_session(host, options);
    opened.ok();
    Owned(session)
}

/// Adds a tool.
pub(super) fn add_tool(
    host: &Owned,
    definition: &str,
    function: mitt_callback,
    data: *mut c_void,
) -> Returned {
    called(|_, error| {
        let (text, len) = (definition.as_ptr(), definition.len());
        // SAFETY: all pointers are to local variables, and the tests give functions for their data.
        unsafe { mitt_host_add_tool(host.0, text, len, function, data, None, error) }
    })
}

/// Calls a tool.
pub(super) fn call(session: &Owned, tool: &str, arguments: &str, cancel: mitt_cancel) -> Returned {
    called(|result, error| {
        let (arguments, length) = (arguments.as_ptr(), arguments.len());
        let none = std::ptr::null();
        // SAFETY: all pointers are to local variables.
        unsafe {
            mitt_session_call(
                session.0,
                tool.as_ptr(),
                tool.len(),
                arguments,
                length,
                none,
                0,
                cancel,
                result,
                error,
            )
        }
    })
}

/// Adds a document.
pub(super) fn add_document(session: &Owned, name: &str, data: &[u8], options: &str) -> Returned {
    called(|result, error| {
        // SAFETY: all pointers are to local variables.
        unsafe {
            mitt_session_add_document(
                session.0,
                name.as_ptr(),
                name.len(),
                data.as_ptr(),
                data.len(),
                options.as_ptr(),
                options.len(),
                0,
                result,
                error,
            )
        }
    })
}

/// Returns what a session holds.
pub(super) fn state(session: &Owned) -> Value {
    // SAFETY: the pointers are to local variables.
    called(|result, error| unsafe { mitt_session_state(session.0, result, error) }).ok()
}

/// Returns the tools of a session.
pub(super) fn tools(session: &Owned) -> Value {
    // SAFETY: the pointers are to local variables.
    called(|result, error| unsafe { mitt_session_tools(session.0, 0, result, error) }).ok()
}

/// Continues a call.
pub(super) fn resume(session: &Owned, id: &str, decision: &str) -> Returned {
    called(|result, error| {
        let (decision, length) = (decision.as_ptr(), decision.len());
        // SAFETY: all pointers are to local variables.
        unsafe {
            mitt_session_resume(
                session.0,
                id.as_ptr(),
                id.len(),
                decision,
                length,
                0,
                result,
                error,
            )
        }
    })
}

/// A tool that answers with its arguments.
///
/// # Safety
///
/// `request` has `length` bytes, as Mitt promises.
pub(super) unsafe extern "C" fn echo(
    _: *mut c_void,
    request: *const u8,
    length: usize,
    reply: mitt_reply,
) -> i32 {
    // SAFETY: the bytes live until this returns.
    unsafe { mitt_reply_set(reply, request, length) as i32 }
}
