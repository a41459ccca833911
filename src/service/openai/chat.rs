//! `/v1/chat/completions`: the interface of clients that keep a conversation themselves.
//!
//! A request begins a run with the client's messages as its history. Results of functions continue the run that called them,
//! which is found by the identifier of the call; if that run does not wait any more, they are text of a new one. Runs are
//! kept and listed with metadata `interface`, so that links to their files stay good; `store: false` deletes them.

use std::collections::BTreeMap;

use futures_util::stream;
use hyper::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::chat_translate::{ChatHead, ChatTranslator};
use super::continued::{go_on, hand_in, waiting_run};
use super::documents;
use super::error::{ErrorBody, Problems, at};
use super::follow::{Followed, Follower};
use super::format;
use super::input::{Input, Reader};
use super::models::chosen;
use super::record::{self, Begin};
use super::request::check_metadata;
use super::tools::{self, Form, Tools};
use crate::http::{
    Answered, Body, HttpResponse, MODEL_KEY, Request, Responds, SseEvent, event_stream, json,
    schema_of,
};
use crate::problem::Problem;
use crate::run::{AnswerDemand, CreateRun, Message, OutputForm, RunOptions, Runs};
use crate::service::{Endpoint, Service};

/// A request for a completion.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "OpenAiCreateChatCompletion")]
pub(super) struct CreateChat {
    /// Name of the model, one of `GET /v1/models`. Default: the first one.
    model: Option<String>,
    /// The conversation. Files (`file`) and images (`image_url`) become documents of the run.
    // Without this, the schema has an empty list as the default, which it refuses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    messages: Vec<Value>,
    /// `true` to send chunks as they come.
    stream: Option<bool>,
    /// Options of the stream.
    stream_options: Option<StreamOptions>,
    /// Functions, which the model may call beside Mitt's tools.
    tools: Option<Vec<Value>>,
    /// `auto`, `none` (the model has no tools at all), `required`, a function, or `allowed_tools`.
    tool_choice: Value,
    /// Not supported: use `tools`.
    functions: Value,
    /// Type `text`, `json_object` or `json_schema`, which the answer follows.
    response_format: Value,
    /// Only 1.
    n: Option<u64>,
    /// Not supported: a run has several turns, of which none may be cut.
    stop: Value,
    /// Not supported.
    logprobs: Option<bool>,
    /// Not supported.
    audio: Value,
    /// Not supported: send addresses in the text, or offer a function that searches.
    web_search_options: Value,
    /// `false` to delete the run afterwards. Default: `true`.
    store: Option<bool>,
    /// Up to 16 values of the client's own.
    metadata: Option<BTreeMap<String, String>>,
    /// `temperature`, `max_tokens` and other options of a model are accepted; the operator sets up the model.
    #[serde(flatten)]
    _options: Map<String, Value>,
}

/// Options of a stream.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "OpenAiStreamOptions")]
struct StreamOptions {
    /// `true` for a last chunk with what was used.
    include_usage: Option<bool>,
}

/// A completion.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiChatCompletion")]
struct Completion {
    /// Identifier.
    id: String,
    /// Always `chat.completion`.
    object: String,
    /// Time of creation in seconds after 1970.
    created: u64,
    /// Name of the model.
    model: String,
    /// One choice, with `message` and `finish_reason`.
    choices: Vec<Value>,
    /// What the models used.
    usage: Option<Value>,
}

/// A part of a completion.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiChatCompletionChunk")]
struct Chunk {
    /// Identifier.
    id: String,
    /// Always `chat.completion.chunk`.
    object: String,
    /// Time of creation in seconds after 1970.
    created: u64,
    /// Name of the model.
    model: String,
    /// One choice, with `delta` and `finish_reason`; none in the chunk with `usage`.
    choices: Vec<Value>,
    /// What the models used.
    usage: Option<Value>,
}

