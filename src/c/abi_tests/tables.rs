//! Tables by Arrow's stream interface.

use std::sync::Arc;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{
    ArrayRef, BinaryArray, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};

use super::caller::*;
use crate::*;

/// Adds a stream of batches as the table `name`.
fn add(session: &Owned, name: &str, batches: Vec<RecordBatch>) -> Returned {
    let schema = batches[0].schema();
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    let mut stream = FFI_ArrowArrayStream::new(Box::new(reader));
    let added = called(|_, error| {
        let place = &raw mut stream;
        // SAFETY: all pointers are to local variables.
        unsafe { mitt_session_add_table(session.0, name.as_ptr(), name.len(), place, 0, error) }
    });
    assert!(stream.release().is_none(), "the stream was taken over");
    added
}

/// Returns the batches of a table.
fn table(session: &Owned, name: &str) -> Vec<RecordBatch> {
    let mut stream = FFI_ArrowArrayStream::empty();
    called(|_, error| {
        let place = &raw mut stream;
        // SAFETY: all pointers are to local variables.
        unsafe { mitt_session_table(session.0, name.as_ptr(), name.len(), place, error) }
    })
    .ok();
    RecordBatchStreamReader::try_new(stream).unwrap().collect::<Result<_, _>>().unwrap()
}

fn numbers(numbers: Vec<Option<i64>>) -> RecordBatch {
    let column: ArrayRef = Arc::new(Int64Array::from(numbers));
    RecordBatch::try_from_iter_with_nullable([("n", column, true)]).unwrap()
}

#[test]
fn a_table_comes_back_as_it_went_in() {
    let host = host("");
    let first = session(&host, "");
    add(&first, "t", vec![numbers(vec![Some(1), None]), numbers(vec![Some(3)])]).ok();
    assert_eq!(table(&first, "t"), [numbers(vec![Some(1), None, Some(3)])]);
    // The table lives on without the session.
    let kept = table(&first, "t");
    drop(first);
    assert_eq!(kept[0].num_rows(), 3);
    let second = session(&host, "");
    add(&second, "t", kept).ok();
    assert_eq!(state(&second)["tables"], serde_json::json!(["t"]));
}

#[test]
fn a_stream_without_batches_is_an_empty_table() {
    let host = host("");
    let session = session(&host, "");
    add(&session, "t", vec![numbers(vec![])]).ok();
    assert_eq!(table(&session, "t")[0].num_rows(), 0);
}

#[test]
fn parts_of_a_table_count_once() {
    let host = host(r#", "limits": {"session": {"documents_bytes": 20000}}"#);
    let session = session(&host, "");
    // Each batch has the buffer of the whole table up to its own row: 40 kB in sum, of which 0.8 kB are different.
    let whole = numbers(vec![Some(1); 100]);
    add(&session, "parts", (0..100).map(|row| whole.slice(row, 1)).collect()).ok();
    assert_eq!(table(&session, "parts"), [whole]);
}

#[test]
fn tables_are_bounded_and_checked() {
    let host = host(r#", "limits": {"session": {"documents_bytes": 4000}}"#);
    let session = session(&host, "");
    let many = |count: usize| vec![numbers(vec![Some(1); 100]); count];
    add(&session, "few", many(1)).ok();
    let error = add(&session, "many", many(6)).fails(mitt_code::MITT_LIMIT);
    assert_eq!(error["place"], "stream");
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"a"[..]]));
    let binary = RecordBatch::try_from_iter([("b", bytes)]).unwrap();
    let error = add(&session, "binary", vec![binary]).fails(mitt_code::MITT_INPUT);
    assert!(error["message"].as_str().unwrap().contains("`b`"), "{error}");
    // A producer that breaks Arrow's rules: a text that is not UTF-8.
    let values = arrow_buffer::Buffer::from_vec(vec![0xff_u8]);
    let offsets = arrow_buffer::OffsetBuffer::new(vec![0, 1].into());
    // SAFETY: nothing reads the text as one; this is what a faulty producer would send.
    let wrong: ArrayRef = Arc::new(unsafe { StringArray::new_unchecked(offsets, values, None) });
    let wrong = RecordBatch::try_from_iter([("name", wrong)]).unwrap();
    let error = add(&session, "wrong", vec![wrong]).fails(mitt_code::MITT_INPUT);
    assert!(error["place"].as_str().unwrap().contains("column `name`"), "{error}");
    assert_eq!(state(&session)["tables"], serde_json::json!(["few"]));
}
