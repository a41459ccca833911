//! The host: what all sessions of a process share.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use tokio::sync::broadcast;
use wasmtime::component::Linker;

use super::admission::Admission;
use super::blocking::Blocking;
use super::budget::{Budget, TenantBudget, TenantCharge};
use super::changes::{CHANGES, Changes};
use super::guards::{GuardSets, GuardSource, Guards};
use super::outside::Outside;
use super::tenants::{Overlays, Tenants};
use crate::capability::{CallContext, OwnCapabilities, OwnCapability};
use crate::engine::{CacheDir, Engine, EngineOptions, Environment, ProblemSink, PublicKey};
use crate::skill::{
    ComponentSource, HostTool, HostTools, Layer, Loader, Overlay, Registry, SkillChange, Sources,
};
use crate::worker::WorkerOptions;
use mitt_base::Result;
use mitt_base::limits::{
    BlockingLimits, CallLimits, ConcurrencyLimits, MemoryLimits, SessionLimits,
};
use mitt_base::memory::MemoryUsage;
use mitt_guard::Guard;

/// Engine, skills and limits. A cheap handle, `Send` and `Sync`; make one per process.
#[derive(Clone, Debug)]
pub struct Host {
    inner: Arc<Inner>,
    /// Its own tools: what [`Host::with_tool`] adds is for the sessions of one handle.
    tools: HostTools,
}

#[derive(Debug)]
struct Inner {
    engine: Engine,
    registry: ArcSwap<Registry>,
    tenants: Tenants,
    loader: Loader,
    changes: broadcast::Sender<Arc<SkillChange>>,
    /// How many sessions were opened so far.
    sessions: AtomicU64,
    /// Held while the skills are read again.
    reloading: tokio::sync::Mutex<()>,
    call_limits: Option<CallLimits>,
    session_limits: SessionLimits,
    admission: Admission,
    budget: Budget,
    full_journals: bool,
    blocking: Blocking,
    environment: Environment,
    fonts: mitt_render::FontSet,
    guards: Guards,
    outside: Outside,
}

const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Host>();
};

/// Makes a [`Host`].
///
/// Defaults: the bundled skills, no other skills or components, no cache, no keys of native code, the limits of each
/// skill, the default session limits, the default concurrency, the system's clock and random numbers, the bundled fonts,
/// no worker process, nobody who recognises text in pictures, no capabilities beside those of every host.
#[derive(Clone, Debug)]
pub struct HostBuilder {
    engine: EngineOptions,
    bundled: bool,
    skills: Vec<PathBuf>,
    tolerant: BTreeSet<usize>,
    components: Vec<ComponentSource>,
    overlays: Overlays,
    trust: Option<PathBuf>,
    call_limits: Option<CallLimits>,
    session_limits: SessionLimits,
    concurrency: ConcurrencyLimits,
    memory: MemoryLimits,
    full_journals: bool,
    blocking: BlockingLimits,
    worker: Option<WorkerOptions>,
    environment: Environment,
    fonts: Vec<Arc<[u8]>>,
    pub(super) capabilities: Vec<OwnCapability>,
    tools: OwnTools,
    guards: GuardSets,
    pub(super) outside: Outside,
}

/// Tools that the host is to have.
#[derive(Clone, Default)]
struct OwnTools(Vec<Arc<dyn HostTool>>);

impl std::fmt::Debug for OwnTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|tool| tool.function())).finish()
    }
}

impl HostBuilder {
    /// Keep compiled components here.
    #[must_use]
    pub fn cache(mut self, cache: Option<CacheDir>) -> HostBuilder {
        self.engine.cache = cache;
        self
    }

    /// Tell of it, once, if compiled components cannot be kept in the cache. Default nobody.
    #[must_use]
    pub fn cache_problems(mut self, told: ProblemSink) -> HostBuilder {
        self.engine.cache_problems = Some(told);
        self
    }

