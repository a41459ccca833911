//! Progress on standard error: a line for each finished step and, on a terminal, a spinner for the current one. Long steps
//! are reported without a terminal too.

use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::output::{Output, note};
use super::plan_tree::PlanTree;
use mitt::{Document, Event, EventSink, RowStep, Usage};
use mitt_agent::{AgentStatus, AgentStep, RunEvent};
use mitt_base::rows::{Rows, counted};
use mitt_base::{lock, text};

/// Interval of the spinner.
const TICK: Duration = Duration::from_millis(100);

/// Longest line, in characters: a longer one would push others out of sight.
const SHOWN: usize = 2_000;

/// Time after which a compilation is reported without a terminal.
const LONG: Duration = Duration::from_secs(2);

/// Prints events as they come.
#[derive(Clone)]
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    state: Arc<Mutex<State>>,
}

/// The current activities.
#[derive(Default)]
struct State {
    /// The nested activities, outermost first; with the call's number, `None` for a document.
    running: Vec<(Option<u64>, String)>,
    /// Shown instead of the tool of the outermost call.
    called: Option<String>,
    /// The skill whose compilation was reported.
    compiling: Option<String>,
    /// The plan in progress.
    plan: PlanTree,
    /// `true` if a script has written an incomplete line to the terminal.
    is_line_open: bool,
    /// Prefixes for lines of the running agents, by their numbers.
    agents: HashMap<u64, String>,
    /// `true` if a call is shown in one line, without its measures and nested calls.
    is_brief: bool,
    /// Files that the current call has delivered, if it is shown in one line.
    delivered: Vec<String>,
}

impl State {
    /// Returns the prefix for lines of this agent.
    fn agent(&self, id: Option<u64>) -> String {
        id.and_then(|id| self.agents.get(&id)).cloned().unwrap_or_default()
    }
}

