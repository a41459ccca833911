use std::cell::RefCell;

use super::*;
use mitt_base::ErrorKind;
use mitt_skill::{Backoff, Jitter, RetryPolicy, ToolPolicy};

fn policy(max_attempts: u32) -> ToolPolicy {
    let retry =
        RetryPolicy { max_attempts, backoff: Backoff::Exponential, ..RetryPolicy::default() };
    ToolPolicy { retry, idempotent: true, ..ToolPolicy::default() }
}

fn attempt_result(result: Result<Json, Error>) -> AttemptResult {
    let usage = Usage { fuel: 10, peak_memory_bytes: 7, duration: Duration::from_millis(3) };
    AttemptResult {
        output: CallOutput { result, usage, printed: String::new() },
        artifacts: Vec::new(),
        script_error: None,
    }
}

fn crash() -> Error {
    Error::new(ErrorKind::Trap, "it crashed")
}

/// Returns the seconds at which attempts begin, and the attempts. `f` returns the result of an attempt, given its number.
async fn carry_out(
    policy: &ToolPolicy,
    deadline: Option<Deadline>,
    f: impl Fn(u32) -> Result<Json, Error>,
) -> (Vec<f64>, Attempts) {
    let start = Instant::now();
    let begins = RefCell::new(Vec::new());
    let (max_attempts, retry) = (policy.max_attempts(), &policy.retry);
    let plan = Plan { tool: "a__b", max_attempts, retry, limits: CallLimits::default(), deadline };
    let attempt = |_, ()| {
        let mut begins = begins.borrow_mut();
        begins.push(start.elapsed().as_secs_f64());
        let result = f(u32::try_from(begins.len()).unwrap());
        async { attempt_result(result) }
    };
    let attempts = plan.carry_out((), attempt, || 1 << 62, |_| {}).await;
    (begins.into_inner(), attempts)
}

#[tokio::test(start_paused = true)]
async fn delays_lie_only_between_attempts() {
    let start = Instant::now();
    let (begins, attempts) = carry_out(&policy(5), None, |_| Err(crash())).await;
    assert_eq!(begins, [0.0, 1.0, 3.0, 7.0, 15.0]);
    assert_eq!(start.elapsed(), Duration::from_secs(15), "nothing is waited for after the last");
    let error = attempts.last.output.result.unwrap_err();
    assert_eq!(error.to_string(), "Tool 'a__b' failed after 5 attempts: it crashed");
    assert_eq!(*error.kind(), ErrorKind::Trap);
    let delays: Vec<_> = attempts.log.iter().map(|attempt| attempt.delay).collect();
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    assert_eq!(delays, [seconds(1), seconds(2), seconds(4), seconds(8), None]);
    // Usage is the total of all attempts; delays do not count.
    let usage = Usage { fuel: 50, peak_memory_bytes: 7, duration: Duration::from_millis(15) };
    assert_eq!(attempts.last.output.usage, usage);
}

#[tokio::test(start_paused = true)]
async fn a_success_ends_the_attempts() {
    let third = |number| if number < 3 { Err(crash()) } else { Ok(Json::Null) };
    let (begins, attempts) = carry_out(&policy(5), None, third).await;
    assert_eq!(begins, [0.0, 1.0, 3.0]);
    assert!(attempts.last.output.result.is_ok());
    let failures: Vec<_> =
        attempts.log.iter().map(|attempt| attempt.failure.clone().map(|(kind, _)| kind)).collect();
    assert_eq!(failures, [Some("trap"), Some("trap"), None]);
}

#[tokio::test(start_paused = true)]
async fn only_a_retryable_failure_is_tried_again() {
    let never = [
        Error::new(ErrorKind::UnknownTool, ""),
        Error::new(ErrorKind::Arguments, ""),
        Error::new(ErrorKind::Denied, ""),
        Error::new(ErrorKind::Plugin, ""),
        Error::new(ErrorKind::Input, ""),
        Error::new(ErrorKind::Load, ""),
        Error::new(ErrorKind::Model, ""),
        Error::new(ErrorKind::Disabled("x"), ""),
        Error::bug(""),
        Error::limit(Resource::Fuel, 1, 1),
        Error::limit(Resource::Memory, 1, 1),
        Error::limit(Resource::Output, 1, 1),
        Error::limit(Resource::ToolCalls, 1, 1),
        // Limit of an inner call, which had attempts of its own.
        Error::limit(Resource::Time, 1, 1).retryable(false),
    ];
    for error in never {
        let error = RefCell::new(Some(error));
        let failed = |_| Err(error.borrow_mut().take().expect("one attempt"));
        let (begins, attempts) = carry_out(&policy(3), None, failed).await;
        assert_eq!(begins.len(), 1);
        assert!(!attempts.last.output.result.unwrap_err().to_string().contains("attempts"));
    }
    for make in [
        crash as fn() -> Error,
        || Error::limit(Resource::Time, 1, 1),
        || Error::new(ErrorKind::Plugin, "unavailable").retryable(true),
    ] {
        assert_eq!(carry_out(&policy(3), None, |_| Err(make())).await.0.len(), 3);
        // A tool that is not idempotent is attempted once, whatever its retry policy says.
        let once = ToolPolicy { idempotent: false, ..policy(3) };
        assert_eq!(carry_out(&once, None, |_| Err(make())).await.0.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn jitter_shortens_delays() {
    let mut policy = policy(4);
    policy.retry.jitter = Jitter::Full;
    // The random number is a quarter of its range.
    assert_eq!(carry_out(&policy, None, |_| Err(crash())).await.0, [0.0, 0.25, 0.75, 1.75]);
}

#[tokio::test(start_paused = true)]
async fn the_session_bounds_attempts_and_delays() {
    let start = Instant::now();
    let deadline = Some(Deadline::after(Duration::from_secs(5)));
    // The fourth attempt would begin after 7 s, so it is not waited for.
    let (begins, attempts) = carry_out(&policy(5), deadline, |_| Err(crash())).await;
    assert_eq!(begins, [0.0, 1.0, 3.0]);
    assert_eq!(start.elapsed(), Duration::from_secs(3));
    assert_eq!(attempts.log.last().unwrap().delay, None);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (begins, attempts) = carry_out(&policy(5), deadline, |_| Ok(Json::Null)).await;
    assert!(begins.is_empty() && attempts.log.is_empty());
    insta::assert_snapshot!(
        attempts.last.output.result.unwrap_err(),
        @"session-time limit of 5000 ms reached: 5000 ms"
    );
}

#[tokio::test(start_paused = true)]
async fn the_session_ends_what_waits_for_something_else() {
    let start = Instant::now();
    let policy = policy(3);
    let plan = Plan {
        tool: "a__b",
        max_attempts: 3,
        retry: &policy.retry,
        limits: CallLimits::default(),
        deadline: Some(Deadline::after(Duration::from_secs(5))),
    };
    let attempts = plan.carry_out((), |_, ()| std::future::pending(), || 0, |_| {}).await;
    assert!(start.elapsed() < Duration::from_millis(5_050), "{:?}", start.elapsed());
    let error = attempts.last.output.result.unwrap_err();
    assert_eq!(error.limit_reached().map(|limit| limit.what), Some(Resource::SessionTime));
    assert_eq!(attempts.log.len(), 1);
}
