//! One worksheet: from a table and its options to cells, formats, widths, totals and charts.

use crate::bindings::exports::mitt::excel_tool::tools::{ColumnKind, ColumnOptions, SheetInput};
use crate::bindings::mitt::host::render::{
    Alignment, RowStyle, Sheet, SheetCell, SheetColumn, SheetRow,
};
use crate::bindings::mitt::host::types::Table;
use crate::cells::{self, Column, Value};
use crate::problems::{Problems, quoted, unknown_column};
use crate::totals::{self, ColumnTotal};
use crate::{chart, number_format, width};

/// Where the caller wrote the parts of a sheet.
pub(crate) struct Place {
    /// `options.sheet_name` or `sheets[1].name`.
    pub(crate) name: String,
    /// `data` or `sheets[1].data`.
    pub(crate) data: String,
    /// What precedes the name of an option: `options.` or `sheets[1].`.
    pub(crate) options: String,
}

/// The sheet, unless something is wrong with it.
pub(crate) fn sheet(input: &SheetInput, place: &Place, problems: &mut Problems) -> Option<Sheet> {
    let before = problems.count();
    check_name(&input.name, &place.name, problems);
    check_table(&input.data, &place.data, problems);
    let columns_place = format!("{}columns", place.options);
    let options = by_column(
        input.columns.as_deref().unwrap_or_default(),
        &input.data.columns,
        &columns_place,
        problems,
    );
    let names = &input.data.columns;
    let kind =
        |index: usize| options[index].and_then(|options| options.kind).unwrap_or(ColumnKind::Auto);
    let mut columns: Vec<_> = (0..names.len())
        .map(|index| cells::column(&input.data, index, kind(index), &place.data, problems))
        .collect();
    cells::evaluate_formulas(&mut columns);
    let totals_place = format!("{}totals", place.options);
    let wanted = input.totals.as_deref().unwrap_or_default();
    let totals = totals::calculate(wanted, names, &columns, &totals_place, problems);
    let charts = input.charts.iter().flatten().enumerate().filter_map(|(index, options)| {
        chart::chart(
            options,
            names,
            &columns,
            &format!("{}charts[{index}]", place.options),
            problems,
        )
    });
    let charts = charts.collect();
    if problems.count() > before {
        return None;
    }
    let formats: Vec<_> = (0..names.len())
        .map(|index| {
            let total = totals.get(index).copied().flatten();
            format(&names[index], &columns[index], options[index], total)
        })
        .collect();
    let label = given(input.total_label.as_deref()).unwrap_or_else(|| totals::default_label(names));
    let total_cells = totals::cells(&totals, &formats, &columns, label);
    let sheet_columns = (0..names.len())
        .map(|index| SheetColumn {
            header: names[index].clone(),
            width: options[index].and_then(|options| options.width).unwrap_or_else(|| {
                fitting_width(
                    &names[index],
                    &columns[index],
                    formats[index].as_deref(),
                    total_cells.get(index),
                )
            }),
            number_format: formats[index].clone(),
            alignment: options[index]
                .and_then(|options| options.alignment)
                .unwrap_or(Alignment::General),
        })
        .collect();
    Some(Sheet {
        name: input.name.clone(),
        columns: sheet_columns,
        rows: rows(columns, total_cells, input.data.rows.len()),
        freeze_header: input.freeze_header.unwrap_or(true),
        auto_filter: input.auto_filter.unwrap_or(true),
        charts,
    })
}

/// A model that has nothing to say for an optional argument often says it with an empty string.
pub(crate) fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

fn check_name(name: &str, place: &str, problems: &mut Problems) {
    const FORBIDDEN: [char; 7] = ['[', ']', ':', '*', '?', '/', '\\'];
    let length = name.encode_utf16().count();
    if name.trim().is_empty() || length > 31 {
        problems
            .add(place, format!("expected 1 to 31 characters, got {} with {length}", quoted(name)));
    }
    if name.contains(FORBIDDEN) {
        problems
            .add(place, format!("expected a name without `[ ] : * ? / \\`, got {}", quoted(name)));
    }
    if name.starts_with('\'') || name.ends_with('\'') {
        problems.add(
            place,
            format!("expected a name that neither begins nor ends with `'`, got {}", quoted(name)),
        );
    }
    if name.eq_ignore_ascii_case("history") {
        problems.add(
            place,
            format!("expected a name that Excel does not reserve, got {}", quoted(name)),
        );
    }
}

