//! Ctrl-C, and what a supervisor sends: the work is given up at once, and what it made before is kept.

use std::future::Future;

use mitt_base::{Error, ErrorKind};

/// Do `work`, unless somebody wants the program to end first. Then the work is dropped, which ends its calls: their journal says
/// so. A second signal meanwhile changes nothing, as nothing is waited for any more.
///
/// # Errors
///
/// [`ErrorKind::Cancelled`] - it was given up.
pub(super) async fn unless_interrupted<T>(work: impl Future<Output = T>) -> Result<T, Error> {
    tokio::select! {
        done = work => Ok(done),
        signal = interrupted() => Err(Error::new(ErrorKind::Cancelled, format!("ended by {signal}"))),
    }
}

/// Wait for a signal; for ever where the system tells of none. Gives its name.
async fn interrupted() -> &'static str {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let heard = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
        let (Ok(mut interrupt), Ok(mut terminate)) = heard else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => "Ctrl-C",
            _ = terminate.recv() => "SIGTERM",
        }
    }
    #[cfg(not(unix))]
    match tokio::signal::ctrl_c().await {
        Ok(()) => "Ctrl-C",
        Err(_) => std::future::pending().await,
    }
}
