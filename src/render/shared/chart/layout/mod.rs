//! The layout of a chart: head, legend, plot, foot. A pure function of the description.

mod axis;
mod bars;
mod columns;
mod direct;
mod head;
mod lines;
mod names;
mod pie;
mod scatter;
mod values;

use super::measure::Font;
use super::scene::Scene;
use super::words;
use crate::model::chart::description::{ChartDescription, ChartRole, ChartShape, ChartStack};
use mitt_base::Result;

const TITLE: Font = Font::bold(16.0);
const SUBTITLE: Font = Font::new(13.0);
const LABEL: Font = Font::new(12.0);
const STRONG: Font = Font::bold(12.0);
const SMALL: Font = Font::new(11.0);

/// Margin on all sides.
const EDGE: f64 = 12.0;

/// Most series that are named at their ends; more get a legend.
const MAX_DIRECT: usize = 6;

/// Most columns that may become bars.
const MAX_LYING: usize = 40;

/// Warning if columns became bars.
pub(crate) const LYING: &str = "bars in place of columns, for long names";

/// A part of the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    fn width(&self) -> f64 {
        self.right - self.left
    }

    fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// A chart during its layout.
struct Drawing<'a> {
    chart: &'a ChartDescription,
    is_chinese: bool,
    scene: Scene,
    /// Numbers of labels that were shortened, and that were left out.
    shortened: usize,
    left_out: usize,
}

/// Lays a chart out.
///
/// # Errors
///
/// Those of [`ChartDescription::check`].
pub(crate) fn layout(chart: &ChartDescription) -> Result<Scene> {
    chart.check()?;
    let is_chinese = chart.is_chinese();
    let lying = lying(chart);
    let is_lying = lying.is_some();
    let chart = lying.as_ref().unwrap_or(chart);
    let width = f64::from(chart.width);
    let height = chart.height.map_or_else(|| height(chart), f64::from);
    let mut drawing =
        Drawing { chart, is_chinese, scene: Scene::new(width, height), shortened: 0, left_out: 0 };
    let foot = drawing.foot();
    let top = drawing.head();
    let area = Area { left: EDGE, top, right: width - EDGE, bottom: foot.max(top + 40.0) };
    match chart.kind {
        ChartShape::Pie | ChartShape::Doughnut => drawing.pie(area),
        ChartShape::Bar => drawing.bars(area),
        ChartShape::Scatter => drawing.scatter(area),
        ChartShape::Column | ChartShape::Line | ChartShape::Area => drawing.columns(area),
    }
    let Drawing { mut scene, shortened, left_out, .. } = drawing;
    scene.name = words::name(chart, is_chinese);
    scene.alternative = words::alternative(chart, is_chinese);
    if is_lying {
        scene.warnings.push(LYING.into());
    }
    if shortened > 0 {
        scene.warnings.push(format!("texts that are shortened: {shortened}"));
    }
    if left_out > 0 {
        scene.warnings.push(format!("names without room: {left_out}"));
    }
    Ok(scene)
}

/// Returns the chart with bars in place of columns if names would not fit below these, so that no reader must turn the head.
fn lying(chart: &ChartDescription) -> Option<ChartDescription> {
    let is_plain = chart.kind == ChartShape::Column
        && chart.series.iter().all(|series| series.role == ChartRole::Main)
        && chart.len() <= MAX_LYING
        && !names::is_ordered(&chart.categories);
    let step = (f64::from(chart.width) - 2.0 * EDGE - 40.0) / chart.len().max(1) as f64;
    let fits = || chart.categories.iter().all(|name| names::fits(name.trim(), step));
    (is_plain && !fits()).then(|| ChartDescription { kind: ChartShape::Bar, ..chart.clone() })
}

/// Returns a chart as it is drawn, and `true` if its columns became bars, for formats that lay charts out themselves.
#[cfg(any(feature = "docx", feature = "pptx"))]
pub(super) fn as_drawn(chart: &ChartDescription) -> (ChartDescription, bool) {
    match lying(chart) {
        Some(lying) => (lying, true),
        None => (chart.clone(), false),
    }
}

#[cfg(any(feature = "docx", feature = "pptx"))]
impl ChartDescription {
    /// Returns its width and height in pixels of 1/96 inch.
    pub(super) fn pixels(&self) -> (f64, f64) {
        (f64::from(self.width), self.height.map_or_else(|| height(self), f64::from))
    }
}

