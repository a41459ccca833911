//! The capability `log`: messages for the operator. Readers have it without a grant.

use std::sync::Arc;

use mitt_contract::host::mitt::host::log as wit;
use wasmtime::component::{HasData, Linker};

use super::shared::Nobody;
use mitt_base::{Error, text};
use mitt_engine::{StoreCore, StoreData};

/// Longest message that is logged, in bytes; `wit/log.wit` documents it.
const MAX_BYTES: usize = 4096;

/// Bytes counted for each message in addition to its length: even a short one is a line of the journal and an event.
const COST: usize = 64;

/// Interface to the session.
pub trait Log: Send + Sync + 'static {
    /// Logs a message for the operator.
    fn log(&self, level: LogLevel, message: &str);
}

/// Severity of a log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For developers of the plugin.
    Debug,
    /// Progress of the work.
    Info,
    /// The plugin changed or left out something.
    Warn,
    /// The plugin is about to fail.
    Error,
}

impl LogLevel {
    /// Returns its name in the journal.
    pub fn name(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        }
    }
}

impl Log for Nobody {
    fn log(&self, _: LogLevel, _: &str) {}
}

/// The session, and the store that counts the messages. A reader has no session to log to; its last message is used if it
/// crashes.
pub(super) struct LogHost<'a> {
    pub(super) session: Option<Arc<dyn Log>>,
    pub(super) core: &'a mut StoreCore,
}

impl HasData for LogHost<'static> {
    type Data<'a> = LogHost<'a>;
}

/// Links the interface. `host_getter` finds the session in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> LogHost<'_>,
) -> wasmtime::Result<()> {
    wit::add_to_linker::<T, LogHost<'static>>(linker, host_getter)
}

impl wit::Host for LogHost<'_> {
    fn write(&mut self, level: wit::Level, message: String) -> wasmtime::Result<()> {
        let level = match level {
            wit::Level::Debug => LogLevel::Debug,
            wit::Level::Info => LogLevel::Info,
            wit::Level::Warn => LogLevel::Warn,
            wit::Level::Error => LogLevel::Error,
        };
        noted(self.core, self.session.as_deref(), level, &message)
    }
}

/// Counts a message in the store of its plugin, and logs it.
///
/// # Errors
///
/// The limit of captured output is exceeded.
pub(super) fn noted(
    core: &mut StoreCore,
    session: Option<&dyn Log>,
    level: LogLevel,
    message: &str,
) -> wasmtime::Result<()> {
    let message = text::cut_bytes(message, MAX_BYTES);
    let output = core.output();
    output.count(message.len().saturating_add(COST)).map_err(Error::reached)?;
    if level == LogLevel::Error {
        output.remember_error(message);
    }
    if let Some(session) = session {
        session.log(level, message);
    }
    Ok(())
}
