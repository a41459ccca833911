//! Output of a guest: a log that is bounded while it is written, and the WASI streams that write to it.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

use super::limiter::LimitReached;
use mitt_base::{Limit, Resource, lock};

/// Output of a guest, bounded while it is produced. Clones share one log.
#[derive(Clone)]
pub struct OutputLog {
    limit: u64,
    shared: Arc<Mutex<OutputState>>,
}

#[derive(Default)]
struct OutputState {
    text: Vec<u8>,
    used: u64,
    last_error: Option<String>,
}

impl OutputLog {
    pub(super) fn new(limit: u64) -> OutputLog {
        OutputLog { limit, shared: Arc::default() }
    }

    pub(super) fn begin_call(&self) {
        self.with(|state| *state = OutputState::default());
    }

    fn with<R>(&self, f: impl FnOnce(&mut OutputState) -> R) -> R {
        f(&mut lock(&self.shared))
    }

    /// Counts `bytes` more. Returns the limit that they would exceed otherwise.
    pub fn count(&self, bytes: usize) -> Result<(), Limit> {
        self.with(|state| {
            let used = state.used.saturating_add(bytes as u64);
            if used > self.limit {
                return Err(Limit::new(Resource::Output, self.limit, used));
            }
            state.used = used;
            Ok(())
        })
    }

    /// Keeps text that a guest printed.
    pub(super) fn print(&self, bytes: &[u8]) -> Result<(), Limit> {
        self.count(bytes.len())?;
        self.with(|state| state.text.extend_from_slice(bytes));
        Ok(())
    }

    /// Keeps the message that a guest wrote just before it crashed.
    pub fn remember_error(&self, message: &str) {
        self.with(|state| state.last_error = Some(message.to_owned()));
    }

    pub(super) fn last_error(&self) -> Option<String> {
        self.with(|state| state.last_error.take())
    }

    /// Returns the printed text, with replacement characters where it is not UTF-8.
    pub(super) fn take_text(&self) -> String {
        let bytes = self.with(|state| std::mem::take(&mut state.text));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Standard output or standard error of a guest. It writes to the bounded log, and ends the store when the log is full.
pub(super) struct CapturedStream {
    log: OutputLog,
}

impl CapturedStream {
    pub(super) fn new(log: OutputLog) -> CapturedStream {
        CapturedStream { log }
    }
}

impl IsTerminal for CapturedStream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for CapturedStream {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(CapturedStream::new(self.log.clone()))
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(CapturedStream::new(self.log.clone()))
    }
}

impl OutputStream for CapturedStream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.log.print(&bytes).map_err(|limit| StreamError::Trap(LimitReached(limit).into()))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        // Most bytes that a guest may write at once; the log itself enforces the limit.
        Ok(64 * 1024)
    }
}

#[async_trait::async_trait]
impl Pollable for CapturedStream {
    async fn ready(&mut self) {}
}

impl AsyncWrite for CapturedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Poll::Ready(
            self.log
                .print(bytes)
                .map(|()| bytes.len())
                .map_err(|limit| std::io::Error::other(limit.to_string())),
        )
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
