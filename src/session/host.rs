//! The host: what all sessions of a process share.

use std::path::PathBuf;
use std::sync::Arc;

use super::admission::Admission;
use crate::Result;
use crate::engine::{CacheDir, Engine, EngineOptions, Environment};
use crate::limits::{CallLimits, ConcurrencyLimits, SessionLimits};
use crate::skill::Registry;

/// Engine, skills and limits. A cheap handle, `Send` and `Sync`; make one per process.
#[derive(Clone, Debug)]
pub struct Host {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    engine: Engine,
    registry: Registry,
    call_limits: Option<CallLimits>,
    session_limits: SessionLimits,
    admission: Admission,
    environment: Environment,
    fonts: Vec<Arc<[u8]>>,
}

const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Host>();
};

/// Makes a [`Host`].
///
/// Defaults: the bundled skills, no other skills, no cache, no native code from folders, the limits of each skill, the
/// default session limits, the default concurrency, the system's clock and random numbers, the bundled fonts.
#[derive(Clone, Debug)]
pub struct HostBuilder {
    engine: EngineOptions,
    bundled: bool,
    skills: Vec<PathBuf>,
    call_limits: Option<CallLimits>,
    session_limits: SessionLimits,
    concurrency: ConcurrencyLimits,
    environment: Environment,
    fonts: Vec<Arc<[u8]>>,
}

impl HostBuilder {
    /// Keep compiled components here.
    #[must_use]
    pub fn cache(mut self, cache: Option<CacheDir>) -> HostBuilder {
        self.engine.cache = cache;
        self
    }

    /// Load native code that stands beside a component. See [`EngineOptions::allow_precompiled`].
    #[must_use]
    pub fn allow_precompiled(mut self, allow: bool) -> HostBuilder {
        self.engine.allow_precompiled = allow;
        self
    }

    /// Whether the skills inside the binary are there. Default `true`.
    #[must_use]
    pub fn bundled_skills(mut self, bundled: bool) -> HostBuilder {
        self.bundled = bundled;
        self
    }

    /// Add a folder of skills. Its skills hide those of the same name added before.
    #[must_use]
    pub fn skills(mut self, folder: impl Into<PathBuf>) -> HostBuilder {
        self.skills.push(folder.into());
        self
    }

    /// Lower the limits of every call to at most these. A skill's own lower limits stay.
    #[must_use]
    pub fn call_limits(mut self, limits: CallLimits) -> HostBuilder {
        self.call_limits = Some(limits);
        self
    }

    /// Limits of every session.
    #[must_use]
    pub fn session_limits(mut self, limits: SessionLimits) -> HostBuilder {
        self.session_limits = limits;
        self
    }

    /// How many calls run and wait at once, of each tenant and of all together. A bound of 0 places means 1.
    #[must_use]
    pub fn concurrency(mut self, limits: ConcurrencyLimits) -> HostBuilder {
        self.concurrency = limits;
        self
    }

    /// Clock and random numbers.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> HostBuilder {
        self.environment = environment;
        self
    }

    /// Add a font (TTF, OTF or a collection of them) for PDF, used where the bundled fonts have no glyph.
    #[must_use]
    pub fn font(mut self, font: impl Into<Arc<[u8]>>) -> HostBuilder {
        self.fonts.push(font.into());
        self
    }

    /// Make the host. Plugins are loaded when they are first needed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](crate::ErrorKind::Host) - the processor is not supported.
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) - a skill's manifest is wrong.
    pub fn build(self) -> Result<Host> {
        let engine = Engine::new(self.engine)?;
        let registry = Registry::load(&engine, self.bundled, &self.skills)?;
        let inner = Inner {
            engine,
            registry,
            call_limits: self.call_limits,
            session_limits: self.session_limits,
            admission: Admission::new(self.concurrency),
            environment: self.environment,
            fonts: self.fonts,
        };
        Ok(Host { inner: Arc::new(inner) })
    }
}

impl Host {
    /// A builder with safe defaults.
    pub fn builder() -> HostBuilder {
        HostBuilder {
            engine: EngineOptions::default(),
            bundled: true,
            skills: Vec::new(),
            call_limits: None,
            session_limits: SessionLimits::default(),
            concurrency: ConcurrencyLimits::default(),
            environment: Environment::default(),
            fonts: Vec::new(),
        }
    }

    /// Its engine.
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Its skills.
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// Limits of every session.
    pub fn session_limits(&self) -> &SessionLimits {
        &self.inner.session_limits
    }

    /// How many calls run and wait at once.
    pub fn concurrency(&self) -> &ConcurrencyLimits {
        self.inner.admission.limits()
    }

    pub(super) fn admission(&self) -> &Admission {
        &self.inner.admission
    }

    /// Clock and random numbers.
    pub fn environment(&self) -> &Environment {
        &self.inner.environment
    }

    /// A skill's limits, lowered to the host's.
    pub fn limits_of(&self, skill: &CallLimits) -> CallLimits {
        match &self.inner.call_limits {
            Some(limits) => skill.lowered_by(limits),
            None => skill.clone(),
        }
    }

    #[cfg_attr(not(feature = "pdf"), allow(dead_code, reason = "only PDF needs fonts"))]
    pub(super) fn fonts(&self) -> &[Arc<[u8]>] {
        &self.inner.fonts
    }
}
