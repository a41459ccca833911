//! What a table cannot keep of Arrow's columns: warnings, and errors that name the column.

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::types::{Int32Type, UInt8Type};
use arrow_schema::TimeUnit;

use super::*;

/// Returns a batch of one column with its field.
fn batch(field: Field, array: ArrayRef) -> RecordBatch {
    RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).unwrap()
}

fn field(array: &ArrayRef) -> Field {
    Field::new("t", array.data_type().clone(), true)
}

/// Returns the cells of the only column of batches, and the warnings without the name of the column.
fn taken_cells(batches: &[RecordBatch]) -> (ColumnType, Vec<String>, Vec<String>) {
    let (table, warnings) = taken_with_warnings(batches).unwrap();
    let cells = table.cells(0, usize::MAX).map(|row| row[0].as_str().to_owned()).collect();
    let warnings = warnings
        .into_iter()
        .map(|warning| warning.strip_prefix("column `t` (index 0): ").expect("a name").to_owned());
    (table.column(0).unwrap().column_type(), cells, warnings.collect())
}

fn cells_of(array: ArrayRef) -> (ColumnType, Vec<String>, Vec<String>) {
    taken_cells(&[batch(field(&array), array)])
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

/// Returns the message of a schema that is refused.
fn refusal(fields: Vec<Field>) -> String {
    let refused = ArrowBuilder::new(&Schema::new(fields), &account()).map(drop);
    refused.unwrap_err().to_string()
}

#[test]
fn times_of_a_zone_are_local_and_a_warning_names_the_zone() {
    // 2024-01-01T00:00:00Z
    const MOMENT: i64 = 1_704_067_200;
    let of = |unit: TimeUnit, zone: &str| -> ArrayRef {
        let (null, zone) = (None, zone.to_owned());
        match unit {
            TimeUnit::Second => {
                Arc::new(TimestampSecondArray::from(vec![Some(MOMENT), null]).with_timezone(zone))
            }
            TimeUnit::Millisecond => {
                let values = vec![Some(MOMENT * 1_000), null];
                Arc::new(TimestampMillisecondArray::from(values).with_timezone(zone))
            }
            TimeUnit::Microsecond => {
                let values = vec![Some(MOMENT * 1_000_000), null];
                Arc::new(TimestampMicrosecondArray::from(values).with_timezone(zone))
            }
            TimeUnit::Nanosecond => {
                let values = vec![Some(MOMENT * 1_000_000_000), null];
                Arc::new(TimestampNanosecondArray::from(values).with_timezone(zone))
            }
        }
    };
    let units =
        [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
    let zones = [
        ("Asia/Shanghai", "2024-01-01T08:00:00"),
        ("America/New_York", "2023-12-31T19:00:00"),
        ("+08:00", "2024-01-01T08:00:00"),
        ("UTC", "2024-01-01T00:00:00"),
    ];
    for (unit, (zone, local)) in units.into_iter().flat_map(|unit| zones.map(|it| (unit, it))) {
        let warning = format!(
            "its times stand as local times of the zone `{zone}`, which the table does not keep"
        );
        let expected = (ColumnType::DateTime, texts([local, ""]), vec![warning]);
        assert_eq!(cells_of(of(unit, zone)), expected, "{unit:?} {zone}");
    }
    let unknown = "its time zone `Mars/Olympus` is unknown, and its times stand as UTC";
    let expected = (ColumnType::DateTime, texts(["2024-01-01T00:00:00", ""]), texts([unknown]));
    assert_eq!(cells_of(of(TimeUnit::Second, "Mars/Olympus")), expected);
    let (_, _, warnings) = cells_of(of(TimeUnit::Second, &format!("a\n{}", "b".repeat(100_000))));
    assert!(warnings[0].len() < 500 && !warnings[0].contains('\n'), "{warnings:?}");
    // A column without a zone has nothing to say.
    let plain: ArrayRef = Arc::new(TimestampSecondArray::from(vec![MOMENT]));
    let expected = (ColumnType::DateTime, texts(["2024-01-01T00:00:00"]), Vec::new());
    assert_eq!(cells_of(plain), expected);
    // The last hours of the year 9999 are those of the next one there.
    let late = TimestampSecondArray::from(vec![253_402_300_799]).with_timezone("Asia/Shanghai");
    let late: ArrayRef = Arc::new(late);
    let error = taken(&batch(field(&late), late)).unwrap_err().to_string();
    assert!(error.ends_with("the value at 0 is no date-time of the years 0 to 9999"), "{error}");
}

#[test]
fn times_that_the_clocks_show_twice_are_counted() {
    // 2024-10-27T00:30:00Z and one hour later are both half past two in Berlin.
    let moments = TimestampSecondArray::from(vec![1_729_989_000, 1_729_992_600, 1_730_000_000]);
    let (_, cells, warnings) = cells_of(Arc::new(moments.with_timezone("Europe/Berlin")));
    assert_eq!((&cells[0], &cells[1]), (&"2024-10-27T02:30:00".to_owned(), &cells[0]));
    assert_eq!(warnings[1], "times in an hour that the clocks repeat are ambiguous (2 cells)");
}

#[test]
fn digits_of_times_that_are_cut_are_counted() {
    let nulls = Some(NullBuffer::from(vec![true, true, true, false]));
    let values = vec![1_704_067_200_123_456_789_i64, 1_704_067_200_123_456_000, -1, 1];
    let stamps = TimestampNanosecondArray::try_new(values.into(), nulls).unwrap();
    let expected = (
        ColumnType::DateTime,
        texts([
            "2024-01-01T00:00:00.123456",
            "2024-01-01T00:00:00.123456",
            "1969-12-31T23:59:59.999999",
            "",
        ]),
        texts(["times are cut to whole microseconds (2 cells)"]),
    );
    assert_eq!(cells_of(Arc::new(stamps)), expected);
    let times = Time64NanosecondArray::from(vec![3_661_000_000_001, 1_000]);
    let expected = (
        ColumnType::Time,
        texts(["01:01:01", "00:00:00.000001"]),
        texts(["times are cut to whole microseconds (1 cell)"]),
    );
    assert_eq!(cells_of(Arc::new(times)), expected);
}

#[test]
fn numbers_that_are_not_finite_are_counted_and_come_back() {
    let values = [Some(1.5), Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY), None];
    let array: ArrayRef = Arc::new(Float64Array::from(values.to_vec()));
    let warning = "numbers that are NaN or infinite count as empty (3 cells)";
    let expected = (ColumnType::Float, texts(["1.5", "", "", "", ""]), texts([warning]));
    assert_eq!(cells_of(array.clone()), expected);
    let back = taken(&batch(field(&array), array)).unwrap().to_arrow().unwrap();
    let back = back.column(0).as_primitive::<types::Float64Type>().clone();
    assert!(back.value(1).is_nan() && back.value(2) == f64::INFINITY && back.is_null(4));
    let (_, _, warnings) = cells_of(Arc::new(Float32Array::from(vec![f32::NAN])));
    assert_eq!(warnings, texts(["numbers that are NaN or infinite count as empty (1 cell)"]));
}

#[test]
fn extension_types_are_kept_by_meaning_or_named() {
    let of = |name: &str, array: ArrayRef| {
        let name = ("ARROW:extension:name".to_owned(), name.to_owned());
        let field = field(&array).with_metadata(HashMap::from([name]));
        taken_cells(&[batch(field, array)])
    };
    let flags: ArrayRef = Arc::new(Int8Array::from(vec![Some(1), Some(0), None, Some(-1)]));
    let expected = (ColumnType::Boolean, texts(["true", "false", "", "true"]), Vec::new());
    assert_eq!(of("arrow.bool8", flags), expected);
    let json: ArrayRef = Arc::new(StringArray::from(vec!["[1]"]));
    assert_eq!(of("arrow.json", json), (ColumnType::Text, texts(["[1]"]), Vec::new()));
    let months: ArrayRef = Arc::new(Int64Array::from(vec![648]));
    let warning = "its extension type `pandas.period` is not kept; its values stand as they are stored, as integer";
    assert_eq!(
        of("pandas.period", months),
        (ColumnType::Integer, texts(["648"]), texts([warning]))
    );
}

#[test]
fn dictionaries_of_all_kinds_are_their_values() {
    fn of<V: Array + 'static>(values: V) -> ArrayRef {
        let keys = Int8Array::from(vec![Some(1), None, Some(0), Some(1)]);
        Arc::new(DictionaryArray::new(keys, Arc::new(values)))
    }
    let nothing = Vec::new;
    let cases = [
        (of(StringArray::from(vec!["a", "b"])), ColumnType::Text, ["b", "", "a", "b"], nothing()),
        (
            of(Int64Array::from(vec![10, 20])),
            ColumnType::Integer,
            ["20", "", "10", "20"],
            nothing(),
        ),
        (
            of(Int64Array::from(vec![Some(10), None])),
            ColumnType::Integer,
            ["", "", "10", ""],
            nothing(),
        ),
        (
            of(BooleanArray::from(vec![true, false])),
            ColumnType::Boolean,
            ["false", "", "true", "false"],
            nothing(),
        ),
        (
            of(Date32Array::from(vec![0, 1])),
            ColumnType::Date,
            ["1970-01-02", "", "1970-01-01", "1970-01-02"],
            nothing(),
        ),
        (
            of(TimestampSecondArray::from(vec![0, 1]).with_timezone("+01:00")),
            ColumnType::DateTime,
            ["1970-01-01T01:00:01", "", "1970-01-01T01:00:00", "1970-01-01T01:00:01"],
            texts([
                "its times stand as local times of the zone `+01:00`, which the table does not keep",
            ]),
        ),
        (
            of(Float64Array::from(vec![0.5, f64::NAN])),
            ColumnType::Float,
            ["", "", "0.5", ""],
            texts(["numbers that are NaN or infinite count as empty (2 cells)"]),
        ),
        (of(NullArray::new(2)), ColumnType::Empty, ["", "", "", ""], nothing()),
    ];
    for (array, ty, cells, warnings) in cases {
        let of = array.data_type().to_string();
        assert_eq!(cells_of(array), (ty, texts(cells), warnings), "{of}");
    }
    // The slots of nulls, and a dictionary of nothing.
    let empty = DictionaryArray::<UInt8Type>::new(
        UInt8Array::from(vec![None, None]),
        Arc::new(StringArray::from(Vec::<&str>::new())),
    );
    assert_eq!(cells_of(Arc::new(empty)), (ColumnType::Text, texts(["", ""]), Vec::new()));
    // The order of categories.
    let sizes: ArrayRef = of(StringArray::from(vec!["small", "large"]));
    let ordered = field(&sizes).with_dict_is_ordered(true);
    let (_, _, warnings) = taken_cells(&[batch(ordered, sizes)]);
    assert_eq!(warnings, texts(["the order of its categories is not kept"]));
}

