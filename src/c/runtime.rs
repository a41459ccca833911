//! The threads of a host: work runs on them while the thread of the caller waits.
//!
//! The thread of the caller may have a small stack, or one of another runtime; so nothing but waiting happens there.

use std::cell::Cell;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use mitt::{Error, ErrorKind, Host, Result};
use mitt_base::{lock, panics};
use tokio::runtime::Runtime;

use crate::cancel::CancelObject;
use crate::code::mitt_code;
use crate::problem::Problem;

/// Bytes of the stack of each thread.
const STACK_BYTES: usize = 8 << 20;

thread_local! {
    /// `true` while this thread is in a callback for events.
    static IN_EVENT: Cell<bool> = const { Cell::new(false) };
}

/// A host with its threads.
pub struct HostObject {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    /// The host with the tools that were added so far.
    host: Mutex<Host>,
    /// The process that made it: the threads do not exist in a fork.
    process: u32,
}

impl HostObject {
    /// Starts the threads of a host.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system gives no thread.
    pub(crate) fn new(host: Host, threads: Option<usize>) -> Result<HostObject> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.enable_time().thread_name("mitt").thread_stack_size(STACK_BYTES);
        if let Some(threads) = threads {
            builder.worker_threads(threads);
        }
        let runtime = builder.build().map_err(|error| {
            Error::new(ErrorKind::Host, "the threads of the host cannot be started")
                .caused_by(error)
        })?;
        Ok(HostObject {
            runtime: Some(runtime),
            host: Mutex::new(host),
            process: std::process::id(),
        })
    }

    /// Returns the host with the tools that were added so far.
    pub fn host(&self) -> Host {
        lock(&self.host).clone()
    }

    /// Replaces the host by what `change` returns.
    pub fn change(&self, change: impl FnOnce(&Host) -> Result<Host>) -> Result<()> {
        let mut host = lock(&self.host);
        *host = change(&host)?;
        Ok(())
    }

    /// Checks that this process made the host, and that the thread is in no callback for events.
    ///
    /// # Errors
    ///
    /// [`mitt_code::MITT_FORKED`], [`mitt_code::MITT_REENTERED`].
    pub fn check(&self) -> Result<(), Problem> {
        if std::process::id() != self.process {
            let message = "the threads of the host are in the parent of this process";
            return Err(Problem::of_parameter(mitt_code::MITT_FORKED, "host", message)
                .hint("make a host of its own after `fork`"));
        }
        if IN_EVENT.get() {
            let message = "a callback for events must not wait for a call";
            return Err(Problem::of_parameter(mitt_code::MITT_REENTERED, "events", message)
                .hint("hand the event to another thread"));
        }
        Ok(())
    }

    /// Runs work on the threads of the host and waits for its end. If the flag is set, the work is dropped first.
    ///
    /// # Errors
    ///
    /// Those of [`HostObject::check`] and of the work; [`mitt_code::MITT_CANCELLED`] - the flag was set.
    pub fn run<T: Send + 'static>(
        &self,
        cancel: Option<Arc<CancelObject>>,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T, Problem> {
        let (sender, receiver) = mpsc::sync_channel(1);
        // The caller waits for it.
        let done = move |done| drop(sender.send(done));
        self.start(cancel, work, done)?;
        receiver.recv().unwrap_or_else(|_| Err(ended().into()))
    }

    /// Starts work on the threads of the host, and calls `done` with its result on one of them. If the flag is set, the
    /// work is dropped first. `done` keeps the host, so that its threads do not end before.
    ///
    /// # Errors
    ///
    /// Those of [`HostObject::check`]. `done` gets the others: those of the work, and [`mitt_code::MITT_CANCELLED`] if
    /// the flag was set.
    pub fn start<T: Send + 'static>(
        &self,
        cancel: Option<Arc<CancelObject>>,
        work: impl Future<Output = Result<T>> + Send + 'static,
        done: impl FnOnce(Result<T, Problem>) + Send + 'static,
    ) -> Result<(), Problem> {
        self.check()?;
        let runtime = self.runtime.as_ref().ok_or_else(|| Problem::from(ended()))?;
        let work = async move {
            // The work is dropped in here, so that nothing of it is left when the caller goes on.
            let result = panics::caught("a call of the C interface", async move {
                match cancel {
                    Some(cancel) => cancel.calls.run_until_cancelled(work).await,
                    None => Some(work.await),
                }
            });
            let result = result.await.and_then(|done| done.unwrap_or_else(|| Err(cancelled())));
            done(result.map_err(Problem::from));
        };
        runtime.spawn(work);
        Ok(())
    }
}

impl Drop for HostObject {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        if std::process::id() == self.process {
            // The last handle may be freed on one of these threads, which cannot wait for itself.
            runtime.shutdown_background();
        } else {
            // Nobody may wait for threads that a fork does not have.
            std::mem::forget(runtime);
        }
    }
}

/// Marks this thread as one in a callback for events while `work` runs.
pub fn in_event(work: impl FnOnce()) {
    let before = IN_EVENT.replace(true);
    work();
    IN_EVENT.set(before);
}

/// Returns the error of work whose flag was set.
pub(crate) fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "the call was cancelled")
}

fn ended() -> Error {
    Error::bug("the threads of the host ended")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object() -> HostObject {
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        HostObject::new(host, Some(1)).unwrap()
    }

    #[test]
    fn a_panic_of_the_work_is_an_error() {
        let code = object().run(None, async { Err::<(), _>(Error::input("a")) }).unwrap_err().code;
        assert_eq!(code, mitt_code::MITT_INPUT);
        let work = async {
            assert!(std::process::id() == 0, "the secret");
            Ok(())
        };
        let problem = object().run(None, work).unwrap_err();
        assert_eq!(problem.code, mitt_code::MITT_INTERNAL);
        assert!(!problem.error.render().contains("secret"));
    }

    #[test]
    fn a_flag_ends_the_work_before_the_caller_goes_on() {
        struct Dropped(Arc<std::sync::atomic::AtomicBool>);
        impl Drop for Dropped {
            fn drop(&mut self) {
                self.0.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        }
        let is_dropped = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let held = Dropped(is_dropped.clone());
        let cancel = Arc::new(CancelObject::default());
        cancel.calls.cancel();
        let work = async move {
            std::future::pending::<()>().await;
            drop(held);
            Ok(())
        };
        let problem = object().run(Some(cancel), work).unwrap_err();
        assert_eq!(problem.code, mitt_code::MITT_CANCELLED);
        assert!(is_dropped.load(std::sync::atomic::Ordering::Relaxed));
    }

    #[test]
    fn a_callback_for_events_cannot_wait() {
        let object = object();
        in_event(|| {
            let problem = object.run(None, async { Ok(()) }).unwrap_err();
            assert_eq!(problem.code, mitt_code::MITT_REENTERED);
        });
        object.run(None, async { Ok(()) }).unwrap();
    }

    #[test]
    fn a_host_of_another_process_is_refused_and_can_be_freed() {
        let mut object = object();
        object.process += 1;
        let problem = object.run(None, async { Ok(()) }).unwrap_err();
        assert_eq!(problem.code, mitt_code::MITT_FORKED);
    }
}
