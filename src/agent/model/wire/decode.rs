//! Decodes the bytes of an answer to lines, to events and finally to events of the model.
//!
//! Knows no wire and no connection; the caller supplies the bytes.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use eventsource_stream::{EventStream, EventStreamError};
use futures_core::Stream;
use futures_util::{StreamExt as _, stream};

use super::super::ChatEvent;
use super::super::arguments::is_json;
use super::super::preset::Wire;
use super::{Progress, Reader};
use mitt_base::{Error, Result};

/// Most empty lines that are skipped before other tasks run.
const MAX_SKIPPED: usize = 4_096;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Splits bytes into complete lines, each with a line feed. `EventStream` scans all of its buffer with every piece; with
/// complete lines it never holds more than one, and the size of an event is checked before it is in memory.
struct Lines<S> {
    bytes: S,
    pending: Vec<u8>,
    /// Bytes of `pending` that were returned.
    start: usize,
    /// Bytes of it that hold no line end, so that long lines are scanned once.
    scanned: usize,
    /// `true` if the last line ended in a carriage return, so that a line feed right behind belongs to it.
    after_return: bool,
    ends: Ends,
    event_bytes: u64,
    limit: u64,
    /// `true` until the first line, before which a byte order mark may stand.
    is_at_start: bool,
    is_over: bool,
}

/// What ends an event.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Line,
    EmptyLine,
}

impl<S> Lines<S> {
    fn new(bytes: S, ends: Ends, limit: u64) -> Lines<S> {
        Lines {
            bytes,
            pending: Vec::new(),
            start: 0,
            scanned: 0,
            after_return: false,
            ends,
            event_bytes: 0,
            limit,
            is_at_start: true,
            is_over: false,
        }
    }

    /// Returns the next complete line.
    fn line(&mut self) -> Option<Vec<u8>> {
        if self.after_return && self.start < self.pending.len() {
            self.after_return = false;
            if self.pending[self.start] == b'\n' {
                self.start += 1;
                self.scanned = self.start;
            }
        }
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let Some(end) = self.pending[self.scanned..].iter().position(is_end) else {
            self.pending.drain(..self.start);
            (self.start, self.scanned) = (0, self.pending.len());
            return None;
        };
        let end = self.scanned + end;
        let line = self.pending[self.start..end].to_vec();
        self.after_return = self.pending[end] == b'\r';
        (self.start, self.scanned) = (end + 1, end + 1);
        Some(line)
    }

    /// Returns the last line of a body, which needs no line end; `None` if it was cut off in the middle.
    fn last(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.pending);
        (self.start, self.scanned) = (0, 0);
        let text = std::str::from_utf8(&line).ok()?;
        let text = text.trim_start_matches(BYTE_ORDER_MARK);
        let data = text.strip_prefix("data:").unwrap_or(text).trim();
        (data == "[DONE]" || is_json(data)).then_some(line)
    }

    /// Returns the line as text, without a byte order mark: `EventStream` panics at one.
    fn checked(&mut self, mut line: Vec<u8>) -> Result<String> {
        self.bounded(line.len())?;
        if std::mem::take(&mut self.is_at_start) {
            while line.starts_with(BYTE_ORDER_MARK.as_bytes()) {
                line.drain(..BYTE_ORDER_MARK.len());
            }
        }
        let is_end = line.is_empty() || self.ends == Ends::Line;
        self.event_bytes = if is_end { 0 } else { self.event_bytes + line.len() as u64 };
        let mut line = String::from_utf8(line)
            .map_err(|_| Error::model("the service sent bytes that are not UTF-8"))?;
        line.push('\n');
        Ok(line)
    }

    fn bounded(&self, more: usize) -> Result<()> {
        if self.event_bytes + more as u64 <= self.limit {
            return Ok(());
        }
        Err(Error::model(format!("one event of the answer is larger than {} bytes", self.limit)))
    }
}

