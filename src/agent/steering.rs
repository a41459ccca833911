//! Further instructions of the user while a model works.
//!
//! Knows no conversations: they read what is queued here before each turn of their model.

use std::fmt;
use std::sync::{Arc, Mutex};

use mitt_base::{Error, ErrorKind, Result, lock};

/// Most texts that wait to be read.
const MAX_TEXTS: usize = 100;

/// Most bytes of the texts that wait to be read.
const MAX_BYTES: usize = 1024 * 1024;

/// Function that is called with each text that the model is given.
type OnRead = Arc<dyn Fn(&str) + Send + Sync>;

/// Handle for further instructions while a conversation follows one: [`Conversation::steer`](crate::Conversation::steer). A
/// clone has the same queue.
///
/// Before each turn of the model, all queued texts are added to the conversation. If the model has given its last answer and a
/// text is queued, the work goes on with the text. Files that a text asks for count like those of an instruction. A text that
/// comes too late stays in the queue: [`Steering::take`] returns it, otherwise the next instruction reads it.
///
/// Texts are words for the model: a slash at the beginning names no skill.
#[derive(Clone, Default)]
pub struct Steering {
    queue: Arc<Mutex<Vec<String>>>,
    on_read: Arc<Mutex<Option<OnRead>>>,
}

impl Steering {
    /// Queues a further instruction for the model's next turn.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the text is blank, or the queue has 100 texts or 1 MiB.
    pub fn say(&self, text: impl Into<String>) -> Result<()> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(Error::new(ErrorKind::Input, "expected a text, got a blank one"));
        }
        let mut queue = lock(&self.queue);
        let (count, bytes) = (queue.len() + 1, queue.iter().map(String::len).sum::<usize>());
        let bytes = bytes + text.len();
        if count > MAX_TEXTS || bytes > MAX_BYTES {
            let error = Error::new(
                ErrorKind::Input,
                format!(
                    "expected at most {MAX_TEXTS} texts of {MAX_BYTES} bytes that wait for the model, got {count} of {bytes}"
                ),
            );
            return Err(error.hint("wait until the model has read the others"));
        }
        queue.push(text);
        Ok(())
    }

    /// Returns the texts that no model has read, in order, and removes them. For the time after an instruction has ended.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.queue))
    }

    /// Calls `read` with each text when it is added to the conversation. It replaces an earlier function, must be fast, and may
    /// use this handle.
    pub fn on_read(&self, read: impl Fn(&str) + Send + Sync + 'static) {
        *lock(&self.on_read) = Some(Arc::new(read));
    }

    /// Reports that a text was added to the conversation.
    pub(crate) fn report_read(&self, text: &str) {
        // The lock is released before the call, which may use this handle.
        let read = lock(&self.on_read).clone();
        if let Some(read) = read {
            read(text);
        }
    }
}

impl fmt::Debug for Steering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steering").field("waiting", &lock(&self.queue).len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_bounded_and_empty_after_it_was_read() {
        let steering = Steering::default();
        let error = steering.say(" \n").unwrap_err();
        assert_eq!(error.to_string(), "expected a text, got a blank one");
        for n in 0..MAX_TEXTS {
            steering.clone().say(n.to_string()).unwrap();
        }
        let error = steering.say("one more").unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected at most 100 texts of 1048576 bytes that wait for the model, got 101 of 198"
        );
        let taken = steering.take();
        assert_eq!((taken.len(), taken[99].as_str()), (100, "99"));
        steering.say("x".repeat(MAX_BYTES)).unwrap();
        assert!(steering.say("y").unwrap_err().to_string().ends_with("got 2 of 1048577"));
        assert_eq!(format!("{steering:?}"), "Steering { waiting: 1 }", "no contents");
        assert_eq!(steering.take().len(), 1);
        assert!(steering.take().is_empty());
    }
}
