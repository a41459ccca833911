use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Decimal128Type, Int8Type};
use arrow_array::*;
use arrow_buffer::i256;
use arrow_schema::DataType;
use mitt_base::Resource;
use mitt_base::memory::Account;

use super::*;

mod changes;

use crate::build::TableBuilder;
use crate::cell::CellRef;
use crate::chunk::Problem;
use crate::values::ColumnType;

fn account() -> Account {
    Account::root(Resource::Documents, u64::MAX)
}

/// Returns a table of batches, and its warnings.
fn taken_with_warnings(batches: &[RecordBatch]) -> Result<(Table, Vec<String>), Problem> {
    let mut builder = ArrowBuilder::new(batches[0].schema_ref(), &account())?;
    batches.iter().try_for_each(|batch| builder.append(batch))?;
    builder.finish()
}

/// Returns a table of one batch.
fn taken(batch: &RecordBatch) -> Result<Table, Problem> {
    taken_with_warnings(std::slice::from_ref(batch)).map(|(table, _)| table)
}

/// Returns the type and the cells that a column of a batch becomes.
fn column(array: ArrayRef) -> Result<(ColumnType, Vec<String>), String> {
    let batch = RecordBatch::try_from_iter_with_nullable([("金额", array, true)]).unwrap();
    let table = taken(&batch).map_err(|problem| problem.to_string())?;
    let cells = table.cells(0, usize::MAX).map(|row| row[0].as_str().to_owned()).collect();
    Ok((table.column(0).unwrap().column_type(), cells))
}

#[test]
fn each_type_of_arrow_is_a_type_of_column() {
    let wide = 12_345_678_901_234_567_890_123_i128;
    let array: [(ArrayRef, ColumnType, [&str; 3]); 25] = [
        (Arc::new(NullArray::new(3)), ColumnType::Empty, ["", "", ""]),
        (
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
            ColumnType::Boolean,
            ["true", "", "false"],
        ),
        (
            Arc::new(Int8Array::from(vec![Some(-1), None, Some(7)])),
            ColumnType::Integer,
            ["-1", "", "7"],
        ),
        (
            Arc::new(Int16Array::from(vec![Some(-300), None, Some(7)])),
            ColumnType::Integer,
            ["-300", "", "7"],
        ),
        (
            Arc::new(Int32Array::from(vec![Some(-1), None, Some(7)])),
            ColumnType::Integer,
            ["-1", "", "7"],
        ),
        (
            Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(7)])),
            ColumnType::Integer,
            ["-9223372036854775808", "", "7"],
        ),
        (
            Arc::new(UInt8Array::from(vec![Some(255), None, Some(7)])),
            ColumnType::Integer,
            ["255", "", "7"],
        ),
        (
            Arc::new(UInt16Array::from(vec![Some(65_535), None, Some(7)])),
            ColumnType::Integer,
            ["65535", "", "7"],
        ),
        (
            Arc::new(UInt32Array::from(vec![Some(u32::MAX), None, Some(7)])),
            ColumnType::Integer,
            ["4294967295", "", "7"],
        ),
        (
            Arc::new(UInt64Array::from(vec![Some(8), None, Some(7)])),
            ColumnType::Integer,
            ["8", "", "7"],
        ),
        (
            Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(7)])),
            ColumnType::Decimal,
            ["18446744073709551615", "", "7"],
        ),
        (
            Arc::new(Float32Array::from(vec![Some(0.5), None, Some(-2.0)])),
            ColumnType::Float,
            ["0.5", "", "-2"],
        ),
        (
            Arc::new(Float64Array::from(vec![Some(0.1), None, Some(f64::NAN)])),
            ColumnType::Float,
            ["0.1", "", ""],
        ),
        (
            Arc::new(
                Decimal32Array::from(vec![Some(150), None, Some(-7)])
                    .with_precision_and_scale(5, 2)
                    .unwrap(),
            ),
            ColumnType::Decimal,
            ["1.5", "", "-0.07"],
        ),
        (
            Arc::new(
                Decimal64Array::from(vec![Some(150), None, Some(7)])
                    .with_precision_and_scale(5, -2)
                    .unwrap(),
            ),
            ColumnType::Integer,
            ["15000", "", "700"],
        ),
        (
            Arc::new(
                Decimal128Array::from(vec![Some(wide), None, Some(1)])
                    .with_precision_and_scale(38, 2)
                    .unwrap(),
            ),
            ColumnType::Decimal,
            ["123456789012345678901.23", "", "0.01"],
        ),
        (
            Arc::new(
                Decimal256Array::from(vec![Some(i256::from_i128(wide)), None, Some(i256::ONE)])
                    .with_precision_and_scale(50, 3)
                    .unwrap(),
            ),
            ColumnType::Decimal,
            ["12345678901234567890.123", "", "0.001"],
        ),
        (
            Arc::new(StringArray::from(vec![Some("华东"), None, Some("")])),
            ColumnType::Text,
            ["华东", "", ""],
        ),
        (
            Arc::new(LargeStringArray::from(vec![Some("a"), None, Some("b")])),
            ColumnType::Text,
            ["a", "", "b"],
        ),
        (
            Arc::new(StringViewArray::from(vec![
                Some("a"),
                None,
                Some("long enough to be elsewhere"),
            ])),
            ColumnType::Text,
            ["a", "", "long enough to be elsewhere"],
        ),
        (
            Arc::new(
                vec![Some("a"), None, Some("a")].into_iter().collect::<DictionaryArray<Int8Type>>(),
            ),
            ColumnType::Text,
            ["a", "", "a"],
        ),
        (
            Arc::new(Date32Array::from(vec![Some(19_723), None, Some(-1)])),
            ColumnType::Date,
            ["2024-01-01", "", "1969-12-31"],
        ),
        (
            Arc::new(Date64Array::from(vec![Some(19_723 * 86_400_000), None, Some(0)])),
            ColumnType::Date,
            ["2024-01-01", "", "1970-01-01"],
        ),
        (
            Arc::new(Time32SecondArray::from(vec![Some(3_661), None, Some(0)])),
            ColumnType::Time,
            ["01:01:01", "", "00:00:00"],
        ),
        (
            Arc::new(
                TimestampNanosecondArray::from(vec![Some(1_500_000_000), None, Some(0)])
                    .with_timezone("+08:00"),
            ),
            ColumnType::DateTime,
            ["1970-01-01T08:00:01.5", "", "1970-01-01T08:00:00"],
        ),
    ];
    for (array, ty, cells) in array {
        let of = array.data_type().clone();
        assert_eq!(column(array), Ok((ty, cells.map(str::to_owned).to_vec())), "{of}");
    }
    let times: [ArrayRef; 5] = [
        Arc::new(Date64Array::from(vec![1_000])),
        Arc::new(TimestampSecondArray::from(vec![1])),
        Arc::new(TimestampMillisecondArray::from(vec![1_000])),
        Arc::new(TimestampMicrosecondArray::from(vec![1_000_000])),
        Arc::new(TimestampNanosecondArray::from(vec![1_000_000_000])),
    ];
    for array in times {
        assert_eq!(
            column(array),
            Ok((ColumnType::DateTime, vec!["1970-01-01T00:00:01".to_owned()]))
        );
    }
    let times: [ArrayRef; 3] = [
        Arc::new(Time32MillisecondArray::from(vec![1_000])),
        Arc::new(Time64MicrosecondArray::from(vec![1_000_000])),
        Arc::new(Time64NanosecondArray::from(vec![1_000_000_000])),
    ];
    for array in times {
        assert_eq!(column(array), Ok((ColumnType::Time, vec!["00:00:01".to_owned()])));
    }
}

