//! Chooses among skills with the same name: another skill replaces a bundled or approved one only if the operator names it for
//! that. Native code of the bundled skill itself is no other skill.
//!
//! Knows candidates in the order of their places, approvals and overlays. The registry chooses the version.

use std::fmt;
use std::sync::Arc;

use super::overlay::Applied;
use super::pool::Pool;
use super::trust::Unapproved;
use super::{Skill, SkillSource};
use mitt_base::Remedy;

/// Skill that is not used because another one has its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenSkill {
    /// Name of both skills.
    pub name: String,
    /// Version of the hidden skill.
    pub version: String,
    /// Source of the hidden skill.
    pub source: SkillSource,
    /// Source of the skill that keeps the name.
    pub kept: SkillSource,
    /// Permissions that lack an approval, if that is the reason.
    unapproved: Vec<String>,
}

impl HiddenSkill {
    /// Returns the way to use the hidden skill.
    pub fn remedy(&self) -> Remedy {
        let name = self.name.clone();
        if self.unapproved.is_empty() {
            Remedy::ReplaceSkill { name }
        } else {
            Remedy::TrustReplacement { name }
        }
    }

    /// Returns advice on how to use the hidden skill, in the words of this process: see [`Remedy::text`].
    pub fn way_out(&self) -> String {
        self.remedy().text()
    }
}

/// Completes the sentence "skill `a` …".
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
    /// Splits `candidates` of one name into those that may be used and those that are hidden.
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
            let is_itself = |keeper: &Skill| {
                *keeper.source() == SkillSource::Bundled && skill.is_native_code_of(keeper)
            };
            let loses_to = match (keeper, &unapproved) {
                _ if is_named => None,
                (Some(keeper), None) if is_itself(keeper) => None,
                (Some(keeper), _) if !is_approved => Some(keeper),
                // A candidate that cannot be used must not hide one that can.
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
