//! Functions of the caller: how they are called, and how they answer.

use std::ffi::c_void;
use std::sync::Arc;

use async_trait::async_trait;
use mitt::{Error, ErrorKind, Resource, Result};
use mitt_base::lock;

use crate::answer::{Answer, MAX_ANSWER_BYTES, reported};
use crate::bytes::mitt_bytes;
use crate::code::mitt_code;
use crate::entry::entry;
use crate::handles::mitt_reply;
use crate::objects::{self, Object, ReplyObject};
use crate::problem::Problem;
use crate::raw::{Given, Out};
use crate::runtime::in_event;

/// A function of the caller that answers a request: a tool or a model.
///
/// It gets `request_len` bytes of JSON, which are valid until it returns, and gives its answer with `mitt_reply_set`. It
/// returns 0 if the answer is the result. Any other number makes the answer an error: a text, or `{"message": "...",
/// "hint": "...", "kind": "input", "retryable": false}`, where only the message is needed; `kind` may be `arguments`,
/// `input`, `denied` or `plugin`.
///
/// It is called from threads of Mitt, by several at once, and may call functions of Mitt. It may still run after the call
/// that waited for it was cancelled or reached its limit of time; its answer is ignored then. It must not be left by an
/// exception or `longjmp`.
pub type mitt_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        request: *const u8,
        request_len: usize,
        reply: mitt_reply,
    ) -> i32,
>;

/// A function of the caller that receives events, one JSON object each, which is valid until it returns.
///
/// It is called from any thread, also the one of the caller, by several at once. It must return quickly, because the work
/// waits for it, and must not call functions that wait: they return `MITT_REENTERED`.
pub type mitt_event_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, event: *const u8, event_len: usize)>;

/// A function of the caller that is called once, from any thread, when Mitt will not use `user_data` any more.
pub type mitt_free_callback = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// The pointer that callbacks get. It is given back when its last user is gone.
struct UserData {
    data: *mut c_void,
    free: mitt_free_callback,
}

// SAFETY: Mitt only passes the pointer on; `mitt.h` says that callbacks are called from any thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the caller promised a function for this pointer, and nothing uses it after that.
            unsafe { free(self.data) };
        }
    }
}

/// A function that answers requests.
#[derive(Clone)]
pub(crate) struct Callback {
    function: unsafe extern "C" fn(*mut c_void, *const u8, usize, mitt_reply) -> i32,
    user_data: Arc<UserData>,
}

impl Callback {
    /// Wraps a function of the caller.
    ///
    /// # Safety
    ///
    /// `function` may be called from any thread with `user_data`, until `free` was called.
    ///
    /// # Errors
    ///
    /// [`mitt_code::MITT_NULL_POINTER`] - there is no function. `free` was called.
    pub(crate) unsafe fn new(
        place: &'static str,
        function: mitt_callback,
        data: *mut c_void,
        free: mitt_free_callback,
    ) -> Result<Callback, Problem> {
        let user_data = Arc::new(UserData { data, free });
        let function = function.ok_or_else(|| {
            let message = "expected a function, got a null pointer";
            Problem::of_parameter(mitt_code::MITT_NULL_POINTER, place, message)
        })?;
        Ok(Callback { function, user_data })
    }

    fn call_now(&self, request: &[u8]) -> Result<(i32, Option<Vec<u8>>)> {
        let reply = Arc::new(ReplyObject::default());
        let handle = objects::add(Object::Reply(reply.clone())).map_err(|it| it.error)?;
        let (data, len) = (request.as_ptr(), request.len());
        // SAFETY: `new` was promised that the function may be called so; the bytes live until it returns.
        let number = unsafe { (self.function)(self.user_data.data, data, len, handle) };
        let _ = objects::remove(handle);
        let answer = lock(&reply.bytes).take();
        Ok((number, answer))
    }
}

#[async_trait]
impl Answer for Callback {
    /// Calls the function on a thread that may wait, and returns its answer.
    async fn answer(&self, request: String, kind: ErrorKind) -> Result<Vec<u8>> {
        let callback = self.clone();
        let work = move || callback.call_now(request.as_bytes());
        let answered = tokio::task::spawn_blocking(work).await;
        match answered.map_err(|_| Error::bug("a callback panicked"))?? {
            (0, Some(answer)) => Ok(answer),
            (0, None) => Err(Error::new(kind, "the callback gave no answer")
                .hint("call `mitt_reply_set` before it returns 0")),
            (number, answer) => {
                let otherwise = format!("the callback returned {number} without a message");
                Err(reported(kind, &answer.unwrap_or_default(), &otherwise))
            }
        }
    }
}

/// A function that receives events.
pub(crate) struct EventCallback {
    function: unsafe extern "C" fn(*mut c_void, *const u8, usize),
    user_data: UserData,
}

impl EventCallback {
    /// Wraps a function of the caller; `None` if there is none. `free` was called then.
    ///
    /// # Safety
    ///
    /// That of [`Callback::new`].
    pub(crate) unsafe fn new(
        function: mitt_event_callback,
        data: *mut c_void,
        free: mitt_free_callback,
    ) -> Option<EventCallback> {
        let user_data = UserData { data, free };
        function.map(|function| EventCallback { function, user_data })
    }

    /// Reports an event.
    pub(crate) fn report(&self, event: &str) {
        // SAFETY: `new` was promised that the function may be called so; the bytes live until it returns.
        in_event(|| unsafe { (self.function)(self.user_data.data, event.as_ptr(), event.len()) });
    }
}

/// Sets the answer of a callback: a copy of `len` bytes. A second answer replaces the first one. At most 16 MiB.
///
/// May be called from the thread that runs the callback, or from another one while that runs. Returns
/// `MITT_INVALID_HANDLE` once the callback has returned, `MITT_LIMIT` if there are too many bytes, and
/// `MITT_NULL_POINTER` if `data` is null and `len` is not 0.
///
/// # Safety
///
/// `data` is null, or `len` bytes from it on can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_reply_set(
    reply: mitt_reply,
    data: *const u8,
    len: usize,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let given = unsafe { Given::new("data", data, len) };
    // SAFETY: null is allowed.
    let error = unsafe { Out::new("error", std::ptr::null_mut(), mitt_bytes::EMPTY) };
    entry(error, || {
        let (reply, bytes) = (objects::reply(reply)?, given.bytes()?);
        if bytes.len() > MAX_ANSWER_BYTES {
            let (most, got) = (MAX_ANSWER_BYTES as u64, bytes.len() as u64);
            return Err(Error::limit(Resource::Transfer, most, got).at("data").into());
        }
        *lock(&reply.bytes) = Some(bytes.to_vec());
        Ok(())
    })
}
