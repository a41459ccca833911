//! Workers of a host: a queue of jobs, and a thread for each process, which starts it, sends it jobs and waits for it.
//!
//! Each process has a thread of its own for two reasons: the system ends a worker when the thread that started it ends; and one
//! worker must be killable while the host reads from another.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::message::{Job, JobOutput};
use super::process::{JobReply, Kill, Lost, Process};
use super::{KEPT_BYTES, WorkerOptions, too_long};
use mitt_base::{Error, ErrorKind, Remedy, lock, unpoisoned};

/// Guard that is kept until the job has really ended, such as a place.
pub(super) type JobGuard = Box<dyn Send>;

/// Workers of a host. A cheap handle; all processes end with the last one.
#[derive(Clone)]
pub struct Workers {
    shared: Arc<Shared>,
    _closes: Arc<Closes>,
}

/// How a job ended.
#[expect(clippy::large_enum_variant, reason = "few values exist, and each is moved once or twice")]
pub enum JobEnd {
    /// It succeeded, with this description and these bytes.
    Done(JobOutput, Vec<u8>),
    /// It failed by its own error, a limit, or the death of the worker.
    Failed(Error),
    /// No worker is available, which was reported. The guard is returned to the caller, who may do the work itself.
    NoWorker(Job, JobGuard),
}

struct Shared {
    options: WorkerOptions,
    fonts: mitt_render::FontSet,
    /// Most processes at once.
    most: usize,
    state: Mutex<State>,
    wake: Condvar,
    /// `true` if it was reported that no worker is available.
    is_reported: AtomicBool,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    /// Number of threads that wait for a task.
    idle: usize,
    threads: usize,
    is_closed: bool,
}

struct Task {
    job: Job,
    guard: JobGuard,
    control: Arc<Control>,
    done: Done,
}

/// Receives how a job ended; `None` if it was killed.
type Done = Box<dyn FnOnce(Option<JobEnd>) + Send>;

/// Job that has ended, and whose caller does not know it yet.
struct Finished {
    done: Done,
    end: Option<JobEnd>,
}

/// State of a job, through which it can be ended.
#[derive(Default)]
struct Control(Mutex<JobState>);

#[derive(Default)]
enum JobState {
    #[default]
    Waiting,
    Running(Kill),
    Killed,
}

impl Control {
    fn kill(&self) {
        if let JobState::Running(kill) = std::mem::replace(&mut *self.state(), JobState::Killed) {
            kill.kill();
        }
    }

    /// Marks the job as running in this process. Returns `false` if nobody waits for it any more.
    fn begin(&self, kill: Kill) -> bool {
        let mut state = self.state();
        let is_wanted = !matches!(*state, JobState::Killed);
        if is_wanted {
            *state = JobState::Running(kill);
        }
        is_wanted
    }

    /// Marks the job as no longer running. Returns `false` if it has been killed.
    fn pause(&self) -> bool {
        let mut state = self.state();
        let is_whole = !matches!(*state, JobState::Killed);
        if is_whole {
            *state = JobState::Waiting;
        }
        is_whole
    }

    fn is_killed(&self) -> bool {
        matches!(*self.state(), JobState::Killed)
    }

    fn state(&self) -> MutexGuard<'_, JobState> {
        lock(&self.0)
    }
}

/// Kills a job when its caller drops it.
struct KillOnDrop(Arc<Control>);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        self.0.kill();
    }
}

struct Closes(Arc<Shared>);

impl Drop for Closes {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_closed = true;
        // Their callers are gone.
        state.queue.iter().for_each(|task| task.control.kill());
        drop(state);
        self.0.wake.notify_all();
    }
}

impl Workers {
    /// Creates at most `most` workers with `fonts` in addition to the bundled ones. Workers that are kept ahead are started.
    pub fn new(options: WorkerOptions, most: usize, fonts: mitt_render::FontSet) -> Workers {
        let shared = Arc::new(Shared {
            options,
            fonts,
            most: most.max(1),
            state: Mutex::default(),
            wake: Condvar::new(),
            is_reported: AtomicBool::new(false),
        });
        for _ in 0..shared.options.ahead.min(shared.most) {
            let mut state = shared.state();
            shared.start_thread(&mut state);
        }
        Workers { _closes: Arc::new(Closes(shared.clone())), shared }
    }

