//! `mitt skill new`

use std::process::ExitCode;

use serde_json::json;

use super::toolchain::{Missing, missing};
use crate::args::{ExtismLanguage, SkillNew};
use crate::output::{Output, note};
use mitt::skill::author::{self, NewPlugin};
use mitt_base::Result;

/// Writes a new skill.
pub(super) fn new(command: &SkillNew, output: &Output) -> Result<ExitCode> {
    let kind = match command.extism {
        None if command.python => NewPlugin::Python,
        None => NewPlugin::Component,
        Some(ExtismLanguage::Rust) => NewPlugin::ExtismRust,
        Some(ExtismLanguage::AssemblyScript) => NewPlugin::ExtismAssemblyScript,
    };
    let created = author::create_with(kind, &command.name, &command.to)?;
    let missing = missing(kind, &created.plugin);
    let files: Vec<_> = created.files.iter().map(|file| file.display().to_string()).collect();
    if output.is_json() {
        let (skill, plugin) = (created.skill.display(), created.plugin.display());
        let missing = missing.map(|it| json!({ "what": it.what, "install": it.install }));
        output.value(&json!({
            "skill": skill.to_string(), "plugin": plugin.to_string(), "files": files,
            "missing": missing,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for file in &files {
        output.data_line(file)?;
    }
    if !output.is_quiet() {
        note(&format!("how to build it: {}", created.plugin.join("README.md").display()));
        if let Some(missing) = missing {
            let Missing { what, install } = missing;
            note(&format!(
                "warning: {what} is not installed, and building needs it\nhint: {install}"
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}
