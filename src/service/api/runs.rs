//! `/v1/runs`: creates, lists, changes and deletes runs.

use hyper::Method;
use hyper::header::{HeaderValue, LOCATION};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events::StreamedEvent;
use super::form::{self, FieldKind, Fields, Received, form_schema};
use super::outcome::{Outcome, ZIP};
use super::viewer::{ShownState, Viewer};
use crate::http::{
    Answered, Body, Content, HttpResponse, MODEL_KEY, Request, Responds, Schema, empty, json,
    schema_of,
};
use crate::problem::Problem;
use crate::run::{Answer, CreateRun, ImportRun, Message, Policy, RunState, RunStatus, ToolOutput};
use crate::service::{Endpoint, Service};
use crate::store::ListRuns;

/// Longest idempotency key, in bytes.
const MOST_KEY_BYTES: usize = 255;
/// Runs of a page, if the client names no number.
const DEFAULT_LIMIT: u64 = 20;
/// Most runs of a page.
const MOST_LIMIT: u64 = 100;
/// Most characters of a text that is searched for.
const MOST_SEARCH_CHARACTERS: usize = 200;

/// Fields of a form that creates a run.
const CREATE_FIELDS: Fields = &[
    ("instruction", FieldKind::Text),
    ("model", FieldKind::Text),
    ("title", FieldKind::Text),
    ("output_schema", FieldKind::Json),
    ("options", FieldKind::Json),
    ("metadata", FieldKind::Json),
    ("documents", FieldKind::Json),
];
/// Fields of a form that is a further instruction.
const MESSAGE_FIELDS: Fields = &[
    ("instruction", FieldKind::Text),
    ("output_schema", FieldKind::Json),
    ("documents", FieldKind::Json),
];

/// Fields of a form that imports a run.
const IMPORT_FIELDS: Fields = &[("model", FieldKind::Text), ("title", FieldKind::Text)];

const STATUSES: [RunStatus; 7] = [
    RunStatus::Queued,
    RunStatus::Running,
    RunStatus::Waiting,
    RunStatus::Completed,
    RunStatus::Failed,
    RunStatus::Cancelled,
    RunStatus::Interrupted,
];

/// What the response of a request that changes a run is.
const OUTCOME: &str = "The response is the run as it is now. With `wait=true` or `Prefer: wait` it comes when the run does \
     nothing more without a request; with `Accept: text/event-stream` it is the stream of the run's events; with `Accept: \
     application/zip` it is a ZIP of the delivered files and the answer, at the end. A closed connection cancels nothing.";
const OUTCOME_QUERY: &[(&str, &str)] =
    &[("wait", "`true`: the response comes when the run does nothing more without a request.")];

/// A page of runs.
#[derive(JsonSchema, Serialize)]
struct RunPage {
    /// The runs, newest first.
    #[schemars(with = "Vec<RunState>")]
    runs: Vec<ShownState>,
    /// Identifier for `before` of the next page; missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// What is changed of a run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChangeRun {
    /// The new title, one line.
    #[schemars(length(min = 1, max = 200))]
    title: String,
}

/// Results of functions of the caller.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FunctionOutputs {
    /// One result for each call.
    #[schemars(length(min = 1, max = 1_000))]
    outputs: Vec<FunctionOutput>,
}

/// Result of a function of the caller.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FunctionOutput {
    /// Identifier of the call.
    call: String,
    /// Text for the model.
    output: String,
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let mut endpoints = vec![create_endpoint(), list_endpoint(), get_endpoint(), delete_endpoint()];
    endpoints.push(rename_endpoint());
    endpoints.extend([message_endpoint(), withdraw_endpoint()]);
    endpoints.extend([answer_endpoint(), functions_endpoint()]);
    endpoints.extend([cancel_endpoint(), continue_endpoint(), import_endpoint()]);
    endpoints
}

fn create_endpoint() -> Endpoint {
    let schema = schema_of::<CreateRun>();
    let form = form_schema("CreateRunForm", &schema, CREATE_FIELDS);
    let body = Body::JsonOrForm(schema.clone(), form);
    let handler = move |service, request| create(service, request, schema.clone());
    Endpoint::new("runs", Method::POST, "/v1/runs", "create_run", "Creates a run.", handler)
        .describe(&format!(
            "{OUTCOME} With the header `Idempotency-Key`, a request that is sent again returns the first run with status \
             200. The header `X-Model-Key` holds the caller's own key of the model's service, where the operator allows it."
        ))
        .query(OUTCOME_QUERY)
        .reads(body)
        .responds(outcome(201))
        .also(&[200])
        .further(200, Content::File(ZIP))
        .stream()
}

