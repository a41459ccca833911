//! `mitt lambda`: a function of AWS Lambda, on its runtime `provided.al2023`.
//!
//! The loop takes an event, does its work in a session of its own before the platform's deadline, and hands over the answer.
//! Nothing of an invocation is kept for the next one; what they share are the skills and the native code.

mod answer;
mod answer_plan;
mod direct;
mod documents;
mod event;
mod failure;
mod fields;
mod function;
#[cfg(feature = "serve")]
mod http;
#[cfg(feature = "serve")]
mod http_event;
mod log;
mod loopback;
mod made_file;
#[cfg(feature = "serve")]
mod mcp_server;
#[cfg(feature = "lambda-s3")]
mod object_event;
#[cfg(all(test, feature = "lambda-s3"))]
mod object_tests;
#[cfg(feature = "lambda-s3")]
mod object_work;
mod payload;
mod queue;
mod render_event;
mod render_options;
#[cfg(feature = "lambda-s3")]
mod rules;
mod run_event;
mod runtime_api;
#[cfg(feature = "lambda-s3")]
mod storage;
#[cfg(not(feature = "lambda-s3"))]
#[path = "storage_disabled.rs"]
mod storage;
#[cfg(feature = "serve")]
mod streamed;

use std::fmt::Display;
use std::process::ExitCode;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::args::{Global, Lambda};
use super::interrupt::{Signal, Signals};
use event::Event;
use failure::Failure;
use function::{Function, Task};
use log::log;
use mitt::Environment;
use mitt_base::{Error, Resource, Result};
use payload::Reader;
use runtime_api::{Handover, RuntimeApi, Taken};

/// Time before the platform's deadline at which work must have ended, so that its error can be reported.
const ROOM: Duration = Duration::from_millis(200);

/// The part of [`ROOM`] in which work that reached its deadline ends by itself, with an error that says what it was doing.
const GRACE: Duration = Duration::from_millis(100);

/// Longest wait for the deletion of what was given up, before the platform may freeze the function. After a deadline it has what is
/// left of [`ROOM`] but for some 50 ms in which the answer is handed over.
const SETTLING: Duration = Duration::from_millis(500);

/// Time of an invocation whose deadline is unknown or beyond it: the longest that Lambda allows.
const MAX_TIME: Duration = Duration::from_secs(15 * 60);

/// The least deadline that is a moment: 2020-01-01. The local Runtime API of cargo-lambda gives the time that is left instead.
const FIRST_MOMENT: Duration = Duration::from_secs(1_577_836_800);

/// Serves invocations until a signal, or until the Runtime API cannot go on.
///
/// # Errors
///
/// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the environment names no Runtime API. The host cannot be made; the platform
/// gets that error too. [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - the Runtime API failed.
pub(crate) async fn lambda(global: &Global, command: &Lambda) -> Result<ExitCode> {
    let api = RuntimeApi::of_environment()?;
    for problem in global.settings.warnings() {
        log("WARN", None, "a setting does not count", json!({ "error": problem }));
    }
    let function = match Function::start(global, command) {
        Ok(function) => function,
        Err(error) => {
            let failure = Failure::from(error);
            if let Err(error) = api.init_failed(&failure).await {
                log(
                    "ERROR",
                    None,
                    "the start failed, unreported",
                    json!({ "error": error.render() }),
                );
            }
            return Err(failure.error);
        }
    };
    // Also hears what comes while an answer is handed over.
    let mut signals = Signals::listen();
    loop {
        let taken = match signals.or(api.next()).await {
            Ok(taken) => taken?,
            Err(signal) => return Ok(ended(None, signal)),
        };
        let begun = Instant::now();
        let ends = begun + time_left(taken.deadline);
        #[cfg(feature = "serve")]
        if command.stream
            && let Some((request, deadline)) = http_request(&taken, begun)
        {
            let task = Task { ids: vec![&taken.id], deadline, reader: Reader::StreamClient };
            let response = match signals.or(http::respond(&function, &task, request)).await {
                Ok(response) => response,
                Err(signal) => {
                    let failure = Failure::from(signal.error());
                    hand_over(&api, &taken.id, Err(failure), begun).await?;
                    return Ok(ended(Some(&taken.id), signal));
                }
            };
            let streamed = signals.or(stream(&api, &task, response, begun)).await;
            let left = ends.saturating_duration_since(Instant::now()).saturating_sub(GRACE / 2);
            function.storage().settle(left.min(SETTLING)).await;
            match streamed {
                Ok(streamed) => streamed?,
                // The response breaks off, which is how the platform learns of it.
                Err(signal) => return Ok(ended(Some(&taken.id), signal)),
            }
            continue;
        }
        let answered = signals.or(answer(&function, &taken, begun)).await;
        // After the answer the function is frozen, and what was given up would stay.
        let left = ends.saturating_duration_since(Instant::now()).saturating_sub(GRACE / 2);
        function.storage().settle(left.min(SETTLING)).await;
        let answered = match answered {
            Ok(answered) => answered,
            Err(signal) => {
                let failure = Failure::from(signal.error());
                hand_over(&api, &taken.id, Err(failure), begun).await?;
                return Ok(ended(Some(&taken.id), signal));
            }
        };
        hand_over(&api, &taken.id, answered, begun).await?;
    }
}

