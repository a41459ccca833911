//! The formats: each backend makes files of one, from what `model` describes, with what `shared` has for all of them.
//!
//! `writers`, `typesetters`, `font_choice` and `pdf_pages` are the interface in every build; the backends behind them need
//! their features.

#[cfg(feature = "pdf-compact")]
mod compact;
#[cfg(feature = "docx")]
mod docx;
#[cfg(feature = "fill")]
mod fill;
mod font_choice;
mod html;
mod inspect;
#[cfg(feature = "pdf")]
mod pdf;
mod pdf_pages;
#[cfg(feature = "pptx")]
mod pptx;
#[cfg(feature = "preview")]
mod preview;
mod sheets;
mod typesetters;
mod writers;
#[cfg(feature = "xlsx")]
mod xlsx;

pub use self::font_choice::FontChoice;
pub use self::html::html;
pub use self::inspect::{Inspect, LeftOut, inspect_office};
pub use self::pdf_pages::PdfPages;
pub use self::sheets::{Sheets, sheets};
pub use self::typesetters::{CompactBackend, TypstBackend, pdf, text_pages};
pub use self::writers::{
    append_xlsx, docx, docx_files, fill_docx, fill_xlsx, pptx, slide_texts, xlsx, xlsx_files,
};
