//! Registry: the skills of a host, and the tool that a name refers to.
//!
//! A registry is an immutable snapshot: its holders keep it unchanged while the next one is made.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::clashes::{self, alike, collisions};
use super::graph::{self, Blocked, Node};
use super::hidden_skills::HiddenSkill;
use super::host_tool::HostTools;
use super::internal::RegistryInternal;
use super::languages::languages;
use super::loading::Compiling;
use super::overlay::Applied;
use super::pool::Pool;
use super::tool::{Reader, Tool};
use super::tool_filter::ToolFilter;
use super::trust::Unapproved;
use super::{Engines, Role, Skill, SkillSource, ToolName, to_snake};
use crate::capability::Capability;
use crate::script_tool::RUN;
use mitt_base::{Error, ErrorKind, Remedy, Result, text};

/// Advice for skills that cannot be used by mistake.
const MISTAKE: &str = "add or correct what it needs, or remove or disable the skill";

/// Skills of a host, and tools of the embedder. Immutable; a cheap handle.
#[derive(Clone, Debug)]
pub struct Registry {
    inner: Arc<Inner>,
    pub(super) host_tools: HostTools,
    /// Restrictions of the current agent; a tool must pass all of them.
    pub(super) filters: Arc<[ToolFilter]>,
    /// `true` if tools that sign have a key to do so.
    pub(super) has_signing_keys: bool,
}

#[derive(Debug)]
struct Inner {
    generation: u64,
    pool: Arc<Pool>,
    /// Candidates of the pool that may be used, by name in snake case.
    eligible: BTreeMap<String, Vec<Arc<Skill>>>,
    hidden: Vec<HiddenSkill>,
    // By name in snake case, sorted.
    skills: BTreeMap<String, Arc<Skill>>,
    blocked: BTreeMap<String, Blocked>,
    /// By language in snake case.
    languages: BTreeMap<String, Result<Arc<Engines>, String>>,
    /// `true` if a tool is destructive that needs no key to sign with.
    has_destructive: bool,
    /// `true` if a tool signs.
    signs: bool,
}

/// Skill that was found, and whether it can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillState {
    /// Name of the skill.
    pub name: String,
    /// Version of the skill.
    pub version: String,
    /// Source of the skill.
    pub source: SkillSource,
    /// Reason why it cannot be used; `None` if it can.
    pub blocked: Option<Blocked>,
}

impl Registry {
    /// Resolves the last candidate of each name under `applied` overlays to the set of usable skills.
    pub(super) fn resolve(
        pool: Arc<Pool>,
        generation: u64,
        applied: Applied<'_>,
        before: Option<&Registry>,
    ) -> Registry {
        let (mut eligible, mut hidden) = (BTreeMap::new(), Vec::new());
        for (name, candidates) in &pool.by_name {
            let (usable, others) = pool.eligible(candidates, &applied);
            eligible.insert(name.clone(), usable);
            hidden.extend(others);
        }
        let (chosen, mut blocked) = choose(&eligible, &pool, &applied, before);
        let nodes = chosen.iter().map(|(name, skill)| {
            let manifest = skill.manifest();
            let (version, depends_on) = (&*manifest.version, &*manifest.depends_on);
            (*name, Node { version, enabled: applied.enabled(name, manifest.enabled), depends_on })
        });
        let order = graph::order(&nodes.collect());
        let skills = order.usable.iter().filter_map(|name| {
            chosen.get(name.as_str()).map(|skill| (to_snake(name), Arc::clone(skill)))
        });
        let skills: BTreeMap<String, Arc<Skill>> = skills.collect();
        let languages = languages(&skills, &eligible, &pool, applied);
        let has_destructive = |signs: bool| {
            skills.values().map(|skill| skill.manifest()).any(|manifest| {
                manifest.grants.contains(&Capability::Signing) == signs
                    && manifest.tools.iter().any(|tool| tool.policy.destructive)
            })
        };
        let (has_destructive, signs) = (has_destructive(false), has_destructive(true));
        for (name, reason) in order.blocked {
            let reason = match reason {
                // The skill exists, but is not among the nodes because it is blocked for another reason.
                Blocked::Missing { on } if blocked.contains_key(&on) => Blocked::Unusable { on },
                other => other,
            };
            blocked.insert(name, reason);
        }
        let inner = Inner {
            generation,
            eligible,
            hidden,
            skills,
            blocked,
            languages,
            has_destructive,
            signs,
            pool,
        };
        let (host_tools, filters) = (HostTools::default(), Arc::default());
        Registry { inner: Arc::new(inner), host_tools, filters, has_signing_keys: false }
    }

