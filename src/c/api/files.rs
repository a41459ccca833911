//! Files from Markdown, and templates, without a session.

use crate::bytes::mitt_bytes;
use crate::code::mitt_code;
use crate::entry::entry;
use crate::handles::mitt_cancel;
use crate::raw::{Given, Out};
use crate::render::Made;
use crate::{objects, operations, problem::Problem};

/// Makes a file from Markdown, without a host: `format` is `pdf`, `docx`, `html`, `pptx` or `xlsx` (the tables of the
/// text). The same parameters make the same bytes. Nothing is fetched, and no file is read; pictures need a session and
/// its tools.
///
/// `options` is a JSON object or empty: `title`, `author`, `language` (a BCP 47 tag), `paper` (`a4` or `letter`),
/// `contents` (a table of contents), `theme` (the TOML text of a theme) and `created_ms` (milliseconds since 1970, as the
/// file states them).
///
/// `report`, if it is not null, gets `{"warnings": [...]}`, with `pages` for PDF, `slides` for PPTX and `sheets` for
/// XLSX.
///
/// May be called from several threads at once. Returns `MITT_ARGUMENTS` if the text or the options are wrong,
/// `MITT_DISABLED` if this build lacks the format, `MITT_CANCELLED`, and the codes for wrong parameters.
///
/// # Safety
///
/// `format`, `markdown` and `options` are null, or as many bytes as their lengths say can be read. `result`, `report` and
/// `error` are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_render(
    format: *const u8,
    format_len: usize,
    markdown: *const u8,
    markdown_len: usize,
    options: *const u8,
    options_len: usize,
    cancel: mitt_cancel,
    result: *mut mitt_bytes,
    report: *mut mitt_bytes,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let (format, markdown, options) = unsafe {
        (
            Given::new("format", format, format_len),
            Given::new("markdown", markdown, markdown_len),
            Given::new("options", options, options_len),
        )
    };
    // SAFETY: the caller promises it.
    let (mut result, mut report) = unsafe {
        (
            Out::new("result", result, mitt_bytes::EMPTY),
            Out::new("report", report, mitt_bytes::EMPTY),
        )
    };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        result.check()?;
        let cancel = objects::cancel_or_none(cancel)?;
        let (options, format, text) = (options.text()?, format.required()?, markdown.text()?);
        let made = operations::render(format, text, options, cancel.as_deref())?;
        give(made, &mut result, &mut report)
    })
}

/// Fills a template with values, without a host: a Word file or a workbook with marks such as `{{name}}`. Everything else
/// of the template stays as it is.
///
/// `values` is a JSON object; a date is `{"$date": "2026-01-31"}`. `options` is a JSON object or empty: `content`,
/// Markdown for `{{content}}` of a Word file; `as_xlsx`, the result is an `.xlsx` whatever the template is; `created_ms`.
///
/// `report`, if it is not null, gets `{"warnings": [...]}`.
///
/// May be called from several threads at once. Returns `MITT_ARGUMENTS` if values are missing (all of them are named) or
/// do not fit, `MITT_INPUT` if the template is neither a Word file nor a workbook or is broken, `MITT_DISABLED`,
/// `MITT_CANCELLED`, and the codes for wrong parameters.
///
/// # Safety
///
/// `data`, `values` and `options` are null, or as many bytes as their lengths say can be read. `result`, `report` and
/// `error` are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_fill(
    data: *const u8,
    data_len: usize,
    values: *const u8,
    values_len: usize,
    options: *const u8,
    options_len: usize,
    cancel: mitt_cancel,
    result: *mut mitt_bytes,
    report: *mut mitt_bytes,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let (data, values, options) = unsafe {
        (
            Given::new("data", data, data_len),
            Given::new("values", values, values_len),
            Given::new("options", options, options_len),
        )
    };
    // SAFETY: the caller promises it.
    let (mut result, mut report) = unsafe {
        (
            Out::new("result", result, mitt_bytes::EMPTY),
            Out::new("report", report, mitt_bytes::EMPTY),
        )
    };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        result.check()?;
        let cancel = objects::cancel_or_none(cancel)?;
        let (options, values) = (options.text()?, values.required()?);
        let made = operations::fill(data.bytes()?, values, options, cancel.as_deref())?;
        give(made, &mut result, &mut report)
    })
}

fn give(
    made: Made,
    result: &mut Out<'_, mitt_bytes>,
    report: &mut Out<'_, mitt_bytes>,
) -> Result<(), Problem> {
    let bytes = mitt_bytes::keep(made.bytes)?;
    result.set(bytes);
    if !report.is_null() {
        report.set(mitt_bytes::keep(made.report.to_string())?);
    }
    Ok(())
}
