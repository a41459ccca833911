//! Counts rows that are read or written, to report the progress.
//!
//! Short work reports nothing. Counting is cheap, because the work counts a thousand rows at a time ([`EACH`]).

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::locks::lock;

/// Rows between two counts.
pub const EACH: usize = 1024;

/// Time until the first report, and least time between two reports.
pub const PAUSE: Duration = Duration::from_millis(200);

/// Counts rows and reports the count from time to time. Clones share the count; the default reports nothing.
#[derive(Clone, Default)]
pub struct Rows(Option<Arc<Counter>>);

struct Counter {
    report: Box<dyn Fn(u64) + Send + Sync>,
    pause: Duration,
    count: Mutex<Count>,
}

struct Count {
    rows: u64,
    last_report: Instant,
}

impl Rows {
    /// Reports the rows done so far to `report`, first after [`PAUSE`] and then at most once per [`PAUSE`].
    pub fn new(report: impl Fn(u64) + Send + Sync + 'static) -> Rows {
        Rows::every(PAUSE, report)
    }

    /// Does what [`Rows::new`] does with another `pause`; a zero `pause` reports each time.
    pub fn every(pause: Duration, report: impl Fn(u64) + Send + Sync + 'static) -> Rows {
        let count = Mutex::new(Count { rows: 0, last_report: Instant::now() });
        Rows(Some(Arc::new(Counter { report: Box::new(report), pause, count })))
    }

    /// Counts for work that goes row by row and has done `done` rows, at least one; adds [`EACH`] at each multiple of it.
    pub fn passed(&self, done: usize) {
        if done.is_multiple_of(EACH) {
            self.add(EACH);
        }
    }

    /// Counts `rows` more.
    pub fn add(&self, rows: usize) {
        let Some(counter) = &self.0 else { return };
        let mut count = lock(&counter.count);
        count.rows += rows as u64;
        let now = Instant::now();
        if now.duration_since(count.last_report) < counter.pause {
            return;
        }
        count.last_report = now;
        let rows = count.rows;
        drop(count);
        (counter.report)(rows);
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("is_reporting", &self.0.is_some()).finish()
    }
}

/// Returns a number of rows for display, with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Returns a count for display: `1 table`, `2 tables`, `12 000 tables`. `what` is the singular, whose plural ends in `s`.
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports(pause: Duration) -> Vec<u64> {
        let reports = Arc::<Mutex<Vec<u64>>>::default();
        let received = reports.clone();
        let rows = Rows::every(pause, move |rows| lock(&received).push(rows));
        rows.add(EACH);
        rows.clone().add(EACH);
        rows.add(7);
        let reports = lock(&reports);
        reports.clone()
    }

    #[test]
    fn rows_are_added_up_and_told_now_and_then() {
        assert_eq!(reports(Duration::ZERO), [1024, 2048, 2055]);
        assert!(reports(Duration::MAX).is_empty());
        Rows::default().add(1);
    }

    #[test]
    fn numbers_are_written_in_groups() {
        assert_eq!(
            [0, 1, 2, 12_000].map(|number| counted(number, "table")),
            ["0 tables", "1 table", "2 tables", "12 000 tables"]
        );
        let numbers = [0, 999, 1_000, 340_000, 1_048_576].map(grouped);
        assert_eq!(numbers, ["0", "999", "1 000", "340 000", "1 048 576"]);
    }
}
