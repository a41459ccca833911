//! The exit code of the program for each class of errors.

use mitt_base::ErrorKind;

/// Returns the exit code for an error, so that a shell script can tell errors apart:
///
/// | code | meaning |
/// |---|---|
/// | 0 | done |
/// | 1 | a tool or a script reported an error of its own; `skill check` or `inspect --strict` found something, `pdf verify` a signature that does not hold |
/// | 2 | the command line is wrong |
/// | 3 | an input is missing, unreadable, damaged or unsupported |
/// | 4 | unknown tool, or arguments that do not fit it |
/// | 5 | a capability was not granted |
/// | 6 | a limit was reached |
/// | 7 | a plugin crashed |
/// | 8 | a skill cannot be loaded, or this build lacks a feature |
/// | 9 | the model failed |
/// | 10 | too many calls are running or waiting; try again later |
/// | 11 | a call waits for an approval |
/// | 12 | blocked by a rule about content |
/// | 70 | the file system or the host itself failed |
/// | 130 | ended by Ctrl-C; files made before are kept |
pub(super) fn exit_code(kind: &ErrorKind) -> u8 {
    match kind {
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
        // The code that a shell reports for a program that SIGINT ended.
        ErrorKind::Cancelled => 130,
        // `Host`; another crate cannot list all kinds.
        _ => 70,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mitt_base::{Error, Resource};

    use super::*;

    #[test]
    fn scripts_can_tell_errors_apart() {
        let limit = Error::limit(Resource::Time, 1, 2);
        for (kind, code) in [
            (ErrorKind::Plugin, 1),
            (ErrorKind::Input, 3),
            (ErrorKind::UnknownTool, 4),
            (ErrorKind::Arguments, 4),
            (ErrorKind::Denied, 5),
            (limit.kind().clone(), 6),
            (ErrorKind::Trap, 7),
            (ErrorKind::Load, 8),
            (ErrorKind::Disabled("pdf"), 8),
            (ErrorKind::Model, 9),
            (ErrorKind::Busy { retry_after: Duration::ZERO }, 10),
            (ErrorKind::Paused, 11),
            (ErrorKind::Blocked, 12),
            (ErrorKind::Host, 70),
            (ErrorKind::Cancelled, 130),
        ] {
            assert_eq!(exit_code(&kind), code, "{kind:?}");
        }
    }
}
