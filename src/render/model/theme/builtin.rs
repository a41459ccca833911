//! The built-in themes.

use super::{Color, Theme, ThemeColors, ThemeFonts, ThemeLayout, ThemeMargins, ThemeSizes};
use mitt_base::{Error, ErrorKind, Result, text};

/// Names of the built-in themes.
const NAMES: [(&str, ThemeLayout); 4] = [
    ("plain", ThemeLayout::Plain),
    ("report", ThemeLayout::Report),
    ("letter", ThemeLayout::Letter),
    ("slides", ThemeLayout::Slides),
];

/// Dark on white, each with a contrast of at least 4.5 to its background.
const COLORS: ThemeColors = ThemeColors {
    page: Color::new(0xFF, 0xFF, 0xFF),
    text: Color::new(0, 0, 0),
    muted: Color::new(0x59, 0x59, 0x59),
    accent: Color::new(0x1F, 0x4E, 0x79),
    link: Color::new(0x05, 0x63, 0xC1),
    line: Color::new(0xD0, 0xD7, 0xDE),
    fill: Color::new(0xF6, 0xF8, 0xFA),
    band: Color::new(0xF3, 0xF6, 0xFA),
};

const PAPER_SIZES: ThemeSizes = ThemeSizes {
    text: 10.5,
    code: 8.5,
    small: 8.5,
    title: 20.0,
    headings: [15.0, 12.5, 11.5, 10.5, 10.5, 10.5],
};

/// Legible from the back of a room.
const SLIDE_SIZES: ThemeSizes = ThemeSizes {
    text: 18.0,
    code: 14.0,
    small: 11.0,
    title: 38.0,
    headings: [27.0, 27.0, 21.0, 18.0, 18.0, 18.0],
};

const PAPER_MARGINS: ThemeMargins =
    ThemeMargins { top: 25.0, bottom: 23.0, left: 23.0, right: 23.0 };

const SLIDE_MARGINS: ThemeMargins =
    ThemeMargins { top: 18.0, bottom: 17.0, left: 22.0, right: 22.0 };

impl Theme {
    /// Returns a built-in theme: `plain`, `report`, `letter` or `slides`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no theme of this name; the hint names the nearest.
    ///
    /// # Example: a report with a custom colour
    ///
    /// ```
    /// use mitt_render::{Color, Theme};
    ///
    /// let mut theme = Theme::named("report")?;
    /// theme.colors.accent = Color::new(0x7A, 0x1F, 0x2B);
    /// assert!(Theme::named("repport").is_err());
    /// # Ok::<(), mitt_base::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Theme> {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, layout)| Theme::of(*layout)).ok_or_else(|| {
            let shown = text::one_line(text::cut_bytes(name, 80));
            let hint = match text::nearest(name, Theme::names()).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the built-in ones are {}", quoted(Theme::names())),
            };
            Error::new(ErrorKind::Input, format!("there is no theme `{shown}`")).hint(hint)
        })
    }

    /// Returns the names of the built-in themes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// Returns the built-in theme with a layout.
    pub fn of(layout: ThemeLayout) -> Theme {
        let is_slides = layout == ThemeLayout::Slides;
        let mut sizes = if is_slides { SLIDE_SIZES } else { PAPER_SIZES };
        if layout == ThemeLayout::Report {
            // The title is on a page of its own.
            sizes.title = 28.0;
        }
        if layout == ThemeLayout::Letter {
            sizes.title = 13.0;
        }
        Theme {
            layout,
            colors: COLORS,
            fonts: ThemeFonts::default(),
            sizes,
            margins: if is_slides { SLIDE_MARGINS } else { PAPER_MARGINS },
            logo: None,
            header: None,
            footer: None,
        }
    }
}

impl Default for Theme {
    fn default() -> Theme {
        Theme::of(ThemeLayout::Plain)
    }
}

/// Returns names in backticks.
pub(super) fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
