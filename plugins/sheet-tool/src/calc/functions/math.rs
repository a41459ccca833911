//! Arithmetic of single values.

use super::Single;
use crate::calc::coerce::{finite, integer, number};
use crate::calc::evaluate::power;
use crate::value::{ErrorCode, Scalar};

type Args<'a> = &'a [Scalar];
type Done = Result<Scalar, ErrorCode>;

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "ABS" => (1, 1, |_, a| one(a, f64::abs)),
        "SIGN" => (1, 1, |_, a| one(a, |x| if x == 0.0 { 0.0 } else { x.signum() })),
        "INT" => (1, 1, |_, a| one(a, |x| nearly(x).floor())),
        "TRUNC" => (1, 2, |_, a| places(a, f64::trunc)),
        "ROUND" => (2, 2, |_, a| places(a, half_up)),
        "ROUNDUP" => (2, 2, |_, a| places(a, |x| x.signum() * x.abs().ceil())),
        "ROUNDDOWN" => (2, 2, |_, a| places(a, f64::trunc)),
        "MROUND" => (2, 2, |_, a| {
            let (x, step) = (number(&a[0])?, number(&a[1])?);
            match () {
                () if step == 0.0 || x == 0.0 => finite(0.0),
                () if x.signum() != step.signum() => Err(ErrorCode::Num),
                () => finite(half_up(x / step) * step),
            }
        }),
        "CEILING" | "CEILING.MATH" | "CEILING.PRECISE" | "ISO.CEILING" => {
            (1, 3, |_, a| steps(a, f64::ceil))
        }
        "FLOOR" => (2, 2, |_, a| match number(&a[1])? {
            0.0 if number(&a[0])? != 0.0 => Err(ErrorCode::Div0),
            _ => steps(a, f64::floor),
        }),
        "FLOOR.MATH" | "FLOOR.PRECISE" => (1, 3, |_, a| steps(a, f64::floor)),
        "MOD" => (2, 2, |_, a| {
            let (x, y) = (number(&a[0])?, number(&a[1])?);
            if y == 0.0 {
                return Err(ErrorCode::Div0);
            }
            finite(x - y * nearly(x / y).floor())
        }),
        "QUOTIENT" => (2, 2, |_, a| match number(&a[1])? {
            0.0 => Err(ErrorCode::Div0),
            y => finite((number(&a[0])? / y).trunc()),
        }),
        "POWER" => (2, 2, |_, a| power(number(&a[0])?, number(&a[1])?)),
        "SQRT" => (1, 1, |_, a| one(a, f64::sqrt)),
        "SQRTPI" => (1, 1, |_, a| one(a, |x| (x * std::f64::consts::PI).sqrt())),
        "EXP" => (1, 1, |_, a| one(a, f64::exp)),
        "LN" => (1, 1, |_, a| logarithm(a, f64::ln)),
        "LOG10" => (1, 1, |_, a| logarithm(a, f64::log10)),
        "LOG" => (1, 2, |_, a| {
            let base = a.get(1).map_or(Ok(10.0), number)?;
            match base {
                base if base <= 0.0 => Err(ErrorCode::Num),
                1.0 => Err(ErrorCode::Div0),
                10.0 => logarithm(a, f64::log10),
                base => logarithm(a, |x| x.ln()).and_then(|it| finite(number(&it)? / base.ln())),
            }
        }),
        "SIN" => (1, 1, |_, a| one(a, f64::sin)),
        "COS" => (1, 1, |_, a| one(a, f64::cos)),
        "TAN" => (1, 1, |_, a| one(a, f64::tan)),
        "ASIN" => (1, 1, |_, a| one(a, f64::asin)),
        "ACOS" => (1, 1, |_, a| one(a, f64::acos)),
        "ATAN" => (1, 1, |_, a| one(a, f64::atan)),
        "SINH" => (1, 1, |_, a| one(a, f64::sinh)),
        "COSH" => (1, 1, |_, a| one(a, f64::cosh)),
        "TANH" => (1, 1, |_, a| one(a, f64::tanh)),
        "ATAN2" => (2, 2, |_, a| match (number(&a[0])?, number(&a[1])?) {
            (0.0, 0.0) => Err(ErrorCode::Div0),
            (x, y) => finite(y.atan2(x)),
        }),
        "DEGREES" => (1, 1, |_, a| one(a, f64::to_degrees)),
        "RADIANS" => (1, 1, |_, a| one(a, f64::to_radians)),
        "FACT" => (1, 1, |_, a| match integer(&a[0])? {
            n @ 0..=170 => finite((1..=n).map(|it| it as f64).product()),
            _ => Err(ErrorCode::Num),
        }),
        "COMBIN" => (2, 2, |_, a| chosen(a)),
        "PERMUT" => (2, 2, |_, a| match (integer(&a[0])?, integer(&a[1])?) {
            (n, k) if n >= k && (0..10_000).contains(&k) => {
                finite((n - k + 1..=n).map(|it| it as f64).product())
            }
            _ => Err(ErrorCode::Num),
        }),
        "EVEN" => (1, 1, |_, a| one(a, |x| x.signum() * (x.abs() / 2.0).ceil() * 2.0)),
        "ODD" => (1, 1, |_, a| {
            one(a, |x| match x {
                0.0 => 1.0,
                x => x.signum() * (((x.abs() - 1.0) / 2.0).ceil().max(0.0) * 2.0 + 1.0),
            })
        }),
        "ISEVEN" => (1, 1, |_, a| Ok(Scalar::Bool(number(&a[0])?.trunc() % 2.0 == 0.0))),
        "ISODD" => (1, 1, |_, a| Ok(Scalar::Bool(number(&a[0])?.trunc() % 2.0 != 0.0))),
        "NOT" => (1, 1, |_, a| Ok(Scalar::Bool(!crate::calc::coerce::truth(&a[0])?))),
        "BITAND" => (2, 2, |_, a| bits(a, |x, y| x & y)),
        "BITOR" => (2, 2, |_, a| bits(a, |x, y| x | y)),
        "BITXOR" => (2, 2, |_, a| bits(a, |x, y| x ^ y)),
        "DELTA" => (1, 2, |_, a| {
            let other = a.get(1).map_or(Ok(0.0), number)?;
            finite(f64::from(u8::from(number(&a[0])? == other)))
        }),
        "GESTEP" => (1, 2, |_, a| {
            let other = a.get(1).map_or(Ok(0.0), number)?;
            finite(f64::from(u8::from(number(&a[0])? >= other)))
        }),
        _ => return None,
    })
}

