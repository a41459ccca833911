//! Numbers: divisors, factorials, numerals, and the trigonometric functions that `math` has not.

use super::arguments::{ensure, real, reals, whole, wholes};
use super::{Single, Whole, number, numbers, want};
use crate::calc::coerce::{finite, text};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::value::{ErrorCode, Scalar};

type Done = Result<Scalar, ErrorCode>;

/// The first whole number that is not exact any more.
const LARGEST: f64 = 9_007_199_254_740_992.0;
/// Value and letter of each Roman numeral.
const ROMAN: [(i64, char); 7] =
    [(1000, 'M'), (500, 'D'), (100, 'C'), (50, 'L'), (10, 'X'), (5, 'V'), (1, 'I')];

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "ACOSH" => (1, 1, |_, a| one(a, f64::acosh)),
        "ASINH" => (1, 1, |_, a| one(a, libm::asinh)),
        "ATANH" => (1, 1, |_, a| one(a, libm::atanh)),
        "ACOT" => (1, 1, |_, a| one(a, |x| std::f64::consts::FRAC_PI_2 - x.atan())),
        "ACOTH" => (1, 1, |_, a| one(a, |x| libm::atanh(1.0 / x))),
        "COT" => (1, 1, |_, a| inverted(a, f64::tan)),
        "COTH" => (1, 1, |_, a| inverted(a, f64::tanh)),
        "CSC" => (1, 1, |_, a| inverted(a, f64::sin)),
        "CSCH" => (1, 1, |_, a| inverted(a, f64::sinh)),
        "SEC" => (1, 1, |_, a| inverted(a, f64::cos)),
        "SECH" => (1, 1, |_, a| inverted(a, f64::cosh)),
        "COMBINA" => (2, 2, |_, a| {
            let [n, k] = wholes(a)?;
            ensure(n >= 0.0 && k >= 0.0 && (n > 0.0 || k == 0.0) && k <= 1e6)?;
            // From n + k - 1 things, as those that are chosen go back.
            let (all, chosen) = (n + k - 1.0, k.min(n - 1.0).max(0.0));
            ensure(chosen <= 1e6)?;
            finite(
                (1..=chosen as u64)
                    .fold(1.0, |product, it| product * (all - chosen + it as f64) / it as f64)
                    .round(),
            )
        }),
        "PERMUTATIONA" => (2, 2, |_, a| {
            let [n, k] = wholes(a)?;
            ensure(n >= 0.0 && k >= 0.0)?;
            finite(n.powf(k))
        }),
        "FACTDOUBLE" => (1, 1, |_, a| {
            let [n] = wholes(a)?;
            ensure((-1.0..=300.0).contains(&n))?;
            let mut product = 1.0;
            let mut factor = n;
            while factor > 1.0 {
                product *= factor;
                factor -= 2.0;
            }
            finite(product)
        }),
        "ROMAN" => (1, 2, |_, a| {
            let form = match a.get(1) {
                Some(Scalar::Bool(true)) | None => 0,
                Some(Scalar::Bool(false)) => 4,
                Some(_) => whole(a, 1, 0.0)? as i64,
            };
            let [n] = wholes(a)?;
            if !(0.0..4000.0).contains(&n) || !(0..=4).contains(&form) {
                return Err(ErrorCode::Value);
            }
            Ok(Scalar::text(roman(n as i64, form)))
        }),
        "ARABIC" => (1, 1, |_, a| arabic(&text(&a[0])?)),
        "BASE" => (2, 3, |_, a| {
            let ([n, radix], width) = (wholes(a)?, whole(a, 2, 0.0)?);
            ensure((0.0..LARGEST).contains(&n) && (2.0..=36.0).contains(&radix))?;
            ensure((0.0..256.0).contains(&width))?;
            let digits = digits(n as u64, radix as u64);
            Ok(Scalar::text(format!("{digits:0>width$}", width = width as usize)))
        }),
        "DECIMAL" => (2, 2, |_, a| {
            let (digits, radix) = (text(&a[0])?.trim().to_owned(), whole(a, 1, 10.0)?);
            ensure((2.0..=36.0).contains(&radix) && digits.len() <= 255)?;
            let mut value = 0.0;
            for c in digits.chars() {
                let digit = c.to_digit(radix as u32).ok_or(ErrorCode::Num)?;
                value = value * radix + f64::from(digit);
            }
            finite(value)
        }),
        "BITLSHIFT" => (2, 2, |_, a| shifted(a, 1.0)),
        "BITRSHIFT" => (2, 2, |_, a| shifted(a, -1.0)),
        "ECMA.CEILING" => (2, 2, |_, a| {
            let [x, step] = reals(a)?;
            finite(if step == 0.0 { 0.0 } else { (x / step).ceil() * step })
        }),
        _ => return None,
    })
}

