//! Tools of a session as Python stubs.

use std::sync::Arc;

use crate::script::{self, StubModule};
use crate::skill::{Registry, Skill, Tool, to_snake};
use mitt_base::Result;

/// Returns all that a Python script can use of `registry` as one stub: a class for each module, and the built-ins.
///
/// # Errors
///
/// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - a skill cannot be loaded.
pub(in crate::session) async fn python_stubs(registry: &Registry) -> Result<String> {
    let modules = modules(registry).await?;
    Ok(script::stubs(&named(&modules)))
}

/// Does what [`python_stubs`] does, with one file per module, by name.
///
/// # Errors
///
/// Those of [`python_stubs`].
pub(in crate::session) async fn python_stub_files(
    registry: &Registry,
) -> Result<Vec<(String, String)>> {
    let modules = modules(registry).await?;
    Ok(script::stub_files(&named(&modules)))
}

async fn modules(registry: &Registry) -> Result<Vec<(Arc<Skill>, Vec<Tool>)>> {
    let mut modules = Vec::new();
    for skill in registry.skills().filter(|skill| skill.is_module()) {
        modules.push((skill.clone(), skill.tools().await?));
    }
    Ok(modules)
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
