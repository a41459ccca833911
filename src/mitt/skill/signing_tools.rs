//! Tools that sign, which are offered only where the operator has named a key: nobody else pays for their descriptions.

use super::registry::Registry;
use super::tool::{Runs, Tool};
use crate::capability::Capability;

impl Registry {
    /// Returns the registry of a host or session that has keys to sign with, or none.
    pub(crate) fn with_signing_keys(mut self, has_keys: bool) -> Registry {
        self.has_signing_keys = has_keys;
        self
    }

    /// Returns `true` if lists of tools have this one. A call of a tool that signs is possible all the same, and its error says
    /// who names a key.
    pub(super) fn lists(&self, tool: &Tool) -> bool {
        self.has_signing_keys || !tool.needs_signing_key()
    }
}

impl Tool {
    /// Returns `true` if a call signs with a key of the operator: the tool is `destructive`, and its skill has the grant `signing`.
    pub(crate) fn needs_signing_key(&self) -> bool {
        let is_granted = match &self.runs {
            Runs::Plugin(skill) => skill.manifest().grants.contains(&Capability::Signing),
            Runs::Script(_) | Runs::Host(_) => false,
        };
        is_granted && self.policy().destructive
    }
}
