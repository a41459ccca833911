//! The ways in which a model is told of tools.

use super::outline::RUN_TOOL;
use crate::skill::{Registry, Tool};

/// How a model is told of the tools. Fewer tokens in each request cost a turn more where a tool has to be looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolMode {
    /// One tool that runs Python, and a line for each function that a script can call; `help` explains one. As [`ToolMode::All`]
    /// where the host has no engine for Python.
    #[default]
    Script,
    /// A line for each skill, and a tool `open_skill` that brings the tools of one and its instructions.
    Catalogue,
    /// Every tool with its schema.
    All,
}

impl ToolMode {
    /// All of them.
    pub const ALL: [ToolMode; 3] = [ToolMode::Script, ToolMode::Catalogue, ToolMode::All];

    /// Its name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            ToolMode::Script => "script",
            ToolMode::Catalogue => "catalogue",
            ToolMode::All => "all",
        }
    }

    /// The mode of this name.
    pub fn from_name(name: &str) -> Option<ToolMode> {
        ToolMode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// What of it these skills allow: without an engine for Python all tools are shown instead.
    #[must_use]
    pub fn within(self, registry: &Registry) -> ToolMode {
        match self {
            ToolMode::Script if !registry.has_script_tool(RUN_TOOL) => ToolMode::All,
            mode => mode,
        }
    }

    /// Whether `tool` is shown from the beginning.
    ///
    /// What scripts cannot call, or should not because a user is to be asked about one call at a time, is shown beside them. Tools
    /// of the host's own belong to no skill that could be activated.
    pub fn shows(self, tool: &Tool) -> bool {
        match self {
            ToolMode::All => true,
            ToolMode::Catalogue => tool.skill().is_none(),
            ToolMode::Script => {
                tool.name.as_str() == RUN_TOOL
                    || tool.is_for_models_only()
                    || tool.policy().destructive
            }
        }
    }
}
