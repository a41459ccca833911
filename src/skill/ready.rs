//! Preparation of a skill for use: its list of tools needs only the interface of its component, a call needs the plugin, too,
//! which may have to be compiled.
//!
//! Knows one skill. `loading.rs` knows how often something is loaded, and how long callers wait.

use std::sync::Arc;
use std::time::Duration;

use super::loaded::{PreparedPlugin, Skill, SkillSource};
use super::loading::{CompilingSink, LoadProgress, LoadedPlugin, NotLoaded, Patience};
use super::tool::Reader;
use super::toolbox::Toolbox;
use crate::capability::{self, CallContext, PreparedReader, PreparedScript};
use mitt_base::{Error, ErrorKind, Result};
use mitt_engine::{
    ComponentSummary, EngineInternal as _, Plugin, PluginBytes, Prepared, Urgency, Wanted,
};

/// Nanoseconds of compilation per byte of a component, on two processors. Measured: see docs/speed.md.
const COMPILE_NS_PER_BYTE: u64 = 600;
/// Approximate compression ratio of zstd for components.
const UNPACKED: u64 = 4;

impl Skill {
    /// Loads the plugin, and compiles it if it is not in the cache. Later calls return the same one.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::load`](mitt_engine::Engine::load), with the skill's name; [`ErrorKind::Busy`] - compilation takes longer than
    /// [`BlockingLimits::load_wait`](mitt_base::BlockingLimits), and continues.
    pub async fn plugin(self: &Arc<Skill>) -> Result<Plugin> {
        self.plugin_with_progress(&|_| ()).await
    }

    /// Like [`Skill::plugin`]; `on_compiling` is called if the plugin must be compiled.
    async fn plugin_with_progress(
        self: &Arc<Skill>,
        on_compiling: CompilingSink<'_>,
    ) -> Result<Plugin> {
        let loaded =
            self.plugin_within(self.engine.load_wait(), Urgency::Call, on_compiling).await?;
        Ok(loaded.plugin)
    }

    async fn plugin_within(
        self: &Arc<Skill>,
        wait: Duration,
        urgency: Urgency,
        on_compiling: CompilingSink<'_>,
    ) -> Result<LoadedPlugin> {
        let skill = self.clone();
        let load = move |progress: &LoadProgress| {
            let bytes = match skill.plugin.take_component() {
                Some(bytes) => bytes,
                None => skill.loadable_as_known()?,
            };
            let wanted = Wanted { urgency, compiling: &|it| progress.compiling(it) };
            skill.engine.load_as(&bytes, wanted).map_err(|error| not_loaded(&bytes, error))
        };
        let (time, usual) = (self.engine.compile_time(), self.usual_compile_time());
        let patience = Patience { wait, time, usual, on_compiling };
        self.plugin.get(patience, load).await.map_err(|error| self.at(error))
    }

    /// Returns what to load, provided that it has not changed since the skill was read.
    fn loadable_as_known(&self) -> Result<PluginBytes, NotLoaded> {
        let (bytes, hash) = self.loadable().map_err(NotLoaded::Read)?;
        // An approval of one component must not apply to another.
        if *self.component_hash.get_or_init(|| hash) != hash {
            let message = "the component changed on disk since the skill was read";
            let error = Error::new(ErrorKind::Load, message).hint("reload the skills");
            return Err(NotLoaded::Read(error));
        }
        Ok(bytes)
    }

    /// Returns the approximate time of compilation on two idle processors.
    fn usual_compile_time(&self) -> Duration {
        let is_packed = self.manifest.component().is_some_and(|name| name.ends_with(".zst"));
        usual_compile_time(self.stored_bytes(), is_packed)
    }

    /// Returns the tools by name; `None` for a reader, a script engine, or a skill with only instructions.
    pub(super) async fn toolbox(self: &Arc<Skill>) -> Result<Option<&Toolbox>> {
        let PreparedPlugin::Tools(tools) = &self.prepared_plugin else { return Ok(None) };
        let make = || async {
            let summary = self.summary().await?;
            capability::check_needs(&summary.needs, &self.manifest.grants, &self.capabilities)?;
            // The caller of a foreign component did not choose its names, so unusable ones are left out.
            let strict = !matches!(self.source(), SkillSource::Component(_));
            Toolbox::new(&self.manifest.name, &summary.interface, strict)?
                .with_policies(&self.manifest.tools)?
                .keeping(self.manifest.keeps_state)?
                .with_bounds(&self.overlay_bounds)
        };
        let made = tools.toolbox.get_or_try_init(make).await;
        made.map(Some).map_err(|error| self.at(error))
    }

