//! Documents and tables of a session.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;

use crate::bytes::mitt_bytes;
use crate::code::mitt_code;
use crate::entry::entry;
use crate::handles::{mitt_cancel, mitt_session};
use crate::raw::{Given, Out};
use crate::table::{StreamOut, TakenStream, batch};
use crate::{objects, operations};

/// Reads a file and adds it to the documents of a session: PDF, Office files, web pages, mails, tables, texts and others.
/// The bytes are copied.
///
/// `name` is the name of the file; its content, not the ending, says what it is. `options` is a JSON object or empty:
/// `password`; `is_path`, the name is a path such as `2024/sales.csv`; `keeps_unread`, a damaged file that tools can edit
/// is kept; `without_text`, the text of a file that only tools use is not read; `text`, the result has the text.
///
/// `result`, if it is not null, gets `{"name", "media_type", "title", "size", "sha256", "characters", "tables",
/// "warnings"}` and, if it was asked for, `text`, which is Markdown, and `places`: where each page, slide, sheet or chapter
/// begins in it, as `{"offset", "label"}` in characters.
///
/// Returns `MITT_INPUT` if the file cannot be read (`problem` of the error names why), `MITT_LIMIT`, `MITT_BLOCKED`,
/// `MITT_CANCELLED`, and the codes for wrong parameters.
///
/// # Safety
///
/// `name`, `data` and `options` are null, or as many bytes as their lengths say can be read. `result` and `error` are
/// null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_add_document(
    session: mitt_session,
    name: *const u8,
    name_len: usize,
    data: *const u8,
    data_len: usize,
    options: *const u8,
    options_len: usize,
    cancel: mitt_cancel,
    result: *mut mitt_bytes,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let (name, data, options) = unsafe {
        (
            Given::new("name", name, name_len),
            Given::new("data", data, data_len),
            Given::new("options", options, options_len),
        )
    };
    // SAFETY: the caller promises it.
    let mut result = unsafe { Out::new("result", result, mitt_bytes::EMPTY) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        let session = objects::session(session)?;
        let cancel = objects::cancel_or_none(cancel)?;
        let (name, data, options) = (name.required()?, data.bytes()?.to_vec(), options.text()?);
        let reading = operations::add_document(&session.session, name, data, options)?;
        let document = session.host.run(cancel, reading)?;
        if !result.is_null() {
            result.set(mitt_bytes::keep(document)?);
        }
        Ok(())
    })
}

/// Adds a table to the documents of a session, under a name such as `sales`, by which calls refer to it: `{"$ref":
/// "sales"}`.
///
/// `stream` is one of Arrow's C stream interface, of which all batches are read. Mitt takes it over and releases it, also
/// if the function fails. Each buffer is checked and copied once into the session, which is charged for it.
///
/// What the table does not keep, such as the time zone of a column, is in `warnings` of its document in the state of the
/// session.
///
/// Returns `MITT_INPUT` if the stream is released, reports an error, breaks Arrow's rules, or has a column of a type that
/// a table cannot hold (the error names it), `MITT_LIMIT`, `MITT_CANCELLED`, and the codes for wrong parameters.
///
/// # Safety
///
/// `name` is null, or `name_len` bytes from it on can be read. `stream` is null, or points to a stream that is valid or
/// released. `error` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_add_table(
    session: mitt_session,
    name: *const u8,
    name_len: usize,
    stream: *mut FFI_ArrowArrayStream,
    cancel: mitt_cancel,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let name = unsafe { Given::new("name", name, name_len) };
    // SAFETY: the caller promises it.
    let stream = unsafe { TakenStream::take(stream) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        let stream = stream?;
        let session = objects::session(session)?;
        let cancel = objects::cancel_or_none(cancel)?;
        session.host.check()?;
        let name = name.required()?.to_owned();
        let most = session.host.host().session_limits().documents_bytes;
        let batches = stream.batches(most)?;
        let adding = session.session.clone();
        session.host.run(cancel, async move { adding.add_arrow(&name, batches).await })?;
        Ok(())
    })
}

/// Returns a table of a session as a stream of Arrow's C stream interface, with one batch. `reference` names it as in a
/// call: `sales.csv`, `book.xlsx#Sheet2`, `t:3`.
///
/// The caller owns the stream and releases it by its own `release`. Each buffer was copied once; the stream lives on
/// without the session. It may be read from any thread, by one at a time.
///
/// A column of several types is one of texts; its field has the metadata `mitt:column-type` = `mixed`.
///
/// Returns `MITT_INPUT` if there is no such table (the error lists those that exist), and the codes for wrong parameters.
/// `stream` is a released one then.
///
/// # Safety
///
/// `reference` is null, or `reference_len` bytes from it on can be read. `stream` is null or can be written, and holds no
/// stream. `error` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_table(
    session: mitt_session,
    reference: *const u8,
    reference_len: usize,
    stream: *mut FFI_ArrowArrayStream,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let reference = unsafe { Given::new("reference", reference, reference_len) };
    // SAFETY: the caller promises it.
    let stream = unsafe { StreamOut::new(stream) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        stream.check()?;
        let session = objects::session(session)?;
        stream.set(batch(&session.session.table(reference.required()?)?)?);
        Ok(())
    })
}

/// Returns what a session holds: `{"tenant", "documents", "tables", "artifacts", "pending", "handles", "memory"}`.
/// `tables` are the names for `mitt_session_table`, `pending` the calls that wait for `mitt_session_resume`.
///
/// Returns the codes for wrong parameters.
///
/// # Safety
///
/// `result` and `error` are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_session_state(
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
        result.set(mitt_bytes::keep(operations::state(&session.session))?);
        Ok(())
    })
}
