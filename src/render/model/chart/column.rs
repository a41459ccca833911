//! Builds a chart from the columns of a table: selects the column of categories and those of values, and finds number
//! formats.

use super::cell::{Cell, Number, cell};
use super::description::{
    ChartDescription, ChartRole, ChartSeries, ChartShape, ChartValue, MAX_CHART_POINTS,
    MAX_CHART_SERIES,
};
use super::format::{ChartFormat, NumberStyle};
use mitt_base::{Error, ErrorKind, Result, text};

/// Most problems of cells in an error for a column; the others are counted.
const MAX_LISTED: usize = 3;

/// A column of a table as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartColumn {
    /// Its name.
    pub name: String,
    /// Cells. Numbers may have commas, currencies, units, `%`, 万 and 亿; empty cells and `-` are gaps.
    pub cells: Vec<String>,
}

/// Options for a chart of a table. Default: a column chart of all columns with numbers, over the first column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartWanted {
    /// The chart without its data. Formats that are not set are found from the columns.
    pub chart: ChartDescription,
    /// Name of the column of categories, or of x values in a scatter chart. Default: the first one.
    pub category: Option<String>,
    /// Names of the columns with values. Default: all others that consist of numbers.
    pub values: Vec<String>,
    /// Names of columns that are drawn as lines over the columns.
    pub lines: Vec<String>,
    /// Names of columns that are drawn as lines on a second axis.
    pub second: Vec<String>,
    /// Draws the last column as a line on the second axis, if no column is named for it.
    pub is_combined: bool,
}

/// Numbers of a column, and their notation.
struct ParsedColumn {
    values: Vec<Option<ChartValue>>,
    prefix: String,
    suffix: String,
}

impl ChartWanted {
    /// Returns the chart of these columns.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - all problems with their places: a column that does not exist, cells that are not numbers,
    /// different units in a column, and those of [`ChartDescription::check`].
    pub fn describe(&self, columns: &[ChartColumn]) -> Result<ChartDescription> {
        let mut problems = Vec::new();
        let chosen = self.choose(columns, &mut problems);
        let mut chart = self.chart.clone();
        let mut parsed = Vec::new();
        if let Some((category, series)) = chosen {
            chart.categories =
                columns[category].cells.iter().map(|it| it.trim().to_owned()).collect();
            if chart.kind == ChartShape::Scatter {
                let read = read(&columns[category], &mut problems);
                if chart.x_format == ChartFormat::default() {
                    chart.x_format = x_format(&columns[category].name, &read);
                }
                chart.x = read.values;
            }
            if chart.category_title.is_none() && chart.kind == ChartShape::Scatter {
                chart.category_title = title_of(&columns[category].name);
            }
            for (index, role) in series {
                let read = read(&columns[index], &mut problems);
                let name = columns[index].name.trim().to_owned();
                chart.series.push(ChartSeries { name, values: read.values.clone(), role });
                parsed.push((role, read));
            }
        }
        if !problems.is_empty() {
            let message = match &problems[..] {
                [one] => format!("chart: {one}"),
                many => format!("chart: {} problems", many.len()),
            };
            let error = Error::new(ErrorKind::Arguments, message);
            return Err(match problems.len() {
                1 => error,
                _ => problems.into_iter().fold(error, Error::detail),
            });
        }
        formats(&mut chart, &parsed);
        value_titles(&mut chart);
        chart.check()?;
        Ok(chart)
    }

