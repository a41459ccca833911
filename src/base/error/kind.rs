//! The classes of errors, and what a program exits with for each.

use std::time::Duration;

use super::Limit;

/// Class of an [`Error`](super::Error).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No tool of this name; the hints name the nearest.
    UnknownTool,
    /// The arguments of a call do not fit the tool's interface.
    Arguments,
    /// A capability or an action that was not granted.
    Denied,
    /// A rule about content found something that must go nowhere. What wanted it ends: it is never tried again, and the message
    /// has the id of the rule and the place, not what was found.
    Blocked,
    /// A limit was reached. It ends the store, and the guest cannot catch it. A call is tried again only after two of them:
    /// the time of one attempt of a tool that may be repeated, and memory that other sessions of the tenant hold.
    Limit(Limit),
    /// The plugin crashed. Ends the store.
    Trap,
    /// The plugin ran and reported an error of its own.
    Plugin,
    /// A document or file given by the user is missing, unreadable, damaged or of an unsupported type.
    Input,
    /// A manifest, a skill or a component cannot be loaded.
    Load,
    /// The model, or the recording that stands for one, failed.
    Model,
    /// A feature that this build does not have.
    Disabled(&'static str),
    /// A call waits for a decision: `Session::resume` goes on with it.
    Paused,
    /// Too many calls are running or waiting, and nothing was run; or the host's memory is in use, by others too.
    Busy {
        /// After how long a place may be free.
        retry_after: Duration,
    },
    /// Nobody waits for the call any more: it was cancelled, and ended where it was.
    Cancelled,
    /// The file system or the host itself failed.
    Host,
}

impl ErrorKind {
    /// What the program `mitt` exits with, so that a shell script can tell what went wrong:
    ///
    /// | code | meaning |
    /// |---|---|
    /// | 0 | done |
    /// | 1 | a tool or a script reported an error of its own; `skill check` or `inspect --strict` found something |
    /// | 2 | the command line is wrong |
    /// | 3 | an input is missing, unreadable, damaged or unsupported |
    /// | 4 | unknown tool, or arguments that do not fit it |
    /// | 5 | a capability that was not granted |
    /// | 6 | a limit was reached |
    /// | 7 | a plugin crashed |
    /// | 8 | a skill cannot be loaded, or this build lacks a feature |
    /// | 9 | the model failed |
    /// | 10 | too many calls are running or waiting; try again later |
    /// | 11 | a call waits for an approval |
    /// | 12 | blocked by a rule about content |
    /// | 70 | the file system or the host itself failed |
    /// | 130 | Ctrl-C ended it, what was made before is kept |
    pub fn exit_code(&self) -> u8 {
        match self {
            ErrorKind::Plugin => 1,
            ErrorKind::Input => 3,
            ErrorKind::UnknownTool | ErrorKind::Arguments => 4,
            ErrorKind::Denied => 5,
            ErrorKind::Limit(_) => 6,
            ErrorKind::Trap => 7,
            ErrorKind::Load | ErrorKind::Disabled(_) => 8,
            ErrorKind::Model => 9,
            ErrorKind::Busy { .. } => 10,
            ErrorKind::Paused => 11,
            ErrorKind::Blocked => 12,
            ErrorKind::Host => 70,
            // As a shell tells of a program that SIGINT has ended.
            ErrorKind::Cancelled => 130,
        }
    }

    /// Name of the class, as it appears in JSON and in the journal.
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
