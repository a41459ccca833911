//! Tool filter: which tools of a session an agent has, and whether they may change anything.
//!
//! Knows names only. `filter_matching.rs` decides which tools pass; `capability/reading.rs` restricts what a call may do in its
//! session.

/// Restriction of an agent's tools. The default allows all tools of the session.
///
/// A hidden tool does not exist for the agent: neither for its model, nor for its scripts, nor for the tools that it calls.
///
/// ```
/// use mitt_skill::ToolFilter;
///
/// let filter = ToolFilter::new().read_only().without(["sql-tool"]);
/// assert!(filter.reads_only());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    pub(super) only: Option<Vec<String>>,
    pub(super) without: Vec<String>,
    pub(super) reads_only: bool,
    /// Name of the agent.
    pub(super) agent: Option<String>,
    /// Servers whose tools it may have; `None` allows all.
    pub(super) servers: Option<Vec<String>>,
}

impl ToolFilter {
    /// Returns a restriction that allows all tools.
    pub fn new() -> ToolFilter {
        ToolFilter::default()
    }

    /// Allows only these tools, or tools of the skills of these names: `table_tool__growth`, `table-tool`.
    #[must_use]
    pub fn only<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> ToolFilter {
        self.only = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Hides these tools, and tools of the skills of these names.
    #[must_use]
    pub fn without<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> ToolFilter {
        self.without.extend(names.into_iter().map(Into::into));
        self
    }

    /// Allows only tools that cannot change anything. Scripts are allowed, but can only read the workspace, and nothing delivers
    /// files.
    #[must_use]
    pub fn read_only(mut self) -> ToolFilter {
        self.reads_only = true;
        self
    }

    /// Sets the agent's name, which gives it the tools that are restricted to it.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>) -> ToolFilter {
        self.agent = Some(name.into());
        self
    }

    /// Allows, among the tools of other servers, only those of the servers of these names: see [`HostFunction::of_server`].
    ///
    /// [`HostFunction::of_server`]: super::HostFunction::of_server
    #[must_use]
    pub fn servers<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> ToolFilter {
        self.servers = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Returns whether the agent may only read.
    pub fn reads_only(&self) -> bool {
        self.reads_only
    }

    /// Returns the names of the allowed tools and skills; `None` if all are allowed.
    pub fn names(&self) -> Option<&[String]> {
        self.only.as_deref()
    }

    /// Returns the names of the allowed servers; `None` if all are allowed.
    pub fn server_names(&self) -> Option<&[String]> {
        self.servers.as_deref()
    }

    /// Returns the names of the hidden tools and skills.
    pub fn left_out(&self) -> &[String] {
        &self.without
    }
}
