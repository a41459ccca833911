//! The parameters of the model with the least squared error of forecasts one step ahead (the equations of Holt and Winters; R.
//! Hyndman and others, "Forecasting with Exponential Smoothing", 2008).

use crate::calc::grid::{Grid, Stop};
use crate::value::ErrorCode;

/// Values that each weight has at the beginning of the search.
const COARSE: [f64; 7] = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0];
/// Starts whose neighbourhood is searched.
const STARTS: usize = 3;
/// Last step of the search, the digits of the weights.
const FINEST: f64 = 0.0005;
/// Work of a step of the model, in cells that are read.
const STEPS_PER_CELL: usize = 8;
/// Correlation that is always high enough for a season, where few points would demand more.
const CLEAR: f64 = 0.9;

/// A model whose parameters are known, with its state behind the last value.
#[derive(Debug)]
pub(super) struct Fit {
    pub(super) level_weight: f64,
    pub(super) trend_weight: f64,
    pub(super) season_weight: f64,
    state: State,
    /// Mean square of the errors.
    square: f64,
}

/// Errors of the forecasts one step ahead.
#[derive(Debug)]
pub(super) struct Errors {
    pub(super) absolute: f64,
    pub(super) square: f64,
    /// Symmetric mean absolute percentage error, as a fraction.
    pub(super) symmetric: f64,
    /// Mean absolute difference of neighbours, the error of the naive forecast.
    naive: f64,
}

impl Errors {
    /// Returns the error in relation to that of the naive forecast.
    pub(super) fn scaled(&self) -> Result<f64, ErrorCode> {
        if self.naive == 0.0 { Err(ErrorCode::Div0) } else { Ok(self.absolute / self.naive) }
    }
}

#[derive(Clone, Debug)]
struct State {
    level: f64,
    trend: f64,
    /// Deviations by the position in the season; one zero without a season.
    season: Vec<f64>,
    /// Position of the next value.
    next: usize,
}

impl State {
    /// Returns the state at the first value.
    fn first(values: &[f64], season: usize) -> Self {
        let count = values.len();
        if season == 0 {
            let trend = (values[count - 1] - values[0]) / (count - 1) as f64;
            return Self { level: values[0], trend, season: vec![0.0], next: 1 };
        }
        let length = season as f64;
        let mean = |period: &[f64]| period.iter().sum::<f64>() / length;
        let periods: Vec<&[f64]> = values.chunks_exact(season).collect();
        let trend = (mean(periods[1]) - mean(periods[0])) / length;
        // The trend within a period is not part of the season.
        let line = |position: usize| (position as f64 - (length - 1.0) / 2.0) * trend;
        let mut deviations = vec![0.0; season];
        for period in &periods {
            let mean = mean(period);
            for (position, value) in period.iter().enumerate() {
                deviations[position] += (value - mean - line(position)) / periods.len() as f64;
            }
        }
        let level = mean(periods[0]) + line(0);
        Self { level, trend, season: deviations, next: 1 }
    }

    fn step(&mut self, value: f64, [level, trend, season]: [f64; 3]) {
        let length = self.season.len();
        let deviation = &mut self.season[self.next % length];
        let before = self.level;
        self.level = level * (value - *deviation) + (1.0 - level) * (before + self.trend);
        self.trend = trend * (self.level - before) + (1.0 - trend) * self.trend;
        *deviation = season * (value - self.level) + (1.0 - season) * *deviation;
        self.next += 1;
    }

    fn forecast(&self, steps: usize) -> f64 {
        let position = (self.next + steps - 1) % self.season.len();
        self.level + steps as f64 * self.trend + self.season[position]
    }
}

/// Runs the model over all values and calls `visit` with each forecast and the value. Returns the last state.
fn run(first: &State, values: &[f64], weights: [f64; 3], visit: &mut dyn FnMut(f64, f64)) -> State {
    let mut state = first.clone();
    for value in &values[1..] {
        visit(state.forecast(1), *value);
        state.step(*value, weights);
    }
    state
}

fn square(first: &State, values: &[f64], weights: [f64; 3]) -> f64 {
    let mut sum = 0.0;
    run(first, values, weights, &mut |forecast, value| sum += (forecast - value).powi(2));
    sum / (values.len() - 1) as f64
}

impl Fit {
    /// Fits the model; a season of zero is none.
    pub(super) fn of(grid: &mut Grid, values: &[f64], season: usize) -> Result<Self, Stop> {
        let first = State::first(values, season);
        let mut measure = |weights: [f64; 3]| {
            grid.work((values.len() / STEPS_PER_CELL + 1) as u64)?;
            Ok(square(&first, values, weights))
        };
        let seasonal: &[f64] = if season == 0 { &COARSE[..1] } else { &COARSE };
        let mut starts = Vec::new();
        for level in COARSE {
            for trend in COARSE {
                for season in seasonal {
                    let weights = [level, trend, *season];
                    starts.push((measure(weights)?, weights));
                }
            }
        }
        starts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best = starts[0];
        for start in starts.into_iter().take(STARTS) {
            let found = refined(start, season != 0, &mut measure)?;
            if found.0 < best.0 {
                best = found;
            }
        }
        let (square, weights) = best;
        let state = run(&first, values, weights, &mut |_, _| {});
        let [level_weight, trend_weight, season_weight] = weights;
        Ok(Self { level_weight, trend_weight, season_weight, state, square })
    }

