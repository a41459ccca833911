//! A noisy neighbour: what one tenant's busy calls cost another's short ones.

use std::time::Duration;

use criterion::Criterion;
use mitt::{Host, Session, SessionOptions};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use super::{EMPTY, median};

/// A tool that counts down from `n`.
const COUNT: &str = r#"(component
    (core module $m (func (export "run") (param $n i32)
        (loop
            (local.set $n (i32.sub (local.get $n) (i32.const 1)))
            (br_if 0 (local.get $n)))))
    (core instance $i (instantiate $m))
    (func (export "run") (param "n" u32) (canon lift (core func $i "run"))))"#;

/// Busy calls at once: as many as a tenant may have.
const BUSY: usize = 16;

/// A few milliseconds of work.
const WORK: &str = r#"{"n": 5000000}"#;

fn session(host: &Host, tenant: &str) -> Session {
    let options = SessionOptions { tenant: Some(tenant.into()), ..SessionOptions::default() };
    host.session(options).unwrap()
}

/// Start calls that go on until they are stopped.
fn noise(runtime: &Runtime, host: &Host) -> Vec<JoinHandle<()>> {
    let busy = |_| {
        let session = session(host, "noisy");
        runtime.spawn(async move {
            loop {
                session.call("count__run", r#"{"n": 1000000000}"#).await.result.unwrap();
            }
        })
    };
    (0..BUSY).map(busy).collect()
}

pub(crate) fn neighbour(c: &mut Criterion) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // As `mitt serve` has it.
    let runtime =
        Builder::new_multi_thread().worker_threads(cores + 2).enable_all().build().unwrap();
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .component_bytes("empty", wat::parse_str(EMPTY).unwrap())
        .component_bytes("count", wat::parse_str(COUNT).unwrap())
        .build()
        .unwrap();
    let quiet = session(&host, "quiet");
    let call = |tool: &'static str, arguments: &'static str| {
        let quiet = quiet.clone();
        // On a thread of the runtime, as a request is.
        let call = runtime.spawn(async move { quiet.call(tool, arguments).await.result });
        runtime.block_on(call).unwrap().unwrap();
    };
    let (empty, short) = (|| call("empty__run", "{}"), || call("count__run", WORK));
    let times = || [median(200, empty), median(50, short)];
    c.bench_function("neighbour: an empty call alone", |b| b.iter(empty));
    let alone = times();
    let busy = noise(&runtime, &host);
    std::thread::sleep(Duration::from_millis(200));
    c.bench_function("neighbour: an empty call beside 16 busy ones", |b| b.iter(empty));
    let beside = times();
    busy.iter().for_each(JoinHandle::abort);
    for (what, alone, beside) in
        [("an empty call", alone[0], beside[0]), ("a call of some ms", alone[1], beside[1])]
    {
        let ratio = beside.as_secs_f64() / alone.as_secs_f64();
        eprintln!(
            "{what} takes {alone:?} alone, {beside:?} beside {BUSY} busy ones: {ratio:.1} times"
        );
    }
}