#[test]
fn dates_in_milliseconds_stay_times_across_batches() {
    const DAY: i64 = 86_400_000;
    let of = |values: Vec<Option<i64>>| {
        let array: ArrayRef = Arc::new(Date64Array::from(values));
        batch(field(&array), array)
    };
    let (dates, times) = (of(vec![Some(-DAY), None]), of(vec![Some(DAY + 1_000), None]));
    let both = ["1969-12-31T00:00:00", "", "1970-01-02T00:00:01", ""];
    let mixed = taken_cells(&[dates.clone(), times.clone(), dates.clone()]);
    let expected: Vec<_> = both.iter().chain(&both[..2]).map(|it| (*it).to_owned()).collect();
    assert_eq!(mixed, (ColumnType::DateTime, expected, Vec::new()));
    let none = of(vec![None]);
    let (ty, cells, _) = taken_cells(&[none, times.clone()]);
    assert_eq!((ty, &*cells[1]), (ColumnType::DateTime, "1970-01-02T00:00:01"));
    // Within one batch, beyond the rows that are converted at once.
    let mut many = vec![Some(DAY); 70_000];
    many.push(Some(DAY + 1));
    let (ty, cells, _) = taken_cells(&[of(many)]);
    assert_eq!((ty, &*cells[0]), (ColumnType::DateTime, "1970-01-02T00:00:00"));
    assert_eq!(cells[70_000], "1970-01-02T00:00:00.001");
    // What the wider values take is charged.
    let account = Account::root(Resource::Documents, 500_000);
    let days = of(vec![Some(DAY); 60_000]);
    let mut builder = ArrowBuilder::new(days.schema_ref(), &account).unwrap();
    builder.append(&days).unwrap();
    assert!(matches!(builder.append(&times), Err(Problem::Memory(_))));
}

