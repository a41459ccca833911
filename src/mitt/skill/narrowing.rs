//! Narrowing: which tools of a session an agent has, and whether they may change anything.
//!
//! Knows names only. Which tools are left by them is said in `left_tools.rs`; what a call may still do in its session is cut in
//! `capability/reading.rs`.

/// Which of a session's tools an agent has. The default leaves all of them.
///
/// A tool that is left out is not there for it: not for its model, nor for its scripts, nor for the tools that it calls.
///
/// ```
/// use mitt::skill::Narrowing;
///
/// let reading = Narrowing::new().read_only().without(["sql-tool"]);
/// assert!(reading.reads_only());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    pub(super) only: Option<Vec<String>>,
    pub(super) without: Vec<String>,
    pub(super) reads_only: bool,
    /// Whose it is.
    pub(super) agent: Option<String>,
    /// The servers whose tools it may have; none are all.
    pub(super) servers: Option<Vec<String>>,
}

impl Narrowing {
    /// All tools, with all that they may do.
    pub fn new() -> Narrowing {
        Narrowing::default()
    }

    /// Only these tools, or those of the skills of these names: `table_tool__growth`, `table-tool`.
    #[must_use]
    pub fn only<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Narrowing {
        self.only = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// None of these tools, and none of the skills of these names.
    #[must_use]
    pub fn without<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Narrowing {
        self.without.extend(names.into_iter().map(Into::into));
        self
    }

    /// Only tools that cannot change anything. Scripts stay, but read the workspace only; nothing delivers files.
    #[must_use]
    pub fn read_only(mut self) -> Narrowing {
        self.reads_only = true;
        self
    }

    /// For the agent of this name: tools that are only for certain agents are there for it if it is one of them.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>) -> Narrowing {
        self.agent = Some(name.into());
        self
    }

    /// Of tools of other servers, only those of the servers of these names: see [`HostFunction::of_server`].
    ///
    /// [`HostFunction::of_server`]: super::HostFunction::of_server
    #[must_use]
    pub fn servers<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Narrowing {
        self.servers = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Whether nothing can be changed.
    pub fn reads_only(&self) -> bool {
        self.reads_only
    }

    /// The names that are left, if only some are.
    pub fn names(&self) -> Option<&[String]> {
        self.only.as_deref()
    }

    /// The servers whose tools are left, if only some are.
    pub fn server_names(&self) -> Option<&[String]> {
        self.servers.as_deref()
    }

    /// The names that are left out.
    pub fn left_out(&self) -> &[String] {
        &self.without
    }
}
