//! Processor time: busy calls of one tenant beside another's.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mitt::{Host, SessionOptions};
use mitt_serve::mcp::ServerOptions;
use serde_json::json;

use super::{Two, two};
use crate::http::client::SOON;
use crate::support::TestSkill;

/// A tool that counts down from `n`.
const COUNT: &str = r#"(component
    (core module $m (func (export "run") (param $n i32)
        (loop
            (local.set $n (i32.sub (local.get $n) (i32.const 1)))
            (br_if 0 (local.get $n)))))
    (core instance $i (instantiate $m))
    (func (export "run") (param "n" u32) (canon lift (core func $i "run"))))"#;

/// About a tenth of a second of work: many ticks.
const WORK: u32 = 200_000_000;

async fn count(host: &Host, tenant: &str, n: u32) {
    let options = SessionOptions { tenant: Some(tenant.into()), ..SessionOptions::default() };
    let session = host.session(options).unwrap();
    let report = session.call("count__run", &format!("{{\"n\": {n}}}")).await;
    report.result.unwrap();
}

/// Returns how many calls of one tenant have ended when the single, equally long call of another tenant, which came last,
/// has ended.
fn overtaken(runtime: tokio::runtime::Builder) -> usize {
    let mut runtime = runtime;
    let skill = TestSkill::new("count", COUNT, "limits: { time: 60s }");
    runtime.enable_all().build().unwrap().block_on(async {
        let host = skill.host();
        count(&host, "warm", 1).await;
        let ended = Arc::new(AtomicUsize::new(0));
        let busy: Vec<_> = (0..16)
            .map(|_| {
                let (host, ended) = (host.clone(), ended.clone());
                tokio::spawn(async move {
                    count(&host, "mallory", WORK).await;
                    ended.fetch_add(1, Ordering::SeqCst);
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(30)).await;
        let hers = tokio::spawn(async move { count(&host, "alice", WORK).await });
        hers.await.unwrap();
        let overtaken = ended.load(Ordering::SeqCst);
        for task in busy {
            task.await.unwrap();
        }
        overtaken
    })
}

#[test]
fn a_tenant_with_sixteen_busy_calls_has_half_of_the_time() {
    let threads = |count| {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.worker_threads(count);
        runtime
    };
    for (name, runtime) in [
        ("one thread", tokio::runtime::Builder::new_current_thread()),
        ("two threads", threads(2)),
        ("many threads", threads(6)),
    ] {
        let overtaken = overtaken(runtime);
        // Without turns it would be nearly all of them.
        assert!(
            overtaken <= 5,
            "{name}: {overtaken} of 16 ended before the one that takes as long"
        );
    }
}

/// Over HTTP, with the threads of the program.
#[test]
fn busy_guests_delay_neither_others_nor_the_protocol() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(cores + 2).enable_all().build().unwrap().block_on(async {
        let Two { server, mallory, mut alice, .. } = two(ServerOptions::default(), |_| {}).await;
        let mut spinning = Vec::new();
        for _ in 0..16 {
            let mut client = mallory.again().await;
            spinning.push(tokio::spawn(async move {
                client.modern_call("conformance__spin", json!({})).await
            }));
        }
        let begun = Instant::now();
        while server.server.running_calls() < 16 {
            assert!(begun.elapsed() < SOON * 3);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let mut health = alice.again().await;
        let begun = Instant::now();
        for _ in 0..20 {
            assert_eq!(health.get("/healthz").await.status, 200);
            let answer = alice.modern_call("conformance__empty", json!({})).await;
            assert_eq!(answer["result"]["isError"], false, "{answer}");
        }
        assert!(begun.elapsed() < SOON * 2, "{:?}", begun.elapsed());
        spinning.iter().for_each(tokio::task::JoinHandle::abort);
    });
}

/// Eight sessions upload two large tables each, on one thread, which also has a timer: if the tables were read on this
/// thread, the timer would stand still for nearly all of the time.
#[tokio::test]
async fn large_texts_are_not_read_on_the_threads_of_the_protocol() {
    let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
    let line = "region,month,amount,1.25,\"a, b\",2024-01-01\n";
    let table = line.repeat(3_750_000 / line.len()).into_bytes();
    let prose = "Some words, *and* more of [them](https://example.org).\n\n".repeat(20_000);
    let timer = tokio::spawn(async {
        let mut longest = Duration::ZERO;
        loop {
            let since = Instant::now();
            tokio::time::sleep(Duration::from_millis(5)).await;
            longest = longest.max(since.elapsed());
            LONGEST.fetch_max(longest.as_millis() as usize, Ordering::Relaxed);
        }
    });
    // The timer runs before the first of them.
    tokio::time::sleep(Duration::from_millis(20)).await;
    let begun = Instant::now();
    let uploads: Vec<_> = (0..16)
        .map(|number| {
            let tenant = Some(format!("tenant {}", number / 2));
            let session = host.session(SessionOptions { tenant, ..SessionOptions::default() });
            let (name, bytes) = match number % 8 {
                7 => ("a.md", prose.clone().into_bytes()),
                _ => ("a.csv", table.clone()),
            };
            let session = session.unwrap();
            tokio::spawn(async move { session.add_document_bytes(name, bytes).await.map(drop) })
        })
        .collect();
    for upload in uploads {
        upload.await.unwrap().unwrap();
    }
    let all = begun.elapsed();
    // A timer that is late at the end counts too.
    tokio::time::sleep(Duration::from_millis(20)).await;
    timer.abort();
    let longest = Duration::from_millis(LONGEST.load(Ordering::Relaxed) as u64);
    assert!(longest * 4 < all, "the timer stood still for {longest:?} of {all:?}");
}

/// In milliseconds.
static LONGEST: AtomicUsize = AtomicUsize::new(0);
