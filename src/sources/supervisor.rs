//! A process between Mitt and a program that it starts: everything that the program starts ends with it, and with Mitt.
//!
//! A process group is not enough, because `setsid` leaves it. On Linux, processes that lose their parent become children of
//! the supervisor (`PR_SET_CHILD_SUBREAPER`), so that none escapes. It kills them all when the program has ended, when Mitt
//! asks for it, or when Mitt is gone for whatever reason. It needs no privileges for that. A program that kills the
//! supervisor itself does escape, as it may kill all processes of its user.

use std::ffi::OsString;
use std::process::ExitCode;

/// The first argument of a supervisor; the program and its arguments follow.
pub(crate) const COMMAND: &str = "mcp-program";

/// Returns `true` if this process was started as a supervisor. A program that passes itself to
/// [`Servers::supervised`](crate::Servers::supervised) must ask this at the start of its `main`.
pub fn is_supervisor() -> bool {
    cfg!(target_os = "linux") && std::env::args_os().nth(1).is_some_and(|it| it == COMMAND)
}

/// Runs as a supervisor: starts the program that the arguments name, and at its end kills everything that it started.
pub fn supervise() -> ExitCode {
    let mut arguments = std::env::args_os().skip(2);
    match arguments.next() {
        Some(program) => system::run(&program, arguments),
        None => ExitCode::from(2),
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::OsStr;
    use std::io::Write as _;
    use std::time::{Duration, Instant};

    use rustix::process::{
        Pid, Signal, WaitOptions, getpid, getppid, kill_process, kill_process_group,
        set_child_subreaper, wait, waitpid,
    };
    use tokio::process::Command;
    use tokio::signal::unix::{SignalKind, signal};

    use super::{ExitCode, OsString};

    /// Interval of the checks whether Mitt still lives and whether processes have ended.
    const CHECK_INTERVAL: Duration = Duration::from_millis(200);

    /// Longest time for ending what the program started. A process that takes longer cannot be killed.
    const END_TIMEOUT: Duration = Duration::from_secs(5);

    #[expect(clippy::disallowed_methods, reason = "Mitt reads what a supervisor writes")]
    pub(super) fn run(program: &OsStr, arguments: impl Iterator<Item = OsString>) -> ExitCode {
        let parent = getppid();
        // If it fails, processes that the program leaves behind escape, which is no reason not to start it.
        let _ = set_child_subreaper(Some(getpid()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let code = match runtime {
            Ok(runtime) => runtime.block_on(watch(program, arguments, parent)),
            Err(error) => Err(error),
        };
        end_children();
        code.unwrap_or_else(|error| {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(127)
        })
    }

    /// Waits until the program has ended or is to end.
    async fn watch(
        program: &OsStr,
        arguments: impl Iterator<Item = OsString>,
        parent: Option<Pid>,
    ) -> std::io::Result<ExitCode> {
        let mut terminated = signal(SignalKind::terminate())?;
        let mut interrupted = signal(SignalKind::interrupt())?;
        let mut child = Command::new(program).args(arguments).process_group(0).spawn()?;
        let own = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let mut tick = tokio::time::interval(CHECK_INTERVAL);
        loop {
            tokio::select! {
                ended = child.wait() => {
                    let code = ended?.code().and_then(|code| u8::try_from(code).ok());
                    return Ok(code.map_or(ExitCode::FAILURE, ExitCode::from));
                }
                _ = terminated.recv() => break,
                _ = interrupted.recv() => break,
                _ = tick.tick() => {
                    if getppid() != parent {
                        break;
                    }
                    reap(own);
                }
            }
        }
        if let Some(own) = own {
            let _ = kill_process_group(own, Signal::KILL);
        }
        Ok(ExitCode::FAILURE)
    }

    /// Reaps ended children except `own`; otherwise they would stay as zombies.
    fn reap(own: Option<Pid>) {
        for child in children() {
            if Some(child) != own {
                let _ = waitpid(Some(child), WaitOptions::NOHANG);
            }
        }
    }

    /// Kills all children, and their children, which become ours when their parent has ended.
    fn end_children() {
        let start = Instant::now();
        loop {
            for child in children() {
                let _ = kill_process(child, Signal::KILL);
            }
            // Reap those that have ended, until there are none or the rest is still ending.
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(_) => return,
                }
            }
            if start.elapsed() > END_TIMEOUT {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Returns the children of this process. Only one of its threads starts any.
    fn children() -> Vec<Pid> {
        let list = std::fs::read_to_string("/proc/thread-self/children").ok();
        let list = list.unwrap_or_else(|| by_parent().unwrap_or_default());
        list.split_ascii_whitespace().filter_map(|it| Pid::from_raw(it.parse().ok()?)).collect()
    }

    /// Does the same on a system without that list.
    fn by_parent() -> Option<String> {
        let own = getpid().as_raw_nonzero().to_string();
        let mut found = String::new();
        for entry in std::fs::read_dir("/proc").ok()?.flatten() {
            let Ok(status) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
            // The name in brackets may hold any character; after it come the state and the parent.
            let parent = status.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?;
            if parent == own {
                found.push_str(&entry.file_name().to_string_lossy());
                found.push(' ');
            }
        }
        Some(found)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::ffi::OsStr;

    use super::{ExitCode, OsString};

    pub(super) fn run(_: &OsStr, _: impl Iterator<Item = OsString>) -> ExitCode {
        ExitCode::from(2)
    }
}
