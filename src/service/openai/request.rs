//! The body of `POST /v1/responses`, checked and translated into what a run takes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::error::Problems;
use super::format;
use super::input::{Input, Reader};
use super::tools::{self, Form, Tools};
use crate::problem::Problem;
use crate::run::{AnswerDemand, CreateRun, Limits, OutputForm, RunOptions};

/// Text for the model about the container of its scripts.
const CONTAINER: &str = "\
Python scripts run in a container, which keeps files from script to script. Its files and the documents are below /mnt/data/: \
`os.listdir('/mnt/data')`, `open('/mnt/data/sales.csv')`. A file that a script writes there is given to the user.";

/// A request for a response: one instruction of a run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "OpenAiCreateResponse")]
pub(super) struct CreateResponse {
    /// Name of the model, one of `GET /v1/models`. Default: the first one.
    pub(super) model: Option<String>,
    /// A string, or items: `message` (with parts `input_text`, `input_file` and `input_image`), `function_call`,
    /// `function_call_output`, `mcp_approval_response` and `item_reference`. Files and images become documents of the run.
    pub(super) input: Value,
    /// Instructions that precede those of the service.
    pub(super) instructions: Option<String>,
    /// `true` to send events as they happen.
    pub(super) stream: Option<bool>,
    /// `true` to return at once; `GET /v1/responses/{response}` shows the state.
    pub(super) background: Option<bool>,
    /// `false` to delete the run afterwards. Default: `true`.
    pub(super) store: Option<bool>,
    /// The last response of a conversation, which this one continues in the same run.
    pub(super) previous_response_id: Option<String>,
    /// Not supported: use `previous_response_id`.
    pub(super) conversation: Value,
    /// Not supported: send the text in `input` or `instructions`.
    pub(super) prompt: Value,
    /// Tools of type `function`, which the model may call beside Mitt's, and `code_interpreter`.
    pub(super) tools: Option<Vec<Value>>,
    /// `auto`, `none` (the model has no tools at all), `required`, a function, `code_interpreter`, a tool of `mcp` with the label
    /// `mitt`, or `allowed_tools`.
    pub(super) tool_choice: Value,
    /// Repeated in the response.
    pub(super) parallel_tool_calls: Option<bool>,
    /// Repeated in the response. The limits of the run hold.
    pub(super) max_output_tokens: Option<u64>,
    /// Most calls that the model may request. Counts for the whole run, and only where a run begins.
    pub(super) max_tool_calls: Option<u64>,
    /// Up to 16 values of the client's own.
    pub(super) metadata: Option<BTreeMap<String, String>>,
    /// Repeated in the response; the operator sets up the model.
    pub(super) temperature: Option<f64>,
    /// Repeated in the response; the operator sets up the model.
    pub(super) top_p: Option<f64>,
    /// Repeated in the response; the operator sets up the model.
    pub(super) presence_penalty: Option<f64>,
    /// Repeated in the response; the operator sets up the model.
    pub(super) frequency_penalty: Option<f64>,
    /// Only 0.
    pub(super) top_logprobs: Option<u64>,
    /// Repeated in the response; the operator sets up the model.
    pub(super) reasoning: Option<Map<String, Value>>,
    /// `format` of type `text`, `json_object` or `json_schema`, which the answer follows; `verbosity` is repeated.
    pub(super) text: Option<Map<String, Value>>,
    /// Repeated in the response; a run shortens a conversation that becomes too long.
    pub(super) truncation: Option<String>,
    /// Outputs of the code interpreter are always included. Log probabilities do not exist.
    pub(super) include: Option<Vec<String>>,
    /// Repeated in the response.
    pub(super) user: Option<String>,
    /// Repeated in the response.
    #[schemars(length(max = 64))]
    pub(super) safety_identifier: Option<String>,
    /// Repeated in the response.
    #[schemars(length(max = 1024))]
    pub(super) prompt_cache_key: Option<String>,
    /// Repeated in the response.
    pub(super) service_tier: Option<String>,
}

/// A checked request.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) input: Input,
    pub(super) tools: Tools,
    /// Form of the answer; `None` for free text.
    pub(super) form: Option<OutputForm>,
    /// `true` if the client sent tools or a choice, so that a continued run must have the same ones.
    pub(super) has_tools: bool,
    pub(super) body: CreateResponse,
}

