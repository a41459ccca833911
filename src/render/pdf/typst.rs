//! The Typst backend: one fixed template, the document as data.
//!
//! No text of a document is ever Typst markup, where `#` is code.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use typst::comemo;
use typst::foundations::{Datetime, Smart};
use typst_layout::PagedDocument;
use typst_pdf::{PdfStandards, Timestamp};

use super::world::DocWorld;
use super::{Paper, Pdf, PdfBackend, PdfOptions, glyphs};
use crate::render::cjk::{display_width, language_of};
use crate::render::doc::{Alignment, Doc, Inline, plain_text};
use crate::time::Moment;
use crate::{Error, ErrorKind, Result};

/// Layout recurses; this is Typst's own choice for its program's threads, and more than any document here needs.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Documents whose intermediate results Typst remembers.
const REMEMBERED: usize = 4;

/// Most characters that an error lists.
const MAX_LISTED: usize = 20;

/// Typesets with Typst: line breaking after UAX #14 and Chinese conventions, tagged PDF 1.7, subset fonts.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypstBackend;

impl PdfBackend for TypstBackend {
    fn render(&self, doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
        // A thread of its own has the stack that layout needs, and turns a panic of Typst's into an error of ours.
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .name("mitt-pdf".into())
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, || render(doc, options))
                .map_err(|error| {
                    Error::new(ErrorKind::Host, "cannot start a thread").caused_by(error)
                })?
                .join()
                .unwrap_or_else(|_| Err(Error::bug("typesetting panicked")))
        })
    }
}

fn render(doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
    options.cancel.check()?;
    let faces = options.fonts.faces()?;
    let mut data = data(doc, options)?;
    let dropped = glyphs::replace_emoji(&mut data, &faces);
    let data = serde_json::to_vec(&data)
        .map_err(|error| Error::bug(format!("no JSON of a document: {error}")))?;
    let world = DocWorld::new(data, faces, options.cancel.clone())?;
    let compiled = typst::compile::<PagedDocument>(&world);
    comemo::evict(REMEMBERED);
    options.cancel.check()?;
    let pages = compiled.output.map_err(|errors| {
        let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
        Error::bug(format!("the document cannot be typeset: {}", messages.join("; ")))
    })?;
    let mut missing = BTreeSet::new();
    pages.pages().iter().for_each(|page| glyphs::missing(&page.frame, &mut missing));
    if !missing.is_empty() {
        return Err(no_glyphs(&missing));
    }
    let bytes = typst_pdf::pdf(&pages, &pdf_options(options)).map_err(|errors| {
        let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
        Error::bug(format!("the pages cannot be written as PDF: {}", messages.join("; ")))
    })?;
    let mut warnings = Vec::new();
    if !dropped.is_empty() {
        warnings.push(format!("left out, as no font has them: {}", listed(&dropped)));
    }
    Ok(Pdf { bytes, pages: pages.pages().len(), warnings })
}

fn no_glyphs(missing: &BTreeSet<char>) -> Error {
    Error::new(ErrorKind::Arguments, format!("no font has these characters: {}", listed(missing)))
        .hint("replace them, or give the host a font that has them")
}

fn listed(characters: &BTreeSet<char>) -> String {
    let mut text: Vec<_> = characters
        .iter()
        .take(MAX_LISTED)
        .map(|c| format!("{c} (U+{:04X})", u32::from(*c)))
        .collect();
    if characters.len() > MAX_LISTED {
        text.push(format!("and {} more", characters.len() - MAX_LISTED));
    }
    text.join(", ")
}

fn pdf_options(options: &PdfOptions) -> typst_pdf::PdfOptions {
    let at = Moment::after_epoch(options.created);
    let datetime = i32::try_from(at.year).ok().and_then(|year| {
        Datetime::from_ymd_hms(year, at.month, at.day, at.hour, at.minute, at.second)
    });
    typst_pdf::PdfOptions {
        ident: Smart::Auto,
        creator: Smart::Custom(Some("mitt".into())),
        timestamp: datetime.map(Timestamp::new_utc),
        page_ranges: None,
        standards: PdfStandards::default(),
        tagged: true,
        pretty: false,
    }
}

/// What the template reads.
fn data(doc: &Doc, options: &PdfOptions) -> Result<Value> {
    let mut texts = Vec::new();
    doc.for_each_text(&mut |text| texts.push(text));
    let tag = match options.language.as_deref().map(str::trim) {
        Some(tag) if !tag.is_empty() => tag.to_owned(),
        _ => language_of(texts.into_iter()).to_owned(),
    };
    let (language, region) = language_and_region(&tag)?;
    let title = options
        .title
        .clone()
        .or_else(|| doc.first_heading())
        .filter(|title| !title.trim().is_empty());
    let mut tree = serde_json::to_value(doc)
        .map_err(|error| Error::bug(format!("no JSON of a document: {error}")))?;
    let mut referenced = BTreeSet::new();
    prepare(&mut tree["blocks"], &mut referenced);
    Ok(json!({
        "title": title, "language": language, "region": region, "contents": options.contents,
        "paper": match options.paper { Paper::A4 => "a4", Paper::Letter => "us-letter" },
        "blocks": tree["blocks"], "footnotes": tree["footnotes"], "tables": tables(doc),
    }))
}

