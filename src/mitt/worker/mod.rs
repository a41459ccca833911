//! Workers: processes of the same program for work that could not be stopped otherwise.
//!
//! Typesetting and compiling run native code that is not Mitt's over input from strangers. Limits on the input do not guarantee
//! how long this takes and how much memory it needs. So a host can leave it to worker processes: the system limits their memory,
//! and they are killed when their time is over or nobody waits for the result. A worker does one job at a time and is reused. One
//! that was killed, has crashed or keeps much memory is replaced.
//!
//! Knows jobs, processes and frames on pipes. Does not know sessions, tenants or whose turn it is.
//!
//! ```text
//! Workers (pool.rs)      a queue, and a thread for each process
//!   Process (process.rs) starts the program, sends jobs, reads answers, reports how it died
//!     frame.rs message.rs  messages on its standard input and output
//!       serve.rs           the other end, in the worker: limits on itself, one job after the other
//! ```

mod frame;
mod message;
mod pool;
mod process;
mod serve;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::engine::ProblemSink;
use mitt_base::limits::MIB;
use mitt_base::{Error, Resource};

pub use message::{FillJob, Job, Page};
pub use pool::{JobEnd, Workers};
pub use serve::{is_named_worker, is_worker, serve_as_worker};

/// Argument that makes `mitt` a worker.
const COMMAND: &str = "worker";

/// Environment variable of a worker. A program that does not act as a worker thus starts no more copies of itself. Its value is
/// the niceness.
const MARK: &str = "MITT_IS_WORKER";

/// Byte that a worker writes to standard error after each job. No message contains it, because control characters are escaped.
const END_OF_JOB: u8 = 0;

/// Idle time after which a worker is ended. Default of [`WorkerOptions::idle`].
const IDLE: Duration = Duration::from_secs(60);

/// Default of [`WorkerOptions::nice`].
const NICE: u8 = 5;

/// A worker with more memory than this after a job, in bytes, is replaced. With the bundled fonts it has some 60 MB.
const KEPT_BYTES: u64 = 256 * MIB;

/// Most bytes of additional fonts for a worker.
const MAX_FONT_BYTES: u64 = 256 * MIB;

/// Options of a host's workers. See [`HostBuilder::worker`](crate::HostBuilder::worker).
#[derive(Clone)]
pub struct WorkerOptions {
    /// Program to start. `None` is the running one, which must call [`serve_as_worker`] if [`is_worker`] returns `true`.
    pub program: Option<PathBuf>,
    /// Arguments of the program. Default: `worker`, as `mitt` expects it.
    pub arguments: Vec<OsString>,
    /// `true` if work fails when no worker can be started. Default: `false`; the work is then done in this process with the same
    /// limits on its input, but nothing can stop it, and `problems` is called.
    pub required: bool,
    /// Number of workers that are started ahead and kept while idle. Default: 0; each is started when it is needed.
    pub ahead: usize,
    /// How long other workers are kept while idle. Default: 60 s.
    pub idle: Duration,
    /// Niceness of workers, from 0 to 19 as on Unix, so that guests in the host meet their deadlines. Default: 5.
    pub nice: u8,
    /// Called once with the reason if no worker can be started, and again only if one could be started in between. Default: not
    /// reported.
    pub problems: Option<ProblemSink>,
    /// Called for each crash of a worker, with the last lines of its standard error. They may quote a caller's input, so they are
    /// for the operator only, and no result contains them. Default: not reported.
    pub crashes: Option<ProblemSink>,
}

impl Default for WorkerOptions {
    fn default() -> WorkerOptions {
        WorkerOptions {
            program: None,
            arguments: vec![COMMAND.into()],
            required: false,
            ahead: 0,
            idle: IDLE,
            nice: NICE,
            problems: None,
            crashes: None,
        }
    }
}

impl std::fmt::Debug for WorkerOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerOptions")
            .field("program", &self.program)
            .field("required", &self.required)
            .field("ahead", &self.ahead)
            .finish_non_exhaustive()
    }
}

/// Returns the error of a job that took too long.
#[cold]
pub(crate) fn too_long(job: &Job, limit: Duration, used: Duration) -> Error {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Error::limit(Resource::Time, millis(limit), millis(used.max(limit))).at(job.doing())
}
