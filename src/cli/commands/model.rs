//! `mitt model`: lists the services of models, and tests a model.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use serde_json::{Value, json};

use crate::agent_args::no_model;
use crate::args::{Global, ModelCommand, ModelList, ModelTest};
use crate::exit_code::exit_code;
use crate::interrupt::unless_interrupted;
use crate::output::Output;
use mitt_agent::model::preset;
use mitt_agent::model::{
    ChatEvent, ChatModel, ChatRequest, Message, ModelSpec, OutputFormat, StopReason, ToolChoice,
    ToolSpec,
};
use mitt_base::{Error, ErrorKind, Result, text};

/// How models are named, below the list.
const NAMES: &str = "\nA model is named by its service and its name there, such as `ollama/qwen3`; any other server by its address, such as \
    `http://127.0.0.1:8080/v1#name`, its wire before it where that is not OpenAI's chat completions: `anthropic+http://…#name`.";

pub(crate) async fn model(
    global: &Global,
    command: ModelCommand,
    output: &Output,
) -> Result<ExitCode> {
    match command {
        ModelCommand::List(command) => list(&command, output),
        ModelCommand::Test(command) => test(global, &command, output).await,
    }
}

fn list(_: &ModelList, output: &Output) -> Result<ExitCode> {
    let mut all = Vec::new();
    for name in preset::names() {
        let spec = ModelSpec::parse(&format!("{name}/model"))?;
        let is_set =
            |variable: &&String| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
        let set = spec.key.variables.iter().find(is_set);
        all.push(json!({
            "name": name, "url": spec.base_url, "wire": spec.wire.name(), "key_variables": spec.key.variables,
            "needs_key": spec.key.is_required, "has_key": set.is_some(),
        }));
        if !output.is_json() {
            let key = match (set, spec.key.is_required, spec.key.variables.first()) {
                (Some(variable), ..) => format!("key in {variable}"),
                (None, true, Some(variable)) => format!("no key: set {variable}"),
                _ => "needs no key".to_owned(),
            };
            output.data_line(&format!(
                "{name:<11} {:<10} {key:<30} {}",
                spec.wire.name(),
                spec.base_url
            ))?;
        }
    }
    if output.is_json() {
        output.value(&Value::from(all))?
    } else {
        output.data_line(NAMES)?
    }
    Ok(ExitCode::SUCCESS)
}

/// The result of one request.
#[derive(Default)]
struct RequestResult {
    text: String,
    pieces: usize,
    calls: Vec<String>,
    notes: Vec<String>,
    has_thought: bool,
    /// `true` if it reached its limit of tokens.
    is_cut: bool,
    first: Option<Duration>,
    whole: Duration,
}

async fn test(global: &Global, command: &ModelTest, output: &Output) -> Result<ExitCode> {
    let name = command.name.clone().or_else(|| command.model_args.name(&global.settings));
    let name = name.ok_or_else(|| no_model(None))?;
    let model = command.model_args.open(&name, &global.settings)?;
    let model = model.as_ref();
    let checks = unless_interrupted(checks(model)).await??;
    let is_good = checks.iter().all(|(_, done)| done.is_ok());
    if output.is_json() {
        let one = |(what, done): &(&str, std::result::Result<String, String>)| match done {
            Ok(how) => json!({ "check": what, "ok": true, "detail": how }),
            Err(why) => json!({ "check": what, "ok": false, "detail": why }),
        };
        let checks: Vec<_> = checks.iter().map(one).collect();
        output.value(&json!({ "model": name, "checks": checks }))?;
    } else {
        for line in in_words(&checks) {
            output.data_line(&line)?;
        }
    }
    // The exit code of a model that fails.
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::from(exit_code(&ErrorKind::Model)) })
}

/// Returns a line for each check.
pub(super) fn in_words(checks: &Checks) -> Vec<String> {
    let one = |(what, done): &(&str, std::result::Result<String, String>)| {
        let (mark, detail) = match done {
            Ok(how) => ("yes", how),
            Err(why) => ("no", why),
        };
        format!("{what:<26} {mark:<3}  {detail}")
    };
    checks.iter().map(one).collect()
}

