//! Sends the output of a script to the host, line by line.

use crate::context::Context;
use crate::contract::mitt::host::script_host::Stream;

/// Bytes after which an incomplete line is sent.
const MAX_BUFFERED: usize = 8 << 10;

/// The parts of incomplete lines.
#[derive(Default)]
pub(crate) struct Pending {
    stdout: String,
    stderr: String,
}

impl Context {
    /// Sends incomplete lines: before a call that may not return, and at the end.
    pub(crate) fn flush_output(&self) {
        let Pending { stdout, stderr } = self.output.take();
        for (stream, text) in [(Stream::Stdout, stdout), (Stream::Stderr, stderr)] {
            if !text.is_empty() {
                self.host.write(stream, &text);
            }
        }
    }

    pub(crate) fn add_output(&self, stream: Stream, text: &str) {
        let mut pending = self.output.borrow_mut();
        let buffer =
            if stream == Stream::Stdout { &mut pending.stdout } else { &mut pending.stderr };
        let ended = text.rfind('\n').map(|place| buffer.len() + place + 1);
        buffer.push_str(text);
        if let Some(end) = ended.or((buffer.len() > MAX_BUFFERED).then_some(buffer.len())) {
            self.host.write(stream, &buffer[..end]);
            buffer.drain(..end);
        }
    }
}
