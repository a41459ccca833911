//! The looks of a Word file by a theme: values for styles, sections, header and footer.

use crate::model::language::Language;
use crate::shared::office::{OfficeFonts, OfficeLook};
use crate::{Color, Running, Theme, ThemeLayout, ThemeMargins, ThemeSizes};

/// Fonts that Word has on Windows and macOS. The font table names substitutes.
const LATIN: &str = "Calibri";
const MONOSPACED: &str = "Consolas";

/// The part of a theme that a Word file uses.
pub(super) struct Design {
    pub(super) look: OfficeLook,
    pub(super) sizes: ThemeSizes,
    pub(super) margins: ThemeMargins,
    pub(super) header: Running,
    pub(super) footer: Running,
    /// `true` if title and byline have a page of their own, followed by the contents.
    pub(super) has_cover: bool,
    /// Height of the logo in millimetres, and its description.
    pub(super) logo: Option<(f64, String)>,
}

impl Design {
    /// Returns the design for a theme, and warnings about settings without effect.
    pub(super) fn of(theme: &Theme, language: &Language) -> (Design, Vec<String>) {
        let mut left_out = Vec::new();
        let mut theme = theme.clone();
        let plain = Theme::default();
        let layout = match theme.layout {
            ThemeLayout::Slides => Some("slides"),
            ThemeLayout::Letter => Some("letter"),
            ThemeLayout::Plain | ThemeLayout::Report => None,
        };
        if let Some(layout) = layout {
            left_out.push(format!(
                "theme: Word files have no layout `{layout}`: the title stands above the text"
            ));
        }
        if theme.layout == ThemeLayout::Slides {
            // These sizes are for a screen.
            let own = Theme::of(ThemeLayout::Slides);
            if theme.sizes != own.sizes || theme.margins != own.margins {
                left_out.push(
                    "theme: sizes and margins of the layout `slides` are left out of Word files"
                        .into(),
                );
            }
            (theme.sizes, theme.margins) = (plain.sizes, plain.margins);
        }
        if layout.is_some() {
            theme.layout = ThemeLayout::Plain;
            theme.sizes.title = theme.sizes.title.max(plain.sizes.title);
        }
        if theme.colors.page.ink() == Color::new(0xFF, 0xFF, 0xFF) {
            theme.colors = plain.colors;
            left_out.push(
                "theme: its colours are left out: the page is dark, and Word prints pages white"
                    .into(),
            );
        }
        let [header, footer] = theme.running(language.of_all());
        let look = OfficeLook::of(&theme, language, LATIN, MONOSPACED);
        let fonts = &theme.fonts;
        let taken = [&look.text, &look.headings, &look.code]
            .map(|fonts| [&fonts.latin, &fonts.east_asian])
            .concat();
        let others = [&fonts.text, &fonts.headings, &fonts.code].into_iter().flatten();
        let others: Vec<String> = others.filter(|it| !taken.contains(it)).cloned().collect();
        if !others.is_empty() {
            let names: Vec<String> = others.iter().map(|it| format!("`{it}`")).collect();
            left_out.push(format!(
                "theme: a Word file has one font for each kind of letters, so these are left out: {}",
                names.join(", ")
            ));
        }
        let design = Design {
            look,
            sizes: theme.sizes,
            margins: theme.margins,
            header,
            footer,
            has_cover: theme.layout == ThemeLayout::Report,
            logo: theme.logo.map(|logo| (logo.height, logo.description)),
        };
        (design, left_out)
    }

    /// Returns the size of text relative to the theme `plain`.
    pub(super) fn scale(&self) -> f64 {
        self.sizes.text / Theme::default().sizes.text
    }

    /// Returns the elements of a run for a size that scales with the text; `half_points` is the size in the theme `plain`.
    pub(super) fn follows(&self, half_points: u32) -> String {
        size(f64::from(half_points) / 2.0 * self.scale())
    }

    /// Returns the elements of a run for these fonts.
    pub(super) fn fonts(OfficeFonts { latin, east_asian, complex }: &OfficeFonts) -> String {
        format!(
            "<w:rFonts w:ascii=\"{latin}\" w:hAnsi=\"{latin}\" w:eastAsia=\"{east_asian}\" w:cs=\"{complex}\"/>"
        )
    }
}

/// Returns the elements of a run for this size in points, rounded to Word's half points.
pub(super) fn size(points: f64) -> String {
    let half_points = (points * 2.0).round().max(2.0);
    format!("<w:sz w:val=\"{half_points}\"/><w:szCs w:val=\"{half_points}\"/>")
}
