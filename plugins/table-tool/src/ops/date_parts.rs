//! `date-parts`: year, month and other parts of dates.

use super::{column_text, rows_text};
use crate::cell::Cell;
use crate::column::Column;
use crate::groups::Groups;
use crate::problem::{Failure, Problems, quote};
use crate::table::{Frame, Outcome};
use mitt_guest::tables::calendar::{
    DAY, civil, day_of, iso_week, parse_date, parse_date_time, weekday,
};
use mitt_guest::tables::{Chunk, Source};

/// A part of a date; see the WIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DatePart {
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Weekday,
    Hour,
    YearQuarter,
    YearMonth,
    YearWeek,
}

impl DatePart {
    /// Returns the name in WIT.
    pub(crate) fn name(self) -> &'static str {
        match self {
            DatePart::Year => "year",
            DatePart::Quarter => "quarter",
            DatePart::Month => "month",
            DatePart::Week => "week",
            DatePart::Day => "day",
            DatePart::Weekday => "weekday",
            DatePart::Hour => "hour",
            DatePart::YearQuarter => "year-quarter",
            DatePart::YearMonth => "year-month",
            DatePart::YearWeek => "year-week",
        }
    }

    fn number(self, moment: Moment) -> i64 {
        let date = civil(moment.day);
        match self {
            DatePart::Quarter => i64::from(date.month.div_ceil(3)),
            DatePart::Month => i64::from(date.month),
            DatePart::Week => i64::from(iso_week(moment.day).1),
            DatePart::Day => i64::from(date.day),
            DatePart::Weekday => i64::from(weekday(moment.day)),
            DatePart::Hour => moment.micros / 3_600_000_000,
            _ => i64::from(date.year),
        }
    }

    /// Returns the part if it is a text. Texts sort in order of time.
    fn text(self, moment: Moment) -> Option<String> {
        let date = civil(moment.day);
        Some(match self {
            DatePart::YearQuarter => format!("{:04}-Q{}", date.year, date.month.div_ceil(3)),
            DatePart::YearMonth => format!("{:04}-{:02}", date.year, date.month),
            DatePart::YearWeek => {
                let (year, week) = iso_week(moment.day);
                format!("{year:04}-W{week:02}")
            }
            _ => return None,
        })
    }
}

/// Days since 1970-01-01, and microseconds since midnight.
#[derive(Clone, Copy)]
struct Moment {
    day: i32,
    micros: i64,
}

impl Moment {
    fn of(cell: &Cell) -> Option<Moment> {
        let of_micros =
            |micros: i64| Moment { day: day_of(micros), micros: micros.rem_euclid(DAY) };
        match cell {
            Cell::Date(day) => Some(Moment { day: *day, micros: 0 }),
            Cell::DateTime(micros) => Some(of_micros(*micros)),
            Cell::Text(text) => match parse_date(text) {
                Some(day) => Some(Moment { day, micros: 0 }),
                // Databases write a blank in place of the `T`.
                None => parse_date_time(&text.replacen(' ', "T", 1)).map(of_micros),
            },
            _ => None,
        }
    }
}

pub(crate) fn date_parts<T: Source>(
    table: &T,
    column: &str,
    parts: &[DatePart],
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let mut lookup = frame.lookup();
    let column_idx = lookup.find("column", column, &mut problems);
    if parts.is_empty() {
        problems.argument(|| "parts: expected one part at least, got none".to_owned());
    }
    let names: Vec<String> = parts.iter().map(|part| format!("{column}_{}", part.name())).collect();
    names.iter().for_each(|name| lookup.new_name("parts", name, &mut problems));
    problems.check()?;
    let column = frame.column(column_idx.unwrap_or(0))?;
    // Days repeat, so each is converted once.
    let groups = Groups::of(&column);
    let moments: Vec<Option<Moment>> =
        groups.first_rows.iter().map(|row| Moment::of(&column.cell(*row as usize))).collect();
    let warnings = unreadable(&column, &groups, &moments)?;
    let mut new_columns = Vec::with_capacity(parts.len());
    for (part, name) in parts.iter().zip(names) {
        let rows = || groups.of_row.iter().map(|group| *group as usize);
        let is_text =
            matches!(part, DatePart::YearQuarter | DatePart::YearMonth | DatePart::YearWeek);
        let chunk = if is_text {
            let texts: Vec<Option<String>> =
                moments.iter().map(|moment| part.text((*moment)?)).collect();
            Chunk::dictionary(rows().map(|group| texts[group].as_deref()))
        } else {
            let numbers: Vec<Option<i64>> =
                moments.iter().map(|moment| Some(part.number((*moment)?))).collect();
            Chunk::integers(rows().map(|group| numbers[group]))
        };
        new_columns.push((name, chunk));
    }
    Ok(Outcome { table: frame.with(new_columns)?, warnings })
}

/// Warns of cells that are not dates. Fails if there is no date at all.
fn unreadable(
    column: &Column,
    groups: &Groups,
    moments: &[Option<Moment>],
) -> Result<Vec<String>, Failure> {
    let is_wrong = |(row, group): (usize, &u32)| {
        (moments[*group as usize].is_none() && !column.is_null(row)).then_some(row)
    };
    let wrong: Vec<usize> = groups.of_row.iter().enumerate().filter_map(is_wrong).collect();
    let Some(first) = wrong.first() else { return Ok(Vec::new()) };
    let shown = column.cell(*first).show();
    if moments.iter().all(Option::is_none) {
        let mut problems = Problems::default();
        problems.argument(|| {
            format!(
                "column: expected dates such as `2024-12-31` in {}, got {shown} in row {first}",
                quote(&column.name)
            )
        });
        problems.check()?;
    }
    Ok(vec![format!(
        "{} has cells that are no dates, such as {shown}: {}",
        column_text(&column.name),
        rows_text(&wrong)
    )])
}
