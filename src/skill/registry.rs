//! The registry: which skills there are, and which tool a name means.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::OnceCell;

use super::bundled::BUNDLED;
use super::{Manifest, ToolManifest, ToolName, to_snake};
use crate::capability::{self, CallState, PreparedReader};
use crate::engine::{Engine, Environment, Plugin, PluginBytes, Precompiled, Prepared, StoreCore};
use crate::limits::{CallLimits, KIB};
use crate::value::Function;
use crate::{Error, ErrorKind, Result, text};

/// Largest `skill.yaml` or `SKILL.md`, in bytes.
const MAX_TEXT_BYTES: u64 = 256 * KIB;

/// Where a skill comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillSource {
    /// Inside the binary.
    Bundled,
    /// A folder.
    Folder(PathBuf),
}

/// A skill: its manifest, its instructions for models, and its plugin, which is loaded when it is first needed.
pub struct Skill {
    manifest: Manifest,
    manifest_text: String,
    instructions: String,
    source: SkillSource,
    engine: Engine,
    component: Cow<'static, [u8]>,
    plugin: OnceCell<Plugin>,
    tools: OnceCell<ToolPlugin>,
    reader: OnceCell<PreparedReader>,
}

/// A prepared plugin and what it exports.
struct ToolPlugin {
    prepared: Prepared<CallState>,
    // Sorted by name.
    tools: Vec<(ToolName, Arc<Function>)>,
}

/// A tool, ready to be called. A cheap handle.
#[derive(Clone)]
pub struct Tool {
    /// Its name.
    pub name: ToolName,
    /// The skill that it belongs to.
    pub skill: Arc<Skill>,
    /// Its parameters, result and documentation.
    pub function: Arc<Function>,
    pub(crate) prepared: Prepared<CallState>,
}

impl Tool {
    /// Make an instance of its plugin and drop it: what a call costs besides the call.
    ///
    /// # Errors
    ///
    /// As a call that reaches a limit or traps while it starts.
    pub async fn instantiate(&self) -> Result<()> {
        let limits = &self.skill.manifest.limits;
        let core = StoreCore::new(limits, &Environment::default());
        let state = CallState::new(core, Arc::new(capability::NoServices));
        self.prepared.enter(state, limits, |_, _| Box::pin(async { Ok(()) })).await.result
    }
}

/// A reader, ready to be called. A cheap handle.
#[derive(Clone)]
pub struct Reader {
    #[cfg_attr(not(feature = "ingest"), allow(dead_code, reason = "only ingest reads documents"))]
    pub(crate) prepared: PreparedReader,
    /// Limits of each file.
    pub limits: CallLimits,
}

impl Skill {
    fn bundled(engine: &Engine, name: &str) -> Option<Result<Skill>> {
        let bundled = BUNDLED.iter().find(|skill| skill.name == name)?;
        Some(Manifest::parse(bundled.manifest, &format!("bundled skill `{name}`")).map(
            |manifest| {
                Skill::new(
                    engine,
                    (manifest, bundled.manifest.to_owned()),
                    bundled.instructions.to_owned(),
                    SkillSource::Bundled,
                    Cow::Borrowed(bundled.component),
                )
            },
        ))
    }

    /// Read a skill from its folder. The plugin is not loaded yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - `skill.yaml` is missing or wrong.
    pub fn from_folder(engine: &Engine, folder: &Path) -> Result<Skill> {
        let path = folder.join("skill.yaml");
        let text = read_text(&path)?;
        let manifest = Manifest::parse(&text, &path.display().to_string())?;
        let instructions = read_text(&folder.join("SKILL.md"))?;
        Ok(Skill::new(
            engine,
            (manifest, text),
            instructions,
            SkillSource::Folder(folder.to_owned()),
            Cow::Borrowed(&[]),
        ))
    }