impl CreateResponse {
    /// Checks the request, and reports all of its problems.
    pub(super) fn checked(self) -> Result<Asked, Problem> {
        let mut problems = Problems::default();
        let input = Reader::responses(&self.input, &mut problems);
        let listed = self.tools.as_deref().unwrap_or_default();
        let tools = tools::read(listed, Some(&self.tool_choice), Form::Flat, &mut problems);
        if !self.conversation.is_null() {
            let detail =
                "conversations do not exist here; name the last response in `previous_response_id`";
            problems.add("/conversation", detail);
        }
        if !self.prompt.is_null() {
            let detail =
                "stored prompts do not exist here; send the text in `instructions` or `input`";
            problems.add("/prompt", detail);
        }
        if self.background == Some(true) && self.store == Some(false) {
            problems.add("/background", "a response in the background must be stored");
        }
        if self.top_logprobs.is_some_and(|it| it > 0) {
            problems.add("/top_logprobs", "log probabilities do not exist here; expected 0");
        }
        if self.include.iter().flatten().any(|it| it == "message.output_text.logprobs") {
            problems.add("/include", "log probabilities do not exist here");
        }
        let format = self.text.as_ref().and_then(|it| it.get("format")).unwrap_or(&Value::Null);
        let form = format::read(format, (Form::Flat, "/text/format"), &mut problems);
        check_metadata(self.metadata.as_ref(), &mut problems);
        if input.instruction.is_empty() && input.outputs.is_empty() && input.approvals.is_empty() {
            problems.add("/input", "expected a message of the user, or results of functions");
        }
        problems.result()?;
        let has_tools = self.tools.is_some() || !self.tool_choice.is_null();
        Ok(Asked { input, tools, form, has_tools, body: self })
    }
}

impl Asked {
    /// Returns the run that the request begins.
    pub(super) fn run(&self, model: String) -> CreateRun {
        let texts = self.body.instructions.iter().chain(&self.input.system);
        let of_container = self.tools.container.as_ref().map(|_| CONTAINER);
        let instructions: Vec<&str> = texts
            .map(String::as_str)
            .filter(|it| !it.is_empty())
            .chain(of_container.filter(|_| !self.tools.no_tools))
            .collect();
        CreateRun {
            instruction: self.instruction(),
            documents: self.input.documents.clone(),
            model: Some(model),
            options: RunOptions {
                limits: Limits { calls: self.body.max_tool_calls, ..Limits::default() },
                ..RunOptions::default()
            },
            metadata: self.body.metadata.clone().unwrap_or_default(),
            instructions: (!instructions.is_empty()).then(|| instructions.join("\n\n")),
            functions: self.tools.functions.clone(),
            no_tools: self.tools.no_tools,
            history: self.input.history.clone(),
            demand: self.demand(),
            ..CreateRun::default()
        }
    }

    /// Returns what the client demands of the answer.
    pub(super) fn demand(&self) -> AnswerDemand {
        AnswerDemand { call: self.tools.call.clone(), output: self.form.clone() }
    }

