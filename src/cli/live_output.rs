//! Shows the output of a script while it runs.
//!
//! A separate thread writes it, because a slow reader, such as a pager, must not use up the script's time. Waiting output is
//! bounded by what a script may write.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::output::Output;
use crate::progress::Progress;
use mitt::OutputStream;

/// The complete text of both streams.
#[derive(Clone, Debug, Default)]
pub(super) struct CapturedOutput {
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// A part of the output; `None` at its end.
type OutputPart = Option<(OutputStream, Text)>;

/// Text with or without characters that a terminal obeys.
enum Text {
    /// Text as a script or a model wrote it.
    Raw(String),
    /// Made visible before, with escape sequences of the program.
    #[cfg(feature = "models")]
    Shown(String),
}

/// Shows output as it comes.
pub(super) struct LiveOutput {
    sender: Sender<OutputPart>,
    printer: JoinHandle<()>,
    captured: Arc<Mutex<CapturedOutput>>,
}

/// Passes output on.
#[derive(Clone)]
pub(super) struct OutputSender {
    sender: Sender<OutputPart>,
    captured: Arc<Mutex<CapturedOutput>>,
    is_json: bool,
}

impl OutputSender {
    pub(super) fn send(&self, stream: OutputStream, text: &str) {
        if self.is_json {
            // With JSON, one value is printed at the end; this keeps the output of a script that is cancelled.
            let mut captured = self.captured.lock().unwrap_or_else(PoisonError::into_inner);
            match stream {
                OutputStream::Stdout => captured.stdout.push_str(text),
                OutputStream::Stderr => captured.stderr.push_str(text),
            }
        } else {
            // The receiver exists until the end.
            let _ = self.sender.send(Some((stream, Text::Raw(text.to_owned()))));
        }
    }

    /// Takes text for standard output that was made visible before and has escape sequences of the program.
    #[cfg(feature = "models")]
    pub(super) fn send_shown(&self, shown: String) {
        let _ = self.sender.send(Some((OutputStream::Stdout, Text::Shown(shown))));
    }
}

impl LiveOutput {
    pub(super) fn new(output: Output, progress: Progress) -> LiveOutput {
        let (sender, receiver) = channel();
        let printer = std::thread::spawn(move || show(&receiver, output, &progress));
        LiveOutput { sender, printer, captured: Arc::default() }
    }

    /// Returns the sender for an event handler.
    pub(super) fn sender(&self, output: Output) -> OutputSender {
        let (sender, captured) = (self.sender.clone(), self.captured.clone());
        OutputSender { sender, captured, is_json: output.is_json() }
    }

    /// Waits until everything is shown. Returns the output that was kept for JSON. Later output is lost.
    pub(super) fn finish(self) -> CapturedOutput {
        let LiveOutput { sender, printer, captured } = self;
        // The session still has a sender.
        let _ = sender.send(None);
        let _ = printer.join();
        captured.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn show(receiver: &Receiver<OutputPart>, output: Output, progress: &Progress) {
    // For each stream, `true` if its last line is incomplete.
    let (mut is_gone, mut open) = (false, [false, false]);
    while let Ok(Some((stream, text))) = receiver.recv() {
        let is_stdout = stream == OutputStream::Stdout;
        let ends = match &text {
            Text::Raw(text) => text.ends_with('\n'),
            #[cfg(feature = "models")]
            Text::Shown(text) => text.ends_with('\n'),
        };
        progress.beside(is_stdout && output.is_terminal(), ends, || match (&text, is_stdout) {
            // The script continues after the reader has gone, because its files are still wanted.
            (Text::Raw(text), true) => is_gone = is_gone || !output.stream(text),
            (Text::Raw(text), false) => crate::output::stream_note(text),
            #[cfg(feature = "models")]
            (Text::Shown(text), _) => is_gone = is_gone || !output.stream_shown(text),
        });
        open[usize::from(is_stdout)] = !ends;
    }
    // Later text begins on a new line, if a person reads it.
    if open[0] {
        crate::output::stream_note("\n");
    }
    if open[1] && output.is_terminal() && !is_gone {
        output.stream("\n");
    }
}
