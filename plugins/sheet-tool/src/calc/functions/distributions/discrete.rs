//! Distributions of counts.

use super::numeric::{beta, binomial, gamma, poisson};
use crate::calc::coerce::finite;
use crate::calc::functions::Single;
use crate::calc::functions::arguments::{ensure, flag, real, reals, whole};
use crate::value::{ErrorCode, Scalar};

type Done = Result<Scalar, ErrorCode>;

/// Most steps of a sum of the hypergeometric distribution.
const MAX_TERMS: f64 = 1e6;

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "BINOM.DIST" | "BINOMDIST" => (4, 4, |_, a| {
            let [hits, trials, p] = trial_arguments(a)?;
            ensure(hits >= 0.0 && hits <= trials)?;
            finite(if flag(a, 3, true)? {
                up_to(hits, trials, p)
            } else {
                binomial(hits, trials, p, 1.0 - p)
            })
        }),
        "BINOM.DIST.RANGE" => (3, 4, |_, a| {
            let [trials, p] = reals(a)?;
            let trials = trials.trunc();
            let first = whole(a, 2, 0.0)?;
            let last = whole(a, 3, first)?;
            ensure((0.0..=1.0).contains(&p) && first >= 0.0 && first <= last && last <= trials)?;
            finite(if first == last {
                binomial(first, trials, p, 1.0 - p)
            } else {
                up_to(last, trials, p) - up_to(first - 1.0, trials, p)
            })
        }),
        "BINOM.INV" | "CRITBINOM" => (3, 3, |_, a| {
            let [trials, p, wanted] = reals(a)?;
            let trials = trials.trunc();
            ensure((0.0..9e15).contains(&trials) && (0.0..=1.0).contains(&p))?;
            ensure(wanted > 0.0 && wanted < 1.0)?;
            let (mut low, mut high) = (0_u64, trials as u64);
            while low < high {
                let middle = low + (high - low) / 2;
                // Fifteen digits count, so that a probability that was calculated is found again.
                if up_to(middle as f64, trials, p) < wanted * (1.0 - 1e-15) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            finite(low as f64)
        }),
        "NEGBINOM.DIST" => (4, 4, |_, a| failures(a, flag(a, 3, true)?)),
        "NEGBINOMDIST" => (3, 3, |_, a| failures(a, false)),
        "HYPGEOM.DIST" => (5, 5, |_, a| drawn(a, flag(a, 4, true)?)),
        "HYPGEOMDIST" => (4, 4, |_, a| drawn(a, false)),
        "POISSON.DIST" | "POISSON" => (3, 3, |_, a| {
            let [x, mean] = reals(a)?;
            let x = x.trunc();
            ensure(x >= 0.0 && mean >= 0.0)?;
            finite(if flag(a, 2, true)? { gamma(x + 1.0, mean).1 } else { poisson(x, mean) })
        }),
        _ => return None,
    })
}

fn trial_arguments(a: &[Scalar]) -> Result<[f64; 3], ErrorCode> {
    let (hits, trials, p) = (whole(a, 0, 0.0)?, whole(a, 1, 0.0)?, real(a, 2, 0.0)?);
    ensure((0.0..=1.0).contains(&p))?;
    Ok([hits, trials, p])
}

/// Returns the binomial distribution up to a number of hits.
fn up_to(hits: f64, trials: f64, p: f64) -> f64 {
    match () {
        () if hits < 0.0 => 0.0,
        () if hits >= trials => 1.0,
        () => beta(hits + 1.0, trials - hits, p, 1.0 - p).1,
    }
}

fn failures(a: &[Scalar], is_cumulative: bool) -> Done {
    let [failures, hits, p] = trial_arguments(a)?;
    ensure(failures >= 0.0 && hits >= 1.0)?;
    finite(if is_cumulative {
        beta(hits, failures + 1.0, p, 1.0 - p).0
    } else {
        binomial(hits, hits + failures, p, 1.0 - p) * hits / (hits + failures)
    })
}

/// Returns the hypergeometric distribution: hits in a sample, size of the sample, hits in all, size of all.
fn drawn(a: &[Scalar], is_cumulative: bool) -> Done {
    let [hits, sample, all_hits, all] = reals::<4>(a)?.map(f64::trunc);
    ensure(sample > 0.0 && all_hits > 0.0 && all > 0.0 && sample <= all && all_hits <= all)?;
    let least = (sample - (all - all_hits)).max(0.0);
    ensure(hits >= least && hits <= sample.min(all_hits))?;
    // Loader: a quotient of binomial distributions of the same probability.
    let p = sample / all;
    let q = (all - sample) / all;
    let density = |hits: f64| {
        binomial(hits, all_hits, p, q) * binomial(sample - hits, all - all_hits, p, q)
            / binomial(sample, all, p, q)
    };
    if !is_cumulative {
        return finite(density(hits));
    }
    ensure(hits - least < MAX_TERMS)?;
    // Each term from the one before.
    let (mut term, mut sum, mut at) = (density(hits), 0.0, hits);
    loop {
        sum += term;
        if at <= least || term < sum * 1e-18 {
            return finite(f64::min(sum, 1.0));
        }
        term *= at * (all - all_hits - sample + at) / ((all_hits - at + 1.0) * (sample - at + 1.0));
        at -= 1.0;
    }
}
