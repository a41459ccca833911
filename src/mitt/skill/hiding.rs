//! Which of several skills with the same name may be used: another one replaces a bundled or approved skill only if somebody
//! named it for that.
//!
//! Knows candidates in the order of their places, approvals and overlays. Which version of them is used is for the registry.

use std::fmt;
use std::sync::Arc;

use super::overlay::Applied;
use super::pool::Pool;
use super::trust::Unapproved;
use super::{Skill, SkillSource};

/// A skill that was found and is not used, because another one has its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenSkill {
    /// The name that both have.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it comes from.
    pub source: SkillSource,
    /// Where the one comes from that keeps the name.
    pub kept: SkillSource,
    /// What it lacks an approval for, where that is why.
    unapproved: Vec<String>,
}

impl HiddenSkill {
    /// What somebody can do who wants it to be used.
    pub fn way_out(&self) -> String {
        let name = &self.name;
        if !self.unapproved.is_empty() {
            return format!(
                "look at it with `mitt skill show {name} --replace-skill {name}`, then approve it with `mitt skill trust {name} --replace`"
            );
        }
        format!(
            "if it is to be used, approve it with `mitt skill trust {name} --replace`, name it with `--replace-skill {name}`, or write `replace: [{name}]` in an overlay"
        )
    }
}

/// Ends the sentence "skill `a` …".
impl fmt::Display for HiddenSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = match &self.kept {
            SkillSource::Bundled => "the bundled skill".to_owned(),
            other => format!("the skill of {other}"),
        };
        match &self.unapproved[..] {
            [] => write!(f, "of {} is not used: {kept} has its name", self.source),
            grants => write!(
                f,
                "of {} is not used, and {kept} is: it is not approved for `{}`",
                self.source,
                grants.join("`, `")
            ),
        }
    }
}

impl Pool {
    /// Those of `candidates`, which have one name, that may be used; and the others.
    pub(super) fn eligible(
        &self,
        candidates: &[Arc<Skill>],
        applied: &Applied<'_>,
    ) -> (Vec<Arc<Skill>>, Vec<HiddenSkill>) {
        let (mut eligible, mut hidden) = (Vec::<Arc<Skill>>::new(), Vec::new());
        for skill in candidates {
            let name = &skill.manifest().name;
            let keeper = eligible.iter().rev().find(|other| self.is_protected(other));
            let is_named = applied.replaces(name);
            let is_approved = self.trust.as_ref().is_some_and(|trust| trust.replaces(skill));
            let unapproved = self.trust.as_ref().and_then(|trust| trust.refuses(skill));
            let loses_to = match (keeper, &unapproved) {
                _ if is_named => None,
                (Some(keeper), _) if !is_approved => Some(keeper),
                // What cannot be used takes nothing from what can.
                (_, Some(_)) => eligible.last(),
                _ => None,
            };
            match loses_to {
                None => eligible.push(skill.clone()),
                Some(keeper) => hidden.push(HiddenSkill {
                    name: name.clone(),
                    version: skill.manifest().version.clone(),
                    source: skill.source().clone(),
                    kept: keeper.source().clone(),
                    unapproved: unapproved
                        .map(|Unapproved { grants, .. }| grants)
                        .unwrap_or_default(),
                }),
            }
        }
        (eligible, hidden)
    }
}
