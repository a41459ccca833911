//! Sends the output of a script to the host, line by line.

use crate::context::Context;
use crate::contract::mitt::host::script_host::Stream;
use monty_types::{MontyException, PrintWriterCallback};
use std::borrow::Cow;
use std::rc::Rc;

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

    fn add_output(&self, stream: Stream, text: &str) {
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

/// Receives the fragments that `print` makes.
pub(crate) struct Printer(pub(crate) Rc<Context>);

impl PrintWriterCallback for Printer {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.0.add_output(Stream::Stdout, &output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.0.add_output(Stream::Stdout, end.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn stderr_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.0.add_output(Stream::Stderr, &output);
        Ok(())
    }

    fn stderr_push(&mut self, end: char) -> Result<(), MontyException> {
        self.0.add_output(Stream::Stderr, end.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    // For scripts that print half a line and then calculate for long.
    fn poll_flush(&mut self) -> Result<(), MontyException> {
        self.0.flush_output();
        Ok(())
    }
}