#[test]
fn types_without_a_counterpart_name_the_column_and_the_way_out() {
    let item = Arc::new(Field::new("item", DataType::Int64, true));
    let entries = Field::new(
        "entries",
        DataType::Struct(
            vec![Field::new("k", DataType::Utf8, false), Field::new("v", DataType::Utf8, true)]
                .into(),
        ),
        false,
    );
    let list = DataType::List(item.clone());
    let ends = DataType::RunEndEncoded(
        Arc::new(Field::new("run_ends", DataType::Int32, false)),
        item.clone(),
    );
    let union = DataType::Union(arrow_schema::UnionFields::empty(), arrow_schema::UnionMode::Dense);
    let cases = [
        (DataType::Binary, "make it text"),
        (DataType::LargeBinary, "make it text"),
        (DataType::BinaryView, "make it text"),
        (DataType::FixedSizeBinary(16), "make it text"),
        (list.clone(), "write each list as text, for example as JSON, or make a row of each item"),
        (DataType::LargeList(item.clone()), "write each list as text"),
        (DataType::ListView(item.clone()), "write each list as text"),
        (DataType::LargeListView(item.clone()), "write each list as text"),
        (DataType::FixedSizeList(item.clone(), 2), "write each list as text"),
        (DataType::Struct(vec![item].into()), "make a column of each field"),
        (DataType::Map(Arc::new(entries), false), "write each map as text"),
        (DataType::Duration(TimeUnit::Nanosecond), "make it a number, for example of seconds"),
        (DataType::Interval(arrow_schema::IntervalUnit::YearMonth), "cast it to text"),
        (union, "cast it to text"),
        (ends, "write out its values"),
        (DataType::Dictionary(Box::new(DataType::Int8), Box::new(list)), "write each list as text"),
    ];
    for (ty, way_out) in cases {
        let message = refusal(vec![
            Field::new("n", DataType::Int64, true),
            Field::new("金额", ty.clone(), true),
        ]);
        let start = format!(
            "column `金额` (index 1, Arrow's type {}",
            ty.to_string().split('(').next().unwrap()
        );
        assert!(
            message.starts_with(&start) && message.contains(": no table holds this type; "),
            "{message}"
        );
        assert!(message.contains(way_out), "{message}");
    }
    // Arrays of such a type never reach a table, whatever they hold.
    let mut lists = ListBuilder::new(Int64Builder::new());
    lists.append(false);
    let lists: ArrayRef = Arc::new(lists.finish());
    assert!(taken(&batch(field(&lists), lists)).is_err());
    // Names and types of others do not fill the screen.
    let wide: Vec<_> =
        (0..10_000).map(|n| Field::new(format!("f{n}"), DataType::Int8, true)).collect();
    let name = format!("x\n{}", "y".repeat(100_000));
    let message = refusal(vec![Field::new(name, DataType::Struct(wide.into()), true)]);
    assert!(message.len() < 1_000 && !message.contains('\n'), "{message}");
}

