//! The worker process: what cannot be bounded in the host is ended there, and only there.
//!
//! Processes are identified by a tag in their command line, because other tests run workers at the same time.
#![cfg(target_os = "linux")]

mod compile;
mod process;

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mitt::{
    BlockingLimits, CacheDir, CallLimits, CallReport, ErrorKind, Host, HostBuilder, Resource,
    Session, SessionOptions, WorkerOptions,
};
use serde_json::json;

use crate::support::{TestSkill, cache, kind};

/// Far more than anything here takes, even on a busy machine.
const LONG: Duration = Duration::from_secs(120);

/// Returns options for workers of `mitt`, and the tag that identifies them.
fn tagged() -> (WorkerOptions, String) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let tag = format!("test-{}-{number}", std::process::id());
    let options = WorkerOptions {
        program: Some(env!("CARGO_BIN_EXE_mitt").into()),
        arguments: vec!["worker".into(), OsString::from(&tag)],
        ..WorkerOptions::default()
    };
    (options, tag)
}

/// Returns the processes with `tag` in their command line.
fn processes(tag: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let said = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if let Some(pid) = pid
            && said.split(|byte| *byte == 0).any(|part| part == tag.as_bytes())
        {
            found.push(pid);
        }
    }
    found
}

/// Waits until `is_so`, for a limited time.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < LONG, "still not: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn gone(tag: &str) {
    eventually("the worker is gone", || processes(tag).is_empty());
}

fn builder() -> HostBuilder {
    Host::builder().cache(CacheDir::new(cache()))
}

fn open(host: &Host, tenant: &str) -> Session {
    host.session(SessionOptions { tenant: Some(tenant.into()), ..SessionOptions::default() })
        .unwrap()
}

/// Returns prose that takes about half a second per hundred thousand characters on an idle processor.
fn prose(characters: usize) -> String {
    let mut text = String::new();
    let mut number = 1_u32;
    while text.len() < characters {
        for _ in 0..12 {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(["lorem", "ipsum", "dolor", "sit"][(number >> 16) as usize % 4]);
            text.push_str(&format!("{} ", number >> 22));
        }
        text.push_str("\n\n");
    }
    text
}

async fn deliver(session: &Session, markdown: &str, name: &str) -> CallReport {
    let arguments = json!({ "markdown": markdown, "filename": name }).to_string();
    session.call("report__deliver", &arguments).await
}

/// Checks that an ordinary document is still rendered, and soon.
async fn serves_on(session: &Session) {
    let report = deliver(session, "# Still here", "still.pdf").await;
    assert!(report.result.is_ok(), "{:?}", report.result);
}

