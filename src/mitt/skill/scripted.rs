//! Role of a skill for scripts: an engine that runs them, or a module that they import.

use std::sync::Arc;

use super::Tool;
use super::host_tool::HostTools;
use super::loaded::Skill;
use super::scripts::Helpers;
use crate::capability::{ScriptFunction, ScriptModule};
use mitt_base::Result;

impl Skill {
    /// Returns whether scripts can import it, because it has tools or helpers.
    pub(crate) fn is_module(&self) -> bool {
        self.has_tools() || !self.helpers.is_empty()
    }

    /// Returns its module for scripts, which is made once.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::tools`].
    pub(crate) async fn module(self: &Arc<Skill>) -> Result<Arc<ScriptModule>> {
        let make = || async {
            let functions = self.tools().await?.iter().map(function).collect();
            Ok(Arc::new(ScriptModule { functions, helpers: self.helpers.files().clone() }))
        };
        self.module.get_or_try_init(make).await.cloned()
    }

    /// Returns its files for scripts that import it.
    pub fn helpers(&self) -> &Helpers {
        &self.helpers
    }
}

/// Converts a tool to a function of its skill's module.
fn function(tool: &Tool) -> ScriptFunction {
    ScriptFunction {
        name: tool.name.function().to_owned(),
        tool: tool.name.to_string(),
        description: tool.function.docs.clone(),
        parameters: tool.parameters(),
    }
}

impl HostTools {
    /// Returns the prefixes of the embedder's tools that scripts may call; each is a module.
    pub(super) fn modules(&self) -> impl Iterator<Item = &str> {
        let free = self.iter().filter(|it| !it.described.is_for_models_only);
        let mut names: Vec<&str> = free.map(|it| it.described.name.skill()).collect();
        names.dedup();
        names.into_iter()
    }

    /// Returns the module `name` for scripts; `None` if they may call none of its tools.
    pub(super) fn module(&self, name: &str) -> Option<ScriptModule> {
        let tools = self.iter().map(Tool::of_host);
        let of_module = |tool: &Tool| tool.name.skill() == name && !tool.is_for_models_only();
        let functions: Vec<_> = tools.filter(of_module).map(|tool| function(&tool)).collect();
        (!functions.is_empty()).then(|| ScriptModule { functions, helpers: Arc::default() })
    }
}