    /// Returns facts about the component that need no compilation.
    async fn summary(self: &Arc<Skill>) -> Result<ComponentSummary> {
        let skill = self.clone();
        let summarize = move || {
            let bytes = skill.loadable_as_known()?;
            let summary = skill.engine.summarize(&bytes).map_err(|it| not_loaded(&bytes, it))?;
            if summary.plugin.is_none() {
                skill.plugin.keep_component(bytes);
            }
            Ok(summary)
        };
        self.plugin.summary(self.engine.compile_time(), summarize).await
    }

    /// Returns the plugin of its tools with resolved imports.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::plugin`]; [`ErrorKind::Denied`] - the plugin imports something that the manifest does not grant;
    /// [`ErrorKind::Load`] - the skill has no tools.
    pub(crate) async fn prepared_tools(
        self: &Arc<Skill>,
        on_compiling: CompilingSink<'_>,
    ) -> Result<&Prepared<CallContext>> {
        let PreparedPlugin::Tools(tools) = &self.prepared_plugin else {
            return Err(self.is_other("has no tools"));
        };
        if let Some(prepared) = tools.prepared.get() {
            return Ok(prepared);
        }
        // Done before the turn to prepare it, because each caller waits for a time of its own.
        let plugin = self.plugin_with_progress(on_compiling).await?;
        let (grants, own) = (&self.manifest.grants, &self.capabilities);
        let prepare = || async {
            capability::prepare(&self.engine, &plugin, grants, own).map_err(|it| self.at(it))
        };
        tools.prepared.get_or_try_init(prepare).await
    }

    /// Returns its script engine.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::plugin`]; [`ErrorKind::Denied`] - the plugin imports something that the manifest does not grant;
    /// [`ErrorKind::Load`] - the skill is not a script engine.
    pub(crate) async fn prepared_script(
        self: &Arc<Skill>,
        on_compiling: CompilingSink<'_>,
    ) -> Result<&PreparedScript> {
        let PreparedPlugin::Engine(script) = &self.prepared_plugin else {
            return Err(self.is_other("runs no scripts"));
        };
        if let Some(script) = script.get() {
            return Ok(script);
        }
        // Done before the turn to prepare it, because each caller waits for a time of its own.
        let plugin = self.plugin_with_progress(on_compiling).await?;
        let (grants, own) = (&self.manifest.grants, &self.capabilities);
        let prepare = || async {
            PreparedScript::new(&self.engine, &plugin, grants, own).map_err(|it| self.at(it))
        };
        script.get_or_try_init(prepare).await
    }

    /// Returns its reader of files.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::plugin`]; [`ErrorKind::Load`] - the skill is not a reader.
    pub(super) async fn prepared_reader(
        self: &Arc<Skill>,
        on_compiling: CompilingSink<'_>,
    ) -> Result<Reader> {
        let PreparedPlugin::Reader(reader) = &self.prepared_plugin else {
            return Err(self.is_other("reads no files"));
        };
        let plugin = self.plugin_with_progress(on_compiling).await?;
        let prepare =
            || async { PreparedReader::new(&self.engine, &plugin).map_err(|error| self.at(error)) };
        let prepared = reader.get_or_try_init(prepare).await?.clone();
        Ok(Reader { prepared, limits: self.manifest.limits.clone() })
    }

    /// Loads the plugin ahead of its first use and checks that it is usable. Returns `None` if there is no plugin. Does not delay
    /// calls, and may take as long as compilation may; `on_compiling` receives the progress.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::tools`] and [`Skill::plugin`].
    pub(super) async fn prepare(
        self: &Arc<Skill>,
        on_compiling: CompilingSink<'_>,
    ) -> Result<Option<LoadedPlugin>> {
        if let PreparedPlugin::Instructions = self.prepared_plugin {
            return Ok(None);
        }
        // Errors that can be found without compilation are found first.
        self.toolbox().await?;
        let loaded = self.plugin_within(Duration::MAX, Urgency::Ahead, on_compiling).await?;
        match self.prepared_plugin {
            PreparedPlugin::Tools(_) => self.prepared_tools(on_compiling).await.map(drop),
            PreparedPlugin::Reader(_) => self.prepared_reader(on_compiling).await.map(drop),
            PreparedPlugin::Engine(_) => self.prepared_script(on_compiling).await.map(drop),
            PreparedPlugin::Instructions => Ok(()),
        }?;
        Ok(Some(loaded))
    }