fn ended(request: Option<&str>, signal: Signal) -> ExitCode {
    log("INFO", request, "ending", json!({ "signal": signal.error().to_string() }));
    ExitCode::SUCCESS
}

/// Returns the time until the platform's deadline.
fn time_left(deadline: Option<Duration>) -> Duration {
    // The clock of the system, not that of `--clock`.
    let now = Environment::default().now();
    let left = match deadline {
        None => MAX_TIME,
        Some(left) if left < FIRST_MOMENT => left,
        Some(moment) => moment.saturating_sub(now),
    };
    left.min(MAX_TIME)
}

/// Returns the request of an event over HTTP, and when its work must have ended; `None` for other events.
#[cfg(feature = "serve")]
fn http_request(taken: &Taken, begun: Instant) -> Option<(http_event::HttpEvent, Instant)> {
    let Event::Http(request) = Event::read(taken.event.as_ref().ok()?).ok()? else { return None };
    let deadline = begun + time_left(taken.deadline).saturating_sub(ROOM);
    Some((*request, deadline))
}

/// Hands over a response over HTTP while it is made, and writes the log. A response that the platform refuses becomes an error.
///
/// # Errors
///
/// Those of [`RuntimeApi::respond`].
#[cfg(feature = "serve")]
async fn stream(
    api: &RuntimeApi,
    task: &Task<'_>,
    response: streamed::HttpResponse<'_>,
    begun: Instant,
) -> Result<()> {
    let id = task.ids.first().copied().unwrap_or_default();
    let (handover, sent) = streamed::hand_over(api, id, response, task.deadline).await?;
    if let Handover::Refused(status, text) = handover {
        let message = format!("Lambda refused the streamed answer with {status}");
        let refused = Error::new(mitt_base::ErrorKind::Host, message).detail(text);
        let failure = sent.failure.unwrap_or_else(|| refused.into());
        return hand_over(api, id, Err(failure), begun).await;
    }
    let duration = begun.elapsed().as_secs_f64() * 1_000.0;
    if let Some(failure) = sent.failure {
        let details = json!({
            "errorType": failure.error_type(), "error": failure.error.render(), "durationMs": duration,
        });
        log("ERROR", Some(id), "failed after the answer began", details);
    } else {
        let details = json!({ "bytes": sent.bytes, "durationMs": duration });
        log("INFO", Some(id), "done", details);
    }
    Ok(())
}

