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
mod lookup;
mod outline;
mod part;
mod search;

use bindings::exports::mitt::document_tool::tools::{Guest, Matches, Parts, TextPart};
use bindings::mitt::host::documents::{self, DocumentInfo};
use mitt_guest::tables::Error;
use mitt_guest::tables::wit::tables::Table;

/// Default characters of one read, well below what a model sees of a result.
const DEFAULT_LENGTH: u64 = 20_000;

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
        let table_header = match part::begins_in_table(text) && offset > 0 {
            true => part::header_before(&read(0, offset)?.text, text),
            false => None,
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

/// Adds the existing names to `not-found`; returns any other error unchanged.
fn explained(error: Error, name: &str) -> Error {
    match error {
        Error::NotFound(_) => Error::NotFound(lookup::no_document(name, &documents::list())),
        other => other,
    }
}

bindings::export!(Plugin with_types_in bindings);
