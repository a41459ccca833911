//! `mitt skill remove`

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::approvals;
use crate::args::SkillRemove;
use crate::output::{Output, note};
use mitt::skill::{TrustStore, author};
use mitt_base::{Error, ErrorKind, Result, text};

/// Remove what `mitt skill install` has put into the user's skills. The approval goes too: whatever takes this name later is
/// approved anew.
pub(super) fn remove(command: &SkillRemove, output: &Output) -> Result<ExitCode> {
    let from = command.from.clone().or_else(author::user_folder).ok_or_else(|| {
        Error::new(ErrorKind::Input, "this system has no folder for the user's data")
            .hint("name a folder of skills with `--from`")
    })?;
    let name = command.name.replace('_', "-");
    let folder = author::installed(&from, &name)?;
    if !command.yes && !confirmed(&name, &folder)? {
        note("nothing was removed");
        return Ok(ExitCode::from(1));
    }
    // First: a skill without its approval does nothing, an approval without its skill waits for another one.
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

fn confirmed(name: &str, folder: &Path) -> Result<bool> {
    #[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
    let terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    if !terminal {
        let message = format!("the skill `{name}` is removed only when somebody says so");
        return Err(Error::new(ErrorKind::Input, message).hint("say it with `--yes`"));
    }
    note(&format!("Remove {}? [y/N]", text::one_line(&folder.display().to_string())));
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| {
        Error::new(ErrorKind::Input, "cannot read standard input").caused_by(error)
    })?;
    Ok(["y", "yes"].contains(&line.trim().to_lowercase().as_str()))
}

/// Take the approval back; whether there was one.
fn revoked(name: &str) -> Result<bool> {
    let Some(file) = approvals() else { return Ok(false) };
    let mut store = TrustStore::read(&file)?;
    let revoked = store.revoke(name);
    if revoked {
        store.write(&file)?;
    }
    Ok(revoked)
}
