//! What distributions are made of. The gamma and error functions are those of FreeBSD's msun, by the crate `libm`.

use std::f64::consts::{PI, SQRT_2};

/// Most steps of a series or continued fraction; what takes more has no value.
const MAX_STEPS: u32 = 200_000;
/// Degrees of freedom from which on Student's distribution is a corrected normal one.
const NEARLY_NORMAL: f64 = 100_000.0;

/// Returns the error of Stirling's formula for a factorial (C. Loader, "Fast and accurate computation of binomial
/// probabilities", 2000).
fn stirling_error(n: f64) -> f64 {
    if n <= 15.0 {
        return if n == 0.0 {
            0.0
        } else {
            libm::lgamma(n + 1.0) - (n + 0.5) * n.ln() + n - (2.0 * PI).sqrt().ln()
        };
    }
    let square = n * n;
    let tail = 1.0 / 1680.0 - 1.0 / 1188.0 / square;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - tail / square) / square) / square) / n
}

/// Returns `x ln(x / mean) + mean - x` without loss of digits (Loader).
fn deviance(x: f64, mean: f64) -> f64 {
    let difference = x - mean;
    if difference.abs() >= 0.1 * (x + mean) {
        return x * (x / mean).ln() + mean - x;
    }
    let ratio = difference / (x + mean);
    let (mut sum, mut power) = (difference * ratio, 2.0 * x * ratio);
    for step in 1..1000 {
        power *= ratio * ratio;
        let next = sum + power / f64::from(2 * step + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// Returns `mean^x e^-mean / Γ(x + 1)` (Loader).
pub(in crate::calc::functions) fn poisson(x: f64, mean: f64) -> f64 {
    match () {
        () if mean == 0.0 => f64::from(u8::from(x == 0.0)),
        () if x <= mean * f64::MIN_POSITIVE => (-mean).exp(),
        () if mean < x * f64::MIN_POSITIVE => (x * mean.ln() - mean - libm::lgamma(x + 1.0)).exp(),
        () => (-stirling_error(x) - deviance(x, mean)).exp() / (2.0 * PI * x).sqrt(),
    }
}

/// Returns `C(n, x) p^x q^(n - x)`, also for numbers that are not whole (Loader).
pub(in crate::calc::functions) fn binomial(x: f64, n: f64, p: f64, q: f64) -> f64 {
    let rest = n - x;
    match () {
        () if p == 0.0 => f64::from(u8::from(x == 0.0)),
        () if q == 0.0 => f64::from(u8::from(rest == 0.0)),
        () if x == 0.0 => power_of_rest(n, p, q),
        () if rest == 0.0 => power_of_rest(n, q, p),
        () if x < 0.0 || rest < 0.0 => 0.0,
        () => {
            let errors = stirling_error(n) - stirling_error(x) - stirling_error(rest);
            let deviances = deviance(x, n * p) + deviance(rest, n * q);
            (errors - deviances).exp() / (2.0 * PI * x * (rest / n)).sqrt()
        }
    }
}

/// Returns `q^n`, where `p` is the rest of `q` to one.
fn power_of_rest(n: f64, p: f64, q: f64) -> f64 {
    if p < 0.5 { (n * (-p).ln_1p()).exp() } else { q.powf(n) }
}

/// Returns the regularised incomplete gamma functions, lower and upper: series and continued fraction of Numerical Recipes
/// 6.2, before them Loader's saddle point.
pub(in crate::calc::functions) fn gamma(a: f64, x: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if x.is_infinite() {
        return (1.0, 0.0);
    }
    let front = poisson(a, x);
    if x < a + 1.0 {
        let (mut sum, mut term, mut n) = (1.0, 1.0, a);
        for _ in 0..MAX_STEPS {
            n += 1.0;
            term *= x / n;
            sum += term;
            if term < sum * 1e-17 {
                return (front * sum, 1.0 - front * sum);
            }
        }
        return (f64::NAN, f64::NAN);
    }
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / f64::MIN_POSITIVE;
    let mut d = 1.0 / b;
    let mut h = d;
    for step in 1..MAX_STEPS {
        let step = f64::from(step);
        let factor = -step * (step - a);
        b += 2.0;
        d = 1.0 / away_from_zero(factor * d + b);
        c = away_from_zero(b + factor / c);
        h *= d * c;
        if (d * c - 1.0).abs() < 3e-16 {
            let upper = front * a * h;
            return (1.0 - upper, upper);
        }
    }
    (f64::NAN, f64::NAN)
}

fn away_from_zero(x: f64) -> f64 {
    if x.abs() < 1e-300 { 1e-300 } else { x }
}

/// Returns the regularised incomplete beta function at `x` and its rest to one, where `y` is the rest of `x`: continued
/// fraction of Numerical Recipes 6.4, before it Loader's saddle point.
pub(in crate::calc::functions) fn beta(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if y <= 0.0 {
        return (1.0, 0.0);
    }
    let front = binomial(a, a + b, x, y) / (a + b);
    if x < (a + 1.0) / (a + b + 2.0) {
        let lower = front * b * fraction(a, b, x);
        (lower, 1.0 - lower)
    } else {
        let upper = front * a * fraction(b, a, y);
        (1.0 - upper, upper)
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for step in 1..MAX_STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a - 1.0 + 2.0 * m) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 1.0 + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        h *= d * c;
        if (d * c - 1.0).abs() < 3e-16 {
            return h;
        }
    }
    f64::NAN
}

/// Returns the standard normal distribution below and above.
pub(in crate::calc::functions) fn normal(z: f64) -> (f64, f64) {
    (0.5 * libm::erfc(-z / SQRT_2), 0.5 * libm::erfc(z / SQRT_2))
}

pub(in crate::calc::functions) fn normal_density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// Returns where the standard normal distribution reaches a probability.
pub(in crate::calc::functions) fn normal_inverse(p: f64) -> f64 {
    let middle = p - 0.5;
    let z = if middle.abs() < 0.25 {
        // The error function has all its digits near zero.
        root(8.0, |z| 0.5 * libm::erf(z / SQRT_2) < middle.abs())
    } else {
        let tail = p.min(1.0 - p);
        root(40.0, |z| normal(z).1 > tail)
    };
    if middle < 0.0 { -z } else { z }
}

/// Returns Student's distribution at a number that is not negative: the part between `-t` and `t`, and the part outside.
pub(in crate::calc::functions) fn student(t: f64, freedom: f64) -> (f64, f64) {
    let square = t * t / freedom;
    if square.is_infinite() {
        return (1.0, 0.0);
    }
    if freedom >= NEARLY_NORMAL {
        let z = student_as_normal(square, freedom) / SQRT_2;
        return (libm::erf(z), libm::erfc(z));
    }
    beta(0.5, freedom / 2.0, square / (1.0 + square), 1.0 / (1.0 + square))
}

/// Returns where the normal distribution is as Student's (G. W. Hill, "Algorithm 395", 1970), with all digits for many degrees
/// of freedom, where the continued fraction loses some.
fn student_as_normal(square: f64, freedom: f64) -> f64 {
    let a = freedom - 0.5;
    let b = 48.0 * a * a;
    let y = a * square.ln_1p();
    let correction =
        ((((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b) + y + 3.0) / b
            + 1.0;
    correction * y.sqrt()
}

/// Returns where Student's distribution has a part inside and a part outside.
pub(in crate::calc::functions) fn student_inverse(inside: f64, outside: f64, freedom: f64) -> f64 {
    inverse(inside, outside, f64::MAX, |t| student(t, freedom))
}

/// Returns where a distribution of numbers that are not negative has a part below and a part above.
pub(in crate::calc::functions) fn inverse(
    below: f64,
    above: f64,
    most: f64,
    distribution: impl Fn(f64) -> (f64, f64),
) -> f64 {
    // The smaller part has more digits.
    root(most, |x| {
        let (lower, upper) = distribution(x);
        if below <= above { lower < below } else { upper > above }
    })
}

/// Returns the first number from zero on for which a condition does not hold any more, by halving the list of all
/// floating point numbers: 63 steps, all digits.
fn root(most: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0_u64, most.to_bits());
    while low < high {
        let middle = low + (high - low) / 2;
        if is_below(f64::from_bits(middle)) { low = middle + 1 } else { high = middle }
    }
    f64::from_bits(low)
}
