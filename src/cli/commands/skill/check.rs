//! `mitt skill check`

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::shown::shown;
use super::{engine, finding_json};
use crate::args::{Global, SkillCheck};
use crate::output::Output;
use mitt::Engine;
use mitt::skill::author::{self, Checked};
use mitt_base::Result;
use mitt_base::rows::counted;

/// Checks skills, and prints all problems of all folders. Exit code 1 if there are errors.
pub(super) fn check(global: &Global, command: &SkillCheck, output: &Output) -> Result<ExitCode> {
    let engine = engine(global)?;
    let checked: Result<Vec<Checked>> =
        command.folders.iter().map(|folder| check_one(&engine, folder, output)).collect();
    let checked = checked?;
    if output.is_json() {
        let skills: Vec<_> = checked.iter().map(json_of).collect();
        output.value(&json!(skills))?;
    } else {
        for skill in &checked {
            print(skill, output)?;
        }
    }
    Ok(if checked.iter().all(Checked::passed) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn check_one(engine: &Engine, folder: &Path, output: &Output) -> Result<Checked> {
    shown(output, "checking", folder, |compiling| {
        author::check_with_progress(engine, folder, compiling)
    })
}

fn print(checked: &Checked, output: &Output) -> Result<()> {
    let errors = checked.findings.iter().filter(|finding| finding.is_error()).count();
    let warnings = checked.findings.len() - errors;
    let verdict = match (errors, warnings) {
        (0, 0) => "ok".to_owned(),
        (0, warnings) => format!("ok, {}", counted(warnings as u64, "warning")),
        (errors, 0) => counted(errors as u64, "error"),
        (errors, warnings) => {
            format!("{}, {}", counted(errors as u64, "error"), counted(warnings as u64, "warning"))
        }
    };
    output.line(&format!("{}: {verdict}", checked.folder.display()))?;
    for finding in &checked.findings {
        output.line(&format!("  {}: {finding}", finding.severity.name()))?;
    }
    Ok(())
}

fn json_of(checked: &Checked) -> serde_json::Value {
    json!({
        "folder": checked.folder.display().to_string(),
        "name": checked.name,
        "version": checked.version,
        "passed": checked.passed(),
        "findings": checked.findings.iter().map(finding_json).collect::<Vec<_>>(),
    })
}
