//! The alternative text of a chart, for people who cannot see it and for models without vision. Its length is bounded.

use crate::model::chart::description::{ChartDescription, ChartRole, ChartShape, ChartStack};
use crate::model::chart::format::{ChartFormat, NumberStyle, Numbers};
use mitt_base::text;

/// Most series that are described; the others are counted.
const MAX_SERIES: usize = 8;
/// Most values that are all listed; of more the first, the last, the highest and the lowest.
const MAX_LISTED: usize = 8;
/// Most characters of a name.
const MAX_NAME: u64 = 60;

/// Returns the name of the chart: its title, or its kind.
pub(super) fn name(chart: &ChartDescription, is_chinese: bool) -> String {
    let title = chart.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    title.map_or_else(|| kind(chart, is_chinese).to_owned(), str::to_owned)
}

/// Returns the source of the figures, introduced as such.
pub(super) fn source(source: &str, is_chinese: bool) -> String {
    let source = source.trim();
    let has_word = ["来源", "资料", "数据", "注", "source", "note"]
        .iter()
        .any(|word| source.to_lowercase().starts_with(word));
    match (has_word, is_chinese) {
        (true, _) => source.to_owned(),
        (false, true) => format!("来源：{source}"),
        (false, false) => format!("Source: {source}"),
    }
}

/// Returns the chart in words.
pub(super) fn alternative(chart: &ChartDescription, is_chinese: bool) -> String {
    let kind = kind(chart, is_chinese);
    let mut out =
        match (chart.title.as_deref().map(str::trim).filter(|it| !it.is_empty()), is_chinese) {
            (Some(title), true) => format!("{kind}“{title}”"),
            (Some(title), false) => format!("{kind} “{title}”"),
            (None, _) => kind.to_owned(),
        };
    out.push_str(&extent(chart, is_chinese));
    out.push_str(if is_chinese { "。" } else { "." });
    for series in 0..chart.series.len().min(MAX_SERIES) {
        out.push_str(&self::series(chart, series, is_chinese));
    }
    let more = chart.series.len().saturating_sub(MAX_SERIES);
    if more > 0 {
        out.push_str(&if is_chinese {
            format!("另有 {more} 个系列。")
        } else {
            format!(" {more} more series.")
        });
    }
    out
}

fn kind(chart: &ChartDescription, is_chinese: bool) -> &'static str {
    let is_combined = chart.series.iter().any(|series| series.role != ChartRole::Main);
    let (chinese, english) = match (chart.kind, chart.stack) {
        (ChartShape::Column, _) if is_combined => ("柱线组合图", "Column and line chart"),
        (ChartShape::Column, ChartStack::Apart) => ("柱形图", "Column chart"),
        (ChartShape::Column, ChartStack::Stacked) => ("堆积柱形图", "Stacked column chart"),
        (ChartShape::Column, ChartStack::Full) => ("百分比堆积柱形图", "100% stacked column chart"),
        (ChartShape::Bar, ChartStack::Apart) => ("条形图", "Bar chart"),
        (ChartShape::Bar, ChartStack::Stacked) => ("堆积条形图", "Stacked bar chart"),
        (ChartShape::Bar, ChartStack::Full) => ("百分比堆积条形图", "100% stacked bar chart"),
        (ChartShape::Area, ChartStack::Apart) => ("面积图", "Area chart"),
        (ChartShape::Area, ChartStack::Stacked) => ("堆积面积图", "Stacked area chart"),
        (ChartShape::Area, ChartStack::Full) => ("百分比堆积面积图", "100% stacked area chart"),
        (ChartShape::Line, _) => ("折线图", "Line chart"),
        (ChartShape::Pie, _) => ("饼图", "Pie chart"),
        (ChartShape::Doughnut, _) => ("环形图", "Doughnut chart"),
        (ChartShape::Scatter, _) => ("散点图", "Scatter chart"),
    };
    if is_chinese { chinese } else { english }
}

