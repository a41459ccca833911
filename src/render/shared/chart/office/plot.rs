//! The series of a chart, grouped by how they are drawn.

use std::fmt::Write as _;

use super::super::palette::{self, INK, Mark, WHITE};
use super::axes::{FIRST, SECOND};
use super::book::{SHEET, letter, number};
use super::formats::Formats;
use super::text::{ChartTextFormat, Type, pushed, solid};
use crate::model::chart::description::{
    ChartDescription, ChartLabels, ChartRole, ChartShape, ChartStack,
};

/// Most slices that are named beside the pie; more get a legend.
const NAMED_SLICES: usize = 8;
/// Most points for which lines have marks.
const MARKED_POINTS: usize = 24;
/// Most values that are written at columns, at bars, and within stacks.
const COLUMN_VALUES: usize = 16;
const BAR_VALUES: usize = 48;
const STACK_VALUES: usize = 24;

const VALUE: ChartTextFormat = ChartTextFormat { pixels: 11.0, is_bold: false, color: INK };

/// How a group of series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlotKind {
    Columns,
    Bars,
    Lines,
    Areas,
    Points,
    Pie,
    Ring,
}

/// Writes the groups of a chart.
pub(super) struct Plot<'a> {
    pub(super) chart: &'a ChartDescription,
    /// Names of the series.
    pub(super) names: &'a [String],
    pub(super) formats: &'a Formats,
    pub(super) letters: &'a Type<'a>,
}

/// Returns `true` if slices have their names beside them.
fn names_slices(chart: &ChartDescription) -> bool {
    chart.kind == ChartShape::Pie
        && chart.len() <= NAMED_SLICES
        && chart.labels != ChartLabels::None
}

/// Returns the position of the legend; `None` if there is none.
pub(super) fn legend(chart: &ChartDescription) -> Option<&'static str> {
    match chart.kind {
        ChartShape::Pie | ChartShape::Doughnut => (!names_slices(chart)).then_some("r"),
        _ => (chart.series.len() > 1).then_some("t"),
    }
}