fn import_endpoint() -> Endpoint {
    let schema = schema_of::<ImportRun>();
    let form = form_schema("ImportRunForm", &schema, IMPORT_FIELDS);
    let body = Body::JsonOrForm(schema.clone(), form);
    let handler = move |service, request| import(service, request, schema.clone());
    let (path, summary) = ("/v1/runs/import", "Takes over a run of the command line.");
    Endpoint::new("runs", Method::POST, path, "import_run", summary, handler)
        .describe(
            "The body has the run's log and the documents that the log names. The run is `completed` or `interrupted`: a further \
             instruction or `continue` goes on with it, and no call with a result is made again.",
        )
        .reads(body)
        .responds(Responds::Json(201, schema_of::<RunState>()))
}

fn list_endpoint() -> Endpoint {
    let summary = "Lists runs, newest first.";
    Endpoint::new("runs", Method::GET, "/v1/runs", "list_runs", summary, list)
        .query(&[
            ("limit", "Most runs, up to 100. Default: 20."),
            ("before", "Identifier of a run: only older ones are returned."),
            ("status", "Only runs of this status."),
            (
                "search",
                "Only runs whose title, first instruction or last answer contains this text, in any case. A search looks at some \
                 hundred runs: a page may have few runs or none, and the next page goes on.",
            ),
        ])
        .responds(Responds::Json(200, schema_of::<RunPage>()))
}

fn get_endpoint() -> Endpoint {
    let summary = "Returns a run.";
    Endpoint::new("runs", Method::GET, "/v1/runs/{run}", "get_run", summary, get)
        .responds(Responds::Json(200, schema_of::<RunState>()))
}

fn rename_endpoint() -> Endpoint {
    let schema = schema_of::<ChangeRun>();
    let body = Body::Json(schema.clone());
    let handler = move |service, request| rename(service, request, schema.clone());
    let summary = "Changes the title of a run, also while it works.";
    Endpoint::new("runs", Method::PATCH, "/v1/runs/{run}", "change_run", summary, handler)
        .reads(body)
        .responds(Responds::Json(200, schema_of::<RunState>()))
}

fn delete_endpoint() -> Endpoint {
    let summary = "Deletes a run for good, with its log, events and files.";
    Endpoint::new("runs", Method::DELETE, "/v1/runs/{run}", "delete_run", summary, delete)
}

fn message_endpoint() -> Endpoint {
    let schema = schema_of::<Message>();
    let form = form_schema("MessageForm", &schema, MESSAGE_FIELDS);
    let body = Body::JsonOrForm(schema.clone(), form);
    let handler = move |service, request| message(service, request, schema.clone());
    changing("messages", "add_run_message", "Sends a further instruction.", handler)
        .describe(&format!(
            "{OUTCOME} An instruction that the model has not begun is in `waiting` of the run. With the header \
             `Idempotency-Key`, a request that is sent again within a day sends nothing more."
        ))
        .reads(body)
}

fn withdraw_endpoint() -> Endpoint {
    let path = "/v1/runs/{run}/messages/{message}";
    let summary = "Takes a further instruction back that the model has not begun.";
    Endpoint::new("runs", Method::DELETE, path, "withdraw_run_message", summary, withdraw)
        .describe("`message` is its number in `waiting` of the run. Documents that came with it may stay in the run.")
}

fn answer_endpoint() -> Endpoint {
    let schema = schema_of::<Answer>();
    let body = Body::Json(schema.clone());
    let handler = move |service, request| answer(service, request, schema.clone());
    changing("answers", "answer_run", "Answers the question of a run.", handler).reads(body)
}

fn functions_endpoint() -> Endpoint {
    let schema = schema_of::<FunctionOutputs>();
    let body = Body::Json(schema.clone());
    let handler = move |service, request| functions(service, request, schema.clone());
    let summary = "Hands in results of the caller's functions.";
    changing("functions", "add_run_function_outputs", summary, handler).reads(body)
}

fn cancel_endpoint() -> Endpoint {
    let summary = "Cancels what a run does. It can be continued.";
    changing("cancel", "cancel_run", summary, cancel)
}

fn continue_endpoint() -> Endpoint {
    let summary = "Continues a run that was interrupted, cancelled or failed.";
    changing("continue", "continue_run", summary, resume)
}

/// Returns an endpoint that changes a run and returns it.
fn changing<F>(
    action: &str,
    operation: &str,
    summary: &str,
    handler: impl Fn(Service, Request) -> F + Send + Sync + 'static,
) -> Endpoint
where
    F: Future<Output = Answered> + Send + 'static,
{
    let path = format!("/v1/runs/{{run}}/{action}");
    Endpoint::new("runs", Method::POST, &path, operation, summary, handler)
        .describe(OUTCOME)
        .query(OUTCOME_QUERY)
        .responds(outcome(200))
        .further(200, Content::File(ZIP))
        .stream()
}

