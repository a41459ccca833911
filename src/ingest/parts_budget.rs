//! Budget of a document with all files inside of it. Each file has the limits of its reader, but without a bound on the sum an
//! archive of archives would use that much once per file.

use std::sync::Mutex;
use std::time::Duration;

use crate::ocr::OcrOptions;
use mitt_base::limits::{CallLimits, PartsLimits};
use mitt_base::{Error, Resource, Result, lock};
use mitt_engine::Usage;

/// Size of a document, in bytes, from which the files inside of it may take all of the time and the fuel. For a smaller
/// document it is less, in proportion to the size, so that a small file does not keep a processor busy for minutes.
const FULL: u64 = 5 << 20;

/// Divisor for the time and the fuel of the files inside of the smallest document.
const LEAST: u64 = 4;

/// Remaining budget of a document and the files inside of it, which share it.
pub struct PartsBudget {
    limits: PartsLimits,
    /// Bytes of the document.
    size: u64,
    spent: Mutex<Spent>,
}

#[derive(Default)]
struct Spent {
    time: Duration,
    fuel: u64,
    /// Time and fuel of the document itself, before the files inside of it.
    own: Option<(Duration, u64)>,
    bytes: u64,
    files: u64,
    /// Number of inner files that were skipped for lack of budget.
    left_out: u64,
    /// Time spent on recognising text in pictures.
    ocr: Duration,
    pages: usize,
}

impl PartsBudget {
    /// Creates the budget of a document of `size` bytes.
    pub fn new(limits: PartsLimits, size: u64) -> PartsBudget {
        PartsBudget { limits, size, spent: Mutex::default() }
    }

    /// Returns the most time and fuel that apply now.
    fn most(&self, spent: &Spent) -> (Duration, u64) {
        let PartsLimits { time, fuel, .. } = self.limits;
        let Some((own_time, own_fuel)) = spent.own else { return (time, fuel) };
        // The share grows linearly from `1 / LEAST` of everything to everything at `FULL`.
        let all = FULL * LEAST;
        let part = self.size.saturating_mul(LEAST - 1).saturating_add(FULL).min(all);
        let share = part as f64 / all as f64;
        let inside = (u128::from(fuel) * u128::from(part) / u128::from(all)) as u64;
        (
            time.min(own_time.saturating_add(time.mul_f64(share))),
            fuel.min(own_fuel.saturating_add(inside)),
        )
    }

    /// Checks that time and fuel are left.
    ///
    /// # Errors
    ///
    /// [`Limit`](mitt_base::ErrorKind::Limit) - no time or no fuel is left.
    pub fn check(&self) -> Result<()> {
        let spent = lock(&self.spent);
        let (time, fuel) = self.most(&spent);
        if spent.time >= time {
            return Err(late(time, spent.time));
        }
        if spent.fuel >= fuel {
            return Err(Error::limit(Resource::PartsFuel, fuel, spent.fuel));
        }
        Ok(())
    }

    /// Takes an inner file of this size from the budget.
    ///
    /// # Errors
    ///
    /// [`Limit`](mitt_base::ErrorKind::Limit) - nothing is left to read it with, or it is larger than what is left. Nothing is
    /// taken then.
    pub fn take(&self, bytes: u64) -> Result<()> {
        {
            let mut spent = lock(&self.spent);
            let own = (spent.time, spent.fuel);
            spent.own.get_or_insert(own);
        }
        self.check()?;
        let mut spent = lock(&self.spent);
        let PartsLimits { bytes: most_bytes, files: most_files, .. } = self.limits;
        let files = spent.files.saturating_add(1);
        if files > most_files {
            return Err(Error::limit(Resource::PartsFiles, most_files, files));
        }
        let bytes = spent.bytes.saturating_add(bytes);
        if bytes > most_bytes {
            return Err(Error::limit(Resource::PartsSize, most_bytes, bytes));
        }
        (spent.files, spent.bytes) = (files, bytes);
        Ok(())
    }

    /// Takes the time that was spent on reading a file.
    pub fn spend(&self, time: Duration) {
        let mut spent = lock(&self.spent);
        spent.time = spent.time.saturating_add(time);
    }

    /// Takes what a reader used.
    pub fn spend_usage(&self, usage: &Usage) {
        let mut spent = lock(&self.spent);
        spent.time = spent.time.saturating_add(usage.duration);
        spent.fuel = spent.fuel.saturating_add(usage.fuel);
    }

    /// Returns the limits of a reader, lowered to what is left.
    pub fn lowered(&self, limits: CallLimits) -> CallLimits {
        let spent = lock(&self.spent);
        let (most_time, most_fuel) = self.most(&spent);
        let time = limits.time.min(most_time.saturating_sub(spent.time));
        let fuel = limits.fuel.min(most_fuel.saturating_sub(spent.fuel));
        CallLimits { time, fuel, ..limits }
    }

    /// Converts the error of a reader that had the limits `given` and whose own limits are `own`. If it reached one that the
    /// budget lowered, the budget is exhausted, and the error says so.
    pub fn explained(&self, error: Error, given: &CallLimits, own: &CallLimits) -> Error {
        let mut spent = lock(&self.spent);
        let (time, fuel) = self.most(&spent);
        let explained = match error.limit_reached().map(|limit| limit.what) {
            Some(Resource::Fuel) if given.fuel < own.fuel => {
                spent.fuel = spent.fuel.max(fuel);
                Error::limit(Resource::PartsFuel, fuel, spent.fuel)
            }
            Some(Resource::Time) if given.time < own.time => {
                spent.time = spent.time.max(time);
                late(time, spent.time)
            }
            _ => return error,
        };
        explained.caused_by(error.to_string())
    }

