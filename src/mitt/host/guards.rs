//! Guards for the sessions of each tenant, made from rule sets in memory and in files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;

use mitt_base::{Error, Result, lock, plain_file};
use mitt_guard::{Guard, MAX_SET_BYTES, RuleSet};
use mitt_skill::SkillChange;

/// Source of rules about content.
#[derive(Clone, Debug)]
pub enum GuardSource {
    /// Rules in memory.
    Set(RuleSet),
    /// File with one word per line, or with YAML, as [`RuleSet::parse`] reads it.
    File(PathBuf),
}

impl From<RuleSet> for GuardSource {
    fn from(set: RuleSet) -> GuardSource {
        GuardSource::Set(set)
    }
}

impl From<PathBuf> for GuardSource {
    fn from(file: PathBuf) -> GuardSource {
        GuardSource::File(file)
    }
}

impl From<&Path> for GuardSource {
    fn from(file: &Path) -> GuardSource {
        GuardSource::File(file.to_owned())
    }
}

/// Sources of rules of a host.
#[derive(Clone, Debug, Default)]
pub(super) struct GuardSets {
    common: Vec<GuardSource>,
    tenants: BTreeMap<String, Vec<GuardSource>>,
}

impl GuardSets {
    /// Adds a source, for one tenant or for all.
    pub(super) fn add(&mut self, tenant: Option<String>, source: GuardSource) {
        match tenant {
            None => self.common.push(source),
            Some(tenant) => self.tenants.entry(tenant).or_default().push(source),
        }
    }
}

/// Guards of a host.
#[derive(Debug)]
pub(super) struct Guards {
    sets: GuardSets,
    now: ArcSwap<Now>,
    /// Error of the last reading of the files.
    problem: Mutex<Option<String>>,
}

#[derive(Debug)]
struct Now {
    /// Text of each file, as it was last read.
    files: BTreeMap<PathBuf, String>,
    common: Guard,
    /// Guards of tenants with rules of their own.
    tenants: BTreeMap<String, Guard>,
}

impl Guards {
    pub(super) fn new(sets: GuardSets) -> Result<Guards> {
        let now = Now::read(&sets)?;
        Ok(Guards { sets, now: ArcSwap::from_pointee(now), problem: Mutex::default() })
    }

    /// Returns the guard for sessions of `tenant`. Takes no lock.
    pub(super) fn of(&self, tenant: &str) -> Guard {
        let now = self.now.load();
        now.tenants.get(tenant).unwrap_or(&now.common).clone()
    }

    /// Reads the files again. If one is invalid, all rules stay as they were. Returns a change that reports a new problem or its
    /// end.
    pub(super) fn reload(&self, generation: u64) -> Option<Arc<SkillChange>> {
        self.files().next()?;
        let problem = match Now::read(&self.sets) {
            Err(error) => Some(error.render()),
            Ok(now) => {
                if self.now.load().files != now.files {
                    self.now.store(now.into());
                }
                None
            }
        };
        let mut before = lock(&self.problem);
        let is_new = *before != problem;
        before.clone_from(&problem);
        let problems = vec![("rules about content".to_owned(), problem.filter(|_| is_new)?)];
        Some(Arc::new(SkillChange { generation, problems, ..SkillChange::default() }))
    }

    /// Returns the files that rules are read from.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let sources = self.sets.common.iter().chain(self.sets.tenants.values().flatten());
        sources.filter_map(|source| match source {
            GuardSource::File(file) => Some(file.as_path()),
            GuardSource::Set(_) => None,
        })
    }
}

impl Now {
    fn read(sets: &GuardSets) -> Result<Now> {
        let mut files = BTreeMap::new();
        let common = read_all(&sets.common, &mut files)?;
        let mut tenants = BTreeMap::new();
        for (tenant, own) in &sets.tenants {
            let own = read_all(own, &mut files)?;
            tenants.insert(tenant.clone(), Guard::new(common.iter().cloned().chain(own))?);
        }
        Ok(Now { files, common: Guard::new(common)?, tenants })
    }
}

fn read_all(
    sources: &[GuardSource],
    files: &mut BTreeMap<PathBuf, String>,
) -> Result<Vec<RuleSet>> {
    let mut sets = Vec::new();
    for source in sources {
        match source {
            GuardSource::Set(set) => sets.push(set.clone()),
            GuardSource::File(file) => {
                let text = text(file)?;
                sets.push(RuleSet::parse(&file.display().to_string(), &text)?);
                files.insert(file.clone(), text);
            }
        }
    }
    Ok(sets)
}

fn text(file: &Path) -> Result<String> {
    let unreadable = |error| {
        Error::input(format!("the rules in {} cannot be read", file.display())).caused_by(error)
    };
    // Reads one byte more, so that a longer file is refused and not cut.
    let bytes = plain_file::read(file, MAX_SET_BYTES as u64).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|_| {
        Error::input(format!("{}: the rules are no UTF-8", file.display()))
            .hint("save the file as UTF-8")
    })
}
