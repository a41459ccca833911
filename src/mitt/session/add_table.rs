//! Exchange of tables with the embedding program, without a file.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Instant;

use mitt_table::{Problem, Table, TableBuilder};

use super::documents::shorten;
use super::event::Event;
use super::state::Session;
use crate::document::Document;
use crate::ingest;
use mitt_base::digest::sha256_of;
use mitt_base::file_name::check_file_name;
use mitt_base::memory::Account;
use mitt_base::{Error, ErrorKind, Result, panics};

/// Media type of a document that is a table.
const MEDIA_TYPE: &str = "application/vnd.mitt.table";

impl Session {
    /// Adds a table to the documents, under a name such as `sales`, by which calls refer to it: `{"$ref": "sales"}`. If the name
    /// is taken, the document gets a number. The table is copied and charged to the session, as a file that was read is.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the name is not a valid file name. [`ErrorKind::Limit`] - there are too many documents, or the
    /// table exceeds the memory for documents.
    pub async fn add_table(&self, name: &str, table: &Table) -> Result<Arc<Document>> {
        let table = table.clone();
        let copied = move |account: &Account| {
            let names = table.names().map(str::to_owned).collect();
            let mut builder = TableBuilder::new(names, account);
            builder.append_table(&table)?;
            builder.finish()
        };
        self.add_made(name, copied).await
    }

    /// Like [`Session::add_table`], for Arrow record batches of one schema. [`mitt_table::arrow`] lists how each type is
    /// converted.
    ///
    /// ```
    /// # #[cfg(all(feature = "bundled", feature = "compile"))]
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
    ///
    /// let amounts: ArrayRef = std::sync::Arc::new(Int64Array::from(vec![3, 4]));
    /// let batch = RecordBatch::try_from_iter([("amount", amounts)]).unwrap();
    /// let session = mitt::Host::builder().build()?.session(mitt::SessionOptions::default())?;
    /// session.add_arrow("sales", vec![batch]).await?;
    /// let query = r#"{"sql": "SELECT sum(amount) AS total FROM sales"}"#;
    /// let named = mitt::TableResults::Named { cells: 0, first_rows: 0 };
    /// let options = mitt::CallOptions::default().tables(named);
    /// session.call_with("sql_tool__query", query, options).await.result?;
    /// assert_eq!(session.table("t:1")?.to_arrow()?.num_rows(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_table`]. Also [`ErrorKind::Input`] - a column has a type or value that a table cannot hold, or a
    /// column name is empty or occurs twice; the error names the column.
    #[cfg(feature = "arrow")]
    pub async fn add_arrow(
        &self,
        name: &str,
        batches: Vec<arrow_array::RecordBatch>,
    ) -> Result<Arc<Document>> {
        let Some(first) = batches.first() else {
            return Err(Error::new(
                ErrorKind::Input,
                "there is no batch, so that nothing says which columns there are",
            )
            .hint("give a batch without rows: `RecordBatch::new_empty(schema)`"));
        };
        let names = first.schema_ref().fields().iter().map(|field| field.name().clone()).collect();
        let made = move |account: &Account| {
            let mut builder = TableBuilder::new(names, account);
            for batch in batches {
                builder.append_arrow(&batch)?;
            }
            builder.finish()
        };
        self.add_made(name, made).await
    }

    /// Returns the table that `reference` names: a document, one of its tables, or a result, as in a call (`sales.csv`,
    /// `book.xlsx#Sheet2`, `t:3`). Nothing is copied; the table is charged to the session until it is dropped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no such table; the error lists the tables that exist.
    pub fn table(&self, reference: &str) -> Result<Table> {
        self.inner.find_table(reference).map_err(|why| {
            let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(reference, 128));
            Error::new(ErrorKind::Input, format!("there is no table `{shown}`{why}"))
        })
    }

    async fn add_made(
        &self,
        name: &str,
        make: impl FnOnce(&Account) -> Result<Table, Problem> + Send + 'static,
    ) -> Result<Arc<Document>> {
        check_file_name(name).map_err(|problem| Error::new(ErrorKind::Input, problem))?;
        let name = &*self.inner.guarded_name(name)?;
        let documents = &self.inner.documents;
        let reserved = documents.place()?;
        let (account, limit) = (documents.account(), self.host().session_limits().table_characters);
        let start = Instant::now();
        self.emit(&Event::DocumentStarted { call: None, name: name.to_owned(), size: 0 });
        let owned = name.to_owned();
        let work = move || {
            let mut document = document(owned, make(&account).map_err(refused)?, limit)?;
            shorten(&mut document, limit);
            Ok(document)
        };
        let made = async {
            let document = self.guarded(self.elsewhere(work).await?).await?;
            let room = documents.room(&document)?;
            Ok(documents.add(document, None, reserved, room))
        };
        let made = panics::caught("taking the table", self.inner.scheduler.run(Box::pin(made)));
        let document = made.await.and_then(|made| made).inspect_err(|error| {
            self.inner.journal.document_failed(name, error, self.host().environment().now());
        })?;
        self.inner.journal.document(&document, self.host().environment().now());
        let duration = start.elapsed();
        self.emit(&Event::DocumentReady {
            call: None,
            document: document.clone(),
            usage: None,
            duration,
        });
        Ok(document)
    }
}

fn document(name: String, table: Table, limit: u64) -> Result<Document> {
    let sha256 = sha256_of(Spelled::new(&table), u64::MAX).map_err(|error| {
        Error::new(ErrorKind::Input, "the table cannot be read").caused_by(error)
    })?;
    let document =
        Document { sha256, size: table.kept_bytes(), ..Document::empty(&name, MEDIA_TYPE) };
    Ok(ingest::of_table(table, document, limit))
}