#[test]
fn what_no_column_holds_is_refused_by_name() {
    let beyond = i256::from_i128(i128::MAX).wrapping_mul(i256::from_i128(100));
    let arrays: [(ArrayRef, &str); 6] = [
        (
            Arc::new(BinaryArray::from(vec![&b"x"[..]])),
            "Binary): no table holds this type; make it text, for example as hexadecimal digits or Base64, or leave it out",
        ),
        (
            Arc::new(TimestampSecondArray::from(vec![0, i64::MAX])),
            "Timestamp(s)): the value at 1 is no date-time of the years 0 to 9999",
        ),
        (
            Arc::new(TimestampMicrosecondArray::from(vec![i64::MIN])),
            "Timestamp(µs)): the value at 0 is no date-time of the years 0 to 9999",
        ),
        (
            Arc::new(Date32Array::from(vec![i32::MAX])),
            "Date32): the value at 0 is no date of the years 0 to 9999",
        ),
        (
            Arc::new(Time32SecondArray::from(vec![-1])),
            "Time32(s)): the value at 0 is no time of a day",
        ),
        (
            Arc::new(Decimal256Array::from(vec![beyond]).with_precision_and_scale(76, 0).unwrap()),
            "Decimal256(76, 0)): the value at 0 is no decimal of at most 38 digits",
        ),
    ];
    for (array, message) in arrays {
        let message = format!("column `金额` (index 0, Arrow's type {message}");
        assert_eq!(column(array), Err(message));
    }
    // The slot of a null may hold anything.
    let nulls = |valid| Some(NullBuffer::from(vec![valid, true]));
    let hidden = TimestampNanosecondArray::try_new(vec![1, 1_000].into(), nulls(false)).unwrap();
    assert!(column(Arc::new(hidden)).is_ok());
    let hidden = Date32Array::try_new(vec![i32::MAX, 0].into(), nulls(false)).unwrap();
    assert!(column(Arc::new(hidden)).is_ok());
    let batch =
        RecordBatch::try_from_iter([("a", Arc::new(Int64Array::from(vec![1])) as ArrayRef)])
            .unwrap();
    let two = RecordBatch::try_from_iter(["a", "b"].map(|name| (name, batch.column(0).clone())));
    let mut builder = ArrowBuilder::new(two.unwrap().schema_ref(), &account()).unwrap();
    assert_eq!(builder.append(&batch), Err(Problem::Width(1, 2)));
}

