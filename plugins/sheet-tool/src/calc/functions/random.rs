//! Random numbers. They are those of the world, so that the same workbook in the same world has the same ones.

use super::arguments::{flag, real};
use super::{Whole, want};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{Array, ErrorCode, Scalar};

/// Most cells of an array of random numbers.
const MAX_CELLS: f64 = 1_000_000.0;

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "RAND" => (0, 0, |e, _| e.draw(|_, draws| Ok(Value::number(draws.fraction())))),
        "RANDBETWEEN" => (2, 2, |e, v| {
            e.draw(|e, draws| {
                e.lift(v.to_vec(), &mut |a| {
                    let (bottom, top) = (real(a, 0, 0.0)?, real(a, 1, 0.0)?);
                    if bottom > top || top - bottom >= 2_f64.powi(53) {
                        return Err(ErrorCode::Num);
                    }
                    let low = bottom.ceil();
                    Ok(Scalar::Number(draws.whole(low, top.floor().max(low))))
                })
            })
        }),
        "RANDARRAY" => (0, 5, array),
        _ => return None,
    })
}

fn array(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let mut all = Vec::with_capacity(v.len());
    for value in v {
        // What is left out has its default, as if it were not there.
        all.push(match value {
            Value::Missing => None,
            value => Some(e.one(value)?),
        });
    }
    let number = |at: usize, default: f64| match all.get(at) {
        Some(Some(value)) => real(std::slice::from_ref(value), 0, default),
        _ => Ok(default),
    };
    let (rows, columns) = (want!(number(0, 1.0)).trunc(), want!(number(1, 1.0)).trunc());
    let (low, high) = (want!(number(2, 0.0)), want!(number(3, 1.0)));
    let is_whole = match all.get(4) {
        Some(Some(value)) => want!(flag(std::slice::from_ref(value), 0, false)),
        _ => false,
    };
    match () {
        () if rows < 0.0 || columns < 0.0 || low > high => {
            return Ok(Value::error(ErrorCode::Value));
        }
        () if is_whole && (low.fract() != 0.0 || high.fract() != 0.0) => {
            return Ok(Value::error(ErrorCode::Value));
        }
        () if rows == 0.0 || columns == 0.0 => return Ok(Value::error(ErrorCode::Calc)),
        () if rows * columns > MAX_CELLS => return Err(Stop::Limit),
        () => {}
    }
    let (rows, columns) = (rows as usize, columns as usize);
    e.grid.work((rows * columns) as u64)?;
    e.draw(|_, draws| {
        let mut one = || {
            if is_whole { draws.whole(low, high) } else { low + draws.fraction() * (high - low) }
        };
        let cells = (0..rows * columns).map(|_| Scalar::Number(one())).collect();
        Ok(Value::array(Array { rows, columns, cells }))
    })
}
