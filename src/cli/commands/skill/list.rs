//! `mitt skill list`

use std::process::ExitCode;

use serde_json::json;

use super::{host, source};
use crate::args::Global;
use crate::output::Output;
use mitt::skill::SkillState;
use mitt_base::Result;

/// List the skills: name, version, place, and why one cannot be used.
pub(super) fn list(global: &Global, output: &Output) -> Result<ExitCode> {
    let registry = host(global)?.registry();
    let states = registry.states();
    if output.is_json() {
        let skills: Vec<_> = states
            .iter()
            .map(|state| {
                json!({
                    "name": state.name, "version": state.version, "source": source(&state.source),
                    "blocked": state.blocked.as_ref().map(ToString::to_string),
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
        let blocked =
            state.blocked.as_ref().map(|blocked| format!("  ({blocked})")).unwrap_or_default();
        output.line(&format!(
            "{:name$}  {:version$}  {}{blocked}",
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
    Ok(ExitCode::SUCCESS)
}