    /// Trust native code that was signed with this key. May be said several times. See
    /// [`EngineOptions::precompiled_keys`](crate::engine::EngineOptions::precompiled_keys).
    #[must_use]
    pub fn precompiled_key(mut self, key: PublicKey) -> HostBuilder {
        self.engine.precompiled_keys.push(key);
        self
    }

    /// Trust native code in this folder as the program itself: it is not read to be compared with its record. May be said several
    /// times. See [`EngineOptions::trusted_folders`](crate::engine::EngineOptions::trusted_folders).
    #[must_use]
    pub fn trusted_folder(mut self, folder: impl Into<PathBuf>) -> HostBuilder {
        self.engine.trusted_folders.push(folder.into());
        self
    }

    /// Whether the skills inside the binary are there. Default `true`.
    #[must_use]
    pub fn bundled_skills(mut self, bundled: bool) -> HostBuilder {
        self.bundled = bundled;
        self
    }

    /// Add a folder of skills. Its skills hide those of the same name added before; bundled and approved ones only where
    /// [`HostBuilder::replace_skill`] or an overlay says so by their name.
    #[must_use]
    pub fn skills(mut self, folder: impl Into<PathBuf>) -> HostBuilder {
        self.skills.push(folder.into());
        self
    }

    /// As [`HostBuilder::skills`], but a skill that cannot be read is left out, and told by
    /// [`Registry::problems`]: one broken installation does not stop the others.
    #[must_use]
    pub fn installed_skills(mut self, folder: impl Into<PathBuf>) -> HostBuilder {
        self.tolerant.insert(self.skills.len());
        self.skills(folder)
    }

    /// Let a skill of this name from a folder or component take the place of the bundled or approved one. Without it such a
    /// skill is left out, and told by [`Registry::hidden`].
    #[must_use]
    pub fn replace_skill(self, name: impl Into<String>) -> HostBuilder {
        let overlay = Overlay { replace: vec![name.into()], ..Overlay::default() };
        self.overlay(Layer::Project, overlay)
    }

    /// Add a component (`.wasm` or `.wasm.zst`) as a skill that is named after the file. It need not know Mitt; it gets
    /// no capabilities, and WASI in its smallest form. It hides a skill of the same name as one of a folder does.
    #[must_use]
    pub fn component(mut self, file: impl Into<PathBuf>) -> HostBuilder {
        self.components.push(ComponentSource::File(file.into()));
        self
    }

    /// As [`HostBuilder::component`], of a component in memory. `name` is that of the skill, in kebab case.
    #[must_use]
    pub fn component_bytes(
        mut self,
        name: impl Into<String>,
        bytes: impl Into<Cow<'static, [u8]>>,
    ) -> HostBuilder {
        self.components.push(ComponentSource::Bytes(name.into(), bytes.into()));
        self
    }

    /// Lay `overlay` over the skills of all tenants. Of several in one layer, the later ones have the last word.
    #[must_use]
    pub fn overlay(mut self, layer: Layer, overlay: Overlay) -> HostBuilder {
        self.overlays.add_layer(layer, overlay);
        self
    }

