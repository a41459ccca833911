//! The catalogues of a server. Sessions that see the same skills share one.

use std::sync::{Arc, Mutex, MutexGuard, Weak};

use super::catalogue::Catalogue;
use super::options::Schemas;
use mitt::Host;
use mitt::offer::ToolMode;
use mitt::skill::Registry;
use mitt_base::lock;

/// Most catalogues that are remembered for tenants with equal skills.
const CATALOGUES: usize = 32;
/// Most catalogues of the current skills that are kept for requests without a session.
const RECENT: usize = 8;

/// The catalogues of a host's skills, for all sessions.
pub(super) struct Catalogues {
    host: Host,
    mode: ToolMode,
    schemas: Schemas,
    /// The catalogues in use.
    known: Mutex<Vec<Weak<Catalogue>>>,
    /// The most recently used catalogues of the current generation, with its number.
    recent: Mutex<Vec<(u64, Arc<Catalogue>)>>,
}

impl Catalogues {
    /// Makes the catalogues of `host`, with this mode and form of schemas.
    pub(super) fn new(host: Host, mode: ToolMode, schemas: Schemas) -> Catalogues {
        Catalogues { host, mode, schemas, known: Mutex::default(), recent: Mutex::default() }
    }

    /// Returns the catalogue of the skills of `registry`. Sessions that see the same skills share one.
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
        // Boxed, because it is rare and large.
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

    /// Keeps a catalogue for requests without a session, as long as its skills are current.
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