    /// Returns the engines of each language, by its name in snake case, or the reason why its scripts cannot run.
    pub(super) fn languages(&self) -> &BTreeMap<String, Result<Arc<Engines>, String>> {
        &self.inner.languages
    }

    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.inner.pool
    }

    /// Returns the generation, which counts changes; 1 is the initial state of the host.
    pub fn generation(&self) -> u64 {
        self.inner.generation
    }

    /// Returns every skill that was found, usable or not, sorted by name.
    pub fn states(&self) -> Vec<SkillState> {
        let chosen = self.inner.eligible.values().filter_map(|candidates| candidates.last());
        let usable =
            |skill: &Arc<Skill>| self.inner.skills.get(&to_snake(&skill.manifest().name)).cloned();
        let chosen = chosen.map(|skill| usable(skill).unwrap_or_else(|| skill.clone()));
        let state = |skill: Arc<Skill>| SkillState {
            name: skill.manifest().name.clone(),
            version: skill.manifest().version.clone(),
            source: skill.source().clone(),
            blocked: self.inner.blocked.get(&skill.manifest().name).cloned(),
        };
        chosen.map(state).collect()
    }

    /// Returns the skill that was found under this name, in kebab or snake case, usable or not.
    pub fn found(&self, name: &str) -> Option<Arc<Skill>> {
        let key = to_snake(name);
        let usable = self.inner.skills.get(&key).cloned();
        usable.or_else(|| self.inner.eligible.get(&key)?.last().cloned())
    }

    /// Returns skills that are not used because a bundled or approved one has their name, and no setting names them as its
    /// replacement.
    pub fn hidden(&self) -> &[HiddenSkill] {
        &self.inner.hidden
    }

    /// Returns places whose current skill cannot be used, and the reasons: a version that does not load, or a name that is taken.
    pub fn problems(&self) -> impl Iterator<Item = (&str, &str)> {
        let problems = self.inner.pool.problems.iter();
        problems.map(|(place, problem)| (place.as_str(), problem.as_str()))
    }

    /// Returns all usable skills, sorted by name.
    pub fn skills(&self) -> impl Iterator<Item = &Arc<Skill>> {
        self.inner.skills.values().filter(|skill| self.may_have(skill))
    }

    /// Returns the skill of this name, in kebab or snake case.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is none; the hint suggests the nearest name.
    pub fn skill(&self, name: &str) -> Result<Arc<Skill>> {
        self.inner
            .skills
            .get(&to_snake(name))
            .filter(|skill| self.may_have(skill))
            .cloned()
            .ok_or_else(|| {
                if let Some(blocked) = self.inner.blocked.get(&name.replace('_', "-")) {
                    return Error::new(ErrorKind::Load, format!("skill `{name}` {blocked}"));
                }
                let error = Error::new(ErrorKind::Load, format!("no skill `{name}`"));
                let names: Vec<_> =
                    self.skills().map(|skill| skill.manifest().name.as_str()).collect();
                match text::nearest(name, names.iter().copied()).first() {
                    Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
                    None => error.hint(format!("there are {}", names.join(", "))),
                }
            })
    }

    /// Returns the tool of this name. The embedder's tools come first, so none of them can be hidden. Loads only the skill of the
    /// tool.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownTool`] - there is none; the hints suggest the nearest names. Otherwise the same as [`Skill::tools`].
    pub async fn tool(&self, name: &str) -> Result<Tool> {
        let found = self.any_tool(name).await;
        if self.is_whole() {
            return found;
        }
        match found {
            Ok(tool) if self.admits(&tool) => Ok(tool),
            Err(error) if *error.kind() != ErrorKind::UnknownTool || self.filters.is_empty() => {
                Err(error)
            }
            _ => Err(self.left_out(name).await),
        }
    }

    /// Like [`Registry::tool`], without the restrictions of the agent.
    async fn any_tool(&self, name: &str) -> Result<Tool> {
        if let Some(registered) = self.host_tools.get(name) {
            return Ok(Tool::of_host(registered));
        }
        if let Some((language, RUN)) = ToolName::split(name)
            && let Some(engines) = self.inner.languages.get(language)
        {
            let engines = engines.as_ref().map_err(|why| Error::new(ErrorKind::Load, why))?;
            return Ok(Tool::of_engines(engines));
        }
        if let Some((skill, _)) = ToolName::split(name)
            && let Some(skill) = self.inner.skills.get(skill)
            && let Some(tool) = skill.tool(name).await?
        {
            return Ok(tool);
        }
        Err(self.unknown_tool(name).await)
    }

    /// Suggests the nearest tools, first those of the named skill. Never loads script engines, which are large.
    async fn unknown_tool(&self, name: &str) -> Error {
        let shown = text::one_line(text::cut_bytes(name, 128));
        if let Some((skill, _)) = name.split_once("__")
            && let Some(blocked) = self.inner.blocked.get(&skill.replace('_', "-"))
        {
            if let Some(error) = self.unapproved(skill) {
                return error.at(format!("Unknown tool: {shown}"));
            }
            let message = format!("Unknown tool: {shown}: skill `{skill}` {blocked}");
            return Error::new(ErrorKind::UnknownTool, message);
        }
        // Users of configured skills know this exact wording.
        let error = Error::new(ErrorKind::UnknownTool, format!("Unknown tool: {shown}"));
        let wanted = name.split("__").next().unwrap_or(name);
        let of_host: Vec<&str> = self.host_tools.named(wanted).collect();
        if !of_host.is_empty() {
            return error.hint(format!("did you mean `{}`?", of_host.join("` or `")));
        }
        if let Some(Ok(engines)) = self.inner.languages.get(wanted) {
            return error.hint(format!("did you mean `{}`?", engines.name));
        }
        let skill =
            text::nearest(wanted, self.inner.skills.keys().map(String::as_str)).into_iter().next();
        let tools = match skill.and_then(|skill| self.inner.skills.get(skill)) {
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
        // Skills with only instructions are suggested, too, for users who misspell one.
        let is_callable = |skill: &&Arc<Skill>| {
            matches!(skill.manifest().role, Role::Tools { .. } | Role::Instructions)
        };
        let callable: Vec<_> = self.skills().filter(is_callable).collect();
        let mut named = Vec::new();
        for skill in &callable {
            named.extend(skill.tools().await.unwrap_or_default());
        }
        let functions = named.iter().map(|tool| tool.name.function());
        let nearest = text::nearest(function, functions);
        let alike = named.iter().filter(|tool| nearest.contains(&tool.name.function()));
        let alike: Vec<_> = alike.map(|tool| tool.name.as_str()).take(3).collect();
        if !alike.is_empty() {
            return error.hint(format!("did you mean `{}`?", alike.join("` or `")));
        }
        // The tool that runs scripts is named after the language, whatever engines exist.
        let mut skills: Vec<_> =
            callable.iter().map(|skill| skill.manifest().name.as_str()).collect();
        let languages = self.inner.languages.iter();
        let offered =
            languages.filter(|(_, engines)| engines.as_ref().is_ok_and(|it| it.is_offered));
        skills.extend(offered.map(|(language, _)| language.as_str()));
        skills.sort_unstable();
        error.hint(format!(
            "a tool is named `<skill>__<function>`; there are the skills {}",
            skills.join(", ")
        ))
    }

    /// Returns all tools, sorted by name; those that sign only where the operator has named a key. A skill that does not load is
    /// left out; [`Registry::listing`] has its error.
    pub async fn tools(&self) -> Vec<Tool> {
        self.listing().await.0
    }

    /// Like [`Registry::tools`], including tools that are restricted to certain agents.
    pub async fn tools_of_agents(&self) -> Vec<Tool> {
        let reserved = self.host_tools.iter().map(Tool::of_host);
        let reserved = reserved.filter(|tool| tool.agents().is_some() && !self.admits(tool));
        let mut tools: Vec<Tool> = self.tools().await.into_iter().chain(reserved).collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        tools
    }

    /// Returns all tools, sorted by name, and an error for each skill that does not load, or whose tools would be named like the
    /// embedder's.
    pub async fn listing(&self) -> (Vec<Tool>, Vec<Error>) {
        let (mut tools, mut failures) = (Vec::new(), Vec::new());
        for skill in self.skills() {
            match skill.tools().await {
                Ok(more) => tools.extend(more),
                Err(error) => failures.push(error),
            }
        }
        for engines in self.inner.languages.values() {
            match engines {
                Ok(engines) => tools.push(Tool::of_engines(engines)),
                Err(why) => failures.push(Error::new(ErrorKind::Load, why)),
            }
        }
        tools.extend(self.host_tools.iter().map(Tool::of_host));
        tools.retain(|tool| self.admits(tool) && self.lists(tool));
        for (name, reason) in &self.inner.blocked {
            if let Blocked::OfHost { .. } = reason {
                failures.push(Error::new(ErrorKind::Load, format!("skill `{name}` {reason}")));
            }
        }
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        (tools, failures)
    }

    /// Returns the reader of a file type, given as an extension in lower case without a dot.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::plugin`].
    pub async fn reader(&self, extension: &str) -> Result<Option<Reader>> {
        self.reader_with_progress(extension, |_, _| ()).await
    }

    /// Returns the skill that runs scripts of `language`, or the engine of this name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is none.
    pub fn script(&self, language: &str) -> Result<Arc<Skill>> {
        self.engine(language).map(|(_, skill)| skill.clone())
    }

    fn engine(&self, language: &str) -> Result<(&Engines, &Arc<Skill>)> {
        let mut problem = None;
        for engines in self.inner.languages.values() {
            match engines {
                Ok(engines) => {
                    if let Some(skill) =
                        engines.named(language).filter(|_| self.admits(&Tool::of_engines(engines)))
                    {
                        return Ok((engines, skill));
                    }
                }
                Err(why) => problem = Some(why),
            }
        }
        if let Some(why) = problem {
            return Err(Error::new(ErrorKind::Load, why));
        }
        Err(Error::new(ErrorKind::Load, format!("no skill runs `{language}` scripts"))
            .remedy(Remedy::AddSkills))
    }
}

