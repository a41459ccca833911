//! What scripts leave behind in a session.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use super::super::context::SessionContext;
use super::kept_instances::KeptInstances;
use mitt_base::lock;

/// Most helper versions whose use is remembered.
const MAX_HELPERS_KNOWN: usize = 1_024;

/// State of a session's scripts.
pub(in crate::session) struct Scripts {
    pub(super) context: Arc<SessionContext>,
    pub(super) kept: KeptInstances,
    /// Helpers that scripts have used: component of the engine, skill, hash.
    helpers: Mutex<BTreeSet<(String, String, String)>>,
}

impl Scripts {
    pub(in crate::session) fn new(context: Arc<SessionContext>) -> Scripts {
        Scripts { context, kept: KeptInstances::default(), helpers: Mutex::default() }
    }

    /// Returns the instances that stay between scripts of the session itself; those of an agent are in its view.
    pub(in crate::session) fn kept(&self) -> &KeptInstances {
        &self.kept
    }

    /// Returns whether the helpers of a skill are used for the first time. If very many versions were used, the record starts
    /// anew.
    pub(in crate::session) fn is_first_use(&self, key: (String, String, String)) -> bool {
        let mut helpers = lock(&self.helpers);
        if helpers.len() >= MAX_HELPERS_KNOWN && !helpers.contains(&key) {
            helpers.clear();
        }
        helpers.insert(key)
    }
}
