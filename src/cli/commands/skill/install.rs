//! `mitt skill install`

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;

use super::shown::shown;
use super::{builder_without_warnings, engine, finding_json, warn};
use crate::args::{Global, SkillInstall};
use crate::output::{Output, note};
use mitt::skill::author::{self, MAX_ARCHIVE_BYTES};
use mitt::skill::{CompilingSink, Skill, TrustStore};
use mitt_base::limits::BlockingLimits;
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// Installs a packed skill, and prints its folder.
pub(super) fn install(
    global: &Global,
    command: &SkillInstall,
    output: &Output,
) -> Result<ExitCode> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, format!("cannot read {}", command.file.display()))
            .hint("name a file that `mitt skill pack` made")
            .caused_by(error)
    };
    let archive = plain_file::read(&command.file, MAX_ARCHIVE_BYTES).map_err(unreadable)?;
    let to = command.to.clone().or_else(author::user_folder).ok_or_else(|| {
        Error::new(ErrorKind::Input, "this system has no folder for the user's data")
            .hint("name a folder of skills with `--to`")
    })?;
    let digest = command.digest.as_deref();
    let engine = engine(global)?;
    let install = |compiling: CompilingSink<'_>| {
        author::install_with_progress(&engine, &archive, &to, digest, command.force, compiling)
    };
    let installed = shown(output, "installing", &command.file, install)
        .map_err(|error| error.at(command.file.display()))?;
    let folder = installed.folder.display().to_string();
    if output.is_json() {
        output.value(&json!({
            "folder": folder, "name": installed.name, "version": installed.version,
            "digest": installed.digest, "replaced": installed.replaced,
            "warnings": installed.warnings.iter().map(finding_json).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    warn(output, &installed.warnings);
    if !output.is_quiet() {
        let done = if installed.replaced { "replaced" } else { "installed" };
        note(&format!("{done} {} {}", installed.name, installed.version.unwrap_or_default()));
        let skill = Skill::from_folder(&engine, &installed.folder)?;
        // Nothing is loaded: the host only lists the skills. If it cannot be made for another reason, the command that needs
        // it reports that.
        let limits = BlockingLimits::default();
        let host = builder_without_warnings(global, None, limits, Arc::new(|_| ()));
        let registry = host.and_then(mitt::HostBuilder::build).map(|host| host.registry());
        let hidden = registry.iter().flat_map(|registry| registry.hidden());
        if let Some(hidden) = hidden.into_iter().find(|it| it.source == *skill.source()) {
            note(&format!("skill `{}` {hidden}; {}", hidden.name, hidden.way_out()));
        } else if TrustStore::is_needed(&skill) {
            let name = &installed.name;
            note(&format!(
                "look at its grants with `mitt skill show {name}`; they count once you approve them with `mitt skill trust {name}`"
            ));
        }
    }
    output.data_line(&folder)?;
    Ok(ExitCode::SUCCESS)
}
