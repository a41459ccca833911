//! Loads skills from the binary, folders and single components, and reloads what has changed.
//!
//! Unchanged skills are not read again, and an invalid version never replaces a good one. Does not know sessions or tenants, and
//! does not watch: the watcher calls [`Loader::reload`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::bundled;
use super::component::ComponentSource;
use super::internal::RegistryInternal as _;
use super::loaded::MAX_TEXT_BYTES;
use super::overlay::{Applied, Overlay};
use super::pool::Pool;
use super::registry::Registry;
use super::scripts::FOLDER;
use super::{Skill, SkillChange, SkillSource, TrustStore, to_snake};
use crate::capability::OwnCapabilities;
use mitt_base::plain_file;
use mitt_base::{Error, ErrorKind, Result, lock};
use mitt_engine::Engine;

/// Sources of a host's skills.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// `true` for the bundled skills.
    pub bundled: bool,
    /// Folders with skills.
    pub roots: Vec<PathBuf>,
    /// Indices of the `roots` in which a skill that cannot be read is skipped and reported.
    pub tolerant: BTreeSet<usize>,
    /// Components without a manifest.
    pub components: Vec<ComponentSource>,
    /// Overlays for all tenants, in order.
    pub overlays: Vec<Arc<Overlay>>,
    /// File of approvals; without one, all grants count as approved.
    pub trust: Option<PathBuf>,
    /// Capabilities that the embedder added to the host.
    pub capabilities: OwnCapabilities,
}

/// Loader of a host's skills.
#[derive(Debug)]
pub struct Loader {
    engine: Engine,
    roots: Vec<PathBuf>,
    bundled: Vec<Arc<Skill>>,
    components: Vec<Arc<Skill>>,
    overlays: Vec<Arc<Overlay>>,
    trust: Option<PathBuf>,
    capabilities: OwnCapabilities,
    tolerant: BTreeSet<usize>,
    folders: Mutex<SkillFolders>,
}

/// Folders as they were last read, by root and path.
type SkillFolders = BTreeMap<(usize, PathBuf), Folder>;

#[derive(Clone, Debug)]
struct Folder {
    state: State,
    /// The last good version.
    skill: Option<Arc<Skill>>,
    /// Reason why the current version is not in use.
    problem: Option<String>,
}

/// State of a folder, which changes when its files do.
#[derive(Clone, Debug, PartialEq)]
struct State {
    /// Hash of `skill.yaml`, `SKILL.md` and `schema.yaml`.
    texts: blake3::Hash,
    /// Length and modification time of every other file directly in the folder.
    files: Vec<(PathBuf, u64, Option<SystemTime>)>,
}

