//! Lines about refused requests in the audit log. A client that is refused again and again does not fill the disk.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::AUDIT_TARGET;
use mitt_base::lock;

/// Most lines in a span of time. Further refusals are counted, and the next line says how many there were.
const MAX_LINES: u64 = 20;
const SPAN: Duration = Duration::from_secs(1);

/// Writes the lines.
#[derive(Debug, Default)]
pub(super) struct RefusalLog {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the current span began.
    begun: Option<Instant>,
    /// Lines in it.
    n_lines: u64,
    left_out: u64,
}

impl RefusalLog {
    /// Writes that a request was refused. `tenant` is `None` if its sender is unknown.
    pub(super) fn report(&self, tenant: Option<&str>, reason: &str) {
        let Some(left_out) = lock(&self.state).next(Instant::now()) else { return };
        let tenant = tenant.unwrap_or_default();
        tracing::info!(target: AUDIT_TARGET, tenant, reason, left_out, "a request was refused");
    }
}

impl State {
    /// Returns how many lines were left out before this one; `None` if this one is left out.
    fn next(&mut self, now: Instant) -> Option<u64> {
        let is_new = self.begun.is_none_or(|begun| now.saturating_duration_since(begun) >= SPAN);
        if is_new {
            (self.begun, self.n_lines) = (Some(now), 0);
        }
        if self.n_lines >= MAX_LINES {
            self.left_out += 1;
            return None;
        }
        self.n_lines += 1;
        Some(std::mem::take(&mut self.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_refusals_are_few_lines_that_count_the_others() {
        let (mut state, now) = (State::default(), Instant::now());
        let lines: Vec<u64> = (0..1_000).filter_map(|_| state.next(now)).collect();
        assert_eq!(lines, vec![0; 20]);
        assert_eq!(state.next(now + SPAN), Some(980));
        assert_eq!(state.next(now + SPAN), Some(0));
    }
}
