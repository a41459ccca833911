//! One worksheet: makes cells, formats, widths, totals and charts from tables and their options.

use crate::bindings::exports::mitt::excel_tool::tools::{
    ChartOptions, ColumnKind, ColumnOptions, Total,
};
use crate::bindings::mitt::host::render::{
    Alignment, CellNote, Chart, DefinedName, InputRule, PageSetup, Protection, RowStyle, Rule,
    SheetCell, SheetColumn, SheetRow, SheetStyle, ShownAs, Sparklines, TableColumn,
};
use crate::cells::{self, Column, Failed, Look};
use crate::column::{self, Origin};
use crate::design::{self, Design};
use crate::facts::Value;
use crate::problems::{Problems, quoted, unknown_column};
use crate::totals::{self, ColumnTotal};
use crate::{calculated, chart, number_format, width};
use mitt_guest::tables::Source;

/// A table and its options from the caller.
pub(crate) struct Wanted<'a, T> {
    pub(crate) data: &'a T,
    pub(crate) title: Option<&'a str>,
    pub(crate) at: Option<&'a str>,
    pub(crate) columns: Option<&'a [ColumnOptions]>,
    pub(crate) totals: Option<&'a [Total]>,
    pub(crate) total_label: Option<&'a str>,
    pub(crate) charts: Option<&'a [ChartOptions]>,
    pub(crate) design: Option<&'a [String]>,
}

/// A sheet and its options from the caller.
pub(crate) struct Input<'a, T> {
    pub(crate) name: &'a str,
    /// At least one.
    pub(crate) tables: Vec<Wanted<'a, T>>,
    pub(crate) freeze_header: Option<bool>,
    pub(crate) auto_filter: Option<bool>,
}

/// The paths of the parts of a sheet in the arguments, for messages.
pub(crate) struct Place {
    /// For each table its path (`data`, `sheets[1].data`), and the prefix of its options (`options.`, `sheets[1].`).
    pub(crate) tables: Vec<(String, String)>,
}

/// A worksheet for the host to write.
#[derive(Debug)]
pub(crate) struct Sheet<T> {
    pub(crate) name: String,
    pub(crate) blocks: Vec<Block<T>>,
    pub(crate) freeze_header: bool,
    pub(crate) auto_filter: bool,
    pub(crate) style: SheetStyle,
    pub(crate) accent: Option<u32>,
    pub(crate) page: PageSetup,
    pub(crate) protection: Option<Protection>,
    pub(crate) pictures: Vec<design::Picture>,
    pub(crate) names: Vec<DefinedName>,
}

/// A table in a worksheet.
#[derive(Debug)]
pub(crate) struct Block<T> {
    pub(crate) row: u32,
    pub(crate) column: u32,
    pub(crate) title: Option<String>,
    pub(crate) columns: Vec<SheetColumn>,
    pub(crate) table: T,
    pub(crate) shown: Vec<TableColumn>,
    pub(crate) rows: Vec<SheetRow>,
    pub(crate) charts: Vec<Chart>,
    pub(crate) table_name: Option<String>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) inputs: Vec<InputRule>,
    pub(crate) sparklines: Vec<Sparklines>,
    pub(crate) notes: Vec<CellNote>,
}

/// Returns the sheet; `None` if it has problems.
pub(crate) fn sheet<T: Source>(
    input: &Input<'_, T>,
    place: &Place,
    problems: &mut Problems,
) -> Result<Option<Sheet<T>>, Failed> {
    let before = problems.count();
    let mut blocks: Vec<Block<T>> = Vec::new();
    let mut whole = Design::default();
    let mut next = (0, 0);
    for (wanted, (data, options)) in input.tables.iter().zip(&place.tables) {
        let (column, row) = match given(wanted.at) {
            None => next,
            Some(at) => column::cell(at).unwrap_or_else(|| {
                let what = format!("expected a cell such as `H1`, got {}", quoted(at));
                problems.add(format!("{options}at"), what);
                next
            }),
        };
        let title = given(wanted.title).map(str::to_owned);
        let origin = Origin { header: row + usize::from(title.is_some()), column };
        let names: Vec<String> =
            wanted.data.columns().into_iter().map(|column| column.name).collect();
        let about = design::About {
            names: &names,
            origin,
            rows: wanted.data.rows() as usize,
            sheet: input.name,
        };
        let lines = wanted.design.unwrap_or_default();
        let mut design = design::read(lines, &about, &format!("{options}design"), problems);
        let made = block(wanted, (data, options), origin, &mut design, problems)?;
        // An empty row separates two tables.
        let totals = usize::from(wanted.totals.is_some_and(|totals| !totals.is_empty()));
        next = (column, origin.header + 2 + wanted.data.rows() as usize + totals);
        blocks.extend(made.map(|made| Block { row: row as u32, title, ..made }));
        if wanted.design.is_some() {
            whole = design;
        }
    }
    Ok((problems.count() == before).then(|| Sheet {
        name: input.name.to_owned(),
        blocks,
        freeze_header: input.freeze_header.unwrap_or(true),
        auto_filter: input.auto_filter.unwrap_or(true),
        style: whole.style,
        accent: whole.accent,
        page: whole.page,
        protection: whole.protection,
        pictures: whole.pictures,
        names: whole.names,
    }))
}

