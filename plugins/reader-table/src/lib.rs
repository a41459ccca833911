//! Reads tables from Parquet files, and from Arrow files and streams (Feather).
//!
//! A file is one table. Its rows are sent to the host part by part, so that memory does not grow with their number. The host
//! writes the text of the document: the beginning of the table.

mod column;
mod lost;
mod nested;
mod open;
mod written;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Schema};
use lost::Lost;
use mitt_reader_kit::tables::{Build, Source};
use mitt_reader_kit::{Content, Error, NamedTable, TableSource, column_names};

mitt_reader_kit::export_reader!(crate::read);

/// Most rows of a part.
const ROWS_AT_A_TIME: usize = 16_384;

/// Most cells of a part, unless a row has more.
const CELLS_AT_A_TIME: usize = 1 << 19;

/// A table in a file. Its rows are read when it is built.
pub struct Frame {
    schema: Arc<Schema>,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>,
}

/// Reads a file. `extension` is `parquet`, or `arrow` for files and streams.
///
/// # Errors
///
/// `unsupported` - the file is encrypted, or uses features that the library of the format does not support. `malformed` - it
/// is damaged, or not such a file.
pub fn read(bytes: &[u8], extension: &str) -> Result<Content<Frame>, Error> {
    let frame = match extension {
        "parquet" => open::parquet(bytes)?,
        "arrow" => open::arrow(bytes)?,
        other => return Err(Error::Unsupported(format!("no reader for `.{other}` files"))),
    };
    let mut warnings = Vec::new();
    let fields = frame.schema.fields();
    for (field, name) in fields.iter().zip(column_names(fields.iter().map(|field| field.name()))) {
        if let Some(what) = lost::of_type(field.data_type()) {
            warnings.push(format!("column `{name}`: {what}"));
        }
    }
    let tables = if fields.is_empty() {
        warnings.push("the file has a table without columns".into());
        Vec::new()
    } else {
        vec![NamedTable { name: String::new(), data: frame, place: None }]
    };
    Ok(Content { tables, warnings, ..Content::default() })
}

impl TableSource for Frame {
    fn build<T: Source>(self, warnings: &mut Vec<String>) -> Result<T, Error> {
        let names = column_names(self.schema.fields().iter().map(|field| field.name()));
        let mut lost: Vec<Lost> = names.iter().map(|_| Lost::default()).collect();
        let builder = T::Builder::new(&names);
        let n_rows = rows_at_a_time(names.len());
        for batch in self.batches {
            let batch = batch.map_err(open::refused)?;
            for start in (0..batch.num_rows()).step_by(n_rows) {
                let part = batch.slice(start, n_rows.min(batch.num_rows() - start));
                let chunks = part.columns().iter().zip(&mut lost);
                builder.append(chunks.map(|(array, lost)| column::chunk(array, lost)).collect())?;
            }
        }
        for (name, lost) in names.iter().zip(lost) {
            warnings.extend(lost.warnings().map(|what| format!("column `{name}`: {what}")));
        }
        builder.finish()
    }
}

fn rows_at_a_time(n_columns: usize) -> usize {
    (CELLS_AT_A_TIME / n_columns.max(1)).clamp(1, ROWS_AT_A_TIME)
}

/// Returns `true` if cells of a type become texts of JSON.
fn is_nested(ty: &DataType) -> bool {
    match ty {
        DataType::Dictionary(_, values) => is_nested(values),
        DataType::RunEndEncoded(_, values) => is_nested(values.data_type()),
        ty => ty.is_nested(),
    }
}