    /// Runs a job within `time`. Drop the future to end it. `guard` is dropped when the job has really ended, which may be later.
    pub(crate) async fn run(&self, job: Job, time: Duration, guard: JobGuard) -> JobEnd {
        let start = Instant::now();
        let late = too_long(&job, time, time);
        let (sender, mut receiver) = oneshot::channel();
        let control = self.submit(job, guard, move |ended| drop(sender.send(ended)));
        let control = KillOnDrop(control);
        let ended = match tokio::time::timeout(time, &mut receiver).await {
            Ok(ended) => ended.ok().flatten(),
            Err(_) => {
                control.0.kill();
                // A job that ended at this very moment counts.
                receiver.await.ok().flatten()
            }
        };
        ended.unwrap_or_else(|| ended_early(start.elapsed() >= time, late))
    }

    /// Like [`Workers::run`], but blocks the thread.
    pub fn run_blocking(&self, job: Job, time: Duration, guard: JobGuard) -> JobEnd {
        let start = Instant::now();
        let late = too_long(&job, time, time);
        let (sender, receiver) = sync_channel(1);
        let control = self.submit(job, guard, move |ended| drop(sender.send(ended)));
        let control = KillOnDrop(control);
        let ended = match receiver.recv_timeout(time) {
            Err(RecvTimeoutError::Timeout) => {
                control.0.kill();
                receiver.recv().ok().flatten()
            }
            ended => ended.ok().flatten(),
        };
        ended.unwrap_or_else(|| ended_early(start.elapsed() >= time, late))
    }

    /// Queues a job. `done` is called with its result; `None` if it was killed.
    fn submit(
        &self,
        job: Job,
        guard: JobGuard,
        done: impl FnOnce(Option<JobEnd>) + Send + 'static,
    ) -> Arc<Control> {
        let control = Arc::<Control>::default();
        let task = Task { job, guard, control: control.clone(), done: Box::new(done) };
        let mut state = self.shared.state();
        state.queue.push_back(task);
        if state.queue.len() > state.idle && state.threads < self.shared.most {
            self.shared.start_thread(&mut state);
        }
        // Not a single thread could be started.
        let stranded = if state.threads == 0 { state.queue.pop_back() } else { None };
        drop(state);
        self.shared.wake.notify_one();
        if let Some(task) = stranded {
            let error = Error::new(ErrorKind::Host, "no thread can be started for a worker");
            let Finished { done, end } = self.shared.no_worker(task, error);
            done(end);
        }
        control
    }
}

