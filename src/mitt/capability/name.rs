//! Capabilities by name: those of `wit/`, and those that an embedder adds to its host.

use std::sync::Arc;

/// Longest name of a capability, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// A host interface that `skill.yaml` can grant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Capability {
    /// All tables of the session, by what names them.
    Catalog,
    /// Read the session's documents.
    Documents,
    /// Requests over HTTP, of plug-ins of Extism.
    Fetch,
    /// Messages for the operator.
    Log,
    /// Write files.
    Render,
    /// Tables by handle: those that a plugin was given, and those that it makes.
    Tables,
    /// Call other tools of the session.
    Tools,
    /// Read and write the session's workspace.
    Workspace,
    /// What only a host has that adds it with [`HostBuilder::capability`](crate::HostBuilder::capability), by its name.
    Own(Arc<str>),
}

impl Capability {
    /// All that every host has, sorted by name.
    pub const ALL: [Capability; 8] = [
        Capability::Catalog,
        Capability::Documents,
        Capability::Fetch,
        Capability::Log,
        Capability::Render,
        Capability::Tables,
        Capability::Tools,
        Capability::Workspace,
    ];

    /// Its name in `grants`. Where every host has it, it is the name of the interface.
    pub fn name(&self) -> &str {
        match self {
            Capability::Catalog => "catalog",
            Capability::Documents => "documents",
            Capability::Fetch => "fetch",
            Capability::Log => "log",
            Capability::Render => "render",
            Capability::Tables => "tables",
            Capability::Tools => "tools",
            Capability::Workspace => "workspace",
            Capability::Own(name) => name,
        }
    }

    /// Those that are interfaces of `mitt:host`, which a component can import.
    pub(crate) fn interfaces() -> impl Iterator<Item = Capability> {
        Capability::ALL.into_iter().filter(|it| *it != Capability::Fetch)
    }

    /// The capability of this name that every host has.
    pub fn from_name(name: &str) -> Option<Capability> {
        Capability::ALL.into_iter().find(|capability| capability.name() == name)
    }

    /// The capability that a grant of this name means. None if no capability can have the name.
    pub(crate) fn granted_as(name: &str) -> Option<Capability> {
        let own = || is_name(name).then(|| Capability::Own(name.into()));
        Capability::from_name(name).or_else(own)
    }
}

/// Whether a capability can have this name: lower-case words joined by `-`.
pub(super) fn is_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    name.len() <= MAX_NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.split('-').all(is_word)
}
