//! The looks of pages: a layout, colours, fonts, sizes, margins, a logo, headers and footers. Plain data.
//!
//! Four themes are built in; a file (`file.rs`) is based on one of them and changes parts of it. Knows neither documents nor
//! renderers, and opens no file: the caller supplies the bytes of a logo.

mod builtin;
mod color;
#[cfg(feature = "theme-files")]
mod file;
mod logo;
#[cfg(any(feature = "docx", feature = "pdf"))]
mod room;
mod running;
#[cfg(all(test, feature = "theme-files"))]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::color::Color;
pub use self::logo::{Logo, LogoKind, MAX_LOGO_BYTES};
pub use self::running::Running;
#[cfg(any(feature = "docx", feature = "pdf"))]
pub(crate) use self::running::{RunningSegment, running_segments};

use crate::model::disabled::built;
use mitt_base::Result;

/// Points in a millimetre.
#[cfg(any(feature = "docx", feature = "pdf", feature = "pptx"))]
pub(crate) const MM: f64 = 72.0 / 25.4;

/// The looks of a document's pages. Default: `plain`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    /// Layout.
    pub layout: ThemeLayout,
    /// Colours.
    pub colors: ThemeColors,
    /// Fonts, besides the bundled ones.
    pub fonts: ThemeFonts,
    /// Sizes of text, in points.
    pub sizes: ThemeSizes,
    /// Margins, in millimetres.
    pub margins: ThemeMargins,
    /// Logo on the first page.
    pub logo: Option<Logo>,
    /// Header of each page. Default: that of the layout.
    pub header: Option<Running>,
    /// Footer of each page. Default: that of the layout.
    pub footer: Option<Running>,
}

impl Theme {
    /// Reads a theme from the text of a file, which messages call `name`. `logo` reads the file of the logo.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - it is no TOML, is larger than 64 KiB, or has invalid keys or values: every problem with its
    /// line, an unknown key with the nearest known one. [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build
    /// reads no files of themes (feature `theme-files`).
    ///
    /// # Example: colours and a footer
    ///
    /// ```
    /// # if cfg!(not(feature = "theme-files")) { return Ok(()); }
    /// use mitt_render::Theme;
    ///
    /// let text = "base = 'report'\n[colors]\naccent = '#7a1f2b'\n[footer]\ncenter = '{page} / {pages}'\n";
    /// let theme = Theme::parse("mine.toml", text, &mut |_| Err(mitt_base::Error::input("no logo")))?;
    /// assert_eq!(theme.colors.accent.to_string(), "#7a1f2b");
    ///
    /// let wrong = Theme::parse("mine.toml", "[colors]\nacent = 'red'\n", &mut |_| unreachable!());
    /// assert_eq!(wrong.unwrap_err().to_string(), "mine.toml:2: colors.acent: unknown key");
    /// # Ok::<(), mitt_base::Error>(())
    /// ```
    pub fn parse(
        name: &str,
        text: &str,
        logo: &mut dyn FnMut(&str) -> Result<Arc<[u8]>>,
    ) -> Result<Theme> {
        built!(themes: self::file::parse(name, text, logo))
    }
}

/// Layout of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeLayout {
    /// Title above the text, the title in the header from the second page on, page numbers.
    #[default]
    Plain,
    /// A cover, contents, then the text with a header. The cover is not counted.
    Report,
    /// Sender, date, recipient, subject, text; page numbers from the second page on.
    Letter,
    /// Pages of 16:9, one for each heading of the two highest levels and each page break.
    Slides,
}

/// Colours of a theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeColors {
    /// Page.
    pub page: Color,
    /// Text.
    pub text: Color,
    /// Less important text: header, footer, byline.
    pub muted: Color,
    /// Title, headings and heads of tables.
    pub accent: Color,
    /// Links.
    pub link: Color,
    /// Lines.
    pub line: Color,
    /// Background of code and quotations.
    pub fill: Color,
    /// Background of every second row of a table.
    pub band: Color,
}

/// Families of fonts by name, in order of preference, before the bundled ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeFonts {
    /// Fonts of text.
    pub text: Vec<String>,
    /// Fonts of title and headings. Default: those of text.
    pub headings: Vec<String>,
    /// Fonts of code.
    pub code: Vec<String>,
}

/// Sizes of text, in points, each from 5 to 96.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeSizes {
    /// Text; the size of tables depends on it.
    pub text: f64,
    /// Blocks of code.
    pub code: f64,
    /// Header and footer.
    pub small: f64,
    /// Title.
    pub title: f64,
    /// Headings, from the highest level.
    pub headings: [f64; 6],
}

/// Margins, in millimetres, each from 5 to 80.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ThemeMargins {
    pub top: f64,
    pub bottom: f64,
    pub left: f64,
    pub right: f64,
}
