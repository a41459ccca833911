//! What is measured of a process and of a work.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A process that ran to its end.
pub(crate) struct Measured {
    pub(crate) time: Duration,
    /// The most memory that it had, in bytes; 0 where the system does not say.
    pub(crate) memory: u64,
    pub(crate) output: Output,
}

/// Run a program several times: the one of the middle.
pub(crate) fn processes(mut command: impl FnMut() -> Command) -> Measured {
    let mut all: Vec<_> = (0..runs()).map(|_| process(command())).collect();
    all.sort_by_key(|measured| measured.time);
    let middle = all.len() / 2;
    all.swap_remove(middle)
}

fn process(mut command: Command) -> Measured {
    let start = Instant::now();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let watch = std::thread::spawn(move || {
        let mut most = 0;
        // The status of a process that has ended and was not waited for has no such line.
        while let Some(peak) = peak_memory(pid) {
            most = most.max(peak);
            std::thread::sleep(Duration::from_millis(5));
        }
        most
    });
    let output = child.wait_with_output().unwrap();
    let time = start.elapsed();
    Measured { time, memory: watch.join().unwrap(), output }
}

fn peak_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The median of some runs.
pub(crate) fn median(mut work: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<_> = (0..runs()).map(|_| work()).collect();
    times.sort();
    times[times.len() / 2]
}

/// How often each is run: `MITT_BENCH_RUNS`, by default 5.
fn runs() -> usize {
    std::env::var("MITT_BENCH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(5).max(1)
}

pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}

pub(crate) fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        long if long >= 0.1 => format!("{long:.2} s"),
        short => format!("{:.2} ms", short * 1_000.0),
    }
}
