//! The capability `tools`: calls of other tools of the session, one (`tools`) or several at once (`tool-batches`).

use std::sync::Arc;

use futures_util::future::BoxFuture;
use mitt_contract::batches::mitt::host::tool_batches;
use mitt_contract::host::mitt::host::tools as wit;
use wasmtime::component::Linker;

use super::shared::Nobody;
use mitt_base::{Error, ErrorKind, text};
use mitt_engine::StoreData;

/// Most calls of a batch. A guest with more makes several batches.
const MAX_BATCH_CALLS: usize = 1_000;

/// Interface to the session. A [`ToolFailure`] is a value for the guest, an [`Error`] ends the guest's store.
pub trait Tools: Send + Sync + 'static {
    /// Returns the tools that may be called, sorted by name.
    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolInfo>, Error>>;

    /// Calls a tool with arguments as a JSON object, and returns its result as JSON.
    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a str,
    ) -> BoxFuture<'a, Result<CallResult, Error>>;

    /// Calls several tools, some of them at the same time. Passes the results on in the order of the calls, each as soon as it and
    /// those before it are there. There is at least one result, or an error that ends the guest's store. If there are fewer results
    /// than calls, the others were not made: the guest must read the results first, or the next call is refused.
    fn call_tools<'a>(
        &'a self,
        calls: Vec<ToolCall>,
        on_result: &'a mut (dyn FnMut(CallResult) + Send),
    ) -> BoxFuture<'a, Result<(), Error>>;
}

/// Result of a call as JSON, or an error that the plugin may handle.
pub type CallResult = Result<String, ToolFailure>;

/// Call of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Name of the tool.
    pub name: String,
    /// Arguments as a JSON object.
    pub arguments: String,
}

impl ToolCall {
    /// Removes the first call whose tool `check` refuses, and those after it. The guest makes them in its next batch.
    ///
    /// # Errors
    ///
    /// Those of `check`, if it refuses the first call.
    pub fn until_refused(
        calls: &mut Vec<ToolCall>,
        check: impl Fn(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let refused = |(at, call): (usize, &ToolCall)| Some((at, check(&call.name).err()?));
        match calls.iter().enumerate().find_map(refused) {
            Some((0, error)) => Err(error),
            Some((at, _)) => {
                calls.truncate(at);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// Tool as it is described to a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolInfo {
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
pub struct Parameter {
    /// Name in snake case.
    pub name: String,
    /// Type in WIT notation.
    pub ty: String,
    /// `true` if a call must set it.
    pub required: bool,
}

/// Error of a plugin's call that the plugin may handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolFailure {
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
    /// Returns the bounds as text for people, one by one.
    pub(super) fn describe(&self) -> Vec<String> {
        self.only.iter().map(|tools| format!("only {}", tools.join(" "))).collect()
    }

    /// Returns `session` within these bounds.
    pub(super) fn bound(&self, session: Arc<dyn Tools>) -> Arc<dyn Tools> {
        if *self == ToolBounds::default() {
            session
        } else {
            Arc::new(Bounded { session, bounds: self.clone() })
        }
    }
}

/// Methods of [`ToolBounds`] for Mitt's own crates.
pub trait ToolBoundsInternal {
    /// Returns whether the skill may call `tool`.
    fn may_call(&self, tool: &str) -> bool;

    /// Returns whether the skill may call any tool of `skill`, which is in snake case.
    fn may_import(&self, skill: &str) -> bool;
}

impl ToolBoundsInternal for ToolBounds {
    fn may_call(&self, tool: &str) -> bool {
        self.only.as_ref().is_none_or(|names| {
            let skill = tool.split("__").next().unwrap_or(tool);
            names.iter().any(|name| name == tool || name.replace('-', "_") == skill)
        })
    }

    fn may_import(&self, skill: &str) -> bool {
        self.only.as_ref().is_none_or(|names| {
            names.iter().any(|name| {
                name.split("__").next() == Some(skill) || name.replace('-', "_") == skill
            })
        })
    }
}

struct Bounded {
    session: Arc<dyn Tools>,
    bounds: ToolBounds,
}

impl Bounded {
    /// Refuses a tool that the bounds do not name.
    fn check(&self, name: &str) -> Result<(), Error> {
        if self.bounds.may_call(name) {
            return Ok(());
        }
        let name = text::one_line(text::cut_bytes(name, 128));
        let message = format!("the skill is not granted the tool `{name}`");
        Err(Error::new(ErrorKind::Denied, message)
            .hint("`only` of the grant `tools` in its `skill.yaml` names those that it may call"))
    }
}

impl Tools for Bounded {
    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolInfo>, Error>> {
        Box::pin(async move {
            let mut tools = self.session.tools().await?;
            tools.retain(|tool| self.bounds.may_call(&tool.name));
            Ok(tools)
        })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a str,
    ) -> BoxFuture<'a, Result<CallResult, Error>> {
        Box::pin(async move {
            self.check(name)?;
            self.session.call_tool(name, arguments).await
        })
    }

    fn call_tools<'a>(
        &'a self,
        mut calls: Vec<ToolCall>,
        on_result: &'a mut (dyn FnMut(CallResult) + Send),
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            ToolCall::until_refused(&mut calls, |name| self.check(name))?;
            self.session.call_tools(calls, on_result).await
        })
    }
}

impl Tools for Nobody {
    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolInfo>, Error>> {
        Box::pin(async move { Ok(Vec::new()) })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<CallResult, Error>> {
        Box::pin(async move {
            Ok(Err(ToolFailure::UnknownTool(format!("Unknown tool: {name}: there is no session"))))
        })
    }

    fn call_tools<'a>(
        &'a self,
        calls: Vec<ToolCall>,
        on_result: &'a mut (dyn FnMut(CallResult) + Send),
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            for ToolCall { name, arguments } in calls {
                on_result(self.call_tool(&name, &arguments).await?);
            }
            Ok(())
        })
    }
}

