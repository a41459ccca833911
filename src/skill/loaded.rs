//! A loaded skill: manifest, instructions and plugin.
//!
//! Knows one skill; the registry knows the others. `tool.rs` has the tools of its plugin, `scripted.rs` its role for scripts.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tokio::sync::OnceCell;

use super::bundled;
use super::loading::Loading;
use super::scripts::HelpersInternal as _;
use super::scripts::{Helpers, IGNORED};
use super::toolbox::Toolbox;
use super::{Invocation, Manifest, Reading, Role, SkillMd, forked_agent, plain, plug_in};
#[cfg(feature = "extism")]
use super::{ToolManifest, ToolPolicy};
use crate::capability::{
    CallContext, OwnCapabilities, PreparedReader, PreparedScript, ScriptModule,
};
use mitt_base::limits::{CallLimits, KIB};
use mitt_base::{Error, ErrorKind, Result, plain_file};
use mitt_engine::{
    Engine, MAX_COMPONENT_BYTES, PluginBytes, PluginBytesInternal as _, Prepared, StoredComponent,
    StoredComponentInternal as _,
};

/// Largest `skill.yaml` or `SKILL.md`, in bytes.
pub(super) const MAX_TEXT_BYTES: u64 = 256 * KIB;

/// Source of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillSource {
    /// The binary contains it.
    Bundled,
    /// A folder.
    Folder(PathBuf),
    /// A component alone: a file, or `None` for bytes in memory.
    Component(Option<PathBuf>),
}

/// Skill: its manifest, its instructions for models, and its plugin, which is loaded when it is first needed.
pub struct Skill {
    pub(super) manifest: Manifest,
    manifest_text: String,
    /// XTP schema next to the plugin; empty if there is none.
    contracts_text: String,
    /// Complete text of `SKILL.md`.
    instructions: String,
    source: SkillSource,
    /// Problems that are not errors.
    pub(super) warnings: Vec<String>,
    /// Bounds that overlays set, by the part of the tool's name after the skill.
    pub(super) overlay_bounds: Vec<(String, Value)>,
    pub(super) engine: Engine,
    /// Capabilities that the embedder added to the host.
    pub(super) capabilities: OwnCapabilities,
    component: Cow<'static, [u8]>,
    /// Shared with the adjusted copies that overlays make of the skill.
    pub(super) plugin: Arc<Loading>,
    /// Hash of the component that the plugin was loaded from.
    pub(super) component_hash: Arc<OnceLock<blake3::Hash>>,
    pub(super) prepared_plugin: PreparedPlugin,
    /// Module that scripts import.
    pub(super) module: OnceCell<Arc<ScriptModule>>,
    pub(super) helpers: Helpers,
}

/// Prepared plugin, according to the role of the skill. It is prepared when it is first needed.
pub(super) enum PreparedPlugin {
    Tools(ToolPlugin),
    Reader(OnceCell<PreparedReader>),
    Engine(OnceCell<PreparedScript>),
    /// The skill has no plugin.
    Instructions,
}

/// Exports of a plugin, which are known from its interface; and the prepared plugin, which may have to be compiled.
#[derive(Default)]
pub(super) struct ToolPlugin {
    pub(super) toolbox: OnceCell<Toolbox>,
    pub(super) prepared: OnceCell<Prepared<CallContext>>,
}

impl PreparedPlugin {
    fn of(role: &Role) -> PreparedPlugin {
        match role {
            Role::Tools { .. } => PreparedPlugin::Tools(ToolPlugin::default()),
            Role::Reader { .. } => PreparedPlugin::Reader(OnceCell::new()),
            Role::Engine { .. } => PreparedPlugin::Engine(OnceCell::new()),
            Role::Instructions => PreparedPlugin::Instructions,
        }
    }
}

/// Formats the source for messages.
impl std::fmt::Display for SkillSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SkillSource::Bundled => f.write_str("bundled"),
            SkillSource::Folder(path) | SkillSource::Component(Some(path)) => path.display().fmt(f),
            SkillSource::Component(None) => f.write_str("memory"),
        }
    }
}

impl Skill {
    pub(super) fn bundled(engine: &Engine, name: &str) -> Option<Result<Skill>> {
        let bundled = bundled::ALL.iter().find(|skill| skill.name == name)?;
        let read = |manifest| {
            let mut skill = Skill::new(
                engine,
                (manifest, bundled.manifest.to_owned()),
                bundled.instructions.to_owned(),
                SkillSource::Bundled,
                Cow::Borrowed(bundled.component),
            );
            skill.helpers = Helpers::bundled(bundled.helpers);
            // A test compares it with the component. While that is being changed, old native code must not be taken for it.
            if !cfg!(debug_assertions)
                && let Ok(hash) = blake3::Hash::from_hex(bundled.component_blake3)
            {
                skill.component_hash = Arc::new(OnceLock::from(hash));
            }
            skill
        };
        let place = format!("bundled skill `{name}`");
        Some(Manifest::of_bundled(bundled.manifest_json, &place).map(read))
    }

