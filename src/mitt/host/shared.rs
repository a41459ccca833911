//! The host, which all sessions of a process share.

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
use crate::engine::{CacheDir, Engine, EngineInternal as _, EngineOptions, Environment};
use crate::worker::WorkerOptions;
use mitt_base::Result;
use mitt_base::limits::{
    BlockingLimits, CallLimits, ConcurrencyLimits, MemoryLimits, SessionLimits,
};
use mitt_base::memory::MemoryUsage;
use mitt_guard::Guard;
use mitt_skill::{
    ComponentSource, HostTool, HostTools, Layer, Loader, Overlay, Registry, RegistryInternal as _,
    SkillChange, SkillChangeInternal as _, Sources,
    capability::{CallContext, OwnCapabilities, OwnCapability},
};
use mitt_types::signing::SigningKeys;

/// Engine, skills and limits. It is a cheap handle, `Send` and `Sync`; create one per process.
#[derive(Clone, Debug)]
pub struct Host {
    inner: Arc<Inner>,
    /// Tools of the embedder: those from [`Host::with_tool`] exist only for sessions of this handle.
    tools: HostTools,
}

#[derive(Debug)]
struct Inner {
    engine: Engine,
    registry: ArcSwap<Registry>,
    tenants: Tenants,
    loader: Loader,
    changes: broadcast::Sender<Arc<SkillChange>>,
    /// Number of sessions opened so far.
    sessions: AtomicU64,
    /// Held while the skills are reloaded.
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

/// Builder of a [`Host`].
///
/// Defaults: the bundled skills, no other skills or components, no cache, no keys of native code, the limits of each skill, the
/// default session limits, the default concurrency, the system's clock and random numbers, the bundled fonts, no worker process,
/// no recognition of text in pictures, no additional capabilities.
#[derive(Clone, Debug)]
pub struct HostBuilder {
    pub(super) engine: EngineOptions,
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
    more_fonts: mitt_render::FontSet,
    pub(super) capabilities: Vec<OwnCapability>,
    tools: OwnTools,
    guards: GuardSets,
    pub(super) outside: Outside,
}

/// Tools of the embedder.
#[derive(Clone, Default)]
struct OwnTools(Vec<Arc<dyn HostTool>>);

impl std::fmt::Debug for OwnTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|tool| tool.function())).finish()
    }
}

impl HostBuilder {
    /// Sets whether the skills inside the binary are available. Default: `true`.
    #[must_use]
    pub fn bundled_skills(mut self, bundled: bool) -> HostBuilder {
        self.bundled = bundled;
        self
    }

    /// Adds a folder of skills. Its skills hide those of the same name that were added before. They hide bundled and approved
    /// ones only if [`HostBuilder::replace_skill`] or an overlay names them.
    #[must_use]
    pub fn skills(mut self, folder: impl Into<PathBuf>) -> HostBuilder {
        self.skills.push(folder.into());
        self
    }

    /// Like [`HostBuilder::skills`], but a skill that cannot be read is skipped and reported by [`Registry::problems`], so that
    /// one broken installation does not stop the others.
    #[must_use]
    pub fn installed_skills(mut self, folder: impl Into<PathBuf>) -> HostBuilder {
        self.tolerant.insert(self.skills.len());
        self.skills(folder)
    }

    /// Allows a skill of this name from a folder or component to replace the bundled or approved one. Otherwise such a skill is
    /// skipped and reported by [`Registry::hidden`].
    #[must_use]
    pub fn replace_skill(self, name: impl Into<String>) -> HostBuilder {
        let overlay = Overlay { replace: vec![name.into()], ..Overlay::default() };
        self.overlay(Layer::Project, overlay)
    }

    /// Adds a component (`.wasm` or `.wasm.zst`) as a skill that is named after the file. The component need not be made for
    /// Mitt; it gets no capabilities, and a minimal WASI. It hides a skill of the same name as one from a folder does.
    #[must_use]
    pub fn component(mut self, file: impl Into<PathBuf>) -> HostBuilder {
        self.components.push(ComponentSource::File(file.into()));
        self
    }

    /// Like [`HostBuilder::component`], for a component in memory. `name` is the name of the skill, in kebab case.
    #[must_use]
    pub fn component_bytes(
        mut self,
        name: impl Into<String>,
        bytes: impl Into<Cow<'static, [u8]>>,
    ) -> HostBuilder {
        self.components.push(ComponentSource::Bytes(name.into(), bytes.into()));
        self
    }

