//! The body of an answer, bounded in size and in time.
//!
//! Knows no wire.

use std::time::Duration;

use futures_core::Stream;
use futures_util::stream;
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use mitt_base::{Error, Result};
use mitt_net::causes;

/// Limits of one answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Longest time between two pieces.
    pub(super) between: Duration,
    /// Time by which the answer must be complete, and the duration that led to it.
    pub(super) deadline: Instant,
    pub(super) total: Duration,
    /// Most bytes.
    pub(super) bytes: u64,
}

impl Bounds {
    /// Returns the error for an answer that took too long.
    pub(super) fn late(&self) -> Error {
        Error::model(format!("the answer took longer than {}", shown(self.total))).retryable(true)
    }

    /// Waits for `future` until the answer must be complete or `limit` is over.
    pub(super) async fn within<T>(
        &self,
        limit: Instant,
        late: impl FnOnce() -> Error,
        future: impl Future<Output = T>,
    ) -> Result<T> {
        match timeout_at(limit.min(self.deadline), future).await {
            Ok(value) => Ok(value),
            Err(_) if limit < self.deadline => Err(late()),
            Err(_) => Err(self.late()),
        }
    }

    /// Returns the next piece; `None` at the end.
    pub(super) async fn piece(&self, response: &mut Response) -> Result<Option<Vec<u8>>> {
        let late = || {
            let message = format!("the answer stalled: nothing came for {}", shown(self.between));
            Error::model(message).retryable(true)
        };
        let piece = self.within(Instant::now() + self.between, late, response.chunk()).await?;
        Ok(piece.map_err(|error| broken(&error))?.map(|bytes| bytes.to_vec()))
    }
}

/// Returns the error for a connection that ended before the answer did.
pub(super) fn broken(error: &reqwest::Error) -> Error {
    let error_text = causes(error);
    Error::model("the answer was cut off: the connection broke")
        .caused_by(error_text)
        .retryable(true)
}

/// Returns a duration as people read it.
pub(super) fn shown(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds.fract() == 0.0 { format!("{seconds} s") } else { format!("{seconds:.1} s") }
}

/// Returns all pieces of an answer, of which the first is given. Dropping it closes the connection.
pub(super) fn bytes(
    response: Response,
    first: Option<Vec<u8>>,
    bounds: Bounds,
) -> impl Stream<Item = Result<Vec<u8>>> + Send {
    let state = (Some(response), first, 0);
    stream::unfold(state, move |(response, first, n_bytes)| async move {
        let mut response = response?;
        let piece = match first {
            Some(first) => Ok(Some(first)),
            None => bounds.piece(&mut response).await,
        };
        let piece = match piece {
            Ok(piece) => piece?,
            Err(error) => return Some((Err(error), (None, None, n_bytes))),
        };
        let n_bytes = n_bytes + piece.len() as u64;
        if n_bytes > bounds.bytes {
            let message = format!("the answer is larger than {} bytes", bounds.bytes);
            return Some((Err(Error::model(message)), (None, None, n_bytes)));
        }
        Some((Ok(piece), (Some(response), None, n_bytes)))
    })
}

/// Returns the beginning of the body of an error, and `true` if there is more. If the body breaks off, returns what arrived.
pub(super) async fn beginning(
    response: &mut Response,
    bounds: &Bounds,
    limit: usize,
) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Ok(Some(piece)) = bounds.piece(response).await {
        body.extend(piece);
        if body.len() > limit {
            body.truncate(limit);
            return (body, true);
        }
    }
    (body, false)
}
