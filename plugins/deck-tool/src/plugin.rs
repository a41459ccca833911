//! The exported functions: arguments of the contract to edits, and results back.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:deck-tool/plugin",
        generate_all,
    });
}

use crate::charts::ChartData;
use crate::deck::Deck;
use crate::edits::Edit;
use crate::error::Error;
use crate::grid::{Grid, Value};
use crate::new_chart::{ChartKind, NewChart};
use crate::new_shape::Content;
use crate::new_slide::Filling;
use crate::read::{DeckInfo, LayoutInfo, ReadOptions, ShapeInfo, SlideInfo, read};
use crate::redact::redact;
use crate::run::edit;
use crate::write::Finding;
use bindings::exports::mitt::deck_tool::tools as wit;
use bindings::mitt::host::files;
use bindings::mitt::host::tables::Table;
use bindings::mitt::host::types::{Cell, Error as HostError, Table as PlainTable};

/// Slides that are read by default, and at most.
const LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 200;
/// Most rows that are read of a table for a chart.
const MAX_ROWS: u64 = 10_000;
/// Most warnings of a delivered file.
const MAX_WARNINGS: usize = 100;

struct Plugin;

impl wit::Guest for Plugin {
    fn read_deck(
        document: String,
        from: Option<u32>,
        limit: Option<u32>,
        layouts: Option<bool>,
    ) -> Result<wit::Deck, HostError> {
        mitt_guest::report_panics();
        let deck = Deck::open(files::read(&document)?).map_err(to_host)?;
        let options = ReadOptions {
            from: from.unwrap_or(1).max(1) as usize,
            limit: limit.unwrap_or(LIMIT).clamp(1, MAX_LIMIT) as usize,
            has_layouts: layouts.unwrap_or(false),
        };
        Ok(deck_out(read(&deck, &options).map_err(to_host)?))
    }

    fn edit_deck(
        document: String,
        edits: Vec<wit::Edit>,
        filename: String,
    ) -> Result<wit::Edited, HostError> {
        mitt_guest::report_panics();
        if let Err(problem) = mitt_guest::check_filename(&filename, &["pptx"]) {
            return Err(HostError::InvalidArgument(format!("filename: {problem}")));
        }
        let bytes = files::read(&document)?;
        let edits: Vec<Edit> = edits.into_iter().map(edit_in).collect();
        let read = |name: &str| files::read(name).map_err(from_host);
        let done = edit(bytes, &edits, &read).map_err(to_host)?;
        let mut warnings = done.warnings.clone();
        warnings.extend(done.overflows.iter().map(|it| {
            format!(
                "The text of {} may not fit: it needs about {} cm and has {} cm.",
                it.shape, it.needs_cm, it.has_cm
            )
        }));
        let warnings = bounded(warnings);
        let artifact = files::deliver(&done.bytes, &filename, &warnings)?;
        let overflow = |it: crate::Overflow| wit::Overflow {
            shape: it.shape,
            needs: it.needs_cm,
            has: it.has_cm,
        };
        Ok(wit::Edited {
            name: artifact.name,
            media_type: artifact.media_type,
            size: artifact.size,
            sha256: artifact.sha256,
            changes: done.changes,
            overflows: done.overflows.into_iter().map(overflow).collect(),
            warnings: done.warnings,
        })
    }

    fn redact_deck(
        document: String,
        words: Vec<String>,
        patterns: Option<Vec<String>>,
        filename: String,
    ) -> Result<wit::Redacted, HostError> {
        mitt_guest::report_panics();
        if let Err(problem) = mitt_guest::check_filename(&filename, &["pptx"]) {
            return Err(HostError::InvalidArgument(format!("filename: {problem}")));
        }
        let bytes = files::read(&document)?;
        let done = redact(bytes, &words, &patterns.unwrap_or_default()).map_err(to_host)?;
        let warnings = bounded(done.warnings);
        let artifact = files::deliver(&done.bytes, &filename, &warnings)?;
        Ok(wit::Redacted {
            name: artifact.name,
            media_type: artifact.media_type,
            size: artifact.size,
            sha256: artifact.sha256,
            places: done.places,
            hits: done.hits,
            warnings,
        })
    }
}