impl Loader {
    /// Reads all skills for the first time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - a folder is unreadable, a manifest is invalid, a component is missing, two skills of one place have
    /// the same name, or a skill depends on a missing one.
    pub fn load(engine: &Engine, sources: Sources) -> Result<(Loader, Registry)> {
        let mut bundled = Vec::new();
        if sources.bundled {
            for skill in bundled::ALL {
                if let Some(skill) = Skill::bundled(engine, skill.name) {
                    bundled.push(Arc::new(skill?));
                }
            }
        }
        let mut found = SkillFolders::new();
        let mut unreadable: Vec<(String, String)> = Vec::new();
        for (root, path) in sources.roots.iter().enumerate() {
            let is_tolerant = sources.tolerant.contains(&root);
            let folders = match skill_folders(path) {
                Err(error) if is_tolerant => {
                    unreadable.push((path.display().to_string(), error.render()));
                    Vec::new()
                }
                folders => folders?,
            };
            for folder in folders {
                let state = State::of(&folder);
                let read = Skill::from_folder(engine, &folder);
                let read = read.and_then(|skill| offered(skill, &sources.capabilities));
                let (skill, problem) = match read {
                    Ok(skill) => (Some(Arc::new(skill)), None),
                    Err(error) if is_tolerant => (None, Some(error.render())),
                    Err(error) => return Err(error),
                };
                found.insert((root, folder), Folder { state, skill, problem });
            }
        }
        let components = components(engine, &sources)?;
        let Sources { roots, overlays, trust, tolerant, capabilities, .. } = sources;
        let (engine, no_folders) = (engine.clone(), Mutex::default());
        let loader = Loader {
            engine,
            roots,
            bundled,
            components,
            overlays,
            trust,
            capabilities,
            tolerant,
            folders: no_folders,
        };
        let mut pool = loader.pool(&found, None, loader.approvals()?);
        pool.problems.extend(unreadable);
        for ((root, folder), read) in &found {
            if let (true, Some(problem)) = (loader.tolerant.contains(root), &read.problem) {
                pool.problems.insert(folder.display().to_string(), problem.clone());
            }
        }
        if let Some(error) = pool.twice.first() {
            return Err(Error::new(ErrorKind::Load, error.clone())
                .hint("rename one of them in its `skill.yaml`"));
        }
        let registry = Registry::resolve(Arc::new(pool), 1, loader.applied(), None);
        registry.check_names(loader.applied())?;
        registry.check(|source| loader.is_tolerated(source))?;
        *loader.lock() = found;
        Ok((loader, registry))
    }

    /// Reads again what has changed. Returns `None` if nothing has; the change is empty if only hidden skills have changed.
    ///
    /// A new version is used only if its plugin loads and its tools can be prepared. Must not be called concurrently.
    pub async fn reload(&self, before: &Registry) -> Option<(Registry, SkillChange)> {
        let mut found = self.lock().clone();
        let mut problems: BTreeMap<String, String> = BTreeMap::new();
        let mut present = SkillFolders::new();
        for (root, path) in self.roots.iter().enumerate() {
            let folders = match skill_folders(path) {
                Ok(folders) => folders,
                Err(error) => {
                    problems.insert(path.display().to_string(), error.render());
                    // A root that is unreadable for a moment has not lost its skills.
                    found.keys().filter(|(at, _)| *at == root).map(|(_, it)| it.clone()).collect()
                }
            };
            for folder in folders {
                let key = (root, folder.clone());
                let known = found.remove(&key);
                present.insert(key, self.read_again(&folder, known).await);
            }
        }
        let trust = self.approvals().unwrap_or_else(|error| {
            problems.insert("approvals".into(), error.render());
            before.pool().trust.clone()
        });
        let mut pool = self.pool(&present, Some(before.pool()), trust);
        for ((_, folder), read) in &present {
            if let Some(problem) = &read.problem {
                problems.insert(folder.display().to_string(), problem.clone());
            }
        }
        pool.problems.extend(problems);
        *self.lock() = present;
        if pool.is_same(before.pool()) {
            return None;
        }
        let generation = before.generation() + 1;
        let registry = Registry::resolve(Arc::new(pool), generation, self.applied(), Some(before));
        let change = SkillChange::between(before, &registry);
        Some((registry, change))
    }

    async fn read_again(&self, folder: &Path, known: Option<Folder>) -> Folder {
        let state = State::of(folder);
        if let Some(known) = &known
            && known.state == state
        {
            return known.clone();
        }
        let last_good = known.and_then(|known| known.skill);
        match self.read(folder, last_good.as_ref()).await {
            Ok(skill) => Folder { state, skill: Some(skill), problem: None },
            Err(error) => Folder { state, skill: last_good, problem: Some(error.render()) },
        }
    }

