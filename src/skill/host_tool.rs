//! Tools of the embedder: code of the embedding program, which models call like tools of skills.
//!
//! Such a tool is part of the registry, with types, limits and a policy. Nothing can take its name: a skill whose tools would
//! have the same name is left out. [`HostCall`] defines what a call may do in its session; sessions themselves are not known
//! here.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use serde_json::Value;
use wasmtime::component::Val;

use super::{ToolName, ToolPolicy};
use crate::capability::LogLevel;
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Result};
use mitt_types::Document;
use mitt_wit::value::{self, Field, Function, Json, RecordType, Type, TypedCall, UntypedCall};

/// Tool of the embedder.
///
/// Several calls may run at the same time. Those of one script do if the policy of the tool says that it only reads; others run
/// one after another.
///
/// A call is checked against the types before [`HostTool::run`] is called. Like any other call, it takes a place, ends at its
/// deadline, is reported in events and written to the journal.
#[async_trait]
pub trait HostTool: Send + Sync {
    /// Returns name, parameters and result of the tool. Called once, when the tool is added to a host.
    fn function(&self) -> HostFunction;

    /// Carries out a call. `arguments` is an object with a member for each parameter, in snake case; a missing one is null or its
    /// default. The result must have the type that [`HostTool::function`] declares.
    ///
    /// # Errors
    ///
    /// Errors that the model can correct have the kind [`ErrorKind::Arguments`], [`ErrorKind::Input`] or [`ErrorKind::Denied`].
    async fn run(&self, call: &dyn HostCall, arguments: Json) -> Result<Json>;
}

/// Access of a [`HostTool`] call to its session.
pub trait HostCall: Send + Sync {
    /// Returns the tenant that owns the session.
    fn tenant(&self) -> &str;

    /// Returns the documents of the session.
    fn documents(&self) -> Vec<Arc<Document>>;

    /// Reads a file and adds it to the documents of the session. This has a time limit of its own and does not count towards the
    /// call's.
    ///
    /// # Errors
    ///
    /// Those of `Session::add_document_bytes`.
    fn add_document<'a>(
        &'a self,
        name: &'a str,
        content: Vec<u8>,
    ) -> BoxFuture<'a, Result<Arc<Document>>>;

    /// Fetches a document, if the host allows it, and adds it to the documents of the session. This has a time limit of its own
    /// and does not count towards the call's.
    ///
    /// # Errors
    ///
    /// Those of `Session::add_document_url`.
    fn add_document_url<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Arc<Document>>>;

    /// Calls another tool, with arguments as a JSON object. It is an inner call: it uses the place of this one and counts against
    /// the same limits.
    ///
    /// # Errors
    ///
    /// The error of the inner call.
    fn call_tool<'a>(&'a self, tool: &'a str, arguments: &'a str) -> BoxFuture<'a, Result<Json>>;

    /// Logs a message for the operator.
    fn log(&self, level: LogLevel, message: &str);
}

/// Name, parameters and result of a [`HostTool`].
///
/// Defaults: no parameters, no result, the default [`ToolPolicy`], a time limit of 30 seconds, arguments up to the session's
/// length limit, and callable by models, plugins and scripts.
#[derive(Clone, Debug)]
pub struct HostFunction {
    pub(crate) name: ToolName,
    pub(crate) function: Arc<Function>,
    pub(crate) policy: Arc<ToolPolicy>,
    pub(crate) limits: CallLimits,
    pub(crate) arguments_bytes: Option<u64>,
    pub(crate) is_for_models_only: bool,
    pub(crate) server: Option<String>,
    pub(crate) agents: Option<Vec<String>>,
}

impl HostFunction {
    /// Returns a function named `<prefix>__<name>`; both parts are in kebab case here. `docs` is the description for models.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - they do not form a tool name, or one of more than 64 characters.
    pub fn new(prefix: &str, name: &str, docs: impl Into<String>) -> Result<HostFunction> {
        let tool = ToolName::new(prefix, name).ok_or_else(|| {
            let message = format!("`{prefix}` and `{name}` make no tool name");
            Error::new(ErrorKind::Load, message)
                .hint("give words joined by `-`, together less than 64 characters")
        })?;
        let function = Function { name: name.to_owned(), docs: docs.into(), ..Function::default() };
        Ok(HostFunction {
            name: tool,
            function: Arc::new(function),
            policy: Arc::default(),
            limits: CallLimits::default(),
            arguments_bytes: None,
            is_for_models_only: false,
            server: None,
            agents: None,
        })
    }

