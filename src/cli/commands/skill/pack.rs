//! `mitt skill pack`

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use super::shown::shown;
use super::{engine, finding_json, warn};
use crate::args::{Global, SkillPack};
use crate::commands::delivery;
use crate::output::{Output, note};
use crate::progress::bytes;
use mitt::skill::{CompilingSink, author};
use mitt_base::Result;
use mitt_base::rows::counted;

/// Packs a skill, and prints the file and its digest.
pub(super) fn pack(global: &Global, command: &SkillPack, output: &Output) -> Result<ExitCode> {
    let (engine, folder) = (engine(global)?, &command.folder);
    let pack =
        |compiling: CompilingSink<'_>| author::pack_with_progress(&engine, folder, compiling);
    let packed = shown(output, "packing", folder, pack)?;
    let file = command.output.clone().unwrap_or_else(|| PathBuf::from(packed.file_name()));
    delivery(global, &command.force).write(&file, &packed.bytes)?;
    let path = file.display().to_string();
    if output.is_json() {
        output.value(&json!({
            "path": path, "name": packed.name, "version": packed.version, "digest": packed.digest,
            "size": packed.bytes.len(), "files": packed.files,
            "warnings": packed.warnings.iter().map(finding_json).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    warn(output, &packed.warnings);
    if !output.is_quiet() {
        let files = counted(packed.files as u64, "file");
        note(&format!("{files}, {}", bytes(packed.bytes.len() as u64)));
    }
    output.data_line(&path)?;
    output.line(&packed.digest)?;
    Ok(ExitCode::SUCCESS)
}
