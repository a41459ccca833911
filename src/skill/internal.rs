//! What of the registry only Mitt's own crates may use. `registry.rs` has the code.

use super::host_tool::HostTools;
use super::loaded::SkillSource;
use super::loading::Compiling;
use super::name::ToolName;
use super::overlay::Applied;
use super::tool::{Reader, Tool};
use mitt_base::{Error, Result};

/// Methods of [`Registry`](super::Registry) for Mitt's own crates.
pub trait RegistryInternal: Sized {
    /// Adds the embedder's tools, whose names no skill uses.
    fn with_host_tools(self, tools: &HostTools) -> Self;

    /// Returns the registry of a host or session that has keys to sign with, or none.
    fn with_signing_keys(self, has_keys: bool) -> Self;

    /// Returns whether a tool of a skill could have a name that begins with one of `prefixes`.
    fn has_tools_named(&self, prefixes: &[String]) -> bool;

    /// Returns the skills under overlays.
    fn under(&self, applied: Applied<'_>) -> Self;

    /// Refuses overlays that name something that does not exist: a misspelled name would disable nothing.
    fn check_names(&self, applied: Applied<'_>) -> Result<()>;

    /// Refuses skills that are blocked by mistake, as opposed to disabled ones. Those of tolerated places are only reported.
    fn check(&self, is_tolerated: impl Fn(&SkillSource) -> bool) -> Result<()>;

    /// Returns the error for a skill that waits for an approval; `None` for any other.
    fn unapproved(&self, name: &str) -> Option<Error>;

    /// Like [`Registry::tool`](super::Registry::tool), for plugins and scripts, from which some tools are hidden.
    ///
    /// # Errors
    ///
    /// Those of [`Registry::tool`](super::Registry::tool).
    fn tool_for_plugins(&self, name: &str) -> impl Future<Output = Result<Tool>> + Send;

    /// Like [`Registry::reader`](super::Registry::reader); `on_compiling` is called with the name of the skill if it must be compiled.
    fn reader_with_progress(
        &self,
        extension: &str,
        on_compiling: impl Fn(&str, Compiling) + Send + Sync,
    ) -> impl Future<Output = Result<Option<Reader>>> + Send;

    /// Returns the name of the tool that runs scripts of `language`, or of the engine of this name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - there is none.
    fn script_tool(&self, language: &str) -> Result<ToolName>;

    /// Returns whether a usable skill or the embedder has a destructive tool. Tools that sign count where there are keys.
    fn has_destructive(&self) -> bool;
}
