//! `mitt ingest`: what the tools would be given of a file, as text, as JSON, as CSV or as Parquet.
//!
//! Tables are written row by row: a table of a million cells takes a few hundred bytes here.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use super::host_for;
use super::work::Work;
use crate::args::{Alone, Global, Ingest};
use crate::output::{DataWriter, Output, error_json, note};
use crate::password;
use mitt::{CellRef, Document, DocumentOptions, NamedTable, Place, SessionLimits, Table};
use mitt_base::rows::{self, Rows};
use mitt_base::{Error, ErrorKind, Result, text, visible};

/// Tables that are listed where none was named.
const LISTED: usize = 20;

/// `mitt ingest`
pub(crate) async fn ingest(global: &Global, command: Ingest, output: &Output) -> Result<ExitCode> {
    let alone = command.alone();
    if let Some(alone) = alone {
        check_alone(alone, command.files.len(), output)?;
    }
    // No model is given this text, so it is not cut to what one is given. With a table alone nobody reads it.
    let mut limits = SessionLimits::default();
    if alone.is_none() {
        limits.document_characters = u64::MAX;
        limits.table_characters = u64::MAX;
    }
    let options = password::options(command.password_file.as_deref())?;
    let work = Work::on(global, host_for(global, limits)?, &[], output, |_, _| {}).await?;
    if let [file] = &command.files[..] {
        let read = work.read(file, command.name.as_deref(), &options, true).await;
        let document = read.map_err(|error| locked(error, &options))?;
        work.progress.finish();
        if let Some(alone) = alone {
            write_alone(alone, chosen(&document, command.table.as_deref())?, &work, output)?;
        } else if output.is_json() {
            let inside = inside(&work, &document);
            let rows = work.progress.written("JSON", rows_of_all(&document, &inside), output);
            write_out(&work, output, |out| {
                write_json(&document, &inside, out, &rows)?;
                out.write_all(b"\n")
            })?;
        } else {
            print_text(&document, output)?;
            print_inside(&work, &document, output)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    // Each is read, whatever is wrong with the others.
    let (mut read, mut code) = (Vec::new(), None);
    let reading = command.files.iter().map(|file| {
        // Nobody is asked for several passwords at once.
        let read = work.read(file, command.name.as_deref(), &options, false);
        async move { (file, read.await) }
    });
    // Readers compute: as many at a time as there are processors.
    let n_at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let mut reading = stream::iter(reading.collect::<Vec<_>>()).buffered(n_at_once);
    while let Some((file, done)) = reading.next().await {
        match done {
            Ok(document) if output.is_json() => {
                let inside = inside(&work, &document);
                read.push(Ok((document, inside)));
            }
            Ok(document) => {
                let title = format!("==> {} <==\n", text::one_line(&file.display().to_string()));
                output.data(&title)?;
                print_text(&document, output)?;
                print_inside(&work, &document, output)?;
            }
            Err(error) => {
                let error = locked(error, &options);
                let name = file.display().to_string();
                read.push(Err(json!({ "name": name, "error": error_json(&error) })));
                note(&format!("error: {}", error.render()));
                code.get_or_insert(ExitCode::from(error.kind().exit_code()));
            }
        }
    }
    work.progress.finish();
    if output.is_json() {
        let of =
            read.iter().flatten().map(|(document, inside)| rows_of_all(document, inside)).sum();
        let rows = work.progress.written("JSON", of, output);
        write_out(&work, output, |out| {
            for (at, file) in read.iter().enumerate() {
                out.write_all(if at == 0 { b"[\n" } else { b",\n" })?;
                match file {
                    Ok((document, inside)) => write_json(document, inside, out, &rows)?,
                    Err(error) => out.write_all(visible::pretty_json(error).as_bytes())?,
                }
            }
            out.write_all(b"\n]\n")
        })?;
    }
    Ok(code.unwrap_or(ExitCode::SUCCESS))
}

/// Say how a file that is encrypted is opened.
fn locked(error: Error, options: &DocumentOptions) -> Error {
    match error.outcome() {
        Some("encrypted") if options.password.is_none() => {
            error.hint("`--password-file FILE` takes the password from the first line of a file")
        }
        _ => error,
    }
}

fn print_text(document: &Document, output: &Output) -> Result<()> {
    output.data(&document.text)?;
    match document.text.ends_with('\n') {
        true => Ok(()),
        false => output.data_line(""),
    }
}

/// The documents that were files inside of this one.
fn inside(work: &Work, document: &Document) -> Vec<Arc<Document>> {
    let is_inside = |it: &Arc<Document>| {
        it.name.strip_prefix(&document.name).is_some_and(|rest| rest.starts_with('/'))
    };
    work.session.documents().into_iter().filter(is_inside).collect()
}

fn print_inside(work: &Work, document: &Document, output: &Output) -> Result<()> {
    for part in inside(work, document) {
        output.data(&format!("==> {} <==\n", text::one_line(&part.name)))?;
        print_text(&part, output)?;
    }
    Ok(())
}

/// Write to standard output in large pieces; what tells of it on the terminal is gone afterwards, also where it fails.
fn write_out(
    work: &Work,
    output: &Output,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, output.writer());
    let written = write(&mut out).and_then(|()| out.flush());
    work.progress.finish();
    written.or_else(DataWriter::failed)
}

/// One table of one file is written, and nothing that is no text to a terminal.
fn check_alone(alone: Alone, n_files: usize, output: &Output) -> Result<()> {
    if n_files > 1 {
        let message = format!("one table of one file is written alone, not of {n_files}");
        return Err(Error::new(ErrorKind::Input, message).hint("name one file, or use `--json`"));
    }
    if alone != Alone::Csv && output.is_terminal() {
        let message = "a Parquet file is no text, and standard output is a terminal";
        return Err(Error::new(ErrorKind::Input, message)
            .hint("write it to a file: `mitt ingest … --parquet > table.parquet`"));
    }
    Ok(())
}

fn write_alone(alone: Alone, table: &Table, work: &Work, output: &Output) -> Result<()> {
    let count = |what| work.progress.written(what, table.rows() as u64, output);
    match alone {
        Alone::Csv => {
            let rows = count("CSV");
            write_out(work, output, |out| write_csv(table, out, &rows))
        }
        #[cfg(feature = "parquet")]
        Alone::Parquet => {
            for (name, column) in table.columns() {
                if column.column_type() == mitt::ColumnType::Mixed {
                    let name = text::one_line(name);
                    note(&format!(
                        "warning: column `{name}` has cells of several types; they are written as text"
                    ));
                }
            }
            let rows = count("Parquet");
            let out = BufWriter::with_capacity(1 << 16, output.writer());
            let written = table.write_parquet(out, &rows);
            work.progress.finish();
            written.or_else(DataWriter::failed)
        }
    }
}

/// The table that is written alone.
fn chosen<'a>(document: &'a Document, wanted: Option<&str>) -> Result<&'a Table> {
    let refused = |message: String| {
        let names = document.tables.iter().take(LISTED).enumerate();
        let mut names: Vec<_> = names.map(|(at, it)| format!("{} `{}`", at + 1, it.name)).collect();
        if document.tables.len() > LISTED {
            names.push("…".to_owned());
        }
        Error::new(ErrorKind::Input, message)
            .hint(format!("name one with `--table`; there are: {}", names.join(", ")))
    };
    let found = match (wanted, &document.tables[..]) {
        (_, []) => {
            let message = format!("{} has no table", document.name);
            return Err(
                Error::new(ErrorKind::Input, message).hint("leave out the option to see its text")
            );
        }
        (None, [only]) => Some(only),
        (None, all) => {
            return Err(refused(format!("{} has {} tables", document.name, all.len())));
        }
        (Some(wanted), all) => all.iter().find(|table| table.name == wanted).or_else(|| {
            let number: usize = wanted.parse().ok()?;
            all.get(number.checked_sub(1)?)
        }),
    };
    let missing = || refused(format!("no table `{}`", wanted.unwrap_or_default()));
    found.map(|table| &table.data).ok_or_else(missing)
}