pub(super) type Checks = Vec<(&'static str, std::result::Result<String, String>)>;

/// Checks what a model can do, with a few short requests.
///
/// # Errors
///
/// Those of the first request: the model does not answer at all.
pub(super) async fn checks(model: &dyn ChatModel) -> Result<Checks> {
    let mut checks: Checks = Vec::new();
    let count = [Message::user("Count from one to ten in words, one word a line. Nothing else.")];
    // Without an answer there is nothing to test.
    let seen = ask(model, ChatRequest::new(&count, &[])).await?;
    let seconds = |time: Duration| format!("{:.2} s", time.as_secs_f64());
    checks.push(match seen.text.trim() {
        "" => ("answers", Err("it said nothing".to_owned())),
        said => (
            "answers",
            Ok(format!(
                "`{}` in {}",
                text::shortened(&text::one_line(said), 60),
                seconds(seen.whole)
            )),
        ),
    });
    checks.push(match (seen.pieces, seen.first) {
        (2.., Some(first)) => (
            "answers piece by piece",
            Ok(format!("the first of {} after {}", seen.pieces, seconds(first))),
        ),
        _ => ("answers piece by piece", Err("the answer came in one piece".to_owned())),
    });
    let add = ToolSpec {
        name: "add".to_owned(),
        description: "Add two whole numbers.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
            "required": ["a", "b"],
            "additionalProperties": false,
        }),
        is_strict: true,
    };
    let sum = [Message::user("What is 2125 + 3417? Use the tool.")];
    let seen = ask(model, ChatRequest::new(&sum, std::slice::from_ref(&add))).await;
    checks.push(("calls tools", called(seen)));
    let format = OutputFormat {
        name: "city".to_owned(),
        schema: json!({
            "type": "object",
            "properties": { "city": { "type": "string" }, "rivers": { "type": "integer" } },
            "required": ["city", "rivers"],
            "additionalProperties": false,
        }),
    };
    let city = [Message::user("Name a city and how many rivers flow through it, as JSON.")];
    let mut request = ChatRequest::new(&city, &[]);
    request.output = Some(&format);
    request.tool_choice = &ToolChoice::Auto;
    checks.push(("keeps to a schema", kept(ask(model, request).await)));
    Ok(checks)
}

/// Most tokens of an answer to a check, and of one that is requested again because the model used all tokens for thinking.
const CHECK_TOKENS: u64 = 64;
const THINKING_TOKENS: u64 = 2_048;

/// Time limit of an answer to a check, from its first piece.
const CHECK_TIME: Duration = Duration::from_secs(60);

/// Sends a request with the limits of a check.
async fn ask(model: &dyn ChatModel, mut request: ChatRequest<'_>) -> Result<RequestResult> {
    request.max_tokens = Some(CHECK_TOKENS);
    let seen = ask_once(model, request).await?;
    if !(seen.is_cut && seen.has_thought && seen.text.trim().is_empty() && seen.calls.is_empty()) {
        return Ok(seen);
    }
    request.max_tokens = Some(THINKING_TOKENS);
    ask_once(model, request).await
}

async fn ask_once(model: &dyn ChatModel, request: ChatRequest<'_>) -> Result<RequestResult> {
    let begun = Instant::now();
    let mut stream = model.chat(request).await?;
    let mut seen = RequestResult::default();
    let mut end: Option<tokio::time::Instant> = None;
    loop {
        let next = match end {
            // The first piece may wait until the model is loaded.
            None => stream.next().await,
            Some(end) => tokio::time::timeout_at(end, stream.next()).await.map_err(|_| {
                let limit = CHECK_TIME.as_secs();
                Error::model(format!("the answer took longer than {limit} s"))
            })?,
        };
        let Some(event) = next else { break };
        let event = event?;
        if !matches!(event, ChatEvent::Note(_)) {
            end.get_or_insert_with(|| tokio::time::Instant::now() + CHECK_TIME);
        }
        match event {
            ChatEvent::Text(text) => {
                seen.first.get_or_insert_with(|| begun.elapsed());
                seen.pieces += 1;
                seen.text.push_str(&text);
            }
            ChatEvent::Call(call) => seen.calls.push(format!("{} {}", call.name, call.arguments)),
            ChatEvent::Note(note) => seen.notes.push(note),
            ChatEvent::Reasoning(_) | ChatEvent::Thought(_) => seen.has_thought = true,
            ChatEvent::Stopped(StopReason::Length) => seen.is_cut = true,
            _ => {}
        }
    }
    seen.whole = begun.elapsed();
    Ok(seen)
}

fn called(seen: Result<RequestResult>) -> std::result::Result<String, String> {
    let seen = seen.map_err(|error| text::one_line(&error.render()))?;
    let notes = seen.notes.join("; ");
    let Some(call) = seen.calls.first() else {
        return Err("it answered in words instead".to_owned());
    };
    let arguments =
        call.strip_prefix("add ").and_then(|text| serde_json::from_str::<Value>(text).ok());
    match arguments {
        Some(value) if value == json!({ "a": 2125, "b": 3417 }) => Ok(notes),
        _ => Err(format!(
            "expected a call of `add` with 2125 and 3417, got `{}`",
            text::shortened(&text::one_line(call), 120)
        )),
    }
}

fn kept(seen: Result<RequestResult>) -> std::result::Result<String, String> {
    let seen = seen.map_err(|error| text::one_line(&error.render()))?;
    let value: Option<Value> = serde_json::from_str(seen.text.trim()).ok();
    let is_kept = value.as_ref().and_then(Value::as_object).is_some_and(|object| {
        object.len() == 2
            && object.get("city").is_some_and(Value::is_string)
            && object.get("rivers").is_some_and(Value::is_i64)
    });
    if is_kept {
        Ok(seen.notes.join("; "))
    } else {
        Err(format!("got `{}`", text::shortened(&text::one_line(seen.text.trim()), 120)))
    }
}
