//! Functions of engineering: error function, Bessel functions, numbers in other bases.

use super::Single;
use super::arguments::{ensure, real, reals, whole};
use crate::calc::coerce::{finite, text};
use crate::value::{ErrorCode, Scalar};

type Done = Result<Scalar, ErrorCode>;

/// Greatest order of a Bessel function.
const MAX_ORDER: f64 = 10_000.0;
/// Most terms of a series.
const MAX_TERMS: u32 = 10_000;

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "ERF" => (1, 2, |_, a| {
            let from = real(a, 0, 0.0)?;
            finite(match a.get(1) {
                None => libm::erf(from),
                Some(_) => libm::erf(real(a, 1, 0.0)?) - libm::erf(from),
            })
        }),
        "ERF.PRECISE" => (1, 1, |_, a| finite(libm::erf(real(a, 0, 0.0)?))),
        "ERFC" | "ERFC.PRECISE" => (1, 1, |_, a| finite(libm::erfc(real(a, 0, 0.0)?))),
        "BESSELJ" => (2, 2, |_, a| {
            let (x, n) = order(a)?;
            finite(libm::jn(n as i32, x))
        }),
        "BESSELY" => (2, 2, |_, a| {
            let (x, n) = order(a)?;
            ensure(x > 0.0)?;
            finite(libm::yn(n as i32, x))
        }),
        "BESSELI" => (2, 2, |_, a| {
            let (x, n) = order(a)?;
            finite(modified_first(x, n))
        }),
        "BESSELK" => (2, 2, |_, a| {
            let (x, n) = order(a)?;
            ensure(x > 0.0)?;
            finite(modified_second(x, n))
        }),
        "BIN2DEC" => (1, 1, |_, a| finite(read(a, 2)? as f64)),
        "BIN2HEX" => (1, 2, |_, a| written(read(a, 2)?, 16, a)),
        "BIN2OCT" => (1, 2, |_, a| written(read(a, 2)?, 8, a)),
        "OCT2BIN" => (1, 2, |_, a| written(read(a, 8)?, 2, a)),
        "OCT2DEC" => (1, 1, |_, a| finite(read(a, 8)? as f64)),
        "OCT2HEX" => (1, 2, |_, a| written(read(a, 8)?, 16, a)),
        "HEX2BIN" => (1, 2, |_, a| written(read(a, 16)?, 2, a)),
        "HEX2DEC" => (1, 1, |_, a| finite(read(a, 16)? as f64)),
        "HEX2OCT" => (1, 2, |_, a| written(read(a, 16)?, 8, a)),
        "DEC2BIN" => (1, 2, |_, a| written(whole(a, 0, 0.0)? as i64, 2, a)),
        "DEC2HEX" => (1, 2, |_, a| written(whole(a, 0, 0.0)? as i64, 16, a)),
        "DEC2OCT" => (1, 2, |_, a| written(whole(a, 0, 0.0)? as i64, 8, a)),
        _ => return None,
    })
}

fn order(a: &[Scalar]) -> Result<(f64, f64), ErrorCode> {
    let [x, n] = reals(a)?;
    let n = n.trunc();
    ensure((0.0..=MAX_ORDER).contains(&n))?;
    Ok((x, n))
}

/// Returns the modified Bessel function of the first kind by its series, whose terms have one sign.
fn modified_first(x: f64, n: f64) -> f64 {
    if x == 0.0 {
        return f64::from(u8::from(n == 0.0));
    }
    let half = x.abs() / 2.0;
    let (mut term, mut sum) = (1.0, 1.0);
    for at in 1..MAX_TERMS {
        let at = f64::from(at);
        term *= half * half / (at * (at + n));
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    let sign = if x < 0.0 && n % 2.0 == 1.0 { -1.0 } else { 1.0 };
    let front = if n < 100.0 {
        half.powf(n) / libm::tgamma(n + 1.0)
    } else {
        (n * half.ln() - libm::lgamma(n + 1.0)).exp()
    };
    sign * front * sum
}

/// Returns the modified Bessel function of the second kind: its integral over `exp(-x cosh t) cosh(n t)` by the trapezoidal
/// rule, which converges exponentially here. Orders above one follow by recurrence, which is stable upwards.
fn modified_second(x: f64, n: f64) -> f64 {
    let integral = |order: f64| {
        let step = 1.0 / 64.0;
        let mut sum = 0.5;
        for at in 1..MAX_TERMS {
            let t = f64::from(at) * step;
            let half = (t / 2.0).sinh();
            // cosh t - 1 without loss of digits.
            let term = (-2.0 * x * half * half).exp() * (order * t).cosh();
            sum += term;
            if term < sum * 1e-18 {
                break;
            }
        }
        sum * step * (-x).exp()
    };
    let (mut low, mut high) = (integral(0.0), integral(1.0));
    if n == 0.0 {
        return low;
    }
    for at in 1..n as u32 {
        (low, high) = (high, low + 2.0 * f64::from(at) / x * high);
    }
    high
}

/// Returns the digits of a base that ten places hold, and the number of values.
fn values(base: u32) -> i64 {
    i64::from(base).pow(10)
}

/// Reads a number of at most ten digits; the upper half of the values is negative.
fn read(a: &[Scalar], base: u32) -> Result<i64, ErrorCode> {
    if let Some(Scalar::Bool(_)) = a.first() {
        return Err(ErrorCode::Value);
    }
    let digits = text(&a[0])?;
    let fits = digits.len() <= 10 && digits.chars().all(|it| it.is_digit(base));
    ensure(fits)?;
    if digits.is_empty() {
        return Ok(0);
    }
    let value = i64::from_str_radix(&digits, base).map_err(|_| ErrorCode::Num)?;
    Ok(if value >= values(base) / 2 { value - values(base) } else { value })
}

fn written(value: i64, base: u32, a: &[Scalar]) -> Done {
    let all = values(base);
    ensure((-all / 2..all / 2).contains(&value))?;
    let shown = if value < 0 { value + all } else { value };
    let digits = match base {
        2 => format!("{shown:b}"),
        8 => format!("{shown:o}"),
        _ => format!("{shown:X}"),
    };
    let places = match a.get(1) {
        Some(Scalar::Empty) | None => return Ok(Scalar::text(digits)),
        Some(_) => whole(a, 1, 0.0)?,
    };
    // A negative number always has ten digits.
    if value < 0 {
        return Ok(Scalar::text(digits));
    }
    ensure((digits.len() as f64..=10.0).contains(&places))?;
    Ok(Scalar::text(format!("{digits:0>width$}", width = places as usize)))
}
