//! Which skills a session sees: those of the host, changed by the overlays of the host's layers and of the session's tenant.
//!
//! Views are made once per generation, tenant and outcome of the experiments, and shared by the sessions that have the
//! same.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::skill::{Applied, Layer, Overlay, Registry, SkillSource};
use mitt_base::Result;

/// Views that are kept; a host with more tenants makes the rest again.
const MAX_VIEWS: usize = 4_096;

/// The overlays of a host.
#[derive(Clone, Debug, Default)]
pub(in crate::session) struct Overlays {
    layers: BTreeMap<Layer, Vec<Arc<Overlay>>>,
    tenants: BTreeMap<String, Arc<Overlay>>,
}

impl Overlays {
    pub(in crate::session) fn add_layer(&mut self, layer: Layer, overlay: Overlay) {
        self.layers.entry(layer).or_default().push(Arc::new(overlay));
    }

    pub(in crate::session) fn add_tenant(&mut self, tenant: String, overlay: Overlay) {
        self.tenants.insert(tenant, Arc::new(overlay));
    }

    /// Those of all tenants, in their order.
    pub(in crate::session) fn common(&self) -> Vec<Arc<Overlay>> {
        self.layers.values().flatten().cloned().collect()
    }
}

/// The views of a host's skills.
#[derive(Debug)]
pub(in crate::session) struct Tenants {
    overlays: Overlays,
    /// Whether sessions of tenants without an overlay may still differ.
    has_experiments: bool,
    views: Mutex<Views>,
}

#[derive(Debug, Default)]
struct Views {
    generation: u64,
    made: HashMap<(String, String), Registry>,
}

impl Tenants {
    pub(in crate::session) fn new(overlays: Overlays) -> Tenants {
        let has_experiments = overlays.common().iter().any(|it| !it.experiments.is_empty());
        Tenants { overlays, has_experiments, views: Mutex::default() }
    }

    /// Refuse overlays that leave a skill unusable by mistake.
    pub(in crate::session) fn check(
        &self,
        base: &Registry,
        is_tolerated: impl Fn(&SkillSource) -> bool,
    ) -> Result<()> {
        for (tenant, overlay) in &self.overlays.tenants {
            let own = [overlay.clone()];
            base.check_names(Applied { overlays: &own, assignment: "" })
                .and_then(|()| self.view(base, tenant, "").check(&is_tolerated))
                .map_err(|error| error.at(format_args!("tenant `{tenant}`")))?;
        }
        Ok(())
    }

    /// The skills of a session of `tenant`; `assignment` decides its versions in experiments.
    pub(in crate::session) fn view(
        &self,
        base: &Registry,
        tenant: &str,
        assignment: &str,
    ) -> Registry {
        let own = self.overlays.tenants.get(tenant);
        if own.is_none() && !self.has_experiments {
            return base.clone();
        }
        let mut overlays = self.overlays.common();
        overlays.extend(own.cloned());
        let applied = Applied { overlays: &overlays, assignment };
        let whose = own.map(|_| tenant.to_owned()).unwrap_or_default();
        let key = (whose, applied.choices());
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if views.generation < base.generation() || views.made.len() >= MAX_VIEWS {
            *views = Views { generation: base.generation(), ..Views::default() };
        }
        if views.generation > base.generation() {
            // Whoever still holds an older generation makes its view alone.
            return base.under(applied);
        }
        views.made.entry(key).or_insert_with(|| base.under(applied)).clone()
    }
}
