//! What the model says, shown while it says it.

use std::sync::{Arc, Mutex};

use crate::output::Output;
use crate::progress::Progress;
use crate::streamed::{Hears, Streamed};
use mitt::{Event, EventSink, OutputStream};
use mitt_agent::model::{Prices, Usage};
use mitt_base::lock;

/// Where the model's words go, and what they cost.
pub(super) struct Told {
    model: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// None while the model is not asked.
    hears: Option<Hears>,
    /// Whether a line is begun and not ended.
    is_open: bool,
    usage: Usage,
    /// In millionths of a dollar, of the turns whose price is known.
    cost: u64,
}

impl Told {
    /// What a model of this name says.
    pub(super) fn new(model: &str) -> Told {
        Told { model: model.to_owned(), state: Mutex::default() }
    }

    /// What to give to a session. What is no word of the model goes to `progress`.
    pub(super) fn sink(self: &Arc<Told>, progress: &Progress) -> EventSink {
        let (told, sink) = (self.clone(), progress.sink());
        Arc::new(move |event| {
            match event {
                Event::ModelText { text, .. } => told.say(text),
                // What comes after that is of another turn.
                Event::Turn { .. } => told.end_line(),
                Event::ModelUsage { input, cached, output, .. } => {
                    let mut turn = Usage::default();
                    (turn.input, turn.cached, turn.output) = (*input, *cached, *output);
                    told.add(turn);
                }
                _ => sink(event),
            }
        })
    }

    /// Show what the model says from now on.
    pub(super) fn begin(&self, output: Output, progress: &Progress) -> Streamed {
        let streamed = Streamed::new(output, progress.clone());
        lock(&self.state).hears = Some(streamed.hears(output));
        streamed
    }

    /// Wait until all of it is shown.
    pub(super) fn end(&self, streamed: Streamed) {
        self.end_line();
        lock(&self.state).hears = None;
        streamed.finish();
    }

    /// What all turns have cost: tokens, and millionths of a dollar if the model has a price.
    pub(super) fn usage(&self) -> (Usage, Option<u64>) {
        let has_price = Prices::known().cost(&self.model, &Usage::default()).is_some();
        let state = lock(&self.state);
        (state.usage, has_price.then_some(state.cost))
    }

    fn add(&self, turn: Usage) {
        let cost = Prices::known().cost(&self.model, &turn).unwrap_or_default();
        let mut state = lock(&self.state);
        state.cost = state.cost.saturating_add(cost);
        let usage = &mut state.usage;
        usage.input = usage.input.saturating_add(turn.input);
        usage.cached = usage.cached.saturating_add(turn.cached);
        usage.output = usage.output.saturating_add(turn.output);
    }

    fn say(&self, text: &str) {
        let mut state = lock(&self.state);
        if let (Some(hears), false) = (&state.hears, text.is_empty()) {
            hears.hear(OutputStream::Stdout, text);
            state.is_open = !text.ends_with('\n');
        }
    }

    fn end_line(&self) {
        if lock(&self.state).is_open {
            self.say("\n");
        }
    }
}