/// Returns the height that a chart needs.
fn height(chart: &ChartDescription) -> f64 {
    let lines = [&chart.title, &chart.subtitle, &chart.source].into_iter().flatten().count();
    let frame = 2.0 * EDGE + 24.0 * lines as f64;
    let width = f64::from(chart.width);
    let height = match chart.kind {
        ChartShape::Bar => {
            let is_apart = chart.stack == ChartStack::Apart;
            let thick = if is_apart { chart.series.len().max(1) as f64 * 17.0 } else { 20.0 };
            let lines = chart
                .categories
                .iter()
                .map(|name| LABEL.wrap(name, bars::names_width(width), 3).0.len());
            let row = (thick + 11.0).max(lines.max().unwrap_or(1) as f64 * LABEL.line() + 6.0);
            let legend = if chart.series.len() > 1 { 24.0 } else { 0.0 };
            chart.len() as f64 * row + 44.0 + frame + legend
        }
        ChartShape::Pie | ChartShape::Doughnut => width * 0.46 + frame,
        _ => width * 0.5 + frame,
    };
    height.clamp(160.0, 1_600.0).round()
}

impl Drawing<'_> {
    /// Returns one of two inserted texts.
    fn say<'a>(&self, chinese: &'a str, english: &'a str) -> &'a str {
        if self.is_chinese { chinese } else { english }
    }

    /// Returns a text in one line of at most `width`.
    fn fit(&mut self, text: &str, font: Font, width: f64) -> String {
        let (text, is_cut) = font.shorten(text, width);
        self.shortened += usize::from(is_cut);
        text
    }

    /// Returns a text in lines of at most `width`.
    fn wrap(&mut self, text: &str, font: Font, width: f64, most: usize) -> Vec<String> {
        let (lines, is_cut) = font.wrap(text, width, most);
        self.shortened += usize::from(is_cut);
        lines
    }

    /// Returns the indices of the series that are drawn by the kind of the chart.
    fn main_series(&self) -> Vec<usize> {
        let is_main = |index: &usize| self.chart.series[*index].role == ChartRole::Main;
        (0..self.chart.series.len()).filter(is_main).collect()
    }

    /// Returns the indices of the series on an axis.
    fn series_on(&self, is_second: bool) -> Vec<usize> {
        let is_on =
            |index: &usize| (self.chart.series[*index].role == ChartRole::Second) == is_second;
        (0..self.chart.series.len()).filter(is_on).collect()
    }

    /// Returns `true` if there are columns or bars, which begin at zero.
    fn has_columns(&self) -> bool {
        matches!(self.chart.kind, ChartShape::Column | ChartShape::Bar)
    }

    /// Returns a value of a series.
    fn value(&self, series: usize, at: usize) -> Option<f64> {
        self.chart.series.get(series)?.values.get(at).copied().flatten().map(|value| value.get())
    }
}

/// Moves labels as little as possible from `wanted`, so that they do not overlap and stay between `top` and `bottom`.
/// Returns the middle of each; `None` if they do not fit.
fn spread(wanted: &[f64], heights: &[f64], top: f64, bottom: f64) -> Option<Vec<f64>> {
    if heights.iter().sum::<f64>() > bottom - top {
        return None;
    }
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]).then(a.cmp(b)));
    // Groups of adjacent labels: first and last index in the order, height, sum of the wanted tops.
    struct Group {
        members: Vec<usize>,
        height: f64,
        sum: f64,
    }
    impl Group {
        fn top(&self, top: f64, bottom: f64) -> f64 {
            (self.sum / self.members.len() as f64).min(bottom - self.height).max(top)
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    for index in order {
        let height = heights[index];
        let mut group = Group { members: vec![index], height, sum: wanted[index] - height / 2.0 };
        while let Some(above) = groups.pop() {
            if above.top(top, bottom) + above.height <= group.top(top, bottom) + 1e-9 {
                groups.push(above);
                break;
            }
            // Each member wants the group at its own best position.
            let shift = above.height * group.members.len() as f64;
            group = Group {
                sum: above.sum + group.sum - shift,
                height: above.height + group.height,
                members: above.members.into_iter().chain(group.members).collect(),
            };
        }
        groups.push(group);
    }
    let mut places = vec![0.0; wanted.len()];
    for group in groups {
        let mut at = group.top(top, bottom);
        for index in &group.members {
            places[*index] = at + heights[*index] / 2.0;
            at += heights[*index];
        }
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_moved_as_little_as_possible() {
        let spread = |wanted: &[f64]| spread(wanted, &vec![10.0; wanted.len()], 0.0, 100.0);
        assert_eq!(spread(&[20.0, 60.0]), Some(vec![20.0, 60.0]));
        assert_eq!(spread(&[52.0, 50.0]), Some(vec![56.0, 46.0]));
        assert_eq!(spread(&[0.0, 1.0, 2.0]), Some(vec![5.0, 15.0, 25.0]));
        assert_eq!(spread(&[99.0, 100.0, 50.0]), Some(vec![85.0, 95.0, 50.0]));
        assert_eq!(spread(&[50.0; 10]).unwrap()[9], 95.0);
        assert_eq!(spread(&[50.0; 11]), None);
    }
}