impl<S: Stream<Item = Result<B>> + Unpin, B: AsRef<[u8]>> Stream for Lines<S> {
    type Item = Result<String>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut skipped = 0;
        loop {
            if let Some(line) = self.line() {
                // No event is open that an empty line could end.
                if line.is_empty() && self.event_bytes == 0 && !self.is_at_start {
                    skipped += 1;
                    if skipped == MAX_SKIPPED {
                        // Yields to the runtime, so that other tasks run, such as the one that cancels this stream.
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    continue;
                }
                return Poll::Ready(Some(self.checked(line)));
            }
            if self.is_over {
                let last = self.last();
                return Poll::Ready(last.map(|line| self.checked(line)));
            }
            if let Err(error) = self.bounded(self.pending.len()) {
                return Poll::Ready(Some(Err(error)));
            }
            match self.bytes.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(bytes))) => self.pending.extend_from_slice(bytes.as_ref()),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => self.is_over = true,
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// An event of a stream: its name or `message`, and its data.
type Event = (String, String);

/// Returns the events of a stream of server-sent events. The last one needs no empty line behind it, because servers forget
/// it.
fn events<S, B>(bytes: S, limit: u64) -> impl Stream<Item = Result<Event>> + Send + use<S, B>
where
    S: Stream<Item = Result<B>> + Unpin + Send,
    B: AsRef<[u8]> + Send,
{
    let end = stream::iter([Ok("\n".to_owned())]);
    EventStream::new(Lines::new(bytes, Ends::EmptyLine, limit).chain(end)).map(
        |event| match event {
            Ok(event) => Ok((event.event, event.data)),
            Err(EventStreamError::Transport(error)) => Err(error),
            Err(other) => {
                Err(Error::model("the service sent what are no events")
                    .caused_by(other.to_string()))
            }
        },
    )
}

/// Returns the values of a stream of JSON lines.
fn json_lines<S, B>(bytes: S, limit: u64) -> impl Stream<Item = Result<Event>> + Send + use<S, B>
where
    S: Stream<Item = Result<B>> + Unpin + Send,
    B: AsRef<[u8]> + Send,
{
    let lines =
        Lines::new(bytes, Ends::Line, limit).map(|line| line.map(|line| (String::new(), line)));
    lines.filter(|line| {
        let is_blank = matches!(line, Ok((_, line)) if line.trim().is_empty());
        std::future::ready(!is_blank)
    })
}

/// An answer on its way through its reader.
struct AnswerDecoder<S> {
    frames: S,
    reader: Reader,
    ready: VecDeque<Result<ChatEvent>>,
    is_over: bool,
}

/// Returns the events of the model in a stream of bytes. An event of the service has at most `limit` bytes. Nothing follows
/// an error.
pub(crate) fn answer<'a, S, B>(
    wire: Wire,
    reader: Reader,
    bytes: S,
    limit: u64,
) -> impl Stream<Item = Result<ChatEvent>> + Send + 'a
where
    S: Stream<Item = Result<B>> + Unpin + Send + 'a,
    B: AsRef<[u8]> + Send + 'a,
{
    let frames = match wire {
        Wire::Ollama => json_lines(bytes, limit).boxed(),
        Wire::Chat | Wire::Responses | Wire::Messages => events(bytes, limit).boxed(),
    };
    let answer = AnswerDecoder { frames, reader, ready: VecDeque::new(), is_over: false };
    stream::unfold(answer, |mut answer| async {
        loop {
            if let Some(event) = answer.ready.pop_front() {
                return Some((event, answer));
            }
            if answer.is_over {
                return None;
            }
            answer.step().await;
        }
    })
}

impl<S: Stream<Item = Result<Event>> + Unpin> AnswerDecoder<S> {
    /// Reads one frame.
    async fn step(&mut self) {
        let frame = self.frames.next().await;
        let result = match frame {
            Some(Ok((name, data))) => self.reader.event(&name, &data),
            // A complete answer stays complete if the connection breaks behind it.
            Some(Err(_)) if self.reader.progress() != Progress::Open => self.finish(),
            Some(Err(error)) => Err(error),
            None => self.finish(),
        };
        let result = match self.reader.progress() {
            Progress::Over if result.is_ok() && !self.is_over => self.finish(),
            _ => result,
        };
        self.ready.extend(self.reader.take().into_iter().map(Ok));
        if let Err(error) = result {
            self.is_over = true;
            self.ready.push_back(Err(error));
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.is_over = true;
        self.reader.finish()
    }
}
