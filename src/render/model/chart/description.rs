//! A chart as plain data. Does not know how it is drawn.

use serde::Serialize;

use super::format::ChartFormat;
use mitt_base::{Error, ErrorKind, Result, text};

/// Most values of a chart, over all series. A picture of 640 pixels cannot show more, and they are drawn within a second.
pub const MAX_CHART_POINTS: usize = 20_000;

/// Most series of a chart. More lines are indistinguishable; beyond eight they differ in dashes as well.
pub const MAX_CHART_SERIES: usize = 24;

/// Most slices of a pie or a doughnut.
pub(crate) const MAX_PARTS: usize = 24;

/// Most characters of a title, a subtitle or a source.
const MAX_TITLE: usize = 300;

/// Most characters of the name of a series, a category or an axis.
const MAX_NAME: usize = 200;

/// Largest absolute value. Sums of all values of a chart stay finite.
const MAX_VALUE: f64 = 1e100;

/// Elements of a document for which a chart counts by itself, and number of its values that count as one: a chart of 12 x 4
/// values takes as long as a page, one of 20 000 values as long as ten.
const CHART_ELEMENTS: usize = 50;
const VALUES_PER_ELEMENT: usize = 20;

/// Allowed widths and heights of a chart, in pixels of 1/96 inch.
pub(crate) const SIZES: std::ops::RangeInclusive<u32> = 160..=2_000;

/// A chart as a picture.
#[derive(Clone, Debug)]
pub struct ChartPng {
    /// The file.
    pub bytes: Vec<u8>,
    /// Width of the picture in pixels.
    pub width: u32,
    /// Height of the picture in pixels.
    pub height: u32,
    /// Alternative text.
    pub alternative: String,
    /// Losses and changes, one sentence each.
    pub warnings: Vec<String>,
}

/// A value of a chart, which is a finite number.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
pub struct ChartValue(f64);

// No value is NaN.
impl Eq for ChartValue {}

impl ChartValue {
    /// Creates a value from a finite number; `None` for others. Zero has no sign.
    pub fn new(value: f64) -> Option<ChartValue> {
        value.is_finite().then_some(ChartValue(value + 0.0))
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Kind of a chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartShape {
    /// Vertical bars.
    #[default]
    Column,
    /// Horizontal bars, for long names.
    Bar,
    /// Lines.
    Line,
    /// Filled lines.
    Area,
    /// Slices of a disc; one series without negative values.
    Pie,
    /// Slices of a ring, with the sum in its middle.
    Doughnut,
    /// Points; the x values are numbers.
    Scatter,
}

/// Arrangement of several series of columns, bars or areas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartStack {
    /// Beside each other; areas overlap.
    #[default]
    Apart,
    /// On top of each other.
    Stacked,
    /// On top of each other, as shares of 100 %.
    Full,
}

/// Drawing of a series in a combined chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartRole {
    /// According to the kind of the chart.
    #[default]
    Main,
    /// As a line over the columns, on their axis.
    Line,
    /// As a line over the columns, on an axis of its own at the right.
    Second,
}

/// Where values are written at bars and points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartLabels {
    /// If they are few and fit.
    #[default]
    Auto,
    /// Wherever they fit.
    All,
    /// Nowhere.
    None,
}

/// A series of values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChartSeries {
    /// Name.
    pub name: String,
    /// One value for each category; `None` is a gap, not zero.
    pub values: Vec<Option<ChartValue>>,
    /// How it is drawn.
    pub role: ChartRole,
}

