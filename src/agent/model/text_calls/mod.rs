//! Calls for models without tools: the tools are described in words, and calls are read from the answer.
//!
//! Only text that the model itself writes is read. Results go back as data in fences that nothing within them can close, and
//! never pass through this module again. Knows no wire and runs no tool; mistakes in a call are left to the code that makes
//! it.

mod blocks;
mod object;
mod read;
mod request;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;

use async_trait::async_trait;
use futures_core::Stream;
use futures_util::{StreamExt as _, stream};

use super::arguments::{MAX_CALLS, too_many_calls};
use super::ids::Ids;
use super::{ChatEvent, ChatModel, ChatRequest, ChatStream, ModelCall};
use mitt::schema::lower::Dialect;
use mitt_base::Result;
use read::WrittenCall;

pub(super) use request::RewrittenRequest;

/// How a model spells its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Spelling {
    /// The whole answer is one JSON object, `{"say": …, "calls": […]}`, which the client enforces as it does any other
    /// [`output`](ChatRequest::output).
    Object,
    /// Text, with a block of JSON for each call. Nothing enforces the form, so the model can make mistakes.
    Blocks,
}

/// Gives tools to a model that cannot call tools.
///
/// Blocks are marked with a word that is drawn when this value is made. A document that the model quotes cannot know it, so
/// no quotation becomes a call. Calls that cannot be read are passed on as the model wrote them, so that it learns what is
/// wrong with them.
///
/// # Example: a model without tools
///
/// ```
/// use std::sync::Arc;
/// use mitt_agent::model::{ChatModel, ReplayModel, SpelledModel, Spelling};
///
/// let header = r#"{"format":"mitt-recording@1","model":"m"}"#;
/// let model: Arc<dyn ChatModel> = Arc::new(ReplayModel::from_jsonl(header)?);
/// let model = SpelledModel::new(model, Spelling::Blocks);
/// assert_eq!(model.name(), "m");
/// # Ok::<(), mitt::Error>(())
/// ```
pub struct SpelledModel {
    inner: Arc<dyn ChatModel>,
    style: CallStyle,
}

impl SpelledModel {
    /// Wraps `inner`, which spells out its calls. It gets tools in no other way.
    pub fn new(inner: Arc<dyn ChatModel>, spelling: Spelling) -> SpelledModel {
        let style = CallStyle { spelling, mark: mark(), dialect: inner.dialect() };
        SpelledModel { inner, style }
    }
}

#[async_trait]
impl ChatModel for SpelledModel {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn can_react(&self) -> bool {
        self.inner.can_react()
    }

    fn takes_images(&self) -> bool {
        self.inner.takes_images()
    }

    async fn context_tokens(&self) -> Option<u64> {
        self.inner.context_tokens().await
    }

    fn redacted(&self, text: &str) -> String {
        self.inner.redacted(text)
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        let rewritten = RewrittenRequest::new(&request, &self.style);
        let parser = Parser::new(&request, &self.style);
        // The rewritten request must live as long as its answer, and both come from one future.
        let (sender, receiver) = tokio::sync::mpsc::channel(1);
        let ask = async move {
            let events = match self.inner.chat(rewritten.request(&request)).await {
                Ok(events) => events,
                Err(error) => stream::iter([Err(error)]).boxed(),
            };
            let mut events = std::pin::pin!(parsed(events, parser));
            while let Some(event) = events.next().await {
                if sender.send(event).await.is_err() {
                    return;
                }
            }
        };
        let received = stream::unfold(receiver, async |mut receiver| {
            receiver.recv().await.map(|event| (event, receiver))
        });
        let asked = stream::once(ask).filter_map(async |()| None);
        Ok(stream::select(asked, received).boxed())
    }
}

/// How calls are spelled in one conversation.
#[derive(Clone, Debug)]
pub(super) struct CallStyle {
    pub(super) spelling: Spelling,
    /// The word behind the fence of a block.
    pub(super) mark: String,
    pub(super) dialect: Dialect,
}

/// Returns a word that cannot be guessed: five characters out of 32.
pub(super) fn mark() -> String {
    const SIGNS: [u8; 32] = *b"abcdefghijkmnpqrstuvwxyz23456789";
    // Seeds of hash maps are random numbers of the system.
    let random = RandomState::new().build_hasher().finish();
    let sign = |at: u32| char::from(SIGNS[(random >> (5 * at)) as usize % SIGNS.len()]);
    format!("call-{}", (0..5).map(sign).collect::<String>())
}

