//! Writes documents as text, JSON and CSV. Tables are written row by row: a table of a million cells takes a few hundred
//! bytes here.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::commands::work::Work;
use crate::output::{self, DataWriter, Output};
use mitt::internal::{JsonNumbers, json_number_warnings, push_json_row};
use mitt::{Document, Excerpt, LeftOut, NamedTable, Place, Table};
use mitt_base::formulas::{Formulas, harmless, is_formula};
use mitt_base::rows::{self, Rows, grouped};
use mitt_base::{Error, ErrorKind, Result, text, visible};

/// Returns a document followed by the documents nested in it.
pub(super) fn with_inside(work: &Work, document: Arc<Document>) -> Vec<Arc<Document>> {
    let is_inside = |it: &Arc<Document>| {
        it.name.strip_prefix(&document.name).is_some_and(|rest| rest.starts_with('/'))
    };
    let inside: Vec<_> = work.session.documents().into_iter().filter(is_inside).collect();
    std::iter::once(document).chain(inside).collect()
}

/// Prints the text of a document, and of nested ones under their names, as far as the budget goes.
pub(super) fn print_all(
    all: &[Arc<Document>],
    shown: &[Option<Excerpt>],
    output: &Output,
) -> Result<()> {
    for (at, (document, excerpt)) in all.iter().zip(shown).enumerate() {
        if at > 0 {
            output.data(&format!("==> {} <==\n", text::one_line(&document.name)))?;
        }
        print_text(document, excerpt.as_ref(), output)?;
    }
    Ok(())
}

fn print_text(document: &Document, excerpt: Option<&Excerpt>, output: &Output) -> Result<()> {
    let text = match excerpt {
        None => &document.text,
        // The budget had no room for any of it.
        Some(excerpt) if excerpt.text.is_empty() && !excerpt.is_whole() => {
            let all = grouped(document.characters);
            return output.data_line(&format!(
                "{} all of its {all} characters are left out",
                text::TRUNCATED.trim_start()
            ));
        }
        Some(excerpt) => &excerpt.text,
    };
    output.data(text)?;
    if text.ends_with('\n') { Ok(()) } else { output.data_line("") }
}

/// Writes to standard output in large pieces. Removes the progress from the terminal afterwards, even after an error.
pub(in crate::commands) fn write_out<T: Default>(
    work: &Work,
    output: &Output,
    write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> Result<T> {
    let mut out = BufWriter::with_capacity(1 << 16, output.writer());
    let written = write(&mut out).and_then(|value| out.flush().map(|()| value));
    work.progress.finish();
    written.or_else(|error| DataWriter::failed(error).map(|()| T::default()))
}

/// Refuses a table with fields that a spreadsheet would calculate, if the options say so.
pub(crate) fn check_formulas(table: &Table, formulas: Formulas) -> Result<()> {
    if formulas != Formulas::Refused {
        return Ok(());
    }
    let refused = |place: String| {
        let message = format!(
            "{place}: expected text that no spreadsheet would calculate; it begins with `=`, `+`, `-`, `@`, a tab or a carriage return"
        );
        let hint = "`--formulas harmless` puts an apostrophe in front of it, `--formulas keep` leaves it as it is";
        Err(Error::new(ErrorKind::Input, message).hint(hint))
    };
    if let Some(at) = table.names().position(is_formula) {
        return refused(format!("name of column {}", at + 1));
    }
    let mut written = String::new();
    for row in 0..table.rows() {
        for column in 0..table.width() {
            if is_formula(table.cell(row, column, &mut written).as_str()) {
                return refused(format!("row {}, column {}", row + 1, column + 1));
            }
        }
    }
    Ok(())
}

/// Reports how many fields got an apostrophe.
pub(in crate::commands) fn note_formulas(count: u64) {
    if count > 0 {
        let count = grouped(count);
        output::note(&format!(
            "{count} texts of the CSV begin with an apostrophe, as a spreadsheet would have calculated them; `--formulas keep` leaves them as they are"
        ));
    }
}

/// Writes a table in the form of RFC 4180, but with line feeds, which every program reads. Returns how many fields got an
/// apostrophe.
pub(crate) fn write_csv(
    table: &Table,
    out: &mut dyn Write,
    rows: &Rows,
    formulas: Formulas,
) -> io::Result<u64> {
    let mut count = 0;
    let mut safe = |text: &str| -> Option<String> {
        let is_changed = formulas == Formulas::Harmless && is_formula(text);
        count += u64::from(is_changed);
        is_changed.then(|| harmless(text).into_owned())
    };
    let mut writer = csv::WriterBuilder::new().from_writer(out);
    // Keep the I/O error: the reader of the output may have gone away.
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    };
    for name in table.names() {
        match safe(name) {
            Some(safe) => writer.write_field(safe),
            None => writer.write_field(name),
        }
        .map_err(failed)?;
    }
    writer.write_record(None::<&[u8]>).map_err(failed)?;
    let mut written = String::new();
    for row in 0..table.rows() {
        for column in 0..table.width() {
            let cell = table.cell(row, column, &mut written);
            let text = cell.as_str();
            match safe(text) {
                Some(safe) => writer.write_field(safe),
                None => writer.write_field(text),
            }
            .map_err(failed)?;
        }
        writer.write_record(None::<&[u8]>).map_err(failed)?;
        rows.passed(row + 1);
    }
    writer.flush()?;
    drop(writer);
    Ok(count)
}

