//! Normal distribution and others of measured values.

use super::numeric::{beta, gamma, inverse, normal, normal_density, normal_inverse, poisson};
use crate::calc::coerce::finite;
use crate::calc::functions::Single;
use crate::calc::functions::arguments::{ensure, flag, real, reals};
use crate::value::{ErrorCode, Scalar};

type Done = Result<Scalar, ErrorCode>;

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "NORM.DIST" | "NORMDIST" => (4, 4, |_, a| {
            let [x, mean, deviation] = reals(a)?;
            ensure(deviation > 0.0)?;
            let z = (x - mean) / deviation;
            finite(if flag(a, 3, true)? { normal(z).0 } else { normal_density(z) / deviation })
        }),
        "NORM.S.DIST" => (2, 2, |_, a| {
            let [z] = reals(a)?;
            finite(if flag(a, 1, true)? { normal(z).0 } else { normal_density(z) })
        }),
        "NORMSDIST" => (1, 1, |_, a| finite(normal(reals::<1>(a)?[0]).0)),
        "NORM.INV" | "NORMINV" => (3, 3, |_, a| {
            let [p, mean, deviation] = reals(a)?;
            ensure(p > 0.0 && p < 1.0 && deviation > 0.0)?;
            finite(mean + deviation * normal_inverse(p))
        }),
        "NORM.S.INV" | "NORMSINV" => (1, 1, |_, a| {
            let [p] = reals(a)?;
            ensure(p > 0.0 && p < 1.0)?;
            finite(normal_inverse(p))
        }),
        "LOGNORM.DIST" => (4, 4, |_, a| lognormal(a, flag(a, 3, true)?)),
        "LOGNORMDIST" => (3, 3, |_, a| lognormal(a, true)),
        "LOGNORM.INV" | "LOGINV" => (3, 3, |_, a| {
            let [p, mean, deviation] = reals(a)?;
            ensure(p > 0.0 && p < 1.0 && deviation > 0.0)?;
            finite((mean + deviation * normal_inverse(p)).exp())
        }),
        "GAUSS" => {
            (1, 1, |_, a| finite(0.5 * libm::erf(reals::<1>(a)?[0] / std::f64::consts::SQRT_2)))
        }
        "PHI" => (1, 1, |_, a| finite(normal_density(reals::<1>(a)?[0]))),
        "EXPON.DIST" | "EXPONDIST" => (3, 3, |_, a| {
            let [x, rate] = reals(a)?;
            ensure(x >= 0.0 && rate > 0.0)?;
            finite(if flag(a, 2, true)? { -(-rate * x).exp_m1() } else { rate * (-rate * x).exp() })
        }),
        "WEIBULL.DIST" | "WEIBULL" => (4, 4, |_, a| {
            let [x, shape, scale] = reals(a)?;
            ensure(x >= 0.0 && shape > 0.0 && scale > 0.0)?;
            let power = (x / scale).powf(shape);
            finite(if flag(a, 3, true)? {
                -(-power).exp_m1()
            } else {
                shape / scale * (x / scale).powf(shape - 1.0) * (-power).exp()
            })
        }),
        "GAMMA.DIST" | "GAMMADIST" => (4, 4, |_, a| {
            let [x, shape, scale] = reals(a)?;
            ensure(x >= 0.0 && shape > 0.0 && scale > 0.0)?;
            if flag(a, 3, true)? {
                finite(gamma(shape, x / scale).0)
            } else {
                finite(gamma_density(x / scale, shape) / scale)
            }
        }),
        "GAMMA.INV" | "GAMMAINV" => (3, 3, |_, a| {
            let [p, shape, scale] = reals(a)?;
            ensure((0.0..1.0).contains(&p) && shape > 0.0 && scale > 0.0)?;
            finite(scale * inverse(p, 1.0 - p, f64::MAX, |x| gamma(shape, x)))
        }),
        "GAMMA" => (1, 1, |_, a| {
            let [x] = reals(a)?;
            ensure(x > 0.0 || x.fract() != 0.0)?;
            finite(libm::tgamma(x))
        }),
        "GAMMALN" | "GAMMALN.PRECISE" => (1, 1, |_, a| {
            let [x] = reals(a)?;
            ensure(x > 0.0)?;
            finite(libm::lgamma(x))
        }),
        "BETA.DIST" => (4, 6, |_, a| beta_distribution(a, flag(a, 3, true)?, 4)),
        "BETADIST" => (3, 5, |_, a| beta_distribution(a, true, 3)),
        "BETA.INV" | "BETAINV" => (3, 5, |_, a| {
            let [p, first, second] = reals(a)?;
            let (low, high) = (real(a, 3, 0.0)?, real(a, 4, 1.0)?);
            ensure(p > 0.0 && p <= 1.0 && first > 0.0 && second > 0.0 && low < high)?;
            // Near the upper end, the distance to it has more digits.
            let middle = beta(first, second, 0.5, 0.5).0;
            let x = if p <= middle {
                inverse(p, 1.0 - p, 1.0, |x| beta(first, second, x, 1.0 - x))
            } else {
                1.0 - inverse(1.0 - p, p, 1.0, |x| beta(second, first, x, 1.0 - x))
            };
            finite(low + x * (high - low))
        }),
        "FISHER" => (1, 1, |_, a| {
            let [x] = reals(a)?;
            ensure(x > -1.0 && x < 1.0)?;
            finite(x.atanh())
        }),
        "FISHERINV" => (1, 1, |_, a| finite(reals::<1>(a)?[0].tanh())),
        "STANDARDIZE" => (3, 3, |_, a| {
            let [x, mean, deviation] = reals(a)?;
            ensure(deviation > 0.0)?;
            finite((x - mean) / deviation)
        }),
        _ => return None,
    })
}

fn lognormal(a: &[Scalar], is_cumulative: bool) -> Done {
    let [x, mean, deviation] = reals(a)?;
    ensure(x > 0.0 && deviation > 0.0)?;
    let z = (x.ln() - mean) / deviation;
    finite(if is_cumulative { normal(z).0 } else { normal_density(z) / (deviation * x) })
}

/// Returns the density of the gamma distribution of scale one; at zero it may be without bounds.
pub(super) fn gamma_density(x: f64, shape: f64) -> f64 {
    match () {
        () if x == 0.0 && shape < 1.0 => f64::INFINITY,
        () if x == 0.0 => f64::from(u8::from(shape == 1.0)),
        () if shape < 1.0 => poisson(shape, x) * shape / x,
        () => poisson(shape - 1.0, x),
    }
}

fn beta_distribution(a: &[Scalar], is_cumulative: bool, bounds: usize) -> Done {
    let [x, first, second] = reals(a)?;
    let (low, high) = (real(a, bounds, 0.0)?, real(a, bounds + 1, 1.0)?);
    ensure(first > 0.0 && second > 0.0 && low < high && (low..=high).contains(&x))?;
    let (part, rest) = ((x - low) / (high - low), (high - x) / (high - low));
    if is_cumulative {
        return finite(beta(first, second, part, rest).0);
    }
    let logarithm = libm::lgamma(first + second) - libm::lgamma(first) - libm::lgamma(second);
    let density = if part == 0.0 || rest == 0.0 {
        part.powf(first - 1.0) * rest.powf(second - 1.0) * logarithm.exp()
    } else {
        let count = first + second;
        super::numeric::binomial(first, count, part, rest) * first * second / (count * part * rest)
    };
    finite(density / (high - low))
}
