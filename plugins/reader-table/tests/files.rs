//! Files of common libraries for tables, made by `make.py`.

use mitt_reader_kit::tables::{Memory, Source};
use mitt_reader_kit::{Cell, ENCRYPTED, Error, TableSource};

fn file(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}

fn read(name: &str) -> (Memory, Vec<String>) {
    read_bytes(&file(name), name).unwrap()
}

fn read_bytes(bytes: &[u8], name: &str) -> Result<(Memory, Vec<String>), Error> {
    let extension = if name.ends_with("parquet") { "parquet" } else { "arrow" };
    let content = reader_table::read(bytes, extension)?;
    let mut warnings = content.warnings;
    let table = content.tables.into_iter().next().unwrap().data;
    let table = table.build::<Memory>(&mut warnings)?;
    Ok((table, warnings))
}

/// Returns a line for each column: name, type, and the cells.
fn columns(table: &Memory) -> Vec<String> {
    let rows = table.to_rows();
    let line = |(at, column): (usize, mitt_reader_kit::tables::Column)| {
        let cells: Vec<String> = rows.iter().map(|row| shown(&row[at])).collect();
        format!("{}: {:?}: {}", column.name, column.type_, cells.join(" | "))
    };
    table.columns().into_iter().enumerate().map(line).collect()
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Null => "-".into(),
        Cell::Boolean(value) => value.to_string(),
        Cell::Number(text) => text.clone(),
        Cell::Text(text) => format!("{text:?}"),
    }
}

#[test]
fn every_type_has_its_column() {
    const SHARED: &[&str] = &[
        "boolean: ColumnType::Boolean: true | false | -",
        "int8: ColumnType::Integer: -128 | 127 | -",
        "uint32: ColumnType::Integer: 0 | 4294967295 | -",
        "int64: ColumnType::Integer: -9223372036854775808 | 9223372036854775807 | -",
        "uint64: ColumnType::Decimal: 1 | 18446744073709551615 | -",
        "float32: ColumnType::Float: 0.5 | -1.25 | -",
        "float64: ColumnType::Float: 0.1 | - | -",
        "decimal: ColumnType::Decimal: 1234567890.12 | -0.1 | -",
        "wide: ColumnType::Decimal: 1234567890123456789012345678.0123456789 | 1 | -",
        "huge: ColumnType::Mixed: 1234567890123456789012345678901234567890123456789.5 | 2.5 | -",
        r#"text: ColumnType::Text: "北京\n\"x\"" | "" | -"#,
        r#"large text: ColumnType::Text: "a" | "b" | -"#,
        r#"date: ColumnType::Date: "2024-02-29" | "0001-01-01" | -"#,
        r#"time: ColumnType::Time: "08:30:00" | "23:59:59.999999" | -"#,
        r#"moment: ColumnType::DateTime: "2024-12-31T08:30:00" | "1969-12-31T23:59:59.5" | -"#,
        r#"zoned: ColumnType::DateTime: "2025-01-01T08:00:00" | "2025-01-02T11:04:00" | -"#,
        r#"utc: ColumnType::DateTime: "2025-01-01T00:00:00" | "2025-01-02T00:00:00" | -"#,
        r#"nanos: ColumnType::DateTime: "2025-01-01T00:00:00" | "2025-01-01T00:00:00.000001" | -"#,
        r#"bytes: ColumnType::Text: "plain" | "ff00" | -"#,
        r#"fixed: ColumnType::Text: "00010203" | "deadbeef" | -"#,
        r#"list: ColumnType::Text: "[1,null,3]" | "[]" | -"#,
        r#"struct: ColumnType::Text: "{\"城市\":\"上海\",\"n\":1.50}" | "{\"城市\":null,\"n\":null}" | -"#,
        r#"map: ColumnType::Text: "{\"a\":true,\"b\":null}" | "{}" | -"#,
        r#"category: ColumnType::Text: "x" | "y" | -"#,
        "nothing: ColumnType::Empty: - | - | -",
    ];
    const ARROW: &[&str] = &[
        r#"duration: ColumnType::Text: "PT1H30M0.5S" | "-PT0.001S" | -"#,
        "half: ColumnType::Float: 0.5 | 2 | -",
        r#"view: ColumnType::Text: "short" | "a text that is longer than a view holds" | -"#,
        r#"time32: ColumnType::Time: "08:30:00" | "00:00:01" | -"#,
        r#"date64: ColumnType::Date: "2024-02-29" | "2024-03-01" | -"#,
        r#"interval: ColumnType::Text: "P14M3DT1.5S" | "PT0S" | -"#,
        r#"runs: ColumnType::Text: "r" | "r" | -"#,
    ];
    for (name, more) in
        [("types.parquet", &[][..]), ("types.feather", ARROW), ("types.arrows", ARROW)]
    {
        let (table, warnings) = read(name);
        assert_eq!(columns(&table), [SHARED, more].concat(), "{name}");
        assert_eq!(
            warnings,
            [
                "column `list`: its values are nested and stand as JSON texts",
                "column `struct`: its values are nested and stand as JSON texts",
                "column `map`: its values are nested and stand as JSON texts",
                "column `float64`: numbers that are NaN or infinite are empty (1 cell)",
                "column `zoned`: its times stand as local times of the zone `Asia/Shanghai`, which the table does not keep",
                "column `nanos`: times are cut to whole microseconds (1 cell)",
                "column `bytes`: bytes that are no text stand as hexadecimal digits (1 cell)",
                "column `fixed`: bytes that are no text stand as hexadecimal digits (2 cells)",
            ],
            "{name}"
        );
    }
}

