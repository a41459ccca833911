//! Between the types of the component's interface and the model. Knows no operation's meaning.

use crate::aggregate::Function;
use crate::bindings::exports::mitt::table_tool::tools as wit;
use crate::bindings::mitt::host::log::{Level, write};
use crate::bindings::mitt::host::types::{Cell as WitCell, Error, Table as WitTable};
use crate::number::Number;
use crate::ops::{Condition, Operator, Parsed};
use crate::problem::{Failure, Kind, Problems};
use crate::table::{Cell, Outcome, Table};

/// A foreign table as a model, or all that is wrong with it.
pub(crate) fn table_in(name: &str, table: WitTable) -> Result<Table, Error> {
    let mut problems = begin();
    let table = Table::check(name, table.columns, table.rows, cell_in, &mut problems);
    problems.check()?;
    Ok(table)
}

/// Two tables, so that the problems of both are reported.
pub(crate) fn tables_in(
    one: (&str, WitTable),
    two: (&str, WitTable),
) -> Result<(Table, Table), Error> {
    let mut problems = begin();
    let mut check = |(name, table): (&str, WitTable)| {
        Table::check(name, table.columns, table.rows, cell_in, &mut problems)
    };
    let tables = (check(one), check(two));
    problems.check()?;
    Ok(tables)
}

pub(crate) fn conditions_in(conditions: Vec<wit::Condition>) -> Result<Vec<Condition>, Error> {
    let mut problems = begin();
    let mut converted = Vec::with_capacity(conditions.len());
    for (i, condition) in conditions.into_iter().enumerate() {
        let mut values = Vec::with_capacity(condition.values.len());
        for (j, value) in condition.values.into_iter().enumerate() {
            match cell_in(value) {
                Ok(value) => values.push(value),
                Err(text) => problems.argument(|| format!("conditions[{i}].values[{j}]: {text}")),
            }
        }
        converted.push(Condition {
            column: condition.column,
            operator: condition.operator.into(),
            values,
        });
    }
    problems.check()?;
    Ok(converted)
}

/// The outcome of an operation for the caller; what a person should know of it goes to the log, too.
pub(crate) fn finish(
    function: &str,
    result: Result<Outcome, Failure>,
) -> Result<wit::Outcome, Error> {
    let Outcome { table, warnings } = result?;
    log_warnings(function, warnings.len());
    Ok(wit::Outcome { data: table_out(table), warnings })
}

pub(crate) fn parsed_out(parsed: Parsed) -> wit::Parsed {
    log_warnings("parse-numbers", parsed.warnings.len() + parsed.failures.len());
    let failures = parsed.failures.into_iter().map(|failure| wit::ParseFailure {
        // A table has at most a million cells.
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
        data: table_out(parsed.table),
        warnings: parsed.warnings,
    }
}

/// Every exported function converts its arguments first, so that this is where a call begins.
fn begin() -> Problems {
    mitt_guest::report_panics();
    Problems::default()
}

/// The texts hold the user's data and are for the caller only; the operator learns how many there are.
fn log_warnings(function: &str, n_warnings: usize) {
    if n_warnings > 0 {
        write(Level::Warn, &format!("{function}: {n_warnings} warnings given to the caller"));
    }
}

fn cell_in(cell: WitCell) -> Result<Cell, String> {
    Ok(match cell {
        WitCell::Null => Cell::Null,
        WitCell::Boolean(value) => Cell::Boolean(value),
        WitCell::Number(lexeme) => Cell::Number(Number::from_json(&lexeme)?),
        WitCell::Text(text) => Cell::Text(text.into()),
    })
}

fn table_out(table: Table) -> WitTable {
    let cell_out = |cell| match cell {
        Cell::Null => WitCell::Null,
        Cell::Boolean(value) => WitCell::Boolean(value),
        Cell::Number(number) => WitCell::Number(number.lexeme()),
        Cell::Text(text) => WitCell::Text(text.to_string()),
    };
    let rows = table.rows.into_iter().map(|row| row.into_iter().map(cell_out).collect());
    WitTable { columns: table.columns, rows: rows.collect() }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        match failure.kind {
            Kind::Argument => Error::InvalidArgument(failure.message),
            Kind::NotFound => Error::NotFound(failure.message),
            Kind::AlreadyExists => Error::AlreadyExists(failure.message),
        }
    }
}

impl From<wit::Operator> for Operator {
    fn from(operator: wit::Operator) -> Operator {
        match operator {
            wit::Operator::Eq => Operator::Eq,
            wit::Operator::Ne => Operator::Ne,
            wit::Operator::Lt => Operator::Lt,
            wit::Operator::Le => Operator::Le,
            wit::Operator::Gt => Operator::Gt,
            wit::Operator::Ge => Operator::Ge,
            wit::Operator::Contains => Operator::Contains,
            wit::Operator::StartsWith => Operator::StartsWith,
            wit::Operator::EndsWith => Operator::EndsWith,
            wit::Operator::In => Operator::In,
            wit::Operator::IsNull => Operator::IsNull,
            wit::Operator::NotNull => Operator::NotNull,
        }
    }
}

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
            wit::AggregateFunction::First => Function::First,
            wit::AggregateFunction::Last => Function::Last,
            wit::AggregateFunction::Stddev => Function::Stddev,
            wit::AggregateFunction::Rows => Function::Rows,
        }
    }
}
