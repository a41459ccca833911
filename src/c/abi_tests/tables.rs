//! Tables by Arrow's stream interface.

use std::ffi::c_int;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, Int64Array, NullArray, RecordBatch, RecordBatchIterator,
    StringArray, StructArray, TimestampSecondArray,
};
use arrow_schema::{DataType, Field};

use super::caller::*;
use crate::*;

/// Adds a stream of batches as the table `name`.
fn add(session: &Owned, name: &str, batches: Vec<RecordBatch>) -> Returned {
    let schema = batches[0].schema();
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    add_stream(session, name, FFI_ArrowArrayStream::new(Box::new(reader)))
}

/// Adds a stream as the table `name`.
fn add_stream(session: &Owned, name: &str, mut stream: FFI_ArrowArrayStream) -> Returned {
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

#[test]
fn what_a_table_does_not_keep_is_in_the_state_of_the_session() {
    let host = host("");
    let session = session(&host, "");
    let times = TimestampSecondArray::from(vec![0]).with_timezone("Asia/Shanghai");
    let columns: [(&str, ArrayRef); 2] =
        [("时间", Arc::new(times)), ("nothing", Arc::new(NullArray::new(1)))];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, it)| (name, it, true)));
    add(&session, "t", vec![batch.unwrap()]).ok();
    let warning = "column `时间` (index 0): its times stand as local times of the zone `Asia/Shanghai`, \
                   which the table does not keep";
    assert_eq!(state(&session)["documents"][0]["warnings"], serde_json::json!([warning]));
    let back = &table(&session, "t")[0];
    let types: Vec<_> = back.columns().iter().map(|it| it.data_type().to_string()).collect();
    assert_eq!(types, ["Timestamp(µs)", "Null"]);
    let local = back.column(0).as_any().downcast_ref::<arrow_array::TimestampMicrosecondArray>();
    assert_eq!(local.unwrap().value(0), 8 * 3_600_000_000);
}

#[test]
fn errors_of_columns_name_place_and_type() {
    let host = host("");
    let session = session(&host, "");
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"a"[..]]));
    let number: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let batch = |columns: [(&str, ArrayRef); 2]| RecordBatch::try_from_iter(columns).unwrap();
    let cases = [
        (batch([("n", number.clone()), ("b", bytes)]), "column `b` (index 1, Arrow's type Binary)"),
        (
            batch([("n", number.clone()), ("n", number.clone())]),
            "column `n` (index 1, Arrow's type Int64): the column at index 0 has the same name",
        ),
        (batch([("n", number.clone()), ("", number)]), "column `` (index 1, Arrow's type Int64)"),
    ];
    for (batch, message) in cases {
        let error = add(&session, "t", vec![batch]).fails(mitt_code::MITT_INPUT);
        assert!(error["message"].as_str().unwrap().contains(message), "{error}");
    }
    let late = TimestampSecondArray::from(vec![0, i64::MAX]);
    let late: ArrayRef = Arc::new(late);
    let late = RecordBatch::try_from_iter([("t", late)]).unwrap();
    let error = add(&session, "t", vec![late]).fails(mitt_code::MITT_INPUT);
    assert!(
        error["message"].as_str().unwrap().contains("the value at 1 is no date-time"),
        "{error}"
    );
    assert!(error.to_string().contains("make such values null"), "{error}");
}

#[test]
fn streams_that_are_no_tables_are_refused() {
    let host = host("");
    let session = session(&host, "");
    let single = streamed(Arc::new(Int64Array::from(vec![1])));
    let error = add_stream(&session, "t", single).fails(mitt_code::MITT_INPUT);
    assert!(
        error["message"].as_str().unwrap().contains("a single column of Arrow's type Int64"),
        "{error}"
    );
    // Rows that are null as a whole: what is in their fields is no value.
    let values: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let fields = vec![Field::new("n", DataType::Int64, true)].into();
    let nulls = arrow_buffer::NullBuffer::from(vec![true, false, true]);
    let rows = StructArray::try_new(fields, vec![values], Some(nulls)).unwrap();
    let error =
        add_stream(&session, "t", streamed(Arc::new(rows.clone()))).fails(mitt_code::MITT_INPUT);
    assert!(error["message"].as_str().unwrap().contains("1 of 3 rows"), "{error}");
    add_stream(&session, "t", streamed(Arc::new(rows.slice(2, 1)))).ok();
    assert_eq!(table(&session, "t"), [numbers(vec![Some(3)])]);
}