/// Data of an event of a stream.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "OpenAiChatCompletionEvent")]
#[expect(dead_code, reason = "only its schema is used")]
enum Streamed {
    /// A part of the completion.
    Chunk(Chunk),
    /// Why there is no more of it.
    Error(ErrorBody),
}

/// A checked request.
#[derive(Debug)]
struct Asked {
    input: Input,
    tools: Tools,
    /// Form of the answer; `None` for free text.
    form: Option<OutputForm>,
    body: CreateChat,
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let schema = schema_of::<CreateChat>();
    let body = schema.clone();
    vec![
        Endpoint::new(
            "openai",
            Method::POST,
            "/v1/chat/completions",
            "openai_create_chat_completion",
            "Answers a conversation, with documents and tools",
            move |service, request| {
                let schema = schema.clone();
                async move {
                    let head = Head::of(&request);
                    let asked = request.json::<CreateChat>(&schema).await?.value.checked()?;
                    create(service, head, asked).await
                }
            },
        )
        .describe("Delivered files are links at the end of the text. A closed connection cancels nothing. A stream ends with `[DONE]`.")
        .reads(Body::Json(body))
        .responds(Responds::JsonOrEvents(200, schema_of::<Completion>(), schema_of::<Streamed>()))
        .stream(),
    ]
}

impl CreateChat {
    fn checked(self) -> Result<Asked, Problem> {
        let mut problems = Problems::default();
        let input = Reader::chat(&self.messages, &mut problems);
        let listed = self.tools.as_deref().unwrap_or_default();
        let tools = tools::read(listed, Some(&self.tool_choice), Form::Nested, &mut problems);
        if self.n.is_some_and(|it| it != 1) {
            problems.add("/n", "a run has one answer; expected 1");
        }
        if self.logprobs == Some(true) {
            problems.add("/logprobs", "log probabilities do not exist here");
        }
        let is_empty = |value: &Value| match value {
            Value::Null => true,
            Value::Array(list) => list.is_empty(),
            Value::String(text) => text.is_empty(),
            _ => false,
        };
        for (value, place, detail) in [
            (&self.stop, "/stop", "a run has several turns, of which none may be cut"),
            (&self.functions, "/functions", "expected `tools`, whose predecessor this is"),
            (&self.audio, "/audio", "a run does not speak"),
            (
                &self.web_search_options,
                "/web_search_options",
                "name addresses in the text, or offer a function that searches",
            ),
        ] {
            if !is_empty(value) {
                problems.add(place, detail);
            }
        }
        let form = (Form::Nested, "/response_format");
        let form = format::read(&self.response_format, form, &mut problems);
        check_metadata(self.metadata.as_ref(), &mut problems);
        if input.instruction.is_empty() && input.outputs.is_empty() {
            problems.add("/messages", "expected a message of the user, or of a tool, at the end");
        }
        problems.result()?;
        Ok(Asked { input, tools, form, body: self })
    }
}

