use crate::*;
use mitt_base::Resource;
use mitt_base::memory::Account;

fn account() -> Account {
    Account::root(Resource::Documents, u64::MAX)
}

fn builder(names: &[&str]) -> TableBuilder {
    TableBuilder::new(names.iter().map(|name| (*name).to_owned()).collect(), &account())
}

fn number(text: &str) -> CellRef<'_> {
    CellRef::Number(text)
}

fn text(text: &str) -> CellRef<'_> {
    CellRef::Text(text)
}

/// Returns a table with one column.
fn column(cells: &[CellRef<'_>]) -> Table {
    let mut builder = builder(&["a"]);
    builder.find_types();
    for cell in cells {
        builder.push_row([*cell]).unwrap();
    }
    builder.finish().unwrap()
}

fn shown(table: &Table) -> Vec<String> {
    table.cells(0, usize::MAX).map(|row| row[0].as_str().to_owned()).collect()
}

#[test]
fn numbers_are_read_and_written_exactly() {
    for (given, units, scale, shortest) in [
        ("0", 0, 0, "0"),
        ("-0", 0, 0, "0"),
        ("12", 12, 0, "12"),
        ("1.50", 15, 1, "1.5"),
        ("-0.05", -5, 2, "-0.05"),
        ("1.2e3", 1_200, 0, "1200"),
        ("12E-2", 12, 2, "0.12"),
        ("100e-2", 1, 0, "1"),
        (
            "99999999999999999999999999999999999999",
            10_i128.pow(38) - 1,
            0,
            "99999999999999999999999999999999999999",
        ),
        (
            "0.00000000000000000000000000000000000001",
            1,
            38,
            "0.00000000000000000000000000000000000001",
        ),
    ] {
        let decimal = Decimal::parse(given).unwrap();
        assert_eq!((decimal.units, decimal.scale), (units, scale), "{given}");
        let mut out = String::new();
        push_decimal(&mut out, units, scale);
        assert_eq!(out, shortest);
    }
    for refused in
        ["", "-", ".5", "1e400", "1e-39", "1e", "100000000000000000000000000000000000000", "0x1"]
    {
        assert_eq!(Decimal::parse(refused), None, "{refused}");
    }
}

#[test]
fn dates_are_read_in_one_form_and_written_in_it() {
    for (given, days) in [
        ("1970-01-01", 0),
        ("2024-02-29", 19_782),
        ("0000-01-01", -719_528),
        ("9999-12-31", 2_932_896),
    ] {
        assert_eq!(parse_date(given), Some(days));
        let mut out = String::new();
        push_date(&mut out, days);
        assert_eq!(out, given);
    }
    for refused in ["2023-02-29", "2024-13-01", "2024-1-01", "24-01-01", "2024/01/01", "2024-01-00"]
    {
        assert_eq!(parse_date(refused), None, "{refused}");
    }
    for given in ["00:00:00", "23:59:59", "08:30:00.25", "08:30:00.000001"] {
        let mut out = String::new();
        push_time(&mut out, parse_time(given).unwrap());
        assert_eq!(out, given);
    }
    for refused in ["24:00:00", "8:30:00", "08:30", "08:30:00.", "08:30:00.10", "08:30:00.1234567"]
    {
        assert_eq!(parse_time(refused), None, "{refused}");
    }
    for given in ["2024-12-31T08:30:00", "1969-12-31T23:59:59.5"] {
        let mut out = String::new();
        push_date_time(&mut out, parse_date_time(given).unwrap());
        assert_eq!(out, given);
    }
    assert_eq!(parse_date_time("2024-12-31 08:30:00"), None);
}

#[test]
fn types_are_found_and_widened_without_losing_anything() {
    let null = CellRef::Null;
    let big = "12345678901234567890123";
    let huge = "1".repeat(60);
    for (cells, ty, expected) in [
        (vec![null, null], ColumnType::Empty, vec!["", ""]),
        (vec![null, number("1"), number("-7")], ColumnType::Integer, vec!["", "1", "-7"]),
        (vec![number("1"), number("1.50"), null], ColumnType::Decimal, vec!["1", "1.5", ""]),
        (vec![number("0.1"), number(big)], ColumnType::Decimal, vec!["0.1", big]),
        (
            vec![number("9223372036854775807"), number("0.5")],
            ColumnType::Decimal,
            vec!["9223372036854775807", "0.5"],
        ),
        (vec![number("1"), number(&huge)], ColumnType::Mixed, vec!["1", &huge]),
        (vec![number("1.5"), text("N/A")], ColumnType::Mixed, vec!["1.5", "N/A"]),
        (
            vec![CellRef::Boolean(true), null, CellRef::Boolean(false)],
            ColumnType::Boolean,
            vec!["true", "", "false"],
        ),
        (vec![CellRef::Boolean(true), number("1")], ColumnType::Mixed, vec!["true", "1"]),
        (vec![null, text("2024-01-31")], ColumnType::Date, vec!["", "2024-01-31"]),
        (vec![text("2024-01-31"), text("later")], ColumnType::Text, vec!["2024-01-31", "later"]),
        (
            vec![text("2024-01-31"), text("2024-01-31T00:00:00")],
            ColumnType::Text,
            vec!["2024-01-31", "2024-01-31T00:00:00"],
        ),
        (vec![text("08:00:00"), null], ColumnType::Time, vec!["08:00:00", ""]),
        (vec![text("2024-01-31"), number("1")], ColumnType::Mixed, vec!["2024-01-31", "1"]),
        (vec![text("x"), null, text("x")], ColumnType::Text, vec!["x", "", "x"]),
    ] {
        let table = column(&cells);
        assert_eq!(table.column(0).unwrap().column_type(), ty, "{cells:?}");
        assert_eq!(shown(&table), expected);
        let nulls = cells.iter().filter(|cell| **cell == null).count();
        assert_eq!(table.column(0).unwrap().nulls(), nulls);
    }
}

#[test]
fn texts_that_repeat_are_kept_once_until_they_do_not() {
    let repeated: Vec<String> = (0..20_000).map(|n| format!("text number {}", n % 50)).collect();
    let different: Vec<String> = (0..20_000).map(|n| format!("text number {n}")).collect();
    let of = |texts: &[String]| column(&texts.iter().map(|it| text(it)).collect::<Vec<_>>());
    let (few, many) = (of(&repeated), of(&different));
    assert!(
        matches!(few.column(0).unwrap().values().0, Values::Dictionary(_, texts) if texts.len() == 50)
    );
    assert!(matches!(many.column(0).unwrap().values().0, Values::Texts(_)));
    assert!(few.kept_bytes() < 100_000 && many.kept_bytes() > 400_000);
    assert_eq!(shown(&few), repeated);
    assert_eq!(shown(&many), different);
}

/// Returns a table with cells of each type, with nulls.
fn every_type() -> Table {
    let names = ["empty", "boolean", "integer", "decimal", "wide", "text", "date", "mixed"];
    let mut builder = builder(&names);
    builder.find_types();
    for n in 0..100_usize {
        let null = |cell| if n % 7 == 3 { CellRef::Null } else { cell };
        let texts = [
            n.to_string(),
            format!("{n}.25"),
            format!("{n}12345678901234567890.5"),
            format!("t{}", n % 5),
            format!("2024-01-{:02}", n % 28 + 1),
        ];
        builder
            .push_row([
                CellRef::Null,
                null(CellRef::Boolean(n % 2 == 0)),
                null(number(&texts[0])),
                null(number(&texts[1])),
                null(number(&texts[2])),
                null(text(&texts[3])),
                null(text(&texts[4])),
                null(if n % 2 == 0 { number(&texts[0]) } else { text(&texts[3]) }),
            ])
            .unwrap();
    }
    builder.finish().unwrap()
}

#[test]
fn parts_rows_and_chunks_are_the_cells_that_they_were() {
    let table = every_type();
    let rows: Vec<_> = table.cells(0, usize::MAX).collect();
    assert_eq!(rows.len(), 100);
    for (start, length) in [(0, 100), (3, 20), (13, 1), (90, 50), (100, 1), (7, 0)] {
        let end = (start + length).min(100);
        let part = table.range(start, length);
        assert_eq!(part.cells(0, usize::MAX).collect::<Vec<_>>(), rows[start.min(end)..end]);
        for (name, column) in part.columns() {
            let counted = (0..part.rows()).filter(|at| !column.is_valid(*at)).count();
            assert_eq!(column.nulls(), counted, "{name}");
        }
        // A range of a range, through chunks and back.
        let again = part.range(1, 30);
        let mut copy = TableBuilder::new(table.names().map(str::to_owned).collect(), &account());
        copy.append(again.columns().map(|(_, column)| column.slice(0, 9)).collect()).unwrap();
        copy.append(again.columns().map(|(_, column)| column.slice(9, 99)).collect()).unwrap();
        assert_eq!(copy.finish().unwrap(), again);
    }
    let picked = [99, NO_ROW, 0, 0, 17];
    let taken: Vec<_> = table.take(&picked, &account()).unwrap().cells(0, 9).collect();
    assert_eq!(taken[0], rows[99]);
    assert!(taken[1].iter().all(|cell| *cell == Cell::Null));
    assert_eq!([&taken[2], &taken[3], &taken[4]], [&rows[0], &rows[0], &rows[17]]);
    assert_eq!(table.take(&[100], &account()), Err(Problem::Nothing("row", 100, 100)));
    let mut twice = TableBuilder::new(table.names().map(str::to_owned).collect(), &account());
    twice.append_table(&table).unwrap();
    twice.append_table(&table.range(0, 1)).unwrap();
    let twice = twice.finish().unwrap();
    assert_eq!(twice.range(0, 100), table);
    assert_eq!(twice.range(100, 1), table.range(0, 1));
}

#[test]
fn columns_are_chosen_renamed_and_put_side_by_side_without_a_copy() {
    let table = every_type();
    let chosen = table.select(vec![(3, "x".into()), (2, "y".into())]).unwrap();
    assert_eq!(chosen.names().collect::<Vec<_>>(), ["x", "y"]);
    assert_eq!(chosen.column(0).unwrap().address(), table.column(3).unwrap().address());
    let both = table.beside(&chosen).unwrap();
    assert_eq!(both.width(), 10);
    // Shared data counts once.
    assert!(both.kept_bytes() < table.kept_bytes() + 200);
    assert_eq!(table.beside(&table), Err(Problem::Twice("empty".into())));
    assert_eq!(table.beside(&table.range(0, 5)), Err(Problem::Ragged(100, 5)));
    let select = |columns| table.select(columns).unwrap_err();
    assert_eq!(select(vec![(9, "x".into())]), Problem::Nothing("column", 9, 8));
    assert_eq!(select(vec![(0, String::new())]), Problem::NoName);
    assert_eq!(select(vec![(0, "x".into()), (1, "x".into())]), Problem::Twice("x".into()));
}

#[test]
fn chunks_that_are_not_as_described_are_refused() {
    let all = |values: Values| Chunk { validity: Validity::all(true, values.len()), values };
    let refused = |chunk: Chunk| builder(&["a"]).append(vec![chunk]).unwrap_err();
    assert_eq!(refused(all(Values::Decimals(19, vec![1]))), Problem::Scale(19, 18));
    assert_eq!(refused(all(Values::WideDecimals(39, vec![1]))), Problem::Scale(39, 38));
    assert_eq!(refused(all(Values::Decimals(0, vec![0, i64::MAX]))), Problem::Value(1, "decimal"));
    assert_eq!(
        refused(all(Values::WideDecimals(0, vec![i128::MAX]))),
        Problem::Value(0, "decimal")
    );
    assert_eq!(refused(all(Values::Dates(vec![2_932_897]))), Problem::Value(0, "date"));
    assert_eq!(refused(all(Values::Times(vec![86_400_000_000]))), Problem::Value(0, "time"));
    assert_eq!(refused(all(Values::DateTimes(vec![i64::MAX]))), Problem::Value(0, "date-time"));
    let keys = Values::Dictionary(vec![0], Default::default());
    assert_eq!(refused(all(keys.clone())), Problem::Value(0, "text"));
    let null = Chunk { validity: Validity::all(false, 1), values: keys };
    assert!(builder(&["a"]).append(vec![null]).is_ok());
    let short = Chunk { validity: Validity::all(true, 1), values: Values::Integers(vec![1, 2]) };
    assert_eq!(refused(short), Problem::Lengths(2, 1));
    // Nulls that were announced but not sent.
    let account = Account::root(Resource::Documents, 1_000_000);
    let mut promised = TableBuilder::new(vec!["a".into()], &account);
    assert!(matches!(
        promised.append(vec![all(Values::Empty(1_000_000))]),
        Err(Problem::Memory(_))
    ));
    assert_eq!(promised.append(vec![all(Values::Empty(usize::MAX))]), Err(Problem::Rows));
    assert_eq!(builder(&["a"]).append(vec![]).unwrap_err(), Problem::Width(0, 1));
    let ragged = vec![all(Values::Empty(1)), all(Values::Empty(2))];
    assert_eq!(builder(&["a", "b"]).append(ragged).unwrap_err(), Problem::Ragged(1, 2));
    assert_eq!(builder(&["a"]).push_row([CellRef::Null; 2]).unwrap_err(), Problem::Width(2, 1));
    assert_eq!(builder(&["a", "a"]).finish().unwrap_err(), Problem::Twice("a".into()));
    assert!(Texts::from_parts(vec![0, 2], b"ab".to_vec()).is_some());
    for (offsets, bytes) in [
        (vec![], &b""[..]),
        (vec![1, 2], b"ab"),
        (vec![0, 1], b"ab"),
        (vec![0, 2, 1], b"a"),
        (vec![0, 1, 3], "é1".as_bytes()),
        (vec![0, 1], b"\xff"),
    ] {
        assert_eq!(Texts::from_parts(offsets, bytes.to_vec()), None);
    }
    assert_eq!(Validity::from_bytes(vec![1, 1], 3), None);
}

#[test]
fn memory_is_charged_while_it_grows_and_given_back_with_the_last_who_shares_it() {
    let account = Account::root(Resource::Documents, 100_000);
    let mut builder = TableBuilder::new(vec!["a".into(), "b".into()], &account);
    let problem = (0..).find_map(|n: i32| {
        let text = n.to_string();
        builder.push_row([number(&text), text_of(&text)]).err()
    });
    assert!(matches!(problem, Some(Problem::Memory(_))));
    assert!(builder.rows() < 10_000, "{}", builder.rows());
    drop(builder);
    assert_eq!(account.usage().used, 0);

    let mut small = TableBuilder::new(vec!["a".into()], &account);
    small
        .append(vec![Chunk {
            values: Values::Integers(vec![7; 1_000]),
            validity: Validity::all(true, 1_000),
        }])
        .unwrap();
    let table = small.finish().unwrap();
    assert!((8_000..8_400).contains(&account.usage().used));
    let part = table.range(10, 1);
    drop(table);
    assert!((8_000..8_400).contains(&account.usage().used));
    let rows = vec![0; 20_000];
    assert!(matches!(part.take(&rows, &account), Err(Problem::Memory(_))));
    assert!((8_000..8_400).contains(&account.usage().used));
    drop(part);
    assert_eq!(account.usage().used, 0);
}

fn text_of(it: &str) -> CellRef<'_> {
    CellRef::Text(it)
}