    /// Returns the indices of the column of categories and of the series.
    fn choose(
        &self,
        columns: &[ChartColumn],
        problems: &mut Vec<String>,
    ) -> Option<(usize, Vec<(usize, ChartRole)>)> {
        let cells: usize = columns.iter().map(|column| column.cells.len()).sum();
        if columns.is_empty() || cells == 0 {
            problems.push("data: expected a table with at least one row, got none".into());
            return None;
        }
        let find = |place: &str, name: &str, problems: &mut Vec<String>| {
            let found = columns.iter().position(|column| column.name.trim() == name.trim());
            if found.is_none() {
                let names: Vec<_> = columns
                    .iter()
                    .map(|column| format!("`{}`", text::cut_bytes(column.name.trim(), 60)))
                    .collect();
                problems.push(format!(
                    "{place}: no column `{}`; there are {}",
                    text::cut_bytes(name.trim(), 60),
                    names.get(..names.len().min(30)).unwrap_or_default().join(", ")
                ));
            }
            found
        };
        let category = match &self.category {
            Some(name) => find("category", name, problems)?,
            None => 0,
        };
        let lists = [
            ("values", &self.values, ChartRole::Main),
            ("lines", &self.lines, ChartRole::Line),
            ("second", &self.second, ChartRole::Second),
        ];
        let mut chosen: Vec<(usize, ChartRole)> = Vec::new();
        for (place, names, role) in lists {
            for name in names.iter().take(MAX_CHART_SERIES + 1) {
                let Some(index) = find(place, name, problems) else { continue };
                let is_main = role == ChartRole::Main;
                match chosen.iter_mut().find(|(it, _)| *it == index) {
                    // A column that is named both as a value and as a line is a line.
                    Some((_, is)) if !is_main && *is == ChartRole::Main => *is = role,
                    Some(_) => problems
                        .push(format!("{place}: `{}` is named twice", text::cut_bytes(name, 60))),
                    None => chosen.push((index, role)),
                }
            }
        }
        if self.values.is_empty() {
            let taken: Vec<usize> = chosen.iter().map(|(index, _)| *index).collect();
            let rest =
                (0..columns.len()).filter(|index| *index != category && !taken.contains(index));
            let mut main: Vec<_> = rest
                .filter(|index| has_numbers(&columns[*index]))
                .map(|index| (index, ChartRole::Main))
                .collect();
            main.append(&mut chosen);
            chosen = main;
        }
        let is_plain = chosen.iter().all(|(_, role)| *role == ChartRole::Main);
        if let [_, .., (_, role)] = &mut chosen[..]
            && self.is_combined
            && is_plain
        {
            *role = ChartRole::Second;
        }
        let points: usize = chosen.iter().map(|(index, _)| columns[*index].cells.len()).sum();
        if chosen.is_empty() && problems.is_empty() {
            problems.push("values: no column besides the first consists of numbers".into());
        }
        if points > MAX_CHART_POINTS {
            problems.push(format!(
                "values: expected at most {MAX_CHART_POINTS}, got {points}; aggregate them first"
            ));
            return None;
        }
        Some((category, chosen))
    }
}

/// Returns `true` if a column consists of numbers: no text, and not only gaps.
fn has_numbers(column: &ChartColumn) -> bool {
    let mut has_any = false;
    column.cells.iter().all(|text| match cell(text) {
        Cell::Gap => true,
        Cell::Number(_) => {
            has_any = true;
            true
        }
        Cell::Text => false,
    }) && has_any
}

