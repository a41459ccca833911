//! Clock and random numbers: the only things besides the workbook on which a calculation depends.

use crate::moment::{day_serial, serial};

/// What a calculation sees of the world. The same workbook in the same world has the same values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct World {
    /// Seconds since 1970-01-01 00:00 UTC. Without them, formulas with `TODAY` and `NOW` keep their values.
    pub clock: Option<f64>,
    /// Seed of random numbers. Without it, formulas with `RAND` and its kind keep their values.
    pub seed: Option<u64>,
}

impl World {
    /// Returns the clock as a serial number of Excel.
    pub(crate) fn now(&self, from_1904: bool) -> Option<f64> {
        self.clock.map(|seconds| day_serial(1970, 1, 1, from_1904) + seconds / 86_400.0)
    }

    /// Returns the clock at a date and time as ISO 8601.
    pub(crate) fn clock_at(text: &str) -> Option<f64> {
        // The calendar from 1904 has no day that never was.
        let (serial, _) = serial(text, true)?;
        Some((serial - day_serial(1970, 1, 1, true)) * 86_400.0)
    }
}

/// Random numbers of one formula. They depend on the seed and on the place of the formula, not on the order of calculation, so
/// that a formula which is calculated again has the same ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draws {
    state: u64,
}

/// Step of the generator: the fractional part of the golden ratio (G. Steele and others, "Fast splittable pseudorandom number
/// generators", 2014).
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Draws {
    pub(crate) fn new(seed: u64, sheet: usize, row: u32, column: u32) -> Self {
        let place = [sheet as u64, u64::from(row), u64::from(column)];
        let mixed =
            place.iter().fold(mixed(seed), |all, part| mixed(all.wrapping_add(STEP) ^ part));
        Self { state: mixed }
    }

    /// Returns 64 random bits.
    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mixed(self.state)
    }

    /// Returns a number from zero up to, but without, one.
    pub(crate) fn fraction(&mut self) -> f64 {
        // As many bits as a number has digits.
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a whole number between two, of which both are possible.
    pub(crate) fn whole(&mut self, low: f64, high: f64) -> f64 {
        (low + (self.fraction() * (high - low + 1.0)).floor()).min(high)
    }
}

/// The finalizer of SplitMix64.
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_a_serial_number_of_both_calendars() {
        // 2024-01-01 06:00.
        let world = World { clock: Some(1_704_088_800.0), seed: None };
        assert_eq!(world.now(false), Some(45292.25));
        assert_eq!(world.now(true), Some(43830.25));
        assert_eq!(World::default().now(false), None);
        assert_eq!(World::clock_at("2024-01-01T06:00"), world.clock);
        assert_eq!(World::clock_at("tomorrow"), None);
    }

    /// Twenty classes of random numbers, also of neighbouring cells, have nearly the same size.
    #[test]
    fn random_numbers_are_even() {
        let mut one = Draws::new(7, 0, 1, 1);
        let of_one = (0..20_000).map(|_| one.fraction()).collect::<Vec<_>>();
        let of_many = (0..20_000).map(|it| Draws::new(7, 0, it + 1, 1).fraction()).collect();
        for all in [of_one, of_many] {
            let mut counts = [0_i32; 20];
            all.iter().for_each(|it| counts[(it * 20.0) as usize] += 1);
            let chi: f64 = counts.iter().map(|it| f64::from(it - 1000).powi(2) / 1000.0).sum();
            // One of 100 000 fair series exceeds this bound.
            assert!(chi < 57.0, "{chi}: {counts:?}");
            let mean = all.windows(2).map(|it| (it[0] - 0.5) * (it[1] - 0.5)).sum::<f64>() / 2e4;
            assert!(mean.abs() < 0.003, "{mean}");
        }
        let mut dice = Draws::new(1, 0, 1, 1);
        let mut seen = [0; 6];
        (0..6_000).for_each(|_| seen[dice.whole(1.0, 6.0) as usize - 1] += 1);
        assert!(seen.iter().all(|it| (850..1150).contains(it)), "{seen:?}");
        assert_ne!(Draws::new(1, 0, 1, 1).bits(), Draws::new(2, 0, 1, 1).bits());
    }
}
