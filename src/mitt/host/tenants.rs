//! Selects the skills that a session sees: those of the host, changed by the overlays of the host's layers and of the session's
//! tenant.
//!
//! A view is made once for each generation, tenant and outcome of the experiments. Sessions with the same ones share it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use mitt_base::Result;
use mitt_base::lock;
use mitt_skill::{
    Applied, HostTools, Layer, Overlay, Registry, RegistryInternal as _, SkillSource,
};

/// Most views that are kept; a host with more tenants recomputes the others.
const MAX_VIEWS: usize = 4_096;

/// Overlays of a host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlays {
    layers: BTreeMap<Layer, Vec<Arc<Overlay>>>,
    tenants: BTreeMap<String, Arc<Overlay>>,
}

impl Overlays {
    pub(crate) fn add_layer(&mut self, layer: Layer, overlay: Overlay) {
        self.layers.entry(layer).or_default().push(Arc::new(overlay));
    }

    pub(crate) fn add_tenant(&mut self, tenant: String, overlay: Overlay) {
        self.tenants.insert(tenant, Arc::new(overlay));
    }

    /// Returns the overlays for all tenants, in order.
    pub(crate) fn common(&self) -> Vec<Arc<Overlay>> {
        self.layers.values().flatten().cloned().collect()
    }
}

/// Views of a host's skills.
#[derive(Debug)]
pub(crate) struct Tenants {
    overlays: Overlays,
    /// `true` if sessions of tenants without an overlay may still differ.
    has_experiments: bool,
    views: Mutex<Views>,
}

#[derive(Debug, Default)]
struct Views {
    generation: u64,
    made: HashMap<(String, String), Registry>,
}

impl Tenants {
    pub(crate) fn new(overlays: Overlays) -> Tenants {
        let has_experiments = overlays.common().iter().any(|it| !it.experiments.is_empty());
        Tenants { overlays, has_experiments, views: Mutex::default() }
    }

    /// Refuses overlays that would make a skill unusable by mistake.
    pub(crate) fn check(
        &self,
        base: &Registry,
        is_tolerated: impl Fn(&SkillSource) -> bool,
    ) -> Result<()> {
        for (tenant, overlay) in &self.overlays.tenants {
            let own = [overlay.clone()];
            base.check_names(Applied { overlays: &own, assignment: "", taken: &[] })
                .and_then(|()| self.skills(base, Some(tenant), "", &[]).check(&is_tolerated))
                .map_err(|error| error.at(format_args!("tenant `{tenant}`")))?;
        }
        Ok(())
    }

    /// Returns the skills of a session of `tenant`, with `tools` of the host; `assignment` selects the variants in experiments.
    pub(crate) fn view(
        &self,
        base: &Registry,
        tenant: &str,
        assignment: &str,
        tools: &HostTools,
    ) -> Registry {
        self.beside(base, Some(tenant), assignment, tools)
    }

    /// Returns the skills with `tools` of the host, before overlays of tenants and experiments are applied.
    pub(crate) fn common(&self, base: &Registry, tools: &HostTools) -> Registry {
        self.beside(base, None, "", tools)
    }

    fn beside(
        &self,
        base: &Registry,
        tenant: Option<&str>,
        assignment: &str,
        tools: &HostTools,
    ) -> Registry {
        let mut skills = self.skills(base, tenant, assignment, &[]);
        // Rare: skills should not be named like a part of the host.
        if skills.has_tools_named(tools.prefixes()) {
            skills = self.skills(base, tenant, assignment, tools.prefixes());
        }
        skills.with_host_tools(tools)
    }

    /// Returns the skills, without those whose tools would have a prefix that is `taken`.
    fn skills(
        &self,
        base: &Registry,
        tenant: Option<&str>,
        assignment: &str,
        taken: &[String],
    ) -> Registry {
        let own = tenant.and_then(|tenant| self.overlays.tenants.get(tenant));
        let is_split = self.has_experiments && tenant.is_some();
        if own.is_none() && !is_split && taken.is_empty() {
            return base.clone();
        }
        let mut overlays = self.overlays.common();
        overlays.extend(own.cloned());
        let applied = Applied { overlays: &overlays, assignment, taken };
        let whose = own.and(tenant).unwrap_or_default().to_owned();
        let key = (whose, applied.choices());
        let mut views = lock(&self.views);
        if views.generation < base.generation() || views.made.len() >= MAX_VIEWS {
            *views = Views { generation: base.generation(), ..Views::default() };
        }
        if views.generation > base.generation() {
            // A caller with an older generation makes its view without the cache.
            return base.under(applied);
        }
        views.made.entry(key).or_insert_with(|| base.under(applied)).clone()
    }
}