    /// Counts files that were skipped for lack of budget.
    pub fn leave_out(&self, files: u64) {
        lock(&self.spent).left_out += files;
    }

    /// Returns how many files have been skipped.
    pub fn left_out(&self) -> u64 {
        lock(&self.spent).left_out
    }

    /// Returns the time and the pages that are left for recognising text in pictures.
    pub fn ocr(&self, options: &OcrOptions) -> (Duration, usize) {
        let spent = lock(&self.spent);
        (options.time.saturating_sub(spent.ocr), options.pages.saturating_sub(spent.pages))
    }

    /// Takes the time and pages of an attempt to recognise text.
    pub fn spend_ocr(&self, time: Duration, pages: usize) {
        let mut spent = lock(&self.spent);
        spent.ocr = spent.ocr.saturating_add(time);
        spent.pages = spent.pages.saturating_add(pages);
    }
}

fn late(most: Duration, time: Duration) -> Error {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Error::limit(Resource::PartsTime, millis(most), millis(time))
}

/// Returns whether a file was skipped for lack of budget.
pub fn is_over_budget(error: &Error) -> bool {
    error.limit_reached().is_some_and(|limit| {
        matches!(
            limit.what,
            Resource::PartsTime | Resource::PartsFuel | Resource::PartsSize | Resource::PartsFiles
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget() -> PartsBudget {
        of_size(FULL)
    }

    fn of_size(size: u64) -> PartsBudget {
        let time = Duration::from_secs(10);
        PartsBudget::new(PartsLimits { time, fuel: 1_000, bytes: 100, files: 3 }, size)
    }

    fn what(result: Result<()>) -> Option<Resource> {
        let error = result.err()?;
        assert!(is_over_budget(&error), "{error}");
        assert!(error.render().contains("one by one"), "{}", error.render());
        error.limit_reached().map(|limit| limit.what)
    }

    #[test]
    fn files_and_bytes_are_taken_until_none_are_left() {
        let budget = budget();
        assert_eq!(what(budget.take(60)), None);
        assert_eq!(what(budget.take(41)), Some(Resource::PartsSize));
        // A refused file takes nothing.
        assert_eq!(what(budget.take(40)), None);
        assert_eq!(what(budget.take(0)), None);
        assert_eq!(what(budget.take(0)), Some(Resource::PartsFiles));
        assert_eq!(what(budget.take(u64::MAX)), Some(Resource::PartsFiles));
        assert_eq!(what(budget.check()), None);
    }

    #[test]
    fn readers_have_what_the_files_before_left() {
        let budget = budget();
        let own = CallLimits { fuel: 700, time: Duration::from_secs(6), ..CallLimits::default() };
        assert_eq!(budget.lowered(own.clone()), own);
        let usage = Usage { fuel: 600, duration: Duration::from_secs(5), ..Usage::default() };
        budget.spend_usage(&usage);
        let given = budget.lowered(own.clone());
        assert_eq!((given.fuel, given.time), (400, Duration::from_secs(5)));
        // An error about the reader's own limit does not change.
        let of_memory = Error::limit(Resource::Memory, 1, 2);
        assert!(!is_over_budget(&budget.explained(of_memory, &given, &own)));
        let of_its_own = Error::limit(Resource::Fuel, 700, 700);
        assert!(!is_over_budget(&budget.explained(of_its_own, &own, &own)));
        assert_eq!(what(budget.take(1)), None);
        let explained = budget.explained(Error::limit(Resource::Fuel, 400, 400), &given, &own);
        assert_eq!(what(Err(explained)), Some(Resource::PartsFuel));
        assert_eq!(what(budget.take(1)), Some(Resource::PartsFuel));
        assert_eq!(budget.lowered(own.clone()).fuel, 0);
        let explained = budget.explained(Error::limit(Resource::Time, 5_000, 5_001), &given, &own);
        assert_eq!(what(Err(explained)), Some(Resource::PartsTime));
    }

    #[test]
    fn time_of_the_host_counts_too() {
        let budget = budget();
        budget.spend(Duration::from_secs(9));
        assert_eq!(what(budget.take(1)), None);
        budget.spend(Duration::from_secs(1));
        assert_eq!(what(budget.take(1)), Some(Resource::PartsTime));
    }

    #[test]
    fn files_inside_of_a_small_document_take_less() {
        let own = CallLimits { fuel: 900, time: Duration::from_secs(9), ..CallLimits::default() };
        for (size, fuel, millis) in [
            (0, 250, 2_500),
            (1 << 20, 400, 4_000),
            (FULL / 2, 625, 6_250),
            (FULL, 900, 9_000),
            (u64::MAX, 900, 9_000),
        ] {
            let budget = of_size(size);
            // The document itself may take all of it, and is not counted against the files inside.
            assert_eq!(budget.lowered(own.clone()), own);
            budget.spend_usage(&Usage { fuel: 50, ..Usage::default() });
            assert_eq!(what(budget.take(1)), None);
            let given = budget.lowered(own.clone());
            assert_eq!((given.fuel, given.time.as_millis()), (fuel, millis), "{size}");
        }
        let small = of_size(0);
        assert_eq!(what(small.take(1)), None);
        small.spend(Duration::from_millis(2_600));
        assert_eq!(what(small.take(1)), Some(Resource::PartsTime));
        // However much the document took, all together is bounded.
        let full = of_size(FULL);
        full.spend_usage(&Usage { fuel: 900, ..Usage::default() });
        assert_eq!(what(full.take(1)), None);
        assert_eq!(full.lowered(own).fuel, 100);
    }
}
