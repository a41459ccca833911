//! `mitt skill pack`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::{engine, finding_json, warn};
use crate::args::{Global, SkillPack};
use crate::output::{Output, note};
use crate::progress::bytes;
use mitt::house::write_whole;
use mitt::skill::author;
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// How a zstd file begins.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Pack a skill; prints the file and its digest.
pub(super) fn pack(global: &Global, command: &SkillPack, output: &Output) -> Result<ExitCode> {
    let packed = author::pack(&engine(global)?, &command.folder)?;
    let file = command.output.clone().unwrap_or_else(|| PathBuf::from(packed.file_name()));
    refuse_foreign(&file)?;
    let name = file.file_name().ok_or_else(|| {
        let message = format!("--output: a file expected, got {}", file.display());
        Error::new(ErrorKind::Input, message)
    })?;
    let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    write_whole(folder, &name.to_string_lossy(), &packed.bytes)?;
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
        note(&format!("{} files, {}", packed.files, bytes(packed.bytes.len() as u64)));
    }
    output.data_line(&path)?;
    output.line(&packed.digest)?;
    Ok(ExitCode::SUCCESS)
}

/// An archive may be packed again; any other file may be somebody's only copy.
fn refuse_foreign(file: &Path) -> Result<()> {
    let is_other = match plain_file::read(file, ZSTD.len() as u64) {
        Ok(begin) => !begin.starts_with(&ZSTD),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    };
    if is_other {
        let message = format!("{} is there and is no packed skill", file.display());
        return Err(Error::new(ErrorKind::Input, message).hint("name another file with `--output`"));
    }
    Ok(())
}
