//! Native rendering: a description goes in, the bytes of a file come out.
//!
//! Knows nothing of WebAssembly, sessions, artifacts or the file system. The caller supplies the clock and further fonts, so
//! that the same input gives the same bytes.
//!
//! The interface is the same in every build. The writers are behind the features `docx`, `pdf` (Typst), `pdf-compact` (a
//! small typesetter of our own), `pptx` and `xlsx`; without one of them, its rendering is refused with
//! [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled).
#![cfg_attr(all(feature = "docx", feature = "pdf", feature = "xlsx"), doc = "", doc = include_str!("README.md"))]
#![forbid(unsafe_code)]

mod cancel;
mod chart;
mod cjk;
#[cfg(feature = "pdf-compact")]
mod compact;
#[cfg(not(feature = "pdf-compact"))]
#[path = "compact_disabled.rs"]
mod compact;
mod doc;
mod doc_language;
#[cfg(feature = "docx")]
mod docx;
#[cfg(not(feature = "docx"))]
#[path = "docx_disabled.rs"]
mod docx;
#[cfg(feature = "fill")]
mod fill;
#[cfg(not(feature = "fill"))]
#[path = "fill_disabled.rs"]
mod fill;
mod fill_options;
mod fill_values;
#[cfg_attr(
    not(any(feature = "pdf", feature = "pdf-compact")),
    allow(dead_code, reason = "fonts are not drawn")
)]
mod font_counts;
mod font_glyphs;
mod font_licence;
mod font_tables;
#[cfg(any(feature = "pdf", feature = "pdf-compact"))]
mod glyphs;
#[cfg_attr(
    not(all(feature = "docx", feature = "pdf", feature = "pptx")),
    allow(dead_code, unused_imports, reason = "each format needs its part")
)]
#[cfg(feature = "highlight")]
mod highlight;
#[cfg_attr(
    not(all(feature = "docx", feature = "pdf", feature = "pptx")),
    allow(dead_code, unused_imports, reason = "each format needs its part")
)]
#[cfg(not(feature = "highlight"))]
#[path = "highlight_disabled.rs"]
mod highlight;
mod html;
mod inspect;
mod language;
mod link;
mod losses;
mod markdown;
#[cfg_attr(
    not(all(feature = "docx", feature = "pdf", feature = "pptx")),
    allow(dead_code, unused_imports, reason = "each format needs its part")
)]
mod math;
#[cfg(any(feature = "docx", feature = "pdf", feature = "pptx", feature = "pdf-compact"))]
mod notes;
#[cfg_attr(
    not(any(feature = "docx", feature = "pdf")),
    allow(dead_code, reason = "a browser finds the widths of columns itself")
)]
mod nowrap;
#[cfg(any(feature = "pdf", feature = "pdf-compact"))]
mod object_streams;
#[cfg_attr(
    not(all(feature = "docx", feature = "pptx")),
    allow(dead_code, reason = "each format needs its part")
)]
#[cfg(any(feature = "docx", feature = "pptx"))]
mod office;
#[cfg(any(feature = "docx", feature = "pptx"))]
mod office_pictures;
#[cfg(any(feature = "docx", feature = "pptx"))]
mod ooxml;
mod options;
mod outline;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(not(feature = "pdf"))]
#[path = "pdf_disabled.rs"]
mod pdf;
#[cfg_attr(
    not(all(feature = "docx", feature = "pdf", feature = "pptx")),
    allow(dead_code, unused_imports, reason = "each format needs its part")
)]
mod picture;
#[cfg(feature = "pptx")]
mod pptx;
#[cfg(not(feature = "pptx"))]
#[path = "pptx_disabled.rs"]
mod pptx;
#[cfg(feature = "preview")]
mod preview;
#[cfg(not(feature = "preview"))]
#[path = "preview_disabled.rs"]
mod preview;
mod sheets;
mod size;
mod slide_texts;
mod standard;
mod substitute_font;
#[cfg_attr(
    not(any(feature = "docx", feature = "pdf", feature = "pptx", feature = "pdf-compact")),
    allow(dead_code, reason = "a browser finds the widths of columns itself")
)]
mod table;
#[cfg(any(feature = "docx", feature = "fill"))]
#[cfg_attr(
    not(all(feature = "docx", feature = "fill")),
    allow(dead_code, reason = "templates of Word need all of it, those of Excel have more places")
)]
mod template;
#[cfg(test)]
mod tests;
mod text_pages;
mod theme;
mod typeset;
mod typesetters;
mod workbook;
mod writing_systems;
#[cfg(feature = "xlsx")]
mod xlsx;
#[cfg(not(feature = "xlsx"))]
#[path = "xlsx_disabled.rs"]
mod xlsx;
mod xml;
#[cfg_attr(
    not(feature = "fill"),
    allow(dead_code, reason = "templates of workbooks need all of it")
)]
#[cfg(any(feature = "docx", feature = "fill"))]
mod xml_tokens;

