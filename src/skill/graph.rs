//! Dependencies between skills: an order in which each skill comes after its dependencies, and the reasons why some cannot be
//! used.
//!
//! Knows names, versions and `depends_on`; no files and no plugins.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::manifest::{Dependency, VersionRange};

/// Skill with its dependencies.
pub(super) struct Node<'a> {
    pub(super) version: &'a str,
    pub(super) enabled: bool,
    pub(super) depends_on: &'a [Dependency],
}

/// Reason why an existing skill cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blocked {
    /// The skill was disabled.
    Disabled,
    /// It depends on a skill that is not loaded.
    Missing {
        /// The missing skill.
        on: String,
    },
    /// It depends on a disabled skill.
    OnDisabled {
        /// The disabled skill.
        on: String,
    },
    /// It depends on another version of a skill than the existing one.
    Version {
        /// The other skill.
        on: String,
        /// Versions that it accepts.
        wanted: VersionRange,
        /// Existing version.
        got: String,
    },
    /// It depends on a skill that cannot be used for some other reason.
    Unusable {
        /// The other skill.
        on: String,
    },
    /// Overlays allow none of its versions.
    Pinned {
        /// Existing versions.
        got: Vec<String>,
    },
    /// Its tools would be named like tools of the embedder.
    OfHost {
        /// Prefix of the names.
        prefix: String,
    },
    /// Another skill does the same work, which only one skill can do.
    Collision {
        /// The other skill.
        with: String,
        /// The work.
        what: String,
    },
    /// Its grants, or something else that needs an approval, were not approved.
    Unapproved {
        /// Grants and other permissions that need an approval.
        grants: Vec<String>,
        /// `true` if another version was approved.
        changed: bool,
    },
    /// Its name looks like that of a bundled or approved skill.
    Alike {
        /// That skill.
        with: String,
    },
    /// An overlay has an invalid setting for it.
    Overlay {
        /// Description of the problem.
        problem: String,
    },
    /// It depends on itself through other skills.
    Cycle {
        /// Skills of the cycle, each depending on the next; the first one is repeated at the end.
        path: Vec<String>,
    },
}

impl Blocked {
    /// Returns whether it is a mistake, as opposed to a skill that was disabled on purpose.
    pub fn is_mistake(&self) -> bool {
        !matches!(
            self,
            Blocked::Disabled
                | Blocked::OnDisabled { .. }
                | Blocked::Unusable { .. }
                | Blocked::Unapproved { .. }
                | Blocked::Alike { .. }
        )
    }
}

/// Completes the sentence "skill `a` …".
impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Blocked::Disabled => f.write_str("is disabled"),
            Blocked::Missing { on } => write!(f, "depends on `{on}`, which is not loaded"),
            Blocked::OnDisabled { on } => write!(f, "depends on `{on}`, which is disabled"),
            Blocked::Version { on, wanted, got } => {
                write!(f, "depends on `{on}` of version `{wanted}`, and `{got}` is loaded")
            }
            Blocked::Unusable { on } => {
                write!(f, "depends on `{on}`, which cannot be used itself")
            }
            Blocked::Pinned { got } => {
                write!(f, "is pinned to other versions than `{}`", got.join("`, `"))
            }
            Blocked::OfHost { prefix } => write!(
                f,
                "would have tools named `{prefix}__...`, and that name is the host's own; give it another one"
            ),
            Blocked::Collision { with, what } => write!(f, "and `{with}` both {what}"),
            Blocked::Unapproved { grants, changed } => {
                let grants = grants.join("`, `");
                if *changed {
                    write!(f, "runs something else than what was approved for `{grants}`")
                } else {
                    write!(f, "is not approved for `{grants}`")
                }
            }
            Blocked::Alike { with } => {
                write!(f, "has a name that looks like that of `{with}`; give it another one")
            }
            Blocked::Overlay { problem } => write!(f, "cannot be adjusted: {problem}"),
            Blocked::Cycle { path } => {
                write!(f, "depends on itself: `{}`", path.join("` -> `"))
            }
        }
    }
}