    fn new(
        engine: &Engine,
        (manifest, manifest_text): (Manifest, String),
        instructions: String,
        source: SkillSource,
        component: Cow<'static, [u8]>,
    ) -> Skill {
        Skill {
            manifest,
            manifest_text,
            instructions,
            source,
            engine: engine.clone(),
            component,
            plugin: OnceCell::new(),
            tools: OnceCell::new(),
            reader: OnceCell::new(),
        }
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The text of its `skill.yaml`.
    pub fn manifest_text(&self) -> &str {
        &self.manifest_text
    }

    /// The text of its `SKILL.md`, front matter included.
    pub fn instructions(&self) -> &str {
        &self.instructions
    }

    /// Where it comes from.
    pub fn source(&self) -> &SkillSource {
        &self.source
    }

    /// Its component as stored.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the file is missing or unreadable.
    pub fn component(&self) -> Result<PluginBytes> {
        let bytes = match &self.source {
            SkillSource::Bundled => self.component.clone(),
            SkillSource::Folder(folder) => {
                let path = folder.join(&self.manifest.component);
                Cow::Owned(fs::read(&path).map_err(|error| {
                    Error::new(
                        ErrorKind::Load,
                        format!("cannot read the component {}", path.display()),
                    )
                    .hint("`component` in `skill.yaml` names a file of the skill's own folder")
                    .caused_by(error)
                })?)
            }
        };
        Ok(match self.manifest.component.ends_with(".zst") {
            true => PluginBytes::Zstd(bytes),
            false => PluginBytes::Wasm(bytes),
        })
    }

    /// Native code beside the component, where this host may load it.
    fn precompiled(&self) -> Result<Option<PluginBytes>> {
        let SkillSource::Folder(folder) = &self.source else { return Ok(None) };
        let code = folder.join(format!("{}.cwasm", self.manifest.name));
        if !self.engine.options().allow_precompiled || !code.exists() {
            return Ok(None);
        }
        let unreadable = |path: &Path, error: Box<dyn std::error::Error + Send + Sync>| {
            Error::new(ErrorKind::Load, format!("cannot read {}", path.display()))
                .hint("compile the skill again with `mitt compile`")
                .caused_by(error)
        };
        let record = code.with_extension("cwasm.json");
        let json = fs::read(&record).map_err(|error| unreadable(&record, error.into()))?;
        let parsed: Precompiled =
            serde_json::from_slice(&json).map_err(|error| unreadable(&record, error.into()))?;
        let code = fs::read(&code).map_err(|error| unreadable(&code, error.into()))?;
        Ok(Some(PluginBytes::Precompiled(Cow::Owned(code), Box::new(parsed))))
    }

    /// Load the plugin, compiling it if the cache does not have it. Later calls return the same one.
    ///
    /// # Errors
    ///
    /// As [`Engine::load`], with the skill's name.
    pub async fn plugin(self: &Arc<Skill>) -> Result<Plugin> {
        let load = || async {
            let skill = self.clone();
            // Compiling takes seconds: not on the executor's threads.
            tokio::task::spawn_blocking(move || {
                let bytes = match skill.precompiled()? {
                    Some(bytes) => bytes,
                    None => skill.component()?,
                };
                skill.engine.load(&bytes)
            })
            .await
            .map_err(|error| Error::bug(format!("loading a plugin panicked: {error}")))?
            .map_err(|error| error.at(format!("skill `{}`", self.manifest.name)))
        };
        self.plugin.get_or_try_init(load).await.cloned()
    }

    async fn tool_plugin(self: &Arc<Skill>) -> Result<&ToolPlugin> {
        let prepare = || async {
            let at = |error: Error| error.at(format!("skill `{}`", self.manifest.name));
            let plugin = self.plugin().await?;
            let prepared =
                capability::prepare(&self.engine, &plugin, &self.manifest.grants).map_err(at)?;
            let mut tools: Vec<(ToolName, Arc<Function>)> = Vec::new();
            for function in plugin.interface().functions.iter().filter(|function| is_tool(function))
            {
                let Some(name) = ToolName::new(&self.manifest.name, &function.name) else {
                    let message = format!(
                        "the tool name of function `{}` is longer than 64 characters",
                        function.name
                    );
                    return Err(at(Error::new(ErrorKind::Load, message)));
                };
                tools.push((name, Arc::new(self.narrowed(function).map_err(at)?)));
            }
            self.check_tool_names(&tools).map_err(at)?;
            tools.sort_by(|a, b| a.0.cmp(&b.0));
            if let Some(pair) = tools.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                let message =
                    format!("two exported functions make the same tool name `{}`", pair[0].0);
                return Err(at(Error::new(ErrorKind::Load, message)));
            }
            Ok(ToolPlugin { prepared, tools })
        };
        self.tools.get_or_try_init(prepare).await
    }

    /// `function` within the bounds of the manifest.
    fn narrowed(&self, function: &Function) -> Result<Function> {
        let told = self.manifest.tools.iter().find(|tool| tool.name == function.name);
        match told.and_then(|tool| tool.input_schema.as_ref()) {
            None => Ok(function.clone()),
            Some(schema) => function
                .narrowed(schema)
                .map_err(|error| error.at(format!("skill.yaml: tools: {}", function.name))),
        }
    }