    /// Reads a skill from its folder. The plugin is not loaded yet. A folder without a `skill.yaml` is a skill with instructions
    /// only, whose `SKILL.md` is read leniently.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - `skill.yaml` is invalid, or there is no `SKILL.md`.
    pub fn from_folder(engine: &Engine, folder: &Path) -> Result<Skill> {
        let path = folder.join("skill.yaml");
        let source = SkillSource::Folder(folder.to_owned());
        // The file must certainly be missing. If it is only unreadable for a moment, the skill is not one with instructions only.
        let missing = |path: &Path| {
            path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        };
        if missing(&path) {
            return Skill::described(engine, folder, source);
        }
        let text = read_text(&path)?;
        let mut manifest = Manifest::parse(&text, &path.display().to_string())?;
        let contracts_text = contracts(folder, &mut manifest)?;
        let plug_in = manifest.component().filter(|file| plug_in::is_manifest(file));
        let narrowed = match plug_in.map(|file| folder.join(file)) {
            Some(file) => plug_in::narrow(&mut manifest, &file)?,
            None => Vec::new(),
        };
        let path = folder.join("SKILL.md");
        let instructions = read_text(&path)?;
        plain::check_yaml(plain::front_matter(&instructions)).map_err(|problem| {
            Error::new(ErrorKind::Load, format!("{}: {problem}", path.display()))
        })?;
        let mut skill =
            Skill::new(engine, (manifest, text), instructions, source, Cow::Borrowed(&[]));
        skill.contracts_text = contracts_text;
        skill.warnings.extend(narrowed);
        skill.warnings.extend(skill.manifest.warnings());
        skill.with_helpers(folder)
    }

    /// Reads a skill from a folder with only a `SKILL.md`. It may have been written for any host, so it is read leniently.
    fn described(engine: &Engine, folder: &Path, source: SkillSource) -> Result<Skill> {
        let other = folder.join("skill.yml");
        if other.exists() {
            let message = format!("{}: expected the file `skill.yaml`", other.display());
            return Err(Error::new(ErrorKind::Load, message).hint("rename it"));
        }
        let (read, text) = SkillMd::with_text(folder, Reading::Lenient)?;
        for (key, text) in [("name", &read.name), ("description", &read.description)] {
            plain::check_text(text).map_err(|problem| {
                let place = format!("{}: SKILL.md: {key}: {problem}", folder.display());
                Error::new(ErrorKind::Load, place)
            })?;
        }
        let manifest = Manifest::described(&read.name, &read.description);
        let none = Cow::Borrowed(&[][..]);
        let mut skill = Skill::new(engine, (manifest, String::new()), text, source, none);
        skill.warnings.extend(read.warnings.iter().map(ToString::to_string));
        // The folder `scripts` may contain programs of any kind.
        match Helpers::read(folder) {
            Ok(helpers) => skill.helpers = helpers,
            Err(error) => skill.warnings.push(error.to_string()),
        }
        Ok(skill)
    }

    fn with_helpers(mut self, folder: &Path) -> Result<Skill> {
        self.helpers = Helpers::read(folder)?;
        let ignored = self.helpers.ignored().iter();
        self.warnings.extend(ignored.map(|path| format!("scripts/{path}: {IGNORED}")));
        Ok(self)
    }

    pub(super) fn new(
        engine: &Engine,
        (manifest, manifest_text): (Manifest, String),
        instructions: String,
        source: SkillSource,
        component: Cow<'static, [u8]>,
    ) -> Skill {
        let prepared_plugin = PreparedPlugin::of(&manifest.role);
        Skill {
            manifest,
            manifest_text,
            contracts_text: String::new(),
            warnings: plain::hidden_text(&instructions).into_iter().collect(),
            instructions,
            source,
            overlay_bounds: Vec::new(),
            engine: engine.clone(),
            capabilities: OwnCapabilities::default(),
            component,
            plugin: Arc::default(),
            component_hash: Arc::default(),
            prepared_plugin,
            module: OnceCell::new(),
            helpers: Helpers::default(),
        }
    }

