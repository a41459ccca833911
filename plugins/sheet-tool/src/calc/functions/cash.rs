//! Interest and payments that `finance` has not.

use super::arguments::{ensure, reals, whole};
use super::finance::{future, payment, worth};
use super::{Single, Whole, number, numbers, want};
use crate::calc::coerce::finite;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::value::{ErrorCode, Scalar};

type Done = Result<Scalar, ErrorCode>;

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "NOMINAL" => (2, 2, |_, a| {
            let [rate, periods] = reals(a)?;
            let periods = periods.trunc();
            ensure(rate > 0.0 && periods >= 1.0)?;
            finite(periods * (rate.ln_1p() / periods).exp_m1())
        }),
        "ISPMT" => (4, 4, |_, a| {
            let [rate, period, periods, present] = reals(a)?;
            if periods == 0.0 {
                Err(ErrorCode::Div0)
            } else {
                finite(present * rate * (period / periods - 1.0))
            }
        }),
        "RRI" => (3, 3, |_, a| {
            let [periods, present, future] = reals(a)?;
            ensure(periods > 0.0 && present != 0.0 && future / present >= 0.0)?;
            finite((future / present).powf(1.0 / periods) - 1.0)
        }),
        "PDURATION" => (3, 3, |_, a| {
            let [rate, present, future] = reals(a)?;
            ensure(rate > 0.0 && present > 0.0 && future > 0.0)?;
            finite((future.ln() - present.ln()) / rate.ln_1p())
        }),
        "CUMIPMT" => (6, 6, |_, a| cumulative(a, true)),
        "CUMPRINC" => (6, 6, |_, a| cumulative(a, false)),
        "DOLLARDE" => (2, 2, |_, a| {
            let ([x], parts) = (reals(a)?, fraction(a)?);
            finite(x.trunc() + x.fract() * width(parts) / parts)
        }),
        "DOLLARFR" => (2, 2, |_, a| {
            let ([x], parts) = (reals(a)?, fraction(a)?);
            finite(x.trunc() + x.fract() * parts / width(parts))
        }),
        _ => return None,
    })
}

/// Finds functions that take ranges.
pub(super) fn find_whole(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "MIRR" => (3, 3, modified),
        "FVSCHEDULE" => (2, 2, |e, v| {
            let principal = want!(number(e, v.first(), 0.0)?);
            let rates = e.as_values(&v[1])?;
            let mut value = principal;
            for rate in &rates.cells {
                match rate {
                    Scalar::Number(rate) => value *= 1.0 + rate,
                    Scalar::Empty => {}
                    Scalar::Error(code) => return Ok(Value::error(*code)),
                    _ => return Ok(Value::error(ErrorCode::Value)),
                }
            }
            Ok(Value::number(value))
        }),
        _ => return None,
    })
}

fn fraction(a: &[Scalar]) -> Result<f64, ErrorCode> {
    match whole(a, 1, 0.0)? {
        parts if parts < 0.0 => Err(ErrorCode::Num),
        0.0 => Err(ErrorCode::Div0),
        parts => Ok(parts),
    }
}

/// Returns a power of ten: as many digits as the parts of a dollar have.
fn width(parts: f64) -> f64 {
    10_f64.powf(parts.log10().ceil())
}

/// Adds interest or principal from one period to another.
fn cumulative(a: &[Scalar], is_interest: bool) -> Done {
    let [rate, periods, present, first, last, due] = reals(a)?;
    let (first, last) = (first.trunc(), last.trunc());
    ensure(rate > 0.0 && periods > 0.0 && present > 0.0)?;
    ensure(first >= 1.0 && first <= last && last <= periods && (due == 0.0 || due == 1.0))?;
    let paid = payment(rate, periods, present, 0.0, due);
    // Principal is what the debt falls by. The first of the payments at the start has no interest.
    let owed = |period: f64| {
        if due != 1.0 {
            future(rate, period, paid, present, 0.0)
        } else if period == 0.0 {
            -present
        } else {
            future(rate, period - 1.0, paid, present, 1.0) - paid
        }
    };
    let principal = owed(first - 1.0) - owed(last);
    finite(if is_interest { paid * (last - first + 1.0) - principal } else { principal })
}

fn modified(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let all = want!(numbers(e, &v[..1])?);
    let finance = want!(number(e, v.get(1), 0.0)?);
    let reinvest = want!(number(e, v.get(2), 0.0)?);
    let gains: Vec<f64> = all.iter().map(|it| it.max(0.0)).collect();
    let losses: Vec<f64> = all.iter().map(|it| it.min(0.0)).collect();
    let (gain, loss) = (worth(reinvest, &gains), worth(finance, &losses));
    if gain == 0.0 || loss == 0.0 {
        return Ok(Value::error(ErrorCode::Div0));
    }
    let steps = all.len() as f64 - 1.0;
    let ratio = -gain * (1.0 + reinvest).powf(steps) / loss;
    Ok(Value::number(ratio.powf(1.0 / steps) - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interest_and_principal_make_the_payments() {
        let all = |first: f64, last: f64, due: f64| {
            [0.09 / 12.0, 360.0, 125_000.0, first, last, due].map(Scalar::Number)
        };
        for (first, last, due) in
            [(1.0, 1.0, 0.0), (13.0, 24.0, 0.0), (1.0, 3.0, 1.0), (2.0, 5.0, 1.0)]
        {
            let a = all(first, last, due);
            let number = |it: Done| crate::calc::coerce::number(&it.unwrap()).unwrap();
            let sum = number(cumulative(&a, true)) + number(cumulative(&a, false));
            let paid = payment(0.09 / 12.0, 360.0, 125_000.0, 0.0, due) * (last - first + 1.0);
            assert!((sum - paid).abs() < 1e-8, "{first} {last} {due}");
        }
    }
}
