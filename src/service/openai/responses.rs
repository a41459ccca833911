//! `/v1/responses`.
//!
//! A response is one instruction of a run. `previous_response_id` continues the run. If the response has been continued before, a
//! new run goes on from it, with what the run had then. A closed connection cancels nothing, in the background or not; the response is found
//! under its identifier, and `POST /v1/responses/{response}/cancel` cancels it.

use std::sync::Arc;

use futures_util::stream;
use hyper::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::begin::{self, Begun};
use super::continued::{self, Continued, HandedIn};
use super::documents;
use super::error::at;
use super::follow::{Followed, Follower};
use super::format;
use super::record::{self, Details, ResponseRecord};
use super::request::{Asked, CreateResponse};
use super::translate::Translator;
use crate::http::{
    Answered, Body, HttpResponse, MODEL_KEY, Request, Responds, SseEvent, event_stream, schema_of,
};
use crate::problem::Problem;
use crate::run::{Message, RunState};
use crate::service::{Endpoint, Service};

/// A response.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiResponse")]
struct ResponseObject {
    /// Identifier, `resp_…`.
    id: String,
    /// Always `response`.
    object: String,
    /// Time of creation in seconds after 1970.
    created_at: u64,
    /// Time of completion in seconds after 1970.
    completed_at: Option<u64>,
    /// `queued`, `in_progress`, `completed`, `failed`, `incomplete` or `cancelled`.
    status: String,
    /// Name of the model.
    model: String,
    /// The response before.
    previous_response_id: Option<String>,
    /// Items: `message`, `reasoning`, `function_call` for functions of the caller, `code_interpreter_call` for scripts in a
    /// container, `mcp_call` for Mitt's other tools, and `mcp_approval_request` for a question.
    output: Vec<Value>,
    /// Why it failed.
    error: Option<Value>,
    /// Why it is incomplete.
    incomplete_details: Option<Value>,
    /// What the models used.
    usage: Option<Value>,
    /// What the request said.
    #[serde(flatten)]
    echo: Map<String, Value>,
}

