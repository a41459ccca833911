//! Measures the resources of a process repeatedly, and decides whether they grow.

use std::fmt::Write as _;
use std::fs;

const HEAD: &str = "calls,seconds,rss_kib,threads,files,sockets";

/// Allowed growth after the warm-up, in KiB: the allocator keeps some pages, and a journal of 16 MiB fills.
const MEMORY_KIB: u64 = 64 * 1024;

/// Allowed growth as a percentage of the earlier value.
const MEMORY_PERCENT: u64 = 10;

/// Threads, files and sockets that may exist at one point by chance, such as a pool's thread that has not ended yet.
const CHANCE: u64 = 6;

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) calls: u64,
    pub(super) seconds: u64,
    pub(super) rss_kib: u64,
    pub(super) threads: u64,
    pub(super) files: u64,
    pub(super) sockets: u64,
}

impl Point {
    /// Measures the resources of this process.
    pub(super) fn now(calls: u64, seconds: u64) -> Point {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let number = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
        };
        let entries = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
        let links: Vec<_> = entries.filter_map(|entry| fs::read_link(entry.path()).ok()).collect();
        let sockets = links.iter().filter(|link| link.to_string_lossy().starts_with("socket:"));
        Point {
            calls,
            seconds,
            rss_kib: number("VmRSS:"),
            threads: number("Threads:"),
            sockets: sockets.count() as u64,
            files: links.len() as u64,
        }
    }

    pub(super) fn line(&self) -> String {
        let Point { calls, seconds, rss_kib, threads, files, sockets } = self;
        format!("{calls},{seconds},{rss_kib},{threads},{files},{sockets}")
    }
}

pub(super) struct Curve {
    pub(super) points: Vec<Point>,
}

impl Curve {
    /// Parses the points among the output lines of the process.
    pub(super) fn read(text: &str) -> Curve {
        let point = |line: &str| {
            let numbers: Option<Vec<u64>> =
                line.trim().split(',').map(|it| it.parse().ok()).collect();
            let [calls, seconds, rss_kib, threads, files, sockets] = numbers?.try_into().ok()?;
            Some(Point { calls, seconds, rss_kib, threads, files, sockets })
        };
        Curve { points: text.lines().filter_map(point).collect() }
    }

    pub(super) fn csv(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for point in &self.points {
            let _ = writeln!(text, "{}", point.line());
        }
        text
    }

    /// Compares the second quarter with the last half: after the warm-up, values must stay.
    pub(super) fn judge(&self) -> Result<(), String> {
        let quarter = self.points.len() / 4;
        if quarter < 2 {
            return Err(format!("only {} points", self.points.len()));
        }
        let before = &self.points[quarter..quarter * 2];
        let after = &self.points[quarter * 2..];
        let median = |points: &[Point], of: fn(&Point) -> u64| {
            let mut numbers: Vec<u64> = points.iter().map(of).collect();
            numbers.sort_unstable();
            numbers[numbers.len() / 2]
        };
        type Of = fn(&Point) -> u64;
        let counted: [(&str, Of); 3] =
            [("threads", |it| it.threads), ("files", |it| it.files), ("sockets", |it| it.sockets)];
        for (what, of) in counted {
            let (before, after) = (median(before, of), median(after, of));
            if after > before + CHANCE {
                return Err(format!("{what} grow: {before}, then {after}"));
            }
        }
        let of: Of = |it| it.rss_kib;
        let (before, after) = (median(before, of), median(after, of));
        if after > before + before * MEMORY_PERCENT / 100 + MEMORY_KIB {
            return Err(format!("memory grows: {before} KiB, then {after} KiB"));
        }
        Ok(())
    }
}

/// Returns a curve of 24 points that grows by `step` KiB and by threads and files at each point.
fn growing(step: u64, threads: u64, files: u64) -> Curve {
    let point = |at: u64| Point {
        calls: at,
        seconds: at,
        rss_kib: 300_000 + step * at,
        threads: 8 + threads * at,
        files: 10 + files * at,
        sockets: 2,
    };
    Curve { points: (0..24).map(point).collect() }
}

#[test]
fn a_leak_is_seen() {
    assert_eq!(growing(0, 0, 0).judge(), Ok(()));
    assert_eq!(growing(1_000, 0, 0).judge(), Ok(()));
    assert!(growing(20_000, 0, 0).judge().unwrap_err().contains("memory"));
    assert!(growing(0, 1, 0).judge().unwrap_err().contains("threads"));
    assert!(growing(0, 0, 1).judge().unwrap_err().contains("files"));
    // Growth only during the warm-up is not a leak.
    let mut curve = growing(0, 0, 0);
    curve.points[0].rss_kib = 1_000;
    curve.points.push(curve.points[0]);
    assert_eq!(curve.judge(), Ok(()));
    assert_eq!(Curve::read(&format!("noise\n{}", curve.csv())).points, curve.points);
}
