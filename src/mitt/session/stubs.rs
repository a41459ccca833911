//! Tools of a session as Python stubs and as TypeScript declarations, for the owner of the session.

use std::sync::Arc;

use super::session::Session;
use crate::script::{self, StubModule};
use mitt_base::Result;
use mitt_skill::{
    FilteredRegistryInternal as _, Registry, Skill, SkillInternal as _, Tool, to_snake,
};

impl Session {
    /// Returns all that a Python script of the session can use as one stub (`.pyi`): a class for each module, with the types of
    /// its functions, and the built-ins.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - a skill cannot be loaded.
    pub async fn python_stubs(&self) -> Result<String> {
        Ok(script::python_stubs(&described(&modules(&self.registry()).await?)))
    }

    /// Like [`Session::python_stubs`], but returns one file per module, by name, and `__builtins__.pyi` for the built-ins. Type
    /// checkers find them in a folder of stubs.
    ///
    /// # Errors
    ///
    /// Those of [`Session::python_stubs`].
    pub async fn python_stub_files(&self) -> Result<Vec<(String, String)>> {
        Ok(script::python_stub_files(&described(&modules(&self.registry()).await?)))
    }

    /// Returns all that a script of the session in JavaScript or TypeScript can use as declarations (`.d.ts`) in one text: a
    /// module for each skill, with the types of its functions, `tools`, `codemode` and the other built-ins.
    ///
    /// # Errors
    ///
    /// Those of [`Session::python_stubs`].
    pub async fn typescript_stubs(&self) -> Result<String> {
        Ok(script::typescript_stubs(&described(&modules(&self.registry()).await?)))
    }

    /// Like [`Session::typescript_stubs`], but returns one file per module, by name, and `mitt.d.ts` for the built-ins, which
    /// refers to all others.
    ///
    /// # Errors
    ///
    /// Those of [`Session::python_stubs`].
    pub async fn typescript_stub_files(&self) -> Result<Vec<(String, String)>> {
        Ok(script::typescript_stub_files(&described(&modules(&self.registry()).await?)))
    }
}

/// Skill as a module, or the embedder's tools with one prefix.
struct Module {
    name: String,
    /// `None` for tools of the embedder.
    skill: Option<Arc<Skill>>,
    tools: Vec<Tool>,
}

/// Returns the modules that scripts find, in the order in which the host lists them.
async fn modules(registry: &Registry) -> Result<Vec<Module>> {
    let mut modules = Vec::new();
    for skill in registry.skills().filter(|skill| skill.is_module()) {
        let name = to_snake(&skill.manifest().name);
        modules.push(Module { name, skill: Some(skill.clone()), tools: skill.tools().await? });
    }
    let tools = registry.tools().await;
    for name in registry.host_modules() {
        let own = |tool: &&Tool| tool.name.skill() == name && !tool.is_for_models_only();
        let tools = tools.iter().filter(own).cloned().collect();
        modules.push(Module { name: name.to_owned(), skill: None, tools });
    }
    Ok(modules)
}

fn described(modules: &[Module]) -> Vec<StubModule<'_>> {
    let modules = modules.iter();
    modules
        .map(|module| StubModule {
            name: module.name.clone(),
            description: module.skill.as_ref().map_or("", |skill| &skill.manifest().description),
            functions: module
                .tools
                .iter()
                .map(|tool| (tool.name.function().to_owned(), &*tool.function))
                .collect(),
            helpers: module.skill.iter().flat_map(|skill| names_of_helpers(skill)).collect(),
        })
        .collect()
}

fn names_of_helpers(skill: &Skill) -> Vec<String> {
    skill.helpers().files().iter().map(|(name, _)| name.clone()).collect()
}
