//! The registry: which skills there are, and which tool a name means.
//!
//! A snapshot: it never changes, and whoever holds one keeps it whole while the next one is made.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::graph::{self, Blocked, Node};
use super::hiding::{HiddenSkill, look};
use super::loaded::{Reader, Skill, Tool};
use super::overlay::Applied;
use super::trust::{TrustStore, Unapproved};
use super::{Engines, SkillSource, ToolName, to_snake};
use crate::script::RUN;
use mitt_base::{Error, ErrorKind, Result, text};

/// What to do about skills that cannot be used by mistake.
const MISTAKE: &str = "add or correct what it needs, or remove or disable the skill";

/// Every version of every skill that was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// By name in snake case; those that hide others behind them.
    pub(super) by_name: BTreeMap<String, Vec<Arc<Skill>>>,
    /// What is wrong, by place.
    pub(super) problems: BTreeMap<String, String>,
    /// Names that two folders of one place have.
    pub(super) twice: Vec<String>,
    /// The grants that count; none if all do.
    pub(super) trust: Option<TrustStore>,
}

/// Skills that read a type of file that another one reads: all but one of each, a bundled one first, then by name. And those
/// whose tools would be named as the host's own, which run scripts.
fn collisions(
    chosen: &BTreeMap<&str, Arc<Skill>>,
    pool: &Pool,
    applied: &Applied<'_>,
) -> Vec<(String, Blocked)> {
    let mut first: BTreeMap<String, &str> = BTreeMap::new();
    let mut collisions = Vec::new();
    let is_bundled = |skill: &Skill| pool.is_standard(skill);
    let mut ordered: Vec<_> = chosen.iter().collect();
    ordered.sort_by_key(|(name, skill)| (!is_bundled(skill), **name));
    for (name, skill) in ordered {
        let manifest = skill.manifest();
        if !applied.enabled(name, manifest.enabled) {
            continue;
        }
        let extensions = manifest.reader.iter().flat_map(|reader| &reader.extensions);
        let reads = extensions.map(|extension| format!("read {extension} files"));
        // Of a skill and the engine of a language of its name, what is bundled stays, else the engine.
        let language = manifest.script.as_ref().map(|script| to_snake(&script.language));
        let rival = chosen.iter().find(|(other_name, other)| {
            let script = other.manifest().script.as_ref();
            match &language {
                None => {
                    let runs = script.is_some_and(|it| to_snake(&it.language) == to_snake(name));
                    runs && (is_bundled(other) || !is_bundled(skill))
                }
                Some(language) => {
                    let is_named = script.is_none() && to_snake(other_name) == *language;
                    is_named && is_bundled(other) && !is_bundled(skill)
                }
            }
        });
        if let Some((with, _)) = rival {
            let tools = language.unwrap_or_else(|| to_snake(name));
            let what = format!("have tools named `{tools}__...`");
            let collision = Blocked::Collision { with: (*with).to_owned(), what };
            collisions.push(((*name).to_owned(), collision));
            continue;
        }
        for what in reads {
            match first.get(&what) {
                Some(with) if with != name => {
                    let collision = Blocked::Collision { with: (*with).to_owned(), what };
                    collisions.push(((*name).to_owned(), collision));
                    break;
                }
                _ => {
                    first.insert(what, name);
                }
            }
        }
    }
    collisions
}

/// Skills whose name looks like that of a bundled or approved one, and that one.
fn alike(chosen: &BTreeMap<&str, Arc<Skill>>, pool: &Pool) -> Vec<(String, String)> {
    let (protected, others): (Vec<_>, Vec<_>) =
        chosen.iter().partition(|(_, skill)| pool.is_protected(skill));
    let looks: BTreeMap<String, &str> =
        protected.into_iter().map(|(name, _)| (look(name), *name)).collect();
    let alike = others.into_iter().filter_map(|(name, _)| {
        let with = looks.get(&look(name))?;
        Some(((*name).to_owned(), (*with).to_owned()))
    });
    alike.collect()
}

