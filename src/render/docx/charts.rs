//! Charts as pictures in a line of their own, with their alternative text.

use super::body::Writer;
use super::inline_picture::InlinePicture;
use super::paragraph::{Place, Properties};
use crate::chart::{ChartDescription, chart_png};
use crate::told::Kind;

/// Pixels of a picture for one of the chart: with 2.5, about 240 for an inch of paper.
const SCALE: f64 = 2.5;

/// English metric units of a pixel of 1/96 inch, and of a twentieth of a point.
const EMU_PER_PIXEL: f64 = 9_525.0;
const EMU_PER_TWENTIETH: f64 = 635.0;

/// Highest picture, in points: it has to fit on the shorter paper.
const MAX_HEIGHT: f64 = 620.0;

/// The charts of a document, as pictures.
#[derive(Default)]
pub(super) struct Charts {
    files: Vec<Vec<u8>>,
    /// Whether each stands in a note.
    in_notes: Vec<bool>,
}

impl Charts {
    pub(super) fn files(&self) -> &[Vec<u8>] {
        &self.files
    }

    /// Numbers of those in notes, or of the others, from 1.
    pub(super) fn numbers(&self, in_notes: bool) -> impl Iterator<Item = usize> {
        let all = self.in_notes.iter().enumerate();
        all.filter(move |(_, is)| **is == in_notes).map(|(index, _)| index + 1)
    }
}

impl Writer<'_> {
    pub(super) fn chart(&mut self, chart: &ChartDescription, place: &Place) {
        let drawn = match chart_png(chart, SCALE) {
            Ok(drawn) => drawn,
            Err(error) => {
                // Nothing is lost of what cannot be drawn.
                self.told.tell(Kind::Chart, &format!("a table in place of it: {error}"));
                self.flush_marker(place);
                return self.table(&chart.to_table(), place);
            }
        };
        drawn.warnings.iter().for_each(|warning| self.told.tell(Kind::Chart, warning));
        let (width, height) = (f64::from(drawn.width) / SCALE, f64::from(drawn.height) / SCALE);
        let (width, height) = (width * EMU_PER_PIXEL, height * EMU_PER_PIXEL);
        let room = f64::from(self.width(place)) * EMU_PER_TWENTIETH;
        let shrunk = (room / width).min(MAX_HEIGHT * 20.0 * EMU_PER_TWENTIETH / height).min(1.0);
        let (width, height) = ((width * shrunk).round() as u64, (height * shrunk).round() as u64);
        self.charts.files.push(drawn.bytes);
        self.charts.in_notes.push(place.in_note);
        let number = self.charts.files.len();
        self.open(place, Properties { side: "center", ..Properties::default() });
        self.inline_picture(&InlinePicture {
            name: &format!("Chart {number}"),
            file: &format!("chart{number}.png"),
            relationship: &format!("rIdChart{number}"),
            description: &drawn.alternative,
            title: None,
            size: [width, height],
        });
        self.close();
    }
}
