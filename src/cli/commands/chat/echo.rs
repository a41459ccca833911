//! What is typed while the model answers: it waits for the next line, and is not written into the answer.

/// While it lives, the terminal does not show what is typed. Ctrl-C still stops the model.
pub(super) struct Silent {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl Silent {
    /// Begins it. Nothing happens where no terminal is read.
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
