//! The capability `tools`: calls of other tools of the session.

use std::sync::Arc;

use async_trait::async_trait;
use mitt_contract::host::mitt::host::tools as wit;
use wasmtime::component::Linker;

use super::shared::Nobody;
use crate::engine::StoreData;
use mitt_base::{Error, ErrorKind, text};

/// Interface to the session. A [`ToolFailure`] is a value for the guest, an [`Error`] ends the guest's store.
#[async_trait]
pub(crate) trait Tools: Send + Sync + 'static {
    /// Returns the tools that may be called, sorted by name.
    async fn tools(&self) -> Result<Vec<ToolInfo>, Error>;

    /// Calls a tool with arguments as a JSON object, and returns its result as JSON.
    async fn call_tool(
        &self,
        name: &str,
        arguments: &str,
    ) -> Result<Result<String, ToolFailure>, Error>;
}

/// Tool as it is described to a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolInfo {
    /// Name as a model sees it.
    pub name: String,
    /// Name of the skill in snake case.
    pub skill: String,
    /// Name of the function in snake case.
    pub function: String,
    /// Documentation of the function.
    pub description: String,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
}

/// Parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Name in snake case.
    pub name: String,
    /// Type in WIT notation.
    pub ty: String,
    /// `true` if a call must set it.
    pub required: bool,
}

/// Error of a plugin's call that the plugin may handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolFailure {
    /// There is no such tool.
    UnknownTool(String),
    /// The arguments are invalid.
    Arguments(String),
    /// The tool returned an error.
    Plugin(String),
    /// The tool crashed.
    Trap(String),
}

/// Bounds of the grant `tools`. The default sets none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolBounds {
    /// Names of the tools that the skill may call, or of skills, for all of their tools. `None` allows all.
    pub only: Option<Vec<String>>,
}

impl ToolBounds {
    /// Returns whether the skill may call `tool`.
    pub(crate) fn may_call(&self, tool: &str) -> bool {
        self.only.as_ref().is_none_or(|names| {
            let skill = tool.split("__").next().unwrap_or(tool);
            names.iter().any(|name| name == tool || name.replace('-', "_") == skill)
        })
    }

    /// Returns whether the skill may call any tool of `skill`, which is in snake case.
    pub(crate) fn may_import(&self, skill: &str) -> bool {
        self.only.as_ref().is_none_or(|names| {
            names.iter().any(|name| {
                name.split("__").next() == Some(skill) || name.replace('-', "_") == skill
            })
        })
    }

    /// Returns the bounds as text for people, one by one.
    pub(super) fn describe(&self) -> Vec<String> {
        self.only.iter().map(|tools| format!("only {}", tools.join(" "))).collect()
    }

    /// Returns `session` within these bounds.
    pub(super) fn bound(&self, session: Arc<dyn Tools>) -> Arc<dyn Tools> {
        match *self == ToolBounds::default() {
            true => session,
            false => Arc::new(Bounded { session, bounds: self.clone() }),
        }
    }
}

struct Bounded {
    session: Arc<dyn Tools>,
    bounds: ToolBounds,
}

#[async_trait]
impl Tools for Bounded {
    async fn tools(&self) -> Result<Vec<ToolInfo>, Error> {
        let mut tools = self.session.tools().await?;
        tools.retain(|tool| self.bounds.may_call(&tool.name));
        Ok(tools)
    }

    async fn call_tool(
        &self,
        name: &str,
        arguments: &str,
    ) -> Result<Result<String, ToolFailure>, Error> {
        if !self.bounds.may_call(name) {
            let name = text::one_line(text::cut_bytes(name, 128));
            let message = format!("the skill is not granted the tool `{name}`");
            return Err(Error::new(ErrorKind::Denied, message).hint(
                "`only` of the grant `tools` in its `skill.yaml` names those that it may call",
            ));
        }
        self.session.call_tool(name, arguments).await
    }
}

#[async_trait]
impl Tools for Nobody {
    async fn tools(&self) -> Result<Vec<ToolInfo>, Error> {
        Ok(Vec::new())
    }

    async fn call_tool(&self, name: &str, _: &str) -> Result<Result<String, ToolFailure>, Error> {
        Ok(Err(ToolFailure::UnknownTool(format!("Unknown tool: {name}: there is no session"))))
    }
}

/// The session, for the functions that plugins call.
pub(super) type ToolsHost = super::shared::ServiceHost<dyn Tools>;

/// Links the interface. `host_getter` finds the session in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> ToolsHost,
) -> wasmtime::Result<()> {
    wit::add_to_linker::<T, ToolsHost>(linker, host_getter)
}

impl wit::Host for ToolsHost {
    async fn list(&mut self) -> wasmtime::Result<Vec<wit::Tool>> {
        Ok(self.0.tools().await?.into_iter().map(tool).collect())
    }

    async fn call(
        &mut self,
        name: String,
        arguments: String,
    ) -> wasmtime::Result<Result<String, wit::Failure>> {
        Ok(self.0.call_tool(&name, &arguments).await?.map_err(failure))
    }
}

fn tool(tool: ToolInfo) -> wit::Tool {
    wit::Tool {
        name: tool.name,
        skill: tool.skill,
        function: tool.function,
        description: tool.description,
        parameters: tool.parameters.into_iter().map(Parameter::into_wit).collect(),
    }
}

impl Parameter {
    /// Converts the parameter for plugins.
    pub(super) fn into_wit(self) -> wit::Parameter {
        wit::Parameter { name: self.name, type_: self.ty, required: self.required }
    }
}

fn failure(failure: ToolFailure) -> wit::Failure {
    let (kind, message) = match failure {
        ToolFailure::UnknownTool(message) => (wit::FailureKind::UnknownTool, message),
        ToolFailure::Arguments(message) => (wit::FailureKind::Arguments, message),
        ToolFailure::Plugin(message) => (wit::FailureKind::Plugin, message),
        ToolFailure::Trap(message) => (wit::FailureKind::Trap, message),
    };
    wit::Failure { kind, message }
}