fn refused(problem: Problem) -> Error {
    match problem {
        Problem::Memory(limit) => Error::reached(limit),
        problem => Error::new(ErrorKind::Input, problem.to_string()),
    }
}

/// Unambiguous bytes of a table, for its digest: names and types of the columns, then the cells, row by row.
struct Spelled<'a> {
    table: &'a Table,
    row: usize,
    line: Vec<u8>,
    at: usize,
}

impl Spelled<'_> {
    fn new(table: &Table) -> Spelled<'_> {
        let mut line = Vec::new();
        for (name, column) in table.columns() {
            push(&mut line, Some(name));
            push(&mut line, Some(column.column_type().name()));
        }
        Spelled { table, row: 0, line, at: 0 }
    }
}

/// Appends a text with its length in front; a null is only a mark.
fn push(line: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => {
            line.extend(format!("{}:", text.len()).as_bytes());
            line.extend(text.as_bytes());
        }
        None => line.push(b'-'),
    }
}

impl Read for Spelled<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.line.len() && self.row < self.table.rows() {
            self.line.clear();
            self.at = 0;
            let mut text = String::new();
            for (_, column) in self.table.columns() {
                let is_valid = column.is_valid(self.row);
                push(&mut self.line, is_valid.then(|| column.cell(self.row, &mut text).as_str()));
            }
            self.row += 1;
        }
        let rest = &self.line[self.at..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use mitt_base::{Resource, SessionLimits};
    use mitt_table::Cell;

    use super::*;
    use crate::{Host, SessionOptions};

    fn session(limits: SessionLimits) -> Session {
        let host = Host::builder()
            .no_cache()
            .bundled_skills(false)
            .session_limits(limits)
            .build()
            .unwrap();
        host.session(SessionOptions::default()).unwrap()
    }

    fn numbers(rows: usize) -> Table {
        let rows: Vec<_> =
            (0..rows).map(|n| vec![Cell::Number(n.to_string().into()), Cell::Null]).collect();
        Table::of_rows(vec!["n".into(), "空".into()], &rows).unwrap()
    }

    #[tokio::test]
    async fn a_table_is_a_document_that_calls_can_name() {
        let session = session(SessionLimits::default());
        let document = session.add_table("sales", &numbers(3)).await.unwrap();
        assert_eq!((document.name.as_str(), document.media_type.as_str()), ("sales", MEDIA_TYPE));
        assert_eq!(document.text, "| n | 空 |\n| --- | --- |\n| 0 |  |\n| 1 |  |\n| 2 |  |\n");
        let again = session.add_table("sales", &numbers(4)).await.unwrap();
        assert_eq!(again.name, "sales (2)");
        assert_ne!(again.sha256, document.sha256);
        assert_eq!(session.add_table("x", &numbers(3)).await.unwrap().sha256, document.sha256);
        assert_eq!(session.table("sales").unwrap(), numbers(3));
        assert_eq!(session.table("sales (2)#1").unwrap(), numbers(4));
        let error = session.table("sale").unwrap_err().to_string();
        assert_eq!(error, "there is no table `sale`; the tables are `sales`, `sales (2)`, `x`");
        let error = session.add_table("../x", &numbers(1)).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Input);
    }

    #[tokio::test]
    async fn what_a_table_takes_is_charged_and_given_back() {
        let limits = SessionLimits { documents_bytes: 300_000, ..SessionLimits::default() };
        let session = session(limits);
        let before = session.memory().used;
        let error = session.add_table("large", &numbers(50_000)).await.unwrap_err();
        assert!(error.to_string().contains(Resource::Documents.name()), "{error}");
        assert_eq!((session.documents().len(), session.memory().used), (0, before));
        session.add_table("small", &numbers(1_000)).await.unwrap();
        assert!(session.memory().used > before + 8_000);
        let long = session.add_table("long", &numbers(4_000)).await.unwrap();
        assert!(long.warnings.is_empty(), "{:?}", long.warnings);
    }

    #[tokio::test]
    async fn the_text_of_a_long_table_is_its_beginning() {
        let session = session(SessionLimits { table_characters: 500, ..SessionLimits::default() });
        let document = session.add_table("long", &numbers(10_000)).await.unwrap();
        assert!((400..=500).contains(&document.characters), "{}", document.characters);
        assert_eq!(document.warnings.len(), 1, "{:?}", document.warnings);
        assert!(document.warnings[0].contains("of 10000 rows; the table has all of them"));
    }

    #[cfg(feature = "arrow")]
    #[tokio::test]
    async fn batches_of_arrow_come_in_and_a_table_goes_out_as_one() {
        use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
        let session = session(SessionLimits::default());
        let batch = |from: i64| {
            let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(from..from + 3));
            let texts: ArrayRef =
                Arc::new(StringArray::from(vec![Some("华东"), None, Some("华南")]));
            RecordBatch::try_from_iter([("n", numbers), ("地区", texts)]).unwrap()
        };
        session.add_arrow("订单", vec![batch(0), batch(3)]).await.unwrap();
        let table = session.table("订单").unwrap();
        assert_eq!((table.rows(), table.names().collect::<Vec<_>>()), (6, vec!["n", "地区"]));
        assert_eq!(table.to_arrow().unwrap().num_rows(), 6);
        let none = session.add_arrow("none", Vec::new()).await.unwrap_err();
        assert!(none.to_string().contains("there is no batch"), "{none}");
        let twice: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        let twice = RecordBatch::try_from_iter([("a", twice.clone()), ("a", twice)]).unwrap();
        let error = session.add_arrow("twice", vec![twice]).await.unwrap_err();
        assert_eq!(error.to_string(), "the column `a` appears twice");
    }
}
