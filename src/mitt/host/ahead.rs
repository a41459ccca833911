//! Loads components ahead of their first use, so that no call waits for compilation.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::shared::Host;
use mitt_base::Error;
use mitt_skill::{Compiling, Registry, Role, Skill, SkillInternal as _, SkillSource};

/// Result of loading one component ahead.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ahead {
    /// Skill of the component.
    pub skill: Arc<Skill>,
    /// `true` if it had to be compiled. Otherwise it was in the cache, or another process or an earlier call compiled it.
    pub is_compiled: bool,
    /// Duration of the loading.
    pub duration: Duration,
    /// Size of its native code in bytes; 0 if loading failed.
    pub native_bytes: u64,
    /// Error; `None` if the component is usable.
    pub failure: Option<Error>,
}

impl Host {
    /// Loads the components of all skills that the host uses, one after the other, so that no call has to wait for compilation.
    /// The order is: the default script engine, the tools for documents and files, readers, other tools, other engines. Skills
    /// that are hidden, disabled or not approved are skipped. `on_result` receives each result.
    ///
    /// This takes no place from calls, since ahead-of-time compilation has a place of its own. Drop the future to stop; a
    /// compilation that has begun is completed.
    pub async fn load_ahead(&self, on_result: impl FnMut(&Ahead) + Send) {
        self.load_skills_ahead(self.skills_to_load(), |_, _| (), on_result).await;
    }

    /// Returns the names of the bundled skills that the host uses and that must be compiled before their first call, in the order
    /// of [`Host::load_ahead`].
    pub async fn bundled_to_compile(&self) -> Vec<String> {
        let mut names = Vec::new();
        for skill in self.skills_to_load() {
            if *skill.source() == SkillSource::Bundled && !skill.is_compiled().await {
                names.push(skill.manifest().name.clone());
            }
        }
        names
    }

    /// Returns the skills whose components [`Host::load_ahead`] loads, in order.
    pub fn skills_to_load(&self) -> Vec<Arc<Skill>> {
        in_order(&self.registry())
    }

    /// Like [`Host::load_ahead`], for these `skills` in this order. `compiling` is called for each one that must be compiled: at
    /// once, and then every two seconds.
    pub async fn load_skills_ahead(
        &self,
        skills: Vec<Arc<Skill>>,
        compiling: impl Fn(&Skill, Compiling) + Send + Sync,
        mut on_result: impl FnMut(&Ahead) + Send,
    ) {
        for skill in skills {
            let start = Instant::now();
            let loaded = skill.load_ahead(&|it| compiling(&skill, it)).await;
            let (native_bytes, is_compiled) = *loaded.as_ref().unwrap_or(&(0, false));
            let (duration, failure) = (start.elapsed(), loaded.err());
            on_result(&Ahead {
                skill: skill.clone(),
                is_compiled,
                duration,
                native_bytes,
                failure,
            });
        }
    }
}

/// Tools that nearly every task needs.
const FIRST: [&str; 3] = ["document-tool", "excel-tool", "report"];

/// Returns the skills that have a component, those that are likely to be needed first at the beginning.
fn in_order(registry: &Registry) -> Vec<Arc<Skill>> {
    let is_first = |skill: &Arc<Skill>| {
        let language = skill.manifest().script().map(|script| script.language.as_str());
        let first = language.and_then(|language| registry.script(language).ok());
        first.is_some_and(|first| Arc::ptr_eq(&first, skill))
    };
    let rank = |skill: &Arc<Skill>| match skill.manifest().role {
        // The engine takes longest to compile, and most clients call nothing else.
        Role::Engine { .. } if is_first(skill) => 0,
        Role::Tools { .. } if FIRST.contains(&&*skill.manifest().name) => 1,
        Role::Reader { .. } => 2,
        Role::Tools { .. } => 3,
        Role::Engine { .. } | Role::Instructions => 4,
    };
    let with_component = registry.skills().filter(|skill| skill.manifest().component().is_some());
    let mut skills: Vec<_> = with_component.cloned().collect();
    skills.sort_by_key(rank);
    skills
}