    /// Returns the instruction of a new run: results of functions that another run called are part of it.
    fn instruction(&self) -> String {
        let results = self.input.outputs_as_text();
        let parts = [results.as_str(), self.input.instruction.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
        parts.join("\n\n")
    }

    /// Returns the further instruction for a run that is continued; `None` if there is none. A run keeps the instructions
    /// that it began with, so others stand before the text, as do earlier messages that the run has not seen.
    pub(super) fn message(&self, first: Option<&str>, is_known: bool) -> Option<String> {
        if self.input.instruction.is_empty() {
            return None;
        }
        let mut parts = Vec::new();
        let others = self.body.instructions.iter().filter(|it| first != Some(it.as_str()));
        for text in others.chain(&self.input.system) {
            parts.push(format!("Instructions for this request: {text}"));
        }
        if !is_known {
            let history = self.input.history.iter();
            parts.extend(history.map(|(role, text)| format!("{role}: {text}")));
        }
        parts.push(self.input.instruction.clone());
        Some(parts.join("\n\n"))
    }

    /// Returns what the response repeats of the request.
    pub(super) fn echo(&self) -> Map<String, Value> {
        let body = &self.body;
        let mut text = body.text.clone().unwrap_or_default();
        text.entry("format").or_insert_with(|| json!({"type": "text"}));
        let reasoning = body.reasoning.clone().unwrap_or_default();
        let of_reasoning = |key: &str| reasoning.get(key).cloned().unwrap_or_default();
        let tier = body.service_tier.as_deref().filter(|it| *it != "auto").unwrap_or("default");
        let echo = json!({
            "instructions": body.instructions,
            "tools": self.tools.echo,
            "tool_choice": self.tools.choice,
            "parallel_tool_calls": body.parallel_tool_calls.unwrap_or(true),
            "max_output_tokens": body.max_output_tokens,
            "max_tool_calls": body.max_tool_calls,
            "metadata": body.metadata.clone().unwrap_or_default(),
            "temperature": body.temperature.unwrap_or(1.0),
            "top_p": body.top_p.unwrap_or(1.0),
            "presence_penalty": body.presence_penalty.unwrap_or(0.0),
            "frequency_penalty": body.frequency_penalty.unwrap_or(0.0),
            "top_logprobs": 0,
            "reasoning": {"effort": of_reasoning("effort"), "summary": of_reasoning("summary")},
            "text": text,
            "truncation": body.truncation.as_deref().unwrap_or("disabled"),
            "user": body.user,
            "safety_identifier": body.safety_identifier,
            "prompt_cache_key": body.prompt_cache_key,
            "service_tier": tier,
            "store": body.store.unwrap_or(true),
            "background": body.background.unwrap_or(false),
        });
        match echo {
            Value::Object(echo) => echo,
            _ => Map::new(),
        }
    }
}

/// Checks the client's own values: at most 16, with keys of 64 and values of 512 characters, as OpenAI has it.
pub(super) fn check_metadata(metadata: Option<&BTreeMap<String, String>>, problems: &mut Problems) {
    let Some(metadata) = metadata else { return };
    if metadata.len() > 16 {
        problems.add("/metadata", format!("expected at most 16 values, got {}", metadata.len()));
    }
    for (key, value) in metadata {
        if key.chars().count() > 64 || value.chars().count() > 512 {
            let detail = "expected keys of at most 64 and values of at most 512 characters";
            problems.add("/metadata", detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(body: Value) -> Result<Asked, Problem> {
        serde_json::from_value::<CreateResponse>(body).unwrap().checked()
    }

    #[test]
    fn a_request_becomes_a_run() {
        let asked = checked(json!({
            "model": "m", "instructions": "be brief", "max_tool_calls": 3, "metadata": {"a": "b"},
            "input": [{"role": "system", "content": "in English"}, {"role": "user", "content": "hello"}],
            "tools": [{"type": "function", "name": "f"}],
        }))
        .unwrap();
        let run = asked.run("m".into());
        assert_eq!(run.instruction, "hello");
        assert_eq!(run.instructions.as_deref(), Some("be brief\n\nin English"));
        assert_eq!(run.options.limits.calls, Some(3));
        assert_eq!(run.functions[0].name, "f");
        assert_eq!(run.metadata["a"], "b");
        assert!(!run.no_tools);
    }

    #[test]
    fn results_for_a_run_that_is_gone_are_part_of_the_instruction() {
        let asked = checked(json!({"input": [
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "7"},
        ]}))
        .unwrap();
        assert_eq!(asked.run("m".into()).instruction, "Result of f:\n7");
    }

    #[test]
    fn a_continued_run_hears_of_other_instructions_and_unknown_messages() {
        let asked = checked(json!({"instructions": "new", "input": [
            {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
            {"role": "user", "content": "c"},
        ]}))
        .unwrap();
        assert_eq!(asked.message(Some("new"), true).unwrap(), "c");
        assert_eq!(
            asked.message(None, false).unwrap(),
            "Instructions for this request: new\n\nuser: a\n\nassistant: b\n\nc"
        );
    }

    #[test]
    fn the_response_repeats_what_open_responses_requires() {
        let echo = checked(json!({"input": "x"})).unwrap().echo();
        for (key, expected) in [
            ("temperature", json!(1.0)),
            ("tool_choice", json!("auto")),
            ("truncation", json!("disabled")),
            ("text", json!({"format": {"type": "text"}})),
            ("reasoning", json!({"effort": null, "summary": null})),
            ("service_tier", json!("default")),
            ("store", json!(true)),
            ("metadata", json!({})),
            ("safety_identifier", Value::Null),
        ] {
            assert_eq!(echo[key], expected, "{key}");
        }
    }

    #[test]
    fn what_is_not_supported_is_refused_at_once() {
        let many: BTreeMap<String, &str> = (0..17).map(|it| (it.to_string(), "x")).collect();
        for (key, value, place) in [
            ("conversation", json!("conv_1"), "/conversation"),
            ("prompt", json!({"id": "pmpt_1"}), "/prompt"),
            ("top_logprobs", json!(5), "/top_logprobs"),
            ("include", json!(["message.output_text.logprobs"]), "/include"),
            ("text", json!({"format": {"type": "json_schema"}}), "/text/format/name"),
            ("text", json!({"format": {"type": "grammar"}}), "/text/format/type"),
            ("tools", json!([{"type": "mcp"}]), "/tools/0/type"),
            ("tool_choice", json!("any"), "/tool_choice"),
            ("metadata", json!(many), "/metadata"),
            ("metadata", json!({"a": "x".repeat(513)}), "/metadata"),
            ("metadata", json!({"a".repeat(65): "x"}), "/metadata"),
            ("input", json!([]), "/input"),
        ] {
            let mut body = json!({"input": "x"});
            body[key] = value;
            assert_eq!(checked(body).unwrap_err().errors[0].pointer, place);
        }
        let both = json!({"input": "x", "background": true, "store": false, "conversation": "c"});
        assert_eq!(checked(both).unwrap_err().errors.len(), 2);
    }
}
