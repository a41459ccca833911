//! Shows the answer of the model while it arrives, and counts its tokens.

use std::sync::{Arc, Mutex};

use crate::live_output::{LiveOutput, OutputSender};
use crate::markdown::Markdown;
use crate::output::Output;
use crate::progress::Progress;
use mitt::{EventSink, OutputStream};
use mitt_agent::model::Usage;
use mitt_agent::{AgentStep, RunEvent};
use mitt_base::lock;

/// Shows the text of the model, and collects what its requests cost.
#[derive(Default)]
pub(super) struct AnswerDisplay(Mutex<State>);

#[derive(Default)]
struct State {
    /// `None` while the model is not asked.
    sender: Option<OutputSender>,
    /// Renders Markdown. `None` without a terminal or with `NO_COLOR`: the text is then printed as the model wrote it.
    markdown: Option<Markdown>,
    /// `true` if the shown text does not end with a line end.
    is_open: bool,
    /// The current model.
    model: Arc<str>,
    /// The usage of each request, with its model.
    usage: Vec<(Arc<str>, Usage)>,
    /// The agent that the conversation was handed over to, whose text is shown as that of the model.
    acting: Option<u64>,
    /// Tokens of agents that the model delegated to.
    given: u64,
}

impl AnswerDisplay {
    /// Returns the event sink for a session. Events other than text of the model go to `progress`.
    pub(super) fn sink(self: &Arc<AnswerDisplay>, progress: &Progress) -> EventSink {
        let (display, sink) = (self.clone(), progress.sink());
        Arc::new(move |event| {
            let (agent, step) = event.in_agent();
            let is_consumed =
                RunEvent::from_event(step).is_some_and(|step| display.run_event(agent, step));
            if !is_consumed {
                sink(event);
            }
        })
    }

    /// Shows or counts a step of the model or of an agent. Returns `true` if progress must not show it.
    fn run_event(&self, agent: Option<u64>, event: &RunEvent) -> bool {
        let is_talk = agent.is_none() || agent == lock(&self.0).acting;
        match event {
            RunEvent::ModelText { text, .. } if is_talk => self.say(text),
            // Later text belongs to another turn.
            RunEvent::Turn { .. } if is_talk => self.end_line(),
            RunEvent::ModelUsage { input, cached, output, .. } if is_talk => {
                let mut usage = Usage::default();
                (usage.input, usage.cached, usage.output) = (*input, *cached, *output);
                let mut state = lock(&self.0);
                let model = state.model.clone();
                state.usage.push((model, usage));
            }
            RunEvent::AgentStarted { id, step: AgentStep::Transferred, .. } => {
                lock(&self.0).acting = Some(*id);
                return false;
            }
            RunEvent::AgentEnded { id, parent, cost, .. } => {
                let mut state = lock(&self.0);
                state.acting = state.acting.filter(|acting| acting != id);
                // The requests of agents that this agent delegated to are included in its own cost.
                if parent.is_none() {
                    state.given = state.given.saturating_add(cost.tokens);
                }
                return false;
            }
            _ => return false,
        }
        true
    }

    /// Shows text of the model from now on.
    pub(super) fn begin(&self, output: Output, progress: &Progress) -> LiveOutput {
        let live = LiveOutput::new(output, progress.clone());
        let mut state = lock(&self.0);
        state.sender = Some(live.sender(output));
        state.markdown = terminal_columns(output).map(Markdown::new);
        drop(state);
        live
    }

    /// Waits until all text is shown.
    pub(super) fn end(&self, live: LiveOutput) {
        self.end_line();
        lock(&self.0).sender = None;
        live.finish();
    }

    /// Sets the model for later requests.
    pub(super) fn set_model(&self, name: &str) {
        lock(&self.0).model = name.into();
    }

    /// Returns the usage of each request, with its model.
    pub(super) fn usage(&self) -> Vec<(Arc<str>, Usage)> {
        lock(&self.0).usage.clone()
    }

    /// Returns the tokens of agents that the model delegated to.
    pub(super) fn given(&self) -> u64 {
        lock(&self.0).given
    }

    fn say(&self, text: &str) {
        let mut state = lock(&self.0);
        let State { sender: Some(sender), markdown, is_open, .. } = &mut *state else { return };
        if text.is_empty() {
            return;
        }
        match markdown {
            Some(markdown) => show(sender, markdown.push(text)),
            None => sender.send(OutputStream::Stdout, text),
        }
        *is_open = !text.ends_with('\n');
    }

    fn end_line(&self) {
        let mut state = lock(&self.0);
        let State { sender: Some(sender), markdown, is_open, .. } = &mut *state else { return };
        match markdown {
            Some(markdown) => show(sender, markdown.finish()),
            None if *is_open => sender.send(OutputStream::Stdout, "\n"),
            None => {}
        }
        *is_open = false;
    }
}

fn show(sender: &OutputSender, shown: String) {
    if !shown.is_empty() {
        sender.send_shown(shown);
    }
}

/// Returns the columns of the terminal that shows the answer. `None` without a terminal or with `NO_COLOR`.
fn terminal_columns(output: Output) -> Option<usize> {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if !output.is_terminal() || is_refused || !console::colors_enabled() {
        return None;
    }
    Some(usize::from(console::Term::stdout().size().1))
}
