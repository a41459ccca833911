//! The classes of errors.

use std::time::Duration;

use super::Limit;

/// Class of an [`Error`](super::Error).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No tool has this name; the hints name the nearest ones.
    UnknownTool,
    /// The arguments of a call do not fit the tool's interface.
    Arguments,
    /// A capability or an action was not granted.
    Denied,
    /// A rule about content found something that must not leave. The call or request ends and is never retried. The message
    /// has the id of the rule and the place, not the text that was found.
    Blocked,
    /// A limit was reached. It ends the store, and the guest cannot catch it. Only two of them allow a retry: the time of
    /// one attempt of a repeatable tool, and memory that other sessions of the tenant hold.
    Limit(Limit),
    /// The plugin crashed. Ends the store.
    Trap,
    /// The plugin ran and reported an error of its own.
    Plugin,
    /// A document or file from the user is missing, unreadable, damaged or of an unsupported type.
    Input,
    /// A manifest, a skill or a component cannot be loaded.
    Load,
    /// The model, or the recording that replaces one, failed.
    Model,
    /// This build lacks the feature.
    Disabled(&'static str),
    /// A call waits for a decision: `Session::resume` continues it.
    Paused,
    /// Too many calls are running or waiting, and this one did not start; or other calls use the memory of the host.
    Busy {
        /// Time after which a place may be free.
        retry_after: Duration,
    },
    /// The call was cancelled because nobody waits for it any more, and stopped where it was.
    Cancelled,
    /// The file system or the host itself failed.
    Host,
}

impl ErrorKind {
    /// Returns the name of the class, as in JSON and in the journal.
    pub fn name(&self) -> &'static str {
        match self {
            ErrorKind::UnknownTool => "unknown-tool",
            ErrorKind::Arguments => "arguments",
            ErrorKind::Denied => "denied",
            ErrorKind::Blocked => "blocked",
            ErrorKind::Limit(_) => "limit",
            ErrorKind::Trap => "trap",
            ErrorKind::Plugin => "plugin",
            ErrorKind::Input => "input",
            ErrorKind::Load => "load",
            ErrorKind::Model => "model",
            ErrorKind::Disabled(_) => "disabled",
            ErrorKind::Paused => "paused",
            ErrorKind::Busy { .. } => "busy",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::Host => "host",
        }
    }
}
