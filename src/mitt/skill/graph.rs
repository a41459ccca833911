//! Dependencies between skills: an order in which each comes after what it needs, and why some cannot be used.
//!
//! Knows names, versions and `depends_on`; no files and no plugins.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::manifest::{Dependency, VersionRange};

/// A skill as far as dependencies go.
pub(super) struct Node<'a> {
    pub(super) version: &'a str,
    pub(super) enabled: bool,
    pub(super) depends_on: &'a [Dependency],
}

/// Why a skill that is there cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blocked {
    /// It was switched off.
    Disabled,
    /// It depends on a skill that is not there.
    Missing {
        /// The skill that is not there.
        on: String,
    },
    /// It depends on a skill that is disabled.
    OnDisabled {
        /// The disabled skill.
        on: String,
    },
    /// It depends on another version of a skill than the one that is there.
    Version {
        /// The other skill.
        on: String,
        /// The versions that would do.
        wanted: VersionRange,
        /// The version that is there.
        got: String,
    },
    /// It depends on a skill that cannot be used for a reason of its own.
    Unusable {
        /// The other skill.
        on: String,
    },
    /// No version of it may be used.
    Pinned {
        /// The versions that are there.
        got: Vec<String>,
    },
    /// Its tools would be named as tools of the host's own.
    OfHost {
        /// What their names begin with.
        prefix: String,
    },
    /// Another skill does the same work, of which only one can do it.
    Collision {
        /// The other skill.
        with: String,
        /// The work.
        what: String,
    },
    /// It was not approved for what it is granted, or for what else needs an approval.
    Unapproved {
        /// The grants.
        grants: Vec<String>,
        /// Whether another version was.
        changed: bool,
    },
    /// Its name looks like that of a bundled or approved skill.
    Alike {
        /// That skill.
        with: String,
    },
    /// An overlay says of it what cannot be.
    Overlay {
        /// What.
        problem: String,
    },
    /// It depends on itself by way of others.
    Cycle {
        /// The skills around the cycle, each depending on the next, the first repeated at the end.
        path: Vec<String>,
    },
}

impl Blocked {
    /// Whether it is a mistake, and not something that somebody switched off.
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

/// Ends the sentence "skill `a` …".
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
                match changed {
                    true => write!(f, "runs something else than what was approved for `{grants}`"),
                    false => write!(f, "is not approved for `{grants}`"),
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

/// What became of the skills.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// The usable skills, each after those that it depends on; of several possible orders, the alphabetical one.
    pub(super) usable: Vec<String>,
    /// The others.
    pub(super) blocked: BTreeMap<String, Blocked>,
}

/// Order `nodes`, which are by name. Takes time proportional to the dependencies, times the logarithm of the skills.
pub(super) fn order(nodes: &BTreeMap<&str, Node<'_>>) -> Order {
    let mut blocked: BTreeMap<String, Blocked> = BTreeMap::new();
    for (name, node) in nodes {
        if let Some(reason) = reason(nodes, node) {
            blocked.insert((*name).to_owned(), reason);
        }
    }
    spread(nodes, &mut blocked);
    // How many dependencies of each remain, and who waits for whom.
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
    // What still waits is on a cycle, or behind one.
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

/// Block what depends on something blocked.
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

/// The cycle that `name` is on, beginning and ending with it; or what it depends on that is on one.
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
    // Breadth first, so that the cycle told is a shortest one.
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