pub use self::cancel::Cancel;
pub use self::chart::{
    ChartColumn, ChartDescription, ChartFormat, ChartLabels, ChartPng, ChartRole, ChartSeries,
    ChartShape, ChartStack, ChartSvg, ChartValue, ChartWanted, MAX_CHART_POINTS, MAX_CHART_SERIES,
    NumberStyle, chart_png, chart_svg,
};
pub use self::compact::CompactBackend;
pub use self::doc::{
    Alignment as ColumnAlignment, Block, Doc, Inline, List, ListItem, Meta, Paper, QuoteKind,
    Table, TextStyle, plain_text,
};
pub use self::docx::{docx, docx_files, fill_docx};
pub use self::fill::{append_xlsx, fill_xlsx, xlsx_files};
pub use self::fill_options::{FillOptions, Filled};
pub use self::fill_values::{FillTable, FillValue, FillValues};
pub use self::font_counts::font_fault;
pub use self::font_licence::font_licence;
pub use self::html::html;
pub use self::inspect::{Inspect, LeftOut, inspect_office};
pub use self::markdown::{MAX_MARKDOWN_BYTES, front_matter, markdown, markdown_unless};
pub use self::options::{Docx, DocxOptions, Html, HtmlOptions, Pptx, PptxOptions};
pub use self::pdf::{FontChoice, TypstBackend, text_pages};
pub use self::picture::{
    MAX_PICTURE_BYTES, MAX_PICTURES, MAX_PICTURES_BYTES, Pictures, local_names, picture_names,
};
pub use self::pptx::{pptx, slide_texts};
pub use self::preview::PdfPages;
pub use self::sheets::{Sheets, sheets};
pub use self::slide_texts::{SlideKind, SlideLine, SlidePart, SlidePicture, SlideText, SlideTexts};
pub use self::standard::{Attachment, MAX_ATTACHED_BYTES, MAX_ATTACHMENTS, PdfStandard, Relation};
pub use self::substitute_font::chinese_font;
pub use self::text_pages::{MAX_TEXT_PAGES, TextAlign, TextPages};
pub use self::theme::{
    Color, Logo, LogoKind, MAX_LOGO_BYTES, Running, Theme, ThemeColors, ThemeFonts, ThemeLayout,
    ThemeMargins, ThemeSizes,
};
pub use self::typeset::{
    FontSet, MAX_PREVIEW_BYTES, PageSize, Pdf, PdfBackend, PdfOptions, Typesetter,
};
pub use self::typesetters::pdf;
pub use self::workbook::{
    Alignment, Block as SheetBlock, CellConversion, CellNote, Chart, ChartKind, ColumnMapping,
    Data, DefinedName, Formula, InputKind, InputRule, Link, MAX_CELLS, Orientation, PageSetup,
    Picture, Protection, RowStyle, Rule, RuleKind, RuleLook, Sheet, SheetAppearance, SheetCell,
    SheetColumn, SheetRow, SheetRows, SparklineKind, Sparklines, Stacking, Style, Workbook, Xlsx,
    XlsxOptions,
};
pub use self::writing_systems::{WRITING_SYSTEMS, WritingSystem};
pub use self::xlsx::xlsx;
