//! Distributions of samples: chi-squared, F, Student's t.

use super::continuous::gamma_density;
use super::numeric::{beta, binomial, gamma, inverse, student, student_inverse};
use crate::calc::coerce::finite;
use crate::calc::functions::Single;
use crate::calc::functions::arguments::{ensure, flag, reals};
use crate::value::{ErrorCode, Scalar};

type Done = Result<Scalar, ErrorCode>;

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "CHISQ.DIST" => (3, 3, |_, a| {
            let [x, freedom] = chi_arguments(a)?;
            if flag(a, 2, true)? {
                finite(gamma(freedom / 2.0, x / 2.0).0)
            } else {
                finite(gamma_density(x / 2.0, freedom / 2.0) / 2.0)
            }
        }),
        "CHISQ.DIST.RT" | "CHIDIST" => (2, 2, |_, a| {
            let [x, freedom] = chi_arguments(a)?;
            finite(gamma(freedom / 2.0, x / 2.0).1)
        }),
        "CHISQ.INV" => (2, 2, |_, a| {
            let [p, freedom] = chi_arguments(a)?;
            ensure(p < 1.0)?;
            finite(2.0 * inverse(p, 1.0 - p, f64::MAX, |x| gamma(freedom / 2.0, x)))
        }),
        "CHISQ.INV.RT" | "CHIINV" => (2, 2, |_, a| {
            let [p, freedom] = chi_arguments(a)?;
            ensure(p > 0.0 && p <= 1.0)?;
            finite(2.0 * inverse(1.0 - p, p, f64::MAX, |x| gamma(freedom / 2.0, x)))
        }),
        "F.DIST" => (4, 4, |_, a| {
            let [x, first, second] = ratio_arguments(a)?;
            if flag(a, 3, true)? {
                finite(ratio(x, first, second).0)
            } else {
                finite(ratio_density(x, first, second))
            }
        }),
        "F.DIST.RT" | "FDIST" => (3, 3, |_, a| {
            let [x, first, second] = ratio_arguments(a)?;
            finite(ratio(x, first, second).1)
        }),
        "F.INV" => (3, 3, |_, a| {
            let [p, first, second] = ratio_arguments(a)?;
            ensure(p < 1.0)?;
            finite(inverse(p, 1.0 - p, f64::MAX, |x| ratio(x, first, second)))
        }),
        "F.INV.RT" | "FINV" => (3, 3, |_, a| {
            let [p, first, second] = ratio_arguments(a)?;
            ensure(p > 0.0 && p <= 1.0)?;
            finite(inverse(1.0 - p, p, f64::MAX, |x| ratio(x, first, second)))
        }),
        "T.DIST" => (3, 3, |_, a| {
            let [t, freedom] = student_arguments(a)?;
            if !flag(a, 2, true)? {
                return finite(student_density(t, freedom));
            }
            let (inside, outside) = student(t.abs(), freedom);
            finite(if t < 0.0 { outside / 2.0 } else { 0.5 + inside / 2.0 })
        }),
        "T.DIST.RT" => (2, 2, |_, a| {
            let [t, freedom] = student_arguments(a)?;
            let (inside, outside) = student(t.abs(), freedom);
            finite(if t < 0.0 { 0.5 + inside / 2.0 } else { outside / 2.0 })
        }),
        "T.DIST.2T" => (2, 2, |_, a| {
            let [t, freedom] = student_arguments(a)?;
            ensure(t >= 0.0)?;
            finite(student(t, freedom).1)
        }),
        "TDIST" => (3, 3, |_, a| {
            let [t, freedom] = student_arguments(a)?;
            let tails = reals::<3>(a)?[2].trunc();
            ensure(t >= 0.0 && (tails == 1.0 || tails == 2.0))?;
            finite(student(t, freedom).1 / 2.0 * tails)
        }),
        "T.INV" => (2, 2, |_, a| {
            let [p, freedom] = student_arguments(a)?;
            ensure(p > 0.0 && p < 1.0)?;
            let (distance, tail) = ((2.0 * p - 1.0).abs(), 2.0 * p.min(1.0 - p));
            let t = student_inverse(distance, tail, freedom);
            finite(if p < 0.5 { -t } else { t })
        }),
        "T.INV.2T" | "TINV" => (2, 2, |_, a| {
            let [p, freedom] = student_arguments(a)?;
            ensure(p > 0.0 && p <= 1.0)?;
            finite(student_inverse(1.0 - p, p, freedom))
        }),
        "CONFIDENCE.NORM" | "CONFIDENCE" => (3, 3, |_, a| {
            let [part, deviation, size] = confidence_arguments(a)?;
            finite(-super::numeric::normal_inverse(part / 2.0) * deviation / size.sqrt())
        }),
        "CONFIDENCE.T" => (3, 3, |_, a| {
            let [part, deviation, size] = confidence_arguments(a)?;
            if size == 1.0 {
                return Err(ErrorCode::Div0);
            }
            let t = student_inverse(1.0 - part, part, size - 1.0);
            finite(t * deviation / size.sqrt())
        }),
        _ => return None,
    })
}