/// Returns the numbers of a column, which must have the same unit.
fn read(column: &ChartColumn, problems: &mut Vec<String>) -> ParsedColumn {
    let mut numbers: Vec<Option<Number>> = Vec::with_capacity(column.cells.len());
    let mut wrong = 0_usize;
    let name = text::cut_bytes(column.name.trim(), 60);
    let mut add_problem = |problems: &mut Vec<String>, row: usize, what: String| {
        wrong += 1;
        if wrong <= MAX_LISTED {
            problems.push(format!("column `{name}`, row {}: {what}", row + 1));
        }
    };
    for (row, text) in column.cells.iter().enumerate() {
        numbers.push(match cell(text) {
            Cell::Gap => None,
            Cell::Number(number) => Some(number),
            Cell::Text => {
                let got = text::cut_bytes(text.trim(), 40).replace('`', " ");
                add_problem(problems, row, format!("expected a number, got `{got}`"));
                None
            }
        });
    }
    let mut prefix = String::new();
    let mut suffix: Option<String> = None;
    for (row, number) in numbers.iter().enumerate() {
        let Some(number) = number else { continue };
        if prefix.is_empty() {
            prefix.clone_from(&number.prefix);
        }
        // A zero needs no unit.
        let is_bare_zero = number.value == 0.0 && number.suffix.is_empty();
        match &suffix {
            None if !is_bare_zero => suffix = Some(number.suffix.clone()),
            Some(unit) if *unit != number.suffix && !is_bare_zero => {
                let (got, want) = (shown(&number.suffix), shown(unit));
                add_problem(
                    problems,
                    row,
                    format!("expected {want} as in the rows above, got {got}"),
                );
            }
            _ => {}
        }
        if !number.prefix.is_empty() && number.prefix != prefix {
            add_problem(
                problems,
                row,
                format!("expected `{prefix}` as in the rows above, got `{}`", number.prefix),
            );
        }
    }
    if wrong > MAX_LISTED {
        problems.push(format!("column `{name}`: {} more", wrong - MAX_LISTED));
    }
    let values = numbers.into_iter().map(|number| ChartValue::new(number?.value)).collect();
    ParsedColumn { values, prefix, suffix: suffix.unwrap_or_default() }
}

fn shown(unit: &str) -> String {
    if unit.is_empty() { "no unit".into() } else { format!("the unit `{unit}`") }
}

/// Sets the formats of axes that have none, if all series of an axis agree.
fn formats(chart: &mut ChartDescription, parsed: &[(ChartRole, ParsedColumn)]) {
    for is_second in [false, true] {
        let on_axis = |role: ChartRole| (role == ChartRole::Second) == is_second;
        let of_axis: Vec<_> =
            parsed.iter().filter(|(role, _)| on_axis(*role)).map(|(_, read)| read).collect();
        let Some(first) = of_axis.first() else { continue };
        let is_percent = of_axis.iter().all(|read| read.suffix == "%");
        let format = if is_second { &chart.second_format } else { &chart.format };
        let is_given = *format != ChartFormat::default();
        let names =
            chart.series.iter().filter(|series| on_axis(series.role)).map(|series| &*series.name);
        let unit =
            names.clone().map(unit_of).reduce(|a, b| if a == b { a } else { None }).flatten();
        let names: Vec<&str> = names.collect();
        let values = || {
            of_axis.iter().flat_map(|read| read.values.iter().flatten()).map(|value| value.get())
        };
        let found = if is_percent
            || (is_given && format.style == NumberStyle::Percent && unit.as_deref() == Some("%"))
        {
            ChartFormat { style: NumberStyle::Percent, ..ChartFormat::default() }
        } else if unit.as_deref() == Some("%") {
            ChartFormat { suffix: "%".into(), ..ChartFormat::default() }
        } else if unit.as_deref().is_some_and(names_a_power) {
            ChartFormat { style: NumberStyle::Thousands, ..ChartFormat::default() }
        } else if names.iter().all(|name| is_share(name))
            && values().all(|value| value.abs() <= 1.5)
            && values().any(|value| value.fract() != 0.0)
        {
            ChartFormat { style: NumberStyle::Percent, ..ChartFormat::default() }
        } else {
            let same = |get: fn(&ParsedColumn) -> &String| {
                if of_axis.iter().all(|read| get(read) == get(first)) {
                    get(first).clone()
                } else {
                    String::new()
                }
            };
            let (prefix, suffix) = (same(|read| &read.prefix), same(|read| &read.suffix));
            ChartFormat { prefix, suffix, ..ChartFormat::default() }
        };
        // From here on, `12%` is 0.12.
        if is_percent || (found.style == NumberStyle::Percent && unit.as_deref() == Some("%")) {
            for series in chart.series.iter_mut().filter(|series| on_axis(series.role)) {
                for value in series.values.iter_mut().flatten() {
                    *value = hundredth(value.get()).unwrap_or(*value);
                }
            }
        }
        if !is_given {
            let place = if is_second { &mut chart.second_format } else { &mut chart.format };
            *place = found;
        }
    }
}