    /// Applies `overlay` to the skills of all tenants. Within a layer, later overlays override earlier ones.
    #[must_use]
    pub fn overlay(mut self, layer: Layer, overlay: Overlay) -> HostBuilder {
        self.overlays.add_layer(layer, overlay);
        self
    }

    /// Applies `overlay` to the skills in sessions of `tenant`, after all layers.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>, overlay: Overlay) -> HostBuilder {
        self.overlays.add_tenant(tenant.into(), overlay);
        self
    }

    /// Makes the engine of this name the default for scripts of its language, in place of the most complete one. Models are
    /// offered the languages of the engines that are named so, and no others; without any, all but those whose engines are there
    /// on request, such as `javascript`.
    #[must_use]
    pub fn script_engine(self, engine: impl Into<String>) -> HostBuilder {
        let overlay = Overlay { engine: Some(engine.into()), ..Overlay::default() };
        self.overlay(Layer::Project, overlay)
    }

    /// Sets the file of approvals (see [`TrustStore`](crate::skill::TrustStore)). Grants and Python files of a skill that is not
    /// bundled then count only if the file approves their content. Default: none, and all skills count as approved, since the
    /// embedder added their folders. An empty path approves nothing. The file is read at the start and at every reload.
    #[must_use]
    pub fn trust(mut self, file: impl Into<PathBuf>) -> HostBuilder {
        self.trust = Some(file.into());
        self
    }

    /// Lowers the limits of every call to at most these. Lower limits of a skill stay.
    #[must_use]
    pub fn call_limits(mut self, limits: CallLimits) -> HostBuilder {
        self.call_limits = Some(limits);
        self
    }

    /// Sets the limits of every session.
    #[must_use]
    pub fn session_limits(mut self, limits: SessionLimits) -> HostBuilder {
        self.session_limits = limits;
        self
    }

    /// Sets how many calls may run and wait at once, per tenant and in total. A limit of 0 places means 1.
    #[must_use]
    pub fn concurrency(mut self, limits: ConcurrencyLimits) -> HostBuilder {
        self.concurrency = limits;
        self
    }

    /// Sets how much memory calls, sessions, tenants and all of them together may hold.
    #[must_use]
    pub fn memory(mut self, limits: MemoryLimits) -> HostBuilder {
        self.memory = limits;
        self
    }

    /// Applies rules to all content that enters or leaves a session: documents, results, output, files, answers. A file (see
    /// [`RuleSet::parse`](mitt_guard::RuleSet::parse) for its format) is read when the host is built and at every reload. May be
    /// called several times; all sets apply. Default: no rules.
    #[must_use]
    pub fn guard(mut self, rules: impl Into<GuardSource>) -> HostBuilder {
        self.guards.add(None, rules.into());
        self
    }

    /// Like [`HostBuilder::guard`], for sessions of `tenant` only, in addition to the rules for all.
    #[must_use]
    pub fn tenant_guard(
        mut self,
        tenant: impl Into<String>,
        rules: impl Into<GuardSource>,
    ) -> HostBuilder {
        self.guards.add(Some(tenant.into()), rules.into());
        self
    }

    /// Sets whether journals keep messages in full. Default: `false`; input and messages of plugins about it may be personal
    /// data, so only their place, type and length are kept.
    #[must_use]
    pub fn full_journals(mut self, full: bool) -> HostBuilder {
        self.full_journals = full;
        self
    }

    /// Sets how much rendering and compiling runs at once, how long it may take, and how long callers wait for it.
    #[must_use]
    pub fn blocking(mut self, limits: BlockingLimits) -> HostBuilder {
        self.blocking = limits;
        self
    }

    /// Uses worker processes to compile components and typeset PDF. They are killed when their time is over, their memory is used
    /// up or the caller drops the call.
    ///
    /// Without workers, which is the default, this work runs on threads of this process, which nothing can stop. Their input is
    /// limited, but a document or component that takes long runs to its end, and one that exhausts memory or a native stack ends
    /// this process. The memory that a compilation needed also stays with this process: some 30 bytes per byte of a component.
    /// The worker program must be `mitt` of exactly this version, or call [`serve_as_worker`](crate::serve_as_worker).
    #[must_use]
    pub fn worker(mut self, options: WorkerOptions) -> HostBuilder {
        self.worker = Some(options);
        self
    }

    /// Sets the clock and the source of random numbers.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> HostBuilder {
        self.environment = environment;
        self
    }

    /// Adds a font (TTF, OTF or a collection) for PDF, which is used where the bundled fonts have no glyph.
    #[must_use]
    pub fn font(mut self, font: impl Into<Arc<[u8]>>) -> HostBuilder {
        self.fonts.push(font.into());
        self
    }

    /// Sets fonts that follow those of [`HostBuilder::font`], such as ones that are read when the first PDF needs them
    /// ([`FontSet::read_later`](mitt_render::FontSet::read_later)). Default: none.
    #[must_use]
    pub fn more_fonts(mut self, fonts: mitt_render::FontSet) -> HostBuilder {
        self.more_fonts = fonts;
        self
    }

    /// Adds a capability of the embedder: `grants: [name]` in `skill.yaml` allows a plugin to import `interfaces`, whose
    /// functions `link` adds to a linker.
    ///
    /// `name` is in kebab case, and not the name of a built-in capability. An interface is named as plugins import it, such as
    /// `acme:crm/customers@1.2.0`; the linker decides which versions are compatible. An import without a grant is refused by name
    /// before anything is linked. Grants of it need an approval as any other does.
    ///
    /// The call's limits of fuel, memory and time apply, but memory that the functions themselves hold is not counted. A function
    /// must not block: use `func_wrap_async` for work that takes time; it is dropped at the deadline of the call. An error that
    /// the function returns ends the plugin like a crash. A paused script runs again from its beginning, and what its *engine*
    /// asked of such a capability is asked again.
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

    /// Adds a tool of the embedder. See [`Host::with_tool`].
    #[must_use]
    pub fn tool(mut self, tool: impl HostTool + 'static) -> HostBuilder {
        self.tools.0.push(Arc::new(tool));
        self
    }

    /// Builds the host. Plugins are loaded when they are first needed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - the processor is not supported.
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - a skill's manifest is invalid, or a component is missing; a capability
    /// of the embedder has an invalid name or interface, or cannot be linked; two tools of the embedder have the same name.
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - a file of rules is missing, too long or invalid.
    pub fn build(self) -> Result<Host> {
        let fonts = self.more_fonts.after(self.fonts);
        let blocking = Blocking::new(self.blocking, self.worker, fonts.clone());
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
            fonts,
            guards: Guards::new(self.guards)?,
            outside: self.outside,
        };
        let host = Host { inner: Arc::new(inner), tools: HostTools::default() };
        self.tools.0.into_iter().try_fold(host, |host, tool| host.with(tool))
    }
}