    /// Reads a skill and checks that it works. Returns the previous one if only the times of its files have changed.
    async fn read(&self, folder: &Path, before: Option<&Arc<Skill>>) -> Result<Arc<Skill>> {
        let skill = Skill::from_folder(&self.engine, folder)?;
        let skill = Arc::new(offered(skill, &self.capabilities)?);
        if let Some(before) = before {
            if before.is_same(&skill) {
                return Ok(before.clone());
            }
            let component = before.manifest().component();
            if skill.manifest().component().is_none()
                && component.is_some_and(|component| folder.join(component).exists())
            {
                let message = "`skill.yaml` or its `component` is gone, and the component is not";
                return Err(Error::new(ErrorKind::Load, message)
                    .hint("put it back, or remove the component too"));
            }
        }
        skill.prepare(&|_| ()).await?;
        // Also as the overlays for all tenants adjust it.
        self.applied().adjusted(&skill)?.prepare(&|_| ()).await?;
        Ok(skill)
    }
}

/// For the watcher of the folders.
impl Loader {
    /// Loads the plugins of the folders' skills that are in use, so that their versions survive any change of the files.
    pub async fn prepare(&self, in_use: &Registry) {
        let skills: Vec<Arc<Skill>> =
            self.lock().values().filter_map(|folder| folder.skill.clone()).collect();
        let is_used = |skill: &Arc<Skill>| in_use.skills().any(|used| Arc::ptr_eq(used, skill));
        for skill in skills.into_iter().filter(is_used) {
            // A plugin that does not load has no good version to keep; its callers get the error.
            let _ = skill.prepare(&|_| ()).await;
        }
    }

    /// Returns the folders to watch.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Returns the file of approvals to watch.
    pub fn approvals_file(&self) -> Option<&Path> {
        self.trust.as_deref()
    }
}

impl Loader {
    /// Returns all candidates by name, those of later places last.
    fn pool(&self, found: &SkillFolders, before: Option<&Pool>, trust: Option<TrustStore>) -> Pool {
        let mut pool = Pool { trust, ..Pool::default() };
        for skill in &self.bundled {
            pool.add(skill.clone());
        }
        let mut here: BTreeMap<(usize, String), &Path> = BTreeMap::new();
        // If two folders of one place have the same name, the approved one keeps it, otherwise the one that had it before.
        let is_known = |read: &Folder| {
            let candidates = before.into_iter().flat_map(|pool| pool.by_name.values().flatten());
            candidates
                .clone()
                .any(|known| read.skill.as_ref().is_some_and(|skill| Arc::ptr_eq(known, skill)))
        };
        let is_approved =
            |read: &Folder| read.skill.as_ref().is_some_and(|skill| pool.is_protected(skill));
        let mut ordered: Vec<_> = found.iter().collect();
        ordered
            .sort_by_cached_key(|((root, _), read)| (*root, !is_approved(read), !is_known(read)));
        for ((root, folder), read) in ordered {
            let Some(skill) = read.skill.clone() else { continue };
            let key = (*root, to_snake(&skill.manifest().name));
            match here.get(&key) {
                Some(other) => {
                    let problem = same_name(&skill, other, folder);
                    if !self.tolerant.contains(root) {
                        pool.twice.push(problem.clone());
                    }
                    pool.problems.insert(folder.display().to_string(), problem);
                }
                None => {
                    here.insert(key, folder);
                    pool.add(skill);
                }
            }
        }
        for skill in &self.components {
            pool.add(skill.clone());
        }
        pool
    }

    fn approvals(&self) -> Result<Option<TrustStore>> {
        self.trust.as_deref().map(TrustStore::read).transpose()
    }

    /// Returns whether an error of a skill from this source is only reported.
    pub fn is_tolerated(&self, source: &SkillSource) -> bool {
        let SkillSource::Folder(folder) = source else { return false };
        self.tolerant
            .iter()
            .filter_map(|root| self.roots.get(*root))
            .any(|root| folder.starts_with(root))
    }

    fn applied(&self) -> Applied<'_> {
        Applied { overlays: &self.overlays, assignment: "", taken: &[] }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, SkillFolders> {
        lock(&self.folders)
    }
}

