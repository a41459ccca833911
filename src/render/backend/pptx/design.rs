//! The looks of slides by a theme: colours and fonts of their parts.

use crate::model::doc::QuoteKind;
use crate::model::language::Language;
use crate::shared::office::{OfficeColors, OfficeLook};
use crate::{Color, Theme, ThemeLayout};

/// Fonts that Office has on Windows and macOS.
const LATIN: &str = "Calibri";
const MONOSPACED: &str = "Consolas";

/// The part of a theme that slides use.
pub(super) struct Design {
    pub(super) look: OfficeLook,
    /// Background of the head of a table.
    pub(super) head: String,
    /// Colour of code.
    pub(super) code: String,
    is_dark: bool,
    /// `true` if the colours are those of the theme `plain`.
    pub(super) is_plain: bool,
    /// Height of the logo in millimetres, and its description.
    pub(super) logo: Option<(f64, String)>,
}

/// Colour of text that differs from its placeholder.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ink {
    Muted,
    Accent,
    Code,
    Note(QuoteKind),
}

impl Design {
    /// Returns the design for a theme, and warnings about settings without effect.
    pub(super) fn of(theme: &Theme, language: &Language) -> (Design, Vec<String>) {
        let mut look = OfficeLook::of(theme, language, LATIN, MONOSPACED);
        let (head, code);
        let is_plain = theme.colors == Theme::default().colors;
        if is_plain {
            // Softer than on paper.
            (head, code) = ("EAF1F8".to_owned(), "24292F".to_owned());
            let colors = &mut look.colors;
            colors.text = "1F2328".to_owned();
            colors.link = "0969DA".to_owned();
            colors.band = "F6F8FA".to_owned();
        } else {
            (head, code) = (look.colors.fill.clone(), look.colors.text.clone());
        }
        let is_dark = theme.colors.page.ink() == Color::new(0xFF, 0xFF, 0xFF);
        let logo = theme.logo.as_ref().map(|logo| (logo.height, logo.description.clone()));
        (Design { look, head, code, is_dark, is_plain, logo }, left_out(theme))
    }

    /// Returns the six digits of a colour of text.
    pub(super) fn ink(&self, ink: Ink) -> &str {
        let colors: &OfficeColors = &self.look.colors;
        match (ink, self.is_dark) {
            (Ink::Muted, _) => &colors.muted,
            (Ink::Accent, _) => &colors.accent,
            (Ink::Code, _) => &self.code,
            (Ink::Note(QuoteKind::Note), false) => "0969DA",
            (Ink::Note(QuoteKind::Tip), false) => "1A7F37",
            (Ink::Note(QuoteKind::Important), false) => "8250DF",
            (Ink::Note(QuoteKind::Warning), false) => "9A6700",
            (Ink::Note(QuoteKind::Caution), false) => "CF222E",
            (Ink::Note(QuoteKind::Note), true) => "6CB6FF",
            (Ink::Note(QuoteKind::Tip), true) => "57C46F",
            (Ink::Note(QuoteKind::Important), true) => "C297FF",
            (Ink::Note(QuoteKind::Warning), true) => "DBAB33",
            (Ink::Note(QuoteKind::Caution), true) => "FF7B72",
        }
    }
}

/// Returns warnings about settings of a theme that slides do not show.
fn left_out(theme: &Theme) -> Vec<String> {
    let own = Theme::of(theme.layout);
    let mut left_out = Vec::new();
    let layout = match theme.layout {
        ThemeLayout::Plain | ThemeLayout::Slides => None,
        ThemeLayout::Report => Some("report"),
        ThemeLayout::Letter => Some("letter"),
    };
    if let Some(layout) = layout {
        left_out.push(format!(
            "theme: slides have no layout `{layout}`: they begin with the title as always"
        ));
    }
    let parts = [
        ("sizes", theme.sizes != own.sizes),
        ("margins", theme.margins != own.margins),
        ("header", theme.header.is_some()),
        ("footer", theme.footer.is_some()),
    ];
    let names: Vec<&str> = parts.iter().filter(|(_, is_set)| *is_set).map(|(it, _)| *it).collect();
    if !names.is_empty() {
        left_out.push(format!("theme: left out of slides: {}", names.join(", ")));
    }
    left_out
}
