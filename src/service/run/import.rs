//! Takes over the log of a run that another program began, such as `mitt run`: the run goes on here.

use bytes::Bytes;

use super::check::{self, Problems};
use super::create::{budget_of, kept_request, run_document, stored_documents, title_of};
use super::entry::{Current, DocumentOrigin, Entry, NewDocument, Work};
use super::event::{EventData, RunEvent};
use super::options::Policy;
use super::quota::{check_kept, inline_bytes, room};
use super::shared::Shared;
use super::spec::{AnswerDemand, CreateRun, ImportRun, OutputForm, PlanOptions, RunOptions};
use super::state::{RunState, RunStatus};
use super::usage::check_budget;
use super::writer::owner_of;
use crate::problem::Problem;
use crate::store::{RunKey, Stream, new_id, read_whole};
use mitt_agent::{AnswerForm, LoggedRun, LoggedStep, MAX_LOG_BYTES};
use mitt_base::{Error, text};
use mitt_serve::AUDIT_TARGET;

/// Lines of a log that are appended at once.
const LINES: usize = 256;

/// A log with what follows from it.
struct Imported {
    run: LoggedRun,
    lines: Vec<Bytes>,
    /// Text of the last answer.
    answer: Option<String>,
}

/// Makes a run of a log and the documents that it names.
///
/// # Errors
///
/// 422 `invalid_body` - no document is a log, or a document of the log is missing; 429 `budget_exhausted`, `quota_exceeded`.
pub(super) async fn import(
    shared: &Shared,
    tenant: &str,
    policy: &Policy,
    request: ImportRun,
) -> Result<RunState, Problem> {
    let options = &shared.options;
    let mut problems = Problems::default();
    check::documents(&request.documents, super::create::MAX_INLINE_BYTES, &mut problems);
    let model = check::model_of(options, policy, request.model.as_deref(), &mut problems)?;
    problems.into_result()?;
    check::run_models(shared, policy, &RunOptions::default(), (model.as_str(), None))?;
    let budget = budget_of(policy);
    let now = options.host.environment().now();
    check_budget(&*options.store, tenant, now, budget).await?;
    check_kept(shared, tenant, policy).await?;
    room(&*options.store, tenant, policy).await?.check(inline_bytes(&request.documents))?;
    let key = RunKey { tenant: tenant.to_owned(), id: new_id("run_")? };
    match taken_over(shared, &key, request, (model, budget)).await {
        Ok(state) => {
            tracing::info!(target: AUDIT_TARGET, tenant, run = key.id, "a run was imported");
            Ok(state)
        }
        Err(problem) => {
            // Nothing of a run that does not exist stays.
            if options.store.get(&key).await.is_ok() {
                options.store.delete(&key).await?;
            } else {
                options.store.release(tenant, &owner_of(&key.id)).await?;
            }
            Err(problem)
        }
    }
}

