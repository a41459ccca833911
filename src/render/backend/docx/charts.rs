//! Charts. In the text they are native charts of Word, which can be edited; in notes, where Word has none, they are
//! pictures. Each is in a line of its own, with its alternative text.

use super::inline_picture::{Drawing, InlinePicture};
use super::paragraph::{BlockContext, Properties};
use super::references::File;
use super::runs::RunFormat;
use super::writer::Writer;
use crate::model::chart::ChartDescription;
use crate::shared::chart::{OfficeChart, Type, chart_png, graphic};
use crate::shared::losses::LossKind;

/// Pixels of a picture for each pixel of the chart: 2.5 gives about 240 for an inch of paper.
const SCALE: f64 = 2.5;

/// English metric units in a pixel of 1/96 inch, and in a twentieth of a point.
const EMU_PER_PIXEL: f64 = 9_525.0;
const EMU_PER_TWENTIETH: f64 = 635.0;

/// Points in a pixel of 1/96 inch.
const POINTS: f64 = 0.75;

/// Height of the highest chart, in points: it must fit on the shorter paper.
const MAX_HEIGHT: f64 = 620.0;

impl Writer<'_> {
    pub(super) fn chart(&mut self, chart: &ChartDescription, context: &BlockContext) {
        let drawn = if context.in_note {
            self.chart_picture(chart, context)
        } else {
            self.native_chart(chart, context)
        };
        if let Err(error) = drawn {
            // The table keeps the data of a chart that cannot be drawn.
            self.losses.record(LossKind::Chart, &format!("a table in place of it: {error}"));
            self.flush_marker(context);
            self.table(&chart.to_table(), context);
        }
    }

    fn native_chart(
        &mut self,
        chart: &ChartDescription,
        context: &BlockContext,
    ) -> mitt_base::Result<()> {
        let drawn = OfficeChart::new(chart)?;
        let (size, shrunk) = self.fitted(drawn.size, context);
        let letters = Type { points: POINTS * shrunk, fonts: &self.frame.design.look.text };
        let parts = drawn.parts(&letters)?;
        drawn.warnings.iter().for_each(|warning| self.losses.record(LossKind::Chart, warning));
        drawn.for_each_text(&mut |text| self.losses.record_illegal(text));
        let number = self.charts.push(File::Native(parts), false);
        let keeps_next = drawn.source.is_some();
        self.open(context, Properties { side: "center", keeps_next, ..Properties::default() });
        let name = format!("Chart {number}");
        let frame = graphic(&format!("rIdChart{number}"));
        let frame = format!("<wp:cNvGraphicFramePr/>{frame}");
        let description = &drawn.alternative;
        self.inline_drawing(&Drawing { name: &name, description, title: None, size }, &frame);
        self.close();
        if let Some(source) = &drawn.source {
            let style = "Caption";
            self.open(context, Properties { style, side: "center", ..Properties::default() });
            self.run(source, RunFormat::default());
            self.close();
        }
        Ok(())
    }

    fn chart_picture(
        &mut self,
        chart: &ChartDescription,
        context: &BlockContext,
    ) -> mitt_base::Result<()> {
        let drawn = chart_png(chart, SCALE)?;
        drawn.warnings.iter().for_each(|warning| self.losses.record(LossKind::Chart, warning));
        let pixels = (f64::from(drawn.width) / SCALE, f64::from(drawn.height) / SCALE);
        let (size, _) = self.fitted(pixels, context);
        let number = self.charts.push(File::Picture(drawn.bytes), context.in_note);
        self.open(context, Properties { side: "center", ..Properties::default() });
        self.inline_picture(&InlinePicture {
            drawing: Drawing {
                name: &format!("Chart {number}"),
                description: &drawn.alternative,
                title: None,
                size,
            },
            file: &format!("chart{number}.png"),
            relationship: &format!("rIdChart{number}"),
        });
        self.close();
        Ok(())
    }

    /// Returns the size of a chart with these pixels in English metric units, and the factor by which it is shrunk to fit.
    fn fitted(&self, (width, height): (f64, f64), context: &BlockContext) -> ([u64; 2], f64) {
        let (width, height) = (width * EMU_PER_PIXEL, height * EMU_PER_PIXEL);
        let room = f64::from(self.width(context)) * EMU_PER_TWENTIETH;
        let shrunk = (room / width).min(MAX_HEIGHT * 20.0 * EMU_PER_TWENTIETH / height).min(1.0);
        ([(width * shrunk).round() as u64, (height * shrunk).round() as u64], shrunk)
    }
}
