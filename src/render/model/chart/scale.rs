//! An axis of numbers: its range, its ticks, and the position of values.

/// Most ticks of an axis.
const MAX_TICKS: usize = 24;

/// Says if an axis begins at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zero {
    /// It must, because lengths of bars are compared.
    Always,
    /// If that takes less than half of the axis, because heights of lines are compared.
    Near,
    /// Not necessarily, because positions are compared.
    Free,
}

/// Maps numbers to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(crate) min: f64,
    pub(crate) max: f64,
    /// Distance between ticks.
    pub(crate) step: f64,
    /// Pixels at `min` and `max`.
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Scale {
    /// Returns an axis for values from `least` to `most`, with about `ticks` ticks. Its ends are ticks.
    pub(crate) fn nice(least: f64, most: f64, zero: Zero, ticks: usize) -> Scale {
        let (mut least, mut most) = (least.min(most), most.max(least));
        let reach = least.abs().max(most.abs());
        // Differences below the precision of numbers count as none.
        let is_flat = most - least <= reach * 1e-9;
        let takes_zero = match zero {
            Zero::Always => true,
            Zero::Near => is_flat || (most - least) >= reach * 0.4,
            Zero::Free => false,
        };
        if takes_zero {
            (least, most) = (least.min(0.0), most.max(0.0));
        }
        if most - least <= reach * 1e-9 {
            // A single value is in the middle of the axis, or above zero.
            (least, most) = match reach {
                0.0 => (0.0, 1.0),
                _ => (least - reach * 0.5, most + reach * 0.5),
            };
        }
        // Of the possible steps, the one that leaves the least space empty.
        let wanted = ticks.clamp(2, MAX_TICKS - 2);
        let mut best: Option<Scale> = None;
        for count in [wanted, wanted + 1, wanted - 1, wanted + 2] {
            let step = nice_step((most - least) / count as f64);
            let min = (least / step + 1e-9).floor() * step;
            let max = (most / step - 1e-9).ceil() * step;
            let is_few = (max - min) / step <= wanted as f64 + 2.5;
            let is_better = best.is_none_or(|best| max - min < (best.max - best.min) * 0.97);
            if best.is_none() || (is_few && is_better) {
                best = Some(Scale { min, max, step, from: 0.0, to: 1.0 });
            }
        }
        best.unwrap_or(Scale { min: least, max: most, step: most - least, from: 0.0, to: 1.0 })
    }

    /// Returns an axis from 0 to 1, for shares.
    pub(crate) fn shares() -> Scale {
        Scale { min: 0.0, max: 1.0, step: 0.25, from: 0.0, to: 1.0 }
    }

    /// Returns the axis between two positions.
    pub(crate) fn between(self, from: f64, to: f64) -> Scale {
        Scale { from, to, ..self }
    }

    /// Returns the axis with at least this many steps, so that two axes share their grid.
    pub(crate) fn with_steps(self, below: usize, above: usize) -> Scale {
        let (below, above) = (below as f64, above as f64);
        Scale { min: -below * self.step, max: above * self.step, ..self }
    }

    /// Returns the steps below and above zero, if the axis contains it.
    pub(crate) fn steps(&self) -> (usize, usize) {
        let count = |value: f64| (value / self.step).round().clamp(0.0, MAX_TICKS as f64) as usize;
        (count(-self.min), count(self.max))
    }

    /// Returns the position of a value.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = (value - self.min) / (self.max - self.min);
        self.from + share.clamp(-0.5, 1.5) * (self.to - self.from)
    }

    pub(crate) fn ticks(&self) -> Vec<f64> {
        let first = (self.min / self.step).round();
        let count = ((self.max - self.min) / self.step).round().clamp(0.0, 2.0 * MAX_TICKS as f64);
        (0..=count as usize)
            .map(|index| {
                // Multiples of the step, so that errors do not add up and zero is exact.
                (first + index as f64) * self.step + 0.0
            })
            .collect()
    }
}

/// Returns the next of 1, 2, 2.5, 5 times a power of ten.
pub(crate) fn nice_step(step: f64) -> f64 {
    let power = power_of_ten(step);
    let part = step / power;
    let nice = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|nice| part <= nice * (1.0 + 1e-9));
    nice.unwrap_or(10.0) * power
}

/// Returns the largest power of ten that is not larger. Parsed from text, because the result of a power may differ in a
/// digit.
fn power_of_ten(value: f64) -> f64 {
    let text = format!("{value:e}");
    let exponent = text.split_once('e').map_or("0", |(_, exponent)| exponent);
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

/// Returns the decimals that multiples of `step` need.
pub(crate) fn decimals(step: f64) -> usize {
    // More than fifteen digits are rounding errors.
    let text = format!("{step:.14e}");
    let Some((digits, exponent)) = text.split_once('e') else { return 0 };
    let behind = digits.trim_end_matches('0').split_once('.').map_or(0, |(_, behind)| behind.len());
    let exponent: i32 = exponent.parse().unwrap_or(0);
    usize::try_from(behind as i32 - exponent).unwrap_or(0).min(300)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(least: f64, most: f64, zero: Zero) -> Vec<f64> {
        Scale::nice(least, most, zero, 5).ticks()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(ticks(3.0, 97.0, Zero::Always), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(-12.0, 30.0, Zero::Always), [-20.0, -10.0, 0.0, 10.0, 20.0, 30.0]);
        assert_eq!(ticks(0.12, 0.41, Zero::Always), [0.0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5]);
        assert_eq!(ticks(96.0, 104.0, Zero::Near), [96.0, 98.0, 100.0, 102.0, 104.0]);
        assert_eq!(ticks(40.0, 104.0, Zero::Near), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0]);
        assert_eq!(
            ticks(2019.0, 2024.0, Zero::Free),
            [2019.0, 2020.0, 2021.0, 2022.0, 2023.0, 2024.0]
        );
    }

    #[test]
    fn one_value_and_no_range_have_an_axis() {
        assert_eq!(ticks(0.0, 0.0, Zero::Always), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(7.0, 7.0, Zero::Always), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        assert_eq!(ticks(7.0, 7.0, Zero::Free), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        assert_eq!(ticks(-7.0, -7.0, Zero::Near)[..2], [-7.0, -6.0]);
    }

    #[test]
    fn huge_and_tiny_ranges_end() {
        for (least, most) in [
            (1e99, 1e100),
            (-1e100, 1e100),
            (1e-300, 2e-300),
            (0.0, f64::MIN_POSITIVE),
            (1e15, 1e15 + 1.0),
            (-0.0, 0.0),
        ] {
            for zero in [Zero::Always, Zero::Near, Zero::Free] {
                let scale = Scale::nice(least, most, zero, 5).between(0.0, 100.0);
                let ticks = scale.ticks();
                assert!((2..=12).contains(&ticks.len()), "{least} {most} {zero:?} {ticks:?}");
                assert!(ticks.iter().all(|tick| tick.is_finite()), "{ticks:?}");
                let places = [scale.at(least), scale.at(most)];
                assert!(places.iter().all(|at| (-0.1..=100.1).contains(at)), "{places:?}");
            }
        }
    }

    #[test]
    fn decimals_follow_the_step() {
        for (step, want) in
            [(1.0, 0), (0.5, 1), (0.25, 2), (2.5, 1), (1e-7, 7), (1e20, 0), (0.1 + 0.2, 1)]
        {
            assert_eq!(decimals(step), want, "{step}");
        }
    }
}
