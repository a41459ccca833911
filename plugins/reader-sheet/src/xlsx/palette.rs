//! Colours of a workbook: those of the theme with their tints, and the indexed ones.

use crate::package::{attribute, events};
use mitt_number_format::INDEXED;
pub(crate) use mitt_number_format::Rgb;
use quick_xml::events::{BytesStart, Event};

/// The theme of workbooks without one: that of Office 2013.
const OFFICE: [Rgb; 12] = [
    [0xFF, 0xFF, 0xFF],
    [0x00, 0x00, 0x00],
    [0xE7, 0xE6, 0xE6],
    [0x44, 0x54, 0x6A],
    [0x44, 0x72, 0xC4],
    [0xED, 0x7D, 0x31],
    [0xA5, 0xA5, 0xA5],
    [0xFF, 0xC0, 0x00],
    [0x5B, 0x9B, 0xD5],
    [0x70, 0xAD, 0x47],
    [0x05, 0x63, 0xC1],
    [0x95, 0x4F, 0x72],
];

/// The colours that styles refer to.
pub(crate) struct Palette {
    /// In the order of the indexes of styles: light 1, dark 1, light 2, dark 2, six accents, two of hyperlinks.
    theme: [Rgb; 12],
    indexed: Vec<Rgb>,
}

impl Default for Palette {
    fn default() -> Self {
        Self { theme: OFFICE, indexed: INDEXED.to_vec() }
    }
}

impl Palette {
    /// Reads the colours of the part with the theme.
    pub(crate) fn read_theme(&mut self, xml: &[u8]) {
        const NAMES: [&str; 12] = [
            "lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5",
            "accent6", "hlink", "folHlink",
        ];
        let mut is_scheme = false;
        let mut slot = None;
        events(xml, |event| match event {
            Event::Start(element) => match element.local_name().as_ref() {
                "clrScheme" => is_scheme = true,
                "sysClr" | "srgbClr" if is_scheme => {
                    // The value of a system colour is its name. Its last colour is in another attribute.
                    let color = attribute(element, "lastClr").or_else(|| attribute(element, "val"));
                    if let Some((slot, color)) = slot.zip(color.and_then(|color| hex(&color))) {
                        self.theme[slot] = color;
                    }
                }
                name if is_scheme => {
                    slot = NAMES.iter().position(|known| *known == name).or(slot);
                }
                _ => {}
            },
            Event::End(element) if element.local_name().as_ref() == "clrScheme" => {
                is_scheme = false
            }
            _ => {}
        });
    }

    /// Replaces the indexed colour at `index`, which a workbook may define.
    pub(crate) fn set_indexed(&mut self, index: usize, color: &str) {
        if let Some((slot, color)) = self.indexed.get_mut(index).zip(hex(color)) {
            *slot = color;
        }
    }

    /// Returns the colour of an element; `None` for the colour of the window or its text.
    pub(crate) fn color(&self, element: &BytesStart<'_>) -> Option<Rgb> {
        let number = |name| attribute(element, name)?.trim().parse::<usize>().ok();
        let color = if let Some(color) = attribute(element, "rgb") {
            hex(&color)?
        } else if let Some(theme) = number("theme") {
            *self.theme.get(theme)?
        } else {
            *self.indexed.get(number("indexed")?)?
        };
        let tint = attribute(element, "tint").and_then(|tint| tint.trim().parse().ok());
        Some(tint.map_or(color, |tint| tinted(color, tint)))
    }
}

/// Parses `RRGGBB`, or `AARRGGBB`, whose first part programs ignore.
fn hex(text: &str) -> Option<Rgb> {
    let text = text.trim().trim_start_matches('#');
    let digits = match text.len() {
        6 => text,
        8 => text.get(2..)?,
        _ => return None,
    };
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([red, green, blue])
}

