//! Reads and edits presentations: the arguments of a model in, a copy with the changes out.
//!
//! What is not changed keeps its bytes: entries of the archive are copied, and changed parts differ only where they must.

mod area;
mod batch;
mod charts;
mod color;
mod content;
mod deck;
mod edits;
mod error;
mod escape;
mod fitting;
mod grid;
mod measure;
mod new_chart;
mod new_shape;
mod new_slide;
mod notes;
mod order;
mod package;
mod picture;
mod pictures;
#[cfg_attr(
    not(target_family = "wasm"),
    allow(
        dead_code,
        reason = "exported only by the component, and compiled here so that it is checked"
    )
)]
mod plugin;
mod props;
mod read;
mod redact;
mod run;
mod scene;
mod shapes;
mod slides;
mod style;
mod table_columns;
mod tables;
mod text;
mod values;
mod workbook;
mod write;
mod xml;

pub use charts::ChartData;
pub use deck::Deck;
pub use edits::Edit;
pub use error::Error;
pub use fitting::Overflow;
pub use grid::{Grid, Value};
pub use new_chart::{ChartKind, NewChart};
pub use new_shape::{Content, Files};
pub use new_slide::Filling;
pub use read::{DeckInfo, LayoutInfo, ReadOptions, ShapeInfo, SlideInfo, read};
pub use redact::{Redacted, redact};
pub use run::{Edited, edit};
pub use write::Finding;