impl Plot<'_> {
    /// Returns all groups, those in front last.
    pub(super) fn groups(&self) -> String {
        let main = match self.chart.kind {
            ChartShape::Column => PlotKind::Columns,
            ChartShape::Bar => PlotKind::Bars,
            ChartShape::Line => PlotKind::Lines,
            ChartShape::Area => PlotKind::Areas,
            ChartShape::Pie => PlotKind::Pie,
            ChartShape::Doughnut => PlotKind::Ring,
            ChartShape::Scatter => PlotKind::Points,
        };
        let with = |role: ChartRole| -> Vec<usize> {
            let all = self.chart.series.iter().enumerate();
            all.filter(|(_, series)| series.role == role).map(|(index, _)| index).collect()
        };
        let mut xml = self.group(main, &with(ChartRole::Main), FIRST);
        for (role, axes) in [(ChartRole::Line, FIRST), (ChartRole::Second, SECOND)] {
            let series = with(role);
            if !series.is_empty() {
                xml.push_str(&self.group(PlotKind::Lines, &series, axes));
            }
        }
        xml
    }

    fn group(&self, kind: PlotKind, series: &[usize], axes: (u32, u32)) -> String {
        let (element, head) = self.head(kind);
        let mut xml = format!("<c:{element}>{head}");
        for index in series {
            self.series(&mut xml, kind, *index);
        }
        let is_stacked = self.chart.stack != ChartStack::Apart;
        match kind {
            PlotKind::Columns | PlotKind::Bars => {
                let overlap = if is_stacked { 100 } else { 0 };
                let _ = write!(xml, "<c:gapWidth val=\"60\"/><c:overlap val=\"{overlap}\"/>");
            }
            PlotKind::Lines => xml.push_str("<c:marker val=\"1\"/>"),
            PlotKind::Pie => xml.push_str("<c:firstSliceAng val=\"0\"/>"),
            PlotKind::Ring => xml.push_str("<c:firstSliceAng val=\"0\"/><c:holeSize val=\"58\"/>"),
            PlotKind::Areas | PlotKind::Points => {}
        }
        if !matches!(kind, PlotKind::Pie | PlotKind::Ring) {
            let _ = write!(xml, "<c:axId val=\"{}\"/><c:axId val=\"{}\"/>", axes.0, axes.1);
        }
        let _ = write!(xml, "</c:{element}>");
        xml
    }

    /// Returns the element of a group, and its content before the series.
    fn head(&self, kind: PlotKind) -> (&'static str, String) {
        let grouping = match (self.chart.stack, kind) {
            (ChartStack::Apart, PlotKind::Columns | PlotKind::Bars) => "clustered",
            (ChartStack::Stacked, PlotKind::Columns | PlotKind::Bars | PlotKind::Areas) => {
                "stacked"
            }
            (ChartStack::Full, PlotKind::Columns | PlotKind::Bars | PlotKind::Areas) => {
                "percentStacked"
            }
            _ => "standard",
        };
        let colors = "<c:varyColors val=\"0\"/>";
        let grouping = format!("<c:grouping val=\"{grouping}\"/>{colors}");
        match kind {
            PlotKind::Columns => ("barChart", format!("<c:barDir val=\"col\"/>{grouping}")),
            PlotKind::Bars => ("barChart", format!("<c:barDir val=\"bar\"/>{grouping}")),
            PlotKind::Lines => ("lineChart", grouping),
            PlotKind::Areas => ("areaChart", grouping),
            PlotKind::Points => {
                ("scatterChart", format!("<c:scatterStyle val=\"lineMarker\"/>{colors}"))
            }
            PlotKind::Pie => ("pieChart", "<c:varyColors val=\"1\"/>".into()),
            PlotKind::Ring => ("doughnutChart", "<c:varyColors val=\"1\"/>".into()),
        }
    }

    fn series(&self, xml: &mut String, kind: PlotKind, index: usize) {
        let name = pushed(self.names.get(index).map_or("", String::as_str));
        let column = letter(index + 1);
        let _ = write!(
            xml,
            "<c:ser><c:idx val=\"{index}\"/><c:order val=\"{index}\"/><c:tx><c:strRef><c:f>{SHEET}!${column}$1</c:f>\
             <c:strCache><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        );
        self.shape_properties(xml, kind, index);
        self.labels(xml, kind, index);
        let (categories, values) = match kind {
            PlotKind::Points => ("c:xVal", "c:yVal"),
            _ => ("c:cat", "c:val"),
        };
        let _ = write!(xml, "<{categories}>");
        if kind == PlotKind::Points {
            let x = self.chart.x.iter().map(|x| x.map(|x| x.get()));
            numbers(xml, 'A', &self.formats.x, x);
        } else {
            self.categories(xml);
        }
        let _ = write!(xml, "</{categories}><{values}>");
        let all = self.chart.series[index].values.iter().map(|value| value.map(|it| it.get()));
        numbers(xml, column, self.format(index), all);
        let _ = write!(xml, "</{values}>");
        if matches!(kind, PlotKind::Lines | PlotKind::Points) {
            xml.push_str("<c:smooth val=\"0\"/>");
        }
        xml.push_str("</c:ser>");
    }

    fn format(&self, index: usize) -> &str {
        match self.chart.series[index].role {
            ChartRole::Second => &self.formats.second_values,
            ChartRole::Main | ChartRole::Line => &self.formats.values,
        }
    }

    /// Writes colours, lines and marks.
    fn shape_properties(&self, xml: &mut String, kind: PlotKind, index: usize) {
        let fill = solid(palette::color(index));
        match kind {
            PlotKind::Columns | PlotKind::Bars => {
                let _ = write!(xml, "<c:spPr>{fill}</c:spPr><c:invertIfNegative val=\"0\"/>");
            }
            PlotKind::Areas => {
                // Areas behind stay visible.
                let is_apart = self.chart.stack == ChartStack::Apart && self.chart.series.len() > 1;
                let area = if is_apart {
                    fill.replace(
                        "\"/></a:solidFill>",
                        "\"><a:alpha val=\"45000\"/></a:srgbClr></a:solidFill>",
                    )
                } else {
                    fill.clone()
                };
                let _ = write!(xml, "<c:spPr>{area}<a:ln w=\"19050\">{fill}</a:ln></c:spPr>");
            }
            PlotKind::Lines => {
                let dash = match palette::dashes(index) {
                    [] => "solid",
                    [first, _] if *first > 2.0 => "dash",
                    [_, _] => "sysDot",
                    _ => "dashDot",
                };
                let _ = write!(
                    xml,
                    "<c:spPr><a:ln w=\"28575\" cap=\"rnd\">{fill}<a:prstDash val=\"{dash}\"/><a:round/></a:ln></c:spPr>"
                );
                if self.has_marks(index) {
                    mark(xml, index)
                } else {
                    xml.push_str("<c:marker><c:symbol val=\"none\"/></c:marker>")
                }
            }
            PlotKind::Points => {
                xml.push_str("<c:spPr><a:ln w=\"28575\"><a:noFill/></a:ln></c:spPr>");
                mark(xml, index);
            }
            PlotKind::Pie | PlotKind::Ring => {
                for part in 0..self.chart.len() {
                    let (fill, edge) = (solid(palette::color(part)), solid(WHITE));
                    let _ = write!(
                        xml,
                        "<c:dPt><c:idx val=\"{part}\"/><c:bubble3D val=\"0\"/><c:spPr>{fill}<a:ln w=\"19050\">{edge}</a:ln></c:spPr></c:dPt>"
                    );
                }
            }
        }
    }

    /// Returns `true` if a line needs marks, because it does not show a value between two gaps.
    fn has_marks(&self, index: usize) -> bool {
        let values = &self.chart.series[index].values;
        let is_there = |at: Option<usize>| {
            at.and_then(|at| values.get(at)).is_some_and(|value| value.is_some())
        };
        let is_alone = |at: usize| {
            is_there(Some(at)) && !is_there(at.checked_sub(1)) && !is_there(Some(at + 1))
        };
        values.len() <= MARKED_POINTS || (0..values.len()).any(is_alone)
    }

    /// Writes values at bars and points, names at slices.
    fn labels(&self, xml: &mut String, kind: PlotKind, index: usize) {
        let chart = self.chart;
        let is_stacked = chart.stack != ChartStack::Apart;
        let count = chart.series.len() * chart.len();
        let is_plain = chart.series.iter().all(|series| series.role == ChartRole::Main);
        let is_written = match (chart.labels, kind) {
            (ChartLabels::None, _) => false,
            (ChartLabels::All, _) | (_, PlotKind::Pie | PlotKind::Ring) => true,
            // Office does not write shares at columns; the axis shows them.
            (ChartLabels::Auto, PlotKind::Columns | PlotKind::Bars) if is_stacked => {
                chart.stack == ChartStack::Stacked && count <= STACK_VALUES
            }
            (ChartLabels::Auto, PlotKind::Columns) => count <= COLUMN_VALUES && is_plain,
            (ChartLabels::Auto, PlotKind::Bars) => count <= BAR_VALUES,
            (ChartLabels::Auto, _) => false,
        };
        if !is_written {
            return;
        }
        let (place, color) = match kind {
            PlotKind::Columns | PlotKind::Bars if is_stacked => ("ctr", palette::ink_on(index)),
            PlotKind::Columns | PlotKind::Bars | PlotKind::Pie => ("outEnd", INK),
            PlotKind::Lines | PlotKind::Points => ("t", INK),
            // These have one possible position.
            PlotKind::Areas | PlotKind::Ring => ("", INK),
        };
        xml.push_str("<c:dLbls>");
        if kind == PlotKind::Ring {
            for part in 0..chart.len() {
                let format = ChartTextFormat { color: palette::ink_on(part), ..VALUE };
                let _ = write!(xml, "<c:dLbl><c:idx val=\"{part}\"/>");
                self.label(xml, kind, index, place, format);
                xml.push_str("</c:dLbl>");
            }
        }
        self.label(xml, kind, index, place, ChartTextFormat { color, ..VALUE });
        xml.push_str("</c:dLbls>");
    }

    fn label(
        &self,
        xml: &mut String,
        kind: PlotKind,
        index: usize,
        place: &str,
        format: ChartTextFormat,
    ) {
        let is_share = matches!(kind, PlotKind::Pie | PlotKind::Ring);
        let has_name = kind == PlotKind::Pie && names_slices(self.chart);
        let number_format = if is_share { "0.0%" } else { self.format(index) };
        let _ = write!(
            xml,
            "<c:numFmt formatCode=\"{}\" sourceLinked=\"0\"/><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>{}",
            pushed(number_format),
            self.letters.labels(format)
        );
        if !place.is_empty() {
            let _ = write!(xml, "<c:dLblPos val=\"{place}\"/>");
        }
        let _ = write!(
            xml,
            "<c:showLegendKey val=\"0\"/><c:showVal val=\"{}\"/><c:showCatName val=\"{}\"/><c:showSerName val=\"0\"/>\
             <c:showPercent val=\"{}\"/><c:showBubbleSize val=\"0\"/>",
            u8::from(!is_share),
            u8::from(has_name),
            u8::from(is_share)
        );
        if has_name {
            xml.push_str("<c:separator> </c:separator>");
        }
    }

    fn categories(&self, xml: &mut String) {
        let count = self.chart.len();
        let _ = write!(
            xml,
            "<c:strRef><c:f>{SHEET}!$A$2:$A${}</c:f><c:strCache><c:ptCount val=\"{count}\"/>",
            count + 1
        );
        for (at, name) in self.chart.categories.iter().enumerate() {
            let _ = write!(xml, "<c:pt idx=\"{at}\"><c:v>{}</c:v></c:pt>", pushed(name));
        }
        xml.push_str("</c:strCache></c:strRef>");
    }
}

