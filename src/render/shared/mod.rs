//! What several backends use: how a document is divided, measured and checked, formulas, links, drawn charts, pictures, fonts,
//! and the parts that formats have in common.
//!
//! Knows `model`, and no backend.

pub(crate) mod chart;
pub(crate) mod font_counts;
pub(crate) mod font_face;
mod font_glyphs;
mod font_licence;
mod font_tables;
#[cfg(any(feature = "pdf", feature = "pdf-compact"))]
pub(crate) mod glyphs;
pub(crate) mod highlight;
pub(crate) mod link;
pub(crate) mod losses;
pub(crate) mod math;
#[cfg(any(feature = "docx", feature = "pdf", feature = "pptx", feature = "pdf-compact"))]
pub(crate) mod notes;
pub(crate) mod nowrap;
#[cfg(any(feature = "pdf", feature = "pdf-compact"))]
pub(crate) mod object_streams;
#[cfg(any(feature = "docx", feature = "pptx"))]
pub(crate) mod office;
#[cfg(any(feature = "docx", feature = "pptx"))]
pub(crate) mod office_pictures;
#[cfg(any(feature = "docx", feature = "pptx"))]
pub(crate) mod ooxml;
pub(crate) mod outline;
#[cfg(any(feature = "pdf", feature = "pdf-compact"))]
pub(crate) mod own_stack;
pub(crate) mod picture;
pub(crate) mod size;
mod substitute_font;
pub(crate) mod table;
#[cfg(any(feature = "docx", feature = "fill"))]
pub(crate) mod template;
pub(crate) mod xml;
#[cfg(any(feature = "docx", feature = "fill"))]
pub(crate) mod xml_tokens;

pub use self::chart::{ChartSvg, chart_png, chart_svg};
pub use self::font_counts::font_fault;
pub use self::font_licence::font_licence;
pub use self::substitute_font::chinese_font;