fn one(a: Args<'_>, f: fn(f64) -> f64) -> Done {
    finite(f(number(&a[0])?))
}

fn logarithm(a: Args<'_>, f: fn(f64) -> f64) -> Done {
    match number(&a[0])? {
        x if x <= 0.0 => Err(ErrorCode::Num),
        x => finite(f(x)),
    }
}

fn bits(a: Args<'_>, f: fn(i64, i64) -> i64) -> Done {
    let (x, y) = (integer(&a[0])?, integer(&a[1])?);
    let fits = |it: i64| (0..1 << 48).contains(&it);
    if fits(x) && fits(y) { finite(f(x, y) as f64) } else { Err(ErrorCode::Num) }
}

fn chosen(a: Args<'_>) -> Done {
    let (n, k) = (integer(&a[0])?, integer(&a[1])?);
    if k < 0 || n < k || k > 100_000 {
        return Err(ErrorCode::Num);
    }
    let k = k.min(n - k);
    finite((1..=k).fold(1.0, |product, it| product * (n - k + it) as f64 / it as f64).round())
}

/// Returns the whole number that a number is but for its last digits.
fn nearly(x: f64) -> f64 {
    let whole = x.round();
    if (x - whole).abs() < 1e-15 * x.abs() { whole } else { x }
}

/// Rounds half away from zero.
pub(super) fn half_up(x: f64) -> f64 {
    x.signum() * (x.abs() + 0.5).floor()
}

/// Rounds at a digit by the decimal digits of a number, not by its binary ones: 2.675 becomes 2.68.
fn places(a: Args<'_>, round: fn(f64) -> f64) -> Done {
    let x = number(&a[0])?;
    let digits = a.get(1).map_or(Ok(0), integer)?.clamp(-310, 310) as i32;
    finite(rounded(x, digits, round))
}

pub(super) fn rounded(x: f64, digits: i32, round: fn(f64) -> f64) -> f64 {
    if x == 0.0 || digits > 15 && x.abs() > 1e-3 {
        return x;
    }
    let scale = 10_f64.powi(digits.abs());
    let shifted = if digits >= 0 { x * scale } else { x / scale };
    if !shifted.is_finite() || shifted.abs() > 9e15 {
        return x;
    }
    // The digits that Excel shows count.
    let fifteen: f64 = format!("{shifted:.14e}").parse().unwrap_or(shifted);
    let whole = round(fifteen);
    if digits >= 0 { whole / scale } else { whole * scale }
}

fn steps(a: Args<'_>, f: fn(f64) -> f64) -> Done {
    let x = number(&a[0])?;
    let step = a.get(1).map_or(Ok(1.0), number)?;
    match () {
        () if x == 0.0 || step == 0.0 => finite(0.0),
        () if x > 0.0 && step < 0.0 => Err(ErrorCode::Num),
        () => finite(f(nearly(x / step)) * step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calc::evaluate::Environment;

    fn plain() -> Environment {
        Environment::default()
    }

    #[test]
    fn numbers_are_rounded_by_their_decimal_digits() {
        let round = |x: f64, digits: f64| {
            let function = find("ROUND").unwrap().2;
            function(&plain(), &[Scalar::Number(x), Scalar::Number(digits)]).unwrap()
        };
        assert_eq!(round(2.675, 2.0), Scalar::Number(2.68));
        assert_eq!(round(1.005, 2.0), Scalar::Number(1.01));
        assert_eq!(round(-2.5, 0.0), Scalar::Number(-3.0));
        assert_eq!(round(1234.0, -2.0), Scalar::Number(1200.0));
        let modulo = find("MOD").unwrap().2;
        let of = |x: f64, y: f64| modulo(&plain(), &[Scalar::Number(x), Scalar::Number(y)]);
        assert_eq!(of(-3.0, 2.0), Ok(Scalar::Number(1.0)));
        assert_eq!(of(3.0, 0.0), Err(ErrorCode::Div0));
    }
}
