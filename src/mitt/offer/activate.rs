//! Catalogue of skills, and the text for a model that activates one.

use super::LIST_BYTES;
use super::mode::ToolMode;
use super::outline::named;
use super::scripts::script_tools;
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_skill::{RUN, Registry, Skill, Tool, ToolName};

/// Name of the tool that activates a skill.
pub const ACTIVATE: &str = "open_skill";

/// Most characters of a skill's description; the largest value is used for which the catalogue has room.
const SUMMARIES: [usize; 3] = [320, 160, 80];

/// Returns the skills that a model can activate, sorted by name: those with tools or instructions. Readers work by themselves,
/// and an engine whose language is not offered would give a model a second way to do the same.
pub fn offered(registry: &Registry) -> impl Iterator<Item = &Skill> {
    registry
        .skills()
        .map(AsRef::as_ref)
        .filter(|skill: &&Skill| skill.manifest().reader().is_none() && registry.offers(skill))
}

/// Returns a line for each skill that a model can activate. The lines are shorter if there are many.
pub fn catalogue(registry: &Registry) -> String {
    for summary in SUMMARIES {
        let line = |skill: &Skill| {
            let manifest = skill.manifest();
            let description = text::shortened(manifest.description.trim(), summary);
            format!("- {}: {}\n", manifest.name, text::one_line(&description))
        };
        let lines: String = offered(registry).map(line).collect();
        if lines.len() <= LIST_BYTES {
            return lines;
        }
    }
    let names: Vec<&str> = names(registry).collect();
    format!("{}; activate one to learn what it is for\n", named(&names))
}

fn names(registry: &Registry) -> impl Iterator<Item = &str> {
    offered(registry).map(|skill| skill.manifest().name.as_str())
}

/// Returns the skill of this name, in kebab or snake case, if a model can activate it.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - there is no such skill; the message lists the existing ones.
pub fn activated<'r>(registry: &'r Registry, name: &str) -> Result<&'r Skill> {
    let wanted = name.replace('_', "-");
    if let Some(skill) = offered(registry).find(|skill| skill.manifest().name == wanted) {
        return Ok(skill);
    }
    let names: Vec<&str> = names(registry).collect();
    let message = match text::one_line(text::cut_bytes(&wanted, 128)) {
        shown if shown.is_empty() => {
            format!("`skill`: expected a name; there are: {}", named(&names))
        }
        shown => format!("no skill `{shown}`; there are: {}", named(&names)),
    };
    let error = Error::new(ErrorKind::Arguments, message);
    Err(match text::nearest(&wanted, names).first() {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error,
    })
}

/// Returns the tools of the skills of these names, each once, in the order of the names. Unknown names are ignored.
pub fn brought<'t>(registry: &Registry, active: &[String], tools: &'t [Tool]) -> Vec<&'t Tool> {
    let mut found: Vec<&Tool> = Vec::new();
    for skill in active.iter().filter_map(|name| activated(registry, name).ok()) {
        for tool in tools.iter().filter(|tool| brings(skill, tool)) {
            // Two engines of a language bring the same tool.
            if found.iter().all(|known| known.name != tool.name) {
                found.push(tool);
            }
        }
    }
    found
}

/// Returns how a model in this mode can call the tools of a skill, which may be missing from its list of tools. Empty if there
/// are none.
pub fn called(registry: &Registry, tools: &[&str], mode: ToolMode) -> String {
    let listed =
        |written: fn(&&str) -> String| tools.iter().map(written).collect::<Vec<_>>().join(", ");
    let as_tools = || listed(|tool| format!("`{tool}`"));
    match mode {
        _ if tools.is_empty() => String::new(),
        ToolMode::Script => format!(
            "The functions of this skill, for scripts of {}: {}.",
            script_tools(registry),
            listed(|tool| format!("`{}`", tool.replacen("__", ".", 1)))
        ),
        ToolMode::Catalogue => {
            format!("The tools of this skill, which `{ACTIVATE}` brings: {}.", as_tools())
        }
        ToolMode::All => format!("The tools of this skill: {}.", as_tools()),
    }
}

/// Returns whether activating `skill` shows `tool`. A script engine shows the tool that runs scripts of its language, whichever
/// engine runs them.
fn brings(skill: &Skill, tool: &Tool) -> bool {
    let manifest = skill.manifest();
    let runs = |language: &str| ToolName::new(language, RUN).is_some_and(|run| run == tool.name);
    tool.skill().is_some() && tool.owner() == manifest.name
        || manifest.script().is_some_and(|script| runs(&script.language))
}
