//! Lets a model list the documents of the user, and read their text and tables.
//!
//! The host keeps and parses the documents. The plugin adds defaults, ranges and errors that list the existing names.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:document-tool/plugin",
        generate_all,
        with: {
            "mitt:host/types@0.1.0": mitt_guest::tables::wit::types,
            "mitt:host/tables@0.1.0": mitt_guest::tables::wit::tables,
        },
        additional_derives: [PartialEq],
    });
}
mod compare;
mod lookup;
mod outline;
mod part;
mod search;

use bindings::exports::mitt::document_tool::tools::{Comparison, Guest, Matches, Parts, TextPart};
use bindings::mitt::host::documents::{self, DocumentInfo};
use compare::Source;
use mitt_guest::tables::Error;
use mitt_guest::tables::wit::tables::Table;

/// Default characters of one read, well below what a model sees of a result.
const DEFAULT_LENGTH: u64 = 20_000;

/// Characters of a document that are read at once to compare it.
const PIECE: u64 = 2_000_000;

/// Most warnings of a reader that a comparison repeats, for each document.
const MAX_WARNINGS: usize = 10;

/// The warning if the text of a table does not show all of its rows.
const WHOLE_TABLES: &str = "the texts of long tables show only their first rows, so all rows were compared by the values of their cells; there are no offsets";

/// The summary if there are no differences, and a warning says what may be missing.
const NO_DIFFERENCES: &str = "No differences in what was compared; see the warnings.";

struct Plugin;

impl Guest for Plugin {
    fn list_documents() -> Vec<DocumentInfo> {
        mitt_guest::report_panics();
        documents::list()
    }

    fn read_document(
        name: String,
        offset: Option<u64>,
        length: Option<u64>,
    ) -> Result<TextPart, Error> {
        mitt_guest::report_panics();
        let (offset, length) = (offset.unwrap_or(0), length.unwrap_or(DEFAULT_LENGTH));
        let read = |offset, length| {
            documents::text(&name, offset, length).map_err(|error| explained(error, &name))
        };
        // Reads a little more, to see whether the last character continues.
        let range = read(offset, length.saturating_add(part::LOOK_AHEAD))?;
        let text = part::cut(&range.text, length);
        let end = range.offset + text.chars().count() as u64;
        let table_header = if part::begins_in_table(text) && offset > 0 {
            part::header_before(&read(0, offset)?.text, text)
        } else {
            None
        };
        Ok(TextPart {
            text: text.to_owned(),
            offset: range.offset,
            next: (end < range.total && !text.is_empty()).then_some(end),
            total: range.total,
            table_header,
        })
    }

    fn outline(name: String) -> Result<Parts, Error> {
        mitt_guest::report_panics();
        let explained = |error| explained(error, &name);
        let whole = documents::text(&name, 0, u64::MAX).map_err(explained)?;
        let places = documents::places(&name).map_err(explained)?;
        Ok(outline::outline(&whole.text, &places))
    }

    fn search(
        text: String,
        name: Option<String>,
        exact: Option<bool>,
        limit: Option<u32>,
    ) -> Result<Matches, Error> {
        mitt_guest::report_panics();
        let needle = search::Needle::new(&text, exact.unwrap_or(false), limit)?;
        let names = match name {
            Some(name) => vec![name],
            None => documents::list().into_iter().map(|document| document.name).collect(),
        };
        let mut matches = Matches { found: Vec::new(), total: 0 };
        for name in names {
            let explained = |error| explained(error, &name);
            let whole = documents::text(&name, 0, u64::MAX).map_err(explained)?;
            let places = documents::places(&name).map_err(explained)?;
            needle.find(&name, &whole.text, &places, &mut matches);
        }
        Ok(matches)
    }

