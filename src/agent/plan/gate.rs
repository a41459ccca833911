//! What the routing gates allow a plan: no plan is made for small talk and questions about abilities, and if the words do not
//! clearly request work, a small model is asked before steps that write.
//!
//! Knows words and gates. The run handles refusals.

use crate::model::Usage;
use crate::route::{
    Fork, ForkKind, Forks, Incoming, Intent, Routed, Router, Trace, Typed, refusal,
};
use mitt::Session;
use mitt_base::Result;

/// Gates for the instruction of a plan.
pub(super) struct Gate<'a> {
    router: &'a Router,
    routed: Routed,
}

impl<'a> Gate<'a> {
    /// Returns the gates for these words. `None` without routing, and for a command, which names what is wanted.
    pub(super) fn of(
        router: Option<&'a Router>,
        session: &Session,
        words: &str,
    ) -> Option<Gate<'a>> {
        if matches!(Typed::of(words), Typed::Command { .. }) {
            return None;
        }
        let incoming = Incoming {
            message: words,
            has_new_documents: !session.documents().is_empty(),
            ..Incoming::default()
        };
        let router = router?;
        let routed = router.route(incoming, &[]).ok()?;
        Some(Gate { router, routed })
    }

    /// Returns whether no plan may be made.
    pub(super) fn is_closed(&self) -> bool {
        self.routed.forks == Forks::Suppressed
    }

    /// Passes the gates with a plan; `writes` says whether a step may change or deliver anything. Also returns the usage.
    pub(super) async fn admit(&mut self, writes: bool) -> (Result<()>, Usage) {
        let fork = Fork { kind: ForkKind::Plan, writes, is_expensive: false };
        let started = self.router.start(&mut self.routed, fork, async {}).await;
        let usage = started.verdict.as_ref().map(|verdict| verdict.usage);
        let passed = started.done.ok_or_else(|| {
            refusal(self.routed.intent, started.verdict.as_ref())
                .hint("say what is to be read, worked out or made, or do without routing")
        });
        (passed, usage.unwrap_or_default())
    }

    pub(super) fn intent(&self) -> Intent {
        self.routed.intent
    }

    /// Returns the decisions so far.
    pub(super) fn trace(&self) -> &Trace {
        &self.routed.trace
    }
}
