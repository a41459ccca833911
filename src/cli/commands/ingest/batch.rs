//! Several files: each is read in a session of its own, whatever is wrong with the others, and written as soon as it is its turn.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use serde_json::json;

use super::locked;
use super::written::{
    inside, print_inside, print_text, rows_of_all, write_csv, write_json, write_out,
};
use crate::commands::work::Work;
use crate::delivery::Delivery;
use crate::output::{Output, error_json, note};
use mitt::{Document, DocumentOptions};
use mitt_base::rows::Rows;
use mitt_base::{Result, text, visible};

/// How files are written.
pub(super) enum Kind<'a> {
    Text,
    Json,
    /// Each table as a file of its own, in this folder.
    Tables(&'a Path, Delivery),
}

/// What is done with several files.
pub(super) struct Batch<'a> {
    pub(super) work: Work,
    pub(super) options: DocumentOptions,
    /// Name of what comes from standard input.
    pub(super) name: Option<&'a str>,
    pub(super) output: &'a Output,
    pub(super) kind: Kind<'a>,
    /// Names of documents whose tables were written, and how many had each.
    pub(super) taken: RefCell<HashMap<String, usize>>,
}

impl Batch<'_> {
    /// Read and write all of them. The exit code is that of the first that failed.
    pub(super) async fn run(&self, files: &[impl AsRef<Path>]) -> Result<ExitCode> {
        let reading = files.iter().map(|file| {
            let file = file.as_ref();
            async move { (file, self.read(file).await) }
        });
        let reading: Vec<_> = reading.collect();
        // Readers compute: as many at a time as there are processors.
        let n_at_once = std::thread::available_parallelism().map_or(1, usize::from);
        let mut reading = stream::iter(reading).buffered(n_at_once);
        let (mut code, mut is_first) = (None, true);
        while let Some((file, done)) = reading.next().await {
            let begins = std::mem::replace(&mut is_first, false);
            if let Some(failed) = self.write(file, done, begins)? {
                code.get_or_insert(failed);
            }
        }
        self.work.progress.finish();
        if matches!(self.kind, Kind::Json) {
            self.output.data("\n]\n")?;
        }
        Ok(code.unwrap_or(ExitCode::SUCCESS))
    }

    /// What one file holds is let go when it is written.
    async fn read(&self, file: &Path) -> Result<(Work, Arc<Document>)> {
        let work = self.work.again()?;
        // Nobody is asked for several passwords at once.
        let document = work.read(file, self.name, &self.options, false).await?;
        Ok((work, document))
    }

    /// Write what came of a file. Gives the exit code if it could not be read.
    fn write(
        &self,
        file: &Path,
        done: Result<(Work, Arc<Document>)>,
        begins: bool,
    ) -> Result<Option<ExitCode>> {
        let path = file.display().to_string();
        let between = if begins { "[\n" } else { ",\n" };
        match (done, &self.kind) {
            (Ok((work, document)), Kind::Text) => {
                self.output.data(&format!("==> {} <==\n", text::one_line(&path)))?;
                print_text(&document, self.output)?;
                print_inside(&work, &document, self.output)?;
            }
            (Ok((work, document)), Kind::Json) => {
                let inside = inside(&work, &document);
                let rows = rows_of_all(&document, &inside);
                let rows = work.progress.written("JSON", rows, self.output);
                write_out(&work, self.output, |out| {
                    out.write_all(between.as_bytes())?;
                    write_json((&document, Some(&path)), &inside, out, &rows)
                })?;
                work.progress.go_on();
            }
            (Ok((work, document)), Kind::Tables(folder, delivery)) => {
                let inside = inside(&work, &document);
                let all = std::iter::once(&document).chain(&inside);
                let n_tables =
                    all.map(|it| self.write_tables(it, folder, delivery)).sum::<Result<usize>>()?;
                if n_tables == 0 {
                    note(&format!("warning: {}: no table was found", text::one_line(&path)));
                }
            }
            (Err(error), kind) => {
                let error = locked(error, &self.options);
                if matches!(kind, Kind::Json) {
                    let failed = json!({ "path": path, "name": path, "error": error_json(&error) });
                    self.output.data(between)?;
                    self.output.data(&visible::pretty_json(&failed))?;
                }
                note(&format!("error: {}", error.render()));
                return Ok(Some(ExitCode::from(error.kind().exit_code())));
            }
        }
        Ok(None)
    }

    /// The beginning of the names of a document's tables: its own name, with a number where another file has it.
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

    /// Write each table of a document to a file of its own, and print their names.
    fn write_tables(
        &self,
        document: &Document,
        folder: &Path,
        delivery: &Delivery,
    ) -> Result<usize> {
        let stem = self.stem(&document.name);
        for (at, table) in document.tables.iter().enumerate() {
            let path = folder.join(format!("{stem}.{}.csv", at + 1));
            let mut content = Vec::new();
            write_csv(&table.data, &mut content, &Rows::default())
                .map_err(mitt_base::Error::bug)?;
            delivery.write(&path, &content)?;
            let name = if table.name.is_empty() { "" } else { "  " };
            let line = format!("{}{name}{}", path.display(), text::one_line(&table.name));
            self.output.data_line(&text::one_line(&line))?;
        }
        Ok(document.tables.len())
    }
}
