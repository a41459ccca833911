//! What there is to write: documents, workbooks, charts, slides, themes and values, with the options of each format. Markdown
//! becomes a document here.
//!
//! Plain data and its rules. Knows neither `shared` nor `backend`.

mod cancel;
pub(crate) mod chart;
pub(crate) mod cjk;
pub(crate) mod disabled;
pub(crate) mod doc;
mod doc_language;
mod fill_options;
pub(crate) mod fill_values;
pub(crate) mod language;
pub(crate) mod markdown;
mod options;
pub(crate) mod picture;
pub(crate) mod slide_texts;
pub(crate) mod standard;
mod text_pages;
pub(crate) mod theme;
pub(crate) mod typeset;
pub(crate) mod workbook;
pub(crate) mod writing_systems;

pub use self::cancel::Cancel;
pub use self::chart::{
    ChartColumn, ChartDescription, ChartFormat, ChartLabels, ChartPng, ChartRole, ChartSeries,
    ChartShape, ChartStack, ChartValue, ChartWanted, MAX_CHART_POINTS, MAX_CHART_SERIES,
    NumberStyle,
};
pub use self::doc::{
    Alignment as ColumnAlignment, Block, Doc, Inline, List, ListItem, Meta, Paper, QuoteKind,
    Table, TextStyle, plain_text,
};
pub use self::fill_options::{FillOptions, Filled};
pub use self::fill_values::{FillTable, FillValue, FillValues};
pub use self::markdown::{MAX_MARKDOWN_BYTES, front_matter, markdown, markdown_unless};
pub use self::options::{CommonOptions, Docx, DocxOptions, Html, HtmlOptions, Pptx, PptxOptions};
pub use self::picture::{
    MAX_PICTURE_BYTES, MAX_PICTURES, MAX_PICTURES_BYTES, Pictures, local_names, picture_names,
};
pub use self::slide_texts::{SlideKind, SlideLine, SlidePart, SlidePicture, SlideText, SlideTexts};
pub use self::standard::{Attachment, MAX_ATTACHED_BYTES, MAX_ATTACHMENTS, PdfStandard, Relation};
pub use self::text_pages::{MAX_TEXT_PAGES, TextAlign, TextPages};
pub use self::theme::{
    Color, Logo, LogoKind, MAX_LOGO_BYTES, Running, Theme, ThemeColors, ThemeFonts, ThemeLayout,
    ThemeMargins, ThemeSizes,
};
pub use self::typeset::{
    FontSet, MAX_PREVIEW_BYTES, PageSize, Pdf, PdfBackend, PdfOptions, Typesetter,
};
pub use self::workbook::{
    Alignment, Block as SheetBlock, CellConversion, CellNote, Chart, ChartKind, ColumnMapping,
    Data, DefinedName, Formula, InputKind, InputRule, Link, MAX_CELLS, Orientation, PageSetup,
    Picture, Protection, RowStyle, Rule, RuleKind, RuleLook, Sheet, SheetAppearance, SheetCell,
    SheetColumn, SheetRow, SheetRows, SparklineKind, Sparklines, Stacking, Style, Workbook, Xlsx,
    XlsxOptions,
};
pub use self::writing_systems::{WRITING_SYSTEMS, WritingSystem};