/// An event of a response.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiResponseEvent")]
struct ResponseEvent {
    /// Type, such as `response.output_text.delta`.
    #[serde(rename = "type")]
    kind: String,
    /// Number of the event in the response, from 0.
    sequence_number: u64,
    /// The rest, by type.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Items of a request.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiInputItems")]
struct ItemList {
    /// Always `list`.
    object: &'static str,
    /// The items.
    data: Vec<Value>,
    /// Identifier of the first item; empty if there is none.
    first_id: String,
    /// Identifier of the last item; empty if there is none.
    last_id: String,
    /// `true` if there are further items.
    has_more: bool,
}

/// What was deleted.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenAiDeletedResponse")]
struct DeletedResponse {
    /// Identifier.
    id: String,
    /// Always `response`.
    object: &'static str,
    /// Always `true`.
    deleted: bool,
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let schema = schema_of::<CreateResponse>();
    let (body, response, event) =
        (schema.clone(), schema_of::<ResponseObject>(), schema_of::<ResponseEvent>());
    vec![
        Endpoint::new(
            "openai",
            Method::POST,
            "/v1/responses",
            "openai_create_response",
            "Follows an instruction, with documents and tools",
            move |service, request| {
                let schema = schema.clone();
                async move {
                    let head = Head::of(&request);
                    let asked = request.json::<CreateResponse>(&schema).await?.value.checked()?;
                    create(service, head, asked).await
                }
            },
        )
        .describe(
            "A response is one instruction of a run; `previous_response_id` continues the run. A closed connection \
             cancels nothing. A stream ends with `[DONE]`.",
        )
        .reads(Body::Json(body))
        .responds(Responds::JsonOrEvents(200, response.clone(), event.clone()))
        .stream(),
        Endpoint::new(
            "openai",
            Method::GET,
            "/v1/responses/{response}",
            "openai_get_response",
            "Returns a response as it is now, or its events",
            get,
        )
        .query(&[
            ("stream", "`true` to send events, those that happened and those that happen."),
            ("starting_after", "With `stream`: number of the last event that the client has seen."),
        ])
        .responds(Responds::JsonOrEvents(200, response.clone(), event))
        .stream(),
        Endpoint::new(
            "openai",
            Method::DELETE,
            "/v1/responses/{response}",
            "openai_delete_response",
            "Deletes a response; with the last one of a run, the run and its files",
            delete,
        )
        .responds(Responds::Json(200, schema_of::<DeletedResponse>())),
        Endpoint::new(
            "openai",
            Method::POST,
            "/v1/responses/{response}/cancel",
            "openai_cancel_response",
            "Cancels a response that is in progress; another one stays as it is",
            cancel,
        )
        .responds(Responds::Json(200, response)),
        Endpoint::new(
            "openai",
            Method::GET,
            "/v1/responses/{response}/input_items",
            "openai_list_input_items",
            "Lists the items of the request, without contents of files",
            input_items,
        )
        .query(&[
            ("limit", "Most items, from 1 to 100. Default: 20."),
            ("order", "`asc` or `desc` (default)."),
            ("after", "Identifier of the last item of the page before."),
        ])
        .responds(Responds::Json(200, schema_of::<ItemList>())),
    ]
}

/// What is known of a request before its body is read.
struct Head {
    tenant: String,
    base: Arc<str>,
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
    let named = asked.body.previous_response_id.as_deref();
    let (record, echo) = match continued::find(&service, &head.tenant, named, &asked.input).await? {
        Some(continued) => continue_run(&service, &head, &asked, continued).await?,
        None => begin_run(&service, &head, &asked).await?,
    };
    let stored = asked.body.store != Some(false);
    let followed = followed(&service, &head.tenant, &head.base, &record);
    let translator = Translator::new(record, echo);
    if asked.body.stream == Some(true) {
        let follower = Follower::new(followed.clone(), translator);
        return Ok(stream_of(follower, (!stored).then_some(followed), None));
    }
    if asked.body.background == Some(true) {
        return Ok(crate::http::json(200, &translator.response()));
    }
    let mut follower = Follower::new(followed.clone(), translator);
    follower.follow_to_end().await;
    let response = follower.translator.response();
    if !stored {
        forget(&followed, &response).await;
    }
    Ok(crate::http::json(200, &response))
}

/// Begins a run, whose first response this is.
async fn begin_run(
    service: &Service,
    head: &Head,
    asked: &Asked,
) -> Result<(ResponseRecord, Map<String, Value>), Problem> {
    if !asked.input.approvals.is_empty() && asked.input.instruction.is_empty() {
        let detail = "expected `previous_response_id` with the answer to a question";
        return Err(at("/previous_response_id", "missing_required_parameter", detail));
    }
    let tenant = head.tenant.as_str();
    let (key, idempotency) = (head.key.clone(), head.idempotency.as_deref());
    let Begun { state, container, is_new } =
        begin::run(service, tenant, asked, key, idempotency).await?;
    let record = ResponseRecord {
        run: state.id,
        number: 1,
        created_ms: state.created_ms,
        model: state.model,
        background: asked.body.background == Some(true),
        container,
        ..ResponseRecord::default()
    };
    if !is_new && let Ok(known) = record::find(service, tenant, &record.id().to_string()).await {
        let echo = record::details(service, tenant, &known).await?.echo;
        return Ok((known, echo));
    }
    if asked.body.store == Some(false) {
        record::mark_unstored(service, tenant, &record.run).await?;
    }
    let echo = asked.echo();
    let details = Details { echo: echo.clone(), items: items(&record, asked) };
    Ok((record::enter(service, tenant, record, &details).await?, echo))
}

/// Continues a run.
async fn continue_run(
    service: &Service,
    head: &Head,
    asked: &Asked,
    continued: Continued,
) -> Result<(ResponseRecord, Map<String, Value>), Problem> {
    let tenant = head.tenant.as_str();
    let Continued { mut state, number, previous, knows_history, fork } = continued;
    check_can_continue(service, head, asked, (&state, previous.as_ref(), fork.is_some())).await?;
    let before = match &previous {
        Some(previous) => Some(record::details(service, tenant, previous).await?.echo),
        None => None,
    };
    let handed_in = continued::hand_in(&state, &asked.input)?;
    let echo = continued_echo(asked, before.as_ref(), &handed_in)?;
    let first = before.as_ref().and_then(|it| it.get("instructions")).and_then(Value::as_str);
    let instruction = asked.message(first, knows_history);
    if instruction.is_none() && handed_in == HandedIn::Nothing {
        let detail = "expected a message of the user";
        return Err(at("/input", "missing_required_parameter", detail));
    }
    let container = match &previous {
        Some(previous) => previous.container.clone(),
        None => state.request.as_ref().and_then(|it| it.container.clone()),
    };
    let is_message = instruction.is_some();
    let begun = (&state, container, is_message);
    let (container, files) = documents::container_and_files(service, tenant, asked, begun).await?;
    let policy = service.policy(tenant);
    if let Some(point) = fork {
        let (of, key) = ((state.id.as_str(), point), head.key.clone());
        state = service.runs().fork(tenant, &policy, of, key).await?;
    }
    let message = instruction.map(|instruction| Message {
        instruction,
        documents: files.clone(),
        container: container.clone(),
        ..Message::default()
    });
    let end = service.runs().end_of(tenant, &state.id).await?;
    let record = ResponseRecord {
        run: state.id.clone(),
        number,
        after: end.events,
        log: end.log,
        usage: state.usage,
        begin: handed_in.begin(),
        created_ms: service.now_ms(),
        model: state.model.clone(),
        previous: previous.map(|it| it.id().to_string()),
        background: asked.body.background == Some(true),
        container,
        ..ResponseRecord::default()
    };
    let details = Details { echo: echo.clone(), items: items(&record, asked) };
    let record = record::enter(service, tenant, record, &details).await?;
    if fork.is_some() && asked.body.store == Some(false) {
        record::mark_unstored(service, tenant, &record.run).await?;
    }
    let gone_on = continued::go_on(
        service,
        (tenant, &policy),
        &record.run,
        (handed_in, message, asked.demand()),
        head.key.clone(),
    )
    .await;
    documents::discard(service, tenant, &files).await;
    if let Err(problem) = gone_on {
        match fork {
            Some(_) => record::forget(service, tenant, &record.run).await,
            None => record::withdraw(service, tenant, &record).await,
        }
        return Err(problem);
    }
    Ok((record, echo))
}

/// Checks that a response can be continued as the request wants it.
async fn check_can_continue(
    service: &Service,
    head: &Head,
    asked: &Asked,
    (state, previous, is_forked): (&RunState, Option<&ResponseRecord>, bool),
) -> Result<(), Problem> {
    if asked.body.model.as_ref().is_some_and(|it| *it != state.model) {
        let detail = format!("a run keeps its model, which is `{}`", state.model);
        return Err(at("/model", "model_changed", detail));
    }
    if let Some(previous) = previous.filter(|_| !is_forked)
        && state.question.is_none()
        && is_in_progress(service, head, previous).await?
    {
        let detail = "the response is still in progress";
        return Err(at("/previous_response_id", "response_in_progress", detail)
            .hint("wait until it has ended, or cancel it"));
    }
    Ok(())
}

/// Returns what a response that continues a run repeats of its request, and of the one before.
///
/// # Errors
///
/// The request demands what the run cannot change.
fn continued_echo(
    asked: &Asked,
    before: Option<&Map<String, Value>>,
    handed_in: &HandedIn,
) -> Result<Map<String, Value>, Problem> {
    let mut echo = asked.echo();
    continued::check_demand(handed_in, &asked.demand(), (before, &echo))?;
    let Some(before) = before else { return Ok(echo) };
    if asked.has_tools {
        continued::check_unchanged(before, &echo)?;
    } else {
        let choice = continued::lasting_choice(before.get("tool_choice"));
        echo.insert("tools".to_owned(), before.get("tools").cloned().unwrap_or_default());
        echo.insert("tool_choice".to_owned(), choice);
    }
    // The instruction that asked the question goes on in its form.
    if matches!(handed_in, HandedIn::Answer(_)) && format::is_demanded(before) {
        echo.insert("text".to_owned(), before.get("text").cloned().unwrap_or_default());
    }
    Ok(echo)
}

async fn is_in_progress(
    service: &Service,
    head: &Head,
    record: &ResponseRecord,
) -> Result<bool, Problem> {
    let response = now(service, &head.tenant, &head.base, record).await?;
    Ok(matches!(response["status"].as_str(), Some("queued" | "in_progress")))
}

/// Returns the items of a request with identifiers.
fn items(record: &ResponseRecord, asked: &Asked) -> Vec<Value> {
    let id = record.id();
    let with_id = |(index, item): (usize, &Value)| {
        let mut item = item.clone();
        let prefix = match item["type"].as_str() {
            Some("message") => "msgin",
            Some("function_call") => "fcin",
            Some("function_call_output") => "fcoin",
            _ => "itemin",
        };
        item["id"] = json!(id.item(prefix, index));
        if item["type"] != "mcp_approval_response" {
            item["status"] = json!("completed");
        }
        item
    };
    asked.input.items.iter().enumerate().map(with_id).collect()
}

fn followed(service: &Service, tenant: &str, base: &Arc<str>, record: &ResponseRecord) -> Followed {
    Followed {
        service: service.clone(),
        tenant: tenant.to_owned(),
        run: record.run.clone(),
        after: record.after,
        base: base.clone(),
        container: record.container.clone(),
    }
}

/// Returns a response as it is now.
async fn now(
    service: &Service,
    tenant: &str,
    base: &Arc<str>,
    record: &ResponseRecord,
) -> Result<Value, Problem> {
    let echo = record::details(service, tenant, record).await?.echo;
    let translator = Translator::new(record.clone(), echo);
    let mut follower = Follower::new(followed(service, tenant, base, record), translator);
    follower.so_far().await?;
    Ok(follower.translator.response())
}

/// Returns events as a stream. `unstored` names the run that is deleted afterwards, `seen` the last event that the client
/// has.
fn stream_of(
    follower: Follower<Translator>,
    unstored: Option<Followed>,
    seen: Option<u64>,
) -> HttpResponse {
    let events = stream::unfold(Some((follower, unstored)), move |following| async move {
        let (mut follower, unstored) = following?;
        loop {
            let Some(event) = follower.next().await else {
                if let Some(followed) = unstored {
                    forget(&followed, &follower.translator.response()).await;
                }
                // Open Responses demands it at the end.
                return Some((SseEvent::data("[DONE]"), None));
            };
            let number = event["sequence_number"].as_u64();
            if seen.is_some() && number <= seen {
                continue;
            }
            let kind = event["type"].as_str().map(str::to_owned);
            let event = SseEvent { id: None, event: kind, data: event.to_string() };
            return Some((event, Some((follower, unstored))));
        }
    });
    event_stream(events)
}

/// Deletes a run that the client does not want stored, unless it has files, whose links are good for a time, or waits for
/// the client. Then it is deleted later.
async fn forget(followed: &Followed, response: &Value) {
    let output = response["output"].as_array();
    let is_needed = output.into_iter().flatten().any(|item| {
        matches!(item["type"].as_str(), Some("function_call" | "mcp_approval_request"))
            || item["content"][0]["annotations"].as_array().is_some_and(|it| !it.is_empty())
    });
    if !is_needed {
        record::forget(&followed.service, &followed.tenant, &followed.run).await;
    }
}

async fn get(service: Service, request: Request) -> Answered {
    let (tenant, base) = (request.tenant(), request.base());
    let record = record::find(&service, &tenant, request.parameter("response")).await?;
    if !request.query_flag("stream") {
        let response = now(&service, &tenant, &base, &record).await?;
        return Ok(crate::http::json(200, &response));
    }
    let seen = request.query_number("starting_after")?;
    let echo = record::details(&service, &tenant, &record).await?.echo;
    let followed = followed(&service, &tenant, &base, &record);
    // A run that is gone is a problem of the request, not an event.
    service.runs().get(&tenant, &record.run).await?;
    Ok(stream_of(Follower::new(followed, Translator::new(record, echo)), None, seen))
}

async fn delete(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let id = request.parameter("response").to_owned();
    let record = record::find(&service, &tenant, &id).await?;
    record::delete(&service, &tenant, record).await?;
    Ok(crate::http::json(200, &DeletedResponse { id, object: "response", deleted: true }))
}

async fn cancel(service: Service, request: Request) -> Answered {
    let (tenant, base) = (request.tenant(), request.base());
    let record = record::find(&service, &tenant, request.parameter("response")).await?;
    let mut response = now(&service, &tenant, &base, &record).await?;
    if matches!(response["status"].as_str(), Some("queued" | "in_progress")) {
        service.runs().cancel(&tenant, &record.run).await?;
        response = now(&service, &tenant, &base, &record).await?;
        // The run ends at its next step; the client has its word already.
        if matches!(response["status"].as_str(), Some("queued" | "in_progress")) {
            response["status"] = json!("cancelled");
        }
    }
    Ok(crate::http::json(200, &response))
}

async fn input_items(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let record = record::find(&service, &tenant, request.parameter("response")).await?;
    let limit = request.query_number("limit")?.unwrap_or(20);
    if !(1..=100).contains(&limit) {
        let detail = format!("expected a number from 1 to 100, got {limit}");
        return Err(at("/limit", "invalid_query", detail));
    }
    let items = record::details(&service, &tenant, &record).await?.items;
    let is_ascending = request.query("order").as_deref() == Some("asc");
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(crate::http::json(200, &page(items, is_ascending, request.query("after").as_deref(), limit)))
}

fn page(mut items: Vec<Value>, is_ascending: bool, after: Option<&str>, limit: usize) -> ItemList {
    if !is_ascending {
        items.reverse();
    }
    if let Some(after) = after
        && let Some(at) = items.iter().position(|it| it["id"] == after)
    {
        items.drain(..=at);
    }
    let has_more = items.len() > limit;
    items.truncate(limit);
    let id =
        |item: Option<&Value>| item.and_then(|it| it["id"].as_str()).unwrap_or_default().to_owned();
    let (first_id, last_id) = (id(items.first()), id(items.last()));
    ItemList { object: "list", data: items, first_id, last_id, has_more }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_listed_in_pages_in_both_orders() {
        let items: Vec<Value> = (0..3).map(|it| json!({"id": it.to_string()})).collect();
        for (is_ascending, after, limit, expected, has_more) in [
            (true, None, 20, "012", false),
            (false, None, 20, "210", false),
            (false, None, 2, "21", true),
            (false, Some("1"), 2, "0", false),
            (true, Some("0"), 1, "1", true),
            (true, Some("2"), 1, "", false),
        ] {
            let page = page(items.clone(), is_ascending, after, limit);
            let ids: String = page.data.iter().filter_map(|it| it["id"].as_str()).collect();
            assert_eq!((ids.as_str(), page.has_more), (expected, has_more));
            assert_eq!(page.last_id, expected.chars().last().map(String::from).unwrap_or_default());
        }
    }

    #[test]
    fn items_have_identifiers_of_their_response() {
        let record = ResponseRecord { run: "run_a".into(), number: 2, ..ResponseRecord::default() };
        let body: CreateResponse = serde_json::from_value(json!({"input": "x"})).unwrap();
        let items = items(&record, &body.checked().unwrap());
        assert_eq!(items[0]["id"], "msgin_a_2_0");
        assert_eq!(items[0]["status"], "completed");
    }
}
