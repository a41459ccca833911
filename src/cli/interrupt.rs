//! Ctrl-C, and what a supervisor sends: the work is given up at once, and what it made before is kept.

use std::future::Future;

use mitt_base::{Error, ErrorKind};

/// What somebody sent to end the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    CtrlC,
    Terminate,
}

impl Signal {
    /// The error of work that it ended.
    pub(super) fn error(self) -> Error {
        let name = match self {
            Signal::CtrlC => "Ctrl-C",
            Signal::Terminate => "SIGTERM",
        };
        Error::new(ErrorKind::Cancelled, format!("ended by {name}"))
    }
}

/// Do `work`, unless somebody wants the program to end first. Then the work is dropped, which ends its calls: their journal says
/// so. A second signal meanwhile changes nothing, as nothing is waited for any more.
///
/// # Errors
///
/// [`ErrorKind::Cancelled`] - it was given up.
pub(super) async fn unless_interrupted<T>(work: impl Future<Output = T>) -> Result<T, Error> {
    or_signal(work).await.map_err(Signal::error)
}

/// As [`unless_interrupted`], for whoever decides what a signal ends.
pub(super) async fn or_signal<T>(work: impl Future<Output = T>) -> Result<T, Signal> {
    tokio::select! {
        done = work => Ok(done),
        signal = interrupted() => Err(signal),
    }
}

/// Wait for a signal; for ever where the system tells of none.
async fn interrupted() -> Signal {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let heard = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
        let (Ok(mut interrupt), Ok(mut terminate)) = heard else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => Signal::CtrlC,
            _ = terminate.recv() => Signal::Terminate,
        }
    }
    #[cfg(not(unix))]
    match tokio::signal::ctrl_c().await {
        Ok(()) => Signal::CtrlC,
        Err(_) => std::future::pending().await,
    }
}
