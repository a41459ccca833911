//! Colours, dashes and marks. The colours are distinguishable with every kind of colour blindness (after Okabe and Ito), and
//! adjacent ones also differ in lightness, for prints in grey.

/// Colours of series: blue, orange, green, wine, sky, purple, grey, pink.
pub(super) const SERIES: [&str; 8] =
    ["#0b559f", "#e69f00", "#1b9e77", "#7b2d43", "#56b4e9", "#8a6fb0", "#4d4d4d", "#d98bb0"];

/// Colours of series for text on white, with a contrast of at least 4.5.
pub(super) const TEXT: [&str; 8] =
    ["#0b559f", "#8f6300", "#00705a", "#7b2d43", "#1c6fa3", "#6f5497", "#4d4d4d", "#a34676"];

/// For each colour, `true` if text on it is white.
pub(super) const IS_DARK: [bool; 8] = [true, false, false, true, false, true, true, false];

/// Titles and values.
pub(super) const INK: &str = "#1f2328";
/// Axes and explanations.
pub(super) const GREY: &str = "#57606a";
/// Lines of the grid.
pub(super) const GRID: &str = "#dde1e6";
/// The line on which bars stand.
pub(super) const BASE: &str = "#57606a";
/// Paper.
pub(super) const WHITE: &str = "#ffffff";

/// Dashes of lines, in multiples of the line's width. The first line is solid.
const DASHES: [&[f64]; 4] = [&[], &[4.0, 1.8], &[1.2, 1.8], &[5.0, 1.6, 1.2, 1.6]];

/// A mark at a point of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Disc,
    Square,
    Triangle,
    Diamond,
}

const MARKS: [Mark; 4] = [Mark::Disc, Mark::Square, Mark::Triangle, Mark::Diamond];

/// Returns the colour of a series.
pub(super) fn color(index: usize) -> &'static str {
    SERIES[index % SERIES.len()]
}

/// Returns the colour of text about a series.
pub(super) fn text_color(index: usize) -> &'static str {
    TEXT[index % TEXT.len()]
}

/// Returns the colour of text on the colour of a series.
pub(super) fn ink_on(index: usize) -> &'static str {
    if IS_DARK[index % IS_DARK.len()] { WHITE } else { INK }
}

/// Returns the dashes of a line. The first two series are solid, because their colours differ most.
pub(super) fn dashes(index: usize) -> &'static [f64] {
    const FIRST: [usize; SERIES.len()] = [0, 0, 1, 2, 3, 0, 1, 2];
    DASHES[(FIRST[index % FIRST.len()] + index / FIRST.len()) % DASHES.len()]
}

/// Returns the mark of a series.
pub(super) fn mark(index: usize) -> Mark {
    MARKS[(index + index / SERIES.len()) % MARKS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance by WCAG.
    fn luminance(color: &str) -> f64 {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Returns the CIE lightness, from 0 to 100.
    fn lightness(color: &str) -> f64 {
        116.0 * luminance(color).cbrt() - 16.0
    }

    #[test]
    fn text_can_be_read_and_neighbours_differ_in_grey() {
        for color in TEXT.iter().chain(&[INK, GREY]) {
            assert!(contrast(color, WHITE) >= 4.5, "{color} {}", contrast(color, WHITE));
        }
        for index in 0..SERIES.len() {
            let on = contrast(ink_on(index), color(index));
            assert!(on >= 4.0, "{} {on}", color(index));
            let grey = (lightness(color(index)) - lightness(color(index + 1))).abs();
            assert!(grey >= 11.0, "{} and {}: {grey}", color(index), color(index + 1));
        }
    }

    #[test]
    fn no_two_of_eight_lines_look_alike_in_grey_and_none_of_all_in_colour() {
        for a in 0..crate::MAX_CHART_SERIES {
            for b in 0..a {
                let greys = (lightness(color(a)) - lightness(color(b))).abs() < 11.0 && a < 8;
                let alike = greys || color(a) == color(b);
                assert!(!alike || dashes(a) != dashes(b) || mark(a) != mark(b), "{a} and {b}");
            }
        }
    }
}