impl RegistryInternal for Registry {
    fn with_host_tools(mut self, tools: &HostTools) -> Registry {
        self.host_tools = tools.clone();
        self
    }

    fn with_signing_keys(mut self, has_keys: bool) -> Registry {
        self.has_signing_keys = has_keys;
        self
    }

    fn has_tools_named(&self, prefixes: &[String]) -> bool {
        let (skills, languages) = (&self.inner.skills, &self.inner.languages);
        prefixes.iter().any(|prefix| skills.contains_key(prefix) || languages.contains_key(prefix))
    }

    fn under(&self, applied: Applied<'_>) -> Registry {
        Registry::resolve(self.inner.pool.clone(), self.inner.generation, applied, None)
    }

    fn check_names(&self, applied: Applied<'_>) -> Result<()> {
        let names = || {
            self.inner
                .pool
                .by_name
                .values()
                .filter_map(|it| it.last())
                .map(|it| &*it.manifest().name)
        };
        for name in applied.names() {
            if names().any(|known| known == name) {
                continue;
            }
            let error = Error::new(ErrorKind::Load, format!("overlay: no skill `{name}`"));
            return Err(match text::nearest(name, names()).first() {
                Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
                None => error.hint(format!("there are {}", names().collect::<Vec<_>>().join(", "))),
            });
        }
        for name in applied.engines() {
            let runs = |skill: &Arc<Skill>| skill.manifest().script().is_some();
            if !self.found(name).is_some_and(|skill| runs(&skill)) {
                let engines = names().filter(|name| self.found(name).is_some_and(|it| runs(&it)));
                let engines: Vec<_> = engines.collect();
                let message = format!("overlay: engine: `{name}` runs no scripts");
                return Err(Error::new(ErrorKind::Load, message)
                    .hint(format!("there are the engines {}", engines.join(", "))));
            }
        }
        for (name, range) in applied.variants() {
            let candidates = self.inner.eligible.get(&to_snake(name));
            let fits = |skill: &Arc<Skill>| range.contains(&skill.manifest().version);
            if !candidates.is_some_and(|candidates| candidates.iter().any(fits)) {
                let message = format!("overlay: experiments: no version `{range}` of `{name}`");
                let error = Error::new(ErrorKind::Load, message);
                let hidden = |it: &&HiddenSkill| it.name == name && range.contains(&it.version);
                return Err(match self.hidden().iter().find(hidden) {
                    Some(hidden) => error.detail(hidden.to_string()).remedy(hidden.remedy()),
                    None => error,
                });
            }
        }
        Ok(())
    }

