//! A connection that fails if the peer reads too slowly.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A stream that fails if the peer reads too little of what is written: nothing for a time, or less than a rate after that
/// time. Reading has no limit here, because hyper bounds it.
#[derive(Debug)]
pub(super) struct TimedStream<S> {
    stream: S,
    time: Duration,
    /// In bytes per second.
    rate: u64,
    pending_write: Option<PendingWrite>,
}

/// The state from the first write that had to wait until all data was taken.
#[derive(Debug)]
struct PendingWrite {
    since: Instant,
    /// Bytes that were taken since then.
    taken: u64,
    /// The moment when the last write began to wait.
    stalled: Option<Instant>,
    sleep: Pin<Box<Sleep>>,
}

impl<S> TimedStream<S> {
    pub(super) fn new(stream: S, time: Duration, rate: u64) -> TimedStream<S> {
        TimedStream { stream, time, rate: rate.max(1), pending_write: None }
    }

    /// Returns the result of a write, unless the peer is too slow.
    fn bound<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
        taken: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        let now = Instant::now();
        if let Poll::Ready(written) = written {
            if let (Some(pending_write), Ok(written)) = (&mut self.pending_write, &written) {
                pending_write.taken = pending_write.taken.saturating_add(taken(written) as u64);
                pending_write.stalled = None;
            }
            return Poll::Ready(written);
        }
        let time = self.time;
        let pending_write = self.pending_write.get_or_insert_with(|| {
            let sleep = Box::pin(sleep(time));
            PendingWrite { since: now, taken: 0, stalled: None, sleep }
        });
        let earned = Duration::from_secs_f64(pending_write.taken as f64 / self.rate as f64);
        let stalled = *pending_write.stalled.get_or_insert(now) + time;
        let deadline = stalled.min(pending_write.since + time.saturating_add(earned));
        if deadline <= now {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        if pending_write.sleep.deadline() != deadline {
            pending_write.sleep.as_mut().reset(deadline);
        }
        ready!(pending_write.sleep.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.bound(cx, written, |taken| *taken)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.bound(cx, written, |taken| *taken)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        if flushed.is_ready() {
            // hyper flushes once it has written everything.
            self.pending_write = None;
        }
        self.bound(cx, flushed, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.bound(cx, shut, |()| 0)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_is_given_up() {
        let (ours, _theirs) = duplex(8);
        let mut ours = TimedStream::new(ours, Duration::from_secs(30), 1);
        let begun = Instant::now();
        let error = ours.write_all(&[0; 9]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun.elapsed().as_secs(), 30);
    }

    /// Reads a piece at intervals, until the end.
    async fn take(mut theirs: impl AsyncRead + Unpin, size: usize, every: Duration) {
        let mut piece = vec![0; size];
        loop {
            sleep(every).await;
            if theirs.read_exact(&mut piece).await.is_err() {
                return;
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_slowly_is_not() {
        let (ours, theirs) = duplex(800);
        tokio::spawn(take(theirs, 100, Duration::from_secs(5)));
        let mut ours = TimedStream::new(ours, Duration::from_secs(30), 20);
        let begun = Instant::now();
        ours.write_all(&[0; 10_000]).await.unwrap();
        assert!(begun.elapsed() > Duration::from_secs(400));
    }

    /// Reading a byte now and then is not enough.
    #[tokio::test(start_paused = true)]
    async fn who_takes_less_than_the_rate_is_given_up() {
        let (ours, theirs) = duplex(800);
        tokio::spawn(take(theirs, 1, Duration::from_secs(5)));
        let mut ours = TimedStream::new(ours, Duration::from_secs(30), 20);
        let begun = Instant::now();
        let error = ours.write_all(&[0; 10_000]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn every_answer_begins_anew() {
        let (ours, theirs) = duplex(800);
        tokio::spawn(take(theirs, 100, Duration::from_secs(20)));
        let mut ours = TimedStream::new(ours, Duration::from_secs(30), 20);
        for _ in 0..10 {
            ours.write_all(&[0; 850]).await.unwrap();
            ours.flush().await.unwrap();
            sleep(Duration::from_secs(300)).await;
        }
    }
}
