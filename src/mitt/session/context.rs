//! What each part of a session needs: whose session it is, which skills it sees, whose memory it uses, and where its steps are
//! recorded and reported.
//!
//! Knows the host and the journal. Does not know documents, files or calls.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;

use super::event::{Event, EventSink};
use super::journal::Journal;
use crate::engine::{EngineInternal as _, SchedulerHandle};
use crate::host::{Host, SessionBudget};
use mitt_base::Result;
use mitt_base::memory::Account;
use mitt_guard::{Guard, RuleSet};
use mitt_skill::Registry;
use mitt_types::signing::{SignatureCount, SigningKeys};

/// Context of a session. Its parts share it.
pub(super) struct SessionContext {
    host: Host,
    tenant: String,
    /// Number of the session, unique in the host.
    number: u64,
    assignment: String,
    extension: Option<Arc<dyn Any + Send + Sync>>,
    /// The skills that the session sees, as of its last look.
    view: ArcSwap<Registry>,
    budget: SessionBudget,
    journal: Journal,
    events: Option<EventSink>,
    /// Keys that tools may sign with.
    signing_keys: SigningKeys,
    /// Number of signatures so far.
    signatures: SignatureCount,
    /// Rules of the session itself; `None` if it has none.
    own_rules: Option<OwnRules>,
    /// Handle of the session in the scheduler of guests.
    scheduler: Arc<SchedulerHandle>,
}

/// Values from which a [`SessionContext`] is made.
pub(super) struct ContextParts {
    pub(super) host: Host,
    pub(super) tenant: String,
    pub(super) number: u64,
    pub(super) assignment: String,
    pub(super) extension: Option<Arc<dyn Any + Send + Sync>>,
    pub(super) budget: SessionBudget,
    pub(super) journal: Journal,
    pub(super) events: Option<EventSink>,
    pub(super) rules: Vec<RuleSet>,
    pub(super) signing_keys: SigningKeys,
}

/// Rules of a session beside those of its host and its tenant.
struct OwnRules {
    sets: Vec<RuleSet>,
    /// The guard of the host and the tenant, and the one that was made of it.
    made: ArcSwap<(Guard, Guard)>,
}

impl OwnRules {
    fn new(sets: Vec<RuleSet>, common: Guard) -> Result<Option<OwnRules>> {
        if sets.is_empty() {
            return Ok(None);
        }
        let guard = common.with(sets.iter().cloned())?;
        Ok(Some(OwnRules { sets, made: ArcSwap::from_pointee((common, guard)) }))
    }

    /// Returns the guard of `common` and these rules.
    fn with(&self, common: Guard) -> Guard {
        let made = self.made.load();
        if made.0.is_same(&common) {
            return made.1.clone();
        }
        // Rules that were loaded again may be too many together with these. Those of before hold then.
        let Ok(guard) = common.with(self.sets.iter().cloned()) else { return made.1.clone() };
        self.made.store(Arc::new((common, guard.clone())));
        guard
    }
}

impl SessionContext {
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the rules are too many.
    pub(super) fn new(parts: ContextParts) -> Result<SessionContext> {
        let ContextParts {
            host,
            tenant,
            number,
            assignment,
            extension,
            budget,
            journal,
            events,
            rules,
            signing_keys,
        } = parts;
        let own_rules = OwnRules::new(rules, host.guard_of(&tenant))?;
        let view = host.view(&tenant, &assignment, &signing_keys);
        Ok(SessionContext {
            own_rules,
            scheduler: host.engine().scheduler().register(&tenant),
            view: ArcSwap::from_pointee(view),
            host,
            tenant,
            number,
            assignment,
            extension,
            budget,
            journal,
            events,
            signing_keys,
            signatures: SignatureCount::default(),
        })
    }

    pub(super) fn host(&self) -> &Host {
        &self.host
    }

    pub(super) fn tenant(&self) -> &str {
        &self.tenant
    }

    /// Returns the number of the session, unique in the host.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the value of the embedder for its own capabilities.
    pub(super) fn extension(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.extension.clone()
    }

    /// Returns the keys that tools may sign with.
    pub(super) fn signing_keys(&self) -> &SigningKeys {
        &self.signing_keys
    }

    /// Returns the number of signatures so far.
    pub(super) fn signatures(&self) -> &SignatureCount {
        &self.signatures
    }

    /// Returns the memory budget of the session.
    pub(super) fn budget(&self) -> &SessionBudget {
        &self.budget
    }

    /// Returns the account for memory that the session itself keeps.
    pub(super) fn account(&self) -> &Account {
        &self.budget.account
    }

    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns the handle of the session in the scheduler of guests.
    pub(super) fn scheduler(&self) -> &Arc<SchedulerHandle> {
        &self.scheduler
    }

    /// Returns the time of the host, since 1970.
    pub(super) fn now(&self) -> Duration {
        self.host.environment().now()
    }

    /// Returns the skills that the session sees now.
    pub(super) fn registry(&self) -> Registry {
        let view = Registry::clone(&self.view.load());
        if view.generation() == self.host.generation() {
            return view;
        }
        let view = self.host.view(&self.tenant, &self.assignment, &self.signing_keys);
        self.view.store(Arc::new(view.clone()));
        view
    }

    /// Returns the current rules of the guard for this session.
    pub(super) fn rules(&self) -> Guard {
        let common = self.host.guard_of(&self.tenant);
        match &self.own_rules {
            Some(own) => own.with(common),
            None => common,
        }
    }

    /// Returns the listener of the session.
    pub(super) fn events(&self) -> Option<&EventSink> {
        self.events.as_ref()
    }

    /// Sends an event to the listener of the session.
    pub(super) fn emit(&self, event: &Event) {
        if let Some(events) = &self.events {
            events(event);
        }
    }
}