/// Returns as many warnings as the host takes, each of so many characters.
fn bounded(mut warnings: Vec<String>) -> Vec<String> {
    if warnings.len() > MAX_WARNINGS {
        let more = warnings.len() - MAX_WARNINGS + 1;
        warnings.truncate(MAX_WARNINGS - 1);
        warnings.push(format!("{more} further warnings were left out."));
    }
    warnings.into_iter().map(|it| it.chars().take(1_000).collect()).collect()
}

fn to_host(error: Error) -> HostError {
    match error {
        Error::Invalid(text) => HostError::InvalidArgument(text),
        Error::NotFound(text) => HostError::NotFound(text),
        Error::Malformed(text) => HostError::Malformed(text),
        Error::Unsupported(text) => HostError::Unsupported(text),
    }
}

fn from_host(error: HostError) -> Error {
    match error {
        HostError::NotFound(text) => Error::NotFound(text),
        HostError::Unsupported(text) => Error::Unsupported(text),
        HostError::InvalidArgument(text)
        | HostError::AlreadyExists(text)
        | HostError::Malformed(text)
        | HostError::Quota(text)
        | HostError::Other(text) => Error::Invalid(text),
    }
}

fn value(cell: Cell) -> Value {
    match cell {
        Cell::Null => Value::Empty,
        Cell::Boolean(it) => Value::Number(u8::from(it).to_string()),
        Cell::Number(it) => Value::Number(it),
        Cell::Text(it) if it.is_empty() => Value::Empty,
        Cell::Text(it) => Value::Text(it),
    }
}

fn grid(table: &Table) -> Grid {
    let columns = table.columns().into_iter().map(|it| it.name).collect();
    // One row more than allowed, so that a longer table is refused and not cut.
    let rows = table.cells(0, table.rows().min(MAX_ROWS + 1));
    Grid {
        columns,
        rows: rows.into_iter().map(|row| row.into_iter().map(value).collect()).collect(),
    }
}

fn edit_in(edit: wit::Edit) -> Edit {
    match edit {
        wit::Edit::SetText(it) => {
            Edit::SetText { shape: it.shape, expected: it.expected, text: it.text }
        }
        wit::Edit::ReplaceText(it) => Edit::ReplaceText {
            find: it.find,
            replacement: it.replacement,
            finding: Finding {
                is_whole_word: it.whole_word.unwrap_or(false),
                ignores_case: it.ignore_case.unwrap_or(false),
            },
        },
        wit::Edit::SetCell(it) => Edit::SetCell {
            shape: it.shape,
            row: it.row,
            column: it.column,
            expected: it.expected,
            text: it.text,
        },
        wit::Edit::InsertRows(it) => {
            Edit::InsertRows { shape: it.shape, after: it.after, rows: it.rows }
        }
        wit::Edit::DeleteRows(it) => {
            Edit::DeleteRows { shape: it.shape, row: it.row, count: it.count.unwrap_or(1) }
        }
        wit::Edit::InsertColumns(it) => {
            Edit::InsertColumns { shape: it.shape, after: it.after, columns: it.columns }
        }
        wit::Edit::DeleteColumns(it) => {
            Edit::DeleteColumns { shape: it.shape, column: it.column, count: it.count.unwrap_or(1) }
        }
        wit::Edit::SetChartData(it) => Edit::SetChartData { shape: it.shape, data: grid(&it.data) },
        wit::Edit::ReplacePicture(it) => {
            Edit::ReplacePicture { shape: it.shape, picture: it.picture, alt: it.alt }
        }
        wit::Edit::SetNotes(it) => {
            Edit::SetNotes { slide: it.slide, expected: it.expected, text: it.text }
        }
        wit::Edit::SetTitle(it) => {
            Edit::SetTitle { slide: it.slide, expected: it.expected, text: it.text }
        }
        wit::Edit::DuplicateSlide(it) => {
            Edit::DuplicateSlide { slide: it.slide, position: it.position }
        }
        wit::Edit::MoveSlide(it) => {
            // Without a position, which is refused as one that does not exist.
            Edit::MoveSlide { slide: it.slide, position: it.position.unwrap_or(0) }
        }
        wit::Edit::DeleteSlide(it) => Edit::DeleteSlide { slide: it.slide, expected: it.expected },
        wit::Edit::HideSlide(slide) => Edit::HideSlide { slide, is_hidden: true },
        wit::Edit::ShowSlide(slide) => Edit::HideSlide { slide, is_hidden: false },
        wit::Edit::NewSlide(it) => Edit::NewSlide {
            layout: it.layout,
            position: it.position,
            fillings: it.fillings.into_iter().map(filling).collect(),
            notes: it.notes,
        },
        wit::Edit::AddContent(it) => {
            Edit::AddContent { slide: it.slide, place: it.place, content: content(it.content) }
        }
        wit::Edit::SetProperty(it) => Edit::SetProperty { name: it.name, value: it.value },
    }
}

