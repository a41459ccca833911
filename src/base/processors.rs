//! Number of processors that this process may use.

use std::sync::OnceLock;

/// Returns the number of processors that this process may use, at least 1.
///
/// The number is that of [`std::thread::available_parallelism`], which opens files of control groups each time. A short command
/// needs the number in several places, so it is determined once: a quota that changes while the process runs is not noticed.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}