impl Host {
    /// Returns a builder with safe defaults. It reads the environment variable `MITT_CACHE_DIR`: see [`CacheDir::of_user`].
    pub fn builder() -> HostBuilder {
        let engine = EngineOptions { cache: CacheDir::of_user(), ..EngineOptions::default() };
        HostBuilder {
            engine,
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
            more_fonts: mitt_render::FontSet::default(),
            capabilities: Vec::new(),
            tools: OwnTools::default(),
            guards: GuardSets::default(),
            outside: Outside::default(),
        }
    }

    /// Returns the same host with one more tool of the embedder, for sessions that are opened through the returned handle; `self`
    /// is unchanged.
    ///
    /// The tool keeps its name. A skill whose tool names would begin like it is left out of those sessions, as
    /// [`Registry::listing`] reports.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - the host already has a tool of this name.
    pub fn with_tool(&self, tool: impl HostTool + 'static) -> Result<Host> {
        self.clone().with(Arc::new(tool))
    }

    fn with(self, tool: Arc<dyn HostTool>) -> Result<Host> {
        Ok(Host { tools: self.tools.with(tool)?, ..self })
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Returns the current skills. Takes no lock; the returned snapshot does not change.
    pub fn registry(&self) -> Registry {
        let registry = self.inner.tenants.common(&self.skills(), &self.tools);
        registry.with_signing_keys(!self.signing_keys().is_empty())
    }

    /// Returns the skills, without regard to the embedder's tools.
    fn skills(&self) -> Registry {
        Registry::clone(&self.inner.registry.load())
    }

    /// Returns the generation, which counts changes of the skills.
    pub(crate) fn generation(&self) -> u64 {
        self.inner.registry.load().generation()
    }

    pub(crate) fn next_session(&self) -> u64 {
        self.inner.sessions.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the skills that a session of `tenant` sees, which has `keys`.
    pub(crate) fn view(&self, tenant: &str, assignment: &str, keys: &SigningKeys) -> Registry {
        let view = self.inner.tenants.view(&self.skills(), tenant, assignment, &self.tools);
        view.with_signing_keys(!keys.is_empty())
    }

    /// Reads the folders of skills again and applies changes. Returns `None` if nothing changed. Files of rules are read again,
    /// too; if one is invalid, all rules stay as they were, and [`Host::changes`] reports why, once.
    ///
    /// A new version that does not load is reported in [`SkillChange::problems`] and by [`Registry::problems`]; the last good one
    /// stays in use. Calls finish with the version that they began with.
    pub async fn reload(&self) -> Option<Arc<SkillChange>> {
        let _one_at_a_time = self.inner.reloading.lock().await;
        if let Some(change) = self.inner.guards.reload(self.generation()) {
            let _ = self.inner.changes.send(change);
        }
        let (registry, change) = self.inner.loader.reload(&self.skills()).await?;
        self.inner.registry.store(Arc::new(registry));
        if change.is_empty() {
            // Only hidden skills changed, or a problem was solved: there is nothing to report.
            return None;
        }
        let change = Arc::new(change);
        // There may be no listener.
        let _ = self.inner.changes.send(change.clone());
        Some(change)
    }

    /// Returns the guard for sessions of `tenant`.
    pub(crate) fn guard_of(&self, tenant: &str) -> Guard {
        self.inner.guards.of(tenant)
    }

    pub(super) fn outside(&self) -> &Outside {
        &self.inner.outside
    }

    #[cfg_attr(not(feature = "watch"), expect(dead_code, reason = "used only for watching"))]
    pub(super) fn guards(&self) -> &Guards {
        &self.inner.guards
    }

    /// Subscribes to changes of the skills from now on.
    pub fn changes(&self) -> Changes {
        Changes::of(&self.inner.changes)
    }

    /// Returns the limits of every session.
    pub fn session_limits(&self) -> &SessionLimits {
        &self.inner.session_limits
    }

    #[cfg_attr(not(feature = "watch"), expect(dead_code, reason = "used only for watching"))]
    pub(super) fn loader(&self) -> &Loader {
        &self.inner.loader
    }

    /// Returns the limits of calls that run and wait at once.
    pub fn concurrency(&self) -> &ConcurrencyLimits {
        self.inner.admission.limits()
    }

    /// Returns the memory limits of calls, sessions, tenants and all of them together.
    pub fn memory_limits(&self) -> &MemoryLimits {
        self.inner.budget.limits()
    }

    /// Returns the memory that all sessions together hold now, and the most that they ever held.
    pub fn memory(&self) -> MemoryUsage {
        self.inner.budget.usage()
    }

    pub(crate) fn has_full_journals(&self) -> bool {
        self.inner.full_journals
    }

    /// Charges `bytes` to `tenant` that belong to no session of it, such as a message before its session is known.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - the tenant has no memory left;
    /// [`ErrorKind::Busy`](mitt_base::ErrorKind::Busy) - the host has none.
    pub fn charge(&self, tenant: &str, bytes: u64) -> Result<TenantCharge> {
        self.budget_of(tenant).charge(bytes)
    }

    /// Returns the memory budget of a tenant, which all its sessions share.
    pub(crate) fn budget_of(&self, tenant: &str) -> Arc<TenantBudget> {
        self.inner.budget.of(tenant)
    }

    pub(crate) fn admission(&self) -> &Admission {
        &self.inner.admission
    }

    /// Returns the limits of rendering and compiling.
    pub fn blocking_limits(&self) -> &BlockingLimits {
        self.inner.blocking.limits()
    }

    pub(crate) fn blocking(&self) -> &Blocking {
        &self.inner.blocking
    }

    /// Returns the clock and the source of random numbers.
    pub fn environment(&self) -> &Environment {
        &self.inner.environment
    }

    /// Returns the limits of a skill, lowered to those of the host.
    pub fn limits_of(&self, skill: &CallLimits) -> CallLimits {
        match &self.inner.call_limits {
            Some(limits) => skill.lowered_by(limits),
            None => skill.clone(),
        }
    }

    pub(crate) fn fonts(&self) -> &mitt_render::FontSet {
        &self.inner.fonts
    }
}