    /// Lay `overlay` over the skills of the sessions of `tenant`, after all layers.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>, overlay: Overlay) -> HostBuilder {
        self.overlays.add_tenant(tenant.into(), overlay);
        self
    }

    /// Let the engine of this name run the scripts of its language when nobody says which engine, instead of the fullest one.
    #[must_use]
    pub fn script_engine(self, engine: impl Into<String>) -> HostBuilder {
        let overlay = Overlay { engine: Some(engine.into()), ..Overlay::default() };
        self.overlay(Layer::Project, overlay)
    }

    /// Count the grants and Python files of a skill that is not bundled only if this file (see
    /// [`TrustStore`](crate::skill::TrustStore)) approves what of it runs for them. Without a file, and so by default, they all
    /// count: whoever adds a folder trusts it. An empty path approves nothing. It is read at the start and at every reload.
    #[must_use]
    pub fn trust(mut self, file: impl Into<PathBuf>) -> HostBuilder {
        self.trust = Some(file.into());
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

    /// How much memory calls, sessions, tenants and all of them together may hold.
    #[must_use]
    pub fn memory(mut self, limits: MemoryLimits) -> HostBuilder {
        self.memory = limits;
        self
    }

    /// Look for what these rules say in whatever crosses an edge of a session: documents, results, output, files, answers. A file
    /// ([`RuleSet::parse`](mitt_guard::RuleSet::parse) says how it is written) is read when the host is made and at every reload.
    /// May be said several times; no set takes anything from another. Default none: nothing is looked for.
    #[must_use]
    pub fn guard(mut self, rules: impl Into<GuardSource>) -> HostBuilder {
        self.guards.add(None, rules.into());
        self
    }

    /// As [`HostBuilder::guard`], in the sessions of `tenant` only, beside the rules of all.
    #[must_use]
    pub fn tenant_guard(
        mut self,
        tenant: impl Into<String>,
        rules: impl Into<GuardSource>,
    ) -> HostBuilder {
        self.guards.add(Some(tenant.into()), rules.into());
        self
    }

    /// Whether journals keep messages as they were said. Default `false`: what was given, and what plugins say about it, may
    /// be personal data, so that only its place, type and length are kept.
    #[must_use]
    pub fn full_journals(mut self, full: bool) -> HostBuilder {
        self.full_journals = full;
        self
    }

    /// How much is rendered and compiled at once, how long it takes and how long is waited for it.
    #[must_use]
    pub fn blocking(mut self, limits: BlockingLimits) -> HostBuilder {
        self.blocking = limits;
        self
    }

    /// Have components compiled and PDF typeset by worker processes, which are killed when their time is over, their memory
    /// is used up or nobody waits for them any more.
    ///
    /// Without them, and so by default, this is done on threads of this process, and nothing can end those but they
    /// themselves: what is given to them is bounded, but a document or a component that takes long does so to its end,
    /// and what is too much for the memory, or for a native stack, ends this process. What a compilation needed of the memory
    /// stays with this process too, some 30 bytes for each byte of a component. The program must be `mitt` of this very version, or call [`serve_as_worker`](crate::serve_as_worker).
    #[must_use]
    pub fn worker(mut self, options: WorkerOptions) -> HostBuilder {
        self.worker = Some(options);
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

    /// Add a capability of the embedder's own: `grants: [name]` in `skill.yaml` lets a plugin import `interfaces`, whose
    /// functions `link` adds to a linker.
    ///
    /// `name` is in kebab case, and none that every host has. An interface is named as it is imported, such as
    /// `acme:crm/customers@1.2.0`; which versions fit, the linker decides. What is not granted is refused by its name before
    /// anything is linked, and the functions are not there. Grants of it need an approval as any other does.
    ///
    /// Fuel, memory and time of the call hold; what the functions themselves keep in memory is not counted. A function must not
    /// block: what takes time is `func_wrap_async`, and is dropped when the deadline of the call passes. An error that it
    /// returns ends the plugin as a crash does. A script that is paused runs again from its beginning: what its *engine* asks
    /// of a capability of this kind is asked again.
    ///
    /// ```
    /// # fn main() -> mitt::Result<()> {
    /// let host = mitt::Host::builder().capability("crm", ["acme:crm/customers@1.2.0"], |linker| {
    ///     let mut customers = linker.instance("acme:crm/customers@1.2.0")?;
    ///     customers.func_wrap("credit-limit", |call, (customer,): (u32,)| {
    ///         let limit: u32 = if call.data().tenant() == "acme" { 100 * customer } else { 0 };
    ///         Ok((limit,))
    ///     })
    /// });
    /// let host = host.build()?;
    /// # drop(host);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn capability<I: Into<String>>(
        mut self,
        name: impl Into<String>,
        interfaces: impl IntoIterator<Item = I>,
        link: impl Fn(&mut Linker<CallContext>) -> wasmtime::Result<()> + Send + Sync + 'static,
    ) -> HostBuilder {
        let interfaces = interfaces.into_iter().map(Into::into).collect();
        self.capabilities.push(OwnCapability::new(name.into(), interfaces, link));
        self
    }

    /// Add a tool of the host's own. See [`Host::with_tool`].
    #[must_use]
    pub fn tool(mut self, tool: impl HostTool + 'static) -> HostBuilder {
        self.tools.0.push(Arc::new(tool));
        self
    }

    /// Make the host. Plugins are loaded when they are first needed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - the processor is not supported.
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - a skill's manifest is wrong, or a component is missing; a capability of
    /// the embedder has a name or an interface that it cannot have, or cannot be linked; two tools of the host have one name.
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - a file of rules is missing, too long or wrong.
    pub fn build(self) -> Result<Host> {
        let blocking = Blocking::new(self.blocking, self.worker, &self.fonts);
        let engine = Engine::with(self.engine, Some(Arc::new(blocking.clone())))?;
        let sources = Sources {
            bundled: self.bundled,
            roots: self.skills,
            tolerant: self.tolerant,
            components: self.components,
            overlays: self.overlays.common(),
            trust: self.trust,
            capabilities: OwnCapabilities::new(&engine, self.capabilities)?,
        };
        let (loader, registry) = Loader::load(&engine, sources)?;
        let tenants = Tenants::new(self.overlays);
        tenants.check(&registry, |source| loader.is_tolerated(source))?;
        let inner = Inner {
            engine,
            registry: ArcSwap::from_pointee(registry),
            tenants,
            loader,
            changes: broadcast::Sender::new(CHANGES),
            sessions: AtomicU64::new(0),
            reloading: tokio::sync::Mutex::default(),
            call_limits: self.call_limits,
            session_limits: self.session_limits,
            admission: Admission::new("calls", self.concurrency),
            blocking,
            budget: Budget::new(self.memory),
            full_journals: self.full_journals,
            environment: self.environment,
            fonts: mitt_render::FontSet::with_extra(&self.fonts),
            guards: Guards::new(self.guards)?,
            outside: self.outside,
        };
        let host = Host { inner: Arc::new(inner), tools: HostTools::default() };
        self.tools.0.into_iter().try_fold(host, |host, tool| host.with(tool))
    }
}

