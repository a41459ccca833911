//! Colours of Office files: those of the theme, and changes of their brightness.

use crate::xml::Node;
use std::collections::HashMap;

pub(crate) const WHITE: Paint = Paint::Plain([255; 3]);

/// Most opacity at which text cannot be seen, in thousandths of a percent.
const CLEAR: f64 = 5_000.0;
const FULL: f64 = 100_000.0;

/// What text is painted with, or what lies behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Paint {
    /// Nothing is painted.
    Clear,
    /// Red, green and blue.
    Plain([u8; 3]),
    /// A picture, a gradient, or a colour that is not followed.
    #[default]
    Unknown,
}

impl Paint {
    /// Returns whether one of these colours cannot be seen on the other.
    pub(crate) fn is_like(self, other: Paint) -> bool {
        match (self, other) {
            (Paint::Plain(one), Paint::Plain(other)) => mitt_sight::is_same_colour(one, other),
            _ => false,
        }
    }

    /// Returns this paint, or what lies behind if nothing is painted.
    pub(crate) fn over(self, behind: Paint) -> Paint {
        if self == Paint::Clear { behind } else { self }
    }
}

/// Returns the colour of six hexadecimal digits.
pub(crate) fn hex(digits: &str) -> Option<[u8; 3]> {
    let digits = digits.trim().trim_start_matches('#');
    if digits.len() != 6 {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([number[1], number[2], number[3]])
}

/// How much alpha means: of the paint, or of what shines through.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Alpha {
    Opacity,
    /// In effects on text of Word 2010.
    Transparency,
}

/// The colours of a theme, by their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Theme {
    colours: HashMap<String, [u8; 3]>,
    /// Names in a document, and the names in the theme that they stand for.
    names: HashMap<String, String>,
}

impl Theme {
    /// Reads the part with the theme.
    pub(crate) fn parse(root: &Node) -> Self {
        let scheme = root.child("themeElements").and_then(|it| it.child("clrScheme"));
        let colours = scheme.into_iter().flat_map(Node::nodes).filter_map(|slot| {
            let colour = slot.nodes().next()?;
            let value = match colour.name.as_str() {
                "sysClr" => colour.attribute("lastClr").or(match colour.attribute("val") {
                    Some("window") => Some("FFFFFF"),
                    Some("windowText") => Some("000000"),
                    _ => None,
                }),
                _ => colour.attribute("val"),
            };
            Some((slot.name.clone(), hex(value?)?))
        });
        Self { colours: colours.collect(), names: HashMap::new() }
    }

    /// Takes the attributes of a colour map, such as `bg1="lt1"`.
    pub(crate) fn map(&mut self, map: &Node) {
        self.names = map.attributes().map(|(name, to)| (name.to_owned(), to.to_owned())).collect();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.colours.is_empty()
    }

    /// Returns a colour by its name in a document.
    pub(crate) fn colour(&self, name: &str) -> Option<[u8; 3]> {
        // Word has long names.
        let short = match name {
            "background1" => "bg1",
            "text1" => "t1",
            "background2" => "bg2",
            "text2" => "t2",
            other => other,
        };
        let found = self.names.get(short).map_or(short, String::as_str);
        let slot = match found {
            "bg1" | "light1" => "lt1",
            "tx1" | "t1" | "dark1" => "dk1",
            "bg2" | "light2" => "lt2",
            "tx2" | "t2" | "dark2" => "dk2",
            "hyperlink" => "hlink",
            "followedHyperlink" => "folHlink",
            other => other,
        };
        self.colours.get(slot).copied()
    }

    /// Returns the fill among the children of an element; `None` if it says nothing about a fill.
    pub(crate) fn fill(&self, node: &Node, alpha: Alpha) -> Option<Paint> {
        node.nodes().find_map(|child| match child.name.as_str() {
            "noFill" => Some(Paint::Clear),
            "solidFill" => Some(self.inner(child, alpha)),
            "gradFill" | "blipFill" | "pattFill" | "grpFill" => Some(Paint::Unknown),
            _ => None,
        })
    }

    /// Returns the colour in an element such as `solidFill` or `highlight`.
    pub(crate) fn inner(&self, node: &Node, alpha: Alpha) -> Paint {
        node.nodes().next().map_or(Paint::Unknown, |colour| self.of(colour, alpha))
    }

