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

// Three layers: each names only those below it, as `tests/it/rooms.rs` of the workspace checks.
mod backend;
#[cfg(test)]
mod disabled_tests;
mod model;
#[cfg_attr(
    not(all(
        feature = "docx",
        feature = "fill",
        feature = "highlight",
        feature = "pdf",
        feature = "pptx"
    )),
    allow(dead_code, unused_imports, reason = "each backend needs its part")
)]
mod shared;
#[cfg(test)]
mod tests;

pub use self::backend::{
    CompactBackend, FontChoice, Inspect, LeftOut, PdfPages, Sheets, TypstBackend, append_xlsx,
    docx, docx_files, fill_docx, fill_xlsx, html, inspect_office, pdf, pptx, sheets, slide_texts,
    text_pages, xlsx, xlsx_files,
};
pub use self::model::{
    Alignment, Attachment, Block, Cancel, CellConversion, CellNote, Chart, ChartColumn,
    ChartDescription, ChartFormat, ChartKind, ChartLabels, ChartPng, ChartRole, ChartSeries,
    ChartShape, ChartStack, ChartValue, ChartWanted, Color, ColumnAlignment, ColumnMapping,
    CommonOptions, Data, DefinedName, Doc, Docx, DocxOptions, FillOptions, FillTable, FillValue,
    FillValues, Filled, FontSet, Formula, Html, HtmlOptions, Inline, InputKind, InputRule, Link,
    List, ListItem, Logo, LogoKind, MAX_ATTACHED_BYTES, MAX_ATTACHMENTS, MAX_CELLS,
    MAX_CHART_POINTS, MAX_CHART_SERIES, MAX_LOGO_BYTES, MAX_MARKDOWN_BYTES, MAX_PICTURE_BYTES,
    MAX_PICTURES, MAX_PICTURES_BYTES, MAX_PREVIEW_BYTES, MAX_TEXT_PAGES, Meta, NumberStyle,
    Orientation, PageSetup, PageSize, Paper, Pdf, PdfBackend, PdfOptions, PdfStandard, Picture,
    Pictures, Pptx, PptxOptions, Protection, QuoteKind, Relation, RowStyle, Rule, RuleKind,
    RuleLook, Running, Sheet, SheetAppearance, SheetBlock, SheetCell, SheetColumn, SheetRow,
    SheetRows, SlideKind, SlideLine, SlidePart, SlidePicture, SlideText, SlideTexts, SparklineKind,
    Sparklines, Stacking, Style, Table, TextAlign, TextPages, TextStyle, Theme, ThemeColors,
    ThemeFonts, ThemeLayout, ThemeMargins, ThemeSizes, Typesetter, WRITING_SYSTEMS, Workbook,
    WritingSystem, Xlsx, XlsxOptions, front_matter, local_names, markdown, markdown_unless,
    picture_names, plain_text,
};
pub use self::shared::{ChartSvg, chart_png, chart_svg, chinese_font, font_fault, font_licence};
