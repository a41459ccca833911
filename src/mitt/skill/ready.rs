//! What a skill needs before it can be used: for its list of tools the interface of its component, for a call the plugin too,
//! which may have to be compiled.
//!
//! Knows one skill. How often something is loaded, and who waits for it for how long, is in `loading.rs`.

use std::sync::Arc;
use std::time::Duration;

use super::loaded::{Kind, Skill, SkillSource};
use super::loading::{Begun, CompilingSink, Found, NotLoaded, Patience};
use super::tool::Reader;
use super::toolbox::Toolbox;
use crate::capability::{self, CallContext, PreparedReader, PreparedScript};
use crate::engine::{Look, Plugin, PluginBytes, Prepared, Urgency, Wanted};
use mitt_base::{Error, ErrorKind, Result};

/// What compiling takes for each byte of a component, in nanoseconds, on two processors. Measured: see docs/speed.md.
const COMPILE_NS_PER_BYTE: u64 = 600;
/// How much larger a component is than what zstd makes of it, about.
const UNPACKED: u64 = 4;

impl Skill {
    /// Load the plugin, compiling it if the cache does not have it. Later calls return the same one.
    ///
    /// # Errors
    ///
    /// Same as [`Engine::load`](crate::Engine::load), with the skill's name; [`ErrorKind::Busy`] - it is compiled for longer than
    /// [`BlockingLimits::load_wait`](mitt_base::BlockingLimits), and goes on so.
    pub async fn plugin(self: &Arc<Skill>) -> Result<Plugin> {
        self.plugin_telling(&|_| ()).await
    }

    /// As [`Skill::plugin`]; `told` hears of it if it has to be compiled.
    async fn plugin_telling(self: &Arc<Skill>, told: CompilingSink<'_>) -> Result<Plugin> {
        let found = self.plugin_within(self.engine.load_wait(), Urgency::Call, told).await?;
        Ok(found.plugin)
    }

    async fn plugin_within(
        self: &Arc<Skill>,
        wait: Duration,
        urgency: Urgency,
        told: CompilingSink<'_>,
    ) -> Result<Found> {
        let skill = self.clone();
        let load = move |begun: &Begun| {
            let bytes = match skill.plugin.take_component() {
                Some(bytes) => bytes,
                None => skill.loadable_as_known()?,
            };
            let wanted = Wanted { urgency, compiling: &|it| begun.compiling(it) };
            skill.engine.load_as(&bytes, wanted).map_err(|error| not_loaded(&bytes, error))
        };
        let (time, usual) = (self.engine.compile_time(), self.usual_compile_time());
        let patience = Patience { wait, time, usual, told };
        self.plugin.get(patience, load).await.map_err(|error| self.at(error))
    }

    /// What is loaded, if it is still what it was when the skill was read.
    fn loadable_as_known(&self) -> Result<PluginBytes, NotLoaded> {
        let (bytes, hash) = self.loadable().map_err(NotLoaded::Read)?;
        // Whoever approved one component must not get another.
        if *self.component_hash.get_or_init(|| hash) != hash {
            let message = "the component changed on disk since the skill was read";
            let error = Error::new(ErrorKind::Load, message).hint("reload the skills");
            return Err(NotLoaded::Read(error));
        }
        Ok(bytes)
    }

    /// How long compiling it takes, about, on two processors with nothing else to do.
    fn usual_compile_time(&self) -> Duration {
        let is_packed = self.manifest.component().is_some_and(|name| name.ends_with(".zst"));
        let bytes = self.stored_bytes().saturating_mul(if is_packed { UNPACKED } else { 1 });
        Duration::from_nanos(bytes.saturating_mul(COMPILE_NS_PER_BYTE))
    }

    /// Its tools by their names; none if it is a reader, a script engine, or only describes.
    pub(super) async fn toolbox(self: &Arc<Skill>) -> Result<Option<&Toolbox>> {
        let Kind::Tools(tools) = &self.kind else { return Ok(None) };
        let make = || async {
            let look = self.look().await?;
            capability::check_needs(&look.needs, &self.manifest.grants, &self.capabilities)?;
            // Whoever calls a foreign component did not choose its names.
            let strict = !matches!(self.source(), SkillSource::Component(_));
            Toolbox::new(&self.manifest.name, &look.interface, strict)?
                .with_policies(&self.manifest.tools)?
                .keeping(self.manifest.keeps_state)?
                .narrowed(&self.narrowed)
        };
        let made = tools.toolbox.get_or_try_init(make).await;
        made.map(Some).map_err(|error| self.at(error))
    }

    /// What is known of its component without compiling it.
    async fn look(self: &Arc<Skill>) -> Result<Look> {
        let skill = self.clone();
        let look = move || {
            let bytes = skill.loadable_as_known()?;
            let look = skill.engine.look(&bytes).map_err(|it| not_loaded(&bytes, it))?;
            if look.plugin.is_none() {
                skill.plugin.keep_component(bytes);
            }
            Ok(look)
        };
        self.plugin.look(self.engine.compile_time(), look).await
    }

    /// Whether its native code is there, so that it need not be compiled. Also true of a component that cannot be read: nobody waits
    /// for that.
    pub(crate) async fn is_compiled(self: &Arc<Skill>) -> bool {
        self.look().await.map_or(true, |look| look.plugin.is_some())
    }