fn check_table(table: &Table, place: &str, problems: &mut Problems) {
    if table.columns.is_empty() {
        problems.add(place, "expected at least one column, got none");
    }
    for (index, name) in table.columns.iter().enumerate() {
        if name.is_empty() {
            problems.add(
                format!("{place}.columns[{index}]"),
                "expected a column name, got an empty one",
            );
        } else if let Some(first) = table.columns[..index].iter().position(|other| other == name) {
            problems.add(
                format!("{place}.columns[{index}]"),
                format!(
                    "expected unique column names, got {} again after columns[{first}]",
                    quoted(name)
                ),
            );
        }
    }
    let wanted = table.columns.len();
    for (index, row) in table.rows.iter().enumerate() {
        if row.len() != wanted {
            let found = row.len();
            problems.add(
                format!("{place}.rows[{index}]"),
                format!("expected {wanted} cells, one per column, got {found}"),
            );
        }
    }
}

/// The options of each column, in the order of the columns.
fn by_column<'a>(
    options: &'a [ColumnOptions],
    names: &[String],
    place: &str,
    problems: &mut Problems,
) -> Vec<Option<&'a ColumnOptions>> {
    let mut found = vec![None; names.len()];
    for (index, option) in options.iter().enumerate() {
        let place = format!("{place}[{index}].column");
        match names.iter().position(|name| *name == option.column) {
            None => problems.add(place, unknown_column(&option.column, names)),
            Some(column) if found[column].is_some() => {
                problems
                    .add(place, format!("column {} has options already", quoted(&option.column)));
            }
            Some(column) => found[column] = Some(option),
        }
    }
    found
}

fn format(
    name: &str,
    column: &Column,
    options: Option<&ColumnOptions>,
    total: Option<ColumnTotal>,
) -> Option<String> {
    if let Some(format) = options.and_then(|options| given(options.number_format.as_deref())) {
        return Some(format.to_owned());
    }
    if column.kind == ColumnKind::Date {
        return Some(number_format::for_dates(column.has_time));
    }
    // Nothing is known of a value that only Excel can calculate; General shows it as it comes.
    if column.values.contains(&Value::Unknown) {
        return None;
    }
    let numbers = column.numbers();
    let format = number_format::automatic(name, &numbers, column.kind == ColumnKind::Formula)?;
    // A mean of whole numbers is rarely whole, and the format of the column would round it before the reader's eyes.
    match total.and_then(|total| total.number()).filter(|total| !total.fract().is_zero()) {
        Some(total) if !format.contains('.') => number_format::automatic("", &[total], true),
        _ => Some(format),
    }
}

fn fitting_width(
    name: &str,
    column: &Column,
    format: Option<&str>,
    total: Option<&SheetCell>,
) -> f64 {
    let content = column
        .cells
        .iter()
        .zip(&column.values)
        .map(|(cell, value)| cell_width(cell, *value, format))
        .max();
    let total = total.map_or(0, |cell| cell_width(cell, value_of(cell), format));
    width::column(width::text(name).max(content.unwrap_or(0)).max(total))
}

fn cell_width(cell: &SheetCell, value: Value, format: Option<&str>) -> usize {
    match (cell, value) {
        (_, Value::Number(number)) => width::number(number, format),
        (SheetCell::Empty, _) => 0,
        (SheetCell::Boolean(value), _) => {
            if *value {
                4
            } else {
                5
            }
        }
        (SheetCell::Number(lexeme), _) => width::text(lexeme),
        (SheetCell::Text(text), _) => width::text(text),
        (SheetCell::Link(link), _) => width::text(&link.text),
        (SheetCell::Date(text), _) => format.map_or_else(|| width::text(text), width::date),
        (SheetCell::Formula(formula), _) => width::text(&formula.value),
    }
}

/// The number in a cell of the totals row.
fn value_of(cell: &SheetCell) -> Value {
    let text = match cell {
        SheetCell::Formula(formula) => &formula.value,
        SheetCell::Number(lexeme) => lexeme,
        _ => return Value::Filled,
    };
    crate::number::decimal(text).map_or(Value::Unknown, Value::Number)
}

fn rows(columns: Vec<Column>, total_cells: Vec<SheetCell>, count: usize) -> Vec<SheetRow> {
    let width = columns.len();
    let mut columns: Vec<_> = columns.into_iter().map(|column| column.cells.into_iter()).collect();
    let mut rows = Vec::with_capacity(count + 1);
    for _ in 0..count {
        let mut cells = Vec::with_capacity(width);
        cells.extend(columns.iter_mut().filter_map(Iterator::next));
        rows.push(SheetRow { cells, style: RowStyle::Normal });
    }
    if !total_cells.is_empty() {
        rows.push(SheetRow { cells: total_cells, style: RowStyle::Total });
    }
    rows
}
