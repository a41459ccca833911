//! How pages look: a layout, colours, fonts, sizes, margins, a logo, what runs along the edges. Plain data.
//!
//! Four themes are built in; a file (`file.rs`) takes one of them and changes what it says. Knows neither a document nor what
//! draws it, and opens no file: the bytes of a logo are given by the caller.

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
pub(crate) use self::running::{Piece, pieces};

/// Points of a millimetre.
#[cfg(any(feature = "docx", feature = "pdf", feature = "pptx"))]
pub(crate) const MM: f64 = 72.0 / 25.4;

/// How the pages of a document look. Default: `plain`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    /// What stands where.
    pub layout: ThemeLayout,
    /// Colours.
    pub colors: ThemeColors,
    /// Fonts, besides the bundled ones.
    pub fonts: ThemeFonts,
    /// Sizes of text, in points.
    pub sizes: ThemeSizes,
    /// White space around the text, in millimetres.
    pub margins: ThemeMargins,
    /// A picture on the first page.
    pub logo: Option<Logo>,
    /// What stands above the text of each page; none takes what the layout has.
    pub header: Option<Running>,
    /// What stands below the text of each page; none takes what the layout has.
    pub footer: Option<Running>,
}

/// What stands where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeLayout {
    /// Title above the text, the title in the header from the second page on, numbers of pages.
    #[default]
    Plain,
    /// A cover, contents, then the text with a header; the cover is not counted.
    Report,
    /// Sender, date, recipient, subject, text; numbers from the second page on.
    Letter,
    /// Pages of 16:9, one for each heading of the two highest levels and each page break.
    Slides,
}

/// Colours of a theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeColors {
    /// Of the page.
    pub page: Color,
    /// Of text.
    pub text: Color,
    /// Of what matters less: header, footer, byline.
    pub muted: Color,
    /// Of title, headings and heads of tables.
    pub accent: Color,
    /// Of links.
    pub link: Color,
    /// Of lines.
    pub line: Color,
    /// Behind code and quotations.
    pub fill: Color,
    /// Behind every second row of a table.
    pub band: Color,
}

/// Families of fonts by name, in the order in which they are looked at before the bundled ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeFonts {
    /// Of text.
    pub text: Vec<String>,
    /// Of title and headings; empty takes those of text.
    pub headings: Vec<String>,
    /// Of code.
    pub code: Vec<String>,
}

/// Sizes of text, in points, each from 5 to 96.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeSizes {
    /// Of text; tables follow it.
    pub text: f64,
    /// Of blocks of code.
    pub code: f64,
    /// Of header and footer.
    pub small: f64,
    /// Of the title.
    pub title: f64,
    /// Of headings, from the highest level.
    pub headings: [f64; 6],
}

/// White space around the text, in millimetres, each from 5 to 80.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ThemeMargins {
    pub top: f64,
    pub bottom: f64,
    pub left: f64,
    pub right: f64,
}