/// Result of ordering the skills.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// Usable skills, each after its dependencies, otherwise in alphabetical order.
    pub(super) usable: Vec<String>,
    /// Unusable skills, with the reasons.
    pub(super) blocked: BTreeMap<String, Blocked>,
}

/// Orders `nodes`, by name. Takes time proportional to the number of dependencies, times the logarithm of the number of skills.
pub(super) fn order(nodes: &BTreeMap<&str, Node<'_>>) -> Order {
    let mut blocked: BTreeMap<String, Blocked> = BTreeMap::new();
    for (name, node) in nodes {
        if let Some(reason) = reason(nodes, node) {
            blocked.insert((*name).to_owned(), reason);
        }
    }
    spread(nodes, &mut blocked);
    // Number of open dependencies of each skill, and the skills that depend on it.
    let mut waiting: BTreeMap<&str, usize> = BTreeMap::new();
    let mut dependants: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, node) in nodes.iter().filter(|(name, _)| !blocked.contains_key(**name)) {
        let distinct: BTreeSet<&str> =
            node.depends_on.iter().map(|dependency| dependency.name.as_str()).collect();
        waiting.insert(name, distinct.len());
        for on in distinct {
            dependants.entry(on).or_default().push(name);
        }
    }
    let mut ready: BTreeSet<&str> =
        waiting.iter().filter(|(_, count)| **count == 0).map(|(name, _)| *name).collect();
    let mut usable = Vec::new();
    while let Some(name) = ready.pop_first() {
        usable.push(name.to_owned());
        waiting.remove(name);
        for dependant in dependants.get(name).into_iter().flatten() {
            if let Some(count) = waiting.get_mut(dependant) {
                *count -= 1;
                if *count == 0 {
                    ready.insert(dependant);
                }
            }
        }
    }
    // The remaining skills are part of a cycle, or depend on one.
    for name in waiting.keys() {
        let reason = match cycle(nodes, &waiting, name) {
            Ok(path) => Blocked::Cycle { path },
            Err(on) => Blocked::Unusable { on },
        };
        blocked.insert((*name).to_owned(), reason);
    }
    Order { usable, blocked }
}

fn reason(nodes: &BTreeMap<&str, Node<'_>>, node: &Node<'_>) -> Option<Blocked> {
    if !node.enabled {
        return Some(Blocked::Disabled);
    }
    node.depends_on.iter().find_map(|dependency| {
        let on = dependency.name.clone();
        match nodes.get(dependency.name.as_str()) {
            None => Some(Blocked::Missing { on }),
            Some(other) if !other.enabled => Some(Blocked::OnDisabled { on }),
            Some(other) if !dependency.version.contains(other.version) => Some(Blocked::Version {
                on,
                wanted: dependency.version.clone(),
                got: other.version.to_owned(),
            }),
            Some(_) => None,
        }
    })
}

/// Blocks all skills that depend on a blocked one.
fn spread(nodes: &BTreeMap<&str, Node<'_>>, blocked: &mut BTreeMap<String, Blocked>) {
    let mut dependants: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, node) in nodes {
        for dependency in node.depends_on {
            dependants.entry(dependency.name.as_str()).or_default().push(name);
        }
    }
    let mut pending: Vec<String> = blocked.keys().cloned().collect();
    while let Some(on) = pending.pop() {
        for dependant in dependants.get(on.as_str()).into_iter().flatten() {
            if !blocked.contains_key(*dependant) {
                blocked.insert((*dependant).to_owned(), Blocked::Unusable { on: on.clone() });
                pending.push((*dependant).to_owned());
            }
        }
    }
}

