//! Finds the cell formats of an old workbook whose text is not shown.

use super::record::{Record, Version};
use crate::bytes::{u16_at, u32_at};
use crate::unseen::{BLACK, Rgb, Unseen, WHITE};
use mitt_number_format::INDEXED;
use std::collections::HashMap;

/// The most fonts of a workbook, and the most cell formats.
const MAX_STYLES: usize = 1 << 16;

/// Number of the first colour that a workbook can define.
const FIRST_OWN: usize = 8;

/// Newer colours in a cell format.
const FILL_COLOUR: u16 = 4;
const FILL_BACKGROUND: u16 = 5;
const GRADIENT: u16 = 6;
const TEXT_COLOUR: u16 = 13;

/// Fonts, colours and cell formats, as far as they hide text.
pub(super) struct Painted {
    colours: [Rgb; 64],
    /// Number of the colour of each font.
    fonts: Vec<u16>,
    formats: Vec<CellFormat>,
    /// Number formats that do not show everything.
    empty: HashMap<u16, Unseen>,
}

/// What of a cell format concerns what it shows.
#[derive(Clone, Copy, Default)]
struct CellFormat {
    number_format: u16,
    font: u16,
    /// Pattern, and the numbers of its colour and of the colour behind it. `None` before Excel 5.
    fill: Option<(u32, u16)>,
    /// Colours of Excel 2007 and later, which replace those above. The inner `None` is one that is not known.
    ink: Option<Option<Rgb>>,
    ground: Option<Option<Rgb>>,
}

impl Default for Painted {
    fn default() -> Self {
        Self { colours: INDEXED, fonts: Vec::new(), formats: Vec::new(), empty: HashMap::new() }
    }
}

impl Painted {
    /// Takes the colours of the workbook.
    pub(super) fn palette(&mut self, data: &[u8]) {
        let colours = data.get(2..).unwrap_or_default().chunks_exact(4);
        for (slot, colour) in self.colours.iter_mut().skip(FIRST_OWN).zip(colours) {
            *slot = [colour[0], colour[1], colour[2]];
        }
    }

    pub(super) fn font(&mut self, data: &[u8]) {
        if self.fonts.len() < MAX_STYLES {
            self.fonts.push(u16_at(data, 4).unwrap_or(u16::MAX));
        }
    }

    /// Takes the text of a number format.
    pub(super) fn number_format(&mut self, id: u16, format: &str) {
        let unseen = Unseen::of_format(format);
        if unseen != Unseen::default() {
            self.empty.insert(id, unseen);
        }
    }

    /// Takes a cell format.
    pub(super) fn cell_format(
        &mut self,
        record: &Record<'_>,
        number_format: u16,
        version: Version,
    ) {
        if self.formats.len() >= MAX_STYLES {
            return;
        }
        let data = record.data;
        let fill = match version {
            Version::Eight => u32_at(data, 14)
                .zip(u16_at(data, 18))
                .map(|(pattern, colours)| (pattern >> 26, colours)),
            Version::Five => u32_at(data, 8)
                .map(|fill| (fill >> 16 & 0x3F, u16::try_from(fill & 0x3FFF).unwrap_or_default())),
            _ => None,
        };
        let font = u16_at(data, 0).filter(|_| fill.is_some()).unwrap_or_default();
        self.formats.push(CellFormat { number_format, font, fill, ..CellFormat::default() });
    }

    /// Takes the newer colours of a cell format.
    pub(super) fn extension(&mut self, data: &[u8]) {
        let (Some(index), Some(mut rest)) = (u16_at(data, 14), data.get(20..)) else { return };
        let Some(format) = self.formats.get_mut(usize::from(index)) else { return };
        while let (Some(kind), Some(length)) = (u16_at(rest, 0), u16_at(rest, 2)) {
            let length = usize::from(length).max(4);
            let colour = newer_colour(rest.get(4..length).unwrap_or_default());
            match kind {
                FILL_COLOUR => format.ground = Some(colour),
                // The colour behind a pattern. A plain fill has none.
                FILL_BACKGROUND => {}
                GRADIENT => format.ground = Some(None),
                TEXT_COLOUR => format.ink = Some(colour),
                _ => {}
            }
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    /// Returns what the cell format at an index does not show.
    pub(super) fn unseen(&self, index: u16) -> Unseen {
        let Some(format) = self.formats.get(usize::from(index)) else { return Unseen::default() };
        let unseen = self.of_number_format(format.number_format);
        let Some((pattern, colours)) = format.fill else { return unseen };
        let ground = match pattern {
            0 => Some(WHITE),
            // Colour 64 is that of the text of windows, and 65 that of windows.
            1 => format.ground.unwrap_or_else(|| self.colour(colours & 0x7F)),
            _ => None,
        };
        // No workbook has a font with the number 4.
        let at = if format.font > 4 { format.font - 1 } else { format.font };
        let indexed = || self.fonts.get(usize::from(at)).and_then(|number| self.colour(*number));
        let ink = format.ink.unwrap_or_else(indexed);
        unseen.painted(ink.is_some_and(|ink| Unseen::is_like(ink, ground)))
    }

    /// Returns what a number format does not show.
    pub(super) fn of_number_format(&self, id: u16) -> Unseen {
        self.empty.get(&id).copied().unwrap_or_default()
    }

    fn colour(&self, number: u16) -> Option<Rgb> {
        match number {
            64 | 0x7FFF => Some(BLACK),
            65 => Some(WHITE),
            number => self.colours.get(usize::from(number)).copied(),
        }
    }
}

/// Returns a colour of Excel 2007 and later; `None` if it is not followed.
fn newer_colour(data: &[u8]) -> Option<Rgb> {
    match (u16_at(data, 0)?, u16_at(data, 2)?, data.get(4..8)?) {
        (2, 0, [red, green, blue, _]) => Some([*red, *green, *blue]),
        // The first two colours of a theme are those of windows and of their text.
        (3, 0, [0, 0, 0, 0]) => Some(WHITE),
        (3, 0, [1, 0, 0, 0]) => Some(BLACK),
        _ => None,
    }
}