impl State {
    fn of(folder: &Path) -> State {
        let mut texts = blake3::Hasher::new();
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.file_name().and_then(|name| name.to_str()) {
                Some("skill.yaml" | "SKILL.md" | "schema.yaml") => {}
                _ => {
                    // Follows links, because the target is what is loaded.
                    let data = fs::metadata(&path).ok();
                    let length = data.as_ref().map_or(0, fs::Metadata::len);
                    files.push((path, length, data.and_then(|data| data.modified().ok())));
                }
            }
        }
        script_files(&folder.join(FOLDER), 0, &mut files);
        files.sort();
        for name in ["skill.yaml", "SKILL.md", "schema.yaml"] {
            match plain_file::read(&folder.join(name), MAX_TEXT_BYTES) {
                Ok(text) => texts.update(&(text.len() as u64).to_le_bytes()).update(&text),
                // No text has this length.
                Err(_) => texts.update(&u64::MAX.to_le_bytes()),
            };
        }
        State { texts: texts.finalize(), files }
    }
}

/// Collects the state of helper files. Files beyond the limits are ignored, as they are when helpers are read.
fn script_files(folder: &Path, depth: usize, files: &mut Vec<(PathBuf, u64, Option<SystemTime>)>) {
    const MOST: usize = 1_024;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(MOST) {
        let (path, data) = (entry.path(), entry.metadata().ok());
        if depth < 8 && files.len() < MOST && data.as_ref().is_some_and(fs::Metadata::is_dir) {
            script_files(&path, depth + 1, files);
        } else {
            let length = data.as_ref().map_or(0, fs::Metadata::len);
            files.push((path, length, data.and_then(|data| data.modified().ok())));
        }
    }
}

/// Checks that the host provides all capabilities that `skill` is granted, including the embedder's `capabilities`.
///
/// # Errors
///
/// [`ErrorKind::Load`] - it is granted a capability that the host does not provide.
fn offered(mut skill: Skill, capabilities: &OwnCapabilities) -> Result<Skill> {
    capabilities.check_grants(&skill.manifest.grants).map_err(|problem| {
        let place = match skill.source() {
            SkillSource::Folder(folder) => folder.join("skill.yaml").display().to_string(),
            source => source.to_string(),
        };
        Error::new(ErrorKind::Load, format!("{place}: {problem}"))
    })?;
    skill.capabilities = capabilities.clone();
    Ok(skill)
}

/// Returns a skill for each component alone.
fn components(engine: &Engine, sources: &Sources) -> Result<Vec<Arc<Skill>>> {
    let mut here: BTreeMap<String, &Path> = BTreeMap::new();
    let mut skills = Vec::new();
    for source in &sources.components {
        let (skill, place) = source.skill(engine)?;
        let skill = offered(skill, &sources.capabilities)?;
        if let Some(other) = here.insert(to_snake(&skill.manifest().name), place) {
            return Err(Error::new(ErrorKind::Load, same_name(&skill, other, place))
                .hint("rename one of them: a skill is named after its file"));
        }
        skills.push(Arc::new(skill));
    }
    Ok(skills)
}

fn same_name(skill: &Skill, one: &Path, other: &Path) -> String {
    format!(
        "two skills are named `{}`: {} and {}",
        skill.manifest().name,
        one.display(),
        other.display()
    )
}

fn skill_folders(root: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Load, format!("cannot read the skills folder {}", root.display()))
            .hint("name an existing folder whose subfolders hold a `SKILL.md` each")
            .caused_by(error)
    };
    let mut folders = Vec::new();
    for entry in fs::read_dir(root).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        // A running installation has a hidden name.
        let is_hidden =
            path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        let is_skill =
            ["skill.yaml", "skill.yml", "SKILL.md"].iter().any(|name| path.join(name).is_file());
        if is_skill && !is_hidden {
            folders.push(path);
        }
    }
    // The order of the file system is arbitrary.
    folders.sort();
    Ok(folders)
}
