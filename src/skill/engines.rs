//! Script engines of a language, and the tool of the host that runs scripts in them.
//!
//! Knows skills. `capability` and `session` know what an engine does with a script.

use std::sync::Arc;

use super::{Skill, ToolName, ToolPolicy, to_snake};
use crate::script_tool::{self, EngineName, RUN};
use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Function;

/// Installed engines of one language, and the tool `<language>__run`.
#[derive(Debug)]
pub struct Engines {
    /// Name of the tool.
    pub name: ToolName,
    /// The language in kebab case.
    pub language: String,
    /// `true` if lists of tools have the tool.
    pub is_offered: bool,
    /// Default engine.
    first: Arc<Skill>,
    others: Vec<Arc<Skill>>,
    /// Parameters and result of the tool.
    pub function: Arc<Function>,
    /// Policy of the tool.
    pub policy: Arc<ToolPolicy>,
}

impl Engines {
    /// Returns the engines of `language`, the default one first: the one that is `pinned`, then bundled ones and their
    /// replacements (`is_standard`), then by descending rank. A skill sets its own rank, so a rank cannot take scripts from a
    /// bundled engine. `is_offered` says whether lists of tools have the tool; if it is `None`, they have it unless all engines
    /// are there on request only.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is no engine, the language cannot be part of a tool name, or `skill.yaml` or an overlay
    /// contains an invalid setting for the tool.
    pub(super) fn new(
        language: &str,
        mut engines: Vec<Arc<Skill>>,
        pinned: Option<&str>,
        is_offered: Option<bool>,
        is_standard: impl Fn(&Skill) -> bool,
    ) -> Result<Engines> {
        let rank = |skill: &Skill| skill.manifest().script().map_or(0, |script| script.rank);
        engines.sort_by_key(|skill| {
            let name = skill.manifest().name.clone();
            (pinned != Some(&*name), !is_standard(skill), std::cmp::Reverse(rank(skill)), name)
        });
        let name = ToolName::new(language, RUN).ok_or_else(|| {
            Error::new(ErrorKind::Load, format!("`{language}` is no name of a language"))
        })?;
        let names: Vec<EngineName<'_>> = engines
            .iter()
            .map(|skill| EngineName {
                name: &skill.manifest().name,
                description: &skill.manifest().description,
            })
            .collect();
        let time =
            engines.iter().map(|skill| skill.manifest().limits.time).max().unwrap_or_default();
        let mut function = script_tool::function(language, &names, time)?;
        let mut policy = ToolPolicy {
            title: Some(script_tool::policy_title(language)),
            ..ToolPolicy::default()
        };
        let mut engines = engines.into_iter();
        let first = engines.next().ok_or_else(|| {
            Error::new(ErrorKind::Load, format!("no skill runs `{language}` scripts"))
        })?;
        let at = |error: Error| error.at(format!("skill `{}`", first.manifest().name));
        for entry in &first.manifest().tools {
            if let Some(schema) = &entry.input_schema {
                function = function.narrowed(schema).map_err(at)?;
            }
            let title = entry.policy.title.clone().or(policy.title);
            policy = ToolPolicy { title, ..entry.policy.clone() };
        }
        for (_, schema) in first.overlay_bounds().iter().filter(|(name, _)| name == RUN) {
            function = function.narrowed(schema).map_err(at)?;
        }
        let others: Vec<Arc<Skill>> = engines.collect();
        let all = || std::iter::once(&first).chain(&others);
        let on_request =
            |skill: &Arc<Skill>| skill.manifest().script().is_some_and(|it| it.on_request);
        let is_offered = is_offered.unwrap_or_else(|| !all().all(on_request));
        let (language, function) = (language.to_owned(), Arc::new(function));
        let policy = Arc::new(policy);
        Ok(Engines { name, language, is_offered, first, others, function, policy })
    }

    /// Returns the default engine.
    pub fn first(&self) -> &Arc<Skill> {
        &self.first
    }

    /// Returns all engines, the default one first.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Skill>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Returns the engine of this name, or the default one for the name of the language.
    pub fn named(&self, name: &str) -> Option<&Arc<Skill>> {
        if to_snake(name) == self.name.skill() {
            return Some(&self.first);
        }
        self.all().find(|skill| skill.manifest().name == name)
    }
}
