//! Loading components before somebody needs them, so that no call waits while one is compiled.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::shared::Host;
use crate::skill::{Compiling, Registry, Role, Skill, SkillSource};
use mitt_base::Error;

/// What became of a component that was to be loaded ahead.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ahead {
    /// The skill whose component it is.
    pub skill: Arc<Skill>,
    /// Whether it had to be compiled; otherwise it was in the cache, or another process or an earlier call compiled it.
    pub is_compiled: bool,
    /// How long that took.
    pub duration: Duration,
    /// How large its native code is, in bytes; 0 if it cannot be used.
    pub native_bytes: u64,
    /// Why it cannot be used; none if it can.
    pub failure: Option<Error>,
}

impl Host {
    /// Load the components of all skills that the host uses, one after the other, so that no call has to wait while one is
    /// compiled: first the engine that runs scripts when nobody says which, then the tools for documents and files, readers, other tools,
    /// and other engines.
    /// What is hidden, switched off or not approved is left out. `told` hears of each.
    ///
    /// It takes no place from calls: what is compiled ahead has one of its own. Drop the future to stop; a component that is
    /// just being compiled is compiled to its end.
    pub async fn load_ahead(&self, told: impl FnMut(&Ahead) + Send) {
        self.load_skills_ahead(self.skills_to_load(), |_, _| (), told).await;
    }

    /// The names of the bundled skills that the host uses and that have to be compiled before their first call, in the order of
    /// [`Host::load_ahead`].
    pub async fn bundled_to_compile(&self) -> Vec<String> {
        let mut names = Vec::new();
        for skill in self.skills_to_load() {
            if *skill.source() == SkillSource::Bundled && !skill.is_compiled().await {
                names.push(skill.manifest().name.clone());
            }
        }
        names
    }

    /// The skills whose components [`Host::load_ahead`] loads, in its order.
    pub fn skills_to_load(&self) -> Vec<Arc<Skill>> {
        in_order(&self.registry())
    }

    /// As [`Host::load_ahead`], of these `skills` in this order; `compiling` hears of each that has to be compiled, at once and
    /// then every two seconds.
    pub async fn load_skills_ahead(
        &self,
        skills: Vec<Arc<Skill>>,
        compiling: impl Fn(&Skill, Compiling) + Send + Sync,
        mut told: impl FnMut(&Ahead) + Send,
    ) {
        for skill in skills {
            let begun = Instant::now();
            let loaded = skill.load_ahead(&|it| compiling(&skill, it)).await;
            let (native_bytes, is_compiled) = *loaded.as_ref().unwrap_or(&(0, false));
            let (duration, failure) = (begun.elapsed(), loaded.err());
            told(&Ahead { skill: skill.clone(), is_compiled, duration, native_bytes, failure });
        }
    }
}

/// Tools that nearly every piece of work needs.
const FIRST: [&str; 3] = ["document-tool", "excel-tool", "report"];

/// Those with a component, what is likely to be needed first before the others.
fn in_order(registry: &Registry) -> Vec<Arc<Skill>> {
    let is_first = |skill: &Arc<Skill>| {
        let language = skill.manifest().script().map(|script| script.language.as_str());
        let first = language.and_then(|language| registry.script(language).ok());
        first.is_some_and(|first| Arc::ptr_eq(&first, skill))
    };
    let rank = |skill: &Arc<Skill>| match skill.manifest().role {
        // It takes longest, and most clients call nothing else.
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