    fn check(&self, is_tolerated: impl Fn(&SkillSource) -> bool) -> Result<()> {
        let is_reported =
            |name: &str| self.found(name).is_some_and(|skill| is_tolerated(skill.source()));
        let mistakes: Vec<String> = self
            .inner
            .blocked
            .iter()
            .filter(|(name, blocked)| blocked.is_mistake() && !is_reported(name))
            .map(|(name, blocked)| format!("skill `{name}` {blocked}"))
            .collect();
        match &mistakes[..] {
            [] => Ok(()),
            [only] => Err(Error::new(ErrorKind::Load, only).hint(MISTAKE)),
            several => {
                let message = format!("{} skills cannot be used", several.len());
                let error = Error::new(ErrorKind::Load, message);
                Err(mistakes.into_iter().fold(error, Error::detail).hint(MISTAKE))
            }
        }
    }

    fn unapproved(&self, name: &str) -> Option<Error> {
        let name = name.replace('_', "-");
        let blocked = self.inner.blocked.get(&name)?;
        let Blocked::Unapproved { .. } = blocked else { return None };
        let error = Error::new(ErrorKind::Denied, format!("skill `{name}` {blocked}"));
        Some(error.remedy(Remedy::TrustSkill { name }))
    }

    async fn tool_for_plugins(&self, name: &str) -> Result<Tool> {
        let tool = self.tool(name).await?;
        if tool.is_for_models_only() {
            let hint = "there is one of this name for models and users, which plugins and scripts cannot call";
            let unknown = Error::new(ErrorKind::UnknownTool, format!("Unknown tool: {name}"));
            return Err(unknown.hint(hint));
        }
        Ok(tool)
    }