/// Returns the number of rows in all tables of a document.
fn rows_of(document: &Document) -> u64 {
    document.tables.iter().map(|table| table.data.rows() as u64).sum()
}

/// Returns the number of rows in a document and those nested in it.
pub(super) fn rows_of_all(all: &[Arc<Document>]) -> u64 {
    all.iter().map(|it| rows_of(it)).sum()
}

/// Writes a document as JSON, with `path` as its location if given. Its tables come at the end, one row per line, followed
/// by the nested files, which follow it in `all`.
pub(super) fn write_json(
    (all, shown, path): (&[Arc<Document>], &[Option<Excerpt>], Option<&str>),
    out: &mut dyn Write,
    rows: &Rows,
) -> io::Result<()> {
    let (Some((document, inside)), Some((excerpt, of_inside))) =
        (all.split_first(), shown.split_first())
    else {
        return Ok(());
    };
    let warnings = warnings_of(document);
    let mut head = json!({
        "name": document.name, "media_type": document.media_type, "title": document.title,
        "metadata": pairs(&document.metadata), "places": places(document),
        "size": document.size, "sha256": document.sha256, "characters": document.characters,
        "text": document.text, "warnings": warnings,
    });
    if let Some(excerpt) = excerpt {
        let left_out = |it: &LeftOut| json!({ "offset": it.offset, "characters": it.characters, "rows": it.rows });
        head["text"] = json!(excerpt.text);
        head["tokens"] = json!(excerpt.tokens);
        head["left_out"] = excerpt.left_out.iter().map(left_out).collect();
    }
    if let Some(path) = path {
        head["path"] = json!(path);
    }
    let head = visible::pretty_json(&head);
    out.write_all(head.strip_suffix("\n}").unwrap_or(&head).as_bytes())?;
    out.write_all(b",\n  \"tables\": [")?;
    for (at, table) in document.tables.iter().enumerate() {
        out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
        write_table(table, out, rows)?;
    }
    out.write_all(if document.tables.is_empty() { b"]" } else { b"\n  ]" })?;
    for (at, part) in inside.chunks(1).enumerate() {
        out.write_all(if at == 0 { b",\n  \"parts\": [\n" } else { b",\n" })?;
        write_json((part, of_inside.get(at..=at).unwrap_or_default(), None), out, rows)?;
    }
    out.write_all(if inside.is_empty() { b"\n}" } else { b"\n  ]\n}" })
}

fn pairs(metadata: &[(String, String)]) -> Value {
    metadata.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect()
}

fn places(document: &Document) -> Value {
    let place = |place: &Place| json!({ "offset": place.offset, "label": place.label });
    document.places.iter().map(place).collect()
}

/// Writes the tables of documents as JSON, one row per line, with the warnings of the documents.
#[cfg(feature = "lambda-s3")]
pub(crate) fn write_tables_json(
    documents: &[Arc<Document>],
    out: &mut dyn Write,
    rows: &Rows,
) -> io::Result<()> {
    let name = documents.first().map(|document| document.name.as_str()).unwrap_or_default();
    let warnings: Vec<String> = documents.iter().flat_map(|it| warnings_of(it)).collect();
    let head = visible::pretty_json(&json!({ "name": name, "warnings": warnings }));
    out.write_all(head.strip_suffix("\n}").unwrap_or(&head).as_bytes())?;
    out.write_all(b",\n  \"tables\": [")?;
    let tables = documents.iter().flat_map(|document| document.tables.iter());
    for (at, table) in tables.enumerate() {
        out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
        write_table(table, out, rows)?;
    }
    out.write_all(b"\n  ]\n}\n")
}

/// Returns the warnings of a document, with those about numbers that JSON does not have.
fn warnings_of(document: &Document) -> Vec<String> {
    let of_numbers = document.tables.iter().flat_map(|table| {
        json_number_warnings(&table.data)
            .map(move |warning| format!("table `{}`, {warning}", table.name))
    });
    document.warnings.iter().cloned().chain(of_numbers).collect()
}

fn write_table(table: &NamedTable, out: &mut dyn Write, rows: &Rows) -> io::Result<()> {
    let names: Vec<&str> = table.data.names().collect();
    let types: Vec<&str> =
        table.data.columns().map(|(_, column)| column.column_type().name()).collect();
    let mut head = json!({ "name": table.name, "columns": names, "types": types });
    if let Some(place) = &table.place {
        head["place"] = json!(place);
    }
    let head = head.to_string();
    let head = visible::json(&head);
    write!(out, "    {},\"rows\":[", head.strip_suffix('}').unwrap_or(&head))?;
    let mut line = String::new();
    for row in 0..table.data.rows() {
        line.clear();
        line.push_str(if row > 0 { ",\n      " } else { "\n      " });
        push_json_row(&mut line, &table.data, row, JsonNumbers::Portable);
        out.write_all(visible::json(&line).as_bytes())?;
        rows.passed(row + 1);
    }
    rows.add(table.data.rows() % rows::EACH);
    out.write_all(if table.data.rows() > 0 { b"\n    ]}" } else { b"]}" })
}