#[test]
fn names_of_columns_are_unique_and_not_empty() {
    let fields =
        |names: [&str; 3]| names.map(|name| Field::new(name, DataType::Utf8, true)).to_vec();
    assert_eq!(
        refusal(fields(["a", "b", "a"])),
        "column `a` (index 2, Arrow's type Utf8): the column at index 0 has the same name; rename one of them"
    );
    assert_eq!(
        refusal(fields(["a", "", "b"])),
        "column `` (index 1, Arrow's type Utf8): a column name is empty"
    );
    assert!(ArrowBuilder::new(&Schema::new(fields(["a", "A", " "])), &account()).is_ok());
}

#[test]
fn batches_of_another_schema_are_refused() {
    let of = |name: &str, array: ArrayRef| {
        batch(Field::new(name, array.data_type().clone(), true), array)
    };
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
    for (second, place) in [
        (of("b", numbers.clone()), "`b` (index 0, Arrow's type Int64)"),
        (of("a", texts), "`a` (index 0, Arrow's type Utf8)"),
    ] {
        let error = taken_with_warnings(&[of("a", numbers.clone()), second]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "column {place}: expected the column `a` of the type Int64, as in the first batch"
            )
        );
    }
}

#[test]
fn rows_in_messages_count_through_all_batches() {
    let of = |values: Vec<i32>| {
        let array: ArrayRef = Arc::new(Date32Array::from(values));
        batch(field(&array), array)
    };
    let mut late = vec![0; 70_000];
    late.push(i32::MIN);
    let error = taken_with_warnings(&[of(vec![0; 10]), of(late)]).unwrap_err().to_string();
    assert!(error.ends_with(": the value at 70010 is no date of the years 0 to 9999"), "{error}");
}