    /// Returns the colour of an element such as `srgbClr`.
    pub(crate) fn of(&self, node: &Node, alpha: Alpha) -> Paint {
        let value = node.attribute("val").unwrap_or_default();
        let base = match node.name.as_str() {
            "srgbClr" => hex(value),
            "schemeClr" => self.colour(value),
            "sysClr" => match (node.attribute("lastClr"), value) {
                (Some(last), _) => hex(last),
                (None, "window") => Some([255; 3]),
                (None, "windowText") => Some([0; 3]),
                _ => None,
            },
            "prstClr" => match value {
                "white" => Some([255; 3]),
                "black" => Some([0; 3]),
                _ => None,
            },
            "scrgbClr" => {
                let parts = ["r", "g", "b"].map(|part| node.attribute(part).and_then(share));
                match parts {
                    [Some(r), Some(g), Some(b)] if r.min(g).min(b) >= FULL => Some([255; 3]),
                    [Some(r), Some(g), Some(b)] if r.max(g).max(b) <= 0.0 => Some([0; 3]),
                    _ => None,
                }
            }
            _ => None,
        };
        let mut paint = base.map_or(Paint::Unknown, Paint::Plain);
        for change in node.nodes() {
            let amount = change.attribute("val").and_then(share).unwrap_or(FULL);
            paint = match (change.name.as_str(), paint) {
                ("alpha", paint) => {
                    let opacity = if alpha == Alpha::Opacity { amount } else { FULL - amount };
                    match opacity {
                        it if it <= CLEAR => return Paint::Clear,
                        it if it < FULL - CLEAR => Paint::Unknown,
                        _ => paint,
                    }
                }
                ("lumMod", Paint::Plain(rgb)) => Paint::Plain(brightness(rgb, amount / FULL, 0.0)),
                ("lumOff", Paint::Plain(rgb)) => Paint::Plain(brightness(rgb, 1.0, amount / FULL)),
                // White stays white and black stays black.
                ("tint", Paint::Plain([255, 255, 255])) | ("shade", Paint::Plain([0, 0, 0])) => {
                    paint
                }
                _ => Paint::Unknown,
            };
        }
        paint
    }
}

/// Parses thousandths of a percent, which newer files write as `50%`.
fn share(text: &str) -> Option<f64> {
    match text.strip_suffix('%') {
        Some(percent) => percent.parse().ok().map(|percent: f64| percent * 1_000.0),
        None => text.parse().ok(),
    }
}

/// Returns a colour with its brightness multiplied and raised; hue and saturation stay.
pub(crate) fn brightness(rgb: [u8; 3], times: f64, plus: f64) -> [u8; 3] {
    let [r, g, b] = rgb.map(|part| f64::from(part) / 255.0);
    let (high, low) = (r.max(g).max(b), r.min(g).min(b));
    let old = (high + low) / 2.0;
    let new = (old * times + plus).clamp(0.0, 1.0);
    let reach = |light: f64| 1.0 - (2.0 * light - 1.0).abs();
    // The colours of one hue and saturation are on a line through the grey of their brightness.
    let stretch = if reach(old) > 0.0 { reach(new) / reach(old) } else { 0.0 };
    [r, g, b].map(|part| (((part - old) * stretch + new) * 255.0).round().clamp(0.0, 255.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml;

    fn theme() -> Theme {
        let text = "<t><themeElements><clrScheme><dk1><sysClr val='windowText'/></dk1><lt1><sysClr val='window' lastClr='FFFFFF'/></lt1><accent1><srgbClr val='4472C4'/></accent1></clrScheme></themeElements></t>";
        Theme::parse(&xml::root(text).unwrap())
    }

    #[test]
    fn colours_of_themes_are_found_and_changed() {
        let theme = theme();
        for (text, expected) in [
            ("<c><schemeClr val='bg1'/></c>", WHITE),
            (
                "<c><schemeClr val='bg1'><lumMod val='95000'/></schemeClr></c>",
                Paint::Plain([242; 3]),
            ),
            (
                "<c><schemeClr val='tx1'><lumMod val='50000'/><lumOff val='50000'/></schemeClr></c>",
                Paint::Plain([128; 3]),
            ),
            (
                "<c><schemeClr val='accent1'><lumMod val='20000'/><lumOff val='80000'/></schemeClr></c>",
                Paint::Plain([218, 227, 243]),
            ),
            ("<c><schemeClr val='bg1'><tint val='50000'/></schemeClr></c>", WHITE),
            ("<c><schemeClr val='bg1'><shade val='50000'/></schemeClr></c>", Paint::Unknown),
            ("<c><srgbClr val='112233'><alpha val='0'/></srgbClr></c>", Paint::Clear),
            ("<c><srgbClr val='112233'><alpha val='40%'/></srgbClr></c>", Paint::Unknown),
            ("<c><prstClr val='white'/></c>", WHITE),
            ("<c><schemeClr val='phClr'/></c>", Paint::Unknown),
            ("<c/>", Paint::Unknown),
        ] {
            let found = theme.inner(&xml::root(text).unwrap(), Alpha::Opacity);
            let is_near = match (found, expected) {
                (Paint::Plain(one), Paint::Plain(other)) => {
                    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= 1)
                }
                _ => found == expected,
            };
            assert!(is_near, "{text}: {found:?}");
        }
        let shown = xml::root("<c><srgbClr val='112233'><alpha val='0'/></srgbClr></c>").unwrap();
        assert_eq!(theme.inner(&shown, Alpha::Transparency), Paint::Plain([0x11, 0x22, 0x33]));
    }
}
