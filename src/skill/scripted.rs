//! Role of a skill for scripts: an engine that runs them, or a module that they import.

use std::sync::Arc;

use super::Tool;
use super::host_tool::HostTools;
use super::loaded::Skill;
use super::scripts::Helpers;
use super::tool::ToolInternal as _;
use crate::capability::{ScriptFunction, ScriptModule};
use mitt_base::{Result, text};
use mitt_wit::value::{Function, definitions};

/// Most bytes of the types that `help()` shows for one function.
const TYPE_BYTES: usize = 4_000;

/// Most characters of the names of types for which there is no room.
const MISSING_CHARS: u64 = 400;

impl Skill {
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
        description: explained(&tool.function),
        parameters: tool.parameters(),
    }
}

/// Returns the documentation of a function for `help()`, with the fields of its records and the cases of its variants.
fn explained(function: &Function) -> String {
    let definitions = definitions(function);
    if definitions.is_empty() {
        return function.docs.clone();
    }
    let mut out = function.docs.trim_end().to_owned();
    out.push_str("\n\nTypes (`name?` may be left out):\n\n");
    let mut left_out = Vec::new();
    let mut room = TYPE_BYTES;
    for definition in definitions {
        let line = format!("- {definition}\n");
        match room.checked_sub(line.len()) {
            Some(left) => {
                room = left;
                out.push_str(&line);
            }
            None => left_out.push(format!("`{}`", definition.name)),
        }
    }
    if !left_out.is_empty() {
        let names = text::truncate(&left_out.join(", "), MISSING_CHARS);
        out.push_str(&format!(
            "- too long for this text: {names}; the error of a wrong call names their fields\n"
        ));
    }
    out
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