impl Pool {
    /// Whether it holds the same versions, with the same problems and approvals.
    pub(super) fn is_same(&self, other: &Pool) -> bool {
        let same = |one: &[Arc<Skill>], other: &[Arc<Skill>]| {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| Arc::ptr_eq(one, other))
        };
        self.by_name.len() == other.by_name.len()
            && self
                .by_name
                .iter()
                .zip(&other.by_name)
                .all(|(one, other)| one.0 == other.0 && same(one.1, other.1))
            && self.problems == other.problems
            && self.trust == other.trust
    }

    pub(super) fn add(&mut self, skill: Arc<Skill>) {
        self.by_name.entry(to_snake(&skill.manifest().name)).or_default().push(skill);
    }
}

/// The skills of a host. Immutable; a cheap handle.
#[derive(Clone, Debug)]
pub struct Registry {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    generation: u64,
    pool: Arc<Pool>,
    /// Of the pool, those that may be used under their names, by name in snake case.
    eligible: BTreeMap<String, Vec<Arc<Skill>>>,
    hidden: Vec<HiddenSkill>,
    // By name in snake case, sorted.
    skills: BTreeMap<String, Arc<Skill>>,
    blocked: BTreeMap<String, Blocked>,
    /// By language in snake case.
    languages: BTreeMap<String, Result<Arc<Engines>, String>>,
    has_destructive: bool,
}

/// A skill that was found, and whether it can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillState {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it comes from.
    pub source: SkillSource,
    /// Why it cannot be used; none if it can.
    pub blocked: Option<Blocked>,
}

