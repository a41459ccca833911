//! Keeps the terminal from echoing what is typed while the model answers. It becomes the beginning of the next line.

/// Switches the echo of the terminal off until it is dropped. Ctrl-C still stops the model.
pub(super) struct Silent {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl Silent {
    /// Switches the echo off. Does nothing if standard input is not a terminal.
    pub(super) fn begin() -> Silent {
        #[cfg(unix)]
        {
            use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

            let stdin = std::io::stdin();
            let before = tcgetattr(&stdin).ok();
            if let Some(before) = &before {
                let mut silent = before.clone();
                silent.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
                // What was typed already stays. A terminal that cannot be asked shows what is typed, as before.
                let _ = tcsetattr(&stdin, OptionalActions::Now, &silent);
            }
            Silent { before }
        }
        #[cfg(not(unix))]
        Silent {}
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(before) = &self.before {
            use rustix::termios::{OptionalActions, tcsetattr};

            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}
