//! Number formats of axes and values for Office, which otherwise only our own drawing knows.

use crate::model::chart::description::{ChartDescription, ChartRole, ChartShape, ChartStack};
use crate::model::chart::format::Numbers;
use crate::model::chart::scale::{Scale, Zero};

/// Approximate number of ticks.
const TICKS: usize = 5;

/// Number formats of a chart in Excel's notation.
#[derive(Clone, Debug)]
pub(super) struct Formats {
    /// For ticks and for values on the first axis.
    pub(super) ticks: String,
    pub(super) values: String,
    /// For ticks and for values on the second axis.
    pub(super) second_ticks: String,
    pub(super) second_values: String,
    /// For x values of a scatter chart.
    pub(super) x: String,
    /// Least and largest value on the first axis; stacks count as a whole.
    pub(super) ends: (f64, f64),
}

impl Formats {
    pub(super) fn of(chart: &ChartDescription, is_chinese: bool) -> Formats {
        let first = ends(chart, false);
        let second = ends(chart, true);
        let x = chart.x.iter().flatten().map(|x| x.get());
        let x = x.fold(None, |ends: Option<(f64, f64)>, x| {
            Some(ends.map_or((x, x), |(least, most)| (least.min(x), most.max(x))))
        });
        let zero = match chart.kind {
            ChartShape::Column | ChartShape::Bar | ChartShape::Area => Zero::Always,
            _ => Zero::Near,
        };
        let ticks = |(least, most): (f64, f64), format, zero| {
            let scale = Scale::nice(least, most, zero, TICKS);
            let reach = scale.min.abs().max(scale.max.abs());
            Numbers::of_ticks(format, scale.step, reach, is_chinese).excel()
        };
        let values = |is_second: bool, format| {
            let mut all = chart
                .series
                .iter()
                .filter(|series| (series.role == ChartRole::Second) == is_second)
                .flat_map(|series| series.values.iter().flatten().map(|value| value.get()));
            Numbers::of_values(format, &mut all, is_chinese).excel()
        };
        let is_full = chart.stack == ChartStack::Full;
        Formats {
            ticks: if is_full { "0%".into() } else { ticks(first, &chart.format, zero) },
            values: values(false, &chart.format),
            second_ticks: ticks(second, &chart.second_format, Zero::Near),
            second_values: values(true, &chart.second_format),
            x: ticks(x.unwrap_or((0.0, 1.0)), &chart.x_format, Zero::Free),
            ends: first,
        }
    }
}

/// Returns the least and the largest value on an axis.
fn ends(chart: &ChartDescription, is_second: bool) -> (f64, f64) {
    let on_axis = || chart.series.iter().filter(|it| (it.role == ChartRole::Second) == is_second);
    let mut ends: Option<(f64, f64)> = None;
    let mut take = |value: f64| {
        ends = Some(ends.map_or((value, value), |(a, b)| (a.min(value), b.max(value))));
    };
    for series in on_axis() {
        series.values.iter().flatten().for_each(|value| take(value.get()));
    }
    if chart.stack == ChartStack::Stacked && !is_second {
        for at in 0..chart.len() {
            let stacked = || {
                let main = on_axis().filter(|series| series.role == ChartRole::Main);
                main.filter_map(|series| series.values.get(at).copied().flatten())
                    .map(|value| value.get())
            };
            take(stacked().filter(|value| *value > 0.0).sum());
            take(stacked().filter(|value| *value < 0.0).sum());
        }
    }
    ends.unwrap_or((0.0, 1.0))
}
