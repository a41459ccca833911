//! Capabilities by name: those of `wit/`, and those that an embedder adds to its host.

use std::sync::Arc;

/// Longest name of a capability, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Host interface that `skill.yaml` can grant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Capability {
    /// All tables of the session, by reference.
    Catalog,
    /// Reading of the session's documents.
    Documents,
    /// HTTP requests of Extism plug-ins.
    Fetch,
    /// Reading of the files behind documents, and delivery of edited copies.
    Files,
    /// Log messages for the operator.
    Log,
    /// Writing of files.
    Render,
    /// Signatures with keys that the operator has named.
    Signing,
    /// Tables by handle: those that a plugin was given, and those that it makes.
    Tables,
    /// Calls of other tools of the session.
    Tools,
    /// Reading and writing of the session's workspace.
    Workspace,
    /// Capability that an embedder adds with `HostBuilder::capability`, by its name.
    Own(Arc<str>),
}

impl Capability {
    /// All capabilities that every host has, sorted by name.
    pub const ALL: [Capability; 10] = [
        Capability::Catalog,
        Capability::Documents,
        Capability::Fetch,
        Capability::Files,
        Capability::Log,
        Capability::Render,
        Capability::Signing,
        Capability::Tables,
        Capability::Tools,
        Capability::Workspace,
    ];

    /// Returns its name in `grants`. For capabilities of every host, it is also the name of the interface; `tools` has
    /// `tool-batches` too.
    pub fn name(&self) -> &str {
        match self {
            Capability::Catalog => "catalog",
            Capability::Documents => "documents",
            Capability::Fetch => "fetch",
            Capability::Files => "files",
            Capability::Log => "log",
            Capability::Render => "render",
            Capability::Signing => "signing",
            Capability::Tables => "tables",
            Capability::Tools => "tools",
            Capability::Workspace => "workspace",
            Capability::Own(name) => name,
        }
    }

    /// Returns the capabilities that are interfaces of `mitt:host`, which a component can import.
    pub(crate) fn interfaces() -> impl Iterator<Item = Capability> {
        Capability::ALL.into_iter().filter(|it| *it != Capability::Fetch)
    }

    /// Returns the capability that gives a component an interface of `mitt:host`, by the name of the interface.
    pub(crate) fn of_interface(name: &str) -> Option<Capability> {
        let name = if name == "tool-batches" { "tools" } else { name };
        Capability::interfaces().find(|capability| capability.name() == name)
    }

    /// Returns the capability of this name, if every host has it.
    pub fn from_name(name: &str) -> Option<Capability> {
        Capability::ALL.into_iter().find(|capability| capability.name() == name)
    }

    /// Returns the capability that a grant of this name refers to. `None` if the name is not valid.
    pub(crate) fn granted_as(name: &str) -> Option<Capability> {
        let own = || is_name(name).then(|| Capability::Own(name.into()));
        Capability::from_name(name).or_else(own)
    }
}

/// Returns whether a name is valid for a capability: lower-case words joined by `-`.
pub(super) fn is_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    name.len() <= MAX_NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.split('-').all(is_word)
}
