//! The registry as an agent sees it, with only the tools that it may use.

use std::sync::Arc;

use super::registry::Registry;
use super::tool_filter::ToolFilter;
use super::{Skill, Tool};
use crate::capability::ScriptModule;
use mitt_base::{Error, ErrorKind, Result, text};

/// Most tools that are suggested to an agent that calls one it does not have.
const MOST_NAMED: usize = 20;

impl Registry {
    /// Returns whether one of the skill's tools may pass the restrictions.
    pub(super) fn may_have(&self, skill: &Skill) -> bool {
        self.filters.iter().all(|filter| filter.may_have(skill))
    }

    pub(super) fn admits(&self, tool: &Tool) -> bool {
        let is_ones = |agents: &[String]| {
            let agent = self.filters.iter().rev().find_map(|filter| filter.agent.as_ref());
            agent.is_some_and(|agent| agents.contains(agent))
        };
        tool.agents().is_none_or(is_ones) && self.filters.iter().all(|filter| filter.admits(tool))
    }

    /// Returns whether no tool is hidden.
    pub(super) fn is_whole(&self) -> bool {
        self.filters.is_empty() && !self.host_tools.has_reserved()
    }

    /// Returns the error for a tool that the restrictions hide.
    pub(super) async fn left_out(&self, name: &str) -> Error {
        let shown = text::one_line(text::cut_bytes(name, 128));
        let error = Error::new(ErrorKind::UnknownTool, format!("Unknown tool: {shown}"));
        let tools = self.tools().await;
        if self.filters.is_empty() {
            return error.hint("only certain agents have it");
        }
        let names: Vec<&str> =
            tools.iter().map(|tool| tool.name.as_str()).take(MOST_NAMED).collect();
        let more = if tools.len() > MOST_NAMED { " and others" } else { "" };
        if names.is_empty() {
            error.hint("this agent has no tools")
        } else {
            error.hint(format!("this agent has only `{}`{more}", names.join("`, `")))
        }
    }
}

/// Methods of [`Registry`] for Mitt's own crates.
pub trait FilteredRegistryInternal: Sized {
    /// Returns the registry with only the tools that pass all `filters`, and the skills that have such a tool.
    fn filtered(self, filters: &Arc<[ToolFilter]>) -> Self;

    /// Returns the script modules that contain tools of the embedder.
    fn host_modules(&self) -> impl Iterator<Item = &str>;

    /// Returns such a module, as scripts see it.
    fn host_module(&self, name: &str) -> Option<ScriptModule>;

    /// Returns the module of a skill, as scripts see it: with the tools that pass the restrictions.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::tools`].
    fn module(&self, skill: &Arc<Skill>) -> impl Future<Output = Result<Arc<ScriptModule>>> + Send;
}

impl FilteredRegistryInternal for Registry {
    fn filtered(mut self, filters: &Arc<[ToolFilter]>) -> Registry {
        self.filters = filters.clone();
        self
    }

    fn host_modules(&self) -> impl Iterator<Item = &str> {
        self.host_tools.modules().filter(|name| self.host_module(name).is_some())
    }

    fn host_module(&self, name: &str) -> Option<ScriptModule> {
        let module = self.host_tools.module(name)?;
        if self.is_whole() {
            return Some(module);
        }
        let has = |tool: &str| {
            let tool = self.host_tools.get(tool).map(Tool::of_host);
            tool.is_some_and(|tool| self.admits(&tool))
        };
        let module = module.only(has);
        (!module.functions.is_empty()).then_some(module)
    }

    async fn module(&self, skill: &Arc<Skill>) -> Result<Arc<ScriptModule>> {
        let module = skill.module().await?;
        if self.filters.is_empty() {
            return Ok(module);
        }
        let tools = skill.tools().await?;
        let has =
            |name: &str| tools.iter().any(|tool| tool.name.as_str() == name && self.admits(tool));
        Ok(Arc::new(module.only(has)))
    }
}
