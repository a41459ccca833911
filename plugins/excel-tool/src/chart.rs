//! Charts. Finds their columns by name.

use crate::bindings::exports::mitt::excel_tool::tools::ChartOptions;
use crate::bindings::mitt::host::render::{Chart, ChartKind, Stacking};
use crate::cells::Column;
use crate::facts::Facts;
use crate::problems::{Problems, unknown_column};

/// Returns the chart; `None` if it has problems. `place` is its path.
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
    let drawn = |list: &[String], what: &str, problems: &mut Problems| {
        let mut found = Vec::with_capacity(list.len());
        for (index, name) in list.iter().enumerate() {
            let place = format!("{place}.{what}[{index}]");
            let Some(column) = find(name, names, &place, problems) else { continue };
            if rows > 0 && !is_drawable(&columns[column].facts) {
                problems.add(&place, format!("expected a column of numbers, got `{name}`, which holds none; hint: kind `number`"));
            }
            found.push(column);
        }
        found
    };
    let value_columns = drawn(&options.values, "values", problems);
    let line_columns = drawn(options.lines.as_deref().unwrap_or_default(), "lines", problems);
    if !line_columns.is_empty() && options.kind != ChartKind::Column {
        problems.add(
            format!("{place}.lines"),
            "expected kind `column`, as lines are drawn over vertical bars",
        );
    }
    let stacking = options.stacking.unwrap_or(Stacking::None);
    let is_single = matches!(options.kind, ChartKind::Pie | ChartKind::Doughnut);
    if stacking != Stacking::None && (is_single || options.kind == ChartKind::Scatter) {
        problems.add(
            format!("{place}.stacking"),
            "expected kind `column`, `bar`, `line` or `area`, whose series can be stacked",
        );
    }
    if is_single && options.values.len() > 1 {
        let what =
            format!("expected exactly one column of values in a pie, got {}", options.values.len());
        problems.add(format!("{place}.values"), what);
    }
    let axes = options.axes.as_deref().unwrap_or_default();
    if axes.len() > 3 {
        problems.add(
            format!("{place}.axes"),
            format!("expected at most 3 titles: categories, values, second; got {}", axes.len()),
        );
    }
    if problems.count() > before {
        return None;
    }
    let title = |index: usize| axes.get(index).filter(|title| !title.is_empty()).cloned();
    let second_axis = is_apart(&value_columns, &line_columns, columns);
    let positions = |columns: Vec<usize>| columns.into_iter().map(position).collect();
    Some(Chart {
        kind: options.kind,
        title: options.title.clone().filter(|title| !title.is_empty()),
        category_column: position(category?),
        value_columns: positions(value_columns),
        first_row: 0,
        row_count: position(rows),
        stacking,
        line_columns: positions(line_columns),
        second_axis,
        category_title: title(0),
        value_title: title(1),
        second_title: title(2).filter(|_| second_axis),
    })
}

/// Returns `true` if the lines would lie flat on the axis of the bars, or the bars on that of the lines.
fn is_apart<T>(bars: &[usize], lines: &[usize], columns: &[Column<T>]) -> bool {
    let largest = |indices: &[usize]| {
        let ends =
            indices.iter().flat_map(|index| [columns[*index].facts.min, columns[*index].facts.max]);
        ends.flatten().map(|number| number.abs()).max().filter(|largest| !largest.is_zero())
    };
    match (largest(bars), largest(lines)) {
        (Some(bars), Some(lines)) => {
            let (least, most) = (bars.min(lines), bars.max(lines));
            most.checked_div(least).is_none_or(|times| times > rust_decimal::Decimal::TEN)
        }
        _ => false,
    }
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

/// Converts an index. 32 bits suffice: the guest is a 32-bit program.
fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