/// `zh-CN` to `zh` and `CN`. Chinese without a region is mainland Chinese, whose punctuation is set differently.
fn language_and_region(tag: &str) -> Result<(String, Option<String>)> {
    let mut parts = tag.split(['-', '_']);
    let language = parts.next().unwrap_or_default().to_ascii_lowercase();
    let letters = |text: &str| text.bytes().all(|b| b.is_ascii_alphabetic());
    if !(2..=3).contains(&language.len()) || !letters(&language) {
        return Err(Error::new(
            ErrorKind::Arguments,
            format!("language: a tag such as `zh-CN` or `en` expected, got `{tag}`"),
        ));
    }
    let region = parts.find(|part| part.len() == 2 && letters(part)).map(str::to_ascii_uppercase);
    let region = region.or_else(|| (language == "zh").then(|| "CN".to_owned()));
    Ok((language, region))
}

/// Mark the first reference to each footnote, where its text is set; number the tables in order of appearance.
fn prepare(value: &mut Value, referenced: &mut BTreeSet<u64>) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| prepare(value, referenced)),
        Value::Object(values) => {
            if values.get("type").and_then(Value::as_str) == Some("footnote") {
                let first = values
                    .get("index")
                    .and_then(Value::as_u64)
                    .is_some_and(|index| referenced.insert(index));
                values.insert("first".into(), Value::Bool(first));
            }
            prepare_children(values, referenced);
        }
        _ => {}
    }
}

fn prepare_children(values: &mut Map<String, Value>, referenced: &mut BTreeSet<u64>) {
    // `serde_json` keeps keys sorted; a table's head is read before its rows either way.
    values.values_mut().for_each(|value| prepare(value, referenced));
}

/// Widths and alignments of all tables, in order of appearance.
fn tables(doc: &Doc) -> Vec<Value> {
    let mut out = Vec::new();
    let mut blocks: Vec<_> =
        doc.blocks.iter().chain(doc.footnotes.iter().flatten()).rev().collect();
    while let Some(block) = blocks.pop() {
        use crate::render::doc::Block;
        match block {
            Block::Table(table) => {
                let columns: Vec<Column> = (0..table.columns.len())
                    .map(|index| {
                        let cells = table
                            .rows
                            .iter()
                            .filter_map(|row| row.get(index))
                            .map(|cell| plain_text(cell));
                        column(
                            table.head.get(index).map_or(&[], Vec::as_slice),
                            table.columns[index],
                            cells,
                        )
                    })
                    .collect();
                out.push(widths(&columns));
            }
            Block::Quote { blocks: inner, .. } => blocks.extend(inner.iter().rev()),
            Block::List(list) => {
                blocks.extend(list.items.iter().flat_map(|item| &item.blocks).rev())
            }
            _ => {}
        }
    }
    out
}

/// A column of a table: what its widest cell takes, and where its text stands.
struct Column {
    width: usize,
    alignment: &'static str,
}

/// Half ems of a line on A4 that cells can fill, and what the space around a cell takes of it.
const LINE_WIDTH: usize = 96;
const CELL_SPACE: usize = 3;

/// Columns that are this narrow keep their width where a table is too wide, and are never broken.
const NARROW: usize = 10;

/// Shares of the line, by content. Width 0 means: as wide as the content.
fn widths(columns: &[Column]) -> Value {
    let all: usize = columns.iter().map(|column| column.width + CELL_SPACE).sum();
    let is_fixed = |column: &Column| all > LINE_WIDTH && column.width <= NARROW;
    let narrow: usize = columns
        .iter()
        .filter(|column| is_fixed(column))
        .map(|column| column.width + CELL_SPACE)
        .sum();
    // Only where enough is left for the others.
    let fix = narrow * 2 <= LINE_WIDTH && columns.iter().any(|column| !is_fixed(column));
    let width = |column: &Column| match fix && is_fixed(column) {
        true => 0,
        false => column.width.clamp(4, 40) + CELL_SPACE,
    };
    columns
        .iter()
        .map(|column| json!({ "width": width(column), "align": column.alignment }))
        .collect()
}

/// What a column holds; numbers to the right.
fn column(head: &[Inline], alignment: Alignment, cells: impl Iterator<Item = String>) -> Column {
    let mut width = display_width(&plain_text(head));
    let (mut numbers, mut others) = (0, 0);
    for cell in cells {
        width = width.max(display_width(&cell));
        let cell = cell.trim();
        match cell {
            "" | "-" | "—" | "–" => {}
            _ if is_numeric(cell) => numbers += 1,
            _ => others += 1,
        }
    }
    let alignment = match alignment {
        Alignment::Left => "left",
        Alignment::Center => "center",
        Alignment::Right => "right",
        Alignment::Auto if numbers > others => "right",
        Alignment::Auto => "left",
    };
    Column { width, alignment }
}

/// `1,234.5`, `-12.5%`, `¥1.2亿`, `+3.4 pp`, but not `1月` or `2024年`, which are names.
fn is_numeric(text: &str) -> bool {
    const UNITS: &str = "%‰百千万亿元kKMBp";
    let number = text.trim_start_matches(['+', '-', '−', '¥', '￥', '$', '€', '£', '(', ' ']);
    let is_part =
        |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | ')') || UNITS.contains(c);
    number.starts_with(|c: char| c.is_ascii_digit() || c == '.') && number.chars().all(is_part)
}
