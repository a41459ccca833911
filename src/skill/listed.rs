//! Which tools a model is shown. Nobody pays for the description of a tool that cannot work, or of a second script language.

use super::registry::Registry;
use super::tool::{Runs, Tool, ToolInternal as _};
use super::{Skill, to_snake};

impl Registry {
    /// Returns `true` if lists of tools have this one: a tool that signs if the operator has named a key, a tool that runs scripts
    /// if its language is offered. The others can be called all the same; the error of a tool that signs says who names a key.
    pub(super) fn lists(&self, tool: &Tool) -> bool {
        match &tool.runs {
            Runs::Script(engines) => engines.is_offered,
            Runs::Plugin(_) | Runs::Host(_) => self.has_signing_keys || !tool.needs_signing_key(),
        }
    }

    /// Returns `true` if lists of skills have this one: any skill but an engine whose language is not offered.
    pub fn offers(&self, skill: &Skill) -> bool {
        let Some(script) = skill.manifest().script() else { return true };
        match self.languages().get(&to_snake(&script.language)) {
            Some(Ok(engines)) => engines.is_offered,
            // The reason why its scripts cannot run is shown with the skill.
            Some(Err(_)) | None => true,
        }
    }

    /// Returns the tools that run the scripts of a model, such as `python__run`, sorted by name. Empty if no engine can be used.
    pub fn script_tools(&self) -> Vec<Tool> {
        let usable = self.languages().values().filter_map(|it| it.as_ref().ok());
        let tools = usable.map(Tool::of_engines);
        tools.filter(|tool| self.lists(tool) && self.admits(tool)).collect()
    }
}

impl Tool {
    /// Returns the language whose scripts the tool runs, such as `python`; `None` if it runs none.
    pub fn language(&self) -> Option<&str> {
        match &self.runs {
            Runs::Script(engines) => Some(&engines.language),
            Runs::Plugin(_) | Runs::Host(_) => None,
        }
    }
}
