//! Rows that are read or written, counted for whoever waits for them.
//!
//! Short work tells nothing, and counting costs next to nothing: whoever works counts by the thousand rows ([`EACH`]).

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::locks::lock;

/// Rows between two counts.
pub const EACH: usize = 1024;

/// The shortest time until the first row is told of, and between two tellings.
pub const PAUSE: Duration = Duration::from_millis(200);

/// Counts rows, and tells of them now and then. A clone counts on; the default tells nobody.
#[derive(Clone, Default)]
pub struct Rows(Option<Arc<Counter>>);

struct Counter {
    tell: Box<dyn Fn(u64) + Send + Sync>,
    pause: Duration,
    count: Mutex<Count>,
}

struct Count {
    rows: u64,
    told: Instant,
}

impl Rows {
    /// `tell` is given how many rows are done, after [`PAUSE`] for the first time and at most once in that time.
    pub fn new(tell: impl Fn(u64) + Send + Sync + 'static) -> Rows {
        Rows::every(PAUSE, tell)
    }

    /// As [`Rows::new`], at most once in `pause`; with none, each time.
    pub fn every(pause: Duration, tell: impl Fn(u64) + Send + Sync + 'static) -> Rows {
        let count = Mutex::new(Count { rows: 0, told: Instant::now() });
        Rows(Some(Arc::new(Counter { tell: Box::new(tell), pause, count })))
    }

    /// For work that goes row by row: `done` rows of a table are done, at least one. Counts each [`EACH`] of them.
    pub fn passed(&self, done: usize) {
        if done.is_multiple_of(EACH) {
            self.add(EACH);
        }
    }

    /// So many more are done.
    pub fn add(&self, rows: usize) {
        let Some(counter) = &self.0 else { return };
        let mut count = lock(&counter.count);
        count.rows += rows as u64;
        let now = Instant::now();
        if now.duration_since(count.told) < counter.pause {
            return;
        }
        count.told = now;
        let rows = count.rows;
        drop(count);
        (counter.tell)(rows);
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("is_told", &self.0.is_some()).finish()
    }
}

/// A number of rows for people: its digits in groups of three.
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

/// A number of things for people: `1 table`, `2 tables`, `12 000 tables`. `what` is the word for one, whose plural ends in `s`.
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pause: Duration) -> Vec<u64> {
        let told = Arc::<Mutex<Vec<u64>>>::default();
        let heard = told.clone();
        let rows = Rows::every(pause, move |rows| lock(&heard).push(rows));
        rows.add(EACH);
        rows.clone().add(EACH);
        rows.add(7);
        let told = lock(&told);
        told.clone()
    }

    #[test]
    fn rows_are_added_up_and_told_now_and_then() {
        assert_eq!(told(Duration::ZERO), [1024, 2048, 2055]);
        assert!(told(Duration::MAX).is_empty());
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
