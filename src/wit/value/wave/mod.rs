//! WAVE, the text form of WIT values, as a second notation for calls and results.
//!
//! A call in WAVE is converted to the JSON with the same meaning, and then treated like every call: nothing is checked twice
//! or differently. Results are written as standard WAVE.
//!
//! Beyond standard WAVE, the reader accepts names in snake case, arguments by name, `cell` values as scalars, `table` values
//! as lists of records, bytes as base64 strings, maps as records, and `{}` for an empty record. The standard has no maps, so
//! results write them as lists of tuples `[("key", value)]`. Handles are strings. Knows no tools.
//!
//! ```
//! use mitt_wit::value::wave::WaveCall;
//!
//! let call = WaveCall::parse(r#"excel-tool/create-excel([{month: "Jan"}], "r.xlsx")"#, 1 << 20, 64)?;
//! assert_eq!(call.tool(), "excel_tool__create_excel");
//! # Ok::<(), mitt_base::Error>(())
//! ```

pub(super) mod parse;
mod read;
mod strings;
mod words;
mod write;

use super::json::Json;
use super::types::{Function, Type};
use mitt_base::error::{Error, ErrorKind, Resource, Result};
use parse::Arguments;
use read::{Purpose, Reader};

/// A call as it was written, before it is matched with its function.
#[derive(Debug)]
pub struct WaveCall<'t> {
    text: &'t str,
    tool: String,
    arguments: Arguments<'t>,
}

impl<'t> WaveCall<'t> {
    /// Parses a call such as `excel-tool/create-excel(data: [{month: "Jan"}], filename: "r.xlsx")`, at most `max_bytes` long
    /// and at most `max_depth` levels deep (never more than 100); the parentheses of the call are the first level.
    ///
    /// The name is `<skill>/<function>`, with the interface or resource in between if the tool's name has one, or the tool's
    /// name itself, in kebab or snake case. Arguments come in the order of the parameters, or all of them have names.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Limit`] - the text is longer or deeper.
    /// - [`ErrorKind::Arguments`] - it is not a call in WAVE, with line and column.
    pub fn parse(text: &'t str, max_bytes: u64, max_depth: u64) -> Result<WaveCall<'t>> {
        check_size(text, max_bytes)?;
        let (name, arguments) = parse::call(text, max_depth)?;
        let parts: Vec<_> = name.split('/').collect();
        if parts.iter().any(|part| part.is_empty()) {
            let message =
                format!("expected the name of a tool, got `{}`", super::problem::cut(name, 128));
            return Err(Error::new(ErrorKind::Arguments, message).hint(
                "a call is written `excel-tool/create-excel(…)` or `excel_tool__create_excel(…)`",
            ));
        }
        Ok(WaveCall { text, tool: parts.join("__").replace('-', "_"), arguments })
    }

    /// Name of the tool, such as `excel_tool__create_excel`.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the arguments as JSON: an object with one member for each parameter of `function` that is given.
    ///
    /// The JSON is not checked; [`UntypedCall::check`](super::UntypedCall::check) does that.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - something has no JSON form for its type. The error reports these places with line and
    /// column, together with all problems that the check would find.
    pub fn arguments(self, function: &Function) -> Result<Json> {
        Reader::new(self.text, Purpose::Arguments).arguments(function, self.arguments)
    }
}

/// Parses a value of type `ty` in WAVE, at most `max_bytes` long, to the JSON that [`to_text`] converts.
///
/// Mistakes that JSON can express too, such as numbers out of range, are not reported here.
///
/// # Errors
///
/// - [`ErrorKind::Limit`] - the text is longer, or has more than 100 levels.
/// - [`ErrorKind::Arguments`] - it is not a value in WAVE, or has no JSON form for its type.
pub fn from_text(ty: &Type, text: &str, max_bytes: u64) -> Result<Json> {
    check_size(text, max_bytes)?;
    Reader::new(text, Purpose::Result).whole(ty, parse::value(text)?)
}

/// Returns a value of type `ty`, in the JSON form of results, as WAVE on one line.
///
/// # Errors
///
/// [`ErrorKind::Host`] - `json` is not a value of type `ty`.
pub fn to_text(ty: &Type, json: &Json) -> Result<String> {
    let mut text = String::new();
    match write::write(&mut text, ty, json) {
        Some(()) => Ok(text),
        None => Err(Error::bug(format!("a value of type `{ty}` cannot be written as WAVE"))),
    }
}

/// Returns the successful result of a call of `function` as WAVE on one line: `()` if the function has no result, `ok` if it
/// has none but may fail.
///
/// # Errors
///
/// Those of [`to_text`].
pub fn result_text(function: &Function, json: &Json) -> Result<String> {
    match (function.success(), &function.result) {
        (Some(ty), _) => to_text(ty, json),
        (None, Some(_)) => Ok("ok".to_owned()),
        (None, None) => Ok("()".to_owned()),
    }
}

fn check_size(text: &str, max_bytes: u64) -> Result<()> {
    let size = text.len() as u64;
    if size > max_bytes {
        return Err(Error::limit(Resource::Arguments, max_bytes, size));
    }
    Ok(())
}
