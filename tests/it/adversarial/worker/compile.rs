//! Components that take long to compile, with a worker and without one.

use super::*;
use crate::support::{TestSkill, call};

/// Returns a component whose compilation takes many seconds in all, but not long for any one function.
fn slow_component(functions: usize) -> TestSkill {
    let mut body = String::new();
    for number in 0..functions {
        body.push_str("(func (param i64 i64) (result i64) (local i64)");
        for step in 0..400 {
            body.push_str(&format!(
                "(local.set 2 (i64.add (i64.mul (local.get 0) (i64.const {})) (i64.xor (local.get 1) (local.get 2))))\
                 (if (i64.eqz (local.get 2)) (then (local.set 0 (i64.rotl (local.get 1) (i64.const {})))))",
                number * 1_000 + step,
                step % 60 + 1
            ));
        }
        body.push_str("(local.get 2))");
    }
    let wat = format!(
        r#"(component
            (core module $m {body} (func (export "run")))
            (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#
    );
    TestSkill::new("slow", &wat, "")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_component_that_a_worker_compiled_runs() {
    let (options, tag) = tagged();
    let skill = TestSkill::new(
        "small",
        r#"(component
            (core module $m (func (export "run") (result i32) i32.const 42))
            (core instance $i (instantiate $m))
            (func (export "run") (result u32) (canon lift (core func $i "run"))))"#,
        "",
    );
    let required = WorkerOptions { required: true, ..options };
    let host =
        Host::builder().no_cache().bundled_skills(false).skills(skill.path()).worker(required);
    let session = open(&host.build().unwrap(), "a");
    let report = call(&session, "small__run").await;
    assert_eq!(report.result.unwrap().to_string(), "42");
    // A worker that has compiled is not reused.
    gone(&tag);
    // Compile errors have the same text.
    let asynchronous = r#"(component
        (core module $m (func (export "run") (param i32) (result i32) i32.const 0))
        (core instance $i (instantiate $m))
        (type $s (stream u8))
        (func (export "run") (param "x" $s) (result u32) (canon lift (core func $i "run"))))"#;
    let skill = TestSkill::new("strange", asynchronous, "");
    let host = Host::builder().no_cache().bundled_skills(false).skills(skill.path());
    let with = open(&host.clone().worker(tagged().0).build().unwrap(), "a");
    let without = open(&host.build().unwrap(), "a");
    let error = |report: CallReport| report.result.unwrap_err().render();
    assert_eq!(
        error(call(&with, "strange__run").await),
        error(call(&without, "strange__run").await)
    );
}

/// Native code never comes from a process that has handled a document.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn native_code_comes_from_a_fresh_process() {
    // A different component in each run, because the cache of the tests is kept.
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let number = since_1970.subsec_nanos() & 0xFFF_FFFF;
    let skill = TestSkill::new(
        "fresh",
        &format!(
            r#"(component
                (core module $m (func (export "run") (result i32) i32.const {number}))
                (core instance $i (instantiate $m))
                (func (export "run") (result u32) (canon lift (core func $i "run"))))"#
        ),
        "",
    );
    let (options, tag) = tagged();
    let host = builder().skills(skill.path()).worker(WorkerOptions { required: true, ..options });
    let session = open(&host.build().unwrap(), "a");
    serves_on(&session).await;
    let before = processes(&tag);
    assert_eq!(before.len(), 1);
    let report = call(&session, "fresh__run").await;
    assert_eq!(report.result.unwrap().to_string(), number.to_string());
    eventually("the one that typeset is gone", || !processes(&tag).contains(&before[0]));
    serves_on(&session).await;
    assert_eq!(processes(&tag).len(), 1);
}

/// Ending a session does not wait for a compilation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_of_a_session_bounds_its_waiting_for_a_component() {
    let skill = slow_component(120);
    let host = Host::builder().no_cache().bundled_skills(false).skills(skill.path());
    let host = host.worker(tagged().0).build().unwrap();
    let time = Some(Duration::from_millis(250));
    let session = host.session(SessionOptions { time, ..SessionOptions::default() }).unwrap();
    limit(&call(&session, "slow__run").await, Resource::SessionTime);
}

/// A long compilation delays only the calls that need it, as long as they want to wait. It runs once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_compilation_ends_its_callers_waiting_and_goes_on() {
    let skill = slow_component(120);
    let (options, tag) = tagged();
    let limits =
        BlockingLimits { load_wait: Duration::from_millis(200), ..BlockingLimits::default() };
    for worker in [Some(options), None] {
        let has_worker = worker.is_some();
        let mut host = builder().cache(None).skills(skill.path()).blocking(limits.clone());
        if let Some(worker) = worker {
            host = host.worker(worker);
        }
        let session = open(&host.build().unwrap(), "a");
        // Compiled first, because this test has no cache.
        eventually_async("another tool", || async {
            let report = deliver(&session, "text", "a.md").await;
            report.result.is_ok()
        })
        .await;
        let calls: Vec<_> = (0..4)
            .map(|_| {
                let session = session.clone();
                tokio::spawn(async move { call(&session, "slow__run").await })
            })
            .collect();
        for one in calls {
            let report = one.await.unwrap();
            assert!(matches!(kind(&report), ErrorKind::Busy { .. }), "{:?}", report.result);
            let error = report.result.unwrap_err();
            assert!(error.to_string().contains("still being compiled"), "{error}");
            assert!(error.is_retryable());
        }
        if has_worker {
            // A wait may end before the worker was started.
            eventually("it is compiled, once for all", || processes(&tag).len() == 1);
        }
        // Other calls are not delayed.
        let report = deliver(&session, "text", "a.md").await;
        assert!(report.result.is_ok(), "{:?}", report.result);
        // It continued although nobody waits for it.
        eventually_async("it is compiled", || async {
            call(&session, "slow__run").await.result.is_ok()
        })
        .await;
    }
}

async fn eventually_async<F: Future<Output = bool>>(what: &str, mut is_so: impl FnMut() -> F) {
    let since = Instant::now();
    while !is_so().await {
        assert!(since.elapsed() < 2 * LONG, "still not: {what}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_compilation_that_reaches_a_limit_is_not_tried_again() {
    let skill = slow_component(120);
    for (limits, what) in [
        (
            BlockingLimits {
                compile_time: Duration::from_millis(300),
                ..BlockingLimits::default()
            },
            Resource::Time,
        ),
        (
            BlockingLimits { compile_memory_bytes: 36 * 1024 * 1024, ..BlockingLimits::default() },
            Resource::Memory,
        ),
    ] {
        let (options, tag) = tagged();
        let host =
            Host::builder().no_cache().bundled_skills(false).skills(skill.path()).blocking(limits);
        let session = open(&host.worker(options).build().unwrap(), "a");
        let report = call(&session, "slow__run").await;
        limit(&report, what);
        let first = report.result.unwrap_err().render();
        assert!(first.starts_with("skill `slow`: compiling the component: "), "{first}");
        gone(&tag);
        // The answer comes from memory, without another process.
        for _ in 0..20 {
            let report = call(&session, "slow__run").await;
            assert_eq!(report.result.unwrap_err().render(), first);
            assert!(processes(&tag).is_empty());
        }
        // Nor does a reload without a change start one.
        session.host().reload().await;
        limit(&call(&session, "slow__run").await, what);
        assert!(processes(&tag).is_empty());
    }
}