/// Returns the cycle that `name` is part of, beginning and ending with it; otherwise a dependency of it that leads to a cycle.
fn cycle(
    nodes: &BTreeMap<&str, Node<'_>>,
    waiting: &BTreeMap<&str, usize>,
    name: &str,
) -> Result<Vec<String>, String> {
    let next = |of: &str| -> Vec<&str> {
        let dependencies = nodes.get(of).map(|node| node.depends_on).unwrap_or_default();
        let names = dependencies.iter().map(|dependency| dependency.name.as_str());
        names.filter(|on| waiting.contains_key(on)).collect()
    };
    // The search is breadth-first, so it finds a shortest cycle.
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut front: Vec<&str> = vec![name];
    while !front.is_empty() {
        let mut further = Vec::new();
        for from in front {
            for on in next(from) {
                if on == name {
                    let mut path = vec![name.to_owned(), from.to_owned()];
                    let mut at = from;
                    while let Some(previous) = before.get(at) {
                        path.push((*previous).to_owned());
                        at = previous;
                    }
                    if from == name {
                        path.truncate(1);
                        path.push(name.to_owned());
                    }
                    path.reverse();
                    return Ok(path);
                }
                if !before.contains_key(on) {
                    before.insert(on, from);
                    further.push(on);
                }
            }
        }
        front = further;
    }
    Err(next(name).first().map(|on| (*on).to_owned()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Skills(Vec<(&'static str, &'static str, bool, Vec<Dependency>)>);

    impl Skills {
        fn order(&self) -> Order {
            let nodes = self.0.iter().map(|(name, version, enabled, depends_on)| {
                (*name, Node { version, enabled: *enabled, depends_on })
            });
            order(&nodes.collect())
        }
    }

    fn on(names: &[&str]) -> Vec<Dependency> {
        let dependency = |text: &&str| match text.split_once(' ') {
            Some((name, version)) => {
                Dependency { name: name.into(), version: VersionRange::parse(version).unwrap() }
            }
            None => Dependency { name: (*text).into(), version: VersionRange::any() },
        };
        names.iter().map(dependency).collect()
    }

    fn reasons(order: &Order) -> String {
        let lines = order.blocked.iter().map(|(name, reason)| format!("{name} {reason}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn each_comes_after_what_it_needs() {
        let skills = Skills(vec![
            ("data", "1.0.0", true, on(&["search", "base"])),
            ("search", "1.0.0", true, on(&["base", "base"])),
            ("base", "1.0.0", true, on(&[])),
            ("alpha", "1.0.0", true, on(&[])),
        ]);
        assert_eq!(skills.order().usable, ["alpha", "base", "search", "data"]);
        assert_eq!(skills.order().blocked.len(), 0);
    }

    #[test]
    fn missing_disabled_and_wrong_versions_are_told_apart() {
        let skills = Skills(vec![
            ("a", "1.0.0", true, on(&["nothing"])),
            ("b", "1.0.0", true, on(&["off"])),
            ("c", "1.0.0", true, on(&["base ^2"])),
            ("d", "1.0.0", true, on(&["c"])),
            ("e", "1.0.0", true, on(&["base >=1, <2"])),
            ("off", "1.0.0", false, on(&["nothing"])),
            ("base", "1.5.0", true, on(&[])),
        ]);
        let order = skills.order();
        assert_eq!(order.usable, ["base", "e"]);
        insta::assert_snapshot!(reasons(&order), @r"
        a depends on `nothing`, which is not loaded
        b depends on `off`, which is disabled
        c depends on `base` of version `^2`, and `1.5.0` is loaded
        d depends on `c`, which cannot be used itself
        off is disabled
        ");
        assert!(order.blocked["a"].is_mistake() && !order.blocked["b"].is_mistake());
    }

    #[test]
    fn cycles_are_told_with_their_path() {
        let skills = Skills(vec![
            ("a", "1.0.0", true, on(&["b"])),
            ("b", "1.0.0", true, on(&["c"])),
            ("c", "1.0.0", true, on(&["a"])),
            ("behind", "1.0.0", true, on(&["a"])),
            ("alone", "1.0.0", true, on(&["alone"])),
            ("fine", "1.0.0", true, on(&[])),
        ]);
        let order = skills.order();
        assert_eq!(order.usable, ["fine"]);
        insta::assert_snapshot!(reasons(&order), @r"
        a depends on itself: `a` -> `b` -> `c` -> `a`
        alone depends on itself: `alone` -> `alone`
        b depends on itself: `b` -> `c` -> `a` -> `b`
        behind depends on `a`, which cannot be used itself
        c depends on itself: `c` -> `a` -> `b` -> `c`
        ");
    }
}