impl Host {
    /// A builder with safe defaults.
    pub fn builder() -> HostBuilder {
        HostBuilder {
            engine: EngineOptions::default(),
            bundled: true,
            skills: Vec::new(),
            tolerant: BTreeSet::new(),
            components: Vec::new(),
            overlays: Overlays::default(),
            trust: None,
            call_limits: None,
            session_limits: SessionLimits::default(),
            concurrency: ConcurrencyLimits::default(),
            memory: MemoryLimits::default(),
            full_journals: false,
            blocking: BlockingLimits::default(),
            worker: None,
            environment: Environment::default(),
            fonts: Vec::new(),
            capabilities: Vec::new(),
            tools: OwnTools::default(),
            guards: GuardSets::default(),
            outside: Outside::default(),
        }
    }

    /// The same host with one more tool of its own, for the sessions that are opened through the answer; `self` stays as it is.
    ///
    /// The tool keeps its name: a skill with tools whose names would begin as its name does is left out of those sessions, and
    /// [`Registry::listing`] says so.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - the host has a tool of this name.
    pub fn with_tool(&self, tool: impl HostTool + 'static) -> Result<Host> {
        self.clone().with(Arc::new(tool))
    }

    fn with(self, tool: Arc<dyn HostTool>) -> Result<Host> {
        Ok(Host { tools: self.tools.with(tool)?, ..self })
    }

    /// Its engine.
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Its skills as they are now. Takes no lock; whoever holds the answer keeps this generation.
    pub fn registry(&self) -> Registry {
        self.inner.tenants.common(&self.skills(), &self.tools)
    }

    /// Its skills, whatever its own tools are called.
    fn skills(&self) -> Registry {
        Registry::clone(&self.inner.registry.load())
    }

    /// Counts the changes of its skills.
    pub(in crate::session) fn generation(&self) -> u64 {
        self.inner.registry.load().generation()
    }