#[test]
fn columns_of_nulls_may_have_a_buffer() {
    let host = host("");
    let session = session(&host, "");
    let columns: [(&str, ArrayRef); 2] =
        [("n", Arc::new(Int64Array::from(vec![1, 2]))), ("none", Arc::new(NullArray::new(2)))];
    let columns =
        columns.map(|(name, it)| (Arc::new(Field::new(name, it.data_type().clone(), true)), it));
    let rows: ArrayRef = Arc::new(StructArray::from(columns.to_vec()));
    let mut given = given(rows);
    given.spoils_nulls = true;
    add_stream(&session, "t", stream(given)).ok();
    let back = &table(&session, "t")[0];
    assert_eq!(*back.column(1).data_type(), DataType::Null);
    assert_eq!((back.num_rows(), back.column(1).logical_null_count()), (2, 2));
}

#[test]
fn a_type_that_is_not_one_of_arrow_names_its_column() {
    let host = host("");
    let session = session(&host, "");
    let schema = || {
        let of = |format: &str, children| FFI_ArrowSchema::try_new(format, children, None).unwrap();
        let columns = [("n", "l"), ("id", "_pli128")];
        let columns = columns.map(|(name, format)| of(format, vec![]).with_name(name).unwrap());
        of("+s", columns.into())
    };
    let given = Given { schema: Box::new(schema), array: None, spoils_nulls: false };
    let stream = stream(given);
    let error = add_stream(&session, "t", stream).fails(mitt_code::MITT_INPUT);
    let place = error["place"].as_str().unwrap();
    assert!(place.contains("column `id` (index 1, format `_pli128`)"), "{error}");
    assert!(error.to_string().contains("cast the column to a type of Arrow"), "{error}");
}

/// Returns a stream of one array of any type.
fn streamed(array: ArrayRef) -> FFI_ArrowArrayStream {
    stream(given(array))
}

fn given(array: ArrayRef) -> Given {
    let field = Field::new("", array.data_type().clone(), true);
    let schema = move || FFI_ArrowSchema::try_from(&field).unwrap();
    Given { schema: Box::new(schema), array: Some(array), spoils_nulls: false }
}

/// What a stream gives.
struct Given {
    schema: Box<dyn Fn() -> FFI_ArrowSchema>,
    array: Option<ArrayRef>,
    /// The last column has a buffer, as polars gives one to columns of nulls.
    spoils_nulls: bool,
}

/// Returns a stream such as `arrow-array` reads and does not write.
fn stream(given: Given) -> FFI_ArrowArrayStream {
    unsafe extern "C" fn schema(
        stream: *mut FFI_ArrowArrayStream,
        out: *mut FFI_ArrowSchema,
    ) -> c_int {
        // SAFETY: `release` frees what was boxed below; a caller gives its own stream and a place.
        unsafe { out.write(((*(*stream).private_data().cast::<Given>()).schema)()) };
        0
    }
    unsafe extern "C" fn next(
        stream: *mut FFI_ArrowArrayStream,
        out: *mut FFI_ArrowArray,
    ) -> c_int {
        // SAFETY: as above.
        unsafe {
            let given = &mut *(*stream).private_data().cast::<Given>();
            let array = given.array.take().map(|array| FFI_ArrowArray::new(&array.to_data()));
            out.write(array.unwrap_or_else(FFI_ArrowArray::empty));
            if given.spoils_nulls && !(*out).is_released() {
                // `n_buffers`, `n_children` and `children` of `ArrowArray`.
                let words = out.cast::<i64>();
                let children = *words.add(6) as *mut *mut i64;
                let last = *children.offset(*words.add(4) as isize - 1);
                assert!(*last.add(3) == 0, "columns of nulls have no buffers");
                *last.add(3) = 1;
            }
        }
        0
    }
    unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
        // SAFETY: as above; the stream is marked as released, so this happens once.
        unsafe {
            drop(Box::from_raw((*stream).private_data().cast::<Given>()));
            (*stream).set_release(None);
        }
    }
    let given = Box::into_raw(Box::new(given)).cast();
    let (schema, next, release) = (Some(schema as _), Some(next as _), Some(release as _));
    // SAFETY: the functions are made for what `given` points to.
    unsafe { FFI_ArrowArrayStream::new_unchecked(schema, next, None, release, given) }
}
