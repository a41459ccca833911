//! Worker's side: limits itself, sends its first message, and does one job after the other until the host is gone.
//!
//! Uses only standard input and output, and standard error for errors. The process ends when its input does, even during a job,
//! because nobody is left to receive the result.
#![expect(
    clippy::disallowed_methods,
    reason = "standard output is a pipe of frames; what is written to standard error is made visible here"
)]

use std::io::{self, IsTerminal as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use super::frame::{self, MAX_HEAD_BYTES};
use super::message::{
    FillJob, Hello, JobOutput, MAX_REQUEST_BYTES, Page, ReplyHead, Request, parts,
};
use super::{COMMAND, END_OF_JOB, MARK};
use crate::engine::{Engine, EngineInternal as _, EngineOptions, Target};
use mitt_base::error::ErrorParts;
use mitt_base::visible::{Lines, visible};
use mitt_base::{Error, ErrorKind, Result, panics};
use mitt_render::Cancel;

/// Native stack of the thread that does the jobs. The compiler and Markdown recurse over their input.
pub(super) const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Returns whether this process was started as a worker by a host of this library.
pub fn is_worker() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Returns whether this is `mitt worker`, however it was started.
pub fn is_named_worker() -> bool {
    is_worker() || std::env::args_os().nth(1).is_some_and(|it| it == COMMAND)
}

/// Runs as a worker until the host is gone. An embedder whose own program is the worker calls this at the very start of `main` if
/// [`is_worker`] returns `true`, before it starts threads or opens files.
pub fn serve_as_worker() -> ExitCode {
    if io::stdin().is_terminal() {
        let _ = writeln!(io::stderr(), "a worker is started by its host, not by hand");
        return ExitCode::from(2);
    }
    // The message of a panic may quote the document.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or("somewhere".into(), ToString::to_string);
        let _ = writeln!(io::stderr(), "panicked at {}", visible(&place, Lines::One));
    }));
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{}", visible(&error.render(), Lines::Many));
            ExitCode::from(70)
        }
    }
}

fn run() -> Result<()> {
    let nice = std::env::var(MARK).ok().and_then(|nice| nice.parse().ok());
    system::restrict(nice.unwrap_or(0))?;
    let broken = |error: io::Error| {
        Error::new(ErrorKind::Host, "the host sent an invalid message").caused_by(error)
    };
    let mut input = io::stdin().lock();
    send(&Hello::ours(), &[]).map_err(broken)?;
    let Some((head, _)) = frame::read(&mut input, MAX_HEAD_BYTES, 0).map_err(broken)? else {
        return Ok(());
    };
    let theirs: Hello = serde_json::from_slice(&head).map_err(|error| broken(error.into()))?;
    if theirs != Hello::ours() {
        let message = format!("the worker is {}, and its host {theirs}", Hello::ours());
        return Err(Error::new(ErrorKind::Host, message));
    }
    let (sender, requests) = sync_channel(0);
    std::thread::Builder::new()
        .name("mitt-job".into())
        .stack_size(STACK_BYTES)
        .spawn(move || work(&requests))
        .map_err(broken)?;
    // Keeps reading while a job runs, so that it notices at once when the host is gone.
    while let Some((head, body)) =
        frame::read(&mut input, MAX_HEAD_BYTES, MAX_REQUEST_BYTES).map_err(broken)?
    {
        let request = serde_json::from_slice(&head).map_err(|error| broken(error.into()))?;
        if sender.send((request, body)).is_err() {
            break;
        }
    }
    // The thread with the job ends with the process.
    Ok(())
}

fn work(requests: &Receiver<(Request, Vec<u8>)>) {
    let mut tools = Tools::default();
    for (request, body) in requests {
        let job = AssertUnwindSafe(|| tools.carry_out(request, body));
        let (result, panicked) = match catch_unwind(job) {
            Ok(None) => continue,
            Ok(Some(result)) => (result, false),
            // The host counts the panic, and words the error.
            Err(_) => (Err(panics::noticed("a job of the worker")), true),
        };
        let (result, body) = match result {
            Ok((output, body)) => (Ok(output), body),
            Err(error) => (Err(ErrorParts::of(&error)), Vec::new()),
        };
        // Before the answer, after which the host may send another tenant's job. If nobody reads it, no messages are kept either.
        let _ = io::stderr().write_all(&[END_OF_JOB]);
        let reply = ReplyHead { result, kept_bytes: system::resident_bytes(), panicked };
        if send(&reply, &body).is_err() {
            return;
        }
    }
}

fn send(head: &impl serde::Serialize, body: &[u8]) -> io::Result<()> {
    let head = serde_json::to_vec(head)?;
    frame::write(&mut io::stdout().lock(), &head, &[body])
}

/// State that is created once and used by many jobs.
#[derive(Default)]
struct Tools {
    fonts: mitt_render::FontSet,
    engine: Option<Engine>,
}

