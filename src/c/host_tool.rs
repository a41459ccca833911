//! A function of the caller as a tool of the host: checked, limited, reported and recorded like all others.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mitt::schema::{self, without_absent};
use mitt::skill::{HostCall, HostFunction, HostTool, ToolPolicy};
use mitt::value::{Field, Json, Type};
use mitt::{Error, ErrorKind, Result};

use crate::answer::{Answer, MAX_ANSWER_BYTES};
use crate::fields::Fields;

/// Deepest nesting of a result.
const MAX_DEPTH: u64 = 64;

/// Most bytes of the schema and the description of a tool.
const MAX_DEFINITION_BYTES: usize = 64 << 10;

/// A tool of the caller.
pub struct AnsweredTool {
    function: HostFunction,
    params: Vec<Field>,
    answer: Arc<dyn Answer>,
}

impl AnsweredTool {
    /// Reads the definition of a tool.
    pub(crate) fn new(mut given: Fields, answer: Arc<dyn Answer>) -> Result<AnsweredTool> {
        let name = given.required("name")?;
        let (prefix, function) = name.split_once("__").ok_or_else(|| {
            let message = format!("expected a name such as `shop__price`, got `{name}`");
            given.wrong("name", &message)
        })?;
        let docs = given.text("description")?.unwrap_or_default();
        let (place, schema) = given.object("parameters")?.rest();
        let bytes = docs.len() + serde_json::to_string(&schema).map_or(0, |text| text.len());
        if bytes > MAX_DEFINITION_BYTES {
            let message = format!(
                "expected at most {MAX_DEFINITION_BYTES} bytes of description and parameters, got {bytes}"
            );
            return Err(given.wrong("parameters", &message));
        }
        let params = schema::params(&schema)
            .map_err(|why| Error::new(ErrorKind::Arguments, why).at(place))?;
        let policy = ToolPolicy {
            idempotent: given.flag("idempotent")?,
            read_only: given.flag("read_only")?,
            destructive: given.flag("destructive")?,
            title: given.text("title")?,
            ..ToolPolicy::default()
        };
        let kebab = |part: &str| part.replace('_', "-");
        let mut described = HostFunction::new(&kebab(prefix), &kebab(function), docs)
            .map_err(|error| error.at("definition.name"))?
            .result(Type::Json)
            .policy(policy)
            .time(given.millis("timeout_ms")?.unwrap_or(Duration::from_secs(30)));
        for param in &params {
            described = described.param(param.clone());
        }
        given.finish()?;
        Ok(AnsweredTool { function: described, params, answer })
    }
}

#[async_trait]
impl HostTool for AnsweredTool {
    fn function(&self) -> HostFunction {
        self.function.clone()
    }

    async fn run(&self, _: &dyn HostCall, arguments: Json) -> Result<Json> {
        let arguments = without_absent(&self.params, arguments).to_string();
        let answer = self.answer.answer(arguments, ErrorKind::Plugin).await?;
        Json::parse(&answer, MAX_ANSWER_BYTES as u64, MAX_DEPTH).map_err(|error| {
            Error::tool("the tool gave an answer that is not JSON")
                .kept_as("the tool gave an answer that is not JSON")
                .detail(error.message())
        })
    }
}
