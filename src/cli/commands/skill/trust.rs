//! `mitt skill trust`

use std::process::ExitCode;

use serde_json::json;

use super::{approvals, found, host, source};
use crate::args::{Global, SkillTrust};
use crate::output::Output;
use mitt::Host;
use mitt::skill::{SkillSource, TrustStore};
use mitt_base::{Error, ErrorKind, Result};

/// Approves the code of a skill, or takes the approval back.
pub(super) fn trust(global: &Global, command: &SkillTrust, output: &Output) -> Result<ExitCode> {
    let file = approvals().ok_or_else(|| {
        Error::new(ErrorKind::Host, "there is no place for approvals: this user has no home folder")
            .hint("name a file with MITT_TRUST_FILE")
    })?;
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
    let host = if command.replace { replacing(global, &command.name)? } else { host(global)? };
    let skill = found(&host.registry(), &command.name)?;
    let name = skill.manifest().name.clone();
    if command.replace && *skill.source() == SkillSource::Bundled {
        let message = format!("no other skill than the bundled one is named `{name}`");
        return Err(Error::new(ErrorKind::Load, message)
            .hint("install the other one, or name its folder with `--skills`"));
    }
    if !TrustStore::is_needed(&skill) && !command.replace {
        print(
            output,
            json!({ "name": name, "needed": false }),
            &format!("{name}: needs no approval"),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let approval =
        if command.replace { store.approve_replacement(&skill)? } else { store.approve(&skill)? };
    store.write(&file)?;
    let mut grants = approval.grants.join(", ");
    if approval.replaces {
        let comma = if grants.is_empty() { "" } else { ", " };
        grants = format!("{grants}{comma}the place of the skill of its name");
    }
    print(
        output,
        json!({
            "name": name, "source": source(skill.source()), "blake3": approval.blake3, "grants": approval.grants,
            "replaces": approval.replaces,
        }),
        &format!(
            "{name}: approved for {grants}\nblake3 {}  {}",
            approval.blake3,
            source(skill.source())
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Makes a host that finds the last one of several skills with this name.
fn replacing(global: &Global, name: &str) -> Result<Host> {
    let mut global = global.clone();
    global.replace_skills.push(name.to_owned());
    host(&global)
}

fn print(output: &Output, json: serde_json::Value, text: &str) -> Result<()> {
    if output.is_json() { output.value(&json) } else { output.line(text) }
}
