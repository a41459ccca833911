//! This build has no compiler and cannot read components.

use std::process::ExitCode;

use mitt_base::{Error, ErrorKind, Result};

use crate::args::{Compile, Global, Inspect};
use crate::output::Output;

/// Refused.
pub(crate) async fn compile(_: &Global, _: Compile, _: &Output) -> Result<ExitCode> {
    Err(Error::new(ErrorKind::Disabled("compile"), "this build of mitt has no compiler")
        .hint("use a build with the feature `compile` of the same version"))
}

/// Refused.
pub(crate) fn inspect(_: &Global, _: &Inspect, _: &Output) -> Result<ExitCode> {
    Err(Error::new(ErrorKind::Disabled("compile"), "this build of mitt cannot read components")
        .hint("use a build with the feature `compile`"))
}

/// Nothing is counted where nothing is compiled.
pub(crate) fn bounds() -> Vec<(&'static str, u64, &'static str)> {
    Vec::new()
}
