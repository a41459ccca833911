//! Conversions between the types of the interface and those of the operations. Knows no operations.

use crate::aggregate::Function;
use crate::bindings::exports::mitt::table_tool::tools as wit;
use crate::bindings::mitt::host::log::{Level, write};
use crate::cell::Cell;
use crate::ops::{Condition, DatePart, Operator, Parsed, SortKey, WindowFunction};
use crate::problem::{Failure, Kind, Problems};
use crate::table::Outcome;
use mitt_guest::tables::Error;
use mitt_guest::tables::wit::tables::Table;

/// Runs an operation, and logs the number of its warnings. Every exported function begins with this call.
pub(crate) fn call(
    function: &str,
    operation: impl FnOnce() -> Result<Outcome<Table>, Failure>,
) -> Result<wit::Outcome, Error> {
    mitt_guest::report_panics();
    let Outcome { table, warnings } = operation()?;
    log_warnings(function, warnings.len());
    Ok(wit::Outcome { data: table, warnings })
}

pub(crate) fn conditions_in(conditions: Vec<wit::Condition>) -> Result<Vec<Condition>, Failure> {
    let mut problems = Problems::default();
    let mut converted = Vec::with_capacity(conditions.len());
    for (i, condition) in conditions.into_iter().enumerate() {
        let mut values = Vec::with_capacity(condition.values.len());
        for (j, value) in condition.values.into_iter().enumerate() {
            match Cell::try_from(value) {
                Ok(value) => values.push(value),
                Err(text) => problems.argument(|| format!("conditions[{i}].values[{j}]: {text}")),
            }
        }
        let operator = condition.operator.into();
        converted.push(Condition { column: condition.column, operator, values });
    }
    problems.check()?;
    Ok(converted)
}

pub(crate) fn keys_in(keys: Option<Vec<wit::SortKey>>) -> Vec<SortKey> {
    let key = |key: wit::SortKey| SortKey {
        column: key.column,
        descending: key.order == Some(wit::SortOrder::Descending),
    };
    keys.unwrap_or_default().into_iter().map(key).collect()
}

pub(crate) fn parsed_out(parsed: Parsed<Table>) -> wit::Parsed {
    let mut warnings = parsed.warnings;
    log_warnings("parse-numbers", warnings.len() + parsed.failures.len());
    if parsed.n_more_failures > 0 {
        let n_listed = parsed.failures.len();
        warnings.push(format!(
            "{} cells could not be parsed; `failures` has the first {n_listed}",
            n_listed + parsed.n_more_failures
        ));
    }
    let failures = parsed.failures.into_iter().map(|failure| wit::ParseFailure {
        // Row numbers have 32 bits, which was checked when the table was opened.
        row: failure.row_idx as u32,
        column: failure.column,
        text: failure.text,
        reason: failure.reason,
    });
    let units = parsed.units.into_iter().map(|unit| wit::ColumnUnit {
        factor: unit.factor().lexeme(),
        column: unit.column,
        unit: unit.unit.text,
        base: unit.unit.base,
        cells: unit.n_cells as u32,
    });
    wit::Parsed {
        failures: failures.collect(),
        units: units.collect(),
        data: parsed.table,
        warnings,
    }
}

/// Logs the number of warnings only. Their texts contain data of the user.
fn log_warnings(function: &str, n_warnings: usize) {
    if n_warnings > 0 {
        write(Level::Warn, &format!("{function}: {n_warnings} warnings given to the caller"));
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        match failure.kind {
            Kind::Argument => Error::InvalidArgument(failure.message),
            Kind::NotFound => Error::NotFound(failure.message),
            Kind::AlreadyExists => Error::AlreadyExists(failure.message),
            Kind::Quota => Error::Quota(failure.message),
            Kind::Other => Error::Other(failure.message),
        }
    }
}

/// Converts between two enums with the same cases.
macro_rules! same_cases {
    ($from:path => $to:path: $($case:ident),+) => {
        impl From<$from> for $to {
            fn from(value: $from) -> $to {
                match value {
                    $(<$from>::$case => <$to>::$case,)+
                }
            }
        }
    };
}

same_cases!(wit::Operator => Operator:
    Eq, Ne, Lt, Le, Gt, Ge, Contains, StartsWith, EndsWith, In, IsNull, NotNull);
same_cases!(wit::WindowFunction => WindowFunction:
    Sum, Mean, Min, Max, Count, Lag, Lead, Difference);
same_cases!(wit::DatePart => DatePart:
    Year, Quarter, Month, Week, Day, Weekday, Hour, YearQuarter, YearMonth, YearWeek);

impl From<wit::AggregateFunction> for Function {
    fn from(function: wit::AggregateFunction) -> Function {
        match function {
            wit::AggregateFunction::Sum => Function::Sum,
            wit::AggregateFunction::Mean => Function::Mean,
            wit::AggregateFunction::Min => Function::Min,
            wit::AggregateFunction::Max => Function::Max,
            wit::AggregateFunction::Count => Function::Count,
            wit::AggregateFunction::CountDistinct => Function::CountDistinct,
            wit::AggregateFunction::Median => Function::Median,
            wit::AggregateFunction::P10 => Function::Percentile(10),
            wit::AggregateFunction::P25 => Function::Percentile(25),
            wit::AggregateFunction::P75 => Function::Percentile(75),
            wit::AggregateFunction::P90 => Function::Percentile(90),
            wit::AggregateFunction::P95 => Function::Percentile(95),
            wit::AggregateFunction::P99 => Function::Percentile(99),
            wit::AggregateFunction::First => Function::First,
            wit::AggregateFunction::Last => Function::Last,
            wit::AggregateFunction::Stddev => Function::Stddev,
            wit::AggregateFunction::Rows => Function::Rows,
        }
    }
}
