//! `mitt skill show`

use std::process::ExitCode;

use serde_json::{Value, json};

use super::{found, host, source};
use crate::args::{Global, SkillShow};
use crate::output::{Output, note};
use mitt::skill::{Skill, Tool, to_snake};
use mitt_base::{Result, text};

/// Most characters of a description that are shown, so that it does not push the rest out of sight.
const DESCRIPTION: usize = 1_024;

/// Prints a skill: its source, grants, dependencies, limits and tools.
pub(super) async fn show(
    global: &Global,
    command: &SkillShow,
    output: &Output,
) -> Result<ExitCode> {
    let host = host(global)?;
    let registry = host.registry();
    let skill = found(&registry, &command.name)?;
    let state = registry.states().into_iter().find(|state| state.name == skill.manifest().name);
    let blocked = state.and_then(|state| state.blocked).map(|blocked| blocked.to_string());
    // A component that does not load has no tools to show; the rest is shown.
    let tools = match skill.tools().await {
        Ok(tools) => tools,
        Err(error) => {
            note(&format!("warning: {}", error.render()));
            Vec::new()
        }
    };
    let hash = skill.digest().unwrap_or_default();
    if output.is_json() {
        output.value(&described(&skill, blocked, &hash, &tools))?;
        return Ok(ExitCode::SUCCESS);
    }
    for line in lines(&skill, blocked, &hash, &tools) {
        output.line(&line)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn grants(skill: &Skill) -> Vec<String> {
    let manifest = skill.manifest();
    manifest.grants.iter().map(|grant| manifest.bounds.describe(grant)).collect()
}

/// Returns the Python files, as the modules that scripts import, and their sizes in bytes.
fn helpers(skill: &Skill) -> Vec<(String, usize)> {
    let module = to_snake(&skill.manifest().name);
    let named = |(name, text): &(String, String)| {
        if name.is_empty() {
            (module.clone(), text.len())
        } else {
            (format!("{module}.{name}"), text.len())
        }
    };
    skill.helpers().files().iter().map(named).collect()
}

/// Returns the JavaScript and TypeScript files, as scripts import them, and their sizes in bytes.
fn javascript(skill: &Skill) -> Vec<(String, usize)> {
    let name = &skill.manifest().name;
    let named = |(path, text): &(String, String)| (format!("{name}/{path}"), text.len());
    skill.helpers().javascript().iter().map(named).collect()
}

fn lines(skill: &Skill, blocked: Option<String>, hash: &str, tools: &[Tool]) -> Vec<String> {
    let manifest = skill.manifest();
    let limits = &manifest.limits;
    let listed =
        |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let mut lines = vec![
        format!("{} {}", manifest.name, manifest.version),
        format!("  {}", text::one_line(&text::shortened(manifest.description.trim(), DESCRIPTION))),
        format!("source      {}", source(skill.source())),
    ];
    if let Some(blocked) = blocked {
        lines.push(format!("blocked     it {blocked}"));
    }
    if !hash.is_empty() {
        lines.push(format!("runs        blake3 {hash}"));
    }
    lines.push(format!("grants      {}", listed(grants(skill))));
    lines.extend(helpers(skill).into_iter().map(|(name, size)| {
        format!("python      {name}  ({size} bytes, run in scripts that import it)")
    }));
    lines.extend(javascript(skill).into_iter().map(|(name, size)| {
        format!("javascript  {name}  ({size} bytes, run in scripts that import it)")
    }));
    let needs = manifest.depends_on.iter().map(|it| {
        if it.version.is_any() { it.name.clone() } else { format!("{} {}", it.name, it.version) }
    });
    lines.push(format!("depends on  {}", listed(needs.collect())));
    lines.push(format!(
        "limits      {:?}, fuel {}, memory {} bytes",
        limits.time, limits.fuel, limits.memory_bytes
    ));
    if !manifest.tags.is_empty() {
        lines.push(format!("tags        {}", manifest.tags.join(", ")));
    }
    for tool in tools {
        let policy = tool.policy();
        let mut notes = Vec::new();
        if policy.read_only {
            notes.push("reads only".to_owned());
        } else if policy.idempotent {
            notes.push("idempotent".to_owned());
        }
        if policy.destructive {
            notes.push("destructive".to_owned());
        }
        if let Some(timeout) = policy.timeout {
            notes.push(format!("timeout {timeout:?}"));
        }
        if policy.max_attempts() > 1 {
            notes.push(format!("up to {} attempts", policy.max_attempts()));
        }
        let notes =
            if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
        lines.push(format!("tool        {}{notes}", tool.name));
    }
    lines
}

fn described(skill: &Skill, blocked: Option<String>, hash: &str, tools: &[Tool]) -> Value {
    let manifest = skill.manifest();
    let tools: Vec<Value> = tools
        .iter()
        .map(|tool| {
            let policy = tool.policy();
            json!({
                "name": tool.name.as_str(), "title": policy.title, "read_only": policy.read_only,
                "idempotent": policy.idempotent, "destructive": policy.destructive,
                "timeout_ms": policy.timeout.map(|timeout| timeout.as_millis() as u64),
                "attempts": policy.max_attempts(),
            })
        })
        .collect();
    let needs: Vec<Value> = manifest
        .depends_on
        .iter()
        .map(|it| json!({ "name": it.name, "version": it.version.to_string() }))
        .collect();
    json!({
        "name": manifest.name, "version": manifest.version, "description": manifest.description.trim(),
        "source": source(skill.source()), "blocked": blocked, "blake3": hash, "grants": grants(skill),
        "depends_on": needs, "tags": manifest.tags,
        "limits": {
            "time_ms": manifest.limits.time.as_millis() as u64, "fuel": manifest.limits.fuel,
            "memory_bytes": manifest.limits.memory_bytes,
        },
        "tools": tools,
        "python": helpers(skill).into_iter()
            .map(|(name, bytes)| json!({ "module": name, "bytes": bytes }))
            .collect::<Vec<_>>(),
        "javascript": javascript(skill).into_iter()
            .map(|(name, bytes)| json!({ "module": name, "bytes": bytes }))
            .collect::<Vec<_>>(),
    })
}