    /// Adds a parameter. It is optional if its type is an option.
    #[must_use]
    pub fn param(mut self, param: Field) -> HostFunction {
        Arc::make_mut(&mut self.function).params.push(param);
        self
    }

    /// Sets the type of the result.
    #[must_use]
    pub fn result(mut self, ty: Type) -> HostFunction {
        Arc::make_mut(&mut self.function).result = Some(ty);
        self
    }

    /// Sets narrower bounds, defaults and titles of the parameters; see [`Function::narrowed`].
    ///
    /// # Errors
    ///
    /// Those of [`Function::narrowed`].
    pub fn narrowed(mut self, schema: &Value) -> Result<HostFunction> {
        self.function = Arc::new(self.function.narrowed(schema)?);
        Ok(self)
    }

    /// Sets the policy: retries if the tool is idempotent or read-only, and an approval if it is destructive.
    #[must_use]
    pub fn policy(mut self, policy: ToolPolicy) -> HostFunction {
        self.policy = Arc::new(policy);
        self
    }

    /// Sets the wall clock of each attempt. Default: 30 s.
    #[must_use]
    pub fn time(mut self, time: Duration) -> HostFunction {
        self.limits.time = time;
        self
    }

    /// Sets the length of the arguments in bytes of JSON, if the session's limit for tools is lower.
    #[must_use]
    pub fn arguments_bytes(mut self, bytes: u64) -> HostFunction {
        self.arguments_bytes = Some(bytes);
        self
    }

    /// Marks the tool as one of another server, by the server's name. Agents may be limited to the tools of some servers.
    #[must_use]
    pub fn of_server(mut self, name: impl Into<String>) -> HostFunction {
        self.server = Some(name.into());
        self
    }

    /// Restricts the tool to the agents of these names. It does not exist for other agents, nor for the session itself.
    #[must_use]
    pub fn for_agents<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> HostFunction {
        self.agents = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Hides the tool from plugins and scripts.
    #[must_use]
    pub fn for_models_only(mut self) -> HostFunction {
        self.is_for_models_only = true;
        self
    }
}

/// Tool of the embedder with its description.
pub struct RegisteredTool {
    pub(crate) described: HostFunction,
    /// Code of the embedder.
    pub code: Arc<dyn HostTool>,
}

impl RegisteredTool {
    /// Returns its parameters and its result.
    pub fn function(&self) -> &Function {
        &self.described.function
    }

    /// Returns the arguments of a checked call as normalised JSON: names in snake case, nothing left out.
    ///
    /// # Errors
    ///
    /// Only if the call was checked against another function.
    pub fn arguments(&self, call: TypedCall) -> Result<Json> {
        let params = &self.described.function.params;
        let names = params.iter().map(|param| param.name.clone());
        let record = RecordType { name: String::new(), docs: None, fields: params.clone() };
        let all = Function {
            name: self.described.name.to_string(),
            result: Some(Type::Record(Arc::new(record))),
            ..Function::default()
        };
        value::result(&all, Some(Val::Record(names.zip(call.into_args()).collect())))
    }

    /// Converts the tool's result to the declared type.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - it has another type.
    pub fn result(&self, given: Json) -> Result<Option<Val>> {
        let Some(ty) = &self.described.function.result else { return Ok(None) };
        let name = self.described.name.as_str();
        let result = Function {
            params: vec![Field::new("result", ty.clone(), None)],
            ..Function::default()
        };
        let arguments = Json::object([("result", given)]);
        match (UntypedCall { name, arguments }).check(&result) {
            Ok(call) => Ok(call.into_args().pop()),
            Err(error) => {
                let problem = error.render().replace('\n', "; ");
                let message = format!(
                    "the tool `{name}` of the host returned a value that is not of its type: {problem}"
                );
                Err(Error::new(ErrorKind::Host, message))
            }
        }
    }
}

impl fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredTool").field("described", &self.described).finish_non_exhaustive()
    }
}