/// The session, for the functions that plugins call.
pub(super) type ToolsHost = super::shared::ServiceHost<dyn Tools>;

/// Links both interfaces. `host_getter` finds the session in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> ToolsHost,
) -> wasmtime::Result<()> {
    wit::add_to_linker::<T, ToolsHost>(linker, host_getter)?;
    tool_batches::add_to_linker::<T, ToolsHost>(linker, host_getter)
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

impl tool_batches::Host for ToolsHost {
    async fn call_all(
        &mut self,
        calls: Vec<tool_batches::ToolCall>,
    ) -> wasmtime::Result<Vec<Result<String, wit::Failure>>> {
        if calls.len() > MAX_BATCH_CALLS {
            return Err(too_many_calls(calls.len()).into());
        }
        let call = |tool_batches::ToolCall { name, arguments }| ToolCall { name, arguments };
        let calls = calls.into_iter().map(call).collect();
        let mut results = Vec::new();
        self.0.call_tools(calls, &mut |result| results.push(result.map_err(failure))).await?;
        Ok(results)
    }
}

#[cold]
fn too_many_calls(n_calls: usize) -> Error {
    let message = format!("expected at most {MAX_BATCH_CALLS} calls in `call-all`, got {n_calls}");
    Error::new(ErrorKind::Trap, message).hint("make several batches")
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Echoes arguments. `fails` fails, `ends` ends the guest.
    struct Echo;

    impl Tools for Echo {
        fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolInfo>, Error>> {
            Box::pin(async move { Ok(Vec::new()) })
        }

        fn call_tool<'a>(
            &'a self,
            name: &'a str,
            arguments: &'a str,
        ) -> BoxFuture<'a, Result<CallResult, Error>> {
            Box::pin(async move {
                match name {
                    "a__fails" => Ok(Err(ToolFailure::Plugin("it fails".to_owned()))),
                    "a__ends" => Err(Error::new(ErrorKind::Denied, "refused")),
                    _ => Ok(Ok(arguments.to_owned())),
                }
            })
        }

        fn call_tools<'a>(
            &'a self,
            calls: Vec<ToolCall>,
            on_result: &'a mut (dyn FnMut(CallResult) + Send),
        ) -> BoxFuture<'a, Result<(), Error>> {
            Box::pin(async move {
                for ToolCall { name, arguments } in calls {
                    on_result(self.call_tool(&name, &arguments).await?);
                }
                Ok(())
            })
        }
    }

    /// Makes calls with their places as arguments. Returns the results up to an error, and the error.
    async fn made(tools: &dyn Tools, names: &[&str]) -> (Vec<CallResult>, Option<Error>) {
        let mut results = Vec::new();
        let done = tools.call_tools(calls(names), &mut |result| results.push(result)).await;
        (results, done.err())
    }

    fn calls(names: &[&str]) -> Vec<ToolCall> {
        let call = |(at, name): (usize, &&str)| ToolCall {
            name: (*name).into(),
            arguments: at.to_string(),
        };
        names.iter().enumerate().map(call).collect()
    }

    fn wit_calls(names: &[&str]) -> Vec<tool_batches::ToolCall> {
        let call = |ToolCall { name, arguments }| tool_batches::ToolCall { name, arguments };
        calls(names).into_iter().map(call).collect()
    }

    #[tokio::test]
    async fn bounds_end_a_batch_before_a_tool_that_is_not_granted() {
        let only = Some(vec!["a".to_owned()]);
        let tools = ToolBounds { only }.bound(Arc::new(Echo));
        let (results, error) = made(&*tools, &["a__x", "a__fails", "a__y"]).await;
        assert!(error.is_none());
        let failed = Err(ToolFailure::Plugin("it fails".to_owned()));
        assert_eq!(results, [Ok("0".to_owned()), failed, Ok("2".to_owned())]);
        let (results, error) = made(&*tools, &["a__x", "b__x", "a__y"]).await;
        assert!(error.is_none());
        assert_eq!(results, [Ok("0".to_owned())]);
        let (results, error) = made(&*tools, &["b__x", "a__y"]).await;
        assert!(results.is_empty());
        assert_eq!(error.unwrap().to_string(), "the skill is not granted the tool `b__x`");
    }

    #[tokio::test]
    async fn a_batch_has_results_in_order_or_ends_the_guest() {
        use tool_batches::Host as _;
        let mut host = super::super::shared::ServiceHost::<dyn Tools>(Arc::new(Echo));
        let results = host.call_all(wit_calls(&["a__x", "a__fails", "a__y"])).await.unwrap();
        assert_eq!(results[0].as_deref().unwrap(), "0");
        assert_eq!(results[1].as_ref().unwrap_err().message, "it fails");
        assert_eq!(results[2].as_deref().unwrap(), "2");
        let ended = host.call_all(wit_calls(&["a__x", "a__ends"])).await.unwrap_err();
        assert_eq!(ended.downcast::<Error>().unwrap().kind(), &ErrorKind::Denied);
        let mut many = vec!["a__x"; MAX_BATCH_CALLS];
        assert_eq!(host.call_all(wit_calls(&many)).await.unwrap().len(), MAX_BATCH_CALLS);
        many.push("a__x");
        let refused = host.call_all(wit_calls(&many)).await.unwrap_err().to_string();
        assert_eq!(refused, "expected at most 1000 calls in `call-all`, got 1001");
    }
}