    fn compare_documents(
        before: String,
        after: String,
        limit: Option<u32>,
    ) -> Result<Comparison, Error> {
        mitt_guest::report_panics();
        let limit = compare::checked_limit(limit)?;
        let infos = documents::list();
        let mut sources = [source(&before, &infos)?, source(&after, &infos)?];
        let has_whole_tables = read_whole_tables(&mut sources, &infos)?;
        let [old, new] = sources;
        let mut comparison = compare::compare(old, new, limit);
        if has_whole_tables {
            comparison.warnings.push(WHOLE_TABLES.to_owned());
        }
        // What was not read cannot differ.
        let read = [&before, &after].map(|name| infos.iter().find(|it| it.name == *name));
        for info in read.into_iter().flatten() {
            let warnings = info.warnings.iter().take(MAX_WARNINGS);
            comparison.warnings.extend(warnings.map(|it| format!("`{}`: {it}", info.name)));
        }
        if comparison.total == 0 && !comparison.warnings.is_empty() {
            comparison.summary = NO_DIFFERENCES.to_owned();
        }
        Ok(comparison)
    }

    fn read_table(
        name: String,
        table: Option<u32>,
        first_row: Option<u64>,
        row_count: Option<u64>,
    ) -> Result<Table, Error> {
        mitt_guest::report_panics();
        let tables = documents::tables(&name).map_err(|error| explained(error, &name))?;
        let index = table.unwrap_or(0);
        lookup::rows(&tables, index, first_row, row_count)
            .ok_or_else(|| Error::NotFound(lookup::no_table(&name, index, &documents::list())))
    }
}

/// Returns a document as it is compared: its text up to a limit, and its places.
fn source(name: &str, infos: &[DocumentInfo]) -> Result<Source, Error> {
    let explained = |error| explained(error, name);
    let mut text = String::new();
    let mut offset = 0;
    let mut is_cut = false;
    loop {
        let range = documents::text(name, offset, PIECE).map_err(explained)?;
        text.push_str(&range.text);
        offset += range.text.chars().count() as u64;
        if range.text.is_empty() || offset >= range.total {
            break;
        }
        if text.len() > compare::MAX_BYTES {
            let end = text.floor_char_boundary(compare::MAX_BYTES);
            text.truncate(text[..end].rfind('\n').map_or(end, |it| it + 1));
            is_cut = true;
            break;
        }
    }
    let media_type = infos.iter().find(|it| it.name == name).map(|it| it.media_type.as_str());
    Ok(Source {
        name: name.to_owned(),
        places: documents::places(name).map_err(explained)?,
        is_plain: media_type.is_some_and(is_plain),
        text,
        is_cut,
        has_offsets: true,
    })
}

/// Reads all rows of tables whose text shows only the first ones. Then both documents are compared by the values of their
/// cells, if they have only tables. Returns `true` if that was done.
fn read_whole_tables(sources: &mut [Source], infos: &[DocumentInfo]) -> Result<bool, Error> {
    let tables_of = |name: &str| {
        let info = infos.iter().find(|it| it.name == name);
        info.map_or(&[][..], |it| &it.tables)
    };
    let is_partial = |source: &Source| {
        let tables = tables_of(&source.name);
        let n_rows = tables.iter().map(|it| it.rows).fold(0, u64::saturating_add);
        compare::is_partial(&source.text, tables.len(), n_rows)
    };
    if !sources.iter().any(is_partial) {
        return Ok(false);
    }
    for source in sources.iter_mut().filter(|it| compare::is_tabular(&it.text)) {
        let tables =
            documents::tables(&source.name).map_err(|error| explained(error, &source.name))?;
        let names = tables_of(&source.name).iter().map(|it| it.name.clone());
        let tables: Vec<_> = names.zip(tables).collect();
        compare::replace(source, &tables, compare::MAX_BYTES)?;
    }
    Ok(true)
}

/// Returns `true` for texts that a reader leaves as they are. The others are Markdown.
fn is_plain(media_type: &str) -> bool {
    let is_markup =
        ["markdown", "csv", "tab-separated", "html"].iter().any(|it| media_type.contains(it));
    let is_data =
        ["application/json", "application/x-ndjson", "application/xml"].contains(&media_type);
    is_data || media_type.starts_with("text/") && !is_markup
}

/// Adds the existing names to `not-found`; returns any other error unchanged.
fn explained(error: Error, name: &str) -> Error {
    match error {
        Error::NotFound(_) => Error::NotFound(lookup::no_document(name, &documents::list())),
        other => other,
    }
}

bindings::export!(Plugin with_types_in bindings);