    /// Returns a copy of the skill with other limits and narrower tools, which shares the plugin.
    pub(super) fn adjusted(
        &self,
        limits: CallLimits,
        overlay_bounds: Vec<(String, Value)>,
    ) -> Skill {
        let mut manifest = self.manifest.clone();
        manifest.limits = limits;
        Skill {
            manifest,
            manifest_text: self.manifest_text.clone(),
            contracts_text: self.contracts_text.clone(),
            warnings: self.warnings.clone(),
            overlay_bounds,
            instructions: self.instructions.clone(),
            source: self.source.clone(),
            engine: self.engine.clone(),
            capabilities: self.capabilities.clone(),
            component: self.component.clone(),
            plugin: self.plugin.clone(),
            component_hash: self.component_hash.clone(),
            prepared_plugin: PreparedPlugin::of(&self.manifest.role),
            module: OnceCell::new(),
            helpers: self.helpers.clone(),
        }
    }

    /// Returns the manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the text of `skill.yaml`.
    pub fn manifest_text(&self) -> &str {
        &self.manifest_text
    }

    /// Returns name and content of the plug-in's manifest without its modules, which is stored next to native code. `None` if the
    /// plug-in is not defined by a manifest.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the manifest is missing or unreadable.
    pub fn plug_in_manifest(&self) -> Result<Option<(String, Vec<u8>)>> {
        let path = match (&self.source, self.manifest.component()) {
            (SkillSource::Folder(folder), Some(file)) => folder.join(file),
            (SkillSource::Component(Some(path)), _) => path.clone(),
            _ => return Ok(None),
        };
        match self.manifest.component().filter(|file| plug_in::is_manifest(file)) {
            Some(file) => Ok(Some((file.to_owned(), plug_in::without_modules(&path)?))),
            None => Ok(None),
        }
    }

    /// Returns the text of the XTP schema `schema.yaml` next to the plug-in; empty if there is none.
    pub fn contracts_text(&self) -> &str {
        &self.contracts_text
    }

    /// Returns the text of `SKILL.md` when the skill was read, including front matter.
    pub fn instructions(&self) -> &str {
        &self.instructions
    }

    /// Returns the agent that does the skill's work in a conversation of its own, if `SKILL.md` says `context: fork`: the one
    /// named by `agent`, or `general-purpose`.
    pub fn forked_agent(&self) -> Option<String> {
        forked_agent(&self.instructions)
    }

    /// Returns how users invoke the skill, according to its `SKILL.md`.
    pub fn invocation(&self) -> Invocation {
        Invocation::of(&self.instructions)
    }

    /// Returns problems of its files that are not errors, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the source of the skill.
    pub fn source(&self) -> &SkillSource {
        &self.source
    }

    /// Returns the component as stored.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the file is missing or unreadable.
    pub fn component(&self) -> Result<PluginBytes> {
        let bytes = self.component_bytes()?;
        // Bytes in memory do not change. A file may have, so its hash is computed again.
        let known = match self.source {
            SkillSource::Bundled | SkillSource::Component(None) => (*self.component_hash).clone(),
            SkillSource::Folder(_) | SkillSource::Component(Some(_)) => OnceLock::new(),
        };
        let bytes = StoredComponent::hashed(bytes, known);
        let is_compressed = self.manifest.component().is_some_and(|name| name.ends_with(".zst"));
        Ok(if is_compressed { PluginBytes::Zstd(bytes) } else { PluginBytes::Wasm(bytes) })
    }

    /// Returns the BLAKE3 hash of the stored component in hexadecimal digits, which approvals refer to. For native code, it is
    /// the hash of the component that the code was compiled from.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::component`], and [`ErrorKind::Denied`] if there is native code that cannot be verified.
    pub fn component_digest(&self) -> Result<String> {
        self.component_hash().map(|hash| hash.to_string())
    }

    /// Returns the hash of the stored component in the loaded version.
    pub(super) fn component_hash(&self) -> Result<blake3::Hash> {
        match self.component_hash.get() {
            Some(hash) => Ok(*hash),
            None => {
                let hash = match self.native_record()? {
                    Some(native) => native.component,
                    None => self.component()?.stored_hash()?,
                };
                Ok(*self.component_hash.get_or_init(|| hash))
            }
        }
    }

    /// Returns the size of the stored component in bytes; 0 if there is none.
    pub(super) fn stored_bytes(&self) -> u64 {
        let length = |path: &Path| path.metadata().map_or(0, |file| file.len());
        match (&self.source, self.manifest.component()) {
            (SkillSource::Component(Some(path)), _) => length(path),
            (SkillSource::Folder(folder), Some(component)) => length(&folder.join(component)),
            (SkillSource::Folder(_), None) => 0,
            (SkillSource::Bundled | SkillSource::Component(None), _) => self.component.len() as u64,
        }
    }

