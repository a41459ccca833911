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
pub(super) struct Written {
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// A part of the output; `None` at its end.
type Part = Option<(OutputStream, String)>;

/// Shows output as it comes.
pub(super) struct Streamed {
    hears: Sender<Part>,
    shows: JoinHandle<()>,
    written: Arc<Mutex<Written>>,
}

/// Passes output on.
#[derive(Clone)]
pub(super) struct Hears {
    sender: Sender<Part>,
    written: Arc<Mutex<Written>>,
    is_json: bool,
}

impl Hears {
    pub(super) fn hear(&self, stream: OutputStream, text: &str) {
        if self.is_json {
            // With JSON, one value is printed at the end; this keeps the output of a script that is cancelled.
            let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            match stream {
                OutputStream::Stdout => written.stdout.push_str(text),
                OutputStream::Stderr => written.stderr.push_str(text),
            }
        } else {
            // The receiver exists until the end.
            let _ = self.sender.send(Some((stream, text.to_owned())));
        }
    }
}

impl Streamed {
    pub(super) fn new(output: Output, progress: Progress) -> Streamed {
        let (hears, heard) = channel();
        let shows = std::thread::spawn(move || show(&heard, output, &progress));
        Streamed { hears, shows, written: Arc::default() }
    }

    /// Returns the sender for an event handler.
    pub(super) fn hears(&self, output: Output) -> Hears {
        let (sender, written) = (self.hears.clone(), self.written.clone());
        Hears { sender, written, is_json: output.is_json() }
    }

    /// Waits until everything is shown. Returns the output that was kept for JSON. Later output is lost.
    pub(super) fn finish(self) -> Written {
        let Streamed { hears, shows, written } = self;
        // The session still has a sender.
        let _ = hears.send(None);
        let _ = shows.join();
        written.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn show(heard: &Receiver<Part>, output: Output, progress: &Progress) {
    // Whether each stream has an incomplete line.
    let (mut is_gone, mut open) = (false, [false, false]);
    while let Ok(Some((stream, text))) = heard.recv() {
        let is_stdout = stream == OutputStream::Stdout;
        let ends = text.ends_with('\n');
        progress.beside(is_stdout && output.is_terminal(), ends, || match is_stdout {
            // The script continues after the reader has gone, because its files are still wanted.
            true => is_gone = is_gone || !output.stream(&text),
            false => crate::output::stream_note(&text),
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