impl Tools {
    fn carry_out(
        &mut self,
        request: Request,
        mut body: Vec<u8>,
    ) -> Option<Result<(JobOutput, Vec<u8>)>> {
        match request {
            Request::Fonts { lengths } => {
                self.take_fonts(&lengths, &body);
                None
            }
            Request::Compile { memory_bytes, target } => {
                Some(system::limit_memory(memory_bytes).and_then(|()| self.compile(target, &body)))
            }
            Request::Typeset { memory_bytes, mut page, lengths } => {
                page.take_pictures(&mut body);
                let mut parts = parts(&lengths, &body);
                let markdown = parts.next().unwrap_or_default();
                page.take_files(parts.map(Arc::from));
                Some(system::limit_memory(memory_bytes).and_then(|()| self.typeset(markdown, page)))
            }
            Request::Fill { memory_bytes, template } => {
                let fill = || {
                    let filled = FillJob::of(body, template).carry_out(Cancel::default())?;
                    Ok((
                        JobOutput { warnings: filled.warnings, ..JobOutput::default() },
                        filled.bytes,
                    ))
                };
                Some(system::limit_memory(memory_bytes).and_then(|()| fill()))
            }
        }
    }

    fn take_fonts(&mut self, lengths: &[u64], body: &[u8]) {
        let files: Vec<Arc<[u8]>> = parts(lengths, body).map(Arc::from).collect();
        self.fonts = mitt_render::FontSet::with_extra(&files);
    }

    fn compile(&mut self, target: Target, component: &[u8]) -> Result<(JobOutput, Vec<u8>)> {
        let engine = match &self.engine {
            Some(engine) => engine,
            None => self.engine.insert(Engine::new(EngineOptions::default())?),
        };
        Ok((JobOutput::default(), engine.native_code(target, component)?))
    }

    fn typeset(&self, markdown: &[u8], page: Page) -> Result<(JobOutput, Vec<u8>)> {
        let markdown = std::str::from_utf8(markdown)
            .map_err(|_| Error::bug("a document for the worker is not UTF-8"))?;
        let mut doc = mitt_render::markdown(markdown)?;
        doc.leave_out(page.left_out());
        let pdf = mitt_render::pdf(&doc, &page.into_options(self.fonts.clone()))?;
        Ok(JobOutput::of_pdf(pdf))
    }
}

/// System limits, which a process can set for itself and never lift again.
#[cfg(unix)]
mod system {
    use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};

    use mitt_base::limits::MIB;
    use mitt_base::{Error, ErrorKind, Result};

    /// Most open files: the three standard ones, and the one that reports the memory.
    const MAX_FILES: u64 = 16;

    /// Memory that the process has before it does anything, in bytes; no limit is lower.
    const LEAST_BYTES: u64 = 32 * MIB;

    /// Address space beyond the memory limit: the program itself, and what allocators reserve without using it.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const RESERVED_BYTES: u64 = 4096 * MIB;

    /// Forbids writing anything but the open pipes, core dumps with users' documents in them, and opening more files.
    pub(super) fn restrict(nice_by: u8) -> Result<()> {
        // Kills the worker when the host's thread that started it dies, which lives as long as the worker should. The end of the
        // input has the same effect a little later, on every system.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let _ =
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
        // A failure to be nice to other processes does not matter.
        let _ = nice(i32::from(nice_by.min(19)));
        for (resource, most) in
            [(Resource::Core, 0), (Resource::Fsize, 0), (Resource::Nofile, MAX_FILES)]
        {
            lower(resource, most, true)?;
        }
        Ok(())
    }

    /// Sets the limit for the next job. If the system has no such limit, the time of the job is the only bound.
    pub(super) fn limit_memory(bytes: u64) -> Result<()> {
        // Covers writable memory, which on Linux includes mappings for threads and large blocks.
        lower(Resource::Data, bytes.max(LEAST_BYTES), false)?;
        #[cfg(any(target_os = "linux", target_os = "android"))]
        lower(Resource::As, bytes.saturating_add(RESERVED_BYTES), false)?;
        Ok(())
    }

    /// Lowers a limit. `is_final` also removes the right to raise it again.
    fn lower(resource: Resource, most: u64, is_final: bool) -> Result<()> {
        let now = getrlimit(resource);
        let current = now.maximum.map_or(most, |maximum| maximum.min(most));
        let maximum = if is_final { Some(current) } else { now.maximum };
        setrlimit(resource, Rlimit { current: Some(current), maximum }).map_err(|error| {
            Error::new(ErrorKind::Host, "the worker cannot limit itself").caused_by(error)
        })
    }

    /// Returns the memory of this process; 0 if the system does not report it.
    pub(super) fn resident_bytes() -> u64 {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages: Option<u64> = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
        pages.unwrap_or(0).saturating_mul(rustix::param::page_size() as u64)
    }
}

/// On other systems, the time of a job is the only bound, after which the host kills the process.
#[cfg(not(unix))]
mod system {
    use mitt_base::Result;

    pub(super) fn restrict(_: u8) -> Result<()> {
        Ok(())
    }

    pub(super) fn limit_memory(_: u64) -> Result<()> {
        Ok(())
    }

    pub(super) fn resident_bytes() -> u64 {
        0
    }
}
