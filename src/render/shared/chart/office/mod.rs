//! Charts for Word and PowerPoint: a DrawingML part with the values, and the workbook for "edit data". Colours, marks,
//! number formats and the choice between columns and bars are those of our drawing; the program that shows the chart lays it
//! out.

mod axes;
mod book;
mod formats;
mod plot;
#[cfg(test)]
mod tests;
mod text;

use std::fmt::Write as _;

use self::formats::Formats;
use self::plot::Plot;
pub(crate) use self::text::Type;
use self::text::{ChartTextFormat, solid};
use super::layout::as_drawn;
use super::palette::{GREY, INK};
use super::words;
use crate::model::chart::description::{ChartDescription, ChartShape};
use crate::shared::ooxml::{Archive, HEAD, OFFICE, RELATIONSHIPS};
use mitt_base::Result;

/// Constants for references to a chart: relationship type, content type, namespace.
pub(crate) const CHART_KIND: &str =
    "application/vnd.openxmlformats-officedocument.drawingml.chart+xml";
const CHART: &str = "http://schemas.openxmlformats.org/drawingml/2006/chart";

/// Entry in the list of content types for workbooks in charts.
pub(crate) const BOOK_KIND: &str = "<Default Extension=\"xlsx\" \
     ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet\"/>";

const TITLE: ChartTextFormat = ChartTextFormat { pixels: 16.0, is_bold: true, color: INK };
const SUBTITLE: ChartTextFormat = ChartTextFormat { pixels: 13.0, is_bold: false, color: GREY };
const LEGEND: ChartTextFormat = ChartTextFormat { pixels: 12.0, is_bold: false, color: INK };

/// A chart for Word or PowerPoint.
pub(crate) struct OfficeChart {
    chart: ChartDescription,
    is_chinese: bool,
    /// Names of the series; those without a name are numbered.
    names: Vec<String>,
    /// Width and height in pixels of 1/96 inch.
    pub(crate) size: (f64, f64),
    /// Alternative text.
    pub(crate) alternative: String,
    /// Source of the figures, as a line below it, because the format has no place for it.
    pub(crate) source: Option<String>,
    /// Losses and changes, one sentence each.
    pub(crate) warnings: Vec<String>,
}

/// The files of a chart.
pub(crate) struct ChartParts {
    xml: String,
    book: Vec<u8>,
}

impl OfficeChart {
    /// # Errors
    ///
    /// Those of [`ChartDescription::check`].
    pub(crate) fn new(chart: &ChartDescription) -> Result<OfficeChart> {
        chart.check()?;
        let is_chinese = chart.is_chinese();
        let (mut chart, is_lying) = as_drawn(chart);
        let alternative = words::alternative(&chart, is_chinese);
        let source = chart.source.take().filter(|source| !source.trim().is_empty());
        let source = source.map(|source| words::source(&source, is_chinese));
        let size = chart.pixels();
        if chart.kind == ChartShape::Scatter {
            keep_with_x(&mut chart);
        }
        let name = |(index, name): (usize, &str)| match (name.trim(), is_chinese) {
            ("", true) => format!("系列 {}", index + 1),
            ("", false) => format!("Series {}", index + 1),
            (name, _) => name.to_owned(),
        };
        let names = chart.series.iter().map(|series| &*series.name).enumerate().map(name).collect();
        let warnings = if is_lying { vec![super::layout::LYING.to_owned()] } else { Vec::new() };
        Ok(OfficeChart { chart, is_chinese, names, size, alternative, source, warnings })
    }

    /// Returns its data as drawn, for a writer that has its own looks. Every series has a name.
    #[cfg(feature = "pptx")]
    pub(crate) fn into_description(self) -> ChartDescription {
        let OfficeChart { mut chart, names, .. } = self;
        for (series, name) in chart.series.iter_mut().zip(names) {
            series.name = name;
        }
        chart
    }

