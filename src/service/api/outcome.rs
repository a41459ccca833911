//! What a client wants to know of a run that it started or changed: its state now, its state at the end, its events, or its
//! files.

use std::time::Duration;

use futures_util::StreamExt as _;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use hyper::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};

use super::archive::{ArchiveContent, ArchiveFile, archive};
use super::events::live;
use super::viewer::Viewer;
use crate::http::{Answered, HttpResponse, Request, Wait, json, problem, streamed};
use crate::problem::Problem;
use crate::run::{EventData, RunState, RunStatus};

/// Interval at which the record of a run is read after an event that comes before its change.
const SETTLING: Duration = Duration::from_millis(25);
/// Most readings then.
const MOST_READINGS: u32 = 40;
/// Interval at which the record of a quiet run is read.
const RECHECK: Duration = Duration::from_secs(1);

/// Media type of an archive.
pub(super) const ZIP: &str = "application/zip";

/// What the response is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The state now.
    State,
    /// The state when the instruction was followed to its end, or a question waits.
    Wait(Wait),
    /// The events from now on.
    Events,
    /// All files and the answer in one ZIP, at the end.
    Archive,
}

impl Outcome {
    /// Returns what a request asks for.
    pub(super) fn of(request: &Request) -> Outcome {
        if request.accepts(ZIP) {
            Outcome::Archive
        } else if request.accepts("text/event-stream") && !request.accepts("application/json") {
            Outcome::Events
        } else if request.query_flag("wait") {
            Outcome::Wait(Wait::Forever)
        } else if let Some(wait) = request.prefers_wait() {
            Outcome::Wait(wait)
        } else {
            Outcome::State
        }
    }

    /// Returns the response about a run. The stream of events begins after number `after`.
    pub(super) async fn respond(
        self,
        viewer: &Viewer,
        state: RunState,
        after: u64,
        status: u16,
    ) -> Answered {
        let id = state.id.clone();
        let mut answer = match self {
            Outcome::State => json(status, &viewer.state(state)),
            Outcome::Wait(wait) => {
                let state = waited(viewer, &id, wait).await?;
                let mut answer = json(status, &viewer.state(state));
                let applied = HeaderName::from_static("preference-applied");
                answer.headers_mut().insert(applied, HeaderValue::from_static("wait"));
                answer
            }
            Outcome::Events => {
                let runs = viewer.service().runs();
                let events = runs.events(&viewer.tenant, &id, after, true).await?;
                let mut answer = live(viewer.clone(), events);
                *answer.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
                answer
            }
            Outcome::Archive => {
                let state = at_rest(viewer, &id).await?;
                match unfinished(&state) {
                    None => archived(viewer, state),
                    Some(reason) => problem(&reason),
                }
            }
        };
        if let Ok(address) = HeaderValue::from_str(&viewer.run_address(&id)) {
            answer.headers_mut().insert(LOCATION, address);
        }
        Ok(answer)
    }
}

/// Returns the delivered files of a run and its answer as one ZIP.
pub(super) fn archived(viewer: &Viewer, state: RunState) -> HttpResponse {
    let name = format!("attachment; filename=\"{}.zip\"", state.id);
    let mut files: Vec<ArchiveFile> = state
        .files
        .into_iter()
        .map(|file| ArchiveFile {
            name: file.name,
            content: ArchiveContent::Stored(file.sha256, file.size),
        })
        .collect();
    let answer = match (state.output, state.text) {
        (Some(output), _) => Some(("answer.json", output.text().to_owned())),
        (None, text) => text.map(|text| ("answer.md", text)),
    };
    if let Some((name, text)) = answer {
        files.push(ArchiveFile { name: name.into(), content: ArchiveContent::Text(text) });
    }
    let store = viewer.service().store().clone();
    let mut answer = streamed(archive(store, viewer.tenant.clone(), files));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(ZIP));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(CONTENT_DISPOSITION, name);
    }
    answer
}

/// Returns why the files of a run are not handed out as the result of its instruction.
fn unfinished(state: &RunState) -> Option<Problem> {
    let id = &state.id;
    let (status, code, detail) = match state.status {
        RunStatus::Completed => return None,
        RunStatus::Failed => {
            let failure = state.failure.as_ref();
            let detail = failure.map_or("the run failed", |it| it.message.as_str());
            (422, "run_failed", detail.to_owned())
        }
        RunStatus::Queued | RunStatus::Running | RunStatus::Waiting => {
            (409, "run_waits", "the run waits for an answer".to_owned())
        }
        RunStatus::Cancelled => (409, "run_cancelled", "the run was cancelled".to_owned()),
        RunStatus::Interrupted => (409, "run_interrupted", "the run was interrupted".to_owned()),
    };
    let hint = match state.status {
        RunStatus::Failed => state.failure.as_ref().and_then(|it| it.hint.clone()),
        RunStatus::Cancelled | RunStatus::Interrupted => {
            Some(format!("continue it with `POST /v1/runs/{id}/continue`"))
        }
        _ => Some(format!(
            "read the question in `GET /v1/runs/{id}`, and answer it with `POST /v1/runs/{id}/answers`"
        )),
    };
    let problem = Problem::new(status, code, detail);
    let files = format!("what was delivered is at `GET /v1/runs/{id}/files.zip`");
    Some(problem.hint(match hint {
        Some(hint) => format!("{hint}; {files}"),
        None => files,
    }))
}

async fn waited(viewer: &Viewer, id: &str, wait: Wait) -> Result<RunState, Problem> {
    match wait {
        Wait::Forever => at_rest(viewer, id).await,
        Wait::AtMost(most) => match tokio::time::timeout(most, at_rest(viewer, id)).await {
            Ok(state) => state,
            Err(_) => viewer.service().runs().get(&viewer.tenant, id).await,
        },
    }
}

/// Waits until a run does nothing more without a request.
async fn at_rest(viewer: &Viewer, id: &str) -> Result<RunState, Problem> {
    let (runs, tenant) = (viewer.service().runs(), viewer.tenant.as_str());
    let is_at_rest = |state: &RunState| !state.status.is_active() || state.question.is_some();
    loop {
        // The number is read before the state, so that no event between them is lost.
        let after = runs.last_event(tenant, id).await?;
        let state = runs.get(tenant, id).await?;
        if is_at_rest(&state) {
            return Ok(state);
        }
        let mut events = runs.events(tenant, id, after, true).await?;
        let has_ended = loop {
            match tokio::time::timeout(RECHECK, events.next()).await {
                // The event may have come just before, and the change of the record just after.
                Err(_) => break false,
                Ok(None) => break true,
                Ok(Some(event)) => {
                    if is_end(&event?.data) {
                        break true;
                    }
                }
            }
        };
        for _ in 0..if has_ended { MOST_READINGS } else { 0 } {
            let state = runs.get(tenant, id).await?;
            if is_at_rest(&state) {
                return Ok(state);
            }
            tokio::time::sleep(SETTLING).await;
        }
    }
}

/// Returns `true` for events after which a run may do nothing more without a request.
fn is_end(data: &EventData) -> bool {
    match data {
        EventData::Ended { .. } | EventData::Question { .. } => true,
        EventData::Status { status } => !status.is_active() || *status == RunStatus::Waiting,
        _ => false,
    }
}
