//! The looks of pages: a layout, colours, fonts, sizes, margins, a logo, headers and footers. Plain data.
//!
//! Four themes are built in; a file (`file.rs`) is based on one of them and changes parts of it. Knows neither documents nor
//! renderers, and opens no file: the caller supplies the bytes of a logo.

mod builtin;
mod color;
#[cfg(feature = "theme-files")]
mod file;
#[cfg(not(feature = "theme-files"))]
#[path = "file_disabled.rs"]
mod file;
mod logo;
#[cfg(any(feature = "docx", feature = "pdf"))]
mod room;
mod running;
#[cfg(all(test, feature = "theme-files"))]
mod tests;

use serde::{Deserialize, Serialize};

pub use self::color::Color;
pub use self::logo::{Logo, LogoKind, MAX_LOGO_BYTES};
pub use self::running::Running;
#[cfg(any(feature = "docx", feature = "pdf"))]
pub(crate) use self::running::{RunningSegment, running_segments};

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
