//! A conversation as a stream of its steps, with the result at the end.

use std::sync::Arc;
use std::task::Poll;

use futures_core::Stream;
use futures_util::stream;
use tokio::sync::mpsc::unbounded_channel;

use crate::conversation::Conversation;
use crate::report::RunReport;
use mitt::Event;
use mitt_base::Result;

/// Item of the stream of a run: a step, or the end.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunItem {
    /// A step of the session or of the run, such as text of the model, the start or end of a call, or a delivered file: see
    /// [`SessionOptions::events`](mitt::SessionOptions::events) and [`RunEvent`](crate::RunEvent).
    Step(Event),
    /// The run has ended. This is the last item.
    Ended(Result<Box<RunReport>>),
}

impl Conversation<'_> {
    /// Like [`Conversation::say`], step by step. The run proceeds while the stream is polled. Dropping the stream stops it, with
    /// the model's answer and the running calls; [`Conversation::go_on`] can finish it later.
    ///
    /// # Example: the words of a model
    ///
    /// ```no_run
    /// # async fn show(mut conversation: mitt_agent::Conversation<'_>) -> mitt::Result<()> {
    /// use std::pin::pin;
    ///
    /// use futures_util::StreamExt as _;
    /// use mitt_agent::{RunEvent, RunItem};
    ///
    /// let mut steps = pin!(conversation.stream("What grew most?"));
    /// while let Some(step) = steps.next().await {
    ///     match step {
    ///         RunItem::Step(event) => {
    ///             if let Some(RunEvent::ModelText { text, .. }) = RunEvent::from_event(&event) {
    ///                 print!("{text}");
    ///             }
    ///         }
    ///         RunItem::Ended(report) => println!("\n{:?}", report?.delivered),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(&mut self, instruction: &str) -> impl Stream<Item = RunItem> + Send {
        // The queue holds what one poll sends, and what threads of calls send meanwhile, which their limits bound.
        let (sender, mut steps) = unbounded_channel();
        let sink = Arc::new(move |event: &Event| {
            // The stream may have been dropped.
            let _ = sender.send(event.clone());
        });
        let mut run = Box::pin(async move { self.say_with_sink(instruction, sink).await });
        let mut has_ended = false;
        let mut report = None;
        stream::poll_fn(move |context| {
            if !has_ended && let Poll::Ready(done) = run.as_mut().poll(context) {
                (has_ended, report) = (true, Some(done.map(Box::new)));
            }
            // Its events come before its end.
            match steps.poll_recv(context) {
                Poll::Ready(Some(event)) => Poll::Ready(Some(RunItem::Step(event))),
                _ if has_ended => Poll::Ready(report.take().map(RunItem::Ended)),
                _ => Poll::Pending,
            }
        })
    }
}
