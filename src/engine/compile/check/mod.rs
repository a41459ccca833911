//! Check that every component passes before anything else reads it: it uses no disabled proposal of WebAssembly, and no part of
//! it exceeds its bound.
//!
//! Reads the bytes once and knows no engine. Cranelift, the reader of interfaces and wasmtime's own translation only see
//! components that passed. The results are stored next to the native code, for which they hold, too.

mod body;
mod bounds;
mod footprint;
mod walk;

use wasmparser::{Parser, Validator};

use super::refused::refused;
use crate::native_magic::is_native_code;
use crate::proposals;
use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::check_nesting;

pub use bounds::ALL as BOUNDS;

/// Component that passed the check.
pub(super) struct Checked<'a> {
    bytes: &'a [u8],
    instance_bytes: u64,
}

impl<'a> Checked<'a> {
    /// Checks a component in binary form.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - it is not a valid component, uses a disabled proposal, or exceeds a bound. The message names the
    /// function or module, the limit and the value.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Checked<'a>> {
        if is_native_code(bytes) {
            return Err(Error::new(ErrorKind::Load, "expected a component, got native code")
                .hint("native code is loaded only beside its record"));
        }
        if bytes.get(4..8) == Some(&CORE_MODULE) {
            return Err(Error::new(ErrorKind::Load, "expected a component, got a core module"));
        }
        check_nesting(bytes)?;
        let mut walk = walk::Walk::default();
        let mut validator = Validator::new_with_features(proposals::features());
        let mut parser = Parser::new(0);
        parser.set_features(proposals::features());
        for payload in parser.parse_all(bytes) {
            let done = payload
                .map_err(Stopped::from)
                .and_then(|payload| walk.payload(&mut validator, payload));
            done.map_err(|stopped| stopped.into_error(walk.place()))?;
        }
        Ok(Checked { bytes, instance_bytes: walk.instance_bytes() })
    }

    /// Returns the component.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the host memory of an instance in addition to its memories and tables, in bytes.
    pub(super) fn instance_bytes(&self) -> u64 {
        self.instance_bytes
    }
}

/// Version and layer bytes of a core module.
const CORE_MODULE: [u8; 4] = [1, 0, 0, 0];

/// Length of the magic bytes at the start of every WebAssembly file.
const HEAD_BYTES: usize = 4;

/// Reason why a check failed.
pub(super) enum Stopped {
    /// The component is invalid or uses a disabled proposal.
    Invalid(wasmparser::Error),
    /// A bound was exceeded, with the value and the place, if known.
    Over { bound: bounds::Bound, value: u64, place: Option<String> },
    /// The component is valid, but a part of it cannot be counted.
    Unsupported(&'static str),
}

impl From<wasmparser::Error> for Stopped {
    fn from(error: wasmparser::Error) -> Stopped {
        Stopped::Invalid(error)
    }
}

impl Stopped {
    #[cold]
    fn over(bound: bounds::Bound, value: u64) -> Stopped {
        Stopped::Over { bound, value, place: None }
    }

    /// Adds the part of the module in which the check failed.
    fn at(mut self, part: String) -> Stopped {
        if let Stopped::Over { place, .. } = &mut self {
            place.get_or_insert(part);
        }
        self
    }

    /// Converts it to the error for the caller; `module` is the module in which the check failed.
    fn into_error(self, module: Option<String>) -> Error {
        match self {
            Stopped::Invalid(error) => {
                let refused = error.missing_wasm_feature().and_then(refused);
                let made = match refused {
                    Some(refused) => Error::new(
                        ErrorKind::Load,
                        format!(
                            "the component uses the WebAssembly proposal `{}`, which this host does not have",
                            refused.name
                        ),
                    )
                    .hint(refused.way_out),
                    None => Error::new(ErrorKind::Load, "the bytes are not a valid component"),
                };
                // The parser quotes the first bytes of a file that is not WebAssembly, but it may be any file.
                let cause = if error.offset() < HEAD_BYTES {
                    "it does not begin as WebAssembly does".to_owned()
                } else {
                    error.to_string()
                };
                made.caused_by(mitt_base::text::one_line(mitt_base::text::cut_bytes(&cause, 400)))
            }
            Stopped::Over { bound, value, place } => {
                let parts: Vec<String> = module.into_iter().chain(place).collect();
                let message =
                    format!("expected at most {} {}, got {value}", bound.most, bound.what);
                let error = Error::new(ErrorKind::Load, message);
                let error = if parts.is_empty() { error } else { error.at(parts.join(", ")) };
                error.hint("make the component smaller: split it, or build it with `opt-level = \"s\"`; what is larger takes too long to compile")
            }
            Stopped::Unsupported(what) => Error::new(ErrorKind::Load, what)
                .hint("define the core module or component in the component that instantiates it, as linkers do"),
        }
    }
}

#[cfg(test)]
mod tests;