impl Asked {
    fn run(&self, model: String) -> CreateRun {
        let results = self.input.outputs_as_text();
        let parts = [results.as_str(), self.input.instruction.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
        let mut metadata = self.body.metadata.clone().unwrap_or_default();
        if metadata.len() < 16 {
            metadata.entry("interface".to_owned()).or_insert_with(|| "chat.completions".to_owned());
        }
        CreateRun {
            instruction: parts.join("\n\n"),
            documents: self.input.documents.clone(),
            model: Some(model),
            // Nobody could answer a question.
            options: RunOptions { approvals: Some("refuse".to_owned()), ..RunOptions::default() },
            metadata,
            instructions: (!self.input.system.is_empty()).then(|| self.input.system.join("\n\n")),
            functions: self.tools.functions.clone(),
            no_tools: self.tools.no_tools,
            history: self.input.history.clone(),
            demand: self.demand(),
            ..CreateRun::default()
        }
    }

    /// Returns what the client demands of the answer.
    fn demand(&self) -> AnswerDemand {
        AnswerDemand { call: self.tools.call.clone(), output: self.form.clone() }
    }
}

struct Head {
    tenant: String,
    base: std::sync::Arc<str>,
    key: Option<String>,
    idempotency: Option<String>,
}

impl Head {
    fn of(request: &Request) -> Head {
        Head {
            tenant: request.tenant(),
            base: request.base(),
            key: request.header(MODEL_KEY).map(str::to_owned),
            idempotency: request.header("idempotency-key").map(str::to_owned),
        }
    }
}

async fn create(service: Service, head: Head, asked: Asked) -> Answered {
    record::sweep(&service, &head.tenant).await?;
    let (chat, after) = begin(&service, &head, &asked).await?;
    let followed = Followed {
        service,
        tenant: head.tenant,
        run: chat.run.clone(),
        after,
        base: head.base,
        container: None,
    };
    let is_stream = asked.body.stream == Some(true);
    let unstored = (asked.body.store == Some(false)).then(|| followed.clone());
    let mut follower = Follower::new(followed, ChatTranslator::new(chat));
    if is_stream {
        return Ok(stream_of(follower, unstored));
    }
    follower.follow_to_end().await;
    forget(unstored.as_ref(), &follower.translator).await;
    Ok(json(200, &follower.translator.completion()?))
}

/// Begins a run, or continues the one that waits for the results. Returns the event before the first one of the answer.
async fn begin(service: &Service, head: &Head, asked: &Asked) -> Result<(ChatHead, u64), Problem> {
    let tenant = head.tenant.as_str();
    let policy = service.policy(tenant);
    let includes_usage =
        asked.body.stream_options.as_ref().is_some_and(|it| it.include_usage == Some(true));
    let model = chosen(service, tenant, asked.body.model.as_deref())?;
    if let Some(state) = waiting_run(service, tenant, &asked.input.outputs).await?
        && state.model == model
    {
        let after = service.runs().last_event(tenant, &state.id).await?;
        let results = hand_in(&state, &asked.input)?;
        let begin = results.begin();
        let text = &asked.input.instruction;
        // The documents of the conversation are those that the run has.
        let message =
            (!text.is_empty()).then(|| Message { instruction: text.clone(), ..Message::default() });
        let to = (tenant, &policy);
        let demanded = (results, message, asked.demand());
        go_on(service, to, &state.id, demanded, head.key.clone()).await?;
        let chat = ChatHead {
            id: completion_id(&state.id, after),
            run: state.id,
            model,
            created_ms: service.now_ms(),
            begin,
            usage: state.usage,
            includes_usage,
            has_form: asked.form.is_some(),
        };
        return Ok((chat, after));
    }
    let mut run = asked.run(model);
    if run.instruction.is_empty() {
        return Err(at("/messages", "invalid_body", "expected a message of the user"));
    }
    let once = match head.idempotency.as_deref() {
        // Delivered files have other identifiers as documents in each attempt.
        Some(key) => Some(Runs::once(key, &run)?),
        None => None,
    };
    run.documents = documents::resolve(service, tenant, run.documents).await?;
    let (documents, key) = (run.documents.clone(), head.key.clone());
    let created = service.runs().create_once(tenant, &policy, run, key, once).await;
    documents::discard(service, tenant, &documents).await;
    let (state, _) = created?;
    if asked.body.store == Some(false) {
        record::mark_unstored(service, tenant, &state.id).await?;
    }
    let chat = ChatHead {
        id: completion_id(&state.id, 0),
        run: state.id,
        model: state.model,
        created_ms: state.created_ms,
        begin: Begin::Created,
        includes_usage,
        has_form: asked.form.is_some(),
        ..ChatHead::default()
    };
    Ok((chat, 0))
}

fn completion_id(run: &str, after: u64) -> String {
    format!("chatcmpl-{}-{after}", run.strip_prefix("run_").unwrap_or(run))
}

fn stream_of(follower: Follower<ChatTranslator>, unstored: Option<Followed>) -> HttpResponse {
    let chunks = stream::unfold(Some((follower, unstored)), |following| async {
        let (mut follower, unstored) = following?;
        match follower.next().await {
            Some(chunk) => Some((SseEvent::data(chunk.to_string()), Some((follower, unstored)))),
            None => {
                forget(unstored.as_ref(), &follower.translator).await;
                Some((SseEvent::data("[DONE]"), None))
            }
        }
    });
    event_stream(chunks)
}

async fn forget(unstored: Option<&Followed>, translator: &ChatTranslator) {
    if let Some(followed) = unstored
        && !translator.needs_run()
    {
        record::forget(&followed.service, &followed.tenant, &followed.run).await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(body: Value) -> Result<Asked, Problem> {
        serde_json::from_value::<CreateChat>(body).unwrap().checked()
    }

    fn hello() -> Value {
        json!({"model": "m", "messages": [{"role": "user", "content": "hello"}]})
    }

    #[test]
    fn a_conversation_becomes_a_run() {
        let asked = checked(json!({
            "temperature": 0.2, "max_tokens": 100, "seed": 1, "user": "u", "metadata": {"a": "b"},
            "messages": [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
                {"role": "user", "content": "c"},
            ],
            "tools": [{"type": "function", "function": {"name": "f"}}],
        }))
        .unwrap();
        let run = asked.run("m".into());
        assert_eq!(
            (run.instruction.as_str(), run.instructions.as_deref()),
            ("c", Some("be brief"))
        );
        assert_eq!(run.history.len(), 2);
        assert_eq!(run.functions[0].name, "f");
        assert_eq!(run.metadata["interface"], "chat.completions");
        assert_eq!(run.options.approvals.as_deref(), Some("refuse"));
    }

    #[test]
    fn what_is_not_supported_is_refused() {
        checked(hello()).unwrap();
        for (key, value, place) in [
            ("n", json!(2), "/n"),
            ("stop", json!(["."]), "/stop"),
            ("stop", json!("."), "/stop"),
            ("logprobs", json!(true), "/logprobs"),
            ("functions", json!([{"name": "f"}]), "/functions"),
            ("audio", json!({"voice": "x"}), "/audio"),
            ("web_search_options", json!({}), "/web_search_options"),
            ("response_format", json!({"type": "grammar"}), "/response_format/type"),
            (
                "response_format",
                json!({"type": "json_schema"}),
                "/response_format/json_schema/name",
            ),
            ("tools", json!([{"type": "custom"}]), "/tools/0/type"),
            ("tool_choice", json!("any"), "/tool_choice"),
            ("messages", json!([{"role": "assistant", "content": "x"}]), "/messages"),
        ] {
            let mut body = hello();
            body[key] = value;
            assert_eq!(checked(body).unwrap_err().errors[0].pointer, place);
        }
        for (key, value) in [
            ("n", json!(1)),
            ("stop", Value::Null),
            ("stop", json!([])),
            ("response_format", json!({"type": "text"})),
            ("logprobs", json!(false)),
        ] {
            let mut body = hello();
            body[key] = value;
            checked(body).unwrap();
        }
    }

    #[test]
    fn identifiers_differ_within_a_run() {
        assert_eq!(completion_id("run_a", 0), "chatcmpl-a-0");
        assert_ne!(completion_id("run_a", 0), completion_id("run_a", 9));
    }

    #[test]
    fn the_schema_of_a_request_accepts_its_own_defaults() {
        let generator = schemars::SchemaGenerator::default();
        let schema = generator.into_root_schema_for::<CreateChat>().to_value();
        let messages = &schema["properties"]["messages"];
        assert_eq!((&messages["minItems"], messages.get("default")), (&json!(1), None));
    }
}
