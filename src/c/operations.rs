//! What the functions of `mitt.h` do, as safe functions: options are JSON, objects are values, and work is a future for
//! [`HostObject::run`] or [`HostObject::start`].
//!
//! The functions of `api/` and the bindings for Python and Node are made of these. Knows no pointers and no handles.

use std::sync::Arc;
use std::time::Duration;

use arrow_array::RecordBatch;
use mitt::{
    CallOptions, CallReport, Decision, DocumentOptions, Error, Event, EventSink, Result, Session,
    SessionOptions, TableResults,
};
use serde_json::{Value, json};

use crate::agent_options::Instruction;
use crate::answer::Answer;
use crate::cancel::CancelObject;
use crate::fields::Fields;
use crate::host_tool::AnsweredTool;
use crate::problem::Problem;
use crate::render::Made;
use crate::runtime::HostObject;
use crate::table::TakenStream;
use crate::{event_json, host_options, problem, render, reports};

/// Makes a host with threads of its own. `options` are those of `mitt_host_new`.
///
/// # Errors
///
/// Those of `mitt_host_new`.
pub fn new_host(options: &str) -> Result<HostObject, Problem> {
    let options = host_options::host(Fields::of_text("options", options)?)?;
    Ok(HostObject::new(options.builder.build()?, options.threads)?)
}

/// Returns a tool that `answer` answers. `definition` is that of `mitt_host_add_tool`.
///
/// # Errors
///
/// Those of `mitt_host_add_tool` about the definition.
pub fn new_tool(definition: &str, answer: Arc<dyn Answer>) -> Result<AnsweredTool, Problem> {
    Ok(AnsweredTool::new(Fields::of_text("definition", definition)?, answer)?)
}

/// Returns options of a session. `options` are those of `mitt_session_new`; `events` receives each step.
///
/// # Errors
///
/// Those of `mitt_session_new` about the options.
pub fn session_options(
    options: &str,
    events: Option<EventSink>,
) -> Result<SessionOptions, Problem> {
    let mut options = host_options::session(Fields::of_text("options", options)?)?;
    options.events = events;
    Ok(options)
}

/// Returns an event as JSON text.
pub fn event_text(event: &Event) -> String {
    event_json::json_of(event).to_string()
}

/// Reads a file into a session, and returns what is known of it, as JSON text. `options` are those of
/// `mitt_session_add_document`.
///
/// # Errors
///
/// Those of `mitt_session_add_document`.
pub fn add_document(
    session: &Session,
    name: &str,
    data: Vec<u8>,
    options: &str,
) -> Result<impl Future<Output = Result<String>> + Send + use<>, Problem> {
    let mut given = Fields::of_text("options", options)?;
    let mut options = DocumentOptions::default();
    options.password = given.text("password")?;
    options.is_path = given.flag("is_path")?;
    options.keeps_unread = given.flag("keeps_unread")?;
    options.without_text = given.flag("without_text")?;
    let has_text = given.flag("text")?;
    given.finish()?;
    let (session, name) = (session.clone(), name.to_owned());
    Ok(async move {
        let document = session.add_document_bytes_with(&name, data, &options).await?;
        let mut json = reports::document_summary(&document);
        if has_text {
            json["text"] = document.text.as_str().into();
            let places = document.places.iter();
            json["places"] =
                places.map(|it| json!({ "offset": it.offset, "label": it.label })).collect();
        }
        Ok(json.to_string())
    })
}

/// Adds a table to the documents of a session, and returns what is known of it, as JSON text. The stream is read on a
/// thread that may wait, for a lock of another language.
pub fn add_table(
    session: &Session,
    name: String,
    stream: TakenStream,
    most_bytes: u64,
) -> impl Future<Output = Result<String>> + Send + use<> {
    add_batches(session, name, move || stream.batches(most_bytes))
}

/// Adds a table of the batches that `read` returns, as [`add_table`] does.
pub fn add_batches<R>(
    session: &Session,
    name: String,
    read: R,
) -> impl Future<Output = Result<String>> + Send + use<R>
where
    R: FnOnce() -> Result<Vec<RecordBatch>> + Send + 'static,
{
    let session = session.clone();
    async move {
        let reading = tokio::task::spawn_blocking(read);
        let batches = reading.await.map_err(|_| Error::bug("reading a stream panicked"))??;
        Ok(reports::document_summary(&*session.add_arrow(&name, batches).await?).to_string())
    }
}

/// Calls a tool. `options` are those of `mitt_session_call`; no arguments are an empty object.
///
/// # Errors
///
/// Those of `mitt_session_call` about the options. A call that fails is a report.
pub fn call(
    session: &Session,
    tool: &str,
    arguments: &str,
    options: &str,
) -> Result<impl Future<Output = Result<CallReport>> + Send + use<>, Problem> {
    let mut given = Fields::of_text("options", options)?;
    let options = call_options(&mut given)?;
    given.finish()?;
    let arguments = if arguments.is_empty() { "{}" } else { arguments };
    let (session, tool, arguments) = (session.clone(), tool.to_owned(), arguments.to_owned());
    Ok(async move { Ok(session.call_with(&tool, &arguments, options).await) })
}

