//! Skills that cannot be used together with another one: they have the same tool names, read the same files, or have names that
//! look alike.
//!
//! Knows the chosen candidate of each name; `hidden_skills.rs` chooses it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::graph::Blocked;
use super::overlay::Applied;
use super::pool::Pool;
use super::{Role, Skill, skill_md, to_snake};

/// Returns skills that conflict with another one. If several read a type of file, all but one are returned; a bundled skill is
/// kept first, then the first by name. Also returns skills whose tools would be named like the tool that runs scripts of a
/// language.
pub(super) fn collisions(
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
        let extensions = manifest.reader().into_iter().flat_map(|reader| &reader.extensions);
        let reads = extensions.map(|extension| format!("read {extension} files"));
        // If a skill has the name of an engine's language, the bundled one of the two stays, otherwise the engine.
        let language = manifest.script().map(|script| to_snake(&script.language));
        let rival = chosen.iter().find(|(other_name, other)| {
            let script = other.manifest().script();
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

/// Returns skills whose tools would be named like tools of the embedder, which keep their names.
pub(super) fn with_host_tools(
    chosen: &BTreeMap<&str, Arc<Skill>>,
    applied: &Applied<'_>,
) -> Vec<(String, Blocked)> {
    let clash = |(name, skill): (&&str, &Arc<Skill>)| {
        let manifest = skill.manifest();
        let prefix = match &manifest.role {
            Role::Tools { .. } => to_snake(name),
            Role::Engine { runs, .. } => to_snake(&runs.language),
            Role::Reader { .. } | Role::Instructions => return None,
        };
        let is_taken = applied.enabled(name, manifest.enabled) && applied.taken.contains(&prefix);
        is_taken.then(|| ((*name).to_owned(), Blocked::OfHost { prefix }))
    };
    chosen.iter().filter_map(clash).collect()
}

/// Returns skills with a name that looks like that of a bundled or approved one, together with the name of the latter.
pub(super) fn alike(chosen: &BTreeMap<&str, Arc<Skill>>, pool: &Pool) -> Vec<(String, String)> {
    let (protected, others): (Vec<_>, Vec<_>) =
        chosen.iter().partition(|(_, skill)| pool.is_protected(skill));
    let forms: BTreeMap<String, &str> =
        protected.into_iter().map(|(name, _)| (visual_form(name), *name)).collect();
    let alike = others.into_iter().filter_map(|(name, _)| {
        let with = forms.get(&visual_form(name))?;
        Some(((*name).to_owned(), (*with).to_owned()))
    });
    alike.collect()
}

/// Returns the visual form of a name: two names with the same form are easily confused.
fn visual_form(name: &str) -> String {
    let form: String = to_snake(&skill_md::folded(name)).chars().map(like).collect();
    form.replace("rn", "m").replace("vv", "w")
}

/// Returns the Latin letter that a character looks like in most fonts.
fn like(c: char) -> char {
    match c {
        '0' | 'о' | 'ο' | 'օ' | '०' | 'ᴏ' => 'o',
        '1' | 'і' | 'ı' | 'ι' | 'ӏ' | 'ɩ' | 'ǀ' | 'i' | 'ł' | 'ⅼ' => 'l',
        'а' | 'α' | 'ɑ' => 'a',
        'е' | 'ε' | 'ҽ' | '℮' => 'e',
        'с' | 'ϲ' | 'ⅽ' => 'c',
        'ԁ' | 'ɗ' | 'ⅾ' => 'd',
        'ɡ' | 'ց' => 'g',
        'һ' | 'հ' => 'h',
        'ј' | 'ϳ' => 'j',
        'к' | 'κ' | 'ĸ' => 'k',
        'м' | 'ⅿ' => 'm',
        'п' | 'ո' | 'η' => 'n',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' | 'ᴦ' => 'r',
        'ѕ' | 'ꜱ' => 's',
        'т' | 'τ' | 'ᴛ' => 't',
        'υ' | 'ս' | 'ц' => 'u',
        'ν' | 'ѵ' | 'ⅴ' => 'v',
        'ѡ' | 'ԝ' | 'ω' => 'w',
        'х' | 'χ' | 'ⅹ' => 'x',
        'у' | 'γ' | 'ү' => 'y',
        // Other hyphens.
        '‐' | '‑' | '‒' | '–' | '−' => '_',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::visual_form;

    #[test]
    fn names_that_look_alike() {
        for other in
            ["tаble-tool", "table-tооl", "tab1e-tool", "tabIe-tool", "table_tool", "tаblе-tοοl"]
        {
            assert_eq!(visual_form(other), visual_form("table-tool"), "{other}");
        }
        assert_eq!(visual_form("forrn"), visual_form("form"));
        for other in ["table-tools", "tables-tool", "stable-tool", "数据-tool"] {
            assert_ne!(visual_form(other), visual_form("table-tool"), "{other}");
        }
    }
}