#[track_caller]
fn limit(report: &CallReport, what: Resource) {
    match kind(report) {
        ErrorKind::Limit(limit) if limit.what == what => {}
        other => panic!("expected a limit on {what:?}, got {other:?}: {:?}", report.result),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_makes_the_same_files_and_the_same_errors() {
    let (options, tag) = tagged();
    let clock = mitt::Environment { clock: Some(Duration::from_secs(86_400)), seed: None };
    let host = builder().environment(clock);
    let with = open(&host.clone().worker(options).build().unwrap(), "a");
    let without = open(&host.build().unwrap(), "a");
    let documents = [
        "# 报告\n\n**增长** 12.5% `code`\n\n| a | b |\n|--|--|\n| 1 | 2 |\n",
        "",
        "見附錄 한국어 部分",
        "text with \u{E123} and 👨",
        &"x ".repeat(70_000).replace(' ', "\n\n"),
    ];
    for markdown in documents {
        let [one, other] = [&with, &without].map(|session| async move {
            let report = deliver(session, markdown, "a.pdf").await;
            let shown = report.result.as_ref().map(ToString::to_string);
            (report.failure(), shown.map_err(|error| (error.render(), error.kind().clone())))
        });
        let (one, other) = (one.await, other.await);
        assert_eq!(one, other);
        if one.0.is_none() {
            assert_eq!(
                with.artifact_content("a.pdf").unwrap(),
                without.artifact_content("a.pdf").unwrap()
            );
        }
    }
    assert!(!processes(&tag).is_empty(), "nobody was asked");
    // Its processes end with the host.
    drop(with);
    gone(&tag);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_that_takes_long_is_killed_at_the_deadline_of_its_call() {
    let (options, tag) = tagged();
    let most = CallLimits { time: Duration::from_millis(1_500), ..unlimited() };
    let host = builder().call_limits(most).worker(options).build().unwrap();
    let session = open(&host, "a");
    // Loaded first, so that the clock measures only the document.
    let _ = host.registry().tool("report__deliver").await.unwrap();
    let long = prose(900_000);
    for shape in [long.as_str(), &format!("> {long}"), &long.replace("\n\n", "\n\n- ")] {
        let report = deliver(&session, shape, "long.pdf").await;
        limit(&report, Resource::Time);
        // None continues work that nobody waits for.
        gone(&tag);
    }
    assert!(session.artifacts().is_empty());
}

fn unlimited() -> CallLimits {
    CallLimits {
        time: Duration::MAX,
        fuel: u64::MAX,
        memory_bytes: u64::MAX,
        table_elements: u64::MAX,
        instances: u64::MAX,
        handles: u64::MAX,
        output_bytes: u64::MAX,
        transfer_bytes: u64::MAX,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rendering_has_a_time_of_its_own() {
    let limits =
        BlockingLimits { render_time: Duration::from_millis(700), ..BlockingLimits::default() };
    let (options, tag) = tagged();
    let session = open(&builder().blocking(limits).worker(options).build().unwrap(), "a");
    let report = deliver(&session, &prose(900_000), "long.pdf").await;
    limit(&report, Resource::Time);
    let message = report.result.unwrap_err().to_string();
    assert!(message.starts_with("typesetting the document: time limit of 700 ms"), "{message}");
    gone(&tag);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_that_needs_too_much_memory_ends_its_worker_and_nothing_else() {
    let (options, tag) = tagged();
    let limits =
        BlockingLimits { render_memory_bytes: 160 * 1024 * 1024, ..BlockingLimits::default() };
    let session = open(&builder().blocking(limits).worker(options).build().unwrap(), "a");
    for shape in [prose(900_000), table(4_000)] {
        let report = deliver(&session, &shape, "large.pdf").await;
        limit(&report, Resource::Memory);
        let message = report.result.unwrap_err().to_string();
        assert!(
            message.starts_with("typesetting the document: memory limit of 167772160"),
            "{message}"
        );
        serves_on(&session).await;
    }
    assert_eq!(processes(&tag).len(), 1);
}

fn table(rows: usize) -> String {
    let mut table = "| a | b | c | d | e | f |\n|--|--|--|--|--|--|\n".to_owned();
    for row in 0..rows {
        let cells: Vec<_> = (0..6).map(|cell| (row * 7_919 + cell * 104_729).to_string()).collect();
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    table
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_cancelled_renderings_leave_no_process() {
    let (options, tag) = tagged();
    let limits = BlockingLimits { places: 2, per_tenant: 2, ..BlockingLimits::default() };
    let host = builder().blocking(limits).worker(options).build().unwrap();
    let long: Arc<str> = prose(900_000).into();
    let mut most = 0;
    for round in 0..40 {
        let session = open(&host, "a");
        let long = long.clone();
        let task = tokio::spawn(async move { deliver(&session, &long, "long.pdf").await });
        tokio::time::sleep(Duration::from_millis(60 + round % 7 * 30)).await;
        most = most.max(processes(&tag).len());
        task.abort();
    }
    assert!((1..=2).contains(&most), "{most} processes for 2 places");
    serves_on(&open(&host, "a")).await;
    // The worker that answered is kept for a while, idle.
    eventually("at most one is left", || processes(&tag).len() <= 1);
    drop(host);
    gone(&tag);
}

/// If processes cannot be killed, threads run on until they notice; but there are never more than places, and each gives its
/// place back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_cancelled_renderings_have_few_threads_without_a_worker() {
    let limits = BlockingLimits { places: 2, per_tenant: 2, ..BlockingLimits::default() };
    let host = builder().blocking(limits).build().unwrap();
    let long: Arc<str> = prose(500_000).into();
    // Load it and unpack its fonts before threads are counted.
    serves_on(&open(&host, "a")).await;
    let mut most = 0;
    for _ in 0..40 {
        let session = open(&host, "a");
        let long = long.clone();
        let task = tokio::spawn(async move { deliver(&session, &long, "long.pdf").await });
        for _ in 0..8 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            most = most.max(threads_named("mitt-pdf"));
        }
        // On a busy machine the first one begins late.
        while most == 0 && !task.is_finished() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            most = threads_named("mitt-pdf");
        }
        task.abort();
    }
    // Other tests render at the same time, but few.
    assert!((1..20).contains(&most), "{most} threads for 2 places");
    let report = deliver(&open(&host, "a"), "# Still here", "still.pdf").await;
    assert!(report.result.is_ok(), "{:?}", report.result);
}

/// Returns the number of threads of this process with this name.
fn threads_named(name: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks
        .filter(|task| {
            std::fs::read_to_string(task.path().join("comm")).is_ok_and(|it| it.trim() == name)
        })
        .count()
}

/// Fonts of the host reach its workers, which report a file that is not a font.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_has_the_fonts_of_its_host() {
    // The last of Typst's own fonts, which the bundled set leaves out.
    let font: Vec<Arc<[u8]>> = typst_assets::fonts().map(Arc::from).collect();
    for (fonts, is_good) in [(font, true), (vec![Arc::from(&b"no font"[..])], false)] {
        let (options, tag) = tagged();
        let clock = mitt::Environment { clock: Some(Duration::ZERO), seed: None };
        let mut host = builder().environment(clock);
        for font in fonts {
            host = host.font(font);
        }
        let with = open(&host.clone().worker(options).build().unwrap(), "a");
        let without = open(&host.build().unwrap(), "a");
        for text in ["# Signs\n\n∑ ⊕ ℵ", "# Again"] {
            let (one, other) =
                (deliver(&with, text, "a.pdf").await, deliver(&without, text, "a.pdf").await);
            assert_eq!(one.result.is_ok(), is_good, "{:?}", one.result);
            assert_eq!(one.failure(), other.failure());
            if is_good {
                let content = |session: &Session| session.artifact_content("a.pdf").unwrap();
                assert_eq!(content(&with), content(&without));
            }
        }
        assert_eq!(processes(&tag).len(), 1);
    }
}

/// More fonts than the size limit of a component.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_fonts_are_handed_to_a_worker_that_typesets() {
    let mut font = typst_assets::fonts().next().unwrap().to_vec();
    font.resize(80 * 1024 * 1024, 0);
    let (options, tag) = tagged();
    let options = WorkerOptions { required: true, ..options };
    let skill = TestSkill::new("small", SMALL, "");
    let host = builder().skills(skill.path()).font(font).worker(options).build().unwrap();
    let session = open(&host, "a");
    serves_on(&session).await;
    assert!(!processes(&tag).is_empty(), "nobody was asked");
    // Another component compiles, which was not there before.
    let report = session.call("small__run", "{}").await;
    assert!(report.result.is_ok(), "{:?}", report.result);
}

const SMALL: &str = r#"(component (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"#;

/// If one tenant has many waiting renderings, another's comes after one of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_waiting_renderings_delay_another_tenant_by_one() {
    let limits = BlockingLimits { places: 1, per_tenant: 1, ..BlockingLimits::default() };
    for worker in [Some(tagged().0), None] {
        let mut host = builder().blocking(limits.clone());
        if let Some(worker) = worker {
            host = host.worker(worker);
        }
        let host = host.build().unwrap();
        serves_on(&open(&host, "c")).await;
        let long: Arc<str> = prose(60_000).into();
        let done = Arc::new(AtomicU64::new(0));
        let many: Vec<_> = (0..16)
            .map(|_| {
                let (session, long, done) = (open(&host, "a"), long.clone(), done.clone());
                tokio::spawn(async move {
                    let report = deliver(&session, &long, "a.pdf").await;
                    done.fetch_add(1, Ordering::SeqCst);
                    report.result.map(drop)
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(300)).await;
        let before = done.load(Ordering::SeqCst);
        let report = deliver(&open(&host, "b"), "# B", "b.pdf").await;
        assert!(report.result.is_ok(), "{:?}", report.result);
        let between = done.load(Ordering::SeqCst) - before;
        // The one that runs, one that got the place at the same moment, and one for counting itself.
        assert!(before < 12 && between <= 3, "{between} came before, after {before}");
        for one in many {
            one.await.unwrap().unwrap();
        }
    }
}

/// Waiting for a place does not count as time of the call, and is bounded.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_for_a_place_ends_as_busy() {
    let wait = Duration::from_millis(300);
    let limits = BlockingLimits { places: 1, per_tenant: 1, wait, ..BlockingLimits::default() };
    let (options, _) = tagged();
    let host = builder().blocking(limits).worker(options).build().unwrap();
    let (one, other) = (open(&host, "a"), open(&host, "b"));
    let _ = host.registry().tool("report__deliver").await.unwrap();
    let long = prose(900_000);
    let (first, second) = tokio::join!(deliver(&one, &long, "long.pdf"), async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        deliver(&other, "# B", "b.pdf").await
    });
    drop(first);
    assert!(matches!(kind(&second), ErrorKind::Busy { .. }), "{:?}", second.result);
    let error = second.result.unwrap_err().to_string();
    assert!(
        error.contains("too many files to read or render and components to compile"),
        "{error}"
    );
}
