//! The parts of a session, which its clones share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::super::agent_view::AgentView;
use super::super::approval::ApprovalGate;
use super::super::content::Content;
use super::super::context::SessionContext;
use super::super::delivery::Delivery;
use super::super::guard::SessionGuard;
use super::super::script::Scripts;
use super::calls::Calls;
use mitt_skill::Registry;

/// State that the clones of a session share: one field for each folder that owns a part of it.
pub(in crate::session) struct Inner {
    pub(in crate::session) context: Arc<SessionContext>,
    pub(in crate::session) guard: SessionGuard,
    pub(in crate::session) content: Arc<Content>,
    pub(in crate::session) delivery: Arc<Delivery>,
    pub(in crate::session) approvals: ApprovalGate,
    pub(in crate::session) scripts: Scripts,
    pub(in crate::session) calls: Calls,
    /// Number of agents created.
    pub(in crate::session) agents: AtomicU64,
}

impl Inner {
    /// Returns the skills that an agent of the session sees now.
    pub(in crate::session) fn registry_for(&self, agent_view: Option<&AgentView>) -> Registry {
        let whole = self.context.registry();
        match agent_view {
            Some(view) => view.registry(whole),
            None => whole,
        }
    }
}
