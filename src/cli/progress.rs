//! Progress on standard error: a line for each finished step and, on a terminal, a spinner for the one that runs. What takes long
//! is said without a terminal too.

use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::output::note;
use mitt::{Event, EventSink, Usage};
use mitt_base::{lock, text};

/// How often the spinner moves.
const TICK: Duration = Duration::from_millis(100);

/// Characters of a line: a longer one would push the others out of sight.
const SHOWN: usize = 2_000;

/// After this time, who has no terminal is told too that something is being compiled.
const LONG: Duration = Duration::from_secs(2);

/// Prints events as they come.
#[derive(Clone)]
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    /// Of what a line said that it is being compiled.
    compiling: Arc<Mutex<Option<String>>>,
}

impl Progress {
    pub(super) fn new(quiet: bool) -> Progress {
        #[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
        let terminal = std::io::stderr().is_terminal();
        let bar = (!quiet && terminal).then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        Progress { bar, quiet, compiling: Arc::default() }
    }

    /// What to give to a session.
    pub(super) fn sink(&self) -> EventSink {
        let progress = self.clone();
        Arc::new(move |event| progress.event(event))
    }

    /// Say what is being done now.
    pub(super) fn doing(&self, what: &str) {
        if let Some(bar) = &self.bar {
            // The bar draws by itself.
            bar.set_message(text::one_line(&text::shortened(what, SHOWN)));
        }
    }

    /// Say that the component of `skill` is being compiled: on a terminal at once, elsewhere in a line if it takes long.
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
        let is_told = lock(&self.compiling).replace(skill.to_owned());
        if is_told.as_deref() != Some(skill) {
            self.line(&text);
        }
    }

    /// Say that it is there.
    pub(super) fn compiled(&self, skill: &str, duration: Duration) {
        if duration >= LONG || lock(&self.compiling).take().is_some() {
            self.line(&format!("compile {skill}  ({:.1} s)", duration.as_secs_f64()));
        }
    }

    /// Print something else while the spinner stands still.
    pub(super) fn suspended<R>(&self, print: impl FnOnce() -> R) -> R {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Print a line. What tells of a step is one, whatever a plugin wrote into it.
    pub(super) fn line(&self, line: &str) {
        let line = &text::one_line(&text::shortened(line, SHOWN));
        match &self.bar {
            _ if self.quiet => {}
            Some(bar) => bar.suspend(|| note(line)),
            None => note(line),
        }
    }

    /// Remove the spinner.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Show the spinner again after [`Progress::finish`].
    pub(super) fn go_on(&self) {
        if let Some(bar) = &self.bar {
            bar.reset();
            bar.enable_steady_tick(TICK);
        }
    }

    fn event(&self, event: &Event) {
        match event {
            Event::DocumentStarted { name, .. } => self.doing(&format!("reading {name}")),
            Event::DocumentReady { document, usage, duration, .. } => {
                let spent = usage.as_ref().map_or_else(|| milliseconds(*duration), spent);
                self.line(&format!(
                    "ingest  {}  {}, {} characters, {} tables  ({spent})",
                    document.name,
                    bytes(document.size),
                    document.characters,
                    document.tables.len(),
                ));
                for warning in &document.warnings {
                    self.line(&format!("        warning: {warning}"));
                }
            }
            Event::Turn { number, model, text, n_calls, duration } => {
                let calls =
                    if *n_calls == 1 { "1 call".into() } else { format!("{n_calls} calls") };
                self.line(&format!(
                    "turn {number}  {model}  {calls}  ({})",
                    milliseconds(*duration)
                ));
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    self.line(&format!("        {line}"));
                }
            }
            Event::Compiling { skill, elapsed, usual, .. } => {
                self.compiling(skill, *elapsed, *usual);
            }
            Event::Compiled { skill, duration, .. } => self.compiled(skill, *duration),
            Event::CallStarted { tool, .. } => self.doing(&format!("calling {tool}")),
            Event::CallFinished { tool, depth, usage, failure, .. } => {
                let indent = "  ".repeat(usize::try_from(*depth).unwrap_or(0));
                self.line(&format!("call    {indent}{tool}  ({})", spent(usage)));
                if let Some((kind, message)) = failure {
                    self.line(&format!(
                        "        {indent}failed: {kind}: {}",
                        message.lines().next().unwrap_or_default()
                    ));
                }
            }
            Event::AttemptEnded { tool, depth, attempt, .. } => {
                // The last one is told of when the call ends.
                if let (Some((kind, message)), Some(delay)) = (&attempt.failure, attempt.delay) {
                    let indent = "  ".repeat(usize::try_from(*depth).unwrap_or(0));
                    self.line(&format!(
                        "retry   {indent}{tool}  attempt {} failed: {kind}: {}; next in {}",
                        attempt.number,
                        message.lines().next().unwrap_or_default(),
                        milliseconds(delay)
                    ));
                }
            }
            Event::Delivered { artifact, warnings, .. } => {
                self.line(&format!("file    {}  {}", artifact.name, bytes(artifact.size)));
                for warning in warnings {
                    self.line(&format!("        warning: {warning}"));
                }
            }
            Event::Log { tool, level, message, .. } => {
                self.line(&format!("log     {tool}  {}: {message}", level.name()));
            }
            // The library may tell more than this program shows.
            _ => {}
        }
    }
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

/// A size for people, in binary units.
pub(super) fn bytes(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
    let size = bytes as f64;
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", size / 1024.0),
        _ => format!("{:.1} MiB", size / 1_048_576.0),
    }
}
