//! Text of a chart: titles, and formatting of labels.

use std::fmt::Write as _;

use crate::shared::losses::Losses;
use crate::shared::office::OfficeFonts;
use crate::shared::xml::push_text;

/// Formatting of text.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChartTextFormat {
    /// Height in pixels of the description.
    pub(super) pixels: f64,
    pub(super) is_bold: bool,
    /// Colour as `#RRGGBB`.
    pub(super) color: &'static str,
}

/// Properties of all text of a chart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type<'a> {
    /// Points on the page for a pixel of the description.
    pub(crate) points: f64,
    pub(crate) fonts: &'a OfficeFonts,
}

/// Smallest size of text, in points.
const LEAST: f64 = 6.0;

/// Escapes a text for XML. The caller reports characters that XML cannot hold.
pub(super) fn pushed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_text(&mut out, text, &mut Losses::default());
    out
}

/// Returns a colour in the format's notation.
pub(super) fn solid(color: &str) -> String {
    format!(
        "<a:solidFill><a:srgbClr val=\"{}\"/></a:solidFill>",
        color.trim_start_matches('#').to_ascii_uppercase()
    )
}

impl Type<'_> {
    /// Returns properties of text, as an element of this name.
    fn run(&self, element: &str, format: ChartTextFormat) -> String {
        let size = (format.pixels * self.points).max(LEAST) * 100.0;
        format!(
            "<a:{element} sz=\"{size:.0}\" b=\"{}\">{}<a:latin typeface=\"{}\"/><a:ea typeface=\"{}\"/></a:{element}>",
            u8::from(format.is_bold),
            solid(format.color),
            pushed(&self.fonts.latin),
            pushed(&self.fonts.east_asian)
        )
    }

    /// Returns the formatting of text that comes from the data.
    pub(super) fn labels(&self, format: ChartTextFormat) -> String {
        format!(
            "<c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr>{}</a:pPr><a:endParaRPr lang=\"en-US\"/></a:p></c:txPr>",
            self.run("defRPr", format)
        )
    }

    /// Returns a title of these lines; empty without lines. `turn` is its rotation in degrees.
    pub(super) fn title(&self, lines: &[(&str, ChartTextFormat)], turn: i32) -> String {
        let lines: Vec<_> = lines.iter().filter(|(text, _)| !text.trim().is_empty()).collect();
        if lines.is_empty() {
            return String::new();
        }
        let mut xml = match turn {
            0 => "<c:title><c:tx><c:rich><a:bodyPr/><a:lstStyle/>".to_owned(),
            turn => format!(
                "<c:title><c:tx><c:rich><a:bodyPr rot=\"{}\" vert=\"horz\"/><a:lstStyle/>",
                turn * 60_000
            ),
        };
        for (text, format) in lines {
            let _ = write!(
                xml,
                "<a:p><a:pPr>{}</a:pPr><a:r>{}<a:t>{}</a:t></a:r></a:p>",
                self.run("defRPr", *format),
                self.run("rPr", *format),
                pushed(text.trim())
            );
        }
        xml + "</c:rich></c:tx><c:overlay val=\"0\"/></c:title>"
    }
}
