//! Functions that SQLite calculates in binary, made exact, and some that people expect of a database.

use crate::decimal::{Decimal, marked, short};
use crate::notes::Notes;
use crate::total::Total;
use crate::wide;
use rusqlite::functions::{Aggregate, Context, FunctionFlags, WindowAggregate};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, Result};
use std::sync::Arc;

/// Registers all functions.
pub(crate) fn register(connection: &Connection, notes: &Arc<Notes>) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    for (name, kind) in [
        ("sum", SumFunction::Sum),
        ("total", SumFunction::Total),
        ("avg", SumFunction::Mean),
        ("decimal_sum", SumFunction::DecimalSum),
    ] {
        let function = Summing { kind, name, notes: notes.clone() };
        connection.create_window_function(name, 1, flags, function)?;
    }
    for (name, kind) in [
        ("median", Statistic::Median),
        ("stddev", Statistic::Deviation),
        ("stddev_samp", Statistic::Deviation),
        ("stddev_pop", Statistic::DeviationOfAll),
        ("variance", Statistic::Variance),
        ("var_samp", Statistic::Variance),
        ("var_pop", Statistic::VarianceOfAll),
    ] {
        let function = Describing { kind, name, notes: notes.clone() };
        connection.create_aggregate_function(name, 1, flags, function)?;
    }
    for arguments in [1, 2] {
        connection.create_scalar_function("round", arguments, flags, round)?;
    }
    connection.create_scalar_function("mod", 2, flags, modulo)?;
    connection.create_collation("decimal", wide::compare)
}

fn failed(message: &str) -> Error {
    Error::UserFunctionError(message.into())
}

/// The function of a [`Summing`].
#[derive(Clone, Copy)]
enum SumFunction {
    Sum,
    Total,
    Mean,
    DecimalSum,
}

struct Summing {
    kind: SumFunction,
    name: &'static str,
    notes: Arc<Notes>,
}

impl Summing {
    fn result(&self, total: &Total) -> Result<Value> {
        match self.kind {
            SumFunction::Sum => total.sum().map_err(failed),
            SumFunction::Total => Ok(total.total()),
            SumFunction::Mean => Ok(total.mean()),
            SumFunction::DecimalSum => total.decimal_sum().map_err(failed),
        }
    }
}

impl Aggregate<Total, Value> for Summing {
    fn init(&self, _: &mut Context<'_>) -> Result<Total> {
        Ok(Total::default())
    }

    fn step(&self, context: &mut Context<'_>, total: &mut Total) -> Result<()> {
        let value = context.get_raw(0);
        total.add(value);
        note_text(&self.notes, self.name, value);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, total: Option<Total>) -> Result<Value> {
        self.result(&total.unwrap_or_default())
    }
}

impl WindowAggregate<Total, Value> for Summing {
    fn value(&self, total: Option<&mut Total>) -> Result<Value> {
        total.map_or_else(|| self.result(&Total::default()), |total| self.result(total))
    }

    fn inverse(&self, context: &mut Context<'_>, total: &mut Total) -> Result<()> {
        total.take_away(context.get_raw(0));
        Ok(())
    }
}

/// The function of a [`Describing`].
#[derive(Clone, Copy)]
enum Statistic {
    Median,
    Deviation,
    DeviationOfAll,
    Variance,
    VarianceOfAll,
}

/// An aggregate function over all values at once.
struct Describing {
    kind: Statistic,
    name: &'static str,
    notes: Arc<Notes>,
}

impl Aggregate<Vec<f64>, Option<f64>> for Describing {
    fn init(&self, _: &mut Context<'_>) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    fn step(&self, context: &mut Context<'_>, values: &mut Vec<f64>) -> Result<()> {
        let value = context.get_raw(0);
        values.extend(double(value));
        note_text(&self.notes, self.name, value);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, values: Option<Vec<f64>>) -> Result<Option<f64>> {
        let values = values.unwrap_or_default();
        Ok(match self.kind {
            Statistic::Median => median(values),
            Statistic::Deviation => variance(&values, 1).map(marked_root),
            Statistic::DeviationOfAll => variance(&values, 0).map(marked_root),
            Statistic::Variance => variance(&values, 1),
            Statistic::VarianceOfAll => variance(&values, 0),
        })
    }
}

/// Notes a value that is text, for the warnings about the function `name`.
fn note_text(notes: &Notes, name: &'static str, value: ValueRef<'_>) {
    match value {
        ValueRef::Text(bytes) => notes.text(name, std::str::from_utf8(bytes).unwrap_or_default()),
        ValueRef::Blob(_) => notes.text(name, ""),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => {}
    }
}

/// Returns a number for SQLite's calculations, marked as inexact if it has too many digits for them.
fn double(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Integer(number) => {
            Some(Decimal { digits: number.into(), exponent: 0 }.to_double_or_marked())
        }
        ValueRef::Real(number) => Some(number),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).ok()?;
            let decimal = wide::read(text).or_else(|| Decimal::parse(text.trim()))?;
            Some(decimal.to_double_or_marked())
        }
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    let sum = crate::decimal::arithmetic(0, values[middle - 1], upper);
    Some(crate::decimal::arithmetic(3, sum, 2.0))
}

fn variance(values: &[f64], less: usize) -> Option<f64> {
    let divisor = values.len().checked_sub(less).filter(|&divisor| divisor > 0)? as f64;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    Some(marked(squares / divisor))
}

fn marked_root(value: f64) -> f64 {
    marked(value.sqrt())
}

/// `round(number, digits)`: rounds half away from zero, on the decimal instead of the binary number.
fn round(context: &Context<'_>) -> Result<Value> {
    let places = match (context.len(), context.get_raw(context.len() - 1)) {
        (1, _) => 0,
        (_, ValueRef::Null) => return Ok(Value::Null),
        (_, value) => double(value).map_or(0, |places| places.clamp(-30.0, 30.0) as i32),
    };
    let value = context.get_raw(0);
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) if places >= 0 => {
            Value::Real(Decimal { digits: number.into(), exponent: 0 }.to_double_or_marked())
        }
        _ => {
            let decimal = match value {
                ValueRef::Integer(number) => Some(Decimal { digits: number.into(), exponent: 0 }),
                ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(wide::read),
                _ => None,
            };
            let number = double(value).unwrap_or(0.0);
            // An inexact number is rounded as it would be shown. The result has the requested digits, so it is exact again.
            match decimal
                .or_else(|| short(number))
                .or_else(|| crate::decimal::rounded_to_15(number))
            {
                Some(decimal) => Value::Real(decimal.rounded(places).to_double_or_marked()),
                None => Value::Real(number),
            }
        }
    })
}

/// `mod(a, b)`: does what the operator `%` does.
fn modulo(context: &Context<'_>) -> Result<Option<f64>> {
    let (left, right) = (double(context.get_raw(0)), double(context.get_raw(1)));
    let (Some(left), Some(right)) = (left, right.filter(|&right| right != 0.0)) else {
        return Ok(None);
    };
    Ok(Some(crate::decimal::arithmetic(4, left, right)))
}