/// Finds functions that take ranges.
pub(super) fn find_whole(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "GCD" => {
            (1, 255, |e, v| over_wholes(e, v, |all| Ok(all.iter().copied().fold(0.0, divisor))))
        }
        "LCM" => (1, 255, |e, v| {
            over_wholes(e, v, |all| {
                let mut multiple = 1.0;
                for &x in all {
                    if x == 0.0 {
                        return Ok(0.0);
                    }
                    multiple *= x / divisor(multiple, x);
                    ensure(multiple < LARGEST)?;
                }
                Ok(multiple)
            })
        }),
        "MULTINOMIAL" => (1, 255, |e, v| {
            over_wholes(e, v, |all| {
                let (mut sum, mut product) = (0.0, 1.0);
                for &x in all {
                    ensure(sum + x <= 1e6)?;
                    for at in 1..=x as u64 {
                        sum += 1.0;
                        product *= sum / at as f64;
                    }
                }
                // Whole, but for the digits that the quotients lost.
                Ok(if product < LARGEST { product.round() } else { product })
            })
        }),
        "SERIESSUM" => (4, 4, |e, v| {
            let x = want!(number(e, v.first(), 0.0)?);
            let first = want!(number(e, v.get(1), 0.0)?);
            let step = want!(number(e, v.get(2), 0.0)?);
            let all = want!(numbers(e, &v[3..])?);
            let terms = all.iter().enumerate();
            Ok(Value::number(terms.map(|(at, it)| it * x.powf(first + at as f64 * step)).sum()))
        }),
        _ => return None,
    })
}

fn one(a: &[Scalar], f: fn(f64) -> f64) -> Done {
    finite(f(real(a, 0, 0.0)?))
}

fn inverted(a: &[Scalar], f: fn(f64) -> f64) -> Done {
    match f(real(a, 0, 0.0)?) {
        0.0 => Err(ErrorCode::Div0),
        x => finite(1.0 / x),
    }
}

/// Calls a function with whole numbers that are not negative.
fn over_wholes(
    e: &mut Evaluator<'_>,
    v: &[Value],
    f: fn(&[f64]) -> Result<f64, ErrorCode>,
) -> Outcome {
    let all: Vec<f64> = want!(numbers(e, v)?).into_iter().map(f64::trunc).collect();
    want!(ensure(all.iter().all(|it| (0.0..LARGEST).contains(it))));
    Ok(Value::number(want!(f(&all))))
}

fn divisor(mut a: f64, mut b: f64) -> f64 {
    while b != 0.0 {
        (a, b) = (b, a % b);
    }
    a
}

fn shifted(a: &[Scalar], direction: f64) -> Done {
    let [x, by] = reals(a)?;
    let by = by.trunc();
    let limit = 281_474_976_710_656.0;
    ensure((0.0..limit).contains(&x) && x.fract() == 0.0 && by.abs() <= 53.0)?;
    let result = (x * (by * direction).exp2()).floor();
    ensure(result < limit)?;
    finite(result)
}

fn digits(mut n: u64, radix: u64) -> String {
    let mut all = Vec::new();
    loop {
        let digit = char::from_digit((n % radix) as u32, radix as u32).unwrap_or('0');
        all.push(digit.to_ascii_uppercase());
        n /= radix;
        if n == 0 {
            return all.into_iter().rev().collect();
        }
    }
}

/// Returns a Roman numeral; the higher the form, the more may be subtracted.
fn roman(mut n: i64, form: i64) -> String {
    let mut out = String::new();
    for at in [0, 2, 4, 6] {
        let digit = n / ROMAN[at].0;
        if digit % 5 != 4 {
            if digit > 4 {
                out.push(ROMAN[at - 1].1);
            }
            out.extend((0..digit % 5).map(|_| ROMAN[at].1));
            n %= ROMAN[at].0;
            continue;
        }
        let larger = if digit == 4 { at - 1 } else { at - 2 };
        let mut smaller = at;
        for _ in 0..form {
            if smaller + 1 >= ROMAN.len() || ROMAN[larger].0 - ROMAN[smaller + 1].0 > n {
                break;
            }
            smaller += 1;
        }
        out.push(ROMAN[smaller].1);
        out.push(ROMAN[larger].1);
        n += ROMAN[smaller].0 - ROMAN[larger].0;
    }
    out
}

fn arabic(numeral: &str) -> Done {
    let upper = numeral.trim().to_uppercase();
    let (sign, digits) = match upper.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, &*upper),
    };
    if digits.len() > 255 {
        return Err(ErrorCode::Value);
    }
    let mut all = Vec::new();
    for c in digits.chars() {
        all.push(ROMAN.iter().find(|it| it.1 == c).ok_or(ErrorCode::Value)?.0);
    }
    let mut sum = 0;
    for (at, value) in all.iter().enumerate() {
        sum += if all.get(at + 1).is_some_and(|next| next > value) { -value } else { *value };
    }
    finite((sign * sum) as f64)
}
