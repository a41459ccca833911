//! Result of a reload: which skills were added, changed and removed, and which problems are new.

use super::Registry;
use std::collections::BTreeSet;

/// Difference between two generations of a registry. Names are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillChange {
    /// Generation after the change.
    pub generation: u64,
    /// Skills that have become usable.
    pub added: Vec<String>,
    /// Skills with another version than before.
    pub changed: Vec<String>,
    /// Skills that are no longer usable.
    pub removed: Vec<String>,
    /// Skills that exist but cannot be used, and the reasons. Only new ones are listed.
    pub blocked: Vec<(String, String)>,
    /// Places with an unusable version, and the reasons; the last good version stays in use. Only new ones are listed.
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

    /// Returns whether the set of callable tools may have changed.
    pub fn changes_tools(&self) -> bool {
        !(self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty())
    }
}

/// Methods of [`SkillChange`] for Mitt's own crates.
pub trait SkillChangeInternal {
    /// Returns whether there is nothing to report.
    fn is_empty(&self) -> bool;
}

impl SkillChangeInternal for SkillChange {
    fn is_empty(&self) -> bool {
        !self.changes_tools() && self.blocked.is_empty() && self.problems.is_empty()
    }
}
