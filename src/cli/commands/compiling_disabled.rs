//! Twin of `compiling/` for builds without the feature `compile`.

use std::process::ExitCode;

use crate::args::{Compile, Global, Inspect};
use crate::output::Output;
use mitt_base::{Error, ErrorKind, Result};

/// This build has no compiler.
pub(crate) async fn compile(_: &Global, _: Compile, _: &Output) -> Result<ExitCode> {
    Err(Error::new(ErrorKind::Disabled("compile"), "this build of mitt has no compiler")
        .hint("use a build with the feature `compile` of the same version"))
}

/// This build cannot read components.
pub(crate) fn inspect(_: &Global, _: &Inspect, _: &Output) -> Result<ExitCode> {
    Err(Error::new(ErrorKind::Disabled("compile"), "this build of mitt cannot read components")
        .hint("use a build with the feature `compile`"))
}
