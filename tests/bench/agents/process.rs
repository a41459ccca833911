//! What the system says of a process. Nothing, where it has no `/proc`.

use std::time::Duration;

/// Processor time of a process so far, its threads together: fields 14 and 15 of `proc_pid_stat(5)`, in hundredths of a
/// second.
pub(crate) fn cpu_time(id: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(|it| it.parse::<u64>().ok());
    Some(Duration::from_millis(10 * ticks.sum::<Option<u64>>()?))
}

/// Memory of a process in bytes: what it has, and the most that it had.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) now: u64,
    pub(crate) peak: u64,
}

/// Those of a process; none of one that has ended, even if nobody waited for it.
pub(crate) fn memory(id: u32) -> Option<Memory> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let bytes = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
    };
    Some(Memory { now: bytes("VmRSS:")?, peak: bytes("VmHWM:")? })
}
