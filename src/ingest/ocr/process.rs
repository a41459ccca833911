//! Runs a program with an input and returns its output, with a deadline, a limit on the output and system limits. The program is
//! killed when the caller stops waiting.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mitt_base::{Error, ErrorKind, Resource, Result, lock, panics, text};

/// Most bytes of an output.
const MAX_ANSWER: u64 = 16 << 20;

/// Bytes of standard error that are kept.
const MAX_SAID: u64 = 2_048;

/// How long a program that has closed its output may take to exit.
const ENDING: Duration = Duration::from_secs(2);

/// Environment variables that are passed on: the folder of its data, and one that Windows needs to start programs.
const PASSED_ON: [&str; 2] = ["TESSDATA_PREFIX", "SystemRoot"];

/// Program to run, with its input.
pub(super) struct Run<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: Vec<String>,
    pub(super) input: Arc<[u8]>,
    pub(super) time: Duration,
}

/// Program that runs, or must not be started any more.
#[derive(Default)]
struct Running {
    child: Option<Child>,
    is_over: bool,
}

/// Ends a program when the caller stops waiting.
struct EndOnDrop(Arc<Mutex<Running>>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        let mut running = lock(&self.0);
        running.is_over = true;
        if let Some(child) = &mut running.child {
            end(child);
        }
    }
}

impl Run<'_> {
    /// Returns the standard output of the program. `held` is dropped when the program has really ended.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] - its time is over, or it writes too much. [`ErrorKind::Host`] - it cannot be started, or it failed.
    pub(super) async fn answer(self, held: impl Send + 'static) -> Result<Vec<u8>> {
        let running = Arc::<Mutex<Running>>::default();
        let _ended = EndOnDrop(running.clone());
        let command = self.command();
        let (time, input) = (self.time, self.input);
        let talking = tokio::task::spawn_blocking(move || {
            let answer = talk(command, &input, &running);
            drop(held);
            answer
        });
        match tokio::time::timeout(time, talking).await {
            Ok(answer) => answer.map_err(|_| panics::noticed("recognising text"))?,
            Err(_) => {
                let milliseconds = time.as_millis() as u64;
                Err(Error::limit(Resource::Time, milliseconds, milliseconds))
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the operator configured this program")]
    fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            // Several pages are read in parallel; several threads for each would be slower in total.
            .env("OMP_THREAD_LIMIT", "1")
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;

            // Ctrl-C is for the host.
            command.process_group(0).current_dir("/");
        }
        command
    }
}

/// Starts the program, writes the input, and reads the output.
fn talk(mut command: Command, input: &[u8], running: &Mutex<Running>) -> Result<Vec<u8>> {
    let failed = |error: std::io::Error| {
        Error::new(ErrorKind::Host, "the program for text in pictures cannot be started")
            .caused_by(error)
    };
    let (stdin, stdout, stderr) = {
        let mut running = lock(running);
        if running.is_over {
            return Err(Error::new(ErrorKind::Cancelled, "nobody waits for it"));
        }
        let child = running.child.insert(command.spawn().map_err(failed)?);
        system::restrict(child);
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    };
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
        return Err(Error::bug("a program has no pipes"));
    };
    let answered = std::thread::scope(|scope| {
        let said = scope.spawn(move || {
            let mut said = Vec::new();
            let mut stderr = stderr;
            let _ = stderr.by_ref().take(MAX_SAID).read_to_end(&mut said);
            // The rest is discarded, so that the program does not block.
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
            said
        });
        scope.spawn(move || {
            // The program may not read all of it.
            let _ = stdin.write_all(input);
        });
        let mut answer = Vec::new();
        let read = stdout.take(MAX_ANSWER + 1).read_to_end(&mut answer);
        if answer.len() as u64 > MAX_ANSWER
            && let Some(child) = &mut lock(running).child
        {
            end(child);
        }
        let status = ended(running);
        (read.map(|_| answer), status, said.join().unwrap_or_default())
    });
    let (answer, status, said) = answered;
    let answer = answer.map_err(failed)?;
    if answer.len() as u64 > MAX_ANSWER {
        return Err(Error::limit(Resource::Output, MAX_ANSWER, answer.len() as u64));
    }
    if !status.is_some_and(|status| status.success()) {
        let status = status.map_or("it does not end".to_owned(), |status| status.to_string());
        let said = text::shortened(&text::one_line(String::from_utf8_lossy(&said).trim()), 300);
        let message = format!("the program for text in pictures failed ({status}): {said}");
        return Err(Error::new(ErrorKind::Host, message));
    }
    Ok(answer)
}