    /// Returns whether its plugin exports tools, as opposed to a reader or a script engine.
    pub(super) fn has_tools(&self) -> bool {
        matches!(self.prepared_plugin, PreparedPlugin::Tools(_))
    }

    fn at(&self, error: Error) -> Error {
        error.at(format!("skill `{}`", self.manifest.name))
    }

    /// Returns the error for a use that does not match the skill's role.
    #[cold]
    fn is_other(&self, problem: &str) -> Error {
        Error::new(ErrorKind::Load, format!("the skill `{}` {problem}", self.manifest.name))
    }
}

/// Methods of [`Skill`] for Mitt's own crates.
pub trait SkillInternal {
    /// Returns whether native code is available, so that nothing must be compiled. Also `true` for a component that cannot be
    /// read: no caller waits for that.
    fn is_compiled(self: &Arc<Self>) -> impl Future<Output = bool> + Send;

    /// Returns the plugin of its tools with resolved imports.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::plugin`]; [`ErrorKind::Denied`] - the plugin imports something that the manifest does not grant;
    /// [`ErrorKind::Load`] - the skill has no tools.
    fn prepared_tools(
        self: &Arc<Self>,
        on_compiling: CompilingSink<'_>,
    ) -> impl Future<Output = Result<&Prepared<CallContext>>> + Send;

    /// Returns its script engine.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::plugin`]; [`ErrorKind::Denied`] - the plugin imports something that the manifest does not grant;
    /// [`ErrorKind::Load`] - the skill is not a script engine.
    fn prepared_script(
        self: &Arc<Self>,
        on_compiling: CompilingSink<'_>,
    ) -> impl Future<Output = Result<&PreparedScript>> + Send;

    /// Loads the plugin ahead of its first use. Returns the size of its native code in bytes, and whether it was compiled.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::tools`] and [`Skill::plugin`].
    fn load_ahead(
        self: &Arc<Self>,
        on_compiling: CompilingSink<'_>,
    ) -> impl Future<Output = Result<(u64, bool)>> + Send;

    /// Returns whether scripts can import it, because it has tools or helpers.
    fn is_module(&self) -> bool;
}

impl SkillInternal for Skill {
    async fn is_compiled(self: &Arc<Skill>) -> bool {
        self.summary().await.map_or(true, |summary| summary.plugin.is_some())
    }

    async fn prepared_tools(
        self: &Arc<Skill>,
        on_compiling: CompilingSink<'_>,
    ) -> Result<&Prepared<CallContext>> {
        self.prepared_tools(on_compiling).await
    }

    async fn prepared_script(
        self: &Arc<Skill>,
        on_compiling: CompilingSink<'_>,
    ) -> Result<&PreparedScript> {
        self.prepared_script(on_compiling).await
    }

    async fn load_ahead(self: &Arc<Skill>, on_compiling: CompilingSink<'_>) -> Result<(u64, bool)> {
        let loaded = self.prepare(on_compiling).await?;
        Ok(loaded.map_or((0, false), |it| (it.plugin.native_bytes(), it.is_compiled)))
    }

    fn is_module(&self) -> bool {
        self.has_tools() || !self.helpers.is_empty()
    }
}

/// Returns the approximate time of compilation on two idle processors. `is_packed` says that `stored_bytes` are those of a compressed
/// component.
pub(super) fn usual_compile_time(stored_bytes: u64, is_packed: bool) -> Duration {
    let bytes = stored_bytes.saturating_mul(if is_packed { UNPACKED } else { 1 });
    Duration::from_nanos(bytes.saturating_mul(COMPILE_NS_PER_BYTE))
}

/// Classifies the error of loading `bytes`.
fn not_loaded(bytes: &PluginBytes, error: Error) -> NotLoaded {
    match bytes {
        // The file of native code can be repaired, with the same record.
        PluginBytes::Precompiled(_) => NotLoaded::Read(error),
        PluginBytes::Wasm(_) | PluginBytes::Zstd(_) => NotLoaded::Compiled(error),
    }
}
