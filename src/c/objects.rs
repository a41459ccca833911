//! The objects that handles name, and which kind of object a function expects.

use std::sync::{Arc, Mutex};

use mitt::Session;
use mitt_base::Error;

use crate::cancel::CancelObject;
use crate::code::mitt_code;
use crate::handles::{Invalid, MAX_HANDLES, Registry, kind_of, mitt_handle};
use crate::problem::Problem;
use crate::runtime::HostObject;

/// A session with the host that runs it.
pub(crate) struct SessionObject {
    pub(crate) session: Session,
    pub(crate) host: Arc<HostObject>,
}

/// The answer of a callback, as far as it was given.
#[derive(Default)]
pub(crate) struct ReplyObject {
    pub(crate) bytes: Mutex<Option<Vec<u8>>>,
}

/// What a handle names.
#[derive(Clone)]
pub(crate) enum Object {
    Host(Arc<HostObject>),
    Session(Arc<SessionObject>),
    Cancel(Arc<CancelObject>),
    Reply(Arc<ReplyObject>),
    /// Only keeps the bytes: the caller has their address.
    Bytes(#[expect(dead_code, reason = "it is dropped, and not read")] Arc<Vec<u8>>),
}

/// Names of the kinds, by their numbers from 1.
const KINDS: [&str; 5] = ["host", "session", "cancel", "reply", "buffer"];

static OBJECTS: Registry<Object> = Registry::new();

impl Object {
    fn kind(&self) -> u8 {
        match self {
            Object::Host(_) => 1,
            Object::Session(_) => 2,
            Object::Cancel(_) => 3,
            Object::Reply(_) => 4,
            Object::Bytes(_) => 5,
        }
    }
}

/// Gives out a handle.
///
/// # Errors
///
/// [`mitt_code::MITT_LIMIT`] - there are as many live handles as there may be.
pub(crate) fn add(object: Object) -> Result<mitt_handle, Problem> {
    OBJECTS.add(object.kind(), object).ok_or_else(|| {
        let error =
            Error::limit(mitt::Resource::Handles, MAX_HANDLES as u64, MAX_HANDLES as u64 + 1);
        Problem::from(error).hint("free handles and buffers that are not needed any more")
    })
}

/// Removes an object. It ends with its last use.
///
/// # Errors
///
/// [`mitt_code::MITT_INVALID_HANDLE`] - there is none.
pub(crate) fn remove(handle: mitt_handle) -> Result<Object, Problem> {
    OBJECTS.remove(handle).map_err(|invalid| refused("handle", "live handle", handle, invalid))
}

/// Removes a host, a session or a flag.
///
/// # Errors
///
/// Those of [`remove`]; [`mitt_code::MITT_INVALID_HANDLE`] - it is a buffer or the answer of a callback.
pub(crate) fn remove_closable(handle: mitt_handle) -> Result<Object, Problem> {
    match get("handle", handle)? {
        other @ (Object::Bytes(_) | Object::Reply(_)) => {
            Err(other_kind("host, session or cancel", &other))
        }
        _ => remove(handle),
    }
}

/// Returns the host of a handle.
///
/// # Errors
///
/// [`mitt_code::MITT_INVALID_HANDLE`] - it is none of a live host.
pub(crate) fn host(handle: mitt_handle) -> Result<Arc<HostObject>, Problem> {
    match get("host", handle)? {
        Object::Host(host) => Ok(host),
        other => Err(other_kind("host", &other)),
    }
}

/// Returns the session of a handle.
///
/// # Errors
///
/// Those of [`host`], for a session.
pub(crate) fn session(handle: mitt_handle) -> Result<Arc<SessionObject>, Problem> {
    match get("session", handle)? {
        Object::Session(session) => Ok(session),
        other => Err(other_kind("session", &other)),
    }
}

/// Returns the flag of a handle.
///
/// # Errors
///
/// Those of [`host`], for a flag.
pub(crate) fn cancel(handle: mitt_handle) -> Result<Arc<CancelObject>, Problem> {
    match get("cancel", handle)? {
        Object::Cancel(cancel) => Ok(cancel),
        other => Err(other_kind("cancel", &other)),
    }
}

/// Returns the flag of a handle; `None` for 0, which stands for no flag.
///
/// # Errors
///
/// Those of [`cancel`].
pub(crate) fn cancel_or_none(handle: mitt_handle) -> Result<Option<Arc<CancelObject>>, Problem> {
    (handle != 0).then(|| cancel(handle)).transpose()
}

/// Returns the answer of a handle.
///
/// # Errors
///
/// Those of [`host`], for an answer.
pub(crate) fn reply(handle: mitt_handle) -> Result<Arc<ReplyObject>, Problem> {
    match get("reply", handle)? {
        Object::Reply(reply) => Ok(reply),
        other => Err(other_kind("reply", &other)),
    }
}

/// Removes a buffer.
///
/// # Errors
///
/// Those of [`host`], for a buffer.
pub(crate) fn remove_bytes(handle: mitt_handle) -> Result<(), Problem> {
    match get("bytes", handle)? {
        Object::Bytes(_) => remove(handle).map(drop),
        other => Err(other_kind("buffer", &other)),
    }
}

fn get(expected: &'static str, handle: mitt_handle) -> Result<Object, Problem> {
    OBJECTS.get(handle).map_err(|invalid| refused(expected, expected, handle, invalid))
}

fn refused(place: &str, expected: &str, handle: mitt_handle, invalid: Invalid) -> Problem {
    let kind = usize::from(kind_of(handle)).checked_sub(1);
    let message = match (invalid, kind.and_then(|kind| KINDS.get(kind))) {
        (Invalid::None, _) => format!("expected a {expected}, got 0"),
        (Invalid::Freed, Some(kind)) => format!("the {kind} was freed"),
        _ => format!("expected a {expected}, got a number that is no handle"),
    };
    let problem = Problem::of_parameter(mitt_code::MITT_INVALID_HANDLE, place, message);
    match invalid {
        Invalid::Freed => problem.hint("free each handle once, and do not use it after that"),
        _ => problem.hint("pass the number that a function of Mitt gave out"),
    }
}

fn other_kind(expected: &str, object: &Object) -> Problem {
    let kind = KINDS.get(usize::from(object.kind()) - 1).copied().unwrap_or("handle");
    let message = format!("expected a {expected}, got a {kind}");
    Problem::of_parameter(mitt_code::MITT_INVALID_HANDLE, expected, message)
        .hint("pass the number that a function of Mitt gave out")
}
