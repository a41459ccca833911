//! Several files: each is read in its own session, independently of errors in others, and written as soon as its turn comes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::task::AbortOnDropHandle;

use super::print_budget::PrintBudget;
use super::write::{
    check_formulas, note_formulas, print_all, rows_of_all, with_inside, write_csv, write_json,
    write_out,
};
use crate::commands::work::Work;
use crate::delivery::Delivery;
use crate::exit_code::exit_code;
use crate::output::{Output, error_json, note};
use mitt::{Document, DocumentOptions, Excerpt};
use mitt_base::formulas::Formulas;
use mitt_base::rows::Rows;
use mitt_base::{Error, Result, text, visible};

/// Files that may be read ahead of their turn, besides those being read, so that a long file does not hold up the others.
/// Each of them stays in memory.
const AHEAD: usize = 6;

/// A document with the documents nested in it, and their session.
type Done = (Work, Vec<Arc<Document>>);

/// The output format.
pub(super) enum IngestFormat<'a> {
    Text,
    Json,
    /// Each table as a file in this folder.
    Tables(&'a Path, Delivery, Formulas),
}

/// A run over several files.
pub(super) struct Batch<'a> {
    pub(super) work: Work,
    pub(super) options: DocumentOptions,
    /// Name for standard input.
    pub(super) name: Option<&'a str>,
    pub(super) output: &'a Output,
    pub(super) kind: IngestFormat<'a>,
    pub(super) budget: PrintBudget,
    /// Names of documents whose tables were written, and how many documents had each name.
    pub(super) taken: RefCell<HashMap<String, usize>>,
}

impl Batch<'_> {
    /// Reads and writes all files. Returns the exit code of the first one that failed.
    pub(super) async fn run(&self, files: &[impl AsRef<Path>]) -> Result<ExitCode> {
        // Readers are CPU-bound, so as many run at once as there are processors.
        let n_at_once = mitt_base::processors::count();
        let places = Arc::new(Semaphore::new(n_at_once));
        let reading = files.iter().map(|file| {
            let (file, places) = (file.as_ref(), places.clone());
            async move { (file, self.read(file, places).await) }
        });
        let reading: Vec<_> = reading.collect();
        let reading = stream::iter(reading).buffered(n_at_once + AHEAD);
        let mut reading = reading.chunks(self.budget.n_together());
        let (mut code, mut is_first) = (None, true);
        while let Some(together) = reading.next().await {
            let all = together.iter().filter_map(|(_, done)| done.as_ref().ok());
            let all: Vec<_> = all.flat_map(|(_, all)| all).cloned().collect();
            let mut shown = self.budget.excerpts(&all, together.len()).into_iter();
            for (file, done) in together {
                let begins = std::mem::replace(&mut is_first, false);
                let shown: Vec<_> = match &done {
                    Ok((_, all)) => shown.by_ref().take(all.len()).collect(),
                    Err(_) => Vec::new(),
                };
                if let Some(failed) = self.write(file, (done, shown), begins)? {
                    code.get_or_insert(failed);
                }
            }
        }
        self.work.progress.finish();
        if matches!(self.kind, IngestFormat::Json) {
            self.output.data("\n]\n")?;
        }
        Ok(code.unwrap_or(ExitCode::SUCCESS))
    }

    /// Returns a document with those nested in it. The memory of a file is freed once it is written.
    async fn read(&self, file: &Path, places: Arc<Semaphore>) -> Result<Done> {
        let (work, file) = (self.work.again()?, file.to_owned());
        let (name, options) = (self.name.map(str::to_owned), self.options.clone());
        // In its own task, which any thread can run: futures that are only joined would compute one after the other.
        let reading = AbortOnDropHandle::new(tokio::spawn(async move {
            let _place = places.acquire_owned().await.map_err(Error::bug)?;
            // Asking for several passwords at once would confuse.
            let document = work.read_unasked(&file, name.as_deref(), &options).await?;
            let all = with_inside(&work, document);
            Ok((work, all))
        }));
        reading.await.map_err(Error::bug)?
    }

    /// Writes the result for a file. Returns the exit code if it could not be read.
    fn write(
        &self,
        file: &Path,
        (done, shown): (Result<Done>, Vec<Option<Excerpt>>),
        begins: bool,
    ) -> Result<Option<ExitCode>> {
        let path = file.display().to_string();
        let between = if begins { "[\n" } else { ",\n" };
        match (done, &self.kind) {
            (Ok((_, all)), IngestFormat::Text) => {
                self.output.data(&format!("==> {} <==\n", text::one_line(&path)))?;
                print_all(&all, &shown, self.output)?;
            }
            (Ok((work, all)), IngestFormat::Json) => {
                let rows = work.progress.written("JSON", rows_of_all(&all), self.output);
                write_out(&work, self.output, |out| {
                    out.write_all(between.as_bytes())?;
                    write_json((&all, &shown, Some(&path)), out, &rows)
                })?;
                work.progress.go_on();
            }
            (Ok((_, all)), IngestFormat::Tables(folder, delivery, formulas)) => {
                let n_tables = all
                    .iter()
                    .map(|it| self.write_tables(it, folder, delivery, *formulas))
                    .sum::<Result<usize>>()?;
                if n_tables == 0 {
                    note(&format!("warning: {}: no table was found", text::one_line(&path)));
                }
            }
            (Err(error), kind) => {
                if matches!(kind, IngestFormat::Json) {
                    let failed = json!({ "path": path, "name": path, "error": error_json(&error) });
                    self.output.data(between)?;
                    self.output.data(&visible::pretty_json(&failed))?;
                }
                note(&format!("error: {}", error.render()));
                return Ok(Some(ExitCode::from(exit_code(error.kind()))));
            }
        }
        Ok(None)
    }

    /// Returns the prefix of a document's table files: its name, with a number if another file has the same name.
    fn stem(&self, name: &str) -> String {
        let stem = name.replace('/', "_");
        let mut taken = self.taken.borrow_mut();
        let before = taken.entry(stem.clone()).or_insert(0);
        *before += 1;
        match *before {
            1 => stem,
            n => format!("{stem} ({n})"),
        }
    }

    /// Writes each table of a document to a file, and prints their names.
    fn write_tables(
        &self,
        document: &Document,
        folder: &Path,
        delivery: &Delivery,
        formulas: Formulas,
    ) -> Result<usize> {
        let stem = self.stem(&document.name);
        for (at, table) in document.tables.iter().enumerate() {
            let path = folder.join(format!("{stem}.{}.csv", at + 1));
            let mut content = Vec::new();
            let place = |error: Error| error.at(path.display());
            check_formulas(&table.data, formulas).map_err(place)?;
            let count = write_csv(&table.data, &mut content, &Rows::default(), formulas)
                .map_err(Error::bug)?;
            delivery.write(&path, &content)?;
            note_formulas(count);
            let name = if table.name.is_empty() { "" } else { "  " };
            let line = format!("{}{name}{}", path.display(), text::one_line(&table.name));
            self.output.data_line(&text::one_line(&line))?;
        }
        Ok(document.tables.len())
    }
}
