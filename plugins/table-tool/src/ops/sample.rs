//! `sample`: some rows of a table. The same seed and number of rows give the same sample.

use crate::problem::Failure;
use crate::table::{Frame, Outcome};
use mitt_guest::tables::Source;

/// The rows that are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SampleMethod {
    First,
    Last,
    Random,
}

pub(crate) fn sample<T: Source>(
    table: &T,
    n_wanted: u32,
    method: SampleMethod,
    seed: u64,
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let n_rows = frame.n_rows as u64;
    let n_wanted = u64::from(n_wanted);
    Ok(Outcome::plain(match method {
        SampleMethod::First => table.range(0, n_wanted),
        SampleMethod::Last => table.range(n_rows.saturating_sub(n_wanted), n_wanted),
        SampleMethod::Random => frame.rows(&chosen(n_rows, n_wanted, seed))?,
    }))
}

/// Chooses rows with Knuth's algorithm S: every set of rows is equally likely, and rows keep their order.
fn chosen(n_rows: u64, n_wanted: u64, seed: u64) -> Vec<u32> {
    let mut random = SplitMix(seed);
    let mut n_left = n_wanted.min(n_rows);
    let mut rows = Vec::with_capacity(n_left as usize);
    for row in 0..n_rows {
        if n_left == 0 {
            break;
        }
        if random.below(n_rows - row) < n_left {
            rows.push(row as u32);
            n_left -= 1;
        }
    }
    rows
}

/// SplitMix64 of Sebastiano Vigna: small, and good enough to choose rows.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, which has 32 bits. The bias is below 2^-32.
    fn below(&mut self, bound: u64) -> u64 {
        ((self.next() >> 32) * bound) >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn each_row_is_as_likely_as_any_other() {
        let mut counts = [0; 10];
        for seed in 0..10_000 {
            let rows = chosen(10, 3, seed);
            assert_eq!(rows.len(), 3);
            assert!(rows.is_sorted_by(|one, two| one < two));
            rows.iter().for_each(|row| counts[*row as usize] += 1);
        }
        assert!(counts.iter().all(|count| (2_800..3_200).contains(count)), "{counts:?}");
        assert_eq!(chosen(1_000, 5, 7), chosen(1_000, 5, 7));
        assert_ne!(chosen(1_000, 5, 7), chosen(1_000, 5, 8));
        assert_eq!(chosen(3, 9, 0), [0, 1, 2]);
        assert_eq!(chosen(0, 9, 0), []);
    }
}
