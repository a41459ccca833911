//! Functions. Those that look at whole ranges, those of single values, and those that do not evaluate all arguments.

mod aggregates;
mod arguments;
mod arrays;
mod bonds;
mod bytes;
mod cash;
mod cells;
mod complex;
mod databases;
mod date;
mod depreciation;
mod distributions;
mod engineering;
mod euro;
mod finance;
mod formulas;
mod grouping;
#[cfg(test)]
mod grouping_tests;
#[cfg(test)]
mod list_tests;
mod lookup;
mod math;
mod matrices;
mod numbers;
mod odd;
mod patterns;
mod pivot;
mod random;
mod ranges;
mod regression;
mod samples;
mod shapes;
mod smoothing;
mod special;
mod splits;
mod statistics;
#[cfg(test)]
mod tests;
mod text;
mod thai;
mod uncalculated;
mod units;
mod workdays;
mod xpath;

pub(crate) use uncalculated::unsupported;

use super::evaluate::{Environment, Evaluator, Outcome, Value};
use super::grid::{Place, Stop};
use crate::formula::Expr;
use crate::value::{ErrorCode, Scalar};

/// A function of single values: the fewest and the most arguments, and what it does.
pub(crate) type Single = (usize, usize, fn(&Environment, &[Scalar]) -> Result<Scalar, ErrorCode>);

/// A function that takes ranges and arrays as they are.
pub(crate) type Whole = fn(&mut Evaluator<'_>, &[Value]) -> Outcome;

/// Functions whose arguments are calculated cell by cell also in a plain formula.
#[rustfmt::skip]
const OVER_ARRAYS: &[&str] = &[
    "SUMPRODUCT", "MMULT", "TRANSPOSE", "FREQUENCY", "LOOKUP", "INDEX", "MATCH", "XMATCH", "XLOOKUP", "FILTER",
    "SORT", "SORTBY", "UNIQUE", "MAP", "REDUCE", "SCAN", "BYROW", "BYCOL", "TOCOL", "TOROW", "VSTACK", "HSTACK",
    "TAKE", "DROP", "CHOOSECOLS", "CHOOSEROWS", "SUMX2MY2", "SUMX2PY2", "SUMXMY2", "MDETERM", "MINVERSE", "LINEST",
    "LOGEST", "TREND", "GROWTH", "CHISQ.TEST", "CHITEST", "F.TEST", "FTEST", "T.TEST", "TTEST", "Z.TEST", "ZTEST",
    "PROB", "STEYX", "TRIMMEAN", "PERCENTILE.EXC", "QUARTILE.EXC", "PERCENTRANK.EXC", "MODE.MULT", "PERCENTOF",
    "SERIESSUM", "EXPAND", "WRAPROWS", "WRAPCOLS", "MAKEARRAY", "ARRAYTOTEXT", "AGGREGATE",
    "FORECAST.ETS", "FORECAST.ETS.CONFINT", "FORECAST.ETS.SEASONALITY", "FORECAST.ETS.STAT",
];

/// Calls a function by its name.
pub(crate) fn call(evaluator: &mut Evaluator<'_>, name: &str, arguments: &[Expr]) -> Outcome {
    if let Some(outcome) = special::call(evaluator, name, arguments) {
        return outcome;
    }
    if let Some(outcome) = grouping::call(evaluator, name, arguments) {
        return outcome;
    }
    if let Some((least, most, function)) = whole(name) {
        if !(least..=most).contains(&arguments.len()) {
            return Ok(Value::error(ErrorCode::Value));
        }
        let over_arrays = OVER_ARRAYS.contains(&name);
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(if over_arrays {
                evaluator.as_array(argument)?
            } else {
                evaluator.evaluate(argument)?
            });
        }
        return function(evaluator, &values);
    }
    if let Some((least, most, function)) = single(name) {
        if !(least..=most).contains(&arguments.len()) {
            return Ok(Value::error(ErrorCode::Value));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(evaluator.evaluate(argument)?);
        }
        let environment = evaluator.environment;
        return evaluator.lift(values, &mut |all| function(environment, all));
    }
    // A LAMBDA by its name.
    let local: std::rc::Rc<str> = name.to_lowercase().trim_start_matches("_xlpm.").into();
    let is_local = evaluator.locals.iter().any(|it| it.0 == local);
    let has_name = evaluator.environment.names.keys().any(|it| it.1 == local);
    if is_local || has_name {
        let function = evaluator.evaluate(&Expr::Name(local, None))?;
        let mut values = Vec::new();
        for argument in arguments {
            values.push(evaluator.evaluate(argument)?);
        }
        return evaluator.apply(&function, values);
    }
    Err(unsupported(name))
}