    pub(in crate::session) fn next_session(&self) -> u64 {
        self.inner.sessions.fetch_add(1, Ordering::Relaxed)
    }

    /// Its skills as a session of `tenant` sees them.
    pub(in crate::session) fn view(&self, tenant: &str, assignment: &str) -> Registry {
        self.inner.tenants.view(&self.skills(), tenant, assignment, &self.tools)
    }

    /// Read the folders of skills again, and use what changed. None if nothing did. Files of rules are read again
    /// too; while one is wrong, all rules stay as they were, and [`Host::changes`] tells why, once.
    ///
    /// A new version that does not load is reported in [`SkillChange::problems`] and by [`Registry::problems`]; the last
    /// good one stays in use, as it does for calls that began with it.
    pub async fn reload(&self) -> Option<Arc<SkillChange>> {
        let _one_at_a_time = self.inner.reloading.lock().await;
        if let Some(change) = self.inner.guards.reload(self.generation()) {
            let _ = self.inner.changes.send(change);
        }
        let (registry, change) = self.inner.loader.reload(&self.skills()).await?;
        self.inner.registry.store(Arc::new(registry));
        if change.is_empty() {
            // What changed concerns only skills that are hidden, or a problem that is gone: there is nothing to tell.
            return None;
        }
        let change = Arc::new(change);
        // Nobody may be listening.
        let _ = self.inner.changes.send(change.clone());
        Some(change)
    }

    /// What is looked for in the sessions of `tenant`.
    pub(in crate::session) fn guard_of(&self, tenant: &str) -> Guard {
        self.inner.guards.of(tenant)
    }

    pub(super) fn outside(&self) -> &Outside {
        &self.inner.outside
    }

    #[cfg_attr(not(feature = "watch"), expect(dead_code, reason = "who watches looks where to"))]
    pub(super) fn guards(&self) -> &Guards {
        &self.inner.guards
    }

    /// Hear of every change of the skills from now on.
    pub fn changes(&self) -> Changes {
        Changes::of(&self.inner.changes)
    }

    /// Limits of every session.
    pub fn session_limits(&self) -> &SessionLimits {
        &self.inner.session_limits
    }

    #[cfg_attr(not(feature = "watch"), expect(dead_code, reason = "who watches looks where to"))]
    pub(super) fn loader(&self) -> &Loader {
        &self.inner.loader
    }

    /// How many calls run and wait at once.
    pub fn concurrency(&self) -> &ConcurrencyLimits {
        self.inner.admission.limits()
    }

    /// How much memory calls, sessions, tenants and all of them together may hold.
    pub fn memory_limits(&self) -> &MemoryLimits {
        self.inner.budget.limits()
    }

    /// What all sessions hold together now, and the most that they held at any time.
    pub fn memory(&self) -> MemoryUsage {
        self.inner.budget.usage()
    }

    pub(in crate::session) fn has_full_journals(&self) -> bool {
        self.inner.full_journals
    }

    /// Charge `bytes` to `tenant` that belong to none of its sessions, such as a message before it is known whose it is.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - the tenant has no memory left;
    /// [`ErrorKind::Busy`](mitt_base::ErrorKind::Busy) - the host has none.
    pub fn charge(&self, tenant: &str, bytes: u64) -> Result<TenantCharge> {
        self.budget_of(tenant).charge(bytes)
    }

    /// The budget of a tenant; the same one for all its sessions.
    pub(in crate::session) fn budget_of(&self, tenant: &str) -> Arc<TenantBudget> {
        self.inner.budget.of(tenant)
    }

    pub(in crate::session) fn admission(&self) -> &Admission {
        &self.inner.admission
    }

    /// Limits of rendering and compiling.
    pub fn blocking_limits(&self) -> &BlockingLimits {
        self.inner.blocking.limits()
    }

    pub(in crate::session) fn blocking(&self) -> &Blocking {
        &self.inner.blocking
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

    pub(in crate::session) fn fonts(&self) -> &mitt_render::FontSet {
        &self.inner.fonts
    }
}