    fn component_bytes(&self) -> Result<Cow<'static, [u8]>> {
        Ok(match &self.source {
            SkillSource::Bundled | SkillSource::Component(None) => self.component.clone(),
            SkillSource::Component(Some(path)) if is_plug_in(path) => {
                Cow::Owned(plug_in::component(path)?)
            }
            SkillSource::Component(Some(path)) => {
                Cow::Owned(read_component(path).map_err(|error| {
                    let message = format!("cannot read the component {}", path.display());
                    Error::new(ErrorKind::Load, message).caused_by(error)
                })?)
            }
            SkillSource::Folder(folder) => {
                let Some(component) = self.manifest.component() else {
                    let message = format!("the skill `{}` has no component", self.manifest.name);
                    return Err(Error::new(ErrorKind::Load, message));
                };
                let path = folder.join(component);
                if plug_in::is_manifest(component) {
                    return plug_in::component(&path).map(Cow::Owned);
                }
                Cow::Owned(read_component(&path).map_err(|error| {
                    Error::new(
                        ErrorKind::Load,
                        format!("cannot read the component {}", path.display()),
                    )
                    .hint("`component` in `skill.yaml` names a file of the skill's own folder")
                    .caused_by(error)
                })?)
            }
        })
    }

    /// Returns whether both are the same version, with the same plugin and overlay settings.
    pub(super) fn is_equal(&self, other: &Skill) -> bool {
        Arc::ptr_eq(&self.plugin, &other.plugin)
            && self.manifest == other.manifest
            && self.overlay_bounds == other.overlay_bounds
            && self.helpers.hash() == other.helpers.hash()
    }

    /// Returns whether `other` was read from the same texts and the same component; `false` if that is unknown.
    pub(super) fn is_same(&self, other: &Skill) -> bool {
        self.manifest_text == other.manifest_text
            && self.contracts_text == other.contracts_text
            && self.instructions == other.instructions
            && self.helpers.hash() == other.helpers.hash()
            && self
                .component_hash
                .get()
                .is_some_and(|hash| other.component_hash().is_ok_and(|other| other == *hash))
    }

    /// Returns the settings of overlays for its tools, by the part of the tool's name after the skill.
    pub(super) fn overlay_bounds(&self) -> &[(String, Value)] {
        &self.overlay_bounds
    }
}

impl std::fmt::Debug for Skill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Skill")
            .field("manifest", &self.manifest)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

/// Reads the XTP schema next to a plug-in, if there is one, for functions that `skill.yaml` does not describe. Returns its text.
#[cfg(feature = "extism")]
fn contracts(folder: &Path, manifest: &mut Manifest) -> Result<String> {
    let path = folder.join("schema.yaml");
    let is_there = path.symlink_metadata().is_ok();
    if !is_there || !matches!(manifest.role, Role::Tools { .. }) {
        return Ok(String::new());
    }
    let text = read_text(&path)?;
    for (name, contract) in super::xtp::contracts(&text, &path.display().to_string())? {
        match manifest.tools.iter_mut().find(|tool| tool.name == name) {
            Some(tool) if tool.contract.is_none() && tool.input_schema.is_none() => {
                (tool.contract, tool.has_forms) = (Some(contract), true);
            }
            Some(_) => {}
            None => manifest.tools.push(ToolManifest {
                name,
                input_schema: None,
                description: None,
                has_forms: true,
                contract: Some(contract),
                policy: ToolPolicy::default(),
            }),
        }
    }
    Ok(text)
}

#[cfg(not(feature = "extism"))]
fn contracts(_: &Path, _: &mut Manifest) -> Result<String> {
    Ok(String::new())
}

/// Returns whether a component alone is the manifest of a plug-in.
fn is_plug_in(path: &Path) -> bool {
    path.to_str().is_some_and(plug_in::is_manifest)
}

/// Reads a stored component. Its size has the same limit as after decompression.
fn read_component(path: &Path) -> std::io::Result<Vec<u8>> {
    let content = plain_file::read(path, MAX_COMPONENT_BYTES)?;
    if content.len() as u64 > MAX_COMPONENT_BYTES {
        let message = format!("it is over {MAX_COMPONENT_BYTES} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, message));
    }
    Ok(content)
}

fn read_text(path: &Path) -> Result<String> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Load, format!("cannot read {}", path.display())).caused_by(error)
    };
    let content = plain_file::read(path, MAX_TEXT_BYTES).map_err(unreadable)?;
    if content.len() as u64 > MAX_TEXT_BYTES {
        let message =
            format!("{}: expected at most {MAX_TEXT_BYTES} bytes, got more", path.display());
        return Err(Error::new(ErrorKind::Load, message));
    }
    String::from_utf8(content).map_err(|error| {
        Error::new(ErrorKind::Load, format!("{}: expected UTF-8", path.display())).caused_by(error)
    })
}