/// Reads calls from the text of one answer.
pub(super) struct Parser {
    inner: Inner,
    tools: Vec<String>,
    ids: Ids,
    /// Events that come at the end of an answer, behind the calls.
    last: Vec<ChatEvent>,
    is_stopped: bool,
    /// Number of calls so far.
    count: usize,
}

enum Inner {
    Object(object::Reader),
    Blocks(blocks::Reader),
    /// The request allows no calls, so all is text.
    Words,
}

impl Parser {
    /// Creates a parser for the answer to `request`.
    pub(super) fn new(request: &ChatRequest<'_>, style: &CallStyle) -> Parser {
        let tools: Vec<_> = request::offered(request).map(|tool| tool.name.clone()).collect();
        let inner = match style.spelling {
            _ if tools.is_empty() => Inner::Words,
            Spelling::Object => Inner::Object(object::Reader::default()),
            Spelling::Blocks => Inner::Blocks(blocks::Reader::new(&style.mark)),
        };
        let ids = Ids::of(request.messages);
        Parser { inner, tools, ids, last: Vec::new(), is_stopped: false, count: 0 }
    }

    fn event(&mut self, event: ChatEvent, out: &mut VecDeque<ChatEvent>) -> Result<()> {
        match event {
            ChatEvent::Text(text) => {
                let pieces = match &mut self.inner {
                    Inner::Object(reader) => reader.push(&text),
                    Inner::Blocks(reader) => reader.push(&text),
                    Inner::Words => vec![AnswerPart::Text(text)],
                };
                self.give(pieces, out)?;
            }
            ChatEvent::Stopped(reason) => {
                self.is_stopped = true;
                self.last.push(ChatEvent::Stopped(reason));
            }
            ChatEvent::Thought(_) | ChatEvent::Usage(_) => self.last.push(event),
            // This includes native calls, if the model makes some after all.
            _ => out.push_back(event),
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut VecDeque<ChatEvent>) -> Result<()> {
        let pieces = match &mut self.inner {
            Inner::Object(reader) => reader.finish(self.is_stopped),
            Inner::Blocks(reader) => reader.finish(self.is_stopped),
            Inner::Words => Vec::new(),
        };
        self.give(pieces, out)?;
        // How the answer ended comes last.
        let is_end = |event: &ChatEvent| matches!(event, ChatEvent::Stopped(_));
        let (ends, others): (Vec<_>, Vec<_>) = self.last.drain(..).partition(is_end);
        out.extend(others.into_iter().chain(ends));
        Ok(())
    }

    fn give(&mut self, pieces: Vec<AnswerPart>, out: &mut VecDeque<ChatEvent>) -> Result<()> {
        for piece in pieces {
            match piece {
                AnswerPart::Text(text) if text.is_empty() => {}
                AnswerPart::Text(text) => out.push_back(ChatEvent::Text(text)),
                AnswerPart::Call(written) => {
                    self.count += 1;
                    if self.count > MAX_CALLS {
                        return Err(too_many_calls());
                    }
                    let WrittenCall { name, arguments } = written.of(&self.tools);
                    let id = self.ids.give(None);
                    out.push_back(ChatEvent::CallStarted { id: id.clone(), name: name.clone() });
                    out.push_back(ChatEvent::Call(ModelCall { id, name, arguments }));
                }
            }
        }
        Ok(())
    }
}

/// A part of an answer.
#[derive(Debug, PartialEq)]
enum AnswerPart {
    Text(String),
    Call(WrittenCall),
}

/// Returns the events of an answer, with calls read from its text. Nothing follows an error.
pub(super) fn parsed<'a>(
    events: impl Stream<Item = Result<ChatEvent>> + Send + 'a,
    parser: Parser,
) -> impl Stream<Item = Result<ChatEvent>> + Send + 'a {
    let state = (Some(events.boxed()), parser, VecDeque::new());
    stream::unfold(state, async |(mut events, mut parser, mut ready)| {
        loop {
            if let Some(event) = ready.pop_front() {
                return Some((Ok(event), (events, parser, ready)));
            }
            let parsed = match events.as_mut()?.next().await {
                Some(Ok(event)) => parser.event(event, &mut ready),
                Some(Err(error)) => Err(error),
                None => {
                    events = None;
                    parser.finish(&mut ready)
                }
            };
            if let Err(error) = parsed {
                return Some((Err(error), (None, parser, VecDeque::new())));
            }
        }
    })
}
