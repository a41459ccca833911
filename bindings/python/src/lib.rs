//! The extension module `mitt._mitt`: hosts, sessions and work for the package `mitt`, whose Python code is beside it.
//!
//! Options and results are JSON texts, as in the C interface, whose safe functions do the work. Knows nothing of JSON's
//! content and of the classes that users see. The functions of `mitt.h` are exported from the same file.
//!
//! `table.rs` needs unsafe code to take Arrow streams out of capsules. Everything else is safe code.

use pyo3::prelude::*;

mod callbacks;
mod host;
mod problem;
mod table;
mod work;

/// Keeps the functions of `mitt.h` in the library, for programs that open it as one of C.
#[used]
static ABI_VERSION: extern "C" fn() -> u32 = mitt_c::mitt_abi_version;

/// The module.
#[pymodule(gil_used = false)]
mod _mitt {
    #[pymodule_export]
    use super::callbacks::{Stop, Switch};
    #[pymodule_export]
    use super::host::{Host, Session};
    #[pymodule_export]
    use super::problem::set_error_factory;
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::work::{Cancel, Work, fill, render};

    /// The version of Mitt.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "it is Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