/// Returns a colour as `#rrggbb`.
pub(crate) fn css([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Mixes `share` of a colour, from 0 to 1, with another.
pub(crate) fn mixed(color: Rgb, share: f64, other: Rgb) -> Rgb {
    let mix = |index: usize| {
        let [color, other] = [color, other].map(|color| f64::from(color[index]));
        (color * share + other * (1.0 - share)).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}

/// Makes a colour darker (tint below 0) or lighter, by its lightness in HSL (ECMA-376 part 1, 18.8.19).
fn tinted(color: Rgb, tint: f64) -> Rgb {
    if !(tint != 0.0 && tint.is_finite()) {
        return color;
    }
    let tint = tint.clamp(-1.0, 1.0);
    let [red, green, blue] = color.map(|part| f64::from(part) / 255.0);
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let (lightness, range) = ((most + least) / 2.0, most - least);
    let saturation = if range > 0.0 { range / (1.0 - (2.0 * lightness - 1.0).abs()) } else { 0.0 };
    let hue = if range == 0.0 {
        0.0
    } else if most == red {
        ((green - blue) / range).rem_euclid(6.0)
    } else if most == green {
        (blue - red) / range + 2.0
    } else {
        (red - green) / range + 4.0
    };
    let lightness =
        if tint < 0.0 { lightness * (1.0 + tint) } else { lightness * (1.0 - tint) + tint };
    let chroma = (1.0 - (2.0 * lightness - 1.0).abs()) * saturation;
    let second = chroma * (1.0 - (hue.rem_euclid(2.0) - 1.0).abs());
    let parts = match hue as u32 {
        0 => [chroma, second, 0.0],
        1 => [second, chroma, 0.0],
        2 => [0.0, chroma, second],
        3 => [0.0, second, chroma],
        4 => [second, 0.0, chroma],
        _ => [chroma, 0.0, second],
    };
    parts.map(|part| ((part + lightness - chroma / 2.0) * 255.0).round().clamp(0.0, 255.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(palette: &Palette, xml: &str) -> Option<String> {
        let mut found = None;
        events(xml.as_bytes(), |event| {
            if let Event::Start(element) = event {
                found = palette.color(element).map(css);
            }
        });
        found
    }

    #[test]
    fn colors_of_every_kind() {
        let mut palette = Palette::default();
        let check = |palette: &Palette, xml: &str, expected: Option<&str>| {
            assert_eq!(color(palette, xml).as_deref(), expected, "{xml}");
        };
        check(&palette, "<color rgb=\"FF00B050\"/>", Some("#00b050"));
        check(&palette, "<color rgb=\"00B050\"/>", Some("#00b050"));
        check(&palette, "<color indexed=\"10\"/>", Some("#ff0000"));
        check(&palette, "<color indexed=\"64\"/>", None);
        check(&palette, "<color auto=\"1\"/>", None);
        check(&palette, "<color rgb=\"red\"/>", None);
        check(&palette, "<color theme=\"99\"/>", None);
        check(&palette, "<color theme=\"1\"/>", Some("#000000"));
        // The shades of the first accent, as the menu of colours shows them.
        check(&palette, "<color theme=\"4\"/>", Some("#4472c4"));
        check(&palette, "<color theme=\"4\" tint=\"0.7999816888943144\"/>", Some("#dae3f3"));
        check(&palette, "<color theme=\"4\" tint=\"-0.249977111117893\"/>", Some("#2f5597"));
        check(&palette, "<color theme=\"0\" tint=\"-0.14999847407452621\"/>", Some("#d9d9d9"));
        check(&palette, "<color theme=\"4\" tint=\"NaN\"/>", Some("#4472c4"));
        palette.set_indexed(10, "FF112233");
        palette.set_indexed(99, "FF112233");
        check(&palette, "<color indexed=\"10\"/>", Some("#112233"));
    }

    #[test]
    fn the_theme_gives_the_colors() {
        let mut palette = Palette::default();
        palette.read_theme(
            b"<a:theme><a:clrScheme><a:dk1><a:sysClr val=\"windowText\" lastClr=\"010203\"/></a:dk1>\
              <a:accent1><a:srgbClr val=\"A1B2C3\"/></a:accent1></a:clrScheme>\
              <a:fmtScheme><a:accent1/><a:srgbClr val=\"FFFFFF\"/></a:fmtScheme></a:theme>",
        );
        assert_eq!(color(&palette, "<color theme=\"1\"/>").unwrap(), "#010203");
        assert_eq!(color(&palette, "<color theme=\"4\"/>").unwrap(), "#a1b2c3");
        assert_eq!(color(&palette, "<color theme=\"5\"/>").unwrap(), "#ed7d31");
    }
}
