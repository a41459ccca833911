//! Capabilities by name.

/// A host interface that `skill.yaml` can grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// Read the session's documents.
    Documents,
    /// Messages for the operator.
    Log,
    /// Write files.
    Render,
    /// Call other tools of the session.
    Tools,
    /// Read and write the session's workspace.
    Workspace,
}

impl Capability {
    /// All of them, sorted by name.
    pub const ALL: [Capability; 5] = [
        Capability::Documents,
        Capability::Log,
        Capability::Render,
        Capability::Tools,
        Capability::Workspace,
    ];

    /// Its name in `grants`, which is the name of the interface.
    pub fn name(self) -> &'static str {
        match self {
            Capability::Documents => "documents",
            Capability::Log => "log",
            Capability::Render => "render",
            Capability::Tools => "tools",
            Capability::Workspace => "workspace",
        }
    }

    /// The capability of this name.
    pub fn from_name(name: &str) -> Option<Capability> {
        Capability::ALL.into_iter().find(|capability| capability.name() == name)
    }
}
