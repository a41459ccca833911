//! The difference that a reload made: which skills were added, changed and removed, and which problems are new.

use super::Registry;
use std::collections::BTreeSet;

/// The difference between two generations of a registry. Names are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillChange {
    /// The generation that it leads to.
    pub generation: u64,
    /// Skills that can be used now and could not before.
    pub added: Vec<String>,
    /// Skills of which there is another version now.
    pub changed: Vec<String>,
    /// Skills that can no longer be used.
    pub removed: Vec<String>,
    /// Skills that are there and cannot be used, and why. Only what is new.
    pub blocked: Vec<(String, String)>,
    /// Places with a version that cannot be used, and why; the last good version stays in use. Only what is new.
    pub problems: Vec<(String, String)>,
}

impl SkillChange {
    pub(super) fn between(before: &Registry, after: &Registry) -> SkillChange {
        let names = |registry: &Registry| -> BTreeSet<String> {
            registry.skills().map(|skill| skill.manifest().name.clone()).collect()
        };
        let (old, new) = (names(before), names(after));
        let same = |name: &&String| match (before.skill(name), after.skill(name)) {
            (Ok(before), Ok(after)) => before.is_equal(&after),
            _ => false,
        };
        let reasons = |registry: &Registry| -> BTreeSet<(String, String)> {
            let states = registry.states().into_iter();
            let blocked = states.filter_map(|state| Some((state.name, state.blocked?.to_string())));
            let hidden = registry.hidden().iter().map(|it| (it.name.clone(), it.to_string()));
            blocked.chain(hidden).collect()
        };
        let known = &before.pool().problems;
        let problems = after.pool().problems.iter();
        SkillChange {
            generation: after.generation(),
            added: new.difference(&old).cloned().collect(),
            changed: new.intersection(&old).filter(|name| !same(name)).cloned().collect(),
            removed: old.difference(&new).cloned().collect(),
            blocked: reasons(after).difference(&reasons(before)).cloned().collect(),
            problems: problems
                .filter(|(place, problem)| known.get(*place) != Some(*problem))
                .map(|(place, problem)| (place.clone(), problem.clone()))
                .collect(),
        }
    }

    /// Whether the tools that can be called are others than before.
    pub fn changes_tools(&self) -> bool {
        !(self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty())
    }

    /// Whether there is nothing to tell.
    pub(crate) fn is_empty(&self) -> bool {
        !self.changes_tools() && self.blocked.is_empty() && self.problems.is_empty()
    }
}