fn chi_arguments(a: &[Scalar]) -> Result<[f64; 2], ErrorCode> {
    let [x, freedom] = reals(a)?;
    let freedom = freedom.trunc();
    ensure(x >= 0.0 && (1.0..=1e10).contains(&freedom))?;
    Ok([x, freedom])
}

fn ratio_arguments(a: &[Scalar]) -> Result<[f64; 3], ErrorCode> {
    let [x, first, second] = reals(a)?;
    let (first, second) = (first.trunc(), second.trunc());
    let fits = |freedom: f64| (1.0..=1e10).contains(&freedom);
    ensure(x >= 0.0 && fits(first) && fits(second))?;
    Ok([x, first, second])
}

fn student_arguments(a: &[Scalar]) -> Result<[f64; 2], ErrorCode> {
    let [t, freedom] = reals(a)?;
    let freedom = freedom.trunc();
    ensure((1.0..=1e10).contains(&freedom))?;
    Ok([t, freedom])
}

fn confidence_arguments(a: &[Scalar]) -> Result<[f64; 3], ErrorCode> {
    let [part, deviation, size] = reals(a)?;
    let size = size.trunc();
    ensure(part > 0.0 && part < 1.0 && deviation > 0.0 && size >= 1.0)?;
    Ok([part, deviation, size])
}

/// Returns the F distribution below and above.
pub(super) fn ratio(x: f64, first: f64, second: f64) -> (f64, f64) {
    let scaled = x * (first / second);
    if scaled.is_infinite() {
        (1.0, 0.0)
    } else {
        beta(first / 2.0, second / 2.0, scaled / (1.0 + scaled), 1.0 / (1.0 + scaled))
    }
}

fn ratio_density(x: f64, first: f64, second: f64) -> f64 {
    if x == 0.0 {
        return match first {
            1.0 => f64::INFINITY,
            2.0 => 1.0,
            _ => 0.0,
        };
    }
    let scaled = x * (first / second);
    let (part, rest) = (scaled / (1.0 + scaled), 1.0 / (1.0 + scaled));
    let (half, other) = (first / 2.0, second / 2.0);
    // The density of the beta distribution, times the derivative of its argument.
    binomial(half, half + other, part, rest) * half * other / ((half + other) * x)
}

fn student_density(t: f64, freedom: f64) -> f64 {
    let half = freedom / 2.0;
    // The ratio of two gamma functions; where they are too large, by its series.
    let ratio = if freedom < 300.0 {
        libm::tgamma(half + 0.5) / libm::tgamma(half)
    } else {
        let x = 1.0 / (8.0 * half);
        half.sqrt() * (1.0 - x * (1.0 - x * (0.5 + x * (2.5 - x * (2.625 + x * 49.875)))))
    };
    let at_zero = ratio / (freedom * std::f64::consts::PI).sqrt();
    at_zero * (-(half + 0.5) * (t * t / freedom).ln_1p()).exp()
}

/// Returns the result of `CHISQ.TEST` and its kind.
pub(super) fn chi_tail(x: f64, freedom: f64) -> Done {
    finite(gamma(freedom / 2.0, x / 2.0).1)
}
