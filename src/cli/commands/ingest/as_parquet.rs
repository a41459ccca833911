//! Writes a table as a Parquet file.

use std::io::BufWriter;

use crate::commands::work::Work;
use crate::output::{DataWriter, Output, note};
use mitt::{ColumnType, Table};
use mitt_base::{Result, text};

/// Writes a table to standard output.
pub(super) fn write_parquet(table: &Table, work: &Work, output: &Output) -> Result<()> {
    for (name, column) in table.columns() {
        if column.column_type() == ColumnType::Mixed {
            let name = text::one_line(name);
            note(&format!(
                "warning: column `{name}` has cells of several types; they are written as text"
            ));
        }
    }
    let rows = work.progress.written("Parquet", table.rows() as u64, output);
    let out = BufWriter::with_capacity(1 << 16, output.writer());
    let written = table.write_parquet(out, &rows);
    work.progress.finish();
    written.or_else(DataWriter::failed)
}
