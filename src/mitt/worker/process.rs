//! One worker process as seen from the host: starts it, sends it jobs, kills it, and finds out why it died.
//!
//! Blocks; each process has a thread of its own (`pool.rs`). Apart from `ocr/process.rs` this is the only file that starts a
//! program.

use std::io::{self, BufReader, BufWriter, Read as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::frame::{self, MAX_HEAD_BYTES};
use super::message::{Hello, Job, JobOutput, ReplyHead, Request};
use super::{END_OF_JOB, MARK, MAX_FONT_BYTES, WorkerOptions};
use crate::engine::ProblemSink;
use mitt_base::{Error, ErrorKind, Limit, Resource, lock, panics};

/// Last bytes of standard error that are kept.
const MAX_SAID_BYTES: usize = 4 * 1024;

/// How long a process that has closed its output may take to exit.
const ENDING: Duration = Duration::from_secs(2);

/// Most threads of a compilation or a layout in a worker.
const MAX_THREADS: usize = 4;

/// Process with its pipes. Dropping it kills the process and waits for it.
pub(super) struct Process {
    kill: Kill,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Last lines of its standard error since the end of its last job. They may quote a document, so they never go into a result.
    said: Arc<Mutex<Vec<u8>>>,
    listener: std::thread::JoinHandle<()>,
    crashes: Option<ProblemSink>,
    /// `true` if the first messages were exchanged and the fonts were sent.
    is_ready: bool,
}

/// Kills a process, from any thread.
#[derive(Clone)]
pub(super) struct Kill(Arc<Mutex<Child>>);

/// Job that came to its end.
pub(super) struct JobReply {
    /// Description and bytes of the result, or the job's own error.
    pub(super) result: Result<(JobOutput, Vec<u8>), Error>,
    /// Memory of the process now, in bytes.
    pub(super) kept_bytes: u64,
    /// `true` if the job panicked, after which the state of the process is unknown.
    pub(super) panicked: bool,
}

/// Reason why there is no answer.
pub(super) enum Lost {
    /// The program is not a usable worker.
    Useless(Error),
    /// It was ended from outside, and its job is not to blame.
    Ended(String),
    /// It died of its job, or sent an invalid answer.
    Failed(Error),
}

impl Kill {
    /// Kills the process if it still runs.
    pub(super) fn kill(&self) {
        let mut child = self.child();
        // Includes its child processes, in case the program is not Mitt's. Once it was waited for, its process id may be reused.
        #[cfg(unix)]
        if let Ok(None) = child.try_wait()
            && let Some(group) =
                i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        // It may have ended by itself.
        let _ = child.kill();
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        lock(&self.0)
    }
}

impl Process {
    /// Starts the program, without exchanging messages yet.
    pub(super) fn start(options: &WorkerOptions) -> Result<Process, Error> {
        let failed = |error: io::Error| {
            Error::new(ErrorKind::Host, "the worker process cannot be started").caused_by(error)
        };
        if std::env::var_os(MARK).is_some() {
            let message = "a worker process starts no workers of its own";
            return Err(Error::new(ErrorKind::Host, message).hint(
                "call `mitt::serve_as_worker` first of all in `main`, or name the program `mitt`",
            ));
        }
        let mut child = command(options).and_then(|mut it| it.spawn()).map_err(failed)?;
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let kill = Kill(Arc::new(Mutex::new(child)));
        let (Some(input), Some(output), Some(errors)) = (input, output, errors) else {
            kill.kill();
            return Err(Error::bug("a worker process has no pipes"));
        };
        let said = Arc::<Mutex<Vec<u8>>>::default();
        let tail = said.clone();
        let listener = std::thread::Builder::new()
            .name("mitt-worker-said".into())
            .spawn(move || listen(errors, &tail))
            .map_err(|error| {
                kill.kill();
                failed(error)
            })?;
        Ok(Process {
            kill,
            input: BufWriter::new(input),
            output: BufReader::new(output),
            said,
            listener,
            crashes: options.crashes.clone(),
            is_ready: false,
        })
    }

    /// Returns whether it has had no request yet.
    pub(super) fn is_new(&self) -> bool {
        !self.is_ready
    }

    /// Returns a handle that kills it from another thread.
    pub(super) fn killer(&self) -> Kill {
        self.kill.clone()
    }

    /// Runs a job.
    pub(super) fn carry_out(
        &mut self,
        job: &Job,
        fonts: &mitt_render::FontSet,
    ) -> Result<JobReply, Lost> {
        if !self.is_ready {
            self.greet(job.fonts(fonts))?;
            self.is_ready = true;
        }
        let (request, parts) = job.request();
        let reply = self.send(&request, &parts).and_then(|()| {
            frame::read(&mut self.output, MAX_HEAD_BYTES, job.max_answer_bytes())?
                .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
        });
        let (head, body) = reply.map_err(|error| self.died(job, &error))?;
        let head: ReplyHead = serde_json::from_slice(&head)
            .map_err(|error| self.died(job, &io::Error::from(error)))?;
        let ReplyHead { result, kept_bytes, panicked } = head;
        let result = if panicked {
            Err(panics::noticed(job.doing()))
        } else {
            result.map(|output| (output, body)).map_err(|parts| parts.into_error())
        };
        Ok(JobReply { result, kept_bytes, panicked })
    }

    /// Exchanges the first messages, and sends the fonts.
    fn greet(&mut self, fonts: &[Arc<[u8]>]) -> Result<(), Lost> {
        let useless = |message: String| Lost::Useless(Error::new(ErrorKind::Host, message));
        let ours = Hello::ours();
        let hello = frame::read(&mut self.output, MAX_HEAD_BYTES, 0);
        let theirs: Option<Hello> =
            hello.ok().flatten().and_then(|(head, _)| serde_json::from_slice(&head).ok());
        let Some(theirs) = theirs else {
            let (status, said) = self.end();
            if let Some(status) = status.filter(|status| was_ended(*status)) {
                return Err(Lost::Ended(status.to_string()));
            }
            let status = status.map_or("it does not end".into(), |status| status.to_string());
            let said = if said.is_empty() { said } else { format!("; it said: {said}") };
            return Err(useless(format!(
                "the program that was started is no worker of mitt ({status}){said}"
            )));
        };
        if theirs != ours {
            let error = Error::new(
                ErrorKind::Host,
                format!("the worker process is {theirs}, and this is {ours}"),
            );
            return Err(Lost::Useless(error.hint("name the program of this very version")));
        }
        let lengths: Vec<u64> = fonts.iter().map(|font| font.len() as u64).collect();
        let all: u64 = lengths.iter().sum();
        if all > MAX_FONT_BYTES {
            return Err(useless(format!(
                "fonts of at most {MAX_FONT_BYTES} bytes are handed to a worker, got {all}"
            )));
        }
        let mut sent = self.send(&ours, &[]);
        if sent.is_ok() && !fonts.is_empty() {
            let bodies: Vec<&[u8]> = fonts.iter().map(|font| &**font).collect();
            sent = self.send(&Request::Fonts { lengths }, &bodies);
        }
        sent.map_err(|error| Lost::Ended(format!("it does not listen: {error}")))
    }

    fn send(&mut self, head: &impl serde::Serialize, bodies: &[&[u8]]) -> io::Result<()> {
        frame::write(&mut self.input, &serde_json::to_vec(head)?, bodies)
    }

    /// Returns its exit status and its last messages. Kills a process that does not end by itself.
    fn end(&mut self) -> (Option<ExitStatus>, String) {
        let since = Instant::now();
        let mut status = None;
        while status.is_none() && since.elapsed() < ENDING {
            status = self.kill.child().try_wait().ok().flatten();
            if status.is_none() {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        if status.is_none() {
            self.kill.kill();
            let _ = self.kill.child().wait();
        }
        // Its messages are complete when the other end of the pipe is closed, which a child process may keep open.
        while since.elapsed() < 2 * ENDING && !self.listener.is_finished() {
            std::thread::sleep(Duration::from_millis(2));
        }
        let said = lock(&self.said);
        (status, String::from_utf8_lossy(&said).trim().to_owned())
    }

    /// Returns why it died during a job.
    #[cold]
    fn died(&mut self, job: &Job, error: &io::Error) -> Lost {
        let (status, said) = self.end();
        let doing = job.doing();
        let limit = |what, most| {
            let error = Error::reached(Limit::new(what, most, most));
            Lost::Failed(error.at(doing).retryable(false))
        };
        // Message of Rust's runtime, on a line of its own.
        let is_out_of_memory =
            |line: &str| line.starts_with("memory allocation of ") && line.ends_with(" failed");
        if said.lines().any(is_out_of_memory) {
            return limit(Resource::Memory, job.memory_bytes());
        }
        if said.contains("has overflowed its stack") {
            let message = format!("{doing}: it is nested too deeply for the stack of the worker");
            let limit = Limit::new(
                Resource::Stack,
                super::serve::STACK_BYTES as u64,
                super::serve::STACK_BYTES as u64,
            );
            return Lost::Failed(Error::new(ErrorKind::Limit(limit), message).retryable(false));
        }
        let Some(status) = status else {
            return Lost::Failed(Error::bug(format!(
                "{doing}: the worker does not answer: {error}"
            )));
        };
        if was_ended(status) {
            return Lost::Ended(status.to_string());
        }
        if let Some(crashes) = &self.crashes {
            let said =
                if said.is_empty() { "nothing".into() } else { mitt_base::text::one_line(&said) };
            let message = format!("{doing}: the worker crashed: {status}; it said: {said}");
            crashes(&Error::new(ErrorKind::Host, message));
        }
        Lost::Failed(Error::bug(format!("{doing}: the worker crashed: {status}")))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill.kill();
        // Removes it from the system's table of processes. The listener ends with the pipe.
        let _ = self.kill.child().wait();
    }
}

/// Keeps the end of the standard error since the last [`END_OF_JOB`], and no more. The job before that mark may have been another
/// tenant's. The host may read the mark after it has sent the next job, so the place in the stream decides, not the time.
fn listen(mut errors: ChildStderr, said: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    loop {
        match errors.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => {
                let mut said = lock(said);
                let mut new = &buffer[..n];
                if let Some(end) = new.iter().rposition(|byte| *byte == END_OF_JOB) {
                    said.clear();
                    new = &new[end + 1..];
                }
                said.extend_from_slice(new);
                let surplus = said.len().saturating_sub(MAX_SAID_BYTES);
                said.drain(..surplus);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Returns the program with nothing of this process but three pipes: no environment, no folder, no process group that a terminal
/// signals.
#[expect(clippy::disallowed_methods, reason = "starts only this program")]
fn command(options: &WorkerOptions) -> io::Result<Command> {
    let mut command = match &options.program {
        Some(program) => Command::new(program),
        None => Command::new(this_program()?),
    };
    let processors = mitt_base::processors::count();
    command
        .args(&options.arguments)
        .env_clear()
        .env(MARK, options.nice.to_string())
        // For rayon, which compiles and lays out. With one thread per processor, each would have a stack.
        .env("RAYON_NUM_THREADS", processors.min(MAX_THREADS).to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;

        // Ctrl-C is for the host, which lets running calls end.
        command.process_group(0).current_dir("/");
        if options.program.is_none() {
            command.arg0("mitt");
        }
    }
    Ok(command)
}

/// Returns this program: if possible, the file that is running, even if its path has another version by now.
fn this_program() -> io::Result<std::path::PathBuf> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let link = std::path::Path::new("/proc/self/exe");
        if link.exists() || link.symlink_metadata().is_ok() {
            return Ok(link.to_owned());
        }
    }
    std::env::current_exe()
}

/// Returns whether it was ended from outside: by the system for lack of memory, an operator, or a supervisor.
#[cfg(unix)]
fn was_ended(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;

    use rustix::process::Signal;

    let outside = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT];
    status.signal().is_some_and(|number| outside.iter().any(|it| it.as_raw() == number))
}

#[cfg(not(unix))]
fn was_ended(_: ExitStatus) -> bool {
    false
}
