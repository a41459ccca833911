//! Exchange of tables with the embedding program, without a file.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Instant;

#[cfg(feature = "arrow")]
use mitt_table::arrow::ArrowBuilder;
use mitt_table::{Problem, Table, TableBuilder};

use super::super::event::Event;
use super::documents::shorten;
use super::requester::Requester;
use super::state::Content;
use crate::ingest;
use mitt_base::digest::sha256_of;
use mitt_base::file_name::check_file_name;
use mitt_base::memory::Account;
use mitt_base::{Error, ErrorKind, Result, panics};
use mitt_types::{Document, DocumentInternal as _};

/// Media type of a document that is a table.
const MEDIA_TYPE: &str = "application/vnd.mitt.table";

impl Content {
    /// Adds a copy of a table to the documents for `requester`.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_table`](crate::Session::add_table).
    pub(in crate::session) async fn add_table(
        &self,
        name: &str,
        table: &Table,
        requester: &dyn Requester,
    ) -> Result<Arc<Document>> {
        let table = table.clone();
        let copied = move |account: &Account| {
            let names = table.names().map(str::to_owned).collect();
            let mut builder = TableBuilder::new(names, account);
            builder.append_table(&table)?;
            Ok((builder.finish()?, Vec::new()))
        };
        self.add_made(name, copied, requester).await
    }

    /// Adds Arrow record batches of one schema to the documents for `requester`.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_arrow`](crate::Session::add_arrow).
    #[cfg(feature = "arrow")]
    pub(in crate::session) async fn add_arrow(
        &self,
        name: &str,
        batches: Vec<arrow_array::RecordBatch>,
        requester: &dyn Requester,
    ) -> Result<Arc<Document>> {
        let Some(first) = batches.first() else {
            return Err(Error::new(
                ErrorKind::Input,
                "there is no batch, so that nothing says which columns there are",
            )
            .hint("give a batch without rows: `RecordBatch::new_empty(schema)`"));
        };
        let schema = first.schema();
        let made = move |account: &Account| {
            let mut builder = ArrowBuilder::new(&schema, account)?;
            for batch in batches {
                builder.append(&batch)?;
            }
            builder.finish()
        };
        self.add_made(name, made, requester).await
    }

    async fn add_made(
        &self,
        name: &str,
        make: impl FnOnce(&Account) -> Result<(Table, Vec<String>), Problem> + Send + 'static,
        requester: &dyn Requester,
    ) -> Result<Arc<Document>> {
        check_file_name(name).map_err(|problem| Error::new(ErrorKind::Input, problem))?;
        let name = &*self.guard.name(name)?;
        let (context, documents) = (&*self.context, &self.documents);
        let reserved = documents.place()?;
        let limit = context.host().session_limits().table_characters;
        let account = documents.account();
        let start = Instant::now();
        requester.emit(&Event::DocumentStarted { call: None, name: name.to_owned(), size: 0 });
        let owned = name.to_owned();
        let work = move || {
            let (table, warnings) = make(&account).map_err(refused)?;
            let mut document = document(owned, table, limit)?;
            document.warnings.splice(0..0, warnings);
            shorten(&mut document, limit);
            Ok(document)
        };
        let made = async {
            let document = self.guarded(self.elsewhere(work).await?).await?;
            let room = documents.room(&document)?;
            Ok(documents.add(document, None, reserved, room))
        };
        let made = panics::caught("taking the table", context.scheduler().run(Box::pin(made)));
        let document = made.await.and_then(|made| made).inspect_err(|error| {
            context.journal().document_failed(name, error, context.now());
        })?;
        context.journal().document(&document, context.now());
        let duration = start.elapsed();
        requester.emit(&Event::DocumentReady {
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
        problem => {
            let error = Error::new(ErrorKind::Input, problem.to_string());
            match problem {
                Problem::ArrowColumn { problem, .. } if matches!(*problem, Problem::Value(..)) => {
                    error.hint("make such values null, or cast the column to text")
                }
                _ => error,
            }
        }
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
    use crate::{Host, Session, SessionOptions};

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
        assert_eq!(
            error.to_string(),
            "column `a` (index 1, Arrow's type Int64): the column at index 0 has the same name; rename one of them"
        );
    }

    #[cfg(feature = "arrow")]
    #[tokio::test]
    async fn what_a_table_does_not_keep_of_arrow_is_a_warning_of_its_document() {
        use arrow_array::{ArrayRef, RecordBatch, TimestampSecondArray};
        let session = session(SessionLimits { table_characters: 200, ..SessionLimits::default() });
        let times: ArrayRef =
            Arc::new(TimestampSecondArray::from(vec![0; 100]).with_timezone("Asia/Shanghai"));
        let batch = RecordBatch::try_from_iter([("时间", times)]).unwrap();
        let document = session.add_arrow("times", vec![batch]).await.unwrap();
        assert!(document.text.contains("| 1970-01-01T08:00:00 |"), "{}", document.text);
        let [zone, text] = &document.warnings[..] else { panic!("{:?}", document.warnings) };
        assert!(zone.starts_with("column `时间` (index 0): ") && zone.contains("`Asia/Shanghai`"));
        assert!(text.contains("of 100 rows; the table has all of them"), "{text}");
        // More columns than a document has warnings.
        let columns = (0..150).map(|n| {
            let times: ArrayRef =
                Arc::new(TimestampSecondArray::from(vec![0]).with_timezone("UTC"));
            (format!("t{n}"), times)
        });
        let wide = session.add_arrow("wide", vec![RecordBatch::try_from_iter(columns).unwrap()]);
        let wide = wide.await.unwrap();
        let last = wide.warnings.last().unwrap();
        assert!(wide.warnings.len() <= 101 && last.contains("more warnings"), "{last}");
        let late: ArrayRef = Arc::new(TimestampSecondArray::from(vec![i64::MAX]));
        let late = RecordBatch::try_from_iter([("t", late)]).unwrap();
        let error = session.add_arrow("late", vec![late]).await.unwrap_err();
        assert_eq!(error.hints(), ["make such values null, or cast the column to text"]);
    }
}
