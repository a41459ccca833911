//! Decides which tools pass a tool filter.
//!
//! Knows tools and the grants of their skills.

use super::tool::{Runs, Tool};
use super::tool_filter::ToolFilter;
use super::{Role, Skill, ToolName, to_snake};
use crate::capability::Capability;

impl ToolFilter {
    /// Returns the entries of `names` that match none of these tools: a misspelled name would leave an agent without a tool that
    /// it needs.
    pub fn unknown<'n>(names: &'n [String], tools: &[Tool]) -> Vec<&'n str> {
        let is_known = |name: &str| tools.iter().any(|tool| is_meant(name, tool));
        names.iter().map(String::as_str).filter(|name| !is_known(name)).collect()
    }

    /// Returns whether the agent has this tool.
    pub(crate) fn admits(&self, tool: &Tool) -> bool {
        let is_in = |names: &[String]| names.iter().any(|name| is_meant(name, tool));
        let is_of = |servers: &Vec<String>| {
            tool.server().is_none_or(|server| servers.iter().any(|name| name == server))
        };
        self.only.as_ref().is_none_or(|names| is_in(names))
            && !is_in(&self.without)
            && self.servers.as_ref().is_none_or(is_of)
            && !(self.reads_only && changes(tool))
    }

    /// Returns whether the agent may have a tool of this skill. Readers work by themselves, and instructions change nothing.
    pub(super) fn may_have(&self, skill: &Skill) -> bool {
        let manifest = skill.manifest();
        let is_engine = match &manifest.role {
            Role::Reader { .. } | Role::Instructions => return true,
            Role::Engine { .. } => true,
            Role::Tools { .. } => false,
        };
        let language = manifest.script().map(|script| to_snake(&script.language));
        let is_named = |name: &String| {
            let name = to_snake(name);
            let first = name.split("__").next().unwrap_or(&name);
            first == to_snake(&manifest.name) || language.as_deref() == Some(first)
        };
        self.only.as_ref().is_none_or(|names| names.iter().any(is_named))
            && !self.without.iter().any(|name| to_snake(name) == to_snake(&manifest.name))
            && !(self.reads_only && skill_changes(skill, is_engine))
    }
}

/// Returns whether a name in an agent's file matches this tool: by its own name, or that of its skill.
fn is_meant(name: &str, tool: &Tool) -> bool {
    name == tool.name.as_str()
        || to_snake(name) == tool.name.skill()
        || ToolName::split(name).is_none() && to_snake(name) == to_snake(tool.owner())
}

/// Returns whether a call can still change something if the workspace is read-only, no file can be delivered and the tools that
/// it calls are restricted as well.
fn changes(tool: &Tool) -> bool {
    match &tool.runs {
        Runs::Plugin(skill) => {
            // Without delivery, a tool that edits files would only fail. One that is `readOnly` still shows what is in them.
            let edits = skill.manifest().grants.contains(&Capability::Files);
            tool.uses_handles || edits && !tool.policy().read_only || skill_changes(skill, false)
        }
        Runs::Script(engines) => engines.all().any(|engine| skill_changes(engine, true)),
        Runs::Host(registered) => !registered.described.policy.read_only,
    }
}

/// Returns whether a skill's grants allow changes. An engine runs code of the agent itself with the remaining grants, but a tool
/// that is meant to write would only fail.
fn skill_changes(skill: &Skill, is_engine: bool) -> bool {
    let manifest = skill.manifest();
    manifest.grants.iter().any(|grant| match grant {
        Capability::Catalog
        | Capability::Documents
        | Capability::Files
        | Capability::Log
        | Capability::Signing
        | Capability::Tables
        | Capability::Tools => false,
        Capability::Workspace => !is_engine && !manifest.bounds.workspace.read_only,
        Capability::Render => !is_engine,
        // The effects of an embedder's capability, or of an HTTP request at its destination, are unknown.
        Capability::Fetch | Capability::Own(_) => true,
    })
}