/// Sets titles of value axes that have none: the name of the only series, or the unit that all series name.
fn value_titles(chart: &mut ChartDescription) {
    if matches!(chart.kind, ChartShape::Pie | ChartShape::Doughnut) {
        return;
    }
    for is_second in [false, true] {
        let on_axis = chart.series.iter().filter(|it| (it.role == ChartRole::Second) == is_second);
        let names: Vec<&str> = on_axis.map(|series| &*series.name).collect();
        let units = names.iter().map(|name| unit_of(name));
        let title = match &names[..] {
            [one] => title_of(one),
            _ => units.reduce(|a, b| if a == b { a } else { None }).flatten(),
        };
        let place = if is_second { &mut chart.second_title } else { &mut chart.value_title };
        // A title equal to that of the chart would be a repetition.
        if place.is_none() && title != chart.title && title.as_deref() != Some("%") {
            *place = title;
        }
    }
}

fn title_of(name: &str) -> Option<String> {
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns the unit in brackets at the end of a name: `收入（万元）`, `Growth (%)`.
fn unit_of(name: &str) -> Option<String> {
    let name = name.trim().strip_suffix([')', '）'])?;
    let (_, unit) = name.rsplit_once(['(', '（'])?;
    let unit = unit
        .trim()
        .trim_start_matches("单位")
        .trim_start_matches([':', '：'])
        .trim()
        .replace('％', "%");
    (!unit.is_empty() && unit.chars().count() <= 12).then_some(unit)
}

/// Returns `true` if a unit already contains a power of ten: 万元, 亿, million.
fn names_a_power(unit: &str) -> bool {
    let lower = unit.to_ascii_lowercase();
    let words = ["million", "billion", "thousand", "mn", "bn", "'000", "000s"];
    unit.contains(['万', '亿', '千', '百'])
        || words.iter().any(|word| lower.contains(word))
        || lower.ends_with('m') && !unit.chars().next().is_some_and(char::is_alphabetic)
        || lower.ends_with('k') && !unit.chars().next().is_some_and(char::is_alphabetic)
}

/// Returns `true` if a column of this name, with values around or below one, contains shares.
fn is_share(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_named = ["占比", "比例", "份额", "比重", "percent", "share", "margin"]
        .iter()
        .any(|word| lower.contains(word));
    let ends = |word: &str| lower.split(['(', '（', ' ']).any(|part| part == word);
    is_named
        || (lower.contains('率')
            && !["汇率", "速率", "频率", "功率", "倍率"].iter().any(|word| lower.contains(word)))
        || (ends("rate") && !lower.contains("exchange"))
        || ends("growth")
}

/// Returns the format of x values: years have no commas.
fn x_format(name: &str, parsed: &ParsedColumn) -> ChartFormat {
    let is_year = |value: &ChartValue| {
        value.get().fract() == 0.0 && (1_500.0..=2_200.0).contains(&value.get())
    };
    if parsed.suffix.is_empty() && parsed.values.iter().flatten().all(is_year) {
        return ChartFormat { style: NumberStyle::Plain, ..ChartFormat::default() };
    }
    if unit_of(name).is_some_and(|unit| names_a_power(&unit)) {
        ChartFormat { style: NumberStyle::Thousands, ..ChartFormat::default() }
    } else {
        ChartFormat {
            prefix: parsed.prefix.clone(),
            suffix: parsed.suffix.clone(),
            ..ChartFormat::default()
        }
    }
}

/// Returns a hundredth of a value, as it would be read from a text: 0.216 for 21.6, where a division gives 0.21600000000000003.
fn hundredth(value: f64) -> Option<ChartValue> {
    ChartValue::new(format!("{value}e-2").parse().ok()?)
}
