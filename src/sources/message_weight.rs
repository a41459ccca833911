//! Weighs the messages of a server before they are parsed, as is done for messages of clients. A tree of values may take a
//! hundred times the memory of its text.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use mitt::value::{MAX_MESSAGE_MEMORY, Weight};
use mitt_base::{Error, Resource};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead as _, AsyncRead, BufReader, ReadBuf};

use super::last_words::LastWords;

/// Largest message, in bytes. A larger one ends the connection.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// The beginning of a message that is too heavy.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
}

/// Checks that a message may be parsed. The error holds what to parse instead, an error for the request that the message
/// answers, if it answers one; and the reason.
pub(crate) fn check_weight(message: &[u8]) -> Result<(), (Option<String>, String)> {
    let made = Weight::of(message).message_bytes();
    if made <= MAX_MESSAGE_MEMORY {
        return Ok(());
    }
    let error = Error::limit(Resource::Message, MAX_MESSAGE_MEMORY, made);
    let reason = format!("its message has too many values: {error}");
    let head: Option<Head<'_>> = serde_json::from_slice(message).ok();
    let id = head.filter(|head| head.method.is_none()).and_then(|head| head.id);
    let answer = id.map(|id| {
        let error = json!({ "code": -32603, "message": reason });
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
    });
    Err((answer, reason))
}

/// The lines of a program, each of which is a message.
pub(crate) struct MessageReader<R> {
    from: BufReader<R>,
    line: Vec<u8>,
    /// How much of `line`, which is then complete, was passed on.
    given: Option<usize>,
    words: LastWords,
}

impl<R: AsyncRead> MessageReader<R> {
    pub(crate) fn new(from: R, words: LastWords) -> MessageReader<R> {
        MessageReader { from: BufReader::new(from), line: Vec::new(), given: None, words }
    }
}

impl<R: AsyncRead + Unpin> MessageReader<R> {
    /// Reads until a line is complete. Returns `false` at the end.
    fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        loop {
            let available = ready!(Pin::new(&mut self.from).poll_fill_buf(cx))?;
            if available.is_empty() {
                // A line without an end is not a message.
                return Poll::Ready(Ok(false));
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(available.len(), |end| end + 1);
            if self.line.len() + length > MAX_MESSAGE_BYTES {
                let problem =
                    format!("a message of more than {MAX_MESSAGE_BYTES} bytes came from it");
                self.words.add(&problem);
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::FileTooLarge, problem)));
            }
            self.line.extend_from_slice(&available[..length]);
            Pin::new(&mut self.from).consume(length);
            if end.is_some() {
                return Poll::Ready(Ok(true));
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for MessageReader<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let given = loop {
            if let Some(given) = this.given.filter(|given| *given < this.line.len()) {
                break given;
            }
            if this.given.take().is_some() {
                this.line.clear();
                // Keep no buffer of a large message.
                this.line.shrink_to(MAX_MESSAGE_BYTES / 16);
            }
            if !ready!(this.poll_line(cx))? {
                return Poll::Ready(Ok(()));
            }
            if let Err((answer, reason)) = check_weight(&this.line) {
                this.words.add(&reason);
                this.line.clear();
                this.line.extend(answer.into_iter().flat_map(|it| (it + "\n").into_bytes()));
            }
            this.given = Some(0);
        };
        let length = into.remaining().min(this.line.len() - given);
        into.put_slice(&this.line[given..given + length]);
        this.given = Some(given + length);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn read(lines: &[u8]) -> (io::Result<String>, Option<String>) {
        let words = LastWords::default();
        let mut text = String::new();
        let read = MessageReader::new(lines, words.clone()).read_to_string(&mut text).await;
        (read.map(|_| text), words.summary().await)
    }

    #[tokio::test]
    async fn messages_that_are_light_pass_as_they_are() {
        let lines = "{\"id\":1,\"result\":[1,2]}\r\n\n{\"id\":2}\n".to_owned()
            + &format!("{{\"id\":3,\"result\":\"{}\"}}\n", "x".repeat(15 << 20));
        let (text, words) = read(lines.as_bytes()).await;
        assert!(text.unwrap() == lines);
        assert_eq!(words, None);
        // A line without an end is not a message.
        assert_eq!(read(b"{\"id\":1}").await.0.unwrap(), "");
    }

    #[tokio::test]
    async fn a_message_that_would_take_much_is_answered_in_its_place() {
        let values = "[0],".repeat(3 << 20);
        for (heavy, id) in [
            (format!("{{\"result\":[{values}0],\"jsonrpc\":\"2.0\",\"id\":7}}"), Some("7")),
            (format!("{{\"id\":\"a\\\"b\",\"result\":{{\"x\":[{values}0]}}}}"), Some("\"a\\\"b\"")),
            // These answer nothing: a request, a notification, and a message that is cut off.
            (format!("{{\"id\":7,\"method\":\"ping\",\"params\":[{values}0]}}"), None),
            (format!("{{\"method\":\"notifications/x\",\"params\":[{values}0]}}"), None),
            (format!("{{\"id\":7,\"result\":[{values}"), None),
        ] {
            let (text, words) = read(format!("{heavy}\n{{\"id\":8}}\n").as_bytes()).await;
            let text = text.unwrap();
            let mut lines = text.lines();
            if let Some(id) = id {
                let answer = lines.next().unwrap();
                assert!(answer.contains(&format!("\"id\":{id},")), "{answer}");
                assert!(answer.contains("message limit of 100663296 bytes reached"), "{answer}");
            }
            assert_eq!(lines.next(), Some("{\"id\":8}"));
            assert!(words.unwrap().contains("too many values"));
        }
    }

    #[tokio::test]
    async fn a_line_without_an_end_ends_the_connection_and_is_told() {
        let (text, words) = read(&vec![b'x'; MAX_MESSAGE_BYTES + 1]).await;
        assert_eq!(text.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(words.unwrap().contains("more than 16777216 bytes"));
    }
}
