//! Everything that was found in all places, before it is decided what of it is used.
//!
//! Knows skills and approvals. Which of several candidates has a name is decided in `hiding.rs`, the rest by the registry.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::trust::TrustStore;
use super::{Skill, SkillSource, to_snake};

/// Every version of every skill that was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// By name in snake case; those that hide others behind them.
    pub(super) by_name: BTreeMap<String, Vec<Arc<Skill>>>,
    /// What is wrong, by place.
    pub(super) problems: BTreeMap<String, String>,
    /// Names that two folders of one place have.
    pub(super) twice: Vec<String>,
    /// The grants that count; none if all do.
    pub(super) trust: Option<TrustStore>,
}

impl Pool {
    /// Whether it holds the same versions, with the same problems and approvals.
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

    /// Whether it is a bundled skill, or was put in the place of one: nothing else gets that name.
    pub(super) fn is_standard(&self, skill: &Skill) -> bool {
        let candidates = self.by_name.get(&to_snake(&skill.manifest().name)).into_iter().flatten();
        candidates.into_iter().any(|other| *other.source() == SkillSource::Bundled)
    }

    /// Whether only somebody who names it may put another one in its place.
    pub(super) fn is_protected(&self, skill: &Skill) -> bool {
        *skill.source() == SkillSource::Bundled
            || self.trust.as_ref().is_some_and(|trust| trust.knows(skill))
    }
}
