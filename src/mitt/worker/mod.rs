//! The worker: a process of the same program for work that could not be ended from outside in any other way.
//!
//! Typesetting and compiling run native code that is not ours over input from strangers. Bounds on the input do not say for sure
//! how long this takes and how much memory it needs. So a host can leave it to worker processes: the system limits their memory,
//! and they are killed when their time is over or nobody wants the result any more. A worker does one job at a time and is used
//! again. One that was killed, that crashed or that keeps much memory is replaced.
//!
//! Knows jobs, processes and frames on pipes. Does not know sessions, tenants or whose turn it is.
//!
//! ```text
//! Workers (pool.rs)      a queue, and a thread for each process
//!   Process (process.rs) starts the program, asks, reads the answer, says how it died
//!     frame.rs message.rs  what goes over its standard input and output
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
pub use pool::{Ended, Workers};
pub use serve::{is_named_worker, is_worker, serve_as_worker};

/// The argument that makes `mitt` a worker.
const COMMAND: &str = "worker";

/// Set in the environment of a worker, so that a program that does not know that it is to be one starts no more of itself.
/// Its value is how nice it is.
const MARK: &str = "MITT_IS_WORKER";

/// A worker that has nothing to do for so long is ended. Default of [`WorkerOptions::idle`].
const IDLE: Duration = Duration::from_secs(60);

/// Default of [`WorkerOptions::nice`].
const NICE: u8 = 5;

/// A worker that has more memory than this after a job, in bytes, is replaced: with the bundled fonts it has some 60 MB.
const KEPT_BYTES: u64 = 256 * MIB;

/// Further fonts that are handed to a worker, in bytes, all together.
const MAX_FONT_BYTES: u64 = 256 * MIB;

/// How a host has its workers. See [`HostBuilder::worker`](crate::HostBuilder::worker).
#[derive(Clone)]
pub struct WorkerOptions {
    /// The program. None is the one that runs now, which must call [`serve_as_worker`] where [`is_worker`].
    pub program: Option<PathBuf>,
    /// Its arguments. Default `worker`, as `mitt` wants it.
    pub arguments: Vec<OsString>,
    /// Whether work is refused where no worker can be started. Default `false`: it is then done in this process, within the
    /// same bounds on its input, where nothing can end it but itself; `problems` is told.
    pub required: bool,
    /// Workers that are started ahead and kept while there is nothing to do. Default 0: each is started when it is needed.
    pub ahead: usize,
    /// How long the others are kept with nothing to do. Default 60 s.
    pub idle: Duration,
    /// How much workers stand back behind other processes of the system, as Unix counts it from 0 to 19: guests in the host
    /// have deadlines. Default 5.
    pub nice: u8,
    /// Told once why no worker can be started, and again after one could. Default nobody.
    pub problems: Option<ProblemSink>,
    /// Told each time how a worker crashed, with the last that it wrote to its standard error. That may quote what a caller
    /// sent: it is for the operator, and no answer holds it. Default nobody.
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

/// The error of a job that took too long.
#[cold]
pub(crate) fn too_long(job: &Job, limit: Duration, used: Duration) -> Error {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Error::limit(Resource::Time, millis(limit), millis(used.max(limit))).at(job.doing())
}
