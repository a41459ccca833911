//! The totals row: live formulas, and their exact values.

use crate::bindings::exports::mitt::excel_tool::tools::{ColumnKind, Total, TotalFunction};
use crate::bindings::mitt::host::render::{Formula, SheetCell};
use crate::cells::Column;
use crate::column::Origin;
use crate::facts::Facts;
use crate::problems::{Problems, unknown_column};
use rust_decimal::Decimal;

/// The total of one column.
#[derive(Clone, Copy)]
pub(crate) struct ColumnTotal {
    function: TotalFunction,
    result: Outcome,
}

#[derive(Clone, Copy)]
enum Outcome {
    Value(Decimal),
    /// Only Excel can calculate a value.
    Unknown,
    /// There are no numbers. Excel would show `#DIV/0!`, or 0 for the smallest one.
    Nothing,
}

impl ColumnTotal {
    /// Returns the value if it is shown in the number format of the column.
    pub(crate) fn number(&self) -> Option<Decimal> {
        match self.result {
            Outcome::Value(value) if self.function != TotalFunction::Count => Some(value),
            _ => None,
        }
    }
}

/// Calculates the totals: one entry per column; an empty list without a totals row.
pub(crate) fn calculate<T>(
    wanted: &[Total],
    names: &[String],
    columns: &[Column<T>],
    place: &str,
    problems: &mut Problems,
) -> Vec<Option<ColumnTotal>> {
    let mut totals = vec![None; if wanted.is_empty() { 0 } else { names.len() }];
    for (index, total) in wanted.iter().enumerate() {
        let Some(column) = names.iter().position(|name| *name == total.column) else {
            problems.add(format!("{place}[{index}].column"), unknown_column(&total.column, names));
            continue;
        };
        if totals[column].is_some() {
            problems.add(
                format!("{place}[{index}].column"),
                format!("column `{}` has a total already", total.column),
            );
            continue;
        }
        match outcome(total.function, &columns[column].facts) {
            Ok(result) => totals[column] = Some(ColumnTotal { function: total.function, result }),
            Err(problem) => {
                problems.add(
                    format!("{place}[{index}].function"),
                    format!("column `{}` {problem}", total.column),
                );
            }
        }
    }
    totals
}

fn outcome(function: TotalFunction, facts: &Facts) -> Result<Outcome, String> {
    if function == TotalFunction::Count {
        // A formula fills its cell, even if its value is empty.
        return Ok(Outcome::Value(Decimal::from(facts.filled)));
    }
    let adds = matches!(function, TotalFunction::Sum | TotalFunction::Average);
    if adds && facts.dates > 0 {
        return Err(format!(
            "holds dates, which cannot be added; expected `min`, `max` or `count`, got `{}`",
            name(function)
        ));
    }
    // Excel would silently omit this number from the total, because it is text there.
    if let Some(row) = facts.too_long {
        return Err(format!(
            "holds a number in row {row} whose digits a cell of Excel does not hold, so that it is text there; hint: round it, or leave \
             the total out"
        ));
    }
    if facts.has_unknown {
        return Ok(Outcome::Unknown);
    }
    let count = facts.numbers + facts.dates;
    if count == 0 && facts.filled > 0 {
        return Err(format!(
            "holds no numbers, which `{}` needs; hint: give numbers as numbers, or kind `number`",
            name(function)
        ));
    }
    let value = match function {
        TotalFunction::Sum => facts.sum,
        _ if count == 0 => return Ok(Outcome::Nothing),
        TotalFunction::Average => facts.sum.and_then(|sum| sum.checked_div(Decimal::from(count))),
        TotalFunction::Min => facts.min,
        TotalFunction::Max => facts.max,
        TotalFunction::Count => unreachable!("counted above"),
    };
    // A sum of more than 28 digits is left to Excel.
    Ok(value.map_or(Outcome::Unknown, |value| Outcome::Value(value.normalize())))
}

fn name(function: TotalFunction) -> &'static str {
    match function {
        TotalFunction::Sum => "sum",
        TotalFunction::Average => "average",
        TotalFunction::Min => "min",
        TotalFunction::Max => "max",
        TotalFunction::Count => "count",
    }
}

/// Returns the cells of the totals row.
pub(crate) fn cells<T>(
    totals: &[Option<ColumnTotal>],
    formats: &[Option<String>],
    columns: &[Column<T>],
    label: &str,
    origin: Origin,
) -> Vec<SheetCell> {
    let label_column = totals.iter().position(Option::is_none);
    let cell = |(index, total): (usize, &Option<ColumnTotal>)| match total {
        Some(total) => total_cell(total, index, formats[index].as_deref(), &columns[index], origin),
        None if Some(index) == label_column => SheetCell::Text(label.to_owned()),
        None => SheetCell::Empty,
    };
    totals.iter().enumerate().map(cell).collect()
}

fn total_cell<T>(
    total: &ColumnTotal,
    index: usize,
    format: Option<&str>,
    column: &Column<T>,
    origin: Origin,
) -> SheetCell {
    let rows = column.facts.rows;
    let value = match total.result {
        Outcome::Value(value) => value.to_string(),
        Outcome::Unknown => String::new(),
        Outcome::Nothing => return SheetCell::Empty,
    };
    if rows == 0 {
        // Without rows, the range would be the totals row itself.
        return SheetCell::Number(value);
    }
    // The functions above 100 also ignore rows that the user hides; 103 counts every filled cell.
    let code = match total.function {
        TotalFunction::Sum => 109,
        TotalFunction::Average => 101,
        TotalFunction::Min => 105,
        TotalFunction::Max => 104,
        TotalFunction::Count => 103,
    };
    let letters = origin.letters(index);
    let range = format!("{letters}{}:{letters}{}", origin.excel_row(0), origin.excel_row(rows - 1));
    let subtotal = format!("SUBTOTAL({code},{range})");
    // A count in the format of its column would read `1900-01-05` or `500%`.
    let is_plain = matches!(format, None | Some("0" | "#,##0")) && column.kind != ColumnKind::Date;
    let expression = match total.function {
        TotalFunction::Count if !is_plain => format!("=TEXT({subtotal},\"0\")"),
        _ => format!("={subtotal}"),
    };
    SheetCell::Formula(Formula { expression, value })
}

/// Returns `Total` in the language of the headers.
pub(crate) fn default_label(names: &[String]) -> &'static str {
    let any = |is_wanted: fn(char) -> bool| names.iter().any(|name| name.contains(is_wanted));
    // Japanese headers have Chinese characters too, but rarely without kana.
    if any(|c| matches!(c, '\u{3040}'..='\u{30ff}')) {
        "合計"
    } else if any(|c| matches!(c, '\u{4e00}'..='\u{9fff}')) {
        "合计"
    } else {
        "Total"
    }
}
