//! A conversation as one stream: every step while it happens, and what came of it at the end.

use std::sync::Arc;
use std::task::Poll;

use futures_core::Stream;
use futures_util::stream;
use tokio::sync::mpsc::unbounded_channel;

use crate::conversation::{Conversation, RunReport};
use mitt::Event;
use mitt_base::Result;

/// A step of a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunEvent {
    /// The model said something, a call began or ended, a file was delivered, somebody is asked: as
    /// [`SessionOptions::events`](mitt::SessionOptions::events) is told.
    Step(Event),
    /// The run has ended. Nothing comes after that.
    Ended(Result<Box<RunReport>>),
}

impl Conversation<'_> {
    /// As [`Conversation::say`], step by step. The run goes on while the stream is polled, and stops when it is dropped, with the
    /// model's answer and the calls that are being made; [`Conversation::go_on`] finishes it later.
    ///
    /// # Example: the words of a model
    ///
    /// ```no_run
    /// # async fn show(mut conversation: mitt_agent::Conversation<'_>) -> mitt::Result<()> {
    /// use std::pin::pin;
    ///
    /// use futures_util::StreamExt as _;
    /// use mitt::Event;
    /// use mitt_agent::RunEvent;
    ///
    /// let mut steps = pin!(conversation.stream("What grew most?"));
    /// while let Some(step) = steps.next().await {
    ///     match step {
    ///         RunEvent::Step(Event::ModelText { text, .. }) => print!("{text}"),
    ///         RunEvent::Ended(report) => println!("\n{:?}", report?.delivered),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(&mut self, instruction: &str) -> impl Stream<Item = RunEvent> + Send {
        // What waits is what one poll tells, and what threads of calls tell meanwhile, which their limits bound.
        let (sender, mut steps) = unbounded_channel();
        let sink = Arc::new(move |event: &Event| {
            // Whoever dropped the stream hears no more.
            let _ = sender.send(event.clone());
        });
        let mut run = Box::pin(async move { self.say_told(instruction, sink).await });
        let mut has_ended = false;
        let mut report = None;
        stream::poll_fn(move |context| {
            if !has_ended && let Poll::Ready(done) = run.as_mut().poll(context) {
                (has_ended, report) = (true, Some(done.map(Box::new)));
            }
            // What it told comes before its end.
            match steps.poll_recv(context) {
                Poll::Ready(Some(event)) => Poll::Ready(Some(RunEvent::Step(event))),
                _ if has_ended => Poll::Ready(report.take().map(RunEvent::Ended)),
                _ => Poll::Pending,
            }
        })
    }
}
