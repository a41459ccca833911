//! The catalogues of a server. Sessions that see the same skills share one.

use std::sync::{Arc, Mutex, MutexGuard, Weak};

use super::catalogue::Catalogue;
use super::options::Schemas;
use mitt::Host;
use mitt::offer::ToolMode;
use mitt::skill::Registry;
use mitt_base::lock;

/// Most catalogues that are remembered for tenants whose skills are the same.
const CATALOGUES: usize = 32;
/// Most catalogues of the present skills that are kept for requests that have no session.
const RECENT: usize = 8;

/// What the skills of a host offer, for all sessions.
pub(super) struct Catalogues {
    host: Host,
    mode: ToolMode,
    schemas: Schemas,
    /// Of the sets of skills that sessions see.
    known: Mutex<Vec<Weak<Catalogue>>>,
    /// Those of the present generation that were asked for last, with it.
    recent: Mutex<Vec<(u64, Arc<Catalogue>)>>,
}

impl Catalogues {
    /// Of the skills of `host`, whose tools are shown and whose schemas are written so.
    pub(super) fn new(host: Host, mode: ToolMode, schemas: Schemas) -> Catalogues {
        Catalogues { host, mode, schemas, known: Mutex::default(), recent: Mutex::default() }
    }

    /// What the skills of `registry` offer. Sessions that see the same skills share one.
    pub(super) async fn of(&self, registry: Registry) -> Arc<Catalogue> {
        let known = {
            let mut known = self.known();
            known.retain(|one| one.strong_count() > 0);
            known.iter().filter_map(Weak::upgrade).find(|one| one.is_of(&registry))
        };
        let generation = registry.generation();
        if let Some(known) = known {
            self.keep(generation, &known);
            return known;
        }
        // Seldom, and large.
        let made = Box::pin(Catalogue::new(registry, self.mode, self.schemas)).await;
        let made = Arc::new(made);
        let mut known = self.known();
        if known.len() >= CATALOGUES {
            known.remove(0);
        }
        known.push(Arc::downgrade(&made));
        drop(known);
        self.keep(generation, &made);
        made
    }

    /// Keep a catalogue for requests that have no session, as long as its skills are the present ones.
    fn keep(&self, generation: u64, catalogue: &Arc<Catalogue>) {
        let present = self.host.registry().generation();
        let mut recent = lock(&self.recent);
        recent.retain(|(of, _)| *of == present);
        if generation == present && !recent.iter().any(|(_, it)| Arc::ptr_eq(it, catalogue)) {
            if recent.len() >= RECENT {
                recent.remove(0);
            }
            recent.push((generation, catalogue.clone()));
        }
    }

    fn known(&self) -> MutexGuard<'_, Vec<Weak<Catalogue>>> {
        lock(&self.known)
    }
}
