//! `mitt ingest`: prints what tools get from files, as text, JSON, CSV or Parquet.

#[cfg(feature = "parquet")]
mod as_parquet;
mod batch;
mod print_budget;
mod write;

use std::cell::RefCell;
use std::process::ExitCode;

use super::delivery;
use super::folders::expand;
use super::work::Work;
use crate::args::{Alone, Global, Ingest};
use crate::output::Output;
use crate::password;
#[cfg(feature = "parquet")]
use as_parquet::write_parquet;
use batch::{Batch, IngestFormat};
use mitt::{Document, SessionLimits, Table};
use mitt_base::formulas::Formulas;
use mitt_base::{Error, ErrorKind, Result};
use print_budget::PrintBudget;
use write::{print_all, rows_of_all, with_inside, write_json};

#[cfg(feature = "lambda-s3")]
pub(crate) use write::write_tables_json;
pub(crate) use write::{check_formulas, write_csv};
pub(super) use write::{note_formulas, write_out};

/// Most tables in a list.
const LISTED: usize = 20;

/// `mitt ingest`
pub(crate) async fn ingest(global: &Global, command: Ingest, output: &Output) -> Result<ExitCode> {
    let alone = command.alone();
    let files = expand(&command.files)?;
    if let Some(alone) = alone {
        check_alone(alone, files.len(), output)?;
    }
    // This text does not go to a model, so it is not cut to a model's limit. Nobody reads it if only a table is written.
    let mut limits = SessionLimits::default();
    if alone.is_none() {
        limits.document_characters = u64::MAX;
        limits.table_characters = u64::MAX;
    }
    let budget = PrintBudget::new(&command, files.len());
    let options = password::options(&command.password)?;
    let work = Work::with_limits(global, limits, output, |_, _| {}).await?;
    let is_one = files == command.files && files.len() == 1;
    let kind = match &command.tables_csv {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| {
                let message = "the folder for tables cannot be made";
                Error::new(ErrorKind::Host, message).at(folder.display()).caused_by(error)
            })?;
            IngestFormat::Tables(folder, delivery(global, &command.force), command.formulas.into())
        }
        None if output.is_json() => IngestFormat::Json,
        None => IngestFormat::Text,
    };
    if let ([file], true, IngestFormat::Json | IngestFormat::Text) = (&files[..], is_one, &kind) {
        let document = work.read(file, command.name.as_deref(), &options).await?;
        work.progress.finish();
        if let Some(alone) = alone {
            let formulas = command.formulas.into();
            let table = chosen(&document, command.table.as_deref())?;
            write_alone(alone, table, formulas, &work, output)?;
        } else if output.is_json() {
            let all = with_inside(&work, document);
            let shown = budget.excerpts(&all, 1);
            let rows = work.progress.written("JSON", rows_of_all(&all), output);
            write_out(&work, output, |out| {
                write_json((&all, &shown, None), out, &rows)?;
                out.write_all(b"\n")
            })?;
        } else {
            let all = with_inside(&work, document);
            print_all(&all, &budget.excerpts(&all, 1), output)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let name = command.name.as_deref();
    let batch = Batch { work, options, name, output, kind, budget, taken: RefCell::default() };
    batch.run(&files).await
}

/// Checks that a single table comes from a single file, and that binary data does not go to a terminal.
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

fn write_alone(
    alone: Alone,
    table: &Table,
    formulas: Formulas,
    work: &Work,
    output: &Output,
) -> Result<()> {
    match alone {
        Alone::Csv => {
            check_formulas(table, formulas)?;
            let rows = work.progress.written("CSV", table.rows() as u64, output);
            let count = write_out(work, output, |out| write_csv(table, out, &rows, formulas))?;
            note_formulas(count);
            Ok(())
        }
        #[cfg(feature = "parquet")]
        Alone::Parquet => write_parquet(table, work, output),
    }
}

/// Returns the table to write.
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