#[test]
fn what_goes_in_comes_out_with_the_same_values() {
    let mixed = || {
        let mut builder = TableBuilder::new(vec!["t".into()], &account());
        for cell in [CellRef::Number("12"), CellRef::Text("x"), CellRef::Boolean(true)] {
            builder.push_row([cell]).unwrap();
        }
        builder.finish().unwrap().to_arrow().unwrap()
    };
    let out = ["column `t` (index 0): its cells of several types are texts"];
    assert_eq!(export_warnings(mixed().schema_ref()), out);
    let back = taken_cells(&[mixed()]);
    let warning = "it had cells of several types, which are texts now";
    assert_eq!(back, (ColumnType::Text, texts(["12", "x", "true"]), texts([warning])));
    let decimal = |units: Vec<i128>, digits, scale| -> ArrayRef {
        Arc::new(Decimal128Array::from(units).with_precision_and_scale(digits, scale).unwrap())
    };
    // What a column was, and the type in which it comes out.
    let cases: [(ArrayRef, &str); 14] = [
        (Arc::new(NullArray::new(2)), "Null"),
        (Arc::new(BooleanArray::from(vec![true, false])), "Boolean"),
        (Arc::new(Int8Array::from(vec![1, -1])), "Int64"),
        (Arc::new(UInt64Array::from(vec![1, u64::MAX])), "Decimal128(38, 0)"),
        (Arc::new(Float32Array::from(vec![0.1, 1.5])), "Float64"),
        (decimal(vec![110, 330], 10, 2), "Decimal128(18, 2)"),
        (decimal(vec![10_i128.pow(20), 1], 30, 2), "Decimal128(38, 2)"),
        (decimal(vec![5, 7], 10, 0), "Int64"),
        (Arc::new(LargeStringArray::from(vec!["a", ""])), "Utf8"),
        (Arc::new(StringViewArray::from(vec!["a", "a text of more than twelve bytes"])), "Utf8"),
        (
            Arc::new(vec!["a", "a"].into_iter().collect::<DictionaryArray<Int32Type>>()),
            "Dictionary(Int32, Utf8)",
        ),
        (Arc::new(Date64Array::from(vec![0, 86_400_000])), "Date32"),
        (Arc::new(Time32SecondArray::from(vec![0, 1])), "Time64(µs)"),
        (Arc::new(TimestampNanosecondArray::from(vec![0, 1_000])), "Timestamp(µs)"),
    ];
    for (array, ty) in cases {
        let given = array.data_type().to_string();
        let (table, warnings) = taken_with_warnings(&[batch(field(&array), array)]).unwrap();
        let out = table.to_arrow().unwrap();
        assert_eq!(
            (out.column(0).data_type().to_string(), warnings),
            (ty.to_owned(), Vec::new()),
            "{given}"
        );
        assert_eq!(taken(&out).unwrap(), table, "{given}");
    }
}