/// Writes the cells of a column with their values. Gaps are left out.
fn numbers(
    xml: &mut String,
    column: char,
    format: &str,
    values: impl ExactSizeIterator<Item = Option<f64>>,
) {
    let count = values.len();
    let _ = write!(
        xml,
        "<c:numRef><c:f>{SHEET}!${column}$2:${column}${}</c:f><c:numCache><c:formatCode>{}</c:formatCode><c:ptCount val=\"{count}\"/>",
        count + 1,
        pushed(format)
    );
    for (at, value) in values.enumerate() {
        if let Some(value) = value {
            let _ = write!(xml, "<c:pt idx=\"{at}\"><c:v>{}</c:v></c:pt>", number(value));
        }
    }
    xml.push_str("</c:numCache></c:numRef>");
}

/// Writes the mark of a series.
fn mark(xml: &mut String, index: usize) {
    let symbol = match palette::mark(index) {
        Mark::Disc => "circle",
        Mark::Square => "square",
        Mark::Triangle => "triangle",
        Mark::Diamond => "diamond",
    };
    let fill = solid(palette::color(index));
    let _ = write!(
        xml,
        "<c:marker><c:symbol val=\"{symbol}\"/><c:size val=\"6\"/><c:spPr>{fill}<a:ln><a:noFill/></a:ln></c:spPr></c:marker>"
    );
}
