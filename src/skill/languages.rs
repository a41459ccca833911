//! Finds the engines for the scripts of each language.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::overlay::Applied;
use super::pool::Pool;
use super::{Engines, Skill, to_snake};

/// Returns the engines of each language among the usable `skills`, or the reason why its scripts cannot run.
pub(super) fn languages(
    skills: &BTreeMap<String, Arc<Skill>>,
    eligible: &BTreeMap<String, Vec<Arc<Skill>>>,
    pool: &Pool,
    applied: Applied<'_>,
) -> BTreeMap<String, Result<Arc<Engines>, String>> {
    let language = |skill: &Skill| skill.manifest().script().map(|it| it.language.clone());
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
        // Settings that name engines name the languages of the models, too.
        let is_offered = (!pinned.is_empty()).then(|| pinned.contains_key(&language));
        let pinned = pinned.get(&language).copied();
        let is_there = |name: &str| engines.iter().any(|skill| skill.manifest().name == name);
        let made = match pinned.filter(|name| !is_there(name)) {
            // Another engine would run scripts that were not meant for it.
            Some(name) => Err(format!(
                "{language} scripts are to be run by the engine `{name}`, which cannot be used"
            )),
            None => {
                let is_standard = |skill: &Skill| pool.is_standard(skill);
                let made = Engines::new(&language, engines, pinned, is_offered, is_standard);
                made.map(Arc::new).map_err(|it| it.render())
            }
        };
        (to_snake(&language), made)
    });
    made.collect()
}
