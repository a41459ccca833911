//! Lines about calls in the audit log, for those who look later at who did what.
//!
//! Knows names and sizes. Knows no arguments, no results and no names of files.

use std::fmt::{self, Write as _};
use std::time::Duration;

use crate::AUDIT_TARGET;
use mitt::CallReport;
use mitt_base::text;

/// Most bytes of the name of a tool in a line. A client may name any tool.
const MAX_TOOL_BYTES: usize = 128;

/// A call that ended.
pub(super) struct EndedCall<'a> {
    pub(super) tenant: &'a str,
    /// Names the session in the log.
    pub(super) session: &'a str,
    /// The tool as the client named it.
    pub(super) tool: &'a str,
    pub(super) argument_bytes: usize,
    pub(super) outcome: &'static str,
    pub(super) duration: Duration,
    /// `None` if the call did not begin, or was ended before its end.
    pub(super) report: Option<&'a CallReport>,
}

impl EndedCall<'_> {
    /// Writes the line about the call.
    pub(super) fn log(&self) {
        // A result is counted for the line alone.
        if !tracing::enabled!(target: AUDIT_TARGET, tracing::Level::INFO) {
            return;
        }
        let EndedCall { tenant, session, argument_bytes, outcome, .. } = self;
        let tool = text::one_line(text::cut_bytes(self.tool, MAX_TOOL_BYTES));
        let milliseconds = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX);
        let result_bytes = self.report.map_or(0, result_bytes);
        let artifacts = self.report.map(|report| report.artifacts.as_slice()).unwrap_or_default();
        let (files, file_bytes) =
            (artifacts.len(), artifacts.iter().map(|it| it.size).sum::<u64>());
        tracing::info!(
            target: AUDIT_TARGET, tenant, session, tool, outcome, milliseconds, argument_bytes, result_bytes, files,
            file_bytes, "a tool was called"
        );
    }
}

/// Returns the size of a result as JSON; 0 for an error.
fn result_bytes(report: &CallReport) -> u64 {
    let mut counted = ByteCount(0);
    if let Ok(result) = &report.result {
        // Counting does not fail.
        let _ = write!(counted, "{result}");
    }
    counted.0
}

/// Counts what is written.
struct ByteCount(u64);

impl fmt::Write for ByteCount {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt::CallId;
    use mitt::value::Json;
    use mitt_base::Error;

    #[test]
    fn a_result_is_counted_as_it_is_sent() {
        let call = CallId { number: 1, parent: None };
        let report = |result| CallReport::new(call, "a__b", "{}", result);
        assert_eq!(result_bytes(&report(Ok(Json::from("月")))), "\"月\"".len() as u64);
        assert_eq!(result_bytes(&report(Err(Error::tool("no")))), 0);
    }
}