fn filling(it: wit::Filling) -> Filling {
    Filling { placeholder: it.placeholder, content: content(it.content) }
}

fn content(content: wit::Content) -> Content {
    match content {
        wit::Content::Text(text) => Content::Text(text),
        wit::Content::Table(rows) => Content::Table(rows),
        wit::Content::Picture(name) => Content::Picture(name),
        wit::Content::Chart(it) => Content::Chart(NewChart {
            kind: match it.kind {
                wit::ChartKind::Bar => ChartKind::Bar,
                wit::ChartKind::Column => ChartKind::Column,
                wit::ChartKind::Line => ChartKind::Line,
                wit::ChartKind::Pie => ChartKind::Pie,
                wit::ChartKind::Area => ChartKind::Area,
                wit::ChartKind::Scatter => ChartKind::Scatter,
            },
            title: it.title.unwrap_or_default(),
            data: grid(&it.data),
        }),
    }
}

fn deck_out(info: DeckInfo) -> wit::Deck {
    wit::Deck {
        size: info.size,
        total: info.total as u32,
        slides: info.slides.into_iter().map(slide_out).collect(),
        next: info.next.map(|it| it as u32),
        layouts: info.layouts.into_iter().map(layout_out).collect(),
        colors: info.colors,
        fonts: info.fonts,
        warnings: info.warnings,
    }
}

fn slide_out(info: SlideInfo) -> wit::Slide {
    wit::Slide {
        number: info.number as u32,
        anchor: info.anchor,
        layout: info.layout,
        hidden: info.is_hidden,
        shapes: info.shapes.into_iter().map(shape_out).collect(),
        notes: info.notes,
    }
}

fn layout_out(info: LayoutInfo) -> wit::Layout {
    wit::Layout { name: info.name, master: info.master, placeholders: info.placeholders }
}

fn shape_out(info: ShapeInfo) -> wit::Shape {
    wit::Shape {
        anchor: info.anchor,
        kind: info.kind.to_owned(),
        name: info.name,
        placeholder: info.placeholder,
        place: info.place,
        text: info.text,
        rows: info.rows,
        chart: info.chart.map(chart_out),
    }
}

fn chart_out(chart: ChartData) -> wit::Chart {
    let cell = |value: Value| match value {
        Value::Empty => Cell::Null,
        Value::Number(it) => Cell::Number(it),
        Value::Text(it) => Cell::Text(it),
    };
    let rows = chart.data.rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
    wit::Chart {
        kind: chart.kind,
        title: chart.title,
        data: PlainTable { columns: chart.data.columns, rows },
    }
}

// A native linker does not accept the names of these functions.
#[cfg(target_family = "wasm")]
bindings::export!(Plugin with_types_in bindings);