    /// Refuse a manifest that speaks of a tool that the plugin does not have.
    fn check_tool_names(&self, tools: &[(ToolName, Arc<Function>)]) -> Result<()> {
        let names = tools.iter().map(|(_, function)| function.name.as_str());
        let unknown = |tool: &&ToolManifest| !names.clone().any(|name| name == tool.name);
        let Some(unknown) = self.manifest.tools.iter().find(unknown) else { return Ok(()) };
        let error = Error::new(
            ErrorKind::Load,
            format!("skill.yaml: tools: the plugin exports no function `{}`", unknown.name),
        );
        Err(match text::nearest(&unknown.name, names.clone()).first() {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error.hint(format!("it exports `{}`", names.collect::<Vec<_>>().join("`, `"))),
        })
    }

    /// Its tools, sorted by name. None for a reader.
    ///
    /// # Errors
    ///
    /// As [`Skill::plugin`], and [`ErrorKind::Denied`] when the plugin imports what the manifest does not grant.
    pub async fn tools(self: &Arc<Skill>) -> Result<Vec<Tool>> {
        if self.manifest.reader.is_some() {
            return Ok(Vec::new());
        }
        let plugin = self.tool_plugin().await?;
        let tool = |(name, function): &(ToolName, Arc<Function>)| Tool {
            name: name.clone(),
            skill: self.clone(),
            function: function.clone(),
            prepared: plugin.prepared.clone(),
        };
        Ok(plugin.tools.iter().map(tool).collect())
    }

    async fn prepared_reader(self: &Arc<Skill>) -> Result<Reader> {
        let prepare = || async {
            let plugin = self.plugin().await?;
            PreparedReader::new(&self.engine, &plugin)
                .map_err(|error| error.at(format!("skill `{}`", self.manifest.name)))
        };
        let prepared = self.reader.get_or_try_init(prepare).await?.clone();
        Ok(Reader { prepared, limits: self.manifest.limits.clone() })
    }
}

/// Functions of named interfaces and of the root are tools. Instances with plain names are what language runtimes leave
/// behind, such as componentize-py's `exports`.
pub(super) fn is_tool(function: &Function) -> bool {
    function.instance.as_ref().is_none_or(|instance| instance.contains(':'))
}

impl std::fmt::Debug for Skill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Skill")
            .field("manifest", &self.manifest)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

/// The skills of a host. Immutable; a cheap handle.
#[derive(Clone, Debug)]
pub struct Registry {
    // By name in snake case, sorted.
    skills: Arc<BTreeMap<String, Arc<Skill>>>,
}

impl Registry {
    /// The bundled skills, and those in the folders `roots`: each subfolder with a `skill.yaml`. A skill in a later
    /// place hides one of the same name in an earlier place. Disabled skills are left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - a folder is unreadable, or a manifest is wrong.
    pub fn load(engine: &Engine, bundled: bool, roots: &[PathBuf]) -> Result<Registry> {
        let mut skills: BTreeMap<String, Arc<Skill>> = BTreeMap::new();
        if bundled {
            for skill in BUNDLED {
                if let Some(skill) = Skill::bundled(engine, skill.name) {
                    let skill = skill?;
                    skills.insert(to_snake(&skill.manifest.name), Arc::new(skill));
                }
            }
        }
        for root in roots {
            let mut here: BTreeMap<String, PathBuf> = BTreeMap::new();
            for folder in skill_folders(root)? {
                let skill = Skill::from_folder(engine, &folder)?;
                let key = to_snake(&skill.manifest.name);
                if let Some(other) = here.insert(key.clone(), folder.clone()) {
                    let message = format!(
                        "two skills are named `{}`: {} and {}",
                        skill.manifest.name,
                        other.display(),
                        folder.display()
                    );
                    return Err(Error::new(ErrorKind::Load, message)
                        .hint("rename one of them in its `skill.yaml`"));
                }
                skills.insert(key, Arc::new(skill));
            }
        }
        skills.retain(|_, skill| skill.manifest.enabled);
        Ok(Registry { skills: Arc::new(skills) })
    }

    /// All skills, sorted by name.
    pub fn skills(&self) -> impl Iterator<Item = &Arc<Skill>> {
        self.skills.values()
    }

    /// The skill of this name, in kebab or snake case.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is none; the hint names the nearest.
    pub fn skill(&self, name: &str) -> Result<&Arc<Skill>> {
        self.skills.get(&to_snake(name)).ok_or_else(|| {
            let error = Error::new(ErrorKind::Load, format!("no skill `{name}`"));
            let names: Vec<_> = self.skills().map(|skill| skill.manifest.name.as_str()).collect();
            match text::nearest(name, names.iter().copied()).first() {
                Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
                None => error.hint(format!("there are {}", names.join(", "))),
            }
        })
    }