    pub(super) fn forecast(&self, steps: usize) -> f64 {
        self.state.forecast(steps)
    }

    /// Returns the standard deviation of the forecast some steps ahead (Hyndman, table 6.1, by the weights of Holt and Winters).
    pub(super) fn deviation(&self, steps: usize) -> f64 {
        let Some(before) = steps.checked_sub(1) else { return 0.0 };
        // The sums of 1, j and j² for all steps between.
        let n = before as f64;
        let (ones, linear) = (n, n * (n + 1.0) / 2.0);
        let squares = linear * (2.0 * n + 1.0) / 3.0;
        let (level, trend) = (self.level_weight, self.trend_weight);
        let mut sum = level * level * (ones + 2.0 * trend * linear + trend * trend * squares);
        let length = self.state.season.len();
        if length > 1 {
            let season = self.season_weight * (1.0 - level);
            let turns = (before / length) as f64;
            sum += turns * season * (2.0 * level + season)
                + level * trend * season * length as f64 * turns * (turns + 1.0);
        }
        (self.square * (1.0 + sum)).sqrt()
    }

    pub(super) fn errors(&self, values: &[f64]) -> Errors {
        let season = if self.state.season.len() > 1 { self.state.season.len() } else { 0 };
        let weights = [self.level_weight, self.trend_weight, self.season_weight];
        let count = (values.len() - 1) as f64;
        let (mut absolute, mut symmetric) = (0.0, 0.0);
        run(&State::first(values, season), values, weights, &mut |forecast, value| {
            let error = (forecast - value).abs();
            absolute += error / count;
            if error > 0.0 {
                symmetric += 2.0 * error / (forecast.abs() + value.abs()) / count;
            }
        });
        let naive = values.windows(2).map(|it| (it[1] - it[0]).abs()).sum::<f64>() / count;
        Errors { absolute, square: self.square, symmetric, naive }
    }
}

type Measured = (f64, [f64; 3]);

/// Moves to the best neighbour, with smaller and smaller steps.
fn refined(
    mut best: Measured,
    has_season: bool,
    measure: &mut dyn FnMut([f64; 3]) -> Result<f64, Stop>,
) -> Result<Measured, Stop> {
    let mut step = 0.064;
    while step >= FINEST {
        let center = best.1;
        let moved = |weight: f64, by: i32| (weight + f64::from(by) * step).clamp(0.0, 1.0);
        for level in -1..=1 {
            for trend in -1..=1 {
                for season in if has_season { -1..=1 } else { 0..=0 } {
                    let weights = [
                        moved(center[0], level),
                        moved(center[1], trend),
                        moved(center[2], season),
                    ];
                    let found = if weights == center { best.0 } else { measure(weights)? };
                    if found < best.0 {
                        best = (found, weights);
                    }
                }
            }
        }
        if best.1 == center {
            step /= 2.0;
        }
    }
    Ok(best)
}

/// Returns the length of the season of some values; zero if there is none. It is the shortest one at which values correlate with
/// those a season before nearly as well as at any other.
pub(super) fn season_of(grid: &mut Grid, values: &[f64]) -> Result<usize, Stop> {
    let count = values.len();
    let longest = (count / 2).min(super::MAX_SEASON as usize).min(count.saturating_sub(4));
    if longest < 2 {
        return Ok(0);
    }
    let rest = without_line(values);
    let mut correlations = vec![1.0];
    for length in 1..=longest + 1 {
        grid.work(((count - length) / STEPS_PER_CELL + 1) as u64)?;
        correlations.push(correlation(&rest[..count - length], &rest[length..]));
    }
    let is_season = |length: usize| {
        let own = correlations[length];
        // Three standard deviations of noise, because many lengths are tried.
        let needed = (3.0 / ((count - length) as f64).sqrt()).min(CLEAR);
        own >= needed && own > correlations[length - 1] && own >= correlations[length + 1]
    };
    let found: Vec<usize> = (2..=longest).filter(|it| is_season(*it)).collect();
    let most = found.iter().map(|it| correlations[*it]).fold(0.0, f64::max);
    Ok(found.into_iter().find(|it| correlations[*it] >= 0.9 * most).unwrap_or(0))
}

/// Returns the values without their straight line.
fn without_line(values: &[f64]) -> Vec<f64> {
    let count = values.len() as f64;
    let (middle, mean) = ((count - 1.0) / 2.0, values.iter().sum::<f64>() / count);
    let (mut products, mut squares) = (0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        products += (at as f64 - middle) * (value - mean);
        squares += (at as f64 - middle).powi(2);
    }
    let slope = products / squares;
    let line = |at: usize| mean + slope * (at as f64 - middle);
    // What rounding leaves of a straight line is no season.
    let least = 1e-10 * values.iter().fold(0.0, |most, value| f64::max(most, value.abs()));
    let rest = values.iter().enumerate().map(|(at, value)| value - line(at));
    rest.map(|it| if it.abs() < least { 0.0 } else { it }).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let count = a.len() as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / count, b.iter().sum::<f64>() / count);
    let (mut product, mut square_a, mut square_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        product += (a - mean_a) * (b - mean_b);
        square_a += (a - mean_a).powi(2);
        square_b += (b - mean_b).powi(2);
    }
    let scale = (square_a * square_b).sqrt();
    if scale == 0.0 { 0.0 } else { product / scale }
}