/// Returns the number of places, and the first and the last one.
fn extent(chart: &ChartDescription, is_chinese: bool) -> String {
    let count = chart.len();
    if matches!(chart.kind, ChartShape::Pie | ChartShape::Doughnut) {
        return if is_chinese {
            format!("，{count} 个部分")
        } else {
            format!(", {count} parts")
        };
    }
    if chart.kind == ChartShape::Scatter {
        let mut x: Vec<f64> = chart.x.iter().flatten().map(|x| x.get()).collect();
        x.sort_by(f64::total_cmp);
        let numbers = Numbers::of_values(&chart.x_format, &mut x.iter().copied(), is_chinese);
        let ends = x.first().zip(x.last()).map(|(a, b)| (numbers.text(*a), numbers.text(*b)));
        let axis = chart.category_title.as_deref().map_or("x", |title| shortened(title));
        return match (ends, is_chinese) {
            (Some((from, to)), true) => format!("，{count} 个点，{axis} 从 {from} 到 {to}"),
            (Some((from, to)), false) => format!(", {count} points, {axis} from {from} to {to}"),
            (None, _) => String::new(),
        };
    }
    let first = chart.categories.first().map_or("", |name| shortened(name));
    let last = chart.categories.last().map_or("", |name| shortened(name));
    match (count, is_chinese) {
        (1, true) => format!("，{first}"),
        (1, false) => format!(", {first}"),
        (_, true) => format!("，{count} 项，从 {first} 到 {last}"),
        (_, false) => format!(", {count} categories from {first} to {last}"),
    }
}

fn series(chart: &ChartDescription, index: usize, is_chinese: bool) -> String {
    let series = &chart.series[index];
    let found: Vec<(usize, f64)> = series
        .values
        .iter()
        .enumerate()
        .filter_map(|(at, value)| Some((at, value.as_ref()?.get())))
        .collect();
    let (Some(first), Some(last)) = (found.first(), found.last()) else { return String::new() };
    let format =
        if series.role == ChartRole::Second { &chart.second_format } else { &chart.format };
    let numbers = numbers(format, &found, is_chinese);
    let name = match series.name.trim() {
        "" if is_chinese => format!("系列 {}", index + 1),
        "" => format!("Series {}", index + 1),
        name => shortened(name).to_owned(),
    };
    let place = |at: usize| chart.categories.get(at).map_or("", |name| shortened(name));
    if found.len() <= MAX_LISTED && chart.kind != ChartShape::Scatter {
        let whole: f64 = found.iter().map(|(_, value)| value).sum();
        // In a chart of percentages, a share would repeat the value.
        let is_whole = matches!(chart.kind, ChartShape::Pie | ChartShape::Doughnut)
            && whole > 0.0
            && format.style != NumberStyle::Percent;
        let value = |(at, value): &(usize, f64)| {
            if is_whole {
                format!("{} {} ({:.1}%)", place(*at), numbers.text(*value), value / whole * 100.0)
            } else {
                format!("{} {}", place(*at), numbers.text(*value))
            }
        };
        let values: Vec<String> = found.iter().map(value).collect();
        return if is_chinese {
            format!("{name}：{}。", values.join("，"))
        } else {
            format!(" {name}: {}.", values.join(", "))
        };
    }
    let by_value = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
    // The first one of equal values.
    let highest = found.iter().rev().max_by(by_value).unwrap_or(first);
    let lowest = found.iter().min_by(by_value).unwrap_or(first);
    let (a, b) = (numbers.text(first.1), numbers.text(last.1));
    let (high, low) = (numbers.text(highest.1), numbers.text(lowest.1));
    let (at_high, at_low) = (place(highest.0), place(lowest.0));
    let gaps = series.values.len() - found.len();
    let gaps = match (gaps, is_chinese) {
        (0, _) => String::new(),
        (gaps, true) => format!("，{gaps} 个缺值"),
        (gaps, false) => format!(", {gaps} without a value"),
    };
    match (chart.kind == ChartShape::Scatter, is_chinese) {
        (true, true) => format!("{name}：最高 {high}，最低 {low}{gaps}。"),
        (true, false) => format!(" {name}: highest {high}, lowest {low}{gaps}."),
        (false, true) => {
            format!(
                "{name}：由 {a} 到 {b}，最高 {high}（{at_high}），最低 {low}（{at_low}）{gaps}。"
            )
        }
        (false, false) => {
            format!(
                " {name}: from {a} to {b}, highest {high} ({at_high}), lowest {low} ({at_low}){gaps}."
            )
        }
    }
}

fn numbers(format: &ChartFormat, found: &[(usize, f64)], is_chinese: bool) -> Numbers {
    Numbers::of_values(format, &mut found.iter().map(|(_, value)| *value), is_chinese)
}

fn shortened(name: &str) -> &str {
    text::cut_chars(name.trim(), MAX_NAME).0
}
