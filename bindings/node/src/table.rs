//! Tables as streams of Arrow's IPC format.

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use mitt::{Error, Resource, Result, Table};
use mitt_c::binding;

/// Reads all batches of a stream, whose arrays are checked.
///
/// # Errors
///
/// [`ErrorKind::Input`](mitt::ErrorKind::Input) - it is no stream, or it breaks Arrow's rules.
/// [`ErrorKind::Limit`](mitt::ErrorKind::Limit) - it has more than `most_bytes`.
pub(crate) fn batches(data: &[u8], most_bytes: u64) -> Result<Vec<RecordBatch>> {
    let wrong = |error: ArrowError| {
        Error::input(format!("expected a stream of Arrow's IPC format: {error}"))
            .at("table")
            .hint("pass what `tableToIPC(table, 'stream')` of apache-arrow returns")
    };
    // Arrays are parts of the stream, which all columns of a batch share: the sum of their memory would count it many times.
    let bytes = data.len() as u64;
    if bytes > most_bytes {
        return Err(Error::limit(Resource::Documents, most_bytes, bytes).at("table"));
    }
    let mut reader = StreamReader::try_new(data, None).map_err(wrong)?;
    let mut batches = reader.by_ref().collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    if batches.is_empty() {
        batches.push(RecordBatch::new_empty(reader.schema()));
    }
    Ok(batches)
}

/// Writes a table as a stream.
///
/// # Errors
///
/// Those of [`binding::batch`]; [`ErrorKind::Host`](mitt::ErrorKind::Host) - the format cannot express it.
pub(crate) fn bytes(table: &Table) -> Result<Vec<u8>> {
    let batch = binding::batch(table)?;
    let write = || {
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
        writer.write(&batch)?;
        writer.into_inner()
    };
    write().map_err(|error: ArrowError| {
        Error::new(mitt::ErrorKind::Host, error.to_string()).at("table")
    })
}
