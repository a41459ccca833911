//! Charts, with columns found by name.

use crate::bindings::exports::mitt::excel_tool::tools::ChartOptions;
use crate::bindings::mitt::host::render::Chart;
use crate::cells::Column;
use crate::facts::Facts;
use crate::problems::{Problems, unknown_column};

/// The chart, unless something is wrong with it. `place` is its path.
pub(crate) fn chart<T>(
    options: &ChartOptions,
    names: &[String],
    columns: &[Column<T>],
    place: &str,
    problems: &mut Problems,
) -> Option<Chart> {
    let before = problems.count();
    let rows = columns.first().map_or(0, |column| column.facts.rows);
    if rows == 0 {
        problems.add(place, "expected data to draw, got no rows");
    }
    let category = find(&options.category, names, &format!("{place}.category"), problems);
    if options.values.is_empty() {
        problems.add(format!("{place}.values"), "expected at least one column of values, got none");
    }
    let mut value_columns = Vec::with_capacity(options.values.len());
    for (index, name) in options.values.iter().enumerate() {
        let place = format!("{place}.values[{index}]");
        let Some(column) = find(name, names, &place, problems) else { continue };
        if rows > 0 && !is_drawable(&columns[column].facts) {
            problems.add(&place, format!("expected a column of numbers, got `{name}`, which holds none; hint: kind `number`"));
        }
        value_columns.push(position(column));
    }
    if problems.count() > before {
        return None;
    }
    Some(Chart {
        kind: options.kind,
        title: options.title.clone().filter(|title| !title.is_empty()),
        category_column: position(category?),
        value_columns,
        first_row: 0,
        row_count: position(rows),
    })
}

fn is_drawable(facts: &Facts) -> bool {
    facts.numbers + facts.dates > 0 || facts.has_unknown
}

fn find(name: &str, names: &[String], place: &str, problems: &mut Problems) -> Option<usize> {
    let found = names.iter().position(|column| column == name);
    if found.is_none() {
        problems.add(place, unknown_column(name, names));
    }
    found
}

/// A 32-bit guest cannot hold more.
fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
