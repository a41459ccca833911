//! `mitt skill`: commands for authors and users of skills, one file each.

mod check;
mod install;
mod list;
mod new;
mod pack;
mod remove;
mod show;
mod shown;
mod toolchain;
mod trust;

use std::process::ExitCode;

use super::{approvals, builder_without_warnings, cache, host, tolerant_host, worker};
use crate::args::{Global, SkillCommand};
use crate::output::{Output, note};
use mitt::internal::engine_alone;
use mitt::skill::{Finding, Manifest, Registry, Skill, SkillSource};
use mitt::{Engine, EngineOptions};
use mitt_base::Result;
use mitt_base::{Error, ErrorKind, text};
use std::sync::Arc;

/// Runs one of the commands.
pub(crate) async fn skill(
    global: &Global,
    command: SkillCommand,
    output: &Output,
) -> Result<ExitCode> {
    match command {
        SkillCommand::List(_) => list::list(global, output),
        SkillCommand::Show(command) => show::show(global, &command, output).await,
        SkillCommand::Trust(command) => trust::trust(global, &command, output),
        SkillCommand::Schema => output.data(Manifest::JSON_SCHEMA).map(|()| ExitCode::SUCCESS),
        SkillCommand::New(command) => new::new(&command, output),
        SkillCommand::Check(command) => check::check(global, &command, output),
        SkillCommand::Pack(command) => pack::pack(global, &command, output),
        SkillCommand::Install(command) => install::install(global, &command, output),
        SkillCommand::Remove(command) => remove::remove(&command, output),
    }
}

/// Makes an engine without a host, so that a broken skill elsewhere does not matter.
fn engine(global: &Global) -> Result<Engine> {
    let options = EngineOptions { cache: cache(global), ..EngineOptions::default() };
    engine_alone(options, worker(global))
}

/// Prints warnings for a person.
fn warn(output: &Output, findings: &[Finding]) {
    if output.is_quiet() {
        return;
    }
    for finding in findings {
        note(&format!("{}: {finding}", finding.severity.name()));
    }
}

/// Returns a finding as JSON.
fn finding_json(finding: &Finding) -> serde_json::Value {
    serde_json::json!({
        "severity": finding.severity.name(), "file": finding.file, "line": finding.line,
        "message": finding.message, "hint": finding.hint,
    })
}

/// Returns the source of a skill, for people.
fn source(source: &SkillSource) -> String {
    source.to_string()
}

/// Returns the skill with this name, usable or not.
fn found(registry: &Registry, name: &str) -> Result<Arc<Skill>> {
    registry.found(name).ok_or_else(|| {
        let states = registry.states();
        let names = states.iter().map(|state| state.name.as_str());
        let error = Error::new(ErrorKind::Load, format!("no skill `{name}`"));
        match text::nearest(name, names).first() {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error.hint("`mitt skill list` prints those that there are"),
        }
    })
}
