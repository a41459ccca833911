//! Narrowing: which tools of a session an agent has, and whether they may change anything.
//!
//! Knows tools and the grants of their skills. What a call may still do in its session is cut in `capability/reading.rs`.

use super::tool::{Runs, Tool};
use super::{Role, Skill, ToolName, to_snake};
use crate::capability::Capability;

/// Which of a session's tools an agent has. The default leaves all of them.
///
/// A tool that is left out is not there for it: not for its model, nor for its scripts, nor for the tools that it calls.
///
/// ```
/// use mitt::skill::Narrowing;
///
/// let reading = Narrowing::new().read_only().without(["sql-tool"]);
/// assert!(reading.reads_only());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    only: Option<Vec<String>>,
    without: Vec<String>,
    reads_only: bool,
}

impl Narrowing {
    /// All tools, with all that they may do.
    pub fn new() -> Narrowing {
        Narrowing::default()
    }

    /// Only these tools, or those of the skills of these names: `table_tool__growth`, `table-tool`.
    #[must_use]
    pub fn only<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Narrowing {
        self.only = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// None of these tools, and none of the skills of these names.
    #[must_use]
    pub fn without<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Narrowing {
        self.without.extend(names.into_iter().map(Into::into));
        self
    }

    /// Only tools that cannot change anything. Scripts stay, but read the workspace only; nothing delivers files.
    #[must_use]
    pub fn read_only(mut self) -> Narrowing {
        self.reads_only = true;
        self
    }

    /// Whether nothing can be changed.
    pub fn reads_only(&self) -> bool {
        self.reads_only
    }

    /// The names that are left, if only some are.
    pub fn names(&self) -> Option<&[String]> {
        self.only.as_deref()
    }

    /// The names that are left out.
    pub fn left_out(&self) -> &[String] {
        &self.without
    }

    /// Those of `names` that stand for none of these tools: a slip there would leave an agent without what it needs.
    pub fn unknown<'n>(names: &'n [String], tools: &[Tool]) -> Vec<&'n str> {
        let is_known = |name: &str| tools.iter().any(|tool| is_meant(name, tool));
        names.iter().map(String::as_str).filter(|name| !is_known(name)).collect()
    }

    /// Whether the agent has this tool.
    pub(crate) fn admits(&self, tool: &Tool) -> bool {
        let is_in = |names: &[String]| names.iter().any(|name| is_meant(name, tool));
        self.only.as_ref().is_none_or(|names| is_in(names))
            && !is_in(&self.without)
            && !(self.reads_only && changes(tool))
    }

    /// Whether the agent may have a tool of this skill. Readers work by themselves, and instructions change nothing.
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

/// Whether a name in a file of an agent means this tool: its own name, or that of its skill.
fn is_meant(name: &str, tool: &Tool) -> bool {
    name == tool.name.as_str()
        || to_snake(name) == tool.name.skill()
        || ToolName::split(name).is_none() && to_snake(name) == to_snake(tool.owner())
}

/// Whether a call can change something even where the workspace is for reading, no file is delivered and the tools that it calls
/// are narrowed too.
fn changes(tool: &Tool) -> bool {
    match &tool.runs {
        Runs::Plugin(skill) => tool.uses_handles || skill_changes(skill, false),
        Runs::Script(engines) => engines.all().any(|engine| skill_changes(engine, true)),
        Runs::Host(registered) => !registered.described.policy.read_only,
    }
}

/// An engine runs what the agent itself wrote, with what is left of its grants; a tool that is there to write would only fail.
fn skill_changes(skill: &Skill, is_engine: bool) -> bool {
    let manifest = skill.manifest();
    manifest.grants.iter().any(|grant| match grant {
        Capability::Catalog
        | Capability::Documents
        | Capability::Log
        | Capability::Tables
        | Capability::Tools => false,
        Capability::Workspace => !is_engine && !manifest.bounds.workspace.read_only,
        Capability::Render => !is_engine,
        // What a capability of an embedder does is not known here.
        Capability::Own(_) => true,
    })
}