/// Tools of the embedder. A cheap handle.
#[derive(Clone, Debug, Default)]
pub struct HostTools {
    by_name: Arc<BTreeMap<String, Arc<RegisteredTool>>>,
    /// Prefixes of their names.
    prefixes: Arc<[String]>,
}

impl HostTools {
    /// Returns these tools and one more.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is already one of this name.
    pub fn with(&self, code: Arc<dyn HostTool>) -> Result<HostTools> {
        let described = code.function();
        let name = described.name.to_string();
        let mut by_name = BTreeMap::clone(&self.by_name);
        if by_name.contains_key(&name) {
            let message = format!("two tools of the host are named `{name}`");
            return Err(Error::new(ErrorKind::Load, message).hint("give one of them another name"));
        }
        by_name.insert(name, Arc::new(RegisteredTool { described, code }));
        let mut prefixes: Vec<String> =
            by_name.values().map(|it| it.described.name.skill().to_owned()).collect();
        prefixes.dedup();
        Ok(HostTools { by_name: Arc::new(by_name), prefixes: prefixes.into() })
    }

    /// Returns the prefixes of their names, in snake case.
    pub fn prefixes(&self) -> &[String] {
        &self.prefixes
    }

    /// Returns whether one of them is restricted to certain agents.
    pub(super) fn has_reserved(&self) -> bool {
        self.by_name.values().any(|it| it.described.agents.is_some())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.by_name.get(name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<RegisteredTool>> {
        self.by_name.values()
    }

    /// Returns whether one of them is destructive.
    pub(super) fn has_destructive(&self) -> bool {
        self.by_name.values().any(|it| it.described.policy.destructive)
    }

    /// Returns the names that begin with `prefix`.
    pub(super) fn named<'t>(&'t self, prefix: &'t str) -> impl Iterator<Item = &'t str> {
        let names = self.by_name.values().map(|it| &it.described.name);
        names.filter(move |name| name.skill() == prefix).map(ToolName::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Adder;

    #[async_trait]
    impl HostTool for Adder {
        fn function(&self) -> HostFunction {
            let optional = Type::Option(Arc::new(Type::U32));
            HostFunction::new("my-host", "add-up", "Adds.")
                .unwrap()
                .param(Field::new("one", Type::U32, None))
                .param(Field::new("the-other", optional, None))
                .result(Type::U32)
        }

        async fn run(&self, _: &dyn HostCall, _: Json) -> Result<Json> {
            Ok(Json::Null)
        }
    }

    fn parse(text: &str) -> Json {
        Json::parse(text, 1_000, 10).unwrap()
    }

    #[test]
    fn arguments_arrive_in_one_form() {
        let tools = HostTools::default().with(Arc::new(Adder)).unwrap();
        assert_eq!(tools.prefixes(), ["my_host"]);
        assert_eq!(tools.named("my_host").collect::<Vec<_>>(), ["my_host__add_up"]);
        let tool = tools.get("my_host__add_up").unwrap();
        for (given, seen) in [
            (r#"{"one":1}"#, r#"{"one":1,"the_other":null}"#),
            (r#"{"the-other":2,"one":1}"#, r#"{"one":1,"the_other":2}"#),
        ] {
            let call = UntypedCall { name: "x", arguments: parse(given) };
            let call = call.check(&tool.described.function).unwrap();
            assert_eq!(tool.arguments(call).unwrap().to_string(), seen);
        }
    }

    #[test]
    fn results_are_what_was_promised() {
        let tools = HostTools::default().with(Arc::new(Adder)).unwrap();
        let tool = tools.get("my_host__add_up").unwrap();
        assert_eq!(tool.result(parse("7")).unwrap(), Some(Val::U32(7)));
        let error = tool.result(parse("\"seven\"")).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Host);
        assert!(error.to_string().starts_with("the tool `my_host__add_up` of the host returned"));
    }

    #[test]
    fn names_are_tool_names_and_unique() {
        assert!(HostFunction::new("a b", "c", "").is_err());
        assert!(HostFunction::new("a", &"b".repeat(64), "").is_err());
        let tools = HostTools::default().with(Arc::new(Adder)).unwrap();
        let error = tools.with(Arc::new(Adder)).unwrap_err();
        assert_eq!(error.to_string(), "two tools of the host are named `my_host__add_up`");
    }
}