async fn taken_over(
    shared: &Shared,
    key: &RunKey,
    request: ImportRun,
    (model, budget): (String, super::entry::DayBudget),
) -> Result<RunState, Problem> {
    let store = &*shared.options.store;
    let given = stored_documents(shared, key, request.documents).await?;
    let (imported, given) = found_log(shared, key, given).await?;
    let documents = named_as_logged(&imported.run, given)?;
    let run = &imported.run;
    let instruction = run.instructions().next_back().unwrap_or_default().to_owned();
    let is_finished = run.is_finished();
    let plan = run.plan()?.map(|_| PlanOptions::default());
    let tools = Some(run.header().tools.name().to_owned());
    let run_options = RunOptions { plan, tools, ..RunOptions::default() };
    // An instruction that goes on keeps the form of its answer.
    let form = run.form().cloned().map(AnswerForm::of).transpose()?;
    let output = run.form().filter(|_| !is_finished).cloned();
    let output = output.map(|it| OutputForm { name: it.name, schema: Some(it.schema) });
    let before = run.instructions().count().saturating_sub(1) as u64;
    let current = (!is_finished).then_some(Current { inbox: None, before });
    let created_ms = shared.now_ms();
    let status = if is_finished { RunStatus::Completed } else { RunStatus::Interrupted };
    let given = CreateRun {
        instruction: instruction.clone(),
        options: run_options.clone(),
        ..CreateRun::default()
    };
    let (kept, request_file) = kept_request(shared, key, &given).await?;
    let (answer, has_output) = match (imported.answer, &form) {
        (Some(text), Some(form)) => match form.read(&text) {
            Ok(json) => (Some(json.to_owned()), true),
            Err(_) => (Some(text), false),
        },
        (answer, _) => (answer, false),
    };
    let work = Work {
        request: request_file,
        documents: documents.iter().map(|it| it.origin.clone()).collect(),
        current,
        budget,
        demand: AnswerDemand { output, ..AnswerDemand::default() },
        ..Work::default()
    };
    let mut state = RunState {
        status,
        title: request.title.unwrap_or_else(|| title_of(&instruction)),
        documents: documents.into_iter().map(run_document).collect(),
        options: run_options,
        request: kept,
        ..RunState::new(&key.id, model, created_ms)
    };
    state.set_text(answer.filter(|_| is_finished), has_output);
    store.submit(Entry::new(&key.tenant, state.clone(), work).to_record()?, None).await?;
    let mut last = 0;
    for lines in imported.lines.chunks(LINES) {
        last = store.append(key, Stream::Log, Some(last), lines).await?;
    }
    let data = [EventData::Instruction { text: instruction }, EventData::Status { status }];
    let events = data.into_iter().zip(1..).map(|(data, number)| {
        let event = RunEvent { number, time_ms: created_ms, agent: None, data };
        serde_json::to_vec(&event).map(Bytes::from)
    });
    let events: Result<Vec<Bytes>, _> = events.collect();
    store.append(key, Stream::Events, Some(0), &events.map_err(Error::bug)?).await?;
    Ok(state)
}

/// Returns the log among the documents, and the other documents.
async fn found_log(
    shared: &Shared,
    key: &RunKey,
    given: Vec<NewDocument>,
) -> Result<(Imported, Vec<NewDocument>), Problem> {
    let mut why =
        "expected the log of a run among the documents, such as `20261127-093000.jsonl`".to_owned();
    for (index, document) in given.iter().enumerate() {
        if !document.name.ends_with(".jsonl") || document.size > MAX_LOG_BYTES {
            continue;
        }
        let content = read_whole(&*shared.options.store, &key.tenant, &document.sha256).await?;
        match read_log(&content) {
            Ok(imported) => {
                let mut others = given;
                others.remove(index);
                return Ok((imported, others));
            }
            Err(error) => why = format!("{}: {error}", document.name),
        }
    }
    Err(Problem::new(422, "invalid_body", why)
        .hint("the program keeps the logs of its runs in the folder `runs` of the user's state"))
}

fn read_log(content: &[u8]) -> Result<Imported, Error> {
    let run = LoggedRun::read(content)?;
    let whole = usize::try_from(run.length()).unwrap_or(usize::MAX).min(content.len());
    let lines: Vec<Bytes> = content[..whole]
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(Bytes::copy_from_slice)
        .collect();
    let answers = lines.iter().rev().map(|line| LoggedStep::parse(line));
    let answer = answers.into_iter().find_map(|step| match step {
        Ok(LoggedStep::Answer { agent: None, text, .. }) => Some(text),
        _ => None,
    });
    Ok(Imported { run, lines, answer })
}

/// Gives documents the names that the log has for their contents.
///
/// # Errors
///
/// 422 `invalid_body` - documents of the log are missing, or their content is not what it was.
fn named_as_logged(
    run: &LoggedRun,
    mut given: Vec<NewDocument>,
) -> Result<Vec<NewDocument>, Problem> {
    let mut missing = Vec::new();
    for logged in run.documents() {
        let found = given
            .iter_mut()
            .find(|it| it.sha256 == logged.sha256 && matches!(it.origin, DocumentOrigin::Stored));
        match found {
            Some(document) => document.name.clone_from(&logged.name),
            None => missing.push(format!("`{}`", text::one_line(&logged.name))),
        }
    }
    if missing.is_empty() {
        return Ok(given);
    }
    let detail = format!(
        "expected the documents of the run as they were, got none for {}",
        missing.join(", ")
    );
    Err(Problem::new(422, "invalid_body", detail).hint("send them beside the log"))
}
