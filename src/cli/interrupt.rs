//! Ctrl-C and signals of a supervisor: the work is cancelled at once, and what it made before is kept.

use std::future::Future;

use mitt_base::{Error, ErrorKind};

/// A signal that ends the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    CtrlC,
    Terminate,
}

impl Signal {
    /// Returns the error of the work that it ended.
    pub(super) fn error(self) -> Error {
        let name = match self {
            Signal::CtrlC => "Ctrl-C",
            Signal::Terminate => "SIGTERM",
        };
        Error::new(ErrorKind::Cancelled, format!("ended by {name}"))
    }
}

/// Runs `work` unless a signal comes first. Then it drops the work, which cancels its calls; their journal says so. A second
/// signal has no effect, because nothing is waited for any more.
///
/// # Errors
///
/// [`ErrorKind::Cancelled`] - a signal came first.
pub(super) async fn unless_interrupted<T>(work: impl Future<Output = T>) -> Result<T, Error> {
    or_signal(work).await.map_err(Signal::error)
}

/// Does what [`unless_interrupted`] does for callers that decide what a signal ends.
pub(super) async fn or_signal<T>(work: impl Future<Output = T>) -> Result<T, Signal> {
    Signals::listen().or(work).await
}

/// The signals since it began to listen. One that comes between two waits ends the second one at once; it would be lost if each
/// wait listened anew.
pub(super) struct Signals {
    /// Those for [`Signal::CtrlC`] and [`Signal::Terminate`]; `None` if the system does not report any.
    #[cfg(unix)]
    streams: Option<[tokio::signal::unix::Signal; 2]>,
}

impl Signals {
    /// Begins to listen.
    pub(super) fn listen() -> Signals {
        Signals {
            #[cfg(unix)]
            streams: {
                use tokio::signal::unix::{SignalKind, signal};

                let kinds = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
                if let (Ok(interrupt), Ok(terminate)) = kinds {
                    Some([interrupt, terminate])
                } else {
                    None
                }
            },
        }
    }

    /// Runs `work` unless a signal comes first, or has come since the last wait.
    ///
    /// # Errors
    ///
    /// The signal.
    pub(super) async fn or<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Signal> {
        tokio::select! {
            done = work => Ok(done),
            signal = self.next() => Err(signal),
        }
    }

    /// Waits for a signal; forever if the system does not report any.
    async fn next(&mut self) -> Signal {
        #[cfg(unix)]
        match &mut self.streams {
            Some([interrupt, terminate]) => tokio::select! {
                _ = interrupt.recv() => Signal::CtrlC,
                _ = terminate.recv() => Signal::Terminate,
            },
            None => std::future::pending().await,
        }
        #[cfg(not(unix))]
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::CtrlC,
            Err(_) => std::future::pending().await,
        }
    }
}
