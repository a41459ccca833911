//! Tools of a session as Python stubs.

use std::sync::Arc;

use super::super::state::Session;
use crate::script::{self, StubModule};
use crate::skill::{Skill, Tool, to_snake};
use mitt_base::Result;

impl Session {
    /// Returns all that a Python script of the session can use as one stub (`.pyi`): a class for each module, with the types of
    /// its functions, and the built-ins.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - a skill cannot be loaded.
    pub async fn python_stubs(&self) -> Result<String> {
        let modules = self.modules().await?;
        Ok(script::stubs(&named(&modules)))
    }

    /// Like [`Session::python_stubs`], but returns one file per module, by name, and `__builtins__.pyi` for the built-ins. Type
    /// checkers find them in a folder of stubs.
    ///
    /// # Errors
    ///
    /// Those of [`Session::python_stubs`].
    pub async fn python_stub_files(&self) -> Result<Vec<(String, String)>> {
        let modules = self.modules().await?;
        Ok(script::stub_files(&named(&modules)))
    }

    async fn modules(&self) -> Result<Vec<(Arc<Skill>, Vec<Tool>)>> {
        let registry = self.registry();
        let mut modules = Vec::new();
        for skill in registry.skills().filter(|skill| skill.is_module()) {
            modules.push((skill.clone(), skill.tools().await?));
        }
        Ok(modules)
    }
}

fn named(modules: &[(Arc<Skill>, Vec<Tool>)]) -> Vec<StubModule<'_>> {
    let modules = modules.iter();
    modules
        .map(|(skill, tools)| StubModule {
            name: to_snake(&skill.manifest().name),
            description: &skill.manifest().description,
            functions: tools
                .iter()
                .map(|tool| (tool.name.function().to_owned(), &*tool.function))
                .collect(),
            helpers: skill.helpers().files().iter().map(|(name, _)| name.clone()).collect(),
        })
        .collect()
}