/// Does the work of an event.
async fn answer(function: &Function, taken: &Taken, begun: Instant) -> Result<Bytes, Failure> {
    let time = time_left(taken.deadline);
    let deadline = begun + time.saturating_sub(ROOM);
    let event = match &taken.event {
        Ok(event) => Event::read(event)?,
        Err(error) => return Err(error.clone().into()),
    };
    match event {
        Event::Direct(event) => {
            let task = Task { ids: vec![&taken.id], deadline, reader: Reader::Caller };
            Ok(within(deadline, event.run(function, &task)).await?.into_bytes()?)
        }
        #[cfg(feature = "serve")]
        Event::Http(request) => {
            let task = Task { ids: vec![&taken.id], deadline, reader: Reader::HttpClient };
            Ok(http::answer(function, &task, *request).await)
        }
        #[cfg(feature = "lambda-s3")]
        Event::Objects(event) => {
            let report = object_work::handle(function, &[&taken.id], deadline, event).await?;
            Ok(report.to_string().into())
        }
        Event::Queue(messages) => Ok(queue::answer(function, &taken.id, deadline, messages).await),
    }
}

/// Ends work shortly after `deadline`, if it does not end by itself. Dropped work is cancelled, with its calls.
async fn within<T>(
    deadline: Instant,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let begun = Instant::now();
    let ended = timeout_at(deadline + GRACE, work).await;
    ended.unwrap_or_else(|_| Err(out_of_time(begun, deadline).at("invocation").into()))
}

/// Ends a transfer to S3 at `deadline`, without [`GRACE`]: what it began must be deleted before the platform freezes the function.
/// `place` is what is transferred.
async fn transfer<T>(
    deadline: Instant,
    place: impl Display,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let begun = Instant::now();
    let ended = timeout_at(deadline, work).await;
    ended.unwrap_or_else(|_| Err(out_of_time(begun, deadline).at(place)))
}

/// Returns the error of work that began at `begun` and reached its deadline.
fn out_of_time(begun: Instant, deadline: Instant) -> Error {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let limit = millis(deadline.saturating_duration_since(begun));
    let error = Error::limit(Resource::Time, limit, millis(begun.elapsed()).max(limit));
    error.hint("raise the timeout of the function, or give it less work")
}

/// Hands over an answer or an error, and writes the log. An answer that the platform refuses becomes an error.
///
/// # Errors
///
/// Those of [`RuntimeApi::respond`].
async fn hand_over(
    api: &RuntimeApi,
    id: &str,
    answered: Result<Bytes, Failure>,
    begun: Instant,
) -> Result<()> {
    let duration = |mut details: Value| {
        details["durationMs"] = json!(begun.elapsed().as_secs_f64() * 1_000.0);
        details
    };
    let failure = match answered {
        Ok(bytes) => {
            let size = bytes.len();
            match api.respond(id, bytes).await? {
                Handover::Accepted => {
                    log("INFO", Some(id), "done", duration(json!({ "bytes": size })));
                    return Ok(());
                }
                Handover::Refused(status, text) => {
                    let message =
                        format!("Lambda refused the answer of {size} bytes with {status}");
                    Failure::from(Error::new(mitt_base::ErrorKind::Host, message).detail(text))
                }
            }
        }
        Err(failure) => failure,
    };
    let details = json!({ "errorType": failure.error_type(), "error": failure.error.render() });
    log("ERROR", Some(id), "failed", duration(details));
    if let Handover::Refused(status, text) = api.fail(id, &failure).await? {
        let details = json!({ "status": status.as_u16(), "text": text });
        log("ERROR", Some(id), "Lambda refused the error", details);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_a_moment_or_the_time_that_is_left() {
        let now = Environment::default().now();
        assert_eq!(time_left(None), MAX_TIME);
        assert_eq!(time_left(Some(now - Duration::from_secs(1))), Duration::ZERO);
        let left = time_left(Some(now + Duration::from_secs(30)));
        assert!(left > Duration::from_secs(25) && left <= Duration::from_secs(30), "{left:?}");
        assert_eq!(time_left(Some(now + Duration::from_secs(86_400))), MAX_TIME);
        assert_eq!(time_left(Some(Duration::from_secs(600))), Duration::from_secs(600));
    }
}
