//! The axes of a chart.

use std::fmt::Write as _;

use super::super::palette::{BASE, GREY, GRID, INK};
use super::formats::Formats;
use super::text::{ChartTextFormat, Type, pushed, solid};
use crate::model::chart::description::{ChartDescription, ChartRole, ChartShape, ChartStack};

/// Identifiers by which series refer to their axes: categories and values, of the first and of the second axis.
pub(super) const FIRST: (u32, u32) = (1, 2);
pub(super) const SECOND: (u32, u32) = (3, 4);

const LABEL: ChartTextFormat = ChartTextFormat { pixels: 12.0, is_bold: false, color: GREY };
const TITLE: ChartTextFormat = ChartTextFormat { pixels: 12.0, is_bold: false, color: INK };

/// An axis.
struct Axis<'a> {
    /// Its identifier, and that of the axis that it crosses.
    numbers: (u32, u32),
    /// Side: `l`, `r` or `b`.
    side: &'a str,
    is_category: bool,
    is_reversed: bool,
    is_hidden: bool,
    /// Least and largest value, if Office should not choose them.
    ends: (Option<f64>, Option<f64>),
    has_grid: bool,
    has_line: bool,
    title: Option<&'a str>,
    format: &'a str,
    /// Where it crosses the other one.
    crosses: &'a str,
    /// `true` if values are between the ticks of categories.
    is_between: bool,
}

impl Axis<'_> {
    fn xml(&self, letters: &Type<'_>) -> String {
        let element = if self.is_category { "c:catAx" } else { "c:valAx" };
        let mut xml = format!("<{element}><c:axId val=\"{}\"/><c:scaling>", self.numbers.0);
        let direction = if self.is_reversed { "maxMin" } else { "minMax" };
        let _ = write!(xml, "<c:orientation val=\"{direction}\"/>");
        for (name, end) in [("max", self.ends.1), ("min", self.ends.0)] {
            if let Some(end) = end {
                let _ = write!(xml, "<c:{name} val=\"{end}\"/>");
            }
        }
        let _ = write!(
            xml,
            "</c:scaling><c:delete val=\"{}\"/><c:axPos val=\"{}\"/>",
            u8::from(self.is_hidden),
            self.side
        );
        if self.has_grid {
            let line = solid(GRID);
            let _ = write!(
                xml,
                "<c:majorGridlines><c:spPr><a:ln w=\"9525\">{line}</a:ln></c:spPr></c:majorGridlines>"
            );
        }
        let turn = if self.side == "b" { 0 } else { -90 };
        xml.push_str(&letters.title(&[(self.title.unwrap_or_default(), TITLE)], turn));
        let format = pushed(self.format);
        // Names of categories are at the edge, even if bars go below zero.
        let labels = if self.is_category { "low" } else { "nextTo" };
        let line = if self.has_line { solid(BASE) } else { "<a:noFill/>".into() };
        let _ = write!(
            xml,
            "<c:numFmt formatCode=\"{format}\" sourceLinked=\"0\"/><c:majorTickMark val=\"none\"/>\
             <c:minorTickMark val=\"none\"/><c:tickLblPos val=\"{labels}\"/><c:spPr><a:ln w=\"9525\">{line}</a:ln></c:spPr>{}\
             <c:crossAx val=\"{}\"/><c:crosses val=\"{}\"/>",
            letters.labels(LABEL),
            self.numbers.1,
            self.crosses
        );
        if self.is_category {
            xml.push_str("<c:auto val=\"0\"/><c:lblAlgn val=\"ctr\"/><c:lblOffset val=\"100\"/><c:noMultiLvlLbl val=\"1\"/>");
        } else {
            let between = if self.is_between { "between" } else { "midCat" };
            let _ = write!(xml, "<c:crossBetween val=\"{between}\"/>");
        }
        let _ = write!(xml, "</{element}>");
        xml
    }
}

/// Returns the axes of a chart that has some.
pub(super) fn axes(chart: &ChartDescription, formats: &Formats, letters: &Type<'_>) -> String {
    let is_bar = chart.kind == ChartShape::Bar;
    let is_scatter = chart.kind == ChartShape::Scatter;
    let is_full = chart.stack == ChartStack::Full;
    let stands_on_zero =
        matches!(chart.kind, ChartShape::Column | ChartShape::Bar | ChartShape::Area);
    let has_second = chart.series.iter().any(|series| series.role == ChartRole::Second);
    let (least, most) = formats.ends;
    // Lengths of bars are compared, so their axis begins at zero.
    let ends = match (is_full, stands_on_zero) {
        (true, _) => (
            Some(if least < 0.0 { -1.0 } else { 0.0 }),
            Some(if most > 0.0 || least == most { 1.0 } else { 0.0 }),
        ),
        (false, true) => {
            ((least >= 0.0).then_some(0.0), (most <= 0.0 && least < 0.0).then_some(0.0))
        }
        (false, false) => (None, None),
    };
    let base = Axis {
        numbers: FIRST,
        side: if is_bar { "l" } else { "b" },
        is_category: !is_scatter,
        // The first one is at the top, as in the table.
        is_reversed: is_bar,
        is_hidden: false,
        ends: (None, None),
        has_grid: is_scatter,
        has_line: true,
        title: chart.category_title.as_deref(),
        format: if is_scatter { &formats.x } else { "General" },
        crosses: "autoZero",
        is_between: false,
    };
    let is_line = matches!(chart.kind, ChartShape::Line | ChartShape::Area | ChartShape::Scatter);
    let values = Axis {
        numbers: (FIRST.1, FIRST.0),
        side: if is_bar { "b" } else { "l" },
        is_category: false,
        is_reversed: false,
        is_hidden: false,
        ends,
        has_grid: true,
        has_line: false,
        title: chart.value_title.as_deref(),
        format: &formats.ticks,
        // At the bottom, although the order of categories is reversed.
        crosses: if is_bar { "max" } else { "autoZero" },
        is_between: !is_line,
    };
    let mut xml = base.xml(letters) + &values.xml(letters);
    if has_second {
        let second = Axis {
            numbers: (SECOND.1, SECOND.0),
            side: "r",
            ends: (None, None),
            has_grid: false,
            title: chart.second_title.as_deref(),
            format: &formats.second_ticks,
            crosses: "max",
            ..values
        };
        let hidden = Axis { numbers: SECOND, is_hidden: true, title: None, ..base };
        xml.push_str(&second.xml(letters));
        xml.push_str(&hidden.xml(letters));
    }
    xml
}