fn outcome(status: u16) -> Responds {
    Responds::JsonOrEvents(status, schema_of::<RunState>(), schema_of::<StreamedEvent>())
}

async fn create(service: Service, request: Request, schema: Schema) -> Answered {
    let viewer = Viewer::of(&service, &request);
    let policy = service.policy(&viewer.tenant);
    let model_key = model_key(&request, &policy)?;
    let idempotency = idempotency_key(&request)?;
    let outcome = Outcome::of(&request);
    let (new, received): (CreateRun, Received) = if request.has_form() {
        form::read(&viewer, request, CREATE_FIELDS, &schema, idempotency.as_deref()).await?
    } else {
        (request.json(&schema).await?.value, Received::default())
    };
    let created = service
        .runs()
        .create(&viewer.tenant, &policy, new, model_key, idempotency.as_deref())
        .await;
    match created {
        Ok((state, is_new)) => {
            outcome.respond(&viewer, state, 0, if is_new { 201 } else { 200 }).await
        }
        Err(problem) => {
            received.discard(&viewer).await;
            Err(problem)
        }
    }
}

async fn import(service: Service, request: Request, schema: Schema) -> Answered {
    let viewer = Viewer::of(&service, &request);
    let policy = service.policy(&viewer.tenant);
    let (new, received): (ImportRun, Received) = if request.has_form() {
        form::read(&viewer, request, IMPORT_FIELDS, &schema, None).await?
    } else {
        (request.json(&schema).await?.value, Received::default())
    };
    let imported = service.runs().import(&viewer.tenant, &policy, new).await;
    // The run keeps the contents itself.
    received.discard(&viewer).await;
    Ok(created(&viewer, imported?))
}

/// Returns the response about a run that was created.
pub(super) fn created(viewer: &Viewer, state: RunState) -> HttpResponse {
    let address = viewer.run_address(&state.id);
    let mut answer = json(201, &viewer.state(state));
    if let Ok(address) = HeaderValue::from_str(&address) {
        answer.headers_mut().insert(LOCATION, address);
    }
    answer
}

async fn list(service: Service, request: Request) -> Answered {
    let viewer = Viewer::of(&service, &request);
    let limit = match request.query_number("limit")?.unwrap_or(DEFAULT_LIMIT) {
        limit @ 1..=MOST_LIMIT => usize::try_from(limit).unwrap_or(usize::MAX),
        other => {
            let detail = format!("`limit`: expected 1 to {MOST_LIMIT}, got {other}");
            return Err(Problem::bad("invalid_query", detail));
        }
    };
    let status = request.query("status");
    if let Some(status) = &status
        && !STATUSES.iter().any(|it| it.name() == status)
    {
        let names: Vec<&str> = STATUSES.iter().map(|it| it.name()).collect();
        let got = mitt_base::text::one_line(mitt_base::text::cut_bytes(status, 100));
        let detail = format!("`status`: expected one of {}, got `{got}`", names.join(", "));
        return Err(Problem::bad("invalid_query", detail));
    }
    let before = request.query("before");
    if let Some(before) = &before {
        service.runs().get(&viewer.tenant, before).await?;
    }
    let search = request.query("search").unwrap_or_default();
    let search = search.trim();
    if search.chars().count() > MOST_SEARCH_CHARACTERS {
        let detail = format!("`search`: expected at most {MOST_SEARCH_CHARACTERS} characters");
        return Err(Problem::bad("invalid_query", detail));
    }
    if !search.is_empty() {
        let wanted = ListRuns { limit, before, status };
        let (runs, next) = service.runs().search(&viewer.tenant, &wanted, search).await?;
        let runs = runs.into_iter().map(|it| viewer.state(it)).collect();
        return Ok(json(200, &RunPage { runs, next }));
    }
    // One more shows whether there is a next page.
    let wanted = ListRuns { limit: limit + 1, before, status };
    let mut runs = service.runs().list(&viewer.tenant, &wanted).await?;
    let has_more = runs.len() > limit;
    runs.truncate(limit);
    let next = runs.last().filter(|_| has_more).map(|it| it.id.clone());
    let runs = runs.into_iter().map(|it| viewer.state(it)).collect();
    Ok(json(200, &RunPage { runs, next }))
}

async fn get(service: Service, request: Request) -> Answered {
    let viewer = Viewer::of(&service, &request);
    let state = service.runs().get(&viewer.tenant, request.parameter("run")).await?;
    Ok(json(200, &viewer.state(state)))
}

async fn rename(service: Service, request: Request, schema: Schema) -> Answered {
    let viewer = Viewer::of(&service, &request);
    let run = request.parameter("run").to_owned();
    let ChangeRun { title } = request.json(&schema).await?.value;
    let state = service.runs().rename(&viewer.tenant, &run, title.trim()).await?;
    Ok(json(200, &viewer.state(state)))
}