impl Registry {
    /// The usable ones of the last candidates of each name, under `applied` overlays.
    pub(super) fn resolve(
        pool: Arc<Pool>,
        generation: u64,
        applied: Applied<'_>,
        before: Option<&Registry>,
    ) -> Registry {
        let mut chosen: BTreeMap<&str, Arc<Skill>> = BTreeMap::new();
        let mut blocked: BTreeMap<String, Blocked> = BTreeMap::new();
        let (mut eligible, mut hidden) = (BTreeMap::new(), Vec::new());
        for (name, candidates) in &pool.by_name {
            let (usable, others) = pool.eligible(candidates, &applied);
            eligible.insert(name.clone(), usable);
            hidden.extend(others);
        }
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
                            // What is prepared already is not prepared again.
                            let known = before.and_then(|before| before.found(name));
                            let skill =
                                known.filter(|known| known.is_equal(&skill)).unwrap_or(skill);
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
        for (name, with) in alike(&chosen, &pool) {
            chosen.remove(name.as_str());
            blocked.insert(name, Blocked::Alike { with });
        }
        for (name, collision) in collisions(&chosen, &pool, &applied) {
            chosen.remove(name.as_str());
            blocked.insert(name, collision);
        }
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
        let has_destructive = skills
            .values()
            .any(|skill| skill.manifest().tools.iter().any(|tool| tool.policy.destructive));
        for (name, reason) in order.blocked {
            let reason = match reason {
                // It is there, but for a reason of its own not among the nodes.
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
            pool,
        };
        Registry { inner: Arc::new(inner) }
    }

    /// The same skills under overlays.
    pub(crate) fn under(&self, applied: Applied<'_>) -> Registry {
        Registry::resolve(self.inner.pool.clone(), self.inner.generation, applied, None)
    }

    /// Refuse overlays that speak of what is not there: a slip there would switch nothing off.
    pub(crate) fn check_names(&self, applied: Applied<'_>) -> Result<()> {
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
            let runs = |skill: &Arc<Skill>| skill.manifest().script.is_some();
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
                    Some(hidden) => error.detail(hidden.to_string()).hint(hidden.way_out()),
                    None => error,
                });
            }
        }
        Ok(())
    }

    /// Refuse what is a mistake, and not something that was switched off; those of tolerated places are only told.
    pub(crate) fn check(&self, is_tolerated: impl Fn(&SkillSource) -> bool) -> Result<()> {
        let is_told =
            |name: &str| self.found(name).is_some_and(|skill| is_tolerated(skill.source()));
        let mistakes: Vec<String> = self
            .inner
            .blocked
            .iter()
            .filter(|(name, blocked)| blocked.is_mistake() && !is_told(name))
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

    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.inner.pool
    }

    /// Counts the changes: 1 is what the host began with.
    pub fn generation(&self) -> u64 {
        self.inner.generation
    }

    /// Every skill that was found under its name, usable or not, sorted by name.
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

    /// The skill that was found under this name, in kebab or snake case, usable or not.
    pub fn found(&self, name: &str) -> Option<Arc<Skill>> {
        let key = to_snake(name);
        let usable = self.inner.skills.get(&key).cloned();
        usable.or_else(|| self.inner.eligible.get(&key)?.last().cloned())
    }

    /// Skills that are not used because a bundled or approved one has their name, and nobody said by that name that they are
    /// to take its place.
    pub fn hidden(&self) -> &[HiddenSkill] {
        &self.inner.hidden
    }

    /// The refusal of a skill that waits for an approval; none of any other.
    pub(crate) fn unapproved(&self, name: &str) -> Option<Error> {
        let name = name.replace('_', "-");
        let blocked = self.inner.blocked.get(&name)?;
        let Blocked::Unapproved { .. } = blocked else { return None };
        let error = Error::new(ErrorKind::Denied, format!("skill `{name}` {blocked}"));
        Some(error.hint(format!(
            "look at it with `mitt skill show {name}`, then approve it with `mitt skill trust {name}`"
        )))
    }

    /// Places whose skill cannot be used as it is there now, and why: a version that does not load, a name that is taken.
    pub fn problems(&self) -> impl Iterator<Item = (&str, &str)> {
        let problems = self.inner.pool.problems.iter();
        problems.map(|(place, problem)| (place.as_str(), problem.as_str()))
    }

    /// All skills, sorted by name.
    pub fn skills(&self) -> impl Iterator<Item = &Arc<Skill>> {
        self.inner.skills.values()
    }

    /// The skill of this name, in kebab or snake case.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is none; the hint names the nearest.
    pub fn skill(&self, name: &str) -> Result<Arc<Skill>> {
        self.inner.skills.get(&to_snake(name)).cloned().ok_or_else(|| {
            if let Some(blocked) = self.inner.blocked.get(&name.replace('_', "-")) {
                return Error::new(ErrorKind::Load, format!("skill `{name}` {blocked}"));
            }
            let error = Error::new(ErrorKind::Load, format!("no skill `{name}`"));
            let names: Vec<_> = self.skills().map(|skill| skill.manifest().name.as_str()).collect();
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
        if let Some((language, RUN)) = ToolName::split(name)
            && let Some(engines) = self.inner.languages.get(language)
        {
            let engines = engines.as_ref().map_err(|why| Error::new(ErrorKind::Load, why))?;
            if let Some(tool) = Tool::of_engines(engines) {
                return Ok(tool);
            }
        }
        if let Some((skill, _)) = ToolName::split(name)
            && let Some(skill) = self.inner.skills.get(skill)
            && let Some(tool) = skill.tool(name).await?
        {
            return Ok(tool);
        }
        Err(self.unknown_tool(name).await)
    }

    /// Names the nearest tools. Looks first into the skill that is meant; script engines, which are large, are never loaded.
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
        // These words, unlike other messages, are what users of configured skills know.
        let error = Error::new(ErrorKind::UnknownTool, format!("Unknown tool: {shown}"));
        let wanted = name.split("__").next().unwrap_or(name);
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
        let has_tools = |skill: &&Arc<Skill>| {
            skill.manifest().reader.is_none() && skill.manifest().script.is_none()
        };
        let callable: Vec<_> = self.skills().filter(has_tools).collect();
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
        // Scripts are run by a tool that is named after their language, whichever engines there are.
        let mut skills: Vec<_> =
            callable.iter().map(|skill| skill.manifest().name.as_str()).collect();
        skills.extend(self.inner.languages.keys().map(String::as_str));
        skills.sort_unstable();
        error.hint(format!(
            "a tool is named `<skill>__<function>`; there are the skills {}",
            skills.join(", ")
        ))
    }

    /// All tools, sorted by name. A skill that does not load is left out; [`Registry::listing`] tells why.
    pub async fn tools(&self) -> Vec<Tool> {
        self.listing().await.0
    }

    /// All tools, sorted by name, and an error for each skill that does not load.
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
                Ok(engines) => tools.extend(Tool::of_engines(engines)),
                Err(why) => failures.push(Error::new(ErrorKind::Load, why)),
            }
        }
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        (tools, failures)
    }

    /// The reader of a file type, given as an extension in lower case without a dot.
    ///
    /// # Errors
    ///
    /// As [`Skill::plugin`].
    pub async fn reader(&self, extension: &str) -> Result<Option<Reader>> {
        let reads = |skill: &&Arc<Skill>| {
            let reader = skill.manifest().reader.as_ref();
            reader.is_some_and(|reader| reader.extensions.iter().any(|known| known == extension))
        };
        match self.skills().find(reads) {
            Some(skill) => skill.prepared_reader().await.map(Some),
            None => Ok(None),
        }
    }

    /// The skill that runs scripts of `language`, or the engine of this name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is none.
    pub fn script(&self, language: &str) -> Result<Arc<Skill>> {
        let mut problem = None;
        for engines in self.inner.languages.values() {
            match engines {
                Ok(engines) => {
                    if let Some(skill) = engines.named(language) {
                        return Ok(skill.clone());
                    }
                }
                Err(why) => problem = Some(why),
            }
        }
        if let Some(why) = problem {
            return Err(Error::new(ErrorKind::Load, why));
        }
        Err(Error::new(ErrorKind::Load, format!("no skill runs `{language}` scripts")).hint(
            "use a build with the feature `bundled`, or name a folder of skills with `--skills`",
        ))
    }

    /// Whether one of the usable skills has a tool that may destroy something.
    pub(crate) fn has_destructive(&self) -> bool {
        self.inner.has_destructive
    }
}