#[test]
fn bits_of_chunks_are_joined_whatever_their_lengths() {
    let cells: Vec<Option<bool>> =
        (0..200_usize).map(|at| (at % 7 != 3).then_some(at % 3 == 0)).collect();
    let chunk = |part: &[Option<bool>]| {
        // The bits after the last one, and the slots of nulls, may hold anything.
        let mut values = vec![0xFF_u8; part.len().div_ceil(8)];
        let mut valid = values.clone();
        for (at, cell) in part.iter().enumerate() {
            let clear = |bytes: &mut [u8]| bytes[at / 8] &= !(1 << (at % 8));
            match cell {
                Some(true) => {}
                Some(false) => clear(&mut values),
                None => clear(&mut valid),
            }
        }
        let validity = Validity::from_bytes(valid, part.len()).unwrap();
        Chunk { values: Values::Booleans(values, part.len()), validity }
    };
    let expected: Vec<String> =
        cells.iter().map(|it| it.map_or(String::new(), |it| it.to_string())).collect();
    for lengths in [[64, 8, 128], [3, 100, 97], [8, 3, 189], [16, 1, 183], [1, 7, 192]] {
        let mut builder = builder(&["a"]);
        let mut rest = &cells[..];
        for length in lengths {
            let (part, more) = rest.split_at(length);
            builder.append(vec![chunk(part)]).unwrap();
            rest = more;
        }
        builder.push_row([CellRef::Boolean(true)]).unwrap();
        let table = builder.finish().unwrap();
        let column = table.column(0).unwrap();
        let shown: Vec<String> = (0..201)
            .map(|at| match table.cells(at, 1).next().unwrap()[0].borrow() {
                CellRef::Null => String::new(),
                CellRef::Boolean(value) => value.to_string(),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(shown[..200], expected, "{lengths:?}");
        assert_eq!(shown[200], "true");
        let nulls = cells.iter().filter(|it| it.is_none()).count();
        assert_eq!((column.nulls(), rest.len()), (nulls, 0));
    }
}

#[test]
fn dictionaries_of_chunks_become_one() {
    let chunk = |texts: &[&str], keys: Vec<u32>| {
        let mut all = Texts::default();
        texts.iter().for_each(|it| assert!(all.push(it)));
        Chunk {
            validity: Validity::all(true, keys.len()),
            values: Values::Dictionary(keys, all.into()),
        }
    };
    let mut builder = builder(&["a"]);
    builder.append(vec![chunk(&["x", "y"], vec![0, 1, 0])]).unwrap();
    builder.append(vec![chunk(&["y", "z"], vec![1, 0])]).unwrap();
    builder.push_row([text("z")]).unwrap();
    builder.push_row([text("w")]).unwrap();
    let table = builder.finish().unwrap();
    assert_eq!(shown(&table), ["x", "y", "x", "z", "y", "z", "w"]);
    assert!(
        matches!(table.column(0).unwrap().values().0, Values::Dictionary(_, texts) if texts.len() == 4)
    );
}

/// The types of an untyped source are found in its texts; one cell that does not fit keeps all of them as text.
#[test]
fn types_are_found_when_all_cells_have_them() {
    for (cells, ty, expected) in [
        (vec!["TRUE", "", "FALSE"], ColumnType::Boolean, vec!["true", "", "false"]),
        (vec!["true", "True"], ColumnType::Text, vec!["true", "True"]),
        (vec!["true", "no"], ColumnType::Text, vec!["true", "no"]),
        (vec!["TRUE", "1"], ColumnType::Mixed, vec!["TRUE", "1"]),
        (vec!["0.3", "1e3", "-2.5E-1"], ColumnType::Decimal, vec!["0.3", "1000", "-0.25"]),
        (vec!["1.23E+5", "", "2e+2"], ColumnType::Integer, vec!["123000", "", "200"]),
        (vec!["1E3", "2E5"], ColumnType::Text, vec!["1E3", "2E5"]),
        (vec!["101", "1E3", "A7"], ColumnType::Mixed, vec!["101", "1E3", "A7"]),
        (
            vec!["1.5e", "1.5e+", "1.5e+x", "e5"],
            ColumnType::Text,
            vec!["1.5e", "1.5e+", "1.5e+x", "e5"],
        ),
        (vec!["1.5e+9999"], ColumnType::Text, vec!["1.5e+9999"]),
        (vec!["1", "2.5e+99"], ColumnType::Mixed, vec!["1", "2.5e+99"]),
    ] {
        let table = column(&cells.iter().map(|it| CellRef::from_text(it)).collect::<Vec<_>>());
        assert_eq!(shown(&table), expected, "{cells:?}");
        assert_eq!(table.column(0).unwrap().column_type(), ty, "{cells:?}");
    }
    let many = ["1.5e-2"; 5_000].map(text);
    assert_eq!(column(&many).column(0).unwrap().column_type(), ColumnType::Decimal);
    let different: Vec<String> = (0..9_000).map(|n| format!("{n}.5e-2")).collect();
    let table = column(&different.iter().map(|it| text(it)).collect::<Vec<_>>());
    assert_eq!(table.column(0).unwrap().column_type(), ColumnType::Decimal);
    // Typed sources are taken as they are.
    let mut builder = builder(&["a"]);
    builder.push_row([text("true")]).unwrap();
    assert_eq!(builder.finish().unwrap().column(0).unwrap().column_type(), ColumnType::Text);
}

/// A row with one long text in each column is not written to its end just to learn that it is too long.
#[test]
fn a_row_that_is_too_long_is_not_written_to_its_end() {
    let long = "x".repeat(10_000);
    let columns: Vec<String> = (0..100).map(|n| format!("c{n}")).collect();
    let row = vec![Cell::Text(long.into()); 100];
    let table = Table::of_rows(columns, &[row]).unwrap();
    let mut out = String::new();
    assert_eq!(table.push_markdown(&mut out, 20_000), 0);
    assert!(out.capacity() < 300_000, "{}", out.capacity());
}

/// Returns a chunk whose values are all there.
fn chunk(values: Values) -> Chunk {
    let validity = Validity::all(true, values.len());
    Chunk { values, validity }
}

#[test]
fn a_chunk_holds_values_of_its_type_up_to_both_bounds() {
    let texts = || {
        let mut texts = Texts::default();
        assert!(texts.push("a") && texts.push("b"));
        std::sync::Arc::new(texts)
    };
    let (narrow, wide) = (10_i64.pow(18), 10_i128.pow(38));
    let micros = 86_400_000_000;
    // The years 0 to 9999.
    let (first, last) = (-719_528, 2_932_896);
    for (fine, bad, ty) in [
        (
            Values::Decimals(2, vec![1 - narrow, narrow - 1]),
            Values::Decimals(2, vec![0, narrow]),
            "decimal",
        ),
        (Values::Decimals(18, vec![0]), Values::Decimals(18, vec![0, -narrow]), "decimal"),
        (
            Values::WideDecimals(38, vec![1 - wide, wide - 1]),
            Values::WideDecimals(0, vec![0, -wide]),
            "decimal",
        ),
        (Values::Dictionary(vec![0, 1], texts()), Values::Dictionary(vec![0, 2], texts()), "text"),
        (Values::Dates(vec![first, last]), Values::Dates(vec![0, last + 1]), "date"),
        (Values::Dates(vec![0]), Values::Dates(vec![0, first - 1]), "date"),
        (Values::Times(vec![0, micros - 1]), Values::Times(vec![0, micros]), "time"),
        (Values::Times(vec![0]), Values::Times(vec![0, -1]), "time"),
        (
            Values::DateTimes(vec![i64::from(first) * micros, i64::from(last + 1) * micros - 1]),
            Values::DateTimes(vec![0, i64::from(last + 1) * micros]),
            "date-time",
        ),
    ] {
        assert_eq!(chunk(fine.clone()).check(), Ok(()), "{fine:?}");
        assert_eq!(chunk(bad.clone()).check(), Err(Problem::Value(1, ty)), "{bad:?}");
        // The slot of a null may hold anything.
        let mut validity = Validity::all(true, 1);
        validity.push(false);
        assert_eq!(Chunk { values: bad.clone(), validity }.check(), Ok(()), "{bad:?}");
    }
    // No good value stands beside these.
    for (bad, ty) in [
        (Values::Decimals(0, vec![narrow]), "decimal"),
        (Values::Decimals(0, vec![narrow + 1]), "decimal"),
        (Values::Dictionary(vec![3], texts()), "text"),
        (Values::Dates(vec![last + 1]), "date"),
        (Values::Times(vec![micros]), "time"),
    ] {
        assert_eq!(chunk(bad.clone()).check(), Err(Problem::Value(0, ty)), "{bad:?}");
    }
    assert_eq!(chunk(Values::Decimals(19, vec![0])).check(), Err(Problem::Scale(19, 18)));
    assert_eq!(chunk(Values::WideDecimals(39, vec![0])).check(), Err(Problem::Scale(39, 38)));
    let short = Chunk { values: Values::Integers(vec![1, 2]), validity: Validity::all(true, 1) };
    assert_eq!(short.check(), Err(Problem::Lengths(2, 1)));
    assert_eq!(short.check().unwrap_err().to_string(), "2 values with 1 bits of validity");
}

#[test]
fn a_chunk_counts_its_values_and_its_bits() {
    let mut chunk = chunk(Values::Integers(vec![0; 1_000]));
    chunk.validity = Validity::all(false, 1_000);
    let (values, bits) = (chunk.values.kept_bytes(), chunk.validity.kept_bytes());
    assert!(values >= 8_000 && bits >= 125, "{values} {bits}");
    assert_eq!(chunk.kept_bytes(), (values + bits) as u64);
}

#[test]
fn a_column_knows_how_many_cells_it_has() {
    let table = column(&[number("1"), number("2"), number("3")]);
    let whole = table.column(0).unwrap();
    assert_eq!((whole.len(), whole.is_empty()), (3, false));
    let none = column(&[]);
    let none = none.column(0).unwrap();
    assert_eq!((none.len(), none.is_empty()), (0, true));
}
