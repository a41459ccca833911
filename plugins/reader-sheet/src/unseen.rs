//! Finds cells that show nothing: their text has the colour of the cell, or their number format shows nothing.
//!
//! Their content is read all the same, because sums need it. A warning names them.

use crate::place::Places;

/// Red, green and blue.
pub(crate) type Rgb = [u8; 3];

pub(crate) const WHITE: Rgb = [255; 3];
pub(crate) const BLACK: Rgb = [0; 3];

/// What of its content a cell format does not show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Unseen {
    /// Anything: it has the colour of the cell.
    all: bool,
    numbers: bool,
    texts: bool,
}

impl Unseen {
    /// Returns what a number format does not show.
    pub(crate) fn of_format(format: &str) -> Self {
        let sections = sections(format);
        let are_empty = |count: usize| sections.iter().take(count).all(|section| !shows(section));
        let numbers = match sections.as_slice() {
            // An empty format is the general one.
            [only] => !only.is_empty() && !shows(only),
            _ => are_empty(3),
        };
        let texts = sections.get(3).is_some_and(|section| !shows(section));
        Self { all: false, numbers, texts }
    }

    /// Returns this, with everything unseen if the text has the colour of the cell.
    pub(crate) fn painted(self, all: bool) -> Self {
        Self { all, ..self }
    }

    /// Returns whether the text of a cell has the colour of its fill. `fill` is `None` if it is not known.
    pub(crate) fn is_like(text: Rgb, fill: Option<Rgb>) -> bool {
        fill.is_some_and(|fill| mitt_sight::is_same_colour(text, fill))
    }

    /// Returns whether a text is not seen.
    pub(crate) fn hides_text(self, text: &str) -> bool {
        (self.all || self.texts) && !text.trim().is_empty()
    }

    /// Returns whether a number is not seen.
    pub(crate) fn hides_number(self) -> bool {
        self.all || self.numbers
    }

    /// Returns whether a truth value is not seen. Programs show it whatever its format is.
    pub(crate) fn hides_truth(self) -> bool {
        self.all
    }
}

/// Splits a number format at its semicolons.
fn sections(format: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begin = 0;
    let mut characters = format.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' | '_' | '*' => _ = characters.next(),
            '"' => _ = characters.by_ref().find(|(_, next)| *next == '"'),
            '[' => _ = characters.by_ref().find(|(_, next)| *next == ']'),
            ';' => {
                found.push(format.get(begin..at).unwrap_or_default());
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(format.get(begin..).unwrap_or_default());
    found
}

/// Returns whether a section of a number format shows anything.
fn shows(section: &str) -> bool {
    let mut characters = section.chars();
    while let Some(character) = characters.next() {
        let is_shown = match character {
            '_' => {
                characters.next();
                false
            }
            '\\' | '*' => characters.next().is_some_and(|next| !next.is_whitespace()),
            '"' => {
                let quoted = characters.by_ref().take_while(|next| *next != '"');
                quoted.filter(|next| !next.is_whitespace()).count() > 0
            }
            '[' => {
                let inside: String = characters.by_ref().take_while(|next| *next != ']').collect();
                // Elapsed hours, minutes and seconds.
                inside.chars().all(|next| "hmsHMS".contains(next))
            }
            character => !character.is_whitespace(),
        };
        if is_shown {
            return true;
        }
    }
    false
}

/// The cells of a sheet that show nothing.
#[derive(Default)]
pub(crate) struct UnseenCells {
    places: Places,
    /// `true` if the sheet has conditional formats or tables, which may paint cells.
    pub(crate) may_be_painted: bool,
}

impl UnseenCells {
    pub(crate) fn push(&mut self, row: u32, column: u32) {
        self.places.push(row, column);
    }

    /// Returns the warning about these cells.
    pub(crate) fn note(&self) -> Option<String> {
        let list = self.places.list()?;
        let unless = if self.may_be_painted {
            ", unless a conditional format or the style of a table paints them"
        } else {
            ""
        };
        Some(format!(
            "cells that show nothing in the workbook, as their text has the colour of the cell or their format is empty, are \
             read like the others{unless}: {list}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_formats_show_nothing() {
        for (format, numbers, texts) in [
            (";;;", true, true),
            (";;", true, false),
            (";", true, false),
            ("[Red];[Blue];\" \";_)", true, true),
            ("\"\"", true, false),
            ("General;;;", false, true),
            ("", false, false),
            ("General", false, false),
            ("0;-0;;@", false, false),
            ("0.00;[Red]-0.00", false, false),
            ("\";;;\"", false, false),
            ("\\;;;;", false, true),
            ("[h];;;", false, true),
            ("\"x\";\"y\";\"z\";\"t\"", false, false),
        ] {
            let found = Unseen::of_format(format);
            assert_eq!((found.numbers, found.texts), (numbers, texts), "{format:?}");
        }
    }

    #[test]
    fn blanks_and_truth_values_are_not_hidden_by_formats() {
        let empty = Unseen::of_format(";;;");
        assert!(empty.hides_text("x") && empty.hides_number());
        assert!(!empty.hides_truth() && !empty.hides_text(" "));
        let white = Unseen::default().painted(true);
        assert!(white.hides_truth() && !Unseen::default().hides_text("x"));
        assert!(Unseen::is_like([253; 3], Some(WHITE)));
        assert!(!Unseen::is_like(WHITE, None) && !Unseen::is_like(WHITE, Some(BLACK)));
    }
}