/// Returns the error of a job that ended without a result.
#[cold]
fn ended_early(is_late: bool, late: Error) -> JobEnd {
    JobEnd::Failed(if is_late {
        late
    } else {
        Error::new(ErrorKind::Host, "the host ends, and its workers with it")
    })
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn start_thread(self: &Arc<Shared>, state: &mut State) {
        let shared = self.clone();
        let thread = std::thread::Builder::new().name("mitt-worker".into());
        if thread.spawn(move || shared.work()).is_ok() {
            state.threads += 1;
        }
    }

    fn work(&self) {
        let mut process = None;
        let mut finished = None;
        while let Some(task) = self.next(&mut process, finished.take()) {
            finished = Some(self.carry_out(task, &mut process));
        }
    }

    /// Reports the job that has finished, and waits for a task. Returns `None` if this thread must end, with its process.
    fn next(&self, process: &mut Option<Process>, finished: Option<Finished>) -> Option<Task> {
        let mut state = self.state();
        // The thread is idle before the caller learns that its job has ended. Otherwise, a caller who sends the next job at once
        // would start a second process beside the one that is kept.
        state.idle += 1;
        if let Some(Finished { done, end }) = finished {
            drop(state);
            done(end);
            state = self.state();
        }
        if process.is_none()
            && !state.is_closed
            && state.queue.is_empty()
            && state.threads <= self.options.ahead
        {
            drop(state);
            // The first job that needs a worker reports the reason.
            *process = Process::start(&self.options).ok();
            state = self.state();
        }
        let since = Instant::now();
        loop {
            // Tasks that remain after closing are still answered.
            if let Some(task) = state.queue.pop_front() {
                state.idle -= 1;
                return Some(task);
            }
            let is_kept = state.threads <= self.options.ahead;
            let left = self.options.idle.saturating_sub(since.elapsed());
            if state.is_closed || (left.is_zero() && !is_kept) {
                state.idle -= 1;
                state.threads -= 1;
                return None;
            }
            // Without a timeout, a worker that is kept would poll in a loop.
            let time = if is_kept { Duration::from_secs(3_600) } else { left };
            let waited = self.wake.wait_timeout(state, time);
            state = unpoisoned(waited).0;
        }
    }

    /// Does a task. The process goes into `kept` if it can take another job.
    fn carry_out(&self, task: Task, kept: &mut Option<Process>) -> Finished {
        let mut was_ended = false;
        let ended = loop {
            if task.control.is_killed() {
                break None;
            }
            // Native code comes from a process that does nothing before and after it: an attacker who took over a process that
            // typesets could not put anything into it.
            let is_alone = matches!(task.job, Job::Compile { .. });
            let mut process = match kept.take().filter(|process| !is_alone || process.is_new()) {
                Some(process) => process,
                None => match Process::start(&self.options) {
                    Ok(process) => process,
                    Err(error) => return self.no_worker(task, error),
                },
            };
            if !task.control.begin(process.killer()) {
                *kept = Some(process);
                break None;
            }
            let answer = process.carry_out(&task.job, &self.fonts);
            if !task.control.pause() {
                // The process is gone before anybody learns that the job has ended.
                drop(process);
                break None;
            }
            match answer {
                Ok(JobReply { result, kept_bytes, panicked }) => {
                    self.is_reported.store(false, Ordering::Relaxed);
                    if kept_bytes <= KEPT_BYTES && !is_alone && !panicked {
                        *kept = Some(process);
                    }
                    break Some(match result {
                        Ok((output, body)) => JobEnd::Done(output, body),
                        Err(error) => JobEnd::Failed(error),
                    });
                }
                Err(Lost::Useless(error)) => {
                    drop(process);
                    return self.no_worker(task, error);
                }
                Err(Lost::Failed(error)) => break Some(JobEnd::Failed(error)),
                // The worker may have been ended long ago, while it was idle, so the job is given to another one, once.
                Err(Lost::Ended(_)) if !was_ended => was_ended = true,
                Err(Lost::Ended(how)) => {
                    let doing = task.job.doing();
                    let message =
                        format!("{doing}: the worker was ended from outside twice: {how}");
                    let error = Error::new(ErrorKind::Host, message).hint(
                        "try again later; the system ends processes when it has no memory left",
                    );
                    break Some(JobEnd::Failed(error.retryable(true)));
                }
            }
        };
        let Task { guard, done, .. } = task;
        drop(guard);
        Finished { done, end: ended }
    }

    /// Reports, once, that no worker is available, and gives the job back unless a worker is required.
    #[cold]
    fn no_worker(&self, task: Task, error: Error) -> Finished {
        if !self.is_reported.swap(true, Ordering::Relaxed)
            && let Some(problems) = &self.options.problems
        {
            problems(&error);
        }
        let Task { job, guard, done, .. } = task;
        let end = if self.options.required {
            JobEnd::Failed(refused(error))
        } else {
            JobEnd::NoWorker(job, guard)
        };
        Finished { done, end: Some(end) }
    }
}

/// Returns the error if the operator requires worker processes.
#[cold]
fn refused(error: Error) -> Error {
    error.remedy(Remedy::OptionalWorker)
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workers").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A caller who gets the result of a job and sends the next one at once needs the same thread, and so the same process.
    #[test]
    fn a_thread_is_idle_before_its_caller_knows_the_result() {
        let program = Some("/nowhere/mitt".into());
        let options = WorkerOptions { program, ..WorkerOptions::default() };
        let workers = Workers::new(options, 4, mitt_render::FontSet::default());
        for _ in 0..3 {
            let (sender, receiver) = sync_channel(1);
            let shared = workers.shared.clone();
            let job = Job::Compile {
                component: Arc::from(&b""[..]),
                target: crate::engine::Target::Native,
                memory_bytes: 1,
            };
            workers.submit(job, Box::new(()), move |end| {
                let State { idle, threads, .. } = *shared.state();
                sender.send((idle, threads, matches!(end, Some(JobEnd::NoWorker(..))))).unwrap();
            });
            assert_eq!(receiver.recv().unwrap(), (1, 1, true));
        }
    }
}
