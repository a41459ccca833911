//! Delivered files of a session.

use crate::bytes::mitt_bytes;
use crate::code::mitt_code;
use crate::entry::entry;
use crate::handles::mitt_session;
use crate::raw::{Given, Out};
use crate::{objects, operations};

/// Returns the delivered files of a session, in the order of their first delivery: an array of
/// `{"name", "media_type", "size", "sha256", "pages", "sheets", "warnings"}`.
///
/// Returns the codes for wrong parameters.
///
/// # Safety
///
/// `result` and `error` are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_artifacts(
    session: mitt_session,
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
        result.set(mitt_bytes::keep(operations::artifacts(&session.session))?);
        Ok(())
    })
}

/// Returns the bytes of a delivered file.
///
/// Returns `MITT_INPUT` if there is no file of this name, `MITT_HOST` if it was removed from the folder of the session,
/// and the codes for wrong parameters.
///
/// # Safety
///
/// `name` is null, or `name_len` bytes from it on can be read. `result` and `error` are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_artifact(
    session: mitt_session,
    name: *const u8,
    name_len: usize,
    result: *mut mitt_bytes,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let name = unsafe { Given::new("name", name, name_len) };
    // SAFETY: the caller promises it.
    let mut result = unsafe { Out::new("result", result, mitt_bytes::EMPTY) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        result.check()?;
        let session = objects::session(session)?;
        let bytes = session.session.artifact_content(name.required()?)?;
        result.set(mitt_bytes::keep(bytes)?);
        Ok(())
    })
}