/// Returns rows of every type, with nulls, more than are converted at once.
fn every_type(rows: usize) -> Table {
    let names = [
        "empty", "boolean", "integer", "decimal", "wide", "text", "many", "date", "time", "stamp",
        "mixed",
    ];
    let mut builder = TableBuilder::new(names.map(str::to_owned).to_vec(), &account());
    builder.find_types();
    for n in 0..rows {
        let null = |cell| if n % 7 == 3 { CellRef::Null } else { cell };
        let texts = [
            n.to_string(),
            format!("{n}.25"),
            format!("{n}12345678901234567890.5"),
            format!("文{}", n % 5),
            format!("text {n}"),
            format!("2024-01-{:02}", n % 28 + 1),
            format!("08:{:02}:00", n % 60),
            format!("2024-01-{:02}T08:00:00", n % 28 + 1),
        ];
        let row = [
            CellRef::Null,
            null(CellRef::Boolean(n % 2 == 0)),
            null(CellRef::Number(&texts[0])),
            null(CellRef::Number(&texts[1])),
            null(CellRef::Number(&texts[2])),
            null(CellRef::Text(&texts[3])),
            null(CellRef::Text(&texts[4])),
            null(CellRef::Text(&texts[5])),
            null(CellRef::Text(&texts[6])),
            null(CellRef::Text(&texts[7])),
            null(if n % 2 == 0 { CellRef::Number(&texts[0]) } else { CellRef::Text(&texts[3]) }),
        ];
        builder.push_row(row).unwrap();
    }
    builder.finish().unwrap()
}

#[test]
fn a_table_comes_back_as_it_went() {
    let table = every_type(70_000);
    for (start, length) in [(0, 70_000), (3, 40), (65_530, 13), (0, 0), (11, 1)] {
        let part = table.range(start, length);
        let batch = part.to_arrow().unwrap();
        assert_eq!(batch.num_rows(), length);
        let back = taken(&batch).unwrap();
        for ((name, before), (_, after)) in part.columns().zip(back.columns()) {
            let (mut left, mut right) = (String::new(), String::new());
            for at in 0..length {
                // Mixed cells come back as text.
                let (left, right) = (before.cell(at, &mut left), after.cell(at, &mut right));
                assert!(
                    left == right || (name == "mixed" && left.as_str() == right.as_str()),
                    "{name} {at}"
                );
            }
        }
        // Batches that begin in the middle of a byte.
        if length > 20 {
            assert_eq!(taken(&batch.slice(5, 14)).unwrap(), back.range(5, 14));
        }
    }
}

#[test]
fn types_of_arrow_that_others_read() {
    let batch = every_type(20_000).to_arrow().unwrap();
    let types: Vec<_> =
        batch.schema_ref().fields().iter().map(|field| field.data_type().to_string()).collect();
    assert_eq!(
        types,
        [
            "Null",
            "Boolean",
            "Int64",
            "Decimal128(18, 2)",
            "Decimal128(38, 1)",
            "Dictionary(Int32, Utf8)",
            "Utf8",
            "Date32",
            "Time64(µs)",
            "Timestamp(µs)",
            "LargeUtf8"
        ]
    );
    let schema = batch.schema();
    let marked: Vec<_> =
        schema.fields().iter().filter(|field| !field.metadata().is_empty()).collect();
    assert!(
        marked.len() == 1
            && marked[0].name() == "mixed"
            && marked[0].metadata()[MIXED.0] == MIXED.1
    );
    let units = batch.column(3).as_primitive::<Decimal128Type>();
    assert_eq!((units.value(1), units.is_null(3)), (125, true));
    assert_eq!(*batch.column(0).data_type(), DataType::Null);
    let nothing = Table::default().to_arrow().unwrap();
    assert_eq!((nothing.num_rows(), nothing.num_columns()), (0, 0));
}
