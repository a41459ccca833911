//! `filter`: keep the rows that fulfil conditions.

use super::column_text;
use crate::problem::{Failure, Problems};
use crate::table::{Cell, Lookup, Outcome, Table, place};
use std::cmp::Ordering;
use std::collections::HashSet;

/// See the WIT for what each means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Contains,
    StartsWith,
    EndsWith,
    In,
    IsNull,
    NotNull,
}

/// How conditions work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    And,
    Or,
}

/// A condition on a column.
pub(crate) struct Condition {
    pub(crate) column: String,
    pub(crate) operator: Operator,
    pub(crate) values: Vec<Cell>,
}

/// A condition that was found to make sense.
struct Test<'a> {
    column_idx: usize,
    operator: Operator,
    values: HashSet<&'a Cell>,
    /// The value of operators that take one; null for the others.
    value: &'a Cell,
}

pub(crate) fn filter(
    table: Table,
    conditions: &[Condition],
    combine: Combine,
) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let lookup = Lookup::new("data", &table);
    if conditions.is_empty() {
        problems.argument(|| "conditions: expected one condition at least, got none".to_owned());
    }
    let checked = conditions
        .iter()
        .enumerate()
        .map(|(i, condition)| check(i, condition, &lookup, &mut problems));
    let tests: Vec<Test<'_>> = checked.collect::<Vec<_>>().into_iter().flatten().collect();
    problems.check()?;
    let mut n_nulls = vec![0usize; tests.len()];
    let mut keep = Vec::with_capacity(table.rows.len());
    for (row_idx, row) in table.rows.iter().enumerate() {
        let mut n_fulfilled = 0;
        for (test, n_nulls) in tests.iter().zip(&mut n_nulls) {
            let cell = &row[test.column_idx];
            match test.holds(cell) {
                Some(holds) => n_fulfilled += usize::from(holds),
                None if cell.is_null() => *n_nulls += 1,
                None => problems.argument(|| {
                    test.mismatch(cell, &place("data", row_idx, &table.columns[test.column_idx]))
                }),
            }
        }
        keep.push(match combine {
            Combine::And => n_fulfilled == tests.len(),
            Combine::Or => n_fulfilled > 0,
        });
    }
    problems.check()?;
    let mut warnings = Vec::new();
    let mut warned = HashSet::new();
    for (test, n_nulls) in tests.iter().zip(n_nulls) {
        if n_nulls > 0 && warned.insert(test.column_idx) {
            let noun = if n_nulls == 1 { "row" } else { "rows" };
            let column = column_text(&table.columns[test.column_idx]);
            warnings.push(format!("{column} is null in {n_nulls} {noun}, for which no comparison holds; `is-null` finds them"));
        }
    }
    let rows: Vec<_> =
        table.rows.into_iter().zip(keep).filter_map(|(row, keep)| keep.then_some(row)).collect();
    if rows.is_empty() {
        warnings.push("no row is left".to_owned());
    }
    Ok(Outcome { table: Table { columns: table.columns, rows }, warnings })
}

fn check<'a>(
    i: usize,
    condition: &'a Condition,
    lookup: &Lookup<'_>,
    problems: &mut Problems,
) -> Option<Test<'a>> {
    let Condition { column, operator, values } = condition;
    let column_idx = lookup.find(&format!("conditions[{i}].column"), column, problems);
    let argument = || format!("conditions[{i}].values");
    let n_values = values.len();
    match operator {
        Operator::IsNull | Operator::NotNull if n_values != 0 => {
            problems.argument(|| {
                format!("{}: expected no value for this operator, got {n_values}", argument())
            });
        }
        Operator::IsNull | Operator::NotNull | Operator::In => {}
        _ if n_values != 1 => problems.argument(|| {
            format!("{}: expected one value for this operator, got {n_values}", argument())
        }),
        _ => {}
    }
    let is_textual =
        matches!(operator, Operator::Contains | Operator::StartsWith | Operator::EndsWith);
    for (j, value) in values.iter().enumerate() {
        let first = &values[0];
        if value.is_null() {
            problems.argument(|| {
                format!(
                    "{}[{j}]: expected a value, got null; `is-null` finds null cells",
                    argument()
                )
            });
        } else if is_textual && !matches!(value, Cell::Text(_)) {
            problems.argument(|| {
                format!(
                    "{}[{j}]: expected a text for this operator, got {}",
                    argument(),
                    value.show()
                )
            });
        } else if value.compare(first).is_none() && !first.is_null() {
            problems.argument(|| {
                format!(
                    "{}[{j}]: expected a {} like the first value, got {}",
                    argument(),
                    first.type_name(),
                    value.show()
                )
            });
        }
    }
    Some(Test {
        column_idx: column_idx?,
        operator: *operator,
        values: values.iter().collect(),
        value: values.first().unwrap_or(&Cell::Null),
    })
}

impl Test<'_> {
    /// Whether a cell fulfils the condition; none when it cannot be compared.
    fn holds(&self, cell: &Cell) -> Option<bool> {
        let order = || cell.compare(self.value);
        Some(match self.operator {
            Operator::IsNull => cell.is_null(),
            Operator::NotNull => !cell.is_null(),
            Operator::In if self.value.is_null() => false,
            Operator::In => order().map(|_| self.values.contains(cell))?,
            Operator::Eq => order()? == Ordering::Equal,
            Operator::Ne => order()? != Ordering::Equal,
            Operator::Lt => order()? == Ordering::Less,
            Operator::Le => order()? != Ordering::Greater,
            Operator::Gt => order()? == Ordering::Greater,
            Operator::Ge => order()? != Ordering::Less,
            Operator::Contains | Operator::StartsWith | Operator::EndsWith => {
                let (Cell::Text(text), Cell::Text(value)) = (cell, self.value) else { return None };
                match self.operator {
                    Operator::Contains => text.contains(&**value),
                    Operator::StartsWith => text.starts_with(&**value),
                    _ => text.ends_with(&**value),
                }
            }
        })
    }

    fn mismatch(&self, cell: &Cell, place: &str) -> String {
        format!(
            "{place}: expected a {} to compare with {}, got {}",
            self.value.type_name(),
            self.value.show(),
            cell.show()
        )
    }
}