/// Finds a function that takes ranges and arrays as they are.
fn whole(name: &str) -> Option<(usize, usize, Whole)> {
    ranges::find(name)
        .or_else(|| lookup::find(name))
        .or_else(|| statistics::find(name))
        .or_else(|| arrays::find(name))
        .or_else(|| finance::find(name))
        .or_else(|| workdays::find(name))
        .or_else(|| shapes::find(name))
        .or_else(|| splits::find(name))
        .or_else(|| aggregates::find(name))
        .or_else(|| patterns::find(name))
        .or_else(|| databases::find(name))
        .or_else(|| samples::find(name))
        .or_else(|| regression::find(name))
        .or_else(|| matrices::find(name))
        .or_else(|| random::find(name))
        .or_else(|| formulas::find(name))
        .or_else(|| xpath::find(name))
        .or_else(|| smoothing::find(name))
        .or_else(|| euro::find(name))
        .or_else(|| cash::find_whole(name))
        .or_else(|| complex::find_whole(name))
        .or_else(|| depreciation::find_whole(name))
        .or_else(|| numbers::find_whole(name))
        .or_else(|| distributions::find_whole(name))
}

/// Finds a function of single values.
fn single(name: &str) -> Option<Single> {
    math::find(name)
        .or_else(|| text::find(name))
        .or_else(|| date::find(name))
        .or_else(|| numbers::find(name))
        .or_else(|| distributions::find(name))
        .or_else(|| cash::find(name))
        .or_else(|| depreciation::find(name))
        .or_else(|| bonds::find(name))
        .or_else(|| bonds::find_plain(name))
        .or_else(|| engineering::find(name))
        .or_else(|| complex::find(name))
        .or_else(|| units::find(name))
        .or_else(|| bytes::find(name))
        .or_else(|| odd::find(name))
        .or_else(|| thai::find(name))
}

/// Returns `true` if a function of this name is known.
pub(crate) fn is_known(name: &str) -> bool {
    special::is_known(name)
        || grouping::is_known(name)
        || whole(name).is_some()
        || single(name).is_some()
}

/// Returns the error of an argument, or that of an argument that is no reference.
fn reference_error(value: &Value) -> Outcome {
    Ok(Value::error(match value {
        Value::One(Scalar::Error(code)) => *code,
        _ => ErrorCode::Ref,
    }))
}

/// Returns the one place of an argument.
fn place(value: &Value) -> Option<Place> {
    match value {
        Value::Cells(places) => match places[..] {
            [place] => Some(place),
            _ => None,
        },
        _ => None,
    }
}

/// Calls `visit` for each value of an argument; `true` if it is from a cell or an array. Empty cells are left out.
fn each(
    evaluator: &mut Evaluator<'_>,
    value: &Value,
    visit: &mut dyn FnMut(Scalar, bool),
) -> Result<(), Stop> {
    match value {
        Value::One(one) => visit(one.clone(), false),
        Value::Missing => visit(Scalar::Empty, false),
        Value::Array(array) => {
            evaluator.grid.work(array.cells.len() as u64)?;
            array.cells.iter().for_each(|it| visit(it.clone(), true));
        }
        Value::Cells(places) => {
            for place in places {
                evaluator.grid.visit(*place, &mut |_, _, value| visit(value, true))?;
            }
        }
        Value::Lambda(_) => visit(Scalar::Error(ErrorCode::Calc), false),
    }
    Ok(())
}

/// Returns the numbers of arguments as `SUM` takes them: texts and booleans count only if they are arguments themselves.
fn numbers(
    evaluator: &mut Evaluator<'_>,
    values: &[Value],
) -> Result<Result<Vec<f64>, ErrorCode>, Stop> {
    let mut found = Vec::new();
    let mut error = None;
    for value in values {
        each(evaluator, value, &mut |value, is_cell| match value {
            Scalar::Number(number) => found.push(number),
            Scalar::Error(code) => drop(error.get_or_insert(code)),
            Scalar::Empty if !is_cell => found.push(0.0),
            other if !is_cell => match super::coerce::number(&other) {
                Ok(number) => found.push(number),
                Err(code) => drop(error.get_or_insert(code)),
            },
            _ => {}
        })?;
    }
    Ok(match error {
        Some(code) => Err(code),
        None => Ok(found),
    })
}

/// Returns a number of an argument.
fn number(
    evaluator: &mut Evaluator<'_>,
    value: Option<&Value>,
    default: f64,
) -> Result<Result<f64, ErrorCode>, Stop> {
    match value {
        None | Some(Value::Missing) => Ok(Ok(default)),
        Some(value) => Ok(super::coerce::number(&evaluator.one(value)?)),
    }
}

/// Unwraps a value or returns the error as the value of the function.
macro_rules! want {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(code) => return Ok(crate::calc::evaluate::Value::error(code)),
        }
    };
}
use want;