/// Runs a script. `options` are those of `mitt_session_script`.
///
/// # Errors
///
/// Those of `mitt_session_script` about the options. A script that fails is a report.
pub fn script(
    session: &Session,
    language: &str,
    source: &str,
    options: &str,
) -> Result<impl Future<Output = Result<CallReport>> + Send + use<>, Problem> {
    let mut given = Fields::of_text("options", options)?;
    let mut options = call_options(&mut given)?;
    options.arguments = given.texts("arguments")?.into();
    let (_, inputs) = given.object("inputs")?.rest();
    given.finish()?;
    let inputs = (!inputs.is_empty()).then_some(inputs);
    let (session, language, source) = (session.clone(), language.to_owned(), source.to_owned());
    Ok(async move { session.run_script_with(&language, &source, inputs.as_ref(), options).await })
}

/// Continues a call that waits for a decision. `decision` is that of `mitt_session_resume`.
///
/// # Errors
///
/// Those of `mitt_session_resume` about the decision. A call that fails is a report.
pub fn resume(
    session: &Session,
    id: &str,
    decision: &str,
) -> Result<impl Future<Output = Result<CallReport>> + Send + use<>, Problem> {
    let mut given = Fields::of_text("decision", decision)?;
    let options = call_options(&mut given)?;
    let reason = given.text("reason")?;
    let decision = match given.required("decision")?.as_str() {
        "approve" => Decision::Approve,
        "deny" => Decision::Deny(reason.unwrap_or_else(|| "it was denied".to_owned())),
        other => {
            let message = format!("expected `approve` or `deny`, got `{other}`");
            return Err(given.wrong("decision", &message).into());
        }
    };
    given.finish()?;
    let (session, id) = (session.clone(), id.to_owned());
    Ok(async move { Ok(session.resume_with(&id, decision, options).await) })
}

/// Loads all skills, and returns the tools of a session as JSON text: see `mitt_session_tools`.
pub fn tools(session: &Session) -> impl Future<Output = Result<String>> + Send + use<> {
    let registry = session.registry();
    async move {
        let (tools, problems) = registry.listing().await;
        let tools: Vec<Value> = tools.iter().map(reports::tool).collect();
        let problems: Vec<Value> = problems.iter().map(problem::json_of).collect();
        Ok(json!({ "tools": tools, "problems": problems }).to_string())
    }
}

/// Lets a model follow an instruction, and returns its result as JSON text. `options` are those of `mitt_agent_run`.
///
/// # Errors
///
/// Those of `mitt_agent_run`.
pub fn run(
    session: &Session,
    instruction: &str,
    options: &str,
    model: Arc<dyn Answer>,
) -> Result<impl Future<Output = Result<String>> + Send + use<>, Problem> {
    let instruction = Instruction::new(Fields::of_text("options", options)?, instruction, model)?;
    let session = session.clone();
    Ok(async move { Ok(reports::run_text(&instruction.follow(session).await?)) })
}

/// Makes a file from Markdown on a thread of its own, and waits for it. The parameters are those of `mitt_render`.
///
/// # Errors
///
/// Those of `mitt_render`.
pub fn render(
    format: &str,
    markdown: &str,
    options: &str,
    cancel: Option<&CancelObject>,
) -> Result<Made, Problem> {
    render::markdown(format, markdown, Fields::of_text("options", options)?, cancel)
}

/// Fills a template on a thread of its own, and waits for it. The parameters are those of `mitt_fill`.
///
/// # Errors
///
/// Those of `mitt_fill`.
pub fn fill(
    template: &[u8],
    values: &str,
    options: &str,
    cancel: Option<&CancelObject>,
) -> Result<Made, Problem> {
    let options = Fields::of_text("options", options)?;
    render::template(template, values.as_bytes(), options, cancel)
}

/// Returns a call as JSON text: see `mitt_session_call`.
pub fn call_text(report: &CallReport) -> String {
    reports::call_text(report)
}

/// Returns what a session holds as JSON text: see `mitt_session_state`.
pub fn state(session: &Session) -> String {
    reports::session(session).to_string()
}

/// Returns the delivered files of a session as JSON text: see `mitt_session_artifacts`.
pub fn artifacts(session: &Session) -> String {
    let artifacts = session.artifacts();
    Value::Array(artifacts.iter().map(reports::artifact).collect()).to_string()
}

/// Reads the options that all calls have.
fn call_options(given: &mut Fields) -> Result<CallOptions> {
    let mut options = CallOptions::new();
    options.max_time = given.millis("timeout_ms")?;
    options.created = given.number("created_ms")?.map(Duration::from_millis);
    options.tables = match given.value("tables") {
        None => TableResults::Whole,
        Some(Value::String(name)) if name == "whole" => TableResults::Whole,
        Some(Value::String(name)) if name == "model" => TableResults::MODEL,
        Some(value @ Value::Object(_)) => {
            let mut of = Fields::of_item("options.tables".to_owned(), value)?;
            let (cells, first_rows) = (of.number("cells")?, of.number("first_rows")?);
            of.finish()?;
            TableResults::Named {
                cells: cells.unwrap_or_default(),
                first_rows: first_rows.unwrap_or_default(),
            }
        }
        Some(_) => {
            return Err(given.wrong("tables", "expected `whole`, `model` or an object"));
        }
    };
    Ok(options)
}
