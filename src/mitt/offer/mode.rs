//! Modes in which tools are described to a model.

use mitt_skill::{Registry, Tool};

/// How tools are described to a model. Fewer tokens in each request cost an extra turn when a tool must be looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolMode {
    /// A tool that runs scripts, usually in Python, and a line for each function that a script can call; `help` explains one.
    /// Same as [`ToolMode::All`] if the host offers no language for scripts.
    #[default]
    Script,
    /// A line for each skill, and a tool `open_skill` that adds the tools of one, with its instructions.
    Catalogue,
    /// Every tool with its schema.
    All,
}

impl ToolMode {
    /// All modes.
    pub const ALL: [ToolMode; 3] = [ToolMode::Script, ToolMode::Catalogue, ToolMode::All];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            ToolMode::Script => "script",
            ToolMode::Catalogue => "catalogue",
            ToolMode::All => "all",
        }
    }

    /// Returns the mode of this name.
    pub fn from_name(name: &str) -> Option<ToolMode> {
        ToolMode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns the mode that these skills allow: without a language for scripts, [`ToolMode::Script`] becomes [`ToolMode::All`].
    #[must_use]
    pub fn within(self, registry: &Registry) -> ToolMode {
        match self {
            ToolMode::Script if registry.script_tools().is_empty() => ToolMode::All,
            mode => mode,
        }
    }

    /// Returns whether `tool` is shown from the beginning.
    ///
    /// Tools that scripts cannot call, or should not because a user must approve each call, are shown in addition. Tools of the
    /// embedder belong to no skill that could be activated, so they are shown, too.
    pub fn shows(self, tool: &Tool) -> bool {
        match self {
            ToolMode::All => true,
            ToolMode::Catalogue => tool.skill().is_none(),
            ToolMode::Script => {
                tool.language().is_some() || tool.is_for_models_only() || tool.policy().destructive
            }
        }
    }
}
