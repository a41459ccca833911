//! Currencies before the euro, by the rates that were fixed for ever.

use super::arguments::{flag, real};
use super::{Whole, want};
use crate::calc::coerce::text;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{ErrorCode, Scalar};

/// Code, units of one euro, and decimals of a rounded result, if they are known.
const CURRENCIES: [(&str, f64, Option<i32>); 14] = [
    ("ATS", 13.7603, Some(2)),
    ("BEF", 40.3399, Some(0)),
    ("DEM", 1.95583, Some(2)),
    ("ESP", 166.386, Some(0)),
    ("EUR", 1.0, Some(2)),
    ("FIM", 5.94573, Some(2)),
    ("FRF", 6.55957, Some(2)),
    ("GRD", 340.75, None),
    ("IEP", 0.787564, Some(2)),
    ("ITL", 1936.27, Some(0)),
    ("LUF", 40.3399, Some(0)),
    ("NLG", 2.20371, Some(2)),
    ("PTE", 200.482, None),
    ("SIT", 239.64, None),
];

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    (name == "EUROCONVERT").then_some((3, 5, converted as Whole))
}

fn converted(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let mut a = Vec::with_capacity(v.len());
    for value in v {
        a.push(e.one(value)?);
    }
    let amount = want!(real(&a, 0, 0.0));
    let (from, to) = (want!(currency(&a[1])), want!(currency(&a[2])));
    let is_full = want!(flag(&a, 3, false));
    // Microsoft's page calls these digits, but Excel counts decimals (KB 231015: 100 francs are 15.245 euros).
    let decimals = match a.get(4) {
        None | Some(Scalar::Empty) => None,
        Some(_) => Some(want!(real(&a, 4, 0.0)).trunc()),
    };
    if decimals.is_some_and(|it| it < 3.0) {
        return Ok(Value::error(ErrorCode::Value));
    }
    if from.0 == to.0 {
        return Ok(Value::number(amount));
    }
    let mut euros = amount / from.1;
    if let Some(decimals) = decimals.filter(|_| from.0 != "EUR") {
        euros = rounded(euros, decimals.min(15.0) as i32);
    }
    let result = euros * to.1;
    match (is_full, to.2) {
        (true, _) => Ok(Value::number(result)),
        (false, Some(decimals)) => Ok(Value::number(rounded(result, decimals))),
        (false, None) => {
            Err(Stop::Unsupported(format!("EUROCONVERT with the rounding of {}", to.0)))
        }
    }
}

fn currency(code: &Scalar) -> Result<(&'static str, f64, Option<i32>), ErrorCode> {
    let code = text(code)?.to_uppercase();
    CURRENCIES.iter().find(|it| it.0 == code).copied().ok_or(ErrorCode::Value)
}

fn rounded(x: f64, decimals: i32) -> f64 {
    super::math::rounded(x, decimals, f64::round)
}
