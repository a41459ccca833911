//! Helpers of the tests: a host, and a log of a run that they can read.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use crate::log::{LoggedRun, RunHeader, RunLog};
use mitt::offer::ToolMode;
use mitt::{CacheDir, Host, HostBuilder};

/// Returns a host builder with the cache of this checkout, because script engines take long to compile.
pub(crate) fn host() -> HostBuilder {
    let cache = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mitt-cache");
    Host::builder().cache(CacheDir::new(cache))
}

/// Log in memory that the test can read.
#[derive(Clone, Default)]
pub(crate) struct MemoryLog(Arc<Mutex<Vec<u8>>>);

impl MemoryLog {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    pub(crate) fn read(&self) -> LoggedRun {
        LoggedRun::read(self.text().as_bytes()).unwrap()
    }

    pub(crate) fn log(&self) -> RunLog {
        let header = RunHeader::new("2026-11-23T09:30:00.000Z".into(), "m".into(), ToolMode::All);
        RunLog::begin(self.clone(), &header).unwrap()
    }

    /// Returns the log as it was when the process died, after `count` lines.
    pub(crate) fn lines(&self, count: usize) -> LoggedRun {
        let text = self.text();
        let lines: Vec<_> = text.split_inclusive('\n').take(count).collect();
        LoggedRun::read(lines.concat().as_bytes()).unwrap()
    }
}

impl Write for MemoryLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
