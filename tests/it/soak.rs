//! One host for a long time: calls of every kind, sessions that come and go, files, reloads, failures. The resources of a
//! process grow while it warms up, and then no more.
//!
//! Some thousand calls by default; `MITT_SOAK_CALLS=1000000` is the long form, which writes its curve to
//! `target/tmp/soak.csv`.

mod clients;
mod curve;
mod work;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use curve::Curve;

use crate::support::cache;

/// Set in the process that works, which is separate because other tests would disturb its curve.
const ROLE: &str = "MITT_SOAK_ROLE";

/// The default number of calls.
const CALLS: u64 = 3_000;

/// Points of the curve.
const POINTS: u64 = 24;

fn calls() -> u64 {
    std::env::var("MITT_SOAK_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(CALLS)
}

#[test]
fn a_host_that_works_for_long_grows_no_more() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "soak::the_process_that_works", "--nocapture"])
        .env(ROLE, "worker")
        .env("MITT_CACHE_DIR", cache())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stderr}", output.status);
    let curve = Curve::read(&stderr);
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("soak.csv");
    std::fs::write(file, curve.csv()).unwrap();
    eprintln!("{stderr}");
    if let Err(problem) = curve.judge() {
        panic!("{problem}\n{}", curve.csv());
    }
}

#[test]
fn the_process_that_works() {
    if std::env::var(ROLE).is_err() {
        return;
    }
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(work::work(calls(), POINTS));
}