/// A chart. The default is refused, because it has no series.
///
/// # Example: two quarters
///
/// ```
/// use mitt_render::{ChartDescription, ChartSeries, ChartValue, chart_svg};
///
/// let chart = ChartDescription {
///     title: Some("季度收入".into()),
///     categories: vec!["一季度".into(), "二季度".into()],
///     series: vec![ChartSeries {
///         name: "收入".into(),
///         values: vec![ChartValue::new(120_000.0), ChartValue::new(150_000.0)],
///         ..ChartSeries::default()
///     }],
///     ..ChartDescription::default()
/// };
/// let drawn = chart_svg(&chart)?;
/// assert!(drawn.svg.starts_with("<svg") && drawn.alternative.contains("二季度"));
/// # Ok::<(), mitt_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChartDescription {
    /// Kind of the chart.
    pub kind: ChartShape,
    /// Arrangement of several series.
    pub stack: ChartStack,
    /// Title above the chart: its message in one sentence.
    pub title: Option<String>,
    /// Subtitle: what is measured, and when.
    pub subtitle: Option<String>,
    /// Source of the figures, below the chart.
    pub source: Option<String>,
    /// Names along the axis, or of the slices of a pie. In a scatter chart, its x values as text.
    pub categories: Vec<String>,
    /// The x values of a scatter chart; empty in all others.
    pub x: Vec<Option<ChartValue>>,
    /// The series; a pie has exactly one.
    pub series: Vec<ChartSeries>,
    /// Title of the axis of categories.
    pub category_title: Option<String>,
    /// Title of the axis of values.
    pub value_title: Option<String>,
    /// Title of the second axis.
    pub second_title: Option<String>,
    /// Format of values.
    pub format: ChartFormat,
    /// Format of values on the second axis.
    pub second_format: ChartFormat,
    /// Format of x values in a scatter chart.
    pub x_format: ChartFormat,
    /// Where values are written at bars and points.
    pub labels: ChartLabels,
    /// Width in pixels of 1/96 inch, from 160 to 2 000.
    pub width: u32,
    /// Height in pixels, from 160 to 2 000. Default: as high as the chart needs.
    pub height: Option<u32>,
    /// Writes inserted words in Chinese, and counts large numbers in 万 and 亿. Default: found from the texts.
    pub is_chinese: Option<bool>,
}

impl Default for ChartDescription {
    fn default() -> ChartDescription {
        ChartDescription {
            kind: ChartShape::default(),
            stack: ChartStack::default(),
            title: None,
            subtitle: None,
            source: None,
            categories: Vec::new(),
            x: Vec::new(),
            series: Vec::new(),
            category_title: None,
            value_title: None,
            second_title: None,
            format: ChartFormat::default(),
            second_format: ChartFormat::default(),
            x_format: ChartFormat::default(),
            labels: ChartLabels::default(),
            width: 640,
            height: None,
            is_chinese: None,
        }
    }
}

impl ChartDescription {
    /// Refuses a chart that cannot be drawn.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - all problems with their places: no series, series with another length than the categories,
    /// a pie with several series or negative values, a size out of range, more than [`MAX_CHART_POINTS`] values.
    pub fn check(&self) -> Result<()> {
        let mut problems = Vec::new();
        self.check_texts(&mut problems);
        self.check_size(&mut problems);
        self.check_series(&mut problems);
        self.check_kind(&mut problems);
        if problems.is_empty() {
            return Ok(());
        }
        let message = match &problems[..] {
            [one] => format!("chart: {one}"),
            many => format!("chart: {} problems", many.len()),
        };
        let error = Error::new(ErrorKind::Arguments, message);
        Err(match problems.len() {
            1 => error,
            _ => problems.into_iter().fold(error, Error::detail),
        })
    }

    /// Returns `true` if inserted words are Chinese.
    pub(crate) fn is_chinese(&self) -> bool {
        self.is_chinese.unwrap_or_else(|| {
            let mut texts = Vec::new();
            self.for_each_text(&mut |text| texts.push(text));
            crate::model::language::language_of(texts.into_iter()) == "zh"
        })
    }

    /// Returns the number of elements of a document for which it counts: its shapes are drawn many at a time.
    pub(crate) fn weight(&self) -> usize {
        let values: usize = self.series.iter().map(|series| series.values.len()).sum();
        CHART_ELEMENTS + values / VALUES_PER_ELEMENT
    }

