//! Tools of the host's own: code of the program itself, which models call as they call the tools of skills.
//!
//! Such a tool stands in the registry beside the others, with types, limits and a policy. Its name cannot be taken away: a skill
//! whose tools would be named alike is left out. What a call of it may do in its session is said by [`HostCall`]; sessions
//! themselves are not known here.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use wasmtime::component::Val;

use super::{ToolName, ToolPolicy};
use crate::capability::LogLevel;
use crate::document::Document;
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::{self, Field, Function, Json, RecordType, Type, TypedCall, UntypedCall};

/// A tool of the host's own.
///
/// A call of it is checked against its types before [`HostTool::run`] sees it. It takes a place among the calls, ends with its
/// time, and is told in events and written to the journal, as any other.
#[async_trait]
pub trait HostTool: Send + Sync {
    /// What it is called, takes and gives. Asked once, when it is added to a host.
    fn function(&self) -> HostFunction;

    /// Carry out a call. `arguments` is an object with a member for each parameter, in snake case; what was left out is null, or
    /// the default. The result must be of the type that [`HostTool::function`] promises.
    ///
    /// # Errors
    ///
    /// What the model can mend is of kind [`ErrorKind::Arguments`], [`ErrorKind::Input`] or [`ErrorKind::Denied`].
    async fn run(&self, call: &dyn HostCall, arguments: Json) -> Result<Json>;
}

/// What a call of a [`HostTool`] may do in its session.
#[async_trait]
pub trait HostCall: Send + Sync {
    /// Whose session it is.
    fn tenant(&self) -> &str;

    /// The documents of the session.
    fn documents(&self) -> Vec<Arc<Document>>;

    /// Read a file and add it to the documents of the session. The time that this takes is bounded by itself, and does not count
    /// as that of the call.
    ///
    /// # Errors
    ///
    /// Same as [`Session::add_document_bytes`](crate::Session::add_document_bytes).
    async fn add_document(&self, name: &str, content: Vec<u8>) -> Result<Arc<Document>>;

    /// Fetch a document, as the host allows, and add it to the documents of the session. The time that this takes is bounded by
    /// itself, and does not count as that of the call.
    ///
    /// # Errors
    ///
    /// Same as [`Session::add_document_url`](crate::Session::add_document_url).
    async fn add_document_url(&self, url: &str) -> Result<Arc<Document>>;

    /// Call another tool, with arguments as a JSON object. It is a call inside of this one: it has the same place, and counts
    /// against the same limits.
    ///
    /// # Errors
    ///
    /// As the call itself.
    async fn call_tool(&self, tool: &str, arguments: &str) -> Result<Json>;

    /// Tell the operator something.
    fn log(&self, level: LogLevel, message: &str);
}

/// What a [`HostTool`] is called, takes and gives.
///
/// Defaults: no parameters, no result, the default [`ToolPolicy`], 30 seconds, arguments of the length that the session allows
/// any tool, and called by models, plugins and scripts alike.
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
    /// A function named `<prefix>__<name>`, both in kebab case here. `docs` is what a model reads of it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - they make no tool name, or one of more than 64 characters.
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

    /// With one more parameter. One whose type is an option may be left out.
    #[must_use]
    pub fn param(mut self, param: Field) -> HostFunction {
        Arc::make_mut(&mut self.function).params.push(param);
        self
    }

    /// With a result of this type.
    #[must_use]
    pub fn result(mut self, ty: Type) -> HostFunction {
        Arc::make_mut(&mut self.function).result = Some(ty);
        self
    }

    /// With narrower bounds, defaults and titles of its parameters, as [`Function::narrowed`] reads them.
    ///
    /// # Errors
    ///
    /// Same as [`Function::narrowed`].
    pub fn narrowed(mut self, schema: &Value) -> Result<HostFunction> {
        self.function = Arc::new(self.function.narrowed(schema)?);
        Ok(self)
    }

    /// Called in this way: as often as `retry` says if it may be repeated, and after an approval if it is destructive.
    #[must_use]
    pub fn policy(mut self, policy: ToolPolicy) -> HostFunction {
        self.policy = Arc::new(policy);
        self
    }

    /// With so much wall clock for each attempt. Default 30 s.
    #[must_use]
    pub fn time(mut self, time: Duration) -> HostFunction {
        self.limits.time = time;
        self
    }

    /// With arguments of up to so many bytes of JSON, where the session allows fewer to a tool.
    #[must_use]
    pub fn arguments_bytes(mut self, bytes: u64) -> HostFunction {
        self.arguments_bytes = Some(bytes);
        self
    }

    /// A tool of another server, by the name of that: agents may be limited to those of some servers.
    #[must_use]
    pub fn of_server(mut self, name: impl Into<String>) -> HostFunction {
        self.server = Some(name.into());
        self
    }

    /// Only for the agents of these names: for others, and for the session itself, there is no such tool.
    #[must_use]
    pub fn for_agents<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> HostFunction {
        self.agents = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Not to be called by plugins and scripts: to them there is no such tool.
    #[must_use]
    pub fn for_models_only(mut self) -> HostFunction {
        self.is_for_models_only = true;
        self
    }
}

/// A tool of the host, with what was said of it when it was added.
pub(crate) struct RegisteredTool {
    pub(crate) described: HostFunction,
    pub(crate) code: Arc<dyn HostTool>,
}

impl RegisteredTool {
    /// The arguments of a call that was checked, as JSON in one form: names in snake case, nothing left out.
    ///
    /// # Errors
    ///
    /// Only if the call was checked against another function.
    pub(crate) fn arguments(&self, call: TypedCall) -> Result<Json> {
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

    /// What the tool gave, as a value of the type that it promised.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - it is of another type.
    pub(crate) fn result(&self, given: Json) -> Result<Option<Val>> {
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
                    "the tool `{name}` of the host gave what it does not promise: {problem}"
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

/// The host's own tools. A cheap handle.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostTools {
    by_name: Arc<BTreeMap<String, Arc<RegisteredTool>>>,
    /// What their names begin with.
    prefixes: Arc<[String]>,
}

impl HostTools {
    /// These and one more.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is one of this name.
    pub(crate) fn with(&self, code: Arc<dyn HostTool>) -> Result<HostTools> {
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

    /// What their names begin with, in snake case.
    pub(crate) fn prefixes(&self) -> &[String] {
        &self.prefixes
    }

    /// Whether one of them is only for certain agents.
    pub(super) fn has_reserved(&self) -> bool {
        self.by_name.values().any(|it| it.described.agents.is_some())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.by_name.get(name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<RegisteredTool>> {
        self.by_name.values()
    }

    /// Whether one of them may destroy something.
    pub(super) fn has_destructive(&self) -> bool {
        self.by_name.values().any(|it| it.described.policy.destructive)
    }

    /// The names of those that begin with `prefix`.
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
        assert!(error.to_string().starts_with("the tool `my_host__add_up` of the host gave"));
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