    /// The tool of this name. Loads only the skill that it belongs to.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownTool`] - there is none; the hints name the nearest. Otherwise as [`Skill::tools`].
    pub async fn tool(&self, name: &str) -> Result<Tool> {
        if let Some((skill, _)) = ToolName::split(name)
            && let Some(skill) = self.skills.get(skill)
            && let Some(tool) =
                skill.tools().await?.into_iter().find(|tool| tool.name.as_str() == name)
        {
            return Ok(tool);
        }
        Err(self.unknown_tool(name).await)
    }

    /// Names the nearest tools. Looks first into the skill that is meant; script engines, which are large, are loaded for
    /// that only.
    async fn unknown_tool(&self, name: &str) -> Error {
        let shown = text::one_line(text::cut_bytes(name, 128));
        let error = Error::new(ErrorKind::UnknownTool, format!("no tool `{shown}`"));
        let wanted = name.split("__").next().unwrap_or(name);
        let skill =
            text::nearest(wanted, self.skills.keys().map(String::as_str)).into_iter().next();
        let tools = match skill.and_then(|skill| self.skills.get(skill)) {
            Some(skill) => skill.tools().await.unwrap_or_default(),
            None => Vec::new(),
        };
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let nearest = text::nearest(name, names.iter().copied());
        if !nearest.is_empty() {
            return error.hint(format!("did you mean `{}`?", nearest.join("` or `")));
        }
        if !names.is_empty() {
            return error.hint(format!("there are `{}`", names.join("`, `")));
        }
        let function = name.rsplit("__").next().unwrap_or(name);
        let callable: Vec<_> =
            self.skills().filter(|skill| skill.manifest.reader.is_none()).collect();
        let mut named = Vec::new();
        for skill in callable.iter().filter(|skill| skill.manifest.script.is_none()) {
            named.extend(skill.tools().await.unwrap_or_default());
        }
        let functions = named.iter().map(|tool| tool.name.function());
        let nearest = text::nearest(function, functions);
        let alike = named.iter().filter(|tool| nearest.contains(&tool.name.function()));
        let alike: Vec<_> = alike.map(|tool| tool.name.as_str()).take(3).collect();
        if !alike.is_empty() {
            return error.hint(format!("did you mean `{}`?", alike.join("` or `")));
        }
        let skills: Vec<_> = callable.iter().map(|skill| skill.manifest.name.as_str()).collect();
        error.hint(format!(
            "a tool is named `<skill>__<function>`; there are the skills {}",
            skills.join(", ")
        ))
    }

    /// All tools, sorted by name.
    ///
    /// # Errors
    ///
    /// As [`Skill::tools`].
    pub async fn tools(&self) -> Result<Vec<Tool>> {
        let mut tools = Vec::new();
        for skill in self.skills() {
            tools.extend(skill.tools().await?);
        }
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tools)
    }

    /// The reader of a file type, given as an extension in lower case without a dot.
    ///
    /// # Errors
    ///
    /// As [`Skill::plugin`].
    pub async fn reader(&self, extension: &str) -> Result<Option<Reader>> {
        let reads = |skill: &&Arc<Skill>| {
            let reader = skill.manifest.reader.as_ref();
            reader.is_some_and(|reader| reader.extensions.iter().any(|known| known == extension))
        };
        match self.skills().find(reads) {
            Some(skill) => skill.prepared_reader().await.map(Some),
            None => Ok(None),
        }
    }

    /// The skill that runs scripts of `language`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is none.
    pub fn script(&self, language: &str) -> Result<&Arc<Skill>> {
        let runs = |skill: &&Arc<Skill>| {
            skill.manifest.script.as_ref().is_some_and(|script| script.language == language)
        };
        self.skills().find(runs).ok_or_else(|| {
            Error::new(ErrorKind::Load, format!("no skill runs `{language}` scripts"))
                .hint("use a build with the feature `bundled`, or name a folder of skills with `--skills`")
        })
    }
}

fn skill_folders(root: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Load, format!("cannot read the skills folder {}", root.display()))
            .hint("name an existing folder whose subfolders hold a `skill.yaml` each")
            .caused_by(error)
    };
    let mut folders = Vec::new();
    for entry in fs::read_dir(root).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.join("skill.yaml").is_file() {
            folders.push(path);
        }
    }
    // The file system's order is arbitrary; ours is not.
    folders.sort();
    Ok(folders)
}

fn read_text(path: &Path) -> Result<String> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Load, format!("cannot read {}", path.display())).caused_by(error)
    };
    let size = fs::metadata(path).map_err(unreadable)?.len();
    if size > MAX_TEXT_BYTES {
        let message =
            format!("{}: at most {MAX_TEXT_BYTES} bytes expected, got {size}", path.display());
        return Err(Error::new(ErrorKind::Load, message));
    }
    fs::read_to_string(path).map_err(unreadable)
}
