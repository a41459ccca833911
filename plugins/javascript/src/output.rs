//! Sends the output of a script to the host, line by line.

use crate::contract::mitt::host::script_host::Stream;
use crate::host::Host;

/// Bytes after which an incomplete line is sent.
const MAX_BUFFERED: usize = 8 << 10;

/// The parts of incomplete lines.
#[derive(Default)]
pub(crate) struct Pending {
    stdout: String,
    stderr: String,
}

impl Pending {
    /// Sends incomplete lines: before a call that may not return, and at the end.
    pub(crate) fn flush(&mut self, host: &dyn Host) {
        let Pending { stdout, stderr } = std::mem::take(self);
        for (stream, text) in [(Stream::Stdout, stdout), (Stream::Stderr, stderr)] {
            if !text.is_empty() {
                host.write(stream, &text);
            }
        }
    }

    /// Adds output, and sends complete lines.
    pub(crate) fn add(&mut self, host: &dyn Host, stream: Stream, text: &str) {
        let buffer = if stream == Stream::Stdout { &mut self.stdout } else { &mut self.stderr };
        let ended = text.rfind('\n').map(|place| buffer.len() + place + 1);
        buffer.push_str(text);
        if let Some(end) = ended.or((buffer.len() > MAX_BUFFERED).then_some(buffer.len())) {
            host.write(stream, &buffer[..end]);
            buffer.drain(..end);
        }
    }
}