async fn delete(service: Service, request: Request) -> Answered {
    service.delete_run(&request.tenant(), request.parameter("run")).await?;
    Ok(empty(204))
}

/// A request that changes a run.
struct Change {
    viewer: Viewer,
    run: String,
    outcome: Outcome,
    policy: Policy,
    model_key: Option<String>,
    /// Number of the run's last event before the change.
    after: u64,
}

impl Change {
    async fn of(service: &Service, request: &Request) -> Result<Change, Problem> {
        let viewer = Viewer::of(service, request);
        let run = request.parameter("run").to_owned();
        let policy = service.policy(&viewer.tenant);
        let model_key = model_key(request, &policy)?;
        let after = service.runs().last_event(&viewer.tenant, &run).await?;
        Ok(Change { outcome: Outcome::of(request), viewer, run, policy, model_key, after })
    }

    async fn respond(&self, state: RunState) -> Answered {
        self.outcome.respond(&self.viewer, state, self.after, 200).await
    }
}

async fn message(service: Service, request: Request, schema: Schema) -> Answered {
    let change = Change::of(&service, &request).await?;
    let Change { viewer, run, policy, model_key, .. } = &change;
    let idempotency = idempotency_key(&request)?;
    let (message, received): (Message, Received) = if request.has_form() {
        form::read(viewer, request, MESSAGE_FIELDS, &schema, idempotency.as_deref()).await?
    } else {
        (request.json(&schema).await?.value, Received::default())
    };
    let (runs, key) = (service.runs(), model_key.clone());
    let said = runs.say_once(&viewer.tenant, policy, run, message, key, idempotency.as_deref());
    match said.await {
        Ok(state) => change.respond(state).await,
        Err(problem) => {
            received.discard(viewer).await;
            Err(problem)
        }
    }
}

async fn withdraw(service: Service, request: Request) -> Answered {
    let (run, message) = (request.parameter("run"), request.parameter("message"));
    let number: Option<u64> = message.parse().ok();
    let number = number.ok_or_else(|| Problem::not_found("instruction that waits", message))?;
    service.runs().withdraw(&request.tenant(), run, number).await?;
    Ok(empty(204))
}

async fn answer(service: Service, request: Request, schema: Schema) -> Answered {
    let change = Change::of(&service, &request).await?;
    let answer: Answer = request.json(&schema).await?.value;
    let state = service.runs().answer(&change.viewer.tenant, &change.run, answer).await?;
    change.respond(state).await
}

async fn functions(service: Service, request: Request, schema: Schema) -> Answered {
    let change = Change::of(&service, &request).await?;
    let body: FunctionOutputs = request.json(&schema).await?.value;
    let output = |it: FunctionOutput| ToolOutput { call: it.call, output: it.output };
    let outputs = body.outputs.into_iter().map(output).collect();
    let (tenant, run, key) = (&change.viewer.tenant, &change.run, change.model_key.clone());
    let state = service.runs().provide(tenant, run, outputs, key).await?;
    change.respond(state).await
}

async fn cancel(service: Service, request: Request) -> Answered {
    let change = Change::of(&service, &request).await?;
    let state = service.runs().cancel(&change.viewer.tenant, &change.run).await?;
    change.respond(state).await
}

async fn resume(service: Service, request: Request) -> Answered {
    let change = Change::of(&service, &request).await?;
    let (tenant, run, key) = (&change.viewer.tenant, &change.run, change.model_key.clone());
    let state = service.runs().resume(tenant, &change.policy, run, key).await?;
    change.respond(state).await
}

/// Returns the caller's own key of the model's service.
fn model_key(request: &Request, policy: &Policy) -> Result<Option<String>, Problem> {
    let Some(key) = request.headers().get(MODEL_KEY) else { return Ok(None) };
    if !policy.may_bring_key {
        let detail = "this tenant may not bring its own key of a model's service";
        let hint = "leave `X-Model-Key` out; the service uses the operator's key";
        return Err(Problem::new(403, "key_not_allowed", detail).hint(hint));
    }
    match key.to_str() {
        Ok(key) if !key.is_empty() => Ok(Some(key.to_owned())),
        _ => Err(Problem::bad("invalid_header", "`X-Model-Key`: expected visible ASCII")),
    }
}

fn idempotency_key(request: &Request) -> Result<Option<String>, Problem> {
    let Some(key) = request.headers().get("idempotency-key") else { return Ok(None) };
    match key.to_str() {
        Ok(key) if (1..=MOST_KEY_BYTES).contains(&key.len()) => Ok(Some(key.to_owned())),
        _ => {
            let detail = format!(
                "`Idempotency-Key`: expected 1 to {MOST_KEY_BYTES} visible ASCII characters"
            );
            Err(Problem::bad("invalid_header", detail))
        }
    }
}
