//! `mitt skill list`

use std::process::ExitCode;

use serde_json::json;

use super::{source, tolerant_host};
use crate::args::Global;
use crate::output::{Output, note};
use mitt::skill::{Registry, SkillSource, SkillState};
use mitt_base::{Result, text};

/// Lists the skills: name, version, place, and the reason if one cannot be used.
pub(super) fn list(global: &Global, output: &Output) -> Result<ExitCode> {
    // A broken manifest does not hide the others: it is listed with its problem.
    let registry = tolerant_host(global)?.registry();
    let states = registry.states();
    if output.is_json() {
        let skills: Vec<_> = states
            .iter()
            .map(|state| {
                json!({
                    "name": state.name, "version": state.version, "source": source(&state.source),
                    "blocked": unusable(&registry, state),
                })
            })
            .collect();
        let problems = registry
            .problems()
            .map(|(place, problem)| json!({ "place": place, "problem": problem }));
        let hidden = registry.hidden().iter().map(|hidden| {
            json!({
                "name": hidden.name, "version": hidden.version, "source": source(&hidden.source),
                "reason": hidden.to_string(), "way_out": hidden.way_out(),
            })
        });
        output.value(&json!({
            "skills": skills, "problems": problems.collect::<Vec<_>>(),
            "hidden": hidden.collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = |of: fn(&SkillState) -> usize| states.iter().map(of).max().unwrap_or(0);
    let (name, version) = (width(|state| state.name.len()), width(|state| state.version.len()));
    for state in &states {
        let remark = unusable(&registry, state).or_else(|| remark(&registry, state));
        let remark = remark.map(|remark| format!("  ({remark})")).unwrap_or_default();
        output.line(&format!(
            "{:name$}  {:version$}  {}{remark}",
            state.name,
            state.version,
            source(&state.source)
        ))?;
    }
    for hidden in registry.hidden() {
        output.line(&format!(
            "{:name$}  {:version$}  {}  (not used: the name is taken)",
            hidden.name,
            hidden.version,
            source(&hidden.source)
        ))?;
    }
    if !output.is_quiet() {
        for hidden in registry.hidden() {
            note(&format!("warning: skill `{}` {hidden}; {}", hidden.name, hidden.way_out()));
        }
    }
    for (place, problem) in registry.problems() {
        let first = problem.lines().next().unwrap_or_default();
        output.line(&format!("{place}  (cannot be used: {first})"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns why a skill cannot be used although its manifest can be read.
fn unusable(registry: &Registry, state: &SkillState) -> Option<String> {
    if let Some(blocked) = &state.blocked {
        return Some(blocked.to_string());
    }
    let skill = registry.found(&state.name)?;
    let (SkillSource::Folder(folder), Some(component)) =
        (skill.source(), skill.manifest().component())
    else {
        return None;
    };
    // Native code replaces its component.
    let files = [folder.join(component), folder.join(format!("{}.cwasm", state.name))];
    let is_there = files.iter().any(|file| file.is_file());
    (!is_there).then(|| {
        format!("cannot be used: its component `{}` is not there", text::one_line(component))
    })
}

/// Returns a remark on a usable skill.
fn remark(registry: &Registry, state: &SkillState) -> Option<String> {
    let skill = registry.found(&state.name)?;
    skill.manifest().component().is_none().then(|| "instructions only, no tools".to_owned())
}