/// Returns a table; `None` if it has problems. The caller sets its origin and title.
fn block<T: Source>(
    wanted: &Wanted<'_, T>,
    (data, place): (&str, &str),
    origin: Origin,
    design: &mut Design,
    problems: &mut Problems,
) -> Result<Option<Block<T>>, Failed> {
    let before = problems.count();
    let names: Vec<String> = wanted.data.columns().into_iter().map(|column| column.name).collect();
    if names.is_empty() {
        problems.add(data, "expected at least one column, got none");
    }
    let options =
        by_column(wanted.columns.unwrap_or_default(), &names, &format!("{place}columns"), problems);
    let mut columns = Vec::with_capacity(names.len());
    for (index, options) in options.iter().enumerate() {
        let kind = options.and_then(|options| options.kind).unwrap_or(ColumnKind::Auto);
        columns.push(cells::column(wanted.data, index as u32, kind, data, problems)?);
    }
    calculated::calculate(wanted.data, &names, &mut columns, origin)?;
    let wanted_totals = wanted.totals.unwrap_or_default();
    let totals =
        totals::calculate(wanted_totals, &names, &columns, &format!("{place}totals"), problems);
    let charts =
        wanted.charts.unwrap_or_default().iter().enumerate().filter_map(|(index, options)| {
            chart::chart(options, &names, &columns, &format!("{place}charts[{index}]"), problems)
        });
    let charts: Vec<_> = charts.collect();
    if problems.count() > before {
        return Ok(None);
    }
    let total = |index: usize| totals.get(index).copied().flatten();
    let formats: Vec<_> = (0..names.len())
        .map(|index| {
            format(&names[index], &columns[index], options[index], total(index), design.style)
        })
        .collect();
    let label = given(wanted.total_label).unwrap_or_else(|| totals::default_label(&names));
    let mut total_cells = totals::cells(&totals, &formats, &columns, label, origin);
    let sheet_column = |index: usize| {
        let given = options[index];
        let format = formats[index].as_deref();
        let fitting =
            || fitting_width(&names[index], &columns[index], format, total_cells.get(index));
        SheetColumn {
            header: names[index].clone(),
            width: given.and_then(|options| options.width).unwrap_or_else(fitting),
            number_format: formats[index].clone(),
            alignment: given.and_then(|options| options.alignment).unwrap_or(Alignment::General),
            hidden: design.hidden.contains(&index),
            level: design.levels.iter().find(|(of, _)| *of == index).map_or(0, |(_, level)| *level),
            unlocked: design.unlocked.contains(&index),
        }
    };
    let mut sheet_columns: Vec<SheetColumn> = (0..names.len()).map(sheet_column).collect();
    let (table, mut shown) = assembled(wanted.data, &names, columns)?;
    let has_totals = !total_cells.is_empty();
    for (_, header) in &design.sparklines {
        sheet_columns.push(trend_column(header));
        shown.push(TableColumn { column: 0, shown: ShownAs::Blank });
        if has_totals {
            total_cells.push(SheetCell::Empty);
        }
    }
    let total_row = SheetRow { cells: total_cells, style: RowStyle::Total };
    Ok(Some(Block {
        row: 0,
        column: origin.column as u32,
        title: None,
        columns: sheet_columns,
        table,
        shown,
        rows: if has_totals { vec![total_row] } else { Vec::new() },
        charts,
        table_name: design.table_name.take(),
        rules: std::mem::take(&mut design.rules),
        inputs: std::mem::take(&mut design.inputs),
        sparklines: design.sparklines.iter().map(|(small, _)| *small).collect(),
        notes: std::mem::take(&mut design.notes),
    }))
}

