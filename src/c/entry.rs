//! The edge of every function: panics stay here, and errors become a code and JSON.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mitt_base::panics;

use crate::bytes::mitt_bytes;
use crate::code::mitt_code;
use crate::problem::Problem;
use crate::raw::Out;

/// Runs the body of a function. An error, or the one that stands for a panic, is written to `error`.
pub(crate) fn entry(
    mut error: Out<'_, mitt_bytes>,
    body: impl FnOnce() -> Result<(), Problem>,
) -> mitt_code {
    let done = catch_unwind(AssertUnwindSafe(|| {
        let ended = panics::caught_now("a function of the C interface", body);
        let Err(problem) = ended.unwrap_or_else(|error| Err(Problem::from(error))) else {
            return mitt_code::MITT_OK;
        };
        if !error.is_null()
            && let Ok(json) = mitt_bytes::keep(problem.json().to_string())
        {
            error.set(json);
        }
        problem.code
    }));
    // Only the writing of the error can have panicked.
    done.unwrap_or(mitt_code::MITT_INTERNAL)
}

/// Runs a function of a binding. A panic is an error that does not quote it.
///
/// # Errors
///
/// Those of the function; [`mitt_code::MITT_INTERNAL`] - it panicked.
pub fn caught<T>(body: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    let ended = panics::caught_now("a function of a binding", body);
    ended.unwrap_or_else(|error| Err(Problem::from(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_a_binding_is_an_error() {
        let problem = caught::<()>(|| panic!("the secret is 42")).unwrap_err();
        assert_eq!(problem.code, mitt_code::MITT_INTERNAL);
        assert!(!problem.json().to_string().contains("42"));
        assert_eq!(caught(|| Ok(7)).unwrap(), 7);
    }

    #[test]
    fn a_panic_is_an_error() {
        let mut bytes = mitt_bytes::EMPTY;
        // SAFETY: the place lives longer than the value.
        let error = unsafe { Out::new("error", &raw mut bytes, mitt_bytes::EMPTY) };
        let code = entry(error, || panic!("the secret is 42"));
        assert_eq!(code, mitt_code::MITT_INTERNAL);
        // SAFETY: the buffer was just written and is not freed yet.
        let json = unsafe { std::slice::from_raw_parts(bytes.data, bytes.len) };
        let json = std::str::from_utf8(json).unwrap();
        assert!(json.contains("internal") && !json.contains("42"), "{json}");
        crate::objects::remove_bytes(bytes.buffer).unwrap();
    }
}
