//! What a client asks for: a run, and further messages. These types are the bodies of requests, and their documentation is
//! the one of the OpenAPI document.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A new run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CreateRun {
    /// What the agent shall do, in the user's words.
    #[schemars(length(min = 1, max = 1_000_000))]
    pub instruction: String,
    /// Documents that it works with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub documents: Vec<DocumentSource>,
    /// Name of the model, one of `GET /v1/models`. Default: the first one that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Title for lists. Default: the beginning of the instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
    /// JSON Schema that the final answer must follow: the answer is one JSON value, `output` of the run. If the model never gives
    /// such an answer, the run fails with the code `output_mismatch`. Holds for this instruction. Default: the answer is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Map<String, Value>>,
    /// How the run is done.
    #[serde(default)]
    pub options: RunOptions,
    /// Up to 16 values of the client's own, which the service returns unchanged.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Instructions that precede those of the service. Only interfaces of other programs set them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub instructions: Option<String>,
    /// Functions of the caller, which the model may call beside Mitt's tools. Only interfaces of other programs set them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub functions: Vec<FunctionTool>,
    /// `true` if the model has the caller's functions alone, and none of Mitt's tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub no_tools: bool,
    /// Earlier messages of a conversation that the client keeps itself, oldest first, as `(role, text)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub history: Vec<(String, String)>,
    /// The container in which scripts of the model run. Only interfaces of other programs set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub container: Option<String>,
    /// What the caller demands of the answer. Only interfaces of other programs set it.
    #[serde(default, skip_serializing_if = "AnswerDemand::is_none")]
    #[schemars(skip)]
    pub demand: AnswerDemand,
}

/// Where a document comes from.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum DocumentSource {
    /// A file that was uploaded before.
    File {
        /// Identifier of the file, such as `file-…`.
        file: String,
        /// Name in the run. Default: the name of the upload.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A page or file that the service fetches, where the operator allows it.
    Url {
        /// Address that begins with `http://` or `https://`.
        url: String,
        /// Name in the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Text in the request itself.
    Text {
        /// Name with an extension, such as `notes.md`.
        name: String,
        /// Content.
        text: String,
    },
    /// Bytes in the request itself.
    Content {
        /// Name with an extension, such as `report.xlsx`.
        name: String,
        /// Content in base64.
        content: String,
    },
}

/// How a run is done: the options of `mitt run`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunOptions {
    /// Follow the instruction by a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanOptions>,
    /// How tools are described to the model: `script` (default), `catalogue` or `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// Names of agents that the model may delegate to, of those that the operator offers. Default: all; empty: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<String>>,
    /// Words and patterns that must not reach the model or the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<WordRules>,
    /// Estimated tokens of the documents' texts that are shown with the first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents_tokens: Option<u64>,
    /// `true` if tags in the answer deliver files: `<<<RENDER:pdf>>>`.
    pub tags: bool,
    /// `true` if instructions go to the model unchanged, without routing.
    pub no_routing: bool,
    /// `blocking` (default), `parallel` or `off`: when a small model is asked whether something costly may start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guardrail: Option<String>,
    /// The model that is asked then. Default: the model of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guardrail_model: Option<String>,
    /// What happens before calls that are marked as destructive: `ask` (default) sends a question, `allow` makes them,
    /// `refuse` refuses them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvals: Option<String>,
    /// Limits of the run.
    pub limits: Limits,
}

/// Options of a plan.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanOptions {
    /// Most steps. Default: 20.
    #[schemars(range(min = 1, max = 200))]
    pub steps: Option<u64>,
    /// Steps at the same time. Default: 4.
    #[schemars(range(min = 1, max = 64))]
    pub workers: Option<u64>,
    /// How often a review may send a step back. Default: 2.
    #[schemars(range(max = 20))]
    pub attempts: Option<u64>,
    /// The model that reviews. Default: the model of the run.
    pub evaluator: Option<String>,
    /// `true` if the plan is shown for a decision before its steps are done.
    pub review: bool,
}

/// Limits of a run. The operator's limits hold beside them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Turns of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub turns: Option<u64>,
    /// Calls that the model may request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Tokens of all requests and answers together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub tokens: Option<u64>,
    /// Cost of the model in dollars, such as `0.50`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dollars: Option<String>,
    /// Seconds for one instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub seconds: Option<u64>,
}

/// Words that must not pass.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct WordRules {
    /// Rules as the lines of a rules file; see `docs/guard.md`.
    pub rules: Vec<String>,
}

/// A run that another program began, such as `mitt run`.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ImportRun {
    /// The log of the run, a file whose name ends in `.jsonl`, and the documents that the log names, unchanged.
    #[schemars(length(min = 1, max = 101))]
    pub documents: Vec<DocumentSource>,
    /// Name of the model that continues it. Default: the first one that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Title for lists. Default: the beginning of the last instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
}

/// A further instruction for a run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// What the agent shall do now. While it works, it reads this before its next turn.
    #[schemars(length(min = 1, max = 1_000_000))]
    pub instruction: String,
    /// Further documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub documents: Vec<DocumentSource>,
    /// JSON Schema that the answer to this instruction must follow. With it, the instruction waits until the one before has
    /// ended. Default: the answer is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Map<String, Value>>,
    /// The container in which scripts of the model run from now on. Only interfaces of other programs set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub container: Option<String>,
    /// What the caller demands of the answer. Only interfaces of other programs set it.
    #[serde(default, skip_serializing_if = "AnswerDemand::is_none")]
    #[schemars(skip)]
    pub demand: AnswerDemand,
}

/// What the caller demands of the answer to an instruction.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct AnswerDemand {
    /// The call that the first request of the model must bring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<RequiredCall>,
    /// The form of the answer; `None` for free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputForm>,
}

/// The form of an answer: JSON and nothing else.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct OutputForm {
    /// Name for the model's service: up to 64 letters, digits, `_` and `-`.
    pub name: String,
    /// JSON Schema of the answer; `None` for any object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

/// A call that the caller requires.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequiredCall {
    /// A call of one of these tools; of any tool if there are none.
    OneOf(Vec<String>),
    /// A call of this tool.
    Tool(String),
}

/// Name of the form of an `output_schema` for the model's service.
const OUTPUT: &str = "output";

impl AnswerDemand {
    /// Returns the demand with the form of an `output_schema`, if there is one.
    pub(super) fn with_schema(mut self, schema: Option<Map<String, Value>>) -> AnswerDemand {
        if let Some(schema) = schema {
            let schema = Some(Value::Object(schema));
            self.output = Some(OutputForm { name: OUTPUT.to_owned(), schema });
        }
        self
    }

    /// Returns `true` if nothing is demanded.
    pub fn is_none(&self) -> bool {
        *self == AnswerDemand::default()
    }
}

/// A function of the caller, which the model may call.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct FunctionTool {
    /// Name, as the model writes it.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its arguments.
    #[serde(default)]
    pub parameters: Value,
}