    async fn reader_with_progress(
        &self,
        extension: &str,
        on_compiling: impl Fn(&str, Compiling) + Send + Sync,
    ) -> Result<Option<Reader>> {
        let reads = |skill: &&Arc<Skill>| {
            let reader = skill.manifest().reader();
            reader.is_some_and(|reader| reader.extensions.iter().any(|known| known == extension))
        };
        match self.skills().find(reads) {
            Some(skill) => {
                let on_compiling = |compiling| on_compiling(&skill.manifest().name, compiling);
                skill.prepared_reader(&on_compiling).await.map(Some)
            }
            None => Ok(None),
        }
    }

    fn script_tool(&self, language: &str) -> Result<ToolName> {
        self.engine(language).map(|(engines, _)| engines.name.clone())
    }

    fn has_destructive(&self) -> bool {
        self.inner.has_destructive
            || self.inner.signs && self.has_signing_keys
            || self.host_tools.has_destructive()
    }
}

/// Chooses the candidate of each name, adjusted by overlays; otherwise returns the reason why there is none.
fn choose<'e>(
    eligible: &'e BTreeMap<String, Vec<Arc<Skill>>>,
    pool: &Pool,
    applied: &Applied<'_>,
    before: Option<&Registry>,
) -> (BTreeMap<&'e str, Arc<Skill>>, BTreeMap<String, Blocked>) {
    let mut chosen: BTreeMap<&str, Arc<Skill>> = BTreeMap::new();
    let mut blocked: BTreeMap<String, Blocked> = BTreeMap::new();
    for candidates in eligible.values() {
        let Some(last) = candidates.last() else { continue };
        let name = last.manifest().name.as_str();
        let allowed = |skill: &&Arc<Skill>| {
            applied.pins(name).all(|range| range.contains(&skill.manifest().version))
        };
        match candidates.iter().rev().find(allowed).map(|skill| applied.adjusted(skill)) {
            Some(Ok(skill)) => {
                match pool.trust.as_ref().and_then(|trust| trust.refuses(&skill)) {
                    None => {
                        // A skill that is prepared already is reused.
                        let known = before.and_then(|before| before.found(name));
                        let skill = known.filter(|known| known.is_equal(&skill)).unwrap_or(skill);
                        chosen.insert(name, skill);
                    }
                    Some(Unapproved { grants, changed }) => {
                        let reason = Blocked::Unapproved { grants, changed };
                        blocked.insert(name.to_owned(), reason);
                    }
                }
            }
            Some(Err(error)) => {
                let problem = error.to_string();
                blocked.insert(name.to_owned(), Blocked::Overlay { problem });
            }
            None => {
                let got = candidates.iter().map(|skill| skill.manifest().version.clone());
                blocked.insert(name.to_owned(), Blocked::Pinned { got: got.collect() });
            }
        }
    }
    for (name, clash) in clashes::with_host_tools(&chosen, applied) {
        chosen.remove(name.as_str());
        blocked.insert(name, clash);
    }
    for (name, with) in alike(&chosen, pool) {
        chosen.remove(name.as_str());
        blocked.insert(name, Blocked::Alike { with });
    }
    for (name, collision) in collisions(&chosen, pool, applied) {
        chosen.remove(name.as_str());
        blocked.insert(name, collision);
    }
    (chosen, blocked)
}
