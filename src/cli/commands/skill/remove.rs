//! `mitt skill remove`

use std::process::ExitCode;

use serde_json::json;

use super::approvals;
use crate::args::SkillRemove;
use crate::output::{Output, note};
use crate::person;
use mitt::skill::{TrustStore, author};
use mitt_base::{Error, ErrorKind, Result, text};

/// Removes a skill that `mitt skill install` has installed. Its approval is removed too, so that a later skill of this name
/// needs a new one.
pub(super) fn remove(command: &SkillRemove, output: &Output) -> Result<ExitCode> {
    let from = command.from.clone().or_else(author::user_folder).ok_or_else(|| {
        Error::new(ErrorKind::Input, "this system has no folder for the user's data")
            .hint("name a folder of skills with `--from`")
    })?;
    let name = command.name.replace('_', "-");
    let folder = author::installed(&from, &name)?;
    let question = format!("Remove {}?", text::one_line(&folder.display().to_string()));
    if !command.yes && !person::confirms(&question, format!("the skill `{name}` is removed"))? {
        note("nothing was removed");
        return Ok(ExitCode::from(1));
    }
    // The approval is removed first: a skill without an approval does nothing, but an approval without its skill would count
    // for a later one.
    let revoked = revoked(&name)?;
    author::remove(&from, &name)?;
    let shown = folder.display().to_string();
    if output.is_json() {
        output.value(&json!({ "name": name, "folder": shown, "revoked": revoked }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !output.is_quiet() {
        let approval = if revoked { ", and its approval" } else { "" };
        note(&format!("removed {name}{approval}"));
    }
    output.data_line(&shown)?;
    Ok(ExitCode::SUCCESS)
}

/// Removes the approval. Returns `true` if there was one.
fn revoked(name: &str) -> Result<bool> {
    let Some(file) = approvals() else { return Ok(false) };
    let mut store = TrustStore::read(&file)?;
    let revoked = store.revoke(name);
    if revoked {
        store.write(&file)?;
    }
    Ok(revoked)
}