/// A table as RFC 4180 has it, with line feeds, as every program reads them.
fn write_csv(table: &Table, out: &mut dyn Write, rows: &Rows) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().from_writer(out);
    // As the error that it is: whoever reads it may have gone away.
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    };
    writer.write_record(table.names()).map_err(failed)?;
    let mut written = String::new();
    for row in 0..table.rows() {
        for column in 0..table.width() {
            writer.write_field(table.cell(row, column, &mut written).as_str()).map_err(failed)?;
        }
        writer.write_record(None::<&[u8]>).map_err(failed)?;
        rows.passed(row + 1);
    }
    writer.flush()
}

/// Rows of all tables of a document.
fn rows_of(document: &Document) -> u64 {
    document.tables.iter().map(|table| table.data.rows() as u64).sum()
}

/// Rows of a document and of those inside of it.
fn rows_of_all(document: &Document, inside: &[Arc<Document>]) -> u64 {
    rows_of(document) + inside.iter().map(|it| rows_of(it)).sum::<u64>()
}

/// A document as JSON; its tables at the end, a row in each line, and behind them the files inside of it.
fn write_json(
    document: &Document,
    inside: &[Arc<Document>],
    out: &mut dyn Write,
    rows: &Rows,
) -> io::Result<()> {
    let head = json!({
        "name": document.name, "media_type": document.media_type, "title": document.title,
        "metadata": pairs(&document.metadata), "places": places(document),
        "size": document.size, "sha256": document.sha256, "characters": document.characters,
        "text": document.text, "warnings": document.warnings,
    });
    let head = visible::pretty_json(&head);
    out.write_all(head.strip_suffix("\n}").unwrap_or(&head).as_bytes())?;
    out.write_all(b",\n  \"tables\": [")?;
    for (at, table) in document.tables.iter().enumerate() {
        out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
        write_table(table, out, rows)?;
    }
    out.write_all(if document.tables.is_empty() { b"]" } else { b"\n  ]" })?;
    for (at, part) in inside.iter().enumerate() {
        out.write_all(if at == 0 { b",\n  \"parts\": [\n" } else { b",\n" })?;
        write_json(part, &[], out, rows)?;
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
    let mut written = String::new();
    let mut line = String::new();
    for row in 0..table.data.rows() {
        line.clear();
        line.push_str(if row > 0 { ",\n      [" } else { "\n      [" });
        for column in 0..table.data.width() {
            line.push_str(if column > 0 { "," } else { "" });
            push_cell(&mut line, table.data.cell(row, column, &mut written));
        }
        line.push(']');
        out.write_all(visible::json(&line).as_bytes())?;
        rows.passed(row + 1);
    }
    rows.add(table.data.rows() % rows::EACH);
    out.write_all(if table.data.rows() > 0 { b"\n    ]}" } else { b"]}" })
}

fn push_cell(line: &mut String, cell: CellRef<'_>) {
    match cell {
        CellRef::Null => line.push_str("null"),
        CellRef::Boolean(value) => line.push_str(if value { "true" } else { "false" }),
        // A number that a reader of JSON might round keeps its digits as text.
        CellRef::Number(number) if is_exact(number) => line.push_str(number),
        CellRef::Number(text) | CellRef::Text(text) => {
            line.push_str(&Value::from(text).to_string())
        }
    }
}

/// Whether every reader of JSON keeps the number: its digits fit in a floating point number of 64 bits.
fn is_exact(number: &str) -> bool {
    const DIGITS: usize = 15;
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    let is_integer = || number.parse::<i64>().is_ok();
    digits <= DIGITS || is_integer()
}