    /// Returns the number of values of a series.
    pub(crate) fn len(&self) -> usize {
        self.categories.len()
    }

    /// Calls `visit` with each of its texts.
    pub(crate) fn for_each_text<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        let titles = [
            &self.title,
            &self.subtitle,
            &self.category_title,
            &self.value_title,
            &self.second_title,
            &self.source,
        ];
        titles.into_iter().flatten().for_each(|text| visit(text));
        self.series.iter().for_each(|series| visit(&series.name));
        self.categories.iter().for_each(|category| visit(category));
        for format in [&self.format, &self.second_format, &self.x_format] {
            format.for_each_text(visit);
        }
    }

    /// Returns the chart with changed texts, for a writer that lacks glyphs.
    #[cfg_attr(
        not(feature = "pdf"),
        allow(dead_code, reason = "only the typesetter changes characters")
    )]
    pub(crate) fn with_texts(&self, change: &mut dyn FnMut(&str) -> String) -> ChartDescription {
        let mut out = self.clone();
        out.change_texts(change);
        out
    }

    /// Changes each of its texts.
    pub(crate) fn change_texts(&mut self, change: &mut dyn FnMut(&str) -> String) {
        let titles = [
            &mut self.title,
            &mut self.subtitle,
            &mut self.category_title,
            &mut self.value_title,
            &mut self.second_title,
            &mut self.source,
        ];
        let names = self.series.iter_mut().map(|series| &mut series.name);
        let all = titles.into_iter().flatten().chain(names).chain(&mut self.categories);
        for text in all {
            let changed = change(text);
            *text = changed;
        }
        for format in [&mut self.format, &mut self.second_format, &mut self.x_format] {
            format.change_texts(change);
        }
    }

    fn check_texts(&self, problems: &mut Vec<String>) {
        let mut check = |place: &str, text: &str, most: usize| {
            let got = text.chars().count();
            if got > most {
                problems.push(format!("{place}: expected at most {most} characters, got {got}"));
            }
        };
        let titles =
            [("title", &self.title), ("subtitle", &self.subtitle), ("source", &self.source)];
        for (place, text) in titles {
            check(place, text.as_deref().unwrap_or_default(), MAX_TITLE);
        }
        let names = [
            ("category title", &self.category_title),
            ("value title", &self.value_title),
            ("second title", &self.second_title),
        ];
        for (place, text) in names {
            check(place, text.as_deref().unwrap_or_default(), MAX_NAME);
        }
        for (index, series) in self.series.iter().enumerate().take(MAX_CHART_SERIES) {
            check(&format!("series {}: name", index + 1), &series.name, MAX_NAME);
        }
        let long = |(_, text): &(usize, &String)| text.chars().nth(MAX_NAME).is_some();
        if let Some((index, text)) = self.categories.iter().enumerate().find(long) {
            check(&format!("category {}", index + 1), text, MAX_NAME);
        }
    }

    fn check_size(&self, problems: &mut Vec<String>) {
        let sizes = [("width", Some(self.width)), ("height", self.height)];
        for (place, got) in sizes.into_iter().filter_map(|(place, size)| Some((place, size?))) {
            if !SIZES.contains(&got) {
                let (least, most) = SIZES.into_inner();
                problems.push(format!("{place}: expected {least} to {most} pixels, got {got}"));
            }
        }
    }

    fn check_series(&self, problems: &mut Vec<String>) {
        if self.series.is_empty() {
            problems.push("series: expected at least one, got none".into());
        }
        if self.series.len() > MAX_CHART_SERIES {
            let got = self.series.len();
            problems.push(format!(
                "series: expected at most {MAX_CHART_SERIES}, got {got}; show the most important ones, or several charts"
            ));
        }
        let points: usize = self.series.iter().map(|series| series.values.len()).sum();
        if points > MAX_CHART_POINTS {
            problems.push(format!(
                "values: expected at most {MAX_CHART_POINTS}, got {points}; aggregate them first"
            ));
            return;
        }
        if self.categories.is_empty() {
            problems.push("categories: expected at least one, got none".into());
        }
        for (index, series) in self.series.iter().enumerate().take(MAX_CHART_SERIES) {
            let place = place_of(index, series);
            if series.values.len() != self.categories.len() {
                let (want, got) = (self.categories.len(), series.values.len());
                problems.push(format!("{place}: expected {want} values, got {got}"));
            }
            let large = |value: &Option<ChartValue>| value.is_some_and(|it| it.0.abs() > MAX_VALUE);
            if let Some(row) = series.values.iter().position(large) {
                problems
                    .push(format!("{place}, value {}: expected at most {MAX_VALUE:e}", row + 1));
            }
            if series.values.iter().all(Option::is_none) && !series.values.is_empty() {
                problems.push(format!("{place}: expected at least one number, got none"));
            }
        }
    }

    fn check_kind(&self, problems: &mut Vec<String>) {
        let is_whole = matches!(self.kind, ChartShape::Pie | ChartShape::Doughnut);
        if is_whole {
            self.check_whole(problems);
        }
        let can_stack =
            matches!(self.kind, ChartShape::Column | ChartShape::Bar | ChartShape::Area);
        if self.stack != ChartStack::Apart && !can_stack {
            problems.push("stack: only columns, bars and areas can be stacked".into());
        }
        if self.series.iter().any(|series| series.role != ChartRole::Main) {
            if !matches!(self.kind, ChartShape::Column | ChartShape::Line | ChartShape::Area) {
                problems.push(
                    "lines over it and a second axis: only columns, lines and areas can have them"
                        .into(),
                );
            } else if self.series.iter().all(|series| series.role != ChartRole::Main) {
                problems.push("series: expected at least one that is no further line".into());
            }
        }
        let is_scatter = self.kind == ChartShape::Scatter;
        if is_scatter && self.x.len() != self.categories.len() {
            let (want, got) = (self.categories.len(), self.x.len());
            problems.push(format!("x values: expected {want}, got {got}"));
        } else if is_scatter && self.x.iter().all(Option::is_none) && !self.x.is_empty() {
            problems
                .push("x values: expected numbers, got none; take a line chart for names".into());
        }
        if self.x.iter().flatten().any(|x| x.0.abs() > MAX_VALUE) {
            problems.push(format!("x values: expected at most {MAX_VALUE:e}"));
        }
    }

    fn check_whole(&self, problems: &mut Vec<String>) {
        if self.series.len() > 1 {
            let got = self.series.len();
            problems.push(format!(
                "series: a pie has exactly one, got {got}; take stacked columns for several"
            ));
        }
        if self.categories.len() > MAX_PARTS {
            let got = self.categories.len();
            problems.push(format!(
                "categories: expected at most {MAX_PARTS} parts of a pie, got {got}; take bars"
            ));
        }
        let Some(series) = self.series.first() else { return };
        let values = || series.values.iter().flatten().map(|value| value.0);
        if let Some(row) =
            series.values.iter().position(|value| value.is_some_and(|value| value.0 < 0.0))
        {
            let name = self.categories.get(row).map_or("", String::as_str);
            problems.push(format!(
                "{}, value {} (`{}`): parts of a whole cannot be negative; take columns",
                place_of(0, series),
                row + 1,
                text::cut_bytes(name, 60)
            ));
        } else if values().next().is_some() && values().all(|value| value == 0.0) {
            problems.push(format!("{}: a whole of zero has no parts", place_of(0, series)));
        }
    }
}

fn place_of(index: usize, series: &ChartSeries) -> String {
    match series.name.trim() {
        "" => format!("series {}", index + 1),
        name => format!("series {} (`{}`)", index + 1, text::cut_bytes(name, 60)),
    }
}
