//! `mitt skill new`

use std::process::ExitCode;

use serde_json::json;

use crate::args::{ExtismLanguage, SkillNew};
use crate::output::{Output, note};
use mitt::skill::author::{self, NewPlugin};
use mitt_base::Result;

/// Write a new skill.
pub(super) fn new(command: &SkillNew, output: &Output) -> Result<ExitCode> {
    let kind = match command.extism {
        None => NewPlugin::Component,
        Some(ExtismLanguage::Rust) => NewPlugin::ExtismRust,
        Some(ExtismLanguage::AssemblyScript) => NewPlugin::ExtismAssemblyScript,
    };
    let created = author::create_with(kind, &command.name, &command.to)?;
    let files: Vec<_> = created.files.iter().map(|file| file.display().to_string()).collect();
    if output.is_json() {
        let (skill, plugin) = (created.skill.display(), created.plugin.display());
        output.value(
            &json!({ "skill": skill.to_string(), "plugin": plugin.to_string(), "files": files }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    for file in &files {
        output.data_line(file)?;
    }
    if !output.is_quiet() {
        note(&format!("how to build it: {}", created.plugin.join("README.md").display()));
    }
    Ok(ExitCode::SUCCESS)
}