    /// The plugin of its tools, with its imports resolved.
    ///
    /// # Errors
    ///
    /// Same as [`Skill::plugin`], and [`ErrorKind::Denied`] when the plugin imports what the manifest does not grant;
    /// [`ErrorKind::Load`] - it has no tools.
    pub(crate) async fn prepared_tools(
        self: &Arc<Skill>,
        told: CompilingSink<'_>,
    ) -> Result<&Prepared<CallContext>> {
        let Kind::Tools(tools) = &self.kind else {
            return Err(self.is_other("has no tools"));
        };
        if let Some(prepared) = tools.prepared.get() {
            return Ok(prepared);
        }
        // Before the turn to prepare it: each who waits has a time of its own.
        let plugin = self.plugin_telling(told).await?;
        let (grants, own) = (&self.manifest.grants, &self.capabilities);
        let prepare = || async {
            capability::prepare(&self.engine, &plugin, grants, own).map_err(|it| self.at(it))
        };
        tools.prepared.get_or_try_init(prepare).await
    }

    /// Its reader of files.
    ///
    /// # Errors
    ///
    /// Same as [`Skill::plugin`]; [`ErrorKind::Load`] - it is something else.
    pub(super) async fn prepared_reader(
        self: &Arc<Skill>,
        told: CompilingSink<'_>,
    ) -> Result<Reader> {
        let Kind::Reader(reader) = &self.kind else {
            return Err(self.is_other("reads no files"));
        };
        let plugin = self.plugin_telling(told).await?;
        let prepare =
            || async { PreparedReader::new(&self.engine, &plugin).map_err(|error| self.at(error)) };
        let prepared = reader.get_or_try_init(prepare).await?.clone();
        Ok(Reader { prepared, limits: self.manifest.limits.clone() })
    }

    /// Its engine of scripts.
    ///
    /// # Errors
    ///
    /// Same as [`Skill::plugin`], and [`ErrorKind::Denied`] when the plugin imports what the manifest does not grant;
    /// [`ErrorKind::Load`] - it runs no scripts.
    pub(crate) async fn prepared_script(
        self: &Arc<Skill>,
        told: CompilingSink<'_>,
    ) -> Result<&PreparedScript> {
        let Kind::Engine(script) = &self.kind else {
            return Err(self.is_other("runs no scripts"));
        };
        if let Some(script) = script.get() {
            return Ok(script);
        }
        // Before the turn to prepare it: each who waits has a time of its own.
        let plugin = self.plugin_telling(told).await?;
        let (grants, own) = (&self.manifest.grants, &self.capabilities);
        let prepare = || async {
            PreparedScript::new(&self.engine, &plugin, grants, own).map_err(|it| self.at(it))
        };
        script.get_or_try_init(prepare).await
    }

    /// Load the plugin, before somebody needs it, and see that it can be used: none where there is none. It takes nothing away
    /// from calls, and as long as compiling may; `told` hears of that.
    ///
    /// # Errors
    ///
    /// Same as [`Skill::tools`] and [`Skill::plugin`].
    pub(super) async fn prepare(
        self: &Arc<Skill>,
        told: CompilingSink<'_>,
    ) -> Result<Option<Found>> {
        if let Kind::Instructions = self.kind {
            return Ok(None);
        }
        // What can be said without compiling is said before.
        self.toolbox().await?;
        let found = self.plugin_within(Duration::MAX, Urgency::Ahead, told).await?;
        match self.kind {
            Kind::Tools(_) => self.prepared_tools(told).await.map(drop),
            Kind::Reader(_) => self.prepared_reader(told).await.map(drop),
            Kind::Engine(_) => self.prepared_script(told).await.map(drop),
            Kind::Instructions => Ok(()),
        }?;
        Ok(Some(found))
    }

    /// Load the plugin before somebody needs it. Gives the size of its native code in bytes, and whether it had to be compiled.
    ///
    /// # Errors
    ///
    /// Same as [`Skill::tools`] and [`Skill::plugin`].
    pub(crate) async fn load_ahead(
        self: &Arc<Skill>,
        told: CompilingSink<'_>,
    ) -> Result<(u64, bool)> {
        let found = self.prepare(told).await?;
        Ok(found.map_or((0, false), |it| (it.plugin.native_bytes(), it.is_compiled)))
    }

    /// Whether its plugin exports tools: readers and script engines do something else.
    pub(super) fn has_tools(&self) -> bool {
        matches!(self.kind, Kind::Tools(_))
    }

    fn at(&self, error: Error) -> Error {
        error.at(format!("skill `{}`", self.manifest.name))
    }

    /// The refusal of a use that is not that of its role.
    #[cold]
    fn is_other(&self, problem: &str) -> Error {
        Error::new(ErrorKind::Load, format!("the skill `{}` {problem}", self.manifest.name))
    }
}

/// What became of `bytes` that were read.
fn not_loaded(bytes: &PluginBytes, error: Error) -> NotLoaded {
    match bytes {
        // The file can be mended beside the same record.
        PluginBytes::Precompiled(_) => NotLoaded::Read(error),
        PluginBytes::Wasm(_) | PluginBytes::Zstd(_) => NotLoaded::Compiled(error),
    }
}
