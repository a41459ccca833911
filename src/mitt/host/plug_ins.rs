//! Functions that a host offers to Extism plug-ins in addition to those of every host.

use super::HostBuilder;
use mitt_skill::capability::{ExtismFunction, extism_capability};

impl HostBuilder {
    /// Adds functions that Extism plug-ins import from `extism:host/user`, as a capability: `grants: [name]` gives them to a
    /// skill.
    ///
    /// See [`HostBuilder::capability`] for the rules. Functions can be added under one name only.
    ///
    /// ```
    /// use mitt::ExtismFunction;
    ///
    /// # fn main() -> mitt::Result<()> {
    /// let reverse = ExtismFunction::new("reverse", |_, mut blocks: Vec<Vec<u8>>| async move {
    ///     let mut block = blocks.pop().unwrap_or_default();
    ///     block.reverse();
    ///     Ok(Some(block))
    /// });
    /// let host = mitt::Host::builder().extism_functions("texts", [reverse]).build()?;
    /// # drop(host);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn extism_functions(
        mut self,
        name: impl Into<String>,
        functions: impl IntoIterator<Item = ExtismFunction>,
    ) -> HostBuilder {
        let functions = functions.into_iter().collect();
        self.capabilities.push(extism_capability(name.into(), functions));
        self
    }
}
