//! All skills that were found in all places, before it is decided which of them are used.
//!
//! Knows skills and approvals. `hidden_skills.rs` chooses among candidates of one name, the registry does the rest.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::trust::TrustStore;
use super::{Skill, SkillSource, to_snake};

/// Every version of every skill that was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// Candidates by name in snake case; later ones hide earlier ones.
    pub(super) by_name: BTreeMap<String, Vec<Arc<Skill>>>,
    /// Problems by place.
    pub(super) problems: BTreeMap<String, String>,
    /// Names that occur twice in one place.
    pub(super) twice: Vec<String>,
    /// Approvals; `None` if all grants count as approved.
    pub(super) trust: Option<TrustStore>,
}

impl Pool {
    /// Returns whether it has the same versions, problems and approvals.
    pub(super) fn is_same(&self, other: &Pool) -> bool {
        let same = |one: &[Arc<Skill>], other: &[Arc<Skill>]| {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| Arc::ptr_eq(one, other))
        };
        self.by_name.len() == other.by_name.len()
            && self
                .by_name
                .iter()
                .zip(&other.by_name)
                .all(|(one, other)| one.0 == other.0 && same(one.1, other.1))
            && self.problems == other.problems
            && self.trust == other.trust
    }

    pub(super) fn add(&mut self, skill: Arc<Skill>) {
        self.by_name.entry(to_snake(&skill.manifest().name)).or_default().push(skill);
    }

    /// Returns whether the skill is bundled, or replaces a bundled one, whose name nothing else can get.
    pub(super) fn is_standard(&self, skill: &Skill) -> bool {
        let candidates = self.by_name.get(&to_snake(&skill.manifest().name)).into_iter().flatten();
        candidates.into_iter().any(|other| *other.source() == SkillSource::Bundled)
    }

    /// Returns whether the skill can be replaced only by an explicit setting.
    pub(super) fn is_protected(&self, skill: &Skill) -> bool {
        *skill.source() == SkillSource::Bundled
            || self.trust.as_ref().is_some_and(|trust| trust.knows(skill))
    }
}