/// Returns the column of small charts.
fn trend_column(header: &str) -> SheetColumn {
    const WIDTH: usize = 18;
    SheetColumn {
        header: header.to_owned(),
        width: width::column(WIDTH.max(width::text(header))),
        number_format: None,
        alignment: Alignment::General,
        hidden: false,
        level: 0,
        unlocked: false,
    }
}

/// Returns the table with the calculated columns appended, and the indices of the columns to show.
fn assembled<T: Source>(
    data: &T,
    names: &[String],
    columns: Vec<Column<T>>,
) -> Result<(T, Vec<TableColumn>), Failed> {
    let own: Vec<(u32, String)> = (0..).zip(names.iter().cloned()).collect();
    let mut table = data.select(&own)?;
    let mut width = names.len() as u32;
    let mut shown = Vec::with_capacity(columns.len());
    // The name must not be that of another column.
    let stem = (0..)
        .map(|n: u32| "#".repeat(n as usize + 1))
        .find(|stem| !names.iter().any(|name| name.starts_with(stem)));
    let stem = stem.unwrap_or_default();
    for (index, column) in (0..).zip(columns) {
        let Some(made) = column.made else {
            shown.push(TableColumn { column: index, shown: column.shown });
            continue;
        };
        let renamed: Vec<(u32, String)> =
            (0..made.columns().len() as u32).map(|n| (n, format!("{stem}{}", width + n))).collect();
        table = table.beside(&made.select(&renamed)?)?;
        let how = match column.shown {
            ShownAs::Formula(Some(values)) => ShownAs::Formula(Some(width + values)),
            how => how,
        };
        shown.push(TableColumn { column: width, shown: how });
        width += renamed.len() as u32;
    }
    Ok((table, shown))
}

/// Returns an optional argument; `None` if it is empty, which models send for an omitted one.
pub(crate) fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

/// Returns the options of each column, in the order of the columns.
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

fn format<T>(
    name: &str,
    column: &Column<T>,
    options: Option<&ColumnOptions>,
    total: Option<ColumnTotal>,
    style: SheetStyle,
) -> Option<String> {
    if let Some(format) = options.and_then(|options| given(options.number_format.as_deref())) {
        return Some(number_format::named(format, &column.facts));
    }
    match column.look {
        Look::Dates => return Some(number_format::for_dates(false)),
        Look::DateTimes => return Some(number_format::for_dates(true)),
        Look::Times => return Some(number_format::for_times()),
        Look::Numbers | Look::Other => {}
    }
    // The format cannot depend on values that only Excel can calculate.
    if column.facts.has_unknown || column.kind == ColumnKind::Text {
        return None;
    }
    let format = number_format::automatic(name, &column.facts, column.kind == ColumnKind::Formula)?;
    // A mean of whole numbers is rarely whole, and the format of the column would round it.
    let format = match total.and_then(|total| total.number()).filter(|it| !it.fract().is_zero()) {
        Some(total) if !format.contains(['.', '%']) => {
            let mut facts = crate::facts::Facts::new();
            facts.add(Value::Number(total));
            number_format::automatic("", &facts, true)?
        }
        _ => format,
    };
    Some(match style {
        SheetStyle::Financial => number_format::of_accounts(format),
        _ => format,
    })
}

fn fitting_width<T>(
    name: &str,
    column: &Column<T>,
    format: Option<&str>,
    total: Option<&SheetCell>,
) -> f64 {
    let dates = match format {
        Some(format) if column.facts.dates > 0 => width::date(format),
        _ => 0,
    };
    let numbers = if column.facts.numbers > 0 { width::numbers(&column.facts, format) } else { 0 };
    let total = total.map_or(0, |cell| match (value_of(cell), cell) {
        (Value::Number(number), _) => width::number(number, format),
        (_, SheetCell::Text(text)) => width::text(text),
        _ => 0,
    });
    width::column(width::text(name).max(column.facts.width).max(numbers).max(dates).max(total))
}

/// Returns the number in a cell of the totals row.
fn value_of(cell: &SheetCell) -> Value {
    let text = match cell {
        SheetCell::Formula(formula) => &formula.value,
        SheetCell::Number(lexeme) => lexeme,
        _ => return Value::Filled,
    };
    crate::number::decimal(text).map_or(Value::Unknown, Value::Number)
}
