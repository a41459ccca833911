//! `mitt skill`: what authors of skills need. One file per command.

mod check;
mod install;
mod new;
mod pack;

use std::process::ExitCode;

use super::cache;
use crate::Result;
use crate::cli::args::{Global, SkillCommand};
use crate::cli::output::{Output, note};
use crate::engine::{Engine, EngineOptions};
use crate::skill::Finding;

/// Run one of the commands.
pub(in crate::cli) fn skill(
    global: &Global,
    command: SkillCommand,
    output: &Output,
) -> Result<ExitCode> {
    match command {
        SkillCommand::New(command) => new::new(&command, output),
        SkillCommand::Check(command) => check::check(global, &command, output),
        SkillCommand::Pack(command) => pack::pack(global, &command, output),
        SkillCommand::Install(command) => install::install(global, &command, output),
    }
}

/// An engine without a host: a broken skill elsewhere must not stand in the way.
fn engine(global: &Global) -> Result<Engine> {
    Engine::new(EngineOptions { cache: cache(global), ..EngineOptions::default() })
}

/// Print warnings for a person.
fn warn(output: &Output, findings: &[Finding]) {
    if output.is_quiet() {
        return;
    }
    for finding in findings {
        note(&format!("{}: {finding}", finding.severity.name()));
    }
}

/// A finding for a machine.
fn finding_json(finding: &Finding) -> serde_json::Value {
    serde_json::json!({
        "severity": finding.severity.name(), "file": finding.file, "line": finding.line,
        "message": finding.message, "hint": finding.hint,
    })
}