impl Progress {
    pub(super) fn new(quiet: bool) -> Progress {
        #[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
        let terminal = std::io::stderr().is_terminal();
        let bar = (!quiet && terminal).then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}{prefix}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        Progress { bar, quiet, state: Arc::default() }
    }

    /// Sets whether each call is shown in one line, or with its measures and nested calls.
    #[cfg(feature = "models")]
    pub(super) fn set_brief(&self, is_brief: bool) {
        self.state().is_brief = is_brief;
    }

    /// Returns `true` if each call is shown in one line.
    pub(super) fn is_brief(&self) -> bool {
        self.state().is_brief
    }

    /// Sets a name for the outermost call, instead of its tool's name.
    pub(super) fn call_it(&self, called: String) {
        self.state().called = Some(called);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Returns the event sink for a session.
    pub(super) fn sink(&self) -> EventSink {
        let progress = self.clone();
        Arc::new(move |event| progress.event(event))
    }

    /// Shows the current activity.
    pub(super) fn doing(&self, what: &str) {
        if let Some(bar) = &self.bar {
            // The bar redraws itself.
            bar.set_message(text::one_line(&text::shortened(what, SHOWN)));
        }
    }

    /// Reports that the component of `skill` is being compiled: on a terminal at once, elsewhere if it takes long.
    pub(super) fn compiling(&self, skill: &str, elapsed: Duration, usual: Duration) {
        let usual = match usual.as_secs() {
            0 => String::new(),
            seconds => format!("; it usually takes about {seconds} s"),
        };
        let text = format!("compiling {skill} for this machine, once{usual}");
        self.doing(&text);
        if elapsed < LONG || self.bar.is_some() {
            return;
        }
        let was_reported = self.state().compiling.replace(skill.to_owned());
        if was_reported.as_deref() != Some(skill) {
            self.line(&text);
        }
    }

    /// Reports that it is compiled.
    pub(super) fn compiled(&self, skill: &str, duration: Duration) {
        let was_reported = self.state().compiling.take().is_some();
        self.show(&self.state());
        if duration >= LONG || was_reported {
            self.line(&format!("compile {skill}  ({:.1} s)", duration.as_secs_f64()));
        }
    }

    /// Prints other text while the spinner is suspended.
    pub(super) fn suspended<R>(&self, print: impl FnOnce() -> R) -> R {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Prints a line. A step is always one line, whatever text a plugin put into it.
    pub(super) fn line(&self, line: &str) {
        let line = &text::one_line(&text::shortened(line, SHOWN));
        if self.quiet {
            return;
        }
        // Holding the lock keeps out the output of a script.
        let mut state = self.state();
        let line =
            if std::mem::take(&mut state.is_line_open) { &format!("\n{line}") } else { line };
        match &self.bar {
            Some(bar) => bar.suspend(|| note(line)),
            None => note(line),
        }
    }

    /// Lets other code write to the terminal: `write` prints text, which ends a line if `ends`. `is_shown` says that it goes
    /// to the terminal at all. The spinner would overwrite an incomplete line.
    pub(super) fn beside(&self, is_shown: bool, ends: bool, write: impl FnOnce()) {
        let mut state = self.state();
        match &self.bar {
            Some(bar) if is_shown && !ends => {
                bar.finish_and_clear();
                write();
            }
            Some(bar) => {
                bar.suspend(write);
                if is_shown && state.is_line_open {
                    self.go_on();
                }
            }
            None => write(),
        }
        if is_shown {
            state.is_line_open = !ends;
        }
    }

    /// Begins an activity inside the current one.
    fn begin(&self, call: Option<u64>, what: String) {
        let mut state = self.state();
        state.running.push((call, what));
        self.show(&state);
    }

    /// Ends an activity; the one around it continues.
    fn end(&self, call: Option<u64>) {
        let mut state = self.state();
        if let Some(at) = state.running.iter().rposition(|(other, _)| *other == call) {
            state.running.remove(at);
        }
        self.show(&state);
    }

    fn show(&self, state: &State) {
        if state.running.is_empty() {
            return self.doing(&state.plan.doing());
        }
        let parts: Vec<&str> = state.running.iter().map(|(_, what)| what.as_str()).collect();
        self.doing(&parts.join(": "));
    }

    /// Shows the progress of the innermost activity. Does nothing without a terminal.
    fn within(&self, what: &str) {
        if self.bar.is_none() {
            return;
        }
        let state = self.state();
        // The line already says that the document is being read.
        let calls = state.running.iter().filter(|(call, _)| call.is_some());
        let parts: Vec<&str> = calls.map(|(_, it)| it.as_str()).chain([what]).collect();
        self.doing(&parts.join(": "));
    }

    /// Reports how many of `of` rows are written to standard output, as `what`; the spinner is removed before the first.
    /// Reports nothing without a terminal, or if the rows themselves go to it.
    pub(super) fn written(&self, what: &'static str, of: u64, output: &Output) -> Rows {
        self.finish();
        let Some(bar) = self.bar.clone().filter(|_| !output.is_terminal()) else {
            return Rows::default();
        };
        // Redrawn with the rows, not by time: a pager may own the terminal and stop reading.
        bar.disable_steady_tick();
        let progress = self.clone();
        Rows::new(move |rows| {
            progress.doing(&RowStep::Writing.sentence(what, rows, Some(of)));
            if bar.is_finished() {
                bar.reset();
            }
            bar.tick();
        })
    }

    /// Removes the spinner.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Shows the spinner again after [`Progress::finish`].
    pub(super) fn go_on(&self) {
        if let Some(bar) = &self.bar {
            bar.reset();
            bar.enable_steady_tick(TICK);
        }
    }

    /// Shows a plan: the tree below the spinner, or a line for each change without a terminal. Returns `false` for other events.
    fn planned(&self, event: &RunEvent) -> bool {
        let (lines, tree) = {
            let mut state = self.state();
            let Some(lines) = state.plan.hear(event) else { return false };
            self.show(&state);
            (lines, state.plan.lines(terminal()))
        };
        match &self.bar {
            // The tree, which goes away at the end, does not show the result of a reflection.
            Some(bar) => {
                let tree: String = tree.iter().map(|line| format!("\n{line}")).collect();
                bar.set_prefix(tree);
                let is_kept = match event {
                    RunEvent::PlanStep { state, .. } => {
                        ["done", "failed", "skipped"].contains(state)
                    }
                    RunEvent::PlanReflection { .. } | RunEvent::PlanDecided { .. } => true,
                    _ => false,
                };
                lines.iter().filter(|_| is_kept).for_each(|line| self.line(line));
            }
            None => lines.iter().for_each(|line| self.line(line)),
        }
        true
    }

    fn event(&self, event: &Event) {
        let (agent, event) = event.in_agent();
        if let Some(event) = RunEvent::from_event(event) {
            return self.run_event(agent, event);
        }
        let at = self.state().agent(agent);
        if !(self.is_brief() && self.brief(&at, event)) {
            self.step(&at, event);
        }
    }

    /// Shows a step of a model, a plan or an agent.
    fn run_event(&self, agent: Option<u64>, event: &RunEvent) {
        if agent.is_none() && self.planned(event) {
            return;
        }
        let at = self.state().agent(agent);
        match event {
            RunEvent::AgentStarted { id, parent, agent, step, task } => {
                let at = self.state().agent(*parent);
                let begins = match step {
                    AgentStep::Transferred => "has the conversation".to_owned(),
                    _ => format!("begins: {task}"),
                };
                self.line(&format!("agent   {at}{agent} {id} {begins}"));
                let label = format!("{at}{agent} {id} | ");
                self.state().agents.insert(*id, label);
            }
            RunEvent::AgentEnded { id, parent, agent, status, failure, cost } => {
                let at = self.state().agent(*parent);
                self.state().agents.remove(id);
                self.show(&self.state());
                let spent = match status {
                    AgentStatus::HandedOver => String::new(),
                    _ => format!(
                        "  ({}, {}, {}, {})",
                        counted(cost.turns, "turn"),
                        counted(cost.tokens, "token"),
                        counted(cost.calls, "call"),
                        milliseconds(cost.duration)
                    ),
                };
                self.line(&format!("agent   {at}{agent} {id} {}{spent}", status.name()));
                if let Some(why) = failure {
                    let why = why.lines().next().unwrap_or_default();
                    self.line(&format!("        {at}failed: {why}"));
                }
            }
            RunEvent::Routed { trace, .. } if trace != "confident_direct" && !self.is_brief() => {
                self.line(&format!("route   {at}{trace}"));
            }
            RunEvent::ModelReasoning { .. } => self.doing(&format!("{at}the model thinks")),
            RunEvent::ModelText { .. } => self.doing(&format!("{at}the model answers")),
            RunEvent::ModelCall { tool, .. } => {
                self.doing(&format!("{at}the model writes a call of {tool}"))
            }
            RunEvent::ModelNote { text, .. } => self.line(&format!("model   {at}{text}")),
            RunEvent::Turn { number, model, text, n_calls, duration } => {
                let calls = counted(*n_calls as u64, "call");
                self.line(&format!(
                    "turn {number}  {at}{model}  {calls}  ({})",
                    milliseconds(*duration)
                ));
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    self.line(&format!("        {at}{line}"));
                }
            }
            // The library may emit events that this program does not show.
            _ => {}
        }
    }

    /// Shows a step as briefly as a person needs who waits for an answer. Returns `true` if the event has such a form.
    fn brief(&self, at: &str, event: &Event) -> bool {
        match event {
            Event::DocumentReady { document, .. } => {
                self.end(None);
                let tables = counted(document.tables.len() as u64, "table");
                if has_nothing(document) {
                    self.line(&format!("✓ {}", document.name));
                } else {
                    self.line(&format!("✓ {}  {tables}", document.name));
                }
                for warning in &document.warnings {
                    self.line(&format!("  warning: {warning}"));
                }
            }
            Event::Delivered { artifact, warnings, .. } => {
                self.state().delivered.push(artifact.name.clone());
                for warning in warnings {
                    self.line(&format!("  warning: {}: {warning}", artifact.name));
                }
            }
            Event::CallFinished { call, tool, depth, usage, failure } => {
                self.end(Some(call.number));
                if *depth > 0 {
                    return true;
                }
                let files = std::mem::take(&mut self.state().delivered);
                let made = if files.is_empty() {
                    String::new()
                } else {
                    format!(" → {}", files.join(", "))
                };
                let time = usage.duration.as_secs_f64();
                match failure {
                    None => self.line(&format!("✓ {at}{tool}  {time:.1} s{made}")),
                    Some((kind, message)) => {
                        let why = message.lines().next().unwrap_or_default();
                        self.line(&format!("✗ {at}{tool}  {time:.1} s{made}: {kind}: {why}"));
                    }
                }
            }
            _ => return false,
        }
        true
    }

    /// Shows a step; `at` is the prefix of the agent that takes it.
    fn step(&self, at: &str, event: &Event) {
        match event {
            Event::Fetching { url, .. } => self.doing(&format!("fetching {url}")),
            Event::DocumentStarted { name, .. } => self.begin(None, format!("reading {name}")),
            Event::Rows { name, step, rows, of, .. } => {
                self.within(&step.sentence(name, *rows, *of));
            }
            Event::DocumentReady { document, usage, duration, .. } => {
                self.end(None);
                let spent = usage.as_ref().map_or_else(|| milliseconds(*duration), spent);
                let (name, size) = (&document.name, bytes(document.size));
                if has_nothing(document) && usage.is_none() {
                    self.line(&format!("file    {name}  {size}  ({spent})"));
                } else {
                    let characters = counted(document.characters, "character");
                    let tables = counted(document.tables.len() as u64, "table");
                    self.line(&format!(
                        "ingest  {name}  {size}, {characters}, {tables}  ({spent})"
                    ));
                }
                for warning in &document.warnings {
                    self.line(&format!("        warning: {warning}"));
                }
            }
            Event::Compiling { skill, elapsed, usual, .. } => {
                self.compiling(skill, *elapsed, *usual);
            }
            Event::Compiled { skill, duration, .. } => self.compiled(skill, *duration),
            Event::CallStarted { call, tool, depth } => {
                let called = self.state().called.clone().filter(|_| *depth == 0);
                self.begin(Some(call.number), called.unwrap_or_else(|| format!("calling {tool}")));
            }
            Event::CallFinished { call, tool, depth, usage, failure } => {
                self.end(Some(call.number));
                let is_named = self.state().called.is_some();
                let indent = "  ".repeat(usize::try_from(*depth).unwrap_or(0));
                self.line(&format!("call    {at}{indent}{tool}  ({})", spent(usage)));
                // A command that makes a single call reports its end itself.
                if let Some((kind, message)) = failure.as_ref().filter(|_| *depth > 0 || !is_named)
                {
                    self.line(&format!(
                        "        {at}{indent}failed: {kind}: {}",
                        message.lines().next().unwrap_or_default()
                    ));
                }
            }
            Event::AttemptEnded { tool, depth, attempt, .. } => {
                // The last attempt is reported at the end of the call.
                if let (Some((kind, message)), Some(delay)) = (&attempt.failure, attempt.delay) {
                    let indent = "  ".repeat(usize::try_from(*depth).unwrap_or(0));
                    self.line(&format!(
                        "retry   {at}{indent}{tool}  attempt {} failed: {kind}: {}; next in {}",
                        attempt.number,
                        message.lines().next().unwrap_or_default(),
                        milliseconds(delay)
                    ));
                }
            }
            Event::Delivered { artifact, warnings, .. } => {
                self.line(&format!("file    {at}{}  {}", artifact.name, bytes(artifact.size)));
                for warning in warnings {
                    self.line(&format!("        warning: {warning}"));
                }
            }
            Event::Log { tool, level, message, .. } => {
                self.line(&format!("log     {at}{tool}  {}: {message}", level.name()));
            }
            // The library may emit events that this program does not show.
            _ => {}
        }
    }
}

/// Returns rows and columns of the terminal.
fn terminal() -> (usize, usize) {
    let (rows, columns) = console::Term::stderr().size_checked().unwrap_or((24, 80));
    (rows.into(), columns.into())
}

fn spent(usage: &Usage) -> String {
    format!(
        "{}, fuel {}, memory {}",
        milliseconds(usage.duration),
        millions(usage.fuel),
        bytes(usage.peak_memory_bytes)
    )
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1_000.0)
}

fn millions(fuel: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "two decimals are shown")]
    let millions = fuel as f64 / 1e6;
    format!("{millions:.2} M")
}

/// Returns a size for display, in binary units.
pub(super) fn bytes(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
    let size = bytes as f64;
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", size / 1024.0),
        _ => format!("{:.1} MiB", size / 1_048_576.0),
    }
}
/// Returns `true` if nothing was read of a document, such as of a file that only tools use.
fn has_nothing(document: &Document) -> bool {
    document.characters == 0 && document.tables.is_empty()
}
