//! `mitt skill trust`

use std::process::ExitCode;

use serde_json::json;

use super::{approvals, found, host, source};
use crate::cli::args::{Global, SkillTrust};
use crate::cli::output::Output;
use crate::skill::TrustStore;
use crate::{Error, ErrorKind, Result};

/// Approve a component, or take the approval back.
pub(super) fn trust(global: &Global, command: &SkillTrust, output: &Output) -> Result<ExitCode> {
    let file = approvals();
    let mut store = TrustStore::read(&file)?;
    if command.revoke {
        let name = command.name.replace('_', "-");
        if !store.revoke(&name) {
            let message = format!("the skill `{name}` is not approved");
            return Err(Error::new(ErrorKind::Load, message)
                .hint(format!("the approvals are in {}", file.display())));
        }
        store.write(&file)?;
        print(
            output,
            json!({ "name": name, "revoked": true }),
            &format!("{name}: no longer approved"),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let skill = found(&host(global)?.registry(), &command.name)?;
    let name = skill.manifest().name.clone();
    if !TrustStore::is_needed(&skill) {
        print(
            output,
            json!({ "name": name, "needed": false }),
            &format!("{name}: needs no approval"),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let approval = store.approve(&skill)?;
    store.write(&file)?;
    let grants = approval.grants.join(", ");
    print(
        output,
        json!({
            "name": name, "source": source(skill.source()), "blake3": approval.blake3, "grants": approval.grants,
        }),
        &format!(
            "{name}: approved for {grants}\nblake3 {}  {}",
            approval.blake3,
            source(skill.source())
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}

fn print(output: &Output, json: serde_json::Value, text: &str) -> Result<()> {
    if output.is_json() { output.value(&json) } else { output.line(text) }
}