    /// Calls `visit` with each of its texts.
    pub(crate) fn for_each_text<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        self.chart.for_each_text(visit);
    }

    /// Returns its files.
    pub(crate) fn parts(&self, letters: &Type<'_>) -> Result<ChartParts> {
        let formats = Formats::of(&self.chart, self.is_chinese);
        let xml = self.xml(&formats, letters);
        let book = book::book(&self.chart, &self.names, &formats)?;
        Ok(ChartParts { xml, book })
    }

    fn xml(&self, formats: &Formats, letters: &Type<'_>) -> String {
        let chart = &self.chart;
        let mut xml = format!(
            "{HEAD}<c:chartSpace xmlns:c=\"{CHART}\" xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" xmlns:r=\"{OFFICE}\">\
             <c:date1904 val=\"0\"/><c:roundedCorners val=\"0\"/><c:chart>"
        );
        let title = chart.title.as_deref().unwrap_or_default();
        let subtitle = chart.subtitle.as_deref().unwrap_or_default();
        let title = letters.title(&[(title, TITLE), (subtitle, SUBTITLE)], 0);
        xml.push_str(&title);
        let _ = write!(
            xml,
            "<c:autoTitleDeleted val=\"{}\"/><c:plotArea><c:layout/>",
            u8::from(title.is_empty())
        );
        xml.push_str(&Plot { chart, names: &self.names, formats, letters }.groups());
        if !matches!(chart.kind, ChartShape::Pie | ChartShape::Doughnut) {
            xml.push_str(&axes::axes(chart, formats, letters));
        }
        xml.push_str("</c:plotArea>");
        if let Some(place) = plot::legend(chart) {
            let _ = write!(
                xml,
                "<c:legend><c:legendPos val=\"{place}\"/><c:overlay val=\"0\"/>{}</c:legend>",
                letters.labels(LEGEND)
            );
        }
        let _ = write!(
            xml,
            "<c:plotVisOnly val=\"1\"/><c:dispBlanksAs val=\"gap\"/></c:chart><c:spPr>{}<a:ln><a:noFill/></a:ln></c:spPr>{}\
             <c:externalData r:id=\"rId1\"><c:autoUpdate val=\"0\"/></c:externalData></c:chartSpace>",
            solid(super::palette::WHITE),
            letters.labels(LEGEND)
        );
        xml
    }
}

/// Removes the points without an x value, which Excel would number instead.
fn keep_with_x(chart: &mut ChartDescription) {
    let has_x: Vec<bool> = chart.x.iter().map(Option::is_some).collect();
    fn keep<T>(all: &mut Vec<T>, has_x: &[bool]) {
        let mut is_kept = has_x.iter().copied();
        all.retain(|_| is_kept.next().unwrap_or(true));
    }
    keep(&mut chart.categories, &has_x);
    keep(&mut chart.x, &has_x);
    chart.series.iter_mut().for_each(|series| keep(&mut series.values, &has_x));
}

/// Returns the frame by which Word and PowerPoint refer to a chart.
pub(crate) fn graphic(relationship: &str) -> String {
    format!(
        "<a:graphic><a:graphicData uri=\"{CHART}\"><c:chart xmlns:c=\"{CHART}\" r:id=\"{relationship}\"/></a:graphicData></a:graphic>"
    )
}

/// Returns the name of a chart's part below the folder of the main part. Numbers begin at 1.
pub(crate) fn chart_name(number: usize) -> String {
    format!("charts/chart{number}.xml")
}

impl ChartParts {
    /// Stores the files of a chart below the folder of the main part.
    pub(crate) fn store(&self, archive: &mut Archive, folder: &str, number: usize) -> Result<()> {
        archive.add(&format!("{folder}/{}", chart_name(number)), &self.xml)?;
        archive.add(
            &format!("{folder}/charts/_rels/chart{number}.xml.rels"),
            &format!(
                "{HEAD}<Relationships xmlns=\"{RELATIONSHIPS}\"><Relationship Id=\"rId1\" Type=\"{OFFICE}/package\" \
                 Target=\"../embeddings/chart{number}.xlsx\"/></Relationships>"
            ),
        )?;
        archive.store(&format!("{folder}/embeddings/chart{number}.xlsx"), &self.book)
    }
}