/// The engines of each language among the usable `skills`, or why scripts of a language cannot be run.
fn languages(
    skills: &BTreeMap<String, Arc<Skill>>,
    eligible: &BTreeMap<String, Vec<Arc<Skill>>>,
    pool: &Pool,
    applied: Applied<'_>,
) -> BTreeMap<String, Result<Arc<Engines>, String>> {
    let language = |skill: &Skill| skill.manifest().script.as_ref().map(|it| it.language.clone());
    let mut engines: BTreeMap<String, Vec<Arc<Skill>>> = BTreeMap::new();
    for skill in skills.values() {
        if let Some(language) = language(skill) {
            engines.entry(language).or_default().push(skill.clone());
        }
    }
    let mut pinned: BTreeMap<String, &str> = BTreeMap::new();
    for name in applied.engines() {
        let known = eligible.get(&to_snake(name)).and_then(|candidates| candidates.last());
        if let Some(language) = known.and_then(|skill| language(skill)) {
            pinned.insert(language, name);
        }
    }
    let made = engines.into_iter().map(|(language, engines)| {
        let pinned = pinned.get(&language).copied();
        let is_there = |name: &str| engines.iter().any(|skill| skill.manifest().name == name);
        let made = match pinned.filter(|name| !is_there(name)) {
            // Another one would run what it was not meant for.
            Some(name) => Err(format!(
                "{language} scripts are to be run by the engine `{name}`, which cannot be used"
            )),
            None => {
                let is_standard = |skill: &Skill| pool.is_standard(skill);
                let made = Engines::new(&language, engines, pinned, is_standard);
                made.map(Arc::new).map_err(|it| it.render())
            }
        };
        (to_snake(&language), made)
    });
    made.collect()
}
