//! Replaces `components/` in builds without a compiler and without a reader of components.

use std::process::ExitCode;

use mitt_base::{Error, ErrorKind, Result};

use crate::args::{Compile, Global, Inspect};
use crate::output::Output;

/// Refuses.
pub(crate) async fn compile(_: &Global, _: Compile, _: &Output) -> Result<ExitCode> {
    Err(Error::new(ErrorKind::Disabled("compile"), "this build of mitt has no compiler")
        .hint("use a build with the feature `compile` of the same version"))
}

/// Refuses.
pub(crate) fn inspect(_: &Global, _: &Inspect, _: &Output) -> Result<ExitCode> {
    Err(Error::new(ErrorKind::Disabled("compile"), "this build of mitt cannot read components")
        .hint("use a build with the feature `compile`"))
}

/// Returns no bounds, because nothing is compiled.
pub(crate) fn bounds() -> Vec<(&'static str, u64, &'static str)> {
    Vec::new()
}
