//! What the model says, shown while it says it.

use std::sync::{Arc, Mutex};

use crate::output::Output;
use crate::progress::Progress;
use crate::streamed::{Hears, Streamed};
use mitt::{AgentStep, Event, EventSink, OutputStream};
use mitt_agent::model::Usage;
use mitt_base::lock;

/// Where the model's words go, and what they cost.
#[derive(Default)]
pub(super) struct Told(Mutex<State>);

#[derive(Default)]
struct State {
    /// None while the model is not asked.
    hears: Option<Hears>,
    /// Whether a line is begun and not ended.
    is_open: bool,
    /// Of each request.
    usage: Vec<Usage>,
    /// The agent that the conversation was handed over to: its words are the model's.
    acting: Option<u64>,
    /// Tokens of agents that were given work.
    given: u64,
}

impl Told {
    /// What to give to a session. What is no word of the model goes to `progress`.
    pub(super) fn sink(self: &Arc<Told>, progress: &Progress) -> EventSink {
        let (told, sink) = (self.clone(), progress.sink());
        Arc::new(move |event| {
            let (agent, step) = event.in_agent();
            let is_talk = agent.is_none() || agent == lock(&told.0).acting;
            match step {
                Event::ModelText { text, .. } if is_talk => told.say(text),
                // What comes after that is of another turn.
                Event::Turn { .. } if is_talk => told.end_line(),
                Event::AgentStarted { id, step: AgentStep::Transferred, .. } => {
                    lock(&told.0).acting = Some(*id);
                    sink(event);
                }
                Event::AgentEnded { id, parent, cost, .. } => {
                    let mut state = lock(&told.0);
                    state.acting = state.acting.filter(|acting| acting != id);
                    // Those that agents gave work to are counted in theirs.
                    if parent.is_none() {
                        state.given = state.given.saturating_add(cost.tokens);
                    }
                    drop(state);
                    sink(event);
                }
                Event::ModelUsage { input, cached, output, .. } if is_talk => {
                    let mut usage = Usage::default();
                    (usage.input, usage.cached, usage.output) = (*input, *cached, *output);
                    lock(&told.0).usage.push(usage);
                }
                _ => sink(event),
            }
        })
    }

    /// Show what the model says from now on.
    pub(super) fn begin(&self, output: Output, progress: &Progress) -> Streamed {
        let streamed = Streamed::new(output, progress.clone());
        lock(&self.0).hears = Some(streamed.hears(output));
        streamed
    }

    /// Wait until all of it is shown.
    pub(super) fn end(&self, streamed: Streamed) {
        self.end_line();
        lock(&self.0).hears = None;
        streamed.finish();
    }

    /// What each turn has cost.
    pub(super) fn usage(&self) -> Vec<Usage> {
        lock(&self.0).usage.clone()
    }

    /// Tokens of agents that were given work.
    pub(super) fn given(&self) -> u64 {
        lock(&self.0).given
    }

    fn say(&self, text: &str) {
        let mut state = lock(&self.0);
        if let (Some(hears), false) = (&state.hears, text.is_empty()) {
            hears.hear(OutputStream::Stdout, text);
            state.is_open = !text.ends_with('\n');
        }
    }

    fn end_line(&self) {
        if lock(&self.0).is_open {
            self.say("\n");
        }
    }
}
