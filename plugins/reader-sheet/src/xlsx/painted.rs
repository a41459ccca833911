//! Finds the cell formats whose text has the colour of its fill.

use super::palette::{Palette, Rgb};
use crate::package::{attribute, events};
use crate::unseen::{BLACK, Unseen, WHITE};
use quick_xml::events::{BytesStart, Event};

/// The most fonts and fills of a workbook.
const MAX_STYLES: usize = 1 << 16;

/// The list that is being read.
#[derive(Clone, Copy, Default, PartialEq)]
enum List {
    #[default]
    None,
    Fonts,
    Fills,
    CellFormats,
}

/// What text lies on; `None` if it is mixed of colours.
type Ground = Option<Rgb>;

#[derive(Default)]
struct Reader {
    palette: Palette,
    list: List,
    indexed: usize,
    fonts: Vec<Rgb>,
    fills: Vec<Ground>,
    /// `true` if the last fill has one colour, in the element that follows.
    is_solid: bool,
    found: Vec<bool>,
}

/// Returns for each cell format whether its text has the colour of its fill. `theme` is the part with the theme; both may
/// be empty.
pub(super) fn painted(styles: &[u8], theme: &[u8]) -> Vec<bool> {
    let mut reader = Reader::default();
    reader.palette.read_theme(theme);
    // The indexed colours of a workbook are at the end of its styles.
    events(styles, |event| {
        if let Event::Start(element) = event
            && element.local_name().as_ref() == "rgbColor"
        {
            if let Some(colour) = attribute(element, "rgb") {
                reader.palette.set_indexed(reader.indexed, &colour);
            }
            reader.indexed += 1;
        }
    });
    events(styles, |event| match event {
        Event::Start(element) => reader.start(element),
        Event::End(element)
            if matches!(element.local_name().as_ref(), "fonts" | "fills" | "cellXfs") =>
        {
            reader.list = List::None;
        }
        _ => {}
    });
    reader.found
}

impl Reader {
    fn start(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name();
        match (name.as_ref(), self.list) {
            ("fonts", _) => self.list = List::Fonts,
            ("fills", _) => self.list = List::Fills,
            ("cellXfs", _) => self.list = List::CellFormats,
            ("font", List::Fonts) if self.fonts.len() < MAX_STYLES => self.fonts.push(BLACK),
            ("color", List::Fonts) => {
                if let Some(font) = self.fonts.last_mut() {
                    *font = self.palette.color(element).unwrap_or(BLACK);
                }
            }
            ("fill", List::Fills) if self.fills.len() < MAX_STYLES => self.fills.push(Some(WHITE)),
            (name, List::Fills) => self.fill(name, element),
            ("xf", List::CellFormats) => {
                let index = |name| {
                    attribute(element, name)
                        .and_then(|it| it.trim().parse::<usize>().ok())
                        .unwrap_or(0)
                };
                let font = self.fonts.get(index("fontId")).copied().unwrap_or(BLACK);
                let fill = self.fills.get(index("fillId")).copied().unwrap_or(Some(WHITE));
                // Excel takes the first fill for none, whatever it is, and other programs show it.
                let fill = fill.filter(|it| index("fillId") > 0 || *it == WHITE);
                self.found.push(Unseen::is_like(font, fill));
            }
            _ => {}
        }
    }

    fn fill(&mut self, name: &str, element: &BytesStart<'_>) {
        let Some(fill) = self.fills.last_mut() else { return };
        match name {
            "patternFill" => {
                *fill = match attribute(element, "patternType").as_deref() {
                    // The colour of the window is white.
                    None | Some("none" | "solid") => Some(WHITE),
                    Some(_) => None,
                };
                self.is_solid = attribute(element, "patternType").as_deref() == Some("solid");
            }
            "fgColor" if self.is_solid => {
                *fill = Some(self.palette.color(element).unwrap_or(WHITE));
            }
            "gradientFill" => {
                *fill = None;
                self.is_solid = false;
            }
            _ => {}
        }
    }
}