/// Waits for the end of a program that has closed its output.
fn ended(running: &Mutex<Running>) -> Option<std::process::ExitStatus> {
    const STEP: Duration = Duration::from_millis(2);
    let mut waited = Duration::ZERO;
    loop {
        {
            let mut running = lock(running);
            let child = running.child.as_mut()?;
            if let Ok(Some(status)) = child.try_wait() {
                return Some(status);
            }
            if waited >= ENDING {
                end(child);
                let _ = child.wait();
                return None;
            }
        }
        std::thread::sleep(STEP);
        waited += STEP;
    }
}

/// Kills the program with its child processes, unless it was waited for: its process id may have been reused then.
fn end(child: &mut Child) {
    if let Ok(None) = child.try_wait() {
        system::kill_group(child);
        let _ = child.kill();
    }
}

#[cfg(unix)]
mod system {
    use std::process::Child;

    use rustix::process::{Pid, Signal, kill_process_group, setpriority_process};

    /// Niceness of the program.
    const NICE: i32 = 10;

    /// Sets limits before the program receives any input.
    pub(super) fn restrict(child: &Child) {
        let Some(pid) = number(child) else { return };
        // A failure to lower the priority does not matter.
        let _ = setpriority_process(Some(pid), NICE);
        #[cfg(any(target_os = "linux", target_os = "android"))]
        limits(pid);
    }

    /// The program reads files of its languages, writes none, dumps no core, and has memory for a page.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn limits(pid: Pid) {
        use rustix::process::{Resource, Rlimit, prlimit};

        const MEMORY: u64 = 2 << 30;
        const FILES: u64 = 64;
        // Processor time: this process enforces the wall clock, but the limit also holds if this process ends.
        const SECONDS: u64 = 300;
        for (resource, most) in [
            (Resource::As, MEMORY),
            (Resource::Cpu, SECONDS),
            (Resource::Fsize, 0),
            (Resource::Core, 0),
            (Resource::Nofile, FILES),
        ] {
            // If the limit is refused, limits of time and output still apply.
            let _ =
                prlimit(Some(pid), resource, Rlimit { current: Some(most), maximum: Some(most) });
        }
    }

    pub(super) fn kill_group(child: &Child) {
        if let Some(pid) = number(child) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    fn number(child: &Child) -> Option<Pid> {
        i32::try_from(child.id()).ok().and_then(Pid::from_raw)
    }
}

/// On other systems the wall clock is the only limit.
#[cfg(not(unix))]
mod system {
    use std::process::Child;

    pub(super) fn restrict(_: &Child) {}

    pub(super) fn kill_group(_: &Child) {}
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(script: &str, time: Duration) -> Run<'static> {
        let arguments = vec!["-c".to_owned(), script.to_owned()];
        Run { program: Path::new("/bin/sh"), arguments, input: b"given"[..].into(), time }
    }

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn a_program_answers_what_it_is_given() {
        assert_eq!(run("cat; echo", LONG).answer(()).await.unwrap(), b"given\n");
        let error = run("echo no such thing >&2; exit 3", LONG).answer(()).await.unwrap_err();
        assert!(error.to_string().contains("no such thing"), "{error}");
        // It inherits none of this process's environment.
        let environment = run("env", LONG).answer(()).await.unwrap();
        assert!(!String::from_utf8_lossy(&environment).contains("CARGO"));
    }

    #[tokio::test]
    async fn time_and_answers_are_bounded() {
        let error = run("sleep 1000", Duration::from_millis(50)).answer(()).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
        let error = run("yes", LONG).answer(()).await.unwrap_err();
        assert!(error.to_string().contains("output"), "{error}");
        // Neither an output nor an end.
        let error = run("exec >&-; sleep 1000", LONG).answer(()).await.unwrap_err();
        assert!(error.to_string().contains("does not end"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn it_is_limited_before_it_is_given_anything() {
        let limits = run("cat >/dev/null; ulimit -v; ulimit -c; ulimit -n", LONG).answer(()).await;
        assert_eq!(String::from_utf8(limits.unwrap()).unwrap(), "2097152\n0\n64\n");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_does_not_wait_ends_it() {
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        let waiting = tokio::spawn(async move { run("sleep 1000", LONG).answer(sender).await });
        // Whether or not it was started already.
        tokio::time::sleep(Duration::from_millis(50)).await;
        waiting.abort();
        // What it holds is released when it has ended.
        assert!(tokio::time::timeout(LONG, receiver).await.unwrap().is_err());
    }
}