#[test]
fn every_codec_and_writer_gives_the_same_table() {
    let (first, warnings) = read("codec-none.parquet");
    assert_eq!((first.rows(), warnings.len()), (1_000, 0));
    assert_eq!(
        first.to_rows()[999].iter().map(shown).collect::<Vec<_>>(),
        ["999", "\"华东\"", "9.93", "\"2024-09-24\"",]
    );
    for name in [
        "codec-snappy.parquet",
        "codec-gzip.parquet",
        "codec-brotli.parquet",
        "codec-lz4.parquet",
        "codec-zstd.parquet",
        "pages-2.parquet",
        "polars.parquet",
        "polars.arrow",
        "duckdb.parquet",
    ] {
        let (table, warnings) = read(name);
        assert_eq!(table.to_rows(), first.to_rows(), "{name}");
        assert_eq!(columns(&table), columns(&first), "{name}");
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
    }
}

#[test]
fn old_timestamps_reach_the_year_9999() {
    let (table, warnings) = read("int96.parquet");
    let line = r#"at: ColumnType::DateTime: "2024-05-01T12:00:00" | "9999-12-31T00:00:00""#;
    assert_eq!((columns(&table), warnings), (vec![line.to_owned()], vec![]));
}

/// Tables that come by Arrow's interfaces have the same times (`src/table/arrow`).
#[test]
fn times_of_a_zone_are_its_local_times() {
    for name in ["zones.parquet", "zones.feather"] {
        let (table, warnings) = read(name);
        assert_eq!(
            columns(&table),
            [
                r#"berlin: ColumnType::DateTime: "2024-10-27T01:59:59.999999" | "2024-10-27T02:00:00" | "2024-10-27T03:00:00""#,
                r#"offset: ColumnType::DateTime: "1970-01-01T05:30:00" | "2024-01-01T05:30:00" | -"#,
                r#"unknown: ColumnType::DateTime: "1970-01-01T00:00:00" | "2024-01-01T00:00:00" | -"#,
                r#"late: ColumnType::DateTime: "1970-01-01T08:00:00" | - | -"#,
                r#"nested: ColumnType::Text: "{\"at\":\"1969-12-31T19:00:00\"}" | "{\"at\":null}" | -"#,
                "none: ColumnType::Empty: - | - | -",
            ],
            "{name}"
        );
        let local = |column: &str, zone: &str| {
            format!(
                "column `{column}`: its times stand as local times of the zone `{zone}`, which the table does not keep"
            )
        };
        assert_eq!(
            warnings,
            [
                "column `nested`: its values are nested and stand as JSON texts".to_owned(),
                local("berlin", "Europe/Berlin"),
                "column `berlin`: times in an hour that the clocks repeat are ambiguous (1 cell)"
                    .to_owned(),
                local("offset", "+05:30"),
                "column `unknown`: its time zone `Mars/Olympus` is unknown, and its times stand as UTC"
                    .to_owned(),
                local("late", "Asia/Shanghai"),
                "column `late`: dates and times outside of the years 0 to 9999 are empty (1 cell)"
                    .to_owned(),
                local("nested", "America/New_York"),
            ],
            "{name}"
        );
    }
    for (name, noon) in [
        ("zones-pandas.parquet", "2024-07-01T12:00:00"),
        ("zones-polars.arrow", "2024-07-01T12:00:00"),
    ] {
        let (table, warnings) = read(name);
        assert_eq!(columns(&table), [format!("at: ColumnType::DateTime: {noon:?} | -")], "{name}");
        assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
    }
}

#[test]
fn names_are_made_unique_and_rows_may_be_none() {
    let (table, _) = read("names.parquet");
    let names: Vec<_> = table.columns().into_iter().map(|column| column.name).collect();
    assert_eq!(names, ["a", "column_2", "a_2"]);
    let (table, warnings) = read("no-rows.parquet");
    assert_eq!((table.columns().len(), table.rows(), warnings.len()), (4, 0, 0));
    let (table, _) = read("pandas.parquet");
    assert_eq!(
        columns(&table),
        [
            "额: ColumnType::Float: 1.5 | -",
            "类: ColumnType::Text: \"x\" | \"y\"",
            "__index_level_0__: ColumnType::Text: \"i\" | \"j\"",
        ]
    );
}

#[test]
fn what_cannot_be_read_is_refused_with_a_way_out() {
    let refused = |name: &str| match read_bytes(&file(name), name).unwrap_err() {
        Error::Unsupported(message) => message,
        other => panic!("{other:?}"),
    };
    // The host says what to do about it.
    assert_eq!(refused("encrypted.parquet"), ENCRYPTED);
    assert!(refused("old.feather").contains("save it as version 2"));
}

/// The schema that Arrow's writers add may be of a later version.
#[test]
fn columns_are_read_without_the_schema_of_arrow() {
    let mut bytes = file("codec-none.parquet");
    let at = bytes.windows(12).position(|part| part == b"ARROW:schema").unwrap() + 16;
    bytes[at..at + 8].copy_from_slice(b"????????");
    let (table, _) = read_bytes(&bytes, "a.parquet").unwrap();
    assert_eq!(table.to_rows(), read("codec-none.parquet").0.to_rows());
}

#[test]
fn damaged_files_are_refused_and_never_believed() {
    for name in ["codec-zstd.parquet", "polars.arrow", "types.arrows", "types.parquet"] {
        let whole = file(name);
        for length in [0, 3, 8, 11, 40, whole.len() / 2, whole.len() - 9] {
            let result = read_bytes(&whole[..length], name);
            let Err(Error::Malformed(message)) = result else {
                panic!("{name} {length}: {result:?}");
            };
            let rest = message.strip_prefix("the file is damaged: ").unwrap();
            assert!(!rest.contains("error: ") && !rest.starts_with("External"), "{message}");
        }
    }
}
