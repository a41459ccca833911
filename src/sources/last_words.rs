//! The last lines that a program wrote to standard error, to explain why it ended.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mitt_base::{lock, text};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::sync::watch;

/// Last lines of a program's standard error that are kept, to explain why it ended.
const LAST_LINES: usize = 5;

/// Longest such line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 4 * 1024;

/// Time to wait for the last lines of a program that broke off.
const LAST_LINES_TIMEOUT: Duration = Duration::from_millis(500);

/// The last lines that a program wrote to standard error.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastWords {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// `true` if no more can come.
    has_ended: Arc<watch::Sender<bool>>,
}

impl LastWords {
    /// Returns all of them as one line; `None` if there are none. Waits a little, because a program that has just ended may
    /// have written more.
    pub(crate) async fn summary(&self) -> Option<String> {
        let mut ended = self.has_ended.subscribe();
        let _ = tokio::time::timeout(LAST_LINES_TIMEOUT, ended.wait_for(|it| *it)).await;
        let lines = lock(&self.lines);
        (!lines.is_empty()).then(|| lines.iter().cloned().collect::<Vec<_>>().join(" / "))
    }

    /// Adds our own remark on the connection.
    pub(crate) fn add(&self, line: &str) {
        let mut lines = lock(&self.lines);
        if lines.len() == LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(text::shortened(line, 300));
    }

    /// Keeps the lines that arrive, until their writer ends.
    pub(crate) async fn collect(self, from: impl AsyncRead + Unpin) {
        let mut from = BufReader::new(from);
        loop {
            let mut line = Vec::new();
            // The rest of a longer line is read as the next one.
            let read = (&mut from).take(MAX_LINE_BYTES).read_until(b'\n', &mut line).await;
            if !read.is_ok_and(|length| length > 0) {
                self.has_ended.send_replace(true);
                return;
            }
            let line = text::one_line(String::from_utf8_lossy(&line).trim());
            if !line.is_empty() {
                self.add(&line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn last_words_are_few_and_short() {
        let words = LastWords::default();
        let said = format!("{}\n\n{}\n", "x".repeat(20_000), "y\u{202e}\n".repeat(9));
        words.clone().collect(said.as_bytes()).await;
        let summary = words.summary().await.unwrap();
        assert_eq!(summary, ["y\\u{202e}"; LAST_LINES].join(" / "));
        assert_eq!(LastWords::default().summary().await, None);
    }
}
